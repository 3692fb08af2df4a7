"""The clients of an account: made late, one for threads and one for each event loop, never retrying, and closed in time."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import os
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from importlib import import_module
from typing import cast

import httpx2
import openai
import pytest

from settled import Agent, Message, MisuseError, ModelRequest, ProviderError
from settled.providers import OpenAIChat
from settled.providers.clients import Account, AnyClient
from settled.providers.refusals import Arrived
from settled.providers.transport import Posted, asend, send
from settled.testing import FakeServer, HttpReply

ASKED = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
ERROR = HttpReply(500, body={"error": {"message": "oops"}})
KEY = "canary-1234567890"
import_module("openai")  # loading it takes long, and is not to be measured


def asked(model: OpenAIChat) -> str:
    """One request from a thread."""
    return model.request(ASKED, timeout=5.0).text


async def aasked(model: OpenAIChat) -> str:
    """One request from an event loop."""
    return (await model.arequest(ASKED, timeout=5.0)).text


def ran(script: str, **environment: str) -> str:
    """What a script of its own process writes to its standard error; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", textwrap.dedent(script)],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    return done.stderr


def test_a_client_is_made_once_and_does_not_retry() -> None:
    """The first request makes the client, also when many threads come at once; it never asks again by itself."""
    account = Account(base_url="http://127.0.0.1:1/v1", api_key=KEY)
    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(account.sync_client) for _ in range(32)]
    clients = [one.result() for one in made]
    client = clients[0]
    assert all(one is client for one in clients)
    assert isinstance(client, openai.OpenAI)
    assert 0 == client.max_retries
    account.close()


def test_requests_equal_attempts() -> None:
    """A failed request is one request, from a thread and from a loop."""
    with FakeServer(ERROR, ERROR) as server:
        model = OpenAIChat("m", base_url=server.base_url)
        with pytest.raises(ProviderError):
            asked(model)
        with pytest.raises(ProviderError):
            asyncio.run(aasked(model))
        model.close()


def test_each_loop_has_a_client_which_ends_with_it() -> None:
    """Within a loop the client is the same; another loop has another one; each is closed with its loop."""
    account = Account(base_url="http://127.0.0.1:1/v1", api_key=KEY)

    async def main() -> openai.AsyncOpenAI:
        client, closer = account.async_client()
        assert closer is not None
        await closer.__anext__()
        again, nothing = account.async_client()
        assert (True, None) == (client is again, nothing)
        assert isinstance(client, openai.AsyncOpenAI)
        assert (0, False) == (client.max_retries, client.is_closed())
        return client

    first, second = asyncio.run(main()), asyncio.run(main())
    assert first is not second
    assert (True, True) == (first.is_closed(), second.is_closed())


def test_loops_in_many_threads() -> None:
    """Loops in threads may come and go at the same time."""
    with FakeServer("7", repeat=True) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:

        async def thrice() -> list[str]:
            return await asyncio.gather(*(aasked(model) for _ in range(3)))

        with ThreadPoolExecutor(6) as pool:
            answers = [pool.submit(lambda: asyncio.run(thrice())) for _ in range(18)]
    assert [["7"] * 3] * 18 == [one.result() for one in answers]
    assert {} == vars(vars(model)["_account"])["_async"]


def test_connections_are_used_again() -> None:
    """Requests of one loop, and those of threads, go over a connection that is kept."""
    with FakeServer("7", repeat=True) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:

        async def twice() -> None:
            await aasked(model)
            await aasked(model)

        asyncio.run(twice())
        asked(model)
        asked(model)
    assert [1, 1, 2, 2] == [request.connection for request in server.requests]


def test_closed_and_asked_again() -> None:
    """What was closed is opened again by the next request."""
    with FakeServer("7", repeat=True) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        model.close()
        asked(model)
        model.close()
        asked(model)

        async def main() -> None:
            await model.aclose()
            await aasked(model)
            await model.aclose()
            await aasked(model)

        asyncio.run(main())
    assert [1, 2, 3, 4] == [request.connection for request in server.requests]


def test_closing_what_was_never_begun() -> None:
    """A client of a loop that was asked for, and never used, is closed all the same."""
    account = Account(base_url="http://127.0.0.1:1/v1", api_key=KEY)

    async def main() -> openai.AsyncOpenAI:
        client, _ = account.async_client()
        await account.aclose()
        return cast("openai.AsyncOpenAI", client)

    assert asyncio.run(main()).is_closed()


def test_a_dropped_model_closes_what_is_its_own() -> None:
    """A model that is dropped closes its clients at once, without any warning: in its loop, and for threads."""
    with FakeServer("7", repeat=True) as server:
        clients: list[AnyClient] = []

        async def main() -> bool:
            model = OpenAIChat("m", base_url=server.base_url)
            await aasked(model)
            clients.append(cast("AnyClient", vars(model)["_account"].async_client()[0]))
            del model
            await asyncio.sleep(0.05)
            return clients[0].is_closed()

        assert asyncio.run(main())
        model = OpenAIChat("m", base_url=server.base_url)
        asked(model)
        client = cast("openai.OpenAI", vars(model)["_account"].sync_client())
        del model
        gc.collect()
        assert client.is_closed()


def test_a_loop_that_was_closed_without_its_generators() -> None:
    """A loop whose owner closed it in haste is forgotten when the next one comes."""
    account = Account(base_url="http://127.0.0.1:1/v1", api_key=KEY)
    loop = asyncio.new_event_loop()

    async def begun() -> None:
        _, closer = account.async_client()
        assert closer is not None
        await closer.__anext__()

    loop.run_until_complete(begun())
    loop.close()
    kept: Mapping[object, object] = vars(account)["_async"]
    assert [loop] == list(kept)

    async def main() -> list[object]:
        await begun()
        return list(kept)

    assert 1 == len(asyncio.run(main()))
    assert [] == list(kept)


def test_two_loops_in_a_row_leave_nothing_open() -> None:
    """`asyncio.run` twice, and requests from threads that nobody closes: no warning about anything left open."""
    said = ran(
        """
        import asyncio, gc
        from settled import Agent
        from settled.providers import OpenAIChat, provider_named
        from settled.testing import FakeServer

        with FakeServer(7, repeat=True) as server:
            dropped = Agent(int, model=OpenAIChat("m", base_url=server.base_url))
            named = Agent(int, model=f"{server.base_url}#m")
            for agent in (dropped, named):
                for _ in range(2):
                    assert asyncio.run(agent.arun("How many?"), debug=False) == 7
                    assert agent.run("How many?") == 7
            del dropped, agent
            gc.collect()
        """
    )
    assert "" == said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_makes_clients_of_its_own() -> None:
    """After a fork, neither process uses a connection, a lock or a place of the other's."""
    ran(
        """
        import os, warnings
        warnings.simplefilter("ignore")  # that a process with threads forks
        from settled import Message, ModelRequest
        from settled.providers import OpenAIChat
        from settled.testing import FakeServer

        asked = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
        with FakeServer("7", repeat=True) as server:
            model = OpenAIChat("m", base_url=server.base_url, max_concurrency=1)
            model.request(asked, timeout=10.0)
            account = vars(model)["_account"]
            account.gate.enter(None)
            mine = account.sync_client()
            child = os.fork()
            if child == 0:
                try:
                    good = model.request(asked, timeout=10.0).text == "7" and account.sync_client() is not mine
                    os._exit(0 if good else 1)
                finally:
                    os._exit(2)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            account.gate.leave()
            model.request(asked, timeout=10.0)
            assert account.sync_client() is mine
            assert [1, 2, 1] == [request.connection for request in server.requests]
            model.close()
        """
    )


# What the user gives


def sync_run(model: OpenAIChat) -> object:
    """A run from a thread."""
    return Agent(int, model=model).run("How many?")


def async_run(model: OpenAIChat) -> object:
    """A run from a loop."""
    return asyncio.run(Agent(int, model=model).arun("How many?"))


@pytest.mark.parametrize(
    "made, run, words",
    [
        (lambda: OpenAIChat("m", client=openai.OpenAI(api_key=KEY)), async_run, r"client=OpenAI works with run, .*AsyncOpenAI\("),
        (lambda: OpenAIChat("m", client=openai.AsyncOpenAI(api_key=KEY)), sync_run, r"client=AsyncOpenAI works with arun, "),
        (lambda: OpenAIChat("m", api_key=KEY, http_client=httpx2.Client()), async_run, r"http_client=Client works with run only"),
        (
            lambda: OpenAIChat("m", api_key=KEY, http_client=httpx2.AsyncClient()),
            sync_run,
            r"http_client=AsyncClient works with arun",
        ),
    ],
    ids=["sync-client", "async-client", "sync-http", "async-http"],
)
def test_a_client_of_the_other_colour(made: Callable[[], OpenAIChat], run: Callable[[OpenAIChat], object], words: str) -> None:
    """A sync client serves no loop, and an async one no thread: the error names both, and what to give instead."""
    with pytest.raises(MisuseError, match=words):
        run(made())


def test_a_client_of_the_users_own_is_left_alone() -> None:
    """It asks as it was made to, with its key and headers, but without retries; it is not changed, and not closed."""
    with FakeServer(ERROR, "7", ERROR, "8") as server:
        options = {"X-Mine": "yes"}
        client = openai.OpenAI(base_url=server.base_url, api_key=KEY, max_retries=5, timeout=3.0, default_headers=options)
        model = OpenAIChat("m", client=client)
        with pytest.raises(ProviderError):
            asked(model)
        assert "7" == asked(model)
        model.close()
        assert (5, 3.0, False) == (client.max_retries, client.timeout, client.is_closed())
        client.close()

        async def main() -> None:
            async with openai.AsyncOpenAI(
                base_url=server.base_url, api_key=KEY, max_retries=5, timeout=3.0, default_headers=options
            ) as own:
                mine = OpenAIChat("m", client=own)
                with pytest.raises(ProviderError):
                    await aasked(mine)
                assert "8" == await aasked(mine)
                await mine.aclose()
                assert (5, 3.0, False) == (own.max_retries, own.timeout, own.is_closed())

        asyncio.run(main())
    assert {(f"Bearer {KEY}", "yes")} == {(one.headers["authorization"], one.headers["x-mine"]) for one in server.requests}


def test_an_http_client_of_the_users_own_is_used_and_closed() -> None:
    """An HTTP client carries the requests, and goes with the model, or with the loop that it served."""
    seen: list[str] = []

    def hook(request: httpx2.Request) -> None:
        seen.append(request.url.path)

    async def ahook(request: httpx2.Request) -> None:
        seen.append(request.url.path)

    with FakeServer("7", "8") as server:
        http = httpx2.Client(event_hooks={"request": [hook]})
        model = OpenAIChat("m", base_url=server.base_url, http_client=http)
        assert "7" == asked(model)
        assert not http.is_closed
        model.close()
        assert [True] == [one.is_closed for one in (http,)]
        ahttp = httpx2.AsyncClient(event_hooks={"request": [ahook]})
        model = OpenAIChat("m", base_url=server.base_url, http_client=ahttp)
        assert "8" == asyncio.run(aasked(model))
        assert ahttp.is_closed
    assert ["/v1/chat/completions"] * 2 == seen


def test_a_dropped_model_leaves_the_users_http_client_open() -> None:
    """Models that come and go may share an HTTP client."""
    with FakeServer("7", repeat=True) as server:

        async def main() -> None:
            http = httpx2.AsyncClient()
            async with aclosing(http):
                for _ in range(2):
                    assert "7" == await aasked(OpenAIChat("m", base_url=server.base_url, http_client=http))
                    await asyncio.sleep(0.02)
                assert not http.is_closed

        asyncio.run(main())
        http = httpx2.Client()
        with closing(http):
            for _ in range(2):
                assert "7" == asked(OpenAIChat("m", base_url=server.base_url, http_client=http))
                gc.collect()
            assert not http.is_closed


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, "the openai client cannot be made: Missing credentials"),
        ({"base_url": "http://[::1/v1", "api_key": KEY}, "the openai client cannot be made"),
        ({"http_client": 7, "api_key": KEY}, "the openai client cannot be made"),
    ],
    ids=["no-key", "no-address", "no-http-client"],
)
def test_clients_that_cannot_be_made(options: Mapping[str, object], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the client refuses was given by the caller, or is missing in the environment: a run says so, and ends."""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    made = cast("Callable[..., OpenAIChat]", OpenAIChat)
    with pytest.raises(MisuseError, match=words) as caught:
        sync_run(made("m", **options))
    assert KEY not in str(caught.value)


def test_aiohttp_is_an_extra() -> None:
    """Without the extra, the transport says what to install, and only when it is needed: threads do without."""
    ran(
        """
        import asyncio, sys
        sys.modules["aiohttp"] = None
        from settled import Agent, MisuseError
        from settled.providers import OpenAIChat
        from settled.testing import FakeServer

        with FakeServer(7) as server:
            model = OpenAIChat("m", base_url=server.base_url, transport="aiohttp")
            assert Agent(int, model=model).run("How many?") == 7
            try:
                asyncio.run(Agent(int, model=model).arun("How many?"), debug=False)
            except MisuseError as error:
                assert 'pip install "settled[aiohttp]"' in str(error)
            else:
                raise AssertionError("it went without")
            model.close()
        """
    )


def test_aiohttp() -> None:
    """With the extra, requests go over aiohttp; without it, one is told."""
    with FakeServer("7", repeat=True) as server:
        model = OpenAIChat("m", base_url=server.base_url, transport="aiohttp")
        if importlib.util.find_spec("aiohttp") is None:
            with pytest.raises(MisuseError, match="aiohttp"):
                asyncio.run(aasked(model))
            asked(model)
        else:
            assert "7" == asyncio.run(aasked(model))
        model.close()


def test_an_account_shows_neither_key_nor_password() -> None:
    """Its repr is its address."""
    shown = repr(Account(base_url="http://me:hunter2@localhost:8000/v1", api_key=KEY))
    assert "Account(base_url='http://[hidden]@localhost:8000/v1')" == shown
    assert "Account(base_url=None)" == repr(Account(api_key=KEY))


def test_a_client_that_its_owner_closed() -> None:
    """A client that was closed, or whose loop was, cannot be used any more; nothing was sent, and the run says so."""
    with FakeServer("7", "8") as server:
        client = openai.OpenAI(base_url=server.base_url, api_key=KEY)
        client.close()
        with pytest.raises(ProviderError, match=r"the client cannot be used any more: .*closed") as caught:
            asked(OpenAIChat("m", client=client))
        assert ("connection", True, False) == (caught.value.kind, caught.value.retryable, caught.value.uncertain)
        aclient = openai.AsyncOpenAI(base_url=server.base_url, api_key=KEY)
        model = OpenAIChat("m", client=aclient)

        async def closed_after(awaited: Awaitable[str]) -> str:
            answer = await awaited
            await aclient.close()
            return answer

        assert "7" == asyncio.run(closed_after(aasked(model)))
        with pytest.raises(ProviderError, match="cannot be used any more"):
            asyncio.run(aasked(model))
        assert "8" == asked(OpenAIChat("m", client=openai.OpenAI(base_url=server.base_url, api_key=KEY)))


def test_what_another_process_made_is_not_used() -> None:
    """An account that finds itself in a child of the process that made it begins anew, and keeps its settings."""
    account = Account(base_url="http://127.0.0.1:1/v1", api_key=KEY, max_concurrency=1)
    gate, client = account.gate, account.sync_client()
    assert gate.enter(None)
    vars(account)["_pid"] = 0  # as the child of a fork finds it
    assert client is not account.sync_client()
    assert gate is not account.gate
    assert [True, False] == [account.gate.enter(0.0), account.gate.enter(0.0)]
    account.close()


def test_what_is_no_client() -> None:
    """What can be asked in no way is refused, from threads and loops, with the name of its class."""
    posted = Posted({}, {})
    with pytest.raises(MisuseError, match="client=object: it has neither post"):
        send(object(), posted)
    with pytest.raises(MisuseError, match="client=object: it has neither post"):
        asyncio.run(asend(object(), posted))


def test_what_goes_and_comes_is_not_shown() -> None:
    """Requests and replies under way show no prompt, key or text."""
    assert "Posted()" == repr(Posted({"messages": "secret"}, {"authorization": KEY}))
    assert "Arrived(status=200)" == repr(Arrived(200, {"set-cookie": KEY}, b"secret"))


def test_a_client_without_limits() -> None:
    """A client that waits for ever gets the request's limits for one request, and keeps its own."""
    with FakeServer("7") as server, openai.OpenAI(base_url=server.base_url, api_key=KEY, timeout=None) as client:
        assert "7" == asked(OpenAIChat("m", client=client))
        assert client.timeout is None


class Wrapped:
    """What resembles a client, and can be asked without retries."""

    def __init__(self, client: openai.OpenAI) -> None:
        """Wraps a client."""
        self.chat = client.chat
        self.with_options = client.with_options


def test_what_resembles_a_client_does_not_retry_either() -> None:
    """A wrapper around a client is asked without the retries of the client."""
    with FakeServer(ERROR) as server, openai.OpenAI(base_url=server.base_url, api_key=KEY, max_retries=3) as client:
        model = OpenAIChat("m", client=cast("AnyClient", Wrapped(client)))
        with pytest.raises(ProviderError, match="HTTP 500: oops"):
            asked(model)
    assert 1 == len(server.requests)

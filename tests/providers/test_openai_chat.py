"""`OpenAIChat`: what its constructor refuses, what it asks, how long it waits, and that it shows and keeps no key."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import datetime, timezone
from typing import cast

import httpx2
import openai
import pytest

from settled import Agent, Budget, Capabilities, Failure, Message, MisuseError, ModelRequest, ProviderError, Settings, Text
from settled.providers import OpenAIChat, provider_named
from settled.providers.clients import Account
from settled.testing import FakeServer, HttpReply

KEY = "canary-1234567890"
ASKED = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
NOWHERE = "http://127.0.0.1:1/v1"


def from_a_thread(model: OpenAIChat, timeout: float | None = 5.0) -> str:
    """One request from a thread."""
    return model.request(ASKED, timeout=timeout).text


def from_a_loop(model: OpenAIChat, timeout: float | None = 5.0) -> str:
    """One request from a loop."""
    return asyncio.run(model.arequest(ASKED, timeout=timeout)).text


by_each_door = pytest.mark.parametrize("ask", [from_a_thread, from_a_loop], ids=["sync", "async"])
Ask = Callable[..., str]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"model": ""}, r"model=''\): name the model"),
        ({"client": openai.OpenAI(api_key=KEY), "api_key": KEY}, "the client has its own key"),
        ({"client": openai.OpenAI(api_key=KEY), "base_url": NOWHERE}, "the client has its own key"),
        ({"client": openai.OpenAI(api_key=KEY), "http_client": httpx2.Client()}, "the client has its own key"),
        ({"client": openai.AsyncOpenAI(api_key=KEY), "transport": "aiohttp"}, "the client has its own key"),
        ({"client": object()}, "client=object: it has neither post nor chat.completions.create"),
        ({"client": "openai"}, "client=str: it has neither"),
        ({"http_client": httpx2.AsyncClient(), "transport": "aiohttp"}, r"http_client=\.\.\., transport='aiohttp'\): give one"),
        ({"transport": "carrier pigeon"}, "there are httpx and aiohttp"),
        ({"max_concurrency": 0}, r"max_concurrency=0\): at least 1"),
        ({"max_concurrency": -1}, r"max_concurrency=-1\): at least 1"),
        ({"max_response_bytes": 0}, r"max_response_bytes=0\): at least 1"),
    ],
    ids=[
        "no-model", "client-and-key", "client-and-address", "client-and-http", "client-and-transport", "no-client", "client-name",
        "http-and-transport", "transport", "no-places", "negative-places", "no-bytes",
    ],
)  # fmt: skip
def test_arguments_that_cannot_be(options: Mapping[str, object], words: str) -> None:
    """What cannot work is refused where it is given, and told."""
    made = cast("Callable[..., OpenAIChat]", OpenAIChat)
    with pytest.raises(MisuseError, match=words) as caught:
        made(**{"model": "m", **options})
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "base_url, env, name, field",
    [
        (None, None, "openai", "enforced"),
        (None, "https://api.groq.com/openai/v1", "groq", "rejected"),
        (None, NOWHERE, "openai-compatible", "unknown"),
        ("https://api.openai.com/v1", None, "openai", "enforced"),
        ("https://api.groq.com/openai/v1", None, "groq", "rejected"),
        (NOWHERE, "https://api.groq.com/openai/v1", "openai-compatible", "unknown"),
    ],
    ids=["nothing", "env", "env-unknown", "openai", "groq", "unknown"],
)
def test_the_service_is_known_by_its_address(
    base_url: str | None, env: str | None, name: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name and capabilities follow the address: the given one, else that of the environment, else OpenAI's."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    if env is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", env)
    model = OpenAIChat("gpt-4o", base_url=base_url)
    assert (name, "gpt-4o", field) == (model.name, model.model, model.capabilities().json_schema)
    assert f"OpenAIChat('gpt-4o', name='{name}')" == repr(model)


def test_the_address_of_a_given_client_counts() -> None:
    """A client of one's own tells the service by its address."""
    client = openai.OpenAI(api_key=KEY, base_url="https://api.groq.com/openai/v1")
    assert "groq" == OpenAIChat("m", client=client).name
    azure = openai.AzureOpenAI(api_key=KEY, azure_endpoint="https://mine.openai.azure.com", api_version="2024-10-21")
    assert "azure" == OpenAIChat("m", client=azure).name


def test_given_capabilities_win() -> None:
    """Who knows better than the table says so, field by field; the rest stays the table's, and each field has its source."""
    model = OpenAIChat("m", api_key=KEY, capabilities=Capabilities(json_schema="best_effort"))
    known, sources = model.capabilities(), model.capability_sources()
    assert ("best_effort", "enforced", "openai") == (known.json_schema, known.tools, known.dialect)
    assert ("given to the provider", True) == (sources["json_schema"], sources["tools"].startswith("OpenAI"))
    assert "thinking" not in sources


@by_each_door
def test_the_body_is_what_is_sent(ask: Ask) -> None:
    """`body` is what goes over the wire, to the letter."""
    with FakeServer("7") as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        ask(model)
    assert model.body(ASKED) == server.requests[0].body
    assert {"model": "m", "messages": [{"role": "user", "content": "Oslo?"}]} == model.body(ASKED)


def test_headers_of_a_request() -> None:
    """Headers from the settings are sent, over those that would be; the idempotency key is of the question."""
    headers = {"X-Mine": "yes", "Authorization": "Bearer mine"}
    with FakeServer("7", "7", "7", "7") as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        for request in (
            ASKED.changed(settings=Settings(extra_headers=headers)),
            ASKED,
            ASKED.changed(step=2),
            ASKED.changed(messages=(Message.user("Bergen?"),)),
        ):
            model.request(request, timeout=5.0)
    first = server.requests[0].headers
    assert ("yes", "Bearer mine") == (first["x-mine"], first["authorization"])
    keys = [request.headers["idempotency-key"] for request in server.requests]
    assert all(key.startswith("settled-") for key in keys)
    assert (keys[0], 3) == (keys[1], len(set(keys)))


@by_each_door
@pytest.mark.parametrize("base_url", [None, "https://api.openai.com/v1"], ids=["default", "explicit"])
def test_a_missing_key_is_the_callers_matter(ask: Ask, base_url: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key for OpenAI the first request says which variable to set."""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MisuseError, match="OPENAI_API_KEY"):
        ask(OpenAIChat("m", base_url=base_url))


def test_surrogates_in_a_history_are_sent() -> None:
    """A history that holds what no JSON can hold is written out."""
    with FakeServer("7") as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        odd = ASKED.changed(messages=(Message(role="user", parts=(Text(text="a\ud800"),)),))
        assert "7" == model.request(odd, timeout=5.0).text


# Waiting


SLOW_DOWN = HttpReply(429, {"retry-after": "0.2"}, body={"error": {"message": "slow down"}})
MUCH_LATER = HttpReply(429, {"retry-after": "3600"}, body={"error": {"message": "come back"}})


@by_each_door
def test_a_wait_is_kept_by_all(ask: Ask) -> None:
    """After a 429 the next request, from wherever, waits as long as the service asked."""
    with FakeServer(SLOW_DOWN, "7") as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        with pytest.raises(ProviderError) as caught:
            from_a_thread(model)
        assert 0.2 == caught.value.retry_after
        assert "7" == ask(model)
        first, second = server.requests
    assert second.at - first.at >= 0.19


@by_each_door
@pytest.mark.parametrize("timeout", [5.0, None], ids=["shorter-than-the-wait", "endless"])
def test_a_wait_that_is_too_long_is_not_begun(ask: Ask, timeout: float | None) -> None:
    """A request that cannot come in time, or that would sleep for longer than any run follows, is refused at once."""
    with FakeServer(MUCH_LATER) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        with pytest.raises(ProviderError):
            from_a_thread(model)
        began = time.monotonic()
        with pytest.raises(ProviderError, match="asked to wait") as caught:
            ask(model, timeout)
        assert time.monotonic() - began < 1.0
    error = caught.value
    assert "rate_limited" == error.kind
    assert error.retry_after is not None
    assert error.retry_at is not None
    assert 3590 < error.retry_after <= 3600
    assert 3580 < (error.retry_at - datetime.now(timezone.utc)).total_seconds() <= 3600


def test_a_run_reports_when_to_come_back() -> None:
    """A run that meets a shut gate ends with the moment at which it opens."""
    with FakeServer(MUCH_LATER) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        agent = Agent(int, model=model, budget=Budget(transport_retries=2))
        for _ in range(2):
            outcome = agent.settle("How many?")
            assert isinstance(outcome, Failure)
            assert isinstance(outcome.report.exception, ProviderError)
            assert outcome.report.exception.retry_at is not None


@by_each_door
def test_places_bound_what_is_under_way(ask: Ask) -> None:
    """With one place, a second request waits for the first, and gives up when its time is over."""
    slow = HttpReply(delay=0.3, reply="7")
    with FakeServer(slow, "8") as server, closing(OpenAIChat("m", base_url=server.base_url, max_concurrency=1)) as model:
        thread = threading.Thread(target=from_a_thread, args=(model,))
        thread.start()
        while not server.requests:
            time.sleep(0.001)
        with pytest.raises(ProviderError, match="none of max_concurrency ended in time") as caught:
            ask(model, 0.05)
        assert ("timeout", True) == (caught.value.kind, caught.value.retryable)
        assert "8" == ask(model)
        thread.join()


@by_each_door
def test_a_failed_request_gives_its_place_back(ask: Ask) -> None:
    """Errors, and what is no reply, leave the place to the next one."""
    error = HttpReply(500, body={"error": {"message": "oops"}})
    with FakeServer(error, HttpReply(body="[]"), "7") as server:
        model = OpenAIChat("m", base_url=server.base_url, max_concurrency=1)
        for _ in range(2):
            with pytest.raises(ProviderError):
                ask(model)
        assert "7" == ask(model)
        model.close()


@by_each_door
def test_a_reply_beyond_the_cap(ask: Ask) -> None:
    """A reply that is larger than it may be is not read on."""
    with FakeServer(HttpReply(reply="7", size=5000)) as server:
        model = OpenAIChat("m", base_url=server.base_url, max_response_bytes=1000)
        with pytest.raises(ProviderError, match="larger than 1000 bytes"):
            ask(model)
        model.close()


@by_each_door
@pytest.mark.parametrize(
    "reply, text, finish",
    [
        (HttpReply(400, body={"error": {"code": "content_filter", "message": "no"}}), "", "content_filter"),
        (HttpReply(400, body={"error": {"code": "json_validate_failed", "failed_generation": "{7"}}), "{7", "stop"),
    ],
    ids=["filtered", "not-met"],
)
def test_errors_that_are_replies(ask: Ask, reply: HttpReply, text: str, finish: str) -> None:
    """A filter, and what the model wrote and did not fit, come as errors, and are replies."""
    with FakeServer(reply, reply) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        assert text == ask(model)
        assert finish == model.request(ASKED, timeout=5.0).finish_reason.kind


# Copies


def pickled(model: OpenAIChat) -> OpenAIChat:
    """From one process to the other."""
    text = pickle.dumps(model)
    assert KEY.encode() not in text
    made: OpenAIChat = pickle.loads(text)
    return made


by_each_copy = pytest.mark.parametrize("copied", [pickled, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
Copied = Callable[[OpenAIChat], OpenAIChat]


@by_each_copy
def test_a_copy_is_as_it_was_made(copied: Copied) -> None:
    """A copy has the model, address, capabilities and bounds of the original, and connections of its own."""
    known = Capabilities(json_schema="best_effort")
    with FakeServer("7", "8", HttpReply(reply="9", size=5000)) as server:
        model = OpenAIChat("m", base_url=server.base_url, capabilities=known, max_concurrency=1, max_response_bytes=2000)
        assert "7" == from_a_thread(model)
        other = copied(model)
        assert (other.name, other.model, other.capabilities()) == ("openai-compatible", "m", known)
        assert "8" == from_a_thread(other)
        with pytest.raises(ProviderError, match="larger than 2000 bytes"):
            from_a_thread(copied(other))
        model.close()
        other.close()
    assert other is not model
    assert [1, 2, 3] == [request.connection for request in server.requests]


@by_each_copy
def test_a_key_is_taken_from_the_environment_again(copied: Copied, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of a model with a key has that of the environment; without one there, it is told which variable to set."""
    with FakeServer("7", "8") as server:
        model = OpenAIChat("m", base_url=server.base_url, api_key=KEY)
        monkeypatch.delenv("SETTLED_API_KEY", raising=False)
        with pytest.raises(MisuseError, match=r"leaves its key out; set SETTLED_API_KEY") as caught:
            copied(model)
        assert KEY not in str(caught.value)
        monkeypatch.setenv("SETTLED_API_KEY", "of the environment")
        other = copied(model)
        for one in (model, other):
            from_a_thread(one)
            one.close()
    assert [f"Bearer {KEY}", "Bearer of the environment"] == [one.headers["authorization"] for one in server.requests]


def test_the_key_of_a_known_service_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of a model of a known service takes that service's key."""
    monkeypatch.setenv("GROQ_API_KEY", "of groq")
    other = pickled(OpenAIChat("m", base_url="https://api.groq.com/openai/v1", api_key=KEY))
    assert "of groq" == vars(vars(other)["_account"])["_api_key"]


@by_each_copy
def test_a_named_model_is_named_again(copied: Copied) -> None:
    """A copy of a model that a string named is that model, with its account."""
    model = provider_named(f"{NOWHERE}#m")
    assert isinstance(model, OpenAIChat)
    assert model is copied(model)


@by_each_copy
@pytest.mark.parametrize(
    "made, words",
    [
        (lambda: OpenAIChat("m", client=openai.OpenAI(api_key=KEY)), "it holds a client or an account"),
        (lambda: OpenAIChat("m", http_client=httpx2.Client(), api_key=KEY), "it holds a client or an account"),
        (lambda: OpenAIChat.of_account("mine", "m", Account(api_key=KEY), Capabilities()), "it holds a client or an account"),
        (lambda: OpenAIChat("m", base_url="http://me:hunter2@localhost/v1"), "its address holds a key or a password"),
        (lambda: provider_named("http://me:hunter2@localhost/v1#m"), "its address holds a key or a password"),
    ],
    ids=["client", "http-client", "account", "password", "named-password"],
)
def test_what_cannot_be_copied(copied: Copied, made: Callable[[], OpenAIChat], words: str) -> None:
    """What holds a client of the user's own, or an address with a password, says why it can be neither pickled nor copied."""
    with pytest.raises(TypeError, match=f"can be neither pickled nor copied: {words}") as caught:
        copied(made())
    assert "hunter2" not in str(caught.value)


class Mine(OpenAIChat):
    """A model of the user's own kind."""


def test_a_copy_is_of_the_same_kind() -> None:
    """A subclass stays one."""
    assert isinstance(pickled(Mine("m", base_url=NOWHERE)), Mine)


def test_no_key_is_shown() -> None:
    """Neither repr nor str of a model show its key."""
    model = OpenAIChat("m", base_url=NOWHERE, api_key=KEY)
    assert KEY not in f"{model!r} {model} {vars(model)!r}"

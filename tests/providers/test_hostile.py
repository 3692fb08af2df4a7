"""Servers, keys and processes that mean no good: what they send costs no time, shows no key, and takes no place for ever."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress

import openai
import pytest
from tests.providers.doors import ONCE, Door, ask, ask_of, by_each_door, error

from settled import Agent, Budget, Failure, Hooks, MisuseError, ModelRequest, ModelResponse, RunContext, Settings, StopReason
from settled import ProviderError as Error
from settled.providers import OpenAIChat, provider_named
from settled.testing import FakeServer, FunctionProvider, HttpReply, SocketFault
from settled.vocabulary.scrub import scrubbed

KEY = "CANARY0123456789abcdef"  # of no form that a pattern knows


@pytest.mark.parametrize("size", [16_000, 500_000], ids=["16 KB", "500 KB"])
def test_looking_for_keys_takes_no_time(size: int) -> None:
    """A text that is made to be slow to search costs milliseconds, however long it is."""
    began = time.process_time()
    assert len(scrubbed("-eyJ" * (size // 4))) <= 510
    assert time.process_time() - began < 0.5


def test_a_key_across_the_cut_is_hidden() -> None:
    """What is cut off is looked at first."""
    assert scrubbed("x" * 490 + " sk-" + "a" * 40).endswith("[hidden]")


@by_each_door
def test_counts_that_cannot_be(door: Door) -> None:
    """Token counts of thousands of digits are unknown, so that no number of a report cannot be written."""
    body = '{"choices":[{"message":{"content":"no"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%s}}' % ("9" * 4200)
    ended = ask(door, HttpReply(body=body), budget=Budget(output_retries=0, max_total_tokens=10))
    assert ended.report.usage.input_tokens is None
    assert ended.report.render()


@contextmanager
def endless_nothing() -> Generator[str, None, None]:
    """A server whose reply decompresses to nothing, for as long as anybody reads it."""
    listener = socket.create_server(("127.0.0.1", 0))
    packer = zlib.compressobj(wbits=31)
    first = packer.compress(b"") + packer.flush(zlib.Z_SYNC_FLUSH)
    head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n"

    def serve() -> None:
        with suppress(OSError):
            sock, _ = listener.accept()
            with sock:
                sock.recv(65_536)
                sock.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(first), first))
                for _ in range(100):
                    sock.sendall(b"5\r\n\x00\x00\x00\xff\xff\r\n")
                    time.sleep(0.05)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.close()
        thread.join()


@pytest.mark.row("T07")
@by_each_door
def test_a_body_of_nothing_ends_at_the_deadline(door: Door) -> None:
    """Pieces that decompress to nothing are looked at as well."""
    with endless_nothing() as base_url, closing(OpenAIChat("m", base_url=base_url)) as model:
        ended = ask_of(door, model, settings=Settings(timeout=0.5), budget=ONCE)
    assert "timeout" == ended.error.error_type
    assert ended.seconds < 1.5


@by_each_door
def test_a_key_that_is_sent_back_is_hidden(door: Door) -> None:
    """The account's own key is taken out of an error, whatever it looks like; so is that of a user's client."""
    wrong = error(401, f"Incorrect API key provided: {KEY}.")
    with FakeServer(wrong, wrong) as server:
        client = (openai.AsyncOpenAI if door.is_async else openai.OpenAI)(base_url=server.base_url, api_key=KEY)
        with closing(OpenAIChat("m", base_url=server.base_url, api_key=KEY)) as model:
            ends = [ask_of(door, model, budget=ONCE), ask_of(door, OpenAIChat("m", client=client), client, budget=ONCE)]
    for ended in ends:
        assert "provided: [hidden]." in ended.report.summary
        assert KEY not in f"{ended.report.render()} {ended.report.model_dump_json()} {ended.report.exception!r}"


def test_a_header_that_cannot_be_sent() -> None:
    """A line end in a header is refused by its name; its value, which may be a key, is not shown."""
    with FakeServer() as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        agent = Agent(int, model=model, settings=Settings(extra_headers={"X-Tenant": f"{KEY}\nz"}))
        with pytest.raises(MisuseError, match=r"extra_headers\['X-Tenant'\]") as caught:
            agent.run("How many?")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("address", [f"http://me:{KEY} x@h/v1", f"https://u:a/{KEY}@h/v1", f"http://h/v1?sig={KEY}"])
def test_an_address_with_a_secret_is_not_pickled(address: str) -> None:
    """What may be a secret in an address keeps a model from being pickled."""
    with pytest.raises(TypeError, match="its address holds"):
        pickle.dumps(OpenAIChat("m", base_url=address))


@pytest.mark.parametrize(
    "reply, words",
    [
        (HttpReply(headers={"content-type": "application/json"}, body=f"{KEY} as text"), "no JSON but application/json"),
        (HttpReply(418, body={"choices": [{"message": {"content": KEY}}]}), "JSON that tells no message"),
        (HttpReply(headers={"content-type": "text/event-stream"}, body=f"data: {KEY}\n\n"), "broken JSON"),
    ],
    ids=["text", "error status", "stream"],
)
@by_each_door
def test_a_reply_is_not_quoted_in_an_error(door: Door, reply: HttpReply, words: str) -> None:
    """What may be words of the model stands in no error."""
    ended = ask(door, reply, budget=ONCE)
    assert words in ended.error.message
    assert KEY not in ended.report.render()


@pytest.mark.parametrize(
    "status, message, code",
    [
        (400, "reduce the length of the messages or of response_format", "context_length_exceeded"),
        (400, "API key not valid. See the docs of json_schema", None),
    ],
    ids=["overflow", "key"],
)
@by_each_door
def test_only_a_refused_request_steps_down(door: Door, status: int, message: str, code: str | None) -> None:
    """Another error that happens to speak of a field is no reason to ask in another way."""
    assert ask(door, error(status, message, code=code)).report.mode == "prompted"


def test_an_interrupted_call_is_accounted_for() -> None:
    """A cancelled run knows of the requests that may have been billed: the broken ones, and the one under way."""
    heard: list[tuple[int, bool]] = []

    def stopped(ctx: RunContext, reason: StopReason) -> None:
        heard.append((ctx.usage.uncertain_requests, ctx.usage.complete))

    async def main(base_url: str) -> None:
        agent = Agent(int, model=OpenAIChat("m", base_url=base_url), hooks=Hooks(on_stop=stopped))
        run = asyncio.ensure_future(agent.arun("How many?"))
        await asyncio.sleep(1.2)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    broken = HttpReply(reply=7, reset_after=3)
    with FakeServer(broken, SocketFault("silence")) as server:
        asyncio.run(main(server.base_url))
    assert [(2, False)] == heard


def test_what_a_cancelled_provider_raises_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A provider that raises while it is cancelled does not get its words into the loop's log."""

    class Bad(FunctionProvider):
        async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
            try:
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                raise ValueError(KEY) from None
            return ModelResponse()

    with caplog.at_level(logging.DEBUG):
        agent = Agent(int, model=Bad(lambda request: 7), budget=Budget(max_duration=0.1))
        outcome = asyncio.run(agent.asettle("How many?"))
    assert isinstance(outcome, Failure)
    assert KEY not in caplog.text


def test_accounts_are_not_kept_for_ever() -> None:
    """Of very many addresses only so many accounts are kept."""
    first = provider_named("http://127.0.0.1:9/0/v1#m")
    for number in range(1, 300):
        provider_named(f"http://127.0.0.1:9/{number}/v1#m")
    assert provider_named("http://127.0.0.1:9/0/v1#m") is not first


FORKS = """
import os, sys, threading, time
from settled.providers import named
from settled.runners import bridge

with named._lock, bridge._lock:  # as another thread of the parent would hold them
    child = os.fork()
    if not child:
        named.provider_named("ollama:x")
        async def seven():
            return 7
        assert bridge.await_elsewhere(seven()) == 7
        os._exit(0)
ends = time.monotonic() + 20
while time.monotonic() < ends:
    pid, status = os.waitpid(child, os.WNOHANG)
    if pid:
        sys.exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.02)
os.kill(child, 9)
sys.exit("the child hangs")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_locks_are_made_anew_after_a_fork() -> None:
    """A child can name models and run, also when another thread of its parent was about to."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], capture_output=True, text=True, timeout=40, check=False)
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize("path", ["~no-such-user-here/x.gguf"])
def test_a_home_that_there_is_not(path: str) -> None:
    """The path of a model in the home of nobody is misuse."""
    with pytest.raises(MisuseError, match="leads nowhere"):
        Agent(int, model=f"local:{path}").run("How many?")


def test_errors_can_be_hushed_twice() -> None:
    """Hiding a key changes the words and nothing else."""
    told = Error("auth", f"bad {KEY}", status_code=401)
    hushed = OpenAIChat("m", base_url="http://127.0.0.1:9/v1", api_key=KEY)._account.hushed(told)  # pyright: ignore[reportPrivateUsage]
    assert ("auth: bad [hidden]", 401, ("bad [hidden]",)) == (str(hushed), hushed.status_code, hushed.args)

"""S01 to S13, S15 and S19 over real HTTP: streams that are cut, split, silent, no streams at all, or left early."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, closing, suppress
from types import SimpleNamespace

import httpx2
import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import JsonValue
from pydantic_core import to_json
from tests.providers.doors import completion, error
from tests.providers.streamed import (
    EVENTS,
    REQUEST,
    TELLS_USAGE,
    Read,
    StreamDoor,
    SyncStreams,
    by_each_stream,
    calling,
    chunk,
    piece,
    reply,
    sse,
    take,
)

from settled import Agent, Capabilities, MisuseError, ModelResponse, ProviderError, Settings, Usage
from settled.modes.resolve import REPAIRED
from settled.providers import OpenAIChat, OpenAIResponses
from settled.testing import FakeServer, HttpReply, SocketFault
from settled.vocabulary.exchange import OutputFormat
from settled.vocabulary.streaming import StreamPart, TextChunk

OSLO, STOP = chunk({"content": "Oslo"}), chunk({}, "stop")
WHOLE = sse(OSLO, STOP)
LATE = 0.4  # seconds that a limit may be missed by
OMITS = Capabilities(finish_optional_in_stream=True)


def raw(
    body: bytes,
    *,
    headers: Mapping[str, str] = EVENTS,
    pieces: tuple[int, ...] = (9999,),
    cut_after: int | None = None,
    reset_after: int | None = None,
) -> HttpReply:
    """A body as it is, in chunks."""
    return HttpReply(headers=headers, body=body, pieces=pieces, cut_after=cut_after, reset_after=reset_after)


@pytest.mark.row("S01")
@pytest.mark.parametrize("ends", ["a chunk too few", "in good order", "reset"])
@by_each_stream
def test_s01_cut_off(door: StreamDoor, ends: str) -> None:
    """A stream that breaks off before its reason is an error of a kind, may have been billed, and what came was told."""
    cut = len(sse(OSLO, end=b""))
    broken = {
        "a chunk too few": raw(WHOLE, cut_after=cut),
        "in good order": reply(OSLO, end=b""),
        "reset": raw(WHOLE, reset_after=cut),
    }
    made = take(door, broken[ends])
    assert ("connection" if ends == "reset" else "stream_incomplete") == made.failure.kind
    assert (True, True) == (made.failure.retryable, made.failure.uncertain)
    assert "Oslo" == made.text


@pytest.mark.row("S01")
@by_each_stream
def test_s01_a_response_that_is_cut_off(door: StreamDoor) -> None:
    """A streamed Response that breaks off before its last event is incomplete, and what came was told."""
    made = take(door, HttpReply(reply="Oslo is the capital.", cut_after=2000), api=OpenAIResponses)
    assert "stream_incomplete" == made.failure.kind
    assert made.text
    assert "Oslo is the capital.".startswith(made.text)


@pytest.mark.row("S01")
@by_each_stream
def test_s01_cut_off_within_an_event(door: StreamDoor) -> None:
    """Half an event is no event."""
    made = take(door, raw(WHOLE, cut_after=WHOLE.index(b'"stop"')))
    assert ("stream_incomplete", "Oslo") == (made.failure.kind, made.text)


@pytest.mark.row("S02")
@pytest.mark.parametrize("pieces", [(1,), (7,), (40, 1, 1, 9999)], ids=str)
@by_each_stream
def test_s02_in_pieces(door: StreamDoor, pieces: tuple[int, ...]) -> None:
    """In pieces of any size, with other line ends too, a stream is read as the uncut one."""
    body = sse(chunk({"content": "blå 🦊"}), STOP)
    uncut = take(door, raw(body)).adds_up()
    for cut in (body, body.replace(b"\n", b"\r\n"), body.replace(b"\n", b"\r")):
        assert (uncut.text, uncut.whole) == ((made := take(door, raw(cut, pieces=pieces))).text, made.whole)


@pytest.mark.row("S03")
@pytest.mark.parametrize("cut", [0, 2, 3], ids=["no mark", "no blank line", "no line end"])
@by_each_stream
def test_s03_no_mark_of_the_end(door: StreamDoor, cut: int) -> None:
    """The reason is enough, also where the stream ends without its mark, or breaks off behind the reason."""
    body = sse(OSLO, STOP, end=b"")
    body = body[: len(body) - cut] if cut < 3 else body.rstrip(b"\n")
    assert "Oslo" == take(door, raw(body)).adds_up().text
    assert "Oslo" == take(door, raw(WHOLE, cut_after=len(body))).adds_up().text
    assert "Oslo" == take(door, raw(WHOLE, reset_after=len(sse(OSLO, STOP, end=b"")))).adds_up().text


@pytest.mark.row("S04")
@pytest.mark.parametrize("word", [None, ""], ids=["null", "empty"])
@by_each_stream
def test_s04_no_reason(door: StreamDoor, word: str | None) -> None:
    """A stream without a reason is incomplete, unless the server is known to tell none and sent the mark of the end."""
    events = [OSLO, chunk({}, word)]
    made = take(door, reply(*events))
    assert ("stream_incomplete", "Oslo") == (made.failure.kind, made.text)
    assert "without a finish reason" in made.failure.message
    known = take(door, reply(*events), known=OMITS).adds_up()
    assert ("Oslo", "unspecified", None) == (known.text, known.whole.finish_reason.kind, known.whole.finish_reason.raw)
    assert "stream_incomplete" == take(door, reply(*events, end=b""), known=OMITS).failure.kind


ERRORS: Mapping[str, tuple[bytes, str, str, bool]] = {
    "an object": (sse({"error": {"message": "oops", "code": "server_error"}}), "server", "oops", True),
    "an object of no kind": (sse({"error": {"message": "oops"}}), "bad_response", "oops", True),
    "a text": (sse({"error": "oops", "error_type": "generation"}), "bad_response", "oops", True),
    "a number": (sse({"error": {"message": "oops", "code": 429}}), "rate_limited", "oops", True),
    "a list": (sse([{"error": {"message": "oops", "status": "UNAVAILABLE"}}]), "overloaded", "oops", True),
    "beside a choice": (sse(chunk({}, "error", error={"code": 502, "message": "oops"})), "server", "oops", True),
    "a named event": (b'event: error\ndata: {"error": {"message": "oops"}}\n\n', "bad_response", "oops", True),
    "a flat named event": (
        b'event: error\ndata: {"type": "overloaded_error", "message": "oops"}\n\n', "overloaded", "oops", True,
    ),
    "a named text": (b"event: error\ndata: oops\n\n", "bad_response", "oops", True),
    "a named JSON text": (b'event: error\ndata: "oops"\n\n', "bad_response", "oops", True),
    "a named list": (b"event: error\ndata: []\n\n", "bad_response", "an error, without a message", True),
    "a named nothing": (b"event: error\ndata: {}\n\n", "bad_response", "without a message", True),
    "a flat object": (
        sse({"object": "error", "message": "maximum context length is 9", "code": 400}), "context_overflow", "is 9", False,
    ),
    "a message alone": (sse({"message": "oops", "code": "insufficient_quota"}), "quota", "oops", False),
    "a detail alone": (sse({"detail": [{"loc": ["body"], "msg": "oops"}]}), "bad_response", "body: oops", True),
    "a field": (b'error: {"code": 500, "message": "oops"}\n\n', "server", "oops", True),
}  # fmt: skip
"""A stream, the kind of its error, what that says, and whether to ask again."""


@pytest.mark.row("S05")
@pytest.mark.parametrize("stream, kind, said, again", ERRORS.values(), ids=ERRORS)
@by_each_stream
def test_s05_an_error_in_the_stream(door: StreamDoor, stream: bytes, kind: str, said: str, again: bool) -> None:
    """An error in any shape is of the kind that it names, with the server's message; what came before it was told."""
    made = take(door, raw(sse(OSLO, end=b"") + stream))
    assert (kind, again, True, "Oslo") == (made.failure.kind, made.failure.retryable, made.failure.uncertain, made.text)
    assert said in made.failure.message


@pytest.mark.row("S05")
@pytest.mark.parametrize(
    "fields, finish, text",
    [
        ({"code": "content_filter", "message": "no"}, "content_filter", ""),
        ({"code": "tool_use_failed", "failed_generation": "Oslo!"}, "stop", "Oslo!"),
    ],
    ids=["a filter", "what did not fit"],
)
@by_each_stream
def test_s05_an_error_that_is_a_reply(door: StreamDoor, fields: JsonValue, finish: str, text: str) -> None:
    """As for a reply in one piece, a filter is a reply that was filtered, and what did not fit is given back."""
    named = b"event: error\ndata: " + to_json({"error": fields}) + b"\n\n"
    for stream in (sse(OSLO, {"error": fields}), sse(OSLO, named)):
        made = take(door, raw(stream))
        assert (finish, text) == (made.whole.finish_reason.kind, made.whole.text)


@pytest.mark.row("S05")
@pytest.mark.parametrize("end", ["an error", "a filter", "cut", "reset"])
@by_each_stream
def test_s05_partial_usage(door: StreamDoor, end: str) -> None:
    """What a stream reported of its usage before it failed is told with the error, or with the reply that the error is."""
    used = {**OSLO, "usage": {"prompt_tokens": 11, "completion_tokens": 1}}
    begun, both = sse(used, end=b""), sse(used, OSLO, end=b"")
    stream = {
        "an error": raw(begun + sse({"error": {"message": "oops"}})),
        "a filter": raw(begun + sse({"error": {"code": "content_filter", "message": "no"}})),
        "cut": raw(begun),
        "reset": raw(both, reset_after=len(begun)),
    }[end]
    made = take(door, stream)
    told = made.whole.usage if end == "a filter" else made.failure.usage
    assert Usage(requests=1, input_tokens=11, output_tokens=1) == told
    assert made.response is not None or made.failure.uncertain, "more may be billed"


@pytest.mark.row("S05")
@by_each_stream
def test_s05_a_key_in_an_error(door: StreamDoor) -> None:
    """A key that an error repeats is taken out of it."""
    with FakeServer(raw(sse({"error": {"message": "bad key: my-secret-word"}}))) as server:
        model = OpenAIChat("m", base_url=server.base_url, api_key="my-secret-word")
        made = door.take(model)
        model.close()
    assert "bad key: [hidden]" in made.failure.message


@pytest.mark.row("S06")
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("alive", [True, False], ids=["signs of life", "nothing"])
def test_s06_idle(is_async: bool, alive: bool) -> None:
    """A stream that tells nothing for as long as the client waits for a read is given up, whatever comments come meanwhile."""
    comments = HttpReply(events=(sse(OSLO, end=b""), *[b": alive\n\n"] * 200), pause=0.02 if alive else 30.0)
    with FakeServer(comments) as server:
        begun = time.monotonic()
        made = _idle(server.base_url, is_async=is_async)
        took = time.monotonic() - begun
    assert ("timeout", True, True, "Oslo") == (made.failure.kind, made.failure.retryable, made.failure.uncertain, made.text)
    assert 0.3 <= took < 0.3 + LATE
    if alive or is_async:
        assert "idle for 0.3 s" in made.failure.message


def _idle(base_url: str, *, is_async: bool) -> Read:
    """What is read with a client that lets a read take 0.3 s."""
    limits = httpx2.Timeout(5.0, read=0.3)
    taken: list[StreamPart] = []

    async def read() -> None:
        client = AsyncOpenAI(base_url=base_url, api_key="any", timeout=limits)
        async with client, aclosing(OpenAIChat("m", client=client).astream(REQUEST, timeout=None)) as parts:
            async for part in parts:
                taken.append(part)

    try:
        if is_async:
            asyncio.run(read())
        else:
            with OpenAI(base_url=base_url, api_key="any", timeout=limits) as client:
                taken.extend(OpenAIChat("m", client=client).stream(REQUEST, timeout=None))
    except ProviderError as failed:
        return Read(tuple(taken) or (TextChunk("Oslo"),), error=failed)
    return Read(tuple(taken))


@pytest.mark.row("S06")
@by_each_stream
def test_s06_the_deadline_of_the_whole(door: StreamDoor) -> None:
    """A stream that goes on and on ends with its deadline; so does one of which not even the headers come."""
    endless = HttpReply(events=(sse(OSLO, end=b""),) * 200, pause=0.02)
    begun = time.monotonic()
    made = take(door, endless, timeout=0.3)
    assert 0.3 <= time.monotonic() - begun < 0.3 + LATE
    assert ("timeout", "no whole answer in time") == (made.failure.kind, made.failure.message)
    begun = time.monotonic()
    assert "timeout" == take(door, SocketFault("silence"), timeout=0.3).failure.kind
    assert time.monotonic() - begun < 0.3 + LATE


@pytest.mark.row("S06")
def test_s06_silence_under_a_deadline() -> None:
    """An event loop notices at the deadline that nothing comes any more."""

    async def read(base_url: str) -> None:
        model = OpenAIChat("m", base_url=base_url)
        async with aclosing(model.astream(REQUEST, timeout=0.3)) as parts:
            async for _ in parts:
                pass

    with FakeServer(HttpReply(events=(sse(OSLO, end=b""), WHOLE), pause=30.0)) as server:
        begun = time.monotonic()
        with pytest.raises(ProviderError, match="no whole answer in time"):
            asyncio.run(read(server.base_url))
        assert 0.3 <= time.monotonic() - begun < 0.3 + LATE


@pytest.mark.row("S06")
def test_s06_the_consumers_time_does_not_count() -> None:
    """What is done between two parts is taken from no limit, in a thread and in an event loop."""

    def in_a_thread(base_url: str) -> int:
        with closing(OpenAIChat("m", base_url=base_url)) as model:
            count = 0
            for _ in model.stream(REQUEST, timeout=0.3):
                time.sleep(0.15)
                count += 1
            return count

    async def in_a_loop(base_url: str) -> int:
        model, count = OpenAIChat("m", base_url=base_url), 0
        async for _ in model.astream(REQUEST, timeout=0.3):
            await asyncio.sleep(0.15)
            count += 1
        return count

    with FakeServer(*[reply(OSLO, OSLO, OSLO, STOP, pieces=(150,))] * 2) as server:
        assert 4 == in_a_thread(server.base_url)
        assert 4 == asyncio.run(in_a_loop(server.base_url))


@pytest.mark.row("S07")
@by_each_stream
def test_s07_events_without_data(door: StreamDoor) -> None:
    """Blocks of ``retry`` or ``id`` alone, comments and empty data are passed over."""
    nothing = b"retry: 10\n\nid: 7\n\n: hello\n\ndata:\n\ndata\n\n"
    made = take(door, raw(nothing + sse(OSLO, nothing, STOP)))
    assert "Oslo" == made.adds_up().text


@pytest.mark.row("S08")
@pytest.mark.parametrize(
    "event, said",
    [(b"data: {oops}\n\n", "no JSON: 6 bytes"), (b"data: [1]\n\n", "a JSON list"), (b"data: \xff\xfe\n\n", "no JSON: 2 bytes")],
    ids=["no JSON", "no object", "no text"],
)
@by_each_stream
def test_s08_an_event_that_is_no_json(door: StreamDoor, event: bytes, said: str) -> None:
    """An event that cannot be read is a typed error that does not quote it, and nothing is left out in silence."""
    made = take(door, raw(sse(OSLO, event, STOP)))
    assert ("bad_response", "Oslo") == (made.failure.kind, made.text)
    assert said in made.failure.message
    assert "oops" not in made.failure.message


@pytest.mark.row("S08")
def test_s08_a_deep_event() -> None:
    """Nesting without end is an error of the reply, in fields that are read and in others."""
    deep = b"[" * 100_000
    for event in (b'data: {"x":' + deep, b'data: {"choices":[{"delta":{"tool_calls":' + deep):
        assert "bad_response" == take(SyncStreams(), raw(sse(event + b"\n\n"))).failure.kind
    told = b'data: {"detail":' + b"[" * 600 + b"]" * 600 + b"}\n\n"
    failure = take(SyncStreams(), raw(sse(told))).failure  # how much is too deep is for the interpreter to say
    assert "nested too deeply" in failure.message or "HTTP 200 with an error" in failure.message


@pytest.mark.row("S08")
def test_s08_deep_arguments() -> None:
    """Arguments that are an object, nested as deep as can be read, are an error or a call, and nothing else."""
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    event = b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":' + deep + b"}}]}}]}\n\n"
    made = take(SyncStreams(), raw(sse(event, STOP)))
    assert made.error is None or made.failure.kind == "bad_response"


@pytest.mark.row("S09")
@by_each_stream
def test_s09_a_mark_of_the_byte_order(door: StreamDoor) -> None:
    """A mark in front is no part of the first event, also where it comes in pieces."""
    for pieces in ((1,), (9999,)):
        assert "Oslo" == take(door, raw(b"\xef\xbb\xbf" + WHOLE, pieces=pieces)).adds_up().text


@pytest.mark.row("S10")
@pytest.mark.parametrize("headers", [{}, EVENTS, {"content-type": "text/plain"}], ids=["json", "events", "text"])
@by_each_stream
def test_s10_json_in_place_of_a_stream(door: StreamDoor, headers: Mapping[str, str]) -> None:
    """A reply in one piece is read as such, by what it is and not by what its headers say; its parts are told, too."""
    body = b"\xef\xbb\xbf \r\n" + to_json(completion("Oslo"))
    made = take(door, raw(body, headers=headers, pieces=(3,))).adds_up()
    assert ("Oslo", 11) == (made.text, made.whole.usage.input_tokens)
    assert ([] if not headers else [f"content_type:{headers['content-type'].split(';')[0]}"]) == list(made.whole.remarks)


NO_STREAM: Mapping[str, tuple[HttpReply, str, str]] = {
    "an error": (HttpReply(body={"error": {"message": "oops", "code": 503}}), "overloaded", "oops"),
    "a page": (HttpReply(headers={"content-type": "text/html"}, body="<html>Sign in</html>"), "bad_response", "Sign in"),
    "a text": (HttpReply(headers=EVENTS, body="Oslo is said here"), "bad_response", "17 characters"),
    "nothing": (HttpReply(body=""), "bad_response", "the reply is empty"),
    "no event": (HttpReply(headers=EVENTS, body=""), "stream_incomplete", "before the reply did"),
    "a comment": (HttpReply(headers=EVENTS, body=":\n\n"), "stream_incomplete", "before the reply did"),
    "cut JSON": (HttpReply(body=to_json(completion("Oslo")), cut_after=40), "stream_incomplete", "broke off"),
    "HTTP 503": (error(503, "come back later"), "overloaded", "HTTP 503: come back later"),
    "HTTP 429": (error(429, "slow down", headers={"retry-after": "90"}), "rate_limited", "HTTP 429"),
    "HTTP 302": (HttpReply(302, {"location": "http://127.0.0.1:9/"}, body=""), "invalid_request", "HTTP 302"),
    "HTTP 400": (error(400, "unknown parameter: stream_options"), "invalid_request", "stream_options"),
}
"""A reply, the kind of its error, and what that says."""


@pytest.mark.row("S10")
@pytest.mark.parametrize("answer, kind, said", NO_STREAM.values(), ids=NO_STREAM)
@by_each_stream
def test_s10_what_is_no_reply_either(door: StreamDoor, answer: HttpReply, kind: str, said: str) -> None:
    """Pages, errors and statuses are what they are for `request`, with the same words."""
    made = take(door, answer)
    assert kind == made.failure.kind
    assert said in made.failure.message


@pytest.mark.row("S10")
@by_each_stream
def test_s10_a_status_with_a_client_of_ones_own(door: StreamDoor) -> None:
    """An error status is read, also where an HTTP client without our hooks is used."""
    with FakeServer(error(503, "come back later")) as server:
        own = httpx2.Client() if isinstance(door, SyncStreams) else httpx2.AsyncClient()
        model = OpenAIChat("m", base_url=server.base_url, http_client=own)
        made = door.take(model)
        model.close()
    assert ("overloaded", 503) == (made.failure.kind, made.failure.status_code)


@pytest.mark.row("S10")
@by_each_stream
def test_s10_an_error_status_that_is_a_reply(door: StreamDoor) -> None:
    """A filter that refuses the request with HTTP 400 is a reply that was filtered."""
    made = take(door, error(400, code="content_filter"))
    assert "content_filter" == made.whole.finish_reason.kind


@pytest.mark.row("S10")
@by_each_stream
def test_s10_a_refused_field_is_learned(door: StreamDoor) -> None:
    """A server that refuses to be asked for the usage by name is asked without; the next request is the same but for that."""
    with FakeServer(error(400, "Unknown field: stream_options"), reply(OSLO, STOP)) as server:
        model = OpenAIChat("m", base_url=server.base_url, capabilities=TELLS_USAGE)
        failed = door.take(model).failure
        assert failed.feature in REPAIRED
        model.learn(failed.feature or "", "native")
        assert "Oslo" == door.take(model).text
        model.close()
    assert [True, False] == ["stream_options" in (request.body or {}) for request in server.requests]
    assert [True, True] == [(request.body or {}).get("stream") for request in server.requests]


@pytest.mark.row("S11")
@by_each_stream
def test_s11_calls_are_never_merged(door: StreamDoor) -> None:
    """Two ids on one index are two calls, whatever else is missing."""
    pieces = [calling(piece('{"a":1}', name="f", index=0, id=f"c{number}")) for number in (1, 2)]
    made = take(door, reply(*pieces, chunk({}, "tool_calls"))).adds_up()
    assert [("c1", "f", '{"a":1}'), ("c2", "f", '{"a":1}')] == made.calls


@pytest.mark.row("S12")
@by_each_stream
def test_s12_usage(door: StreamDoor) -> None:
    """Usage is asked for where the service is known to tell it, and is counted; else it is unknown, not 0."""
    told = take(door, "Oslo")
    assert (11, 7, True) == (told.whole.usage.input_tokens, told.whole.usage.output_tokens, told.whole.usage.complete)
    assert {"include_usage": True} == (told.requests[0].body or {})["stream_options"]
    unknown = take(door, "Oslo", known=None)
    assert (None, False) == (unknown.whole.usage.input_tokens, unknown.whole.usage.complete)
    assert "stream_options" not in (unknown.requests[0].body or {})


@pytest.mark.row("S13")
@by_each_stream
def test_s13_events_behind_the_end(door: StreamDoor) -> None:
    """What follows the mark of the end is ignored, whatever it is, and the response is closed without waiting for it."""
    more = (WHOLE, b"data: {oops}\n\n", sse({"error": {"message": "oops"}}), sse(OSLO))
    assert "Oslo" == take(door, HttpReply(events=more)).adds_up().text
    assert "Oslo" == take(door, HttpReply(events=(b"".join(more),))).adds_up().text
    assert "Oslo" == take(door, HttpReply(events=(WHOLE, *[sse(OSLO)] * 500))).adds_up().text
    begun = time.monotonic()
    assert "Oslo" == take(door, HttpReply(events=(WHOLE, *[sse(OSLO)] * 50), pause=30.0)).adds_up().text
    assert "Oslo" == take(door, HttpReply(events=(WHOLE, *[sse(OSLO)] * 500), pause=0.01)).adds_up().text
    assert time.monotonic() - begun < 2.0


@pytest.mark.row("S13")
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_s13_the_connection_is_used_again(is_async: bool) -> None:
    """A stream that was read to its end leaves a connection for the next request."""
    with FakeServer("Oslo", "Oslo", "Oslo") as server:
        model = OpenAIChat("m", base_url=server.base_url)

        async def thrice() -> None:
            for _ in range(3):
                async for _ in model.astream(REQUEST):
                    pass
            await model.aclose()

        if is_async:
            asyncio.run(thrice())
        else:
            for _ in range(3):
                list(model.stream(REQUEST))
            model.close()
        assert 1 == server.connections


@pytest.mark.row("S13")
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_s13_nothing_is_read_behind_the_end_over_http_2(is_async: bool) -> None:
    """Over HTTP/2 a stream can be closed alone, so nothing behind its end is waited for."""
    taken: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        for one in (WHOLE, sse(OSLO)):
            taken.append(one)
            yield one

    async def apieces() -> AsyncIterator[bytes]:
        for one in pieces():
            yield one

    def answer(request: httpx2.Request) -> httpx2.Response:
        body = apieces() if is_async else pieces()
        return httpx2.Response(200, headers=EVENTS, content=body, extensions={"http_version": b"HTTP/2"})

    async def read() -> Read:
        model = OpenAIChat("m", http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(answer)), api_key="any")
        parts = [part async for part in model.astream(REQUEST)]
        await model.aclose()
        return Read(tuple(parts))

    if is_async:
        made = asyncio.run(read())
    else:
        with closing(OpenAIChat("m", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)), api_key="any")) as model:
            made = Read(tuple(model.stream(REQUEST)))
    assert ("Oslo", [WHOLE]) == (made.text, taken)


@pytest.mark.row("S15")
@by_each_stream
def test_s15_left_early(door: StreamDoor) -> None:
    """Who leaves a stream closes the response: the place at the gate is free, and the next request is answered."""
    endless = HttpReply(events=(sse(OSLO, end=b""),) * 1000, pause=0.01)
    with FakeServer(endless, "Oslo") as server:
        model = OpenAIChat("m", base_url=server.base_url, max_concurrency=1)
        begun = time.monotonic()
        assert "OsloOslo" == door.take(model, most=2).text
        assert "Oslo" == door.take(model).text
        model.close()
    assert time.monotonic() - begun < 2.0


@pytest.mark.row("S15")
def test_s15_no_connection_is_kept_busy() -> None:
    """With room for one connection only, one that was left, failed or cancelled has gone back."""
    endless = HttpReply(events=(sse(OSLO, end=b""),) * 1000, pause=0.01)

    async def main(base_url: str) -> list[str]:
        ended: list[str] = []
        own = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=1))
        model = OpenAIChat("m", base_url=base_url, http_client=own)

        async def read(most: int) -> None:
            async with aclosing(model.astream(REQUEST, timeout=5.0)) as parts:
                count = 0
                async for _ in parts:
                    count += 1
                    if count == most:
                        raise KeyError("the consumer's own")

        with suppress(KeyError):
            await read(2)
        task = asyncio.ensure_future(read(-1))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait([task])
        ended.append("cancelled" if task.cancelled() else "not cancelled")
        with suppress(ProviderError):
            await read(-1)
        async for part in model.astream(REQUEST, timeout=5.0):
            if isinstance(part, ModelResponse):
                ended.append(part.text)
        await own.aclose()
        return ended

    with FakeServer(endless, endless, raw(sse({"error": {"message": "oops"}})), "Oslo") as server:
        assert ["cancelled", "Oslo"] == asyncio.run(main(server.base_url))


@pytest.mark.row("S15")
def test_s15_dropped_without_closing() -> None:
    """A stream that is dropped is closed when it is collected, in a thread at once."""
    endless = HttpReply(events=(sse(OSLO, end=b""),) * 1000, pause=0.01)
    with FakeServer(endless, "Oslo") as server:
        model = OpenAIChat("m", base_url=server.base_url, max_concurrency=1)
        assert isinstance(next(model.stream(REQUEST)), TextChunk)
        gc.collect()
        assert "Oslo" == SyncStreams().take(model).text
        model.close()


@pytest.mark.row("S19")
@by_each_stream
def test_s19_refused_and_filtered(door: StreamDoor) -> None:
    """A refusal adds up; a filter in the midst of JSON is the reason, beside what was said until then."""
    refused = take(door, reply(chunk({"refusal": "I can"}), chunk({"refusal": "not."}), STOP))
    assert ("I cannot.", (), ()) == (refused.whole.refusal, refused.parts, refused.whole.parts)
    filtered = take(door, reply(chunk({"content": '{"name": "Os'}), chunk({}, "content_filter")))
    assert ("content_filter", '{"name": "Os') == (filtered.whole.finish_reason.kind, filtered.whole.text)


@by_each_stream
def test_a_stream_has_a_cap(door: StreamDoor) -> None:
    """One event, a body in one piece, and the whole of a stream, which weighs more than a body, are read up to a cap."""
    one, many = raw(sse(chunk({"content": "x" * 3000}))), raw(sse(*[OSLO] * 100), pieces=(100,))
    whole = HttpReply(body=completion("x" * 3000), chunked=True)
    for answer, what in ((one, "an event of the stream"), (many, "the stream is larger than 8000"), (whole, "the reply")):
        made = take(door, answer, most_bytes=2000)
        assert ("bad_response", False) == (made.failure.kind, made.failure.retryable)
        assert what in made.failure.message


@by_each_stream
def test_a_wait_shuts_the_gate(door: StreamDoor) -> None:
    """A service that asks for a wait is left alone by streams and other requests on the same account."""
    with FakeServer(error(429, headers={"retry-after": "90"})) as server:
        model = OpenAIChat("m", base_url=server.base_url)
        assert "rate_limited" == door.take(model).failure.kind
        assert "longer than this request may take" in door.take(model, timeout=1.0).failure.message
        model.close()


@by_each_stream
def test_compressed(door: StreamDoor) -> None:
    """A compressed stream is read as it comes."""
    assert "Oslo" == take(door, HttpReply(events=(sse(OSLO, end=b""), sse(STOP)), gzip=True)).adds_up().text


@by_each_stream
def test_the_same_headers(door: StreamDoor) -> None:
    """A stream is sent with the same key for its idempotency as the request in one piece, and the caller's own fields."""
    settings = Settings(extra_headers={"x-team": "a"}, extra_body={"stream_options": {"include_usage": False}, "stream": False})
    request = REQUEST.changed(settings=settings)
    with FakeServer("Oslo", "Oslo") as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        model.request(request)
        assert "Oslo" == next(part for part in model.stream(request) if isinstance(part, ModelResponse)).text
    first, second = server.requests
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert ("a", {"include_usage": False}, True) == (
        second.headers["x-team"],
        (second.body or {})["stream_options"],
        (second.body or {})["stream"],
    )


def test_a_server_that_streams_no_schema() -> None:
    """Where a schema is known not to be streamed (Groq), the reply comes whole, and is told as a stream all the same."""
    known = Capabilities(stream_json_schema=False)
    held = REQUEST.changed(mode="native", output_format=OutputFormat(name="A", json_schema={"type": "object"}))

    async def read(model: OpenAIChat) -> list[StreamPart]:
        return [part async for part in model.astream(held)]

    with FakeServer(*["{}"] * 3) as server, closing(OpenAIChat("m", base_url=server.base_url, capabilities=known)) as model:
        made = [list(model.stream(held)), asyncio.run(read(model)), list(model.stream(REQUEST))]
    assert [None, None, True] == [(request.body or {}).get("stream") for request in server.requests]
    assert [["{}", "{}"]] * 3 == [[getattr(part, "text", None) for part in parts] for parts in made]


def test_a_client_that_only_creates() -> None:
    """What has no ``post`` is asked for the whole reply, which is told as a stream."""
    made = completion("Oslo", model="m")

    def create(**asked: object) -> dict[str, object]:
        assert "stream" not in asked
        return made

    async def acreate(**asked: object) -> dict[str, object]:
        return create(**asked)

    def client(call: object) -> object:
        return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=call)))

    async def read(model: OpenAIChat) -> list[StreamPart]:
        return [part async for part in model.astream(REQUEST)]

    ours, theirs = OpenAIChat("m", client=client(create)), OpenAIChat("m", client=client(acreate))  # type: ignore[arg-type]
    for parts in (list(ours.stream(REQUEST)), asyncio.run(read(theirs))):
        assert [TextChunk("Oslo"), "Oslo"] == [parts[0], getattr(parts[1], "text", None)]
    with pytest.raises(MisuseError):
        list(theirs.stream(REQUEST))


def test_a_run_in_one_piece_asks_for_no_stream() -> None:
    """`run` does not stream."""
    with FakeServer(7) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        assert 7 == Agent(int, model=model).run("How many?")
    assert "stream" not in (server.requests[0].body or {})

"""Streams for tests: how servers write them, and what is read in them, with and without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, closing
from typing import NamedTuple, Protocol

import pytest
from pydantic_core import to_json

from settled import Capabilities, Message, ModelRequest, ModelResponse, ProviderError
from settled.providers import OpenAIChat, OpenAIResponses
from settled.providers.chat_stream import ChatEvents
from settled.providers.envelope import read_reply
from settled.providers.responses_envelope import read_response
from settled.providers.responses_stream import ResponsesEvents
from settled.providers.stream_reading import Accumulator, StreamReader
from settled.testing import FakeServer, HttpReply, ReceivedRequest
from settled.vocabulary.streaming import CallChunk, ReasoningChunk, StreamPart, TextChunk

EVENTS: Mapping[str, str] = {"content-type": "text/event-stream; charset=utf-8"}
REQUEST = ModelRequest(messages=(Message.user("The capital of Norway?"),), mode="text")
TELLS_USAGE = Capabilities(stream_usage="enforced")
DONE = b"data: [DONE]\n\n"
Api = type[OpenAIChat] | type[OpenAIResponses]


def chunk(delta: object = None, finish: object = None, **fields: object) -> dict[str, object]:
    """A chunk of a Chat Completion with one choice."""
    choice: dict[str, object] = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **fields}


def calling(*calls: object, **more: object) -> dict[str, object]:
    """A chunk with pieces of calls."""
    return chunk({"tool_calls": [*calls], **more})


def piece(arguments: object = None, *, name: object = None, **fields: object) -> dict[str, object]:
    """A piece of a call: of its function only what is given."""
    given = {"name": name, "arguments": arguments}
    return {**fields, "function": {key: value for key, value in given.items() if value is not None}}


def sse(*events: object, end: bytes = DONE) -> bytes:
    """Events as a server sends them; bytes as they are."""
    return b"".join(one if isinstance(one, bytes) else b"data: " + to_json(one) + b"\n\n" for one in events) + end


class Read(NamedTuple):
    """What was read in a stream."""

    parts: tuple[StreamPart, ...] = ()
    """All parts but the last."""
    response: ModelResponse | None = None
    """The last part."""
    error: ProviderError | None = None
    """What ended it instead."""
    requests: tuple[ReceivedRequest, ...] = ()
    """What the server was asked."""
    connections: int = 0
    """How many connections it accepted."""

    @property
    def whole(self) -> ModelResponse:
        """The response that there must be."""
        assert self.error is None, self.error
        assert self.response is not None
        return self.response

    @property
    def failure(self) -> ProviderError:
        """The error that there must be."""
        assert self.response is None, "no whole reply comes with an error"
        assert self.error is not None
        return self.error

    @property
    def text(self) -> str:
        """The pieces of text together."""
        return "".join(part.text for part in self.parts if isinstance(part, TextChunk))

    @property
    def reasoning(self) -> str:
        """The pieces of thought together."""
        return "".join(part.text for part in self.parts if isinstance(part, ReasoningChunk))

    @property
    def calls(self) -> list[tuple[str, str, str]]:
        """Id, name and arguments of each call, put together from its pieces; each must be known from its last piece."""
        found: list[tuple[str, str, str]] = []
        for part in self.parts:
            if isinstance(part, CallChunk):
                assert part.index <= len(found), "calls come in order"
                before = found.pop(part.index)[2] if part.index < len(found) else ""
                found.insert(part.index, (part.id, part.name, before + part.arguments))
        return found

    def adds_up(self) -> Read:
        """Itself, after it was seen that the pieces are what the whole reply holds."""
        whole = self.whole
        assert (whole.text, whole.reasoning) == (self.text, self.reasoning)
        assert [(call.id, call.name, call.arguments) for call in whole.tool_calls] == self.calls
        return self


def _read(made: Callable[[], Iterator[StreamPart]]) -> Read:
    parts: list[StreamPart] = []
    try:
        parts.extend(made())
    except ProviderError as error:
        return Read(tuple(parts), error=error)
    assert not any(isinstance(part, ModelResponse) for part in parts[:-1])
    last = parts.pop()
    assert isinstance(last, ModelResponse)
    return Read(tuple(parts), last)


def read(
    body: bytes,
    sizes: Sequence[int] = (),
    *,
    api: Api = OpenAIChat,
    known: Capabilities = TELLS_USAGE,
    headers: Mapping[str, str] = EVENTS,
    most_bytes: int = 100_000,
) -> Read:
    """What is read in a body, without a socket, cut into pieces of these sizes; the rest comes at once."""
    told = {**headers, "content-type": "application/json"}
    chat = api is OpenAIChat
    events: Accumulator = ChatEvents(told, known, "m") if chat else ResponsesEvents(told, known, "m")

    def whole(held: bytes) -> ModelResponse:
        return (read_reply if chat else read_response)(held, headers, known, "m")

    def made() -> Iterator[StreamPart]:
        reader = StreamReader(events, whole, headers, most_bytes=most_bytes)
        start = 0
        for size in (*sizes, len(body)):
            if start < len(body) and not reader.is_over:
                yield from reader.feed(body[start : start + size])
            start += size
        yield from reader.end()

    return _read(made)


class StreamDoor(Protocol):
    """One way to drive a provider."""

    def take(self, model: OpenAIChat | OpenAIResponses, timeout: float | None = 10.0, most: int | None = None) -> Read:
        """What comes, or the first so many parts, whereupon it is left."""
        raise NotImplementedError


class SyncStreams:
    """`stream`, in this thread."""

    def take(self, model: OpenAIChat | OpenAIResponses, timeout: float | None = 10.0, most: int | None = None) -> Read:
        """What comes."""
        if most is None:
            return _read(lambda: model.stream(REQUEST, timeout=timeout))
        with closing(model.stream(REQUEST, timeout=timeout)) as parts:
            return Read(tuple(next(parts) for _ in range(most)))


class AsyncStreams:
    """`astream`, in a loop that ends with it."""

    def take(self, model: OpenAIChat | OpenAIResponses, timeout: float | None = 10.0, most: int | None = None) -> Read:
        """What comes."""
        taken: list[StreamPart] = []

        async def main() -> None:
            async with aclosing(model.astream(REQUEST, timeout=timeout)) as parts:
                async for part in parts:
                    taken.append(part)
                    if len(taken) == most:
                        return

        def made() -> Iterator[StreamPart]:
            try:
                asyncio.run(main())
            finally:
                yield from taken

        return _read(made) if most is None else (asyncio.run(main()), Read(tuple(taken)))[1]


by_each_stream = pytest.mark.parametrize("door", [SyncStreams(), AsyncStreams()], ids=["sync", "async"])
"""The test is run by both doors."""


def take(
    door: StreamDoor,
    *replies: object,
    api: Api = OpenAIChat,
    known: Capabilities | None = TELLS_USAGE,
    timeout: float | None = 10.0,
    most_bytes: int = 1_000_000,
) -> Read:
    """What is read over a socket, when a server gives these replies to as many streams; the last one is told."""
    with FakeServer(*replies, model="m", chunk=5) as server:
        model = api("m", base_url=server.base_url, capabilities=known, max_response_bytes=most_bytes)
        with closing(model):
            taken = [door.take(model, timeout) for _ in replies][-1]
        return taken._replace(requests=server.requests, connections=server.connections)


def reply(*events: object, end: bytes = DONE, pieces: tuple[int, ...] = ()) -> HttpReply:
    """A stream as a reply of the server."""
    return HttpReply(events=(sse(*events, end=end),), pieces=pieces)

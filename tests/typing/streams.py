"""Streams: what their iterators give. Read by type checkers; nothing here is called."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from pydantic import BaseModel
from typing_extensions import assert_type

from settled import Agent, Budget, Failure, GaveUp, Success, Usage
from settled.streaming import (
    AsyncStream,
    Draft,
    ItemError,
    NodeClosed,
    Restarted,
    Settled,
    StepFinished,
    Stream,
    StreamEvent,
    TextDelta,
    ToolFinished,
    ToolStarted,
)


class City(BaseModel):
    name: str


agent = Agent(City)
cities = Agent(list[City], failure_type=GaveUp)


def streams() -> None:
    with agent.stream("Oslo?", budget=Budget(), restart="again") as stream:
        assert_type(stream, Stream[City, None])
        assert_type(stream.drafts(), Iterator[Draft])
        assert_type(stream.items("$.a", City), Iterator[City])
        assert_type(stream.items(("a", 0), list[int]), Iterator[list[int]])
        assert_type(stream.field("name", str), str)
        assert_type(stream.outcome(), Success[City] | Failure[None])
        assert_type(stream.output(), City)
        assert_type(stream.usage, Usage)
        assert_type(stream.item_errors, list[ItemError])
        for event in stream.events():
            assert_type(event, StreamEvent)
            if isinstance(event, TextDelta):
                assert_type(event.text, str)
            elif isinstance(event, (ToolStarted, ToolFinished)):
                assert_type(event.call.name, str)
            elif isinstance(event, Restarted):
                assert_type(event.attempt, int)
            elif isinstance(event, StepFinished):
                assert_type(event.usage, Usage)
            elif isinstance(event, NodeClosed):
                assert_type(event.path, tuple[str | int, ...])
            elif isinstance(event, Settled):
                assert_type(event.outcome, Success[object] | Failure[object])


def items() -> None:
    with cities.stream("Cities?") as stream:
        assert_type(stream.items(), Iterator[City])
        assert_type(stream.items(on_item_error="collect"), Iterator[City])
        for city in stream.items():
            assert_type(city, City)
        assert_type(stream.outcome(), Success[list[City]] | Failure[GaveUp])


async def async_streams() -> None:
    async with cities.astream("Cities?") as stream:
        assert_type(stream, AsyncStream[list[City], GaveUp])
        assert_type(stream.items(), AsyncIterator[City])
        assert_type(stream.items("$", City, on_item_error="skip"), AsyncIterator[City])
        assert_type(stream.drafts(), AsyncIterator[Draft])
        assert_type(await stream.field("$[0].name", str), str)
        assert_type(await stream.outcome(), Success[list[City]] | Failure[GaveUp])
        assert_type(await stream.output(), list[City])
        async for event in stream.events():
            assert_type(event, StreamEvent)


def passed_on(stream: Stream[City]) -> City:
    return stream.output()

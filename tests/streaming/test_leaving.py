"""Streams that are left early, by break, by an exception or by cancellation; slow consumers; time that is over."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.streaming.doors import Door, OnlyAsync, OnlySync, by_both
from tests.streaming.test_streams import failed_code
from tests.support import City, cancel_to_the_end

from settled import (
    Agent,
    Budget,
    Failure,
    Hooks,
    ModelRequest,
    ModelResponse,
    ProviderError,
    RunContext,
    StopReason,
    Success,
    Usage,
)
from settled.core.events import Interrupted, RunEnded, RunStarted
from settled.streaming import AsyncStream, NodeClosed
from settled.streaming.aio import Lent
from settled.testing import ScriptedProvider
from settled.testing.fake import ABLE
from settled.vocabulary.stop import Cancelled
from settled.vocabulary.streaming import StreamPart, in_pieces

OSLO = '{"name":"Oslo","people":700000}'
WHOLE = ModelResponse.of(OSLO)


class Source:
    """A provider that notes how its streams end, and lets time pass between two parts."""

    name = model = "source"

    def __init__(self, *, wait: float = 0.0, size: int = 4) -> None:
        self.ends: list[str] = []
        self.given = 0
        self._wait, self._size = wait, size

    def capabilities(self) -> Any:
        """Everything."""
        return ABLE

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """The answer."""
        return WHOLE

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """The answer."""
        return WHOLE

    def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
        """The answer, in pieces."""
        try:
            for part in in_pieces(WHOLE, self._size):
                time.sleep(self._wait)
                self.given += 1
                yield part
        except GeneratorExit:
            self.ends.append("closed")
            raise
        self.ends.append("over")

    async def astream(self, request: ModelRequest, /, *, timeout: float | None) -> AsyncIterator[StreamPart]:
        """The answer, in pieces."""
        try:
            for part in in_pieces(WHOLE, self._size):
                await asyncio.sleep(self._wait)
                self.given += 1
                yield part
        except (GeneratorExit, asyncio.CancelledError) as leaving:
            self.ends.append("closed" if isinstance(leaving, GeneratorExit) else "cancelled")
            raise
        self.ends.append("over")


def cancelled_by(outcome: Success[Any] | Failure[Any]) -> str:
    """What cancelled a run."""
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.report.stop_reason, Cancelled)
    return outcome.report.stop_reason.by


@pytest.mark.row("S15")
def test_s15_leaving_early() -> None:
    """Leaving the block gives the stream back, tells observers and on_stop, and the run has ended as cancelled."""
    source, heard, stopped = Source(), list[object](), list[object]()
    agent = Agent(City, observers=[heard.append], hooks=Hooks(on_stop=lambda ctx, reason: stopped.append(reason)))
    with agent.stream("Go.", model=source) as stream:
        for _ in stream.drafts():
            break
    assert ["closed"] == source.ends
    assert "leaving the stream" == cancelled_by(stream.outcome())
    assert isinstance(heard[0], RunStarted)
    assert [Interrupted, RunEnded] == [type(event) for event in heard[-2:]]
    assert 1 == len(stopped)
    assert (1, False) == (stream.usage.uncertain_requests, stream.usage.complete)
    stream.close()


@pytest.mark.row("S15")
def test_s15_leaving_early_async() -> None:
    """The same from an event loop."""

    async def main() -> None:
        source, stopped = Source(), list[object]()

        async def on_stop(ctx: object, reason: object) -> None:
            await asyncio.sleep(0)
            stopped.append(reason)

        async with Agent(City, hooks=Hooks(on_stop=on_stop)).astream("Go.", model=source) as stream:
            async for _ in stream.drafts():
                break
        assert ["closed"] == source.ends
        assert "leaving the stream" == cancelled_by(await stream.outcome())
        assert 1 == len(stopped)
        await stream.aclose()

    asyncio.run(main())


@pytest.mark.row("S15")
@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt], ids=["error", "interrupt"])
def test_s15_an_exception_in_the_consumer(raised: type[BaseException]) -> None:
    """An exception of the consumer's goes through, and the run was cancelled by it."""
    source = Source()
    stream = Agent(City).stream("Go.", model=source)

    def read() -> None:
        with stream:
            for _ in stream.events():
                raise raised

    with pytest.raises(raised):
        read()
    assert (["closed"], raised.__name__) == (source.ends, cancelled_by(stream.outcome()))


@pytest.mark.row("S15")
def test_s15_cancellation() -> None:
    """A task that is cancelled while it waits for a part: the stream is given back, and the cancellation goes through."""

    async def main() -> None:
        source, heard = Source(wait=0.01), list[object]()
        stream = Agent(City, observers=[heard.append]).astream("Go.", model=source)

        async def read() -> None:
            async with stream:
                async for _ in stream.events():
                    pass

        reading = asyncio.create_task(read())
        await asyncio.sleep(0.03)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert ["cancelled"] == source.ends
        assert "CancelledError" == cancelled_by(await stream.outcome())
        assert isinstance(heard[-1], RunEnded)

    asyncio.run(main())


async def cancelled_reader(stream: AsyncStream[City], *, leaves: bool) -> bool:
    """Read a stream in a task, and cancel that at each of its awaits, from the first event on. Whether it ended as cancelled."""
    seen = asyncio.Event()

    async def read() -> None:
        async with stream:
            async for _ in stream.events():
                seen.set()
                if leaves:
                    break

    reading = asyncio.create_task(read())
    await seen.wait()
    return await cancel_to_the_end(reading)


@pytest.mark.row("S15")
@pytest.mark.parametrize("half", [None, OnlySync, OnlyAsync], ids=["own", "sync", "async"])
@pytest.mark.parametrize("leaves", [False, True], ids=["while it reads", "while it leaves"])
def test_s15_cancelled_again_and_again(leaves: bool, half: Any) -> None:
    """A task that is cancelled at each await gives the stream back all the same, and the run has ended as cancelled."""

    async def main() -> None:
        source, heard = Source(wait=0.01), list[object]()
        model = source if half is None else half(source)
        stream = Agent(City, observers=[heard.append]).astream("Go.", model=model)
        await cancelled_reader(stream, leaves=leaves)
        assert "cancelled" == failed_code(await stream.outcome())
        assert isinstance(heard[-1], RunEnded)
        while not source.ends:  # a read in a thread goes on to its end
            await asyncio.sleep(0.001)
        assert source.ends[0] in ("closed", "cancelled")

    asyncio.run(main())


@pytest.mark.parametrize("leaves", [False, True], ids=["while it reads", "while it leaves"])
def test_s15_a_hook_at_the_end_that_is_cancelled_too(leaves: bool) -> None:
    """A hook that is cancelled while the run ends has failed; the run still ends, and the cancellation goes on to the caller."""

    async def stopped(ctx: RunContext, reason: StopReason) -> None:
        await asyncio.sleep(60)

    async def main() -> None:
        source, heard = Source(wait=0.01), list[object]()
        stream = Agent(City, observers=[heard.append], hooks=Hooks(on_stop=stopped)).astream("Go.", model=source)
        assert await cancelled_reader(stream, leaves=leaves)
        assert "cancelled" == failed_code(await stream.outcome())
        assert isinstance(heard[-1], RunEnded)

    asyncio.run(main())


def test_cancelled_while_a_broken_stream_is_given_back() -> None:
    """A task that is cancelled while it gives back a stream that broke off does not try again: the cancellation goes through."""

    class Breaking(Source):
        def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
            self.ends.append("begun")
            return self

        def __iter__(self) -> Iterator[StreamPart]:
            return self

        def __next__(self) -> StreamPart:
            raise ProviderError("connection", "reset", retry_after=0.0)

        def close(self) -> None:
            self.ends.append("closing")
            time.sleep(0.05)

    async def main() -> None:
        source = Breaking()
        stream = Agent(City).astream("Go.", model=OnlySync(source))
        reading = asyncio.create_task(stream.outcome())
        while "closing" not in source.ends:
            await asyncio.sleep(0.001)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert "CancelledError" == cancelled_by(await stream.outcome())
        assert ["begun", "closing"] == source.ends

    asyncio.run(main())


@pytest.mark.parametrize("half", [OnlySync, OnlyAsync])
def test_leaving_across_the_bridge(half: Any) -> None:
    """A stream of the other kind is given back too."""
    source = Source()
    if half is OnlyAsync:
        with Agent(City).stream("Go.", model=half(source)) as stream:
            next(stream.events())
        assert "leaving the stream" == cancelled_by(stream.outcome())
    else:

        async def main() -> None:
            async with Agent(City).astream("Go.", model=half(source)) as stream:
                await stream.events().__anext__()
            assert "leaving the stream" == cancelled_by(await stream.outcome())

        asyncio.run(main())
    assert ["closed"] == source.ends


def test_a_read_that_is_left_behind_closes_its_stream() -> None:
    """A thread that still reads when its stream is left closes it when the read ends."""
    going, ended = threading.Event(), list[str]()

    def parts() -> Iterator[object]:
        try:
            going.wait(5)
            yield "a"
        finally:
            ended.append("closed")

    lent = Lent(parts())
    reading = threading.Thread(target=lent.pull)
    reading.start()
    while not lent.is_reading:
        time.sleep(0.001)
    lent.close()
    assert [] == ended
    going.set()
    reading.join(5)
    assert ["closed"] == ended
    Lent(iter(())).close()


def test_a_stream_that_is_dropped_gives_its_connection_back() -> None:
    """Without a block, a stream that nobody holds any more closes what is open."""
    source = Source()
    stream = Agent(City).stream("Go.", model=source)
    next(stream.events())
    del stream
    gc.collect()
    assert ["closed"] == source.ends


@pytest.mark.row("S16")
@by_both
def test_s16_nothing_is_read_ahead(door: Door) -> None:
    """A provider is asked for a part only when the consumer wants more: nothing is buffered."""
    source = Source()
    if not door.is_async:
        with Agent(City, mode="native").stream("Go.", model=source) as stream:
            for count, _ in enumerate(stream.events(), 1):
                assert source.given <= count
        return

    async def main() -> None:
        async with Agent(City, mode="native").astream("Go.", model=source) as stream:
            count = 0
            async for _ in stream.events():
                count += 1
                assert source.given <= count

    asyncio.run(main())


@by_both
def test_the_consumers_time_does_not_count(door: Door) -> None:
    """A slow consumer uses nothing of the run's time."""
    agent = Agent(City, budget=Budget(max_duration=0.15))
    if not door.is_async:
        with agent.stream("Go.", model=Source()) as stream:
            for _ in stream.drafts():
                time.sleep(0.1)
            outcome: Any = stream.outcome()
    else:

        async def main() -> Any:
            async with agent.astream("Go.", model=Source()) as stream:
                async for _ in stream.drafts():
                    await asyncio.sleep(0.1)
                return await stream.outcome()

        outcome = asyncio.run(main())
    assert City(name="Oslo", people=700_000) == outcome.unwrap()
    assert outcome.elapsed < 0.1


@pytest.mark.parametrize("half", [None, OnlySync, OnlyAsync], ids=["own", "sync", "async"])
@by_both
def test_the_runs_time_is_over(door: Door, half: Any) -> None:
    """A provider that takes no notice of its time is left when the run's time is over."""
    source = Source(wait=0.05, size=1)
    model = source if half is None else half(source)
    began = time.monotonic()
    outcome = door.settle(Agent(City, budget=Budget(max_duration=0.12)), model=model)
    assert isinstance(outcome, Failure)
    assert "time_limit" == outcome.report.code
    assert time.monotonic() - began < 0.6


def test_a_close_that_fails_is_nobodys() -> None:
    """What a provider raises while its stream is closed hides nothing."""

    class Sore(Source):
        def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
            try:
                yield from in_pieces(WHOLE, 4)
            finally:
                raise ProviderError("connection", "closed already")

    with Agent(City).stream("Go.", model=Sore()) as stream:
        next(stream.events())
    assert "leaving the stream" == cancelled_by(stream.outcome())


def test_interrupted_while_waiting_for_a_part() -> None:
    """Ctrl-C within a pull ends the run as cancelled, and goes through."""

    class Interrupting(Source):
        def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
            yield from list(in_pieces(WHOLE, 4))[:2]
            raise KeyboardInterrupt

    stream = Agent(City).stream("Go.", model=Interrupting())
    with pytest.raises(KeyboardInterrupt), stream:
        list(stream.events())
    assert "KeyboardInterrupt" == cancelled_by(stream.outcome())


@pytest.mark.row("S15")
def test_s15_usage_of_a_complete_reply() -> None:
    """Where a run is left behind the last part of a reply, what that has used is reported."""
    used = Usage(requests=1, input_tokens=9, output_tokens=4)
    fake = ScriptedProvider(ModelResponse.of("Oslo").changed(usage=used))
    with Agent(str, model=fake).stream("Go.") as stream:
        for event in stream.events():
            if isinstance(event, NodeClosed):
                break
    outcome = stream.outcome()
    assert "leaving the stream" == cancelled_by(outcome)
    assert used.changed(complete=False) == stream.usage.changed(complete=False)
    assert isinstance(outcome, Failure)
    assert stream.usage == outcome.report.usage

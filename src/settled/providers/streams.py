"""The I/O of streams: one driver for threads and one for event loops, around the same `StreamReader`.

Each gives the parts that one read of the network completes, together. Whoever drives it may close it at any time: the response is
closed then, and the connection goes back. What the consumer does between two parts does not count against the deadline.
"""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, TypeAlias, cast

from ..vocabulary.errors import ProviderError
from ..vocabulary.streaming import StreamPart
from .broken import broken, late, silent
from .deadline import Deadline, DeadlinePassed, MovingDeadline
from .refusals import Arrived, Refusal, ending, lowered
from .stream_reading import Reading, StreamReader
from .transport import Posted, aopen_stream, open_stream, time_to_read

if TYPE_CHECKING:
    import httpx2

Parts: TypeAlias = list[StreamPart]
_TO_DRAIN = 0.1  # seconds that what follows the end of a stream may take, so that the connection can be used again
_MOST_DRAINED = 16  # pieces of it


class Pace:
    """How long a stream may take: in all, and between two events. Only the time in which we wait for the server counts.

    Args:
        seconds: in all; None is no limit.
        idle: between two events; None is no limit.
    """

    def __init__(self, seconds: float | None, idle: float | None) -> None:
        self._heard_at = self._left_at = now = time.monotonic()
        self.ends = None if seconds is None else now + seconds
        """When it must be over, by the monotonic clock."""
        self._idle = idle
        self._heard = 0
        self._due = self._reckoned()

    def left(self) -> float | None:
        """Seconds that a read may take."""
        return None if self._due == math.inf else self._due - time.monotonic()

    def note(self, heard: int) -> ProviderError | None:
        """What is wrong after a read, behind which so much was heard."""
        self._left_at = now = time.monotonic()
        if heard != self._heard:
            self._heard, self._heard_at = heard, now
            self._due = self._reckoned()
        return self.passed() if now >= self._due else None

    def passed(self) -> ProviderError:
        """What is wrong when a read took as long as it may."""
        if self._idle is not None and self._due != self.ends:
            return silent(self._idle)
        return late()

    def resume(self) -> None:
        """Go on, after the consumer had its time."""
        away = time.monotonic() - self._left_at
        self._heard_at += away
        if self.ends is not None:
            self.ends += away
        self._due = self._reckoned()

    def _reckoned(self) -> float:
        """When the read that is under way is over at the latest."""
        ends = math.inf if self.ends is None else self.ends
        return ends if self._idle is None else min(ends, self._heard_at + self._idle)


def streamed(client: object, posted: Posted, reading: Reading) -> Generator[Parts, None, None]:
    """Send a request and give the parts of the reply, in lists that are not empty.

    Raises:
        ProviderError: when there is no usable answer, or not the whole of it.
    """
    pace = Pace(posted.seconds, time_to_read(client, posted.seconds))
    try:
        with ending(pace.ends):
            response = open_stream(client, posted)
    except Refusal as refusal:
        refused = refusal.arrived
    else:
        yield from _read(response, reading(response.status_code, lowered(response.headers)), pace)
        return
    yield _said(refused, reading)


async def astreamed(client: object, posted: Posted, reading: Reading) -> AsyncGenerator[Parts, None]:
    """The async twin of `streamed`; its deadline holds to the moment, also where nothing comes."""
    pace = Pace(posted.seconds, time_to_read(client, posted.seconds))
    try:
        with Deadline(posted.seconds):
            response = await aopen_stream(client, posted)
    except DeadlinePassed:
        raise late() from None
    except Refusal as refusal:
        refused = refusal.arrived
    else:
        async with aclosing(_aread(response, reading(response.status_code, lowered(response.headers)), pace)) as read:
            async for parts in read:
                yield parts
        return
    yield _said(refused, reading)


def _read(response: httpx2.Response, reader: StreamReader, pace: Pace) -> Generator[Parts, None, None]:
    pieces = response.iter_bytes()
    try:
        while not reader.is_over:
            error: Exception | None
            try:
                piece = next(pieces)
            except StopIteration:
                break
            except Exception as raised:
                error = broken(raised, answering=True, streaming=True)
            else:
                parts = reader.feed(piece)
                error = pace.note(reader.heard)
                if parts:
                    yield parts
                    pace.resume()
            if error is not None and not reader.is_over:
                yield reader.broke(error)
                return
        yield reader.end()
    finally:
        if reader.is_over:
            _drain(response)
        response.close()


async def _aread(response: httpx2.Response, reader: StreamReader, pace: Pace) -> AsyncGenerator[Parts, None]:
    pieces = response.aiter_bytes()
    deadline = MovingDeadline(pace.left)
    try:
        while not reader.is_over:
            error: Exception | None
            try:
                with deadline:
                    piece = await pieces.__anext__()
            except StopAsyncIteration:
                break
            except DeadlinePassed:
                error = pace.passed()
            except Exception as raised:
                error = broken(raised, answering=True, streaming=True)
            else:
                parts = reader.feed(piece)
                error = pace.note(reader.heard)
                if parts:
                    yield parts
                    pace.resume()
            if error is not None and not reader.is_over:
                yield reader.broke(error)
                return
        yield reader.end()
    finally:
        deadline.close()
        if reader.is_over:
            await _adrain(response)
        await response.aclose()


def _said(refused: Arrived, reading: Reading) -> Parts:
    """What an error body, which was read already, stands for.

    Raises:
        ProviderError: for most of them.
    """
    reader = reading(refused.status, refused.headers)
    reader.feed(refused.body)
    return reader.end()


def _drain(response: httpx2.Response) -> None:
    """Read what follows the end of a stream, for a moment: over HTTP/1.1 a connection is used again only behind a whole reply.

    A second reading of the raw stream takes its time limit anew.
    """
    limits = response.request.extensions.get("timeout")
    if not isinstance(limits, dict) or not response.http_version.startswith("HTTP/1"):
        return
    limits["read"] = _TO_DRAIN
    ends = time.monotonic() + _TO_DRAIN
    with suppress(Exception):  # the reply is whole, whatever comes of this
        for place, _ in enumerate(cast("Iterable[bytes]", response.stream)):
            if place >= _MOST_DRAINED or time.monotonic() > ends:
                return


async def _adrain(response: httpx2.Response) -> None:
    if not response.http_version.startswith("HTTP/1"):
        return
    place = 0
    with suppress(Exception), Deadline(_TO_DRAIN):
        async for _ in cast("AsyncIterable[bytes]", response.stream):
            place += 1
            if place >= _MOST_DRAINED:
                return

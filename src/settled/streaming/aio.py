"""`AsyncDriver`: the async twin of `Driver`. A stream that can only be read from a thread is read in threads."""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Generic, cast

from ..runners.aio import AtLast, answer_to, within
from ..runners.bridge import in_thread
from ..vocabulary.outcome import OutputT
from ..vocabulary.report import DetailT
from .script import CLOSE, OVER, Asked, Left, Open, Pull, Script, Told
from .sync import closing_of, next_of, stream_of


class AsyncDriver(Generic[OutputT, DetailT]):
    """Plays one script, as far as it is asked to."""

    def __init__(self, script: Script[OutputT, DetailT]) -> None:
        """The script stands before its beginning."""
        self._play = script.play()
        next(self._play)
        self._parts: object = None
        self.is_over: bool = False
        """There is nothing more to pull."""
        self._at_last: AtLast | None = None  # once the run is cancelled, and ends

    async def pull(self) -> Told | None:
        """Play on until there is something for the consumer; None at the end."""
        return await self._on(self._play.send, None)

    async def leave(self, by: str) -> None:
        """Give back what is open, and end the run as cancelled."""
        left, self._at_last = Left(by), AtLast()
        try:
            await self._close()
        finally:  # though the task was cancelled meanwhile
            with suppress(Left):
                await self._on(self._play.throw, left)
        self._at_last.pass_on()

    async def _on(self, resume: Callable[..., Asked | Told], given: object) -> Told | None:
        try:
            while True:
                asked = resume(given)
                if isinstance(asked, list):
                    return asked
                try:
                    resume, given = self._play.send, await self._answer(asked)
                except BaseException as raised:
                    if self._at_last is None and not isinstance(raised, Exception):
                        self._at_last = AtLast()
                    resume, given = self._play.throw, await self._closed_behind(raised)
        except StopIteration:
            self.is_over = True
            return None
        except BaseException:
            self.is_over = True
            await self._close()
            raise

    async def _answer(self, asked: Asked) -> object:
        if isinstance(asked, Pull):
            held = self._parts
            given = in_thread(held.pull) if isinstance(held, Lent) else next_of(cast("AsyncIterator[object]", held))
            return await (given if asked.seconds is None else within(given, asked.seconds))
        if isinstance(asked, Open):
            parts = stream_of(asked)
            self._parts = parts if hasattr(parts, "__anext__") else Lent(cast("Iterator[object]", parts))
            return None
        if asked == CLOSE:
            await self._close()
            return None
        return await (self._at_last or answer_to)(asked)

    async def _closed_behind(self, raised: BaseException) -> BaseException:
        """What is on its way when the stream was given back. Some frameworks cancel a task again at each await, until it ends."""
        try:
            await self._close()
        except BaseException as again:
            return again if isinstance(raised, Exception) else raised
        return raised

    async def _close(self) -> None:
        """Give the stream back. What a provider raises then is nobody's: the reply is there, or another error is on its way."""
        parts, self._parts = self._parts, None
        with suppress(Exception):
            if isinstance(parts, Lent):
                await in_thread(parts.close)
                return
            close = closing_of(parts)
            given = None if close is None else close()
            if inspect.isawaitable(given):
                await given


class Lent:
    """A stream that is read in threads, one part at a time. A read that is left behind closes it when it ends, since nothing can
    end the read.

    Example:
        >>> lent = Lent(iter(["a"]))
        >>> lent.pull(), lent.pull() is OVER
        ('a', True)
    """

    def __init__(self, parts: Iterator[object]) -> None:
        """Nothing is read."""
        self._parts = parts
        self._lock = threading.Lock()
        self.is_reading: bool = False
        """A thread is reading."""
        self._is_left = False

    def pull(self) -> object:
        """The next part; `OVER` behind the last one."""
        with self._lock:
            self.is_reading = True
        try:
            return next(self._parts, OVER)
        finally:
            with self._lock:
                self.is_reading = False
                is_left = self._is_left
            if is_left:
                self._give_back()

    def close(self) -> None:
        """Nothing more is read."""
        with self._lock:
            self._is_left = True
            is_reading = self.is_reading
        if not is_reading:
            self._give_back()

    def _give_back(self) -> None:
        close = closing_of(self._parts)
        if close is not None:
            close()

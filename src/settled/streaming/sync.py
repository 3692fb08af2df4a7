"""`Driver`: plays a script in the thread that pulls. It does what the script asks, and decides nothing."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Generic, cast

from ..runners.bridge import await_elsewhere
from ..runners.sync import answer_to
from ..vocabulary.errors import MisuseError
from ..vocabulary.outcome import OutputT
from ..vocabulary.report import DetailT
from .script import CLOSE, OVER, Asked, Left, Open, Pull, Script, Told


def stream_of(asked: Open) -> object:
    """The provider's stream: an iterator of either kind.

    Raises:
        MisuseError: when its method gives something else.
    """
    parts = asked.half(asked.request, timeout=asked.timeout)
    if hasattr(parts, "__next__") or hasattr(parts, "__anext__"):
        return parts
    if inspect.iscoroutine(parts):
        parts.close()
    raise MisuseError(f"the provider's stream is a {type(parts).__name__}; make its method a generator")


async def next_of(parts: AsyncIterator[object]) -> object:
    """The next part; `OVER` behind the last one."""
    try:
        return await parts.__anext__()
    except StopAsyncIteration:
        return OVER


def closing_of(parts: object) -> Callable[[], object] | None:
    """What closes a stream: generators have it, other iterators need not."""
    close: object = getattr(parts, "aclose", None) or getattr(parts, "close", None)
    return close if callable(close) else None


class Driver(Generic[OutputT, DetailT]):
    """Plays one script, as far as it is asked to."""

    def __init__(self, script: Script[OutputT, DetailT]) -> None:
        """The script stands before its beginning."""
        self._play = script.play()
        next(self._play)
        self._parts: object = None
        self.is_over: bool = False
        """There is nothing more to pull."""

    def pull(self) -> Told | None:
        """Play on until there is something for the consumer; None at the end."""
        return self._on(self._play.send, None)

    def leave(self, by: str) -> None:
        """Give back what is open, and end the run as cancelled."""
        self._close()
        left = Left(by)
        with suppress(Left):
            self._on(self._play.throw, left)

    def _on(self, resume: Callable[..., Asked | Told], given: object) -> Told | None:
        try:
            while True:
                asked = resume(given)
                if isinstance(asked, list):
                    return asked
                try:
                    resume, given = self._play.send, self._answer(asked)
                except BaseException as raised:
                    self._close()
                    resume, given = self._play.throw, raised
        except StopIteration:
            self.is_over = True
            return None
        except BaseException:
            self.is_over = True
            self._close()
            raise

    def _answer(self, asked: Asked) -> object:
        if isinstance(asked, Pull):
            parts = self._parts
            if hasattr(parts, "__next__"):
                return next(cast("Iterator[object]", parts), OVER)
            return await_elsewhere(next_of(cast("AsyncIterator[object]", parts)), asked.seconds)
        if isinstance(asked, Open):
            self._parts = stream_of(asked)
            return None
        if asked == CLOSE:
            self._close()
            return None
        return answer_to(asked)

    def _close(self) -> None:
        """Give the stream back. What a provider raises then is nobody's: the reply is there, or another error is on its way."""
        parts, self._parts = self._parts, None
        with suppress(Exception):
            close = closing_of(parts)
            if close is not None:
                given = close()
                if inspect.isawaitable(given):
                    await_elsewhere(given)

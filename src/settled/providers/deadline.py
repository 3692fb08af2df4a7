"""A deadline for awaited code, as ``asyncio.timeout`` is from Python 3.11 on; no task of its own, which would cost more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class DeadlinePassed(Exception):
    """The code in the block took longer than it may, and was cancelled."""


class Deadline:
    """Cancels the code in its block when so many seconds are over, and raises `DeadlinePassed` in place of the cancellation.

    A cancellation that comes from outside goes through, also when both happen at once (from Python 3.11 on).

    Example:
        >>> import asyncio
        >>> async def slow() -> str:
        ...     try:
        ...         with Deadline(0.01):
        ...             await asyncio.sleep(60)
        ...     except DeadlinePassed:
        ...         return "late"
        ...     return "in time"
        >>> asyncio.run(slow())
        'late'
    """

    def __init__(self, seconds: float | None) -> None:
        """None is no deadline."""
        self._seconds = seconds
        self._task: asyncio.Task[object] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._rang = False
        self._cancelling = 0

    def __enter__(self) -> None:
        """Set the alarm."""
        if self._seconds is None:
            return
        import asyncio

        task = asyncio.current_task()
        assert task is not None, "awaited code runs in a task"
        self._task = task
        self._cancelling = int(sys.version_info >= (3, 11) and task.cancelling())
        self._alarm = asyncio.get_running_loop().call_later(self._seconds, self._ring)

    def _ring(self) -> None:
        assert self._task is not None, "the alarm is set for a task"
        self._rang = True
        self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        """Stop the alarm; turn its cancellation into `DeadlinePassed`."""
        if self._alarm is None or self._task is None:
            return
        import asyncio

        self._alarm.cancel()
        if not self._rang:
            return
        others = sys.version_info >= (3, 11) and self._task.uncancel() > self._cancelling
        if kind is not None and issubclass(kind, asyncio.CancelledError) and not others:
            raise DeadlinePassed from None


class MovingDeadline:
    """As `Deadline`, for many blocks one after another, by a deadline that may move meanwhile: one alarm serves all of them.

    Args:
        left: seconds until it passes, asked when the alarm is set and when it rings; None is no deadline.

    Example:
        >>> import asyncio, time
        >>> async def slow() -> str:
        ...     ends = time.monotonic() + 0.01
        ...     deadline = MovingDeadline(lambda: ends - time.monotonic())
        ...     try:
        ...         with deadline:
        ...             pass
        ...         with deadline:
        ...             await asyncio.sleep(60)
        ...     except DeadlinePassed:
        ...         return "late"
        ...     finally:
        ...         deadline.close()
        ...     return "in time"
        >>> asyncio.run(slow())
        'late'
    """

    def __init__(self, left: Callable[[], float | None]) -> None:
        import asyncio

        self._left = left
        self._current = asyncio.current_task
        self._loop = asyncio.get_running_loop()
        self._cancelled = asyncio.CancelledError
        self._task: asyncio.Task[object] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._rang = False
        self._cancelling = 0

    def __enter__(self) -> None:
        """Watch the code of this block."""
        self._task = task = self._current()
        self._cancelling = int(sys.version_info >= (3, 11) and task is not None and task.cancelling())
        if self._alarm is None:
            self._set()

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        """Watch no longer; turn the alarm's cancellation into `DeadlinePassed`."""
        task, self._task = self._task, None
        if not self._rang or task is None:
            return
        self._rang = False
        others = sys.version_info >= (3, 11) and task.uncancel() > self._cancelling
        if kind is not None and issubclass(kind, self._cancelled) and not others:
            raise DeadlinePassed from None

    def close(self) -> None:
        """No block follows."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _set(self) -> None:
        left = self._left()
        if left is not None:
            self._alarm = self._loop.call_later(max(0.0, left), self._ring)

    def _ring(self) -> None:
        """Cancel the block, unless the deadline has moved, or there is none at the moment: then the next one sets the alarm."""
        self._alarm = None
        if self._task is None:
            return
        left = self._left()
        if left is not None and left > 0.0:
            self._set()
            return
        self._rang = True
        self._task.cancel()

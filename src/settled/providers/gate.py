"""`Gate`: what all runs on one provider handle share. It stays shut while the service asked for a wait, and lets so many through.

One gate serves threads and event loops together: a place that one of them frees goes to whoever waits longest, wherever that is.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class Gate:
    """A gate with a wait that is shared and, if ``places`` is given, so many places.

    Args:
        places: how many requests may be under way at once; None is no bound.
        clock: seconds, for measuring only.

    Example:
        >>> gate = Gate(places=1)
        >>> gate.enter(seconds=1.0)
        True
        >>> gate.enter(seconds=0.01)
        False
        >>> gate.leave()
    """

    def __init__(self, *, places: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free = places
        self._lock = threading.RLock()  # a collected coroutine gives its turn back wherever the collector runs, here too
        self._shut_until = 0.0
        self._waiting: deque[_Turn] = deque()

    def shut(self, seconds: float) -> None:
        """Let nobody through for so long; the longest wish of several holds.

        Example:
            >>> gate = Gate()
            >>> gate.shut(60.0)
            >>> gate.shut_for() > 59.0
            True
        """
        with self._lock:
            self._shut_until = max(self._shut_until, self._clock() + seconds)

    def shut_for(self) -> float:
        """Seconds until it opens; 0 when it is open.

        Example:
            >>> Gate().shut_for()
            0.0
        """
        return max(0.0, self._shut_until - self._clock()) if self._shut_until else 0.0

    def enter(self, seconds: float | None) -> bool:
        """Take a place, from a thread; False when none came free within so many seconds.

        Example:
            >>> Gate().enter(None)
            True
        """
        if self._free is None:
            return True
        turn = _ThreadTurn()
        try:
            if not self._took(turn):
                turn.event.wait(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))
            return self._given(turn)
        except BaseException:  # Ctrl-C, also in the moment when the place has come
            if self._given(turn):
                self.leave()
            raise

    async def aenter(self, seconds: float | None) -> bool:
        """As `enter`, from an event loop."""
        if self._free is None:
            return True
        import asyncio

        loop = asyncio.get_running_loop()
        turn = _LoopTurn(loop, loop.create_future())
        try:
            if not self._took(turn):
                await asyncio.wait((turn.future,), timeout=seconds)
            return self._given(turn)
        except BaseException:  # cancelled, or collected after its loop was closed
            if self._given(turn):
                self.leave()
            raise

    def leave(self) -> None:
        """Give the place back: to the next who waits, or to whoever comes."""
        if self._free is None:
            return
        with self._lock:
            while self._waiting:
                turn = self._waiting.popleft()
                if turn.call():
                    turn.given = True
                    return
            self._free += 1

    def _took(self, turn: _Turn) -> bool:
        with self._lock:
            if self._free:
                self._free -= 1
                turn.given = True
            else:
                self._waiting.append(turn)
            return turn.given

    def _given(self, turn: _Turn) -> bool:
        """Whether the turn came; if not, it is over."""
        with self._lock:
            if not turn.given and turn in self._waiting:
                self._waiting.remove(turn)
            return turn.given


class _Turn:
    """Somebody's place in the line."""

    given = False

    def call(self) -> bool:
        """Tell who waits that it is their turn; False when nobody is there any more."""
        raise NotImplementedError


class _ThreadTurn(_Turn):
    def __init__(self) -> None:
        self.event = threading.Event()

    def call(self) -> bool:
        self.event.set()
        return True


class _LoopTurn(_Turn):
    def __init__(self, loop: asyncio.AbstractEventLoop, future: asyncio.Future[None]) -> None:
        self.loop = loop
        self.future = future

    def call(self) -> bool:
        try:
            self.loop.call_soon_threadsafe(self.future.set_result, None)
        except RuntimeError:  # the loop was closed around its waiters
            return False
        return True

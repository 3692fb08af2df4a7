"""What an effect asks of the loop that drives it.

An effect is a generator: it yields an `Ask`, is sent the result, and returns the event. So each is written once, and neither loop
can differ in what it does, only in how it waits.
"""

from collections.abc import Callable, Generator, Mapping
from typing import NamedTuple, TypeAlias

from ..core.events import Event, quiet


class DeadlinePassed(Exception):
    """A call took longer than it may. What is async was cancelled; a thread is left to itself, since none can be stopped."""


class NeverBegan(DeadlinePassed):
    """The time was over before its turn came."""


class Call(NamedTuple):
    """Call this; if it gives an awaitable, await that. What it raises is thrown into the effect."""

    function: Callable[..., object]
    """The caller's code, or a provider's method."""
    args: tuple[object, ...] = ()
    """Its positional arguments."""
    kwargs: Mapping[str, object] = {}
    """Its keyword arguments."""
    may_block: bool = False
    """It may take long, so an event loop calls it in a thread unless it is async."""
    seconds: float | None = None
    """How long it may take; past it, `DeadlinePassed` is thrown into the effect."""

    def __repr__(self) -> str:
        return quiet(self)


class Answer(NamedTuple):
    """What came of one of several calls."""

    value: object = None
    """What it returned."""
    raised: BaseException | None = None
    """What it raised."""

    def __repr__(self) -> str:
        return quiet(self)


class Together(NamedTuple):
    """Make these calls at once, or as many of them as may be; give back an `Answer` for each, in order."""

    calls: tuple[Call, ...]
    """The calls, each in a thread or a task of its own. The ``seconds`` of each count from its own beginning."""
    most: int | None = None
    """How many may be under way; the others begin in order, each when another one ends."""
    seconds: float | None = None
    """How long all of them together may take."""
    ended: dict[int, Answer] | None = None
    """Where the loop notes each answer as it comes, by place: should it be left, that much is known. A call that is under way
    has none."""

    @property
    def at_once(self) -> int:
        """How many begin without waiting for another one."""
        return len(self.calls) if self.most is None else self.most

    def may_begin(self, place: int, passed: float) -> bool:
        """Whether there is time left for the call at a place; those that need not wait begin if there was any.

        Example:
            >>> Together((), most=1, seconds=5.0).may_begin(1, 5.0)
            False
        """
        return self.seconds is None or passed < self.seconds or (place < self.at_once and self.seconds > 0)

    def left(self, call: Call, passed: float) -> float | None:
        """How long a call may take that begins when so much time has passed.

        Example:
            >>> Together((), seconds=5.0).left(Call(print, seconds=3.0), 4.0)
            1.0
        """
        if self.seconds is None:
            return call.seconds
        left = max(0.0, self.seconds - passed)
        return left if call.seconds is None else min(call.seconds, left)


class Sleep(NamedTuple):
    """Wait."""

    seconds: float
    """How long."""


Ask: TypeAlias = Call | Together | Sleep
Effect: TypeAlias = Generator[Ask, object, Event]

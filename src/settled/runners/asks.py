"""What an effect asks of the loop that drives it.

An effect is a generator: it yields an `Ask`, is sent the result, and returns the event. So each is written once, and neither loop
can differ in what it does, only in how it waits.
"""

from collections.abc import Callable, Generator, Mapping
from typing import NamedTuple, TypeAlias

from ..core.events import Event, quiet


class DeadlinePassed(Exception):
    """A call took longer than it may. What is async was cancelled; a thread is left to itself, since none can be stopped."""


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


class Together(NamedTuple):
    """Make all these calls at once; give back an `Answer` for each, in order."""

    calls: tuple[Call, ...]
    """The calls, each in a thread or a task of its own."""


class Sleep(NamedTuple):
    """Wait."""

    seconds: float
    """How long."""


class Answer(NamedTuple):
    """What came of one of several calls."""

    value: object = None
    """What it returned."""
    raised: BaseException | None = None
    """What it raised."""

    def __repr__(self) -> str:
        return quiet(self)


Ask: TypeAlias = Call | Together | Sleep
Effect: TypeAlias = Generator[Ask, object, Event]

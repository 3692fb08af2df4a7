"""What the ready-made conditions are: values that are called. `Looking` is made of a function of the state and its arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ..core.hooks import StopDecision, StopState


@dataclass(frozen=True, repr=False)
class ReadyMade:
    """Base of the ready-made conditions. Equal to another one of the same arguments; it can be pickled, as agents can.

    Example:
        >>> from settled.conditions import step_count_is
        >>> step_count_is(3)
        step_count_is(3)
        >>> step_count_is(3) == step_count_is(3), step_count_is(3).label
        (True, 'step_count:3')
    """

    spelling: str
    """How it is written, for ``repr``."""
    label: str
    """What reports call it, where it does not give the label of another one."""

    @property
    def __name__(self) -> str:
        """The label."""
        return self.label

    def __call__(self, state: StopState) -> StopDecision | None | Awaitable[StopDecision | None]:
        """The reason to stop, if there is one; to be awaited if it is made of an async one."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.spelling


@dataclass(frozen=True, repr=False)
class Looking(ReadyMade):
    """A condition that looks at the state.

    Example:
        >>> from settled import Budget, StopState, Usage
        >>> from settled.conditions import max_duration
        >>> state = StopState(steps=(), messages=(), usage=Usage(), elapsed=61.0, tool_failures=0, budget=Budget())
        >>> max_duration(60)(state)
        StopDecision(label='max_duration:60', message='time budget of 60 seconds reached')
    """

    look: Callable[..., StopDecision | None]
    """Looks at the state, with the arguments behind it: a function of a module."""
    given: tuple[object, ...] = ()
    """The arguments."""

    def __call__(self, state: StopState) -> StopDecision | None:
        """The reason to stop, if there is one."""
        return self.look(state, *self.given)

"""`Looking`: a condition made of a function of the state and its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..core.hooks import StopDecision, StopState


@dataclass(frozen=True, repr=False)
class Looking:
    """A condition that looks at the state. Equal to another one of the same arguments; it can be pickled, as agents can.

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
    """What reports call it."""
    look: Callable[..., StopDecision | None]
    """Looks at the state, with the arguments behind it: a function of a module."""
    given: tuple[object, ...] = ()
    """The arguments."""

    @property
    def __name__(self) -> str:
        """The label."""
        return self.label

    def __call__(self, state: StopState) -> StopDecision | None:
        """The reason to stop, if there is one."""
        return self.look(state, *self.given)

    def __repr__(self) -> str:
        return self.spelling

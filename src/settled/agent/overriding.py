"""Overrides for tests: another model, budget or settings for one agent, or for all, while a block runs.

They live in a context variable, so tasks inherit them and threads that a test starts itself do not; ``everywhere=True`` reaches
those too. An override wins over what the agent or the call says.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from ..vocabulary.budget import Budget
from ..vocabulary.exchange import Settings
from .spec import Model


class Override(NamedTuple):
    """What replaces what."""

    root: object | None
    """The agent it is for, with all its changed copies; None is all agents."""
    model: Model | None
    budget: Budget | None
    settings: Settings | None


_here: ContextVar[tuple[Override, ...]] = ContextVar("settled_overrides", default=())
_everywhere: list[Override] = []


@contextmanager
def overridden(override: Override, *, everywhere: bool) -> Generator[None, None, None]:
    """The override holds while the block runs."""
    if everywhere:
        _everywhere.append(override)
        try:
            yield
        finally:
            _everywhere.remove(override)
        return
    token = _here.set((*_here.get(), override))
    try:
        yield
    finally:
        _here.reset(token)


def override_for(root: object) -> Override:
    """What holds for an agent now: the innermost of each."""
    held = (*_everywhere, *_here.get())
    merged = Override(root, None, None, None)
    for one in held:
        if one.root is None or one.root is root:
            merged = Override(root, one.model or merged.model, one.budget or merged.budget, one.settings or merged.settings)
    return merged

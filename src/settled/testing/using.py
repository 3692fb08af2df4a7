"""`use_model`: one model for every agent, while a block runs."""

from __future__ import annotations

from contextlib import AbstractContextManager

from ..agent.overriding import Override, overridden
from ..agent.spec import Model


def use_model(model: Model, *, everywhere: bool = False) -> AbstractContextManager[None]:
    """Every agent uses this model while the block runs, whatever model it was given.

    Threads that the test starts itself do not see it, unless ``everywhere``.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider, use_model
        >>> with use_model(ScriptedProvider(7)):
        ...     Agent(int, model="openai:gpt-5-mini").run("How many?")
        7
    """
    return overridden(Override(None, model, None, None), everywhere=everywhere)

"""The keywords of the run family and of ``with_``, declared once. Unknown ones raise TypeError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import TypedDict

from ..core.hooks import Hooks, StopCondition
from ..recovery.policy import Recovery
from ..runners.run import Observer
from ..tools.tool import Tool, UserCode
from ..vocabulary.budget import Budget
from ..vocabulary.capabilities import Told
from ..vocabulary.exchange import Settings
from ..vocabulary.stop import OutputMode
from .conversation import History
from .spec import Model


class MapOptions(TypedDict, total=False):
    """What many runs may be told beside their prompts, all of them the same."""

    history: History
    """An earlier conversation to go on from."""
    context: object
    """Any object, for tools, checks, hooks and pydantic validators (``info.context``)."""
    model: Model
    """Another model."""
    budget: Budget
    """Other bounds: they replace the agent's as a whole."""
    settings: Settings
    """Other settings: they replace the agent's as a whole."""
    stop_when: Sequence[StopCondition]
    """More stop conditions."""
    recovery: Recovery
    """Another recovery policy."""
    approver: UserCode
    """Who decides about calls that need a person."""


class RunOptions(MapOptions, total=False):
    """What one call may say beside the prompt."""

    run_id: str
    """An id of your own."""


class AgentKeywords(TypedDict, total=False):
    """The keywords of the constructor but ``model`` and ``failure_type``."""

    instructions: str | UserCode
    """What the model is told first."""
    mode: OutputMode
    """How the output is asked for."""
    strict: bool | None
    """Whether the server is to enforce the schema."""
    tools: Sequence[Tool | UserCode]
    """Tools."""
    checks: Sequence[UserCode]
    """Output checks."""
    budget: Budget
    """Bounds."""
    settings: Settings
    """How to generate."""
    stop_when: Sequence[StopCondition]
    """Stop conditions."""
    hooks: Hooks
    """Hooks."""
    observers: Sequence[Observer]
    """Observers."""
    recovery: Recovery
    """What may be mended."""
    capabilities: Told | None
    """What the model can do: a record, or the file of a probe."""
    siblings: Literal["skip", "run"]
    """What becomes of calls beside an output."""
    text_ends_run: bool
    """Whether a text turn without payload is a fault."""
    approver: UserCode | None
    """Who decides."""
    name: str | None
    """A name for reports."""


class AgentChanges(AgentKeywords, total=False):
    """What a changed copy may say anew: any keyword of the constructor but ``failure_type``."""

    model: Model | None
    """The model."""


class FunctionChanges(AgentChanges, total=False):
    """What a changed copy of an answered function may say anew: what a copy of its agent may, and what one call of it may."""

    history: History
    """An earlier conversation to go on from."""
    context: object
    """Any object, for tools, checks, hooks and pydantic validators."""
    run_id: str
    """An id of your own."""

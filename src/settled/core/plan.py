"""`Plan`: everything that stays the same during one run. Made by an agent; it holds live objects and is never stored."""

from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Generic, Literal, NamedTuple, cast

from pydantic_core import to_json
from typing_extensions import Self

from ..modes.asking import Asking, Rung
from ..modes.codecs import CODECS
from ..modes.shape import Codec, Shape
from ..modes.tool import spoken
from ..recovery.finding import Known
from ..recovery.policy import Recovery
from ..tools.tool import Tool
from ..vocabulary.budget import Budget
from ..vocabulary.exchange import Settings, ToolDefinition
from ..vocabulary.messages import Message
from ..vocabulary.narrowing import is_list, is_mapping
from ..vocabulary.outcome import OutputT
from ..vocabulary.report import DetailT
from ..vocabulary.stop import OutputMode
from .events import Moment
from .hooks import Hooks, StopCondition


class UserCall(NamedTuple):
    """A callable of the caller's, with the name that reports call it by."""

    name: str
    """Its name."""
    function: Callable[..., object]
    """The callable."""
    wants_context: bool = False
    """It takes the `RunContext` first."""


class _PlanFields(NamedTuple):
    shape: Shape
    """How the output is asked for."""
    mode_requested: OutputMode = "auto"
    """The mode that was asked for."""
    instructions: str | UserCall | None = None
    """What the model is told first."""
    tools: Mapping[str, Tool] = {}
    """The user's tools by name."""
    checks: tuple[UserCall, ...] = ()
    """Output validators, in order."""
    stop_when: tuple[StopCondition, ...] = ()
    """Stop conditions, in order."""
    hooks: Hooks = Hooks.model_construct()
    """Callables for the moments of the run."""
    budget: Budget = Budget.model_construct()
    """The bounds."""
    settings: Settings = Settings.model_construct()
    """How to generate."""
    recovery: Recovery = Recovery.SCHEMA
    """What may be mended."""
    context: object = None
    """The caller's object."""
    siblings: Literal["skip", "run"] = "skip"
    """What becomes of calls beside a valid output."""
    text_ends_run: bool = True
    """A text turn without payload is a fault; otherwise the model is told to go on."""
    agent: str | None = None
    """The agent's name."""
    ladder: tuple[OutputMode, ...] = ()
    """The modes to step down to, in order, when the service refuses what this one sends; empty for a mode that was asked for."""
    asking: Asking = Asking()
    """How the server is asked, apart from the mode."""
    model: str | None = None
    """The model that is asked, as ``service:name``, where there are several; else None."""
    place: int = 0
    """Its place among them."""
    following: "Callable[[], Plan[object, object]] | None" = None
    """Gives the plan for the model that is asked when this one fails, always the same; None behind the last."""
    known: Known | None = None
    """Parts of the reply under way that were judged as they closed."""
    once: bool = False
    """The run ends behind its first completed step, whatever it brought."""


class Plan(_PlanFields, Generic[OutputT, DetailT]):
    """What one run is to do, with what, and within which bounds."""

    @cached_property
    def system(self) -> Message | None:
        """The instructions as a message, unless they are made for each run."""
        if isinstance(self.instructions, UserCall):
            return None
        return self.system_with(self.instructions)

    def system_with(self, told: str | None) -> Message | None:
        """The instructions, and what the mode adds to them, as a message; None when there is nothing to say."""
        text = "\n\n".join(part for part in (told, self.shape.instructions) if part)
        return Message.system(text) if text else None

    @cached_property
    def codec(self) -> Codec:
        """Reads replies in the mode."""
        return CODECS[self.shape.mode]

    @cached_property
    def rung(self) -> Rung:
        """Where a run of this plan starts."""
        return Rung(self.shape.mode, self.asking.loose, self.asking.forced)

    @cached_property
    def _on_other_rungs(self) -> dict[Rung, Self]:
        return {}

    def on(self, rung: Rung) -> Self:
        """This plan, with the output asked for as on a rung that a run stepped down to; made once."""
        if rung == self.rung:
            return self
        made = self._on_other_rungs.get(rung)
        if made is None:
            asking = self.asking._replace(loose=rung.loose, forced=rung.forced)
            shape = CODECS[rung.mode].shape(self.shape.contract, asking)
            below = self.ladder[self.ladder.index(rung.mode) + 1 :] if rung.mode in self.ladder else self.ladder
            made = self._on_other_rungs.setdefault(rung, self._replace(shape=shape, asking=asking, ladder=below))
        return made

    def at(self, place: int) -> Self:
        """This plan for the model at a place; for the last one, where there are fewer."""
        plan: Plan[object, object] = self
        while plan.place < place and plan.following is not None:
            plan = plan.following()
        return cast("Self", plan)

    @cached_property
    def moments(self) -> frozenset[Moment]:
        """The moments at which the caller has something to say; at all others nobody is asked."""
        hooks = self.hooks
        asked: dict[Moment, bool] = {
            "start": hooks.on_start is not None or isinstance(self.instructions, UserCall),
            "before_model": hooks.before_model is not None,
            "after_model": hooks.after_model is not None,
            "approval": any(callable(tool.requires_approval) for tool in self.tools.values()),
            "step": bool(self.stop_when) or hooks.after_step is not None,
            "stop": hooks.on_stop is not None,
        }
        return frozenset(moment for moment, due in asked.items() if due)

    @cached_property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """All tools on offer: the user's, then the shape's own."""
        return (*(spoken(tool.definition, self.asking.tool_dialect) for tool in self.tools.values()), *self.shape.tools)

    @cached_property
    def bound_to(self) -> dict[str, str]:
        """Digests of what a checkpoint must find again: output type, failure type, tools."""
        contract = self.shape.contract
        bound = {"output": _digest(contract.output.json_schema)}
        if contract.failure is not None:
            bound["failure"] = _digest(contract.failure.target.json_schema)
        for name, tool in self.tools.items():
            gate = "asked" if callable(tool.requires_approval) else str(tool.requires_approval)
            bound[f"tool {name}"] = _digest([_undescribed(tool.arguments.json_schema), gate, tool.external])
        return bound


def _undescribed(schema: object) -> object:
    """A schema without descriptions: other words for the same arguments make no other tool."""
    if is_mapping(schema):
        kept = {key: item for key, item in schema.items() if not (key == "description" and isinstance(item, str))}
        return {key: _undescribed(item) for key, item in kept.items()}
    return [_undescribed(item) for item in schema] if is_list(schema) else schema


def _digest(data: object) -> str:
    return sha256(to_json(data)).hexdigest()[:16]

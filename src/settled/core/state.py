"""The state of a run: plain data with a JSON form. Only the machine makes new ones."""

from collections.abc import Mapping
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import ConfigDict, Field
from typing_extensions import Self

from ..modes.asking import Rung
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.issues import Repair
from ..vocabulary.messages import Message, Part, ToolCall, ToolResult
from ..vocabulary.report import Attempt, StepRecord, SubRun, TransportFault
from ..vocabulary.stop import OutputMode, StopReason
from ..vocabulary.value import Value
from .events import Moment, quiet
from .ledger import Cap, Ledger

Phase: TypeAlias = Literal["consulting", "calling", "tools", "checking", "asking", "stopped", "done"]


class Live(NamedTuple):
    """What cannot be written as JSON. It is a cache: lost in a checkpoint, and made again from the payload when needed."""

    value: object = None
    """The validated output, or the failure detail."""
    has_value: bool = False
    """Whether there is one; it may be None itself."""
    exception: BaseException | None = None
    """The exception behind an error."""
    arguments: Mapping[str, Mapping[str, object]] | None = None
    """The validated arguments of calls, by id."""
    headers: Mapping[str, str] | None = None
    """The HTTP headers of a request that a hook gave. They may hold keys, so a state never does."""

    def __repr__(self) -> str:
        return quiet(self)


class Reply(NamedTuple):
    """What the model said in the step under way, and how it was asked."""

    response: ModelResponse
    """What it said."""
    purpose: Literal["ask", "reask", "final"] = "ask"
    """What it was asked for."""
    cap: Cap = Cap()
    """The token cap it was made under; filled in only for a reply that was cut off."""
    seconds: float = 0.0
    """How long it took."""
    faults: tuple[TransportFault, ...] = ()
    """The HTTP attempts at it that failed."""


class Accepted(Value):
    """A payload that fits the output type."""

    raw: str
    """What the model, or a tool, gave."""
    payload: str | None
    """The text to make the value from again; None when a check replaced it by one that JSON cannot carry."""
    option: str | None = None
    """The option whose tool carried it; None for text, or for the output type as a whole."""
    as_text: bool = False
    """The value is the bare text itself."""
    whole: bool = False
    """The payload is of the output type itself, without any wrapping: from a tool, or from a check."""
    via: Literal["tool", "native", "prompted", "text", "tool_result"]
    """How it came."""
    call_id: str | None = None
    """The call that carried it."""
    repairs: tuple[Repair, ...] = ()
    """What was mended in it."""


class Done(Value):
    """What a call gave, kept by a store until all calls of its turn have ended."""

    shown: ClassVar[tuple[str, ...]] = ("kind",)
    kind: Literal["returned", "failed", "ended", "reported", "needs_approval"]
    """As in `ToolOutcome`."""
    arguments: str
    """What it was called with, after the hook before it, as JSON."""
    text: str = ""
    """What the model is told."""
    media: tuple[Part, ...] = ()
    """What the text only names."""
    payload: str = "null"
    """The output, the failure detail, or what to ask approval with, as JSON."""
    stopped: str | None = None
    """What it called ``ctx.stop`` with."""
    sub_run: SubRun | None = None
    """The run of the sub-agent that it called."""


class OpenCall(Value):
    """One tool call of the step under way."""

    call: ToolCall
    """The call, with the arguments that would run."""
    status: Literal["ready", "asked", "approval", "external", "question", "uncertain", "answered"]
    """``ready`` to run; ``asked`` about approval; waiting: ``approval``, ``external``, ``question``, ``uncertain``; or
    ``answered``."""
    result: ToolResult | None = None
    """The answer."""
    payload: object = None
    """What the tool asks with, as plain data."""
    media: tuple[Part, ...] = ()
    """What the answer only names: it follows behind the answers of the whole turn."""
    begun: bool = False
    """It was begun, when a store kept the run."""
    done: Done | None = None
    """It has ended, and the run was kept before all others had."""
    sub_run: SubRun | None = None
    """The run of the sub-agent that it called."""

    @property
    def waits(self) -> bool:
        """A person or another system must act."""
        return self.status in ("approval", "external", "question", "uncertain")


class RunState(Value):
    """Everything that a run knows. Equal by its data; ``live`` does not count."""

    model_config: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)
    shown: ClassVar[tuple[str, ...]] = ("run_id", "phase", "moment")
    run_id: str
    """The run's id."""
    phase: Phase
    """What is waited for."""
    moment: Moment | None = None
    """While consulting: which moment."""
    place: int = Field(default=0, ge=0)
    """Which of the plan's models is asked: all before it have failed."""
    mode: OutputMode
    """The output mode, resolved."""
    loose: bool = False
    """The schema is sent loosely."""
    forced: bool = True
    """A call may be demanded."""
    degraded_from: OutputMode | None = None
    """The mode in which this model refused a request, after which the run stepped down, perhaps within the mode."""
    refused: str | None = None
    """The feature that it refused: a field of the request, or ``schema``."""
    instructions: str | None = None
    """What callable instructions gave."""
    messages: tuple[Message, ...] = ()
    """The conversation, without instructions and without the step under way."""
    queued: tuple[Message, ...] = ()
    """User messages that wait behind the tool results of the step under way."""
    ledger: Ledger
    """What was used."""
    attempts: tuple[Attempt, ...] = ()
    """Every try at the output."""
    steps: tuple[StepRecord, ...] = ()
    """Every completed model call."""
    purpose: Literal["ask", "reask", "final"] = "ask"
    """What the next model call is for."""
    cap: int | None = None
    """The token cap that a truncation retry raised."""
    request: ModelRequest | None = None
    """The request that ``before_model`` gave instead."""
    begun: bool = False
    """The model was being asked, when a store kept the run."""
    reply: Reply | None = None
    """The reply of the step under way."""
    batch: tuple[OpenCall, ...] = ()
    """The tool calls of the step under way."""
    accepted: Accepted | None = None
    """The output, once it fits."""
    spent: StopReason | None = None
    """A retry budget that this step used up: ends the run unless a condition does."""
    ending: StopReason | None = None
    """Why the run ends; set once."""
    final_for: StopReason | None = None
    """What the final, toolless step was granted for."""
    secondary: tuple[StopReason, ...] = ()
    """Other reasons to end, that came later or were weaker."""
    live: Live = Field(default=Live(), exclude=True)
    """What JSON cannot carry."""

    @property
    def the_reply(self) -> Reply:
        """The reply of the step under way, where there must be one."""
        assert self.reply is not None, "no step is under way"
        return self.reply

    @property
    def rung(self) -> Rung:
        """Where the run stands on the ladder that it steps down when something is refused."""
        return Rung(self.mode, self.loose, self.forced)

    def moved(self, place: int, rung: Rung) -> Self:
        """This state with another model to ask, which has refused nothing yet."""
        stands = {"mode": rung.mode, "loose": rung.loose, "forced": rung.forced}
        return self.changed(place=place, degraded_from=None, refused=None, **stands)

    @property
    def the_accepted(self) -> Accepted:
        """The accepted payload, where there must be one."""
        assert self.accepted is not None, "no payload was accepted"
        return self.accepted

    def __getstate__(self) -> dict[object, object]:
        """What a pickle holds: what JSON does, without the headers and exceptions beside it."""
        state = super().__getstate__()
        return {**state, "__dict__": {**state["__dict__"], "live": Live()}}

    def __eq__(self, other: object) -> bool:
        """Equal data."""
        if not isinstance(other, RunState):
            return NotImplemented
        mine, theirs = self.__dict__, other.__dict__
        return all(mine[name] == theirs[name] for name in mine if name != "live")

    def __hash__(self) -> int:
        """By run and position."""
        return hash((self.run_id, self.phase, self.ledger.steps))

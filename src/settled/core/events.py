"""What happened: the seven events. A runner makes them from what it did; they carry the time and the spend.

Below them stands what observers are told beside: how a run begins, pauses and ends, and what changes on the way.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from ..tools.control import Decision, EndRun, FailRun, NeedsApproval, ToolFailed
from ..vocabulary.errors import ProviderError, ProviderErrorKind
from ..vocabulary.exchange import ModelRequest, ModelResponse
from ..vocabulary.issues import Issue
from ..vocabulary.messages import Part, Prompt
from ..vocabulary.outcome import Failure, Paused, Success
from ..vocabulary.report import SubRun
from ..vocabulary.stop import OutputMode
from ..vocabulary.usage import Usage
from .ledger import Spent

Moment: TypeAlias = Literal["start", "before_model", "after_model", "approval", "step", "stop"]


def quiet(self: object) -> str:
    """The ``repr`` of what holds prompts, replies or the caller's values: the name alone."""
    return f"{type(self).__name__}()"


class Fault(NamedTuple):
    """The caller's code raised: it ends the run, and is never told to the model."""

    source: str
    """Which code: ``check:in_stock``."""
    exception: BaseException
    """What it raised."""

    def __repr__(self) -> str:
        return quiet(self)


class Halt(NamedTuple):
    """The caller's code called ``ctx.stop``."""

    source: str
    """Which code: ``tool:pay``."""
    text: str
    """What it said."""
    call_id: str | None = None
    """The call that it did so at, if at one."""

    def __repr__(self) -> str:
        return quiet(self)


class Fired(NamedTuple):
    """A stop condition that gave a reason."""

    place: int
    """Its place in ``stop_when``."""
    label: str
    """Its label."""
    message: str
    """Its reason."""


class ToolOutcome(NamedTuple):
    """What became of one call."""

    call_id: str
    """The call."""
    kind: Literal["returned", "failed", "skipped", "ended", "reported", "needs_approval", "crashed"]
    """``returned`` a text; ``failed``, to be told; ``skipped`` by a hook; ``ended`` the run with an output; ``reported`` a
    failure; ``needs_approval`` first; ``crashed``, which ends the run."""
    text: str = ""
    """What the model is told."""
    value: object = None
    """The output, the failure detail, or what to ask approval with."""
    exception: BaseException | None = None
    """What a crashed call raised."""
    source: str = ""
    """Whose code crashed, when it was not the tool's own."""
    media: tuple[Part, ...] = ()
    """What a returned text only names: pictures, recordings, files."""
    payload: str | None = None
    """Of a call that ended before the process died: the value as JSON, which ``value`` only shows."""
    sub_run: SubRun | None = None
    """Of a call of a sub-agent: its run."""

    def __repr__(self) -> str:
        return quiet(self)

    @property
    def seen(self) -> object:
        """What the hook after the call sees: a `ToolFailed` for a failure, a control result as it was returned, else the text; in
        a list with the media, if there are any.
        """
        if self.kind == "failed":
            return ToolFailed(self.text)
        made = {"ended": EndRun, "reported": FailRun, "needs_approval": NeedsApproval}.get(self.kind)
        if made is not None:
            return made(self.value)
        return [self.text, *self.media] if self.media else self.text


class ModelReplied(NamedTuple):
    """The model answered."""

    response: ModelResponse
    """What it said."""
    spent: Spent = Spent()
    """What it took."""


class ModelFailed(NamedTuple):
    """The provider gave no answer, also after its transport retries."""

    error: ProviderError
    """Why not."""
    spent: Spent = Spent()
    """What it took."""


class ToolsDone(NamedTuple):
    """The tools that were asked for have ended, each in its way."""

    outcomes: tuple[ToolOutcome, ...]
    """One for each call, in call order."""
    halt: Halt | None = None
    """The first ``ctx.stop``."""
    spent: Spent = Spent()
    """What it took."""

    def __repr__(self) -> str:
        return quiet(self)


class ChecksDone(NamedTuple):
    """The checks have looked at the value."""

    value: object
    """The value, as the checks left it."""
    replaced: bool = False
    """A check gave another value."""
    issues: tuple[Issue, ...] = ()
    """Why it does not do; empty when it does."""
    late: bool = False
    """A check took longer than the run's time."""
    halt: Halt | None = None
    """A check called ``ctx.stop``."""
    fault: Fault | None = None
    """A check raised."""
    spent: Spent = Spent()
    """What it took."""

    def __repr__(self) -> str:
        return quiet(self)


class Consulted(NamedTuple):
    """The caller's code was asked at a moment; only the fields that belong to the moment are filled."""

    moment: Moment
    """Which moment."""
    instructions: str | None = None
    """``start``: what callable instructions gave."""
    request: ModelRequest | None = None
    """``before_model``: another request."""
    retry: str | None = None
    """``after_model``: discard the reply, and tell the model this."""
    gated: tuple[str, ...] = ()
    """``approval``: the ids of calls that need a person."""
    fired: tuple[Fired, ...] = ()
    """``step``: the conditions that gave a reason, in order."""
    halt: Halt | None = None
    """Some code called ``ctx.stop``."""
    fault: Fault | None = None
    """Some code raised."""
    late: bool = False
    """Some code had not ended when the run's time was over."""
    spent: Spent = Spent()
    """What it took."""

    def __repr__(self) -> str:
        return quiet(self)


class Decided(NamedTuple):
    """A person decided: about pending calls, or to let a stopped run go on."""

    decisions: Mapping[str, Decision] = {}
    """Decisions by call id."""
    prompt: Prompt | None = None
    """More to tell the model, behind the tool results."""
    regrants: bool = False
    """The plan's budget was given anew, as the new total."""
    fault: Fault | None = None
    """The approver raised."""
    spent: Spent = Spent()
    """What it took."""

    def __repr__(self) -> str:
        return quiet(self)


class Interrupted(NamedTuple):
    """The caller cancelled, or nobody was there to decide."""

    by: str
    """The exception's name, or ``unattended``; of a stream also ``leaving the stream``, and ``restart`` where it must not."""
    spent: Spent = Spent()
    """What it took."""
    outcomes: tuple[ToolOutcome, ...] = ()
    """What is known of the calls that were under way, in call order: of those that had ended, and of sub-agents."""
    usage: Usage | None = None
    """What the reply under way used, where it was complete."""


Event: TypeAlias = ModelReplied | ModelFailed | ToolsDone | ChecksDone | Consulted | Decided | Interrupted


class SteppedDown(NamedTuple):
    """A server refused a feature by name, and the run goes on without it. Observers get it behind that `ModelFailed`.

    Example:
        >>> SteppedDown("native", "tool", "response_format").feature
        'response_format'
    """

    mode: OutputMode
    """The mode so far."""
    following: OutputMode
    """The mode from now on; the same one where only the schema, or the demand for a call, had to go."""
    feature: str
    """What was refused: a field of the request, or ``schema``."""


class FellBack(NamedTuple):
    """A model gave no answer, and the run goes on with the next one of its `Fallback`. Observers get it behind the `ModelFailed`.

    Example:
        >>> FellBack("openai:gpt-5-mini", "groq:llama-3.3-70b-versatile", "overloaded").kind
        'overloaded'
    """

    from_model: str
    """The model that failed, as ``service:name``."""
    to_model: str
    """The one that is asked from now on."""
    kind: ProviderErrorKind
    """How it failed: the kind of the `ProviderError`."""


class RunStarted(NamedTuple):
    """A run begins, or goes on after a pause or a stop. The first that observers are told.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> heard = []
        >>> Agent(int, name="clerk", model=ScriptedProvider(7), observers=[heard.append]).run("How many?")
        7
        >>> heard[0].agent, heard[0].mode
        ('clerk', 'native')
    """

    run_id: str
    """The run's id."""
    agent: str | None
    """The agent's name."""
    model: str | None
    """The model that is asked, by the provider's word."""
    mode: OutputMode
    """The output mode, resolved."""
    resumes: bool = False
    """It goes on from a checkpoint."""


class RunPaused(NamedTuple):
    """A run is handed back, since a person is to decide: the last that observers are told until it goes on.

    Example:
        >>> RunPaused.__match_args__
        ('paused',)
    """

    paused: Paused
    """What the caller gets."""


class RunEnded(NamedTuple):
    """A run has ended: the last that observers are told, also when it was cancelled.

    Example:
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> heard = []
        >>> Agent(int, model=ScriptedProvider(7), observers=[heard.append]).run("How many?")
        7
        >>> heard[-1].outcome.output
        7
    """

    outcome: Success[object] | Failure[object]
    """How: what the caller gets, or would get if it had not cancelled."""

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.outcome.run_id if isinstance(self.outcome, Success) else self.outcome.report.run_id


Watched: TypeAlias = Event | SteppedDown | FellBack | RunStarted | RunPaused | RunEnded
"""What observers are told of."""

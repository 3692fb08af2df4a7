"""The account of a run: what each attempt and step was (`Attempt`, `StepRecord`), and why it failed (`FailureReport`)."""

from datetime import datetime
from typing import ClassVar, Generic, Literal, TypeAlias

from pydantic import PrivateAttr
from typing_extensions import Self, TypeVar

from .finish import FinishReason
from .issues import Issue, Repair
from .messages import Message, ToolCall, ToolResult
from .stop import Error, OutputMode, ReportedFailure, RunStatus, StopCode, StopReason, ToolFailures
from .usage import Usage
from .value import Value

DetailT = TypeVar("DetailT", covariant=True, default=object)

AttemptOutcome: TypeAlias = Literal[
    "valid", "no_payload", "truncated", "ambiguous", "invalid", "check_failed", "reported", "refused", "filtered", "error"
]


class GaveUp(Value):
    """The task cannot be finished; say why, and what stands in the way."""

    reason: str
    """Why it cannot be finished."""
    blocked_by: list[str] = []
    """What would have to change first."""


class TransportFault(Value):
    """One HTTP attempt that failed, within one model call."""

    shown: ClassVar[tuple[str, ...]] = ("kind", "status_code", "waited")
    kind: str
    """The kind of the `ProviderError`."""
    status_code: int | None = None
    """The HTTP status, where there was one."""
    message: str = ""
    """What was said, scrubbed of keys."""
    waited: float | None = None
    """Seconds until the next attempt; None when there was none."""


class Attempt(Value):
    """One try of the model at the output: what it wrote, how that was judged, what it was told."""

    shown: ClassVar[tuple[str, ...]] = ("step", "outcome", "finish_reason", "usage")
    step: int
    """The step it was made in, from 1."""
    outcome: AttemptOutcome
    """How it was judged."""
    raw: str | None = None
    """What the model wrote as payload, verbatim; None when it wrote none."""
    issues: tuple[Issue, ...] = ()
    """Where it did not fit."""
    repairs: tuple[Repair, ...] = ()
    """What recovery mended, in order."""
    feedback: str | None = None
    """What the model was told; None when it was not asked again."""
    mode: OutputMode
    """The mode it was made in."""
    finish_reason: FinishReason
    """Why the call ended."""
    usage: Usage
    """What the call cost."""
    seconds: float = 0.0
    """How long the call took."""
    transport: tuple[TransportFault, ...] = ()
    """The HTTP attempts of the call that failed, in order."""
    model: str | None = None
    """Which model of a `Fallback` made it, as ``service:name``; None where there was only one to ask."""


class StepRecord(Value):
    """One model call and the tools that it led to."""

    shown: ClassVar[tuple[str, ...]] = ("number", "finish_reason", "usage")
    number: int
    """Which step of the run, from 1."""
    purpose: Literal["ask", "reask", "final"] = "ask"
    """Why the model was called: to go on, to try again, or for the last word."""
    finish_reason: FinishReason
    """Why the call ended."""
    usage: Usage
    """What the call cost."""
    seconds: float = 0.0
    """How long the call took, tools not included."""
    model: str | None = None
    """The model that answered."""
    tool_calls: tuple[ToolCall, ...] = ()
    """What it called, in order."""
    tool_results: tuple[ToolResult, ...] = ()
    """What it was answered."""
    added: int = 0
    """How many messages of the conversation came of it; none of a reply that was cut off and asked for again."""
    remarks: tuple[str, ...] = ()
    """What was odd about the reply, as codes: those of `ModelResponse`; ``schema_not_enforced`` for a text in native mode that
    does not fit, although the service was to hold it to the schema; and, of an output and a failure report in one reply, which
    one was not taken: ``report_not_taken`` beside a valid output, ``output_not_taken`` where it did not fit."""
    transport: tuple[TransportFault, ...] = ()
    """The HTTP attempts of the call that failed, in order."""
    sub_runs: "tuple[SubRun, ...]" = ()
    """The runs of sub-agents that its calls made (`Agent.as_tool`), in call order."""


class SubRun(Value):
    """The run of a sub-agent, in the account of the step whose call made it. Its usage is a part of the run's usage."""

    shown: ClassVar[tuple[str, ...]] = ("run_id", "usage")
    call_id: str
    """The call."""
    agent: str | None = None
    """The sub-agent's name."""
    run_id: str = ""
    """The id of its own run."""
    stop_reason: StopReason | None = None
    """How it ended: an `Output` where it succeeded. None where it was left before it ended: the rest is how far it had come."""
    usage: Usage = Usage.model_construct()
    """What it cost, its own sub-agents included."""
    unknown: tuple[Literal["tokens", "cost"], ...] = ()
    """What some request of it did not report, so that ``usage`` misses it."""
    elapsed: float = 0.0
    """Active seconds."""
    steps: tuple[StepRecord, ...] = ()
    """Its steps, where it succeeded; else they are in its report."""
    report: "FailureReport | None" = None
    """Why it ended without an output, with all that happened on the way; ``detail`` is plain data here."""

    def redacted(self) -> Self:
        """A copy without any text of prompts, replies and tools, as `FailureReport.redacted`."""
        return self.changed(
            stop_reason=None if self.stop_reason is None else _bare(self.stop_reason),
            steps=tuple(_silent_step(step) for step in self.steps),
            report=None if self.report is None else self.report.redacted(),
        )


class PendingCall(Value):
    """A tool call that waits for a person or for an external result."""

    shown: ClassVar[tuple[str, ...]] = ("kind", "call")
    kind: Literal["approval", "external", "question", "uncertain"]
    """``approval`` may it run, ``external`` someone else runs it, ``question`` the tool itself asked, ``uncertain`` it was begun
    when the process died, and nobody knows whether it had its effect."""
    call: ToolCall
    """The call, with the arguments exactly as they would run."""
    args_digest: str
    """SHA-256 of the call's name and arguments, for a decision to refer to: ``Approved(digest=...)``."""
    payload: object = None
    """What the tool gave to ask with, as plain JSON data."""


class FailureReport(Value, Generic[DetailT]):
    """Why a run ended without an output, and everything that happened on the way.

    ``repr`` shows code and counts only; ``print(report.render())`` is the long form. The JSON form holds prompts and replies in
    clear; ``redacted()`` gives a copy without them.
    """

    shown: ClassVar[tuple[str, ...]] = ("code", "status", "mode", "usage", "run_id")
    code: StopCode
    """The kind of the stop reason: a closed set to match on."""
    status: RunStatus
    """``failed``, ``stopped`` or ``cancelled``."""
    summary: str
    """One sentence."""
    stop_reason: StopReason
    """Why the run ended, in full."""
    detail: DetailT | None = None
    """The model's own typed report, when it gave one."""
    blocked_by: tuple[str, ...] = ()
    """What the model named as standing in the way."""
    retryable: bool = False
    """Whether the same run, made again, may well end better."""
    retry_at: datetime | None = None
    """When the provider said to come back."""
    remedy: str = ""
    """What to do next."""
    attempts: tuple[Attempt, ...] = ()
    """Every try at the output, in order."""
    partial_output: object = None
    """The last payload as plain data, if it was JSON at all. It was not validated."""
    last_text: str | None = None
    """The last text that the model wrote."""
    finish_reason: FinishReason | None = None
    """Why the last call ended; None when it got no answer."""
    tool_call: ToolCall | None = None
    """The call that ended the run, if one did."""
    pending: tuple[PendingCall, ...] = ()
    """Calls that wait for a decision."""
    secondary: tuple[StopReason, ...] = ()
    """Other reasons that would have ended the run at the same step, and the errors after which a `Fallback` went on."""
    steps: tuple[StepRecord, ...] = ()
    """Every model call, in order."""
    messages: tuple[Message, ...] = ()
    """The conversation; every call in it is answered, so it can be continued."""
    usage: Usage = Usage.model_construct()
    """What the whole run cost."""
    elapsed: float = 0.0
    """Active seconds."""
    run_id: str = ""
    """The run's id."""
    mode: OutputMode = "auto"
    """The mode used."""
    degraded_from: OutputMode | None = None
    """The mode in which a server refused a request on the way; see `Success.degraded_from`."""
    degraded_by: str | None = None
    """The feature that it refused."""
    agent: str | None = None
    """The agent's name."""
    _exception: BaseException | None = PrivateAttr(None)

    @property
    def exception(self) -> BaseException | None:
        """The exception behind an ``error``; lost in JSON and pickle."""
        beside: BaseException | None = (self.__pydantic_private__ or {}).get("_exception")
        return beside

    def caused_by(self, exception: BaseException | None) -> Self:
        """This report, holding the live exception beside it."""
        object.__setattr__(self, "__pydantic_private__", {"_exception": exception})
        return self

    def __eq__(self, other: object) -> bool:
        """Equal data; the live exception does not count."""
        return isinstance(other, FailureReport) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        """By the data."""
        return super().__hash__()

    def __getstate__(self) -> dict[object, object]:
        """What pickle and copy take: the data without the live exception."""
        return {**super().__getstate__(), "__pydantic_private__": {"_exception": None}}

    def redacted(self) -> Self:
        """A copy without any text of prompts, replies, tools or the model's report: codes, counts, paths and usage stay."""
        return self.changed(
            detail=None,
            blocked_by=(),
            partial_output=None,
            last_text=None,
            messages=(),
            pending=(),
            tool_call=None,
            stop_reason=_bare(self.stop_reason),
            secondary=tuple(_bare(reason) for reason in self.secondary),
            summary=f"run ended: {self.code}",
            attempts=tuple(
                attempt.changed(
                    raw=None,
                    feedback=None,
                    transport=_silent(attempt.transport),
                    issues=tuple(issue.changed(message=issue.code, got=None) for issue in attempt.issues),
                    repairs=tuple(repair.changed(before=None, after=None) for repair in attempt.repairs),
                )
                for attempt in self.attempts
            ),
            steps=tuple(_silent_step(step) for step in self.steps),
        )

    def _requests(self) -> str:
        """How many HTTP requests were answered and how many failed, and the tokens."""
        usage, tokens = self.usage, self.usage.total_tokens
        failed = sum(len(step.transport) for step in self.steps)
        failed += sum(len(attempt.transport) for attempt in self.attempts if attempt.outcome == "error")  # these are no steps
        told = f"{usage.requests} request(s) answered" + (f", {failed} failed" if failed else "")
        return f"{told}, " + ("tokens unknown" if tokens is None else f"{tokens} tokens")

    def render(self) -> str:
        """The long form for people: the reason, the remedy, and each attempt with its issues. It shows excerpts of replies."""
        reason = self.stop_reason
        lines = [f"{self.code}: {self.summary}"]
        lines += [f"  what next: {self.remedy}"] if self.remedy else []
        lines += [f"  mode {self.mode}, {len(self.steps)} step(s), {self.elapsed:.1f} s, {self._requests()}, run {self.run_id}"]
        for attempt in self.attempts:
            by = "" if attempt.model is None else f" by {attempt.model}"
            lines.append(f"  attempt at step {attempt.step}{by}: {attempt.outcome} (finish reason {attempt.finish_reason})")
            lines += [f"    {_told(fault)}" for fault in attempt.transport]
            lines += [f"    {issue.line}" for issue in attempt.issues]
            lines += [f"    mended {repair.code} at {repair.path}" for repair in attempt.repairs]
        for step in self.steps:
            lines += [f"  sub-run at step {step.number}: {_ended(sub)}" for sub in step.sub_runs]
        lines += [f"  waits: {wait.kind} of {wait.call.name} ({wait.call.id})" for wait in self.pending]
        lines += [f"  the last failure: {_short(reason.text)}"] if isinstance(reason, ToolFailures) and reason.text else []
        lines += [f"  the model's report: {_short(str(reason.payload))}"] if isinstance(reason, ReportedFailure) else []
        lines += [f"  also: {_shown(other)}" for other in self.secondary]
        lines += [f"  last text: {_short(self.last_text)}"] if self.last_text else []
        return "\n".join(lines)


_CONTENT = {"payload": None, "text": None, "message": "", "raw": None}


def _bare(reason: StopReason) -> StopReason:
    """The reason without what a model, tool or exception said."""
    if isinstance(reason, ToolFailures):
        return reason.changed(tool_call=reason.tool_call.changed(id="", name="", arguments=""), text="")
    return reason.changed(**{name: empty for name, empty in _CONTENT.items() if name in reason.__dict__})


def _shown(reason: StopReason) -> str:
    return f"{reason.label} ({reason.model})" if isinstance(reason, Error) and reason.model is not None else reason.label


def _silent(faults: tuple[TransportFault, ...]) -> tuple[TransportFault, ...]:
    return tuple(fault.changed(message="") for fault in faults)


def _silent_step(step: StepRecord) -> StepRecord:
    subs = tuple(sub.redacted() for sub in step.sub_runs)
    return step.changed(tool_calls=(), tool_results=(), transport=_silent(step.transport), sub_runs=subs)


def _ended(sub: SubRun) -> str:
    """Which sub-agent a call ran, and how that ended."""
    how = "left before it ended" if sub.stop_reason is None else sub.stop_reason.label
    return f"{sub.agent or 'agent'} ({sub.call_id}): {how}, run {sub.run_id}"


def _told(fault: TransportFault) -> str:
    status = "" if fault.status_code is None else f" (HTTP {fault.status_code})"
    waited = "" if fault.waited is None else f"; asked again after {fault.waited:.1f} s"
    return f"request failed: {fault.kind}{status}{waited}"


def _short(text: str, limit: int = 200) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[:limit] + "..."

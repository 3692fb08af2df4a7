"""Why a run ended: one frozen value from a closed union, set once.

    completed   output
    failed      reported_failure output_invalid no_output truncated refused content_filtered tool_failures error other
    stopped     step_limit tool_call_limit token_limit cost_limit time_limit usage_unknown
                condition approval_required hook single_step
    cancelled   cancelled

A *stopped* run was ended by the caller's own bound or wish, so it can be resumed; a *failed* one was ended by a fault.
"""

from datetime import datetime
from enum import Enum
from typing import Annotated, ClassVar, Literal, TypeAlias, TypeVar, get_args

from pydantic import BeforeValidator, Field
from typing_extensions import TypeAliasType

from .finish import FinishReason
from .messages import ToolCall
from .narrowing import is_mapping
from .value import Value

OutputMode: TypeAlias = Literal["auto", "tool", "native", "prompted", "text"]
"""How the output is asked for. ``auto`` is resolved for each run and never reported as the mode used."""


class RunStatus(str, Enum):
    """Where a run stands.

    Example:
        >>> from settled import RunStatus
        >>> RunStatus("stopped") is RunStatus.STOPPED
        True
    """

    PENDING = "pending"
    """Not started."""
    RUNNING = "running"
    """Between two events."""
    PAUSED = "paused"
    """Waits for a person or an external result; can be resumed."""
    COMPLETED = "completed"
    """A validated output exists."""
    FAILED = "failed"
    """Ended by a fault."""
    STOPPED = "stopped"
    """Ended by the caller's bound, condition or hook; can be resumed."""
    CANCELLED = "cancelled"
    """Cancelled by the caller."""

    def __str__(self) -> str:
        """The plain word."""
        return self.value


_R = TypeVar("_R", bound="Reason")


class Reason(Value):
    """Base of all stop reasons. Each has a ``kind`` to match on, a ``label`` for logs and a ``message`` for people."""

    shown: ClassVar[tuple[str, ...]] = ("label",)
    status: ClassVar[RunStatus] = RunStatus.FAILED
    remedy: ClassVar[str] = ""

    @property
    def label(self) -> str:
        """The kind, with the limit where there is one: ``step_limit:20``."""
        return str(self.__dict__["kind"])

    @property
    def is_success(self) -> bool:
        """True only for ``output``."""
        return self.status is RunStatus.COMPLETED

    @property
    def retryable(self) -> bool:
        """Whether the same run, made again, may well end better."""
        return False

    def as_(self, kind: type[_R]) -> _R | None:
        """This reason if it is of that class, else None.

        Example:
            >>> from settled.vocabulary.stop import NoOutput, Refused
            >>> NoOutput().as_(Refused) is None
            True
        """
        return self if isinstance(self, kind) else None


class Output(Reason):
    """A validated output was accepted."""

    status = RunStatus.COMPLETED
    kind: Literal["output"] = "output"
    via: Literal["tool", "native", "prompted", "text", "tool_result"]
    """The mode it came by, or ``tool_result`` when a tool ended the run."""
    tool_call_id: str | None = None
    """The call that carried it."""
    attempts: int = 1
    """Attempts made, the good one included."""

    @property
    def message(self) -> str:
        """One sentence."""
        return f"the output was accepted at attempt {self.attempts}"


class ReportedFailure(Reason):
    """The model used the failure type to say that it cannot finish."""

    remedy = "read report.detail; give the model what it lacks, or show the report to a person"
    kind: Literal["reported_failure"] = "reported_failure"
    payload: object = None
    """What the model reported, as plain JSON data, in the form in which it was written."""
    option: str = ""
    """The alternative that it chose."""
    tool_call_id: str | None = None
    """The call that carried it."""

    @property
    def message(self) -> str:
        """One sentence."""
        return "the model reported that it cannot finish"


class OutputInvalid(Reason):
    """The output retries were spent without a valid output."""

    remedy = "raise Budget.output_retries, relax the field named by the issues, or use a stronger model"
    kind: Literal["output_invalid"] = "output_invalid"
    attempts: int
    """Attempts made."""
    mode: OutputMode
    """The mode used."""
    issues: tuple[str, ...] = ()
    """Where the last attempt did not fit: paths only."""

    @property
    def retryable(self) -> bool:
        """Models vary: the next run may fit."""
        return True

    @property
    def message(self) -> str:
        """One sentence."""
        where = f" (at {', '.join(self.issues)})" if self.issues else ""
        return f"no valid output in {self.attempts} {_plural('attempt', self.attempts)}{where}"


class NoOutput(Reason):
    """The model ended with text, or with nothing, instead of an output."""

    remedy = "say in the instructions what to produce, raise Budget.output_retries, or try another mode"
    kind: Literal["no_output"] = "no_output"
    empty: bool = False
    """The last reply held no text at all."""

    @property
    def retryable(self) -> bool:
        """Models vary: the next run may answer."""
        return True

    @property
    def message(self) -> str:
        """One sentence."""
        return "the model's reply was empty" if self.empty else "the model answered without an output"


class Truncated(Reason):
    """A reply was cut off before its payload was complete."""

    remedy = "raise Settings.max_tokens (and Budget.max_tokens_ceiling), or ask for less"
    kind: Literal["truncated"] = "truncated"
    finish_reason: FinishReason
    """Why the last call ended."""
    max_tokens: int | None = None
    """The token cap that was in force; None when none was sent."""
    in_tool_call: bool = False
    """The cut fell inside a tool call."""

    @property
    def retryable(self) -> bool:
        """With a larger cap it may fit."""
        return True

    @property
    def message(self) -> str:
        """One sentence."""
        cap = f" at the cap of {self.max_tokens} tokens" if self.max_tokens is not None else ""
        return f"the reply was cut off{cap}" + (" inside a tool call" if self.in_tool_call else "")


class Refused(Reason):
    """The model declined to answer."""

    remedy = "a refusal is final for this prompt: change the prompt or the model"
    kind: Literal["refused"] = "refused"
    text: str | None = None
    """What the model said."""

    @property
    def message(self) -> str:
        """One sentence."""
        return "the model refused to answer"


class ContentFiltered(Reason):
    """The provider's filter withheld the reply."""

    remedy = "change the prompt, or the provider's filter settings"
    kind: Literal["content_filtered"] = "content_filtered"
    finish_reason: FinishReason
    """Why the last call ended."""

    @property
    def message(self) -> str:
        """One sentence."""
        return "the provider filtered the reply"


class ToolFailures(Reason):
    """Tools failed too often."""

    remedy = (
        "fix the tool or its description, or raise the limit of the scope: Budget.tool_retries, or the tool's own retries, "
        "for call, tool_failures_total for run, invalid_tool_retries for unknown_tool"
    )
    kind: Literal["tool_failures"] = "tool_failures"
    tool_call: ToolCall
    """The call that was one too many."""
    count: int
    """Failures counted."""
    scope: Literal["call", "run", "unknown_tool"]
    """``call`` one tool with the same arguments; ``run`` any; ``unknown_tool`` unknown names, or arguments that do not fit."""
    text: str = ""
    """What the model was told of the last failure."""

    @property
    def label(self) -> str:
        """The kind and its scope."""
        return f"tool_failures:{self.scope}"

    @property
    def retryable(self) -> bool:
        """Tools and models vary."""
        return True

    @property
    def message(self) -> str:
        """One sentence."""
        many = f"{self.count} {_plural('failure', self.count)}"
        return f"tool {self.tool_call.name[:64]!r} was the last of {many} (scope {self.scope})"


class _Limit(Reason):
    status = RunStatus.STOPPED

    @property
    def label(self) -> str:
        """The kind and the limit."""
        return f"{self.__dict__['kind']}:{self.__dict__['limit']}"

    @property
    def retryable(self) -> bool:
        """Resume with a larger budget."""
        return True

    @property
    def message(self) -> str:
        """One sentence."""
        used, limit = self.__dict__["used"], self.__dict__["limit"]
        shown = round(used, 2) if isinstance(used, float) else used
        return f"{self.__dict__['kind'].replace('_', ' ')} reached: {shown} of {limit} used"


class StepLimit(_Limit):
    """All steps were used."""

    remedy = "agent.resume(failure, budget=...) with a larger max_steps"
    kind: Literal["step_limit"] = "step_limit"
    limit: int
    """``Budget.max_steps``."""
    used: int
    """Replies asked for."""


class ToolCallLimit(_Limit):
    """The next turn would have started more tools than allowed."""

    remedy = "agent.resume(failure, budget=...) with a larger max_tool_calls"
    kind: Literal["tool_call_limit"] = "tool_call_limit"
    limit: int
    """``Budget.max_tool_calls``."""
    used: int
    """Executions started."""

    @property
    def message(self) -> str:
        """One sentence."""
        return f"the reply asks for more tool calls than are left: {self.used} of {self.limit} used"


class TokenLimit(_Limit):
    """A token limit was used up."""

    remedy = "agent.resume(failure, budget=...) with larger max_input_tokens, max_output_tokens or max_total_tokens"
    kind: Literal["token_limit"] = "token_limit"
    which: Literal["input", "output", "total"]
    """Which of the three limits."""
    limit: int
    """The limit."""
    used: int
    """Tokens used."""

    @property
    def message(self) -> str:
        """One sentence."""
        return f"token limit reached: {self.used} of {self.limit} {self.which} tokens used"


class CostLimit(_Limit):
    """The cost limit was used up."""

    remedy = "agent.resume(failure, budget=...) with a larger max_cost"
    kind: Literal["cost_limit"] = "cost_limit"
    limit: str
    """``Budget.max_cost`` in USD."""
    used: str
    """USD used."""


class TimeLimit(_Limit):
    """The time was used up."""

    remedy = "agent.resume(failure, budget=...) with a larger max_duration"
    kind: Literal["time_limit"] = "time_limit"
    limit: float
    """``Budget.max_duration`` in seconds."""
    used: float
    """Active seconds used."""


class UsageUnknown(Reason):
    """A token or cost limit is set, and the provider did not report what it would need."""

    status = RunStatus.STOPPED
    remedy = (
        'agent.resume(failure, budget=...) with on_unknown_usage="ignore", and bound the run by steps and time; '
        "of a cost, Budget.price can tell"
    )
    kind: Literal["usage_unknown"] = "usage_unknown"
    which: Literal["tokens", "cost"]
    """What is unknown."""

    @property
    def message(self) -> str:
        """One sentence."""
        return f"the provider reported no {self.which}, which the budget limits"


class Condition(Reason):
    """A stop condition fired."""

    status = RunStatus.STOPPED
    remedy = "nothing: the run ended as the condition asked; agent.resume(failure) goes on"
    kind: Literal["condition"] = "condition"
    name: str
    """The condition's label, e.g. ``max_tokens:40000``."""
    message: str
    """The reason it gave."""
    index: int = 0
    """Its place in ``stop_when``."""
    also_fired: tuple[str, ...] = ()
    """Labels of later conditions that fired at the same step."""

    @property
    def label(self) -> str:
        """The condition's own label."""
        return self.name


class ApprovalRequired(Reason):
    """Some calls need a person, and nobody was there to decide."""

    status = RunStatus.STOPPED
    remedy = "agent.resume(failure, decisions), give approver=, or use agent.start"
    kind: Literal["approval_required"] = "approval_required"
    call_ids: tuple[str, ...]
    """The calls that wait; ``report.pending`` holds them."""

    @property
    def message(self) -> str:
        """One sentence."""
        count = len(self.call_ids)
        return "1 call waits for a decision" if count == 1 else f"{count} calls wait for a decision"


class Hook(Reason):
    """A hook, check or tool called ``ctx.stop(...)``."""

    status = RunStatus.STOPPED
    remedy = "nothing: the run ended as the hook asked; agent.resume(failure) goes on"
    kind: Literal["hook"] = "hook"
    hook: str
    """Which one, e.g. ``check:in_stock``."""
    message: str
    """What it said."""


class SingleStep(Reason):
    """``run_once`` did its one step."""

    status = RunStatus.STOPPED
    remedy = "agent.resume(failure) goes on"
    kind: Literal["single_step"] = "single_step"

    @property
    def message(self) -> str:
        """One sentence."""
        return "the one step that was asked for is done"


class Cancelled(Reason):
    """The caller cancelled."""

    status = RunStatus.CANCELLED
    remedy = "nothing: the caller cancelled"
    kind: Literal["cancelled"] = "cancelled"
    by: str
    """The exception that did it; or ``leaving its steps``."""

    @property
    def message(self) -> str:
        """One sentence."""
        return f"cancelled by {self.by}"


class Error(Reason):
    """A provider, or the caller's own code, raised."""

    remedy = "mend the code that stop_reason.source names; report.exception is what it raised"
    kind: Literal["error"] = "error"
    error_type: str
    """A provider error's kind (``rate_limited``), or the class name of an exception."""
    message: str
    """What it said, scrubbed of keys."""
    source: str
    """Who raised: ``provider``, ``validator:ReleaseNotes``, ``check:in_stock``, ``hook:after_step``, ``tool:look_up``."""
    status_code: int | None = None
    """The HTTP status, where there was one."""
    may_recover: bool = False
    """Whether the fault is known to pass by itself."""
    retry_at: datetime | None = None
    """When the provider said to come back."""
    model: str | None = None
    """Which model of a `Fallback` it was, as ``service:name``; None where there was only one to ask."""

    @property
    def label(self) -> str:
        """The kind and the error's type."""
        return f"error:{self.error_type}"

    @property
    def retryable(self) -> bool:
        """As the error says."""
        return self.may_recover


class Other(Reason):
    """A reason that a later release wrote."""

    remedy = "upgrade settled: a later release wrote this reason"
    kind: Literal["other"] = "other"
    raw: object
    """The reason as plain JSON data."""

    @property
    def message(self) -> str:
        """One sentence."""
        return "a reason that this release does not know"


_REMEDIES = {
    "auth": "check the API key and what it may use",
    "not_found": "check the model's name and the base URL",
    "quota": "the account's quota is used up: add to it, or use another account",
    "rate_limited": "wait (until report.retry_at, if it is given), then run again; or ask for less at once",
    "overloaded": "run again later, or use another model",
    "server": "run again later; raise Budget.transport_retries to wait longer",
    "timeout": "raise Settings.timeout or Budget.max_duration, or ask for less",
    "connection": "check the network and the base URL, then run again",
    "context_overflow": "shorten the prompt or the history, or use a model with a larger window",
    "invalid_request": "the service refused the request: see stop_reason.message",
    "bad_response": "what came was no answer (see stop_reason.message): check the base URL, and proxies on the way",
    "stream_incomplete": "the reply broke off before its end: run again",
}


def remedy_for(reason: "StopReason") -> str:
    """What to do next about a reason.

    Example:
        >>> remedy_for(Error(error_type="auth", message="bad key", source="provider"))
        'check the API key and what it may use'
    """
    if isinstance(reason, Error) and reason.source == "provider":
        return _REMEDIES.get(reason.error_type, reason.remedy)
    return reason.remedy


StopCode: TypeAlias = Literal[
    "output", "reported_failure", "output_invalid", "no_output", "truncated", "refused", "content_filtered", "tool_failures",
    "step_limit", "tool_call_limit", "token_limit", "cost_limit", "time_limit", "usage_unknown", "condition",
    "approval_required", "hook", "single_step", "cancelled", "error", "other",
]  # fmt: skip
_CODES = frozenset(get_args(StopCode))


def _tolerate(data: object) -> object:
    """A kind that a later release wrote is kept as ``other``, with all its data."""
    if is_mapping(data) and data.get("kind") not in _CODES:
        return {"kind": "other", "raw": data}
    return data


StopReason = TypeAliasType(
    "StopReason",
    Annotated[
        Annotated[
            Output | ReportedFailure | OutputInvalid | NoOutput | Truncated | Refused | ContentFiltered | ToolFailures
            | StepLimit | ToolCallLimit | TokenLimit | CostLimit | TimeLimit | UsageUnknown | Condition
            | ApprovalRequired | Hook | SingleStep | Cancelled | Error | Other,
            Field(discriminator="kind"),
        ],
        BeforeValidator(_tolerate),
    ],
)  # fmt: skip
"""Any of the reasons above; match on the class, or on ``.kind``."""


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else noun + "s"

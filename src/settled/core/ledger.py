"""The one ledger of a run: what was used, what is left, and which limit is spent. Everything that draws on the budget is here."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import ClassVar, Literal, NamedTuple

from ..vocabulary.budget import Budget
from ..vocabulary.report import SubRun, TransportFault
from ..vocabulary.stop import CostLimit, StepLimit, StopReason, TimeLimit, TokenLimit, UsageUnknown
from ..vocabulary.usage import Usage
from ..vocabulary.value import Value, changed_by


class Spent(NamedTuple):
    """What carrying out one action took."""

    seconds: float = 0.0
    """Active time."""
    requests: int = 0
    """HTTP requests made, failed ones included."""
    uncertain: int = 0
    """Requests that broke after they were sent."""
    faults: tuple[TransportFault, ...] = ()
    """The requests that failed, in order."""
    usage: Usage | None = None
    """What those reported before they failed; None where none did."""


class Cap(NamedTuple):
    """The token cap of a request."""

    tokens: int | None = None
    """The cap; None when none is sent."""
    by_budget: bool = False
    """The budget lowered it below what the settings, or a retry, ask for."""


class Ledger(Value):
    """What one run has used. Counters only grow."""

    shown: ClassVar[tuple[str, ...]] = ("steps", "usage", "seconds")
    steps: int = 0
    """Replies asked for."""
    requests: int = 0
    """HTTP requests made, by the run itself."""
    output_retries: int = 0
    """Re-asks for the output."""
    truncation_retries: int = 0
    """Re-asks with a larger cap."""
    invalid_tool_replies: int = 0
    """Replies with calls that could not be run."""
    tool_calls: int = 0
    """Executions started."""
    tool_failures: int = 0
    """Failures of all tools."""
    failed_calls: dict[str, int] = {}
    """Failures by tool and canonical arguments."""
    usage: Usage = Usage.model_construct()
    """Tokens and cost."""
    unknown: tuple[Literal["tokens", "cost"], ...] = ()
    """What some request did not report."""
    seconds: float = 0.0
    """Active time."""

    def drawn(self, spent: Spent, usage: Usage | None = None, *, steps: int = 0) -> "Ledger":
        """The ledger after an action, with what the model reported and the replies that were asked for.

        Example:
            >>> Ledger().drawn(Spent(seconds=2.0)).seconds
            2.0
        """
        unknown = self.unknown
        if usage is None:
            total = self.usage
        else:
            if (usage.input_tokens or 0) < 0 or (usage.output_tokens or 0) < 0 or (usage.cost or 0) < 0:
                usage = _believable(usage)
            total = self.usage + usage
            if usage.input_tokens is None or usage.output_tokens is None or usage.cost is None or not usage.complete:
                more = _unreported(usage)
                unknown = tuple(sorted({*unknown, *more})) if unknown else more
        if spent.usage is not None:
            total += _believable(spent.usage)
            unknown = tuple(sorted({*unknown, *_unreported(spent.usage)}))
        if spent.uncertain:
            total = total.changed(uncertain_requests=total.uncertain_requests + spent.uncertain, complete=False)
            unknown = _ALL
        sums = {
            "seconds": self.seconds + spent.seconds,
            "requests": self.requests + spent.requests,
            "steps": self.steps + steps,
            "usage": total,
            "unknown": unknown,
        }
        return changed_by(self, sums)

    def charged(self, sub_run: SubRun) -> "Ledger":
        """The ledger with what a sub-agent used: its tokens and its cost count, its steps and requests are its own.

        Example:
            >>> Ledger(steps=1).charged(SubRun(call_id="c1", usage=Usage(requests=2, input_tokens=5))).usage.input_tokens
            5
        """
        unknown = tuple(sorted({*self.unknown, *sub_run.unknown}))
        return changed_by(self, {"usage": self.usage + sub_run.usage, "unknown": unknown})


_ALL: tuple[Literal["tokens", "cost"], ...] = ("cost", "tokens")


def _believable(usage: Usage) -> Usage:
    """Without counters below 0, which would give budget back: they are unknown."""
    wrong = [name for name in ("input_tokens", "output_tokens", "cost") if (usage.__dict__[name] or 0) < 0]
    return usage.changed(**dict.fromkeys(wrong))


def _unreported(usage: Usage) -> tuple[Literal["tokens", "cost"], ...]:
    """What a request did not report."""
    if not usage.complete:
        return _ALL
    if usage.input_tokens is None or usage.output_tokens is None:
        return _ALL if usage.cost is None else ("tokens",)
    return ("cost",)


class Allowance(NamedTuple):
    """What an action may use."""

    calls: int = 1
    """HTTP attempts."""
    seconds: float | None = None
    """Seconds; None is no bound."""


def allowance(budget: Budget, ledger: Ledger) -> Allowance:
    """What the next action may use.

    Example:
        >>> allowance(Budget(transport_retries=1, max_duration=5), Ledger(seconds=2.0))
        Allowance(calls=2, seconds=3.0)
    """
    left = None if budget.max_duration is None else max(0.0, budget.max_duration - ledger.seconds)
    return Allowance(1 + budget.transport_retries, left)


def remaining(budget: Budget, ledger: Ledger) -> Budget:
    """What is left, as a budget: what user code sees as ``ctx.budget``.

    Example:
        >>> remaining(Budget(max_steps=3), Ledger(steps=1)).max_steps
        2
    """
    used = {name: count(ledger) for name, count in _USED.items()}
    left = {name: max(0, limit - used[name]) for name, limit in budget.__dict__.items() if name in used and limit is not None}
    return budget.changed(**left)


_SHARED = ("max_input_tokens", "max_output_tokens", "max_total_tokens", "max_cost", "max_duration")


def within(own: Budget, left: Budget) -> Budget:
    """The budget of a sub-agent: its own, with tokens, cost and time no larger than what its caller has left.

    What a reply costs is asked of the caller's price function where it has none; and where only the caller limits tokens or
    cost, the caller says what becomes of unknown usage.

    Example:
        >>> within(Budget(max_steps=3, max_duration=60), Budget(max_steps=1, max_duration=5)).max_duration
        5.0
    """
    changes: dict[str, object] = {}
    for name in _SHARED:
        mine, theirs = own.__dict__[name], left.__dict__[name]
        if theirs is not None:
            changes[name] = theirs if mine is None else min(mine, theirs)
    if all(own.__dict__[name] is None for name in _SHARED[:-1]):
        changes["on_unknown_usage"] = left.on_unknown_usage
    return own.changed(**changes, price=own.price or left.price)


def overdrawn(budget: Budget, ledger: Ledger) -> str | None:
    """The name of the first limit that is below what was used; None when the budget covers it.

    Example:
        >>> overdrawn(Budget(max_steps=1), Ledger(steps=2))
        'max_steps'
    """
    for name, count in _USED.items():
        limit = budget.__dict__[name]
        if limit is not None and limit < count(ledger):
            return name
    return None


def spent_limit(budget: Budget, ledger: Ledger) -> StopReason | None:
    """The limit that forbids the next model call, if one does: steps, tokens, cost, time, in this order.

    Example:
        >>> spent_limit(Budget(max_steps=2), Ledger(steps=2)).label
        'step_limit:2'
    """
    if ledger.steps >= budget.max_steps:
        return StepLimit(limit=budget.max_steps, used=ledger.steps)
    if budget.max_cost is None and budget.max_duration is None:  # the usual budget, asked about before every call
        return _tokens_spent(budget, ledger)
    return _tokens_spent(budget, ledger) or _cost_spent(budget, ledger) or time_spent(budget, ledger)


def time_spent(budget: Budget, ledger: Ledger) -> TimeLimit | None:
    """Whether the time is used up.

    Example:
        >>> time_spent(Budget(max_duration=2), Ledger(seconds=2.5)).label
        'time_limit:2.0'
    """
    over = budget.max_duration is not None and ledger.seconds >= budget.max_duration
    return out_of_time(budget, ledger) if over else None


def out_of_time(budget: Budget, ledger: Ledger) -> TimeLimit:
    """The end of a run whose time is used up.

    Example:
        >>> out_of_time(Budget(max_duration=2), Ledger(seconds=2.0)).label
        'time_limit:2.0'
    """
    return TimeLimit(limit=budget.max_duration or 0.0, used=ledger.seconds)


def tokens_left(budget: Budget, ledger: Ledger) -> int | None:
    """How many tokens the next reply may have; None is no bound.

    Example:
        >>> tokens_left(Budget(max_output_tokens=100), Ledger(usage=Usage(requests=1, output_tokens=30)))
        70
    """
    output, total, usage = budget.max_output_tokens, budget.max_total_tokens, ledger.usage
    if output is None and total is None:
        return None
    pairs = ((output, usage.output_tokens), (total, usage.total_tokens))
    return max(1, min(limit - (used or 0) for limit, used in pairs if limit is not None))


def token_limit(budget: Budget, usage: Usage) -> TokenLimit | None:
    """The token limit that is used up, or that a cut reply ran into, if there is one."""
    limits: tuple[tuple[Literal["input", "output", "total"], int | None, int | None], ...] = (
        ("input", budget.max_input_tokens, usage.input_tokens),
        ("output", budget.max_output_tokens, usage.output_tokens),
        ("total", budget.max_total_tokens, usage.total_tokens),
    )
    for which, limit, used in limits:
        if limit is not None and (used or 0) >= limit:
            return TokenLimit(which=which, limit=limit, used=used or 0)
    return None


def _tokens_spent(budget: Budget, ledger: Ledger) -> StopReason | None:
    limited = budget.max_input_tokens, budget.max_output_tokens, budget.max_total_tokens
    if limited == (None, None, None):
        return None
    usage = ledger.usage
    spent = token_limit(budget, usage)
    unknown = "tokens" in ledger.unknown or (usage.requests and (usage.input_tokens is None or usage.output_tokens is None))
    if spent is None and unknown and budget.on_unknown_usage == "stop":
        return UsageUnknown(which="tokens")
    return spent


def _cost_spent(budget: Budget, ledger: Ledger) -> StopReason | None:
    if budget.max_cost is None:
        return None
    cost = ledger.usage.cost or Decimal(0)
    if cost >= budget.max_cost:
        return CostLimit(limit=str(budget.max_cost), used=str(cost))
    unknown = "cost" in ledger.unknown or (ledger.usage.requests and ledger.usage.cost is None)
    return UsageUnknown(which="cost") if unknown and budget.on_unknown_usage == "stop" else None


# Each limit of the budget that is a running total, and what the ledger holds against it.
_USED: Mapping[str, Callable[[Ledger], float | Decimal]] = {
    "max_steps": lambda ledger: ledger.steps,
    "output_retries": lambda ledger: ledger.output_retries,
    "truncation_retries": lambda ledger: ledger.truncation_retries,
    "tool_failures_total": lambda ledger: ledger.tool_failures,
    "invalid_tool_retries": lambda ledger: ledger.invalid_tool_replies,
    "max_tool_calls": lambda ledger: ledger.tool_calls,
    "max_input_tokens": lambda ledger: ledger.usage.input_tokens or 0,
    "max_output_tokens": lambda ledger: ledger.usage.output_tokens or 0,
    "max_total_tokens": lambda ledger: ledger.usage.total_tokens or 0,
    "max_cost": lambda ledger: ledger.usage.cost or Decimal(0),
    "max_duration": lambda ledger: ledger.seconds,
}

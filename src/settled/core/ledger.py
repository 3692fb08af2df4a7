"""The one ledger of a run: what was used, what is left, and which limit is spent. Everything that draws on the budget is here."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

from ..vocabulary.budget import Budget
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


class Cap(NamedTuple):
    """The token cap of a request."""

    tokens: int | None = None
    """The cap; None when none is sent."""
    by_budget: bool = False
    """The budget lowered it below what the settings, or a retry, ask for."""


class Ledger(Value):
    """What one run has used. Counters only grow."""

    shown = ("steps", "usage", "seconds")
    steps: int = 0
    """Replies asked for."""
    requests: int = 0
    """HTTP requests made."""
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
    seconds: float = 0.0
    """Active time."""

    def drawn(self, spent: Spent, usage: Usage | None = None, *, steps: int = 0) -> "Ledger":
        """The ledger after an action, with what the model reported and the replies that were asked for.

        Example:
            >>> Ledger().drawn(Spent(seconds=2.0)).seconds
            2.0
        """
        total = self.usage if usage is None else self.usage + usage
        if spent.uncertain:
            total = total.changed(uncertain_requests=total.uncertain_requests + spent.uncertain, complete=False)
        sums = {
            "seconds": self.seconds + spent.seconds,
            "requests": self.requests + spent.requests,
            "steps": self.steps + steps,
            "usage": total,
        }
        return changed_by(self, sums)


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
    return Allowance(calls=1 + budget.transport_retries, seconds=left)


def remaining(budget: Budget, ledger: Ledger) -> Budget:
    """What is left, as a budget: what user code sees as ``ctx.budget``.

    Example:
        >>> remaining(Budget(max_steps=3), Ledger(steps=1)).max_steps
        2
    """
    used = {name: count(ledger) for name, count in _USED.items()}
    left = {name: max(0, limit - used[name]) for name, limit in budget.__dict__.items() if name in used and limit is not None}
    return budget.changed(**left)


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
    return _tokens_spent(budget, ledger) or _cost_spent(budget, ledger) or time_spent(budget, ledger)


def time_spent(budget: Budget, ledger: Ledger) -> TimeLimit | None:
    """Whether the time is used up.

    Example:
        >>> time_spent(Budget(max_duration=2), Ledger(seconds=2.5)).label
        'time_limit:2.0'
    """
    if budget.max_duration is None or ledger.seconds < budget.max_duration:
        return None
    return TimeLimit(limit=budget.max_duration, used=ledger.seconds)


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
    unknown = usage.requests and (usage.input_tokens is None or usage.output_tokens is None or not usage.complete)
    if unknown and budget.on_unknown_usage == "stop":
        return UsageUnknown(which="tokens")
    return token_limit(budget, usage)


def _cost_spent(budget: Budget, ledger: Ledger) -> StopReason | None:
    if budget.max_cost is None:
        return None
    cost = ledger.usage.cost
    if cost is None:
        unknown = ledger.usage.requests and budget.on_unknown_usage == "stop"
        return UsageUnknown(which="cost") if unknown else None
    return CostLimit(limit=str(budget.max_cost), used=str(cost)) if cost >= budget.max_cost else None


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

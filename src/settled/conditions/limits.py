"""Conditions on how much a run has used. Each fires after the step that reached it: a run may end a little above."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Literal, TypeAlias

from ..core.hooks import StopDecision, StopState
from ..runners.logs import warn
from ..vocabulary.usage import Usage
from . import arguments
from .looking import Looking

OnUnknown: TypeAlias = Literal["stop", "warn", "ignore"]
Counted: TypeAlias = Literal["tokens", "cost"]
_UNKNOWN = ("stop", "warn", "ignore")


def step_count_is(n: int) -> Looking:
    """Stop when ``n`` steps are done, or more.

    Raises:
        MisuseError: for what is no whole number, or a negative one.

    Example:
        >>> from settled.conditions import step_count_is
        >>> step_count_is(3).label
        'step_count:3'
    """
    n = arguments.whole("step_count_is(n)", n, least=0)
    return Looking(f"step_count_is({n})", f"step_count:{n}", _steps_done, (n,))


def _steps_done(state: StopState, n: int) -> StopDecision | None:
    if len(state.steps) < n:
        return None
    return StopDecision(f"step_count:{n}", f"maximum number of steps ({n}) reached")


def max_tokens_used(n: int, *, on_unknown: OnUnknown = "stop") -> Looking:
    """Stop when the run has used ``n`` tokens, input and output together, or more.

    Args:
        n: the limit.
        on_unknown: what to do while the limit is not reached, but some reply came without its tokens: ``stop`` with the label
            ``tokens_unknown``, ``warn`` once, or ``ignore``.

    Raises:
        MisuseError: for what is no whole number, or a negative one.

    Example:
        >>> from settled.conditions import max_tokens_used
        >>> max_tokens_used(40_000).label
        'max_tokens:40000'
    """
    n = arguments.whole("max_tokens_used(n)", n, least=0)
    arguments.word("max_tokens_used", "on_unknown", on_unknown, _UNKNOWN)
    return Looking(f"max_tokens_used({n}{_unless_stop(on_unknown)})", f"max_tokens:{n}", _tokens_used, (n, on_unknown))


def _tokens_used(state: StopState, n: int, on_unknown: OnUnknown) -> StopDecision | None:
    if (state.usage.total_tokens or 0) >= n:
        return StopDecision(f"max_tokens:{n}", f"token budget of {n} reached")
    return _unreported(state, "tokens", f"max_tokens:{n}", on_unknown)


def max_cost(usd: Decimal | str | float, *, on_unknown: OnUnknown = "stop") -> Looking:
    """Stop when the run has cost so many US dollars, or more.

    Args:
        usd: the limit. A text or a ``Decimal`` is exact.
        on_unknown: what to do while the limit is not reached, but some reply came without its cost: ``stop`` with the label
            ``cost_unknown``, ``warn`` once, or ``ignore``. Most services report none: bound such runs by tokens, steps or time.

    Raises:
        MisuseError: for what is no amount, or a negative one.

    Example:
        >>> from settled.conditions import max_cost
        >>> max_cost("0.50").label
        'max_cost:0.50'
    """
    amount = arguments.dollars("max_cost(usd)", usd)
    arguments.word("max_cost", "on_unknown", on_unknown, _UNKNOWN)
    return Looking(f"max_cost('{amount:f}'{_unless_stop(on_unknown)})", f"max_cost:{amount:f}", _cost, (amount, on_unknown))


def _cost(state: StopState, usd: Decimal, on_unknown: OnUnknown) -> StopDecision | None:
    if (state.usage.cost or 0) >= usd:
        return StopDecision(f"max_cost:{usd:f}", f"cost budget of {usd:f} USD reached")
    return _unreported(state, "cost", f"max_cost:{usd:f}", on_unknown)


def max_duration(seconds: float | timedelta) -> Looking:
    """Stop when the run has been active for so long, or longer. Time that a paused run waits for a person does not count.

    Raises:
        MisuseError: for what is no span of time, or a negative one.

    Example:
        >>> from datetime import timedelta
        >>> from settled.conditions import max_duration
        >>> max_duration(timedelta(minutes=1)) == max_duration(60)
        True
        >>> max_duration(60).label
        'max_duration:60'
    """
    span = arguments.seconds("max_duration(seconds)", seconds)
    return Looking(f"max_duration({_short(span)})", f"max_duration:{_short(span)}", _active, (span,))


def _active(state: StopState, span: float) -> StopDecision | None:
    if state.elapsed < span:
        return None
    return StopDecision(f"max_duration:{_short(span)}", f"time budget of {_short(span)} seconds reached")


def tool_errors(n: int = 1) -> Looking:
    """Stop when tools have failed ``n`` times in the run, or more.

    Failures are those that the model was told of: what a tool raised, a timeout, a result that cannot be written.

    Raises:
        MisuseError: for what is no whole number, or one below 1.

    Example:
        >>> from settled.conditions import tool_errors
        >>> tool_errors(2).label
        'tool_errors:2'
    """
    n = arguments.whole("tool_errors(n)", n, least=1)
    return Looking(f"tool_errors({n})", f"tool_errors:{n}", _failed, (n,))


def _failed(state: StopState, n: int) -> StopDecision | None:
    if state.tool_failures < n:
        return None
    return StopDecision(f"tool_errors:{n}", "tool returned an error" if n == 1 else f"tools returned {n} errors")


def _unless_stop(on_unknown: OnUnknown) -> str:
    return "" if on_unknown == "stop" else f", on_unknown={on_unknown!r}"


def _short(span: float) -> str:
    return str(int(span)) if span.is_integer() else str(span)


def _unreported(state: StopState, what: Counted, limit: str, on_unknown: OnUnknown) -> StopDecision | None:
    """A limit that cannot tell whether it is reached says so, as it was asked to; it is never silently without effect."""
    if on_unknown == "ignore" or not _is_unknown(state, what):
        return None
    if on_unknown == "stop":
        return StopDecision(f"{what}_unknown", f"the provider did not report all {what}, so {limit} cannot be held")
    if all(_is_told(step.usage, what) for step in state.steps[:-1]):  # once a run: a condition remembers nothing
        warn("the provider did not report all %s, so %s cannot be held", what, limit)
    return None


def _is_unknown(state: StopState, what: Counted) -> bool:
    usage = state.usage
    unsummed = usage.requests > 0 and not _counts(usage, what)
    return unsummed or usage.uncertain_requests > 0 or not all(_is_told(step.usage, what) for step in state.steps)


def _is_told(reply: Usage, what: Counted) -> bool:
    return reply.complete and _counts(reply, what)


def _counts(usage: Usage, what: Counted) -> bool:
    """Whether what is counted is known; a counter below 0 says nothing."""
    counters = (usage.cost,) if what == "cost" else (usage.input_tokens, usage.output_tokens)
    return all(counter is not None and counter >= 0 for counter in counters)

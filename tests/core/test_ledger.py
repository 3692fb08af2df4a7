"""The ledger: each limit at its boundary, by whole runs where the limit ends one, and by its functions where not."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from pydantic import ValidationError
from tests.support import OSLO, AnyPlan, call, called, changed, code_of, failure_of, plan_for, play, ran, said

from settled import Budget, ModelResponse, Settings, SubRun, Usage
from settled.core.actions import CallModel, Finish, RunTools
from settled.core.events import Event, ModelReplied, ToolOutcome
from settled.core.ledger import Ledger, Spent, allowance, overdrawn, remaining, spent_limit, tokens_left, within
from settled.vocabulary.stop import CostLimit, StopReason, TimeLimit, TokenLimit, UsageUnknown


def look_up(city: str) -> str:
    """A tool."""
    return city


GOOD_CALL = '{"city":"Oslo"}'
CUT = said(OSLO[:-5], "length")


def plan_with(**limits: object) -> AnyPlan:
    """A plan with a tool, a token cap and these limits."""
    return changed(plan_for(tools=[look_up]), budget=Budget.model_validate(limits), settings=Settings(max_tokens=100))


def rounds_before_the_end(plan: AnyPlan, *events: Event) -> tuple[int, str]:
    """How often the events can be played over before the run ends, and how it ends."""
    step = play(plan)
    for played in range(30):
        for event in events:
            if isinstance(step.action, Finish):
                return played, code_of(step)
            step = play(plan, event, step=step)
    raise AssertionError("the run does not end")


def failing(number: int) -> tuple[Event, Event]:
    """A call that fails, with arguments of its own."""
    return called(call("look_up", f'{{"city":"{number}"}}')), ran(ToolOutcome("c1", "failed", text="no"))


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
@pytest.mark.parametrize(
    "field, events, ends",
    [
        pytest.param("output_retries", [said("no")], "no_output", id="output_retries, no payload"),
        pytest.param("output_retries", [said("{}")], "output_invalid", id="output_retries, invalid"),
        pytest.param("invalid_tool_retries", [called(call("nope"))], "tool_failures", id="unknown tool"),
        pytest.param("invalid_tool_retries", [called(call("look_up", "{}"))], "tool_failures", id="unfit arguments"),
        pytest.param("tool_retries", list(failing(1)), "tool_failures", id="tool_retries"),
    ],
)
def test_a_retry_budget_is_exact(field: str, limit: int, events: list[Event], ends: str) -> None:
    """With a budget of n the n-th fault is told to the model, and the one after it ends the run."""
    plan = plan_with(**{field: limit})
    assert (limit + 1, ends) == rounds_before_the_end(plan, *events)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_truncation_retries_are_exact(limit: int) -> None:
    """With a budget of n there are n requests with a larger cap."""
    plan = plan_with(truncation_retries=limit, max_tokens_ceiling=10_000)
    assert (limit + 1, "truncated") == rounds_before_the_end(plan, CUT)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_max_steps_is_exact(limit: int) -> None:
    """Exactly ``max_steps`` replies are asked for."""
    plan = plan_with(max_steps=limit)
    assert (limit, "step_limit") == rounds_before_the_end(plan, called(call("look_up", GOOD_CALL)), ran("c1"))


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_failures_of_all_tools_are_exact(limit: int) -> None:
    """Failures of different calls add up to ``tool_failures_total``; one more ends the run."""
    plan = plan_with(tool_failures_total=limit, tool_retries=9)
    step = play(plan)
    for number in range(limit):
        step = play(plan, *failing(number), step=step)
        assert isinstance(step.action, CallModel)
    reason = failure_of(play(plan, *failing(99), step=step)).report.stop_reason
    assert ("tool_failures:run", limit + 1) == (reason.label, getattr(reason, "count", None))


def test_the_same_call_is_known_in_any_spelling() -> None:
    """Order and spacing of the arguments do not make it another call."""
    plan = plan_with(tool_retries=1)
    step = play(plan, called(call("look_up", '{"city": "Oslo"}')), ran(ToolOutcome("c1", "failed")))
    step = play(plan, called(call("look_up", '{"city":"Oslo"}')), ran(ToolOutcome("c1", "failed")), step=step)
    report = failure_of(step).report
    assert ("tool_failures:call", "look_up") == (report.stop_reason.label, report.tool_call and report.tool_call.name)


@pytest.mark.parametrize("limit, runs", [(2, True), (1, False), (0, False)], ids=["both run", "one is left", "none"])
def test_a_turn_that_would_pass_the_limit_on_tool_calls_runs_none(limit: int, runs: bool) -> None:
    """Either all calls of a turn are executed, or none."""
    step = play(plan_with(max_tool_calls=limit), called(call("look_up", GOOD_CALL, "a"), call("look_up", GOOD_CALL, "b")))
    assert isinstance(step.action, RunTools) == runs
    assert ("calling" if not runs else "tools", 2 if runs else 0) != ("calling", 0) or code_of(step) == "tool_call_limit"
    if not runs:
        assert ["skipped", "skipped"] == [result.status for result in failure_of(step).report.steps[-1].tool_results]


KNOWN = Usage(requests=1, input_tokens=10, output_tokens=5, cost=Decimal("0.5"))


@pytest.mark.parametrize(
    "limits, usage, due",
    [
        pytest.param({"max_input_tokens": 11}, KNOWN, None, id="input below"),
        pytest.param({"max_input_tokens": 10}, KNOWN, TokenLimit(which="input", limit=10, used=10), id="input at"),
        pytest.param({"max_output_tokens": 6}, KNOWN, None, id="output below"),
        pytest.param({"max_output_tokens": 5}, KNOWN, TokenLimit(which="output", limit=5, used=5), id="output at"),
        pytest.param({"max_total_tokens": 16}, KNOWN, None, id="total below"),
        pytest.param({"max_total_tokens": 15}, KNOWN, TokenLimit(which="total", limit=15, used=15), id="total at"),
        pytest.param({"max_cost": "0.51"}, KNOWN, None, id="cost below"),
        pytest.param({"max_cost": "0.50"}, KNOWN, CostLimit(limit="0.50", used="0.5"), id="cost at"),
        pytest.param({"max_total_tokens": 15}, Usage(requests=1), UsageUnknown(which="tokens"), id="tokens unknown"),
        pytest.param(
            {"max_total_tokens": 15, "on_unknown_usage": "ignore"}, Usage(requests=1), None, id="tokens unknown, ignored"
        ),
        pytest.param({"max_cost": 1}, Usage(requests=1), UsageUnknown(which="cost"), id="cost unknown"),
        pytest.param({"max_cost": 1, "on_unknown_usage": "ignore"}, Usage(requests=1), None, id="cost unknown, ignored"),
        pytest.param({}, Usage(requests=1), None, id="unknown, and no limit"),
        pytest.param({"max_input_tokens": 0}, Usage(), TokenLimit(which="input", limit=0, used=0), id="none at all"),
        pytest.param({"max_cost": 1}, Usage(), None, id="cost before the first request"),
    ],
)
def test_limits_on_tokens_and_cost(limits: dict[str, object], usage: Usage, due: StopReason | None) -> None:
    """A limit is spent when what was used has reached it; what is unknown stops the run, or is ignored, as the budget says."""
    assert due == spent_limit(Budget.model_validate(limits), Ledger(usage=usage))


def test_a_cost_that_is_known_in_part_is_unknown() -> None:
    """One reply without a cost makes the sum unknown, so a cost limit stops the run."""
    ledger = Ledger().drawn(Spent(requests=1), KNOWN).drawn(Spent(requests=1), KNOWN.changed(cost=None))
    assert UsageUnknown(which="cost") == spent_limit(Budget(max_cost=Decimal(9)), ledger)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(KNOWN.changed(cost=None), id="no cost"),
        pytest.param(KNOWN.changed(cached_tokens=3), id="cached tokens only now"),
        pytest.param(KNOWN.changed(reasoning_tokens=3), id="reasoning tokens only now"),
    ],
)
def test_a_token_limit_needs_tokens_only(second: Usage) -> None:
    """A gap in the cost, or in the share of cached or reasoning tokens, leaves the sums of tokens known."""
    ledger = Ledger().drawn(Spent(requests=1), KNOWN).drawn(Spent(requests=1), second)
    assert spent_limit(Budget(max_total_tokens=1000), ledger) is None


@pytest.mark.parametrize("seconds, due", [(4.9, None), (5.0, TimeLimit(limit=5.0, used=5.0))], ids=["before", "at the deadline"])
def test_the_deadline(seconds: float, due: StopReason | None) -> None:
    """Active seconds, as a number or a timedelta."""
    assert due == spent_limit(Budget(max_duration=5), Ledger(seconds=seconds))
    assert due == spent_limit(Budget.model_validate({"max_duration": timedelta(seconds=5)}), Ledger(seconds=seconds))


def test_an_output_that_comes_late_is_still_the_output() -> None:
    """Limits are checked before spending: the reply that used them up still counts."""
    plan = plan_with(max_total_tokens=10, max_duration=1)
    reply = ModelReplied(ModelResponse.of(OSLO).changed(usage=KNOWN), Spent(9.0, 1))
    assert "output" == code_of(play(plan, reply))


@pytest.mark.parametrize(
    "limits, usage, left",
    [
        pytest.param({}, KNOWN, None, id="no limit"),
        pytest.param({"max_input_tokens": 5}, KNOWN, None, id="input does not cap a reply"),
        pytest.param({"max_output_tokens": 9}, KNOWN, 4, id="output"),
        pytest.param({"max_output_tokens": 9, "max_total_tokens": 17}, KNOWN, 2, id="the smaller one"),
        pytest.param({"max_output_tokens": 5}, KNOWN, 1, id="never below one"),
        pytest.param({"max_total_tokens": 5}, Usage(), 5, id="nothing used"),
    ],
)
def test_tokens_left(limits: dict[str, object], usage: Usage, left: int | None) -> None:
    """What the next reply may have."""
    assert left == tokens_left(Budget.model_validate(limits), Ledger(usage=usage))


LIMITS = {
    "max_steps": "steps",
    "output_retries": "output_retries",
    "truncation_retries": "truncation_retries",
    "tool_failures_total": "tool_failures",
    "invalid_tool_retries": "invalid_tool_replies",
    "max_tool_calls": "tool_calls",
    "max_duration": "seconds",
}


@pytest.mark.parametrize("limit, counter", LIMITS.items(), ids=list(LIMITS))
def test_what_is_left_and_what_is_overdrawn(limit: str, counter: str) -> None:
    """A budget is overdrawn by one more than it grants; what is left is the difference, never below nothing."""
    budget = Budget.model_validate({limit: 3})
    used = {count: Ledger.model_validate({counter: count}) for count in (2, 3, 4)}
    assert [None, None, limit] == [overdrawn(budget, ledger) for ledger in used.values()]
    assert [1, 0, 0] == [getattr(remaining(budget, ledger), limit) for ledger in used.values()]


@pytest.mark.parametrize(
    "limits, name",
    [
        ({"max_input_tokens": 9}, "max_input_tokens"),
        ({"max_output_tokens": 4}, "max_output_tokens"),
        ({"max_total_tokens": 14}, "max_total_tokens"),
        ({"max_cost": "0.4"}, "max_cost"),
        ({"max_total_tokens": 15, "max_cost": "0.5"}, None),
    ],
    ids=["input", "output", "total", "cost", "covered"],
)
def test_usage_can_be_overdrawn_too(limits: dict[str, object], name: str | None) -> None:
    """Tokens and cost are compared with the usage of the run."""
    assert name == overdrawn(Budget.model_validate(limits), Ledger(usage=KNOWN))


def test_no_limit_leaves_no_limit() -> None:
    """What is not bounded stays unbounded, and retries of the transport are granted anew for each step."""
    assert Budget() == remaining(Budget(), Ledger(usage=KNOWN, seconds=9.0))
    assert (4, None) == tuple(allowance(Budget(), Ledger(seconds=9.0)))
    assert (1, 0.0) == tuple(allowance(Budget(transport_retries=0, max_duration=1), Ledger(seconds=9.0)))


@pytest.mark.parametrize(
    "own, left, due",
    [
        pytest.param({}, {}, {}, id="no limit"),
        pytest.param({"max_cost": "0.5"}, {}, {"max_cost": "0.5"}, id="its own"),
        pytest.param({}, {"max_cost": "0.5"}, {"max_cost": "0.5"}, id="the caller's"),
        pytest.param({"max_cost": "0.5"}, {"max_cost": "0.4"}, {"max_cost": "0.4"}, id="the smaller, the caller's"),
        pytest.param({"max_total_tokens": 3}, {"max_total_tokens": 4}, {"max_total_tokens": 3}, id="the smaller, its own"),
        pytest.param({"max_duration": 3}, {"max_duration": 0}, {"max_duration": 0}, id="nothing left"),
        pytest.param({"max_steps": 9}, {"max_steps": 1, "max_tool_calls": 0}, {"max_steps": 9}, id="steps are its own"),
        pytest.param({}, {"on_unknown_usage": "ignore"}, {"on_unknown_usage": "ignore"}, id="unknown usage"),
        pytest.param({"max_cost": 1}, {"on_unknown_usage": "ignore"}, {"max_cost": 1}, id="unknown usage of its own limit"),
    ],
)
def test_the_budget_of_a_sub_agent(own: dict[str, object], left: dict[str, object], due: dict[str, object]) -> None:
    """Its own budget, with tokens, cost and time no larger than what the caller has left."""
    assert Budget.model_validate(due) == within(Budget.model_validate(own), Budget.model_validate(left))


def test_the_price_of_a_sub_agent() -> None:
    """The caller's price function is asked where the sub-agent has none."""

    def dear(service: str, model: str, usage: Usage) -> int:
        return 2

    def cheap(service: str, model: str, usage: Usage) -> int:
        return 1

    prices = [within(own, Budget(price=dear)).price for own in (Budget(), Budget(price=cheap))]
    assert [dear, cheap] == prices


def test_what_a_sub_agent_used_is_used() -> None:
    """Tokens, cost and requests are added to the usage, and what is unknown is unknown; steps and time are the caller's own."""
    ledger = Ledger(steps=1, seconds=2.0, requests=1, usage=KNOWN).charged(SubRun(call_id="c1", usage=KNOWN, unknown=("cost",)))
    assert Ledger(steps=1, seconds=2.0, requests=1, usage=KNOWN + KNOWN, unknown=("cost",)) == ledger
    assert Ledger(usage=KNOWN) == Ledger(usage=KNOWN).charged(SubRun(call_id="c1"))


def test_uncertain_requests_make_the_account_incomplete() -> None:
    """A request that broke after it was sent may have been billed: it is counted, and the sum is not complete."""
    usage = Ledger().drawn(Spent(1.0, 2, 1), KNOWN, steps=1).usage
    assert (1, 1, False) == (usage.requests, usage.uncertain_requests, usage.complete)


@pytest.mark.parametrize("limits", [{"max_steps": 0}, {"output_retries": -1}, {"max_duration": -1}, {"steps": 1}], ids=str)
def test_budgets_that_cannot_be(limits: dict[str, object]) -> None:
    """A negative limit, no step at all, or an unknown field is refused."""
    with pytest.raises(ValidationError):
        Budget.model_validate(limits)

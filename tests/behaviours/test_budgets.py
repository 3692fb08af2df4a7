"""The bounds of a run: what they count, that each is exact, and that a run which they end keeps all that it did."""

from __future__ import annotations

import time
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import City, faults_in

from settled import (
    Agent,
    Approved,
    Budget,
    Checkpoint,
    Failure,
    GaveUp,
    MisuseError,
    ModelResponse,
    Paused,
    ProviderError,
    Reject,
    RunContext,
    RunFailed,
    RunStatus,
    StopState,
    Text,
    Tool,
    ToolCall,
    Usage,
)
from settled.core.hooks import StopCondition
from settled.testing import FunctionProvider, Refusal, ScriptedProvider, Truncated
from settled.vocabulary.stop import CostLimit, StepLimit, UsageUnknown

GOOD = City(name="Oslo", people=700_000)
NAP = 0.05


def look_up() -> str:
    """Look it up."""
    return "700000 people"


def nap() -> str:
    """Take a moment."""
    time.sleep(NAP)
    return "rested"


def call(number: int = 1, name: str = "look_up") -> ToolCall:
    """A call."""
    return ToolCall(id=f"c{number}", name=name, arguments="{}")


def for_ever(request: object) -> ToolCall:
    """A model that never comes to an end."""
    return call()


def never_mind(state: StopState) -> None:
    """A condition that never stops."""


def costing(reply: ToolCall | Text, cost: str | None) -> ModelResponse:
    """A reply with what the provider says it cost."""
    return ModelResponse(
        parts=(reply,), usage=Usage(requests=1, input_tokens=10, output_tokens=5, cost=None if cost is None else Decimal(cost))
    )


AGENT = Agent(City, tools=[look_up, nap], mode="native")

# Steps.


@pytest.mark.row("P10", "P12", "W21", "W33")
def test_the_step_limit_is_a_return(door: Door) -> None:
    """At the limit the run returns with a report: messages, steps, usage and text are in it, and nothing was raised."""
    usage = Usage(requests=1, input_tokens=10, output_tokens=5)
    replies = [ModelResponse(parts=(Text(text=f"look {number}"), call(number)), usage=usage) for number in (1, 2)]
    failure = failed(door.settle(AGENT, model=ScriptedProvider(*replies), budget=Budget(max_steps=2)), "step_limit")
    report = failure.report
    assert ("stopped", StepLimit(limit=2, used=2), "step_limit:2") == (
        report.status,
        report.stop_reason,
        report.stop_reason.label,
    )
    assert (2, "look 2", usage + usage) == (len(report.steps), report.last_text, report.usage)
    assert ["user", "assistant", "tool", "assistant", "tool"] == [message.role for message in report.messages]
    assert "700000 people" == report.steps[-1].tool_results[0].text
    assert not faults_in(report.messages)


@pytest.mark.row("W21")
def test_only_unwrap_raises(door: Door) -> None:
    """Who asks for the output itself gets an exception that holds the same report."""
    failure = failed(door.settle(AGENT, model=FunctionProvider(for_ever), budget=Budget(max_steps=1)), "step_limit")
    with pytest.raises(RunFailed) as raised:
        failure.unwrap()
    assert failure.report == raised.value.report


@pytest.mark.row("P12")
def test_a_run_that_was_stopped_can_be_kept(door: Door) -> None:
    """What a run did before its limit survives as JSON, and goes on from there: no reply is asked for twice."""
    failure = failed(door.settle(AGENT, model=ScriptedProvider(call()), budget=Budget(max_steps=1)), "step_limit")
    assert failure.checkpoint is not None
    kept = Checkpoint.model_validate_json(failure.checkpoint.model_dump_json())
    with ScriptedProvider(GOOD) as fake:
        success = succeeded(door.resume(AGENT, kept, model=fake, budget=Budget(max_steps=2)))
    assert failure.report.messages == fake.requests[0].messages
    assert [1, 2] == [step.number for step in success.steps]


@pytest.mark.row("V4", "G9", "W33", "P10")
def test_the_default_is_twenty_steps(door: Door) -> None:
    """Nothing said, a run asks for twenty replies and not one more; the bound can be seen, and none is hidden behind it."""
    fake = FunctionProvider(for_ever)
    report = failed(door.settle(AGENT, model=fake), "step_limit").report
    assert (20, 20, "step_limit:20") == (Budget().max_steps, len(fake.requests), report.stop_reason.label)


@pytest.mark.row("G9", "W33")
@pytest.mark.parametrize("conditions", [[], [never_mind]], ids=["no condition", "a condition"])
def test_steps_count_beside_conditions(door: Door, conditions: list[StopCondition]) -> None:
    """The limit holds whether or not there are stop conditions, and says so as ``step_limit``, never as a finish reason."""
    fake = FunctionProvider(for_ever)
    agent = AGENT.with_(stop_when=conditions, budget=Budget(max_steps=3))
    report = failed(door.settle(agent, model=fake), "step_limit").report
    assert (3, {"tool_calls"}) == (len(fake.requests), {step.finish_reason.kind for step in report.steps})


@pytest.mark.row("G9", "W33")
def test_no_ceiling_above_the_limit_that_was_asked_for(door: Door) -> None:
    """A limit that the caller raised is the limit: nothing else ends the run before it."""
    fake = FunctionProvider(for_ever)
    report = failed(door.settle(AGENT, model=fake, budget=Budget(max_steps=101, max_tool_calls=101)), "step_limit").report
    assert (101, 101) == (len(fake.requests), len(report.steps))


@pytest.mark.row("P11")
@pytest.mark.parametrize("steps", [0, -1])
def test_no_steps_at_all_is_no_budget(steps: int) -> None:
    """A limit of nothing is refused where it is given, and is not taken for the default."""
    with pytest.raises(ValueError, match="max_steps"):
        Budget(max_steps=steps)


@pytest.mark.row("P11", "W22")
def test_resuming_keeps_the_count(door: Door) -> None:
    """A budget is for the whole run: what was used before a stop still counts, and a larger one leaves the difference."""
    failure = failed(door.settle(AGENT, model=FunctionProvider(for_ever), budget=Budget(max_steps=3)), "step_limit")
    fake = FunctionProvider(for_ever)
    more = failed(door.resume(AGENT, failure, model=fake, budget=Budget(max_steps=5)), "step_limit")
    assert (2, StepLimit(limit=5, used=5)) == (len(fake.requests), more.report.stop_reason)


@pytest.mark.row("P11", "W22")
def test_resuming_with_less_than_was_used(door: Door) -> None:
    """A new total below what is used already is the caller's mistake, and is told before anything runs."""
    failure = failed(door.settle(AGENT, model=FunctionProvider(for_ever), budget=Budget(max_steps=3)), "step_limit")
    fake = ScriptedProvider()
    with pytest.raises(MisuseError, match=r"Budget\.max_steps is below what the run has used"):
        door.resume(AGENT, failure, model=fake, budget=Budget(max_steps=2))
    assert [] == fake.requests


@pytest.mark.row("P11")
def test_each_run_starts_anew(door: Door) -> None:
    """The steps of one run do not count for the next one, also when that goes on from its messages."""
    budget = Budget(max_steps=2)
    first = failed(door.settle(AGENT, model=FunctionProvider(for_ever), budget=budget), "step_limit")
    again = FunctionProvider(for_ever)
    failed(door.settle(AGENT, model=again, budget=budget, history=first), "step_limit")
    assert 2 == len(again.requests)


# Cost.


@pytest.mark.row("P5", "W16")
def test_unknown_cost_is_not_none_at_all(door: Door) -> None:
    """A provider that reports no cost leaves it unknown, in the step and in the sum; it is never counted as zero."""
    success = succeeded(door.settle(AGENT, model=ScriptedProvider(costing(call(), None), GOOD)))
    assert (None, None) == (success.usage.cost, success.steps[0].usage.cost)


@pytest.mark.row("P5", "W16")
def test_a_cost_limit_without_cost_ends_the_run(door: Door) -> None:
    """Where the cost is bounded and none is reported, the run says so at once; it does not go on as if it were free."""
    fake = ScriptedProvider(costing(call(), None))
    report = failed(door.settle(AGENT, model=fake, budget=Budget(max_cost=Decimal(1))), "usage_unknown").report
    assert ("stopped", UsageUnknown(which="cost"), 1) == (report.status, report.stop_reason, len(fake.requests))
    assert "on_unknown_usage" in report.remedy


@pytest.mark.row("W16")
def test_one_reply_without_cost_is_enough(door: Door) -> None:
    """A sum that misses the share of one reply is not the cost, so the bound cannot be held by it."""
    fake = ScriptedProvider(costing(call(), "0.10"), costing(call(2), None))
    report = failed(door.settle(AGENT, model=fake, budget=Budget(max_cost=Decimal(1))), "usage_unknown").report
    assert (Decimal("0.10"), False) == (report.usage.cost, report.usage.complete)


@pytest.mark.row("W16")
def test_going_on_without_cost_is_the_caller_s_choice(door: Door) -> None:
    """With ``ignore`` an unknown cost bounds nothing, and the outcome still says that the sum is not complete."""
    fake = ScriptedProvider(costing(call(), "0.10"), costing(call(2), None), GOOD)
    budget = Budget(max_cost=Decimal(1), on_unknown_usage="ignore")
    success = succeeded(door.settle(AGENT, model=fake, budget=budget))
    assert (Decimal("0.10"), False) == (success.usage.cost, success.usage.complete)


@pytest.mark.row("P5", "W16")
@pytest.mark.parametrize("cost, asked", [("0.25", 4), ("0.26", 4), ("0.34", 3)])
def test_reported_cost_is_summed(door: Door, cost: str, asked: int) -> None:
    """No reply is asked for once the reported sum has reached the limit, to the cent."""
    fake = FunctionProvider(lambda request: costing(call(), cost))
    report = failed(door.settle(AGENT, model=fake, budget=Budget(max_cost=Decimal(1))), "cost_limit").report
    assert isinstance(report.stop_reason, CostLimit)
    assert (asked, Decimal(cost) * asked) == (len(fake.requests), Decimal(report.stop_reason.used))


# Time.


@pytest.mark.row("P6", "W17")
@pytest.mark.parametrize("given", [90, 90.0, timedelta(minutes=1.5)], ids=["int", "float", "timedelta"])
def test_durations_are_seconds(given: Any) -> None:
    """A duration is seconds, or says its own unit; all of them mean the same."""
    assert Budget(max_duration=90.0) == Budget(max_duration=given)


@pytest.mark.row("P6", "W17")
@pytest.mark.parametrize("given", ["1m30s", [90], -1, timedelta(seconds=-1)], ids=repr)
def test_what_is_no_duration(given: Any) -> None:
    """Text in the manner of another language, or time that runs backwards, is refused where it is given."""
    with pytest.raises(ValueError, match="max_duration"):
        Budget(max_duration=given)


@pytest.mark.row("P6", "W17")
def test_time_that_is_used_up(door: Door) -> None:
    """Past the limit no further reply is asked for, and the label is the limit in seconds, in one spelling."""
    fake = ScriptedProvider(call(name="nap"))
    report = failed(door.settle(AGENT, model=fake, budget=Budget(max_duration=0.02)), "time_limit").report
    assert ("time_limit:0.02", 1) == (report.stop_reason.label, len(fake.requests))
    assert report.elapsed >= 0.02


@pytest.mark.row("P6", "W18")
def test_waiting_for_a_person_is_not_counted(door: Door) -> None:
    """Time counts while something runs: a pause costs nothing, however long it takes, also across JSON; what was used before it
    still counts after it.
    """
    agent = Agent(City, tools=[nap, Tool.of(look_up, requires_approval=True)], mode="native", budget=Budget(max_duration=30))
    paused = door.start(agent, model=ScriptedProvider([call(1, "nap"), call(2)]))
    assert isinstance(paused, Paused)
    kept = Checkpoint.model_validate_json(paused.checkpoint.model_dump_json())
    time.sleep(0.6)
    success = succeeded(
        door.resume(agent, kept, {"c2": Approved()}, model=ScriptedProvider(GOOD), budget=Budget(max_duration=30))
    )
    assert NAP <= success.elapsed < 0.6


@pytest.mark.row("W18", "W22")
def test_time_goes_on_after_a_pause(door: Door) -> None:
    """The clock does not begin again: a new limit below what was used before the pause is refused."""
    agent = Agent(City, tools=[nap, Tool.of(look_up, requires_approval=True)], mode="native")
    paused = door.start(agent, model=ScriptedProvider([call(1, "nap"), call(2)]))
    assert isinstance(paused, Paused)
    with pytest.raises(MisuseError, match=r"Budget\.max_duration is below"):
        door.resume(agent, paused, {"c2": Approved()}, model=ScriptedProvider(GOOD), budget=Budget(max_duration=NAP / 2))


# What a caller reads.


def no(city: City) -> None:
    """A check that takes nothing."""
    raise Reject("no")


@pytest.mark.row("P14", "P15")
@pytest.mark.parametrize(
    "replies, status, code, retryable",
    [
        pytest.param([GOOD], "completed", "output", False, id="output"),
        pytest.param([GaveUp(reason="no map")], "failed", "reported_failure", False, id="report"),
        pytest.param(["hm"], "failed", "no_output", True, id="talk"),
        pytest.param([Truncated("{")], "failed", "truncated", True, id="cut"),
        pytest.param([Refusal("no")], "failed", "refused", False, id="refusal"),
        pytest.param([ProviderError("auth", "no")], "failed", "error", False, id="key"),
        pytest.param([ProviderError("overloaded", "no")], "failed", "error", True, id="overload"),
        pytest.param([call(1), call(2)], "stopped", "step_limit", True, id="limit"),
        pytest.param([call(1, "stop")], "stopped", "hook", False, id="tool"),
        pytest.param([call(1, "ask")], "stopped", "approval_required", False, id="person"),
    ],
)
def test_what_to_make_of_an_end(door: Door, replies: list[object], status: str, code: str, retryable: bool) -> None:
    """From any outcome a caller reads status, reason, whether to try again, what to do, usage and the last step, and decides."""

    def stop(ctx: RunContext) -> None:
        ctx.stop("closed")

    def ask() -> None:
        """Ask."""

    agent = Agent(
        City,
        tools=[look_up, stop, Tool.of(ask, requires_approval=True)],
        mode="native",
        failure_type=GaveUp,
        budget=Budget(max_steps=2, output_retries=0, transport_retries=0),
    )
    end = door.settle(agent, model=ScriptedProvider(*replies))
    account = end.report if isinstance(end, Failure) else end
    assert (status, code, retryable) == (str(end.status), account.stop_reason.kind, account.stop_reason.retryable)
    assert (code == "output") == account.stop_reason.is_success
    if isinstance(end, Failure):
        assert (retryable, True) == (end.report.retryable, bool(end.report.remedy))
        assert (end.checkpoint is not None) == (status == "stopped")
    assert len(account.steps) == account.usage.requests
    assert not account.steps or account.steps[-1].number == len(account.steps)


@pytest.mark.row("P15")
def test_the_statuses() -> None:
    """There is a status for each of the ancestor's, and none besides: what it calls queued, waiting for a person or for tools,
    are pending, paused and running.
    """
    assert ["pending", "running", "paused", "completed", "failed", "stopped", "cancelled"] == [str(one) for one in RunStatus]


@pytest.mark.row("P15")
def test_waiting_for_a_person_is_a_status(door: Door) -> None:
    """A run that waits for a person is paused, which is no end."""
    agent = Agent(City, tools=[Tool.of(look_up, requires_approval=True)], mode="native")
    paused = door.start(agent, model=ScriptedProvider(call()))
    assert RunStatus.PAUSED is paused.status

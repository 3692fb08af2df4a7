"""The conditions that are ready made: when each fires, under which label and in which words, and how a list of them is asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import City

from settled import (
    Agent,
    Budget,
    FinishReason,
    MisuseError,
    ModelRequest,
    ModelResponse,
    StopDecision,
    StopState,
    Text,
    ToolCall,
    Usage,
)
from settled.conditions import (
    StopCondition,
    aevaluate_stop_conditions,
    any_of,
    evaluate_stop_conditions,
    finish_reason_is,
    has_tool_call,
    max_cost,
    max_duration,
    max_tokens_used,
    named,
    never,
    step_count_is,
)
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary.stop import Condition

GOOD = City(name="Oslo", people=700_000)
NOTHING_YET = StopState(steps=(), messages=(), usage=Usage(), elapsed=0.0, tool_failures=0, budget=Budget())


def look_up() -> str:
    """Look it up."""
    return "700000 people"


def search() -> str:
    """Search for it."""
    return "found"


def call(name: str = "look_up", id: str = "c1") -> ToolCall:
    """A call."""
    return ToolCall(id=id, name=name, arguments="{}")


def turn(*parts: ToolCall | Text, cost: str | None = "0.25", finish: str | None = "tool_calls") -> ModelResponse:
    """A reply that has used 15 tokens."""
    usage = Usage(requests=1, input_tokens=10, output_tokens=5, cost=None if cost is None else Decimal(cost))
    return ModelResponse(parts=parts or (call(),), usage=usage, finish_reason=FinishReason.from_wire(finish))


def for_ever(request: ModelRequest) -> ModelResponse:
    """A model that never comes to an end."""
    return turn(call(id=f"c{request.step}"))


AGENT = Agent(City, tools=[look_up, search], mode="native")
each_way = pytest.mark.parametrize("way", ["sync", "async"])


def decided(conditions: Sequence[StopCondition], state: StopState, way: str) -> StopDecision | None:
    """What a list of conditions says, asked by hand."""
    if way == "sync":
        return evaluate_stop_conditions(conditions, state)
    return asyncio.run(aevaluate_stop_conditions(conditions, state))


# Each, in a run.


@pytest.mark.row("P2", "P1", "G3", "G4")
@pytest.mark.parametrize(
    "condition, label, message",
    [
        pytest.param(step_count_is(1), "step_count:1", "maximum number of steps (1) reached", id="steps"),
        pytest.param(max_tokens_used(15), "max_tokens:15", "token budget of 15 reached", id="tokens"),
        pytest.param(max_cost("0.25"), "max_cost:0.25", "cost budget of 0.25 USD reached", id="cost"),
        pytest.param(max_duration(0), "max_duration:0", "time budget of 0 seconds reached", id="time"),
        pytest.param(has_tool_call("look_up"), "tool_call:look_up", "tool 'look_up' was called", id="tool"),
        pytest.param(
            finish_reason_is("tool_calls"), "finish_reason:tool_calls", "the finish reason was 'tool_calls'", id="finish reason"
        ),
    ],
)
def test_labels_and_words(door: Door, condition: StopCondition, label: str, message: str) -> None:
    """Each condition stops a run under its own label, a code for machines, and with a sentence for people; the run returns."""
    report = failed(door.settle(AGENT, model=FunctionProvider(for_ever), stop_when=[condition]), "condition").report
    assert ("stopped", label, message) == (report.status, report.stop_reason.label, report.summary)


@pytest.mark.row("P2", "W17", "P6")
@pytest.mark.parametrize("given", [60, 60.0, timedelta(minutes=1)], ids=["int", "float", "timedelta"])
def test_one_spelling_of_a_time(given: Any) -> None:
    """However a time is given, the label is the same: the seconds."""
    assert (max_duration(60), "max_duration:60") == (max_duration(given), max_duration(given).label)


@pytest.mark.row("P3", "G3", "V2")
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_so_many_steps(door: Door, steps: int) -> None:
    """A count of steps stops after exactly so many replies."""
    fake = FunctionProvider(for_ever)
    failed(door.settle(AGENT, model=fake, stop_when=[step_count_is(steps)]), "condition")
    assert steps == len(fake.requests)


@pytest.mark.row("P3", "V2")
def test_more_steps_are_enough_too(door: Door) -> None:
    """A run that was resumed past the count, or begun again behind it, is stopped all the same: the count is a bound."""
    agent = AGENT.with_(stop_when=[step_count_is(1)])
    failure = failed(door.settle(agent, model=FunctionProvider(for_ever)), "condition")
    report = failed(door.resume(agent, failure, model=FunctionProvider(for_ever)), "condition").report
    assert (2, "step_count:1") == (len(report.steps), report.stop_reason.label)


@pytest.mark.row("P3")
@pytest.mark.parametrize("steps", [-1, 1.5, "3", True, None], ids=repr)
def test_what_is_no_count(steps: Any) -> None:
    """A count below nothing is refused where it is given, and is not quietly taken for another."""
    with pytest.raises(MisuseError, match="step_count_is"):
        step_count_is(steps)


@pytest.mark.row("P4")
@pytest.mark.parametrize("tokens, asked", [(15, 1), (16, 2), (30, 2), (31, 3)])
def test_so_many_tokens(door: Door, tokens: int, asked: int) -> None:
    """Tokens of input and output are summed over the run and looked at after each step, so the last step may overshoot."""
    fake = FunctionProvider(for_ever)
    report = failed(door.settle(AGENT, model=fake, stop_when=[max_tokens_used(tokens)]), "condition").report
    assert (asked, asked * 15, f"max_tokens:{tokens}") == (
        len(fake.requests),
        report.usage.total_tokens,
        report.stop_reason.label,
    )


@pytest.mark.row("P5")
@pytest.mark.parametrize("usd, asked", [("0.25", 1), ("0.26", 2), (Decimal("0.75"), 3)])
def test_so_much_money(door: Door, usd: Any, asked: int) -> None:
    """Reported cost is summed, exactly, and stops once it has reached the limit."""
    fake = FunctionProvider(for_ever)
    report = failed(door.settle(AGENT, model=fake, stop_when=[max_cost(usd)]), "condition").report
    assert (asked, f"max_cost:{usd}") == (len(fake.requests), report.stop_reason.label)


@pytest.mark.row("P5", "W16")
def test_unknown_cost_stops(door: Door) -> None:
    """Where a reply came without its cost the condition cannot be held, so it fires, and says which of the two it is."""
    fake = ScriptedProvider(turn(cost=None))
    report = failed(door.settle(AGENT, model=fake, stop_when=[max_cost(1)]), "condition").report
    assert "cost_unknown" == report.stop_reason.label
    assert "max_cost:1 cannot be held" in report.summary


@pytest.mark.row("W16")
@pytest.mark.parametrize("on_unknown, warnings", [("warn", 1), ("ignore", 0)])
def test_unknown_cost_is_silent_only_by_wish(
    door: Door, caplog: pytest.LogCaptureFixture, on_unknown: Any, warnings: int
) -> None:
    """Going on without a cost is the caller's word: with a warning, once a run, or without one."""
    fake = ScriptedProvider(turn(cost=None), turn(call(id="c2"), cost=None), GOOD)
    with caplog.at_level(logging.WARNING, logger="settled"):
        succeeded(door.settle(AGENT, model=fake, stop_when=[max_cost(1, on_unknown=on_unknown)]))
    assert warnings == sum("max_cost:1" in record.getMessage() for record in caplog.records)


@pytest.mark.row("P7", "W19", "G4", "V2")
@pytest.mark.parametrize(
    "condition, asked",
    [
        pytest.param(has_tool_call("search"), 2, id="last, one name"),
        pytest.param(has_tool_call("search", "look_up"), 1, id="last, several names"),
        pytest.param(has_tool_call("search", scope="any"), 2, id="any, one name"),
        pytest.param(has_tool_call("nope"), None, id="never called"),
        pytest.param(finish_reason_is("length", "ERR_Budget"), 2, id="finish reason"),
        pytest.param(finish_reason_is("stop"), None, id="a finish reason that calls put right"),
    ],
)
def test_steps_with_calls_are_seen(door: Door, condition: StopCondition, asked: int | None) -> None:
    """What a step called, and how it ended, is looked at right after it, although it has tool calls and the run would go on."""
    replies = [turn(finish="stop"), turn(call("search"), finish="ERR_Budget"), turn(), GOOD]
    fake = ScriptedProvider(*replies)
    end = door.settle(AGENT, model=fake, stop_when=[condition])
    if asked is None:
        succeeded(end)
    else:
        failed(end, "condition")
        assert asked == len(fake.requests)


@pytest.mark.row("P7", "W19", "G4")
@pytest.mark.parametrize(
    "last, ever",
    [
        pytest.param(has_tool_call("search"), has_tool_call("search", scope="any"), id="tool"),
        pytest.param(finish_reason_is("ERR_Budget"), finish_reason_is("ERR_Budget", scope="any"), id="finish reason"),
    ],
)
def test_last_step_or_any(door: Door, last: StopCondition, ever: StopCondition) -> None:
    """By default only the newest step counts; with ``scope="any"`` an earlier one does too. The caller says which."""

    def from_the_third(condition: StopCondition) -> StopCondition:
        return lambda state: condition(state) if len(state.steps) > 1 else None

    replies = [turn(call("search"), finish="ERR_Budget"), turn(), GOOD]
    succeeded(door.settle(AGENT, model=ScriptedProvider(*replies), stop_when=[from_the_third(last)]))
    report = failed(door.settle(AGENT, model=ScriptedProvider(*replies), stop_when=[from_the_third(ever)]), "condition").report
    assert 2 == len(report.steps)


@pytest.mark.row("V2")
def test_never(door: Door) -> None:
    """A condition that never fires leaves the run to its budget."""
    fake = FunctionProvider(for_ever)
    failed(door.settle(AGENT, model=fake, stop_when=[never()], budget=Budget(max_steps=3)), "step_limit")
    assert 3 == len(fake.requests)


@pytest.mark.row("P1", "V1", "W37")
def test_a_condition_under_another_name(door: Door) -> None:
    """A condition can be given a name, and one joined of others has the reason of the one that fired."""

    def yes(state: StopState) -> bool:
        return True

    stop_when = [named("closing time", yes), any_of(never(), step_count_is(1))]
    report = failed(door.settle(AGENT, model=FunctionProvider(for_ever), stop_when=stop_when), "condition").report
    assert isinstance(report.stop_reason, Condition)
    assert ("closing time", ("step_count:1",)) == (report.stop_reason.label, report.stop_reason.also_fired)


# By hand.


def first(state: StopState) -> str:
    """Stop."""
    return "the first"


async def second(state: StopState) -> str:
    """Stop, later."""
    await asyncio.sleep(0)
    return "the second"


def nothing(state: StopState) -> str:
    """Go on."""
    return ""


@pytest.mark.row("G3", "G4", "P3", "P7")
@pytest.mark.parametrize(
    "condition",
    [step_count_is(1), has_tool_call("search"), has_tool_call("search", scope="any"), finish_reason_is("stop")],
    ids=repr,
)
def test_before_any_step(condition: StopCondition) -> None:
    """Where no step was made there is nothing to stop for."""
    assert evaluate_stop_conditions([condition], NOTHING_YET) is None


@pytest.mark.row("G5")
@each_way
@pytest.mark.parametrize(
    "conditions, message",
    [
        pytest.param([], None, id="empty"),
        pytest.param([nothing], None, id="none fires"),
        pytest.param([first, second], "the first", id="the first of two"),
        pytest.param([second, first], "the second", id="an async one first"),
        pytest.param([nothing, second], "the second", id="behind one that goes on"),
    ],
)
def test_the_first_in_order(way: str, conditions: Sequence[StopCondition], message: str | None) -> None:
    """Of a list the first one in order that fires gives the reason; where none does, or there are none, there is no reason."""
    heard = decided(conditions, NOTHING_YET, way)
    assert message == (None if heard is None else heard.message)


@pytest.mark.row("G5", "G6")
@each_way
def test_none_is_left_out(way: str) -> None:
    """Every condition of a list is asked, also behind one that fired, and behind one that raised; that fault then comes out."""
    asked: list[str] = []

    def counting(state: StopState) -> None:
        asked.append("counted")

    def broken(state: StopState) -> None:
        raise ZeroDivisionError("a bug")

    assert decided([first, counting, second, counting], NOTHING_YET, way) is not None
    assert 2 == len(asked)
    with pytest.raises(ZeroDivisionError):
        decided([broken, first, counting], NOTHING_YET, way)
    assert 3 == len(asked)

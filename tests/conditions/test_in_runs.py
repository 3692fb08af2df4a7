"""Conditions in runs: after which steps they are asked, what wins, and what becomes of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

import pytest
from tests.support import call

from settled import (
    Agent,
    Approved,
    Budget,
    Failure,
    Hooks,
    MisuseError,
    Paused,
    RunContext,
    Settings,
    StepRecord,
    StopState,
    Success,
    Tool,
    ToolFailed,
)
from settled.conditions import (
    any_of,
    finish_reason_is,
    has_tool_call,
    max_cost,
    max_tokens_used,
    repeated_tool_call,
    step_count_is,
    text_matches,
    tool_errors,
)
from settled.core.hooks import StopCondition
from settled.testing import Reply, ScriptedProvider, Truncated
from settled.vocabulary.stop import Condition

Outcome: TypeAlias = "Success[int] | Failure[None]"
Door: TypeAlias = "Callable[[Agent[int, None]], Outcome]"
AGAIN = call("look_up", '{"city":"Oslo"}')


def sync(agent: Agent[int, None]) -> Outcome:
    """By the sync runner."""
    return agent.settle("How many?")


def awaited(agent: Agent[int, None]) -> Outcome:
    """By the async runner."""
    return asyncio.run(agent.asettle("How many?"))


each_runner = pytest.mark.parametrize("door", [sync, awaited], ids=["sync", "async"])


def look_up(city: str) -> str:
    """A tool."""
    return city


def fails(city: str) -> str:
    """A tool that fails."""
    raise ToolFailed(city)


class Asked:
    """A condition for metrics: it never stops, and notes the steps that it saw."""

    def __init__(self) -> None:
        """Nothing was seen."""
        self.steps: list[int] = []
        self.texts: list[str] = []

    def __call__(self, state: StopState) -> None:
        """Notes the step."""
        self.steps.append(state.last_step.number)
        self.texts.append(state.last_text)


def condition_of(outcome: Outcome) -> Condition:
    """The condition that ended the run."""
    assert isinstance(outcome, Failure)
    reason = outcome.report.stop_reason
    assert isinstance(reason, Condition)
    return reason


@pytest.mark.parametrize(
    "condition, replies, label, steps",
    [
        pytest.param(step_count_is(2), ["no", "no"], "step_count:2", 2, id="steps"),
        pytest.param(max_tokens_used(1), ["no"], "tokens_unknown", 1, id="tokens that nobody reports"),
        pytest.param(max_cost("0.50"), ["no"], "cost_unknown", 1, id="cost that nobody reports"),
        pytest.param(has_tool_call("look_up"), [AGAIN], "tool_call:look_up", 1, id="a call"),
        pytest.param(finish_reason_is("tool_calls"), ["no", AGAIN], "finish_reason:tool_calls", 2, id="a finish reason"),
        pytest.param(tool_errors(1), [call("fails", '{"city":"x"}')], "tool_errors:1", 1, id="a failed tool"),
        pytest.param(repeated_tool_call(2), [AGAIN, AGAIN.changed(id="c2")], "repeated_tool_call:2", 2, id="a loop"),
        pytest.param(text_matches("give up"), ["no", "I give up."], "text_matches:give up", 2, id="text"),
        pytest.param(any_of(step_count_is(9), text_matches("give up")), ["I give up."], "text_matches:give up", 1, id="any_of"),
    ],
)
@each_runner
def test_a_condition_ends_the_run(door: Door, condition: StopCondition, replies: list[Reply], label: str, steps: int) -> None:
    """After the step that made it fire, tools included, and before the next request."""
    with ScriptedProvider(*replies) as fake:
        outcome = door(Agent(int, model=fake, tools=[look_up, fails], stop_when=[condition]))
    assert label == condition_of(outcome).label
    assert isinstance(outcome, Failure)
    assert ("stopped", steps) == (outcome.report.status, len(outcome.report.steps))
    assert outcome.checkpoint is not None


@each_runner
def test_the_first_in_order_wins_and_the_rest_is_noted(door: Door) -> None:
    """Its place is told too, and the labels of the others that fired."""
    stop_when = [step_count_is(9), finish_reason_is("stop"), step_count_is(1)]
    reason = condition_of(door(Agent(int, model=ScriptedProvider("no"), stop_when=stop_when)))
    assert ("finish_reason:stop", 1, ("step_count:1",)) == (reason.name, reason.index, reason.also_fired)
    assert "the finish reason was 'stop'" == reason.message


@each_runner
def test_a_step_that_settled_is_seen_and_stands(door: Door) -> None:
    """Conditions cannot change what the step itself settled; they only see it."""
    asked = Asked()
    outcome = door(Agent(int, model=ScriptedProvider("no", 7), stop_when=[asked, step_count_is(2)]))
    assert isinstance(outcome, Success)
    assert ("output", [1, 2]) == (outcome.stop_reason.kind, asked.steps)


@each_runner
def test_every_step_is_seen(door: Door) -> None:
    """With tools, without, cut off, re-asked, and the last one; each with the text that it put into the conversation."""
    asked = Asked()
    replies = [AGAIN, "well", Truncated("1"), "", 7]
    agent = Agent(int, model=ScriptedProvider(*replies), tools=[look_up], stop_when=[asked], settings=Settings(max_tokens=9))
    assert isinstance(door(agent), Success)
    assert [1, 2, 3, 4, 5] == asked.steps
    assert ["", "well", "", "", '{"value":7}'] == asked.texts


@each_runner
def test_a_condition_is_reported_before_a_limit(door: Door) -> None:
    """Where both are reached by the same step, the caller's own words come first."""
    agent = Agent(int, model=ScriptedProvider("no"), budget=Budget(max_steps=1), stop_when=[step_count_is(1)])
    assert "step_count:1" == condition_of(door(agent)).label


@each_runner
def test_a_condition_comes_before_spent_retries(door: Door) -> None:
    """The retry budget that the step used up is noted beside it."""
    outcome = door(Agent(int, model=ScriptedProvider("no"), budget=Budget(output_retries=0), stop_when=[step_count_is(1)]))
    assert isinstance(outcome, Failure)
    assert ("condition", ["no_output"]) == (outcome.report.code, [reason.kind for reason in outcome.report.secondary])


@pytest.mark.parametrize("own, given, label", [(3, 1, "step_count:1"), (1, 3, "step_count:1")], ids=["the run's", "the agent's"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_run_adds_conditions(is_async: bool, own: int, given: int, label: str) -> None:
    """Those given to a run are asked beside the agent's, behind them."""
    agent = Agent(int, model=ScriptedProvider("no", "no"), stop_when=[step_count_is(own)])
    more = [step_count_is(given)]
    outcome = asyncio.run(agent.asettle("?", stop_when=more)) if is_async else agent.settle("?", stop_when=more)
    reason = condition_of(outcome)
    assert (label, 0 if own == 1 else 1) == (reason.label, reason.index)


def test_a_step_that_waits_for_a_person_is_not_seen_before_it_is_complete() -> None:
    """Conditions and ``after_step`` are asked once the decisions are there and the tools have run."""
    asked, after = Asked(), list[int]()

    def note(ctx: RunContext, step: StepRecord) -> None:
        after.append(step.number)

    tool = Tool.of(look_up, requires_approval=True)
    agent = Agent(int, model=ScriptedProvider(AGAIN, 7), tools=[tool], stop_when=[asked], hooks=Hooks(after_step=note))
    paused = agent.start("?")
    assert isinstance(paused, Paused)
    assert ([], []) == (asked.steps, after)
    assert isinstance(agent.resume(paused, {"c1": Approved()}), Success)
    assert ([1, 2], [1, 2]) == (asked.steps, after)


@each_runner
def test_no_sentence_is_no_condition(door: Door) -> None:
    """What cannot be called is refused when the agent is made."""
    with pytest.raises(MisuseError, match="stop_when: str cannot be called"):
        door(Agent(int, stop_when=["step_count:3"]))  # type: ignore[list-item]
    with pytest.raises(MisuseError, match="stop_when=Looking: give a list"):
        door(Agent(int, stop_when=step_count_is(3)))  # type: ignore[arg-type]

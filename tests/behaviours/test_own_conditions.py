"""Conditions that the caller writes: when they are asked, what they see, what they may answer, and who wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import City

from settled import (
    Agent,
    Budget,
    FinishReason,
    Message,
    ModelResponse,
    StopDecision,
    StopState,
    Text,
    ToolCall,
    Usage,
)
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary.stop import Condition, Output

GOOD = City(name="Oslo", people=700_000)
LOOK = ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}')
COST = Usage(requests=1, input_tokens=10, output_tokens=5)
Seen = list[StopState]


def look_up(name: str) -> str:
    """Look a city up."""
    if name == "Atlantis":
        raise LookupError("no such city")
    return f"{name}: 700000 people"


AGENT = Agent(City, tools=[look_up], mode="native")


def watching(seen: Seen, *, stop_at: int | None = None) -> Callable[[StopState], str | None]:
    """A condition that keeps what it sees, and may stop after so many steps."""

    def condition(state: StopState) -> str | None:
        seen.append(state)
        return "enough" if len(state.steps) == stop_at else ""

    return condition


def turn(number: int = 1, text: str = "") -> ModelResponse:
    """A reply with a call."""
    said = (Text(text=text),) if text else ()
    return ModelResponse(parts=(*said, LOOK.changed(id=f"c{number}")), finish_reason=FinishReason(kind="stop"), usage=COST)


def one(state: StopState) -> str:
    """Stop."""
    return "the first"


def two(state: StopState) -> StopDecision:
    """Stop, with a label."""
    return StopDecision("second:2", "the second")


def never_mind(state: StopState) -> None:
    """Go on."""


# When they are asked.


@pytest.mark.row("P1", "P8", "W19", "G1")
def test_asked_after_every_step(door: Door) -> None:
    """A condition is asked after each completed step, those with tool calls included, and before the model is called again."""
    seen: Seen = []
    fake = FunctionProvider(lambda request: turn(request.step))
    report = failed(door.settle(AGENT, model=fake, stop_when=[watching(seen, stop_at=3)]), "condition").report
    assert [1, 2, 3] == [len(state.steps) for state in seen]
    assert [["c1"], ["c2"], ["c3"]] == [[call.id for call in state.last_step.tool_calls] for state in seen]
    assert ("stopped", "enough", 3) == (report.status, report.summary, len(fake.requests))


@pytest.mark.row("P8", "W19")
def test_a_condition_does_not_only_rename_an_end(door: Door) -> None:
    """A condition ends a run that would have gone on; one that fires on the step which brings the output changes nothing."""
    stops = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=[one]))
    ends = succeeded(door.settle(AGENT, model=ScriptedProvider(GOOD), stop_when=[one]))
    assert ("stopped", "completed") == (str(stops.status), str(ends.status))


@pytest.mark.row("G1", "W19")
def test_a_re_ask_is_a_step_too(door: Door) -> None:
    """After a reply that does not fit, conditions are asked before the model is asked again."""
    report = failed(door.settle(AGENT, model=ScriptedProvider("hm"), stop_when=[one]), "condition").report
    assert ["no_payload"] == [attempt.outcome for attempt in report.attempts]


# What they see.


@pytest.mark.row("P13", "G2")
def test_what_a_condition_sees(door: Door) -> None:
    """All steps with the newest last, the conversation with the newest results, usage summed over the steps, seconds, failures
    of tools, and what is left of the budget.
    """
    seen: Seen = []
    sunk = ModelResponse(parts=(LOOK.changed(id="c2", arguments='{"name":"Atlantis"}'),), usage=COST)
    fake = ScriptedProvider(turn(text="let me see"), sunk, GOOD)
    succeeded(door.settle(AGENT, model=fake, stop_when=[watching(seen)], budget=Budget(max_steps=5)))
    first, second, last = seen
    assert (second.steps[-1], [1, 2]) == (second.last_step, [step.number for step in second.steps])
    assert ("tool_calls", "unspecified") == (first.last_step.finish_reason.kind, second.last_step.finish_reason.kind)
    assert (Message.user("Go."), "let me see") == (first.messages[0], first.messages[1].text)
    assert (second.last_step.tool_results, "tool") == (second.messages[-1].parts, second.messages[-1].role)
    assert (COST, COST + COST) == (first.usage, second.usage)
    assert [0, 1, 1] == [state.tool_failures for state in seen]
    assert [4, 3, 2] == [state.budget.max_steps for state in seen]
    assert 0 <= first.elapsed <= second.elapsed <= last.elapsed


@pytest.mark.row("G2")
def test_unknown_usage_is_none_to_a_condition(door: Door) -> None:
    """A cost that nobody reported is None for a condition, so it cannot be taken for nothing."""
    seen: Seen = []
    succeeded(door.settle(AGENT, model=ScriptedProvider(turn(), GOOD), stop_when=[watching(seen)]))
    assert [None, None] == [state.usage.cost for state in seen]


# What they may answer.


def yes(state: StopState) -> bool:
    """Stop without words."""
    return True


class Yes:
    """A condition that is an object."""

    def __call__(self, state: StopState) -> bool:
        """Stop without words."""
        return True


async def later(state: StopState) -> str:
    """Stop, after a while."""
    await asyncio.sleep(0)
    return "later"


@pytest.mark.row("P13", "V1", "W37", "G1")
@pytest.mark.parametrize(
    "condition, label, message",
    [
        pytest.param(one, "the first", "the first", id="text"),
        pytest.param(two, "second:2", "the second", id="decision"),
        pytest.param(yes, "yes", "yes", id="True"),
        pytest.param(later, "later", "later", id="async"),
    ],
)
def test_each_answer_that_stops_has_a_reason(door: Door, condition: Any, label: str, message: str) -> None:
    """A text, a decision or True stops the run, and the reason is never empty: True goes by the condition's own name."""
    report = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=[condition]), "condition").report
    assert (label, message, message) == (report.stop_reason.label, report.stop_reason.message, report.summary)


@pytest.mark.row("V1", "W37")
def test_an_object_that_says_true_has_a_name_too(door: Door) -> None:
    """A callable object goes by the name of its class."""
    report = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=[Yes()]), "condition").report
    assert "Yes" in report.stop_reason.label


@pytest.mark.row("P13", "G1", "G6")
@pytest.mark.parametrize("answer", [None, False, ""], ids=repr)
def test_answers_that_go_on(door: Door, answer: Any) -> None:
    """None, False and the empty text go on, however often they are said and wherever the condition stands."""
    asked: list[int] = []

    def count(state: StopState) -> Any:
        asked.append(len(state.steps))
        return answer

    success = succeeded(door.settle(AGENT, model=ScriptedProvider(turn(), turn(2), GOOD), stop_when=[count, never_mind, count]))
    assert (GOOD, [1, 1, 2, 2, 3, 3]) == (success.output, asked)


@pytest.mark.row("W37")
@pytest.mark.parametrize("answer", [1, 0, [], ["enough"], object()], ids=["1", "0", "list", "texts", "object"])
def test_other_answers_are_a_fault(door: Door, answer: Any) -> None:
    """What is no answer is not guessed at: the run ends by naming the condition that gave it."""

    def odd(state: StopState) -> Any:
        return answer

    report = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=[odd]), "error").report
    assert report.summary.startswith("condition:odd: TypeError")


# Who wins.


@pytest.mark.row("P1", "G5", "V2")
@pytest.mark.parametrize(
    "conditions, label, index, also",
    [
        pytest.param([one, two], "the first", 0, ("second:2",), id="both"),
        pytest.param([two, one], "second:2", 0, ("the first",), id="the other way round"),
        pytest.param([never_mind, two, yes, one], "second:2", 1, ("yes", "the first"), id="behind one that goes on"),
    ],
)
def test_the_first_in_order_wins(door: Door, conditions: Sequence[Any], label: str, index: int, also: tuple[str, ...]) -> None:
    """Of several that fire at one step the first in the caller's order is the reason, and the others are noted behind it."""
    report = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=conditions), "condition").report
    assert isinstance(report.stop_reason, Condition)
    assert (label, index, also) == (report.stop_reason.label, report.stop_reason.index, report.stop_reason.also_fired)


@pytest.mark.row("G5", "G6", "V2")
def test_all_of_them_are_asked(door: Door) -> None:
    """One that fires does not keep the later ones from being asked, so one that only counts may stand anywhere."""
    before: Seen = []
    behind: Seen = []
    failed(
        door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=[watching(before), one, two, watching(behind)]), "condition"
    )
    assert (1, 1) == (len(before), len(behind))


@pytest.mark.row("G5", "G6")
def test_one_that_raises_does_not_silence_the_others(door: Door) -> None:
    """A condition that raises ends the run as a fault of its own; the others are asked all the same."""
    behind: Seen = []

    def broken(state: StopState) -> bool:
        raise ZeroDivisionError("a bug")

    stop_when = [broken, watching(behind)]
    report = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=stop_when), "error").report
    assert ("condition:broken: ZeroDivisionError: a bug", 1) == (report.summary, len(behind))


@pytest.mark.row("G7")
@pytest.mark.parametrize("conditions", [[], [never_mind]], ids=["none", "one that does not fire"])
def test_an_end_of_its_own_names_no_condition(door: Door, conditions: Sequence[Any]) -> None:
    """A run that ended naturally says so; the winner stands in the reason only where one fired."""
    success = succeeded(door.settle(AGENT, model=ScriptedProvider(turn(), GOOD), stop_when=conditions))
    assert isinstance(success.stop_reason, Output)
    report = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=[*conditions, one]), "condition").report
    assert "the first" == report.stop_reason.message


@pytest.mark.row("P1")
def test_a_run_that_a_condition_stopped_goes_on(door: Door) -> None:
    """A stop is no fault: the run has a checkpoint, and resuming asks the conditions again after the next step only."""
    seen: Seen = []
    agent = AGENT.with_(stop_when=[watching(seen, stop_at=1)])
    failure = failed(door.settle(agent, model=ScriptedProvider(turn())), "condition")
    assert GOOD == succeeded(door.resume(agent, failure, model=ScriptedProvider(GOOD))).output
    assert [1, 2] == [len(state.steps) for state in seen]


# Options that count.


@pytest.mark.row("P9", "W20")
def test_conditions_of_a_run_count(door: Door) -> None:
    """Conditions given to a run are asked behind the agent's, and for that run only; a changed copy replaces them."""
    agent = AGENT.with_(stop_when=[one])
    report = failed(door.settle(agent, model=ScriptedProvider(turn()), stop_when=[two]), "condition").report
    assert isinstance(report.stop_reason, Condition)
    assert ("the first", ("second:2",)) == (report.stop_reason.label, report.stop_reason.also_fired)
    report = failed(door.settle(AGENT, model=ScriptedProvider(turn()), stop_when=[two]), "condition").report
    assert "second:2" == report.stop_reason.label
    report = failed(door.settle(agent.with_(stop_when=[two]), model=ScriptedProvider(turn())), "condition").report
    assert ("second:2", ()) == (report.stop_reason.label, report.stop_reason.__dict__["also_fired"])
    succeeded(door.settle(AGENT, model=ScriptedProvider(turn(), GOOD)))


@pytest.mark.row("W20", "F12")
@pytest.mark.parametrize("options", [{"max_turns": 3}, {"max_steps": 3}, {"stop_if": []}, {"output_schema": City}], ids=str)
@pytest.mark.parametrize("place", ["constructor", "copy", "run"])
def test_options_that_do_nothing_do_not_exist(door: Door, place: str, options: dict[str, Any]) -> None:
    """A keyword that nobody reads is refused where it is given, instead of being taken and ignored."""
    places: dict[str, Callable[..., object]] = {
        "constructor": partial(cast("Callable[..., object]", Agent), City),
        "copy": AGENT.with_,
        "run": partial(door.settle, AGENT, model=ScriptedProvider(GOOD)),
    }
    with pytest.raises(TypeError, match=next(iter(options))):
        places[place](**options)


# Conditions of another library, written by a caller.


def stop_on_error(state: StopState) -> str | None:
    """Stop when a tool failed."""
    return "tool returned an error" if any(result.status == "failed" for result in state.last_step.tool_results) else None


def token_budget(limit: int) -> Callable[[StopState], str | None]:
    """Stop at so many tokens."""

    def condition(state: StopState) -> str | None:
        return f"token budget of {limit} reached" if (state.usage.total_tokens or 0) >= limit else None

    return condition


@pytest.mark.row("G14")
def test_a_tool_error_does_not_stop_the_loop(door: Door) -> None:
    """By itself one failed tool only goes to the model; a condition of three lines can make it the end."""
    sunk = LOOK.changed(arguments='{"name":"Atlantis"}')
    succeeded(door.settle(AGENT, model=ScriptedProvider(sunk, GOOD)))
    report = failed(door.settle(AGENT, model=ScriptedProvider(sunk), stop_when=[stop_on_error]), "condition").report
    assert "tool returned an error" == report.stop_reason.message
    succeeded(door.settle(AGENT, model=ScriptedProvider(turn(), GOOD), stop_when=[stop_on_error]))


@pytest.mark.row("G14")
@pytest.mark.parametrize("limit, asked", [(30, 2), (31, 3)])
def test_a_token_budget_as_a_condition(door: Door, limit: int, asked: int) -> None:
    """A bound of one's own over the summed usage stops after the step that reaches it."""
    fake = FunctionProvider(lambda request: turn(request.step))
    report = failed(door.settle(AGENT, model=fake, stop_when=[token_budget(limit)]), "condition").report
    assert (f"token budget of {limit} reached", asked) == (report.summary, len(fake.requests))

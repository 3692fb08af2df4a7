"""The typed report of a model that cannot finish: rows S10 to S12 and warts W3 and W4."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import OSLO, City, Stuck, gave_up, handed_over, parameters_of

from settled import Agent, Budget, GaveUp, OutputMode, Success, ToolCall
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import ReportedFailure

MODES = [mode for mode in get_args(OutputMode) if mode not in ("auto", "text")]


@pytest.mark.row("S10")
@pytest.mark.parametrize("mode", MODES)
def test_no_way_to_give_up_unless_asked_for(door: Door, mode: OutputMode) -> None:
    """Without ``failure_type`` nothing in the request speaks of giving up, and a call that does so all the same is unknown."""
    model = ScriptedProvider(City(name="Oslo", people=7))
    succeeded(door.settle(Agent(City, model=model, mode=mode)))
    assert "report_failure" not in model.requests[0].model_dump_json()
    model = ScriptedProvider(gave_up(), City(name="Oslo", people=7))
    success = succeeded(door.settle(Agent(City, model=model, mode=mode)))
    assert "there is no tool of that name" in success.steps[0].tool_results[0].text


@pytest.mark.row("S10")
@pytest.mark.parametrize("mode", MODES)
def test_a_report_is_an_outcome_and_no_exception(door: Door, mode: OutputMode) -> None:
    """With ``failure_type``, what the model reports comes back as a value of that type, in a `Failure` that says so."""
    model = ScriptedProvider(Stuck(reason="no map", blocked_by=["the archive"]))
    report = failed(door.settle(Agent(City, failure_type=Stuck, model=model, mode=mode)), "reported_failure").report
    assert Stuck(reason="no map", blocked_by=["the archive"]) == report.detail
    assert ("the archive",) == report.blocked_by
    assert isinstance(report.stop_reason, ReportedFailure)
    assert "report_failure" == report.stop_reason.option
    assert report.stop_reason.tool_call_id == ("call_1" if mode == "tool" else None)


@pytest.mark.row("S11", "W3")
def test_a_report_is_an_object_in_and_a_value_out(door: Door) -> None:
    """The failure tool takes the fields of the type as an object, and nothing is decoded a second time."""
    model = ScriptedProvider(gave_up('{"reason":"no map","blocked_by":[]}'))
    report = failed(door.settle(Agent(City, failure_type=Stuck, model=model, mode="tool")), "reported_failure").report
    tool = next(tool for tool in model.requests[0].tools if tool.name == "report_failure")
    assert {"reason", "blocked_by"} == set(parameters_of(tool))
    assert Stuck(reason="no map") == report.detail
    assert () == report.attempts[-1].repairs


@pytest.mark.row("S11", "W3")
@pytest.mark.parametrize(
    "arguments, place",
    [
        pytest.param(json.dumps('{"reason":"no map","blocked_by":["fog"]}'), "$", id="whole"),
        pytest.param('{"reason":"no map","blocked_by":"[\\"fog\\"]"}', "$.blocked_by", id="a field"),
    ],
)
def test_a_report_that_was_encoded_twice_is_read_and_recorded(door: Door, arguments: str, place: str) -> None:
    """A JSON string where the object should be is decoded, the detail is the same, and the attempt says what was mended."""
    model = ScriptedProvider(gave_up(arguments))
    report = failed(door.settle(Agent(City, failure_type=Stuck, model=model, mode="tool")), "reported_failure").report
    assert Stuck(reason="no map", blocked_by=["fog"]) == report.detail
    assert [("json.double_encoded", place)] == [(repair.code, repair.path) for repair in report.attempts[-1].repairs]
    assert "\\" not in str(report.stop_reason.as_(ReportedFailure))


@pytest.mark.row("S12", "W4")
def test_the_two_tools_are_told_apart(door: Door) -> None:
    """One tool is for a finished task and says nothing of failing; the other is for a task that cannot be finished, only then."""
    model = ScriptedProvider(handed_over())
    succeeded(door.settle(Agent(City, failure_type=Stuck, model=model, mode="tool")))
    end, give_up = (tool.description for tool in model.requests[0].tools)
    assert end.startswith("Hand over the finished result.")
    assert "when the task is done" in end
    assert not [word for word in ("cannot", "fail", "unable", "give up") if word in end]
    assert give_up.startswith("Report that the task cannot be finished")
    assert "only when no result can be given" in give_up
    assert not [word for word in ("finished result", "is done", "completed") if word in give_up]


@pytest.mark.row("W4")
@pytest.mark.parametrize("mode", ["native", "prompted"])
def test_modes_without_tools_tell_the_two_apart_as_well(door: Door, mode: OutputMode) -> None:
    """Where the choice is a word in the JSON, the request says which word is for a result, and that the other is for none."""
    model = ScriptedProvider(City(name="Oslo", people=7))
    succeeded(door.settle(Agent(City, failure_type=Stuck, model=model, mode=mode)))
    told = model.requests[0].messages[0].text
    assert '"final_result" for City' in told
    assert '"report_failure" only when no result can be given' in told


BAD = handed_over('{"name":"Oslo"}', "bad")
GOOD = handed_over(OSLO, "good")
REPORT = gave_up(id="gave")


@pytest.mark.row("S12", "W4")
@pytest.mark.parametrize("calls", [[GOOD, REPORT], [REPORT, GOOD]], ids=["output first", "report first"])
def test_a_valid_output_wins_over_a_report_beside_it(door: Door, calls: list[ToolCall]) -> None:
    """Both in one turn: the output is taken, in whatever order they came, and the step says that a report was not."""
    success = succeeded(door.settle(Agent(City, failure_type=Stuck, model=ScriptedProvider(calls), mode="tool")))
    assert City(name="Oslo", people=700_000) == success.output
    assert "good" == success.stop_reason.tool_call_id
    assert ("report_not_taken",) == success.steps[0].remarks


@pytest.mark.row("S12", "W4")
@pytest.mark.parametrize("calls", [[BAD, REPORT], [REPORT, BAD]], ids=["output first", "report first"])
def test_a_report_wins_over_an_invalid_output_beside_it(door: Door, calls: list[ToolCall]) -> None:
    """Both in one turn, and the output does not fit: the report is taken without asking again, and the step says so."""
    model = ScriptedProvider(calls)
    report = failed(door.settle(Agent(City, failure_type=Stuck, model=model, mode="tool")), "reported_failure").report
    assert Stuck(reason="no map") == report.detail
    assert 1 == len(model.requests)
    assert ("output_not_taken",) == report.steps[0].remarks


@pytest.mark.row("W4")
@pytest.mark.parametrize("only", [GOOD, REPORT], ids=["output", "report"])
def test_one_alone_is_not_remarked_upon(door: Door, only: ToolCall) -> None:
    """The remarks are for turns that hold both."""
    end = door.settle(Agent(City, failure_type=Stuck, model=ScriptedProvider(only), mode="tool"))
    assert () == (end.steps if isinstance(end, Success) else end.report.steps)[0].remarks


@pytest.mark.row("S10")
def test_a_ready_made_report(door: Door) -> None:
    """`GaveUp` is a failure type to begin with; a report that does not fit it is asked for again."""
    model = ScriptedProvider(gave_up('{"blocked_by":["fog"]}', "a"), gave_up('{"reason":"fog","blocked_by":["fog"]}', "b"))
    agent = Agent(City, failure_type=GaveUp, model=model, mode="tool", budget=Budget(output_retries=1))
    report = failed(door.settle(agent), "reported_failure").report
    assert GaveUp(reason="fog", blocked_by=["fog"]) == report.detail
    assert "$.reason: required, but missing" in model.requests[1].messages[-1].text

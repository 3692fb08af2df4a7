"""From a finished state to what the caller gets, also from a state that went through JSON."""

from __future__ import annotations

import pytest
from tests.support import OSLO, AnyPlan, City, Town, begin, call, called, changed, failure_of, plan_for, play, said, success_of

from settled import Approved, Budget, Failure, GaveUp, InternalError, OutputMode, Tool
from settled.core.ending import detail_of, outcome_of, paused, report_of, value_of
from settled.core.events import ChecksDone, ModelFailed, ToolOutcome, ToolsDone
from settled.core.plan import UserCall
from settled.core.state import Live, RunState
from settled.vocabulary.errors import ProviderError


def look_up(city: str) -> str:
    """A tool."""
    return city


LOOK_UP = '{"city":"Oslo"}'
CHECK = (UserCall("look_up", look_up),)


def bare(state: RunState) -> RunState:
    """The state as JSON keeps it: without live values."""
    return state.changed(live=Live())


@pytest.mark.parametrize(
    "form, mode, reply, value",
    [
        pytest.param(City, "native", OSLO, City(name="Oslo", people=700_000), id="model"),
        pytest.param(int, "native", '{"value":7}', 7, id="wrapped"),
        pytest.param(int, "prompted", "7", 7, id="bare"),
        pytest.param(int | None, "prompted", '{"kind":"final_result_none","data":null}', None, id="none"),
        pytest.param(str, "text", "Oslo.", "Oslo.", id="verbatim"),
        pytest.param(str, "prompted", "Oslo.", "Oslo.", id="bare text"),
        pytest.param(str | int, "native", "Oslo.", "Oslo.", id="bare text of a union"),
        pytest.param(City, "native", f"<think>hm</think>{OSLO}", City(name="Oslo", people=700_000), id="after reasoning"),
        pytest.param(City, "prompted", f"```json\n{OSLO}\n```", City(name="Oslo", people=700_000), id="in a fence"),
    ],
)
@pytest.mark.parametrize("checked", [False, True], ids=["settled", "being checked"])
def test_a_value_is_made_again(form: object, mode: OutputMode, reply: str, value: object, checked: bool) -> None:
    """After JSON the accepted payload gives the same value by the same judgement."""
    plan = changed(plan_for(form, mode), checks=CHECK if checked else ())
    step = play(plan, said(reply))
    assert value == value_of(plan, step.state)
    assert value == value_of(plan, bare(step.state))
    assert type(value) is type(value_of(plan, bare(step.state)))


@pytest.mark.parametrize(
    "name, arguments, value",
    [
        pytest.param("final_result_City", OSLO, City(name="Oslo", people=700_000), id="one member"),
        pytest.param("final_result_Town", '{"name":"Lom","church":true}', Town(name="Lom", church=True), id="another"),
        pytest.param("final_result_none", "", None, id="none"),
    ],
)
def test_the_member_that_was_called_is_the_member_that_comes_back(name: str, arguments: str, value: object) -> None:
    """In tool mode the option decides, also after JSON."""
    plan = plan_for(City | Town | None, "tool")
    step = play(plan, called(call(name, arguments)))
    assert (value, value) == (success_of(step).output, value_of(plan, bare(step.state)))


def test_values_of_tools_and_checks_are_made_again_whole() -> None:
    """What a tool or a check gave is of the output type itself, whatever the mode wraps."""
    plan = changed(plan_for(int, "native", tools=[look_up]), checks=CHECK)
    by_tool = play(plan, called(call("look_up", LOOK_UP)), ToolsDone((ToolOutcome("c1", "ended", value=7),)))
    by_check = play(plan, said('{"value":7}'), ChecksDone(8, replaced=True))
    assert 7 == value_of(plan, bare(by_tool.state))
    assert 8 == value_of(plan, bare(by_check.state))


def test_a_payload_that_fits_no_more_is_our_fault() -> None:
    """An impure validator is found out; it never yields another value."""
    plan = plan_for()
    state = play(plan, said(OSLO)).state
    assert state.accepted is not None
    with pytest.raises(InternalError, match="pure"):
        value_of(plan, bare(state.changed(accepted=state.accepted.changed(payload="{}"))))
    with pytest.raises(InternalError, match="not kept"):
        value_of(plan, bare(state.changed(accepted=state.accepted.changed(payload=None))))


@pytest.mark.parametrize(
    "mode, reply",
    [
        pytest.param("native", '{"value":{"kind":"report_failure","data":{"reason":"no","blocked_by":["rain"]}}}', id="native"),
        pytest.param("prompted", '{"kind":"report_failure","data":{"reason":"no","blocked_by":["rain"]}}', id="prompted"),
        pytest.param("prompted", '{"reason":"no","blocked_by":["rain"]}', id="prompted, bare"),
        pytest.param("tool", '{"reason":"no","blocked_by":["rain"]}', id="tool"),
        pytest.param("text", '{"reason":"no","blocked_by":["rain"]}', id="text"),
    ],
)
def test_a_detail_is_made_again(mode: OutputMode, reply: str) -> None:
    """The model's report is typed in every mode, also after JSON, and what blocks it is copied."""
    plan = plan_for(str if mode == "text" else City, mode, failure=GaveUp)
    by_call = mode in ("tool", "text")
    step = play(plan, called(call("report_failure", reply)) if by_call else said(reply))
    assert GaveUp(reason="no", blocked_by=["rain"]) == failure_of(step).report.detail
    assert ("rain",) == failure_of(step).report.blocked_by
    assert failure_of(step) == outcome_of(plan, bare(step.state))


def test_a_detail_by_a_tool_is_made_again() -> None:
    """`FailRun` gives a validated detail of the failure type, also after JSON."""
    plan = plan_for(City, tools=[look_up], failure=GaveUp)
    step = play(plan, called(call("look_up", LOOK_UP)), ToolsDone((ToolOutcome("c1", "reported", value={"reason": "no"}),)))
    assert GaveUp(reason="no") == failure_of(step).report.detail
    assert GaveUp(reason="no") == detail_of(plan, bare(step.state))


def test_no_detail_without_a_report() -> None:
    """Any other end has none, and nothing that blocks it."""
    plan = plan_for()
    step = play(plan, ModelFailed(ProviderError("auth", "who are you")))
    assert detail_of(plan, bare(step.state)) is None
    assert (None, ()) == (failure_of(step).report.detail, failure_of(step).report.blocked_by)


def test_a_run_without_an_end_has_no_report() -> None:
    """Asking for one is our fault."""
    with pytest.raises(InternalError, match="without an end"):
        report_of(plan_for(), begin(plan_for()).state)


def failed(plan: AnyPlan, *replies: str) -> Failure[object]:
    """The failure after these texts."""
    return failure_of(play(plan, *[said(reply) for reply in replies]))


def test_the_account_is_whole() -> None:
    """Attempts, steps, the last payload as plain data, the last text, the finish reason, the mode and the agent are there."""
    plan = changed(plan_for(), budget=Budget(output_retries=1), agent="geographer", mode_requested="auto")
    report = failed(plan, "no idea", '{"name":"Oslo"}').report
    assert ["no_payload", "invalid"] == [attempt.outcome for attempt in report.attempts]
    assert [1, 2] == [record.number for record in report.steps]
    assert {"name": "Oslo"} == report.partial_output
    assert '{"name":"Oslo"}' == report.last_text
    assert ("stop", "native", "geographer") == (str(report.finish_reason), report.mode, report.agent)
    assert ("output_invalid", True) == (report.code, report.retryable)
    assert report.summary == "no valid output in 2 attempts (at $.people)"
    assert None is report.attempts[-1].feedback
    assert "raise Budget.output_retries" in report.remedy


def test_a_payload_that_is_no_json_is_no_partial_output() -> None:
    """Nothing is guessed."""
    assert None is failed(changed(plan_for(), budget=Budget(output_retries=0)), '{"name":').report.partial_output


def test_a_paused_run_shows_what_waits() -> None:
    """All calls that wait, a checkpoint, and a conversation in which every call is answered."""
    plan = plan_for(City, tools=[Tool.of(look_up, requires_approval=True)])
    held = paused(plan, play(plan, called("hm", call("look_up", LOOK_UP))).state)
    assert ["c1"] == [wait.call.id for wait in held.pending]
    assert ("paused", "run-1") == (held.status, held.run_id)
    assert "not executed: the run had ended" == held.messages[-1].text
    assert "approval of look_up (c1)" in repr(held)
    assert Approved() == Approved(args=None)


def test_attempts_are_counted_in_the_end() -> None:
    """The reason of a success says at which attempt it came, and by which way."""
    success = success_of(play(plan_for(), said("no idea"), said(OSLO)))
    assert (2, "native", None) == (success.stop_reason.attempts, success.stop_reason.via, success.stop_reason.tool_call_id)
    assert "the output was accepted at attempt 2" == success.stop_reason.message

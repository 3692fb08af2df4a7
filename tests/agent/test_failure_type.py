"""The typed way to give up, in every mode."""

from __future__ import annotations

import asyncio
import pickle
from typing import Literal

import pytest
from tests.forms import Blocked, City, Ship

from settled import Agent, Failure, FailureReport, GaveUp, OutputMode, Success, ToolCall
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary.stop import ReportedFailure

CLOSED = Blocked(why="closed", blocked_by=["the key", "the guard"])


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_the_model_may_give_up(mode: OutputMode) -> None:
    """A failure report ends the run as a typed failure, in each mode, sync and async; what blocks is copied."""
    agent = Agent(City | Ship, model=FunctionProvider(lambda request: CLOSED), mode=mode, failure_type=Blocked)
    for failed in (agent.settle("Oslo?"), asyncio.run(agent.asettle("Oslo?"))):
        assert isinstance(failed, Failure)
        report = failed.report
        assert (report.code, str(report.status), report.detail) == ("reported_failure", "failed", CLOSED)
        assert type(report.detail) is Blocked
        assert (report.blocked_by, report.attempts[-1].outcome) == (("the key", "the guard"), "reported")
        assert isinstance(report.stop_reason, ReportedFailure)
        assert report == FailureReport[Blocked].model_validate_json(report.model_dump_json())
        assert failed == pickle.loads(pickle.dumps(failed))
        assert failed.checkpoint is None


def test_in_text_mode_it_is_a_tool() -> None:
    """In text mode the failure report is a tool; text without a call is the output."""
    fake = ScriptedProvider(CLOSED, "Hei")
    agent = Agent(str, model=fake, failure_type=Blocked)
    failed = agent.settle("Say hello")
    assert isinstance(failed, Failure)
    assert failed.report.detail == CLOSED
    assert [tool.name for tool in fake.requests[0].tools] == ["report_failure"]
    assert fake.requests[0].tool_choice == "auto"
    assert agent.run("Say hello") == "Hei"


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_an_output_is_still_an_output(mode: OutputMode) -> None:
    """With a failure type on offer, the output comes back as ever."""
    assert (
        Agent(City, model=ScriptedProvider(City(name="Oslo", people=1)), mode=mode, failure_type=GaveUp).run("?").name == "Oslo"
    )


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_a_report_that_does_not_fit_is_no_report(mode: OutputMode) -> None:
    """A failure report that does not fit is asked for again, like any payload."""
    bad = {"native": '{"value":{"kind":"report_failure","data":{}}}', "prompted": '{"kind":"report_failure","data":{}}'}
    first = ToolCall(id="c1", name="report_failure", arguments="{}") if mode == "tool" else bad[mode]
    fake = ScriptedProvider(first, CLOSED)
    failed = Agent(City, model=fake, mode=mode, failure_type=Blocked).settle("?")
    assert isinstance(failed, Failure)
    assert (failed.report.code, failed.report.attempts[0].outcome) == ("reported_failure", "invalid")
    assert "why" in fake.requests[1].messages[-1].text


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_scalars_and_unions_as_failure_type(mode: OutputMode) -> None:
    """Any type may be the failure type: a literal, a union."""
    failed = Agent(City, model=FunctionProvider(lambda request: _no(request.mode)), mode=mode, failure_type=Literal["no"]).settle(
        "?"
    )
    assert isinstance(failed, Failure)
    assert failed.report.detail == "no"


def _no(mode: str) -> object:
    if mode == "tool":
        return ToolCall(id="c1", name="report_failure", arguments='{"value":"no"}')
    tagged = '{"kind":"report_failure","data":"no"}'
    return f'{{"value":{tagged}}}' if mode == "native" else tagged


def test_gave_up_is_ready_made() -> None:
    """``GaveUp`` has a reason and what stands in the way."""
    failed = Agent(City, model=ScriptedProvider(GaveUp(reason="closed", blocked_by=["key"])), failure_type=GaveUp).settle("?")
    assert isinstance(failed, Failure)
    assert failed.report.detail is not None
    assert (failed.report.blocked_by, failed.report.detail.reason) == (("key",), "closed")


def test_blocked_by_is_copied_only_from_lists_of_strings() -> None:
    """What is no list of strings is not copied."""
    assert isinstance(Agent(City).parse("{}"), Failure)
    failed = Agent(City, model=ScriptedProvider(Ship(masts=1)), failure_type=Ship).settle("?")
    assert isinstance(failed, Failure)
    assert failed.report.blocked_by == ()


def test_without_a_failure_type_nothing_is_offered() -> None:
    """Giving up is not offered unless it is asked for, and the detail is None."""
    fake = ScriptedProvider(City(name="Oslo", people=1), "x", "x", "x")
    agent = Agent(City, model=fake, mode="tool")
    assert isinstance(agent.settle("?"), Success)
    assert [tool.name for tool in fake.requests[0].tools] == ["final_result"]
    failed = agent.settle("?")
    assert isinstance(failed, Failure)
    assert failed.report.detail is None

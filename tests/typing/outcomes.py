"""What a run ends as: matching, narrowing, and what a report says. Read by type checkers; nothing here is called."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NoReturn

from pydantic import BaseModel
from typing_extensions import assert_never, assert_type

from settled import (
    Agent,
    Attempt,
    Checkpoint,
    Failure,
    FailureReport,
    FinishReason,
    GaveUp,
    Issue,
    Message,
    OutputMode,
    Paused,
    PendingCall,
    Repair,
    RunFailed,
    RunStatus,
    StepRecord,
    StopReason,
    Success,
    ToolCall,
    Usage,
)


class City(BaseModel):
    name: str


class Closed(BaseModel):
    until: str


agent = Agent(City)
reporting = Agent(City, failure_type=Closed | GaveUp)


def settled() -> City:
    outcome = reporting.settle("x")
    match outcome:
        case Success(output=city, messages=messages, mode=mode):
            assert_type(messages, tuple[Message, ...])
            assert_type(mode, OutputMode)
            return city
        case Failure(report=report):
            match report.detail:
                case Closed(until=until):
                    assert_type(until, str)
                case GaveUp(reason=reason, blocked_by=blocked_by):
                    assert_type(reason, str)
                    assert_type(blocked_by, list[str])
                case None:
                    pass
                case _:
                    assert_never(report.detail)
            raise RunFailed(report)
        case _:
            assert_never(outcome)


def started() -> str:
    outcome = reporting.start("x")
    match outcome:
        case Success():
            assert_type(outcome, Success[City])
            return outcome.output.name
        case Failure():
            assert_type(outcome, Failure[Closed | GaveUp])
            return outcome.report.summary
        case Paused(pending=pending, checkpoint=checkpoint):
            assert_type(pending, tuple[PendingCall, ...])
            assert_type(checkpoint, Checkpoint)
            return pending[0].call.name
        case _:
            assert_never(outcome)


def by_isinstance() -> City | None:
    outcome = agent.start("x")
    if isinstance(outcome, Paused):
        assert_type(outcome, Paused)
        return None
    if isinstance(outcome, Failure):
        assert_type(outcome, Failure[None])
        assert_type(outcome.report.detail, None)
        return None
    assert_type(outcome, Success[City])
    return outcome.output


def unwrapped(success: Success[City], failure: Failure[GaveUp]) -> NoReturn:
    assert_type(success.unwrap(), City)
    assert_type(agent.settle("x").unwrap(), City)
    failure.unwrap()


def told(success: Success[City]) -> None:
    assert_type(success.usage, Usage)
    assert_type(success.mode_requested, OutputMode)
    assert_type(success.degraded_from, OutputMode | None)
    assert_type(success.attempts, tuple[Attempt, ...])
    assert_type(success.repairs, tuple[Repair, ...])
    assert_type(success.steps, tuple[StepRecord, ...])
    assert_type(success.elapsed, float)
    assert_type(success.run_id, str)
    assert_type(success.status, RunStatus)
    assert_type(success.usage.input_tokens, int | None)


def reported(report: FailureReport[Closed]) -> None:
    assert_type(report.detail, Closed | None)
    assert_type(report.stop_reason, StopReason)
    assert_type(report.blocked_by, tuple[str, ...])
    assert_type(report.retryable, bool)
    assert_type(report.retry_at, datetime | None)
    assert_type(report.partial_output, object)
    assert_type(report.last_text, str | None)
    assert_type(report.finish_reason, FinishReason | None)
    assert_type(report.tool_call, ToolCall | None)
    assert_type(report.pending, tuple[PendingCall, ...])
    assert_type(report.secondary, tuple[StopReason, ...])
    assert_type(report.exception, BaseException | None)
    assert_type(report.redacted(), FailureReport[Closed])
    assert_type(report.render(), str)
    for attempt in report.attempts:
        assert_type(attempt.issues, tuple[Issue, ...])
    if report.code == "truncated":
        assert_type(report.code, Literal["truncated"])
    takes_any(report)
    takes_any(FailureReport[None].model_validate_json("{}"))


def takes_any(report: FailureReport) -> object:
    return report.detail


def raised() -> None:
    try:
        agent.run("x")
    except RunFailed as error:
        takes_any(error.report)


def covariant() -> None:
    widened(reporting.settle("x"))
    widened(Agent(City).settle("x"))
    wide(reporting)


def widened(outcome: Success[BaseModel] | Failure) -> None:
    if isinstance(outcome, Success):
        assert_type(outcome.output, BaseModel)
    else:
        takes_any(outcome.report)


def wide(anything: Agent[object, object]) -> None:
    assert_type(anything.run("x"), object)

"""From a finished state to what the caller gets: `Success`, `Failure` or `Paused`."""

from __future__ import annotations

from typing import cast

from pydantic_core import to_json

from ..vocabulary.errors import InternalError
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Message
from ..vocabulary.narrowing import is_sequence
from ..vocabulary.outcome import Failure, OutputT, Paused, Success
from ..vocabulary.report import DetailT, FailureReport, StepRecord
from ..vocabulary.stop import ApprovalRequired, Error, Output, ReportedFailure, StopReason, ToolFailures, remedy_for
from . import checkpoint
from .assembly import last_text, media_of, turn
from .batch import pending_calls, skipped_rest
from .plan import Plan
from .state import RunState
from .steps import plain_data, recorded


def outcome_of(plan: Plan[OutputT, DetailT], state: RunState) -> Success[OutputT] | Failure[DetailT]:
    """How the run ended. A `Success` exists only for a validated value."""
    ending = state.ending
    if isinstance(ending, Output):
        accepted = state.the_accepted
        return Success(
            output=cast("OutputT", value_of(plan, state)),
            stop_reason=ending,
            usage=state.ledger.usage,
            mode=state.mode,
            mode_requested=plan.mode_requested,
            degraded_from=state.degraded_from,
            degraded_by=state.refused,
            attempts=state.attempts,
            repairs=accepted.repairs,
            steps=state.steps,
            messages=state.messages,
            elapsed=state.ledger.seconds,
            run_id=state.run_id,
        )
    kept = checkpoint.dump(plan, state) if state.phase == "stopped" else None
    return Failure(report=report_of(plan, state), checkpoint=kept)


def report_of(plan: Plan[OutputT, DetailT], state: RunState) -> FailureReport[DetailT]:
    """The full account of a run that ended without an output."""
    reason = state.ending
    if reason is None:
        raise InternalError("a run without an end was reported")
    last = state.attempts[-1] if state.attempts else None
    detail = detail_of(plan, state) if isinstance(reason, ReportedFailure) else None
    report: FailureReport[object] = FailureReport(
        code=reason.kind,
        status=reason.status,
        summary=_summary(reason),
        stop_reason=reason,
        detail=detail,
        blocked_by=_blocked_by(detail),
        retryable=reason.retryable or _may_recover(reason, state.secondary),
        retry_at=reason.retry_at if isinstance(reason, Error) else None,
        remedy=remedy_for(reason),
        attempts=state.attempts,
        partial_output=plain_data(last.raw) if last else None,
        last_text=last_text(None if state.reply is None else state.reply.response, state.messages),
        finish_reason=_last_finish(state),
        tool_call=reason.tool_call if isinstance(reason, ToolFailures) else None,
        pending=pending_calls(state) if isinstance(reason, ApprovalRequired) else (),
        secondary=state.secondary,
        steps=_all_steps(state),
        messages=answered(state),
        usage=state.ledger.usage,
        elapsed=state.ledger.seconds,
        run_id=state.run_id,
        mode=state.mode,
        degraded_from=state.degraded_from,
        degraded_by=state.refused,
        agent=plan.agent,
    )
    return cast("FailureReport[DetailT]", report.caused_by(state.live.exception))


def _all_steps(state: RunState) -> tuple[StepRecord, ...]:
    """The completed steps, and the one whose calls wait for somebody to decide."""
    return state.steps if state.reply is None else recorded(state, skipped_rest(state)).steps


def _summary(reason: StopReason) -> str:
    """One sentence; for an error it names whose code raised what."""
    if isinstance(reason, Error):
        source = reason.source if reason.model is None else f"{reason.source} {reason.model}"
        return f"{source}: {reason.error_type}: {reason.message}"
    return reason.message


def _may_recover(reason: StopReason, earlier: tuple[StopReason, ...]) -> bool:
    """All models of a `Fallback` failed, and one of the others may well answer another time."""
    if not isinstance(reason, Error) or reason.model is None:
        return False
    return any(other.retryable for other in earlier if isinstance(other, Error) and other.model is not None)


def _last_finish(state: RunState) -> FinishReason | None:
    """Why the last call ended; None when there was none, or when it got no answer: an earlier one's reason would mislead."""
    if state.reply is not None:
        return state.reply.response.finish_reason
    answered_last = bool(state.steps) and state.steps[-1].number == state.ledger.steps
    return state.steps[-1].finish_reason if answered_last else None


def paused(plan: Plan[OutputT, DetailT], state: RunState) -> Paused:
    """What the caller gets while a person is to decide."""
    return Paused(
        pending=pending_calls(state),
        checkpoint=checkpoint.dump(plan, state),
        messages=answered(state),
        usage=state.ledger.usage,
        run_id=state.run_id,
    )


def answered(state: RunState) -> tuple[Message, ...]:
    """The conversation with every call answered, also those of a step that never ended."""
    if state.reply is None:
        return state.messages
    return (*state.messages, *turn(state.reply.response, skipped_rest(state), media=media_of(state.batch)), *state.queued)


def value_of(plan: Plan[OutputT, DetailT], state: RunState) -> object:
    """The accepted value: the one at hand, or, after a checkpoint, made again from its payload by the same judgement."""
    if state.live.has_value:
        return state.live.value
    accepted = state.the_accepted
    if accepted.payload is None:
        raise InternalError("the value that a check or tool gave was not kept")
    if accepted.whole:
        return plan.shape.contract.output.validate_json(accepted.payload, plan.context)
    accepts = plan.shape.tool_answers[accepted.option] if accepted.option else plan.shape.text
    judged = accepts.judge(accepted.payload, plan.context)
    if not judged.fits and accepted.as_text:
        judged = accepts.takes_text(accepted.payload, plan.context) or judged
    if not judged.fits:
        raise InternalError("an accepted payload does not fit any more; are the validators pure?")
    return judged.value


def detail_of(plan: Plan[OutputT, DetailT], state: RunState) -> object:
    """The model's own report: the value at hand, or made again from its payload."""
    reason = state.ending
    if state.live.has_value:
        return state.live.value
    failure = plan.shape.contract.failure
    if not isinstance(reason, ReportedFailure):
        return None
    if failure is None:
        return reason.payload
    written = to_json(reason.payload).decode()
    if not reason.option:
        return failure.target.validate_json(written)
    accepts = plan.shape.tool_answers.get(reason.option, plan.shape.text)
    return accepts.judge(written, plan.context).value


def _blocked_by(detail: object) -> tuple[str, ...]:
    """A copy of ``detail.blocked_by`` where that is a list of strings."""
    named: object = getattr(detail, "blocked_by", None)
    texts = tuple(item for item in named if isinstance(item, str)) if is_sequence(named) else ()
    return texts if is_sequence(named) and len(texts) == len(named) else ()

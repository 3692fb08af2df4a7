"""The end of a step and what follows: its messages and record, then conditions, then the budget, then the next call or the end.

close -> [consult "step"] -> after_step -> next_call -> [consult "before_model"] -> calling
                                        -> end -> [consult "stop"] -> stopped | done
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ..schema.misfits import plain_json
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.issues import Issue, Repair
from ..vocabulary.messages import ToolCall, ToolResult
from ..vocabulary.report import Attempt, AttemptOutcome, StepRecord
from ..vocabulary.scrub import text_of
from ..vocabulary.stop import Condition, Error, Hook, Output, RunStatus, SingleStep, StopReason
from ..vocabulary.value import changed_by, made
from . import feedback
from .assembly import media_of, turn
from .events import Fault, Fired, Halt, Moment
from .ledger import spent_limit
from .plan import Plan
from .state import Accepted, Live, RunState

_AFTER = frozenset({"step", "stop"})


def attempt_of(
    plan: Plan[object, object],
    state: RunState,
    outcome: AttemptOutcome,
    *,
    raw: str | None = None,
    issues: tuple[Issue, ...] = (),
    repairs: tuple[Repair, ...] = (),
    told: str | None = None,
) -> Attempt:
    """The reply of the step under way, as an attempt at the output."""
    reply, _, _, seconds, faults = state.the_reply
    return made(
        Attempt,
        step=state.ledger.steps,
        outcome=outcome,
        raw=raw,
        issues=issues,
        repairs=repairs,
        feedback=told,
        mode=state.mode,
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        seconds=seconds,
        transport=faults,
        model=plan.model,
    )


def function_calls(plan: Plan[object, object], state: RunState) -> tuple[ToolCall, ...]:
    """The calls of the reply that are for the user's tools, or for none; not the output's own."""
    return tuple(call for call in state.the_reply.response.tool_calls if call.name not in plan.shape.tool_answers)


def answers(
    plan: Plan[object, object],
    state: RunState,
    *,
    own: str | None,
    status: Literal["ok", "failed"] = "failed",
    skipped: str = feedback.NOT_EXECUTED,
) -> dict[str, ToolResult]:
    """An answer for each call of the reply: what it gave if it ran; ``own`` for the output's own calls; else that it did not run.

    With ``own=None`` the output's own calls are left without an answer, so that they leave the history.
    """
    calls = state.the_reply.response.tool_calls
    if not calls:
        return {}
    ran = {entry.call.id: entry.result for entry in state.batch}
    results: dict[str, ToolResult] = {}
    for call in calls:
        result = ran.get(call.id)
        if result is not None:
            results[call.id] = result
        elif call.name not in plan.shape.tool_answers:
            results[call.id] = ToolResult(call_id=call.id, name=call.name, text=skipped, status="skipped")
        elif own is not None:
            results[call.id] = ToolResult(call_id=call.id, name=call.name, text=own, status=status)
    return results


def check(plan: Plan[object, object], state: RunState, accepted: Accepted, live: Live) -> RunState:
    """Have the checks look at an accepted value; without checks it settles the run."""
    if plan.checks:
        return state.changed(phase="checking", accepted=accepted, live=live)
    return settle(plan, state, accepted, live)


def settle(plan: Plan[object, object], state: RunState, accepted: Accepted, live: Live) -> RunState:
    """The accepted value ends the run."""
    attempt = attempt_of(plan, state, "valid", raw=accepted.raw, repairs=accepted.repairs)
    ending = made(Output, kind="output", via=accepted.via, tool_call_id=accepted.call_id, attempts=len(state.attempts) + 1)
    final = accepted.raw if accepted.payload is None else accepted.payload
    results = answers(plan, state, own=None)
    return close(plan, state, results, attempt=attempt, final=final, ending=ending, accepted=accepted, live=live)


def close(
    plan: Plan[object, object],
    state: RunState,
    results: Mapping[str, ToolResult],
    *,
    attempt: Attempt | None = None,
    told: str | None = None,
    final: str | None = None,
    ending: StopReason | None = None,
    keep: bool = True,
    **also: object,
) -> RunState:
    """Complete the step, and ask whoever is to be asked after it.

    Args:
        plan: what the run is to do.
        state: with the reply of the step.
        results: answers to its calls.
        attempt: the step's try at the output, if it made one.
        told: feedback as a user message.
        final: the accepted payload.
        ending: why the run ends, if this step settles it.
        keep: whether the step goes into the conversation; a reply that was cut off and is asked for again does not.
        also: other fields of the state that change with it.
    """
    also["ending"] = ending
    if ending is not None and plan.moments.isdisjoint(_AFTER):  # nobody is to be asked: this was the end
        also["phase"] = _last_phase(ending)
        return recorded(state, results, attempt=attempt, told=told, final=final, keep=keep, also=also)
    state = recorded(state, results, attempt=attempt, told=told, final=final, keep=keep, also=also)
    return consult(state, "step") if "step" in plan.moments else after_step(plan, state)


def recorded(
    state: RunState,
    results: Mapping[str, ToolResult],
    *,
    attempt: Attempt | None = None,
    told: str | None = None,
    final: str | None = None,
    keep: bool = True,
    also: dict[str, object] | None = None,
) -> RunState:
    """The step in the conversation and in the account; nothing of it is under way any more. Arguments as for `close`."""
    reply, purpose, _, seconds, faults = state.the_reply
    added = (turn(reply, results, media=media_of(state.batch), feedback=told, final=final) if keep else ()) + state.queued
    record = made(
        StepRecord,
        number=state.ledger.steps,
        purpose=purpose,
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        seconds=seconds,
        model=reply.model,
        tool_calls=reply.tool_calls,
        tool_results=tuple(results.values()) if results else (),
        added=len(added),
        remarks=reply.remarks if attempt is None or attempt.outcome not in _UNHELD else _remarks(state, reply),
        transport=faults,
        sub_runs=tuple([entry.sub_run for entry in state.batch if entry.sub_run is not None]) if state.batch else (),
    )
    changes: dict[str, object] = {
        "accepted": None,
        "messages": state.messages + added,
        "queued": (),
        "steps": (*state.steps, record),
        "attempts": state.attempts if attempt is None else (*state.attempts, attempt),
        "reply": None,
        "batch": (),
    }
    if also is not None:
        changes.update(also)
    return changed_by(state, changes)


_UNHELD = frozenset({"no_payload", "invalid"})


def _remarks(state: RunState, reply: ModelResponse) -> tuple[str, ...]:
    """What was odd; also that a service did not hold a text to the schema that it was sent."""
    unheld = state.mode == "native" and not reply.tool_calls
    return (*reply.remarks, "schema_not_enforced") if unheld else reply.remarks


def consult(state: RunState, moment: Moment) -> RunState:
    """Wait for the caller's code at a moment."""
    return state.changed(phase="consulting", moment=moment)


def after_step(
    plan: Plan[object, object],
    state: RunState,
    *,
    fired: Sequence[Fired] = (),
    halt: Halt | None = None,
    fault: Fault | None = None,
) -> RunState:
    """What follows a step: the end it brought; else a fault, a hook, a condition, a spent retry, a limit; else a call."""
    condition = condition_of(fired)
    if state.ending is not None or state.final_for is not None:
        ending = state.ending or state.final_for
        late = fault and error_of(fault), halt and hook_of(halt), condition
        losers = tuple(reason for reason in late if reason is not None)
        if losers or ending is not state.ending:
            state = state.changed(ending=ending, secondary=(*state.secondary, *losers))
        return stop(plan, state)
    if fault is not None:
        return end_by_fault(plan, state, fault)
    if halt is not None:
        return end_by(plan, state, hook_of(halt))
    if condition is not None:
        spent = () if state.spent is None else (state.spent,)
        return bounded(plan, state.changed(secondary=(*state.secondary, *spent), spent=None), condition)
    if state.spent is not None:
        return bounded(plan, state.changed(spent=None), state.spent)
    return end_by(plan, state, SingleStep()) if plan.once else next_call(plan, state)


def next_call(plan: Plan[object, object], state: RunState) -> RunState:
    """Ask the model, unless a limit forbids it."""
    limit = spent_limit(plan.budget, state.ledger)
    if limit is not None:
        return end_by(plan, state, limit)
    if plan.budget.final_step == "output_only" and state.ledger.steps == plan.budget.max_steps - 1:
        state = state.changed(purpose="final")
    if "before_model" in plan.moments:
        return consult(state, "before_model")
    return state if state.phase == "calling" else state.changed(phase="calling")


def bounded(plan: Plan[object, object], state: RunState, reason: StopReason) -> RunState:
    """A condition or a limit on tool calls ends the run, after one last toolless step if the budget grants it."""
    grants = plan.budget.final_step == "output_only" and reason.status is RunStatus.STOPPED
    if grants and spent_limit(plan.budget, state.ledger) is None:
        return next_call(plan, state.changed(final_for=reason, purpose="final"))
    return end_by(plan, state, reason)


def end_by_fault(plan: Plan[object, object], state: RunState, fault: Fault) -> RunState:
    """The caller's own code raised: that ends the run, and the model never hears of it."""
    return end_by(plan, state.changed(live=Live(exception=fault.exception)), error_of(fault))


def error_of(fault: Fault) -> Error:
    """The reason behind a fault of the caller's code."""
    raised = fault.exception
    return Error(error_type=type(raised).__name__, message=text_of(raised), source=fault.source)


def end_by(plan: Plan[object, object], state: RunState, reason: StopReason | None, *, then_stop: bool = True) -> RunState:
    """End the run, once: a later reason is only noted; so is what the last step, in which it ends otherwise, was granted for."""
    if state.ending is None:
        granted = () if state.final_for in (None, reason) else (state.final_for,)
        state = state.changed(ending=reason, secondary=(*state.secondary, *granted))
    elif reason is not None and reason is not state.ending:
        state = state.changed(secondary=(*state.secondary, reason))
    return stop(plan, state) if then_stop else state


def stop(plan: Plan[object, object], state: RunState) -> RunState:
    """The run has ended: tell the hook, if there is one, then finish."""
    return consult(state, "stop") if "stop" in plan.moments else finished(state)


def finished(state: RunState) -> RunState:
    """Nothing more happens, unless a stopped run is resumed."""
    return changed_by(state, {"phase": _last_phase(state.ending), "moment": None})


def _last_phase(ending: StopReason | None) -> Literal["stopped", "done"]:
    return "stopped" if ending is not None and ending.status is RunStatus.STOPPED else "done"


def condition_of(fired: Sequence[Fired]) -> Condition | None:
    """The first condition that fired, with the rest noted on it."""
    if not fired:
        return None
    first, *rest = fired
    return Condition(name=first.label, message=first.message, index=first.place, also_fired=tuple(other.label for other in rest))


def hook_of(halt: Halt) -> Hook:
    """The reason behind ``ctx.stop``."""
    return Hook(hook=halt.source, message=halt.text)


def plain_data(text: str | None) -> object:
    """A payload as plain data; None if it is no JSON."""
    return None if text is None else plain_json(text)[1]

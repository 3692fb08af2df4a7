"""What a store keeps while an effect is under way, and what becomes of a run whose process died in the middle of one.

    before a model call   begun(state)                  after a crash: it may have been billed, and counts as one that failed
    before a tool         call_begun(state, id)         after a crash: uncertain, for a person to decide
    after a tool          call_done(state, outcome)     after a crash: its result stands, and it never runs again

All else (checks, hooks, conditions, approval predicates) is asked again.
"""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from ..schema.target import OutputTarget
from ..vocabulary.finish import FinishReason
from ..vocabulary.report import Attempt
from ..vocabulary.usage import Usage
from . import batch, steps
from .actions import Action, CallModel
from .events import ToolOutcome
from .ledger import Spent
from .machine import standing
from .plan import Plan
from .state import Done, OpenCall, RunState

_LOST = Spent(requests=1, uncertain=1)


def under_way(state: RunState, action: Action[object, object]) -> RunState:
    """The state to keep before an action is carried out."""
    return state.changed(begun=True) if isinstance(action, CallModel) else state


def call_begun(state: RunState, call_id: str) -> RunState:
    """The state to keep before a call runs."""
    return _with(state, call_id, begun=True)


def call_done(
    plan: Plan[object, object], state: RunState, outcome: ToolOutcome, arguments: str, stopped: str | None = None
) -> RunState:
    """The state to keep when a call has ended, while others may still run. One that ended in a way that JSON cannot tell is left
    as begun, so that after a crash it is uncertain.
    """
    done = done_of(plan, outcome, arguments)
    return state if done is None else _with(state, outcome.call_id, done=done.changed(stopped=stopped))


def _with(state: RunState, call_id: str, **fields: object) -> RunState:
    return state.changed(batch=tuple([e.changed(**fields) if e.call.id == call_id else e for e in state.batch]))


def done_of(plan: Plan[object, object], outcome: ToolOutcome, arguments: str) -> Done | None:
    """What of an outcome can be kept; None for what cannot."""
    if outcome.kind == "crashed" or outcome.kind == "skipped":
        return None
    target = _target(plan, outcome.kind)
    try:
        if target is None:
            payload: str | None = to_json(outcome.value, by_alias=True).decode()
        else:
            payload = _payload(target, outcome.value, plan.context)
    except Exception:  # pydantic's own, or the validators and serializers of the caller's types
        return None
    if payload is None:
        return None
    done = Done(kind=outcome.kind, arguments=arguments, text=outcome.text, media=outcome.media, payload=payload)
    return done.changed(sub_run=outcome.sub_run)


def _target(plan: Plan[object, object], kind: str) -> OutputTarget[object] | None:
    """The type of what a call ended the run with; None for plain data."""
    contract = plan.shape.contract
    if kind == "ended":
        return contract.output
    return contract.failure.target if kind == "reported" and contract.failure is not None else None


def _payload(target: OutputTarget[object], given: object, context: object) -> str | None:
    """The text that makes it again, if there is one. A misfit stays one, and is told when the run goes on."""
    try:
        value = target.revalidated(given, context)
    except ValidationError:
        return target.dump(given)
    return target.kept(value, context)


def outcome_of(plan: Plan[object, object], call_id: str, done: Done) -> ToolOutcome:
    """The outcome that was kept: with its value, for the hook after the call to see, and with the text that the machine makes it
    from again.
    """
    value, target = from_json(done.payload), _target(plan, done.kind)
    if target is not None:
        try:
            value = target.validate_json(done.payload, plan.context)
        except Exception:  # the machine will find the same, and tell
            value = from_json(done.payload)
    told = ToolOutcome(call_id, done.kind, text=done.text, value=value, media=done.media)
    return told._replace(payload=done.payload, sub_run=done.sub_run)


def taken_up(plan: Plan[object, object], state: RunState) -> RunState:
    """The state to go on from, after the process that carried it out has died. Of a state at rest, itself."""
    if state.phase == "calling" and state.begun:
        return _asked_in_vain(standing(plan, state), state)
    if state.phase == "tools":
        entries = tuple([_uncertain(entry) for entry in state.batch])
        state = state.changed(batch=entries)
        if all(entry.status != "ready" for entry in entries):
            return batch.proceed(standing(plan, state), state)
    return state


def _uncertain(entry: OpenCall) -> OpenCall:
    lost = entry.status == "ready" and entry.begun and entry.done is None
    return entry.changed(status="uncertain") if lost else entry


def _asked_in_vain(plan: Plan[object, object], state: RunState) -> RunState:
    """The call counts as a step, and as a request of which nobody knows what it cost. The hook before it is asked again."""
    ledger = state.ledger.drawn(_LOST, steps=1)
    attempt = Attempt(
        step=ledger.steps,
        outcome="error",
        mode=state.mode,
        finish_reason=FinishReason(kind="unspecified"),
        usage=Usage(),
        model=plan.model,
    )
    state = state.changed(begun=False, ledger=ledger, attempts=(*state.attempts, attempt), request=None)
    if state.final_for is not None:  # the last step was granted for this
        return steps.bounded(plan, state, state.final_for)
    return steps.next_call(plan, state)

"""What a store keeps while an effect is under way, and what becomes of a run whose process died in the middle of one.

    before a model call   begun(state)                  after a crash: it may have been billed, and counts as one that failed
    before a tool         call_begun(state, id)         after a crash: uncertain, for a person to decide
    after a tool          call_done(state, outcome)     after a crash: its result stands, and it never runs again

All else (checks, hooks, conditions) is asked again.
"""

from __future__ import annotations

from pydantic_core import from_json, to_json

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

_KINDS = frozenset({"returned", "failed", "ended", "reported", "needs_approval"})
_LOST = Spent(requests=1, uncertain=1)


def under_way(state: RunState, action: Action[object, object]) -> RunState:
    """The state to keep before an action is carried out."""
    return state.changed(begun=True) if isinstance(action, CallModel) else state


def call_begun(state: RunState, call_id: str) -> RunState:
    """The state to keep before a call runs."""
    return _with(state, call_id, begun=True, done=None)


def call_done(
    plan: Plan[object, object], state: RunState, outcome: ToolOutcome, arguments: str, stopped: str | None = None
) -> RunState:
    """The state to keep when a call has ended, while others may still run. One that ended in a way that JSON cannot tell is left
    as begun.
    """
    done = done_of(plan, outcome, arguments)
    return state if done is None else _with(state, outcome.call_id, done=done.changed(stopped=stopped))


def _with(state: RunState, call_id: str, **fields: object) -> RunState:
    return state.changed(batch=tuple([e.changed(**fields) if e.call.id == call_id else e for e in state.batch]))


def done_of(plan: Plan[object, object], outcome: ToolOutcome, arguments: str) -> Done | None:
    """What of an outcome can be kept; None for what cannot."""
    if outcome.kind not in _KINDS:
        return None
    contract = plan.shape.contract
    try:
        if outcome.kind == "ended":
            payload = contract.output.dump(outcome.value)
        elif outcome.kind == "reported" and contract.failure is not None:
            payload = contract.failure.target.dump(outcome.value)
        else:
            payload = to_json(outcome.value, by_alias=True).decode()
    except Exception:  # pydantic's own, or the serializers of the caller's types
        return None
    fields = {"arguments": arguments, "text": outcome.text, "media": outcome.media, "payload": payload}
    return Done.model_validate({"kind": outcome.kind, **fields, "sub_run": outcome.sub_run})


def outcome_of(call_id: str, done: Done) -> ToolOutcome:
    """The outcome that was kept; its value as plain data, and as the text from which the machine makes it again."""
    value = None if done.payload is None else from_json(done.payload)
    return ToolOutcome(
        call_id, done.kind, text=done.text, value=value, media=done.media, payload=done.payload, sub_run=done.sub_run
    )


def taken_up(plan: Plan[object, object], state: RunState) -> RunState:
    """The state to go on from, after the process that carried it out has died. Of a state at rest, itself."""
    if state.phase == "calling" and state.begun:
        return _asked_in_vain(plan, state)
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
    """The call counts as a step and as a request of which nobody knows what it cost."""
    ledger = state.ledger.drawn(_LOST, steps=1)
    attempt = Attempt(
        step=ledger.steps, outcome="error", mode=state.mode, finish_reason=FinishReason(kind="unspecified"), usage=Usage()
    )
    state = state.changed(begun=False, ledger=ledger, attempts=(*state.attempts, attempt), request=None)
    return steps.next_call(standing(plan, state), state)

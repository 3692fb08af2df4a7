"""The state machine: `start`, `advance`, `pending`. Everything that is decided about a run is decided in this room, without I/O.

The table says which events each phase waits for; everything else is refused and changes nothing. ``stopped`` waits for somebody
to let the run go on; ``done`` is final.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Generic, cast

from ..modes.resolve import below
from ..vocabulary.errors import InternalError, MisuseError
from ..vocabulary.exchange import ModelRequest
from ..vocabulary.finish import FinishReason
from ..vocabulary.messages import Message, Prompt
from ..vocabulary.outcome import OutputT
from ..vocabulary.report import Attempt, DetailT
from ..vocabulary.stop import ApprovalRequired, Cancelled, Error, RunStatus
from ..vocabulary.usage import Usage
from ..vocabulary.value import changed_by, made
from . import batch, steps
from .actions import Action, AskHuman, CallModel, Consult, Finish, ReadyCall, RunChecks, RunTools
from .assembly import cap_of, lowered, request_of, unsealed, with_usable_calls
from .ending import outcome_of, value_of
from .events import (
    ChecksDone,
    Consulted,
    Decided,
    Event,
    Interrupted,
    ModelFailed,
    ModelReplied,
    Moment,
    ToolOutcome,
    ToolsDone,
)
from .hooks import StopState
from .judging import judge, reask
from .ledger import Cap, Ledger, allowance, out_of_time, overdrawn, remaining, spent_limit, time_spent, tokens_left
from .plan import Plan
from .state import Accepted, Live, Phase, Reply, RunState

LEGAL: Mapping[Phase, tuple[type[Event], ...]] = {
    "calling": (ModelReplied, ModelFailed, Interrupted),
    "tools": (ToolsDone, Interrupted),
    "checking": (ChecksDone, Interrupted),
    "consulting": (Consulted, Interrupted),
    "asking": (Decided, Interrupted),
    "stopped": (Decided,),
    "done": (),
}
"""Which events each phase waits for."""


class Step(Generic[OutputT, DetailT]):
    """A state, and what to do in it."""

    __slots__ = ("action", "state")

    def __init__(self, *, state: RunState, action: Action[OutputT, DetailT]) -> None:
        """Made by `start` and `advance` only."""
        self.state: RunState = state
        self.action: Action[OutputT, DetailT] = action


def start(
    plan: Plan[OutputT, DetailT], prompt: Prompt | None, *, run_id: str, history: Sequence[Message] = ()
) -> Step[OutputT, DetailT]:
    """The first step of a run.

    Args:
        plan: what the run is to do.
        prompt: what the user asks; None when a reply is only to be read.
        run_id: handed in, since this room makes no ids.
        history: an earlier conversation to go on from.
    """
    state = made(
        RunState,
        run_id=run_id,
        phase="calling",
        mode=plan.shape.mode,
        messages=(*history, *(() if prompt is None else (Message.user(prompt),))),
        ledger=_fresh_ledger(),
    )
    state = steps.consult(state, "start") if "start" in plan.moments else steps.next_call(plan, state)
    return Step(state=state, action=pending(plan, state))


@cache
def _fresh_ledger() -> Ledger:
    """Nothing used. One for all runs, since it is frozen."""
    return made(Ledger)


def advance(plan: Plan[OutputT, DetailT], state: RunState, event: Event) -> Step[OutputT, DetailT]:
    """The step after an event: the only code that decides anything.

    Raises:
        MisuseError: when a person's decision does not fit; the state is as it was.
        InternalError: when the runner reports what the phase does not wait for.
    """
    if not isinstance(event, LEGAL[state.phase]):
        raise _illegal(state, event)
    here = plan if state.refused is None and not state.place else standing(plan, state)
    state = _HANDLERS[type(event)](here, state, event)
    return Step(state=state, action=pending(plan, state))


def pending(plan: Plan[OutputT, DetailT], state: RunState) -> Action[OutputT, DetailT]:
    """What is to be done in a state. A pure function: resuming is loading a state and asking this."""
    if state.refused is not None or state.place:
        plan = standing(plan, state)
    phase = state.phase
    if phase == "calling":
        return CallModel(request_of(plan, state), allowance(plan.budget, state.ledger))
    if phase == "tools":
        return RunTools(_ready_calls(plan, state), allowance(plan.budget, state.ledger))
    if phase == "checking":
        return RunChecks(value_of(plan, state), allowance(plan.budget, state.ledger))
    if phase == "consulting":
        moment = _moment(state)
        return Consult(moment=moment, subject=_SUBJECTS[moment](plan, state))
    if phase == "asking":
        return AskHuman(pending=batch.pending_calls(state))
    return Finish(outcome_of(plan, state))


def standing(plan: Plan[OutputT, DetailT], state: RunState) -> Plan[OutputT, DetailT]:
    """The plan as it is where a run stands: for the model that it has come to, and on the rung that it has stepped down to."""
    plan = plan.at(state.place)
    return plan if state.refused is None else plan.on(state.rung)


def _illegal(state: RunState, event: Event) -> Exception:
    name = type(event).__name__
    if isinstance(event, Decided):
        return MisuseError(f"run {state.run_id} waits for no decision (it is {state.phase}); only paused and stopped runs resume")
    due = ", ".join(kind.__name__ for kind in LEGAL[state.phase]) or "nothing"
    return InternalError(f"{name} is not legal while {state.phase}, which waits for {due}")


def _moment(state: RunState) -> Moment:
    if state.moment is None:
        raise InternalError("consulting without a moment")
    return state.moment


def _ready_calls(plan: Plan[object, object], state: RunState) -> tuple[ReadyCall, ...]:
    calls: list[ReadyCall] = []
    for entry in state.batch:
        if entry.status == "ready":
            arguments = (state.live.arguments or {}).get(entry.call.id)
            if arguments is None:
                arguments = batch.read_again(plan, entry.call)
            calls.append(ReadyCall(entry.call, arguments, entry.done))
    return tuple(calls)


def stop_state(plan: Plan[object, object], state: RunState) -> StopState:
    """What stop conditions see."""
    ledger = state.ledger
    return StopState(
        steps=state.steps,
        messages=state.messages,
        usage=ledger.usage,
        elapsed=ledger.seconds,
        tool_failures=ledger.tool_failures,
        budget=remaining(plan.budget, ledger),
    )


_SUBJECTS: Mapping[Moment, Callable[[Plan[object, object], RunState], object]] = {
    "start": lambda plan, state: None,
    "before_model": request_of,
    "after_model": lambda plan, state: state.the_reply.response,
    "approval": lambda plan, state: tuple(entry.call for entry in state.batch if entry.status == "asked"),
    "step": stop_state,
    "stop": lambda plan, state: state.ending,
}


_NO_CAP = Cap()


def _replied(plan: Plan[object, object], state: RunState, event: ModelReplied) -> RunState:
    reply = with_usable_calls(event.response, state.ledger.steps + 1)
    cap = cap_of(plan, state) if reply.finish_reason.kind == "length" else _NO_CAP
    heard = {
        "reply": Reply(reply, state.purpose, cap, event.spent.seconds, event.spent.faults),
        "purpose": "ask",
        "request": None,
        "ledger": state.ledger.drawn(event.spent, reply.usage, steps=1),
    }
    state = changed_by(state, heard)
    return steps.consult(state, "after_model") if "after_model" in plan.moments else judge(plan, state)


def _failed(plan: Plan[object, object], state: RunState, event: ModelFailed) -> RunState:
    ledger, error = state.ledger.drawn(event.spent, steps=1), event.error
    attempt = Attempt(
        step=ledger.steps,
        outcome="error",
        mode=state.mode,
        finish_reason=FinishReason(kind="unspecified"),
        usage=event.spent.usage or Usage(),
        seconds=event.spent.seconds,
        transport=event.spent.faults,
        model=plan.model,
    )
    reason = Error(
        error_type=error.kind,
        message=error.message,
        source="provider",
        status_code=error.status_code,
        may_recover=error.retryable,
        retry_at=error.retry_at,
        model=plan.model,
    )
    state = state.changed(ledger=ledger, attempts=(*state.attempts, attempt), request=None, live=Live(exception=error.bare()))
    timed_out = time_spent(plan.budget, ledger)
    if timed_out is not None:
        return steps.end_by(plan, state.changed(secondary=(*state.secondary, reason)), timed_out)
    again = state.refused is None  # once with each model
    lower = below(state.rung, error.feature, plan.ladder, strict=plan.asking.strict is True) if again else None
    if lower is None and plan.following is None:
        return steps.end_by(plan, state, reason)
    state = state.changed(live=Live())  # the error is none of the end that the run may come to
    if lower is None or spent_limit(plan.budget, ledger) is not None:
        state = state.changed(secondary=(*state.secondary, reason))
    if lower is None:
        return _fallen_back(plan, state)
    stepped = {"mode": lower.mode, "loose": lower.loose, "forced": lower.forced}
    return steps.next_call(plan, state.changed(**stepped, degraded_from=state.mode, refused=error.feature))


def _fallen_back(plan: Plan[object, object], state: RunState) -> RunState:
    """Go on with the next model, in the mode that its own capabilities call for, with the same conversation and ledger."""
    following = plan.at(plan.place + 1)
    state = state.changed(messages=unsealed(state.messages)).moved(following.place, following.rung)
    return steps.next_call(following, state)


def _tools_done(plan: Plan[object, object], state: RunState, event: ToolsDone) -> RunState:
    return batch.apply(plan, state.changed(ledger=_charged(state.ledger.drawn(event.spent), event.outcomes)), event)


def _charged(ledger: Ledger, outcomes: Sequence[ToolOutcome]) -> Ledger:
    """What sub-agents used is used."""
    for outcome in outcomes:
        if outcome.sub_run is not None:
            ledger = ledger.charged(outcome.sub_run)
    return ledger


def _checked(plan: Plan[object, object], state: RunState, event: ChecksDone) -> RunState:
    state = state.changed(ledger=state.ledger.drawn(event.spent))
    accepted = state.the_accepted
    if event.fault is not None or event.halt is not None or event.late:
        attempt = steps.attempt_of(plan, state, "error", raw=accepted.raw, repairs=accepted.repairs)
        results = steps.answers(plan, state, own="not taken")
        if event.fault is not None:
            return steps.end_by_fault(plan, steps.recorded(state, results, attempt=attempt), event.fault)
        ending = steps.hook_of(event.halt) if event.halt is not None else out_of_time(plan.budget, state.ledger)
        return steps.close(plan, state, results, attempt=attempt, ending=ending)
    if event.issues:
        return reask(plan, state, "check_failed", event.issues, raw=accepted.raw, repairs=accepted.repairs)
    if event.replaced:
        accepted = _replaced(plan, accepted, event.value)
    return steps.settle(plan, state, accepted, Live(value=event.value, has_value=True))


def _replaced(plan: Plan[object, object], accepted: Accepted, value: object) -> Accepted:
    """What is kept of a value that a check gave instead: a payload only if that makes an equal value again."""
    return accepted.changed(payload=plan.shape.contract.output.kept(value, plan.context), whole=True)


def _consulted(plan: Plan[object, object], state: RunState, event: Consulted) -> RunState:
    if event.moment != state.moment:
        raise InternalError(f"the runner answered moment {event.moment}, not {state.moment}")
    state = state.changed(ledger=state.ledger.drawn(event.spent), moment=None)
    if event.moment not in ("step", "stop") and (event.fault is not None or event.halt is not None or event.late):
        return _broken_off(plan, state, event)
    return _ANSWERED[event.moment](plan, state, event)


def _broken_off(plan: Plan[object, object], state: RunState, event: Consulted) -> RunState:
    """A hook raised, ended the run, or took what was left of its time, in the middle of things."""
    if state.reply is not None:
        results = {**steps.answers(plan, state, own="not taken"), **batch.skipped_rest(state)}
        state = steps.recorded(state, results)
    if event.fault is not None:
        return steps.end_by_fault(plan, state, event.fault)
    return steps.end_by(plan, state, out_of_time(plan.budget, state.ledger) if event.halt is None else steps.hook_of(event.halt))


def _to_be_sent(plan: Plan[object, object], state: RunState, request: ModelRequest | None) -> RunState:
    """Call the model, with the request that a hook gave, if it gave one; its headers stay beside the state."""
    late = time_spent(plan.budget, state.ledger)
    if late is not None:
        return steps.end_by(plan, state, late)
    if request is None:
        return state.changed(phase="calling", request=None)
    live = state.live._replace(headers=request.settings.extra_headers)
    cap = lowered(request.settings.max_tokens, tokens_left(plan.budget, state.ledger))
    bare = request.changed(settings=request.settings.changed(extra_headers=None, max_tokens=cap))
    return state.changed(phase="calling", request=bare, live=live)


def _model_seen(plan: Plan[object, object], state: RunState, event: Consulted) -> RunState:
    if event.retry is None:
        return judge(plan, state)
    exhausted = state.ledger.output_retries >= plan.budget.output_retries
    if exhausted:
        return reask(plan, state, "no_payload", (), raw=None)
    attempt = steps.attempt_of(plan, state, "no_payload", raw=state.the_reply.response.text, told=event.retry)
    ledger = state.ledger.changed(output_retries=state.ledger.output_retries + 1)
    results = steps.answers(plan, state, own="discarded", skipped="not executed: the reply was discarded")
    return steps.close(plan, state, results, attempt=attempt, told=event.retry, ledger=ledger, purpose="reask")


def _stopping(plan: Plan[object, object], state: RunState, event: Consulted) -> RunState:
    """The run has ended; what its hook did on the way is only noted."""
    if event.fault is not None:
        state = state.changed(secondary=(*state.secondary, steps.error_of(event.fault)))
    return steps.finished(state)


_ANSWERED: Mapping[Moment, Callable[[Plan[object, object], RunState, Consulted], RunState]] = {
    "start": lambda plan, state, event: steps.next_call(plan, state.changed(instructions=event.instructions)),
    "before_model": lambda plan, state, event: _to_be_sent(plan, state, event.request),
    "after_model": _model_seen,
    "approval": lambda plan, state, event: batch.gate(plan, state, event.gated),
    "step": lambda plan, state, event: steps.after_step(plan, state, fired=event.fired, halt=event.halt, fault=event.fault),
    "stop": _stopping,
}


def refuse_smaller(plan: Plan[object, object], state: RunState) -> None:
    """Refuse a budget for the rest of a run that is below what the run has used.

    Raises:
        MisuseError: when a limit is.
    """
    below = overdrawn(plan.budget, state.ledger)
    if below is not None:
        raise MisuseError(f"Budget.{below} is below what the run has used; a budget given to resume is the new total")


def _decided(plan: Plan[object, object], state: RunState, event: Decided) -> RunState:
    """Decisions about calls that wait; or a stopped run goes on, with the plan's (larger) budget."""
    if event.fault is not None and state.phase == "asking":
        recorded = steps.recorded(state, batch.skipped_rest(state))
        return steps.end_by_fault(plan, recorded, event.fault)
    if event.regrants:
        refuse_smaller(plan, state)
    queued = () if event.prompt is None else (Message.user(event.prompt),)
    resumed = state.changed(ledger=state.ledger.drawn(event.spent), ending=None, spent=None, final_for=None)
    if state.reply is not None:
        return batch.decide(plan, resumed.changed(queued=(*state.queued, *queued)), event.decisions)
    if event.decisions:
        raise MisuseError(f"no call waits for a decision; the run was stopped by {state.ending and state.ending.label}")
    purpose = "ask" if state.purpose == "final" else state.purpose  # the last step failed, and now it is not the last any more
    return steps.next_call(plan, resumed.changed(messages=(*state.messages, *queued), secondary=(), purpose=purpose))


def _interrupted(plan: Plan[object, object], state: RunState, event: Interrupted) -> RunState:
    """The caller cancelled; or nobody is there to decide, and then the calls stay open for `resume`."""
    state = state.changed(ledger=_charged(state.ledger.drawn(event.spent, event.usage), event.outcomes))
    if event.by == "unattended" and state.phase == "asking":
        waiting = tuple(wait.call.id for wait in batch.pending_calls(state))
        return steps.end_by(plan, state, ApprovalRequired(call_ids=waiting))
    stopping = state.moment == "stop"
    if state.reply is not None and not stopping:
        state = batch.left_under_way(state, event.outcomes)
        results = {**steps.answers(plan, state, own="not taken"), **batch.skipped_rest(state)}
        state = steps.recorded(state, results)
    state = steps.end_by(plan, state, Cancelled(by=event.by), then_stop=False)
    cancelled = state.ending is not None and state.ending.status is RunStatus.CANCELLED
    return steps.stop(plan, state) if cancelled and not stopping else steps.finished(state)


_HANDLERS = cast(
    "Mapping[type[Event], Callable[[Plan[object, object], RunState, Event], RunState]]",
    {
        ModelReplied: _replied,
        ModelFailed: _failed,
        ToolsDone: _tools_done,
        ChecksDone: _checked,
        Consulted: _consulted,
        Decided: _decided,
        Interrupted: _interrupted,
    },
)

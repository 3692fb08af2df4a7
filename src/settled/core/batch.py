"""The tool calls of one step: which may run, which wait for a person, what each is answered. Results keep call order.

begin -> [consult "approval"] -> tools -> apply -> asking -> decide -> tools ... -> close
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Literal, cast

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from ..schema.misfits import issues_of, plain_json
from ..schema.target import OutputTarget
from ..tools.control import Approved, Decision, Denied, ExternalResult, Rerun
from ..tools.results import Untellable, told_of
from ..vocabulary.errors import InternalError, MisuseError
from ..vocabulary.messages import ToolCall, ToolResult
from ..vocabulary.narrowing import is_list, is_mapping
from ..vocabulary.report import PendingCall
from ..vocabulary.scrub import clean
from ..vocabulary.stop import Output, ReportedFailure, StopReason, ToolCallLimit, ToolFailures
from . import feedback, steps
from .events import Fault, ToolOutcome, ToolsDone
from .ledger import time_spent
from .plan import Plan
from .state import Accepted, Live, OpenCall, RunState


def begin(plan: Plan[object, object], state: RunState, calls: Sequence[ToolCall]) -> RunState:
    """Sort the calls of a reply: answered at once, ready to run, or waiting."""
    entries: list[OpenCall] = []
    arguments: dict[str, Mapping[str, object]] = {}
    unfit: ToolCall | None = None
    for call in calls:
        try:
            entry, read = _sorted(plan, call)
        except Exception as raised:
            crashed = ToolOutcome(call.id, "crashed", exception=raised, source=f"tool:{call.name}:arguments")
            unread = tuple(OpenCall(call=each, status="ready") for each in calls)
            return _ended(plan, state.changed(batch=unread, accepted=None), crashed)
        entries.append(entry)
        if read is None:
            unfit = unfit or call
        else:
            arguments[call.id] = read
    state = state.changed(batch=tuple(entries), live=state.live._replace(arguments=arguments))
    if state.the_reply.purpose == "final":
        return proceed(plan, _unanswered_skipped(state, "not executed: this was the last step, without tools"))
    if unfit is not None:
        count = state.ledger.invalid_tool_replies + 1
        state = state.changed(ledger=state.ledger.changed(invalid_tool_replies=count))
        if count > plan.budget.invalid_tool_retries:
            told = next(entry.result.text for entry in entries if entry.call is unfit and entry.result is not None)
            spent = ToolFailures(tool_call=unfit, count=count, scope="unknown_tool", text=told)
            return proceed(plan, _unanswered_skipped(state.changed(spent=spent), feedback.NOT_EXECUTED_ENDED))
    return proceed(plan, _within_limit(plan, state, "ready", "asked", "approval"))


def _sorted(plan: Plan[object, object], call: ToolCall) -> tuple[OpenCall, Mapping[str, object] | None]:
    tool = plan.tools.get(call.name)
    if tool is None:
        told = feedback.unknown_tool([*plan.tools, *plan.shape.tool_answers])
        return _answered(OpenCall(call=call, status="ready"), told, failed=True), None
    read = tool.read(call, plan.context)
    if isinstance(read, tuple):
        return _answered(OpenCall(call=call, status="ready"), feedback.unfit_arguments(read), failed=True), None
    if tool.requires_approval is True:
        return OpenCall(call=call, status="approval"), read
    if callable(tool.requires_approval):
        return OpenCall(call=call, status="asked"), read
    return OpenCall(call=call, status="external" if tool.external else "ready"), read


def _within_limit(plan: Plan[object, object], state: RunState, *starting: str, reruns: Collection[str] = frozenset()) -> RunState:
    """A turn that would start more executions than are left starts none."""
    starts = sum(entry.status in starting and not plan.tools[entry.call.name].external for entry in state.batch)
    limit, used = plan.budget.max_tool_calls, state.ledger.tool_calls
    if used + starts <= limit:
        return state
    spent = ToolCallLimit(limit=limit, used=used)
    told = "not executed: the limit on tool calls is reached"
    return _unanswered_skipped(state.changed(spent=state.spent or spent), told, unsure=reruns)


def _in_time(plan: Plan[object, object], state: RunState, reruns: Collection[str]) -> RunState:
    """No execution starts when the time is used up, by the model, a hook or a predicate."""
    if time_spent(plan.budget, state.ledger) is None:
        return state
    others = [entry.call.id for entry in state.batch if entry.status != "ready"]
    return _unanswered_skipped(state, feedback.NOT_EXECUTED_LATE, but=others, unsure=reruns)


def proceed(plan: Plan[object, object], state: RunState, *, reruns: Collection[str] = frozenset()) -> RunState:
    """The next thing to do about the batch; once all is answered, the step is complete.

    Args:
        plan: what the run is to do.
        state: with the batch.
        reruns: calls that are to run again, since nobody knows whether they have run.
    """
    if any(entry.status == "asked" for entry in state.batch):
        return steps.consult(state, "approval")
    # Again, since an approved call may ask, and be approved, many times.
    state = _in_time(plan, _within_limit(plan, state, "ready", reruns=reruns), reruns)
    ready = sum(entry.status == "ready" for entry in state.batch)
    if ready:
        return state.changed(phase="tools", ledger=state.ledger.changed(tool_calls=state.ledger.tool_calls + ready))
    if state.accepted is not None:  # beside an output nothing else is waited for than what may have had its effect
        lost = [entry.call.id for entry in state.batch if entry.status == "uncertain"]
        state = _unanswered_skipped(state, feedback.NOT_EXECUTED, but=lost)
        if not lost:
            return steps.check(plan, state, state.the_accepted, state.live)
    if any(entry.waits for entry in state.batch):
        return state.changed(phase="asking")
    return steps.close(plan, state, steps.answers(plan, state, own=None))


def gate(plan: Plan[object, object], state: RunState, gated: Sequence[str]) -> RunState:
    """The approval predicates have answered."""
    entries: list[OpenCall] = []
    for entry in state.batch:
        if entry.status == "asked":
            external = plan.tools[entry.call.name].external
            entry = entry.changed(status="approval" if entry.call.id in gated else "external" if external else "ready")
        entries.append(entry)
    return proceed(plan, state.changed(batch=tuple(entries)))


def apply(plan: Plan[object, object], state: RunState, event: ToolsDone) -> RunState:
    """The calls that were ready have ended. The first that ends the run, in call order, does; the others are noted."""
    expected = [entry.call.id for entry in state.batch if entry.status == "ready"]
    if [outcome.call_id for outcome in event.outcomes] != expected:
        raise InternalError("the runner answered other calls than those it was given")
    by_id = {outcome.call_id: outcome for outcome in event.outcomes}
    state = state.changed(batch=tuple(_applied(entry, by_id.get(entry.call.id)) for entry in state.batch))
    state = _counted(plan, state, event.outcomes)
    if state.accepted is not None:
        return proceed(plan, state)
    ends = [outcome for outcome in event.outcomes if outcome.kind in ("ended", "reported", "crashed")]
    halt, halted = event.halt, len(expected)
    if halt is not None and halt.call_id in expected:
        halted = expected.index(halt.call_id)
    if ends and expected.index(ends[0].call_id) <= halted:
        losers = [_reason_of(state, other) for other in ends[1:]]
        losers += [] if halt is None else [steps.hook_of(halt)]
        return _ended(plan, state.changed(secondary=(*state.secondary, *losers)), ends[0])
    if halt is not None:
        losers = [_reason_of(state, other) for other in ends]
        state = _spent_noted(_unanswered_skipped(state, feedback.NOT_EXECUTED_ENDED), *losers)
        return steps.close(plan, state, steps.answers(plan, state, own=None), ending=steps.hook_of(halt))
    return proceed(plan, state)


def _reason_of(state: RunState, outcome: ToolOutcome) -> StopReason:
    """What a call would have ended the run as, had not another one done so."""
    if outcome.kind == "ended":
        return Output(via="tool_result", tool_call_id=outcome.call_id, attempts=len(state.attempts) + 1)
    if outcome.kind == "crashed":
        return steps.error_of(_fault_of(state, outcome))
    try:
        payload = _plain(outcome.value)
    except Exception:  # the serializers of the caller's types; nobody looks at this value any more
        payload = None
    return ReportedFailure(payload=payload, tool_call_id=outcome.call_id)


def _fault_of(state: RunState, outcome: ToolOutcome) -> Fault:
    """Whose code crashed, and with what."""
    source = outcome.source or f"tool:{next(e.call.name for e in state.batch if e.call.id == outcome.call_id)}"
    return Fault(source, outcome.exception or RuntimeError("the tool crashed"))


def _spent_noted(state: RunState, *losers: StopReason) -> RunState:
    """The run ends otherwise: what else would have ended it, and a retry budget that this step used up, are only noted."""
    spent = () if state.spent is None else (state.spent,)
    return state.changed(secondary=(*state.secondary, *losers, *spent), spent=None)


def _applied(entry: OpenCall, outcome: ToolOutcome | None) -> OpenCall:
    if outcome is None:
        return entry
    if outcome.sub_run is not None:
        entry = entry.changed(sub_run=outcome.sub_run)
    if outcome.kind == "needs_approval":
        return entry.changed(status="question", payload=_plain(outcome.value), begun=False, done=None)
    if outcome.kind == "skipped":
        return _answered(entry, outcome.text, skipped=True)
    ended = outcome.kind in ("ended", "reported")
    told = "the run ends here" if ended else outcome.text
    return _answered(entry.changed(media=outcome.media), told, failed=outcome.kind in ("failed", "crashed"))


def _counted(plan: Plan[object, object], state: RunState, outcomes: Sequence[ToolOutcome]) -> RunState:
    """Each failure is one more of the same call, and of all tools."""
    failed = {outcome.call_id: outcome for outcome in outcomes if outcome.kind == "failed"}
    if not failed:
        return state
    times, total, spent = dict(state.ledger.failed_calls), state.ledger.tool_failures, state.spent
    for call, outcome in ((entry.call, failed[entry.call.id]) for entry in state.batch if entry.call.id in failed):
        key = f"{call.name} {canonical(call.arguments)}"
        same, total = times.get(key, 0) + 1, total + 1
        times[key] = same
        own = plan.tools[call.name].retries
        if spent is None and same > (plan.budget.tool_retries if own is None else own):
            spent = ToolFailures(tool_call=call, count=same, scope="call", text=outcome.text)
        if spent is None and total > plan.budget.tool_failures_total:
            spent = ToolFailures(tool_call=call, count=total, scope="run", text=outcome.text)
    return state.changed(ledger=state.ledger.changed(failed_calls=times, tool_failures=total), spent=spent)


def _ended(plan: Plan[object, object], state: RunState, outcome: ToolOutcome) -> RunState:
    """A tool ends the run: with an output, with a failure report, or by raising."""
    state = _unanswered_skipped(state, feedback.NOT_EXECUTED_ENDED)
    contract = plan.shape.contract
    try:
        if outcome.kind == "ended":
            value = _value_in(contract.output, outcome, plan.context)
            kept = contract.output.kept(value, plan.context)
            accepted = Accepted(raw=kept or "", payload=kept, whole=True, via="tool_result", call_id=outcome.call_id)
            return steps.check(plan, state, accepted, Live(value=value, has_value=True))
        if outcome.kind == "reported":
            failure = contract.failure  # without one there is no type to give it
            detail = _plain(outcome.value) if failure is None else _value_in(failure.target, outcome, plan.context)
            ending = ReportedFailure(payload=_plain(detail), tool_call_id=outcome.call_id)
            state = _spent_noted(state.changed(live=Live(value=detail, has_value=True)))
            return steps.close(plan, state, steps.answers(plan, state, own=None), ending=ending)
    except ValidationError as error:  # its text holds input values
        form = contract.output if outcome.kind == "ended" or contract.failure is None else contract.failure.target
        source, given = _fault_of(state, outcome).source, type(outcome.value).__name__
        places = ", ".join(issue.path for issue in issues_of(error, outcome.value))
        text = f"{source} ended the run with {given}, which does not fit {form.name} (at {places})"
        outcome = outcome._replace(exception=TypeError(text))
    except Exception as raised:  # a validator or serializer of the caller's types
        outcome = outcome._replace(exception=raised)
    fault = _fault_of(state, outcome)
    state = steps.recorded(_spent_noted(state), steps.answers(plan, state, own=None))
    return steps.end_by_fault(plan, state, fault)


def _kind(given: object) -> str:
    return f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__


def _value_in(target: OutputTarget[object], outcome: ToolOutcome, context: object) -> object:
    """What a tool ended the run with, validated: at hand, or as a store kept it."""
    if outcome.payload is None:
        return target.revalidated(outcome.value, context)
    return target.validate_json(outcome.payload, context)


def decide(plan: Plan[object, object], state: RunState, decisions: Mapping[str, Decision]) -> RunState:
    """A person decided about some of the calls that wait. The whole set is looked at before anything changes.

    Raises:
        MisuseError: for a decision about no waiting call, of the wrong kind, about another call of that id, or with arguments
            that do not fit.
    """
    waiting = {entry.call.id: entry for entry in state.batch if entry.waits}
    for call_id, decision in decisions.items():
        if call_id not in waiting:
            raise MisuseError(f"no call {call_id!r} waits for a decision; waiting: {', '.join(waiting) or 'none'}")
        allowed = _KINDS[waiting[call_id].status]
        if not isinstance(decision, allowed):
            names = ", ".join(kind.__name__ for kind in allowed)
            raise MisuseError(f"call {call_id!r} waits for {names}, not {_kind(decision)}")
        if isinstance(decision, Approved) and decision.digest not in (None, digest(waiting[call_id].call)):
            raise MisuseError(f"call {call_id!r} is not the one that was approved: its digest is another; show it again")
    changed: dict[str, OpenCall] = {}
    arguments: dict[str, Mapping[str, object]] = {}
    crashed: ToolOutcome | None = None
    for call_id, decision in decisions.items():
        before = waiting[call_id]
        entry = changed[call_id] = _decided(plan, before, decision)
        is_new = entry.call is not before.call
        try:
            if is_new or entry.status == "ready":
                arguments[call_id] = read_again(plan, entry.call, is_new=is_new)
        except (MisuseError, InternalError):
            raise
        except Exception as raised:  # a validator of the parameters
            crashed = crashed or ToolOutcome(call_id, "crashed", exception=raised, source=f"tool:{entry.call.name}:arguments")
    if crashed is not None:
        return _ended(plan, state, crashed)
    entries = tuple(changed.get(entry.call.id, entry) for entry in state.batch)
    reruns = {call_id for call_id in decisions if waiting[call_id].status == "uncertain"}
    return proceed(plan, state.changed(batch=entries, live=state.live._replace(arguments=arguments)), reruns=reruns)


_KINDS: Mapping[str, tuple[type[Approved] | type[Denied] | type[ExternalResult] | type[Rerun], ...]] = {
    "approval": (Approved, Denied),
    "external": (ExternalResult, Denied),
    "question": (Approved, Denied, ExternalResult),
    "uncertain": (Rerun, Denied, ExternalResult),
}


def _decided(plan: Plan[object, object], entry: OpenCall, decision: Decision) -> OpenCall:
    if isinstance(decision, Denied):
        if not isinstance(cast("object", decision.message), str):
            raise MisuseError(
                f"call {entry.call.id!r}: Denied takes its message as a text, not {type(decision.message).__name__}"
            )
        more = "" if decision.payload is None else "\n" + _written(entry, decision.payload)
        text = clean(decision.message) + more
        result = ToolResult(call_id=entry.call.id, name=entry.call.name, text=text, status="denied")
        return entry.changed(status="answered", result=result)
    if isinstance(decision, ExternalResult):
        try:
            told = told_of(decision.value)
        except Untellable as error:
            raise MisuseError(f"call {entry.call.id!r}: the value decided for it is {error}") from error
        return _answered(entry.changed(media=told.media), told.text)
    args = decision.args if isinstance(decision, Approved) else None
    if args is not None:
        entry = entry.changed(call=entry.call.changed(arguments=_written(entry, args)))
    external = plan.tools[entry.call.name].external and entry.status == "approval"
    return entry.changed(status="external" if external else "ready", begun=False)


def read_again(plan: Plan[object, object], call: ToolCall, *, is_new: bool = False) -> Mapping[str, object]:
    """The arguments of a call that is to be run after all; ``is_new`` are those that a person gave."""
    read = plan.tools[call.name].read(call, plan.context)
    if not isinstance(read, tuple):
        return read
    if is_new:
        raise MisuseError(f"call {call.id!r}: the approved arguments do not fit: " + "; ".join(issue.line for issue in read))
    raise InternalError("arguments that fitted do not fit any more; are the validators pure?")


def _written(entry: OpenCall, value: object) -> str:
    try:
        return to_json(value).decode()
    except Exception as error:  # pydantic's own, or the serializers of the caller's types
        kind = type(value).__name__
        raise MisuseError(f"call {entry.call.id!r}: the {kind} decided for it cannot be written as JSON") from error


def pending_calls(state: RunState) -> tuple[PendingCall, ...]:
    """The calls that wait, as a person is shown them."""
    return tuple(
        PendingCall(kind=entry.status, call=entry.call, args_digest=digest(entry.call), payload=entry.payload)
        for entry in state.batch
        if entry.status in ("approval", "external", "question", "uncertain")
    )


def left_under_way(state: RunState, known: Sequence[ToolOutcome]) -> RunState:
    """The caller left while calls were being run. What had ended stands; how far each other one came is not known, and is not
    said to be.
    """
    if state.phase != "tools":
        return state
    by_id = {outcome.call_id: outcome for outcome in known}
    entries: list[OpenCall] = []
    for entry in state.batch:
        if entry.status == "ready":
            outcome = by_id.get(entry.call.id)
            entry = _answered(entry, feedback.INTERRUPTED, failed=True) if outcome is None else _applied(entry, outcome)
        entries.append(entry)
    return state.changed(batch=tuple(entries))


def skipped_rest(state: RunState) -> dict[str, ToolResult]:
    """An answer for every call of the batch, also for those that never ran."""
    rest = _unanswered_skipped(state, feedback.NOT_EXECUTED_ENDED).batch
    return {entry.call.id: entry.result for entry in rest if entry.result is not None}


def _unanswered_skipped(
    state: RunState, told: str, *, but: Collection[str] = (), unsure: Collection[str] = frozenset()
) -> RunState:
    """Answer what has no answer yet: that it did not run, or, where nobody knows, that it may have."""
    entries: list[OpenCall] = []
    for entry in state.batch:
        if entry.status == "answered" or entry.call.id in but:
            entries.append(entry)
        elif entry.status == "uncertain" or entry.call.id in unsure:
            entries.append(_answered(entry, feedback.INTERRUPTED, failed=True))
        else:
            entries.append(_answered(entry, told, skipped=True))
    return state.changed(batch=tuple(entries))


def _answered(entry: OpenCall, told: str, *, failed: bool = False, skipped: bool = False) -> OpenCall:
    status: Literal["ok", "failed", "skipped"] = "failed" if failed else "skipped" if skipped else "ok"
    result = ToolResult(call_id=entry.call.id, name=entry.call.name, text=told, status=status)
    return entry.changed(status="answered", result=result)


def _plain(value: object) -> object:
    return from_json(to_json(value, by_alias=True))


def canonical(arguments: str) -> str:
    """Arguments in one spelling, so that the same call is known again whatever its spacing, order of keys, or way to give none.

    Example:
        >>> canonical('{"b": 1, "a": 2}')
        '{"a":2,"b":1}'
    """
    parsed, plain = plain_json(arguments if arguments.strip() else "null")
    if parsed and plain is None:
        return "{}"  # as `Tool.read` takes it
    return to_json(_in_order(plain)).decode() if parsed else arguments


def _in_order(data: object) -> object:
    if is_mapping(data):
        return {key: _in_order(data[key]) for key in sorted(data, key=str)}
    return [_in_order(item) for item in data] if is_list(data) else data


def digest(call: ToolCall) -> str:
    """SHA-256 of the call's name and arguments."""
    return sha256(f"{call.name}\0{call.arguments}".encode()).hexdigest()

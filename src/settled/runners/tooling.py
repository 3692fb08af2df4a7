"""Running the tools of one step: the hook before each, all functions at once, the hook after each, results in call order."""

from collections.abc import Generator, Mapping
from copy import deepcopy
from typing import NamedTuple, cast

from ..core.actions import ReadyCall, RunTools
from ..core.events import Halt, ToolOutcome, ToolsDone, quiet
from ..core.feedback import NOT_EXECUTED_ENDED, NOT_EXECUTED_LATE
from ..core.hooks import Skip
from ..core.ledger import Spent
from ..core.state import RunState
from ..tools.context import RunContext
from ..tools.control import ToolFailed
from ..vocabulary.messages import ToolCall
from .asks import Answer, Ask, Call, DeadlinePassed, Effect, NeverBegan, Together
from .consulting import hooked
from .reading import said, tool_failure, tool_outcome, wrong_type
from .run import Run

AnyRun = Run[object, object]


class Prepared(NamedTuple):
    """One call after the hook before it."""

    call: ToolCall
    """The call."""
    arguments: Mapping[str, object]
    """What to call it with."""
    outcome: ToolOutcome | None = None
    """What became of it already."""

    def __repr__(self) -> str:
        return quiet(self)


def run_tools(run: AnyRun, state: RunState, action: RunTools) -> Effect:
    """Run the calls, and report what became of each."""
    started = run.clock()
    halts: list[Halt] = []
    prepared: list[Prepared] = []
    for ready in action.calls:
        if not halts:
            prepared.append((yield from _before(run, state, ready, halts)))
    if halts:  # whoever stops the run before a call does not want it to happen, nor one beside it
        by_id = {one.call.id: one for one in prepared if one.outcome is not None}
        prepared = [by_id.get(ready.call.id, _unwanted(ready.call)) for ready in action.calls]
    contexts = {one.call.id: run.context_for(state, one.call.id) for one in prepared}
    allowed = action.allowance.seconds
    left = None if allowed is None else max(0.0, allowed - (run.clock() - started))  # the hooks have used some of it
    due = [one for one in prepared if one.outcome is None]
    asked = tuple(_called(run, one, contexts[one.call.id]) for one in due)
    answers = cast("list[Answer]", (yield Together(asked, run.plan.budget.max_parallel_tools, left)))
    given = {one.call.id: answer for one, answer in zip(due, answers, strict=True)}
    outcomes: list[ToolOutcome] = []
    for one in prepared:
        context = contexts[one.call.id]
        if context.stopped is not None:
            halts.append(Halt(f"tool:{one.call.name}", context.stopped, one.call.id))
        outcome = one.outcome or _outcome(run, one.call, given[one.call.id], left)
        outcomes.append((yield from _after(run, state, one.call, outcome, halts)))
    return ToolsDone(tuple(outcomes), halt=halts[0] if halts else None, spent=Spent(run.clock() - started))


def _unwanted(call: ToolCall) -> Prepared:
    return Prepared(call, {}, ToolOutcome(call.id, "skipped", text=NOT_EXECUTED_ENDED))


def _called(run: AnyRun, one: Prepared, context: RunContext) -> Call:
    tool = run.plan.tools[one.call.name]
    args = (context,) if tool.wants_context else ()
    return Call(tool.function, args, _copied(one.arguments), may_block=True, seconds=tool.timeout)


def _copied(arguments: Mapping[str, object]) -> dict[str, object]:
    """Private copies: the same arguments may be asked for again. What cannot be copied, such as a connection that a validator
    looked up, is handed over as it is.
    """
    copies: dict[str, object] = {}
    for name, value in arguments.items():
        try:
            copies[name] = deepcopy(value)
        except Exception:
            copies[name] = value
    return copies


def _outcome(run: AnyRun, call: ToolCall, answer: Answer, left: float | None) -> ToolOutcome:
    if answer.raised is None:
        return tool_outcome(call.id, answer.value)
    assert isinstance(answer.raised, Exception), "the loop raises what is no Exception"
    tool = run.plan.tools[call.name]
    if isinstance(answer.raised, NeverBegan):
        return ToolOutcome(call.id, "skipped", text=NOT_EXECUTED_LATE)
    if isinstance(answer.raised, DeadlinePassed):
        if tool.on_error == "fail" and tool.timeout is not None and (left is None or tool.timeout < left):
            late = TimeoutError(f"{tool.name} took longer than {tool.timeout:g} seconds; it may still have its effect")
            return ToolOutcome(call.id, "crashed", exception=late)
        return ToolOutcome(call.id, "failed", text="timed out; it may still have its effect")
    return tool_failure(call.id, answer.raised, tool.on_error)


def _before(run: AnyRun, state: RunState, ready: ReadyCall, halts: list[Halt]) -> Generator[Ask, object, Prepared]:
    call = ready.call
    heard = yield from hooked(run, state, "before_tool", call, call_id=call.id)
    halts += [heard.halt] if heard.halt is not None else []
    if heard.fault is not None:
        crashed = ToolOutcome(call.id, "crashed", exception=heard.fault.exception, source=heard.fault.source)
        return Prepared(call, {}, crashed)
    if isinstance(heard.value, Skip):
        return Prepared(call, {}, ToolOutcome(call.id, "skipped", text=said(heard.value.text)))
    if isinstance(heard.value, ToolFailed):
        return Prepared(call, {}, ToolOutcome(call.id, "failed", text=said(heard.value)))
    if isinstance(heard.value, ToolCall):
        if heard.value.name != call.name:  # another tool may need a person, or not be on offer
            other = TypeError("hook:before_tool gave a call of another tool; it may change the arguments only")
            return Prepared(call, {}, ToolOutcome(call.id, "crashed", exception=other, source="hook:before_tool"))
        call = call.changed(arguments=heard.value.arguments)
        try:
            read = run.plan.tools[call.name].read(call, run.plan.context)
        except Exception as raised:
            return Prepared(call, {}, ToolOutcome(call.id, "crashed", exception=raised, source=f"tool:{call.name}:arguments"))
        if isinstance(read, tuple):
            lines = "; ".join(issue.line for issue in read)
            misfit = TypeError(f"hook:before_tool gave arguments that do not fit: {lines}")
            return Prepared(call, {}, ToolOutcome(call.id, "crashed", exception=misfit, source="hook:before_tool"))
        return Prepared(call, read)
    if heard.value is not None:
        fault = wrong_type("hook:before_tool", heard.value, "ToolCall, Skip, ToolFailed or None")
        return Prepared(call, {}, ToolOutcome(call.id, "crashed", exception=fault.exception, source=fault.source))
    return Prepared(call, ready.arguments)


def _after(
    run: AnyRun, state: RunState, call: ToolCall, outcome: ToolOutcome, halts: list[Halt]
) -> Generator[Ask, object, ToolOutcome]:
    """The hook after a call sees its result, and may give another one in its place."""
    if outcome.kind in ("crashed", "skipped"):
        return outcome
    heard = yield from hooked(run, state, "after_tool", call, outcome.seen, call_id=call.id)
    halts += [heard.halt] if heard.halt is not None else []
    if heard.fault is not None:
        return ToolOutcome(call.id, "crashed", exception=heard.fault.exception, source=heard.fault.source)
    return outcome if heard.value is None else tool_outcome(call.id, heard.value)

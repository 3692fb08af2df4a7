"""Running the tools of one step: the hook before each, all functions at once, the hook after each, results in call order."""

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from copy import deepcopy
from inspect import isawaitable
from typing import NamedTuple, cast

from ..core.actions import ReadyCall, RunTools
from ..core.events import Halt, ToolOutcome, ToolsDone, quiet
from ..core.feedback import INTERRUPTED, NOT_EXECUTED_ENDED, NOT_EXECUTED_LATE
from ..core.hooks import Skip
from ..core.journal import outcome_of
from ..core.ledger import Spent
from ..core.state import RunState
from ..tools.context import RunContext
from ..tools.control import ToolFailed
from ..tools.signature import is_async
from ..vocabulary.messages import ToolCall
from .asks import Answer, Ask, Call, DeadlinePassed, Effect, NeverBegan, Together
from .bridge import in_thread
from .consulting import hooked
from .keeping import Keeper
from .reading import said, tool_failure, tool_outcome, wrong_type
from .run import Run, nothing_known

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
    started, allowed = run.clock(), action.allowance.seconds
    ends = None if allowed is None else started + allowed
    halts: list[Halt] = []
    prepared: list[Prepared] = []
    for ready in action.calls:
        if ready.done is not None:  # it ran before the process died, and was asked about before that
            kept = outcome_of(run.plan, ready.call.id, ready.done)
            prepared.append(Prepared(ready.call.changed(arguments=ready.done.arguments), {}, kept))
        elif not halts:
            prepared.append((yield from _before(run, state, ready, halts, ends)))
    if halts:  # whoever stops the run before a call does not want it to happen, nor one beside it
        by_id = {one.call.id: one for one in prepared if one.outcome is not None}
        prepared = [by_id.get(ready.call.id, _unwanted(ready.call)) for ready in action.calls]
    contexts = {one.call.id: run.context_of_call(state, one.call.id) for one in prepared}
    for ready in action.calls:
        if ready.done is not None and ready.done.stopped is not None:
            contexts[ready.call.id].stop(ready.done.stopped)
    left = None if ends is None else max(0.0, ends - run.clock())  # the hooks have used some of it
    due = [one for one in prepared if one.outcome is None]
    asked = tuple(_called(run, one, contexts[one.call.id]) for one in due)
    turn = _Turn(prepared, contexts, due)
    run.known = lambda: turn.known(run)
    answers = cast("list[Answer]", (yield Together(asked, run.plan.budget.max_parallel_tools, left, turn.ended)))
    for context in contexts.values():
        _raise_fault(context)
    given = {one.call.id: answer for one, answer in zip(due, answers, strict=True)}
    for one in prepared:
        context = contexts[one.call.id]
        if context.stopped is not None:
            halts.append(Halt(f"tool:{one.call.name}", context.stopped, one.call.id))
        outcome = one.outcome or _outcome(run, one.call, given[one.call.id], left)
        seen = yield from _after(run, state, one.call, outcome, halts, ends)
        turn.outcomes.append(_with_sub_run(seen._replace(sub_run=outcome.sub_run), context))
    run.known = nothing_known
    return ToolsDone(tuple(turn.outcomes), halt=halts[0] if halts else None, spent=Spent(run.clock() - started))


class _Turn:
    """The calls of one step while they are made."""

    __slots__ = ("contexts", "due", "ended", "outcomes", "prepared")

    def __init__(self, prepared: Sequence[Prepared], contexts: Mapping[str, RunContext], due: Sequence[Prepared]) -> None:
        """None of them has ended. ``due`` are those that are to run."""
        self.prepared, self.contexts, self.due = prepared, contexts, due
        self.ended: dict[int, Answer] = {}
        self.outcomes: list[ToolOutcome] = []

    def known(self, run: AnyRun) -> tuple[ToolOutcome, ...]:
        """What is known of the calls when the caller leaves: what had ended, what never began, how far sub-agents came.

        A result that the hook after its call has not seen stays unknown: the hook may be there to keep it from the conversation.
        """
        answers = {self.due[place].call.id: answer for place, answer in self.ended.items()}
        known = list(self.outcomes)
        for one in self.prepared[len(known) :]:
            answer, outcome = answers.get(one.call.id), one.outcome
            if answer is not None and isinstance(answer.raised, NeverBegan):
                outcome = ToolOutcome(one.call.id, "skipped", text=NOT_EXECUTED_ENDED)
            elif answer is not None and run.plan.hooks.after_tool is None:
                outcome = _outcome(run, one.call, answer, None)
            unknown = ToolOutcome(one.call.id, "failed", text=INTERRUPTED)
            told = _with_sub_run(outcome or unknown, self.contexts[one.call.id])
            known += [told] if told is not unknown else []
        return tuple(known)


def _with_sub_run(outcome: ToolOutcome, context: RunContext) -> ToolOutcome:
    """The outcome with the run of the sub-agent that the call ran, if it did."""
    sub_run = None if context.delegation is None else context.delegation.sub_run
    return outcome if sub_run is None else outcome._replace(sub_run=sub_run)


def _raise_fault(context: RunContext) -> None:
    if context.delegation is not None and context.delegation.fault is not None:
        raise context.delegation.fault


def _unwanted(call: ToolCall) -> Prepared:
    return Prepared(call, {}, ToolOutcome(call.id, "skipped", text=NOT_EXECUTED_ENDED))


def _called(run: AnyRun, one: Prepared, context: RunContext) -> Call:
    tool = run.plan.tools[one.call.name]
    args = (context,) if tool.wants_context else ()
    function = tool.function if run.keeper is None else _kept(run, run.keeper, one, context)
    return Call(function, args, _copied(one.arguments), may_block=True, seconds=tool.timeout)


def _kept(run: AnyRun, keeper: Keeper, one: Prepared, context: RunContext) -> Callable[..., object]:
    """The tool's function, its beginning and its end kept in the store."""
    function, call = run.plan.tools[one.call.name].function, one.call

    def ended(step: int, answer: Answer) -> object:
        keeper.call_ended(step, _with_sub_run(_outcome(run, call, answer, None), context), call.arguments, context.stopped)
        if answer.raised is not None:
            raise answer.raised
        return answer.value

    async def awaited(step: int, awaitable: Awaitable[object]) -> object:
        try:
            answer = Answer(await awaitable)
        except Exception as raised:
            answer = Answer(raised=raised)
        return await in_thread(lambda: ended(step, answer))

    def called(*args: object, **arguments: object) -> object:
        step = keeper.call_begins(call.id)
        try:
            value = function(*args, **arguments)
        except Exception as raised:
            return ended(step, Answer(raised=raised))
        return awaited(step, value) if isawaitable(value) else ended(step, Answer(value))

    async def called_async(*args: object, **arguments: object) -> object:
        step = await in_thread(lambda: keeper.call_begins(call.id))
        return await awaited(step, cast("Awaitable[object]", function(*args, **arguments)))

    return called_async if is_async(function) else called


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


def _before(
    run: AnyRun, state: RunState, ready: ReadyCall, halts: list[Halt], ends: float | None
) -> Generator[Ask, object, Prepared]:
    call = ready.call
    heard = yield from hooked(run, state, "before_tool", call, call_id=call.id, ends=ends)
    halts += [heard.halt] if heard.halt is not None else []
    if heard.fault is not None:
        crashed = ToolOutcome(call.id, "crashed", exception=heard.fault.exception, source=heard.fault.source)
        return Prepared(call, {}, crashed)
    if heard.late:
        return Prepared(call, {}, ToolOutcome(call.id, "skipped", text=NOT_EXECUTED_LATE))
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
    run: AnyRun, state: RunState, call: ToolCall, outcome: ToolOutcome, halts: list[Halt], ends: float | None
) -> Generator[Ask, object, ToolOutcome]:
    """The hook after a call sees its result, and may give another one in its place."""
    if outcome.kind in ("crashed", "skipped"):
        return outcome
    heard = yield from hooked(run, state, "after_tool", call, outcome.seen, call_id=call.id, ends=ends)
    halts += [heard.halt] if heard.halt is not None else []
    if heard.fault is not None:
        return ToolOutcome(call.id, "crashed", exception=heard.fault.exception, source=heard.fault.source)
    if heard.late:  # the hook may be there to keep the result from the conversation
        return ToolOutcome(call.id, "failed", text=INTERRUPTED)
    return outcome if heard.value is None else tool_outcome(call.id, heard.value)

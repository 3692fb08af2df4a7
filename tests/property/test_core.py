"""What holds for every run, whatever the model, the tools, the hooks and the budget do: checked at every step of random runs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import cycle
from typing import Literal, NamedTuple, TypeAlias, cast

from hypothesis import given, note, settings
from hypothesis import strategies as st
from tests.property.effort import examples
from tests.support import RUN_ID, AnyPlan, AnyStep, City, changed, faults_in, plan_for

from settled import (
    Approved,
    Budget,
    Checkpoint,
    Denied,
    EndRun,
    ExternalResult,
    FailRun,
    Failure,
    FailureReport,
    FinishReason,
    GaveUp,
    Hooks,
    Image,
    InternalError,
    MisuseError,
    ModelRequest,
    ModelResponse,
    NeedsApproval,
    OutputMode,
    PendingCall,
    ProviderError,
    Reject,
    Rerun,
    Retry,
    RunContext,
    RunFailed,
    Settings,
    Skip,
    StopDecision,
    StopReason,
    StopState,
    Success,
    Text,
    Tool,
    ToolCall,
    ToolFailed,
    Usage,
)
from settled.core.actions import Action, Consult, Finish
from settled.core.checkpoint import dump, load
from settled.core.events import (
    ChecksDone,
    Consulted,
    Decided,
    Event,
    Interrupted,
    ModelFailed,
    ModelReplied,
    ToolOutcome,
    ToolsDone,
)
from settled.core.machine import LEGAL, advance, pending, start
from settled.core.plan import UserCall
from settled.core.state import RunState
from settled.runners.effects import effect_of
from settled.runners.run import Run
from settled.runners.sync import carry_out
from settled.testing import FunctionProvider

CANARY = "XYZZY"
"""Stands in every prompt, reply and tool result; no short text of the library may show it."""
MOST_ACTIONS = 3_000
Mood: TypeAlias = int


# The world of one run: what the user's code does next, and what was done.


@dataclass
class World:
    """The caller's object: every piece of user code asks it what to do."""

    moods: Iterator[Mood]
    executions: int = 0
    time: float = 0.0
    tick: float = 0.0
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])

    def mood(self) -> Mood:
        """What to do next: 0 to 9, where most numbers mean nothing special."""
        return next(self.moods)

    def clock(self) -> float:
        """The time, which passes with every look."""
        self.time += self.tick
        return self.time


def work(ctx: RunContext[World], kind: str, amount: int = 0) -> object:
    """A tool that does as it is told."""
    ctx.context.executions += 1
    if kind == "stop":
        ctx.stop(f"enough {CANARY}")
    raised = {"failed": ToolFailed(CANARY), "raised": KeyError(CANARY)}.get(kind)
    if raised is not None:
        raise raised
    ends: Mapping[str, object] = {
        "end": EndRun(City(name=CANARY, people=amount)),
        "end_unfit": EndRun({"name": CANARY}),
        "give_up": FailRun(GaveUp(reason=CANARY)),
        "give_up_unfit": FailRun({"because": CANARY}),
        "ask": NeedsApproval({"why": CANARY}),
        "bytes": b"\x00",
        "picture": [CANARY, Image(data=b"\x00", media_type="image/png")],
        "nothing": None,
    }
    return ends.get(kind, f"done {CANARY}")


def needs_a_person(ctx: RunContext[World], call: ToolCall) -> bool:
    """The predicate of a tool that is sometimes gated."""
    mood = ctx.context.mood()
    if mood == 9:
        raise LookupError(CANARY)
    return mood % 2 == 0


TOOLS = (
    Tool.of(work),
    Tool.of(work, name="gated", requires_approval=True),
    Tool.of(work, name="perhaps", requires_approval=needs_a_person),
    Tool.of(work, name="outside", external=True),
    Tool.of(work, name="gated_outside", external=True, requires_approval=True),
    Tool.of(work, name="hiding", retries=1, on_error="hide"),
    Tool.of(work, name="fatal", retries=0, on_error="fail"),
)


@cache
def base_plan(mode: OutputMode, *, may_give_up: bool) -> AnyPlan:
    """The costly part of a plan, made once."""
    return plan_for(City, mode, failure=GaveUp if may_give_up else None, tools=TOOLS)


def check(ctx: RunContext[World], city: City) -> object:
    """An output check that keeps, replaces, rejects, stops or breaks."""
    mood = ctx.context.mood()
    if mood == 5:
        raise Reject(f"no {CANARY}", path="$.people")
    if mood == 6:
        raise ZeroDivisionError(CANARY)
    if mood == 7:
        ctx.stop(f"enough {CANARY}")
    return {3: City(name="replaced", people=1), 8: {"name": "unfit"}}.get(mood)


def condition_of(world: World, *, raises: bool) -> Callable[[StopState], bool | str | StopDecision | None]:
    """A stop condition that fires at some steps, and breaks at some."""

    def sometimes(state: StopState) -> bool | str | StopDecision | None:
        mood = world.mood()
        if mood == 9 and raises:
            raise OSError(CANARY)
        answers: Mapping[Mood, bool | str | StopDecision] = {1: True, 2: "a reason", 3: StopDecision("custom:1", "a reason")}
        return answers.get(mood)

    return sometimes


def hooks_of(names: frozenset[str], on_error: Literal["error", "log"]) -> Hooks:
    """Hooks at some moments; each does what the world's mood says."""

    def misbehave(ctx: RunContext[World]) -> Mood:
        mood = ctx.context.mood()
        if mood == 8:
            raise RuntimeError(CANARY)
        if mood == 9:
            ctx.stop(f"enough {CANARY}")
        return mood

    def nothing(ctx: RunContext[World], *_: object) -> object:
        return "ignored" if misbehave(ctx) == 1 else None

    def before_model(ctx: RunContext[World], request: ModelRequest) -> object:
        mood = misbehave(ctx)
        return {1: request.changed(settings=Settings(temperature=1.0)), 2: "wrong"}.get(mood)

    def after_model(ctx: RunContext[World], response: ModelResponse) -> object:
        return {1: Retry(f"again {CANARY}"), 2: "wrong"}.get(misbehave(ctx))

    def before_tool(ctx: RunContext[World], call: ToolCall) -> object:
        other = {1: '{"kind":"fine"}', 2: '{"misfit":1}'}
        mood = misbehave(ctx)
        return call.changed(arguments=other[mood]) if mood in other else Skip(CANARY) if mood == 3 else None

    def after_tool(ctx: RunContext[World], call: ToolCall, result: object) -> object:
        return {1: "rewritten", 2: ToolFailed("rewritten"), 3: EndRun({"name": "Oslo", "people": 1})}.get(misbehave(ctx))

    known: Mapping[str, object] = {
        "on_start": nothing,
        "before_model": before_model,
        "after_model": after_model,
        "before_tool": before_tool,
        "after_tool": after_tool,
        "after_step": nothing,
        "on_stop": nothing,
    }
    return cast("Callable[..., Hooks]", Hooks)(**{name: known[name] for name in names}, on_error=on_error)


# What the model says.


class CallSpec(NamedTuple):
    """One call of a reply, before it is spelled for a mode."""

    name: str
    arguments: str
    id: str


class ReplySpec(NamedTuple):
    """One reply, before it is spelled for a mode."""

    calls: tuple[CallSpec, ...]
    text: str
    finish: str | None
    usage: Usage
    refusal: str | None


GOOD = f'{{"name":"{CANARY}","people":1}}'
OTHER = '{"name":"Bergen","people":2}'
UNFIT = f'{{"name":"{CANARY}","people":"many"}}'
REPORT = f'{{"reason":"{CANARY}","blocked_by":["{CANARY}"]}}'
KINDS = (
    "fine", "failed", "raised", "stop", "end", "end_unfit", "give_up", "give_up_unfit", "ask", "ask", "bytes", "nothing",
    "picture",
)  # fmt: skip
IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "", "x" * 70])
arguments = st.sampled_from([f'{{"kind":"{kind}"}}' for kind in KINDS] + ['{"misfit":1}', "null"])
function_calls = st.builds(CallSpec, st.sampled_from([tool.name for tool in TOOLS] * 2 + ["unknown"]), arguments, IDS)
output_calls = st.builds(
    CallSpec, st.sampled_from(["final_result", "report_failure"]), st.sampled_from([GOOD, OTHER, UNFIT, REPORT, "", '{"na']), IDS
)
reply_texts = st.sampled_from(
    [
        "",
        " \n",
        f"Well, {CANARY}.",
        GOOD,
        OTHER,
        UNFIT,
        REPORT,
        f"```json\n{GOOD}\n```",
        f"<think>{CANARY}</think>{GOOD}",
        '{"na',
        f'{{"kind":"final_result","data":{GOOD}}}',
        f'{{"kind":"report_failure","data":{REPORT}}}',
        f'{{"value":{{"kind":"final_result","data":{GOOD}}}}}',
        f'{{"value":{{"kind":"report_failure","data":{REPORT}}}}}',
    ]
)
usages = st.sampled_from(
    [
        Usage(requests=1),
        Usage(requests=1, input_tokens=7, output_tokens=5),
        Usage(requests=1, input_tokens=7, output_tokens=5, cost=Decimal("0.1")),
        Usage(requests=1, output_tokens=50),
    ]
)
finishes = st.sampled_from(["stop"] * 12 + ["tool_calls"] * 6 + ["length", "length", "hm", None, "content_filter", "error"])
refusals = st.sampled_from([None] * 30 + [f"I cannot {CANARY}."])
calls = st.lists(st.integers(0, 5).flatmap(lambda n: output_calls if n == 5 else function_calls), min_size=1, max_size=3)
texts = st.builds(ReplySpec, st.just(()), reply_texts, finishes, usages, refusals)
turns = st.builds(ReplySpec, calls.map(tuple), st.sampled_from(["", "", f"Well, {CANARY}."]), finishes, usages, refusals)
mixed = st.builds(ReplySpec, calls.map(tuple), reply_texts, finishes, usages, refusals)


def weighed(n: int) -> st.SearchStrategy[ReplySpec | Exception]:
    """Mostly calls, so that runs go on; now and then text, both, or an error."""
    return turns if n < 5 else texts if n < 8 else mixed if n == 8 else errors


errors: st.SearchStrategy[Exception] = st.sampled_from(
    [
        ProviderError("connection", CANARY, retry_after=0.0, uncertain=True),
        ProviderError("server", CANARY, retry_after=0.0),
        ProviderError("overloaded", CANARY, retry_after=0.0, uncertain=True),
        ProviderError("auth", CANARY),
        OSError(CANARY),
    ]
)
scripts = st.lists(st.integers(0, 9).flatmap(weighed), min_size=1, max_size=8)
few = st.integers(0, 4)
budgets = st.builds(
    Budget,
    max_steps=st.integers(1, 8),
    transport_retries=st.integers(0, 2),
    output_retries=few,
    truncation_retries=few,
    max_tokens_ceiling=st.none() | st.integers(1, 1000),
    tool_retries=few,
    tool_failures_total=few,
    invalid_tool_retries=few,
    max_tool_calls=st.integers(0, 8),
    max_parallel_tools=st.sampled_from([None, 1, 2, 8]),
    max_input_tokens=st.sampled_from([None] * 10 + [0, 10, 20]),
    max_output_tokens=st.sampled_from([None] * 10 + [0, 10, 60]),
    max_total_tokens=st.sampled_from([None] * 10 + [0, 30, 100]),
    max_cost=st.sampled_from([None] * 10 + [Decimal(0), Decimal("0.25")]),
    on_unknown_usage=st.sampled_from(["stop", "ignore"]),
    max_duration=st.sampled_from([None] * 5 + [0.0, 3.0, 30.0]),
    final_step=st.sampled_from(["none", "output_only"]),
)
HOOKS = ("on_start", "before_model", "after_model", "before_tool", "after_tool", "after_step", "on_stop")


class Setting(NamedTuple):
    """Everything about one random run."""

    script: Sequence[ReplySpec | Exception]
    moods: Sequence[Mood]
    mode: OutputMode
    may_give_up: bool
    budget: Budget
    max_tokens: int | None
    siblings: Literal["skip", "run"]
    text_ends_run: bool
    checks: int
    conditions: int
    hooks: frozenset[str]
    on_error: Literal["error", "log"]
    has_approver: bool
    tick: float


runs = st.builds(
    Setting,
    script=scripts,
    moods=st.lists(st.integers(0, 9), min_size=1, max_size=1) | st.lists(st.integers(0, 9), min_size=2, max_size=12),
    mode=st.sampled_from(["native", "tool", "prompted"]),
    may_give_up=st.booleans(),
    budget=st.one_of(st.just(Budget(max_steps=6, max_tool_calls=12)), budgets),
    max_tokens=st.none() | st.just(100),
    siblings=st.sampled_from(["skip", "run"]),
    text_ends_run=st.booleans(),
    checks=st.sampled_from([0, 0, 1, 2]),
    conditions=st.sampled_from([0, 0, 0, 1, 2]),
    hooks=st.integers(0, 2).flatmap(lambda n: st.frozensets(st.sampled_from(HOOKS), max_size=3 if n == 2 else 0)),
    on_error=st.sampled_from(["error", "log"]),
    has_approver=st.booleans(),
    tick=st.sampled_from([0.0, 0.0, 0.5]),
)


def response_of(spec: ReplySpec) -> ModelResponse:
    """A reply as a response; replies are written so that they mean something in each mode."""
    calls = tuple(ToolCall(id=one.id, name=one.name, arguments=one.arguments) for one in spec.calls)
    texts = (Text(text=spec.text),) if spec.text else ()
    finish = FinishReason.from_wire(spec.finish)
    return ModelResponse(parts=(*texts, *calls), finish_reason=finish, usage=spec.usage, refusal=spec.refusal)


def provider_of(setting: Setting, world: World) -> FunctionProvider:
    """A fake that follows the script over and over."""
    rest = cycle(setting.script)

    def answer(request: ModelRequest) -> object:
        world.requests.append(request)
        said = next(rest)
        return said if isinstance(said, Exception) else response_of(said)

    return FunctionProvider(answer)


def plan_of(setting: Setting, world: World) -> AnyPlan:
    """The plan of a random run."""
    return changed(
        base_plan(setting.mode, may_give_up=setting.may_give_up),
        budget=setting.budget,
        settings=Settings(max_tokens=setting.max_tokens),
        siblings=setting.siblings,
        text_ends_run=setting.text_ends_run,
        checks=(UserCall("check", check, wants_context=True),) * setting.checks,
        stop_when=tuple(condition_of(world, raises=place == 1) for place in range(setting.conditions)),
        hooks=hooks_of(setting.hooks, setting.on_error),
        context=world,
    )


def run_of(setting: Setting, world: World, plan: AnyPlan) -> Run[object, object]:
    """The run of a plan, with an approver that says all that an approver can say, or without."""

    def approve(wait: PendingCall) -> object:
        mood = world.mood()
        if mood == 9:
            raise ConnectionError(CANARY)
        if mood < 4:
            return Denied(f"no {CANARY}", payload={"why": CANARY})
        if wait.kind == "external":
            return ExternalResult({"done": CANARY})
        if wait.kind == "question" and mood == 4:
            return ExternalResult("answered")
        return Approved({"kind": "fine"}) if mood == 5 else Approved()

    approver = approve if setting.has_approver else None
    return Run(plan=plan, provider=provider_of(setting, world), approver=approver, clock=world.clock)


# What must hold.


def every_event(state: RunState) -> list[Event]:
    """One event of each class, and some of a class that is waited for but with content that does not fit."""
    plain: list[Event] = [
        ModelReplied(ModelResponse.of(GOOD)),
        ModelFailed(ProviderError("server", "oops")),
        ToolsDone((ToolOutcome("no such call", "returned"),)),
        ChecksDone(City(name="Oslo", people=1)),
        Consulted("start" if state.moment != "start" else "step"),
        Decided({"no such call": Rerun()}),
        Interrupted("KeyboardInterrupt"),
    ]
    always_fit = (ModelReplied, ModelFailed, ChecksDone, Interrupted)
    return [event for event in plain if not (isinstance(event, LEGAL[state.phase]) and isinstance(event, always_fit))]


def check_refusals(plan: AnyPlan, step: AnyStep) -> None:
    """What is not waited for raises, and changes nothing."""
    state, before = step.state, step.state.model_dump_json()
    for event in every_event(state):
        try:
            advance(plan, state, event)
        except (InternalError, MisuseError):
            continue
        raise AssertionError(f"{type(event).__name__} was taken while {state.phase}")
    assert before == state.model_dump_json()


def kept_apart(action: Action[object, object]) -> object:
    """An action without the text of a checkpoint: it may spell the same state in another order."""
    if not isinstance(action, Finish):
        return action
    outcome: Success[object] | Failure[object] = action.outcome
    return outcome.changed(checkpoint=None) if isinstance(outcome, Failure) else outcome


def check_persistence(plan: AnyPlan, step: AnyStep) -> None:
    """A state goes through JSON unchanged, and the same action is pending in what comes back."""
    state = load(plan, Checkpoint.model_validate_json(dump(plan, step.state).model_dump_json()))
    assert step.state == state
    assert kept_apart(step.action) == kept_apart(pending(plan, state))


def check_bounds(budget: Budget, state: RunState, world: World) -> None:
    """The four inequalities of the budget, counted from outside."""
    assert state.ledger.steps <= budget.max_steps
    assert len(world.requests) <= budget.max_steps * (1 + budget.transport_retries)
    assert sum(record.purpose == "reask" for record in state.steps) <= budget.output_retries + budget.truncation_retries
    assert world.executions <= budget.max_tool_calls
    assert state.ledger.requests == len(world.requests) or state.phase == "done"


def check_end(plan: AnyPlan, step: AnyStep, world: World) -> None:
    """One of two typed ends, with an account that is silent in short and whole in JSON."""
    assert isinstance(step.action, Finish)
    outcome: Success[object] | Failure[object] = step.action.outcome
    shorts = [repr(outcome), str(outcome), repr(step), repr(step.state)]
    if isinstance(outcome, Success):
        assert isinstance(outcome.output, City)
        assert outcome.output == City.model_validate(outcome.output.model_dump())
        assert outcome.attempts[-1].outcome == "valid"
        account: Success[object] | FailureReport[object] = outcome
    else:
        report = outcome.report
        kind: type[FailureReport[object]] = FailureReport[GaveUp] if isinstance(report.detail, GaveUp) else FailureReport[object]
        assert report == kind.model_validate_json(report.model_dump_json())
        assert report == pickle.loads(pickle.dumps(report))
        shorts += [repr(report), str(report), str(RunFailed(report)), repr(RunFailed(report))]
        assert (report.status == "stopped") == (outcome.checkpoint is not None)
        account = report
    assert faults_in(account.messages) == []
    assert not [short for short in shorts if CANARY in short]


@settings(max_examples=examples(80))
@given(runs)
def test_every_run_keeps_the_promises(setting: Setting) -> None:
    """Any run ends, within its budget, by legal steps that survive JSON, with valid histories, in exactly one typed way."""
    world = World(moods=cycle(setting.moods), tick=setting.tick)
    plan = plan_of(setting, world)
    run = run_of(setting, world, plan)
    step = start(plan, f"The capital {CANARY}?", run_id=RUN_ID)
    endings: list[StopReason] = []
    for _ in range(MOST_ACTIONS):
        check_refusals(plan, step)
        check_persistence(plan, step)
        check_bounds(setting.budget, step.state, world)
        if step.state.ending is not None:
            endings.append(step.state.ending)
        if isinstance(step.action, Finish):
            break
        note(f"{step.state.phase} {step.state.moment or ''}")
        step = advance(plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))
    else:
        raise AssertionError(f"still {step.state.phase} after {MOST_ACTIONS} actions")
    assert all(ending == endings[0] for ending in endings)
    for request in world.requests:
        assert faults_in(request.messages) == []
    check_end(plan, step, world)


@settings(max_examples=examples(30))
@given(runs, st.integers(0, 30))
def test_an_interruption_settles_every_run(setting: Setting, after: int) -> None:
    """A run that is cancelled at any step ends `cancelled`, with every call answered, whatever it was doing."""
    world = World(moods=cycle(setting.moods), tick=setting.tick)
    plan = plan_of(setting, world)
    run = run_of(setting, world, plan)
    step = start(plan, f"The capital {CANARY}?", run_id=RUN_ID)
    for _ in range(after):
        if isinstance(step.action, Finish):
            return
        step = advance(plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))
    if isinstance(step.action, Finish):
        return
    had_ended = step.state.ending
    step = advance(plan, step.state, Interrupted("KeyboardInterrupt"))
    while not isinstance(step.action, Finish):
        assert isinstance(step.action, Consult)
        step = advance(plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))
    outcome: Success[object] | Failure[object] = step.action.outcome
    if had_ended is None:
        assert isinstance(outcome, Failure)
        assert outcome.report.code == "cancelled"
        check_end(plan, step, world)


@settings(max_examples=examples(30))
@given(runs, st.integers(1, 4))
def test_a_stopped_run_goes_on(setting: Setting, grants: int) -> None:
    """A stopped run is taken up from its checkpoint with a larger budget, and keeps its promises under that budget."""
    world = World(moods=cycle(setting.moods), tick=setting.tick)
    plan = plan_of(setting, world)
    run = run_of(setting, world, plan)
    step = start(plan, f"The capital {CANARY}?", run_id=RUN_ID)
    more = 0
    for _ in range(MOST_ACTIONS):
        check_persistence(plan, step)
        if isinstance(step.action, Finish):
            outcome: Success[object] | Failure[object] = step.action.outcome
            if isinstance(outcome, Success) or outcome.checkpoint is None or more == grants:
                break
            more += 1
            larger = Budget(max_steps=setting.budget.max_steps + 8 * more, max_tool_calls=20 * more, on_unknown_usage="ignore")
            plan = changed(plan, budget=larger.changed(output_retries=10, truncation_retries=10, tool_failures_total=100))
            plan = changed(plan, budget=plan.budget.changed(invalid_tool_retries=100))
            run = run_of(setting, world, plan)
            state = load(plan, outcome.checkpoint)
            decisions = {}
            for wait in outcome.report.pending:
                decisions[wait.call.id] = Denied()
            step = advance(plan, state, Decided(decisions))
            continue
        step = advance(plan, step.state, carry_out(effect_of(run, step.state, step.action, is_async=False)))
    else:
        raise AssertionError(f"still {step.state.phase} after {MOST_ACTIONS} actions")
    for request in world.requests:
        assert faults_in(request.messages) == []
    check_bounds(plan.budget, step.state, world)
    check_end(plan, step, world)

"""Runs that are kept in a store, under both runners: what is saved when, and how a run goes on from each save."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeAlias, cast

import pytest
from tests.stores import Killed, MemoryStore, stands
from tests.support import City, call, called, faults_in, plan_for, play, ran

from settled import (
    Agent,
    AlreadyDecided,
    Approved,
    Budget,
    Checkpoint,
    EndRun,
    ExternalResult,
    FailRun,
    Failure,
    FileStore,
    GaveUp,
    Hooks,
    Image,
    MisuseError,
    NeedsApproval,
    Paused,
    PendingCall,
    Reject,
    Rerun,
    RunContext,
    Skip,
    Store,
    Success,
    Tool,
    ToolCall,
    ToolFailed,
)
from settled.core.events import ToolOutcome
from settled.core.state import RunState
from settled.events import RunEnded, RunStarted
from settled.runners.keeping import Keeper, KeepingFailed
from settled.testing import FunctionProvider, ScriptedProvider

Ended: TypeAlias = "Success[Any] | Failure[Any] | Paused"
OSLO = City(name="Oslo", people=700_000)
RAN: list[str] = []
ONE_BY_ONE = Budget(max_parallel_tools=1)


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    """No tool has run yet."""
    RAN.clear()


class Colour:
    """One of the two runners."""

    def __init__(self, name: Literal["sync", "async"]) -> None:
        self.name = name

    def start(self, agent: Agent[Any, Any], store: Store, **options: Any) -> Ended:
        """`Agent.start` or its twin."""
        if self.name == "sync":
            return agent.start("Go.", store=store, run_id="r1", **options)
        return asyncio.run(agent.astart("Go.", store=store, run_id="r1", **options))

    def resume(self, agent: Agent[Any, Any], *taken_up: Any, store: Store, **more: Any) -> Ended:
        """`Agent.resume` or its twin."""
        if self.name == "sync":
            return agent.resume(*taken_up, store=store, **more)
        return asyncio.run(agent.aresume(*taken_up, store=store, **more))


each_runner = pytest.mark.parametrize("runner", [Colour("sync"), Colour("async")], ids=["sync", "async"])
each_colour = pytest.mark.parametrize("colour", ["def", "async def", "def that gives an awaitable"])


def tool_of(name: str, work: Callable[[RunContext[object]], object], colour: str = "def", **options: Any) -> Tool:
    """A tool that does this, in a colour."""

    def plain(ctx: RunContext[object]) -> object:
        RAN.append(name)
        return work(ctx)

    async def coloured(ctx: RunContext[object]) -> object:
        RAN.append(name)
        return work(ctx)

    def mixed(ctx: RunContext[object]) -> Awaitable[object]:
        return coloured(ctx)

    functions: Mapping[str, Callable[..., object]] = {"def": plain, "async def": coloured}
    return Tool.of(functions.get(colour, mixed), name=name, description="A tool.", **options)


def agent_of(*tools: Tool, replies: tuple[object, ...] = (), **options: Any) -> Agent[Any, Any]:
    """An agent whose model calls all of its tools in one turn, by calls of their names, and then hands over."""
    turn = [call(one.name, id=one.name) for one in tools]
    model = ScriptedProvider(*(replies or (turn, OSLO)))
    given: dict[str, Any] = {"model": model, "tools": tools, "mode": "tool", "budget": ONE_BY_ONE, **options}
    return Agent(City, **given)


def then(agent: Agent[Any, Any], *replies: Any) -> Agent[Any, Any]:
    """The same agent in another process, whose model has this left to say."""
    return agent.with_(model=ScriptedProvider(*replies))


def succeeded(end: object) -> Success[Any]:
    """A success, with a valid history."""
    assert isinstance(end, Success), end
    success = cast("Success[Any]", cast("object", end))  # mypy and pyright narrow to types that differ
    assert not faults_in(success.messages)
    return success


def fine(ctx: RunContext[object]) -> object:
    """What a tool does that just works."""
    return "fine"


def approves(city: City) -> None:
    """A check that takes everything."""


# What is saved.


@each_runner
@each_colour
def test_what_is_saved_when(runner: Colour, colour: str) -> None:
    """Before the model is asked, before a tool runs, when it has ended, and at the end; each save is one revision more."""
    store = MemoryStore()
    success = succeeded(runner.start(agent_of(tool_of("a", fine, colour)), store))
    assert OSLO == success.output
    told = [(state.phase, state.begun, [(one.begun, one.done is not None) for one in state.batch]) for state in store.states]
    assert told == [
        ("calling", True, []),
        ("tools", False, [(False, False)]),
        ("tools", False, [(True, False)]),
        ("tools", False, [(True, True)]),
        ("calling", True, []),
        ("done", False, []),
    ]
    assert [1, 2, 3, 4, 5, 6] == [saved.revision for saved in store.saves]


@each_runner
def test_the_same_as_without_a_store(runner: Colour) -> None:
    """A store changes nothing of what a run gives."""
    plain = succeeded(agent_of(tool_of("a", fine)).start("Go.", run_id="r1"))
    kept = succeeded(runner.start(agent_of(tool_of("a", fine)), MemoryStore()))
    assert plain.changed(elapsed=0.0, steps=(), attempts=()) == kept.changed(elapsed=0.0, steps=(), attempts=())


@each_runner
def test_a_run_goes_on_from_every_save(runner: Colour) -> None:
    """Whichever save was the last before the process died, the run goes on and gives the same, and no ended call runs again."""
    store = MemoryStore()
    agent = agent_of(tool_of("a", fine), tool_of("b", fine, "async def"), checks=[approves])
    whole = succeeded(runner.start(agent, store))
    for place, state in enumerate(store.states):
        cut, saved = store.at(place)
        RAN.clear()
        left = [OSLO] if state.reply is not None or state.steps else [[call("a", id="a"), call("b", id="b")], OSLO]
        later = agent.with_(model=ScriptedProvider(*left))
        outcome = runner.resume(later, saved, store=cut)
        while isinstance(outcome, Paused):
            rerun = {wait.call.id: Rerun() for wait in outcome.pending}
            outcome = runner.resume(later, outcome, rerun, store=cut)
        assert whole.messages == succeeded(outcome).messages
        ended = {entry.call.id for entry in state.batch if entry.done is not None or entry.status == "answered"}
        assert not ended & {*RAN}


@each_runner
def test_a_pause_stands_in_the_store(runner: Colour) -> None:
    """A run that pauses is there as it was handed back, and is decided once."""
    store, agent = MemoryStore(), agent_of(tool_of("a", fine, requires_approval=True))
    paused = runner.start(agent, store)
    assert isinstance(paused, Paused)
    assert store.load("r1") == paused.checkpoint
    assert OSLO == succeeded(runner.resume(agent, paused, {"a": Approved()}, store=store)).output
    with pytest.raises(AlreadyDecided):
        runner.resume(agent, paused, {"a": Approved()}, store=store)
    assert ["a"] == RAN


@each_runner
def test_a_stop_stands_in_the_store(runner: Colour) -> None:
    """A run that was stopped goes on with a larger budget, from what the caller got or from the store."""
    for from_store in (False, True):
        store, agent = MemoryStore(), agent_of(tool_of("a", fine), budget=Budget(max_steps=1))
        stopped = runner.start(agent, store)
        assert isinstance(stopped, Failure)
        assert store.load("r1") == stopped.checkpoint
        taken = store.load("r1") if from_store else stopped
        with pytest.raises(MisuseError, match="max_steps"):
            runner.resume(agent, taken, store=store, budget=Budget(max_steps=1, max_tool_calls=0).changed(max_steps=0))
        assert OSLO == succeeded(runner.resume(agent, taken, store=store, budget=Budget(max_steps=2))).output


@each_runner
def test_a_run_that_has_ended_does_nothing(runner: Colour) -> None:
    """Taken up, it gives its end again; it can be told nothing any more."""
    store, agent = MemoryStore(), agent_of(tool_of("a", fine))
    whole = succeeded(runner.start(agent, store))
    again = succeeded(runner.resume(then(agent), store.load("r1"), store=store))
    assert (whole.output, whole.messages) == (again.output, again.messages)
    assert ["a"] == RAN
    with pytest.raises(MisuseError, match="waits for no decision"):
        runner.resume(agent, store.load("r1"), {"a": Rerun()}, store=store)
    with pytest.raises(MisuseError, match="waits for no decision"):
        runner.resume(agent, store.load("r1"), store=store, prompt="More.")


@each_runner
def test_a_run_that_failed_does_nothing(runner: Colour) -> None:
    """A run that failed gives the same failure when it is taken up."""
    store, agent = MemoryStore(), agent_of(replies=("hm",) * 3)
    failed = runner.start(agent, store)
    again = runner.resume(agent, store.load("r1"), store=store)
    assert isinstance(failed, Failure)
    assert isinstance(again, Failure)
    assert failed.report == again.report


@each_runner
def test_an_id_is_taken_once(runner: Colour) -> None:
    """A second run of the same id is refused before anything is asked."""
    store, agent = MemoryStore(), agent_of(tool_of("a", fine))
    runner.start(agent, store)
    other = then(agent)
    with pytest.raises(AlreadyDecided):
        runner.start(other, store)


@each_runner
def test_a_kept_run_is_resumed_with_its_store(runner: Colour) -> None:
    """Without the store nothing would tell a second process that the run was taken up, so that is refused, and nothing runs."""
    store, agent = MemoryStore(), agent_of(tool_of("a", fine, requires_approval=True))
    paused = runner.start(agent, store)
    assert isinstance(paused, Paused)
    for taken in (paused, paused.checkpoint, store.load("r1")):
        with pytest.raises(MisuseError, match="kept in a store"):
            agent.resume(taken, {"a": Approved()})
    assert [] == RAN


def test_what_is_no_store() -> None:
    """Anything but a store is refused, with its type."""
    no_store: Any = {"save": 1}
    agent = agent_of(tool_of("a", fine, requires_approval=True))
    paused = agent.start("Go.")
    assert isinstance(paused, Paused)
    with pytest.raises(MisuseError, match="store=dict: give a FileStore"):
        agent.start("Go.", store=no_store)
    with pytest.raises(MisuseError, match="store=dict: give a FileStore"):
        agent.resume(paused, store=no_store)


# What is decided when a run was cut off.


@each_runner
def test_decisions_come_after_what_can_be_done(runner: Colour) -> None:
    """While a cut-off run has work left that needs nobody, decisions and prompts are refused in words, and it goes on without."""
    store, agent = MemoryStore(), agent_of(tool_of("a", fine), tool_of("b", fine), budget=Budget())
    runner.start(agent, store)
    cut, saved = store.cut(lambda state: stands(state, a="waits", b="waits"))
    for more in ({"prompt": "More."}, {"decisions": {"a": Rerun()}}):
        with pytest.raises(MisuseError, match="was cut off while tools, and waits for no decision yet"):
            runner.resume(agent, saved, store=cut, **more)
    with pytest.raises(MisuseError, match="max_tool_calls is below"):
        runner.resume(agent, saved, store=cut, budget=Budget(max_tool_calls=1))
    assert 1 == len(cut.runs)
    assert OSLO == succeeded(runner.resume(then(agent, OSLO), saved, store=cut, budget=Budget(max_tool_calls=2))).output


@each_runner
def test_an_approver_hears_of_lost_calls(runner: Colour) -> None:
    """An approver is asked about a call whose end nobody knows, and sees that it is one."""
    heard: list[PendingCall] = []

    def approver(wait: PendingCall) -> Rerun:
        heard.append(wait)
        return Rerun()

    store, agent = MemoryStore(), agent_of(tool_of("a", fine), approver=approver)
    runner.start(agent, store)
    cut, saved = store.cut(lambda state: stands(state, a="begun"))
    assert OSLO == succeeded(runner.resume(then(agent, OSLO), saved, store=cut)).output
    assert [("uncertain", "a")] == [(wait.kind, wait.call.id) for wait in heard]


@each_runner
def test_a_key_that_stays(runner: Colour) -> None:
    """The idempotency key of a call is the same when it is run again, and another one for every other call."""
    keys: list[str] = []

    def note(ctx: RunContext[object]) -> object:
        keys.append(ctx.idempotency_key)
        return "noted"

    store, agent = MemoryStore(), agent_of(tool_of("a", note), tool_of("b", note))
    runner.start(agent, store)
    cut, saved = store.cut(lambda state: stands(state, a="done", b="begun"))
    later = then(agent, OSLO)
    paused = runner.resume(later, saved, store=cut)
    assert isinstance(paused, Paused)
    succeeded(runner.resume(later, paused, {"b": Rerun()}, store=cut))
    assert (keys[1], 2) == (keys[2], len({*keys}))


# What a finished call gave.


def asks(ctx: RunContext[object]) -> object:
    """Asks first, and works once it was approved."""
    return NeedsApproval({"amount": 7}) if RAN.count("a") == 1 else "approved"


def fails(ctx: RunContext[object]) -> object:
    """Fails."""
    raise ToolFailed("no such ship")


def stops(ctx: RunContext[object]) -> object:
    """Stops the run."""
    ctx.stop("closed")
    return "done"


GAVE: Mapping[str, Callable[[RunContext[object]], object]] = {
    "text": fine,
    "data": lambda ctx: {"degrees": 7},
    "picture": lambda ctx: ["see", Image(data=b"\x00", media_type="image/png")],
    "failure": fails,
    "output": lambda ctx: EndRun(City(name="Bergen", people=1)),
    "misfit": lambda ctx: EndRun({"name": "Bergen"}),
    "report": lambda ctx: FailRun(GaveUp(reason="closed")),
    "stop": stops,
}


def comparable(end: Ended) -> tuple[object, ...]:
    """What of an end must not depend on a crash."""
    account: Any = end if isinstance(end, Success) else end.report if isinstance(end, Failure) else end
    reason = getattr(account, "stop_reason", None)
    ends = getattr(account, "output", None), getattr(account, "detail", None), reason and reason.label
    return (type(end), account.messages, *ends)


@each_runner
@each_colour
@pytest.mark.parametrize("gave", GAVE)
def test_what_a_finished_call_gave_stands(runner: Colour, colour: str, gave: str) -> None:
    """A call that had ended when the process died is not made again, and the run ends as it would have."""
    seen: list[object] = []
    hooks = Hooks(after_tool=lambda ctx, call, result: seen.append(result))
    store = MemoryStore()
    agent = agent_of(tool_of("a", GAVE[gave], colour), failure_type=GaveUp, hooks=hooks)
    whole = runner.start(agent, store)
    cut, saved = store.cut(lambda state: stands(state, a="done"))
    again = runner.resume(then(agent, OSLO), saved, store=cut)
    assert comparable(whole) == comparable(again)
    assert ["a"] == RAN
    first, second = seen
    assert vars_of(first) == vars_of(second)


def vars_of(result: object) -> object:
    """A control result by what it holds, since such results are equal to themselves only."""
    held = [getattr(result, name) for name in ("output", "detail", "payload") if hasattr(result, name)]
    return (type(result), str(result) if isinstance(result, ToolFailed) else held or result)


@each_runner
@each_colour
def test_a_call_that_had_asked(runner: Colour, colour: str) -> None:
    """A call that had asked for approval asks on after a crash, and runs when it is approved."""
    store = MemoryStore()
    agent = agent_of(tool_of("a", asks, colour))
    assert isinstance(runner.start(agent, store), Paused)
    cut, saved = store.cut(lambda state: stands(state, a="done"))
    later = then(agent, OSLO)
    paused = runner.resume(later, saved, store=cut)
    assert isinstance(paused, Paused)
    assert [("question", {"amount": 7})] == [(wait.kind, wait.payload) for wait in paused.pending]
    success = succeeded(runner.resume(later, paused, {"a": Approved()}, store=cut))
    assert ["approved"] == [result.text for result in success.steps[0].tool_results]


@each_runner
def test_what_json_cannot_carry_is_uncertain(runner: Colour) -> None:
    """A tool that ended the run with a live object is uncertain after a crash; without one the run succeeds all the same."""
    handle = object()
    store, ends = MemoryStore(), tool_of("a", lambda ctx: EndRun(handle))
    agent: Agent[object, None] = Agent(object, model=ScriptedProvider(call("a", id="a")), tools=[ends])
    assert handle is succeeded(runner.start(agent, store)).output
    paused = runner.resume(agent, store.load("r1"), store=store)
    assert isinstance(paused, Paused)
    assert [("a", "uncertain")] == [(wait.call.id, wait.kind) for wait in paused.pending]


@each_runner
def test_checks_are_asked_again(runner: Colour) -> None:
    """A run that died while its output was checked has it checked again, before anything is taken."""
    asked: list[City] = []

    def check(city: City) -> None:
        asked.append(city)
        if len(asked) > 1:
            raise Reject("not any more")

    store, agent = MemoryStore(), agent_of(replies=(OSLO,), checks=[check])
    runner.start(agent, store)
    cut, saved = store.cut(lambda state: state.phase == "checking")
    failed = runner.resume(then(agent, OSLO, OSLO), saved, store=cut)
    assert isinstance(failed, Failure)
    assert ("output_invalid", 4) == (failed.report.code, len(asked))


# Hooks.


@each_runner
def test_the_hook_before_a_finished_call(runner: Colour) -> None:
    """``before_tool`` is not asked again about a call that has ended, and the hook after it sees the arguments that ran."""
    before, after = list[str](), list[str]()

    def work(n: int = 0) -> str:
        """Work."""
        RAN.append(str(n))
        return "fine"

    def change(ctx: RunContext[object], call: ToolCall) -> ToolCall:
        before.append(call.id)
        return call.changed(arguments='{"n": 7}')

    hooks = Hooks(before_tool=change, after_tool=lambda ctx, call, result: after.append(call.arguments))
    store, agent = MemoryStore(), agent_of(Tool.of(work, name="a"), hooks=hooks)
    runner.start(agent, store)
    cut, saved = store.cut(lambda state: stands(state, a="done"))
    succeeded(runner.resume(then(agent, OSLO), saved, store=cut))
    assert (["a"], ["7"], ['{"n": 7}'] * 2) == (before, RAN, after)


@each_runner
def test_a_hook_that_stops_takes_nothing_back(runner: Colour) -> None:
    """A hook that stops the run before one call does not take back what another one gave before the crash."""
    stop_at: list[str] = []

    def may_stop(ctx: RunContext[object], call: ToolCall) -> None:
        if call.id in stop_at:
            ctx.stop("closed")

    store = MemoryStore()
    agent = agent_of(tool_of("b", fine), tool_of("a", fine), hooks=Hooks(before_tool=may_stop))
    runner.start(agent, store)
    cut, saved = store.cut(lambda state: stands(state, b="done", a="waits"))
    stop_at.append("a")
    RAN.clear()
    stopped = runner.resume(agent, saved, store=cut)
    assert isinstance(stopped, Failure)
    results = {result.call_id: (result.status, result.text) for result in stopped.report.steps[0].tool_results}
    assert {"b": ("ok", "fine"), "a": ("skipped", "not executed: the run had ended")} == results
    assert [] == RAN


@each_runner
def test_a_hook_before_the_finished_call_stops(runner: Colour) -> None:
    """The same when the call that had ended comes behind the one at which the hook stops."""
    store = MemoryStore()

    def may_stop(ctx: RunContext[object], call: ToolCall) -> Skip | None:
        if call.id == "a" and "a" in RAN:
            ctx.stop("closed")
        return None

    agent = agent_of(tool_of("a", fine), tool_of("b", fine), hooks=Hooks(before_tool=may_stop))
    runner.start(agent, store)
    _, saved = store.cut(lambda state: stands(state, a="done", b="done"))
    undone = '"done":{"kind":"returned","arguments":"{}","text":"fine","media":[],"payload":"null","stopped":null,"sub_run":null}'
    edited = saved.state.replace('"begun":true,' + undone, '"begun":false,"done":null', 1)
    assert edited != saved.state
    cut, saved = MemoryStore(), saved.changed(state=edited)
    cut.runs["r1"] = saved
    RAN[:] = ["a"]
    stopped = runner.resume(agent, saved, store=cut)
    assert isinstance(stopped, Failure)
    assert ["skipped", "ok"] == [result.status for result in stopped.report.steps[0].tool_results]


# A store that fails, and a run that somebody else has taken up.


class Down(Exception):
    """The store is down."""


def down_at(*numbers: int) -> Callable[[int], BaseException | None]:
    """A store that fails at these saves."""
    return lambda number: Down(str(number)) if number in numbers else None


@each_runner
@each_colour
@pytest.mark.parametrize("number, ran", [(1, []), (2, []), (3, []), (4, ["a"]), (5, ["a"]), (6, ["a"])])
def test_a_store_that_fails(runner: Colour, colour: str, number: int, ran: list[str]) -> None:
    """What it raises leaves the run, and nothing runs that could not be kept first; the run goes on from what was saved."""
    store, agent = MemoryStore(fault=down_at(number)), agent_of(tool_of("a", fine, colour))
    with pytest.raises(Down, match=str(number)) as left:
        runner.start(agent, store)
    assert left.value.__suppress_context__ or left.value.__context__ is None
    assert ran == RAN
    assert number - 1 == len(store.saves)


class Second(MemoryStore):
    """A store that is down when two calls would be under way at once."""

    def save(self, run_id: str, checkpoint: Checkpoint, *, expect: int) -> int:
        """As `MemoryStore.save`."""
        if stands(RunState.model_validate_json(checkpoint.state), a="begun", b="begun"):
            raise Down
        return super().save(run_id, checkpoint, expect=expect)


@each_runner
def test_what_had_begun_is_kept_when_it_ends(runner: Colour) -> None:
    """When a call could not be kept, the run is left at once, and what was under way beside it is still kept when it ends."""
    may_end, store = threading.Event(), Second()

    def slow(ctx: RunContext[object]) -> object:
        may_end.wait(5)
        return "fine"

    with pytest.raises(Down):
        runner.start(agent_of(tool_of("a", slow), tool_of("b", slow), budget=Budget()), store)
    assert 3 == len(store.saves)
    may_end.set()
    deadline = time.monotonic() + 5
    while len(store.saves) < 4 and time.monotonic() < deadline:
        time.sleep(0.005)
    (other,) = {"a", "b"} - {*RAN}
    assert stands(store.states[-1], **{RAN[0]: "done", other: "waits"})


def test_nothing_more_begins() -> None:
    """When one call of a turn could not be kept, no other one begins, whatever the store says by then."""
    store, plan = MemoryStore(fault=down_at(2)), plan_for(tools=[tool_of("a", fine), tool_of("b", fine)])
    step = play(plan, called(call("a", id="a"), call("b", id="b")))
    keeper = Keeper(store, plan)
    keeper.call_ended(1, ToolOutcome("a", "returned"), "{}", None)  # of a turn that was never kept
    keeper.keep(step.state, step.action)
    for call_id in "ab":
        with pytest.raises(KeepingFailed) as refused:
            keeper.call_begins(call_id)
        assert isinstance(refused.value.fault, Down)
    assert (1, 2) == (len(store.saves), store.asked)


def test_a_call_that_ends_when_its_turn_is_over() -> None:
    """What a call gives when its turn is over, and another one waits for a person, is not asked about any more."""
    store, plan = MemoryStore(), plan_for(tools=[tool_of("a", fine), tool_of("b", fine, requires_approval=True)])
    step = play(plan, called(call("a", id="a"), call("b", id="b")))
    keeper = Keeper(store, plan)
    keeper.keep(step.state, step.action)
    begun = keeper.call_begins("a")
    after = play(plan, ran(ToolOutcome("a", "failed", text="timed out")), step=step)
    keeper.keep(after.state, after.action)
    keeper.call_ended(begun, ToolOutcome("a", "returned", text="late"), "{}", None)
    assert 3 == len(store.saves)
    assert stands(store.states[-1], a="answered", b="approval")


def test_what_ended_is_told_by_the_next_save() -> None:
    """A call that ended while the store was down is known to have ended as soon as the store is up again."""
    store, plan = MemoryStore(fault=down_at(4)), plan_for(tools=[tool_of("a", fine), tool_of("b", fine)])
    step = play(plan, called(call("a", id="a"), call("b", id="b")))
    keeper = Keeper(store, plan)
    keeper.keep(step.state, step.action)
    begun = [keeper.call_begins(call_id) for call_id in "ab"]
    with pytest.raises(KeepingFailed):
        keeper.call_ended(begun[0], ToolOutcome("a", "returned", text="fine"), "{}", None)
    keeper.call_ended(begun[1], ToolOutcome("b", "crashed"), "{}", None)
    assert stands(store.states[-1], a="begun", b="begun"), "there was nothing to save of a call that crashed"
    keeper.call_ended(begun[1], ToolOutcome("b", "failed", text="no"), "{}", None)
    assert stands(store.states[-1], a="done", b="done")


@each_runner
@each_colour
def test_a_run_that_was_taken_over(runner: Colour, colour: str) -> None:
    """A process that is slow, not dead, is told when its call ends that somebody else took the run up; it does nothing more."""
    store = MemoryStore()

    def taken_over(ctx: RunContext[object]) -> object:
        store.runs["r1"] = store.runs["r1"].changed(revision=store.runs["r1"].revision + 1)
        return "fine"

    model = ScriptedProvider([call("a", id="a"), call("b", id="b")])
    agent = agent_of(tool_of("a", taken_over, colour), tool_of("b", fine, colour), model=model)
    with pytest.raises(AlreadyDecided):
        runner.start(agent, store)
    assert ["a"] == RAN
    assert 1 == len(model.requests), "the model is not asked again"


@each_runner
@each_colour
def test_a_process_that_dies_in_a_tool(runner: Colour, colour: str) -> None:
    """What is no Exception, raised by a tool, leaves the run; the call is left as begun where nothing more can be saved."""
    dead: list[bool] = []

    def dies(ctx: RunContext[object]) -> object:
        dead.append(True)
        raise Killed

    store = MemoryStore(fault=lambda number: Killed() if dead else None)
    agent = agent_of(tool_of("a", dies, colour))
    with pytest.raises(Killed):
        runner.start(agent, store)
    assert stands(store.states[-1], a="begun")


@each_runner
def test_a_cancelled_run_that_cannot_be_kept(runner: Colour, caplog: pytest.LogCaptureFixture) -> None:
    """When the caller interrupts, a store that fails does not stand in the way; the log says so."""

    def interrupts(ctx: RunContext[object]) -> object:
        raise KeyboardInterrupt

    seen: list[object] = []
    store = MemoryStore(fault=lambda number: Down() if number > 3 else None)
    agent = agent_of(tool_of("a", interrupts), observers=[seen.append])
    with caplog.at_level(logging.WARNING, "settled"), pytest.raises(KeyboardInterrupt):
        runner.start(agent, store)
    assert "could not be kept: the store raised Down" in caplog.text
    assert isinstance(seen[0], RunStarted)
    assert isinstance(seen[-1], RunEnded)


@each_runner
def test_a_cancelled_run_is_kept(runner: Colour) -> None:
    """A run that its caller interrupts is over, and the store knows it."""

    def interrupts(ctx: RunContext[object]) -> object:
        raise KeyboardInterrupt

    store = MemoryStore()
    agent = agent_of(tool_of("a", interrupts))
    with pytest.raises(KeyboardInterrupt):
        runner.start(agent, store)
    end = runner.resume(agent, store.load("r1"), store=store)
    assert isinstance(end, Failure)
    assert "cancelled" == end.report.code


# Time.


@each_runner
def test_a_call_that_ends_late(runner: Colour) -> None:
    """What a call gives after its turn is over is not taken for what a later call of the same id gives."""
    may_end, ended = threading.Event(), threading.Event()

    def slow(ctx: RunContext[object]) -> object:
        if ctx.step == 1:
            may_end.wait(5)
            return "too late"
        may_end.set()
        time.sleep(0.05)  # so that the late one ends while this one is under way
        ended.set()
        return "in time"

    store = MemoryStore()
    turn = [call("a", id="same")]
    agent = agent_of(tool_of("a", slow, timeout=0.2), replies=(turn, turn, OSLO))
    success = succeeded(runner.start(agent, store))
    assert ended.is_set()
    kept = [entry.done.text for state in store.states for entry in state.batch if entry.done is not None]
    assert ["in time"] == kept
    assert ["timed out; it may still have its effect", "in time"] == [step.tool_results[0].text for step in success.steps[:2]]


def test_an_async_run_that_is_cancelled_while_it_is_saved() -> None:
    """A task that is cancelled during a save leaves at once, and the store ends with a run that was cancelled."""
    saving, may_save = threading.Event(), threading.Event()

    def wait(number: int) -> None:
        if number == 2:
            saving.set()
            may_save.wait(5)

    store, agent = MemoryStore(fault=wait), agent_of(tool_of("a", fine))

    async def main() -> None:
        task = asyncio.ensure_future(agent.astart("Go.", store=store, run_id="r1"))
        while not saving.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        asyncio.get_running_loop().call_later(0.05, may_save.set)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [1, 2, 3] == [saved.revision for saved in store.saves]
    assert "done" == store.states[-1].phase
    assert [] == RAN


def test_a_slow_store_does_not_hold_up_the_loop() -> None:
    """While a run is saved, other tasks of the loop go on."""
    ticks = 0
    store, agent = MemoryStore(fault=lambda number: time.sleep(0.05)), agent_of(tool_of("a", fine, "async def"))

    async def main() -> None:
        nonlocal ticks
        task = asyncio.ensure_future(agent.astart("Go.", store=store, run_id="r1"))
        while not task.done():
            await asyncio.sleep(0.005)
            ticks += 1
        assert isinstance(task.result(), Success)

    asyncio.run(main())
    assert ticks > 20


@each_runner
def test_a_model_that_dies(runner: Colour, tmp_path: Any) -> None:
    """With a real store: a model call that kills its process is made again, and counts."""
    store, dead = FileStore(tmp_path), [True]

    def answer(request: object) -> object:
        if dead:
            dead.clear()
            raise Killed
        return OSLO

    class Dying(FileStore):
        """A store of a process that is dying: it saves nothing any more."""

        def save(self, run_id: str, checkpoint: Checkpoint, *, expect: int) -> int:
            """As `FileStore.save`."""
            if not dead:
                raise Killed
            return super().save(run_id, checkpoint, expect=expect)

    agent: Agent[City, None] = Agent(City, model=FunctionProvider(answer))
    with pytest.raises(Killed):
        runner.start(agent, Dying(tmp_path))
    success = succeeded(runner.resume(agent, store.load("r1"), store=store))
    assert (OSLO, 2, 1) == (success.output, success.attempts[-1].step, success.usage.uncertain_requests)


@each_runner
def test_an_external_result_for_a_lost_call(runner: Colour) -> None:
    """A person who knows what a lost call did gives its result, and it is not run again."""
    store, agent = MemoryStore(), agent_of(tool_of("a", fine))
    runner.start(agent, store)
    cut, saved = store.cut(lambda state: stands(state, a="begun"))
    later = then(agent, OSLO)
    paused = runner.resume(later, saved, store=cut)
    assert isinstance(paused, Paused)
    success = succeeded(runner.resume(later, paused, {"a": ExternalResult("seen in the books")}, store=cut))
    assert "seen in the books" == success.steps[0].tool_results[0].text
    assert ["a"] == RAN


def test_a_save_that_fails_when_nobody_waits_any_more() -> None:
    """A save that fails after its task was cancelled is nobody's: the loop hears nothing of it, and the end is still saved."""
    saving, may_fail = threading.Event(), threading.Event()

    def fails_late(number: int) -> BaseException | None:
        if number != 2:
            return None
        saving.set()
        may_fail.wait(5)
        return Down("late")

    heard: list[object] = []
    store, agent = MemoryStore(fault=fails_late), agent_of(tool_of("a", fine))

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: heard.append(context))
        task = asyncio.ensure_future(agent.astart("Go.", store=store, run_id="r1"))
        while not saving.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        asyncio.get_running_loop().call_later(0.05, may_fail.set)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [] == heard
    assert "done" == store.states[-1].phase


@each_runner
@pytest.mark.parametrize("name", ["before_tool", "after_tool"])
@pytest.mark.parametrize("given", ["raises", "skips"])
def test_what_a_hook_says_of_a_kept_call(runner: Colour, name: str, given: str) -> None:
    """A hook that raises ends a kept run as any other; a call that it skips never began, so nothing is uncertain."""

    def hook(ctx: RunContext[object], call: ToolCall, *result: object) -> Skip:
        if given == "raises":
            raise LookupError("no")
        return Skip("not today")

    store, watching = MemoryStore(), Hooks.model_validate({name: hook})
    agent = agent_of(tool_of("a", fine), hooks=watching)
    end = runner.start(agent, store)
    assert (["a"] if name == "after_tool" else []) == RAN
    begun = any(entry.begun for state in store.states for entry in state.batch)
    assert begun == (name == "after_tool")
    if given == "raises":
        assert isinstance(end, Failure)
        assert f"hook:{name}" in end.report.summary
    elif name == "before_tool":
        assert "not today" == succeeded(end).steps[0].tool_results[0].text

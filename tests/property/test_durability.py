"""What holds for a run that is kept in a store, whatever happens to its process, its store, its people and its state.

One run at a time lives through random events: replies, tools, decisions, deaths of its process, failures of its store. The
promises are I1 to I9: one typed end; no value that was not validated; bounds; valid histories; a full account; what has ended
never runs again; nothing secret in what is shown; nothing left running; and the same end by every door.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test
from tests.stores import Killed, MemoryStore
from tests.support import City, faults_in

from settled import (
    Agent,
    AlreadyDecided,
    Approved,
    Budget,
    Checkpoint,
    Decision,
    Denied,
    EndRun,
    ExternalResult,
    FailRun,
    Failure,
    GaveUp,
    MisuseError,
    ModelRequest,
    ModelResponse,
    NeedsApproval,
    Paused,
    PendingCall,
    ProviderError,
    Reject,
    Rerun,
    RunContext,
    StateRejected,
    Success,
    Text,
    Tool,
    ToolCall,
    ToolFailed,
    Usage,
)
from settled.core.state import RunState
from settled.testing import FunctionProvider

CANARY = "XYZZY"
KEY = b"sixteen bytes or more"
RUN = "r1"
Ended: TypeAlias = "Success[City] | Failure[GaveUp] | Paused"
GOOD = ModelResponse.of(f'{{"value":{{"kind":"final_result","data":{{"name":"{CANARY}","people":1}}}}}}')
BAD = ModelResponse.of(f"Well, {CANARY}.")
SPENT = Usage(requests=1, input_tokens=7, output_tokens=5)


class Down(Exception):
    """The store is down."""


class World:
    """What is outside of the run: what its calls did, and what the model says."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()
        """How often each call ran, by its number."""
        self.requests: list[ModelRequest] = []
        self.answered = 0
        self.calls = 0
        self.replies: list[object] = []
        """What the model says next; then it hands over."""
        self.down_in: int | None = None
        """How many saves the store has yet until it fails once."""
        self.lock = threading.Lock()

    def fault(self, number: int) -> BaseException | None:
        """What becomes of a save."""
        if self.down_in is not None:
            self.down_in -= 1
            if self.down_in < 0:
                self.down_in = None
                return Down(f"at save {number}")
        return None


class Process:
    """One process of the run, with its doors to the world. Once it is dead, nothing of it does anything any more."""

    def __init__(self, world: World, store: MemoryStore, lives: int | None = None) -> None:
        """After so many effects it dies; None lives on."""
        self.world = world
        self.store = store
        self.lives = lives
        self.dead = False

    def passes(self) -> None:
        """An effect: the process may die of it."""
        with self.world.lock:
            if self.lives is not None and not self.dead:
                self.lives -= 1
                self.dead = self.lives < 0
        if self.dead:
            raise Killed

    def save(self, run_id: str, checkpoint: Checkpoint, *, expect: int) -> int:
        """As `Store.save`."""
        self.passes()
        revision = self.store.save(run_id, checkpoint, expect=expect)
        self.passes()
        return revision

    def load(self, run_id: str) -> Checkpoint:
        """As `Store.load`."""
        return self.store.load(run_id)

    def answer(self, request: ModelRequest) -> object:
        """What the model says."""
        self.passes()
        world = self.world
        world.requests.append(request)
        said = world.replies.pop(0) if world.replies else GOOD
        if isinstance(said, Exception):
            raise said
        world.answered += 1
        self.passes()
        return cast("ModelResponse", said).changed(usage=SPENT)


def work(ctx: RunContext[Process], number: str, kind: str) -> object:
    """A tool that does as it is told."""
    process, world = ctx.context, ctx.context.world
    process.passes()
    with world.lock:
        world.ran[number] += 1
    process.passes()
    if kind == "interrupt":
        raise KeyboardInterrupt
    if kind == "stop":
        ctx.stop(f"enough {CANARY}")
    if kind == "fails":
        raise ToolFailed(CANARY)
    if kind == "ask" and world.ran[number] == 1:
        return NeedsApproval({"why": CANARY})
    ends: Mapping[str, object] = {"end": EndRun(City(name=CANARY, people=2)), "give_up": FailRun(GaveUp(reason=CANARY))}
    return ends.get(kind, f"done {CANARY}")


async def work_async(ctx: RunContext[Process], number: str, kind: str) -> object:
    """The same, awaited."""
    return work(ctx, number, kind)


def check(ctx: RunContext[Process], city: City) -> None:
    """A check, which may die, or see a city that it does not like."""
    ctx.context.passes()
    if city.people > 9:
        raise Reject("too many")


TOOLS = (
    Tool.of(work),
    Tool.of(work_async, name="awaited"),
    Tool.of(work, name="gated", requires_approval=True),
    Tool.of(work, name="outside", external=True),
)
AGENT = Agent(City, tools=TOOLS, checks=[check], failure_type=GaveUp, mode="native", siblings="run")
OTHERS: Mapping[str, Agent[Any, Any]] = {
    "a tool less": AGENT.with_(tools=TOOLS[1:]),
    "a tool more": AGENT.with_(tools=(*TOOLS, Tool.of(work, name="another"))),
    "another gate": AGENT.with_(tools=(Tool.of(work, requires_approval=True), *TOOLS[1:])),
    "another type": Agent(int, tools=TOOLS, failure_type=GaveUp, mode="native"),
}
KINDS = ("ok", "ok", "ok", "fails", "ask", "end", "give_up", "stop", "interrupt")
turns = st.lists(st.tuples(st.sampled_from([tool.name for tool in TOOLS]), st.sampled_from(KINDS)), min_size=1, max_size=3)
replies = st.lists(turns | st.sampled_from(["text", "unfit", "output beside", "error", "output"]), max_size=4)
lives = st.none() | st.integers(0, 25)
choices = st.lists(st.integers(0, 5), min_size=3, max_size=3)


def budget_of(grants: int) -> Budget:
    """The budget of a run that was granted more so often. Its calls run one by one, so that a life can be lived again."""
    return Budget(max_steps=4 + 4 * grants, transport_retries=0, max_tool_calls=12 + 8 * grants, max_parallel_tools=1)


class LongLife(RuleBasedStateMachine):
    """One run after the other, each in one store."""

    @initialize()
    def begins(self) -> None:
        """Nothing has run yet."""
        self.fresh()

    def fresh(self) -> None:
        """A new run, in a new store."""
        self.world = World()
        self.store = MemoryStore(fault=self.world.fault)
        self.held: Ended | None = None
        self.grants = 0
        self.may_run: Counter[str] = Counter()
        self.never_again: Counter[str] = Counter()
        self.settled: dict[str, int] = {}

    # What happens.

    @rule(said=replies, lives=lives, is_async=st.booleans())
    def run(self, said: list[Any], lives: int | None, is_async: bool) -> None:
        """A run begins, and goes as far as it gets."""
        self.fresh()
        self.speaks(said)
        self.acts(lives, "start", is_async, f"Go, {CANARY}.", run_id=RUN, budget=budget_of(0))

    @rule(said=replies, chosen=choices, lives=lives, is_async=st.booleans(), by=st.sampled_from(["outcome", "store"]))
    @precondition(lambda self: self.goes_on())
    def goes(self, said: list[Any], chosen: list[int], lives: int | None, is_async: bool, by: str) -> None:
        """Somebody decides about some of what waits, or takes up what died, in this process or in another one."""
        self.speaks(said)
        decisions = self.decisions(chosen)
        held = self.held
        taken = held if held is not None and not isinstance(held, Success) and by == "outcome" else self.store.load(RUN)
        if isinstance(taken, Failure) and taken.checkpoint is None:
            taken = self.store.load(RUN)
        for wait, decision in decisions:
            number = self.number(wait.call)
            if isinstance(decision, (Rerun, Approved)):
                self.may_run[number] += 1
            else:
                self.settled[number] = self.world.ran[number]
        said_by_id = {wait.call.id: decision for wait, decision in decisions}
        before = len(self.store.saves)
        self.acts(lives, "resume", is_async, taken, said_by_id, budget=self.budget)
        if len(self.store.saves) == before:  # nothing of it was kept
            for wait, _ in decisions:
                self.settled.pop(self.number(wait.call), None)

    @rule(chosen=choices)
    @precondition(lambda self: self.was_stopped())
    def grants_more(self, chosen: list[int]) -> None:
        """A stopped run gets a larger budget."""
        self.grants += 1

    @rule(saves=st.integers(0, 6))
    def store_will_fail(self, saves: int) -> None:
        """The store will fail once."""
        self.world.down_in = saves

    @rule(is_async=st.booleans(), place=st.integers(0, 50))
    @precondition(lambda self: len(self.store.saves) > 1)
    def resumes_twice(self, is_async: bool, place: int) -> None:
        """Whoever takes up what somebody else has gone on with is told, and nothing runs."""
        older = self.store.saves[place % (len(self.store.saves) - 1)]
        self.refused("resume", is_async, older, budget=self.budget, kinds=(AlreadyDecided, MisuseError))

    @rule(place=st.integers(0, 10_000), bit=st.integers(0, 6), signed=st.booleans())
    @precondition(lambda self: bool(self.store.saves))
    def edits(self, place: int, bit: int, signed: bool) -> None:
        """An edited checkpoint is refused by its signature; one that was cut is refused without one."""
        kept = self.store.load(RUN)
        place %= len(kept.state)
        if signed:
            flipped = kept.state[:place] + chr(ord(kept.state[place]) ^ (1 << bit)) + kept.state[place + 1 :]
            edited = kept.signed(KEY).changed(state=flipped)
            with pytest.raises(StateRejected):
                edited.verified(KEY)
        else:
            cut = kept.changed(state=kept.state[:place])
            self.refused("resume", False, cut, kinds=(StateRejected,))

    @rule(which=st.sampled_from(sorted(OTHERS)), is_async=st.booleans())
    @precondition(lambda self: bool(self.store.saves))
    def another_agent(self, which: str, is_async: bool) -> None:
        """An agent with other tools or another type refuses the run, and nothing runs."""
        kept = self.store.load(RUN)
        self.refused("resume", is_async, kept, kinds=(StateRejected,), agent=OTHERS[which])

    @rule(name=st.sampled_from(["nobody", "x"]))
    @precondition(lambda self: isinstance(self.held, Paused))
    def decides_wrongly(self, name: str) -> None:
        """A decision about a call that does not wait is refused with all others, and nothing runs."""
        decisions: dict[str, Decision] = {wait.call.id: Denied() for wait in cast("Paused", self.held).pending}
        self.refused("resume", False, self.held, {**decisions, name: Rerun()}, kinds=(MisuseError,))

    # What holds, whatever happens.

    @invariant()
    def bounds_hold(self) -> None:
        """I3: requests and executions stay within the budget, deaths or not."""
        assert len(self.world.requests) <= self.budget.max_steps
        assert sum(self.world.ran.values()) <= self.budget.max_tool_calls

    @invariant()
    def histories_are_valid(self) -> None:
        """I4: each call is answered once and at once, in requests and in what is handed out."""
        for request in self.world.requests:
            assert faults_in(request.messages) == []
        if self.held is not None:
            account = self.held.report if isinstance(self.held, Failure) else self.held
            assert faults_in(account.messages) == []

    @invariant()
    def nothing_runs_again(self) -> None:
        """I6: a call runs once, and once more for each time that somebody said so; what was known to have ended, never."""
        for number, count in self.world.ran.items():
            assert count <= 1 + self.may_run[number], number
        for number, count in (*self.never_again.items(), *self.settled.items()):
            assert self.world.ran[number] == count, f"{number} had ended, or was settled otherwise"
        for state in self.store.states[-1:]:
            self.learns(state)

    @invariant()
    def the_account_is_full(self) -> None:
        """I5: what answered is counted, or said to be unknown."""
        if self.held is not None:
            usage = self.held.report.usage if isinstance(self.held, Failure) else self.held.usage
            assert (usage.input_tokens or 0) + 7 * usage.uncertain_requests >= 7 * self.world.answered
            assert usage.uncertain_requests == 0 or not usage.complete

    @invariant()
    def ends_are_typed(self) -> None:
        """I1, I2, I7: a typed end, whose value is validated, and which shows nothing."""
        held = self.held
        if isinstance(held, Success):
            assert held.output == City.model_validate(held.output.model_dump())
        if isinstance(held, Paused):
            assert held.pending
        assert CANARY not in repr(held) + str(held)

    @invariant()
    def an_end_stands(self) -> None:
        """I9: a run that has ended gives the same end again, by both doors, and does nothing."""
        held: Any = self.held
        if isinstance(self.held, Success) and self.world.down_in is None:
            for is_async in (False, True):
                before = self.mark()
                again = self.called(Process(self.world, self.store), "resume", is_async, self.store.load(RUN))
                assert (held.output, held.messages, held.usage) == (again.output, again.messages, again.usage)
                assert before == self.mark()

    # How.

    @property
    def budget(self) -> Budget:
        """What the run has been granted."""
        return budget_of(self.grants)

    def mark(self) -> tuple[int, int]:
        """What has been done outside."""
        return len(self.world.requests), sum(self.world.ran.values())

    def goes_on(self) -> bool:
        """Whether there is a run that is not at its end."""
        return bool(self.store.saves) and not isinstance(self.held, Success)

    def was_stopped(self) -> bool:
        """Whether the run was stopped, and may go on."""
        return isinstance(self.held, Failure) and str(self.held.status) == "stopped"

    def number(self, call: ToolCall) -> str:
        """The number of a call, which no other one has."""
        return call.arguments.split('"')[3]

    def speaks(self, said: list[Any]) -> None:
        """Have the model say this next."""
        self.world.replies = [self.spelled(one) for one in said]

    def spelled(self, one: Any) -> object:
        """A reply, with calls of new numbers."""
        words: Mapping[str, object] = {
            "text": BAD,
            "unfit": ModelResponse.of(GOOD.text.replace(":1}", ":77}")),
            "error": ProviderError("server", CANARY, uncertain=True),
            "output": GOOD,
        }
        if isinstance(one, str) and one != "output beside":
            return words[one]
        calls = [("work", "ok"), ("awaited", "ok")] if one == "output beside" else one
        made: list[ToolCall] = []
        for name, kind in calls:
            self.world.calls += 1
            number = f"n{self.world.calls}"
            made.append(ToolCall(id=f"c{len(made)}", name=name, arguments=f'{{"number":"{number}","kind":"{kind}"}}'))
        beside = (Text(text=GOOD.text),) if one == "output beside" else ()
        return ModelResponse(parts=(*beside, *made))

    def decisions(self, chosen: list[int]) -> list[tuple[PendingCall, Decision]]:
        """Decisions about some of what waits, each of a kind that fits."""
        if not isinstance(self.held, Paused):
            return []
        made: list[tuple[PendingCall, Decision]] = []
        fitting: Mapping[str, tuple[Decision | None, ...]] = {
            "approval": (Approved(), Approved(), Denied(CANARY)),
            "external": (ExternalResult(CANARY), Denied()),
            "question": (Approved(), ExternalResult(CANARY), Denied()),
            "uncertain": (Rerun(), Rerun(), ExternalResult(CANARY), Denied()),
        }
        for wait, choice in zip(self.held.pending, chosen, strict=False):
            decision = (*fitting[wait.kind], None)[choice % (len(fitting[wait.kind]) + 1)]
            if decision is not None:
                made.append((wait, decision))
        return made

    def learns(self, state: RunState) -> None:
        """What the store knows to have ended must not run again, unless it asked first."""
        for entry in state.batch:
            number = self.number(entry.call)
            if (entry.done is not None and entry.done.kind != "needs_approval") or entry.status == "answered":
                self.never_again.setdefault(number, self.world.ran[number])

    def called(self, process: Process, verb: str, is_async: bool, *args: Any, agent: Any = AGENT, **options: Any) -> Any:
        """`Agent.start` or `Agent.resume`, or its twin, in a process."""
        given = {"model": FunctionProvider(process.answer), "context": process, "store": process, **options}
        if is_async:
            return asyncio.run(getattr(agent, f"a{verb}")(*args, **given))
        return getattr(agent, verb)(*args, **given)

    def acts(self, lives: int | None, verb: str, is_async: bool, *args: Any, **options: Any) -> None:
        """Let a process do it; it may die of it, or its store may fail: then what it had in memory is gone."""
        had = {*threading.enumerate()}
        try:
            self.held = self.called(Process(self.world, self.store, lives), verb, is_async, *args, **options)
        except (Killed, Down, KeyboardInterrupt) as left:
            self.held, shown = None, str(left) + repr(left)
            assert shown.count(CANARY) == 0
        deadline = time.monotonic() + 5
        while self.left_behind(had):  # I8: nothing is, once what cannot be stopped has ended
            assert time.monotonic() < deadline
            time.sleep(0.001)

    def left_behind(self, had: set[threading.Thread]) -> set[threading.Thread]:
        """The threads that were not there before, but for the loop on which async tools of sync runs are awaited."""
        return {thread for thread in {*threading.enumerate()} - had if not thread.name.startswith("settled-bridge")}

    def refused(self, verb: str, is_async: bool, *args: Any, kinds: tuple[type[Exception], ...], **options: Any) -> None:
        """It is refused, nothing runs, and nothing is said of what the run holds."""
        before, kept = self.mark(), len(self.store.saves)
        self.world.down_in = None
        with pytest.raises(kinds) as told:
            self.called(Process(self.world, self.store), verb, is_async, *args, **options)
        assert CANARY not in str(told.value)
        assert (before, kept) == (self.mark(), len(self.store.saves))


def test_a_long_life() -> None:
    """Whatever a run lives through, it keeps the promises."""
    run_state_machine_as_test(LongLife, settings=settings(max_examples=25, stateful_step_count=15))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_many_long_lives() -> None:
    """The same, for many more lives."""
    run_state_machine_as_test(LongLife, settings=settings(max_examples=1500, stateful_step_count=40))

"""A program that kills runs: each process of a run is a fork of this one, and dies of SIGKILL at one of its effects.

``python killing.py FOLDER COLOUR POLICY DEATHS`` prints a JSON list with what became of each run; `test_killed.py` looks at it.
Each of the DEATHS, a JSON list of lists, is a run: at which effect its first process dies, its second one, and so on.
This process itself runs no agent, so that it has no threads and may fork.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from settled import (
    Agent,
    AlreadyDecided,
    Approved,
    Budget,
    Checkpoint,
    Decision,
    ExternalResult,
    Failure,
    FileStore,
    ModelRequest,
    ModelResponse,
    Paused,
    PendingCall,
    Rerun,
    RunContext,
    Success,
    ToolCall,
    ToolResult,
    tool,
)
from settled.testing import FunctionProvider

RUN = "order-7"
MAX_STEPS = 30
CALLS = {"book": "c1", "pay": "c2", "note": "c3", "ship": "c4"}


class Order(BaseModel):
    """What the run gives."""

    number: int
    parcels: int


class World:
    """One process: where it writes what it does, and at which of its effects it dies."""

    def __init__(self, folder: Path, dies_at: int) -> None:
        self.folder = folder
        self.dies_at = dies_at
        self.effects = 0
        self.saving = False

    def passes(self) -> None:
        """An effect, before or after; 0 is never."""
        self.effects += 1
        if self.effects == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def writes(self, line: str) -> None:
        """Write a line that survives this process."""
        handle = os.open(self.folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, f"{line}\n".encode())
        os.fsync(handle)
        os.close(handle)

    def works(self, name: str, key: str) -> str:
        """What every tool does: one effect in the world."""
        self.passes()
        self.writes(f"begin {name}")
        self.passes()
        self.writes(f"effect {name} {key}")
        self.passes()
        return f"{name} done"

    def hears(self, event: str, _: tuple[object, ...]) -> None:
        """An audit hook: the file of a run is written, and not yet in its place."""
        if self.saving and event == "os.rename":
            self.passes()


class DyingStore(FileStore):
    """A store whose process may die before a save, in the middle of one, and after it."""

    def __init__(self, world: World) -> None:
        super().__init__(world.folder / "runs")
        self._world = world

    def save(self, run_id: str, checkpoint: Checkpoint, *, expect: int) -> int:
        """As `FileStore.save`."""
        self._world.passes()
        self._world.saving = True
        revision = super().save(run_id, checkpoint, expect=expect)
        self._world.saving = False
        self._world.passes()
        return revision


def answer(request: ModelRequest) -> object:
    """What the model says, by what it has been told so far: it remembers nothing itself."""
    told = {part.name for message in request.messages for part in message.parts if isinstance(part, ToolResult)}
    if not told:
        return [ToolCall(id=CALLS[name], name=name, arguments="{}") for name in ("book", "pay", "note")]
    if "ship" not in told:
        return ToolCall(id=CALLS["ship"], name="ship", arguments='{"parcels": 2}')
    return Order(number=7, parcels=2)


class DyingProvider(FunctionProvider):
    """A model whose caller may die before it is asked, and after it has answered."""

    def __init__(self, world: World) -> None:
        super().__init__(answer)
        self._world = world

    def request(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """As `FunctionProvider.request`."""
        self._world.passes()
        self._world.writes("request")
        response = super().request(request, timeout=timeout)
        self._world.passes()
        return response

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> ModelResponse:
        """As `FunctionProvider.arequest`."""
        self._world.passes()
        self._world.writes("request")
        response = await super().arequest(request, timeout=timeout)
        self._world.passes()
        return response


def agent_of(world: World) -> Agent[Order]:
    """An agent with tools that are sync and async, one of them gated, and a check."""

    @tool
    def book(ctx: RunContext[object]) -> str:
        """Book it."""
        return world.works("book", ctx.idempotency_key)

    @tool
    async def pay(ctx: RunContext[object]) -> str:
        """Pay for it."""
        return world.works("pay", ctx.idempotency_key)

    @tool
    def note(ctx: RunContext[object]) -> str:
        """Note it."""
        return world.works("note", ctx.idempotency_key)

    @tool(requires_approval=True)
    def ship(ctx: RunContext[object], parcels: int) -> str:
        """Ship it."""
        return world.works("ship", ctx.idempotency_key)

    def check(order: Order) -> None:
        world.passes()
        world.writes("check")
        world.passes()

    budget = Budget(max_steps=MAX_STEPS, transport_retries=0)
    return Agent(Order, model=DyingProvider(world), tools=[book, pay, note, ship], checks=[check], budget=budget, mode="tool")


class Person:
    """Who decides: about what is uncertain by looking at the world, or always to run it again."""

    def __init__(self, world: World, policy: str) -> None:
        self._world = world
        self._policy = policy

    def decides(self, wait: PendingCall) -> Decision:
        """The decision about one call."""
        if wait.kind == "approval":
            return Approved()
        assert wait.kind == "uncertain", wait
        happened = any(line.startswith(f"effect {wait.call.name} ") for line in lines_in(self._world.folder))
        if self._policy == "look" and happened:
            return ExternalResult(f"{wait.call.name} done")
        self._world.writes(f"rerun {wait.call.name}")
        return Rerun()


Ended = Success[Order] | Failure[None] | Paused


def goes_on(world: World, colour: str, policy: str, leave: bool = False) -> Ended:
    """One process of the run: begin it or take it up, and decide whatever waits; or leave that to another one."""
    agent, store, person = agent_of(world), DyingStore(world), Person(world, policy)
    held = held_in(world.folder)
    outcome = _driven(colour, agent, store, *(() if held is None else (held,)))
    while isinstance(outcome, Paused) and not leave:
        decisions = {wait.call.id: person.decides(wait) for wait in outcome.pending}
        outcome = _driven(colour, agent, store, outcome, decisions)
    return outcome


def _driven(colour: str, agent: Agent[Order], store: FileStore, *taken_up: Any) -> Ended:
    if colour == "async":
        if taken_up:
            return asyncio.run(agent.aresume(*taken_up, store=store))
        return asyncio.run(agent.astart("Order 7.", store=store, run_id=RUN))
    return agent.resume(*taken_up, store=store) if taken_up else agent.start("Order 7.", store=store, run_id=RUN)


def held_in(folder: Path) -> Checkpoint | None:
    """What the store holds of the run."""
    store = FileStore(folder / "runs")
    return store.load(RUN) if [*(folder / "runs").glob("*.json")] else None


def revision_in(folder: Path) -> int:
    """How often the run was saved."""
    held = held_in(folder)
    return 0 if held is None else held.revision


def lines_in(folder: Path) -> list[str]:
    """What has happened."""
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def finished_in(folder: Path) -> dict[str, int]:
    """The calls that the store knows to be finished, and how often each of them had begun."""
    held = held_in(folder)
    if held is None:
        return {}
    state = json.loads(held.state)
    open_calls: list[Any] = state["batch"]
    done = {entry["call"]["name"] for entry in open_calls if entry["done"] is not None or entry["status"] == "answered"}
    done |= {part["name"] for message in state["messages"] for part in message["parts"] if part.get("call_id") is not None}
    begun = [line.split()[1] for line in lines_in(folder) if line.startswith("begin ")]
    return {name: begun.count(name) for name in done}


class Process(NamedTuple):
    """How a forked process ended."""

    killed: bool
    said: str


def forked(work: Callable[[], str]) -> Process:
    """Do it in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            os.write(writing, work().encode())
            status = 0
        except BaseException as raised:
            os.write(writing, f"{type(raised).__name__}: {raised}".encode())
            status = 1
        os._exit(status)  # no clean-up of what was inherited
    os.close(writing)
    with open(reading, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if not killed and status:
        raise RuntimeError(f"a process failed: {said}")
    return Process(killed, said)


def told(outcome: Ended) -> str:
    """What a process says of its end."""
    assert isinstance(outcome, Success), outcome
    usage = outcome.usage
    account = {"messages": [message.model_dump(mode="json") for message in outcome.messages]}
    return json.dumps({**account, "output": outcome.output.model_dump(), "uncertain": usage.uncertain_requests})


def run_killed(folder: Path, colour: str, policy: str, deaths: Sequence[int]) -> dict[str, Any]:
    """One run, whose processes die at these effects, one after the other; the last one lives."""
    folder.mkdir()
    kills, ran_again = 0, list[str]()
    known: dict[str, int] = {}
    stood: list[int] = []
    for dies_at in (*deaths, 0):
        process = forked(partial(_lived, folder, dies_at, colour, policy))
        begun = [line.split()[1] for line in lines_in(folder) if line.startswith("begin ")]
        ran_again += [name for name, count in known.items() if begun.count(name) != count]
        known = finished_in(folder)
        kills += process.killed
        stood.append(revision_in(folder))
        if not process.killed:
            lines = lines_in(folder)
            again = json.loads(forked(lambda: told(goes_on(World(folder, 0), colour, policy))).said)
            return {
                "deaths": deaths,
                "kills": kills,
                "stood": stood,
                "ran_again": ran_again,
                "requests": lines.count("request"),
                "reruns": [line.split()[1] for line in lines if line.startswith("rerun ")],
                "effects": [line.split()[1:] for line in lines if line.startswith("effect ")],
                "end": json.loads(process.said),
                "end_again": again,
                "did_nothing_again": lines == lines_in(folder),
                "left": [path.suffix for path in (folder / "runs").iterdir()],
            }
    raise AssertionError("the last process lives")


def _lived(folder: Path, dies_at: int, colour: str, policy: str) -> str:
    world = World(folder, dies_at)
    sys.addaudithook(world.hears)
    return told(goes_on(world, colour, policy))


def raced(folder: Path, colour: str, policy: str, rivals: int) -> list[str]:
    """What happens when several processes decide the same call at once."""
    folder.mkdir()
    forked(lambda: type(goes_on(World(folder, 0), colour, policy, leave=True)).__name__)
    held = held_in(folder)
    waiting, starting = os.pipe()
    counting, ready = os.pipe()
    children: list[int] = []
    for _ in range(rivals):
        child = os.fork()
        if not child:
            os.close(starting)
            world = World(folder, 0)
            agent, store = agent_of(world), DyingStore(world)
            os.write(ready, b".")
            os.read(waiting, 1)  # until all of them are there
            try:
                outcome = _driven(colour, agent, store, held, {CALLS["ship"]: Approved()})
                world.writes(f"end {type(outcome).__name__}")
            except AlreadyDecided:
                world.writes("end AlreadyDecided")
            os._exit(0)
        children.append(child)
    for _ in children:
        os.read(counting, 1)
    os.close(starting)
    for child in children:
        os.waitpid(child, 0)
    return lines_in(folder)


if __name__ == "__main__":
    _, where, which_colour, which_policy, what = sys.argv
    if which_policy == "race":
        print(json.dumps(raced(Path(where) / "race", which_colour, "look", int(what))))
    else:
        runs = enumerate(json.loads(what))
        print(json.dumps([run_killed(Path(where) / str(place), which_colour, which_policy, deaths) for place, deaths in runs]))

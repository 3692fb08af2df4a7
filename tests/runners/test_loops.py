"""Event loops, threads, processes and interruptions: a sync run needs no loop, an async one ends its children."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import AfterValidator, BaseModel
from tests.stores import MemoryStore
from tests.support import City, call, cancel_to_the_end

import settled
from settled import Agent, Budget, Failure, Hooks, ModelRequest, RunContext, StopReason, Success, Tool
from settled.core.events import Interrupted, RunEnded, RunStarted
from settled.core.events import Watched as Event
from settled.runners.bridge import await_elsewhere
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary.stop import Error

HOME = Path(settled.__file__).parents[1]
PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
LOOK_UP = call("look_up")


def script(text: str) -> str:
    """What a program prints, in a process of its own, with warnings as errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=30,
        env={"PYTHONPATH": str(HOME), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


async def look_up() -> str:
    """An async tool that says which thread it ran in."""
    await asyncio.sleep(0)
    return threading.current_thread().name


async def exists(city: City) -> None:
    """An async check."""
    await asyncio.sleep(0)


# Sync runs.


@pytest.mark.parametrize("way", ["run", "settle", "parse", "start"])
def test_a_plain_sync_run_needs_no_asyncio(way: str) -> None:
    """Neither import nor run loads asyncio or tenacity: nothing async is there, and nothing is retried."""
    asked = "Agent(int).parse('7')" if way == "parse" else f"Agent(int, model=ScriptedProvider('no', 7)).{way}('How many?')"
    printed = script(f"""
        import sys
        import pydantic.main, pydantic.type_adapter  # typing_extensions 4.15, a floor, loads asyncio for pydantic
        before = set(sys.modules)
        from settled import Agent
        from settled.testing import ScriptedProvider
        {asked}
        print(sorted({{"asyncio", "tenacity", "openai"}} & (set(sys.modules) - before)))
    """)
    assert printed == "[]"


def test_a_sync_run_inside_a_loop_warns_once() -> None:
    """It works, and says once a process that it blocks the loop."""
    printed = script("""
        import asyncio, warnings
        from settled import Agent
        from settled.testing import ScriptedProvider

        async def main():
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                agent = Agent(int, model=ScriptedProvider(7, 8, 9))
                print(agent.run("?"), agent.settle("?").output, agent.start("?").output)
            print([(w.category.__name__, w.filename == "<string>") for w in heard])

        asyncio.run(main())
    """)
    assert printed.splitlines() == ["7 8 9", "[('RuntimeWarning', True)]"]


def test_a_sync_run_without_a_loop_does_not_warn() -> None:
    """Also where asyncio is loaded, and after a loop has ended."""
    asyncio.run(asyncio.sleep(0))
    assert GOOD == Agent(City, model=ScriptedProvider(GOOD)).run(PROMPT)


def test_async_user_code_of_a_sync_run_has_one_private_loop() -> None:
    """Tools and checks of several sync runs, in several threads, are awaited in the one thread of that loop."""
    names: set[str] = set()

    def run() -> None:
        outcome = Agent(City, model=ScriptedProvider(LOOK_UP, GOOD), tools=[look_up], checks=[exists]).settle(PROMPT)
        names.add(outcome.steps[0].tool_results[0].text if isinstance(outcome, Success) else "failed")

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert {"settled-bridge"} == names


def test_a_tool_that_blocks_its_loop_holds_up_one_run() -> None:
    """An async tool that blocks past its time keeps the loop that it holds, as nothing can cancel it; later runs have another."""
    released = threading.Event()

    async def hold() -> str:
        released.wait(30)
        return "late"

    async def pass_by() -> str:
        return "at once"

    tools = [Tool.of(hold, timeout=0.3), Tool.of(pass_by, timeout=5)]
    started = time.monotonic()
    held = Agent(City, tools=tools, model=ScriptedProvider(call("hold"), GOOD)).settle("Go.")
    passed = Agent(City, tools=tools, model=ScriptedProvider(call("pass_by"), GOOD)).settle("Go.")
    assert time.monotonic() - started < 15
    released.set()
    assert isinstance(held, Success)
    assert isinstance(passed, Success)
    assert ["at once"] == [result.text for result in passed.steps[0].tool_results]
    assert "timed out" in held.steps[0].tool_results[0].text


def test_async_user_code_works_inside_a_running_loop() -> None:
    """A sync run in a tool of an async run, with async code of its own, does not deadlock."""
    inner = Agent(City, model=ScriptedProvider(LOOK_UP, GOOD), tools=[look_up])

    def ask() -> str:
        """A tool that runs an agent."""
        return inner.run(PROMPT).name

    outer = Agent(City, model=ScriptedProvider(call("ask"), GOOD), tools=[ask])
    outcome = asyncio.run(outer.asettle(PROMPT))
    assert isinstance(outcome, Success)
    assert "Oslo" == outcome.steps[0].tool_results[0].text


def test_an_async_tool_of_a_sync_run_may_run_an_agent() -> None:
    """A sync run inside async user code of a sync run still ends: the private loop is not blocked by waiting for itself."""
    printed = script("""
        import faulthandler, warnings
        faulthandler.dump_traceback_later(5, exit=True)
        warnings.simplefilter("ignore")
        from settled import Agent, ToolCall
        from settled.testing import ScriptedProvider

        async def look_up() -> str:
            "A tool."
            return "7"

        async def ask() -> int:
            "A tool that runs an agent."
            call = ToolCall(id="c", name="look_up", arguments="{}")
            return Agent(int, model=ScriptedProvider(call, 7), tools=[look_up]).run("How many?")

        call = ToolCall(id="c", name="ask", arguments="{}")
        print(Agent(int, model=ScriptedProvider(call, 8), tools=[ask]).run("How many?"))
    """)
    assert printed == "8"


def test_context_variables_reach_async_code_of_a_sync_run() -> None:
    """An async tool and an async check on the private loop see the caller's context variables."""
    var = contextvars.ContextVar("var", default="unset")
    seen: list[str] = []

    async def look() -> str:
        """A tool."""
        seen.append(var.get())
        return "7"

    async def check(city: City) -> None:
        seen.append(var.get())

    def run() -> None:
        var.set("theirs")
        Agent(City, model=ScriptedProvider(call("look"), GOOD), tools=[look], checks=[check]).run(PROMPT)

    contextvars.copy_context().run(run)
    assert ["theirs", "theirs"] == seen


def test_awaiting_elsewhere_hands_on_what_is_raised() -> None:
    """Whatever the awaitable raises is raised here."""

    async def breaks() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await_elsewhere(breaks())


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="there is no fork here")
def test_a_fork_makes_a_loop_of_its_own() -> None:
    """After a run with async user code, a child process runs such code too, and the parent goes on."""
    printed = script("""
        import os, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        from settled import Agent, ToolCall
        from settled.testing import ScriptedProvider

        async def look_up() -> str:
            "A tool."
            return str(os.getpid())

        def run() -> str:
            call = ToolCall(id="c", name="look_up", arguments="{}")
            return Agent(int, model=ScriptedProvider(call, 7), tools=[look_up]).settle("?").steps[0].tool_results[0].text

        assert run() == str(os.getpid())
        child = os.fork()
        if child == 0:
            os._exit(0 if run() == str(os.getpid()) else 1)
        print(os.waitpid(child, 0)[1], run() == str(os.getpid()))
    """)
    assert printed == "0 True"


# Async runs.


def test_a_second_loop_works() -> None:
    """The same agent runs in one `asyncio.run` after another."""
    agent = Agent(City, model=FunctionProvider(lambda _: GOOD), checks=[exists])
    assert [GOOD, GOOD] == [asyncio.run(agent.arun(PROMPT)) for _ in range(2)]


def test_threads_with_loops_of_their_own() -> None:
    """The same agent runs in many loops at once."""
    agent = Agent(City, model=FunctionProvider(lambda _: GOOD), checks=[exists])

    def run(prompt: str) -> City:
        return asyncio.run(agent.arun(prompt))

    with ThreadPoolExecutor(8) as pool:
        assert [GOOD] * 16 == list(pool.map(run, [PROMPT] * 16))


def test_many_runs_in_one_loop_do_not_mix() -> None:
    """A hundred tasks of one agent have a state each."""
    agent = Agent(int, model=FunctionProvider(lambda request: int(request.messages[-1].text)))

    async def main() -> list[int]:
        return await asyncio.gather(*(agent.arun(str(number)) for number in range(100)))

    assert list(range(100)) == asyncio.run(main())


def test_sync_tools_do_not_block_the_loop() -> None:
    """While a sync tool sleeps, the loop goes on."""

    def nap() -> str:
        """A tool."""
        time.sleep(0.2)
        return "done"

    async def main() -> int:
        run = asyncio.create_task(Agent(City, model=ScriptedProvider(call("nap"), GOOD), tools=[nap]).arun(PROMPT))
        ticks = 0
        while not run.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert asyncio.run(main()) >= 5


class Watched:
    """An agent with tools that never end, and what was heard of its end."""

    def __init__(self) -> None:
        self.begun, self.heard, self.events = asyncio.Event(), list[str](), list[Event]()
        self.ended: list[str] = []
        fake = ScriptedProvider([call("hang", id="a"), call("hang", id="b")])
        hooks = Hooks(on_stop=self.stopped)
        self.agent = Agent(City, model=fake, tools=[self.hang], hooks=hooks, observers=[self.events.append])

    async def hang(self) -> str:
        """A tool that never ends."""
        self.begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            self.ended.append("ended")
        return "never"

    async def stopped(self, ctx: RunContext, reason: StopReason) -> None:
        """The hook at the end."""
        await asyncio.sleep(0)
        self.heard.append(reason.label)


def test_a_cancelled_run_ends_its_children() -> None:
    """Tools are cancelled and have ended before the run does; ``on_stop`` and observers hear of it; the cancellation goes on."""

    async def main() -> Watched:
        watched = Watched()
        run = asyncio.create_task(watched.agent.asettle(PROMPT))
        await watched.begun.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert ["ended", "ended"] == watched.ended
        assert {run, asyncio.current_task()} >= asyncio.all_tasks()
        return watched

    watched = asyncio.run(main())
    assert ["cancelled"] == watched.heard
    *_, interrupted, ended = watched.events
    assert Interrupted("CancelledError") == interrupted
    assert isinstance(ended, RunEnded)
    assert isinstance(ended.outcome, Failure)
    assert "cancelled" == ended.outcome.report.code


@pytest.mark.parametrize("is_kept", [False, True], ids=["", "kept"])
def test_a_run_that_is_cancelled_again_and_again_still_ends(is_kept: bool) -> None:
    """A hook that is cancelled as well has failed; observers, and the store, hear of the end, and the cancellation goes on."""

    async def main() -> None:
        watched, store = Watched(), MemoryStore()
        begun = watched.agent.astart(PROMPT, store=store, run_id="r1") if is_kept else watched.agent.asettle(PROMPT)
        run = asyncio.create_task(begun)
        await watched.begun.wait()
        assert await cancel_to_the_end(run)
        *_, interrupted, ended = watched.events
        assert Interrupted("CancelledError") == interrupted
        assert isinstance(ended, RunEnded)
        assert isinstance(ended.outcome, Failure)
        assert "cancelled" == ended.outcome.report.code
        assert ["hook:on_stop"] == [str(reason.source) for reason in ended.outcome.report.secondary if isinstance(reason, Error)]
        while is_kept and store.states[-1].ending is None:  # the thread that saves goes on
            await asyncio.sleep(0.001)

    asyncio.run(main())


def test_a_run_that_is_cancelled_while_it_validates() -> None:
    """A reply that is complete has cost what it cost, though the run is cancelled while a thread validates it."""
    begun, events = threading.Event(), list[Event]()

    def slowly(name: str) -> str:
        begun.set()
        time.sleep(0.2)
        return name

    class Slow(BaseModel):
        name: Annotated[str, AfterValidator(slowly)]

    async def main() -> None:
        model = ScriptedProvider(Slow.model_construct(name="x" * 70_000).model_dump_json())
        agent = Agent(Slow, mode="prompted", model=model, observers=[events.append])
        run = asyncio.create_task(agent.asettle(PROMPT))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())
    ended = events[-1]
    assert isinstance(ended, RunEnded)
    assert isinstance(ended.outcome, Failure)
    assert ("cancelled", 1) == (ended.outcome.report.code, ended.outcome.report.usage.requests)


def test_a_time_out_around_a_run_cancels_it() -> None:
    """``asyncio.wait_for`` works as for any coroutine."""

    async def main() -> Watched:
        watched = Watched()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(watched.agent.arun(PROMPT), 0.1)
        return watched

    assert ["cancelled"] == asyncio.run(main()).heard


def test_a_cancelled_request_is_cancelled() -> None:
    """The provider's own task hears of it."""
    cancelled: list[str] = []

    class Slow(FunctionProvider):
        async def arequest(self, request: ModelRequest, /, *, timeout: float | None = None) -> None:  # type: ignore[override]
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append("cancelled")
                raise

    async def main() -> None:
        run = asyncio.create_task(Agent(City, model=Slow(lambda _: GOOD)).arun(PROMPT))
        await asyncio.sleep(0.05)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())
    assert ["cancelled"] == cancelled


# Interruptions of sync runs.


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_an_interruption_goes_on_to_the_caller(is_async: bool, raised: type[BaseException]) -> None:
    """Raised in a request, it reaches the caller after ``on_stop`` and the observers have heard of `cancelled`."""
    heard: list[str] = []
    events: list[Event] = []

    def stopped(ctx: RunContext, reason: StopReason) -> None:
        heard.append(reason.label)

    def leave(request: ModelRequest) -> object:
        raise raised

    agent = Agent(City, model=FunctionProvider(leave), hooks=Hooks(on_stop=stopped), observers=[events.append])
    door: Callable[[], object] = (lambda: asyncio.run(agent.arun(PROMPT))) if is_async else (lambda: agent.run(PROMPT))
    with pytest.raises(raised):
        door()
    assert ["cancelled"] == heard
    started, event, ended = events
    assert isinstance(started, RunStarted)
    assert isinstance(event, Interrupted)
    assert isinstance(ended, RunEnded)
    assert (raised.__name__, 1, 1) == (event.by, event.spent.requests, event.spent.uncertain)  # it may have been billed


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_ctrl_c_ends_a_sync_run_at_once(kind: str) -> None:
    """An interrupt from outside, while a tool hangs, ends the run within a second; an async tool is cancelled on its loop."""
    wait = "await asyncio.sleep(20)" if kind == "async def" else "time.sleep(20)"
    printed = script(f"""
        import asyncio, os, signal, sys, threading, time
        from settled import Agent, Hooks, ToolCall
        from settled.testing import ScriptedProvider

        {kind} hang() -> str:
            "A tool that hangs."
            begun.set()
            try:
                {wait}
            finally:
                print("tool ended", flush=True)
            return "never"

        begun = threading.Event()

        def interrupt():
            begun.wait()
            time.sleep(0.3)
            now.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        now = []
        threading.Thread(target=interrupt, daemon=True).start()
        call = ToolCall(id="c", name="hang", arguments="{{}}")
        hooks = Hooks(on_stop=lambda ctx, reason: print(reason.label, flush=True))
        try:
            Agent(int, model=ScriptedProvider(call), tools=[hang], hooks=hooks).run("?")
        except KeyboardInterrupt:
            print(time.monotonic() - now[0] < 2, flush=True)
        time.sleep(0.2)
        os._exit(0)
    """)
    lines = printed.splitlines()
    assert ["cancelled", "True"] == [line for line in lines if line != "tool ended"]
    assert (kind == "async def") == ("tool ended" in lines)


# The deadline.


@pytest.mark.parametrize("what", ["tool", "check"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_the_deadline_holds_for_tools_and_checks(is_async: bool, what: str) -> None:
    """``max_duration`` ends a run while its own async code hangs."""

    async def hang() -> str:
        """A tool that takes too long."""
        await asyncio.sleep(1.5)
        return "late"

    async def hangs(city: City) -> None:
        await asyncio.sleep(1.5)

    fake = ScriptedProvider(call("hang"), GOOD) if what == "tool" else ScriptedProvider(GOOD)
    tools, checks = ([hang], []) if what == "tool" else ([], [hangs])
    agent = Agent(City, model=fake, tools=tools, checks=checks, budget=Budget(max_duration=0.1))
    started = time.monotonic()
    outcome = asyncio.run(agent.asettle(PROMPT)) if is_async else agent.settle(PROMPT)
    assert time.monotonic() - started < 1.0
    assert not isinstance(outcome, Success)
    assert "time_limit" == outcome.report.code

"""Many runs at once: ``map`` and ``amap`` give one outcome for each prompt, and lose none."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import pytest
from tests.forms import City

from settled import Agent, Budget, Failure, Hooks, InternalError, MisuseError, ModelRequest, ModelResponse, Success, ToolCall
from settled.core.events import RunEnded
from settled.runners.mapping import Together
from settled.testing import FunctionProvider, ScriptedProvider
from settled.testing.fake import ABLE

ONCE = Budget(output_retries=0)


def size_of(request: ModelRequest) -> object:
    """The length of the prompt; an empty reply for a bad one."""
    text = request.messages[-1].text
    return "" if text == "bad" else len(text)


COUNTER = Agent(int, model=FunctionProvider(size_of), budget=ONCE)


def by_map(agent: Agent[Any, Any], prompts: Iterable[Any], **options: Any) -> list[Any]:
    """All outcomes, sync."""
    return list(agent.map(prompts, **options))


def by_amap(agent: Agent[Any, Any], prompts: Iterable[Any], **options: Any) -> list[Any]:
    """All outcomes, from an event loop."""

    async def main() -> list[Any]:
        return [outcome async for outcome in agent.amap(prompts, **options)]

    return asyncio.run(main())


both = pytest.mark.parametrize("run_all", [by_map, by_amap], ids=["sync", "async"])
RunAll = Callable[..., list[Any]]


def shown(outcome: Success[Any] | Failure[Any]) -> object:
    """The output, or the code."""
    return outcome.output if isinstance(outcome, Success) else outcome.report.code


@both
@pytest.mark.parametrize("concurrency", [1, 2, 8, 100])
def test_one_outcome_for_each_prompt_in_order(run_all: RunAll, concurrency: int) -> None:
    """Outcomes come in the order of the prompts, whatever the concurrency; a failure is one of them, and is not raised."""
    outcomes = run_all(COUNTER, ["a", "bad", "ccc"], concurrency=concurrency)
    assert [1, "no_output", 3] == [shown(outcome) for outcome in outcomes]


@both
def test_no_prompts(run_all: RunAll) -> None:
    """No prompts give no outcomes."""
    assert run_all(COUNTER, []) == []


class Gated:
    """A provider whose answers wait until they are let go, and that notes how many are under way."""

    name = model = "gated"

    def __init__(self, waits: Callable[[str], float]) -> None:
        self._waits, self._lock = waits, threading.Lock()
        self.under_way = self.most = 0
        self.colours: set[str] = set()
        self.left: list[str] = []

    def capabilities(self) -> Any:
        """Everything."""
        return ABLE

    def _enter(self, colour: str) -> None:
        with self._lock:
            self.colours.add(colour)
            self.under_way += 1
            self.most = max(self.most, self.under_way)

    def _leave(self) -> None:
        with self._lock:
            self.under_way -= 1

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """The length of the prompt, later."""
        self._enter("sync")
        try:
            time.sleep(self._waits(request.messages[-1].text))
        finally:
            self._leave()
        return ModelResponse.of(f'{{"value": {len(request.messages[-1].text)}}}')

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """The length of the prompt, later."""
        self._enter("async")
        try:
            await asyncio.sleep(self._waits(request.messages[-1].text))
        except asyncio.CancelledError:
            self.left.append(request.messages[-1].text)
            raise
        finally:
            self._leave()
        return ModelResponse.of(f'{{"value": {len(request.messages[-1].text)}}}')


def slow_first(text: str) -> float:
    """The shortest prompt takes longest."""
    return 0.3 if len(text) == 1 else 0.02


@both
def test_no_more_runs_than_allowed(run_all: RunAll) -> None:
    """At most ``concurrency`` runs are under way, and as many if there are prompts enough."""
    model = Gated(lambda text: 0.02)
    outcomes = run_all(Agent(int, model=model, mode="native"), ["x" * n for n in range(1, 13)], concurrency=3)
    assert [one.output for one in outcomes] == list(range(1, 13))
    assert model.most == 3


@pytest.mark.parametrize("run_all, colour", [(by_map, "sync"), (by_amap, "async")], ids=["sync", "async"])
def test_the_colour_is_that_of_the_call(run_all: RunAll, colour: str) -> None:
    """``map`` asks the sync half of a provider, as ``run`` does, and ``amap`` the async one."""
    model = Gated(lambda text: 0)
    run_all(Agent(int, model=model, mode="native"), ["a", "b"])
    assert model.colours == {colour}


@both
def test_in_order_although_the_first_is_late(run_all: RunAll) -> None:
    """An outcome waits for those of the prompts before it."""
    outcomes = run_all(Agent(int, model=Gated(slow_first), mode="native"), ["x", "xx", "xxx"], concurrency=3)
    assert [one.output for one in outcomes] == [1, 2, 3]


@both
def test_as_completed(run_all: RunAll) -> None:
    """Unordered, each outcome comes as it is there."""
    outcomes = run_all(Agent(int, model=Gated(slow_first), mode="native"), ["x", "xx", "xxx"], concurrency=2, ordered=False)
    assert [one.output for one in outcomes] == [2, 3, 1]


def test_numbered() -> None:
    """``numbered`` says which prompt an outcome is of."""
    agent = Agent(int, model=Gated(slow_first), mode="native")
    prompts = ["x", "xx", "xxx"]
    found = {place: outcome.unwrap() for place, outcome in agent.map(prompts, ordered=False).numbered()}

    async def main() -> dict[int, int]:
        return {place: outcome.unwrap() async for place, outcome in agent.amap(prompts, ordered=False).numbered()}

    assert found == asyncio.run(main()) == {0: 1, 1: 2, 2: 3}


def test_prompts_without_an_end() -> None:
    """Prompts are taken one by one when there is room, so they may have no end, and not many outcomes wait."""
    taken: list[int] = []

    def prompts() -> Iterator[str]:
        while True:
            taken.append(len(taken))
            yield "x"

    with COUNTER.map(prompts(), concurrency=2) as outcomes:
        assert [next(outcomes).unwrap() for _ in range(200)] == [1] * 200
    assert 200 <= len(taken) <= 200 + 2 * 16


@both
def test_options_are_those_of_each_run(run_all: RunAll) -> None:
    """Each run has the options, a budget of its own among them; a run id is refused, as two runs cannot have one."""
    fake = FunctionProvider(lambda request: "none")
    outcomes = run_all(COUNTER, ["a", "b"], model=fake, budget=Budget(output_retries=1, max_steps=5))
    assert [("no_output", 2)] * 2 == [(one.report.code, len(one.report.attempts)) for one in outcomes]
    with pytest.raises(TypeError, match="run_id"):
        run_all(COUNTER, ["a"], run_id="r1")
    with pytest.raises(TypeError, match="did you mean 'budget'"):
        run_all(COUNTER, ["a"], buget=1)
    with pytest.raises(MisuseError, match="budget=int"):
        run_all(COUNTER, ["a"], budget=1)


@both
@pytest.mark.parametrize("given", [0, -1, True, 2.0, None, "8"], ids=repr)
def test_a_concurrency_that_is_none(run_all: RunAll, given: object) -> None:
    """A concurrency is a number from 1 on."""
    with pytest.raises(MisuseError, match="concurrency="):
        run_all(COUNTER, ["a"], concurrency=given)


@both
@pytest.mark.parametrize("given", ["one prompt", b"bytes", 7, None], ids=repr)
def test_prompts_that_are_none(run_all: RunAll, given: object) -> None:
    """One string is no list of prompts: its letters are not asked about."""
    with pytest.raises(MisuseError, match=r"prompts=\w+: give a list"):
        run_all(COUNTER, cast("Any", given))


def collected(outcomes: Iterator[Any], into: list[Any]) -> None:
    """As far as they come."""
    for outcome in outcomes:
        into.append(outcome.unwrap())


@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "as-completed"])
def test_a_wrong_prompt_is_raised_behind_the_others(ordered: bool) -> None:
    """What is no prompt is the caller's mistake: it is raised, when all outcomes that there are were given."""
    given: list[Any] = []
    outcomes = COUNTER.map(cast("Any", ["a", "bb", 7, "cccc"]), concurrency=8, ordered=ordered)
    with pytest.raises(MisuseError, match="prompt=int"):
        collected(outcomes, given)
    assert sorted(given) == [1, 2]


def test_prompts_that_raise() -> None:
    """What the prompts raise comes behind the outcomes as well, also from an event loop."""

    def prompts() -> Iterator[str]:
        yield "a"
        yield "bb"
        raise KeyError("mine")

    given: list[Any] = []
    with pytest.raises(KeyError, match="mine"):
        collected(COUNTER.map(prompts()), given)

    async def main() -> None:
        async for outcome in COUNTER.amap(prompts()):
            given.append(outcome.unwrap())

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(main())
    assert given == [1, 2, 1, 2]


@both
def test_no_model(run_all: RunAll) -> None:
    """Without a model it is a MisuseError, as of `run`."""
    with pytest.raises(MisuseError, match="no model"):
        run_all(Agent(int), ["a"])


@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "as-completed"])
def test_a_fault_of_ours_loses_nothing(ordered: bool) -> None:
    """A run that raises, instead of ending, takes no other one with it: their outcomes come first."""

    def answer(request: ModelRequest) -> object:
        text = request.messages[-1].text
        if text == "bb":
            raise InternalError("a bug")
        time.sleep(0.05)
        return len(text)

    given: list[Any] = []
    outcomes = Agent(int, model=FunctionProvider(answer)).map(["a", "bb", "ccc", "dddd"], concurrency=3, ordered=ordered)
    with pytest.raises(InternalError, match="a bug"):
        collected(outcomes, given)
    assert [1, 3] == sorted(given)[:2]
    assert list(outcomes) == []


def test_leaving_early() -> None:
    """Leaving the block ends the runs under way as cancelled, and their outcomes are in ``unclaimed``, by place."""
    model = Gated(lambda text: 5.0 if len(text) > 1 else 0.0)
    agent, heard = Agent(int, model=model, mode="native"), list[Any]()
    with agent.with_(observers=[heard.append]).map(["x", "xx", "xxx", "xxxx"], concurrency=3) as outcomes:
        assert next(outcomes).unwrap() == 1
    assert {1: "cancelled", 2: "cancelled"} == {
        place: cast("Any", outcome).report.code for place, outcome in outcomes.unclaimed.items()
    }
    assert [type(one.outcome).__name__ for one in heard if isinstance(one, RunEnded)] == ["Success", "Failure", "Failure"]
    assert list(outcomes) == []


def test_leaving_early_from_a_loop() -> None:
    """So does leaving ``async with``; the requests are cancelled."""
    model = Gated(lambda text: 5.0 if len(text) > 1 else 0.0)

    async def main() -> dict[int, Any]:
        async with Agent(int, model=model, mode="native").amap(["x", "xx", "xxx", "xxxx"], concurrency=3) as outcomes:
            assert (await outcomes.__anext__()).unwrap() == 1
        return outcomes.unclaimed

    unclaimed = asyncio.run(main())
    assert {1: "cancelled", 2: "cancelled"} == {place: outcome.report.code for place, outcome in unclaimed.items()}
    assert sorted(model.left) == ["xx", "xxx"]


def test_what_was_ready_when_the_consumer_left() -> None:
    """An outcome that was there, and that nobody was given, is kept."""
    with Agent(int, model=Gated(slow_first), mode="native").map(["x", "xx", "xxx"], concurrency=3, ordered=False) as outcomes:
        next(outcomes)
        time.sleep(0.5)
    assert sorted(outcome.unwrap() for outcome in outcomes.unclaimed.values()) in ([1, 2], [1, 3])


def test_letting_go_ends_the_runs() -> None:
    """Dropping the iterator ends the runs under way."""
    heard: list[Any] = []
    agent = Agent(int, model=Gated(lambda text: 5.0 if len(text) > 1 else 0.0), mode="native", observers=[heard.append])
    outcomes = agent.map(["x", "xx"])
    assert next(outcomes).unwrap() == 1
    unclaimed = outcomes.unclaimed
    del outcomes
    gc.collect()
    assert cast("Any", unclaimed[1]).report.code == "cancelled"


def test_cancelling_the_task() -> None:
    """A task that is cancelled while it waits ends all runs, keeps their outcomes, and is cancelled."""
    model, held = Gated(lambda text: 5.0), list[Any]()

    async def consume() -> None:
        async with Agent(int, model=model, mode="native").amap(["x", "xx"]) as outcomes:
            held.append(outcomes.unclaimed)
            async for _ in outcomes:
                raise AssertionError("nothing can have ended")

    async def main() -> None:
        task = asyncio.ensure_future(consume())
        while model.under_way < 2:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert ["cancelled", "cancelled"] == [outcome.report.code for outcome in held[0].values()]
    assert sorted(model.left) == ["x", "xx"]


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, SystemExit], ids=lambda kind: kind.__name__)
@both
def test_what_leaves_a_run_leaves_all(run_all: RunAll, leaving: type[BaseException]) -> None:
    """What ends the program from within a tool is raised in who asks for outcomes, and the other runs end."""
    stopped: list[str] = []

    def leave() -> str:
        """Leave."""
        raise leaving("now")

    def answer(request: ModelRequest) -> object:
        if request.messages[-1].text == "leave":
            return ToolCall(id="c1", name="leave", arguments="{}")
        time.sleep(0.2)
        return "again"

    hooks = Hooks(on_stop=lambda ctx, reason: stopped.append(reason.kind))
    agent = Agent(int, model=FunctionProvider(answer), tools=[leave], hooks=hooks, mode="tool")
    with pytest.raises(leaving, match="now"):
        run_all(agent, ["leave", "stay"])
    assert "cancelled" in stopped


def test_an_interrupt_while_waiting() -> None:
    """Ctrl-C while a sync map waits ends the runs, and keeps their outcomes."""
    model = Gated(lambda text: 5.0 if len(text) > 1 else 0.0)
    outcomes = Agent(int, model=model, mode="native").map(["x", "xx"])
    assert next(outcomes).unwrap() == 1
    started = time.monotonic()
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()  # as Ctrl-C
    with pytest.raises(KeyboardInterrupt):
        next(outcomes)
    assert time.monotonic() - started < 4
    assert cast("Any", outcomes.unclaimed[1]).report.code == "cancelled"


def test_a_run_that_is_cancelled_by_its_own_code() -> None:
    """A check that raises CancelledError cancels its own run, which is a failure like any other."""

    async def check(value: int) -> None:
        if value == 2:
            raise asyncio.CancelledError

    outcomes = by_amap(Agent(int, model=FunctionProvider(size_of), checks=[check]), ["a", "bb", "ccc"])
    assert [True, False, True] == [isinstance(outcome, Success) for outcome in outcomes]
    assert outcomes[1].report.code == "cancelled"


def test_overrides_reach_each_run() -> None:
    """An override that holds where outcomes are asked for holds for the runs that begin there."""
    agent = Agent(int)
    with agent.override(model=ScriptedProvider(1, 2)):
        assert sorted(outcome.unwrap() for outcome in agent.map(["a", "b"])) == [1, 2]


@pytest.mark.filterwarnings("ignore:a sync run inside:RuntimeWarning")
def test_inside_a_running_loop() -> None:
    """A sync map inside an event loop works, though it blocks that loop."""

    async def main() -> list[int]:
        return [outcome.unwrap() for outcome in COUNTER.map(["a", "bb"])]

    assert asyncio.run(main()) == [1, 2]


@pytest.mark.filterwarnings("ignore:a sync run inside:RuntimeWarning")
def test_inside_an_async_tool_of_a_sync_run() -> None:
    """A sync map inside an async tool of a sync run does not wait for the loop that it blocks."""

    async def count() -> list[int]:
        """Count."""
        return [outcome.unwrap() for outcome in COUNTER.map(["a", "bb"])]

    fake = ScriptedProvider(ToolCall(id="c1", name="count", arguments="{}"), "done")
    outcome = Agent(str, model=fake, tools=[count]).settle("Count!")
    assert isinstance(outcome, Success)
    assert outcome.steps[0].tool_results[0].text == "[1,2]"


def test_sync_tools_and_checks_run() -> None:
    """Tools and checks of any colour run in each of the runs."""

    def look_up(city: str) -> str:
        """Look it up."""
        return city

    def check(city: City) -> None:
        assert city.people > 0

    def answer(request: ModelRequest) -> object:
        last = request.messages[-1]
        if last.role == "user":
            return ToolCall(id="c1", name="look_up", arguments=f'{{"city": "{last.text}"}}')
        return City(name=last.text, people=1)

    agent = Agent(City, model=FunctionProvider(answer), tools=[look_up], checks=[check], mode="tool")
    names = [f"city {n}" for n in range(20)]
    assert names == [outcome.unwrap().name for outcome in agent.map(names)]


def test_many() -> None:
    """Many prompts give as many outcomes, in order."""
    sizes = [1 + n % 7 for n in range(300)]
    assert sizes == [outcome.unwrap() for outcome in COUNTER.map("x" * size for size in sizes)]


def test_together_refuses_nothing_twice() -> None:
    """With nothing under way, leaving does nothing."""
    together = Together[int, None](lambda prompt: cast("Any", None), [], concurrency=1, ordered=True, is_async=False)
    together.off_loop()
    assert together.is_over


def test_failures_keep_their_type() -> None:
    """A failure is a `Failure`, with its report."""
    (outcome,) = COUNTER.map(["bad"])
    assert isinstance(outcome, Failure)
    assert outcome.report.code == "no_output"


def test_at_the_end_of_the_program() -> None:
    """A map that was left in the middle does not hold up the end of the program."""
    program = (
        "import time\nfrom settled import Agent\nfrom settled.testing import FunctionProvider\n"
        "def answer(request):\n    time.sleep(0 if request.messages[-1].text == 'a' else 30)\n    return 7\n"
        "outcomes = Agent(int, model=FunctionProvider(answer)).map(['a', 'bb', 'ccc'])\n"
        "print(next(outcomes).unwrap())\n"
    )
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("7\n", "")
    assert time.monotonic() - started < 20

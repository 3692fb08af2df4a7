"""A run step by step: what is given when, and what becomes of a run that is left."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest
from tests.support import City, call

from settled import Agent, Approved, Failure, Hooks, MisuseError, PendingCall, RunContext, StepRecord, StopReason, Success, Tool
from settled.agent.stepping import AsyncSteps, Steps
from settled.core.events import RunEnded, RunStarted, Watched
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Cancelled

GOOD = City(name="Oslo", people=700_000)
RAN: list[str] = []


def look_up() -> str:
    """Look it up."""
    RAN.append("look_up")
    return "700000 people"


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    """No tool has run yet."""
    RAN.clear()


class Ends:
    """Who hears of the end."""

    def __init__(self) -> None:
        self.told: list[Watched] = []
        self.heard: list[StopReason] = []
        hooks = Hooks(on_stop=self.stopped)
        self.agent = Agent(City, tools=[look_up], hooks=hooks, observers=[self.told.append])

    def stopped(self, ctx: RunContext, reason: StopReason) -> None:
        """The hook."""
        self.heard.append(reason)


def model() -> ScriptedProvider:
    """Three steps."""
    return ScriptedProvider(call("look_up"), "hm", GOOD)


# Either colour, driven alike: `next`, `outcome` and `close`.


class Hand:
    """One of the two, driven from a sync test."""

    def __init__(self, steps: Steps[Any, Any] | AsyncSteps[Any, Any], loop: asyncio.AbstractEventLoop) -> None:
        self._steps, self._loop = steps, loop

    def next(self) -> StepRecord | None:
        """The next step, or None behind the last."""
        if isinstance(self._steps, Steps):
            return next(self._steps, None)
        steps = self._steps

        async def one() -> StepRecord | None:
            async for step in steps:
                return step
            return None

        return self._loop.run_until_complete(one())

    def outcome(self) -> Success[Any] | Failure[Any]:
        """The outcome."""
        if isinstance(self._steps, Steps):
            return self._steps.outcome()
        return self._loop.run_until_complete(self._steps.outcome())

    def close(self) -> None:
        """Left."""
        if isinstance(self._steps, Steps):
            self._steps.close()
        else:
            self._loop.run_until_complete(self._steps.aclose())


@pytest.fixture(params=["sync", "async"])
def by_hand(request: pytest.FixtureRequest) -> Any:
    """Makes a run of either colour that is driven by hand."""
    loop = asyncio.new_event_loop()
    is_async = request.param == "async"

    def make(agent: Agent[Any, Any], **options: Any) -> Hand:
        return Hand(agent.asteps("Go.", **options) if is_async else agent.steps("Go.", **options), loop)

    yield make
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


ByHand = Callable[..., Hand]


def test_each_step_as_it_completes(by_hand: ByHand) -> None:
    """Nothing runs before the first step is asked for, nor further than that step: its tools have run, the model is not asked
    again.
    """
    fake, ends = model(), Ends()
    steps = by_hand(ends.agent, model=fake, run_id="r1")
    assert ([], []) == (fake.requests, ends.told)
    first = steps.next()
    assert first is not None
    assert (1, 1, ["700000 people"]) == (first.number, len(fake.requests), [one.text for one in first.tool_results])
    second, third = steps.next(), steps.next()
    assert [("reask", 3)] == [(step.purpose, step.number) for step in (third,) if step is not None]
    assert second is not None
    assert steps.next() is None
    outcome = steps.outcome()
    assert isinstance(outcome, Success)
    assert ((first, second, third), GOOD, "r1") == (outcome.steps, outcome.output, outcome.run_id)
    assert outcome is steps.outcome()
    assert ["output"] == [reason.kind for reason in ends.heard]


def test_the_outcome_drains(by_hand: ByHand) -> None:
    """Asked for the outcome, the run is carried out to its end."""
    steps = by_hand(Ends().agent, model=model())
    steps.next()
    assert GOOD == steps.outcome().unwrap()


def test_a_failure_is_an_outcome(by_hand: ByHand) -> None:
    """A run without output ends the iteration, and its outcome is a failure, as that of `settle`."""
    steps = by_hand(Agent(City, model=ScriptedProvider("hm", "hm", "hm")))
    assert [1, 2, 3] == [step.number for step in (steps.next(), steps.next(), steps.next()) if step is not None]
    outcome = steps.outcome()
    assert isinstance(outcome, Failure)
    assert "no_output" == outcome.report.code


def agree(wait: PendingCall) -> Approved:
    """Yes to all."""
    return Approved()


def test_a_run_that_nobody_decides_about(by_hand: ByHand) -> None:
    """As under `settle`, an approver decides; without one the run stops, and can be resumed."""
    agent = Agent(City, tools=[Tool.of(look_up, requires_approval=True)], mode="native")
    asked = by_hand(agent, model=ScriptedProvider([call("look_up")], GOOD), approver=agree)
    assert GOOD == asked.outcome().unwrap()
    outcome = by_hand(agent, model=ScriptedProvider([call("look_up")])).outcome()
    assert isinstance(outcome, Failure)
    assert "approval_required" == outcome.report.code
    assert GOOD == agent.resume(outcome, {"c1": Approved()}, model=ScriptedProvider(GOOD)).unwrap()  # type: ignore[union-attr]


def test_leaving_early_cancels(by_hand: ByHand) -> None:
    """A run that is left ends as cancelled: the hook and observers hear of it, and it is the outcome; nothing more is asked."""
    fake, ends = model(), Ends()
    steps = by_hand(ends.agent, model=fake)
    steps.next()
    steps.close()
    steps.close()
    assert ([Cancelled(by="leaving its steps")], 1) == (ends.heard, len(fake.requests))
    outcome = steps.outcome()
    assert isinstance(outcome, Failure)
    assert ("cancelled", 1) == (outcome.report.code, len(outcome.report.steps))
    assert isinstance(ends.told[-1], RunEnded)
    assert outcome is ends.told[-1].outcome
    assert steps.next() is None


def test_leaving_behind_the_last_step(by_hand: ByHand) -> None:
    """A run whose last step has settled it has that end, also if it is left there."""
    ends = Ends()
    steps = by_hand(ends.agent, model=model())
    for _ in range(3):
        steps.next()
    assert [] == ends.heard
    steps.close()
    assert GOOD == steps.outcome().unwrap()
    assert ["output"] == [reason.kind for reason in ends.heard]


def test_leaving_before_the_first_step(by_hand: ByHand) -> None:
    """A run that never began has no outcome, and nobody was told of it."""
    ends = Ends()
    steps = by_hand(ends.agent, model=model())
    steps.close()
    assert [] == ends.told
    with pytest.raises(MisuseError, match="closed before it began"):
        steps.outcome()


class Left(BaseException):
    """The caller leaves."""


def test_an_exception_leaves_no_outcome(by_hand: ByHand) -> None:
    """What is raised in the run goes on to the caller, and there is no outcome behind it."""

    def leave(request: object) -> object:
        raise Left

    ends = Ends()
    steps = by_hand(ends.agent, model=ScriptedProvider(leave))
    with pytest.raises(Left):
        steps.next()
    assert [Cancelled(by="Left")] == ends.heard
    with pytest.raises(MisuseError, match="an exception left it"):
        steps.outcome()


def test_the_end_of_a_block_leaves() -> None:
    """A ``with`` block that is left, also by an exception, ends the run."""
    ends = Ends()
    with pytest.raises(KeyError), ends.agent.steps("Go.", model=model()) as steps:
        raise KeyError(next(steps))
    assert [Cancelled(by="leaving its steps")] == ends.heard


def test_the_end_of_an_async_block_leaves() -> None:
    """An ``async with`` block does, before it is over."""
    ends = Ends()

    async def main() -> None:
        async with ends.agent.asteps("Go.", model=model()) as steps:
            async for _ in steps:
                break
        assert [Cancelled(by="leaving its steps")] == ends.heard

    asyncio.run(main())


def test_letting_go_leaves() -> None:
    """A loop that is broken off ends the run as well: nobody holds it any more."""
    ends = Ends()
    for _ in ends.agent.steps("Go.", model=model()):
        break
    gc.collect()
    assert [Cancelled(by="leaving its steps")] == ends.heard


def test_letting_go_of_an_async_run() -> None:
    """So does an ``async for`` loop, when the event loop comes to it."""
    ends = Ends()

    async def main() -> None:
        async for _ in ends.agent.asteps("Go.", model=model()):
            break
        await asyncio.sleep(0.05)

    asyncio.run(main())
    assert [Cancelled(by="leaving its steps")] == ends.heard
    assert isinstance(ends.told[0], RunStarted)


def test_a_cancelled_task_is_cancelled() -> None:
    """A task that is cancelled while a step is under way ends the run as every cancelled run."""
    ends = Ends()

    async def hang() -> str:
        """Hang."""
        await asyncio.sleep(60)
        return "never"

    async def main() -> None:
        agent = ends.agent.with_(tools=[hang])
        steps = agent.asteps("Go.", model=ScriptedProvider(call("hang")))
        task = asyncio.ensure_future(steps.outcome())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [Cancelled(by="CancelledError")] == ends.heard


def test_wrong_options_are_refused_at_once() -> None:
    """Not with the first step."""
    with pytest.raises(TypeError, match="buget"):
        Agent(City).steps("Go.", buget=1)  # type: ignore[call-arg]
    with pytest.raises(MisuseError, match="budget=int"):
        Agent(City, model=model()).asteps("Go.", budget=1)  # type: ignore[arg-type]

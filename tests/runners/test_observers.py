"""What observers are told of a run as a whole: when it begins, pauses, goes on and ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import TypeAlias, cast

import pytest
from tests.support import City, call

from settled import (
    Agent,
    Approved,
    Budget,
    Failure,
    MisuseError,
    Paused,
    PendingCall,
    Provider,
    ProviderError,
    Success,
    Tool,
)
from settled.events import (
    ChecksDone,
    Consulted,
    Decided,
    Interrupted,
    ModelFailed,
    ModelReplied,
    RunEnded,
    RunPaused,
    RunStarted,
    ToolsDone,
    Watched,
)
from settled.testing import Reply, ScriptedProvider

Outcome: TypeAlias = "Success[City] | Failure[object] | Paused"
Door: TypeAlias = "Callable[[Agent[City, object]], Outcome]"
PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
LOOK_UP = call("look_up", '{"city":"Oslo"}')


def sync(agent: Agent[City, object]) -> Outcome:
    """By the sync runner."""
    return agent.start(PROMPT, run_id="r1")


def awaited(agent: Agent[City, object]) -> Outcome:
    """By the async runner."""
    return asyncio.run(agent.astart(PROMPT, run_id="r1"))


each_runner = pytest.mark.parametrize("door", [sync, awaited], ids=["sync", "async"])


def look_up(city: str) -> str:
    """A tool."""
    return city


def accept(city: City) -> None:
    """A check."""


@pytest.mark.parametrize(
    "replies, kinds",
    [
        pytest.param([GOOD], [ModelReplied, ChecksDone], id="an output"),
        pytest.param([LOOK_UP, GOOD], [ModelReplied, ToolsDone, ModelReplied, ChecksDone], id="tools"),
        pytest.param(["no"] * 3, [ModelReplied] * 3, id="no output"),
        pytest.param([ProviderError("auth", "who are you")], [ModelFailed], id="no reply"),
    ],
)
@each_runner
def test_a_run_from_its_beginning_to_its_end(door: Door, replies: list[Reply], kinds: list[type[Watched]]) -> None:
    """Told first and last, around the events of the core, with what the caller gets."""
    heard: list[Watched] = []
    fake = ScriptedProvider(*replies, model="tiny")
    outcome = door(Agent(City, name="clerk", model=fake, tools=[look_up], checks=[accept], observers=[heard.append]))
    assert [RunStarted, *kinds, RunEnded] == [type(event) for event in heard]
    assert RunStarted("r1", "clerk", "tiny", "native") == heard[0]
    ended = heard[-1]
    assert isinstance(ended, RunEnded)
    assert (outcome, "r1") == (ended.outcome, ended.run_id)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_run_that_pauses(is_async: bool) -> None:
    """It is told to be handed back, not to have ended; what goes on later says so."""
    heard: list[Watched] = []
    tool = Tool.of(look_up, requires_approval=True)
    agent = Agent(City, model=ScriptedProvider(LOOK_UP, GOOD), tools=[tool], observers=[heard.append])
    paused = asyncio.run(agent.astart(PROMPT)) if is_async else agent.start(PROMPT)
    assert isinstance(paused, Paused)
    handed = heard[-1]
    assert isinstance(handed, RunPaused)
    assert paused is handed.paused
    assert [False] == [event.resumes for event in heard if isinstance(event, RunStarted)]
    heard.clear()
    decisions = {"c1": Approved()}
    outcome = asyncio.run(agent.aresume(paused, decisions)) if is_async else agent.resume(paused, decisions)
    assert RunStarted(paused.run_id, None, "scripted", "native", resumes=True) == heard[0]
    last = heard[-1]
    assert isinstance(last, RunEnded)
    assert outcome is last.outcome


@each_runner
def test_an_approver_is_told_as_a_decision(door: Door) -> None:
    """A person who is there decides within the run."""
    heard: list[Watched] = []
    tool = Tool.of(look_up, requires_approval=True)

    def approve(pending: PendingCall) -> Approved:
        return Approved()

    model = ScriptedProvider(LOOK_UP, GOOD)
    agent = Agent(City, model=model, tools=[tool], approver=approve, observers=[heard.append])
    assert isinstance(door(agent), Success)
    assert [RunStarted, ModelReplied, Decided, ToolsDone, ModelReplied, RunEnded] == [type(event) for event in heard]


def test_nobody_to_decide_is_told_as_an_interruption() -> None:
    """`settle` without an approver ends the run."""
    heard: list[Watched] = []
    tool = Tool.of(look_up, requires_approval=True)
    agent = Agent(City, model=ScriptedProvider(LOOK_UP), tools=[tool], observers=[heard.append])
    assert isinstance(agent.settle(PROMPT), Failure)
    assert [RunStarted, ModelReplied, Interrupted, RunEnded] == [type(event) for event in heard]


@each_runner
def test_consulting_is_told(door: Door) -> None:
    """What the caller's own conditions and hooks said is an event as well."""
    heard: list[Watched] = []
    door(Agent(City, model=ScriptedProvider("no"), stop_when=[lambda state: "enough"], observers=[heard.append]))
    (asked,) = (event for event in heard if isinstance(event, Consulted))
    assert ("step", ["enough"]) == (asked.moment, [one.label for one in asked.fired])


@each_runner
def test_a_run_without_a_request(door: Door) -> None:
    """A budget that is spent at once begins and ends it."""
    heard: list[Watched] = []
    agent = Agent(City, model=ScriptedProvider(), budget=Budget(max_total_tokens=0), observers=[heard.append])
    assert isinstance(door(agent), Failure)
    assert [RunStarted, RunEnded] == [type(event) for event in heard]


class Numbered(ScriptedProvider):
    """A provider whose model is no text."""

    model = 7  # type: ignore[assignment]


@each_runner
def test_a_model_without_a_name(door: Door) -> None:
    """What a provider calls its model may be anything."""
    heard: list[Watched] = []
    assert isinstance(door(Agent(City, model=cast("Provider", Numbered(GOOD)), observers=[heard.append])), Success)
    assert isinstance(heard[0], RunStarted)
    assert heard[0].model is None


@each_runner
def test_a_mistake_of_the_caller_is_no_end(door: Door) -> None:
    """`MisuseError` leaves the run as it stands: nothing ended, so no end is told."""
    heard: list[Watched] = []
    with pytest.raises(MisuseError):
        door(Agent(City, model=ScriptedProvider(), observers=[heard.append]))
    assert [RunStarted] == [type(event) for event in heard]


def test_parsing_is_no_run() -> None:
    """Observers are not told of a reply that is only read."""
    heard: list[Watched] = []
    assert isinstance(Agent(City, observers=[heard.append]).parse('{"name":"Oslo","people":1}'), Success)
    assert [] == heard


@pytest.mark.parametrize("module", ["settled.conditions", "settled.events"])
def test_modules_of_observers_and_conditions_load_on_request(module: str) -> None:
    """A program that only imports the package does not pay for them."""
    program = f"import sys, settled; print({module!r} in sys.modules); import {module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "False" == done.stdout.strip()

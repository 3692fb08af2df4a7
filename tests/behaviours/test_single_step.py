"""One step and no more: row S21, and what is left of wart W5."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import City, call, handed_over
from tests.support import faults_in

from settled import Agent, EndRun, RunStatus
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import SingleStep


def once(door: Door, agent: Any) -> object:
    """`Agent.run_once`, or its async twin."""
    return asyncio.run(agent.arun_once("Go.")) if door.way == "async" else agent.run_once("Go.")


def tick() -> str:
    """A tool."""
    return "tock"


def end_run() -> EndRun[City]:
    """A tool that ends the run."""
    return EndRun(City(name="Oslo", people=7))


@pytest.mark.row("S21", "W5")
def test_one_step_has_a_reason_of_its_own(door: Door) -> None:
    """A single step is one reply and its tools; it ends for a reason that no limit shares, and the run can go on from there."""
    model = ScriptedProvider([call("tick", id="a"), call("tick", id="b")], handed_over())
    agent = Agent(City, tools=[tick], model=model, mode="tool")
    end = failed(once(door, agent), "single_step")
    assert SingleStep() == end.report.stop_reason
    assert (RunStatus.STOPPED, 1, 1) == (end.status, len(model.requests), len(end.report.steps))
    assert ["tock", "tock"] == [result.text for result in end.report.steps[0].tool_results]
    assert [] == faults_in(end.report.messages)
    assert City(name="Oslo", people=700_000) == succeeded(door.resume(agent, end)).output


@pytest.mark.row("S21")
@pytest.mark.parametrize("reply", [handed_over(), call("end_run")], ids=["output", "by a tool"])
def test_one_step_that_ends_the_run(door: Door, reply: object) -> None:
    """A step that brings the output ends the run for that reason."""
    agent = Agent(City, tools=[end_run], model=ScriptedProvider(reply), mode="tool")
    assert succeeded(once(door, agent)).stop_reason.is_success

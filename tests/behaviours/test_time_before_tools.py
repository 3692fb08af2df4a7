"""`max_duration` holds for tools also where hooks and predicates before them have used it up."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from tests.behaviours.doors import Door, failed
from tests.behaviours.models import City, call, hooked

from settled import Agent, Budget, tool
from settled.testing import ScriptedProvider


def slow(*_: object) -> None:
    """Longer than a run may take."""
    time.sleep(0.2)


def quick(ctx: object, made: object) -> None:
    """Most of what a run may take."""
    time.sleep(0.2)


@pytest.mark.parametrize(
    "options",
    [
        {"hooks": hooked(after_model=slow)},
        {"hooks": hooked(before_tool=slow)},
        {"tools": [tool(requires_approval=slow)]},
    ],
    ids=["after_model", "before_tool", "requires_approval"],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
def test_no_tool_begins_when_the_time_is_used_up(door: Door, options: dict[str, Any], is_async: bool) -> None:
    """A call whose turn comes after the end of the time is not executed, and its answer says so."""
    begun: list[str] = []

    def load() -> str:
        begun.append("sync")
        return "done"

    async def aload() -> str:
        begun.append("async")
        return "done"

    (decorate,) = options.get("tools", [tool])
    load.__name__ = aload.__name__ = "load"
    given: dict[str, Any] = {**options, "tools": [decorate(aload if is_async else load)]}
    agent = Agent(City, model=ScriptedProvider(call("load")), budget=Budget(max_duration=0.1), **given)
    report = failed(door.settle(agent), "time_limit").report
    assert [] == begun
    assert ["not executed: the run's time was over"] == [result.text for result in report.steps[0].tool_results]


@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
def test_what_a_hook_takes_is_not_left_for_the_tool(door: Door, is_async: bool) -> None:
    """The time that the hook before a call took is no time of the call's: both together keep to the limit."""

    async def anchor() -> str:
        await asyncio.sleep(60)
        return "never"

    def holds() -> str:
        time.sleep(6)
        return "late"

    holds.__name__ = "anchor"
    agent = Agent(
        City,
        model=ScriptedProvider(call("anchor")),
        tools=[anchor if is_async else holds],
        hooks=hooked(before_tool=quick),
        budget=Budget(max_duration=0.5),
    )
    started = time.monotonic()
    report = failed(door.settle(agent), "time_limit").report
    assert time.monotonic() - started < 3.0
    assert ["timed out; it may still have its effect"] == [result.text for result in report.steps[0].tool_results]

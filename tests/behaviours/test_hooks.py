"""When hooks are called, and what becomes of those that raise: row S34 and wart W9."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import City, call, handed_over, hooked

from settled import Agent, Budget, Failure, Hooks, ProviderError, StopState, Success
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Error, StepLimit

NAMES = ("on_start", "before_model", "after_model", "before_tool", "after_tool", "after_step", "on_stop")


def tick() -> str:
    """A tool."""
    return "tock"


def noting(log: list[str]) -> Hooks:
    """Hooks that note when they are called, those around a tool with the call's id."""

    def hook(name: str) -> Callable[..., None]:
        def note(ctx: object, *subject: Any) -> None:
            log.append(f"{name} {subject[0].id}" if name.endswith("_tool") else name)

        return note

    return hooked(**{name: hook(name) for name in NAMES})


@pytest.mark.row("S34")
def test_the_order_of_hooks(door: Door) -> None:
    """On each run: the start; for each step, around the model, before all its tools, after each, after the step; the end."""
    log: list[str] = []

    def work() -> str:
        """Note that a tool runs."""
        log.append("work")
        return "done"

    replies = [[call("work", id="a"), call("work", id="b")], handed_over()]
    agent = Agent(City, tools=[work], hooks=noting(log), mode="tool")
    model = ["before_model", "after_model"]
    tools = ["before_tool a", "before_tool b", "work", "work", "after_tool a", "after_tool b"]
    due = ["on_start", *model, *tools, "after_step", *model, "after_step", "on_stop"]
    for _ in range(2):
        log.clear()
        succeeded(door.settle(agent, model=ScriptedProvider(*replies)))
        assert due == log


@pytest.mark.row("S34")
def test_the_end_is_told_last(door: Door) -> None:
    """A stop in the middle of a step is no end yet: ``on_stop`` comes after the hooks of the other calls and of the step."""
    log: list[str] = []
    hooks = noting(log)

    def after_tool(ctx: Any, asked: Any, result: object) -> None:
        log.append(f"after_tool {asked.id}")
        ctx.stop("enough")

    model = ScriptedProvider([call("tick", id="a"), call("tick", id="b")])
    agent = Agent(City, tools=[tick], hooks=hooks.changed(after_tool=after_tool), model=model)
    failed(door.settle(agent), "hook")
    assert ["after_tool a", "after_tool b", "after_step", "on_stop"] == log[-4:]


class Wrong(RuntimeError):
    """What the hooks below raise."""


def raising(name: str) -> Hooks:
    """Hooks of which one raises."""

    def hook(*given: object) -> None:
        raise Wrong("in the hook")

    return hooked(**{name: hook})


def run(door: Door, hooks: Hooks) -> tuple[Success[Any] | Failure[Any], ScriptedProvider]:
    """A run that comes by every hook."""
    model = ScriptedProvider(call("tick"), handed_over())
    return door.settle(Agent(City, tools=[tick], model=model, mode="tool", hooks=hooks)), model


@pytest.mark.row("S34", "W9")
@pytest.mark.parametrize("name", [name for name in NAMES if name != "on_stop"])
def test_a_hook_that_raises_ends_the_run(door: Door, name: str) -> None:
    """It is not swallowed: the reason is ``error`` and names the hook, the report holds the exception, the model is not told."""
    end, model = run(door, raising(name))
    report = failed(end, "error").report
    assert Error(error_type="Wrong", message="in the hook", source=f"hook:{name}") == report.stop_reason
    assert isinstance(report.exception, Wrong)
    assert "in the hook" not in "".join(request.model_dump_json() for request in model.requests)
    assert len(model.requests) <= 1


@pytest.mark.row("W9")
def test_a_hook_that_raises_at_the_end_does_not_undo_it(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """``on_stop`` is called when the reason is set, which stays; that the hook raised is logged, and is in a report."""
    with caplog.at_level(logging.WARNING, logger="settled"):
        succeeded(run(door, raising("on_stop"))[0])
    assert ["hook:on_stop raised Wrong, after the end of the run"] == [record.getMessage() for record in caplog.records]
    model = ScriptedProvider(ProviderError("auth", "no such key"))
    report = failed(door.settle(Agent(City, model=model, hooks=raising("on_stop"))), "error").report
    assert "error:auth" == report.stop_reason.label
    assert (Error(error_type="Wrong", message="in the hook", source="hook:on_stop"),) == report.secondary


def wrong(state: StopState) -> bool:
    """A stop condition that raises."""
    raise Wrong("in the condition")


@pytest.mark.parametrize(
    "given, source",
    [({"hooks": raising("after_step")}, "hook:after_step"), ({"stop_when": [wrong]}, "condition:wrong")],
    ids=["hook", "condition"],
)
def test_what_raises_after_the_last_step_is_logged(
    door: Door, given: dict[str, Any], source: str, caplog: pytest.LogCaptureFixture
) -> None:
    """``after_step`` and conditions are asked of the step that settled the run, too: it stays settled, and the log tells."""
    with caplog.at_level(logging.WARNING, logger="settled"):
        succeeded(door.settle(Agent(City, model=ScriptedProvider(handed_over()), mode="tool", **given)))
    assert [f"{source} raised Wrong, after the end of the run"] == [record.getMessage() for record in caplog.records]


@pytest.mark.row("S34", "W9")
@pytest.mark.parametrize("name", NAMES)
def test_a_hook_that_raises_is_passed_over_if_so_asked(door: Door, name: str, caplog: pytest.LogCaptureFixture) -> None:
    """With ``on_error="log"`` the run goes on as if the hook had said nothing, and a warning names hook and exception."""
    with caplog.at_level(logging.WARNING, logger="settled"):
        succeeded(run(door, raising(name).changed(on_error="log"))[0])
    assert {f"hook:{name} raised Wrong"} == {record.getMessage() for record in caplog.records}
    assert "in the hook" not in caplog.text


@pytest.mark.row("W9")
def test_a_hook_that_raises_after_the_last_step_is_told_beside_the_reason(door: Door) -> None:
    """What settled the run first stays its reason, and the hook's error is noted."""
    agent = Agent(City, tools=[tick], model=ScriptedProvider(call("tick")), hooks=raising("on_stop"))
    report = failed(door.settle(agent, budget=Budget(max_steps=1)), "step_limit").report
    assert StepLimit(limit=1, used=1) == report.stop_reason
    assert ["error:Wrong"] == [reason.label for reason in report.secondary]

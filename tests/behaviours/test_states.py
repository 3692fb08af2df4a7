"""How a run goes on and how it is stopped: rows S20 and S22 to S24."""

from __future__ import annotations

from typing import Any

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import City, call, handed_over, hooked
from tests.support import faults_in

from settled import (
    Agent,
    Budget,
    Hooks,
    ProviderError,
    RunContext,
    RunFailed,
    RunStatus,
    StopReason,
    StopState,
)
from settled.core.feedback import GO_ON
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary import stop


def tick() -> str:
    """A tool."""
    return "tock"


# A text that is no end.


@pytest.mark.row("S20")
def test_text_may_be_no_end(door: Door) -> None:
    """With ``text_ends_run=False`` a text is kept and the model told to go on, at no retry; an output ends the run."""
    model = ScriptedProvider("Let me think.", "Nearly there.", handed_over())
    agent = Agent(City, model=model, mode="tool", text_ends_run=False, budget=Budget(output_retries=0))
    success = succeeded(door.settle(agent))
    assert 3 == len(success.steps)
    assert 1 == len(success.attempts)
    said = [(message.role, message.text) for message in success.messages[1:5]]
    assert [("assistant", "Let me think."), ("user", GO_ON), ("assistant", "Nearly there."), ("user", GO_ON)] == said


def three_steps(state: StopState) -> bool:
    """Three steps are enough."""
    return len(state.steps) == 3


@pytest.mark.row("S20")
@pytest.mark.parametrize(
    "more, code",
    [
        pytest.param({"budget": Budget(max_steps=3, output_retries=0)}, "step_limit", id="limit"),
        pytest.param({"stop_when": [three_steps]}, "condition", id="condition"),
        pytest.param(
            {"hooks": Hooks(after_step=lambda ctx, step: ctx.stop("enough") if ctx.step == 3 else None)}, "hook", id="hook"
        ),
    ],
)
def test_text_that_is_no_end_goes_on_until_something_else_is(door: Door, more: dict[str, Any], code: str) -> None:
    """A model that only talks is ended by a limit, a condition or a hook."""
    model = FunctionProvider(lambda request: "Hm.")
    report = failed(door.settle(Agent(City, model=model, mode="tool", text_ends_run=False, **more)), code).report
    assert 3 == len(report.steps)


# Faults and wishes.


@pytest.mark.row("S22")
def test_a_request_that_fails_ends_the_run(door: Door) -> None:
    """The reason is ``error`` and says what it was; ``unwrap`` raises with the provider's error as its cause."""
    error = ProviderError("auth", "no such key", status_code=401)
    end = failed(door.settle(Agent(City, model=ScriptedProvider(error))), "error")
    assert stop.Error(error_type="auth", message="no such key", source="provider", status_code=401) == end.report.stop_reason
    assert isinstance(end.report.exception, ProviderError)
    with pytest.raises(RunFailed) as raised:
        end.unwrap()
    assert raised.value.__cause__ is end.report.exception


@pytest.mark.row("S22")
def test_the_hook_is_told_of_a_request_that_fails(door: Door) -> None:
    """``on_stop`` gets the reason, which holds what the error was."""
    heard: list[StopReason] = []
    hooks = Hooks(on_stop=lambda ctx, reason: heard.append(reason))
    failed(door.settle(Agent(City, model=ScriptedProvider(ProviderError("auth", "no such key")), hooks=hooks)), "error")
    assert [stop.Error(error_type="auth", message="no such key", source="provider")] == heard


def halting(name: str, at_step: int = 1) -> Hooks:
    """Hooks of which one stops the run."""

    def hook(ctx: RunContext, *subject: object) -> None:
        if name in ("on_start", "before_model") or ctx.step == at_step:
            ctx.stop(f"stopped by {name}")

    return hooked(**{name: hook})


@pytest.mark.row("S23")
@pytest.mark.parametrize("name", ["after_model", "before_tool", "after_tool", "after_step"])
def test_a_hook_may_stop_the_run(door: Door, name: str) -> None:
    """``ctx.stop(text)``: the step under way is completed, every call answered, nothing more asked; the text is the reason."""
    model = ScriptedProvider([call("tick", id="a"), call("tick", id="b")])
    report = failed(door.settle(Agent(City, tools=[tick], model=model, hooks=halting(name))), "hook").report
    assert stop.Hook(hook=f"hook:{name}", message=f"stopped by {name}") == report.stop_reason
    assert (RunStatus.STOPPED, 1, 1) == (report.status, len(model.requests), len(report.steps))
    assert [] == faults_in(report.messages)
    ran = name in ("after_tool", "after_step")
    assert ["ok" if ran else "skipped"] * 2 == [result.status for result in report.steps[0].tool_results]


@pytest.mark.row("S23")
@pytest.mark.parametrize("name", ["on_start", "before_model"])
def test_a_hook_may_stop_the_run_before_anything_is_sent(door: Door, name: str) -> None:
    """Stopped before the first request, no request is made."""
    model = ScriptedProvider()
    report = failed(door.settle(Agent(City, model=model, hooks=halting(name))), "hook").report
    assert stop.Hook(hook=f"hook:{name}", message=f"stopped by {name}") == report.stop_reason
    assert ([], ()) == (model.requests, report.steps)


@pytest.mark.row("S24")
def test_the_first_stop_stays(door: Door) -> None:
    """Once the run is to end, other stops change nothing: the first reason stays, a later is noted, and ``on_stop`` runs once."""
    heard: list[StopReason] = []

    def after_tool(ctx: RunContext, asked: object, result: object) -> None:
        ctx.stop("first")
        ctx.stop("again")

    def on_stop(ctx: RunContext, reason: StopReason) -> None:
        heard.append(reason)
        ctx.stop("too late")

    hooks = Hooks(after_tool=after_tool, after_step=lambda ctx, step: ctx.stop("second"), on_stop=on_stop)
    agent = Agent(City, tools=[tick], model=ScriptedProvider(call("tick")), hooks=hooks)
    report = failed(door.settle(agent), "hook").report
    assert stop.Hook(hook="hook:after_tool", message="first") == report.stop_reason
    assert [report.stop_reason] == heard
    assert (stop.Hook(hook="hook:after_step", message="second"),) == report.secondary


@pytest.mark.row("S24")
def test_no_stop_undoes_an_output(door: Door) -> None:
    """A run that has its output is a success, whatever is called after it."""
    heard: list[str] = []
    hooks = Hooks(after_step=lambda ctx, step: ctx.stop("late"), on_stop=lambda ctx, reason: heard.append(reason.kind))
    succeeded(door.settle(Agent(City, model=ScriptedProvider(handed_over()), mode="tool", hooks=hooks)))
    assert ["output"] == heard

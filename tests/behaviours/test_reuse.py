"""An agent holds no state of its runs: row S28 and wart W8."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tests.behaviours.doors import WAYS, Door, failed, succeeded
from tests.behaviours.models import City, call, handed_over

from settled import (
    Agent,
    Approved,
    Hooks,
    ModelRequest,
    Paused,
    ProviderError,
    RunContext,
    RunStatus,
    StopReason,
    Tool,
)
from settled.testing import FunctionProvider, ScriptedProvider


def tick() -> str:
    """A tool."""
    return "tock"


GATED = Tool.of(tick, name="gated", requires_approval=True)


@pytest.mark.row("S28", "W8")
def test_a_reason_is_there_when_the_run_has_ended(door: Door) -> None:
    """A run that waits has no reason yet, and says so; once it has ended, it has one."""
    agent = Agent(City, tools=[GATED], model=ScriptedProvider(call("gated"), handed_over()), mode="tool")
    waiting = door.start(agent)
    assert isinstance(waiting, Paused)
    assert RunStatus.PAUSED is waiting.status
    assert not hasattr(waiting, "stop_reason")
    end = succeeded(door.resume(agent, waiting, {"c1": Approved()}))
    assert (RunStatus.COMPLETED, "output") == (end.status, end.stop_reason.kind)


def crash(*given: Any) -> Any:
    """User code that crashes."""
    raise ZeroDivisionError("in user code")


@pytest.mark.row("S28", "W8")
@pytest.mark.parametrize(
    "more, reply",
    [
        pytest.param({}, ProviderError("auth", "no such key"), id="provider"),
        pytest.param({}, RuntimeError("not ours"), id="foreign"),
        pytest.param({"hooks": Hooks(after_step=crash)}, handed_over("{}"), id="hook"),
        pytest.param({"stop_when": [crash]}, handed_over("{}"), id="condition"),
        pytest.param({"checks": [crash]}, handed_over(), id="check"),
        pytest.param({"instructions": crash}, None, id="instructions"),
        pytest.param({"tools": [Tool.of(tick, requires_approval=crash)]}, call("tick"), id="approval"),
    ],
)
def test_an_error_leaves_the_agent_as_it_was(door: Door, more: dict[str, Any], reply: Any) -> None:
    """Wherever it comes from, an error is recorded as the reason, ``on_stop`` is told once, and the same agent runs again."""
    heard: list[StopReason] = []
    failing = [True]

    def sometimes(function: Any) -> Any:
        def code(*given: Any) -> Any:
            return function(*given) if failing[0] else None if given else "Go."

        return code

    def on_stop(ctx: RunContext, reason: StopReason) -> None:
        heard.append(reason)

    wrapped = {name: _wrapped(name, value, sometimes) for name, value in more.items()}
    hooks = wrapped.pop("hooks", Hooks()).changed(on_stop=on_stop)
    agent: Agent[Any, Any] = Agent(City, mode="tool", hooks=hooks, **wrapped)
    report = failed(door.settle(agent, model=ScriptedProvider(*[] if reply is None else [reply])), "error").report
    assert [report.stop_reason] == heard
    failing[0] = False
    succeeded(door.settle(agent, model=ScriptedProvider(handed_over())))
    assert ["error", "output"] == [reason.kind for reason in heard]


def _wrapped(name: str, value: Any, sometimes: Any) -> Any:
    """The user code of one option, so that it crashes only while it is to."""
    if name == "hooks":
        return Hooks(after_step=sometimes(value.after_step))
    if name == "tools":
        return [Tool.of(tick, requires_approval=sometimes(value[0].requires_approval))]
    return sometimes(value) if callable(value) else [sometimes(value[0])]


@pytest.mark.row("W8")
def test_one_agent_runs_many_times_at_once(door: Door) -> None:
    """State belongs to a run: eight runs of one agent that wait for each other each get their own output."""
    together = threading.Barrier(8, timeout=20)

    def meet() -> str:
        """Wait for the other runs."""
        together.wait()
        return "met"

    def answer(request: ModelRequest) -> object:
        return call("meet") if request.step == 1 else City(name=request.messages[1].text, people=request.step)

    agent = Agent(City, tools=[meet], model=FunctionProvider(answer), mode="tool")
    ends: dict[str, object] = {}

    def one(name: str) -> None:
        ends[name] = door.settle(agent, name)

    threads = [threading.Thread(target=one, args=(f"Town {place}",)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert {f"Town {place}": f"Town {place}" for place in range(8)} == {
        name: succeeded(end).output.name for name, end in ends.items()
    }


@pytest.mark.row("W8")
def test_an_agent_may_run_within_its_own_run(door: Door) -> None:
    """A tool may ask the very agent that is running: nothing is busy."""

    def ask_again(question: str) -> str:
        """Ask the same agent."""
        return str(agent.run(question))

    def answer(request: ModelRequest) -> object:
        deep = request.messages[0].text == "deep"
        return "bottom" if deep or request.step > 1 else call("ask_again", '{"question":"deep"}')

    agent = Agent(str, tools=[ask_again], model=FunctionProvider(answer))
    success = succeeded(door.settle(agent))
    assert "bottom" == success.steps[0].tool_results[0].text


@pytest.mark.row("W8")
@pytest.mark.parametrize("door", [Door(way) for way in WAYS if way != "persisted"], ids=str)
def test_an_interrupt_is_recorded_as_well(door: Door) -> None:
    """The caller's interrupt goes on to the caller, after ``on_stop`` was told; the agent runs again."""
    heard: list[StopReason] = []

    def leave() -> str:
        """The caller presses control-C."""
        raise KeyboardInterrupt

    hooks = Hooks(on_stop=lambda ctx, reason: heard.append(reason))
    agent = Agent(City, tools=[leave], mode="tool", hooks=hooks)
    with pytest.raises(KeyboardInterrupt):
        door.settle(agent, model=ScriptedProvider(call("leave")))
    succeeded(door.settle(agent, model=ScriptedProvider(handed_over())))
    assert ["cancelled", "output"] == [reason.kind for reason in heard]

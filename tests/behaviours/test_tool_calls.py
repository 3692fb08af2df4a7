"""Calls that are denied, calls of no tool, and calls of another agent: rows S42 and S44, warts W10, W13 and W15."""

from __future__ import annotations

import pytest
from pydantic import BaseModel
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import OSLO, City, Stuck, call, gave_up, handed_over
from tests.support import faults_in

from settled import (
    Agent,
    Budget,
    Denied,
    FailRun,
    Failure,
    Hooks,
    ModelResponse,
    Paused,
    PendingCall,
    Retry,
    RunContext,
    Success,
    Tool,
    ToolFailed,
)
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Hook, ToolFailures


def tick() -> str:
    """A tool."""
    return "tock"


def sink() -> str:
    """A tool that fails."""
    raise ToolFailed("it sank")


# A person's no.


class Why(BaseModel):
    """Why a person said no."""

    limit: int
    note: str


@pytest.mark.row("W10")
@pytest.mark.parametrize(
    "payload, told",
    [
        (None, "too dear"),
        ({"limit": 5}, 'too dear\n{"limit":5}'),
        (Why(limit=5, note="this month"), 'too dear\n{"limit":5,"note":"this month"}'),
    ],
    ids=["message", "data", "typed"],
)
@pytest.mark.parametrize("attended", [True, False], ids=["approver", "resume"])
def test_the_model_sees_the_whole_refusal(door: Door, attended: bool, payload: object, told: str) -> None:
    """What a person says when denying a call, message and payload, is the answer to that call, and the tool is not run."""
    model = ScriptedProvider(call("sink", id="buy"), handed_over())
    agent = Agent(City, tools=[Tool.of(sink, requires_approval=True)], model=model, mode="tool")
    denied = Denied("too dear", payload)

    def approver(wait: PendingCall) -> Denied:
        return denied

    if attended:
        end: object = door.settle(agent, approver=approver)
    else:
        waiting = door.start(agent)
        assert isinstance(waiting, Paused)
        end = door.resume(agent, waiting, {"buy": denied})
    success = succeeded(end)
    assert [("buy", "denied", told)] == [(r.call_id, r.status, r.text) for r in success.steps[0].tool_results]
    assert told == model.requests[1].messages[-1].text


# A tool that does not exist.


@pytest.mark.row("S42", "W13")
def test_an_unknown_tool_is_answered(door: Door) -> None:
    """A call of a name that does not exist is answered as failed, with the names that do; the run goes on, and settles."""
    model = ScriptedProvider([call("tock", id="x"), call("tick", id="y")], handed_over())
    success = succeeded(door.settle(Agent(City, tools=[tick], model=model, mode="tool")))
    told = "there is no tool of that name; the tools are: tick, final_result"
    assert [("x", "failed", told), ("y", "ok", "tock")] == [(r.call_id, r.status, r.text) for r in success.steps[0].tool_results]
    assert [] == faults_in(success.messages)


@pytest.mark.row("S42", "W13")
@pytest.mark.parametrize("retries", [0, 2])
def test_unknown_tools_are_counted(door: Door, retries: int) -> None:
    """A model that calls nothing else does not end the run silently: past ``invalid_tool_retries`` it fails, naming the call."""
    model = ScriptedProvider(*[call("tock", id=f"c{place}") for place in range(retries + 1)])
    budget = Budget(invalid_tool_retries=retries)
    report = failed(door.settle(Agent(City, tools=[tick], model=model, budget=budget)), "tool_failures").report
    assert retries + 1 == len(model.requests)
    assert isinstance(report.stop_reason, ToolFailures)
    assert ("unknown_tool", retries + 1, "tock") == (
        report.stop_reason.scope,
        report.stop_reason.count,
        report.stop_reason.tool_call.name,
    )
    assert "the tools are: tick" in report.stop_reason.text
    assert [] == faults_in(report.messages)


@pytest.mark.row("W13")
def test_a_hook_may_end_the_run_for_an_unknown_tool(door: Door) -> None:
    """Fail: ``after_model`` sees the call before it is judged, and its ``ctx.stop`` ends the run."""

    def after_model(ctx: RunContext, response: ModelResponse) -> None:
        if [asked.name for asked in response.tool_calls] == ["tock"]:
            ctx.stop("no such thing")

    agent = Agent(City, tools=[tick], model=ScriptedProvider(call("tock")), hooks=Hooks(after_model=after_model))
    report = failed(door.settle(agent), "hook").report
    assert Hook(hook="hook:after_model", message="no such thing") == report.stop_reason
    assert [] == faults_in(report.messages)


@pytest.mark.row("W13")
@pytest.mark.parametrize("said", ["The tool is tick.", "Leave it out."], ids=["repair", "skip"])
def test_a_hook_may_answer_for_an_unknown_tool(door: Door, said: str) -> None:
    """Repair, skip: at the words of ``after_model`` the model asks for what it meant, or goes on; no tool failure is counted."""

    def after_model(ctx: RunContext, response: ModelResponse) -> Retry | None:
        return Retry(said) if any(asked.name == "tock" for asked in response.tool_calls) else None

    model = ScriptedProvider(call("tock", id="x"), call("tick", id="y"), handed_over())
    budget = Budget(invalid_tool_retries=0)
    agent = Agent(City, tools=[tick], model=model, mode="tool", hooks=Hooks(after_model=after_model), budget=budget)
    success = succeeded(door.settle(agent))
    assert said == model.requests[1].messages[-1].text
    results = [(result.call_id, result.status) for step in success.steps for result in step.tool_results]
    assert [("x", "skipped"), ("y", "ok")] == results
    assert [] == faults_in(success.messages)


# An agent within an agent.


def finds(*replies: object) -> Tool:
    """A tool that asks an agent, and gives on how that ended."""
    child = Agent(City, failure_type=Stuck, model=ScriptedProvider(*replies), mode="tool", name="finder")

    def find(question: str) -> City | FailRun[Stuck]:
        """Ask the finder."""
        match child.settle(question):
            case Success(output=city):
                return city
            case Failure(report=report):
                if report.detail is None:
                    raise ToolFailed(f"{report.agent}: {report.code}: {report.remedy}")
                return FailRun(report.detail)

    return Tool.of(find)


FIND = call("find", '{"question":"Oslo?"}')


@pytest.mark.row("S44", "W15")
def test_an_agent_within_an_agent_gives_its_output(door: Door) -> None:
    """The child's outcome is a value: its typed output is the result of the tool, and the parent's model sees it."""
    model = ScriptedProvider(FIND, handed_over(OSLO))
    success = succeeded(door.settle(Agent(City, tools=[finds(handed_over(OSLO))], model=model, mode="tool")))
    assert OSLO == success.steps[0].tool_results[0].text


@pytest.mark.row("S44", "W15")
def test_an_agent_within_an_agent_gives_its_reason(door: Door) -> None:
    """Why the child ended is not lost: its own report ends the parent, typed; any other failure is told with code and remedy."""
    parent = Agent(City, tools=[finds(gave_up())], failure_type=Stuck, model=ScriptedProvider(FIND), mode="tool")
    assert Stuck(reason="no map") == failed(door.settle(parent), "reported_failure").report.detail
    model = ScriptedProvider(FIND, handed_over(OSLO))
    tools = [finds(*["Hm."] * 3)]
    success = succeeded(door.settle(Agent(City, tools=tools, model=model, mode="tool")))
    (result,) = success.steps[0].tool_results
    assert "failed" == result.status
    assert result.text.startswith("finder: no_output: say in the instructions")

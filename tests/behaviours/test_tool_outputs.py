"""What tools return, who wins when several end the run, and calls of tools that do not exist: S25, S26, S31 to S33, S42, S44, W7, W10,
W13, W15.
"""

from __future__ import annotations

import threading
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import OSLO, City, Stuck, call, gave_up, handed_over
from tests.support import faults_in

from settled import (
    Agent,
    Budget,
    Denied,
    EndRun,
    FailRun,
    Failure,
    Hooks,
    ModelResponse,
    NeedsApproval,
    Paused,
    Retry,
    RunContext,
    Success,
    Tool,
    ToolCall,
    ToolFailed,
)
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Hook, Output, Reason, ReportedFailure, ToolFailures

NAMED = City(name="Oslo", people=7)


def tick() -> str:
    """A tool."""
    return "tock"


def sink() -> str:
    """A tool that fails."""
    raise ToolFailed("it sank")


def end_run() -> EndRun[City]:
    """A tool that ends the run with an output."""
    return EndRun(NAMED)


def fail_run() -> FailRun[Stuck]:
    """A tool that ends the run with a report."""
    return FailRun(Stuck(reason="no map"))


# Calls beside an end.


@pytest.mark.row("S25")
@pytest.mark.parametrize("output_first", [True, False], ids=["output first", "output last"])
def test_siblings_of_an_output_may_run(door: Door, output_first: bool) -> None:
    """With ``siblings="run"`` a call beside the output is run and its result recorded, and the output is the end all the same."""
    written: list[str] = []

    def write_file(text: str) -> str:
        """Write a file."""
        written.append(text)
        return "written"

    calls = [handed_over(id="out"), call("write_file", '{"text":"x"}', "w")]
    model = ScriptedProvider(calls if output_first else calls[::-1])
    success = succeeded(door.settle(Agent(City, tools=[write_file], model=model, mode="tool", siblings="run")))
    assert ["x"] == written
    assert [("w", "ok", "written")] == [(one.call_id, one.status, one.text) for one in success.steps[0].tool_results]
    assert "written" in [message.text for message in success.messages]
    assert [] == faults_in(success.messages)


@pytest.mark.row("S25")
def test_siblings_of_an_output_are_not_run_unless_asked_for(door: Door) -> None:
    """The default is ``siblings="skip"``: the call is answered, and the tool never called."""
    model = ScriptedProvider([handed_over(id="out"), call("sink", id="w")])
    success = succeeded(door.settle(Agent(City, tools=[sink], model=model, mode="tool")))
    assert ["skipped"] == [one.status for one in success.steps[0].tool_results]


@pytest.mark.row("S25")
def test_all_calls_begin_before_any_result_is_looked_at(door: Door) -> None:
    """A tool that ends the run does not keep those beside it from running: all are under way at once, and all are recorded."""
    together = threading.Barrier(2, timeout=20)

    def finish() -> EndRun[City]:
        """End the run, once the other runs."""
        together.wait()
        return EndRun(NAMED)

    def write_file() -> str:
        """Write a file."""
        together.wait()
        return "written"

    model = ScriptedProvider([call("finish", id="a"), call("write_file", id="b")])
    success = succeeded(door.settle(Agent(City, tools=[finish, write_file], model=model)))
    assert Output(via="tool_result", tool_call_id="a") == success.stop_reason
    assert [("b", "ok", "written")] == [(r.call_id, r.status, r.text) for r in success.steps[0].tool_results[1:]]


@pytest.mark.row("S26", "W7")
@pytest.mark.parametrize(
    "calls, siblings",
    [
        pytest.param([handed_over(), call("sink", id="s")], "run", id="output, then failure"),
        pytest.param([call("sink", id="s"), handed_over()], "run", id="failure, then output"),
        pytest.param([call("end_run", id="e"), call("sink", id="s")], "skip", id="end by a tool, then failure"),
    ],
)
def test_a_sibling_that_fails_too_often_does_not_undo_an_output(
    door: Door, calls: list[ToolCall], siblings: Literal["skip", "run"]
) -> None:
    """The run has one outcome: it is a success in every respect, and the failure beside it is in the record of the step."""
    budget = Budget(tool_retries=0, tool_failures_total=0)
    agent = Agent(City, tools=[sink, end_run], model=ScriptedProvider(calls), mode="tool", siblings=siblings, budget=budget)
    success = succeeded(door.settle(agent))
    assert success.stop_reason.is_success
    assert success.unwrap() == success.output
    assert [("s", "failed", "it sank")] == [
        (r.call_id, r.status, r.text) for r in success.steps[0].tool_results if r.call_id == "s"
    ]


def crash() -> NeedsApproval:
    """A tool of which the call crashes: what it asks with cannot be written."""
    return NeedsApproval(object())


def halt(ctx: RunContext) -> str:
    """A tool that stops the run."""
    ctx.stop("enough")
    return "stopping"


def kind_of(reason: Reason) -> str:
    """Kind and call of a reason."""
    return f"{reason.label} {getattr(reason, 'tool_call_id', None) or ''}".strip()


@pytest.mark.row("W7")
@pytest.mark.parametrize(
    "names, code, losers",
    [
        (["fail_run", "end_run"], "reported_failure", ["output c1"]),
        (["end_run", "fail_run"], "output", []),
        (["fail_run", "crash"], "reported_failure", ["error:TypeError"]),
        (["crash", "fail_run"], "error", ["reported_failure c1"]),
        (["crash", "end_run", "fail_run"], "error", ["output c1", "reported_failure c2"]),
        (["fail_run", "sink"], "reported_failure", ["tool_failures:call"]),
        (["sink", "fail_run"], "reported_failure", ["tool_failures:call"]),
        (["fail_run", "halt"], "reported_failure", ["hook"]),
        (["halt", "fail_run"], "hook", ["reported_failure c1"]),
        (["halt", "end_run"], "hook", ["output c1"]),
        (["halt", "sink"], "hook", ["tool_failures:call"]),
        (["halt", "halt"], "hook", []),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_the_first_end_in_call_order_is_the_end(door: Door, names: list[str], code: str, losers: list[str]) -> None:
    """Of several calls that would end the run the first one does; the others are noted as secondary, none is lost, none raises."""
    model = ScriptedProvider([call(name, id=f"c{place}") for place, name in enumerate(names)])
    tools = [fail_run, end_run, crash, sink, halt]
    agent = Agent(City, tools=tools, failure_type=Stuck, model=model, mode="tool", budget=Budget(tool_retries=0))
    end = door.settle(agent)
    if code == "output":
        assert NAMED == succeeded(end).output
        return
    report = failed(end, code).report
    assert losers == [kind_of(reason) for reason in report.secondary]
    assert [f"c{place}" for place in range(len(names))] == [result.call_id for result in report.steps[0].tool_results]
    assert [] == faults_in(report.messages)


# What a hook sees of a result, and what it may make of it.


@pytest.mark.row("S31")
@pytest.mark.parametrize(
    "name, kind, inside",
    [
        ("tick", str, "tock"),
        ("sink", ToolFailed, "it sank"),
        ("end_run", EndRun, NAMED),
        ("end_empty", EndRun, None),
        ("fail_run", FailRun, Stuck(reason="no map")),
        ("ask", NeedsApproval, {"sum": 7}),
    ],
)
def test_a_result_is_told_by_its_class(door: Door, name: str, kind: type[Any], inside: object) -> None:
    """``after_tool`` gets a text, or one control value whose class tells what it is, with its payload, also where that is None."""

    def end_empty() -> EndRun[None]:
        """End the run with nothing."""
        return EndRun(None)

    def ask() -> NeedsApproval:
        """Ask a person."""
        return NeedsApproval({"sum": 7})

    seen: list[object] = []
    hooks = Hooks(after_tool=lambda ctx, asked, result: seen.append(result))
    tools = [tick, sink, end_run, end_empty, fail_run, ask]
    agent = Agent(City | None, tools=tools, failure_type=Stuck, hooks=hooks, budget=Budget(max_steps=1), mode="tool")
    door.settle(agent, model=ScriptedProvider(call(name)))
    (result,) = seen
    assert [kind] == [one for one in (str, ToolFailed, EndRun, FailRun, NeedsApproval) if isinstance(result, one)]
    payload = {EndRun: "output", FailRun: "detail", NeedsApproval: "payload"}
    assert inside == (getattr(result, payload[kind]) if kind in payload else str(result))


def deploy() -> str:
    """Deploy; it fails."""
    raise ToolFailed("the gate is shut")


@pytest.mark.row("S32")
def test_a_hook_may_end_the_run_for_a_tool_that_failed(door: Door) -> None:
    """``after_tool`` replaces a failed result by a report: what ends the run is read after the hook."""

    def guard(ctx: RunContext, asked: ToolCall, result: object) -> object:
        if asked.name == "deploy" and isinstance(result, ToolFailed):
            return FailRun(Stuck(reason=f"deploy: {result}", blocked_by=["gate"]))
        return None

    model = ScriptedProvider(call("deploy"))
    agent = Agent(City, tools=[deploy], failure_type=Stuck, model=model, hooks=Hooks(after_tool=guard))
    report = failed(door.settle(agent), "reported_failure").report
    assert Stuck(reason="deploy: the gate is shut", blocked_by=["gate"]) == report.detail
    assert isinstance(report.stop_reason, ReportedFailure)
    assert {"reason": "deploy: the gate is shut", "blocked_by": ["gate"]} == report.stop_reason.payload


@pytest.mark.row("S32")
def test_a_hook_may_keep_a_tool_from_ending_the_run(door: Door) -> None:
    """The other way round: an ``EndRun`` that the hook replaces by a text ends nothing."""
    model = ScriptedProvider(call("end_run"), handed_over(OSLO))
    hooks = Hooks(after_tool=lambda ctx, asked, result: "not yet")
    success = succeeded(door.settle(Agent(City, tools=[end_run], model=model, mode="tool", hooks=hooks)))
    assert ("not yet", 700_000) == (success.steps[0].tool_results[0].text, success.output.people)


@pytest.mark.row("S33")
def test_a_hook_may_turn_an_error_into_a_result(door: Door) -> None:
    """A failure that ``after_tool`` replaces by a text is neither counted nor marked as failed."""
    model = ScriptedProvider(*[call("deploy")] * 3, handed_over())
    hooks = Hooks(after_tool=lambda ctx, asked, result: "queued instead")
    budget = Budget(tool_retries=0, tool_failures_total=0)
    success = succeeded(door.settle(Agent(City, tools=[deploy], model=model, mode="tool", hooks=hooks, budget=budget)))
    results = [result for step in success.steps for result in step.tool_results]
    assert [("ok", "queued instead")] * 3 == [(result.status, result.text) for result in results]


@pytest.mark.row("S33")
def test_a_hook_may_turn_a_result_into_an_error(door: Door) -> None:
    """A ``ToolFailed`` that ``after_tool`` gives is told to the model and counted."""
    hooks = Hooks(after_tool=lambda ctx, asked, result: ToolFailed("of no use"))
    agent = Agent(City, tools=[tick], model=ScriptedProvider(call("tick")), hooks=hooks, budget=Budget(tool_retries=0))
    report = failed(door.settle(agent), "tool_failures").report
    assert ("failed", "of no use") == (report.steps[0].tool_results[0].status, report.steps[0].tool_results[0].text)


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
    if attended:
        end: object = door.settle(agent, approver=lambda wait: denied)
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
    """A run whose model calls nothing else is no silent end: past ``invalid_tool_retries`` it is a failure that names the call."""
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
    """Repair, skip: with the words of ``after_model`` the model asks for what it meant, or goes on; no tool failure is counted."""

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

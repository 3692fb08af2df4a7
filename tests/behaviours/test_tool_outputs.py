"""What tools return, and who wins when several end the run: rows S25, S26, S31 to S33 and wart W7."""

from __future__ import annotations

import threading
from typing import Any, Literal

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import OSLO, City, Stuck, call, handed_over
from tests.support import faults_in

from settled import (
    Agent,
    Budget,
    EndRun,
    FailRun,
    Hooks,
    NeedsApproval,
    RunContext,
    ToolCall,
    ToolFailed,
)
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Output, Reason, ReportedFailure

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
    ids=str,
)
def test_the_first_end_in_call_order_is_the_end(door: Door, names: list[str], code: str, losers: list[str]) -> None:
    """Of several calls that would end the run the first one does; the others are noted as secondary: none is lost or raises."""
    model = ScriptedProvider([call(name, id=f"c{place}") for place, name in enumerate(names)])
    tools: list[Any] = [fail_run, end_run, crash, sink, halt]
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
    """``after_tool`` gets a text, or one control value whose class tells what it is, with its payload, which may be None."""

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
    payload: dict[type[Any], str] = {EndRun: "output", FailRun: "detail", NeedsApproval: "payload"}
    given: Any = seen[0]
    assert inside == (getattr(given, payload[kind]) if kind in payload else str(given))


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

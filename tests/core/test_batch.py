"""The tool calls of one step: what each is answered, and how a tool ends a run."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.support import (
    OSLO,
    AnyPlan,
    City,
    asks,
    begin,
    call,
    called,
    changed,
    code_of,
    failure_of,
    faults_in,
    plan_for,
    play,
    ran,
    runs,
    success_of,
)

from settled import Budget, GaveUp, InternalError, Issue, Tool, ToolCall
from settled.core.batch import canonical, digest, pending_calls
from settled.core.events import ChecksDone, Decided, Halt, ToolOutcome, ToolsDone
from settled.core.machine import pending
from settled.core.plan import UserCall
from settled.tools.control import Approved
from settled.vocabulary.stop import Hook, ReportedFailure


def look_up(city: str, days: int = 1) -> str:
    """A tool."""
    return f"{city} {days}"


LOOK_UP = '{"city":"Oslo"}'
PLAN = plan_for(City, tools=[look_up])
TWO = called(call("look_up", LOOK_UP, "a"), call("look_up", LOOK_UP, "b"))


def results(plan: AnyPlan, *parts: ToolCall | str) -> list[tuple[str, str]]:
    """Status and text of the answers to a turn's calls, once those that are ready have returned ``done``."""
    step = play(plan, called(*parts))
    ready = [one.call.id for one in runs(step).calls] if step.state.phase == "tools" else []
    step = play(plan, ran(*ready), step=step) if ready else step
    assert not faults_in(step.state.messages)
    return [(result.status, result.text) for result in step.state.steps[-1].tool_results]


@pytest.mark.parametrize(
    "name, arguments, answer",
    [
        pytest.param("look_up", LOOK_UP, ("ok", "done"), id="fits"),
        pytest.param("look_up", '{"city":"Oslo","days":"2"}', ("ok", "done"), id="lax"),
        pytest.param("nope", "{}", ("failed", "there is no tool of that name; the tools are: look_up"), id="unknown"),
        pytest.param("lооk_up", LOOK_UP, ("failed", "there is no tool of that name; the tools are: look_up"), id="look-alike"),
        pytest.param("__class__", "{}", ("failed", "there is no tool of that name; the tools are: look_up"), id="dunder"),
        pytest.param("look_up", "{}", ("failed", "the arguments do not fit:\n- $.city: required, but missing"), id="missing"),
        pytest.param("look_up", "", ("failed", "the arguments do not fit:\n- $.city: required, but missing"), id="empty"),
        pytest.param(
            "look_up", "[]", ("failed", "the arguments do not fit:\n- $: expected an object, got a list of 0"), id="a list"
        ),
        pytest.param(
            "look_up",
            '{"city":"Oslo","to":1}',
            ("failed", "the arguments do not fit:\n- $.to: unknown key, not allowed here, got 1"),
            id="extra",
        ),
    ],
)
def test_each_call_is_answered(name: str, arguments: str, answer: tuple[str, str]) -> None:
    """A call that fits runs; any other is told what is wrong, and never executed."""
    assert [answer] == results(PLAN, call(name, arguments))


def test_one_bad_call_does_not_stop_the_others() -> None:
    """Calls of one turn are judged each by itself, and the results keep call order."""
    statuses = [
        status for status, _ in results(PLAN, call("nope", "{}", "a"), call("look_up", LOOK_UP, "b"), call("look_up", "", "c"))
    ]
    assert ["failed", "ok", "failed"] == statuses


def test_no_tools_at_all() -> None:
    """Where there are no tools, the model is told so."""
    assert [("failed", "there is no tool of that name; the tools are: none")] == results(plan_for(), call("look_up", LOOK_UP))


def test_output_tools_are_named_to_a_model_that_calls_nothing_known() -> None:
    """In tool mode the output's own tools are among those that exist."""
    assert results(plan_for(City, "tool", tools=[look_up]), call("nope"))[0][1].endswith("the tools are: look_up, final_result")


def test_arguments_are_read_again_after_json() -> None:
    """Validated arguments are a cache: without it they are made anew, and are equal."""
    step = play(PLAN, called(call("look_up", '{"city":"Oslo","days":"2"}')))
    bare = step.state.changed(live=step.state.live._replace(arguments=None))
    assert {"city": "Oslo", "days": 2} == runs(step).calls[0].arguments
    assert step.action == pending(PLAN, bare)


def test_arguments_that_fit_no_more_are_our_fault() -> None:
    """A validator that changes its mind is found out, and never runs a call with arguments that do not fit."""
    step = play(PLAN, called(call("look_up", LOOK_UP)))
    broken = step.state.batch[0].changed(call=call("look_up", "{}"))
    with pytest.raises(InternalError, match="pure"):
        pending(PLAN, step.state.changed(batch=(broken,), live=step.state.live._replace(arguments=None)))


def test_invalid_replies_are_counted_once_a_reply() -> None:
    """Two bad calls in one reply draw one retry; the last reply's calls are all answered, and none of them runs."""
    plan = changed(PLAN, budget=Budget(invalid_tool_retries=1))
    bad = called(call("nope", "{}", "a"), call("look_up", "", "b"), call("look_up", LOOK_UP, "c"))
    step = play(plan, bad, ran("c"))
    assert 1 == step.state.ledger.invalid_tool_replies
    report = failure_of(play(plan, bad, step=step)).report
    assert ("tool_failures:unknown_tool", "nope") == (report.stop_reason.label, report.tool_call and report.tool_call.name)
    assert ["failed", "failed", "skipped"] == [result.status for result in report.steps[-1].tool_results]
    assert not faults_in(report.messages)


# How a tool ends a run.


def ended(plan: AnyPlan, *outcomes: ToolOutcome, halt: Halt | None = None) -> tuple[str, list[str]]:
    """The code of the end that a turn of two calls brings, and the statuses of their answers."""
    step = play(plan, TWO, ToolsDone(outcomes, halt=halt))
    assert not faults_in(step.state.messages)
    return code_of(step), [result.status for result in step.state.steps[-1].tool_results]


DONE, END = ToolOutcome("b", "returned", text="done"), ToolOutcome("a", "ended", value={"name": "Oslo", "people": 1})
CRASH = ToolOutcome("a", "crashed", exception=OSError("x"), source="hook:after_tool")


@pytest.mark.parametrize(
    "outcomes, code, statuses",
    [
        pytest.param([END, DONE], "output", ["ok", "ok"], id="EndRun"),
        pytest.param([ToolOutcome("a", "ended", value={"name": 1}), DONE], "error", ["ok", "ok"], id="EndRun that does not fit"),
        pytest.param(
            [ToolOutcome("a", "reported", value={"reason": "no"}), DONE], "reported_failure", ["ok", "ok"], id="FailRun"
        ),
        pytest.param([ToolOutcome("a", "reported", value=7), DONE], "error", ["ok", "ok"], id="FailRun that does not fit"),
        pytest.param([CRASH, DONE], "error", ["failed", "ok"], id="crashed"),
        pytest.param([END, ToolOutcome("b", "crashed", exception=OSError("x"))], "output", ["ok", "failed"], id="the first wins"),
        pytest.param([END, ToolOutcome("b", "needs_approval")], "output", ["ok", "skipped"], id="an end wins over a question"),
        pytest.param(
            [ToolOutcome("a", "skipped", text="no"), END._replace(call_id="b")], "output", ["skipped", "ok"], id="skipped"
        ),
    ],
)
def test_the_first_call_that_ends_the_run_does(outcomes: list[ToolOutcome], code: str, statuses: list[str]) -> None:
    """In call order; the output or detail is validated, a misfit is the caller's fault, and every call is answered."""
    assert (code, statuses) == ended(plan_for(City, tools=[look_up], failure=GaveUp), *outcomes)


REPORT = ToolOutcome("b", "reported", value={"reason": "no"})


@pytest.mark.parametrize(
    "other, halt, code, labels",
    [
        pytest.param(REPORT, None, "error", ["reported_failure"], id="a report"),
        pytest.param(REPORT._replace(value=object()), None, "error", ["reported_failure"], id="a report of no data"),
        pytest.param(END._replace(call_id="b"), None, "error", ["output"], id="an output"),
        pytest.param(CRASH._replace(call_id="b", exception=None), None, "error", ["error:RuntimeError"], id="a crash"),
        pytest.param(DONE, Halt("tool:look_up", "enough", "b"), "error", ["hook"], id="a stop behind it"),
        pytest.param(DONE, Halt("tool:look_up", "enough", "a"), "error", ["hook"], id="a stop at the same call"),
        pytest.param(DONE, Halt("tool:look_up", "enough"), "error", ["hook"], id="a stop at no call"),
    ],
)
def test_what_loses_is_noted(other: ToolOutcome, halt: Halt | None, code: str, labels: list[str]) -> None:
    """The first end in call order is the end; what else would have been one is among the secondary reasons."""
    plan = plan_for(City, tools=[look_up], failure=GaveUp)
    report = failure_of(play(plan, TWO, ToolsDone((CRASH, other), halt=halt))).report
    assert (code, labels) == (report.code, [reason.label for reason in report.secondary])


@pytest.mark.parametrize(
    "first, code",
    [
        pytest.param(ToolOutcome("a", "ended", value={"name": 1}), "error", id="output that does not fit"),
        pytest.param(ToolOutcome("a", "reported", value={"reason": "no"}), "reported_failure", id="report"),
        pytest.param(CRASH, "error", id="crash"),
    ],
)
def test_a_spent_budget_is_noted_beside_an_end(first: ToolOutcome, code: str) -> None:
    """A failure that was one too many is not lost when another call ends the run."""
    plan = changed(plan_for(City, tools=[look_up], failure=GaveUp), budget=Budget(tool_retries=0))
    report = failure_of(play(plan, TWO, ToolsDone((first, ToolOutcome("b", "failed", text="no"))))).report
    assert (code, ["tool_failures:call"]) == (report.code, [reason.label for reason in report.secondary])


def test_a_spent_budget_outlives_an_output_that_a_check_rejects() -> None:
    """The output that a tool gave is the end, unless a check rejects it; then the failure beside it is."""
    plan = changed(PLAN, budget=Budget(tool_retries=0), checks=(UserCall("look_up", look_up),))
    step = play(plan, TWO, ToolsDone((END, ToolOutcome("b", "failed", text="no"))))
    assert "output" == code_of(play(plan, ChecksDone(City(name="Oslo", people=1)), step=step))
    assert "tool_failures" == code_of(play(plan, ChecksDone(None, issues=(Issue(message="no"),)), step=step))


def test_an_output_from_a_tool_is_validated_and_checked() -> None:
    """It is of the caller's class, came by ``tool_result``, and the checks look at it."""
    step = play(PLAN, TWO, ToolsDone((END, DONE)))
    success = success_of(step)
    assert City(name="Oslo", people=1) == success.output
    assert ("tool_result", "a") == (success.stop_reason.via, success.stop_reason.tool_call_id)
    checked = play(changed(PLAN, checks=(UserCall("look_up", look_up),)), TWO, ToolsDone((END, DONE)))
    assert "checking" == checked.state.phase


@dataclass
class Unwritable:
    """An output that pydantic validates but cannot write as JSON."""

    thing: object


def test_an_output_that_cannot_be_written_is_taken_as_it_is() -> None:
    """A validated value that JSON cannot carry is the output; only a checkpoint could not hold it."""
    plan, given = plan_for(Unwritable, tools=[look_up]), Unwritable(object())
    step = play(plan, TWO, ToolsDone((ToolOutcome("a", "ended", value=given), DONE)))
    assert given == success_of(step).output
    assert step.state.the_accepted.payload is None


def test_a_crash_without_an_exception_is_told_all_the_same() -> None:
    """The report names the tool."""
    report = failure_of(play(PLAN, TWO, ToolsDone((ToolOutcome("a", "crashed"), DONE)))).report
    told = "tool:look_up: RuntimeError: the tool crashed"
    assert ("tool:look_up", told) == (getattr(report.stop_reason, "source", None), report.summary)


def test_a_failure_detail_is_the_same_after_json() -> None:
    """`FailRun` without a failure type gives its detail as plain data, before and after a checkpoint."""
    step = play(PLAN, TWO, ToolsDone((ToolOutcome("a", "reported", value=GaveUp(reason="no")), DONE)))
    report = failure_of(step).report
    reason = report.stop_reason
    assert isinstance(reason, ReportedFailure)
    assert {"reason": "no", "blocked_by": []} == reason.payload
    bare = step.state.changed(live=step.state.live._replace(value=None, has_value=False))
    assert step.action == pending(PLAN, bare)


def test_a_stop_in_a_tool_keeps_the_results() -> None:
    """``ctx.stop`` ends the run after the turn: what ran is answered as it ran."""
    assert ("hook", ["ok", "ok"]) == ended(PLAN, ToolOutcome("a", "returned"), DONE, halt=Halt("tool:look_up", "enough"))


@pytest.mark.parametrize("waiting", ["question", "approval"])
def test_a_stop_in_a_tool_answers_what_waits(waiting: str) -> None:
    """Calls that wait for a person are answered "not executed"."""
    gated = Tool.of(look_up, name="gated", requires_approval=True)
    plan = plan_for(City, tools=[look_up, gated])
    other = call("gated" if waiting == "approval" else "look_up", LOOK_UP, "b")
    outcomes = [ToolOutcome("a", "returned", text="done")] + (
        [ToolOutcome("b", "needs_approval")] if waiting == "question" else []
    )
    step = play(
        plan, called(call("look_up", LOOK_UP, "a"), other), ToolsDone(tuple(outcomes), halt=Halt("tool:look_up", "enough"))
    )
    report = failure_of(step).report
    assert Hook(hook="tool:look_up", message="enough") == report.stop_reason
    assert ["ok", "skipped"] == [result.status for result in report.steps[-1].tool_results]


def test_failures_are_counted_to_the_first_limit() -> None:
    """When one turn passes two limits, the first in call order is the end."""
    plan = changed(PLAN, budget=Budget(tool_retries=0, tool_failures_total=0))
    failed = tuple(ToolOutcome(id_, "failed", text="no") for id_ in ("a", "b"))
    report = failure_of(play(plan, TWO, ToolsDone(failed))).report
    assert ("tool_failures:call", "a") == (report.stop_reason.label, report.tool_call and report.tool_call.id)


@pytest.mark.parametrize(
    "own, budget, total, told, scope",
    [
        pytest.param(None, 1, 9, 1, "call", id="the budget's"),
        pytest.param(3, 1, 9, 3, "call", id="more of its own"),
        pytest.param(0, 1, 9, 0, "call", id="none of its own"),
        pytest.param(5, 1, 2, 2, "run", id="never above the run's total"),
    ],
)
def test_retries_of_a_tool(own: int | None, budget: int, total: int, told: int, scope: str) -> None:
    """A tool's own number stands in place of ``Budget.tool_retries``: so many failures are told, one more ends the run."""
    plan = plan_for(City, tools=[Tool.of(look_up, retries=own)])
    plan = changed(plan, budget=Budget(tool_retries=budget, tool_failures_total=total))
    turn = (called(call("look_up", LOOK_UP, "a")), ran(ToolOutcome("a", "failed", text="no")))
    step = play(plan, *turn * told) if told else begin(plan)
    asks(step)
    assert f"tool_failures:{scope}" == failure_of(play(plan, *turn, step=step)).report.stop_reason.label


# The small functions.


@pytest.mark.parametrize(
    "arguments, spelled",
    [
        pytest.param('{"b": [1, {"d":1,"c":2}], "a": null}', '{"a":null,"b":[1,{"c":2,"d":1}]}', id="nested"),
        pytest.param("not json", "not json", id="no JSON"),
    ],
)
def test_canonical_arguments(arguments: str, spelled: str) -> None:
    """One spelling for all orders and spacings; what is no JSON stays as it is."""
    assert spelled == canonical(arguments)


def test_a_digest_is_of_name_and_arguments() -> None:
    """Two calls have one digest only if both are the same."""
    calls = [call("f", "{}"), call("f", '{"a":1}'), call("g", "{}")]
    assert 3 == len({digest(one) for one in calls})
    assert digest(calls[0]) == digest(call("f", "{}", id="another"))


def test_pending_calls_show_what_would_run() -> None:
    """The digest changes with approved arguments, since other arguments would run."""
    plan = plan_for(City, tools=[Tool.of(look_up, requires_approval=True, external=True)])
    step = play(plan, called(call("look_up", LOOK_UP)))
    before = pending_calls(step.state)[0]
    after = pending_calls(play(plan, Decided({"c1": Approved({"city": "Bergen"})}), step=step).state)[0]
    assert ("approval", "external") == (before.kind, after.kind)
    assert before.args_digest != after.args_digest
    assert '{"city":"Bergen"}' == after.call.arguments
    assert () == pending_calls(begin(plan).state)


def test_an_output_beside_a_call_settles_after_it() -> None:
    """A reply with an output and a sibling that fails still settles; the failure is counted."""
    plan = changed(plan_for(City, "tool", tools=[look_up]), siblings="run", budget=Budget(tool_retries=0))
    step = play(plan, called(call("look_up", LOOK_UP, "a"), call("final_result", OSLO, "o")))
    step = play(plan, ran(ToolOutcome("a", "failed", text="no")), step=step)
    assert ("output", 1) == (code_of(step), step.state.ledger.tool_failures)

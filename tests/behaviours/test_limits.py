"""Bounds of a run and what counts against them: rows S13 to S19 and warts W5 and W6."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, field_validator
from tests.behaviours.doors import WAYS, Door, failed, succeeded
from tests.behaviours.models import City, call, handed_over
from tests.support import faults_in

from settled import (
    Agent,
    Budget,
    Hooks,
    ModelRequest,
    ModelResponse,
    ProviderError,
    RunContext,
    RunFailed,
    RunStatus,
    StepRecord,
    StopReason,
    StopState,
    Success,
    ToolFailed,
    Usage,
)
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary.stop import NoOutput, Output, StepLimit, ToolFailures


def tick() -> str:
    """A tool that never fails."""
    return "tock"


def broken(part: str = "") -> str:
    """A tool that always fails."""
    raise ToolFailed(f"no such part: {part}")


def busy(name: str = "tick", arguments: str = "{}") -> FunctionProvider:
    """A model that calls one tool for ever."""
    return FunctionProvider(lambda request: call(name, arguments, f"c{request.step}"))


@pytest.mark.row("S13")
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_limit_on_steps_is_exact(door: Door, limit: int) -> None:
    """With ``max_steps=n`` a model is asked n times, not n + 1; the run ends as a value whose reason names the limit."""
    model = busy()
    report = failed(door.settle(Agent(City, tools=[tick], model=model, budget=Budget(max_steps=limit))), "step_limit").report
    assert limit == len(model.requests) == len(report.steps)
    assert StepLimit(limit=limit, used=limit) == report.stop_reason
    assert f"step_limit:{limit}" == report.stop_reason.label
    assert RunStatus.STOPPED is report.status
    assert [] == faults_in(report.messages)


@pytest.mark.row("S13")
def test_an_output_at_the_last_step_is_no_limit(door: Door) -> None:
    """A run that is done with its n-th reply has not met the limit of n."""
    model = ScriptedProvider(call("tick"), handed_over())
    succeeded(door.settle(Agent(City, tools=[tick], model=model, mode="tool", budget=Budget(max_steps=2))))


@pytest.mark.row("S13")
def test_there_is_a_limit_unless_another_is_given(door: Door) -> None:
    """The default is no hidden ceiling but a documented field: 20 steps."""
    model = busy()
    failed(door.settle(Agent(City, tools=[tick], model=model)), "step_limit")
    assert 20 == Budget().max_steps == len(model.requests)


@pytest.mark.row("S14")
def test_a_second_run_counts_anew_and_knows_the_first(door: Door) -> None:
    """Given an earlier outcome as history, a run has its whole budget again, and goes on from the same messages."""
    agent = Agent(City, tools=[tick], model=busy(), budget=Budget(max_steps=2))
    first = failed(door.settle(agent, "First."), "step_limit").report
    model = busy()
    second = failed(door.settle(agent, "Second.", history=first.messages, model=model), "step_limit").report
    assert 2 == len(model.requests) == len(second.steps)
    assert first.messages == model.requests[0].messages[-len(first.messages) - 1 : -1]
    assert "Second." == model.requests[0].messages[-1].text
    assert first.messages == second.messages[: len(first.messages)]
    again = busy()
    failed(door.settle(agent, "Third.", history=door.settle(agent, model=busy()), model=again), "step_limit")
    assert 2 == len(again.requests)


@pytest.mark.row("S15")
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_the_same_call_may_fail_so_often(door: Door, retries: int) -> None:
    """With ``tool_retries=k`` the first k errors of one call go back to the model; error k + 1 ends the run, naming the call."""
    model = busy("broken", '{"part":"keel"}')
    agent = Agent(City, tools=[broken], model=model, budget=Budget(tool_retries=retries))
    end = failed(door.settle(agent), "tool_failures")
    told = [request.messages[-1].text for request in model.requests[1:]]
    assert ["no such part: keel"] * retries == told
    last = call("broken", '{"part":"keel"}', f"c{retries + 1}")
    reason = ToolFailures(tool_call=last, count=retries + 1, scope="call", text="no such part: keel")
    assert (reason, last) == (end.report.stop_reason, end.report.tool_call)
    assert "no such part: keel" == end.report.messages[-1].text, "the error that was one too many is in the history"
    assert [] == faults_in(end.report.messages)
    with pytest.raises(RunFailed) as raised:
        end.unwrap()
    assert raised.value.report is end.report


@pytest.mark.row("S15")
def test_two_failures_are_told_by_default(door: Door) -> None:
    """Without a budget of one's own, the third failure of a call ends the run."""
    model = busy("broken")
    report = failed(door.settle(Agent(City, tools=[broken], model=model)), "tool_failures").report
    assert 2 == Budget().tool_retries
    assert 3 == len(report.steps)


@pytest.mark.row("S16", "W6")
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(['{"a":1,"b":[2]}', '{ "b" : [2], "a" : 1 }', '{"a":1,\n"b":[2]}'], id="spacing and order"),
        pytest.param(['{"a":1,"b":[2]}'] * 3, id="other ids"),
    ],
)
def test_the_same_call_is_known_again(door: Door, arguments: list[str]) -> None:
    """What counts is the tool and its arguments as data: neither their spelling nor the id of the call."""

    def sink(a: int, b: list[int]) -> str:
        """A tool that always fails."""
        raise ToolFailed("it sank")

    model = ScriptedProvider(*[call("sink", text, f"c{place}") for place, text in enumerate(arguments)])
    report = failed(door.settle(Agent(City, tools=[sink], model=model, budget=Budget(tool_retries=2))), "tool_failures").report
    assert report.stop_reason.as_(ToolFailures) is not None
    assert (3, "call") == (report.stop_reason.count, report.stop_reason.scope)  # type: ignore[union-attr]


@pytest.mark.row("S16", "W6")
@pytest.mark.parametrize("total", [0, 1, 4])
def test_a_model_that_varies_its_arguments_is_bounded(door: Door, total: int) -> None:
    """Failures of different calls add up to ``tool_failures_total``; one more ends the run, and the report says which."""
    model = FunctionProvider(lambda request: call("broken", json.dumps({"part": str(request.step)}), f"c{request.step}"))
    report = failed(
        door.settle(Agent(City, tools=[broken], model=model, budget=Budget(tool_failures_total=total))), "tool_failures"
    ).report
    assert total + 1 == len(model.requests)
    assert "tool_failures:run" == report.stop_reason.label
    assert (total + 1, "run") == (report.stop_reason.count, report.stop_reason.scope)  # type: ignore[union-attr]


@pytest.mark.row("W6")
@pytest.mark.parametrize(
    "retries, total, scope, count",
    [pytest.param(1, 5, "call", 2, id="call first"), pytest.param(5, 1, "run", 2, id="run first")],
)
def test_the_first_count_to_be_spent_ends_the_run(door: Door, retries: int, total: int, scope: str, count: int) -> None:
    """Both counts go up with each failure; whichever is spent first ends the run, and the reason names it."""
    budget = Budget(tool_retries=retries, tool_failures_total=total)
    report = failed(door.settle(Agent(City, tools=[broken], model=busy("broken"), budget=budget)), "tool_failures").report
    assert (scope, count) == (report.stop_reason.scope, report.stop_reason.count)  # type: ignore[union-attr]


@pytest.mark.row("S16", "W6")
def test_counts_outlive_a_stop(door: Door) -> None:
    """A run that was stopped and resumed goes on counting; a new run begins at nothing."""

    def after_step(ctx: RunContext, step: StepRecord) -> None:
        if step.number == 1:
            ctx.stop("a rest")

    agent = Agent(City, tools=[broken], hooks=Hooks(after_step=after_step), budget=Budget(tool_retries=1), model=busy("broken"))
    rest = failed(door.settle(agent), "hook")
    report = failed(door.resume(agent, rest), "tool_failures").report
    assert (2, "call") == (report.stop_reason.count, report.stop_reason.scope)  # type: ignore[union-attr]
    assert "hook" == failed(door.settle(agent), "hook").report.code


@pytest.mark.row("S17")
def test_a_complaint_that_is_returned_is_no_failure(door: Door) -> None:
    """A tool that returns a text saying that it failed has not failed: nothing is counted, whatever the text says."""

    def shrugs() -> str:
        """A tool that complains."""
        return "Error: it did not work"

    model = ScriptedProvider(*[call("shrugs")] * 5, handed_over())
    budget = Budget(tool_retries=0, tool_failures_total=0)
    success = succeeded(door.settle(Agent(City, tools=[shrugs], model=model, mode="tool", budget=budget)))
    assert [("ok", "Error: it did not work")] * 5 == [(r.status, r.text) for step in success.steps for r in step.tool_results]


class Odd(BaseModel):
    """A parameter whose validator crashes."""

    part: str

    @field_validator("part")
    @classmethod
    def explode(cls, part: str) -> str:
        """No judgement, but a defect."""
        raise ZeroDivisionError(part)


@pytest.mark.row("S18")
def test_a_defect_around_a_tool_is_no_failure_of_it(door: Door) -> None:
    """User code that crashes before a tool is run ends the run as an error; it is neither counted nor told to the model."""

    def fit(odd: Odd) -> str:
        """Never called."""
        raise AssertionError

    model = ScriptedProvider(call("fit", '{"odd":{"part":"keel"}}'))
    budget = Budget(tool_retries=0, tool_failures_total=0, invalid_tool_retries=0)
    report = failed(door.settle(Agent(City, tools=[fit], model=model, budget=budget)), "error").report
    assert isinstance(report.exception, ZeroDivisionError)
    assert "tool:fit:arguments: ZeroDivisionError: keel" == report.summary
    assert () == report.secondary
    assert 1 == len(model.requests)


class Torn(BaseException):
    """What no tool failure is."""


@pytest.mark.row("S18")
@pytest.mark.parametrize("door", [Door(way) for way in WAYS if way != "persisted"], ids=str)
def test_what_is_no_exception_goes_through(door: Door) -> None:
    """What a tool raises beyond ``Exception`` reaches the caller, and ``on_stop`` hears of the end; it is no failure."""
    heard: list[StopReason] = []

    def tear() -> str:
        """A tool that tears everything down."""
        raise Torn

    hooks = Hooks(on_stop=lambda ctx, reason: heard.append(reason))
    with pytest.raises(Torn):
        door.settle(Agent(City, tools=[tear], model=ScriptedProvider(call("tear")), hooks=hooks))
    assert ["cancelled"] == [reason.kind for reason in heard]


ONCE = Budget(output_retries=0)
ENDS: dict[str, tuple[Callable[[], Agent[Any, Any]], str]] = {
    "output": (lambda: Agent(City, model=ScriptedProvider(handed_over()), mode="tool"), "output"),
    "text": (lambda: Agent(str, model=ScriptedProvider("It is Oslo.")), "output"),
    "text without an output": (lambda: Agent(City, model=ScriptedProvider("Oslo, I think."), budget=ONCE), "no_output"),
    "empty": (lambda: Agent(City, model=ScriptedProvider(ModelResponse()), budget=ONCE), "no_output"),
    "limit": (lambda: Agent(City, tools=[tick], model=busy(), budget=Budget(max_steps=1)), "step_limit"),
}


@pytest.mark.row("S19", "W5")
@pytest.mark.parametrize("name", ENDS)
def test_each_end_has_a_reason_of_its_own(door: Door, name: str) -> None:
    """A limit, a text as the output, a text instead of one, and silence are told apart by the reason alone."""
    made, code = ENDS[name]
    end = door.settle(made())
    reason = end.stop_reason if isinstance(end, Success) else end.report.stop_reason
    assert code == reason.kind
    if isinstance(reason, Output):
        assert ("tool" if name == "output" else "text") == reason.via
    if isinstance(reason, NoOutput):
        assert (name == "empty") == reason.empty


@pytest.mark.row("S19", "W5")
def test_silence_where_text_is_wanted_is_no_output(door: Door) -> None:
    """An empty reply is not the text "": a text agent asks again, and past its retries the reason says that it was empty."""
    silent = [ModelResponse(), ModelResponse.of("  ")]
    success = succeeded(door.settle(Agent(str, model=ScriptedProvider(*silent, "Oslo."))))
    assert "Oslo." == success.output
    report = failed(door.settle(Agent(str, model=ScriptedProvider(*silent), budget=Budget(output_retries=1))), "no_output").report
    assert NoOutput(empty=True) == report.stop_reason


@pytest.mark.parametrize("asked, sent", [(None, [100, 60]), (30, [30, 30]), (5000, [100, 60])], ids=str)
def test_a_hook_cannot_lift_the_cap(door: Door, asked: int | None, sent: list[int]) -> None:
    """A request that ``before_model`` gives is held to the tokens that are left, as any other; one that is cut off by that ends
    the run as `token_limit`.
    """

    def other(ctx: object, request: ModelRequest) -> ModelRequest:
        return request.changed(settings=request.settings.changed(max_tokens=asked))

    first = ModelResponse.of("hm").changed(usage=Usage(requests=1, input_tokens=1, output_tokens=40))
    cut = ModelResponse.of("hm", finish="length").changed(usage=Usage(requests=1, input_tokens=1, output_tokens=60))
    model = ScriptedProvider(first, cut)
    agent = Agent(City, model=model, budget=Budget(max_output_tokens=100), hooks=Hooks(before_model=other))
    failed(door.settle(agent), "truncated" if asked == 30 else "token_limit")
    assert sent == [request.settings.max_tokens for request in model.requests]


def test_ways_to_give_no_arguments(door: Door) -> None:
    """A call without arguments is the same call however that is written, so its failures count together."""
    model = ScriptedProvider(*(call("broken", text, f"c{place}") for place, text in enumerate(["{}", "", "null", " { } "])))
    agent = Agent(City, tools=[broken], model=model, budget=Budget(tool_retries=3))
    reason = failed(door.settle(agent), "tool_failures").report.stop_reason
    assert isinstance(reason, ToolFailures)
    assert ("call", 4) == (reason.scope, reason.count)


def test_what_a_last_step_was_granted_for_is_noted(door: Door) -> None:
    """Where a condition granted a last step, and that step fails, the report still tells of the condition."""

    def fires(state: StopState) -> bool:
        return True

    model = ScriptedProvider(call("tick"), ProviderError("quota", "no credit left"))
    agent = Agent(City, tools=[tick], model=model, stop_when=[fires], budget=Budget(final_step="output_only"))
    report = failed(door.settle(agent), "error").report
    assert ["fires"] == [reason.label for reason in report.secondary]

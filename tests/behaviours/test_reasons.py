"""Reasons as values, and what to do about them: rows S27, S30 and S46. Each reason is made by a run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import OSLO, City, Stuck, call, gave_up, handed_over

from settled import (
    Agent,
    Budget,
    Failure,
    Hooks,
    ModelResponse,
    ProviderError,
    RunStatus,
    StopReason,
    StopState,
    Success,
    Tool,
    ToolFailed,
)
from settled.testing import Refusal, ScriptedProvider, Truncated
from settled.vocabulary import stop

ONCE = Budget(output_retries=0, invalid_tool_retries=0, tool_retries=0, transport_retries=0)


def tick() -> str:
    """A tool."""
    return "tock"


def sink() -> str:
    """A tool that fails."""
    raise ToolFailed("it sank")


def reason_of(end: object) -> Any:
    """The stop reason of an end."""
    if isinstance(end, Success):
        return end.stop_reason
    return failed(end).report.stop_reason


def enough(state: StopState) -> str:
    """Any step is enough."""
    return "enough"


REASONS: dict[str, tuple[dict[str, Any], Any]] = {
    "output": ({}, handed_over()),
    "reported_failure": ({}, gave_up()),
    "output_invalid": ({}, handed_over('{"name":7}')),
    "no_output": ({}, "Hm."),
    "truncated": ({}, Truncated(OSLO[:9])),
    "refused": ({}, Refusal("No.")),
    "content_filtered": ({}, ModelResponse.of("...", finish="content_filter")),
    "tool_failures": ({}, call("sink")),
    "error": ({}, ProviderError("auth", "no such key")),
    "step_limit": ({"budget": Budget(max_steps=1)}, call("tick")),
    "tool_call_limit": ({"budget": Budget(max_tool_calls=0)}, call("tick")),
    "usage_unknown": ({"budget": Budget(max_total_tokens=9)}, call("tick")),
    "time_limit": ({"budget": Budget(max_duration=0)}, None),
    "condition": ({"stop_when": [enough]}, call("tick")),
    "approval_required": ({}, call("gated")),
    "hook": ({"hooks": Hooks(after_step=lambda ctx, step: ctx.stop("enough"))}, call("tick")),
}
GATED = Tool.of(tick, name="gated", requires_approval=True)


def ended_by(door: Door, kind: str) -> object:
    """A run that ends for this reason."""
    more, reply = REASONS[kind]
    model = ScriptedProvider(*[] if reply is None else [reply])
    options: dict[str, Any] = {
        "model": model,
        "mode": "tool",
        "failure_type": Stuck,
        "budget": ONCE,
        "tools": [tick, sink, GATED],
        **more,
    }
    return door.settle(Agent(City, **options))


@pytest.mark.row("S27", "S30")
@pytest.mark.parametrize("kind", REASONS)
def test_a_reason_is_a_value(door: Door, kind: str) -> None:
    """A reason is equal to itself after JSON, and to no other; ``as_`` gives it for its own class, and None for each other."""
    reason = reason_of(ended_by(door, kind))
    assert kind == reason.kind
    adapter: TypeAdapter[Any] = TypeAdapter(StopReason)
    assert reason == adapter.validate_json(adapter.dump_json(reason))
    classes = [
        one
        for one in vars(stop).values()
        if isinstance(one, type) and issubclass(one, stop.Reason) and "kind" in one.model_fields
    ]
    assert 21 == len(classes)
    assert [type(reason)] == [one for one in classes if reason.as_(one) is not None]
    assert reason.as_(type(reason)) is reason
    assert reason != stop.SingleStep()
    assert (kind == "output") == reason.is_success
    assert reason.message


@pytest.mark.row("S27")
def test_the_set_of_reasons_is_open(door: Door) -> None:
    """A kind that this release does not know is loaded as ``other`` with all its data, so a match needs a last arm."""
    written = TypeAdapter[Any](StopReason).dump_python(reason_of(ended_by(door, "hook")), mode="json")
    loaded = TypeAdapter[Any](StopReason).validate_json(json.dumps({**written, "kind": "tide"}))
    assert isinstance(loaded, stop.Other)
    assert {**written, "kind": "tide"} == loaded.raw
    assert not loaded.is_success


@pytest.mark.row("S30")
@pytest.mark.parametrize("kind", REASONS)
def test_a_status_is_a_plain_word(door: Door, kind: str) -> None:
    """The status of an outcome is one of a closed set of words, comparable with them and written as them."""
    end = ended_by(door, kind)
    assert isinstance(end, (Success, Failure))
    assert end.status in list(RunStatus)
    assert end.status == RunStatus(str(end.status)) == json.loads(TypeAdapter(RunStatus).dump_json(end.status))
    assert {"pending", "running", "paused", "completed", "failed", "stopped", "cancelled"} == {str(one) for one in RunStatus}


def crash(*given: Any) -> Any:
    """User code that crashes."""
    raise ZeroDivisionError("in user code")


# What to do about an end.

ADVICE = {
    "reported_failure": (False, ["give the model what it lacks", "show the report to a person"]),
    "tool_failures": (True, ["fix the tool or its description", "raise the limit", "tool_retries"]),
    "approval_required": (False, ["agent.resume(failure, decisions)"]),
    "step_limit": (True, ["agent.resume(failure, budget=...)", "max_steps"]),
    "output_invalid": (True, ["Budget.output_retries"]),
    "no_output": (True, ["instructions"]),
    "truncated": (True, ["Settings.max_tokens"]),
    "refused": (False, ["change the prompt or the model"]),
    "error": (False, ["check the API key"]),
    "hook": (False, ["as the hook asked"]),
}


@pytest.mark.row("S46")
@pytest.mark.parametrize("kind", ADVICE)
def test_a_report_says_what_to_do(door: Door, kind: str) -> None:
    """Each report says whether the same run may end better, and what to do next; so does the long form."""
    retryable, words = ADVICE[kind]
    report = failed(ended_by(door, kind), kind).report
    assert retryable == report.retryable
    assert [] == [word for word in words if word not in report.remedy]
    assert report.remedy in report.render()


@pytest.mark.row("S46")
def test_user_code_that_raised_is_named(door: Door) -> None:
    """For an error of user code the remedy points at the source and the exception."""
    report = failed(door.settle(Agent(City, checks=[crash], model=ScriptedProvider(handed_over()), mode="tool")), "error").report
    assert "mend the code that stop_reason.source names; report.exception is what it raised" == report.remedy
    assert isinstance(report.stop_reason, stop.Error)
    assert "check:crash" == report.stop_reason.source
    assert isinstance(report.exception, ZeroDivisionError)


@pytest.mark.row("S46")
def test_a_success_needs_no_advice(door: Door) -> None:
    """The one reason that is a success is ``output``."""
    assert reason_of(ended_by(door, "output")).is_success
    assert [] == [kind for kind in REASONS if kind != "output" and reason_of(ended_by(door, kind)).is_success]


@pytest.mark.row("S46")
def test_a_new_prompt_goes_on_after_an_end_without_output(door: Door) -> None:
    """A failure is a history: a new run continues the conversation that ended without an output."""
    first = failed(ended_by(door, "no_output"), "no_output")
    model = ScriptedProvider(handed_over())
    succeeded(door.settle(Agent(City, model=model, mode="tool"), "The name, please.", history=first))
    assert ["Go.", "Hm.", "The name, please."] == [message.text for message in model.requests[0].messages[-3:]]

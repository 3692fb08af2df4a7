"""The tool by which a run ends, and the typed value that it carries: rows S1, S4 to S9 and wart W2."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import OSLO, City, Harbour, Stuck, gave_up, handed_over, parameters_of

from settled import Agent, Budget, Hooks, ProviderError, RunContext, StopReason, ToolCall
from settled.testing import ScriptedProvider
from settled.vocabulary.narrowing import is_list, is_mapping
from settled.vocabulary.stop import Error, Output, OutputInvalid, ReportedFailure

NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


def agent_for(form: Any, *replies: object, **options: Any) -> tuple[Agent[Any, Any], ScriptedProvider]:
    """An agent in tool mode, and the model that it asks."""
    model = ScriptedProvider(*replies)
    return Agent(form, model=model, mode="tool", **options), model


@pytest.mark.row("S1")
def test_an_agent_without_tools_offers_one_way_to_end(door: Door) -> None:
    """Without tools or an output there is exactly one tool; it takes nothing, and a call of it ends the run with None."""
    agent, model = agent_for(None, handed_over("{}"))
    success = succeeded(door.settle(agent))
    assert [("final_result", NOTHING)] == [(tool.name, tool.parameters) for tool in model.requests[0].tools]
    assert success.output is None
    assert Output(via="tool", tool_call_id="out", attempts=1) == success.stop_reason


@pytest.mark.row("S4")
def test_a_string_is_carried_in_one_argument(door: Door) -> None:
    """An agent for ``str`` in tool mode is given its text in one argument, and the output is that text."""
    agent, model = agent_for(str, handed_over('{"value":"x"}'))
    assert "x" == succeeded(door.settle(agent)).output
    assert ["value"] == parameters_of(model.requests[0].tools[0])
    assert ["value"] == model.requests[0].tools[0].parameters["required"]


@pytest.mark.row("S4")
def test_a_missing_argument_is_told_to_the_model(door: Door) -> None:
    """A call without the argument is answered as failed, costs an output retry, and past the last one the run ends."""
    agent, model = agent_for(str, handed_over("{}", "a"), handed_over('{"value":"x"}', "b"))
    success = succeeded(door.settle(agent))
    (answer,) = success.steps[0].tool_results
    assert ("a", "failed") == (answer.call_id, answer.status)
    assert "The reply holds no result." in model.requests[1].messages[-1].text
    assert 2 == success.stop_reason.attempts
    agent, model = agent_for(str, handed_over("{}"), budget=Budget(output_retries=0))
    failed(door.settle(agent), "no_output")
    assert 1 == len(model.requests)


@pytest.mark.row("S5")
def test_the_arguments_are_the_value(door: Door) -> None:
    """The whole argument object is the output, without a wrapper around it, and the reason names the call."""
    agent, model = agent_for(City, handed_over(OSLO, "c9"))
    success = succeeded(door.settle(agent))
    assert City(name="Oslo", people=700_000) == success.output
    assert Output(via="tool", tool_call_id="c9", attempts=1) == success.stop_reason
    assert {"name", "people"} == set(parameters_of(model.requests[0].tools[0]))


@pytest.mark.row("S6")
def test_the_schema_of_the_tool_tells_the_docs(door: Door) -> None:
    """Descriptions of fields and classes are in the tool's schema, and every object in it is closed."""
    agent, model = agent_for(Harbour, handed_over('{"name":"Bergen","berths":[{"metres":90}]}'))
    succeeded(door.settle(agent))
    (tool,) = model.requests[0].tools
    told = json.dumps(tool.parameters)
    assert "A harbour with its berths." in tool.description
    texts = ("The name on the chart.", "All berths, from the sea inwards.", "Where a ship lies.", "Its length in metres.")
    assert [text for text in texts if text not in told] == []
    objects = [part for part in _parts(tool.parameters) if part.get("type") == "object"]
    assert [False, False] == [part["additionalProperties"] for part in objects]


@pytest.mark.row("S6")
def test_an_unknown_field_is_refused(door: Door) -> None:
    """What the type forbids is no output: the model is told of the field, and gives the value without it."""
    good = '{"name":"Bergen","berths":[{"metres":90}]}'
    agent, model = agent_for(Harbour, handed_over('{"name":"Bergen","berths":[{"metres":90}],"depth":7}'), handed_over(good))
    assert 2 == succeeded(door.settle(agent)).stop_reason.attempts
    assert "$.depth" in model.requests[1].messages[-1].text


def _parts(schema: Any) -> list[dict[str, Any]]:
    """A schema and all objects in it."""
    if is_mapping(schema):
        return [cast("dict[str, Any]", schema), *(part for inner in schema.values() for part in _parts(inner))]
    return [part for inner in schema for part in _parts(inner)] if is_list(schema) else []


class Even(BaseModel):
    """An even number."""

    model_config = ConfigDict(extra="forbid")
    number: int = Field(ge=0)

    @field_validator("number")
    @classmethod
    def is_even(cls, number: int) -> int:
        """No odd ones."""
        if number % 2:
            raise ValueError("must be even")
        return number


@pytest.mark.row("S7", "W2")
@pytest.mark.parametrize(
    "arguments",
    ['{"number":"many"}', '{"number":-2}', '{"number":3}', '{"count":4}', "[4]"],
    ids=["type", "bound", "validator", "field", "shape"],
)
def test_a_payload_that_does_not_fit_is_no_success(door: Door, arguments: str) -> None:
    """It is validated before it is accepted: asked for again within ``output_retries``, and then a failure, never an output."""
    agent, model = agent_for(Even, handed_over(arguments), handed_over('{"number":4}'))
    success = succeeded(door.settle(agent))
    assert Even(number=4) == success.output
    assert ["invalid", "valid"] == [attempt.outcome for attempt in success.attempts]
    agent, model = agent_for(Even, *[handed_over(arguments)] * 3, budget=Budget(output_retries=2))
    report = failed(door.settle(agent), "output_invalid").report
    assert 3 == len(model.requests)
    assert isinstance(report.stop_reason, OutputInvalid)
    assert not report.stop_reason.is_success
    assert json.loads(arguments) == report.partial_output


@pytest.mark.row("S8")
@pytest.mark.parametrize(
    "said, code",
    [
        pytest.param(handed_over('{"name":"Oslo",', "a"), "truncated", id="output that breaks off"),
        pytest.param(handed_over('{"name" is: [}', "a"), "output_invalid", id="output"),
        pytest.param(gave_up("{no reason", "a"), "no_output", id="report without JSON"),
        pytest.param(gave_up('{"reason" is: [}', "a"), "output_invalid", id="report"),
    ],
)
def test_arguments_that_are_no_json_are_told_and_counted(door: Door, said: ToolCall, code: str) -> None:
    """Broken arguments of the output or failure tool go back to the model as the answer to that call, and cost a retry."""
    agent, model = agent_for(City, said, handed_over(), failure_type=Stuck)
    success = succeeded(door.settle(agent))
    assert [("a", "failed")] == [(result.call_id, result.status) for result in success.steps[0].tool_results]
    assert "final_result" in model.requests[1].messages[-1].text
    agent, model = agent_for(City, said, failure_type=Stuck, budget=Budget(output_retries=0))
    failed(door.settle(agent), code)
    assert 1 == len(model.requests)


@pytest.mark.row("S8")
@pytest.mark.parametrize("arguments", ["", "{}", "null", '{"note":"all done"}', '{"note":', "done"])
def test_an_end_without_a_value_takes_any_arguments(door: Door, arguments: str) -> None:
    """Where nothing but None can be handed over, a call ends the run whatever stands in its arguments."""
    agent, model = agent_for(None, handed_over(arguments))
    assert succeeded(door.settle(agent)).output is None
    assert 1 == len(model.requests)


@pytest.mark.row("S9")
@pytest.mark.parametrize(
    "reply, kind",
    [
        pytest.param(handed_over(), Output, id="output"),
        pytest.param(gave_up(), ReportedFailure, id="report"),
        pytest.param(ProviderError("auth", "no such key"), Error, id="error"),
    ],
)
def test_the_hook_hears_the_reason_of_the_end(door: Door, reply: Any, kind: type[Any]) -> None:
    """``on_stop`` gets the reason that the outcome holds: with the payload of a report, and with what an error was."""
    heard: list[StopReason] = []

    def on_stop(ctx: RunContext, reason: StopReason) -> None:
        heard.append(reason)

    agent, _ = agent_for(City, reply, failure_type=Stuck, hooks=Hooks(on_stop=on_stop))
    end = door.settle(agent)
    (reason,) = heard
    assert isinstance(reason, kind)
    assert reason == (end.report.stop_reason if kind is not Output else succeeded(end).stop_reason)  # type: ignore[union-attr]
    if isinstance(reason, ReportedFailure):
        assert {"reason": "no map"} == reason.payload
    if isinstance(reason, Error):
        assert ("auth", "no such key", "provider") == (reason.error_type, reason.message, reason.source)

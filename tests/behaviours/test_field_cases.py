"""Faults that people reported about other libraries, with inputs of our own: several calls in one reply (B22, B23, B25), and what
re-asks cost (B52, B53, B55, B56).
"""

from __future__ import annotations

from typing import Any, cast

import pytest
from pydantic import BaseModel, create_model
from tests.behaviours.doors import Door, failed, succeeded
from tests.behaviours.models import handed_over
from tests.support import faults_in

from settled import Agent, Budget, Capabilities, FinishReason, ModelResponse, ProviderError, Text, ToolCall, ToolResult, Usage
from settled.core.events import ModelReplied, SteppedDown
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import NoOutput, OutputInvalid


def reply(
    *calls: ToolCall, text: str | None = None, finish: str | None = None, usage: tuple[int, int] = (10, 5)
) -> ModelResponse:
    """One answer of a provider."""
    parts = (*(() if text is None else (Text(text=text),)), *calls)
    word = finish or ("tool_calls" if calls else "stop")
    spent = Usage(requests=1, input_tokens=usage[0], output_tokens=usage[1])
    return ModelResponse(parts=parts, finish_reason=FinishReason.from_wire(word), usage=spent)


def case(
    door: Door, form: Any, *script: ModelResponse, retries: int = 1, mode: Any = "tool", **more: Any
) -> tuple[Any, ScriptedProvider]:
    """How a run with this script ends, and the model that was asked."""
    model = ScriptedProvider(*script)
    agent: Agent[Any, Any] = Agent(form, model=model, mode=mode, budget=Budget(output_retries=retries), **more)
    return door.settle(agent), model


class Halt(BaseModel):
    """Where a train halts."""

    town: str


@pytest.mark.parametrize("order", [["p", "q"], ["q", "p"]], ids=["bad first", "good first"])
def test_b22_both_calls_are_answered(door: Door, order: list[str]) -> None:
    """Two output calls, one of them invalid: the model is asked again, and each id is answered once, in order, at once."""
    calls = {"p": handed_over('{"town":7}', "p"), "q": handed_over('{"town":"Brno"}', "q")}
    end, model = case(door, Halt, reply(*[calls[name] for name in order]), reply(handed_over('{"town":"Brno"}', "r")))
    assert Halt(town="Brno") == succeeded(end).output
    said, answers = model.requests[1].messages[-2:]
    assert order == [part.id for part in said.parts if isinstance(part, ToolCall)]
    assert order == [part.call_id for part in answers.parts if isinstance(part, ToolResult)]
    assert [] == faults_in(model.requests[1].messages)


class Brief(BaseModel):
    """A news brief."""

    title: str
    lead: str


PIECES = reply(handed_over('{"title":"Dam"}', "a"), handed_over('{"lead":"It rained."}', "b"))


def test_b23_one_call_for_each_field(door: Door) -> None:
    """An object in pieces is no output: past the retries it is a typed failure."""
    end, model = case(door, Brief, PIECES, retries=0)
    report = failed(end, "output_invalid").report
    assert 1 == len(model.requests)
    assert OutputInvalid(attempts=1, mode="tool", issues=("$.lead",)) == report.stop_reason
    assert [] == faults_in(report.messages)


def test_b23_the_model_is_told_to_call_once(door: Door) -> None:
    """With a retry left, the model is told what is missing, and to give the whole in one call."""
    end, model = case(door, Brief, PIECES, reply(handed_over('{"title":"Dam","lead":"It rained."}')))
    assert Brief(title="Dam", lead="It rained.") == succeeded(end).output
    told = model.requests[1].messages[-1].text
    assert "$.lead: required, but missing" in told
    assert "Give the whole result by calling final_result, exactly once." in told


class Ping(BaseModel):
    """A host that answers."""

    host: str


def test_b25_calls_are_announced_and_there_is_none(door: Door) -> None:
    """A finish reason that speaks of calls, and no call: an empty reply, asked again once."""
    end, model = case(door, Ping, reply(finish="tool_calls"), reply(handed_over('{"host":"db1"}')))
    success = succeeded(end)
    assert Ping(host="db1") == success.output
    assert (2, ["no_payload", "valid"]) == (len(model.requests), [attempt.outcome for attempt in success.attempts])
    end, model = case(door, Ping, reply(finish="tool_calls"), retries=0)
    assert NoOutput(empty=True) == failed(end, "no_output").report.stop_reason


PADDED = '{"pad":"' + "y" * 10_000 + '"}'


@pytest.mark.parametrize("fields", [20, 400])
def test_b52_feedback_does_not_grow_with_the_reply(door: Door, fields: int) -> None:
    """Many issues with a reply of 10 KB: the feedback quotes none of it and stays short, and the reply is sent back once."""
    big = create_model("Big", **cast("dict[str, Any]", {f"k{place}": (int, ...) for place in range(fields)}))
    end, model = case(door, big, reply(handed_over(PADDED)), reply(handed_over(PADDED)))
    failed(end, "output_invalid")
    assert len(model.requests[1].messages[-1].text) <= 2048
    assert "yyy" not in model.requests[1].messages[-1].text
    written = "".join(message.model_dump_json() for message in model.requests[1].messages)
    assert len(written) < 2 * len(PADDED)
    assert 1 == written.count("y" * 10_000)


class Never(BaseModel):
    """What the model never gives."""

    n: int


@pytest.mark.parametrize("retries", [0, 2, 5])
def test_b53_re_asks_have_a_budget_of_their_own(door: Door, retries: int) -> None:
    """A model that is wrong fifty times is asked once and as often again as the retries allow, not up to the limit on steps."""
    end, model = case(door, Never, *[reply(handed_over('{"n":"x"}'))] * 50, retries=retries)
    failed(end, "output_invalid")
    assert retries + 1 == len(model.requests)


class Hop(BaseModel):
    """One leg of a journey."""

    to: str


def test_b55_no_call_is_silent(door: Door) -> None:
    """A reply that is of no use is seen by observers, paid for, and in the account with what the model was told."""
    events: list[object] = []
    script = [reply(text="to: Oslo"), reply(handed_over('{"to":"Oslo"}'))]
    able = Capabilities(json_schema="rejected", tools="enforced")
    end, model = case(door, Hop, *script, mode="auto", capabilities=able, observers=[events.append])
    success = succeeded(end)
    assert Hop(to="Oslo") == success.output
    assert (2, 20, 10) == (success.usage.requests, success.usage.input_tokens, success.usage.output_tokens)
    assert 2 == len([event for event in events if isinstance(event, ModelReplied)]) == len(model.requests)
    assert ["ask", "reask"] == [step.purpose for step in success.steps]
    assert ["no_payload", "valid"] == [attempt.outcome for attempt in success.attempts]
    assert success.attempts[0].feedback == model.requests[1].messages[-1].text
    assert None is success.degraded_from


def test_b55_no_step_down_is_silent(door: Door) -> None:
    """Where a server refuses a mode, the other mode is an event, a step of the budget, and named by the outcome."""
    events: list[object] = []
    model = ScriptedProvider(ProviderError("invalid_request", "no", feature="response_format"), Hop(to="Oslo"))
    agent = Agent(Hop, model=model, observers=[events.append], budget=Budget(max_steps=2))
    success = succeeded(door.settle(agent))
    assert [SteppedDown("native", "tool", "response_format")] == [event for event in events if isinstance(event, SteppedDown)]
    assert ("native", "response_format", "tool") == (success.degraded_from, success.degraded_by, success.mode)
    assert ["error", "valid"] == [attempt.outcome for attempt in success.attempts]
    refused = ProviderError("invalid_request", "no", feature="response_format")
    failed(door.settle(agent, model=ScriptedProvider(refused), budget=Budget(max_steps=1)))


class Age(BaseModel):
    """How old somebody is."""

    years: int


BAD, GOOD = reply(handed_over('{"years":"old"}'), usage=(100, 7)), reply(handed_over('{"years":41}'), usage=(130, 6))


def test_b56_usage_is_that_of_all_attempts(door: Door) -> None:
    """Failed attempts are paid for as well: the sums are over all of them, on success and on failure."""
    success = succeeded(case(door, Age, BAD, GOOD)[0])
    assert Age(years=41) == success.output
    assert Usage(requests=2, input_tokens=230, output_tokens=13) == success.usage
    assert [(100, 7), (130, 6)] == [(attempt.usage.input_tokens, attempt.usage.output_tokens) for attempt in success.attempts]
    report = failed(case(door, Age, BAD, BAD)[0], "output_invalid").report
    assert Usage(requests=2, input_tokens=200, output_tokens=14) == report.usage

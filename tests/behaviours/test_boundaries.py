"""Every limit of the budget at its exact boundary: what a run needs is enough, and one less ends it with the limit's own code."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from tests.behaviours.doors import Door, failed, succeeded

from settled import Agent, Budget, FinishReason, ModelResponse, ProviderError, Settings, Text, ToolCall, Usage
from settled.testing import Reply, ScriptedProvider, Truncated

LOST = ProviderError("connection", "reset", retry_after=0.0)


def fails(place: int) -> str:
    """A tool that always fails."""
    raise LookupError(place)


def works() -> str:
    """A tool that works, and takes its time."""
    time.sleep(0.05)
    return "done"


def calling(name: str, arguments: str = "{}") -> ToolCall:
    """A call."""
    return ToolCall(id=f"{name}{arguments}", name=name, arguments=arguments)


def costing(**usage: Any) -> ModelResponse:
    """A reply without output, and what it cost."""
    said = (Text(text="Let me see."),)
    return ModelResponse(parts=said, finish_reason=FinishReason.from_wire("stop"), usage=Usage(requests=1, **usage))


class Case(NamedTuple):
    """A limit, the value that just does, the value that does not, and what the model says before its output."""

    field: str
    enough: object
    short: object
    code: str
    replies: tuple[Reply, ...]
    also: dict[str, Any] = {}
    label: str | None = None


CALLS = (calling("works"), calling("works", '{ }'))  # fmt: skip
CASES = (
    Case("max_steps", 3, 2, "step_limit", ("?", "?"), {"output_retries": 9}, "step_limit:2"),
    Case("transport_retries", 2, 1, "error", (LOST, LOST)),
    Case("output_retries", 2, 1, "no_output", ("?", "?")),
    Case("output_retries", 2, 1, "output_invalid", ('{"value": "x"}', '{"value": "x"}')),
    Case("truncation_retries", 2, 1, "truncated", (Truncated("7"), Truncated("7"))),
    Case("max_tokens_ceiling", 11, 10, "truncated", (Truncated("7"),)),
    Case("tool_retries", 2, 1, "tool_failures", (calling("fails", '{"place": 1}'),) * 2, {}, "tool_failures:call"),
    Case(
        "tool_failures_total",
        2,
        1,
        "tool_failures",
        (calling("fails", '{"place": 1}'), calling("fails", '{"place": 2}')),
        {},
        "tool_failures:run",
    ),
    Case("invalid_tool_retries", 2, 1, "tool_failures", (calling("no_such"),) * 2, {}, "tool_failures:unknown_tool"),
    Case("max_tool_calls", 2, 1, "tool_call_limit", CALLS, {}, "tool_call_limit:1"),
    Case("max_input_tokens", 11, 10, "token_limit", (costing(input_tokens=10, output_tokens=1),), {}, "token_limit:10"),
    Case("max_output_tokens", 11, 10, "token_limit", (costing(input_tokens=1, output_tokens=10),), {}, "token_limit:10"),
    Case("max_total_tokens", 21, 20, "token_limit", (costing(input_tokens=10, output_tokens=10),), {}, "token_limit:20"),
    Case("max_cost", "0.31", "0.3", "cost_limit", tuple(costing(cost=Decimal(c)) for c in ("0.1", "0.2")), {}, "cost_limit:0.3"),
    Case("max_duration", 60, 0.03, "time_limit", (calling("works"),)),
    Case("on_unknown_usage", "ignore", "stop", "usage_unknown", (costing(),), {"max_total_tokens": 99}),
    Case("on_unknown_usage", "ignore", "stop", "usage_unknown", (costing(input_tokens=1, output_tokens=1),), {"max_cost": 9}),
)  # fmt: skip
each_case = pytest.mark.parametrize("case", CASES, ids=[f"{case.field}-{case.code}" for case in CASES])


def agent_for(case: Case, limit: object) -> Agent[int]:
    """The agent, with this limit."""
    budget = Budget.model_validate({**case.also, case.field: limit})
    return Agent(int, tools=[fails, works], budget=budget, settings=Settings(max_tokens=10))


@each_case
def test_what_is_needed_is_enough(door: Door, case: Case) -> None:
    """A limit of exactly what the run needs lets it end with its output."""
    fake = ScriptedProvider(*case.replies, 7)
    assert succeeded(door.settle(agent_for(case, case.enough), model=fake)).output == 7
    assert fake.leftover == 0


@each_case
def test_one_less_ends_the_run(door: Door, case: Case) -> None:
    """A limit of one less ends the run with the limit's own code, before the output is asked for."""
    fake = ScriptedProvider(*case.replies, 7)
    report = failed(door.settle(agent_for(case, case.short), model=fake), case.code).report
    assert fake.leftover == 1
    assert case.label in (None, report.stop_reason.label)


def test_every_limit_is_tried() -> None:
    """The table holds every field of the budget but those that limit nothing."""
    assert {case.field for case in CASES} == set(Budget.model_fields) - {"final_step", "price", "max_parallel_tools"}

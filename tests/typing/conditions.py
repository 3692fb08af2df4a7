"""Stop conditions and observers. Read by type checkers; nothing here is called."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from decimal import Decimal

from typing_extensions import assert_type

from settled import Agent, Failure, FinishReason, StopDecision, StopState, Success
from settled.conditions import (
    StopCondition,
    aevaluate_stop_conditions,
    all_of,
    any_of,
    evaluate_stop_conditions,
    finish_reason_is,
    has_tool_call,
    max_cost,
    max_duration,
    max_tokens_used,
    named,
    never,
    not_,
    repeated_tool_call,
    step_count_is,
    text_matches,
    tool_errors,
)
from settled.events import (
    ModelReplied,
    Observer,
    RunEnded,
    RunPaused,
    RunStarted,
    ToolsDone,
    Watched,
)


def late(state: StopState) -> bool:
    return state.elapsed > 9


async def alate(state: StopState) -> StopDecision | None:
    return None


def said(state: StopState) -> str | None:
    assert_type(state.last_text, str)
    return None


agent = Agent(
    int,
    stop_when=[
        step_count_is(3),
        max_tokens_used(40_000, on_unknown="ignore"),
        max_cost("0.50"),
        max_cost(Decimal("0.50"), on_unknown="warn"),
        max_cost(1),
        max_cost(0.5),
        max_duration(60),
        max_duration(timedelta(minutes=1)),
        has_tool_call("search", "book", scope="any"),
        finish_reason_is("length", FinishReason(kind="error"), scope="last"),
        tool_errors(),
        repeated_tool_call(3),
        text_matches("done"),
        text_matches(re.compile("done")),
        any_of(late, alate, said),
        all_of(step_count_is(3), not_(has_tool_call("search"))),
        named("late", lambda state: state.elapsed > 9),
        never(),
        late,
        alate,
        said,
        lambda state: len(state.steps) > 2,
    ],
)


def runs(condition: StopCondition) -> None:
    agent.run("?", stop_when=[condition, step_count_is(3), any_of(condition, alate)])
    agent.with_(stop_when=(never(), late))
    mixed = [step_count_is(3), any_of(late, alate)]
    agent.run("?", stop_when=mixed)


async def asked(state: StopState) -> None:
    assert_type(step_count_is(3)(state), StopDecision | None)
    assert_type(any_of(late, alate)(state), StopDecision | None | Awaitable[StopDecision | None])
    assert_type(evaluate_stop_conditions([late, alate, never()], state), StopDecision | None)
    assert_type(await aevaluate_stop_conditions((late, alate), state), StopDecision | None)
    takes: Callable[[StopState], StopDecision | None] = max_duration(60)
    takes(state)


def watch(event: Watched) -> None:
    if isinstance(event, RunStarted):
        assert_type(event.agent, str | None)
    elif isinstance(event, RunEnded):
        assert_type(event.outcome, Success[object] | Failure[object])
        assert_type(event.run_id, str)
    elif isinstance(event, RunPaused):
        assert_type(event.paused.run_id, str)
    elif isinstance(event, ModelReplied):
        assert_type(event.response.text, str)
    elif isinstance(event, ToolsDone):
        assert_type([outcome.call_id for outcome in event.outcomes], list[str])


observer: Observer = watch
Agent(int, observers=[watch, observer, print])


def wrong(state: StopState) -> None:
    step_count_is("3")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    has_tool_call(["search"])  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    has_tool_call("search", scope="all")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    max_cost(1, on_unknown="no")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    any_of([late])  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    any_of("step_count:3")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    Agent(int, stop_when=["step_count:3"])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]
    Agent(int, stop_when=[len])  # type: ignore[list-item]  # ty: ignore[invalid-argument-type]

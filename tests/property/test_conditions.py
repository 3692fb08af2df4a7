"""Properties of conditions: joining them is boolean algebra on firing, and sync and async evaluation agree."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from settled import Budget, FinishReason, Message, StepRecord, StopDecision, StopState, ToolCall, Usage
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

names = st.sampled_from(["search", "book"])
scopes = st.sampled_from(["last", "any"])
policies = st.sampled_from(["stop", "warn", "ignore"])
calls = st.builds(ToolCall, id=st.just("c"), name=names, arguments=st.sampled_from(['{"a":1}', '{ "a": 1 }', "null", '{"a']))
usages = st.builds(
    Usage,
    requests=st.just(1),
    input_tokens=st.none() | st.integers(0, 9),
    output_tokens=st.none() | st.integers(0, 9),
    cost=st.none() | st.sampled_from([Decimal("0.1"), Decimal("0.2")]),
)
steps = st.builds(
    StepRecord,
    number=st.just(1),
    finish_reason=st.sampled_from(["stop", "length", "end_turn", None]).map(FinishReason.from_wire),
    usage=usages,
    tool_calls=st.lists(calls, max_size=2).map(tuple),
    added=st.integers(0, 2),
)
texts = st.sampled_from(["done", "not yet", ""]).map(Message.assistant)


def state_of(taken: list[StepRecord], messages: list[Message], elapsed: float, failures: int) -> StopState:
    """What a condition sees after these steps."""
    usage = sum((step.usage for step in taken), Usage())
    return StopState(
        steps=tuple(taken), messages=tuple(messages), usage=usage, elapsed=elapsed, tool_failures=failures, budget=Budget()
    )


states = st.builds(
    state_of, st.lists(steps, max_size=4), st.lists(texts, min_size=2, max_size=4), st.sampled_from([0.0, 5.0]), st.integers(0, 3)
)


def answering(answer: object, *, is_async: bool) -> StopCondition:
    """A condition of the caller's."""

    async def later(state: StopState) -> object:
        await asyncio.sleep(0)
        return answer

    def at_once(state: StopState) -> object:
        return answer

    return cast("StopCondition", later if is_async else at_once)


own = st.builds(answering, st.sampled_from([None, False, True, "", "a reason", StopDecision("l", "m")]), is_async=st.booleans())
leaves = st.one_of(
    st.builds(step_count_is, st.integers(0, 4)),
    st.builds(max_tokens_used, st.integers(0, 30), on_unknown=policies),
    st.builds(max_cost, st.sampled_from(["0", "0.3", "9"]), on_unknown=policies),
    st.builds(max_duration, st.sampled_from([0, 3, 9])),
    st.builds(tool_errors, st.integers(1, 3)),
    st.builds(has_tool_call, names, scope=scopes),
    st.builds(finish_reason_is, st.sampled_from(["stop", "length", "end_turn", "unspecified"]), scope=scopes),
    st.builds(repeated_tool_call, st.integers(1, 3)),
    st.builds(text_matches, st.sampled_from(["done", "^$"])),
    st.builds(never),
    own,
)


def deeper(inner: st.SearchStrategy[StopCondition]) -> st.SearchStrategy[StopCondition]:
    """Conditions made of others."""
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        several.map(lambda members: any_of(*members)),
        several.map(lambda members: all_of(*members)),
        inner.map(not_),
        st.builds(named, st.just("named"), inner),
    )


conditions = st.recursive(cast("st.SearchStrategy[StopCondition]", leaves), deeper, max_leaves=6)


def fires(condition: StopCondition, state: StopState) -> bool:
    """Whether it gives a reason."""
    return evaluate_stop_conditions([condition], state) is not None


@given(conditions, conditions, conditions, states)
def test_joining_is_boolean_algebra(a: StopCondition, b: StopCondition, c: StopCondition, state: StopState) -> None:
    """Or, and, not; De Morgan, distribution, double negation, the neutral element; a name changes nothing."""
    x, y, z = fires(a, state), fires(b, state), fires(c, state)
    assert fires(any_of(a, b, c), state) == (x or y or z)
    assert fires(all_of(a, b, c), state) == (x and y and z)
    assert fires(not_(a), state) == (not x)
    assert fires(not_(not_(a)), state) == x
    assert fires(not_(any_of(a, b)), state) == fires(all_of(not_(a), not_(b)), state)
    assert fires(all_of(a, any_of(b, c)), state) == fires(any_of(all_of(a, b), all_of(a, c)), state)
    assert fires(any_of(a, never()), state) == x
    assert fires(named("x", a), state) == x


@given(st.lists(conditions, max_size=4), states)
def test_sync_and_async_evaluation_agree(asked: list[StopCondition], state: StopState) -> None:
    """The same decision, which is that of the first one that gives a reason by itself; `any_of` gives it too."""
    decision = evaluate_stop_conditions(asked, state)
    assert decision == asyncio.run(aevaluate_stop_conditions(asked, state))
    alone = (evaluate_stop_conditions([one], state) for one in asked)
    assert decision == next((one for one in alone if one is not None), None)
    assert not asked or decision == evaluate_stop_conditions([any_of(*asked)], state)

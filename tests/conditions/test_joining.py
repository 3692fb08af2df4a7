"""Conditions made of others, and asking by hand: all are asked, in order, and sync and async members mix."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable

import pytest

from settled import Budget, StopDecision, StopState, Usage
from settled.conditions import (
    StopCondition,
    aevaluate_stop_conditions,
    all_of,
    any_of,
    evaluate_stop_conditions,
    named,
    never,
    not_,
    step_count_is,
)

STATE = StopState(steps=(), messages=(), usage=Usage(), elapsed=0.0, tool_failures=0, budget=Budget())
Asking = Callable[[list[StopCondition]], "StopDecision | None"]


class Says:
    """A condition that answers so, and notes that it was asked."""

    def __init__(self, asked: list[str], name: str, answer: object) -> None:
        """Asked by name."""
        self.asked, self.__name__, self.answer = asked, name, answer

    def __call__(self, state: StopState) -> bool:
        """Answers, or raises."""
        self.asked.append(self.__name__)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]  # what users may do wrong


class SaysLater(Says):
    """An async one."""

    async def __call__(self, state: StopState) -> bool:  # type: ignore[override]
        """Answers, or raises, after a moment."""
        await asyncio.sleep(0)
        return super().__call__(state)


def by_hand(conditions: list[StopCondition]) -> StopDecision | None:
    """From sync code."""
    return evaluate_stop_conditions(conditions, STATE)


def awaited(conditions: list[StopCondition]) -> StopDecision | None:
    """From an event loop."""
    return asyncio.run(aevaluate_stop_conditions(conditions, STATE))


def joined(conditions: list[StopCondition]) -> StopDecision | None:
    """As one condition."""
    return evaluate_stop_conditions([any_of(*conditions)], STATE)


each_door = pytest.mark.parametrize("ask", [by_hand, awaited, joined], ids=["sync", "async", "any_of"])
each_colour = pytest.mark.parametrize(
    "kinds",
    [(Says, Says, Says), (SaysLater, SaysLater, SaysLater), (Says, SaysLater, Says), (SaysLater, Says, SaysLater)],
    ids=["sync", "async", "one async", "one sync"],
)


@pytest.mark.parametrize(
    "answers, due",
    [
        pytest.param((None, False, ""), None, id="none"),
        pytest.param((None, True, "later"), StopDecision("b", "b"), id="true is called by its name"),
        pytest.param((None, "a reason", StopDecision("l", "m")), StopDecision("a reason", "a reason"), id="text"),
        pytest.param((StopDecision("l", "m"), "a reason", True), StopDecision("l", "m"), id="the first in order"),
    ],
)
@each_colour
@each_door
def test_the_first_in_order_wins(
    ask: Asking, kinds: tuple[type[Says], ...], answers: tuple[object, ...], due: StopDecision | None
) -> None:
    """All are asked, also after one has fired."""
    asked: list[str] = []
    conditions = [kind(asked, name, answer) for kind, name, answer in zip(kinds, "abc", answers, strict=True)]
    assert due == ask([*conditions])
    assert ["a", "b", "c"] == asked


@each_colour
@each_door
def test_what_one_raises_is_raised_after_the_others(ask: Asking, kinds: tuple[type[Says], ...]) -> None:
    """The first exception, once all have been asked, whatever the others say."""
    asked: list[str] = []
    answers = True, KeyError("first"), OSError("second")
    conditions = [kind(asked, name, answer) for kind, name, answer in zip(kinds, "abc", answers, strict=True)]
    with pytest.raises(KeyError, match="first"):
        ask([*conditions])
    assert ["a", "b", "c"] == asked


@each_door
def test_an_answer_of_another_kind_is_a_fault(ask: Asking) -> None:
    """It names the condition and the type, and the others are asked all the same."""
    asked: list[str] = []
    with pytest.raises(TypeError, match="stop condition a gave int, not None, bool, str or StopDecision"):
        ask([Says(asked, "a", 7), Says(asked, "b", True)])
    assert ["a", "b"] == asked


def test_no_conditions_say_nothing() -> None:
    """An empty list gives no reason."""
    assert evaluate_stop_conditions([], STATE) is None
    assert asyncio.run(aevaluate_stop_conditions([], STATE)) is None


def yes(state: StopState) -> bool:
    """Fires."""
    return True


async def later(state: StopState) -> str:
    """Fires, after a moment."""
    return "at last"


NO, YES = never(), step_count_is(0)
REACHED = "maximum number of steps (0) reached"


@pytest.mark.parametrize(
    "condition, due",
    [
        pytest.param(any_of(NO, YES), ("step_count:0", REACHED), id="any of them"),
        pytest.param(any_of(NO, NO), None, id="none of them"),
        pytest.param(all_of(YES, yes), ("step_count:0 & yes", f"{REACHED}; yes"), id="all of them"),
        pytest.param(all_of(YES, NO), None, id="not all of them"),
        pytest.param(not_(NO), ("not:never", "never did not hold"), id="not"),
        pytest.param(not_(YES), None, id="not not"),
        pytest.param(not_(not_(YES)), ("not:not:step_count:0", "not:step_count:0 did not hold"), id="twice"),
        pytest.param(named("enough", YES), ("enough", REACHED), id="named"),
        pytest.param(named("enough", yes), ("enough", "enough"), id="named true"),
        pytest.param(named("enough", NO), None, id="named, and does not fire"),
        pytest.param(
            all_of(any_of(NO, YES), not_(NO)), ("step_count:0 & not:never", f"{REACHED}; never did not hold"), id="nested"
        ),
        pytest.param(any_of(NO, later), ("at last", "at last"), id="async inside"),
        pytest.param(all_of(later, named("x", later)), ("at last & x", "at last; at last"), id="async inside all"),
        pytest.param(not_(later), None, id="async inside not"),
        pytest.param(any_of(functools.partial(yes)), ("yes", "yes"), id="partial"),
    ],
)
def test_what_a_joined_one_says(condition: StopCondition, due: tuple[str, str] | None) -> None:
    """Labels and messages are made of those of the members."""
    decision = None if due is None else StopDecision(*due)
    assert decision == evaluate_stop_conditions([condition], STATE)
    assert decision == asyncio.run(aevaluate_stop_conditions([condition], STATE))


def test_sync_members_are_answered_at_once() -> None:
    """Nothing has to be awaited unless a member has to be, however deep."""
    assert StopDecision("step_count:0", REACHED) == any_of(named("x", NO), all_of(YES))(STATE)
    coroutine = any_of(YES, named("x", all_of(later)))(STATE)
    assert inspect.iscoroutine(coroutine)
    assert StopDecision("step_count:0", REACHED) == asyncio.run(coroutine)


def test_by_hand_inside_a_loop() -> None:
    """The sync door works there too: async conditions are awaited on a loop of their own."""

    async def main() -> StopDecision | None:
        return evaluate_stop_conditions([later], STATE)

    assert StopDecision("at last", "at last") == asyncio.run(main())

"""The real model, streamed: what is shown while it writes only grows, and the end is that of any run."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from settled import Agent, Budget, Failure, OutputMode, Settings, Success
from settled.providers import LocalModel
from settled.recovery.drafts import Draft
from settled.streaming import Restarted, Settled, StepFinished, StreamEvent, TextDelta
from settled.vocabulary.narrowing import is_list, is_mapping

pytestmark = [pytest.mark.local, pytest.mark.timeout(600), pytest.mark.usefixtures("weights")]


class Step(BaseModel):
    """One step of a recipe."""

    text: str = Field(max_length=60)
    kind: Literal["cut", "mix", "heat"]
    minutes: int = Field(ge=1, le=90)


class Recipe(BaseModel):
    """A recipe."""

    title: str = Field(max_length=40)
    is_vegan: bool
    steps: list[Step] = Field(min_length=2, max_length=3)


Steps: Any = Annotated[list[Step], Field(min_length=2, max_length=3)]
PROMPT = "Write a recipe for a tomato soup."
BUDGET = Budget(max_steps=3, max_duration=240)
SETTINGS = Settings(max_tokens=400, seed=1)
WAYS: tuple[tuple[OutputMode, bool], ...] = (("native", False), ("native", True), ("tool", True), ("prompted", False))


def agent_of(form: Any, mode: OutputMode) -> Agent[Any]:
    """An agent with the small model."""
    return Agent(form, model=LocalModel("smollm2"), mode=mode, budget=BUDGET, settings=SETTINGS)


def grows(before: Any, after: Any) -> bool:
    """Whether what was shown is still there: texts and containers may be longer at their end, all else is the same."""
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    if is_mapping(before) and is_mapping(after):
        return [*before] == [*after][: len(before)] and all(grows(before[key], after[key]) for key in before)
    if is_list(before) and is_list(after):
        return len(before) <= len(after) and all(map(grows, before, after))
    return bool(before == after)


def drafts_of(agent: Agent[Any], *, is_async: bool) -> tuple[list[Draft], Success[Any] | Failure[Any]]:
    """All drafts, and the outcome."""

    async def main() -> tuple[list[Draft], Success[Any] | Failure[Any]]:
        async with agent.astream(PROMPT) as stream:
            return [draft async for draft in stream.drafts()], await stream.outcome()

    if is_async:
        return asyncio.run(main())
    with agent.stream(PROMPT) as stream:
        return [*stream.drafts()], stream.outcome()


@pytest.mark.parametrize("mode, is_async", WAYS, ids=[f"{mode}, {'async' if is_async else 'sync'}" for mode, is_async in WAYS])
def test_drafts_only_grow(mode: OutputMode, is_async: bool) -> None:
    """Within an attempt nothing that was shown is taken back, and the last draft of a success is what was validated."""
    drafts, outcome = drafts_of(agent_of(Recipe, mode), is_async=is_async)
    before: object = None
    for draft in drafts[:-1]:  # the last may be what recovery has mended
        after = draft.data if draft.state() != "absent" else None
        assert before is None or after is None or grows(before, after), (before, after)
        before = after
    if isinstance(outcome, Success):
        assert outcome.output == Recipe.model_validate(drafts[-1].data)
    if mode == "native":
        assert isinstance(outcome, Success), "the grammar holds the model to the schema"
        assert len(drafts) > 20
        assert grows(drafts[-2].data, drafts[-1].data)


@pytest.mark.parametrize("mode", ["native", "prompted"])
def test_a_step_ends_once_for_each_call(mode: OutputMode) -> None:
    """Each reply ends in one `StepFinished` with its usage, behind its pieces; the last event is the outcome."""
    with agent_of(Recipe, mode).stream(PROMPT) as stream:
        events: list[StreamEvent] = [*stream.events()]
        outcome = stream.outcome()
    account: Any = outcome if isinstance(outcome, Success) else outcome.report
    finished = [event for event in events if isinstance(event, StepFinished)]
    assert len(finished) == len(account.steps) == account.usage.requests
    assert sum(event.usage.output_tokens or 0 for event in finished) == account.usage.output_tokens == stream.usage.output_tokens
    assert events[-1] == Settled(outcome)
    assert any(isinstance(event, TextDelta) for event in events)
    assert len([event for event in events if isinstance(event, Restarted)]) == stream.attempt - 1


def test_items_come_while_it_writes() -> None:
    """The items of a list come one by one, each a value of its type, and are the output in the end."""
    seen: list[Step] = []
    with agent_of(Steps, "native").stream(PROMPT) as stream:
        for item in stream.items():
            assert isinstance(item, Step)
            seen.append(item)
        assert 2 <= len(seen) <= 3
        assert seen == stream.output()


def test_leaving_while_it_writes() -> None:
    """A stream that is left early ends at once, and the model answers the next run."""
    agent = agent_of(Recipe, "native")
    with agent.stream(PROMPT) as stream:
        for draft in stream.drafts():
            if draft.data:
                break
    outcome: Any = stream.outcome()
    assert outcome.report.code == "cancelled"
    assert isinstance(agent.settle(PROMPT), Success)

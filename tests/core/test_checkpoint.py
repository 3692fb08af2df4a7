"""Checkpoints: a state comes back as it was, for the agent it belongs to, or is refused with the reason."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field
from tests.support import OSLO, AnyPlan, City, Town, call, called, changed, outcome_of, plan_for, play, said

from settled import Approved, Budget, Checkpoint, GaveUp, MisuseError, Settings, StateRejected, Tool
from settled.core.checkpoint import VERSION, dump, load
from settled.core.events import ChecksDone, Decided
from settled.core.machine import advance, pending
from settled.core.plan import UserCall


def look_up(city: str) -> str:
    """A tool."""
    return city


def renamed(town: str) -> str:
    """Another tool."""
    return town


PLAN = plan_for(City, tools=[Tool.of(look_up, requires_approval=True)], failure=GaveUp)
PAUSED = play(PLAN, called(call("look_up", '{"city":"Oslo"}')))
KEPT = dump(PLAN, PAUSED.state)


def documented(city: str) -> str:
    """A tool.

    Args:
        city: In other words.
    """
    return city


def in_its_type(city: Annotated[str, Field(description="In other words.")]) -> str:
    """A tool."""
    return city


def other_tool(tool: Tool) -> AnyPlan:
    """The plan with another tool in place of its own."""
    return plan_for(City, tools=[tool], failure=GaveUp)


def test_a_state_comes_back() -> None:
    """Through JSON, equal, with the same action pending."""
    state = load(PLAN, Checkpoint.model_validate_json(KEPT.model_dump_json()))
    assert PAUSED.state == state
    assert hash(PAUSED.state) == hash(state)
    assert PAUSED.action == pending(PLAN, state)


def test_an_older_checkpoint_is_read() -> None:
    """What a state of an earlier release does not hold has a default."""
    older = KEPT.state.replace(',"media":[]', "")
    assert older != KEPT.state
    assert PAUSED.state == load(PLAN, KEPT.changed(state=older))


def test_a_parameter_named_description_counts() -> None:
    """Only words are left out of what a checkpoint is bound to."""

    def f(description: str) -> None:
        """A tool."""

    def g(descriptions: str) -> None:
        """A tool."""

    bound = [plan_for(City, tools=[Tool.of(tool, name="f")]).bound_to["tool f"] for tool in (f, g)]
    assert bound[0] != bound[1]


def test_a_state_is_equal_to_states_only() -> None:
    """Anything else is something else."""
    assert PAUSED.state != KEPT.state


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(changed(PLAN, budget=Budget(max_steps=7)), id="budget"),
        pytest.param(changed(PLAN, settings=Settings(temperature=1)), id="settings"),
        pytest.param(changed(PLAN, instructions="Be brief."), id="instructions"),
        pytest.param(changed(PLAN, checks=(UserCall("look_up", look_up),)), id="checks"),
        pytest.param(other_tool(Tool.of(look_up, requires_approval=True, description="Other words.")), id="description"),
        pytest.param(other_tool(Tool.of(documented, name="look_up", requires_approval=True)), id="words on parameters"),
        pytest.param(other_tool(Tool.of(in_its_type, name="look_up", requires_approval=True)), id="words in a type"),
        pytest.param(other_tool(Tool.of(look_up, requires_approval=True, timeout=1, retries=9, on_error="hide")), id="options"),
    ],
)
def test_what_a_checkpoint_is_not_bound_to(plan: AnyPlan) -> None:
    """Instructions, settings, budget, checks, and the words and limits of tools may change between a pause and its resumption."""
    assert PAUSED.state == load(plan, KEPT)


GATED, FREE = Tool.of(look_up, requires_approval=True), Tool.of(look_up)
BY_PREDICATE, OUTSIDE = Tool.of(look_up, requires_approval=look_up), Tool.of(look_up, requires_approval=True, external=True)
OF_ANOTHER_SHAPE = Tool.of(renamed, name="look_up", requires_approval=True)


@pytest.mark.parametrize(
    "plan, complaint",
    [
        pytest.param(plan_for(Town, tools=[GATED], failure=GaveUp), "output is different", id="output"),
        pytest.param(plan_for(City, tools=[GATED], failure=Town), "failure is different", id="failure"),
        pytest.param(plan_for(City, tools=[GATED]), "failure is gone", id="no failure"),
        pytest.param(plan_for(City, failure=GaveUp), "tool look_up is gone", id="tool gone"),
        pytest.param(plan_for(City, tools=[GATED, renamed], failure=GaveUp), "tool renamed is new", id="tool new"),
        pytest.param(plan_for(City, tools=[FREE], failure=GaveUp), "tool look_up is different", id="no approval"),
        pytest.param(
            plan_for(City, tools=[BY_PREDICATE], failure=GaveUp),
            "look_up is different",
            id="predicate",
        ),
        pytest.param(
            plan_for(City, tools=[OUTSIDE], failure=GaveUp),
            "different",
            id="external",
        ),
        pytest.param(
            plan_for(City, tools=[OF_ANOTHER_SHAPE], failure=GaveUp),
            "different",
            id="schema",
        ),
        pytest.param(plan_for(City, "tool", tools=[GATED], failure=GaveUp), "made in mode native", id="mode"),
    ],
)
def test_a_checkpoint_of_another_agent_is_refused(plan: AnyPlan, complaint: str) -> None:
    """It names each thing that differs."""
    with pytest.raises(StateRejected, match=complaint):
        load(plan, KEPT)


@pytest.mark.parametrize(
    "state, complaint",
    [
        pytest.param(KEPT.state[: len(KEPT.state) // 2], "damaged at the text", id="cut"),
        pytest.param("", "damaged at the text", id="empty"),
        pytest.param("{}", "damaged at run_id", id="bare"),
        pytest.param(KEPT.state.replace('"asking"', '"flying"'), "damaged at phase", id="phase"),
        pytest.param('{"more":1,' + KEPT.state[1:], "damaged at more", id="a field too many"),
    ],
)
def test_a_damaged_checkpoint_is_refused(state: str, complaint: str) -> None:
    """It says where, and shows nothing of what it holds."""
    with pytest.raises(StateRejected, match=complaint) as refused:
        load(PLAN, KEPT.changed(state=state))
    assert "Norway" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_another_version_is_refused() -> None:
    """A format that this release does not read is named, and what it does read."""
    with pytest.raises(StateRejected, match=f"version {VERSION + 1}; this release reads version {VERSION}"):
        load(PLAN, KEPT.changed(version=VERSION + 1))


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param('"name":"look_up"', '"name":"no_such_tool"', id="another tool"),
        pytest.param('{\\"city\\":\\"Oslo\\"}', "{}", id="arguments that do not fit"),
        pytest.param('"phase":"asking"', '"phase":"tools"', id="another phase"),
        pytest.param('"phase":"asking"', '"phase":"checking"', id="a phase that cannot be"),
        pytest.param('"phase":"asking"', '"phase":"consulting"', id="a moment that cannot be"),
    ],
)
def test_an_edited_checkpoint_is_refused(before: str, after: str) -> None:
    """A state that no run of the agent can be in is the caller's mistake, and nothing is made ready to run."""
    assert before in KEPT.state
    edited = KEPT.changed(state=KEPT.state.replace(before, after))
    with pytest.raises(MisuseError):
        advance(PLAN, load(PLAN, edited), Decided({"c1": Approved()}))


class Handle:
    """A value that no JSON can carry."""


def test_a_value_that_json_cannot_carry_is_not_kept() -> None:
    """When a check replaced the output by one, the run still settles, and keeping it is refused in words."""
    plan = changed(plan_for(object), checks=(UserCall("look_up", look_up),))
    handle = Handle()
    step = play(plan, said('{"value":1}'), ChecksDone(handle, replaced=True))
    assert handle is getattr(outcome_of(step), "output", None)


def test_a_short_form_shows_nothing() -> None:
    """Neither the checkpoint nor the state shows a prompt, a reply or arguments."""
    shorts = [repr(KEPT), str(KEPT), repr(PAUSED.state), repr(PAUSED.state.live), repr(PAUSED.state.batch)]
    assert not [short for short in shorts if "Oslo" in short or "Norway" in short]
    assert OSLO not in repr(play(PLAN, said(OSLO)).state)


def test_an_unfit_value_by_a_check_cannot_be_dumped() -> None:
    """While it is held, `dump` raises a `MisuseError` that says why."""
    plan = changed(plan_for(object), checks=(UserCall("look_up", look_up),))
    held = play(plan, said('{"value":1}')).state
    assert held.accepted is not None
    with pytest.raises(MisuseError, match="does not survive JSON"):
        dump(plan, held.changed(accepted=held.accepted.changed(payload=None)))

"""An agent is a frozen value: built without a model, changed by copy, safe to share."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from tests.forms import Blocked, City, Ship

from settled import Agent, Budget, Capabilities, MisuseError, Recovery, RunFailed, Settings, Success, Tool
from settled.testing import ScriptedProvider


def look_up(city: str) -> str:
    """The weather."""
    return city


def positive(value: int) -> None:
    """Refuses what is not above zero."""
    if value <= 0:
        raise ValueError("must be above zero")


def test_repr_is_short() -> None:
    """``repr`` names the type, the mode and the name, never instructions."""
    agent = Agent(City | Ship, instructions="secret", mode="tool", name="clerk")
    assert repr(agent) == "Agent(City_or_Ship, mode='tool', name='clerk')"
    assert repr(Agent(list[int])) == "Agent(list_int, mode='auto')"


def test_it_knows_what_it_was_asked() -> None:
    """An agent tells its name and its output type."""
    assert ("clerk", list[int]) == (Agent(list[int], name="clerk").name, Agent(list[int]).output_type)


@pytest.mark.parametrize("name", ["model", "_spec", "anything"])
def test_frozen(name: str) -> None:
    """Nothing can be set or deleted; the message says how to change it."""
    agent = Agent(int)
    with pytest.raises(AttributeError, match="frozen; use with_"):
        setattr(agent, name, 1)
    with pytest.raises(AttributeError, match="frozen"):
        delattr(agent, name)


def test_pickle_and_copy() -> None:
    """An agent pickles and copies as what it was made of."""
    agent = Agent(City, instructions="Be brief.", failure_type=Blocked, tools=[look_up], budget=Budget(max_steps=3), name="clerk")
    for again in (pickle.loads(pickle.dumps(agent)), copy.copy(agent), copy.deepcopy(agent)):
        assert repr(agent) == repr(again)
        assert again.run("Oslo?", model=ScriptedProvider(City(name="Oslo", people=1))) == City(name="Oslo", people=1)


@pytest.mark.parametrize(
    "changes",
    [
        {"model": ScriptedProvider(7)},
        {"instructions": "Be brief."},
        {"mode": "prompted"},
        {"strict": True},
        {"tools": [look_up]},
        {"checks": [positive]},
        {"budget": Budget(max_steps=2)},
        {"settings": Settings(seed=1)},
        {"stop_when": []},
        {"observers": [print]},
        {"recovery": Recovery.STRICT},
        {"capabilities": Capabilities(tools="enforced")},
        {"siblings": "run"},
        {"text_ends_run": False},
        {"approver": None},
        {"name": "b"},
    ],
    ids=lambda changes: str(next(iter(changes))),
)
def test_with_changes_a_copy(changes: dict[str, Any]) -> None:
    """``with_`` takes each keyword of the constructor; the first agent stays as it was, and the copy runs."""
    agent = Agent(int, name="a", mode="tool")
    changed = agent.with_(**changes)
    assert repr(agent) == "Agent(int, mode='tool', name='a')"
    assert type(changed) is type(agent)
    assert changed.run("How many?", model=ScriptedProvider(7)) == 7


@pytest.mark.parametrize("keyword", ["failure_type", "output_type", "nonsense", "timeout"])
def test_with_refuses_what_it_does_not_know(keyword: str) -> None:
    """``with_`` raises TypeError for ``failure_type`` and for keywords that the constructor does not know."""
    loose: Any = Agent(int).with_
    with pytest.raises(TypeError, match=keyword):
        loose(**{keyword: None})


def test_with_keeps_the_failure_type() -> None:
    """A changed copy still offers the failure type."""
    agent = Agent(City, failure_type=Blocked).with_(name="b")
    failed = agent.settle("Oslo?", model=ScriptedProvider(Blocked(why="closed")))
    assert not isinstance(failed, Success)
    assert failed.report.detail == Blocked(why="closed")


@pytest.mark.parametrize("keyword", ["tool", "retries", "max_steps", "output_type"])
@pytest.mark.parametrize("method", ["run", "settle", "start", "parse", "resume"])
def test_unknown_keywords(method: str, keyword: str) -> None:
    """Each method refuses keywords that it does not know."""
    loose: Callable[..., object] = getattr(Agent(int, model=ScriptedProvider(7)), method)
    with pytest.raises(TypeError):
        loose("How many?", **{keyword: 1})


def test_unknown_constructor_keywords() -> None:
    """The constructor refuses keywords that it does not know, and more than one positional argument."""
    loose: Any = Agent
    with pytest.raises(TypeError):
        loose(int, retries=3)
    with pytest.raises(TypeError):
        loose(int, "openai:x")


@pytest.mark.parametrize(
    "given, match",
    [
        ({"tools": [look_up, look_up]}, "look_up.*twice"),
        ({"tools": [look_up, Tool.of(positive, name="look_up")]}, "look_up and .*positive are both named 'look_up'"),
        ({"failure_type": int}, "must differ"),
        ({"mode": "text"}, "str"),
        ({"checks": [7]}, "cannot be called"),
        ({"tools": [7]}, "int|7"),
    ],
    ids=["same-tool", "same-name", "failure-is-output", "text-mode", "check", "tool"],
)
def test_what_cannot_work_is_refused(given: dict[str, Any], match: str) -> None:
    """Arguments that cannot work together are refused when the agent is built."""
    with pytest.raises(MisuseError, match=match):
        Agent(int, **given)


def test_there_are_no_registration_decorators() -> None:
    """An agent is a value: nothing can be registered on it later."""
    assert not hasattr(Agent, "tool")
    assert not hasattr(Agent, "check")


def test_run_raises_what_settle_gives() -> None:
    """``run`` raises RunFailed with the report that ``settle`` gives, and with its exception as cause."""
    with pytest.raises(RunFailed) as raised:
        Agent(int, model=ScriptedProvider("x", "x", "x")).run("How many?")
    assert (raised.value.report.code, raised.value.__cause__) == ("no_output", raised.value.report.exception)

"""Agents as values: equality, hash, repr, pickling, copies."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, cast

import pytest
from pydantic import Field
from tests.forms import Blocked, City, Colour, Hold, Ship

from settled import Agent, Budget, Capabilities, Hooks, Recovery, RunContext, Settings, ToolCall, tool
from settled.conditions import step_count_is
from settled.providers import OpenAIChat
from settled.testing import ScriptedProvider

SECRET = "sk-proj-0123456789abcdefghijklmnop"


def look_up(city: str) -> str:
    """The weather."""
    return city


@tool
def look_again(city: str) -> str:
    """The weather, again."""
    return city


def check(value: object) -> None:
    """Says nothing."""


def watch(event: object) -> None:
    """Watches."""


def hook(ctx: RunContext[object], call: ToolCall) -> None:
    """Does nothing."""


def instruct() -> str:
    """What to do."""
    return "Be brief."


FAKE = ScriptedProvider(7)
FORMS = [
    int, str, City, Hold, Colour, City | Ship, City | None, list[int], dict[str, City], tuple[int, ...],
    Literal["a", "b"], Annotated[int, Field(ge=1)], None,
]  # fmt: skip
KEYWORDS: dict[str, tuple[Any, Any]] = {  # keyword: a value, another one
    "model": ("openai:a", "openai:b"),
    "instructions": ("a", instruct),
    "mode": ("tool", "prompted"),
    "strict": (True, False),
    "failure_type": (Blocked, Hold),
    "tools": ([look_up], [look_again]),
    "checks": ([check], []),
    "budget": (Budget(max_steps=2), Budget(max_steps=3)),
    "settings": (Settings(extra_body={"a": [1]}), Settings(extra_body={"a": [2]})),
    "stop_when": ([step_count_is(3)], []),
    "hooks": (Hooks(before_tool=hook), Hooks()),
    "observers": ([watch], []),
    "recovery": (Recovery.STRICT, Recovery.SYNTAX),
    "capabilities": (Capabilities(tools="enforced"), Capabilities(tools="ignored")),
    "siblings": ("run", "skip"),
    "text_ends_run": (False, True),
    "approver": (check, None),
    "name": ("a", "b"),
}
loose = cast("Callable[..., Agent[Any, Any]]", Agent)


def test_every_keyword_is_tried() -> None:
    """The tables below try each keyword of the constructor."""
    assert KEYWORDS.keys() == inspect.signature(loose).parameters.keys() - {"output_type"}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_equal_types_make_equal_agents(form: object) -> None:
    """Agents that were made of equal things are equal, and have one hash; of different types they are not."""
    assert loose(form) == loose(form)
    assert hash(loose(form)) == hash(loose(form))
    assert len({loose(other) for other in FORMS}) == len(FORMS)


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_each_keyword_counts(keyword: str) -> None:
    """What was given by any keyword makes agents equal or not; how it was given does not count."""
    one, other = KEYWORDS[keyword]
    agent = loose(City, **{keyword: one})
    assert agent == loose(City, **{keyword: one})
    assert hash(agent) == hash(loose(City, **{keyword: one}))
    assert agent != loose(City, **{keyword: other})
    if keyword != "failure_type":
        assert agent == loose(City, **{keyword: other}).with_(**{keyword: one})
    if keyword in ("tools", "checks", "stop_when", "observers"):
        assert agent == loose(City, **{keyword: tuple(one)})


def test_unions_in_another_order() -> None:
    """Python calls unions equal whatever their order; agents of them are not, since pydantic tries the members in order."""
    assert loose(City | Ship) != loose(Ship | City)
    assert loose(str | date).parse("2020-01-01").unwrap() != loose(date | str).parse("2020-01-01").unwrap()


class Grade(str, Enum):
    """One that is equal to its value."""

    GOOD = "good"


class AtMost:
    """An annotation that tells nothing of itself."""

    def __init__(self, most: int) -> None:
        self.most = most

    def __repr__(self) -> str:
        return "AtMost"


@pytest.mark.parametrize(
    "one, other",
    [
        (Literal[0], Literal[False]),
        (Literal[1, 2], Literal[True, 2]),
        (list[Literal[1]], list[Literal[True]]),
        (Literal[Grade.GOOD], Literal["good"]),
        (Literal["a", "b"], Literal["b", "a"]),
        (list[City | Ship], list[Ship | City]),
        (dict[str, City], Annotated[dict[str, City], str]),
        (Annotated[int, AtMost(1)], Annotated[int, AtMost(9)]),
        (Annotated[int, 1], Annotated[int, 1, 2]),
        (Annotated[int, Field(ge=1)], Annotated[int, 1]),
        (Annotated[int, Field(title="a")], Annotated[int, Field(title="b")]),
        (Annotated[int, Field(default=1)], Annotated[int, Field(default=True)]),
    ],
    ids=str,
)
def test_types_that_only_look_the_same(one: object, other: object) -> None:
    """Types that Python, or their repr, calls equal make other agents where they take, or give, another value."""
    assert loose(one) != loose(other)
    assert loose(other) != loose(one)


@pytest.mark.parametrize("one, other", [({"n": 1}, {"n": True}), ({"n": [1]}, {"n": [1.0]}), ({"n": 1}, {"m": 1}), ([1], [1, 2])])
def test_bodies_that_only_look_the_same(one: Any, other: Any) -> None:
    """So do settings that are sent as another body."""
    same, differs = (Settings(extra_body={"x": body}) for body in (one, other))
    assert loose(int, settings=same) != loose(int, settings=differs)
    assert loose(int, settings=same) == loose(int, settings=Settings(extra_body={"x": copy.deepcopy(one)}))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Annotated[int, Field(ge=1)],
        lambda: list[Annotated[int, Field(ge=1)]],
        lambda: dict[str, Annotated[City, Field(description="A city.")] | None],
        lambda: Annotated[list[Annotated[int, Field(ge=1)]], Field(max_length=2)],
    ],
    ids=["annotated", "inside", "in-union", "twice"],
)
def test_annotations_that_read_the_same(make: Callable[[], object]) -> None:
    """Pydantic's fields are equal to nothing but themselves; types that are annotated with what reads the same are the same."""
    agent = loose(make())
    assert (agent, hash(agent)) == (loose(make()), hash(loose(make())))
    assert pickle.loads(pickle.dumps(agent)) == agent
    assert agent != loose(Annotated[int, Field(ge=2)])
    assert agent != loose(list[int])


class Special(Agent[City, None]):
    """A class of the user's own."""


def test_nothing_else_is_equal() -> None:
    """An agent equals neither other things nor an agent of another class; models are compared as they compare themselves."""
    assert Agent(City) != "Agent"
    assert Agent(City) != Special(City)
    assert Special(City) == Special(City)
    assert Agent(int, model=FAKE) == Agent(int, model=FAKE)
    assert Agent(int, model=FAKE) != Agent(int, model=ScriptedProvider(7))


def pickled(agent: Any) -> Any:
    """There and back."""
    return pickle.loads(pickle.dumps(agent))


def shallow(agent: Any) -> Any:
    """A copy that shares what it holds."""
    return copy.copy(agent)


@pytest.mark.parametrize("keyword", KEYWORDS)
@pytest.mark.parametrize("copied", [pickled, shallow, copy.deepcopy], ids=["pickle", "copy", "deep"])
def test_copies_are_equal(copied: Callable[[Any], Any], keyword: str) -> None:
    """An agent pickles and copies as an equal one."""
    agent = loose(City, **{keyword: KEYWORDS[keyword][0]})
    again = copied(agent)
    assert copied is pickled or again is agent
    assert (again, hash(again), repr(again)) == (agent, hash(agent), repr(agent))


def replaced(agent: Any, **changes: Any) -> Any:
    """As ``copy.replace``, which is new in Python 3.13."""
    return agent.__replace__(**changes)


@pytest.mark.parametrize("replace", [replaced, getattr(copy, "replace", replaced)], ids=["method", "function"])
def test_replace(replace: Callable[..., Any]) -> None:
    """``copy.replace`` gives what ``with_`` gives, and refuses what that refuses."""
    agent = Agent(City, name="a")
    assert replace(agent, name="b", mode="tool") == agent.with_(name="b", mode="tool")
    with pytest.raises(TypeError, match="output_type"):
        replace(agent, output_type=int)


def test_repr_tells_no_secret() -> None:
    """``repr`` is short, and tells neither instructions nor models nor keys."""
    model = OpenAIChat("gpt-5-mini", api_key=SECRET)
    agent = Agent(
        City,
        model=model,
        instructions=f"The key is {SECRET}.",
        settings=Settings(extra_headers={"Authorization": SECRET}),
        tools=[look_up],
        checks=[check],
        name="clerk",
    )
    for told in (repr(agent), str(agent), f"{agent}", repr([agent]), repr(agent.prompt(look_up))):
        assert SECRET not in told
        assert len(told) < 80

"""Tools are pickled and copied with the agents that hold them: by the names of their functions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import cast

import pytest

from settled import Agent, Tool, tool
from settled.testing import ScriptedProvider


@tool(timeout=3, retries=1)
def look_up(city: str) -> str:
    """The weather in a city."""
    return f"7 degrees in {city}"


def plain(city: str) -> str:
    """A function."""
    return city


class Service:
    """What has tools as methods."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    @tool(name="measure")
    def degrees(self, city: str) -> str:
        """A method."""
        return f"7 {self.unit} in {city}"

    @tool
    @classmethod
    def of_class(cls, city: str) -> str:
        """A class method."""
        return f"{cls.__name__} in {city}"

    @tool
    @staticmethod
    def of_none(city: str) -> str:
        """A static method."""
        return city


def by_pickle(made: Tool) -> Tool:
    """Through bytes."""
    return cast("Tool", pickle.loads(pickle.dumps(made)))


OTHER = Tool.of(plain, name="other", description="Another.", timeout=4, on_error="hide")
CASES: dict[str, Tool] = {
    "function": look_up,
    "method": Service("K").degrees,
    "class method": Service.of_class,
    "static method": Service.of_none,
    "made of a function": OTHER,
    "changed": OTHER.changed(definition=OTHER.definition.changed(description="Changed.")),
}


@pytest.mark.parametrize("given", CASES.values(), ids=CASES)
@pytest.mark.parametrize("again", [by_pickle, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
def test_a_tool_again(given: Tool, again: Callable[[Tool], Tool]) -> None:
    """It is told, bounded and called as before."""
    found = again(given)
    assert (given.definition, given.timeout, given.retries, given.on_error) == (
        found.definition, found.timeout, found.retries, found.on_error,
    )  # fmt: skip
    assert given.function("Oslo") == found.function("Oslo")


def test_an_agent_with_tools() -> None:
    """An agent that is sent to another process takes its tools along."""
    agent = pickle.loads(pickle.dumps(Agent(int, tools=[look_up, Service("K").degrees, OTHER, plain])))
    model = ScriptedProvider(7)
    assert 7 == agent.run("?", model=model)
    assert ["look_up", "measure", "other", "plain"] == [one.name for one in model.requests[0].tools if one.role == "function"]


def test_a_tool_that_has_no_name_in_its_module() -> None:
    """One that is defined inside a function cannot be found again, as with functions."""

    @tool
    def inside() -> str:
        """A tool."""
        return "7"

    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(inside)

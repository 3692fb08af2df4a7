"""What went wrong with arguments of tools in other projects, as reports tell it, and what an agent does here.

B28: a call that the published schema allows and the Python type refuses ended the whole run. Here it is told to the model, within
``Budget.invalid_tool_retries``, and nothing of it is executed.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from settled import Agent, Budget, Failure, Success, ToolCall
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Error, ToolFailures


class Window(BaseModel):
    """A window that must be in order."""

    lo: int
    hi: int

    @model_validator(mode="after")
    def _order(self) -> Window:
        if self.lo > self.hi:
            raise ValueError("lo must not exceed hi")
        return self


@dataclass
class Span:
    """As a dataclass, that refuses in ``__post_init__``."""

    lo: int
    hi: int

    def __post_init__(self) -> None:
        """Refuses what is not in order."""
        if self.lo > self.hi:
            raise ValueError("lo must not exceed hi")


class Cat(BaseModel):
    """A cat."""

    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    """A dog."""

    kind: Literal["dog"]
    name: str


def even(number: int) -> int:
    """Refuses by an assertion."""
    assert number % 2 == 0, "must be even"
    return number


def spelled(word: object) -> object:
    """Refuses before pydantic looks."""
    if word == "seven":
        raise ValueError("write digits")
    return word


def window(window: Window) -> str:
    """B28 as it was reported."""
    return f"done {window.lo}"


def in_list(window: list[Window]) -> str:
    """Inside a list."""
    return f"done {window[0].lo}"


def in_dict(window: dict[str, Window | None]) -> str:
    """Inside a dict and a union."""
    found = window["a"]
    return f"done {found and found.lo}"


def span(window: Span) -> str:
    """A dataclass."""
    return f"done {window.lo}"


def asserted(window: Annotated[int, AfterValidator(even)]) -> str:
    """A validator of the parameter itself."""
    return f"done {window}"


def before(window: Annotated[int, BeforeValidator(spelled)]) -> str:
    """A validator that comes first."""
    return f"done {window}"


def date(window: dt.date) -> str:
    """A format that JSON Schema only hints at."""
    return f"done {window.day}"


def address(window: IPv4Address) -> str:
    """Another one."""
    return f"done {window.packed[3]}"


def pattern(window: Annotated[str, Field(pattern="^[0-9]$")]) -> str:
    """A pattern."""
    return f"done {window}"


def tagged(window: Annotated[Cat | Dog, Field(discriminator="kind")]) -> str:
    """A union told apart by a tag."""
    return f"done {window.lives if isinstance(window, Cat) else 0}"


CASES: dict[str, tuple[Callable[..., str], object, object, str]] = {
    "B28": (window, {"lo": 9, "hi": 2}, {"lo": 2, "hi": 9}, "- $.window: lo must not exceed hi"),
    "list": (in_list, [{"lo": 9, "hi": 2}], [{"lo": 2, "hi": 9}], "- $.window[0]: lo must not exceed hi"),
    "dict": (in_dict, {"a": {"lo": 9, "hi": 2}}, {"a": {"lo": 2, "hi": 9}}, "lo must not exceed hi"),
    "dataclass": (span, {"lo": 9, "hi": 2}, {"lo": 2, "hi": 9}, "- $.window: lo must not exceed hi"),
    "assertion": (asserted, 3, 2, "- $.window: must be even"),
    "before": (before, "seven", 2, "- $.window: write digits"),
    "date": (date, "2nd of May", "2026-05-02", "- $.window: expected a date as YYYY-MM-DD"),
    "address": (address, "1.2.3.4.5", "1.2.3.2", "- $.window: "),
    "pattern": (pattern, "seven", "2", "- $.window: "),
    "tag": (tagged, {"kind": "cow"}, {"kind": "cat", "lives": 2}, "- $.window: "),
}
each_case = pytest.mark.parametrize("tool, bad, good, line", CASES.values(), ids=CASES)


def call(tool: Callable[..., str], given: object) -> ToolCall:
    """A call with this argument."""
    return ToolCall(id="c1", name=tool.__name__, arguments=json.dumps({"window": given}))


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@each_case
def test_a_type_may_refuse_what_its_schema_allows(
    tool: Callable[..., str], bad: object, good: object, line: str, is_async: bool
) -> None:
    """The model is told what does not fit and where, in one line, and may call again."""
    with ScriptedProvider(call(tool, bad), call(tool, good), "ok") as model:
        agent = Agent(str, tools=[tool], model=model)
        outcome = asyncio.run(agent.asettle("?")) if is_async else agent.settle("?")
    assert isinstance(outcome, Success)
    assert ("ok", 3) == (outcome.output, outcome.usage.requests)
    results = [result for step in outcome.steps for result in step.tool_results]
    assert ["failed", "ok"] == [result.status for result in results]
    assert "done 2" == results[1].text
    told = results[0].text
    assert told.startswith("the arguments do not fit:\n- $.window")
    assert line in told
    assert "http" not in told


@each_case
def test_refusals_are_bounded(tool: Callable[..., str], bad: object, good: object, line: str) -> None:
    """So many replies are told; one more ends the run, and nothing was executed."""
    ran: list[Any] = []
    model = ScriptedProvider(*[call(tool, bad)] * 3)
    agent = Agent(str, tools=[tool], model=model, budget=Budget(invalid_tool_retries=2), observers=[ran.append])
    outcome = agent.settle("?")
    assert isinstance(outcome, Failure)
    reason = outcome.report.stop_reason
    assert isinstance(reason, ToolFailures)
    assert ("unknown_tool", 3) == (reason.scope, reason.count)
    assert line in reason.text
    assert not any("ToolsDone" in type(event).__name__ for event in ran)


def broken(number: int) -> int:
    """Has a fault of its own."""
    raise KeyError(number)


def faulty(window: Annotated[int, AfterValidator(broken)]) -> str:
    """Its validator has a fault."""
    return "done"


def test_a_fault_is_no_refusal() -> None:
    """What a validator raises that is no judgement is the caller's: it ends the run, which is still a typed end."""
    outcome = Agent(str, tools=[faulty], model=ScriptedProvider(call(faulty, 3))).settle("?")
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.report.stop_reason, Error)
    assert "tool:faulty:arguments" == outcome.report.stop_reason.source

"""Arguments of the wrong kind are refused by name, before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from settled import Agent, Budget, Hooks, MisuseError, RunContext, Success, ToolCall, answered_by
from settled.testing import FunctionProvider, ScriptedProvider

loose = cast("Callable[..., Agent[int]]", Agent)


async def listen(event: object) -> None:
    """An observer that nobody would await."""


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"mode": "json"}, "mode='json': give 'auto' or 'tool'"),
        ({"siblings": "maybe"}, "siblings='maybe': give 'skip' or 'run'"),
        ({"budget": {"max_steps": 3}}, "budget=dict: give Budget"),
        ({"settings": 3}, "settings=int: give Settings"),
        ({"hooks": {}}, "hooks=dict: give Hooks"),
        ({"recovery": "strict"}, "recovery=str: give Recovery"),
        ({"capabilities": 3}, "capabilities=int: give Capabilities or str or PathLike or None"),
        ({"name": 3}, "name=int: give str or None"),
        ({"tools": print}, "tools=builtin_function_or_method: give a list"),
        ({"checks": print}, "checks=builtin_function_or_method: give a list"),
        ({"hooks": [Hooks()]}, "hooks=list: give Hooks"),
        ({"model": ["openai:a", "groq:b"]}, "model=list: give a string, a provider with request or arequest, or a Fallback"),
        ({"stop_when": [3]}, "stop_when: int cannot be called; give functions"),
        ({"observers": [3]}, "observers: int cannot be called; give functions"),
        ({"observers": [listen]}, "observers: listen is async, and nobody would await it; give a plain function"),
        ({"approver": 3}, "approver=int: give a function"),
        ({"instructions": 3}, "instructions=int: give a string"),
    ],
    ids=lambda given: next(iter(cast("dict[str, object]", given))) if isinstance(given, dict) else "",
)
def test_wrong_kinds(keywords: dict[str, Any], message: str) -> None:
    """The message names the argument, what was given, and what is due."""
    with pytest.raises(MisuseError) as raised:
        loose(int, **keywords)
    assert message in str(raised.value)


@pytest.mark.parametrize("method", ["run", "settle", "start"])
def test_unknown_keywords(method: str) -> None:
    """A keyword that does not exist is a TypeError that names the nearest."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'buget'; did you mean 'budget'"):
        getattr(Agent(int), method)("How many?", buget=1)


def test_wrong_kinds_in_a_run() -> None:
    """A run looks at its own arguments in the same way."""
    with pytest.raises(MisuseError, match="budget=int: give Budget"):
        cast("Any", Agent(int, model=ScriptedProvider(7))).run("How many?", budget=3)


@pytest.mark.parametrize("reply", [None, b"7", 7])
def test_parse_takes_text_or_a_response(reply: object) -> None:
    """Anything else is refused by its type."""
    with pytest.raises(MisuseError, match="give the reply's text"):
        cast("Any", Agent(int)).parse(reply)


@pytest.mark.parametrize("form", [[int], {"a": int}, "City", (int,)], ids=["list", "dict", "str", "tuple"])
def test_a_value_is_no_type(form: object) -> None:
    """A value where a type is due is refused as what it is."""
    with pytest.raises(MisuseError, match="is a value, not a type"):
        cast("Any", Agent)(form)


def test_a_decorator_without_parentheses() -> None:
    """`@answered_by` without parentheses says so."""

    def count(what: str) -> int:
        """How many {what}?"""
        raise NotImplementedError

    with pytest.raises(MisuseError, match="with parentheses"):
        cast("Any", answered_by)(count)


def test_unknown_keywords_of_the_decorator() -> None:
    """The decorator knows its keywords too."""
    with pytest.raises(TypeError, match=r"answered_by\(\) got an unexpected keyword argument 'mod'"):
        cast("Any", answered_by)(mod=3)


def test_a_predicate_is_no_check() -> None:
    """A check that returns a bool ends the run as the caller's error; it never replaces the output."""

    def large(value: int) -> bool:
        return value > 5

    checks = cast("Any", [large])
    outcome = Agent(int, model=ScriptedProvider(7), checks=checks).settle("How many?")
    assert not isinstance(outcome, Success)
    assert outcome.report.code == "error"
    assert "returned bool, not None" in outcome.report.summary


def test_a_guard_hook_that_returns_nonsense_fails_closed() -> None:
    """A `before_tool` that returns anything but a call, a skip or None ends the run, and the tool does not run."""
    ran: list[str] = []

    def ship() -> str:
        """Ship it."""
        ran.append("ship")
        return "shipped"

    def guard(ctx: RunContext[int], call: ToolCall) -> bool:
        return False

    fake = ScriptedProvider(ToolCall(id="c1", name="ship", arguments="{}"))
    outcome = Agent(int, model=fake, tools=[ship], hooks=Hooks(before_tool=guard)).settle("Ship?")
    assert not isinstance(outcome, Success)
    assert (ran, outcome.report.code) == ([], "error")


async def counted(request: object) -> object:
    """An async answer."""
    return 7


def test_an_async_function_provider_in_a_sync_run() -> None:
    """A fake may be an async function, also under a sync run."""
    assert Agent(int, model=FunctionProvider(counted), budget=Budget(max_steps=1)).run("How many?") == 7


def test_a_tool_with_an_unknown_annotation() -> None:
    """A tool whose annotation cannot be resolved is named."""

    def look_up(city: str) -> str:
        """Look it up."""
        return ""

    look_up.__annotations__["city"] = "Nowhere"
    with pytest.raises(MisuseError, match=r"tool look_up .*: an annotation cannot be resolved"):
        Agent(int, tools=[look_up])


def test_a_tool_with_an_indescribable_parameter() -> None:
    """A tool with a parameter that no model can fill is named."""

    def look_up(city: Callable[[], int]) -> str:
        """Look it up."""
        return ""

    with pytest.raises(MisuseError, match=r"tool look_up .*: parameter city cannot be shown to a model"):
        Agent(int, tools=[look_up])

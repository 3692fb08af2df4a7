"""Functions as tools: what is read from a signature, and how a call's arguments are read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field
from tests.forms import City

from settled import MisuseError, RunContext, Tool, ToolCall
from settled.tools.signature import hints_of, is_async, name_of, parameters_of, takes_context


def look_up(city: str, days: Annotated[int, Field(ge=1)] = 1, *, unit: Literal["C", "F"] = "C") -> str:
    """The weather in a city.

    For some days.
    """
    return f"{city} {days} {unit}"


def with_context(ctx: RunContext[int], city: City) -> str:
    """Wants to know the run."""
    return city.name


def bare_context(ctx: RunContext, city: City) -> str:
    """Wants to know the run, whatever its context."""
    return city.name


async def search(words: list[str], limit: Optional[int] = None) -> list[str]:  # noqa: UP045
    """Searches."""
    return words[:limit]


class Caller:
    """Called as a function, and with methods that are tools."""

    def __call__(self, city: str) -> str:
        """Looks up."""
        return city

    def method(self, city: str) -> str:
        """Looks up, as a method."""
        return city


class AsyncCaller:
    """Called as an async function."""

    async def __call__(self, city: str) -> str:
        """Looks up."""
        return city


def call(arguments: str, name: str = "look_up") -> ToolCall:
    """A call with these arguments."""
    return ToolCall(id="c1", name=name, arguments=arguments)


def test_definition() -> None:
    """A function gives its name, its cleaned docstring, and a closed schema of its parameters."""
    definition = Tool.of(look_up).definition
    assert (definition.name, definition.description) == ("look_up", "The weather in a city.\n\nFor some days.")
    assert definition.parameters["required"] == ["city"]
    assert definition.parameters["additionalProperties"] is False
    properties = definition.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["city", "days", "unit"]
    assert (definition.role, definition.strict, definition.wrapped) == ("function", None, False)


def test_options() -> None:
    """A tool keeps its gate, its timeout, and whether it is carried out elsewhere; a name is made legal."""
    tool = Tool.of(look_up, name="look up!", requires_approval=True, external=True, timeout=2.0)
    assert (tool.name, tool.requires_approval, tool.external, tool.timeout) == ("look_up", True, True, 2.0)
    assert repr(tool) == "Tool('look_up')"
    plain = Tool.of(look_up)
    assert (plain.requires_approval, plain.external, plain.timeout) == (False, False, None)


@pytest.mark.parametrize("function", [with_context, bare_context], ids=["typed", "bare"])
def test_the_context_is_no_argument(function: Callable[..., object]) -> None:
    """A first parameter for the context is not offered to the model."""
    tool = Tool.of(function)
    assert tool.wants_context
    assert tool.definition.parameters["required"] == ["city"]


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ('{"city": "Oslo"}', {"city": "Oslo"}),
        ('{"city": "Oslo", "days": 2, "unit": "F"}', {"city": "Oslo", "days": 2, "unit": "F"}),
        (' {"city":"Oslo"}\n', {"city": "Oslo"}),
    ],
    ids=["required", "all", "blanks"],
)
def test_arguments_that_fit(arguments: str, expected: dict[str, object]) -> None:
    """Arguments are validated; those with a default may be absent."""
    assert expected == Tool.of(look_up).read(call(arguments))


def test_arguments_are_of_the_declared_classes() -> None:
    """A parameter that is a model is given as one."""
    assert {"city": City(name="Oslo", people=1)} == Tool.of(with_context).read(call('{"city": {"name": "Oslo", "people": 1}}'))


@pytest.mark.parametrize("arguments", ["", "  ", "null", "{}"], ids=["empty", "blank", "null", "object"])
def test_no_arguments(arguments: str) -> None:
    """An empty text, and null, are no arguments."""

    def ping() -> str:
        return "pong"

    assert Tool.of(ping).read(call(arguments)) == {}


@pytest.mark.parametrize(
    "arguments, line",
    [
        ("{}", "$.city: required, but missing"),
        ('{"city": 7}', "$.city: expected a string, got 7"),
        ('{"city": "Oslo", "days": 0}', "$.days: expected a value greater than or equal to 1, got 0"),
        ('{"city": "Oslo", "town": "x"}', "$.town: unknown key, not allowed here, got 'x'"),
        ('{"city": "Oslo", "unit": "K"}', "$.unit: expected 'C' or 'F', got 'K'"),
        ("[1]", "$: expected an object, got a list of 1"),
        ('{"city": "Os', "$: invalid JSON: "),
        ("Oslo", "$: invalid JSON: "),
    ],
    ids=["missing", "type", "constraint", "unknown", "choice", "list", "cut", "prose"],
)
def test_arguments_that_do_not_fit(arguments: str, line: str) -> None:
    """What does not fit is told in issues, as for outputs."""
    read = Tool.of(look_up).read(call(arguments))
    assert isinstance(read, tuple)
    assert read[0].line.startswith(line)


def test_hostile_arguments_end_in_issues() -> None:
    """Arguments that no JSON parser takes end in issues, never in a crash."""
    for arguments in ("\ud800", "[" * 50_000, '{"city": "\ud800"}'):
        assert isinstance(Tool.of(look_up).read(call(arguments)), tuple)


def positional(city: str, /) -> str:
    """Cannot be called by name."""
    return city


def starred(*cities: str) -> str:
    """Takes any number."""
    return str(cities)


def double_starred(**cities: str) -> str:
    """Takes any keyword."""
    return str(cities)


def bare(city: Any) -> Any:
    """Without annotation."""
    return city


del bare.__annotations__["city"]


@pytest.mark.parametrize(
    "function", [positional, starred, double_starred, bare], ids=["positional", "starred", "double-starred", "bare"]
)
def test_parameters_that_a_model_cannot_fill(function: Callable[..., object]) -> None:
    """Positional-only, starred and bare parameters are refused, by name."""
    with pytest.raises(MisuseError, match="cit"):
        Tool.of(function)


def test_a_parameter_that_pydantic_cannot_describe() -> None:
    """A parameter of a class that has no schema is refused."""

    class Opaque:
        """Nothing known."""

    def send(thing: Opaque) -> None:
        """Sends."""

    send.__annotations__["thing"] = Opaque
    with pytest.raises(MisuseError):
        Tool.of(send)


def test_builtins_cannot_be_read() -> None:
    """What has no readable parameters is refused, saying to wrap it."""
    with pytest.raises(MisuseError, match="wrap it in a function"):
        parameters_of(iter)


@pytest.mark.parametrize(
    "function, name, async_",
    [
        (look_up, "look_up", False),
        (search, "search", True),
        (functools.partial(look_up, unit="F"), "look_up", False),
        (functools.partial(search, limit=1), "search", True),
        (Caller(), "Caller", False),
        (AsyncCaller(), "AsyncCaller", True),
        (Caller().method, "method", False),
        (print, "print", False),
        (len, "len", False),
    ],
    ids=["function", "async", "partial", "async-partial", "object", "async-object", "method", "builtin", "len"],
)
def test_names_and_colour(function: object, name: str, async_: bool) -> None:
    """User code of any kind has a name, and is known to be async or not."""
    assert (name, async_) == (name_of(function), is_async(function))


def none() -> None:
    """Takes nothing."""


def one(value: object) -> None:
    """Takes one."""


def two(ctx: object, value: object) -> None:
    """Takes two."""


def one_and_default(value: object, more: int = 1) -> None:
    """Takes one, or two."""


def any_number(*args: object) -> None:
    """Takes any number."""


@pytest.mark.parametrize(
    "function, of_arguments, expected",
    [
        (with_context, None, True),
        (bare_context, None, True),
        (look_up, None, False),
        (one, 1, False),
        (two, 1, True),
        (one_and_default, 1, False),
        (none, 0, False),
        (one, 0, True),
        (any_number, 1, False),
        (Caller(), 1, False),
        (Caller().method, 1, False),
        (str.upper, 1, False),
    ],
    ids=[
        "typed",
        "bare",
        "tool",
        "one-argument",
        "two-arguments",
        "default",
        "none",
        "context-only",
        "starred",
        "object",
        "method",
        "slot",
    ],
)
def test_takes_context(function: Callable[..., object], of_arguments: int | None, expected: bool) -> None:
    """User code wants the context if its first parameter is annotated so, or if it takes one argument more than is given."""
    assert expected == takes_context(function, of_arguments=of_arguments)


def test_hints_that_cannot_be_resolved_yet() -> None:
    """Annotations that name what is not defined do not hide the number of parameters."""

    def later(ctx: object, value: object) -> None:
        """Refers to nothing."""

    later.__annotations__["ctx"] = "Unknown"

    assert takes_context(later, of_arguments=1)
    with pytest.raises(NameError):
        hints_of(later)


def test_hints_with_local_names() -> None:
    """Names of an enclosing function resolve the annotations, if they are given."""

    class Local(BaseModel):
        x: int

    def use(thing: Local) -> None:
        """Uses."""

    use.__annotations__["thing"] = "Local"
    assert {"thing": Local, "return": type(None)} == hints_of(use, {"Local": Local})


def test_bound_methods_and_partials_work() -> None:
    """A method is a tool without its self, a partial without what it holds."""
    assert Tool.of(Caller().method).read(call('{"city": "Oslo"}')) == {"city": "Oslo"}
    assert Tool.of(Caller().method).definition.parameters["required"] == ["city"]

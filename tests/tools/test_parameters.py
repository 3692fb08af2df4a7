"""What a model is told of a function's parameters: descriptions, defaults; and what is refused, with the place and what to do."""

# Many a function here has no docstring on purpose.
# ruff: noqa: D101, D102, D103

from __future__ import annotations

import datetime as dt
import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, cast

import pytest
from pydantic import BaseModel, Field, SecretStr

from settled import MisuseError, RunContext, Tool, ToolCall
from settled.tools.parameters import read_parameters
from settled.vocabulary.exchange import JsonObject

if TYPE_CHECKING:
    from decimal import Decimal as Amount


class Unit(Enum):
    """A unit."""

    C = "C"
    F = "F"


class Span(BaseModel):
    """Some days."""

    first: int = 1
    last: int = 2


def properties_of(function: Callable[..., object]) -> dict[str, JsonObject]:
    """The schema of each parameter."""
    return cast("dict[str, JsonObject]", read_parameters(function, "f").schema["properties"])


def described(
    city: str,
    days: Annotated[int, Field(description="By its type."), "plain"],
    span: Span,
    unit: Annotated[str, "plain"] = "C",
) -> str:
    """Looks up.

    Args:
        city: Where.
        days: By the docstring.
        span: When.
        unit: Celsius or not.
        unknown: No parameter.
    """
    return city


def test_descriptions() -> None:
    """The docstring describes parameters, unless their type does; what it says of others is left out."""
    told = {name: schema.get("description") for name, schema in properties_of(described).items()}
    assert told == {"city": "Where.", "days": "By its type.", "span": "When.", "unit": "Celsius or not."}
    assert "Looks up." == read_parameters(described, "f").description


def test_the_description_may_be_given() -> None:
    """One that is given replaces that of the docstring, also by nothing; parameters keep theirs."""
    given = Tool.of(described, description="Other words.").definition
    assert ("Other words.", "") == (given.description, Tool.of(described, description="").definition.description)
    assert "Where." in str(given.parameters)


def test_lone_surrogates_are_written_out() -> None:
    """A docstring that is no Unicode can be sent all the same."""

    def f(x: int) -> int:
        return x

    f.__doc__ = "\ud800\n\n:param x: \ud801"
    read = read_parameters(f, "f")
    assert r"\ud800" == read.description
    assert r"\ud801" in str(read.schema["properties"])


SENTINEL = object()


@pytest.mark.parametrize(
    "annotation, default, shown",
    [
        pytest.param(int, 3, 3, id="int"),
        pytest.param(str, "x", "x", id="str"),
        pytest.param(bool, False, False, id="bool"),
        pytest.param(float, 0.5, 0.5, id="float"),
        pytest.param(float, 1, 1, id="int for a float"),
        pytest.param(int | None, None, None, id="none"),
        pytest.param(Annotated[int, Field(ge=1)], 3, 3, id="within bounds"),
        pytest.param(list[int], [1], [1], id="list"),
        pytest.param(Unit, Unit.C, "C", id="enum"),
        pytest.param(Span, Span(), {"first": 1, "last": 2}, id="model"),
        pytest.param(dt.date, dt.date(2020, 1, 2), "2020-01-02", id="date"),
        pytest.param(int, None, ..., id="none for an int"),
        pytest.param(Annotated[int, Field(ge=1)], 0, ..., id="out of bounds"),
        pytest.param(float, math.inf, ..., id="infinite"),
        pytest.param(SecretStr, SecretStr("abc"), ..., id="secret"),
        pytest.param(int, SENTINEL, ..., id="sentinel"),
        pytest.param(Annotated[int, Field(json_schema_extra={"default": 9})], 3, 9, id="said by the type"),
    ],
)
def test_defaults(annotation: object, default: object, shown: object) -> None:
    """A default is shown as a model would give it, if giving it would be the same."""

    def f(x: Any = default) -> None: ...

    f.__annotations__["x"] = annotation
    schema = properties_of(f)["x"]
    assert (shown is not ..., shown) == ("default" in schema, schema.get("default", ...))
    assert {} == Tool.of(f).read(ToolCall(id="1", name="f", arguments="{}"))


def test_what_is_validated_is_not_changed() -> None:
    """Descriptions and defaults are for the model alone."""
    tool = Tool.of(described)
    assert "By the docstring" not in str(tool.arguments.json_schema)
    assert "'default': 'C'" not in str(tool.arguments.json_schema)
    assert "'default': 'C'" in str(tool.definition.parameters)


def test_no_parameters() -> None:
    """A function without parameters has an empty closed object."""
    schema = read_parameters(lambda: 7, "f").schema
    assert ({}, False) == (schema["properties"], schema["additionalProperties"])


# Where the text comes from.


class Base:
    """Has a documented method."""

    def look_up(self, city: str) -> str:
        """Looks up, says the base.

        Args:
            city: Where.
        """
        return city

    @classmethod
    def of_class(cls, city: str) -> str:
        """Of the class."""
        return city

    @staticmethod
    def static(city: str) -> str:
        """Of nothing."""
        return city


class Child(Base):
    """Has the same without words."""

    def look_up(self, city: str) -> str:
        return city


class Called:
    """The class."""

    def __call__(self, city: str) -> str:
        """The call."""
        return city


class Silent:
    """The class."""

    def __call__(self, city: str) -> str:
        return city


@dataclass
class Data:
    city: str

    def __call__(self, city: str) -> str:
        return city


def undocumented(city: str) -> str:
    return city


@pytest.mark.parametrize(
    "function, description",
    [
        pytest.param(Base().look_up, "Looks up, says the base.", id="method"),
        pytest.param(Child().look_up, "Looks up, says the base.", id="inherited"),
        pytest.param(Base.of_class, "Of the class.", id="class method"),
        pytest.param(Child.of_class, "Of the class.", id="inherited class method"),
        pytest.param(Base.static, "Of nothing.", id="static method"),
        pytest.param(Called(), "The call.", id="object"),
        pytest.param(Silent(), "The class.", id="object without words"),
        pytest.param(Data("Oslo"), "", id="dataclass"),
        pytest.param(functools.partial(described, unit="F"), "Looks up.", id="partial"),
        pytest.param(functools.partial(Called()), "The call.", id="partial of an object"),
        pytest.param(undocumented, "", id="nothing"),
    ],
)
def test_where_the_description_comes_from(function: Callable[..., object], description: str) -> None:
    """The function's own docstring, that of a base class, of ``__call__``, of the class; never what Python writes by itself."""
    assert description == Tool.of(function).definition.description


def test_a_partial_keeps_what_it_holds() -> None:
    """What a partial holds is neither shown to the model nor taken from it."""
    tool = Tool.of(functools.partial(described, days=7, unit="F"))
    assert ["city", "span"] == list(cast("JsonObject", tool.definition.parameters["properties"]))
    assert isinstance(tool.read(ToolCall(id="1", name="f", arguments='{"city":"Oslo","span":{},"unit":"C"}')), tuple)


def test_return_types_need_not_be_known() -> None:
    """What a function returns may be imported for type checkers only."""

    def pay(to: str) -> Amount:
        raise NotImplementedError

    assert ["to"] == list(properties_of(pay))
    assert ["to"] == list(properties_of(functools.partial(pay)))


# What is refused.


def positional(city: str, /) -> None: ...


def starred(*cities: str) -> None: ...


def double_starred(**cities: str) -> None: ...


def second_context(city: str, ctx: RunContext) -> None: ...


def bare(city: Any) -> None: ...


def pydantic_default(city: str = Field(description="Where.")) -> None: ...


def unknown(city: Amount) -> None: ...


def iterates(cities: Iterable[int]) -> None: ...


class Opaque:
    """Nothing known."""


def opaque(fine: int, city: Opaque) -> None: ...


del bare.__annotations__["city"]


@pytest.mark.parametrize(
    "function, words",
    [
        pytest.param(positional, ["parameter city is positional-only", "remove the /"], id="positional"),
        pytest.param(starred, [r"parameter \*cities takes any number", r"cities: list\[str\]"], id="starred"),
        pytest.param(double_starred, [r"parameter \*\*cities", r"cities: dict\[str, str\]"], id="double-starred"),
        pytest.param(bare, ["parameter city must be annotated", "city: str"], id="bare"),
        pytest.param(second_context, ["parameter ctx is for the RunContext", "first parameter"], id="context"),
        pytest.param(pydantic_default, ["parameter city has a Field as its default", "Annotated"], id="field"),
        pytest.param(unknown, ["name 'Amount' is not defined", "@tool"], id="unknown name"),
        pytest.param(opaque, ["parameter city cannot be shown", "type Opaque"], id="opaque"),
        pytest.param(iterates, ["parameter cities cannot be shown", "ask for a list"], id="iterator"),
        pytest.param(Base.look_up, ["a method without its object", "service.look_up"], id="unbound"),
    ],
)
def test_what_is_refused(function: Callable[..., object], words: list[str]) -> None:
    """A parameter that a model cannot fill is refused: which tool, where it is, what is wrong, what to write."""
    for word in [rf"tool {function.__name__} \({__name__}\.", *words]:
        with pytest.raises(MisuseError, match=word):
            Tool.of(function)


class Kept(BaseModel):
    """A model with a set."""

    names: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    "annotation, default, shown",
    [
        pytest.param(set[str], set("dacb"), list("abcd"), id="set"),
        pytest.param(frozenset[str] | None, frozenset("dacb"), list("abcd"), id="perhaps none"),
        pytest.param(list[set[str]], [set("dacb")], [list("abcd")], id="in a list"),
        pytest.param(list[str], list("dacb"), list("dacb"), id="a list keeps its order"),
        pytest.param(dict[str, set[str]], {"k": set("dacb")}, {"k": list("abcd")}, id="in a map"),
        pytest.param(dict, {"k": list("dacb")}, {"k": list("dacb")}, id="in a map of anything"),
        pytest.param(Kept, Kept(names=frozenset("dacb")), {"names": list("abcd")}, id="in a model"),
    ],
)
def test_defaults_without_an_order(annotation: object, default: object, shown: object) -> None:
    """Sets are shown sorted: their own order changes from process to process, and the prompt must not."""

    def f(x: Any = default) -> None: ...

    f.__annotations__["x"] = annotation
    assert shown == properties_of(f)["x"]["default"]

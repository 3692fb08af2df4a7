"""``@tool``: a function that is a `Tool` and is still called as before; as a method it is bound."""

from __future__ import annotations

import abc
import asyncio
import copy
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import MethodType
from typing import Any, cast

import pytest
from pydantic import BaseModel

from settled import Agent, MisuseError, RunContext, Tool, ToolCall, tool
from settled.testing import ScriptedProvider
from settled.tools.decorator import FunctionTool, ToolMethod
from settled.tools.signature import is_async

CALL = ToolCall(id="1", name="look_up", arguments='{"place":{"name":"Oslo"}}')


@tool
def look_up(city: str, *, days: int = 1) -> str:
    """The weather.

    Args:
        city: Where.
        days: How many.
    """
    return f"{city} {days}"


@tool(
    name="forecast!",
    description="Other words.",
    requires_approval=True,
    external=True,
    timeout=3,
    retries=1,
    on_error="hide",
)
async def forecast(ctx: RunContext[int], city: str) -> str:
    """The weather."""
    return f"{city} {ctx.context}"


def test_it_is_a_tool_and_a_function() -> None:
    """It can be called, shows what the function shows, and is read as one."""
    assert isinstance(look_up, Tool)
    assert "Oslo 2" == look_up("Oslo", days=2)
    assert ("look_up", "look_up", __name__) == (look_up.name, look_up.__name__, look_up.__module__)
    assert (look_up.__doc__ or "").startswith("The weather.")
    assert ["city", "days"] == list(inspect.signature(look_up).parameters)
    assert ("FunctionTool('look_up')", "The weather.") == (repr(look_up), look_up.definition.description)
    assert "Where." in str(look_up.definition.parameters)


def test_options() -> None:
    """Each keyword is a field of the tool; the name is made legal; and `Tool.of` takes the same."""
    assert ("forecast", "Other words.") == (forecast.name, forecast.definition.description)
    held = (forecast.requires_approval, forecast.external, forecast.timeout, forecast.retries, forecast.on_error)
    assert [True, True, 3, 1, "hide"] == [*held]
    assert forecast.wants_context
    assert is_async(forecast.function)
    assert "Oslo 7" == asyncio.run(forecast(RunContext(context=7), "Oslo"))
    same = Tool.of(forecast.function, name="forecast!", description="Other words.", retries=1, on_error="hide")
    assert (same.definition, same.retries, same.on_error) == (forecast.definition, 1, "hide")


def test_no_options() -> None:
    """Empty brackets are as none."""
    assert "look_up" == tool()(look_up.function).name


def test_it_is_a_value() -> None:
    """Equal by what it holds, copied with fields replaced, and still callable."""
    other = look_up.changed(timeout=2.0)
    assert (look_up, 2.0, "Oslo 1") == (look_up.changed(timeout=None), other.timeout, other("Oslo"))
    assert [True, False, False] == [look_up == one for one in (look_up, other, "look_up")]
    assert hash(look_up) == hash(other)
    assert "look_up" == copy.deepcopy(look_up).__name__


def test_an_agent_runs_it() -> None:
    """An agent takes it as it takes a function."""
    model = ScriptedProvider(ToolCall(id="1", name="look_up", arguments='{"city":"Oslo","days":3}'), "fine")
    Agent(str, tools=[look_up]).run("?", model=model)
    assert "Oslo 3" == model.requests[1].messages[-1].text


# Methods.


class Service:
    """Has tools of every kind."""

    def __init__(self, place: str) -> None:
        self.place = place

    @tool
    def look_up(self, city: str) -> str:
        """The weather."""
        return f"{city} from {self.place}"

    @tool(retries=3)
    async def alook_up(this, city: str) -> str:
        """The weather."""
        return f"{city} from {this.place}"

    @tool
    def near(self, place: Place) -> str:
        """The weather near a place, whose class is known only later."""
        return f"{place.name} from {self.place}"

    @tool
    @classmethod
    def of_class(cls, city: str) -> str:
        """The weather."""
        return f"{city} from {cls.__name__}"

    @classmethod
    @tool
    def around_class(cls, city: str) -> str:
        """The weather."""
        return f"{city} from {cls.__name__}"

    @tool
    @staticmethod
    def static(city: str) -> str:
        """The weather."""
        return city

    @staticmethod
    @tool
    def around_static(city: str) -> str:
        """The weather."""
        return city

    plain = look_up


class Place(BaseModel):
    """A place."""

    name: str


class Child(Service):
    """Inherits them."""


@pytest.mark.parametrize(
    "name, given",
    [
        ("look_up", "Oslo from here"),
        ("of_class", "Oslo from Child"),
        ("around_class", "Oslo from Child"),
        ("static", "Oslo"),
        ("around_static", "Oslo"),
    ],
    ids=["method", "class", "around class", "static", "around static"],
)
def test_methods_are_bound(name: str, given: str) -> None:
    """Looked up on an object, a method is a tool of that object; it can be called, and an agent runs it."""
    made = getattr(Child("here"), name)
    assert given == made("Oslo")
    taken = made if isinstance(made, Tool) else Tool.of(made)  # from Python 3.13 on a class method around it binds by itself
    assert name == taken.name
    assert ["city"] == taken.definition.parameters["required"]
    assert given == taken.function("Oslo")


@pytest.mark.parametrize("name", ["of_class", "around_class", "static", "around_static"])
def test_what_needs_no_object(name: str) -> None:
    """Class methods and static methods are tools without an object too."""
    assert getattr(Service, name)("Oslo").startswith("Oslo")


def test_async_methods() -> None:
    """Bound as the others; a first parameter of any name is the object."""
    made = Service("here").alook_up
    assert (3, True) == (made.retries, is_async(made.function))
    assert "Oslo from here" == asyncio.run(made("Oslo"))


def test_methods_are_read_when_all_names_are_known() -> None:
    """A parameter may be of a class that is defined below."""
    assert {"place": Place(name="Oslo")} == Service("here").near.read(CALL)


def test_methods_of_one_object_are_equal() -> None:
    """As methods are; those of two objects are not; the schema is made once for all."""
    one, other = Service("here"), Service("there")
    assert one.look_up == one.look_up
    assert one.look_up != other.look_up
    assert one.look_up.arguments is other.look_up.arguments


def test_a_method_without_its_object() -> None:
    """It is called with the object first, is no tool, and says what to give instead."""
    unbound = cast("Any", Service.look_up)
    assert "Oslo from here" == unbound(Service("here"), "Oslo")
    assert f"<ToolMethod {__name__}.Service.look_up>" == repr(unbound)
    with pytest.raises(AttributeError, match=r"look \.definition up on that of an object"):
        _ = unbound.definition
    with pytest.raises(MisuseError, match="a method without its object"):
        Agent(str, tools=[Service.look_up])
    assert isinstance(copy.copy(unbound), ToolMethod)


def test_a_bound_method_of_a_tool() -> None:
    """From Python 3.13 on, a class method around a tool is a plain bound method of it: its options are kept all the same."""
    bound = MethodType(vars(Service)["alook_up"], Service("here"))
    assert 3 == Tool.of(bound).retries
    with pytest.raises(MisuseError, match="is a tool already"):
        Tool.of(bound, retries=1)


def test_an_abstract_method_stays_abstract() -> None:
    """A class with one cannot be made."""

    class Abstract(abc.ABC):
        @tool
        @abc.abstractmethod
        def look_up(self, city: str) -> str:
            """The weather."""

    with pytest.raises(TypeError, match="abstract"):
        Abstract()  # type: ignore[abstract]


def test_a_function_in_a_class_is_no_method() -> None:
    """A tool made elsewhere is not bound by being put into a class."""

    class Holder:
        held = look_up

    assert "Oslo 1" == cast("Any", Holder().held)("Oslo")


# Names and scopes.


def test_local_names() -> None:
    """Annotations may name what is local to the code around the decorator, also around the class of a method."""

    class Near(BaseModel):
        name: str

    @tool
    def look_up(place: Near) -> str:
        """The weather."""
        return place.name

    @dataclass
    class Local:
        @tool()
        def look_up(self, place: Near, other: Local | None = None) -> str:
            """The weather."""
            return place.name

    assert {"place": Near(name="Oslo")} == look_up.read(CALL)
    assert {"place": Near(name="Oslo")} == Local().look_up.read(CALL)


def other_objects() -> list[Callable[..., object]]:
    """What may be decorated beside functions."""

    class Caller:
        def __call__(self, city: str) -> str:
            """The weather."""
            return city

    def look_up(city: str, unit: str) -> str:
        """The weather."""
        return city

    return [Caller(), functools.partial(look_up, unit="C")]


@pytest.mark.parametrize("function", other_objects(), ids=["object", "partial"])
def test_other_callables(function: Callable[[str], str]) -> None:
    """Objects with ``__call__`` and partials become tools as well."""
    made = tool(function)
    assert ("Oslo", "The weather.") == (made("Oslo"), made.definition.description)


# What is refused.


def plainly(function: Callable[..., object], **options: Any) -> Tool:
    """By `Tool.of`."""
    return Tool.of(function, **options)


def decorating(function: Callable[..., object], **options: Any) -> Tool:
    """By the decorator."""
    return tool(**options)(function)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"timeout": 0}, "timeout=0: give seconds above 0"),
        ({"timeout": "3"}, "timeout=str: give int or float"),
        ({"timeout": True}, "timeout=bool: give int or float"),
        ({"retries": 1.5}, "retries=float: give int"),
        ({"name": 5}, "name=int: give str"),
        ({"description": b"x"}, "description=bytes: give str"),
        ({"external": "no"}, "external=str: give bool"),
        ({"timeout": float("nan")}, "timeout=nan"),
        ({"retries": -1}, "retries=-1: give 0 or more"),
        ({"on_error": "ignore"}, "on_error='ignore': give 'tell', 'hide' or 'fail'"),
        ({"requires_approval": "yes"}, "requires_approval=str"),
    ],
    ids=lambda case: " ".join(case) if isinstance(case, dict) else "",
)
@pytest.mark.parametrize("make", [plainly, decorating], ids=["Tool.of", "tool"])
def test_options_that_cannot_be(make: Callable[..., Tool], options: dict[str, object], words: str) -> None:
    """A value that cannot be is refused at once, by name."""
    with pytest.raises(MisuseError, match=words):
        make(look_up.function, **options)


@pytest.mark.parametrize("make", [plainly, decorating], ids=["Tool.of", "tool"])
def test_unknown_options(make: Callable[..., Tool]) -> None:
    """A keyword that does not exist is a TypeError that lists those that do."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'retires'; there are name, description"):
        make(look_up.function, retires=1)


@pytest.mark.parametrize(
    "given",
    [look_up, functools.partial(look_up, days=2), functools.partial(cast("Any", Service.look_up), None)],
    ids=["tool", "partial", "partial of a method"],
)
def test_what_is_a_tool_already(given: Callable[..., object]) -> None:
    """Another tool made of one would lose its options, such as its gate: refused."""
    with pytest.raises(MisuseError, match="is a tool already"):
        Tool.of(given)


def test_decorated_twice() -> None:
    """One decorator is enough."""
    with pytest.raises(MisuseError, match="is a tool already; decorate it once"):
        tool(look_up)


def test_what_cannot_be_called() -> None:
    """A call's result in place of the function is refused."""
    with pytest.raises(MisuseError, match="tools: str cannot be called"):
        Agent(str, tools=[cast("Any", look_up("Oslo"))])


def stock(item: str) -> str:
    """Another function."""
    return item


@pytest.mark.parametrize(
    "other, words",
    [(Tool.of(stock, name="look_up"), r"look_up and .*\.stock are both named 'look_up'"), (look_up, r"look_up is given twice")],
    ids=["another", "the same"],
)
def test_names_must_differ(other: Tool, words: str) -> None:
    """Two tools of one name are refused, naming both functions."""
    with pytest.raises(MisuseError, match=words):
        Agent(str, tools=[look_up, other])


def test_kinds() -> None:
    """What the decorator makes is one class, for functions and bound methods."""
    assert {FunctionTool} == {type(look_up), type(Service("here").look_up)}

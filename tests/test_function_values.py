"""Answered functions as values: changed copies, what they look like, pickling, equality; and how wrong use is told."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import pickle
import pydoc
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import pytest
from pydantic import BaseModel
from tests import annotated_later
from tests.forms import City
from typing_extensions import TypeAliasType

from settled import Agent, Budget, Failure, Message, MisuseError, RunContext, Success, ToolCall, answered_by
from settled.testing import FunctionProvider, ScriptedProvider, use_model

if TYPE_CHECKING:
    from decimal import Decimal as Missing

T = TypeVar("T")
K = TypeVar("K")
ECHO = FunctionProvider(lambda request: request.messages[-1].text)
OSLO = City(name="Oslo", people=7)


@answered_by(ECHO)
def greet(name: str, *, loudly: bool = False) -> str:
    """Greet {name}.

    Loudly: {loudly}
    """
    raise NotImplementedError


@answered_by(ECHO)
async def greet_async(name: str) -> str:
    """Greet {name}."""
    raise NotImplementedError


@answered_by(ECHO)
def items(what: str) -> Iterator[str]:
    """Items of {what}."""
    raise NotImplementedError


@answered_by(ECHO)
def async_items(what: str) -> AsyncIterator[str]:
    """Items of {what}."""
    raise NotImplementedError


@answered_by(ECHO)
def outcome(what: str) -> Success[str] | Failure:
    """Outcome of {what}."""
    raise NotImplementedError


@answered_by(ECHO)
async def outcome_async(what: str) -> Success[str] | Failure:
    """Outcome of {what}."""
    raise NotImplementedError


@Agent(str, model=ECHO).prompt
def asked(what: str) -> str:
    """Asks."""
    return f"Ask {what}."


brief = greet.with_(budget=Budget(max_steps=1))


class Clerk:
    """Methods of all kinds."""

    def __init__(self, name: str) -> None:
        """Has a name."""
        self.name = name

    @answered_by(ECHO)
    def method(self, what: str, times: int = 1) -> str:
        """Method: {what}."""
        raise NotImplementedError

    @answered_by(ECHO)
    @classmethod
    def of_class(cls, what: str) -> str:
        """Class: {what}."""
        raise NotImplementedError

    @answered_by(ECHO)
    @staticmethod
    def static(what: str) -> str:
        """Static: {what}."""
        raise NotImplementedError

    @answered_by(ECHO)
    async def async_outcome(self, what: str) -> Success[str] | Failure:
        """Async outcome: {what}."""
        raise NotImplementedError

    @property
    @answered_by(ECHO)
    def prop(self) -> str:
        """Property."""
        raise NotImplementedError

    changed = method.with_(name="changed")


ALL = [greet, greet_async, items, async_items, outcome, outcome_async, asked]
ids_of = [vars(function)["__name__"] for function in ALL]


# Changed copies.


@pytest.mark.parametrize("function", ALL, ids=ids_of)
def test_a_changed_copy(function: Any) -> None:
    """``with_`` of a function of any kind gives one of the same kind, with a changed agent; the first stays as it was."""
    changed = function.with_(name="other", mode="prompted")
    assert type(changed) is type(function)
    assert ("other", "prompted") == (changed.agent.name, changed.agent.explain("x").mode)
    assert function.agent.name != "other"
    assert changed.agent is changed.agent


def test_changes_reach_the_run() -> None:
    """A changed model, budget, settings and check reach the run; so do a history, a context and a run id, which no agent has."""
    seen: list[object] = []

    def check(ctx: RunContext[object], value: str) -> None:
        seen.append(ctx.context)

    fake = ScriptedProvider("Hei")
    changed = greet.with_(model=fake, context="here", checks=[check], run_id="r1", history=[Message.user("Before.")])
    result = changed.settle("Oslo")
    assert isinstance(result, Success)
    assert (result.output, result.run_id, seen) == ("Hei", "r1", ["here"])
    assert [message.text for message in fake.requests[0].messages] == ["Before.", "Greet Oslo.\n\nLoudly: false"]


def test_changes_add_up() -> None:
    """A changed copy can be changed again; the later change counts."""
    seen: list[object] = []

    def check(ctx: RunContext[object], value: str) -> None:
        seen.append((ctx.context, ctx.agent_name, ctx.run_id))

    changed = greet.with_(checks=[check], context="one", run_id="r1", name="a").with_(context="two", name="b")
    changed("Oslo")
    assert seen == [("two", "b", "r1")]


def test_a_changed_budget_is_that_of_the_call() -> None:
    """``fn.with_(budget=...)`` bounds that call."""

    @answered_by(FunctionProvider(lambda request: "x"))
    def count(what: str) -> int:
        """How many {what}?"""
        raise NotImplementedError

    steps = [len(cast("Failure", made.settle("ships")).report.steps) for made in (count, count.with_(budget=Budget(max_steps=1)))]
    assert steps == [3, 1]


def test_a_changed_method() -> None:
    """A method can be changed before it is bound, and after."""
    clerk = Clerk("Ada")
    fake = ScriptedProvider("a", "b", "c")
    assert ["a", "b", "c"] == [
        clerk.method.with_(model=fake)("x"),
        Clerk.method.with_(model=fake)(clerk, "x"),
        Clerk.of_class.with_(model=fake)("x"),
    ]
    assert (clerk.changed.agent.name, clerk.changed("x")) == ("changed", "Method: x.")


def test_changes_of_a_type_that_is_defined_later() -> None:
    """A function whose return type is defined later can be changed before."""
    harbour = annotated_later.Harbour(ships=3)
    assert harbour == annotated_later.defined_later.with_(model=ScriptedProvider(harbour))("Oslo")


@pytest.mark.parametrize(
    "changes, error, match",
    [
        ({"buget": 1}, TypeError, r"with_\(\) got an unexpected keyword argument 'buget'; did you mean 'budget'"),
        ({"failure_type": int}, TypeError, "failure_type"),
        ({"prompt": "x"}, TypeError, "prompt"),
        ({"budget": 1}, MisuseError, "budget=int: give Budget"),
        ({"run_id": 1}, MisuseError, "run_id=int"),
    ],
    ids=["unknown", "failure-type", "prompt", "wrong-kind", "wrong-run-id"],
)
def test_wrong_changes(changes: dict[str, Any], error: type[Exception], match: str) -> None:
    """Wrong changes are told where they are given, before any call."""
    with pytest.raises(error, match=match):
        cast("Any", greet).with_(**changes)


# What they look like.


def test_signatures() -> None:
    """``inspect.signature`` gives the function's own; of a bound method without its object."""
    assert str(inspect.signature(greet)) == "(name: 'str', *, loudly: 'bool' = False) -> 'str'"
    assert str(inspect.signature(Clerk.method)) == "(self, what: 'str', times: 'int' = 1) -> 'str'"
    assert str(inspect.signature(Clerk("Ada").method)) == "(what: 'str', times: 'int' = 1) -> 'str'"
    assert str(inspect.signature(Clerk.of_class)) == "(what: 'str') -> 'str'"
    assert str(inspect.signature(Clerk.static)) == "(what: 'str') -> 'str'"
    assert "agent" in inspect.signature(type(greet)).parameters


@pytest.mark.parametrize("function", ALL, ids=ids_of)
def test_it_looks_like_the_function(function: Any) -> None:
    """Name, module, docstring, annotations and the function itself are there; ``repr`` is short."""
    plain = function.__wrapped__
    assert inspect.isfunction(plain)
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        assert getattr(function, name) == getattr(plain, name)
    assert repr(function) == f"<{type(function).__name__} {plain.__name__}>"


def test_help() -> None:
    """``help`` shows the signature and the docstring."""
    told = pydoc.plain(pydoc.render_doc(greet))
    assert "greet(name: 'str', *, loudly: 'bool' = False) -> 'str'" in told
    assert "Greet {name}." in told
    told = pydoc.plain(pydoc.render_doc(Clerk("Ada").method))
    assert "method(what: 'str', times: 'int' = 1) -> 'str'" in told
    assert "Method: {what}." in pydoc.plain(pydoc.render_doc(Clerk))


def test_async_functions_are_known_as_such() -> None:
    """``inspect.iscoroutinefunction`` says what is to be awaited; before 3.12 no object can be marked so."""
    marked = sys.version_info >= (3, 12)
    assert [marked] * 2 == [inspect.iscoroutinefunction(function) for function in (greet_async, outcome_async)]
    assert [False] * 4 == [inspect.iscoroutinefunction(function) for function in (greet, items, async_items, outcome)]


# Pickling, copying, equality.


@pytest.mark.parametrize("function", ALL, ids=ids_of)
def test_functions_pickle_by_name(function: Any) -> None:
    """A function of a module pickles, and copies, as itself."""
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.copy(function) is function
    assert copy.deepcopy([function]) == [function]


def test_methods_pickle_with_their_object() -> None:
    """A bound method pickles as its object does; one of a class by the class."""
    clerk = Clerk("Ada")
    again = pickle.loads(pickle.dumps(clerk.method))
    assert again("x") == "Method: x."
    assert again.__reduce__()[1][0].name == "Ada"
    assert pickle.loads(pickle.dumps(Clerk.method)) is Clerk.method
    assert pickle.loads(pickle.dumps(Clerk.of_class)) == Clerk.of_class
    assert pickle.loads(pickle.dumps(Clerk.static)) is Clerk.static


def test_changed_copies_pickle_as_their_changes() -> None:
    """A changed copy pickles where its changes do, bound or not."""
    for changed in (brief, greet.with_(name="b").with_(run_id="r1"), Clerk("Ada").changed, Clerk("Ada").method.with_(name="b")):
        again = pickle.loads(pickle.dumps(changed))
        assert (again.agent, type(again)) == (changed.agent, type(changed))
        assert again.render("x") == cast("Any", changed).render("x")


def test_what_does_not_pickle() -> None:
    """A local function does not pickle, as no local function does."""

    @answered_by(ECHO)
    def local(what: str) -> str:
        """Say {what}."""
        raise NotImplementedError

    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(local)


def test_equality() -> None:
    """As functions and methods: methods of one object are equal, those of others are not."""
    ada, bob = Clerk("Ada"), Clerk("Bob")
    assert ada.method == ada.method
    assert hash(ada.method) == hash(ada.method)
    assert len({ada.method, bob.method, Clerk.method, greet, greet}) == 4
    assert ada.method != bob.method
    assert ada.method != Clerk.method
    assert ada.method != ada.of_class
    assert ada.method.with_(name="b") != ada.method.with_(name="c")
    assert greet != brief
    assert greet != "greet"


def test_a_bound_method_is_not_bound_again() -> None:
    """As a method of Python, it stays that of its object wherever it is put."""

    class Desk:
        method = Clerk("Ada").method

    assert Desk().method("x") == "Method: x."


# Other places for them.


def test_async_outcomes_of_methods() -> None:
    """An async method that gives the outcome is bound and awaited."""
    assert asyncio.run(_outcome_of(Clerk("Ada"))) == "Async outcome: x."


async def _outcome_of(clerk: Clerk) -> str:
    return (await clerk.async_outcome("x")).unwrap()


def test_properties() -> None:
    """A property may be answered, too."""
    assert Clerk("Ada").prop == "Property."


def test_abstract_methods() -> None:
    """An answered method may be abstract; then its class is."""

    class Desk(ABC):
        @answered_by(ECHO)
        @abstractmethod
        def ask(self) -> str:
            """Ask."""
            raise NotImplementedError

    with pytest.raises(TypeError, match="abstract"):
        cast("Any", Desk)()


def test_as_a_tool() -> None:
    """An answered function, and a method, are tools like any function: the model sees their parameters."""
    for function, name in ((greet, "greet"), (Clerk("Ada").method, "method")):
        parameter = "name" if name == "greet" else "what"
        fake = ScriptedProvider(ToolCall(id="c1", name=name, arguments=f'{{"{parameter}": "Oslo"}}'), "done")
        result = Agent(str, tools=[function], model=fake).settle("Go!")
        assert isinstance(result, Success)
        assert "Oslo" in result.steps[0].tool_results[0].text
        told: dict[str, Any] = fake.requests[0].tools[0].parameters
        assert parameter in told["properties"]
        assert "self" not in told["properties"]


def test_generic_classes() -> None:
    """Methods of generic classes, and functions with generic parameters, work."""

    class Box(Generic[K]):
        @answered_by(ECHO)
        def tell(self, item: K, *more: K) -> str:
            """Tell of {item} and {more}."""
            raise NotImplementedError

    assert Box[int]().tell(3, 4) == "Tell of 3 and [4]."

    @answered_by(ECHO)
    def tell(thing: T, *, others: list[T]) -> str:
        """Tell of {thing} and {others}."""
        raise NotImplementedError

    assert tell("a", others=["b"]) == 'Tell of a and ["b"].'


Softly = TypeAliasType("Softly", Success[City] | Failure)
Numbers = TypeAliasType("Numbers", list[int])
Each = TypeAliasType("Each", Iterator[int])


def test_named_types() -> None:
    """A return type may have a name of its own: what it stands for counts, and a model is told the name."""
    fake = ScriptedProvider(OSLO, [1, 2], [1, 2])

    @answered_by(fake)
    def tell(name: str) -> Softly:
        """Tell of {name}."""
        raise NotImplementedError

    @answered_by(fake)
    def numbers(what: str) -> Numbers:
        """Numbers of {what}."""
        raise NotImplementedError

    @answered_by(fake)
    def each(what: str) -> Each:
        """Numbers of {what}."""
        raise NotImplementedError

    outcome = tell("Oslo")
    assert isinstance(outcome, Success)
    assert (outcome.output, numbers("ships"), list(each("ships"))) == (OSLO, [1, 2], [1, 2])
    assert "Numbers" in repr(numbers.agent)


def test_nested_functions_and_classes() -> None:
    """Return types that are local are found: in the function around, also from a class in it."""

    class Local(BaseModel):
        x: int

    class Desk:
        @answered_by(ScriptedProvider(Local(x=1)))
        def give(self) -> Local:
            """Give one."""
            raise NotImplementedError

        class Inner:
            @answered_by(ScriptedProvider(Local(x=2)))
            def give(self) -> Local:
                """Give one."""
                raise NotImplementedError

    assert (Local(x=1), Local(x=2)) == (Desk().give(), Desk.Inner().give())


def test_parameters_may_be_annotated_as_they_like() -> None:
    """Only the return type is looked at: a parameter's annotation may stand for checkers alone."""

    @answered_by(ECHO)
    def tell(thing: Missing) -> str:
        """Tell of {thing}."""
        raise NotImplementedError

    assert cast("Any", tell)("x") == "Tell of x."


def test_tools_and_checks_of_a_function() -> None:
    """Tools, checks and instructions are given to the decorator as to an agent."""

    def look_up(city: str) -> str:
        """Look it up."""
        return f"{city}: 7"

    def check(city: City) -> None:
        if city.people != 7:
            raise ValueError("wrong")

    fake = ScriptedProvider(ToolCall(id="c1", name="look_up", arguments='{"city": "Oslo"}'), City(name="Oslo", people=8), OSLO)

    @answered_by(fake, tools=[look_up], checks=[check], instructions="Be exact.", mode="tool")
    def tell(name: str) -> City:
        """Tell of {name}."""
        raise NotImplementedError

    result = tell.settle("Oslo")
    assert isinstance(result, Success)
    assert (result.output, result.steps[0].tool_results[0].text, len(result.attempts)) == (OSLO, "Oslo: 7", 2)


def test_agents_of_functions() -> None:
    """The agent behind a function is an agent: it can be changed, explained, overridden and mapped."""
    agent = greet.agent
    assert isinstance(agent, Agent)
    with agent.override(model=ScriptedProvider("Hei")):
        assert greet("Oslo") == "Hei"
    prompts = [greet.render(name) for name in ("a", "b")]
    assert prompts == [outcome.unwrap() for outcome in agent.map(prompts)]


# Wrong use.


async def async_iterator(what: str) -> Iterator[int]:
    """Numbers of {what}."""
    raise NotImplementedError


async def async_async_iterator(what: str) -> AsyncIterator[int]:
    """Numbers of {what}."""
    raise NotImplementedError


def of_nothing(what: str) -> object:
    """Numbers of {what}."""
    raise NotImplementedError


def success_of_nothing(what: str) -> object:
    """Numbers of {what}."""
    raise NotImplementedError


of_nothing.__annotations__["return"] = Iterator
success_of_nothing.__annotations__["return"] = "Success | Failure"


def success_alone(what: str) -> Success[int]:
    """Numbers of {what}."""
    raise NotImplementedError


def failure_alone(what: str) -> int | Failure:
    """Numbers of {what}."""
    raise NotImplementedError


def variable(what: T) -> T:
    """Like {what}."""
    raise NotImplementedError


def list_of_variable(what: T) -> list[T] | None:
    """Like {what}."""
    raise NotImplementedError


def plain(what: str) -> str:
    """Say {what}."""
    raise NotImplementedError


@pytest.mark.parametrize(
    "decorated, match",
    [
        (async_iterator, "async_iterator: write def, not async def"),
        (async_async_iterator, "async_async_iterator: write def, not async def"),
        (of_nothing, r"of_nothing: say what of: Iterator\[T\]"),
        (success_of_nothing, r"success_of_nothing: return Success\[T\] \| Failure"),
        (success_alone, r"success_alone: return Success\[T\] \| Failure"),
        (failure_alone, r"failure_alone: return Success\[T\] \| Failure"),
        (variable, "variable: .*T has a type variable"),
        (list_of_variable, "list_of_variable: .*has a type variable"),
        (greet, "greet: a model answers it already"),
        (Clerk.of_class, "of_class: a model answers it already"),
        (property(plain), "write @property above @answered_by"),
        (7, "decorate a function, not int"),
        (City, "decorate a function, not City"),
    ],
    ids=lambda given: "" if isinstance(given, str) else getattr(given, "__name__", type(given).__name__),
)
def test_refused_at_decoration(decorated: object, match: str) -> None:
    """What cannot work is refused where it is decorated, in one message that says what to write."""
    with pytest.raises(MisuseError, match=match) as raised:
        cast("Callable[..., Any]", answered_by(ECHO))(decorated)
    assert len(str(raised.value)) < 200


def _itself(function: Any) -> object:
    return function


KINDS: list[Callable[[Any], object]] = [_itself, staticmethod, classmethod, property]


@pytest.mark.parametrize("kind", KINDS, ids=["plain", "static", "class", "property"])
def test_without_parentheses(kind: Callable[[Any], object]) -> None:
    """``@answered_by`` without parentheses says so, above whatever it stands."""
    with pytest.raises(MisuseError, match="with parentheses"):
        cast("Any", answered_by)(kind(plain))


def test_a_partial() -> None:
    """A partial of a function has no docstring of its own; with ``prompt=`` it is answered like any function."""
    function = cast("Any", answered_by(ECHO, prompt="Say {what}, {how}."))(functools.partial(_said, how="now"))
    assert function("a") == "Say a, now."


def _said(what: str, *, how: str) -> str:
    raise NotImplementedError


_said.__annotations__ = {"return": str}


def test_a_name_that_is_never_defined() -> None:
    """An unresolved name in the return type is told at the first call, with the function's name, wherever it was decorated."""

    def local(what: str) -> object:
        raise NotImplementedError

    local.__annotations__["return"] = "Nowhere"
    functions: list[Any] = [annotated_later.never_defined, answered_by(ECHO, prompt="x")(local)]
    for function in functions:
        for call in (function, function.settle, function.stream):
            with pytest.raises(MisuseError, match="'Nowhere' is not defined; define it before the first call"):
                call("Oslo")


def test_under_use_model() -> None:
    """A changed copy is a copy of the function's agent: a fake for all agents reaches it."""
    with use_model(ScriptedProvider("Hei")):
        assert greet.with_(name="b")("Oslo") == "Hei"


def test_async_changed() -> None:
    """An async function that was changed is awaited, and so is its outcome."""
    changed = greet_async.with_(model=ScriptedProvider("a", "b"), run_id="r1")

    async def main() -> tuple[str, str]:
        return await changed("Oslo"), (await changed.settle("Oslo")).unwrap()

    assert asyncio.run(main()) == ("a", "b")

"""Functions that a model answers: ``@answered_by`` and ``@agent.prompt``."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Literal, Union

import pytest
from pydantic import BaseModel
from tests import annotated_later
from tests.forms import Blocked, City

from settled import Agent, Budget, Failure, Image, MisuseError, RunFailed, Success, answered_by
from settled.testing import FunctionProvider, ScriptedProvider, use_model

ECHO = FunctionProvider(lambda request: request.messages[-1].text)
OSLO = City(name="Oslo", people=7)


@answered_by(ECHO)
def greet(name: str, *, loudly: bool = False, times: int = 1) -> str:
    """Greet {name}.

    Loudly: {loudly}, times: {times}
    """
    raise NotImplementedError


@answered_by(ECHO)
async def greet_async(name: str) -> str:
    """Greet {name}."""
    raise NotImplementedError


def test_functions() -> None:
    """Calling it runs the agent on the rendered docstring; defaults and keyword-only arguments count; the body never runs."""
    assert greet("Oslo") == "Greet Oslo.\n\nLoudly: false, times: 1"
    assert greet("Oslo", loudly=True, times=3) == "Greet Oslo.\n\nLoudly: true, times: 3"
    assert greet(name="Oslo") == greet.render("Oslo")


def test_async_functions() -> None:
    """An async function is awaited, and so are its twins."""

    async def main() -> list[object]:
        outcomes = [await greet_async.settle("b"), await greet_async.asettle("c")]
        return [await greet_async("a"), *(outcome.unwrap() for outcome in outcomes), await greet_async.render("d")]

    assert ["Greet a.", "Greet b.", "Greet c.", "Greet d."] == asyncio.run(main())
    assert isinstance(greet_async.agent, Agent)


def test_it_is_still_that_function() -> None:
    """Name, docstring, module and signature are kept."""
    assert ("greet", __name__) == (vars(greet)["__name__"], greet.__module__)
    assert (greet.__doc__ or "").startswith("Greet {name}.")
    assert ["name", "loudly", "times"] == list(inspect.signature(greet).parameters)
    assert repr(greet) == "<Answered greet>"


def test_settle_and_agent() -> None:
    """``settle`` gives the outcome, ``asettle`` too, ``agent`` is the agent behind it, named after the function."""
    outcome = greet.settle("Oslo")
    assert isinstance(outcome, Success)
    assert isinstance(asyncio.run(greet.asettle("Oslo")), Success)
    agent = greet.agent
    assert isinstance(agent, Agent)
    assert (agent.name, agent.output_type) == ("greet", str)


@pytest.mark.parametrize(
    "args, kwargs",
    [((), {}), (("a", "b"), {}), (("a",), {"name": "b"}), (("a",), {"colour": 1})],
    ids=["missing", "too-many", "twice", "unknown"],
)
def test_wrong_arguments(args: tuple[str, ...], kwargs: dict[str, Any]) -> None:
    """Arguments that do not fit the function raise TypeError, as calling it would, before any request."""
    asked = len(ECHO.requests)
    for call in (greet, greet.settle, greet.render):
        loose: Callable[..., object] = call
        with pytest.raises(TypeError):
            loose(*args, **kwargs)
    assert asked == len(ECHO.requests)


def test_a_failed_run_raises() -> None:
    """A run without output raises RunFailed from the call, and gives a Failure from ``settle``."""

    @answered_by(FunctionProvider(lambda request: "x"), failure_type=Blocked, budget=Budget(output_retries=0))
    def count(what: str) -> int:
        """How many {what}?"""
        raise NotImplementedError

    with pytest.raises(RunFailed):
        count("ships")
    assert isinstance(count.settle("ships"), Failure)


def test_options_are_those_of_an_agent() -> None:
    """Keywords are handed to the agent, a failure type and a name among them; unknown ones raise TypeError."""
    fake = ScriptedProvider(Blocked(why="closed"))

    @answered_by(fake, instructions="Be brief.", failure_type=Blocked, mode="tool", name="clerk")
    def tell(name: str) -> City:
        """Tell of {name}."""
        raise NotImplementedError

    failed = tell.settle("Oslo")
    assert isinstance(failed, Failure)
    assert (Blocked(why="closed"), "clerk") == (failed.report.detail, failed.report.agent)
    assert fake.requests[0].messages[0].text.startswith("Be brief.")
    loose: Callable[..., Any] = answered_by
    with pytest.raises(TypeError):
        loose(fake, nonsense=1)(_documented)
    with pytest.raises(TypeError):
        loose(fake, "second")


def _documented(x: str) -> int:
    """How many {x}?"""
    raise NotImplementedError


class Clerk:
    """Methods of all kinds, decorated in both orders."""

    def __init__(self, name: str) -> None:
        """Has a name, which no prompt shows."""
        self.name = name

    @answered_by(ECHO)
    def method(self, what: str) -> str:
        """Method: {what}."""
        raise NotImplementedError

    @answered_by(ECHO)
    async def async_method(self, what: str) -> str:
        """Async method: {what}."""
        raise NotImplementedError

    @answered_by(ECHO)
    @classmethod
    def outer_class(cls, what: str) -> str:
        """Outer class: {what}."""
        raise NotImplementedError

    @classmethod
    @answered_by(ECHO)
    def inner_class(cls, what: str) -> str:
        """Inner class: {what}."""
        raise NotImplementedError

    @answered_by(ECHO)
    @staticmethod
    def outer_static(what: str) -> str:
        """Outer static: {what}."""
        raise NotImplementedError

    @staticmethod
    @answered_by(ECHO)
    def inner_static(what: str) -> str:
        """Inner static: {what}."""
        raise NotImplementedError

    @answered_by(FunctionProvider(lambda request: [1, 2]))
    def items(self, what: str) -> Iterator[int]:
        """Items: {what}."""
        raise NotImplementedError

    @answered_by(FunctionProvider(lambda request: [1, 2]))
    def async_items(self, what: str) -> AsyncIterator[int]:
        """Items: {what}."""
        raise NotImplementedError

    @answered_by(FunctionProvider(lambda request: 7))
    def outcome(self, what: str) -> Success[int] | Failure:
        """Outcome: {what}."""
        raise NotImplementedError


class Chief(Clerk):
    """Inherits them."""


@pytest.mark.parametrize("owner", [Clerk, Chief], ids=["class", "subclass"])
@pytest.mark.parametrize(
    "name, expected",
    [
        ("method", "Method: x."),
        ("outer_class", "Outer class: x."),
        ("inner_class", "Inner class: x."),
        ("outer_static", "Outer static: x."),
        ("inner_static", "Inner static: x."),
    ],
)
def test_methods(owner: type[Clerk], name: str, expected: str) -> None:
    """Methods of all kinds work, in both orders of decorators, on classes, subclasses and instances."""
    clerk = owner("Ada")
    bound = getattr(clerk, name)
    assert expected == bound("x") == bound(what="x")
    if name != "inner_class":  # from 3.13 on, classmethod no longer binds what it wraps
        assert bound.render("x") == expected
        assert isinstance(bound.settle("x"), Success)
    unbound = getattr(owner, name)
    assert expected == (unbound(clerk, "x") if name == "method" else unbound("x"))
    with pytest.raises(TypeError):
        bound("x", "y")


def test_methods_of_other_kinds() -> None:
    """Async methods, iterators and outcomes bind to their object too."""
    clerk = Chief("Ada")
    assert asyncio.run(_awaited(clerk.async_method("x"))) == "Async method: x."
    assert [1, 2] == list(clerk.items("x"))
    assert [1, 2] == asyncio.run(_collected(clerk.async_items("x")))
    outcome = clerk.outcome("x")
    assert isinstance(outcome, Success)
    assert outcome.output == 7


def _loosely(function: Any) -> Any:
    """Without its types, to call it as no checker would allow."""
    return function


async def _awaited(given: Any) -> object:
    return await given


async def _collected(given: AsyncIterator[Any]) -> list[object]:
    return [item async for item in given]


def test_self_and_cls_are_no_placeholders() -> None:
    """``{self}`` and ``{cls}`` are refused, like any name of no parameter."""

    def method(self: object, what: str) -> str:
        """Of {self}: {what}."""
        raise NotImplementedError

    with pytest.raises(MisuseError, match="self"):
        answered_by(ECHO)(method)


def test_items() -> None:
    """``Iterator[T]`` gives items, nothing before the first is asked for; a failed run raises on the way."""
    fake = ScriptedProvider([OSLO, OSLO], "x")

    @answered_by(fake, budget=Budget(output_retries=0))
    def cities(land: str) -> Iterator[City]:
        """Cities of {land}."""
        raise NotImplementedError

    given = cities("Norway")
    assert fake.requests == []
    assert [OSLO, OSLO] == list(given)
    with pytest.raises(RunFailed):
        list(cities("Norway"))


def test_async_items() -> None:
    """``AsyncIterator[T]`` gives them to an event loop."""

    @answered_by(ScriptedProvider([OSLO]))
    def cities(land: str) -> AsyncIterator[City]:
        """Cities of {land}."""
        raise NotImplementedError

    assert [OSLO] == asyncio.run(_collected(cities("Norway")))


def test_outcomes_never_raise() -> None:
    """``Success[T] | Failure`` gives the outcome itself, in either spelling, with a typed failure."""
    fake = ScriptedProvider(OSLO, Blocked(why="closed"), OSLO)

    @answered_by(fake)
    def tell(name: str) -> Success[City] | Failure[Blocked]:
        """Tell of {name}."""
        raise NotImplementedError

    @answered_by(fake)
    def tell_old(name: str) -> Union[Success[City], Failure]:  # noqa: UP007
        """Tell of {name}."""
        raise NotImplementedError

    first, second, third = tell("Oslo"), tell("Bergen"), tell_old("Oslo")
    assert isinstance(first, Success)
    assert isinstance(second, Failure)
    assert isinstance(third, Success)
    assert (OSLO, Blocked(why="closed"), OSLO) == (first.output, second.report.detail, third.output)


def test_async_outcomes() -> None:
    """An async function that gives the outcome is awaited, and never raises for a failed run."""

    @answered_by(ScriptedProvider(OSLO, "x"), budget=Budget(output_retries=0))
    async def tell(name: str) -> Success[City] | Failure:
        """Tell of {name}."""
        raise NotImplementedError

    async def main() -> list[object]:
        return [await tell("Oslo"), await tell("Oslo")]

    assert [Success, Failure] == [type(outcome) for outcome in asyncio.run(main())]


@pytest.mark.parametrize(
    "reply, form, expected",
    [("7", int, 7), ("Hei", str, "Hei"), (OSLO, City, OSLO), (OSLO, Union[City, int], OSLO)],  # noqa: UP007
    ids=["scalar", "text", "model", "union"],
)
def test_the_return_type_is_the_output_type(reply: object, form: object, expected: object) -> None:
    """Whatever the function returns is asked for."""

    def ask() -> None:
        """Go!"""

    ask.__annotations__["return"] = form
    loose: Callable[..., Callable[[], object]] = answered_by(ScriptedProvider(reply))
    assert expected == loose(ask)()


def test_a_function_without_parameters_returns_none_type() -> None:
    """``-> None`` asks for nothing but an end."""

    @answered_by(ScriptedProvider(None))
    def ping() -> None:
        """Say that you are there."""
        raise NotImplementedError

    given: Callable[[], object] = ping
    assert given() is None


def no_return(x: str) -> None:
    """How many {x}?"""


del no_return.__annotations__["return"]


def no_docstring(x: str) -> int:  # noqa: D103
    raise NotImplementedError


def unknown_name(x: str) -> int:
    """How many {y}?"""
    raise NotImplementedError


def evaluated(x: str) -> int:
    """How many {x.__class__}?"""
    raise NotImplementedError


def undescribable(x: str) -> Callable[[], int]:
    """How many {x}?"""
    raise NotImplementedError


@pytest.mark.parametrize(
    "function, match",
    [
        (no_return, "annotate what it returns"),
        (no_docstring, "docstring.*-OO"),
        (unknown_name, r"\{y\} names no parameter"),
        (evaluated, "would have to be evaluated"),
        (undescribable, "cannot describe"),
    ],
    ids=["no-return", "no-docstring", "unknown-name", "evaluated", "undescribable"],
)
def test_refused_at_decoration(function: Callable[..., object], match: str) -> None:
    """What cannot work is refused when the function is decorated, with its name or type."""
    loose: Callable[..., Callable[[Callable[..., object]], object]] = answered_by
    with pytest.raises(MisuseError, match=match):
        loose(ECHO)(function)


def test_stripped_docstrings() -> None:
    """Under ``python -OO`` the error says what happened, and ``prompt=`` works."""
    program = (
        "from settled import MisuseError, answered_by\n"
        "from settled.testing import ScriptedProvider\n"
        "def f(x: str) -> int:\n    'How many {x}?'\n    raise NotImplementedError\n"
        "try:\n    answered_by(ScriptedProvider(7))(f)\n"
        "except MisuseError as error:\n    print('-OO' in str(error), 'prompt=' in str(error))\n"
        "print(answered_by(ScriptedProvider(7), prompt='How many {x}?')(f)('ships'))\n"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "True", "7"], done.stderr


def test_prompt_instead_of_the_docstring() -> None:
    """``prompt=`` wins over the docstring, under the same rules."""

    @answered_by(ECHO, prompt="Count {what}, please.")
    def count(what: str) -> str:
        """Documentation for people, with {braces} of its own."""
        raise NotImplementedError

    assert count("ships") == "Count ships, please."
    loose: Callable[..., Callable[[Callable[..., object]], object]] = answered_by
    with pytest.raises(MisuseError, match=r"\{who\}"):
        loose(ECHO, prompt="{who}")(_documented)


def test_arguments_are_never_evaluated() -> None:
    """Braces and percent signs in arguments are text."""
    for text in ("{name}", "{0.__class__}", "{{name}}", "%(name)s", "{loudly!r}"):
        assert greet(text).startswith(f"Greet {text}.")


def test_media_arguments_become_parts() -> None:
    """An image argument is a part of the prompt."""
    fake, picture = ScriptedProvider("a cat"), Image(url="https://example.org/a.png")

    @answered_by(fake)
    def describe(picture: Image, words: int) -> str:
        """Describe {picture} in {words} words."""
        raise NotImplementedError

    assert describe(picture, 3) == "a cat"
    parts = fake.requests[0].messages[-1].parts
    assert ("Describe ", picture, " in 3 words.") == (getattr(parts[0], "text", None), parts[1], getattr(parts[2], "text", None))


def test_starred_parameters() -> None:
    """Starred parameters go in as JSON."""

    @answered_by(ECHO)
    def count(*names: str, **more: int) -> str:
        """Count {names} and {more}."""
        raise NotImplementedError

    assert count("a", "b", x=1) == 'Count ["a","b"] and {"x":1}.'
    assert count() == "Count [] and {}."


# Annotations that are text.


def test_annotations_from_the_future() -> None:
    """Annotations that are text are resolved where the function stands, also names that are defined after it."""
    harbour = annotated_later.Harbour(ships=3)
    with use_model(FunctionProvider(lambda request: harbour)):
        assert harbour == annotated_later.defined_later("Oslo")
        assert harbour == annotated_later.Clerk().method("Oslo")
        assert harbour == annotated_later.Clerk.of_class("Oslo")
        assert harbour == asyncio.run(_awaited(annotated_later.defined_later_async("Oslo")))
    with use_model(ScriptedProvider('"bug"')):
        assert annotated_later.classify("It is broken.") == "bug"


def test_other_kinds_with_a_type_that_is_defined_later() -> None:
    """Iterators and outcomes of a class that is defined after the function work like those of one defined before."""
    harbour = annotated_later.Harbour(ships=3)
    with use_model(FunctionProvider(lambda request: [harbour])):
        assert [harbour] == list(annotated_later.items_later("Oslo"))
        assert [harbour] == asyncio.run(_collected(annotated_later.items_later_async("Oslo")))
    with use_model(ScriptedProvider(harbour)):
        outcome = annotated_later.outcome_later("Oslo")
        assert isinstance(outcome, Success)
        assert harbour == outcome.output


def test_a_type_that_is_never_defined() -> None:
    """A name that is still missing at the first call is named, each time."""
    with use_model(ScriptedProvider(7)):
        for _ in range(2):
            with pytest.raises(MisuseError, match="Nowhere"):
                _loosely(annotated_later.never_defined)("Oslo")


def test_local_classes() -> None:
    """Classes of the enclosing function are found."""

    class Local(BaseModel):
        x: int

    @answered_by(ScriptedProvider(Local(x=1)))
    def give() -> Local:
        """Give one."""
        raise NotImplementedError

    assert give() == Local(x=1)


def test_without_a_model() -> None:
    """A function without a model can be decorated and rendered; calling it needs one."""
    assert annotated_later.classify.render("x") == "Which is it: x?"
    with pytest.raises(MisuseError, match="no model"):
        annotated_later.classify("x")


# The typed spelling.


def test_agent_prompt() -> None:
    """``@agent.prompt``: the body gives the prompt, and the call gives the output."""
    agent = Agent(str, model=ECHO)

    @agent.prompt
    def notes(commits: list[str], *, title: str = "Notes") -> str:
        """Writes notes."""
        return f"{title}:\n" + "\n".join(commits)

    assert notes(["a", "b"]) == "Notes:\na\nb"
    assert isinstance(notes.settle(["a"], title="T"), Success)
    outcome = asyncio.run(notes.asettle(["a"]))
    assert outcome.unwrap() == "Notes:\na"
    assert notes.render([]) == "Notes:\n"
    assert notes.agent is agent
    assert notes.__doc__ == "Writes notes."
    with pytest.raises(TypeError):
        _loosely(notes)()


def test_agent_prompt_async() -> None:
    """An async body is awaited for its prompt."""

    @Agent(str, model=ECHO).prompt
    async def notes(commits: list[str]) -> str:
        await asyncio.sleep(0)
        return ", ".join(commits)

    async def main() -> tuple[str, str]:
        return await notes(["a", "b"]), (await notes.asettle(["c"])).unwrap()

    assert asyncio.run(main()) == ("a, b", "c")


class Desk:
    """A class with prompts of its own."""

    agent = Agent(str, model=ECHO)

    def __init__(self, name: str) -> None:
        """Has a name."""
        self.name = name

    @agent.prompt
    def ask(self, what: str) -> str:
        """Asks, with its own name."""
        return f"{self.name} asks {what}"

    @agent.prompt
    async def ask_async(self, what: str) -> str:
        """The same, slowly."""
        return f"{self.name} asks {what}"


def test_agent_prompt_on_methods() -> None:
    """Prompts of methods see their object."""
    desk = Desk("Ada")
    assert desk.ask("why") == "Ada asks why"
    assert asyncio.run(_awaited(desk.ask_async("why"))) == "Ada asks why"
    assert desk.ask.render("why") == "Ada asks why"
    assert Desk.ask(desk, "why") == "Ada asks why"


def test_prompt_that_is_no_prompt() -> None:
    """A body that gives no prompt is the caller's mistake."""

    def nothing() -> Any:
        return None

    with pytest.raises(MisuseError, match="prompt="):
        _loosely(Agent(str, model=ECHO).prompt)(nothing)()


def test_overrides_reach_functions() -> None:
    """``use_model`` reaches decorated functions, whatever model they name."""
    with use_model(ScriptedProvider("Hei")):
        assert greet("Oslo") == "Hei"


def test_literal_and_async_iterators_are_told_apart() -> None:
    """The decorated thing shows its kind."""
    assert repr(annotated_later.classify) == "<Answered classify>"
    assert repr(Clerk.method) == "<Answered Clerk.method>"


def test_agents_of_functions_pickle() -> None:
    """The agent behind a function of importable types pickles."""

    @answered_by(prompt="{x}", mode="prompted")
    def give(x: str) -> Literal["a"]:
        raise NotImplementedError

    agent = pickle.loads(pickle.dumps(give.agent))
    assert agent.parse('"a"').unwrap() == "a"

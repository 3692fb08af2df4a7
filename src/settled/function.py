"""`answered_by`: a function whose body a model answers. Its docstring is the prompt, its return type the output type.

The body is never executed; ``raise NotImplementedError`` is the one that all type checkers accept.
"""

# mypy alone needs the ignores below, and pyright would call them unnecessary:
# pyright: reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import aclosing, closing
from functools import cached_property
from types import FrameType, UnionType
from typing import Any, Concatenate, Generic, NamedTuple, Protocol, TypeVar, Union, cast, get_args, get_origin, overload

from typing_extensions import Never, ParamSpec, Self, TypeForm, Unpack

from . import streaming
from .agent.agent import Agent, Answered, Asked, AsyncAnswered, AsyncAsked
from .agent.answered import Rendered
from .agent.kinds import refuse_unknown
from .agent.options import AgentKeywords
from .agent.spec import Model
from .agent.template import Template, template_of
from .schema.naming import unaliased
from .tools.signature import called_by, name_of, returned_by
from .vocabulary.errors import MisuseError
from .vocabulary.messages import Prompt
from .vocabulary.outcome import Failure, OutputT, Success
from .vocabulary.report import DetailT

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
T = TypeVar("T")
D = TypeVar("D")


class FunctionOptions(AgentKeywords, total=False):
    """What ``answered_by`` takes beside the model: the keywords of an agent, and another prompt."""

    failure_type: object
    """A typed way for the model to give up."""
    prompt: str
    """The prompt, instead of the docstring."""


class AnsweredItems(Asked[P, list[T], object], Generic[P, T]):
    """A function that gives the items of a list one by one, each as it closes.

    Example:
        >>> from settled import answered_by
        >>> from settled.testing import ScriptedProvider
        >>> @answered_by(ScriptedProvider([12, 7], chunk=1))
        ... def counts(what: str) -> Iterator[int]:
        ...     '''How many {what} are there, each day?'''
        ...     raise NotImplementedError
        >>> for count in counts("ships"):
        ...     print(count)
        12
        7
    """

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """The items. Nothing is sent before the first is asked for; closing the iterator, or letting go of it, ends the run.

        Raises:
            RunFailed: behind the last good item, when the run fails.
        """
        return _items(self.stream(*args, **kwargs))

    # As for `Answered`.
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: None, owner: S) -> AnsweredItems[Q, T]: ...
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: object, owner: S) -> AnsweredItems[Q, T]: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: S, owner: type | None = None) -> AnsweredItems[Q, T]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


def _items(stream: streaming.Stream[list[T], object]) -> Iterator[T]:
    with closing(stream):
        yield from stream.items()


class AsyncAnsweredItems(Asked[P, list[T], object], Generic[P, T]):
    """The async twin of `AnsweredItems`.

    Close its iterator by ``contextlib.aclosing``: a mere ``break`` ends the run when the event loop comes to it, if it does.
    """

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """The items, as those of `AnsweredItems`.

        Raises:
            RunFailed: behind the last good item, when the run fails.
        """
        return _async_items(self.astream(*args, **kwargs))

    # As for `Answered`.
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: None, owner: S) -> AsyncAnsweredItems[Q, T]: ...
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: object, owner: S) -> AsyncAnsweredItems[Q, T]: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: S, owner: type | None = None) -> AsyncAnsweredItems[Q, T]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


async def _async_items(stream: streaming.AsyncStream[list[T], object]) -> AsyncIterator[T]:
    async with aclosing(stream):
        async for item in stream.items():
            yield item


class AnsweredOutcome(Asked[P, OutputT, DetailT]):
    """A function that gives the outcome, and so never raises for a failed run.

    Example:
        >>> from settled import answered_by
        >>> from settled.testing import ScriptedProvider
        >>> @answered_by(ScriptedProvider(7))
        ... def count(what: str) -> Success[int] | Failure:
        ...     '''How many {what} are there?'''
        ...     raise NotImplementedError
        >>> count("ships").unwrap()
        7
    """

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome."""
        return self.settle(*args, **kwargs)

    # As for `Answered`.
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: None, owner: S) -> AnsweredOutcome[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: object, owner: S) -> AnsweredOutcome[Q, OutputT, DetailT]: ...
    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], object], obj: S, owner: type | None = None
    ) -> AnsweredOutcome[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


class AsyncAnsweredOutcome(AsyncAsked[P, OutputT, DetailT]):
    """The async twin of `AnsweredOutcome`."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome."""
        return await self.settle(*args, **kwargs)

    # As for `Answered`.
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: None, owner: S) -> AsyncAnsweredOutcome[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], object], obj: object, owner: S
    ) -> AsyncAnsweredOutcome[Q, OutputT, DetailT]: ...
    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], object],
        obj: S,
        owner: type | None = None,
    ) -> AsyncAnsweredOutcome[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


class Decorate(Protocol):
    """What ``answered_by`` gives: a decorator that keeps the parameters and types the answer by the return type."""

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, fn: Callable[P, Coroutine[object, Never, Success[T] | Failure[D]]], /
    ) -> AsyncAnsweredOutcome[P, T, D]: ...
    @overload
    def __call__(self, fn: Callable[P, Coroutine[object, Never, T]], /) -> AsyncAnswered[P, T, object]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, fn: Callable[P, AsyncIterator[T]], /) -> AsyncAnsweredItems[P, T]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, fn: Callable[P, Iterator[T]], /) -> AnsweredItems[P, T]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, fn: Callable[P, Success[T] | Failure[D]], /) -> AnsweredOutcome[P, T, D]: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, fn: Callable[P, T], /) -> Answered[P, T, object]: ...


def answered_by(model: Model | None = None, /, **options: Unpack[FunctionOptions]) -> Decorate:
    """A decorator for functions that a model answers.

    Works on functions, async functions and methods; above ``@classmethod`` and ``@staticmethod``. ``{parameter}`` in the
    docstring is replaced by the argument, as text; see ``docs/functions.md`` for the rules. The return type is the output type;
    ``Iterator[T]`` gives items, ``Success[T] | Failure`` the outcome.

    Args:
        model: as for an `Agent`; None leaves it to ``SETTLED_MODEL``.
        options: the keywords of an `Agent`, and ``prompt=`` instead of the docstring.

    Raises:
        MisuseError: when there is no docstring, no return type, or a placeholder that is not allowed.

    Example:
        >>> from settled import answered_by
        >>> from settled.testing import ScriptedProvider
        >>> @answered_by(ScriptedProvider(7))
        ... def count(what: str) -> int:
        ...     '''How many {what} are there?'''
        ...     raise NotImplementedError
        >>> count("ships")
        7
        >>> count.render("ships")
        'How many ships are there?'
    """
    if _is_decorated(model):
        raise MisuseError(f"{name_of(model)}: write @answered_by(), with parentheses")
    refuse_unknown(options, FunctionOptions.__annotations__, "answered_by")

    def decorate(fn: Any, /) -> Any:
        frame = inspect.currentframe()
        local_names = _names_around(None if frame is None else frame.f_back)
        plan = _Question(fn, model, cast("dict[str, object]", options), local_names)
        return plan.kind(lambda: plan.agent, fn, plan.render)

    return cast("Decorate", decorate)


class _Wanted(NamedTuple):
    kind: type[Rendered]
    output: object
    failure: object


class _Question:
    """One decorated function: its template, its return type, its agent.

    The agent is made at once where the types are known, and at the first call where a name in them is defined only later.
    """

    def __init__(self, fn: object, model: object, options: dict[str, object], local_names: Mapping[str, object]) -> None:
        self._function = _function_in(fn)
        self._model, self._options = model, dict(options)
        self._local_names: Mapping[str, object] = local_names
        self._is_late = False
        self._signature = inspect.signature(self._function)
        self._template = self._read_template(self._options.pop("prompt", None))
        self.kind = _kind_by_annotation(self._function)
        try:
            self.kind = self._wanted.kind
            _ = self.agent
        except NameError:
            self._is_late = True  # resolved at the first call

    def render(self, *args: object, **kwargs: object) -> Prompt:
        """The prompt for these arguments.

        Raises:
            TypeError: when they do not fit the function.
        """
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return self._template.filled(bound.arguments)

    @cached_property
    def agent(self) -> Agent[object, object]:
        """The agent behind the function."""
        wanted = self._wanted
        options = {"name": name_of(self._function), **self._options}
        options.setdefault("failure_type", wanted.failure)
        if self._model is not None:
            options["model"] = self._model
        return Agent(cast("TypeForm[object]", wanted.output), **cast("dict[str, Any]", options))

    @cached_property
    def _wanted(self) -> _Wanted:
        name = name_of(self._function)
        try:
            returned = returned_by(self._function, self._local_names)
        except NameError as missing:
            if self._is_late:
                told = "define it before the first call, and if not in the module, before the function"
                raise MisuseError(f"{name}: {missing}; {told}") from None
            raise
        if returned is None:
            raise MisuseError(f"{name}: annotate what it returns; that is the output type")
        self._local_names = {}
        return _wanted(name, returned, is_async=inspect.iscoroutinefunction(self._function))

    def _read_template(self, given: object) -> Template:
        name = name_of(self._function)
        text = given if isinstance(given, str) else inspect.getdoc(self._function)
        if not text:
            raise MisuseError(f"{name}: no prompt; write a docstring (python -OO strips them) or give prompt=")
        names = list(self._signature.parameters)
        return template_of(text, [p for p in names if p not in ("self", "cls")], name)


def _is_decorated(model: object) -> bool:
    """What stands where a model is due is the function, since the parentheses are missing."""
    return inspect.isroutine(model) or isinstance(model, (staticmethod, classmethod, property))


def _function_in(decorated: object) -> Callable[..., object]:
    """The function itself.

    Raises:
        MisuseError: for what is none.
    """
    function: object = getattr(decorated, "__func__", decorated)
    if isinstance(function, Rendered):
        raise MisuseError(f"{name_of(function)}: a model answers it already; decorate it once")
    if isinstance(function, property):
        raise MisuseError("answered_by: write @property above @answered_by(...)")
    if inspect.isclass(function) or not callable(function):
        raise MisuseError(f"answered_by: decorate a function, not {name_of(function)}")
    return function


def _names_around(frame: FrameType | None) -> Mapping[str, object]:
    """The names of the function, and of the classes in it, in which something is decorated. Those of the module are known."""
    names: dict[str, object] = {}
    while frame is not None and frame.f_locals is not frame.f_globals:
        names = {**frame.f_locals, **names}
        frame = None if frame.f_code.co_flags & inspect.CO_OPTIMIZED else frame.f_back  # a class body goes on in what is around
    return names


def _kind_by_annotation(function: Callable[..., object]) -> type[Rendered]:
    """The kind by the text of the return type, for when a name in it is defined only later."""
    is_async = inspect.iscoroutinefunction(function)
    returned = str(getattr(called_by(function), "__annotations__", {}).get("return"))
    outer = returned.partition("[")[0].rpartition(".")[2]
    for kind, origins in _ITEMS.items():
        if outer in [origin.__name__ for origin in origins]:
            return kind
    if "Success[" in returned and "Failure" in returned:
        return AsyncAnsweredOutcome if is_async else AnsweredOutcome
    return AsyncAnswered if is_async else Answered


_ITEMS: Mapping[type[Rendered], tuple[type, ...]] = {
    AnsweredItems: (Iterator, Generator),
    AsyncAnsweredItems: (AsyncIterator, AsyncGenerator),
}


def _wanted(name: str, returned: object, *, is_async: bool) -> _Wanted:
    """What a return type asks for.

    Raises:
        MisuseError: for one that names no output type.
    """
    if isinstance(returned, TypeVar) or cast("tuple[object, ...]", getattr(returned, "__parameters__", ())):
        raise MisuseError(f"{name}: {returned} has a type variable, and a model must be told one type; return that")
    if (meant := unaliased(returned)) is not returned:  # the name of a type
        named = _wanted(name, meant, is_async=is_async)
        return named._replace(output=returned) if named.kind in (Answered, AsyncAnswered) else named
    outer = get_origin(returned) or returned
    for kind, origins in _ITEMS.items():
        if outer in origins:
            return _Wanted(kind, cast("Any", list)[_item(name, returned, is_async=is_async)], None)
    members = get_args(returned) if outer in (Union, UnionType) else (returned,)
    by_origin = {get_origin(member) or member: get_args(member) for member in members}
    if Success not in by_origin and Failure not in by_origin:
        return _Wanted(AsyncAnswered if is_async else Answered, returned, None)
    if by_origin.keys() != {Success, Failure} or not by_origin[Success]:
        raise MisuseError(f"{name}: return Success[T] | Failure, for the outcome; or T, for the output")
    detail = by_origin[Failure][0] if by_origin[Failure] else None
    return _Wanted(AsyncAnsweredOutcome if is_async else AnsweredOutcome, by_origin[Success][0], detail)


def _item(name: str, returned: object, *, is_async: bool) -> object:
    """The type of the items."""
    if is_async:
        raise MisuseError(f"{name}: write def, not async def: what is called gives the iterator, and that is async or not")
    if not get_args(returned):
        raise MisuseError(f"{name}: say what of: Iterator[T]")
    return get_args(returned)[0]

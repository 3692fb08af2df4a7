"""`answered_by`: a function whose body a model answers. Its docstring is the prompt, its return type the output type.

The body is never executed; ``raise NotImplementedError`` is the one that all type checkers accept.
"""

# mypy alone needs the ignores below, and pyright would call them unnecessary:
# pyright: reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from functools import cached_property
from types import UnionType
from typing import Any, Concatenate, Generic, NamedTuple, Protocol, TypeVar, Union, cast, get_args, get_origin, overload

from typing_extensions import Never, ParamSpec, Self, TypeForm, Unpack

from .agent.agent import Agent
from .agent.answered import Answered, AsyncAnswered, Rendered
from .agent.kinds import refuse_unknown
from .agent.options import AgentKeywords
from .agent.spec import Model
from .agent.template import Template, template_of
from .tools.signature import hints_of, name_of
from .vocabulary.errors import MisuseError
from .vocabulary.messages import Prompt
from .vocabulary.outcome import Failure, OutputT, Success
from .vocabulary.report import DetailT

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
T = TypeVar("T")
ResultT = TypeVar("ResultT", covariant=True)
D = TypeVar("D")


class FunctionOptions(AgentKeywords, total=False):
    """What ``answered_by`` takes beside the model: the keywords of an agent, and another prompt."""

    failure_type: object
    """A typed way for the model to give up."""
    prompt: str
    """The prompt, instead of the docstring."""


class Bound(Rendered, Generic[P, ResultT]):
    """A function that is only called; as a method it is bound as any other."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ResultT:
        """What the function gives."""
        raise NotImplementedError

    # As for `Answered`, but the bound one is told as a plain callable: there is nothing else to it.
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: None, owner: S) -> Callable[Q, T]: ...  # class methods
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: object, owner: S) -> Callable[Q, T]: ...  # class methods
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: S, owner: type | None = None) -> Callable[Q, T]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...  # static methods
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


class AnsweredItems(Bound[P, Iterator[OutputT]], Generic[P, OutputT]):
    """A function that gives items one by one. In this release the whole list is validated before the first is given."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[OutputT]:
        """The items.

        Raises:
            RunFailed: when the run ends without them.
        """
        agent = cast("Agent[list[OutputT]]", self._agent())
        yield from agent.run(cast("Prompt", self._prompt(*args, **kwargs)))


class AsyncAnsweredItems(Bound[P, AsyncIterator[OutputT]], Generic[P, OutputT]):
    """The async twin of `AnsweredItems`."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[OutputT]:
        """The items.

        Raises:
            RunFailed: when the run ends without them.
        """
        agent = cast("Agent[list[OutputT]]", self._agent())
        for item in await agent.arun(cast("Prompt", self._prompt(*args, **kwargs))):
            yield item


class AnsweredOutcome(Bound[P, Success[OutputT] | Failure[DetailT]], Generic[P, OutputT, DetailT]):
    """A function that gives the outcome, and so never raises for a failed run."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome."""
        agent = cast("Agent[OutputT, DetailT]", self._agent())
        return agent.settle(cast("Prompt", self._prompt(*args, **kwargs)))


class AsyncAnsweredOutcome(AsyncAnswered[P, OutputT, DetailT]):
    """The async twin of `AnsweredOutcome`: for checkers the outcome is its output."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> OutputT:
        """The outcome."""
        return cast("OutputT", await self.settle(*args, **kwargs))


class Decorate(Protocol):
    """What ``answered_by`` gives: a decorator that keeps the parameters and types the answer by the return type."""

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
    if inspect.isroutine(model):
        raise MisuseError(f"{name_of(model)}: write @answered_by(), with parentheses")
    refuse_unknown(options, FunctionOptions.__annotations__, "answered_by")

    def decorate(fn: Any, /) -> Any:
        frame = inspect.currentframe()
        local_names = dict(frame.f_back.f_locals) if frame is not None and frame.f_back is not None else {}
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
        self._function = cast("Callable[..., object]", getattr(fn, "__func__", fn))
        self._model, self._options, self._local_names = model, dict(options), local_names
        self._signature = inspect.signature(self._function)
        self._template = self._read_template(self._options.pop("prompt", None))
        self.kind = _kind_by_annotation(self._function)
        try:
            self.kind = self._wanted.kind
            _ = self.agent
        except NameError:
            return  # resolved at the first call

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
            hints = hints_of(self._function, self._local_names)
        except NameError as missing:
            if self._local_names and hasattr(self, "_late"):
                raise MisuseError(f"{name}: {missing}; define it before the first call") from None
            self._late = True
            raise
        if "return" not in hints:
            raise MisuseError(f"{name}: annotate what it returns; that is the output type")
        return _wanted(hints["return"], is_async=inspect.iscoroutinefunction(self._function))

    def _read_template(self, given: object) -> Template:
        name = name_of(self._function)
        text = given if isinstance(given, str) else inspect.getdoc(self._function)
        if not text:
            raise MisuseError(f"{name}: no prompt; write a docstring (python -OO strips them) or give prompt=")
        names = list(self._signature.parameters)
        return template_of(text, [p for p in names if p not in ("self", "cls")], name)


def _kind_by_annotation(function: Callable[..., object]) -> type[Rendered]:
    """The kind by the text of the return type, for when a name in it is defined only later."""
    is_async = inspect.iscoroutinefunction(function)
    returned = str(function.__annotations__.get("return"))
    outer = returned.partition("[")[0].rpartition(".")[2]
    if outer in ("Iterator", "AsyncIterator"):
        return AnsweredItems if outer == "Iterator" else AsyncAnsweredItems
    if "Success[" in returned and "Failure" in returned:
        return AsyncAnsweredOutcome if is_async else AnsweredOutcome
    return AsyncAnswered if is_async else Answered


_ITEMS: Mapping[object, type[Rendered]] = {Iterator: AnsweredItems, AsyncIterator: AsyncAnsweredItems}


def _wanted(returned: object, *, is_async: bool) -> _Wanted:
    """What a return type asks for."""
    origin = get_origin(returned)
    if origin in _ITEMS:
        (item,) = get_args(returned)
        return _Wanted(_ITEMS[origin], cast("Any", list)[item], None)
    if origin in (Union, UnionType):
        by_origin = {get_origin(member) or member: get_args(member) for member in get_args(returned)}
        if by_origin.keys() == {Success, Failure}:
            detail = by_origin[Failure][0] if by_origin[Failure] else None
            return _Wanted(AsyncAnsweredOutcome if is_async else AnsweredOutcome, by_origin[Success][0], detail)
    return _Wanted(AsyncAnswered if is_async else Answered, returned, None)

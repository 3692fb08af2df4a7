"""`Agent`: a typed question to a model, ready to be asked; and the functions that it answers.

An agent is a frozen value: use it from any thread, task or event loop. What it can be asked stands in `calls`.
"""

# mypy alone needs the ignores below, and pyright would call them unnecessary:
# pyright: reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any, Concatenate, Generic, Literal, NoReturn, Protocol, TypeAlias, cast, overload

from typing_extensions import Never, ParamSpec, Self, TypeForm, TypeVar, Unpack

from .. import schema, streaming
from ..core.hooks import Hooks, StopCondition
from ..recovery.policy import Recovery
from ..runners.run import Observer
from ..schema.naming import outermost
from ..tools.context import RunContext
from ..tools.signature import is_async
from ..tools.tool import Tool, UserCode
from ..vocabulary.budget import Budget
from ..vocabulary.capabilities import Told
from ..vocabulary.exchange import Settings
from ..vocabulary.messages import Prompt
from ..vocabulary.narrowing import is_list
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.report import DetailT
from ..vocabulary.stop import OutputMode
from .answered import Rendered
from .calls import Calls, FailureT
from .delegating import delegate_tool
from .kinds import LISTS, refuse_unknown
from .options import AgentChanges, RunOptions
from .overriding import Override, overridden
from .planning import Planner
from .spec import Model, Spec, spec_of

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
T = TypeVar("T")
CheckedT = TypeVar("CheckedT", contravariant=True)
GivenT = TypeVar("GivenT", covariant=True)
_TYPES = ("output_type", "failure_type")


class ContextCheck(Protocol[CheckedT, GivenT]):
    """A check that sees the run as well.

    No ``Callable``, and one overload more than it needs: so type checkers know that ``v`` of ``lambda v: ...`` is the value.
    """

    @overload
    def __call__(self, ctx: RunContext[Never], value: Never, /) -> GivenT | None | Awaitable[GivenT | None]: ...
    @overload
    def __call__(self, ctx: RunContext[Never], value: CheckedT, /) -> GivenT | None | Awaitable[GivenT | None]: ...


Check: TypeAlias = Callable[[OutputT], OutputT | None | Awaitable[OutputT | None]] | ContextCheck[OutputT, OutputT]


class Agent(Calls[OutputT, FailureT]):
    """A typed question to a model: ``run`` gives a value of ``output_type``, or raises `RunFailed` with a full report.

    Any type that pydantic can describe will do: models, dataclasses, ``TypedDict``, ``NamedTuple``, ``list[int]``, ``A | B``,
    ``Literal``, ``Annotated``, enums, dates, ``str``. The value is of your own class.

    Args:
        output_type: what you want.
        model: ``"provider:name"``, a provider, or a `Fallback` of several; absent, ``SETTLED_MODEL`` is read when a run starts.
        instructions: what the model is told first; or a callable, with or without the `RunContext`, that gives it.
        mode: how the output is asked for; ``auto`` is resolved for each run.
        strict: whether the server is to hold the model to the schema. None: where nothing of the type's shape is lost by that;
            True refuses a type of which something would be lost, and a model that nothing holds.
        failure_type: a typed way for the model to give up; `GaveUp` is ready-made.
        tools: functions the model may call.
        checks: ``check(value)`` or ``check(ctx, value)``, sync or async, in order. Return None to keep the value, or another one;
            raise ``ValueError``, ``AssertionError`` or `Reject` to have the model try again.
        budget: the bounds of one run.
        settings: how to generate.
        stop_when: conditions asked after every step; `settled.conditions` has ready-made ones.
        hooks: callables for the moments of a run.
        observers: told of each event, as `settled.events` has them; they only watch.
        recovery: what may be mended in a reply.
        capabilities: what the model can do, where you know better: a record, or the file that a probe has saved.
        siblings: what becomes of tool calls beside a valid output: ``skip`` answers them, ``run`` runs them first.
        text_ends_run: whether a text turn without payload is a fault; False tells the model to go on.
        approver: decides about calls that need a person.
        name: for reports.

    Raises:
        MisuseError: for a type that pydantic cannot describe, or arguments that cannot work together.

    Example:
        >>> from pydantic import BaseModel
        >>> from settled import Agent
        >>> from settled.testing import ScriptedProvider
        >>> class City(BaseModel):
        ...     name: str
        ...     people: int
        >>> Agent(City, model=ScriptedProvider(City(name="Oslo", people=700_000))).run("The capital of Norway?")
        City(name='Oslo', people=700000)
    """

    __slots__ = ("__weakref__", "_given")
    _given: Mapping[str, object]

    def __init__(
        self,
        output_type: TypeForm[OutputT],
        *,
        model: Model | None = None,
        instructions: str | UserCode = "",
        mode: OutputMode = "auto",
        strict: bool | None = None,
        failure_type: TypeForm[FailureT] = None,  # type: ignore[assignment]  # ty: ignore[invalid-parameter-default]  # noqa: RUF013  # no overloads, so that a wrong argument is one short line
        tools: Sequence[Tool | UserCode] = (),
        checks: Sequence[Check[OutputT]] = (),
        budget: Budget = Budget.model_construct(),
        settings: Settings = Settings.model_construct(),
        stop_when: Sequence[StopCondition] = (),
        hooks: Hooks = Hooks.model_construct(),
        observers: Sequence[Observer] = (),
        recovery: Recovery = Recovery.SCHEMA,
        capabilities: Told | None = None,
        siblings: Literal["skip", "run"] = "skip",
        text_ends_run: bool = True,
        approver: UserCode | None = None,
        name: str | None = None,
    ) -> None:
        given = {key: _frozen(key, value) for key, value in locals().items() if key != "self"}
        self._fill(given, object())

    def _fill(self, given: Mapping[str, object], root: object, like: Spec | None = None) -> Self:
        spec = spec_of(given, like)
        planner = Planner(spec)
        planner.refuse_at_once()
        fields = {"_given": given, "_spec": spec, "_planner": planner, "_root": root}
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        return self

    # Changed copies, overrides, functions.

    def with_(self, **changes: Unpack[AgentChanges]) -> Self:
        """A changed copy.

        Raises:
            TypeError: for a keyword that the constructor does not know.

        Example:
            >>> Agent(int, name="a").with_(name="b").name
            'b'
        """
        refuse_unknown(changes, AgentChanges.__annotations__, "with_")
        copy = object.__new__(type(self))
        changed = {key: _frozen(key, value) for key, value in changes.items()}
        return copy._fill({**self._given, **changed}, self._root, like=self._spec)

    def override(
        self,
        *,
        model: Model | None = None,
        budget: Budget | None = None,
        settings: Settings | None = None,
        everywhere: bool = False,
    ) -> AbstractContextManager[None]:
        """For tests: while the block runs, this agent and its changed copies use what is given, whatever else is said.

        Threads that the test starts itself do not see it, unless ``everywhere``.

        Example:
            >>> from settled.testing import ScriptedProvider
            >>> agent = Agent(int)
            >>> with agent.override(model=ScriptedProvider(7)):
            ...     agent.run("How many?")
            7
        """
        return overridden(Override(self._root, model, budget, settings), everywhere=everywhere)

    @overload
    def prompt(self, fn: Callable[P, Coroutine[object, Never, Prompt]], /) -> AsyncAnswered[P, OutputT, FailureT]: ...
    @overload
    def prompt(self, fn: Callable[P, Prompt], /) -> Answered[P, OutputT, FailureT]: ...
    def prompt(self, fn: Callable[..., object], /) -> object:
        """A decorator: the function's body gives the prompt, and calling it gives the output.

        Example:
            >>> from settled.testing import ScriptedProvider
            >>> @Agent(int, model=ScriptedProvider(7)).prompt
            ... def count(what: str) -> str:
            ...     return f"How many {what}?"
            >>> count("ships")
            7
        """
        kind = cast("type[Rendered]", AsyncAnswered if is_async(fn) else Answered)
        return kind(lambda: self, fn, fn)

    def as_tool(self, name: str | None = None, description: str | None = None) -> Tool:
        """This agent as a tool of another one: a call of it is a run of its own, whose output is the result.

        The model that calls it gives one argument, ``task``: the prompt. The run has this agent's budget, with time, tokens and
        cost no larger than what is left of the caller's, to whose usage its own is added; its steps are its own. It gets the
        caller's ``context``; and the caller's model and approver where this agent has none. A run without output is told as a
        failure of the tool. Either way its account is in `StepRecord.sub_runs`.

        Args:
            name: what the model calls it; by default the agent's name.
            description: what it is for; say what it can do.

        Raises:
            MisuseError: when there is no name.

        Example:
            >>> from settled import ToolCall
            >>> from settled.testing import ScriptedProvider
            >>> counter = Agent(int, name="count", model=ScriptedProvider(7))
            >>> call = ToolCall(id="c1", name="count", arguments='{"task": "Count the ships."}')
            >>> outcome = Agent(str, tools=[counter.as_tool()], model=ScriptedProvider(call, "Seven.")).settle("How many?")
            >>> outcome.output, outcome.steps[0].tool_results[0].text, outcome.steps[0].sub_runs[0].agent
            ('Seven.', '7', 'count')
        """
        return delegate_tool(self._spec, self._planner, self._root, name, description)

    @property
    def name(self) -> str | None:
        """The agent's name."""
        return self._spec.name

    @property
    def output_type(self) -> object:
        """The type that was asked for."""
        return self._spec.output.form

    def __repr__(self) -> str:
        """The type and the mode; never instructions."""
        named = f", name={self.name!r}" if self.name else ""
        return f"Agent({self._spec.output.name}, mode={self._spec.mode!r}{named})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """An agent does not change: use `with_`."""
        raise AttributeError(f"an Agent is frozen; use with_({name}=...) for a changed copy")

    def __delattr__(self, name: str) -> NoReturn:
        """An agent does not change: use `with_`."""
        raise AttributeError(f"an Agent is frozen; use with_({name}=...) for a changed copy")

    def __replace__(self, /, **changes: Unpack[AgentChanges]) -> Self:
        """For ``copy.replace``, from Python 3.13 on: as `with_`."""
        return self.with_(**changes)

    def __eq__(self, other: object) -> bool:
        """Agents that were made of the same things are equal; types are the same where they take the same, in the same order."""
        if type(other) is not type(self):
            return NotImplemented
        ours, theirs = self._given, cast("Self", other)._given
        return self is other or all(
            (schema.is_same_type if name in _TYPES else schema.is_same_value)(given, theirs[name]) for name, given in ours.items()
        )

    def __hash__(self) -> int:
        """By its type and its words: much of what an agent is made of has no hash."""
        given = self._given
        return hash((outermost(given["output_type"]), given["mode"], given["name"]))

    def __copy__(self) -> Self:
        """Itself, since it does not change."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """Itself, since it does not change."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles as what it was made of."""
        return (_remade, (type(self), dict(self._given)))


# Functions that an agent answers: here, since each of the two knows the other.


class Asked(Rendered, Generic[P, OutputT, DetailT]):
    """What all functions that a model answers have, beside being called. All but those that are ``async def``.

    Example:
        >>> from settled.testing import ScriptedProvider
        >>> @Agent(int, model=ScriptedProvider(7, 8)).prompt
        ... def count(what: str) -> str:
        ...     return f"How many {what}?"
        >>> count.render("ships"), count.settle("ships").unwrap()
        ('How many ships?', 7)
        >>> with count.stream("ships") as stream:
        ...     stream.output()
        8
    """

    @property
    def agent(self) -> Agent[OutputT, DetailT]:
        """The agent behind it."""
        return cast("Agent[OutputT, DetailT]", self._agent())

    def render(self, *args: P.args, **kwargs: P.kwargs) -> Prompt:
        """The prompt that these arguments make."""
        return cast("Prompt", self._prompt(*args, **kwargs))

    def settle(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome, without raising."""
        return self.agent.settle(self.render(*args, **kwargs), **self._options)

    async def asettle(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome, from an event loop."""
        return await self.agent.asettle(self.render(*args, **kwargs), **self._options)

    def stream(self, *args: P.args, **kwargs: P.kwargs) -> streaming.Stream[OutputT, DetailT]:
        """The run, to be read while the model writes."""
        return self.agent.stream(self.render(*args, **kwargs), **self._options)

    def astream(self, *args: P.args, **kwargs: P.kwargs) -> streaming.AsyncStream[OutputT, DetailT]:
        """The run, to be read from an event loop while the model writes."""
        return self.agent.astream(self.render(*args, **kwargs), **self._options)


class Answered(Asked[P, OutputT, DetailT]):
    """A function that a model answers. Calling it runs the agent."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> OutputT:
        """The output.

        Raises:
            RunFailed: when the run ends without one.
        """
        return self.agent.run(self.render(*args, **kwargs), **self._options)

    # `self: Callable[Concatenate[...]]`, not `self: Answered[Concatenate[...]]`: ty cannot match the latter. What it returns is
    # not taken from there, as pyright would make `str` of a Literal. In this order: class methods and functions by the class,
    # class methods and methods by an object, static methods.
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: None, owner: S) -> Answered[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: object, owner: S) -> Answered[Q, OutputT, DetailT]: ...
    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], object], obj: S, owner: type | None = None
    ) -> Answered[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


class AsyncAsked(Rendered, Generic[P, OutputT, DetailT]):
    """What all functions that are ``async def`` and answered by a model have, beside being called.

    Example:
        >>> import asyncio
        >>> from settled.testing import ScriptedProvider
        >>> @Agent(int, model=ScriptedProvider(7)).prompt
        ... async def count(what: str) -> str:
        ...     return f"How many {what}?"
        >>> asyncio.run(count.settle("ships")).unwrap()
        7
    """

    @property
    def agent(self) -> Agent[OutputT, DetailT]:
        """The agent behind it."""
        return cast("Agent[OutputT, DetailT]", self._agent())

    async def render(self, *args: P.args, **kwargs: P.kwargs) -> Prompt:
        """The prompt that these arguments make."""
        made = self._prompt(*args, **kwargs)
        return cast("Prompt", await made if isinstance(made, Coroutine) else made)

    async def settle(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome, without raising."""
        return await self.agent.asettle(await self.render(*args, **kwargs), **self._options)

    asettle = settle

    def stream(
        self, *args: P.args, **kwargs: P.kwargs
    ) -> AbstractAsyncContextManager[streaming.AsyncStream[OutputT, DetailT], bool | None]:
        """The run, to be read while the model writes: ``async with function.stream(...) as stream``."""
        return _streamed(self.agent, self.render(*args, **kwargs), self._options)

    astream = stream


@asynccontextmanager
async def _streamed(
    agent: Agent[OutputT, DetailT], prompt: Awaitable[Prompt], options: RunOptions
) -> AsyncGenerator[streaming.AsyncStream[OutputT, DetailT], None]:
    async with agent.astream(await prompt, **options) as stream:
        yield stream


class AsyncAnswered(AsyncAsked[P, OutputT, DetailT]):
    """An async function that a model answers. Awaiting it runs the agent."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> OutputT:
        """The output.

        Raises:
            RunFailed: when the run ends without one.
        """
        return await self.agent.arun(await self.render(*args, **kwargs), **self._options)

    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: None, owner: S) -> AsyncAnswered[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], object], obj: object, owner: S) -> AsyncAnswered[Q, OutputT, DetailT]: ...
    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], object], obj: S, owner: type | None = None
    ) -> AsyncAnswered[Q, OutputT, DetailT]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


def _frozen(name: str, given: object) -> object:
    """Lists are copied: what the caller changes in one later changes no agent."""
    return tuple(given) if name in LISTS and is_list(given) else given


def _remade(kind: type[Agent[OutputT, FailureT]], given: dict[str, object]) -> Agent[OutputT, FailureT]:
    return kind(**cast("dict[str, Any]", given))

"""Functions that a model answers: what ``@agent.prompt`` and ``@answered_by`` make of them.

They behave as methods where they stand in a class, also under ``@classmethod`` and ``@staticmethod``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Concatenate, Generic, Protocol, TypeVar, cast, overload

from typing_extensions import Never, ParamSpec, Self

from ..vocabulary.messages import Prompt
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.report import DetailT

P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")
S = TypeVar("S")


class Asks(Protocol[OutputT, DetailT]):
    """The part of an agent that an answered function needs."""

    def run(self, prompt: Prompt, /) -> OutputT:
        """The output."""
        raise NotImplementedError

    async def arun(self, prompt: Prompt, /) -> OutputT:
        """The output."""
        raise NotImplementedError

    def settle(self, prompt: Prompt, /) -> Success[OutputT] | Failure[DetailT]:
        """The outcome."""
        raise NotImplementedError

    async def asettle(self, prompt: Prompt, /) -> Success[OutputT] | Failure[DetailT]:
        """The outcome."""
        raise NotImplementedError


Rendering = Callable[..., object]


class Rendered:
    """A function, how its prompt is made, and the object it is bound to as a method."""

    def __init__(self, agent: Callable[[], object], function: object, render: Rendering, bound: tuple[object, ...] = ()) -> None:
        self._agent, self._function, self._render, self._bound = agent, function, render, bound
        functools.update_wrapper(cast("Rendering", self), cast("Rendering", getattr(function, "__func__", function)))

    def _prompt(self, *args: object, **kwargs: object) -> object:
        return self._render(*self._bound, *args, **kwargs)

    def _bind(self, obj: object, owner: object) -> object:
        """As the descriptor of the function itself would bind: a plain function to the object, a classmethod to the class."""
        kind = type(self._function)
        if issubclass(kind, staticmethod):
            return self
        if issubclass(kind, classmethod):
            return type(self)(self._agent, self._function, self._render, (owner if owner is not None else type(obj),))
        return self if obj is None else type(self)(self._agent, self._function, self._render, (obj,))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self, '__qualname__', '?')}>"


class Answered(Rendered, Generic[P, OutputT, DetailT]):
    """A function that a model answers. Calling it runs the agent."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> OutputT:
        """The output.

        Raises:
            RunFailed: when the run ends without one.
        """
        return self.agent.run(self.render(*args, **kwargs))

    def settle(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome, without raising."""
        return self.agent.settle(self.render(*args, **kwargs))

    async def asettle(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome, from an event loop."""
        return await self.agent.asettle(self.render(*args, **kwargs))

    def render(self, *args: P.args, **kwargs: P.kwargs) -> Prompt:
        """The prompt that these arguments make."""
        return cast("Prompt", self._prompt(*args, **kwargs))

    @property
    def agent(self) -> Asks[OutputT, DetailT]:
        """The agent behind it."""
        return cast("Asks[OutputT, DetailT]", self._agent())

    # `self: Callable[Concatenate[...]]`, not `self: Answered[Concatenate[...]]`: ty cannot match the latter
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: None, owner: S) -> Answered[Q, T, DetailT]: ...  # class methods
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: object, owner: S) -> Answered[Q, T, DetailT]: ...  # class methods
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: S, owner: type | None = None) -> Answered[Q, T, DetailT]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...  # static methods
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)


class AsyncAnswered(Rendered, Generic[P, OutputT, DetailT]):
    """An async function that a model answers. Awaiting it runs the agent."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> OutputT:
        """The output.

        Raises:
            RunFailed: when the run ends without one.
        """
        return await self.agent.arun(await self.render(*args, **kwargs))

    async def settle(self, *args: P.args, **kwargs: P.kwargs) -> Success[OutputT] | Failure[DetailT]:
        """The outcome, without raising."""
        return await self.agent.asettle(await self.render(*args, **kwargs))

    asettle = settle

    async def render(self, *args: P.args, **kwargs: P.kwargs) -> Prompt:
        """The prompt that these arguments make."""
        made = self._prompt(*args, **kwargs)
        return cast("Prompt", await made if isinstance(made, Coroutine) else made)

    @property
    def agent(self) -> Asks[OutputT, DetailT]:
        """The agent behind it."""
        return cast("Asks[OutputT, DetailT]", self._agent())

    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], Coroutine[object, Never, T]], obj: None, owner: S
    ) -> AsyncAnswered[Q, T, DetailT]: ...
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], Coroutine[object, Never, T]], obj: object, owner: S
    ) -> AsyncAnswered[Q, T, DetailT]: ...
    @overload
    def __get__(
        self: Callable[Concatenate[S, Q], Coroutine[object, Never, T]], obj: S, owner: type | None = None
    ) -> AsyncAnswered[Q, T, DetailT]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...
    def __get__(self, obj: object, owner: object = None) -> object:
        """Bind as a method."""
        return self._bind(obj, owner)

"""`Rendered`: a function that a model answers, below its types: bound as a method, changed by copy, shown, compared, pickled."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import NamedTuple, TypeAlias, cast

from typing_extensions import Self, Unpack

from ..tools.signature import is_async
from .kinds import refuse_unknown, refuse_wrong_kinds
from .options import AgentChanges, FunctionChanges, RunOptions

Rendering: TypeAlias = Callable[..., object]
_OF_RUNS = FunctionChanges.__annotations__.keys() - AgentChanges.__annotations__.keys()


class _Origin(NamedTuple):
    """What a copy was made of: a function, and the object that it was bound to, or the changes."""

    of: Rendered
    change: object
    is_bound: bool = False


class _Signature:
    """What `inspect.signature` asks an object for first: the function's, and without the first parameter where that is bound."""

    def __get__(self, obj: Rendered | None, owner: type) -> inspect.Signature:
        if obj is None:
            raise AttributeError("__signature__")  # the class has its own
        return obj.signature()


class Rendered:
    """A function, how its prompt is made, the object it is bound to as a method, and what its runs are told beside the prompt."""

    __signature__: _Signature = _Signature()

    def __init__(self, agent: Callable[[], object], function: object, render: Rendering) -> None:
        """Not bound, and not changed.

        Args:
            agent: gives the agent behind it.
            function: what was decorated.
            render: makes the prompt of the arguments.
        """
        plain = cast("Rendering", getattr(function, "__func__", function))
        functools.update_wrapper(cast("Rendering", self), plain)
        self._agent, self._function, self._render = agent, function, render
        self._bound: tuple[object, ...] = ()
        self._options: RunOptions = {}
        self._origin: _Origin | None = None
        if is_async(plain):
            getattr(inspect, "markcoroutinefunction", id)(self)  # there is one from Python 3.12 on

    def with_(self, **changes: Unpack[FunctionChanges]) -> Self:
        """A changed copy, for other budgets, models, tools, or a context: any keyword of `Agent.with_` and of `Agent.run`.

        Raises:
            TypeError: for a keyword that neither knows.
            MisuseError: for a value of the wrong kind.

        Example:
            >>> from settled import Agent, Settings
            >>> from settled.testing import ScriptedProvider
            >>> @Agent(int).prompt
            ... def count(what: str) -> str:
            ...     return f"How many {what}?"
            >>> count.with_(model=ScriptedProvider(7), settings=Settings(seed=1))("ships")
            7
        """
        refuse_unknown(changes, FunctionChanges.__annotations__, "with_")
        refuse_wrong_kinds(changes)
        copy, agent = self._copied(_Origin(self, changes)), self._agent
        of_runs = {name: value for name, value in changes.items() if name in _OF_RUNS}
        of_agent = {name: value for name, value in changes.items() if name not in _OF_RUNS}
        copy._options = cast("RunOptions", {**self._options, **of_runs})
        if of_agent:
            copy._agent = functools.cache(lambda: cast("Rendering", getattr(agent(), "with_"))(**of_agent))  # noqa: B009
        return copy

    def signature(self) -> inspect.Signature:
        """What it takes; of a method that is bound, without the object."""
        signature = inspect.signature(cast("Rendering", getattr(self._function, "__func__", self._function)))
        if not self._bound:
            return signature
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def _prompt(self, *args: object, **kwargs: object) -> object:
        return self._render(*self._bound, *args, **kwargs)

    def _copied(self, origin: _Origin) -> Self:
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), _origin=origin)
        return copy

    def _bind(self, obj: object, owner: object) -> object:
        """As the descriptor of the function itself would bind: a plain function to the object, a classmethod to the class."""
        if self._bound or isinstance(self._function, staticmethod):
            return self
        if isinstance(self._function, classmethod):
            return self.bound_to(owner if owner is not None else type(obj))
        return self if obj is None else self.bound_to(obj)

    def bound_to(self, obj: object) -> Self:
        """The method of an object, or of a class."""
        copy = self._copied(_Origin(self, obj, is_bound=True))
        copy._bound = (obj,)
        return copy

    def __eq__(self, other: object) -> bool:
        """As functions and methods: by identity, and methods of one object are equal."""
        if isinstance(other, Rendered) and (ours := self._method) and (theirs := other._method):
            return ours.of is theirs.of and ours.change is theirs.change
        return self is other

    def __hash__(self) -> int:
        """As functions and methods."""
        method = self._method
        return object.__hash__(self) if method is None else hash((id(method.of), id(method.change)))

    @property
    def _method(self) -> _Origin | None:
        return self._origin if self._origin is not None and self._origin.is_bound else None

    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickles as functions and methods do: by where it stands."""
        origin, name = self._origin, cast("str", vars(self).get("__qualname__", "?"))
        if origin is None:
            return name
        of, change, is_bound = origin
        if not is_bound:
            return _changed, (of, change)
        return (getattr, (change, name.rpartition(".")[2])) if of._origin is None else (_bound, (of, change))

    def __repr__(self) -> str:
        """Its kind and its name; never a prompt."""
        return f"<{type(self).__name__} {getattr(self, '__qualname__', '?')}>"


def _changed(of: Rendered, changes: FunctionChanges) -> Rendered:
    return of.with_(**changes)


def _bound(of: Rendered, obj: object) -> Rendered:
    return of.bound_to(obj)

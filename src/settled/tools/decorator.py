"""`tool`: the decorator. What it makes is a `Tool`, and is still called as the function that it was.

@tool above a function        a `FunctionTool`
@tool above a method          a `ToolMethod`; looked up on an object it gives the `FunctionTool` of that object
@tool above @classmethod      the same, bound to the class; above @staticmethod, as a function
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import WRAPPER_ASSIGNMENTS
from types import CodeType, FrameType, MethodType
from typing import Any, Concatenate, Generic, Protocol, TypeVar, cast, overload

from typing_extensions import Never, ParamSpec, Self, Unpack

from ..vocabulary.errors import MisuseError
from .parameters import place_of
from .tool import Method, Tool, ToolKeywords, UserCode, fields_of, refuse_options

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
T = TypeVar("T")
ResultT = TypeVar("ResultT", covariant=True)
_WORN = (*WRAPPER_ASSIGNMENTS, "__isabstractmethod__")


class FunctionTool(Tool, Generic[P, ResultT]):
    """A tool that is called as the function it was made of. As a method it is bound as any other.

    Example:
        >>> @tool
        ... def look_up(city: str) -> str:
        ...     '''The weather in a city.'''
        ...     return f"7 degrees in {city}"
        >>> look_up("Oslo"), look_up.name
        ('7 degrees in Oslo', 'look_up')
    """

    __name__: str
    """The function's own name; ``name`` is what the model calls it."""
    __qualname__: str
    """With the names of what it is defined in."""

    def __init__(self, **fields: Any) -> None:
        """With the name and docstring of the function, as any wrapper of one."""
        super().__init__(**fields)
        self.__dict__.update(_worn(fields["function"]))

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ResultT:
        """What the function returns."""
        return cast("ResultT", self.function(*args, **kwargs))

    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickles as the name under which it stands in its module, as a function does; as a method, with its object."""
        if isinstance(self.function, MethodType):
            return getattr, (self.function.__self__, self.__name__)
        return self.__qualname__

    # Checkers see binding here, though a method is a `ToolMethod` at run time; as for `Answered`, `self` is told as a callable,
    # since ty cannot match its own class.
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: None, owner: S) -> FunctionTool[Q, T]: ...  # class methods
    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: object, owner: S) -> FunctionTool[Q, T]: ...  # class methods
    @overload
    def __get__(self: Callable[Concatenate[S, Q], T], obj: S, owner: type | None = None) -> FunctionTool[Q, T]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = None) -> Self: ...  # static methods
    def __get__(self, obj: object, owner: object = None) -> object:
        """Itself: it is no method."""
        return self


class ToolMethod(Method):
    """A decorated method, before it is looked up on an object. Its parameters are read at the first look-up, when all names that
    they refer to are defined, and for all objects at once.
    """

    def __init__(self, function: object, options: ToolKeywords, local_names: Mapping[str, object]) -> None:
        self._method, self._options, self._local_names = function, options, dict(local_names)
        self._fields: Mapping[str, object] | None = None
        self.__dict__.update(_worn(function))

    def __set_name__(self, owner: type, name: str) -> None:
        self._local_names.setdefault(owner.__name__, owner)

    def __get__(self, obj: object, owner: type | None = None) -> object:
        """The tool of the object, or of the class for a class method."""
        if isinstance(self._method, classmethod):
            return self.bound_to(owner if owner is not None else type(obj))
        return self if obj is None else self.bound_to(obj)

    def bound_to(self, owner: object) -> FunctionTool[..., object]:
        """The tool of one object.

        Raises:
            MisuseError: as `Tool.of`.
        """
        function = MethodType(_plain(self._method), owner)
        if self._fields is None:
            self._fields = fields_of(function, self._options, self._local_names)
        return FunctionTool(**{**self._fields, "function": function})

    def __call__(self, *args: object, **kwargs: object) -> object:
        """As the function: with its object as the first argument."""
        return _plain(self._method)(*args, **kwargs)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{place_of(self)} is a method: look .{name} up on that of an object, such as service.look_up")

    def __repr__(self) -> str:
        return f"<ToolMethod {place_of(self)}>"


def _plain(function: object) -> UserCode:
    return cast("UserCode", getattr(function, "__func__", function))


def _worn(function: object) -> Mapping[str, object]:
    """What a wrapper shows of its function."""
    plain = _plain(function)
    return {**{name: getattr(plain, name) for name in _WORN if hasattr(plain, name)}, "__wrapped__": plain}


class Decorate(Protocol):
    """What ``tool(...)`` gives: a decorator that keeps the parameters and the return type."""

    @overload
    def __call__(self, function: Callable[P, Coroutine[object, Never, T]], /) -> FunctionTool[P, Coroutine[object, Never, T]]: ...
    @overload
    def __call__(self, function: Callable[P, T], /) -> FunctionTool[P, T]: ...


@overload
def tool(function: Callable[P, Coroutine[object, Never, T]], /) -> FunctionTool[P, Coroutine[object, Never, T]]: ...
@overload
def tool(function: Callable[P, T], /) -> FunctionTool[P, T]: ...
@overload
def tool(**options: Unpack[ToolKeywords]) -> Decorate: ...
def tool(function: Any = None, /, **options: Unpack[ToolKeywords]) -> Any:
    """A decorator that makes a `Tool` of a function, which can still be called as before.

    Works on functions, async functions and methods; above ``@classmethod`` and ``@staticmethod``. The schema is made of the
    annotations, and described by the docstring, in the style of Google, NumPy or Sphinx.

    Args:
        function: the function.
        options: see `ToolKeywords`.

    Raises:
        MisuseError: as `Tool.of`; for a method when it is first looked up on an object.

    Example:
        >>> from settled import Agent, tool
        >>> @tool(timeout=5, requires_approval=True)
        ... def order(item: str, pieces: int = 1) -> str:
        ...     '''Order something.
        ...
        ...     Args:
        ...         item: What, by its name in the shop.
        ...     '''
        ...     return f"{pieces} {item}"
        >>> order("lamp", pieces=2)
        '2 lamp'
        >>> order.definition.parameters["properties"]["item"]["description"]
        'What, by its name in the shop.'
        >>> agent = Agent(str, tools=[order])
    """
    frame = inspect.currentframe()
    caller = None if frame is None else frame.f_back  # its class body, and the code around that, know names that we may need
    if function is not None:
        return _decorated(function, options, caller)
    refuse_options(options)

    def decorate(function: Any, /) -> Any:
        return _decorated(function, options, caller)

    return decorate


def _decorated(function: object, options: ToolKeywords, caller: FrameType | None) -> object:
    names = _local_names(_plain(function), caller)
    if _is_method(function):
        refuse_options(options)
        return ToolMethod(function, options, names)
    if isinstance(function, (Tool, Method)):
        raise MisuseError(f"{place_of(function)} is a tool already; decorate it once")
    made: FunctionTool[..., object] = FunctionTool(**fields_of(_plain(function), options, names))
    return made


def _is_method(function: object) -> bool:
    """Whether its first parameter is for its object: named ``self`` or ``cls``, or bare in the body of a class."""
    if isinstance(function, classmethod):
        return True
    code: CodeType | None = getattr(function, "__code__", None)
    if code is None or not code.co_argcount:
        return False
    first, around = code.co_varnames[0], str(getattr(function, "__qualname__", "")).rpartition(".")[0]
    in_class = around != "" and not around.endswith("<locals>")
    return first in ("self", "cls") or (in_class and first not in getattr(function, "__annotations__", {}))


def _local_names(function: object, caller: FrameType | None) -> dict[str, object]:
    """What annotations that are still text may refer to beside the names of their module; no more is kept alive."""
    texts = [text for text in getattr(function, "__annotations__", {}).values() if isinstance(text, str)]
    words = set(re.findall(r"\w+", " ".join(texts)))
    names: dict[str, object] = {}
    for frame in _scopes(caller) if words else ():
        names = {**{word: frame.f_locals[word] for word in words if word in frame.f_locals}, **names}
    return names


def _scopes(caller: FrameType | None) -> Iterator[FrameType]:
    """Where the decorator stands, and around it while that is the body of a class."""
    while caller is not None:
        yield caller
        caller = caller.f_back if "__qualname__" in caller.f_locals else None

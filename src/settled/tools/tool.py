"""`Tool`: a function that a model may call, with the schema of its arguments, and how it is to be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any, Literal, TypeAlias, cast, get_args

from pydantic import ValidationError
from typing_extensions import TypedDict, Unpack

from ..schema.misfits import issues_of, plain_json
from ..schema.naming import legal
from ..schema.target import OutputTarget
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import ToolDefinition
from ..vocabulary.issues import Issue
from ..vocabulary.messages import ToolCall
from ..vocabulary.record import Record
from ..vocabulary.writable import writable
from .parameters import place_of, read_parameters
from .signature import in_partial, name_of

UserCode: TypeAlias = Callable[..., object]  # by a name: written out, mypy would find an Any in each call that is given some
OnError: TypeAlias = Literal["tell", "hide", "fail"]


class ToolKeywords(TypedDict, total=False):
    """What may be said of a tool beside its function."""

    name: str | None
    """What the model calls it; by default the function's name."""
    description: str | None
    """What it is for; by default the docstring, without what that says of parameters, exceptions and examples."""
    requires_approval: bool | UserCode
    """A person must agree first: always, or where the predicate ``(ctx, call)`` says so."""
    external: bool
    """It is carried out elsewhere, and the result comes by ``resume``."""
    timeout: float | None
    """Seconds that one call may take; past them it has failed."""
    retries: int | None
    """Failures of one call that the model is told of, instead of ``Budget.tool_retries``; the run's total holds all the same."""
    on_error: OnError
    """What becomes of an exception: ``tell`` the model class and message, ``hide`` the message, or ``fail`` the run."""


class Tool(Record):
    """A function on offer to the model. Plain functions given to ``Agent(tools=...)`` become one; ``@tool`` makes one that can
    still be called.

    Example:
        >>> def look_up(city: str) -> str:
        ...     '''The weather in a city.'''
        ...     return "7 degrees"
        >>> Tool.of(look_up, timeout=3).definition.description
        'The weather in a city.'
    """

    definition: ToolDefinition
    """What the model is told."""
    function: UserCode
    """What is called."""
    arguments: OutputTarget[Mapping[str, object]]
    """What arguments must fit; unknown ones are refused."""
    wants_context: bool = False
    """The function takes the `RunContext` first."""
    requires_approval: bool | UserCode = False
    """Whether a person must agree first: always, never, or as the predicate ``(ctx, call)`` says."""
    external: bool = False
    """The call is carried out elsewhere, and its result comes by ``resume``."""
    timeout: float | None = None
    """Seconds that one call may take."""
    retries: int | None = None
    """Failures of one call that the model is told of; None leaves it to ``Budget.tool_retries``."""
    on_error: OnError = "tell"
    """What becomes of an exception: ``tell`` the model class and message, ``hide`` the message, or ``fail`` the run."""

    @classmethod
    def of(cls, function: UserCode, **options: Unpack[ToolKeywords]) -> Tool:
        """A tool from a function: its name, its docstring, its annotated parameters.

        Args:
            function: a function, bound method, partial, or object with ``__call__``; sync or async.
            options: see `ToolKeywords`.

        Raises:
            MisuseError: for parameters that a model cannot fill, such as ``*args`` or one without annotation; for options that
                cannot be; and for what is a tool already.
        """
        if isinstance(function, Method):
            raise MisuseError(
                f"{place_of(function)} is a method without its object; give that of an instance, such as service.look_up"
            )
        unbound = cast("object", function.__func__) if isinstance(function, MethodType) else None
        if isinstance(unbound, Method) and not options:  # a class method around a decorated one, from Python 3.13 on
            return unbound.bound_to(cast("MethodType", function).__self__)
        holder = unbound or in_partial(function)[0]
        if isinstance(holder, (Tool, Method)):
            raise MisuseError(
                f"{place_of(holder)} is a tool already, and another one of it would lose its options; give it as it is, "
                "or make one of the undecorated function"
            )
        return cls(**fields_of(function, options))

    @property
    def name(self) -> str:
        """What the model calls it."""
        return self.definition.name

    def read(self, call: ToolCall, context: object = None) -> Mapping[str, object] | tuple[Issue, ...]:
        """The arguments of a call, validated; or the issues with them. An empty text is no arguments.

        Raises:
            Exception: what a validator of the parameters raises that is no judgement.

        Example:
            >>> def look_up(city: str) -> str: ...
            >>> Tool.of(look_up).read(ToolCall(id="1", name="look_up", arguments="{}"))[0].line
            '$.city: required, but missing'
        """
        text = call.arguments.strip()
        text = "{}" if text in ("", "null") else text
        try:
            return self.arguments.validate_json(text, context)
        except ValidationError as error:
            return issues_of(error, plain_json(text)[1])

    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickles as what it was made of: its function, by name, and its options."""
        options = {name: self.__dict__[name] for name in ToolKeywords.__annotations__ if name in self._fields}
        told = {"name": self.name, "description": self.definition.description}
        return _made_again, (self.function, {**options, **told}, self.definition)

    def __repr__(self) -> str:
        """The name."""
        return f"{type(self).__name__}({self.name!r})"


def _made_again(function: UserCode, options: ToolKeywords, definition: ToolDefinition) -> Tool:
    return Tool.of(function, **options).changed(definition=definition)


class Method:
    """What `Tool.of` must know of a decorated method: that it needs its object, and how it gets it."""

    def bound_to(self, owner: object) -> Tool:
        """The tool of one object."""
        raise NotImplementedError


def fields_of(function: UserCode, options: ToolKeywords, local_names: Mapping[str, object] | None = None) -> Mapping[str, Any]:
    """The fields of a tool.

    Raises:
        MisuseError: for a function or options that cannot be.

    Example:
        >>> fields_of(lambda: 7, {"name": "seven"})["definition"].name
        'seven'
    """
    refuse_options(options)
    if not callable(function):
        raise MisuseError(f"tools: {type(function).__name__} cannot be called; give functions, or what @tool makes of them")
    called = legal(options.get("name") or name_of(function))
    read = read_parameters(function, called, local_names)
    description = writable(options.get("description"))
    given = {name: option for name, option in options.items() if name not in ("name", "description")}
    definition = ToolDefinition(
        name=called, description=read.description if description is None else description, parameters=read.schema
    )
    return {
        "definition": definition,
        "function": function,
        "arguments": read.arguments,
        "wants_context": read.wants_context,
        **given,
    }


_KINDS: Mapping[str, tuple[type, ...]] = {
    "name": (str,), "description": (str,), "external": (bool,), "timeout": (int, float), "retries": (int,),
}  # fmt: skip


def refuse_options(options: ToolKeywords) -> None:
    """Refuse what cannot be said of a tool.

    Raises:
        TypeError: for a keyword that does not exist.
        MisuseError: for a value that cannot be.

    Example:
        >>> refuse_options({"timeout": 0})
        Traceback (most recent call last):
        settled.vocabulary.errors.MisuseError: timeout=0: give seconds above 0, or None for no limit of its own
    """
    for name in options:
        if name not in ToolKeywords.__annotations__:
            raise TypeError(
                f"tool() got an unexpected keyword argument {name!r}; there are {', '.join(ToolKeywords.__annotations__)}"
            )
    for name, kinds in _KINDS.items():
        given: object = options.get(name)
        if given is not None and (not isinstance(given, kinds) or (isinstance(given, bool) and bool not in kinds)):
            raise MisuseError(f"{name}={type(given).__name__}: give {' or '.join(kind.__name__ for kind in kinds)}")
    timeout, retries, on_error = options.get("timeout"), options.get("retries"), options.get("on_error", "tell")
    if timeout is not None and not timeout > 0:
        raise MisuseError(f"timeout={timeout}: give seconds above 0, or None for no limit of its own")
    if retries is not None and retries < 0:
        raise MisuseError(f"retries={retries}: give 0 or more, or None to leave it to Budget.tool_retries")
    if on_error not in get_args(OnError):
        raise MisuseError(f"on_error={on_error!r}: give 'tell', 'hide' or 'fail'")
    approval = options.get("requires_approval", False)
    if not (isinstance(approval, bool) or callable(approval)):
        raise MisuseError(f"requires_approval={type(approval).__name__}: give a bool, or a function of a context and a call")

"""`Tool`: a function that a model may call, with the schema of its arguments. The plain first form."""

from collections.abc import Callable, Mapping
from inspect import getdoc
from typing import TypeAlias

from pydantic import ValidationError

from ..schema.misfits import issues_of, plain_json
from ..schema.naming import legal
from ..schema.target import OutputTarget, arguments_target
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import ToolDefinition
from ..vocabulary.issues import Issue
from ..vocabulary.messages import ToolCall
from ..vocabulary.record import Record
from .signature import hints_of, name_of, parameters_of, takes_context

UserCode: TypeAlias = Callable[..., object]  # by a name: written out, mypy would find an Any in each call that is given some


class Tool(Record):
    """A function on offer to the model. Plain functions given to ``Agent(tools=...)`` become one.

    Example:
        >>> def look_up(city: str) -> str:
        ...     '''The weather in a city.'''
        ...     return "7 degrees"
        >>> Tool.of(look_up).definition.description
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

    @classmethod
    def of(
        cls,
        function: UserCode,
        *,
        name: str | None = None,
        requires_approval: bool | UserCode = False,
        external: bool = False,
        timeout: float | None = None,
    ) -> "Tool":
        """A tool from a function: its name, its docstring, its annotated parameters.

        Raises:
            MisuseError: for parameters that a model cannot fill: positional-only, ``*args``, ``**kwargs``, or without annotation.
        """
        called = legal(name or name_of(function))
        wants_context = takes_context(function)
        try:
            hints = hints_of(function)
        except NameError as missing:
            raise MisuseError(f"tool {called}: an annotation cannot be resolved ({missing})") from missing
        fields: dict[str, object] = {}
        optional: set[str] = set()
        for parameter in parameters_of(function)[1 if wants_context else 0 :]:
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) or parameter.name not in hints:
                raise MisuseError(
                    f"tool {called}: parameter {parameter.name} must be annotated, and no *args, **kwargs or positional-only"
                )
            fields[parameter.name] = hints[parameter.name]
            if parameter.default is not parameter.empty:
                optional.add(parameter.name)
        try:
            arguments = arguments_target(called, fields, optional)
        except MisuseError as error:
            raise MisuseError(f"tool {called}: its parameters cannot be shown to a model: {error}") from error
        definition = ToolDefinition(name=called, description=getdoc(function) or "", parameters=arguments.json_schema)
        return cls(
            definition=definition,
            function=function,
            arguments=arguments,
            wants_context=wants_context,
            requires_approval=requires_approval,
            external=external,
            timeout=timeout,
        )

    @property
    def name(self) -> str:
        """What the model calls it."""
        return self.definition.name

    def read(self, call: ToolCall, context: object = None) -> "Mapping[str, object] | tuple[Issue, ...]":
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

    def __repr__(self) -> str:
        """The name."""
        return f"Tool({self.name!r})"

"""From a function to what a model is told of it: the schema of its parameters, and what its docstring says.

A parameter's description is its own ``Field(description=...)``, else what the docstring says of it; its default is shown where
JSON can carry it. Both are for the model alone: they change neither what is validated nor what a checkpoint is bound to.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import NamedTuple, cast

from pydantic import JsonValue
from pydantic.fields import FieldInfo
from pydantic_core import from_json, to_json
from typing_extensions import TypeForm, get_type_hints

from ..schema.target import OutputTarget, arguments_target
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_object
from ..vocabulary.scrub import clean
from .docstrings import Docstring, read_docstring
from .signature import called_by, hints_of, in_partial, is_context, parameters_of


class Parameters(NamedTuple):
    """What was read from a function."""

    description: str
    """What its docstring says, without what it says of parameters, exceptions and examples."""
    arguments: OutputTarget[Mapping[str, object]]
    """What arguments must fit; unknown ones are refused."""
    schema: JsonObject
    """The JSON Schema of them, with descriptions and defaults."""
    wants_context: bool
    """The first parameter is for the `RunContext`."""


def read_parameters(function: Callable[..., object], called: str, local_names: Mapping[str, object] | None = None) -> Parameters:
    """What a model is told of a function.

    Args:
        function: any callable with annotated parameters.
        called: the tool's name, for errors and as the title of the schema.
        local_names: names that annotations may refer to beside those of the function's module.

    Raises:
        MisuseError: for parameters that a model cannot fill: what, where, and what to do.

    Example:
        >>> def look_up(city: str, days: int = 1) -> str:
        ...     '''Looks up.
        ...
        ...     Args:
        ...         city: Where.
        ...     '''
        ...     return "7 degrees"
        >>> read_parameters(look_up, "look_up").schema["properties"]["city"]["description"]
        'Where.'
    """
    where = f"tool {called} ({place_of(function)})"
    hints = _hints(function, where, local_names)
    _, held = in_partial(function)  # what a partial holds is not for the model to give
    parameters = [parameter for parameter in parameters_of(function) if parameter.name not in held]
    wants_context = bool(parameters) and is_context(hints.get(parameters[0].name)) and _is_positional(parameters[0])
    fields: dict[str, object] = {}
    defaults: dict[str, object] = {}
    for parameter in parameters[1 if wants_context else 0 :]:
        _refuse(parameter, hints, where, is_first=parameter is parameters[0])
        fields[parameter.name] = hints[parameter.name]
        if parameter.default is not parameter.empty:
            defaults[parameter.name] = parameter.default
    arguments = _target(called, fields, defaults, where)
    told = _docstring(function)
    schema = _described(arguments.json_schema, told.parameters, _shown(arguments.json_schema, fields, defaults))
    return Parameters(told.description, arguments, schema, wants_context)


def place_of(function: object) -> str:
    """Where a function is defined, as far as it tells.

    Example:
        >>> place_of(place_of)
        'settled.tools.parameters.place_of'
    """
    target, _ = in_partial(function)
    module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
    if name is None:
        module, name = type(target).__module__, type(target).__qualname__
    return f"{module}.{name}" if module else str(name)


def _hints(function: Callable[..., object], where: str, local_names: Mapping[str, object] | None) -> dict[str, object]:
    try:
        return hints_of(function, local_names)
    except NameError as missing:
        try:  # what it returns is not needed, and is often imported for type checkers only
            return _hints_of_parameters(function, local_names)
        except NameError:
            raise MisuseError(
                f"{where}: an annotation cannot be resolved ({missing}); define or import that name in the module of the "
                "function, at run time too, or decorate the function with @tool, which sees local names"
            ) from missing


class _Annotated:
    """Annotations without the return type, and nothing else."""

    def __init__(self, annotations: dict[str, object]) -> None:
        self.__annotations__ = annotations


def _hints_of_parameters(function: object, local_names: Mapping[str, object] | None) -> dict[str, object]:
    target = called_by(function)
    annotations: dict[str, object] = getattr(target, "__annotations__", {})
    names: dict[str, object] = getattr(inspect.unwrap(cast("Callable[..., object]", target)), "__globals__", {})
    given = _Annotated({name: hint for name, hint in annotations.items() if name != "return"})
    return dict(get_type_hints(given, globalns=names, localns=dict(local_names or {}), include_extras=True))


def _is_positional(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)


def _refuse(parameter: inspect.Parameter, hints: Mapping[str, object], where: str, *, is_first: bool) -> None:
    """Refuse a parameter that a model cannot fill."""
    name = parameter.name
    if is_first and name in ("self", "cls") and name not in hints:
        raise MisuseError(f"{where}: it is a method without its object; give the method of an instance, such as service.look_up")
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise MisuseError(f"{where}: parameter {name} is positional-only, and a model gives arguments by name; remove the /")
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        raise MisuseError(
            f"{where}: parameter {stars}{name} takes any number, and a model is told each parameter by name; "
            f"take them as one, such as {name}: {'list[str]' if stars == '*' else 'dict[str, str]'}"
        )
    if name not in hints:
        raise MisuseError(f"{where}: parameter {name} must be annotated, such as {name}: str, for the model to know what to give")
    if isinstance(parameter.default, FieldInfo):
        raise MisuseError(f"{where}: parameter {name} has a Field as its default; write {name}: Annotated[..., Field(...)]")
    if is_context(hints[name]):
        raise MisuseError(f"{where}: parameter {name} is for the RunContext, which must be the first parameter")


def _target(
    called: str, fields: Mapping[str, object], defaults: Mapping[str, object], where: str
) -> OutputTarget[Mapping[str, object]]:
    try:
        return arguments_target(called, fields, defaults.keys())
    except MisuseError as error:
        told = [f"parameter {name} cannot be shown to a model: {why}" for name, hint in fields.items() for why in _why_not(hint)]
        raise MisuseError(f"{where}: {'; '.join(told) or error}") from error


def _why_not(hint: object) -> Iterator[str]:
    """Why a type has no schema, if it has none."""
    try:
        OutputTarget(cast("TypeForm[object]", hint))
    except MisuseError as error:
        yield str(error)


def _docstring(function: Callable[..., object]) -> Docstring:
    """What the function itself says; of an object with ``__call__``, that method, else the class."""
    target, (holder, _) = called_by(function), in_partial(function)
    text = target.__doc__ or _inherited(target)
    if not text and target is not holder:
        kind = type(holder)
        text = "" if (kind.__doc__ or "").startswith(f"{kind.__name__}(") else kind.__doc__  # so begins what dataclass writes
    told = read_docstring(text or "")
    return Docstring(clean(told.description), {name: clean(text) for name, text in told.parameters.items()})


def _inherited(method: object) -> str | None:
    """The docstring of the same method of a base class. Not by ``inspect.getdoc``, which looks up on the object, and so binds."""
    owner = getattr(method, "__self__", None)
    for base in (owner if isinstance(owner, type) else type(owner)).__mro__:
        own = base.__dict__.get(getattr(method, "__name__", ""))
        if inspect.isroutine(own) and own.__doc__:
            return own.__doc__
    return None


def _described(schema: JsonObject, told: Mapping[str, str], shown: Mapping[str, JsonValue]) -> JsonObject:
    """The schema with what the docstring says of each parameter, unless its type says it, and with defaults."""
    described: JsonObject = {}
    for name, property in cast("JsonObject", schema["properties"]).items():
        own = dict(cast("JsonObject", property))
        if name in shown:
            own.setdefault("default", shown[name])
        if name in told:
            own.setdefault("description", told[name])
        described[name] = own
    return {**schema, "properties": described}


_PLAIN: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}


def _shown(schema: JsonObject, fields: Mapping[str, object], defaults: Mapping[str, object]) -> dict[str, JsonValue]:
    """The defaults as JSON: those that a model could give itself, to the same effect."""
    properties = cast("Mapping[str, JsonObject]", schema["properties"])
    shown: dict[str, JsonValue] = {}
    for name, default in defaults.items():
        if _is_plain(properties[name], default):
            shown[name] = cast("JsonValue", default)
            continue
        written = arguments_target(name, {name: fields[name]}, frozenset()).kept({name: default})
        if written is not None:
            definitions = cast("Mapping[str, JsonObject]", schema.get("$defs", {}))
            shown[name] = _in_order(cast("JsonObject", from_json(written))[name], properties[name], definitions)
    return shown


def _in_order(value: JsonValue, schema: JsonObject, definitions: Mapping[str, JsonObject]) -> JsonValue:
    """A default with its sets sorted: they have no order of their own, and the same code is to send the same prompt."""
    if "$ref" in schema:
        schema = definitions[str(schema["$ref"]).rpartition("/")[2]]
    choices = [choice for choice in cast("list[JsonObject]", schema.get("anyOf", [])) if choice.get("type") != "null"]
    if len(choices) == 1:
        return _in_order(value, choices[0], definitions)
    if isinstance(value, dict):
        inside, other = cast("Mapping[str, JsonObject]", schema.get("properties", {})), schema.get("additionalProperties")
        rest = cast("JsonObject", other) if is_object(other) else {}
        return {key: _in_order(item, inside.get(key, rest), definitions) for key, item in value.items()}
    if isinstance(value, list):
        inner = cast("JsonObject", schema.get("items", {}))
        items = [_in_order(item, inner, definitions) for item in value]
        return sorted(items, key=to_json) if schema.get("uniqueItems") is True else items
    return value


def _is_plain(schema: JsonObject, default: object) -> bool:
    """Whether a default is told to fit by a look at the schema; the costlier way is to validate it."""
    kind = _PLAIN.get(type(default))
    if kind is None or (isinstance(default, float) and not math.isfinite(default)):
        return False
    choices = schema.get("anyOf", [schema])
    return any(
        is_object(choice) and choice.get("type") == kind and choice.keys() <= {"type", "title", "description"}
        for choice in cast("list[JsonValue]", choices)
    )

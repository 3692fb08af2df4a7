"""`OutputTarget`: any type that pydantic can describe, ready to be asked for and to be validated into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Annotated, Generic, Literal, Protocol, Union, cast, get_args, get_origin

from pydantic import BaseModel, Field, GetCoreSchemaHandler, JsonValue, PydanticUserError, RootModel, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUndefinedAnnotation
from pydantic_core import CoreSchema, SchemaValidator
from typing_extensions import NotRequired, TypedDict, TypeForm, TypeVar

from .. import schema as schemas
from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_list, is_mapping, is_sequence
from .encoding import PLAIN, PLAIN_DIALECT, SentSchema
from .expected import Expected, Facts
from .naming import type_name, unaliased

T = TypeVar("T")


class OutputTarget(Generic[T]):
    """One type, with its validator, its JSON Schema and a name.

    Raises:
        MisuseError: when pydantic cannot describe the type, or its schema cannot be written as JSON.

    Example:
        >>> OutputTarget(list[int]).validate_json("[1, 2]")
        [1, 2]
    """

    __slots__ = (
        "_adapter",
        "_expected",
        "_facts",
        "_has_unions",
        "_of_json",
        "_of_python",
        "_sendable",
        "_sent",
        "form",
        "is_object",
        "is_text",
        "json_schema",
        "name",
        "needs_frame",
    )  # fmt: skip

    def __init__(self, form: TypeForm[T], *, name: str | None = None) -> None:
        """Builds the validator and the schema, once."""
        _refuse_value(form)
        self.form: object = form
        self.name: str = name or type_name(form)
        """Legal for every server."""
        try:
            adapter: TypeAdapter[T] = TypeAdapter(cast("type[T]", form))
            if not adapter.pydantic_complete:
                adapter.rebuild(raise_errors=True)
            schema = _described(adapter)
        except (
            PydanticUndefinedAnnotation,
            PydanticUserError,
            PydanticSchemaGenerationError,
            PydanticInvalidForJsonSchema,
            RecursionError,
        ) as error:
            raise MisuseError(
                f"type {self.name}: pydantic cannot describe it for a model ({_first_line(error)}); "
                "define what it refers to before the agent is made, or use a type that has a JSON Schema"
            ) from error
        kinds: set[object] = set()
        _note_kinds(adapter.core_schema, kinds)
        if "generator" in kinds:
            raise MisuseError(f"type {self.name}: an Iterable or Generator is validated only when it is used; ask for a list")
        self._adapter = adapter
        self._has_unions = "union" in kinds
        # Called without the adapter in between; those of types with unions are made on first use.
        own = None if self._has_unions else cast("SchemaValidator", adapter.validator)
        self._of_json: schemas.JsonValidator | None = own
        self._of_python: SchemaValidator | None = own
        self.json_schema: JsonObject = _rooted(schema)
        """What the model is shown; never changes the user's class."""
        self.is_object: bool = self.json_schema.get("type") == "object"
        """Whether every value of it is a JSON object."""
        self.needs_frame: bool = not self.is_object or "properties" not in self.json_schema
        """It cannot be the root of what every server is sent: no object, or a map, which some have no words for."""
        self.is_text: bool = _is_plain_text(form)
        """Whether it is ``str``, plain or annotated."""
        self._expected: Expected | None = None
        self._facts: Facts | None = None
        self._sendable: JsonObject | None = None
        self._sent: dict[tuple[str, bool | None, bool], SentSchema] = {}

    @property
    def expected(self) -> Expected:
        """What the type takes, place by place; read on first use."""
        if self._expected is None:
            self._expected = schemas.expected_of(self._schema, self.name)
        return self._expected

    @property
    def facts(self) -> Facts:
        """Which guards the type can need; found on first use."""
        if self._facts is None:
            self._facts = schemas.facts_of(self.expected, self._schema)
        return self._facts

    @property
    def _schema(self) -> object:
        """The core schema, with the discriminators that the type's tags amount to."""
        schema = self._adapter.core_schema
        return (schemas.decided(schema, "keyed") or schema) if self._has_unions else schema

    @property
    def core_schema(self) -> object:
        """What pydantic made of the type."""
        return self._adapter.core_schema

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is dangerous about the type, in sentences for the person who chose it.

        Example:
            >>> OutputTarget(list[int]).doubts
            ()
        """
        return schemas.doubts_of(self._adapter.core_schema, self.name)

    def sent(self, dialect: str, *, strict: bool | None, loose: bool = False) -> SentSchema:
        """The schema as a server of some dialect is sent it; kept for the next time.

        Args:
            dialect: a key of ``DIALECTS``, with or without ``+inline`` behind it; ``plain`` is what pydantic writes.
            strict: None is strict where nothing of the shape is lost; True refuses to lose any.
            loose: after a server refused the schema: constraints in words only.

        Raises:
            MisuseError: for ``strict=True`` with a type that the dialect has no words for, and for an unknown dialect.

        Example:
            >>> OutputTarget(dict[str, int]).sent("gemini", strict=None).json_schema
            {'additionalProperties': {'type': 'integer'}, 'type': 'object'}
        """
        known = self._sent.get((dialect, strict, loose))
        if known is None and dialect == PLAIN_DIALECT and not loose:
            known = self._sent[dialect, strict, loose] = SentSchema(self.json_schema, strict is not False, (), PLAIN, ())
        if known is None:
            if self._sendable is None:
                self._sendable = _rooted(schemas.sendable(cast("TypeAdapter[object]", self._adapter)))
            try:
                known = schemas.sent_schema(self._sendable, dialect, strict=strict, encodable=not self.facts.hides, loose=loose)
            except MisuseError as error:
                raise MisuseError(f"type {self.name}: {error}") from None
            self._sent[dialect, strict, loose] = known
        return known

    @property
    def in_words(self) -> str:
        """The type as prompted mode shows it to a model; Decimals as text, so that none loses its digits.

        Example:
            >>> OutputTarget(dict[str, list[int]]).in_words
            '{ [key: string]: integer[] }'
        """
        return schemas.rendered(_rooted(schemas.readable(cast("TypeAdapter[object]", self._adapter))))

    def validate_json(self, text: str, context: object = None, *, strict: bool | None = None) -> T:
        """JSON text to a value of the type; ``strict`` takes no JSON value for one of another kind, such as ``true`` for 1.

        Raises:
            pydantic.ValidationError: when it does not fit, or is no JSON.
        """
        if self._of_json is None:
            own = cast("SchemaValidator", self._adapter.validator)
            self._of_json = schemas.json_validator(self._adapter.core_schema, own)
        return cast("T", self._of_json.validate_json(text, strict=strict, context=context))

    def validate(self, value: object, context: object = None, *, strict: bool | None = None) -> T:
        """A Python value to a value of the type; ``strict`` coerces nothing.

        Raises:
            pydantic.ValidationError: when it does not fit.
        """
        if self._of_python is None:
            own = cast("SchemaValidator", self._adapter.validator)
            self._of_python = schemas.python_validator(self._adapter.core_schema, own)
        return cast("T", self._of_python.validate_python(value, strict=strict, context=context))

    def revalidated(self, value: object, context: object = None, *, strict: bool | None = None) -> T:
        """A value that user code made or changed, each model in it validated again: pydantic takes instances as they are.

        Raises:
            pydantic.ValidationError: when it does not fit.
        """
        return self.validate(_renewed(value, context), context, strict=strict)

    def dump(self, value: object) -> str:
        """A value of the type as JSON text, spelled as the model would spell it.

        Raises:
            pydantic_core.PydanticSerializationError: when it has no JSON form.

        Example:
            >>> OutputTarget(list[int]).dump([1, 2])
            '[1,2]'
        """
        return self._adapter.dump_json(cast("T", value), by_alias=True, round_trip=True, warnings=False).decode()

    def kept(self, value: object, context: object = None) -> str | None:
        """The JSON text that makes an equal value again; None for a value that JSON cannot carry.

        Example:
            >>> OutputTarget(list[int]).kept([1, 2])
            '[1,2]'
        """
        try:
            text = self.dump(value)
            return text if self.validate_json(text, context) == value else None
        except Exception:  # the serializers, validators and == of the caller's types
            return None


def _renewed(value: object, context: object) -> object:
    """The same value with each pydantic model in it made again from its fields, the innermost first."""
    if isinstance(value, RootModel):
        root = cast("RootModel[object]", value).root
        return type(cast("BaseModel", value)).model_validate(_renewed(root, context), context=context)
    if isinstance(value, BaseModel):
        held = {**value.__dict__, **(value.__pydantic_extra__ or {})}
        fields = {name: _renewed(field, context) for name, field in held.items() if _is_field(value, name)}
        return type(value).model_validate(fields, context=context, by_alias=False, by_name=True)
    if is_list(value):
        return [_renewed(item, context) for item in value]
    if type(value) is tuple:
        return tuple(_renewed(item, context) for item in cast("tuple[object, ...]", value))
    if type(value) is dict:
        return {key: _renewed(item, context) for key, item in cast("dict[object, object]", value).items()}
    return value


def _is_field(model: BaseModel, name: str) -> bool:
    """Not a cached property, which pydantic keeps beside the fields."""
    return name in type(model).model_fields or name in (model.__pydantic_extra__ or {})


def _note_kinds(schema: object, kinds: set[object]) -> None:
    """Add the kinds of the schemas in a core schema."""
    if is_mapping(schema):
        kinds.add(schema.get("type") if isinstance(schema.get("type"), str) else None)  # a field may be called so
        for key, part in schema.items():
            if key not in ("default", "metadata"):  # data, not schema
                _note_kinds(part, kinds)
    elif is_sequence(schema):
        for part in schema:
            _note_kinds(part, kinds)


def _described(adapter: TypeAdapter[T]) -> dict[str, JsonValue]:
    """The JSON Schema; pydantic before 2.13 cannot write a default whose own class has not been built yet (``defer_build``)."""
    try:
        return adapter.json_schema()
    except TypeError:
        from pydantic.json_schema import GenerateJsonSchema

        class BuildingFirst(GenerateJsonSchema):
            def encode_default(self, dft: object) -> object:
                _build_classes(dft)
                return super().encode_default(dft)

        return adapter.json_schema(schema_generator=BuildingFirst)


def _build_classes(value: object) -> None:
    """Have pydantic build the classes of a value and of all in it."""
    if isinstance(value, BaseModel):
        value.model_rebuild()
        _build_classes(dict(value))
    elif is_dataclass(value):
        from pydantic.dataclasses import is_pydantic_dataclass, rebuild_dataclass

        kind: type = type(value)
        if is_pydantic_dataclass(kind):
            rebuild_dataclass(kind)
        _build_classes([getattr(value, field.name, None) for field in fields(value)])
    elif isinstance(value, (Mapping, Set, list, tuple)):
        for item in cast("Iterable[object]", value.values() if isinstance(value, Mapping) else value):
            _build_classes(item)


def _refuse_value(form: object) -> None:
    if isinstance(form, (str, list, dict, tuple, set, BaseModel)):
        kind = type(cast("object", form)).__name__
        raise MisuseError(f"output type: this {kind} is a value, not a type; give a class, or a type such as list[int]")


def wrapper_of(form: object, name: str) -> OutputTarget[Mapping[str, object]]:
    """The target ``{"value": form}``, for types that are no object.

    Example:
        >>> wrapper_of(int, "int").validate_json('{"value": 3}')
        {'value': 3}
    """
    return _dict_target(_closed_dict(f"{name}_value", {"value": form}))


def tagged_of(members: Mapping[str, object], *, wrapped: bool) -> OutputTarget[Mapping[str, object]]:
    """The target for one of several named types: ``{"kind": name, "data": ...}``, inside ``{"value": ...}`` when ``wrapped``.

    Example:
        >>> target = tagged_of({"A": int, "B": str}, wrapped=False)
        >>> target.validate_json('{"kind": "B", "data": "x"}')
        {'kind': 'B', 'data': 'x'}
    """
    branches = tuple(_closed_dict(name, {"kind": _literal(name), "data": form}) for name, form in members.items())
    choice = _any_of(branches)
    return _dict_target(_closed_dict("answer", {"value": choice}) if wrapped else choice)


def arguments_target(name: str, fields: Mapping[str, object], optional: Set[str]) -> OutputTarget[Mapping[str, object]]:
    """The target for keyword arguments: a closed object, in which the optional ones may be absent.

    Example:
        >>> arguments_target("f", {"x": int, "y": int}, {"y"}).validate_json('{"x": 1}')
        {'x': 1}
    """
    spelled = {field: cast("Subscriptable", NotRequired)[form] if field in optional else form for field, form in fields.items()}
    return _dict_target(_closed_dict(name, spelled))


def _dict_target(form: object) -> OutputTarget[Mapping[str, object]]:
    return OutputTarget(cast("TypeForm[Mapping[str, object]]", form), name="answer")


def _closed_dict(name: str, fields: Mapping[str, object]) -> object:
    """A TypedDict that refuses other keys: it validates in one native pass."""
    make = cast("Callable[[str, dict[str, object]], type]", TypedDict)  # made at run time, so no checker can follow
    return cast("Subscriptable", Annotated)[make(name, dict(fields)), _Closed()]


class _Closed:
    """Closes one TypedDict. Its config would also close the ones inside, and dataclasses: pydantic hands it on."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        cast("dict[str, object]", handler.resolve_ref_schema(schema))["extra_behavior"] = "forbid"
        return schema


def _literal(word: str) -> object:
    return cast("Subscriptable", Literal)[word]


def _any_of(branches: tuple[object, ...]) -> object:
    if len(branches) == 1:
        return branches[0]
    return cast("Subscriptable", Annotated)[cast("Subscriptable", Union)[branches], Field(discriminator="kind")]


class Subscriptable(Protocol):
    """A special form of ``typing``, subscripted at run time."""

    def __getitem__(self, parameters: object, /) -> object:
        """The subscripted form."""
        raise NotImplementedError


def _rooted(schema: dict[str, JsonValue]) -> JsonObject:
    """The schema with a root that is no bare reference: servers want ``type`` at the top, also of recursive models."""
    reference, definitions = schema.get("$ref"), schema.get("$defs")
    if isinstance(reference, str) and isinstance(definitions, dict):
        root = definitions[reference.rsplit("/", 1)[-1]]
        if isinstance(root, dict):
            return {**root, "$defs": definitions}
    return schema


def _is_plain_text(form: object) -> bool:
    """``Annotated[str, ...]``, also through an alias."""
    form = unaliased(form)
    if get_origin(form) is Annotated:
        return _is_plain_text(get_args(form)[0])
    return form is str


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")

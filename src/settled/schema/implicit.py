"""Unions that nobody gave a discriminator, but whose members all say in one key which they are: validated by that key.

Pydantic tries every member of a plain union, at each level of a recursive one, which takes exponential time. Where each member
has a field of one key that takes texts of its own only, no more than one member can take an object, and its tag says which. Then
a tagged union takes and refuses the same, and makes the same values, in linear time. The core schema is rewritten so, in a copy,
and only where that is certain: what a member could take by other ways than its fields (code of the user's before it, around it or
in its ``__init__``) and what takes part in the choice (a mode, a label, an error of the union's own) leave a union as it is.

One thing differs, on purpose: code of the user's in the fields of the members that are not meant does not run any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias, cast

from pydantic_core import CoreSchema, SchemaValidator

from ..vocabulary.narrowing import is_mapping, is_sequence
from .burden import Bounded, burden_of, definitions_in
from .reading import PARTS, Schema, schemas_in, spellings_of

Speech: TypeAlias = Literal["json", "python", "keyed"]
"""What is validated: JSON, Python values, or nothing; with ``keyed``, only unions change in which an object must have its tag."""

UNDECIDED = 0
"""The choice of an object that leaves its tag out, and of what is no object of plain data: the union as it was."""
_TRIED = frozenset({"type", "choices", "mode", "metadata", "ref", "serialization"})
_AROUND = frozenset({"definition-ref", "model", "dataclass", "function-after"})
"""What may stand around the fields of an object; a function behind them sees only what they have taken."""
_BESIDE = frozenset({
    "none", "str", "int", "float", "bool", "decimal", "date", "time", "datetime", "timedelta", "bytes", "uuid", "url",
    "multi-host-url", "literal", "list", "tuple", "set", "frozenset",
})  # fmt: skip
"""Kinds that take no object, so that they may stand in the union too."""


def decided(core_schema: object, speech: Speech) -> Schema | None:
    """The core schema with a tagged union for each union that its tags decide; None where there is none.

    Example:
        >>> from typing import Literal
        >>> from pydantic import TypeAdapter, create_model
        >>> Cat, Dog = create_model("Cat", says=(Literal["meow"], ...)), create_model("Dog", says=(Literal["woof"], ...))
        >>> (decided(TypeAdapter(Cat | Dog).core_schema, "json") or {})["discriminator"]
        'says'
        >>> decided(TypeAdapter(Cat | int).core_schema, "json")
    """
    schema = cast("Schema", core_schema)
    if any(map(_stands_against, (part for part, _ in schemas_in(schema)))):
        return None
    rewritten = _Rewriting(schema, speech).of(schema)
    return None if rewritten is schema else cast("Schema", rewritten)


class JsonValidator(Protocol):
    """What makes values of JSON texts, as pydantic's validators do."""

    def validate_json(self, text: str, /, *, strict: bool | None = None, context: object = None) -> object:
        """The value of a text, or a `pydantic.ValidationError`."""
        raise NotImplementedError


def json_validator(core_schema: object, own: SchemaValidator) -> JsonValidator:
    """What makes values of JSON texts, in linear time where tags allow that, and else within a bound.

    Args:
        core_schema: of the type.
        own: pydantic's validator of the type, which is taken where there is nothing to be told by tags.
    """
    made = _validator(core_schema, "json", own)
    schema, validator = (cast("Schema", core_schema), own) if made is None else made
    burden = burden_of(schema)
    return validator if burden is None else Bounded(validator, burden)


def python_validator(core_schema: object, own: SchemaValidator) -> SchemaValidator:
    """What makes values of Python values, in linear time where tags of plain objects allow that."""
    made = _validator(core_schema, "python", own)
    return own if made is None else made[1]


def _validator(core_schema: object, speech: Speech, own: SchemaValidator) -> tuple[Schema, SchemaValidator] | None:
    """The rewritten schema and its validator.

    None where nothing is rewritten, where a plugin of pydantic's listens to the type's own validator, and with a pydantic before
    2.13, which makes no validator of a schema alone: it puts in those of the classes.
    """
    is_own = isinstance(cast("object", own), SchemaValidator)  # to checkers it always is
    schema = decided(core_schema, speech) if is_own and _MAKES_ITS_OWN else None
    return None if schema is None else (schema, SchemaValidator(cast("CoreSchema", schema), _use_prebuilt=False))


_MAKES_ITS_OWN = "_use_prebuilt" in (SchemaValidator.__text_signature__ or "")


def _stands_against(part: Schema) -> bool:
    """Code that validates by the class's own validator, or what goes on after a union has failed inside it.

    How exactly the values fit so far outlives the failure of a tagged union, but not that of a plain one; a union around could
    choose another member for that.
    """
    kind = part.get("type")
    if part.get("custom_init"):
        return True
    goes_on = (
        kind == "function-wrap"
        or (kind == "default" and part.get("on_error", "raise") != "raise")
        or (kind == "union" and part.get("mode", "smart") != "smart")
    )
    return goes_on and any(inner.get("type") in ("union", "definition-ref") for inner, _ in schemas_in(part) if inner is not part)


class _Tags(NamedTuple):
    """The texts that a field takes, all of them its member's own."""

    words: frozenset[str]
    due: bool
    """The field has no default, and must be there."""


class _Rewriting:
    """One core schema while it is rewritten."""

    def __init__(self, schema: Schema, speech: Speech) -> None:
        self._speech: Speech = speech
        self._definitions = definitions_in(schema)

    def of(self, part: object) -> object:
        """The part itself where nothing in it changes, else a copy."""
        if is_sequence(part):
            items = [self.of(item) for item in part]
            same = all(new is old for new, old in zip(items, part, strict=True))
            return part if same else items if isinstance(part, list) else tuple(items)
        if not is_mapping(part):
            return part
        schema = cast("Schema", part)
        table = not isinstance(schema.get("type"), str)  # of schemas, by field or tag
        changed = {key: self.of(inner) for key, inner in schema.items() if table or key in PARTS}
        if any(inner is not schema[key] for key, inner in changed.items()):
            schema = {**schema, **changed}
        return schema if table or schema["type"] != "union" else self._union(cast("Schema", part), schema)

    def _union(self, before: Schema, schema: Schema) -> Schema:
        """A union whose parts are rewritten, with its objects told apart by their tags where they can be."""
        choices = cast("Sequence[Schema]", schema["choices"])
        if not _TRIED.issuperset(schema) or schema.get("mode", "smart") != "smart" or not all(map(is_mapping, choices)):
            return schema
        members = [choice for choice in choices if choice["type"] not in _BESIDE]
        told = _told_by([dict(self._tags_of(member)) for member in members]) if len(members) > 1 else None
        if told is None:
            return schema
        keys, tags = told
        due = all(tag.due for tag in tags)
        if self._speech == "keyed" and not (due and len(keys) == 1):
            return schema
        marked: dict[object, object] = {
            word: member for member, tag in zip(members, tags, strict=True) for word in sorted(tag.words)
        }
        words = [*cast("Mapping[str, object]", marked)]
        tagged: dict[str, object] = {"type": "tagged-union", "choices": marked, "custom_error_type": "no_known_tag"}
        tagged["custom_error_message"] = f"Input should be an object in which {_either(keys)} is {_either(words)}"
        if self._speech == "python" or not due:
            tagged["discriminator"] = _chosen_by(keys, frozenset(words), due=due)
            marked[UNDECIDED] = before
        else:
            tagged["discriminator"] = keys[0] if len(keys) == 1 else [[key] for key in keys]
            if len(members) < len(choices):
                beside = [choice for choice in choices if choice["type"] in _BESIDE]
                place = next(place for place, choice in enumerate(choices) if choice is members[0])
                return {**schema, "choices": [*beside[:place], tagged, *beside[place:]]}
        return {**tagged, **{key: schema[key] for key in ("ref", "metadata") if key in schema}}

    def _tags_of(self, schema: Schema) -> Iterator[tuple[tuple[str, ...], _Tags]]:
        """Under which keys an object must say, or may say, what it is; nothing for what may be more than its fields."""
        inside, config = self._fields_of(schema)
        given = cast("Mapping[str, Schema] | Sequence[Schema]", inside.get("fields", ()))
        pairs = given.items() if isinstance(given, Mapping) else [(cast("str", field["name"]), field) for field in given]
        for name, field in pairs:
            literal, due = cast("Schema", field["schema"]), field.get("required", inside["type"] != "typed-dict") is True
            if literal["type"] == "default" and literal.get("on_error", "raise") == "raise":
                literal, due = cast("Schema", literal["schema"]), False
            words = cast("Sequence[object]", literal["expected"]) if literal["type"] == "literal" else ()
            aliased = field.get("validation_alias")
            plain = aliased is None or (isinstance(aliased, str) and inside["type"] != "typed-dict")
            taken = field.get("init", True) and not field.get("init_only")
            if words and plain and taken and all(type(word) is str for word in words):
                yield spellings_of(name, field, config).accepted, _Tags(frozenset(cast("Sequence[str]", words)), due)

    def _fields_of(self, schema: Schema) -> tuple[Schema, Schema]:
        """The fields of an object and the config that holds there; nothing where something else may take or change its input."""
        config: Schema = {}
        while schema["type"] in _AROUND and not schema.get("root_model"):
            config = cast("Schema", schema.get("config") or config)
            is_ref = schema["type"] == "definition-ref"
            schema = self._definitions[cast("str", schema["schema_ref"])] if is_ref else cast("Schema", schema["schema"])
        config = cast("Schema", schema.get("config") or config)
        return (schema, config) if schema["type"] in ("model-fields", "dataclass-args", "typed-dict") else ({}, config)


def _told_by(members: Sequence[Mapping[tuple[str, ...], _Tags]]) -> tuple[tuple[str, ...], list[_Tags]] | None:
    """The first keys under which every member has texts of its own, and those of each."""
    for keys in members[0]:
        tags = [member[keys] for member in members if keys in member]
        words = [word for tag in tags for word in tag.words]
        if keys and len(tags) == len(members) and len(words) == len(set(words)):
            return keys, tags
    return None


def _chosen_by(keys: tuple[str, ...], words: frozenset[str], *, due: bool) -> Callable[[object], str | int | None]:
    """A discriminator: the tag of an object of plain data; None for an object that no member can take."""

    def tag_of(found: object) -> str | int | None:
        if type(found) is not dict:
            return UNDECIDED
        data = cast("dict[str, object]", found)
        for key in keys:
            if key in data:
                tag = data[key]
                if type(tag) is not str:  # a member of an enum may pass for its text
                    return UNDECIDED
                return tag if tag in words else None
        return None if due else UNDECIDED

    return tag_of


def _either(words: Sequence[str]) -> str:
    *most, last = map(repr, words)
    return f"{', '.join(most)} or {last}" if most else last

"""Pydantic's core schemas read into `Expected`, and the `Facts` that say which guards a type can need.

A core schema is plain data: a type is one dict, its parts are dicts inside, and a class that is used twice or refers to itself
stands apart under ``definitions``. Each kind of schema has one row in a table of readers; a kind without a row is opaque. What
copies another place or unites several is settled at the end, when every class is read, since recursive types meet themselves half
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, Flag
from typing import Literal, NamedTuple, SupportsFloat, TypeAlias, cast

from ..vocabulary.narrowing import is_mapping, is_sequence
from .expected import Choice, Expected, FieldExpected, Kind

Schema: TypeAlias = Mapping[str, object]
"""A core schema, or a core config."""

_NOTHING: Schema = {}
_ANY: Schema = {"type": "any"}
_INSIDE: Mapping[str, str] = {  # schemas that take the JSON of the schema inside: their type, and the key of that schema
    "default": "schema",
    "function-after": "schema",
    "function-before": "schema",
    "function-wrap": "schema",
    "custom-error": "schema",
    "missing-sentinel": "schema",
    "lax-or-strict": "lax_schema",
    "json-or-python": "json_schema",
}
_ALIKE: frozenset[Kind] = frozenset({"text", "boolean", "date", "datetime", "time", "duration"})  # two in one union are one


def expected_of(core_schema: object, name: str) -> Expected:
    """What a type takes; ``name`` is what the type is called where it has no class of its own.

    Example:
        >>> from pydantic import TypeAdapter
        >>> place = expected_of(TypeAdapter(list[int]).core_schema, "numbers")
        >>> place.kind, place.item and place.item.kind, place.name
        ('list', 'integer', 'numbers')
    """
    reading = _Reading()
    place = reading.read(cast("Schema", core_schema), _NOTHING)
    reading.settle_all()
    place.name = place.name or name
    return place


class _Reading:
    """One core schema while it is read."""

    def __init__(self) -> None:
        self._definitions: dict[str, tuple[Schema, Schema]] = {}
        self._referred: dict[str, Expected] = {}
        self._unsettled: dict[int, tuple[Expected, Sequence[Expected]]] = {}

    def read(self, schema: Schema, config: Schema) -> Expected:
        """The place that a schema describes: one and the same for each reference to one class."""
        ref = cast("str | None", schema.get("ref"))
        inside = None if ref else _inside(schema)
        if inside is not None:
            return self.read(inside, config)
        if schema["type"] == "definitions":
            for definition in cast("Sequence[Schema]", schema["definitions"]):
                self._definitions[cast("str", definition["ref"])] = definition, config
            return self.read(cast("Schema", schema["schema"]), config)
        if schema["type"] == "definition-ref":
            ref = cast("str", schema["schema_ref"])
            schema, config = self._definitions.get(ref, (_ANY, _NOTHING))
        if ref is not None and ref in self._referred:
            return self._referred[ref]
        place = Expected()
        if ref is not None:
            self._referred[ref] = place
        self._fill(place, schema, config)
        return place

    def settle_all(self) -> None:
        """Finish the places that copy or unite others."""
        while self._unsettled:
            place, _ = next(iter(self._unsettled.values()))
            self._settle(place)

    def _fill(self, place: Expected, schema: Schema, config: Schema) -> None:
        inside = _inside(schema)
        if inside is not None or schema["type"] == "definition-ref":
            self._unite(place, [self.read(inside or schema, config)])
            return
        fill = _READERS.get(cast("str", schema["type"]))
        config = cast("Schema", schema.get("config") or config)
        strict = schema.get("strict")
        place.strict = (config.get("strict") if strict is None else strict) is True
        if fill is not None:
            fill(self, place, schema, config)

    def _unite(self, place: Expected, parts: Sequence[Expected]) -> None:
        """Make the place the union of its parts, or the copy of a single part, once all is read."""
        self._unsettled[id(place)] = place, parts

    def _settle(self, place: Expected) -> None:
        entry = self._unsettled.pop(id(place), None)
        if entry is None:
            return
        decided = place.tag is not None or place.chosen
        members: dict[object, Expected] = {}
        for part in entry[1]:
            self._settle(part)
            place.nullable |= part.nullable and not decided  # null has no tag
            plain = part.kind == "union" and part.tag is None and not part.chosen and not decided
            for member in part.members if plain else (part,):
                known = members.setdefault(member.kind if member.kind in _ALIKE else id(member), member)
                if known.strict and not member.strict:  # both read text, say, and one of them coerces
                    members[member.kind if member.kind in _ALIKE else id(member)] = member
        _become(place, [member for member in members.values() if member.kind != "null"])

    def of_nullable(self, place: Expected, schema: Schema, config: Schema) -> None:
        place.nullable = True
        self._unite(place, [self.read(cast("Schema", schema["schema"]), config)])

    def of_union(self, place: Expected, schema: Schema, config: Schema) -> None:
        given = cast("Sequence[Schema | tuple[Schema, str]]", schema["choices"])  # a label may stand beside a choice
        choices = [choice[0] if isinstance(choice, tuple) else choice for choice in given]
        real = [choice for choice in choices if choice["type"] != "missing-sentinel" or "schema" in choice]
        self._unite(place, [self.read(choice, config) for choice in real])

    def of_tagged_union(self, place: Expected, schema: Schema, config: Schema) -> None:
        choices = cast("Mapping[object, Schema]", schema["choices"])
        tagged = {_choice(tag).spelling: self.read(choice, config) for tag, choice in choices.items()}
        key = schema["discriminator"]
        if isinstance(key, str):
            place.tag, place.tagged = key, tagged
        else:
            place.chosen = True
        self._unite(place, list(tagged.values()))

    def of_model(self, place: Expected, schema: Schema, _: Schema) -> None:
        config = cast("Schema", schema.get("config") or _NOTHING)  # pydantic does not hand on that of the model outside
        place.name = cast("type", schema["cls"]).__name__
        inside = cast("Schema", schema["schema"])
        if schema.get("root_model"):
            self._unite(place, [self.read(inside, config)])
            return
        while (wrapped := _inside(inside)) is not None:
            inside = wrapped
        self._fill(place, inside, config)

    def of_fields(self, place: Expected, schema: Schema, config: Schema) -> None:
        place.name = place.name or getattr(schema.get("cls"), "__name__", "")
        given = cast("Mapping[str, Schema] | Sequence[Schema]", schema["fields"])
        pairs = given.items() if isinstance(given, Mapping) else [(cast("str", field["name"]), field) for field in given]
        total = schema["type"] != "typed-dict" or schema.get("total", config.get("typed_dict_total")) is not False
        fields: dict[str, FieldExpected] = {}
        place.kind, place.fields, place.extra = "object", fields, _extra(schema, config)
        roots: list[FieldExpected] = []
        for name, field in pairs:
            if field.get("init") is False:  # of a dataclass: pydantic takes no value for it
                continue
            inside = cast("Schema", field["schema"])
            has_default = inside["type"] == "default"
            required = not has_default and field.get("required", total) is not False
            spelled = spellings_of(name, field, config)
            if spelled.accepted:
                _add(fields, FieldExpected(
                    spelled.accepted[0], spelled.names, self.read(inside, config), accepted=spelled.accepted,
                    required=required and not spelled.roots, has_default=has_default, attribute=name,
                ))  # fmt: skip
            required = required and not spelled.accepted and len(spelled.roots) == 1
            roots += [FieldExpected(r, (r,), Expected(), required=required, has_default=has_default) for r in spelled.roots]
        for root in roots:
            known = fields.setdefault(root.key, root)
            known.required = known.required or root.required
        _disown(fields)
        extras = schema.get("extras_schema")
        if extras is not None:
            place.item = self.read(cast("Schema", extras), config)

    def of_scalar(self, place: Expected, schema: Schema, config: Schema) -> None:
        place.kind = SCALARS[cast("str", schema["type"])]
        place.nullable = place.kind == "null"
        if place.kind in ("integer", "number", "decimal"):
            place.at_least, place.at_most = _bound(schema, "ge", "gt", max), _bound(schema, "le", "lt", min)
            place.allows_non_finite = schema.get("allow_inf_nan", config.get("allow_inf_nan")) is True

    def of_any(self, place: Expected, _: Schema, __: Schema) -> None:
        place.nullable = True

    def of_enum(self, place: Expected, schema: Schema, _: Schema) -> None:
        cls = cast("type[Enum]", schema["cls"])
        place.name = cls.__name__
        if not issubclass(cls, Flag):  # whose values are also sums of its members
            choices = [_choice(member) for member in cast("Sequence[object]", schema["members"])]
            place.kind, place.nullable = "choice", any(choice.value is None for choice in choices)
            place.choices = tuple(choice for choice in choices if choice.value is not None)

    def of_literal(self, place: Expected, schema: Schema, _: Schema) -> None:
        values = cast("Sequence[object]", schema["expected"])
        place.choices = tuple(_choice(value) for value in values if value is not None)
        place.nullable = None in values
        place.kind = "choice" if place.choices else "null"

    def of_items(self, place: Expected, schema: Schema, config: Schema) -> None:
        place.kind, place.unique = "list", schema["type"] in ("set", "frozenset")
        place.item = self.read(cast("Schema", schema.get("items_schema", _ANY)), config)

    def of_tuple(self, place: Expected, schema: Schema, config: Schema) -> None:
        items = [self.read(item, config) for item in cast("Sequence[Schema]", schema["items_schema"])]
        variadic = cast("int | None", schema.get("variadic_item_index"))
        place.kind, place.prefix = "list", (*items[:variadic],)
        if variadic is not None:  # what stands behind the variadic part has no fixed place
            place.item = items[variadic] if variadic == len(items) - 1 else Expected()

    def of_map(self, place: Expected, schema: Schema, config: Schema) -> None:
        place.kind = "map"
        place.item = self.read(cast("Schema", schema.get("values_schema", _ANY)), config)
        keys = cast("Schema", schema.get("keys_schema", _ANY))
        place.merges_keys = _changes(keys, config)
        place.key_schema = keys if place.merges_keys and _stands_alone(keys) else None

    def of_chain(self, place: Expected, schema: Schema, config: Schema) -> None:
        first, *_ = cast("Sequence[Schema]", schema["steps"])  # the later steps take what the first made
        self._unite(place, [self.read(first, config)])


SCALARS: Mapping[str, Kind] = {
    "str": "text", "int": "integer", "float": "number", "decimal": "decimal", "bool": "boolean", "none": "null",
    "date": "date", "datetime": "datetime", "time": "time", "timedelta": "duration",
}  # fmt: skip
_READERS: Mapping[str, Callable[[_Reading, Expected, Schema, Schema], None]] = {
    **dict.fromkeys(SCALARS, _Reading.of_scalar),
    **dict.fromkeys(("list", "set", "frozenset", "deque"), _Reading.of_items),
    **dict.fromkeys(("dict", "frozendict", "ordered-dict", "counter"), _Reading.of_map),
    **dict.fromkeys(("model-fields", "typed-dict", "dataclass-args"), _Reading.of_fields),
    **dict.fromkeys(("model", "dataclass"), _Reading.of_model),
    "any": _Reading.of_any,
    "chain": _Reading.of_chain,
    "enum": _Reading.of_enum,
    "literal": _Reading.of_literal,
    "nullable": _Reading.of_nullable,
    "tagged-union": _Reading.of_tagged_union,
    "tuple": _Reading.of_tuple,
    "union": _Reading.of_union,
}


def _inside(schema: Schema) -> Schema | None:
    key = _INSIDE.get(cast("str", schema["type"]))
    return None if key is None else cast("Schema | None", schema.get(key))


def _become(place: Expected, members: Sequence[Expected]) -> None:
    """Fill a place from the members of its union: a single one is copied, and keeps what the place knew before."""
    if len(members) > 1:
        place.kind, place.members = "union", (*members,)
        return
    name, nullable = place.name, place.nullable
    for member in members:
        for slot in Expected.__slots__:
            setattr(place, slot, getattr(member, slot))
    if not members:
        place.kind = "null" if nullable else "opaque"
    place.name, place.nullable = place.name or name, nullable


def _stands_alone(keys: Schema) -> bool:
    """It means the same without the types around it: no text, whose treatment may be theirs, and no class."""
    kinds = {part["type"] for part, _ in schemas_in(keys)}
    return kinds.isdisjoint({"str", "definition-ref", "definitions", "model", "dataclass"})


def _changes(keys: Schema, config: Schema) -> bool:
    """Whether keys that differ in the text may be one and the same key of the map: ``"1"`` and ``"01"``."""
    if keys["type"] == "any":
        return False
    marks = ("strip_whitespace", "to_lower", "to_upper")
    return keys["type"] != "str" or any(keys.get(mark) or config.get(f"str_{mark}") for mark in marks)


def _choice(member: object) -> Choice:
    return Choice(member.value, member.name) if isinstance(member, Enum) else Choice(member)


def _extra(schema: Schema, config: Schema) -> Literal["ignore", "allow", "forbid"]:
    given = schema.get("extra_behavior") or config.get("extra_fields_behavior") or "ignore"
    return cast("Literal['ignore', 'allow', 'forbid']", given)


def _bound(schema: Schema, closed: str, open_: str, tighter: Callable[[list[float]], float]) -> float | None:
    given = [cast("SupportsFloat", schema[key]) for key in (closed, open_) if schema.get(key) is not None]
    try:
        return tighter([float(bound) for bound in given]) if given else None
    except OverflowError:  # an integer beyond every float: no bound that a float could break
        return None


class Spelled(NamedTuple):
    """How one field may be spelled."""

    accepted: tuple[str, ...]
    """What pydantic takes, in the order in which it looks."""
    names: tuple[str, ...]
    """What means the field."""
    roots: tuple[str, ...]
    """The keys where its paths into other parts begin."""


def spellings_of(name: str, field: Schema, config: Schema) -> Spelled:
    """The spellings of a field's key, as its alias and the config say.

    Example:
        >>> spellings_of("op", {"validation_alias": "kind"}, {"validate_by_name": True}).accepted
        ('kind', 'op')
    """
    alias = field.get("validation_alias")
    if alias is None:
        return Spelled((name,), (name,), ())
    by_alias = config.get("validate_by_alias") is not False
    by_name = config.get("validate_by_name")
    paths: list[Sequence[object]] = []
    if by_alias:
        given = cast("Sequence[object]", [alias] if isinstance(alias, str) else alias)
        paths = cast("list[Sequence[object]]", given) if is_sequence(given[0]) else [given]  # one path, or several
    flat = tuple(cast("str", path[0]) for path in paths if len(path) == 1)
    roots = tuple(dict.fromkeys(cast("str", path[0]) for path in paths if len(path) > 1))
    accepted = (*flat, name) if by_name or not by_alias else flat
    names = flat if by_name is False else (name, *flat)
    return Spelled((*dict.fromkeys(accepted),), (*dict.fromkeys(names),), roots)


def _add(fields: dict[str, FieldExpected], field: FieldExpected) -> None:
    known = fields.get(field.key)
    if known is not None:  # pydantic gives the value to both, so neither type decides
        field.names, field.expected = (*dict.fromkeys(known.names + field.names),), Expected()
        field.accepted = (*dict.fromkeys(known.accepted + field.accepted),)
        field.required, field.has_default = known.required or field.required, known.has_default and field.has_default
    fields[field.key] = field


def _disown(fields: Mapping[str, FieldExpected]) -> None:
    """Take from each field the names that pydantic takes for another field."""
    owners = {spelling: field for field in fields.values() for spelling in field.accepted}
    for field in fields.values():
        field.names = tuple(name for name in field.names if owners.get(name, field) is field)


def schemas_in(core_schema: object) -> Iterator[tuple[Schema, Schema]]:
    """Every schema and every field inside a core schema, each with the config that holds there.

    Example:
        >>> [schema["type"] for schema, _ in schemas_in({"type": "list", "items_schema": {"type": "int"}})]
        ['list', 'int']
    """
    waiting: list[tuple[object, Schema]] = [(core_schema, _NOTHING)]
    while waiting:
        found, config = waiting.pop()
        if is_sequence(found):
            waiting += [(part, config) for part in found]
        elif is_mapping(found):
            schema = cast("Schema", found)
            if "type" not in schema or not isinstance(schema["type"], str):  # a table of schemas: by field or tag
                waiting += [(part, config) for part in schema.values()]
                continue
            own = cast("Schema | None", schema.get("config"))
            config = own or (_NOTHING if schema["type"] in ("model", "dataclass") else config)
            yield schema, config
            waiting += [(schema[key], config) for key in PARTS if key in schema]


PARTS = (
    "schema", "items_schema", "keys_schema", "values_schema", "extras_schema", "extras_keys_schema", "lax_schema",
    "strict_schema", "json_schema", "python_schema", "choices", "steps", "fields", "definitions", "arguments_schema",
    "var_args_schema", "var_kwargs_schema",
)  # fmt: skip

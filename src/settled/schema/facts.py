"""`Facts`: which guards a type can need, and what may be said of its values, found once a type from its core schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import cast

from .expected import Expected, Facts, parts_of, places_of
from .reading import SCALARS, Schema, schemas_in


def facts_of(expected: Expected, core_schema: object) -> Facts:
    """The facts of one type, from what it takes and from its core schema.

    Example:
        >>> from pydantic import TypeAdapter
        >>> from settled.schema.reading import expected_of
        >>> schema = TypeAdapter(dict[str, float]).core_schema
        >>> found = facts_of(expected_of(schema, "prices"), schema)
        >>> found.has_objects, found.has_floats, found.has_decimals, found.plain
        (True, True, False, True)
    """
    places = list(places_of(expected))
    kinds = {place.kind for place in places}
    alone = [expected, *(part for place in places for part in parts_of(place))]
    # The members of a union share one place of the payload.
    groups = [place.members for place in places] + [(place,) for place in alone]
    parts = [part for part, _ in schemas_in(core_schema)]
    objects = list({id(place.fields): place for place in places if place.kind == "object"}.values())
    return Facts(
        has_objects=not kinds.isdisjoint({"object", "map"}) or any(part.get("type") in _OPEN for part in parts),
        has_numbers=any(any(map(_takes_numbers, group)) and not any(map(_takes_booleans, group)) for group in groups),
        has_decimals="decimal" in kinds,
        has_floats=any(place.kind == "number" and not place.allows_non_finite for place in places),
        has_times=not kinds.isdisjoint({"date", "datetime", "time", "duration"}),
        has_text=not kinds.isdisjoint({"text", "choice"}),
        has_booleans="boolean" in kinds,
        plain=all(map(_is_plain, parts)),
        sure=all(map(_is_sure, parts)),
        keys=frozenset(key for place in objects for field in place.fields.values() for key in field.accepted),
        hides=any(map(_hides, parts)),
        collides=_collides(objects),
    )


_PURE = (None, list, dict, set, frozenset, tuple, str, int, float, bool)  # factories that do nothing else, so may run twice
_SHORT = 3  # letters of names that nobody compares
_HIDING = frozenset({"call", "named-tuple", "arguments", "arguments-v3", "generator"})
_OPEN = _HIDING | {"any", "function-plain"}
_SCALAR = frozenset({*SCALARS, "bytes", "uuid", "url", "multi-host-url", "enum", "literal", "complex"})
_JOINTS = frozenset({
    "any", "nullable", "union", "default", "lax-or-strict", "json-or-python", "function-after", "function-before",
    "function-wrap",
})  # fmt: skip
# What strict mode judges by the kind of the JSON value alone. Not a union, a choice of numbers (pydantic takes true and 1.0 for 1
# also in strict mode, as of 2.14), a function (it would run twice where lax mode has to be asked as well), nor JSON in a text.
_SURE = frozenset({
    "none", "bool", "int", "float", "decimal", "str", "bytes", "date", "time", "datetime", "timedelta", "uuid", "url",
    "multi-host-url", "literal", "enum", "any", "list", "set", "frozenset", "tuple", "dict", "nullable", "default",
    "tagged-union", "model", "model-fields", "model-field", "dataclass", "dataclass-args", "dataclass-field",
    "typed-dict", "typed-dict-field", "definitions", "definition-ref", "computed-field",
})  # fmt: skip
_UNPLAIN = frozenset({"dataclass", "set", "frozenset", "json", "call", "named-tuple", "generator"})
_MARKS = (
    "serialization", "computed_fields", "serialization_exclude", "serialization_exclude_if", "custom_init", "post_init",
    "root_model",
)  # fmt: skip


def _takes_numbers(place: Expected) -> bool:
    return place.kind in ("integer", "number", "decimal") or any(type(choice.value) in (int, float) for choice in place.choices)


def _takes_booleans(place: Expected) -> bool:
    return place.kind == "boolean" or any(type(choice.value) is bool for choice in place.choices)


def _is_plain(schema: Schema) -> bool:
    kind = cast("str", schema.get("type", ""))
    if kind in _UNPLAIN or kind.startswith("function-") or any(schema.get(mark) for mark in _MARKS):
        return False
    if kind == "enum":
        return not _makes_up_members(schema)
    return schema.get("validation_alias") == schema.get("serialization_alias")


def _is_sure(schema: Schema) -> bool:
    kind = schema.get("type")
    if kind not in _SURE or any(schema.get(mark) for mark in ("custom_init", "post_init")):
        return False
    if kind == "default":
        return schema.get("on_error", "raise") == "raise" and schema.get("default_factory") in _PURE
    if kind == "literal":
        return all(value is None or type(value) is str for value in cast("Sequence[object]", schema["expected"]))
    if kind == "enum":
        members = cast("Sequence[Enum]", schema["members"])
        return all(type(member.value) is str for member in members) and not _makes_up_members(schema)
    return True


def _hides(schema: Schema) -> bool:
    kind, metadata = schema.get("type"), cast("Schema", schema.get("metadata") or {})
    # What an annotation says of a scalar, such as the version of a UUID, makes no container of it.
    annotated = bool(metadata.get("pydantic_js_annotation_functions")) and (kind == "any" or not _holds_none(schema))
    # A type that is all code, such as an address of pydantic's, has the JSON Schema that its class writes for it.
    writers = cast("Sequence[object]", metadata.get("pydantic_js_functions", ())) if kind == "function-plain" else ()
    written = any(not getattr(writer, "__module__", "").startswith("pydantic.") for writer in writers)
    return annotated or written or kind in _HIDING or not _holds_none(schema.get("json_schema_input_schema"))


def _holds_none(core_schema: object) -> bool:
    """No part of it is a list, a map or an object."""
    return all(part.get("type") in _SCALAR or part.get("type") in _JOINTS for part, _ in schemas_in(core_schema))


def _makes_up_members(enum: Schema) -> bool:
    """It takes other values than those of its members, by code of the user's."""
    return any(base is not Enum and "_missing_" in vars(base) for base in cast("type[Enum]", enum["cls"]).__mro__)


def _collides(objects: Sequence[Expected]) -> bool:
    keys: dict[str, set[str]] = {}
    for place in objects:
        for field in place.fields.values():
            for key in field.accepted:
                keys.setdefault(_blurred(key), set()).add(key)
    for place in objects:
        accepted = {key for field in place.fields.values() for key in field.accepted}
        names = {_blurred(name) for field in place.fields.values() for name in (*field.names, *field.accepted)}
        if any(keys.get(name, accepted) - accepted for name in names):
            return True
        others = [blurred for blurred, spelled in keys.items() if not spelled & accepted]
        if any(_is_near(name, other) for name in names for other in others):
            return True
    return False


def _is_near(one: str, other: str) -> bool:
    """Whether two names may differ by one slip. More are called so than are: then an object is only looked at more closely."""
    return max(len(one), len(other)) > _SHORT and abs(len(one) - len(other)) <= 1 and len({*one} ^ {*other}) <= 2


def _blurred(key: str) -> str:
    return re.sub(r"[_\-\s*`]", "", key.casefold())

"""`Encoding`: how a schema that was sent spells what its dialect has no words for, so that a reply can be read back.

a map            a list of objects with `key` and `value`
a tuple          an object with `item_0`, `item_1` and so on
an absent field  null, in a schema that makes every field required
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from ..vocabulary.narrowing import is_list, is_object
from .expected import Expected, FieldExpected

MAP_KEY, MAP_VALUE = "key", "value"
"""The keys of one entry of a map."""


class Encoding(NamedTuple):
    """Which of the spellings a schema asked for. A reply that spells such a part plainly is read as well."""

    maps: bool = False
    """Maps are lists of entries."""
    tuples: bool = False
    """Tuples are objects."""
    nulls: bool = False
    """A field that may be absent is null."""


PLAIN = Encoding()
"""Everything is spelled as pydantic takes it."""


def item_key(place: int) -> str:
    """The key of one place of a tuple.

    Example:
        >>> item_key(0)
        'item_0'
    """
    return f"item_{place}"


def encoded(plain: object, expected: Expected, encoding: Encoding) -> object:
    """JSON data, as pydantic dumps it, spelled as an encoding asks; what has another shape than expected stays as it is.

    Example:
        >>> from settled.schema.target import OutputTarget
        >>> encoded({"a": 1}, OutputTarget(dict[str, int]).expected, Encoding(maps=True))
        [{'key': 'a', 'value': 1}]
    """
    if is_object(plain):
        place = _member(expected, "object", plain) or _member(expected, "map", plain)
        if place is None:
            return plain
        if place.kind == "object":
            return _encoded_fields(plain, place, encoding)
        item = place.item or Expected()
        values = {key: encoded(value, item, encoding) for key, value in plain.items()}
        return [{MAP_KEY: key, MAP_VALUE: value} for key, value in values.items()] if encoding.maps else values
    if is_list(plain):
        place = _member(expected, "list", plain)
        if place is None:
            return plain
        items = [*place.prefix, *[place.item or Expected()] * (len(plain) - len(place.prefix))]
        inside = [encoded(value, item, encoding) for value, item in zip(plain, items, strict=False)]
        is_tuple = encoding.tuples and place.prefix and place.item is None
        return {item_key(number): value for number, value in enumerate(inside)} if is_tuple else inside
    return plain


def _encoded_fields(plain: Mapping[object, object], place: Expected, encoding: Encoding) -> object:
    fields: Mapping[object, FieldExpected] = cast("Mapping[object, FieldExpected]", place.fields)
    given = {key: encoded(value, fields[key].expected, encoding) if key in fields else value for key, value in plain.items()}
    if not encoding.nulls:
        return given
    absent = [key for key, field in fields.items() if key not in plain and not field.required]
    return {**given, **dict.fromkeys(absent)}


def _member(expected: Expected, kind: str, plain: Mapping[object, object] | list[object]) -> Expected | None:
    """The place itself, or the member of the union there, that a value of one kind is for."""
    while expected.kind == "union" and expected.tag is not None and is_object(plain):
        tag = plain.get(expected.tag)
        chosen = expected.tagged.get(tag if isinstance(tag, str) else str(tag))
        if chosen is None:
            break
        expected = chosen
    members = [place for place in _flat(expected) if place.kind == kind]
    return max(members, key=lambda place: _fit(place, plain), default=None)


def _flat(expected: Expected) -> list[Expected]:
    found: list[Expected] = []
    waiting = [expected]
    while waiting:
        place = waiting.pop(0)
        if place.kind == "union":
            waiting = [*place.members, *waiting]
        else:
            found.append(place)
    return found


def _fit(place: Expected, plain: Mapping[object, object] | list[object]) -> tuple[bool, ...] | tuple[int, ...]:
    """The better the greater: of objects, that no choice is missed, no key missing, and few unknown; of tuples, their length."""
    if isinstance(plain, list):
        return (len(place.prefix) == len(plain) or (place.item is not None and len(place.prefix) <= len(plain)),)
    if place.kind == "map":
        return (0,)
    known = [key for key in plain if key in place.fields]
    missed = [key for key in known if not _may_be(place.fields[cast("str", key)].expected, plain[key])]
    missing = [key for key, field in place.fields.items() if field.required and key not in plain]
    return (-len(missed), -len(missing), len(known) - len(plain), len(known))


def _may_be(place: Expected, value: object) -> bool:
    return place.kind != "choice" or value is None or any(choice.value == value for choice in place.choices)

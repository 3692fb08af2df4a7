"""What is known of a schema that was sent: its losses, and its `Encoding`, which is how it spells what its dialect has no words
for, so that a reply can be read back.

a map            a list of objects with `key` and `value`
a tuple          an object with `item_0`, `item_1` and so on
an absent field  null, in a schema that makes every field required
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, cast

from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_list, is_object
from .expected import Expected, FieldExpected, Kind

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


PLAIN_DIALECT = "plain"
"""The dialect of fakes, and of servers that take all of JSON Schema: what pydantic writes."""
PLAIN = Encoding()
"""Everything is spelled as pydantic takes it."""


class Loss(NamedTuple):
    """Something that a schema can no longer say.

    Example:
        >>> Loss("$.age", "constraint", "minimum=1 is said in the description only").path
        '$.age'
    """

    path: str
    """Where, as in ``$.parcels[].kg``; ``.*`` is any key of a map."""
    kind: Literal["shape", "constraint"]
    """A lost shape lets through what cannot be read; a lost constraint is checked when the reply is validated."""
    what: str
    """The keyword, and what became of it."""


class SentSchema(NamedTuple):
    """A schema as it is sent.

    Example:
        >>> from settled.schema.target import OutputTarget
        >>> OutputTarget(dict[str, int]).sent("openai", strict=None).strict
        True
    """

    json_schema: JsonObject
    """In the dialect of the server."""
    strict: bool
    """Whether the server may be told to hold the reply to it."""
    losses: tuple[Loss, ...]
    """What it does not say; where strict was turned off for it, what strict would have lost."""
    encoding: Encoding
    """How it spells maps, tuples and what is absent."""
    limits: tuple[str, ...]
    """The limits that it is over, or that strict was turned off for."""


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
        place = _member(expected, plain, "object", "map")
        if place is None:
            return plain
        if place.kind == "object":
            return _encoded_fields(plain, place, encoding)
        item = place.item or Expected()
        values = {key: encoded(value, item, encoding) for key, value in plain.items()}
        return [{MAP_KEY: key, MAP_VALUE: value} for key, value in values.items()] if encoding.maps else values
    if is_list(plain):
        place = _member(expected, plain, "list")
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
    absent = {key: _absent(field.expected) for key, field in fields.items() if key not in plain and not field.required}
    return {**given, **absent}


def _absent(place: Expected) -> object:
    """Null for what is not given; but what can only be one thing, such as a tag, is that thing."""
    return place.choices[0].value if len(place.choices) == 1 and not place.nullable and place.kind == "choice" else None


def _member(expected: Expected, plain: Mapping[object, object] | list[object], *kinds: Kind) -> Expected | None:
    """The place itself, or the member of the union there, of some kinds, that a value is for."""
    while expected.kind == "union" and expected.tag is not None and is_object(plain):
        tag = plain.get(expected.tag)
        chosen = expected.tagged.get(tag if isinstance(tag, str) else str(tag))
        if chosen is None:
            break
        expected = chosen
    members = [place for place in _flat(expected) if place.kind in kinds]
    return max(members, key=lambda place: _fit(place, plain), default=None)


def _flat(expected: Expected) -> Iterator[Expected]:
    """The members of a union, and of the unions in it; or the place alone."""
    if expected.kind != "union":
        yield expected
    for member in expected.members if expected.kind == "union" else ():
        yield from _flat(member)


def _fit(place: Expected, plain: Mapping[object, object] | list[object]) -> tuple[bool, int, int, bool]:
    """How well a member of a union fits: that it takes the value, and of objects, how few keys are missing and unknown."""
    missing = sum(field.required and key not in plain for key, field in place.fields.items())
    unknown = sum(key not in place.fields for key in plain) if place.kind == "object" and is_object(plain) else 0
    return _takes(place, plain, _DEEPEST), -missing, -unknown, place.kind == "object"


def _takes(place: Expected, value: object, depth: int) -> bool:
    """Whether a dumped value can be one of a place, as far as kinds tell, and down to some depth."""
    if value is None or place.kind == "opaque" or depth == 0:
        return place.nullable or place.kind == "opaque" or depth == 0
    if place.kind == "union":
        return any(_takes(member, value, depth) for member in place.members)
    if place.kind == "choice":
        return any(type(choice.value) is type(value) and choice.value == value for choice in place.choices)
    if is_list(value):
        rest = len(value) - len(place.prefix)
        items = [*place.prefix, *([place.item] * rest if place.item else ())]
        pairs = zip(items, value, strict=False)
        return place.kind == "list" and len(items) == len(value) and all(_takes(*pair, depth - 1) for pair in pairs)
    if is_object(value):
        fields: Mapping[object, FieldExpected] = cast("Mapping[object, FieldExpected]", place.fields)
        item = place.item or Expected()
        if place.kind == "map":
            return all(_takes(item, part, depth - 1) for part in value.values())
        known = all(_takes(fields[key].expected, part, depth - 1) for key, part in value.items() if key in fields)
        return place.kind == "object" and known and not any(field.required and key not in value for key, field in fields.items())
    return place.kind in _KINDS[type(value)]


_DEEPEST = 4  # levels that are looked at to tell members of a union apart: all of them would take exponential time
_TEXTS: frozenset[Kind] = frozenset({"text", "decimal", "date", "datetime", "time", "duration"})
_KINDS: Mapping[type, frozenset[Kind]] = {
    str: _TEXTS, bool: frozenset({"boolean"}), int: frozenset({"integer", "number"}), float: frozenset({"number"}),
}  # fmt: skip

"""What the guards of the strict path must watch for in texts of one type, found once a type.

Read it beside `screen`, which asks these questions of each text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..schema.expected import Expected, FieldExpected, places_of
from ..schema.target import OutputTarget
from .audit import Audit, audit_of
from .keys import normal_key
from .watching import Watch, both, watch_of
from .wrappers import CALL_KEYS, WRAPPING

# A key that JSON writes in one way, but for escapes of ASCII characters, which `screen` looks for.
_PLAIN_KEY = re.compile(r"[ !#-.0-\[\]-~]*")
# Behind a key, where strict mode took the text: digits alone, a span of hours that would be an odd offset, or a list of whatever.
_NO_MOMENT = r'\s*:\s*(?:\[|"\s*(?:[+\-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*)?"|"[^"]{10} [0-9]{2}:[0-9]{2} ?-)'
_MOST_SIGNS = 8
_LOOSE_KINDS = frozenset(("list", "map", "union"))
_MOMENTS = frozenset(("date", "datetime", "time"))
_NUMBERS = frozenset(("integer", "number", "decimal", "choice"))


class Suspects(NamedTuple):
    """What a type must watch."""

    watches: dict[str, Watch]
    """What to ask of the value under a key."""
    texts: bool
    """A text may be the blank of a template."""
    numbers: bool
    """A boolean may pass for a number."""
    floats: bool
    """NaN and infinities may pass for numbers."""
    decimals: bool
    """Decimals must keep their digits."""
    moments: bool
    """Numbers and digits may pass for a moment."""
    maps: bool
    """A key may be an elision."""
    priced: re.Pattern[str] | None
    """A fraction behind the key of a Decimal, where every Decimal has a key that nothing else has."""
    quotable: bool
    """A number in quotes is taken as the number everywhere: nothing is strict, unknown, or a choice of types."""
    moment_signs: tuple[re.Pattern[str], ...]
    """For each key of a moment, what must not stand behind it; none where there are too many keys to look for."""
    opaque: bool
    """Some part is not known: anything may stand in it."""
    loose_numbers: bool
    """Numbers stand in lists or maps, or at the root: they have no key of their own."""
    loose_integers: bool
    """Integers do."""
    mapped_numbers: bool
    """Numbers are the values of a map."""
    loose_moments: bool
    """Moments do."""
    has_objects: bool
    """Some part is an object or map."""
    has_fields: bool
    """Some object has fields, so that a key can be a near miss."""
    known: frozenset[str]
    """The keys that pydantic takes."""
    near: frozenset[str]
    """The keys of the type as they are compared, and those that wrap payloads."""
    spellings: tuple[frozenset[str], ...]
    """Keys that pydantic takes for one and the same field: given together, they may disagree."""
    careful: bool
    """An object may be taken although none of its keys is a field of it, or a key may be a near miss in another object."""
    hollow: bool
    """An object requires nothing: it could be taken without any of its keys."""
    objects: tuple[frozenset[str], ...]
    """The keys of each object, where a union without tags chooses between some."""
    endless: bool
    """A list or map holds itself without an object in between: it has no end of places to watch."""
    free_extras: bool
    """Keys that are no field have a type of their own: only strict mode tells what was taken for it."""
    merges_keys: bool
    """Two keys of a text may be one of a map."""
    by_object: bool
    """Which keys stand together in an object matters, not only which stand anywhere."""
    audit: Audit | None
    """Counts the keys that a value was made of; None where only shapes tell."""


@lru_cache(maxsize=256)
def suspects_of(target: OutputTarget[object]) -> Suspects:
    """What texts of a type are asked for.

    Example:
        >>> suspects = suspects_of(OutputTarget(dict[str, int]))
        >>> suspects.numbers, suspects.moments, suspects.has_fields
        (True, False, False)
    """
    facts = target.facts
    places = list(places_of(target.expected))
    endless = any(map(_holds_itself, places))
    objects = list({id(place.fields): place for place in places if place.kind == "object"}.values())
    fields = [field for place in objects for field in place.fields.values()]
    loose = [part for place in places for part in _loose_parts(place)] + [target.expected]
    opaque = any(place.kind == "opaque" for place in places)
    open_ended = any(place.extra == "allow" for place in objects)
    hollow = any(not any(field.required for field in place.fields.values()) for place in objects)
    spellings = tuple(frozenset(field.accepted) for field in fields if len(field.accepted) > 1)
    wraps = any(normal_key(key) in CALL_KEYS for key in facts.keys) and len(objects) > 1
    careful = facts.collides or wraps or (bool(objects) and (opaque or (hollow and len(objects) > 1)))
    chosen = tuple(map(_keys_of, objects)) if any(_chooses(place) for place in places) else ()
    return Suspects(
        watches={} if endless else _watches(fields),
        texts=facts.has_text,
        numbers=facts.has_numbers,
        floats=facts.has_floats,
        decimals=facts.has_decimals,
        moments=any(_may_be(place, _MOMENTS) for place in places),
        priced=_priced(places, fields, loose),
        quotable=not any(place.kind in ("opaque", "union") or place.strict for place in places),
        maps=any(place.kind == "map" for place in places),
        moment_signs=_moment_signs(_keys_for(fields, _MOMENTS)),
        opaque=opaque,
        loose_numbers=any(_may_be(part, _NUMBERS) for part in loose),
        loose_integers=any(_may_be(part, frozenset(("integer",))) for part in loose),
        mapped_numbers=not endless and any(map(_maps_numbers, places)),
        loose_moments=any(_may_be(part, _MOMENTS) for part in loose),
        has_objects=bool(objects) or opaque or any(place.kind == "map" for place in places),
        has_fields=bool(objects),
        known=facts.keys,
        near=frozenset(normal_key(name) for field in fields for name in field.names) | WRAPPING,
        spellings=spellings,
        careful=careful,
        hollow=hollow,
        objects=chosen,
        by_object=bool(spellings or hollow or chosen or careful),
        endless=endless,
        free_extras=any(place.kind == "object" and place.item is not None for place in places),
        merges_keys=any(place.merges_keys for place in places),
        audit=audit_of(target.expected) if facts.plain and not (open_ended or opaque or endless) else None,
    )


def _watches(fields: list[FieldExpected]) -> dict[str, Watch]:
    """What to ask of the value under each key, whichever object it stands in."""
    found: dict[str, Watch] = {}
    for field in fields:
        for key in field.accepted:
            watch = both(found.get(key), watch_of(field.expected))
            if watch is not None:
                found[key] = watch
    return found


def _maps_numbers(place: Expected) -> bool:
    return place.kind == "map" and place.item is not None and watch_of(place.item) is not None


def _holds_itself(place: Expected) -> bool:
    """Whether a list, map or union leads back to itself without an object in between."""
    if place.kind not in _LOOSE_KINDS:
        return False
    seen: set[int] = set()
    waiting = [*_within(place)]
    while waiting:
        part = waiting.pop()
        if part is place:
            return True
        if part.kind in _LOOSE_KINDS and id(part) not in seen:
            seen.add(id(part))
            waiting += _within(part)
    return False


def _within(place: Expected) -> list[Expected]:
    return [*place.members, *place.prefix, *([] if place.item is None else [place.item])]


def _priced(places: list[Expected], fields: list[FieldExpected], loose: list[Expected]) -> re.Pattern[str] | None:
    """A fraction behind the key of a Decimal; None where a Decimal has no key, or one that is no plain word or not its own."""
    if any(place.kind in ("map", "opaque", "union") or place.strict or place.extra == "allow" for place in places):
        return None
    decimal = frozenset(("decimal",))
    keys = _keys_for(fields, decimal)
    others = {key for field in fields if not _may_be(field.expected, decimal) for key in field.accepted}
    if not keys or keys & others or any(_may_be(part, decimal) for part in loose):
        return None
    if not all(map(_PLAIN_KEY.fullmatch, keys)):  # another key could be written with escapes
        return None
    any_key = "|".join(map(re.escape, sorted(keys)))
    return re.compile(rf'("(?:{any_key})"[ \t\r\n]*:[ \t\r\n]*)(-?(?:0|[1-9][0-9]*)\.[0-9]+)(?=[ \t\r\n]*[,}}])')


def _keys_for(fields: list[FieldExpected], kinds: frozenset[str]) -> set[str]:
    return {key for field in fields if _may_be(field.expected, kinds) for key in field.accepted}


def _moment_signs(keys: set[str]) -> tuple[re.Pattern[str], ...]:
    """One expression a key, with the key in front, as that is found quickly; none where a key has more spellings than one."""
    if len(keys) > _MOST_SIGNS or not all(map(_PLAIN_KEY.fullmatch, keys)):
        return ()
    return tuple(re.compile(re.escape(f'"{key}"') + _NO_MOMENT) for key in sorted(keys))


def _keys_of(place: Expected) -> frozenset[str]:
    return frozenset(key for field in place.fields.values() for key in field.accepted)


def _chooses(place: Expected) -> bool:
    """A union without a tag between objects."""
    return place.kind == "union" and place.tag is None and sum(member.kind == "object" for member in place.members) > 1


def _loose_parts(place: Expected) -> list[Expected]:
    """Places inside one that have no key of a field."""
    parts = list(place.prefix) if place.kind == "list" else []
    return parts if place.item is None else [*parts, place.item]


def _may_be(expected: Expected, kinds: frozenset[str]) -> bool:
    """Whether a place takes one of the kinds, perhaps among others: then nothing is certain."""
    members = expected.members if expected.kind == "union" else (expected,)
    return any(member.kind in kinds for member in members)

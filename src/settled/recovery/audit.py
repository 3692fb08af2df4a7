"""Auditing a value: how many keys it was made of, and whether a number in it is none.

Only types that dump as they were written are audited (`Facts.plain`): models and TypedDicts, in lists and maps. One closure for
each place, built once a type. What else may hold objects has no audit, and neither has anything around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from operator import attrgetter
from typing import TypeAlias, cast

from ..schema.expected import Expected

Audit: TypeAlias = Callable[[object], int]
"""How many keys a value of one place was made of; a number beyond all counts when something in it is suspect."""

SUSPECT = 1 << 60
"""Added to the count of keys by a suspect number."""

_CONTAINERS = frozenset(("object", "map", "list", "union", "opaque"))
_held: Callable[[object], dict[str, object]] = attrgetter("__dict__")
_given: Callable[[object], set[str]] = attrgetter("__pydantic_fields_set__")


class _Unaudited(Exception):
    """A place may hold objects in a way that is not counted."""


def audit_of(expected: Expected) -> Audit | None:
    """A function that audits; None for a type whose values are not audited.

    Example:
        >>> from settled.schema.target import OutputTarget
        >>> audit = audit_of(OutputTarget(dict[str, list[float]]).expected)
        >>> audit({"a": [1], "b": []}), audit({"a": [float("nan")]}) >= SUSPECT
        (2, True)
    """
    try:
        return _audit(expected, {}) or _nothing
    except _Unaudited:
        return None


def _nothing(value: object) -> int:
    return 0


def _number(value: object) -> int:
    """NaN and infinities are no numbers."""
    return 0 if value is None or cast("float", value) - cast("float", value) == 0 else SUSPECT


def _audit(expected: Expected, known: dict[int, Audit]) -> Audit | None:
    """The audit of a place; None where there is nothing to look at."""
    if id(expected) in known:
        return known[id(expected)]
    if expected.kind == "number":
        return None if expected.allows_non_finite else _number
    if expected.kind == "object":
        return _of_object(expected, known)
    if expected.kind == "list":
        parts = [_audit(part, known) for part in (*expected.prefix, expected.item) if part is not None]
        if not any(parts):
            return None
        if len(parts) != 1 or parts[0] is None:
            raise _Unaudited
        flat = _scalars_of(expected.item, known) if expected.item is not None else None
        return _of_list(parts[0]) if flat is None else _of_flat_list(flat)
    if expected.kind == "map":
        return _of_map(None if expected.item is None else _audit(expected.item, known))
    if expected.kind in ("union", "opaque"):
        raise _Unaudited
    return None


def _of_list(item: Audit) -> Audit:
    def audit(value: object) -> int:
        return 0 if value is None else sum(map(item, cast("list[object]", value)))

    return audit


def _scalars_of(item: Expected, known: dict[int, Audit]) -> list[str] | None:
    """The numbers of an object that holds nothing else to look at; None for any other place."""
    if item.kind != "object" or item.nullable:
        return None
    if any(_may_hold_more(field.expected) for field in item.fields.values()):
        return None
    parts = [(field.attribute, _audit(field.expected, known)) for field in item.fields.values()]
    return [name for name, part in parts if part is _number]


def _may_hold_more(place: Expected) -> bool:
    """Anything but a scalar, or a list of scalars in which there is nothing to look at."""
    if place.kind == "list" and not place.prefix and place.item is not None:
        return place.item.kind in _CONTAINERS or place.item.kind == "number"
    return place.kind in _CONTAINERS


def _of_flat_list(numbers: list[str]) -> Audit:
    """The audit of a list of flat objects, column by column: the commonest large payload, at half the time."""

    def audit(value: object) -> int:
        items = cast("Sequence[object]", value or ())
        if not items:
            return 0
        plain = items[0].__class__ is dict
        found = sum(map(len, cast("Sequence[dict[str, object]]", items) if plain else map(_given, items)))
        if not numbers:
            return found
        rows = cast("Sequence[dict[str, object]]", items) if plain else list(map(_held, items))
        for name in numbers:
            try:
                total = sum(cast("list[float]", [row[name] for row in rows if row.get(name) is not None]))
            except TypeError:  # a default that is no number: pydantic does not look at it
                return SUSPECT
            if total - total != 0:
                return SUSPECT
        return found

    return audit


def _of_map(item: Audit | None) -> Audit:
    def audit(value: object) -> int:
        if value is None:
            return 0
        entries = cast("dict[object, object]", value)
        return len(entries) + (0 if item is None else sum(map(item, entries.values())))

    return audit


def _of_object(expected: Expected, known: dict[int, Audit]) -> Audit:
    numbers: list[str] = []
    inside: list[tuple[str, Audit]] = []

    def audit(value: object) -> int:
        if value is None:
            return 0
        if value.__class__ is dict:
            held = cast("dict[str, object]", value)
            given: Sized = held
        else:
            held = value.__dict__
            given = _given(value)
        found = len(given)
        for name in numbers:
            number = cast("float | None", held[name]) if name in cast("set[str]", given) else None
            if number is not None and number - number != 0:
                return SUSPECT
        for name, part in inside:
            if name in cast("set[str]", given):
                found += part(held[name])
        return found

    known[id(expected)] = audit
    for field in expected.fields.values():
        part = _audit(field.expected, known)
        if part is _number:
            numbers.append(field.attribute)
        elif part is not None:
            inside.append((field.attribute, part))
    return audit

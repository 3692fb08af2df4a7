"""What is doubtful about a type before a model ever fills it: sentences for warnings when an agent is made.

Three faults are looked for, and only where they are sure enough not to cry wolf: members of a union that an object cannot tell
apart, unions whose validation takes exponential time, and patterns that do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from .expected import Expected, places_of
from .reading import expected_of, schemas_in

_MANY = 3  # models in a union, from which on trying each at every level is felt
_REMEDY = "give each a Literal tag and a discriminator"


def doubts_of(core_schema: object, name: str) -> tuple[str, ...]:
    """What to warn of, one sentence each; nothing for an ordinary type.

    Example:
        >>> from pydantic import BaseModel, TypeAdapter
        >>> class Crumb(BaseModel):
        ...     trail: list[str] = []
        >>> class Columns(BaseModel):
        ...     cols: list[str] = []
        >>> print(*doubts_of(TypeAdapter(Crumb | Columns).core_schema, "Block"))
        type Block: members Crumb and Columns are not distinguishable: every field has a default; give each a Literal tag and a discriminator
    """  # noqa: E501  # the sentence is one line
    unions = [place for place in places_of(expected_of(core_schema, name)) if _is_open(place)]
    found = [*map(_indistinct, unions), *map(_exponential, unions), *_slow_patterns(core_schema)]
    return tuple(dict.fromkeys(f"type {name}: {doubt}" for doubt in found if doubt))


def _is_open(place: Expected) -> bool:
    """A union in which nothing but the fit decides."""
    return place.kind == "union" and place.tag is None and not place.chosen


def _objects(union: Expected) -> list[Expected]:
    return [member for member in union.members if member.kind == "object"]


def _indistinct(union: Expected) -> str | None:
    """``{}`` fits two members, and no literal that both have tells them apart."""
    loose = [place for place in _objects(union) if not any(field.required for field in place.fields.values())]
    alike = [place for place in loose if any(other is not place and not _told_apart(place, other) for other in loose)]
    return f"members {_listed(alike)} are not distinguishable: every field has a default; {_REMEDY}" if alike else None


def _told_apart(one: Expected, other: Expected) -> bool:
    """Both have a choice under one key, and no value in common."""
    for key, field in one.fields.items():
        if key in other.fields:
            here, there = field.expected.choices, other.fields[key].expected.choices
            if here and there and {choice.spelling for choice in here}.isdisjoint(choice.spelling for choice in there):
                return True
    return False


def _exponential(union: Expected) -> str | None:
    """Many members, of which one leads back to the union: pydantic tries each at every level."""
    objects = _objects(union)
    if len(objects) < _MANY:
        return None
    # An optional union is a copy of the union, and an optional model one of the model: their fields are the same.
    tried = {id(place.fields) for place in objects}
    inside = (place for member in objects for part in _below(member) for place in places_of(part))
    if not any(_is_open(place) and tried <= {id(member.fields) for member in place.members} for place in inside):
        return None
    return f"{_listed(objects)} form an untagged union inside a recursive type, exponential to validate; {_REMEDY}"


def _below(member: Expected) -> list[Expected]:
    return [field.expected for field in member.fields.values()]


def _listed(places: Sequence[Expected]) -> str:
    *names, last = [place.name for place in places]
    return f"{', '.join(names)} and {last}"


def _slow_patterns(core_schema: object) -> list[str]:
    """The patterns for Python's own engine, which backtracks, that nest quantifiers; the default engine takes linear time."""
    found: list[str] = []
    for schema, config in schemas_in(core_schema):
        pattern = schema.get("pattern") if schema["type"] == "str" else None
        engine = schema.get("regex_engine") or config.get("regex_engine")
        if isinstance(pattern, re.Pattern):  # compiled, it runs in the engine that compiled it
            pattern, engine = cast("re.Pattern[str]", pattern).pattern, "python-re"
        if isinstance(pattern, str) and engine == "python-re" and nests_quantifiers(pattern):
            found.append(
                f"the pattern {pattern!r} nests quantifiers, which can take python-re exponential time; "
                "rewrite it, or let the default engine, rust-regex, run it"
            )
    return found


class _Item(NamedTuple):
    """One atom of a pattern, or one group, with its quantifier."""

    needed: tuple[str, ...] = ()
    """Single characters or classes that stand in it exactly once."""
    repeated: tuple[str, ...] = ()
    """Those that may be repeated without bound."""
    loose: bool = False
    """A group of which some alternative would be ambiguous if it were repeated."""


_TOKENS = r"""(?xs)
    (?P<skipped> \(\?[a-zA-Z]+\) | \(\?\#[^)]*\) | \(\?P=\w+\) | \\[AbBZ] | [\^$] )
  | (?P<atom> \\(?:x[0-9a-fA-F]{2} | u[0-9a-fA-F]{4} | U[0-9a-fA-F]{8} | \d{1,3} | N\{[^}]*\} | .)
            | \[\^?\]?(?:\\.|[^\]\\])*\] )
  | (?P<opens> \((?:\?(?:P?<\w+> | <?[=!] | [a-zA-Z-]*: | >))? )
  | (?P<closes> \) )
  | (?P<either> \| )
  | (?P<count> (?:[*+?] | \{(?:\d+(?:,\d*)?|,\d+)\})[?+]? )
  | (?P<one> . )
"""
_PROBES = (*map(chr, range(128)), "é", "中")


def nests_quantifiers(pattern: str) -> bool:
    """Whether a group repeated without bound holds a part repeated without bound, and nothing in it marks where a round ends.

    Example:
        >>> nests_quantifiers("(a+)+$"), nests_quantifiers("[a-z]+(-[a-z]+)*")
        (True, False)
    """
    outside: list[list[list[_Item]]] = []
    group: list[list[_Item]] = [[]]  # its alternatives
    for token in re.finditer(_TOKENS, pattern):
        match token.lastgroup:
            case "atom" | "one":
                group[-1].append(_Item(needed=(token.group(),)))
            case "opens":
                outside.append(group)
                group = [[]]
            case "either":
                group.append([])
            case "closes" if outside:
                closed, group = _closed(group), outside.pop()
                group[-1].append(closed)
            case "count" if group[-1]:
                item = group[-1].pop()
                counted = _counted(item, token.group())
                if item.loose and counted.loose:
                    return True
                group[-1].append(counted)
            case _:
                pass
    return False


def _closed(alternatives: list[list[_Item]]) -> _Item:
    repeated = tuple(atom for items in alternatives for item in items for atom in item.repeated)
    needed = tuple(atom for item in alternatives[0] for atom in item.needed) if len(alternatives) == 1 else ()
    return _Item(needed, repeated, loose=any(map(_is_loose, alternatives)))


def _is_loose(items: list[_Item]) -> bool:
    """Something in it is repeated, and no character that must stand in it is foreign to all that is repeated."""
    repeated = [atom for item in items for atom in item.repeated]
    return bool(repeated) and not any(_is_foreign(atom, repeated) for item in items for atom in item.needed)


def _counted(item: _Item, count: str) -> _Item:
    if len(count) > 1 and count.endswith("+"):  # possessive: it never goes back
        return _Item()
    if count[0] in "*+" or count.rstrip("?").endswith(",}"):
        return _Item((), item.needed + item.repeated, loose=item.loose)
    return _Item((), item.repeated)


def _is_foreign(atom: str, others: Sequence[str]) -> bool:
    try:
        mark, rest = re.compile(atom), [re.compile(other) for other in others]
    except re.error:  # a reference to a group, which may be anything: no reason to warn
        return True
    return not any(mark.fullmatch(probe) and any(other.fullmatch(probe) for other in rest) for probe in _PROBES)

"""What must not stand under a key: which kinds of JSON value, and which texts.

A watch may be wrong on the side of care, and then alignment decides; never on the other. NaN and infinities have signs of their
own in a text, so only their spellings as texts are looked for here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..schema.expected import Expected
from ..vocabulary.narrowing import is_list

_NOT_FINITE_STARTS = frozenset("nNiI+-−∞ \t")
_NONE: frozenset[type] = frozenset()


class Watch(NamedTuple):
    """What to look at under one key."""

    kinds: frozenset[type]
    """Kinds of value that pydantic would take for something else."""
    text: Callable[[str], bool] | None = None
    """Whether a text is one that pydantic would take for something else."""
    item: Watch | None = None
    """The same for each item of a list."""

    def is_suspect(self, value: object) -> bool:
        """Whether a value may have been taken for something else."""
        kind = value.__class__
        if kind in self.kinds:
            return True
        if isinstance(value, str):
            return self.text is not None and self.text(value)
        item = self.item
        return item is not None and is_list(value) and any(map(item.is_suspect, value))


def _may_be_digits(text: str) -> bool:
    """Digits pass for seconds; a day has its dash at the fifth place, a time its colon at the third.

    A span of hours behind a day passes for an odd offset.
    """
    return (text[4:5] != "-" and text[2:3] != ":") or (text[10:11] == " " and text[-6:-5] == "-")


def _has_point(text: str) -> bool:
    """Thousands in some countries, and nothing behind the point in others."""
    return "." in text


def _may_be_not_finite(text: str) -> bool:
    return text[:1] in _NOT_FINITE_STARTS


_MOMENT = Watch(frozenset((bool, int, float)), _may_be_digits)
_LEAVES: Mapping[str, Watch] = {
    "integer": Watch(frozenset((bool, float)), _has_point),
    "number": Watch(frozenset((bool,)), _may_be_not_finite),
    "decimal": Watch(frozenset((bool,))),
    "date": _MOMENT,
    "datetime": _MOMENT,
    "time": _MOMENT,
    "choice": Watch(frozenset((bool, float))),
}


def watch_of(expected: Expected) -> Watch | None:
    """What to ask of the values of a place; None where pydantic takes nothing for something else.

    Example:
        >>> watch = watch_of(Expected("integer"))
        >>> watch.is_suspect(True), watch.is_suspect(7)
        (True, False)
    """
    found: Watch | None = None
    if expected.kind == "list":
        for part in (*expected.prefix, expected.item):
            found = found if part is None else both(found, watch_of(part))
        return None if found is None else Watch(_NONE, item=found)
    if expected.kind == "union":
        for member in expected.members:
            found = both(found, watch_of(member))
        return found
    return _LEAVES.get(expected.kind)


def both(one: Watch | None, other: Watch | None) -> Watch | None:
    """What is suspect to either.

    Example:
        >>> both(watch_of(Expected("integer")), watch_of(Expected("decimal"))).is_suspect(True)
        True
    """
    if one is None or other is None:
        return one or other
    first, second = one.text, other.text
    text = first or second
    if first is not None and second is not None and first is not second:
        text = _either(first, second)
    return Watch(one.kinds | other.kinds, text, both(one.item, other.item))


def _either(first: Callable[[str], bool], second: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: first(text) or second(text)

"""`Encoding`: how a schema that was sent spells what its dialect has no words for, so that a reply can be read back.

a map            a list of objects with `key` and `value`
a tuple          an object with `item_0`, `item_1` and so on
an absent field  null, in a schema that makes every field required
"""

from __future__ import annotations

from typing import NamedTuple

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

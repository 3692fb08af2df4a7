"""`Hint`: which places of a payload hold a choice, so that half of one is not shown for a text that grows."""

from __future__ import annotations

from collections.abc import Iterator

from ..schema.expected import Expected

_Key = frozenset[int]


class Hint:
    """What is expected at one place: all that a type may hold there, since a union is not decided while it arrives.

    Example:
        >>> from typing import Literal
        >>> from settled.schema.target import OutputTarget
        >>> hint = Hint.of(OutputTarget(dict[str, list[Literal["red", "blue"]]]).expected)
        >>> hint.hides, hint.at("any").at(0).hides
        (False, True)
    """

    __slots__ = ("_known", "_longest", "_steps", "hides", "places")
    places: tuple[Expected, ...]

    def __init__(self, places: tuple[Expected, ...], known: dict[_Key, Hint]) -> None:
        """All members of all unions among the places, and the hints that there are already."""
        self.places, self._known = places, known
        self._steps: dict[str | int, Hint | None] = {}
        self._longest = max((len(place.prefix) for place in places), default=0)
        kinds = {place.kind for place in places}
        self.hides: bool = "choice" in kinds and not kinds & {"text", "opaque"}
        """An open string here may be a part of a choice: it is not shown."""

    @classmethod
    def of(cls, expected: Expected) -> Hint:
        """The hint at the root of a type."""
        places = tuple(_members(expected))
        return cls(places, {})

    def at(self, step: str | int) -> Hint | None:
        """The hint one step further; None where nothing is known."""
        step = min(step, self._longest) if isinstance(step, int) else step  # behind a tuple's places all items are alike
        if step not in self._steps:
            found = [place for part in self.places for inner in _inner(part, step) for place in _members(inner)]
            places = tuple({id(place): place for place in found}.values())
            key = frozenset(map(id, places))
            if places and key not in self._known:
                self._known[key] = Hint(places, self._known)
            self._steps[step] = self._known.get(key)
        return self._steps[step]


def _members(place: Expected) -> Iterator[Expected]:
    """A place, or the members of a union there."""
    if place.kind == "union":
        for member in place.members:
            yield from _members(member)
    else:
        yield place


def _inner(place: Expected, step: str | int) -> Iterator[Expected]:
    """What a place expects at one step."""
    if isinstance(step, int):
        if place.kind == "list":
            part = place.prefix[step] if step < len(place.prefix) else place.item
            yield from () if part is None else (part,)
        return
    if place.kind == "object":
        fields = [one for one in place.fields.values() if step in one.names or step in one.accepted]
        yield from (one.expected for one in fields)
        if fields:
            return
    if place.kind in ("object", "map") and place.item is not None:
        yield place.item

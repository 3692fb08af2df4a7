"""Watches: the exact text of the items of a list, or of one part, as they close, so that each is validated once.

Only what is on the way to a watched place costs anything: the places are a tree of steps, and where it ends nobody looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias


class Element(NamedTuple):
    """One item of a watched list.

    Example:
        >>> Element(0, '{"a": 1}').position
        0
    """

    position: int
    """Which one of the list."""
    text: str
    """It, as it was written: valid JSON."""


class Items:
    """Watches one list: its items, each as it closes.

    Example:
        >>> from settled.recovery.drafting import Drafter
        >>> drafter = Drafter()
        >>> items = drafter.items(("a",))
        >>> _ = drafter.feed('{"a": [1.50, [2')
        >>> items.take()
        [Element(position=0, text='1.50')]
    """

    __slots__ = ("_ready", "is_announced", "is_repeated", "path")
    is_announced: bool
    is_repeated: bool

    def __init__(self, path: Sequence[str | int]) -> None:
        """Nothing has come."""
        self.path: tuple[str | int, ...] = tuple(path)
        """Where the list stands."""
        self.forget()

    def forget(self) -> None:
        """What was read was no payload."""
        self._ready: list[Element] = []
        self.is_announced = False
        """The payload is one for certain, so that what is ready may be taken."""
        self.is_repeated = False
        """A key on the way to it came again behind it: `data` goes by the last, but what was taken cannot be taken back. No more
        items come."""

    def give(self, position: int, text: str) -> None:
        """An item is closed."""
        self._ready.append(Element(position, text))

    def take(self) -> list[Element]:
        """The items that closed since it was asked last, in order."""
        if not self._ready or not self.is_announced:
            return []
        ready, self._ready = self._ready, []
        return ready


class Field:
    """Watches one part of any kind.

    Example:
        >>> from settled.recovery.drafting import Drafter
        >>> drafter = Drafter()
        >>> price = drafter.field(("price",))
        >>> _ = drafter.feed('{"price": 1.50')
        >>> before = price.text
        >>> _ = drafter.feed("}")
        >>> before, price.text
        (None, '1.50')
    """

    __slots__ = ("_text", "is_announced", "is_repeated", "path")
    is_announced: bool
    is_repeated: bool

    def __init__(self, path: Sequence[str | int]) -> None:
        """Nothing has come."""
        self.path: tuple[str | int, ...] = tuple(path)
        """Where the part stands."""
        self.forget()

    def forget(self) -> None:
        """What was read was no payload."""
        self._text: str | None = None
        self.is_announced = False
        """The payload is one for certain."""
        self.is_repeated = False
        """A key on the way to it came again behind it: `data` goes by the last, and `text` is the first."""

    def give(self, position: int, text: str) -> None:
        """It is closed."""
        self._text = text

    @property
    def text(self) -> str | None:
        """It, as it was written: valid JSON; None as long as it is not closed."""
        return self._text if self.is_announced else None


Watch: TypeAlias = Items | Field
"""Either kind of watch."""


class Place:
    """A step on the way to what is watched."""

    __slots__ = ("fields", "is_seen", "items", "steps")

    def __init__(self) -> None:
        """Nothing is watched here."""
        self.steps: dict[str | int, Place] = {}
        """The ways on."""
        self.fields: list[Field] = []
        """What watches this part."""
        self.items: list[Items] = []
        """What watches the items of this list."""
        self.is_seen: bool = False
        """Its part has begun."""

    def enter(self) -> None:
        """Its part begins; if it did so before, all that is watched below it was read from what does not count."""
        if self.is_seen:
            self._repeat()
        self.is_seen = True

    def _repeat(self) -> None:
        waiting: list[Place] = [self]
        while waiting:
            place = waiting.pop()
            waiting += place.steps.values()
            if place.is_seen:
                watches: list[Watch] = [*place.fields, *place.items]
                for watch in watches:
                    watch.is_repeated = True

    def add(self, watch: Watch) -> None:
        """Watch a part below this place."""
        place = self
        for step in watch.path:
            place = place.steps.setdefault(step, Place())
        if isinstance(watch, Items):
            place.items.append(watch)
        else:
            place.fields.append(watch)


class Recording:
    """Takes the text of one part, piece by piece."""

    __slots__ = ("pieces", "position", "start", "watch")
    position: int
    start: int
    watch: Watch

    def __init__(self, watch: Watch, position: int, start: int) -> None:
        """The part starts at a place of the piece under way."""
        self.watch, self.position, self.start = watch, position, start
        self.pieces: list[str] = []

    def take(self, text: str, end: int) -> None:
        """Take what has come of it in one piece of text."""
        self.pieces.append(text[self.start : end])
        self.start = end

    def give(self) -> None:
        """It is closed."""
        self.watch.give(self.position, "".join(self.pieces))

"""What the scanner reads: a tree of nodes that know where in the text they stand.

Nodes are plain and mutable, since the scanner fills them while it reads. A number keeps its lexeme, so no digit is lost on a way
through floats; a duplicate key keeps both its members, so nothing is overwritten.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ..vocabulary.issues import Repair


class ObjectNode:
    """An object: its members in the order they were written, duplicates included."""

    __slots__ = ("closed", "end", "members", "noted", "start")
    closed: bool
    end: int
    start: int

    def __init__(self, start: int) -> None:
        """Opened at ``start``, a place in the text in characters."""
        self.start, self.end, self.closed = start, start, False
        self.members: list[Member] = []
        self.noted: tuple[str, ...] = ()
        """Keys that a comment inside it names, and that it therefore may have swallowed."""


class ListNode:
    """A list and its items."""

    __slots__ = ("closed", "end", "items", "start")
    closed: bool
    end: int
    start: int

    def __init__(self, start: int) -> None:
        """Opened at ``start``."""
        self.start, self.end, self.closed = start, start, False
        self.items: list[Node] = []


class StringNode:
    """A quoted text, decoded."""

    __slots__ = ("closed", "doubtful", "end", "start", "text")
    closed: bool
    doubtful: bool
    end: int
    start: int
    text: str

    def __init__(self, text: str, start: int, end: int, *, closed: bool = True, doubtful: bool = False) -> None:
        """From ``start`` to ``end``; ``doubtful`` when its quotes or escapes could also be read in another way."""
        self.text, self.start, self.end, self.closed, self.doubtful = text, start, end, closed, doubtful


class NumberNode:
    """A number, as its digits."""

    __slots__ = ("closed", "end", "lexeme", "start")
    closed: bool
    end: int
    lexeme: str
    start: int

    def __init__(self, lexeme: str, start: int, end: int, *, closed: bool = True) -> None:
        """From ``start`` to ``end``; open when the text ends with it, since it might go on."""
        self.lexeme, self.start, self.end, self.closed = lexeme, start, end, closed


class LiteralNode:
    """``true``, ``false`` or ``null``."""

    __slots__ = ("closed", "end", "start", "value")
    closed: bool
    end: int
    start: int
    value: bool | None

    def __init__(self, value: bool | None, start: int, end: int) -> None:
        """From ``start`` to ``end``; closed, for it cannot go on."""
        self.value, self.start, self.end, self.closed = value, start, end, True


class WordNode:
    """Unquoted text that is no JSON value: it may name a member of a choice, and is no value of anything else."""

    __slots__ = ("closed", "end", "in_brackets", "start", "text")
    closed: bool
    end: int
    in_brackets: bool
    start: int
    text: str

    def __init__(self, text: str, start: int, end: int, *, closed: bool = True, in_brackets: bool = False) -> None:
        """From ``start`` to ``end``; ``in_brackets`` where it stands in the braces or brackets of what looks like JSON."""
        self.text, self.start, self.end, self.closed, self.in_brackets = text, start, end, closed, in_brackets


Node: TypeAlias = ObjectNode | ListNode | StringNode | NumberNode | LiteralNode | WordNode
"""Any node."""


class Member(NamedTuple):
    """One member of an object."""

    key: str
    """Its key, decoded."""
    start: int
    """Where the key starts."""
    node: Node
    """Its value."""


class Document(NamedTuple):
    """One value read from a text."""

    root: Node | None
    """The value; None when there was none to read."""
    end: int
    """Where the text behind it starts."""
    repairs: tuple[Repair, ...] = ()
    """What had to be mended to read it, in order."""
    fault: str | None = None
    """Why it cannot be read, in words for a person; None when the tree is whole, or merely cut."""
    open_at: str | None = None
    """The path of the place that is open where the text ends; None when the root is closed."""
    followed: bool = False
    """Other text follows an open root, such as a closing fence: it was not cut, but left unclosed."""
    ragged: bool = False
    """An open root ends behind a comma, a key or a colon: something was to follow."""
    elided: bool = False
    """The text says itself that something was left out."""
    members: int = 0
    """How many members and items were read before it ended."""
    unscanned: bool = False
    """It is JSON as it stands, and was not scanned: there are no nodes yet."""
    looked_to: int = 0
    """How far the text was looked at, where that is beyond the end: a remark, say, behind which nothing can be read."""

    @property
    def is_whole(self) -> bool:
        """The root was read to its own closing bracket."""
        return self.fault is None and self.open_at is None and not self.elided

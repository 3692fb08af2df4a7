"""`Scanner`: one JSON value out of a text, strict where the text is JSON and tolerant where it is not.

What it mends it records, what it cannot read it names, and it never guesses a value: whether a leaf is open, and whether
something was left out, are facts of the `Document`. All of the text must be known; what arrives is for `growing.py`.

    read -> _run -> one step for each state: key, value, after
                        fast: one expression reads a whole valid member
                        slow: tolerance.py, one mended place at a time
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Literal, TypeAlias, cast

from ..vocabulary.issues import Repair
from .catalogue import MOST_OF_A_CODE, repair_of
from .nodes import Document, ListNode, LiteralNode, Member, Node, NumberNode, ObjectNode, StringNode
from .strings import QUOTES, Sight

State: TypeAlias = Literal["key", "value", "after", "done"]
"""What comes next: a key or the end of the object, a value, or what may follow a value."""

DEEPEST = 200
"""Levels of nesting that are read; deeper payloads are refused, as pydantic's own reader does."""

_QUOTED = r'"([^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*)"'
_KEY = re.compile(rf"[ \t\r\n]*{_QUOTED}[ \t\r\n]*:[ \t\r\n]*")
_ANY_KEY = re.compile(rf"[ \t\r\n]*(?:{_QUOTED}[ \t\r\n]*:|([A-Za-z_][A-Za-z0-9_]*):(?![/:]))[ \t\r\n]*")
_CLOSER = re.compile(r"[ \t\r\n]*([}\]])")
_VALUE = re.compile(
    r"[ \t\r\n]*(?:(?:" + _QUOTED + r"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    r"|(true|false|null)"
    r")[ \t\r\n]*([,}\]])|([{\[]))"
)
_AFTER = re.compile(r"[ \t\r\n]*([,}\]])")
_UNQUOTED, _OPENER = 2, 5  # groups of the expressions above
# Half the time of the constructor, on the path of every member.
_new = cast("Callable[[type[Member], tuple[str, int, Node]], Member]", getattr(tuple, "__new__"))  # noqa: B009
_LITERALS = {"true": True, "false": False, "null": None}


class Scanner:
    """Reads one value.

    Example:
        >>> Scanner('{"a": [1, 25]}').read().root.members[0].node.items[1].lexeme
        '25'
    """

    __slots__ = (
        "_closers", "_counts", "_keys", "_reopened", "_tolerant", "count", "elided", "fault", "followed", "looked_to",
        "open_at", "pos", "ragged", "raw_repairs", "root", "sight", "stack", "state", "text",
    )  # fmt: skip

    elided: bool
    followed: bool
    ragged: bool

    def __init__(self, text: str, start: int = 0, sight: Sight | None = None) -> None:
        """The text, where in it the value starts, and what is known of the text."""
        self.text: str = text
        """All of the text."""
        self.sight: Sight = Sight(text) if sight is None else sight
        """What its strings found out about the text."""
        self.pos: int = start
        """Where reading goes on."""
        self.state: State = "value"
        self.stack: list[ObjectNode | ListNode] = []
        """The open containers, the outermost first."""
        self.root: Node | None = None
        """The value, as far as it is read."""
        self.raw_repairs: list[Repair] = []
        """What was mended."""
        self.fault: str | None = None
        self.followed = self.ragged = self.elided = False
        self.open_at: str | None = None
        self.count: int = 0
        """Members and items read."""
        self.looked_to: int = 0
        """How far remarks between tokens were skipped."""
        self._closers: list[str] = []
        self._keys: list[tuple[str, int]] = []  # the key under way in each open container; of lists a place holder
        self._counts: dict[str, int] = {}
        self._reopened = -1
        self._tolerant = False

    # ------------------------------------------------------------------------------------------------- from outside

    def read(self, tolerance: Callable[[Scanner], None] | None = None) -> Document:
        """Read it.

        Args:
            tolerance: reads what is no JSON; without it, that is a fault.
        """
        self._tolerant = tolerance is not None
        while self.state != "done":
            if not self._read_fast():
                if tolerance is None:
                    self.fail("not valid JSON")
                else:
                    tolerance(self)
        return Document(
            self.root, self.pos, self._told(), self.fault, self.open_at, self.followed, self.ragged, self.elided, self.count,
            looked_to=self.looked_to,
        )  # fmt: skip

    def _told(self) -> tuple[Repair, ...]:
        """The repairs, and for each code of which there were too many one more that counts the rest."""
        more = [
            repair_of(code, after=f"and {count - MOST_OF_A_CODE} more")
            for code, count in self._counts.items()
            if count > MOST_OF_A_CODE
        ]
        return (*self.raw_repairs, *more)

    # ---------------------------------------------------------------------------------------------- reading valid JSON

    def _read_fast(self) -> bool:
        """Read valid members, items and closers as far as they go; whether anything was read.

        The two commonest defects, unquoted keys and trailing commas, are mended here too where tolerance is given: at every
        place, they would make the slow way the usual one.
        """
        text, begun = self.text, self.pos
        pos, state, stack = begun, self.state, self.stack
        key_of = (_ANY_KEY if self._tolerant else _KEY).match
        while True:
            match: re.Match[str] | None = None
            if state == "key":
                match = key_of(text, pos)
                if match is not None:
                    self._take_key(match)
                    pos, state = match.end(), "value"
            if state == "value":
                match = _VALUE.match(text, pos)
            elif state == "after":
                match = _AFTER.match(text, pos)
            if match is None:
                end = self._closed_here(pos) if state != "after" else None
                if end is None:
                    break
                pos, mark = end, ""
            elif match.lastindex == _OPENER:
                if len(stack) >= DEEPEST:
                    break
                pos = match.end()
                state = self.open(match[_OPENER], pos - 1)
                continue
            elif not stack:
                break
            else:
                if state == "value":
                    self._add_scalar(match)
                mark, pos = match[match.lastindex or 0], match.end()
                if mark == ",":
                    state = "value" if stack[-1].__class__ is ListNode else "key"
                    continue
                if mark != self._closers[-1]:
                    pos, state = match.start(match.lastindex or 0), "after"  # the wrong bracket
                    break
                self.close(pos)
            state = "after" if stack else "done"
            if not stack:
                break
        self.pos, self.state = pos, state
        return pos > begun or state == "done"

    def _take_key(self, match: re.Match[str]) -> None:
        group = match.lastindex or 1
        key = match[group]
        self._keys[-1] = (json.loads(f'"{key}"') if "\\" in key else key, match.start(group))
        if group == _UNQUOTED:
            self.mend("key.unquoted", match.start(group), match.end(group))

    def _closed_here(self, pos: int) -> int | None:
        """Where a container ends that closes right behind its opening or a comma; None when it does not."""
        before = self.text[pos - 1] if pos and self.stack else ""
        empty = before in ("[", "{") and self.stack[-1].start == pos - 1
        if not (empty or (self._tolerant and before == ",")):
            return None
        match = _CLOSER.match(self.text, pos)
        if match is None or match[1] != self._closers[-1]:
            return None
        if not empty:
            self.mend("comma.trailing", pos - 1, pos)
        self.close(match.end())
        return match.end()

    def _add_scalar(self, match: re.Match[str]) -> None:
        found = match[1]
        node: Node
        if found is not None:
            start, end = match.span(1)
            node = StringNode(json.loads(f'"{found}"') if "\\" in found else found, start - 1, end + 1)
        elif match[2] is not None:
            node = NumberNode(match[2], *match.span(2))
        else:
            node = LiteralNode(_LITERALS[match[3]], *match.span(3))
        self.count += 1
        top = self.stack[-1]
        if isinstance(top, ObjectNode):
            key, at = self._keys[-1]
            top.members.append(_new(Member, (key, at, node)))
        else:
            top.items.append(node)

    # ------------------------------------------------------------------------------------- what tolerance acts through

    def add(self, node: Node) -> None:
        """A value was read: it goes where it belongs."""
        self.count += 1
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if isinstance(top, ObjectNode):
            key, start = self._keys[-1]
            top.members.append(Member(key, start, node))
        else:
            top.items.append(node)

    def open(self, mark: str, at: int) -> State:
        """A container opens; what comes first in it."""
        node: ObjectNode | ListNode = ListNode(at) if mark == "[" else ObjectNode(at)
        self.add(node)
        self.count -= 1
        self.stack.append(node)
        self._closers.append("]" if mark == "[" else "}")
        self._keys.append(("", at))
        return "value" if mark == "[" else "key"

    def close(self, end: int) -> None:
        """The innermost container closes."""
        node = self.stack.pop()
        node.end, node.closed = end, True
        self._closers.pop()
        self._keys.pop()
        self.count += 1

    def expect(self, closer: str) -> None:
        """The container that just opened closes by another mark."""
        self._closers[-1] = closer

    def become_list(self) -> None:
        """The object that just opened is a list with the brackets of a set."""
        node = ListNode(self.stack[-1].start)
        self.stack[-1] = node
        outer = self.stack[-2]
        if isinstance(outer, ObjectNode):
            outer.members[-1] = outer.members[-1]._replace(node=node)
        else:
            outer.items[-1] = node
        self.state = "value"

    def set_key(self, key: str, start: int) -> None:
        """A key was read."""
        self._keys[-1] = (key, start)

    @property
    def closers(self) -> list[str]:
        """The marks that close what is open, the outermost first."""
        return self._closers

    def mend(self, code: str, start: int, end: int, after: str | None = None) -> None:
        """Record a repair at the place under way."""
        count = self._counts[code] = self._counts.get(code, 0) + 1
        if count <= MOST_OF_A_CODE:
            self.raw_repairs.append(repair_of(code, path=self.path, span=(start, end), before=self.text[start:end], after=after))

    def fail(self, why: str) -> None:
        """What stands here cannot be read."""
        self.fault, self.state = why, "done"

    def fail_deep(self) -> None:
        """The nesting is deeper than anything is read."""
        self.count += 1  # it is no prose
        self.fail(f"nested more than {DEEPEST} levels deep")

    def stop(self, *, ragged: bool) -> None:
        """The text, or the part of it that is the payload, ends before the root is closed."""
        self.open_at, self.ragged, self.state = self.path, ragged, "done"
        for node in self.stack:
            node.end = self.pos

    def reopen(self) -> int | None:
        """Take back the last string, once: where it starts; None when what was read last is none."""
        top = self.stack[-1] if self.stack else None
        last: Node | None = None
        if isinstance(top, ObjectNode) and top.members:
            last = top.members[-1].node
        elif isinstance(top, ListNode) and top.items:
            last = top.items[-1]
        if not isinstance(last, StringNode) or last.start <= self._reopened or self.text[last.start] not in QUOTES:
            return None
        if isinstance(top, ObjectNode):
            member = top.members.pop()
            self._keys[-1] = (member.key, member.start)
        elif isinstance(top, ListNode):
            top.items.pop()
        self.count -= 1
        self._reopened = last.start
        return last.start

    @property
    def path(self) -> str:
        """The path of the place under way."""
        steps = ["$"]
        innermost = self.stack[-1] if self.stack else None
        for node, (key, _) in zip(self.stack, self._keys, strict=True):
            if isinstance(node, ListNode):  # what is open inside a list stands in it already
                steps.append(f"[{len(node.items) - (node is not innermost)}]")
            elif key:
                steps.append(f".{key}" if key.isidentifier() else f"[{key!r}]")
        return "".join(steps)

"""Fields written as text, not as JSON: YAML mappings and lists of them, Markdown lists of fields, ``Title = x``, tables.

`read_fields` takes a whole text or nothing: every line must belong to the fields, save one leading sentence that ends in a colon.
What YAML and Markdown read differently (a comment, an escape, a list of one-key items) is refused, not chosen.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .keys import normal_key
from .nodes import ListNode, Member, Node, ObjectNode, StringNode, WordNode
from .patterns import pattern
from .phrases import ANSWER_WORDS
from .plain_values import Spelling, elided, read_value
from .prose import is_example_marker, is_refusal

_DEPTH = 200
_LONGEST_KEY = 60
_MOST_WORDS = 5
_BULLET = re.compile(r"(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+")
_BLOCK = {"|": ("|", True), "|-": ("|", False), ">": (">", True), ">-": (">", False)}
_RULE_CELL = re.compile(r"[ \t]*:?-+:?[ \t]*")
_LEAD_MARKS = "*_# \t"
_COUNT = r"-?[0-9]+(?:\.[0-9]+)?"
_BLANKS_OF_A_TEMPLATE = ("your ", "insert ", "enter ")


class _Line(NamedTuple):
    """One line that is not blank."""

    column: int
    """Its indentation."""
    start: int
    """Where its content starts, in characters of the text."""
    text: str
    """Its content."""
    row: int
    """Its place among all lines."""


class _Field(NamedTuple):
    """A line read as ``key: value``."""

    key: str
    value: str
    value_at: int
    spelling: Spelling


class _Frame:
    """A mapping or list that may still grow: one more line of its column belongs to it."""

    __slots__ = ("column", "node", "pending")

    def __init__(self, column: int, node: ObjectNode | ListNode) -> None:
        """``pending``: the last member has no value yet, so what is indented below is its value."""
        self.column, self.node, self.pending = column, node, False


class _Unread(Exception):
    """The text is not (only) fields."""


def read_fields(text: str, known: frozenset[str], offset: int, *, any_key: bool = False) -> ObjectNode | ListNode | None:
    r"""The fields of a text, or None when it is anything but fields.

    Args:
        text: The text, without fences.
        known: The keys that are due, each under `normal_key`; at least one of them must occur.
        offset: Where the text stands, added to all places.
        any_key: For a map, which knows no keys: every line must be a word and a number, and there must be two of them.

    Returns:
        An object of `StringNode` for quoted, `WordNode` for unquoted values, and of the objects and lists they form; or a list
        of such objects, where the text is a list of records. Repeated keys stay repeated.

    Example:
        >>> tree = read_fields("Title: Coffee at 10:30\nTags:\n  - bar", frozenset({"title"}), 0)
        >>> [member.key for member in tree.members], tree.members[0].node.text, tree.members[1].node.items[0].text
        (['Title', 'Tags'], 'Coffee at 10:30', 'bar')
        >>> read_fields("Title: Coffee\nI hope this helps!", frozenset({"title"}), 0) is None
        True
    """
    try:
        rows = text.split("\n")
        lines = _without_lead(_lines(rows, offset), known)
        if not lines:
            return None
        tree = _table(lines, known) if lines[0].text.startswith("|") else _Builder(rows, known).build(lines)
    except _Unread:
        return None
    tree.end, tree.closed = offset + len(text), True
    return tree if (_holds_counts(tree) if any_key else _names_any(tree, known)) else None


def _lines(rows: list[str], offset: int) -> list[_Line]:
    """The lines that are not blank; tabs count four columns."""
    lines: list[_Line] = []
    at, tabs, blanks = offset, False, False
    for row, raw in enumerate(rows):
        content = raw.lstrip(" \t")
        indent = raw[: len(raw) - len(content)]
        if content.strip():
            tabs, blanks = tabs or "\t" in indent, blanks or " " in indent
            lines.append(_Line(len(indent.replace("\t", "    ")), at + len(indent), content.rstrip(), row))
        at += len(raw) + 1
    if tabs and blanks:
        raise _Unread
    return lines


def _without_lead(lines: list[_Line], known: frozenset[str]) -> list[_Line]:
    """The lines of the fields: a document marker and one leading sentence or heading are taken off."""
    if lines and lines[0].text == "---":
        lines = lines[1:]
    if len(lines) < 2:
        return lines
    first, second = lines[0], lines[1]
    bare = first.text.strip(_LEAD_MARKS)
    heading = first.text.startswith("#") and first.text.lstrip("#").startswith(" ")
    if not heading and not (bare.endswith((":", "：")) and second.column <= first.column):
        return lines
    if not heading and (_BULLET.match(first.text) or normal_key(bare[:-1]) in known):
        return lines
    if elided(first.text) or is_example_marker(first.text) or is_refusal(first.text):
        raise _Unread
    return lines[1:]


def _field(text: str, at: int, *, bulleted: bool) -> _Field | None:
    """A line as a field; None when it is none."""
    cut = _separator(text)
    if cut is None:
        return None
    where, width = cut
    raw, rest = text[:where], text[where + width :]
    marked = bulleted or text[:1] in "*_`" or text[where] != ":"
    for mark in ("**", "__", "*", "`"):  # `**Title:** x`: the emphasis closes behind the colon
        if raw.startswith(mark) and not raw.endswith(mark) and rest.startswith(mark):
            raw, rest, width = raw + mark, rest[len(mark) :], width + len(mark)
            break
    key = _bare_key(raw.strip())
    if key is None:
        return None
    value = rest.strip()
    return _Field(key, value, at + len(text) - len(rest.lstrip()), "markdown" if marked else "yaml")


def _separator(text: str) -> tuple[int, int] | None:
    """Where the key ends, and how wide the sign behind it is."""
    head = text[: _LONGEST_KEY + 8]
    for place, char in enumerate(head):
        after = text[place + 1 : place + 3]
        if char == "：" or (
            char == ":" and (not after.strip() or after[0] in " \t" or (after[0] in "*_`" and text[0] == after[0]))
        ):
            return place, 1
        if char == "=" and text[place - 1 : place] == " " and after[:1] in (" ", ""):
            return place, 1
    return None


def _bare_key(raw: str) -> str | None:
    """A key without emphasis and quotes; None when it is no key."""
    for mark in ("**", "__", "*", "`", '"', "'"):
        if raw.startswith(mark) and raw.endswith(mark) and len(raw) > 2 * len(mark):
            raw = raw[len(mark) : -len(mark)].strip()
            break
    if not raw or len(raw) > _LONGEST_KEY or len(raw.split()) > _MOST_WORDS or not (raw[0].isalnum() or raw[0] == "_"):
        return None
    return None if any(char in raw for char in "\"'`*{}[]|<>,;!?()") else raw


class _Builder:
    """Builds the tree line by line over a stack of open mappings and lists."""

    def __init__(self, rows: list[str], known: frozenset[str]) -> None:
        """``rows`` are all lines of the text, for block scalars; ``known`` tells fields from sentences."""
        self.rows, self.known = rows, known
        self.stack: list[_Frame] = []
        self.block_until = 0
        self.openings: set[tuple[int, str]] = set()

    def build(self, lines: list[_Line]) -> ObjectNode | ListNode:
        """The tree of all lines."""
        first = lines[0]
        root: ObjectNode | ListNode
        root = ListNode(first.start) if _BULLET.match(first.text) else ObjectNode(first.start)
        self.stack.append(_Frame(first.column, root))
        for place, line in enumerate(lines):
            if line.row < self.block_until:
                continue
            if elided(line.text) or line.text.startswith("#"):
                raise _Unread
            bullet = _BULLET.match(line.text)
            if bullet:
                self._item(line, bullet.end(), grows=place + 1 < len(lines) and lines[place + 1].column > line.column)
            else:
                self._member(line.column, line.text, line.start, line.row, bulleted=False)
            if len(self.stack) > _DEPTH:
                raise _Unread
        _check_lists(root)
        return _flat(root) if isinstance(root, ListNode) else root

    def _item(self, line: _Line, width: int, *, grows: bool) -> None:
        """One item of a list: of the open list of this column, or the first of a list under a key without a value."""
        stack, column = self.stack, line.column
        while stack:
            top = stack[-1]
            if isinstance(top.node, ListNode) and top.column == column:
                break
            if top.pending and column >= top.column and isinstance(top.node, ObjectNode):
                stack.append(_Frame(column, self._fill(top.node, ListNode(line.start))))
                top.pending = False
                break
            if top.column < column:
                raise _Unread
            stack.pop()
        if not stack or not isinstance(items := stack[-1].node, ListNode):
            raise _Unread
        content = line.text[width:]
        field = _field(content, 0, bulleted=True)
        if field is None or (len(stack) > 1 and not grows and self._is_sentence(field, content, items)):
            items.items.append(_value(content, line.start + width, "markdown"))
            return
        item = ObjectNode(line.start + width)
        item.closed = True
        items.items.append(item)
        stack.append(_Frame(column + width, item))
        self._member(column + width, content, line.start + width, line.row, bulleted=True)

    def _is_sentence(self, field: _Field, content: str, items: ListNode) -> bool:
        """Whether an item only looks like a field, as in ``Stir it in: do not boil.``; two that open alike are records."""
        if normal_key(field.key) in self.known:
            return False
        opening = (id(items), normal_key(field.key))
        said = " " in field.key or not field.key[0].islower()
        if not said or not content[0].isalnum() or not field.value or opening in self.openings:
            raise _Unread
        self.openings.add(opening)
        return True

    def _member(self, column: int, text: str, at: int, row: int, *, bulleted: bool) -> None:
        """One member: of the open mapping of this column, or the first of a mapping under a key without a value."""
        stack = self.stack
        while stack:
            top = stack[-1]
            if isinstance(top.node, ObjectNode):
                if top.column == column:
                    break
                if top.pending and column > top.column:
                    stack.append(_Frame(column, self._fill(top.node, ObjectNode(at))))
                    top.pending = False
                    break
            if top.column < column:
                raise _Unread
            stack.pop()
        if not stack or not isinstance(mapping := stack[-1].node, ObjectNode):
            raise _Unread
        field = _field(text, at, bulleted=bulleted)
        if field is None:
            raise _Unread
        if field.value in _BLOCK:
            node: Node = self._block(field, column, row)
        else:
            node = _value(field.value, field.value_at, field.spelling)
        if _is_template(field.key, node):
            raise _Unread
        mapping.members.append(Member(field.key, at, node))
        mapping.end = node.end
        stack[-1].pending = not field.value

    def _block(self, field: _Field, column: int, row: int) -> Node:
        """A block scalar: the more indented lines below its key, as YAML joins them."""
        style, keeps_break = _BLOCK[field.value]
        body: list[str] = []
        margin = -1
        end = row + 1
        for end in range(row + 1, len(self.rows) + 1):
            raw = self.rows[end].rstrip("\r") if end < len(self.rows) else ""
            content = raw.lstrip(" ")
            if not content and end < len(self.rows):
                body.append("")
                continue
            indent = len(raw) - len(content)
            if end == len(self.rows) or indent <= column:
                break
            margin = indent if margin < 0 else margin
            if indent < margin or content.startswith("\t") or (style == ">" and indent > margin):
                raise _Unread
            body.append(raw[margin:])
        self.block_until = end
        breaks = len(body) > len(lines := _trimmed(body)) or end < len(self.rows)
        if not lines or lines[0] == "":
            raise _Unread
        joined = "\n".join(lines) if style == "|" else _folded(lines)
        text = joined + "\n" if keeps_break and breaks else joined
        return StringNode(text, field.value_at, field.value_at + len(field.value))

    def _fill(self, mapping: ObjectNode, node: ObjectNode | ListNode) -> ObjectNode | ListNode:
        """Gives the last member its value."""
        node.closed = True
        mapping.members[-1] = mapping.members[-1]._replace(node=node)
        return node


def _value(text: str, at: int, spelling: Spelling) -> Node:
    """A value, or the end of reading."""
    node = read_value(text, at, spelling)
    if node is None:
        raise _Unread
    return node


def _trimmed(lines: list[str]) -> list[str]:
    """Lines without the empty ones at the end."""
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return lines[:end]


def _folded(lines: list[str]) -> str:
    """Lines joined by blanks; empty lines between them become line breaks."""
    parts: list[str] = []
    for line in lines:
        if not line:
            parts.append("\n")
        elif parts and parts[-1] != "\n":
            parts += (" ", line)
        else:
            parts.append(line)
    return "".join(parts)


def _check_lists(root: Node) -> None:
    """Refuses lists in which some items only look like fields: mixed with plain items, or each with a key of its own."""
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ObjectNode):
            waiting.extend(member.node for member in node.members)
        elif isinstance(node, ListNode):
            waiting.extend(node.items)
            mappings = [item for item in node.items if isinstance(item, ObjectNode)]
            if mappings and len(mappings) != len(node.items):
                raise _Unread
            if (node is not root or _has_records(mappings)) and len({normal_key(item.members[0].key) for item in mappings}) > 1:
                raise _Unread


def _has_records(items: list[ObjectNode]) -> bool:
    """Whether the items of the root are records: several, of which one at least has several fields."""
    return len(items) > 1 and any(len(item.members) > 1 for item in items)


def _flat(root: ListNode) -> ObjectNode | ListNode:
    """A list of fields as one object; a list of records as it is."""
    items = [item for item in root.items if isinstance(item, ObjectNode)]
    if len(items) != len(root.items):
        raise _Unread
    if _has_records(items):
        return root
    fields = ObjectNode(root.start)
    for item in items:
        fields.members += item.members
    return fields


def _is_template(key: str, node: Node) -> bool:
    """Whether a value is a blank to fill in: ``name: [name]``, ``name: [your name]``."""
    inner = node.items[0] if isinstance(node, ListNode) and len(node.items) == 1 else None
    if not isinstance(inner, WordNode):
        return False
    return normal_key(inner.text) == normal_key(key) or inner.text.casefold().startswith(_BLANKS_OF_A_TEMPLATE)


class _Cell(NamedTuple):
    """One cell of a table."""

    text: str
    at: int


def _cells(line: _Line) -> list[_Cell]:
    """The cells of one row."""
    text = line.text
    if len(text) < 2 or not text.startswith("|") or not text.endswith("|") or "\\" in text:
        raise _Unread
    cells: list[_Cell] = []
    at = line.start + 1
    for raw in text[1:-1].split("|"):
        cells.append(_Cell(raw.strip(), at + len(raw) - len(raw.lstrip())))
        at += len(raw) + 1
    return cells


def _table(lines: list[_Line], known: frozenset[str]) -> ObjectNode | ListNode:
    """A Markdown table: fields and their values below a head that names neither, or records below a head of their fields."""
    rows = [_cells(line) for line in lines]
    width = len(rows[0])
    if len(rows) < 3 or any(len(row) != width for row in rows) or not all(map(_is_rule, rows[1])):
        raise _Unread
    head, body = rows[0], rows[2:]
    hits = sum(normal_key(cell.text) in known for cell in head)
    if hits > 1:
        return _records(head, body, known)
    if hits or width != 2:
        raise _Unread
    table = ObjectNode(lines[0].start)
    for name, value in body:
        table.members.append(_cell_member(name, value))
    return table


def _is_rule(cell: _Cell) -> bool:
    """Whether a cell is a part of the line below the head."""
    return _RULE_CELL.fullmatch(cell.text) is not None


def _records(head: list[_Cell], body: list[list[_Cell]], known: frozenset[str]) -> ObjectNode | ListNode:
    """Rows that are records, one alone or a list; refused when the first column may as well name the fields."""
    names = [normal_key(cell.text) for cell in head]
    if len(set(names)) < len(names) or any(normal_key(row[0].text) in known for row in body):
        raise _Unread
    records = ListNode(head[0].at)
    for row in body:
        record = ObjectNode(row[0].at)
        record.members = [_cell_member(name, value) for name, value in zip(head, row, strict=True)]
        record.end, record.closed = record.members[-1].node.end, True
        records.items.append(record)
    first = records.items[0]
    return first if len(body) == 1 and isinstance(first, ObjectNode) else records


def _cell_member(name: _Cell, value: _Cell) -> Member:
    """A field from two cells."""
    key, node = _bare_key(name.text), _value(value.text, value.at, "markdown")
    if key is None or _is_template(key, node):
        raise _Unread
    return Member(key, name.at, node)


def _holds_counts(tree: ObjectNode | ListNode) -> bool:
    """Whether a tree is a map of words to numbers, none of which is a total or a lone answer."""
    if not isinstance(tree, ObjectNode) or len(tree.members) < 2:
        return False
    for key, _, node in tree.members:
        if not isinstance(node, WordNode) or not pattern(_COUNT).fullmatch(node.text):
            return False
        if not key[0].isalpha() or len(key.split()) > 1 or pattern(ANSWER_WORDS).fullmatch(key.casefold()):
            return False
    return True


def _names_any(tree: ObjectNode | ListNode, known: frozenset[str]) -> bool:
    """Whether any key of the tree is a known one."""
    waiting: list[Node] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ObjectNode):
            if any(normal_key(member.key) in known for member in node.members):
                return True
            waiting.extend(member.node for member in node.members)
        elif isinstance(node, ListNode):
            waiting.extend(node.items)
    return False

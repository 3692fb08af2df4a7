"""XML that models write instead of JSON: a payload of elements, and function calls of tags.

A tokenizer of our own, iterative and capped in depth: no entity is ever declared, fetched or expanded beyond the five of XML.
What cannot be kept without loss (text beside elements, attributes beside text) is refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .keys import normal_key
from .nodes import ListNode, Member, Node, ObjectNode, StringNode, WordNode
from .patterns import pattern
from .plain_values import elided

_DEPTH = 200
_BLANK = " \t\r\n"
_NAME = r"[^\W\d][\w.\-]*(?::[\w.\-]+)?"
_TAG = re.compile(rf"<({_NAME})((?:[ \t\r\n]+{_NAME}[ \t\r\n]*=[ \t\r\n]*(?:\"[^\"<]*\"|'[^'<]*'))*)[ \t\r\n]*(/?)>")
_ATTRIBUTE = re.compile(rf"({_NAME})[ \t\r\n]*=[ \t\r\n]*(?:\"([^\"]*)\"|'([^']*)')")
_END_TAG = re.compile(rf"</({_NAME})[ \t\r\n]*>")
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(#?\w{1,31}));")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LEFT_OUT = ("omitted", "more ", "remaining", "truncated", "etc")
_ITEM_TAGS = frozenset({"item", "li", "entry", "element"})
_SINGULARS = {"people": "person", "children": "child"}

_CALL = (
    r"<(?:\w{1,20}:)?(?P<tag>function|invoke)"
    r"(?:=[ \t]*(?P<bare>[\w.\-]{1,100})|[ \t]+name[ \t]*=[ \t]*([\"'])(?P<named>[\w.\-]{1,100})\3)[ \t]*>"
    r"|<(?P<pairs>tool_call)>[ \t\r\n]*(?P<first>[\w.\-]{1,100})(?=[ \t\r\n]*(?:<arg_key>|</tool_call>|<[a-z_/]*\Z|\Z))"
)


class _Form(NamedTuple):
    """One way of writing a call in tags, as the sources of patterns."""

    end: str
    """What closes the call."""
    parameter: str = (
        r"<(?:\w{1,20}:)?parameter"
        r"(?:=[ \t]*(?P<bare>[^<>\n]{1,100})|[ \t]+name[ \t]*=[ \t]*([\"'])(?P<named>[^<>\"'\n]{1,100})\2[^<>\n]{0,100})>"
    )
    """What opens a parameter, and its name: ``named`` where its value is escaped, ``bare`` where it is not."""
    parameter_end: str = r"</(?:\w{1,20}:)?parameter>"
    """What closes a parameter."""
    part: str = r"<(?:\w{1,20}:)?(?:parameter|function|invoke)(?:=|[ \t]+name[ \t]*=)"
    """What opens another parameter or call, so that no value can hold it."""


_FORMS = {
    "function": _Form(r"</(?:\w{1,20}:)?function>"),
    "invoke": _Form(r"</(?:\w{1,20}:)?invoke>"),
    "tool_call": _Form(
        "</tool_call>",
        r"<arg_key>(?P<bare>[^<>\n]{1,100})</arg_key>[ \t\r\n]*<arg_value>",
        "</arg_value>",
        "<(?:arg_key|arg_value|tool_call)>",
    ),
}


class MarkupCall(NamedTuple):
    """One function call written in tags."""

    name: str
    """The function's name."""
    arguments: ObjectNode
    """One member a parameter, its value as the text that was written."""
    closed: bool
    """Every tag of it was closed; if not, the call was cut and its arguments are not to be used."""
    body: WordNode | None = None
    """What stands in the call where it has no parameter tags, such as JSON; None when it has parameters, or nothing."""


class _Open:
    """An element whose end tag has not come yet."""

    __slots__ = ("attributes", "children", "literal", "name", "start", "text", "text_at")

    def __init__(self, name: str, start: int, attributes: list[Member]) -> None:
        """``text`` is decoded, ``literal`` stood in CDATA."""
        self.name, self.start, self.attributes = name, start, attributes
        self.text: list[str] = []
        self.literal: list[str] = []
        self.text_at = start
        self.children: list[Member] = []


class _Unread(Exception):
    """The text is no element, or not one that can be kept without loss."""


def read_markup(text: str, offset: int) -> ObjectNode | ListNode | None:
    """One XML element around the whole text as a tree, or None when the text is anything else.

    Child elements become members; children that are all called alike (or ``item``, ``li``, ``entry``, ``element``, or the
    singular of their parent) become a list. Leaves are `WordNode` (``StringNode`` from CDATA), an empty element is an empty word.

    Args:
        text: The text, without fences.
        offset: Where the text stands, added to all places.

    Example:
        >>> tree = read_markup("<dish><title>Salt &amp; rice</title><tags><tag>quick</tag></tags></dish>", 0)
        >>> tree.members[0].node.text, tree.members[1].node.items[0].text
        ('Salt & rice', 'quick')
        >>> read_markup("<dish><title>Rice</dish>", 0) is None
        True
    """
    try:
        root = _element(text, offset)
    except _Unread:
        return None
    return root if isinstance(root, (ObjectNode, ListNode)) else None


def _element(text: str, offset: int) -> Node:
    """The one element of a text."""
    place = len(text) - len(text.lstrip(_BLANK + "\ufeff"))
    if text.startswith("<?xml", place):
        place = _past(text, "?>", place)
    stack: list[_Open] = []
    root: Node | None = None
    while place < len(text):
        bracket = text.find("<", place)
        bracket = len(text) if bracket < 0 else bracket
        if bracket > place:
            _add_text(stack, text[place:bracket], offset + place)
            place = bracket
        elif text.startswith("<!--", place):
            place = _past_comment(text, place)
        elif text.startswith("<![CDATA[", place) and stack:
            end = _past(text, "]]>", place)
            stack[-1].literal.append(text[place + 9 : end - 3])
            place = end
        elif tag := _END_TAG.match(text, place):
            if not stack or stack[-1].name != tag[1]:
                raise _Unread
            root, place = _close(stack, offset + tag.end()), tag.end()
        elif (tag := _TAG.match(text, place)) and (stack or root is None) and len(stack) < _DEPTH:
            stack.append(_Open(tag[1], offset + place, _attributes(tag, offset)))
            place = tag.end()
            if tag[3]:
                root = _close(stack, offset + place)
        else:
            raise _Unread
    if root is None or stack:
        raise _Unread
    return root


def _past(text: str, end: str, start: int) -> int:
    """The place behind the next ``end``."""
    found = text.find(end, start)
    if found < 0:
        raise _Unread
    return found + len(end)


def _past_comment(text: str, start: int) -> int:
    """The place behind a comment; one that says that data is missing ends the reading."""
    end = _past(text, "-->", start)
    comment = text[start + 4 : end - 3].casefold()
    if elided(comment) or "..." in comment or "…" in comment or any(word in comment for word in _LEFT_OUT):
        raise _Unread
    return end


def _add_text(stack: list[_Open], raw: str, at: int) -> None:
    """Text between tags, decoded; none but blanks may stand outside the root."""
    if stack:
        if not stack[-1].text:
            stack[-1].text_at = at
        stack[-1].text.append(_decoded(raw))
    elif raw.strip(_BLANK):
        raise _Unread


def _decoded(raw: str) -> str:
    """Text without entities: XML's five and numbers. A lone ``&`` is itself; an unknown entity ends the reading."""
    if "&" not in raw:
        return raw
    return _ENTITY.sub(_character, raw)


def _character(entity: re.Match[str]) -> str:
    """What an entity stands for."""
    if entity[3]:
        char = _ENTITIES.get(entity[3])
    else:
        code = int(entity[1]) if entity[1] else int(entity[2], 16)
        legal = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF
        char = chr(code) if legal else None
    if char is None:
        raise _Unread
    return char


def _attributes(tag: re.Match[str], offset: int) -> list[Member]:
    """The attributes of a tag as members."""
    members: list[Member] = []
    for match in _ATTRIBUTE.finditer(tag[2]):
        at = offset + tag.start(2) + match.start()
        value = match[2] if match[2] is not None else match[3]
        end = at + len(match[0])
        members.append(Member(match[1], at, StringNode(_decoded(value), end - len(value) - 1, end)))
    return members


def _close(stack: list[_Open], end: int) -> Node:
    """Takes the innermost element off the stack and hands its node to its parent."""
    element = stack.pop()
    node = _node(element, end)
    if stack:
        stack[-1].children.append(Member(element.name, element.start, node))
    return node


def _node(element: _Open, end: int) -> Node:
    """What an element is: a leaf, a list or an object."""
    text = "".join(element.text)
    attributes, children = element.attributes, element.children
    bare = text.strip(_BLANK)
    if bare or element.literal:
        if attributes or children or (bare and element.literal):
            raise _Unread
        return StringNode("".join(element.literal), element.start, end) if element.literal else _word(text, element.text_at)
    if not attributes and not children:
        return WordNode("", element.start, end)
    tags = {child.key for child in children}
    if not attributes and _is_list(element.name, tags, len(children)):
        items = ListNode(element.start)
        items.items = [child.node for child in children]
        items.end, items.closed = end, True
        return items
    mapping = ObjectNode(element.start)
    mapping.members = attributes + _gathered(children)
    mapping.end, mapping.closed = end, True
    return mapping


def _word(text: str, at: int) -> WordNode:
    """The text of a leaf without the layout around it; lines that are indented together have two readings."""
    bare = text.strip(_BLANK)
    unbroken = text.removeprefix("\n").removesuffix("\n")
    if "\n" in bare and bare not in (text, unbroken):
        raise _Unread
    start = at + len(text) - len(text.lstrip(_BLANK))
    return WordNode(bare, start, start + len(bare))


def _is_list(parent: str, tags: set[str], count: int) -> bool:
    """Whether children of these tags are the items of a list."""
    if len(tags) != 1:
        return False
    tag = normal_key(next(iter(tags)))
    return count > 1 or tag in _ITEM_TAGS or tag in _singulars(normal_key(parent))


def _singulars(plural: str) -> set[str]:
    """What one of them may be called."""
    found = {singular for many, singular in _SINGULARS.items() if plural == many}
    for ending, single in (("ies", "y"), ("es", ""), ("s", "")):
        if plural.endswith(ending) and len(plural) > len(ending):
            found.add(plural[: -len(ending)] + single)
    return found


def _gathered(children: list[Member]) -> list[Member]:
    """The children as members; those of one tag, if there are several, as one list."""
    by_tag: dict[str, list[Member]] = {}
    for child in children:
        by_tag.setdefault(child.key, []).append(child)
    members: list[Member] = []
    for tag, same in by_tag.items():
        if len(same) == 1:
            members.append(same[0])
            continue
        items = ListNode(same[0].start)
        items.items = [child.node for child in same]
        items.end, items.closed = same[-1].node.end, True
        members.append(Member(tag, same[0].start, items))
    return members


def read_calls(text: str, offset: int) -> list[MarkupCall]:
    r"""The function calls that a text writes in tags, in order.

    Read are ``<function=f><parameter=p>`` and ``<invoke name="f"><parameter name="p">``, with or without a block around them,
    and ``<tool_call>f`` with ``<arg_key>p</arg_key><arg_value>``.
    Values are kept as written, less one line break at each end; entities are decoded in the second form alone. A call with an
    unclosed or misplaced tag is reported with ``closed=False``.

    Example:
        >>> call, = read_calls("<function=save>\n<parameter=name>\nMei\n</parameter>\n</function>", 0)
        >>> call.name, call.arguments.members[0].key, call.arguments.members[0].node.text, call.closed
        ('save', 'name', 'Mei', True)
    """
    calls: list[MarkupCall] = []
    opener = pattern(_CALL).search(text)
    ends = _Ends(text)
    while opener:
        call, place = _call(opener, ends, offset)
        calls.append(call)
        opener = pattern(_CALL).search(text, place)
    return calls


class _Ends:
    """Where the next end tag is; each stretch of the text is searched once, though many openers ask."""

    def __init__(self, text: str) -> None:
        """For one text, asked from front to back."""
        self.text = text
        self._found: dict[re.Pattern[str], re.Match[str] | None] = {}

    def after(self, place: int, tag: re.Pattern[str]) -> re.Match[str] | None:
        """The first such tag at or behind a place."""
        known = self._found.get(tag)
        if tag not in self._found or (known and known.start() < place):
            known = self._found[tag] = tag.search(self.text, place)
        return known


def _call(opener: re.Match[str], ends: _Ends, offset: int) -> tuple[MarkupCall, int]:
    """One call, and where to look for the next."""
    text, place = ends.text, opener.end()
    name = opener["bare"] or opener["named"] or opener["first"]
    arguments = ObjectNode(offset + opener.start())
    cut = MarkupCall(name, arguments, closed=False)
    form = _FORMS[opener["tag"] or opener["pairs"]]
    while True:
        place = _past_blanks(text, place)
        arguments.end = offset + place
        if end := pattern(form.end).match(text, place):
            arguments.end, arguments.closed = offset + end.end(), True
            return MarkupCall(name, arguments, closed=True), end.end()
        parameter = pattern(form.parameter).match(text, place)
        if parameter is None:
            break
        close = ends.after(parameter.end(), pattern(form.parameter_end))
        inner = pattern(form.part).search(text, parameter.end(), close.start() if close else parameter.end())
        node = _argument(parameter, close, offset) if close and not inner else None
        if close is None or node is None:
            return cut, parameter.end()
        named = parameter["bare"] or parameter["named"]
        arguments.members.append(Member(named.strip(), offset + place, node))
        place = close.end()
    close = ends.after(place, pattern(form.end))
    if arguments.members or close is None or pattern(form.part).search(text, place, close.start()):
        return cut, place
    body = text[place : close.start()].rstrip(_BLANK)
    arguments.end, arguments.closed = offset + close.end(), True
    return MarkupCall(name, arguments, True, WordNode(body, offset + place, offset + place + len(body))), close.end()


def _past_blanks(text: str, place: int) -> int:
    """The next place that is no blank."""
    while place < len(text) and text[place] in _BLANK:
        place += 1
    return place


def _argument(parameter: re.Match[str], close: re.Match[str], offset: int) -> WordNode | None:
    """The value of a parameter; None when it holds an entity that there is not."""
    start, end = parameter.end(), close.start()
    raw = parameter.string[start:end]
    for line_end in ("\r\n", "\n"):
        if raw.startswith(line_end):
            raw, start = raw.removeprefix(line_end), start + len(line_end)
            break
    for line_end in ("\r\n", "\n"):
        if raw.endswith(line_end):
            raw, end = raw.removesuffix(line_end), end - len(line_end)
            break
    if not parameter["bare"] and "<" not in raw:  # a raw "<" shows that nothing was escaped
        try:
            raw = _decoded(raw)
        except _Unread:
            return None
    return WordNode(raw, offset + start, offset + end)

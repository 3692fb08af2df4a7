"""One value as YAML or Markdown writes it on a line: quoted, unquoted, or a flow list; None where the two would disagree."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from .nodes import ListNode, LiteralNode, Node, StringNode, WordNode

Spelling: TypeAlias = Literal["yaml", "markdown"]
"""What a line is written in: ``yaml`` for a plain ``key: value``, ``markdown`` for bullets, emphasised keys, ``=`` and tables."""

_DOUBLE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_SINGLE = re.compile(r"'[^']*(?:''[^']*)*'")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")
_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "0": "\0", "e": "\x1b", " ": " ",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_SURROGATES = re.compile("[\ud800-\udfff]")
_FLOW_ITEM = re.compile(r"""[ \t]*("[^"\\]*(?:\\.[^"\\]*)*"|'[^']*(?:''[^']*)*'|[^,\[\]{}"']*[^,\[\]{}"' \t]|)[ \t]*(,|\Z)""")
_EMPHASIS = ("***", "**", "*", "__", "`")
_ELLIPSES = ("...", "…")
_LINKED = ("](", "<br")
_NULLS = ("~", "null", "Null", "NULL")
_YAML_SIGNS = tuple("&!|>%@*`?#")
_EMPHASIS_ESCAPED = re.compile(r"\\[_*`#\[\]~<>|]")


def elided(text: str) -> bool:
    """Whether a line or value says that something was left out.

    Example:
        >>> elided("... 3 more"), elided("- …"), elided("and so on ..."), elided("Wait.")
        (True, True, True, False)
    """
    bare = text.strip().lstrip("-*+•# \t").strip("()[]")
    return bare.startswith(_ELLIPSES) or bare.endswith((" ...", " …"))


def read_value(text: str, at: int, spelling: Spelling) -> Node | None:
    """The value of a line, which starts at ``at``; None when it has no reading or two.

    Example:
        >>> read_value('"a: b"', 0, "yaml").text, read_value("**Low**", 0, "markdown").text
        ('a: b', 'Low')
        >>> [item.text for item in read_value("[av, 'room 12']", 0, "yaml").items]
        ['av', 'room 12']
        >>> read_value("Row 9 # seats", 0, "yaml") is None
        True
    """
    if text.startswith(("[", "{")):
        return _bracketed(text, at, spelling)
    if text.startswith(('"', "'")):
        return _quoted(text, at, spelling)
    if text in _NULLS and (spelling == "yaml" or text != "~"):
        return LiteralNode(None, at, at + len(text))
    bare, shift = _unemphasised(text)
    return None if _doubtful(bare, spelling) else WordNode(bare, at + shift, at + shift + len(bare))


def _doubtful(text: str, spelling: Spelling) -> bool:
    """Whether YAML and Markdown (or a person) would read an unquoted value in different ways."""
    folded = text.casefold()
    if text.endswith((",", "{", "[", "\\")) or elided(text) or any(sign in folded for sign in _LINKED):
        return bool(text)
    if text.startswith(("- ", "“", "”", "„", "«", "‘")) or _EMPHASIS_ESCAPED.search(text):
        return True
    return spelling == "yaml" and (text.startswith(_YAML_SIGNS) or " #" in text)


def _unemphasised(text: str) -> tuple[str, int]:
    """The value without the Markdown emphasis around the whole of it, and how much went off its front."""
    for mark in _EMPHASIS:
        inner = text[len(mark) : -len(mark)]
        if text.startswith(mark) and text.endswith(mark) and inner.strip() and mark[0] not in inner:
            stripped = inner.strip()
            return stripped, len(mark) + inner.index(stripped)
    return text, 0


def _quoted(text: str, at: int, spelling: Spelling) -> Node | None:
    """A value in quotes that spans the whole of it."""
    if text.startswith('"'):
        if not _DOUBLE.fullmatch(text) or (spelling == "markdown" and "\\" in text):
            return None
        decoded = _decoded(text[1:-1])
    else:
        decoded = text[1:-1].replace("''", "'") if _SINGLE.fullmatch(text) and "\\" not in text else None
    return None if decoded is None else StringNode(decoded, at, at + len(text))


def _decoded(body: str) -> str | None:
    """A double-quoted text without its escapes; None for an escape there is not, or half a surrogate pair."""
    if "\\" not in body:
        return body
    parts: list[str] = []
    done = 0
    for match in _ESCAPE.finditer(body):
        code = match[1] or match[2]
        char = chr(int(code, 16)) if code else _ESCAPES.get(match[3])
        if char is None:
            return None
        parts += (body[done : match.start()], char)
        done = match.end()
    joined = "".join((*parts, body[done:]))
    if not _SURROGATES.search(joined):
        return joined
    try:
        return joined.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeError:
        return None


def _bracketed(text: str, at: int, spelling: Spelling) -> Node | None:
    """A flow list of plain items. A text that only starts with a bracket is a text in Markdown; mappings are not read."""
    if not text.endswith("]") or text.startswith("{"):
        prose = spelling == "markdown" and text.startswith("[") and text.find("]") not in {-1, len(text) - 1}
        return None if not prose or _doubtful(text, spelling) else WordNode(text, at, at + len(text))
    flow = ListNode(at)
    flow.end, flow.closed = at + len(text), True
    place = 1
    last = len(text[:-1].rstrip(" \t"))
    while place < last:
        match = _FLOW_ITEM.match(text, place, last)
        if match is None or not match[1]:
            return None
        item = read_value(match[1], at + match.start(1), spelling)
        if item is None or (": " in match[1] and match[1][0] not in "\"'"):
            return None
        flow.items.append(item)
        place = match.end()
    return flow

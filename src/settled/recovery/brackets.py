"""Brackets of the running text, which open no payload: ``[sic]``, ``{city}``, ``[2]`` behind a word, ``[0, 1)``, ``int[]``.

`is_prose` decides by what was read in the brackets and by the few characters around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .nodes import Document, ListNode, Node, ObjectNode, WordNode

_BRACKETS = re.compile(r'"(?:[^"\\\n]|\\.)*(?P<closed>"?)|[{}\[\]]')
_BRACKET = re.compile(r"[{}\[\]]")
_CHECKBOX = re.compile(r"[-*+] \[[ xX]?\] ")
_JOINED = re.compile(r"\[\d{1,3}\](?:(?:,| and| or| und| oder| et| y| e)? )?\Z")
_BEHIND_WORD = re.compile(r"([^\W\d]\w*\.?) \Z")
_SAYS = re.compile(
    r"is|are|be|get|gives?|got|equals?|returns?|output|ist|sind|est|sont|es|son|è|é|answer|result|list|liste|lista|so|thus|therefore"
    r"|with|have|has|numbers?|values?",
    re.IGNORECASE,
)
_INTERVAL = re.compile(r"\b(?:interval|range|bounds?|intervall|bereich|intervalle|rango|intervalo) \Z", re.IGNORECASE)
_CODE_BEFORE = re.compile(r"(?:[\w$]|\) ?)\Z")
_QUOTED_FIRST = re.compile(r"[{\[]\s*[\"'][^\"'\n]{1,80}[\"']")
_CITATION = re.compile(r"\[[0-9]{1,3}\]")
# "see [2] for", "as in[2]", "[2]:" as the head of a note: references, not lists of one number
_CITED = re.compile(
    r".?[\w.;)]\[\d+\]|[^\]],\[\d+\]|[\w.,;)] \[\d+\][,;)]|(?:.?\(|\A|\n|.\n)\[\d+\](?:[):]| [^\W\d_a-z])|[.\]] \[\d+\] [a-z]"
)
LOOK_AHEAD, _SHORT, _MOST_JOINED = 2000, 50, 20
"""Characters in which the end of some brackets is looked for."""


def is_prose(text: str, start: int, document: Document) -> bool:
    """Brackets of the running text: ``[sic]``, ``{city}``, ``[2]`` behind a word, ``[0, 1)``."""
    root = document.root
    if _clings(text, start, document.end):
        return True
    if document.unscanned:
        return text[start] == "[" and _is_cited(text, start)
    if document.fault is not None:
        quoted = _QUOTED_FIRST.match(text, start) is not None and balanced(text, start, LOOK_AHEAD) is None
        return not document.fault.startswith("nested") and not quoted and not _has_members(root)
    if isinstance(root, ListNode):
        if root.items and all(isinstance(item, WordNode) for item in root.items):
            return True
        return _is_cited(text, start)
    return False


def _clings(text: str, start: int, end: int) -> bool:
    """Empty brackets behind a word or sign, as in code: ``int[]``, ``${}``, ``f() {}``."""
    return (
        not text[start + 1 : end - 1].strip()
        and end - start < _SHORT
        and _CODE_BEFORE.search(text, max(0, start - 3), start) is not None
    )


def _is_cited(text: str, start: int) -> bool:
    """A reference or an interval in brackets of the running text."""
    if _INTERVAL.search(text, max(0, start - 20), start):
        return True
    if _CHECKBOX.match(text, max(0, start - 2)):
        return True
    if _CITATION.match(text, start) is None:
        return False
    first = start
    for _ in range(_MOST_JOINED):
        if not _JOINED.search(text, max(0, first - 12), first):
            break
        first = text.rfind("[", 0, first)  # what the first of several is, all are
    return _is_reference(text, first)


def _is_reference(text: str, start: int) -> bool:
    """Whether a number in brackets refers to a note: by what stands around it."""
    if _CITED.match(text, max(0, start - 2)):
        return True
    behind_word = _BEHIND_WORD.search(text, max(0, start - 20), start)
    return behind_word is not None and _SAYS.fullmatch(behind_word[1]) is None


def _has_members(root: Node | None) -> bool:
    """Something was read before the fault that prose does not look like."""
    if isinstance(root, ObjectNode):
        return bool(root.members)
    return isinstance(root, ListNode) and any(isinstance(item, (ObjectNode, ListNode)) for item in root.items)


def balanced(text: str, start: int, most: int) -> int | None:
    """Where the bracket at a place is closed, by counting brackets outside of quotes; None when it is not, within ``most``."""
    depth = 0
    for match in _unquoted(text, start, min(len(text), start + most)):
        if match[0] in "{[":
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                return match.end()
    return None


def _unquoted(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The brackets outside of quotes. A quote that its line does not close is none, nor is any other in the rest of the line."""
    for match in _BRACKETS.finditer(text, start, end):
        if match[0][0] != '"':
            yield match
        elif not match["closed"]:
            yield from _BRACKET.finditer(text, match.start(), match.end())

"""Which member of an enum or a literal a text names: whole, or with a remark behind it; word-bounded, and exactly one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..schema.expected import Choice, Expected
from .keys import normal_key

_AROUND = " \t\r\n*_`\"'“”‘’«»„.,!;:()[]<>…。、，！「」【】"
_QUALIFIED = re.compile(r"([A-Za-z_]\w*)\.(\w+)")
_NUMBERED = re.compile(r"(?:\(?[0-9]{1,2}[.)]|[-•*])\s+")
_REMARK = re.compile(r"\s*(?:[,;:(（]|[-–—]{1,2}\s|\s[-–—]|\n|\.\s|—|–)")
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|cannot|isn't|don't|won't|nicht|kein|keine|nie|pas|jamais|non|ne|jamás|nunca|não|niet|geen|false|wrong|incorrect|disagree|nope|downgraded|reduced|instead|formerly|previously|maybe|falsch|faux|falso)\b|n't\b|不|ない",
    re.IGNORECASE,
)
_SHORTEST_WITH_REMARK, _LONGEST = 2, 500
_SAYS_NO = frozenset("≠¬❌✗✘✖🚫⛔❎👎☐")
_NOT_SO = re.compile(r"\A\s*[!~]|[:=]\s*(?:0|no|false|none)\s*\Z", re.IGNORECASE)


class Named(NamedTuple):
    """What a text names."""

    choice: Choice | None = None
    """The one member that it names."""
    several: bool = False
    """It names more than one."""


def named_by(text: str, expected: Expected, field: str = "") -> Named:
    """The member that a text names.

    Args:
        text: the whole text of a leaf.
        expected: the choice that is due.
        field: the key the text stands under, which may stand in it too: ``Priority: high``, ``high priority``.

    Example:
        >>> mood = Expected("choice")
        >>> mood.choices = (Choice("good"), Choice("bad"))
        >>> named_by("**Good**", mood).choice.value, named_by("good or bad?", mood).several
        ('good', True)
    """
    if len(text) > _LONGEST or not _SAYS_NO.isdisjoint(text) or _NOT_SO.search(text):
        return Named()
    bare = "".join(mark for mark in text.strip() if mark < "\u2190" or mark.isalpha()).strip(_AROUND)
    if (numbered := _NUMBERED.match(bare)) is not None:
        bare = bare[numbered.end() :].strip(_AROUND)
    whole = _whole(bare, text.strip(" \"'`"), expected, field)
    if whole is not None:
        return Named(whole)
    mentioned = _mentioned(text, expected.choices)
    if len(mentioned) != 1:
        return Named(several=len(mentioned) > 1)
    (choice,) = mentioned
    return Named(choice) if _leads(bare, choice) and not _NEGATION.search(text) else Named()


def _whole(bare: str, original: str, expected: Expected, field: str) -> Choice | None:
    """The member that the whole text is, but for case, punctuation, and the name of its field or class."""
    qualified = _QUALIFIED.fullmatch(bare)
    if qualified is not None and normal_key(qualified[1]) == normal_key(expected.name):
        bare = qualified[2]
    normal = normal_key(bare)
    found = _matching(normal, original, expected.choices)
    for about in (normal_key(field), normal_key(expected.name)):
        if found:
            break
        if not about:
            continue
        left = normal.removeprefix(about).lstrip(":= ").strip(_AROUND) if normal.startswith(about) else normal.removesuffix(about)
        found = _matching(left.strip(_AROUND), left, expected.choices) if left != normal else []
    return found[0] if len(found) == 1 else None


def _matching(normal: str, bare: str, choices: Iterable[Choice]) -> list[Choice]:
    if not normal:
        return []
    if len(normal) < _SHORTEST_WITH_REMARK:
        return [choice for choice in choices if bare.casefold() == choice.spelling.casefold()]
    by_value = [choice for choice in choices if normal_key(choice.spelling) == normal]
    return by_value or [choice for choice in choices if choice.name is not None and normal_key(choice.name) == normal]


def _mentioned(text: str, choices: tuple[Choice, ...]) -> list[Choice]:
    """The members that a text mentions as words, the longest spelling first, so that none hides inside another."""
    spellings = {spelling: choice for choice in choices for spelling in _spellings(choice)}
    if not spellings:
        return []
    longest_first = sorted(spellings, key=len, reverse=True)
    pattern = "|".join(re.sub(r"(?:\\ |_|\\-|-)+", r"[ _\\-]?", re.escape(spelling)) for spelling in longest_first)
    found: list[Choice] = []
    for match in re.finditer(rf"(?<![\w+#])(?:{pattern})(?![\w+#])", text, re.IGNORECASE):
        normal = normal_key(match[0])
        choice = next(spellings[spelling] for spelling in longest_first if normal_key(spelling) == normal)
        if choice not in found:
            found.append(choice)
    return found


def _spellings(choice: Choice) -> list[str]:
    return [spelling for spelling in (choice.spelling, choice.name or "") if spelling]


def _leads(bare: str, choice: Choice) -> bool:
    """Whether the text starts with the member, and goes on with a remark behind a separator."""
    for spelling in _spellings(choice):
        start = re.sub(r"(?:\\ |_|\\-|-)+", r"[ _\\-]?", re.escape(spelling))
        match = re.match(start + r"[*_`\"']*", bare, re.IGNORECASE)
        if match is not None and len(spelling) >= _SHORTEST_WITH_REMARK and _REMARK.match(bare, match.end()):
            return True
    return False

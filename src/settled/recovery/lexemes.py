"""The small parts of tolerant JSON: numbers, words, comments, elisions, and the characters that stand for others.

Pure functions on a text and a place in it; each looks ahead by a bounded distance or reads what it returns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

BLANK = re.compile(r"[ \t\r\n]*")
ODD_BLANKS = (
    "\ufeff\u200b\u200c\u200d\u2060\u00a0\u00ad\u3000\u2028\u2029\u202f\u2009\v\f"
    "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""Blanks that JSON does not know: byte order marks, zero-width and no-break blanks, ideographic and thin spaces, marks of
direction."""
ANY_BLANK = re.compile(f"[ \t\r\n{ODD_BLANKS}]*")
WIDE: Mapping[str, str] = {"｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": ",", "、": ","}
"""Full-width punctuation, and what it stands for."""

_SPELLED = re.compile(
    r"([+\-−－﹣]?)([0-9０-９]+(?:[.．][0-9０-９]*)?|\.[0-9]+)((?:[eE][+\-−]?[0-9]+)?)(?=[\s,，、}\])｝］:：#`<"
    + ODD_BLANKS
    + r"]|/[/*]|$)"
)
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９．", "0123456789.")
_WORD = re.compile(r"[^\s,，:：{}\[\]()\"“”`'=<>/#][^,，:：{}\[\]\"“”`\n\r]*")
_LITERALS: Mapping[str, bool | None] = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    "null": None, "None": None, "NULL": None, "Null": None, "nil": None, "undefined": None,
}  # fmt: skip
_LITERAL = re.compile(r"(" + "|".join(_LITERALS) + r")(?![\w-])")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)
ELISION = re.compile(r"\.{3,}|…+")
_LEFT_OUT = re.compile(
    r"\.{3}|…|\b(?:omitted|truncated|abbreviated|shortened|elided|remaining|and so on|etc\b|same (?:pattern|format|for|as)"
    r"|(?:\d+|many|several) (?:more|others?|further|additional|weitere|autres|otros|otras|altri|outros|meer)|rest of"
    r"|(?:more|further|other|additional) (?:items|members|people|entries|rows|lines|records|elements)"
    r"|weitere|ausgelassen|gekürzt|usw\b|omis|omitid|restantes|etcétera)|省略|以下同",
    re.IGNORECASE,
)
_NOTED = re.compile(r"""["']?([A-Za-z_][\w-]{0,60})["']?[ \t]*:""")
# A word in front of a constructor's bracket; `Mood(mood='good')`, `Decimal('1.5')`.
CALL = re.compile(r"[A-Za-z_][\w.]{0,80}\((?=[ \t\r\n]*(?:\)|[A-Za-z_]\w{0,80}[ \t]*=(?!=)))")
UNARY = re.compile(
    r"""(?:Decimal|UUID|Path|PosixPath|str|int|float)"""
    r"""\([ \t]*('[^'\\\n]{0,200}'|"[^"\\\n]{0,200}"|-?[0-9][0-9.]{0,60})[ \t]*\)"""
)
DAY_REPR = re.compile(
    r"(?:datetime\.)?(?:date|datetime)\([ \t]*(\d{4}),[ \t]*(\d{1,2}),[ \t]*(\d{1,2})"
    r"(?:,[ \t]*(\d{1,2}),[ \t]*(\d{1,2})(?:,[ \t]*(\d{1,2}))?)?[ \t]*\)"
)
ENUM_REPR = re.compile(r"<[A-Za-z_][\w.]{0,80}: ('[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|-?\d{1,20})>")
STRING_PREFIX = re.compile(r"[rRuUbBfF]{1,2}(?=[\"'])")
_DECODER = json.JSONDecoder()
_NEAR, _LONGEST_ATOM = 2000, 20  # characters; an error so close to the end of a part may be that of the cut


def shown_moment(text: str, at: int) -> tuple[str, int] | None:
    """A date or a date and time as Python prints it, in ISO 8601, and where it ends.

    Example:
        >>> shown_moment("datetime.date(2024, 2, 9)", 0)
        ('2024-02-09', 25)
    """
    match = DAY_REPR.match(text, at)
    if match is None:
        return None
    year, month, day, hour, minute, second = match.groups()
    iso = f"{year}-{month:0>2}-{day:0>2}"
    timed = "datetime(" in match[0]
    return (f"{iso}T{hour or 0:0>2}:{minute or 0:0>2}:{second or 0:0>2}" if timed else iso), match.end()


class Spelled(NamedTuple):
    """A number in another spelling than JSON's."""

    lexeme: str
    """As JSON would spell it, leading zeros kept."""
    end: int
    """Where the text behind it starts."""


def spelled_number(text: str, at: int) -> Spelled | None:
    """The number at a place, in any of the accepted spellings; None when there is none, or something clings to it.

    Example:
        >>> spelled_number("−.5,", 0)
        Spelled(lexeme='-0.5', end=3)
        >>> spelled_number("61_204", 0) is None
        True
    """
    match = _SPELLED.match(text, at)
    if match is None:
        return None
    sign, digits, exponent = match.groups()
    digits = digits.translate(_WIDE_DIGITS)
    if digits.startswith("."):
        digits = "0" + digits
    digits = digits.removesuffix(".")
    return Spelled(("-" if sign not in ("", "+") else "") + digits + exponent.replace("−", "-"), match.end())


def literal(text: str, at: int) -> tuple[bool | None, str, int] | None:
    """The literal at a place, in JSON's spelling or another: its value, its spelling, and where it ends.

    Example:
        >>> literal("None)", 0)
        (None, 'None', 4)
    """
    match = _LITERAL.match(text, at)
    return None if match is None else (_LITERALS[match[1]], match[1], match.end())


def word(text: str, at: int) -> tuple[str, int] | None:
    """Unquoted text up to the next punctuation or line end.

    Example:
        >>> word("very good, really", 0)
        ('very good', 9)
    """
    match = _WORD.match(text, at)
    if match is None:
        return None
    found = match[0].rstrip(" \t" + ODD_BLANKS)
    return found, at + len(found)


class Comment(NamedTuple):
    """A comment between tokens."""

    end: int
    """Where the text behind it starts."""
    elides: bool
    """It says that something was left out."""
    names: tuple[str, ...]
    """What stands before colons in it: keys that it may have swallowed."""


def comment(text: str, at: int) -> Comment | None:
    r"""The comment at a place: ``//``, ``#`` or ``/* */``.

    Example:
        >>> comment("// 14 more omitted\n]", 0).elides
        True
    """
    match = _COMMENT.match(text, at)
    if match is None:
        return None
    found = match[0]
    return Comment(match.end(), _LEFT_OUT.search(found) is not None, tuple(_NOTED.findall(found[2:])))


def end_of_json(text: str, at: int) -> int | None:
    """Where the JSON that starts at a place ends; None when it is none.

    What is near is tried by itself first: an error counts the lines in front of it, and for each of many brackets that is
    all of the text.

    Example:
        >>> end_of_json("see [1, 2] there", 4), end_of_json("see [1, 2,] there", 4)
        (10, None)
    """
    near = text[at : at + _NEAR]
    try:
        return at + _DECODER.raw_decode(near)[1]
    except json.JSONDecodeError as error:
        cut = error.pos > _NEAR - _LONGEST_ATOM or error.msg.startswith("Unterminated")
        if len(near) < _NEAR or not cut:
            return None
    except (ValueError, RecursionError):  # too many digits, too deep
        return None
    try:
        return _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None

"""Strings as models write them: which quote closes a string, and what its escapes mean.

JSON's own strings never come here; the scanner reads those with one expression. Here a quote closes a string only if what follows
is what may follow a string at that place. Quotes that do not close are kept as text. Where the count of such quotes is odd, or a
string mixes escapes that JSON knows with ones that it does not, there is a second reading, and the string is doubtful.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from .lexemes import ANY_BLANK

Scope: TypeAlias = Literal["key", "object", "list", "root"]
"""Where a string stands: what may follow it depends on that."""

QUOTES: Mapping[str, str] = {
    '"': '"', "'": "'", "`": "`", "“": "”“\"", "”": "”", "„": "“”\"", "‘": "’'", "＂": "＂", "«": "»", "「": "」", "『": "』",
    "″": "″",
}  # fmt: skip
"""Opening quotes, and the quotes that may close each."""

_SEARCH = {opening: re.compile(r"[\\" + closers + r"]") for opening, closers in QUOTES.items()}
_TRIPLES = ('"""', "'''", "```")
# A key and its colon, as it may follow a comma or a line end.
_KEY_AHEAD = re.compile(
    r"""[ \t\r\n]*(?:(?P<quoted>["'“”„‘’«「`＂][^"'“”„‘’«»「」`＂\\\n]{0,80}["'“”‘’»」`＂])"""
    r"""|[A-Za-z_$][\w$-]{0,80})[ \t]*[:：=](?!/)"""
)
_VALUE_AHEAD = re.compile(
    r"""[ \t\r\n]*(?:["'“„‘«「`＂{\[\]｛［(\d\-+−.]|[rRuUbBfF]{1,2}["']|[A-Za-z_][\w.]{0,60}\("""
    r"""|true\b|false\b|null\b|None\b|True\b|False\b|//|\#|…|\Z)"""
)
_ITEM_AHEAD = re.compile(r'[ \t]+"[^"\\\n]{0,200}"[ \t\r\n]*[,\]"]')  # another whole string, where a comma was left out
_AFTER_CLOSERS = re.compile(r"[}\])｝］][ \t]*(?:[,，}\])｝］`<.;\r\n]|\Z)")
_ONLY_CLOSERS = re.compile(r"[\s,]*[}\]][\s}\]]*(?:`{3,}\s*)?\Z")
_PLUS = re.compile(r"\+[ \t\r\n]*[\"']")
_STARTS_COMMENT = ("//", "/*", "#")
_ESCAPE = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\x([0-9a-fA-F]{2})|\\(.)", re.DOTALL)
_KNOWN = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN_QUOTES = {"'", "`", "“", "”", "‘", "’"}
_CONTROL = re.compile(r"[\x00-\x1f]")


_LONGEST_INDENT = 400  # blanks in front of a key on a line of its own
_LONGEST_KEY = 300  # characters in which the quote that closes a key is looked for


class StringRead(NamedTuple):
    """A string, read with tolerance."""

    text: str
    """Its content, decoded."""
    end: int
    """Where the text behind it starts."""
    closed: bool
    """Its closing quote, or the end of its line in place of it, was found."""
    doubtful: bool
    """It could be read in another way."""
    codes: tuple[str, ...]
    """Repairs, by code."""


class Sight:
    """What was found out by looking to the end of a text, so that of its many strings not each looks there again.

    Example:
        >>> sight = Sight('"a"``` "b"``` "c"```')
        >>> sight.in_vain(0, "list"), sight.look_in_vain(0, "list"), sight.in_vain(7, "list")
        (False, None, True)
    """

    __slots__ = ("_line_end", "_seen_from", "_text", "_vain")

    def __init__(self, text: str) -> None:
        """The text."""
        self._text = text
        self._vain: dict[tuple[str, Scope], int] = {}
        self._seen_from, self._line_end = len(text) + 1, -1

    def look_in_vain(self, at: int, scope: Scope) -> None:
        """No quote behind this one surely closes the string that it opens.

        Example:
            >>> Sight('"a"```').look_in_vain(0, "list")
        """
        self._vain[self._text[at], scope] = min(at, self._vain.get((self._text[at], scope), at))

    def in_vain(self, at: int, scope: Scope) -> bool:
        """Whether no quote behind this one surely closes the string that it opens, as is known from a string before it.

        A quote that opens a string is never a half of an escape that the string before it saw whole, so that both saw the same
        quotes; and what follows a quote is the same for both.

        Example:
            >>> Sight('"a"```').in_vain(0, "list")
            False
        """
        since = self._vain.get((self._text[at], scope))
        return since is not None and at >= since

    def line_end(self, at: int) -> int:
        r"""Where the line of a place ends, or -1.

        Example:
            >>> Sight("a\nb").line_end(0), Sight("a\nb").line_end(2)
            (1, -1)
        """
        if at < self._seen_from or -1 < self._line_end < at:
            self._seen_from, self._line_end = at, self._text.find("\n", at)
        return self._line_end


def read_string(text: str, at: int, scope: Scope, sight: Sight | None = None) -> StringRead:
    """The string that opens at a place.

    Args:
        text: the whole text.
        at: where its opening quote stands.
        scope: what it is part of.
        sight: what is known of the text; given to all strings of one text.

    Example:
        >>> read_string('"He said "yes" twice", "b"', 0, "list").text
        'He said "yes" twice'
    """
    opening = text[at]
    codes: list[str] = [] if opening == '"' else ["quote.style"]
    if text[at : at + 3] in _TRIPLES and (triple := _read_triple(text, at)) is not None:
        return triple
    found = _find_end(text, at, scope, Sight(text) if sight is None else sight)
    raw = text[at + 1 : found.stop]
    if found.missing:
        raw = raw.rstrip(" \t\r\n,")
        codes.append("quote.missing")
    if found.inner:
        codes.append("quote.inner")
    decoded, invalid, doubtful = unescape(raw, python=opening == "'")
    if invalid:
        codes.append("escape.invalid")
    if _CONTROL.search(raw):
        codes.append("string.raw")
    holed = opening == "`" and "${" in raw
    return StringRead(decoded, found.end, found.closed, doubtful or holed or found.balance != 0, tuple(codes))


class _End(NamedTuple):
    stop: int
    """Where the content ends."""
    end: int
    """Where the text behind the string starts."""
    closed: bool
    inner: bool = False
    """Quotes of its own kind are content."""
    balance: int = 0
    """How many more of them open than close; not 0 either if one closed before any opened."""
    missing: bool = False


def _find_end(text: str, at: int, scope: Scope, sight: Sight) -> _End:
    search = _SEARCH[text[at]].search
    place, inner, balance, lowest = at + 1, False, 0, 0
    weak: _End | None = None
    most = min(len(text), at + _LONGEST_KEY) if scope == "key" else len(text)
    while (match := search(text, place, most)) is not None:
        quote = match.start()
        if match[0] == "\\":
            place = quote + 2
            continue
        strength = _closes(text, quote + 1, scope)
        if strength == 2:
            return _End(quote, quote + 1, True, inner, balance or lowest)
        if scope != "key" and (line_end := _missing_before(text, at, quote)) is not None:
            return _End(line_end, line_end, True, missing=True)
        if strength == 1 and weak is None:
            weak = _End(quote, quote + 1, True, inner, balance or lowest)
            if sight.in_vain(at, scope):
                line_end = _missing_at_next_line(text, at, sight)
                return weak if line_end is None else _End(line_end, line_end, True, missing=True)
        if scope == "key":
            break  # no key has quotes of its own kind inside
        balance += _turn(text, quote)
        lowest = min(lowest, balance)
        inner = True
        place = quote + 1
    if scope != "key":
        sight.look_in_vain(at, scope)
    if weak is not None:
        return weak
    line_end = text.find("\n", at, most)
    if scope != "key" and line_end > at and _ONLY_CLOSERS.match(text, line_end) and text[line_end - 1] not in "{[(":
        return _End(line_end, line_end, True, inner, balance or lowest, True)
    return _End(most, most, False, inner)


def _turn(text: str, at: int) -> int:
    """Whether a quote inside a text opens (1), closes (-1), or is an apostrophe or an inch sign (0)."""
    before, after = text[at - 1], text[at + 1 : at + 2]
    if before.isspace() or before in "([{=>/-–—:":
        return 1 if after and not after.isspace() else 0
    if text[at] in "'’‘" and before.isalnum():
        return 0 if after.isalnum() or (before in "sz" and after.isspace()) else -1
    return 0 if before.isdigit() and (after.isspace() or after in "x×,") else -1


def _missing_before(text: str, at: int, quote: int) -> int | None:
    """The line end before a quote that opens a key on a line of its own: there the string was to be closed."""
    line_end = text.rfind("\n", max(at, quote - _LONGEST_INDENT), quote)
    if line_end < 0 or text[line_end:quote].strip() or text.find("\n", at) != line_end:
        return None
    ahead = _KEY_AHEAD.match(text, quote)
    content = text[at + 1 : line_end].rstrip(" \t\r,")
    if ahead is None or ahead["quoted"] is None or not content or content[-1] in "{[(":
        return None
    return line_end


def _missing_at_next_line(text: str, at: int, sight: Sight) -> int | None:
    """The same, by the first quote of the next line: it is the only one before which the string may have been meant to close."""
    line_end = sight.line_end(at)
    if line_end < 0:
        return None
    match = _SEARCH[text[at]].search(text, line_end + 1, line_end + 1 + _LONGEST_INDENT)
    return None if match is None or match[0] == "\\" else _missing_before(text, at, match.start())


def _closes(text: str, place: int, scope: Scope) -> int:
    """How well what follows a quote says that it closes the string: 2 surely, 1 perhaps, 0 not."""
    after = ANY_BLANK.match(text, place)
    ahead = place if after is None else after.end()
    mark = text[ahead : ahead + 1]
    if scope == "key":
        return 2 if mark in (":", "：", "=") and mark else 0
    if not mark:
        return 2
    if mark in ",，":
        known = _KEY_AHEAD if scope == "object" else _VALUE_AHEAD
        behind = ANY_BLANK.match(text, ahead + 1)
        rest = ahead + 1 if behind is None else behind.end()
        tail = text[rest : rest + 2]
        return 2 if known.match(text, rest) or tail[:1] in ("}", "｝", "", ")") or tail.startswith(_STARTS_COMMENT) else 0
    if mark in "}])｝］":
        return 2 if _AFTER_CLOSERS.match(text, ahead) else 1
    if _PLUS.match(text, ahead) or text.startswith(_STARTS_COMMENT, ahead):
        return 2
    if text.startswith(("```", "<|", "</"), ahead):
        return 1
    on_new_line = "\n" in text[place:ahead]
    if scope == "object":
        key = _KEY_AHEAD.match(text, ahead)
        apart = on_new_line or ahead > place or text[place - 2 : place - 1] != text[place - 1 : place]
        return 2 if key is not None and key["quoted"] is not None and apart else 0
    if scope != "list":
        return 0
    return 2 if (on_new_line and _VALUE_AHEAD.match(text, ahead)) or _ITEM_AHEAD.match(text, place) else 0


def _read_triple(text: str, at: int) -> StringRead | None:
    """A string in triple quotes; a line break right behind the opening ones is layout."""
    mark = text[at : at + 3]
    close = text.find(mark, at + 3)
    if close < 0:
        return None if mark == "```" else StringRead(text[at + 3 :], len(text), False, False, ("quote.style",))
    while text.startswith(mark[0], close + 3):
        close += 1  # a quote that ends the content stands before the three that close
    raw = text[at + 3 : close]
    decoded, invalid, doubtful = unescape(raw, python=True)
    codes = ("quote.style", "escape.invalid") if invalid else ("quote.style",)
    return StringRead(decoded, close + 3, True, doubtful, codes)


def unescape(raw: str, *, python: bool = False) -> tuple[str, bool, bool]:
    r"""The meaning of a raw string, whether it holds escapes that JSON does not know, and whether that leaves two readings.

    Args:
        raw: what stands between the quotes.
        python: ``\xNN`` is an escape too.

    Example:
        >>> unescape(r"C:\Users\new")
        ('C:\\Users\new', True, True)
    """
    if "\\" not in raw:
        return raw, False, False
    invalid = letters = kept = False

    def meaning(match: re.Match[str]) -> str:
        nonlocal invalid, letters, kept
        unicode, code, _ = match.groups()
        mark = match[0][1]
        if unicode is not None:
            decoded: str = json.loads(f'"{unicode}"')
            return decoded
        if code is not None and python:
            return chr(int(code, 16))
        if mark in _KNOWN:
            letters = letters or mark in "bfnrt"
            return _KNOWN[mark]
        invalid = True
        if mark in _PLAIN_QUOTES:
            return mark
        if mark == "\n":
            return ""  # a line that goes on
        kept = True
        return match[0]

    decoded = _ESCAPE.sub(meaning, raw)
    return decoded, invalid, kept and letters

"""`Growth`: one JSON value that arrives in pieces, each character looked at once. Valid JSON only; the first defect ends it.

    read -> one step for each state
        value      blanks, then the beginning of a value            inside  the text of a string
        word       a number, true, false or null                    escape  an escape that a piece of text cut in two
        after      behind a value: a comma or a closing bracket     key     a key with its colon, or the end of an object
                                                                    key_in, key_escape, colon: a key that was cut in two

A scalar is closed by the mark behind it, not by its own last character: ``12`` may go on, and a quote may turn out to stand
inside the text of a model that does not escape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, cast

from pydantic import JsonValue

from .arriving import Arriving, Lens
from .drafts import Draft
from .hints import Hint
from .lexemes import BLANK
from .scanner import DEEPEST
from .watches import Watch

Next: TypeAlias = Literal["value", "inside", "escape", "word", "after", "key", "key_in", "key_escape", "colon", "over"]
"""What comes next."""

_HEX = "[0-9a-fA-F]"
_PLAIN = r'[^"\\\x00-\x1f\ud800-\udfff]*'
_UNICODE = rf"u(?:[0-9a-ce-fA-CE-F]{_HEX}{{3}}|[dD][0-7]{_HEX}{{2}}|[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}})"
_ESCAPE = rf'\\(?:["\\/bfnrt]|{_UNICODE})'
_RUN = re.compile(rf"{_PLAIN}(?:{_ESCAPE}{_PLAIN})*")
_KEY = re.compile(rf'[ \t\r\n]*"({_RUN.pattern})"[ \t\r\n]*:')
_WHOLE = re.compile(_ESCAPE)
_SAMPLES = ('\\"', "\\u0000", "\\ud800\\udc00")  # what has begun like an escape is one, with the end of some sample
_WORD = re.compile(r"[-+.0-9A-Za-z]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_AFTER = re.compile(r"[ \t\r\n]*([,}\]])")
# These match the empty text too, so there always is a match.
_run_at = cast("Callable[[str, int], re.Match[str]]", _RUN.match)
_word_at = cast("Callable[[str, int], re.Match[str]]", _WORD.match)
_blanks_at = cast("Callable[[str, int], re.Match[str]]", BLANK.match)
_LITERALS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}
_FIRST = frozenset("-0123456789tfn")


class Growth:
    """Reads one value.

    Example:
        >>> growth = Growth()
        >>> growth.read('{"a": [1, 2', 0)
        11
        >>> growth.draft().data
        {'a': [1]}
        >>> growth.read("5]} and", 0), growth.is_done, growth.draft().data
        (3, True, {'a': [1, 25]})
    """

    __slots__ = ("_escape", "_pieces", "_scalar", "_waits", "arriving", "is_broken", "is_certain", "is_done", "next")

    def __init__(
        self, *, tells: bool = False, lens: Lens | None = None, hint: Hint | None = None, watches: tuple[Watch, ...] = ()
    ) -> None:
        """Nothing is read.

        Args:
            tells: whether events are wanted.
            lens: the frame around the value.
            hint: what is expected of the value.
            watches: what to record.
        """
        self.arriving: Arriving = Arriving(tells=tells, lens=lens, hint=hint, watches=watches)
        """What was read."""
        self.next: Next = "value"
        """What comes next."""
        self.is_broken: bool = False
        """It is no valid JSON from here on."""
        self.is_done: bool = False
        """The root is closed."""
        self.is_certain: bool = False
        """Brackets of running text do not begin so: a key with its colon was read, or a string in a list."""
        self._pieces: list[str] = []  # of a key or a word
        self._escape = ""
        self._scalar: JsonValue = None
        self._waits = False  # a scalar was read, and waits for the mark that closes it

    def read(self, text: str, pos: int) -> int:
        """Read on in a text from a place; where it stopped: at its end, behind the root, or at a defect."""
        recordings = self.arriving.recordings
        for recording in recordings:
            recording.start = pos
        size = len(text)
        while pos < size and self.next != "over":
            pos = _STEPS[self.next](self, text, pos)
        for recording in recordings:
            recording.take(text, pos)
        return pos

    def finish(self) -> None:
        """No more text comes: that closes a scalar which is the root."""
        if self.arriving.frame is None and self.next == "word" and self._end_word():
            self.arriving.end_scalar("", 0)
            self._waits, self.next = True, "after"
        if self.arriving.frame is None and self._waits:
            self.arriving.close_scalar(self._scalar)
            self.is_done, self.next = True, "over"

    def draft(self, *, stalled: bool = False) -> Draft:
        """What is shown now."""
        return self.arriving.draft(stalled=stalled)

    # ------------------------------------------------------------------------------------------------------ values

    def on_value(self, text: str, pos: int) -> int:
        """Blanks, then the beginning of a value, or the end of a list without any."""
        pos = _blanks_at(text, pos).end()
        if pos == len(text):
            return pos
        mark, arriving = text[pos], self.arriving
        if mark == "]" and arriving.frame is not None and arriving.frame.is_fresh:
            return self._close(text, pos)
        if mark == '"':
            arriving.begin(mark, pos)
            arriving.open_text()
            self.is_certain = self.is_certain or arriving.frame is not None
            self.next = "inside"
            return self.on_text(text, pos + 1)
        if mark in "[{":
            if arriving.depth >= DEEPEST:
                return self._fail(pos)
            arriving.begin(mark, pos)
            arriving.open(mark)
            self.next = "value" if mark == "[" else "key"
            return pos + 1
        if mark not in _FIRST:
            return self._fail(pos)
        arriving.begin(mark, pos)
        self._pieces, self.next = [], "word"
        return self.on_word(text, pos)

    def on_text(self, text: str, pos: int) -> int:
        """The text of a string, as far as it goes."""
        end = _run_at(text, pos).end()
        if end > pos:
            piece = text[pos:end]
            self.arriving.grow(_decoded(piece) if "\\" in piece else piece)
        if end == len(text):
            return end
        if text[end] != '"':
            return self._begin_escape(text, end, "escape")
        whole = self.arriving.text
        assert whole is not None, "it was opened"
        return self._end_scalar(text, end + 1, whole.read(len(whole.pieces)))

    def on_escape(self, text: str, pos: int) -> int:
        """One more character of an escape that was cut."""
        piece, pos = self._finish_escape(text, pos, "inside")
        if piece:
            self.arriving.grow(piece)
        return pos

    def on_word(self, text: str, pos: int) -> int:
        """A number or a literal, as far as it goes."""
        end = _word_at(text, pos).end()
        self._pieces.append(text[pos:end])
        if end == len(text):
            return end
        return self._end_scalar(text, end, self._scalar) if self._end_word() else self._fail(end)

    def _end_word(self) -> bool:
        """Whether the word that was read is a number, ``true``, ``false`` or ``null``."""
        lexeme = "".join(self._pieces)
        number = _NUMBER.fullmatch(lexeme)
        if number is None:
            self._scalar = _LITERALS.get(lexeme)
            return lexeme in _LITERALS
        try:
            self._scalar = int(lexeme) if number.lastindex is None else float(lexeme)
        except ValueError:  # more digits than Python reads
            return False
        return True

    def _end_scalar(self, text: str, end: int, value: JsonValue) -> int:
        self._scalar, self._waits, self.next = value, True, "after"
        self.arriving.end_scalar(text, end)
        return end

    def on_mark(self, text: str, pos: int) -> int:
        """Behind a value: blanks, then a comma or a closing bracket."""
        match, frame = _AFTER.match(text, pos), self.arriving.frame
        if match is None or frame is None:
            pos = _blanks_at(text, pos).end()
            return pos if pos == len(text) else self._fail(pos)
        end, mark = match.end(), match[1]
        is_list = isinstance(frame.container, list)
        if mark != "," and (mark == "]") is not is_list:
            return self._fail(end - 1)
        if self._waits:
            self.arriving.close_scalar(self._scalar)
            self._waits = False
        if mark != ",":
            return self._close(text, end - 1)
        self.next = "value" if is_list else "key"
        return self.on_value(text, end) if is_list else self.on_key(text, end)

    def _close(self, text: str, pos: int) -> int:
        self.is_done = self.arriving.close(text, pos + 1)
        self.next = "over" if self.is_done else "after"
        return pos + 1

    def _fail(self, pos: int) -> int:
        self.is_broken, self.next = True, "over"
        return pos

    # -------------------------------------------------------------------------------------------------------- keys

    def on_key(self, text: str, pos: int) -> int:
        """A key with its colon, or the end of an object without any."""
        match = _KEY.match(text, pos)
        if match is not None:
            return self._take_key(_decoded(match[1]), text, match.end())
        pos = _blanks_at(text, pos).end()
        if pos == len(text):
            return pos
        if text[pos] == '"':
            self._pieces, self.next = [], "key_in"
            return pos + 1
        frame = self.arriving.frame
        if text[pos] == "}" and frame is not None and frame.is_fresh:
            return self._close(text, pos)
        return self._fail(pos)

    def on_key_text(self, text: str, pos: int) -> int:
        """The text of a key that was cut, as far as it goes."""
        end = _run_at(text, pos).end()
        self._pieces.append(_decoded(text[pos:end]))
        if end == len(text):
            return end
        if text[end] != '"':
            return self._begin_escape(text, end, "key_escape")
        self.next = "colon"
        return end + 1

    def on_key_escape(self, text: str, pos: int) -> int:
        """One more character of an escape in a key."""
        piece, pos = self._finish_escape(text, pos, "key_in")
        self._pieces.append(piece)
        return pos

    def on_colon(self, text: str, pos: int) -> int:
        """Behind a key that was cut."""
        pos = _blanks_at(text, pos).end()
        if pos == len(text):
            return pos
        return self._take_key("".join(self._pieces), text, pos + 1) if text[pos] == ":" else self._fail(pos)

    def _take_key(self, key: str, text: str, end: int) -> int:
        self.arriving.take_key(key)
        self.is_certain, self.next = True, "value"
        return self.on_value(text, end)

    # ----------------------------------------------------------------------------------------------------- escapes

    def _begin_escape(self, text: str, pos: int, then: Next) -> int:
        """An escape that is not all there, or none; or a character that may not stand in a string."""
        if text[pos] != "\\":
            return self._fail(pos)
        self._escape, self.next = "\\", then
        return pos + 1

    def _finish_escape(self, text: str, pos: int, then: Next) -> tuple[str, int]:
        """What an escape stands for, once it is whole; and where reading goes on."""
        escape = self._escape = self._escape + text[pos]
        if _WHOLE.fullmatch(escape) is not None:
            self.next = then
            return _decoded(escape), pos + 1
        may_be_whole = any(_WHOLE.fullmatch(escape + sample[len(escape) :]) for sample in _SAMPLES)
        return "", pos + 1 if may_be_whole else self._fail(pos)


_STEPS: Mapping[Next, Callable[[Growth, str, int], int]] = {
    "value": Growth.on_value,
    "inside": Growth.on_text,
    "escape": Growth.on_escape,
    "word": Growth.on_word,
    "after": Growth.on_mark,
    "key": Growth.on_key,
    "key_in": Growth.on_key_text,
    "key_escape": Growth.on_key_escape,
    "colon": Growth.on_colon,
}


def _decoded(text: str) -> str:
    """What stands between the quotes of a string, its escapes read."""
    return str(json.loads(f'"{text}"')) if "\\" in text else text

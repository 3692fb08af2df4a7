"""`Locator`: where in a reply the payload begins, while the reply arrives. `regions.py` asks the same of a whole text.

find -> the next sign: < [ ◁ ` ~ { and the brackets of other widths
          a mark that is cut off waits for the rest: only what is new is looked at, until the mark ends or cannot be one
          reasoning, remarks and what was said to the model are skipped to their end
          a bracket is a candidate, but not inside brackets that were none, nor in a fence of another language
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from . import marks
from .lexemes import ODD_BLANKS
from .recover import REASONING_SIGNS

PieceKind: TypeAlias = Literal["text", "token", "reasoning", "unopened", "end"]
"""``reasoning`` was left out; ``unopened`` all before was reasoning; ``end`` is the end of the turn and all behind it."""
_Found: TypeAlias = Literal["on", "wait", "bracket"]
CONTEXT = 80
"""Characters before a candidate that say what it is."""

_SIGNS = re.compile(r"[<\[◁`~{｛［]")
_SIGNS_INSIDE = re.compile(r'[<\[◁`~{｛［}\]｝］"\n]')
_SIGNS_OF_TEXT = re.compile(r"[<\[◁`]")
_SAYS = re.compile(rf"[^\s{ODD_BLANKS}]")
_ANGLE = re.compile(r"<(?:/?[A-Za-z_]|[|｜]|!-|/?\Z|!\Z)")
_ANGLE_ENDS = re.compile(r"[<>\n]")
_NAMED = re.compile(r"(?:<\|(?:channel|im_start|start|start_header_id)\|>|<start_of_turn>)\s*\w*")
_SQUARE = re.compile(r"[\[◁]/?[A-Za-z_]*")
_CODE_ENDS = re.compile(r"[`\n{\[]")
_FENCE = re.compile(r"`+|~+")
_OF_A_CALL = re.compile(r"[(,][ \t\r\n]*[A-Za-z_]\w{0,60}[ \t]*=[ \t\r\n]*\Z")
_FIRST = frozenset('"-0123456789tfn')  # of a scalar
_FIRST_IN_SQUARE = frozenset("/TtrI")
_REASONING_CHANNELS = frozenset(("analysis", "thinking", "thought"))
_LONGEST, _LONGEST_CODE, _LONGEST_SHORT = 340, 102, 80
_LONGEST_END = 64


class _Skip(NamedTuple):
    """What is skipped."""

    ends: re.Pattern[str]
    first: str  # of its end
    is_kept: bool = False  # its end is a mark of its own


_TO_TOKEN = _Skip(re.compile(r"<\|(?:end|start|channel)\|>"), "<", is_kept=True)
_TO_ANSWER = _Skip(marks.ANSWERS, "<", is_kept=True)
_TO_INSTRUCTED = _Skip(re.compile(r"\[/INST\]"), "[", is_kept=True)
_REMARK = _Skip(re.compile("-->"), "-")
_PARAMETER = re.compile(r"<((?:\w{1,20}:)?(?:parameter|arg_value))\b[^<>\n]*>")


class Piece(NamedTuple):
    """A part of a reply that was passed."""

    kind: PieceKind
    """What it is."""
    text: str
    """What stands there."""


class Locator:
    """Follows the text around payloads.

    Example:
        >>> locator = Locator()
        >>> locator.take('<think>{"a": 1}?</thi')
        >>> locator.find()
        >>> locator.take('nk>So: {"a"')
        >>> locator.find(), locator.text[locator.pos :]
        ('bracket', '{"a"')
    """

    __slots__ = (
        "_fence", "_inside", "_is_quoted", "_looked", "_until", "is_over", "is_unopened", "may_be_scalar", "pieces", "plain",
        "pos", "said", "text",
    )  # fmt: skip

    def __init__(self, *, plain: bool = False) -> None:
        """Nothing has come; ``plain`` when the text itself is wanted, so that brackets mean nothing."""
        self.plain: bool = plain
        self.text: str = ""
        """What has come and is not passed, with a little of what was."""
        self.pos: int = 0
        """How far it was passed."""
        self.said: bool = False
        """Running text stands before, behind the last mark that announces a payload."""
        self.may_be_scalar: bool = not plain
        """A payload without brackets could begin here."""
        self.is_over: bool = False
        """The turn has ended: what follows was never the answer."""
        self.is_unopened: bool = False
        """Reasoning ended that never began: all before was reasoning."""
        self.pieces: list[Piece] = []
        """What was passed, where the text is wanted."""
        self._until: _Skip | None = None
        self._looked = 0  # characters behind `pos` that were looked at already
        self._inside = 0  # open brackets that are no payload
        self._is_quoted = False  # in a quotation inside them
        self._fence: tuple[str, bool] | None = None  # its mark, and whether its label is that of another language

    def take(self, text: str) -> None:
        """More text."""
        kept = max(0, self.pos - CONTEXT)
        self.text = self.text[kept:] + text
        self.pos -= kept

    def leave(self, end: int, *, depth: int = 0) -> None:
        """Go on at a place behind what was found; what stands in so many open brackets there is no payload."""
        self.pos, self._looked = end, 0
        self._inside += depth
        self.said, self.may_be_scalar = True, False

    def cut(self) -> str:
        """Take away what is not passed."""
        rest, self.text = self.text[self.pos :], self.text[: self.pos]
        return rest

    def find(self, *, final: bool = False) -> Literal["bracket", "scalar"] | None:
        """Pass on to what may be a payload; it begins at `pos`. None when the text is used up.

        Args:
            final: no more text comes, so nothing that is cut off can be a mark.
        """
        while not self.is_over:
            if self._until is not None:
                if not self._skip(self._until):
                    return None
                continue
            sign = (_SIGNS_OF_TEXT if self.plain else _SIGNS_INSIDE if self._inside else _SIGNS).search(self.text, self.pos)
            end = len(self.text) if sign is None else sign.start()
            if self._is_scalar(end):
                return "scalar"
            if end > self.pos:
                self._pass(end)
                self._looked = 0
            if sign is None:
                return None
            found = self._act(sign[0], final=final)
            if found != "on":
                return "bracket" if found == "bracket" else None
        self._pass(len(self.text), "end")
        return None

    # ------------------------------------------------------------------------------------------------------ passing

    def _pass(self, end: int, kind: PieceKind = "text") -> None:
        text = self.text[self.pos : end]
        self.pos = end
        if self.plain and text:
            self.pieces.append(Piece(kind, text))
        if kind == "text" and not self.said and _SAYS.search(text):
            self.said, self.may_be_scalar = True, False

    def _go(self, end: int, kind: PieceKind = "text") -> _Found:
        """Pass a mark."""
        self._looked = 0
        self._pass(end, kind)
        return "on"

    def _wait(self, *, final: bool, most: int) -> bool:
        """Whether the mark may go on behind what has come."""
        length = len(self.text) - self.pos
        if final or length > most:
            return False
        self._looked = length
        return True

    def _skip(self, skip: _Skip) -> bool:
        """Skip as far as it goes; whether its end was there."""
        ends = skip.ends.search(self.text, self.pos)
        if ends is None:
            begun = self.text.rfind(skip.first, max(self.pos, len(self.text) - _LONGEST_END))
            self.pos = len(self.text) if begun < 0 else begun if skip.first != "-" else max(self.pos, len(self.text) - 2)
            return False
        self.pos, self._until = ends.start() if skip.is_kept else ends.end(), None
        return True

    def _is_scalar(self, end: int) -> bool:
        """Whether the text itself begins like a number, a string or a literal."""
        if not self.may_be_scalar or self.said:
            return False
        first = _SAYS.search(self.text, self.pos, end)
        if first is None:
            return False
        self.may_be_scalar = False
        if first[0] not in _FIRST:
            return False
        self._pass(first.start())
        return True

    # -------------------------------------------------------------------------------------------------------- marks

    def _act(self, sign: str, *, final: bool) -> _Found:
        """What a sign means: passed, a payload, or not known before more has come."""
        if self._inside and (self._is_quoted or sign in '"\n}]｝］'):
            return self._act_inside(sign)
        if sign == "<":
            return self._angle(final=final)
        if sign in "[◁":
            return self._square(sign, final=final)
        return self._backticks(sign, final=final) if sign in "`~" else self._bracket(sign)

    def _act_inside(self, sign: str) -> _Found:
        """A sign inside brackets that are no payload: they are followed to their end, past what is quoted on one line."""
        if sign == '"' and not self.text.startswith("\\", self.pos - 1):
            self._is_quoted = not self._is_quoted
        elif sign == "\n":
            self._is_quoted = False
        elif not self._is_quoted and sign != '"':
            self._inside -= 1
        return self._go(self.pos + 1)

    def _bracket(self, sign: str) -> _Found:
        if self._fence is not None and self._fence[1]:
            return self._go(self.pos + 1)
        before = self.text[max(0, self.pos - CONTEXT) : self.pos]
        if not self._inside and sign in "{[" and not marks.IS_MEMBER.search(before) and not _OF_A_CALL.search(before):
            self._looked = 0
            return "bracket"
        self._inside += 1
        return self._go(self.pos + 1)

    def _square(self, sign: str, *, final: bool) -> _Found:
        """``[``, which may open a mark too."""
        text, start = self.text, self.pos
        run = _SQUARE.match(text, start)
        assert run is not None, "it begins so"
        second = text[start + 1 : start + 2]
        may_be_mark = sign == "◁" or not second or second in _FIRST_IN_SQUARE
        if may_be_mark and run.end() == len(text) and self._wait(final=final, most=_LONGEST_SHORT):
            return "wait"
        match = marks.MARK.match(text, start)
        if match is None or match["open"] is not None:
            return self._bracket(sign) if sign == "[" and not self.plain else self._go(start + 1)
        if match["reasoning"] is not None:
            ends = {"[": "[/", "◁": "◁/"}[sign] + match[0][1:]
            return self._reasoning(match, _Skip(re.compile(re.escape(ends)), sign), is_closing=bool(match["close"]))
        found = self._go(match.end(), "token")
        if match[0] == "[INST]" and not self.plain:
            self._until = _TO_INSTRUCTED
        return found

    def _backticks(self, sign: str, *, final: bool) -> _Found:
        """Code in a line, or a fence."""
        text, start = self.text, self.pos
        run = _FENCE.match(text, start)
        assert run is not None, "it begins so"
        mark, end = run[0], run.end()
        if end == len(text) and self._wait(final=final, most=_LONGEST_SHORT):
            return "wait"
        if len(mark) >= 3 and not self.plain:
            return self._on_fence(mark, end, final=final)
        if sign == "~" or len(mark) > 1:
            return self._go(end)
        ends = _CODE_ENDS.search(text, start + max(1, self._looked))
        if ends is None and self._wait(final=final, most=_LONGEST_CODE):
            return "wait"
        is_code = ends is not None and ends[0] == "`" and ends.end() - start <= _LONGEST_CODE
        return self._go(ends.end() if is_code and ends is not None else end)

    def _on_fence(self, mark: str, end: int, *, final: bool) -> _Found:
        if self._fence is not None:
            if mark[0] == self._fence[0][0] and len(mark) >= len(self._fence[0]):
                self._fence = None
            return self._go(end)
        label = marks.LABEL.match(self.text, end)
        assert label is not None, "it matches the empty text"
        if label.end() == len(self.text) and self._wait(final=final, most=_LONGEST_SHORT):
            return "wait"
        found = self._go(label.end())
        self._fence = (mark, label[1].lower() not in marks.JSON_LABELS and label[1] != "")
        self._inside, self._is_quoted, self.said = 0, False, False
        return found

    def _angle(self, *, final: bool) -> _Found:
        """``<``: a tag, a token, a remark, or a sign of the text."""
        text, start = self.text, self.pos
        if _ANGLE.match(text, start) is None:
            return self._go(start + 1)
        if text.startswith("<!--", start) and not self.plain:
            self._until = _REMARK
            return self._go(start + len("<!--"), "token")
        ends = _ANGLE_ENDS.search(text, start + max(1, self._looked))
        if ends is None:
            return "wait" if self._wait(final=final, most=_LONGEST) else self._go(start + 1)
        named = _NAMED.match(text, start)
        if named is not None and named.end() == len(text) and not final and len(text) - start <= _LONGEST:
            return "wait"
        parameter = None if self.plain else _PARAMETER.match(text, start)
        if parameter is not None:  # of a call in tags: never the whole answer
            self._until = _Skip(re.compile(f"</{re.escape(parameter[1])}>"), "<")
            return self._go(parameter.end(), "token")
        match = marks.MARK.match(text, start) if ends[0] == ">" else None
        return self._go(start + 1) if match is None else self._on_mark(match, named)

    def _on_mark(self, match: re.Match[str], named: re.Match[str] | None) -> _Found:
        kind = next(name for name in marks.KINDS if match[name] is not None)
        if kind == "tag":
            return self._on_tag(match)
        if kind == "reasoning":
            closing = bool(match["close2"] or match["close3"])
            ends = "<|end_of_thought|>" if match[0].startswith("<|") else "</" + match[0][1:]
            return self._reasoning(match, _Skip(re.compile(re.escape(ends)), "<"), is_closing=closing)
        if kind == "turn" and self.said:
            self.is_over = True
            return self._go(match.end(), "end")
        if kind == "channel" and match["name"] in _REASONING_CHANNELS:
            return self._reasoning(match, _TO_TOKEN, is_closing=False)
        found = self._go(match.end() if kind != "channel" or named is None else named.end(), "token")
        if kind == "turn" and marks.OF_USER.search(match[0]) and not self.plain:  # the turn before the answer was repeated
            self._until = _TO_ANSWER
        elif kind != "turn":
            self.said = False
        return found

    def _on_tag(self, match: re.Match[str]) -> _Found:
        name = match["tagname"].lower()
        if name in marks.REASONING and (not self.plain or any(sign in name for sign in REASONING_SIGNS)):
            ends = _Skip(re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE), "<")
            return self._reasoning(match, ends, is_closing=match[0].startswith("</"))
        announces = name in marks.FINAL_TAGS or name in marks.BLOCK_TAGS or name in marks.CALL_TAGS
        self._go(match.end())
        if announces and not self.plain:
            self.said = False
        return "on"

    def _reasoning(self, match: re.Match[str], ends: _Skip, *, is_closing: bool) -> _Found:
        """Reasoning begins; or it ends and never began, so that all before was reasoning."""
        self._looked, self.pos = 0, match.end()
        if self.plain:
            self.pieces.append(Piece("unopened" if is_closing else "reasoning", ""))
        if not is_closing:
            self._until = ends
            return "on"
        self.is_unopened, self.said, self.may_be_scalar = True, False, not self.plain
        self._inside, self._is_quoted, self._fence = 0, False, None
        return "on"

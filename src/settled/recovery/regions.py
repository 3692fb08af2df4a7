"""Regions and candidates: where in a reply payloads may stand, in one pass that knows strings.

The pass stops at marks: brackets, fences, tags, special tokens. At a bracket it reads the value there, and goes on behind it, so
marks inside a payload are text. A candidate opens at depth 0: nothing inside an unclosed or unreadable parent ever becomes one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from . import marks
from .brackets import LOOK_AHEAD, balanced, is_prose
from .lexemes import ODD_BLANKS
from .nodes import Document
from .strings import Sight
from .tolerance import find_value, scan_value

FINAL, JSON_FENCE, BLOCK, BARE = 1, 2, 3, 4
"""Tiers, the best evidence first: the final channel or answer tag, a JSON fence or tool call, another fence or tag, bare text."""

_BLANK = " \t\r\n"
_OPENINGS = re.compile(r"[{\[][\s{\[]*")  # what opens before a first string
_DEFINES = re.compile(r"\b(?:def|class|function|fn|func)\s+\Z")
_OPENERS = re.compile(r"[{\[｛［]+")
_OF_A_TYPE = re.compile(r'(?:[\w)}]|\[\]|[,|][^\[\]\n]*\]|"[^"\n]*")\Z')
_SHORT_LOOK, _MOST_UNCLOSED, _MOST_CALLS, _MOST_ESCAPED = 50, 40, 20, 3
_MOST_NESTED = 16  # answer tags in each other; what the inner ones hold is found as candidates
_ANSWER_TAGS = marks.FINAL_TAGS | marks.CALL_TAGS | marks.BLOCK_TAGS
_MOST_READ_AGAIN = 40  # lengths of the reply, read behind the place where the search went on: its time stays linear
MOST_CANDIDATES = 20_000
"""Candidates of one reply, such as lines of JSON; a reply with more is refused."""


class Candidate(NamedTuple):
    """A place in a reply that may hold the payload."""

    document: Document
    """What stands there."""
    start: int
    """Where it starts."""
    end: int
    """Where the text behind it starts."""
    tier: int
    """How good the evidence is."""
    in_fence: bool = False
    """It stands in a Markdown fence."""
    in_tag: bool = False
    """It stands in a tag."""
    escaped: bool = False
    """It stands there as the inside of a JSON string."""


class Block(NamedTuple):
    """The text of a fence or tag, for payloads that are no container."""

    text: str
    """What stands inside."""
    start: int
    """Where it starts."""
    tier: int
    """How good the evidence is."""
    in_fence: bool
    """It is a fence; else a tag."""


class Regions(NamedTuple):
    """What a reply consists of."""

    candidates: tuple[Candidate, ...]
    """Containers at depth 0, in order."""
    blocks: tuple[Block, ...]
    """Fences and answer tags, closed ones only."""
    rest: str
    """The reply without reasoning, tokens and what follows the end of the turn."""
    prose: str
    """The rest without candidates, fences and tags."""
    words: str
    """The prose without the blanks around it."""
    reasoned: bool
    """Reasoning was left out."""
    tokens: bool
    """Special tokens, or what follows the end of the turn, were left out."""
    unanswered: bool
    """The reasoning was never closed."""
    final: bool
    """It has a final channel."""
    prose_before_last: int
    """How much of the prose stands before the last candidate."""
    too_many: bool = False
    """The search for candidates ended at a cap: brackets behind it are taken for text."""


class _Pass:
    """The pass over one reply."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = self.prose_before = self.unclosed = self.unread_calls = self.escapes = self.read_again = 0
        self.candidates: list[Candidate] = []
        self.blocks: list[Block] = []
        self.rest: list[str] = []
        self.prose: list[str] = []
        self.reasoned = self.tokens = self.unanswered = self.said = self.final = self.too_many = False
        self.fence: tuple[str, str, int] | None = None  # the mark, the label, and where its text starts
        self.said_so_far = 0
        self.sight = Sight(text)
        self.plain_until = 0  # no bracket before it opens something escaped
        self.tags: list[tuple[str, int]] = []
        self.open_tags: dict[str, int] = {}  # how many of each name are open

    def run(self) -> Regions:
        text = self.text
        while (match := marks.MARK.search(text, self.pos)) is not None:
            self._keep(self.pos, match.start(), prose=True)
            self.pos = match.start()
            kind = next(name for name in marks.KINDS if match[name] is not None)
            if _ACT[kind](self, match):
                break
        else:
            self._keep(self.pos, len(text), prose=True)
        prose = "".join(self.prose)
        return Regions(
            tuple(self.candidates), tuple(self.blocks), "".join(self.rest), prose, prose.strip(ODD_BLANKS + _BLANK),
            self.reasoned, self.tokens, self.unanswered, self.final, self.prose_before, self.too_many,
        )  # fmt: skip

    def _keep(self, start: int, end: int, *, prose: bool) -> None:
        if end > start:
            part = self.text[start:end]
            self.rest.append(part)
            if prose:
                self._say(part)
            self.said = self.said or bool(part.strip())

    def _say(self, part: str) -> None:
        self.prose.append(part)
        self.said_so_far += len(part)

    def channel(self, match: re.Match[str]) -> bool:
        """A channel of a reply: the analysis is left out, the final one is the answer."""
        self.pos = match.end()
        self.tokens = True
        if match["name"] in ("analysis", "thinking", "thought"):
            self.reasoned = True
            ends = re.compile(r"<\|(?:end|start|channel)\|>").search(self.text, self.pos)
            if ends is None:
                self.unanswered, self.pos = True, len(self.text)
                return True
            self.pos = ends.start()
        else:
            self.final = match["name"] == "final"
        return False

    def turn(self, match: re.Match[str]) -> bool:
        """The end of the turn: what follows was never the answer."""
        if match[0].endswith(":") and not self.candidates:
            answer = None if self.said else marks.REPLIES.search(self.text, match.end())
            if answer is not None:
                self.pos = answer.end()  # the turn before the answer was repeated
                return False
            return self._is_text(match)
        self.pos, self.tokens = match.end(), True
        if not self.said and marks.OF_USER.search(match[0]):  # the turn before the answer was repeated
            answer = marks.ANSWERS.search(self.text, self.pos)
            self.pos = len(self.text) if answer is None else answer.start()
        return self.said

    def token(self, match: re.Match[str]) -> bool:
        """A special token; what stands between those of an instruction was said to the model."""
        self.pos, self.tokens = match.end(), True
        if match[0] == "[INST]":
            end = self.text.find("[/INST]", self.pos)
            self.pos = self.pos if end < 0 else end
        return False

    def on_fence(self, match: re.Match[str]) -> bool:
        """A fence opens or closes."""
        mark, text = match[0], self.text
        self.pos = match.end()
        if self.fence is not None and mark[0] == self.fence[0][0] and len(mark) >= len(self.fence[0]):
            _, label, start = self.fence
            tier = JSON_FENCE if label.lower() in marks.JSON_LABELS else BLOCK
            self.blocks.append(Block(text[start : match.start()], start, self._tier(tier), True))
            self.fence = None
            self.rest.append("\n")
        elif self.fence is None:
            named = marks.LABEL.match(text, self.pos)
            assert named is not None, "it matches the empty text"
            self.fence = (mark, named[1], named.end())
            self.pos = named.end()
        return False

    def on_code(self, match: re.Match[str]) -> bool:
        """Inline code without brackets: words about marks are no marks."""
        return self._is_text(match)

    def on_remark(self, match: re.Match[str]) -> bool:
        """A comment of HTML: nothing in it is the answer."""
        end = self.text.find("-->", match.end())
        end = len(self.text) if end < 0 else end + 3
        self._keep(match.start(), end, prose=True)
        self.pos = end
        return False

    def on_tag(self, match: re.Match[str]) -> bool:
        """A tag opens or closes; reasoning goes with all that is in it."""
        name, closing = match["tagname"].lower(), match[0].startswith("</")
        self.pos = match.end()
        if name in marks.REASONING:
            return self._reasoning(re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE), closing=closing)
        if closing:
            while self.open_tags.get(name):
                opened, start = self.tags.pop()
                self.open_tags[opened] -= 1
                if opened == name:
                    if len(self.tags) < _MOST_NESTED and (name in marks.FINAL_TAGS or name in marks.BLOCK_TAGS):
                        tier = FINAL if name in marks.FINAL_TAGS else BLOCK
                        self.blocks.append(Block(self.text[start : match.start()], start, tier, False))
                    break
        elif not match[0].endswith("/>"):
            self.tags.append((name, match.end()))
            self.open_tags[name] = self.open_tags.get(name, 0) + 1
        self.rest.append(match[0])
        if name not in marks.FINAL_TAGS and name not in marks.BLOCK_TAGS and name not in marks.CALL_TAGS:
            self._say(match[0])
            self.said = True
        return False

    def on_reasoning(self, match: re.Match[str]) -> bool:
        """Reasoning between marks of another form than tags."""
        self.pos = match.end()
        closing = bool(match["close"] or match["close2"] or match["close3"])
        ends = (
            {"[": "[/", "◁": "◁/", "<": "</"}[match[0][0]] + match[0][1:]
            if not match[0].startswith("<|")
            else "<|end_of_thought|>"
        )
        return self._reasoning(re.compile(re.escape(ends)), closing=closing)

    def _reasoning(self, end: re.Pattern[str], *, closing: bool) -> bool:
        self.reasoned = True
        if closing:  # its opening is missing: all before it was reasoning
            self.candidates.clear()
            self.blocks.clear()
            self.rest.clear()
            self.prose.clear()
            self.said, self.fence, self.said_so_far = False, None, 0
            self.tags.clear()
            self.open_tags.clear()
            return False
        ends = end.search(self.text, self.pos)
        if ends is None:
            self.unanswered, self.pos = True, len(self.text)
            return True
        self.pos = ends.end()
        return False

    def _tier(self, tier: int) -> int:
        if self.final or self._is_in(marks.FINAL_TAGS):
            return FINAL
        if self._is_in(marks.CALL_TAGS):
            return min(tier, JSON_FENCE)
        return min(tier, BLOCK) if self._is_in(marks.BLOCK_TAGS) else tier

    def _is_in(self, names: frozenset[str]) -> bool:
        """Whether a tag of one of these names is open."""
        return any(self.open_tags.get(name) for name in names) if self.tags else False

    def on_open(self, match: re.Match[str]) -> bool:
        """A bracket: the value that it opens is a candidate, unless it is prose."""
        if len(self.candidates) >= MOST_CANDIDATES or self.read_again > _MOST_READ_AGAIN * len(self.text):
            self.too_many = True
            return self._is_text(match)
        start = match.start()
        if match["call"] is not None and (
            self.unread_calls >= _MOST_CALLS or _DEFINES.search(self.text, max(0, start - 20), start)
        ):
            return self._is_text(match)
        find = find_value if match["call"] is None else scan_value
        document = find(self.text, start, self.sight)
        if document.fault is not None and self.escapes < _MOST_ESCAPED and self._starts_escaped(start):
            self.escapes += 1
            if self._escaped(start):
                return False
        if match["call"] is not None and not document.is_whole:
            self.unread_calls += 1
            return self._is_text(match)
        if marks.IS_MEMBER.search(self.text, max(0, start - 20), start):
            document = document._replace(fault="it is a part of something that is not open", members=document.members + 1)
            self._candidate(document, start, document.end)
            return False
        if is_prose(self.text, start, document) or self._is_of_a_type(start):
            end = start + 1 if document.fault is not None else document.end
            if document.fault is not None:
                end = self._past_pieces(start)
            self._keep(start, end, prose=True)
            self._leave(document, end)
            return False
        end = document.end if document.fault is None else self._end_of_unread(document, start)
        self._candidate(document, start, end)
        return False

    def _is_of_a_type(self, start: int) -> bool:
        """Empty brackets behind what is no JSON value, as in the type of a list: ``{ name: string }[]``, ``"a"[]``."""
        text = self.text
        if not text.startswith("[]", start):
            return False
        if self.candidates and self.candidates[-1].end == start:
            before = self.candidates[-1].document
            return not before.is_whole or bool(before.repairs)
        return _OF_A_TYPE.search(text, max(0, start - 80), start) is not None and text[start + 2 : start + 3] != '"'

    def _end_of_unread(self, document: Document, start: int) -> int:
        """Where a payload that cannot be read ends: what stands in it is no candidate."""
        deep = document.fault is not None and document.fault.startswith("nested")
        return len(self.text) if deep else balanced(self.text, start, len(self.text)) or len(self.text)

    def _is_text(self, match: re.Match[str]) -> bool:
        """The mark is part of the prose."""
        self._keep(match.start(), match.end(), prose=True)
        self.pos = match.end()
        return False

    def _past_pieces(self, start: int) -> int:
        """Past the first bracket of some prose; past all of it, if what stands in it would be a piece of something else."""
        close = balanced(self.text, start, LOOK_AHEAD if self.unclosed < _MOST_UNCLOSED else _SHORT_LOOK)
        self.unclosed += close is None
        if self.unclosed >= _MOST_UNCLOSED:
            run = _OPENERS.match(self.text, start)
            return start + 1 if run is None else run.end()
        return close if close is not None and "{" in self.text[start + 1 : close] else start + 1

    def _leave(self, document: Document, end: int) -> None:
        """Go on at a place; what was read behind it is read again."""
        self.pos = end
        self.read_again += max(0, document.end - end, document.looked_to - end)

    def _candidate(self, document: Document, start: int, end: int, *, escaped: bool = False) -> None:
        fence = self.fence
        plain = JSON_FENCE if fence and fence[1].lower() in marks.JSON_LABELS else BLOCK if fence else BARE
        in_tag = self._is_in(_ANSWER_TAGS)
        self.candidates.append(Candidate(document, start, end, self._tier(plain), fence is not None, in_tag, escaped))
        self._keep(start, end, prose=False)
        self.prose_before = self.said_so_far
        if escaped:
            self.pos = end
        else:
            self._leave(document, end)

    def _starts_escaped(self, start: int) -> bool:
        r"""Whether the first string behind a bracket, and behind more of them, has the quote ``\"``."""
        if start < self.plain_until:
            return False  # in the middle of brackets that were looked through from their first one on
        openings = _OPENINGS.match(self.text, start)
        if openings is None:
            return False
        if self.text.startswith('\\"', openings.end()):
            return True
        self.plain_until = openings.end()
        return False

    def _escaped(self, start: int) -> bool:
        r"""``{\"a\": 1}`` without the quotes around it: the inside of a JSON string."""
        end = balanced(self.text.replace('\\"', '" '), start, len(self.text))
        part = self.text[start : end or len(self.text)]
        if end is None or re.search(r'(?<!\\)"', part):
            return False
        document = scan_value(part.replace('\\"', '"').replace("\\\\", "\\"), 0)
        if not document.is_whole:
            return False
        self._candidate(document, start, end, escaped=True)
        return True


_ACT = {
    "channel": _Pass.channel,
    "reasoning": _Pass.on_reasoning,
    "code": _Pass.on_code,
    "remark": _Pass.on_remark,
    "call": _Pass.on_open,
    "turn": _Pass.turn,
    "token": _Pass.token,
    "fence": _Pass.on_fence,
    "tag": _Pass.on_tag,
    "open": _Pass.on_open,
}


def regions_of(text: str) -> Regions:
    """The regions of a reply.

    Example:
        >>> found = regions_of('<think>{"a": 1}?</think>So: {"a": 2}')
        >>> [(one.start, one.tier) for one in found.candidates], found.reasoned
        ([(28, 4)], True)
    """
    return _Pass(text).run()

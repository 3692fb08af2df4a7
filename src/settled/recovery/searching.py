"""The search of a reply for its payload: everything behind the strict path.

regions     reasoning, fences, tags, tokens and bare text; candidates open at depth 0    regions.py, tolerance.py, scanner.py
readings    each candidate, aligned with what the type expects and validated            reading.py, alignment.py
choice      the best tier that has a fit must have exactly one distinct value           choosing.py
roots       scalars as the whole of a text, and the syntaxes that are opt-in            roots.py
text        for ``str``, the text itself
"""

from __future__ import annotations

import html
import re

from ..schema.expected import Expected
from ..vocabulary.issues import Issue, Repair
from .catalogue import repair_of
from .choosing import Contender, choose
from .finding import Accepts, Finding, Judgement
from .lexemes import ODD_BLANKS
from .nodes import StringNode, WordNode
from .policy import Recovery
from .reading import Reading, read
from .regions import BARE, FINAL, JSON_FENCE, Block, Candidate, Regions, regions_of
from .roots import Root, calls_in, lines_of, opted_in, scalar_of, takes_scalars
from .templates import is_type
from .tolerance import scan_value

_BLANK = " \t\r\n"
_ENTITY = re.compile(r"&(?:quot|#34|#x22|apos|#39);")
_UNCLOSED = re.compile(r'[ \t\r\n]*"[^"\\]*(?:\\.[^"\\]*)*\\?', re.DOTALL)
MOST_READ = 64
"""Candidates of one reply that are judged; a reply with more that are no lines of one list is refused."""
_OF_A_TYPE = re.compile(r'\s*"[^"\n]*"(?: \| |\[\])')  # its strings are closed
_FEW, _MOST_BLANKS = 2000, 2


def search(text: str, accepts: Accepts, policy: Recovery, context: object) -> Finding:
    """The payload in a text that is not taken as it stands.

    Example:
        >>> from settled.modes.answers import answers_for
        >>> from settled.schema.target import OutputTarget
        >>> search("So: [1, 2,]", answers_for(OutputTarget(list[int])), Recovery.SCHEMA, None).value
        [1, 2]
    """
    unread = _without_echo(text, accepts)
    found = _Search(unread, accepts, policy, context).run()
    return found._replace(payload=text) if found.payload == unread else found


def reread(text: str, judged: Judgement, accepts: Accepts, policy: Recovery, context: object) -> Finding:
    """A whole text that is JSON, but does not fit as it stands, or does so by a hole: there is nothing around it to search.

    Args:
        text: the text.
        judged: what the strict path made of it.
        accepts: what a payload may be.
        policy: what may be mended.
        context: for the caller's validators.

    Example:
        >>> from settled.modes.answers import answers_for
        >>> from settled.schema.target import OutputTarget
        >>> answers = answers_for(OutputTarget(dict[str, int]))
        >>> text = '{"a": 1, "a": 2}'
        >>> reread(text, answers.judge(text, None), answers, Recovery.SCHEMA, None).outcome
        'ambiguous'
    """
    if accepts.is_only_text and not any(way.frame for way in accepts.ways):
        return search(text, accepts, policy, context)
    found = read(scan_value(text, 0), text, (), accepts, policy, context, known=judged).finding
    as_text = found.outcome != "value" and accepts.is_only_text
    return search(text, accepts, policy, context) if as_text else found


def without_reasoning(text: str) -> tuple[str, Repair] | None:
    """The text without its reasoning, and the repair that this is; None where there is none.

    Example:
        >>> without_reasoning("<think>hm</think>Hei")[0]
        'Hei'
    """
    regions = regions_of(text)
    if not regions.reasoned:
        return None
    return regions.rest.lstrip(), repair_of("reasoning.removed", span=(0, max(0, len(text) - len(regions.rest))))


class _Search:
    """The search of one text."""

    def __init__(self, text: str, accepts: Accepts, policy: Recovery, context: object) -> None:
        self.text, self.accepts, self.policy, self.context = text, accepts, policy, context

    def run(self) -> Finding:
        regions = regions_of(self.text)
        if regions.unanswered and not regions.candidates and not regions.rest.strip():
            issue = Issue(message="the reasoning is not closed: nothing follows it", code="empty")
            return Finding("no_payload", self.text, issues=(issue,))
        if _UNCLOSED.fullmatch(regions.rest):
            return Finding("truncated", self.text, issues=(Issue(message="the string is not closed", code="truncated"),))
        if not regions.blocks and _is_string(
            regions.rest
        ):  # what stands in it is decoded by alignment, where the type is a container
            return self._roots(regions._replace(candidates=(), blocks=())) or self._nothing(regions)
        found = None if self.accepts.is_only_text and not self._has_frame() else self._containers(regions, self.text)
        if found is not None and (found.outcome == "value" or regions.too_many):
            return found
        if found is not None and self.policy.level == "semantic" and all(one.tier == BARE for one in regions.candidates):
            opted = choose(self._opted(regions), "", self.policy)  # flow lists in YAML are no candidates of their own
            found = opted if opted is not None and opted.outcome == "value" else found
        if found is None or not regions.candidates:
            found = self._from_entities(regions) or self._roots(regions) or found
        as_text = None if found is not None and found.outcome == "value" else self._as_text(regions, found)
        return as_text or found or self._nothing(regions)

    def _has_frame(self) -> bool:
        return any(way.frame for way in self.accepts.ways)

    # ----------------------------------------------------------------------------------------------- containers

    def _containers(self, regions: Regions, text: str, more: tuple[Repair, ...] = ()) -> Finding | None:
        """What the candidates in brackets, or the calls in tags, come to."""
        if regions.too_many:
            return self._too_many(regions)
        calls = calls_in(regions.rest)
        if calls:
            return self._calls(calls, regions)
        lines = self._lines(regions, text, more)
        covered = lines is not None and lines.end >= regions.candidates[-1].end and lines.start <= regions.candidates[0].start
        if len(regions.candidates) > MOST_READ and not covered:
            return self._too_many(regions)
        contenders: list[Contender] = []
        behind = 0
        for candidate in regions.candidates[:MOST_READ]:
            framing = (*more, *self._framing(regions, candidate, text))
            part = text[candidate.start : candidate.end] if not candidate.escaped else "{}"
            document = candidate.document
            if candidate.escaped:
                decoded = repair_of("json.double_encoded", span=(candidate.start, candidate.end))
                document = document._replace(repairs=(decoded, *document.repairs))
            reading = read(document, part, framing, self.accepts, self.policy, self.context)
            contenders.append(Contender(reading, candidate.tier, candidate.start, candidate.end, text[behind : candidate.start]))
            behind = candidate.end
        if lines is not None and not any(one.reading.fits and one.tier < lines.tier for one in contenders):
            contenders = [one for one in contenders if one.start < lines.start or one.end > lines.end] + [lines]
        marked = regions.final or any(block.tier == FINAL for block in regions.blocks)
        after = regions.prose[regions.prose_before_last :]
        return choose(contenders, regions.words, self.policy, after, marked=marked)

    def _too_many(self, regions: Regions) -> Finding:
        """What was not looked at might be another answer."""
        issue = Issue(message=f"more than {MOST_READ} places could hold the payload", code="too_many_candidates")
        cut = bool(regions.candidates) and regions.candidates[-1].document.open_at is not None
        return Finding("truncated" if cut else "ambiguous", self.text, issues=(issue,))

    def _lines(self, regions: Regions, text: str, more: tuple[Repair, ...]) -> Contender | None:
        """JSON lines, where a list is due."""
        if not any(way.target.expected.kind == "list" for way in self.accepts.ways) or len(regions.candidates) < 2:
            return None
        first, last = regions.candidates[0], regions.candidates[-1]
        spans = [(one.start, one.end) for one in regions.candidates]
        document = lines_of([one.document for one in regions.candidates], text, spans)
        if document is None or first.tier != last.tier:
            return None
        framing = (*more, *self._framing(regions, first, text))
        reading = read(document, text[first.start : last.end], framing, self.accepts, self.policy, self.context)
        return Contender(reading, first.tier, first.start, last.end, text[: first.start])

    def _framing(self, regions: Regions, candidate: Candidate | Block | None, text: str) -> list[Repair]:
        """The repairs around a payload, in the order in which they are made."""
        span = None if candidate is None else (candidate.start, getattr(candidate, "end", candidate.start + 1))
        found = [repair_of("token.removed", span=span)] if regions.tokens else []
        found += [repair_of("reasoning.removed", span=span)] if regions.reasoned else []
        found += [repair_of("blank.odd")] if not regions.words and regions.prose.strip(_BLANK) else []
        found += [repair_of("prose.removed", span=span)] if regions.words else []
        if candidate is not None:
            in_tag = candidate.in_tag if isinstance(candidate, Candidate) else not candidate.in_fence
            found += [repair_of("tag.stripped", span=span)] if in_tag else []
            found += [repair_of("fence.stripped", span=span)] if candidate.in_fence else []
        return found

    def _calls(self, calls: list[Root], regions: Regions) -> Finding | None:
        foreign = next((root.called for root in calls if root.called in self.accepts.functions), None)
        if foreign is not None:
            issue = Issue(message=f"a call of the tool {foreign} is no result; call the tool itself", code="tool_call_as_text")
            return Finding("invalid", self.text, issues=(issue,))
        contenders = [
            Contender(read(root.document, root.text, [], self.accepts, self.policy, self.context), JSON_FENCE, place, place)
            for place, root in enumerate(calls)
        ]
        return choose(contenders, "", self.policy)

    def _from_entities(self, regions: Regions) -> Finding | None:
        """HTML entities in place of the quotes of the payload."""
        if not _ENTITY.search(regions.rest) or '"' in regions.prose:
            return None
        decoded = html.unescape(regions.rest)
        return self._containers(regions_of(decoded), decoded, (repair_of("html.unescaped"),))

    # ---------------------------------------------------------------------------------------------------- roots

    def _roots(self, regions: Regions) -> Finding | None:
        """Payloads without brackets of their own."""
        if self.accepts.is_only_text and regions.rest.strip(_BLANK)[:1] != '"':
            return None  # the text itself is the value
        contained = bool(regions.candidates) and not self.accepts.is_only_text
        contenders: list[Contender] = []
        for block in regions.blocks:
            root = scalar_of(block.text)
            if root is not None and not contained:
                framing = self._framing(regions, block, self.text)
                if self._is_all(block, regions):
                    framing = [repair for repair in framing if repair.code != "prose.removed"]
                self._contend(contenders, root, framing, block.tier, block.start)
        rest = _said_once(regions.rest.strip(ODD_BLANKS + _BLANK))
        root = scalar_of(rest) if not contained and not regions.blocks else None
        if root is not None:
            framing = [repair for repair in self._framing(regions, None, self.text) if repair.code != "prose.removed"]
            self._contend(contenders, root, framing, BARE, 0)
        if not any(one.reading.fits for one in contenders) and not contained:
            contenders += self._opted(regions)
        return choose(contenders, "", self.policy)

    def _is_all(self, block: Block, regions: Regions) -> bool:
        """Whether the prose consists of nothing but what stands in a block."""
        if len(block.text) < len(regions.words):
            return False  # known at once: of many blocks, each would be taken out of a copy
        return not regions.prose.replace(block.text, "", 1).strip(ODD_BLANKS + _BLANK)

    def _opted(self, regions: Regions) -> list[Contender]:
        """Payloads in the syntaxes of the semantic level; below it, they are what a forbidden repair would give."""
        prose = regions.words
        found: list[Contender] = []
        for opted in opted_in(self._opted_text(regions), "" if prose.count('"') % 2 else prose, self.accepts):
            self._contend(found, opted, [], BARE + 1, 0, opted=True)
        named = {one.reading.finding.payload for one in found if one.reading.would_fit}
        if len(named) > 1:
            issue = Issue(message="more than one value is named", code="ambiguous")
            return [one._replace(reading=Reading(Finding("ambiguous", self.text, issues=(issue,)))) for one in found[:1]]
        return found

    def _opted_text(self, regions: Regions) -> str:
        fenced = [block for block in regions.blocks if block.in_fence]
        return fenced[0].text if len(fenced) == 1 else regions.rest

    def _contend(
        self, contenders: list[Contender], root: Root, framing: list[Repair], tier: int, start: int, *, opted: bool = False
    ) -> None:
        word = root.document.root.text if isinstance(root.document.root, WordNode) else ""
        if word and not any(takes_scalars(way.target.expected) for way in self.accepts.ways):
            return  # prose, where no scalar is due
        reading = read(root.document, root.text, framing, self.accepts, self.policy, self.context)
        choice = any(way.target.expected.kind == "choice" for way in self.accepts.ways)
        no_answer = opted or (word and (not choice or word.count(" ") > _MOST_BLANKS))
        if reading.finding.outcome == "invalid" and no_answer:
            reading = reading._replace(finding=reading.finding._replace(outcome="no_payload"))  # a sentence is no answer
        contenders.append(Contender(reading, tier, start, start + len(root.text)))

    # ----------------------------------------------------------------------------------------------------- text

    def _as_text(self, regions: Regions, found: Finding | None) -> Finding | None:
        """The text itself, where ``str`` is asked for."""
        marked = [block for block in regions.blocks if block.tier == FINAL]
        whole = regions.rest if regions.reasoned or regions.tokens else self.text
        text = (marked[-1].text if marked else whole).strip(ODD_BLANKS + _BLANK)
        if not text or (text[0] == '"' and text.count('"') == 1):
            return None
        if not self.accepts.is_only_text and regions.candidates:
            return None
        if is_type(text, alone=False):
            return None
        judged = self.accepts.takes_text(text, self.context)
        if judged is None:
            return None
        framing = [one for one in self._framing(regions, None, self.text) if one.code in ("token.removed", "reasoning.removed")]
        framing += [repair_of("tag.stripped")] if marked else []
        refused = [one for one in framing if not self.policy.permits(one)]
        if refused:
            message = f"would need the repair {refused[0].code}, which the policy forbids"
            return Finding("invalid", text, issues=(Issue(message=message, code="repair_forbidden"),))
        if not judged.fits:
            return Finding("invalid", text, issues=judged.issues, fault=judged.fault)
        return Finding("value", text, judged.value, judged.name, repairs=tuple(framing), as_text=True)

    def _nothing(self, regions: Regions) -> Finding:
        message = "nothing follows the reasoning" if regions.reasoned and not regions.words else "no JSON in the reply"
        if regions.rest.strip()[:1] == '"' and not _OF_A_TYPE.match(regions.rest):
            return Finding("truncated", self.text, issues=(Issue(message="the string is not closed", code="truncated"),))
        return Finding("no_payload", self.text, issues=(Issue(message=message, code="no_json"),))


def _takes_text(expected: Expected) -> bool:
    return any(place.kind == "text" for place in (expected, *expected.members))


def _without_echo(text: str, accepts: Accepts) -> str:
    """The text with the type that the model was shown, remarks and all, as one long word: values in its remarks are no answer."""
    shown = accepts.shown
    if " // " not in shown or shown not in text or any(_takes_text(way.target.expected) for way in accepts.ways):
        return text
    return text.replace(shown, "t" * len(shown))  # of its length, so that all places stay


def _is_string(text: str) -> bool:
    """Whether a text is one JSON string as a whole, so that it is decoded and never taken as it stands."""
    root = scalar_of(text.strip(ODD_BLANKS + _BLANK)) if text.lstrip()[:1] == '"' else None
    return root is not None and isinstance(root.document.root, StringNode) and root.document.root.closed


def _said_once(text: str) -> str:
    """One of several equal lines."""
    first, _, others = text.partition("\n")
    lines = [line.strip() for line in others.split("\n") if line.strip()] if len(text) < _FEW else []
    return first.strip() if lines and all(line == first.strip() for line in lines) else text

"""`read`: one document judged by what a payload may be: aligned, then validated, as each way in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

from pydantic_core import PydanticSerializationError, to_json

from ..schema.misfits import TOO_MANY
from ..vocabulary.issues import Issue, Repair, RepairLevel
from ..vocabulary.narrowing import is_mapping
from .alignment import Aligned, align
from .catalogue import repair_of
from .finding import Accepts, Finding, FindingOutcome, Judgement, Way
from .nodes import Document, ObjectNode, StringNode
from .policy import Recovery
from .screen import is_proven
from .tolerance import scan_value
from .walk import forbidden, plain_of
from .wrappers import called_name

_RANK = {level: rank for rank, level in enumerate(get_args(RepairLevel), 1)}


class Reading(NamedTuple):
    """What one document came to."""

    finding: Finding
    """The value, or the refusal."""
    matched: int = 0
    """Fields that were given: how much it looks like the type."""
    would_fit: bool = False
    """Nothing stands against it but repairs that the policy forbids."""
    spoils: bool = False
    """It looks like an answer that was cut off, is in doubt or cannot be read, so no other may be taken in its place."""

    @property
    def fits(self) -> bool:
        """There is a value."""
        return self.finding.outcome == "value"


def read(
    document: Document,
    text: str,
    framing: Sequence[Repair],
    accepts: Accepts,
    policy: Recovery,
    context: object,
    *,
    known: Judgement | None = None,
) -> Reading:
    """Judge one document.

    Args:
        document: what stands at the place.
        text: the text that it was read from, which is validated where nothing had to be changed.
        framing: repairs around it.
        accepts: what a payload may be.
        policy: what may be mended.
        context: for the caller's validators.
        known: how the text was judged as it stands, if it was: it is not validated again where nothing is changed.
    """
    if document.unscanned:
        known = accepts.judge(text, context)
        if (taken := _as_it_stands(text, known, framing, policy)) is not None:
            return taken
        document = scan_value(text, 0)
    if document.fault is not None:
        return _unreadable(document, text, framing)
    called = called_name(document.root) if accepts.functions else None
    if called in accepts.functions:
        return _a_call(called or "", text)
    fitting: list[Reading] = []
    misfits: list[Reading] = []
    no_container = accepts.is_only_text and not isinstance(document.root, StringNode)  # for str, the text itself is the value
    alone = len(accepts.ways) == 1
    tagged = isinstance(document.root, ObjectNode) and accepts.names_kind(plain_of(document.root))
    for way in accepts.ways:
        if (no_container or tagged) and not way.frame:
            continue
        judged = known if alone or (known is not None and known.way == way) else None
        reading, framed = _read_as(way, document, text, framing, accepts, policy, context, judged)
        if reading.finding.fault is not None:
            return reading
        if reading.fits:
            fitting.append(reading)
        elif framed or not way.frame:
            misfits.append(reading)
        if framed:
            break  # it is spelled as it was asked for: no other way is meant
    if not fitting and not misfits:
        return Reading(Finding("no_payload", text, issues=(Issue(message="a text is due, not a container", code="no_text"),)))
    if not fitting:
        return max(misfits, key=lambda reading: (reading.finding.outcome != "invalid", reading.matched))
    if len(fitting) > 1:
        least = min(_rank(reading) for reading in fitting)
        fitting = [reading for reading in fitting if _rank(reading) == least]
    if len(fitting) == 1:
        return fitting[0]
    names = " and ".join(reading.finding.name for reading in fitting)
    issue = Issue(message=f"fits {names}: say which", code="ambiguous")
    return Reading(Finding("ambiguous", text, issues=(issue,)), fitting[0].matched)


def _as_it_stands(text: str, judged: Judgement, framing: Sequence[Repair], policy: Recovery) -> Reading | None:
    """The reading of JSON that fits and needs nothing; None for what has to be aligned."""
    if judged.fault is not None:
        return Reading(Finding("invalid", text, fault=judged.fault, repairs=tuple(framing)))
    if judged.ambiguous:
        return Reading(Finding("ambiguous", text, issues=judged.issues), 1)
    if not is_proven(text, judged):
        return None
    repairs = (*framing, *judged.repairs)
    refused = tuple(forbidden(repair) for repair in repairs if not policy.permits(repair))
    if refused:
        return Reading(Finding("invalid", text, issues=refused), 1, would_fit=True)
    return Reading(Finding("value", text, judged.value, judged.name, judged.role, repairs=repairs), 1)


def _rank(reading: Reading) -> int:
    """How deep its repairs reach."""
    return max((_RANK[repair.level] for repair in reading.finding.repairs), default=0)


def _read_as(
    way: Way,
    document: Document,
    text: str,
    framing: Sequence[Repair],
    accepts: Accepts,
    policy: Recovery,
    context: object,
    known: Judgement | None,
) -> tuple[Reading, bool]:
    """The reading as one way, and whether the document has the way's frame."""
    if known is not None and any(issue.code == TOO_MANY for issue in known.issues):  # nor would alignment come to an end
        return Reading(Finding("invalid", text, issues=known.issues), 1), bool(way.frame)
    aligned = align(document, way.target.expected, policy, framed=bool(way.frame), encoding=way.encoding)
    framed = bool(way.frame) and is_mapping(aligned.plain) and all(key in aligned.plain for key in way.frame)
    if way.frame and not framed:
        return Reading(Finding("invalid", text, issues=aligned.unknown), 0), False
    around = (*framing, *((repair_of("wrapper.absent"),) if way.unframed else ()))
    refused = [forbidden(repair) for repair in around if not policy.permits(repair)]
    if refused:
        aligned = aligned._replace(issues=(*refused, *aligned.issues))
    payload = _spelled(aligned) if aligned.changed else text
    if payload is None:
        issue = Issue(message="it holds what has no JSON form", code="string_unicode")
        return Reading(Finding("invalid", text, issues=(issue,)), aligned.matched), framed
    judged = accepts.judge_as(way, payload, context) if known is None or aligned.changed else known
    if aligned.given_up and judged.fault is None:
        said = aligned.issues if judged.fits else judged.issues  # pydantic, which tries within a bound, may say more
        return Reading(Finding("invalid", text, issues=said or aligned.issues), aligned.matched), framed
    finding = _finding(aligned, judged, payload, (*around, *aligned.repairs))
    looks_meant = aligned.matched > 0 or document.members > 0
    only_refused = judged.fits and not (aligned.cut_at or aligned.absent) and finding.outcome != "value"
    would_fit = only_refused and all(issue.code == "repair_forbidden" for issue in aligned.issues)
    in_doubt = finding.outcome == "truncated" or (finding.outcome == "ambiguous" and aligned.ambiguous)
    return Reading(finding, aligned.matched, would_fit, in_doubt and looks_meant), framed


def _spelled(aligned: Aligned) -> str | None:
    try:
        return to_json(aligned.plain).decode()
    except (PydanticSerializationError, ValueError):  # a lone surrogate
        return None


def _finding(aligned: Aligned, judged: Judgement, payload: str, repairs: tuple[Repair, ...]) -> Finding:
    if judged.fits and aligned.may_fit:
        return Finding("value", payload, judged.value, judged.name, judged.role, repairs=repairs)
    said = {issue.path for issue in aligned.issues}
    issues = (*aligned.issues, *(issue for issue in (() if judged.fits else judged.issues) if issue.path not in said))
    if judged.fault is not None and aligned.may_fit:
        return Finding("invalid", payload, issues=issues, repairs=repairs, fault=judged.fault)
    if aligned.absent is not None:
        return Finding("no_payload", payload, issues=(Issue(message=aligned.absent, code="no_answer"),), repairs=repairs)
    if aligned.cut_at is not None:
        elided = "it says that something is left out; give all of it"
        message = elided if aligned.elided else "the payload ends here before it is complete"
        issue = Issue(path=aligned.cut_at, message=message, code="truncated")
        return Finding("truncated", payload, issues=(issue, *aligned.issues), repairs=repairs)
    outcome: FindingOutcome = "ambiguous" if aligned.ambiguous else "invalid"
    told = aligned.unknown if any(issue.code in _MISSING for issue in issues) else ()
    issues = issues or (Issue(message="it does not fit", code="invalid"),)
    return Finding(outcome, payload, issues=(*issues, *told), repairs=repairs)


_MISSING = frozenset((
    "missing", "missing_argument", "missing_keyword_only_argument", "union_tag_not_found", "no_known_key", "no_known_tag",
))  # fmt: skip


def _a_call(name: str, text: str) -> Reading:
    """A call of one of the user's tools, written as text: it is no answer, and no other may be taken in its place."""
    issue = Issue(message=f"a call of the tool {name} is no result; call the tool itself", code="tool_call_as_text")
    return Reading(Finding("invalid", text, issues=(issue,)), 1, spoils=True)


def _unreadable(document: Document, text: str, framing: Sequence[Repair]) -> Reading:
    """A payload that is no JSON, and that no repair makes JSON in one way."""
    around = text[max(0, document.end - 20) : document.end + 20]
    message = f"not valid JSON at character {document.end}: {document.fault}"
    issue = Issue(message=message, got=repr(around), code="json_invalid")
    return Reading(Finding("invalid", text, issues=(issue,)), 0, spoils=True)

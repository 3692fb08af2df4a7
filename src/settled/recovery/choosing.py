"""Which of several fitting candidates is the answer: the best tier that has a fit, and in it exactly one distinct value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..vocabulary.issues import Issue, Repair
from .catalogue import repair_of
from .finding import Finding, FindingOutcome
from .policy import Recovery
from .prose import is_example_marker, is_final_marker, is_refusal
from .reading import Reading
from .regions import FINAL
from .walk import forbidden

_FENCE_LINE = re.compile(r"(?:`{3,}|~{3,})[\w+#. -]*\s*\Z|[`*_]+\Z")
_ANSWER_BEHIND = re.compile(
    r"^[^\w\n]{0,80}(?:final )?(?:answer|output|result)[^\w\n]{0,20}?(?::[ \t*_]*(?=\w)|[^\w\n:]{0,20}\n+[ \t]*(?=[^\W\d]))",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCES = re.compile(r"[.!?\n]")
_USES_NOT = re.compile(
    r"\b(?:do not|don't|never) (?:use|return|answer|output|write|copy)\b|\b(?:wrong|incorrect)\b", re.IGNORECASE
)
_IF = re.compile(
    r"\b(?:if|had|were) (?:it|this|that|there|they|the \w+) (?:were|was|been|had)\b|\bI would (?:answer|say|reply|have)\b",
    re.IGNORECASE,
)
_LOOKED_BACK, _LOOKED_AHEAD, _FEW_WORDS = 400, 800, 400


class Contender(NamedTuple):
    """One reading, with where it stands."""

    reading: Reading
    """What it came to."""
    tier: int
    """How good the evidence is."""
    start: int
    """Where it starts."""
    end: int
    """Where it ends."""
    before: str = ""
    """The text between the candidate before and this one."""


def choose(
    contenders: Sequence[Contender], prose: str, policy: Recovery, behind: str = "", *, marked: bool = False
) -> Finding | None:
    """The one finding of the candidates; None when there are none worth a word.

    Args:
        contenders: all candidates, in order.
        prose: the text around them.
        behind: the part of it behind the last candidate.
        marked: some part of the reply is marked as the answer.
        policy: whether the first or the last may be preferred, or the one marked as final taken.
    """
    faulty = next((one for one in contenders if one.reading.finding.fault is not None), None)
    if faulty is not None:
        return faulty.reading.finding
    fitting = [one for one in contenders if one.reading.fits]
    if not contenders:
        return None
    spoiling = [one for one in contenders if one.reading.spoils]
    if marked and not any(one.tier == FINAL for one in fitting):
        inside = [one for one in contenders if one.tier == FINAL]
        empty = Issue(message="what is marked as the answer holds no payload", code="no_json")
        return _refusal(inside) or Finding("no_payload", contenders[0].reading.finding.payload, issues=(empty,))
    if not fitting:
        return _refusal(contenders)
    best = min(one.tier for one in fitting)
    if any(one.tier <= best for one in spoiling):
        return next(one for one in spoiling if one.tier <= best).reading.finding
    hidden = [one for one in contenders if one.reading.would_fit and one.tier <= best]
    if hidden:
        return hidden[0].reading.finding  # the better answer needs what is forbidden: no other may take its place
    rivals = [one for one in fitting if one.tier == best]
    if best != FINAL and prose.strip():
        meant = [one for one in rivals if not _is_disowned(_lead(one))]
        if not meant or _gives_up(rivals, prose, behind):
            message = (
                "the reply gives an example and says that there is no answer" if meant else "the reply gives an example only"
            )
            return Finding("no_payload", rivals[0].reading.finding.payload, issues=(Issue(message=message, code="example"),))
        rivals = meant
    distinct = _distinct(rivals)
    if len(distinct) > 1:
        return _one_of(distinct, rivals, policy)
    if len(rivals) == 1:
        return rivals[0].reading.finding
    return _with(distinct[0], repair_of("repeat.removed", span=(rivals[1].start, rivals[-1].end)), policy)


def _gives_up(rivals: Sequence[Contender], prose: str, behind: str) -> bool:
    """Whether the reply says that there is no answer: behind the candidates, or around them in few words."""
    if _ANSWER_BEHIND.search(behind):
        return True  # what is marked as the answer comes later, and is no payload
    introduced = _lead(rivals[-1]).endswith(":")
    return is_refusal(behind[:_LOOKED_AHEAD]) or (not introduced and len(prose) < _FEW_WORDS and is_refusal(prose))


def _is_disowned(lead: str) -> bool:
    """Whether the words before a candidate say that it is an example, a supposition, or not to be used."""
    clause = _SENTENCES.split(lead.rstrip(" :\n*_`"))[-1]
    return is_example_marker(lead) or _IF.search(clause) is not None or _USES_NOT.search(clause) is not None


def _lead(contender: Contender) -> str:
    """The words right before a candidate."""
    return _FENCE_LINE.sub("", contender.before[-_LOOKED_BACK:].rstrip())


def _refusal(contenders: Sequence[Contender]) -> Finding | None:
    """The refusal of the candidate that looks most like the answer."""
    if not contenders:
        return None
    outcomes = {"truncated": 3, "ambiguous": 2, "no_payload": 1, "invalid": 0}
    best = max(
        contenders,
        key=lambda one: (
            one.reading.finding.outcome == "ambiguous",
            one.reading.would_fit,
            one.reading.matched > 0 or one.reading.spoils,
            -one.tier,
            one.reading.matched,
            outcomes[one.reading.finding.outcome],
        ),
    )
    return best.reading.finding


def _distinct(rivals: Sequence[Contender]) -> list[Contender]:
    found: list[Contender] = []
    for one in rivals:
        if not any(_same(one.reading.finding, other.reading.finding) for other in found):
            found.append(one)
    return found


def _same(one: Finding, other: Finding) -> bool:
    if one.payload == other.payload and one.name == other.name:
        return True
    try:
        return one.name == other.name and type(one.value) is type(other.value) and bool(one.value == other.value)
    except Exception:  # the caller's own ==
        return False


def _one_of(distinct: Sequence[Contender], rivals: Sequence[Contender], policy: Recovery) -> Finding:
    """Several different values fit: the one that is chosen by the reply or by the policy, else none."""
    marked = [one for one in distinct if is_final_marker(_lead(one))]
    last = rivals[-1]
    refused: tuple[Issue, ...] = ()
    if len(marked) == 1 and _same(marked[0].reading.finding, last.reading.finding):
        chosen = _with(marked[0], repair_of("final.marked", span=(marked[0].start, marked[0].end)), policy)
        if chosen.outcome == "value":
            return chosen
        refused = chosen.issues
    code = f"chosen.{policy.prefer}"
    if policy.prefer is not None and code in policy.forbid:
        refused = (*refused, forbidden(repair_of(code)))
    elif policy.prefer is not None:
        one = rivals[0] if policy.prefer == "first" else last
        found = one.reading.finding
        return found._replace(repairs=(*found.repairs, repair_of(code, span=(one.start, one.end))))
    issues = tuple(
        Issue(message=f"candidate {place} of {len(distinct)}, characters {one.start} to {one.end}, fits", code="ambiguous")
        for place, one in enumerate(distinct, 1)
    )
    return Finding("ambiguous", rivals[0].reading.finding.payload, issues=(*issues, *refused))


def _with(contender: Contender, repair: Repair, policy: Recovery) -> Finding:
    found = contender.reading.finding
    if policy.permits(repair):
        return found._replace(repairs=(*found.repairs, repair))
    outcome: FindingOutcome = "invalid" if repair.code == "repeat.removed" else "ambiguous"
    return Finding(outcome, found.payload, issues=(forbidden(repair),))

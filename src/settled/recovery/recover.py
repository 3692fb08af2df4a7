"""`recover`: from what the model wrote to a payload that fits, or to a typed reason why there is none.

Strict comes first: the whole text, as pydantic takes it, if the guards find nothing in it. Only what is not taken so is searched,
and the search is loaded only then. Nothing is mended in what needs no mending; every repair is one of `catalogue.py`, and is
recorded.
"""

from __future__ import annotations

from .. import recovery
from ..vocabulary.finish import FinishReason
from ..vocabulary.issues import Issue, Repair
from ..vocabulary.value import made
from .finding import Accepts, Finding, Judgement
from .policy import Recovery

_BLANK = " \t\r\n"
_STARTS = frozenset('{["-0123456789tfnNI')
_DIGITS = frozenset("0123456789")
_EMPTY = made(Issue, message="the reply is empty", code="empty")
_ODD = _BLANK + "\ufeff\u200b\u200c\u200d\u2060\u00a0"
REASONING_SIGNS = ("think", "reason", "thought", "analysis", "scratchpad", "channel")
"""Without any of these words, a reply that is text is taken as it stands."""


def recover(text: str, accepts: Accepts, policy: Recovery, *, finish_reason: FinishReason, context: object = None) -> Finding:
    """The payload in a text, judged by the type.

    With ``finish_reason`` ``length`` only a whole payload that needed no repair above framing counts.

    Args:
        text: what the model wrote.
        accepts: what the payload must fit.
        policy: what may be mended.
        finish_reason: why the model stopped.
        context: handed to pydantic validators as ``info.context``.

    Example:
        >>> from settled.modes.answers import answers_for
        >>> from settled.schema.target import OutputTarget
        >>> stop = FinishReason(kind="stop")
        >>> recover("47", answers_for(OutputTarget(int)), Recovery.STRICT, finish_reason=stop).value
        47
    """
    finding = _verbatim(text, accepts, policy, context) if accepts.verbatim else _recover(text, accepts, policy, context)
    if (
        finish_reason.kind == "length"
        and not finding.fault
        and (finding.outcome in ("invalid", "no_payload") or not _is_closed(finding))
    ):
        cut = made(Issue, message="it may go on behind the place where the reply was cut off", code="truncated")
        return finding._replace(outcome="truncated", value=None, issues=finding.issues or (cut,))
    return finding


def _is_closed(finding: Finding) -> bool:
    """Nothing more could have followed, and nothing was mended in the payload itself."""
    if finding.outcome != "value":
        return True
    if any(repair.level != "framing" for repair in finding.repairs):
        return False
    if any(repair.code in ("fence.stripped", "tag.stripped") for repair in finding.repairs):
        return True
    return not finding.as_text and (finding.payload or "")[-1:] not in _DIGITS


def _recover(text: str, accepts: Accepts, policy: Recovery, context: object) -> Finding:
    whole = text.strip(_BLANK)
    if not whole.strip(_ODD):
        return Finding("no_payload", text, issues=(_EMPTY,))
    found = _with_decimals(whole, accepts, policy, context) if "." in whole and whole[0] in "{[" else None
    if found is not None:
        return found
    judged = accepts.judge(whole, context) if whole[0] in _STARTS else Judgement(fits=False)
    if judged.fault is not None:
        return Finding("invalid", whole, fault=judged.fault)
    if judged.ambiguous:
        return Finding("ambiguous", whole, issues=judged.issues)
    if judged.fits and judged.way is not None:
        if recovery.is_proven(whole, judged):
            return _accepted(whole, judged, policy)
        exact = recovery.with_exact_digits(whole, judged.way.target)
        again = Judgement(fits=False) if exact is None else accepts.judge_as(judged.way, exact, context)
        if exact is not None and recovery.is_proven(exact, again, exact=True):
            return _accepted(exact, again, policy)
    if (judged.fits or judged.parsed) and whole[0] in "{[":
        return recovery.reread(whole, judged, accepts, policy, context)
    return recovery.search(text, accepts, policy, context)


def _with_decimals(whole: str, accepts: Accepts, policy: Recovery, context: object) -> Finding | None:
    """Taken at once where only the digits of Decimals need care; None where anything else may."""
    ways = accepts.ways
    if len(ways) != 1 or ways[0].frame:
        return None
    exact = recovery.with_exact_decimals(whole, ways[0].target)
    judged = Judgement(fits=False) if exact is None else accepts.judge_as(ways[0], exact, context)
    if exact is None or not recovery.is_proven(exact, judged, exact=True):
        return None
    return _accepted(exact, judged, policy)


def _accepted(whole: str, judged: Judgement, policy: Recovery) -> Finding:
    """Taken as it stands; at most the frame that was asked for is missing."""
    refused = [repair for repair in judged.repairs if not policy.permits(repair)]
    if refused:
        message = f"would need the repair {refused[0].code}, which the policy forbids"
        return Finding("invalid", whole, issues=(Issue(message=message, code="repair_forbidden"),))
    return Finding("value", whole, judged.value, judged.name, judged.role, repairs=judged.repairs, strict=judged.strict)


def _verbatim(text: str, accepts: Accepts, policy: Recovery, context: object) -> Finding:
    """The text as it stands, less reasoning: nothing else is mended in it."""
    repairs: tuple[Repair, ...] = ()
    candidate = text
    found = recovery.without_reasoning(text) if any(sign in text for sign in REASONING_SIGNS) else None
    if found is not None and policy.permits(found[1]):
        candidate, repairs = found[0], (found[1],)
    if not candidate.strip():
        return Finding("no_payload", text, issues=(_EMPTY,))
    judged = accepts.judge(candidate, context)
    if judged.fits:
        return Finding("value", candidate, judged.value, judged.name, repairs=repairs, as_text=True)
    return Finding("invalid", candidate, issues=judged.issues, repairs=repairs, fault=judged.fault)

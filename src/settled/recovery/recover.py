"""`recover`: strict first, then without reasoning and without a fence around the whole; never a piece of a broken whole.

This is the plain first form behind the interface of the room. It mends framing only, and refuses everything else with a type.
"""

from __future__ import annotations

from pydantic_core import from_json

from ..vocabulary.finish import FinishReason
from ..vocabulary.issues import Issue, Repair
from .finding import Accepts, Finding, FindingOutcome, Judgement
from .policy import Recovery

_FENCES = frozenset({"```", "~~~"})
_OPENING, _CLOSING = "<think>", "</think>"
_BLANK = " \t\r\n\ufeff\u200b"
_DIGITS = frozenset("0123456789")
_STARTS = frozenset('{["-0123456789')


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
    finding = (_verbatim if accepts.verbatim else _recover)(text, accepts, policy, context)
    if finish_reason.kind == "length" and (finding.outcome in ("invalid", "no_payload") or not _is_closed(finding)):
        return finding._replace(outcome="truncated", value=None)
    return finding


def _is_closed(finding: Finding) -> bool:
    """Nothing more could have followed: bare text and a number may go on, unless a fence was closed behind them."""
    if finding.outcome != "value" or any(repair.code == "fence.stripped" for repair in finding.repairs):
        return True
    return not finding.as_text and (finding.payload or "")[-1:] not in _DIGITS


def _recover(text: str, accepts: Accepts, policy: Recovery, context: object) -> Finding:
    candidate = text.strip(_BLANK)
    if not candidate:
        return Finding(outcome="no_payload", payload=text, issues=(Issue(message="the reply is empty", code="empty"),))
    repairs: tuple[Repair, ...] = ()
    judged = accepts.judge(candidate, context)
    for peel in (_without_reasoning, _without_fence):
        if judged.fits or judged.parsed or judged.fault or judged.ambiguous:
            break  # what is JSON as it stands has nothing around it
        peeled = peel(candidate)
        if peeled is None:
            continue
        inner, repair = peeled
        if not policy.permits(repair):
            issues = (*judged.issues, _forbidden(repair))
            return Finding(outcome="invalid", payload=candidate, issues=issues, repairs=repairs)
        candidate, repairs = inner.strip(_BLANK), (*repairs, repair)
        judged = accepts.judge(candidate, context) if candidate else judged
    return _found(candidate, judged, repairs, accepts, policy, context)


def _verbatim(text: str, accepts: Accepts, policy: Recovery, context: object) -> Finding:
    """The text as it stands, less reasoning: nothing else is mended in it."""
    peeled = _without_reasoning(text.lstrip(_BLANK))
    candidate, repairs = (text, ()) if peeled is None or not policy.permits(peeled[1]) else (peeled[0].lstrip(), (peeled[1],))
    if not candidate.strip(_BLANK):
        return Finding(outcome="no_payload", payload=text, issues=(Issue(message="the reply is empty", code="empty"),))
    judged = accepts.judge(candidate, context)
    if judged.fits:
        return Finding(outcome="value", payload=candidate, value=judged.value, name=judged.name, repairs=repairs, as_text=True)
    return Finding(outcome="invalid", payload=candidate, issues=judged.issues, repairs=repairs, fault=judged.fault)


def _found(
    candidate: str, judged: Judgement, repairs: tuple[Repair, ...], accepts: Accepts, policy: Recovery, context: object
) -> Finding:
    for repair in judged.repairs:
        if not policy.permits(repair):
            return Finding(outcome="invalid", payload=candidate, issues=(_forbidden(repair),), repairs=repairs)
    repairs = (*repairs, *judged.repairs)
    if judged.fits:
        return Finding("value", candidate, judged.value, judged.name, judged.role, repairs=repairs)
    if judged.fault or judged.ambiguous:
        outcome: FindingOutcome = "ambiguous" if judged.ambiguous else "invalid"
        return Finding(outcome=outcome, payload=candidate, issues=judged.issues, repairs=repairs, fault=judged.fault)
    outcome, issues = _refusal(candidate, judged)
    may_be_text = outcome == "no_payload" or (accepts.is_only_text and not candidate.startswith('"'))
    text = accepts.takes_text(candidate, context) if candidate and may_be_text else None
    if text is None:
        return Finding(outcome=outcome, payload=candidate, issues=issues, repairs=repairs)
    if not text.fits:
        return Finding(outcome="invalid", payload=candidate, issues=text.issues, repairs=repairs, fault=text.fault)
    return Finding("value", candidate, text.value, text.name, repairs=repairs, as_text=True)


def _forbidden(repair: Repair) -> Issue:
    message = f"would need the repair {repair.code}, which the policy forbids"
    return Issue(message=message, code="repair_forbidden")


def _refusal(candidate: str, judged: Judgement) -> tuple[FindingOutcome, tuple[Issue, ...]]:
    """Which refusal a misfit is: the tokenizer's word decides between cut off, not JSON, and JSON that does not fit."""
    if not candidate:
        return "no_payload", (Issue(message="nothing follows the reasoning", code="empty"),)
    if judged.parsed:
        return "invalid", judged.issues
    try:
        from_json(candidate, allow_inf_nan=False)
    except TypeError:
        return "invalid", (Issue(message="the text is no Unicode: it holds a lone surrogate", code="string_unicode"),)
    except ValueError as error:
        if "EOF" in str(error) and candidate[0] in _STARTS:
            return "truncated", (Issue(message="the payload ends before it is complete", code="truncated"),)
        if candidate[:3] in _FENCES and candidate.count(candidate[:3]) == 1:
            return "truncated", (Issue(message="the fence is not closed", code="truncated"),)
        if candidate[0] in "{[":
            return "invalid", (Issue(message=f"not valid JSON: {error}", code="json_invalid"),)
        around = any(mark in candidate for mark in "{[")
        message = "the reply is not JSON as a whole: there is text around it" if around else "no JSON in the reply"
        return "no_payload", (Issue(message=message, code="no_json"),)
    return "invalid", judged.issues


def _without_reasoning(text: str) -> tuple[str, Repair] | None:
    """What follows the reasoning blocks in front; an unclosed block means that nothing was answered.

    A closing tag without an opening one counts only before a line's end or JSON, and with no JSON before it.
    """
    rest = text
    while rest.startswith(_OPENING):
        _, closing, after = rest.partition(_CLOSING)
        if not closing:
            return "", Repair(code="reasoning.removed", level="framing")
        rest = after.lstrip(_BLANK)
    if rest is text:
        before, closing, rest = text.partition(_CLOSING)
        if not closing or "{" in before or rest[:1] not in "\r\n{[":
            return None
    return rest, Repair(code="reasoning.removed", level="framing", span=(0, len(text) - len(rest)))


def _without_fence(text: str) -> tuple[str, Repair] | None:
    """The inside of one fence around the whole text."""
    mark = text[:3]
    first_line, newline, rest = text.partition("\n")
    if mark not in _FENCES or not newline or not rest.endswith(mark) or not _is_label(first_line[3:].strip()):
        return None
    inside = rest[:-3].rstrip(" \t\r\n")
    if mark in inside:
        return None
    return inside, Repair(code="fence.stripped", level="framing", span=(0, len(text)))


def _is_label(text: str) -> bool:
    """The word behind an opening fence, such as ``json``."""
    return all(character.isalnum() or character in "+-_" for character in text)

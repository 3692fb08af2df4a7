"""The order of judgement on one reply, the same in every mode.

    refusal, content filter -> truncation -> output payload -> failure report -> tool calls -> text without a payload

A valid output wins over everything else in the same reply. A reply that was cut off has none of its calls executed, and is asked
for again only with a larger cap.
"""

from typing import Literal, NamedTuple

from ..modes.shape import Claim
from ..recovery.finding import Finding, UserFault
from ..recovery.recover import recover
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.issues import Issue, Repair
from ..vocabulary.report import AttemptOutcome
from ..vocabulary.stop import ContentFiltered, Error, NoOutput, OutputInvalid, Refused, ReportedFailure, StopReason, Truncated
from ..vocabulary.value import changed_by, made
from . import batch, steps
from .events import Fault
from .feedback import GO_ON, feedback
from .ledger import token_limit
from .plan import Plan
from .state import Accepted, Live, RunState

_SUPERSEDED = Issue(message="the reply answers otherwise further on, after parts of it were handed out", code="superseded")


class Heard(NamedTuple):
    """One claim of a reply, and what recovery found there."""

    claim: Claim
    """The place."""
    finding: Finding
    """What is there."""


def judge(plan: Plan[object, object], state: RunState) -> RunState:
    """The state after the reply under way: a value to check, tools to run, or a completed step."""
    reply = state.the_reply.response
    final = _final_by_word(reply)
    if final is not None:
        outcome, ending = final
        return _end(plan, state, outcome, ending)
    outputs, reports, misfits = _hear(plan, reply)
    if misfits and (fault := _fault(misfits)) is not None:
        attempt = steps.attempt_of(plan, state, "error")
        faulty = steps.recorded(state, steps.answers(plan, state, own="not taken"), attempt=attempt)
        return steps.end_by_fault(plan, faulty, Fault(*fault))
    if reply.finish_reason.kind == "length" and (misfits or not (outputs or reports)):
        return _truncated(plan, state, misfits or outputs)
    if outputs and not misfits:
        return _outputs(plan, _remarked(state, "report_not_taken") if reports else state, outputs)
    if reports and not outputs:
        beside = any(one.claim.option is None or one.claim.option.role == "output" for one in misfits)
        return _reported(plan, _remarked(state, "output_not_taken") if beside else state, reports[0])
    if misfits:
        return _misfit(plan, state, misfits[0])
    return batch.begin(plan, state, reply.tool_calls)


def _remarked(state: RunState, code: str) -> RunState:
    """The state with a remark on the reply under way: the model called a result and a way to give up beside each other."""
    reply = state.the_reply
    return state.changed(reply=reply._replace(response=reply.response.changed(remarks=(*reply.response.remarks, code))))


def _final_by_word(reply: ModelResponse) -> tuple[AttemptOutcome, StopReason] | None:
    """Ends that the server's own word means: asking again would only cost."""
    finish = reply.finish_reason
    if reply.refusal:
        return "refused", Refused(text=reply.refusal)
    if finish.kind == "content_filter":
        return "filtered", ContentFiltered(finish_reason=finish)
    if finish.kind == "error":
        message = "the server gave up within its reply"
        return "error", Error(error_type="server", message=message, source="provider", may_recover=True)
    return None


def _hear(plan: Plan[object, object], reply: ModelResponse) -> tuple[list[Heard], list[Heard], list[Heard]]:
    """What recovery finds in the claims: outputs, failure reports, misfits.

    Text beside calls counts only as a payload, since it may be mere commentary.
    """
    outputs: list[Heard] = []
    reports: list[Heard] = []
    misfits: list[Heard] = []
    for claim in plan.codec.claims(plan.shape, reply):
        accepts = claim.accepts if plan.known is None else claim.accepts.changed(known=plan.known)
        finding = recover(claim.text, accepts, plan.recovery, finish_reason=reply.finish_reason, context=plan.context)
        fits = finding.outcome == "value"
        commentary = claim.call is None and finding.fault is None and (not fits or finding.as_text)
        if commentary and reply.tool_calls:
            continue
        (misfits if not fits else outputs if finding.role == "output" else reports).append(Heard(claim, finding))
    return outputs, reports, misfits


def _fault(misfits: list[Heard]) -> UserFault | None:
    """What the caller's validator raised, if it did."""
    return next((one.finding.fault for one in misfits if one.finding.fault is not None), None)


def _outputs(plan: Plan[object, object], state: RunState, outputs: list[Heard]) -> RunState:
    """One distinct value is taken; of two different ones the model must choose."""
    claim, finding = outputs[0]
    raw = finding.payload or ""
    others = outputs[1:]
    if others and not all(_same(outputs[0], other) for other in others):
        issue = Issue(message=f"{len(outputs)} different results in one reply", code="ambiguous")
        return reask(plan, state, "ambiguous", (issue,), raw=raw)
    if plan.known is not None and not plan.known.stands(raw):
        return reask(plan, state, "ambiguous", (_SUPERSEDED,), raw=raw)
    accepted = made(
        Accepted,
        raw=raw,
        payload=raw,
        option=claim.option.name if claim.option else None,
        as_text=finding.as_text,
        whole=False,
        via=_via(plan, claim),
        call_id=claim.call.id if claim.call else None,
        repairs=finding.repairs,
    )
    live = Live(value=finding.value, has_value=True)
    runs = plan.siblings == "run" and not state.the_reply.response.finish_reason.is_truncated
    siblings = steps.function_calls(plan, state) if runs else ()
    if siblings:
        return batch.begin(plan, state.changed(accepted=accepted, live=live), siblings)
    return steps.check(plan, state, accepted, live)


def _same(one: Heard, other: Heard) -> bool:
    """One answer given twice: by the same tool, in the same words or with an equal value."""
    if one.claim.option is not other.claim.option:
        return False
    if one.finding.payload == other.finding.payload:
        return True
    try:
        return bool(one.finding.value == other.finding.value)
    except Exception:  # the caller's own ==
        return False


def _via(plan: Plan[object, object], claim: Claim) -> Literal["tool", "native", "prompted", "text"]:
    mode = plan.shape.mode
    if mode == "native" or mode == "prompted":
        return mode
    return "text" if claim.call is None else "tool"


def _reported(plan: Plan[object, object], state: RunState, heard: Heard) -> RunState:
    """The model gave up, in the typed way."""
    claim, finding = heard
    attempt = steps.attempt_of(plan, state, "reported", raw=finding.payload, repairs=finding.repairs)
    ending = ReportedFailure(
        payload=steps.plain_data(finding.payload), option=finding.name, tool_call_id=claim.call.id if claim.call else None
    )
    results = steps.answers(plan, state, own="the report was taken", status="ok")
    live = Live(value=finding.value, has_value=True)
    return steps.close(plan, state, results, attempt=attempt, ending=ending, live=live)


def _misfit(plan: Plan[object, object], state: RunState, heard: Heard) -> RunState:
    """A payload that does not fit, or none at all."""
    claim, finding = heard
    assert finding.outcome != "value", "a value is no misfit"
    said_something = claim.call is None and claim.text.strip()
    if finding.outcome == "no_payload" and said_something and not plan.text_ends_run:
        return steps.close(plan, state, {}, told=GO_ON)
    return reask(plan, state, finding.outcome, finding.issues, raw=finding.payload, repairs=finding.repairs)


def reask(
    plan: Plan[object, object],
    state: RunState,
    outcome: Literal["no_payload", "truncated", "ambiguous", "invalid", "check_failed"],
    issues: tuple[Issue, ...],
    *,
    raw: str | None,
    repairs: tuple[Repair, ...] = (),
) -> RunState:
    """Draw an output retry and tell the model why, or note that the retries are spent."""
    ledger = state.ledger
    exhausted = ledger.output_retries >= plan.budget.output_retries
    told = feedback(plan.shape, outcome, issues)
    sent = None if exhausted else told
    attempt = steps.attempt_of(plan, state, outcome, raw=raw, issues=issues, repairs=repairs, told=sent)
    results = steps.answers(plan, state, own=told)
    if results and any(result.text is told for result in results.values()):
        sent = None  # it is the answer to the output's own call
    if exhausted:
        spent = _exhausted(state, outcome, issues)
        return steps.close(plan, state, results, attempt=attempt, told=sent, live=Live(), spent=spent)
    ledger = changed_by(ledger, {"output_retries": ledger.output_retries + 1})
    return steps.close(plan, state, results, attempt=attempt, told=sent, live=Live(), ledger=ledger, purpose="reask")


def _exhausted(state: RunState, outcome: AttemptOutcome, issues: tuple[Issue, ...]) -> StopReason:
    """The end that spent output retries mean, by what the last attempt was."""
    reply = state.the_reply.response
    if outcome == "no_payload":
        return NoOutput(empty=not reply.text.strip() and not reply.tool_calls)
    if outcome == "truncated":
        return Truncated(finish_reason=reply.finish_reason, in_tool_call=bool(reply.tool_calls))
    paths = tuple(dict.fromkeys(issue.path for issue in issues))
    return OutputInvalid(attempts=len(state.attempts) + 1, mode=state.mode, issues=paths)


def _truncated(plan: Plan[object, object], state: RunState, heard: list[Heard]) -> RunState:
    """Cut off: asked again with a larger cap if there is one to raise, never unchanged."""
    raw = next((one.finding.payload for one in heard), None)
    issues = (Issue(message="the reply was cut off by its token cap", code="truncated"),)
    cap, ledger = state.the_reply.cap, state.ledger
    by_limit = token_limit(plan.budget, ledger.usage) if cap.by_budget else None
    if by_limit is not None:
        return _end(plan, state, "truncated", by_limit, raw=raw, issues=issues)
    larger = _larger_cap(plan, cap.tokens)
    if larger is not None and ledger.truncation_retries < plan.budget.truncation_retries:
        attempt = steps.attempt_of(plan, state, "truncated", raw=raw, issues=issues)
        ledger = ledger.changed(truncation_retries=ledger.truncation_retries + 1)
        return steps.close(plan, state, {}, attempt=attempt, keep=False, ledger=ledger, cap=larger, purpose="reask")
    in_call = bool(state.the_reply.response.tool_calls)
    cut = Truncated(finish_reason=state.the_reply.response.finish_reason, max_tokens=cap.tokens, in_tool_call=in_call)
    return _end(plan, state, "truncated", cut, raw=raw, issues=issues)


def _larger_cap(plan: Plan[object, object], cap: int | None) -> int | None:
    """Twice the cap, up to the ceiling; None when there is nothing to raise."""
    first = plan.settings.max_tokens
    if first is None or cap is None:
        return None
    ceiling = 4 * first if plan.budget.max_tokens_ceiling is None else plan.budget.max_tokens_ceiling
    larger = min(2 * cap, ceiling)
    return larger if larger > cap else None


def _end(
    plan: Plan[object, object],
    state: RunState,
    outcome: AttemptOutcome,
    ending: StopReason,
    *,
    raw: str | None = None,
    issues: tuple[Issue, ...] = (),
) -> RunState:
    """An end that no retry can change. No call of the reply is kept: none was run."""
    attempt = steps.attempt_of(plan, state, outcome, raw=raw, issues=issues)
    return steps.close(plan, state, {}, attempt=attempt, ending=ending)

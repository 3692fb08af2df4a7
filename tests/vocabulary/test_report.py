"""The account of a failed run: typed detail through JSON, nothing live in it, redacted and rendered forms."""

from __future__ import annotations

import pickle

import pytest
from pydantic import TypeAdapter, ValidationError
from tests.forms import Blocked

from settled import (
    Attempt,
    FailureReport,
    FinishReason,
    GaveUp,
    Issue,
    Message,
    PendingCall,
    Repair,
    RunStatus,
    StepRecord,
    Usage,
)
from settled.vocabulary import stop
from settled.vocabulary.messages import ToolCall, ToolResult

CANARY = "CANARY"
CALL = ToolCall(id="c1", name="look_up", arguments=f'{{"city":"{CANARY}"}}')
ISSUE = Issue(path="$.people", message="expected an integer", got=f"'{CANARY}'", code="int_parsing")


def report_of(reason: stop.StopReason, **fields: object) -> FailureReport[Blocked]:
    """A report with everything in it."""
    attempt = Attempt(
        step=1,
        outcome="invalid",
        raw=CANARY,
        issues=(ISSUE,),
        repairs=(Repair(code="fence.stripped", level="framing", before=CANARY, after=CANARY),),
        feedback=CANARY,
        mode="tool",
        finish_reason=FinishReason(kind="stop"),
        usage=Usage(requests=1),
    )
    step = StepRecord(
        number=1,
        finish_reason=FinishReason(kind="stop"),
        usage=Usage(requests=1),
        tool_calls=(CALL,),
        tool_results=(ToolResult(call_id="c1", name="look_up", text=CANARY),),
    )
    return FailureReport[Blocked](
        code=reason.kind,
        status=RunStatus.FAILED,
        summary=CANARY,
        stop_reason=reason,
        detail=Blocked(why=CANARY),
        blocked_by=(CANARY,),
        remedy="look again",
        attempts=(attempt,),
        partial_output={"name": CANARY},
        last_text=CANARY,
        finish_reason=FinishReason(kind="stop"),
        tool_call=CALL,
        pending=(PendingCall(kind="approval", call=CALL, args_digest="d", payload=CANARY),),
        secondary=(stop.Hook(hook="check:f", message=CANARY), stop.Refused(text=CANARY)),
        steps=(step,),
        messages=(Message.user(CANARY),),
        usage=Usage(requests=1, input_tokens=5, output_tokens=2),
        elapsed=1.25,
        run_id="r1",
        mode="tool",
        agent="clerk",
    ).changed(**fields)


REPORTED = report_of(stop.ReportedFailure(payload={"why": CANARY}, option="report_failure"))
REASONS: list[stop.StopReason] = [
    stop.ReportedFailure(payload={"why": CANARY}),
    stop.Refused(text=CANARY),
    stop.ToolFailures(tool_call=CALL, count=3, scope="run", text=CANARY),
    stop.Condition(name="enough", message=CANARY),
    stop.Hook(hook="check:f", message=CANARY),
    stop.Error(error_type="KeyError", message=CANARY, source="check:f"),
    stop.Other(raw={"kind": "eclipse", "text": CANARY}),
]


def test_json_gives_the_detail_its_class() -> None:
    """A report read from JSON as ``FailureReport[Blocked]`` holds a Blocked."""
    again = FailureReport[Blocked].model_validate_json(REPORTED.model_dump_json())
    assert again == REPORTED
    assert type(again.detail) is Blocked


def test_json_without_a_type_gives_plain_data() -> None:
    """Read as a plain ``FailureReport``, the detail is plain data."""
    again: FailureReport[object] = FailureReport.model_validate_json(REPORTED.model_dump_json())
    assert again.detail == {"why": CANARY, "blocked_by": []}


def test_a_detail_that_does_not_fit_is_refused() -> None:
    """JSON whose detail is no Blocked is refused."""
    with pytest.raises(ValidationError, match="why"):
        FailureReport[Blocked].model_validate_json(REPORTED.changed(detail={"reason": "x"}).model_dump_json(warnings=False))


def test_reports_are_kept_in_other_models() -> None:
    """A list of reports of unions of details goes through JSON too."""
    adapter = TypeAdapter(list[FailureReport[Blocked | GaveUp]])
    reports = [FailureReport[Blocked | GaveUp].model_validate(REPORTED.model_dump())]
    assert reports == adapter.validate_json(adapter.dump_json(reports))


def test_the_exception_stays_out() -> None:
    """The live exception is on the report, but in neither its JSON, its pickle nor its comparison."""
    failed = report_of(stop.Refused()).caused_by(KeyError(CANARY))
    assert isinstance(failed.exception, KeyError)
    assert "KeyError" not in failed.model_dump_json()
    again: FailureReport[Blocked] = pickle.loads(pickle.dumps(failed))
    assert again.exception is None
    assert failed == again == report_of(stop.Refused())
    assert hash(failed) == hash(again)


def test_an_exception_that_cannot_be_pickled_does_no_harm() -> None:
    """A report pickles also when its exception would not."""

    class Odd(Exception):
        """Local, so that pickle cannot find it."""

    assert pickle.loads(pickle.dumps(report_of(stop.Refused()).caused_by(Odd()))) == report_of(stop.Refused())


def test_a_report_equals_only_reports() -> None:
    """A report is not equal to its data, nor to one with another field."""
    assert REPORTED.model_dump() != REPORTED
    assert REPORTED.changed(run_id="r2") != REPORTED


@pytest.mark.parametrize("reason", REASONS, ids=[reason.kind for reason in REASONS])
def test_redacted_holds_no_content(reason: stop.StopReason) -> None:
    """A redacted report keeps codes, counts, paths and usage, and no text of anybody; it survives JSON."""
    redacted = report_of(reason).redacted()
    text = redacted.model_dump_json()
    assert CANARY not in text
    assert CANARY not in redacted.render()
    assert (reason.kind, "$.people", 1, 7) == (
        redacted.code,
        redacted.attempts[0].issues[0].path,
        len(redacted.steps),
        redacted.usage.total_tokens,
    )
    assert redacted == FailureReport[Blocked].model_validate_json(text)
    assert redacted == redacted.redacted()


def test_redacted_holds_no_exception() -> None:
    """The exception, which may quote content, is not on the redacted copy."""
    assert report_of(stop.Refused()).caused_by(KeyError(CANARY)).redacted().exception is None


def test_redacted_hides_what_a_condition_says_of_itself_last() -> None:
    """A redacted report still says which tool failed and which condition fired."""
    assert report_of(REASONS[2]).redacted().stop_reason.label == "tool_failures:run"
    assert report_of(REASONS[3]).redacted().stop_reason.label == "enough"


def test_render_is_the_long_form() -> None:
    """``render`` shows the reason, the remedy, each attempt with issues and repairs, what waits and what else happened."""
    text = REPORTED.render()
    for due in (
        "reported_failure: CANARY",
        "what next: look again",
        "mode tool, 1 step(s), 1.2 s, 1 request(s) answered, 7 tokens, run r1",
        "attempt at step 1: invalid (finish reason stop)",
        f"$.people: expected an integer, got '{CANARY}'",
        "mended fence.stripped at $",
        "waits: approval of look_up (c1)",
        "also: hook",
        "also: refused",
        "last text: CANARY",
    ):
        assert due in text


def test_render_of_little() -> None:
    """A report with nothing in it renders in two lines; unknown tokens are said to be unknown, and long texts are cut."""
    bare = FailureReport[None](
        code="no_output", status=RunStatus.FAILED, summary="s", stop_reason=stop.NoOutput(), usage=Usage(), elapsed=0,
        run_id="r", mode="text",
    )  # fmt: skip
    assert bare.render().splitlines() == [
        "no_output: s",
        "  mode text, 0 step(s), 0.0 s, 0 request(s) answered, tokens unknown, run r",
    ]
    last = bare.changed(last_text="a\n" * 300).render().splitlines()[-1]
    assert last.startswith("  last text: a a a")
    assert last.endswith("...")
    assert len(last) < 250

"""Why a run ended: a closed set of reasons, each with a label, a message, a status and what to do next."""

from __future__ import annotations

import inspect
from operator import attrgetter
from typing import get_args

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from settled import FinishReason, RunStatus, StopReason, ToolCall
from settled.vocabulary import stop
from settled.vocabulary.stop import Reason, StopCode

CALL = ToolCall(id="c1", name="look_up", arguments="{}")
CUT = FinishReason(kind="length")
FILTERED = FinishReason(kind="content_filter")
CLASSES: dict[str, type[Reason]] = {
    cls.model_fields["kind"].default: cls
    for name, cls in vars(stop).items()
    if inspect.isclass(cls) and issubclass(cls, Reason) and "kind" in cls.model_fields and not name.startswith("_")
}
REASON_TEXT = attrgetter("message")
ANY: TypeAdapter[StopReason] = TypeAdapter(StopReason)

ROWS: list[tuple[Reason, str, str, str, bool]] = [
    (stop.Output(via="tool", attempts=2), "output", "completed", "the output was accepted at attempt 2", False),
    (stop.ReportedFailure(), "reported_failure", "failed", "the model reported that it cannot finish", False),
    (stop.OutputInvalid(attempts=1, mode="tool"), "output_invalid", "failed", "no valid output in 1 attempt", True),
    (
        stop.OutputInvalid(attempts=3, mode="tool", issues=("$.a", "$.b")),
        "output_invalid",
        "failed",
        "no valid output in 3 attempts (at $.a, $.b)",
        True,
    ),
    (stop.NoOutput(), "no_output", "failed", "the model answered without an output", True),
    (stop.NoOutput(empty=True), "no_output", "failed", "the model's reply was empty", True),
    (stop.Truncated(finish_reason=CUT), "truncated", "failed", "the reply was cut off", True),
    (
        stop.Truncated(finish_reason=CUT, max_tokens=9, in_tool_call=True),
        "truncated",
        "failed",
        "the reply was cut off at the cap of 9 tokens inside a tool call",
        True,
    ),
    (stop.Refused(text="no"), "refused", "failed", "the model refused to answer", False),
    (stop.ContentFiltered(finish_reason=FILTERED), "content_filtered", "failed", "the provider filtered the reply", False),
    (
        stop.ToolFailures(tool_call=CALL, count=3, scope="call"),
        "tool_failures:call",
        "failed",
        "tool 'look_up' was the last of 3 failures (scope call)",
        True,
    ),
    (stop.StepLimit(limit=20, used=20), "step_limit:20", "stopped", "step limit reached: 20 of 20 used", True),
    (
        stop.ToolCallLimit(limit=100, used=99),
        "tool_call_limit:100",
        "stopped",
        "the reply asks for more tool calls than are left: 99 of 100 used",
        True,
    ),
    (
        stop.TokenLimit(which="total", limit=40_000, used=41_000),
        "token_limit:40000",
        "stopped",
        "token limit reached: 41000 of 40000 total tokens used",
        True,
    ),
    (stop.CostLimit(limit="1.50", used="1.75"), "cost_limit:1.50", "stopped", "cost limit reached: 1.75 of 1.50 used", True),
    (stop.TimeLimit(limit=30.0, used=31.5), "time_limit:30.0", "stopped", "time limit reached: 31.5 of 30.0 used", True),
    (
        stop.UsageUnknown(which="cost"),
        "usage_unknown",
        "stopped",
        "the provider reported no cost, which the budget limits",
        False,
    ),
    (stop.Condition(name="max_tokens:40000", message="enough"), "max_tokens:40000", "stopped", "enough", False),
    (stop.ApprovalRequired(call_ids=("c1",)), "approval_required", "stopped", "1 call waits for a decision", False),
    (stop.ApprovalRequired(call_ids=("c1", "c2")), "approval_required", "stopped", "2 calls wait for a decision", False),
    (stop.Hook(hook="check:in_stock", message="closed"), "hook", "stopped", "closed", False),
    (stop.SingleStep(), "single_step", "stopped", "the one step that was asked for is done", False),
    (stop.Cancelled(by="KeyboardInterrupt"), "cancelled", "cancelled", "cancelled by KeyboardInterrupt", False),
    (
        stop.Error(error_type="rate_limited", message="slow down", source="provider", may_recover=True),
        "error:rate_limited",
        "failed",
        "slow down",
        True,
    ),
    (stop.Error(error_type="KeyError", message="'x'", source="check:f"), "error:KeyError", "failed", "'x'", False),
    (stop.Other(raw={"kind": "eclipse"}), "other", "failed", "a reason that this release does not know", False),
]
each_row = pytest.mark.parametrize(
    "reason, label, status, message, retryable", ROWS, ids=[f"{place}-{row[1]}" for place, row in enumerate(ROWS)]
)


@each_row
def test_label_status_and_message(reason: Reason, label: str, status: str, message: str, retryable: bool) -> None:
    """Each reason has its label, its status, one sentence for people, and says whether another run may end better."""
    assert (label, status, retryable) == (reason.label, str(reason.status), reason.retryable)
    assert message == REASON_TEXT(reason)
    assert (status == "completed") == reason.is_success


def test_the_rows_are_total() -> None:
    """Every stop code has a class, a row above, and the union holds exactly these."""
    assert set(get_args(StopCode)) == set(CLASSES) == {reason.__dict__["kind"] for reason, *_ in ROWS}


@pytest.mark.parametrize("code", sorted(set(get_args(StopCode)) - {"output"}))
def test_every_end_without_output_has_a_remedy(code: str) -> None:
    """Each reason but ``output`` says what to do next."""
    assert CLASSES[code].remedy != ""


@pytest.mark.parametrize("code", sorted(get_args(StopCode)))
def test_every_reason_has_an_end_status(code: str) -> None:
    """The status of a reason is one of the four that end a run."""
    assert CLASSES[code].status in (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.STOPPED, RunStatus.CANCELLED)


@pytest.mark.parametrize(
    "data",
    [{"kind": "eclipse", "moon": 1}, {"moon": 1}, {"kind": "output2", "via": "tool"}],
    ids=["unknown-kind", "no-kind", "nearly-known"],
)
def test_unknown_kinds_load_as_other(data: dict[str, object]) -> None:
    """A reason that a later release wrote loads as ``Other`` with all its data, and again from its own JSON."""
    reason = ANY.validate_python(data)
    assert stop.Other(raw=data) == reason
    assert reason == ANY.validate_json(ANY.dump_json(reason))


@pytest.mark.parametrize("data", [{"kind": "step_limit"}, {"kind": "output", "via": "air"}, 7, None], ids=str)
def test_a_known_kind_with_wrong_data_is_refused(data: object) -> None:
    """Data that is no reason, or lacks a field of its kind, is refused."""
    with pytest.raises(ValidationError):
        ANY.validate_python(data)


def test_a_reason_is_itself() -> None:
    """The union takes an instance as it is."""
    reason = stop.StepLimit(limit=1, used=1)
    assert reason is ANY.validate_python(reason)


def test_as_() -> None:
    """``as_`` gives the reason if it is of that class, else None."""
    reason: Reason = stop.StepLimit(limit=1, used=1)
    assert reason is reason.as_(stop.StepLimit)
    assert reason.as_(stop.Refused) is None


def test_match() -> None:
    """Reasons can be matched on by class and field."""
    match ANY.validate_python({"kind": "step_limit", "limit": 3, "used": 3}):
        case stop.StepLimit(limit=limit):
            assert limit == 3
        case _:  # pragma: no cover
            raise AssertionError


def test_status_words() -> None:
    """A status is a string: it prints, compares and serialises as its plain word."""
    words = ["pending", "running", "paused", "completed", "failed", "stopped", "cancelled"]
    assert words == [str(status) for status in RunStatus] == list(RunStatus)

    class Holder(BaseModel):
        status: RunStatus

    assert Holder(status=RunStatus.STOPPED).model_dump_json() == '{"status":"stopped"}'

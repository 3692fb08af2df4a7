"""Every word of the vocabulary: survives JSON, pickle and copies, compares by content, never changes, and never shows content."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from decimal import Decimal
from typing import Optional, get_args

import pytest
from pydantic import TypeAdapter, ValidationError
from tests.forms import Blocked

import settled
from settled import (
    Attempt,
    Audio,
    Budget,
    Capabilities,
    Checkpoint,
    Document,
    Explanation,
    FailureReport,
    FinishReason,
    GaveUp,
    Hooks,
    Image,
    Issue,
    Message,
    ModelRequest,
    ModelResponse,
    PendingCall,
    Reasoning,
    Recovery,
    Repair,
    RunStatus,
    Settings,
    StepRecord,
    SubRun,
    Text,
    ToolCall,
    ToolResult,
    TransportFault,
    Usage,
)
from settled.vocabulary import budget, capabilities, exchange, finish, issues, messages, outcome, report, stop, usage
from settled.vocabulary.exchange import Alternative, AnswerShape, OutputFormat, ToolDefinition
from settled.vocabulary.value import Value, made

CANARY = "CANARY"
STOP = FinishReason(kind="stop", raw=f"stop {CANARY}")
SPENT = Usage(
    requests=2, input_tokens=7, output_tokens=3, cached_tokens=1, reasoning_tokens=1, cost=Decimal("0.01"), complete=False
)
CALL = ToolCall(id="c1", name="look_up", arguments=f'{{"city":"{CANARY}"}}')
RESULT = ToolResult(call_id="c1", name="look_up", text=CANARY, status="failed")
TALK = (
    Message.user(CANARY),
    Message(role="assistant", parts=(Reasoning(text=CANARY), CALL)),
    Message(role="tool", parts=(RESULT,)),
)
ISSUE = Issue(path="$.people", message=f"expected {CANARY}", got=f"'{CANARY}'", code="int_parsing")
REPAIR = Repair(code="fence.stripped", level="framing", span=(0, 9), before=CANARY, after=CANARY)
FAULT = TransportFault(kind="overloaded", status_code=503, message=CANARY, waited=0.5)
ATTEMPT = Attempt(
    step=1, outcome="invalid", raw=CANARY, issues=(ISSUE,), repairs=(REPAIR,), feedback=CANARY, mode="tool", finish_reason=STOP,
    usage=SPENT, seconds=0.5, transport=(FAULT,), model=f"m {CANARY}",
)  # fmt: skip
STEP = StepRecord(
    number=1, purpose="reask", finish_reason=STOP, usage=SPENT, seconds=0.5, model=f"m {CANARY}", tool_calls=(CALL,),
    tool_results=(RESULT,), transport=(FAULT,),
)  # fmt: skip
FAILED: FailureReport = FailureReport(
    code="no_output", status=RunStatus.FAILED, summary=CANARY, stop_reason=stop.NoOutput(), steps=(STEP,), messages=TALK,
)  # fmt: skip
SUB_RUN = SubRun(
    call_id=f"c1 {CANARY}", agent=f"agent {CANARY}", run_id="r2", stop_reason=stop.NoOutput(), usage=SPENT,
    unknown=("cost",), elapsed=0.5, steps=(STEP,), report=FAILED,
)  # fmt: skip
PENDING = PendingCall(kind="approval", call=CALL, args_digest=f"digest {CANARY}", payload={"ask": CANARY})
REASONS: tuple[stop.Reason, ...] = (
    stop.Output(via="tool", tool_call_id=f"c1 {CANARY}", attempts=2),
    stop.ReportedFailure(payload={"reason": CANARY}, option=CANARY, tool_call_id=CANARY),
    stop.OutputInvalid(attempts=3, mode="tool", issues=("$.people",)),
    stop.NoOutput(empty=True),
    stop.Truncated(finish_reason=FinishReason(kind="length"), max_tokens=100, in_tool_call=True),
    stop.Refused(text=CANARY),
    stop.ContentFiltered(finish_reason=FinishReason(kind="content_filter")),
    stop.ToolFailures(tool_call=CALL, count=3, scope="call", text=CANARY),
    stop.StepLimit(limit=20, used=20),
    stop.ToolCallLimit(limit=100, used=99),
    stop.TokenLimit(which="total", limit=40_000, used=41_000),
    stop.CostLimit(limit="1.50", used=f"1.75 {CANARY}"),
    stop.TimeLimit(limit=30.0, used=31.5),
    stop.UsageUnknown(which="cost"),
    stop.Condition(name="max_tokens:40000", message=CANARY, index=1, also_fired=("never",)),
    stop.ApprovalRequired(call_ids=("c1",)),
    stop.Hook(hook=f"check:{CANARY}", message=CANARY),
    stop.SingleStep(),
    stop.Cancelled(by=CANARY),
    stop.Error(
        error_type="rate_limited", message=CANARY, source=f"provider {CANARY}", status_code=429, may_recover=True,
        retry_at=datetime(2026, 7, 1, tzinfo=timezone.utc), model=f"m {CANARY}",
    ),
    stop.Other(raw={"kind": "eclipse", "text": CANARY}),
)  # fmt: skip
VALUES: tuple[Value, ...] = (
    Hooks(on_error="log"),
    Text(text=CANARY, phase=CANARY),
    Image(url=f"https://example.org/{CANARY}.png", media_type="image/png"),
    Image(data=b"\x00\xff" + CANARY.encode(), media_type="image/png", url=CANARY),
    Audio(url=CANARY, data=CANARY.encode(), media_type="audio/wav"),
    Document(url=CANARY, data=CANARY.encode(), media_type="application/pdf", name=f"{CANARY}.pdf"),
    Reasoning(text=CANARY, id=CANARY, signature=CANARY, phase=CANARY),
    CALL,
    RESULT,
    FAULT,
    *TALK,
    ISSUE,
    REPAIR,
    STOP,
    SPENT,
    Budget(max_steps=3, max_cost=Decimal("1.5"), max_duration=30),
    Settings(
        temperature=0.5, seed=1, stop=(CANARY,), reasoning_effort="high", extra_body={"deep": {"list": [CANARY, None, 1.5]}},
    ),
    Recovery(level="framing", allow=frozenset({CANARY}), forbid=frozenset({CANARY}), prefer="last"),
    Capabilities(
        json_schema="enforced", drop_params=frozenset({CANARY}), finish_map={CANARY: "stop"}, reasoning_field=CANARY,
        tool_dialect=CANARY, think_tags=(CANARY, CANARY),
    ),
    ToolDefinition(
        name="look_up", description=CANARY, parameters={"type": "object", "title": CANARY}, role="output", strict=True,
        member=CANARY,
    ),
    Alternative(name="City", role="failure", member=CANARY),
    OutputFormat(name="City", json_schema={"description": CANARY}, strict=True),
    AnswerShape(wrapped=True, tagged=True, alternatives=(Alternative(name="City", role="output", member=CANARY),)),
    ModelRequest(
        messages=TALK, mode="tool", tools=(ToolDefinition(name="look_up", description=CANARY, parameters={}),),
        tool_choice="required", output_format=OutputFormat(name="City", json_schema={}),
        settings=Settings(stop=(CANARY,)), run_id=f"r1 {CANARY}", step=2,
    ),
    ModelResponse(
        parts=(Text(text=CANARY), CALL), finish_reason=STOP, usage=SPENT, refusal=CANARY, model="gpt-5-mini", id=f"id {CANARY}"
    ),
    Explanation(
        mode="tool", mode_requested="auto", reasons=("it can",), model="a:b", fallbacks=("c:d",),
        capabilities=Capabilities(tools="enforced"), body={"messages": [CANARY]}, unbuilt=CANARY,
    ),
    GaveUp(reason=CANARY, blocked_by=[CANARY]),
    ATTEMPT,
    STEP,
    STEP.changed(sub_runs=(SUB_RUN,)),
    SUB_RUN,
    PENDING,
    Checkpoint(version=1, bound_to={"output": CANARY}, state=f'"{CANARY}"'),
    *REASONS,
    FailureReport[Blocked](
        code="tool_failures", status=RunStatus.FAILED, summary=CANARY,
        stop_reason=stop.ToolFailures(tool_call=CALL, count=3, scope="run"), detail=Blocked(why=CANARY),
        blocked_by=(CANARY,), retryable=True, retry_at=datetime(2026, 7, 1, tzinfo=timezone.utc),
        remedy=f"fix {CANARY}", attempts=(ATTEMPT,), partial_output={"name": CANARY}, last_text=CANARY, finish_reason=STOP,
        tool_call=CALL, pending=(PENDING,), secondary=(stop.Hook(hook="check:x", message=CANARY),), steps=(STEP,), messages=TALK,
        usage=SPENT, elapsed=1.5, run_id="r1", mode="tool", degraded_by=CANARY, agent=f"agent {CANARY}",
    ),
)  # fmt: skip
ROOMS = (budget, capabilities, exchange, finish, issues, messages, outcome, report, stop, usage)
CODES = {"Checkpoint.signature", "Condition.name", "Error.error_type", "CostLimit.limit"}  # parts of a label: codes, not content


def value_id(value: Value) -> str:
    """For ``ids=``."""
    return type(value).__name__


each_value = pytest.mark.parametrize("value", VALUES, ids=value_id)


def concrete_values() -> set[type[Value]]:
    """The public value classes of the vocabulary, and those that the package exports."""
    found: set[type[Value]] = {cls for cls in vars(settled).values() if inspect.isclass(cls) and issubclass(cls, Value)}
    for room in ROOMS:
        found |= {
            cls
            for name, cls in vars(room).items()
            if inspect.isclass(cls) and issubclass(cls, Value) and not name.startswith("_") and cls.__module__ == room.__name__
        }
    return found - {Value, stop.Reason}


def test_the_table_is_total() -> None:
    """Each public value class has an instance in the table of this file."""
    covered = {base for value in VALUES for base in type(value).__mro__}
    assert {cls.__name__ for cls in concrete_values() if cls not in covered} == set()


def is_text(annotation: object) -> bool:
    """Whether a field holds a string, or may."""
    return annotation in (str, str | None, Optional[str])  # noqa: UP045


@each_value
def test_each_free_text_of_the_table_holds_the_canary(value: Value) -> None:
    """The instances fill each text field that is not shown with the canary, so that the test of ``repr`` sees all of them."""
    for name, field in type(value).model_fields.items():
        if is_text(field.annotation) and name not in type(value).shown:
            content = getattr(value, name)
            assert f"{type(value).__name__}.{name}" in CODES or (content is not None and CANARY in content), name


@each_value
def test_json_round_trip(value: Value) -> None:
    """A value written as JSON and read again is equal, and of the same class."""
    again = type(value).model_validate_json(value.model_dump_json())
    assert (type(value), value) == (type(again), again)


@each_value
def test_python_round_trip(value: Value) -> None:
    """A value dumped to plain Python data and validated again is equal."""
    assert value == type(value).model_validate(value.model_dump())


@each_value
def test_pickle_round_trip(value: Value) -> None:
    """A pickled value comes back equal, and of the same class."""
    again: object = pickle.loads(pickle.dumps(value))
    assert (type(value), value) == (type(again), again)


@each_value
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_copies_are_equal(value: Value, copied: object) -> None:
    """Shallow and deep copies are equal."""
    assert callable(copied)
    assert value == copied(value)


@each_value
def test_equal_values_hash_alike(value: Value) -> None:
    """A value read from its own JSON hashes as the value itself, also where it holds JSON objects and lists."""
    assert hash(value) == hash(type(value).model_validate_json(value.model_dump_json()))
    assert {value: 1}[copy.deepcopy(value)] == 1


def test_different_values_differ() -> None:
    """No two values of the table are equal, also not to their plain data."""
    for place, value in enumerate(VALUES):
        assert [place] == [at for at, other in enumerate(VALUES) if value == other]
        data: object = value.model_dump()
        assert value != data


@each_value
def test_frozen(value: Value) -> None:
    """No field of a value can be set or deleted."""
    for name in type(value).model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(value, name, None)
        with pytest.raises(ValidationError, match="frozen"):
            delattr(value, name)


@each_value
def test_unknown_keys_are_refused(value: Value) -> None:
    """A key that is no field is refused, and the error does not show what was given."""
    with pytest.raises(ValidationError) as raised:
        type(value).model_validate({**value.model_dump(), "surprise": CANARY})
    assert "surprise" in str(raised.value)
    assert CANARY not in str(raised.value)


@each_value
def test_repr_is_short_and_silent(value: Value) -> None:
    """``repr``, ``str`` and ``format`` show codes, counts and paths, never content, in at most 500 characters."""
    told = isinstance(value, Explanation)  # its ``str`` is the long form for people, and shows the request
    for shown in (repr(value),) if told else (repr(value), str(value), f"{value}"):
        if not isinstance(value, FinishReason):
            assert shown.startswith(type(value).__name__.split("[")[0])
        assert CANARY not in shown
        assert len(shown) <= 500


@each_value
@pytest.mark.parametrize("printer", ["__rich_repr__", "__pretty__"])
def test_pretty_printers_are_silent(value: Value, printer: str) -> None:
    """What rich and devtools are given to print holds no content either."""
    printed = getattr(value, printer)(*([repr] if printer == "__pretty__" else []))
    assert CANARY not in repr(list(printed))


def test_shown_names_are_fields_or_properties() -> None:
    """Each name in ``shown`` is a field or a property of its class."""
    for cls in concrete_values():
        assert [name for name in cls.shown if name not in cls.model_fields and not isinstance(getattr(cls, name), property)] == []


@each_value
def test_made_equals_the_constructor(value: Value) -> None:
    """``made`` gives what the constructor gives, and its JSON form too."""
    fields = {name: getattr(value, name) for name in type(value).model_fields}
    assert value == made(type(value), **fields)
    assert value.model_dump(mode="json") == made(type(value), **fields).model_dump(mode="json")
    assert hash(value) == hash(made(type(value), **fields))


@each_value
def test_changed_equals_the_constructor(value: Value) -> None:
    """``changed`` with a field's own content gives an equal value, and leaves the first as it was."""
    before = value.model_dump_json()
    for name in type(value).model_fields:
        assert value == value.changed(**{name: getattr(value, name)})
    assert before == value.model_dump_json()


def test_defaults_need_not_be_given_to_made() -> None:
    """``made`` fills in the defaults of the class."""
    assert Issue(message="m") == made(Issue, message="m")
    assert Settings() == made(Settings)


@pytest.mark.parametrize(
    "fields",
    [{"text": "a", "texts": "b"}, {}, {"texts": "b"}],
    ids=["one-too-many", "one-missing", "misspelt"],
)
def test_made_refuses_what_is_no_field(fields: dict[str, str]) -> None:
    """``made`` raises TypeError for a name that is no field, and for a field that is missing."""
    loose: Callable[..., Value] = made
    with pytest.raises(TypeError, match="text"):
        loose(Text, **fields)


def test_changed_refuses_what_is_no_field() -> None:
    """``changed`` raises TypeError that names the unknown field and the known ones."""
    with pytest.raises(TypeError, match=r"Budget has no field steps; its fields are max_steps"):
        Budget().changed(steps=3)


def test_changed_fields_count_as_given() -> None:
    """A changed field is written by ``exclude_unset``."""
    assert Budget().changed(max_steps=3).model_dump(exclude_unset=True) == {"max_steps": 3}
    assert Budget(max_steps=3).changed(max_steps=4).model_dump(exclude_unset=True) == {"max_steps": 4}


def test_values_of_two_classes_are_never_equal() -> None:
    """The same content in two classes does not compare equal."""
    said: Value = Text(text="a")
    thought: Value = Reasoning(text="a")
    assert said != thought


def test_no_schema_is_built_at_import() -> None:
    """The schema of a value class is built at its first use, not before."""
    probe = "import settled.vocabulary.budget as b; print(b.Budget.__pydantic_complete__)"
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_report_kinds_of_detail_are_typed() -> None:
    """Each reason of the union is a class of the table, and the union loads each by its kind."""
    adapter: TypeAdapter[stop.StopReason] = TypeAdapter(stop.StopReason)
    for reason in REASONS:
        again = adapter.validate_json(reason.model_dump_json())
        assert (type(reason), reason) == (type(again), again)
    assert set(get_args(stop.StopCode)) == {reason.__dict__["kind"] for reason in REASONS}

"""How a run ends for the caller: three final holders that never show what they hold."""

from __future__ import annotations

import dataclasses
import pickle
from typing import NoReturn

import pytest
from tests.forms import Blocked, City

from settled import (
    Attempt,
    Checkpoint,
    Failure,
    FailureReport,
    FinishReason,
    Issue,
    Message,
    Paused,
    PendingCall,
    RunFailed,
    RunStatus,
    Success,
    ToolCall,
    Usage,
)
from settled.vocabulary import stop

CANARY = "CANARY"
ATTEMPT = Attempt(
    step=1, outcome="invalid", raw=CANARY,
    issues=(Issue(path="$.people", message=CANARY, got=CANARY), Issue(path="$.name", message="m")),
    mode="tool", finish_reason=FinishReason(kind="stop"), usage=Usage(requests=1),
)  # fmt: skip
SUCCESS = Success(
    output=City(name=CANARY, people=1), stop_reason=stop.Output(via="tool"), usage=Usage(requests=1, input_tokens=5), mode="tool",
    attempts=(ATTEMPT,), messages=(Message.user(CANARY),), run_id="r1",
)  # fmt: skip
REPORT = FailureReport[Blocked](
    code="output_invalid", status=RunStatus.FAILED, summary=CANARY, stop_reason=stop.OutputInvalid(attempts=1, mode="tool"),
    detail=Blocked(why=CANARY), remedy="look again", attempts=(ATTEMPT,), last_text=CANARY, messages=(Message.user(CANARY),),
    usage=Usage(), elapsed=1.0, run_id="r1", mode="tool",
)  # fmt: skip
FAILURE = Failure(report=REPORT, checkpoint=Checkpoint(version=1, bound_to={}, state=CANARY))
CALL = ToolCall(id="c1", name="send", arguments=CANARY)
PAUSED = Paused(
    pending=(PendingCall(kind="approval", call=CALL, args_digest="d", payload=CANARY),),
    checkpoint=Checkpoint(version=1, bound_to={}, state=CANARY), messages=(Message.user(CANARY),), run_id="r1",
)  # fmt: skip
HOLDERS: list[Success[City] | Failure[Blocked] | Paused] = [SUCCESS, FAILURE, PAUSED]
each_holder = pytest.mark.parametrize("holder", HOLDERS, ids=["success", "failure", "paused"])


@each_holder
def test_pickle(holder: object) -> None:
    """An outcome pickles, with all it holds."""
    assert holder == pickle.loads(pickle.dumps(holder))


@each_holder
def test_final(holder: object) -> None:
    """An outcome's class is marked final, so that checkers know a match on all three is complete."""
    assert vars(type(holder))["__final__"] is True


@each_holder
def test_frozen(holder: Success[object] | Failure[object] | Paused) -> None:
    """No field of an outcome can be set."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(holder, next(iter(vars(holder))), None)


@each_holder
def test_repr_is_silent(holder: Success[object] | Failure[object] | Paused) -> None:
    """``repr`` shows codes and counts, never a value, a prompt or a reply."""
    assert CANARY not in repr(holder)
    assert CANARY not in f"{holder}"
    assert CANARY not in repr(list(holder.__rich_repr__()))
    assert len(repr(holder)) < 250


def test_repr_says_what_matters() -> None:
    """Each outcome names its class, its code and its counts."""
    usage = "Usage(requests=1, input_tokens=5, complete=True)"
    assert f"Success(City, mode='tool', attempts=1, repairs=0, steps=0, usage={usage}, run_id='r1')" == repr(SUCCESS)
    assert repr(FAILURE) == "Failure(code='output_invalid', status='failed', attempts=1, steps=0, run_id='r1')"
    assert repr(PAUSED) == "Paused(approval of send (c1), run_id='r1')"


@pytest.mark.parametrize(
    "holder, status", [(SUCCESS, "completed"), (FAILURE, "failed"), (PAUSED, "paused")], ids=["success", "failure", "paused"]
)
def test_status(holder: Success[object] | Failure[object] | Paused, status: str) -> None:
    """Each outcome has its status."""
    assert status == str(holder.status)


def test_generic_spellings_construct() -> None:
    """``Success[City](...)`` and ``Failure[Blocked](...)`` construct, on each Python."""
    fields = dict(vars(SUCCESS))
    assert Success[City](**fields) == SUCCESS
    assert FAILURE.report == Failure[Blocked](report=REPORT).report


def test_unwrap() -> None:
    """``unwrap`` gives the output, or raises what ``run`` would have raised."""
    assert SUCCESS.output is SUCCESS.unwrap()
    with pytest.raises(RunFailed) as raised:
        FAILURE.unwrap()
    assert raised.value.report is REPORT


def test_fields_are_keyword_only() -> None:
    """No outcome takes positional arguments."""

    def build(cls: type) -> NoReturn:
        cls(1, 2)
        raise AssertionError

    for holder in HOLDERS:
        with pytest.raises(TypeError):
            build(type(holder))

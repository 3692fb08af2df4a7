"""The errors that may leave the library: the tree, what they show, and that they survive pickling."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from datetime import datetime, timezone
from typing import get_args

import pytest
from tests.vocabulary.test_outcome import CANARY, REPORT

from settled import (
    AlreadyDecided,
    FailureReport,
    InternalError,
    MisuseError,
    ProviderError,
    RunFailed,
    SettledError,
    StateRejected,
)
from settled.vocabulary.errors import ProviderErrorKind

KINDS: list[tuple[ProviderErrorKind, bool]] = [
    ("auth", False),
    ("not_found", False),
    ("quota", False),
    ("rate_limited", True),
    ("overloaded", True),
    ("server", True),
    ("timeout", True),
    ("connection", True),
    ("context_overflow", False),
    ("invalid_request", False),
    ("bad_response", False),
    ("stream_incomplete", False),
]


@pytest.mark.parametrize(
    "error, parent",
    [
        (MisuseError, SettledError),
        (StateRejected, MisuseError),
        (AlreadyDecided, MisuseError),
        (ProviderError, SettledError),
        (RunFailed, SettledError),
        (InternalError, SettledError),
        (SettledError, Exception),
    ],
    ids=lambda cls: str(getattr(cls, "__name__", cls)),
)
def test_tree(error: type[Exception], parent: type[Exception]) -> None:
    """Each error has exactly the parent that the tree draws."""
    assert (parent,) == error.__bases__


@pytest.mark.parametrize("kind, passes", KINDS, ids=[kind for kind, _ in KINDS])
def test_kinds_of_provider_errors(kind: ProviderErrorKind, passes: bool) -> None:
    """Faults that pass by themselves may be retried; what the service says to it wins."""
    assert passes == ProviderError(kind, "m").retryable
    assert ProviderError(kind, "m", retryable=True).retryable
    assert not ProviderError(kind, "m", retryable=False).retryable


def test_the_kinds_are_total() -> None:
    """The table of kinds is the closed set."""
    assert set(get_args(ProviderErrorKind)) == {kind for kind, _ in KINDS}


def pickled(error: object) -> object:
    """The error through pickle."""
    return pickle.loads(pickle.dumps(error))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled], ids=["copy", "deepcopy", "pickle"])
def test_provider_error_survives(copied: Callable[[object], object]) -> None:
    """A provider error keeps all its fields through copies and pickle."""
    error = ProviderError(
        "rate_limited",
        "slow down",
        status_code=429,
        retryable=False,
        retry_after=2.5,
        retry_at=datetime(2026, 7, 1, tzinfo=timezone.utc),
        uncertain=True,
    )
    again = copied(error)
    assert isinstance(again, ProviderError)
    assert vars(error) == vars(again)
    assert (str(again), again.args) == ("rate_limited: slow down", ("slow down",))


def test_run_failed_shows_no_content() -> None:
    """``str(RunFailed)`` holds code, counts and paths, what next, and no content."""
    expected = "output_invalid: 0 step(s), 1 attempt(s), issues at $.people, $.name; look again; see .report.render()"
    assert expected == str(RunFailed(REPORT))
    assert CANARY not in repr(RunFailed(REPORT))


def test_run_failed_without_attempts() -> None:
    """Without attempts and remedy, ``str(RunFailed)`` is just the code and the counts."""
    bare: FailureReport[object] = REPORT.changed(attempts=(), remedy="")
    assert str(RunFailed(bare)) == "output_invalid: 0 step(s), 0 attempt(s); see .report.render()"


def test_run_failed_holds_its_cause() -> None:
    """The report's exception is the cause."""
    cause = KeyError("x")
    assert cause is RunFailed(REPORT.changed().caused_by(cause)).__cause__
    assert RunFailed(REPORT).__cause__ is None


def test_run_failed_pickles() -> None:
    """A RunFailed pickles with its report, without the live exception."""
    again = pickle.loads(pickle.dumps(RunFailed(REPORT.changed().caused_by(KeyError("x")))))
    assert isinstance(again, RunFailed)
    assert (again.report, again.__cause__) == (REPORT, None)

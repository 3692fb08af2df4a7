"""T13 to T15: the wait that a service asks for, in each of its forms; nonsense is no wish, and reading it never raises."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled.providers.waits import wait_asked

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=timezone.utc)
LATER = "Mon, 30 Nov 2026 12:00:30 GMT"
EARLIER = "Mon, 30 Nov 2026 11:00:00 GMT"
RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "14s"}
QUOTA: Mapping[str, object] = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []}


def asked(headers: Mapping[str, str], body: object = None) -> float | None:
    """The seconds asked for at `NOW`."""
    wait = wait_asked(headers, body, now=NOW)
    return None if wait is None else wait.seconds


@pytest.mark.parametrize(
    "headers, seconds",
    [
        pytest.param({"retry-after": "2"}, 2.0, id="seconds"),
        pytest.param({"retry-after": " 1.5 "}, 1.5, id="fraction"),
        pytest.param({"retry-after-ms": "40"}, 0.04, id="milliseconds"),
        pytest.param({"retry-after-ms": "40", "retry-after": "7"}, 0.04, id="milliseconds-win"),
        pytest.param({"retry-after-ms": "soon", "retry-after": "7"}, 7.0, id="milliseconds-no-number"),
        pytest.param({"retry-after-ms": "-1", "retry-after": "7"}, 7.0, id="milliseconds-negative"),
        pytest.param({"retry-after": LATER}, 30.0, id="date"),
        pytest.param({"retry-after": "Mon, 30 Nov 2026 13:00:30 +0100"}, 30.0, id="date-with-zone"),
        pytest.param({"retry-after": "Mon, 30 Nov 2026 12:00:30 -0000"}, 30.0, id="date-without-zone"),
        pytest.param({"retry-after": "86400"}, 86_400.0, id="a-day"),
    ],
)
def test_wishes_in_headers(headers: Mapping[str, str], seconds: float) -> None:
    """Milliseconds come first, then seconds, then a date; a wish that makes no sense leaves the word to the next one."""
    assert seconds == asked(headers)


@pytest.mark.parametrize(
    "told",
    [
        "", " ", "0", "-1", "-0.0", "inf", "-inf", "nan", "86401", "99999999999", "1e400", "soon", "1,5", "2 s", EARLIER,
        "Mon, 30 Nov 9999999999 12:00:00 GMT", "Mon, 99 Nov 2026 12:00:00 GMT", "Mon, 30 Nov 2026 12:00:30 +99999999999999",
        "Mon, 30 Nov 2029 12:00:00 GMT", "\x00", "9" * 5000,
    ],
    ids=repr,
)  # fmt: skip
def test_nonsense_is_no_wish(told: str) -> None:
    """What is no number or date, or not after now, or beyond a day, is no wish."""
    assert asked({"retry-after": told}) is None


@pytest.mark.parametrize(
    "body, seconds",
    [
        pytest.param({"error": {"details": [RETRY_INFO]}}, 14.0, id="in-an-object"),
        pytest.param([{"error": {"details": [QUOTA, RETRY_INFO]}}], 14.0, id="in-a-list"),
        pytest.param({"details": [{"retryDelay": "0.5s"}]}, 0.5, id="flat"),
        pytest.param({"error": {"details": ["text", {"retryDelay": 14}, RETRY_INFO]}}, 14.0, id="after-oddities"),
        pytest.param({"error": {"details": [{"retryDelay": "14"}]}}, None, id="without-unit"),
        pytest.param({"error": {"details": [{"retryDelay": "-3s"}]}}, None, id="negative"),
        pytest.param({"error": {"details": [{"retryDelay": "infs"}]}}, None, id="infinite"),
        pytest.param({"error": {"details": {"retryDelay": "14s"}}}, None, id="details-no-list"),
        pytest.param({"error": "text"}, None, id="error-no-object"),
        pytest.param([], None, id="empty-list"),
        pytest.param("14s", None, id="text"),
    ],
)
def test_wishes_in_bodies(body: object, seconds: float | None) -> None:
    """Gemini's RetryInfo is found in the error body, which may stand in a list of one."""
    assert seconds == asked({}, body)


def test_headers_win_over_the_body() -> None:
    """A header that makes sense is followed; beside one that makes none the body is."""
    body = {"error": {"details": [RETRY_INFO]}}
    assert (2.0, 14.0) == (asked({"retry-after": "2"}, body), asked({"retry-after": EARLIER}, body))


def test_the_moment_comes_with_its_zone() -> None:
    """A wait tells when it is over, by the clock unless another time is given."""
    wait = wait_asked({"retry-after": "60"}, now=NOW)
    assert wait is not None
    assert NOW + timedelta(seconds=60) == wait.until
    before = datetime.now(timezone.utc)
    wait = wait_asked({"retry-after": "60"})
    assert wait is not None
    assert timedelta(seconds=60) <= wait.until - before < timedelta(seconds=70)


DATES = st.from_regex(r"[A-Za-z]{3}, [0-9]{1,30} [A-Za-z]{3} [0-9]{1,12} [0-9:]{1,12} [+-]?[A-Z0-9]{1,20}")


@given(told=st.text() | DATES, milliseconds=st.text(), body=st.recursive(st.text() | st.none(), lambda inner: st.lists(inner)))
def test_reading_never_raises(told: str, milliseconds: str, body: object) -> None:
    """Any header and body give a wait of up to a day, or none."""
    details = {"error": {"details": [body, {"retryDelay": body}, {"retryDelay": f"{told}s"}]}}
    for headers in ({"retry-after": told}, {"retry-after-ms": milliseconds, "retry-after": told}, {}):
        wait = wait_asked(headers, details, now=NOW)
        assert wait is None or (0 < wait.seconds <= 86_400 and wait.until >= NOW)

"""T12 to T20, and T25 to T27: what a status, its headers and its body say about asking again, and how often that is done."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta, timezone
from email.utils import formatdate

import pytest
from openai import AsyncOpenAI, OpenAI
from tests.providers.doors import (
    GOOD,
    ONCE,
    SOON,
    Door,
    Outcome,
    answer,
    ask,
    ask_all,
    ask_of,
    by_each_door,
    error,
    error_of,
)
from tests.support import City

from settled import Agent, Budget, Capabilities, Failure, Settings, Success, Tool
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply, ReceivedRequest
from settled.vocabulary.exchange import JsonObject

RETRY = Budget(transport_retries=1)
NOT_MUCH = 0.5  # seconds that a wait may take longer than it was asked to


def waits(outcome: Outcome[City]) -> list[float | None]:
    """What was waited after each HTTP attempt that failed, within the last call."""
    if isinstance(outcome, Success):
        return [fault.waited for fault in outcome.steps[-1].transport]
    return [fault.waited for fault in outcome.report.attempts[-1].transport]


def gaps(requests: tuple[ReceivedRequest, ...]) -> list[float]:
    """Seconds from the first request to each other one."""
    return [one.at - requests[0].at for one in requests[1:]]


def until(seconds: float) -> Callable[[JsonObject], HttpReply]:
    """A reply that asks to wait until so many seconds after it is sent, or longer: HTTP dates hold whole seconds."""

    def reply(body: JsonObject) -> HttpReply:
        return error(429, headers={"retry-after": formatdate(math.ceil(time.time() + seconds), usegmt=True)})

    return reply


@pytest.mark.row("T12")
@by_each_door
def test_t12_the_wait_is_shared(door: Door) -> None:
    """Of 20 runs on one handle, the first hears 429: nobody sends before its wait is over but who was under way already."""
    slow_down = error(429, headers={"retry-after-ms": "300"})
    with (
        FakeServer(slow_down, *[GOOD] * 20) as server,
        closing(OpenAIChat("m", base_url=server.base_url, max_concurrency=1)) as model,
    ):
        ends = door.settle_all([Agent(City, model=model)] * 20)
    assert [GOOD] * 20 == [one.unwrap() for one in ends if isinstance(one, Success)]
    assert 21 == len(server.requests)
    assert all(gap >= 0.3 for gap in gaps(server.requests))
    assert [0.3] == [wait for one in ends for wait in waits(one)]


@pytest.mark.row("T12")
@by_each_door
def test_t12_those_under_way_are_not_held_up(door: Door) -> None:
    """Without a bound on concurrency, what was sent already is answered, and what was refused is sent again after the wait."""
    slow_down = error(429, headers={"retry-after-ms": "200"})
    with FakeServer(slow_down, GOOD, repeat=True) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        ends = door.settle_all([Agent(City, model=model)] * 20)
    assert [GOOD] * 20 == [one.unwrap() for one in ends if isinstance(one, Success)]
    assert 1 == sum(len(waits(one)) for one in ends)
    assert 21 == len(server.requests)
    assert max(gaps(server.requests)) >= 0.2


@pytest.mark.row("T12")
@by_each_door
def test_t12_a_shared_wait_counts_against_the_deadline(door: Door) -> None:
    """A run that may not wait as long as another one was told to ends at once, with the moment to come back."""
    with (
        FakeServer(error(429, headers={"retry-after": "60"})) as server,
        closing(OpenAIChat("m", base_url=server.base_url, max_concurrency=1)) as model,
    ):
        ends = door.settle_all([Agent(City, model=model, settings=Settings(timeout=5.0))] * 3)
    reports = [one.report for one in ends if isinstance(one, Failure)]
    assert ["rate_limited"] * 3 == [error_of(one).error_type for one in ends]
    assert all(report.retry_at is not None and report.elapsed < 1.0 for report in reports)
    assert 1 == len(server.requests)


@pytest.mark.row("T13")
@by_each_door
def test_t13_until_a_date(door: Door) -> None:
    """A date is waited for; one that is over asks for no wait, so the usual backoff holds: the server is not asked at once."""
    with FakeServer(until(0.1), GOOD) as server, FakeServer(until(-3600.0), GOOD) as late_server:
        models = [OpenAIChat("m", base_url=one.base_url) for one in (server, late_server)]
        ahead, past = door.settle_all([Agent(City, model=model) for model in models])
        for model in models:
            model.close()
    assert (GOOD, GOOD) == (ahead.unwrap(), past.unwrap())
    ((waited,), (backoff,)) = waits(ahead), waits(past)
    assert waited is not None
    assert 0.0 < waited <= 1.1
    assert waited <= gaps(server.requests)[0] <= waited + NOT_MUCH
    assert backoff is not None
    assert 0.5 <= backoff <= 1.0
    assert gaps(late_server.requests)[0] >= backoff


@pytest.mark.row("T14")
@by_each_door
def test_t14_milliseconds_come_first(door: Door) -> None:
    """The wait in milliseconds wins over that in seconds, and is kept to."""
    ended = ask(door, error(429, headers={"retry-after": "7", "retry-after-ms": "40"}), GOOD)
    assert [0.04] == waits(ended.outcome)
    assert 0.04 <= ended.requests[1].at - ended.requests[0].at <= 0.04 + NOT_MUCH
    assert [("rate_limited", 429)] == [(one.kind, one.status_code) for one in ended.transport]


@pytest.mark.row("T15")
@by_each_door
def test_t15_nonsense_is_no_wish(door: Door) -> None:
    """A wait that is no number, not positive, or beyond reason asks for nothing: it is a 429 with the usual backoff."""
    nonsense = ["inf", "nan", "-1", "", "99999999999", "Mon, 99 Foo 2026 25:61:00 GMT", "soon"]
    ends = ask_all(door, [(error(429, headers={"retry-after": text}), GOOD) for text in nonsense])
    assert [GOOD] * len(nonsense) == [one.unwrap() for one in ends]
    for one in ends:
        (waited,) = waits(one)
        assert waited is not None
        assert 0.5 <= waited <= 1.0


@pytest.mark.row("T15")
@pytest.mark.parametrize("text", ["inf", "-1", "99999999999", "soon"])
@by_each_door
def test_t15_nonsense_is_reported_as_429(door: Door, text: str) -> None:
    """The report names the 429, and no moment to come back."""
    ended = ask(door, error(429, "slow down", headers={"retry-after": text}), budget=ONCE)
    assert ("rate_limited", 429, None) == (ended.error.error_type, ended.error.status_code, ended.report.retry_at)
    assert "slow down" in ended.error.message


@pytest.mark.row("T16")
@pytest.mark.parametrize(
    "seconds, limits",
    [(60, {"settings": Settings(timeout=2.0)}), (60, {"budget": Budget(max_duration=2.0)}), (300, {})],
    ids=["the call", "the run", "longer than two minutes"],
)
@by_each_door
def test_t16_longer_than_there_is_time(door: Door, seconds: int, limits: dict[str, object]) -> None:
    """A wait that outlasts the deadline, or two minutes, is not begun: the report comes now, with the moment to come back."""
    settings, budget = limits.get("settings"), limits.get("budget")
    ended = ask(
        door,
        error(429, headers={"retry-after": str(seconds)}),
        settings=settings if isinstance(settings, Settings) else Settings(),
        budget=budget if isinstance(budget, Budget) else Budget(),
    )
    assert ("error", "rate_limited") == (ended.report.code, ended.error.error_type)
    assert ended.seconds < 1.5
    assert ended.report.retryable
    assert ended.report.retry_at is not None
    assert abs(ended.report.retry_at - datetime.now(timezone.utc) - timedelta(seconds=seconds)) < timedelta(seconds=2)
    assert [None] == waits(ended.outcome)


@pytest.mark.row("T17")
@by_each_door
def test_t17_quota(door: Door) -> None:
    """A quota that is used up is no rate limit: it is not asked again, whatever wait is asked for."""
    ended = ask(door, error(429, "You exceeded your current quota", code="insufficient_quota", type="insufficient_quota"))
    assert ("quota", 429, False) == (ended.error.error_type, ended.error.status_code, ended.report.retryable)
    assert "You exceeded your current quota" in ended.error.message


@pytest.mark.row("T18")
@pytest.mark.parametrize(
    "status, kind",
    [
        (408, "timeout"),
        (409, "server"),
        (429, "rate_limited"),
        (500, "server"),
        (502, "server"),
        (503, "overloaded"),
        (504, "timeout"),
        (529, "overloaded"),
    ],
)
@by_each_door
def test_t18_what_passes_is_retried(door: Door, status: int, kind: str) -> None:
    """A status that passes is retried, and each attempt is listed with it."""
    ended = ask(door, error(status), error(status), GOOD)
    assert [(kind, status, 0.04)] * 2 == [(one.kind, one.status_code, one.waited) for one in ended.transport]
    assert 3 == len(ended.requests)
    assert (1, 0) == (ended.success.usage.requests, ended.success.usage.uncertain_requests)


@pytest.mark.row("T18")
@by_each_door
def test_t18_within_the_budget(door: Door) -> None:
    """When the retries are spent the last attempt is reported, and all of them are listed."""
    ended = ask(door, error(500, "first"), error(503, "second"), error(500, "third"), budget=Budget(transport_retries=2))
    assert ("server", 500) == (ended.error.error_type, ended.error.status_code)
    assert "third" in ended.error.message
    assert [(500, 0.04), (503, 0.04), (500, None)] == [(one.status_code, one.waited) for one in ended.transport]


@pytest.mark.row("T19")
@pytest.mark.parametrize(
    "status, kind",
    [
        (400, "invalid_request"),
        (401, "auth"),
        (403, "auth"),
        (404, "not_found"),
        (413, "context_overflow"),
        (422, "invalid_request"),
    ],
)
@by_each_door
def test_t19_what_stays_is_not_retried(door: Door, status: int, kind: str) -> None:
    """A status that would stay the same is reported after one request."""
    ended = ask(door, error(status, "that will not do"))
    assert (kind, status, False) == (ended.error.error_type, ended.error.status_code, ended.report.retryable)
    assert f"HTTP {status}: that will not do" == ended.error.message


@pytest.mark.row("T19")
@pytest.mark.parametrize("status", [400, 422])
@by_each_door
def test_t19_a_mode_that_is_refused(door: Door, status: int) -> None:
    """A refusal that names what mode `auto` sent is one visible step down; in a mode that was asked for it ends the run."""
    refusal = error(status, "this response_format is not supported", param="response_format")
    known = Capabilities(json_schema="enforced", tools="enforced")
    ended = ask(door, refusal, GOOD, known=known)
    assert ("tool", "native") == (ended.success.mode, ended.success.degraded_from)
    assert ["error", "valid"] == [one.outcome for one in ended.success.attempts]
    assert [True, False] == ["response_format" in (one.body or {}) for one in ended.requests]
    assert [False, True] == ["tools" in (one.body or {}) for one in ended.requests]
    assert "invalid_request" == ask(door, refusal, known=known, mode="native").error.error_type


@pytest.mark.row("T20")
@by_each_door
def test_t20_the_server_forbids(door: Door) -> None:
    """`x-should-retry: false` is obeyed for a status that else is retried."""
    ended = ask(door, error(500, headers={"x-should-retry": "false"}))
    assert (500, False) == (ended.error.status_code, ended.report.retryable)


@pytest.mark.row("T20")
@by_each_door
def test_t20_the_server_demands(door: Door) -> None:
    """`x-should-retry: true` is obeyed for a status that else is not retried."""
    ended = ask(door, error(400, headers={"x-should-retry": "true", **SOON}), GOOD)
    assert GOOD == ended.success.output
    assert [(400, 0.04)] == [(one.status_code, one.waited) for one in ended.transport]


@pytest.mark.row("T25")
@by_each_door
def test_t25_one_key_for_one_question(door: Door) -> None:
    """All attempts of one request carry one idempotency key; the re-ask carries another, and another run another."""
    with (
        FakeServer(error(500), answer("no idea"), error(503), GOOD, GOOD) as server,
        closing(OpenAIChat("m", base_url=server.base_url)) as model,
    ):
        assert GOOD == ask_of(door, model).success.output
        assert GOOD == ask_of(door, model).success.output
    keys = [one.headers["idempotency-key"] for one in server.requests]
    first, again, asked_anew, anew_again, other = keys
    assert (first, asked_anew) == (again, anew_again)
    assert 3 == len({first, asked_anew, other})


@pytest.mark.row("T26")
@by_each_door
def test_t26_a_kept_connection_dies(door: Door) -> None:
    """A connection that the server closed between two calls is replaced, and nobody hears of it."""

    def look_up(place: str) -> str:
        """Takes a moment, in which the close arrives."""
        time.sleep(0.1)
        return place

    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"place":"Oslo"}'}}
    asks = answer(None, finish="tool_calls", message={"tool_calls": [call]})
    ended = ask(door, asks._replace(close_after=True), GOOD, tools=[Tool.of(look_up)], mode="prompted", budget=ONCE)
    assert GOOD == ended.success.output
    assert ((), (2, 2)) == (ended.transport, (len(ended.requests), ended.connections))


@pytest.mark.row("T26")
@by_each_door
def test_t26_a_sound_connection_is_kept(door: Door) -> None:
    """Where the server keeps its connection, one is enough for all calls of a run."""
    ended = ask(door, answer("no idea"), GOOD)
    assert GOOD == ended.success.output
    assert [1, 1] == [one.connection for one in ended.requests]


@pytest.mark.row("T27")
@pytest.mark.parametrize("retries", [0, 2])
@by_each_door
def test_t27_one_owner_of_retries(door: Door, retries: int) -> None:
    """There are as many requests as the budget grants: one, and its retries."""
    ended = ask(door, *[error(500)] * (1 + retries), budget=Budget(transport_retries=retries))
    assert (500, 1 + retries) == (ended.error.status_code, len(ended.transport))


@pytest.mark.row("T27")
@pytest.mark.parametrize("retries", [0, 2])
@by_each_door
def test_t27_the_users_client_is_no_second_owner(door: Door, retries: int) -> None:
    """The same holds with a client of the user's that would retry five times by itself."""
    make = AsyncOpenAI if door.is_async else OpenAI
    with FakeServer(*[error(500)] * (1 + retries)) as server:
        client = make(base_url=server.base_url, api_key="k", max_retries=5)
        ended = ask_of(door, OpenAIChat("m", client=client), client, budget=Budget(transport_retries=retries))
    assert (500, 1 + retries) == (ended.error.status_code, len(ended.transport))
    assert 1 + retries == len(server.requests)

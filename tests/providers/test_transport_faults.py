"""T01 to T11: connections that fail, servers that are silent or slow, replies that break off, are too large, or are no JSON."""

from __future__ import annotations

import socket
import sys
import tracemalloc
from collections.abc import Generator
from contextlib import closing, contextmanager

import pytest
from tests.providers.doors import (
    GOOD,
    ONCE,
    PROMPT,
    SOON,
    Door,
    ask,
    ask_all,
    ask_at,
    ask_of,
    by_each_door,
    error_of,
)
from tests.support import City

from settled import Agent, Budget, Failure, Settings, Success
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply, SocketFault

RETRY = Budget(transport_retries=1)
LATE = 0.3  # seconds that a deadline of one second may be missed by
PAGE = "<html><body>" + "Sign in to the network. " * 40 + "</body></html>"
HTML = {"content-type": "text/html; charset=utf-8"}
NOWHERE = "http://" + ".".join(["a" * 60] * 5) + ".invalid/v1"
"""No name server is asked for it: a name of this length cannot be."""


@contextmanager
def deaf_server() -> Generator[str, None, None]:
    """The address of a server that never takes a connection: its queue is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        host, port = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex((host, port))
        try:
            yield f"http://{host}:{port}/v1"
        finally:
            for one in waiting:
                one.close()


@pytest.mark.row("T01")
@by_each_door
def test_t01_refused(door: Door) -> None:
    """A refused connection is tried again after a backoff; then the report says so, with the cause's class and no usage."""
    ended = ask_at(door, FakeServer.refusing_url(), budget=RETRY)
    first, last = ended.transport
    assert ("connection", None) == (ended.error.error_type, ended.error.status_code)
    assert "ConnectionRefusedError" in ended.error.message
    assert first.waited is not None
    assert 0.5 <= first.waited <= 1.0
    assert last.waited is None
    usage = ended.report.usage
    assert (0, 0, None, None, True) == (
        usage.requests,
        usage.uncertain_requests,
        usage.input_tokens,
        usage.output_tokens,
        usage.complete,
    )
    assert ended.report.retryable


@pytest.mark.row("T02")
@pytest.mark.row("T03")
@by_each_door
def test_t02_t03_a_connection_that_breaks(door: Door) -> None:
    """A connection that ends before or within the reply is retried; what it may have cost is counted as uncertain."""
    faults = [
        SocketFault("reset"),
        SocketFault("close"),
        HttpReply(reply=GOOD, reset_after=9),
        HttpReply(reply=GOOD, reset_after=0),
    ]
    for outcome in ask_all(door, [(fault, GOOD) for fault in faults]):
        assert isinstance(outcome, Success)
        assert [("connection", None, True)] == [
            (one.kind, one.status_code, one.waited is not None) for one in outcome.steps[-1].transport
        ]
        usage = outcome.usage
        assert (1, 1, 11, False) == (usage.requests, usage.uncertain_requests, usage.input_tokens, usage.complete)


@pytest.mark.row("T03")
@pytest.mark.parametrize("sent", [0, 9], ids=["after the headers", "within the body"])
@by_each_door
def test_t03_no_retry_where_the_policy_forbids_it(door: Door, sent: int) -> None:
    """With transport_retries=0 a reply that breaks off ends the run after one request."""
    ended = ask(door, HttpReply(reply=GOOD, reset_after=sent), budget=ONCE)
    assert ("connection", 1) == (ended.error.error_type, len(ended.requests))
    assert (0, 1) == (ended.report.usage.requests, ended.report.usage.uncertain_requests)
    assert ended.report.retryable


@pytest.mark.row("T04")
@by_each_door
def test_t04_no_such_name(door: Door) -> None:
    """A name that cannot be resolved is tried again with the same backoff, and the cause's class is told."""
    ended = ask_at(door, NOWHERE, budget=RETRY)
    first, last = ended.transport
    assert "connection" == ended.error.error_type
    assert "gaierror" in ended.error.message
    assert first.waited is not None
    assert 0.5 <= first.waited <= 1.0
    assert last.waited is None
    assert (0, 0) == (ended.report.usage.requests, ended.report.usage.uncertain_requests)


@pytest.mark.row("T05")
@pytest.mark.skipif(sys.platform == "win32", reason="a full queue refuses there")
@by_each_door
def test_t05_no_connection_in_time(door: Door) -> None:
    """A connection that is never taken ends by the one deadline, not by one for each attempt."""
    with deaf_server() as base_url:
        ended = ask_at(door, base_url, settings=Settings(timeout=0.7))
    assert "timeout" == ended.error.error_type
    assert 0.7 - LATE <= ended.seconds <= 0.7 + LATE
    assert 0 == ended.report.usage.uncertain_requests


@pytest.mark.row("T06")
@by_each_door
def test_t06_silence(door: Door) -> None:
    """A server that never answers ends the run at its deadline, whatever retries are left: that of a call, or of the run."""
    with FakeServer(SocketFault("silence"), repeat=True) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        ends = door.settle_all(
            [
                Agent(City, model=model, settings=Settings(timeout=1.0)),
                Agent(City, model=model, budget=Budget(max_duration=1.0)),
            ]
        )
    by_call, by_run = [one.report for one in ends if isinstance(one, Failure)]
    assert "timeout" == error_of(ends[0]).error_type
    assert ("time_limit", ["error:timeout"]) == (by_run.code, [one.label for one in by_run.secondary])
    for report in (by_call, by_run):
        assert 1.0 - LATE <= report.elapsed <= 1.0 + LATE
        assert (1, 1) == (len(report.attempts[0].transport), report.usage.uncertain_requests)
    assert 2 == len(server.requests)


@pytest.mark.row("T07")
@by_each_door
def test_t07_a_trickled_body(door: Door) -> None:
    """A body that trickles in byte by byte ends at the deadline: no single read takes too long, but all of them do."""
    slow = HttpReply(reply=GOOD, trickle=0.2)
    with FakeServer(slow, repeat=True) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        ends = door.settle_all(
            [
                Agent(City, model=model, settings=Settings(timeout=1.0)),
                Agent(City, model=model, budget=Budget(max_duration=1.0)),
            ]
        )
    by_call, by_run = [one.report for one in ends if isinstance(one, Failure)]
    assert "timeout" == error_of(ends[0]).error_type
    assert ("time_limit", ["error:timeout"]) == (by_run.code, [one.label for one in by_run.secondary])
    assert all(1.0 - LATE <= report.elapsed <= 1.0 + LATE for report in (by_call, by_run))
    assert (1, 1) == (by_call.usage.uncertain_requests, by_run.usage.uncertain_requests)


@pytest.mark.row("T07")
@by_each_door
def test_t07_trickled_headers(door: Door) -> None:
    """Headers that trickle in end at the deadline of the run; an event loop holds that of the call as well."""
    slow = HttpReply(reply=GOOD, trickle_headers=0.2)
    with FakeServer(slow, repeat=True) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        by_run = Agent(City, model=model, budget=Budget(max_duration=1.0))
        by_call = Agent(City, model=model, settings=Settings(timeout=1.0))
        ends = door.settle_all([by_run, by_call] if door.is_async else [by_run])
    reports = [one.report for one in ends if isinstance(one, Failure)]
    assert ["time_limit", "error"][: len(reports)] == [report.code for report in reports]
    assert ["error:timeout"] == [one.label for one in reports[0].secondary]
    assert all(1.0 - LATE <= report.elapsed <= 1.0 + LATE for report in reports)


@pytest.mark.row("T08")
@by_each_door
def test_t08_larger_than_the_cap(door: Door) -> None:
    """Reading stops at the cap, whatever is still to come: not retried, not held in memory, and the size is told."""
    with (
        FakeServer(HttpReply(reply=GOOD, size=40_000_000)) as server,
        closing(OpenAIChat("m", base_url=server.base_url, max_response_bytes=1_000_000)) as model,
    ):
        door.settle(
            Agent(City, model=OpenAIChat("m", base_url=FakeServer.refusing_url()), budget=ONCE)
        )  # imports are not counted
        tracemalloc.start()
        ended = ask_of(door, model)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert ("bad_response", False) == (ended.error.error_type, ended.report.retryable)
    assert "1000000 bytes" in ended.error.message
    assert 1 == len(server.requests)
    assert most < 8_000_000


@pytest.mark.row("T07")
@by_each_door
def test_t07_a_trickled_error(door: Door) -> None:
    """The body of an error status is read against the deadline as well."""
    slow = HttpReply(500, body={"error": {"message": "x" * 100}}, trickle=0.2)
    ended = ask(door, slow, settings=Settings(timeout=1.0))
    assert "timeout" == ended.error.error_type
    assert 1.0 - LATE <= ended.report.elapsed <= 1.0 + LATE


@pytest.mark.row("T08")
@pytest.mark.row("T09")
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@by_each_door
def test_t08_t09_a_large_error(door: Door, packed: bool) -> None:
    """Of the body of an error status no more is read than its message needs; the status still counts."""
    large = HttpReply(403, size=100_000_000, gzip=packed)
    with FakeServer(large) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        tracemalloc.start()
        ended = ask_of(door, model)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert ("auth", 403) == (ended.error.error_type, ended.error.status_code)
    assert most < 60_000_000


@pytest.mark.row("T08")
@by_each_door
def test_t08_the_default_cap(door: Door) -> None:
    """Without a word a reply of 40 MB is too large, and one of 3 MB is read."""
    assert "33554432 bytes" in ask(door, HttpReply(reply=GOOD, size=40_000_000)).error.message
    assert 11 == ask(door, HttpReply(reply=GOOD, size=3_000_000)).success.usage.input_tokens


@pytest.mark.row("T09")
@by_each_door
def test_t09_gzip_bomb(door: Door) -> None:
    """The cap is on what a reply is decompressed to, and no more than that is ever decompressed."""
    bomb = HttpReply(reply=GOOD, size=1_000_000_000, gzip=True)
    with (
        FakeServer(bomb) as server,
        closing(OpenAIChat("m", base_url=server.base_url, max_response_bytes=2_000_000)) as model,
    ):
        tracemalloc.start()
        ended = ask_of(door, model)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert "2000000 bytes" in ended.error.message
    assert most < 60_000_000


@pytest.mark.row("T09")
@by_each_door
def test_t09_what_is_compressed_is_read(door: Door) -> None:
    """A compressed reply below the cap is an ordinary one."""
    assert GOOD == ask(door, HttpReply(reply=GOOD, gzip=True)).success.output


@pytest.mark.row("T10")
@by_each_door
def test_t10_a_page_with_200(door: Door) -> None:
    """A page is reported by its type and its first 200 characters; it is asked for once more, and not a third time."""
    page = HttpReply(headers=HTML, body=PAGE)
    passing, staying = ask_all(door, [(page, GOOD), (page, page)])
    assert isinstance(passing, Success)
    assert [("bad_response", 200)] == [(one.kind, one.status_code) for one in passing.steps[-1].transport]
    reason = error_of(staying)
    assert "bad_response" == reason.error_type
    assert "text/html" in reason.message
    assert PAGE[:200] in reason.message
    assert PAGE[:201] not in reason.message
    assert isinstance(staying, Failure)
    assert (2, 2) == (len(staying.report.attempts[-1].transport), staying.report.usage.uncertain_requests)


@pytest.mark.row("T11")
@pytest.mark.parametrize("status", [502, 504])
@by_each_door
def test_t11_a_page_with_5xx(door: Door, status: int) -> None:
    """A proxy's page with an error status is retried as one, and is not dumped into the report."""
    page = HttpReply(status, {**HTML, **SOON}, body=PAGE)
    ended = ask(door, page, page, budget=RETRY)
    assert status == ended.error.status_code
    assert "text/html" in ended.error.message
    assert [status, status] == [one.status_code for one in ended.transport]
    assert "Sign in" not in ended.report.render() + "".join(one.message for one in ended.transport)
    assert PROMPT not in ended.report.render()

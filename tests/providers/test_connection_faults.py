"""T21 to T24: certificates that do not hold, redirects, proxies, and a pool that is too small."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta, timezone

import httpx2
import pytest
import trustme
from tests.providers.doors import (
    GOOD,
    ONCE,
    PROMPT,
    Door,
    answer,
    ask_at,
    ask_of,
    by_each_door,
    error_of,
)
from tests.support import City

from settled import Agent, Budget, Settings, Success, Tool
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply, SocketFault

YESTERDAY = datetime.now(timezone.utc) - timedelta(days=1)
HERE = "127.0.0.1"
CERTIFICATES: dict[str, tuple[Callable[[trustme.CA], trustme.LeafCert], bool, str]] = {
    "unknown issuer": (lambda ca: ca.issue_cert(HERE), False, "unable to get local issuer certificate"),
    "wrong host": (lambda ca: ca.issue_cert("model.example"), True, "not valid for '127.0.0.1'"),
    "expired": (lambda ca: ca.issue_cert(HERE, not_after=YESTERDAY), True, "expired"),
}
"""The server's certificate, whether the client knows its issuer, and why it does not hold."""


def tls_server(certificate: trustme.LeafCert, *replies: object) -> FakeServer:
    """A server that shows a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with certificate.private_key_and_cert_chain_pem.tempfile() as path:
        context.load_cert_chain(path)
    return FakeServer(*replies, tls=context)


def trusting(ca: trustme.CA) -> ssl.SSLContext:
    """What a client verifies by that knows one issuer."""
    return ssl.create_default_context(cadata=ca.cert_pem.bytes().decode())


def pooled(door: Door, *, verify: ssl.SSLContext | bool = True, connections: int = 10) -> httpx2.Client | httpx2.AsyncClient:
    """An HTTP client of the user's own."""
    limits = httpx2.Limits(max_connections=connections)
    if door.is_async:
        return httpx2.AsyncClient(verify=verify, limits=limits, timeout=60.0)
    return httpx2.Client(verify=verify, limits=limits, timeout=60.0)


@pytest.mark.row("T21")
@pytest.mark.parametrize("case", CERTIFICATES)
@by_each_door
def test_t21_a_certificate_that_does_not_hold(door: Door, case: str) -> None:
    """It is reported as such after one connection, with its reason, and nobody is told to stop verifying."""
    issued, known, reason = CERTIFICATES[case]
    ca = trustme.CA()
    with tls_server(issued(ca)) as server:
        client = pooled(door, verify=trusting(ca)) if known else None
        with closing(OpenAIChat("m", base_url=server.base_url, http_client=client)) as model:
            ended = ask_of(door, model, client)
    assert ("connection", False) == (ended.error.error_type, ended.report.retryable)
    assert "TLS: the server's certificate does not hold" in ended.error.message
    assert reason in ended.error.message
    assert 1 == server.connections == len(ended.transport)
    assert 0 == ended.report.usage.uncertain_requests
    said = ended.report.render().lower()
    assert not [hint for hint in ("verify=", "verify_", "insecure", "disable") if hint in said.replace("certificate_verify_", "")]


@pytest.mark.row("T21")
@by_each_door
def test_t21_a_certificate_that_holds(door: Door) -> None:
    """With a certificate of a known issuer the same server answers."""
    ca = trustme.CA()
    client = pooled(door, verify=trusting(ca))
    with tls_server(ca.issue_cert(HERE), GOOD) as server:
        assert GOOD == ask_of(door, OpenAIChat("m", base_url=server.base_url, http_client=client), client).success.output


@pytest.mark.row("T22")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@by_each_door
def test_t22_redirects_are_not_followed(door: Door, status: int) -> None:
    """A redirect is reported; neither the key nor the prompt reaches the other host."""
    with FakeServer() as other:
        elsewhere = HttpReply(status, {"location": f"{other.base_url}/chat/completions"})
        with FakeServer(elsewhere) as server:
            client = httpx2.AsyncClient(follow_redirects=True) if door.is_async else httpx2.Client(follow_redirects=True)
            ended = ask_of(door, OpenAIChat("m", base_url=server.base_url, api_key="k", http_client=client), client)
    assert status == ended.error.status_code
    assert not ended.report.retryable
    assert (1, 0) == (len(server.requests), other.connections)


@pytest.mark.row("T23")
@by_each_door
def test_t23_a_broken_proxy(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error names the proxy of the environment, and never its password."""
    dead = FakeServer.refusing_url().removesuffix("/v1").removeprefix("http://")
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, f"http://user:swordfish@{dead}")
    for name in ("NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    ended = ask_at(door, "http://example.invalid/v1", budget=ONCE)
    assert "connection" == ended.error.error_type
    assert dead in ended.error.message
    assert "ConnectionRefusedError" in ended.error.message
    report = ended.report
    assert "swordfish" not in f"{report!r} {report.render()} {report.model_dump_json()} {report.exception!r}"


@pytest.mark.row("T24")
@by_each_door
def test_t24_many_runs_few_connections(door: Door) -> None:
    """200 runs over a pool of 10 connections are all answered."""
    client = pooled(door)
    with FakeServer(GOOD, repeat=True) as server:
        model = OpenAIChat("m", base_url=server.base_url, http_client=client)
        ends = door.settle_all([Agent(City, model=model)] * 200, client)
    assert [GOOD] * 200 == [one.unwrap() for one in ends if isinstance(one, Success)]
    assert 200 == len(server.requests)
    assert server.connections <= 10


@pytest.mark.row("T24")
@by_each_door
def test_t24_waiting_for_a_connection_is_waiting(door: Door) -> None:
    """Where no connection comes free in time the run ends at its deadline, and nothing was sent for it."""
    client = pooled(door, connections=1)
    with FakeServer(SocketFault("silence"), repeat=True) as server:
        model = OpenAIChat("m", base_url=server.base_url, http_client=client)
        began = time.monotonic()
        ends = door.settle_all([Agent(City, model=model, settings=Settings(timeout=0.5))] * 3, client)
        seconds = time.monotonic() - began
    assert ["timeout"] * 3 == [error_of(one).error_type for one in ends]
    assert seconds < 1.2
    assert 1 == len(server.requests)
    assert sum("no connection came free" in error_of(one).message for one in ends) == 2


@pytest.mark.row("T24")
@by_each_door
def test_t24_a_sub_agent_on_the_same_pool(door: Door) -> None:
    """A tool that asks the same model over the only connection is no deadlock: the outer call has given it back."""
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    asks = answer(None, finish="tool_calls", message={"tool_calls": [call]})
    client = pooled(door, connections=1)
    with FakeServer(asks, GOOD, GOOD) as server:
        model = OpenAIChat("m", base_url=server.base_url, http_client=client)
        inner = Agent(City, model=model, budget=ONCE)

        def look_up() -> str:
            """Asks another agent."""
            return inner.run(PROMPT).model_dump_json()

        async def alook_up() -> str:
            """Asks another agent."""
            return (await inner.arun(PROMPT)).model_dump_json()

        tool = Tool.of(alook_up, name="look_up") if door.is_async else Tool.of(look_up)
        limits = Budget(max_duration=5.0, transport_retries=0)
        ended = ask_of(door, model, client, tools=[tool], mode="prompted", budget=limits)
    assert GOOD == ended.success.output
    assert (3, 1) == (len(server.requests), server.connections)

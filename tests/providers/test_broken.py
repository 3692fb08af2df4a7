"""What a client raises without any reply, and what it means: by the names of the exceptions, down to the socket."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import cast

import httpx2
import openai
import pytest

from settled import Message, MisuseError, ModelRequest, ProviderError
from settled.providers import OpenAIChat
from settled.providers.broken import broken, late
from settled.testing import FakeServer

REQUEST = httpx2.Request("POST", "https://example.org/v1/chat/completions")
ASKED = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
KEY = "sk-abcdef1234567890"


def caused(raised: Exception, *causes: Exception) -> Exception:
    """An exception with what caused it, each raised from the next."""
    one: BaseException = raised
    for cause in causes:
        one.__cause__ = cause
        one = cause
    return raised


def connecting(cause: Exception) -> Exception:
    """The client's error for a connection that cannot be made."""
    return caused(openai.APIConnectionError(request=REQUEST), httpx2.ConnectError(str(cause)), cause)


@pytest.mark.parametrize(
    "raised, kind, retryable, uncertain, words",
    [
        pytest.param(
            connecting(ssl.SSLCertVerificationError(1, "certificate has expired")), "connection", False, False,
            "TLS: the server's certificate does not hold: SSLCertVerificationError: ", id="certificate",
        ),
        pytest.param(connecting(ssl.SSLError(1, "wrong version")), "connection", False, False, "TLS failed: ", id="tls"),
        pytest.param(httpx2.ProxyError("407"), "connection", True, False, "the proxy failed: ProxyError: 407", id="proxy"),
        pytest.param(connecting(socket.gaierror(-2, "not known")), "connection", True, False,
                     "the server's name cannot be resolved: gaierror: ", id="dns"),
        pytest.param(connecting(ConnectionRefusedError(111, "refused")), "connection", True, False,
                     "no connection: ConnectionRefusedError: ", id="refused"),
        pytest.param(caused(openai.APITimeoutError(request=REQUEST), httpx2.PoolTimeout("")), "timeout", True, False,
                     "no connection came free in time", id="pool"),
        pytest.param(caused(openai.APITimeoutError(request=REQUEST), httpx2.ConnectTimeout("slow")), "timeout", True, False,
                     "no connection in time: ConnectTimeout: slow", id="connect-timeout"),
        pytest.param(caused(openai.APITimeoutError(request=REQUEST), httpx2.ReadTimeout("slow")), "timeout", True, True,
                     "no answer in time", id="read-timeout"),
        pytest.param(openai.APITimeoutError(request=REQUEST), "timeout", True, True, "no answer in time", id="timeout"),
        pytest.param(httpx2.UnsupportedProtocol("?"), "invalid_request", False, False, "the address is wrong", id="scheme"),
        pytest.param(httpx2.InvalidURL("no port"), "invalid_request", False, False, "the address is wrong: InvalidURL", id="url"),
        pytest.param(httpx2.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'"), "invalid_request", False, False,
                     "HTTP cannot carry a header, or the key", id="header"),
        pytest.param(UnicodeEncodeError("ascii", KEY, 0, 1, "not in range"), "invalid_request", False, False,
                     "HTTP cannot carry a header, or the key", id="header-characters"),
        pytest.param(httpx2.DecodingError("bad gzip"), "bad_response", True, True, "cannot be decompressed", id="gzip"),
        pytest.param(httpx2.RemoteProtocolError("disconnected"), "connection", True, True, "broke off", id="cut-off"),
        pytest.param(httpx2.ReadError("reset"), "connection", True, True, "the connection broke: ReadError: reset", id="read"),
        pytest.param(httpx2.WriteError("pipe"), "connection", True, True, "the connection broke", id="write"),
        pytest.param(openai.APIConnectionError(request=REQUEST), "connection", True, True, "the connection broke", id="client"),
        pytest.param(BrokenPipeError("pipe"), "connection", True, True, "the connection broke", id="socket"),
        pytest.param(openai.OpenAIError("no"), "invalid_request", False, False, "OpenAIError: no", id="refuses"),
    ],
)  # fmt: skip
def test_what_it_means(raised: Exception, kind: str, retryable: bool, uncertain: bool, words: str) -> None:
    """Each way to break says what went wrong, whether asking again can help, and whether the request may have been billed."""
    error = broken(raised)
    assert isinstance(error, ProviderError)
    assert (kind, retryable, uncertain) == (error.kind, error.retryable, error.uncertain)
    assert words in error.message
    assert KEY not in f"{error!r} {error}"


def test_a_reply_that_breaks_off_is_a_bad_response() -> None:
    """Once a reply has begun, the end of the connection is a fault of the reply; every other break may have been billed."""
    cut = broken(httpx2.RemoteProtocolError("incomplete"), answering=True)
    assert isinstance(cut, ProviderError)
    assert ("bad_response", True, True) == (cut.kind, cut.retryable, cut.uncertain)
    assert "broke off before its end: RemoteProtocolError: incomplete" in cut.message
    refused = broken(httpx2.ConnectError("no"), answering=True)
    assert isinstance(refused, ProviderError)
    assert refused.uncertain


@pytest.mark.parametrize(
    "raised", [MisuseError("mine"), ProviderError("server", "oops"), KeyError("x")], ids=lambda one: type(one).__name__
)
def test_what_is_not_the_clients_stays(raised: Exception) -> None:
    """Errors of ours, and what no client raises, are handed back as they are."""
    assert raised is broken(raised)


def test_every_error_of_the_http_library_is_known() -> None:
    """Whatever the HTTP library and the client can raise for a request becomes a provider error."""

    def below(kind: type[Exception]) -> Iterator[type[Exception]]:
        yield kind
        for child in kind.__subclasses__():
            yield from below(child)

    kinds = {*below(httpx2.RequestError), httpx2.InvalidURL, *below(openai.APIConnectionError)}
    assert len(kinds) > 15
    for kind in kinds:
        bare = cast("Callable[[type[Exception]], Exception]", kind.__new__)(kind)  # without the arguments that each wants
        assert isinstance(broken(bare), ProviderError), kind


def test_a_circle_of_causes_ends() -> None:
    """Exceptions that cause each other are walked once."""
    one, other = KeyError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert one is broken(one)


def test_what_says_nothing_is_passed_over() -> None:
    """The message is that of the deepest exception that has one."""
    error = broken(caused(httpx2.ConnectError("all attempts failed"), OSError()))
    assert "no connection: ConnectError: all attempts failed" in str(error)


def test_late() -> None:
    """A request whose time is over may be sent again, and may have been billed."""
    assert ("timeout", True, True) == (late().kind, late().retryable, late().uncertain)


@pytest.mark.parametrize("words", ["no connection", "name", "proxy"])
def test_the_proxy_of_the_environment_is_named(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a proxy may be why nothing connects, it is named, without its password."""
    monkeypatch.setenv("http_proxy", "http://me:hunter2@proxy.invalid:8080")
    monkeypatch.setenv("no_proxy", "localhost")
    raised = {
        "no connection": httpx2.ConnectError("no"),
        "name": socket.gaierror("no"),
        "proxy": httpx2.ProxyError("no"),
    }[words]
    error = broken(raised)
    assert "(the environment names the proxy http://[hidden]@proxy.invalid:8080)" in str(error)
    assert "localhost" not in str(error)
    assert "proxy" not in str(broken(httpx2.ReadError("no")))


def from_a_thread(model: OpenAIChat) -> None:
    """One request from a thread."""
    model.request(ASKED, timeout=5.0)


def from_a_loop(model: OpenAIChat) -> None:
    """One request from an event loop."""
    asyncio.run(model.arequest(ASKED, timeout=5.0))


@pytest.mark.parametrize("ask", [from_a_thread, from_a_loop], ids=["sync", "async"])
def test_what_the_caller_was_handling_is_not_the_cause(ask: Callable[[OpenAIChat], None]) -> None:
    """A request from inside somebody's `except` does not report, or show, the exception that was handled there."""
    model = OpenAIChat("m", base_url=FakeServer.refusing_url())

    def in_an_except() -> None:
        try:
            raise ssl.SSLCertVerificationError("the caller's secret")
        except ssl.SSLError:
            ask(model)

    with pytest.raises(ProviderError) as caught:
        in_an_except()
    model.close()
    assert "ConnectionRefusedError" in caught.value.message
    assert (True, False) == (caught.value.retryable, "secret" in caught.value.message)


@pytest.mark.parametrize("key", ["schlüssel", "sk-abcdef\n"], ids=["letters", "line-end"])
@pytest.mark.parametrize("ask", [from_a_thread, from_a_loop], ids=["sync", "async"])
def test_a_key_that_no_header_can_carry(ask: Callable[[OpenAIChat], None], key: str) -> None:
    """A key with what HTTP cannot carry is refused before anything is sent, and not shown."""
    with FakeServer() as server:
        model = OpenAIChat("m", base_url=server.base_url, api_key=key)
        with pytest.raises(MisuseError, match="the key holds a line end") as caught:
            ask(model)
        model.close()
    assert key.strip() not in f"{caught.value} {caught.value!r}"
    assert caught.value.__cause__ is None

"""The server on loopback: whom it answers in what order, what it remembers and complains of, and that it leaves nothing open."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
import trustme
from openai import AsyncOpenAI, DefaultHttpxClient, InternalServerError, OpenAI

from settled import MisuseError, Text, ToolCall
from settled.testing import FakeServer, HttpReply, ReceivedRequest, Refusal, SocketFault, Truncated
from settled.vocabulary.exchange import JsonObject

PATH = "/v1/chat/completions"
CALL = ToolCall(id="c1", name="look_up", arguments='{"city":"Oslo"}')


class Answer(NamedTuple):
    """What a plain client got."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def connected(server: FakeServer) -> HTTPConnection:
    """A plain client; the test closes it."""
    return HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)


def asked(client: HTTPConnection, body: str = "{}", *, method: str = "POST", path: str = PATH, **headers: str) -> Answer:
    """One request over that client."""
    client.request(method, path, body, headers)
    response = client.getresponse()
    return Answer(response.status, {name.lower(): text for name, text in response.getheaders()}, response.read())


def post(server: FakeServer, body: str = "{}", *, method: str = "POST", path: str = PATH, **headers: str) -> Answer:
    """One request over a connection of its own."""
    client = connected(server)
    try:
        return asked(client, body, method=method, path=path, **headers)
    finally:
        client.close()


@contextmanager
def complained(*replies: object, words: str, repeat: bool = False) -> Generator[FakeServer, None, None]:
    """A server whose block ends in a complaint."""
    with pytest.raises(AssertionError, match=words), FakeServer(*replies, repeat=repeat) as server:
        yield server


def openai_for(server: FakeServer) -> OpenAI:
    """The sync client, without retries."""
    return OpenAI(base_url=server.base_url, api_key="k", max_retries=0)


def greet(body: JsonObject) -> str:
    """A text that depends on the request."""
    return f"Hei {body['model']}"


def fault(body: JsonObject) -> HttpReply:
    """A raw reply, decided by the request."""
    return HttpReply(418, body=str(body["model"]))


def greet_later(body: JsonObject) -> object:
    """A function again."""
    return greet


@pytest.mark.parametrize(
    "reply, content, calls, refusal, finish",
    [
        ("Hei", "Hei", None, None, "stop"),
        ({"a": 1}, '{"a":1}', None, None, "stop"),
        (CALL, None, ["look_up"], None, "tool_calls"),
        ([Text(text="So:"), CALL, CALL.changed(id="c2")], "So:", ["look_up", "look_up"], None, "tool_calls"),
        (Truncated("He"), "He", None, None, "length"),
        (Truncated('{"ci', in_call="look_up"), None, ["look_up"], None, "length"),
        (Refusal("I cannot."), None, None, "I cannot.", "stop"),
        (greet, "Hei small", None, None, "stop"),
        (greet_later, "Hei small", None, None, "stop"),
        (HttpReply(reply="Hei"), "Hei", None, None, "stop"),
        (HttpReply(reply=greet), "Hei small", None, None, "stop"),
    ],
    ids=["text", "value", "call", "parts", "truncated", "cut call", "refusal", "function", "twice", "framed", "framed function"],
)
def test_the_openai_client_reads_each_reply(
    reply: object, content: str | None, calls: list[str] | None, refusal: str | None, finish: str
) -> None:
    """Each kind of ordinary reply is a Chat Completion to the openai client, with the fields of one."""
    with FakeServer(reply, model="tiny") as server, openai_for(server) as client:
        made = client.chat.completions.create(model="small", messages=[{"role": "user", "content": "Hi"}])
    (choice,) = made.choices
    called = [call.function.name for call in choice.message.tool_calls or () if call.type == "function"]
    assert (content, calls or [], refusal) == (choice.message.content, called, choice.message.refusal)
    assert (finish, "tiny", "chatcmpl-1") == (choice.finish_reason, made.model, made.id)
    assert made.usage is not None
    assert made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens > 0


def test_the_async_client_is_served_at_once() -> None:
    """Many requests of one async client are answered side by side, each reply once."""
    met = threading.Barrier(8)

    def meet(body: JsonObject) -> str:
        return str(met.wait(timeout=30))  # broken, unless all eight are here

    async def ask(url: str) -> list[str | None]:
        async with AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
            made = await asyncio.gather(
                *(client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}]) for _ in range(8))
            )
            return [one.choices[0].message.content for one in made]

    with FakeServer(*[meet] * 8) as server:
        contents = asyncio.run(ask(server.base_url))
    assert sorted(contents, key=str) == [str(number) for number in range(8)]
    assert len({request.connection for request in server.requests}) == server.connections == 8


def test_replies_follow_the_order_of_arrival() -> None:
    """Over many threads and connections each reply is given once, in the order of `requests`."""

    def ask(name: str) -> tuple[str, str]:
        answer = post(server, f'{{"model": "{name}"}}')
        return name, answer.body.decode()

    with FakeServer(*[HttpReply(body=str(place)) for place in range(40)]) as server, ThreadPoolExecutor(8) as pool:
        told = dict(pool.map(ask, [f"m{number}" for number in range(40)]))
    assert [str(place) for place in range(40)] == [told[str((request.body or {})["model"])] for request in server.requests]
    assert server.connections == 40


def test_a_request_is_remembered() -> None:
    """Method, path with query, headers by lower-cased name, body and raw bytes are kept; repr shows no header."""
    with FakeServer("a", "b") as server:
        client = connected(server)
        asked(client, '{"model": "x"}', path=f"{PATH}?v=1", Authorization="Bearer secret")
        asked(client)
        client.close()
    first, second = server.requests
    assert (first.method, first.path, first.body, first.raw) == ("POST", f"{PATH}?v=1", {"model": "x"}, b'{"model": "x"}')
    assert first.headers["authorization"] == "Bearer secret"
    assert "secret" not in repr(server.requests)
    assert first.at <= second.at <= time.monotonic()
    assert isinstance(first, ReceivedRequest)


def test_headers_sent_twice_are_joined() -> None:
    """A header that comes twice is one, with a comma."""
    with FakeServer(HttpReply()) as server, socket.create_connection(address_of(server)) as sock:
        sock.sendall(f"POST {PATH} HTTP/1.1\r\nA: 1\r\na: 2\r\n\r\n".encode())
        assert sock.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
    assert server.requests[0].headers == {"a": "1, 2"}
    assert server.requests[0].body is None


def address_of(server: FakeServer) -> tuple[str, int]:
    """Host and port."""
    parts = urlsplit(server.base_url)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def test_a_connection_is_kept() -> None:
    """Two requests of one client go over one connection; a client that says close gets it closed."""
    with FakeServer("a", "b", "c") as server:
        client = connected(server)
        asked(client)
        assert "connection" not in asked(client).headers
        assert asked(client, Connection="close").headers["connection"] == "close"
        client.close()
    assert [request.connection for request in server.requests] == [1, 1, 1]
    assert server.connections == 1


def test_http_1_0_closes() -> None:
    """A client of HTTP/1.0 reads to the end of the connection."""
    with FakeServer(HttpReply(body="x")) as server, socket.create_connection(address_of(server)) as sock:
        sock.sendall(f"POST {PATH} HTTP/1.0\r\n\r\n".encode())
        assert b"".join(iter(lambda: sock.recv(100), b"")).endswith(b"\r\n\r\nx")


def test_a_request_may_come_in_pieces() -> None:
    """Head and body byte by byte, and two requests at once, are read as they are meant."""
    one = f"POST {PATH} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    last = HttpReply(body="y", close_after=True)
    with FakeServer(HttpReply(body="x"), last) as server, socket.create_connection(address_of(server)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for place in range(len(one)):
            sock.sendall(one[place : place + 1])
        sock.sendall(one)
        whole = b"".join(iter(lambda: sock.recv(100), b""))
    assert whole.count(b"HTTP/1.1 200 OK") == 2
    assert [{}, {}] == [request.body for request in server.requests]


def test_models_are_listed_aside() -> None:
    """GET of the models names the model, and uses up no reply."""
    with FakeServer("a", model="tiny") as server, openai_for(server) as client:
        assert [model.id for model in client.models.list()] == ["tiny"]
        assert server.requests == ()
        assert server.leftover == 1
        post(server)


def test_the_last_reply_is_repeated() -> None:
    """With repeat the last reply is given for ever, and need not be used."""
    with FakeServer(HttpReply(body="a"), HttpReply(body="b"), repeat=True) as server:
        assert [post(server).body for _ in range(3)] == [b"a", b"b", b"b"]
    with FakeServer("a", repeat=True) as server:
        assert server.leftover == 0


def test_a_used_up_script_is_told_twice() -> None:
    """The request gets a 500 that says why and forbids retries; leaving the block raises in the same words."""
    words = "the script has 1 replies and was asked for more"
    with complained("a", words=words) as server, openai_for(server) as client:
        post(server)
        with pytest.raises(InternalServerError, match=words) as caught:
            client.chat.completions.create(model="m", messages=[])
        assert caught.value.response.headers["x-should-retry"] == "false"


def test_nothing_is_repeated_from_nothing() -> None:
    """An empty script is used up at once, repeat or not."""
    with complained(words="the script has 0 replies", repeat=True) as server:
        assert post(server).status == 500


def break_down(body: JsonObject) -> object:
    """A function with a bug, or an assertion that fails."""
    raise AssertionError(f"unexpected {body['model']}")


def fail_test(body: JsonObject) -> object:
    """What pytest raises is no Exception."""
    pytest.fail("not this")


@pytest.mark.parametrize(
    "reply, body, words",
    [
        (break_down, '{"model": "m"}', "AssertionError: unexpected m"),
        (fail_test, "{}", "Failed: not this"),
        (TimeoutError(), "{}", "TimeoutError cannot be sent over a socket"),
        (object(), "{}", "has no JSON form"),
        ("text", "no JSON", "is no JSON object"),
        (greet, "[]", "is no JSON object"),
        (HttpReply(reply="text"), "", "is no JSON object"),
        (HttpReply(reply=SocketFault("close")), "{}", "takes an ordinary reply, not another SocketFault"),
        (HttpReply(body={"a": object()}), "{}", "PydanticSerializationError"),
        (HttpReply(headers={"a": "\u20ac"}), "{}", "UnicodeEncodeError"),
        (HttpReply(events=("\ud800",)), "{}", "UnicodeEncodeError"),
        ("\ud800", '{"stream": true}', "PydanticSerializationError"),
    ],
    ids=[
        "bug",
        "pytest.fail",
        "exception",
        "no form",
        "no JSON",
        "no object",
        "empty",
        "nested",
        "body",
        "header",
        "event",
        "stream",
    ],
)
def test_a_reply_that_cannot_be_given_is_told_twice(reply: object, body: str, words: str) -> None:
    """A 500 says why, and so does leaving the block."""
    with complained(reply, words=f"reply 1 of the script could not be given: .*{words}") as server:
        answer = post(server, body)
        assert (answer.status, answer.headers["x-should-retry"]) == (500, "false")
        assert words in answer.body.decode()


def test_a_bug_in_a_function_is_the_cause() -> None:
    """The complaint keeps the exception that a function raised, for its traceback."""
    server = FakeServer(break_down)
    server.__enter__()
    post(server, '{"model": "m"}')
    with pytest.raises(AssertionError, match="could not be given") as caught:
        server.__exit__(None, None, None)
    assert isinstance(caught.value.__cause__, AssertionError)


def test_an_unknown_place_is_told_twice() -> None:
    """What is not served is a 404, remembered in the same words once."""
    with complained(words=r"^the fake server has no POST /v1/embeddings; [^;]*$") as server:
        assert [post(server, path="/v1/embeddings").status for _ in range(2)] == [404, 404]
        assert server.requests == ()


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\r\n\r\n",
        b"POST /v1/chat/completions SPDY/1\r\n\r\n",
        f"POST {PATH} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n".encode(),
        f"POST {PATH} HTTP/1.1\r\nContent-Length: x\r\n\r\n".encode(),
        b"a" * 300_000,
    ],
    ids=["no text", "no HTTP", "chunked", "length", "endless"],
)
def test_a_malformed_request_is_refused(sent: bytes) -> None:
    """What is no request that the server reads gets a 400, which arrives whole, and is no request."""
    with FakeServer() as server, socket.create_connection(address_of(server)) as sock:
        sock.sendall(sent)
        assert b"".join(iter(lambda: sock.recv(1000), b"")).startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert server.requests == ()


def test_leftovers_are_told() -> None:
    """A reply that was never used is told on leaving."""
    with complained("a", "b", words="1 of 2 scripted replies were never asked for; the server received 1 requests") as server:
        post(server)
        assert server.leftover == 1


def test_an_exception_under_way_goes_first() -> None:
    """Leftovers and faults do not hide what went wrong in the block."""

    def misbehave() -> None:
        with FakeServer("a") as server:
            post(server, path="/other")
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        misbehave()


@pytest.mark.parametrize(
    "fault", [SocketFault("silence"), HttpReply(delay=60), HttpReply(body="ab", trickle=60)], ids=["silence", "delay", "trickle"]
)
def test_leaving_does_not_wait(fault: object) -> None:
    """A request that hangs, a client that stays connected and one that never speaks end with the block, and so do all threads."""
    with FakeServer(fault) as server:
        idle, hung = socket.create_connection(address_of(server)), socket.create_connection(address_of(server))
        hung.sendall(f"POST {PATH} HTTP/1.1\r\n\r\n".encode())
        while not server.requests:
            time.sleep(0.001)
        began = time.monotonic()
    assert time.monotonic() - began < 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("FakeServer")]
    assert idle.recv(1) == b""
    idle.close()
    hung.close()


def test_a_write_that_hangs_ends_with_the_block() -> None:
    """A client that does not read a huge reply does not keep the server from stopping."""
    with FakeServer(HttpReply(size=1 << 32)) as server, socket.create_connection(address_of(server)) as sock:
        sock.sendall(f"POST {PATH} HTTP/1.1\r\n\r\n".encode())
        sock.recv(10)
        began = time.monotonic()
        server.__exit__(None, None, None)
        assert time.monotonic() - began < 2


def test_nobody_listens() -> None:
    """A refusing URL refuses, and so does a server that has stopped."""
    with FakeServer() as server:
        pass
    for url in (FakeServer.refusing_url(), server.base_url):
        client = HTTPConnection(urlsplit(url).netloc, timeout=5)
        with pytest.raises(ConnectionRefusedError):
            client.connect()


def test_a_server_runs_once() -> None:
    """It has no address before the block, and no second block; a piece of a stream is at least one character."""
    with pytest.raises(MisuseError, match="no address before it runs"):
        FakeServer().base_url  # noqa: B018  # a property that raises
    with FakeServer() as server:
        pass
    with pytest.raises(MisuseError, match="runs once"):
        server.__enter__()
    with pytest.raises(MisuseError, match="at least one character"):
        FakeServer(chunk=0)


def secured() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate made for the test, and a client's that trusts it."""
    authority, server = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.tempfile() as path:
        server.load_cert_chain(path)
    return server, ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())


def test_tls_is_spoken() -> None:
    """With a context the address is https, clients that trust the certificate are served, and endings are in good order."""
    own, trusted = secured()
    with FakeServer("Hei", "du", HttpReply(body="12345", cut_after=2), tls=own) as server:
        assert server.base_url.startswith("https://127.0.0.1:")
        http = DefaultHttpxClient(verify=trusted)
        with OpenAI(base_url=server.base_url, api_key="k", max_retries=0, http_client=http) as client:
            told = [client.chat.completions.create(model="m", messages=[]).choices[0].message.content for _ in range(2)]
        assert told == ["Hei", "du"]
        plain = HTTPSConnection(*address_of(server), context=trusted, timeout=5)
        plain.request("POST", PATH, "{}")
        with pytest.raises(Exception, match="IncompleteRead"):
            plain.getresponse().read()
        plain.close()
    assert server.connections == 2


def test_a_distrustful_client_is_no_request() -> None:
    """A client that does not trust the certificate, or does not speak TLS, leaves a connection and no request."""
    with FakeServer(tls=secured()[0]) as server:
        with pytest.raises(ssl.SSLCertVerificationError):
            HTTPSConnection(*address_of(server), context=ssl.create_default_context(), timeout=5).request("POST", PATH, "{}")
        with socket.create_connection(address_of(server)) as sock:
            sock.sendall(b"POST / HTTP/1.1\r\n\r\n")
            with suppress(ConnectionResetError):  # what the server did not read makes its close a reset
                assert b"HTTP" not in sock.recv(100)
    assert (2, ()) == (server.connections, server.requests)


def test_a_function_may_give_a_raw_reply() -> None:
    """A function of the body can decide on the status."""
    with FakeServer(fault) as server:
        assert post(server, '{"model": "m"}')[::2] == (418, b"m")

"""The server on loopback. Read by type checkers; nothing here is called."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, JsonValue
from typing_extensions import assert_type

from settled import ModelResponse, Text, ToolCall
from settled.testing import FakeServer, HttpReply, ReceivedRequest, Refusal, SocketFault, Truncated, Typed


class City(BaseModel):
    name: str


def reply(body: dict[str, JsonValue]) -> City | HttpReply:
    return City(name=str(body["model"])) if body.get("stream") else HttpReply(503)


def served(context: ssl.SSLContext) -> None:
    call = ToolCall(id="c1", name="look_up", arguments="{}")
    with FakeServer(
        City(name="Oslo"),
        "text",
        call,
        [Text(text="a"), call],
        Typed("x"),
        Truncated("4"),
        Refusal("no"),
        ModelResponse(parts=(Text(text="7"),)),
        reply,
        lambda body: HttpReply(status=429, body={"model": body["model"]}),
        HttpReply(500, {"retry-after": "1"}, body={"error": {"message": "no"}}, delay=0.1, gzip=True, size=10),
        HttpReply(events=("data: {}", b"data: [DONE]"), pause=0.1, cut_after=3),
        SocketFault("reset"),
        model="m",
        repeat=True,
        tls=context,
        chunk=4,
    ) as server:
        assert_type(server, FakeServer)
        assert_type(server.base_url, str)
    assert_type(FakeServer(profile="ollama"), FakeServer)
    FakeServer(profile="olama")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    assert_type(server.requests, tuple[ReceivedRequest, ...])
    assert_type(server.connections, int)
    assert_type(server.leftover, int)
    assert_type(FakeServer.refusing_url(), str)


def received(request: ReceivedRequest) -> None:
    assert_type(request.method, str)
    assert_type(request.path, str)
    assert_type(request.headers, Mapping[str, str])
    assert_type(request.body, dict[str, JsonValue] | None)
    assert_type(request.raw, bytes)
    assert_type(request.connection, int)
    assert_type(request.at, float)


def raw(given: HttpReply) -> None:
    assert_type(given.status, int)
    assert_type(given.headers, Mapping[str, str])
    assert_type(given.body, bytes | str | Mapping[str, object] | Sequence[object])
    assert_type(given.reply, object)
    assert_type(given.reset_after, int | None)
    assert_type(given.events, tuple[str | bytes, ...] | None)


def refused() -> None:
    SocketFault("explode")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    HttpReply(reset_after="1")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]

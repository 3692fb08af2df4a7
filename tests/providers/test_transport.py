"""The seam to the network by itself: a stream is handed back unread, and a user's client keeps its own paths and headers."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest
from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI
from tests.support import OSLO, City

from settled import Agent
from settled.providers import OpenAIChat
from settled.providers.refusals import Arrived, Refusal
from settled.providers.transport import Posted, aopen_stream, asend, open_stream, send
from settled.testing import FakeServer, HttpReply

BODY = Posted({"model": "m", "messages": [], "stream": True}, {"X-Team": "a"}, seconds=10.0)


def client_at(base_url: str) -> OpenAI:
    """A client of the user's own."""
    return OpenAI(base_url=base_url, api_key="k", max_retries=5)


def test_a_stream_is_handed_back_unread() -> None:
    """The first events can be read while the server has not sent the last ones; closing early ends the connection."""
    events = ('data: {"n": 1}', 'data: {"n": 2}', "data: [DONE]")
    with FakeServer(HttpReply(events=events, pause=0.3)) as server, client_at(server.base_url) as client:
        response = open_stream(client, BODY)
        assert 200 == response.status_code
        pieces = response.iter_bytes()
        first = next(pieces)
        assert b'{"n": 1}' in first
        assert b"DONE" not in first
        pieces.close()  # type: ignore[attr-defined]
        response.close()
        assert response.is_closed
    (request,) = server.requests
    assert ("a", True) == (request.headers["x-team"], (request.body or {})["stream"])


def test_a_stream_is_handed_back_unread_async() -> None:
    """The same from an event loop."""

    async def main(base_url: str) -> bytes:
        async with AsyncOpenAI(base_url=base_url, api_key="k") as client:
            response = await aopen_stream(client, BODY)
            read = b"".join([piece async for piece in response.aiter_bytes()])
            await response.aclose()
            return read

    with FakeServer("Hei", chunk=1) as server:
        read = asyncio.run(main(server.base_url))
    assert read.count(b'"content":') >= 3
    assert b"[DONE]" in read


def test_an_error_in_place_of_a_stream() -> None:
    """A user's client has read the error when it is handed back; a client made here raises it, read within bounds."""
    busy = HttpReply(503, body={"error": {"message": "busy"}})
    with FakeServer(busy, busy, busy) as server, client_at(server.base_url) as client:
        assert 503 == open_stream(client, BODY).status_code
        assert 503 == send(client, BODY).status
        model = OpenAIChat("m", base_url=server.base_url)
        with closing(model), pytest.raises(Refusal) as refusal:
            open_stream(model._account.sync_client(), BODY)  # pyright: ignore[reportPrivateUsage]
    assert 503 == refusal.value.arrived.status
    assert "busy" not in f"{refusal.value!r} {refusal.value} {refusal.value.arrived!r}"


def test_what_is_posted_and_arrives_is_not_shown() -> None:
    """Neither a prompt nor a reply is in a repr."""
    posted = Posted({"messages": ["CANARY"]}, {"Authorization": "CANARY"})
    assert "CANARY" not in f"{posted!r} {posted} {Arrived(200, {}, b'CANARY')!r}"


def azure_at(base_url: str) -> AzureOpenAI:
    """An Azure client whose resource is a server on loopback."""
    return AzureOpenAI(azure_endpoint=base_url.removesuffix("/v1"), api_key="azure-key", api_version="2024-10-21")


def test_azure_keeps_its_path_and_key() -> None:
    """The deployment goes into the path and the version into the query, as the Azure client does it, sync and async."""

    async def main(base_url: str) -> City:
        endpoint = base_url.removesuffix("/v1")
        async with AsyncAzureOpenAI(azure_endpoint=endpoint, api_key="azure-key", api_version="2024-10-21") as client:
            return await Agent(City, model=OpenAIChat("my-deployment", client=client)).arun("Oslo?")

    with FakeServer(OSLO, OSLO) as server:
        with azure_at(server.base_url) as client:
            assert "Oslo" == Agent(City, model=OpenAIChat("my-deployment", client=client)).run("Oslo?").name
        assert "Oslo" == asyncio.run(main(server.base_url)).name
    for request in server.requests:
        assert "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21" == request.path
        assert "azure-key" == request.headers["api-key"]


def test_the_async_twin_sends_the_same() -> None:
    """Both twins send one request and read one reply alike."""

    async def main(base_url: str) -> Arrived:
        async with AsyncOpenAI(base_url=base_url, api_key="k") as client:
            return await asend(client, BODY)

    reply = HttpReply(body={"choices": []})
    with FakeServer(reply, reply) as server:
        with client_at(server.base_url) as client:
            one = send(client, BODY)
        other = asyncio.run(main(server.base_url))
    assert (one.status, one.body) == (other.status, other.body)
    first, second = server.requests
    assert first.body == second.body

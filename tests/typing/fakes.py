"""Fakes for users' tests. Read by type checkers; nothing here is called."""

from __future__ import annotations

from contextlib import AbstractContextManager

from pydantic import BaseModel
from typing_extensions import assert_type

from settled import Agent, AsyncProvider, Capabilities, ModelRequest, ModelResponse, Provider, SyncProvider, Text, ToolCall
from settled.testing import FunctionProvider, Refusal, ScriptedProvider, Truncated, use_model


class City(BaseModel):
    name: str


def reply(request: ModelRequest) -> City | str:
    return "no idea" if request.step == 1 else City(name="Oslo")


def scripted() -> None:
    call = ToolCall(id="c1", name="look_up", arguments="{}")
    raw = ModelResponse(parts=(Text(text="7"),))
    with ScriptedProvider(
        City(name="Oslo"),
        "text",
        call,
        [call, call],
        Truncated("4"),
        Refusal("no"),
        TimeoutError(),
        raw,
        reply,
        lambda request: 7,
    ) as fake:
        assert_type(fake, ScriptedProvider)
        assert_type(Agent(City, model=fake).run("x"), City)
    assert_type(fake.requests, list[ModelRequest])
    assert_type(fake.leftover, int)
    assert_type(fake.requests[0].messages[-1].text, str)
    ScriptedProvider("7", capabilities=Capabilities(), model="old")


def functions() -> None:
    fake = FunctionProvider(lambda request: City(name=request.mode))
    assert_type(Agent(City, model=fake).run("x"), City)
    assert_type(FunctionProvider(reply).requests, list[ModelRequest])


def overridden() -> None:
    assert_type(use_model(ScriptedProvider(7)), AbstractContextManager[None])
    with use_model("openai:x", everywhere=True):
        pass


def providers() -> None:
    whole: list[Provider] = [ScriptedProvider(), FunctionProvider(reply)]
    sync: list[SyncProvider] = [*whole]
    only_async: list[AsyncProvider] = [*whole]
    assert_type(sync[0].name, str)
    assert_type(only_async[0].capabilities(), Capabilities)


class Half:
    """One half of a provider, written by a user, is enough."""

    name = "mine"
    model = "small"

    def capabilities(self) -> Capabilities:
        return Capabilities()

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        return ModelResponse(parts=(Text(text="7"),))


class AsyncHalf:
    name = "mine"
    model = "small"

    def capabilities(self) -> Capabilities:
        return Capabilities()

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        return ModelResponse(parts=(Text(text="7"),))


def halves() -> None:
    assert_type(Agent(City, model=Half()).run("x"), City)
    assert_type(Agent(City, model=AsyncHalf()).run("x"), City)

"""The two doors of an agent, sync and async, over a real socket: what the tests of faults share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import NamedTuple, Protocol, TypeAlias, TypedDict, TypeVar

import httpx2
import pytest
from openai import AsyncOpenAI, OpenAI
from tests.support import OSLO, City
from typing_extensions import NotRequired, Unpack

from settled import Agent, Budget, Capabilities, Failure, FailureReport, Message, OutputMode, Settings, Success, Tool
from settled.core.events import ModelReplied, Watched
from settled.providers import OpenAIChat, OpenAIResponses
from settled.runners.run import Observer
from settled.testing import FakeServer, HttpReply, ReceivedRequest
from settled.vocabulary.report import TransportFault
from settled.vocabulary.stop import Error

T = TypeVar("T")
Outcome: TypeAlias = Success[T] | Failure[None]
AnyClient: TypeAlias = OpenAI | AsyncOpenAI
Own: TypeAlias = OpenAI | AsyncOpenAI | httpx2.Client | httpx2.AsyncClient
"""A client of the test's own."""
PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
SOON: Mapping[str, str] = {"retry-after-ms": "40"}
"""Headers that keep a wait short."""
ONCE = Budget(transport_retries=0, output_retries=0)
"""Nothing is tried twice."""


class Door(Protocol):
    """One way to run agents. A client of the test's own is closed behind the runs."""

    is_async: bool

    def settle(self, agent: Agent[T], own: Own | None = None) -> Outcome[T]:
        """One run."""
        raise NotImplementedError

    def settle_all(self, agents: Sequence[Agent[T]], own: Own | None = None) -> list[Outcome[T]]:
        """All at once, outcomes in the order of the agents."""
        raise NotImplementedError


class SyncDoor:
    """`settle`, in a thread for each of several agents."""

    is_async = False

    def settle(self, agent: Agent[T], own: Own | None = None) -> Outcome[T]:
        """One run."""
        return self.settle_all([agent], own)[0]

    def settle_all(self, agents: Sequence[Agent[T]], own: Own | None = None) -> list[Outcome[T]]:
        """All at once."""

        def alone(agent: Agent[T]) -> Outcome[T]:
            return agent.settle(PROMPT)

        try:
            if len(agents) == 1:
                return [alone(agents[0])]
            with ThreadPoolExecutor(len(agents)) as pool:
                return list(pool.map(alone, agents))
        finally:
            if isinstance(own, (OpenAI, httpx2.Client)):
                own.close()


class AsyncDoor:
    """`asettle`, in a loop that ends with the runs."""

    is_async = True

    def settle(self, agent: Agent[T], own: Own | None = None) -> Outcome[T]:
        """One run."""
        return self.settle_all([agent], own)[0]

    def settle_all(self, agents: Sequence[Agent[T]], own: Own | None = None) -> list[Outcome[T]]:
        """All at once."""

        async def together() -> list[Outcome[T]]:
            try:
                return list(await asyncio.gather(*(agent.asettle(PROMPT) for agent in agents)))
            finally:
                if isinstance(own, AsyncOpenAI):
                    await own.close()
                if isinstance(own, httpx2.AsyncClient):
                    await own.aclose()

        return asyncio.run(together())


by_each_door = pytest.mark.parametrize("door", [SyncDoor(), AsyncDoor()], ids=["sync", "async"])
"""The test is run by both doors."""


class Ended(NamedTuple):
    """How a run over a socket ended."""

    outcome: Outcome[City]
    requests: tuple[ReceivedRequest, ...]
    """What the server was asked."""
    connections: int
    """How many connections it accepted."""
    seconds: float
    """How long the run took."""
    remarks: tuple[str, ...]
    """What an observer heard to be odd about the replies."""

    @property
    def success(self) -> Success[City]:
        """The success that it must be."""
        assert isinstance(self.outcome, Success), self.outcome
        assert self.outcome.output == GOOD
        return self.outcome

    @property
    def report(self) -> FailureReport[None]:
        """The report of the failure that it must be."""
        assert isinstance(self.outcome, Failure), self.outcome
        return self.outcome.report

    @property
    def error(self) -> Error:
        """The provider's error that must have ended it."""
        return error_of(self.outcome)

    @property
    def code(self) -> str:
        """Why it ended, in one word; ``output`` is a success."""
        return self.outcome.report.code if isinstance(self.outcome, Failure) else self.outcome.stop_reason.kind

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation."""
        return self.outcome.report.messages if isinstance(self.outcome, Failure) else self.outcome.messages

    @property
    def transport(self) -> tuple[TransportFault, ...]:
        """The HTTP attempts of the last call that failed."""
        if isinstance(self.outcome, Success):
            return self.outcome.steps[-1].transport
        return self.outcome.report.attempts[-1].transport


class Options(TypedDict):
    """How the agent is made."""

    mode: NotRequired[OutputMode]
    budget: NotRequired[Budget]
    settings: NotRequired[Settings]
    tools: NotRequired[Sequence[Tool]]


def ask(door: Door, *replies: object, known: Capabilities | None = None, **options: Unpack[Options]) -> Ended:
    """One run against a server with these replies, no more and no less, of which this is ``known``."""
    with FakeServer(*replies, model="m") as server:
        ended = ask_at(door, server.base_url, known, **options)
        return ended._replace(requests=server.requests, connections=server.connections)


def ask_at(door: Door, base_url: str, known: Capabilities | None = None, **options: Unpack[Options]) -> Ended:
    """One run against whatever is at an address."""
    with closing(OpenAIChat("m", base_url=base_url, capabilities=known)) as model:
        return ask_of(door, model, **options)


def ask_of(door: Door, model: OpenAIChat | OpenAIResponses, own: Own | None = None, **options: Unpack[Options]) -> Ended:
    """One run with a provider; then a client of the test's own is closed."""
    heard: list[str] = []

    def watch(event: Watched) -> None:
        if isinstance(event, ModelReplied):
            heard.extend(event.response.remarks)

    watching: Observer = watch
    agent = Agent(City, model=model, observers=[watching], **options)
    began = time.monotonic()
    outcome = door.settle(agent, own)
    return Ended(outcome, (), 0, time.monotonic() - began, tuple(heard))


def ask_all(door: Door, scripts: Sequence[Sequence[object]]) -> list[Outcome[City]]:
    """A run against each of several servers, all at once, so that they wait at the same time."""
    with ExitStack() as stack:
        servers = [stack.enter_context(FakeServer(*script, model="m")) for script in scripts]
        models = [stack.enter_context(closing(OpenAIChat("m", base_url=server.base_url))) for server in servers]
        return door.settle_all([Agent(City, model=model) for model in models])


def error_of(outcome: Outcome[City]) -> Error:
    """The provider's error that a run ended by."""
    assert isinstance(outcome, Failure), outcome
    reason = outcome.report.stop_reason
    assert isinstance(reason, Error), reason
    assert reason.source == "provider"
    return reason


def completion(
    content: object = OSLO, *, finish: object = "stop", message: Mapping[str, object] | None = None, **fields: object
) -> dict[str, object]:
    """The body of a Chat Completion, with other fields of its message and of itself."""
    said = {"role": "assistant", "content": content, **(message or {})}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "m",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        **fields,
    }


def answer(
    content: object = OSLO, *, finish: object = "stop", message: Mapping[str, object] | None = None, **fields: object
) -> HttpReply:
    """A Chat Completion as a reply of the server."""
    return HttpReply(body=completion(content, finish=finish, message=message, **fields))


def error(status: int, message: str = "no", *, headers: Mapping[str, str] = SOON, **fields: object) -> HttpReply:
    """An error as OpenAI spells it, which asks for a short wait."""
    return HttpReply(status, headers, body={"error": {"message": message, **fields}})

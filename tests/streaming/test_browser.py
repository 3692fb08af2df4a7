"""The example that sends the items of a run to a browser, over real HTTP: as they come, then the end, until it leaves."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from tests.providers.streamed import EVENTS, chunk, sse
from tests.streaming.test_streams import failed_code

from settled import Agent, ModelRequest
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply, ScriptedProvider
from settled.vocabulary.streaming import StreamPart

EXAMPLE = Path(__file__).parents[2] / "examples" / "stream_to_browser.py"


@pytest.fixture(scope="module")
def example() -> Any:
    """The example, as a module."""
    spec = importlib.util.spec_from_file_location("stream_to_browser", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Gated(ScriptedProvider):
    """A model that writes on when it is let."""

    def __init__(self, *replies: object, chunk: int) -> None:
        super().__init__(*replies, chunk=chunk)
        self.gate = threading.Semaphore(0)

    async def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
        """The answer, in pieces."""
        for part in self.stream(request, timeout=timeout):
            yield part
            while not self.gate.acquire(blocking=False):
                await asyncio.sleep(0.001)


def agent_of(example: Any, model: Any, **options: Any) -> Any:
    """The agent of the example, with a model of ours."""
    return Agent[Any](cast("Any", list)[example.Entry], model=model, mode="prompted", **options)


def test_items_come_while_the_model_writes(example: Any) -> None:
    """The browser has each item before the model has written the next, and the end last."""
    model = Gated('[{"title": "a"},{"title": "b"},{"title": "c"}]', chunk=15)
    with example.serving(example.app_for(agent_of(example, model))) as place:
        events: Iterator[tuple[str, str]] = example.read(place)
        for title in "abc":
            assert ("item", f'{{"title":"{title}","breaking":false}}') == next(events)
            model.gate.release()
        model.gate.release()
        assert [("done", '{"items": 3}')] == list(events)


ENDS = {  # the reply, and the events
    "empty": ("[]", [("done", '{"items": 0}')]),
    "failed": (
        '[{"title": "a"}, {"title": null}]',
        [("item", '{"title":"a","breaking":false}'), ("failed", '{"code": "output_invalid"}')],
    ),
}


@pytest.mark.parametrize("reply, told", ENDS.values(), ids=ENDS)
def test_the_end_is_told(example: Any, reply: str, told: list[tuple[str, str]]) -> None:
    """The last event says how the run ended; of a failure the browser learns the code and nothing else."""
    with example.serving(example.app_for(agent_of(example, ScriptedProvider(reply)))) as place:
        assert told == list(example.read(place))


def test_a_browser_that_leaves(example: Any) -> None:
    """When the browser leaves, the run ends as cancelled, and its connection to the model is given back."""
    pieces = ['[{"title": "a"}', *[', {"title": "b"}'] * 1000]
    endless = HttpReply(headers=EVENTS, events=tuple(sse(chunk({"content": text}), end=b"") for text in pieces), pause=0.02)
    heard: list[Any] = []
    with FakeServer(endless, '[{"title": "c"}]') as server:
        model = OpenAIChat("m", base_url=server.base_url, max_concurrency=1)  # so a connection that is kept would block the next
        agent = agent_of(example, model, observers=[heard.append])
        with example.serving(example.app_for(agent)) as place:
            events = example.read(place)
            assert "item" == next(events)[0]
            events.close()
            ends = time.monotonic() + 10
            while "RunEnded" not in [type(each).__name__ for each in heard] and time.monotonic() < ends:
                time.sleep(0.005)
            assert "cancelled" == failed_code(heard[-1].outcome)
            assert ["item", "done"] == [name for name, _ in example.read(place)]

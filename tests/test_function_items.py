"""Answered functions that give items as they close, and functions that are read while the model writes."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing, closing
from typing import Any, cast

import pytest
from tests.forms import City

from settled import Agent, Budget, ModelRequest, ModelResponse, RunFailed, Success, answered_by
from settled.core.events import RunEnded
from settled.testing import ScriptedProvider
from settled.testing.fake import ABLE
from settled.vocabulary.streaming import StreamPart, TextChunk, in_pieces

ONCE = Budget(output_retries=0, transport_retries=0)


class Slow:
    """A provider that notes how much of its reply was read, and how its streams ended."""

    name = model = "slow"

    def __init__(self, text: str) -> None:
        self.text, self.read, self.ends = text, "", list[str]()

    def capabilities(self) -> Any:
        """Everything."""
        return ABLE

    def stream(self, request: ModelRequest, /, *, timeout: float | None) -> Iterator[StreamPart]:
        """The answer, letter by letter."""
        try:
            for part in in_pieces(ModelResponse.of(self.text), 1):
                self.read += part.text if isinstance(part, TextChunk) else ""
                yield part
        finally:
            self.ends.append("closed")

    async def astream(self, request: ModelRequest, /, *, timeout: float | None) -> AsyncIterator[StreamPart]:
        """The answer, letter by letter."""
        try:
            for part in in_pieces(ModelResponse.of(self.text), 1):
                self.read += part.text if isinstance(part, TextChunk) else ""
                yield part
        finally:
            self.ends.append("closed")

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """Never asked for."""
        raise AssertionError("nobody streamed")

    async def arequest(self, request: ModelRequest, /, *, timeout: float | None) -> ModelResponse:
        """Never asked for."""
        raise AssertionError("nobody streamed")


def code_of(event: Any) -> object:
    """How the run ended that an observer was told of."""
    return event.outcome.report.code


def numbers_of(model: object, observer: Callable[[Any], object] = lambda event: None) -> Any:
    """An answered function that gives numbers one by one."""

    @answered_by(cast("Any", model), mode="native", budget=ONCE, observers=[observer])
    def numbers(what: str) -> Iterator[int]:
        """Numbers of {what}."""
        raise NotImplementedError

    return numbers


def async_numbers_of(model: object, observer: Callable[[Any], object] = lambda event: None) -> Any:
    """The same for an event loop."""

    @answered_by(cast("Any", model), mode="native", budget=ONCE, observers=[observer])
    def numbers(what: str) -> AsyncIterator[int]:
        """Numbers of {what}."""
        raise NotImplementedError

    return numbers


def test_items_are_given_as_they_close() -> None:
    """The first item is there before the model has written the second one."""
    model = Slow('{"value": [11, 22, 33]}')
    items = numbers_of(model)("ships")
    assert next(items) == 11
    assert model.read == '{"value": [11,'
    assert [22, 33] == list(items)
    assert model.read == model.text


def test_async_items_are_given_as_they_close() -> None:
    """So it is from an event loop."""
    model = Slow('{"value": [11, 22, 33]}')

    async def main() -> tuple[int, str, list[int]]:
        items = async_numbers_of(model)("ships")
        return await items.__anext__(), model.read, [item async for item in items]

    assert (11, '{"value": [11,', [22, 33]) == asyncio.run(main())
    assert model.read == model.text


def test_nothing_is_sent_before_the_first_item_is_asked_for() -> None:
    """Calling the function refuses wrong arguments, and does no more; nor does dropping what it gave."""
    model = Slow('{"value": [11]}')
    with pytest.raises(TypeError, match="missing a required argument"):
        numbers_of(model)()
    with pytest.raises(TypeError, match="missing a required argument"):
        async_numbers_of(model)()
    del (items := [numbers_of(model)("ships")])[:]
    assert (items, model.read, model.ends) == ([], "", [])


@pytest.mark.parametrize("leave", ["close", "drop", "break"])
def test_leaving_early_gives_the_connection_back(leave: str) -> None:
    """Who closes the iterator, or lets go of it, ends the run as cancelled, and the stream is closed."""
    model, heard = Slow('{"value": [11, 22, 33]}'), list[Any]()
    numbers = numbers_of(model, heard.append)
    if leave == "close":
        with closing(numbers("ships")) as items:
            assert next(items) == 11
    elif leave == "drop":
        items = numbers("ships")
        assert next(items) == 11
        del items
        gc.collect()
    else:
        for item in numbers("ships"):
            assert item == 11
            break
        gc.collect()
    assert (model.ends, model.read) == (["closed"], '{"value": [11,')
    assert type(heard[-1]) is RunEnded
    assert code_of(heard[-1]) == "cancelled"


def test_leaving_async_items_early_gives_the_connection_back() -> None:
    """`aclosing` ends the run of async items at once."""
    model, heard = Slow('{"value": [11, 22, 33]}'), list[Any]()

    async def main() -> int:
        async with aclosing(async_numbers_of(model, heard.append)("ships")) as items:
            first: int = await items.__anext__()
        assert model.ends == ["closed"]
        return first

    assert asyncio.run(main()) == 11
    assert code_of(heard[-1]) == "cancelled"


def test_a_fault_behind_the_first_item_is_raised() -> None:
    """Once an item was given nothing is asked again: the iterator raises behind the last good item."""
    fake = ScriptedProvider('[11, 22, "many"]', "[11, 22, 33]", chunk=1)
    given, shown = numbers_of(fake).with_(mode="prompted", budget=Budget())("ships"), list[int]()
    with pytest.raises(RunFailed) as raised:
        shown.extend(given)
    assert shown == [11, 22]
    assert (raised.value.report.code, len(fake.requests)) == ("output_invalid", 1)
    assert list(given) == []


def test_a_fault_before_the_first_item_is_asked_about_again() -> None:
    """As long as nothing was given, a bad reply is asked about again, as in any run."""
    fake = ScriptedProvider("none", "[11, 22]")
    assert [11, 22] == list(numbers_of(fake).with_(mode="prompted", budget=Budget())("ships"))
    assert len(fake.requests) == 2


@pytest.mark.parametrize("given", [Generator[int, None, None], AsyncGenerator[int, None]], ids=["sync", "async"])
def test_generators_are_iterators(given: object) -> None:
    """A function that says that it gives a generator gives items too."""

    def numbers(what: str) -> None:
        """Numbers of {what}."""

    numbers.__annotations__["return"] = given
    items = cast("Any", answered_by(ScriptedProvider([1, 2])))(numbers)("ships")

    async def collected() -> list[int]:
        return [item async for item in items]

    assert [1, 2] == (list(items) if hasattr(items, "__next__") else asyncio.run(collected()))


def test_functions_of_items_have_what_all_have() -> None:
    """A function of items can be settled, streamed and rendered; its output is the list."""
    fake = ScriptedProvider([1, 2], [3], [4], [5])
    for numbers in (numbers_of(fake), async_numbers_of(fake)):
        outcome: Success[list[int]] = numbers.settle("ships")
        with numbers.stream("ships") as stream:
            assert outcome.output == ([1, 2] if stream.output() == [3] else [4])
        assert numbers.render("ships") == "Numbers of ships."
        agent: Agent[Any, Any] = numbers.agent
        assert (type(agent), agent.output_type) == (Agent, list[int])


# Functions of other kinds, as streams.


@answered_by()
def tell(name: str) -> City:
    """Tell of {name}."""
    raise NotImplementedError


@answered_by()
async def tell_async(name: str) -> City:
    """Tell of {name}."""
    raise NotImplementedError


OSLO = City(name="Oslo", people=7)


def test_stream() -> None:
    """``stream`` reads the run while the model writes, ``astream`` from an event loop; both are sent the rendered prompt."""
    fake = ScriptedProvider(OSLO, OSLO)
    asked = tell.with_(model=fake)
    with asked.stream("Oslo") as stream:
        assert (stream.field("name", str), stream.output()) == ("Oslo", OSLO)

    async def main() -> City:
        async with asked.astream("Oslo") as stream:
            return await stream.output()

    assert asyncio.run(main()) == OSLO
    assert ["Tell of Oslo.", "Tell of Oslo."] == [request.messages[-1].text for request in fake.requests]


@pytest.mark.parametrize("name", ["stream", "astream"])
def test_stream_of_an_async_function(name: str) -> None:
    """An async function is streamed by ``async with``, by either name."""
    fake = ScriptedProvider(OSLO)

    async def main() -> City:
        async with getattr(tell_async.with_(model=fake), name)("Oslo") as stream:
            return cast("City", await stream.output())

    assert asyncio.run(main()) == OSLO
    assert fake.requests[0].messages[-1].text == "Tell of Oslo."


def test_stream_of_an_async_prompt() -> None:
    """A prompt that is awaited is awaited before the stream begins."""

    @Agent(list[int], model=ScriptedProvider([1, 2])).prompt
    async def numbers(what: str) -> str:
        await asyncio.sleep(0)
        return f"Numbers of {what}."

    async def main() -> list[int]:
        async with numbers.stream("ships") as stream:
            return [item async for item in stream.items()]

    assert asyncio.run(main()) == [1, 2]


def test_an_error_in_the_block_of_an_async_function_ends_the_run() -> None:
    """What is raised in the block goes on, and the run is over."""
    heard: list[Any] = []
    asked = tell_async.with_(model=ScriptedProvider(OSLO, chunk=1), observers=[heard.append])

    async def main() -> None:
        async with asked.stream("Oslo") as stream:
            async for _ in stream.drafts():
                raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(main())
    assert code_of(heard[-1]) == "cancelled"

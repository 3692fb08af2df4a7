"""Functions that a model answers, beyond `spellings`. Read by type checkers; nothing here is called."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from typing import Generic

from pydantic import BaseModel
from typing_extensions import TypeAliasType, TypeVar, assert_type

from settled import Agent, Budget, Document, Failure, GaveUp, Image, Settings, Success, answered_by
from settled.streaming import AsyncStream, Stream
from settled.testing import ScriptedProvider


class City(BaseModel):
    name: str


class Village(BaseModel):
    name: str


K = TypeVar("K")


reporting = Agent(City, failure_type=GaveUp)


# Agent.prompt


@reporting.prompt
def capital(country: str, *, year: int = 2000) -> str:
    """The docstring stays the function's own."""
    return f"The capital of {country} in {year}?"


@reporting.prompt
async def acapital(country: str) -> str:
    return f"The capital of {country}?"


@reporting.prompt
def pictured(image: Image) -> list[str | Image]:
    return ["Which city?", image]


class Atlas:
    @reporting.prompt
    def capital(self, country: str) -> str:
        return f"The capital of {country}?"

    @reporting.prompt
    async def acapital(self, country: str) -> str:
        return f"The capital of {country}?"

    @reporting.prompt
    @classmethod
    def of_class(cls, country: str) -> str:
        return f"The capital of {country}?"

    @reporting.prompt
    @staticmethod
    def static(country: str) -> str:
        return f"The capital of {country}?"

    @reporting.prompt
    @classmethod
    async def aof_class(cls, country: str) -> str:
        return f"The capital of {country}?"


def prompted(image: Image) -> None:
    assert_type(capital("Norway"), City)
    assert_type(capital("Norway", year=1905), City)
    assert_type(capital(country="Norway"), City)
    assert_type(capital.settle("Norway", year=1905), Success[City] | Failure[GaveUp])
    assert_type(pictured(image), City)
    assert_type(Atlas().capital("Norway"), City)
    assert_type(Atlas().capital.settle("Norway"), Success[City] | Failure[GaveUp])
    assert_type(Atlas.capital(Atlas(), "Norway"), City)
    assert_type(Atlas.of_class("Norway"), City)
    assert_type(Atlas().of_class("Norway"), City)
    assert_type(Atlas.of_class.settle("Norway"), Success[City] | Failure[GaveUp])
    assert_type(Atlas.static("Norway"), City)
    assert_type(Atlas().static("Norway"), City)
    as_function: Callable[[str], City] = capital
    assert_type(as_function("Norway"), City)


async def aprompted() -> None:
    assert_type(await capital.asettle("Norway"), Success[City] | Failure[GaveUp])
    assert_type(await acapital("Norway"), City)
    assert_type(await acapital.settle("Norway"), Success[City] | Failure[GaveUp])
    assert_type(await acapital.asettle("Norway"), Success[City] | Failure[GaveUp])
    assert_type(await Atlas().acapital("Norway"), City)
    assert_type(await Atlas().acapital.settle("Norway"), Success[City] | Failure[GaveUp])
    assert_type(await Atlas.acapital(Atlas(), "Norway"), City)
    assert_type(await Atlas.aof_class("Norway"), City)
    assert_type(await Atlas().aof_class("Norway"), City)
    as_function: Callable[[str], Coroutine[object, object, City]] = acapital
    assert_type(await as_function("Norway"), City)


# answered_by


@answered_by()
def without_model(country: str) -> City | Village:
    """The capital of {country}?"""
    raise NotImplementedError


@answered_by(ScriptedProvider(7), mode="tool", budget=Budget(max_steps=2), settings=Settings(seed=1), name="count")
def count(what: str) -> int:
    """How many {what}?"""
    raise NotImplementedError


@answered_by("openai:x", prompt="List {country}.", instructions="Be brief.", failure_type=GaveUp)
def soft(country: str) -> Success[list[City]] | Failure[GaveUp]:
    raise NotImplementedError


@answered_by("openai:x")
async def maybe(country: str, near: Sequence[str] = ()) -> City | None:
    """The capital of {country}, near {near}?"""
    raise NotImplementedError


class Guide:
    @answered_by()
    def cities(self, country: str) -> Iterator[City]:
        """List {country}."""
        raise NotImplementedError

    @answered_by()
    def acities(self, country: str) -> AsyncIterator[City]:
        """List {country}."""
        raise NotImplementedError

    @answered_by()
    def soft(self, country: str) -> Success[City] | Failure[GaveUp]:
        """List {country}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def cities_of_class(cls, country: str) -> Iterator[City]:
        """List {country}."""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    def cities_static(country: str) -> Iterator[City]:
        """List {country}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    def soft_of_class(cls, country: str) -> Success[City] | Failure[GaveUp]:
        """List {country}."""
        raise NotImplementedError

    @answered_by()
    @classmethod
    async def aof_class(cls, country: str) -> City:
        """The capital of {country}?"""
        raise NotImplementedError

    @answered_by()
    @staticmethod
    async def astatic(country: str) -> City:
        """The capital of {country}?"""
        raise NotImplementedError


def answered() -> None:
    assert_type(without_model("Norway"), City | Village)
    assert_type(without_model.settle(country="Norway"), Success[City | Village] | Failure)
    assert_type(count("ships"), int)
    assert_type(soft("Norway"), Success[list[City]] | Failure[GaveUp])
    for city in Guide().cities("Norway"):
        assert_type(city, City)
    assert_type(Guide().cities(country="Norway"), Iterator[City])
    assert_type(Guide.cities_of_class("Norway"), Iterator[City])
    assert_type(Guide().cities_of_class("Norway"), Iterator[City])
    assert_type(Guide.cities_static("Norway"), Iterator[City])
    assert_type(Guide().cities_static("Norway"), Iterator[City])
    assert_type(Guide().soft("Norway"), Success[City] | Failure[GaveUp])
    assert_type(Guide.soft_of_class("Norway"), Success[City] | Failure[GaveUp])
    assert_type(Guide.cities(Guide(), "Norway"), Iterator[City])


async def aanswered() -> None:
    assert_type(await maybe("Norway"), City | None)
    assert_type(await maybe("Norway", near=["Oslo"]), City | None)
    assert_type(await maybe.settle("Norway"), Success[City | None] | Failure)
    assert_type(await count.asettle("ships"), Success[int] | Failure)
    assert_type(await Guide.aof_class("Norway"), City)
    assert_type(await Guide().aof_class("Norway"), City)
    assert_type(await Guide.astatic("Norway"), City)
    assert_type(Guide().acities("Norway"), AsyncIterator[City])
    async for city in Guide().acities("Norway"):
        assert_type(city, City)


# What all of them have


@answered_by()
async def outcome(country: str) -> Success[City] | Failure[GaveUp]:
    """The capital of {country}?"""
    raise NotImplementedError


@answered_by()
def listed(country: str, *, most: int = 3) -> Iterator[City]:
    """List {country}, {most} at most."""
    raise NotImplementedError


@answered_by()
def alisted(country: str) -> AsyncIterator[City]:
    """List {country}."""
    raise NotImplementedError


@answered_by()
def described(picture: Image, *papers: Document, **more: int) -> str:
    """Describe {picture}, {papers}, {more}."""
    raise NotImplementedError


Softly = TypeAliasType("Softly", Success[City] | Failure[GaveUp])
Each = TypeAliasType("Each", Iterator[City])


@answered_by()
def named(country: str) -> Softly:
    """The capital of {country}?"""
    raise NotImplementedError


@answered_by()
def named_items(country: str) -> Each:
    """List {country}."""
    raise NotImplementedError


class Shelf(Generic[K]):
    @answered_by()
    def tell(self, item: K) -> City:
        """Tell of {item}."""
        raise NotImplementedError


def whole(country: str, image: Image, paper: Document, shelf: Shelf[int]) -> None:
    brief = count.with_(budget=Budget(max_steps=1), context=7, run_id="r1", name="brief")
    assert_type(brief("ships"), int)
    assert_type(brief.settle("ships"), Success[int] | Failure)
    assert_type(count.agent, Agent[int, object])
    assert_type(count.agent.with_(name="b").run("x"), int)
    assert_type(capital.agent, Agent[City, GaveUp])
    assert_type(capital.with_(name="b")("Norway"), City)
    with count.stream("ships") as stream:
        assert_type(stream, Stream[int, object])
        assert_type(stream.output(), int)
    with listed.stream("Norway", most=2) as cities:
        assert_type(cities, Stream[list[City], object])
        assert_type(cities.items(), Iterator[City])
    assert_type(listed.with_(name="b")("Norway", most=2), Iterator[City])
    assert_type(listed.settle("Norway"), Success[list[City]] | Failure)
    assert_type(listed.agent, Agent[list[City], object])
    assert_type(Guide().cities.with_(name="b")("Norway"), Iterator[City])
    assert_type(Guide().cities.settle("Norway"), Success[list[City]] | Failure)
    assert_type(Guide().soft.with_(name="b")("Norway"), Success[City] | Failure[GaveUp])
    assert_type(Guide().soft.settle("Norway"), Success[City] | Failure[GaveUp])
    assert_type(described(image, paper, paper, words=3), str)
    assert_type(shelf.tell(3), City)
    assert_type(named("Norway").unwrap(), City)
    assert_type(named_items("Norway"), Iterator[City])
    assert_type(list(count.agent.map(["x"])), list[Success[int] | Failure])
    assert_type(list(reporting.map(["x"]).numbered()), list[tuple[int, Success[City] | Failure[GaveUp]]])
    assert_type(reporting.map(["x"]).unclaimed, dict[int, Success[City] | Failure[GaveUp]])


async def awhole() -> None:
    assert_type(await outcome("Norway"), Success[City] | Failure[GaveUp])
    assert_type(await outcome.settle("Norway"), Success[City] | Failure[GaveUp])
    async with count.astream("ships") as stream:
        assert_type(stream, AsyncStream[int, object])
    async with acapital.stream("Norway") as astream:
        assert_type(astream, AsyncStream[City, GaveUp])
        assert_type(await astream.output(), City)
    async with alisted.astream("Norway") as cities:
        assert_type(cities.items(), AsyncIterator[City])
    assert_type(await alisted.asettle("Norway"), Success[list[City]] | Failure)
    async for number, mapped in reporting.amap(["x"], concurrency=2, ordered=False).numbered():
        assert_type(number, int)
        assert_type(mapped, Success[City] | Failure[GaveUp])

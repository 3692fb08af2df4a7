"""One agent, many runs at once: tasks, threads and loops do not meet."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import BaseModel
from tests.forms import City

from settled import Agent, Failure, ModelRequest, RunContext, Success, ToolCall
from settled.providers import OpenAIChat
from settled.testing import FakeServer, FunctionProvider


def echo(request: ModelRequest) -> object:
    """First a call with the prompt, then the city of the result."""
    last = request.messages[-1]
    if last.role == "user":
        return ToolCall(id="c1", name="look_up", arguments=f'{{"city": "{last.text}"}}')
    return City(name=last.text, people=1)


async def look_up(ctx: RunContext[int], city: str) -> str:
    """Gives the city and the run's own context."""
    await asyncio.sleep(0.001)
    return f"{city} {ctx.context}"


AGENT = Agent(City, model=FunctionProvider(echo), tools=[look_up], mode="tool")


def approve(city: City) -> None:
    """Says nothing against it."""


def ask(n: int) -> City:
    """One sync run."""
    return AGENT.run(f"city{n}", context=n)


def ask_async(n: int) -> City:
    """One async run, in a loop of its own."""
    return asyncio.run(AGENT.arun(f"city{n}", context=n))


EXPECTED = [f"city{n} {n}" for n in range(50)]


def test_fifty_tasks() -> None:
    """One agent serves fifty tasks of one loop, each with its own run."""

    async def main() -> list[City]:
        return await asyncio.gather(*(AGENT.arun(f"city{n}", context=n) for n in range(50)))

    assert [city.name for city in asyncio.run(main())] == EXPECTED


def test_sixteen_threads() -> None:
    """One agent serves sixteen threads, sync runs with async tools among them."""
    with ThreadPoolExecutor(16) as pool:
        cities = list(pool.map(ask, range(50)))
    assert [city.name for city in cities] == EXPECTED


def test_threads_with_loops_of_their_own() -> None:
    """Each thread may run its own loop; a second ``asyncio.run`` works too."""
    with ThreadPoolExecutor(4) as pool:
        cities = list(pool.map(ask_async, range(16)))
    assert EXPECTED[:16] == [city.name for city in cities]
    assert asyncio.run(AGENT.arun("city1", context=1)).name == "city1 1"


def test_outcomes_pickle() -> None:
    """Outcomes of real runs pickle whole, successes and failures."""
    good = AGENT.settle("city1", context=1)
    bad = Agent(City, model=FunctionProvider(lambda request: "x"), checks=[approve]).settle("city1")
    assert isinstance(good, Success)
    assert isinstance(bad, Failure)
    for outcome in (good, bad):
        assert outcome == pickle.loads(pickle.dumps(outcome))


class Echo(BaseModel):
    """The integer of the prompt."""

    i: int


ECHO = Agent(Echo, model=FunctionProvider(lambda request: Echo(i=int(request.messages[-1].text))))


@pytest.mark.row("B61")
def test_b61_a_shared_agent_keeps_runs_apart() -> None:
    """100 tasks, 8 threads with loops of their own, two ``asyncio.run`` in a row: each caller gets its own integer."""

    async def many(first: int) -> list[int]:
        return [echo.i for echo in await asyncio.gather(*(ECHO.arun(str(first + n)) for n in range(100)))]

    def in_a_loop(first: int) -> list[int]:
        return asyncio.run(many(first))

    assert [*range(100)] == asyncio.run(many(0))
    assert [*range(100, 200)] == asyncio.run(many(100))
    with ThreadPoolExecutor(8) as pool:
        assert [[*range(first, first + 100)] for first in range(0, 800, 100)] == [*pool.map(in_a_loop, range(0, 800, 100))]


@pytest.mark.row("B61")
def test_b61_a_shared_client_serves_many_loops() -> None:
    """The same over HTTP, by one provider: a second loop is not refused by what the first one left."""
    with FakeServer(*[Echo(i=7)] * 12) as server:
        provider = OpenAIChat("m", base_url=server.base_url, api_key="k")

        async def several() -> list[int]:
            return [echo.i for echo in await asyncio.gather(*(ECHO.arun("7", model=provider) for _ in range(3)))]

        assert [7, 7, 7] == asyncio.run(several())
        assert [7, 7, 7] == asyncio.run(several())
        with ThreadPoolExecutor(2) as pool:
            ends = [pool.submit(asyncio.run, several()) for _ in range(2)]
            assert [[7, 7, 7]] * 2 == [end.result() for end in ends]
        provider.close()


@pytest.mark.row("B61")
def test_b61_a_sync_run_inside_a_loop() -> None:
    """A sync run inside a running loop gives its value too; it warns, once a process, that it blocks the loop."""

    async def inside() -> int:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return ECHO.run("7").i

    assert 7 == asyncio.run(inside())

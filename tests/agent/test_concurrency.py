"""One agent, many runs at once: tasks, threads and loops do not meet."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

from tests.forms import City

from settled import Agent, Failure, ModelRequest, RunContext, Success, ToolCall
from settled.testing import FunctionProvider


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

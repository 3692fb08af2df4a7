"""What a partial result after every delta costs beside the peers: CPU of this process for whole runs over loopback.

All read the same reply in pieces of 16 characters, and make a value of the same type of it; each shows what is known after every
piece. The server is a process of its own, so that its work does not count. Peers parse all that has come at each piece, so they
are measured at small sizes first, and at a larger one only where that can be expected to end soon.

    settled        ``stream.drafts()``, every draft read; the same, only the last one read
    pydantic-ai    ``agent.run_stream(...)``, ``stream_output(debounce_by=None)``, with ``NativeOutput``
    instructor     ``create_partial``, in the mode ``JSON_SCHEMA``

    python benchmarks/stream_peers.py          10, 20, 40 and 160 KB
    python benchmarks/stream_peers.py 40       that size alone
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec

from openai import OpenAI
from stream_runs import Notes, cpu, drafts, read, serving

from settled import Agent, Capabilities
from settled.providers import OpenAIChat

SIZES = (10, 20, 40, 160)
ROUNDS = 5
LONG = 8.0  # seconds of one run: it is measured once
MOST = 180.0  # seconds that a run may be expected to take
GOAL = 30.0
OURS = ("settled, every draft read", "settled, only the last read")
Way = Callable[[str], Callable[[], object]]


def agent_at(base_url: str) -> Agent[Notes]:
    """Ours."""
    known = Capabilities(json_schema="enforced")
    return Agent(Notes, mode="native", model=OpenAIChat("m", base_url=base_url, capabilities=known))


def settled_read(base_url: str) -> Callable[[], object]:
    """Every draft is read."""
    agent = agent_at(base_url)
    return lambda: read(agent)


def settled_lazy(base_url: str) -> Callable[[], object]:
    """Every draft is taken, the last one is read."""
    agent = agent_at(base_url)
    return lambda: drafts(agent)


def pydantic_ai(base_url: str) -> Callable[[], object]:
    """A partial output after every delta."""
    from pydantic_ai import Agent as TheirAgent
    from pydantic_ai import NativeOutput
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=base_url, api_key="none"))
    agent = TheirAgent(model, output_type=NativeOutput(Notes))

    async def run() -> None:
        sizes: list[int] = []
        async with agent.run_stream("Write.") as result:
            async for notes in result.stream_output(debounce_by=None):
                sizes.append(len(notes.entries))
        assert len(sizes) > sizes[-1] > 0, "partial outputs were shown"

    return lambda: asyncio.run(run())


def instructor(base_url: str) -> Callable[[], object]:
    """A partial object after every delta."""
    from instructor import Mode, from_openai

    client = from_openai(OpenAI(base_url=base_url, api_key="none"), mode=Mode.JSON_SCHEMA)

    def run() -> None:
        asked = [{"role": "user", "content": "Write."}]
        sizes = [len(notes.entries or ()) for notes in client.create_partial(model="m", response_model=Notes, messages=asked)]
        assert len(sizes) > sizes[-1] > 0, "partial objects were shown"

    return run


PEERS: Mapping[str, tuple[str, Way]] = {
    "pydantic-ai, stream_output": ("pydantic_ai", pydantic_ai),
    "instructor, create_partial": ("instructor", instructor),
}


def once(way: Callable[[], object]) -> float:
    """Seconds of CPU."""
    begun = cpu()
    way()
    return cpu() - begun


def measured(size: int, ways: Mapping[str, Way], expected: Mapping[str, float]) -> dict[str, list[float]]:
    """Seconds of each way in each round, all in turn; nothing of one that would take too long."""
    took: dict[str, list[float]] = {}
    with serving(size) as base_url:
        runs = {name: make(base_url) for name, make in ways.items() if expected.get(name, 0.0) <= MOST}
        for _ in range(ROUNDS):
            for name, run in runs.items():
                times = took.setdefault(name, [])
                if not times or times[-1] < LONG:
                    times.append(once(run))
    return {name: times[1:] if len(times) > 1 else times for name, times in took.items()}  # the first one is warming up


def main(sizes: list[int]) -> None:
    """Print a table for each size."""
    found = {name: make for name, (module, make) in PEERS.items() if find_spec(module) is not None}
    ways: dict[str, Way] = {OURS[0]: settled_read, OURS[1]: settled_lazy, **found}
    expected: dict[str, float] = {}
    for place, size in enumerate(sizes):
        took = measured(size, ways, expected)
        print(f"{size} KB")
        for name, times in took.items():
            middle = statistics.median(times)
            line = f"  {name:<30}{middle * 1000:12.1f} ms"
            if name not in OURS:
                ratios = [middle / statistics.median(took[ours]) for ours in OURS]
                line += f"   {ratios[0]:8.1f} x as long as with every draft read, {ratios[1]:8.1f} x as long as lazily"
            print(line, flush=True)
            if place + 1 < len(sizes):
                expected[name] = middle * (sizes[place + 1] / size) ** 2
        for name in ways:
            if name not in took:
                print(f"  {name:<30}not measured: about {expected[name]:.0f} s are to be expected")
    print(f"goal: at 160 KB at least {GOAL:.0f} x")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(SIZES))

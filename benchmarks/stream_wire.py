"""What a streamed reply costs before anything is made of it: CPU of this process for each event, over loopback.

The floor is the openai client: ``create(stream=True)``, iterated without looking at what it gives. Beside it are `stream` and
`astream`, which give the parts and the whole reply. The server is a process of its own, so that its work does not count. Each
round measures both in turn, and the ratio is the median over the rounds, so a busy machine slows both alike.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from openai import AsyncOpenAI, OpenAI

from settled import Message, ModelRequest, ModelResponse
from settled.providers import OpenAIChat

GOAL = 0.25
SIZE, CHUNK, ROUNDS = 40_000, 16, 9
EVENTS = SIZE // CHUNK
SERVER = f"""
import sys
from settled.testing import FakeServer
with FakeServer("Oslo has so many people that one has to count them. " * {SIZE // 52}, repeat=True, chunk={CHUNK}) as server:
    print(server.base_url, flush=True)
    sys.stdin.readline()
"""
PROMPT = "Write."
REQUEST = ModelRequest(messages=(Message.user(PROMPT),), mode="text")


def cpu() -> float:
    """User and system seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server in a process of its own."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.communicate("\n")


async def by_hand(client: AsyncOpenAI) -> float:
    """Microseconds of CPU for one event of the client's own stream."""
    begun = cpu()
    stream = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": PROMPT}], stream=True)
    async for _ in stream:
        pass
    return (cpu() - begun) / EVENTS * 1e6


async def ours(model: OpenAIChat) -> float:
    """Microseconds of CPU for one event of ours."""
    begun = cpu()
    async for part in model.astream(REQUEST):
        last = part
    assert isinstance(last, ModelResponse)
    return (cpu() - begun) / EVENTS * 1e6


def by_hand_sync(client: OpenAI) -> float:
    """The sync twin of `by_hand`."""
    begun = cpu()
    for _ in client.chat.completions.create(model="m", messages=[{"role": "user", "content": PROMPT}], stream=True):
        pass
    return (cpu() - begun) / EVENTS * 1e6


def ours_sync(model: OpenAIChat) -> float:
    """The sync twin of `ours`."""
    begun = cpu()
    for part in model.stream(REQUEST):
        last = part
    assert isinstance(last, ModelResponse)
    return (cpu() - begun) / EVENTS * 1e6


def told(kind: str, pairs: list[tuple[float, float]]) -> str:
    """One line: the medians, and the median of the paired ratios."""
    ratio = statistics.median(one / floor for floor, one in pairs)
    floor, one = (statistics.median(side) for side in zip(*pairs, strict=True))
    return f"{kind}: settled {one:.1f} us, by hand {floor:.1f} us of CPU for an event; ratio {ratio:.2f} (goal <= {GOAL})"


async def awaited(base_url: str) -> str:
    """The async pair."""
    client, model = AsyncOpenAI(base_url=base_url, api_key="none"), OpenAIChat("m", base_url=base_url)
    await by_hand(client), await ours(model)  # warm
    pairs = [(await by_hand(client), await ours(model)) for _ in range(ROUNDS)]
    await client.close()
    await model.aclose()
    return told("async", pairs)


def main() -> None:
    """Measure both pairs."""
    with serving() as base_url:
        model = OpenAIChat("m", base_url=base_url)
        with OpenAI(base_url=base_url, api_key="none") as client:
            by_hand_sync(client), ours_sync(model)  # warm
            print(told("sync", [(by_hand_sync(client), ours_sync(model)) for _ in range(ROUNDS)]))
        model.close()
        print(asyncio.run(awaited(base_url)))


if __name__ == "__main__":
    main()

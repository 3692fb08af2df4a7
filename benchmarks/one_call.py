"""What one run costs over loopback: CPU of this process, beside the openai client and pydantic used by hand.

The server is a process of its own, so that its work does not count. Each round measures both in turn, and the ratio is the median
over the rounds, so a busy machine slows both alike.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable

from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from settled import Agent, Capabilities
from settled.providers import OpenAIChat

GOAL = 0.85
RUNS, ROUNDS = 100, 7
PROMPT = "Write the release notes of version 1.2.3."
SERVER = """
import sys, threading
from settled.testing import FakeServer, HttpReply
text = sys.stdin.readline()
body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 9},
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}
with FakeServer(HttpReply(body=body), repeat=True) as server:
    print(server.base_url, flush=True)
    sys.stdin.readline()
"""


class Item(BaseModel):
    """One change."""

    title: str
    details: str
    references: list[str]


class ReleaseNotes(BaseModel):
    """Release notes."""

    version: str
    summary: str
    highlights: list[Item]


ANSWER = ReleaseNotes(
    version="1.2.3",
    summary="Faster and safer.",
    highlights=[Item(title=f"Change {n}", details="What it does for you. " * 3, references=[f"#{n}"]) for n in range(6)],
)
KNOWN = Capabilities(json_schema="enforced")
Contender = Callable[[], object]
AsyncContender = Callable[[], Awaitable[object]]


def by_hand(client: OpenAI) -> Contender:
    """The client and pydantic, without a library in between."""
    shape = ReleaseNotes.model_json_schema()

    def run() -> ReleaseNotes:
        reply = client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": PROMPT}],
            response_format={"type": "json_schema", "json_schema": {"name": "ReleaseNotes", "schema": shape}},
        )
        return ReleaseNotes.model_validate_json(reply.choices[0].message.content or "")

    return run


def by_hand_async(client: AsyncOpenAI) -> AsyncContender:
    """The same, awaited."""
    shape = ReleaseNotes.model_json_schema()

    async def run() -> ReleaseNotes:
        reply = await client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": PROMPT}],
            response_format={"type": "json_schema", "json_schema": {"name": "ReleaseNotes", "schema": shape}},
        )
        return ReleaseNotes.model_validate_json(reply.choices[0].message.content or "")

    return run


def cpu() -> float:
    """User and system seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def sync_round(contender: Contender) -> float:
    """Microseconds of CPU for one run."""
    begun = cpu()
    for _ in range(RUNS):
        contender()
    return (cpu() - begun) / RUNS * 1e6


async def async_round(contender: AsyncContender) -> float:
    """Microseconds of CPU for one run."""
    begun = cpu()
    for _ in range(RUNS):
        await contender()
    return (cpu() - begun) / RUNS * 1e6


def told(kind: str, floor: list[float], ours: list[float]) -> str:
    """One line: the medians, and the median of the paired ratios."""
    ratio = statistics.median(one / other for one, other in zip(ours, floor, strict=True))
    low, high = statistics.median(ours), statistics.median(floor)
    return f"{kind}: settled {low:.0f} us, by hand {high:.0f} us of CPU; ratio {ratio:.2f} (goal <= {GOAL})"


async def awaited(base_url: str) -> str:
    """The async pair."""
    client = AsyncOpenAI(base_url=base_url, api_key="none")
    floor = by_hand_async(client)
    agent = Agent(ReleaseNotes, model=OpenAIChat("m", base_url=base_url, capabilities=KNOWN))
    ours: AsyncContender = lambda: agent.arun(PROMPT)  # noqa: E731
    await async_round(floor), await async_round(ours)  # warm
    pairs = [(await async_round(floor), await async_round(ours)) for _ in range(ROUNDS)]
    await client.close()
    return told("async", [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def main() -> None:
    """Measure both pairs."""
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    print(ANSWER.model_dump_json(), file=server.stdin, flush=True)
    base_url = server.stdout.readline().strip()
    try:
        with OpenAI(base_url=base_url, api_key="none") as client:
            model = OpenAIChat("m", base_url=base_url, capabilities=KNOWN)
            agent = Agent(ReleaseNotes, model=model)
            floor, ours = by_hand(client), lambda: agent.run(PROMPT)
            sync_round(floor), sync_round(ours)  # warm
            pairs = [(sync_round(floor), sync_round(ours)) for _ in range(ROUNDS)]
            model.close()
        print(told("sync", [pair[0] for pair in pairs], [pair[1] for pair in pairs]))
        print(asyncio.run(awaited(base_url)))
    finally:
        server.communicate("\n")


if __name__ == "__main__":
    main()

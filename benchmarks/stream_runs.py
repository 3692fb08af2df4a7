"""What a whole typed stream costs, over loopback: CPU of this process from the request to the validated value.

The floor is the openai client: ``create(stream=True)``, iterated without looking at what it gives. Beside it stand streamed runs
of an agent: every draft taken, every draft read, every item validated, every event told. The server is a process of its own, so
that its work does not count. Each round measures all in turn; ratios are medians over the rounds, since a busy machine slows all
alike.

    python benchmarks/stream_runs.py           10, 40, 160 and 640 KB; growth is by the best round of each size
    python benchmarks/stream_runs.py 640       that size alone
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam
from pydantic import BaseModel

from settled import Agent, Capabilities
from settled.providers import OpenAIChat
from settled.streaming import Draft

CHUNK, ROUNDS = 16, 5
ABSENT = Draft()
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Write."}]
GOAL = 1.0
LAZY, READ = 4.6, 5.3  # what four times the text may take, in times of before
SERVER = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from settled.testing import FakeServer
from streaming import notes
with FakeServer(notes(int(sys.argv[1])), repeat=True, chunk={CHUNK}) as server:
    print(server.base_url, flush=True)
    sys.stdin.readline()
"""


class Entry(BaseModel):
    """One change."""

    title: str
    kind: str
    breaking: bool
    weight: float
    body: str
    tags: list[str]


class Notes(BaseModel):
    """Release notes."""

    version: str
    entries: list[Entry]


def cpu() -> float:
    """User and system seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def serving(kilobytes: int) -> Iterator[str]:
    """The address of a server in a process of its own, which writes notes of a size."""
    command = [sys.executable, "-c", SERVER, str(kilobytes)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.communicate("\n")


def drafts(agent: Agent[Notes]) -> None:
    """Every draft is taken, the last one is read."""
    with agent.stream("Write.") as stream:
        kept: list[Draft] = [ABSENT]
        for draft in stream.drafts():
            kept[0] = draft
        assert kept[0].data == stream.output().model_dump()


def read(agent: Agent[Notes]) -> None:
    """Every draft is read."""
    with agent.stream("Write.") as stream:
        for draft in stream.drafts():
            _ = draft.data
        stream.output()


def items(agent: Agent[Notes]) -> None:
    """Every item is validated as it closes."""
    with agent.stream("Write.") as stream:
        count = sum(1 for _ in stream.items("entries", Entry))
        assert count == len(stream.output().entries)


def events(agent: Agent[Notes]) -> None:
    """Everything that happens is told."""
    with agent.stream("Write.") as stream:
        for _ in stream.events():
            pass
        stream.output()


def whole(agent: Agent[Notes]) -> None:
    """Nothing but the outcome."""
    with agent.stream("Write.") as stream:
        stream.output()


WAYS: Mapping[str, Callable[[Agent[Notes]], None]] = {
    "outcome alone": whole, "drafts": drafts, "drafts, all read": read, "items": items, "events": events,
}  # fmt: skip


def measured(base_url: str) -> dict[str, list[float]]:
    """Seconds of CPU of each way in each round, the client's own stream first."""
    known = Capabilities(json_schema="enforced")
    model = OpenAIChat("m", base_url=base_url, capabilities=known)
    agent = Agent(Notes, mode="native", model=model)
    took: dict[str, list[float]] = {"client": [], **{name: [] for name in WAYS}}
    with OpenAI(base_url=base_url, api_key="none") as client:
        for turn in range(ROUNDS + 1):
            for name, times in took.items():
                begun = cpu()
                if name == "client":
                    for _ in client.chat.completions.create(
                        model="m", messages=[{"role": "user", "content": "Write."}], stream=True
                    ):
                        pass
                else:
                    WAYS[name](agent)
                if turn:  # the first one is warming up
                    times.append(cpu() - begun)
    model.close()
    return took


def main(sizes: list[int]) -> None:
    """Print the table."""
    took: dict[int, dict[str, list[float]]] = {}
    for size in sizes:
        with serving(size) as base_url:
            took[size] = measured(base_url)
    print(f"{'':<18}" + "".join(f"{f'{size} KB':>22}" for size in sizes) + "   growth")
    for name in ("client", *WAYS):
        cells: list[str] = []
        for size in sizes:
            ratio = statistics.median(one / floor for one, floor in zip(took[size][name], took[size]["client"], strict=True))
            cells.append(f"{statistics.median(took[size][name]) * 1000:9.1f} ms, {ratio:5.2f} x")
        best = [min(took[size][name]) for size in sizes]
        steps = [after / before for before, after in pairwise(best)]
        most = READ if WAYS.get(name) is read else LAZY
        told = f"  <= {most}: {'met' if max(steps) <= most else 'MISSED'}" if steps and name in WAYS else ""
        print(f"{name:<18}" + "".join(f"{cell:>22}" for cell in cells) + "   " + " ".join(f"{step:.2f}" for step in steps) + told)
    print(f"goal: at most {GOAL} x the client")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [10, 40, 160, 640])

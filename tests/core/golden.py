"""Runs that stand still at moments worth keeping, and the files they are kept in: `python -m tests.core.golden` writes those.

Files of a version that has been released are never written again: they show that a later release loads them, or says why not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.stores import MemoryStore, stands
from tests.support import City, call

from settled import (
    Agent,
    Approved,
    Budget,
    Checkpoint,
    Decision,
    ExternalResult,
    Failure,
    Fallback,
    GaveUp,
    Image,
    NeedsApproval,
    Paused,
    ProviderError,
    Rerun,
    Tool,
)
from settled.core.checkpoint import VERSION
from settled.core.state import RunState
from settled.testing import ScriptedProvider

FOLDER = Path(__file__).parent / "checkpoints"
OSLO = City(name="Oslo", people=700_000)
LOOK_UP = '{"city": "Oslo"}'
PICTURE = Image(data=b"\x89PNG", media_type="image/png")


def look_up(city: str) -> str:
    """Look a city up."""
    return f"{city} is large"


def draw(city: str) -> list[str | Image]:
    """Draw a city."""
    return [f"{city}:", PICTURE]


def approve(city: City) -> None:
    """A check that takes everything."""


def ask(city: str) -> object:
    """Ask a person about a city."""
    return NeedsApproval({"city": city})


TOOLS = (
    Tool.of(look_up),
    Tool.of(draw),
    Tool.of(ask),
    Tool.of(look_up, name="gated", requires_approval=True),
    Tool.of(look_up, name="outside", external=True),
)


def agent_of(*replies: Any, **options: Any) -> Agent[City, GaveUp]:
    """The agent that all files belong to."""
    given: dict[str, Any] = {"model": ScriptedProvider(*replies), "mode": "tool", "tools": TOOLS, **options}
    return Agent(City, failure_type=GaveUp, budget=Budget(max_parallel_tools=1), **given)


class Scene(NamedTuple):
    """One moment at which a run stands still."""

    write: Callable[[], Checkpoint]
    """Makes it."""
    left: tuple[Any, ...] = (OSLO,)
    """What the model has yet to say."""
    decisions: Mapping[str, Decision] = {}
    """What a person decides, once the run pauses."""
    end: str = "output"
    """How the run ends."""
    requests: int = 1
    """How many requests that takes."""


def _handed(agent: Agent[City, GaveUp], prompt: Any = "The capital of Norway?", **options: Any) -> Checkpoint:
    outcome = agent.start(prompt, run_id="golden", **options)
    assert isinstance(outcome, (Paused, Failure))
    assert outcome.checkpoint is not None
    return outcome.checkpoint


def _saved(where: Callable[[RunState], bool], *replies: Any, **options: Any) -> Checkpoint:
    store = MemoryStore()
    agent_of(*replies, **options).start("The capital of Norway?", run_id="golden", store=store)
    return store.cut(where)[1]


def _fell_back() -> Checkpoint:
    down, up = ScriptedProvider(ProviderError("auth", "no")), ScriptedProvider(call("gated", LOOK_UP))
    return _handed(agent_of(model=Fallback(down, up)))


TWO = [call("look_up", LOOK_UP, "a"), call("draw", LOOK_UP, "b")]
SCENES: Mapping[str, Scene] = {
    "approval": Scene(lambda: _handed(agent_of(call("gated", LOOK_UP))), decisions={"c1": Approved()}),
    "external": Scene(lambda: _handed(agent_of(call("outside", LOOK_UP))), decisions={"c1": ExternalResult(7)}),
    "question": Scene(lambda: _handed(agent_of(call("ask", LOOK_UP))), decisions={"c1": ExternalResult("yes")}),
    "limit": Scene(lambda: _handed(agent_of(TWO), budget=Budget(max_steps=1))),
    "model": Scene(lambda: _saved(lambda state: state.begun, OSLO)),
    "tools": Scene(lambda: _saved(lambda state: stands(state, a="done", b="begun"), TWO, OSLO), decisions={"b": Rerun()}),
    "checking": Scene(lambda: _saved(lambda state: state.phase == "checking", OSLO, checks=[approve]), left=(), requests=0),
    "output": Scene(lambda: _saved(lambda state: state.phase == "done", TWO, OSLO), left=(), requests=0),
    "reported": Scene(
        lambda: _saved(lambda state: state.phase == "done", GaveUp(reason="no map")), left=(), end="reported_failure", requests=0
    ),
    "failed": Scene(lambda: _saved(lambda state: state.phase == "done", *["hm"] * 3), left=(), end="no_output", requests=0),
    "fallback": Scene(_fell_back, decisions={"c1": Approved()}),
    "media": Scene(
        lambda: _handed(agent_of([TWO[1], call("gated", LOOK_UP)]), ["Where is this?", PICTURE]), decisions={"c1": Approved()}
    ),
}
"""Each file by its name."""


if __name__ == "__main__":
    (FOLDER / str(VERSION)).mkdir(parents=True, exist_ok=True)
    for name, scene in SCENES.items():
        written = scene.write().model_dump_json(indent=1)
        (FOLDER / str(VERSION) / f"{name}.json").write_text(written + "\n", encoding="utf-8")

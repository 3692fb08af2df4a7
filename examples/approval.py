"""A tool that a person must agree to, in another process: the run waits in a folder, without any process, until it is decided.

Run it: ``python examples/approval.py``. It starts itself twice: once to ask, and once, later, to decide.
"""

import subprocess
import sys
from tempfile import TemporaryDirectory

from settled import Agent, AlreadyDecided, Approved, FileStore, Paused, Success, ToolCall, tool
from settled.testing import ScriptedProvider

RUN = "order-7"


@tool(requires_approval=True)
def ship(order: str) -> str:
    """Ship an order."""
    print(f"  shipping order {order}")
    return "shipped"


def agent_for(model: ScriptedProvider) -> Agent[str]:
    """The same agent in both processes: a run is bound to the agent's types and tools, not to its model."""
    return Agent(str, model=model, tools=[ship])


def ask(folder: str) -> None:
    """The first process: it begins the run, and ends when that waits."""
    agent = agent_for(ScriptedProvider(ToolCall(id="c1", name="ship", arguments='{"order": "7"}')))
    paused = agent.start("Ship order 7.", store=FileStore(folder), run_id=RUN)
    assert isinstance(paused, Paused)
    print("  waits:", *(f"{wait.kind} of {wait.call.name} {wait.call.arguments}" for wait in paused.pending))


def decide(folder: str) -> None:
    """The second process: it knows the run's id, and somebody to decide."""
    agent, store = agent_for(ScriptedProvider("Order 7 is on its way.")), FileStore(folder)
    waiting = store.load(RUN)
    outcome = agent.resume(waiting, {"c1": Approved()}, store=store)
    assert isinstance(outcome, Success)
    print(" ", outcome.output)
    try:
        agent.resume(waiting, {"c1": Approved()}, store=store)  # as a second click would
    except AlreadyDecided as told:
        print("  a second click:", told)


def main() -> None:
    """Ask in one process, decide in another."""
    with TemporaryDirectory() as folder:
        for part in ("ask", "decide"):
            print(f"{part}:", flush=True)
            subprocess.run([sys.executable, __file__, part, folder], check=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        {"ask": ask, "decide": decide}[sys.argv[1]](sys.argv[2])

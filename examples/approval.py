"""A tool that a person must agree to: the run pauses, its state becomes text, and a decision lets it go on.

Run it: ``python examples/approval.py``
"""

from settled import Agent, Approved, Checkpoint, Paused, Success, ToolCall, tool
from settled.testing import ScriptedProvider

shipped: list[str] = []


@tool(requires_approval=True)
def ship(order: str) -> str:
    """Ship an order."""
    shipped.append(order)
    return "shipped"


def agent_for(model: ScriptedProvider) -> Agent[str]:
    """The same agent in both halves: a checkpoint is bound to its types and tools, not to its model."""
    return Agent(str, model=model, tools=[ship])


def main() -> None:
    """Ask, pause, keep, decide, finish."""
    call = ToolCall(id="c1", name="ship", arguments='{"order": "7"}')
    paused = agent_for(ScriptedProvider(call)).start("Ship order 7.")
    assert isinstance(paused, Paused)
    assert not shipped
    print("waits:", *(f"{wait.kind} of {wait.call.name} {wait.call.arguments}" for wait in paused.pending))
    kept = paused.checkpoint.model_dump_json()  # to a file, a database, another process

    later = agent_for(ScriptedProvider("Order 7 is on its way."))
    outcome = later.resume(Checkpoint.model_validate_json(kept), {"c1": Approved()})
    assert isinstance(outcome, Success)
    assert shipped == ["7"]
    print(outcome.output)


if __name__ == "__main__":
    main()

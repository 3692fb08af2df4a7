"""A run that reaches a limit is not lost: it goes on where it was, with a larger budget, and nothing that was done is done again.

Run it: ``python examples/resume_after_limit.py``
"""

from settled import Agent, Budget, Failure, Success, ToolCall, tool
from settled.testing import ScriptedProvider

looked_up: list[str] = []


@tool
def look_up(city: str) -> int:
    """How many people live in a city."""
    looked_up.append(city)
    return {"Oslo": 717_710, "Bergen": 291_940, "Moss": 51_000}[city]


def call(city: str) -> ToolCall:
    """What the model asks for."""
    return ToolCall(id=city, name="look_up", arguments=f'{{"city": "{city}"}}')


def main() -> None:
    """Stop at a limit, ask whether it is worth more, go on."""
    model = ScriptedProvider(call("Oslo"), call("Bergen"), call("Moss"), 1_060_650)
    agent = Agent(int, model=model, tools=[look_up], budget=Budget(max_steps=2))
    outcome = agent.settle("How many people live in Oslo, Bergen and Moss?")
    spent = 2
    while isinstance(outcome, Failure) and outcome.report.code == "step_limit":
        print(f"stopped: {outcome.report.summary}; so far: {', '.join(looked_up)}")
        spent += 1
        outcome = agent.resume(outcome, budget=Budget(max_steps=spent))  # the new total, not what is added
    assert isinstance(outcome, Success)
    assert looked_up == ["Oslo", "Bergen", "Moss"]
    print(f"{outcome.output:,} people, after {len(outcome.steps)} steps")


if __name__ == "__main__":
    main()

"""An agent that asks another one: typed results, one budget for both, and the whole account at the end.

Run it: ``python examples/sub_agent.py``. The model is a function that plays both parts.
"""

from pydantic import BaseModel

from settled import Agent, Budget, GaveUp, ModelRequest, Success, ToolCall, tool
from settled.testing import FunctionProvider

SAILINGS = {"Oslo": "8:00 and 14:00"}


class Ferry(BaseModel):
    """One ferry."""

    harbour: str
    sails: str


@tool
def timetable(harbour: str) -> str:
    """When ferries leave a harbour.

    Args:
        harbour: its name.
    """
    return SAILINGS.get(harbour, "no ferries")


clerk = Agent(
    Ferry,
    name="ask_clerk",
    instructions="Find the ferries of a harbour.",
    tools=[timetable],
    failure_type=GaveUp,
    budget=Budget(max_steps=3),
)
guide = Agent(
    str,
    name="guide",
    instructions="Plan a journey. Ask the clerk about ferries.",
    tools=[clerk.as_tool(description="Knows the ferries of one harbour.")],
    budget=Budget(max_steps=5, max_duration=60),
)


def model(request: ModelRequest) -> object:
    """Plays both parts: the guide asks about two harbours, and the clerk looks each up."""
    last = request.messages[-1]
    if request.messages[0].text.startswith("Plan"):
        if last.role == "user":
            return [
                ToolCall(id="c1", name="ask_clerk", arguments='{"task": "Oslo"}'),
                ToolCall(id="c2", name="ask_clerk", arguments='{"task": "Bergen"}'),
            ]
        return "Sail from Oslo; nothing sails from Bergen."
    if last.role == "user":
        return ToolCall(id="t1", name="timetable", arguments=f'{{"harbour": "{last.text}"}}')
    if last.text == "no ferries":
        return GaveUp(reason="no ferry leaves from there")
    return Ferry(harbour=request.messages[-3].text, sails=last.text)


def main() -> None:
    """Ask, and read the account of all three runs."""
    outcome = guide.settle("How do I get to Denmark?", model=FunctionProvider(model))
    assert isinstance(outcome, Success)
    print(outcome.output)
    for sub in outcome.steps[0].sub_runs:
        detail = "" if sub.report is None else f": {sub.report.detail}"
        print(f"{sub.agent} ({sub.call_id}): {sub.stop_reason.label if sub.stop_reason else 'left'}{detail}")
    codes = [sub.stop_reason and sub.stop_reason.kind for sub in outcome.steps[0].sub_runs]
    assert codes == ["output", "reported_failure"]
    assert (len(outcome.steps), outcome.usage.requests) == (2, 6)


if __name__ == "__main__":
    main()

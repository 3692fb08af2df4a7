"""Research that stops by itself: conditions and a budget bound it, and a last step without tools still yields a typed answer.

Run it: ``python examples/research.py``. The model is a function that would search for ever.
"""

from pydantic import BaseModel

from settled import Agent, Budget, Failure, ModelRequest, Success, ToolCall, tool
from settled.conditions import any_of, repeated_tool_call, step_count_is, tool_errors
from settled.testing import FunctionProvider

LIBRARY = {
    "harbours": "Oslo has a harbour. See also: ferries",
    "ferries": "Ferries leave Oslo at eight. See also: fjords",
    "fjords": "The Oslofjord is a hundred kilometres long. See also: harbours",
}


class Findings(BaseModel):
    """What is known, and from where."""

    summary: str
    sources: list[str]


@tool(timeout=5, retries=1)
def look_up(topic: str) -> str:
    """Look a topic up in the library.

    Args:
        topic: one word, as the library spells it.
    """
    return LIBRARY[topic]


agent = Agent(
    Findings,
    instructions="Find out what you can, then hand over your findings.",
    tools=[look_up],
    stop_when=[any_of(repeated_tool_call(2), tool_errors(3)), step_count_is(10)],
    budget=Budget(max_steps=12, max_tool_calls=20, final_step="output_only"),
)


def never_done(request: ModelRequest) -> object:
    """A model that follows every hint, until it is asked for its findings without any tool to call."""
    told = [part.text for message in request.messages for part in message.parts if part.type == "tool_result"]
    if not any(offered.role == "function" for offered in request.tools):
        return Findings(summary=" ".join(text.partition(" See")[0] for text in told[:3]), sources=list(LIBRARY))
    topic = told[-1].rpartition(" ")[2] if told else "harbours"
    return ToolCall(id=f"c{len(told)}", name="look_up", arguments=f'{{"topic": "{topic}"}}')


def main() -> None:
    """With a last step, the run yields its findings; without one, it is stopped and says why."""
    match agent.settle("What is there to know about Oslo?", model=FunctionProvider(never_done)):
        case Success(output=findings, steps=steps):
            assert [step.purpose for step in steps][-1] == "final"
            print(f"{len(steps)} steps: {findings.summary}")
        case Failure(report=report):
            raise SystemExit(report.render())

    bare = agent.with_(budget=Budget(max_steps=12))
    match bare.settle("What is there to know about Oslo?", model=FunctionProvider(never_done)):
        case Failure(report=report):
            assert report.code == "condition"
            print(f"stopped after {len(report.steps)} steps: {report.summary}")
            print(f"what next: {report.remedy}")
        case Success():
            raise SystemExit("a model that never hands over has no output")


if __name__ == "__main__":
    main()

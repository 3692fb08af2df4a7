"""How an agent is put together: rows S2, S3, S45 and wart W1."""

from __future__ import annotations

from itertools import permutations
from typing import Any, cast

import pytest
from pydantic import BaseModel
from tests.behaviours.doors import Door, succeeded
from tests.behaviours.models import City, Stuck, call, handed_over

from settled import Agent, Approved, Budget, Capabilities, Hooks, MisuseError, PendingCall, RunContext, Tool, ToolCall
from settled.testing import ScriptedProvider


def look_up(place: str, times: int = 1) -> str:
    """What the map says of a place."""
    return f"{place} x {times}"


def weigh(tons: float) -> str:
    """Weigh a cargo."""
    return f"{tons} t"


@pytest.mark.row("S2", "W1")
@pytest.mark.parametrize(
    "tools",
    [
        pytest.param([look_up, look_up], id="twice"),
        pytest.param([look_up, Tool.of(weigh, name="look_up")], id="by another name"),
        pytest.param([Tool.of(weigh, name="look_up"), look_up], id="the other way round"),
    ],
)
def test_two_tools_of_one_name_are_refused(door: Door, tools: list[Any]) -> None:
    """A tool is known by its name: two of one name are refused when the agent is made, in either order; none is dropped."""
    with pytest.raises(MisuseError, match="look_up"):
        Agent(City, tools=tools)
    agent = Agent(City, tools=tools[:1], model=ScriptedProvider(handed_over()), mode="tool")
    with pytest.raises(MisuseError, match="look_up"):
        agent.with_(tools=tools)
    succeeded(door.settle(agent))


@pytest.mark.row("S2")
def test_the_way_to_end_is_offered_beside_other_tools(door: Door) -> None:
    """Tools of the user do not replace the output tool: both are offered."""
    model = ScriptedProvider(handed_over())
    succeeded(door.settle(Agent(City, tools=[look_up, weigh], model=model, mode="tool")))
    assert ["look_up", "weigh", "final_result"] == [tool.name for tool in model.requests[0].tools]


@pytest.mark.row("S2", "W1")
def test_a_tool_named_like_ours_keeps_its_name(door: Door) -> None:
    """Where a tool of the user is called ``final_result``, ours gets another name; both can be called, and neither is lost."""

    def final_result(place: str) -> str:
        """A tool of the user's own."""
        return f"been to {place}"

    model = ScriptedProvider(
        handed_over('{"place":"Oslo"}', "theirs"), call("final_result_1", '{"name":"Oslo","people":7}', "ours")
    )
    success = succeeded(door.settle(Agent(City, tools=[final_result], model=model, mode="tool")))
    assert ["final_result", "final_result_1"] == [tool.name for tool in model.requests[0].tools]
    assert ["been to Oslo"] == [result.text for result in success.steps[0].tool_results]
    assert City(name="Oslo", people=7) == success.output


PARTS: dict[str, Any] = {
    "tools": [look_up],
    "failure_type": Stuck,
    "budget": Budget(max_steps=3),
    "mode": "tool",
    "instructions": "Be short.",
}


@pytest.mark.row("S3", "W1")
def test_the_order_of_the_arguments_does_not_matter(door: Door) -> None:
    """An agent is made by keywords: in each of their orders, the same is sent and the same comes of it."""
    requests = set[str]()
    for names in permutations(PARTS):
        model = ScriptedProvider(handed_over())
        parts: dict[str, Any] = {name: PARTS[name] for name in names}
        succeeded(door.settle(Agent(City, model=model, **parts), run_id="r1"))
        requests.add(model.requests[0].model_dump_json())
    assert 1 == len(requests)


@pytest.mark.row("S3", "W1")
def test_the_order_of_changes_does_not_matter(door: Door) -> None:
    """``with_`` gives the same agent in whatever order things are changed, and a changed copy has lost nothing."""
    changes: list[dict[str, Any]] = [
        {"tools": [look_up]},
        {"budget": Budget(max_steps=3)},
        {"mode": "tool"},
        {"instructions": "Hm."},
    ]
    requests = set[str]()
    for order in permutations(changes):
        model = ScriptedProvider(handed_over())
        agent: Agent[Any, Any] = Agent(City, failure_type=Stuck, model=model)
        for change in order:
            agent = agent.with_(**change)
        succeeded(door.settle(agent, run_id="r1"))
        assert ["look_up", "final_result", "report_failure"] == [tool.name for tool in model.requests[0].tools]
        requests.add(model.requests[0].model_dump_json())
    assert 1 == len(requests)


@pytest.mark.row("W1")
@pytest.mark.parametrize(
    "form, parts, said",
    [
        pytest.param(City, {"failure_type": City}, "City is also an output", id="failure is output"),
        pytest.param(City | Stuck, {"failure_type": Stuck}, "Stuck is also an output", id="failure is a member"),
        pytest.param(City, {"mode": "text"}, "text", id="mode cannot carry the type"),
        pytest.param(dict[str, Any], {"strict": True, "mode": "native"}, "strict", id="schema cannot be strict"),
    ],
)
def test_what_cannot_work_together_is_refused_when_the_agent_is_made(form: Any, parts: dict[str, Any], said: str) -> None:
    """Conflicts raise at construction, before any request, and say what they are about."""
    model = ScriptedProvider(capabilities=Capabilities(json_schema="enforced", dialect="openai"))
    with pytest.raises(MisuseError, match=said):
        Agent(form, model=model, **parts)
    assert [] == model.requests


class Opaque:
    """A class that pydantic cannot describe."""


def bare(place) -> str:  # type: ignore[no-untyped-def]
    """A tool without annotation."""
    return str(place)  # pyright: ignore[reportUnknownArgumentType]


def opaque(place: Opaque) -> str:
    """A tool whose parameter no schema can describe."""
    return str(place)


def spread(*places: str) -> str:
    """A tool that takes any number."""
    return str(places)


@pytest.mark.row("S45")
@pytest.mark.parametrize(
    "tool, said",
    cast("list[tuple[Any, str]]", [(bare, "place must be annotated"), (opaque, "Opaque"), (spread, "places")]),
)
def test_schemas_of_tools_are_made_before_any_request(tool: Any, said: str) -> None:
    """A tool whose parameters no model can fill is refused when the agent is made, and the message names the tool."""
    model = ScriptedProvider()
    with pytest.raises(MisuseError, match=f"tool {tool.__name__}.*{said}"):
        Agent(City, tools=[tool], model=model)
    assert [] == model.requests


class Cargo(BaseModel):
    """What a ship carries."""

    kind: str
    tons: int


@pytest.mark.row("S45")
def test_a_key_given_twice_is_one_argument(door: Door) -> None:
    """A tool, the hooks around it and the approver all read the same arguments, also where the model wrote a key twice."""
    seen: list[object] = []

    def load(cargo: Cargo, pier: int) -> str:
        """Load a cargo."""
        seen.append((cargo.kind, cargo.tons, pier))
        return "loaded"

    def before_tool(ctx: RunContext, asked: ToolCall) -> None:
        seen.append(Tool.of(load).read(asked))

    def approver(wait: PendingCall) -> Approved:
        seen.append(Tool.of(load).read(wait.call))
        return Approved()

    arguments = '{"cargo":{"kind":"coal","kind":"fish","tons":1},"pier":1,"pier":2}'
    model = ScriptedProvider(call("load", arguments), handed_over())
    tools = [Tool.of(load, requires_approval=True)]
    agent = Agent(City, tools=tools, model=model, mode="tool", hooks=Hooks(before_tool=before_tool))
    succeeded(door.settle(agent, approver=approver))
    read = {"cargo": Cargo(kind="fish", tons=1), "pier": 2}
    assert [read, read, ("fish", 1, 2)] == seen

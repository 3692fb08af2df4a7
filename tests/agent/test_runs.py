"""What one call may say: prompt, history, context, budget, settings, conditions, recovery, id."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from tests.forms import City, Greeting

from settled import (
    Agent,
    Audio,
    Budget,
    Document,
    Failure,
    Image,
    Message,
    MisuseError,
    Recovery,
    RunContext,
    Settings,
    StopState,
    Success,
    Text,
    ToolCall,
    ToolResult,
    dump_messages,
    load_messages,
)
from settled.testing import ScriptedProvider

OSLO = City(name="Oslo", people=7)
CALLED = Message(
    role="assistant", parts=(ToolCall(id="c1", name="look_up", arguments="{}"), ToolCall(id="c2", name="f", arguments=""))
)
ONE = Message(role="tool", parts=(ToolResult(call_id="c1", name="look_up", text="7"),))
TWO = Message(role="tool", parts=(ToolResult(call_id="c2", name="f", text="7"),))


def texts(fake: ScriptedProvider, place: int = 0) -> list[tuple[str, str]]:
    """Roles and texts of a request."""
    return [(message.role, message.text) for message in fake.requests[place].messages]


# Prompts.


def test_a_prompt_of_parts() -> None:
    """A prompt may be strings and media, in order."""
    fake = ScriptedProvider("Hei")
    parts: Any = ["Look:", Image(url="u"), Audio(url="u"), Document(data=b"x", media_type="application/pdf"), "and say."]
    Agent(str, model=fake).run(parts)
    expected = (Text(text="Look:"), *parts[1:4], Text(text="and say."))
    assert expected == fake.requests[0].messages[0].parts


@pytest.mark.parametrize(
    "prompt", [None, 7, [], ["a", 7], {"a": 1}, b"a", Message.user("a"), [Message.user("a")], [Text(text="a")]], ids=repr
)
@pytest.mark.parametrize("method", ["run", "settle", "start"])
def test_what_is_no_prompt(method: str, prompt: Any) -> None:
    """Anything but a string or a list of parts is refused before any request."""
    fake = ScriptedProvider()
    loose: Callable[..., object] = getattr(Agent(str, model=fake), method)
    with pytest.raises(MisuseError, match=r"^prompt"):
        loose(prompt)
    assert fake.requests == []


# History.


def test_history_of_messages() -> None:
    """An earlier conversation stands before the prompt, also after it was dumped and loaded."""
    fake = ScriptedProvider("Hei", "Hei", "Hei")
    agent = Agent(str, model=fake, instructions="Be brief.")
    talk = [Message.user("Hello"), Message.assistant("Hi"), CALLED, Message(role="tool", parts=(*ONE.parts, *TWO.parts))]
    agent.run("And now?", history=talk)
    agent.run("And now?", history=tuple(talk))
    agent.run("And now?", history=load_messages(dump_messages(talk)))
    assert fake.requests[0].messages[1:-1] == tuple(talk)
    assert fake.requests[0].messages == fake.requests[1].messages == fake.requests[2].messages
    assert texts(fake)[0] == ("system", "Be brief.")


def test_history_of_outcomes() -> None:
    """A run goes on from the messages of a success or a failure; instructions are not in them twice."""
    fake = ScriptedProvider(OSLO, "?", "?", "?", OSLO, OSLO)
    agent = Agent(City, model=fake, mode="tool", instructions="Be brief.")
    good = agent.settle("Oslo?")
    bad = agent.settle("Bergen?")
    assert isinstance(good, Success)
    assert isinstance(bad, Failure)
    agent.run("And now?", history=good)
    agent.run("And now?", history=bad)
    for place, outcome in ((4, good.messages), (5, bad.report.messages)):
        assert fake.requests[place].messages[1:-1] == outcome
        assert [role for role, _ in texts(fake, place)].count("system") == 1


def test_the_finalising_turn_is_text() -> None:
    """The accepted call is stored as assistant text, so that the history replays without any tool."""
    settled = Agent(City, model=ScriptedProvider(OSLO), mode="tool").settle("Oslo?")
    assert isinstance(settled, Success)
    assert [(m.role, m.text) for m in settled.messages] == [("user", "Oslo?"), ("assistant", '{"name":"Oslo","people":7}')]


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": "a"}],
        "Hello",
        7,
        None,
        {"role": "user"},
        [Message.user("a"), "b"],
        [CALLED],
        [CALLED, ONE],
        [CALLED, Message.user("a"), ONE, TWO],
        [CALLED, ONE, Message.user("a"), TWO],
    ],
    ids=[
        "dicts", "text", "number", "none", "dict", "mixed", "unanswered", "half-answered", "answered-late", "half-late",
    ],
)  # fmt: skip
def test_what_is_no_history(history: Any) -> None:
    """Dicts and other data are refused, and calls without an answer directly after them."""
    fake = ScriptedProvider()
    with pytest.raises(MisuseError, match="history"):
        Agent(str, model=fake).run("And now?", history=history)
    assert fake.requests == []


def test_answers_may_stand_in_several_messages() -> None:
    """Calls of one turn may be answered by one message each."""
    assert Agent(str, model=ScriptedProvider("Hei")).run("And now?", history=[CALLED, ONE, TWO]) == "Hei"


# Context.


def test_context_reaches_everything() -> None:
    """One object reaches instructions, tools, checks and pydantic validators."""
    seen: list[object] = []
    known = ("Oslo",)

    def instructions(ctx: RunContext[object]) -> str:
        seen.append(ctx.context)
        return f"Known: {ctx.agent_name}"

    def look_up(ctx: RunContext[tuple[str, ...]], city: str) -> str:
        seen.append(ctx.context)
        return f"{city} {ctx.tool_call_id} {ctx.step} {ctx.run_id}"

    def check(ctx: RunContext[object], value: Greeting) -> None:
        seen.append(ctx.context)

    call = ToolCall(id="c1", name="look_up", arguments='{"city": "Oslo"}')
    fake = ScriptedProvider(call, Greeting(name="Bergen"), Greeting(name="Oslo"))
    agent = Agent(Greeting, model=fake, instructions=instructions, tools=[look_up], checks=[check], name="clerk", mode="tool")
    assert agent.run("Oslo?", context=known, run_id="r1") == Greeting(name="Oslo")
    assert [known, known, known] == seen
    assert all(one is known for one in seen)
    assert texts(fake)[0][1].startswith("Known: clerk")
    assert texts(fake, 1)[-1] == ("tool", "Oslo c1 1 r1")
    assert "not a known name" in texts(fake, 2)[-1][1]


# Budget, settings, conditions, recovery, id.


def test_a_budget_replaces_the_whole() -> None:
    """A budget given to the call replaces the agent's, also in what it does not name."""
    agent = Agent(int, model=ScriptedProvider(*["x"] * 9), budget=Budget(output_retries=0))
    assert len(_failed(agent.settle("?")).report.attempts) == 1
    assert len(_failed(agent.settle("?", budget=Budget(max_steps=20))).report.attempts) == 3


def test_settings_replace_the_whole() -> None:
    """Settings given to the call replace the agent's, also in what they do not name."""
    fake = ScriptedProvider(7, 7)
    agent = Agent(int, model=fake, settings=Settings(seed=1, temperature=0.5))
    agent.run("?")
    agent.run("?", settings=Settings(seed=2))
    assert [(request.settings.seed, request.settings.temperature) for request in fake.requests] == [(1, 0.5), (2, None)]


def test_conditions_add_up() -> None:
    """``stop_when`` of the call is asked after that of the agent."""
    asked: list[str] = []

    def first(state: StopState) -> bool:
        asked.append("first")
        return len(state.steps) >= 2

    async def second(state: StopState) -> str | None:
        asked.append("second")
        return "enough"

    agent = Agent(int, model=ScriptedProvider(*["x"] * 9), stop_when=[first])
    failed = _failed(agent.settle("?", stop_when=[second]))
    assert (asked, failed.report.stop_reason.label, len(failed.report.steps)) == (["first", "second"], "enough", 1)
    assert failed.checkpoint is not None


def test_recovery_of_the_call() -> None:
    """A recovery policy of the call replaces the agent's."""
    fenced = "```json\n7\n```"
    agent = Agent(int, mode="prompted", budget=Budget(output_retries=0))
    assert agent.run("?", model=ScriptedProvider(fenced)) == 7
    assert _failed(agent.settle("?", model=ScriptedProvider(fenced), recovery=Recovery.STRICT)).report.code == "output_invalid"
    assert agent.with_(recovery=Recovery.STRICT).run("?", model=ScriptedProvider(fenced), recovery=Recovery.FRAMING) == 7


def test_run_ids() -> None:
    """A run has the id that it is given, or one of its own; it is in each request."""
    fake = ScriptedProvider(7, 7, 7)
    agent = Agent(int, model=fake)
    ids = [
        outcome.run_id
        for outcome in (agent.settle("?", run_id="r1"), agent.settle("?"), agent.settle("?"))
        if isinstance(outcome, Success)
    ]
    assert ids == [request.run_id for request in fake.requests]
    assert ids[0] == "r1"
    assert len(set(ids)) == 3


# Instructions.


def quickly(ctx: RunContext[str]) -> str:
    """Instructions with the context."""
    return f"Hello {ctx.context}"


async def slowly(ctx: RunContext[str]) -> str:
    """Async instructions with the context."""
    return f"Hello {ctx.context}"


@pytest.mark.parametrize(
    "instructions, expected",
    [
        ("Be brief.", "Be brief."),
        (lambda: "Be brief.", "Be brief."),
        (quickly, "Hello you"),
        (slowly, "Hello you"),
    ],
    ids=["text", "callable", "with-context", "async"],
)
def test_instructions(instructions: str | Callable[..., object], expected: str) -> None:
    """Instructions are text, or a callable with or without the context, sync or async; they come first."""
    fake = ScriptedProvider("Hei", "Hei")
    agent = Agent(str, model=fake, instructions=instructions)
    agent.run("?", context="you")
    asyncio.run(agent.arun("?", context="you"))
    assert [("system", expected), ("user", "?")] == texts(fake) == texts(fake, 1)


def test_no_instructions() -> None:
    """Where there is nothing to say, no system message is sent."""
    fake = ScriptedProvider("Hei")
    Agent(str, model=fake).run("?")
    assert texts(fake) == [("user", "?")]


def test_instructions_are_asked_once_a_run() -> None:
    """Callable instructions are asked once, and stay the same in each request of the run."""
    asked: list[int] = []

    def instructions() -> str:
        asked.append(1)
        return f"Number {len(asked)}"

    fake = ScriptedProvider("x", "x", 7)
    Agent(int, model=fake, mode="native", instructions=instructions).run("?")
    assert asked == [1]
    assert [texts(fake, place)[0][1] for place in range(3)] == ["Number 1"] * 3


def broken() -> str:
    """Raises."""
    raise KeyError("x")


@pytest.mark.parametrize(
    "instructions, source",
    [(lambda: 7, "instructions"), (broken, "instructions")],
    ids=["wrong-type", "raises"],
)
def test_instructions_that_break(instructions: Callable[[], object], source: str) -> None:
    """Instructions that raise, or give no text, end the run before any request, with their name."""
    fake = ScriptedProvider()
    failed = _failed(Agent(str, model=fake, instructions=instructions).settle("?"))
    assert ("error", source) == (failed.report.code, failed.report.stop_reason.__dict__["source"])
    assert fake.requests == []


def test_a_sync_run_inside_a_loop_works_and_warns_once() -> None:
    """A sync run in a thread with a running loop works."""

    async def main() -> int:
        return Agent(int, model=ScriptedProvider(7)).run("?")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [7, 7] == [asyncio.run(main()), asyncio.run(main())]
    assert len(caught) <= 1  # once a process, so perhaps in an earlier test
    assert all("async twin" in str(warning.message) for warning in caught)


def _failed(outcome: Success[Any] | Failure[Any]) -> Failure[Any]:
    assert isinstance(outcome, Failure)
    return outcome

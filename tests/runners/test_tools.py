"""Tools under both runners: how failures are told, time, how many at once, what leaves a run, and media as results."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, cast

import pytest
from pydantic import AfterValidator, ValidationInfo
from tests.support import OSLO, City, call, faults_in

from settled import (
    Agent,
    Approved,
    Audio,
    Budget,
    Capabilities,
    Checkpoint,
    EndRun,
    ExternalResult,
    Failure,
    Hooks,
    Image,
    Message,
    MisuseError,
    ModelRequest,
    Paused,
    RunContext,
    Skip,
    Success,
    Text,
    Tool,
    ToolCall,
    ToolFailed,
    dump_messages,
    load_messages,
    tool,
)
from settled.providers import responses_wire, wire
from settled.runners.asks import Call, NeverBegan, Together
from settled.testing import ScriptedProvider
from settled.vocabulary.stop import Error

Outcome: TypeAlias = "Success[City] | Failure[object]"
Door: TypeAlias = "Callable[[Agent[City, object]], Outcome]"
GOOD = City(name="Oslo", people=700_000)


def sync(agent: Agent[City, object]) -> Outcome:
    """By the sync runner."""
    return agent.settle("?")


def awaited(agent: Agent[City, object]) -> Outcome:
    """By the async runner."""
    return asyncio.run(agent.asettle("?"))


each_runner = pytest.mark.parametrize("door", [sync, awaited], ids=["sync", "async"])
each_colour = pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])


def agent_with(tools: Sequence[Tool | Callable[..., object]], *turn: ToolCall, **options: Any) -> Agent[City, object]:
    """An agent whose model makes these calls, and then hands over."""
    return Agent(City, model=ScriptedProvider([*turn], GOOD, GOOD), tools=tools, **options)


def told(outcome: Outcome) -> list[tuple[str, str]]:
    """Status and text of each result of the first step."""
    account = outcome if isinstance(outcome, Success) else outcome.report
    assert not faults_in(account.messages)
    return [(result.status, result.text) for result in account.steps[0].tool_results]


def code_of(outcome: Outcome) -> str:
    """The kind of the end."""
    return outcome.stop_reason.kind if isinstance(outcome, Success) else outcome.report.code


def raises(raised: Exception, *, is_async: bool, **options: Any) -> Tool:
    """A tool that raises."""

    def look_up() -> str:
        """A tool."""
        raise raised

    async def alook_up() -> str:
        """A tool."""
        raise raised

    return Tool.of(alook_up if is_async else look_up, name="look_up", **options)


# Failures.


@pytest.mark.parametrize(
    "on_error, raised, text",
    [
        pytest.param("tell", KeyError("ship"), "KeyError: 'ship'", id="told"),
        pytest.param("hide", KeyError("ship"), "KeyError", id="hidden"),
        pytest.param("tell", ToolFailed("no such ship"), "no such ship", id="in words"),
        pytest.param("hide", ToolFailed("no such ship"), "no such ship", id="in words, though hidden"),
        pytest.param("fail", ToolFailed("no such ship"), "no such ship", id="in words, though fatal"),
    ],
)
@each_colour
@each_runner
def test_how_a_failure_is_told(
    door: Door, is_async: bool, on_error: Literal["tell", "hide", "fail"], raised: Exception, text: str
) -> None:
    """Class and message, or the class only; what is raised to be told is told in any case."""
    outcome = door(agent_with([raises(raised, is_async=is_async, on_error=on_error)], call("look_up")))
    assert [("failed", text)] == told(outcome)


@each_colour
@each_runner
def test_a_failure_may_end_the_run(door: Door, is_async: bool) -> None:
    """With ``on_error="fail"`` as an error of the tool; the model hears nothing, and each call is answered."""
    raised = LookupError("no such ship, sk-abcdef123456")
    outcome = door(
        agent_with([raises(raised, is_async=is_async, on_error="fail")], call("look_up", id="a"), call("nope", id="b"))
    )
    assert isinstance(outcome, Failure)
    reason = outcome.report.stop_reason
    assert isinstance(reason, Error)
    assert ("tool:look_up", "LookupError", "no such ship, [hidden]") == (reason.source, reason.error_type, reason.message)
    assert outcome.report.exception is raised
    assert ["failed", "failed"] == [status for status, _ in told(outcome)]
    assert "ship" not in dump_messages(outcome.report.messages)


@each_runner
def test_pydantic_s_words_hold_no_input(door: Door) -> None:
    """What a tool fails to validate is told by place and reason, without the value, which may be anybody's."""

    def look_up() -> City:
        """A tool."""
        return City.model_validate({"name": "Oslo", "people": "top secret"})

    ((status, text),) = told(door(agent_with([look_up], call("look_up"))))
    assert "failed" == status
    assert text.startswith("ValidationError: City: people: Input should be a valid integer")
    assert "secret" not in text
    assert "pydantic.dev" not in text


# Time.


def waits(seconds: float = 5, *, is_async: bool, **options: Any) -> Tool:
    """A tool that takes long."""

    def wait() -> str:
        """A tool."""
        time.sleep(seconds)
        return "awake"

    async def await_() -> str:
        """A tool."""
        await asyncio.sleep(seconds)
        return "awake"

    return Tool.of(await_ if is_async else wait, name="wait", **options)


@each_colour
@each_runner
def test_a_tool_s_own_time(door: Door, is_async: bool) -> None:
    """Past its timeout a call has failed, and the run goes on."""
    started = time.monotonic()
    outcome = door(agent_with([waits(is_async=is_async, timeout=0.05)], call("wait")))
    assert ("output", [("failed", "timed out; it may still have its effect")]) == (code_of(outcome), told(outcome))
    assert time.monotonic() - started < 3


@each_colour
@each_runner
def test_lateness_may_end_the_run(door: Door, is_async: bool) -> None:
    """With ``on_error="fail"`` as a ``TimeoutError`` of the tool."""
    outcome = door(agent_with([waits(is_async=is_async, timeout=0.05, on_error="fail")], call("wait")))
    assert isinstance(outcome, Failure)
    reason = outcome.report.stop_reason
    assert isinstance(reason, Error)
    assert ("tool:wait", "TimeoutError") == (reason.source, reason.error_type)
    assert reason.message.startswith("wait took longer than 0.05 seconds")


@pytest.mark.parametrize("timeout", [None, 5.0], ids=["no limit of its own", "a longer one"])
@each_runner
def test_lateness_of_the_run_is_no_fault_of_the_tool(door: Door, timeout: float | None) -> None:
    """When the run's time is over first, the run ends for that."""
    slow = waits(is_async=False, timeout=timeout, on_error="fail")
    assert "time_limit" == code_of(door(agent_with([slow], call("wait"), budget=Budget(max_duration=0.1))))


# How many at once.


class Watch:
    """Counts how many are under way; nobody goes on before as many were as are due."""

    def __init__(self, due: int) -> None:
        self.lock, self.due, self.until = threading.Lock(), due, time.monotonic() + 20
        self.now = self.most = 0
        self.begun: list[int] = []

    @property
    def is_full(self) -> bool:
        """As many are, or were, under way as are due."""
        return self.most >= self.due or time.monotonic() > self.until

    def begin(self, number: int) -> None:
        """One more."""
        with self.lock:
            self.begun.append(number)
            self.now += 1
            self.most = max(self.most, self.now)

    def end(self) -> None:
        """One less."""
        with self.lock:
            self.now -= 1


def watched(watch: Watch, *, is_async: bool) -> Tool:
    """A tool that is counted; later calls take less time."""

    def look_up(number: int) -> int:
        """A tool."""
        watch.begin(number)
        while not watch.is_full:
            time.sleep(0.001)
        time.sleep(0.02 - 0.001 * number)
        watch.end()
        return number

    async def alook_up(number: int) -> int:
        """A tool."""
        watch.begin(number)
        while not watch.is_full:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02 - 0.001 * number)
        watch.end()
        return number

    return Tool.of(alook_up if is_async else look_up, name="look_up")


TWELVE = [call("look_up", f'{{"number":{number}}}', f"c{number}") for number in range(12)]


@pytest.mark.parametrize("limit, most", [(1, 1), (3, 3), (8, 8), (None, 12), (50, 12)], ids=str)
@each_colour
@each_runner
def test_how_many_run_at_once(door: Door, is_async: bool, limit: int | None, most: int) -> None:
    """As many as ``max_parallel_tools`` says, and no more; they begin in order, and results keep call order."""
    watch = Watch(most)
    outcome = door(agent_with([watched(watch, is_async=is_async)], *TWELVE, budget=Budget(max_parallel_tools=limit)))
    assert [("ok", str(number)) for number in range(12)] == told(outcome)
    assert most == watch.most
    assert sorted(watch.begun[:most]) == list(range(most))
    assert list(range(12)) == (watch.begun if most == 1 else sorted(watch.begun))


@each_colour
@each_runner
def test_a_late_call_gives_its_place_up(door: Door, is_async: bool) -> None:
    """Each call has its own time, which begins when it begins; one that is left behind holds up no other."""
    slow = waits(is_async=is_async, timeout=0.1)
    turn = [call("wait", id="a"), call("wait", id="b"), call("quick", id="c")]
    quick = Tool.of(lambda: "done", name="quick", timeout=0.1)
    outcome = door(agent_with([slow, quick], *turn, budget=Budget(max_parallel_tools=1)))
    late = ("failed", "timed out; it may still have its effect")
    assert [late, late, ("ok", "done")] == told(outcome)


@pytest.mark.parametrize("seconds", [1e9, 1e300, float("inf")], ids=str)
@each_colour
@each_runner
def test_a_time_beyond_all_clocks(door: Door, is_async: bool, seconds: float) -> None:
    """A call may be given more time than the platform can count to."""
    slow = waits(0.02, is_async=is_async, timeout=seconds)
    lazy = Tool.of(lambda: asyncio.sleep(0.02, "awake"), name="lazy", timeout=seconds)
    outcome = door(agent_with([slow, lazy], call("wait", id="a"), call("lazy", id="b"), budget=Budget(max_duration=seconds)))
    assert [("ok", "awake"), ("ok", "awake")] == told(outcome)
    assert "output" == code_of(outcome)


@each_colour
@each_runner
def test_calls_that_never_began(door: Door, is_async: bool) -> None:
    """When the run's time is over, those that wait for their turn are not executed, and the model is told so."""
    began: list[str] = []
    slow = waits(is_async=is_async)
    never = Tool.of(lambda: began.append("x"), name="never")
    outcome = door(
        agent_with(
            [slow, never], call("wait", id="a"), call("never", id="b"), budget=Budget(max_parallel_tools=1, max_duration=0.5)
        )
    )
    skipped = ("skipped", "not executed: the run's time was over")
    assert [("failed", "timed out; it may still have its effect"), skipped] == told(outcome)
    assert ("time_limit", []) == (code_of(outcome), began)


def test_no_calls_at_all() -> None:
    """A turn whose calls were all skipped asks for none."""
    nothing = Together((), 8, 1.0)
    assert 8 == nothing.at_once
    assert issubclass(NeverBegan, Exception)
    agent = agent_with([Tool.of(lambda: 7, name="look_up")], call("look_up"), hooks=Hooks(before_tool=skip))
    assert [("skipped", "no")] == told(sync(agent)) == told(awaited(agent.with_(model=ScriptedProvider(call("look_up"), GOOD))))


def skip(ctx: RunContext, made: ToolCall) -> object:
    """A hook that skips."""
    return Skip("no")


@pytest.mark.parametrize(
    "seconds, own, passed, left",
    [(None, None, 1, None), (None, 2, 1, 2), (5, None, 1, 4), (5, 2, 4, 1), (5, 2, 1, 2), (1, 2, 3, 0)],
)
def test_what_is_left(seconds: float | None, own: float | None, passed: float, left: float | None) -> None:
    """The smaller of a call's own time and what is left for all."""
    assert left == Together((), seconds=seconds).left(Call(print, seconds=own), passed)


# What leaves a run.


class Leaving(BaseException):
    """No exception to be caught."""


@each_colour
@each_runner
def test_what_leaves_waits_for_nobody(door: Door, is_async: bool) -> None:
    """What is no ``Exception`` goes on at once: others are cancelled where they can be, and those that wait never begin."""
    began: list[str] = []

    def leave() -> str:
        """A tool."""
        raise Leaving

    async def aleave() -> str:
        """A tool."""
        raise Leaving

    tools = [
        Tool.of(aleave if is_async else leave, name="leave"),
        waits(3, is_async=True),
        Tool.of(lambda: began.append("x"), name="later"),
    ]
    turn = [call("wait", id="a"), call("leave", id="b"), call("later", id="c")]
    started = time.monotonic()
    with pytest.raises(Leaving):
        door(agent_with(tools, *turn, budget=Budget(max_parallel_tools=2)))
    assert time.monotonic() - started < 2.5
    assert [] == began


# Arguments.


def shared(name: str, info: ValidationInfo) -> object:
    """A validator that hands out what the run's context holds."""
    return cast("Mapping[str, object]", info.context)[name]


def other_name(ctx: RunContext, made: ToolCall) -> ToolCall:
    """A hook that gives other arguments."""
    return made.changed(arguments='{"names":"more"}')


@pytest.mark.parametrize("hooks", [Hooks(), Hooks(before_tool=other_name)], ids=["as asked", "as a hook says"])
@each_runner
def test_arguments_are_copies(door: Door, hooks: Hooks) -> None:
    """A tool may change its arguments: nobody else sees it, also where a validator handed out a shared object."""
    context = {"these": ["a"], "more": ["b", "c"]}

    def look_up(names: Annotated[Any, AfterValidator(shared)]) -> int:
        """A tool."""
        names.append("x")
        return len(names)

    model = ScriptedProvider([call("look_up", '{"names":"these"}')], GOOD)
    agent: Agent[City, object] = Agent(City, model=model, tools=[look_up], hooks=hooks)
    outcome = agent.settle("?", context=context) if door is sync else asyncio.run(agent.asettle("?", context=context))
    assert [("ok", "2" if hooks.before_tool is None else "3")] == told(outcome)
    assert {"these": ["a"], "more": ["b", "c"]} == context


def test_what_cannot_be_copied_is_handed_over() -> None:
    """A lock that a validator looked up is the lock itself."""
    lock = threading.Lock()

    def look_up(names: Annotated[Any, AfterValidator(shared)]) -> bool:
        """A tool."""
        return names is lock

    model = ScriptedProvider([call("look_up", '{"names":"lock"}')], GOOD)
    agent: Agent[City, object] = Agent(City, model=model, tools=[look_up])
    assert [("ok", "true")] == told(agent.settle("?", context={"lock": lock}))


# Media.

MAP = Image(data=b"map", media_type="image/png")
SONG = Audio(data=b"song", media_type="audio/wav")
FOLLOWS = "(What stands in brackets follows in the next message.)"


@tool
def draw(place: str = "Oslo") -> list[object]:
    """A picture of a place."""
    return [f"{place}:", MAP]


@tool
async def sing() -> Audio:
    """A song."""
    return SONG


@tool
def count() -> int:
    """A number."""
    return 7


@tool(requires_approval=True)
def order() -> str:
    """A thing."""
    return "ordered"


@tool(external=True)
def photograph() -> Image:
    """Done by a person."""
    raise NotImplementedError


DRAW, COUNT, SING = call("draw", id="a"), call("count", id="b"), call("sing", id="c")


@each_runner
def test_media_follow_the_results(door: Door) -> None:
    """Each call has a text; behind all of them stand the media in one user message, each behind its name."""
    model = ScriptedProvider([DRAW, COUNT, SING], GOOD)
    outcome = door(Agent(City, model=model, tools=[draw, count, sing]))
    assert [f"Oslo:\n[image 1]\n{FOLLOWS}", "7", f"[audio 1]\n{FOLLOWS}"] == [text for _, text in told(outcome)]
    *_, results, media = model.requests[1].messages
    assert ("tool", "user") == (results.role, media.role)
    names = (Text(text="[image 1] of draw, call a:"), Text(text="[audio 1] of sing, call c:"))
    assert (names[0], MAP, names[1], SONG) == media.parts


def bodies_of(messages: Sequence[Message]) -> tuple[list[Any], list[Any]]:
    """The conversation on both wires."""
    request = ModelRequest(messages=tuple(messages), mode="native")
    chat: Any = wire.body_of(request, "m", Capabilities(), {})["messages"]
    responses: Any = responses_wire.body_of(request, "m", Capabilities(), {})["input"]
    return chat, responses


def test_media_on_both_wires_and_in_json() -> None:
    """Chat Completions and Responses carry them in a user message; a history in JSON replays to the same bytes."""
    outcome = agent_with([draw, count], DRAW, COUNT).settle("?")
    assert isinstance(outcome, Success)
    again = load_messages(dump_messages(outcome.messages))
    assert again == outcome.messages
    chat, responses = bodies_of(again)
    assert ["user", "assistant", "tool", "tool", "user", "assistant"] == [turn["role"] for turn in chat]
    assert {"type": "image_url", "image_url": {"url": "data:image/png;base64,bWFw"}} == chat[4]["content"][1]
    kinds = [item.get("role", item.get("type")) for item in responses]
    assert ["user", *["function_call"] * 2, *["function_call_output"] * 2, "user", "assistant"] == kinds
    assert "data:image/png;base64,bWFw" in str(responses[5]["content"][1])
    second = ScriptedProvider(GOOD)
    Agent(City, model=second).run("And?", history=outcome)
    assert (chat, responses) == tuple(body[:-1] for body in bodies_of(second.requests[0].messages))


def test_media_wait_with_the_step() -> None:
    """A step that pauses keeps them: through JSON, until its other calls are decided about."""
    model = ScriptedProvider([DRAW, call("order", id="o")], GOOD)
    agent: Agent[City, object] = Agent(City, model=model, tools=[draw, order])
    waiting = agent.start("?")
    assert isinstance(waiting, Paused)
    assert MAP in waiting.messages[-1].parts
    checkpoint = Checkpoint.model_validate_json(waiting.checkpoint.model_dump_json())
    outcome = agent.resume(checkpoint, {"o": Approved()})
    assert isinstance(outcome, Success)
    assert (Text(text="[image 1] of draw, call a:"), MAP) == model.requests[1].messages[-1].parts
    assert ["ordered"] == [part.text for part in model.requests[1].messages[-2].parts[1:] if part.type == "tool_result"]


def test_media_from_elsewhere() -> None:
    """The result of an external call may be a picture; one that cannot be sent is refused by name."""
    model = ScriptedProvider([call("photograph")], GOOD)
    agent: Agent[City, object] = Agent(City, model=model, tools=[photograph])
    waiting = agent.start("?")
    assert isinstance(waiting, Paused)
    with pytest.raises(MisuseError, match="call 'c1': the value decided for it is Image without data or url"):
        agent.resume(waiting, {"c1": ExternalResult(Image())})
    assert isinstance(agent.resume(waiting, {"c1": ExternalResult(MAP)}), Success)
    assert MAP in model.requests[1].messages[-1].parts


@each_runner
def test_hooks_see_media(door: Door) -> None:
    """The hook after a call gets a list with the text and the media; what it returns instead is read as a tool's result."""
    seen: list[object] = []

    def after(ctx: RunContext, made: ToolCall, result: object) -> object:
        seen.append(result)
        return "no picture" if made.id == "b" else None

    outcome = door(agent_with([draw], DRAW, call("draw", id="b"), hooks=Hooks(after_tool=after)))
    text = f"Oslo:\n[image 1]\n{FOLLOWS}"
    assert [[text, MAP], [text, MAP]] == seen
    assert [("ok", text), ("ok", "no picture")] == told(outcome)
    assert isinstance(outcome, Success)
    assert 1 == sum(MAP == part for message in outcome.messages for part in message.parts)


@each_runner
def test_media_beside_an_end(door: Door) -> None:
    """A run that ends in the same turn has them in its history, before what it ended with."""

    def finish() -> EndRun[City]:
        """Ends."""
        return EndRun(GOOD)

    outcome = door(agent_with([draw, finish], DRAW, call("finish", id="b")))
    assert isinstance(outcome, Success)
    assert ["user", "assistant", "tool", "user", "assistant"] == [message.role for message in outcome.messages]


def test_media_and_feedback_are_one_message() -> None:
    """Where the model is told something besides, that stands behind the media in the same message."""
    bad = call("final_result", '{"name":"Oslo"}', "o")
    model = ScriptedProvider([DRAW, bad], [call("final_result", OSLO)])
    agent: Agent[City, object] = Agent(City, model=model, tools=[draw], mode="tool", siblings="run")
    outcome = agent.settle("?")
    assert isinstance(outcome, Success)
    assert not faults_in(outcome.messages)


def test_a_picture_that_cannot_be_sent() -> None:
    """It is a failure of the tool, told to the model, not an error of the service."""

    def look_up() -> Image:
        """A tool."""
        return Image(data=b"x")

    assert [("failed", "the tool returned Image with data, but without media_type")] == told(
        sync(agent_with([look_up], call("look_up")))
    )

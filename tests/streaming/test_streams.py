"""Streaming runs: what consumers are told, in which order, and what drafts show."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Annotated, Any, TypeAlias, cast

import pytest
from pydantic import AfterValidator, BaseModel, PlainSerializer
from tests.streaming.doors import ASYNC, SYNC, Door, OnlyAsync, Plain, by_both, by_each
from tests.support import City, Town

from settled import (
    Agent,
    Budget,
    Capabilities,
    EndRun,
    Failure,
    Fallback,
    FinishReason,
    GaveUp,
    Hooks,
    MisuseError,
    ModelRequest,
    ModelResponse,
    OutputMode,
    ProviderError,
    Reasoning,
    Retry,
    RunFailed,
    Settings,
    Success,
    Text,
    ToolCall,
    Usage,
)
from settled.core.events import RunEnded, RunStarted
from settled.recovery.drafts import Draft
from settled.streaming import (
    NodeClosed,
    ReasoningDelta,
    Restarted,
    Settled,
    StepFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from settled.testing import FunctionProvider, Refusal, ScriptedProvider, Truncated
from settled.vocabulary.narrowing import is_mapping
from settled.vocabulary.stop import Error
from settled.vocabulary.streaming import CallChunk, StreamPart, TextChunk

OSLO = City(name="Oslo", people=700_000)
UNFIT = '{"name":"Oslo","people":"many"}'
RESET = ProviderError("connection", "reset", retry_after=0.0)
MODES: tuple[OutputMode, ...] = ("native", "prompted", "tool")
by_mode = pytest.mark.parametrize("mode", MODES)


def data_of(drafts: list[Draft]) -> list[object]:
    """What the drafts show, one after another, each once."""
    shown: list[object] = []
    for draft in drafts:
        if not shown or shown[-1] != draft.data:
            shown.append(draft.data)
    return shown


def look_up(name: str) -> str:
    """Look a city up."""
    return f"{name}: 700000 people"


@by_mode
@by_each
def test_drafts_grow_to_the_output(door: Door, mode: OutputMode) -> None:
    """Drafts show strings that grow and everything else when it is closed; the last one is what was validated."""
    seen = door.see(Agent(City, mode=mode), "drafts", model=ScriptedProvider(OSLO, chunk=1))
    shown = data_of(seen.values)
    assert {"name": "Oslo", "people": 700_000} == shown[-1]
    if "whole" not in door.name:
        assert {"name": "Os"} in shown
        assert all(not is_mapping(each) or each.get("people", 700_000) == 700_000 for each in shown)
    assert OSLO == seen.outcome.unwrap()
    assert "closed" == seen.values[-1].state()


@by_each
def test_text_streams_as_it_stands(door: Door) -> None:
    """Of a str every draft is a beginning of the text, and the last one is the text."""
    seen = door.see(Agent(str), "drafts", model=ScriptedProvider("Oslo, I think.", chunk=5))
    assert all("Oslo, I think.".startswith(str(draft.data)) for draft in seen.values)
    assert "Oslo, I think." == seen.values[-1].data == seen.outcome.unwrap()


@by_both
def test_events_in_order(door: Door) -> None:
    """Text as it comes, each part as it closes, the step, and the end last of all."""
    seen = door.see(Agent(City, mode="native"), "events", model=ScriptedProvider(OSLO, chunk=16))
    texts = [event.text for event in seen.values if isinstance(event, TextDelta)]
    closed = [(event.path, event.value) for event in seen.values if isinstance(event, NodeClosed)]
    assert '{"name":"Oslo","people":700000}' == "".join(texts)
    assert [(("name",), "Oslo"), (("people",), 700_000), ((), {"name": "Oslo", "people": 700_000})] == closed
    assert ["StepFinished", "Settled"] == seen.names[-2:]
    assert seen.values[-1] == Settled(seen.outcome)


@pytest.mark.row("R25")
@by_both
def test_arguments_of_the_output_tool_are_no_text(door: Door) -> None:
    """The arguments of an output tool are told as parts that close; no call of it is told, and the result comes last."""
    seen = door.see(Agent(City, mode="tool"), "events", model=ScriptedProvider(OSLO, chunk=4))
    assert ["NodeClosed", "NodeClosed", "NodeClosed", "StepFinished", "Settled"] == seen.names


@pytest.mark.row("R25")
@pytest.mark.parametrize(
    "first, why",
    [
        (UNFIT, "invalid"),
        ("I have no idea.", "no_payload"),
        (Truncated('{"name":"Os'), "truncated"),
    ],
    ids=["invalid", "no payload", "truncated"],
)
@by_both
def test_a_rejected_reply_restarts(door: Door, first: object, why: str) -> None:
    """Where what was shown is asked for again, the consumer is told which attempt begins and why."""
    agent = Agent(City, mode="native", settings=Settings(max_tokens=50))
    seen = door.see(agent, "events", model=ScriptedProvider(first, OSLO))
    assert [Restarted(2, why)] == [event for event in seen.values if isinstance(event, Restarted)]
    before, after = seen.names[: seen.names.index("Restarted")], seen.names[seen.names.index("Restarted") :]
    assert "StepFinished" == before[-1]
    assert "Settled" == after[-1]
    assert 2 == seen.attempt


@by_both
def test_nothing_shown_is_no_restart(door: Door) -> None:
    """A reply that showed nothing is replaced without a word."""
    seen = door.see(Agent(City), "events", model=ScriptedProvider(RESET, OSLO))
    assert "Restarted" not in seen.names
    assert 1 == seen.attempt


class Breaks(ScriptedProvider):
    """A model whose first streams break off after some parts, with an error."""

    def __init__(self, *replies: object, error: BaseException = RESET, after: int = 2, times: int = 1, **more: Any) -> None:
        super().__init__(*replies, chunk=4, **more)
        self._error, self._after, self._times = error, after, times

    def _breaks(self, place: int) -> bool:
        if place != self._after or not self._times:
            return False
        self._times -= 1
        return True

    def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Any:
        """The answer, which breaks off."""
        for place, part in enumerate(super().stream(request, timeout=timeout)):
            if self._breaks(place):
                raise self._error
            yield part

    async def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
        """The async twin."""
        for part in self.stream(request, timeout=timeout):
            yield part


@pytest.mark.row("S18")
@by_both
def test_s18_a_retry_restarts(door: Door) -> None:
    """A stream that breaks is sent for again, the consumer is told, and the drafts start over."""
    seen = door.see(Agent(City), "events", model=Breaks(OSLO, OSLO))
    assert [Restarted(2, "connection")] == [event for event in seen.values if isinstance(event, Restarted)]
    assert OSLO == seen.outcome.unwrap()
    shown = data_of(door.see(Agent(City), "drafts", model=Breaks(OSLO, OSLO)).values)
    assert None in shown
    assert {"name": "Oslo", "people": 700_000} == shown[-1]


@by_both
def test_a_fallback_restarts(door: Door) -> None:
    """Where another model goes on, what the first one showed is taken back."""
    down = Breaks(OSLO, error=ProviderError("overloaded", "busy", retryable=False))
    seen = door.see(Agent(City), "events", model=Fallback(down, ScriptedProvider(OSLO)))
    assert [Restarted(2, "overloaded")] == [event for event in seen.values if isinstance(event, Restarted)]
    assert OSLO == seen.outcome.unwrap()


@by_both
def test_tools_are_told(door: Door) -> None:
    """Calls are told before they run and behind, the step that asked for them before that; no restart follows."""
    call = ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}')
    seen = door.see(Agent(City, tools=[look_up]), "events", model=ScriptedProvider([Text(text="Let me see."), call], OSLO))
    start = seen.names.index("ToolStarted")
    assert ["StepFinished", "ToolStarted", "ToolFinished"] == seen.names[start - 1 : start + 2]
    assert [ToolStarted(call), ToolFinished(call, "Oslo: 700000 people")] == seen.values[start : start + 2]
    assert "Restarted" not in seen.names
    assert 2 == seen.names.count("StepFinished")


@pytest.mark.row("F14")
@by_both
def test_f14_reasoning_is_no_text(door: Door) -> None:
    """Reasoning is told apart, and is in no draft and no text."""
    reply = ModelResponse(parts=(Reasoning(text="Hm, Bergen?"), Text(text="Oslo")), finish_reason=FinishReason.from_wire("stop"))
    seen = door.see(Agent(str), "events", model=ScriptedProvider(reply))
    assert [ReasoningDelta("Hm, Bergen?")] == [event for event in seen.values if isinstance(event, ReasoningDelta)]
    assert "Oslo" == "".join(event.text for event in seen.values if isinstance(event, TextDelta))
    assert "Oslo" == seen.outcome.unwrap()


@pytest.mark.row("F4")
@by_both
def test_f4_no_finish_reason(door: Door) -> None:
    """A reply without a reason is unspecified, and its content counts."""
    reply = ModelResponse.of('{"name":"Oslo","people":700000}', finish=None)
    seen = door.see(Agent(City, mode="native"), "events", model=ScriptedProvider(reply))
    (step,) = [event for event in seen.values if isinstance(event, StepFinished)]
    assert "unspecified" == step.finish_reason.kind
    assert OSLO == seen.outcome.unwrap()


@pytest.mark.parametrize("mode", ["native", "prompted"])
@by_both
def test_a_choice_is_shown_without_its_frame(door: Door, mode: OutputMode) -> None:
    """Drafts are of the value alone, also where it is tagged with its kind."""
    seen = door.see(Agent(City | Town, mode=mode), "drafts", model=ScriptedProvider(Town(name="Ås", church=True), chunk=3))
    assert {"name": "Ås", "church": True} == seen.values[-1].data
    assert all(not {"kind", "data", "value"} & set(draft.data or {}) for draft in seen.values)


@by_mode
@by_both
def test_a_report_is_no_draft(door: Door, mode: OutputMode) -> None:
    """A model that gives up shows no draft of the output."""
    agent = Agent(City, failure_type=GaveUp, mode=mode)
    seen = door.see(agent, "drafts", model=ScriptedProvider(GaveUp(reason="closed"), chunk=3))
    assert [] == seen.values
    assert isinstance(seen.outcome, Failure)
    assert GaveUp(reason="closed") == seen.outcome.report.detail


@by_both
def test_a_defect_stalls_drafts_and_the_run_goes_on(door: Door) -> None:
    """Drafts stop at the first defect; recovery reads the whole text, and the last draft is what it accepted."""
    broken = "Here: {'name': 'Oslo', 'people': 700000,}"
    seen = door.see(Agent(City, mode="prompted"), "drafts", model=ScriptedProvider(broken, chunk=3))
    assert OSLO == seen.outcome.unwrap()
    assert ({"name": "Oslo", "people": 700_000}, False) == (seen.values[-1].data, seen.values[-1].stalled)


@by_both
def test_json_in_text_in_tool_mode(door: Door) -> None:
    """In tool mode the JSON of a text is followed, until an output tool is called: then that is."""
    written = door.see(Agent(City, mode="tool"), "drafts", model=ScriptedProvider('{"name":"Oslo","people":700000}', chunk=3))
    assert {"name": "Osl"} in data_of(written.values)
    call = ToolCall(id="c1", name="final_result", arguments='{"name":"Oslo","people":700000}')
    both = [Text(text='{"name":"Bergen"}'), call]
    seen = door.see(Agent(City, mode="tool"), "drafts", model=ScriptedProvider(both, chunk=3))
    assert {"name": "Bergen"} in data_of(seen.values)
    assert {"name": "Oslo", "people": 700_000} == seen.values[-1].data


@by_both
def test_an_output_that_a_tool_gave(door: Door) -> None:
    """Where a tool ends the run with an output, the last draft is that output."""

    def finish() -> Any:
        """End it."""
        return EndRun(OSLO)

    call = ToolCall(id="c1", name="finish", arguments="{}")
    seen = door.see(Agent(City, tools=[finish]), "drafts", model=ScriptedProvider(call))
    assert [{"name": "Oslo", "people": 700_000}] == data_of(seen.values)


@by_both
def test_a_hook_that_wants_another_reply(door: Door) -> None:
    """A reply that a hook discards is taken back."""
    asked: list[int] = []

    def again(ctx: object, response: ModelResponse) -> Retry | None:
        asked.append(1)
        return Retry("Once more.") if len(asked) == 1 else None

    seen = door.see(Agent(City, hooks=Hooks(after_model=again)), "events", model=ScriptedProvider(OSLO, OSLO))
    assert [Restarted(2, "no_payload")] == [event for event in seen.values if isinstance(event, Restarted)]


@by_both
def test_the_outcome_is_that_of_a_run(door: Door) -> None:
    """Without any iterator the stream gives the outcome, its output, or raises as run does."""
    assert OSLO == door.settle(Agent(City), model=ScriptedProvider(OSLO)).unwrap()
    failed = door.settle(Agent(City, budget=Budget(output_retries=0)), model=ScriptedProvider("no"))
    assert isinstance(failed, Failure)
    assert "no_output" == failed.report.code


def test_output_raises_as_run() -> None:
    """`output` raises RunFailed with the report."""
    agent = Agent(City, model=ScriptedProvider(Refusal("No.")))
    with agent.stream("Go.") as stream, pytest.raises(RunFailed, match="refused"):
        stream.output()

    async def main() -> None:
        async with Agent(City, model=ScriptedProvider(Refusal("No."), OSLO)).astream("Go.") as stream:
            with pytest.raises(RunFailed, match="refused"):
                await stream.output()
        async with Agent(City, model=ScriptedProvider(OSLO)).astream("Go.") as stream:
            assert OSLO == await stream.output()

    asyncio.run(main())


def test_nothing_is_sent_before_the_first_pull() -> None:
    """Making a stream, and leaving it unread, asks nobody; it ends as cancelled."""
    fake = ScriptedProvider(OSLO)
    with Agent(City, model=fake).stream("Go.") as stream:
        stream.events()
    assert ([], "cancelled") == (fake.requests, failed_code(stream.outcome()))


def failed_code(outcome: Success[Any] | Failure[Any]) -> str:
    """The code of a failure."""
    assert isinstance(outcome, Failure)
    return outcome.report.code


@by_both
def test_observers_hear_of_a_stream(door: Door) -> None:
    """Observers are told the same as of any run."""
    heard: list[object] = []
    door.settle(Agent(City, observers=[heard.append]), model=ScriptedProvider(OSLO))
    assert isinstance(heard[0], RunStarted)
    assert isinstance(heard[-1], RunEnded)
    assert 3 == len(heard)


@by_both
def test_usage_is_counted_reply_by_reply(door: Door) -> None:
    """A step tells its usage, and the outcome the sum."""
    used = Usage(requests=1, input_tokens=9, output_tokens=4)
    reply = ModelResponse.of('{"name":"Oslo","people":700000}').changed(usage=used)
    seen = door.see(Agent(City, mode="native"), "events", model=ScriptedProvider(reply))
    (step,) = [event for event in seen.values if isinstance(event, StepFinished)]
    assert used == step.usage == seen.outcome.usage  # type: ignore[union-attr]


def test_one_consumer_at_a_time() -> None:
    """A second iterator is refused while the first is under way, and allowed once that is dropped or at its end."""
    with Agent(list[int], model=ScriptedProvider([1, 2, 3], chunk=2)).stream("Go.") as stream:
        first = stream.items()
        assert 1 == next(first)
        with pytest.raises(MisuseError, match="one consumer at a time"):
            next(stream.drafts())
        with pytest.raises(MisuseError, match="one consumer at a time"):
            stream.field("[0]", int)
        del first
        assert [1, 2, 3] == [*stream.items()]
        assert [1, 2, 3] == [*stream.items()]
        assert [[1, 2, 3]] == [draft.data for draft in stream.drafts()]


def test_a_late_consumer_sees_the_reply_from_its_beginning() -> None:
    """Events are told from the moment they are asked for; drafts and items start at the beginning of the reply."""
    with Agent(list[int], mode="native", model=ScriptedProvider([10, 20, 30], chunk=3)).stream("Go.") as stream:
        for draft in stream.drafts():
            if draft.data == [10, 20]:
                break
        names = [type(event).__name__ for event in stream.events()]
    assert 1 == names.count("StepFinished")
    assert [] == [*stream.events()]


@pytest.mark.parametrize("word", ["events", "drafts"])
def test_two_tasks_are_refused(word: str) -> None:
    """A task that pulls while another one does is told so."""

    async def main() -> None:
        async with Agent(City, model=Slow(OSLO)).astream("Go.") as stream:
            reading = asyncio.create_task(stream.outcome())
            await asyncio.sleep(0)
            with pytest.raises(MisuseError, match="another thread or task"):
                await getattr(stream, word)().__anext__()
            assert OSLO == (await reading).unwrap()

    asyncio.run(main())


class Slow(ScriptedProvider):
    """A model that lets others work between two parts."""

    async def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
        """The answer."""
        for part in super().stream(request, timeout=timeout):
            await asyncio.sleep(0.001)
            yield part


Making: TypeAlias = Callable[[Agent[Any, Any]], object]
WRONG: Mapping[str, tuple[Making, str]] = {
    "restart": (lambda agent: agent.stream("Go.", restart=cast("Any", "never")), "restart='never'"),
    "no list": (lambda agent: cast("Any", agent.stream("Go.")).items(), "items() without a path is for outputs that are a list"),
    "no type": (lambda agent: cast("Any", agent.stream("Go.")).items("a"), "needs the type of the items"),
    "no path": (lambda agent: agent.stream("Go.").items("a[", int), "path 'a['"),
    "no way": (lambda agent: cast("Any", agent.stream("Go.")).items("a", int, on_item_error="log"), "on_item_error='log'"),
}


@pytest.mark.parametrize("made, words", WRONG.values(), ids=WRONG)
def test_misuse_is_told_before_anything_is_sent(made: Making, words: str) -> None:
    """Wrong arguments are refused at once, in words."""
    fake = ScriptedProvider()
    with pytest.raises(MisuseError) as refused:
        made(Agent(City, model=fake))
    assert words in str(refused.value)
    assert [] == fake.requests


class Odd(ScriptedProvider):
    """A provider whose stream is none."""

    def __init__(self, given: Any) -> None:
        super().__init__(OSLO)
        self._given = given

    def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Any:
        """What it was given."""
        return self._given()

    def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Any:
        """What it was given."""
        return self._given()


async def coroutine() -> None:
    """No stream."""


@pytest.mark.parametrize(
    "given, words",
    [
        (lambda: [1], "stream is a list"),
        (coroutine, "stream is a coroutine"),
        (lambda: iter(["text"]), "gave str, which is no part"),
    ],
    ids=["list", "coroutine", "other parts"],
)
@by_both
def test_a_provider_that_does_not_stream_right(door: Door, given: Any, words: str) -> None:
    """A provider whose stream is no stream of parts is told so, and so is every later question about the end."""
    with pytest.raises(MisuseError, match=words):
        door.settle(Agent(City), model=Odd(given))
    with Agent(City, model=Odd(given)).stream("Go.") as stream:
        for _ in range(2):
            with pytest.raises(MisuseError, match=words):
                stream.outcome()


@by_both
def test_a_stream_without_its_reply(door: Door) -> None:
    """A provider's stream that ends without the whole reply is incomplete."""
    once = Budget(transport_retries=0)
    ended = door.settle(Agent(City, budget=once), model=Odd(lambda: iter(())))
    assert isinstance(ended, Failure)
    assert isinstance(ended.report.stop_reason, Error)
    assert "stream_incomplete" == ended.report.stop_reason.error_type


async def nothing() -> AsyncGenerator[StreamPart, None]:
    """A stream without any part."""
    none: tuple[StreamPart, ...] = ()
    for part in none:
        yield part


@by_both
def test_an_async_stream_without_its_reply(door: Door) -> None:
    """The same of an async one, also across the bridge."""
    model = OnlyAsync(Odd(nothing)) if door.name == "sync" else Odd(nothing)
    ended = door.settle(Agent(City, budget=Budget(transport_retries=0)), model=model)
    assert isinstance(ended, Failure)
    assert isinstance(ended.report.stop_reason, Error)
    assert "stream_incomplete" == ended.report.stop_reason.error_type


WHOLE = ModelResponse.of('{"name":"Oslo","people":700000}')


@by_both
def test_a_provider_that_gives_no_pieces(door: Door) -> None:
    """Of a stream that gives nothing but the whole reply, that is followed."""
    seen = door.see(Agent(City, mode="native"), "events", model=Odd(lambda: iter([WHOLE])))
    assert ["TextDelta", "NodeClosed", "NodeClosed", "NodeClosed", "StepFinished", "Settled"] == seen.names


def chunks(*parts: StreamPart) -> Odd:
    """A model whose stream gives these parts."""
    return Odd(lambda: iter(parts))


@by_both
def test_text_behind_the_output_is_no_output(door: Door) -> None:
    """Text behind the arguments of an output tool is told, and is in no draft."""
    call = ToolCall(id="c1", name="final_result", arguments='{"name":"Oslo","people":700000}')
    whole = ModelResponse(parts=(call, Text(text="[1]")), finish_reason=FinishReason.from_wire("tool_calls"))
    parts = (CallChunk(0, "c1", "final_result", call.arguments), CallChunk(1, "c2", "other", "{}"), TextChunk("[1]"), whole)
    seen = door.see(Agent(City, mode="tool"), "events", model=chunks(*parts))
    assert [TextDelta("[1]")] == [event for event in seen.values if isinstance(event, TextDelta)]
    assert 3 == seen.names.count("NodeClosed")
    assert OSLO == seen.outcome.unwrap()


class CityHall(BaseModel):
    """A city hall."""

    rooms: int


@by_both
def test_a_name_that_is_the_beginning_of_another(door: Door) -> None:
    """A tool whose name turns out to be longer is another output; its arguments are followed from their beginning."""
    call = ToolCall(id="c1", name="final_result_CityHall", arguments='{"rooms":42}')
    whole = ModelResponse(parts=(call,), finish_reason=FinishReason.from_wire("tool_calls"))
    parts = (CallChunk(0, "c1", "final_result_City", '{"ro'), CallChunk(0, "c1", call.name, 'oms":42}'), whole)
    seen = door.see(Agent(City | CityHall, mode="tool"), "drafts", model=chunks(*parts))
    assert {"rooms": 42} == seen.values[-1].data
    assert CityHall(rooms=42) == seen.outcome.unwrap()


def no_json(value: str) -> str:
    """A serializer that fails."""
    raise ValueError("no JSON")


@by_both
def test_an_output_that_json_cannot_carry(door: Door) -> None:
    """Of an output by a tool that cannot be written as JSON, the last draft shows nothing."""

    class Odd(BaseModel):
        name: Annotated[str, PlainSerializer(no_json)]

    def finish() -> Any:
        """End it."""
        return EndRun(Odd(name="Oslo"))

    call = ToolCall(id="c1", name="finish", arguments="{}")
    seen = door.see(Agent(Odd, tools=[finish]), "drafts", model=ScriptedProvider(call))
    assert [None] == [draft.data for draft in seen.values]
    assert isinstance(seen.outcome, Success)


def test_a_long_reply_is_judged_in_a_thread() -> None:
    """As in any async run, a large reply is validated beside the event loop."""
    threads: list[bool] = []

    def note(text: str) -> str:
        threads.append(threading.current_thread() is threading.main_thread())
        return text

    long: Any = Annotated[str, AfterValidator(note)]
    agent: Agent[Any, Any] = Agent(long)
    assert "x" * 100_000 == ASYNC.settle(agent, model=ScriptedProvider("x" * 100_000, chunk=10_000)).unwrap()
    assert [False] == threads


class NoReply(Plain):
    """A provider that answers with something else."""

    def request(self, request: ModelRequest, /, *, timeout: float | None) -> Any:
        """No reply."""
        return "Oslo"


def test_a_provider_without_a_reply() -> None:
    """What a provider gives must be a reply, as in any run."""
    with pytest.raises(MisuseError, match="returned str, not a ModelResponse"):
        SYNC.settle(Agent(City), model=NoReply(ScriptedProvider()))


def test_an_async_stream_at_its_end() -> None:
    """A stream that is over tells nothing more, and its outcome and output stay."""

    async def main() -> None:
        async with Agent(City, model=ScriptedProvider(OSLO)).astream("Go.") as stream:
            assert OSLO == await stream.output()
            assert [] == [event async for event in stream.events()]
            assert [{"name": "Oslo", "people": 700_000}] == [draft.data async for draft in stream.drafts()]
            assert OSLO == await stream.output()

    asyncio.run(main())


def test_reprs_show_nothing() -> None:
    """Neither events nor the stream show content in their repr."""
    with Agent(City, model=ScriptedProvider(OSLO, chunk=4)).stream("A secret?") as stream:
        told = "".join(map(repr, stream.events()))
    assert "Oslo" not in told
    assert "Stream(attempt=1, over=True)" == repr(stream)
    call = ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}')
    assert "ToolStarted(name='look_up')ToolFinished(name='look_up')" == f"{ToolStarted(call)!r}{ToolFinished(call, 'Oslo')!r}"


def test_streams_load_late() -> None:
    """Importing the package, and running an agent, loads nothing of the streaming room but its door."""
    code = "import sys, settled; print([m for m in sys.modules if m.startswith('settled.streaming.')])"
    assert "[]" == subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


class Note(BaseModel):
    """A text and a mark."""

    text: str
    done: bool | None = None


@by_both
def test_scalars_are_shown_when_closed(door: Door) -> None:
    """Numbers, booleans and nulls are not there before the mark behind them."""
    seen = door.see(Agent(Note, mode="native"), "drafts", model=ScriptedProvider('{"text":"a","done":null}', chunk=1))
    assert [{}, {"text": ""}, {"text": "a"}, {"text": "a", "done": None}] == data_of(seen.values)


def test_a_model_that_is_asked_in_a_lower_mode() -> None:
    """After a step down the drafts are those of the mode that the run goes on in."""

    def refuse(request: ModelRequest) -> object:
        if request.output_format is not None and request.output_format.json_schema is not None:
            return ProviderError("invalid_request", "no response_format", feature="response_format")
        return OSLO

    known = Capabilities(json_schema="best_effort", tools="rejected")
    seen = ASYNC.see(Agent(City), "drafts", model=FunctionProvider(refuse, capabilities=known, chunk=4))
    assert {"name": "Oslo", "people": 700_000} == seen.values[-1].data
    assert isinstance(seen.outcome, Success)

"""A streamed run ends as `run` does: every script of the exhaustive suite in single characters, replies cut in two anywhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest
from tests.contract.test_every_script import (
    AFTER_THE_SCRIPT,
    BUDGETS,
    PROMPT,
    REPLIES,
    SCRIPTS,
    Script,
    agent_for,
    check_account,
    expected,
    timeless,
)
from tests.streaming.doors import Door, by_both
from tests.support import RUN_ID, City, Town

from settled import Agent, Budget, FinishReason, GaveUp, ModelRequest, ModelResponse, OutputMode, Reasoning, Text, ToolCall
from settled.recovery.drafts import Draft
from settled.testing import FunctionProvider, Refusal, ScriptedProvider, Truncated
from settled.vocabulary.narrowing import is_list
from settled.vocabulary.streaming import CallChunk, ReasoningChunk, StreamPart, TextChunk


def fake_of(script: Script, mode: OutputMode) -> FunctionProvider:
    """A fake that follows the script in single characters, then refuses for ever."""
    rest = iter(REPLIES[mode][kind] for kind in script)
    return FunctionProvider(lambda _: next(rest, AFTER_THE_SCRIPT), chunk=1)


@pytest.mark.parametrize("longest", [2, pytest.param(4, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
@pytest.mark.parametrize("bounds", list(BUDGETS))
@pytest.mark.parametrize("mode", list(REPLIES))
def test_every_script_streams_to_the_same_end(mode: OutputMode, bounds: str, longest: int) -> None:
    """Each script, streamed one character a chunk, sync and async, sends the same requests and ends in the outcome of `settle`.

    The scripts of three and four replies run with the slow tests.
    """
    scripts = [script for script in SCRIPTS if len(script) <= longest]
    budget = BUDGETS[bounds]
    agent = agent_for(mode, budget)

    async def all_async() -> list[tuple[Any, FunctionProvider]]:
        ends: list[tuple[Any, FunctionProvider]] = []
        for script in scripts:
            fake = fake_of(script, mode)
            async with agent.astream(PROMPT, model=fake, run_id=RUN_ID) as stream:
                ends.append((await stream.outcome(), fake))
        return ends

    for script, (awaited, async_fake) in zip(scripts, asyncio.run(all_async()), strict=True):
        where = f"{mode}, {bounds}: {' '.join(script)}"
        whole_fake, fake = fake_of(script, mode), fake_of(script, mode)
        whole = timeless(agent.settle(PROMPT, model=whole_fake, run_id=RUN_ID))
        with agent.stream(PROMPT, model=fake, run_id=RUN_ID) as stream:
            drafts = [*stream.drafts()]
            streamed = timeless(stream.outcome())
        check_account(expected(script, budget), streamed, fake.requests, where)
        assert whole == streamed == timeless(awaited), where
        assert whole_fake.requests == fake.requests == async_fake.requests, where
        if script[0] == "good":
            assert drafts[-1].state() == "closed", where


OSLO = '{"name":"Oslo","people":700000}'
CALL = FinishReason.from_wire("tool_calls")


def reply(*parts: Any, finish: str = "stop") -> ModelResponse:
    """One answer."""
    made = tuple(Text(text=part) if isinstance(part, str) else part for part in parts)
    return ModelResponse(parts=made, finish_reason=FinishReason.from_wire(finish))


def call(name: str, arguments: str, id: str = "c1") -> ToolCall:
    """One call."""
    return ToolCall(id=id, name=name, arguments=arguments)


SPLIT: Mapping[str, tuple[Any, OutputMode, Any]] = {
    "native": (City, "native", reply(OSLO)),
    "escapes": (City, "native", reply('{"name":"\\u00c5s \\ud83e\\udd8a \\"x\\"","people":1}')),
    "a list in a frame": (list[City], "native", reply(f'{{"value":[{OSLO},{OSLO}]}}')),
    "a choice in a frame": (City | Town, "native", reply(f'{{"value":{{"kind":"final_result_City","data":{OSLO}}}}}')),
    "prompted, in a fence": (City, "prompted", reply(f"Here it is [1]:\n```json\n{OSLO}\n```\nAnything else?")),
    "prompted, tagged": (City | Town, "prompted", reply(f'{{"kind":"final_result_City","data":{OSLO}}}')),
    "prompted, with defects": (City, "prompted", reply("{'name': 'Oslo', people: 700000,}")),
    "prompted, behind reasoning": (City, "prompted", reply(f"<think>{{so}} [1]</think>{OSLO}")),
    "a number": (int, "prompted", reply("700000")),
    "text": (str, "text", reply("<think>Hm.</think>\n\nOslo, of course.")),
    "reasoning apart": (City, "native", reply(Reasoning(text="Hm."), OSLO)),
    "a call": (City, "tool", reply(call("final_result", OSLO), finish="tool_calls")),
    "a call with a frame": (list[int], "tool", reply(call("final_result", '{"value":[1,22,3]}'), finish="tool_calls")),
    "a call of a member": (City | Town, "tool", reply(call("final_result_City", OSLO), finish="tool_calls")),
    "two calls": (City, "tool", reply(call("final_result", OSLO), call("final_result", OSLO, "c2"), finish="tool_calls")),
    "text beside a call": (City, "tool", reply('{"name":"Bergen"}', call("final_result", OSLO), finish="tool_calls")),
    "text for a call": (City, "tool", reply(OSLO)),
    "unfit": (City, "native", reply('{"name":"Oslo","people":"many"}')),
    "nothing": (City, "native", reply("I do not know.")),
    "cut": (City, "native", reply('{"name":"Os', finish="length")),
    "a report": (City, "native", reply('{"value":{"kind":"report_failure","data":{"reason":"closed"}}}')),
}
"""Kinds of reply: the type, the mode, and the answer."""


class Halves(FunctionProvider):
    """A model whose every part comes in two pieces, cut at one place."""

    def __init__(self, answer: ModelResponse, place: int) -> None:
        super().__init__(lambda _: answer, chunk=100_000)
        self._place = place

    def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Any:
        """The answer."""
        for part in super().stream(request, timeout=timeout):
            yield from halves(part, self._place)


def halves(part: StreamPart, place: int) -> list[StreamPart]:
    """A part in two."""
    if isinstance(part, TextChunk):
        return [TextChunk(part.text[:place]), TextChunk(part.text[place:])]
    if isinstance(part, ReasoningChunk):
        return [ReasoningChunk(part.text[:place]), ReasoningChunk(part.text[place:])]
    if isinstance(part, CallChunk):
        first = part._replace(arguments=part.arguments[:place], name=part.name[:place])
        return [first, part._replace(arguments=part.arguments[place:])]
    return [part]


def length_of(answer: ModelResponse) -> int:
    """The longest text in it."""
    return max(len(part.arguments if isinstance(part, ToolCall) else getattr(part, "text", "")) for part in answer.parts)


@pytest.mark.parametrize("form, mode, answer", SPLIT.values(), ids=SPLIT)
def test_split_in_two_anywhere(form: Any, mode: OutputMode, answer: ModelResponse) -> None:
    """However a reply is cut in two, the outcome is that of the whole, and the last draft is what was validated."""
    agent: Agent[Any, Any] = Agent(
        form, mode=mode, failure_type=GaveUp if "report" in str(answer) else None, budget=Budget(output_retries=0)
    )
    whole = timeless(agent.settle(PROMPT, model=ScriptedProvider(answer), run_id=RUN_ID))
    for place in range(length_of(answer) + 1):
        with agent.stream(PROMPT, model=Halves(answer, place), run_id=RUN_ID) as stream:
            drafts: list[Draft] = [*stream.drafts()]
            streamed = timeless(stream.outcome())
        assert whole == streamed, place
        if not hasattr(whole, "report"):
            assert plain(whole.unwrap()) == drafts[-1].data, place


def plain(value: Any) -> Any:
    """A value as JSON data."""
    return value.model_dump() if hasattr(value, "model_dump") else [*map(plain, value)] if is_list(value) else value


@pytest.mark.row("S17")
@by_both
def test_s17_the_reply_counts_and_not_its_pieces(door: Door) -> None:
    """The outcome is made of the whole reply; pieces that say something else are only drafts."""

    class Lying(ScriptedProvider):
        def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Any:
            yield TextChunk('{"name":"Bergen","people":1}')
            yield self.request(request, timeout=timeout)

        async def astream(self, request: ModelRequest, /, *, timeout: float | None = None) -> AsyncGenerator[StreamPart, None]:
            for part in self.stream(request, timeout=timeout):
                yield part

    seen = door.see(Agent(City, mode="native"), "drafts", model=Lying(reply(OSLO)))
    assert City(name="Oslo", people=700_000) == seen.outcome.unwrap()
    assert [{"name": "Bergen", "people": 1}, {"name": "Oslo", "people": 700_000}] == [draft.data for draft in seen.values]


@pytest.mark.parametrize("last", [Refusal("No."), Truncated("{")], ids=["refused", "truncated"])
@by_both
def test_s19_ends_by_word(door: Door, last: object) -> None:
    """A refusal and a cut are the same in a stream."""
    whole = Agent(City).settle("Go.", model=ScriptedProvider(last), run_id=RUN_ID)
    assert timeless(whole) == timeless(door.settle(Agent(City), model=ScriptedProvider(last), run_id=RUN_ID))

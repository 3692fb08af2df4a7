"""Streaming runs over real HTTP: the rows S01 to S19 where the runner has a part in them, and what people reported of others."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from tests.providers.doors import completion
from tests.providers.streamed import DONE, EVENTS, calling, chunk, piece, reply, sse
from tests.streaming.doors import ASYNC, SYNC, Door, Seen, by_both
from tests.streaming.test_streams import failed_code
from tests.support import City, faults_in

from settled import Agent, Budget, Capabilities, Failure, Success, Usage
from settled.core.events import ModelReplied
from settled.providers import OpenAIChat, OpenAIResponses
from settled.streaming import NodeClosed, Restarted, StepFinished, TextDelta
from settled.testing import FakeServer, HttpReply
from settled.vocabulary.stop import Error

OSLO = City(name="Oslo", people=700_000)
KNOWN = Capabilities(json_schema="enforced", tools="enforced", stream_usage="enforced")
ONCE = Budget(transport_retries=0, output_retries=0)
SOON: Mapping[str, str] = {"retry-after-ms": "10"}
STOP = chunk({}, "stop")


def texts(*pieces: str) -> list[object]:
    """Pieces of text as chunks, and the end."""
    return [*(chunk({"content": text}) for text in pieces), STOP]


OSLO_TEXT = texts('{"name":"Os', 'lo","people":700', "000}")


@contextmanager
def served(*replies: object, known: Capabilities = KNOWN, **options: Any) -> Generator[OpenAIChat, None, None]:
    """A model behind a server that gives these replies."""
    with FakeServer(*replies, model="m", **options) as server:
        model = OpenAIChat("m", base_url=server.base_url, capabilities=known, max_concurrency=1)
        yield model
        model.close()


def see(door: Door, agent: Agent[Any, Any], look: str, *replies: object, known: Capabilities = KNOWN, **options: Any) -> Seen:
    """What a consumer sees of a stream from a server."""
    with served(*replies, known=known) as model:
        return door.see(agent, look, model=model, **options)


def settle(door: Door, agent: Agent[Any, Any], *replies: object, known: Capabilities = KNOWN) -> Any:
    """How a streamed run ends."""
    with served(*replies, known=known) as model:
        return door.settle(agent, model=model)


def error_of(outcome: Success[Any] | Failure[Any]) -> Error:
    """The error that a run ended by."""
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.report.stop_reason, Error), outcome.report.code
    return outcome.report.stop_reason


@pytest.mark.row("S01")
def test_s01_cut_at_every_byte() -> None:
    """Wherever a stream breaks off, it is a value only behind the server's word for the end, else a typed failure."""
    body = sse(*OSLO_TEXT)
    told = body.index(b'"finish_reason":"stop"')
    agent = Agent(City, mode="native", budget=ONCE)
    cuts = [HttpReply(headers=EVENTS, body=body, pieces=(9999,), cut_after=size) for size in range(1, len(body))]
    with served(*cuts) as model:
        for size in range(1, len(body)):
            with agent.stream("Go.", model=model) as stream:
                for _ in stream.drafts():
                    pass
                outcome = stream.outcome()
            if isinstance(outcome, Success):
                assert size > told
            else:
                assert error_of(outcome).error_type in ("stream_incomplete", "connection")


@pytest.mark.row("S02")
@by_both
def test_s02_split_anywhere(door: Door) -> None:
    """Cut into single bytes, within characters and line ends too, the outcome and the last draft are the same."""
    body = sse(*texts('{"name":"Ås 🦊","peo', 'ple":1}')).replace(b"\n", b"\r\n")
    seen = see(door, Agent(City, mode="native"), "drafts", HttpReply(headers=EVENTS, body=body, pieces=(1,)))
    assert City(name="Ås 🦊", people=1) == seen.outcome.unwrap()
    assert {"name": "Ås 🦊", "people": 1} == seen.values[-1].data


@pytest.mark.row("S05")
@by_both
def test_s05_an_error_in_the_stream(door: Door) -> None:
    """An error event ends the run with its message, what was shown stays shown, and usage that came before is unknown."""
    failing = reply(*OSLO_TEXT[:2], {"error": {"message": "oops", "code": "server_error"}})
    seen = see(door, Agent(City, mode="native", budget=ONCE), "events", failing)
    error = error_of(seen.outcome)
    assert "server" == error.error_type
    assert "oops" in error.message
    assert [(("name",), "Oslo")] == [(event.path, event.value) for event in seen.values if isinstance(event, NodeClosed)]


@pytest.mark.row("S06")
@by_both
def test_s06_silence(door: Door) -> None:
    """A server that sends nothing but comments is given up when the run's time is over."""
    silent = HttpReply(headers=EVENTS, events=(b": wait\n\n",) * 400, pause=0.02)
    began = time.monotonic()
    outcome = settle(door, Agent(City, budget=Budget(max_duration=2.0, transport_retries=0)), silent)
    assert "time_limit" == failed_code(outcome)
    assert time.monotonic() - began < 5.0


@pytest.mark.row("S08")
@by_both
def test_s08_no_json(door: Door) -> None:
    """An event that is no JSON is a fault of the server, typed."""
    broken = HttpReply(headers=EVENTS, events=(b"data: {oops\n\n",))
    assert "bad_response" == error_of(settle(door, Agent(City, budget=ONCE), broken)).error_type


@pytest.mark.row("S10")
@by_both
def test_s10_a_whole_reply(door: Door) -> None:
    """A server that answers with a whole reply, though a stream was asked for, is followed as one."""
    seen = see(door, Agent(City, mode="native"), "drafts", HttpReply(body=completion('{"name":"Oslo","people":700000}')))
    assert OSLO == seen.outcome.unwrap()
    assert {"name": "Oslo", "people": 700_000} == seen.values[-1].data


@pytest.mark.row("S11")
@by_both
def test_s11_calls_in_pieces(door: Door) -> None:
    """The name of an output tool may come late: its arguments are followed from their beginning."""
    events = [
        calling(piece('{"na', index=0, id="c1")),
        calling(piece('me":"Oslo",', index=0, name="final_result")),
        calling(piece('"people":700000}', index=0)),
        chunk({}, "tool_calls"),
    ]
    seen = see(door, Agent(City, mode="tool"), "events", reply(*events))
    closed = [event.path for event in seen.values if isinstance(event, NodeClosed)]
    assert OSLO == seen.outcome.unwrap()
    assert [("name",), ("people",), ()] == closed


@pytest.mark.row("S12")
@by_both
def test_s12_b58_usage_of_a_stream(door: Door) -> None:
    """Usage in the last chunk is counted; where it never comes, it is unknown, and a token limit then ends the run."""
    used: dict[str, object] = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}
    seen = see(door, Agent(City, mode="native"), "events", reply(*OSLO_TEXT, used))
    (step,) = [event for event in seen.values if isinstance(event, StepFinished)]
    assert (9, 4) == (step.usage.input_tokens, step.usage.output_tokens)
    assert isinstance(seen.outcome, Success)
    usage: Usage = seen.outcome.usage
    assert (9, 4, True) == (usage.input_tokens, usage.output_tokens, usage.complete)
    bare = settle(door, Agent(City, mode="native"), reply(*OSLO_TEXT))
    assert (None, None, False) == (bare.usage.input_tokens, bare.usage.output_tokens, bare.usage.complete)
    limited = Agent(City, mode="native", budget=Budget(max_total_tokens=1000))
    stopped = settle(door, limited, reply(*texts('{"name":"Oslo"}')))
    assert "usage_unknown" == stopped.report.code


@pytest.mark.row("S13", "F8")
@by_both
def test_s13_f8_one_end(door: Door) -> None:
    """What a server sends behind the end is not read; there is one StepFinished, with the first reason, and it is last."""
    more = reply(*OSLO_TEXT, chunk({}, "length"), end=DONE + sse(chunk({"content": "more"}), chunk({}, "length")))
    seen = see(door, Agent(City, mode="native"), "events", more)
    assert ["StepFinished", "Settled"] == seen.names[-2:]
    steps = [event for event in seen.values if isinstance(event, StepFinished)]
    assert ["stop"] == [step.finish_reason.kind for step in steps]
    assert OSLO == seen.outcome.unwrap()


@pytest.mark.row("S15")
@pytest.mark.parametrize("way", ["break", "error"])
@by_both
def test_s15_the_connection_goes_back(door: Door, way: str) -> None:
    """Who leaves a stream early gives back its place: a model with room for one request answers the next one."""
    endless = HttpReply(headers=EVENTS, events=(sse(chunk({"content": "Oslo "}), end=b""),) * 2000, pause=0.005)
    began = time.monotonic()
    with served(endless, "Oslo") as model:
        agent = Agent(str, model=model)
        if door.is_async:
            asyncio.run(left_async(agent, way))
        else:
            left(agent, way)
        assert "Oslo" == agent.run("Go.")
    assert time.monotonic() - began < 3.0


def left(agent: Agent[str], way: str) -> None:
    """A consumer that leaves."""
    stream = agent.stream("Go.")
    try:
        with stream:
            for _ in stream.drafts():
                if way == "error":
                    raise KeyError(way)
                break
    except KeyError:
        pass
    assert isinstance(ended := stream.outcome(), Failure)
    assert "cancelled" == ended.report.code


async def left_async(agent: Agent[str], way: str) -> None:
    """The same in an event loop."""
    stream = agent.astream("Go.")
    try:
        async with stream:
            async for _ in stream.drafts():
                if way == "error":
                    raise KeyError(way)
                break
    except KeyError:
        pass
    assert isinstance(ended := await stream.outcome(), Failure)
    assert "cancelled" == ended.report.code


@pytest.mark.row("S17")
@by_both
def test_s17_b43_run_and_stream_agree(door: Door) -> None:
    """The same words give the same value, usage and history, streamed or not."""

    class Fruit(BaseModel):
        colours: dict[str, str]

    payload = '{"colours":{"plum":"blue"}}'
    call = {"id": "c1", "type": "function", "function": {"name": "final_result", "arguments": payload}}
    usage = {"prompt_tokens": 9, "completion_tokens": 4}
    whole = {
        "id": "r1", "object": "chat.completion", "model": "m", "usage": usage,
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}],
    }  # fmt: skip
    pieces = [calling(piece(payload[:9], index=0, id="c1", name="final_result")), calling(piece(payload[9:], index=0))]
    streamed = reply(*pieces, chunk({}, "tool_calls"), {"choices": [], "usage": usage})
    agent = Agent(Fruit, mode="tool")
    with served(HttpReply(headers={"content-type": "application/json"}, body=json.dumps(whole)), streamed) as model:
        once: Any = agent.settle("Go.", model=model, run_id="r")
        again: Any = door.settle(agent, model=model, run_id="r")
    assert (once.output, once.usage, once.messages) == (again.output, again.usage, again.messages)


@pytest.mark.row("S18")
@by_both
def test_s18_a_cut_stream_is_sent_for_again(door: Door) -> None:
    """A stream that is cut is asked for again, and the consumer is told to discard what it saw."""
    cut = HttpReply(headers={**EVENTS, **SOON}, body=sse(*OSLO_TEXT), pieces=(9999,), cut_after=300)
    seen = see(door, Agent(City, mode="native"), "events", cut, reply(*OSLO_TEXT))
    assert [Restarted(2, "stream_incomplete")] == [event for event in seen.values if isinstance(event, Restarted)]
    assert isinstance(seen.outcome, Success)
    assert (OSLO, 1, 1) == (seen.outcome.output, seen.outcome.usage.requests, seen.outcome.usage.uncertain_requests)


@pytest.mark.row("S19")
@by_both
def test_s19_b44_a_refusal(door: Door) -> None:
    """Pieces of a refusal add up to the reason that a run without a stream gives; so does a filter."""

    class Recipe(BaseModel):
        steps: list[str]

    refused = reply(chunk({"refusal": "I can't "}), chunk({"refusal": "help."}), STOP)
    report = settle(door, Agent(Recipe, mode="native"), refused).report
    assert ("refused", "I can't help.", 1) == (report.code, report.stop_reason.text, len(report.attempts))
    filtered = reply(*OSLO_TEXT[:2], chunk({}, "content_filter"))
    assert "content_filtered" == settle(door, Agent(City, mode="native"), filtered).report.code


@by_both
def test_responses_stream_too(door: Door) -> None:
    """Over the Responses API a run streams in the same way."""
    with FakeServer([OSLO], model="m", chunk=4) as server:
        model = OpenAIResponses("m", base_url=server.base_url, capabilities=KNOWN)
        seen = door.see(Agent(list[City]), "items", model=model)
        model.close()
    assert [OSLO] == seen.values == seen.outcome.unwrap()


# ------------------------------------------------------------------------------------------------- what people reported


class Ticket(BaseModel):
    """A ticket."""

    level: Literal["minor", "major"]
    text: str


@pytest.mark.row("S14")
@by_both
def test_s14_b35_a_choice_is_not_shown_in_halves(door: Door) -> None:
    """A choice is not in a draft before it is closed; a text grows."""
    seen = see(door, Agent(Ticket, mode="native"), "drafts", reply(*texts('{"level":"ma', 'jor","text":"le', 'ak"}')))
    assert [{}, {"level": "major", "text": "le"}, {"level": "major", "text": "leak"}] == [draft.data for draft in seen.values]
    assert Ticket(level="major", text="leak") == seen.outcome.unwrap()


@by_both
def test_b37_an_object_inside_grows(door: Door) -> None:
    """An object inside is shown with what is closed of it."""

    class Person(BaseModel):
        name: str

    class Meet(BaseModel):
        host: Person
        day: str

    seen = see(door, Agent(Meet, mode="native"), "drafts", reply(*texts('{"host":{"na', 'me":"Bo"},"day":"Tue"}')))
    assert [{"host": {}}, {"host": {"name": "Bo"}, "day": "Tue"}] == [draft.data for draft in seen.values]
    assert Meet(host=Person(name="Bo"), day="Tue") == seen.outcome.unwrap()


class Note(BaseModel):
    """A note."""

    text: str


@by_both
def test_b38_an_end_without_a_word(door: Door) -> None:
    """A stream that ends without reason and mark is incomplete; with the mark alone only where the server is known for it."""
    half = reply(*texts('{"text":"half a sent')[:1], end=b"")
    assert "stream_incomplete" == error_of(settle(door, Agent(Note, mode="native", budget=ONCE), half)).error_type
    optional = KNOWN.changed(finish_optional_in_stream=True)
    all_of_it = reply(*texts('{"text":"all"}')[:1])
    assert Note(text="all") == settle(door, Agent(Note, mode="native", budget=ONCE), all_of_it, known=optional).unwrap()


@by_both
def test_b40_events_without_data(door: Door) -> None:
    """Events that only say how long to wait, and comments, are nothing."""

    class Beat(BaseModel):
        n: int

    events = (b"retry: 3000\n\n", b": keep-alive\n\n", sse(*texts('{"n":4}')))
    assert Beat(n=4) == settle(door, Agent(Beat, mode="native"), HttpReply(headers=EVENTS, events=events)).unwrap()


@by_both
def test_b41_two_calls_on_one_index(door: Door) -> None:
    """A new id is a new call, also under the same index: both run, and both ids are answered."""
    added: list[str] = []

    def add(sku: str) -> str:
        """Add it."""
        added.append(sku)
        return "added " + sku

    both = reply(
        calling(piece('{"sku":"A"}', index=0, id="m1", name="add")),
        calling(piece('{"sku":"B"}', index=0, id="m2", name="add")),
        chunk({}, "tool_calls"),
    )
    outcome = settle(door, Agent(str, tools=[add]), both, reply(*texts("both added")))
    assert ("both added", ["A", "B"]) == (outcome.unwrap(), sorted(added))
    assert [] == faults_in(outcome.messages)
    assert ["m1", "m2"] == [result.call_id for step in outcome.steps for result in step.tool_results]


@by_both
def test_b26_a_cut_call_is_not_mended(door: Door) -> None:
    """A call that breaks off, in a stream that claims to be whole, leaves it incomplete; nothing completes the call."""

    class Stock(BaseModel):
        qty: int
        bin: str = "none"

    cut = reply(calling(piece('{"qty":3', index=0, id="c1", name="final_result")), chunk({}, "tool_calls"))
    seen = see(door, Agent(Stock, mode="tool", budget=ONCE), "drafts", cut)
    assert "stream_incomplete" == error_of(seen.outcome).error_type
    assert all(draft.data == {} for draft in seen.values)


def test_parity_of_observers() -> None:
    """A stream tells observers the same events in the same order as a run."""

    def kinds(door: Door | None) -> list[type]:
        heard: list[object] = []
        agent = Agent(City, mode="native", observers=[heard.append])
        with served("no", OSLO) as model:
            if door is None:
                agent.settle("Go.", model=model)
            else:
                door.settle(agent, model=model)
        return [type(event) for event in heard]

    whole = kinds(None)
    assert 2 == whole.count(ModelReplied)
    assert whole == kinds(SYNC) == kinds(ASYNC)


@by_both
def test_text_comes_while_it_is_written(door: Door) -> None:
    """The first piece is told long before the server has written the last."""
    slow = HttpReply(headers=EVENTS, events=tuple(sse(one, end=b"") for one in texts("Os", "lo", ", I", " th", "ink")), pause=0.1)
    began = time.monotonic()
    with served(slow) as model:
        seen = door.see(Agent(str), "drafts", model=model, most=1)
        first = seen.values[0].data
    assert "Os" == first
    assert time.monotonic() - began > 0.4
    assert not isinstance(first, TextDelta)

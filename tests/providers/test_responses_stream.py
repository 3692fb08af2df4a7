"""Streamed Responses: the last event is read as a reply in one piece, and the pieces before it are what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import OpenAI
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json
from tests.providers.streamed import Read, StreamDoor, by_each_stream, read, sse, take

from settled import Capabilities, FinishReason, Message, ModelRequest, ModelResponse, Reasoning, Text, ToolCall, Usage
from settled.providers import OpenAIResponses
from settled.providers.responses_envelope import read_response
from settled.testing import FakeServer
from settled.testing.responding import responded
from settled.testing.response_events import response_events
from settled.vocabulary.streaming import CallChunk, ReasoningChunk, TextChunk

KNOWN = Capabilities()
JSON = {"content-type": "application/json"}


def ended(word: str, *parts: Any, refusal: str | None = None) -> ModelResponse:
    """A response of these parts."""
    return ModelResponse(parts=parts, finish_reason=FinishReason.from_wire(word), refusal=refusal)


SCRIPTS: Mapping[str, ModelResponse] = {
    "text": ended("stop", Text(text="The capital of Norway is Oslo. 🦊")),
    "cut": ended("length", Text(text='{"name": "Os')),
    "filtered": ended("content_filter", Text(text='{"name": "Os')),
    "nothing": ended("stop"),
    "refusal": ended("stop", refusal="I cannot say that."),
    "everything": ended(
        "stop",
        Reasoning(text="Let me see.", id="rs_1", signature="gAAA"),
        Reasoning(text="Looking.", phase="commentary"),
        Text(text="It is Oslo.", phase="final_answer"),
        ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}'),
        ToolCall(id="c2", name="now", arguments=""),
    ),
}


def written(name: str, size: int) -> bytes:
    """The stream of a script."""
    return b"".join(response_events(SCRIPTS[name], place=1, model="m", size=size))


def read_events(*events: Mapping[str, object], end: bytes = b"", known: Capabilities = KNOWN) -> Read:
    """What is read in these events."""
    return read(sse(*events, end=end), api=OpenAIResponses, known=known)


def done(status: str = "completed", **fields: object) -> dict[str, object]:
    """The last event."""
    return {"type": f"response.{status}", "response": {"status": status, "model": "m", **fields}}


def delta(kind: str, text: object, **fields: object) -> dict[str, object]:
    """A piece of the first item, unless told otherwise."""
    return {"type": f"response.{kind}.delta", "output_index": 0, "delta": text, **fields}


def added(kind: str, place: object = 0, **fields: object) -> dict[str, object]:
    """An item begins."""
    return {"type": "response.output_item.added", "output_index": place, "item": {"type": kind, **fields}}


def completed(kind: str, place: object = 0, **fields: object) -> dict[str, object]:
    """An item is whole."""
    return {**added(kind, place, **fields), "type": "response.output_item.done"}


@pytest.mark.row("S17")
@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_s17_the_same_as_in_one_piece(name: str, size: int) -> None:
    """The whole reply is what `request` reads in the reply in one piece, and the pieces are what it holds."""
    made = read(written(name, size), api=OpenAIResponses).adds_up()
    body = to_json(responded(SCRIPTS[name], place=1, model="m"))
    assert read_response(body, JSON, KNOWN, "m").model_dump() == made.whole.model_dump()


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_fake_writes_what_the_sdk_reads(name: str) -> None:
    """Each event of the fake server fits the types of the SDK, and they are numbered."""
    adapter: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    blocks = response_events(SCRIPTS[name], place=1, model="m", size=5)
    events = [adapter.validate_python(from_json(block.partition(b"data: ")[2])) for block in blocks]
    assert list(range(len(events))) == [event.sequence_number for event in events]
    assert [f"event: {event.type}" for event in events] == [block.partition(b"\n")[0].decode() for block in blocks]


def test_the_sdk_reads_it_over_a_socket() -> None:
    """The SDK's own stream ends with the Response."""
    with FakeServer("Hei du", chunk=3) as server, OpenAI(base_url=server.base_url, api_key="any") as client:
        events = list(client.responses.create(model="m", input="?", stream=True))
    assert ["Hei", " du"] == [event.delta for event in events if event.type == "response.output_text.delta"]
    last = events[-1]
    assert last.type == "response.completed"
    assert "Hei du" == last.response.output_text


@pytest.mark.parametrize("word, kind", [("failed", "server"), ("queued", "other")])
def test_other_ends_of_the_fake(word: str, kind: str) -> None:
    """A script that fails ends in the event for it; a status that no event is named for comes in the usual one."""
    script = ended(word) if word == "queued" else ended("error")
    made = read(b"".join(response_events(script, place=1, model="m", size=5)), api=OpenAIResponses)
    assert kind == (made.failure.kind if made.error else made.whole.finish_reason.kind)


@given(st.sampled_from(sorted(SCRIPTS)), st.integers(1, 9), st.lists(st.integers(0, 200), max_size=60))
def test_any_pieces_give_the_same_reply(name: str, size: int, sizes: list[int]) -> None:
    """However the bytes are cut, the parts together and the whole reply are those of the uncut stream."""
    stream = written(name, size)
    uncut, cut = read(stream, api=OpenAIResponses), read(stream, sizes, api=OpenAIResponses)
    assert (uncut.parts, uncut.whole) == (cut.parts, cut.whole)


@pytest.mark.row("S01")
@pytest.mark.parametrize("name", ["text", "cut", "everything"])
def test_s01_cut_off_anywhere(name: str) -> None:
    """A stream that ends anywhere is incomplete, and never a reply, unless its last event is there."""
    stream = written(name, 9)
    end = stream.rindex(b"\n\n")
    for cut in [*range(0, end, 7), *range(end - 40, end)]:
        assert "stream_incomplete" == read(stream[:cut], api=OpenAIResponses).failure.kind
    assert read(stream, api=OpenAIResponses) == read(stream[:end], api=OpenAIResponses)


@pytest.mark.row("S04")
def test_s04_only_the_mark_of_the_end() -> None:
    """A mark of the end says nothing without the last event."""
    assert "stream_incomplete" == read_events(delta("output_text", "7"), end=b"data: [DONE]\n\n").failure.kind


CASES: Mapping[str, tuple[Sequence[dict[str, object]], Sequence[object], tuple[object, ...]]] = {
    "names of events alone": (
        [{**delta("output_text", "7"), "type": "response.output_text.delta"}, done()],
        [TextChunk("7")],
        (Text(text="7"),),
    ),
    "no output at the end": (
        [
            added("reasoning", 0, id="rs_1"),
            delta("reasoning_text", "H"),
            delta("reasoning_text", "m"),
            added("message", 1, phase="final_answer"),
            delta("output_text", "7", output_index=1),
            delta("refusal", "no", output_index=1),
            added("function_call", 2, call_id="c1", name="f"),
            delta("function_call_arguments", "{}", output_index=2),
            done(output=[]),
        ],
        [ReasoningChunk("H"), ReasoningChunk("m"), TextChunk("7"), CallChunk(0, "c1", "f", ""), CallChunk(0, "c1", "f", "{}")],
        (
            Reasoning(text="Hm", id="rs_1"),
            Text(text="7", phase="final_answer"),
            ToolCall(id="c1", name="f", arguments="{}"),
        ),
    ),
    "no output at the end, whole items": (
        [
            added("message"),
            delta("output_text", "7"),
            completed("message", content=[{"type": "output_text", "text": "7!"}]),
            done(output=None),
        ],
        [TextChunk("7"), TextChunk("!")],
        (Text(text="7!"),),
    ),
    "no pieces": (
        [
            done(
                output=[
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]},
                    {"type": "message", "content": "7"},
                    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": ""},
                ]
            )
        ],
        [ReasoningChunk("Hm"), TextChunk("7"), CallChunk(0, "c1", "f", "")],
        (Reasoning(text="Hm"), Text(text="7"), ToolCall(id="c1", name="f", arguments="")),
    ),
    "no pieces of a call": (
        [
            added("function_call", id="fc_1", name="f"),
            done(output=[{"type": "function_call", "id": "fc_1", "name": "f", "arguments": "{}"}]),
        ],
        [CallChunk(0, "fc_1", "f", ""), CallChunk(0, "fc_1", "f", "{}")],
        (ToolCall(id="fc_1", name="f", arguments="{}"),),
    ),
    "other pieces than the whole": (
        [delta("output_text", "8"), done(output=[{"type": "message", "content": "7"}])],
        [TextChunk("8")],
        (Text(text="7"),),
    ),
    "several summaries": (
        [
            delta("reasoning_summary_text", "A", summary_index=0),
            delta("reasoning_summary_text", "b", summary_index=0),
            delta("reasoning_summary_text", "C", summary_index=1),
            delta("reasoning_summary_text", None, summary_index=2),
            done(),
        ],
        [ReasoningChunk("A"), ReasoningChunk("b"), ReasoningChunk("\n\n"), ReasoningChunk("C")],
        (Reasoning(text="Ab\n\nC"),),
    ),
    "items by id, or by no name": (
        [
            {"type": "response.output_text.delta", "item_id": "a", "delta": "7"},
            {"type": "response.output_text.delta", "delta": "8"},
            {"type": "response.output_text.delta", "item_id": "b", "delta": "9"},
            done(),
        ],
        [TextChunk("7"), TextChunk("8"), TextChunk("9")],
        (Text(text="78"), Text(text="9")),
    ),
    "pieces of no kind": (
        [
            delta("output_text", 7),
            delta("output_text", ""),
            delta("reasoning_text", None),
            {"type": "response.output_item.added", "item": None},
            {"type": "response.output_item.done", "item": 7},
            {"type": "response.new_thing", "delta": "x"},
            {"type": "ping"},
            done(output=[{"type": "message", "content": "7"}]),
        ],
        [TextChunk("7")],
        (Text(text="7"),),
    ),
    "a remark on the way": (
        [
            added("message", 0, phase="commentary"),
            delta("output_text", "Looking."),
            completed("message", 0, phase="commentary", content="Looking."),
            added("message", 1, phase="final_answer"),
            delta("output_text", "7", output_index=1),
            done(),
        ],
        [ReasoningChunk("Looking."), TextChunk("7")],
        (Reasoning(text="Looking.", phase="commentary"), Text(text="7", phase="final_answer")),
    ),
    "an item of which nothing came": (
        [added("message", 0, content=[]), added("message", 1), delta("output_text", "7", output_index=1), done()],
        [TextChunk("7")],
        (Text(text="7"),),
    ),
    "no Response in the last event": (
        [delta("output_text", "7"), {"type": "response.completed"}],
        [TextChunk("7")],
        (Text(text="7"),),
    ),
}
"""Events, the parts of the stream, and those of the reply."""


@pytest.mark.parametrize("events, parts, said", CASES.values(), ids=CASES)
def test_what_is_said(events: Sequence[dict[str, object]], parts: Sequence[object], said: tuple[object, ...]) -> None:
    """What a server leaves out is made up for: pieces by the whole, the whole by its pieces."""
    made = read_events(*events)
    assert [(type(part), part) for part in parts] == [(type(part), part) for part in made.parts]
    assert (said, "stop") == (made.whole.parts, made.whole.finish_reason.kind)


def test_a_name_in_place_of_a_type() -> None:
    """An event that has a name only is of that type."""
    stream = b'event: response.output_text.delta\ndata: {"delta":"7"}\n\nevent: response.completed\ndata: {}\n\n'
    assert "7" == read(stream, api=OpenAIResponses).adds_up().text


@pytest.mark.row("S19")
def test_s19_a_refusal_and_a_filter() -> None:
    """A refusal is put together; a filter is the reason of an incomplete Response."""
    refused = read_events(delta("refusal", "I can"), delta("refusal", "not."), done())
    assert ("I cannot.", "", ()) == (refused.whole.refusal, refused.whole.text, refused.parts)
    filtered = read_events(delta("output_text", "{"), done("incomplete", incomplete_details={"reason": "content_filter"}))
    assert ("content_filter", "{") == (filtered.whole.finish_reason.kind, filtered.whole.text)


FAULTS: Mapping[str, tuple[bytes, str, str]] = {
    "failed": (
        sse(done("failed", error={"code": "rate_limit_exceeded", "message": "slow down"}), end=b""), "rate_limited", "slow down",
    ),
    "an error": (sse({"type": "error", "code": "server_error", "message": "oops"}, end=b""), "server", "oops"),
    "an error by its name": (b'event: error\ndata: {"message": "oops"}\n\n', "bad_response", "oops"),
    "an error by its key": (sse({"error": {"message": "oops", "code": 503}}, end=b""), "overloaded", "oops"),
    "no JSON": (b"data: {oops\n\n", "bad_response", "no JSON: 5 bytes"),
    "no object": (b"data: 7\n\n", "bad_response", "a JSON int"),
    "output of no kind": (sse({**done(), "response": {"output": 7}}, end=b""), "bad_response", "no output"),
}  # fmt: skip
"""A stream, the kind of its error, and what that says."""


@pytest.mark.row("S05")
@pytest.mark.parametrize("stream, kind, said", FAULTS.values(), ids=FAULTS)
def test_s05_errors(stream: bytes, kind: str, said: str) -> None:
    """An error in any shape is of the kind that it names, and carries the server's message; what came before it was told."""
    made = read(sse(delta("output_text", "Os"), end=b"") + stream, api=OpenAIResponses)
    assert (kind, "Os") == (made.failure.kind, made.text)
    assert said in made.failure.message


def test_the_usage_of_a_failure() -> None:
    """What a failed Response cost is told with its error."""
    failed = done("failed", error={"code": "server_error", "message": "oops"}, usage={"input_tokens": 5, "output_tokens": 2})
    assert Usage(requests=1, input_tokens=5, output_tokens=2) == read_events(failed).failure.usage


def test_a_cut_call_in_a_response_that_claims_to_be_completed() -> None:
    """Arguments that break off in a completed Response make it incomplete."""
    called = added("function_call", call_id="c1", name="f"), delta("function_call_arguments", '{"a":')
    made = read_events(*called, done(usage={"input_tokens": 5, "output_tokens": 2}))
    assert ("stream_incomplete", False) == (made.failure.kind, made.failure.uncertain)
    assert '{"a":' == read_events(*called, done("incomplete")).whole.tool_calls[0].arguments


def test_a_failure_that_is_a_filter() -> None:
    """A failed Response whose code is that of a filter is a reply that was filtered."""
    made = read_events(done("failed", error={"code": "content_filter", "message": "no"}))
    assert "content_filter" == made.whole.finish_reason.kind


@pytest.mark.parametrize("name", [b"event: error\n", b""], ids=["by its name", "by its shape"])
def test_an_error_that_is_a_filter(name: bytes) -> None:
    """So is an event with such an error."""
    stream = name + b'data: {"error": {"code": "content_filter"}}\n\n'
    assert "content_filter" == read(stream, api=OpenAIResponses).whole.finish_reason.kind


@by_each_stream
def test_over_a_socket(door: StreamDoor) -> None:
    """Texts, thoughts and calls arrive over HTTP; the stream is asked for, and nothing else of it."""
    made = take(door, SCRIPTS["everything"], api=OpenAIResponses).adds_up()
    assert SCRIPTS["everything"].parts == made.whole.parts
    body = made.requests[0].body or {}
    assert ("/v1/responses", True, False) == (made.requests[0].path, body["stream"], "stream_options" in body)


def test_stream_and_request_say_the_same() -> None:
    """The same script, asked for both ways, gives the same response, but for the id of the reply."""
    request = ModelRequest(messages=(Message.user("?"),), mode="text")
    with FakeServer(*[SCRIPTS["everything"]] * 2, chunk=4) as server:
        model = OpenAIResponses("fake", base_url=server.base_url)
        whole = model.request(request)
        *_, last = model.stream(request)
        model.close()
    assert isinstance(last, ModelResponse)
    assert whole.changed(id=last.id) == last

"""Streamed Chat Completions: what their events add up to, with the quirks of all servers; and that `request` gives the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.streamed import (
    TELLS_USAGE,
    StreamDoor,
    by_each_stream,
    calling,
    chunk,
    piece,
    read,
    reply,
    sse,
    take,
)

from settled import Capabilities, ModelResponse, Reasoning, Text, ToolCall, Usage
from settled.providers.call_deltas import CallDeltas
from settled.providers.envelope import read_reply
from settled.testing.completions import completion as whole_body
from settled.testing.completions import events
from settled.vocabulary.streaming import CallChunk, ReasoningChunk, StreamPart, TextChunk

STOP = chunk({}, "stop")
CALLED = chunk({}, "tool_calls")
USAGE: dict[str, object] = {"id": "c1", "model": "m", "choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}
F, G = ("c1", "f", '{"a":1}'), ("c2", "g", '{"b":2}')

QUIRKS: Mapping[str, tuple[Sequence[object], list[tuple[str, str, str]]]] = {
    "as OpenAI sends them": (
        [
            calling(piece("", name="f", index=0, id="c1", type="function")),
            calling(piece('{"a"', index=0)),
            calling(piece(":1}", index=0)),
            calling(piece("", name="g", index=1, id="c2", type="function")),
            calling(piece('{"b":2}', index=1)),
        ],
        [F, G],
    ),
    "no index": (
        [
            calling(piece("", name="f", id="c1")),
            calling(piece('{"a":1}')),
            calling(piece("", name="g", id="c2")),
            calling(piece('{"b":2}')),
        ],
        [F, G],
    ),
    "no index, whole calls in one chunk": (
        [calling(piece('{"a":1}', name="f", id="c1"), piece('{"b":2}', name="g", id="c2"))],
        [F, G],
    ),
    "neither index nor id": (
        [calling(piece('{"a":1}', name="f")), calling(piece('{"b":2}', name="g")), calling(piece('{"b":2}', name="g"))],
        [("", "f", '{"a":1}'), ("", "g", '{"b":2}'), ("", "g", '{"b":2}')],
    ),
    "neither index nor id, in pieces": (
        [calling(piece('{"a"', name="f")), calling(piece(":1}")), calling(piece('{"b"', name="f")), calling(piece(":2}"))],
        [("", "f", '{"a":1}'), ("", "f", '{"b":2}')],
    ),
    "neither index nor id nor arguments": (
        [calling(piece("", name="f"), piece("", name="f")), calling(piece("", name="g"))],
        [("", "f", ""), ("", "f", ""), ("", "g", "")],
    ),
    "neither index nor id, the name repeated": (
        [calling(piece('{"a"', name="f")), calling(piece(":1}", name="f"))],
        [("", "f", '{"a":1}')],
    ),
    "all of index 0, different ids": (
        [
            calling(piece("", name="f", index=0, id="c1")),
            calling(piece('{"a":1}', index=0, id="c1")),
            calling(piece("", name="g", index=0, id="c2")),
            calling(piece('{"b":2}', index=0, id="c2")),
        ],
        [F, G],
    ),
    "all of index 0, ids in the first pieces only": (
        [
            calling(piece('{"a"', name="f", index=0, id="c1")),
            calling(piece(":1}", index=0)),
            calling(piece('{"b"', name="g", index=0, id="c2")),
            calling(piece(":2}", index=0, id="")),
        ],
        [F, G],
    ),
    "all of index 0, no ids": (
        [calling(piece('{"a":1}', name="f", index=0)), calling(piece('{"b":2}', name="g", index=0))],
        [("", "f", '{"a":1}'), ("", "g", '{"b":2}')],
    ),
    "all of index 0, the second name late": (
        [
            calling(piece('{"a":1}', name="f", index=0, id="c1")),
            calling(piece('{"b"', index=0, id="c2")),
            calling(piece(":2}", index=0)),
            calling(piece(name="g", index=0, id="c2")),
        ],
        [F, G],
    ),
    "index from 1": (
        [calling(piece('{"a":1}', name="f", index=1, id="c1")), calling(piece('{"b":2}', name="g", index=2, id="c2"))],
        [F, G],
    ),
    "index out of order": (
        [
            calling(piece('{"a"', name="f", index=1, id="c1")),
            calling(piece('{"b"', name="g", index=0, id="c2")),
            calling(piece(":1}", index=1)),
            calling(piece(":2}", index=0)),
        ],
        [F, G],
    ),
    "index no number": (
        [calling(piece('{"a"', name="f", index="0", id="c1")), calling(piece(":1}", index=None))],
        [F],
    ),
    "index in later pieces only": (
        [
            calling(piece('{"a"', name="f", id="c1")),
            calling(piece(":1}", index=0)),
            calling(piece('{"b":2}', name="g", index=1, id="c2")),
        ],
        [F, G],
    ),
    "id repeated": (
        [calling(piece('{"a"', name="f", index=0, id="c1")), calling(piece(":1}", index=0, id="c1"))],
        [F],
    ),
    "id repeated, no index": (
        [
            calling(piece('{"a"', name="f", id="c1"), piece('{"b"', name="g", id="c2")),
            calling(piece(":1}", id="c1"), piece(":2}", id="c2")),
        ],
        [F, G],
    ),
    "id empty later": (
        [calling(piece('{"a"', name="f", index=0, id="c1")), calling(piece(":1}", index=0, id="", type=""))],
        [F],
    ),
    "id null later": (
        [calling(piece('{"a"', name="f", index=0, id="c1")), calling(piece(":1}", index=0, id=None, type=None))],
        [F],
    ),
    "id late": (
        [calling(piece('{"a"', name="f", index=0)), calling(piece(":1}", index=0, id="c1"))],
        [F],
    ),
    "id late, with the name again": (
        [calling(piece("", name="f", index=0)), calling(piece('{"a":1}', name="f", index=0, id="c1"))],
        [F],
    ),
    "another id in each piece": (
        [calling(piece('{"a"', name="f", index=0, id="c1")), calling(piece(":1}", index=0, id="x7"))],
        [F],
    ),
    "the same id twice": (
        [
            calling(piece('{"a"', name="f", index=0, id="c1"), piece('{"b"', name="g", index=1, id="c1")),
            calling(piece(":1}", index=0, id="c1"), piece(":2}", index=1, id="c1")),
        ],
        [F, ("c1", "g", '{"b":2}')],
    ),
    "name behind the arguments": (
        [calling(piece('{"a":1}', index=0, id="c1")), calling(piece(name="f", index=0))],
        [F],
    ),
    "name repeated": (
        [calling(piece('{"a"', name="f", index=0, id="c1")), calling(piece(":1}", name="f", index=0, id="c1"))],
        [F],
    ),
    "name in two pieces": (
        [
            calling(piece(name="fore", index=0, id="c1")),
            calling(piece(name="cast", index=0)),
            calling(piece("{}", index=0)),
        ],
        [("c1", "forecast", "{}")],
    ),
    "name that grows": (
        [calling(piece(name="fore", index=0, id="c1")), calling(piece("{}", name="forecast", index=0, id="c1"))],
        [("c1", "forecast", "{}")],
    ),
    "function null": (
        [
            calling(piece('{"a"', name="f", index=0, id="c1")),
            calling({"index": 0, "function": None}),
            calling({"index": 0}),
            calling(piece(":1}", index=0)),
        ],
        [F],
    ),
    "arguments null": (
        [calling({"index": 0, "id": "c1", "function": {"name": "f", "arguments": None}}), calling(piece('{"a":1}', index=0))],
        [F],
    ),
    "arguments an object": ([calling(piece({"a": 1}, name="f", index=0, id="c1"))], [F]),
    "arguments missing": ([calling(piece(name="f", index=0, id="c1"))], [("c1", "f", "")]),
    "a whole call in one chunk": ([calling(piece('{"a":1}', name="f", index=0, id="c1", type="function"))], [F]),
    "the last chunk twice": (
        [calling(piece('{"a":1}', name="f", index=0, id="c1")), calling(piece('{"a":1}', name="f", index=0, id="c1"))],
        [F],
    ),
    "the whole once more behind its pieces": (
        [
            calling(piece('{"a"', name="f", index=0, id="c1")),
            calling(piece(":1}", index=0)),
            calling(piece('{"a":1}', name="f", index=0)),
            calling(piece("", name="f", index=0)),
        ],
        [F],
    ),
    "an object once more": (
        [calling(piece({"a": 1}, name="f", index=0, id="c1")), calling(piece({"a": 1}, name="f", index=0, id="c1"))],
        [F],
    ),
    "pieces that look like repeating": (
        [calling(piece('{"a":', name="f", index=0, id="c1")), calling(piece('{"a":', index=0)), calling(piece("1}}", index=0))],
        [("c1", "f", '{"a":{"a":1}}')],
    ),
    "content and calls in one chunk": ([calling(piece('{"a":1}', name="f", index=0, id="c1"), content="Hm.")], [F]),
    "calls by turns": (
        [
            calling(piece("", name="f", index=0, id="c1"), piece("", name="g", index=1, id="c2")),
            calling(piece('{"a"', index=0)),
            calling(piece('{"b"', index=1)),
            calling(piece(":1}", index=0), piece(":2}", index=1)),
        ],
        [F, G],
    ),
    "an older function call": (
        [
            chunk({"function_call": {"name": "f", "arguments": ""}}),
            chunk({"function_call": {"arguments": '{"a"'}}),
            chunk({"function_call": {"name": "f", "arguments": ":1}"}}),
        ],
        [("", "f", '{"a":1}')],
    ),
    "one call that stands alone": ([chunk({"tool_calls": piece('{"a":1}', name="f", id="c1")})], [F]),
    "a call of another type": (
        [
            calling({"index": 0, "id": "c1", "type": "custom", "custom": {"name": "f", "input": "x"}}),
            calling({"index": 0, "custom": {"input": "=1"}}),
        ],
        [("c1", "custom:f", "x=1")],
    ),
    "nothing of a call": ([calling({}, None, "f", {"index": 3}), calling(piece('{"a":1}', name="f", index=0, id="c1"))], [F]),
    "no list of calls": ([chunk({"tool_calls": "none"}), calling(piece('{"a":1}', name="f", index=0, id="c1"))], [F]),
}
"""Chunks, and the calls that they are."""


@pytest.mark.row("S11")
@pytest.mark.parametrize("chunks, calls", QUIRKS.values(), ids=QUIRKS)
def test_calls_in_pieces(chunks: Sequence[object], calls: list[tuple[str, str, str]]) -> None:
    """However a server cuts its calls, they are put together, and never two into one; the pieces say the same."""
    made = read(sse(*chunks, CALLED))
    assert calls == made.calls
    assert calls == [(call.id, call.name, call.arguments) for call in made.whole.tool_calls]
    assert "tool_calls" == made.whole.finish_reason.kind


@pytest.mark.parametrize("word", ["tool_calls", "stop", None])
@pytest.mark.parametrize("arguments", ['{"a"', '{"a":1', '{"a":{"b":1}', '{"a":"\\', "["])
def test_a_cut_call_in_a_stream_that_claims_to_be_whole(arguments: str, word: str | None) -> None:
    """Arguments that break off, though the reason says that the reply is whole, make it incomplete; its usage counts."""
    cut = calling(piece(arguments, name="f"), piece('{"b":2}', name="g"))
    made = read(sse(cut, chunk({}, word), USAGE), known=Capabilities(finish_optional_in_stream=True))
    assert [("", "f", arguments), ("", "g", '{"b":2}')] == made.calls
    assert ("stream_incomplete", True, word is None) == (made.failure.kind, made.failure.retryable, made.failure.uncertain)
    assert Usage(requests=1, input_tokens=11, output_tokens=7) == made.failure.usage


@pytest.mark.parametrize(
    "arguments, word",
    [
        ('{"a"', "length"),
        ('{"a"', "content_filter"),
        ("", "tool_calls"),
        ('{"a" 1', "tool_calls"),
        ("a = 1", "tool_calls"),
        ('{"a"', "other"),
    ],
    ids=["the cap", "a filter", "none", "no JSON", "words", "a word that says neither"],
)
def test_calls_that_are_not_cut_in_secret(arguments: str, word: str) -> None:
    """Where the reason says that the reply was cut, or the arguments are no JSON at all, the reply is judged as it is."""
    whole = read(sse(calling(piece(arguments, name="f")), chunk({}, word))).whole
    assert (arguments, word) == (whole.tool_calls[0].arguments, whole.finish_reason.kind)


def test_arguments_are_not_looked_at_for_ever() -> None:
    """Names that are repeated behind a brace do not make each piece cost the whole: after some looks it is not asked again."""
    calls = CallDeltas()
    parts: list[StreamPart] = []
    for _ in range(100):
        calls.take([piece('{"a":"}', name="f", index=0)], parts)
    (call,) = calls.written()
    assert call["function"] == {"name": "f", "arguments": '{"a":"}' * 100}


SAID: Mapping[str, tuple[Sequence[object], Sequence[StreamPart], tuple[object, ...]]] = {
    "text": ([chunk({"content": "Os"}), chunk({"content": "lo"})], [TextChunk("Os"), TextChunk("lo")], (Text(text="Oslo"),)),
    "thought": (
        [chunk({"reasoning_content": "H"}), chunk({"reasoning_content": "m", "content": None}), chunk({"content": "7"})],
        [ReasoningChunk("H"), ReasoningChunk("m"), TextChunk("7")],
        (Reasoning(text="Hm"), Text(text="7")),
    ),
    "thought, by its other name": ([chunk({"reasoning": "Hm"})], [ReasoningChunk("Hm")], (Reasoning(text="Hm"),)),
    "thought by both names": (
        [chunk({"reasoning": "Hm", "reasoning_content": "Hm"})],
        [ReasoningChunk("Hm")],
        (Reasoning(text="Hm"),),
    ),
    "thought as a part": (
        [
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "H"}]}]}),
            chunk({"content": [{"type": "thinking", "thinking": "m"}]}),
            chunk({"content": [{"type": "text", "text": "Os"}, "l", {"type": "image"}, 7]}),
            chunk({"content": "o"}),
        ],
        [ReasoningChunk("H"), ReasoningChunk("m"), TextChunk("Os"), TextChunk("l"), TextChunk("o")],
        (Reasoning(text="Hm"), Text(text="Oslo")),
    ),
    "nothing": ([chunk({"role": "assistant", "content": ""}), chunk({}), chunk(), chunk({"content": None})], [], ()),
    "content of no kind": ([chunk({"content": 7, "refusal": 7, "reasoning": []})], [], ()),
    "a delta of no kind": ([chunk("Oslo"), chunk(7)], [], ()),
    "a message in place of deltas": (
        [{"choices": [{"message": {"content": "7", "reasoning_content": "Hm"}, "finish_reason": None}]}],
        [ReasoningChunk("Hm"), TextChunk("7")],
        (Reasoning(text="Hm"), Text(text="7")),
    ),
    "a message behind deltas": (
        [chunk({"content": "7"}), {"choices": [{"message": {"content": "7"}}]}],
        [TextChunk("7")],
        (Text(text="7"),),
    ),
    "half a character in each": (
        [
            rb'data: {"choices": [{"delta": {"content": "a\ud83e"}}]}' + b"\n\n",
            rb'data: {"choices": [{"delta": {"content": "\udd8a"}}]}' + b"\n\n",
        ],
        [TextChunk("a"), TextChunk("🦊")],
        (Text(text="a🦊"),),
    ),
    "half a thought in each": (
        [
            rb'data: {"choices": [{"delta": {"reasoning": "\ud83e"}}]}' + b"\n\n",
            rb'data: {"choices": [{"delta": {"reasoning": "\udd8a"}}]}' + b"\n\n",
        ],
        [ReasoningChunk("🦊")],
        (Reasoning(text="🦊"),),
    ),
    "halves that stay alone": (
        [rb'data: {"choices": [{"delta": {"content": "a\ud83e", "reasoning": "b\ud83e"}}]}' + b"\n\n"],
        [ReasoningChunk("b"), TextChunk("a")],
        (Reasoning(text="b\ud83e"), Text(text="a\ud83e")),
    ),
    "a half that begins the text, and stays alone": (
        [rb'data: {"choices": [{"delta": {"content": "\ud83e"}}]}' + b"\n\n"],
        [],
        (Text(text="\ud83e"),),
    ),
}
"""Chunks, the parts of the stream, and those of the reply."""


@pytest.mark.parametrize("chunks, parts, said", SAID.values(), ids=SAID)
def test_what_is_said(chunks: Sequence[object], parts: Sequence[StreamPart], said: tuple[object, ...]) -> None:
    """Texts and thoughts come as they are told, under all names that servers have for them."""
    made = read(sse(*chunks, STOP))
    assert [(type(part), part) for part in parts] == [(type(part), part) for part in made.parts]
    assert said == made.whole.parts
    assert "stop" == made.whole.finish_reason.kind


@pytest.mark.row("S19")
def test_s19_a_refusal_in_pieces() -> None:
    """A refusal is put together, and is no text."""
    made = read(sse(chunk({"refusal": "I can"}), chunk({"refusal": "not."}), STOP))
    assert ("I cannot.", "", ()) == (made.whole.refusal, made.whole.text, made.parts)


ABOUT: Mapping[str, tuple[Sequence[object], Mapping[str, object]]] = {
    "usage last": ([chunk({"content": "7"}), STOP, USAGE], {"input_tokens": 11, "output_tokens": 7, "complete": True}),
    "usage beside the end": ([chunk({"content": "7"}, "stop", usage=USAGE["usage"])], {"input_tokens": 11, "complete": True}),
    "usage that grows": (
        [chunk({"content": "7"}, usage={"prompt_tokens": 11, "completion_tokens": 1}), {**STOP, **{"usage": USAGE["usage"]}}],
        {"output_tokens": 7},
    ),
    "usage null at last": ([{**STOP, "usage": USAGE["usage"]}, chunk({}, usage=None)], {"output_tokens": 7}),
    "no usage": ([chunk({"content": "7"}), STOP], {"input_tokens": None, "complete": False, "requests": 1}),
    "no choices at all": ([STOP, {"id": "c1", "usage": USAGE["usage"]}], {"output_tokens": 7}),
}
"""Chunks, and what is known of the usage."""


@pytest.mark.row("S12")
@pytest.mark.parametrize("chunks, known", ABOUT.values(), ids=ABOUT)
def test_s12_usage(chunks: Sequence[object], known: Mapping[str, object]) -> None:
    """Usage is taken wherever it comes, the last word counts, and what never comes is unknown."""
    usage = read(sse(*chunks)).whole.usage
    assert known == {name: getattr(usage, name) for name in known}


@pytest.mark.parametrize(
    "chunks, kind, raw",
    [
        pytest.param([chunk({}, "stop")], "stop", "stop", id="stop"),
        pytest.param([chunk({}, "STOP")], "stop", "STOP", id="in capitals"),
        pytest.param([chunk({}, "eos")], "stop", "eos", id="eos"),
        pytest.param([chunk({}, "length")], "length", "length", id="length"),
        pytest.param([chunk({}, "banana")], "other", "banana", id="unknown"),
        pytest.param([chunk({}, ""), chunk({}, "stop"), chunk({}, ""), chunk({}, None)], "stop", "stop", id="empty around it"),
        pytest.param([chunk({}, "stop"), chunk({}, "length")], "stop", "stop", id="the first counts"),
        pytest.param([chunk({}, "stop"), chunk({}, "error")], "error", "error", id="but an error"),
        pytest.param([chunk({}, 7), chunk({}, "stop")], "stop", "stop", id="no word"),
    ],
)
def test_why_it_ended(chunks: Sequence[object], kind: str, raw: str) -> None:
    """The first reason that is one counts, unless a later one says that it went wrong."""
    reason = read(sse(*chunks)).whole.finish_reason
    assert (kind, raw) == (reason.kind, reason.raw)


def test_the_first_name_counts() -> None:
    """Model and id are the first that are any; Azure begins with empty ones. A dated name of the model is no other model."""
    first: dict[str, object] = {"id": "", "model": "", "choices": [], "prompt_filter_results": []}
    whole = read(sse(first, chunk({"content": "7"}, model="m-2026", id="c9"), chunk({}, "stop", model="x", id="y"))).whole
    assert ("m-2026", "c9", ()) == (whole.model, whole.id, whole.remarks)


def test_another_model() -> None:
    """A model that answers in place of the one that was asked is remarked on."""
    assert ("other_model",) == read(sse(chunk({"content": "7"}, "stop", model="x"))).whole.remarks


def test_several_choices() -> None:
    """Of several choices the one of the lowest index counts, and the others are counted."""
    both = [{"index": 1, "delta": {"content": "B"}}, {"index": 0, "delta": {"content": "A"}, "finish_reason": "stop"}]
    made = read(
        sse(
            {"choices": both},
            {"choices": [{"index": 1, "delta": {"content": "b"}, "finish_reason": "stop"}]},
            {"choices": [None]},
        )
    )
    assert ("A", ("other_choices:1",)) == (made.whole.text, made.whole.remarks)
    assert "A" == made.text


def test_one_choice_of_another_index() -> None:
    """The only choice counts, whatever its index."""
    assert "A" == read(sse({"choices": [{"index": 3, "delta": {"content": "A"}, "finish_reason": "stop"}]})).whole.text


def test_a_payload_in_the_thoughts() -> None:
    """Where the grammar is known to cover the thoughts, JSON in them is the answer, as in a reply in one piece."""
    body = sse(chunk({"reasoning_content": '{"a":'}), chunk({"reasoning_content": "1}"}, "stop"))
    whole = read(body, known=Capabilities(constraint_covers_thinking=True)).whole
    assert ('{"a":1}', ("payload_in_reasoning",)) == (whole.text, whole.remarks)


SCRIPTS: Mapping[str, ModelResponse] = {
    "text": ModelResponse.of("The capital of Norway is Oslo. 🦊"),
    "cut": ModelResponse.of('{"name": "Os', finish="length"),
    "filtered": ModelResponse.of('{"name": "Os', finish="content_filter"),
    "nothing": ModelResponse.of(""),
    "refusal": ModelResponse(refusal="I cannot say that.", finish_reason=ModelResponse.of("").finish_reason),
    "everything": ModelResponse(
        parts=(
            Reasoning(text="Let me see."),
            Text(text="I look it up."),
            ToolCall(id="c1", name="look_up", arguments='{"name":"Oslo"}'),
            ToolCall(id="c2", name="now", arguments=""),
        ),
        finish_reason=ModelResponse.of("", finish="tool_calls").finish_reason,
    ),
}
JSON = {"content-type": "application/json"}


@pytest.mark.row("S17")
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_s17_the_same_as_in_one_piece(script: ModelResponse, size: int) -> None:
    """The whole reply is what `request` reads in the reply in one piece, and the pieces are what it holds."""
    body = json.dumps(whole_body(script, place=1, model="m")).encode()
    stream = b"".join(events(script, place=1, model="m", size=size, with_usage=True))
    made = read(stream).adds_up()
    expected = read_reply(body, JSON, TELLS_USAGE, "m")
    assert expected.model_dump() == made.whole.model_dump()


@given(st.sampled_from(sorted(SCRIPTS)), st.integers(1, 9), st.lists(st.integers(0, 60), max_size=60))
def test_any_pieces_give_the_same_reply(name: str, size: int, sizes: list[int]) -> None:
    """However the bytes are cut, the parts together and the whole reply are those of the uncut stream."""
    stream = b"".join(events(SCRIPTS[name], place=1, model="m", size=size, with_usage=True))
    uncut, cut = read(stream), read(stream, sizes)
    assert (uncut.parts, uncut.whole) == (cut.parts, cut.whole)


@pytest.mark.row("S02")
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_s02_cut_in_two_anywhere(end: bytes) -> None:
    """Two pieces, cut anywhere: inside a character, a line end, a field name."""
    stream = sse(chunk({"content": "blå 🦊"}), calling(piece('{"a":"ø"}', name="f", index=0, id="c1")), CALLED, USAGE)
    stream = stream.replace(b"\n", end)
    uncut = read(stream)
    for cut in range(len(stream)):
        assert uncut == read(stream, [cut])
    assert uncut == read(stream, [1] * len(stream))


@pytest.mark.row("S01")
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_s01_cut_off_anywhere(script: ModelResponse) -> None:
    """A stream that ends anywhere is incomplete, and never a reply, unless the reason why it ended was told before."""
    stream = b"".join(events(script, place=1, model="m", size=9, with_usage=True))
    whole = read(stream).whole
    told = stream.index(b'"finish_reason":"' + (whole.finish_reason.raw or "").encode())
    told = stream.index(b"\n\n", told)
    for cut in range(len(stream)):
        made = read(stream[:cut])
        if cut < told:
            assert ("stream_incomplete", True, True) == (made.failure.kind, made.failure.retryable, made.failure.uncertain)
        else:
            assert (whole.parts, whole.refusal, whole.finish_reason) == (
                made.whole.parts,
                made.whole.refusal,
                made.whole.finish_reason,
            )


@by_each_stream
def test_calls_over_a_socket(door: StreamDoor) -> None:
    """Pieces of calls arrive over HTTP as they do without."""
    chunks, calls = QUIRKS["calls by turns"]
    made = take(door, reply(*chunks, CALLED, pieces=(11,)))
    assert calls == made.adds_up().calls


def test_a_repr_shows_nothing() -> None:
    """What a model said is in no repr."""
    parts = [TextChunk("secret"), ReasoningChunk("secret"), CallChunk(0, "secret", "secret", "secret")]
    assert "[TextChunk(), ReasoningChunk(), CallChunk(index=0)]" == repr(parts)

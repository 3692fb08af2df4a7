"""What a stream consists of: parts that show nothing, and a whole reply as a stream."""

from __future__ import annotations

import pytest

from settled import Image, ModelResponse, Reasoning, Text, ToolCall
from settled.vocabulary.streaming import CallChunk, ReasoningChunk, StreamPart, TextChunk, in_pieces

WHOLE = ModelResponse(
    parts=(
        Reasoning(text="Hm"),
        Text(text="Oslo"),
        Image(url="https://example.org/a.png"),
        ToolCall(id="c1", name="f", arguments="{}"),
        ToolCall(id="c2", name="g", arguments=""),
    )
)


@pytest.mark.parametrize(
    "size, parts",
    [
        (None, [ReasoningChunk("Hm"), TextChunk("Oslo"), CallChunk(0, "c1", "f", "{}"), CallChunk(1, "c2", "g", "")]),
        (
            3,
            [
                ReasoningChunk("Hm"),
                TextChunk("Osl"),
                TextChunk("o"),
                CallChunk(0, "c1", "f", "{}"),
                CallChunk(1, "c2", "g", ""),
            ],
        ),
    ],
    ids=["whole", "cut"],
)
def test_a_reply_as_a_stream(size: int | None, parts: list[StreamPart]) -> None:
    """The texts, thoughts and calls of a reply come in order, and the reply last; what else it holds is in that alone."""
    made = list(in_pieces(WHOLE, size))
    assert [*((type(part), part) for part in parts), (ModelResponse, WHOLE)] == [(type(part), part) for part in made]


def test_an_empty_reply_as_a_stream() -> None:
    """A reply that says nothing is its only part."""
    empty = ModelResponse.of("")
    assert [empty] == list(in_pieces(empty))

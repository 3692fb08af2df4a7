"""What a streamed reply consists of: pieces as they come, and last of all the whole `ModelResponse`."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from .exchange import ModelResponse


class TextChunk(NamedTuple):
    """A piece of the text.

    Example:
        >>> TextChunk("a secret plan")
        TextChunk()
    """

    text: str
    """What is new."""

    def __repr__(self) -> str:
        return "TextChunk()"


class ReasoningChunk(NamedTuple):
    """A piece of what the model thinks.

    Example:
        >>> ReasoningChunk("Let me see.").text
        'Let me see.'
    """

    text: str
    """What is new."""

    def __repr__(self) -> str:
        return "ReasoningChunk()"


class CallChunk(NamedTuple):
    """A piece of a tool call.

    Example:
        >>> CallChunk(0, "c1", "forecast", '{"city":')
        CallChunk(index=0)
    """

    index: int  # type: ignore[assignment]  # a tuple has a method of that name, which nobody calls here
    """The place of the call among those of the reply, from 0."""
    id: str
    """Its id as known so far; empty when it is not known yet."""
    name: str
    """The name of the tool as known so far; it may come late, or in pieces."""
    arguments: str
    """What is new of the arguments; empty where only the id or the name is."""

    def __repr__(self) -> str:
        return f"CallChunk(index={self.index})"


StreamPart: TypeAlias = TextChunk | ReasoningChunk | CallChunk | ModelResponse
"""One part of a stream. The last one, and no other, is the `ModelResponse`: the whole reply, which counts."""


def in_pieces(response: ModelResponse, size: int | None = None) -> Iterator[StreamPart]:
    """A whole reply as a stream: its parts in pieces of so many characters, or each in one, and then the reply itself.

    Example:
        >>> [part.text for part in in_pieces(ModelResponse.of("Oslo"), 3)]
        ['Osl', 'o', 'Oslo']
    """
    calls = 0
    for part in response.parts:
        if part.type == "text":
            for piece in _cut(part.text, size):
                yield TextChunk(piece)
        elif part.type == "reasoning":
            for piece in _cut(part.text, size):
                yield ReasoningChunk(piece)
        elif part.type == "tool_call":
            for piece in _cut(part.arguments, size) or ("",):
                yield CallChunk(calls, part.id, part.name, piece)
            calls += 1
    yield response


def _cut(text: str, size: int | None) -> tuple[str, ...]:
    step = len(text) if size is None else size
    return tuple(text[start : start + step] for start in range(0, len(text), step)) if text else ()

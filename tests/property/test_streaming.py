"""Streams of random payloads in random pieces: what drafts show never changes, and the last one is what was validated."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from settled import Agent, FinishReason, ModelRequest, ModelResponse, Text, ToolCall
from settled.testing import FunctionProvider
from settled.vocabulary.streaming import CallChunk, TextChunk

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9)
)
PAYLOADS: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4), max_leaves=12
)


class Pieces(FunctionProvider):
    """A model whose reply comes in pieces of these sizes, over and over."""

    def __init__(self, answer: ModelResponse, sizes: list[int]) -> None:
        super().__init__(lambda _: answer, chunk=10_000_000)
        self._sizes = sizes

    def stream(self, request: ModelRequest, /, *, timeout: float | None = None) -> Any:
        """The answer."""
        for part in super().stream(request, timeout=timeout):
            if isinstance(part, (TextChunk, CallChunk)):
                text, turn = (part.text if isinstance(part, TextChunk) else part.arguments), 0
                while text:
                    size = self._sizes[turn % len(self._sizes)]
                    piece, text, turn = text[:size], text[size:], turn + 1
                    yield TextChunk(piece) if isinstance(part, TextChunk) else part._replace(arguments=piece)
            else:
                yield part


def settled_before(early: JsonValue, late: JsonValue) -> bool:
    """Whether what an earlier draft shows is still so in a later one: strings, lists and objects only grow."""
    if isinstance(early, str):
        return isinstance(late, str) and late.startswith(early)
    if isinstance(early, list):
        return isinstance(late, list) and len(early) <= len(late) and all(map(settled_before, early, late))
    if isinstance(early, dict):
        return isinstance(late, dict) and all(key in late and settled_before(value, late[key]) for key, value in early.items())
    return type(early) is type(late) and early == late


@pytest.mark.parametrize("mode", ["native", "prompted", "tool"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(payload=st.lists(PAYLOADS, max_size=4), sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6), ascii=st.booleans())
def test_drafts_only_grow_to_what_was_validated(mode: Any, payload: list[JsonValue], sizes: list[int], ascii: bool) -> None:
    """No draft shows what later changes, strings only grow, and the last draft is the JSON that was validated."""
    written = json.dumps(payload if mode == "prompted" else {"value": payload}, ensure_ascii=ascii)
    part = ToolCall(id="c1", name="final_result", arguments=written) if mode == "tool" else Text(text=written)
    answer = ModelResponse(parts=(part,), finish_reason=FinishReason.from_wire("tool_calls" if mode == "tool" else "stop"))
    agent = Agent(list[JsonValue], mode=mode, model=Pieces(answer, sizes))
    whole = agent.settle("Go.")
    with agent.stream("Go.") as stream:
        shown = [(draft.data, draft.stalled) for draft in stream.drafts()]
        outcome = stream.outcome()
    assert type(whole) is type(outcome)
    for (early, _), (late, _) in pairwise(shown):
        assert settled_before(early, late)
    assert payload == shown[-1][0] == outcome.unwrap()

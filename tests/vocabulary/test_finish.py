"""Why one model call ended: servers' words, read and compared (rows F1 to F7 and F11 of the behaviour table)."""

from __future__ import annotations

from typing import get_args

import pytest

from settled import FinishReason
from settled.vocabulary.finish import FinishDialect, FinishKind

WORDS: list[tuple[FinishDialect, str, FinishKind]] = [
    ("openai", "stop", "stop"),
    ("openai", "eos", "stop"),
    ("openai", "eos_token", "stop"),
    ("openai", "stop_sequence", "stop"),
    ("openai", "length", "length"),
    ("openai", "model_length", "length"),
    ("openai", "max_tokens", "length"),
    ("openai", "tool_calls", "tool_calls"),
    ("openai", "function_call", "tool_calls"),
    ("openai", "content_filter", "content_filter"),
    ("openai", "guardrail_intervened", "content_filter"),
    ("openai", "error", "error"),
    ("openai", "insufficient_system_resource", "error"),
    ("openai", "abort", "error"),
    ("openai", "aborted", "error"),
    ("openai", "end_turn", "other"),
    ("openai", "tool_use", "other"),
    ("openai", "max_tool_iterations", "other"),
    ("openai", "length_ish", "other"),
    ("anthropic", "end_turn", "stop"),
    ("anthropic", "stop_sequence", "stop"),
    ("anthropic", "max_tokens", "length"),
    ("anthropic", "model_context_window_exceeded", "length"),
    ("anthropic", "tool_use", "tool_calls"),
    ("anthropic", "refusal", "content_filter"),
    ("anthropic", "pause_turn", "other"),
    ("anthropic", "length", "other"),
    ("responses", "completed", "stop"),
    ("responses", "failed", "error"),
    ("responses", "cancelled", "error"),
    ("responses", "max_output_tokens", "length"),
    ("responses", "content_filter", "content_filter"),
    ("responses", "in_progress", "other"),
    ("responses", "queued", "other"),
    ("responses", "steered", "other"),
    ("gemini", "STOP", "stop"),
    ("gemini", "MAX_TOKENS", "length"),
    ("gemini", "SAFETY", "content_filter"),
    ("gemini", "RECITATION", "content_filter"),
    ("gemini", "BLOCKLIST", "content_filter"),
    ("gemini", "PROHIBITED_CONTENT", "content_filter"),
    ("gemini", "MALFORMED_FUNCTION_CALL", "error"),
    ("gemini", "FINISH_REASON_UNSPECIFIED", "other"),
]


@pytest.mark.parametrize("dialect, word, kind", WORDS, ids=[f"{dialect}-{word}" for dialect, word, _ in WORDS])
@pytest.mark.parametrize("spelled", [str.lower, str.upper, str.title, str], ids=["lower", "upper", "title", "verbatim"])
def test_words_of_servers(dialect: FinishDialect, word: str, kind: FinishKind, spelled: type[str]) -> None:
    """F2, F11: a server's word is read whatever its case; another dialect's words are ``other``; the word is kept verbatim."""
    sent = spelled(word)
    reason = FinishReason.from_wire(sent, dialect)
    assert (kind, sent) == (reason.kind, reason.raw)


def test_the_kinds_are_closed() -> None:
    """F1: a finish reason has one of seven kinds; a limit on tool rounds is none of them."""
    assert {"stop", "length", "tool_calls", "content_filter", "error", "other", "unspecified"} == set(get_args(FinishKind))


@pytest.mark.parametrize("word", ["ERR_Budget", "", " stop", "max_tool_iterations"], ids=["casing", "empty", "blank", "loop-cap"])
def test_unknown_words_are_kept(word: str) -> None:
    """F3, F6: an unknown word, also the empty one, is ``other`` with its casing kept, never ``stop``."""
    assert FinishReason(kind="other", raw=word) == FinishReason.from_wire(word)
    assert word == str(FinishReason.from_wire(word))


def test_nothing_reported() -> None:
    """F4: no word at all is ``unspecified``, neither ``stop`` nor an error."""
    reason = FinishReason.from_wire(None)
    assert (reason.kind, reason.raw, str(reason)) == ("unspecified", None, "unspecified")


@pytest.mark.parametrize("kind", ["stop", "length", "tool_calls", "content_filter", "error"])
def test_known_kinds_round_trip(kind: FinishKind) -> None:
    """F5: ``str`` gives the canonical word, which reads as the same kind."""
    assert kind == str(FinishReason(kind=kind, raw="Whatever"))
    assert kind == FinishReason.from_wire(kind).kind
    assert kind == FinishReason(kind=kind).wire


def test_other_without_a_word() -> None:
    """An ``other`` that holds no word shows its kind."""
    assert str(FinishReason(kind="other")) == "other"


@pytest.mark.parametrize(
    "kind, truncated, incomplete",
    [
        ("stop", False, False),
        ("length", True, True),
        ("tool_calls", False, False),
        ("content_filter", False, True),
        ("error", False, False),
        ("other", False, False),
        ("unspecified", False, False),
    ],
    ids=str,
)
def test_truncated_and_incomplete(kind: FinishKind, truncated: bool, incomplete: bool) -> None:
    """F7: only ``length`` is truncated; a filtered reply is incomplete too."""
    reason = FinishReason(kind=kind, raw="length_ish")
    assert (truncated, incomplete) == (reason.is_truncated, reason.is_incomplete)


@pytest.mark.parametrize(
    "one, other, equal",
    [
        (FinishReason(kind="stop", raw="STOP"), FinishReason(kind="stop", raw="eos"), True),
        (FinishReason(kind="stop"), FinishReason(kind="length"), False),
        (FinishReason(kind="other", raw="a"), FinishReason(kind="other", raw="a"), True),
        (FinishReason(kind="other", raw="a"), FinishReason(kind="other", raw="A"), False),
        (FinishReason(kind="stop"), "stop", False),
        (FinishReason(kind="stop"), None, False),
    ],
    ids=["kind", "kinds", "same-word", "other-word", "text", "none"],
)
def test_equality(one: FinishReason, other: object, equal: bool) -> None:
    """Finish reasons are equal by kind, and an ``other`` by its word too; never to anything else. Equal ones hash alike."""
    assert equal == (one == other)
    assert not equal or hash(one) == hash(other)


@pytest.mark.parametrize(
    "kind, calls, expected",
    [
        ("stop", True, "tool_calls"),
        ("stop", False, "stop"),
        ("length", True, "length"),
        ("content_filter", True, "content_filter"),
        ("unspecified", True, "unspecified"),
        ("tool_calls", False, "tool_calls"),
    ],
    ids=["stop-with-calls", "stop", "length-with-calls", "filter-with-calls", "nothing-with-calls", "calls-without"],
)
def test_reconciled(kind: FinishKind, calls: bool, expected: FinishKind) -> None:
    """A ``stop`` beside tool calls becomes ``tool_calls``, everything else stays, and the server's word is kept."""
    reason = FinishReason(kind=kind, raw="word").reconciled(has_tool_calls=calls)
    assert (expected, "word") == (reason.kind, reason.raw)

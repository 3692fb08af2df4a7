"""Properties of the vocabulary."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from settled import FinishReason, Message, Text, ToolCall, ToolResult, Usage, dump_messages, load_messages
from settled.vocabulary.messages import Part
from settled.vocabulary.scrub import scrubbed
from settled.vocabulary.stop import Reason

counts = st.none() | st.integers(0, 1000)
usages = st.builds(
    Usage,
    requests=st.integers(1, 3),
    input_tokens=counts,
    output_tokens=counts,
    cached_tokens=counts,
    reasoning_tokens=counts,
    cost=st.none() | st.decimals(0, 10, places=2),
    uncertain_requests=st.integers(0, 2),
    complete=st.booleans(),
)
sums = usages | st.just(Usage())
COUNTERS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "cost")
texts = st.text(max_size=20)
parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, text=texts),
    st.builds(ToolCall, id=texts, name=texts, arguments=texts),
    st.builds(ToolResult, call_id=texts, name=texts, text=texts),
)
messages = st.builds(Message, role=st.sampled_from(["system", "user", "assistant", "tool"]), parts=st.lists(parts).map(tuple))


@given(sums, sums, sums)
def test_sums_are_associative(a: Usage, b: Usage, c: Usage) -> None:
    """It does not matter in which order shares of usage are summed."""
    assert (a + b) + c == a + (b + c)


@given(sums, sums)
def test_sums_commute(a: Usage, b: Usage) -> None:
    """The sum of two usages does not depend on which comes first."""
    assert a + b == b + a


@given(st.lists(usages, min_size=1, max_size=5))
def test_unknown_is_not_nothing(shares: list[Usage]) -> None:
    """Each counter of a sum is the sum of what is known, and unknown if nothing is; a gap is never called complete."""
    total = sum(shares, Usage())
    for name in COUNTERS:
        known = [value for share in shares if (value := getattr(share, name)) is not None]
        assert getattr(total, name) == (sum(known, Decimal(0)) if known else None)
        assert not (total.complete and 0 < len(known) < len(shares))
    assert sum(share.requests for share in shares) == total.requests
    assert total.complete <= all(share.complete and share.input_tokens is not None for share in shares)


@given(st.none() | st.text(max_size=12))
def test_any_finish_word_is_read(word: str | None) -> None:
    """Any word reads without an error, and is kept verbatim."""
    reason = FinishReason.from_wire(word)
    assert word == reason.raw
    assert reason == FinishReason.from_wire(None if word is None else word.swapcase()) or reason.kind == "other"


@given(st.lists(messages, max_size=4))
def test_conversations_survive_json(talk: list[Message]) -> None:
    """Any conversation is the same after it was dumped and loaded."""
    assert tuple(talk) == load_messages(dump_messages(talk))


@given(st.text(max_size=600), st.text(alphabet="abcdefXYZ0123456789", min_size=12, max_size=40))
def test_scrubbing_ends_and_hides(text: str, secret: str) -> None:
    """Scrubbing never raises, never makes a text much longer than the limit, and hides a key wherever it stands alone."""
    assert len(scrubbed(text)) <= 503
    assert secret not in scrubbed(f"the key sk-{secret} is wrong")
    assert scrubbed(scrubbed(text, limit=10**6), limit=10**6) == scrubbed(text, limit=10**6)


@given(st.sampled_from(sorted(Reason.__subclasses__(), key=lambda cls: cls.__name__)))
def test_labels_are_codes(cls: type[Reason]) -> None:
    """Each class of reason has its kind as a default, so that the label can be made of it."""
    assert cls.__name__ == "_Limit" or isinstance(cls.model_fields["kind"].default, str)

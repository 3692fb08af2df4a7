"""Properties of the scanner: valid JSON is read as json.loads reads it, in any style; a cut is never whole."""

from __future__ import annotations

import json
from random import Random
from typing import TypeAlias

from hypothesis import example, given
from hypothesis import strategies as st

from settled.recovery.scanner import Scanner
from settled.recovery.strings import QUOTES, Scope, Sight, read_string
from settled.recovery.tolerance import scan_value, tolerate
from settled.recovery.walk import plain_of

TRICKY = "\"\\/\n\t\x00é\u2028“”‘’'`{}[]()<>|,，:：#*=+-.…01 aN😀\ufeff\u00a0"
strings = st.text(st.sampled_from(TRICKY) | st.characters(codec="utf-8"), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strings
jsons: st.SearchStrategy[object] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4), max_leaves=12
)
containers: st.SearchStrategy[object] = st.lists(jsons, max_size=4) | st.dictionaries(strings, jsons, max_size=4)
INDENTS: list[int | str | None] = [None, 0, 1, 4, "\t"]
SEPARATORS: list[tuple[str, str] | None] = [None, (",", ":"), (" , ", " : "), (",\r\n", ":")]
styles = st.tuples(st.sampled_from(INDENTS), st.sampled_from(SEPARATORS), st.booleans())
Style: TypeAlias = tuple[int | str | None, tuple[str, str] | None, bool]


def written(value: object, style: Style) -> str:
    """JSON in one of many styles."""
    indent, separators, ascii_only = style
    return json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)


@given(jsons, styles)
def test_equal_to_json(value: object, style: Style) -> None:
    """Any JSON value in any style gives what json.loads gives, without repairs, and is read to its end."""
    text = written(value, style)
    document = Scanner(text).read(tolerate)
    assert document.root is not None
    assert repr(json.loads(text)) == repr(plain_of(document.root))  # not ==, for True is 1
    assert (True, (), len(text)) == (document.is_whole, document.repairs, document.end)


@given(containers, styles)
def test_a_cut_is_never_whole(value: object, style: Style) -> None:
    """A container that is cut anywhere is open or a fault, and whatever is closed in it is what was written."""
    text = written(value, style)
    for end in range(1, len(text)):
        document = scan_value(text[:end], 0)
        assert not document.is_whole
        assert document.open_at is not None or document.fault is not None


@given(containers, styles)
@example([{"A:0": None}], (None, None, False))  # a key that could be one without its closing quote
def test_a_cut_of_json_is_no_fault(value: object, style: Style) -> None:
    """JSON that is only cut is open, not unreadable."""
    text = written(value, style)
    for end in range(1, len(text)):
        assert scan_value(text[:end], 0).fault is None, text[:end]


@given(st.text(st.sampled_from(TRICKY + "{}[]\":,'ub(D=/*#\n"), max_size=60))
def test_noise_ends(noise: str) -> None:
    """Whatever follows an opening bracket, the scanner ends, within the text, and tells whole from open from unreadable."""
    for head in ("{", "[", "(", '{"a": [', "A(a="):
        document = scan_value(head + noise, 0)
        assert 0 <= document.end <= len(head + noise)
        assert document.is_whole + (document.open_at is not None) + (document.fault is not None) + document.elided >= 1


MARKS = [
    '"',
    '"',
    "'",
    "“",
    "”",
    "\\",
    "\\\\",
    '"```\n',
    '"<|',
    '"</a>',
    '"]',
    '"}',
    '"} x',
    '",\n',
    '\n"b": 1',
    "\n",
    " ",
    "[",
    "{",
    "a",
    ",",
    "é",
]
scopes: st.SearchStrategy[Scope] = st.sampled_from(("object", "list", "root", "key"))


@given(st.lists(st.sampled_from(MARKS), max_size=40), scopes, st.randoms(use_true_random=False))
def test_what_is_known_of_a_text_changes_no_string(pieces: list[str], scope: Scope, random: Random) -> None:
    """A string is read in the same way, whatever other strings of the text were read before it, and in whatever order."""
    text = "".join(pieces)
    sight = Sight(text)
    places = [place for place, mark in enumerate(text) if mark in QUOTES]
    if random.random() < 0.3:
        random.shuffle(places)
    for place in places:
        assert read_string(text, place, scope) == read_string(text, place, scope, sight)

"""Strings as models write them: which quote closes one, what escapes mean, and when there are two readings."""

from __future__ import annotations

import time

import pytest

from settled.recovery.strings import Scope, read_string, unescape


@pytest.mark.parametrize(
    "text, scope, content, end, codes",
    [
        ('"a", "b"', "list", "a", 3, ()),
        ("'a'", "list", "a", 3, ("quote.style",)),
        ("“a”", "list", "a", 3, ("quote.style",)),
        ("„a“", "list", "a", 3, ("quote.style",)),
        ("‘a’", "list", "a", 3, ("quote.style",)),
        ("＂a＂", "list", "a", 3, ("quote.style",)),
        ("`a`", "list", "a", 3, ("quote.style",)),
        ("«a»", "list", "a", 3, ("quote.style",)),
        ("「a」", "list", "a", 3, ("quote.style",)),
        ('"""a"b"""', "list", 'a"b', 9, ("quote.style",)),
        ('"""a""""', "list", 'a"', 8, ("quote.style",)),
        ("'''a\nb'''", "list", "a\nb", 9, ("quote.style",)),
        ('"say "yes" to her", "b"', "list", 'say "yes" to her', 18, ("quote.inner",)),
        ('"say "yes" to her"}', "object", 'say "yes" to her', 18, ("quote.inner",)),
        ("'it's so', 'b'", "list", "it's so", 9, ("quote.style", "quote.inner")),
        ('"a, "b": 1"}', "object", 'a, "b": 1', 11, ("quote.inner",)),
        ('"one\ntwo"', "list", "one\ntwo", 9, ("string.raw",)),
        ('"a\tb"', "list", "a\tb", 5, ("string.raw",)),
        ('"\\d+"', "list", "\\d+", 5, ("escape.invalid",)),
        ('"it\\\'s"', "list", "it's", 7, ("escape.invalid",)),
        ("'\\x41'", "list", "A", 6, ("quote.style",)),
        ('"a,\n"b": 1}', "object", "a", 3, ("quote.missing",)),
        ('"a\n}', "object", "a", 2, ("quote.missing",)),
        ('"key" : 1', "key", "key", 5, ()),
        ('"a" // so far\n]', "list", "a", 3, ()),
        ('"a" + "b"', "list", "a", 3, ()),
        ('"a"\n"b"]', "list", "a", 3, ()),
        ('"a"\n"b": 1', "object", "a", 3, ()),
        ('"a"', "root", "a", 3, ()),
        ('"5" long", "b"', "list", '5" long', 9, ("quote.inner",)),
        ('"a"```', "list", "a", 3, ()),
        ('"a"<|im_end|>', "list", "a", 3, ()),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_strings(text: str, scope: Scope, content: str, end: int, codes: tuple[str, ...]) -> None:
    """A quote closes a string if what follows may follow a string; the rest is content, and each mended thing is named."""
    read = read_string(text, 0, scope)
    assert (content, end, True, codes) == (read.text, read.end, read.closed, read.codes)


@pytest.mark.parametrize(
    "text, scope",
    [
        ('"abc', "list"),
        ('"abc, ', "object"),
        ('"""abc', "list"),
        ("'abc\\'", "list"),
        ('"a\\', "object"),
        ('"key', "key"),
        ('“abc"', "key"),
    ],
    ids=repr,
)
def test_open_strings(text: str, scope: Scope) -> None:
    """A string without a closing quote is open, and never closed by the end of the text."""
    assert not read_string(text, 0, scope).closed


@pytest.mark.parametrize("text", ['"he said "no, and left", "b"', '"C:\\Users\\new", "b"'], ids=str)
def test_doubtful_strings(text: str) -> None:
    """A string with an odd quote inside, or with escapes of two kinds, is doubtful: it has a second reading."""
    assert read_string(text, 0, "list").doubtful


@pytest.mark.parametrize(
    "text", ['"he said "no" and left", "b"', '"\\d+\\w", "b"', '"5" x 7" wide", "b"', "'don't', 'b'"], ids=str
)
def test_sure_strings(text: str) -> None:
    """Quotes in pairs, apostrophes, inch signs and escapes of one kind leave one reading."""
    assert not read_string(text, 0, "list").doubtful


@pytest.mark.parametrize(
    "raw, meaning",
    [
        ("plain", ("plain", False, False)),
        ('\\"\\\\\\/\\b\\f\\n\\r\\t', ('"\\/\b\f\n\r\t', False, False)),
        ("\\u00e9", ("é", False, False)),
        ("\\ud83d\\ude00", ("😀", False, False)),
        ("\\ud83d", ("\ud83d", False, False)),
        ("\\u12", ("\\u12", True, False)),
        ("\\x41", ("\\x41", True, False)),
        ("\\'\\`", ("'`", True, False)),
        ("\\\u201cx\\\u201d", ("\u201cx\u201d", True, False)),
        ("a\\\nb", ("ab", True, False)),
        ("\\s\\n", ("\\s\n", True, True)),
        ("\\", ("\\", False, False)),
    ],
    ids=repr,
)
def test_escapes(raw: str, meaning: tuple[str, bool, bool]) -> None:
    """JSON's escapes are decoded, a quote's backslash is dropped, and the backslash of any other escape is kept."""
    assert meaning == unescape(raw)


def test_hex_escapes_are_pythons() -> None:
    r"""``\x41`` is a character in single quotes only."""
    assert ("A", False, False) == unescape("\\x41", python=True)


@pytest.mark.parametrize(
    "piece", ['"', "'", '"a', "\\", '", "', "\\u", '"\n"', "'''", "`"], ids=repr
)  # fmt: skip
def test_long_strings_take_linear_time(piece: str) -> None:
    """A string of many quotes and escapes is read in time."""
    begun = time.process_time()
    read_string('"' + piece * 20_000, 0, "list")
    assert time.process_time() - begun < 10

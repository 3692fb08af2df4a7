"""What holds for any docstring: it can be read, in time, alike however it is indented, and what was written comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled.tools.docstrings import read_docstring

PIECES = [
    "Args:", "args :", "Parameters", "----------", "--", ":param x:", ":param", ":returns:", ">>> f()", "```", "x: X.",
    "x (int", "(", "))",
    "x : int", "*", ",", " ", "    ", "\t", "\n", "\n\n", "\r\n", "\x0b", "Raises:", "Returns", "é", "\ud800", "x, y: both",
]  # fmt: skip
texts = st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(texts)
def test_any_text_can_be_read(text: str) -> None:
    """No text raises, and nothing is told of a parameter that is not in it."""
    told = read_docstring(text)
    assert all(name in text for name in told.parameters)
    assert told == read_docstring(text)


@given(texts)
def test_the_compiler_s_indentation_changes_nothing(text: str) -> None:
    """A docstring that Python 3.13 has stripped is read as the one in the source."""
    assert read_docstring(text) == read_docstring(compiled(text))


def compiled(text: str) -> str:
    """What Python 3.13 makes of a docstring: the common indentation goes, counted in blanks alone, and that of the first line."""
    first, *rest = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in rest if line.strip(" ")), default=0)
    return "\n".join([first.lstrip(" "), *(line[margin:] for line in rest)])


HOSTILE = {
    "headers": "Args:\n",
    "headers and blanks": "Args:\n\n",
    "entries": "    x: X.\n",
    "open brackets": "(",
    "names": "x, ",
    "blanks": " ",
    "blank lines": "\n",
    "dashes": "-",
    "numpy headers": "Parameters\n---\n",
    "fields": ":param x:\n",
    "deeper and deeper": "Args:\n  x: X.\n    ",
    "examples": ">>> \n",
    "fences": "```\n",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "before", ["", "Args:\n    x", "Args:\n    x (", "Parameters\n----------\n"], ids=["bare", "entry", "type", "numpy"]
)
def test_time_grows_with_the_text(piece: str, before: str) -> None:
    """Two hundred thousand characters of anything are read at once: were it quadratic, it would take minutes."""
    text = before + piece * (200_000 // len(piece))
    started = time.perf_counter()
    read_docstring(text)
    assert time.perf_counter() - started < 10


words = st.text("abcdefghij ,;.()-*", min_size=1, max_size=30).map(str.strip).filter(lambda line: line[:1].isalpha())
paragraphs = st.lists(words, min_size=1, max_size=3).map("\n".join)
told_of = st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True), paragraphs, max_size=4)


def google(parameters: Mapping[str, str]) -> str:
    """In the style of Google."""
    entries = ["    " + f"{name} (int): {text}".replace("\n", "\n" + " " * 8) for name, text in parameters.items()]
    return "\n".join(["Args:", *entries])


def numpy(parameters: Mapping[str, str]) -> str:
    """In the style of NumPy."""
    entries = [f"{name} : int\n    " + text.replace("\n", "\n    ") for name, text in parameters.items()]
    return "\n".join(["Parameters", "----------", *entries])


def sphinx(parameters: Mapping[str, str]) -> str:
    """In the style of Sphinx."""
    return "\n".join(f":param {name}: {text}".replace("\n", "\n    ") for name, text in parameters.items())


@pytest.mark.parametrize("style", [google, numpy, sphinx])
@given(paragraphs, told_of, st.integers(0, 8))
def test_what_was_written_comes_back(
    style: Callable[[Mapping[str, str]], str], summary: str, parameters: dict[str, str], margin: int
) -> None:
    """In each style, whatever the indentation: the description, and the text of each parameter."""
    written = f"{summary}\n\n{style(parameters)}" if parameters else summary
    told = read_docstring(written.replace("\n", "\n" + " " * margin))
    assert (summary, parameters) == (told.description, told.parameters)

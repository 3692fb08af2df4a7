"""Properties of prompts that are made of arguments: whatever an argument holds arrives at the model exactly as it was given."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from settled import Agent, MisuseError, answered_by
from settled.agent.template import template_of
from settled.testing import FunctionProvider

ECHO = FunctionProvider(lambda request: request.messages[-1].text)


@answered_by(ECHO)
def tell(first: str, second: str, data: object = None) -> str:
    """One [{first}], two [{second}], again [{first}], data [{data}], literal {{first}} and {"json": 1}."""
    raise NotImplementedError


@Agent(str, model=ECHO).prompt
def plain(text: str) -> str:
    """The text itself."""
    return f"<{text}>"


HOSTILE = [
    "{first}", "{second}", "{{first}}", "{{{first}}}", "{0}", "{}", "{first.__class__.__mro__}", "{first[0]}", "{first!r}",
    "{first:>1000000}", "{{ 7 * 7 }}", "{% for x in y %}", "{{ self.__init__.__globals__ }}", "${first}", "$first", "%(first)s",
    "%s%n", "#{7*7}", "<%= 7*7 %>", "\\x00", "\\N{BULLET}", "\n    indented\n", "\t", "\r\n", "\x00", "\u2028",
    "\u202e", "é", "e\u0301",
]  # fmt: skip
texts = st.text() | st.sampled_from(HOSTILE) | st.lists(st.sampled_from([*HOSTILE, "a", " "])).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner)
)


@given(texts, texts)
@example("{second}", "{first}")
def test_texts_arrive_as_they_are(first: str, second: str) -> None:
    """An argument is text, whatever it looks like: nothing in it is replaced, evaluated, trimmed or escaped."""
    expected = f'One [{first}], two [{second}], again [{first}], data [null], literal {{first}} and {{"json": 1}}.'
    assert expected == tell(first, second) == tell.render(first, second)


@given(values)
def test_data_arrives_as_json(data: Any) -> None:
    """Other data arrives as JSON that says the same; a text inside data too."""
    told = tell("", "", data)
    written = told.partition("data [")[2].rpartition("], literal")[0]
    assert written == data if isinstance(data, str) else json.loads(written) == data


@given(texts)
def test_a_prompt_of_a_body_arrives_as_it_is(text: str) -> None:
    """So does what the body of a prompt function returns."""
    assert plain(text) == f"<{text}>"


@given(st.text(alphabet=st.sampled_from(list("{}ab.[]!: \n0_")), max_size=30), texts)
def test_templates_do_only_what_they_say(template: str, argument: str) -> None:
    """Of any template, only ``{a}`` and ``{{a}}`` are replaced; or it is refused, before there is any argument."""
    try:
        made = template_of(template, ["a"], "f")
    except MisuseError:
        assert re.search(r"\{[^\W\d]\w*[}.\[!:]", template)
        return
    pieces = re.split(r"(\{\{[^\W\d]\w*\}\}|\{a\})", template)  # every other one is a place or a literal
    pieces[1::2] = [argument if piece == "{a}" else piece[1:-1] for piece in pieces[1::2]]
    expected = "".join(pieces)
    assert expected == made.filled({"a": argument})


class Trap(str):
    """A text that tells whoever formats it."""

    def __format__(self, spec: str) -> str:
        raise AssertionError("formatted")

    def __str__(self) -> str:
        raise AssertionError("asked for its str")

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_evil"):
            raise AssertionError("looked into")
        return super().__getattribute__(name)


@given(texts)
def test_a_text_is_never_asked_to_write_itself(text: str) -> None:
    """A class of texts of the caller's is not asked how to write or format itself."""
    assert tell(Trap(text), "x").startswith(f"One [{text}], two [x]")


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_texts(text: str) -> None:
    """Each known trick arrives as text, alone and inside data."""
    assert f"One [{text}]" in tell(text, "x")
    assert json.dumps([text], ensure_ascii=False, separators=(",", ":")) in tell("", "", [text]).replace("\\u2028", "\u2028")

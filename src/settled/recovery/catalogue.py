"""The catalogue: every repair there is, by code. Nothing else is ever mended, and `docs/recovery.md` lists the same rows.

A repair is local: it changes one place, leaves every other leaf as it was, and has one reading. What has two is refused instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..vocabulary.issues import Repair, RepairLevel
from ..vocabulary.value import made

MOST_OF_A_CODE = 100
"""Repairs of one code that are listed one by one; one more counts the rest."""
_LONGEST = 40


class Kind(NamedTuple):
    """One row of the catalogue."""

    code: str
    """Its stable name: a noun and what becomes of it."""
    level: RepairLevel
    """The level from which on it is made."""
    does: str
    """What it does, in words."""
    example: str
    """A reply that needs it."""
    form: str
    """The type of the example, as a word of `docs/recovery.md`."""
    gives: str
    """What the example is read as, as JSON."""


_GOOD = '{"mood":"good","score":7}'

# fmt: off
_ROWS: tuple[Kind, ...] = (
    Kind("reasoning.removed", "framing",
         "leaves out reasoning blocks and analysis channels",
         '<think>hm</think>{"mood": "good", "score": 7}', "Mood", _GOOD),
    Kind("prose.removed", "framing",
         "leaves out the text around the payload",
         'Here you are: {"mood": "good", "score": 7} Bye!', "Mood", _GOOD),
    Kind("fence.stripped", "framing",
         "takes the payload out of a Markdown fence",
         '```json\n{"mood": "good", "score": 7}\n```', "Mood", _GOOD),
    Kind("tag.stripped", "framing",
         "takes the payload out of a tag",
         '<answer>{"mood": "good", "score": 7}</answer>', "Mood", _GOOD),
    Kind("token.removed", "framing",
         "leaves out special tokens, and what follows the end of the turn",
         '{"mood": "good", "score": 7}<|im_end|>', "Mood", _GOOD),
    Kind("blank.odd", "framing",
         "takes byte order marks, no-break and zero-width blanks between tokens as blanks",
         '\ufeff{"mood":\u00a0"good", "score": 7}', "Mood", _GOOD),
    Kind("repeat.removed", "framing",
         "takes one of several equal payloads",
         "{\"mood\": \"good\", \"score\": 7}\n{\"score\": 7, \"mood\": \"good\"}", "Mood", _GOOD),
    Kind("wrapper.absent", "framing",
         "accepts the bare value where it was asked for inside `value`, or tagged with its kind",
         "[1, 2]", "list[int] in native mode", "[1,2]"),
    Kind("html.unescaped", "framing",
         "decodes HTML entities when they stand for the quotes of the payload",
         "{&quot;mood&quot;: &quot;good&quot;, &quot;score&quot;: 7}", "Mood", _GOOD),
    Kind("comma.trailing", "syntax",
         "drops a comma before a closing bracket",
         '{"mood": "good", "score": 7,}', "Mood", _GOOD),
    Kind("comma.missing", "syntax",
         "supplies a comma between two members or items",
         '{"mood": "good"\n"score": 7}', "Mood", _GOOD),
    Kind("comma.extra", "syntax",
         "drops a comma too many between the members of an object",
         '{"mood": "good",, "score": 7}', "Mood", _GOOD),
    Kind("colon.odd", "syntax",
         "takes `=`, `=>` or nothing for the colon",
         '{"mood" = "good", "score" => 7}', "Mood", _GOOD),
    Kind("closer.missing", "syntax",
         "supplies missing closing brackets where nothing can be missing with them",
         "{\"mood\": \"good\", \"score\": 7, \"note\": \"fine\", \"tags\": []", "Mood",
         "{\"mood\":\"good\",\"score\":7,\"note\":\"fine\",\"tags\":[]}"),
    Kind("closer.surplus", "syntax",
         "drops closing brackets too many at the end",
         '{"mood": "good", "score": 7}}', "Mood", _GOOD),
    Kind("quote.style", "syntax",
         "takes single, curly, full-width, triple and backtick quotes as quotes",
         "{'mood': 'good', 'score': 7}", "Mood", _GOOD),
    Kind("quote.inner", "syntax",
         "keeps unescaped quotes inside a string",
         '["say "hi" to her"]', "list[str]", '["say \\"hi\\" to her"]'),
    Kind("quote.missing", "syntax",
         "supplies one missing quote at the end of a line or of a key",
         '{"mood": "good,\n"score": 7}', "Mood", _GOOD),
    Kind("key.unquoted", "syntax",
         "takes an unquoted key as a key",
         '{mood: "good", score: 7}', "Mood", _GOOD),
    Kind("punctuation.wide", "syntax",
         "takes full-width brackets, colons and commas for the plain ones",
         '｛"mood"："good"，"score"：7｝', "Mood", _GOOD),
    Kind("comment.removed", "syntax",
         "leaves out comments",
         '{"mood": "good", // so far\n"score": 7}', "Mood", _GOOD),
    Kind("literal.spelled", "syntax",
         "takes `True`, `None`, `undefined` and their like as JSON literals",
         "True", "bool", "true"),
    Kind("python.repr", "syntax",
         "reads tuples, string prefixes and constructor calls as Python prints them",
         "Mood(mood='good', score=7)", "Mood", _GOOD),
    Kind("string.joined", "syntax",
         "joins string literals that are added up",
         '["a " + "b"]', "list[str]", '["a b"]'),
    Kind("string.raw", "syntax",
         "keeps raw line breaks and other control characters inside a string",
         '["one\ntwo"]', "list[str]", '["one\\ntwo"]'),
    Kind("escape.invalid", "syntax",
         "keeps the backslash of an escape that JSON does not know; `\\'` is an apostrophe",
         '["\\d+"]', "list[str]", '["\\\\d+"]'),
    Kind("number.spelled", "syntax",
         "reads `+7`, `.5`, `7.` and the true minus sign as numbers",
         "[+7, −8]", "list[int]", "[7,-8]"),
    Kind("word.unquoted", "syntax",
         "takes an unquoted word for the member of a choice that it names, or for a value of YAML or XML",
         '{"mood": good, "score": 7}', "Mood", _GOOD),
    Kind("key.style", "schema",
         "takes a key of another style or case for the field it names",
         '{"Mood": "good", "SCORE": 7}', "Mood", _GOOD),
    Kind("key.alias", "schema",
         "takes a field's name for its alias",
         '{"display_name": "Bo"}', "Aliased", '{"displayName":"Bo"}'),
    Kind("enum.near", "schema",
         "takes another case, punctuation, Markdown, the member's name or a remark for the one member it names",
         '{"mood": "**Good**", "score": 7}', "Mood", _GOOD),
    Kind("list.wrapped", "schema",
         "takes one item for a list of one",
         "5", "list[int]", "[5]"),
    Kind("list.unwrapped", "schema",
         "takes a list of one for its item",
         '[{"mood": "good", "score": 7}]', "Mood", _GOOD),
    Kind("list.of_lines", "schema",
         "takes objects one after another for a list of them",
         '{"mood": "good", "score": 7}\n{"mood": "good", "score": 7}',
         "list[Mood]", '[{"mood":"good","score":7},{"mood":"good","score":7}]'),
    Kind("number.as_text", "schema",
         "takes a number for the text of its digits",
         '{"mood": "good", "score": 7, "note": 0.50}', "Mood", '{"mood":"good","score":7,"note":"0.50"}'),
    Kind("json.double_encoded", "schema",
         "decodes a container that was written as a JSON string",
         '"{\\"mood\\": \\"good\\", \\"score\\": 7}"', "Mood", _GOOD),
    Kind("null.as_empty", "schema",
         "takes null for a list that has a default as that default",
         '{"mood": "good", "score": 7, "tags": null}', "Mood", _GOOD),
    Kind("wrapper.unwrapped", "schema",
         "takes the payload out of a known wrapper: a type or tool name, `result`, `data`, a tool call and their like",
         '{"result": {"mood": "good", "score": 7}}', "Mood", _GOOD),
    Kind("tag.external", "schema",
         "takes `{kind: fields}` for the fields with their kind",
         '{"ping": {"host": "a"}}', "Ping | Pong", '{"kind":"ping","host":"a"}'),
    Kind("call.read", "schema",
         "reads a function call written in tags",
         "<function=f>\n<parameter=mood>\ngood\n</parameter>\n<parameter=score>\n7\n</parameter>\n</function>", "Mood", _GOOD),
    Kind("number.grouped", "semantic",
         "reads grouped digits and currencies, and percentages where the bounds of the field tell what they are a share of",
         '{"mood": "good", "score": "1,007"}', "Mood", '{"mood":"good","score":1007}'),
    Kind("date.format", "semantic",
         "reads dates and times beyond ISO 8601 where they have one reading",
         '{"day": "May 1, 2024"}', "Day", '{"day":"2024-05-01"}'),
    Kind("null.word", "semantic",
         "takes words for no value as null, where a text is not due",
         '{"a": "n/a"}', "dict[str, int | None]", '{"a":null}'),
    Kind("yaml.read", "semantic",
         "reads YAML, Markdown lists and tables of fields",
         "mood: good\nscore: 7", "Mood", _GOOD),
    Kind("xml.read", "semantic",
         "reads an XML payload",
         "<m><mood>good</mood><score>7</score></m>", "Mood", _GOOD),
    Kind("scalar.in_prose", "semantic",
         "takes the one value that a sentence names",
         "The answer is **17**.", "int", "17"),
    Kind("final.marked", "semantic",
         "takes the payload that is marked as the final or corrected one",
         "First: [1, 2]\nFinal answer: [1, 3]", "list[int]", "[1,3]"),
    Kind("chosen.first", "semantic",
         'takes the first of several payloads, when `prefer="first"` asks for it',
         "[1] and [2]", 'list[int] with prefer="first"', "[1]"),
    Kind("chosen.last", "semantic",
         'takes the last of several payloads, when `prefer="last"` asks for it',
         "[1] and [2]", 'list[int] with prefer="last"', "[2]"),
)
# fmt: on

CATALOGUE: Mapping[str, Kind] = {kind.code: kind for kind in _ROWS}
"""Every repair by its code, in the order in which they reach deeper."""


def repair_of(
    code: str, *, path: str = "$", span: tuple[int, int] | None = None, before: str | None = None, after: str | None = None
) -> Repair:
    """A repair of the catalogue, with excerpts kept short.

    Example:
        >>> repair_of("comma.trailing", path="$.tags").level
        'syntax'
    """
    return made(Repair, code=code, level=CATALOGUE[code].level, path=path, span=span, before=_short(before), after=_short(after))


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST else text[:_LONGEST] + "..."

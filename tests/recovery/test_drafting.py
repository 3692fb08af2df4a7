"""Drafts of a reply while it arrives: where its payload begins, what is shown of it, who is told, and the price."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import Literal

import pytest
from pydantic import BaseModel, JsonValue, TypeAdapter

from settled.recovery.arriving import Lens
from settled.recovery.drafting import Drafter
from settled.recovery.drafting_text import TextDrafter
from settled.recovery.drafts import Draft, Event, Grew, NodeClosed, NodeOpened, NodeState, spelled
from settled.recovery.scanner import DEEPEST
from settled.recovery.searching import without_reasoning
from settled.schema.target import OutputTarget

FIRST, SECOND = '{"a": 1}', '{"b": 2}'


def fed(text: str, drafter: Drafter | None = None, *, size: int = 1, ends: bool = False) -> Drafter:
    """A drafter that was given a text in pieces of some size."""
    drafter = drafter or Drafter()
    for start in range(0, len(text), size):
        drafter.feed(text[start : start + size])
    if ends:
        drafter.finish()
    return drafter


def shown(text: str, *, ends: bool = False) -> tuple[NodeState, JsonValue, bool]:
    """The state, the data and whether it is stalled, of the draft of a text; the same in single characters and in one piece."""
    drafts = [fed(text, size=size, ends=ends).draft for size in (1, 7, len(text) or 1)]
    (one,) = {(draft.state(), repr(draft.data), draft.stalled): draft for draft in drafts}.values()
    return one.state(), one.data, one.stalled


# ------------------------------------------------------------------------------------------------------- where it begins


@pytest.mark.parametrize(
    "before",
    [
        "", " \n\t", "\ufeff", "\u200b ", "Here you go: ", "It is done.\n\n", "```json\n", "```\n", "```JSON5\n",
        "````jsonc\n", "~~~json\n", '<think>Say {"b": 2}</think>', '<think>\n[1, 2]\n</think>\n\n```json\n',
        '<Thinking>{"b": 2}</thinking >', "hm</think>", 'I could say {x} or [y].</think>\n',
        '[THINK]{"b": 2}[/THINK]', '◁think▷{"b": 2}◁/think▷', '<seed:think>{"b": 2}</seed:think>',
        '<|begin_of_thought|>{"b": 2}<|end_of_thought|>', "hm<|end_of_thought|>",
        '<|channel|>analysis<|message|>{"b": 2}<|end|><|start|>assistant<|channel|>final<|message|>',
        "<|channel|>final <|constrain|>json<|message|>", "<|im_start|>assistant\n", "<s>", "<|eot_id|>", "[TOOL_CALLS]",
        "[INST] Give {x} [/INST]", '<|im_start|>user\n{"b": 2}<|im_end|>\n<|im_start|>assistant\n', "<answer>",
        "<tool_call>\n", "<output>", "<other>", "<br/>", '<!-- {"b": 2} -->', '<!--\n{"b": 2}\n-->\n',
        "as said [sic] in {city} ", "{name} is ", "see [2] for more: ", "on [0, 1) the ", "[note] ", "[nil] ",
        "[true story] ", "- [ ] to do\n- [x] done\n", "a `{` b `<think>` c ", "a ``b`` c ~ d ",
        "if a < b and c <= d: ", "x <- y <3 <<< <! ", "f(x) = ", "answer=", "\\frac{1}{2} ", "a `code\n",
        "int[] and {} ", "[see {this}] ", '{"name"} as ', '<parameter name="x">[1, 2]</parameter>',
        '<n:parameter=x>{"b": 2}</n:parameter>', '```python\nx = {"b": 2}\n```\n', "~~~sql\nselect '[1, 2]'\n~~~\n",
        '{x: {"b": 2}}\n', "{'b': [{\"b\": 2}]}\n", "｛x［y］｝ ", '"So" it is: ', "7 of them: ", "-5 or so: ",
        "that is ", "null and void: ", '"{x}" means ', "[1] Smith, ", "(see [12]) ", "the interval [0, 1] and ",
        "a {\n```json\n", 'say {"x\n```json\n',
    ],
    ids=repr,
)  # fmt: skip
def test_the_payload_is_found(before: str) -> None:
    """Behind reasoning, fences, tokens, tags, remarks, and prose with brackets, the payload is what is shown."""
    assert shown(before + FIRST, ends=True) == ("closed", {"a": 1}, False)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "no brackets at all", "[note]", "{name}", "{", "[", "[n", "[1", '{"na', '{"name"', "see [2] for",
        "on [0, 1)", "on [[0, 1)", '<think>{"a": 1}', '[THINK]{"a": 1}', '◁think▷{"a": 1}',
        '<|channel|>analysis<|message|>{"a": 1}', '<!-- {"a": 1}', '```python\n{"a": 1}\n```', '"a": {"a": 1}',
        "“a” ： [1, 2]", 'Mood(tags=[{"a": 1}])', 'f(x=1, y={"a": 1})', '{x: {"a": 1}}', '{\\"a\\": [1, 2, {"a": 1}]}',
        '[x, {"a": 1}]', "{'a': [1, 2, 3]}", '｛"a"：[1, 2]｝', "Done.<|im_end|>{\"a\": 1}",
        'Done.<|im_start|>user\n{"a": 1}', '<parameter name="x">{"a": 1}', '<|im_start|>user\n{"a": 1}',
        '<arg_value>{"a": 1}</arg_value>', "[INST] [1, 2, 3]", "on the range [0, 5, 7] it", "use {} or [] here",
        "12 <|im_end|>", '"a" b', "1,", "nope", '"a', "01", "tru", "-", "[NaN]", "[Infinity, 1]", "[01, 2]", "['a']",
        "[,]", "{,}", "{]", "[}", "\"a\x00b\"", '"\ud800"', '"\\ud800"', "9" * 5000, "see [1] and", "[<think>", "<",
        "<!-", "<a", "`", "```js", "<|channel|>", "[/", "~~",
    ],
    ids=lambda text: ascii(text[:40]),
)  # fmt: skip
def test_nothing_is_shown(text: str) -> None:
    """What does not begin as JSON does, or is no answer, is never shown."""
    assert shown(text, ends=True) == ("absent", None, False)


@pytest.mark.parametrize(
    "text, data",
    [
        ('{"a":', "{}"),
        ('{"a" :', "{}"),
        ('["', '[""]'),
        ("[1,", "[1]"),
        ('[{"a":', "[{}]"),
        ("[[1,", "[[1]]"),
        ("[ {}", "[{}]"),
        ("Here: [1, 2, 3,", "[1, 2, 3]"),
        ('Here: ["', '[""]'),
        ("```json\n[1,", "[1]"),
        ("[" + " " * 1000, "[]"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_when_it_is_announced(text: str, data: str) -> None:
    """A payload is shown as soon as it can hardly be anything else: with the colon of a key, or the comma behind a number."""
    assert shown(text) == ("open", json.loads(data), False)
    assert shown(text[:-1])[0] == "absent"


@pytest.mark.parametrize(
    "text, data",
    [
        ("[]", "[]"),
        ("{}", "{}"),
        (" [7]", "[7]"),
        ("[[]]", "[[]]"),
        ("```json\n{}\n```", "{}"),
        ("So: [7]", "[7]"),
        ("It is [1, 2].", "[1, 2]"),
    ],
    ids=str,
)
def test_short_ones_wait_for_what_follows(text: str, data: str) -> None:
    """What closes before it was certain is judged as brackets are, by what stands around it."""
    assert shown(text, ends=True) == ("closed", json.loads(data), False)


@pytest.mark.parametrize(
    "text", ["7", "-1.50", '"x y"', '"\\u00e9"', "true", "null", " 1e3 \n", '<think>a</think>"x"', "\ufeff7"], ids=str
)
def test_a_scalar_is_shown_at_the_end(text: str) -> None:
    """A scalar that is all of the text is shown when that has ended, since anything could still follow."""
    assert shown(text) == ("absent", None, False)
    assert shown(text, ends=True) == ("closed", json.loads(text.rpartition(">")[2].strip("\ufeff")), False)


@pytest.mark.parametrize(
    "behind", ["", "\n```\n", " Done, [as] {you} said.", SECOND, ' "x', "<|im_end|>[1]", "```json\n[1]\n```"], ids=str
)
def test_what_follows_a_payload_changes_nothing(behind: str) -> None:
    """Behind a payload that is closed, nothing is announced; the judgement on the whole text decides."""
    assert shown(FIRST + behind, ends=True) == ("closed", {"a": 1}, False)


def test_a_payload_that_was_reasoning_is_stalled() -> None:
    """Where reasoning ends behind a payload, that was no answer: drafts tell that they do not go on."""
    assert shown(FIRST + " hm?</think>" + SECOND, ends=True) == ("closed", {"a": 1}, True)


# --------------------------------------------------------------------------------------------------------- what is shown


@pytest.mark.parametrize(
    "text, data",
    [
        ('{"a": 1', {}),
        ('{"a": 1 ', {}),
        ('{"a": 1,', {"a": 1}),
        ('{"a": true', {}),
        ('{"a": null', {}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, "b": ', {"a": 1}),
        ('{"a": "', {"a": ""}),
        ('{"a": "x', {"a": "x"}),
        ('{"a": "x"', {"a": "x"}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\n', {"a": "x\n"}),
        ('{"a": "x\\ud83d', {"a": "x"}),
        ('{"a": "x\\uD83D\\uDE', {"a": "x"}),
        ('{"a": "x\\ud83d\\ude00', {"a": "x😀"}),
        ('{"a": [', {"a": []}),
        ('{"a": [1, [2, {"b": "', {"a": [1, [2, {"b": ""}]]}),
        ('{"a": 1, "a": ', {"a": 1}),
        ('{"a": 1, "a": 2', {"a": 1}),
        ('{"a": 1, "b": 3, "a": "x', {"a": "x", "b": 3}),
        ('{"a": 1, "b": 3, "a": [2]', {"a": [2], "b": 3}),
        ('{"\\u0061\\ud83d\\ude00": [1,', {"a😀": [1]}),
    ],
    ids=str,
)
def test_open_parts(text: str, data: JsonValue) -> None:
    """Strings grow; a key, a number, a literal or half an escape is not there before it is closed; the last of twins wins."""
    state, found, stalled = shown(text)
    assert (state, found, stalled) == ("open", data, False)
    assert list(found if isinstance(found, dict) else ()) == list(data if isinstance(data, dict) else ())


@pytest.mark.parametrize(
    "text, data",
    [
        ('{"a": 1, b', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": 1 "b"', {}),
        ('{"a": "x" y"}', {"a": "x"}),
        ('{"a": "x\ny"}', {"a": "x"}),
        ('{"a": "x\\qy"}', {"a": "x"}),
        ('{"a": "x\\u00zz"}', {"a": "x"}),
        ('{"a": "x\\ud83dy"}', {"a": "x"}),
        ('{"a": "x\\ude00"}', {"a": "x"}),
        ('{"a": "x\ud83d"}', {"a": "x"}),
        ('{"a": 1]', {}),
        ('{"a": [1, 2}', {"a": [1]}),
        ('{"a": 1, "b" 2}', {"a": 1}),
        ('{"a": 1, "b\n": 2}', {"a": 1}),
        ('{"a": 1, "b\\q": 2}', {"a": 1}),
        ('{"a": tru, "b": 1}', {}),
        ('{"a": truex, "b": 1}', {}),
        ('{"a": 01}', {}),
        ('{"a": 1.}', {}),
        ('{"a": +1}', {}),
        ('{"a": NaN}', {}),
        ('{"a": ' + "9" * 5000 + "}", {}),
        ("[1, 2, 3, x]", [1, 2, 3]),
        ("[1,]", [1]),
    ],
    ids=lambda value: ascii(value[:40]) if isinstance(value, str) else None,
)
def test_the_first_defect_stalls(text: str, data: JsonValue) -> None:
    """Where the text is no JSON drafts stop growing, whatever follows."""
    assert shown(text + ', "z": 1}', ends=True) == ("open", data, True)


@pytest.mark.parametrize("levels, state", [(DEEPEST, "closed"), (DEEPEST + 1, "open")], ids=["deepest", "deeper"])
def test_nesting_has_a_limit(levels: int, state: NodeState) -> None:
    """Deeper than recovery reads, drafts do not go."""
    found = shown('["", ' + "[" * (levels - 1) + "]" * levels)
    assert (state, state == "open") == (found[0], found[2])


def test_feeding_goes_on_behind_the_end() -> None:
    """A drafter that has finished or stalled takes more text and ignores it."""
    drafter = fed(FIRST, ends=True)
    assert [{"a": 1}] == [*drafter.feed(SECOND), *drafter.finish(), drafter.draft.data]


# --------------------------------------------------------------------------------------------------------------- states


PATHS: list[tuple[tuple[str | int, ...], NodeState]] = [
    ((), "open"), (("a",), "closed"), (("a", 0), "closed"), (("a", 0, "b"), "closed"), (("a", 1), "absent"),
    (("a", "0"), "absent"), (("a", -1), "absent"), (("a", 0, "b", 0), "absent"), (("c",), "open"),
    (("c", 0), "closed"), (("c", 1), "open"), (("c", 2), "absent"), (("c", 1, "d"), "open"),
    (("c", 1, "d", 0), "absent"), (("c", 1, "e"), "closed"), (("c", 1, "f"), "absent"), (("x",), "absent"),
    ((0,), "absent"), (("c", "x"), "absent"),

]  # fmt: skip


@pytest.mark.parametrize("path, state", PATHS, ids=str)
@pytest.mark.parametrize("later", ["", 'z", "f": 1}, 2], "x": [3], "c": 4}'], ids=["now", "later"])
def test_states(path: tuple[str | int, ...], state: NodeState, later: str) -> None:
    """A part is absent, open or closed, and stays so in a draft that was taken, whatever comes later."""
    drafter = fed('{"a": [{"b": 1}], "c": [5, {"e": null, "d": "y')
    draft = drafter.draft
    fed(later, drafter)
    assert state == draft.state(path)
    assert draft.open_path == ("c", 1, "d")


def test_states_behind_twins() -> None:
    """Of a draft from before, among keys that came twice later, only what was there is there."""
    drafter = fed('{"a": 1, "b": 2, "a": 3, ')
    early = drafter.draft
    fed('"c": 4, "b": 5, ', drafter)
    late = drafter.draft
    fed('"b": 6}', drafter)
    assert ({"a": 3, "b": 2}, {"a": 3, "b": 5, "c": 4}) == (early.data, late.data)
    assert ["closed", "absent"] == [early.state(("b",)), early.state(("c",))]
    assert drafter.draft.data == {"a": 3, "b": 6, "c": 4}


def test_states_of_a_whole_value() -> None:
    """Of a value that is closed every part that it has is closed; of nothing, nothing."""
    draft = fed('{"a": [1]}').draft
    assert ["closed", "closed", "absent"] == [draft.state(path) for path in ((), ("a", 0), ("a", 1))]
    assert draft.open_path is None
    assert Draft().state(("a",)) == "absent"


def test_repr_has_no_content() -> None:
    """What a draft holds is not in its repr."""
    assert repr(fed('{"secret": "x').draft) == "Draft(state='open', stalled=False)"


def test_spelling() -> None:
    """A path is spelled as issues spell it."""
    assert spelled(("a", 0, "b-c", "d e")) == "$.a[0].b-c['d e']"


# ------------------------------------------------------------------------------------------------------------- sharing


def entries(data: JsonValue, *path: str | int) -> JsonValue:
    """The part of some data at a path."""
    for step in path:
        data = (
            data[step]
            if isinstance(data, list) and isinstance(step, int)
            else dict(data)[str(step)]
            if isinstance(data, dict)
            else None
        )
    return data


def test_closed_parts_are_shared() -> None:
    """What is closed is the same object in all later drafts, and what is open an object of each draft."""
    drafter = fed('{"a": {"b": [1]}, "c": [[2], ')
    early, again = drafter.draft, drafter.draft
    late = fed("3]}", drafter).draft
    assert early is again
    assert entries(early.data, "a") is entries(late.data, "a")
    assert entries(early.data, "c", 0) is entries(late.data, "c", 0)
    assert entries(early.data, "c") is not entries(late.data, "c")


def test_open_parts_are_copies() -> None:
    """What a consumer does to the open parts of a draft touches neither the drafter nor another draft."""
    drafter = fed('{"a": [1, ["x')
    data = drafter.draft.data
    assert isinstance(data, dict)
    data.clear()
    assert {"a": [1, ["xy"]]} == fed("y", drafter).draft.data


def test_drafts_stay() -> None:
    """A draft shows what was known when it was taken, in whatever order drafts are read."""
    drafter, drafts, texts = Drafter(), list[Draft](), '{"a": "xyz", "b": [{}, "uvw", 7], "c": {"d": "r'
    for place, piece in enumerate(texts):
        drafter.feed(piece)
        drafts.append(drafter.draft)
        assert place + 1 == len(drafts)
    backwards = [draft.data for draft in reversed(drafts)]
    assert [fed(texts[: end + 1]).draft.data for end in range(len(texts))] == backwards[::-1]


# -------------------------------------------------------------------------------------------------------------- events


def told(text: str, drafter: Drafter, *, size: int = 100) -> list[Event]:
    """What a drafter tells of a text."""
    events = [event for start in range(0, len(text), size) for event in drafter.feed(text[start : start + size])]
    return [*events, *drafter.finish()]


def test_events() -> None:
    """Parts open, grow and close in the order of the text; scalars only close."""
    assert told('So: {"a": [1, "xy"], "b": {}}', Drafter(), size=24) == [
        NodeOpened((), "object"),
        NodeOpened(("a",), "list"),
        NodeClosed(("a", 0), 1),
        NodeOpened(("a", 1), "string"),
        Grew(("a", 1), "xy"),
        NodeClosed(("a", 1), "xy"),
        NodeClosed(("a",), [1, "xy"]),
        NodeOpened(("b",), "object"),
        NodeClosed(("b",), {}),
        NodeClosed((), {"a": [1, "xy"], "b": {}}),
    ]


def test_events_wait_for_certainty() -> None:
    """Of what could still be prose nothing is told, and of what was prose nothing ever."""
    drafter = Drafter()
    assert not [*drafter.feed("as [1, 2) says: "), *drafter.feed("[[1"), *drafter.feed(", 2")]
    assert [event.path for event in drafter.feed(", 3, 4, ")] == [(), (0,), (0, 0), (0, 1), (0, 2), (0, 3)]


def test_events_of_a_scalar() -> None:
    """A scalar that is all of the text is told when that ends; a string with what it is made of."""
    assert told("7", Drafter()) == [NodeClosed((), 7)]
    assert told('"x"', Drafter()) == [NodeOpened((), "string"), Grew((), "x"), NodeClosed((), "x")]


def test_no_events() -> None:
    """Events that nobody wants are not made."""
    assert told('{"a": ["x", 1, {}]}', Drafter(events=False)) == []


# -------------------------------------------------------------------------------------------------------------- choices


class Tone(Enum):
    """A choice with a member that begins like another."""

    LOW = "low"
    LOWEST = "lowest"


class Inner(BaseModel):
    """What holds choices."""

    tone: Tone
    kind: Literal["a", "b"] | None = None
    words: tuple[Literal["x"], str] | list[Tone] = ("x", "")
    free: Literal["x"] | str = "x"
    inner: Inner | None = None
    by_name: dict[str, Tone] = {}
    text: str = ""


@pytest.mark.parametrize(
    "text, is_shown",
    [
        ('{"tone": "lo', False),
        ('{"kind": "a', False),
        ('{"free": "x', True),
        ('{"text": "x', True),
        ('{"unknown": "x', True),
        ('{"inner": {"inner": {"tone": "lo', False),
        ('{"inner": {"text": "lo', True),
        ('{"by_name": {"tone": "lo', False),
        ('{"by_name": ["lo', True),
        ('{"words": ["x', False),
        ('{"words": ["x", "y', True),
        ('{"words": ["x", "y", "z', False),
        ('{"text": {"a": "x', True),
    ],
    ids=str,
)
def test_half_a_choice_is_not_shown(text: str, is_shown: bool) -> None:
    """Where the type has a choice and no free text, a string is shown when it is closed."""
    drafter = fed(text, Drafter(expected=OutputTarget(Inner).expected))
    path = drafter.draft.open_path
    assert is_shown == (path is not None and isinstance(entries(drafter.draft.data, *path), str))
    drafter.feed('", ')
    assert text[text.rindex('"') + 1 :] in json.dumps(drafter.draft.data)


def test_events_of_a_choice() -> None:
    """A choice is told as other scalars are: when it is closed."""
    drafter = Drafter(expected=OutputTarget(list[Tone]).expected)
    assert told('["low", "l', drafter, size=1) == [NodeOpened((), "list"), NodeClosed((0,), "low")]


def test_a_root_that_is_a_choice() -> None:
    """The same where the choice is the whole value, in a frame."""
    drafter = fed('{"value": "lo', Drafter(expected=OutputTarget(Tone).expected, lens=Lens(("value",))))
    assert drafter.draft.state() == "absent"
    assert fed('west"}', drafter).draft.data == "lowest"


# -------------------------------------------------------------------------------------------------------------- watches


def test_items_are_exact() -> None:
    """An item is the text as it was written, so that no digit is lost, each once and in order."""
    drafter = Drafter()
    items = drafter.items(("a", "b"))
    fed('{"x": [0], "a": {"b": [ 1.50 , {"c": [ 12345678901234567890.10 ]},"\\u00e9", [] ,nul', drafter)
    assert ["1.50", '{"c": [ 12345678901234567890.10 ]}', '"\\u00e9"', "[]"] == [item.text for item in items.take()]
    fed('l], "b2": [3]}}', drafter)
    assert [(4, "null")] == [tuple(item) for item in items.take()]
    assert (items.take(), items.is_repeated) == ([], False)


def test_items_of_a_validator() -> None:
    """What an item's text gives in pydantic is what the item is."""
    drafter = Drafter()
    items = drafter.items()
    fed('[{"tone": "low", "text": "1.10"}, {"tone"', drafter)
    assert [TypeAdapter(Inner).validate_json(item.text).tone for item in items.take()] == [Tone.LOW]


def test_fields_are_exact() -> None:
    """A field is the text of one part, of any kind, when it is closed."""
    drafter = Drafter()
    paths: list[list[str | int]] = [[], ["a"], ["a", 1], ["a", 1, "b"], ["z"], ["a", 5], ["a", "b"]]
    fields = [drafter.field(path) for path in paths]
    fed('{"a": [1, {"b" : 2.0 }, ', drafter)
    assert [None, None, '{"b" : 2.0 }', "2.0", None, None, None] == [field.text for field in fields]
    fed('3], "z": "x"', drafter)
    assert [None, '[1, {"b" : 2.0 }, 3]', None] == [fields[place].text for place in (0, 1, 4)]
    fed("}", drafter)
    assert ['{"a": [1, {"b" : 2.0 }, 3], "z": "x"}', '"x"'] == [fields[0].text, fields[4].text]


def test_watches_of_what_was_prose() -> None:
    """What was read in brackets that were no payload is forgotten, and not handed out before they are certain to be one."""
    drafter = Drafter()
    items, field = drafter.items(), drafter.field((0,))
    fed("x [1, 2", drafter)
    assert (items.take(), field.text) == ([], None)
    fed("; [7, 8, 9,", drafter)
    assert (items.take(), field.text) == ([], None)  # inside brackets that were none
    fed("]] [7, 8, 9,", drafter)
    assert (["7", "8", "9"], "7") == ([item.text for item in items.take()], field.text)


def test_watches_of_a_text_that_began_as_a_scalar() -> None:
    """The same where the text began like a number."""
    drafter = Drafter()
    field = drafter.field(())
    assert fed("7 of: [1, 2]", drafter, ends=True).draft.data == [1, 2]
    assert field.text == "[1, 2]"


def test_a_watch_of_a_scalar() -> None:
    """A scalar that is all of the text is a field too."""
    drafter = Drafter()
    field = drafter.field(())
    fed(' "x\\u00e9" ', drafter, ends=True)
    assert (field.text, drafter.draft.data) == ('"x\\u00e9"', "xé")


@pytest.mark.parametrize(
    "text, is_repeated",
    [
        ('{"a": {"b": [1]}, "a": {"b": [2]}}', True),
        ('{"a": {"b": [1], "b": [2]}}', True),
        ('{"a": {"b": [1]}, "a": {}}', True),
        ('{"a": {"b": [1]}, "a": 7}', True),
        ('{"a": {"x": [1]}, "a": {"b": [2]}}', False),
        ('{"a": {"b": [1]}, "c": {"b": [2]}}', False),
        ('{"a": {"b": [1], "c": 1, "c": 2}}', False),
        ('{"a": {"b": [{"a": 1, "a": 2}]}}', False),
    ],
    ids=str,
)
def test_twins_are_told(text: str, is_repeated: bool) -> None:
    """A key on the way to what is watched that comes twice is told, and what was handed out first stays the only one."""
    drafter = Drafter()
    items, field = drafter.items(("a", "b")), drafter.field(("a", "b"))
    fed(text, drafter)
    assert (is_repeated, is_repeated) == (items.is_repeated, field.is_repeated)
    assert len(items.take()) == 1
    assert json.loads(text) == drafter.draft.data


def test_watching_comes_first() -> None:
    """What has passed is not kept, so a watch that comes too late is refused."""
    with pytest.raises(ValueError, match="before the first text"):
        fed("[").items()
    with pytest.raises(ValueError, match="before the first text"):
        fed("", ends=True).field(())


# ---------------------------------------------------------------------------------------------------------------- frames


WRAPPED, TAGGED, BOTH = Lens(("value",)), Lens(("data",), "kind"), Lens(("value", "data"), "kind")


@pytest.mark.parametrize(
    "lens, text, state, data",
    [
        (WRAPPED, '{"value": ', "absent", None),
        (WRAPPED, '{"value": {"a": "x', "open", {"a": "x"}),
        (WRAPPED, '{"value": "x', "open", "x"),
        (WRAPPED, '{"value": "x"', "open", "x"),
        (WRAPPED, '{"value": "x"}', "closed", "x"),
        (WRAPPED, '{"value": [1, 2', "open", [1]),
        (WRAPPED, '{"value": 1', "absent", None),
        (WRAPPED, '{"value": 1, "note": {"a": [2, "', "closed", 1),
        (WRAPPED, '{"value": [1], "value": [2, 3', "open", [2]),
        (WRAPPED, '{"a": {"value": 1}, "b": ', "open", {"a": {"value": 1}}),
        (WRAPPED, '{"a": 1, "value": 2}', "closed", {"a": 1, "value": 2}),
        (WRAPPED, "[1, ", "open", [1]),
        (WRAPPED, '[{"value": 1}, ', "open", [{"value": 1}]),
        (WRAPPED, "{}", "closed", {}),
        (WRAPPED, "7", "closed", 7),
        (TAGGED, '{"kind": "a", ', "absent", None),
        (TAGGED, '{"kind": "a", "data": {"b": 1, ', "open", {"b": 1}),
        (TAGGED, '{"data": {"b": 1}, "kind": "a"}', "closed", {"b": 1}),
        (TAGGED, '{"name": "a", "b', "open", {"name": "a"}),
        (BOTH, '{"value": {"kind": "a", "data": [1, ', "open", [1]),
        (BOTH, '{"value": {"kind": "a", "data": [1]}}', "closed", [1]),
        (BOTH, '{"value": {"name": "a", ', "absent", None),
        (BOTH, '{"value": [1, {"data": 2}]}', "absent", None),
        (BOTH, '{"value": {"kind": {"kind": 1, "data": 2}, "data": 3, ', "closed", 3),
        (BOTH, '{"kind": "a", "b": ', "open", {"kind": "a"}),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_frames(lens: Lens, text: str, state: NodeState, data: JsonValue) -> None:
    """Of a value in its frame only the value is shown; without the frame it is shown as soon as a key says that there is none."""
    drafter = fed(text, Drafter(lens=lens), ends=True)
    assert (state, data) == (drafter.draft.state(), drafter.draft.data)


@pytest.mark.parametrize(
    "lens, text, tag",
    [
        (TAGGED, '{"kind": "a"', None),
        (TAGGED, '{"kind": "a",', "a"),
        (TAGGED, '{"data": {"kind": "b"}, "kind": "a"}', "a"),
        (TAGGED, '{"kind": 7, "data": 1}', None),
        (BOTH, '{"value": {"kind": "a", ', "a"),
        (BOTH, '{"kind": "a", "value": 1}', None),
        (WRAPPED, '{"value": {"kind": "a"}}', None),
        (TAGGED, "no payload", None),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_the_tag_of_a_frame(lens: Lens, text: str, tag: str | None) -> None:
    """The frame's word for what the value is, as soon as it is closed."""
    assert tag == fed(text, Drafter(lens=lens)).tag


def test_paths_are_those_of_the_value() -> None:
    """Events, states and open paths know nothing of the frame."""
    drafter = Drafter(lens=BOTH)
    events = told('{"value": {"kind": "a", "data": {"b": ["x', drafter)
    assert [(), ("b",), ("b", 0), ("b", 0)] == [event.path for event in events]
    assert (drafter.draft.open_path, drafter.draft.state(("b", 0))) == (("b", 0), "open")


def test_watches_in_a_frame() -> None:
    """Watches begin at the value, in its frame or without."""
    for text in ('{"value": {"a": [1, 2]}, "a": [7]}', '{"a": [1, 2]}'):
        drafter = Drafter(lens=WRAPPED)
        items, whole = drafter.items(("a",)), drafter.field(())
        fed(text, drafter)
        assert (["1", "2"], '{"a": [1, 2]}') == ([item.text for item in items.take()], whole.text)


def test_twins_of_a_frame() -> None:
    """A frame that holds its value twice has given it away twice."""
    drafter = Drafter(lens=WRAPPED)
    items = drafter.items()
    fed('{"value": [1], "value": [2]}', drafter)
    assert (["1"], True, [2]) == ([item.text for item in items.take()], items.is_repeated, drafter.draft.data)


# ------------------------------------------------------------------------------------------------------------------ text


@pytest.mark.parametrize(
    "text",
    [
        "Hello", " Hello \n", "a < b <c d", "{x} [y] {\"a\": 1}", "`<think>` opens it", "`a\nb` ``c`` ```d```",
        "<b>x</b> <input>", "<think>a</think>b", "<think>a</think>\n\n b ", "<think>a", "[THINK]a[/THINK]b",
        "◁think▷a◁/think▷b", "◁ x",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
        "x<|im_end|>y", "<think>a</think>b<|im_end|>c", "<|im_start|>assistant\n<think>a</think>b",
        "<|im_start|>assistant\nHi", "a <think>b</think> c", "a<!-- b -->c", "<seed:think>a</seed:think>b",
        "[INST] a", "<|begin_of_thought|>a<|end_of_thought|>b", "<parameter=x>y</parameter>",
        "Hi<|im_end|>a <think>b</think>", "a <", "a `", "a [TH",
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_text(text: str, size: int) -> None:
    """Where the answer is text, all of it is shown as it comes, without what is left out of a whole reply."""
    drafter = TextDrafter()
    events = [event for start in range(0, len(text), size) for event in drafter.feed(text[start : start + size])]
    events += drafter.finish()
    reasoned = without_reasoning(text)
    whole = text if reasoned is None or "<input>" in text else reasoned[0]
    if not whole.strip():
        assert (drafter.draft.state(), events) == ("absent", [])
        return
    assert ("closed", whole, False) == (drafter.draft.state(), drafter.draft.data, drafter.draft.stalled)
    assert (NodeOpened((), "string"), NodeClosed((), whole)) == (events[0], events[-1])
    assert whole == "".join(event.text for event in events if isinstance(event, Grew))
    assert [] == [*drafter.feed("more"), *drafter.finish()]


@pytest.mark.parametrize("text", ["a</think>b", " a <think>b</think>c", "a<|x|>b<think>c</think>d"], ids=str)
def test_text_that_is_taken_back_is_stalled(text: str) -> None:
    """What was shown and turns out to be left out cannot be taken back: drafts stop."""
    drafter = TextDrafter(events=False)
    for piece in text:
        assert not drafter.feed(piece)
    drafter.finish()
    assert (drafter.draft.state(), drafter.draft.stalled) == ("open", True)
    assert not drafter.feed("more")


def test_text_behind_unopened_reasoning() -> None:
    """Reasoning without its opening is left out, where nothing of it was shown."""
    drafter = TextDrafter()
    drafter.feed(" </think> b")
    assert drafter.draft.data == "b"


# ------------------------------------------------------------------------------------------------------------- the price


def steps(action: Callable[[], object]) -> int:
    """How many functions an action calls, ours and those of Python."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


def entry(number: int) -> str:
    """One of many items."""
    return json.dumps({"id": number, "title": f"Change {number}", "body": 'A "quoted" é text.', "tags": ["a", "b"], "done": True})


GROWING: dict[str, Callable[[int], str]] = {
    "items": lambda n: '{"items": [' + ", ".join(map(entry, range(n // 100))) + "]}",
    "one string": lambda n: json.dumps({"a": "x" * n}),
    "escapes": lambda n: '["' + '\\"\\u00e9' * (n // 8) + '"]',
    "one number": lambda n: "[0, " + "1" * n,
    "one key": lambda n: '{"' + "k" * n,
    "numbers": lambda n: "[" + "12, " * (n // 4) + "3]",
    "deep": lambda n: '["", ' + "[" * 100 + "1, " * (n // 3),
    "prose": lambda n: "see [note] and {x}, a < b `c` " * (n // 30) + FIRST,
    "reasoning": lambda n: "<think>" + "hm [1, <b> " * (n // 11) + "</think>" + FIRST,
    "open marks": lambda n: "<a" * (n // 4) + "`" * (n // 4) + "[T" * (n // 4),
    "blanks": lambda n: "[" + " " * n + "]",
    "a scalar that is none": lambda n: '"' + "x" * n + '" is ' + FIRST,
    "twins": lambda n: '{"a": 1' + ', "a": 1, "b": 2' * (n // 16) + "}",
}


@pytest.mark.parametrize("size", [1, 16, 10**6], ids=["one character", "16 characters", "one piece"])
@pytest.mark.parametrize("name", GROWING)
def test_work_is_linear(name: str, size: int) -> None:
    """Four times the text takes at most four times the steps, and a few, also with a draft of every piece."""

    def read(text: str) -> int:
        drafter = Drafter()
        pieces: Sequence[str] = [text[start : start + size] for start in range(0, len(text), size)]

        def follow() -> None:
            for piece in pieces:
                drafter.feed(piece)
                _ = drafter.draft

        return steps(follow)

    few, many = (read(GROWING[name](length)) for length in (4000, 16000))
    assert many <= 4.1 * few + 100


def test_a_draft_that_is_not_read_costs_nothing_of_its_size() -> None:
    """A draft is taken in the same number of steps, however much is known."""
    costs: list[int] = []
    for length in (1000, 50000):
        drafter = fed(GROWING["items"](length)[:-2] + ', {"a": "x', size=1000)
        drafter.feed("y")
        costs.append(steps(partial(getattr, drafter, "draft")))
    assert costs[0] == costs[1]

"""Properties of drafts: for any JSON in any frame and in any pieces they end at what json.loads says, and only ever grow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue
from tests.property.test_scanner import TRICKY, strings

from settled.recovery.arriving import Lens
from settled.recovery.drafting import Drafter
from settled.recovery.drafting_text import TextDrafter
from settled.recovery.drafts import Draft, Event, Grew, NodeClosed, NodeOpened, Path, spelled

NUMBERS = [
    "0",
    "-0",
    "7",
    "-12",
    "1.50",
    "-0.25",
    "1e3",
    "2E-7",
    "1.5e+2",
    "12345678901234567890123",
    "0.1000000000000000055511151",
]
BLANKS = ["", "", " ", "\n  ", "\t", " \r\n"]


def quoted(text: str, ascii_only: bool) -> str:  # Hypothesis gives it
    """A string as JSON."""
    return json.dumps(text, ensure_ascii=ascii_only)


def a_list(items: list[str], blank: str) -> str:
    """A list of some texts."""
    return f"[{f'{blank},{blank}'.join(items)}{blank}]"


def a_member(key: str, blank: str, value: str) -> str:
    """A member of an object."""
    return f"{blank}{key}{blank}:{blank}{value}{blank}"


def an_object(members: list[str]) -> str:
    """An object of some members; keys may come twice."""
    return "{" + ",".join(members) + "}"


words = st.builds(quoted, strings, st.booleans())
keys = st.sampled_from(['"a"', '"b"', '"c d"', '"\\u0061"', '"\\ud83d\\ude00"', '""']) | words
blanks = st.sampled_from(BLANKS)
leaves = words | st.sampled_from([*NUMBERS, "true", "false", "null", "[]", "{}", "[ ]", '"\\ud83d\\ude00\\/"'])


def listed(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Lists of some texts."""
    return st.builds(a_list, st.lists(inside, max_size=4), blanks)


def keyed(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Objects of some texts."""
    return st.builds(an_object, st.lists(st.builds(a_member, keys, blanks, inside), max_size=4))


texts = st.recursive(leaves, lambda inside: listed(inside) | keyed(inside), max_leaves=12)
containers = listed(texts) | keyed(texts)
FRAMES = [
    ("", ""), ("", "\n"), ("\n \t", ""), ("\ufeff", " "), ("```json\n", "\n```"), ("~~~\n", "\n~~~\nDone."), ("```", "```"),
    ("<think>Is it {\"a\": 1}? [x]</think>", ""), ("It is {x}.</think>\n", ""), ("<|channel|>analysis<|message|>{\"b\"<|end|>"
    "<|start|>assistant<|channel|>final<|message|>", "<|return|>"), ("[THINK]{}[/THINK]", ""), ("<answer>", "</answer>"),
    ("<think>a</think>\n```json\n", "\n```"), ("<!-- {\"b\": 2} -->\n", ""), ("◁think▷[1]◁/think▷", ""),
    ("<tool_call>\n", "\n</tool_call>"), ("<|im_start|>assistant\n", "<|im_end|>"), ("[INST] [7] [/INST]", "</s>"),
]  # fmt: skip
BEHIND_PROSE = [("As [note] says, {name}: ", ""), ("See below.\n\n", "\n\nDone."), ("- `<think>` is `code`\n", " ok"),
                ("if a < b & c > d:\n", "")]  # fmt: skip
frames = st.sampled_from(FRAMES)
cuts = st.none() | st.lists(st.integers(min_value=0), max_size=8)


def pieces(text: str, cuts: list[int] | None) -> list[str]:
    """A text cut at some places; into single characters without any."""
    if cuts is None:
        return list(text)
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


def drafts_of(drafter: Drafter | TextDrafter, parts: Sequence[str]) -> list[Draft]:
    """The draft behind each piece, and the last one."""
    drafts: list[Draft] = []
    for part in parts:
        drafter.feed(part)
        drafts.append(drafter.draft)
    drafter.finish()
    return [*drafts, drafter.draft]


def has_twins(text: str) -> bool:
    """Whether a key of a JSON text comes twice."""
    found: list[bool] = []
    json.loads(text, object_pairs_hook=lambda pairs: found.append(len(pairs) > len(dict(pairs))))
    return any(found)


def parts_of(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Every part of some data, those inside first."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from parts_of(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from parts_of(inner, (*path, index))
    yield path, value


def grows(before: JsonValue, after: JsonValue) -> bool:
    """Whether data only grew: strings by what is behind them, containers by entries, and nothing else at all."""
    if isinstance(before, dict) and isinstance(after, dict):
        return list(before) == list(after)[: len(before)] and all(grows(before[key], after[key]) for key in before)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) <= len(after) and all(map(grows, before, after))
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    return repr(before) == repr(after)


@given(containers, frames, cuts)
@example('{"a": "\\ud83d\\ude00"}', ("", ""), None)
def test_the_last_draft_is_the_payload(payload: str, frame: tuple[str, str], cuts: list[int] | None) -> None:
    """In any frame and any pieces, the last draft is closed and holds what json.loads makes of the payload."""
    last = drafts_of(Drafter(), pieces(payload.join(frame), cuts))[-1]
    assert (repr(json.loads(payload)), "closed", False) == (repr(last.data), last.state(), last.stalled)


@given(keyed(texts), st.sampled_from(BEHIND_PROSE), cuts)
def test_the_last_draft_behind_prose(payload: str, frame: tuple[str, str], cuts: list[int] | None) -> None:
    """Behind running text an object with members is found as surely."""
    last = drafts_of(Drafter(), pieces(payload.join(frame), cuts))[-1]
    if json.loads(payload):
        assert (repr(json.loads(payload)), "closed", False) == (repr(last.data), last.state(), last.stalled)


@given(leaves, cuts)
def test_a_scalar_is_shown_when_closed(payload: str, cuts: list[int] | None) -> None:
    """A scalar that is the whole text is not there before the end, and then it is what json.loads makes of it."""
    *before, last = drafts_of(Drafter(), pieces(f" {payload}\n", cuts))
    assert (repr(json.loads(payload)), "closed") == (repr(last.data), last.state())
    if payload[0] not in "[{":
        assert {"absent"} == {draft.state() for draft in before}


@given(containers, frames, cuts)
def test_drafts_only_grow(payload: str, frame: tuple[str, str], cuts: list[int] | None) -> None:
    """Where no key comes twice, what a draft shows stays, but that open strings, lists and objects grow."""
    if has_twins(payload):
        return
    drafts = drafts_of(Drafter(events=False), pieces(payload.join(frame), cuts))
    shown = [draft for draft in drafts if draft.state() != "absent"]
    for before, after in pairwise(shown):
        assert grows(before.data, after.data)
    states = [[draft.state(path) for draft in drafts] for path, _ in parts_of(json.loads(payload))]
    order = ("absent", "open", "closed")
    assert all(sorted(each, key=order.index) == each and each[-1] == "closed" for each in states)


@given(containers, cuts)
def test_data_holds_what_is_not_absent(payload: str, cuts: list[int] | None) -> None:
    """A part is absent exactly where the data does not hold it, also of a draft that is read when all has come."""
    parts = [path for path, _ in parts_of(json.loads(payload))]
    drafter, now = Drafter(), list[JsonValue]()
    for piece in pieces(payload, cuts):
        drafter.feed(piece)
        now.append(json.loads(json.dumps(drafter.draft.data)))
    for later, data in zip(drafts_of(Drafter(), pieces(payload, cuts)), now, strict=False):
        held = {path for path, _ in parts_of(data)} if later.state() != "absent" else set[Path]()
        assert [path in held for path in parts] == [later.state(path) != "absent" for path in parts]
        assert repr(data) == repr(later.data)


@given(containers, frames, cuts)
def test_events_tell_the_payload(payload: str, frame: tuple[str, str], cuts: list[int] | None) -> None:
    """Each part is closed once, with its value, behind all that is in it; strings are told piece by piece before."""
    if has_twins(payload):
        return
    drafter = Drafter()
    events = [event for part in pieces(payload.join(frame), cuts) for event in drafter.feed(part)]
    events += drafter.finish()
    closed = [(event.path, repr(event.value)) for event in events if isinstance(event, NodeClosed)]
    assert [(path, repr(value)) for path, value in parts_of(json.loads(payload))] == closed
    open_now: dict[Path, str] = {}
    for event in events:
        follow(event, open_now)
    assert open_now == {}


def follow(event: Event, open_now: dict[Path, str]) -> None:
    """Check one event against the parts that are open."""
    match event:
        case NodeOpened():
            assert event.path not in open_now
            assert event.path == () or event.path[:-1] in open_now
            open_now[event.path] = ""
        case Grew():
            open_now[event.path] += event.text
        case NodeClosed(path, value):
            assert path in open_now or not isinstance(value, (str, list, dict))
            assert not isinstance(value, str) or value == open_now[path]
            open_now.pop(path, None)


@given(listed(texts), frames, cuts)
def test_items_are_the_text_of_the_elements(payload: str, frame: tuple[str, str], cuts: list[int] | None) -> None:
    """The items of a list come once, in order, as the text that they were written in; so does the part around them."""
    drafter = Drafter()
    items, whole = drafter.items(), drafter.field(())
    taken = [item for part in pieces(payload.join(frame), cuts) for item in (drafter.feed(part), items.take())[1]]
    drafter.finish()
    taken += items.take()
    values = json.loads(payload)
    assert [(index, repr(value)) for index, value in enumerate(values)] == [(i.position, repr(json.loads(i.text))) for i in taken]
    assert payload == whole.text
    assert all(item.text in payload for item in taken)


LENSES: Mapping[str, tuple[Lens, Callable[[str], str]]] = {
    "wrapped": (Lens(("value",)), '{{"value": {}}}'.format),
    "tagged": (Lens(("data",), "kind"), '{{"kind": "a", "data": {}}}'.format),
    "tagged behind": (Lens(("data",), "kind"), '{{"data": {}, "kind": "a"}}'.format),
    "both": (Lens(("value", "data"), "kind"), '{{"value": {{"kind": "a", "data": {}}}}}'.format),
}


@given(texts, st.sampled_from(sorted(LENSES)), cuts)
def test_a_lens_shows_the_value_alone(payload: str, name: str, cuts: list[int] | None) -> None:
    """In a frame that was asked for, data, paths and watches are those of the value in it."""
    lens, framed = LENSES[name]
    drafter = Drafter(lens=lens)
    whole, items = drafter.field(()), drafter.items(("a",))
    events = [event for part in pieces(framed(payload), cuts) for event in drafter.feed(part)]
    value: JsonValue = json.loads(payload)
    assert (repr(value), "closed") == (repr(drafter.draft.data), drafter.draft.state())
    assert (payload.strip(), name != "wrapped") == (whole.text, drafter.tag == "a")
    if not has_twins(payload):
        assert [path for path, _ in parts_of(value)] == [event.path for event in events if isinstance(event, NodeClosed)]
        inner = dict(parts_of(value)).get(("a",))
        assert len(inner if isinstance(inner, list) else []) == len(items.take())


@given(keyed(texts), cuts)
def test_a_lens_on_a_bare_value(payload: str, cuts: list[int] | None) -> None:
    """A value without the frame is shown as it is, once its first key says so."""
    drafter, bare = Drafter(lens=Lens(("value",))), Drafter()
    fields = drafter.field(("a",)), bare.field(("a",)), drafter.field(()), bare.field(())
    assert drafts_of(drafter, pieces(payload, cuts))[-1].data == drafts_of(bare, pieces(payload, cuts))[-1].data
    assert (fields[0].text, fields[2].text) == (fields[1].text, fields[3].text)


noise = st.text(st.sampled_from(TRICKY + '{}[]":,<>`/think|1tn-e\\u \n'), max_size=40)
SEEDS = [
    '{"a": [1, {"b": "x"}], "c": true}',
    '[{"a": 1}, {"a": 2}]',
    "```json\n{}\n```",
    '<think>x</think>{"a": 1}',
    "[0, 1)",
    "",
]


def patched(seed: str, at: int, cut: int, put: str) -> str:
    """A text with something else at one place."""
    place = at % (len(seed) + 1)
    return seed[:place] + put + seed[place + cut :]


FRAMED = [SEEDS[0].join(frame) for frame in (*FRAMES, *BEHIND_PROSE)]
damaged = st.builds(
    patched, st.sampled_from([*SEEDS, *FRAMED]), st.integers(min_value=0), st.integers(min_value=0, max_value=3), noise
)


@given(st.text() | noise | damaged, cuts)
def test_any_text_is_followed(text: str, cuts: list[int] | None) -> None:
    """Whatever comes, nothing is raised, and all that is shown has a JSON form and can be spelled."""
    drafter = Drafter(lens=Lens(("value",)))
    items = drafter.items(("a",))
    for draft in (*drafts_of(drafter, pieces(text, cuts)), *drafts_of(Drafter(), pieces(text, cuts))):
        json.dumps(draft.data).encode()
        assert draft.open_path is None or spelled(draft.open_path)
    assert all(json.loads(item.text) is not Ellipsis for item in items.take())


@given(noise | damaged, cuts)
def test_pieces_do_not_matter(text: str, cuts: list[int] | None) -> None:
    """In any pieces a text ends at the same draft as in one, and tells the same of it."""
    whole, cut = Drafter(), Drafter()
    items = whole.items(), cut.items()
    one, many = drafts_of(whole, [text])[-1], drafts_of(cut, pieces(text, cuts))[-1]
    assert (one.state(), repr(one.data), one.stalled) == (many.state(), repr(many.data), many.stalled)
    assert items[0].take() == items[1].take()


@given(st.text() | noise | damaged, cuts)
def test_pieces_of_text_do_not_matter(text: str, cuts: list[int] | None) -> None:
    """Neither do they where the answer is text; and what is shown only grows."""
    one, drafts = drafts_of(TextDrafter(), [text])[-1], drafts_of(TextDrafter(), pieces(text, cuts))
    assert (one.state(), one.data if not one.stalled else None) == (
        drafts[-1].state(),
        drafts[-1].data if not one.stalled else None,
    )
    shown = [draft.data for draft in drafts if draft.state() != "absent"]
    assert all(grows(before, after) for before, after in pairwise(shown))

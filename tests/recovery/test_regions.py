"""Regions and candidates: what is left out, where payloads may stand and how good the evidence is, and what is only prose."""

from __future__ import annotations

import time

import pytest

from settled import Agent, Failure
from settled.recovery.regions import BARE, BLOCK, FINAL, JSON_FENCE, MOST_CANDIDATES, Regions, regions_of


def shown(text: str) -> list[tuple[str, int]]:
    """The candidates as text, with their tiers."""
    return [(text[one.start : one.end], one.tier) for one in regions_of(text).candidates]


@pytest.mark.parametrize(
    "text, candidates",
    [
        ('{"a": 1}', [('{"a": 1}', BARE)]),
        ('Here: {"a": 1} and [{"b": 2}].', [('{"a": 1}', BARE), ('[{"b": 2}]', BARE)]),
        ('```json\n{"a": 1}\n```', [('{"a": 1}', JSON_FENCE)]),
        ('~~~jsonc\n{"a": 1}\n~~~', [('{"a": 1}', JSON_FENCE)]),
        ('```python\n{"a": 1}\n```', [('{"a": 1}', BLOCK)]),
        ('```\n{"a": 1}\n```', [('{"a": 1}', BLOCK)]),
        ('````\n```\n{"a": 1}\n```\n````', [('{"a": 1}', BLOCK)]),
        ('<answer>{"a": 1}</answer>', [('{"a": 1}', FINAL)]),
        ('<answer>\n```json\n{"a": 1}\n```\n</answer>', [('{"a": 1}', FINAL)]),
        ('<tool_call>{"a": 1}</tool_call>', [('{"a": 1}', JSON_FENCE)]),
        ('<output>{"a": 1}</output> or {"a": 2}', [('{"a": 1}', BLOCK), ('{"a": 2}', BARE)]),
        ('<other>{"a": 1}</other>', [('{"a": 1}', BARE)]),
        ('<|channel|>final<|message|>{"a": 1}', [('{"a": 1}', FINAL)]),
        ('{"a": "```json\\n{\\"b\\": 1}\\n```"}', [('{"a": "```json\\n{\\"b\\": 1}\\n```"}', BARE)]),
        ('{"a": "</answer><think>"} x', [('{"a": "</answer><think>"}', BARE)]),
        ("Mood(mood='good')", [("Mood(mood='good')", BARE)]),
        ("call f(x) and max(a, b)", []),
        ("f(x=1", []),
        ("f(x=1)", [("f(x=1)", BARE)]),
        ('｛"a"：1｝', [('｛"a"：1｝', BARE)]),
        ('{"a": 1}}', [('{"a": 1}}', BARE)]),
        ('{"a": {"b": 1}', [('{"a": {"b": 1}', BARE)]),
        ('[{"a": 1}, {"a": ', [('[{"a": 1}, {"a": ', BARE)]),
        ('{"a": 1, b c: {"d": 2}}', [('{"a": 1, b c: {"d": 2}}', BARE)]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_candidates(text: str, candidates: list[tuple[str, int]]) -> None:
    """A candidate is a whole span that opens at depth 0; fences, tags and channels around it say how good it is."""
    assert candidates == shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "as said [sic] before", "in {city} and {country}", "see [2] for more", "as in[2], or", "[2]: a note", "on [0, 1) the",
        "x = {a}",
        "def f(a=1): pass", "a [link](http://x.y)", "- [ ] to do", "- [x] done", "{placeholder}",
        "${x}", "if (a) { return b; }", "\\frac{1}{2}",
    ],
    ids=str,
)  # fmt: skip
def test_prose(text: str) -> None:
    """Brackets of running text are no candidates, and the text is prose to its last character."""
    regions = regions_of(text)
    assert ((), text) == (regions.candidates, regions.prose)


@pytest.mark.parametrize(
    "text, rest",
    [
        ("<think>a {b}</think>c", "c"),
        ("<thinking>a</thinking>c", "c"),
        ("<Reasoning>a</Reasoning >c", "c"),
        ("a</think>c", "c"),
        ("a</think>b</think>c", "c"),
        ("[THINK]a[/THINK]c", "c"),
        ("◁think▷a◁/think▷c", "c"),
        ("<|begin_of_thought|>a<|end_of_thought|>c", "c"),
        ("<seed:think>a</seed:think>c", "c"),
        ("<|channel|>analysis<|message|>a<|end|>c", "c"),
        ("<example>{}</example>c", "c"),
    ],
    ids=str,
)
def test_reasoning_is_left_out(text: str, rest: str) -> None:
    """Reasoning in any of its marks is no part of the reply, whatever stands in it."""
    regions = regions_of(text)
    assert (rest, True, False, ()) == (regions.rest, regions.reasoned, regions.unanswered, regions.candidates)


@pytest.mark.parametrize(
    "text",
    [
        '<think>{"a": 1}',
        '[THINK]{"a": 1}',
        '◁think▷{"a": 1}',
        '<|channel|>analysis<|message|>{"a": 1}',
        '<|begin_of_thought|>{"a": 1}',
    ],
    ids=str,
)
def test_open_reasoning_answers_nothing(text: str) -> None:
    """Reasoning that never ends holds no candidate."""
    regions = regions_of(text)
    assert (True, True, ()) == (regions.unanswered, regions.reasoned, regions.candidates)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}<|im_end|>{"a": 2}',
        '{"a": 1}</s>{"a": 2}',
        '{"a": 1}<|im_start|>user\n{"a": 2}',
        '{"a": 1}<end_of_turn>\n<start_of_turn>user {"a": 2}',
        '{"a": 1}\nHuman: {"a": 2}',
        '{"a": 1}\n### User: {"a": 2}',
        '<|im_start|>assistant\n{"a": 1}<|eot_id|>{"a": 2}',
        '[INST]{"a": 1}<|endoftext|>{"a": 2}',
    ],
    ids=str,
)
def test_the_turn_ends(text: str) -> None:
    """What follows the end of the turn was never the answer; tokens are no prose."""
    regions = regions_of(text)
    assert (1, True, "") == (len(regions.candidates), regions.tokens, regions.prose.strip())


@pytest.mark.parametrize("text", ["<|im_end|>", '\nUser: hi {"a": 1}'], ids=repr)
def test_the_turn_does_not_end_before_it_began(text: str) -> None:
    """The end of a turn in front of everything ends nothing."""
    assert len(regions_of(text + '{"a": 2}').candidates) >= 1


def test_blocks() -> None:
    """Closed fences and answer tags are kept as texts, for payloads without brackets."""
    regions = regions_of("```\n47\n```\n<answer>48</answer><b>49</b>\n```json\n50")
    assert [("\n47\n", BLOCK, True), ("48", FINAL, False)] == [(one.text, one.tier, one.in_fence) for one in regions.blocks]


def test_an_unclosed_tag_inside() -> None:
    """Tags that are never closed, or never opened, do not spoil the ones around them."""
    regions = regions_of('<answer><br>{"a": 1}</p></answer><hr/>')
    assert [('<br>{"a": 1}</p>', FINAL)] == [(one.text, one.tier) for one in regions.blocks]


def test_prose_is_what_is_left() -> None:
    """The prose is the reply without candidates, fences, answer tags, reasoning and tokens."""
    regions = regions_of('<think>x</think>So:\n```json\n{"a": 1}\n```\nBye.<|im_end|>')
    assert ("So:", "Bye.") == (
        regions.prose[: regions.prose_before_last].strip(),
        regions.prose[regions.prose_before_last :].strip(),
    )


def test_escaped_payload() -> None:
    """An object with escaped quotes throughout is the inside of a JSON string."""
    (candidate,) = regions_of('So: {\\"a\\": [1, \\"b\\"]} there').candidates
    assert (True, True) == (candidate.escaped, candidate.document.is_whole)


@pytest.mark.parametrize("text", ['{\\"a\\": "b"}', '{\\"a\\": 1', '{\\"a\\", 1}{', '{\\"a": 1}'], ids=str)
def test_escaped_in_part(text: str) -> None:
    """An object with some quotes escaped, or one that is cut, is none."""
    assert not any(one.escaped for one in regions_of(text).candidates)


@pytest.mark.parametrize("opening", ["<a>", "<answer>", "<tool_call>"])
@pytest.mark.parametrize("closing", ["{}", "[1] ", "</a>", "</answer>", "</b>"])
def test_linear_time_behind_tags(opening: str, closing: str) -> None:
    """Nor does it grow faster when many tags are open."""
    begun = time.process_time()
    regions = regions_of(opening * 6_000 + closing * 6_000)
    assert time.process_time() - begun < 5
    assert len(regions.blocks) <= 16


def test_cap_on_candidates() -> None:
    """A reply with more candidates than the cap ends the search, and says so."""
    regions = regions_of('{"a": 1} ' * (MOST_CANDIDATES + 10))
    assert (MOST_CANDIDATES, True) == (len(regions.candidates), regions.too_many)


@pytest.mark.parametrize(
    "text",
    ['[{}, {"', '[{} x {"a": 1}]', '["x" y {"a": 1}', '{"a" {"b": 1}', '[1 2 {"a": 1}]', '{x {"a": 1}}'],
    ids=str,
)
def test_no_piece_of_a_parent(text: str) -> None:
    """Nothing inside an unreadable or unclosed container ever becomes a candidate."""
    assert all(one.start == 0 for one in regions_of(text).candidates)


BROKEN_LISTS = [
    "[1, 2,, [3]]", "[1, 2,, []]", "[1, 2, , []]", "[1:[]]", "[,[]]", "[a,,[]]", "[1 [2]]", "[1,, []", '["a",, ["b"]]', "[1,,{}]",
    "[1.5, -2e3,, [3]]", "[ 1 , 2 , , [3] ]", "Here: [1,2,,[3]] as you asked",
]  # fmt: skip


@pytest.mark.parametrize("text", BROKEN_LISTS)
def test_a_list_in_a_broken_list_is_no_answer(text: str) -> None:
    """Where an item is missing, or a comma, the list that stands in the list is a part of it and no answer of its own."""
    for form in (list[int], list[float], list[str], dict[str, int]):
        assert isinstance(Agent(form, mode="prompted").parse(text), Failure)


@pytest.mark.parametrize(
    "text",
    ["[see [1, 2]]", "[Note: [1, 2]]", "[0, 1) then [1, 2]", "[12:30] Bob: [1, 2]", "[2, p. 5; see [3]] and the answer: [1, 2]"],
)
def test_a_list_behind_brackets_of_prose_is_the_answer(text: str) -> None:
    """Brackets of the running text hide no answer."""
    assert [1, 2] == Agent(list[int], mode="prompted").parse(text).unwrap()


PIECES = [
    "[", "{", '{"a":', '{"a', "```", "<think>", "</think>", "<a>", "</a>", "<answer>", '{\\"', "f(a=1", "[x] ", "{x} ", '"',
    "<|x|>", "'{", "\n", "a ", '{"a": 1} ', "<answer>{}</answer>",
    '{"a": "', "[1] ", "(", "`", "<!--", "{a ", "[1 ", "{'", "/*", "[INST]", "<|channel|>analysis", "～", "\nUser:",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_linear_time(piece: str) -> None:
    """Marks without end are read in time that grows as the text does."""
    begun = time.process_time()
    regions = regions_of(piece * (30_000 // len(piece)))
    assert time.process_time() - begun < 10
    assert isinstance(regions, Regions)


def test_linear_time_behind_many_lines() -> None:
    """The lines in front of brackets that open no JSON are not counted for each of them."""
    begun = time.process_time()
    regions = regions_of("\n" * 1_000_000 + "[a; " * 5_000)
    assert time.process_time() - begun < 1
    assert regions.words == ("[a; " * 5_000).strip()

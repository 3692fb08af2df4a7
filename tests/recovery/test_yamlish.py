"""Fields as YAML, Markdown lists, assignments and tables: read whole, or not at all."""

from __future__ import annotations

import time
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled.recovery.keys import normal_key
from settled.recovery.nodes import ListNode, LiteralNode, Node, NumberNode, ObjectNode, StringNode
from settled.recovery.plain_values import elided, read_value
from settled.recovery.yamlish import read_fields

Plain: TypeAlias = "str | bool | None | list[Plain] | dict[str, Plain] | tuple[str, str]"

NO_ITEMS: list[Plain] = []
KNOWN = frozenset(
    {
        "title",
        "priority",
        "tags",
        "assignee",
        "name",
        "age",
        "steps",
        "venue",
        "lines",
        "label",
        "children",
        "notes",
        "code",
        "email",
    }
    | {"yearofbirth"}
)


def plain(node: Node) -> Plain:
    """A tree as plain data; a quoted text is marked by a pair."""
    if isinstance(node, ObjectNode):
        assert node.closed
        return {member.key: plain(member.node) for member in node.members}
    if isinstance(node, ListNode):
        assert node.closed
        return [plain(item) for item in node.items]
    if isinstance(node, LiteralNode):
        return node.value
    if isinstance(node, NumberNode):
        return node.lexeme
    return ("quoted", node.text) if isinstance(node, StringNode) else node.text


def fields(text: str) -> Plain:
    """What a text holds, None when it is not read."""
    tree = read_fields(text, KNOWN, 0)
    return None if tree is None else plain(tree)


@pytest.mark.parametrize(
    "text, tree",
    [
        ("name: Mei\nage: 37\nsubscribed: true", {"name": "Mei", "age": "37", "subscribed": "true"}),
        ("- **Title:** Coffee\n- **Priority:** Low", {"Title": "Coffee", "Priority": "Low"}),
        ("* Title: x\n* Priority: Low", {"Title": "x", "Priority": "Low"}),
        ("**Title**: x\n\n**Priority**: **Low**", {"Title": "x", "Priority": "Low"}),
        ("**Title:**x\n__Age:__ 3\n`code`: `y`", {"Title": "x", "Age": "3", "code": "y"}),
        ("1. Title: x\n2. Priority: Low", {"Title": "x", "Priority": "Low"}),
        ("Title = x\nPriority = Low", {"Title": "x", "Priority": "Low"}),
        ("Here it is:\n\nTitle: x", {"Title": "x"}),
        ("Here it is:\n- Title: x", {"Title": "x"}),
        ("# Ticket\ntitle: x", {"title": "x"}),
        ("---\ntitle: x", {"title": "x"}),
        ("title: x\r\nage: 3\r\n", {"title": "x", "age": "3"}),
        ("title：咖啡\nage：3", {"title": "咖啡", "age": "3"}),
        ("title: at 10:30\nemail: https://a.example/b?c=d", {"title": "at 10:30", "email": "https://a.example/b?c=d"}),
        ("title: a: b", {"title": "a: b"}),
        ("Year of birth: 1990", {"Year of birth": "1990"}),
        ('"title": "x"\n"age": 3', {"title": ("quoted", "x"), "age": "3"}),
        ("title: 'it''s'", {"title": ("quoted", "it's")}),
        (r'title: "a: b\n\u00e9"', {"title": ("quoted", "a: b\né")}),
        ("title:\nage: 3", {"title": "", "age": "3"}),
        ("title: ~", {"title": None}),
        ("- title: Seat #4", {"title": "Seat #4"}),
        ("- Title: [Urgent] leak", {"Title": "[Urgent] leak"}),
    ],
    ids=repr,
)
def test_flat_fields(text: str, tree: Plain) -> None:
    """YAML mappings, Markdown lists, emphasised keys and assignments give their fields."""
    assert tree == fields(text)


@pytest.mark.parametrize(
    "text, tree",
    [
        ("tags:\n  - a\n  - b\nage: 3", {"tags": ["a", "b"], "age": "3"}),
        ("tags:\n- a\n- b\nage: 3", {"tags": ["a", "b"], "age": "3"}),
        ("- **Tags:**\n  - a\n  - b\n- **Age:** 3", {"Tags": ["a", "b"], "Age": "3"}),
        ("- **Tags:**\n    - a\n- **Age:** 3", {"Tags": ["a"], "Age": "3"}),
        ("Steps:\n1. Boil\n2. Stir", {"Steps": ["Boil", "Stir"]}),
        ("tags: [a, 'b, c', \"d\"]", {"tags": ["a", ("quoted", "b, c"), ("quoted", "d")]}),
        ("tags: []", {"tags": []}),
        ("venue:\n  name: x\n  city: y\nage: 3", {"venue": {"name": "x", "city": "y"}, "age": "3"}),
        ("ticket:\n  title: x", {"ticket": {"title": "x"}}),
        (
            "lines:\n  - name: Ink\n    quantity: 3\n  - name: Pen\n    quantity: 1",
            {"lines": [{"name": "Ink", "quantity": "3"}, {"name": "Pen", "quantity": "1"}]},
        ),
        (
            "label: a\nchildren:\n  - label: b\n    children:\n      - label: c\n  - label: d",
            {"label": "a", "children": [{"label": "b", "children": [{"label": "c"}]}, {"label": "d"}]},
        ),
        ("notes: |\n  one\n    two\n\n  three\nage: 3", {"notes": ("quoted", "one\n  two\n\nthree\n"), "age": "3"}),
        ("notes: |\n  one", {"notes": ("quoted", "one")}),
        ("notes: |-\n  one\n", {"notes": ("quoted", "one")}),
        ("notes: >-\n  one\n  two\n\n  three\n", {"notes": ("quoted", "one two\nthree")}),
        (
            "children:\n  - label: A\n    children: []\n  - label: B",
            {"children": [{"label": "A", "children": NO_ITEMS}, {"label": "B"}]},
        ),
        ("steps:\n  - Heat it.\n  - Stir in miso: do not boil.", {"steps": ["Heat it.", "Stir in miso: do not boil."]}),
        ("steps:\n  - Prep: chop\n  - Cook: stir", {"steps": ["Prep: chop", "Cook: stir"]}),
        ("name: null\nage: ~\n", {"name": None, "age": None}),
        (
            "| name | age | email |\n|---|---|---|\n| Ken Abe | 40 | k@x.example |",
            {"name": "Ken Abe", "age": "40", "email": "k@x.example"},
        ),
        ("| Title | Priority |\n|---|---|\n| Coffee | Low |", {"Title": "Coffee", "Priority": "Low"}),
        ("| Field | Value |\n|---|:-:|\n| **Title** | Coffee |\n| Age | 3 |", {"Title": "Coffee", "Age": "3"}),
    ],
    ids=repr,
)
def test_nested_fields(text: str, tree: Plain) -> None:
    """Indentation, lists, flow lists, block scalars and tables give their structure."""
    assert tree == fields(text)


@pytest.mark.parametrize(
    "text, tree",
    [
        (
            "- name: Ana\n  age: 3\n- name: Bea\n  age: 4\n  email: b@x.example",
            [{"name": "Ana", "age": "3"}, {"name": "Bea", "age": "4", "email": "b@x.example"}],
        ),
        ("Here they are:\n\n1. **Name:** A\n   **Age:** 3\n2. **Name:** B", [{"Name": "A", "Age": "3"}, {"Name": "B"}]),
        (
            "- name: A\n  tags:\n    - x\n    - y\n- name: B\n  tags: []",
            [{"name": "A", "tags": ["x", "y"]}, {"name": "B", "tags": NO_ITEMS}],
        ),
        ("| name | age |\n|---|---|\n| A | 3 |\n| B | 4 |", [{"name": "A", "age": "3"}, {"name": "B", "age": "4"}]),
    ],
    ids=repr,
)
def test_records(text: str, tree: Plain) -> None:
    """A list of mappings, and a table below a head of fields, give a list of records."""
    assert tree == fields(text)


@pytest.mark.parametrize(
    "text, tree",
    [
        ("apples: 3\npears: 4", {"apples": "3", "pears": "4"}),
        ("Here you go:\n\n- apples: 3\n- pears: 4.5", {"apples": "3", "pears": "4.5"}),
        ("| fruit | pieces |\n|---|---|\n| apples | 3 |\n| pears | 4 |", {"apples": "3", "pears": "4"}),
        ("apples: 3", None),
        ("apples: 3\ntotal: 3", None),
        ("apples: 3\npears: some", None),
        ("apples: 3\nred pears: 4", None),
        ("apples: 3\npears: 4\nEnjoy!", None),
        ("- apples: 3\n  pears: 4\n- apples: 1\n  pears: 2", None),
        ("apples: 3\npears: 4 # or 5", None),
    ],
    ids=repr,
)
def test_any_key(text: str, tree: Plain) -> None:
    """Where any key is due, each line must be a word and a number; without being asked for, none is read."""
    found = read_fields(text, frozenset(), 0, any_key=True)
    assert tree == (None if found is None else plain(found))
    assert read_fields(text, frozenset(), 0) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just prose",
        "title: x\nI hope this helps!",
        "I looked.\ntitle: x",
        "other: x\nthing: y",
        "For example:\ntitle: x",
        "I can't open the file, the form would be:\ntitle: x",
        "title: x # y",
        "title: Seat #4",
        "title: x\n# comment",
        "title: x\n...",
        "title: ...",
        "tags:\n  - a\n  - ...",
        "tags:\n  - a\n  - … 3 more",
        "title: {a: b}",
        "title: [a",
        "tags: [a, [b]]",
        "tags: [a,, b]",
        "title: 'x",
        'title: "x',
        'title: "x",\nage: 3',
        "title: x,\nage: 3",
        '- title: "C:\\new"',
        "title: &anchor x",
        "title: *alias",
        "title: !tag x",
        "email: [a@b.example](mailto:a@b.example)",
        "tags:\n  - person: Ana",
        "tags:\n  - Person: Ana\n  - Person: Bea",
        "tags:\n  - **Note:** Ana",
        "tags:\n  - Ana\n  - Name: Bea",
        "tags:\n  - More of them:",
        "- name: A\n  age: 3\n- title: B\n  age: 4",
        "- name: A\n  age: 3\n- B",
        "name: [name]\nage: 0",
        "name: [your name]",
        "title: x\n    age: 3",
        "venue:\n    name: x\n  city: y",
        "tags:\n\t- a\n  - b",
        "notes: |\n    one\n  two",
        "notes: >\n  one\n    two",
        "notes: |\nage: 3",
        "| Name | Value |\n|---|---|\n| Title | Coffee |",
        "| Title | Age |\n|---|---|\n| Name | Ann |",
        "| Title | Title |\n|---|---|\n| a | b |",
        "| Title | Age |\n|---|---|\n| a | b | c |",
        "| Title | Age |\n|---|---|",
        "| Title | Age |\n| a | b |",
        "| Title | Age |\n|---|---|\n| a \\| b | c |",
        "| Title | Age |\n|---|---|\n| a | b |\n| ... | ... |",
        "| Title | Age |\n|---|---|\n| a | b |\nThat is all.",
        "| a | b |\n| title | x |",
        "| a | b | c |\n|---|---|---|\n| title | x | y |",
        "title:x",
        "After a long and careful look the title: x",
    ],
    ids=repr,
)
def test_not_only_fields(text: str) -> None:
    """A text with anything else in it, or with two readings, is not read."""
    assert fields(text) is None


def test_repeated_keys_stay() -> None:
    """Each of two equal keys is kept, for alignment to judge."""
    tree = read_fields("- title: x\n- title: y", KNOWN, 0)
    assert isinstance(tree, ObjectNode)
    assert ["title", "title"] == [member.key for member in tree.members]


@pytest.mark.parametrize(
    "text",
    [
        "title: x\ntags:\n  - seat",
        "- **Title:** `x`\n- **Tags:**\n  - seat",
        "| f | v |\n|---|---|\n| title | x |",
        "| title | age |\n|---|---|\n| x | 3 |",
    ],
)
def test_places(text: str) -> None:
    """Places point at the text, moved by the offset."""
    tree = read_fields(text, KNOWN, 10)
    assert isinstance(tree, ObjectNode)
    title = tree.members[0].node
    assert "x" == text[title.start - 10 : title.end - 10]
    if len(tree.members) > 1 and isinstance(tags := tree.members[1].node, ListNode):
        assert "seat" == text[tags.items[0].start - 10 : tags.items[0].end - 10]


@pytest.mark.parametrize(
    "key", ["Year of birth", "year_of_birth", "YearOfBirth", "**year-of-birth**", "year\u200bOfBirth", "`YEAR_OF\\_BIRTH`"]
)
def test_normal_key(key: str) -> None:
    """Spellings of one key are one."""
    assert "yearofbirth" == normal_key(key)


def test_elisions() -> None:
    """Dots that stand for what was left out are known."""
    assert elided("(...)")
    assert not elided("Wait...")
    assert read_value("a, b ...", 0, "yaml") is None


@given(st.text(alphabet="abtile: -*\n\t'\"[],|>#=\\~.{}1"), st.integers(0, 9))
def test_never_raises(text: str, offset: int) -> None:
    """No text makes it raise, and what is read stands inside the text."""
    tree = read_fields("title: x\n" + text, KNOWN, offset)
    assert not isinstance(tree, ObjectNode) or all(
        offset <= member.start <= member.node.end <= tree.end for member in tree.members
    )


WORDS = st.text(alphabet="abc xyzäß", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(st.dictionaries(st.sampled_from(sorted(KNOWN)), WORDS | st.lists(WORDS, min_size=1, max_size=4), min_size=1))
def test_what_is_written_is_read(data: dict[str, str | list[str]]) -> None:
    """Plain YAML of words gives exactly those words back."""
    lines = [
        f"{key}: {value}" if isinstance(value, str) else "\n".join([f"{key}:", *(f"- {item}" for item in value)])
        for key, value in data.items()
    ]
    assert data == fields("\n".join(lines))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "\n",
        "-",
        "- ",
        "- a\n",
        "a: ",
        "a:\n ",
        '"',
        "[",
        "[a, ",
        "*",
        "|",
        "#",
        "a: b\n",
        "\\",
        "\t",
        "'",
        ": ",
        ".",
        "a: |\n",
    ],
)
def test_long_texts_are_fast(unit: str) -> None:
    """The time for a long text grows with its length only."""
    text = unit * (50_000 // len(unit))
    started = time.perf_counter()
    for head in ("", "title: x\n", "title: ", "tags: [", 'title: "', "tags:\n"):
        read_fields(head + text, KNOWN, 0)
    assert time.perf_counter() - started < 20


def test_depth_is_capped() -> None:
    """Deep nesting is refused, not followed."""
    assert fields("\n".join(" " * depth + "title:" for depth in range(150))) is not None
    assert fields("\n".join(" " * depth + "title:" for depth in range(1000))) is None

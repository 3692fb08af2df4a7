"""The scanner alone: valid JSON to the letter; what is open at the end; what it counts and caps."""

from __future__ import annotations

import json

import pytest
from tests.recovery.asking import tree

from settled.recovery.catalogue import MOST_OF_A_CODE
from settled.recovery.nodes import ListNode, LiteralNode, NumberNode, ObjectNode, StringNode
from settled.recovery.scanner import DEEPEST, Scanner
from settled.recovery.tolerance import scan_value, tolerate
from settled.recovery.walk import plain_of

VALID = [
    "{}",
    "[]",
    ' \n[ ]\t',
    '{"a": 1, "b": [true, false, null], "c": {"d": "e"}}',
    '["", "a\\"b", "\\\\", "\\u00e9\\ud83d\\ude00", "\\/\\b\\f\\n\\r\\t"]',
    '[0, -0, 1.5, -2.25e3, 1E+2, 1e-7, 12345678901234567890]',
    '{"": {"": {"": []}}}',
    '{"a\\"b": 1, "\\u00e9": 2, "a\\\\": 3, "a\\nb": 4}',
    '{"a":1,"a":2}',
    '["{\\"a\\": 1}", "// no comment", "```", "…", "\u201cx\u201d", "it\'s", "<|im_end|>"]',
    '[[[1], [2, [3]]], {"a": [{"b": []}]}]',
    "[\r\n1\r\n,\r\n2\r\n]",
    '{"' + "k" * 500 + '": 1}',
    '{"\\"' + "k" * 500 + '": 1}',
]  # fmt: skip


@pytest.mark.parametrize("text", VALID, ids=lambda text: text[:30])
def test_valid_json_is_read_to_the_letter(text: str) -> None:
    """Valid JSON is read as json.loads reads it, without a repair, to its last character."""
    document = Scanner(text).read(tolerate)
    assert document.is_whole
    assert document.root is not None
    assert (json.loads(text), (), len(text.rstrip())) == (plain_of(document.root), document.repairs, document.end)


@pytest.mark.parametrize("text", VALID, ids=lambda text: text[:30])
def test_valid_json_needs_no_tolerance(text: str) -> None:
    """Without tolerance, a scanner reads valid JSON without escapes in its keys alike."""
    if "\\" not in text:
        assert tree(Scanner(text).read(tolerate).root) == tree(Scanner(text).read().root)


@pytest.mark.parametrize("text", ["[1,]", "{a: 1}", "[1", "", "nope", "[1}", "1"], ids=str)
def test_without_tolerance_all_else_is_a_fault(text: str) -> None:
    """Without tolerance, what is no container of valid JSON is a fault, and nothing is mended."""
    document = Scanner(text).read()
    assert (document.fault, document.repairs, document.is_whole) == ("not valid JSON", (), False)


def test_start_is_respected() -> None:
    """A scanner reads from where it is told, and says where the text behind the value starts."""
    document = Scanner("see [1, 2] there", 4).read()
    assert (10, True) == (document.end, document.is_whole)


def test_places_of_nodes() -> None:
    """Each node spans its own text, quotes included."""
    text = '{"a": ["x", -1.5, true, {}]}'
    root = scan_value(text, 0).root
    assert isinstance(root, ObjectNode)
    inner = root.members[0].node
    assert isinstance(inner, ListNode)
    assert ['"x"', "-1.5", "true", "{}"] == [text[node.start : node.end] for node in inner.items]
    assert [StringNode, NumberNode, LiteralNode, ObjectNode] == [type(node) for node in inner.items]
    assert text[root.members[0].start] == "a"


def test_nothing_is_lost() -> None:
    """Digits of numbers and both members of a duplicate key are kept."""
    root = scan_value('{"a": 1.20, "a": 12345678901234567890.5}', 0).root
    assert isinstance(root, ObjectNode)
    lexemes = [member.node.lexeme for member in root.members if isinstance(member.node, NumberNode)]
    assert ["1.20", "12345678901234567890.5"] == lexemes


@pytest.mark.parametrize("mark", ["[", '{"a":', "(", "{a:", "A(a="], ids=str)
def test_deep_nesting_is_refused(mark: str) -> None:
    """Nesting deeper than the cap is a fault that says so; up to the cap it is read."""
    deep = scan_value(mark * (DEEPEST + 1), 0)
    assert deep.fault is not None
    assert deep.fault.startswith("nested")
    assert scan_value("[" * DEEPEST + "]" * DEEPEST, 0).is_whole


def test_counts() -> None:
    """Each member, each item and each closed container counts once."""
    assert scan_value('{"a": [1, 2], "b": 3}', 0).members == 5


def test_many_repairs_are_counted() -> None:
    """Of one code a certain number is listed one by one, and one more counts the rest."""
    document = scan_value("[" + "+1, " * (MOST_OF_A_CODE + 50) + "1]", 0)
    assert MOST_OF_A_CODE + 1 == len(document.repairs)
    assert document.repairs[-1].after == "and 50 more"


def test_paths() -> None:
    """A repair tells the path of its place, keys that are no names in brackets."""
    document = scan_value('{"a": [0, {"b c": +1}], x: {y: .5}}', 0)
    assert [
        ("number.spelled", "$.a[1]['b c']"),
        ("key.unquoted", "$.x"),
        ("key.unquoted", "$.x.y"),
        ("number.spelled", "$.x.y"),
    ] == [(repair.code, repair.path) for repair in document.repairs]

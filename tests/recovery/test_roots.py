"""Payloads without brackets of their own: scalars, calls in tags, lines, and the syntaxes that are opt-in."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Literal

import pytest
from tests.recovery.asking import Inner, Mood, Ping, Pong, codes, found, target_of, took

from settled import Recovery
from settled.recovery.nodes import Document, LiteralNode, NumberNode, StringNode, WordNode
from settled.recovery.roots import calls_in, lines_of, scalar_of, takes_scalars
from settled.recovery.tolerance import scan_value

MOOD = Mood(mood="good", score=7)


class Level(Enum):
    """Two words."""

    LOW = "low"
    HIGH = "high"


@pytest.mark.parametrize(
    "text, kind, shown",
    [
        ("7", NumberNode, "7"), ("+7", NumberNode, "7"), ("**7**", NumberNode, "7"), ("`7`", StringNode, "7"),
        ('"a"', StringNode, "a"),
        ("'a'", StringNode, "a"), ("true", LiteralNode, "True"), ("**None**", LiteralNode, "None"), ("good", WordNode, "good"),
        ("very good", WordNode, "very good"),
    ],
    ids=repr,
)  # fmt: skip
def test_scalars(text: str, kind: type, shown: str) -> None:
    """A whole text is a number, literal, string or word, Markdown around it or not."""
    root = scalar_of(text)
    assert root is not None
    node = root.document.root
    assert isinstance(node, (NumberNode, LiteralNode, StringNode, WordNode))
    assert kind is type(node)
    assert shown == str(getattr(node, "lexeme", getattr(node, "text", getattr(node, "value", None))))


@pytest.mark.parametrize("text", ["", "  ", "x" * 300, '"a" and "b"', '"a" b', "(1, 2", "(x)"], ids=lambda text: text[:20])
def test_no_scalars(text: str) -> None:
    """Long texts, several strings and brackets that are not closed are none."""
    assert scalar_of(text) is None


@pytest.mark.parametrize(
    "form, text, value, repairs",
    [
        (int, "7", 7, []),
        (int, " 7\n", 7, []),
        (int, '"7"', 7, []),
        (int, "**7**", 7, ["number.spelled"]),
        (int, "```\n7\n```", 7, ["fence.stripped"]),
        (int, "<answer>7</answer>", 7, ["tag.stripped"]),
        (int, "<think>8?</think>7", 7, ["reasoning.removed"]),
        (int, "7<|im_end|>", 7, ["token.removed"]),
        (Decimal, "1.20", Decimal("1.20"), []),
        (bool, "True", True, ["literal.spelled"]),
        (bool, "yes", True, ["word.unquoted"]),
        (date, "2024-05-01", date(2024, 5, 1), ["word.unquoted"]),
        (Literal["a", "b"], "b", "b", ["word.unquoted"]),
        (Level, "**HIGH**", Level.HIGH, ["enum.near"]),
        (Level, "high\nhigh", Level.HIGH, ["word.unquoted"]),
        (Level | None, "null", None, []),
        (Level | None, "None", None, ["literal.spelled"]),
        (tuple[int, int], "(1, 2)", (1, 2), ["python.repr"]),
        (list[int], "7", [7], ["list.wrapped"]),
    ],
    ids=str,
)
def test_scalar_roots(form: object, text: str, value: object, repairs: list[str]) -> None:
    """A scalar may be the whole of a reply, in a frame or not."""
    finding = found(form, text)
    assert ("value", repr(value)) == (finding.outcome, repr(finding.value)), finding
    assert sorted(repairs) == sorted(codes(finding))


@pytest.mark.parametrize(
    "form, text, outcome",
    [
        (int, "7 or 8", "ambiguous"),
        (int, "7\n8", "ambiguous"),
        (int, "about seven", "no_payload"),
        (int, "I do not know that", "no_payload"),
        (int, '"7', "truncated"),
        (int, "7.5", "invalid"),
        (int, "true", "invalid"),
        (bool, "maybe", "no_payload"),
        (Level, "medium", "invalid"),
        (Level, "high or low, hard to say", "ambiguous"),
        (Level, "not high", "invalid"),
        (Level, '"hi', "truncated"),
        (int, "```\n7\n```\n```\n8\n```", "ambiguous"),
        (Inner, "7", "invalid"),
        (Inner, "good", "no_payload"),
        (None, "nothing", "no_payload"),
    ],
    ids=str,
)
def test_no_scalar_roots(form: object, text: str, outcome: str) -> None:
    """Two scalars, another kind, a cut string or a sentence are no value."""
    finding = found(form, text)
    assert finding.value is None
    assert "value" != finding.outcome
    assert finding.outcome in (outcome, "invalid", "no_payload") if outcome == "ambiguous" else outcome == finding.outcome


CALLS = [
    "<function=f>\n<parameter=mood>\ngood\n</parameter>\n<parameter=score>\n7\n</parameter>\n</function>",
    '<invoke name="f"><parameter name="mood">good</parameter><parameter name="score">7</parameter></invoke>',
    '<function=f>{"mood": "good", "score": 7}</function>',
    "<tool_call>\n<function=f><parameter=mood>good</parameter><parameter=score>7</parameter></function>\n</tool_call>",
    "So:\n<function=f><parameter=mood>good</parameter><parameter=score>7</parameter><parameter=note>None</parameter></function>",
    "<function=f><parameter=mood>good</parameter><parameter=score>7</parameter><parameter=tags>[]</parameter></function>",
]


@pytest.mark.parametrize("text", CALLS, ids=range(len(CALLS)))
def test_calls(text: str) -> None:
    """A call written in tags gives its parameters: texts, literals, and containers."""
    finding = found(Mood, text)
    assert (MOOD, True) == (finding.value, "call.read" in codes(finding)), finding


@pytest.mark.parametrize(
    "text, outcome",
    [
        (CALLS[0] + CALLS[0].replace("good", "bad"), "ambiguous"),
        (CALLS[0] + CALLS[0], "value"),
        (CALLS[0][:-11], "truncated"),
        (CALLS[0][:60], "truncated"),
        (CALLS[2][:30], "truncated"),
        ("<function=f></function>", "invalid"),
        ("<function=f>nothing</function>", "invalid"),
    ],
    ids=["two", "same", "no-end", "cut", "cut-json", "empty", "text"],
)
def test_no_calls(text: str, outcome: str) -> None:
    """Two calls, calls that are cut, and calls without parameters are no value."""
    finding = found(Mood, text)
    assert (finding.value is None) == (outcome != "value")
    assert (
        finding.outcome in (outcome, "invalid", "no_payload", "truncated")
        if outcome not in ("value", "ambiguous")
        else outcome == finding.outcome
    )


def test_no_calls_at_all() -> None:
    """A text without the tags of calls holds none."""
    assert [] == calls_in("call <f>(x)</f>")


@pytest.mark.parametrize(
    "text, items",
    [("{} {}", 2), ("{}\n{}\n{}", 3), ("{}, {}", 2), ('{"a": 1}{"a": 2}', 2), ("{} and {}", None), ("{}", None), ("{} {", None)],
    ids=str,
)
def test_lines(text: str, items: int | None) -> None:
    """Values one behind the other are one list, if nothing but blanks and commas stands between them."""
    spans: list[tuple[int, int]] = []
    documents: list[Document] = []
    at = text.find("{")
    while at >= 0:
        documents.append(scan_value(text, at))
        spans.append((at, documents[-1].end))
        at = text.find("{", documents[-1].end)
    lines = lines_of(documents, text, spans)
    assert items == (None if lines is None else len(getattr(lines.root, "items", [])))


@pytest.mark.parametrize(
    "text, value, repairs",
    [
        ('{"v": 1}\n{"v": 2}', [Inner(v=1), Inner(v=2)], ["list.of_lines"]),
        ('{"v": 1}, {"v": 2}', [Inner(v=1), Inner(v=2)], ["prose.removed", "list.of_lines"]),
        ('```jsonl\n{"v": 1}\n{"v": 2}\n```', [Inner(v=1), Inner(v=2)], ["fence.stripped", "list.of_lines"]),
        ('{"v": 1}\n{"v": 1}', [Inner(v=1), Inner(v=1)], ["list.of_lines"]),
    ],
    ids=str,
)
def test_json_lines(text: str, value: object, repairs: list[str]) -> None:
    """Where a list is due, JSON lines are its items."""
    assert (value, repairs) == took(list[Inner], text)


@pytest.mark.parametrize("text", ['{"v": 1}\n{"v": 2', '{"v": 1} or {"v": 2}', '{"v": 1}\n{"v": "x"}', "[1]\n[2]"], ids=str)
def test_no_json_lines(text: str) -> None:
    """Lines that are cut, stand in prose, or do not all fit are no list, and no part of one."""
    form = list[int] if text[0] == "[" else list[Inner]
    assert found(form, text).value is None


@pytest.mark.parametrize(
    "form, expected",
    [
        (int, True),
        (Level, True),
        (date | None, True),
        (str, False),
        (Mood, False),
        (list[int], False),
        (Ping | Pong, False),
        (Mood | int, True),
    ],
    ids=str,
)
def test_takes_scalars(form: object, expected: bool) -> None:
    """Only some types may be a bare scalar other than a text."""
    assert expected is takes_scalars(target_of(form).expected)


OPTED = [
    (Mood, "mood: good\nscore: 7", MOOD, "yaml.read"),
    (Mood, "```yaml\nmood: good\nscore: 7\n```", MOOD, "yaml.read"),
    (Mood, "- **Mood**: good\n- **Score**: 7", MOOD, "yaml.read"),
    (Mood, "<m><mood>good</mood><score>7</score></m>", MOOD, "xml.read"),
    (int, "The answer is **17**.", 17, "scalar.in_prose"),
]


@pytest.mark.parametrize("form, text, value, code", OPTED, ids=[text for _, text, _, _ in OPTED])
def test_opted_in(form: object, text: str, value: object, code: str) -> None:
    """YAML, Markdown, XML and scalars in prose are read at the semantic level only."""
    finding = found(form, text, Recovery.SEMANTIC)
    assert (value, True) == (finding.value, code in codes(finding)), finding
    assert found(form, text).value is None


@pytest.mark.parametrize(
    "form, text",
    [
        (Mood, "mood: good"),
        (Mood, "mood: good\nscore: 7\nmood: bad"),
        (int, "It is 17 or 18."),
        (Mood, "<m><mood>good</mood><score>7</score>"),
        (Mood, "mood: good\nscore: seven"),
    ],
    ids=str,
)
def test_not_opted_in(form: object, text: str) -> None:
    """What is not whole, or has two readings, is refused at the semantic level too."""
    assert found(form, text, Recovery.SEMANTIC).value is None

"""Signs of templates and schemas, which are no answers; and what only looks like them."""

from __future__ import annotations

import pytest

from settled.recovery.nodes import ObjectNode
from settled.recovery.templates import is_choice_list, is_placeholder, is_schema
from settled.recovery.tolerance import scan_value
from settled.schema.expected import Choice


@pytest.mark.parametrize(
    "text, field",
    [
        ("<name>", "name"), ("<full name>", "name"), ("<string>", "x"), ("<your name>", "x"), ("[your name here]", "x"),
        ("[Insert name]", "x"),
        ("{{name}}", "x"), ("{{ anything }}", "x"), ("${name}", "x"), ("{name}", "x"), ("...", "x"), ("…", "x"),
        ("YOUR_NAME_HERE", "x"),
        ("INSERT_NAME", "x"), ("NAME_HERE", "x"), ("PLACEHOLDER", "x"), ("YYYY-MM-DD", "x"), (" <name> ", "Name"),
        ("<first-name>", "first_name"),
    ],
    ids=str,
)  # fmt: skip
def test_placeholders(text: str, field: str) -> None:
    """Blanks of templates are told by their brackets and shouting, and by the name of their field."""
    assert is_placeholder(text, field)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "<b>",
        "<hr>",
        "<div class='x'>",
        "</p>",
        "[sic]",
        "[1]",
        "a ... b",
        "HERE",
        "YOUR",
        "1 < 2 > 1",
        "{}",
        "x" * 200,
        "<a/>",
    ],
    ids=repr,
)
def test_no_placeholders(text: str) -> None:
    """Markup, citations and shouted words are texts like any other."""
    assert not is_placeholder(text, "code")


CHOICES = [Choice("low"), Choice("high", "HIGH"), Choice("none at all")]


@pytest.mark.parametrize(
    "text",
    ["low|high|none at all", "low | high | none at all", "'low', 'high', 'none at all'", "low or high or none at all"],
    ids=str,
)
def test_choice_lists(text: str) -> None:
    """A text that lists the members is copied from a format description."""
    assert is_choice_list(text, CHOICES)


@pytest.mark.parametrize("text", ["low", "low|high", "low, maybe", "a|b|c", "", "low|" * 200], ids=lambda text: text[:20])
def test_no_choice_lists(text: str) -> None:
    """One member, some of them, or others are no list of the members."""
    assert not is_choice_list(text, CHOICES)


def an_object(text: str) -> ObjectNode:
    """An object of a text."""
    root = scan_value(text, 0).root
    assert isinstance(root, ObjectNode)
    return root


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "object", "properties": {"a": {"type": "string"}}}',
        '{"properties": {"a": {"$ref": "#/$defs/A"}}}',
        '{"properties": {"a": {"anyOf": [{"type": "null"}]}}}',
        '{"properties": {"a": {"type": ["string", "null"]}}}',
        '{"properties": {"a": {"enum": ["x"]}}}',
        '{"type": "object", "properties": {}}',
        '{"$defs": {}, "$schema": "x"}',
        '{"type": "array", "required": []}',
        '{"$ref": "#/$defs/A"}',
    ],
    ids=str,
)
def test_schemas(text: str) -> None:
    """Properties with types in them and keywords of schemas make a schema."""
    assert is_schema(an_object(text))


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"type": "house", "properties": {"rooms": 3}}',
        '{"properties": {"a": 1}}',
        '{"properties": {"a": {"type": "brick"}}}',
        '{"properties": {"a": {"type": 3}}}',
        '{"properties": {"a": {"enum": null}}}',
        '{"type": "object", "title": "A vase"}',
        '{"required": true}',
        '{"definitions": {"a": "b"}}',
        '{"properties": {}}',
        '{"properties": [1]}',
    ],
    ids=str,
)
def test_no_schemas(text: str) -> None:
    """Objects whose fields happen to be called like keywords are no schemas."""
    assert not is_schema(an_object(text))

"""Signs that a payload is no answer: a template with its blanks, a schema in place of its instance. Language plays no part."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..schema.expected import Choice
from .keys import normal_key
from .nodes import ListNode, LiteralNode, Node, ObjectNode, StringNode

_ANGLED = re.compile(
    r"<([^<>\n]{1,80})>|\[([^\[\]\n]{1,80})\]|\{\{([^{}\n]{1,80})\}\}|\$\{([^{}\n]{1,80})\}|\{([A-Za-z_][\w ]{0,60})\}"
)
_TYPE_WORDS = frozenset(
    (
        "string",
        "str",
        "number",
        "int",
        "integer",
        "float",
        "boolean",
        "bool",
        "date",
        "datetime",
        "array",
        "object",
        "text",
        "value",
    )
)
_ASKING = re.compile(
    r"\b(?:your|insert|enter|the|e\.g|example|placeholder|yyyy|here|name of|full name|todo|tbd|ihr|dein|votre|nombre|su)\b", re.I
)
_OPENS, _LONGEST = frozenset("<[{$.…"), 90
_WORDS = re.compile(r"[^\W\d][\w'’-]*(?: [\w'’()-]+)+")
_SHOUTED = re.compile(r"(?:YOUR|INSERT|ENTER)_[A-Z_]+|[A-Z]+(?:_[A-Z]+)*_HERE|PLACEHOLDER|YYYY-MM-DD(?:THH:MM:SSZ?)?")
_TYPE = re.compile(r"\(?(?:string|integer|number|boolean|null|any)\)?(?:\[\])*")
_TYPE_OR_LITERAL = re.compile(rf'{_TYPE.pattern}|\(?(?:"[^"]*"|-?[0-9][0-9.eE+-]*|true|false)\)?(?:\[\])*')
_NAMES_TYPE = re.compile(r"\b(?:string|integer|number|boolean|null|any)\b")
_FENCED = re.compile(r"`{3}[ \t]*\w*\n(.*)`{3}", re.DOTALL)
_LONGEST_TYPE = 500
_SCHEMA_SIGNS = frozenset(("type", "properties", "$schema", "$defs", "$ref"))
_SCHEMA_WORDS = frozenset(("$schema", "$defs", "$ref", "definitions", "required", "additionalProperties"))


def is_placeholder(text: str, field: str) -> bool:
    """Whether a text is a blank of a template: ``<full name>``, ``{{x}}``, ``...``, ``YOUR_NAME_HERE``.

    Args:
        text: the whole text of a leaf.
        field: the key it stands under.

    Example:
        >>> is_placeholder("<full name>", "name"), is_placeholder("<hr>", "code"), is_placeholder("...", "name")
        (True, False, True)
    """
    bare = text.strip()
    if len(bare) > _LONGEST or not may_be_placeholder(bare):
        return False
    if bare in ("...", "…") or _SHOUTED.fullmatch(bare):
        return True
    blank = _ANGLED.fullmatch(bare)
    if blank is None:
        return False
    inside = next(group for group in blank.groups() if group is not None)
    named = normal_key(inside)
    if blank[3] is not None or blank[4] is not None or blank[5] is not None:
        return True
    if named in _TYPE_WORDS or (field and (normal_key(field) in named or named in normal_key(field)) and len(named) > 2):
        return True
    if blank[2] is not None:
        return _ASKING.search(inside) is not None
    return _WORDS.fullmatch(inside.strip()) is not None


def may_be_placeholder(text: str) -> bool:
    """Whether a text begins as a blank of a template does, or shouts: what most texts do not, so it is asked first.

    Example:
        >>> may_be_placeholder("<full name>"), may_be_placeholder("YOUR_NAME"), may_be_placeholder("Ada")
        (True, True, False)
    """
    first = text[:1]
    return first in _OPENS or first.isspace() or text.isupper()


def is_form(fields: Sequence[tuple[str, Node]]) -> bool:
    """Whether every text of an object is only the name of its key or its type, or asks for something of yours.

    Example:
        >>> is_form([("name", StringNode("string", 0, 8)), ("email", StringNode("email", 0, 7))])
        True
    """
    texts = [(key, node.text) for key, node in fields if isinstance(node, StringNode)]
    return bool(texts) and all(_is_weak_blank(text, key) for key, text in texts)


def _is_weak_blank(text: str, key: str) -> bool:
    normal = normal_key(text) if len(text) < _LONGEST else ""
    return normal in _TYPE_WORDS or (normal != "" and normal == normal_key(key)) or (normal.startswith("your") and " " in text)


def is_choice_list(text: str, choices: Sequence[Choice]) -> bool:
    """Whether a text lists the members of a choice, as a format description does: ``a|b|c``.

    Example:
        >>> is_choice_list("low | high", [Choice("low"), Choice("high")])
        True
    """
    parts = (
        [normal_key(part.strip(" \"'`<>()")) for part in re.split(r"\s*(?:[|/,]|\bor\b)\s*", text.strip())]
        if len(text) < 400
        else []
    )
    spellings = {normal_key(choice.spelling) for choice in choices} | {normal_key(choice.name or "") for choice in choices}
    return len(parts) > 1 and len(parts) >= len(choices) and set(parts) <= spellings


def is_type(text: str, *, alone: bool) -> bool:
    """Whether a text is a type as prompted mode writes it, with or without a fence: ``string | null``.

    Args:
        text: the whole text of a leaf, or of a reply.
        alone: whether a single word is a type as well, such as ``string``; in prose it is a word like others.

    Example:
        >>> is_type("string | null", alone=False), is_type("string", alone=False), is_type("red | blue", alone=True)
        (True, False, False)
    """
    if len(text) > _LONGEST_TYPE or _NAMES_TYPE.search(text) is None:
        return False
    fenced = _FENCED.fullmatch(text.strip())
    bare = text if fenced is None else fenced[1].strip()
    kind, comment, _ = bare.partition(" // ")
    parts = [part.strip() for part in kind.strip().split(" | ")]
    words = [part for part in parts if _TYPE.fullmatch(part)]
    return bool(words) and (alone or bool(comment) or len(parts) > 1) and all(map(_TYPE_OR_LITERAL.fullmatch, parts))


def is_schema(node: ObjectNode) -> bool:
    """Whether an object is a JSON Schema: properties with types in them, or keywords of schemas.

    Example:
        >>> from .tolerance import scan_value
        >>> is_schema(scan_value('{"type": "object", "properties": {"a": {"type": "string"}}}', 0).root)
        True
    """
    if _SCHEMA_SIGNS.isdisjoint([member.key for member in node.members]):
        return False
    keys = {member.key: member.node for member in node.members}
    kind, properties = keys.get("type"), keys.get("properties")
    says_type = isinstance(kind, StringNode) and kind.text in ("object", "array", "string", "integer", "number", "boolean")
    if isinstance(properties, ObjectNode) and any(_describes(member.node) for member in properties.members):
        return True
    if isinstance(properties, ObjectNode) and not properties.members and says_type:
        return True
    return (
        bool(keys.keys() & _SCHEMA_WORDS)
        and (says_type or "$defs" in keys or "$ref" in keys or "$schema" in keys)
        and not isinstance(properties, ObjectNode)
    )


def _describes(node: object) -> bool:
    """One property of a schema: an object with a type, a reference or alternatives."""
    if not isinstance(node, ObjectNode):
        return False
    for member in node.members:
        if member.key == "type" and isinstance(member.node, (StringNode, ListNode)):
            named = member.node.text if isinstance(member.node, StringNode) else "array"
            return named in ("string", "integer", "number", "boolean", "array", "object", "null")
        if member.key in ("$ref", "anyOf", "oneOf", "allOf", "enum", "const") and not isinstance(member.node, LiteralNode):
            return True
    return False

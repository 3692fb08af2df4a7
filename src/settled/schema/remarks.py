"""What the comments of a rendered schema say: descriptions, constraints in words, defaults. Every remark is one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pydantic_core import to_json

from ..vocabulary.narrowing import is_list, is_object

Node = Mapping[object, object]
"""One JSON Schema, or a part of one."""

_FORMATS = {
    "base64": "bytes in base64",
    "base64url": "bytes in base64url",
    "binary": "bytes as text",
    "date": 'date "YYYY-MM-DD"',
    "date-time": "date and time in ISO 8601",
    "decimal": "decimal number as text",
    "duration": "duration in ISO 8601",
    "email": "email address",
    "ipv4": "IPv4 address",
    "ipv6": "IPv6 address",
    "time": "time of day in ISO 8601",
    "uri": "URL",
    "uuid": "UUID",
}
_DECIMAL = "^(?!^[-+.]*$)[+-]?0*"
"""How the pattern begins that pydantic writes for a Decimal, as of 2.12; 2.14 writes none."""
_DIGITS: Sequence[tuple[str, Callable[[re.Match[str]], str]]] = (
    (
        r"\(\?:\\d\{0,(\d+)\}.*\\\.\\d\{0,(\d+)\}",
        lambda found: f"at most {_count(found[1], 'digit')} before the point and {found[2]} after it",
    ),
    (r"\(\?:\\d\{0,(\d+)\}", lambda found: f"at most {_count(found[1], 'digit')}"),
    (r"\\\.\?\\d\{0,(\d+)\}", lambda found: f"at most {_count(found[1], 'digit')} after the point"),
)
_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029]")
_TOLD_ELSEWHERE = frozenset((
    "title", "description", "type", "default", "examples", "deprecated", "discriminator", "readOnly", "writeOnly",
    "$defs", "$schema", "$id", "$comment",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format",
    "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "contentEncoding", "contentMediaType",
))  # fmt: skip


def spelled(value: object) -> str:
    """A value as compact JSON on one line, whatever stands in its texts; ``any`` when it is too deep to be written.

    Example:
        >>> spelled({"a": ["x", None]})
        '{"a":["x",null]}'
    """
    try:
        text = to_json(value).decode()
    except ValueError:
        return "any"
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def on_one_line(text: str) -> str:
    r"""A text that cannot leave its comment: runs of blanks and line breaks are one blank, and nothing is left that UTF-8 lacks.

    Example:
        >>> on_one_line("the name \n  of the\u2028task ")
        'the name of the task'
    """
    return _BREAKS.sub(" ", " ".join(text.split())).encode("utf-8", "replace").decode()


def described(node: Node) -> list[str]:
    """The description of a part, if it has one."""
    text = node.get("description")
    flat = on_one_line(text) if isinstance(text, str) else ""
    return [flat] if flat else []


def constraints(node: Node, *, counted: bool = True) -> list[str]:
    """What a value of the part must fulfil beside its type, then its default, in words.

    Args:
        node: the part.
        counted: whether the number of items is told; a tuple shows it.

    Example:
        >>> constraints({"type": "string", "maxLength": 80, "default": "a"})
        ['at most 80 characters', 'default "a"']
    """
    return [*_of_numbers(node), *_of_texts(node), *_of_containers(node, counted=counted), *_of_usage(node)]


def leftovers(node: Node, shown: Iterable[str]) -> dict[str, object]:
    """The keywords of a part that neither its type, the keywords ``shown``, nor its remarks tell of.

    Example:
        >>> leftovers({"type": "string", "not": {"const": ""}}, [])
        {'not': {'const': ''}}
    """
    told = _TOLD_ELSEWHERE.union(shown)
    return {key: value for key, value in node.items() if isinstance(key, str) and key not in told}


def is_decimal_text(node: object) -> bool:
    """Whether a part is the text of a decimal number, as pydantic describes it beside a number.

    Example:
        >>> is_decimal_text({"type": "string", "pattern": "^[a-z]$"})
        False
    """
    return is_object(node) and str(node.get("pattern", "")).startswith(_DECIMAL)


def joined(remarks: Sequence[str]) -> str:
    """Several remarks as one comment.

    Example:
        >>> joined(["The name.", "at most 80 characters"])
        'The name; at most 80 characters'
    """
    *before, last = remarks
    return "; ".join([*(remark.removesuffix(".") for remark in before), last])


def _of_numbers(node: Node) -> Iterator[str]:
    least, most = node.get("minimum"), node.get("maximum")
    if least is not None and most is not None:
        yield f"{_number(least)} to {_number(most)}"
    elif least is not None:
        yield f">= {_number(least)}"
    elif most is not None:
        yield f"<= {_number(most)}"
    if "exclusiveMinimum" in node:
        yield f"> {_number(node['exclusiveMinimum'])}"
    if "exclusiveMaximum" in node:
        yield f"< {_number(node['exclusiveMaximum'])}"
    if "multipleOf" in node:
        yield f"a multiple of {_number(node['multipleOf'])}"


def _of_texts(node: Node) -> Iterator[str]:
    told, pattern = node.get("format"), node.get("pattern")
    if isinstance(told, str):
        yield on_one_line(_FORMATS.get(told, f"format {told}"))
    yield from _range(node.get("minLength"), node.get("maxLength"), "character")
    if isinstance(pattern, str) and pattern.startswith(_DECIMAL):
        yield _FORMATS["decimal"]
        matches = ((re.search(sign, pattern[len(_DECIMAL) :]), word) for sign, word in _DIGITS)
        yield from [word(found) for found, word in matches if found is not None][:1]
    elif isinstance(pattern, str):  # on one line, and exactly: blanks count in it
        yield f"matches /{pattern}/" if pattern == on_one_line(pattern) else f"matches the pattern {spelled(pattern)}"
    if "contentEncoding" in node:
        yield f"encoded as {on_one_line(str(node['contentEncoding']))}"
    if "contentMediaType" in node:
        yield f"content of type {on_one_line(str(node['contentMediaType']))}"


def _of_containers(node: Node, *, counted: bool) -> Iterator[str]:
    if counted:
        yield from _range(node.get("minItems"), node.get("maxItems"), "item")
    if node.get("uniqueItems") is True:
        yield "no two items alike"
    yield from _range(node.get("minProperties"), node.get("maxProperties"), "key")


def _of_usage(node: Node) -> Iterator[str]:
    examples = node.get("examples")
    if is_list(examples) and examples:
        yield "for example " + ", ".join(map(spelled, examples))
    if node.get("deprecated") is True:
        yield "deprecated"
    if "default" in node:
        yield f"default {spelled(node['default'])}"


def _range(least: object, most: object, thing: str) -> Iterator[str]:
    if least == 0:
        least = None
    if least is not None and least == most:
        yield f"exactly {_count(least, thing)}"
    elif least is not None and most is not None:
        yield f"{_number(least)} to {_count(most, thing)}"
    elif least is not None:
        yield f"at least {_count(least, thing)}"
    elif most is not None:
        yield f"at most {_count(most, thing)}"


def _count(number: object, thing: str) -> str:
    return f"{_number(number)} {thing}" if str(number) == "1" else f"{_number(number)} {thing}s"


def _number(value: object) -> str:
    """Digits without a fraction of nothing: pydantic writes 0 for a float as 0.0."""
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else spelled(value)

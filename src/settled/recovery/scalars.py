"""Scalars beside what is expected: texts, numbers, booleans, moments, choices. One function for each kind.

Each returns what pydantic is given. Coercions of pydantic's own ("47" to 47) pass as they stand and are no repair; the holes in
them are closed here: booleans as numbers, digits as moments, numbers that are not finite, digits lost in floats.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

from ..schema.expected import Choice, Expected
from ..schema.misfits import excerpt
from .choices import named_by
from .lexemes import spelled_number
from .nodes import ListNode, LiteralNode, Node, NumberNode, StringNode, WordNode
from .quantities import AMBIGUOUS, currency_of, is_no_value, moment_of, number_of
from .templates import is_choice_list, is_placeholder, is_type, may_be_placeholder
from .walk import MOST_DIGITS, Walk, plain_number, plain_of

_NON_FINITE = re.compile(r"[+\-−]?(?:nan|inf|infinity|∞)", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"[+\-]?(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+\-]?[0-9]+)?")
_DIGITS = re.compile(r"[+\-]?[0-9]+(?:\.[0-9]*)?")
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[Zz]|[+\-−][0-9]{2}:?[0-9]{2})?"
)
_SPAN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} ?-[0-9]{2}:[0-9]{2}")
_HOUR_STAMP = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])")
_ANY_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_SEPARATORS = re.compile(r"[;,\n|]|\s(?:and|und|et|y|e|en|or|&|/)\s")
_LONGEST_EXPONENT, _CODE, _SHOWN = 4300, 3, 60
_PLAIN_LENGTH = 300  # characters of a number without an exponent that is finite, whatever its digits


def field_of(walk: Walk) -> str:
    """The key that the place under way stands under."""
    steps = walk.steps
    if steps and isinstance(steps[-1], str):
        return steps[-1]
    return next((step for step in reversed(steps) if isinstance(step, str)), "")


def _unwrapped(walk: Walk, node: Node, expected: Expected) -> object:
    """A list where one scalar is due: of one item, that item; of several, nobody can choose."""
    if isinstance(node, ListNode) and len(node.items) == 1 and node.closed:
        trial = walk.trial(node.items[0], expected)
        if trial.fits:
            walk.repair("list.unwrapped", node)
            return walk.adopt(trial)
    elif isinstance(node, ListNode) and node.items:
        walk.issue("one value is due here, not several", "ambiguous", excerpt(plain_of(node)), ambiguous=True)
    walk.misfits += 1
    return plain_of(node)


def text(walk: Walk, node: Node, expected: Expected) -> object:
    """A text: a number gives its digits; a boolean or a container gives nothing."""
    if isinstance(node, StringNode):
        if walk.steps and may_be_placeholder(node.text) and is_placeholder(node.text, field_of(walk)):
            walk.absent = walk.absent or "it holds the blanks of a template"
        return node.text
    if isinstance(node, NumberNode):
        walk.repair("number.as_text", node, node.lexeme)
        return node.lexeme
    if isinstance(node, WordNode):
        return _word_as_text(walk, node)
    return _unwrapped(walk, node, expected)


def _word_as_text(walk: Walk, node: WordNode) -> str:
    """Unquoted text where a text is due: only the syntaxes that need no quotes have it, and not for null or NaN."""
    if is_placeholder(node.text, field_of(walk)):
        walk.absent = walk.absent or "it holds the blanks of a template"
    if is_type(node.text, alone=node.in_brackets):
        walk.absent = walk.absent or "it is the type, not a value of it"
    no_text = not node.text or node.text == "~" or is_no_value(node.text) or _NON_FINITE.fullmatch(node.text)
    if walk.loose and not no_text:
        walk.repair("word.unquoted", node, node.text)
    else:
        walk.issue("a text needs quotes", "text_unquoted")
    return node.text


def number(walk: Walk, node: Node, expected: Expected) -> object:
    """An integer, a float or a decimal, with its digits."""
    if isinstance(node, NumberNode):
        return _digits(walk, node, expected)
    if isinstance(node, LiteralNode):
        walk.issue("expected a number", "number_from_bool", excerpt(node.value))
        return node.value
    if isinstance(node, (StringNode, WordNode)):
        return _number_in_text(walk, node, expected)
    return _unwrapped(walk, node, expected)


def _digits(walk: Walk, node: NumberNode, expected: Expected) -> object:
    lexeme = node.lexeme
    if len(lexeme) > MOST_DIGITS:
        walk.issue(f"more than {MOST_DIGITS} digits", "number_too_long")
        return 0
    if lexeme.lstrip("-").isdigit():
        return int(lexeme)
    if expected.kind == "number" and len(lexeme) < _PLAIN_LENGTH and "e" not in lexeme and "E" not in lexeme:
        return float(lexeme)
    exact = Decimal(lexeme)
    if expected.kind == "decimal":
        walk.spelled = True
        return lexeme
    if exact and (abs(exact.adjusted()) > _LONGEST_EXPONENT or ("e" in lexeme.lower() and abs(float(lexeme)) == float("inf"))):
        walk.issue("expected a finite number", "finite_number", lexeme[:_SHOWN])
        return 0
    if expected.kind == "integer" and not expected.strict:
        if _THOUSANDS.fullmatch(lexeme):
            walk.issue("can be read as two numbers", "ambiguous", lexeme[:_SHOWN], ambiguous=True)
        if exact == exact.to_integral_value():
            walk.spelled = True
            return int(exact)
        walk.issue("expected an integer", "int_from_float", lexeme[:_SHOWN])
        return 0
    value = float(lexeme)
    if value in (float("inf"), float("-inf")) and not expected.allows_non_finite:
        walk.issue("expected a finite number", "finite_number", lexeme[:_SHOWN])
        return 0
    return value


def _number_in_text(walk: Walk, node: StringNode | WordNode, expected: Expected) -> object:
    written = node.text.strip()
    if isinstance(node, StringNode) and is_placeholder(written, field_of(walk)):
        walk.absent = walk.absent or "it holds the blanks of a template"
    if _NON_FINITE.fullmatch(written):
        if expected.allows_non_finite:
            return node.text if isinstance(node, StringNode) else float(written.replace("−", "-").replace("∞", "inf"))
        walk.issue("expected a finite number", "finite_number", excerpt(written))
        return node.text
    if isinstance(node, StringNode) and _PLAIN_NUMBER.fullmatch(written):
        if expected.kind == "integer" and _THOUSANDS.fullmatch(written.lstrip("+")):
            walk.issue("can be read as two numbers", "ambiguous", excerpt(written), ambiguous=True)
        value = plain_number(written.replace("_", "").lstrip("+") or "0") if len(written) < MOST_DIGITS else 0
        if expected.kind == "number" and value in (float("inf"), float("-inf")):
            walk.issue("expected a finite number", "finite_number", excerpt(written))
        return node.text
    spelled = spelled_number(written, 0) if isinstance(node, StringNode) else None
    if spelled is not None and spelled.end == len(written):
        walk.repair("number.spelled", node, written, spelled.lexeme)
        return _digits(walk, NumberNode(spelled.lexeme, node.start, node.end), expected)
    if not walk.steps and len(set(_ANY_NUMBER.findall(written))) > 1:
        walk.ambiguous = True
    found = number_of(written, expected)
    if found is AMBIGUOUS:
        walk.issue("can be read as two numbers", "ambiguous", excerpt(written), ambiguous=True)
    elif isinstance(found, str) and found != written:
        if _is_of_other_currency(walk, written):
            walk.issue("is an amount in another currency than the one beside it", "ambiguous", excerpt(written), ambiguous=True)
        walk.repair("number.grouped", node, written, found)
        return _digits(walk, NumberNode(found, node.start, node.end), expected)
    elif expected.nullable and is_no_value(written) and walk.loose:
        walk.repair("null.word", node, written, "null")
        return None
    elif isinstance(found, str) and walk.loose:
        walk.repair("word.unquoted", node, written)  # YAML: a plain number without quotes around it
        return _digits(walk, NumberNode(found, node.start, node.end), expected)
    elif isinstance(node, WordNode):
        walk.issue("expected a number", "number_unreadable", excerpt(written))
    walk.misfits += 1
    return node.text


def _is_of_other_currency(walk: Walk, written: str) -> bool:
    """Whether a text beside the amount names another currency than the amount does."""
    own = currency_of(written)
    return own is not None and any(currency_of(f"1 {text}") not in (None, own) for text in walk.beside if len(text) <= _CODE)


def boolean(walk: Walk, node: Node, expected: Expected) -> object:
    """True or false; words for them are pydantic's to take."""
    if isinstance(node, LiteralNode):
        return node.value
    if isinstance(node, NumberNode):
        walk.misfits += node.lexeme not in ("0", "1")
        return plain_number(node.lexeme)
    if isinstance(node, (StringNode, WordNode)):
        word = node.text.strip().casefold().strip("*_`.!")
        if word not in _TRUTHS:
            walk.misfits += 1
            if isinstance(node, WordNode):
                walk.issue("expected true or false", "bool_parsing", excerpt(node.text))
            return node.text
        if isinstance(node, WordNode):
            walk.repair("word.unquoted", node, node.text)
        elif word != node.text.casefold():
            walk.repair("enum.near", node, node.text, word)
        return word
    return _unwrapped(walk, node, expected)


_TRUTHS = frozenset(("true", "false", "yes", "no", "on", "off", "1", "0", "y", "n", "t", "f"))


def moment(walk: Walk, node: Node, expected: Expected) -> object:
    """A date, a time, both, or a duration: bare digits are none, but for seconds since 1970 where nothing else fits them."""
    if isinstance(node, NumberNode):
        if expected.kind == "duration" or (expected.kind == "datetime" and _is_seconds(node.lexeme)):
            return plain_number(node.lexeme)
        walk.issue(f"expected a {expected.kind}, not a number", "moment_from_number", node.lexeme[:_SHOWN])
        return node.lexeme
    if isinstance(node, LiteralNode):
        walk.issue(f"expected a {expected.kind}", "moment_from_bool", excerpt(node.value))
        return node.value
    if not isinstance(node, (StringNode, WordNode)):
        return _unwrapped(walk, node, expected)
    written = node.text.strip()
    if is_placeholder(written, field_of(walk)):
        walk.absent = walk.absent or "it holds the blanks of a template"
    if expected.kind != "duration" and _DIGITS.fullmatch(written):
        walk.issue(f"expected a {expected.kind}, not digits alone", "moment_from_digits", excerpt(written))
        return node.text
    if _SPAN.fullmatch(written):
        walk.issue("is a span of hours, or an odd offset", "ambiguous", excerpt(written), ambiguous=True)
    if _ISO_DAY.fullmatch(written) or _ISO_MOMENT.fullmatch(written) or expected.kind in ("time", "duration"):
        if isinstance(node, WordNode):
            walk.repair("word.unquoted", node, written)
        return written if isinstance(node, WordNode) else node.text
    kind: Literal["date", "datetime"] = "date" if expected.kind == "date" else "datetime"
    found = moment_of(written, kind)
    if found is not None and found != written:
        walk.repair("date.format", node, written, found)
        return found
    if expected.nullable and is_no_value(written) and walk.loose:
        walk.repair("null.word", node, written, "null")
        return None
    if isinstance(node, WordNode):
        walk.issue(f"expected a {expected.kind}", "moment_unreadable", excerpt(written))
    walk.misfits += _ISO_DAY.match(written) is None
    return node.text


def _is_seconds(lexeme: str) -> bool:
    """Seconds or milliseconds since 1970 of this century, which no compact date has the digits of."""
    whole = lexeme.partition(".")[0]
    return whole.isdigit() and len(whole) in (10, 13) and not _HOUR_STAMP.fullmatch(whole)


def choice(walk: Walk, node: Node, expected: Expected) -> object:
    """A member of an enum or literal: itself, or the one that a text names."""
    plain = plain_of(node)
    exact = isinstance(node, (StringNode, NumberNode, LiteralNode, WordNode)) and any(
        type(plain) is type(member.value) and plain == member.value for member in expected.choices
    )
    if exact and not isinstance(node, WordNode):
        return plain
    if isinstance(node, (StringNode, WordNode, NumberNode)):
        written = node.lexeme if isinstance(node, NumberNode) else node.text
        if is_choice_list(written, expected.choices) or is_placeholder(written, field_of(walk)):
            walk.absent = walk.absent or "it holds the blanks of a template"
            walk.misfits += 1
            return plain
        named = named_by(written, expected, field_of(walk))
        if named.choice is not None and _is_coerced(named.choice, written):
            return plain  # pydantic takes digits for the member of an integer enum
        if named.choice is not None:
            near = written != named.choice.spelling
            walk.repair(
                "enum.near" if near or isinstance(node, (NumberNode, StringNode)) else "word.unquoted",
                node,
                written,
                named.choice.spelling,
            )
            return named.choice.value
        if named.several:
            walk.issue("names more than one of the choices", "ambiguous", excerpt(written), ambiguous=True)
        if expected.nullable and is_no_value(written) and walk.loose:
            walk.repair("null.word", node, written, "null")
            return None
        if isinstance(node, WordNode) and not named.several:
            walk.issue("names none of the choices", "enum", excerpt(written))
        walk.misfits += 1
        return plain
    if isinstance(node, LiteralNode):
        if any(plain == member.value for member in expected.choices):  # for Python true is 1, and so for pydantic
            walk.issue("expected a number", "number_from_bool", excerpt(node.value))
        walk.misfits += 1
        return plain
    return _unwrapped(walk, node, expected)


def _is_coerced(member: Choice, written: str) -> bool:
    return member.name is not None and isinstance(member.value, int) and written == member.spelling


def names_several(written: str) -> bool:
    """Whether a text may list several items: ``a; b``, ``a and b``.

    Example:
        >>> names_several("salt, pepper"), names_several("salt")
        (True, False)
    """
    return _SEPARATORS.search(written.strip()) is not None or written.count("@") > 1 or written.count("://") > 1

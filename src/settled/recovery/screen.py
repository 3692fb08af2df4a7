"""The guards of the strict path: cheap screens that prove that there is nothing to look for in a text that pydantic took.

Pydantic takes some texts for what they do not say: of two keys that disagree the last, true for 1, digits for a date, NaN for a
number, a near miss of a key for nothing at all. Alignment finds all that, at twenty times the price. A screen costs a fraction of
the validation, and where it cannot prove that a text is clean, alignment decides. Which screens a type needs is found once a
type.

    suspects  what to look for in texts of a type                                                suspects.py
    signs     characters without which there is no template, no hidden escape, no lost digit
    audit     as many keys in the value as in the text, and no suspect number in it              audit.py
    shapes    each distinct sequence of keys once, and in each object the few values to watch    watching.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TypeAlias

from ..schema.target import OutputTarget
from .audit import SUSPECT
from .keys import is_slip, normal_key
from .suspects import Suspects, suspects_of
from .watching import Watch

_OPENS_TEMPLATE = re.compile(r'"[ \t<{\[$….]')
_SHOUTED = re.compile(r"_[A-Z]")
_POINT = re.compile(r"\.(?<=[0-9]\.)[0-9]")
_YEARS = re.compile(r"YYYY")
_PLACEHOLDER = re.compile(r"PLACEHOLDER")
_TEMPLATE = re.compile(
    r'"\s{0,4}(?:<[^<>"\n]{1,80}>|\{\{|\$?\{\w|\[[^\[\]"\n]{1,80}\]\s{0,4}"|\.\.\.|…|[A-Z]+_[A-Z_]+\s{0,4}"|YYYY|PLACEHOLDER)'
)
_TYPE_WORD = re.compile(r'"(?:string|str|number|integer|int|text|value|your )', re.IGNORECASE)
_OWN_KEY = re.compile(r'"(\w+)"\s*:\s*"\1"', re.IGNORECASE)
_LOOSE_BOOLEAN = re.compile(r"[\[,]\s*(?:true|false)")
_NAN, _INFINITY = re.compile(r"NaN"), re.compile(r"Infinity")
_HUGE_SMALL_E, _HUGE_LARGE_E = re.compile(r"e\+?[0-9]{3}"), re.compile(r"E\+?[0-9]{3}")
_SMALL_E, _LARGE_E = re.compile(r"e[+\-]?[0-9]"), re.compile(r"E[+\-]?[0-9]")
# Fractions whose digits a float does not give back: zeros at the end, many digits, and very small numbers.
_LOST_DIGITS = re.compile(r"\.(?:[0-9]*0(?![0-9])|[0-9]{8}|(?<=[0-9]{8}\.)[0-9]|000)")
# Begins with what stands before a number, as those characters are rare: the search skips what is between them.
_FRACTION = re.compile(r"([:,\[][ \t\r\n]*)(-?(?:0|[1-9][0-9]*)\.[0-9]+)(?=[ \t\r\n]*[,\]}])")
_LONG_DIGITS = re.compile(r"[0-9]{16}")
_DIGIT_TEXT = re.compile(r'"\s*[+\-]?[0-9]+(?:\.[0-9]*)?\s*"')
_NUMBER = re.compile(r"[:\[,]\s*-?[0-9]")
_ODD_COLON = re.compile(r'"\s+:')
_SCHEMA_KEYS = frozenset(("$schema", "$defs", "$ref", "properties"))


def is_proven(text: str, value: object, target: OutputTarget[object], *, exact: bool = False) -> bool:
    """Whether a text that pydantic took holds nothing that alignment would mend or refuse.

    Args:
        text: the whole payload.
        value: what pydantic made of it.
        target: the type.
        exact: fractions stand in quotes, as `with_exact_digits` writes them.

    Example:
        >>> target = OutputTarget(dict[str, int])
        >>> [is_proven(text, target.validate_json(text), target) for text in ('{"a": 1}', '{"a": 1, "a": 2}', '{"a": true}')]
        [True, False, False]
    """
    suspects = suspects_of(target)
    if text[:1] not in '{["':
        return _scalar_is_clean(text, suspects)
    if "\\" in text and _hides(text):
        return False
    if (suspects.texts or suspects.opaque) and _may_be_template(text):
        return False
    if suspects.opaque and _may_be_not_finite(text):
        return False
    if suspects.maps and ('"...' in text or '"…' in text):
        return False
    if suspects.loose_moments and (_DIGIT_TEXT.search(text) or _NUMBER.search(text)):
        return False
    if suspects.loose_integers and "." in text:
        return False
    if any(sign.search(text) for sign in suspects.moment_signs):
        return False
    if suspects.has_objects and (suspects.audit is None or (suspects.moments and not suspects.moment_signs)):
        if suspects.mapped_numbers or (suspects.loose_numbers and _LOOSE_BOOLEAN.search(text)):
            return False
        return _is_finite(text, suspects) and _shapes_are_clean(text, suspects, exact=exact)
    return _has_proof(text, value, target, suspects, exact=exact)


def _has_proof(text: str, value: object, target: OutputTarget[object], suspects: Suspects, *, exact: bool) -> bool:
    """Whether the audit or the dump prove that nothing is lost and nothing taken for something else; if not, the shapes."""
    if suspects.decimals and _decimals_suffer(text, exact=exact):
        return False
    booleans = suspects.numbers and ("true" in text or "false" in text)
    if booleans and (suspects.mapped_numbers or (suspects.loose_numbers and _LOOSE_BOOLEAN.search(text))):
        return False
    audit = suspects.audit
    if not suspects.has_objects or audit is None:
        return audit is not None and audit(value) == 0
    pointed = suspects.integers and _POINT.search(text) is not None
    signs = suspects.number_signs if booleans else suspects.integer_signs
    if (booleans or pointed) and signs:
        if any(sign.search(text) for sign in signs):
            return False
        booleans = pointed = False
    if (booleans or pointed) and not suspects.decimals and _dumps_alike(text, value, target):
        return True  # decimals are dumped in quotes, so they never are alike
    taken = audit(value)
    if taken >= SUSPECT:
        return False
    if not (booleans or pointed) and _is_counted(text, taken):
        return True
    return _shapes_are_clean(text, suspects, exact=True)  # the digits of decimals were looked at above


def _is_finite(text: str, suspects: Suspects) -> bool:
    """Whether no number can be NaN or an infinity."""
    return not (suspects.floats and _may_be_not_finite(text))


def loses_digits(text: str) -> bool:
    """Whether some number's digits would not come back from a float.

    Example:
        >>> loses_digits('{"price": 1.5}'), loses_digits('{"price": 1.50}')
        (False, True)
    """
    if "." not in text and "e" not in text and "E" not in text:
        return False
    return any(sign.search(text) for sign in (_LOST_DIGITS, _SMALL_E, _LARGE_E))


def _decimals_suffer(text: str, *, exact: bool) -> bool:
    """Whether a Decimal may not get its digits: from an exponent, or from a fraction that stands in no quotes."""
    if not loses_digits(text):
        return False
    if _SMALL_E.search(text) or _LARGE_E.search(text):
        return True
    return not exact and _FRACTION.search(text) is not None


def with_exact_decimals(text: str, target: OutputTarget[object]) -> str | None:
    """The text with the fractions behind keys of Decimals in quotes; None where that is of no use, or could make another value.

    Unlike `with_exact_digits` it needs no look at the text as it stands first, since nothing but a Decimal can take the quotes.

    Example:
        >>> from decimal import Decimal
        >>> from pydantic import create_model
        >>> Sale = create_model("Sale", price=Decimal)
        >>> with_exact_decimals('{"price": 1.50}', OutputTarget(Sale)), with_exact_decimals('{"price": 1.5}', OutputTarget(Sale))
        ('{"price": "1.50"}', None)
    """
    suspects = suspects_of(target)
    if suspects.priced is None or not loses_digits(text):
        return None
    return _quoted(suspects.priced, text)


def with_exact_digits(text: str, target: OutputTarget[object]) -> str | None:
    """The text with its fractions in quotes, so that Decimals get their digits and no float; None where that is of no use.

    A fraction inside a string is not meant: quotes there make the text no JSON, and pydantic refuses it.

    Example:
        >>> from decimal import Decimal
        >>> with_exact_digits('{"price": 1.50}', OutputTarget(dict[str, Decimal]))
        '{"price": "1.50"}'
    """
    suspects = suspects_of(target)
    if not (suspects.decimals and suspects.quotable and loses_digits(text)):
        return None
    return _quoted(_FRACTION, text)


def _quoted(fraction: re.Pattern[str], text: str) -> str:
    """The text with each fraction in quotes, at half the price of a substitution."""
    parts = fraction.split(text)  # in turn what stands between, what stands before a fraction, and the fraction
    parts[2::3] = [f'"{digits}"' for digits in parts[2::3]]
    return "".join(parts)


def _scalar_is_clean(text: str, suspects: Suspects) -> bool:
    """A bare literal or number as the whole text."""
    if suspects.opaque or suspects.decimals or suspects.has_objects:
        return False
    if text[:1] in "tf":
        return not suspects.numbers
    return text == "null" or (text.lstrip("-").isdigit() and len(text) < 16 and not suspects.moments)


def _may_be_not_finite(text: str) -> bool:
    """Whether some number may be NaN or an infinity."""
    return any(sign.search(text) for sign in (_NAN, _INFINITY, _HUGE_SMALL_E, _HUGE_LARGE_E))


def _hides(text: str) -> bool:
    """Whether escapes may hide what the screens look for, or half a character."""
    return "\\ud" in text or "\\uD" in text or "\\u00" in text or "\\u20" in text


def _may_be_template(text: str) -> bool:
    """Whether some text may be a blank to fill in."""
    if len(text) > _LONGEST_TEMPLATE:
        return False
    signs = any(sign.search(text) for sign in (_OPENS_TEMPLATE, _SHOUTED, _YEARS, _PLACEHOLDER))
    return (signs and _TEMPLATE.search(text) is not None) or any(sign.search(text) for sign in (_TYPE_WORD, _OWN_KEY))


_MOST_EXACT = 15  # characters of a number that a float gives back
_LONGEST_TEMPLATE = 16_000  # characters: a form is as short as the schema that it repeats


def _dumps_alike(text: str, value: object, target: OutputTarget[object]) -> bool:
    """The value is written as it was read, but for blanks: nothing was taken for anything else, and nothing is lost."""
    dumped = target.dumped_as_given(value)
    return dumped.translate(None, _BLANKS) == text.encode(errors="replace").translate(None, _BLANKS)


_BLANKS = b" \t\r\n"


def _is_counted(text: str, taken: int) -> bool:
    """As many keys were taken as were written: none was doubled, none ignored. Each has its colon, and is written where taken."""
    if text.count(":") == taken:
        return True
    return text.count('":') == taken and _ODD_COLON.search(text) is None


_Look: TypeAlias = tuple[int, frozenset[type], Callable[[str], bool] | None, Watch | None]
"""Which value of an object to look at, the kinds that it must not be of, what to ask of a text, and what of a list."""


class _Suspect(Exception):
    """An object may hold what the type does not mean."""


def _shapes_are_clean(text: str, suspects: Suspects, *, exact: bool) -> bool:
    """Whether no object doubles a key, has a key that may be meant for another, or a value that is suspect under its key.

    Unless ``exact``, no fraction may lose digits either, where there are decimals.
    """
    if not suspects.has_objects or (suspects.loose_numbers and _LONG_DIGITS.search(text)):
        return False
    shapes: dict[tuple[str, ...], tuple[_Look, ...]] = {}

    def note(pairs: list[tuple[str, object]]) -> None:
        if not pairs:
            return
        names, values = zip(*pairs)  # noqa: B905  # pairs are pairs
        watched = shapes.get(names)
        if watched is None:
            watched = shapes[names] = _watched(names, suspects)
        for place, kinds, is_text_suspect, watch in watched:
            found = values[place]
            kind = found.__class__
            if kind in kinds or (kind is str and is_text_suspect is not None and is_text_suspect(found)):
                raise _Suspect
            if kind is list and watch is not None and watch.is_suspect(found):
                raise _Suspect

    try:
        json.loads(text, object_pairs_hook=note, parse_float=_exact_float if suspects.decimals and not exact else None)
    except (_Suspect, ValueError, RecursionError):
        return False
    return True


def _exact_float(lexeme: str) -> float:
    """A float whose digits come back; raises for one whose digits do not."""
    if len(lexeme) > _MOST_EXACT or lexeme[-1] == "0" or "e" in lexeme or "E" in lexeme or lexeme.lstrip("-").startswith("0.000"):
        raise _Suspect
    return 0.5  # the value does not matter here


def _watched(names: tuple[str, ...], suspects: Suspects) -> tuple[_Look, ...]:
    """What to look at in objects with these keys, in this order; raises for keys that are suspect by themselves."""
    given = set(names)
    if len(given) != len(names) or any(len(spelled & given) > 1 for spelled in suspects.spellings):
        raise _Suspect
    if suspects.hollow and given.isdisjoint(suspects.known):
        raise _Suspect
    if suspects.objects and not any(given <= keys for keys in suspects.objects):
        raise _Suspect
    if suspects.has_fields and (suspects.careful or not given <= suspects.known):
        strange = {normal_key(name) for name in given - suspects.known}
        slips = any(is_slip(one, name) for one in strange for name in suspects.near)
        if suspects.careful or slips or strange & suspects.near or given & _SCHEMA_KEYS:
            raise _Suspect
    found: list[_Look] = []
    for place, name in enumerate(names):
        watch = suspects.watches.get(name)
        if watch is not None:
            found.append((place, watch.kinds, watch.text, watch if watch.item else None))
    return tuple(found)

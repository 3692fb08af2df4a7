"""The guards of the strict path: cheap screens that prove that there is nothing to look for in a text that pydantic took.

Pydantic takes some texts for what they do not say: of two keys that disagree the last, true for 1, digits for a date, NaN for a
number, a near miss of a key for nothing at all. Alignment finds all that, at twenty times the price. A screen costs a fraction of
the validation, and where it cannot prove that a text is clean, alignment decides. Which screens a type needs is found once a
type. What pydantic took in strict mode, which costs nothing more, needs no look at the kinds of its values.

    suspects  what to look for in texts of a type                                                                     suspects.py
    signs     characters without which there is no template, no hidden escape, no lost digit
    audit     taken strictly: as many keys in the value as in the text, and no number that is none                    audit.py
    keys      taken strictly, but with keys that are ignored, say: which keys stand in the text at all
    shapes    not taken strictly: each sequence of keys once, and in each object the few values to watch              watching.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from itertools import chain
from operator import methodcaller
from typing import TypeAlias, cast

from pydantic_core import from_json

from ..schema.encoding import MAP_VALUE
from ..schema.target import OutputTarget
from .audit import SUSPECT
from .finding import Judgement
from .keys import is_slip, normal_key
from .suspects import Suspects, suspects_of
from .watching import Watch

_BLANK = r"(?:\s|\\[nrtfb])*"  # around a text; what stands behind is checked, so that it is read once
_OPENS_TEMPLATE = re.compile(r'"[\s\\<{\[$….]')
_SHOUTED = re.compile(r"_[A-Z]")
_YEARS = re.compile(r"YYYY")
_PLACEHOLDER = re.compile(r"PLACEHOLDER")
_TEMPLATE = re.compile(
    rf'"{_BLANK}(?:<[^<>"\n]{{1,80}}>|\{{\{{|\$?\{{\w|\[[^\[\]"\n]{{1,80}}\]{_BLANK}"|\.\.\.|…|[A-Z]+_[A-Z_]+{_BLANK}"|YYYY|PLACEHOLDER)'
)
# Looks ahead for a first letter, since most quotes end a text: the search takes half the time.
_TYPE_WORD = re.compile(
    rf'"(?=[\s\\abdfinostvy]){_BLANK}(?:string|str|number|integer|int|float|bool|date|array|object|text|value|your )',
    re.IGNORECASE,
)
_PAIR = re.compile(rf'"([^"\\]{{1,90}})"\s*:\s*"{_BLANK}([^"]{{1,180}})"')
_LOOSE_BOOLEAN = re.compile(r"[\[,]\s*(?:true|false)")
_NOT_FINITE_TEXT = re.compile(r'"\s*[+\-]?(?:nan|inf)', re.IGNORECASE)
_NAN, _INFINITY = re.compile(r"NaN"), re.compile(r"Infinity")
_HUGE_SMALL_E, _HUGE_LARGE_E = re.compile(r"e\+?[0-9]{3}"), re.compile(r"E\+?[0-9]{3}")
_SMALL_E, _LARGE_E = re.compile(r"e[+\-]?[0-9]"), re.compile(r"E[+\-]?[0-9]")
# Fractions whose digits a float does not give back: zeros at the end, many digits, and very small numbers.
_LOST_DIGITS = re.compile(r"\.(?:[0-9]*0(?![0-9])|[0-9]{8}|(?<=[0-9]{8}\.)[0-9]|000)")
# Begins with what stands before a number, as those characters are rare: the search skips what is between them.
_FRACTION = re.compile(r"([:,\[][ \t\r\n]*)(-?(?:0|[1-9][0-9]*)\.[0-9]+)(?=[ \t\r\n]*[,\]}])")
_LONG_DIGITS = re.compile(r"[0-9]{16}")
# A text that pydantic takes for seconds, or a span of hours behind a day, which it takes for an odd offset.
_ODD_MOMENT = re.compile(r'"(?:\s*(?:[+\-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*)?"|[^"]{10} [0-9]{2}:[0-9]{2} ?-)')
_NUMBER = re.compile(r"[:\[,]\s*-?[0-9]")
_ODD_COLON = re.compile(r'"\s+:')
# What stands before a colon that is not directly behind a quote. The colon comes first, as the search skips what is between two.
_STRAY_COLON = re.compile(r':(?<=([^"]):)')
_FAR_APART = 32  # characters from colon to colon, from which on looking at each colon is the quicker way
# Escapes of what the screens look for, or of half a character: in one search, and in the UTF-8 that pydantic left with the text.
_HIDING = re.compile(rb"\\u(?:[dD]|00|20|30|16)")
_SCHEMA_KEYS = frozenset(("$schema", "$defs", "$ref", "properties"))
_SCHEMA_KEY = re.compile(r'"(?:\$schema|\$defs|\$ref|properties)"')
_JSON_BLANK = frozenset(" \t\r\n")
_MOST_STRANGE = 200  # keys that are no field and are compared with those that are; with more, alignment decides


def is_proven(text: str, judged: Judgement, *, exact: bool = False) -> bool:
    """Whether a text that pydantic took holds nothing that alignment would mend or refuse.

    Args:
        text: the whole payload.
        judged: what pydantic made of it, and whether in strict mode.
        exact: fractions stand in quotes, as `with_exact_digits` writes them.

    Example:
        >>> from settled.modes.answers import answers_for
        >>> answers = answers_for(OutputTarget(dict[str, int]))
        >>> [is_proven(text, answers.judge(text, None)) for text in ('{"a": 1}', '{"a": 1, "a": 2}', '{"a": true}')]
        [True, False, False]
    """
    if not judged.fits or judged.way is None:
        return False
    suspects = suspects_of(judged.way.target)
    if suspects.endless or (suspects.free_extras and not judged.strict):
        return False
    if judged.way.encoding.maps and f'"{MAP_VALUE}"' in text:
        return False  # one entry alone passes for a map of two
    if text[:1] not in '{["':
        return _scalar_is_clean(text, suspects)
    if _shows_signs(text, suspects):
        return False
    if suspects.decimals and _decimals_suffer(text, exact=exact):
        return False
    if not judged.strict or (suspects.moments and not (suspects.loose_moments or suspects.moment_signs)):
        return _is_finite(text, suspects) and _lists_are_clean(text, suspects) and _shapes_are_clean(text, suspects)
    if any(sign.search(text) for sign in suspects.moment_signs):
        return False
    return _keeps_all(text, judged.whole, suspects)


def _shows_signs(text: str, suspects: Suspects) -> bool:
    """Whether it may hold the blank of a template, an escape that hides something, or what passes where anything may stand."""
    if "\\" in text and _HIDING.search(text.encode()) is not None:
        return True
    if (suspects.texts or suspects.opaque) and _may_be_template(text):
        return True
    if suspects.opaque and _may_be_not_finite(text):
        return True
    if suspects.maps and ('"...' in text or '"…' in text or _SCHEMA_KEY.search(text)):
        return True
    return suspects.loose_moments and _ODD_MOMENT.search(text) is not None


def _keeps_all(text: str, value: object, suspects: Suspects) -> bool:
    """Whether no key is doubled, ignored or meant for another, and no number is none; the kinds of values are right already."""
    taken = 0 if suspects.audit is None else suspects.audit(value)
    if taken >= SUSPECT or (suspects.audit is None and not _is_finite(text, suspects)):
        return False
    if not suspects.has_objects:
        return True
    colons = text.count(":")
    counted = suspects.audit is not None and _is_counted(text, colons, taken)
    return counted or (not suspects.merges_keys and _keys_are_clean(text, colons, suspects))


def _lists_are_clean(text: str, suspects: Suspects) -> bool:
    """Whether no list or map can hold a value of another kind than it takes; what has a key of its own is looked at by shape."""
    if suspects.loose_moments and _NUMBER.search(text):
        return False
    if suspects.loose_integers and "." in text:
        return False
    if not (suspects.mapped_numbers or suspects.loose_numbers):
        return True
    if _NOT_FINITE_TEXT.search(text):
        return False
    booleans = "true" in text or "false" in text
    return not (booleans and (suspects.mapped_numbers or _LOOSE_BOOLEAN.search(text)))


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


def _may_be_template(text: str) -> bool:
    """Whether some text may be a blank to fill in. One among thousands of others is no sign that nothing was filled in."""
    if len(text) > _LONGEST_TEMPLATE:
        return False
    signs = any(sign.search(text) for sign in (_OPENS_TEMPLATE, _SHOUTED, _YEARS, _PLACEHOLDER))
    if (signs and _TEMPLATE.search(text) is not None) or _TYPE_WORD.search(text) is not None:
        return True
    return any(key[:1].lower() == said[:1].lower() and _repeats(key, said) for key, said in _PAIR.findall(text))


def _repeats(key: str, said: str) -> bool:
    """A text says no more than its key."""
    return normal_key(key) == normal_key(re.sub(r"\\[nrtfb]", " ", said))


_LONGEST_TEMPLATE = 16_000  # characters: a form is as short as the schema that it repeats


def _is_counted(text: str, colons: int, taken: int) -> bool:
    """As many keys were taken as were written: none was doubled, none ignored. Each has its colon, and is written where taken."""
    if colons == taken:
        return True
    if colons * _FAR_APART > len(text):  # such as many times of day
        return text.count('":') == taken and _ODD_COLON.search(text) is None
    strays = _STRAY_COLON.findall(text)
    return colons - len(strays) == taken and (_JSON_BLANK.isdisjoint(strays) or _ODD_COLON.search(text) is None)


_Look: TypeAlias = tuple[int, frozenset[type], Callable[[str], bool] | None, Watch | None]
"""Which value of an object to look at, the kinds that it must not be of, what to ask of a text, and what of a list."""


class _Suspect(Exception):
    """An object may hold what the type does not mean."""


_values_of: Callable[[dict[str, object]], Iterable[object]] = methodcaller("values")


def _keys_are_clean(text: str, colons: int, suspects: Suspects) -> bool:
    """Whether no object doubles a key, or has one that may be meant for another; the kinds of the values are right already.

    Level by level, until there are as many keys as colons: of a key that is doubled only the last is there.
    """
    try:
        level: list[object] = [from_json(text, cache_strings="keys", allow_inf_nan=not suspects.floats)]
    except ValueError:
        return False
    names: set[str] = set()
    shapes: set[tuple[str, ...]] = set()
    found = 0
    while level:
        objects, lists = _containers_in(level)
        found += sum(map(len, objects))
        if suspects.by_object:
            shapes.update(map(tuple, objects))
        else:
            names = names.union(*objects)
        if found == colons:
            break
        level = [*chain.from_iterable(map(_values_of, objects)), *chain.from_iterable(lists)]
    if not _is_counted(text, colons, found):
        return _shapes_are_clean(text, suspects)
    try:
        for shape in shapes or (tuple(names),):
            if shape:
                _refuse_suspect_keys(shape, suspects)
    except _Suspect:
        return False
    return True


def _containers_in(level: list[object]) -> tuple[list[dict[str, object]], list[list[object]]]:
    """The objects and the lists among some values, which mostly are all of one kind."""
    kinds = set(map(type, level))
    objects = level if kinds == {dict} else [part for part in level if part.__class__ is dict] if dict in kinds else []
    lists = [part for part in level if part.__class__ is list] if list in kinds else []
    return cast("list[dict[str, object]]", objects), cast("list[list[object]]", lists)


def _shapes_are_clean(text: str, suspects: Suspects) -> bool:
    """Whether no object doubles a key, has a key that may be meant for another, or a value that is suspect under its key."""
    if not suspects.has_objects or suspects.merges_keys or (suspects.loose_numbers and _LONG_DIGITS.search(text)):
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
        json.loads(text, object_pairs_hook=note)
    except (_Suspect, ValueError, RecursionError):
        return False
    return True


def _watched(names: tuple[str, ...], suspects: Suspects) -> tuple[_Look, ...]:
    """What to look at in objects with these keys, in this order; raises for keys that are suspect by themselves."""
    _refuse_suspect_keys(names, suspects)
    found: list[_Look] = []
    for place, name in enumerate(names):
        watch = suspects.watches.get(name)
        if watch is not None:
            found.append((place, watch.kinds, watch.text, watch if watch.item else None))
    return tuple(found)


def _refuse_suspect_keys(names: tuple[str, ...], suspects: Suspects) -> None:
    """Raise for the keys of an object that are suspect by themselves."""
    given = set(names)
    if len(given) != len(names) or any(len(spelled & given) > 1 for spelled in suspects.spellings):
        raise _Suspect
    if suspects.hollow and given.isdisjoint(suspects.known):
        raise _Suspect
    if suspects.objects and not any(given <= keys for keys in suspects.objects):
        raise _Suspect
    if suspects.has_fields and (suspects.careful or not given <= suspects.known):
        unknown = given - suspects.known
        if len(unknown) > _MOST_STRANGE:
            raise _Suspect
        strange = set(map(normal_key, unknown))
        slips = any(is_slip(one, name) for one in strange for name in suspects.near)
        if suspects.careful or slips or strange & suspects.near or given & _SCHEMA_KEYS:
            raise _Suspect

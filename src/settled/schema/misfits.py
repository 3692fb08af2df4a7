"""From pydantic's errors to issues: one line each, with the path as it stands in the payload that the model wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError
from pydantic_core import from_json

from ..vocabulary.issues import Issue
from ..vocabulary.narrowing import is_list, is_object
from ..vocabulary.value import made

MOST_ISSUES = 20
"""Issues kept of one payload; one more line counts the rest."""
TOO_MANY = "too_many_readings"
"""The code of what would take too long to try."""
_LONGEST_EXCERPT = 60

# pydantic's own words for these speak of parsing and instances; a model needs to hear what to write.
_EXPECTED: Mapping[str, str] = {
    "int_type": "expected an integer",
    "int_parsing": "expected an integer",
    "int_from_float": "expected an integer",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "decimal_type": "expected a decimal number",
    "decimal_parsing": "expected a decimal number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "string_type": "expected a string",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
    "set_type": "expected a list",
    "frozen_set_type": "expected a list",
    "dict_type": "expected an object",
    "model_type": "expected an object",
    "model_attributes_type": "expected an object",
    "dataclass_type": "expected an object",
    "typed_dict_type": "expected an object",
    "none_required": "expected null",
    "missing": "required, but missing",
    "missing_argument": "required, but missing",
    "missing_keyword_only_argument": "required, but missing",
    "extra_forbidden": "unknown key, not allowed here",
    "unexpected_keyword_argument": "unknown key, not allowed here",
    "date_parsing": "expected a date as YYYY-MM-DD",
    "date_from_datetime_parsing": "expected a date as YYYY-MM-DD",
    "datetime_parsing": "expected a date and time in ISO 8601",
    "datetime_from_date_parsing": "expected a date and time in ISO 8601",
    "time_parsing": "expected a time as HH:MM:SS",
    "recursion_loop": "nested too deeply",
}
# How pydantic begins its messages, and how they read better; the first that fits is taken.
_REWORDED = (
    ("Input should be greater", "expected a value greater"),
    ("Input should be less", "expected a value less"),
    ("Input should be ", "expected "),
    ("Value error, ", ""),
    ("Assertion failed, ", ""),
)
_WITHOUT_EXCERPT = frozenset({"missing", "missing_argument", "missing_keyword_only_argument", "json_invalid"})
_ADDED = {"missing", "missing_argument", "missing_keyword_only_argument"}


def plain_json(text: str) -> tuple[bool, object]:
    """Whether a text is JSON, and what it holds as plain data. ``NaN`` and lone surrogates are no JSON.

    Example:
        >>> plain_json('{"a": [1]}')
        (True, {'a': [1]})
    """
    try:
        return True, from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # pydantic-core raises TypeError for text that is no Unicode
        return False, None


def issues_of(error: ValidationError, payload: object) -> tuple[Issue, ...]:
    """The issues in a validation error, at most `MOST_ISSUES` and a line that counts the rest.

    Args:
        error: what pydantic raised.
        payload: the payload as plain data, to tell keys from the tags that pydantic puts into its locations.
    """
    found = error.errors(include_url=False, include_context=False)
    issues = [
        made(
            Issue,
            path=_path(item["loc"], payload, item["input"], keep_last=item["type"] in _ADDED),
            message=_expected(item["type"], item["msg"]),
            got=None if item["type"] in _WITHOUT_EXCERPT else excerpt(item["input"]),
            code=item["type"],
        )
        for item in found[:MOST_ISSUES]
    ]
    if len(found) > MOST_ISSUES:
        issues.append(Issue(message=f"and {len(found) - MOST_ISSUES} more issues", code="more"))
    return tuple(issues)


def path_of(location: Sequence[int | str], payload: object, *, keep_last: bool = False) -> str:
    """A location as ``$.items[2].name``, without the steps that are no key or index of the payload.

    Example:
        >>> path_of(("items", 2, "Book", "name"), {"items": [0, 1, {"name": 3}]})
        '$.items[2].name'
    """
    return _followed(location, payload, keep_last=keep_last, tags_first=False)[0]


def _path(location: Sequence[int | str], payload: object, found: object, *, keep_last: bool) -> str:
    """The path to what pydantic found; a tag of a union may be a key of the payload too."""
    path, end = _followed(location, payload, keep_last=keep_last, tags_first=False)
    if not _same(end, found):
        other, end = _followed(location, payload, keep_last=keep_last, tags_first=True)
        path = other if _same(end, found) else path
    return path


def _same(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except Exception:  # what a validator of the user's made of the payload
        return False


def _followed(location: Sequence[int | str], payload: object, *, keep_last: bool, tags_first: bool) -> tuple[str, object]:
    """A path, and what stands at its end; with ``tags_first`` a step that an object has as a text is its tag, before all else."""
    path, here, tagged = "$", payload, not tags_first
    for place, step in enumerate(location):
        if is_object(here) and step in here:
            if not tagged and step in [text for text in here.values() if isinstance(text, str)]:
                tagged = True
                continue
            path, here, tagged = path + _key(str(step)), here[step], not tags_first
        elif is_list(here) and isinstance(step, int) and -1 < step < len(here):
            path, here, tagged = f"{path}[{step}]", here[step], not tags_first
        elif keep_last and place == len(location) - 1:
            path += step_of(step)
    return path, here


def step_of(step: int | str) -> str:
    """One step of a path, as it is written.

    Example:
        >>> step_of(2), step_of("name"), step_of("a b")
        ('[2]', '.name', "['a b']")
    """
    return f"[{step}]" if isinstance(step, int) else _key(step)


def _key(name: str) -> str:
    name = name if len(name) <= _LONGEST_EXCERPT else name[:_LONGEST_EXCERPT] + "..."
    return f".{name}" if name.replace("-", "_").isidentifier() else f"[{name!r}]"


def _expected(code: str, message: str) -> str:
    if code in _EXPECTED:
        return _EXPECTED[code]
    message = " ".join(message.split())  # an issue is one line
    for prefix, instead in _REWORDED:
        if message.startswith(prefix):
            return instead + message[len(prefix) :]
    return message[:1].lower() + message[1:]


def excerpt(content: object) -> str:
    """A few characters of a payload's content, as JSON would name it.

    Example:
        >>> excerpt([1, 2, 3])
        'a list of 3'
    """
    if isinstance(content, str):
        return _short(repr(content[: _LONGEST_EXCERPT + 1]))
    if content is None or isinstance(content, bool):
        return {None: "null", True: "true", False: "false"}[content]
    if is_object(content):
        return "an object"
    if is_list(content):
        return f"a list of {len(content)}"
    return _short(str(content))


def _short(shown: str) -> str:
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[:_LONGEST_EXCERPT] + "..."

"""What must hold for whatever text recovery is given, whatever the type and the level: `check`, and how bytes become a case.

The first byte of an input chooses the type, the second how often the text is repeated, so that a cost that grows faster than the
text shows in inputs that are short. The rest is the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from time import process_time
from typing import NamedTuple, cast

from pydantic import TypeAdapter
from tests.recovery.corpus.models import MODELS
from typing_extensions import TypeForm

from settled import FinishReason, Recovery
from settled.modes.answers import answers_for
from settled.recovery.finding import Accepts, Finding
from settled.recovery.recover import recover
from settled.schema.target import OutputTarget

CORPUS = Path(__file__).parent.parent / "recovery" / "corpus"
LEVELS = (Recovery.STRICT, Recovery.FRAMING, Recovery.SYNTAX, Recovery.SCHEMA, Recovery.SEMANTIC)
NAMES = tuple(sorted(MODELS))
REPEATS = (1, 1, 1, 1, 1, 1, 8, 64)
"""Most inputs are taken once: what is repeated is seldom JSON."""
LONGEST = 60_000
"""Characters of a text, however often it is to be repeated."""
SECONDS, SECONDS_A_CHARACTER = 0.25, 60e-6
"""What one text may take: CPU of this process, so that a busy machine proves nothing."""
TRIES = 3
STOP = FinishReason(kind="stop")
_SUSPECT = frozenset("<>{}[]$|\\`_….\"'")
"""Characters of a string that make it look like a template, an elision, or a payload in a payload: then a guard may refuse it."""
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


class Case(NamedTuple):
    """One input."""

    name: str
    """The type, by its name in the corpus."""
    text: str
    """What the model wrote."""


class Broken(AssertionError):
    """A property does not hold."""


def case_of(data: bytes) -> Case:
    """The case that some bytes stand for.

    Example:
        >>> case_of(data_of(Case("Whole", "47")))
        Case(name='Whole', text='47')
    """
    head, body = data[:2].ljust(2, b"\x00"), data[2:]
    try:
        text = body.decode("utf-8", "surrogatepass")  # lone surrogates reach us by escapes in the reply of a server
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
    repeats = REPEATS[head[1] % len(REPEATS)]
    return Case(NAMES[head[0] % len(NAMES)], (text * repeats)[:LONGEST])


def data_of(case: Case, repeats: int = 1) -> bytes:
    """The bytes that stand for a case, or for one whose text is repeated."""
    return bytes((NAMES.index(case.name), REPEATS.index(repeats))) + case.text.encode("utf-8", "surrogatepass")


FOUND: Mapping[str, Case] = {
    "bracket behind a call": Case("Decision", "{d:date(2024,2,9)6"),
    "nul behind a call": Case("Order", "{'':datetime.date(2024,2,9)\x00"),
}
"""What broke a property once, as small as it gets."""
SLOW: Mapping[str, Case] = {
    "keys that are never closed": Case("Tally", '{"figs'),
    "keys inside keys": Case("Guest", '{"n+{"na"a+{"na"ar\x03r\x03}'),
}
"""Texts that took too long once they were repeated."""


def corpus() -> Iterator[Case]:
    """The lines of the corpus."""
    for path in sorted(CORPUS.glob("cases_*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                case = cast("Mapping[str, str]", json.loads(line))
                yield Case(case["model"], case["text"])


def seeds() -> Iterator[bytes]:
    """Inputs to start from: the corpus, and what was found before."""
    yield from (data_of(case) for case in (*corpus(), *FOUND.values()))
    yield from (data_of(case, REPEATS[-1]) for case in SLOW.values())


@cache
def target_of(name: str) -> OutputTarget[object]:
    """A type of the corpus."""
    return OutputTarget(cast("TypeForm[object]", MODELS[name]))


# ---------------------------------------------------------------------------------------------------------- properties


def check(case: Case, *, timed: bool = True) -> None:
    """Recover the text at every level, and hold what comes out against the properties.

    Args:
        case: the input.
        timed: whether to look at the clock, which a test should not.

    Raises:
        Broken: when one of them does not hold; any other exception is recovery's own, which must raise none.
    """
    target = target_of(case.name)
    accepts = answers_for(target)
    is_clean, value = clean_value(case.text, target)
    for level in LEVELS:
        finding = _in_time(case.text, accepts, level) if timed else recover(case.text, accepts, level, finish_reason=STOP)
        if finding.outcome == "value":
            _check_value(finding, target, level)
        if is_clean and (finding.outcome != "value" or repr(finding.value) != repr(value)):
            raise Broken(f"{level.level}: clean JSON came to {finding.outcome} {finding.value!r}, not to {value!r}")


def _in_time(text: str, accepts: Accepts, level: Recovery) -> Finding:
    """What recovery finds; it may not take longer than the size of the text allows, at the best of some tries."""
    allowed = SECONDS + SECONDS_A_CHARACTER * len(text)
    least = float("inf")
    for _ in range(TRIES):
        begun = process_time()
        finding = recover(text, accepts, level, finish_reason=STOP)
        least = min(least, process_time() - begun)
        if least <= allowed:
            return finding
    raise Broken(f"{level.level}: {len(text)} characters took {least:.3f} s, more than {allowed:.3f} s")


def _check_value(finding: Finding, target: OutputTarget[object], level: Recovery) -> None:
    """A value is what pydantic makes of the payload that is told with it."""
    payload = finding.payload or ""
    again = target.validate(payload) if finding.as_text else target.validate_json(payload)
    if repr(again) != repr(finding.value):  # not ==, since NaN differs from itself
        raise Broken(f"{level.level}: the value is {finding.value!r}, but its payload {payload!r} makes {again!r}")
    refused = [repair.code for repair in finding.repairs if not level.permits(repair)]
    if refused:
        raise Broken(f"{level.level}: made the repairs {refused}, which it forbids")


# --------------------------------------------------------------------------------------------------------- clean JSON


class _Unclean(ValueError):
    """The text is no JSON that stands for one value without any doubt."""


def clean_value(text: str, target: OutputTarget[object]) -> tuple[bool, object]:
    """Whether a text is JSON that no guard can object to, and its value: pydantic took all of it, and coerced nothing.

    Example:
        >>> [clean_value(text, target_of("Tally")) for text in ('{"a": 1}', '{"a": true}', '{"a": 1, "a": 2}')]
        [(True, {'a': 1}), (False, None), (False, None)]
    """
    try:
        plain: object = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
        value = target.validate_json(text)
        dumped: object = json.loads(_written(target.form, value))
        _hold_alike(plain, dumped)
    except (ValueError, RecursionError):
        return False, None
    return True, value


def _written(form: object, value: object) -> bytes:
    """A value as JSON, only what was given of it, by the keys that pydantic takes."""
    return _adapter(form).serializer.to_json(value, by_alias=True, exclude_unset=True, warnings=False)


@cache
def _adapter(form: object) -> TypeAdapter[object]:
    return TypeAdapter(cast("type[object]", form))


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Unclean
    return made


def _no_constant(name: str) -> object:
    raise _Unclean(name)


def _hold_alike(given: object, taken: object) -> None:
    """Compare JSON data, types and all; an integer given for a float is the same number.

    Raises:
        _Unclean: when they differ, or hold what is suspect.
    """
    waiting = [(given, taken)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            mine, theirs = cast("dict[str, object]", one), cast("dict[str, object]", other)
            if mine.keys() != theirs.keys() or any(_SUSPECT.intersection(key) for key in mine):
                raise _Unclean
            if any(_may_be_blank(key, mine[key]) for key in mine):
                raise _Unclean
            waiting += [(mine[key], theirs[key]) for key in mine]
        elif isinstance(one, list) and isinstance(other, list):
            items, others = cast("list[object]", one), cast("list[object]", other)
            if len(items) != len(others):
                raise _Unclean
            waiting += zip(items, others, strict=True)
        elif isinstance(one, str) and isinstance(other, str):
            if one != other or _SUSPECT.intersection(one) or not one.isprintable():
                raise _Unclean
        elif one != other or (isinstance(one, bool) is not isinstance(other, bool)):
            raise _Unclean
        elif isinstance(one, float) and isinstance(other, int):
            raise _Unclean  # 12.000 is twelve thousand in some countries


def _may_be_blank(key: str, value: object) -> bool:
    """Whether a text only names its key or its type, as the blanks of a form do."""
    if not isinstance(value, str):
        return False
    said = "".join(filter(str.isalnum, value.casefold()))
    return said in _TYPE_WORDS or said.startswith("your") or said == "".join(filter(str.isalnum, key.casefold()))

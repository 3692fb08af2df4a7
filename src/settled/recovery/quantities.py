"""Numbers and moments as people write them: grouping, currency, percent, month names. Used at the semantic level only.

Each function answers with a plain lexeme when a text has exactly one reading, and with nothing (or `AMBIGUOUS`) when it has none
or two. Digits are moved as text and never pass through a float.
"""

from __future__ import annotations

import re
from datetime import date
from enum import Enum
from typing import Final, Literal

from ..schema.expected import Expected
from .patterns import pattern


class Ambiguous(Enum):
    """The type of `AMBIGUOUS`."""

    TWO_READINGS = "two readings"
    """Two readings give different values."""


AMBIGUOUS: Final = Ambiguous.TWO_READINGS
"""What is answered for a text with two readings that give different values, such as ``1,234``."""

_NO_VALUE = frozenset(
    (
        "n/a", "n.a.", "n. a.", "none", "null", "unknown", "-", "–", "—", "not available", "not applicable", "not provided",
        "not specified", "not given", "not stated", "not mentioned",
    )
)  # fmt: skip
_CODES = "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|SGD|HKD|TRY|US\\$|[$€£¥₹₩]"  # signs too
_AMOUNT = (
    rf"(?P<sign>[+\-\u2212]?)(?:(?P<before>{_CODES})[ \u00a0\u202f]?(?P<inner>[+\-\u2212]?))?"
    r"(?P<core>[0-9.](?:[0-9.,'’ \u00a0\u2009\u202f_]*[0-9])?(?:[eE][+\-]?[0-9]+)?)"
    rf"[ \u00a0\u202f]?(?P<after>{_CODES}|[%％])?"
)
_SIGNS = {"€": "EUR", "$": "USD", "US$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW"}
_PLAIN = re.compile(r"(?:([0-9]+)(\.[0-9]+)?|(\.[0-9]+))([eE][+\-]?[0-9]+)?")
_GROUPED = (
    r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+(?:\.[0-9]+)?|(?:\.[0-9]{3})+(?:,[0-9]+)?|(?:['’][0-9]{3})+(?:\.[0-9]+)?|(?:_[0-9]{3})+"
    r"|(?:[ \u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?)"
    r"|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"  # lakhs and crores
)
_DECIMAL_COMMA = re.compile(r"[0-9]+,[0-9]+")
_ENGLISH_ONCE = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_THOUSAND_OR_MILLS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")  # "€1.234" is hardly an amount with three decimals
_LONE_BLANKS = re.compile(r"[0-9]{1,3}(?: [0-9]{3})+")  # "1 234" is one number, or two
_SEPARATORS = re.compile(r"[,.'’_ \u00a0\u2009\u202f]")

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    "|dec(?:ember)?"
)
_OTHER_MONTHS = (
    ("januar", "jänner", "janvier", "enero", "gennaio"),
    ("februar", "feber", "février", "fevrier", "febrero", "febbraio"),
    ("märz", "mrz", "mär", "mars", "marzo"),
    ("april", "avril", "abril", "aprile"),
    ("mai", "mayo", "maggio"),
    ("juni", "juin", "junio", "giugno"),
    ("juli", "juillet", "julio", "luglio"),
    ("august", "août", "aout", "agosto"),
    ("september", "septembre", "septiembre", "setiembre", "settembre"),
    ("oktober", "okt", "octobre", "octubre", "ottobre"),
    ("november", "novembre", "noviembre"),
    ("dezember", "dez", "décembre", "decembre", "diciembre", "dicembre"),
)
"""German, French, Spanish and Italian; no name means one month here and another there."""
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONGEST_MOMENT = 64
_MOMENT = (
    r"(?:(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? +)?"
    r"(?:(?P<y1>[0-9]{4})(?P<s1>[-/.])(?P<m1>[0-9]{1,2})(?P=s1)(?P<d1>[0-9]{1,2})"
    r"|(?P<a2>[0-9]{1,2})(?P<s2>[-/.])(?P<b2>[0-9]{1,2})(?P=s2)(?P<y2>[0-9]{4})"
    rf"|(?P<m3>{_MONTH})\.? +(?P<d3>[0-9]{{1,2}})(?:st|nd|rd|th)?,? +(?P<y3>[0-9]{{4}})"
    rf"|(?P<d4>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: +of +| +|-)(?P<m4>{_MONTH})\.?(?:,? +|-)(?P<y4>[0-9]{{4}})"
    r"|(?P<d5>[0-9]{1,2})(?:\. *| *[°º] *|er +| +)(?:de +)?(?P<m5>[a-zäéû]{3,10})\.? +(?:del? +)?(?P<y5>[0-9]{4}))"
    r"(?:(?:,? +(?:at +)?|t)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>\.[0-9]{1,6})?)?"
    r"(?: ?(?P<half>am|pm))?(?: ?(?P<zone>z|(?:utc|gmt)(?:[+\-][0-9]{1,2}(?::?[0-9]{2})?)?|[+\-][0-9]{2}:?[0-9]{2}))?)?"
)
_FURTHEST_EAST = 14 * 60


def is_no_value(text: str) -> bool:
    """Whether a text only says that there is no value: ``N/A``, ``none``, ``unknown``, ``null``, ``-`` and the like.

    Example:
        >>> is_no_value(" N/A "), is_no_value("nobody")
        (True, False)
    """
    return len(text) <= _LONGEST_MOMENT and text.strip().casefold() in _NO_VALUE


def number_of(text: str, expected: Expected) -> str | Ambiguous | None:
    """The number a text stands for, as a plain lexeme; `AMBIGUOUS` for two readings; None when it is no lone number.

    Grouping, a decimal comma and one currency sign or code are read; a percentage only where the bounds of the number tell what
    it is a share of (0 to 1, or 0 to 100). Units, ranges and words never are.

    Args:
        text: The whole text of the value.
        expected: The number that is due: ``integer``, ``number`` or ``decimal``; anything else gives None.

    Example:
        >>> number_of("€ 1.234,50", Expected("decimal")), number_of("12,345", Expected("integer"))
        ('1234.50', '12345')
        >>> number_of("1,234", Expected("decimal")) is AMBIGUOUS, number_of("34 months", Expected("integer"))
        (True, None)
    """
    match = pattern(_AMOUNT).fullmatch(text.strip())
    if match is None or expected.kind not in {"integer", "number", "decimal"}:
        return None
    if match["sign"] and match["inner"]:
        return None
    whole = expected.kind == "integer"
    digits = _plain_digits(match["core"], whole=whole)
    if digits is None or digits is AMBIGUOUS:
        return digits
    after = match["after"] or ""
    is_amount = bool(match["before"]) or after not in {"", "%", "％"}
    if (is_amount or whole) and _THOUSAND_OR_MILLS.fullmatch(match["core"]):
        return AMBIGUOUS
    if not is_amount and _LONE_BLANKS.fullmatch(match["core"]):
        return AMBIGUOUS
    if after in {"%", "％"}:
        shared = None if match["before"] else _share(digits, expected)
        if not isinstance(shared, str):
            return shared
        digits = shared
    elif after and match["before"]:
        return None
    negative = (match["sign"] or match["inner"] or "") in {"-", "\u2212"}
    return f"-{digits}" if negative else digits


def currency_of(text: str) -> str | None:
    """The ISO code of the currency that an amount names by a sign or a code; None for a text that is none or names none.

    A sign that several countries use stands for the one it is known for most: ``$`` for the US dollar, ``¥`` for the yen.

    Example:
        >>> currency_of("€ 1.234,50"), currency_of("12 USD"), currency_of("12")
        ('EUR', 'USD', None)
    """
    match = pattern(_AMOUNT).fullmatch(text.strip())
    if match is None:
        return None
    named = {_SIGNS.get(code, code) for code in (match["before"], match["after"]) if code and code not in "%％"}
    return named.pop() if len(named) == 1 else None


def _plain_digits(core: str, *, whole: bool) -> str | Ambiguous | None:
    """Digits without grouping and with a decimal point; ``whole`` numbers have no decimal comma."""
    if plain := _PLAIN.fullmatch(core):
        units, fraction, bare_fraction, exponent = plain.groups(default="")
        return (units.lstrip("0") or "0") + (fraction or bare_fraction) + exponent
    if not whole and _ENGLISH_ONCE.fullmatch(core):
        return AMBIGUOUS
    if pattern(_GROUPED).fullmatch(core):
        separators = _SEPARATORS.findall(core)
        point = separators[-1] if separators[-1] != separators[0] else None
        units, _, fraction = core.rpartition(point) if point else (core, "", "")
        grouped = _SEPARATORS.sub("", units)
        return f"{grouped}.{fraction}" if fraction else grouped
    if not whole and _DECIMAL_COMMA.fullmatch(core):
        units, _, fraction = core.partition(",")
        return f"{units.lstrip('0') or '0'}.{fraction}"
    return None


def _share(digits: str, expected: Expected) -> str | Ambiguous | None:
    """A percentage in the measure of the bounds, its point moved by two places where they are 0 and 1."""
    if expected.at_least != 0 or "e" in digits.casefold():
        return None
    if expected.at_most == 100:
        return digits
    if expected.at_most != 1:
        return None
    units, _, fraction = digits.partition(".")
    if units == "0" and fraction.strip("0"):
        return AMBIGUOUS  # "0.87%" of a model that was asked for a share of one: either 0.87 or 0.0087
    padded = units.zfill(3)
    return f"{padded[:-2].lstrip('0') or '0'}.{padded[-2:]}{fraction}"


def moment_of(text: str, kind: Literal["date", "datetime"]) -> str | None:
    """A date or a moment in ISO 8601, when the text has exactly one reading.

    Read are the order year, month, day; English month names, and German, French, Spanish and
    Italian ones between day and year; ``13/03/2024``, since no month is the thirteenth; times with UTC,
    GMT, ``Z``, a numeric offset or no zone. Never read are compact digits, ``03/04/2024``, other zone names, and a bare day where
    a moment is due.

    Example:
        >>> moment_of("2025-11-03 09:30 UTC", "datetime"), moment_of("1st of May 2024", "date")
        ('2025-11-03T09:30:00Z', '2024-05-01')
        >>> moment_of("03/04/2024", "date"), moment_of("2025-11-03 09:30 CET", "datetime")
        (None, None)
    """
    if len(text) > _LONGEST_MOMENT:
        return None
    match = pattern(_MOMENT).fullmatch(text.strip().casefold())
    day = _day(match) if match else None
    if match is None or day is None:
        return None
    if match["weekday"] and not match["weekday"].startswith(_WEEKDAYS[day.weekday()]):
        return None
    clock = _clock(match) if match["hour"] else ""
    if clock is None:
        return None
    if kind == "date":
        return day.isoformat() if not clock or clock.strip("Z").partition("+")[0].partition("-")[0] == "T00:00:00" else None
    return day.isoformat() + clock if clock else None


def _day(match: re.Match[str]) -> date | None:
    """The day of a moment; None when it does not exist or could be two."""
    if match["a2"]:
        first, second, year = int(match["a2"]), int(match["b2"]), int(match["y2"])
        readings = {day for day in (_date(year, second, first), _date(year, first, second)) if day}
        return readings.pop() if len(readings) == 1 else None
    if match["m5"]:
        months = [place for place, names in enumerate(_OTHER_MONTHS, 1) if match["m5"] in names]
        return _date(int(match["y5"]), months[0], int(match["d5"])) if months else None
    month = match["m1"] or match["m3"] or match["m4"]
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
    return _date(int(match["y1"] or match["y3"] or match["y4"]), number, int(match["d1"] or match["d3"] or match["d4"]))


def _date(year: int, month: int, day: int) -> date | None:
    """The date, if there is one."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _clock(match: re.Match[str]) -> str | None:
    """The time of a moment with its zone, as in ``T09:30:00Z``; None when there is no such time."""
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] == "pm" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    zone = _zone(match["zone"] or "")
    return None if zone is None else f"T{hour:02}:{minute:02}:{second:02}{match['fraction'] or ''}{zone}"


def _zone(zone: str) -> str | None:
    """The zone as ISO 8601 writes it; None when there is no such offset."""
    if not zone or zone in {"z", "utc", "gmt"}:
        return "Z" if zone else ""
    offset = zone.removeprefix("utc").removeprefix("gmt")
    digits = offset[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if minutes > 59 or hours * 60 + minutes > _FURTHEST_EAST or (offset[0] == "-" and not hours + minutes):
        return None
    return f"{offset[0]}{hours:02}:{minutes:02}"

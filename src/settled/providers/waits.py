"""How long a service asks us to wait: from its headers, or from its error body. Parsing never raises; nonsense is no wish.

The first of these that makes sense: ``retry-after-ms`` (Azure), ``retry-after`` as seconds or as an HTTP date (RFC 9110, section
10.2.3), and ``google.rpc.RetryInfo`` inside an error body (Gemini: ``"retryDelay": "14s"``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from ..vocabulary.narrowing import is_list, is_mapping

_LONGEST = 86_400.0  # a day: a service that asks for more has sent nonsense


class Wait(NamedTuple):
    """What a service asks for."""

    seconds: float
    """How long to wait from now."""
    until: datetime
    """The moment that this is, with its time zone."""


def wait_asked(headers: Mapping[str, str], body: object = None, *, now: datetime | None = None) -> Wait | None:
    """The wait that a reply asks for; None when it asks for none, or for nonsense.

    Args:
        headers: by lower-case name.
        body: the error body, as JSON data.
        now: the time, for tests; by default the clock's.

    Example:
        >>> wait_asked({"retry-after-ms": "40", "retry-after": "7"}).seconds
        0.04
        >>> wait_asked({"retry-after": "soon"}) is None
        True
    """
    now = now or datetime.now(timezone.utc)
    told = headers.get("retry-after")
    wishes = (_scaled(headers.get("retry-after-ms"), 0.001), _scaled(told, 1.0), _until_date(told, now), _in_body(body))
    seconds = next((wish for wish in wishes if wish is not None and 0 < wish <= _LONGEST), None)
    return None if seconds is None else Wait(seconds, now + timedelta(seconds=seconds))


def _scaled(text: str | None, unit: float) -> float | None:
    """A number of units; inf, nan and what is no number are None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number * unit if math.isfinite(number) else None


def _until_date(text: str | None, now: datetime) -> float | None:
    if text is None:
        return None
    from email.utils import parsedate_to_datetime  # costs at import, and is needed after a 429 alone

    try:
        moment = parsedate_to_datetime(text)
        if moment.tzinfo is None:  # "-0000" means UTC, told by nobody in particular
            moment = moment.replace(tzinfo=timezone.utc)
        return (moment - now).total_seconds()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _in_body(body: object) -> float | None:
    """Gemini's ``RetryInfo``, among the ``details`` of an error, which stands in a list of one."""
    first = body[0] if is_list(body) and body else body
    error = first.get("error", first) if is_mapping(first) else None
    details = error.get("details") if is_mapping(error) else None
    for detail in details if is_list(details) else ():
        delay = detail.get("retryDelay") if is_mapping(detail) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return _scaled(delay[:-1], 1.0)
    return None

"""What conditions are made with, held to what can work: a condition that could never fire is refused when it is made."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal, InvalidOperation
from math import isfinite

from ..vocabulary.errors import MisuseError


def whole(where: str, given: object, *, least: int) -> int:
    """A whole number.

    Raises:
        MisuseError: for anything else, or one below ``least``.

    Example:
        >>> whole("step_count_is(n)", 3, least=0)
        3
    """
    if isinstance(given, int) and not isinstance(given, bool) and given >= least:
        return given
    raise MisuseError(f"{where}: {_shown(given)} was given; give a whole number, {least} or more")


def dollars(where: str, given: object) -> Decimal:
    """An amount of money, exact: a float is taken as it is written.

    Raises:
        MisuseError: for anything else, or an amount below 0.

    Example:
        >>> dollars("max_cost(usd)", 0.1)
        Decimal('0.1')
    """
    if isinstance(given, (Decimal, str, int, float)) and not isinstance(given, bool):
        try:
            amount = Decimal(str(given))
        except InvalidOperation:
            amount = Decimal(-1)
        if amount.is_finite() and amount >= 0:
            return amount
    raise MisuseError(f"{where}: {_shown(given)} was given; give US dollars, 0 or more, such as '0.50'")


def seconds(where: str, given: object) -> float:
    """A span of time in seconds.

    Raises:
        MisuseError: for anything else, or a span below 0.

    Example:
        >>> seconds("max_duration(seconds)", timedelta(minutes=1))
        60.0
    """
    if isinstance(given, timedelta):
        given = given.total_seconds()
    if isinstance(given, (int, float)) and not isinstance(given, bool) and isfinite(given) and given >= 0:
        return float(given)
    raise MisuseError(f"{where}: {_shown(given)} was given; give seconds, 0 or more, or a timedelta")


def some(where: str, given: tuple[object, ...], kinds: tuple[type, ...], due: str) -> None:
    """At least one argument, each of one of these kinds, and no empty text.

    Raises:
        MisuseError: when there is none, or one of another kind, such as a list of them.

    Example:
        >>> some("has_tool_call(*names)", ("search",), (str,), "names of tools")
    """
    if not given:
        raise MisuseError(f"{where}: nothing was given; give {due}")
    for item in given:
        if not isinstance(item, kinds) or item == "":
            raise MisuseError(f"{where}: {_shown(item)} was given; give {due}{_apart(item)}")


def conditions(where: str, given: tuple[object, ...]) -> None:
    """At least one condition.

    Raises:
        MisuseError: when there is none, or something that cannot be called, such as a list of them.

    Example:
        >>> conditions("any_of(*conditions)", (bool,))
    """
    if not given:
        raise MisuseError(f"{where}: nothing was given; give conditions")
    for item in given:
        if not callable(item):
            raise MisuseError(f"{where}: {_shown(item)} was given; give functions of a StopState{_apart(item)}")


def word(where: str, name: str, given: object, words: tuple[str, ...]) -> None:
    """One of a few words.

    Raises:
        MisuseError: for any other.

    Example:
        >>> word("has_tool_call", "scope", "any", ("last", "any"))
    """
    if given not in words:
        raise MisuseError(f"{where}: {name}={_shown(given)}; give {' or '.join(map(repr, words))}")


def _apart(given: object) -> str:
    return ", one after the other" if isinstance(given, (list, tuple)) else ""


def _shown(given: object) -> str:
    """A number or a short text as it is, of anything else the type."""
    if isinstance(given, (str, int, float, Decimal)):
        text = repr(given)
        return text if len(text) <= 40 else f"{text[:40]}..."
    return type(given).__name__

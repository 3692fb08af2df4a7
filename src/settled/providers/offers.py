"""`Offers`: the part of a body that an agent sends with every request, built once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..vocabulary.capabilities import Capabilities, Support
from ..vocabulary.exchange import JsonObject, ModelRequest, OutputFormat, ToolDefinition

USELESS: frozenset[Support] = frozenset({"rejected", "ignored"})
"""What is not worth sending."""
_THINKS = frozenset({"default_on", "always"})
_MOST_KEPT = 32


def may_force(known: Capabilities, effort: str | None = None) -> bool:
    """Whether a call can be demanded at all: some models take no such demand while they think.

    Args:
        known: what the endpoint is known to do.
        effort: the reasoning effort that is asked for.

    Example:
        >>> known = Capabilities(thinking="default_on", forced_choice_with_thinking=False)
        >>> may_force(known), may_force(known, "none")
        (False, True)
    """
    if known.forced_choice_with_thinking or known.thinking == "none":
        return True
    if known.thinking == "always" or effort is None:
        return known.thinking not in _THINKS
    return effort == "none"


class _Offer(NamedTuple):
    """What makes an offer, and the part of the body that it is."""

    tools: tuple[ToolDefinition, ...]
    format: OutputFormat | None
    choice: str
    body: JsonObject


class Offers:
    """The tools and response formats that were sent before: built once for an agent, then found again by identity.

    Example:
        >>> offers = Offers(Capabilities(), lambda request, known: {"tools": []})
        >>> request = ModelRequest(messages=(), mode="native", output_format=OutputFormat(name="A", json_schema={}))
        >>> offers.of(request) is offers.of(request)
        True
    """

    def __init__(self, known: Capabilities, make: Callable[[ModelRequest, Capabilities], JsonObject]) -> None:
        self._known = known
        self._make = make
        self._kept: dict[tuple[int, int, str, str | None], _Offer] = {}

    def of(self, request: ModelRequest) -> JsonObject:
        """The part of the body that does not change within an agent: what is on offer, and what must be chosen."""
        tools, answer, choice = request.tools, request.output_format, request.tool_choice
        if not tools and answer is None:
            return {}
        key = (id(tools), id(answer), choice, request.settings.reasoning_effort)
        kept = self._kept.get(key)
        if kept is None or kept.tools is not tools or kept.format is not answer:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[key] = _Offer(tools, answer, choice, self._make(request, self._known))
        return kept.body

"""`Asking`: how far a server may be held to a schema, and in which dialect; read from its capabilities and the agent's wish.

`Rung` is where a run stands on the ladder it steps down when a server refuses what was sent: the mode, and what is left out.
"""

from __future__ import annotations

from typing import NamedTuple

from ..schema.encoding import PLAIN_DIALECT
from ..vocabulary.capabilities import Capabilities, Support
from ..vocabulary.stop import OutputMode

_USELESS: frozenset[Support] = frozenset({"rejected", "ignored"})


class Asking(NamedTuple):
    """How the server is asked, apart from the mode.

    Example:
        >>> Asking().dialect
        'plain'
    """

    dialect: str = PLAIN_DIALECT
    """The subset of JSON Schema that its response format understands."""
    tool_dialect: str = PLAIN_DIALECT
    """The subset for tool parameters."""
    strict: bool | None = False
    """The agent's wish: hold the server to the schema, do not, or do so where nothing of its shape is lost (None)."""
    holds_format: bool = True
    """The server can be held to a response format."""
    holds_tools: bool = True
    """The server can be held to tool parameters, and is told so tool by tool."""
    loose: bool = False
    """What only constrains is said in words, and nothing is strict: a server has refused the schema."""
    forced: bool = True
    """A call may be demanded."""
    schema_in_prompt: bool = False
    """The server does not show the schema of a response format to its model."""
    json_object: bool = False
    """JSON mode is of use where no schema is sent."""


class Rung(NamedTuple):
    """Where a run stands on the ladder."""

    mode: OutputMode
    """The mode."""
    loose: bool = False
    """The schema is sent loosely."""
    forced: bool = True
    """A call may be demanded."""


def asking_of(known: Capabilities, strict: bool | None) -> Asking:
    """How an endpoint is asked.

    Args:
        known: what it can do.
        strict: the agent's wish.

    Example:
        >>> asking_of(Capabilities(dialect="llamacpp", json_schema="enforced", tools="best_effort"), None)[:5]
        ('llamacpp', 'llamacpp', None, True, False)
    """
    return Asking(
        dialect=known.dialect,
        tool_dialect=known.tool_dialect or known.dialect,
        strict=strict,
        holds_format=known.json_schema not in _USELESS,
        holds_tools=known.tool_strict not in _USELESS,
        schema_in_prompt=known.schema_in_prompt,
        json_object=known.json_object == "enforced",
    )

"""The types and calls that many rows share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field
from tests.support import OSLO, City
from tests.support import call as call

from settled import Hooks, ToolCall
from settled.vocabulary.exchange import ToolDefinition

__all__ = ["OSLO", "City", "Harbour", "Stuck", "call", "gave_up", "handed_over", "hooked", "parameters_of"]


class Berth(BaseModel):
    """Where a ship lies."""

    model_config = ConfigDict(extra="forbid")
    metres: int = Field(description="Its length in metres.")


class Harbour(BaseModel):
    """A harbour with its berths."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(description="The name on the chart.")
    berths: list[Berth] = Field(description="All berths, from the sea inwards.")


class Stuck(BaseModel):
    """What is missing."""

    reason: str
    blocked_by: list[str] = []


def handed_over(arguments: str = OSLO, id: str = "out") -> ToolCall:
    """A call of the output tool."""
    return call("final_result", arguments, id)


def gave_up(arguments: str = '{"reason":"no map"}', id: str = "gave") -> ToolCall:
    """A call of the failure tool."""
    return call("report_failure", arguments, id)


def parameters_of(tool: ToolDefinition) -> list[str]:
    """What a tool takes, by name."""
    return list(cast("Iterable[str]", tool.parameters["properties"]))


def hooked(**hooks: Any) -> Hooks:
    """Hooks by name, where the names are data."""
    return Hooks(**hooks)

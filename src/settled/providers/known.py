"""`Known`: what is known of a model, layer over layer, and who said so: the table, a probe, the user, or the server itself.

what every endpoint is assumed to do    the defaults of `Capabilities`
the table, row over row                 table.py
a probe, or what the user says          ``capabilities=``
what a server refused by name           `Known.without`
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from ..vocabulary.capabilities import Capabilities, Given, Told
from ..vocabulary.errors import MisuseError
from ..vocabulary.narrowing import is_mapping
from ..vocabulary.stop import OutputMode
from .table import rows_of

_OTHER_CAP = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_REFUSED: Mapping[str, Mapping[str, object]] = {
    "tools": {"tools": "rejected"},
    "tool_choice": {"choice_required": "rejected", "choice_named": "rejected", "choice_allowed_tools": False},
    "parallel_tool_calls": {"parallel_switch": "rejected"},
    "reasoning_effort": {"tools_need_effort_none": True},
    "stream_options": {"stream_usage": "rejected"},
}
"""What a refused field says of a model. A refused schema says nothing of the model, only of the schema."""


class Known(NamedTuple):
    """What is known, and the source of each field that is not merely assumed."""

    capabilities: Capabilities
    """The record."""
    sources: Mapping[str, str] = {}
    """By field."""

    def over(self, fields: Mapping[str, object], source: str) -> Known:
        """A layer over this one.

        Example:
            >>> known = Known(Capabilities()).over({"tools": "enforced"}, "a test")
            >>> known.capabilities.tools, known.sources
            ('enforced', {'tools': 'a test'})
        """
        return Known(self.capabilities.changed(**fields), {**self.sources, **dict.fromkeys(fields, source)})

    def given(self, told: Told | None) -> Known:
        """With what the user says, or a probe found.

        Raises:
            MisuseError: for a file that cannot be read, or holds something else.
        """
        if told is None:
            return self
        given = given_in(told, to="the provider")
        return self.over({name: getattr(given.record, name) for name in given.record.model_fields_set}, given.source)

    def without(self, feature: str, mode: OutputMode) -> Known:
        """After a refusal by name.

        Args:
            feature: the field of the request that was refused.
            mode: in which mode.

        Example:
            >>> Known(Capabilities()).without("response_format", "native").capabilities.json_schema
            'rejected'
        """
        learned = dict(_REFUSED.get(feature, {}))
        if feature == "response_format":
            learned = {"json_object" if mode == "prompted" else "json_schema": "rejected"}
        elif feature in _OTHER_CAP and self.capabilities.max_tokens_param in _OTHER_CAP:
            learned = {"max_tokens_param": _OTHER_CAP[feature]}  # the other one, however many runs learn it at once
        return self.over(learned, "the server refused it") if learned else self


def known_of(service: str | None, model: str) -> Known:
    """What the table knows of a model of a service; of no known service, nothing.

    Example:
        >>> known_of("groq", "llama-3.3-70b").sources["json_schema"]
        'Groq docs: structured outputs; litellm groq transformation'
    """
    fields: dict[str, object] = {}
    sources: dict[str, str] = {}
    for row in rows_of(service, model):
        fields |= row.known
        sources |= dict.fromkeys(row.known, row.source)
    return Known(Capabilities.model_validate(fields), sources)


def given_in(told: Told, *, to: str) -> Given:
    """The record that was given, or that stands in a file: a `Capabilities` as JSON, or what a probe has saved.

    Raises:
        MisuseError: for a file that cannot be read, or holds something else.

    Example:
        >>> given_in(Capabilities(tools="enforced"), to="the agent").source
        'given to the agent'
    """
    if isinstance(told, Capabilities):
        return Given(told=told, record=told, source=f"given to {to}")
    try:
        text = Path(told).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise MisuseError(f"capabilities={os.fspath(told)!r}: {getattr(error, 'strerror', None) or error}") from error
    record, day = _saved(text)
    source = f"given to {to}: {Path(told).name}" if day is None else f"a probe of {day}, given to {to}: {Path(told).name}"
    try:
        return Given(told=told, record=Capabilities.model_validate_json(record), source=source)
    except ValidationError as error:
        where = ", ".join(".".join(map(str, item["loc"])) or "the text" for item in error.errors()[:3])
        raise MisuseError(f"capabilities={os.fspath(told)!r}: no record of capabilities; look at {where}") from None


def _saved(text: bytes) -> tuple[bytes, str | None]:
    """The record in a file, as JSON; and when the probe was that found it, where one did."""
    try:
        held: object = from_json(text)
    except ValueError:  # the record says what is wrong
        return text, None
    if not is_mapping(held) or not is_mapping(held.get("capabilities")):
        return text, None
    at = held.get("at")
    return to_json(held["capabilities"]), at[:10] if isinstance(at, str) else "an unknown day"

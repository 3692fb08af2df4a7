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
from typing import NamedTuple, TypeAlias

from pydantic import ValidationError

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.errors import MisuseError
from ..vocabulary.stop import OutputMode
from .table import rows_of

Told: TypeAlias = Capabilities | str | os.PathLike[str]
"""What ``capabilities=`` takes: a record, of which only the fields that were set count, or the file of a probe."""

_GIVEN = "given to the provider"
_OTHER_CAP = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_REFUSED: Mapping[str, Mapping[str, object]] = {
    "tools": {"tools": "rejected"},
    "tool_choice": {"choice_required": "rejected", "choice_named": "rejected", "choice_allowed_tools": False},
    "parallel_tool_calls": {"parallel_switch": "rejected"},
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
        source = _GIVEN if isinstance(told, Capabilities) else f"{_GIVEN}: {Path(told).name}"
        record = capabilities_in(told)
        return self.over({name: getattr(record, name) for name in record.model_fields_set}, source)

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
        elif feature == "max_tokens" and self.capabilities.max_tokens_param in _OTHER_CAP:
            learned = {"max_tokens_param": _OTHER_CAP[self.capabilities.max_tokens_param]}
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


def capabilities_in(told: Told) -> Capabilities:
    """A record as it was given, or out of a file.

    Raises:
        MisuseError: for a file that cannot be read, or holds something else.
    """
    if isinstance(told, Capabilities):
        return told
    try:
        return Capabilities.model_validate_json(Path(told).read_bytes())
    except OSError as error:
        raise MisuseError(f"capabilities={os.fspath(told)!r}: {error.strerror or type(error).__name__}") from error
    except ValidationError as error:
        where = ", ".join(".".join(map(str, item["loc"])) or "the text" for item in error.errors()[:3])
        raise MisuseError(f"capabilities={os.fspath(told)!r}: no record of capabilities; look at {where}") from None

"""Level 1: from a type to a JSON Schema, a validator, and what it expects place by place; from pydantic's errors to issues.

expected_of  what a type takes, read from pydantic's core schema
facts_of     which guards the type can need
decided      its core schema with unions that its tags decide; json_validator and python_validator are made of that
doubts_of    what is dangerous about the type, in words
rendered     its JSON Schema as a type in the manner of TypeScript, for a model to read
readable     its JSON Schema with Decimals as texts, as a start for what is shown
sendable     its JSON Schema with the Decimals marked, as a start for what is sent
is_same_type, is_same_value  whether two types, or values, are the same to a run
sent_schema  that schema in the dialect of a server
written_out  a schema without references, for a server that reads none

These are loaded when they are first asked for: a reply that comes as it was asked for needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..vocabulary.doors import door

if TYPE_CHECKING:
    from .decimals import readable as readable
    from .decimals import sendable as sendable
    from .doubts import doubts_of as doubts_of
    from .facts import facts_of as facts_of
    from .implicit import JsonValidator as JsonValidator
    from .implicit import decided as decided
    from .implicit import json_validator as json_validator
    from .implicit import python_validator as python_validator
    from .reading import expected_of as expected_of
    from .rendering import rendered as rendered
    from .sameness import is_same_type as is_same_type
    from .sameness import is_same_value as is_same_value
    from .sending import sent_schema as sent_schema
    from .sending import written_out as written_out

__all__ = [
    "JsonValidator", "decided", "doubts_of", "expected_of", "facts_of", "is_same_type", "is_same_value", "json_validator",
    "python_validator", "readable", "rendered", "sendable", "sent_schema", "written_out",
]  # fmt: skip

__getattr__: Callable[[str], object] = door(__name__, {
    "readable": ".decimals",
    "doubts_of": ".doubts",
    "expected_of": ".reading",
    "facts_of": ".facts",
    "decided": ".implicit",
    "JsonValidator": ".implicit",
    "json_validator": ".implicit",
    "python_validator": ".implicit",
    "rendered": ".rendering",
    "sendable": ".decimals",
    "is_same_type": ".sameness",
    "is_same_value": ".sameness",
    "sent_schema": ".sending",
    "written_out": ".sending",
})  # fmt: skip

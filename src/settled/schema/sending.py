"""Stand-in."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..vocabulary.exchange import JsonObject
from .encoding import PLAIN, Encoding


class Loss(NamedTuple):
    path: str
    kind: Literal["shape", "constraint"]
    what: str


class SentSchema(NamedTuple):
    json_schema: JsonObject
    strict: bool
    losses: tuple[Loss, ...] = ()
    encoding: Encoding = PLAIN
    limits: tuple[str, ...] = ()

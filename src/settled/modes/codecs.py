"""The table of modes: a new mode is one file and one row here."""

from __future__ import annotations

from collections.abc import Mapping

from ..vocabulary.stop import OutputMode
from .native import NativeCodec
from .prompted import PromptedCodec
from .shape import Codec
from .text import TextCodec
from .tool import ToolCodec

CODECS: Mapping[OutputMode, Codec] = {
    "tool": ToolCodec(),
    "native": NativeCodec(),
    "prompted": PromptedCodec(),
    "text": TextCodec(),
}
"""Every mode but ``auto``, which is resolved to one of these first."""

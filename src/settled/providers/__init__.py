"""Level 4: model services behind one protocol.

OpenAIChat              a model behind the Chat Completions API
OpenAIResponses         a model behind the Responses API
LocalModel              a model file, run in this process
provider_named          the provider that a model string names
probe                   asks an endpoint what it can do
ProbeReport, ProbeStep  what a probe has found, and how

They are loaded when they are first asked for, since a program that only imports the package, or tests with fakes, needs none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..vocabulary.doors import door

if TYPE_CHECKING:
    from .known import given_in as given_in
    from .local import LocalModel as LocalModel
    from .named import provider_named as provider_named
    from .openai_chat import OpenAIChat as OpenAIChat
    from .openai_responses import OpenAIResponses as OpenAIResponses
    from .probing import ProbeReport as ProbeReport
    from .probing import ProbeStep as ProbeStep
    from .probing import probe as probe

__all__ = ["LocalModel", "OpenAIChat", "OpenAIResponses", "ProbeReport", "ProbeStep", "probe", "provider_named"]

_HOMES = {
    "LocalModel": ".local",
    "OpenAIChat": ".openai_chat",
    "OpenAIResponses": ".openai_responses",
    "ProbeReport": ".probing",
    "ProbeStep": ".probing",
    "given_in": ".known",
    "probe": ".probing",
    "provider_named": ".named",
}
__getattr__: Callable[[str], object] = door(__name__, _HOMES)

"""Level 4: model services behind one protocol.

OpenAIChat       a model behind the Chat Completions API
LocalModel       a model file, run in this process
provider_named   the provider that a model string names

They are loaded when they are first asked for, since a program that only imports the package, or tests with fakes, needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .local import LocalModel as LocalModel
    from .named import provider_named as provider_named
    from .openai_chat import OpenAIChat as OpenAIChat

__all__ = ["LocalModel", "OpenAIChat", "provider_named"]

_HOMES = {"LocalModel": ".local", "OpenAIChat": ".openai_chat", "provider_named": ".named"}


def __getattr__(name: str) -> object:
    """Load a name on first use (PEP 562), and keep it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = found
    return found

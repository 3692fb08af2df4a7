"""Why one model call ended. Not to be confused with why the run ended: that is a ``StopReason``."""

from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias

from .value import Value

FinishKind: TypeAlias = Literal["stop", "length", "tool_calls", "content_filter", "error", "other", "unspecified"]

# Words as servers write them, lower-cased. Sources: OpenAI, Anthropic, Gemini, Mistral, Ollama, TGI and OpenRouter references;
# collected in docs/design.md. None of them was observed live from here.
_OPENAI: Mapping[str, FinishKind] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "model_length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "guardrail_intervened": "content_filter",
    "error": "error",
    "insufficient_system_resource": "error",
    "abort": "error",
    "aborted": "error",
}
_ANTHROPIC: Mapping[str, FinishKind] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
_GEMINI: Mapping[str, FinishKind] = {
    "stop": "stop",
    "max_tokens": "length",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "malformed_function_call": "error",
}
_RESPONSES: Mapping[str, FinishKind] = {  # a status, or the reason of the status "incomplete": types of openai-python 3.57
    "completed": "stop",
    "failed": "error",
    "cancelled": "error",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}
FinishDialect: TypeAlias = Literal["openai", "anthropic", "gemini", "responses"]
_DIALECTS: Mapping[str, Mapping[str, FinishKind]] = {
    "openai": _OPENAI,
    "anthropic": _ANTHROPIC,
    "gemini": _GEMINI,
    "responses": _RESPONSES,
}


class FinishReason(Value):
    """Why one model call ended: a kind to match on, and the server's own word.

    Equal by ``kind``; an ``other`` is equal only to one with the same ``raw``. ``str()`` gives the wire word.

    Example:
        >>> from settled import FinishReason
        >>> FinishReason.from_wire("LENGTH").is_truncated
        True
        >>> FinishReason.from_wire(None).kind
        'unspecified'
    """

    shown: ClassVar[tuple[str, ...]] = ("kind",)
    kind: FinishKind
    """``stop`` natural end, ``length`` cut by a token cap, ``tool_calls`` ended to call tools, ``content_filter`` filtered,
    ``error`` the server gave up, ``other`` a word we do not know, ``unspecified`` nothing was reported."""
    raw: str | None = None
    """The server's word, verbatim; None when it sent none."""

    @classmethod
    def from_wire(cls, raw: str | None, dialect: FinishDialect = "openai") -> "FinishReason":
        """Read a server's word, ignoring case. None is ``unspecified``; an unknown word, also ``""``, is ``other``.

        Example:
            >>> FinishReason.from_wire("end_turn", "anthropic").kind
            'stop'
        """
        return _read(raw, dialect)

    @property
    def is_truncated(self) -> bool:
        """True only for ``length``: asking again with a larger cap may help."""
        return self.kind == "length"

    @property
    def is_incomplete(self) -> bool:
        """True for ``length`` and ``content_filter``: the reply is not all that the model would have said."""
        return self.kind in ("length", "content_filter")

    @property
    def wire(self) -> str:
        """The word to show: the canonical one for a known kind, the server's own for ``other``."""
        return self.raw if self.kind == "other" and self.raw is not None else self.kind

    def reconciled(self, *, has_tool_calls: bool) -> "FinishReason":
        """A ``stop`` beside tool calls means ``tool_calls`` (gateways mislabel it); everything else stays. ``raw`` is kept.

        Example:
            >>> FinishReason(kind="stop", raw="stop").reconciled(has_tool_calls=True).kind
            'tool_calls'
        """
        return self.changed(kind="tool_calls") if has_tool_calls and self.kind == "stop" else self

    def __str__(self) -> str:
        """The wire word."""
        return self.wire

    def __eq__(self, other: object) -> bool:
        """Same kind; for ``other`` also the same word."""
        if not isinstance(other, FinishReason):
            return NotImplemented
        return self.kind == other.kind and (self.kind != "other" or self.raw == other.raw)

    def __hash__(self) -> int:
        """As ``==`` judges."""
        return hash((self.kind, self.raw if self.kind == "other" else None))


@lru_cache(maxsize=256)
def _read(raw: str | None, dialect: FinishDialect) -> FinishReason:
    if raw is None:
        return FinishReason(kind="unspecified")
    return FinishReason(kind=_DIALECTS[dialect].get(raw.lower(), "other"), raw=raw)

"""What an endpoint, an API and a model together can do. Every support has five states, since HTTP 200 proves nothing."""

import os
from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from .record import Record
from .value import Value

Support: TypeAlias = Literal["enforced", "best_effort", "ignored", "rejected", "unknown"]
"""``enforced`` guaranteed, ``best_effort`` usually, ``ignored`` silently not, ``rejected`` with an error, ``unknown``."""


class Capabilities(Value):
    """What may be asked of one (endpoint, API, model). The defaults are those of an endpoint that nothing is known about.

    Example:
        >>> from settled import Capabilities
        >>> Capabilities(json_schema="enforced").tools
        'unknown'
    """

    shown: ClassVar[tuple[str, ...]] = ("json_schema", "tools", "dialect")

    json_schema: Support = "unknown"
    """A JSON Schema as response format."""
    json_object: Support = "unknown"
    """JSON mode: syntactically valid JSON of any shape."""
    json_object_needs_word_json: bool = True
    """JSON mode is refused unless the prompt holds the word JSON."""
    schema_in_prompt: bool = False
    """Native mode must also show the schema to the model in the prompt."""
    response_format_shape: Literal["openai", "tgi"] = "openai"
    """How the response format is spelled."""
    stream_json_schema: bool = True
    """A JSON Schema response format also works while streaming."""
    constraint_covers_thinking: bool = False
    """The grammar also (wrongly) constrains the reasoning text: where that is JSON, and all that was said, it is the answer."""

    tools: Support = "unknown"
    """Tool calls."""
    tool_strict: Support = "ignored"
    """``strict`` on a function."""
    strict_on_by_default: bool = False
    """Functions are strict unless they say otherwise."""
    choice_required: Support = "unknown"
    """``tool_choice`` that demands some call."""
    choice_required_word: Literal["required", "any"] = "required"
    """The word for it."""
    choice_named: Support = "unknown"
    """``tool_choice`` that names one function."""
    choice_allowed_tools: bool = False
    """``tool_choice`` with a list of allowed tools."""
    forced_choice_with_thinking: bool = True
    """A forced choice is accepted while the model thinks."""
    parallel_switch: Support = "unknown"
    """``parallel_tool_calls``."""
    coexist: Literal["ok", "error", "format_wins", "tools_win", "unknown"] = "unknown"
    """What happens when tools and a response format are sent together."""
    tools_need_effort_none: bool = False
    """Function tools are refused unless the reasoning effort is ``none``."""

    dialect: str = "portable"
    """The subset of JSON Schema that is understood."""
    tool_dialect: str | None = None
    """The subset for tool parameters, where it differs."""

    max_tokens_param: Literal["max_tokens", "max_completion_tokens", "max_output_tokens"] = "max_tokens"
    """The name of the token cap."""
    system_role: Literal["system", "developer", "user"] = "system"
    """The role that instructions are sent in."""
    multiple_system: bool = False
    """More than one system message, and anywhere, is accepted."""
    null_fields_ok: bool = False
    """Fields may be sent as null."""
    tool_call_id: Literal["any", "alnum9"] = "any"
    """What a tool call id may look like."""
    drop_params: frozenset[str] = frozenset()
    """Request fields that are refused, and so never sent."""

    thinking: Literal["none", "optional", "default_on", "always"] = "none"
    """Whether the model reasons before it answers."""
    reasoning_field: str | None = None
    """The field of a reply that holds the reasoning."""
    echo_reasoning: Literal["no", "field", "tags", "required_on_tool_turns"] = "no"
    """Whether earlier reasoning must be sent back; as a ``field``, which over Responses is an item of its own."""
    think_tags: tuple[str, str] | None = ("<think>", "</think>")
    """The tags around reasoning inside the text."""

    image_input: Support = "unknown"
    """Pictures. What is ``rejected`` or ``ignored`` is not sent, and a prompt with it is an error before any request."""
    audio_input: Support = "unknown"
    """Recordings."""
    document_input: Support = "unknown"
    """Files."""

    stream_usage: Support = "unknown"
    """Usage at the end of a stream."""
    finish_optional_in_stream: bool = False
    """The server is known to end streams without a finish reason."""

    finish_map: Mapping[str, str] = {}
    """Finish words of this endpoint beyond the common ones."""
    error_style: Literal["openai", "google", "string", "openrouter"] = "openai"
    """How error bodies are shaped."""
    context_window: int | None = None
    """Tokens that fit into one request and its reply."""


Told: TypeAlias = Capabilities | str | os.PathLike[str]
"""What ``capabilities=`` takes: a record, of which only the fields that were set count, or the file of a probe."""


class Given(Record):
    """What ``capabilities=`` was given, read."""

    told: Told
    """As it was given."""
    record: Capabilities
    """The record; only the fields that were set count."""
    source: str
    """Who says so."""

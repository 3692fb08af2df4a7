"""What is known of each service and its models, as data: addresses, keys, and capabilities, each row with its source.

Every value rests on public documentation, client sources or issue threads, collected in November 2026 (``Row.source`` names
which); no service was asked from here. Rows of one service apply in order, the later ones over the earlier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from ..vocabulary.capabilities import Capabilities


class Service(NamedTuple):
    """A service that speaks Chat Completions: where it is, and which variables hold its key."""

    base_url: str | None
    """Up to and with ``/v1``; None is what the openai client takes by itself."""
    keys: tuple[str, ...] = ()
    """Environment variables that may hold the key, in order."""
    needs_key: bool = True
    """Whether it refuses to work without a key."""
    address: str | None = None
    """Environment variable that may hold another address."""


SERVICES: Mapping[str, Service] = {
    "openai": Service(None, ("OPENAI_API_KEY",)),
    "azure": Service(None, ("AZURE_OPENAI_API_KEY",), address="AZURE_OPENAI_ENDPOINT"),
    "anthropic": Service("https://api.anthropic.com/v1/", ("ANTHROPIC_API_KEY",)),
    "gemini": Service("https://generativelanguage.googleapis.com/v1beta/openai/", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    "groq": Service("https://api.groq.com/openai/v1", ("GROQ_API_KEY",), address="GROQ_BASE_URL"),
    "mistral": Service("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    "deepseek": Service("https://api.deepseek.com", ("DEEPSEEK_API_KEY",)),
    "xai": Service("https://api.x.ai/v1", ("XAI_API_KEY",)),
    "together": Service("https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    "fireworks": Service("https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    "cerebras": Service("https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    "openrouter": Service("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "ollama": Service("http://localhost:11434/v1", ("OLLAMA_API_KEY",), needs_key=False, address="OLLAMA_BASE_URL"),
    "vllm": Service("http://localhost:8000/v1", ("VLLM_API_KEY",), needs_key=False, address="VLLM_BASE_URL"),
    "llamacpp": Service("http://localhost:8080/v1", ("LLAMACPP_API_KEY",), needs_key=False, address="LLAMACPP_BASE_URL"),
    "lmstudio": Service("http://localhost:1234/v1", ("LMSTUDIO_API_KEY",), needs_key=False, address="LMSTUDIO_BASE_URL"),
    "sglang": Service("http://localhost:30000/v1", ("SGLANG_API_KEY",), needs_key=False, address="SGLANG_BASE_URL"),
    "tgi": Service("http://localhost:3000/v1", ("TGI_API_KEY",), needs_key=False, address="TGI_BASE_URL"),
    "litellm": Service("http://localhost:4000", ("LITELLM_PROXY_API_KEY",), needs_key=False, address="LITELLM_PROXY_API_BASE"),
}
"""The services that a model string may name before its colon."""


RESPONSES: Mapping[str, str] = {"openai-responses": "openai", "deepseek-responses": "deepseek"}
"""Services that also speak Responses, by what a model string calls them then: which service that is, with its address and key."""


class Row(NamedTuple):
    """What is known of the models of a service whose names match a pattern."""

    service: str
    """Which service; where it speaks Responses, by its name in `RESPONSES`."""
    pattern: str
    """Of the model's name, from its start; empty for all models."""
    known: Mapping[str, object]
    """Fields of `Capabilities`; what is not named stays unknown."""
    source: str
    """Where it was read."""


ROWS: tuple[Row, ...] = (
    Row("openai", "", {
        "json_schema": "enforced", "json_object": "enforced", "tools": "enforced", "tool_strict": "enforced",
        "choice_required": "enforced", "choice_named": "enforced", "choice_allowed_tools": True, "parallel_switch": "enforced",
        "coexist": "ok", "dialect": "openai", "max_tokens_param": "max_completion_tokens", "multiple_system": True,
        "stream_usage": "enforced",
    }, "OpenAI API reference: structured outputs, function calling"),
    Row("openai", r"o\d|gpt-5", {"thinking": "default_on", "system_role": "developer"}, "OpenAI API reference: reasoning"),
    Row("openai", r"gpt-(5\.[4-9]|[6-9])", {"tools_need_effort_none": True}, "OpenAI guide: migrate to Responses"),
    Row("openai-responses", "", {
        "json_schema": "enforced", "json_object": "enforced", "tools": "enforced", "tool_strict": "enforced",
        "strict_on_by_default": True, "choice_required": "enforced", "choice_named": "enforced", "choice_allowed_tools": True,
        "parallel_switch": "enforced", "coexist": "ok", "dialect": "openai", "max_tokens_param": "max_output_tokens",
        "multiple_system": True, "drop_params": frozenset({"seed", "stop"}), "echo_reasoning": "field",
        "stream_usage": "enforced", "audio_input": "rejected",
    }, "OpenAI API reference: Responses; openai-python 3.57 types; OpenAI community thread 1364108 (audio)"),
    Row("openai-responses", r"o\d|gpt-5", {"thinking": "default_on", "system_role": "developer"},
        "OpenAI API reference: reasoning"),
    Row("azure", "", {
        "json_schema": "enforced", "json_object": "enforced", "tools": "enforced", "tool_strict": "enforced",
        "choice_required": "enforced", "choice_named": "enforced", "parallel_switch": "enforced", "coexist": "ok",
        "dialect": "azure", "max_tokens_param": "max_completion_tokens", "multiple_system": True, "stream_usage": "enforced",
        "document_input": "rejected",
    }, "Microsoft Learn: structured outputs; pydantic-ai model profiles 2.68"),
    Row("azure", "mistral", {"max_tokens_param": "max_tokens"}, "pydantic-ai issue 6593"),
    Row("azure", "grok|(meta-)?llama", {"dialect": "azure+inline"}, "pydantic-ai issue 10987, model profiles 2.68"),
    Row("anthropic", "", {
        "json_schema": "ignored", "json_object": "ignored", "tools": "best_effort", "tool_strict": "ignored",
        "choice_required": "best_effort", "choice_named": "best_effort", "parallel_switch": "enforced", "coexist": "error",
        "multiple_system": True, "stream_usage": "enforced",
    }, "Anthropic docs: OpenAI SDK compatibility"),
    Row("anthropic", r"claude-(opus|sonnet|fable|mythos)-5[.-]\d", {"choice_required": "rejected", "choice_named": "rejected"},
        "pydantic-ai model profiles 2.68"),
    Row("gemini", "", {
        "json_schema": "enforced", "json_object": "enforced", "tools": "best_effort", "choice_required": "enforced",
        "coexist": "error", "dialect": "gemini", "stream_usage": "enforced", "error_style": "google",
    }, "Google docs: OpenAI compatibility; python-genai issue 867"),
    Row("gemini", r"gemini-[3-9]", {"coexist": "ok"}, "pydantic-ai model profiles 2.68"),
    Row("groq", "", {
        "json_schema": "rejected", "json_object": "enforced", "tools": "best_effort", "choice_required": "enforced",
        "choice_named": "enforced", "parallel_switch": "enforced", "coexist": "error", "stream_json_schema": False,
        "max_tokens_param": "max_completion_tokens", "multiple_system": True, "reasoning_field": "reasoning",
        "stream_usage": "enforced",
    }, "Groq docs: structured outputs; litellm groq transformation"),
    Row("groq", r"openai/gpt-oss-(20|120)b", {"json_schema": "enforced", "choice_required": "unknown", "choice_named": "unknown",
        "thinking": "always", "dialect": "groq+inline"}, "Groq docs: structured outputs; pydantic-ai model profiles 2.68"),
    Row("mistral", "", {
        "json_schema": "enforced", "json_object": "enforced", "tools": "best_effort", "choice_required": "enforced",
        "choice_named": "enforced", "parallel_switch": "enforced", "multiple_system": True, "tool_call_id": "alnum9",
        "stream_usage": "enforced",
    }, "Mistral docs: structured outputs; mistralai client types"),
    Row("mistral", "codestral-mamba", {"json_schema": "rejected"}, "litellm issue 12012"),
    Row("deepseek", "", {
        "json_schema": "rejected", "json_object": "enforced", "tools": "best_effort", "choice_required": "enforced",
        "choice_named": "enforced", "dialect": "deepseek", "multiple_system": True, "reasoning_field": "reasoning_content",
        "echo_reasoning": "required_on_tool_turns", "thinking": "default_on", "forced_choice_with_thinking": False,
        "stream_usage": "enforced",
    }, "DeepSeek docs: JSON mode, thinking mode"),
    Row("deepseek", "deepseek-reasoner", {"thinking": "always", "choice_required": "rejected", "choice_named": "rejected"},
        "pydantic-ai model profiles 2.68"),
    Row("deepseek-responses", "", {
        "json_schema": "enforced", "tools": "best_effort", "choice_required": "enforced", "choice_named": "enforced",
        "dialect": "deepseek", "max_tokens_param": "max_output_tokens", "multiple_system": True,
        "drop_params": frozenset({"seed", "stop"}), "thinking": "default_on", "forced_choice_with_thinking": False,
        "stream_usage": "enforced",
    }, "pydantic-ai model profiles 2.68"),
    Row("xai", "", {
        "json_schema": "enforced", "json_object": "enforced", "tools": "enforced", "tool_strict": "ignored",
        "strict_on_by_default": True, "choice_required": "enforced", "choice_named": "enforced", "parallel_switch": "enforced",
        "coexist": "error", "dialect": "xai", "max_tokens_param": "max_completion_tokens", "multiple_system": True,
        "reasoning_field": "reasoning_content", "stream_usage": "enforced",
    }, "xAI docs: structured outputs"),
    Row("xai", r"grok-([4-9]|code)", {"coexist": "ok"}, "xAI docs: structured outputs with tools"),
    Row("together", "", {
        "json_schema": "best_effort", "schema_in_prompt": True, "tools": "best_effort", "multiple_system": True,
        "stream_usage": "enforced",
    }, "Together docs: JSON mode; any-llm issue 1270"),
    Row("fireworks", "", {
        "json_schema": "enforced", "json_object": "enforced", "schema_in_prompt": True, "tools": "best_effort",
        "choice_required": "enforced", "choice_required_word": "any", "choice_named": "enforced", "coexist": "error",
        "multiple_system": True, "reasoning_field": "reasoning_content", "stream_usage": "enforced",
    }, "Fireworks docs: structured responses; litellm fireworks transformation"),
    Row("openrouter", "", {
        "multiple_system": True, "reasoning_field": "reasoning", "stream_usage": "enforced", "error_style": "openrouter",
    }, "OpenRouter docs: parameters, errors"),
    Row("cerebras", "", {
        "json_schema": "enforced", "json_object": "enforced", "tools": "enforced", "tool_strict": "enforced",
        "choice_required": "enforced", "choice_named": "enforced", "parallel_switch": "enforced", "coexist": "tools_win",
        "dialect": "cerebras", "max_tokens_param": "max_completion_tokens", "multiple_system": True,
        "reasoning_field": "reasoning", "stream_usage": "enforced",
    }, "Cerebras docs: structured outputs, tool use"),
    Row("cerebras", "gpt-oss", {"choice_required": "best_effort", "choice_named": "best_effort", "coexist": "error",
        "thinking": "always", "tool_dialect": "cerebras+inline"}, "Cerebras docs: tool use; pydantic-ai model profiles 2.68"),
    Row("ollama", "", {
        "json_schema": "enforced", "json_object": "enforced", "schema_in_prompt": True, "tools": "best_effort",
        "choice_required": "ignored", "choice_named": "ignored", "parallel_switch": "ignored", "coexist": "format_wins",
        "dialect": "llamacpp", "tool_dialect": "portable", "multiple_system": True, "reasoning_field": "reasoning",
        "stream_usage": "enforced",
        "finish_optional_in_stream": True,
    }, "ollama source: openai/openai.go"),
    Row("ollama", ".*(:|-)cloud", {"json_schema": "ignored"}, "ollama issue 12362"),
    Row("vllm", "", {
        "json_schema": "enforced", "json_object": "enforced", "schema_in_prompt": True, "tools": "enforced",
        "tool_strict": "enforced", "choice_required": "enforced", "choice_named": "enforced", "parallel_switch": "enforced",
        "coexist": "format_wins", "dialect": "xgrammar", "reasoning_field": "reasoning", "stream_usage": "enforced",
        "finish_optional_in_stream": True, "document_input": "rejected",
    }, "vLLM source: openai protocol; issue 39929; pydantic-ai model profiles 2.68"),
    Row("vllm", ".*gpt-oss", {"choice_required": "ignored", "choice_named": "ignored", "tool_dialect": "xgrammar+inline"},
        "vLLM issue 44216; pydantic-ai model profiles 2.68"),
    Row("llamacpp", "", {
        "json_schema": "enforced", "json_object": "enforced", "schema_in_prompt": True, "tools": "best_effort",
        "choice_required": "best_effort", "choice_named": "best_effort", "coexist": "format_wins", "dialect": "llamacpp",
        "reasoning_field": "reasoning_content", "stream_usage": "enforced", "finish_optional_in_stream": True,
    }, "llama.cpp docs: server, grammars; issue 19051"),
    Row("lmstudio", "", {
        "json_schema": "enforced", "json_object": "rejected", "schema_in_prompt": True, "tools": "best_effort",
        "choice_required": "best_effort", "choice_named": "rejected", "dialect": "llamacpp",
        "reasoning_field": "reasoning_content", "constraint_covers_thinking": True, "error_style": "string",
    }, "LM Studio docs: structured output; bug tracker issues 189, 670, 1773"),
    Row("sglang", "", {
        "json_schema": "enforced", "json_object": "enforced", "schema_in_prompt": True, "tools": "enforced",
        "tool_strict": "enforced", "choice_required": "enforced", "choice_named": "enforced", "parallel_switch": "enforced",
        "coexist": "error", "dialect": "xgrammar", "reasoning_field": "reasoning_content", "stream_usage": "enforced",
    }, "SGLang 0.5 source: protocol.py"),
    Row("tgi", "", {
        "json_schema": "enforced", "response_format_shape": "tgi", "schema_in_prompt": True,
        "tools": "best_effort", "choice_required": "enforced", "choice_named": "enforced", "parallel_switch": "ignored",
        "coexist": "error", "stream_usage": "enforced", "error_style": "string",
    }, "text-generation-inference source: router/src/lib.rs, chat.rs"),
    Row("litellm", "", {
        "tools": "best_effort", "reasoning_field": "reasoning_content", "stream_usage": "enforced",
    }, "litellm docs: proxy; litellm source: core_helpers"),
)  # fmt: skip
"""Asked in order."""

_HOSTS: Mapping[str, str] = {
    "api.openai.com": "openai",
    "openai.azure.com": "azure",
    "services.ai.azure.com": "azure",
    "api.together.ai": "together",
    "api.mistral.ai": "mistral",
} | {urlsplit(one.base_url).hostname or "": name for name, one in SERVICES.items() if one.base_url and one.needs_key}


def capabilities_of(service: str | None, model: str) -> Capabilities:
    """What is known of a model of a service; of no known service, nothing.

    Example:
        >>> capabilities_of("groq", "llama-3.3-70b").json_schema
        'rejected'
        >>> capabilities_of(None, "anything").json_schema
        'unknown'
    """
    known: dict[str, object] = {}
    for row in rows_of(service, model):
        known |= row.known
    return Capabilities.model_validate(known)


def rows_of(service: str | None, model: str) -> tuple[Row, ...]:
    """The rows that hold for a model, the later ones over the earlier.

    Example:
        >>> [row.pattern for row in rows_of("xai", "grok-4")]
        ['', 'grok-([4-9]|code)']
    """
    return tuple(row for row in ROWS if row.service == service and re.match(row.pattern, model.lower()))


def speaking_responses(service: str | None) -> str | None:
    """What a service is called where it speaks Responses; one that is not known to do so keeps its name with the same ending.

    Example:
        >>> speaking_responses("openai"), speaking_responses(None)
        ('openai-responses', None)
    """
    return None if service is None else f"{service}-responses"


def service_at(base_url: str | None) -> str | None:
    """The service at an address, by its host; no address is OpenAI's own, a port alone is no evidence, nor is a broken address.

    Example:
        >>> service_at("https://eu.api.mistral.ai/v1")
        'mistral'
        >>> service_at("http://localhost:8000/v1") is None
        True
    """
    if base_url is None:
        return "openai"
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:  # such as an IPv6 address without its end
        return None
    return next((name for known, name in _HOSTS.items() if host == known or host.endswith("." + known)), None)

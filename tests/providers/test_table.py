"""The table of services: it is whole, its words are words of `Capabilities`, and addresses are told by their hosts."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settled import Capabilities
from settled.providers.table import RESPONSES, ROWS, SERVICES, Row, capabilities_of, service_at, speaking_responses


def name_of(row: Row) -> str:
    """What a row is called in a test."""
    return f"{row.service}:{row.pattern or 'all'}"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_rows_speak_of_what_there_is(row: Row) -> None:
    """Each row is of a service that can be named, sets fields that there are to values that they take, and has a source."""
    assert row.service in {*SERVICES, *RESPONSES}
    assert set(row.known) <= set(Capabilities.model_fields)
    Capabilities.model_validate(row.known)
    re.compile(row.pattern)
    assert row.source


def test_the_table_is_total() -> None:
    """Each service has one row for all its models, before its others, and an address or a variable for one."""
    assert len(SERVICES) == 19
    first: dict[str, Row] = {}
    for row in ROWS:
        first.setdefault(row.service, row)
        assert (row is first[row.service]) == (row.pattern == ""), name_of(row)
    assert set(first) == {*SERVICES, *RESPONSES}
    assert {name: speaking_responses(name) for name in RESPONSES.values()} == {name: spoken for spoken, name in RESPONSES.items()}
    assert set(RESPONSES.values()) <= set(SERVICES)
    for name, service in SERVICES.items():
        assert service.keys
        assert service.base_url or service.address or name == "openai"
        assert len(set(service.keys)) == len(service.keys)


def test_no_two_services_share_a_key_or_an_address() -> None:
    """A variable holds the key of one service."""
    keys = [key for service in SERVICES.values() for key in service.keys]
    addresses = [service.base_url for service in SERVICES.values() if service.base_url]
    assert (len(keys), len(addresses)) == (len(set(keys)), len(set(addresses)))


@pytest.mark.parametrize(
    "service, model, field, value",
    [
        ("openai", "gpt-4o", "max_tokens_param", "max_completion_tokens"),
        ("openai", "gpt-4o", "system_role", "system"),
        ("openai", "GPT-5-mini", "system_role", "developer"),
        ("openai", "o3-mini", "thinking", "default_on"),
        ("openai", "gpt-5.1", "tools_need_effort_none", False),
        ("openai", "gpt-5.4", "tools_need_effort_none", True),
        ("openai", "gpt-4o", "document_input", "unknown"),
        ("openai-responses", "gpt-4o", "max_tokens_param", "max_output_tokens"),
        ("openai-responses", "gpt-4o", "strict_on_by_default", True),
        ("openai-responses", "gpt-4o", "thinking", "none"),
        ("openai-responses", "gpt-4o", "audio_input", "rejected"),
        ("openai-responses", "gpt-5.4", "thinking", "default_on"),
        ("openai-responses", "gpt-5.4", "tools_need_effort_none", False),
        ("deepseek", "deepseek-chat", "json_schema", "rejected"),
        ("deepseek-responses", "deepseek-chat", "json_schema", "enforced"),
        ("azure", "gpt-4o", "document_input", "rejected"),
        ("vllm", "qwen3", "document_input", "rejected"),
        ("azure", "gpt-4o", "max_tokens_param", "max_completion_tokens"),
        ("azure", "mistral-large", "max_tokens_param", "max_tokens"),
        ("anthropic", "claude-haiku-4-5", "json_schema", "ignored"),
        ("anthropic", "claude-opus-5-5", "choice_required", "rejected"),
        ("gemini", "gemini-2.5-flash", "coexist", "error"),
        ("gemini", "gemini-3-pro", "coexist", "ok"),
        ("groq", "llama-3.3-70b", "json_schema", "rejected"),
        ("groq", "openai/gpt-oss-120b", "json_schema", "enforced"),
        ("mistral", "mistral-large", "tool_call_id", "alnum9"),
        ("mistral", "codestral-mamba", "json_schema", "rejected"),
        ("deepseek", "deepseek-chat", "forced_choice_with_thinking", False),
        ("deepseek", "deepseek-reasoner", "choice_required", "rejected"),
        ("xai", "grok-3", "coexist", "error"),
        ("xai", "grok-4.5", "coexist", "ok"),
        ("together", "any", "schema_in_prompt", True),
        ("fireworks", "any", "choice_required_word", "any"),
        ("openrouter", "anthropic/claude", "json_schema", "unknown"),
        ("cerebras", "llama3.1-8b", "coexist", "tools_win"),
        ("cerebras", "gpt-oss-120b", "coexist", "error"),
        ("ollama", "qwen3", "json_schema", "enforced"),
        ("ollama", "gpt-oss:120b-cloud", "json_schema", "ignored"),
        ("vllm", "qwen3", "multiple_system", False),
        ("vllm", "openai/gpt-oss-20b", "choice_required", "ignored"),
        ("llamacpp", "any", "choice_required", "best_effort"),
        ("lmstudio", "any", "json_object", "rejected"),
        ("lmstudio", "any", "constraint_covers_thinking", True),
        (None, "gpt-5", "json_schema", "unknown"),
        ("nowhere", "gpt-5", "json_schema", "unknown"),
    ],
)
def test_what_is_known(service: str | None, model: str, field: str, value: object) -> None:
    """Rows apply in order, the later ones over the earlier; a model's name is matched from its start, ignoring case."""
    assert value == getattr(capabilities_of(service, model), field)


def test_nothing_is_known_of_an_unknown_service() -> None:
    """Without a service there are the defaults."""
    assert Capabilities() == capabilities_of(None, "gpt-5")


@pytest.mark.parametrize("name", [name for name, service in SERVICES.items() if service.needs_key and service.base_url])
def test_services_are_known_by_their_address(name: str) -> None:
    """The address of each service that wants a key names it, as do its other hosts; a like-sounding host does not."""
    host = urlsplit(SERVICES[name].base_url or "").hostname
    assert (
        name == service_at(SERVICES[name].base_url) == service_at(f"https://{host}:443/else") == service_at(f"HTTPS://EU.{host}")
    )
    for strange in (f"https://{host}.example.org", f"https://evil-{host}", f"https://{host}@example.org/v1", f"http://x/{host}"):
        assert service_at(strange) is None


@pytest.mark.parametrize(
    "address, service",
    [
        (None, "openai"),
        ("https://api.openai.com/v1", "openai"),
        ("https://my-resource.openai.azure.com/openai/v1/", "azure"),
        ("https://my-resource.services.ai.azure.com/openai/v1/", "azure"),
        ("https://api.together.ai/v1", "together"),
        ("http://localhost:11434/v1", None),
        ("localhost:8000", None),
        ("", None),
        ("http://[::1/v1", None),
    ],
)
def test_addresses(address: str | None, service: str | None) -> None:
    """No address is OpenAI's; a port alone, or what is no address, tells nothing."""
    assert service == service_at(address)


@given(address=st.text() | st.from_regex(r"https?://[\[\]@:/?#.a-z0-9]{0,20}"))
def test_any_address_is_looked_at_without_harm(address: str) -> None:
    """Whatever is given for an address, asking whose it is never raises."""
    assert service_at(address) in {None, *SERVICES}

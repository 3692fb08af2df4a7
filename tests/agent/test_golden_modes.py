"""A golden table: what an agent asks of each service, by mode, strictness and tool choice, and the fact that this rests on.

What stands here was written down from the facts and rules, not from what the library does; a row that changes is a decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import pytest
from pydantic import BaseModel
from tests.support import City, Town

from settled import Agent, OutputMode, Settings
from settled.providers.table import RESPONSES, SERVICES


class Folder(BaseModel):
    """It holds others of its kind."""

    name: str
    inside: list[Folder] = []


class Shipment(BaseModel):
    """It holds objects of any keys."""

    parcels: list[dict[str, Any]]


class Prices(BaseModel):
    """It holds a map."""

    by_name: dict[str, int]


class Seat(BaseModel):
    """It holds a tuple."""

    place: tuple[int, str]


def look_up(city: str) -> str:
    """Look a city up."""
    return city


FORMS: Mapping[str, Any] = {
    "flat": City, "recursive": Folder, "any keys": Shipment, "map": Prices, "tuple": Seat, "union": City | Town, "str": str,
    "list": list[City],
}  # fmt: skip
Kind: TypeAlias = Literal["flat", "recursive", "any keys", "map", "tuple", "union", "str", "list"]
Effort: TypeAlias = Literal["none", "low", "high"]


class Golden(NamedTuple):
    """What is asked of one model for one type."""

    model: str
    kind: Kind
    mode: OutputMode
    strict: bool
    choice: str | None
    fact: str
    tools: bool = False
    effort: Effort | None = None

    @property
    def id(self) -> str:
        """Short words for it."""
        words = (self.model, self.kind, "tools" if self.tools else "", self.effort or "")
        return " ".join(filter(None, words)).replace("://", " ")


YES, NO = True, False
GOLDEN: tuple[Golden, ...] = (
    # OpenAI and Azure: a schema is enforced, also beside tools
    Golden("openai:gpt-5-mini", "flat", "native", YES, None, "structured outputs are enforced"),
    Golden("openai:gpt-4o", "recursive", "native", YES, None, "strict mode takes recursion through $defs"),
    Golden("openai:gpt-4o", "map", "native", YES, None, "a map is sent as a list of entries, which strict mode takes"),
    Golden("openai:gpt-4o", "tuple", "native", YES, None, "a tuple is sent as an object, which strict mode takes"),
    Golden("openai:gpt-4o", "any keys", "tool", NO, "required", "strict mode has no open objects; a call can be demanded"),
    Golden("openai:gpt-4o", "union", "native", YES, None, "one schema with a tag says both"),
    Golden("openai:gpt-4o", "str", "text", NO, None, "text needs no schema"),
    Golden("openai:gpt-4o", "list", "native", YES, None, "a root that is no object stands in one"),
    Golden("openai:gpt-4o", "flat", "native", YES, None, "tools and a response format go together", tools=True),
    Golden("openai:gpt-4o", "union", "tool", YES, None, "beside tools each member is a tool of its own", tools=True),
    Golden("openai:gpt-4o", "any keys", "tool", NO, None, "no open objects, and several tools are visible", tools=True),
    Golden("openai:gpt-4o", "str", "text", NO, None, "text needs no schema, beside tools either", tools=True),
    Golden("openai:gpt-5.6", "flat", "native", YES, None, "without tools any effort is taken", effort="high"),
    Golden("openai:gpt-5.6", "flat", "native", YES, None, "tools are taken at effort none, which is sent", tools=True),
    Golden("openai:gpt-5.6", "flat", "native", YES, None, "tools are taken at effort none", tools=True, effort="none"),
    Golden("openai:gpt-5.6", "any keys", "tool", NO, "required", "without open objects a tool is left, at effort none"),
    Golden("openai:gpt-5.6", "any keys", "native", NO, None, "no tool at this effort: the schema as it is", effort="high"),
    Golden("openai-responses:gpt-5.6", "flat", "native", YES, None, "text.format is enforced"),
    Golden("openai-responses:gpt-5.6", "flat", "native", YES, None, "Responses takes tools at any effort", True, "high"),
    Golden("openai-responses:gpt-5.6", "union", "tool", YES, None, "beside tools each member is a tool of its own", tools=True),
    Golden("openai-responses:gpt-5.6", "any keys", "tool", NO, "required", "strict mode has no open objects"),
    Golden("azure:gpt-4o", "flat", "native", YES, None, "structured outputs are enforced"),
    Golden("azure:gpt-4o", "recursive", "native", YES, None, "recursion is taken"),
    Golden("azure:gpt-4o", "flat", "native", YES, None, "tools and a response format go together", tools=True),
    # Anthropic, compatible: the response format is ignored
    Golden("anthropic:claude-sonnet-4-5", "flat", "tool", NO, "required", "response_format is ignored; a call can be demanded"),
    Golden("anthropic:claude-sonnet-4-5", "flat", "tool", NO, None, "two tools are visible", tools=True),
    Golden("anthropic:claude-opus-5-5", "flat", "tool", NO, None, "the 5.5 family takes no demand for a call"),
    Golden("anthropic:claude-sonnet-4-5", "str", "text", NO, None, "text needs no schema"),
    # Gemini
    Golden("gemini:gemini-2.5-flash", "flat", "native", YES, None, "json_schema is enforced"),
    Golden("gemini:gemini-2.5-flash", "flat", "tool", NO, None, "2.x refuses tools beside a response format", tools=True),
    Golden("gemini:gemini-3-pro", "flat", "native", YES, None, "3 and later takes tools beside a response format", tools=True),
    Golden("gemini:gemini-3-pro", "map", "native", YES, None, "maps are understood"),
    Golden("gemini:gemini-3-pro", "tuple", "native", YES, None, "prefixItems is understood"),
    Golden("gemini:gemini-3-pro", "recursive", "tool", NO, "required", "recursion is limited; a call can be demanded"),
    # Groq
    Golden("groq:openai/gpt-oss-120b", "flat", "native", YES, None, "gpt-oss 20b and 120b are constrained"),
    Golden("groq:openai/gpt-oss-120b", "flat", "tool", NO, None, "tools and structured outputs exclude each other", tools=True),
    Golden("groq:llama-3.3-70b-versatile", "flat", "tool", NO, "required", "json_schema is refused; required is enforced"),
    Golden("groq:llama-3.3-70b-versatile", "flat", "tool", NO, None, "two tools are visible", tools=True),
    # Mistral
    Golden("mistral:mistral-large-latest", "flat", "native", YES, None, "json_schema for all models"),
    Golden("mistral:mistral-large-latest", "flat", "tool", NO, None, "nobody knows of tools beside a format", tools=True),
    Golden("mistral:codestral-mamba", "flat", "tool", NO, "required", "codestral-mamba refuses json_schema"),
    # DeepSeek: Chat refuses json_schema, and a demand for a call while it thinks
    Golden("deepseek:deepseek-chat", "flat", "prompted", NO, None, "json_schema is refused, a demand too while it thinks"),
    Golden("deepseek:deepseek-chat", "flat", "tool", NO, None, "tools are taken", tools=True),
    Golden("deepseek:deepseek-reasoner", "flat", "prompted", NO, None, "it always thinks"),
    Golden("deepseek:deepseek-chat", "flat", "tool", NO, "required", "without thinking a call can be demanded", effort="none"),
    Golden("deepseek-responses:deepseek-chat", "flat", "native", YES, None, "Responses honours json_schema"),
    # xAI
    Golden("xai:grok-4", "flat", "native", YES, None, "structured outputs are guaranteed"),
    Golden("xai:grok-4", "flat", "native", YES, None, "the Grok 4 family takes both together", tools=True),
    Golden("xai:grok-3", "flat", "native", YES, None, "structured outputs are guaranteed"),
    Golden("xai:grok-3", "flat", "tool", NO, None, "older models do not take both together", tools=True),
    # Hosts of open models
    Golden("together:Qwen/Qwen3-235B", "flat", "native", YES, None, "json_schema is best effort, and better than words"),
    Golden("together:Qwen/Qwen3-235B", "flat", "tool", NO, None, "nobody knows of tools beside a format", tools=True),
    Golden("fireworks:llama-v3p3-70b", "flat", "native", YES, None, "json_schema is enforced platform-wide"),
    Golden("fireworks:llama-v3p3-70b", "flat", "tool", NO, None, "tools beside a response format are refused", tools=True),
    Golden("fireworks:llama-v3p3-70b", "recursive", "tool", NO, "any", "no recursion in words known; required is called any"),
    Golden("openrouter:qwen/qwen3-32b", "flat", "prompted", NO, None, "what a route can do, nobody knows"),
    Golden("openrouter:qwen/qwen3-32b", "flat", "prompted", NO, None, "what a route can do, nobody knows", tools=True),
    Golden("cerebras:gpt-oss-120b", "flat", "native", YES, None, "strict is constrained"),
    Golden("cerebras:gpt-oss-120b", "flat", "tool", YES, None, "it refuses tools beside a response format", tools=True),
    Golden("cerebras:llama-3.3-70b", "flat", "native", YES, None, "strict is constrained"),
    Golden("cerebras:llama-3.3-70b", "flat", "tool", YES, None, "beside a format tools win", tools=True),
    # Local engines
    Golden("ollama:qwen3", "flat", "native", YES, None, "a grammar is applied"),
    Golden("ollama:qwen3", "any keys", "native", YES, None, "the grammar takes any value"),
    Golden("ollama:qwen3", "flat", "tool", NO, None, "beside a format tools are never called", tools=True),
    Golden("ollama:gpt-oss:120b-cloud", "flat", "prompted", NO, None, "the cloud ignores json_schema, tool_choice is ignored"),
    Golden("vllm:Qwen/Qwen3-8B", "flat", "native", YES, None, "guided decoding"),
    Golden("vllm:Qwen/Qwen3-8B", "recursive", "native", YES, None, "xgrammar takes recursion"),
    Golden("vllm:Qwen/Qwen3-8B", "any keys", "native", YES, None, "xgrammar takes any value"),
    Golden("vllm:Qwen/Qwen3-8B", "flat", "tool", YES, None, "beside a format auto calls are suppressed", tools=True),
    Golden("vllm:openai/gpt-oss-20b", "flat", "native", YES, None, "guided decoding"),
    Golden("vllm:openai/gpt-oss-20b", "flat", "tool", YES, None, "beside a format auto calls are suppressed", tools=True),
    Golden("llamacpp:qwen3", "flat", "native", YES, None, "a grammar is applied"),
    Golden("llamacpp:qwen3", "tuple", "native", YES, None, "a tuple is sent as an object"),
    Golden("llamacpp:qwen3", "flat", "tool", NO, None, "tools and a format exclude each other", tools=True),
    Golden("lmstudio:qwen3", "flat", "native", YES, None, "a grammar is applied"),
    Golden("lmstudio:qwen3", "flat", "tool", NO, None, "nobody knows of tools beside a format", tools=True),
    Golden("sglang:Qwen/Qwen3-8B", "flat", "native", YES, None, "guided decoding"),
    Golden("sglang:Qwen/Qwen3-8B", "flat", "tool", YES, None, "a forced call beside a format is refused", tools=True),
    Golden("tgi:llama", "flat", "native", YES, None, "a grammar is applied"),
    Golden("tgi:llama", "flat", "tool", NO, None, "grammar and tools are mutually exclusive", tools=True),
    # Nobody knows
    Golden("litellm:gpt-4o", "flat", "tool", NO, "required", "the proxy maps tools for each backend, formats not for all"),
    Golden("litellm:gpt-4o", "flat", "tool", NO, None, "the proxy maps tools for each backend", tools=True),
    Golden("http://127.0.0.1:9/v1#m", "flat", "prompted", NO, None, "of an unknown server only words are sure"),
    Golden("http://127.0.0.1:9/v1#m", "flat", "prompted", NO, None, "what it does with tools, nobody knows", tools=True),
    Golden("http://127.0.0.1:9/v1#m", "str", "text", NO, None, "text needs no schema"),
)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of no worth, and no addresses from outside."""
    for service in SERVICES.values():
        for name in service.keys:
            monkeypatch.setenv(name, "sk-none")
        if service.address is not None:
            monkeypatch.delenv(service.address, raising=False)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://example.openai.azure.com")


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.id)
def test_what_is_asked(golden: Golden) -> None:
    """The mode, whether the server is held to the schema, and the demand for a call in the body, are those of the table."""
    agent = Agent[Any](
        FORMS[golden.kind], tools=[look_up] if golden.tools else (), settings=Settings(reasoning_effort=golden.effort)
    )
    told = agent.explain(model=golden.model)
    assert told.body is not None
    assert (golden.mode, golden.strict, golden.choice) == (told.mode, told.strict, told.body.get("tool_choice")), golden.fact


DIALECTS: Mapping[str, tuple[str, str, str]] = {
    "openai:gpt-4o": ("openai", "openai", "OpenAI's own"),
    "openai-responses:gpt-5.6": ("openai", "openai", "the same over Responses"),
    "azure:gpt-4o": ("azure", "azure", "OpenAI's, less constraints on values"),
    "azure:grok-3": ("azure+inline", "azure+inline", "Grok there does not read definitions"),
    "azure:Llama-3.3-70B": ("azure+inline", "azure+inline", "Llama there does not read definitions"),
    "anthropic:claude-sonnet-4-5": ("portable", "portable", "the compatible endpoint enforces nothing"),
    "gemini:gemini-3-pro": ("gemini", "gemini", "Google's own"),
    "groq:openai/gpt-oss-120b": ("groq+inline", "groq+inline", "all required, all closed, and gpt-oss sees no definitions"),
    "groq:llama-3.3-70b-versatile": ("portable", "portable", "tools only, and nothing is enforced"),
    "mistral:mistral-large-latest": ("portable", "portable", "not documented"),
    "deepseek:deepseek-chat": ("deepseek", "deepseek", "DeepSeek's own"),
    "xai:grok-4": ("xai", "xai", "xAI's own"),
    "together:Qwen/Qwen3-235B": ("portable", "portable", "it differs by model"),
    "fireworks:llama-v3p3-70b": ("portable", "portable", "not documented"),
    "openrouter:google/gemini-3-pro": ("portable", "portable", "it differs by route, and Google's needs definitions inlined"),
    "cerebras:llama-3.3-70b": ("cerebras", "cerebras", "Cerebras's own"),
    "cerebras:gpt-oss-120b": ("cerebras", "cerebras+inline", "gpt-oss sees no definitions in tools"),
    "ollama:qwen3": ("llamacpp", "portable", "a grammar of llama.cpp; of a tool's schema only a part is kept"),
    "vllm:Qwen/Qwen3-8B": ("xgrammar", "xgrammar", "guided decoding by xgrammar"),
    "vllm:openai/gpt-oss-20b": ("xgrammar", "xgrammar+inline", "gpt-oss sees no definitions in tools"),
    "llamacpp:qwen3": ("llamacpp", "llamacpp", "llama.cpp's own"),
    "lmstudio:qwen3": ("llamacpp", "llamacpp", "a grammar of llama.cpp"),
    "sglang:Qwen/Qwen3-8B": ("xgrammar", "xgrammar", "guided decoding by xgrammar"),
    "tgi:llama": ("portable", "portable", "a regular expression is made of it"),
    "litellm:gpt-4o": ("portable", "portable", "what stands behind it, nobody knows"),
    "http://127.0.0.1:9/v1#m": ("portable", "portable", "what every server takes, as far as is known"),
}
"""Which dialects of JSON Schema a model is sent, as response format and in tools, and why."""


@pytest.mark.parametrize("model, answer, tools", [(model, *row[:2]) for model, row in DIALECTS.items()], ids=DIALECTS)
def test_the_dialects(model: str, answer: str, tools: str) -> None:
    """The dialects of response formats and of tools are those of the table."""
    known = Agent(City).explain(model=model).capabilities
    assert known is not None
    assert (answer, tools) == (known.dialect, known.tool_dialect or known.dialect)


def test_the_table_is_whole() -> None:
    """Every service has a row with tools and one without, every kind of type is there, no row stands twice, each has a fact."""
    named = {(golden.model.partition(":")[0], golden.tools) for golden in GOLDEN}
    assert {(name, tools) for name in SERVICES for tools in (True, False)} <= named
    assert RESPONSES.keys() <= {name for name, _ in named}
    assert FORMS.keys() == {golden.kind for golden in GOLDEN}
    assert len(GOLDEN) == len({golden.id for golden in GOLDEN})
    assert all(golden.fact for golden in GOLDEN)

"""Model strings and provider objects: neither changes what an agent gives. Read by type checkers; nothing here is called."""

from __future__ import annotations

from pathlib import Path

from typing_extensions import assert_type

from settled import Agent, Capabilities, Failure, Fallback, ModelRequest, ModelResponse, Provider, Success
from settled.providers import LocalModel, OpenAIChat, OpenAIResponses, ProbeReport, ProbeStep, probe, provider_named


def chat() -> None:
    model = OpenAIChat("gpt-5-mini", base_url="http://127.0.0.1:8000/v1", capabilities=Capabilities(), max_concurrency=4)
    assert_type(model, OpenAIChat)
    assert_type(model.model, str)
    assert_type(model.request(ModelRequest(messages=(), mode="text"), timeout=None), ModelResponse)
    assert_type(Agent(int, model=model).run("How many?"), int)


def responses() -> None:
    model = OpenAIResponses("gpt-5-mini", base_url="http://127.0.0.1:8000/v1", capabilities=Capabilities(), max_concurrency=4)
    assert_type(model, OpenAIResponses)
    assert_type(model.request(ModelRequest(messages=(), mode="text"), timeout=None), ModelResponse)
    assert_type(Agent(int, model=model).run("How many?"), int)
    assert_type(provider_named("openai-responses:gpt-5-mini"), OpenAIChat | OpenAIResponses | LocalModel)


def probed(path: Path) -> None:
    report = probe("m", base_url="http://127.0.0.1:8000/v1", api_key="any", timeout=5.0, progress=print)
    assert_type(report, ProbeReport)
    assert_type(report.capabilities, Capabilities)
    assert_type(report.steps, tuple[ProbeStep, ...])
    assert_type(probe(OpenAIChat("m")), ProbeReport)
    assert_type(probe(LocalModel("smollm2")), ProbeReport)
    probe(OpenAIResponses("m"))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    assert_type(Agent(int, model=OpenAIChat("m", capabilities=path), capabilities="probed.json").run("How many?"), int)


def named() -> None:
    assert_type(Agent(int, model="openai:gpt-5-mini").settle("How many?"), Success[int] | Failure[None])


def fallbacks(model: OpenAIChat) -> None:
    pair = Fallback("openai:a", "anthropic:b")
    assert_type(pair, Fallback)
    assert_type(Agent(int, model=Fallback("openai:a", "anthropic:b")).run("How many?"), int)
    assert_type(Agent(int).run("How many?", model=Fallback(model, "local:smollm2", pair)), int)
    assert_type(Agent(int).with_(model=pair).settle("How many?"), Success[int] | Failure[None])
    Agent(int).override(model=pair)
    Fallback("openai:a", 7)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    pair.models = ()  # type: ignore[misc]  # ty: ignore[invalid-assignment]


def providers() -> tuple[Provider, ...]:
    return OpenAIChat("m"), OpenAIResponses("m"), LocalModel("smollm2"), provider_named("local:smollm2")

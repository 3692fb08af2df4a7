"""What is known of a model: layers with their sources, files of probes, and what refusals teach."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import JsonValue
from tests.support import City

from settled import Agent, Capabilities, MisuseError, OutputMode, Settings, Success
from settled.providers import OpenAIChat
from settled.providers.known import Known, given_in, known_of
from settled.testing import FakeServer, HttpReply

GOOD = City(name="Oslo", people=700_000)


def refused(message: str, status: int = 400) -> HttpReply:
    """A request that is refused."""
    return HttpReply(status=status, body={"error": {"message": message}})


def test_later_rows_are_told_as_the_source() -> None:
    """The source of a field is the last row that named it; what no row names has none."""
    known = known_of("xai", "grok-4")
    assert known.capabilities.coexist == "ok"
    assert known.sources["coexist"] == "xAI docs: structured outputs with tools"
    assert known.sources["tools"] == "xAI docs: structured outputs"
    assert "thinking" not in known.sources
    assert known_of(None, "anything") == Known(Capabilities())


def test_only_set_fields_are_laid_over() -> None:
    """A record of the user's lays over the table only what was set in it, also where that is a default."""
    known = known_of("openai", "gpt-4o").given(Capabilities(coexist="unknown"))
    assert (known.capabilities.coexist, known.capabilities.tools) == ("unknown", "enforced")
    assert known.sources["coexist"] == "given to the provider"


def test_a_file_is_taken(tmp_path: Path) -> None:
    """The file of a probe is read, and named as the source."""
    path = tmp_path / "probe.json"
    path.write_text('{"json_schema": "ignored"}')
    known = known_of("openai", "gpt-4o").given(path)
    assert (known.capabilities.json_schema, known.sources["json_schema"]) == ("ignored", "given to the provider: probe.json")
    model = OpenAIChat("gpt-4o", api_key="none", capabilities=str(path))
    assert (model.capabilities().json_schema, model.capabilities().tools) == ("ignored", "enforced")


@pytest.mark.parametrize("text, said", [("", "no record"), ('{"json_schema": "perhaps"}', "json_schema"), ("[]", "no record")])
def test_a_broken_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """A file that holds something else is named, with the place."""
    path = tmp_path / "probe.json"
    path.write_text(text)
    with pytest.raises(MisuseError, match=said):
        given_in(path, to="the agent")


def test_a_missing_file_is_refused() -> None:
    """A file that is not there is named."""
    with pytest.raises(MisuseError, match="No such file"):
        given_in("nowhere/probe.json", to="the agent")


@pytest.mark.parametrize(
    "feature, mode, fields",
    [
        ("response_format", "native", {"json_schema": "rejected"}),
        ("response_format", "prompted", {"json_object": "rejected"}),
        ("tools", "tool", {"tools": "rejected"}),
        ("tool_choice", "tool", {"choice_required": "rejected", "choice_named": "rejected", "choice_allowed_tools": False}),
        ("parallel_tool_calls", "tool", {"parallel_switch": "rejected"}),
        ("max_tokens", "native", {"max_tokens_param": "max_completion_tokens"}),
        ("stream_options", "native", {"stream_usage": "rejected"}),
        ("schema", "native", {}),
        ("temperature", "native", {}),
    ],
    ids=lambda case: str(case)[:20],
)
def test_what_a_refusal_teaches(feature: str, mode: OutputMode, fields: dict[str, JsonValue]) -> None:
    """A refused field says something of the model; a refused schema only of the schema."""
    known = Known(Capabilities()).without(feature, mode)
    assert known.capabilities == Capabilities.model_validate(fields)
    assert set(known.sources.values()) <= {"the server refused it"}
    assert set(known.sources) == set(fields)


def test_an_output_cap_of_responses_has_no_other_name() -> None:
    """Where the cap has one name only, nothing is learned."""
    known = Known(Capabilities(max_tokens_param="max_output_tokens"))
    assert known.without("max_tokens", "native") is known


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_the_next_run_of_any_agent_does_without(asynchronous: bool) -> None:
    """A model whose server refused a response format is asked by tools at once in the next run, whatever agent asks."""
    with FakeServer(refused("response_format is not supported"), GOOD, GOOD, GOOD) as server:
        known = Capabilities(json_schema="enforced", tools="enforced", choice_required="enforced")
        model = OpenAIChat("m", base_url=server.base_url, capabilities=known)
        first, second = Agent(City, model=model), Agent(City, model=model, instructions="Be brief.")
        outcomes = [asyncio.run(agent.asettle("?")) if asynchronous else agent.settle("?") for agent in (first, first, second)]
        model.close()
    assert all(isinstance(outcome, Success) for outcome in outcomes)
    told = [(outcome.mode, outcome.degraded_by) for outcome in outcomes if isinstance(outcome, Success)]
    assert told == [("tool", "response_format"), ("tool", None), ("tool", None)]
    assert model.capability_sources()["json_schema"] == "the server refused it"
    assert "json_schema=rejected" in second.explain().passed_over[0]


def test_the_other_name_of_the_cap_is_tried() -> None:
    """A server that wants the other name for the token cap gets it, and keeps getting it."""
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    with FakeServer(refused(words), GOOD, GOOD) as server:
        model = OpenAIChat("m", base_url=server.base_url)
        agent = Agent(City, model=model, settings=Settings(max_tokens=50))
        assert [agent.run("?"), agent.run("?")] == [GOOD, GOOD]
        model.close()
        bodies = [request.body or {} for request in server.requests]
    assert ["max_tokens" in body for body in bodies] == [True, False, False]
    assert [body.get("max_completion_tokens") for body in bodies] == [None, 50, 50]


def test_a_refused_schema_is_kept_in_mind_by_the_agent() -> None:
    """B20: the same agent sends the loose schema at once; the model itself has learned nothing."""
    with FakeServer(refused("failed to parse grammar"), GOOD, GOOD) as server:
        model = OpenAIChat("m", base_url=server.base_url, capabilities=Capabilities(json_schema="enforced", dialect="openai"))
        agent = Agent(City, model=model, mode="native")
        assert [agent.run("?"), agent.run("?")] == [GOOD, GOOD]
        model.close()
        sent = [(request.body or {})["response_format"] for request in server.requests]
    strict = [isinstance(one, dict) and "strict" in str(one) for one in sent]
    assert strict == [True, False, False]
    assert model.capabilities().json_schema == "enforced"

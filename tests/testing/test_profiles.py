"""The profiles of the server on loopback: each takes, ignores and refuses what the server that it imitates does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import cast, get_args
from urllib.parse import urlsplit

import pytest
from openai import OpenAI
from pydantic import BaseModel, JsonValue

from settled import Agent, MisuseError
from settled.providers import OpenAIChat
from settled.testing import FakeServer, ProfileName
from settled.testing.instances import instance_of, slip_of
from settled.testing.profiles import PROFILES, Profile
from settled.vocabulary.exchange import JsonObject

HI: JsonObject = {"messages": [{"role": "user", "content": "Hi"}]}
SCHEMA: JsonObject = {"type": "object", "properties": {"code": {"type": "string", "enum": ["zq7"]}}, "required": ["code"]}
FORMAT: JsonObject = {"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}}
OBJECT: JsonObject = {"response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "As JSON"}]}
TOOL: JsonObject = {"type": "function", "function": {"name": "note", "parameters": SCHEMA}}
STRICT: JsonObject = {"type": "function", "function": {"name": "note", "parameters": SCHEMA, "strict": True}}
OTHER: JsonObject = {"type": "function", "function": {"name": "other", "parameters": {"type": "object", "properties": {}}}}
CALL: JsonObject = {"messages": [{"role": "user", "content": "Call note"}], "tools": [TOOL]}
TWICE: JsonObject = {"messages": [{"role": "user", "content": "Call note, and note"}], "tools": [TOOL]}
REQUIRED: JsonObject = {"tools": [TOOL], "tool_choice": "required"}
NAMED: JsonObject = {"tools": [TOOL, OTHER], "tool_choice": {"type": "function", "function": {"name": "other"}}}
HELD, SLIP = '{"code":"zq7"}', '{"code":"rain"}'


PATH = "/v1/chat/completions"


def answer(
    profile: ProfileName, body: JsonObject, *, path: str = PATH, model: str = "fake", served: str = "fake"
) -> tuple[int, str]:
    """The status, and the body as text."""
    with FakeServer(profile=profile, model=served) as server:
        client = HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
        client.request("POST", path, json.dumps({"model": model, **HI, **body}))
        response = client.getresponse()
        told = response.status, response.read().decode()
        client.close()
    return told


def summed(profile: ProfileName, body: JsonObject) -> str:
    """What came, in a word or two: prose, JSON, the calls with their arguments, or a refusal."""
    status, text = answer(profile, body)
    if status != 200:
        return f"{status} {text}"
    message = json.loads(text)["choices"][0]["message"]
    calls = cast("list[Mapping[str, Mapping[str, str]]]", message.get("tool_calls") or [])
    if calls:
        return " ".join(f"{call['function']['name']}{call['function']['arguments']}" for call in calls)
    content = str(message["content"])
    return content if content.startswith("{") else "prose" if content.startswith("It rains") else f"? {content}"


CASES: dict[str, tuple[ProfileName, JsonObject, str]] = {
    "ollama schema": ("ollama", FORMAT, HELD),
    "ollama object": ("ollama", OBJECT, '{"key":"Oslo"}'),
    "ollama ignores required": ("ollama", REQUIRED, "prose"),
    "ollama ignores named": ("ollama", NAMED, "prose"),
    "ollama calls by itself": ("ollama", CALL, f"note{SLIP}"),
    "ollama ignores strict": ("ollama", {**CALL, "tools": [STRICT]}, f"note{SLIP}"),
    "ollama: the format wins": ("ollama", {**CALL, **FORMAT}, HELD),
    "ollama ignores the parallel switch": ("ollama", {**TWICE, "parallel_tool_calls": False}, f"note{SLIP} note{SLIP}"),
    "vllm schema": ("vllm", FORMAT, HELD),
    "vllm required": ("vllm", REQUIRED, f"note{HELD}"),
    "vllm named": ("vllm", NAMED, "other{}"),
    "vllm auto is loose": ("vllm", CALL, f"note{SLIP}"),
    "vllm auto and strict": ("vllm", {**CALL, "tools": [STRICT]}, f"note{HELD}"),
    "vllm: the format suppresses calls": ("vllm", {**CALL, **FORMAT}, HELD),
    "vllm: unless they are forced": ("vllm", {**REQUIRED, **FORMAT}, f"note{HELD}"),
    "vllm parallel": ("vllm", TWICE, f"note{SLIP} note{SLIP}"),
    "vllm one call": ("vllm", {**TWICE, "parallel_tool_calls": False}, f"note{SLIP}"),
    "vllm choice without tools": ("vllm", {"tool_choice": "auto"}, "400 When using `tool_choice`, `tools` must be set."),
    "vllm empty tools": ("vllm", {"tools": []}, "400 must not be an empty array"),
    "lmstudio schema": ("lmstudio", FORMAT, HELD),
    "lmstudio object": ("lmstudio", OBJECT, "400 {\"error\":\"'response_format.type' must be 'json_schema' or 'text'\"}"),
    "lmstudio required": ("lmstudio", REQUIRED, f"note{SLIP}"),
    "lmstudio named": ("lmstudio", NAMED, '400 {"error":"Invalid tool_choice type: \'object\'.'),
    "deepseek schema": ("deepseek", FORMAT, "400 This response_format type is unavailable now"),
    "deepseek object": ("deepseek", OBJECT, '{"key":"Oslo"}'),
    "deepseek object without the word": ("deepseek", {**OBJECT, **HI}, "400 Prompt must contain the word 'json'"),
    "deepseek required": ("deepseek", REQUIRED, "400 Thinking mode does not support this tool_choice"),
    "deepseek named": ("deepseek", NAMED, "400 Thinking mode does not support this tool_choice"),
    "deepseek without thinking": ("deepseek", {**REQUIRED, "thinking": {"type": "disabled"}}, f"note{SLIP}"),
    "groq schema": ("groq", FORMAT, "400 This model does not support response format `json_schema`"),
    "groq object": ("groq", OBJECT, '{"key":"Oslo"}'),
    "groq: a format beside tools": ("groq", {**CALL, **OBJECT}, "400 json mode cannot be combined with tool/function calling"),
    "groq required": ("groq", REQUIRED, f"note{SLIP}"),
    "groq named": ("groq", NAMED, "other{}"),
    "anthropic ignores the schema": ("anthropic", FORMAT, "prose"),
    "anthropic ignores json mode": ("anthropic", OBJECT, "prose"),
    "anthropic ignores strict": ("anthropic", {**REQUIRED, "tools": [STRICT]}, f"note{SLIP}"),
    "anthropic: tools beside a format": ("anthropic", {**CALL, **FORMAT}, f"note{SLIP}"),
    "llamacpp schema": ("llamacpp", FORMAT, HELD),
    "llamacpp required": ("llamacpp", REQUIRED, f"note{HELD}"),
    "llamacpp: the format wins": ("llamacpp", {**CALL, **FORMAT}, HELD),
    "llamacpp: two system messages": (
        "llamacpp",
        {"messages": [{"role": "system", "content": "a"}, {"role": "system", "content": "b"}]},
        "500 Jinja Exception: System message must be at the beginning.",
    ),
    "no calls for none": ("anthropic", {**CALL, "tool_choice": "none"}, "prose"),
}


@pytest.mark.parametrize("profile, body, due", CASES.values(), ids=CASES)
def test_reaction(profile: ProfileName, body: JsonObject, due: str) -> None:
    """A profile answers a request as its server does."""
    came = summed(profile, body)
    status, _, words = due.partition(" ")
    assert (came.startswith(f"{status} ") and words in came) if status in ("400", "500") else came == due


@pytest.mark.parametrize("model", ["openai/gpt-oss-20b", "openai/gpt-oss-120b"])
def test_groq_enforces_for_two_models(model: str) -> None:
    """The two models of Groq that take a schema are held to it."""
    status, text = answer("groq", FORMAT, model=model, served=model)
    assert (200, HELD) == (status, json.loads(text)["choices"][0]["message"]["content"])


def test_groq_streams_no_schema() -> None:
    """Groq refuses to stream what is held to a schema."""
    status, text = answer("groq", {**FORMAT, "stream": True}, model="openai/gpt-oss-20b", served="openai/gpt-oss-20b")
    assert 400 == status
    assert "Streaming is not currently supported" in text


CAPS: dict[str, tuple[ProfileName, str, bool]] = {
    f"{name}: {cap}": (name, cap, cap == "max_tokens" or name in ("vllm", "groq", "anthropic", "llamacpp"))
    for name in get_args(ProfileName)
    if name != "html-proxy"
    for cap in ("max_tokens", "max_completion_tokens")
}


@pytest.mark.parametrize("profile, cap, counts", CAPS.values(), ids=CAPS)
def test_cap(profile: ProfileName, cap: str, counts: bool) -> None:
    """The token cap cuts a reply only under a name that the server knows."""
    _, text = answer(profile, {cap: 3})
    assert counts == (json.loads(text)["choices"][0]["finish_reason"] == "length")
    assert counts == (json.loads(text)["usage"]["completion_tokens"] == 3)


UNKNOWN: dict[ProfileName, tuple[int, str]] = {
    "ollama": (404, "not found, try pulling it first"),
    "vllm": (404, "The model `nobody` does not exist."),
    "lmstudio": (200, "It rains"),
    "deepseek": (400, "Model Not Exist"),
    "groq": (404, "model_not_found"),
    "anthropic": (404, "not_found_error"),
    "llamacpp": (200, "It rains"),
    "html-proxy": (200, "<!DOCTYPE html>"),
}


@pytest.mark.parametrize("profile", get_args(ProfileName))
def test_unknown_model(profile: ProfileName) -> None:
    """A model that is not there is refused in the words of the server, or answered for by the one that is."""
    status, text = answer(profile, {}, model="nobody")
    due, words = UNKNOWN[profile]
    assert due == status
    assert words in text


OWNERS: dict[ProfileName, str] = {
    "ollama": "library",
    "vllm": "vllm",
    "lmstudio": "organization_owner",
    "deepseek": "deepseek",
    "groq": "Groq",
    "anthropic": "anthropic",
    "llamacpp": "llamacpp",
}


@pytest.mark.parametrize("profile, owner", OWNERS.items(), ids=OWNERS)
def test_list_of_models(profile: ProfileName, owner: str) -> None:
    """The list of models names the one there is, and who owns it, in the server's word; it is not among the requests."""
    with FakeServer(profile=profile, model="qwen3") as server, OpenAI(base_url=server.base_url, api_key="any") as client:
        (listed,) = client.models.list().data
    assert ("qwen3", owner) == (listed.id, listed.owned_by)
    assert server.requests == ()


def test_a_page_for_everything() -> None:
    """The proxy answers a list of models by its page too, with HTTP 200."""
    with FakeServer(profile="html-proxy") as server:
        client = HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
        client.request("GET", "/v1/models")
        response = client.getresponse()
        assert (200, "text/html") == (response.status, response.getheader("content-type"))
        assert response.read().startswith(b"<!DOCTYPE html>")
        client.close()


def test_thoughts() -> None:
    """The thinking model of DeepSeek shows its thoughts beside the answer."""
    _, text = answer("deepseek", {})
    assert json.loads(text)["choices"][0]["message"]["reasoning_content"]


def test_stream() -> None:
    """A profile streams the same reply as events."""
    status, text = answer("vllm", {**FORMAT, "stream": True, "stream_options": {"include_usage": True}})
    events = [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: {")]
    said = "".join(choice["delta"].get("content") or "" for event in events for choice in event["choices"])
    assert (200, HELD) == (status, said)
    assert events[-1]["usage"]["completion_tokens"] == 1
    assert text.rstrip().endswith("data: [DONE]")


def test_a_body_that_is_no_object() -> None:
    """What is no JSON object is refused, and remembered."""
    with FakeServer(profile="vllm") as server:
        client = HTTPConnection(urlsplit(server.base_url).netloc, timeout=10)
        client.request("POST", "/v1/chat/completions", "[]")
        assert 400 == client.getresponse().status
        client.close()
    assert 1 == len(server.requests)


def test_responses_are_not_imitated() -> None:
    """A profile speaks Chat Completions; another path is a complaint, as without one."""
    with pytest.raises(AssertionError, match="no POST /v1/responses"):
        answer("vllm", {}, path="/v1/responses")


def test_unknown_profile() -> None:
    """A profile that there is not is misuse, and the message names those that there are."""
    with pytest.raises(
        MisuseError, match=r"profile='olama'.*ollama, vllm, lmstudio, deepseek, groq, anthropic, llamacpp, html-proxy"
    ):
        FakeServer(profile=cast("ProfileName", "olama"))


def test_a_script_beside_a_profile() -> None:
    """A server has a script or a profile, not both."""
    with pytest.raises(MisuseError, match="a script or a profile"):
        FakeServer("Hei", profile="vllm")


def test_every_name_has_its_profile() -> None:
    """The names of the type are those of the table, and what is guessed are fields of a profile."""
    assert set(get_args(ProfileName)) == set(PROFILES)
    assert all(set(profile.guessed) <= set(Profile._fields) for profile in PROFILES.values())


class City(BaseModel):
    """A city."""

    name: str
    people: int


def test_an_agent_asks_a_profile() -> None:
    """Where the server enforces a schema an agent gets a value of its type, without any script."""
    with FakeServer(profile="lmstudio") as server:
        model = OpenAIChat("fake", base_url=server.base_url)
        assert City(name="Oslo", people=7) == Agent(City, model=model, mode="native").run("Oslo?")
        model.close()


INSTANCES: dict[str, tuple[JsonObject, JsonValue]] = {
    "const": ({"const": "a"}, "a"),
    "enum": ({"enum": [3, 4]}, 3),
    "list": ({"type": "array", "items": {"type": "integer"}}, [7]),
    "long list": ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [7, 7]),
    "nullable": ({"type": ["string", "null"]}, "Oslo"),
    "choice": ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, True),
    "reference": ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "number"}}}, 7),
    "lost reference": ({"$ref": "#/$defs/B"}, None),
    "null": ({"enum": [None]}, None),
}


@pytest.mark.parametrize("schema, value", INSTANCES.values(), ids=INSTANCES)
def test_instance(schema: JsonObject, value: JsonValue) -> None:
    """A small value fits the schema."""
    assert value == instance_of(schema)


def test_endless_schema() -> None:
    """A schema that holds itself ends."""
    assert instance_of({"$ref": "#"}) is None


def test_slip() -> None:
    """A slip has another word for each enum of words, and else the same shape."""
    assert {"a": "rain", "n": 7} == slip_of({"properties": {"a": {"enum": ["x"]}, "n": {"type": "integer"}}})

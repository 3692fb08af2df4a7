"""Chat Completions as the server writes them: typed values spelled from the wire alone, streams, every field of a response."""

from __future__ import annotations

import pytest
from openai import OpenAI
from pydantic import BaseModel, JsonValue
from tests.support import City, Town, plan_for

from settled import (
    Agent,
    FinishReason,
    Image,
    MisuseError,
    ModelRequest,
    ModelResponse,
    OutputMode,
    Reasoning,
    Text,
    ToolCall,
    Usage,
)
from settled.modes.spelling import spell
from settled.testing import FakeServer, HttpReply, Typed
from settled.testing.completions import answered, completion
from settled.vocabulary.exchange import JsonObject


class Box(BaseModel):
    """A model whose only field is called as a wrapper's."""

    value: int


class Excuse(BaseModel):
    """Why not."""

    why: str


OSLO = City(name="Oslo", people=7)
PROMPT: JsonObject = {"model": "m", "messages": []}

SPELLED = {  # id: output type, failure type, value
    "object": (City, None, OSLO),
    "scalar": (int, None, 7),
    "text": (str, None, "Hei"),
    "list": (list[City], None, [OSLO]),
    "dict": (dict[str, int], None, {"a": 1}),
    "box": (Box, None, Box(value=1)),
    "boxes": (list[Box], None, [Box(value=1)]),
    "union, first": (City | Town, None, OSLO),
    "union, second": (City | Town, None, Town(name="A", church=True)),
    "optional": (City | None, None, None),
    "union with a list": (int | list[int], None, [1]),
    "with a failure, output": (City, Excuse, OSLO),
    "with a failure, failure": (City, Excuse, Excuse(why="closed")),
    "union of boxes": (Box | City, Excuse, Box(value=2)),
}


def wire_of(form: object, mode: OutputMode, failure: object) -> tuple[JsonObject, ModelRequest]:
    """The request as it goes over the wire, and as a fake provider sees it."""
    shape = plan_for(form, mode, failure=failure).shape
    body: JsonObject = dict(PROMPT)
    if shape.output_format is not None:
        held = shape.output_format
        inner: JsonObject = {"name": held.name, "schema": held.json_schema, "strict": held.strict}
        body["response_format"] = {"type": "json_schema", "json_schema": inner}
    if shape.tools:
        offered: list[JsonObject] = [{"name": "final", "description": "Not the output.", "parameters": {"type": "object"}}]
        for tool in shape.tools:
            offered.append({"name": tool.name, "parameters": tool.parameters})
        listed: list[JsonValue] = [{"type": "function", "function": tool} for tool in offered]
        body["tools"] = listed
    return body, ModelRequest(messages=(), mode=mode, tools=shape.tools, answer=shape.answer)


@pytest.mark.parametrize("mode", ["native", "tool"])
@pytest.mark.parametrize("form, failure, value", SPELLED.values(), ids=SPELLED)
def test_a_value_is_spelled_from_the_wire(mode: OutputMode, form: object, failure: object, value: object) -> None:
    """The wire tells all that is needed: a typed value is spelled as by a fake provider, which knows the whole request."""
    body, request = wire_of(form, mode, failure)
    assert answered(body, Typed(value), place=1).parts == spell(request, value)


@pytest.mark.parametrize("form, value", [(int, 7), (City, OSLO), (City | Town, OSLO)], ids=["scalar", "object", "union"])
def test_a_value_is_judged_as_asked(form: type[object], value: object) -> None:
    """Without format and output tools a value is JSON text, which an agent reads back."""
    text = answered({**PROMPT, "tools": [{"type": "function"}, "odd"]}, value, place=1).text
    assert value == Agent[object](form).parse(text).unwrap()


def test_an_enum_of_one_is_a_tag() -> None:
    """Where a dialect spells a constant as an enum of one, and branches stand in place, the tags are still read."""
    branches: list[JsonObject] = [
        {"properties": {"kind": {"enum": [f"final_result_{name}"]}, "data": {}}} for name in ("City", "Town")
    ]
    schema: JsonObject = {"anyOf": [*branches]}
    body: JsonObject = {**PROMPT, "response_format": {"json_schema": {"schema": schema}}}
    assert answered(body, OSLO, place=1).text == '{"kind":"final_result_City","data":{"name":"Oslo","people":7}}'


def test_a_choice_of_the_user_is_no_tag() -> None:
    """A union that the user tagged in the same keys is spelled as it is."""
    schema: JsonObject = {"oneOf": [{"properties": {"kind": {"const": "city"}, "data": {}}}]}
    body: JsonObject = {**PROMPT, "response_format": {"json_schema": {"schema": schema}}}
    assert answered(body, {"kind": "city", "data": 1}, place=1).text == '{"kind":"city","data":1}'


def test_what_cannot_be_decided_is_told() -> None:
    """A value that fits none of several tools, and a part that no completion holds, are misuse."""
    body, _ = wire_of(City | Town, "tool", None)
    with pytest.raises(MisuseError, match="a value of type int fits none, or several"):
        answered(body, 7, place=1)
    scalar, _ = wire_of(int, "native", None)
    with pytest.raises(MisuseError, match="has no JSON form"):
        answered(scalar, object(), place=1)
    with pytest.raises(MisuseError, match="holds text, reasoning and tool calls, not image"):
        answered(PROMPT, ModelResponse(parts=(Image(url="https://example.org/a.png"),)), place=1)


FULL = ModelResponse(
    parts=(
        Reasoning(text="Let me think of it."),
        Text(text="Ærlig talt: det vet jeg ikke."),
        ToolCall(id="c1", name="look_up", arguments='{"city":"Oslo","unit":"C"}'),
        ToolCall(id="c2", name="wait", arguments=""),
    ),
    finish_reason=FinishReason.from_wire("eos"),
    usage=Usage(requests=1, input_tokens=5, output_tokens=9, cached_tokens=2, reasoning_tokens=3),
    model="gpt-x",
    id="r1",
)


def test_a_response_is_written_whole() -> None:
    """Every field of a response has its place in the body."""
    body = completion(FULL, place=3, model="fake")
    usage = {
        "prompt_tokens": 5,
        "completion_tokens": 9,
        "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    functions = [
        {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"city":"Oslo","unit":"C"}'}},
        {"id": "c2", "type": "function", "function": {"name": "wait", "arguments": ""}},
    ]
    message = {
        "role": "assistant",
        "content": "Ærlig talt: det vet jeg ikke.",
        "refusal": None,
        "reasoning_content": "Let me think of it.",
        "tool_calls": functions,
    }
    assert body == {
        "id": "r1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "gpt-x",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "eos"}],
        "usage": usage,
    }


@pytest.mark.parametrize(
    "reason, word",
    [
        (FinishReason.from_wire(None), None),
        (FinishReason(kind="length"), "length"),
        (FinishReason.from_wire("weird"), "weird"),
    ],
    ids=["none", "kind", "raw"],
)
def test_the_finish_word_is_the_servers(reason: FinishReason, word: str | None) -> None:
    """The raw word is sent, else the kind; nothing for unspecified."""
    choices = completion(ModelResponse(finish_reason=reason), place=1, model="m")["choices"]
    assert isinstance(choices, list)
    assert isinstance(choices[0], dict)
    assert (word, {"role": "assistant", "content": None, "refusal": None}) == (choices[0]["finish_reason"], choices[0]["message"])


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_stream_adds_up(size: int) -> None:
    """Read by the openai client, the chunks add up to the response, in pieces of the size that was asked for."""
    with FakeServer(FULL, chunk=size) as server, OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        stream = client.chat.completions.create(model="m", messages=[], stream=True, stream_options={"include_usage": True})
        made = list(stream)
    *told, ending, billed = made
    assert (billed.choices, billed.usage and billed.usage.total_tokens) == ([], 14)
    assert ("eos", None) == (ending.choices[0].finish_reason, ending.usage)
    deltas = [chunk.choices[0].delta for chunk in told]
    pieces = [delta.content or "" for delta in deltas]
    assert ("".join(pieces), deltas[0].role) == ("Ærlig talt: det vet jeg ikke.", "assistant")
    assert max(map(len, pieces)) <= size
    thoughts = [str((delta.model_extra or {}).get("reasoning_content", "")) for delta in deltas]
    assert "".join(thoughts) == "Let me think of it."
    calls = [call for delta in deltas for call in delta.tool_calls or ()]
    assert [(0, "c1"), (1, "c2")] == [(call.index, call.id) for call in calls if call.id]
    written = "".join(call.function.arguments or "" for call in calls if call.function and call.index == 0)
    assert written == '{"city":"Oslo","unit":"C"}'
    assert {"r1"} == {chunk.id for chunk in made}


def test_a_streamed_refusal() -> None:
    """A refusal is streamed in its own field; without being asked for no usage is sent."""
    reply = ModelResponse(refusal="I cannot.", finish_reason=FinishReason.from_wire("stop"))
    with FakeServer(HttpReply(reply=reply), chunk=4) as server, OpenAI(base_url=server.base_url, api_key="k") as client:
        made = list(client.chat.completions.create(model="m", messages=[], stream=True))
    assert "".join(chunk.choices[0].delta.refusal or "" for chunk in made) == "I cannot."
    assert all(chunk.usage is None for chunk in made)


def test_a_tool_call_is_chosen_over_the_wire() -> None:
    """From socket to socket: the value arrives as a call of the output tool of its type."""
    body, _ = wire_of(City | Town, "tool", None)
    with FakeServer(OSLO) as server, OpenAI(base_url=server.base_url, api_key="k") as client:
        made = client.post("/chat/completions", cast_to=object, body=body)
    assert '"name": "final_result_City"' in repr(made).replace("'", '"')

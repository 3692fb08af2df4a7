"""What a `FakeServer` makes of a request to Responses: the replies of its script as the bodies of Responses, read by the SDK."""

from __future__ import annotations

import pytest
from openai import OpenAI
from openai.types.responses import Response
from tests.support import OSLO, City

from settled import FinishReason, Image, MisuseError, ModelResponse, Reasoning, Text, ToolCall, Usage
from settled.testing import FakeServer, HttpReply, Refusal, Truncated
from settled.testing.responding import as_chat, responded
from settled.vocabulary.exchange import JsonObject

GOOD = City(name="Oslo", people=700_000)
SCHEMA: JsonObject = City.model_json_schema()
OUTPUT_TOOL: JsonObject = {"type": "function", "name": "final_result", "parameters": SCHEMA, "strict": False}
FORMAT: JsonObject = {"format": {"type": "json_schema", "name": "City", "schema": SCHEMA, "strict": True}}


def asked(reply: object, **fields: object) -> Response:
    """What the SDK reads in the reply to a request with these fields."""
    with FakeServer(reply) as server, OpenAI(base_url=server.base_url, api_key="any", max_retries=0) as client:
        return client.responses.create(model="m", input="Oslo?", extra_body=fields)


def read(response: ModelResponse) -> Response:
    """A response as the SDK reads it, strictly."""
    return Response.model_validate(responded(response, place=1, model="m"))


def test_a_text() -> None:
    """A text is a message of the assistant, with the fixed usage."""
    response = asked("Hei")
    assert ("Hei", "completed", "fake") == (response.output_text, response.status, response.model)
    assert response.usage is not None
    assert (11, 7) == (response.usage.input_tokens, response.usage.output_tokens)


def test_a_typed_value_by_the_format() -> None:
    """A typed value is JSON text where the request has a format."""
    assert OSLO == asked(GOOD, text=FORMAT).output_text


def test_a_typed_value_by_the_output_tool() -> None:
    """A typed value is a call where the request has an output tool."""
    (call,) = asked(GOOD, tools=[OUTPUT_TOOL]).output
    assert call.type == "function_call"
    assert ("final_result", OSLO) == (call.name, call.arguments)


@pytest.mark.parametrize(
    "reply, status, reason",
    [
        (Truncated("4"), "incomplete", "max_output_tokens"),
        (ModelResponse.of("4", finish="content_filter"), "incomplete", "content_filter"),
        (ModelResponse.of("4", finish="error"), "failed", None),
        (ModelResponse.of("4", finish="queued"), "queued", None),
        (ModelResponse.of("4", finish=None), "completed", None),
        (ModelResponse.of("4", finish="banana"), "completed", None),
        ("4", "completed", None),
    ],
    ids=["length", "filter", "error", "status", "unspecified", "other", "stop"],
)
def test_how_a_reply_ends(reply: object, status: str, reason: str | None) -> None:
    """A finish reason is a status, with the reason where it is incomplete, and an error where it failed."""
    response = asked(reply)
    details = response.incomplete_details
    assert (status, reason) == (response.status, details.reason if details else None)
    assert (response.error is not None) == (status == "failed")


def test_a_refusal() -> None:
    """A refusal is a part of its own in a message."""
    (item,) = asked(Refusal("no")).output
    assert item.type == "message"
    assert [("refusal", "no")] == [(part.type, part.refusal) for part in item.content if part.type == "refusal"]


def test_every_kind_of_part() -> None:
    """Thoughts, remarks, texts and calls are items, with ids, seals and phases; usage is as given. The SDK takes all of it."""
    parts = (
        Reasoning(text="hm", id="rs_1", signature="gAAA"),
        Reasoning(text="Looking.", phase="commentary"),
        Text(text="7", phase="final_answer"),
        ToolCall(id="c1", name="f", arguments="{}"),
    )
    usage = Usage(requests=1, input_tokens=5, output_tokens=4, cached_tokens=3, reasoning_tokens=2)
    response = read(ModelResponse(parts=parts, finish_reason=FinishReason.from_wire("stop"), usage=usage, id="r9", model="other"))
    assert ["reasoning", "message", "message", "function_call"] == [item.type for item in response.output]
    assert ("r9", "other", "Looking.7") == (response.id, response.model, response.output_text)
    assert response.usage is not None
    assert 2 == response.usage.output_tokens_details.reasoning_tokens


def test_what_a_response_does_not_hold() -> None:
    """A model says texts, thoughts and calls; what else a script gives is its mistake."""
    with pytest.raises(MisuseError, match="a Response holds no image"):
        responded(ModelResponse(parts=(Image(url="https://example.org/a.png"),)), place=1, model="m")


def test_a_stream() -> None:
    """A request for a stream is answered in events; the pieces of a text are as long as the server says."""
    with FakeServer("Hei", chunk=2) as server, OpenAI(base_url=server.base_url, api_key="any", max_retries=0) as client:
        made = list(client.responses.create(model="m", input="Oslo?", stream=True))
    assert ["He", "i"] == [event.delta for event in made if event.type == "response.output_text.delta"]
    assert "response.completed" == made[-1].type


def test_knobs_of_a_frame() -> None:
    """The knobs of an `HttpReply` hold for a Response, and for what a function gives."""

    def later(body: JsonObject) -> str:
        return f"to {body['input']}"

    assert "to Oslo?" == asked(HttpReply(reply=later, gzip=True)).output_text


@pytest.mark.parametrize(
    "body, chat",
    [
        ({}, {}),
        ({"text": {"format": {"type": "text"}}}, {}),
        ({"text": FORMAT["format"]}, {}),
        ({"text": FORMAT}, {"response_format": {"json_schema": {"schema": SCHEMA}}}),
        ({"tools": [OUTPUT_TOOL]}, {"tools": [{"function": {"name": "final_result", "parameters": SCHEMA}}]}),
    ],
    ids=["nothing", "text", "no-format", "format", "tools"],
)
def test_a_request_in_other_words(body: JsonObject, chat: JsonObject) -> None:
    """Format and tools are told in the words of Chat Completions."""
    assert chat == as_chat(body)

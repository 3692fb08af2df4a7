"""From a request to the JSON body of Responses: every item, every setting, and what a capability leaves out or renames."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from openai.types.responses import FunctionToolParam, ResponseInputParam, ResponseTextConfigParam
from openai.types.responses.response_create_params import ResponseCreateParamsBase, ResponseCreateParamsNonStreaming
from pydantic import JsonValue, TypeAdapter
from pydantic_core import to_json

from settled import Capabilities, Document, Image, Message, ModelRequest, Reasoning, Settings, Text, ToolCall, ToolResult
from settled.providers.offers import Offers
from settled.providers.responses_wire import body_of, offer_of
from settled.providers.table import capabilities_of
from settled.vocabulary.exchange import JsonObject, OutputFormat, ToolDefinition
from settled.vocabulary.messages import Part

UNKNOWN = Capabilities()
SCHEMA: JsonObject = {"type": "object", "properties": {}}
TOOL = ToolDefinition(name="f", description="does f", parameters=SCHEMA)
OTHER = ToolDefinition(name="g", description="does g", parameters=SCHEMA)
ANSWER = OutputFormat(name="City", json_schema=SCHEMA)
ASKED = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
CALL = ToolCall(id="c1", name="f", arguments='{"a":1}')
RESULT = ToolResult(call_id="c1", name="f", text="7")
CALLED: JsonValue = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}'}
SEALED = Reasoning(text="hm", id="rs_1", signature="gAAA")
OPEN = Reasoning(text="hm", id="rs_1")
ECHO = Capabilities(echo_reasoning="field")


def sent(request: ModelRequest = ASKED, known: Capabilities = UNKNOWN) -> JsonObject:
    """The body as it goes over the wire."""
    body: JsonObject = json.loads(to_json(body_of(request, "m", known, Offers(known, offer_of).of(request))))
    return body


def items(*messages: Message, known: Capabilities = UNKNOWN) -> JsonValue:
    """These messages on the wire."""
    return sent(ASKED.changed(messages=messages), known)["input"]


def said(*parts: Part) -> Message:
    """A turn of the assistant."""
    return Message(role="assistant", parts=parts)


def set_to(**fields: object) -> ModelRequest:
    """A request with a tool and these settings."""
    return ASKED.changed(tools=(TOOL,), settings=Settings.model_validate(fields))


# Items


@pytest.mark.parametrize(
    "message, wire",
    [
        pytest.param(Message.user("Oslo?"), [{"role": "user", "content": "Oslo?"}], id="user"),
        pytest.param(Message.system("Be brief."), [{"role": "system", "content": "Be brief."}], id="system"),
        pytest.param(said(Text(text="7"), Text(text="8")), [{"role": "assistant", "content": "78"}], id="assistant"),
        pytest.param(said(Text(text="")), [], id="assistant-empty"),
        pytest.param(said(Reasoning(text="hm")), [], id="assistant-thought"),
        pytest.param(said(CALL), [CALLED], id="call"),
        pytest.param(said(Text(text="so"), CALL), [{"role": "assistant", "content": "so"}, CALLED], id="call-with-text"),
        pytest.param(
            Message(role="tool", parts=(RESULT, RESULT.changed(call_id="c2", text="8"))),
            [{"type": "function_call_output", "call_id": "c1", "output": "7"},
             {"type": "function_call_output", "call_id": "c2", "output": "8"}],
            id="results",
        ),
        pytest.param(Message.user("a\ud800"), [{"role": "user", "content": "a\\ud800"}], id="surrogate"),
    ],
)  # fmt: skip
def test_a_message(message: Message, wire: JsonValue) -> None:
    """Each role is items of its own: messages, calls, and results of calls."""
    assert wire == items(message)


@pytest.mark.parametrize(
    "parts, wire",
    [
        ((Text(text="7", phase="final_answer"),), [{"role": "assistant", "content": "7", "phase": "final_answer"}]),
        (
            (Reasoning(text="Looking.", phase="commentary"), CALL),
            [{"role": "assistant", "content": "Looking.", "phase": "commentary"}, CALLED],
        ),
        (
            (Reasoning(text="So: ", phase="commentary"), Text(text="7", phase="final_answer")),
            [
                {"role": "assistant", "content": "So: ", "phase": "commentary"},
                {"role": "assistant", "content": "7", "phase": "final_answer"},
            ],
        ),
    ],
    ids=["answer", "remark-and-call", "remark-and-answer"],
)
def test_a_phase_is_sent_back(parts: tuple[Part, ...], wire: JsonValue) -> None:
    """What came under a phase goes back under it, remarks on the way included (openai-python: response_output_message.py)."""
    assert wire == items(said(*parts))


SUMMARY: JsonValue = [{"type": "summary_text", "text": "hm"}]
CLEAR: JsonValue = [{"type": "reasoning_text", "text": "hm"}]
THOUGHTS: dict[str, tuple[tuple[Part, ...], JsonValue]] = {
    "sealed": ((SEALED, CALL), [{"type": "reasoning", "id": "rs_1", "summary": SUMMARY, "encrypted_content": "gAAA"}, CALLED]),
    "sealed-without-summary": (
        (SEALED.changed(text=""), CALL),
        [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}, CALLED],
    ),
    "clear": ((OPEN, CALL), [{"type": "reasoning", "id": "rs_1", "summary": [], "content": CLEAR}, CALLED]),
    "without-id": ((Reasoning(text="hm"), CALL), [CALLED]),
    "at-the-end": ((CALL, SEALED), [CALLED]),
    "alone": ((SEALED,), []),
}


@pytest.mark.parametrize("parts, wire", THOUGHTS.values(), ids=THOUGHTS)
def test_a_thought_is_an_item(parts: tuple[Part, ...], wire: JsonValue) -> None:
    """A thought with an id goes back before what it led to, sealed or in clear; one that led to nothing is left out."""
    assert wire == items(said(*parts), known=ECHO)


# Offers


@pytest.mark.parametrize(
    "strict, known, wire",
    [
        (None, capabilities_of("openai-responses", "gpt-4o"), False),
        (True, capabilities_of("openai-responses", "gpt-4o"), True),
        (False, capabilities_of("openai-responses", "gpt-4o"), False),
        (True, UNKNOWN, False),
        (None, UNKNOWN, False),
    ],
    ids=["unset", "strict", "not-strict", "ignored", "unknown"],
)
def test_a_function_is_flat_and_says_whether_it_is_strict(strict: bool | None, known: Capabilities, wire: bool) -> None:
    """A function is one flat object, whose ``strict`` is always there (openai-python: function_tool_param.py)."""
    body = sent(ASKED.changed(tools=(TOOL.changed(strict=strict),)), known)
    assert [{"type": "function", "name": "f", "description": "does f", "parameters": SCHEMA, "strict": wire}] == body["tools"]


NAMED = {"type": "function", "name": "f"}


@pytest.mark.parametrize(
    "tools, known, choice",
    [
        ((TOOL,), UNKNOWN, "required"),
        ((TOOL,), Capabilities(choice_required="rejected"), NAMED),
        ((TOOL,), Capabilities(choice_required="rejected", choice_named="rejected"), None),
        ((TOOL, OTHER), Capabilities(choice_required="rejected"), None),
        (
            (TOOL, OTHER),
            Capabilities(choice_required="rejected", choice_allowed_tools=True),
            {"type": "allowed_tools", "mode": "required", "tools": [NAMED, {"type": "function", "name": "g"}]},
        ),
        ((TOOL,), Capabilities(thinking="always", forced_choice_with_thinking=False), None),
    ],
    ids=["word", "named", "nothing", "several", "allowed", "thinks"],
)
def test_a_demanded_call(tools: tuple[ToolDefinition, ...], known: Capabilities, choice: JsonValue) -> None:
    """A call is demanded by a word, else by the tool's name, else by a list of names, else not at all."""
    assert choice == sent(ASKED.changed(tools=tools, tool_choice="required"), known).get("tool_choice")
    assert "tool_choice" not in sent(ASKED.changed(tools=tools), known)


@pytest.mark.parametrize("strict", [True, False])
def test_a_response_format(strict: bool) -> None:
    """The schema stands in ``text.format``, flat (openai-python: response_format_text_json_schema_config_param.py)."""
    wire = {"format": {"type": "json_schema", "name": "City", "schema": SCHEMA, "strict": strict}}
    assert wire == sent(ASKED.changed(output_format=ANSWER.changed(strict=strict)))["text"]


def test_no_empty_offers() -> None:
    """Without tools there is neither a list nor a choice of them."""
    assert {"model", "input", "store"} == set(sent(ASKED.changed(tool_choice="required")))


# Settings


@pytest.mark.parametrize(
    "fields, wire",
    [
        ({}, {}),
        ({"temperature": 0.0, "top_p": 0.5}, {"temperature": 0.0, "top_p": 0.5}),
        ({"max_tokens": 5}, {"max_output_tokens": 5}),
        ({"reasoning_effort": "low"}, {"reasoning": {"effort": "low"}}),
        ({"parallel_tool_calls": False}, {"parallel_tool_calls": False}),
        ({"seed": 7, "stop": ["."]}, {}),
        ({"extra_body": {"store": True, "x": [1]}}, {"store": True, "x": [1]}),
        ({"timeout": 5, "extra_headers": {"x-key": "secret"}}, {}),
    ],
    ids=["none", "sampling", "cap", "effort", "parallel", "not-of-this-api", "extra", "not-sent"],
)
def test_settings(fields: Mapping[str, object], wire: JsonObject) -> None:
    """What is set is sent by the API's name for it; for a seed and stop words it has none; extra fields have the last word."""
    left_out = ("model", "input", "tools")
    assert {"store": False, **wire} == {name: value for name, value in sent(set_to(**fields)).items() if name not in left_out}


@pytest.mark.parametrize(
    "known, tools, sent_at_all",
    [
        (UNKNOWN, (TOOL,), True),
        (UNKNOWN, (), False),
        (Capabilities(parallel_switch="ignored"), (TOOL,), False),
        (Capabilities(drop_params=frozenset({"parallel_tool_calls"})), (TOOL,), False),
    ],
    ids=["unknown", "no-tools", "ignored", "dropped"],
)
def test_the_switch_for_parallel_calls(known: Capabilities, tools: tuple[ToolDefinition, ...], sent_at_all: bool) -> None:
    """The switch is sent beside tools only, and where it is heeded."""
    assert sent_at_all == ("parallel_tool_calls" in sent(set_to(parallel_tool_calls=False).changed(tools=tools), known))


@pytest.mark.parametrize(
    "model, wire", [("gpt-5-mini", ["reasoning.encrypted_content"]), ("gpt-4o", None)], ids=["thinks", "does-not"]
)
def test_sealed_thoughts_are_asked_for(model: str, wire: JsonValue) -> None:
    """OpenAI's models that think are asked to seal their thoughts; the others would refuse that."""
    assert wire == sent(known=capabilities_of("openai-responses", model)).get("include")


def test_a_body_is_of_the_sdks_types() -> None:
    """A body with everything in it has fields of the SDK's own type; its input, tools and format pass for those of the SDK."""
    request = set_to(temperature=1, top_p=1, max_tokens=5, reasoning_effort="low", parallel_tool_calls=False, seed=1, stop=["x"])
    known = capabilities_of("openai-responses", "gpt-5-mini")
    seen = Message.user(["Look:", Image(url="https://example.org/a.png"), Document(data=b"a", media_type="application/pdf")])
    turn = said(Reasoning(text="Looking.", phase="commentary"), SEALED, CALL)
    history = (Message.system("A."), seen, turn, Message(role="tool", parts=(RESULT,)))
    body = sent(request.changed(output_format=ANSWER, tool_choice="required", messages=history), known)
    assert set(body) <= set(ResponseCreateParamsNonStreaming.__annotations__) | set(ResponseCreateParamsBase.__annotations__)
    for name, form in (("input", ResponseInputParam), ("tools", list[FunctionToolParam]), ("text", ResponseTextConfigParam)):
        TypeAdapter(form).validate_python(body[name])

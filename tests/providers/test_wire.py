"""From a request to the JSON body of Chat Completions: every part, every setting, and what a capability leaves out or renames."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from pydantic_core import to_json

from settled import (
    Audio,
    Capabilities,
    Document,
    Image,
    Message,
    MisuseError,
    ModelRequest,
    Reasoning,
    Settings,
    Text,
    ToolCall,
    ToolResult,
)
from settled.providers.offers import Offers
from settled.providers.wire import body_of, offer_of
from settled.vocabulary.exchange import JsonObject, OutputFormat, ToolDefinition
from settled.vocabulary.messages import Part
from settled.vocabulary.narrowing import is_list, is_mapping

UNKNOWN = Capabilities()
SCHEMA: JsonObject = {"type": "object", "properties": {}}
TOOL = ToolDefinition(name="f", description="does f", parameters=SCHEMA)
ANSWER = OutputFormat(name="City", json_schema=SCHEMA)
ASKED = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
CALL = ToolCall(id="c1", name="f", arguments='{"a":1}')
RESULT = ToolResult(call_id="c1", name="f", text="7")


def sent(request: ModelRequest = ASKED, known: Capabilities = UNKNOWN) -> JsonObject:
    """The body as it goes over the wire."""
    body: JsonObject = json.loads(to_json(body_of(request, "m", known, Offers(known, offer_of).of(request))))
    return body


def wired(*messages: Message, known: Capabilities = UNKNOWN) -> JsonValue:
    """These messages on the wire."""
    return sent(ASKED.changed(messages=messages), known)["messages"]


def said(*parts: Part) -> Message:
    """A turn of the assistant."""
    return Message(role="assistant", parts=parts)


def set_to(**fields: object) -> ModelRequest:
    """A request with tools and these settings."""
    return ASKED.changed(tools=(TOOL,), settings=Settings.model_validate(fields))


def listed(value: JsonValue) -> list[JsonValue]:
    """A list, which it must be."""
    assert isinstance(value, list)
    return value


def at(value: object, *path: str | int) -> object:
    """What stands at a path in JSON data."""
    for step in path:
        if is_mapping(value):
            value = value.get(step)
        else:
            assert is_list(value)
            assert isinstance(step, int)
            value = value[step]
    return value


# Messages


@pytest.mark.parametrize(
    "message, wire",
    [
        pytest.param(Message.user("Oslo?"), {"role": "user", "content": "Oslo?"}, id="user"),
        pytest.param(Message(role="user", parts=()), {"role": "user", "content": ""}, id="user-empty"),
        pytest.param(Message(role="user", parts=(Text(text="a"), Text(text="b"))), {"role": "user", "content": "ab"}, id="texts"),
        pytest.param(said(Text(text="7"), Text(text="8")), {"role": "assistant", "content": "78"}, id="assistant"),
        pytest.param(said(Reasoning(text="hm")), {"role": "assistant", "content": ""}, id="assistant-thought"),
        pytest.param(
            said(Text(text="so"), CALL),
            {"role": "assistant", "content": "so",
             "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]},
            id="call-with-text",
        ),
        pytest.param(
            said(CALL),
            {"role": "assistant", "content": None,
             "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]},
            id="call",
        ),
        pytest.param(Message.user("a\ud800"), {"role": "user", "content": "a\\ud800"}, id="surrogate"),
    ],
)  # fmt: skip
def test_a_message(message: Message, wire: JsonObject) -> None:
    """Each role and kind of text is spelled as the API wants it."""
    assert [wire] == wired(message)


def test_results_are_messages_of_their_own() -> None:
    """Each result of one turn answers its call in a message of its own; other parts of such a turn are left out."""
    both = Message(role="tool", parts=(RESULT, RESULT.changed(call_id="c2", text="8"), Text(text="?")))
    assert [
        {"role": "tool", "tool_call_id": "c1", "content": "7"},
        {"role": "tool", "tool_call_id": "c2", "content": "8"},
    ] == wired(both)


@pytest.mark.parametrize(
    "part, wire",
    [
        pytest.param(Image(url="https://example.org/a.png"), {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                     id="image-url"),
        pytest.param(Image(data=b"abc", media_type="image/png"),
                     {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}}, id="image-data"),
        pytest.param(Audio(data=b"abc", media_type="audio/mpeg"),
                     {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "mp3"}}, id="mp3"),
        pytest.param(Audio(data=b"abc", media_type="audio/x-wav"),
                     {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "wav"}}, id="wav"),
        pytest.param(Audio(data=b"abc"), {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "wav"}}, id="audio"),
        pytest.param(Audio(data=b"abc", media_type="audio/flac"),
                     {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "flac"}}, id="flac"),
        pytest.param(Document(data=b"abc", media_type="application/pdf", name="a.pdf"),
                     {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,YWJj"}}, id="file"),
        pytest.param(Document(data=b"abc", media_type="text/csv"),
                     {"type": "file", "file": {"filename": "document", "file_data": "data:text/csv;base64,YWJj"}}, id="no-name"),
    ],
)  # fmt: skip
def test_media(part: Image | Audio | Document, wire: JsonObject) -> None:
    """Pictures, recordings and files stand among the texts, in order."""
    parts = (Text(text="Look:"), part, Reasoning(text="never sent"), Text(text="\ud800"))
    content = [{"type": "text", "text": "Look:"}, wire, {"type": "text", "text": "\\ud800"}]
    assert [{"role": "user", "content": content}] == wired(Message(role="user", parts=parts))


@pytest.mark.parametrize(
    "part, words",
    [
        (Audio(url="https://example.org/a.wav"), r"Audio\(url=\.\.\.\)"),
        (Document(url="https://example.org/a.pdf"), r"Document\(url=\.\.\.\): Chat Completions takes the data"),
        (Image(), r"Image\(\)"),
        (Document(), r"Document\(\)"),
        (Image(data=b"abc"), "give its media_type"),
    ],
    ids=["audio-url", "document-url", "no-image", "no-document", "no-type"],
)
def test_media_that_cannot_be_sent(part: Part, words: str) -> None:
    """What the API does not take is the caller's mistake, and said before anything is sent."""
    with pytest.raises(MisuseError, match=words):
        wired(Message(role="user", parts=(part,)))


SYSTEMS = (Message.system("A."), Message.system("B."), Message.user("Oslo?"), Message.system("C."))


@pytest.mark.parametrize(
    "known, roles",
    [
        (UNKNOWN, [("system", "A.\n\nB.\n\nC."), ("user", "Oslo?")]),
        (Capabilities(multiple_system=True), [("system", "A."), ("system", "B."), ("user", "Oslo?"), ("system", "C.")]),
        (Capabilities(system_role="developer"), [("developer", "A.\n\nB.\n\nC."), ("user", "Oslo?")]),
        (Capabilities(system_role="user"), [("user", "A.\n\nB.\n\nC."), ("user", "Oslo?")]),
    ],
    ids=["one", "many", "developer", "user"],
)
def test_system_messages(known: Capabilities, roles: list[tuple[str, str]]) -> None:
    """Where no more than one system message is known to be accepted, all are one, at the start."""
    assert [{"role": role, "content": text} for role, text in roles] == wired(*SYSTEMS, known=known)


def test_a_system_message_is_not_mixed_with_the_users_words() -> None:
    """Where instructions are sent as the user, they stay apart from what the user said first."""
    known = Capabilities(system_role="user")
    picture = Message.user(["Look:", Image(url="https://example.org/a.png")])
    first, second = listed(wired(picture, Message.system("A."), known=known))
    assert {"role": "user", "content": "A."} == first
    assert "Look:" == at(second, "content", 0, "text")


@pytest.mark.parametrize(
    "written, arguments",
    [
        ('{"a": 1}', '{"a": 1}'), ("", "{}"), (" \n", "{}"), ("null", "{}"), ("[1]", '{"invalid":"[1]"}'),
        ("7", '{"invalid":"7"}'),
        ('{"a": ', '{"invalid":"{\\"a\\": "}'), ("{} {}", '{"invalid":"{} {}"}'), ('{"a": NaN}', '{"invalid":"{\\"a\\": NaN}"}'),
        ("[" * 5000, json.dumps({"invalid": "[" * 5000}, separators=(",", ":"))), ("\ud800", '{"invalid":"\\\\ud800"}'),
    ],
    ids=["object", "empty", "blank", "null", "list", "number", "cut", "two", "nan", "deep", "surrogate"],
)  # fmt: skip
def test_arguments_in_the_history(written: str, arguments: str) -> None:
    """Servers read earlier arguments again, so what was no JSON object is sent as one that tells what was written."""
    (turn,) = listed(wired(said(CALL.changed(arguments=written))))
    assert arguments == at(turn, "tool_calls", 0, "function", "arguments")
    assert isinstance(json.loads(arguments), dict)


@pytest.mark.parametrize(
    "id", ["call_abcdefgh", "x", "", "ä" * 9, "\ud800"], ids=["long", "short", "empty", "letters", "surrogate"]
)
def test_ids_of_nine_letters(id: str) -> None:
    """A server that wants nine letters and digits gets such an id, the same in call and answer; one of its own is kept."""
    known = Capabilities(tool_call_id="alnum9")
    call, result = listed(
        wired(said(CALL.changed(id=id)), Message(role="tool", parts=(RESULT.changed(call_id=id),)), known=known)
    )
    sent_id = at(call, "tool_calls", 0, "id")
    assert sent_id == at(result, "tool_call_id")
    assert isinstance(sent_id, str)
    assert (9, True, True) == (len(sent_id), sent_id.isalnum(), sent_id.isascii())
    (own,) = listed(wired(said(CALL.changed(id="abcDEF123")), known=known))
    assert "abcDEF123" == at(own, "tool_calls", 0, "id")


THOUGHT = Reasoning(text="hm")
TAGS = Capabilities(echo_reasoning="tags")


@pytest.mark.parametrize(
    "known, turn, wire",
    [
        (UNKNOWN, said(THOUGHT, Text(text="7")), {"content": "7"}),
        (Capabilities(echo_reasoning="field"), said(THOUGHT, Text(text="7")), {"content": "7", "reasoning_content": "hm"}),
        (Capabilities(echo_reasoning="field", reasoning_field="reasoning"), said(THOUGHT), {"content": "", "reasoning": "hm"}),
        (Capabilities(echo_reasoning="field"), said(Text(text="7")), {"content": "7"}),
        (Capabilities(echo_reasoning="required_on_tool_turns"), said(THOUGHT, Text(text="7")), {"content": "7"}),
        (TAGS, said(THOUGHT, Text(text="7")), {"content": "<think>hm</think>7"}),
        (TAGS, said(Text(text="7")), {"content": "7"}),
        (TAGS.changed(think_tags=None), said(THOUGHT, Text(text="7")), {"content": "7"}),
    ],
    ids=["no", "field", "named-field", "no-thought", "no-tool-turn", "tags", "tags-no-thought", "no-tags"],
)
def test_echoed_reasoning(known: Capabilities, turn: Message, wire: JsonObject) -> None:
    """Earlier reasoning is sent back where, and as, an endpoint wants it."""
    assert [{"role": "assistant", **wire}] == wired(turn, known=known)


def test_reasoning_on_tool_turns() -> None:
    """Where reasoning is wanted back on tool turns, it is sent with the calls."""
    (turn,) = listed(wired(said(THOUGHT, CALL), known=Capabilities(echo_reasoning="required_on_tool_turns")))
    assert "hm" == at(turn, "reasoning_content")


# Offers


@pytest.mark.parametrize(
    "strict, known, function",
    [
        (None, UNKNOWN, {}),
        (True, UNKNOWN, {}),
        (True, Capabilities(tool_strict="enforced"), {"strict": True}),
        (False, Capabilities(tool_strict="enforced"), {"strict": False}),
        (True, Capabilities(tool_strict="unknown"), {"strict": True}),
        (True, Capabilities(tool_strict="rejected"), {}),
        (None, Capabilities(tool_strict="enforced"), {}),
    ],
    ids=["unset", "by-default", "enforced", "off", "unknown", "rejected", "unset-enforced"],
)
def test_strict_tools(strict: bool | None, known: Capabilities, function: JsonObject) -> None:
    """``strict`` is sent where somebody said so and the endpoint heeds it."""
    body = sent(ASKED.changed(tools=(TOOL.changed(strict=strict),)), known)
    told: JsonObject = {"name": "f", "description": "does f", "parameters": SCHEMA, **function}
    assert [{"type": "function", "function": told}] == body["tools"]


@pytest.mark.parametrize(
    "known, word",
    [
        (UNKNOWN, "required"),
        (Capabilities(choice_required="enforced", choice_required_word="any"), "any"),
        (Capabilities(choice_required="ignored"), None),
        (Capabilities(choice_required="rejected"), None),
        (Capabilities(thinking="default_on", forced_choice_with_thinking=False), None),
        (Capabilities(thinking="always", forced_choice_with_thinking=False), None),
        (Capabilities(thinking="optional", forced_choice_with_thinking=False), "required"),
        (Capabilities(thinking="always"), "required"),
    ],
    ids=["unknown", "any", "ignored", "rejected", "thinks", "always-thinks", "may-think", "thinks-all-the-same"],
)
def test_a_demanded_call(known: Capabilities, word: str | None) -> None:
    """A call is demanded in the endpoint's word, unless it takes no such demand, or none while it thinks."""
    assert word == sent(ASKED.changed(tools=(TOOL,), tool_choice="required"), known).get("tool_choice")


@pytest.mark.parametrize(
    "thinking, effort, word",
    [
        ("default_on", "none", "required"), ("default_on", "low", None), ("default_on", None, None), ("always", "none", None),
        ("optional", "low", None), ("optional", "none", "required"), ("none", "low", "required"),
    ],
    ids=str,
)  # fmt: skip
def test_a_demand_goes_by_the_effort(
    thinking: Literal["none", "optional", "default_on", "always"], effort: str | None, word: str | None
) -> None:
    """Where no call can be demanded of a model that thinks, it is the effort asked for that says whether it does."""
    known = Capabilities(thinking=thinking, forced_choice_with_thinking=False)
    request = ASKED.changed(tools=(TOOL,), tool_choice="required", settings=Settings(reasoning_effort=effort))
    assert word == sent(request, known).get("tool_choice")


def test_no_empty_offers() -> None:
    """Without tools there is neither a list nor a choice of them; with tools and no demand there is no choice."""
    assert {"model", "messages"} == set(sent(ASKED.changed(tool_choice="required")))
    assert {"model", "messages", "tools"} == set(sent(ASKED.changed(tools=(TOOL,))))


@pytest.mark.parametrize(
    "known, strict, wire",
    [
        (UNKNOWN, False, {"type": "json_schema", "json_schema": {"name": "City", "schema": SCHEMA}}),
        (UNKNOWN, True, {"type": "json_schema", "json_schema": {"name": "City", "schema": SCHEMA, "strict": True}}),
        (Capabilities(response_format_shape="tgi"), True, {"type": "json_schema", "value": {"name": "City", "schema": SCHEMA}}),
    ],
    ids=["plain", "strict", "tgi"],
)
def test_a_response_format(known: Capabilities, strict: bool, wire: JsonObject) -> None:
    """A response format is spelled in the endpoint's shape."""
    assert wire == sent(ASKED.changed(output_format=ANSWER.changed(strict=strict)), known)["response_format"]


def test_offers_are_made_once() -> None:
    """What does not change within an agent is built once and found again by identity; what is only equal is built anew."""
    offers, tools = Offers(UNKNOWN, offer_of), (TOOL,)
    request = ASKED.changed(tools=tools, output_format=ANSWER)
    first = offers.of(request)
    assert first is offers.of(ASKED.changed(tools=tools, output_format=ANSWER, messages=()))
    equal = request.changed(tools=(TOOL.changed(),))
    assert request.tools == equal.tools
    assert first is not offers.of(equal)
    assert first is not offers.of(request.changed(tool_choice="required"))
    assert first is not offers.of(request.changed(output_format=None))
    assert first is offers.of(request)
    assert {} == offers.of(ASKED)


def test_offers_do_not_grow_without_end() -> None:
    """Offers of many agents are forgotten again, and an id that is used anew finds nothing stale."""
    offers = Offers(UNKNOWN, offer_of)
    for number in range(200):
        tool = TOOL.changed(name=f"f{number}")
        body = offers.of(ASKED.changed(tools=(tool,)))
        assert f"f{number}" == at(body, "tools", 0, "function", "name")
    kept: Mapping[object, object] = vars(offers)["_kept"]
    assert len(kept) <= 32


def test_a_body_can_be_changed_without_harm() -> None:
    """What is dropped from one body is still in the offer of the next."""
    known = Capabilities(drop_params=frozenset({"tools"}))
    offers, request = Offers(known, offer_of), ASKED.changed(tools=(TOOL,))
    assert "tools" not in body_of(request, "m", known, offers.of(request))
    assert "tools" in offers.of(request)


# Settings


@pytest.mark.parametrize(
    "fields, wire",
    [
        ({}, {}),
        ({"temperature": 0.0, "top_p": 0.5, "seed": 0}, {"temperature": 0.0, "top_p": 0.5, "seed": 0}),
        ({"stop": ["a", "\ud800"]}, {"stop": ["a", "\\ud800"]}),
        ({"max_tokens": 5}, {"max_tokens": 5}),
        ({"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
        ({"parallel_tool_calls": False}, {"parallel_tool_calls": False}),
        ({"extra_body": {"temperature": 2, "x": [1]}, "temperature": 1}, {"temperature": 2, "x": [1]}),
        ({"timeout": 5, "extra_headers": {"x-key": "secret"}}, {}),
    ],
    ids=["none", "sampling", "stop", "cap", "effort", "parallel", "extra", "not-sent"],
)
def test_settings(fields: Mapping[str, object], wire: JsonObject) -> None:
    """What is set is sent, also where it is 0 or false; what is not set is not; extra fields have the last word."""
    assert wire == {name: value for name, value in sent(set_to(**fields)).items() if name not in ("model", "messages", "tools")}


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "max_output_tokens"])
def test_the_name_of_the_cap(name: str) -> None:
    """The token cap goes by the endpoint's name for it."""
    body = sent(set_to(max_tokens=5), Capabilities.model_validate({"max_tokens_param": name}))
    assert {name: 5} == {field: value for field, value in body.items() if field.startswith("max_")}


@pytest.mark.parametrize(
    "known, tools, sent_at_all",
    [
        (UNKNOWN, (TOOL,), True),
        (UNKNOWN, (), False),
        (Capabilities(parallel_switch="enforced"), (TOOL,), True),
        (Capabilities(parallel_switch="ignored"), (TOOL,), False),
        (Capabilities(parallel_switch="rejected"), (TOOL,), False),
    ],
    ids=["unknown", "no-tools", "enforced", "ignored", "rejected"],
)
def test_the_switch_for_parallel_calls(known: Capabilities, tools: tuple[ToolDefinition, ...], sent_at_all: bool) -> None:
    """The switch is sent beside tools only, and where it is heeded."""
    assert sent_at_all == ("parallel_tool_calls" in sent(set_to(parallel_tool_calls=False).changed(tools=tools), known))


def test_fields_that_an_endpoint_refuses_are_left_out() -> None:
    """Refused fields are not sent, by whatever name; unless the caller adds them by hand."""
    known = Capabilities(
        drop_params=frozenset({"temperature", "max_completion_tokens"}), max_tokens_param="max_completion_tokens"
    )
    assert {"model", "messages", "tools"} == set(sent(set_to(temperature=1, max_tokens=5), known))
    assert 1 == sent(set_to(temperature=0, extra_body={"temperature": 1}), known)["temperature"]


def test_tools_without_effort() -> None:
    """Where tools are refused beside any reasoning effort, none is asked for, unless the caller chose one."""
    known = Capabilities(tools_need_effort_none=True)
    assert "none" == sent(set_to(), known)["reasoning_effort"]
    assert "low" == sent(set_to(reasoning_effort="low"), known)["reasoning_effort"]
    assert "reasoning_effort" not in sent(ASKED, known)


# Any history


TEXTS = st.text(max_size=12) | st.sampled_from(["\ud800", "{}", '{"a": [1]}', "[]", "null", "NaN"])
MEDIA = st.builds(Image, data=st.binary(max_size=4), media_type=st.just("image/png")) | st.builds(Image, url=TEXTS)
USER = st.builds(Message, role=st.just("user"), parts=st.lists(st.builds(Text, text=TEXTS) | MEDIA, max_size=3))
SYSTEM = st.builds(Message.system, TEXTS)


@st.composite
def turns(draw: st.DrawFn) -> list[Message]:
    """A turn of the assistant with calls, each answered directly after it."""
    ids = draw(st.lists(TEXTS, unique=True, max_size=3))
    calls = [ToolCall(id=id, name=draw(TEXTS), arguments=draw(TEXTS)) for id in ids]
    spoken: list[Part] = [Text(text=draw(TEXTS)), Reasoning(text=draw(TEXTS))]
    answers = tuple(ToolResult(call_id=id, name="f", text=draw(TEXTS)) for id in ids)
    return [said(*spoken, *calls), *([Message(role="tool", parts=answers)] if answers else [])]


HISTORIES = st.lists(USER.map(lambda one: [one]) | SYSTEM.map(lambda one: [one]) | turns(), max_size=4).map(
    lambda groups: tuple(message for group in groups for message in group)
)
KNOWN = st.builds(
    Capabilities,
    system_role=st.sampled_from(["system", "developer", "user"]),
    multiple_system=st.booleans(),
    tool_call_id=st.sampled_from(["any", "alnum9"]),
    echo_reasoning=st.sampled_from(["no", "field", "tags", "required_on_tool_turns"]),
)


@given(messages=HISTORIES, known=KNOWN)
def test_any_history_can_be_sent(messages: tuple[Message, ...], known: Capabilities) -> None:
    """Any valid history has a JSON body, in which each call is answered once, directly after its turn, with JSON arguments."""
    wire = listed(wired(*messages, known=known))
    due: list[object] = []
    for place, message in enumerate(wire):
        role = at(message, "role")
        if role == "tool":
            assert at(message, "tool_call_id") == due.pop(0)
            continue
        assert not due, "a call was not answered"
        assert role != known.system_role or role == "user" or place == 0 or known.multiple_system
        calls = at(message, "tool_calls")
        due = [at(call, "id") for call in calls] if is_list(calls) else []
        for call in calls if is_list(calls) else ():
            assert isinstance(json.loads(str(at(call, "function", "arguments"))), dict)
    assert not due

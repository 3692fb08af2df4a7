"""`OpenAIResponses` over a real socket, sync and async: modes, statuses, refusals, calls, usage, errors, odd replies.

The shapes follow the types of openai-python 3.57 and OpenAI's public reference; no live service was asked.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from typing import cast

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json
from tests.providers.doors import GOOD, ONCE, SOON, Door, Ended, Options, ask_of, by_each_door, error
from tests.support import OSLO, City
from typing_extensions import Unpack

from settled import (
    Agent,
    Budget,
    Capabilities,
    Failure,
    Message,
    MisuseError,
    ModelRequest,
    ModelResponse,
    OutputMode,
    ProviderError,
    Reasoning,
    Settings,
    Success,
    Text,
    Tool,
    ToolCall,
    dump_messages,
    load_messages,
)
from settled.providers import OpenAIResponses, provider_named
from settled.providers.responses_envelope import read_response
from settled.providers.table import capabilities_of
from settled.testing import FakeServer, HttpReply, Refusal, Truncated
from settled.vocabulary.exchange import JsonObject
from settled.vocabulary.narrowing import is_list, is_mapping
from settled.vocabulary.stop import ContentFiltered, NoOutput, Refused

KEY = "canary-1234567890"
NOWHERE = "http://127.0.0.1:1/v1"
ASKED = ModelRequest(messages=(Message.user("Oslo?"),), mode="text")
KNOWN = capabilities_of("openai-responses", "gpt-5-mini")
MODES: tuple[OutputMode, ...] = ("native", "tool", "prompted")
REASK = Budget(transport_retries=0, output_retries=1)


def from_a_thread(model: OpenAIResponses) -> ModelResponse:
    """One request from a thread."""
    return model.request(ASKED, timeout=5.0)


def from_a_loop(model: OpenAIResponses) -> ModelResponse:
    """One request from a loop."""
    return asyncio.run(model.arequest(ASKED, timeout=5.0))


by_each_half = pytest.mark.parametrize("half", [from_a_thread, from_a_loop], ids=["sync", "async"])
Half = Callable[[OpenAIResponses], ModelResponse]


def text(said: object = OSLO, **fields: object) -> dict[str, object]:
    """A message item of one text."""
    content = [{"type": "output_text", "text": said}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content, **fields}


SEALED: JsonObject = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}


def body(*output: object, **fields: object) -> dict[str, object]:
    """The body of a Response with these items, and other fields."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": "m",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": list(output),
        "usage": {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18},
        **fields,
    }


def reply(*output: object, **fields: object) -> HttpReply:
    """A Response as a reply of the server."""
    return HttpReply(body=body(*output, **fields))


def ask(door: Door, *replies: object, known: Capabilities | None = None, **options: Unpack[Options]) -> Ended:
    """One run against a server with these replies, no more and no less."""
    with FakeServer(*replies, model="m") as server:
        with closing(OpenAIResponses("m", base_url=server.base_url, capabilities=known)) as model:
            ended = ask_of(door, model, **options)
        return ended._replace(requests=server.requests, connections=server.connections)


def heard(half: Half, *replies: object, known: Capabilities | None = None) -> ModelResponse:
    """The response to one request against a server with these replies."""
    with FakeServer(*replies, model="m") as server:
        url = server.base_url
        with closing(OpenAIResponses("m", base_url=url, capabilities=known)) as model:
            return half(model)


def sent(ended: Ended, request: int) -> list[Mapping[object, object]]:
    """The input items of a request."""
    items = (ended.requests[request].body or {})["input"]
    assert is_list(items)
    return [item for item in items if is_mapping(item)]


# The exchange


@pytest.mark.parametrize("mode", MODES)
@by_each_door
def test_each_mode(door: Door, mode: OutputMode) -> None:
    """Native, tool and prompted mode find the output, over `/responses`, with the fake's usage."""
    ended = ask(door, GOOD, mode=mode, known=KNOWN)
    assert GOOD == ended.success.output
    assert (11, 7) == (ended.success.usage.input_tokens, ended.success.usage.output_tokens)
    assert ["/v1/responses"] == [request.path for request in ended.requests]


@pytest.mark.parametrize("mode, field", [("native", "text"), ("tool", "tools"), ("prompted", "text")])
@by_each_door
def test_what_a_mode_asks_with(door: Door, mode: OutputMode, field: str) -> None:
    """Native mode sends a format, tool mode tools, prompted mode JSON mode, which is a format too."""
    ended = ask(door, GOOD, mode=mode, known=KNOWN)
    asked = set(ended.requests[0].body or {}) & {"text", "tools", "response_format", "messages"}
    assert {field} == asked


@by_each_door
def test_calls_and_their_results(door: Door) -> None:
    """A call is answered by an item behind it, with its id and the thought that led to it."""
    tool = Tool.of(look_up)
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_9", "name": "look_up", "arguments": '{"place":"Oslo"}'}
    ended = ask(door, reply(SEALED, call), GOOD, tools=[tool], mode="native", known=KNOWN)
    assert GOOD == ended.success.output
    thought, echo, result = sent(ended, 1)[-3:]
    assert SEALED == thought
    assert {"type": "function_call", "call_id": "call_9", "name": "look_up", "arguments": '{"place":"Oslo"}'} == echo
    assert {"type": "function_call_output", "call_id": "call_9", "output": "Oslo found"} == result


def look_up(place: str) -> str:
    """Look a place up."""
    return f"{place} found"


@by_each_door
def test_a_reask(door: Door) -> None:
    """What does not fit is asked for again, with the model's words and what is wrong with them."""
    ended = ask(door, "no idea", GOOD, mode="prompted")
    assert GOOD == ended.success.output
    assert ["user", "assistant", "user"] == [item["role"] for item in sent(ended, 1) if item["role"] != "system"]


# How it ends


@pytest.mark.parametrize(
    "fields, kind, raw",
    [
        ({"status": "completed"}, "stop", "completed"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length", "max_output_tokens"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter", "content_filter"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}}, "other", "steered"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_messages"}}, "other", "max_messages"),
        ({"status": "incomplete", "incomplete_details": None}, "other", "incomplete"),
        ({"status": "incomplete", "incomplete_details": "cut"}, "other", "incomplete"),
        ({"status": "failed"}, "error", "failed"),
        ({"status": "cancelled"}, "error", "cancelled"),
        ({"status": "in_progress"}, "other", "in_progress"),
        ({"status": "queued"}, "other", "queued"),
        ({"status": None}, "unspecified", None),
        ({"status": 7}, "unspecified", None),
    ],
    ids=[
        "completed", "length", "filter", "steered", "max-messages", "no-reason", "odd-reason", "failed", "cancelled",
        "in-progress", "queued", "null", "number",
    ],
)  # fmt: skip
@by_each_half
def test_each_status(half: Half, fields: Mapping[str, object], kind: str, raw: str | None) -> None:
    """The status, and the reason of an incomplete reply, are the finish reason; the server's word is kept."""
    finish = heard(half, reply(text(), **fields)).finish_reason
    assert (kind, raw) == (finish.kind, finish.raw)


@by_each_door
def test_a_refusal(door: Door) -> None:
    """A refusal ends the run with its text after one request."""
    ended = ask(door, Refusal("I will not say."))
    assert isinstance(ended.report.stop_reason, Refused)
    assert ("I will not say.", 1) == (ended.report.stop_reason.text, len(ended.requests))


@by_each_door
def test_cut_off(door: Door) -> None:
    """A reply that the cap cut off is asked for again with a larger one."""
    ended = ask(door, Truncated(OSLO[:-9]), GOOD, settings=Settings(max_tokens=100))
    assert GOOD == ended.success.output
    assert [100, 200] == [(one.body or {}).get("max_output_tokens") for one in ended.requests]


@pytest.mark.parametrize(
    "reply",
    [
        reply(text(), status="incomplete", incomplete_details={"reason": "content_filter"}),
        reply(status="failed", error={"code": "bio_policy", "message": "no"}),
        reply(status="failed", error={"code": "invalid_prompt", "message": "against our usage policy"}),
        error(400, "filtered", code="content_filter", content_filters=[{"blocked": True}]),
    ],
    ids=["status", "policy", "prompt", "Azure 400"],
)
@by_each_door
def test_filtered(door: Door, reply: HttpReply) -> None:
    """A content filter, in whatever form it comes, ends the run after one request."""
    ended = ask(door, reply)
    assert isinstance(ended.report.stop_reason, ContentFiltered)
    assert (1, False) == (len(ended.requests), ended.report.retryable)


@by_each_half
def test_usage(half: Half) -> None:
    """Tokens are read with their details; what a server does not tell is unknown."""
    told = {
        "input_tokens": 5,
        "input_tokens_details": {"cached_tokens": 3},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    usage = heard(half, reply(text(), usage=told)).usage
    assert (5, 4, 3, 2, True) == (
        usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens, usage.complete
    )  # fmt: skip
    assert not heard(half, reply(text(), usage=None)).usage.complete


# What a reply holds


@by_each_half
def test_only_the_final_answer_is_the_output(half: Half) -> None:
    """Of messages with a phase the final answer is the text; a remark on the way is kept beside it, under its phase."""
    response = heard(half, reply(text("Looking.", phase="commentary"), text("7", phase="final_answer")))
    assert (Reasoning(text="Looking.", phase="commentary"), Text(text="7", phase="final_answer")) == response.parts
    assert "7" == response.text


@by_each_door
def test_a_remark_alone_is_no_output(door: Door) -> None:
    """A reply that holds nothing but a remark is empty, and asked for again."""
    ended = ask(door, reply(text(phase="commentary")), reply(text(phase="commentary")), budget=REASK)
    assert isinstance(ended.report.stop_reason, NoOutput)
    assert 2 == len(ended.requests)


@by_each_door
def test_phases_outlive_a_run(door: Door) -> None:
    """The history of a run, kept as text and given to another, has its remarks, its sealed thoughts and its phases."""
    spoken = reply(SEALED, text("Looking.", phase="commentary"), text(phase="final_answer"))
    first = ask(door, spoken, mode="native", known=KNOWN)
    history = load_messages(dump_messages(first.success.messages))
    with FakeServer(GOOD) as server, closing(OpenAIResponses("m", base_url=server.base_url, capabilities=KNOWN)) as model:
        Agent(City, model=model, mode="native").run("And again?", history=history)
    again = first._replace(requests=server.requests)
    assert [
        SEALED,
        {"role": "assistant", "content": "Looking.", "phase": "commentary"},
        {"role": "assistant", "content": OSLO, "phase": "final_answer"},
    ] == sent(again, 0)[-4:-1]


@pytest.mark.parametrize(
    "item, parts",
    [
        ({"type": "reasoning", "id": "rs_1",
          "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]},
         (Reasoning(text="a\n\nb"),)),
        ({"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "a"}]},
         (Reasoning(text="a", id="rs_1"),)),
        ({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
         (Reasoning(text="", id="rs_1", signature="gAAA"),)),
        ({"type": "reasoning", "id": "rs_1", "summary": None}, ()),
        ({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": {"a": 1}},
         (ToolCall(id="c1", name="f", arguments='{"a":1}'),)),
        ({"type": "function_call", "id": "fc_1", "name": "f", "arguments": None}, (ToolCall(id="fc_1", name="f", arguments=""),)),
        ({"type": "message", "content": "7"}, (Text(text="7"),)),
        ({"content": [{"text": "7"}]}, (Text(text="7"),)),
        ({"type": "message", "content": [{"type": "output_text", "text": None}, {"type": "output_audio", "text": "no"}, 7]}, ()),
        ({"type": "message", "content": None}, ()),
        ({"type": "web_search_call", "content": [{"type": "output_text", "text": "no"}], "text": "no"}, ()),
        ("7", ()),
        (None, ()),
    ],
    ids=[
        "summary", "clear", "sealed", "no-thought", "arguments-object", "arguments-null", "text-content", "no-types",
        "other-content", "no-content", "other-item", "text-item", "null-item",
    ],
)  # fmt: skip
@by_each_half
def test_an_item(half: Half, item: object, parts: tuple[object, ...]) -> None:
    """Each item is read as far as it can be; what is not known is left out of the text."""
    assert parts == heard(half, reply(item)).parts


@by_each_half
def test_odd_replies_are_remarked_on(half: Half) -> None:
    """What was passed over, and what was odd, stands in the remarks."""
    search = {"type": "web_search_call", "status": "completed"}
    response = heard(half, reply(search, search, text("7"), {"type": "x" * 99}, model="other"))
    assert ("other_model", "other_item:web_search_call", f"other_item:{'x' * 40}") == response.remarks
    assert ("7", "resp_1", "other") == (response.text, response.id, response.model)


# Errors


@pytest.mark.parametrize(
    "status, fields, kind, retryable",
    [
        (401, {"code": "invalid_api_key"}, "auth", False),
        (404, {"code": "model_not_found"}, "not_found", False),
        (400, {"code": "context_length_exceeded"}, "context_overflow", False),
        (400, {"param": "text.format.schema", "code": "invalid_json_schema"}, "invalid_request", False),
        (402, {}, "quota", False),
        (429, {"code": "insufficient_quota"}, "quota", False),
        (429, {"code": "rate_limit_exceeded"}, "rate_limited", True),
        (500, {"code": "server_error"}, "server", True),
        (503, {"code": "server_is_overloaded"}, "overloaded", True),
    ],
    ids=["key", "model", "context", "schema", "credit", "quota", "rate", "server", "overloaded"],
)
@by_each_door
def test_errors_by_status(door: Door, status: int, fields: Mapping[str, object], kind: str, retryable: bool) -> None:
    """An error status is of the kind that its code or number names, as over Chat Completions."""
    ended = ask(door, HttpReply(status, body={"error": {"message": "no", **fields}}), budget=ONCE)
    assert (kind, retryable) == (ended.error.error_type, ended.report.retryable)


@pytest.mark.parametrize(
    "code, kind, retryable",
    [
        ("server_error", "server", True),
        ("rate_limit_exceeded", "rate_limited", True),
        ("vector_store_timeout", "timeout", True),
        ("invalid_prompt", "invalid_request", False),
        ("image_too_large", "invalid_request", False),
        ("something_new", "bad_response", True),
    ],
)
@by_each_door
def test_errors_of_a_failed_response(door: Door, code: str, kind: str, retryable: bool) -> None:
    """The error in a failed Response, with HTTP 200, is of the kind that its code names (openai-python: response_error.py)."""
    ended = ask(door, reply(status="failed", error={"code": code, "message": "bad thing"}), budget=ONCE)
    assert (kind, retryable) == (ended.error.error_type, ended.report.retryable)
    assert "bad thing" in ended.error.message


@by_each_door
def test_a_passing_error_is_asked_again(door: Door) -> None:
    """A fault that passes is followed by another attempt with the same key; the account tells of both."""
    ended = ask(door, HttpReply(503, SOON, body={"error": {"message": "busy"}}), GOOD)
    assert GOOD == ended.success.output
    assert ["overloaded"] == [fault.kind for fault in ended.transport]
    first, second = (request.headers["idempotency-key"] for request in ended.requests)
    assert first == second


@by_each_door
def test_a_refused_format_steps_down(door: Door) -> None:
    """Where ``text.format`` is refused by name, `auto` goes on in the next mode."""
    refused = error(400, "Unsupported", param="text.format", code="unsupported_value")
    ended = ask(door, refused, GOOD, known=Capabilities(json_schema="enforced", tools="enforced"))
    assert GOOD == ended.success.output
    assert "text" not in (ended.requests[1].body or {})


@pytest.mark.parametrize(
    "reply, said",
    [
        (reply(output=None), "the reply has no output"),
        (HttpReply(body={"id": "x", "object": "response"}), "the reply has no output"),
        (reply(output="7"), "the reply has no output"),
        (HttpReply(body={"error": {"message": "bad thing"}}), "HTTP 200 with an error: bad thing"),
        (HttpReply(body={"code": "x", "error": "bad thing"}), "HTTP 200 with an error: bad thing"),
        (reply(text(), error={"message": "bad thing"}), "HTTP 200 with an error: bad thing"),
        (HttpReply(headers={"content-type": "text/html"}, body="<html>Sign in</html>"), "no JSON but text/html"),
        (HttpReply(body=""), "the reply is empty"),
        (HttpReply(body='{"output": [,'), "broken JSON of 13 characters"),
        (HttpReply(body="[]"), "the reply is a JSON list, not an object"),
        (HttpReply(body='"7"'), "the reply is a JSON str, not an object"),
        (HttpReply(body="null"), "the reply is a JSON NoneType, not an object"),
        (HttpReply(body="[" * 100_000), "broken JSON of 100000 characters"),
        (HttpReply(body=body(text()), cut_after=50), "the reply broke off before its end"),
        (HttpReply(body='data: {"type": "response.created"}\n\n'), "broken JSON"),
    ],
    ids=[
        "null-output", "no-output", "text-output", "error", "error-text", "error-beside-answer", "html", "empty", "invalid",
        "list", "string", "null", "deep", "cut", "events",
    ],
)  # fmt: skip
@by_each_door
def test_no_answer(door: Door, reply: HttpReply, said: str) -> None:
    """What is no answer is a typed report with its reason; no bare exception leaves."""
    ended = ask(door, reply, budget=ONCE)
    assert "bad_response" == ended.error.error_type
    assert said in ended.error.message
    assert 1 == ended.report.usage.uncertain_requests


@by_each_door
def test_empty_output(door: Door) -> None:
    """A reply without items is an empty answer: asked for again, with a counted output retry."""
    assert GOOD == ask(door, reply(), GOOD, budget=REASK).success.output
    assert "no_output" == ask(door, reply(), reply(), budget=REASK).code


@by_each_half
def test_surrogates(half: Half) -> None:
    """JSON with what only Python reads is read all the same."""
    raw = '{"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "a\\ud800"}]}]}'
    assert "a\ud800" == heard(half, HttpReply(body=raw)).text


def test_depth_is_no_danger() -> None:
    """However deeply a reply is nested, it is read or refused; how deep Python can read is a matter of its version."""
    for depth in (100, 900, 3000, 30_000):
        nested = b"[" * depth + b"]" * depth
        for raw in (
            b'{"error":{"code":"server_error","message":' + nested + b"}}",
            b'{"output":[{"type":"function_call","name":"f","arguments":' + nested + b"}]}",
        ):
            with suppress(ProviderError):
                read_response(raw, {}, Capabilities(), "m")


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "reason", "code"]), inner, max_size=3)
    ),
    max_leaves=6,
)
ITEM = st.dictionaries(
    st.sampled_from(["role", "content", "phase", "id", "call_id", "name", "arguments", "summary"]), ANY
).flatmap(
    lambda item: st.sampled_from(["message", "reasoning", "function_call", "other"]).map(lambda kind: {**item, "type": kind})
)


@given(data=st.fixed_dictionaries({}, optional={
    "output": st.lists(ITEM | ANY, max_size=3) | ANY,
    **dict.fromkeys(("status", "incomplete_details", "error", "usage", "model", "id"), ANY),
}))  # fmt: skip
def test_any_shape_is_read_or_refused(data: object) -> None:
    """Whatever stands in its fields, a reply is read, or is a provider's error; nothing else leaves."""
    with suppress(ProviderError):
        response = read_response(to_json(data, inf_nan_mode="constants"), {}, Capabilities(), "m")
        assert response == ModelResponse.model_validate(response.model_dump())


# The provider


@by_each_half
def test_the_body_is_what_is_sent(half: Half) -> None:
    """`body` is what goes over the wire, to the letter."""
    with FakeServer("7") as server, closing(OpenAIResponses("m", base_url=server.base_url)) as model:
        assert "7" == half(model).text
    assert model.body(ASKED) == server.requests[0].body


@by_each_half
def test_a_key_is_never_shown(half: Half) -> None:
    """The key goes to the server, and into no repr, no exception and no pickle; also where the server repeats it."""
    with FakeServer(error(401, f"bad key {KEY}")) as server:
        model = OpenAIResponses("m", base_url=server.base_url, api_key=KEY)
        with closing(model), pytest.raises(ProviderError) as caught:
            half(model)
    assert f"Bearer {KEY}" == server.requests[0].headers["authorization"]
    assert KEY not in f"{caught.value} {caught.value!r} {model!r} {vars(model)!r} {vars(caught.value)!r}"
    assert KEY.encode() not in pickle.dumps(model)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"model": ""}, r"OpenAIResponses\(model=''\): name the model"),
        ({"client": openai.OpenAI(api_key=KEY), "api_key": KEY}, r"OpenAIResponses\(client=\.\.\.\): the client has its own key"),
        ({"client": object()}, "client=object: it has neither post nor responses.create"),
        ({"transport": "carrier pigeon"}, r"OpenAIResponses\(transport='carrier pigeon'\): there are httpx and aiohttp"),
        ({"max_concurrency": 0}, r"OpenAIResponses\(max_concurrency=0\): at least 1"),
    ],
    ids=["no-model", "client-and-key", "no-client", "transport", "no-places"],
)
def test_arguments_that_cannot_be(options: Mapping[str, object], words: str) -> None:
    """What cannot work is refused where it is given, in the name of this class."""
    made = cast("Callable[..., OpenAIResponses]", OpenAIResponses)
    with pytest.raises(MisuseError, match=words):
        made(**{"model": "m", **options})


@pytest.mark.parametrize(
    "base_url, name, known",
    [
        (None, "openai-responses", capabilities_of("openai-responses", "gpt-5")),
        ("https://api.deepseek.com", "deepseek-responses", capabilities_of("deepseek-responses", "gpt-5")),
        ("https://api.groq.com/openai/v1", "groq-responses", Capabilities()),
        (NOWHERE, "openai-compatible", Capabilities()),
    ],
    ids=["openai", "deepseek", "not-known-to-speak-it", "unknown"],
)
def test_the_service_is_known_by_its_address(
    base_url: str | None, name: str, known: Capabilities, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known is what is known of the service over this API, which is another thing than over Chat Completions."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model = OpenAIResponses("gpt-5", base_url=base_url, api_key=KEY)
    assert (name, known) == (model.name, model.capabilities())


def test_a_model_string_shares_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """`openai-responses:` has the key, the address and the connections of `openai:`, and is found again, also from a pickle."""
    with FakeServer("7", "8") as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        model, chat = provider_named("openai-responses:m"), provider_named("openai:m")
        assert isinstance(model, OpenAIResponses)
        assert ("openai-responses", Capabilities()) == (model.name, model.capabilities())  # at an unknown address
        assert model is provider_named("openai-responses:m") is pickle.loads(pickle.dumps(model))
        assert ["7", "8"] == [one.request(ASKED, timeout=5.0).text for one in (model, chat)]
        model.close()
    assert ["/v1/responses", "/v1/chat/completions"] == [request.path for request in server.requests]
    assert [1, 1] == [request.connection for request in server.requests]


def test_a_model_string_knows_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without another address, a model string has the row of its service over this API."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert KNOWN == provider_named("openai-responses:gpt-5-mini").capabilities()
    deepseek = provider_named("deepseek-responses:deepseek-chat")
    assert capabilities_of("deepseek-responses", "deepseek-chat") == deepseek.capabilities()


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_client_of_ones_own(is_async: bool) -> None:
    """The user's client carries the request, with its key."""
    with FakeServer(GOOD) as server:
        if is_async:

            async def run() -> City:
                async with openai.AsyncOpenAI(api_key=KEY, base_url=server.base_url) as client:
                    return await Agent(City, model=OpenAIResponses("m", client=client)).arun("Oslo?")

            assert GOOD == asyncio.run(run())
        else:
            with openai.OpenAI(api_key=KEY, base_url=server.base_url) as client:
                assert GOOD == Agent(City, model=OpenAIResponses("m", client=client)).run("Oslo?")
    assert f"Bearer {KEY}" == server.requests[0].headers["authorization"]


class _Responses:
    """What is like ``client.responses``."""

    def create(self, **asked: object) -> object:
        """A reply that repeats what it was asked."""
        return body(text(f"{asked['input']}"))


class _Like:
    """What is like a client, but has only the method of this API."""

    responses = _Responses()


def test_what_is_like_a_client() -> None:
    """Where there is no ``post``, ``responses.create`` is called."""
    model = OpenAIResponses("m", client=cast("openai.OpenAI", _Like()))
    assert "[{'role': 'user', 'content': 'Oslo?'}]" == from_a_thread(model).text


def test_a_large_reply_is_not_read_on() -> None:
    """The cap on replies holds here as well."""
    with FakeServer(HttpReply(reply="7", size=5000)) as server:
        model = OpenAIResponses("m", base_url=server.base_url, max_response_bytes=2000)
        with closing(model), pytest.raises(ProviderError, match="larger than 2000 bytes"):
            from_a_thread(model)


def test_runs_fail_and_settle() -> None:
    """`settle` gives the outcome as a value."""
    with FakeServer(7, HttpReply(402)) as server, closing(OpenAIResponses("m", base_url=server.base_url)) as model:
        agent = Agent(int, model=model)
        assert isinstance(agent.settle("How many?"), Success)
        assert isinstance(agent.settle("How many?"), Failure)

"""P01 to P25 as pure cases: what is odd in a reply and can be read is read, and what is no answer is a provider error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from settled import Capabilities, ModelResponse, ProviderError, Reasoning, Text, ToolCall, Usage
from settled.providers.envelope import read_reply
from settled.providers.reading import reply_in_error, usage_of
from settled.vocabulary.messages import Part
from settled.vocabulary.narrowing import is_object

JSON_TYPE = {"content-type": "application/json"}
UNKNOWN = Capabilities()


def body(message: object = None, *, finish: object = "stop", **fields: object) -> dict[str, object]:
    """A reply with one choice."""
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **fields}


def read(data: object, known: Capabilities = UNKNOWN, headers: Mapping[str, str] = JSON_TYPE) -> ModelResponse:
    """The response in JSON data, or in bytes."""
    return read_reply(data if isinstance(data, bytes) else json.dumps(data).encode(), headers, known, "m")


def refused(data: object) -> ProviderError:
    """The error that a reply is."""
    with pytest.raises(ProviderError) as caught:
        read(data)
    assert caught.value.__cause__ is None
    return caught.value


def parts_of(**message: object) -> tuple[Part, ...]:
    """What a message says."""
    return read(body(message)).parts


@pytest.mark.parametrize(
    "data, words",
    [
        pytest.param({"choices": []}, "no choices", id="P01-empty"),
        pytest.param({"choices": None}, "no choices", id="P02-null"),
        pytest.param({}, "no choices", id="P02-missing"),
        pytest.param({"choices": {"0": {}}}, "no choices", id="choices-object"),
        pytest.param({"choices": [7]}, "no choices", id="choice-number"),
        pytest.param({"choices": [None, None]}, "no choices", id="choices-null"),
        pytest.param({"error": {"message": "no upstream", "code": 502}, "choices": None}, "no upstream", id="P02-error"),
        pytest.param({"error": "of xAI"}, "of xAI", id="P02-error-text"),
        pytest.param(body({"content": "7"}, error={"message": "too late"}), "too late", id="P02-error-beside-choices"),
        pytest.param([{"error": {"message": "in a list"}}], "in a list", id="error-in-list"),
        pytest.param(body(None), "no message", id="P03-null"),
        pytest.param({"choices": [{"finish_reason": "stop"}]}, "no message", id="P03-missing"),
        pytest.param(body("7"), "no message", id="P03-text"),
        pytest.param([1, 2], "a JSON list, not an object", id="list"),
        pytest.param("busy", "a JSON str, not an object", id="string"),
        pytest.param(None, "a JSON NoneType, not an object", id="null"),
        pytest.param(b"", "the reply is empty", id="empty"),
        pytest.param(b" \n\r\n", "the reply is empty", id="P05-blank"),
        pytest.param(b"<html>Sign in</html>", "no JSON but application/json: <html>Sign in</html>", id="page"),
        pytest.param(b'{"choices": [', "broken JSON of 13 characters", id="P19-cut-off"),
        pytest.param(b"\xff\xfe{}", "broken JSON of 4 characters", id="no-text"),
        pytest.param(
            b'{"choices": [{"message": {"content": "caf\xe9"}}]}', "broken JSON", id="no-UTF-8-inside"
        ),
        pytest.param(b"[" * 100_000, "broken JSON of 100000 characters", id="deep"),
    ],
)  # fmt: skip
def test_what_is_no_answer(data: object, words: str) -> None:
    """A reply without an answer in it is a provider error that says what came, and may have been billed."""
    error = refused(data)
    assert words in error.message
    assert error.uncertain


def test_depth_is_no_danger() -> None:
    """However deeply a reply is nested, it is read or refused; how deep Python can read is a matter of its version."""
    for depth in (100, 900, 3000, 30_000):
        nested = b"[" * depth + b"]" * depth
        assert "bad_response" == refused(b'{"error":{"message":' + nested + b"}}").kind
        with suppress(ProviderError):
            read(b'{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":' + nested + b"}}]}}]}")


def test_errors_in_replies_keep_their_kind() -> None:
    """An error that came with HTTP 200 is what it would be with its own status."""
    assert ("overloaded", True) == (refused({"error": {"code": 503}}).kind, refused({"error": {"code": 503}}).retryable)
    assert "bad_response" == refused({}).kind


@pytest.mark.parametrize(
    "message, parts",
    [
        pytest.param({"content": "7"}, (Text(text="7"),), id="text"),
        pytest.param({"content": None}, (), id="P04-null"),
        pytest.param({}, (), id="P04-missing"),
        pytest.param({"content": ""}, (), id="P05-empty"),
        pytest.param({"content": "\n" * 1800}, (Text(text="\n" * 1800),), id="P05-newlines"),
        pytest.param({"content": ["a", {"type": "text", "text": "b"}, {"type": "reference"}, 7]},
                     (Text(text="a"), Text(text="b")), id="list"),
        pytest.param({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "h"}, {"text": "m"}, 1, {}]}, "7"]},
                     (Reasoning(text="hm"), Text(text="7")), id="list-thinking"),
        pytest.param({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "reasoning", "text": "so"}]},
                     (Reasoning(text="hm"), Reasoning(text="so")), id="list-thoughts"),
        pytest.param({"content": [{"type": "thinking"}]}, (Reasoning(text=""),), id="list-no-thought"),
        pytest.param({"content": {"value": 7}}, (), id="object"),
        pytest.param({"content": 7}, (), id="number"),
        pytest.param({"content": None, "reasoning_content": "hm"}, (Reasoning(text="hm"),), id="P16-reasoning_content"),
        pytest.param({"content": "7", "reasoning": "hm"}, (Reasoning(text="hm"), Text(text="7")), id="reasoning"),
        pytest.param({"content": "7", "reasoning_content": "", "reasoning": "hm"}, (Reasoning(text="hm"), Text(text="7")),
                     id="empty-reasoning_content"),
        pytest.param({"content": "7", "reasoning": [1]}, (Text(text="7"),), id="reasoning-list"),
        pytest.param({"content": "7", "tool_calls": "f"}, (Text(text="7"),), id="calls-text"),
        pytest.param({"content": "7", "tool_calls": []}, (Text(text="7"),), id="P14-no-calls"),
        pytest.param({"content": "", "tool_calls": [None, 7]}, (), id="calls-null"),
    ],
)  # fmt: skip
def test_what_a_message_says(message: Mapping[str, object], parts: tuple[Part, ...]) -> None:
    """Text and reasoning are found in each of their places and spellings; what is neither is left out."""
    assert parts == read(body(message)).parts


def named(name: str, arguments: str = "{}", id: str = "c1") -> ToolCall:
    """A call as it is read."""
    return ToolCall(id=id, name=name, arguments=arguments)


def function(arguments: object, **fields: object) -> dict[str, object]:
    """A call as a server sends it."""
    return {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}, **fields}


@pytest.mark.parametrize(
    "call, read_as",
    [
        pytest.param(function("{}"), named("f"), id="usual"),
        pytest.param(function("{}", type=None), named("f"), id="no-type"),
        pytest.param(function("{}", type=[1]), named("f"), id="type-list"),
        pytest.param(function("{}", id=None), named("f", id=""), id="P21-no-id"),
        pytest.param(function("{}", id=0), named("f", id=""), id="P21-number-id"),
        pytest.param(function("{}", id="x" * 300), named("f", id="x" * 300), id="P21-long-id"),
        pytest.param(function(""), named("f", ""), id="P22-empty"),
        pytest.param(function(None), named("f", ""), id="P22-null"),
        pytest.param(function("null"), named("f", "null"), id="P22-null-text"),
        pytest.param(function({"a": [1, None]}), named("f", '{"a":[1,null]}'), id="P22-object"),
        pytest.param(function([1]), named("f", "[1]"), id="P22-list"),
        pytest.param(function(True), named("f", "true"), id="P22-true"),
        pytest.param(function({"a": "\ud800"}), named("f", '{"a":"\\ud800"}'), id="P22-surrogate"),
        pytest.param(function({"a": float("nan")}), named("f", '{"a":NaN}'), id="P22-nan"),
        pytest.param({"id": "c1", "type": "function", "function": {"name": "f"}}, named("f", ""), id="P22-missing"),
        pytest.param({"id": "c1", "type": "function"}, named("", ""), id="no-function"),
        pytest.param({"id": "c1", "function": {"name": 7, "arguments": "{}"}}, named(""), id="no-name"),
        pytest.param({"id": "c1", "type": "custom", "custom": {"name": "f", "input": "x"}}, named("custom:f", "x"),
                     id="P23-custom"),
        pytest.param({"id": "c1", "type": "web"}, named("web:", ""), id="P23-empty"),
        pytest.param({"id": "c1", "type": "web", "function": {"name": "f", "arguments": "{}"}}, named("web:f"),
                     id="P23-function"),
    ],
)  # fmt: skip
def test_what_a_call_is(call: Mapping[str, object], read_as: ToolCall) -> None:
    """Calls are read in each spelling; one of another type than a function gets a name that no tool has."""
    assert (read_as,) == parts_of(content=None, tool_calls=[call])


def test_text_and_thoughts_stand_before_calls() -> None:
    """Parts come in one order: reasoning, text, calls."""
    kinds = [part.type for part in parts_of(content="so", reasoning="hm", tool_calls=[function("{}"), function("{}", id="c2")])]
    assert ["reasoning", "text", "tool_call", "tool_call"] == kinds


def test_older_spellings_of_calls() -> None:
    """The older ``function_call``, and one call that stands where a list is due, are read."""
    assert (named("f", id=""),) == parts_of(function_call={"name": "f", "arguments": "{}"})
    assert (named("f"),) == parts_of(tool_calls=function("{}"))


def test_several_choices() -> None:
    """P20: of several choices the first by index is taken, and the others are counted."""

    def choice(index: object, text: str) -> dict[str, object]:
        return {"index": index, "message": {"content": text}}

    response = read({"choices": [choice(2, "c"), choice(None, "?"), choice(0, "a"), choice(10**400, "z"), choice(1.5, "b")]})
    assert ("a", ("other_choices:4",)) == (response.text, response.remarks)
    assert "first" == read({"choices": [choice(None, "first"), choice("x", "second"), 7]}).text


@pytest.mark.parametrize(
    "told, refusal",
    [("I will not.", "I will not."), ("", None), (None, None), ({"why": 1}, None), ("a\ud800", "a\\ud800")],
    ids=["text", "empty", "null", "object", "surrogate"],
)
@pytest.mark.parametrize("content", [None, "7"], ids=["alone", "with-content"])
def test_a_refusal(told: object, refusal: str | None, content: str | None) -> None:
    """P13: a refusal is kept beside what else was said."""
    assert refusal == read(body({"content": content, "refusal": told})).refusal


@pytest.mark.parametrize(
    "word, kind, raw",
    [
        ("stop", "stop", "stop"), ("eos", "stop", "eos"), ("STOP", "stop", "STOP"), ("length", "length", "length"),
        ("model_length", "length", "model_length"), ("tool_calls", "tool_calls", "tool_calls"),
        ("content_filter", "content_filter", "content_filter"), ("insufficient_system_resource", "error", None),
        ("load", "other", "load"), ("", "other", ""), (None, "unspecified", None), (7, "unspecified", None),
        ({"type": "stop"}, "unspecified", None), ("\ud800", "other", "\\ud800"),
    ],
    ids=repr,
)  # fmt: skip
def test_finish_words(word: object, kind: str, raw: str | None) -> None:
    """P07, P12: each finish word is read, whatever its type and case, and kept as it came."""
    finish = read(body({"content": "7"}, finish=word)).finish_reason
    assert kind == finish.kind
    assert raw is None or raw == finish.raw


def test_a_finish_word_of_the_endpoint() -> None:
    """What an endpoint means by its own words is told by its capabilities; the word is kept."""
    known = Capabilities(finish_map={"matched_stop": "stop"})
    finish = read(body({"content": "7"}, finish="matched_stop"), known).finish_reason
    assert ("stop", "matched_stop") == (finish.kind, finish.raw)
    assert "other" == read(body({"content": "7"}, finish="else"), known).finish_reason.kind


@pytest.mark.parametrize(
    "told, usage",
    [
        pytest.param(None, Usage(requests=1, complete=False), id="null"),
        pytest.param([1], Usage(requests=1, complete=False), id="list"),
        pytest.param({}, Usage(requests=1, complete=False), id="empty"),
        pytest.param({"prompt_tokens": 5, "completion_tokens": 2}, Usage(requests=1, input_tokens=5, output_tokens=2),
                     id="whole"),
        pytest.param({"prompt_tokens": 5}, Usage(requests=1, input_tokens=5, complete=False), id="partial"),
        pytest.param({"prompt_tokens": -5, "completion_tokens": 2}, Usage(requests=1, output_tokens=2, complete=False),
                     id="negative"),
        pytest.param({"prompt_tokens": "5", "completion_tokens": 2.5}, Usage(requests=1, complete=False), id="text-and-fraction"),
        pytest.param({"prompt_tokens": True, "completion_tokens": None}, Usage(requests=1, complete=False), id="true-and-null"),
        pytest.param({"prompt_tokens": 0, "completion_tokens": 0}, Usage(requests=1, input_tokens=0, output_tokens=0), id="zero"),
        pytest.param(
            {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}, "cost": 0.00015,
             "completion_tokens_details": {"reasoning_tokens": 1}},
            Usage(requests=1, input_tokens=5, output_tokens=2, cached_tokens=3, reasoning_tokens=1, cost=Decimal("0.00015")),
            id="details",
        ),
        pytest.param({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": 3, "completion_tokens_details": "x"},
                     Usage(requests=1, input_tokens=5, output_tokens=2), id="odd-details"),
    ],
)  # fmt: skip
def test_usage(told: object, usage: Usage) -> None:
    """P06: tokens are counted as far as they are told believably; the rest is unknown, and the usage incomplete."""
    assert usage == usage_of(told)
    assert usage == read(body({"content": "7"}, usage=told)).usage


@pytest.mark.parametrize(
    "told, cost",
    [
        (0, Decimal(0)), ("0.5", Decimal("0.5")), (1e-7, Decimal("1E-7")), (-1, None), (True, None), (None, None), ("free", None),
        ("NaN", None), ("Infinity", None), (float("nan"), None), ("1e999999", None), ("1e999999999999999999999", None),
        ([1], None), ({"usd": 1}, None), (10**9, None),
    ],
    ids=repr,
)  # fmt: skip
def test_cost(told: object, cost: Decimal | None) -> None:
    """A cost is taken where it can be one."""
    assert cost == usage_of({"cost": told}).cost


@pytest.mark.parametrize(
    "headers, remarks",
    [
        ({"content-type": "application/json"}, ()),
        ({"content-type": "application/json; charset=utf-8"}, ()),
        ({"content-type": "Application/Problem+JSON ; charset=utf-8"}, ()),
        ({"content-type": "text/plain; charset=utf-8"}, ("content_type:text/plain",)),
        ({}, ("content_type:none",)),
    ],
    ids=["json", "charset", "problem", "plain", "missing"],
)
def test_a_wrong_content_type(headers: Mapping[str, str], remarks: tuple[str, ...]) -> None:
    """P18: JSON under another content type is read, with a remark."""
    response = read(body({"content": "7"}), headers=headers)
    assert ("7", remarks) == (response.text, response.remarks)


@pytest.mark.parametrize(
    "answered, remarks",
    [("m", ()), ("m-2026-07-01", ()), ("other", ("other_model",)), (None, ()), ("", ()), (7, ())],
    ids=["same", "dated", "other", "null", "empty", "number"],
)
def test_another_model(answered: object, remarks: tuple[str, ...]) -> None:
    """P24: a reply of another model than was asked is remarked; a dated name of the same is not."""
    response = read(body({"content": "7"}, model=answered, id="chatcmpl-1"))
    assert (remarks, "chatcmpl-1") == (response.remarks, response.id)
    assert response.model == (answered if isinstance(answered, str) and answered else None)


@pytest.mark.parametrize(
    "raw, text",
    [
        pytest.param(b'\xef\xbb\xbf{"choices":[{"message":{"content":"7"}}]}', "7", id="bom"),
        pytest.param(b'\n\n \n{"choices":[{"message":{"content":"7"}}]}\n', "7", id="keep-alive-lines"),
        pytest.param(b'{"choices":[{"message":{"content":"a\\ud800"}}]}', "a\ud800", id="surrogate"),
        pytest.param(b'{"created":NaN,"x":[Infinity],"choices":[{"message":{"content":"7"}}]}', "7", id="nan"),
        pytest.param(b'{"x":' + b"[" * 500 + b"]" * 500 + b',"choices":[{"message":{"content":"7"}}]}', "7", id="deep"),
        pytest.param(
            b'{"created":null,"object":7,"choices":[{"message":{"content":"7","audio":[]},"logprobs":1}]}', "7", id="rest"
        ),
        pytest.param(b'{"choices":[],"choices":[{"message":{"content":"7"}}]}', "7", id="twice"),
    ],
)
def test_odd_bodies(raw: bytes, text: str) -> None:
    """What a lenient reader can read is read, and fields that are not needed may be anything."""
    assert text == read(raw).text


def test_surrogates_are_written_out_where_nobody_else_does() -> None:
    """Ids and names of models have a JSON form; texts are cleaned by the core."""
    response = read(body({"content": "7"}, id="\ud800", model="m\ud800"))
    assert ("\\ud800", "m\\ud800") == (response.id, response.model)


COVERED = Capabilities(constraint_covers_thinking=True)


@pytest.mark.parametrize(
    "message, known, text",
    [
        ({"content": None, "reasoning_content": '{"a":1}'}, COVERED, '{"a":1}'),
        ({"content": "", "reasoning": '{"a":1}'}, COVERED, '{"a":1}'),
        ({"content": "7", "reasoning": '{"a":1}'}, COVERED, "7"),
        ({"content": None, "reasoning": '{"a":1}'}, UNKNOWN, ""),
        ({"content": None}, COVERED, ""),
    ],
    ids=["null-content", "empty-content", "content", "not-known", "no-thought"],
)
def test_the_payload_in_the_reasoning(message: Mapping[str, object], known: Capabilities, text: str) -> None:
    """P16: reasoning is taken for the answer only where nothing else was said, and the endpoint is known for it."""
    assert text == read(body(message), known).text


@pytest.mark.parametrize(
    "status, data",
    [
        (400, {"error": {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        (400, {"error": {"code": "ResponsibleAIPolicyViolation"}}),
        (400, {"error": {"type": "content_policy_violation", "code": None}}),
        (403, {"error": {"code": 403, "message": "flagged", "metadata": {"flagged_input": "x", "reasons": ["violence"]}}}),
        (400, {"error": {"code": "invalid_prompt", "message": "flagged as potentially violating our usage policy"}}),
    ],
    ids=["azure", "azure-inner", "openai-type", "openrouter", "openai"],
)
def test_filters_that_come_as_errors(status: int, data: object) -> None:
    """P12: a filter that answers with an HTTP error is a filtered reply, not an error; the prompt is not read out of it."""
    response = reply_in_error(status, data)
    assert response is not None
    assert ("content_filter", "", Usage(requests=1)) == (response.finish_reason.kind, response.text, response.usage)


@pytest.mark.parametrize("code", ["json_validate_failed", "tool_use_failed"])
@pytest.mark.parametrize(
    "written, text, kind",
    [
        ('{"a": tru}', '{"a": tru}', "stop"),
        ("", "", "stop"),
        ("max completion tokens reached before generating a valid document", "", "length"),
    ],
    ids=["written", "nothing", "cut"],
)
def test_what_the_model_wrote_comes_back_in_an_error(code: str, written: str, text: str, kind: str) -> None:
    """Groq gives back what did not fit: it is the reply, or the notice that the cap ended it."""
    response = reply_in_error(400, {"error": {"message": "no", "code": code, "failed_generation": written}})
    assert response is not None
    assert (text, kind, code) == (response.text, response.finish_reason.kind, response.finish_reason.raw)


@pytest.mark.parametrize(
    "status, data",
    [
        (400, {"error": {"code": "json_validate_failed"}}),
        (400, {"error": {"code": "json_validate_failed", "failed_generation": {"a": 1}}}),
        (400, {"error": {"code": "other", "failed_generation": "{}"}}),
        (400, {"error": {"code": "invalid_prompt", "message": "an empty prompt"}}),
        (400, {"error": {"metadata": {"flagged_input": "x"}}}),
        (403, {"error": {"metadata": {"provider_name": "x"}}}),
        (403, {"error": {"metadata": "flagged_input"}}),
        (500, "oops"),
        (500, None),
    ],
    ids=["no-generation", "object", "other-code", "no-policy", "other-status", "no-flag", "odd-metadata", "text", "nothing"],
)
def test_other_errors_are_no_replies(status: int, data: object) -> None:
    """Any other error is an error."""
    assert reply_in_error(status, data) is None


NAMES = ("choices", "message", "content", "tool_calls", "function_call", "function", "name", "arguments", "type", "text", "id",
         "index", "finish_reason", "usage", "prompt_tokens", "cost", "error", "code", "refusal", "reasoning", "thinking", "model",
         "metadata", "failed_generation", "custom", "input")  # fmt: skip
TEXTS = st.text(max_size=10) | st.sampled_from(["function", "thinking", "stop", "\ud800", "503"])
JSON: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | TEXTS, inner, max_size=6),
    max_leaves=15,
)


@given(message=JSON, choice=JSON, rest=JSON, covered=st.booleans())
def test_any_json_is_a_response_or_a_provider_error(message: object, choice: object, rest: object, covered: bool) -> None:
    """Whatever JSON a server sends, nothing but a provider error is raised, and a response has parts of the right types."""
    shaped: dict[str, object] = {"content": message, "tool_calls": [message], "refusal": message}
    said: object = message if is_object(message) else shaped
    first: dict[str, object] = {"message": said, "finish_reason": rest, "index": rest}
    whole: dict[str, object] = {"choices": [first, choice], "usage": rest, "model": rest, "id": rest}
    known = Capabilities(constraint_covers_thinking=covered)
    choices: tuple[dict[str, object], ...] = ({"choices": message}, {"choices": [choice]}, {"error": choice, "choices": []})
    bodies: tuple[object, ...] = (message, *choices, whole)
    for data in bodies:
        reply_in_error(403, data)
        with suppress(ProviderError):
            response = read(data, known)
            assert response == ModelResponse.model_validate(response.model_dump())
            assert to_json((response.id, response.model, response.refusal, response.finish_reason.raw))


@given(raw=st.binary(max_size=60), cut=st.integers(0, 80))
def test_any_bytes_are_a_response_or_a_provider_error(raw: bytes, cut: int) -> None:
    """Whatever bytes come, also in the middle of a good reply, nothing but a provider error is raised."""
    good = b'{"choices":[{"message":{"content":"7"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5}}'
    for data in (raw, good[:cut] + raw, good[:cut] + raw + good[cut:]):
        with suppress(ProviderError):
            read(data)

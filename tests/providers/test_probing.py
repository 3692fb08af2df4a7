"""The probe: from what a server answers to what is said of its model, and nothing beyond that."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias, cast

import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import ValidationError

from settled import Agent, Capabilities, MisuseError, ProviderError
from settled.providers import OpenAIChat, OpenAIResponses, ProbeReport, ProbeStep, probe
from settled.providers.hearing import heard_in, list_in, style_of
from settled.providers.probing import Probed
from settled.providers.questions import CODE, QUESTIONS
from settled.providers.refusals import Arrived
from settled.testing import FakeServer, HttpReply, ProfileName, SocketFault
from settled.vocabulary.exchange import JsonObject

KEY = "a-word-that-looks-like-no-key"
CALLS: dict[str, object] = {"tools": "best_effort", "choice_required": "enforced"}
PLAIN_ERROR: dict[str, object] = {"error_style": "openai"}
PLAIN = {"stream_usage": "enforced", "error_style": "openai"}
SCHEMAS = {"json_schema": "enforced", "json_object": "enforced", "stream_json_schema": True}
NEW, OLD = {"max_tokens_param": "max_completion_tokens"}, {"max_tokens_param": "max_tokens"}
EXPECTED: dict[ProfileName, dict[str, object]] = {
    "ollama": {
        **PLAIN, **SCHEMAS, **OLD, "tools": "best_effort", "choice_required": "ignored", "parallel_switch": "ignored",
        "coexist": "format_wins",
    },
    "vllm": {
        **PLAIN, **SCHEMAS, **NEW, **CALLS, "choice_named": "enforced", "parallel_switch": "enforced", "coexist": "format_wins",
        "context_window": 8192,
    },
    "lmstudio": {
        **PLAIN, **SCHEMAS, **OLD, **CALLS, "json_object": "rejected", "tool_strict": "ignored", "choice_named": "rejected",
        "parallel_switch": "ignored", "coexist": "format_wins", "error_style": "string",
    },
    "deepseek": {
        **PLAIN, **OLD, "json_schema": "rejected", "json_object": "enforced", "tools": "best_effort",
        "forced_choice_with_thinking": False, "thinking": "default_on", "reasoning_field": "reasoning_content",
        "parallel_switch": "ignored", "coexist": "ok",
    },
    "groq": {
        **PLAIN, **NEW, **CALLS, "json_schema": "rejected", "json_object": "enforced", "tool_strict": "ignored",
        "choice_named": "enforced", "parallel_switch": "enforced", "coexist": "error", "context_window": 131072,
    },
    "anthropic": {
        **PLAIN, **NEW, **CALLS, "json_schema": "ignored", "json_object": "ignored", "tool_strict": "ignored",
        "choice_named": "enforced", "parallel_switch": "enforced",
    },
    "llamacpp": {
        **SCHEMAS, **NEW, **CALLS, "choice_named": "ignored", "parallel_switch": "enforced", "coexist": "format_wins",
        "stream_usage": "enforced",
    },
    "html-proxy": {},
}  # fmt: skip


def seen_of(report: ProbeReport) -> dict[str, object]:
    """The fields that are set, and nothing else."""
    return {name: getattr(report.capabilities, name) for name in report.capabilities.model_fields_set}


def by_name(report: ProbeReport) -> Mapping[str, ProbeStep]:
    """The steps by their names."""
    return {step.name: step for step in report.steps}


def completion(content: str | None = "ready", *, finish: str = "stop", **message: object) -> JsonObject:
    """A reply of a server."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 5, "completion_tokens": 40 if finish == "stop" else 16}
    return cast("JsonObject", {"choices": [choice], "usage": usage})


def call(name: str = "note_code", **arguments: object) -> JsonObject:
    """A reply that calls a tool."""
    made = {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return completion(None, finish="tool_calls", tool_calls=[made])


def refusal(words: str, status: int = 400) -> HttpReply:
    """An error."""
    return HttpReply(status, body={"error": {"message": words, "type": "invalid_request_error"}})


def stream(*events: object, done: bool = True) -> HttpReply:
    """A reply as events."""
    return HttpReply(events=(*(f"data: {json.dumps(event)}" for event in events), *(["data: [DONE]"] if done else [])))


Answer: TypeAlias = JsonObject | HttpReply | SocketFault | Callable[[JsonObject], object] | None
"""What a server answers."""


class Server(NamedTuple):
    """How a server answers; where it is not said, so that nothing can be seen of it."""

    schema: Answer = None
    """To a JSON Schema."""
    json_object: Answer = None
    """To JSON mode."""
    forced: Answer = None
    """To a call that is demanded."""
    free: Answer = None
    """To tools that may be called."""
    together: Answer = None
    """To both."""
    after: Answer = None
    """To the result of a call."""
    streamed: Answer = None
    """To a stream."""
    capped: Answer = None
    """To a short cap."""
    other: Answer = None
    """To anything else."""

    def __call__(self, body: JsonObject) -> object:
        """The reply to a request."""
        answer = self._answer(body)
        made = answer(body) if callable(answer) else answer
        return HttpReply(body=cast("JsonObject", made)) if isinstance(made, dict) else made

    def _answer(self, body: JsonObject) -> Answer:
        has_format, has_tools = "response_format" in body, "tools" in body
        if 16 in (body.get("max_tokens"), body.get("max_completion_tokens")):
            return self.capped or completion(finish="length")
        if body.get("stream"):
            return self.streamed or completion()
        if has_format and has_tools:
            turns = cast("list[JsonObject]", body["messages"])
            return (self.after if len(turns) > 1 else self.together) or completion("")
        if has_format:
            mode = cast("JsonObject", body["response_format"])["type"]
            return (self.schema if mode == "json_schema" else self.json_object) or completion("")
        if has_tools:
            return (self.forced if body.get("tool_choice") else self.free) or completion("")
        return self.other or completion()


def probed(server: Server, *, timeout: float = 45.0) -> ProbeReport:
    """The report on a server."""
    with FakeServer(server, repeat=True) as served:
        return probe("fake", base_url=served.base_url, timeout=timeout)


@pytest.mark.parametrize("profile", EXPECTED)
def test_profile(profile: ProfileName) -> None:
    """Of each known server exactly the fields are set that its answers show."""
    with FakeServer(profile=profile) as server:
        report = probe("fake", base_url=server.base_url)
    assert EXPECTED[profile] == seen_of(report)
    assert (profile != "html-proxy") == report.answered
    assert len(report.steps) - 1 == len(server.requests)


def by_name_called(body: JsonObject) -> JsonObject:
    """A call of the second tool, where there are two."""
    return call("get_secret" if "get_secret" in str(body["tools"]) else "note_code", code=CODE)


def not_strict(body: JsonObject) -> object:
    """A call, unless the tool is strict."""
    return refusal("unknown: strict") if "strict" in str(body["tools"]) else call(code=CODE)


def without_options(body: JsonObject) -> object:
    """A stream without options, in one piece."""
    return refusal("stream_options?") if "stream_options" in body else completion()


def without_effort(body: JsonObject) -> object:
    """A call, if no effort goes into reasoning."""
    if body.get("reasoning_effort") != "none":
        return refusal("Function tools with reasoning_effort are not supported here")
    return call(code=CODE)


def without_switch(body: JsonObject) -> object:
    """Two calls, unless one is asked for."""
    if "parallel_tool_calls" in body:
        return refusal("parallel_tool_calls?")
    made = {"type": "function", "function": {"name": "get_secret", "arguments": "{}"}}
    return completion(None, finish="tool_calls", tool_calls=[{"id": "a", **made}, {"id": "b", **made}])


def broken_call(body: JsonObject) -> object:
    """A call whose arguments are no JSON."""
    made = {"id": "a", "type": "function", "function": {"name": "note_code", "arguments": "{"}}
    return completion(None, finish="tool_calls", tool_calls=[made])


def once_named(body: JsonObject) -> object:
    """A call, but nothing where it is named."""
    return call(code=CODE) if body["tool_choice"] == "required" else completion("")


def without_events(body: JsonObject) -> object:
    """A stream, but a reply in one piece where a schema holds it."""
    return completion(FITS) if "response_format" in body else READY


def without_schema(body: JsonObject) -> object:
    """A stream, unless a schema holds it."""
    return refusal("no stream") if "response_format" in body else READY


READY = stream({"choices": [{"delta": {"content": "ready"}, "finish_reason": "stop"}]})
FITS, LOOSE = f'{{"code": "{CODE}", "n": 7}}', '{"a": 1}'
UNMET = HttpReply(400, body={"error": {"message": "no", "code": "json_validate_failed", "failed_generation": "rain"}})
FILTERED = HttpReply(400, body={"error": {"message": "filtered", "code": "content_filter"}})
OBSERVED: dict[str, tuple[Server, dict[str, object]]] = {
    "schema enforced": (Server(schema=completion(FITS)), {"json_schema": "enforced"}),
    "schema enforced, cut": (Server(schema=completion(f'{{"code": "{CODE}", "n', finish="length")), {"json_schema": "enforced"}),
    "schema enforced after thinking": (Server(schema=completion(f"<think>{{}}</think>\n{FITS}")), {"json_schema": "enforced"}),
    "schema in the reasoning": (
        Server(schema=completion("", reasoning_content=FITS)),
        {"json_schema": "enforced", "constraint_covers_thinking": True},
    ),
    "other JSON": (Server(schema=completion(LOOSE)), {"json_schema": "best_effort"}),
    "JSON in a fence": (Server(schema=completion(f"```json\n{FITS}\n```")), {"json_schema": "best_effort"}),
    "schema not met": (Server(schema=UNMET), {"json_schema": "best_effort"}),
    "prose": (Server(schema=completion("It rains.")), {"json_schema": "ignored"}),
    "schema refused": (Server(schema=refusal("unknown field response_format")), {"json_schema": "rejected", **PLAIN_ERROR}),
    "schema refused as not found": (Server(schema=refusal("no endpoint", 404)), {"json_schema": "rejected", **PLAIN_ERROR}),
    "a word in quotes": (Server(schema=completion('"It rains."')), {"json_schema": "ignored"}),
    "elsewhere": (Server(schema=HttpReply(307, {"location": "/"}, body={})), {}),
    "JSON mode, a list": (Server(json_object=completion("[]")), {"json_object": "enforced"}),
    "JSON mode": (Server(json_object=completion(LOOSE)), {"json_object": "enforced"}),
    "JSON mode, a word in quotes": (Server(json_object=completion('"ready"')), {"json_object": "ignored"}),
    "JSON mode not met": (Server(json_object=UNMET), {"json_object": "best_effort"}),
    "forced call": (Server(forced=call(code=CODE)), {**CALLS, "choice_named": "ignored"}),
    "forced call, bad arguments": (
        Server(forced=call(code="rain")), {**CALLS, "choice_named": "ignored", "tool_strict": "ignored"},
    ),
    "named call": (
        Server(forced=by_name_called),
        {**CALLS, "choice_named": "enforced"},
    ),
    "forced call, broken arguments": (
        Server(forced=broken_call), {**CALLS, "choice_named": "ignored", "tool_strict": "ignored"},
    ),
    "forced, not met": (
        Server(forced=HttpReply(400, body={"error": {"message": "no", "code": "tool_use_failed", "failed_generation": "rain"}})),
        {},
    ),
    "forced, and then nothing": (Server(forced=once_named), CALLS),
    "tools without effort": (
        Server(forced=without_effort), {**CALLS, "choice_named": "ignored", "tools_need_effort_none": True, **PLAIN_ERROR},
    ),
    "the switch is refused": (
        Server(forced=call(code=CODE), free=without_switch),
        {**CALLS, "choice_named": "ignored", "parallel_switch": "rejected", **PLAIN_ERROR},
    ),
    "forced, words": (Server(forced=completion("Hello.")), {"choice_required": "ignored"}),
    "strict refused": (
        Server(forced=not_strict),
        {**CALLS, "choice_named": "ignored", "tool_strict": "rejected", **PLAIN_ERROR},
    ),
    "choice refused": (
        Server(forced=refusal("tool_choice?"), free=call(code=CODE)),
        {"tools": "best_effort", "choice_required": "rejected", **PLAIN_ERROR},
    ),
    "tools refused": (
        Server(forced=refusal("no tools"), free=refusal("no tools")),
        {"tools": "rejected", **PLAIN_ERROR},
    ),
    "both, call first, then JSON": (
        Server(schema=completion(FITS), together=call("get_secret"), after=completion(FITS)),
        {"json_schema": "enforced", "tools": "best_effort", "coexist": "ok"},
    ),
    "both, call first, then prose": (
        Server(schema=completion(FITS), together=call("get_secret"), after=completion("It is 41.")),
        {"json_schema": "enforced", "tools": "best_effort", "coexist": "tools_win"},
    ),
    "both, call first, then a refusal": (
        Server(schema=completion(FITS), together=call("get_secret"), after=refusal("no")),
        {"json_schema": "enforced", "tools": "best_effort", **PLAIN_ERROR},
    ),
    "both, JSON at once": (
        Server(schema=completion(FITS), free=call(code=CODE), together=completion(FITS)),
        {"json_schema": "enforced", "tools": "best_effort", "coexist": "format_wins"},
    ),
    "both, JSON at once, of a model that never calls": (
        Server(schema=completion(FITS), together=completion(FITS)), {"json_schema": "enforced"},
    ),
    "both refused": (
        Server(json_object=completion("{}"), together=refusal("not both")),
        {"json_object": "enforced", "coexist": "error", **PLAIN_ERROR},
    ),
    "usage in the stream": (
        Server(streamed=stream({"choices": [{"delta": {"content": "ready"}}]}, {"choices": [], "usage": {"prompt_tokens": 1}})),
        {"stream_usage": "enforced", "finish_optional_in_stream": True},
    ),
    "no usage in the stream": (
        Server(streamed=stream({"choices": [{"delta": {"content": "ready"}, "finish_reason": "stop"}]})),
        {"stream_usage": "ignored"},
    ),
    "streams refused": (Server(streamed=refusal("no streams")), PLAIN_ERROR),
    "a broken stream": (Server(streamed=stream({"error": {"message": "oops"}})), {}),
    "an empty stream": (Server(streamed=stream()), {}),
    "a stream of schemas in one piece": (
        Server(schema=completion(FITS), streamed=without_events), {"json_schema": "enforced", "stream_usage": "ignored"},
    ),
    "stream_options refused": (
        Server(streamed=without_options),
        {"stream_usage": "rejected", **PLAIN_ERROR},
    ),
    "streams of schemas refused": (
        Server(
            schema=completion(FITS),
            streamed=without_schema,
        ),
        {"json_schema": "enforced", "stream_usage": "ignored", "stream_json_schema": False, **PLAIN_ERROR},
    ),
    "thinking": (
        Server(other=completion("ready"), capped=completion("", finish="length", reasoning="hm")),
        {"thinking": "default_on", "reasoning_field": "reasoning"},
    ),
    "thinking in tags": (Server(capped=completion("<think>hm", finish="length")), {"thinking": "default_on"}),
}  # fmt: skip


@pytest.mark.parametrize("server, seen", OBSERVED.values(), ids=OBSERVED)
def test_what_is_seen(server: Server, seen: dict[str, object]) -> None:
    """An answer sets the fields that it shows, and no others."""
    assert {**NEW, **seen} == seen_of(probed(server))


UNAVAILABLE: dict[str, HttpReply | SocketFault] = {
    "a limit": HttpReply(429, body={"error": {"message": "slow down"}}),
    "a fault of the server": HttpReply(500, body={"error": {"message": "oops", "type": "server_error"}}),
    "overloaded": HttpReply(503, body={"error": {"message": "busy"}}),
    "a broken connection": SocketFault("reset"),
    "a page": HttpReply(headers={"content-type": "text/html"}, body="<html>Sign in</html>"),
    "a filter": HttpReply(400, body={"error": {"message": "filtered", "code": "content_filter"}}),
    "a template": HttpReply(500, body={"error": {"message": "Jinja Exception: no"}}),
    "only thoughts": HttpReply(body=completion("", finish="length", reasoning_content="hm")),
}


@pytest.mark.parametrize("reply", UNAVAILABLE.values(), ids=UNAVAILABLE)
def test_unavailable_is_not_unsupported(reply: HttpReply | SocketFault) -> None:
    """What came to nothing sets no field, whatever it was that came."""
    report = probed(Server(schema=reply))
    assert "json_schema" not in report.capabilities.model_fields_set
    assert "unavailable" == by_name(report)["schema"].status
    assert report.is_whole


def test_too_late() -> None:
    """A reply that comes too late is unavailable."""
    report = probed(Server(schema=HttpReply(body=completion(FITS), delay=5)), timeout=0.3)
    assert "unavailable" == by_name(report)["schema"].status
    assert by_name(report)["schema"].came.startswith("timeout")
    assert "json_schema" not in report.capabilities.model_fields_set


def test_more_tokens_where_the_cap_came_first() -> None:
    """A reply that the cap cut before it began is asked for again, once, with more tokens."""

    def schema(body: JsonObject) -> JsonObject:
        return completion(FITS) if body["max_completion_tokens"] == 1024 else completion("", finish="length")

    report = probed(Server(schema=schema))
    assert "enforced" == report.capabilities.json_schema
    assert ["unavailable", "observed"] == [by_name(report)[name].status for name in ("schema", "schema again")]


def test_enough_of_failures() -> None:
    """After three questions in a row that came to nothing the probe ends, and keeps what it has."""
    busy = UNAVAILABLE["overloaded"]
    report = probed(Server(streamed=busy, schema=busy, json_object=busy))
    assert NEW == seen_of(report)
    assert "3 questions in a row came to nothing" == report.ended
    assert (report.answered, report.is_whole) == (True, False)
    assert ["models", "cap", "stream", "schema", "object"] == [step.name for step in report.steps]


@pytest.mark.parametrize(
    "reply, kind",
    [
        (HttpReply(401, body={"error": {"message": f"bad key {KEY}"}}), "auth"),
        (HttpReply(429, body={"error": {"message": f"pay, {KEY}", "code": "insufficient_quota"}}), "quota"),
        (HttpReply(402, body={"error": {"message": "no credit"}}), "quota"),
        (SocketFault("close"), "connection"),
    ],
    ids=["key", "quota", "credit", "connection"],
)
def test_ends_at_once(reply: HttpReply | SocketFault, kind: str) -> None:
    """Where the first answer is that the key is wrong, the credit is gone or nobody is there, nothing more is asked."""
    with FakeServer(reply, repeat=True) as server, pytest.raises(ProviderError) as raised:
        probe("fake", base_url=server.base_url, api_key=KEY)
    assert kind == raised.value.kind
    assert KEY not in str(raised.value)
    assert 1 == len(server.requests)


def test_nobody_there() -> None:
    """Where nobody listens, that is told by the first question."""
    with pytest.raises(ProviderError) as raised:
        probe("fake", base_url=FakeServer.refusing_url())
    assert "connection" == raised.value.kind


def test_credit_that_runs_out() -> None:
    """Where the credit is gone in the middle, the probe ends, and keeps what it has."""
    report = probed(Server(schema=HttpReply(402, body={"error": {"message": "no credit"}})))
    assert NEW == seen_of(report)
    assert report.answered
    assert report.ended is not None
    assert report.ended.startswith("quota")
    assert "schema" == report.steps[-1].name


NO_ANSWERS: dict[str, HttpReply] = {
    "refused": refusal("what is this?"),
    "no such model": refusal("The model does not exist", 404),
    "a page": HttpReply(headers={"content-type": "text/html"}, body="<html>"),
    "overloaded": HttpReply(503, body={"error": {"message": "busy"}}),
}


@pytest.mark.parametrize("reply", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_no_answer_to_a_plain_request(reply: HttpReply) -> None:
    """A server that does not answer a plain request is asked nothing else, and nothing is known of it but how it refuses."""
    report = probed(Server(capped=reply))
    assert {"error_style"} >= set(seen_of(report))
    assert "a plain request has no answer" == report.ended
    assert not report.answered
    assert {"models", "cap", "old cap"} >= {step.name for step in report.steps}


CAPPED: dict[str, tuple[dict[str, object], dict[str, str]]] = {
    "the new name is refused": (
        {"max_completion_tokens": refusal("unknown field max_completion_tokens")},
        {"max_tokens_param": "max_tokens", "error_style": "openai"},
    ),
    "the new name is ignored": ({"max_completion_tokens": completion("one, two")}, OLD),
    "both are ignored": ({"max_completion_tokens": completion("one"), "max_tokens": completion("one")}, {}),
}


@pytest.mark.parametrize("replies, seen", CAPPED.values(), ids=CAPPED)
def test_name_of_the_cap(replies: dict[str, object], seen: dict[str, str]) -> None:
    """The name of the token cap is the one that cuts a reply."""

    def capped(body: JsonObject) -> object:
        named = next(name for name in ("max_completion_tokens", "max_tokens") if name in body)
        reply = replies.get(named, completion(finish="length"))
        return HttpReply(body=cast("JsonObject", reply)) if isinstance(reply, dict) else reply

    assert seen == seen_of(probed(Server(capped=capped)))


def test_what_the_questions_hold_back() -> None:
    """The enum is in no prompt, no temperature is sent, and each request is small and whole in itself."""
    with FakeServer(profile="vllm") as server:
        probe("fake", base_url=server.base_url)
    for request in server.requests:
        assert request.body is not None
        assert CODE not in json.dumps(request.body["messages"])
        assert "temperature" not in request.body
        assert len(request.raw) < 1500
        assert (request.body.get("max_tokens") or request.body.get("max_completion_tokens")) in (512, 16)


def test_more_tokens_for_a_model_that_thinks() -> None:
    """A model that thinks gets a larger cap."""
    with FakeServer(profile="deepseek") as server:
        probe("fake", base_url=server.base_url)
    caps = [request.body["max_tokens"] for request in server.requests if request.body and "max_tokens" in request.body]
    assert [16, *[1024] * (len(caps) - 1)] == caps


def test_no_key_anywhere(tmp_path: Path) -> None:
    """The key is sent, and stands in no output: a server that repeats it in an error is not quoted with it."""

    def echo(words: str) -> HttpReply:
        return refusal(f"{words}: your key is {KEY}")

    server = Server(schema=echo("response_format"), json_object=echo("json"), forced=echo("tool_choice"), free=echo("tools"))
    steps: list[ProbeStep] = []
    with FakeServer(server, repeat=True) as served:
        report = probe("fake", base_url=served.base_url, api_key=KEY, progress=steps.append)
        assert {f"Bearer {KEY}"} == {request.headers["authorization"] for request in served.requests}
    report.save(tmp_path / "p.json")
    told = [str(report), repr(report), report.model_dump_json(), (tmp_path / "p.json").read_text(), *map(str, steps)]
    assert "[hidden]" in told[0]
    assert not [text for text in told if KEY in text]


@pytest.mark.parametrize(
    "given, shown",
    [
        (f"http://me:{KEY}@127.0.0.1:1/v1?key={KEY}#{KEY}", "http://127.0.0.1:1/v1"),
        ("http://[::1]:1/v1", "http://[::1]:1/v1"),
        ("http://[::1/v1", None),
        (None, None),
    ],
    ids=["password", "plain", "broken", "none"],
)
def test_no_password_in_the_address(given: str | None, shown: str | None) -> None:
    """The address of a provider is shown without user, password and query."""
    assert shown == OpenAIChat("m", base_url=given, api_key=KEY).address


def test_what_was_heard_is_not_shown() -> None:
    """An answer does not show what the model wrote."""
    arrived = Arrived(200, {}, json.dumps(completion(KEY)).encode())
    assert "Heard(a reply)" == repr(heard_in(arrived, "m"))


def test_list_that_is_none() -> None:
    """A list of models without rows, or of another shape, says nothing; a key that may not list is no reason to end."""
    for reply in (b"[]", b'{"data": 3}', b"<html>"):
        assert list_in(Arrived(200, {}, reply)).error is not None
    refused = list_in(Arrived(404, {}, b"{}"))
    assert refused.refusal is not None


def test_shapes_of_errors() -> None:
    """The shape of an error is told where it is one of the known ones."""
    bodies: list[object] = [[{"error": {}}], {"error": "no"}, {"error": {"message": "no"}}, {"error": 3}, {"detail": "no"}, "no"]
    assert ["google", "string", "openai", None, None, None] == [style_of(body) for body in bodies]


def test_report_as_json() -> None:
    """A report survives JSON, with only those fields set that were seen."""
    with FakeServer(profile="groq") as server:
        report = probe("fake", base_url=server.base_url)
    again = ProbeReport.model_validate_json(report.model_dump_json())
    assert report == again
    assert seen_of(report) == seen_of(again)
    with pytest.raises(ValidationError):
        report.__setattr__("model", "other")


def test_report_for_people() -> None:
    """As text the report shows what was found, what came of each question, and what it cost."""
    with FakeServer(profile="lmstudio") as server:
        report = probe("fake", base_url=server.base_url)
    lines = str(report).splitlines()
    assert f"probed  openai-compatible:fake at {server.base_url}" == lines[0]
    assert f"asked   {len(report.steps)} questions, {report.usage.total_tokens} tokens" in lines[1]
    assert "  json_object         rejected" in lines
    assert any(line.startswith("  object         refused: HTTP 400") for line in lines)
    assert report.usage.total_tokens == sum((report.usage.input_tokens or 0, report.usage.output_tokens or 0))
    assert "object: refused: HTTP 400" in str(by_name(report)["object"])
    assert str(by_name(report)["object"]).endswith("-> json_object=rejected, error_style=string")


def test_progress() -> None:
    """Each step is told when it is done, in the order of the table."""
    steps: list[ProbeStep] = []
    with FakeServer(profile="vllm") as server:
        report = probe("fake", base_url=server.base_url, progress=steps.append)
    assert list(report.steps) == steps
    order = [question.name for question in QUESTIONS]
    assert [name for name in order if name in by_name(report)] == [step.name for step in steps]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The file of a probe of a server that enforces schemas."""
    with FakeServer(profile="lmstudio") as server:
        report = probe("fake", base_url=server.base_url)
    report.save(tmp_path / "probed.json")
    return tmp_path / "probed.json"


def test_saved_file(saved: Path, tmp_path: Path) -> None:
    """The file is for its owner only, replaces what was there, and leaves nothing beside it."""
    report = ProbeReport.model_validate_json(saved.read_bytes())
    saved.chmod(0o644)
    report.save(saved)
    assert [saved] == list(tmp_path.iterdir())
    assert report == ProbeReport.model_validate_json(saved.read_bytes())
    if os.name == "posix":
        assert 0o600 == stat.S_IMODE(saved.stat().st_mode)


@pytest.mark.parametrize("place", ["nowhere/p.json", "a\0b", "."], ids=["no folder", "no name", "a folder"])
def test_saved_nowhere(place: str, saved: Path, tmp_path: Path) -> None:
    """A place where no file can be is misuse, and nothing is left behind."""
    report = ProbeReport.model_validate_json(saved.read_bytes())
    with pytest.raises(MisuseError):
        report.save(tmp_path / place)
    assert [saved] == list(tmp_path.iterdir())


def test_file_given_to_a_provider(saved: Path) -> None:
    """Given to a provider, what the probe found changes the mode that ``auto`` resolves to, and says so."""
    address = "http://127.0.0.1:1/v1"
    assert "prompted" == Agent(int, model=OpenAIChat("fake", base_url=address)).explain().mode
    model = OpenAIChat("fake", base_url=address, capabilities=saved)
    explained = Agent(int, model=model).explain()
    assert "native" == explained.mode
    assert explained.evidence[0].source.startswith("a probe of 2")
    assert explained.evidence[0].source.endswith("given to the provider: probed.json")
    assert "enforced" == OpenAIResponses("fake", base_url=address, capabilities=str(saved)).capabilities().json_schema


def test_file_given_to_an_agent(saved: Path) -> None:
    """Given to an agent, it does the same; the file is read once, also for changed copies."""
    agent = Agent(int, model=OpenAIChat("fake", base_url="http://127.0.0.1:1/v1"), capabilities=saved)
    saved.unlink()
    copy = agent.with_(name="copy")
    for explained in (agent.explain(), copy.explain()):
        assert "native" == explained.mode
        assert explained.evidence[0].source.endswith("given to the agent: probed.json")
    with pytest.raises(MisuseError, match="No such file"):
        agent.with_(capabilities=str(saved))


def test_only_what_was_seen_goes_over_the_table(saved: Path) -> None:
    """What the probe did not see stays as the table has it."""
    model = OpenAIChat("llama", base_url="https://api.groq.com/openai/v1", api_key="any", capabilities=saved)
    assert ("enforced", True) == (model.capabilities().json_schema, model.capabilities().multiple_system)


def test_record_in_a_file(tmp_path: Path) -> None:
    """A file may also hold a bare record; then it is no probe."""
    path = tmp_path / "known.json"
    path.write_text(Capabilities(json_schema="enforced").model_dump_json(exclude_unset=True), encoding="utf-8")
    agent = Agent(int, capabilities=path)
    assert "json_schema=enforced (given to the agent: known.json)" == str(agent.explain().evidence[0])


BROKEN = {
    "no JSON": ("{", "look at the text"),
    "a list": ("[]", "look at the text"),
    "other fields": ('{"colour": "red"}', "look at colour"),
    "a probe with other fields": ('{"capabilities": {"colour": "red"}}', "look at colour"),
    "a probe without fields": ('{"capabilities": null}', "look at capabilities"),
}


@pytest.mark.parametrize("text, words", BROKEN.values(), ids=BROKEN)
def test_broken_file(text: str, words: str, tmp_path: Path) -> None:
    """A file that holds something else is misuse, and the message says where to look."""
    path = tmp_path / "known.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MisuseError, match=words):
        Agent(int, capabilities=path)


def test_a_provider_is_probed_as_it_is() -> None:
    """A provider object is asked with its own client and address, and is not closed."""
    with FakeServer(profile="anthropic") as server, OpenAI(base_url=server.base_url, api_key=KEY) as client:
        model = OpenAIChat("fake", client=client)
        report = probe(model)
        assert ("ignored", f"{server.base_url}/") == (report.capabilities.json_schema, report.address)
        assert "ignored" == probe(model).capabilities.json_schema


def test_a_model_string() -> None:
    """A model string is probed as an agent would ask it."""
    with FakeServer(profile="ollama") as server:
        report = probe(f"{server.base_url}#fake")
    assert ("ignored", "fake") == (report.capabilities.choice_required, report.model)


def test_what_is_only_like_a_client() -> None:
    """What has a ``create`` but no ``post`` is probed as well; it lists no models."""
    with FakeServer(profile="anthropic") as server, OpenAI(base_url=server.base_url, api_key=KEY, max_retries=0) as client:

        class Like:
            chat = client.chat

        report = probe(OpenAIChat("fake", client=cast("OpenAI", Like())))
    assert "no list of models: this client lists no models" == report.steps[0].came
    assert "ignored" == report.capabilities.json_object


MISUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a key for a string": (lambda: probe("openai:gpt-5-mini", api_key=KEY), "go together with the name of a model"),
    "an address for a provider": (lambda: probe(OpenAIChat("m", api_key=KEY), base_url="http://a/v1"), "a provider has its own"),
    "Responses": (lambda: probe(cast("Probed", OpenAIResponses("m", api_key=KEY))), "give an OpenAIChat"),
    "no provider": (lambda: probe(cast("Probed", 3)), r"probe\(int\)"),
    "no time": (lambda: probe("m", base_url="http://127.0.0.1:1/v1", timeout=0), "above 0"),
    "an async client": (lambda: probe(OpenAIChat("m", client=AsyncOpenAI(api_key=KEY))), "works with arun"),
    "no service": (lambda: probe("nowhere:m"), "no service 'nowhere'"),
}


@pytest.mark.parametrize("misuse, words", MISUSED.values(), ids=MISUSED)
def test_misuse(misuse: Callable[[], object], words: str) -> None:
    """What cannot be probed is misuse before anything is sent."""
    with pytest.raises(MisuseError, match=words):
        misuse()


def test_the_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ``api_key`` the key for an unknown address is that of ``SETTLED_API_KEY``."""
    monkeypatch.setenv("SETTLED_API_KEY", KEY)
    with FakeServer(profile="html-proxy") as server:
        probe("fake", base_url=server.base_url)
    assert f"Bearer {KEY}" == server.requests[0].headers["authorization"]

"""Why one model call ended: the words of servers, what is made of them, and that each call keeps its own."""

from __future__ import annotations

from contextlib import closing
from typing import get_args

import pytest
from tests.behaviours.doors import Door, failed, succeeded
from tests.support import City

from settled import (
    Agent,
    Budget,
    FinishReason,
    Message,
    ModelResponse,
    ProviderError,
    Reasoning,
    Settings,
    Text,
    ToolCall,
)
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply, ScriptedProvider, Truncated
from settled.vocabulary.finish import FinishDialect, FinishKind
from settled.vocabulary.stop import StopCode

OSLO = City(name="Oslo", people=700_000)
LOOK_UP = ToolCall(id="c1", name="look_up", arguments="{}")
KNOWN: tuple[FinishKind, ...] = ("stop", "length", "tool_calls", "content_filter")


def look_up() -> str:
    """Look it up."""
    return "700000 people"


def wire(word: str | None, text: str = "7") -> HttpReply:
    """A Chat Completion of one text that ended with this word."""
    message = {"role": "assistant", "content": text}
    return HttpReply(body={"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": word}]})


@pytest.mark.row("F1", "V7")
def test_the_kinds() -> None:
    """There are the kinds of both ancestors, less the one that is no word of a server: rounds of tools used up."""
    assert {"stop", "length", "tool_calls", "content_filter", "error", "other", "unspecified"} == set(get_args(FinishKind))


@pytest.mark.row("F1")
@pytest.mark.parametrize("word", ["pause_turn", "", "a word of next year", "other", "unspecified"])
def test_any_word_has_a_kind(word: str) -> None:
    """Whatever a server invents is of the kind ``other``, so a match over the kinds needs no arm for words unheard of."""
    assert "other" == FinishReason.from_wire(word).kind


@pytest.mark.row("F2")
@pytest.mark.parametrize("kind", KNOWN)
def test_case_is_ignored(kind: FinishKind) -> None:
    """The four common words are known in any case; what was sent stays beside the kind."""
    for word in (kind, kind.upper(), kind.title()):
        assert (kind, word) == (FinishReason.from_wire(word).kind, FinishReason.from_wire(word).raw)


@pytest.mark.row("F2")
@pytest.mark.parametrize("word", ["ſtop", "ſTOP", "ＳＴＯＰ", " stop", "stop\n"], ids=ascii)
def test_only_the_case_is_ignored(word: str) -> None:
    """A word that merely looks like a known one is none: letters are compared as they are, blanks included."""
    assert "other" == FinishReason.from_wire(word).kind


@pytest.mark.row("F3")
@pytest.mark.parametrize("word", ["ERR_Budget", "", " ", "Length_ish"])
def test_unknown_words_stay_as_they_are(word: str) -> None:
    """An unknown word keeps its case, the empty one is a word too, and two of them are equal only by that word."""
    reason = FinishReason.from_wire(word)
    assert ("other", word, word) == (reason.kind, reason.raw, str(reason))
    assert reason == FinishReason(kind="other", raw=word)
    assert reason != FinishReason(kind="other", raw=word + "x")
    assert reason != FinishReason.from_wire("stop")


@pytest.mark.row("F4")
def test_nothing_reported_is_a_kind_of_its_own(door: Door) -> None:
    """A server that gives no reason has answered all the same: the reply is read, and the reason is ``unspecified``."""
    with FakeServer(wire(None)) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        success = succeeded(door.settle(Agent(int, model=model)))
    assert 7 == success.output
    assert (FinishReason(kind="unspecified"), None) == (success.steps[0].finish_reason, success.steps[0].finish_reason.raw)


@pytest.mark.row("F5")
@pytest.mark.parametrize(
    "given, word",
    [
        *[pytest.param(FinishReason(kind=kind), kind, id=kind) for kind in KNOWN],
        pytest.param(FinishReason.from_wire("STOP"), "stop", id="known, in capitals"),
        pytest.param(FinishReason.from_wire(None), "unspecified", id="unspecified"),
        pytest.param(FinishReason.from_wire("ERR_Budget"), "ERR_Budget", id="other"),
        pytest.param(FinishReason.from_wire(""), "", id="empty"),
        pytest.param(FinishReason.from_wire("end_turn", "anthropic"), "stop", id="another dialect"),
    ],
)
def test_the_word_to_show(given: FinishReason, word: str) -> None:
    """A known kind shows its canonical word, ``other`` the server's own; ``str`` shows the same."""
    assert (word, word) == (given.wire, str(given))


@pytest.mark.row("F5")
@pytest.mark.parametrize("kind", KNOWN)
def test_known_words_come_back(kind: FinishKind) -> None:
    """The word that a known kind shows is read as that kind again."""
    assert FinishReason(kind=kind) == FinishReason.from_wire(FinishReason(kind=kind).wire)


@pytest.mark.row("F6")
def test_a_spent_limit_is_no_finish_reason(door: Door) -> None:
    """When the steps are used up, the run's own reason says so; each call keeps the word that its server gave."""
    fake = ScriptedProvider(LOOK_UP, LOOK_UP.changed(id="c2"))
    report = failed(door.settle(Agent(City, model=fake, tools=[look_up], mode="native", budget=Budget(max_steps=2)))).report
    assert "step_limit" == report.code
    assert ["tool_calls", "tool_calls"] == [step.finish_reason.raw for step in report.steps]
    assert FinishReason.from_wire("tool_calls") == report.finish_reason


@pytest.mark.row("F6")
@pytest.mark.parametrize("word", ["max_tool_iterations", "step_limit", "tool_call_limit", "time_limit"])
def test_no_server_can_say_that_a_limit_is_spent(word: str) -> None:
    """Words for our own limits mean nothing when a server says them, in any dialect."""
    dialects: tuple[FinishDialect, ...] = get_args(FinishDialect)
    assert {"other"} == {FinishReason.from_wire(word, dialect).kind for dialect in dialects}
    assert set(get_args(StopCode)) & set(get_args(FinishKind)) <= {"error", "other"}


@pytest.mark.row("F7")
@pytest.mark.parametrize("word", [*KNOWN, "error", "length_ish", "", None])
def test_only_length_is_truncated(word: str | None) -> None:
    """A token cap is the only end that more tokens may mend; a filter also leaves a reply incomplete, but no cap helps there."""
    reason = FinishReason.from_wire(word)
    assert (word == "length") == reason.is_truncated
    assert (word in ("length", "content_filter")) == reason.is_incomplete


@pytest.mark.row("F7")
def test_a_cut_reply_is_asked_for_with_a_larger_cap(door: Door) -> None:
    """After ``length`` the same question is sent again with room for a longer reply; the model is told of no fault."""
    with ScriptedProvider(Truncated('{"name":"Os'), OSLO) as fake:
        succeeded(door.settle(Agent(City, model=fake, mode="native", settings=Settings(max_tokens=100))))
    assert [100, 200] == [request.settings.max_tokens for request in fake.requests]
    assert fake.requests[0].messages == fake.requests[1].messages


@pytest.mark.row("F7")
def test_broken_text_that_ended_by_itself_is_the_model_s_fault(door: Door) -> None:
    """After ``stop``, text that cannot be read is told to the model, under the cap that it had."""
    with ScriptedProvider('{"name":"Os', OSLO) as fake:
        success = succeeded(door.settle(Agent(City, model=fake, mode="native", settings=Settings(max_tokens=100))))
    assert [100, 100] == [request.settings.max_tokens for request in fake.requests]
    assert fake.requests[1].messages[-1] == Message.user(success.attempts[0].feedback or "")


@pytest.mark.row("F8")
def test_each_call_has_one_reason_and_the_first_counts(door: Door) -> None:
    """A server that sends more than one end is heard once: the first choice's word is the step's, and there is one a step."""
    message = {"role": "assistant", "content": "7"}
    ends = [{"index": number, "message": message, "finish_reason": word} for number, word in enumerate(["stop", "length"])]
    with (
        FakeServer(HttpReply(body={"object": "chat.completion", "choices": ends})) as server,
        closing(OpenAIChat("m", base_url=server.base_url)) as model,
    ):
        success = succeeded(door.settle(Agent(int, model=model)))
    assert [FinishReason.from_wire("stop")] == [step.finish_reason for step in success.steps]


@pytest.mark.row("F9")
def test_every_call_keeps_its_own_reason(door: Door) -> None:
    """No call's reason is lost behind the next one's, and the report's is that of the last reply."""
    fake = ScriptedProvider(LOOK_UP, ModelResponse.of("hm", finish="EOS"), ModelResponse.of("hm", finish="ERR_Budget"))
    agent = Agent(City, model=fake, tools=[look_up], mode="native", budget=Budget(output_retries=1))
    report = failed(door.settle(agent), "no_output").report
    assert ["tool_calls", "EOS", "ERR_Budget"] == [step.finish_reason.raw for step in report.steps]
    assert report.finish_reason == report.steps[-1].finish_reason


@pytest.mark.row("F9")
def test_a_call_that_failed_has_no_reason_of_the_one_before(door: Door) -> None:
    """When the last request gets no answer, the report gives no finish reason, not that of an earlier reply."""
    fake = ScriptedProvider(LOOK_UP, ProviderError("auth", "no"))
    report = failed(door.settle(Agent(City, model=fake, tools=[look_up], mode="native")), "error").report
    assert ["tool_calls"] == [step.finish_reason.kind for step in report.steps]
    assert report.finish_reason is None


@pytest.mark.row("F11")
@pytest.mark.parametrize(
    "word, kind",
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "content_filter"),
        ("pause_turn", "other"),
    ],
)
def test_the_words_of_anthropic(word: str, kind: FinishKind) -> None:
    """Each of its words has the kind of the same meaning; a turn that only pauses has none, and is not called an end."""
    assert (kind, word) == (FinishReason.from_wire(word, "anthropic").kind, FinishReason.from_wire(word, "anthropic").raw)


@pytest.mark.row("F11")
@pytest.mark.parametrize(
    "word, dialect",
    [
        *[(word, "openai") for word in ("end_turn", "tool_use", "refusal", "model_context_window_exceeded", "safety")],
        *[(word, "anthropic") for word in ("stop", "length", "tool_calls", "content_filter", "safety", "completed")],
        *[(word, "gemini") for word in ("end_turn", "tool_use", "length", "tool_calls")],
        *[(word, "responses") for word in ("stop", "length", "end_turn", "max_tokens")],
    ],
)
def test_words_of_another_dialect(word: str, dialect: FinishDialect) -> None:
    """A word that the dialect does not have is ``other``, also where a neighbour means something by it: nothing is guessed."""
    assert FinishReason(kind="other", raw=word) == FinishReason.from_wire(word, dialect)


@pytest.mark.row("F13")
def test_no_cap_and_no_temperature_is_invented(door: Door) -> None:
    """What the caller did not set is not sent, on the first ask or on a later one: an invented cap would cut answers."""
    with FakeServer(wire("stop", "hm"), wire("stop")) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        succeeded(door.settle(Agent(int, model=model)))
    invented = {"max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop"}
    assert [set[str](), set[str]()] == [invented & set(request.body or {}) for request in server.requests]


@pytest.mark.row("F13")
def test_a_cap_that_was_set_is_sent(door: Door) -> None:
    """What the caller set goes out as it is, so that the row above can fail."""
    with FakeServer(wire("stop")) as server, closing(OpenAIChat("m", base_url=server.base_url)) as model:
        succeeded(door.settle(Agent(int, model=model, settings=Settings(max_tokens=4096, temperature=0))))
    body = server.requests[0].body or {}
    assert (4096, 0) == (body["max_tokens"], body["temperature"])


@pytest.mark.row("F14")
def test_reasoning_is_no_text(door: Door) -> None:
    """What a model thinks is not read as its answer, and stands in no text: not the history's, nor that of a later request."""
    thought = ModelResponse(parts=(Reasoning(text="7 is too few"), Text(text="hm")), finish_reason=FinishReason(kind="stop"))
    answer = ModelResponse(parts=(Reasoning(text="so, 9"), Text(text="8")), finish_reason=FinishReason(kind="stop"))
    fake = ScriptedProvider(thought, answer)
    success = succeeded(door.settle(Agent(int, model=fake, mode="prompted")))
    assert 8 == success.output
    said = [message.text for message in (*success.messages, *fake.requests[1].messages)]
    assert not [text for text in said if "too few" in text or "so, 9" in text]


@pytest.mark.row("F14")
def test_reasoning_alone_is_an_empty_reply(door: Door) -> None:
    """A model that only thought has said nothing, whatever it thought."""
    thought = ModelResponse(parts=(Reasoning(text="7"),), finish_reason=FinishReason(kind="stop"))
    report = failed(door.settle(Agent(int, model=ScriptedProvider(thought), budget=Budget(output_retries=0)))).report
    assert ("no_output", None) == (report.code, report.last_text)


@pytest.mark.row("F14")
def test_calls_keep_their_order(door: Door) -> None:
    """Calls stand in the account, and are answered, in the order in which the model made them."""
    calls = [LOOK_UP.changed(id=name) for name in ("c9", "c1", "c5")]
    success = succeeded(door.settle(Agent(City, model=ScriptedProvider(calls, OSLO), tools=[look_up], mode="native")))
    assert ["c9", "c1", "c5"] == [call.id for call in success.steps[0].tool_calls]
    assert ["c9", "c1", "c5"] == [result.call_id for result in success.steps[0].tool_results]


@pytest.mark.row("V7")
@pytest.mark.parametrize("word", ["stop", "LENGTH", "eos_token", "guardrail_intervened", "ERR_Budget", None])
def test_the_server_s_own_word_is_kept(word: str | None) -> None:
    """Beside each kind stands what the server really sent; None only where it sent nothing."""
    assert word == FinishReason.from_wire(word).raw
    assert (word is None) == (FinishReason.from_wire(word).kind == "unspecified")

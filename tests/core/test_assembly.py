"""From state to request and from a step to messages: histories are valid whatever a server sends."""

from __future__ import annotations

import pytest
from tests.support import City, asks, begin, call, called, changed, faults_in, plan_for, play, ran, runs, texts

from settled import Budget, FinishReason, Message, ModelResponse, Reasoning, Settings, Text, ToolCall, ToolResult, Usage
from settled.core.assembly import cap_of, last_text, request_of, turn, with_usable_calls
from settled.core.ledger import Ledger
from settled.core.plan import UserCall
from settled.vocabulary.messages import Part


def look_up(city: str) -> str:
    """A tool."""
    return city


LOOK_UP = '{"city":"Oslo"}'


@pytest.mark.parametrize(
    "sent, usable",
    [
        pytest.param(["a", "b"], ["a", "b"], id="good ids stay"),
        pytest.param(["", ""], ["call_0_0", "call_0_1"], id="missing"),
        pytest.param(["a", "a"], ["a", "call_0_0"], id="twice the same"),
        pytest.param(["x" * 65, "x" * 64], ["call_0_0", "x" * 64], id="too long"),
        pytest.param(["", "call_0_0"], ["call_0_1", "call_0_0"], id="a name that is taken"),
    ],
)
def test_each_call_of_a_reply_gets_an_id_of_its_own(sent: list[str], usable: list[str]) -> None:
    """Missing, repeated and overlong ids are replaced; usable ones stay."""
    reply = ModelResponse(parts=(Text(text="hm"), *(call("f", "{}", id_) for id_ in sent)))
    assert usable == [made.id for made in with_usable_calls(reply).tool_calls]
    assert "hm" == with_usable_calls(reply).text


@pytest.mark.parametrize(
    "parts",
    [(Text(text="Z\u00fcrich"),), (call("f", '{"a": "\u4e2d"}', "\u00e9"),), (Text(text="\u00e9"), call("f"))],
    ids=["text", "call", "both"],
)
def test_a_reply_in_unicode_is_taken_as_it_is(parts: tuple[Part, ...]) -> None:
    """A reply is copied only where something in it cannot be written, whatever its letters."""
    reply = ModelResponse(parts=parts, finish_reason=FinishReason(kind="tool_calls"))
    assert with_usable_calls(reply) is reply


@pytest.mark.parametrize(
    "part", [Text(text="a\ud800"), call("f\ud800"), call("f", '"\ud800"')], ids=["text", "name", "arguments"]
)
def test_lone_surrogates_of_a_reply_are_written_out(part: Part) -> None:
    """What a model says has a JSON form, whatever it says."""
    assert "\\\\ud800" in with_usable_calls(ModelResponse(parts=(part,))).model_dump_json()


def test_made_ids_differ_between_steps() -> None:
    """A server that sends no ids gets one for each call of the run, so that no id is answered twice in one conversation."""
    plan = plan_for(City, tools=[look_up])
    step = play(plan, called(call("look_up", LOOK_UP, "")))
    step = play(plan, ran(runs(step).calls[0].call.id), step=step)
    step = play(plan, called(call("look_up", LOOK_UP, "")), step=step)
    step = play(plan, ran(runs(step).calls[0].call.id), step=step)
    ids = [part.id for message in asks(step).request.messages for part in message.tool_calls]
    assert 2 == len(set(ids))


@pytest.mark.parametrize(
    "word, calls, kind",
    [("stop", 1, "tool_calls"), ("stop", 0, "stop"), ("length", 1, "length"), (None, 1, "unspecified")],
    ids=["mislabelled", "no calls", "cut", "nothing said"],
)
def test_a_mislabelled_finish_reason_is_put_right(word: str | None, calls: int, kind: str) -> None:
    """``stop`` beside calls means ``tool_calls``; the server's own word is kept."""
    reply = ModelResponse(parts=(call("f"),) * calls, finish_reason=FinishReason.from_wire(word))
    finish = with_usable_calls(reply).finish_reason
    assert (kind, word) == (finish.kind, finish.raw)


RESULT = ToolResult(call_id="c1", name="f", text="7")


@pytest.mark.parametrize(
    "parts, results, told, final, lines",
    [
        pytest.param([Text(text="hm")], {}, None, None, ["assistant: hm"], id="text"),
        pytest.param([Text(text="hm")], {}, "again", None, ["assistant: hm", "user: again"], id="text and feedback"),
        pytest.param([Text(text=" ")], {}, "again", None, ["user: again"], id="blank text is no turn"),
        pytest.param([], {}, None, None, [], id="nothing"),
        pytest.param([Reasoning(text="so")], {}, "again", None, ["user: again"], id="reasoning alone is no turn"),
        pytest.param([Text(text="hm"), call("f")], {"c1": RESULT}, None, None, ["assistant: hm", "tool: 7"], id="call"),
        pytest.param([Text(text="hm"), call("f")], {}, None, None, ["assistant: hm"], id="unanswered call leaves"),
        pytest.param([call("f")], {"c1": RESULT}, "again", None, ["assistant: ", "tool: 7", "user: again"], id="call, told"),
        pytest.param([Text(text="so: 7")], {}, None, "7", ["assistant: 7"], id="final text"),
        pytest.param([call("o")], {}, None, "7", ["assistant: 7"], id="final call becomes text"),
        pytest.param(
            [Text(text="hm"), call("f"), call("o", id="o")],
            {"c1": RESULT},
            None,
            "7",
            ["assistant: ", "tool: 7", "assistant: 7"],
            id="all",
        ),
    ],
)
def test_the_messages_of_a_step(
    parts: list[Text | Reasoning | ToolCall],
    results: dict[str, ToolResult],
    told: str | None,
    final: str | None,
    lines: list[str],
) -> None:
    """Calls stand directly before their results; an accepted turn is assistant text; a turn without content is left out."""
    messages = turn(ModelResponse(parts=tuple(parts)), results, feedback=told, final=final)
    assert lines == texts(messages)
    assert not faults_in(messages)


@pytest.mark.parametrize(
    "settings, budget, raised, cap",
    [
        pytest.param(None, None, None, (None, False), id="nothing asked, nothing limited"),
        pytest.param(100, None, None, (100, False), id="settings"),
        pytest.param(100, None, 200, (200, False), id="raised"),
        pytest.param(None, 70, None, (70, True), id="budget alone"),
        pytest.param(100, 70, None, (70, True), id="budget below"),
        pytest.param(70, 70, None, (70, False), id="budget just enough"),
        pytest.param(100, 150, 200, (150, True), id="budget below the raised cap"),
    ],
)
def test_the_cap_of_a_request(settings: int | None, budget: int | None, raised: int | None, cap: tuple[int | None, bool]) -> None:
    """What the settings or a truncation retry ask for, lowered to what the budget leaves."""
    plan = changed(plan_for(), settings=Settings(max_tokens=settings), budget=Budget(max_output_tokens=budget))
    state = begin(plan).state.changed(cap=raised, ledger=Ledger(usage=Usage()))
    assert cap == tuple(cap_of(plan, state))
    assert cap[0] == request_of(plan, state).settings.max_tokens


def test_a_request_is_asked_twice_the_same() -> None:
    """A request is a pure function of plan and state; run id and step name it."""
    plan = plan_for()
    state = begin(plan).state
    assert request_of(plan, state) == request_of(plan, state)
    assert ("run-1", 1) == (request_of(plan, state).run_id, request_of(plan, state).step)


@pytest.mark.parametrize(
    "instructions, lines",
    [
        pytest.param("Be brief.", ["system: Be brief."], id="text"),
        pytest.param(None, [], id="none"),
        pytest.param(UserCall("f", look_up), [], id="not yet made"),
    ],
)
def test_instructions_come_first(instructions: str | UserCall | None, lines: list[str]) -> None:
    """As one system message, before the history and the prompt."""
    plan = changed(plan_for(), instructions=instructions)
    assert [*lines, "user: The capital of Norway?"] == texts(request_of(plan, begin(plan).state).messages)


@pytest.mark.parametrize(
    "mode, has_tools, choice", [("tool", False, "required"), ("tool", True, "auto"), ("native", False, "auto")], ids=str
)
def test_a_call_is_demanded_only_where_there_is_one_tool(mode: str, has_tools: bool, choice: str) -> None:
    """With tools of the user's beside the output tool, the choice is the model's."""
    plan = plan_for(City, "tool" if mode == "tool" else "native", tools=[look_up] if has_tools else [])
    assert choice == asks(begin(plan)).request.tool_choice


@pytest.mark.parametrize(
    "reply, messages, found",
    [
        pytest.param(ModelResponse.of("new"), (Message.assistant("old"),), "new", id="the step under way"),
        pytest.param(ModelResponse(), (Message.assistant("old"), Message.user("you")), "old", id="the last turn"),
        pytest.param(None, (Message.user("you"),), None, id="never"),
    ],
)
def test_the_last_text(reply: ModelResponse | None, messages: tuple[Message, ...], found: str | None) -> None:
    """The last text that the model wrote, for reports."""
    assert found == last_text(reply, messages)

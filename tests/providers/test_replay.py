"""A history that was made at one server is valid at every other, over either API: pure tests over a table of capabilities.

The rules follow the sources in `ROWS`: vLLM and llama.cpp take one system message, at the start; Mistral ids of nine letters and
digits; DeepSeek its thoughts back on turns with calls; OpenAI each result after its call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import NamedTuple, TypeAlias

import pytest
from pydantic_core import to_json

from settled import Capabilities, Document, Image, Message, ModelRequest, Reasoning, Text, ToolCall, ToolResult
from settled.providers import responses_wire, wire
from settled.providers.table import RESPONSES, SERVICES, capabilities_of
from settled.vocabulary.messages import Part
from settled.vocabulary.narrowing import is_list, is_mapping

Item: TypeAlias = Mapping[object, object]
MODELS = ["gpt-5-mini", "gpt-4o", "deepseek-reasoner", "openai/gpt-oss-20b", "any"]


def said(*parts: Part) -> Message:
    """A turn of the assistant."""
    return Message(role="assistant", parts=parts)


def call(id: str, arguments: str = '{"a":1}') -> ToolCall:
    """A call of a tool."""
    return ToolCall(id=id, name="f", arguments=arguments)


def results(*ids: str) -> Message:
    """The answers to calls."""
    return Message(role="tool", parts=tuple(ToolResult(call_id=id, name="f", text=f"of {id}") for id in ids))


SEALED = Reasoning(text="hm", id="rs_1", signature="gAAA")
CLEAR = Reasoning(text="I see.", id="rs_2")
LOOSE = Reasoning(text="So be it.")
REMARK = Reasoning(text="Looking.", phase="commentary")
HISTORIES: dict[str, tuple[Message, ...]] = {
    "plain": (Message.system("A."), Message.user("Oslo?"), said(Text(text="7")), Message.user("And?")),
    "no system": (Message.user("Oslo?"),),
    "systems": (Message.user("Oslo?"), Message.system("A."), said(Text(text="7")), Message.system("B."), Message.user("And?")),
    "calls": (
        Message.system("A."), Message.user("Oslo?"), said(SEALED, call("c1"), call("call_2")), results("c1", "call_2"),
        said(Text(text="7")), Message.user("And?"), said(LOOSE, call("x" * 40)), results("x" * 40),
    ),
    "same ids again": (Message.user("a"), said(call("c1")), results("c1"), said(call("c1")), results("c1"), Message.user("b")),
    "remarks": (Message.user("a"), said(REMARK, CLEAR, Text(text="So", phase="final_answer"), call("c1")), results("c1")),
    "broken arguments": (Message.user("a"), said(call("c1", '{"a": '), call("c2", "")), results("c1", "c2"), Message.user("b")),
    "thought without end": (Message.user("a"), said(Text(text="7"), SEALED), Message.user("b"), said(SEALED, LOOSE)),
    "media": (Message.user(["Look:", Image(url="https://example.org/a.png")]), said(Text(text="7")), Message.user("And?")),
    "surrogates": (Message.system("\ud800"), Message.user("\ud800"), said(Reasoning(text="\ud800", id="\ud800"), call("\ud800")),
                   results("\ud800")),
}  # fmt: skip
VARIANTS: dict[str, Capabilities] = {
    f"{role}, {'many' if many else 'one'}, {ids}, {echo}": Capabilities.model_validate(
        {"system_role": role, "multiple_system": many, "tool_call_id": ids, "echo_reasoning": echo}
    )
    for role, many, ids, echo in product(
        ["system", "developer"], [True, False], ["any", "alnum9"], ["no", "field", "tags", "required_on_tool_turns"]
    )
}
by_each_history = pytest.mark.parametrize("messages", HISTORIES.values(), ids=HISTORIES)
by_each_variant = pytest.mark.parametrize("known", VARIANTS.values(), ids=VARIANTS)


def chat(messages: tuple[Message, ...], known: Capabilities) -> list[Item]:
    """A conversation on the wire of Chat Completions."""
    return _items(wire.body_of(ModelRequest(messages=messages, mode="text"), "m", known, {})["messages"])


def responses(messages: tuple[Message, ...], known: Capabilities) -> list[Item]:
    """A conversation on the wire of Responses."""
    return _items(responses_wire.body_of(ModelRequest(messages=messages, mode="text"), "m", known, {})["input"])


def _items(wired: object) -> list[Item]:
    """The items as the server reads them."""
    read: object = json.loads(to_json(wired))
    assert is_list(read)
    return [item for item in read if is_mapping(item)]


class Answered(NamedTuple):
    """A call on the wire, or an answer to one."""

    kind: str
    id: object


def calls_in_chat(items: list[Item]) -> Iterator[Answered]:
    """Calls and answers in their order; whatever else stands between them."""
    for item in items:
        if item["role"] == "tool":
            yield Answered("result", item["tool_call_id"])
            continue
        yield Answered("other", None)
        made = item.get("tool_calls")
        yield from (Answered("call", one["id"]) for one in (made if is_list(made) else ()) if is_mapping(one))


def calls_in_responses(items: list[Item]) -> Iterator[Answered]:
    """Calls and answers in their order; whatever else stands between them."""
    kinds = {"function_call": "call", "function_call_output": "result"}
    for item in items:
        kind = kinds.get(str(item.get("type")), "other")
        yield Answered(kind, item.get("call_id"))


def check_pairs(told: Iterator[Answered]) -> None:
    """Each call has one result, directly behind the calls of its turn, in their order, and no result is without a call."""
    due: list[object] = []
    answering = False
    for kind, id in told:
        if kind == "call":
            assert not (answering and due), "a call while results are due"
            answering = False
            due.append(id)
        elif kind == "result":
            answering = True
            assert due, "a result without a call"
            assert due.pop(0) == id
        else:
            assert not due, "something between a call and its result"
    assert not due, "a call without a result"


def places_of_system(items: list[Item], known: Capabilities) -> list[int]:
    """Where the instructions stand."""
    return [place for place, item in enumerate(items) if item.get("role") == known.system_role]


def nulls_in(data: object, path: str = "") -> Iterator[str]:
    """The paths of what is null."""
    if data is None:
        yield path
    for key, inner in data.items() if is_mapping(data) else enumerate(data) if is_list(data) else ():
        yield from nulls_in(inner, f"{path}.{key}")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("service", [*SERVICES, *RESPONSES])
def test_each_service_is_among_the_variants(service: str, model: str) -> None:
    """What the table says of a history, for any service and model, is one of the variants that are tested here."""
    fields = ("system_role", "multiple_system", "tool_call_id", "echo_reasoning")
    known = capabilities_of(service, model)
    assert [getattr(known, name) for name in fields] in [[getattr(one, name) for name in fields] for one in VARIANTS.values()]


@by_each_history
@by_each_variant
def test_each_call_has_its_result(messages: tuple[Message, ...], known: Capabilities) -> None:
    """On both wires each call is answered once, directly behind its turn, under the id that the server allows."""
    check_pairs(calls_in_chat(chat(messages, known)))
    check_pairs(calls_in_responses(responses(messages, known)))
    for told in (*calls_in_chat(chat(messages, known)), *calls_in_responses(responses(messages, known))):
        if told.kind != "other" and known.tool_call_id == "alnum9":
            assert isinstance(told.id, str)
            assert (9, True, True) == (len(told.id), told.id.isalnum(), told.id.isascii())


@by_each_history
@by_each_variant
def test_one_system_message_at_the_start(messages: tuple[Message, ...], known: Capabilities) -> None:
    """Where no more is known to be accepted, the instructions are one message, the first, that holds them all in order."""
    texts = [message.text for message in messages if message.role == "system"]
    for items in (chat(messages, known), responses(messages, known)):
        places = places_of_system(items, known)
        assert (len(texts) if known.multiple_system else min(1, len(texts))) == len(places)
        if texts and not known.multiple_system:
            assert [0] == places
            assert "\n\n".join(texts).replace("\ud800", "\\ud800") == items[0]["content"]


Wired: TypeAlias = Callable[[tuple[Message, ...], Capabilities], list[Item]]


@pytest.mark.parametrize("wired", [chat, responses], ids=["chat", "responses"])
def test_instructions_as_the_user(wired: Wired) -> None:
    """Where a model takes instructions from the user only, they stand first, apart from what the user said."""
    known = Capabilities(system_role="user")
    first = [{"role": "user", "content": "A.\n\nB."}, {"role": "user", "content": "Oslo?"}]
    assert first == wired(HISTORIES["systems"], known)[:2]


@by_each_history
@by_each_variant
def test_nothing_is_null(messages: tuple[Message, ...], known: Capabilities) -> None:
    """No field is null, but the content beside calls over Chat Completions, which is so by the reference."""
    for item in chat(messages, known):
        assert ([".content"] if item.get("tool_calls") and not item["content"] else []) == [*nulls_in(item)]
    assert [] == [*nulls_in([*responses(messages, known)])]


@by_each_history
@by_each_variant
def test_arguments_are_objects(messages: tuple[Message, ...], known: Capabilities) -> None:
    """Earlier arguments are JSON objects, whatever the model wrote: servers read them again."""
    made = [item["tool_calls"] for item in chat(messages, known) if item.get("tool_calls")]
    functions = [one["function"] for turn in made if is_list(turn) for one in turn if is_mapping(one)]
    called = [item for item in responses(messages, known) if item.get("type") == "function_call"]
    written = [one["arguments"] for one in (*functions, *called) if is_mapping(one)]
    assert len(functions) == len(called) == len([part for one in messages for part in one.tool_calls])
    assert all(isinstance(json.loads(str(one)), dict) for one in written)


@by_each_history
@by_each_variant
def test_a_thought_leads_to_something(messages: tuple[Message, ...], known: Capabilities) -> None:
    """Over Responses a thought is never the last of its turn, and goes back only where it is wanted, with an id."""
    items = responses(messages, known)
    for place, item in enumerate(items):
        if item.get("type") == "reasoning":
            assert known.echo_reasoning in ("field", "required_on_tool_turns")
            assert item["id"]
            follower = items[place + 1]
            assert follower.get("type") in ("reasoning", "function_call") or follower.get("role") == "assistant"


THINKING = (Message.user("a"), said(SEALED, LOOSE, call("c1")), results("c1"), said(CLEAR, Text(text="7")))


@pytest.mark.parametrize(
    "echo, over_chat, over_responses",
    [
        ("no", [None, None], []),
        ("field", ["hmSo be it.", "I see."], ["rs_1", "rs_2"]),
        ("required_on_tool_turns", ["hmSo be it.", None], ["rs_1"]),
        ("tags", [None, None], []),
    ],
)
def test_thoughts_are_echoed_as_they_are_wanted(echo: str, over_chat: list[object], over_responses: list[object]) -> None:
    """Thoughts go back as a field, on turns with calls, between tags, or not at all; over Responses as items with their ids."""
    known = Capabilities.model_validate({"echo_reasoning": echo})
    turns = [item for item in chat(THINKING, known) if item["role"] == "assistant"]
    assert over_chat == [turn.get("reasoning_content") for turn in turns]
    items = responses(THINKING, known)
    assert over_responses == [item["id"] for item in items if item.get("type") == "reasoning"]
    tagged = ["<think>hm</think><think>So be it.</think>", "<think>I see.</think>7"] if echo == "tags" else ["7"]
    assert tagged == [item["content"] for item in items if item.get("role") == "assistant"]


def test_nothing_of_one_api_is_sent_over_the_other() -> None:
    """Ids, seals and phases of Responses are no part of Chat Completions."""
    raw = to_json(
        [*chat(HISTORIES["calls"], capabilities_of("openai", "gpt-5-mini")), *chat(HISTORIES["remarks"], Capabilities())]
    )
    assert not any(word in raw for word in (b"rs_1", b"gAAA", b"phase", b"signature", b"encrypted"))


def test_ids_are_mapped_alike() -> None:
    """Where ids are mapped, equal ones stay equal and different ones different; one that fits is kept."""
    known = Capabilities(tool_call_id="alnum9")
    messages = (said(call("c1"), call("c2"), call("abcDEF123")), results("c1", "c2", "abcDEF123"))
    ids = [told.id for told in calls_in_chat(chat(messages, known)) if told.kind == "call"]
    assert 3 == len(set(ids))
    assert "abcDEF123" == ids[2]
    assert ids == [told.id for told in calls_in_responses(responses(messages, known)) if told.kind == "result"]


def test_a_file_does_not_hinder_a_replay() -> None:
    """A history with a file by its content goes over both wires."""
    seen = Message.user(["Read:", Document(data=b"a", media_type="application/pdf")])
    assert chat((seen, said(Text(text="7"))), Capabilities())
    assert responses((seen, said(Text(text="7"))), Capabilities())

"""The conversation: messages of parts, and their JSON."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from settled import (
    Audio,
    Document,
    FinishReason,
    Image,
    Message,
    ModelResponse,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    dump_messages,
    load_messages,
)
from settled.vocabulary.messages import Part

CALL = ToolCall(id="c1", name="look_up", arguments='{"city":"Oslo"}')
PARTS: tuple[Part, ...] = (
    Text(text="a"),
    Image(data=b"\x00\x01\xff", media_type="image/png"),
    Audio(url="https://example.org/a.wav"),
    Document(data=b"%PDF", media_type="application/pdf", name="c.pdf"),
    Reasoning(text="hm"),
    Reasoning(text="", id="rs_1", signature="gAAA"),
    Reasoning(text="Looking.", phase="commentary"),
    CALL,
    ToolResult(call_id="c1", name="look_up", text="7", status="denied"),
)


def test_dump_and_load() -> None:
    """A conversation with every kind of part is the same after it was dumped and loaded."""
    talk = (Message.system("s"), Message(role="user", parts=PARTS), Message(role="assistant", parts=()))
    assert talk == load_messages(dump_messages(talk)) == load_messages(dump_messages(iter(talk)).encode())


def test_dump_is_plain_json() -> None:
    """The dump is a JSON list; bytes are base64."""
    dumped = json.loads(dump_messages([Message.user([Image(data=b"\xff\xfe", media_type="image/png")])]))
    assert dumped[0]["parts"][0]["data"] in ("__4=", "//4=")


def test_an_older_dump_is_loaded() -> None:
    """What was dumped before texts and thoughts had phases, ids and seals is loaded, without them."""
    older = '[{"role":"assistant","parts":[{"type":"reasoning","text":"hm"},{"type":"text","text":"7"}]}]'
    assert (Message(role="assistant", parts=(Reasoning(text="hm"), Text(text="7"))),) == load_messages(older)


@pytest.mark.parametrize(
    "text",
    ["", "{}", '[{"role": "pilot", "parts": []}]', '[{"role": "user", "parts": [{"type": "smell"}]}]', '[{"role": "user"}]'],
    ids=["empty", "object", "role", "part", "no-parts"],
)
def test_load_refuses_what_is_no_conversation(text: str) -> None:
    """What is no dumped conversation is refused."""
    with pytest.raises(ValidationError):
        load_messages(text)


def test_text_leaves_reasoning_out() -> None:
    """``text`` is the texts and tool results, in order, without reasoning; ``tool_calls`` the calls."""
    message = Message(role="assistant", parts=(Reasoning(text="hm"), Text(text="a"), CALL, Text(text="b")))
    assert (message.text, message.tool_calls) == ("ab", (CALL,))
    assert Message(role="tool", parts=(ToolResult(call_id="c1", name="f", text="7"),)).text == "7"


@pytest.mark.parametrize(
    "message, role, parts",
    [
        (Message.system("a"), "system", (Text(text="a"),)),
        (Message.assistant("a"), "assistant", (Text(text="a"),)),
        (Message.user("a"), "user", (Text(text="a"),)),
        (Message.user(["a", Image(url="u"), "b"]), "user", (Text(text="a"), Image(url="u"), Text(text="b"))),
    ],
    ids=["system", "assistant", "user", "user-parts"],
)
def test_constructors(message: Message, role: str, parts: tuple[Part, ...]) -> None:
    """The short constructors make messages of the parts they are given."""
    assert (role, parts) == (message.role, message.parts)


def test_a_response_and_its_parts() -> None:
    """A response gives its text, reasoning and calls apart."""
    response = ModelResponse(parts=(Reasoning(text="h"), Text(text="a"), CALL, Reasoning(text="m"), Text(text="b")))
    assert (response.text, response.reasoning, response.tool_calls) == ("ab", "hm", (CALL,))
    assert (FinishReason(kind="unspecified"), 1) == (response.finish_reason, response.usage.requests)


@pytest.mark.parametrize(
    "finish, kind", [("stop", "stop"), ("length", "length"), (None, "unspecified")], ids=["stop", "length", "none"]
)
def test_a_response_of_one_text(finish: str | None, kind: str) -> None:
    """``ModelResponse.of`` makes a response of one text and a server's finish word."""
    response = ModelResponse.of("7", finish=finish)
    assert ("7", kind) == (response.text, response.finish_reason.kind)

"""Which content parts each API and model carry: what is sent for each, and what is refused before anything is sent.

After OpenAI's public reference, the types of openai-python 3.57, and the sources that `ROWS` names; nothing was sent to a live
service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple, TypeAlias

import pytest

from settled import Agent, Audio, Capabilities, Document, Image, Message, MisuseError, ModelRequest, Reasoning, Text
from settled.providers import OpenAIChat, OpenAIResponses
from settled.providers.table import capabilities_of
from settled.testing import FakeServer
from settled.vocabulary.exchange import JsonObject
from settled.vocabulary.messages import Part, Role
from settled.vocabulary.narrowing import is_list, is_mapping

NOWHERE = "http://127.0.0.1:1/v1"
UNKNOWN = Capabilities()
Served: TypeAlias = OpenAIChat | OpenAIResponses
Made: TypeAlias = Callable[..., Served]
PICTURE = Image(data=b"abc", media_type="image/png")
FAR_PICTURE = Image(url="https://example.org/a.png")
SOUND = Audio(data=b"abc", media_type="audio/mpeg")
FAR_SOUND = Audio(url="https://example.org/a.mp3")
PAPER = Document(data=b"abc", media_type="application/pdf", name="a.pdf")
FAR_PAPER = Document(url="https://example.org/a.pdf")
PARTS: dict[str, Part] = {
    "picture": PICTURE, "picture-url": FAR_PICTURE,
    "sound": SOUND, "sound-url": FAR_SOUND,
    "paper": PAPER, "paper-url": FAR_PAPER,
}  # fmt: skip


class Spoken(NamedTuple):
    """An API: how its models are made, its name, and what it makes of each part; None is a refusal."""

    made: Made
    name: str
    wire: dict[str, JsonObject | None]


CHAT = Spoken(OpenAIChat, "Chat Completions", {
    "picture": {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}},
    "picture-url": {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    "sound": {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "mp3"}},
    "sound-url": None,
    "paper": {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,YWJj"}},
    "paper-url": None,
})  # fmt: skip
RESPONSES = Spoken(OpenAIResponses, "Responses", {
    "picture": {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,YWJj"},
    "picture-url": {"type": "input_image", "detail": "auto", "image_url": "https://example.org/a.png"},
    "sound": {"type": "input_audio", "input_audio": {"data": "YWJj", "format": "mp3"}},
    "sound-url": None,
    "paper": {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,YWJj"},
    "paper-url": {"type": "input_file", "file_url": "https://example.org/a.pdf"},
})  # fmt: skip
by_each_api = pytest.mark.parametrize("api", [CHAT, RESPONSES], ids=["chat", "responses"])


def listed(value: object) -> list[object]:
    """A list, which it must be."""
    assert is_list(value)
    return value


def content(api: Spoken, *parts: Part, role: Role = "user", known: Capabilities = UNKNOWN) -> list[object]:
    """The pieces of one message's content on the wire."""
    model = api.made("m", base_url=NOWHERE, capabilities=known)
    body = model.body(ModelRequest(messages=(Message(role=role, parts=parts),), mode="text"))
    (turn,) = listed(body["messages" if api is CHAT else "input"])
    assert is_mapping(turn)
    pieces = turn["content"]
    return listed(pieces) if is_list(pieces) else [pieces]


@pytest.mark.parametrize("name", PARTS)
@by_each_api
def test_a_part_is_sent_or_refused(api: Spoken, name: str) -> None:
    """Each part has a form in each API, or is refused by a message that names the part, the API, and what to give instead."""
    part, wire = PARTS[name], api.wire[name]
    if wire is not None:
        assert [wire] == content(api, part)
        return
    with pytest.raises(MisuseError, match=rf"{type(part).__name__}\(url=\.\.\.\): {api.name} takes the data .* give data and"):
        content(api, part)


@by_each_api
def test_parts_stand_in_order(api: Spoken) -> None:
    """Texts and media keep their order; thoughts among what the user says are left out."""
    kind = "text" if api is CHAT else "input_text"
    parts = (Text(text="Look:"), PICTURE, Reasoning(text="never sent"), Text(text="And?"))
    expected = [{"type": kind, "text": "Look:"}, api.wire["picture"], {"type": kind, "text": "And?"}]
    assert expected == content(api, *parts)


@by_each_api
@pytest.mark.parametrize(
    "part, words",
    [(Image(), r"Image\(\)"), (Document(), r"Document\(\)"), (Audio(), r"Audio\(\)"), (Image(data=b"a"), "give its media_type")],
    ids=["no-image", "no-document", "no-audio", "no-type"],
)
def test_a_part_without_content(api: Spoken, part: Part, words: str) -> None:
    """A part that holds nothing, or nothing that can be named, is refused."""
    with pytest.raises(MisuseError, match=words):
        content(api, part)


FIELDS = {"picture": "image_input", "sound": "audio_input", "paper": "document_input"}


@pytest.mark.parametrize("support", ["rejected", "ignored"])
@pytest.mark.parametrize("name", FIELDS)
@by_each_api
def test_what_a_model_does_not_take(api: Spoken, name: str, support: str) -> None:
    """What a capability rules out is refused, by a message that names the part, the API and the capability."""
    known = Capabilities.model_validate({FIELDS[name]: support})
    words = rf"{type(PARTS[name]).__name__}\(data=\.\.\.\): .* over {api.name} \(Capabilities\.{FIELDS[name]} is '{support}'\)"
    with pytest.raises(MisuseError, match=words):
        content(api, PARTS[name], known=known)
    others = [other for other in FIELDS if other != name]
    assert [api.wire[other] for other in others] == content(api, *(PARTS[other] for other in others), known=known)


@pytest.mark.parametrize("support", ["unknown", "best_effort", "enforced"])
@pytest.mark.parametrize("name", FIELDS)
@by_each_api
def test_what_a_model_may_take(api: Spoken, name: str, support: str) -> None:
    """Where nothing is known, or it is known to work, the part is sent."""
    assert [api.wire[name]] == content(api, PARTS[name], known=Capabilities.model_validate({FIELDS[name]: support}))


@pytest.mark.parametrize("part", [PICTURE, SOUND, PAPER], ids=["picture", "sound", "paper"])
@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
@by_each_api
def test_media_come_from_the_user_only(api: Spoken, role: Role, part: Part) -> None:
    """A part that is no user's is refused, not passed over in silence: neither API takes it from any other role."""
    with pytest.raises(MisuseError, match=f"{type(part).__name__} in a message of role '{role}': {api.name} takes it in a user"):
        content(api, Text(text="7"), part, role=role)


@pytest.mark.parametrize(
    "api, service, model, part",
    [
        (CHAT, "azure", "gpt-4o", PAPER),
        (CHAT, "vllm", "qwen3", PAPER),
        (RESPONSES, "openai-responses", "gpt-5-mini", SOUND),
    ],
    ids=["azure", "vllm", "openai-responses"],
)
def test_what_the_table_rules_out(api: Spoken, service: str, model: str, part: Part) -> None:
    """What the table knows not to work is refused."""
    with pytest.raises(MisuseError, match="'rejected'"):
        content(api, part, known=capabilities_of(service, model))


@by_each_api
def test_a_refusal_sends_nothing(api: Spoken) -> None:
    """A run whose prompt cannot be sent raises before any request, sync and async."""
    with FakeServer() as server, closing(api.made("m", base_url=server.base_url)) as model:
        agent = Agent(str, model=model)
        with pytest.raises(MisuseError, match=r"Audio\(url"):
            agent.run([FAR_SOUND, "What is said?"])
        with pytest.raises(MisuseError, match=r"Audio\(url"):
            asyncio.run(agent.arun([FAR_SOUND, "What is said?"]))
        assert 0 == server.connections

"""What makes a history valid on every server: one system message at the start, ids of a shape, arguments that are JSON.

That each call is answered once, directly behind its turn, is seen to before a request is made: by the core for its own turns,
and by the agent for a history that it is given.
"""

from __future__ import annotations

import re
from hashlib import blake2b

from pydantic_core import from_json, to_json

from ..vocabulary.capabilities import Capabilities
from ..vocabulary.messages import Message, Text
from ..vocabulary.narrowing import is_object
from ..vocabulary.scrub import clean
from ..vocabulary.value import made


def in_order(messages: tuple[Message, ...], known: Capabilities) -> tuple[Message, ...]:
    r"""The conversation; its system messages are one, at the start, where no more than that is known to be accepted.

    Example:
        >>> told = in_order((Message.system("A."), Message.user("Hi"), Message.system("B.")), Capabilities())
        >>> [message.text for message in told]
        ['A.\n\nB.', 'Hi']
    """
    if known.multiple_system:
        return messages
    places = [place for place, message in enumerate(messages) if message.role == "system"]
    if not places or places == [0]:
        return messages
    text = "\n\n".join([messages[place].text for place in places])
    first = made(Message, role="system", parts=(made(Text, type="text", text=text, phase=None),))
    return (first, *[message for message in messages if message.role != "system"])


def thinks_back(known: Capabilities, *, calls: bool) -> bool:
    """Whether the thoughts of an earlier turn are sent back beside its text, the turn being one with calls or not.

    Example:
        >>> thinks_back(Capabilities(echo_reasoning="required_on_tool_turns"), calls=False)
        False
    """
    return known.echo_reasoning == "field" or (calls and known.echo_reasoning == "required_on_tool_turns")


def id_on_wire(given: str, known: Capabilities) -> str:
    """The id of a call; for a server that wants nine letters and digits (Mistral) a hash of it, unless it is that already.

    Example:
        >>> id_on_wire("call_1", Capabilities()), len(id_on_wire("call_1", Capabilities(tool_call_id="alnum9")))
        ('call_1', 9)
    """
    given = clean(given)
    if known.tool_call_id == "any" or re.fullmatch("[A-Za-z0-9]{9}", given):
        return given
    return blake2b(given.encode(), digest_size=5).hexdigest()[:9]


def arguments_on_wire(written: str) -> str:
    """What the model wrote, if it is a JSON object: servers parse earlier arguments again, and fail on anything else.

    Example:
        >>> arguments_on_wire('{"a":1}'), arguments_on_wire("[1]")
        ('{"a":1}', '{"invalid":"[1]"}')
    """
    written = clean(written)
    try:
        if is_object(from_json(written, allow_inf_nan=False)):
            return written
    except ValueError:
        pass
    return to_json({"invalid": written}).decode() if written.strip() not in ("", "null") else "{}"

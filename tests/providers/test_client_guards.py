"""What the openai client lets through, or raises bare (section 4.5 of the provider facts), and what a run makes of it.

Each case is asked by our own client, and by one of which no more is known than ``chat.completions.create``, as of a tracer's
wrapper: that one parses replies by itself.
"""

from __future__ import annotations

from contextlib import closing
from typing import cast

import pytest
from openai import AsyncOpenAI, OpenAI
from tests.providers.doors import (
    GOOD,
    ONCE,
    SOON,
    AnyClient,
    Door,
    Ended,
    Options,
    answer,
    ask_of,
    by_each_door,
    completion,
    error,
)
from tests.support import OSLO
from typing_extensions import Unpack

from settled import Settings
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply, SocketFault

HTML = {"content-type": "text/html"}


class OnlyCreate:
    """A wrapper around a client that shows ``chat.completions.create`` alone."""

    def __init__(self, client: AnyClient) -> None:
        """Wraps a client."""
        self.chat = client.chat


def guarded(door: Door, own: bool, *replies: object, **options: Unpack[Options]) -> Ended:
    """One run, with our own client or with a wrapped one; nothing is tried twice."""
    options = {"budget": ONCE, **options}
    with FakeServer(*replies, model="m") as server:
        if own:
            with closing(OpenAIChat("m", base_url=server.base_url)) as model:
                ended = ask_of(door, model, **options)
        else:
            client = (AsyncOpenAI if door.is_async else OpenAI)(base_url=server.base_url, api_key="k", max_retries=0)
            ended = ask_of(door, OpenAIChat("m", client=cast("AnyClient", OnlyCreate(client))), client, **options)
        return ended._replace(requests=server.requests)


by_each_client = pytest.mark.parametrize("own", [True, False], ids=["our client", "only create"])

NO_ANSWER: dict[str, HttpReply] = {
    "a page": HttpReply(headers=HTML, body="<html>Sign in</html>"),
    "plain text": HttpReply(headers={"content-type": "text/plain"}, body="Oslo"),
    "nothing": HttpReply(body=""),
    "invalid JSON": HttpReply(body='{"choices": [,'),
    "an error": HttpReply(body={"error": {"message": "bad thing", "type": "t"}}),
    "an error beside null": HttpReply(body={**completion(), "choices": None, "error": {"message": "bad thing"}}),
    "no choices": HttpReply(body={**completion(), "choices": []}),
    "message null": HttpReply(body={**completion(), "choices": [{"index": 0, "message": None, "finish_reason": "stop"}]}),
}
"""HTTP 200, and no answer."""

ODD: dict[str, HttpReply] = {
    "finish null": answer(finish=None),
    "finish STOP": answer(finish="STOP"),
    "finish eos": answer(finish="eos"),
    "content a list": answer([{"type": "text", "text": OSLO[:9]}, {"type": "text", "text": OSLO[9:]}]),
    "created null": answer(created=None),
    "created missing": HttpReply(body={name: value for name, value in completion().items() if name != "created"}),
    "usage null": answer(usage=None),
    "fields of the server's own": answer(message={"reasoning_details": [{"a": 1}]}, provider="p", timings={"a": [1]}),
}
"""An answer, oddly written."""


@pytest.mark.parametrize("case", NO_ANSWER)
@by_each_client
@by_each_door
def test_what_is_no_answer(door: Door, own: bool, case: str) -> None:
    """It is a typed report, never a bare exception, a text in place of a reply, or a success."""
    ended = guarded(door, own, NO_ANSWER[case])
    assert ("bad_response", True) == (ended.error.error_type, ended.report.retryable)
    assert 1 == ended.report.usage.uncertain_requests
    if "error" in case:
        assert "bad thing" in ended.error.message


@pytest.mark.parametrize("case", ODD)
@by_each_client
@by_each_door
def test_what_is_oddly_written(door: Door, own: bool, case: str) -> None:
    """What the client passes on unvalidated is read, or does no harm."""
    assert GOOD == guarded(door, own, ODD[case]).success.output


@by_each_client
@by_each_door
def test_finish_words(door: Door, own: bool) -> None:
    """The server's word is kept, and known words mean the same in any spelling."""
    kinds = [guarded(door, own, answer(finish=word)).success.steps[0].finish_reason for word in ("STOP", "eos", None)]
    assert [("stop", "STOP"), ("stop", "eos"), ("unspecified", None)] == [(one.kind, one.raw) for one in kinds]


@by_each_client
@by_each_door
def test_arguments_as_an_object(door: Door, own: bool) -> None:
    """Arguments that come as an object are those that it spells."""
    call = {"id": "c1", "type": "function", "function": {"name": "final_result", "arguments": GOOD.model_dump()}}
    reply = answer(None, finish="tool_calls", message={"tool_calls": [call]})
    assert GOOD == guarded(door, own, reply, mode="tool").success.output


@by_each_client
@by_each_door
def test_what_parse_would_raise(door: Door, own: bool) -> None:
    """A cut, a filter, a refusal and content that is no JSON, on which the client's own parser raises, are ends with a name."""
    cases = {
        "truncated": answer(OSLO[:9], finish="length"),
        "content_filtered": answer(finish="content_filter"),
        "refused": answer(None, message={"refusal": "No."}),
        "no_output": answer(None),
        "output_invalid": answer('{"name": Oslo}'),
    }
    assert list(cases) == [guarded(door, own, reply).code for reply in cases.values()]


@by_each_client
@by_each_door
def test_what_is_asked(door: Door, own: bool) -> None:
    """One plain request is made: no stream is asked for, and neither of the client's helpers that parse is used."""
    (asked,) = guarded(door, own, GOOD).requests
    assert asked.body is not None
    assert not {"stream", "stream_options"} & asked.body.keys()
    assert not {"x-stainless-helper-method", "x-stainless-poll-helper"} & asked.headers.keys()


@by_each_client
@by_each_door
def test_statuses_and_sockets(door: Door, own: bool) -> None:
    """What the client raises for a status, a broken connection or a silent server is the same report for any client."""
    refused = guarded(door, own, error(401, "bad key", headers=SOON))
    assert ("auth", "HTTP 401: bad key") == (refused.error.error_type, refused.error.message)
    assert "connection" == guarded(door, own, SocketFault("reset")).error.error_type
    silent = guarded(door, own, SocketFault("silence"), settings=Settings(timeout=0.3))
    assert "timeout" == silent.error.error_type
    assert silent.seconds < 0.8

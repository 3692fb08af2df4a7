"""The fakes: every kind of reply, what they record, and what they complain of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.forms import City, Colour

import settled.testing
from settled import (
    Agent,
    Capabilities,
    Failure,
    MisuseError,
    ModelRequest,
    ModelResponse,
    OutputMode,
    ProviderError,
    Reasoning,
    Success,
    Text,
    ToolCall,
)
from settled.testing import FunctionProvider, Refusal, ScriptedProvider, Truncated
from settled.vocabulary.stop import Refused
from settled.vocabulary.streaming import StreamPart

OSLO = City(name="Oslo", people=7)
TEXT = '{"name":"Oslo","people":7}'
REQUEST = ModelRequest(messages=(), mode="text")


def look_up(city: str) -> str:
    """The weather."""
    return city


def say_hello(request: ModelRequest) -> object:
    """A text."""
    return "Hei"


def cut_short(request: ModelRequest) -> object:
    """Cut off."""
    return Truncated("He")


def say_later(request: ModelRequest) -> object:
    """A function again."""
    return cut_short


@pytest.mark.parametrize(
    "reply, parts, finish",
    [
        ("Hei", (Text(text="Hei"),), "stop"),
        ("", (Text(text=""),), "stop"),
        (ToolCall(id="c1", name="f", arguments="{}"), (ToolCall(id="c1", name="f", arguments="{}"),), "tool_calls"),
        (
            [Text(text="a"), ToolCall(id="c1", name="f", arguments="{}")],
            (Text(text="a"), ToolCall(id="c1", name="f", arguments="{}")),
            "tool_calls",
        ),
        (Truncated("He"), (Text(text="He"),), "length"),
        (Truncated('{"a', in_call="f"), (ToolCall(id="call_cut", name="f", arguments='{"a'),), "length"),
        (Refusal("no"), (), "stop"),
        (ModelResponse.of("Hei", finish="content_filter"), (Text(text="Hei"),), "content_filter"),
        (say_hello, (Text(text="Hei"),), "stop"),
        (say_later, (Text(text="He"),), "length"),
    ],
    ids=["text", "empty", "call", "parts", "truncated", "cut-call", "refusal", "response", "function", "function-of-function"],
)
def test_replies(reply: object, parts: tuple[object, ...], finish: str) -> None:
    """Each kind of reply makes its response."""
    response = ScriptedProvider(reply).request(REQUEST)
    assert (parts, finish) == (response.parts, response.finish_reason.kind)


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
@pytest.mark.parametrize(
    "value", [OSLO, [1, 2], None, 7, Colour.BLUE, {"a": 1}], ids=["model", "list", "none", "int", "enum", "dict"]
)
def test_typed_values(mode: OutputMode, value: object) -> None:
    """A typed value is spelled for whatever mode the run resolves to, also a list, and an enum that is a string."""
    form: type[object] = City if isinstance(value, City) else type(value)
    if value is None:
        assert Agent(None, model=ScriptedProvider(None), mode=mode).run("?") is None
    else:
        assert value == Agent(form, model=ScriptedProvider(value), mode=mode).run("?")


@pytest.mark.parametrize("error", [ProviderError("auth", "no"), KeyError("x")], ids=["provider-error", "other"])
def test_exceptions_are_raised(error: Exception) -> None:
    """An exception is raised, also from the async twin; in a run it becomes the report's."""
    fake = ScriptedProvider(error, error, error)
    with pytest.raises(type(error)):
        fake.request(REQUEST)
    with pytest.raises(type(error)):
        asyncio.run(fake.arequest(REQUEST))
    failed = Agent(str, model=fake).settle("?")
    assert isinstance(failed, Failure)
    assert failed.report.code == "error"


def test_base_exceptions_are_raised() -> None:
    """Also those that end a program."""
    with pytest.raises(KeyboardInterrupt):
        Agent(str, model=ScriptedProvider(KeyboardInterrupt())).run("?")


def test_a_refusal_is_final() -> None:
    """A refusal ends the run with the model's text."""
    failed = Agent(City, model=ScriptedProvider(Refusal("I cannot."))).settle("?")
    assert isinstance(failed, Failure)
    assert Refused(text="I cannot.") == failed.report.stop_reason


def test_leftovers_are_complained_of() -> None:
    """A reply that was never used fails the test, in words."""
    with pytest.raises(AssertionError) as raised, ScriptedProvider(OSLO, OSLO, OSLO) as fake:
        Agent(City, model=fake).run("?")
    assert str(raised.value) == "2 of 3 scripted replies were never asked for; the run made 1 requests"


def test_leftovers_do_not_hide_what_is_wrong() -> None:
    """If the block raises, that is what is seen."""
    with pytest.raises(KeyError), ScriptedProvider(OSLO):
        raise KeyError


def test_nothing_left() -> None:
    """A script that was used up is quiet, and knows it."""
    with ScriptedProvider(OSLO) as fake:
        assert fake.leftover == 1
        Agent(City, model=fake).run("?")
    assert fake.leftover == 0


def test_one_reply_too_few_is_the_tests_mistake() -> None:
    """A script that runs out raises MisuseError through the run, saying where, and what to do."""
    with pytest.raises(MisuseError) as raised:
        Agent(City, model=ScriptedProvider("x"), mode="prompted").run("?")
    assert "has 1 replies and was asked for one more (step 2, mode prompted)" in str(raised.value)
    with pytest.raises(MisuseError, match="0 replies"):
        asyncio.run(Agent(City, model=ScriptedProvider()).arun("?"))


def test_requests_are_recorded() -> None:
    """Requests are there in order, with messages, tools and settings."""
    with ScriptedProvider("x", OSLO) as fake:
        Agent(City, model=fake, tools=[look_up], mode="tool").run("Oslo?")
    assert [1, 2] == [request.step for request in fake.requests]
    assert ["look_up", "final_result"] == [tool.name for tool in fake.requests[0].tools]
    assert fake.requests[0].messages[-1].text == "Oslo?"


def test_names_and_capabilities() -> None:
    """A fake has a name, a model, and can do everything unless told otherwise."""
    fake, other = ScriptedProvider(model="m"), FunctionProvider(str, model="f", capabilities=Capabilities())
    assert ("scripted", "m", "enforced") == (fake.name, fake.model, fake.capabilities().json_schema)
    assert ("function", "f", "unknown") == (other.name, other.model, other.capabilities().json_schema)
    assert ("scripted", "function") == (ScriptedProvider().model, FunctionProvider(str).model)
    for provider in (fake, other):
        provider.close()
        asyncio.run(provider.aclose())


@pytest.mark.parametrize(
    "capabilities, mode",
    [(Capabilities(), "prompted"), (Capabilities(json_schema="enforced"), "native"), (Capabilities(tools="enforced"), "tool")],
    ids=["nothing", "native", "tool"],
)
def test_capabilities_steer_the_mode(capabilities: Capabilities, mode: str) -> None:
    """What the fake says it can do decides the mode."""
    settled = Agent(City, model=ScriptedProvider(OSLO, capabilities=capabilities)).settle("?")
    assert isinstance(settled, Success)
    assert mode == settled.mode


def test_function_provider() -> None:
    """A function of the request answers each, with whatever a scripted reply may be, and may raise."""
    fake = FunctionProvider(lambda request: OSLO if request.step > 1 else "x")
    agent = Agent(City, model=fake)
    assert OSLO == agent.run("?") == asyncio.run(agent.arun("?"))
    assert [1, 2, 1, 2] == [request.step for request in fake.requests]
    with pytest.raises(MisuseError):
        Agent(str, model=FunctionProvider(lambda request: OSLO)).run("?")


def test_threads_share_a_script() -> None:
    """Each reply is given once, also to many threads."""
    with ScriptedProvider(*range(64)) as fake, ThreadPoolExecutor(8) as pool:
        agent = Agent(int, model=fake)
        assert set(range(64)) == set(pool.map(agent.run, ["?"] * 64))


def test_the_room_exports_what_it_declares() -> None:
    """What ``settled.testing`` declares is there, and documented."""
    for name in settled.testing.__all__:
        assert hasattr(settled.testing, name)


def pieces(parts: Iterable[StreamPart]) -> list[object]:
    """What the parts say, each as plain data."""
    return [part if isinstance(part, ModelResponse) else tuple(part) for part in parts]


@pytest.mark.parametrize("kind", [ScriptedProvider, FunctionProvider])
def test_a_reply_in_pieces(kind: type[ScriptedProvider] | type[FunctionProvider]) -> None:
    """Asked for a stream, a fake cuts its reply into pieces, sync and async alike; the whole reply comes last."""
    whole = ModelResponse(
        parts=(
            Reasoning(text="Hm, well"),
            Text(text="Oslo"),
            Text(text=""),
            ToolCall(id="c1", name="f", arguments='{"a":1}'),
            ToolCall(id="c2", name="g", arguments=""),
        )
    )
    asked = ModelRequest(messages=(), mode="text")
    made: Callable[[], ScriptedProvider | FunctionProvider] = lambda: (  # noqa: E731
        ScriptedProvider(whole, chunk=5) if kind is ScriptedProvider else FunctionProvider(lambda _: whole, chunk=5)
    )

    async def read(fake: ScriptedProvider | FunctionProvider) -> list[StreamPart]:
        return [part async for part in fake.astream(asked)]

    expected = [("Hm, w",), ("ell",), ("Oslo",), (0, "c1", "f", '{"a":'), (0, "c1", "f", "1}"), (1, "c2", "g", ""), whole]
    assert expected == pieces(made().stream(asked)) == pieces(asyncio.run(read(made())))


def test_a_stream_of_a_script_that_fails() -> None:
    """An exception of the script is raised by the stream; a request for one is recorded like any other."""
    fake = ScriptedProvider(ProviderError("server", "oops"))
    with pytest.raises(ProviderError, match="oops"):
        list(fake.stream(ModelRequest(messages=(), mode="text", step=3)))
    assert [3] == [request.step for request in fake.requests]


def test_a_piece_holds_something() -> None:
    """Pieces of no size are refused."""
    with pytest.raises(MisuseError, match="at least one character"):
        ScriptedProvider("Oslo", chunk=0)

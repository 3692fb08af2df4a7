"""`explain` and `build_request`: what a run would send first, and why, without sending anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from pydantic import BaseModel, Field, JsonValue
from tests.support import City

from settled import (
    Agent,
    Budget,
    Capabilities,
    Explanation,
    Hooks,
    Image,
    Message,
    MisuseError,
    ModelRequest,
    OutputMode,
    RunContext,
    Settings,
    Success,
)
from settled.providers import OpenAIChat
from settled.testing import ScriptedProvider, use_model

NOTHING = Capabilities()
ENFORCING = Capabilities(json_schema="enforced")


def fake(capabilities: Capabilities = ENFORCING) -> ScriptedProvider:
    """A model with one reply."""
    return ScriptedProvider(City(name="Oslo", people=7), capabilities=capabilities)


def look_up(city: str) -> str:
    """Look a city up."""
    return city


class Telling(ScriptedProvider):
    """A model that tells what it would send."""

    def body(self, request: ModelRequest) -> dict[str, JsonValue]:
        """One field of it."""
        return {"model": self.model, "prompt": request.messages[-1].text}


def by_name(ctx: RunContext[str]) -> str:
    """Instructions that need a context."""
    return "You serve " + ctx.context.upper()


async def slowly() -> str:
    """Instructions that take an await."""
    await asyncio.sleep(0)
    return "You are slow."


def polite(ctx: RunContext[object], request: ModelRequest) -> ModelRequest:
    """A hook that adds a message."""
    return request.changed(messages=(*request.messages, Message.user("Please.")))


def texts(request: ModelRequest | None) -> list[str]:
    """The text of each message, without what the mode adds."""
    assert request is not None
    return [message.text.split("\n")[0] for message in request.messages]


CASES: dict[str, tuple[Agent[object], OutputMode, str]] = {
    "text": (Agent(str), "text", "the output is str"),
    "unknown endpoint": (Agent(City), "prompted", "nothing better is known of the server"),
    "known by the model": (Agent(City, model=fake()), "native", "the server enforces a schema"),
    "known by the agent": (Agent(City, capabilities=Capabilities(tools="enforced")), "tool", "the server takes tools"),
    "asked for": (Agent(City, mode="tool"), "tool", "asked for"),
    "with tools": (Agent(City, tools=[look_up], model=fake(Capabilities(tools="enforced"))), "tool", "tools are on offer"),
}


@pytest.mark.parametrize("agent, mode, reason", CASES.values(), ids=CASES)
def test_mode_and_reason(agent: Agent[object], mode: OutputMode, reason: str) -> None:
    """The mode is the one that a run would use, with the reason of the rule that fired; the request is in that mode."""
    explained = agent.explain()
    assert (mode, 1) == (explained.mode, len(explained.reasons))
    assert reason in explained.reasons[0]
    assert explained.request is not None
    assert mode == explained.request.mode
    assert "<your prompt>" == explained.request.messages[-1].text


def test_what_is_explained_is_what_is_sent() -> None:
    """`explain` and `build_request` show the request that `run` then sends, and send nothing themselves."""
    model = fake()
    agent = Agent(City, model=model, instructions=lambda: "You know geography.", hooks=Hooks(before_model=polite))
    explained, built = agent.explain("Oslo?"), agent.build_request("Oslo?")
    assert model.requests == []
    agent.run("Oslo?")
    sent = model.requests[0]
    assert explained.request is not None
    assert sent == built.changed(run_id=sent.run_id) == explained.request.changed(run_id=sent.run_id)


def test_build_request_takes_what_a_run_takes() -> None:
    """History, context, model and parts of a prompt end in the request; each one has an id of its own."""
    earlier = Agent(str, model=ScriptedProvider("7")).settle("How many?")
    agent = Agent(str, instructions=by_name)
    picture = Image(url="https://example.org/a.png")
    request = agent.build_request(["Look:", picture], history=earlier, context="ann", model=fake())
    assert ["You serve ANN", "How many?", "7", "Look:"] == texts(request)
    assert picture in request.messages[-1].parts
    assert agent.build_request("?", context="ann").run_id != agent.build_request("?", context="ann").run_id


def test_async_instructions_are_awaited() -> None:
    """Instructions that are a coroutine are carried out, as a sync run does it."""
    assert ["You are slow.", "?"] == texts(Agent(str, instructions=slowly).build_request("?"))


def test_overrides_hold() -> None:
    """An override of model, settings and budget holds for the request, as it would for a run."""
    agent = Agent(City, model=fake(NOTHING))
    with use_model(fake()):
        assert "native" == agent.explain().mode
    with agent.override(settings=Settings(seed=7), budget=Budget(max_output_tokens=90)):
        settings = agent.build_request("?").settings
    assert (7, 90) == (settings.seed, settings.max_tokens)


def test_the_environment_names_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """``SETTLED_MODEL`` is read as by a run; set to nothing, it names none."""
    monkeypatch.setenv("SETTLED_MODEL", "")
    assert Agent(City).explain().model is None
    monkeypatch.setenv("SETTLED_MODEL", "nowhere:x")
    with pytest.raises(MisuseError, match="nowhere"):
        Agent(City).explain()


def test_hooks_that_only_watch_are_not_called() -> None:
    """No run starts or stops: `on_start`, `on_stop` and observers hear nothing."""
    heard: list[object] = []
    hooks = Hooks(on_start=heard.append, on_stop=lambda ctx, reason: heard.append(reason))
    agent = Agent(int, hooks=hooks, observers=[heard.append], instructions=lambda: "Count.")
    agent.explain()
    agent.build_request("?")
    assert heard == []


def failing(ctx: RunContext[object]) -> str:
    """Instructions that raise."""
    raise KeyError("shop")


def stopping(ctx: RunContext[object], request: ModelRequest) -> None:
    """A hook that ends the run."""
    ctx.stop("closed today")


@pytest.mark.parametrize(
    "agent, words",
    [(Agent(City, instructions=failing), "shop"), (Agent(City, hooks=Hooks(before_model=stopping)), "closed today")],
    ids=["instructions raise", "hook stops"],
)
def test_user_code_that_ends_the_run_first(agent: Agent[City], words: str) -> None:
    """Where the agent's own code fails or ends the run, `build_request` is refused, and `explain` says why."""
    with pytest.raises(MisuseError, match=words):
        agent.build_request("?")
    explained = agent.explain()
    assert ("prompted", None, None) == (explained.mode, explained.request, explained.body)
    assert explained.unbuilt is not None
    assert words in explained.unbuilt
    assert f"no request: {explained.unbuilt}" in str(explained)


WRONG: dict[str, Callable[[], object]] = {
    "prompt": lambda: Agent(int).build_request(7),  # type: ignore[arg-type]
    "history": lambda: Agent(int).build_request("?", history=["hi"]),  # type: ignore[list-item]
    "model": lambda: Agent(int).explain(model=7),  # type: ignore[arg-type]
    "mode": lambda: Agent(City, mode="native").explain(model=fake(Capabilities(json_schema="rejected"))),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_misuse(call: Callable[[], object]) -> None:
    """Wrong arguments, and a mode that the model refuses, are refused as by a run."""
    with pytest.raises(MisuseError):
        call()


def test_text_of_an_unknown_endpoint() -> None:
    """Without a model, the text says so, and shows the request in the words of no server."""
    shown = str(Agent(City, tools=[look_up], instructions="You know geography.").explain())
    assert "mode   prompted (asked for: auto)" in shown
    assert "model  none named" in shown
    assert "knows  nothing" in shown
    assert "system: You know geography." in shown
    assert 'tool look_up: {"' in shown


def test_text_of_a_known_endpoint() -> None:
    """With a model, the text names it and what is known of it, and the format that it is sent."""
    shown = str(Agent(City, model=fake(), mode="native").explain(["Where?", Image(url="https://example.org/a.png")]))
    fact = "       json_schema=enforced (said by the provider)"
    assert shown.startswith(f"mode   native\nwhy    asked for\n{fact}\nmodel  scripted:scripted\nknows  json_schema=enforced")
    assert "user: Where?" in shown
    assert "format City: {" in shown


def test_text_without_words() -> None:
    """A message of pictures alone is shown by its kinds; a model of which nothing is known is said to be so."""
    shown = str(Agent(str, model=fake(NOTHING)).explain([Image(url="https://example.org/a.png")]))
    assert "user: image" in shown
    assert "knows  nothing" in shown
    assert str(Explanation(mode="text", mode_requested="text", reasons=())).endswith("knows  nothing")


def test_the_body_of_a_provider_that_tells_it() -> None:
    """A provider that can say what it would send is asked for it, and the text shows that."""
    explained = Agent(str, model=Telling(model="m")).explain()
    assert {"model": "m", "prompt": "<your prompt>"} == explained.body
    assert '"prompt": "<your prompt>"' in str(explained)


def test_json() -> None:
    """The JSON form gives an equal explanation again, the same each time, and holds no header."""
    agent = Agent(City, model=Telling(), settings=Settings(extra_headers={"authorization": "sk-secret"}))
    written = agent.explain().to_json()
    assert agent.explain().to_json() == written
    assert "sk-secret" not in written + str(agent.explain()) + repr(agent.explain())
    assert written == Explanation.model_validate_json(written).to_json()


def test_repr_shows_no_prompt() -> None:
    """`repr` shows the mode and the model, never a prompt or instructions."""
    shown = repr(Agent(str, instructions="secret plan", model=fake()).explain("secret"))
    assert shown == "Explanation(mode='text', mode_requested='auto', model='scripted:scripted', dialect='plain')"


def test_a_built_request_can_be_asked() -> None:
    """A built request goes through a provider by hand, and its reply through `parse`."""
    model = ScriptedProvider(City(name="Oslo", people=7))
    agent = Agent(City, model=model, mode="native")
    parsed = agent.parse(model.request(agent.build_request("?")))
    assert isinstance(parsed, Success)
    assert City(name="Oslo", people=7) == parsed.output


def test_a_model_whose_name_is_no_unicode() -> None:
    """A name from a command line that is no Unicode is written out, so that the explanation has a text and a JSON form."""
    explained = Agent(str, model=Telling(model="m\udcff")).explain()
    assert "scripted:m\\udcff" == explained.model
    assert {"model": "m\\udcff", "prompt": "<your prompt>"} == explained.body
    assert "m\\udcff" in str(explained)
    assert explained.to_json() == Explanation.model_validate_json(explained.to_json()).to_json()


# Evidence, and what is lost.


class Shelf(BaseModel):
    """A map of anything, which few dialects can say, and a bound."""

    notes: list[dict[str, object]] = []
    size: int = Field(ge=1)


def test_evidence_has_sources() -> None:
    """Each fact that a rule rests on is told with who said so: the agent, the table behind the provider, or nobody."""
    model = OpenAIChat("gpt-4o", api_key="none")
    mine = Agent(City, model=model, capabilities=Capabilities(json_schema="enforced")).explain()
    assert [str(fact) for fact in mine.evidence] == [
        "json_schema=enforced (given to the agent)",
        "dialect=openai (OpenAI API reference: structured outputs, function calling)",
    ]
    nobody = Agent(City).explain()
    assert {fact.source for fact in nobody.evidence} == {"nobody said so"}


def test_rules_that_were_passed_over() -> None:
    """The rules that came first are told with what they found."""
    explained = Agent(City, tools=[look_up], model=fake(Capabilities(json_schema="enforced", tools="enforced"))).explain()
    assert explained.passed_over == (
        "native, since json_schema=enforced, coexist=unknown (the server enforces a schema, also beside tools)",
    )
    assert f"not    {explained.passed_over[0]}" in str(explained)


def test_losses_are_told() -> None:
    """What the type says and the schema does not is told by path, and whether its shape or only a constraint is lost."""
    known = Capabilities(json_schema="enforced", tools="enforced", choice_required="enforced", dialect="azure")
    explained = Agent(Shelf, model=fake(known)).explain()
    assert (explained.mode, explained.dialect, explained.strict) == ("tool", "azure", False)
    assert any(loss.startswith("shape $.notes[]") for loss in explained.losses)
    assert "schema azure, not strict" in str(explained)
    whole = Agent(City, model=fake(known)).explain()
    assert (whole.mode, whole.strict, whole.losses) == ("native", True, ())


def test_strict_is_refused_where_it_cannot_be() -> None:
    """``strict=True`` with a type that the dialect has no words for fails when the agent is made, naming the place."""
    known = Capabilities(json_schema="enforced", tools="enforced", tool_strict="enforced", dialect="openai")
    with pytest.raises(MisuseError, match=r"type Shelf: strict=True: \$\.notes"):
        Agent(Shelf, strict=True, model=fake(known), mode="native")
    with pytest.raises(MisuseError, match="nothing is known to hold this model"):
        Agent(City, strict=True, model=fake(NOTHING))
    with pytest.raises(MisuseError, match="nothing is known to hold this model"):
        Agent(City, strict=True).run("?", model=fake(NOTHING))
    assert Agent(City, strict=True, model=fake(known)).explain().strict


def test_json_mode_is_told() -> None:
    """A prompted request for any JSON object is shown as that."""
    explained = Agent(City, model=fake(Capabilities(json_object="enforced"))).explain()
    assert "format City: any JSON object" in str(explained)


def test_strict_says_nothing_of_reading() -> None:
    """A reply that is only read is read whatever the server was held to."""
    assert Agent(int, strict=True).parse("7").unwrap() == 7

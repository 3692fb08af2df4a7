"""`Fallback` as the model of an agent: the next model on a `ProviderError`, heard of, learned from, bounded and resumed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

import pytest
from tests.support import City, chain_of, faults_in

from settled import (
    Agent,
    Approved,
    Budget,
    Capabilities,
    Checkpoint,
    Failure,
    Fallback,
    MisuseError,
    ModelRequest,
    OutputMode,
    Paused,
    ProviderError,
    Settings,
    Success,
    Tool,
    ToolCall,
    Usage,
    answered_by,
)
from settled.core.actions import Finish
from settled.core.checkpoint import dump, load
from settled.core.events import FellBack, ModelFailed, ModelReplied, RunEnded, RunStarted, SteppedDown
from settled.core.machine import advance, pending, start
from settled.providers import OpenAIChat
from settled.runners.effects import effect_of
from settled.runners.run import Run
from settled.runners.sync import carry_out, drive
from settled.testing import FakeServer, FunctionProvider, HttpReply, Refusal, Reply, ScriptedProvider, use_model
from settled.vocabulary.errors import ProviderErrorKind

PROMPT = "The capital of Norway?"
GOOD = City(name="Oslo", people=700_000)
NATIVE = Capabilities(json_schema="enforced", tools="enforced")
TOOLS = Capabilities(tools="enforced", choice_required="enforced")
PROMPTED = Capabilities(tools="rejected")
Outcome: TypeAlias = Success[Any] | Failure[Any]
Door: TypeAlias = Callable[..., Outcome]


def sync(agent: Agent[Any, Any], **options: Any) -> Outcome:
    """By the sync runner."""
    return agent.settle(PROMPT, **options)


def awaited(agent: Agent[Any, Any], **options: Any) -> Outcome:
    """By the async runner."""
    return asyncio.run(agent.asettle(PROMPT, **options))


each_door = pytest.mark.parametrize("door", [sync, awaited], ids=["sync", "async"])


def down(kind: ProviderErrorKind = "quota", **more: Any) -> ProviderError:
    """No answer, and none to be had by asking again."""
    return ProviderError(kind, "no", retryable=False, **more)


def refusal(feature: str = "response_format") -> ProviderError:
    """A field that the service does not take."""
    return ProviderError("invalid_request", f"{feature} is not supported", feature=feature)


def model(name: str, *replies: Reply, known: Capabilities = NATIVE) -> ScriptedProvider:
    """A fake with a name."""
    return ScriptedProvider(*replies, model=name, capabilities=known)


@each_door
def test_the_next_model_answers(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """It is asked as its own capabilities call for, observers hear of it behind the error, and the log warns."""
    heard: list[object] = []
    with model("a", down("auth")) as a, model("b", GOOD, known=TOOLS) as b, caplog.at_level(logging.WARNING, "settled"):
        outcome = door(Agent(City, model=Fallback(a, b), observers=[heard.append]))
    assert isinstance(outcome, Success)
    assert (outcome.output, outcome.mode, outcome.mode_requested, outcome.degraded_from) == (GOOD, "tool", "auto", None)
    assert [(attempt.outcome, attempt.model) for attempt in outcome.attempts] == [
        ("error", "scripted:a"),
        ("valid", "scripted:b"),
    ]
    assert [type(event) for event in heard] == [RunStarted, ModelFailed, FellBack, ModelReplied, RunEnded]
    assert heard[2] == FellBack("scripted:a", "scripted:b", "auth")
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "the model scripted:a failed (auth); the next to be asked is scripted:b")
    ]


@each_door
def test_all_models_fail(door: Door) -> None:
    """The report is of the last error, with the others beside it."""
    outcome = door(Agent(City, model=Fallback(model("a", down()), model("b", down("auth")), model("c", down("not_found")))))
    assert isinstance(outcome, Failure)
    report = outcome.report
    assert report.stop_reason.label == "error:not_found"
    assert [reason.label for reason in report.secondary] == ["error:quota", "error:auth"]
    assert isinstance(report.exception, ProviderError)
    assert report.exception.kind == "not_found"


def test_an_attempt_with_one_model_names_none() -> None:
    """Where there is only one model to ask, an attempt does not say which, and a report shows no name."""
    outcome = Agent(City, model=model("a", down())).settle(PROMPT)
    assert isinstance(outcome, Failure)
    assert outcome.report.attempts[0].model is None
    assert "scripted" not in outcome.report.render()


@each_door
def test_a_later_end_is_not_caused_by_an_earlier_error(door: Door) -> None:
    """A run that the second model refused has no exception behind it; the first one's error is secondary."""
    outcome = door(Agent(City, model=Fallback(model("a", down()), model("b", Refusal("I cannot.")))))
    assert isinstance(outcome, Failure)
    assert (outcome.report.code, outcome.report.exception) == ("refused", None)
    assert [reason.label for reason in outcome.report.secondary] == ["error:quota"]


def test_retries_of_the_transport_come_first() -> None:
    """The same model is asked again as often as the budget says, and with none the next one at once."""
    passing = ProviderError("overloaded", "later", retry_after=0.0)
    patient, impatient = model("a", passing, passing, GOOD), model("a", passing)
    assert Agent(City, model=Fallback(patient, model("b"))).run(PROMPT) == GOOD
    with model("b", GOOD) as b:
        Agent(City, model=Fallback(impatient, b), budget=Budget(transport_retries=0)).run(PROMPT)
    assert len(patient.requests) == 3


def test_wherever_a_model_may_stand() -> None:
    """A fallback is taken by the agent, the call, a changed copy, an override and `answered_by`."""

    def pair() -> Fallback:
        return Fallback(model("a", down()), model("b", 7))

    agent = Agent(int, model=pair())
    assert [agent.run("?"), agent.run("?", model=pair()), agent.with_(model=pair()).run("?")] == [7, 7, 7]
    with agent.override(model=pair()):
        assert agent.run("?") == 7
    with use_model(pair()):
        assert Agent(int).run("?") == 7

    @answered_by(pair())
    def count(what: str) -> int:
        """How many {what}?"""
        raise NotImplementedError

    assert count("ships") == 7


def test_strings_are_looked_up_when_a_run_starts() -> None:
    """A name that does not exist is told by the run that starts, not by the one that has to fall back."""
    agent = Agent(int, model=Fallback("openai:gpt-5-mini", "nowhere:x"))
    with pytest.raises(MisuseError, match="nowhere"):
        agent.run("?")
    with pytest.raises(MisuseError, match="nowhere"):
        Agent(int).run("?", model=Fallback(model("a", 7), "nowhere:x"))


def look_up(city: str) -> str:
    """A tool."""
    return f"{city} is large"


@pytest.mark.parametrize(
    "options",
    [{"mode": "tool"}, {"tools": [look_up]}, {"strict": True}],
    ids=["a mode", "tools", "strict"],
)
def test_what_a_later_model_cannot_do_is_refused_at_once(options: dict[str, Any]) -> None:
    """A model that could never take over is named before the first one is asked."""
    first = model("a", GOOD, known=NATIVE.changed(dialect="openai"))
    with pytest.raises(MisuseError, match="scripted:b: "):
        Agent(City, **options).run(PROMPT, model=Fallback(first, model("b", known=PROMPTED)))
    assert first.requests == []


def test_a_mode_that_a_later_model_cannot_do_is_refused_when_the_agent_is_made() -> None:
    """As for a single model."""
    with pytest.raises(MisuseError, match='scripted:b: mode "tool" needs tools'):
        Agent(City, mode="tool", model=Fallback(model("a"), model("b", known=PROMPTED)))


def test_text_needs_nothing() -> None:
    """Text mode asks for nothing that a model may be unable to do."""
    assert Agent(str, mode="text", model=Fallback(model("a", down()), model("b", "Oslo"))).run(PROMPT) == "Oslo"


class Counting(ScriptedProvider):
    """Counts how often it is asked what it can do."""

    asked = 0

    def capabilities(self) -> Capabilities:
        """What it was given."""
        self.asked += 1
        return super().capabilities()


def test_a_model_that_is_not_needed_is_not_planned_for() -> None:
    """What a later model can do is only asked when the run comes to it."""
    first, second = Counting(GOOD, down()), Counting(GOOD)
    agent = Agent(City, model=Fallback(first, second))
    agent.run(PROMPT)
    assert second.asked == 0
    agent.run(PROMPT)
    assert second.asked == 1


# Stepping down and learning.


class Learning(ScriptedProvider):
    """Keeps in mind what was refused."""

    learned: str | None = None

    def learn(self, feature: str, mode: OutputMode) -> None:
        """Heard of a refusal."""
        self.learned = f"{feature} in {mode} mode"


@each_door
def test_each_model_learns_its_own_refusals(door: Door) -> None:
    """What a model refused is learned by that model, and later runs of the agent ask each as it wants to be asked."""
    heard: list[object] = []
    first = Learning(refusal(), refusal("tools"), down(), model="a", capabilities=NATIVE)
    second = Learning(refusal("tools"), GOOD, GOOD, model="b", capabilities=TOOLS)
    agent = Agent(City, model=Fallback(first, second), observers=[heard.append])
    outcome = door(agent)
    assert isinstance(outcome, Success)
    assert [(attempt.model, attempt.mode) for attempt in outcome.attempts] == [
        ("scripted:a", "native"), ("scripted:a", "tool"), ("scripted:b", "tool"), ("scripted:b", "prompted"),
    ]  # fmt: skip
    assert (first.learned, second.learned) == ("response_format in native mode", "tools in tool mode")
    notable = [event for event in heard if isinstance(event, (SteppedDown, FellBack))]
    assert notable == [
        SteppedDown("native", "tool", "response_format"),
        FellBack("scripted:a", "scripted:b", "invalid_request"),
        SteppedDown("tool", "prompted", "tools"),
    ]
    again = door(agent)
    assert isinstance(again, Success)
    assert [(attempt.model, attempt.mode) for attempt in again.attempts] == [("scripted:a", "tool"), ("scripted:b", "prompted")]


def test_a_run_without_an_agent_learns_by_its_provider_alone() -> None:
    """There is nobody else to keep in mind what was refused."""
    first = Learning(refusal(), refusal("tools"), model="a")
    plan = chain_of("native", "tool")
    outcome = drive(Run(plan=plan, provider=first, others=(model("b", GOOD),)), start(plan, PROMPT, run_id="r"))
    assert isinstance(outcome, Success)
    assert first.learned == "response_format in native mode"


def test_an_error_that_names_nothing_teaches_nothing() -> None:
    """The first model failed after it had refused something: that is no proof of the refusal."""
    first = Learning(refusal(), down("server"), model="a", capabilities=NATIVE)
    assert Agent(City, model=Fallback(first, model("b", GOOD))).run(PROMPT) == GOOD
    assert first.learned is None


# The conversation goes on.


@each_door
def test_a_run_falls_back_in_the_middle(door: Door) -> None:
    """Tool calls and re-asks of one model are the history of the next, and the ledger is one."""
    search = ToolCall(id="c1", name="look_up", arguments='{"city": "Oslo"}')
    with model("a", search, '{"name": "Oslo"}', down("overloaded")) as a, model("b", search, GOOD, known=TOOLS) as b:
        outcome = door(Agent(City, model=Fallback(a, b), tools=[look_up]))
    assert isinstance(outcome, Success)
    assert (outcome.usage.requests, len(outcome.steps), len(outcome.attempts)) == (4, 4, 3)
    assert [request.step for request in (*a.requests, *b.requests)] == [1, 2, 3, 4, 5]
    for request in (*a.requests, *b.requests):
        assert not faults_in(request.messages)
    assert b.requests[0].messages[1:] == a.requests[2].messages[-len(b.requests[0].messages[1:]) :]


def test_wishes_of_the_call_hold_for_all_models() -> None:
    """Budget, settings and context are those of the run, whichever model is asked."""
    with model("a", down()) as a, model("b", "x", GOOD) as b:
        options: Any = {"settings": Settings(temperature=0.5), "budget": Budget(max_steps=3)}
        outcome = Agent(City, model=Fallback(a, b)).settle(PROMPT, **options)
    assert isinstance(outcome, Success)
    assert {request.settings.temperature for request in b.requests} == {0.5}


def test_each_reply_has_the_price_of_the_model_that_gave_it() -> None:
    """The price function is told of the model that answered."""
    named: list[str] = []

    def price(service: str, model: str, usage: Usage) -> float:
        named.append(f"{service}:{model}")
        return 0.5

    budget = Budget(price=price, max_cost=Decimal(5))
    answer = FunctionProvider(lambda request: GOOD, model="b")
    outcome = Agent(City, model=Fallback(model("a", down()), answer), budget=budget).settle(PROMPT)
    assert isinstance(outcome, Success)
    assert (outcome.usage.cost, set(named)) == (Decimal("0.5"), {"function:b"})


# Resuming.


def test_a_stopped_run_goes_on_with_the_model_it_was_at() -> None:
    """Also from JSON, in another agent of the same making; a model that failed is not asked again."""
    budget = Budget(max_steps=1)
    stopped = Agent(City, model=Fallback(model("a", down()), model("b")), budget=budget).settle(PROMPT)
    assert isinstance(stopped, Failure)
    assert stopped.report.code == "step_limit"
    assert stopped.checkpoint is not None
    kept = Checkpoint.model_validate_json(stopped.checkpoint.model_dump_json())
    with model("a") as a, model("b", GOOD) as b:
        again = Agent(City, model=Fallback(a, b)).resume(kept, budget=Budget(max_steps=3))
    assert isinstance(again, Success)
    assert again.output == GOOD
    with model("alone", GOOD, known=TOOLS) as alone:
        single = Agent(City).resume(kept, budget=Budget(max_steps=3), model=alone)
    assert isinstance(single, Success)
    assert (single.output, single.mode) == (GOOD, "tool")


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_pause_in_the_second_model(is_async: bool) -> None:
    """A call that waits for a person is decided, and the model that made it goes on, in its own mode."""
    gated = Tool.of(look_up, requires_approval=True)
    call = ToolCall(id="c1", name="look_up", arguments='{"city": "Oslo"}')
    first = Agent(City, model=Fallback(model("a", down()), model("b", call, known=TOOLS)), tools=[gated])
    waiting = asyncio.run(first.astart(PROMPT)) if is_async else first.start(PROMPT)
    assert isinstance(waiting, Paused)
    kept = Checkpoint.model_validate_json(waiting.checkpoint.model_dump_json())
    with model("a") as a, model("b", GOOD, known=TOOLS) as b:
        later = Agent(City, model=Fallback(a, b), tools=[gated])
        again = asyncio.run(later.aresume(kept, {"c1": Approved()})) if is_async else later.resume(kept, {"c1": Approved()})
    assert isinstance(again, Success)
    assert (again.output, again.mode, b.requests[0].messages[-1].text) == (GOOD, "tool", "Oslo is large")
    assert [attempt.model for attempt in again.attempts] == ["scripted:a", "scripted:b"]


# Explaining.


def test_explain_tells_of_the_first_and_names_the_others() -> None:
    """The request is that to the first model."""
    agent = Agent(City, model=Fallback(model("a"), model("b", known=TOOLS), "openai:gpt-5-mini"))
    explained = agent.explain()
    assert (explained.mode, explained.model, explained.fallbacks) == ("native", "scripted:a", ("scripted:b", "openai:gpt-5-mini"))
    assert "then   scripted:b\nthen   openai:gpt-5-mini" in str(explained)
    assert agent.build_request(PROMPT).mode == "native"
    assert Agent(City, model=model("a")).explain().fallbacks == ()


# Over HTTP.


@each_door
@pytest.mark.parametrize(
    "status, kind",
    [(500, "server"), (429, "rate_limited"), (401, "auth"), (402, "quota"), (404, "not_found"), (400, "invalid_request")],
)
def test_over_http(door: Door, status: int, kind: str) -> None:
    """Whatever status the first server gives, the second one is asked, and answers in its own way."""
    broken = HttpReply(status, body={"error": {"message": "no"}})
    with FakeServer(broken) as one, FakeServer(GOOD) as other:
        first = OpenAIChat("m", base_url=one.base_url, capabilities=NATIVE)
        second = OpenAIChat("m", base_url=other.base_url, capabilities=TOOLS)
        outcome = door(Agent(City, model=Fallback(first, second), budget=Budget(transport_retries=0)))
        first.close()
        second.close()
    assert isinstance(outcome, Success)
    assert (outcome.output, outcome.mode) == (GOOD, "tool")
    assert outcome.attempts[0].transport[0].kind == kind
    assert (len(one.requests), len(other.requests)) == (1, 1)


def test_a_server_that_is_not_there() -> None:
    """A refused connection goes on with the next server, and a profile answers as that server would."""
    with FakeServer(profile="llamacpp") as other:
        first = OpenAIChat("m", base_url=FakeServer.refusing_url())
        second = OpenAIChat("fake", base_url=other.base_url, capabilities=Capabilities(json_schema="enforced"))
        outcome = Agent(City, model=Fallback(first, second), budget=Budget(transport_retries=0)).settle(PROMPT)
        second.close()
    assert isinstance(outcome, Success)
    assert [fault.kind for fault in outcome.attempts[0].transport] == ["connection"]


def test_a_gate_that_is_shut_for_longer_than_the_deadline() -> None:
    """A service that asked all runs to wait is not waited for beyond the deadline: the next model is asked."""
    wait = HttpReply(429, headers={"retry-after": "100"}, body={"error": {"message": "slow down"}})
    with FakeServer(wait) as one, FakeServer(7, 8) as other:
        first, second = OpenAIChat("m", base_url=one.base_url), OpenAIChat("m", base_url=other.base_url)
        agent = Agent(int, model=Fallback(first, second), settings=Settings(timeout=20), budget=Budget(transport_retries=0))
        assert [agent.run("?"), agent.run("?")] == [7, 8]
        first.close()
        second.close()
    assert (len(one.requests), len(other.requests)) == (1, 2)


# All scripts.

Kind: TypeAlias = Literal["good", "unfit", "down", "passing"]
SCRIPTS: tuple[tuple[Kind, ...], ...] = tuple(product(("good", "unfit", "down", "passing"), repeat=4))
REPLIES: dict[Kind, Reply] = {
    "good": GOOD,
    "unfit": '{"name": "Oslo"}',
    "down": down(),
    "passing": ProviderError("overloaded", "later", retry_after=0.0),
}


MODES: tuple[OutputMode, ...] = ("native", "tool", "prompted")
AFTER: tuple[Kind, ...] = ("down",) * 9


class Expected(NamedTuple):
    """What the rules say about a script."""

    code: str
    asked: list[int]


def expected(script: tuple[Kind, ...], models: int, budget: Budget) -> Expected:
    """The rules once more, as short as they can be: who is asked, request by request, and how it ends."""
    rest: Iterator[Kind] = iter((*script, *AFTER))
    asked: list[int] = []
    place = steps = reasks = 0
    kind: Kind = "down"
    while steps < budget.max_steps:
        steps += 1
        for _ in range(1 + budget.transport_retries):
            asked.append(place)
            kind = next(rest)
            if kind != "passing":
                break
        if kind == "good":
            return Expected("output", asked)
        if kind == "unfit":
            if reasks == budget.output_retries:
                return Expected("output_invalid", asked)
            reasks += 1
        elif place + 1 == models:
            return Expected("error", asked)
        else:
            place += 1
    return Expected("step_limit", asked)


@pytest.mark.parametrize("retries", [0, 1], ids=["no retries", "one retry"])
@pytest.mark.parametrize("most", [2, 6], ids=["two steps", "six steps"])
@pytest.mark.parametrize("count", [2, 3], ids=["two models", "three models"])
def test_every_script(count: int, most: int, retries: int) -> None:
    """Each of 256 scripts asks the models in order, never back, on one ledger, and ends alike by every runner."""
    budget = Budget(max_steps=most, transport_retries=retries, output_retries=1)
    agent = Agent(City, budget=budget)

    def models(script: tuple[Kind, ...], asked: list[int]) -> Fallback:
        rest: Iterator[Kind] = iter((*script, *AFTER))

        def fake(place: int) -> FunctionProvider:
            def answer(request: ModelRequest) -> Reply:
                assert not faults_in(request.messages)
                asked.append(place)
                return REPLIES[next(rest)]

            return FunctionProvider(answer, capabilities=(NATIVE, TOOLS, PROMPTED)[place])

        return Fallback(*map(fake, range(count)))

    def persisted(script: tuple[Kind, ...], asked: list[int]) -> Outcome:
        """By hand, with a state that goes through JSON before each action."""
        plan = chain_of(*MODES[:count], budget=budget)
        first, *others = (one for one in models(script, asked).models if not isinstance(one, str))
        run: Run[object, object] = Run(plan=plan, provider=first, others=others)
        step = start(plan, PROMPT, run_id="r")
        while not isinstance(step.action, Finish):
            state = load(plan, Checkpoint.model_validate_json(dump(plan, step.state).model_dump_json()))
            step = advance(plan, state, carry_out(effect_of(run, state, pending(plan, state), is_async=False)))
        return step.action.outcome

    async def all_async() -> list[tuple[Outcome, list[int]]]:
        found: list[tuple[Outcome, list[int]]] = []
        for script in SCRIPTS:
            asked: list[int] = []
            found.append((await agent.asettle(PROMPT, model=models(script, asked)), asked))
        return found

    for script, (outcome, by_async) in zip(SCRIPTS, asyncio.run(all_async()), strict=True):
        by_sync: list[int] = []
        by_json: list[int] = []
        settled = agent.settle(PROMPT, model=models(script, by_sync))
        due, where = expected(script, count, budget), " ".join(script)
        for one, requests in ((outcome, by_async), (settled, by_sync), (persisted(script, by_json), by_json)):
            account = one if isinstance(one, Success) else one.report
            assert due == Expected(account.stop_reason.kind, requests), where
            assert len(requests) <= most * (1 + retries), where
            assert requests == sorted(requests), where
            assert not faults_in(account.messages), where

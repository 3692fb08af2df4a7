"""What user code may do wrong: no wrong value gets past it, nothing leaks out of a run, and the report names who did it."""

from __future__ import annotations

import asyncio
import functools
import pickle
import time
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Annotated, Any, cast

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, ValidationInfo, field_validator
from tests.forms import City
from tests.support import plan_for

from settled import (
    Agent,
    Approved,
    Budget,
    Capabilities,
    Checkpoint,
    Denied,
    EndRun,
    ExternalResult,
    FailRun,
    Failure,
    Hooks,
    Message,
    MisuseError,
    ModelResponse,
    NeedsApproval,
    Paused,
    ProviderError,
    Retry,
    RunContext,
    Settings,
    Skip,
    StateRejected,
    Success,
    Tool,
    ToolCall,
    ToolFailed,
    ToolResult,
    Usage,
)
from settled.core.machine import start
from settled.schema.target import OutputTarget
from settled.testing import ScriptedProvider

OSLO = City(name="Oslo", people=7)
CALL = ToolCall(id="c1", name="work", arguments='{"place": "Oslo"}')


class Strict(BaseModel):
    """A model with a bound, an alias, and a cached property."""

    model_config = ConfigDict(populate_by_name=True)
    people: int = Field(ge=0, alias="Inhabitants")
    parts: list[City] = []

    @functools.cached_property
    def doubled(self) -> int:
        """Kept beside the fields."""
        return 2 * self.people


class Places(RootModel[list[City]]):
    """A root model."""


def settled_by(form: object, reply: object, **options: Any) -> Success[Any] | Failure[Any]:
    """How a run with one reply ends."""
    given: dict[str, Any] = {"model": ScriptedProvider(reply, OSLO, OSLO), "mode": "tool", **options}
    return Agent(cast("Any", form), **given).settle("Oslo?")


def source_of(outcome: Success[Any] | Failure[Any]) -> str | None:
    """Whose fault the report says it was."""
    assert isinstance(outcome, Failure)
    return getattr(outcome.report.stop_reason, "source", None)


# Values that checks and tools hand over.


def negative(value: Strict) -> None:
    """Edits in place, below the bound."""
    object.__setattr__(value, "people", -1)


def deep(value: Strict) -> None:
    """Edits a model inside."""
    object.__setattr__(value.parts[0], "people", "many")


def unvalidated(value: Strict) -> Strict:
    """Gives a copy that pydantic never saw."""
    return value.model_copy(update={"people": "many"})


def constructed(value: Strict) -> Strict:
    """Gives an instance without its fields."""
    return Strict.model_construct()


@pytest.mark.parametrize("check", [negative, deep, unvalidated, constructed])
def test_a_check_cannot_make_a_wrong_value(check: Callable[[Strict], Any]) -> None:
    """A value that a check edited, or gave instead, is validated again, with the models inside it."""
    outcome = settled_by(Strict, Strict(Inhabitants=7, parts=[OSLO.model_copy()]), checks=[check])
    assert f"check:{check.__name__}" == source_of(outcome)


def test_an_edit_that_fits_is_kept() -> None:
    """A check may edit the output in place, also one whose cached property was read."""

    def more(value: Strict) -> None:
        assert 14 == value.doubled
        value.people += 1

    outcome = settled_by(Strict, Strict(Inhabitants=7), checks=[more])
    assert isinstance(outcome, Success)
    assert Strict(Inhabitants=8) == outcome.output


def test_a_check_s_own_exception_in_a_validator_is_its_fault() -> None:
    """What a validator raises while a check's value is validated again ends the run, and does not leak."""

    class Grumpy(BaseModel):
        people: int

        @field_validator("people")
        @classmethod
        def small(cls, people: int) -> int:
            if people > 7:
                raise RuntimeError("too many")
            return people

    def more(value: Grumpy) -> Grumpy:
        return value.model_copy(update={"people": 8})

    assert "check:more" == source_of(settled_by(Grumpy, Grumpy(people=7), checks=[more]))


@pytest.mark.parametrize(
    "given",
    [
        Strict.model_construct(people=-1),
        Strict.model_construct(people=1, parts=[City.model_construct(name="Oslo", people="many")]),
        Strict.model_construct(),
        7,
    ],
    ids=["bound", "inside", "empty", "other type"],
)
def test_a_tool_cannot_end_the_run_with_a_wrong_value(given: object) -> None:
    """`EndRun` and `FailRun` are validated, also instances; the report names the tool, and holds no value."""

    def work(place: str) -> EndRun[Any]:
        """A tool."""
        return EndRun(given)

    def give_up(place: str) -> FailRun[Any]:
        """A tool."""
        return FailRun(given)

    ended = settled_by(Strict, CALL, tools=[work])
    reported = settled_by(City, CALL, tools=[Tool.of(give_up, name="work")], failure_type=Strict)
    for outcome in (ended, reported):
        assert "tool:work" == source_of(outcome)
        assert isinstance(outcome, Failure)
        assert "many" not in str(outcome.report.exception)


def test_a_wrong_end_says_where_it_does_not_fit() -> None:
    """The exception names the tool, what it gave, the type that was due, and the place."""

    def work(place: str) -> EndRun[object]:
        """A tool."""
        return EndRun({"name": "Oslo", "people": "many"})

    outcome = settled_by(City, CALL, tools=[work])
    assert isinstance(outcome, Failure)
    assert "tool:work ended the run with dict, which does not fit City (at $.people)" == str(outcome.report.exception)


def test_revalidation_reaches_into_containers() -> None:
    """Root models, lists, tuples and dicts keep their kind, and extra fields stay."""

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        city: City

    target = OutputTarget(tuple[Places, dict[str, Open]])
    value = (Places([OSLO]), {"a": Open(city=OSLO, more=1)})  # type: ignore[call-arg]
    assert value == target.revalidated(value, strict=True)
    with pytest.raises(ValueError, match="people"):
        target.revalidated((Places([City.model_construct(name="Oslo")]), dict[str, Open]()))


# Arguments of tools.


def seen(value: str, info: ValidationInfo) -> str:
    """Puts the run's context in."""
    return f"{value} {info.context}"


def broken(value: str) -> str:
    """A validator with a fault."""
    raise RuntimeError("no such table")


KNOWN = {"Oslo"}


def looked_up(place: str) -> str:
    """A validator that works for some places only."""
    if place not in KNOWN:
        raise RuntimeError("no such table")
    return place


def test_arguments_are_validated_with_the_context() -> None:
    """Validators of a tool's parameters see what the run was given as ``context``."""
    heard: list[str] = []

    def work(place: Annotated[str, AfterValidator(seen)]) -> None:
        """A tool."""
        heard.append(place)

    Agent(City, model=ScriptedProvider(CALL, OSLO), tools=[work], mode="tool").run("Oslo?", context="of 1905")
    assert ["Oslo of 1905"] == heard


def test_a_fault_in_a_parameter_s_validator_ends_the_run() -> None:
    """It is no judgement on the model's arguments, so the model is not asked again."""

    def work(place: Annotated[str, AfterValidator(broken)]) -> None:
        """A tool."""

    assert "tool:work:arguments" == source_of(settled_by(City, CALL, tools=[work]))


def test_a_fault_in_a_validator_of_a_hook_s_arguments_ends_the_run() -> None:
    """Arguments that the hook before a tool puts in are read in the same way."""

    def work(place: Annotated[str, AfterValidator(looked_up)]) -> None:
        """A tool."""

    def other(context: RunContext, call: ToolCall) -> ToolCall:
        return call.changed(arguments='{"place": "Bergen"}')

    assert "tool:work:arguments" == source_of(settled_by(City, CALL, tools=[work], hooks=Hooks(before_tool=other)))


# What a person decides.


def work_gated(place: str) -> str:
    """A tool."""
    return place


GATED = Tool.of(work_gated, name="work", requires_approval=True)
ELSEWHERE = Tool.of(work_gated, name="work", external=True)


def paused_by(tool: Tool) -> tuple[Agent[City, None], Paused]:
    """A run that waits."""
    agent = Agent(City, model=ScriptedProvider(CALL, OSLO), tools=[tool], mode="tool")
    waiting = agent.start("Oslo?")
    assert isinstance(waiting, Paused)
    return agent, waiting


@pytest.mark.parametrize(
    "tool, decision",
    [
        (GATED, Denied("no", payload=object())),
        (GATED, Approved(args={"place": object()})),
        (ELSEWHERE, ExternalResult(object())),
    ],
    ids=["denied", "approved", "external"],
)
def test_a_decision_must_be_json(tool: Tool, decision: Any) -> None:
    """What the model is to be told of a decision must have a JSON form."""
    agent, waiting = paused_by(tool)
    with pytest.raises(MisuseError, match=r"'c1': the .* cannot be written as JSON"):
        agent.resume(waiting, {"c1": decision})


@pytest.mark.parametrize("decisions", [None, [1], "c1"], ids=["None", "list", "str"])
def test_decisions_are_a_mapping(decisions: Any) -> None:
    """Anything else is refused by name."""
    agent, waiting = paused_by(GATED)
    with pytest.raises(MisuseError, match="decisions="):
        agent.resume(waiting, decisions)


def test_a_question_must_be_json() -> None:
    """A payload of `NeedsApproval` that JSON cannot carry is the tool's fault, and leaks no exception."""

    def work(place: str) -> NeedsApproval:
        """A tool."""
        return NeedsApproval(payload=object())

    assert "tool:work" == source_of(settled_by(City, CALL, tools=[work]))


def test_arguments_of_a_checkpoint_are_read_with_care() -> None:
    """A validator that raises while a checkpoint is loaded rejects the state."""

    def work(place: Annotated[str, AfterValidator(looked_up)]) -> None:
        """A tool."""

    agent, waiting = paused_by(Tool.of(work, requires_approval=True))
    KNOWN.clear()
    try:
        with pytest.raises(StateRejected, match="c1"):
            agent.resume(waiting, {"c1": Approved()})
    finally:
        KNOWN.add("Oslo")


def test_an_edited_checkpoint_is_rejected() -> None:
    """A state that was edited into one that no run reaches is refused, with nothing done."""
    agent, waiting = paused_by(GATED)
    held = waiting.checkpoint
    forged = '"accepted":{"raw":"{}","payload":"{}","whole":true,"via":"tool_result","call_id":"c1"}'
    edited = held.state.replace('"accepted":null', forged)
    assert edited != held.state
    for decision in (Approved(), Denied("no")):
        with pytest.raises(StateRejected, match="does not hold together"):
            agent.resume(Checkpoint(version=held.version, bound_to=held.bound_to, state=edited), {"c1": decision})


# Words that are no text, and texts that are no Unicode.

LONE = "caf\udce9"


@pytest.mark.parametrize(
    "returned",
    [LONE, ToolFailed(LONE), Skip(cast("str", None))],
    ids=["str", "ToolFailed", "Skip(None)"],
)
def test_a_tool_s_text_is_always_text(returned: object) -> None:
    """What tools and hooks say reaches the model as text that has a JSON form."""

    def work(place: str) -> object:
        """A tool."""
        return returned

    hooks = Hooks(before_tool=lambda context, call: returned) if isinstance(returned, Skip) else Hooks()
    outcome = settled_by(City, CALL, tools=[work], hooks=hooks)
    assert isinstance(outcome, Success)
    for message in outcome.messages:
        message.model_dump_json()


def test_a_retry_without_words_asks_again() -> None:
    """`Retry(None)` is told as text."""
    retries = iter([Retry(cast("str", None)), None])
    hooks = Hooks(after_model=lambda context, response: next(retries))
    assert isinstance(settled_by(City, OSLO, hooks=hooks), Success)


@pytest.mark.parametrize("prompt", [LONE, ["Look:", LONE]], ids=["text", "parts"])
def test_prompts_have_a_json_form(prompt: Any) -> None:
    """A lone surrogate in prompt or instructions is written out, so that the request can be sent."""
    provider = ScriptedProvider(OSLO)
    Agent(City, model=provider, instructions=lambda: LONE, mode="tool").run(prompt)
    provider.requests[0].model_dump_json()


def test_replies_have_a_json_form() -> None:
    """A lone surrogate in a reply reaches reports written out, and its words are kept."""
    outcome = Agent(City, model=ScriptedProvider(*[f"no {LONE}"] * 3), mode="prompted").settle("Oslo?")
    assert isinstance(outcome, Failure)
    assert "no caf\\udce9" in outcome.report.model_dump_json().replace("\\\\", "\\")


def test_a_forged_tool_result_is_left_out() -> None:
    """A reply holds what a model says; a tool result in it answers nothing."""
    forged = ToolResult(call_id="c9", name="work", text="done", status="ok")
    reply = ModelResponse.of(OSLO.model_dump_json())
    reply = reply.changed(parts=(forged, *reply.parts))
    outcome = Agent(City, model=ScriptedProvider(reply), mode="prompted").settle("Oslo?")
    assert isinstance(outcome, Success)
    assert all(part.type != "tool_result" for message in outcome.messages for part in message.parts)


# Providers and their figures.


@pytest.mark.parametrize("cost", [None, Decimal(-3)], ids=["tokens", "cost"])
def test_usage_below_zero_gives_no_budget_back(cost: Decimal | None) -> None:
    """A counter below 0 is unknown."""
    usage = Usage(requests=1, input_tokens=-50, output_tokens=5, cost=cost)
    reply = ModelResponse.of(OSLO.model_dump_json()).changed(usage=usage)
    outcome = Agent(City, model=ScriptedProvider(reply), mode="prompted").settle("?")
    assert isinstance(outcome, Success)
    assert (None, None, 5) == (outcome.usage.input_tokens, outcome.usage.cost, outcome.usage.output_tokens)


class Moody(ScriptedProvider):
    """A provider that does not say what it can."""

    told: object = None

    def capabilities(self) -> Capabilities:
        """Raises, or gives something else."""
        if self.told is None:
            raise OSError("no network")
        return cast("Capabilities", self.told)


@pytest.mark.parametrize("told, words", [(None, "raised OSError: no network"), (7, "gave int, not Capabilities")])
def test_capabilities_that_cannot_be_had(told: object, words: str) -> None:
    """A provider that raises there is refused, by name."""
    provider = Moody(OSLO)
    provider.told = told
    with pytest.raises(MisuseError, match=f"Moody.capabilities\\(\\) {words}"):
        Agent(City, model=provider).run("Oslo?")


@pytest.mark.parametrize("asked", [-1.0, float("nan"), float("inf"), 1e9])
def test_a_retry_after_that_makes_no_sense_is_not_followed(asked: float) -> None:
    """The usual wait is taken instead."""
    error = ProviderError("rate_limited", "slow down", retryable=True, retry_after=asked)
    agent = Agent(City, model=ScriptedProvider(error, OSLO), mode="tool", budget=Budget(max_duration=30))
    assert OSLO == agent.run("Oslo?")


def test_the_reported_exception_holds_no_request() -> None:
    """Causes and tracebacks, in which a client's request with its key may be held, are left behind."""
    error = ProviderError("auth", "no")
    error.__cause__ = KeyError("sk-abcdef123456")
    outcome = Agent(City, model=ScriptedProvider(error)).settle("Oslo?")
    assert isinstance(outcome, Failure)
    kept = outcome.report.exception
    assert isinstance(kept, ProviderError)
    assert (None, None, None) == (kept.__cause__, kept.__context__, kept.__traceback__)


# Tools that are cancelled, and calls that cannot begin.


def test_a_tool_that_cancels_itself_has_failed() -> None:
    """Its own `CancelledError` is a failure of the tool, in a sync run as in an async one."""

    def work(place: str) -> str:
        """A tool."""
        raise asyncio.CancelledError

    told = "the tool was cancelled by its own code"
    agent = Agent(City, model=ScriptedProvider(CALL, OSLO, CALL, OSLO), tools=[work], mode="tool")
    for outcome in (agent.settle("Oslo?"), asyncio.run(agent.asettle("Oslo?"))):
        assert isinstance(outcome, Success)
        assert any(told in message.text for message in outcome.messages)


def test_an_async_tool_that_cannot_be_called_has_failed() -> None:
    """A call that raises before it gives a coroutine is a failure like any other."""

    async def odd() -> str:
        """It takes nothing."""
        return ""

    async def work(place: str) -> str:
        """A tool."""
        return place

    tool = Tool.of(work)
    object.__setattr__(tool, "function", odd)
    outcome = settled_by(City, CALL, tools=[tool])
    assert isinstance(outcome, Success)
    assert any("TypeError" in message.text for message in outcome.messages)


# What callers hand in.


def asked(id_: str) -> Message:
    """An assistant turn with one call."""
    return Message(role="assistant", parts=(CALL.changed(id=id_),))


def told(id_: str) -> Message:
    """The answer to a call."""
    return Message(role="tool", parts=(ToolResult(call_id=id_, name="work", text="ok", status="ok"),))


@pytest.mark.parametrize(
    "history",
    [
        [Message.user("?"), told("a")],
        [Message.user("?"), asked("a"), told("a"), told("a")],
        [Message.user("?"), asked("a"), told("b")],
        [Message.user("?"), asked("a"), Message.user("and?"), told("a")],
    ],
    ids=["orphan", "twice", "other", "late"],
)
def test_a_history_answers_each_call_once(history: list[Message]) -> None:
    """Servers refuse anything else, so it is refused before a request is paid for."""
    with pytest.raises(MisuseError, match="history:"):
        Agent(City, model=ScriptedProvider(OSLO)).run("Oslo?", history=history)


def test_a_history_may_answer_call_by_call() -> None:
    """Each call of a turn may have a message of its own."""
    both = Message(role="assistant", parts=(CALL.changed(id="a"), CALL.changed(id="b")))
    history = [Message.user("?"), both, told("a"), told("b")]
    assert OSLO == Agent(City, model=ScriptedProvider(OSLO), mode="tool").run("Oslo?", history=history)


def test_lists_are_copied() -> None:
    """What the caller changes in a list later changes no agent, nor its changed copies."""
    tools: list[Any] = []
    agent = Agent(City, model=ScriptedProvider(OSLO), tools=tools, mode="tool")
    tools.append(7)
    assert OSLO == agent.with_(name="b").run("Oslo?")


@pytest.mark.parametrize("finish", [5, b"stop"])
def test_a_finish_reason_is_a_word(finish: Any) -> None:
    """`parse` refuses anything else by name."""
    with pytest.raises(MisuseError, match="finish_reason="):
        Agent(int).parse("7", finish_reason=finish)


def test_headers_are_not_pickled() -> None:
    """They may hold keys."""
    settings = Settings(temperature=0, extra_headers={"authorization": "Bearer sk-abcdef123456"})
    held = pickle.dumps(settings)
    assert b"sk-abcdef" not in held
    assert Settings(temperature=0) == pickle.loads(held)


def test_a_redacted_report_holds_no_words_of_an_issue() -> None:
    """The message of an issue can quote a reply or a check; its code stays."""

    def small(value: City) -> None:
        raise ValueError("Oslo is too big")

    outcome = Agent(City, model=ScriptedProvider(OSLO, OSLO, OSLO), checks=[small], mode="tool").settle("Oslo?")
    assert isinstance(outcome, Failure)
    assert "Oslo" not in outcome.report.redacted().model_dump_json()


def test_none_is_an_output_in_both_spellings() -> None:
    """`type(None)` in a union is asked for as None is."""
    agent = Agent(cast("Any", type(None)), model=ScriptedProvider("null"), mode="prompted")
    assert agent.run("?") is None


def test_equality_of_the_context_is_not_asked() -> None:
    """A context may be anything, also what has no truth value of an equality."""

    class Table:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("ambiguous")

        __hash__ = object.__hash__

    assert OSLO == Agent(City, model=ScriptedProvider(OSLO), mode="tool").run("Oslo?", context=Table())


# Exceptions from everywhere.


def raising(*_: object, **__: object) -> Any:
    """User code with a fault."""
    raise RuntimeError("no such table")


async def leaving(*_: object, **__: object) -> Any:
    """Async user code that ends the process."""
    raise KeyboardInterrupt


class Unsayable(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        """Fails."""
        raise RuntimeError("no words")


def test_an_exception_without_words_is_told_by_name() -> None:
    """A failing ``__str__`` hides nothing but itself."""

    def work(place: str) -> str:
        """A tool."""
        raise Unsayable

    outcome = settled_by(City, CALL, tools=[work])
    assert isinstance(outcome, Success)
    assert any("Unsayable: (what it says cannot be read)" in message.text for message in outcome.messages)


@pytest.mark.parametrize("moment", ["before_tool", "after_tool", "after_step", "before_model", "on_start", "on_stop"])
def test_a_hook_s_fault_can_be_only_logged(moment: str, caplog: pytest.LogCaptureFixture) -> None:
    """With ``on_error="log"`` the run goes on, and the log names the hook but no words of the exception."""

    def work(place: str) -> str:
        """A tool."""
        return place

    given: dict[str, Any] = {moment: raising, "on_error": "log"}
    assert isinstance(settled_by(City, CALL, tools=[work], hooks=Hooks(**given)), Success)
    assert f"hook:{moment} raised RuntimeError" in caplog.text
    assert "table" not in caplog.text


@pytest.mark.parametrize("moment", ["before_tool", "after_tool"])
def test_a_hook_s_fault_ends_the_run(moment: str) -> None:
    """Around a tool as anywhere, by default."""

    def work(place: str) -> str:
        """A tool."""
        return place

    given: dict[str, Any] = {moment: raising}
    assert f"hook:{moment}" == source_of(settled_by(City, CALL, tools=[work], hooks=Hooks(**given)))


def test_an_approval_predicate_s_fault_ends_the_run() -> None:
    """Whether a person must agree cannot be told, so nothing is executed."""
    tool = Tool.of(work_gated, name="work", requires_approval=raising)
    assert "tool:work:requires_approval" == source_of(settled_by(City, CALL, tools=[tool]))


def test_a_process_can_be_ended_from_async_code_in_a_sync_run() -> None:
    """`KeyboardInterrupt` reaches the caller, and the next sync run finds a loop that works."""
    agent = Agent(City, model=ScriptedProvider(CALL, CALL, OSLO), tools=[Tool.of(work_gated, name="work")], mode="tool")
    with pytest.raises(KeyboardInterrupt):
        agent.with_(hooks=Hooks(before_tool=leaving)).settle("Oslo?")

    async def later(context: RunContext, call: ToolCall) -> None:
        await asyncio.sleep(0)

    assert OSLO == agent.with_(hooks=Hooks(before_tool=later)).run("Oslo?")


def test_a_fault_in_the_output_s_validator_after_endrun_is_the_tool_s() -> None:
    """What a validator raises about a value that a tool hands over ends the run."""

    class Grumpy(BaseModel):
        people: Annotated[str, AfterValidator(broken)]

    def work(place: str) -> EndRun[Any]:
        """A tool."""
        return EndRun(Grumpy.model_construct(people="many"))

    assert "tool:work" == source_of(settled_by(Grumpy, CALL, tools=[work]))


class Incomparable(BaseModel):
    """A model whose ``==`` fails."""

    people: int

    def __eq__(self, other: object) -> bool:
        """Fails."""
        raise RuntimeError("ambiguous")

    def __hash__(self) -> int:
        """As it must be beside ``==``."""
        return hash(self.people)


@pytest.mark.parametrize("second, is_right", [('{"people":7}', True), ('{"people": 7}', False)], ids=["same", "other"])
def test_an_equality_that_fails_is_no_equality(second: str, is_right: bool) -> None:
    """One answer given twice is known by its words; in other words it needs an ``==`` that works."""
    calls = [ToolCall(id=id_, name="final_result", arguments=text) for id_, text in (("a", '{"people":7}'), ("b", second))]
    outcome = settled_by(Incomparable, calls, budget=Budget(output_retries=0))
    assert is_right == isinstance(outcome, Success)
    if isinstance(outcome, Failure):
        assert ["ambiguous"] == [issue.code for issue in outcome.report.attempts[0].issues]


def test_a_lazy_output_is_refused() -> None:
    """An Iterable is validated only while it is read, after the run has said that all is well."""
    with pytest.raises(MisuseError, match="ask for a list"):
        Agent(cast("Any", Iterable[int]))


def test_a_default_is_data() -> None:
    """A default that looks like the schema of a generator is none."""

    class Machine(BaseModel):
        about: dict[str, str] = {"type": "generator"}

    assert Machine() == Agent(Machine).parse("{}").unwrap()


def test_time_spent_in_a_hook_ends_the_run_before_a_request() -> None:
    """A hook that takes the run's time leaves none for the model."""
    provider = ScriptedProvider(OSLO)
    hooks = Hooks(before_model=lambda context, request: time.sleep(0.05))
    outcome = settled_by(City, OSLO, model=provider, hooks=hooks, budget=Budget(max_duration=0.04))
    assert isinstance(outcome, Failure)
    assert ("time_limit", 0) == (outcome.report.code, len(provider.requests))


def test_a_check_on_an_output_without_json_form() -> None:
    """It runs, though an edit of such a value cannot be seen."""

    def seen_by(value: object) -> None:
        assert value == OSLO

    class Secretive(BaseModel):
        city: City
        thing: Any = Field(default_factory=object)

    def look(value: Secretive) -> None:
        seen_by(value.city)

    outcome = settled_by(Secretive, f'{{"city": {OSLO.model_dump_json()}}}', checks=[look], mode="prompted")
    assert isinstance(outcome, Success)


# Keys, and names that a model chose.


def test_a_provider_error_holds_no_key() -> None:
    """Servers repeat the key that they refuse; the exception, its report and its pickle do not."""
    error = ProviderError("auth", "Incorrect API key provided: sk-abcdef123456")
    assert "sk-abcdef" not in f"{error} {error!r} {error.message} {pickle.dumps(error)!r}"


def test_a_pickled_state_holds_no_headers() -> None:
    """What stands beside the data of a state stays behind."""
    step = start(plan_for(City), "Oslo?", run_id="r")
    state = step.state.changed(live=step.state.live._replace(headers={"authorization": "sk-abcdef123456"}))
    held = pickle.dumps(state)
    assert b"sk-abcdef" not in held
    assert state == pickle.loads(held)


def test_a_name_of_any_length_is_shown_short() -> None:
    """A model chooses the names of tools that do not exist; texts about them stay short, and a redacted report has none."""
    outcome = settled_by(City, ToolCall(id="c1", name="n" * 10_000, arguments="{}"), budget=Budget(invalid_tool_retries=0))
    assert isinstance(outcome, Failure)
    report = outcome.report
    assert "tool_failures" == report.code
    assert max(len(text) for text in (report.summary, repr(report.tool_call), str(outcome), report.stop_reason.message)) < 400
    assert "nnn" not in report.redacted().model_dump_json()

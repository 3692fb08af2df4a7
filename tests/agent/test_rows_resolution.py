"""R1 to R26: what another library promises of output modes, proven here, or its better design where that is a wart.

Each row is named by a mark and by a test, or stands in `NOT_HERE` with the reason; the last test sees to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel, Field, TypeAdapter
from tests.support import OSLO, City, faults_in

from settled import (
    Agent,
    Approved,
    Budget,
    Capabilities,
    Checkpoint,
    Denied,
    Failure,
    FinishReason,
    Hooks,
    Message,
    MisuseError,
    ModelRequest,
    ModelResponse,
    OutputMode,
    Paused,
    ProviderError,
    Reasoning,
    Retry,
    RunContext,
    RunFailed,
    Settings,
    Skip,
    StateRejected,
    StopReason,
    StopState,
    Success,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from settled.streaming import NodeClosed, Restarted, Settled, StepFinished, TextDelta
from settled.testing import ScriptedProvider, Typed
from settled.vocabulary.finish import FinishKind
from settled.vocabulary.stop import ContentFiltered, Other, OutputInvalid, ToolFailures, Truncated

NOT_HERE: Mapping[str, str] = {}
"""Rows of which nothing exists here, and why."""

ROWS = tuple(f"R{number}" for number in range(1, 27))
OUT = "final_result"
GOOD = City(name="Oslo", people=700_000)
NOTHING_LEFT = Budget(output_retries=0)
ABLE = Capabilities(json_schema="enforced", tools="enforced", choice_required="enforced", coexist="ok", dialect="plain")


def look_up(name: str) -> str:
    """Look a city up."""
    LOOKED.append(name)
    return "700000 people"


LOOKED: list[str] = []


@pytest.fixture(autouse=True)
def nothing_looked_up() -> None:
    """No tool ran yet."""
    LOOKED.clear()


def at_once(state: StopState) -> bool:
    """A condition that always holds."""
    return True


def results(message: Message) -> list[ToolResult]:
    """The answers to calls in a message."""
    return [part for part in message.parts if isinstance(part, ToolResult)]


def call(arguments: str = OSLO, name: str = OUT, id: str = "c1") -> ToolCall:
    """A call, of the output tool."""
    return ToolCall(id=id, name=name, arguments=arguments)


def search(id: str = "c0") -> ToolCall:
    """A call of the user's tool."""
    return call('{"name":"Oslo"}', "look_up", id)


class Run:
    """One run, in which every reply is used, and what was sent."""

    def __init__(self, *replies: object, known: Capabilities = ABLE, form: Any = City, **options: Any) -> None:
        with ScriptedProvider(*replies, capabilities=known) as model:
            self.outcome: Success[Any] | Failure[Any] = Agent[Any](form, model=model, **options).settle("The capital of Norway?")
        self.requests = model.requests
        sent = [request.messages[1:] if request.messages[0].role == "system" else request.messages for request in self.requests]
        assert [] == [fault for messages in sent for fault in faults_in(messages)]

    @property
    def success(self) -> Success[Any]:
        """It must have succeeded."""
        assert isinstance(self.outcome, Success), self.outcome
        return self.outcome

    @property
    def report(self) -> Any:
        """It must have failed."""
        assert isinstance(self.outcome, Failure), self.outcome
        return self.outcome.report

    @property
    def instructions(self) -> str:
        """The system message of the first request."""
        first = self.requests[0].messages[0]
        return first.text if first.role == "system" else ""


# ------------------------------------------------------------------------------------------------------------- R1 to R7


@pytest.mark.row("R1")
def test_r1_native_constrains_every_turn() -> None:
    """In native mode each request holds the response format, also the one that asks again."""
    run = Run('{"name":"Oslo"}', OSLO, mode="native")
    assert [True, True] == [request.output_format is not None for request in run.requests]
    assert GOOD == run.success.output


@pytest.mark.row("R1")
@pytest.mark.parametrize("coexist", ["error", "format_wins", "tools_win", "unknown"])
def test_r1_never_where_it_would_suppress_tools(coexist: str) -> None:
    """Beside tools ``auto`` is never native where the two do not go together, or nobody knows."""
    run = Run(call(), known=ABLE.changed(coexist=coexist), tools=[look_up])
    assert ("tool", None) == (run.requests[0].mode, run.requests[0].output_format)


@pytest.mark.row("R2")
def test_r2_an_output_tool_beside_the_others() -> None:
    """In tool mode the schema is an output tool, nothing else is constrained, and other tools may be called first."""
    run = Run([search()], call(), mode="tool", tools=[look_up])
    assert [["look_up", OUT]] * 2 == [[tool.name for tool in request.tools] for request in run.requests]
    assert [None, None] == [request.output_format for request in run.requests]
    assert (GOOD, ["Oslo"]) == (run.success.output, LOOKED)


@pytest.mark.row("R3")
def test_r3_the_type_in_the_prompt() -> None:
    """In prompted mode the type stands in the instructions; prose and fences are taken off, and that is recorded (W30)."""
    run = Run(f"Here you are:\n```json\n{OSLO}\n```", mode="prompted")
    assert "people" in run.instructions
    assert ((), None) == (run.requests[0].tools, run.requests[0].output_format and run.requests[0].output_format.json_schema)
    assert GOOD == run.success.output
    assert run.success.repairs


@pytest.mark.row("R4")
@pytest.mark.parametrize(
    "form, tools, known, used",
    [
        (str, False, ABLE, "text"),
        (str, True, ABLE, "text"),
        (City, False, ABLE, "native"),
        (City, False, ABLE.changed(coexist="error"), "native"),
        (City, True, ABLE, "native"),
        (City, True, ABLE.changed(coexist="error"), "tool"),
        (City, False, ABLE.changed(json_schema="rejected"), "tool"),
        (City, False, Capabilities(), "prompted"),
    ],
    ids=[
        "no schema", "no schema, tools", "schema", "schema where tools would be refused", "both at once", "both, not at once",
        "no format", "nothing known",
    ],
)  # fmt: skip
def test_r4_auto(form: Any, tools: bool, known: Capabilities, used: OutputMode) -> None:
    """``auto`` resolves by type, tools and what is known; the mode of a run is never ``auto``, the one asked for is kept."""
    reply = Typed("Oslo") if form is str else GOOD
    run = Run(reply, form=form, known=known, tools=[look_up] if tools else ())
    assert (used, used, "auto") == (run.requests[0].mode, run.success.mode, run.success.mode_requested)


@pytest.mark.row("R5")
def test_r5_a_refused_demand_keeps_the_tool() -> None:
    """The demand for a call is ours, not a setting: where it is refused, tool mode goes on without it, never to nothing."""
    refusal = ProviderError("invalid_request", "tool_choice is not supported", status_code=400, feature="tool_choice")
    run = Run(refusal, call(), mode="tool")
    assert ["required", "auto"] == [request.tool_choice for request in run.requests]
    assert [[OUT], [OUT]] == [[tool.name for tool in request.tools] for request in run.requests]
    assert ("tool", "tool_choice") == (run.success.mode, run.success.degraded_by)


@pytest.mark.row("R5")
def test_r5_prompted_stays_prompted() -> None:
    """Prompted mode needs no call, so a user's tools and what is known of choices change nothing about it."""
    run = Run(OSLO, mode="prompted", tools=[look_up], known=ABLE.changed(choice_required="rejected"))
    assert ("prompted", "auto", ["look_up"]) == (
        run.success.mode, run.requests[0].tool_choice, [tool.name for tool in run.requests[0].tools],
    )  # fmt: skip


@pytest.mark.row("R6")
@pytest.mark.parametrize("taken, name", [((), OUT), ((OUT,), f"{OUT}_1"), ((OUT, f"{OUT}_1"), f"{OUT}_2")], ids=str)
def test_r6_a_name_that_is_free(taken: tuple[str, ...], name: str) -> None:
    """The output tool takes the first name that no tool of the user has."""
    tools = [Tool.of(look_up, name=one) for one in taken]
    run = Run(call(name=name), mode="tool", tools=tools)
    assert [*taken, name] == [tool.name for tool in run.requests[0].tools]
    assert GOOD == run.success.output


@pytest.mark.row("R7")
def test_r7_mode_and_name_are_pinned() -> None:
    """A later request of the run without the user's tools stays in tool mode, with the same output tool."""
    run = Run(
        [search()], call(), mode="auto", known=ABLE.changed(coexist="error"), tools=[look_up],
        stop_when=[at_once], budget=Budget(final_step="output_only"),
    )  # fmt: skip
    assert [("tool", ["look_up", OUT]), ("tool", [OUT])] == [
        (request.mode, [tool.name for tool in request.tools]) for request in run.requests
    ]
    assert GOOD == run.success.output


@pytest.mark.row("R7")
def test_r7_a_tool_of_a_taken_name() -> None:
    """Two tools of one name are refused before any request; a checkpoint is refused by an agent whose tools took the name."""
    with pytest.raises(MisuseError, match="look_up"):
        Agent(City, tools=[look_up, Tool.of(look_up)])
    first = Agent(City, mode="tool", tools=[Tool.of(look_up, requires_approval=True)])
    paused = first.start("?", model=ScriptedProvider([search()]))
    assert isinstance(paused, Paused)
    other = first.with_(tools=[Tool.of(look_up, requires_approval=True), Tool.of(look_up, name=OUT)])
    with pytest.raises(StateRejected):
        other.resume(paused, {"c0": Approved()}, model=ScriptedProvider())


# ------------------------------------------------------------------------------------------------------------ R8 to R12


@pytest.mark.row("R8")
def test_r8_the_instruction() -> None:
    """Tool mode tells the model to call the output tool once and not to write text, after the user's own instructions."""
    run = Run(call(), mode="tool", instructions="You know geography.")
    own, _, ours = run.instructions.partition("\n\n")
    assert "You know geography." == own
    assert OUT in ours
    assert "exactly once, not as text" in ours
    assert "output" == run.requests[0].tools[0].role


@pytest.mark.row("R9")
def test_r9_siblings_of_the_output() -> None:
    """Beside a valid output other calls are not executed; here that is the default of `siblings`."""
    run = Run([search(), call()], mode="tool", tools=[look_up])
    assert (GOOD, []) == (run.success.output, LOOKED)
    assert ["skipped"] == [result.status for result in run.success.steps[0].tool_results]


@pytest.mark.row("R9")
def test_r9_two_outputs() -> None:
    """The same output twice is one; of two different ones the model must choose, instead of the first winning."""
    assert GOOD == Run([call(), call(id="c2")], mode="tool").success.output
    run = Run([call(), call('{"name":"Bergen","people":1}', id="c2")], call(), mode="tool")
    assert ["ambiguous", "valid"] == [attempt.outcome for attempt in run.success.attempts]


@pytest.mark.row("R10")
def test_r10_the_last_turn_is_text() -> None:
    """The accepted call is kept as assistant text, so the conversation replays in any mode."""
    run = Run(call(), mode="tool")
    last = run.success.messages[-1]
    assert ("assistant", OSLO, ()) == (last.role, last.text, last.tool_calls)
    again = ScriptedProvider("Hei")
    Agent(str, model=again).run("And now?", history=run.success)
    assert OSLO in [message.text for message in again.requests[0].messages]


@pytest.mark.row("R11")
def test_r11_a_missing_field() -> None:
    """Arguments without a required field are asked for again, naming it, as the answer to that call; its peers did not run."""
    run = Run([call('{"name":"Oslo"}'), search()], call(), mode="tool", tools=[look_up])
    told = run.requests[1].messages[-1]
    own, peer = results(told)
    assert ("tool", "c1", "c0") == (told.role, own.call_id, peer.call_id)
    assert "$.people: required, but missing" in own.text
    assert ("skipped", []) == (peer.status, LOOKED)
    assert peer.text.startswith("not executed")


@pytest.mark.row("R12")
def test_r12_a_text_answer_in_tool_mode() -> None:
    """Text without a payload is asked for again, naming the tool."""
    run = Run("It is Oslo.", call(), mode="tool")
    assert OUT in run.requests[1].messages[-1].text
    assert GOOD == run.success.output


@pytest.mark.row("R12")
def test_r12_text_that_is_the_answer() -> None:
    """Text that is the whole value is taken at once, and the outcome says that it came as text."""
    run = Run(OSLO, mode="tool")
    assert ("text", 1) == (run.success.stop_reason.via, len(run.requests))


# ----------------------------------------------------------------------------------------------------------- R13 to R17


@pytest.mark.row("R13")
@pytest.mark.parametrize("mode, bad", [("tool", call('{"name":"Oslo"}')), ("native", '{"name":"Oslo"}')], ids=["tool", "native"])
def test_r13_spent_retries_are_a_failure(mode: OutputMode, bad: object) -> None:
    """Spent re-asks end in a report with every attempt, never in the bad output (W27)."""
    run = Run(bad, bad, mode=mode, budget=Budget(output_retries=1))
    reason = run.report.stop_reason
    assert isinstance(reason, OutputInvalid)
    assert (2, ("$.people",)) == (reason.attempts, reason.issues)
    assert ["invalid", "invalid"] == [attempt.outcome for attempt in run.report.attempts]
    with pytest.raises(RunFailed):
        run.outcome.unwrap()


@pytest.mark.row("R13")
def test_r13_nothing_resets_the_retries() -> None:
    """The retries are a public number of the budget, and tools that run do not refill it (W28)."""
    bad = call('{"name":"Oslo"}')
    run = Run([bad], [search()], [bad], mode="tool", tools=[look_up], budget=Budget(output_retries=1))
    assert ("output_invalid", 3, ["Oslo"]) == (run.report.code, len(run.requests), LOOKED)
    assert 2 == Budget().output_retries


@pytest.mark.row("R14")
@pytest.mark.parametrize("steps", [1, 2])
def test_r14_exactly_so_many_steps(steps: int) -> None:
    """``max_steps`` is exactly that number of model calls; past it the run is a stopped failure that can go on."""
    run = Run(*([search()] for _ in range(steps)), mode="tool", tools=[look_up], budget=Budget(max_steps=steps))
    assert (f"step_limit:{steps}", steps) == (run.report.stop_reason.label, len(run.requests))
    assert isinstance(run.outcome, Failure)
    assert run.outcome.checkpoint is not None
    resumed = Agent(City, mode="tool", tools=[look_up]).resume(
        run.outcome, model=ScriptedProvider(GOOD), budget=Budget(max_steps=steps + 1)
    )
    assert isinstance(resumed, Success)
    assert GOOD == resumed.output


@pytest.mark.row("R14")
def test_r14_the_default_leaves_room() -> None:
    """With defaults a tool can be called and an output asked for again: twenty steps, not one."""
    run = Run([search()], call("{}"), call(), mode="tool", tools=[look_up])
    assert GOOD == run.success.output
    assert 20 == Budget().max_steps


class Inner(BaseModel):
    """A nested object with a constraint."""

    grade: int = Field(ge=1, le=6)


class Outer(BaseModel):
    """Nothing in it is required."""

    inner: Inner | None = None
    kind: str = Field(default="a", pattern="^[ab]$")


@pytest.mark.row("R15")
@pytest.mark.parametrize(
    "bad, path",
    [('{"inner":{"grade":7}}', "$.inner.grade"), ('{"inner":{}}', "$.inner.grade"), ('{"kind":"c"}', "$.kind"), ("[1]", "$")],
    ids=["constraint", "nested", "pattern", "root"],
)
def test_r15_all_of_the_type_is_validated(bad: str, path: str) -> None:
    """Not only keys that must be there: nested objects, constraints and the root too, each issue with its path (W29)."""
    run = Run(bad, '{"inner":{"grade":1}}', form=Outer, mode="native")
    first = run.success.attempts[0]
    assert path in [issue.path for issue in first.issues]
    assert f"{path}:" in (first.feedback or "")


@pytest.mark.row("R16")
@pytest.mark.parametrize("mode", ["native", "prompted", "tool"])
def test_r16_every_mode_asks_again(mode: OutputMode) -> None:
    """An agent of a type keeps its mode, and each mode finds, validates and asks again in the same way (W30)."""
    run = Run("I think it is Oslo.", f"The answer: {OSLO}", mode=mode)
    assert ([mode] * 2, GOOD) == ([request.mode for request in run.requests], run.success.output)
    assert ["no_payload", "valid"] == [attempt.outcome for attempt in run.success.attempts]


@pytest.mark.row("R17")
@pytest.mark.parametrize("mode", ["native", "prompted", "tool"])
def test_r17_failed_attempts_are_paid_for_and_told_of(mode: OutputMode) -> None:
    """Usage of failed attempts is kept on failure as on success, and a re-ask goes on in the same conversation (W31)."""
    bad = ModelResponse.of("?").changed(usage=Usage(requests=1, input_tokens=10, output_tokens=5))
    run = Run(bad, bad, bad, mode=mode)
    usage = run.report.usage
    assert (3, 30, 15, True) == (usage.requests, usage.input_tokens, usage.output_tokens, usage.complete)
    assert [1, 3, 5] == [len([m for m in request.messages if m.role != "system"]) for request in run.requests]
    good = ModelResponse.of(OSLO).changed(usage=Usage(requests=1, input_tokens=10, output_tokens=5))
    assert (20, 10) == (
        (usage := Run(bad, good, mode=mode).success.usage).input_tokens, usage.output_tokens
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- R18 to R20


@pytest.mark.row("R18")
def test_r18_kinds_of_finish() -> None:
    """The kinds are a closed set beside the server's word; unreported is a kind, and a word that nobody knows is kept."""
    kinds = {"stop", "length", "tool_calls", "content_filter", "error", "other", "unspecified"}
    assert kinds == set(get_args(FinishKind))
    assert ("other", "pause_turn") == ((read := FinishReason.from_wire("pause_turn")).kind, read.raw)
    assert "unspecified" == FinishReason.from_wire(None).kind


@pytest.mark.row("R18")
@pytest.mark.parametrize("word", ["stop", "length", "content_filter", "other", None])
def test_r18_only_stop_is_reconciled(word: str | None) -> None:
    """Beside calls ``stop`` means ``tool_calls``; every other reason stays, and so does the server's word."""
    told = FinishReason.from_wire(word)
    seen = told.reconciled(has_tool_calls=True)
    assert ("tool_calls" if word == "stop" else told.kind, word) == (seen.kind, seen.raw)
    assert told == told.reconciled(has_tool_calls=False)


@pytest.mark.row("R18")
@pytest.mark.parametrize(
    "word, cut, incomplete", [("length", True, True), ("content_filter", False, True), ("stop", False, False)], ids=str
)
def test_r18_cut_and_incomplete(word: str, cut: bool, incomplete: bool) -> None:
    """Cut off is ``length`` alone, since only that is worth a larger cap; incomplete is a filtered reply too."""
    told = FinishReason.from_wire(word)
    assert (cut, incomplete) == (told.is_truncated, told.is_incomplete)


THOUGHT = Reasoning(text="Hm. Norway.")


@pytest.mark.row("R19")
@pytest.mark.parametrize("parts", [(), (THOUGHT,)], ids=["empty", "reasoning only"])
@pytest.mark.parametrize(
    "word, kind, remedy",
    [("length", Truncated, "max_tokens"), ("content_filter", ContentFiltered, "prompt")],
    ids=["cut", "filtered"],
)
@pytest.mark.parametrize("form", [City, str], ids=["City", "str"])
def test_r19_no_answer_and_why(form: Any, parts: tuple[Any, ...], word: str, kind: type[Any], remedy: str) -> None:
    """A reply without an answer that was cut off or filtered says which, with a remedy of its own, for text too."""
    run = Run(ModelResponse(parts=parts, finish_reason=FinishReason.from_wire(word)), form=form)
    assert isinstance(run.report.stop_reason, kind)
    assert remedy in run.report.remedy
    assert 1 == len(run.requests)


@pytest.mark.row("R19")
@pytest.mark.parametrize("form", [City, str], ids=["City", "str"])
def test_r19_nothing_is_no_success(form: Any) -> None:
    """A natural end without an answer is `no_output`, asked for again first; never an empty success."""
    empty = ModelResponse(parts=(THOUGHT,), finish_reason=FinishReason.from_wire("stop"))
    run = Run(empty, empty, form=form, budget=Budget(output_retries=1))
    assert "no_output" == run.report.code


@pytest.mark.row("R19")
def test_r19_cut_with_an_answer() -> None:
    """A cut reply with a whole payload succeeds, and its reason is on the step; a cut text may go on, so it is no answer."""
    run = Run(ModelResponse.of(OSLO, finish="length"), mode="native")
    assert (GOOD, "length") == (run.success.output, run.success.steps[0].finish_reason.kind)
    cut = Run(ModelResponse.of("The capital of Norw", finish="length"), form=str).report
    assert ("truncated", "The capital of Norw") == (cut.code, cut.last_text)


@pytest.mark.row("R20")
def test_r20_each_call_has_its_record() -> None:
    """Finish reason, usage and model are recorded for each model call, not only for the last."""
    used = [Usage(requests=1, input_tokens=number, output_tokens=1) for number in (10, 20)]
    first = ModelResponse(parts=(search(),), finish_reason=FinishReason.from_wire("stop"), usage=used[0], model="small")
    last = ModelResponse.of(OSLO, finish="eos").changed(usage=used[1], model="large")
    steps = Run(first, last, mode="native", tools=[look_up]).success.steps
    assert [("tool_calls", "stop"), ("stop", "eos")] == [(step.finish_reason.kind, step.finish_reason.raw) for step in steps]
    assert (used, ["small", "large"]) == ([step.usage for step in steps], [step.model for step in steps])


# ----------------------------------------------------------------------------------------------------------- R21 to R26


def rewriting(ctx: RunContext[object], call: ToolCall) -> object:
    """Other arguments."""
    return call.changed(arguments='{"name":"Bergen"}')


def skipping(ctx: RunContext[object], call: ToolCall) -> object:
    """Not now."""
    return Skip("ask me later")


def stopping(ctx: RunContext[object], call: ToolCall) -> None:
    """Enough."""
    ctx.stop("enough")


@pytest.mark.row("R21")
@pytest.mark.parametrize(
    "hook, ran, told",
    [(None, ["Oslo"], "700000 people"), (rewriting, ["Bergen"], "700000 people"), (skipping, [], "ask me later")],
    ids=["run", "rewrite", "skip"],
)
def test_r21_before_a_tool(hook: Callable[..., object] | None, ran: list[str], told: str) -> None:
    """A hook lets a call run, gives it other arguments, or answers it without running it."""
    run = Run([search()], call(), mode="tool", tools=[look_up], hooks=Hooks(before_tool=hook))
    assert (ran, told) == (LOOKED, results(run.requests[1].messages[-1])[0].text)


@pytest.mark.row("R21")
def test_r21_stop() -> None:
    """A hook ends the run, with its words as the reason; neither its call is executed nor one beside it."""
    run = Run([search(), search("c1")], mode="tool", tools=[look_up], hooks=Hooks(before_tool=stopping))
    assert ("hook", []) == (run.report.code, LOOKED)
    assert "enough" in run.report.summary
    assert ["skipped", "skipped"] == [result.status for result in run.report.steps[0].tool_results]


@pytest.mark.row("R21")
def test_r21_after_a_tool() -> None:
    """A hook gives another result."""
    hooks = Hooks(after_tool=lambda ctx, call, result: "700001 people")
    run = Run([search()], call(), mode="tool", tools=[look_up], hooks=hooks)
    assert "700001 people" == results(run.requests[1].messages[-1])[0].text


@pytest.mark.row("R21")
def test_r21_after_the_model() -> None:
    """A hook sees the finish reason, and discards a reply with words of its own; its calls are answered as not executed."""
    seen: list[str] = []

    def once(ctx: RunContext[object], response: ModelResponse) -> Retry | None:
        seen.append(response.finish_reason.kind)
        return Retry("Think again.") if len(seen) == 1 else None

    run = Run([search()], call(), mode="tool", tools=[look_up], hooks=Hooks(after_model=once))
    assert (["tool_calls", "tool_calls"], []) == (seen, LOOKED)
    assert "Think again." == run.requests[1].messages[-1].text
    assert 1 == len([attempt for attempt in run.success.attempts if attempt.outcome == "no_payload"])


@pytest.mark.row("R21")
def test_r21_before_the_model() -> None:
    """A hook sees the cap of the attempt that is due."""
    caps: list[int | None] = []

    def note(ctx: RunContext[object], request: ModelRequest) -> None:
        caps.append(request.settings.max_tokens)

    cut = ModelResponse.of(OSLO[:-9], finish="length")
    Run(cut, OSLO, mode="native", settings=Settings(max_tokens=100), hooks=Hooks(before_model=note))
    assert [100, 200] == caps


@pytest.mark.row("R22")
def test_r22_an_unknown_tool() -> None:
    """A call of an unknown tool is answered with the names that there are, on a budget of its own, and then ends the run."""
    unknown = call("{}", "lookup")
    run = Run([unknown], call(), mode="tool", tools=[look_up])
    told = results(run.requests[1].messages[-1])[0].text
    assert "look_up, final_result" in told
    spent = Run([unknown], mode="tool", tools=[look_up], budget=Budget(invalid_tool_retries=0)).report.stop_reason
    assert isinstance(spent, ToolFailures)
    assert ("unknown_tool", "lookup") == (spent.scope, spent.tool_call.name)


@pytest.mark.row("R22")
def test_r22_put_right_by_a_hook() -> None:
    """A hook that knows what was meant says so before the reply is judged; names are not changed behind the model's back."""

    def mend(ctx: RunContext[object], response: ModelResponse) -> Retry | None:
        return Retry("The tool is look_up.") if any(call.name == "lookup" for call in response.tool_calls) else None

    run = Run([call("{}", "lookup")], [search()], call(), mode="tool", tools=[look_up], hooks=Hooks(after_model=mend))
    assert (GOOD, ["Oslo"]) == (run.success.output, LOOKED)


@pytest.mark.row("R23")
@pytest.mark.parametrize("mode", ["native", "prompted", "tool"])
@pytest.mark.parametrize("tools", [False, True], ids=["alone", "beside tools"])
def test_r23_no_impossible_demand(mode: OutputMode, tools: bool) -> None:
    """A call is demanded only where the output tool is the one tool on offer, so no demand is impossible."""
    run = Run(GOOD, mode=mode, tools=[look_up] if tools else ())
    demanded = mode == "tool" and not tools
    assert ("required" if demanded else "auto") == run.requests[0].tool_choice


@pytest.mark.row("R23")
@pytest.mark.parametrize("mode", ["tool", "native"])
def test_r23_an_impossible_mode_is_refused_at_once(mode: OutputMode) -> None:
    """A mode that the model is known to refuse is an error before any request, with the nearest that works."""
    model = ScriptedProvider(capabilities=Capabilities(tools="rejected", json_schema="rejected"))
    with pytest.raises(MisuseError, match='the nearest that works is "prompted"'):
        Agent(City, model=model, mode=mode)
    assert [] == model.requests


@pytest.mark.row("R24")
@pytest.mark.parametrize("decision, ran", [(Approved(), ["Oslo"]), (Denied("no"), [])], ids=["approved", "denied"])
def test_r24_resumed_elsewhere(decision: Approved | Denied, ran: list[str]) -> None:
    """A run that waits at its calls is JSON, and goes on with another agent of the same making, for as long as one waits."""
    gated = Tool.of(look_up, requires_approval=True)
    waiting = Agent(City, mode="tool", tools=[gated]).start("?", model=ScriptedProvider([search()]))
    assert isinstance(waiting, Paused)
    written = waiting.checkpoint.model_dump_json()
    elsewhere = Agent(City, mode="tool", tools=[Tool.of(look_up, requires_approval=True)])
    still = elsewhere.resume(Checkpoint.model_validate_json(written), {}, model=ScriptedProvider())
    assert isinstance(still, Paused)
    assert still.pending == waiting.pending
    done = elsewhere.resume(Checkpoint.model_validate_json(written), {"c0": decision}, model=ScriptedProvider(GOOD))
    assert isinstance(done, Success)
    assert (GOOD, ran) == (done.output, LOOKED)


@pytest.mark.row("R25")
@pytest.mark.parametrize("mode", ["tool", "native", "prompted"])
def test_r25_deltas_are_provisional(mode: OutputMode) -> None:
    """What a rejected turn showed is taken back by word; of the output's own call only its parts are told, the result last."""
    unfit = {"name": "Oslo", "people": "many"}
    first = ToolCall(id="c1", name=OUT, arguments=json.dumps(unfit)) if mode == "tool" else json.dumps(unfit)
    with Agent(City, mode=mode, model=ScriptedProvider(first, GOOD)).stream("?") as stream:
        told = [event for event in stream.events() if not isinstance(event, TextDelta)]
    kinds = [type(event) for event in told]
    assert [NodeClosed, NodeClosed, NodeClosed, StepFinished] == kinds[:4] == kinds[5:9]
    assert [Restarted(2, "invalid"), Settled(stream.outcome())] == [told[4], told[9]]


@pytest.mark.row("R26")
def test_r26_what_a_later_release_writes() -> None:
    """Stop reasons are a closed set to match on, and one that a later release wrote is still read, as ``other``."""
    read = TypeAdapter[Any](StopReason).validate_python({"kind": "out_of_coffee", "cups": 7})
    assert isinstance(read, Other)
    assert {"kind": "out_of_coffee", "cups": 7} == read.raw


_MARK = re.compile(r"""@pytest\.mark\.row\("(R\d+)"\)\n(?:@[^\n]*\n|[ \])][^\n]*\n)*def test_(r\d+)_""")


def test_every_row_is_here() -> None:
    """Each of R1 to R26 is named by a mark and by the test under it, or has a reason in `NOT_HERE`; no other is."""
    text = Path(__file__).read_text(encoding="utf-8")
    pairs = _MARK.findall(text)
    assert len(re.findall(r"^@pytest\.mark\.row", text, re.MULTILINE)) == len(pairs)
    assert all(row.lower() == name for row, name in pairs), pairs
    marked = {row for row, _ in pairs}
    assert set(ROWS) == marked | NOT_HERE.keys()
    assert not marked & NOT_HERE.keys()
    assert all(NOT_HERE.values())

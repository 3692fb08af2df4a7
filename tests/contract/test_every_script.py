"""The exhaustive suite: every script of up to four replies ends alike through each runner, in every mode, as the rules say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import product
from typing import Annotated, Literal, NamedTuple, TypeAlias, get_args

import pytest
from pydantic import Field
from tests.support import RUN_ID, AnyPlan, City, Outcome, changed, faults_in, plan_for

from settled import Agent, Budget, Checkpoint, Failure, ModelRequest, OutputMode, ProviderError, Settings, Success, ToolCall
from settled.core.actions import Finish
from settled.core.checkpoint import dump, load
from settled.core.machine import advance, pending, start
from settled.core.plan import UserCall
from settled.modes.asking import asking_of
from settled.runners.effects import effect_of
from settled.runners.run import Run
from settled.runners.sync import carry_out
from settled.testing import FunctionProvider, Refusal, Reply, Truncated
from settled.testing.fake import ABLE

Kind: TypeAlias = Literal["good", "wrong_type", "no_json", "fails_check", "truncated", "refusal", "transport"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Script: TypeAlias = tuple[Kind, ...]
SCRIPTS: tuple[Script, ...] = tuple(script for length in range(1, 5) for script in product(KINDS, repeat=length))
SETTINGS = Settings(max_tokens=100)
BUDGETS = {
    "roomy": Budget(max_steps=4, transport_retries=1, output_retries=2, truncation_retries=1),
    "tight": Budget(max_steps=2, transport_retries=1, output_retries=1, truncation_retries=1),
}
PROMPT = "The capital of Norway?"
CUT, UNFIT = '{"name":"Os', '{"name":"Oslo","people":"many"}'
AFTER_THE_SCRIPT: Reply = Refusal("That is all.")


def in_text(reply: str | None = None) -> Mapping[Kind, Reply]:
    """The replies of the modes that read text."""
    return {
        "good": City(name="Oslo", people=700_000),
        "wrong_type": UNFIT if reply is None else reply,
        "no_json": "I have no idea.",
        "fails_check": City(name="Oslo", people=-1),
        "truncated": Truncated(CUT),
        "refusal": Refusal("I cannot."),
        "transport": ProviderError("connection", "reset", retry_after=0.0),
    }


REPLIES: Mapping[OutputMode, Mapping[Kind, Reply]] = {
    "native": in_text(),
    "prompted": in_text(),
    "tool": {
        **in_text(),
        "wrong_type": ToolCall(id="call_unfit", name="final_result", arguments=UNFIT),
        "truncated": Truncated(CUT, in_call="final_result"),
    },
    "text": {
        **in_text(),
        "good": "Oslo",
        "wrong_type": "It is Oslo, of course.",
        "no_json": "",
        "fails_check": "Bergen",
        "truncated": Truncated("Osl"),
    },
}
ShortText: TypeAlias = Annotated[str, Field(max_length=12)]


def exists(city: City) -> None:
    """The check of the modes with a model."""
    if city.people < 0:
        raise ValueError("nobody lives there")


def is_capital(name: str) -> None:
    """The check of text mode."""
    if name != "Oslo":
        raise ValueError("that is not the capital")


class Expected(NamedTuple):
    """What the documented rules say about a script."""

    code: str
    requests: int
    steps: int
    caps: tuple[int, ...]


def expected(script: Script, budget: Budget) -> Expected:
    """The rules once more, as short as they can be: this is the oracle, and shares nothing with the core."""
    after: Script = ("refusal",) * 9
    replies = iter((*script, *after))
    requests = steps = reasks = raised = 0
    caps: list[int] = []
    while steps < budget.max_steps:
        steps, kind = steps + 1, next(replies)
        caps.append(100 * 2**raised)
        requests += 1
        if kind == "transport":
            kind = next(replies)
            caps.append(caps[-1])
            requests += 1
        ends = {"good": "output", "refusal": "refused", "transport": "error"}.get(kind)
        if kind == "truncated" and raised >= budget.truncation_retries:
            ends = "truncated"
        if kind in ("wrong_type", "no_json", "fails_check") and reasks >= budget.output_retries:
            ends = "no_output" if kind == "no_json" else "output_invalid"
        if ends is not None:
            return Expected(ends, requests, steps, tuple(caps))
        raised += kind == "truncated"
        reasks += kind in ("wrong_type", "no_json", "fails_check")
    return Expected("step_limit", requests, steps, tuple(caps))


def fake_of(script: Script, mode: OutputMode) -> FunctionProvider:
    """A fake that follows the script, then refuses for ever."""
    rest = iter(REPLIES[mode][kind] for kind in script)
    return FunctionProvider(lambda _: next(rest, AFTER_THE_SCRIPT))


def agent_for(mode: OutputMode, budget: Budget) -> Agent[object]:
    """The agent under test in a mode."""
    if mode == "text":
        return Agent(ShortText, mode=mode, checks=[is_capital], budget=budget, settings=SETTINGS)
    return Agent(City, mode=mode, checks=[exists], budget=budget, settings=SETTINGS)


def persisted_plan(mode: OutputMode, budget: Budget) -> AnyPlan:
    """The same plan, made by hand."""
    plan = plan_for(ShortText if mode == "text" else City, mode, asking=asking_of(ABLE, None))
    check = UserCall("is_capital", is_capital) if mode == "text" else UserCall("exists", exists)
    return changed(plan, checks=(check,), budget=budget, settings=SETTINGS)


def persisted(plan: AnyPlan, fake: FunctionProvider) -> Outcome:
    """The outcome of a run whose state goes through JSON after every event, and which is taken up from there each time."""
    run: Run[object, object] = Run(plan=plan, provider=fake)
    step = start(plan, PROMPT, run_id=RUN_ID)
    while True:
        state = load(plan, Checkpoint.model_validate_json(dump(plan, step.state).model_dump_json()))
        action = pending(plan, state)
        assert step.state == state
        assert step.action == action
        if isinstance(action, Finish):
            return action.outcome
        step = advance(plan, state, carry_out(effect_of(run, state, action, is_async=False)))


def timeless(outcome: Outcome) -> Outcome:
    """The outcome without the times that were measured, in the checkpoint either."""
    if isinstance(outcome, Success):
        attempts = tuple(attempt.changed(seconds=0.0) for attempt in outcome.attempts)
        return outcome.changed(elapsed=0.0, attempts=attempts, steps=tuple(s.changed(seconds=0.0) for s in outcome.steps))
    report = outcome.report
    report = report.changed(
        elapsed=0.0,
        attempts=tuple(attempt.changed(seconds=0.0) for attempt in report.attempts),
        steps=tuple(step.changed(seconds=0.0) for step in report.steps),
    )
    kept = outcome.checkpoint
    return Failure(report=report, checkpoint=None if kept is None else kept.changed(state=""))


def code_of(outcome: Outcome) -> str:
    """The kind of the end."""
    return outcome.stop_reason.kind if isinstance(outcome, Success) else outcome.report.code


def check_account(due: Expected, outcome: Outcome, requests: list[ModelRequest], where: str) -> None:
    """The end, the requests with their caps, and each history are as the rules say."""
    caps = tuple(request.settings.max_tokens or 0 for request in requests)
    assert due == Expected(code_of(outcome), len(requests), requests[-1].step, caps), where
    for request in requests:
        assert not faults_in(request.messages), where
    account = outcome.report if isinstance(outcome, Failure) else outcome
    assert due.steps == len(account.attempts), where
    assert not faults_in(account.messages), where


def test_scripts_are_all_there() -> None:
    """There are 2800 scripts of one to four replies over seven kinds, and every mode has a reply of each kind."""
    assert len(SCRIPTS) == 2800
    assert {"native", "tool", "prompted", "text"} == set(REPLIES)
    assert all(set(KINDS) == set(replies) for replies in REPLIES.values())


@pytest.mark.parametrize("longest", [3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("bounds", list(BUDGETS))
@pytest.mark.parametrize("mode", list(REPLIES))
def test_every_script_ends_alike(mode: OutputMode, bounds: str, longest: int) -> None:
    """Each script ends as the rules say and with equal outcomes through the sync, the async and the JSON-persisted runner.

    The scripts of four replies, six of seven, run with the slow tests.
    """
    scripts = [script for script in SCRIPTS if len(script) <= longest]
    budget = BUDGETS[bounds]
    agent, plan = agent_for(mode, budget), persisted_plan(mode, budget)

    async def all_async() -> list[tuple[Outcome, FunctionProvider]]:
        fakes = [fake_of(script, mode) for script in scripts]
        return [(await agent.asettle(PROMPT, model=fake, run_id=RUN_ID), fake) for fake in fakes]

    for script, (awaited, async_fake) in zip(scripts, asyncio.run(all_async()), strict=True):
        where = f"{mode}, {bounds}: {' '.join(script)}"
        due, sync_fake, json_fake = expected(script, budget), fake_of(script, mode), fake_of(script, mode)
        settled = timeless(agent.settle(PROMPT, model=sync_fake, run_id=RUN_ID))
        check_account(due, settled, sync_fake.requests, where)
        assert settled == timeless(awaited), where
        assert settled == timeless(persisted(plan, json_fake)), where
        assert sync_fake.requests == async_fake.requests, where
        assert sync_fake.requests == json_fake.requests, where

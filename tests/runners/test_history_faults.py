"""Faults of histories, approvals and resumed runs: each row of that part of the catalogue of faults, under both runners."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import threading
import time
import weakref
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, field_validator
from tests.behaviours.doors import Door, failed, succeeded
from tests.stores import MemoryStore, stands
from tests.support import City, call, faults_in

from settled import (
    Agent,
    AlreadyDecided,
    Approved,
    Budget,
    Denied,
    ExternalResult,
    FileStore,
    Message,
    MisuseError,
    Paused,
    Rerun,
    RunContext,
    StateRejected,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    dump_messages,
    load_messages,
)
from settled.testing import ScriptedProvider

HERE = Path(__file__).parent
KEY = b"a key of sixteen bytes or more"
OSLO = City(name="Oslo", people=700_000)
SENT: list[str] = []


@pytest.fixture(autouse=True)
def nothing_sent() -> None:
    """No letter was sent yet."""
    SENT.clear()


@pytest.fixture(params=["sync", "async"])
def door(request: pytest.FixtureRequest) -> Door:
    """Both runners."""
    return Door(request.param)


def send(to: str) -> str:
    """Send a letter."""
    SENT.append(to)
    return f"sent to {to}"


GATED = Tool.of(send, requires_approval=True)
CALL = ToolCall(id="c1", name="send", arguments='{"to": "Oslo"}')


def agent_with(*replies: Any, **options: Any) -> Agent[City, None]:
    """An agent that may send letters when a person agrees."""
    given: dict[str, Any] = {"tools": [GATED], "model": ScriptedProvider(*replies), "mode": "tool", **options}
    return Agent(City, **given)


def paused(door: Door, agent: Agent[City, None], **options: Any) -> Paused:
    """A run that waits for a decision."""
    waiting = door.start(agent, **options)
    assert isinstance(waiting, Paused)
    return waiting


# Histories.


@pytest.mark.row("H01")
def test_h01_a_reask_answers_every_call(door: Door) -> None:
    """In tool mode a re-ask answers each call of the reply, the output's and all others, directly behind it."""
    bad = [call("final_result", '{"name": 7}', "a"), call("send", '{"to": "Oslo"}', "b"), call("nobody", "{}", "c")]
    model = ScriptedProvider(bad, OSLO)
    succeeded(door.settle(agent_with(model=model, tools=[send])))
    answers = [part for message in model.requests[1].messages for part in message.parts if isinstance(part, ToolResult)]
    assert ["a", "b", "c"] == [answer.call_id for answer in answers]
    assert not faults_in(model.requests[1].messages)


@pytest.mark.row("H02")
@pytest.mark.parametrize("mode", ["native", "prompted"])
def test_h02_a_reask_without_calls_is_a_user_message(door: Door, mode: Any) -> None:
    """In native and prompted mode a re-ask is a user message, and no call is answered that nobody made."""
    model = ScriptedProvider('{"name": 7}', OSLO)
    succeeded(door.settle(agent_with(model=model, mode=mode)))
    assert ["user", "assistant", "user"] == [message.role for message in model.requests[1].messages if message.role != "system"]
    parts = [part for message in model.requests[1].messages for part in message.parts]
    assert all(isinstance(part, Text) for part in parts)


class Guarded(BaseModel):
    """A type whose validator knows a secret."""

    names: list[int]

    @field_validator("names")
    @classmethod
    def _looks(cls, names: list[int], info: Any) -> list[int]:
        assert info.context["key"], "the context is there"
        return names


@pytest.mark.row("H03")
def test_h03_feedback_is_short_and_holds_no_secret(door: Door) -> None:
    """What the model is told of a bad reply is capped, and holds nothing of the context."""
    secret = "sk-live-canary-4711"
    model = ScriptedProvider(json.dumps({"names": ["x" * 5000] * 500}), '{"names": [1]}')
    agent: Agent[Guarded, None] = Agent(Guarded, model=model, mode="native")
    succeeded(door.settle(agent, context={"key": secret}))
    told = model.requests[1].messages[-1].text
    assert len(told) < 2_000
    assert secret not in dump_messages(model.requests[1].messages)


@pytest.mark.row("H04")
def test_h04_reasks_do_not_pile_up(door: Door) -> None:
    """Each re-ask makes the request longer by as much as the one before: what went before is not told again."""
    model = ScriptedProvider(*['{"name": 7}'] * 8)
    failed(door.settle(agent_with(model=model, mode="native", budget=Budget(output_retries=7))), "output_invalid")
    sizes = [len(dump_messages(request.messages)) for request in model.requests]
    grown = {after - before for before, after in pairwise(sizes[1:])}
    assert 8 == len(sizes)
    assert max(grown) - min(grown) < 10


@pytest.mark.row("H05")
@pytest.mark.parametrize("given", [[{"role": "user", "content": "Hi"}], '[{"role": "user"}]', {"messages": []}], ids=type)
def test_h05_plain_data_is_no_history(door: Door, given: Any) -> None:
    """A history of plain data is refused before any request, with the way to load one; it is never ignored."""
    model = ScriptedProvider()
    with pytest.raises(MisuseError, match="load_messages"):
        door.settle(agent_with(model=model), history=given)
    assert [] == model.requests


@pytest.mark.row("H06")
def test_h06_an_open_call_in_a_history_is_no_approval(door: Door) -> None:
    """A history that ends in a call without an answer is refused: nothing in it is taken for approved."""
    with pytest.raises(MisuseError, match="resume the run"):
        door.settle(agent_with(OSLO), history=[Message.user("Write."), Message(role="assistant", parts=(CALL,))])
    assert [] == SENT


# Decisions.


@pytest.mark.row("H07")
@pytest.mark.parametrize("args, sent", [(None, ["Oslo"]), ({"to": "Bergen"}, ["Bergen"])], ids=["as asked", "otherwise"])
def test_h07_an_approved_call_runs_once(door: Door, args: Any, sent: list[str]) -> None:
    """It runs once, with the arguments that were kept, or with those that the person gave, validated again."""
    agent = agent_with(CALL, OSLO)
    waiting = paused(door, agent)
    with pytest.raises(MisuseError, match="do not fit"):
        door.resume(agent, waiting, {"c1": Approved(args={"to": 7})})
    succeeded(door.resume(agent, waiting, {"c1": Approved(args=args)}))
    assert sent == SENT


@pytest.mark.row("H08")
def test_h08_a_denied_call_does_not_run(door: Door) -> None:
    """The model is told why not, and nothing runs."""
    model = ScriptedProvider(CALL, OSLO)
    agent = agent_with(model=model)
    succeeded(door.resume(agent, paused(door, agent), {"c1": Denied("too dear")}))
    assert ([], "too dear") == (SENT, model.requests[1].messages[-1].text)


@pytest.mark.row("H09")
@pytest.mark.parametrize("kind", ["memory", "files"])
def test_h09_a_call_is_decided_once(door: Door, kind: str, tmp_path: Path) -> None:
    """With a store, whoever decides a second time is told, from what the caller had and from what was loaded before."""
    store = FileStore(tmp_path) if kind == "files" else MemoryStore()
    agent = agent_with(CALL, OSLO)
    waiting = paused(door, agent, store=store, run_id="r1")
    loaded = store.load("r1")
    succeeded(door.resume(agent, waiting, {"c1": Approved()}, store=store))
    for late in (waiting, loaded):
        with pytest.raises(AlreadyDecided):
            door.resume(agent, late, {"c1": Approved()}, store=store)
    assert ["Oslo"] == SENT


def renamed(whom: str) -> str:
    """Another tool."""
    return whom


OTHERS: dict[str, tuple[Agent[Any, Any], str]] = {
    "another type": (Agent(int, tools=[GATED], mode="tool"), "output is different"),
    "a tool removed": (Agent(City, mode="tool"), "tool send is gone"),
    "a tool added": (agent_with(tools=[GATED, renamed]), "tool renamed is new"),
    "another schema": (agent_with(tools=[Tool.of(renamed, name="send", requires_approval=True)]), "tool send is different"),
}


@pytest.mark.row("H10")
@pytest.mark.parametrize("other", OTHERS)
def test_h10_another_agent_is_refused(door: Door, other: str) -> None:
    """A run is not taken up by an agent of another type or with other tools: the difference is named, and nothing runs."""
    agent, named = OTHERS[other]
    with pytest.raises(StateRejected, match=named):
        door.resume(agent, paused(door, agent_with(CALL)), {"c1": Approved()}, model=ScriptedProvider())
    assert [] == SENT


@pytest.mark.row("H11")
@pytest.mark.parametrize("damage", ["cut", "empty", "version", "flipped", "another key", "not signed"])
def test_h11_a_damaged_state_is_refused(door: Door, damage: str) -> None:
    """A checkpoint that was cut, is of another version, or was edited against its signature runs nothing."""
    agent = agent_with(CALL, OSLO)
    kept = paused(door, agent).checkpoint.signed(KEY)
    flipped = kept.state.replace("Oslo", "Osla")
    damaged = {
        "cut": kept.changed(state=kept.state[: len(kept.state) // 2]),
        "empty": kept.changed(state=""),
        "version": kept.changed(version=kept.version + 1),
        "flipped": kept.changed(state=flipped),
        "another key": kept.signed(KEY[::-1]),
        "not signed": kept.changed(signature=None),
    }[damage]
    with pytest.raises(StateRejected):
        door.resume(agent, damaged.verified(KEY), {"c1": Approved()})
    if damage in ("cut", "empty", "version"):  # found out without a key as well
        with pytest.raises(StateRejected):
            door.resume(agent, damaged, {"c1": Approved()})
    assert [] == SENT


# H12 is in tests/core/test_golden.py.


@pytest.mark.row("H13")
def test_h13_a_result_that_was_not_kept(door: Door) -> None:
    """A crash between the end of a tool and the saving of its result leaves it uncertain; run again, it has the same key."""
    keys: list[str] = []

    def pay(ctx: RunContext[object]) -> str:
        """Pay."""
        keys.append(ctx.idempotency_key)
        return "paid"

    agent = agent_with(call("pay"), tools=[pay])
    store = MemoryStore(fault=lambda number: OSError("gone") if number == 4 else None)
    with pytest.raises(OSError, match="gone"):
        door.start(agent, store=store, run_id="r1")
    assert stands(store.states[-1], c1="begun")
    waiting = door.resume(agent, store.load("r1"), store=store, model=ScriptedProvider())
    assert isinstance(waiting, Paused)
    assert ["uncertain"] == [wait.kind for wait in waiting.pending]
    succeeded(door.resume(agent, waiting, {"c1": Rerun()}, store=store, model=ScriptedProvider(OSLO)))
    assert (2, 1) == (len(keys), len({*keys}))


@pytest.mark.row("H14")
def test_h14_a_pause_holds_nothing(door: Door, tmp_path: Path) -> None:
    """A run that waits has no thread, no task, no open file and no lock; what the caller holds is data."""
    store, agent = FileStore(tmp_path), agent_with(CALL, OSLO)
    succeeded(door.resume(agent, paused(door, agent), {"c1": Approved()}))  # whatever is made once a process is made now
    agent = agent_with(CALL, OSLO)
    threads, files = threading.active_count(), open_files()
    waiting = paused(door, agent, store=store, run_id="r1")
    patience = time.monotonic() + 10  # a thread that has answered may take a moment to end
    while threading.active_count() > threads and time.monotonic() < patience:
        time.sleep(0.01)
    assert threading.active_count() <= threads
    assert open_files() == files
    store.save("r1", waiting.checkpoint, expect=waiting.checkpoint.revision)  # nobody holds its lock
    assert not [name for name in vars(waiting) if not isinstance(vars(waiting)[name], (tuple, str, BaseModel))]
    held = weakref.ref(agent)
    del agent
    gc.collect()
    assert held() is None


def open_files() -> int:
    """How many files, sockets and pipes this process has open."""
    return len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else 0


def test_h14_a_pause_leaves_no_task() -> None:
    """In a loop, nothing of a run that waits is left running."""

    async def main() -> int:
        assert isinstance(await agent_with(CALL).astart("Write.", store=MemoryStore(), run_id="r1"), Paused)
        return len(asyncio.all_tasks())

    assert 1 == asyncio.run(main())


# Field cases.


class Answer(BaseModel):
    """An answer."""

    a: str


@pytest.mark.row("B59")
def test_b59_a_history_is_never_ignored(door: Door) -> None:
    """Plain JSON is refused before any request; loaded as messages, it is in the first request."""
    plain = [{"role": "user", "content": "My cat is Tofu"}]
    model = ScriptedProvider(call("final_result", '{"a":"Tofu"}'))
    agent: Agent[Answer, None] = Agent(Answer, model=model, mode="tool")
    with pytest.raises(MisuseError):
        door.settle(agent, "What is my cat called?", history=plain)
    assert [] == model.requests
    dumped = dump_messages([Message.user("My cat is Tofu")])
    assert Answer(a="Tofu") == succeeded(door.settle(agent, "What is my cat called?", history=load_messages(dumped))).output
    assert [("user", "My cat is Tofu")] == [(one.role, one.text) for one in model.requests[0].messages if "Tofu" in one.text]


def rows() -> Iterator[str]:
    """The rows that some test is marked with."""
    for file in HERE.parent.rglob("test_*.py"):
        yield from re.findall(r'"(H\d\d)"', "".join(re.findall(r"mark\.row\([^)]*\)", file.read_text(encoding="utf-8"))))


def test_every_row_has_a_test() -> None:
    """Each row of this part of the catalogue is marked somewhere, and no other."""
    assert {f"H{number:02}" for number in range(1, 15)} == {*rows()}


@pytest.mark.parametrize("decision", [ExternalResult("seen"), Denied(), Rerun()], ids=type)
def test_a_stopped_run_has_no_calls_to_decide(door: Door, decision: Any) -> None:
    """Decisions about a run that waits for none are refused."""
    stopped = failed(door.settle(agent_with("hm", budget=Budget(max_steps=1))))
    with pytest.raises(MisuseError, match="no call waits"):
        door.resume(agent_with(OSLO), stopped, {"c1": decision})

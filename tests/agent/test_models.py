"""Which model a run asks: the override, the call, the agent, the environment, in this order."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable

import pytest

from settled import Agent, Budget, Capabilities, Failure, MisuseError, Settings
from settled.testing import FunctionProvider, ScriptedProvider, use_model


def fake(answer: int) -> FunctionProvider:
    """A model that always says the same."""
    return FunctionProvider(lambda request: answer)


def in_thread(agent: Agent[int]) -> object:
    """What the agent gives in a thread of its own."""
    got: list[object] = []

    def work() -> None:
        try:
            got.append(agent.run("How many?"))
        except MisuseError as error:
            got.append(type(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return got[0]


def test_no_model() -> None:
    """Without any model a run is refused, and the message names the three ways; nothing else needs a model."""
    agent = Agent(int)
    calls: list[Callable[[], object]] = [
        lambda: agent.run("?"),
        lambda: agent.settle("?"),
        lambda: agent.start("?"),
        lambda: asyncio.run(agent.arun("?")),
    ]
    for call in calls:
        with pytest.raises(MisuseError) as raised:
            call()
        for way in ("Agent(model=...)", "run(model=...)", "SETTLED_MODEL"):
            assert way in str(raised.value)
    assert agent.parse("7").unwrap() == 7


def test_the_environment_is_read_when_a_run_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """``SETTLED_MODEL`` counts if it is set when the run starts, not when the agent is built; a model of the agent wins."""
    agent = Agent(int)
    monkeypatch.setenv("SETTLED_MODEL", "nowhere:x")
    with pytest.raises(MisuseError, match="nowhere:x"):
        agent.run("How many?")
    assert agent.run("How many?", model=fake(7)) == 7
    assert Agent(int, model=fake(7)).run("How many?") == 7
    monkeypatch.delenv("SETTLED_MODEL")
    with pytest.raises(MisuseError, match="no model"):
        agent.run("How many?")


def test_an_empty_environment_variable_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """``SETTLED_MODEL`` set to nothing is as good as unset."""
    monkeypatch.setenv("SETTLED_MODEL", "")
    with pytest.raises(MisuseError, match="no model"):
        Agent(int).run("How many?")


def test_order() -> None:
    """An override wins over the call, the call over the agent."""
    agent = Agent(int, model=fake(1))
    assert agent.run("?") == 1
    assert agent.run("?", model=fake(2)) == 2
    with agent.override(model=fake(3)):
        assert agent.run("?", model=fake(2)) == 3
    assert agent.run("?") == 1


def test_overrides_nest() -> None:
    """The innermost override of each thing holds; the others stay."""
    agent = Agent(int, model=fake(1))
    with agent.override(model=fake(2), budget=Budget(max_steps=1)):
        with agent.override(model=FunctionProvider(lambda request: "x"), settings=Settings(seed=9)):
            failed = agent.settle("?")
        assert agent.run("?") == 2
    assert isinstance(failed, Failure)
    assert failed.report.stop_reason.label == "step_limit:1"


def test_overrides_reach_changed_copies_and_no_one_else() -> None:
    """An override holds for the agent and its copies, made before or within, not for other agents."""
    agent, other = Agent(int, model=fake(1)), Agent(int, model=fake(1))
    copied = agent.with_(name="copy")
    with agent.override(model=fake(2)):
        assert (agent.run("?"), copied.run("?"), agent.with_(name="c").run("?"), other.run("?")) == (2, 2, 2, 1)


def test_an_override_ends_with_its_block() -> None:
    """Also when the block raises."""
    agent = Agent(int, model=fake(1))
    for everywhere in (True, False):
        with contextlib.suppress(KeyError), agent.override(model=fake(2), everywhere=everywhere):
            raise KeyError
        assert agent.run("?") == 1


@pytest.mark.parametrize("everywhere, expected", [(False, 1), (True, 2)], ids=["here", "everywhere"])
def test_threads(everywhere: bool, expected: int) -> None:
    """Threads that a test starts itself see only overrides that hold everywhere."""
    agent = Agent(int, model=fake(1))
    with agent.override(model=fake(2), everywhere=everywhere):
        assert agent.run("?") == 2
        assert expected == in_thread(agent)


def test_tasks_inherit() -> None:
    """Tasks made within the block see the override; a task has its own."""

    async def main() -> list[int]:
        agent = Agent(int, model=fake(1))

        async def overridden(answer: int) -> int:
            with agent.override(model=fake(answer)):
                await asyncio.sleep(0)
                return await agent.arun("?")

        with agent.override(model=fake(2)):
            inherited = asyncio.create_task(agent.arun("?"))
            return [*await asyncio.gather(overridden(3), overridden(4), inherited), await agent.arun("?")]

    assert asyncio.run(main()) == [3, 4, 2, 2]


def test_use_model_is_for_all_agents() -> None:
    """``use_model`` overrides every agent, whatever model it names; the innermost counts."""
    one, other = Agent(int, model="openai:gpt-5-mini"), Agent(int)
    with use_model(fake(7)):
        assert (one.run("?"), other.run("?")) == (7, 7)
        with one.override(model=fake(8)):
            assert (one.run("?"), other.run("?")) == (8, 7)
        with use_model(fake(9)):
            assert one.run("?") == 9
        assert in_thread(other) is MisuseError
    with use_model(fake(7), everywhere=True):
        assert in_thread(other) == 7


def test_override_of_budget_and_settings() -> None:
    """An override of budget and settings wins over those of the call."""
    script = ScriptedProvider(7)
    agent = Agent(int, model=script, settings=Settings(seed=1))
    with agent.override(settings=Settings(seed=2)):
        agent.run("?", settings=Settings(seed=3))
    assert script.requests[0].settings.seed == 2
    with agent.override(budget=Budget(max_steps=1)):
        failed = agent.settle("?", model=ScriptedProvider("x", 7), budget=Budget(max_steps=9))
    assert isinstance(failed, Failure)
    assert failed.report.code == "step_limit"


def test_one_agent_asks_any_number_of_models() -> None:
    """An agent may be asked of many models in turn, more than it keeps plans for."""
    agent = Agent(int)
    assert [agent.run("?", model=fake(answer)) for answer in range(40)] == list(range(40))


def test_capabilities_that_change_are_seen() -> None:
    """A model that says something else of itself the next time is asked accordingly."""

    class Learning(FunctionProvider):
        """Learns that it can enforce schemas."""

        known = Capabilities()

        def capabilities(self) -> Capabilities:
            """What it knows now."""
            return self.known

    model = Learning(lambda request: 7)
    agent = Agent(int, model=model)
    agent.run("?")
    model.known = Capabilities(json_schema="enforced")
    agent.run("?")
    assert [request.mode for request in model.requests] == ["prompted", "native"]

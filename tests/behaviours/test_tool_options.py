"""What a tool may say of its own failures: row S18 and wart W6."""

from __future__ import annotations

import pytest
from tests.behaviours.doors import Door, failed
from tests.behaviours.models import City, call

from settled import Agent, Budget, tool
from settled.testing import FunctionProvider, ScriptedProvider
from settled.vocabulary.stop import Error, ToolFailures


@pytest.mark.row("S18")
def test_a_tool_whose_errors_are_defects(door: Door) -> None:
    """With ``on_error="fail"`` what a tool raises ends the run as an error: it is neither counted nor told to the model."""

    @tool(on_error="fail")
    def load(tons: int) -> str:
        """Load a cargo."""
        raise ZeroDivisionError(tons)

    model = ScriptedProvider(call("load", '{"tons":7}'))
    budget = Budget(tool_retries=0, tool_failures_total=0)
    report = failed(door.settle(Agent(City, tools=[load], model=model, budget=budget)), "error").report
    assert Error(error_type="ZeroDivisionError", message="7", source="tool:load") == report.stop_reason
    assert isinstance(report.exception, ZeroDivisionError)
    assert () == report.secondary
    assert 1 == len(model.requests)


@pytest.mark.row("W6")
@pytest.mark.parametrize("own, total, scope, count", [(0, 10, "call", 1), (4, 10, "call", 5), (4, 2, "run", 3)])
def test_a_tool_may_have_a_count_of_its_own(door: Door, own: int, total: int, scope: str, count: int) -> None:
    """``retries`` of a tool stand in for ``tool_retries``; the count of the run holds as well, and the first to be spent wins."""

    @tool(retries=own)
    def load() -> str:
        """Load a cargo."""
        raise ValueError("too heavy")

    model = FunctionProvider(lambda request: call("load", id=f"c{request.step}"))
    budget = Budget(tool_retries=1, tool_failures_total=total)
    report = failed(door.settle(Agent(City, tools=[load], model=model, budget=budget)), "tool_failures").report
    assert isinstance(report.stop_reason, ToolFailures)
    assert (scope, count) == (report.stop_reason.scope, report.stop_reason.count)
    assert count == len(model.requests)

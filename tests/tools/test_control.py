"""What user code returns or raises to steer a run, what a person decides, and the context that it all sees."""

from __future__ import annotations

import pickle

import pytest

from settled import (
    Approved,
    Budget,
    Denied,
    EndRun,
    ExternalResult,
    FailRun,
    Message,
    NeedsApproval,
    Reject,
    Rerun,
    RunContext,
    ToolFailed,
    Usage,
)


@pytest.mark.parametrize(
    "decision, fields",
    [
        (Approved(), (None, None)),
        (Approved(args={"amount": 5}), ({"amount": 5}, None)),
        (Denied(), ("a person denied this call", None)),
        (Denied("too dear", {"max": 5}), ("too dear", {"max": 5})),
        (ExternalResult({"status": "sent"}), ({"status": "sent"},)),
        (Rerun(), ()),
    ],
    ids=["approved", "approved-with", "denied", "denied-with", "external", "rerun"],
)
def test_decisions(decision: tuple[object, ...], fields: tuple[object, ...]) -> None:
    """A decision is a plain tuple with named fields; it pickles."""
    assert fields == tuple(decision)
    assert decision == pickle.loads(pickle.dumps(decision))


def test_what_tools_return() -> None:
    """A tool ends, fails or pauses the run by what it returns."""
    assert (EndRun(7).output, FailRun("no stock").detail, NeedsApproval({"amount": 7}).payload, NeedsApproval().payload) == (
        7,
        "no stock",
        {"amount": 7},
        None,
    )


def test_what_tools_and_checks_raise() -> None:
    """A tool's failure holds its text, a check's rejection a path too."""
    assert str(ToolFailed("no such ship")) == "no such ship"
    assert (Reject("m").path, Reject("m").message, str(Reject("m"))) == ("$", "m", "m")
    assert Reject("m", path="$.date").path == "$.date"


def test_reject_pickles() -> None:
    """A rejection keeps its path through pickle."""
    again = pickle.loads(pickle.dumps(Reject("m", path="$.date")))
    assert isinstance(again, Reject)
    assert (again.message, again.path) == ("m", "$.date")


def test_context_defaults() -> None:
    """A context can be made in a test with nothing but the caller's object."""
    ctx = RunContext(context={"user": 7})
    assert (
        ctx.context,
        ctx.run_id,
        ctx.step,
        ctx.attempt,
        ctx.messages,
        ctx.tool_call_id,
        ctx.agent_name,
        ctx.stopped,
    ) == ({"user": 7}, "", 0, 0, (), None, None, None)
    assert (Usage(), Budget()) == (ctx.usage, ctx.budget)


def test_context_holds_what_it_is_given() -> None:
    """Everything about the run is there."""
    talk, budget, usage = (Message.user("Oslo?"),), Budget(max_steps=2), Usage(requests=1)
    ctx = RunContext(
        context=None,
        run_id="r1",
        step=2,
        attempt=1,
        usage=usage,
        budget=budget,
        messages=talk,
        tool_call_id="c1",
        agent_name="clerk",
    )
    assert ("r1", 2, 1, usage, budget, talk, "c1", "clerk") == (
        ctx.run_id,
        ctx.step,
        ctx.attempt,
        ctx.usage,
        ctx.budget,
        ctx.messages,
        ctx.tool_call_id,
        ctx.agent_name,
    )


def test_the_first_stop_counts() -> None:
    """``stop`` is heard once, also when it is called with an empty text first."""
    ctx = RunContext(context=None)
    ctx.stop("")
    ctx.stop("second")
    assert ctx.stopped == ""


def test_no_stray_attributes() -> None:
    """A misspelt attribute is an error, not a silent wish."""
    with pytest.raises(AttributeError):
        setattr(RunContext(context=None), "stoped", "x")  # noqa: B010

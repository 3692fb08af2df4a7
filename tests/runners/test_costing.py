"""The price function of a budget is asked for what the provider does not tell."""

from __future__ import annotations

import asyncio
import logging
from decimal import Decimal
from typing import Any

import pytest

from settled import Agent, Budget, Failure, FinishReason, ModelResponse, ProviderError, Success, Text, Usage
from settled.testing import ScriptedProvider
from settled.vocabulary.budget import Price

SEVEN = ModelResponse(
    parts=(Text(text='{"value": 7}'),),
    finish_reason=FinishReason.from_wire("stop"),
    usage=Usage(requests=1, input_tokens=10, output_tokens=2),
    model="big-2026",
)


def settled(reply: ModelResponse, price: Any, **budget: Any) -> Success[int] | Failure[None]:
    """The outcome of a run with one reply."""
    return Agent(int, budget=Budget(price=price, **budget)).settle("How many?", model=ScriptedProvider(reply, model="big"))


def test_what_a_reply_cost() -> None:
    """A reply whose cost the provider does not tell costs what the function says, of service, model and usage."""
    asked: list[tuple[str, str, Usage]] = []

    def price(service: str, model: str, usage: Usage) -> Decimal:
        asked.append((service, model, usage))
        return Decimal("0.25")

    outcome = settled(SEVEN, price)
    assert isinstance(outcome, Success)
    assert outcome.usage.cost == Decimal("0.25")
    assert asked == [("scripted", "big-2026", SEVEN.usage)]


def test_async_runs_ask_too() -> None:
    """The price function is asked by async runs as well."""
    agent = Agent(int, budget=Budget(price=always(Decimal(1))), model=ScriptedProvider(SEVEN))
    outcome = asyncio.run(agent.asettle("How many?"))
    assert isinstance(outcome, Success)
    assert outcome.usage.cost == 1


@pytest.mark.parametrize("is_certain", [True, False], ids=["certain", "uncertain"])
@pytest.mark.parametrize("replies", [1, 2, 3], ids=["failed", "then fine", "twice, then fine"])
def test_what_a_request_that_failed_cost(replies: int, is_certain: bool) -> None:
    """What a service reported of a request before it failed counts, priced, as no answer; what is uncertain is said to be."""
    half = ProviderError(
        "stream_incomplete",
        "broke",
        retryable=True,
        retry_after=0,
        uncertain=not is_certain,
        usage=Usage(requests=1, input_tokens=10, output_tokens=1),
    )
    failed = 1 if replies == 1 else replies - 1
    script = ScriptedProvider(*[half] * failed, *[SEVEN] * (replies > 1))
    budget = Budget(price=always(Decimal(1)), transport_retries=replies - 1)
    outcome = Agent(int, budget=budget, model=script).settle("How many?")
    account = outcome if isinstance(outcome, Success) else outcome.report
    usage = account.usage
    answers = replies - failed
    assert (answers, 10 * replies) == (usage.requests, usage.input_tokens)
    assert failed + 2 * answers == usage.output_tokens
    assert replies == usage.cost
    assert (is_certain, 0 if is_certain else failed) == (usage.complete, usage.uncertain_requests)
    assert isinstance(outcome, Success) or account.attempts[0].usage.output_tokens == 1


def test_no_usage_at_all() -> None:
    """An error of a provider's own with another thing for its usage has none."""
    error = ProviderError("server", "broke", retryable=False)
    vars(error)["usage"] = {"input_tokens": 5}
    outcome = Agent(int, model=ScriptedProvider(error)).settle("How many?")
    assert isinstance(outcome, Failure)
    assert outcome.report.usage.input_tokens is None


@pytest.mark.parametrize("limit", ["max_total_tokens", "max_input_tokens"])
def test_a_request_that_failed_draws_on_the_budget(limit: str) -> None:
    """Tokens of a request that failed are spent: the limit that they pass ends the run."""
    half = ProviderError("server", "broke", retry_after=0, usage=Usage(requests=1, input_tokens=50, output_tokens=1))
    no_number = SEVEN.changed(parts=(Text(text="none"),))
    budget = Budget(output_retries=2).changed(**{limit: 55})
    outcome = Agent(int, budget=budget, model=ScriptedProvider(half, no_number, SEVEN)).settle("How many?")
    assert isinstance(outcome, Failure)
    assert outcome.report.code == "token_limit"


def test_what_the_provider_tells_stands() -> None:
    """A cost that the provider told is never asked about."""

    def never(service: str, model: str, usage: Usage) -> Decimal:
        raise AssertionError

    outcome = settled(SEVEN.changed(usage=SEVEN.usage.changed(cost=Decimal("0.5"))), never)
    assert isinstance(outcome, Success)
    assert outcome.usage.cost == Decimal("0.5")


def test_the_name_that_was_asked_for() -> None:
    """A model that is unknown by the name in its reply has the price of the name that was asked for."""

    def by_name(service: str, model: str, usage: Usage) -> Decimal | None:
        return {"big": Decimal(3)}.get(model)

    outcome = settled(SEVEN, by_name)
    assert isinstance(outcome, Success)
    assert outcome.usage.cost == 3


def test_a_number_will_do() -> None:
    """A float is taken by its digits."""
    outcome = settled(SEVEN, always(0.1))
    assert isinstance(outcome, Success)
    assert outcome.usage.cost == Decimal("0.1")


def always(amount: Any) -> Price:
    """A function that gives this, whatever is asked."""

    def price(service: str, model: str, usage: Usage) -> Any:
        return amount

    return price


def failing(service: str, model: str, usage: Usage) -> Decimal:
    """A function with a fault."""
    raise KeyError("secret")


@pytest.mark.parametrize(
    "price, told",
    [
        (failing, "KeyError"),
        (always("much"), "no amount"),
        (always(Decimal("NaN")), "no amount"),
        (always(-1), "no amount"),
    ],
    ids=["raises", "text", "nan", "negative"],
)
def test_a_fault_loses_no_reply(price: Any, told: str, caplog: pytest.LogCaptureFixture) -> None:
    """A function that raises, or gives no amount, leaves the cost unknown, with a warning that holds no content."""
    with caplog.at_level(logging.WARNING, logger="settled"):
        outcome = settled(SEVEN, price)
    assert isinstance(outcome, Success)
    assert (outcome.output, outcome.usage.cost) == (7, None)
    assert told in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("policy, code", [("stop", "usage_unknown"), ("ignore", "no_output")])
def test_an_unknown_price_under_a_limit(policy: str, code: str) -> None:
    """Under a limit, a cost that nobody knows ends the run, or is passed over, as the budget says."""
    blank = SEVEN.changed(parts=())
    budget: Any = {"max_cost": 1, "on_unknown_usage": policy, "output_retries": 0 if policy == "ignore" else 2}
    outcome = settled(blank, always(None), **budget)
    assert isinstance(outcome, Failure)
    assert outcome.report.code == code


@pytest.mark.parametrize("replies, code", [(3, "cost_limit"), (2, "output")], ids=["at the limit", "below it"])
def test_the_exact_boundary(replies: int, code: str) -> None:
    """Costs are summed exactly, and the call after the one that reaches the limit is not made."""
    blanks = [SEVEN.changed(parts=())] * (replies - 1)
    fake = ScriptedProvider(*blanks, SEVEN)
    budget = Budget(max_cost=Decimal("0.2"), price=always(0.1), output_retries=9)
    outcome = Agent(int, budget=budget).settle("How many?", model=fake)
    ended = outcome.stop_reason.kind if isinstance(outcome, Success) else outcome.report.code
    assert (ended, len(fake.requests)) == (code, 2)

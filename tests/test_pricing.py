"""List prices, from a package that only the extra brings."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pickle import dumps, loads

import pytest

from settled import Budget, Usage
from settled.pricing import list_prices

USED = Usage(requests=1, input_tokens=1_000_000, output_tokens=1_000_000, cached_tokens=0)


@pytest.mark.parametrize(
    "service, model",
    [
        ("openai", "gpt-4o"),
        ("openai-responses", "gpt-4o"),
        ("azure", "gpt-4o"),
        ("anthropic", "claude-sonnet-4-5"),
        ("gemini", "gemini-2.5-flash"),
        ("xai", "grok-4"),
        ("openrouter", "anthropic/claude-sonnet-4"),
    ],
)
def test_services_are_known(service: str, model: str) -> None:
    """A model of a service, by the names of ours, has a price."""
    cost = list_prices()(service, model, USED)
    assert isinstance(cost, Decimal)
    assert cost > 0


def test_cached_tokens_cost_less() -> None:
    """Tokens that the provider had cached are counted at their own price."""
    price = list_prices()
    cached = price("openai", "gpt-4o", USED.changed(cached_tokens=900_000))
    plain = price("openai", "gpt-4o", USED)
    assert isinstance(cached, Decimal)
    assert isinstance(plain, Decimal)
    assert cached < plain


@pytest.mark.parametrize(
    "service, model, usage",
    [
        ("openai", "of-my-own", USED),
        ("no-such-service", "of-my-own", USED),
        ("openai", "gpt-4o", Usage(requests=1, input_tokens=5)),
        ("openai", "gpt-4o", Usage(requests=1, output_tokens=5)),
    ],
    ids=["no such model", "no such service", "unknown output", "unknown input"],
)
def test_what_is_not_known_has_no_price(service: str, model: str, usage: Usage) -> None:
    """A model without a list price, and tokens that nobody counted, cost an unknown amount; never nothing."""
    assert list_prices()(service, model, usage) is None


def test_a_budget_with_prices_is_a_value() -> None:
    """A budget with list prices is equal to its like, also after a pickle."""
    budget = Budget(max_cost=Decimal("0.5"), price=list_prices())
    assert budget == Budget(max_cost=Decimal("0.5"), price=list_prices())
    assert loads(dumps(budget)) == budget


def test_without_the_package() -> None:
    """Without the package, asking for list prices says what to install, before any run begins."""
    without = (
        "import sys; sys.modules['genai_prices'] = None\n"
        "from settled import MisuseError\nfrom settled.pricing import list_prices\n"
        "try: list_prices()\nexcept MisuseError as error: print(error)"
    )
    told = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=True).stdout
    assert 'pip install "settled[pricing]"' in told

"""What a reply cost, where the provider did not say: the price function of the budget is asked, once a reply."""

from __future__ import annotations

from decimal import Decimal, DecimalException

from ..providers.base import AnyProvider
from ..vocabulary.budget import Price
from ..vocabulary.exchange import ModelResponse
from ..vocabulary.usage import Usage
from .observing import warn


def priced(response: ModelResponse, price: Price | None, provider: AnyProvider | None) -> ModelResponse:
    """The response with its cost, if that is still unknown and the price function knows it.

    The model is called as the reply calls it; should that name have no price, as it was asked for.
    """
    if price is None or provider is None or response.usage.cost is not None:
        return response
    usage = with_cost(response.usage, price, provider, model=response.model)
    return response if usage is response.usage else response.changed(usage=usage)


def with_cost(usage: Usage, price: Price | None, provider: AnyProvider | None, *, model: str | None = None) -> Usage:
    """The usage with its cost, as for `priced`; the model is named where the reply named it."""
    if price is None or provider is None or usage.cost is not None:
        return usage
    for name in dict.fromkeys((model or provider.model, provider.model)):
        cost = _asked(price, provider.name, name, usage)
        if cost is not None:
            return usage.changed(cost=cost)
    return usage


def _asked(price: Price, service: str, model: str, usage: Usage) -> Decimal | None:
    """The amount that the function gives. It is the caller's code, and no reply that was paid for is lost to a fault in it."""
    try:
        given = price(service, model, usage)
        cost = None if given is None else Decimal(str(given))
    except DecimalException:
        warn("the price function gave no amount; the cost is unknown")
        return None
    except Exception as raised:
        warn("the price function raised %s; the cost is unknown", type(raised).__name__)
        return None
    if cost is not None and (not cost.is_finite() or cost < 0):
        warn("the price function gave no amount; the cost is unknown")
        return None
    return cost

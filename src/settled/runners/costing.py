"""What a reply cost, where the provider did not say: the price function of the budget is asked, once a reply."""

from __future__ import annotations

from decimal import Decimal, DecimalException

from ..providers.base import AnyProvider
from ..vocabulary.budget import Price
from ..vocabulary.exchange import ModelResponse
from .observing import warn


def priced(response: ModelResponse, price: Price | None, provider: AnyProvider | None) -> ModelResponse:
    """The response with its cost, if that is still unknown and the price function knows it.

    The model is called as the reply calls it; should that name have no price, as it was asked for.
    """
    if price is None or provider is None or response.usage.cost is not None:
        return response
    for model in dict.fromkeys((response.model or provider.model, provider.model)):
        cost = _asked(price, provider.name, model, response)
        if cost is not None:
            return response.changed(usage=response.usage.changed(cost=cost))
    return response


def _asked(price: Price, service: str, model: str, response: ModelResponse) -> Decimal | None:
    """The amount that the function gives. It is the caller's code, and no reply that was paid for is lost to a fault in it."""
    try:
        given = price(service, model, response.usage)
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

"""List prices of models, for `Budget.price`: the data of the package genai-prices, which the extra ``pricing`` installs."""

from __future__ import annotations

from decimal import Decimal
from importlib.util import find_spec

from .vocabulary.budget import Price
from .vocabulary.errors import MisuseError
from .vocabulary.usage import Usage

_RESPONSES = "-responses"  # a service is called so where its other API is spoken; its prices are the same


def list_prices() -> Price:
    """A price function that knows the public list prices of most services; None for a model it does not know.

    They are what genai-prices was released with: nothing is fetched, and your own discounts, batches and tiers are not in them.
    Tokens that the provider had cached are counted at their own price.

    Raises:
        MisuseError: without genai-prices.

    Example:
        >>> from decimal import Decimal
        >>> from settled import Budget, Usage
        >>> price = list_prices()
        >>> price("openai", "gpt-4o", Usage(requests=1, input_tokens=1000, output_tokens=100)) is not None
        True
        >>> Budget(max_cost=Decimal("0.50"), price=price).max_cost
        Decimal('0.50')
    """
    if find_spec("genai_prices") is None:
        raise MisuseError('list prices need the package genai-prices: pip install "settled[pricing]"')
    return _list_price


def _list_price(service: str, model: str, usage: Usage) -> Decimal | None:
    from genai_prices import Usage as Counts
    from genai_prices import calc_price

    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    counts = Counts(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cache_read_tokens=usage.cached_tokens)
    try:
        return calc_price(counts, model_ref=model, provider_id=service.removesuffix(_RESPONSES)).total_price
    except LookupError:
        return None

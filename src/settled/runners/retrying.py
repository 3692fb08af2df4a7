"""Whether and how long to wait before the same HTTP request is sent again. The only file that knows tenacity.

Only a `ProviderError` that says it is retryable is retried, within the attempts and seconds that the action allows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from ..core.ledger import Allowance
from ..vocabulary.errors import ProviderError, ProviderErrorKind

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
_LONGEST_ASKED = 86_400.0  # a day: what a service asks beyond that, or below 0, or as no number, is not followed
_LONGEST_FOLLOWED = 120.0  # what it asks beyond that is not slept through: the run ends, and its report says when to come back
_MOST_RETRIES: Mapping[ProviderErrorKind, int] = {"bad_response": 1}  # a page from a proxy may pass; the same twice will not


def wait_before_retry(error: ProviderError, attempts: int, allowed: Allowance, elapsed: float) -> float | None:
    """Seconds to wait before the next attempt; None when there is to be none.

    Args:
        error: how the last attempt failed.
        attempts: attempts made.
        allowed: attempts and seconds in all.
        elapsed: seconds since the first attempt.

    Example:
        >>> wait_before_retry(ProviderError("server", "oops", retry_after=0.0), 1, Allowance(calls=2), 0.0)
        0.0
    """
    most = min(allowed.calls - 1, _MOST_RETRIES.get(error.kind, allowed.calls))
    if not error.retryable or attempts > most:
        return None
    wait = _asked(error)
    wait = _backoff(attempts) if wait is None else wait
    if wait > _LONGEST_FOLLOWED or (allowed.seconds is not None and elapsed + wait >= allowed.seconds):
        return None
    return wait


def _asked(error: ProviderError) -> float | None:
    """Seconds that the service wants to be left alone; None where it does not say, or nothing that makes sense."""
    if error.retry_after is not None:
        return error.retry_after if 0 <= error.retry_after <= _LONGEST_ASKED else None
    seconds = -1.0 if error.retry_at is None else error.retry_at.timestamp() - time.time()
    return seconds if seconds >= 0 else None


def _backoff(attempts: int) -> float:
    """Exponential with jitter, from half a second."""
    from tenacity import RetryCallState, Retrying, wait_exponential, wait_random

    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = attempts
    return (wait_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT) + wait_random(0, _FIRST_WAIT))(state)

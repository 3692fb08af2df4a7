"""What a run has cost: unknown is None and never 0, and sums keep what is known."""

from __future__ import annotations

from decimal import Decimal

import pytest

from settled import Usage

A = Usage(requests=1, input_tokens=5, output_tokens=2, cached_tokens=1, reasoning_tokens=1, cost=Decimal("0.10"))
SILENT = Usage(requests=1)


@pytest.mark.parametrize(
    "one, other, expected",
    [
        (Usage(), Usage(), Usage()),
        (Usage(), A, A),
        (
            A,
            A,
            Usage(requests=2, input_tokens=10, output_tokens=4, cached_tokens=2, reasoning_tokens=2, cost=Decimal("0.20")),
        ),
        (A, SILENT, A.changed(requests=2, complete=False)),
        (SILENT, A, A.changed(requests=2, complete=False)),
        (SILENT, SILENT, Usage(requests=2, complete=False)),
        (Usage(), SILENT, Usage(requests=1, complete=False)),
        (Usage(requests=1, input_tokens=5), Usage(requests=1, input_tokens=1), Usage(requests=2, input_tokens=6)),
        (A, Usage(uncertain_requests=1, complete=False), A.changed(uncertain_requests=1, complete=False)),
    ],
    ids=["nothing", "first", "known", "known-silent", "silent-known", "silent", "first-silent", "partly", "uncertain"],
)
def test_sums(one: Usage, other: Usage, expected: Usage) -> None:
    """Each counter of a sum is unknown only if both are; a share that is missing makes it incomplete."""
    assert expected == one + other


def test_none_and_five() -> None:
    """None + 5 is 5, not complete."""
    total = Usage(requests=1) + Usage(requests=1, input_tokens=5, output_tokens=1)
    assert (total.input_tokens, total.complete) == (5, False)


@pytest.mark.parametrize(
    "usage, total",
    [(Usage(), None), (Usage(input_tokens=5), 5), (Usage(output_tokens=2), 2), (Usage(input_tokens=5, output_tokens=2), 7)],
    ids=["none", "input", "output", "both"],
)
def test_total_tokens(usage: Usage, total: int | None) -> None:
    """The total is None only when neither count is known."""
    assert total == usage.total_tokens


def test_counts_without_requests_are_not_lost() -> None:
    """What a provider counted is summed, also where it left out the number of requests."""
    total = Usage(input_tokens=5, output_tokens=2) + Usage(requests=1, input_tokens=1, output_tokens=1)
    assert (total.input_tokens, total.output_tokens) == (6, 3)

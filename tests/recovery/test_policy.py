"""How far recovery may go: five ordered levels, single codes allowed or forbidden."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import get_args

import pytest
from pydantic import ValidationError

from settled import Recovery, Repair
from settled.recovery.policy import RecoveryLevel
from settled.vocabulary.issues import RepairLevel

LEVELS = [Recovery.STRICT, Recovery.FRAMING, Recovery.SYNTAX, Recovery.SCHEMA, Recovery.SEMANTIC]


def test_the_ready_levels() -> None:
    """There is one ready policy for each level, in order, and the default is ``schema``."""
    assert list(get_args(RecoveryLevel)) == [policy.level for policy in LEVELS]
    assert Recovery() == Recovery.SCHEMA


def test_levels_are_ordered() -> None:
    """Levels compare by how much they mend."""
    assert sorted(LEVELS) == LEVELS
    for lower, higher in itertools.pairwise(LEVELS):
        assert lower < higher
        assert lower <= higher
        assert higher > lower
        assert higher >= lower
        assert lower <= lower
        assert not lower < lower


@pytest.mark.parametrize("repair_level", get_args(RepairLevel))
@pytest.mark.parametrize("policy", LEVELS, ids=lambda policy: str(policy.level))
def test_a_level_permits_what_reaches_no_further(policy: Recovery, repair_level: RepairLevel) -> None:
    """A policy permits the repairs of its level and of those below it; strict permits none."""
    order = list(get_args(RecoveryLevel))
    expected = order.index(repair_level) <= order.index(policy.level)
    assert expected == policy.permits(Repair(code="c", level=repair_level))


@pytest.mark.parametrize(
    "policy, expected",
    [
        (Recovery(level="strict", allow=frozenset({"c"})), True),
        (Recovery(level="strict", allow=frozenset({"d"})), False),
        (Recovery(level="semantic", forbid=frozenset({"c"})), False),
        (Recovery(level="semantic", allow=frozenset({"c"}), forbid=frozenset({"c"})), False),
    ],
    ids=["allowed", "another-allowed", "forbidden", "both"],
)
def test_single_codes(policy: Recovery, expected: bool) -> None:
    """A code may be allowed above the level, or forbidden; forbidden wins."""
    assert expected == policy.permits(Repair(code="c", level="syntax"))


def test_a_policy_is_a_value() -> None:
    """A policy is frozen, compares and hashes by content, and pickles."""
    policy = Recovery(level="framing", forbid=frozenset({"fence.stripped"}))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(policy, "level", "strict")  # noqa: B010
    assert policy == pickle.loads(pickle.dumps(policy)) == copy.deepcopy(policy)
    assert hash(policy) == hash(copy.copy(policy))

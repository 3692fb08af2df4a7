"""What two turns of the core cost: a reply that does not fit, then one that does. No runner, no provider, no I/O.

Prints microseconds, and the ratio to validating the two payloads with pydantic alone, which is what nobody can do without.
"""

from __future__ import annotations

import timeit

from pydantic import BaseModel, TypeAdapter, ValidationError

from settled import ModelResponse, Usage
from settled.core.events import ModelReplied
from settled.core.ledger import Spent
from settled.core.machine import advance, start
from settled.core.plan import Plan
from settled.modes.asking import Asking
from settled.modes.codecs import CODECS
from settled.modes.contract import contract_of
from settled.schema.target import OutputTarget

GOAL = 60.0
RUNS, ROUNDS = 2000, 15


class City(BaseModel):
    """A city."""

    name: str
    people: int


BAD, GOOD = '{"name": "Oslo", "people": "many"}', '{"name": "Oslo", "people": 700000}'
USAGE = Usage(requests=1, input_tokens=80, output_tokens=20)
PLAN: Plan[City, None] = Plan(
    shape=CODECS["native"].shape(contract_of(OutputTarget(City), None), Asking(strict=True)), instructions="You know geography."
)


def replied(text: str) -> ModelReplied:
    """The event of a reply."""
    return ModelReplied(ModelResponse.of(text).changed(usage=USAGE), spent=Spent(0.5, 1))


TURNS = replied(BAD), replied(GOOD)


def two_turns() -> object:
    """Start, one re-ask, the output."""
    step = start(PLAN, "The capital of Norway?", run_id="bench")
    for turn in TURNS:
        step = advance(PLAN, step.state, turn)
    return step.action


def validation_alone() -> None:
    """Both payloads through pydantic, with the list of errors."""
    try:
        ADAPTER.validate_json(BAD)
    except ValidationError as error:
        error.errors(include_url=False)
    ADAPTER.validate_json(GOOD)


ADAPTER = TypeAdapter(City)


def microseconds(function: object) -> float:
    """The best of several rounds, since noise only adds."""
    assert callable(function)
    return min(timeit.repeat(function, number=RUNS, repeat=ROUNDS)) / RUNS * 1e6


def main() -> None:
    """Measure both in one process, and print the ratio."""
    ours, floor = microseconds(two_turns), microseconds(validation_alone)
    print(
        f"two turns of the core: {ours:.1f} us (goal <= {GOAL:.0f} us); validation alone {floor:.1f} us; ratio {ours / floor:.1f}"
    )


if __name__ == "__main__":
    main()

"""Functions and methods that a model answers, item by item and many at once, and how to test them with a fake.

Run it: ``python examples/functions.py``
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from settled import Agent, Budget, Failure, Success, answered_by
from settled.testing import FunctionProvider, ScriptedProvider, use_model


@dataclass
class Delay:
    """How late a ship is."""

    minutes: int
    reason: str


@answered_by()
async def how_late(ship: str) -> Delay:
    """How late is {ship}, and why?"""
    raise NotImplementedError


@answered_by()
def harbours(country: str, *, most: int = 3) -> Iterator[str]:
    """List the harbours of {country}, {most} at most."""
    raise NotImplementedError


class Desk:
    """A class whose method a model answers."""

    @answered_by()
    def reply(self, letter: str) -> Success[str] | Failure:
        """Answer this letter kindly: {letter}."""
        raise NotImplementedError


@Agent(list[str]).prompt
def ports(country: str) -> str:
    """The body gives the prompt."""
    return f"List the ports of {country}."


def main() -> None:
    """Each of them, on a fake model."""
    with use_model(ScriptedProvider(Delay(minutes=20, reason="fog"))):
        print(asyncio.run(how_late("the Fram")))
    with use_model(ScriptedProvider(["Oslo", "Bergen", "Moss"], chunk=4)):
        for harbour in harbours("Norway"):
            print(harbour)  # as it closes, while the model still writes
    with use_model(FunctionProvider(lambda request: f"Dear friend, thank you for '{request.messages[-1].text[-5:]}'.")):
        print(Desk().reply("Hello").unwrap())
    with use_model(ScriptedProvider(["Oslo", "Bergen"])):
        print(ports.with_(budget=Budget(max_steps=1))("Norway"))
    with use_model(FunctionProvider(lambda request: [request.messages[-1].text.split()[-1]])):
        for outcome in ports.agent.map([ports.render(country) for country in ("Norway", "Sweden")], concurrency=2):
            print(outcome.unwrap())


if __name__ == "__main__":
    main()

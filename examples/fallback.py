"""Two services, of which the first is down: the run goes on with the second, and says so.

Run it: ``python examples/fallback.py``
"""

from settled import Agent, Budget, Fallback, Success
from settled.events import FellBack, Watched
from settled.providers import OpenAIChat
from settled.testing import FakeServer, HttpReply


def watch(event: Watched) -> None:
    """An observer: of all that happens, it prints what the run fell back on."""
    if isinstance(event, FellBack):
        print(f"{event.from_model} failed ({event.kind}); asking {event.to_model}")


def main() -> None:
    """Ask, fall back, and read the account."""
    down = HttpReply(503, body={"error": {"message": "overloaded"}})
    with FakeServer(down) as first, FakeServer(700_000) as second:  # real servers on loopback, in the place of two services
        models = Fallback(
            OpenAIChat("large", base_url=first.base_url),
            OpenAIChat("small", base_url=second.base_url),
        )
        agent = Agent(int, model=models, budget=Budget(transport_retries=0), observers=[watch])
        outcome = agent.settle("How many people live in Oslo?")
    assert isinstance(outcome, Success)
    for attempt in outcome.attempts:
        print(f"step {attempt.step}: {attempt.model}: {attempt.outcome}")
    print(outcome.output)
    assert [attempt.outcome for attempt in outcome.attempts] == ["error", "valid"]


if __name__ == "__main__":
    main()

"""Release notes that appear entry by entry while the model writes them, over a real socket.

Run it: ``python examples/streaming.py``
"""

from pydantic import BaseModel

from settled import Agent
from settled.providers import OpenAIChat
from settled.streaming import Restarted, Settled, StepFinished, TextDelta
from settled.testing import FakeServer, Typed


class Entry(BaseModel):
    """One change."""

    title: str
    breaking: bool = False


class Notes(BaseModel):
    """Release notes."""

    version: str
    entries: list[Entry]


NOTES = Notes(version="2.1", entries=[Entry(title="Faster"), Entry(title="Smaller", breaking=True), Entry(title="Kinder")])


def main() -> None:
    """The same question three times: item by item, as drafts, and as events behind a reply that did not fit."""
    replies = (NOTES, NOTES, '{"version": "2.1", "entries": [{}]}', Typed(NOTES))
    with FakeServer(*replies, chunk=8) as server:  # a real server on loopback, in the place of a service
        agent = Agent(Notes, model=OpenAIChat("some-model", base_url=server.base_url))

        with agent.stream("What is new?") as stream:
            print("version", stream.field("version", str))
            for entry in stream.items("entries", Entry):
                print("-", entry.title)

        with agent.stream("What is new?") as stream:
            sizes = [len(str(draft.data)) for draft in stream.drafts()]
            print(f"{len(sizes)} drafts")
        assert stream.output() == NOTES

        with agent.stream("What is new?") as stream:
            for event in stream.events():
                if isinstance(event, TextDelta):
                    print(end=".")
                elif isinstance(event, StepFinished):
                    print("", event.finish_reason)
                elif isinstance(event, Restarted):
                    print(f"attempt {event.attempt}, since the one before was {event.why}")
                elif isinstance(event, Settled):
                    print("settled after", len(event.outcome.unwrap().entries), "entries")


if __name__ == "__main__":
    main()

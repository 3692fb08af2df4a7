"""The main job, offline: release notes as a typed value, from a scripted model that gets it wrong at first.

Run it: ``python examples/release_notes.py``
"""

from pydantic import BaseModel, Field

from settled import Agent, Budget, Failure, GaveUp, Reject, Success
from settled.testing import ScriptedProvider


class ReleaseNotes(BaseModel):
    """Structured release notes."""

    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    summary: str
    highlights: list[str] = Field(min_length=1)


COMMITS = "a1 Add streaming\nb2 Fix the parser\nc3 Speed up start"


def names_a_commit(notes: ReleaseNotes) -> None:
    """A check: each highlight must speak of something in the log."""
    words = {word.lower() for word in COMMITS.split()}
    for place, line in enumerate(notes.highlights):
        if not words & {word.lower() for word in line.split()}:
            raise Reject("speaks of nothing in the log", path=f"$.highlights[{place}]")


def main() -> None:
    """Ask, and show what happened on the way."""
    model = ScriptedProvider(
        "Sure! Here are your notes.",
        '{"version": "v2", "summary": "Faster", "highlights": ["streaming"]}',
        ReleaseNotes(version="2.0.0", summary="Faster", highlights=["a new logo"]),
        ReleaseNotes(version="2.0.0", summary="Faster", highlights=["Streaming", "The parser is fixed"]),
    )
    agent = Agent(
        ReleaseNotes,
        model=model,
        instructions="You write release notes.",
        checks=[names_a_commit],
        failure_type=GaveUp,
        budget=Budget(output_retries=3),
    )
    match agent.settle(f"Write release notes 2.0.0 for:\n{COMMITS}"):
        case Success(output=notes, attempts=attempts, mode=mode):
            for attempt in attempts:
                print(f"step {attempt.step}: {attempt.outcome}", *(f"\n  {issue.line}" for issue in attempt.issues))
            print(f"mode {mode}\n{notes.model_dump_json(indent=2)}")
        case Failure(report=report):
            raise SystemExit(report.render())


if __name__ == "__main__":
    main()

"""Release notes by an agent that reads a git repository with tools: it ends with typed notes, or with a typed report why not.

Run it: ``python examples/git_notes.py`` (in a small repository of its own), or ``python examples/git_notes.py FOLDER``.
The model is a function that stands in for a real one, so nothing leaves the machine; give another, and the rest stays.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel, Field

from settled import Agent, Budget, Failure, ModelRequest, RunContext, Success, ToolCall, ToolFailed
from settled.testing import FunctionProvider, Typed


class ReleaseNotes(BaseModel):
    """Structured release notes."""

    version: str
    summary: str
    highlights: list[str] = Field(min_length=1)


class NothingToRelease(BaseModel):
    """There is nothing to write release notes about."""

    reason: str
    blocked_by: list[str] = []


def git(folder: Path, *words: str) -> str:
    """What a git command says."""
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise ToolFailed(done.stderr.strip() or f"git {words[0]} failed")
    return done.stdout.strip()


def last_tag(ctx: RunContext[Path]) -> str:
    """The newest version tag; empty when there is none."""
    return git(ctx.context, "tag", "--list", "v*", "--sort=-version:refname").partition("\n")[0]


def commits_since(ctx: RunContext[Path], tag: str) -> list[str]:
    """The subjects of the commits since a tag, newest first. An empty tag gives all of them."""
    return git(ctx.context, "log", "--format=%s", "--end-of-options", f"{tag}..HEAD" if tag else "HEAD").splitlines()


agent = Agent(
    ReleaseNotes,
    instructions="You write release notes. Look at the repository first.",
    tools=[last_tag, commits_since],
    failure_type=NothingToRelease,
    budget=Budget(max_steps=6, max_tool_calls=10),
)


def stand_in(request: ModelRequest) -> object:
    """What a model would do: look for the tag, then for the commits, then write; or say that there is nothing to write."""
    parts = [part for message in request.messages for part in message.parts]
    told = [part.text for part in parts if part.type == "tool_result"]
    if not told:
        return ToolCall(id="tag", name="last_tag", arguments="{}")
    if len(told) == 1:
        return ToolCall(id="log", name="commits_since", arguments=json.dumps({"tag": told[0]}))
    subjects: list[str] = json.loads(told[1])
    if not subjects:
        return Typed(NothingToRelease(reason=f"no commit since {told[0]}", blocked_by=["no commits"]))
    summary = f"{len(subjects)} changes since {told[0] or 'the start'}"
    return ReleaseNotes(version="next", summary=summary, highlights=subjects[:5])


def show(folder: Path) -> None:
    """One run, and how it ended."""
    match agent.settle("Write the notes of the next release.", context=folder, model=FunctionProvider(stand_in)):
        case Success(output=notes, stop_reason=reason, steps=steps):
            print(f"{reason.label} after {len(steps)} steps, {sum(len(step.tool_calls) for step in steps)} calls")
            print(notes.model_dump_json(indent=2))
        case Failure(report=report):
            assert report.detail is not None or report.code != "reported_failure"
            print(report.render())


def commit(folder: Path, subject: str) -> None:
    """An empty commit, whoever's machine this is."""
    who: Mapping[str, str] = {
        **os.environ,
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ada"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ada@example.org"),
    }
    command = ["git", "-C", str(folder), "commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", subject]
    subprocess.run(command, check=True, env=who)


def main() -> None:
    """In the folder that was named, or in a repository made for this: once with commits to tell of, once without."""
    if len(sys.argv) > 1:
        return show(Path(sys.argv[1]))
    with TemporaryDirectory() as made:
        folder = Path(made)
        git(folder, "init", "--quiet")
        commit(folder, "Start")
        git(folder, "tag", "v1.0.0")
        commit(folder, "Add streaming")
        commit(folder, "Fix the parser")
        show(folder)
        git(folder, "tag", "v1.1.0")
        show(folder)


if __name__ == "__main__":
    main()

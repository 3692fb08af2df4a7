"""The core of the demo: a history from git or from the package, an output type made of it, and Markdown."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue, ValidationError

from settled import Agent, Failure, MisuseError, RunContext, Success
from settled.cli.demo import demo_agent, grounded, prompt_for, tells_enough, without_repeats
from settled.cli.history import SAMPLE, Commit, History, next_version, parse_log, read_history
from settled.cli.notes import Item, ReleaseNotes, as_markdown
from settled.testing import ScriptedProvider

START = Commit("a1b2c3d", "Faster start of the parser", paths=("src/a.py", "src/b.py"), added=7, removed=1)
DARK = Commit("b2c3d4e", "feat(ui): dark mode for the settings page (#12)", body="It can be switched on in the menu.")
CRASH = Commit("c3d4e5f", "Fix a crash on empty files", paths=("src/a.py",), added=1)
DROP = Commit("d4e5f6a", "Remove the old format", body="BREAKING CHANGE: convert your files.")
HISTORY = History("0.2.0", (START, DARK, CRASH, DROP), "here")


def item(commit: Commit, details: str | None = None, reference: str | None = None) -> dict[str, object]:
    """An item about a commit, as a model would write it."""
    return {"title": commit.title, "details": details or commit.facts[0], "references": [reference or commit.hash]}


def notes(**changes: object) -> dict[str, object]:
    """Notes that fit the history, with some fields changed."""
    fitting: dict[str, object] = {
        "version": "0.2.0",
        "summary": "Faster start of the parser. Dark mode for the settings page. Fix a crash on empty files.",
        "highlights": [item(START), item(DARK)],
        "breaking_changes": [item(DROP)],
        "fixes": [item(CRASH)],
    }
    return {**fitting, **changes}


def test_agent_gives_release_notes() -> None:
    """Notes that fit end the run as a value that is a ReleaseNotes."""
    with ScriptedProvider(grounded(HISTORY).model_validate(notes())) as model:
        found = demo_agent(HISTORY, model=model).run(prompt_for(HISTORY))
    assert isinstance(found, ReleaseNotes)
    assert [one.references for one in found.items] == [["a1b2c3d"], ["b2c3d4e"], ["d4e5f6a"], ["c3d4e5f"]]
    assert START.title in model.requests[0].messages[-1].text


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_schema_survives_each_mode(mode: str) -> None:
    """The type is asked for in each mode, and a model without an end of bad replies ends as a report."""
    with ScriptedProvider(*["no idea"] * 4) as model:
        agent: Agent[ReleaseNotes] = demo_agent(HISTORY, model=model, mode=mode)  # type: ignore[arg-type]
        outcome = agent.settle(prompt_for(HISTORY))
    assert isinstance(outcome, Failure)
    assert outcome.report.code == "no_output"


INVENTED: Mapping[str, tuple[str, object]] = {
    "version": ("version", "2.0.0"),
    "summary of its own": ("summary", "This release is the best."),
    "summary that repeats": ("summary", "Faster start of the parser. Faster start of the parser. Fix a crash on empty files."),
    "title": ("highlights", [item(START), {**item(DARK), "title": "Light mode"}]),
    "details of another commit": ("highlights", [item(START), item(DARK, details=START.facts[0])]),
    "reference to another commit": ("highlights", [item(START), item(DARK, reference=START.hash)]),
    "reference twice": ("highlights", [item(START), {**item(DARK), "references": [DARK.hash, DARK.hash]}]),
    "a fix as highlight": ("highlights", [item(START), item(CRASH)]),
    "too few": ("highlights", []),
    "too many": ("fixes", [item(CRASH)] * 2),
    "another field": ("author", "me"),
}


@pytest.mark.parametrize("field, value", INVENTED.values(), ids=INVENTED)
def test_nothing_can_be_invented(field: str, value: object) -> None:
    """The type refuses whatever does not stand in the log at that place."""
    with pytest.raises(ValidationError):
        grounded(HISTORY).model_validate(notes(**{field: value}))


def test_issue_may_be_the_reference() -> None:
    """An issue that a commit names is a reference to it."""
    found = grounded(HISTORY).model_validate(notes(highlights=[item(START), item(DARK, reference="#12")]))
    assert found.highlights[1].references == ["#12"]


def test_repeats_are_dropped_and_asked_about() -> None:
    """A commit that is named twice counts once; when that leaves too few, the check has the model try again."""
    twice = grounded(HISTORY).model_validate(notes(highlights=[item(START), item(START)]))
    assert [one.title for one in twice.highlights] == [START.title]
    good = grounded(HISTORY).model_validate(notes())
    text = twice.model_copy(update={"highlights": [*twice.highlights, *twice.highlights]}).model_dump_json()
    with ScriptedProvider(text, good) as model:
        outcome = demo_agent(HISTORY, model=model, mode="native").settle(prompt_for(HISTORY))
    assert isinstance(outcome, Success)
    assert "name at least 2 different ones" in model.requests[1].messages[-1].text
    with ScriptedProvider(text, text) as model:
        stubborn = demo_agent(HISTORY, model=model, mode="native").run(prompt_for(HISTORY))
    assert [one.title for one in stubborn.highlights] == [START.title]


def test_order_stays_when_repeats_go() -> None:
    """The first of the same stays where it was."""
    a, b = (Item.model_validate(item(commit)) for commit in (START, CRASH))
    assert without_repeats([a, b, a, b]) == [a, b]


def test_plain_notes_have_no_least() -> None:
    """The check asks for no more than the type does."""
    tells_enough(RunContext(context=None), ReleaseNotes(version="1", summary="s", highlights=[], breaking_changes=[], fixes=[]))


ODD: Mapping[str, Sequence[str]] = {
    "one commit": ["Initial commit"],
    "short": ["a", "b"],
    "markup": ['Say "hello" to \\ the world', "`code` <b>bold</b>", "Fix $VAR ^regex$ (group|other) .*? +x"],
    "other scripts": ["Ünïcödé — dashes", "更新文档", "🎉"],
    "only fixes": ["Fix the reader of old files", "Fix the writer of new files"],
    "the same title": ["Update the documentation", "Update the documentation"],
}


@pytest.mark.parametrize("titles", ODD.values(), ids=ODD)
def test_any_history_makes_a_type(titles: Sequence[str]) -> None:
    """Whatever a log holds, the type has a schema, and its own sections say what fits."""
    history = History("0.1.0", tuple(Commit(f"{place:07x}", title) for place, title in enumerate(titles)), "here")
    made = grounded(history)
    assert issubclass(made, ReleaseNotes)
    assert made.model_json_schema()["properties"]["version"]["const"] == "0.1.0"
    assert made.__name__ == "ReleaseNotes"


FREE: Mapping[str, Sequence[str]] = {
    **ODD,
    "one letter": ["x"],
    "a file": ["Update README.md"],
    "chinese": ["更新文档"],
    "a version": ["bump version to 1.2.3"],
    "sixty long": [f"{place} " + "long-winded and without end " * 4 for place in range(60)],
    "some of each": ["x", "更新文档", "Faster start of the parser", "v1.2.3", "Say less and do more of it"],
    "none": [],
}


def strings(schema: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    """Each place of a JSON Schema that takes a string; a list that takes no item has none."""
    if isinstance(schema, list):
        for part in schema:
            yield from strings(part)
    elif isinstance(schema, dict) and schema.get("maxItems") != 0:
        if schema.get("type") == "string":
            yield schema
        for name, part in schema.items():
            if name != "$defs":
                yield from strings(part)


@pytest.mark.parametrize("titles", FREE.values(), ids=FREE)
def test_no_string_is_free(titles: Sequence[str]) -> None:
    """Whatever the titles are, each string of the type is a literal or follows a pattern of the log."""
    made = grounded(History("0.1.0", tuple(Commit(f"{place:07x}", title) for place, title in enumerate(titles)), "here"))
    schema = made.model_json_schema()
    used = [form for name, form in schema.get("$defs", {}).items() if name != "Item"]
    found = [*strings(schema), *strings(used)]
    assert len(found) >= 2 + 3 * len(titles)
    assert [] == [one for one in found if not {"const", "enum", "pattern"} & set(one)]
    free: dict[str, object] = {
        "version": "0.1.0",
        "summary": "This release is the best.",
        "highlights": [],
        "breaking_changes": [],
        "fixes": [],
    }
    with pytest.raises(ValidationError, match="summary"):
        made.model_validate(free)


@pytest.mark.parametrize(
    "titles, summary",
    [(["x"], "1 commit: x"), (["更新文档", "v1.2.3"], "2 commits, one of them: v1.2.3"), ([], "0 commits.")],
    ids=["one", "two", "none"],
)
def test_summary_of_titles(titles: Sequence[str], summary: str) -> None:
    """Where no title has a phrase, the summary counts the commits and names one."""
    commits = tuple(Commit(f"{place:07x}", title) for place, title in enumerate(titles))
    made = grounded(History("0.1.0", commits, "here"))
    found = made.model_validate(
        {
            "version": "0.1.0",
            "summary": summary,
            "highlights": [item(one) for one in commits],
            "breaking_changes": [],
            "fixes": [],
        }
    )
    assert summary == found.summary


def test_items_are_shown_by_one_name() -> None:
    """Each item is an `Item` to who reads it; in the schema each commit has a name of its own, the same each time."""
    found = grounded(HISTORY).model_validate(notes())
    assert {"Item"} == {type(one).__name__ for one in found.items}
    assert repr(found.fixes[0]).startswith("Item(title='Fix a crash")
    schema = grounded(HISTORY).model_json_schema()
    assert {f"Item_{one.hash}" for one in HISTORY.commits} == set(schema["$defs"])
    assert json.dumps(schema) == json.dumps(grounded(HISTORY).model_json_schema())


def git(folder: Path, *words: str) -> None:
    """Run git for a test, without the settings of whoever runs it."""
    env = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *who, *words), check=True, capture_output=True, env={**os.environ, **env})


def commit(folder: Path, name: str, message: str) -> None:
    """Change a file, and commit it."""
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{message}\n", encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", message)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A git repository with two commits."""
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "src/a.py", "Begin")
    commit(tmp_path, "docs/ü.md", "Ünïcode: say “hello”\n\nIt greets whoever comes by.\n\ncommit a1b2c3d\n\nFixes #7")
    return tmp_path


def test_history_of_a_repository(repo: Path) -> None:
    """Commits are read newest first, with message and files; a folder below the top will do."""
    history = read_history(repo / "src")
    assert history.source == str(repo / "src")
    assert history.version == "0.1.0"
    assert [one.title for one in history.commits] == ["Ünïcode: say “hello”", "Begin"]
    newest = history.commits[0]
    assert newest.paths == ("docs/ü.md",)
    assert newest.issues == ("#7",)
    assert newest.facts[0] == "It greets whoever comes by."
    assert "1 file changed: docs/ü.md." in newest.facts
    assert len(read_history(repo, limit=1).commits) == 1


def test_history_begins_after_the_last_tag(repo: Path) -> None:
    """With a version tag, the commits since then make the next version; right at the tag, those that made it."""
    git(repo, "tag", "v1.4.2")
    assert (read_history(repo).version, len(read_history(repo).commits)) == ("1.4.2", 2)
    commit(repo, "src/b.py", "More")
    assert [one.title for one in read_history(repo).commits] == ["More"]
    assert read_history(repo).version == "1.5.0"


def test_empty_repository_uses_the_sample(tmp_path: Path) -> None:
    """A repository without commits has nothing to tell, so the log in the package is used, and named as such."""
    git(tmp_path, "init", "--quiet")
    history = read_history(tmp_path)
    assert history.source == SAMPLE
    assert len(history.commits) == 20
    assert all(len(one.hash) >= 7 and one.title and one.paths for one in history.commits)


def test_without_git_the_sample_is_used(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no git is installed, the log in the package is used; where it may not be, this is what is said."""
    monkeypatch.setenv("PATH", str(repo / "src"))
    assert read_history(repo).source == SAMPLE
    with pytest.raises(MisuseError, match="git was not found"):
        read_history(repo, sample=False)


def test_git_that_cannot_be_run(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that is no program is told as the system tells it, and one that says nothing has failed."""
    fake = repo / "bin" / "git"
    fake.parent.mkdir()
    fake.write_bytes(b"\x7fELF no program")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    with pytest.raises(MisuseError, match="git cannot be used"):
        read_history(repo, sample=False)
    fake.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    with pytest.raises(MisuseError, match="git failed"):
        read_history(repo, sample=False)


def test_nothing_to_read_and_no_sample(tmp_path: Path) -> None:
    """A folder without a repository, and one without commits, are told apart."""
    with pytest.raises(MisuseError, match="is in no git repository that can be read"):
        read_history(tmp_path, sample=False)
    git(tmp_path, "init", "--quiet")
    with pytest.raises(MisuseError, match="has no commits"):
        read_history(tmp_path, sample=False)


def test_log_is_read_by_its_layout() -> None:
    """What is indented is message, whatever it looks like; binary files count no lines; commits without title are left out."""
    text = (
        "commit a1b2c3d\n\n    "
        + "Long " * 40
        + "\n\n    commit 1234567\n\n    - a list\n\n    Signed-off-by: A Person of old\n\n"
        "-\t-\timage.png\n3\t1\ttop.py\ncommit b2c3d4e\n\n    \n"
    )
    (found,) = parse_log(text)
    assert found.title.endswith("...")
    assert len(found.title) <= 120
    assert (found.added, found.removed) == (3, 1)
    assert found.facts == ("2 files changed, most of them in the top folder.", "3 lines added and 1 removed in the top folder.")


def test_many_areas_are_cut_short() -> None:
    """Of many folders the first few are named, the one with the most files first."""
    paths = ("a/x", "b/x", "b/y", "c/x", "d/x")
    assert Commit("a1b2c3d", "Title", paths=paths).facts[1].endswith("in b, a and elsewhere.")
    assert Commit("a1b2c3d", "Title", paths=paths[:3]).facts[1].endswith("in b and a.")


def test_commit_without_files_has_a_fact() -> None:
    """There is always something true to say."""
    assert Commit("a1b2c3d", "Title").facts == ("The log tells no more about it.",)


@pytest.mark.parametrize(
    "tag, version",
    [("v1.4.2", "1.5.0"), ("release-2.0", "2.1.0"), ("", "0.1.0"), ("old", "0.1.0")],
    ids=["v", "words", "none", "no"],
)
def test_next_version(tag: str, version: str) -> None:
    """The next minor version follows the last tag."""
    assert version == next_version(tag)


def test_markdown_escapes_what_it_shows() -> None:
    """Sections without items are left out, and no text can make markup."""
    shown = as_markdown(
        ReleaseNotes(
            version="1.0.0",
            summary="Now *with*\nlines.",
            highlights=[Item(title="[x](y)", details="`z`", references=["a1", "#2"])],
            breaking_changes=[],
            fixes=[],
        )
    )
    assert shown == "# 1.0.0\n\nNow \\*with\\* lines.\n\n## Highlights\n\n- **\\[x\\](y)**: \\`z\\` (a1, #2)\n"

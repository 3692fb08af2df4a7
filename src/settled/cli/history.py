"""`read_history`: the commits that the demo writes about, from git, or from the part of this project's own log in the package."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from ..vocabulary.errors import MisuseError
from ..vocabulary.scrub import text_of

SAMPLE = "the log that comes with settled"
"""The source of a history that was not read from git."""

_FORMAT = "commit %h%n%n    %s%n%n%w(0,4,4)%b"  # what is of the message is indented, so nothing in it looks like a header
_SECONDS = 30
_LONGEST_TITLE, _LONGEST_SENTENCE, _SHORTEST_SENTENCE = 120, 200, 20
_MOST_SENTENCES, _MOST_AREAS = 3, 2


class Commit(NamedTuple):
    """One commit of the log."""

    hash: str
    """Its short hash."""
    title: str
    """The first line of its message, cut to a readable length."""
    body: str = ""
    """The rest of its message."""
    paths: tuple[str, ...] = ()
    """The files that it changes."""
    added: int = 0
    """Lines added."""
    removed: int = 0
    """Lines removed."""

    @property
    def issues(self) -> tuple[str, ...]:
        """The issues that the message names.

        Example:
            >>> Commit("a1b2c3d", "Fix the parser (#12)").issues
            ('#12',)
        """
        return tuple(dict.fromkeys(re.findall(r"(?<![\w&])#\d{1,6}\b", f"{self.title}\n{self.body}")))

    @property
    def facts(self) -> tuple[str, ...]:
        """True sentences about it: of its own message, then counted from its files.

        Example:
            >>> Commit("a1b2c3d", "Fix", paths=("src/a.py", "src/b.py"), added=7, removed=1).facts
            ('2 files changed, most of them in src.', '7 lines added and 1 removed in src.')
        """
        return (*self._sentences(), *self._counts()) or ("The log tells no more about it.",)

    def _sentences(self) -> Iterator[str]:
        """The first plain sentences of the body; trailers and lists are none."""
        found = 0
        for paragraph in re.split(r"\n\s*\n", self.body):
            if re.match(r"\s*([-*+#>|]|[A-Z][\w-]*: )", paragraph):
                continue
            for sentence in re.split(r"(?<=[.!?])\s+", " ".join(paragraph.split())):
                if _SHORTEST_SENTENCE <= len(sentence) <= _LONGEST_SENTENCE and found < _MOST_SENTENCES:
                    found += 1
                    yield sentence

    def _counts(self) -> Iterator[str]:
        if len(self.paths) == 1:
            yield f"1 file changed: {self.paths[0]}."
        elif self.paths:
            yield f"{len(self.paths)} files changed, most of them in {_areas(self.paths)[0]}."
        if self.paths:
            yield f"{_lines(self.added)} added and {self.removed} removed in {_listed(_areas(self.paths))}."


class History(NamedTuple):
    """Commits, newest first, and the version that they make."""

    version: str
    """The version to be released."""
    commits: tuple[Commit, ...]
    """Newest first; at least one."""
    source: str
    """Where they come from, in words: a folder, or `SAMPLE`."""


def read_history(folder: Path, *, limit: int = 20, sample: bool = True) -> History:
    """The newest commits of the git repository that a folder is in, since its last version tag.

    Without git, without a repository or without commits it is the log in the package: ``source`` says which it is.

    Args:
        folder: any folder of the repository.
        limit: the most commits to read.
        sample: whether the log in the package may stand in.

    Raises:
        MisuseError: when it may not, and there is no git, no repository or no commit.

    Example:
        >>> history = read_history(Path("/no/such/folder"), limit=5)
        >>> history.source, len(history.commits)
        ('the log that comes with settled', 5)
    """
    tag = _git(folder, "describe", "--tags", "--abbrev=0", "--match", "*[0-9].[0-9]*")
    last = tag.strip() if tag else ""
    spans = [f"{last}..HEAD"] if last else []
    for span in [*spans, "HEAD"]:  # with nothing after the last tag, the commits that made it
        commits = parse_log(_git(folder, "log", f"--max-count={limit}", *_LAYOUT, span, "--") or "")
        if commits:
            version = next_version(last) if span != "HEAD" or not last else _numbers(last)
            return History(version, commits, str(folder.absolute()))
    if not sample:
        raise MisuseError(_why_nothing(folder))
    shipped = files("settled.cli").joinpath("sample_log.txt").read_text(encoding="utf-8")
    return History(next_version(""), parse_log(shipped)[:limit], SAMPLE)


_LAYOUT = (
    f"--format={_FORMAT}", "--numstat", "--no-merges", "--no-color", "--no-show-signature", "--no-ext-diff", "--no-textconv",
    "--encoding=UTF-8",
)  # fmt: skip


def parse_log(text: str) -> tuple[Commit, ...]:
    r"""The commits of a log in the layout of ``git log --numstat``.

    Example:
        >>> parse_log("commit a1b2c3d\n\n    Fix the parser\n\n2\t1\tsrc/parser.py\n")[0].paths
        ('src/parser.py',)
    """
    found = re.split(r"^commit ([0-9a-f]{4,64})$", text, flags=re.MULTILINE)[1:]
    parsed = (_commit(hash_, lines.split("\n")) for hash_, lines in zip(found[::2], found[1::2], strict=True))
    return tuple(commit for commit in parsed if commit.title)


def _commit(hash_: str, lines: Sequence[str]) -> Commit:
    message = "\n".join(line.strip() for line in lines if line.startswith("    ") or not line.strip()).strip()
    title, _, body = message.partition("\n")
    changes = [match.groups() for line in lines if (match := re.match(r"(\d+|-)\t(\d+|-)\t(.+)", line))]
    added, removed = (sum(int(change[side]) for change in changes if change[side] != "-") for side in (0, 1))
    return Commit(hash_, _cut(title), body.strip(), tuple(change[2] for change in changes), added, removed)


def _cut(title: str) -> str:
    title = " ".join("".join(letter if letter.isprintable() else " " for letter in title).split())
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 3].rstrip() + "..."


def next_version(last: str) -> str:
    """The version after a tag: the next minor one; ``0.1.0`` when there is none.

    Example:
        >>> next_version("v1.4.2"), next_version("")
        ('1.5.0', '0.1.0')
    """
    found = re.search(r"(\d+)\.(\d+)", last)
    return f"{found[1]}.{int(found[2]) + 1}.0" if found else "0.1.0"


def _numbers(tag: str) -> str:
    found = re.search(r"\d+\.\d+(\.\d+)?", tag)
    return found[0] if found else tag


def _git(folder: Path, *words: str) -> str | None:
    """What git prints; None when there is no git, no repository, or nothing to show."""
    try:
        return _printed(folder, *words)
    except (OSError, subprocess.SubprocessError):
        return None


def _why_nothing(folder: Path) -> str:
    """What stands between a folder and its commits."""
    try:
        _printed(folder, "rev-parse", "--git-dir")
    except FileNotFoundError:
        return "git was not found: install it, or put it on PATH"
    except subprocess.CalledProcessError as error:
        told: bytes = error.stderr
        said = next(iter(told.decode(errors="replace").splitlines()), "git failed")
        return f"{folder} is in no git repository that can be read ({said.removeprefix('fatal: ')})"
    except (OSError, subprocess.SubprocessError) as error:
        return f"git cannot be used: {text_of(error)}"
    return f"the git repository of {folder} has no commits"


def _printed(folder: Path, *words: str) -> str:
    """What git prints. It never asks and never opens a pager."""
    command = ("git", "-C", str(folder), "--no-pager", "-c", "core.quotePath=false", *words)
    env = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, env=env, check=True)
    return done.stdout.decode(errors="replace")


def _areas(paths: Sequence[str]) -> list[str]:
    """The folders of the files, the one with the most first."""
    counted = Counter(path.rpartition("/")[0] or "the top folder" for path in paths)
    return [area for area, _ in counted.most_common()]


def _listed(areas: Sequence[str]) -> str:
    """The first few, as words."""
    if len(areas) > _MOST_AREAS:
        return f"{', '.join(areas[:_MOST_AREAS])} and elsewhere"
    return " and ".join(filter(None, [", ".join(areas[:-1]), areas[-1]]))


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"

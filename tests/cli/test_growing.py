"""`settled run --stream`: a draft that grows on a terminal, lines of JSON for machines, and the end of any run."""

from __future__ import annotations

import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.streaming.test_streams import Breaks
from tests.support import City
from typer.testing import CliRunner, Result

import settled
from settled import Agent, Failure, ModelRequest, Success
from settled.cli.app import build
from settled.cli.growing import Screen, drafting, settle_live, upwards
from settled.recovery.drafting import Drafter
from settled.recovery.drafts import Draft
from settled.testing import FunctionProvider, ScriptedProvider, Truncated, use_model

MODEL = ["--model", "openai:gpt-5-mini"]
SOURCE = str(Path(settled.__file__).parents[1])
SHOP = "from pydantic import BaseModel\nclass Notes(BaseModel):\n    version: str\n    entries: list[str]\n"


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def typed(*words: str) -> Result:
    """The end of a run whose stdout and stderr are no terminals."""
    return CliRunner().invoke(build(), ["run", *words, "?", "--stream", *MODEL], prog_name="settled")


def lines_of(done: Result) -> list[dict[str, object]]:
    """The lines on stdout, each a document."""
    return [json.loads(line) for line in done.stdout.splitlines()]


def interrupt(request: ModelRequest) -> str:
    """Somebody presses Ctrl-C while the model is asked."""
    raise KeyboardInterrupt


def without_times(text: str) -> str:
    """What is shown, but for the seconds that it took."""
    return re.sub(r"seconds +\S+", "seconds", text)


# ----------------------------------------------------------------------------------------------------- no terminal


@pytest.mark.parametrize("replies, code", [(["Oslo"], 0), ([Truncated("Os")] * 9, 1)], ids=["success", "failure"])
def test_the_end_is_that_of_any_run(replies: list[object], code: int) -> None:
    """Without a terminal nothing is shown beside what a run without ``--stream`` shows, and the exit code is the same."""
    with use_model(ScriptedProvider(*replies, chunk=1)):
        done = typed("builtins:str")
    with use_model(ScriptedProvider(*replies)):
        plain = CliRunner().invoke(build(), ["run", "builtins:str", "?", *MODEL], prog_name="settled")
    assert (code, code) == (done.exit_code, plain.exit_code)
    assert without_times(plain.stdout) == without_times(done.stdout)
    assert re.sub("run .*", "", plain.stderr) == re.sub("run .*", "", done.stderr)


def test_lines_of_json() -> None:
    """With ``--json`` each part that closes is a line, innermost first, and the last line is the document of any run."""
    with use_model(ScriptedProvider({"name": "Oslo", "people": 7}, chunk=4)):
        done = typed("tests.support:City", "--json")
    *parts, document = lines_of(done)
    assert (0, "") == (done.exit_code, done.stderr)
    assert [
        {"event": "closed", "path": "$.name", "value": "Oslo"},
        {"event": "closed", "path": "$.people", "value": 7},
        {"event": "closed", "path": "$", "value": {"name": "Oslo", "people": 7}},
    ] == parts
    assert ("completed", {"name": "Oslo", "people": 7}) == (document["status"], document["output"])


def test_lines_of_an_attempt_that_is_taken_back() -> None:
    """A line says that what was told so far is to be discarded; the document of a failed run is its report."""
    with use_model(ScriptedProvider('{"name": "Oslo", "people": "many"}', Truncated('{"name": "Os'))):
        done = typed("tests.support:City", "--json", "--max-steps", "2")
    lines = lines_of(done)
    assert {"event": "restarted", "attempt": 2, "why": "invalid"} in lines
    assert (1, "", "truncated") == (done.exit_code, done.stderr, lines[-1]["code"])


def test_lines_of_text() -> None:
    """Where the output is a text, each piece of it is a line too."""
    with use_model(ScriptedProvider("Oslo, I think.", chunk=5)):
        done = typed("builtins:str", "--json")
    lines = lines_of(done)
    assert ["Oslo,", " I th", "ink."] == [line["text"] for line in lines if line.get("event") == "text"]
    assert "Oslo, I think." == lines[-1]["output"]


def test_a_number_that_json_does_not_know() -> None:
    """Infinity, which the model wrote as a number too large, is null in a line."""
    with use_model(ScriptedProvider("[1e999]")):
        done = typed("builtins:list", "--json")
    assert {"event": "closed", "path": "$[0]", "value": None} in lines_of(done)


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["shown", "json"])
def test_interrupted(form: list[str]) -> None:
    """Ctrl-C ends it as it ends a run without ``--stream``."""
    with use_model(FunctionProvider(interrupt)):
        done = typed("builtins:str", *form)
    assert (130, "", "settled: interrupted\n") == (done.exit_code, done.stdout, done.stderr)


# ------------------------------------------------------------------------------------------------- what is on the screen


def shown(screen: Screen, height: int = 12, width: int = 20) -> list[str]:
    """The lines on a terminal of that size."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, height=height)
    console.print(screen, end="")
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue().splitlines()


def on_screen(text: str, **size: int) -> list[str]:
    """What is shown of a reply that has come so far."""
    drafter = Drafter()
    drafter.feed(text)
    screen = Screen()
    screen.show(drafter.draft)
    return shown(screen, **size)


def test_a_draft_is_shown() -> None:
    """Each field has a line, each item of a list begins one, and a text is shown as far as it has come."""
    reply = '{"version": "2.1", "ok": true, "entries": [{"title": "Faster", "tags": ["a", "b"]}, {"title": "Sma'
    assert [
        "version: 2.1", "ok: true", "entries:", "  - title: Faster", "    tags:", "      - a", "      - b", "  - title: Sma",
    ] == on_screen(reply)  # fmt: skip


def test_only_the_end_is_shown() -> None:
    """Of a draft that is higher than the terminal the last lines are shown, and of a long text the last characters."""
    assert ["- 5", "- 6", "- 7", "- 8", "- 9"] == on_screen("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10", height=7)
    assert ["ijklmn", "opqrst", "uvwxyz"] == on_screen('["abcdefghijklmnopqrstuvwxyz', height=5, width=6)


def test_an_open_number_is_not_shown() -> None:
    """A number is not there before it is closed."""
    assert ["a: 12", "b: x"] == on_screen('{"a": 12, "b": "x", "c": 12')


def test_text_cannot_steer_the_screen() -> None:
    """Control characters are written out in keys and texts, and markup stays what the model wrote."""
    assert ["\\x1b[2J: [bold]a\\x1b]0;x\\x07", "  two"] == on_screen('{"\\u001b[2J": "[bold]a\\u001b]0;x\\u0007\\ntwo', width=60)


def test_deep_values_are_cut() -> None:
    """What is nested too deep for any screen is an ellipsis."""
    (line,) = upwards(json.loads("[" * 60 + "1" + "]" * 60), most=99)
    assert line == "- " * 41 + "..."


def test_a_draft_that_is_taken_back() -> None:
    """Nothing is shown of an attempt that was given up, however soon that comes."""
    drafter = Drafter()
    drafter.feed('{"a": "x')
    screen = Screen()
    screen.show(drafter.draft)
    assert ["a: x"] == shown(screen)
    screen.show(Draft())
    assert [] == shown(screen)


def test_long_drafts_that_come_fast_are_passed_over() -> None:
    """A draft is not looked at within ten times what the last look took, but for a complete one."""
    ticks = iter([0.0, 0.2, 1.9, 2.1, 2.2, 2.3, 2.4])
    drafter, screen = Drafter(), Screen(lambda: next(ticks))
    drafter.feed("[1, ")
    screen.show(drafter.draft)
    drafter.feed("2, ")
    screen.show(drafter.draft)
    assert ["- 1"] == shown(screen)
    screen.show(drafter.draft)
    assert ["- 1", "- 2"] == shown(screen)
    drafter.feed("3]")
    screen.show(drafter.draft)
    assert ["- 1", "- 2", "- 3"] == shown(screen)


def test_on_a_terminal_and_without_one() -> None:
    """A terminal sees the draft and what is waited for, both wiped away at the end; another stream sees nothing."""
    stream = Terminal()
    outcome = settle_live(Agent(City, model=Breaks(*[City(name="Oslo", people=7)] * 2)), "?", "asking [m]", stream=stream)
    assert isinstance(outcome, (Success, Failure))
    assert "asking [m]" in stream.getvalue()
    quiet = io.StringIO()
    with drafting("asking", stream=quiet) as show:
        show(Draft("closed", data=1))
    assert "" == quiet.getvalue()


# ----------------------------------------------------------------------------------------------------- a real terminal


class Glass:
    """What stands on a terminal: as much of one as the command needs."""

    def __init__(self) -> None:
        self._lines, self._row, self._column = [""], 0, 0

    def take(self, text: str) -> None:
        """Write."""
        for code, letter in re.findall(r"\x1b\[([?\d;]*[A-Za-z])|([\s\S])", text):
            if code == "2K":
                self._lines[self._row] = ""
            elif code.endswith("A"):
                self._row -= int(code[:-1])
            elif letter == "\n":
                self._row += 1
                self._lines += [""] * (self._row + 1 - len(self._lines))
            elif letter == "\r":
                self._column = 0
            elif letter:
                line = self._lines[self._row].ljust(self._column)
                self._lines[self._row] = line[: self._column] + letter + line[self._column + 1 :]
                self._column += 1

    @property
    def text(self) -> str:
        """What is to be read."""
        return "\n".join(line.rstrip() for line in self._lines).strip()


GATED = """
import sys
from settled.cli.main import main
from settled.testing import ScriptedProvider, use_model

class Gated(ScriptedProvider):
    def stream(self, request, /, *, timeout=None):
        for part in super().stream(request, timeout=timeout):
            yield part
            sys.stdin.readline()

unfit = '{"version": "2.0", "entries": ["\\\\u001b[7mOlder", {}, 1]}'
fit = '{"version": "2.1", "entries": ["Faster", ' + '"Smaller and smaller, as it goes"]}'
sys.argv = ["settled", "run", "shop:Notes", "?", "--model", "openai:m", "--mode", "prompted", "--stream"]
with use_model(Gated(unfit, fit, chunk=43)):
    main()
"""
"""A run whose model writes on when it is given a line; the first reply does not fit."""


class Watched:
    """A command on a terminal of its own."""

    def __init__(self, cwd: Path) -> None:
        import pty

        (cwd / "shop.py").write_text(SHOP, encoding="utf-8")
        self._terminal, inner = pty.openpty()
        size = {"COLUMNS": "60", "LINES": "20", "TERM": "xterm"}
        env = {**os.environ, **size, "PYTHONPATH": os.pathsep.join([str(cwd), SOURCE, os.environ.get("PYTHONPATH", "")])}
        command = [sys.executable, "-c", GATED]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=inner, stderr=inner, cwd=cwd, env=env)
        os.close(inner)
        self.seen = b""

    def go_on(self) -> None:
        """Have the model write its next piece."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def until(self, word: bytes) -> str:
        """What stands on the terminal when a word has come, or the command has ended."""
        ends = time.monotonic() + 20
        while word not in self.seen:
            assert time.monotonic() < ends, self.seen[-600:]
            if not select.select([self._terminal], [], [], 1)[0]:
                continue
            try:
                read = os.read(self._terminal, 4096)
            except OSError:  # Linux tells the end so
                break
            self.seen += read
            if not read:
                break
        glass = Glass()
        glass.take(self.seen.decode(errors="replace"))
        return glass.text

    def end(self) -> tuple[int, str]:
        """Its exit code, and what stands on the terminal then."""
        text = self.until(b"what never comes")
        return self.process.wait(20), text

    def close(self) -> None:
        """Give back what is open."""
        self.process.kill()
        self.process.communicate()
        os.close(self._terminal)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    """The command, which has just been started."""
    command = Watched(tmp_path)
    yield command
    command.close()


on_terminals = pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")


@on_terminals
def test_the_draft_grows_on_a_terminal(watched: Watched) -> None:
    """Items appear while the model still writes; a restart takes them back; at the end the screen holds the output alone."""
    assert ["version: 2.0", "entries:", "  - \\x1b[7mOl"] == watched.until(b"[7mOl").splitlines()[:3]
    watched.go_on()
    watched.go_on()
    assert ["version: 2.1", "entries:", "  - Faster"] == watched.until(b"Faster").splitlines()[:3]
    assert b"Smaller" not in watched.seen
    watched.go_on()
    watched.go_on()
    code, text = watched.end()
    assert 0 == code
    assert text.startswith("Notes(\n    version='2.1',\n    entries=[\n        'Faster',\n        'Smaller and smaller")
    assert "attempts  2: invalid, valid" in text
    assert b"\x1b[7m" not in watched.seen


@on_terminals
def test_interrupted_on_a_terminal(watched: Watched) -> None:
    """Ctrl-C while the draft grows wipes it away, and ends with 130 and a short line."""
    watched.until(b"[7mOl")
    watched.process.send_signal(signal.SIGINT)
    assert (130, "settled: interrupted") == watched.end()
    assert 1 == watched.seen.count(b"\x1b[?25h")  # the cursor is there again

"""The entry point, in a process of its own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import settled
from settled.cli.main import main
from settled.testing import FakeServer

SOURCE = str(Path(settled.__file__).parents[1])  # the package is found from any directory, installed or not
SHOP = "from pydantic import BaseModel\nclass Item(BaseModel):\n    name: str\n"
SHORT = """
import sys
from settled.cli.main import main
from settled.testing import ScriptedProvider, use_model

sys.argv = ["settled", "run", "builtins:str", "?", "--model", "openai:gpt-5-mini"]
with use_model(ScriptedProvider("lamp")):
    main()
"""
SLOW = """
import sys, time
from settled.cli.main import main
from settled.testing import FakeServer
from settled.testing import FunctionProvider, use_model

def answer(request):
    print("asked", flush=True)
    time.sleep(30)

sys.argv = ["settled", "run", "builtins:str", "?", "--model", "openai:gpt-5-mini"]
with use_model(FunctionProvider(answer)):
    main()
"""


def run(*words: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The end of a Python process."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([SOURCE, os.environ.get("PYTHONPATH", "")]), **environment}
    return subprocess.run([sys.executable, *words], capture_output=True, cwd=cwd, env=env, check=False)


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """The end of a line of the shell, in which ``$0`` is Python."""
    env = {**os.environ, "PYTHONPATH": SOURCE}  # nothing relative: Python itself fails on that in a directory that is gone
    return subprocess.run(["sh", "-c", line, sys.executable], capture_output=True, cwd=cwd, env=env, check=False)


def test_a_module_of_the_current_directory(tmp_path: Path) -> None:
    """The command line finds the user's module in the current directory, and writes what a narrow stdout cannot."""
    told = SHOP.replace("    name", '    """An Item."""\n    name')
    (tmp_path / "shop.py").write_text(told.replace("Item", "Ware_å"), encoding="utf-8")
    done = run("-m", "settled.cli.main", "explain", "shop:Ware_å", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (0, b"") == (done.returncode, done.stderr)
    assert b"Ware_\\xe5" in done.stdout


def test_misuse() -> None:
    """Misuse ends in exit code 2 and one line, without a traceback."""
    done = run("-m", "settled.cli.main", "explain", "no_such_shop:Item")
    assert (2, b"") == (done.returncode, done.stdout)
    assert done.stderr.startswith(b"settled: no module 'no_such_shop'")
    assert 1 == len(done.stderr.splitlines())


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra(missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the packages of the extra, one line says what to install."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert capsys.readouterr() == ("", f'the command line needs {missing}: pip install "settled[cli]"\n')


def test_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """`main` reads the arguments of the process, and leaves with the exit code; a narrow stream does not stop it."""
    monkeypatch.setattr(sys, "argv", ["settled", "explain", "builtins:nø"])
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stderr", narrow)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(SystemExit) as left:
        main()
    narrow.flush()
    assert left.value.code == 2
    assert isinstance(narrow.buffer, io.BytesIO)
    assert b"has no 'n\\xf8'" in narrow.buffer.getvalue()


def test_over_the_wire(tmp_path: Path) -> None:
    """A model string leads to a real service, and what `explain` shows is what `run` then sends."""
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    with FakeServer('{"name": "lamp"}') as server:
        words = ["shop:Item", "--json", "--model", f"{server.base_url}#m"]
        explained = run("-m", "settled.cli.main", "explain", *words, cwd=tmp_path)
        done = run("-m", "settled.cli.main", "run", *words, "<your prompt>", cwd=tmp_path)
    assert (0, b"", b"") == (done.returncode, done.stderr, explained.stderr)
    assert {"name": "lamp"} == json.loads(done.stdout)["output"]
    assert server.requests[0].body == json.loads(explained.stdout)["body"]


def test_interrupted_while_it_loads(tmp_path: Path) -> None:
    """Ctrl-C while the packages of the command line are imported ends with 130 and a short line."""
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    done = run("-c", "import sys; sys.path.insert(0, '.'); from settled.cli.main import main; main()", cwd=tmp_path)
    assert (130, b"", b"settled: interrupted\n") == (done.returncode, done.stdout, done.stderr)


LOST = {  # a line of the shell, its exit code, and what stderr begins with; nothing of it is a traceback
    "stdin closed": (
        "run builtins:str - --model openai:m <&-",
        2,
        "settled: the prompt cannot be read from stdin: it is closed\n",
    ),
    "stdout closed": ("explain builtins:str >&-", 74, "settled: stdout is closed"),
    "stdout full": ("explain builtins:str >/dev/full", 74, "settled: [Errno 28] No space left on device\n"),
    "stdout full of much": ("explain settled:StepRecord >/dev/full", 74, "settled: [Errno 28] No space left on device\n"),
    "help to a full stdout": ("--help >/dev/full", 74, "settled: [Errno 28] No space left on device\n"),
    "stderr closed": ("explain builtins:str 2>&-", 0, ""),
    "stderr closed at misuse": ("explain builtins 2>&-", 2, ""),
    "stderr full": ("explain builtins 2>/dev/full", 2, ""),
    "no directory": ("explain shop:Item", 2, "settled: the current directory cannot be read"),
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("line, code, told", LOST.values(), ids=LOST)
def test_streams_that_fail(line: str, code: int, told: str, tmp_path: Path) -> None:
    """A stream that is closed or full, and a directory that is gone, end in an exit code and at most one line."""
    gone = tmp_path / "gone"
    gone.mkdir()
    leave = "rmdir ../gone; " if "shop:" in line else ""
    done = shell(f'{leave}"$0" -m settled.cli.main {line}', gone)
    assert code == done.returncode
    assert done.stderr.decode().startswith(told)
    assert bool(told) == len(done.stderr.splitlines())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
@pytest.mark.parametrize("words", ["--help", "explain settled:StepRecord", "explain builtins:str"])
def test_a_reader_that_leaves(words: str, tmp_path: Path) -> None:
    """A pipe whose reader has gone ends the command with 141, and without a word."""
    done = shell(f'{{ "$0" -m settled.cli.main {words}; echo $? >code; }} | true', tmp_path)
    assert ("141\n", b"") == ((tmp_path / "code").read_text(encoding="utf-8"), done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
def test_a_reader_that_leaves_during_a_run(tmp_path: Path) -> None:
    """The same holds where rich writes, which makes an exit of its own of it."""
    (tmp_path / "answer.py").write_text(SHORT, encoding="utf-8")
    done = shell('{ "$0" answer.py; echo $? >code; } | true', tmp_path)
    assert ("141\n", b"") == ((tmp_path / "code").read_text(encoding="utf-8"), done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to another process")
def test_interrupted() -> None:
    """Ctrl-C while a model is asked ends with 130 and a short line."""
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"asked\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert process.stderr.read() == b"settled: interrupted\n"

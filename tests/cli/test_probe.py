"""`settled probe`: what it shows, where, what it keeps, and with which exit code it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from settled import Agent
from settled.cli.app import build
from settled.providers import OpenAIChat, ProbeReport
from settled.testing import FakeServer, HttpReply

KEY = "a-word-that-looks-like-no-key"
NOBODY = "http://127.0.0.1:1/v1"


def typed(*words: str) -> Result:
    """The end of a command."""
    return CliRunner().invoke(build(), ["probe", *words], prog_name="settled")


def test_what_is_shown() -> None:
    """The report is a table on stdout, the steps are lines on stderr, and nothing is written."""
    with FakeServer(profile="lmstudio") as server:
        done = typed(server.base_url, "--model", "fake")
    assert 0 == done.exit_code
    assert done.stdout.startswith(f"probed  openai-compatible:fake at {server.base_url}\nasked   13 questions, ")
    assert "\n  json_object         rejected\n" in done.stdout
    assert "models: 1 model(s), this one among them" == done.stderr.splitlines()[0]
    assert 13 == len(done.stderr.splitlines())


def test_the_file(tmp_path: Path) -> None:
    """With ``--out`` what was found goes to a file that a provider takes; a line on stderr says so."""
    path = tmp_path / "lmstudio.json"
    with FakeServer(profile="lmstudio") as server:
        done = typed(server.base_url, "--model", "fake", "--out", str(path))
        model = OpenAIChat("fake", base_url=server.base_url, capabilities=path)
    assert 0 == done.exit_code
    assert f"settled: written to {path}; give it as capabilities= to a provider or an agent" == done.stderr.splitlines()[-1]
    assert "native" == Agent(int, model=model).explain().mode


def test_as_json() -> None:
    """With ``--json`` stdout is one document: the report, which can be loaded again."""
    with FakeServer(profile="groq") as server:
        done = typed(f"{server.base_url}#fake", "--json")
    report = ProbeReport.model_validate_json(done.stdout)
    assert (0, "rejected") == (done.exit_code, report.capabilities.json_schema)
    assert "error" == json.loads(done.stdout)["capabilities"]["coexist"]


def test_a_model_string(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model string in place of the address is asked as an agent would ask it."""
    with FakeServer(profile="ollama") as server:
        monkeypatch.setenv("OLLAMA_BASE_URL", server.base_url)
        done = typed("ollama:fake")
    assert 0 == done.exit_code
    assert done.stdout.startswith("probed  ollama:fake at ")
    assert "\n  choice_required     ignored\n" in done.stdout


def test_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key comes from the variable that is named, and is not shown, also where the server repeats it."""
    monkeypatch.setenv("MY_KEY", KEY)
    refused = HttpReply(401, body={"error": {"message": f"wrong key {KEY}"}})
    with FakeServer(refused) as server:
        done = typed(server.base_url, "--model", "fake", "--key-env", "MY_KEY")
    assert f"Bearer {KEY}" == server.requests[0].headers["authorization"]
    assert (1, "") == (done.exit_code, done.stdout)
    assert "settled: the endpoint could not be probed: auth: HTTP 401: wrong key [hidden]" in done.stderr
    assert KEY not in done.output


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_nobody_there(form: list[str], tmp_path: Path) -> None:
    """Where nobody answers, the command fails; with ``--json`` the error is the document; no file is written."""
    done = typed(FakeServer.refusing_url(), "--model", "fake", "--out", str(tmp_path / "p.json"), *form)
    assert 1 == done.exit_code
    assert "settled: the endpoint could not be probed: connection: " in done.stderr
    assert ("connection" == json.loads(done.stdout)["error"]["kind"]) if form else "" == done.stdout
    assert [] == list(tmp_path.iterdir())


def test_no_answer(tmp_path: Path) -> None:
    """Where a page answers, the report says so, no file is written, and the command fails."""
    with FakeServer(profile="html-proxy") as server:
        done = typed(server.base_url, "--model", "fake", "--out", str(tmp_path / "p.json"))
    assert 1 == done.exit_code
    assert "ended early: a plain request has no answer" in done.stdout
    assert done.stderr.endswith("could not be probed: a plain request has no answer; nothing was written\n")
    assert [] == list(tmp_path.iterdir())


def test_timeout() -> None:
    """``--timeout`` is the time for one request."""
    with FakeServer(HttpReply(delay=5, body={}), repeat=True) as server:
        done = typed(server.base_url, "--model", "fake", "--timeout", "0.2")
    assert 1 == done.exit_code
    assert "cap: timeout" in done.stderr


MISUSED = {  # the words, and what is said
    "no model": ([NOBODY], "no model: give --model"),
    "two models": ([f"{NOBODY}#a", "--model", "b"], "the address names a model already"),
    "a model twice": (["openai:gpt-5-mini", "--model", "b"], "names a model already"),
    "a key for a string": (["openai:gpt-5-mini", "--key-env", "MY_KEY"], "go with an address"),
    "no such key": ([NOBODY, "--model", "m", "--key-env", "NEVER_SET"], "--key-env NEVER_SET: the environment has no such"),
    "no time": ([NOBODY, "--model", "m", "--timeout", "0"], "--timeout 0: give seconds"),
    "no folder": ([NOBODY, "--model", "m", "--out", "nowhere/p.json"], "--out nowhere/p.json: no file can be written there"),
    "no service": (["nowhere:m"], "no service 'nowhere'"),
    "no option": ([NOBODY, "--colour"], "No such option"),
}


@pytest.mark.parametrize("words, told", MISUSED.values(), ids=MISUSED)
def test_misuse(words: list[str], told: str) -> None:
    """What makes no sense is misuse, before anything is sent: exit code 2, one message, nothing on stdout."""
    done = typed(*words)
    assert (2, "") == (done.exit_code, done.stdout)
    assert told in done.stderr


def test_responses_cannot_be_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model over the Responses API is misuse, and the message says what can be probed."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    done = typed("openai-responses:gpt-5-mini")
    assert 2 == done.exit_code
    assert "only models behind Chat Completions can be probed" in done.stderr

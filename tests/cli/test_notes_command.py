"""`settled demo`: from a history to notes on the screen, in a file, or as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue
from typer.testing import CliRunner, Result

from settled import FailureReport, ModelRequest
from settled.cli.app import build, run_demo
from settled.cli.history import SAMPLE
from settled.cli.notes import ReleaseNotes
from settled.providers.weights import WEIGHTS, weights_path
from settled.testing import FunctionProvider, ScriptedProvider, use_model

Schema = Mapping[str, JsonValue]
NOTE = f"settled: no git history was found in the current folder, so this is about {SAMPLE}; --repo names another\n"


def example(schema: Schema, root: Schema, place: int = 0) -> object:
    """A value that fits a schema of the demo; ``place`` chooses among alternatives, so that items differ."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return example(cast("dict[str, Schema]", root["$defs"])[name], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return cast("list[str]", schema["enum"])[0]
    if "anyOf" in schema:
        return example(cast("list[Schema]", schema["anyOf"])[place], root)
    if schema["type"] == "array":
        least = cast("int", schema.get("minItems", 0))
        return [example(cast("Schema", schema["items"]), root, place) for place in range(least)]
    if schema["type"] == "object":
        fields = cast("dict[str, Schema]", schema["properties"])
        return {name: example(field, root) for name, field in fields.items()}
    return re.sub(r"\(([^|)]*)[^)]*\)", r"\1", str(schema["pattern"])).strip("^$").replace("\\.", ".")


def grounded(request: ModelRequest) -> str:
    """Notes that fit what is asked for."""
    assert request.output_format is not None
    schema = request.output_format.json_schema
    assert schema is not None
    return json.dumps(example(schema, schema))


def typed(*words: str) -> Result:
    """The end of `settled demo`."""
    return CliRunner().invoke(build(), ["demo", "--model", "openai:gpt-5-mini", *words], prog_name="settled")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current directory is in no repository, so the log in the package is used."""
    monkeypatch.chdir(tmp_path)


def test_notes(tmp_path: Path) -> None:
    """The typed notes are shown, with mode, attempts and the source of the history, and written as Markdown on request."""
    with use_model(FunctionProvider(grounded)):
        done = typed("--output", "notes.md")
    assert (0, NOTE) == (done.exit_code, done.stderr)
    assert done.stdout.startswith("ReleaseNotes(\n    version='0.1.0',")
    facts = dict(line.split(None, 1) for line in done.stdout.splitlines()[-7:])
    assert ["mode", "attempts", "repairs", "usage", "seconds", "history", "written"] == list(facts)
    assert (SAMPLE, "notes.md") == (facts["history"], facts["written"])
    assert (tmp_path / "notes.md").read_text(encoding="utf-8").startswith("# 0.1.0\n")


def test_a_provider_in_place_of_a_string(capsys: pytest.CaptureFixture[str]) -> None:
    """Below the command line, a model may be any provider."""
    assert 0 == run_demo(model=FunctionProvider(grounded), mode="native")
    assert "native (asked for)" in capsys.readouterr().out


def test_notes_as_json() -> None:
    """With `--json` stdout is one document, in which the notes are those of the type."""
    with use_model(FunctionProvider(grounded)):
        done = typed("--json")
    document = json.loads(done.stdout)
    assert (0, NOTE, "completed", SAMPLE) == (done.exit_code, done.stderr, document["status"], document["history"])
    assert "0.1.0" == ReleaseNotes.model_validate(document["output"]).version
    assert "written" not in document


def test_the_model_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are there are not fetched again: here a file of their size, while a fake answers."""
    monkeypatch.setenv("SETTLED_CACHE", str(tmp_path))
    path = weights_path("smollm2")
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(WEIGHTS["smollm2"].bytes)
    with use_model(FunctionProvider(grounded)):
        done = CliRunner().invoke(build(), ["demo"])
    assert (0, NOTE) == (done.exit_code, done.stderr)


def test_failed() -> None:
    """A model that cannot do it gives a report, in either form, and the exit code 1."""
    replies = ["no"] * 9
    with use_model(ScriptedProvider(*replies)):
        done = typed()
    assert (1, "") == (done.exit_code, done.stdout)
    assert "what next: " in done.stderr
    with use_model(ScriptedProvider(*replies)):
        done = typed("--json")
    assert (1, NOTE) == (done.exit_code, done.stderr)
    assert 4 == len(FailureReport[object].model_validate_json(done.stdout).steps)


@pytest.mark.skipif(sys.platform == "win32", reason="a file of every process is another there")
def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """What the system says of the file is told in words."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no device that is full")
    with use_model(FunctionProvider(grounded)):
        done = typed("--output", str(full))
    assert (2, "") == (done.exit_code, done.stdout)
    assert "--output /dev/full: No space left" in done.stderr
    assert 2 == typed("--repo", str(tmp_path / "nowhere")).exit_code

"""The probe of the real model: what it can do is seen, and kept, and used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from settled import Agent
from settled.providers import LocalModel, probe

pytestmark = [pytest.mark.local, pytest.mark.timeout(600), pytest.mark.usefixtures("weights")]


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """The end of a command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    asked = [sys.executable, "-m", "settled.cli.main", *words]
    return subprocess.run(asked, capture_output=True, text=True, env=environment, timeout=300, check=False)


def test_probe(tmp_path: Path) -> None:
    """A grammar holds the small model, which is seen; what it was not seen to do stays as it was known."""
    report = probe(LocalModel("smollm2"))
    assert report.is_whole
    assert "enforced" == report.capabilities.json_schema
    assert "coexist" not in report.capabilities.model_fields_set  # it calls no tools, so nothing is seen of both together
    report.save(tmp_path / "smollm2.json")
    model = LocalModel("smollm2", capabilities=tmp_path / "smollm2.json")
    assert "enforced" == model.capabilities().json_schema
    explained = Agent(int, model=model).explain()
    assert "native" == explained.mode
    assert explained.evidence[0].source.startswith("a probe of ")


def test_probe_and_explain() -> None:
    """On the command line, `probe` shows what the model can do, and `explain` what ``auto`` makes of that, and why."""
    probed = command("probe", "local:smollm2")
    assert 0 == probed.returncode, probed.stderr
    assert "json_schema         enforced" in probed.stdout
    explained = command("explain", "builtins:int", "--model", "local:smollm2")
    assert 0 == explained.returncode, explained.stderr
    assert explained.stdout.startswith("mode   native (asked for: auto)\nwhy    the server enforces a schema\n")
    assert "json_schema=enforced (" in explained.stdout

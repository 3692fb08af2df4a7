"""The example scripts are programs: each one runs as it stands, without a network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=[script.stem for script in EXAMPLES])
def test_example_runs(script: Path) -> None:
    """Each example ends with exit code 0."""
    done = subprocess.run([sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, f"{script.name} failed:\n{done.stdout}{done.stderr}"

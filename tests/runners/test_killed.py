"""Runs in real processes that die of SIGKILL at their effects: what was done stays done, and the run comes to its end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.runners.killing import CALLS, MAX_STEPS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
PROGRAM = Path(__file__).with_name("killing.py")
ROOT = Path(__file__).parent.parent.parent
MOST_EFFECTS = 90
"""More than any process of the run has."""

each_colour = pytest.mark.parametrize("colour", ["sync", "async"])


def killed(folder: Path, colour: str, policy: str, deaths: object) -> Any:
    """What became of the runs whose processes died so."""
    command = [sys.executable, str(PROGRAM), str(folder), colour, policy, json.dumps(deaths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_promises(run: Any, policy: str) -> None:
    """What holds for each run, wherever its processes died."""
    assert {"number": 7, "parcels": 2} == run["end"]["output"]
    assert [] == run["ran_again"], "a tool that was known to have ended ran again"
    done = [name for name, _ in run["effects"]]
    assert sorted(CALLS) == sorted(set(done))
    again = {name: done.count(name) - 1 for name in CALLS}
    assert all(count <= run["reruns"].count(name) for name, count in again.items()), "a tool ran again that nobody let"
    if policy == "look":
        assert not any(again.values()), "the person looked first"
    for name in CALLS:
        assert len({key for done_by, key in run["effects"] if done_by == name}) == 1, "the idempotency key of a call is one"
    assert run["requests"] <= MAX_STEPS
    assert run["end"]["uncertain"] <= run["kills"]
    assert run["end"] == run["end_again"]
    assert run["did_nothing_again"], "a run that has ended does nothing when it is taken up"


def check_all(runs: Sequence[Any], policy: str = "look") -> None:
    """The promises, and that whatever happened, the conversation is the same as without any death."""
    for run in runs:
        check_promises(run, policy)
    assert len({json.dumps(run["end"]["messages"]) for run in runs}) == 1


@pytest.mark.parametrize(
    "colour, policy, first, stride",
    [
        pytest.param("sync", "look", 1, 11, id="sync"),
        pytest.param("async", "look", 3, 13, id="async"),
        pytest.param("sync", "rerun", 11, 24, id="always rerun"),
    ],
)
def test_a_run_survives_its_process(tmp_path: Path, colour: str, policy: str, first: int, stride: int) -> None:
    """A run whose process is killed at an effect is taken up and ends as if nothing had been; no finished tool runs twice."""
    runs = killed(tmp_path, colour, policy, [[at] for at in range(first, MOST_EFFECTS, stride)])
    assert any(run["kills"] for run in runs)
    assert any(not run["kills"] for run in runs)
    check_all(runs, policy)


@pytest.mark.parametrize("deaths", [[13] * 12, [16, 3, 11, 5, 19, 2, 9], [40, 12, 12, 12]], ids=str)
def test_a_run_survives_many_processes(tmp_path: Path, deaths: list[int]) -> None:
    """Taken up again and again by processes that die early, the run still comes to its end, within its budget."""
    (run,) = killed(tmp_path, "sync", "look", [deaths])
    assert run["kills"] > 2
    check_promises(run, "look")


@each_colour
def test_one_process_decides(tmp_path: Path, colour: str) -> None:
    """Of processes that decide the same call at once, one goes on; the others are told before anything runs."""
    lines = killed(tmp_path, colour, "race", 4)
    ends = sorted(line for line in lines if line.startswith("end "))
    assert ["end AlreadyDecided"] * 3 + ["end Success"] == ends
    assert ["begin ship"] == [line for line in lines if line == "begin ship"]
    assert 3 == lines.count("request")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", ["look", "rerun"])
@each_colour
def test_a_run_survives_its_process_anywhere(tmp_path: Path, colour: str, policy: str) -> None:
    """The same at every effect of the first process and, from each state that it can leave, of the second one."""
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    once = killed(tmp_path / "first", colour, policy, [[at] for at in range(1, MOST_EFFECTS)])
    assert not once[-1]["kills"], "every effect was one to die at"
    check_all(once, policy)
    left: dict[int, int] = {}
    for run in once:
        if run["kills"]:
            left.setdefault(run["stood"][0], run["deaths"][0])
    assert len(left) > 15
    longest = sum(run["kills"] for run in once)
    stride = 1 if policy == "look" else 3
    sooner = [[at, then] for at in left.values() for then in range(1 + at % stride, longest - at + 20, stride)]
    twice = killed(tmp_path / "second", colour, policy, sooner)
    check_all([*once, *twice], policy)

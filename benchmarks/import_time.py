"""How much longer `settled` takes to import than pydantic, each with one small model, in fresh processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

PAIRS = 21
GOAL = 1.4
PROGRAM = """
import time
begin = time.perf_counter()
{imports}
from pydantic import BaseModel
class City(BaseModel):
    name: str
    people: int
print(time.perf_counter() - begin)
"""
BASELINE = PROGRAM.format(imports="")
SETTLED = PROGRAM.format(imports="from settled import Agent, Budget, Failure, Success")


def seconds(program: str) -> float:
    """What a fresh interpreter measures for the program, without its own start."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # users have bytecode
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
    return float(done.stdout)


def main() -> None:
    """Alternate the two programs, so that a busy moment hits both, and print the ratio."""
    seconds(BASELINE), seconds(SETTLED)  # write the bytecode first
    pairs = [(seconds(BASELINE), seconds(SETTLED)) for _ in range(PAIRS)]
    baseline = statistics.median(base for base, _ in pairs)
    settled = statistics.median(ours for _, ours in pairs)
    ratio = statistics.median(ours / base for base, ours in pairs)
    print(f"import time: pydantic {baseline * 1e3:.1f} ms, settled {settled * 1e3:.1f} ms")
    print(f"ratio {ratio:.2f} (median of {PAIRS} pairs; goal <= {GOAL})")


if __name__ == "__main__":
    main()

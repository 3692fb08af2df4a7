"""What holds for every test: in CI the same Hypothesis examples each time; never settings from outside."""

from __future__ import annotations

import os

from hypothesis import settings

collect_ignore = ["typing"]  # read by type checkers, never run

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")

for name in [name for name in os.environ if name.startswith(("SETTLED_", "OPENAI_"))]:
    del os.environ[name]  # a developer's own model or key must not change what a test does

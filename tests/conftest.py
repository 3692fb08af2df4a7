"""What holds for every test: in CI the same Hypothesis examples each time; never settings from outside."""

from __future__ import annotations

import os

from hypothesis import settings

collect_ignore = ["typing"]  # read by type checkers, never run

# Fixed examples, so that a run fails for what was changed and for nothing else; `nox -s seeds` looks elsewhere each time.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None)
settings.load_profile("random" if os.environ.get("SETTLED_TEST_SEEDS") else "fixed")

for name in [name for name in os.environ if name.startswith(("SETTLED_", "OPENAI_"))]:
    del os.environ[name]  # a developer's own model or key must not change what a test does

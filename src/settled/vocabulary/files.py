"""Writing a file so that it is there as a whole or not at all, and for its owner's eyes only."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file in one go, with mode 0600; a reader sees what was there before, or all of the new content.

    Args:
        path: the file.
        content: all of it.
        durable: return only when it would survive a loss of power.

    Raises:
        OSError: when it cannot be written; nothing is left behind then.
        ValueError: for a name that no file can have.
    """
    from tempfile import mkstemp  # costs at import

    handle, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")  # which makes it for this user only
    try:
        with open(handle, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    if durable:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Have the folder remember the new name; Windows has no such call, and does so by itself."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

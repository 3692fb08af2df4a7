"""Runs kept in files: compared before they are set, whole or not there, for their owner's eyes, refused when they were edited."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pydantic_core import to_json

from settled import Agent, AlreadyDecided, Checkpoint, FileStore, MisuseError, StateRejected, Store
from settled.testing import ScriptedProvider

KEY = b"a key of sixteen bytes or more"


def kept(run_id: str = "r1", said: str = "") -> Checkpoint:
    """A checkpoint that a store may keep; a store looks at nothing but the run's id."""
    return Checkpoint(version=1, bound_to={"output": "o"}, state=to_json({"run_id": run_id, "said": said}).decode())


def files_in(folder: Path) -> list[Path]:
    """The files with runs."""
    return sorted(folder.glob("*.json"))


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    """The checkpoint that was saved last comes back, with its revision."""
    store = FileStore(tmp_path)
    assert store.save("r1", kept(), expect=0) == 1
    assert store.save("r1", kept(said="b"), expect=1) == 2
    assert store.load("r1") == kept(said="b").changed(revision=2)


def test_runs_are_apart(tmp_path: Path) -> None:
    """Each run has its own file and its own revision, whatever its id holds."""
    store = FileStore(tmp_path / "made")
    ids = ["a", "b", "../a", "a/b", "æ", "\ud800", "x" * 5000, ""]
    for run_id in ids:
        store.save(run_id, kept(run_id.encode("utf-8", "replace").decode()), expect=0)
    assert len(files_in(tmp_path / "made")) == len(ids)
    assert {path.parent for path in tmp_path.rglob("*.json")} == {tmp_path / "made"}


@pytest.mark.parametrize("expect, told", [(0, "resume that one"), (1, "somebody else took it up"), (5, "somebody else")])
def test_another_revision_is_told(tmp_path: Path, expect: int, told: str) -> None:
    """Whoever expects another revision is told, and what was saved stays."""
    store = FileStore(tmp_path)
    store.save("r1", kept(), expect=0)
    store.save("r1", kept(said="mine"), expect=1)
    with pytest.raises(AlreadyDecided, match=told):
        store.save("r1", kept(said="late"), expect=expect)
    assert store.load("r1") == kept(said="mine").changed(revision=2)


def test_a_run_that_is_gone(tmp_path: Path) -> None:
    """Whoever goes on with a run whose file was removed is told so."""
    with pytest.raises(AlreadyDecided, match="no run 'r1' any more"):
        FileStore(tmp_path).save("r1", kept(), expect=1)


def test_no_such_run(tmp_path: Path) -> None:
    """A run that was never saved cannot be loaded."""
    with pytest.raises(MisuseError, match="holds no run 'r1'"):
        FileStore(tmp_path).load("r1")


def test_one_of_many_wins(tmp_path: Path) -> None:
    """Of threads that save the same revision at once, one wins and all others are told."""
    ends: list[object] = []
    gate = threading.Barrier(8)

    def save() -> None:
        store = FileStore(tmp_path)
        gate.wait()
        try:
            ends.append(store.save("r1", kept(), expect=0))
        except AlreadyDecided as told:
            ends.append(type(told))

    threads = [threading.Thread(target=save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, ends)) == sorted(map(str, [1, *[AlreadyDecided] * 7]))


COUNTING = """
import sys
from settled import AlreadyDecided, Checkpoint, FileStore
store, done = FileStore(sys.argv[1]), 0
while done < 20:
    held = store.load("r1")
    try:
        store.save("r1", held.changed(state=held.state.replace('"said":"', '"said":"x')), expect=held.revision)
        done += 1
    except AlreadyDecided:
        pass
"""


def test_processes_lose_nothing(tmp_path: Path) -> None:
    """Processes that load, change and save the same run lose none of each other's changes."""
    FileStore(tmp_path).save("r1", kept(), expect=0)
    command = [sys.executable, "-c", COUNTING, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(50) for process in processes] == [0, 0, 0]
    held = FileStore(tmp_path).load("r1")
    assert (held.revision, held.state.count("x")) == (61, 60)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_only_the_owner_reads(tmp_path: Path) -> None:
    """The folder and every file in it are for their owner alone, whatever the umask."""
    before = os.umask(0)
    try:
        FileStore(tmp_path / "runs").save("r1", kept(), expect=0)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "runs").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "runs").iterdir()} == {0o600}


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    """A save that fails leaves what was there, and no temporary file."""
    store = FileStore(tmp_path)
    store.save("r1", kept(), expect=0)
    before = sorted(path.name for path in tmp_path.iterdir())
    broken = kept().model_copy(update={"state": "\ud800"})
    with pytest.raises((MisuseError, ValueError)):
        store.save("r1", broken, expect=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert store.load("r1").revision == 1


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    """A path that is a file is refused, with its name."""
    (tmp_path / "file").write_text("")
    with pytest.raises(MisuseError, match="file"):
        FileStore(tmp_path / "file").save("r1", kept(), expect=0)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """What is in a run's place and is no file is refused in words."""
    store = FileStore(tmp_path)
    store.save("r1", kept(), expect=0)
    (place,) = files_in(tmp_path)
    place.unlink()
    place.mkdir()
    with pytest.raises(MisuseError, match="cannot be read"):
        store.load("r1")


@pytest.mark.parametrize("cut", [0, 1, 40, -1], ids=["empty", "one byte", "forty bytes", "less the last"])
def test_a_file_that_was_cut(tmp_path: Path, cut: int) -> None:
    """A file that was cut anywhere is refused, for loading and for saving."""
    store = FileStore(tmp_path)
    store.save("r1", kept(), expect=0)
    (place,) = files_in(tmp_path)
    place.write_bytes(place.read_bytes()[:cut])
    with pytest.raises(StateRejected, match="damaged"):
        store.load("r1")
    with pytest.raises(StateRejected, match="damaged"):
        store.save("r1", kept(), expect=1)


def test_a_file_in_the_wrong_place(tmp_path: Path) -> None:
    """The file of one run is not taken for another's."""
    store = FileStore(tmp_path)
    store.save("r1", kept("r1"), expect=0)
    store.save("r2", kept("r2"), expect=0)
    one, other = files_in(tmp_path)
    one.write_bytes(other.read_bytes())
    refused = 0
    for run_id in ("r1", "r2"):
        try:
            store.load(run_id)
        except StateRejected as told:
            refused += "holds another run" in str(told)
    assert refused == 1


@pytest.mark.parametrize(
    "edit", [("said", "laid"), ('"version":1', '"version":2'), ('"o"', '"p"'), ('"revision":1', '"revision":7')], ids=str
)
def test_a_signed_file_that_was_edited(tmp_path: Path, edit: tuple[str, str]) -> None:
    """With a key, no field of a file can be edited without being noticed."""
    store = FileStore(tmp_path, key=KEY)
    store.save("r1", kept(), expect=0)
    assert store.load("r1").revision == 1
    (place,) = files_in(tmp_path)
    text = place.read_text()
    assert edit[0] in text
    place.write_text(text.replace(*edit))
    with pytest.raises(StateRejected, match="edited"):
        store.load("r1")


def test_a_file_without_signature(tmp_path: Path) -> None:
    """With a key, a file that nobody signed is refused."""
    FileStore(tmp_path).save("r1", kept(), expect=0)
    with pytest.raises(StateRejected, match="not signed"):
        FileStore(tmp_path, key=KEY).load("r1")


def test_another_key(tmp_path: Path) -> None:
    """A file that was signed with another key is refused."""
    FileStore(tmp_path, key=KEY).save("r1", kept(), expect=0)
    with pytest.raises(StateRejected, match="another key"):
        FileStore(tmp_path, key=KEY[::-1]).load("r1")


def test_a_short_key() -> None:
    """A key that could be guessed is refused."""
    with pytest.raises(MisuseError, match="give 16 or more"):
        kept().signed(b"short")


def test_the_key_is_never_shown(tmp_path: Path) -> None:
    """The store's repr says that it signs, not with what."""
    assert repr(FileStore("runs", key=KEY)) == "FileStore('runs', signed)"
    assert repr(FileStore("runs")) == "FileStore('runs')"
    FileStore(tmp_path, key=KEY).save("r1", kept(), expect=0)
    assert all(KEY not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("state", ["", "[]", "{}", '{"run_id": 7}'])
def test_a_state_without_an_id(state: str) -> None:
    """A checkpoint whose state is damaged has no run id."""
    assert Checkpoint(version=1, bound_to={}, state=state).run_id is None


def test_it_is_a_store(tmp_path: Path) -> None:
    """A FileStore is a Store, to checkers and when asked."""
    store: Store = FileStore(tmp_path)
    assert isinstance(store, Store)


def test_an_id_that_is_no_unicode(tmp_path: Path) -> None:
    """A run is found by the id that it was started with, though that is written out."""
    store = FileStore(tmp_path)
    Agent(int, model=ScriptedProvider(7)).start("How many?", store=store, run_id="\ud800")
    assert "\\ud800" == store.load("\ud800").run_id == store.load("\\ud800").run_id

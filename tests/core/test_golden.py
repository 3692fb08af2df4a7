"""Checkpoints that were written to files once: every one of them is loaded and gone on with, or refused with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.core.golden import FOLDER, SCENES, agent_of, approve
from tests.stores import MemoryStore
from tests.support import faults_in

from settled import Checkpoint, Failure, Fallback, Paused, StateRejected, Success
from settled.core.checkpoint import VERSION
from settled.core.state import RunState
from settled.testing import ScriptedProvider
from settled.vocabulary.narrowing import is_list, is_mapping

FILES = sorted(FOLDER.glob("*/*.json"))


def read(file: Path) -> Checkpoint:
    """The checkpoint in a file."""
    return Checkpoint.model_validate_json(file.read_bytes())


@pytest.mark.row("H12")
@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.stem}" for file in FILES])
def test_a_golden_checkpoint(file: Path) -> None:
    """It is taken up and comes to the end that it was made for; one of a version that is not read any more says so."""
    scene, kept = SCENES[file.stem], read(file)
    assert file.parent.name == str(kept.version)
    model = ScriptedProvider(*scene.left)
    models = Fallback(ScriptedProvider(), model) if file.stem == "fallback" else model
    agent = agent_of(model=models, checks=[approve])
    if kept.version != VERSION:
        with pytest.raises(StateRejected, match=f"version {kept.version}; this release reads"):
            agent.resume(kept)
        return
    store = MemoryStore() if kept.revision else None
    if store is not None:
        store.runs["golden"] = kept
    outcome = agent.resume(kept, store=store)
    if isinstance(outcome, Paused):
        outcome = agent.resume(outcome, scene.decisions, store=store)
    assert isinstance(outcome, (Success, Failure))
    account = outcome if isinstance(outcome, Success) else outcome.report
    assert (scene.end, scene.requests) == (account.stop_reason.kind, len(model.requests))
    assert not faults_in(account.messages)
    assert "golden" == account.run_id


def test_every_scene_has_its_file() -> None:
    """Each scene has a file of this version, and each file a scene."""
    assert sorted(SCENES) == [file.stem for file in FILES if file.parent.name == str(VERSION)]
    assert {file.stem for file in FILES} <= set(SCENES)


@pytest.mark.parametrize("name", SCENES)
def test_the_files_are_what_is_written_now(name: str) -> None:
    """What is written today is bound to the same, and has the same fields as in the file: else the version must change."""
    kept, now = read(FOLDER / str(VERSION) / f"{name}.json"), SCENES[name].write()
    assert kept.bound_to == now.bound_to
    assert fields_of(json.loads(kept.state)) == fields_of(json.loads(now.state))
    assert set(json.loads(now.state)) == set(RunState.model_fields) - {"live"}


def fields_of(data: object) -> object:
    """The names in JSON data, place by place; of lists, those of each item."""
    if is_mapping(data):
        return {name: fields_of(value) for name, value in data.items()}
    return [fields_of(item) for item in data] if is_list(data) else None

"""The table of spellings: its file for type checkers is what it makes, and each spelling works where it runs, too."""

from __future__ import annotations

from typing import Any, get_origin

import pytest
from tests import spellings
from tests.typing import matrix

from settled import Agent


def test_the_file_is_what_the_table_makes(capsys: pytest.CaptureFixture[str]) -> None:
    """The file that checkers read is the one that the table makes; there are more than forty spellings."""
    spellings.main("--check")
    assert capsys.readouterr().out.startswith(f"{len(spellings.SPELLINGS)} spellings")
    assert len({spelling.form for spelling in spellings.SPELLINGS}) >= 40


def test_another_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A file that is not what the table makes is told of, and written anew."""
    monkeypatch.setattr(spellings, "HERE", tmp_path)
    (tmp_path / "matrix.py").write_text("", encoding="utf-8")
    with pytest.raises(SystemExit, match="run python -m"):
        spellings.main("--check")
    spellings.main()
    spellings.main("--check")


@pytest.mark.parametrize("name", [spelling.name for spelling in spellings.SPELLINGS])
def test_each_spelling_can_be_asked_for(name: str) -> None:
    """Each spelling is an output type, of an agent, of functions of all kinds, and of methods."""
    desk: Any = getattr(matrix, f"Desk_{name}")()
    asked = [getattr(matrix, f"{prefix}_{name}") for prefix in ("ask", "aask", "aoutcome")]
    asked += [desk.ask, desk.aask, desk.of_class, desk.static, desk.outcome]
    assert len({one.agent.with_(name=None) for one in asked}) == 1
    for giving_up in (getattr(matrix, f"outcome_{name}"), getattr(matrix, f"prompt_{name}")):
        assert isinstance(giving_up.agent, Agent)
    items: Any = getattr(matrix, f"items_{name}")
    assert get_origin(items.agent.output_type) is list
    assert desk.items.agent == items.agent.with_(name="items")

"""What is shown: no control characters, JSON that is JSON, progress for terminals only."""

from __future__ import annotations

import io
import json
import sys
from decimal import Decimal

import pytest
from pydantic import BaseModel, ConfigDict
from tests.support import City

from settled import Agent, Success, Usage
from settled.cli.showing import document_of, downloading, note, show_success, waiting, write, write_json
from settled.testing import ScriptedProvider


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


class Odd(BaseModel):
    """A float that JSON may not know."""

    model_config = ConfigDict(ser_json_inf_nan="constants")
    ratio: float


def success(value: object = City(name="Oslo", people=7), form: object = City) -> Success[object]:
    """A run that ended well."""
    outcome = Agent[object](form, model=ScriptedProvider(value)).settle("?")  # type: ignore[arg-type]
    assert isinstance(outcome, Success)
    return outcome


def test_text_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters and lone surrogates are written out, on either stream and in outputs of any kind."""
    write("a\x1b[31m\tb\n")
    note("c\x07\x9b\r\udc80")
    show_success(success("\x1b]0;x\x07", str), ())
    show_success(success(City(name="\x1b[2J", people=1)), ())
    out, err = capsys.readouterr()
    assert out.startswith("a\\x1b[31m\tb\n")
    assert "\\x1b]0;x\\x07" in out
    assert "City(" in out
    assert "\x1b" not in out
    assert err == "c\\x07\\x9b\\x0d\\udc80\n"


def test_markup_is_not_interpreted(capsys: pytest.CaptureFixture[str]) -> None:
    """What looks like markup stays what the model wrote."""
    show_success(success("[bold]x[/nothing]", str), (), {"history": "[red]log"})
    out = capsys.readouterr().out
    assert "[bold]x[/nothing]\n" in out
    assert "[red]log" in out


def test_facts(capsys: pytest.CaptureFixture[str]) -> None:
    """The output is followed by mode and reason, attempts, repairs, usage, seconds, and what else there is."""
    outcome = success().changed(usage=Usage(requests=2, input_tokens=9, cost=Decimal("0.5")), elapsed=1.25)
    show_success(outcome, ("the server enforces a schema",), {"history": "a log"})
    shown = [line.split(None, 1) for line in capsys.readouterr().out.splitlines()[-6:]]
    assert shown == [
        ["mode", "native (auto: the server enforces a schema)"],
        ["attempts", "1: valid"],
        ["repairs", "none"],
        ["usage", "2 request(s), 9 tokens in, unknown tokens out, 0.5 USD"],
        ["seconds", "1.2"],
        ["history", "a log"],
    ]


def test_a_mode_that_was_asked_for_and_one_that_was_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A mode that was asked for is said to be; so is one that the server refused."""
    show_success(success().changed(mode_requested="native", mode="tool", degraded_from="native"), ("asked for",))
    assert "tool (asked for, stepped down from native)" in capsys.readouterr().out


def test_repairs(capsys: pytest.CaptureFixture[str]) -> None:
    """What was mended is named with its place."""
    outcome = Agent(City, model=ScriptedProvider('```json\n{"name": "Oslo", "people": 7}\n```'), mode="prompted").settle("?")
    assert isinstance(outcome, Success)
    assert outcome.repairs
    show_success(outcome, ())
    assert f"{outcome.repairs[0].code} at {outcome.repairs[0].path}" in capsys.readouterr().out


@pytest.mark.parametrize("encoding, plain", [("utf-8", "å"), ("cp1252", "\\u00e5")], ids=["utf-8", "another"])
def test_json_in_any_encoding(encoding: str, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document is valid JSON, also where stdout is not UTF-8."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    write_json({"name": "å \u2603"})
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    text = written.getvalue().decode(encoding)
    assert plain in text
    assert {"name": "å \u2603"} == json.loads(text)


def test_numbers_that_json_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    """Infinity becomes null, since JSON has no word for it."""
    write_json(document_of(success(Odd(ratio=7), Odd).changed(output=Odd(ratio=float("inf"))), Odd))
    assert {"ratio": None} == json.loads(capsys.readouterr().out)["output"]


def test_no_progress_without_a_terminal() -> None:
    """A stream that is no terminal gets no spinner, and one line for each thing that is fetched."""
    stream = io.StringIO()
    with waiting("asking", stream=stream):
        pass
    assert stream.getvalue() == ""
    with downloading(stream=stream) as progress:
        for done in (1, 2, 3):
            progress(done, 3, "fetching\x1b")
    assert stream.getvalue() == "fetching\\x1b\n"


def test_progress_on_a_terminal() -> None:
    """A terminal sees what is waited for, with the elapsed time, and a bar for what is fetched."""
    spun, barred = Terminal(), Terminal()
    with waiting("asking [m]", stream=spun):
        pass
    assert "asking [m]" in spun.getvalue()
    assert "0:00:00" in spun.getvalue()
    with downloading(stream=barred) as progress:
        progress(0, 0, "looking")
        progress(5, 10, "fetching")
    assert "fetching" in barred.getvalue()
    assert "5/10" in barred.getvalue()
    idle = Terminal()
    with downloading(stream=idle):
        pass
    assert idle.getvalue() == ""

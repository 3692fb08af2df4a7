"""From pydantic's errors to issues: what was expected, where in the payload, and a short excerpt of what stood there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated, Any, Literal, cast

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from tests.forms import Aliased, City, Fix, Hold, Leg, Page, Plane, Ship, Tree
from typing_extensions import TypedDict, TypeForm

from settled import Issue
from settled.schema.misfits import MOST_ISSUES, excerpt, issues_of, path_of
from settled.schema.target import OutputTarget


class Closed(BaseModel):
    """Refuses other keys."""

    model_config = ConfigDict(extra="forbid")

    x: int


def refuse(value: int) -> int:
    """Always says no."""
    raise ValueError("must be even")


def doubt(value: int) -> int:
    """Asserts what is not so."""
    if value >= 0:
        raise AssertionError("must be below zero")
    return value


Even = Annotated[int, AfterValidator(refuse)]
Low = Annotated[int, AfterValidator(doubt)]


@dataclass
class Frame:
    """A dataclass with a list in it."""

    holds: list[Hold]


class Choice(TypedDict):
    """Holds one of two."""

    pick: Annotated[Ship | Plane, Field(discriminator="kind")]


def misfits(form: object, text: str) -> tuple[Issue, ...]:
    """The issues of a JSON text as a value of a type."""
    with pytest.raises(ValidationError) as raised:
        OutputTarget(cast("TypeForm[object]", form)).validate_json(text)
    try:
        payload: object = json.loads(text)
    except ValueError:
        payload = None
    return issues_of(raised.value, payload)


@pytest.mark.parametrize(
    "form, text, line",
    [
        (City, '{"name": "Oslo", "people": "many"}', "$.people: expected an integer, got 'many'"),
        (City, '{"name": "Oslo"}', "$.people: required, but missing"),
        (City, '{"name": 7, "people": 1}', "$.name: expected a string, got 7"),
        (City, '{"name": null, "people": 1}', "$.name: expected a string, got null"),
        (City, "[1, 2]", "$: expected an object, got a list of 2"),
        (int, "1.5", "$: expected an integer, got 1.5"),
        (int, "[]", "$: expected an integer, got a list of 0"),
        (float, '"x"', "$: expected a number, got 'x'"),
        (float, "{}", "$: expected a number, got an object"),
        (bool, '"maybe"', "$: expected true or false, got 'maybe'"),
        (bool, "{}", "$: expected true or false, got an object"),
        (Decimal, '"x"', "$: expected a decimal number, got 'x'"),
        (list[int], '{"a": 1}', "$: expected a list, got an object"),
        (tuple[int, ...], "1", "$: expected a list, got 1"),
        (set[int], "true", "$: expected a list, got true"),
        (frozenset[int], "false", "$: expected a list, got false"),
        (dict[str, int], "[]", "$: expected an object, got a list of 0"),
        (Hold, "7", "$: expected an object, got 7"),
        (Leg, "7", "$: expected an object, got 7"),
        (None, "7", "$: expected null, got 7"),
        (date, '"soon"', "$: expected a date as YYYY-MM-DD, got 'soon'"),
        (datetime, '"soon"', "$: expected a date and time in ISO 8601, got 'soon'"),
        (time, '"soon"', "$: expected a time as HH:MM:SS, got 'soon'"),
        (Literal["a", "b"], '"c"', "$: expected 'a' or 'b', got 'c'"),
        (Annotated[int, Field(ge=1)], "0", "$: expected a value greater than or equal to 1, got 0"),
        (Even, "3", "$: must be even"),
        (Low, "3", "$: must be below zero, got 3"),
        (Closed, '{"x": 1, "y z": 2}', "$['y z']: unknown key, not allowed here, got 2"),
        (Hold, '{"tons": "x"}', "$.tons: expected an integer, got 'x'"),
        (Hold, "{}", "$.tons: required, but missing"),
        (Leg, '{"start": "Oslo"}', "$.miles: required, but missing"),
        (Aliased, '{"yearOfBirth": "x"}', "$.yearOfBirth: expected an integer, got 'x'"),
        (Aliased, '{"year_of_birth": "x"}', "$.year_of_birth: expected an integer, got 'x'"),
        (Aliased, "{}", "$.yearOfBirth: required, but missing"),
        (Tree, '{"label": "a", "children": [{"label": "b"}, {"label": 1}]}', "$.children[1].label: expected a string, got 1"),
        (Page[City], '{"rows": [{"name": "a"}]}', "$.rows[0].people: required, but missing"),
        (Frame, '{"holds": [{"tons": 1}, {"tons": null}]}', "$.holds[1].tons: expected an integer, got null"),
        (dict[str, list[int]], '{"a b": [1, "x"]}', "$['a b'][1]: expected an integer, got 'x'"),
        (Choice, '{"pick": {"kind": "ship", "masts": "x"}}', "$.pick.masts: expected an integer, got 'x'"),
        (Choice, '{"pick": {"kind": "ship"}}', "$.pick.masts: required, but missing"),
        (Choice, '{"pick": {"kind": "car"}}', "$.pick: "),
        (list[Annotated[int, Field(ge=1)]], "[1, 0]", "$[1]: expected a value greater than or equal to 1, got 0"),
        (dict[int, int], '{"x": 1}', "$.x: expected an integer, got 'x'"),
    ],
)
def test_lines(form: object, text: str, line: str) -> None:
    """Each misfit is one line in the model's own terms: its keys, its indexes, its content in short."""
    assert misfits(form, text)[0].line.startswith(line)
    assert line.endswith(" ") or len(misfits(form, text)) == 1


def test_every_member_of_a_union_is_told() -> None:
    """A payload that fits no member of a plain union has the misfits of each, at paths without the members' names."""
    lines = [issue.line for issue in misfits(City | Ship, '{"name": "Oslo"}')]
    assert lines == ["$.people: required, but missing", "$.masts: required, but missing"]


@pytest.mark.parametrize(
    "count, issues", [(MOST_ISSUES, MOST_ISSUES), (MOST_ISSUES + 1, MOST_ISSUES + 1), (500, MOST_ISSUES + 1)], ids=str
)
def test_issues_are_capped(count: int, issues: int) -> None:
    """At most twenty issues are kept, and one more line counts the rest."""
    found = misfits(list[int], json.dumps(["x"] * count))
    assert issues == len(found)
    if count > MOST_ISSUES:
        assert f"$: and {count - MOST_ISSUES} more issues" == found[-1].line


@pytest.mark.parametrize(
    "content, shown",
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (1.5, "1.5"),
        ("many", "'many'"),
        ([1, 2, 3], "a list of 3"),
        ({"a": 1}, "an object"),
        ("x" * 1000, "'" + "x" * 59 + "..."),
        ("\n", "'\\n'"),
    ],
    ids=["null", "true", "false", "int", "float", "text", "list", "object", "long", "control"],
)
def test_excerpts(content: object, shown: str) -> None:
    """An excerpt names content as JSON would, never in more than 63 characters."""
    assert shown == excerpt(content)
    assert len(excerpt(content)) <= 63


@pytest.mark.parametrize(
    "text", ['["' + "x" * 10_000 + '"]', "[" + "9" * 300 + ".5]", '["' + "\\u0000" * 500 + '"]'], ids=["word", "number", "nul"]
)
def test_no_issue_is_long(text: str) -> None:
    """An issue stays short whatever the model wrote."""
    assert all(len(issue.line) < 300 for issue in misfits(list[int], text))


def test_a_missing_item_of_a_named_tuple() -> None:
    """What a `NamedTuple` lacks is named by its place; pydantic before 2.13 knows only its name."""
    (issue,) = misfits(Fix, "[1]")
    assert issue.line in ("$[1]: required, but missing", "$.lon: required, but missing")


def test_a_line_is_one_line() -> None:
    """What a validator says in several lines is one line of an issue."""

    def lecture(value: int) -> int:
        raise ValueError("first\nsecond")

    (issue,) = misfits(Annotated[int, AfterValidator(lecture)], "3")
    assert "\n" not in issue.line


def test_long_keys_are_cut_in_paths() -> None:
    """A path stays short whatever keys the model made up."""
    line = misfits(dict[str, int], json.dumps({"k" * 5000 + " ": "x"}))[0].line
    assert len(line) < 300


def test_issues_without_a_payload() -> None:
    """Where the text is no JSON, the issue stands at the root and shows no excerpt."""
    (issue,) = misfits(City, "{nope")
    assert (issue.path, issue.got, issue.code) == ("$", None, "json_invalid")


@pytest.mark.parametrize(
    "location, payload, keep, path",
    [
        ((), {}, False, "$"),
        (("a", "b"), {"a": {"b": 1}}, False, "$.a.b"),
        (("a", "Member", "b"), {"a": {"b": 1}}, False, "$.a.b"),
        (("a", "b"), {"a": {}}, False, "$.a"),
        (("a", "b"), {"a": {}}, True, "$.a.b"),
        ((0, 1), [[1, 2]], False, "$[0][1]"),
        ((5,), [1], False, "$"),
        ((-1,), [1], False, "$"),
        (("no",), None, True, "$.no"),
        (("1a",), {"1a": 1}, False, "$['1a']"),
        (("a-b",), {"a-b": 1}, False, "$.a-b"),
        (("é",), {"é": 1}, False, "$.é"),
    ],
    ids=[
        "root", "keys", "tag", "absent", "added", "indexes", "beyond", "negative", "no-payload", "odd-key", "dash", "foreign",
    ],
)  # fmt: skip
def test_paths(location: tuple[int | str, ...], payload: Any, keep: bool, path: str) -> None:
    """A path names only what stands in the payload, or what is missing from it."""
    assert path == path_of(location, payload, keep_last=keep)


class Grumpy:
    """Cannot be compared."""

    def __eq__(self, other: object) -> bool:
        """Never says."""
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]


class Disguised(BaseModel):
    """What is given is never what is validated."""

    x: Annotated[int, BeforeValidator(lambda _: Grumpy())]


def test_what_cannot_be_compared() -> None:
    """A validator before may make anything of the payload: the path is that of the location all the same."""
    assert ["$.x"] == [issue.path for issue in misfits(Disguised, '{"x": 1}')]

"""What once passed the guards of the strict path, or broke them: each type and text with what is right."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from time import process_time
from typing import Any, cast
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationInfo, field_validator
from tests.recovery.asking import found, target_of
from typing_extensions import TypeAliasType

from settled import FinishReason, Recovery
from settled.modes.answers import answers_for
from settled.recovery.recover import recover


class Event(BaseModel):
    """Its end is compared with its start."""

    start: datetime
    end: datetime

    @field_validator("end")
    @classmethod
    def _later(cls, value: datetime, info: ValidationInfo) -> datetime:
        assert value >= info.data["start"]
        return value


class Fresh(BaseModel):
    """Takes each tag once in all its life."""

    tags: list[str]
    n: int

    @field_validator("tags")
    @classmethod
    def _fresh(cls, value: list[str], info: ValidationInfo) -> list[str]:
        seen = cast("set[str]", info.context)
        new = [tag for tag in value if tag not in seen]
        seen.update(new)
        return new


class Item(BaseModel):
    """One field is required."""

    x: int
    note: str = ""


class Hollow(BaseModel):
    """Nothing is required."""

    v: int = 0


class Share(BaseModel):
    """A field that is a model of one number."""

    f: RootModel[float]


class Around(BaseModel):
    """A field that is a model around a model."""

    inner: RootModel[Hollow]
    k: int = 0


class ByAlias(BaseModel):
    """Not taken by its name."""

    model_config = ConfigDict(validate_by_name=False)
    x: float = Field(0, alias="X")


class Shifted(BaseModel):
    """An alias that is another field's name."""

    a: str = Field("", alias="b")
    b: float = Field(0.0, alias="c")


class Swapped(BaseModel):
    """Two fields with each other's names as aliases."""

    a: dict[str, int] = Field({}, alias="b")
    b: list[int] = Field([], alias="a")


class OddDefault(BaseModel):
    """A default that is no number."""

    x: float = "auto"  # type: ignore[assignment]  # pydantic takes it
    y: int = 0


class Line(BaseModel):
    """Has a key like one of the order's."""

    notes: str
    qty: int


class Order(BaseModel):
    """Has a key like one of the line's."""

    total: int
    note: str = ""
    lines: list[Line] = []


class Bold(BaseModel):
    """A key in Markdown."""

    x: int
    b: int = Field(0, alias="**bold**")


class Beside(BaseModel):
    """The same key without."""

    y: int
    bold: int = 0
    z: Bold | None = None


class Named(BaseModel):
    """A text that may be a blank."""

    first_name: str = ""
    x: int


class Kept(BaseModel):
    """Keeps what it does not know."""

    model_config = ConfigDict(extra="allow")
    p: Decimal


class KeptNumbers(BaseModel):
    """Keeps numbers under keys that it does not know."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]
    name: str


class Stripped(BaseModel):
    """Keys without blanks around them."""

    model_config = ConfigDict(str_strip_whitespace=True)
    m: dict[str, int]


class Closed(BaseModel):
    """Takes no other key."""

    model_config = ConfigDict(extra="forbid")
    p: Decimal
    n: int


class Days(BaseModel):
    """Days, and a text."""

    ds: list[date] = []
    s: str = ""


class Visit(BaseModel):
    """A day under the key of a text elsewhere."""

    when: date
    a: Said | None = None


class Said(BaseModel):
    """A text under the key of a day."""

    when: str


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | int | None")
Lists = TypeAliasType("Lists", "list[Lists]")
Maps = TypeAliasType("Maps", "dict[str, Maps]")
Deep = TypeAliasType("Deep", "int | list[Deep]")

MORNING = datetime(2024, 1, 1)
BLANKS = (
    "\\n<name>", "\\t...", "[name]\\n", "YOUR_NAME\\n", "first_name ", " First Name", "\u2003...", "     <name>", "\\u3000...",
)  # fmt: skip
VALUES: list[tuple[object, str, object]] = [
    (Event, '{"start": "2024-01-01", "end": "2024-01-02T10:00:00"}', Event(start=MORNING, end=datetime(2024, 1, 2, 10))),
    (RootModel[list[Item]], '[{"x": 1}]', RootModel[list[Item]]([Item(x=1)])),
    (RootModel[dict[str, int]], '{"a": 1}', RootModel[dict[str, int]]({"a": 1})),
    (Share, '{"f": 1.5}', Share(f=RootModel[float](1.5))),
    (Around, '{"inner": {"v": 7}}', Around(inner=RootModel[Hollow](Hollow(v=7)))),
    (Around, '{"inner": {"V": 7}}', Around(inner=RootModel[Hollow](Hollow(v=7)))),
    (Json, '{"a": [1, null, {"b": 2}]}', {"a": [1, None, {"b": 2}]}),
    (Lists, "[]", []),
    (Maps, '{"a": {}}', {"a": {}}),
    (Deep, "[1, [2]]", [1, [2]]),
    (Beside, '{"y": 1, "**bold**": 2}', Beside(y=1, bold=2)),
    (OddDefault, '{"y": 1}', OddDefault(y=1)),
    (list[OddDefault], '[{"y": 1}]', [OddDefault(y=1)]),
    (Swapped, '{"b": {"x": 1}, "a": [5]}', Swapped.model_validate({"b": {"x": 1}, "a": [5]})),
    (KeptNumbers, '{"name": "a", "z": 1.5}', KeptNumbers.model_validate({"name": "a", "z": 1.5})),
    (dict[int, str], '{"1": "a", "10": "b"}', {1: "a", 10: "b"}),
    (dict[bool, str], '{"true": "a", "no": "b"}', {True: "a", False: "b"}),
]  # fmt: skip


@pytest.mark.parametrize("form, text, value", VALUES, ids=[f"{form}-{text}" for form, text, _ in VALUES])
def test_right_values(form: object, text: str, value: object) -> None:
    """What is right is taken, whatever the type is made of."""
    assert ("value", value) == (found(form, text, Recovery.SCHEMA).outcome, found(form, text, Recovery.SCHEMA).value)


@pytest.mark.parametrize(
    "form, text",
    [
        (RootModel[Hollow], '{"x": 1}'),
        (ByAlias, '{"X": NaN}'),
        (list[ByAlias], '[{"X": 1e400}]'),
        (Shifted, '{"c": NaN}'),
        (Swapped, '{"b": {"x": 1, "x": 2}, "a": [5, 6]}'),
        (Order, '{"total": 1, "notes": "x"}'),
        (dict[str, Any], '{"$ref": "#"}'),
        (dict[str, Any], '{"$schema": "x", "a": 1}'),
        (Kept, '{"p": 1e2, "z": NaN}'),
        (KeptNumbers, '{"name": "a", "z": NaN}'),
        (KeptNumbers, '{"name": "a", "z": true}'),
        (KeptNumbers, '{"name": "a", "z": 1e400}'),
        (dict[int, str], '{"1": "a", "01": "b"}'),
        (dict[int, str], '{"1": "a", "1.0": "b"}'),
        (dict[int, str], '{"10": "a", "1_0": "b"}'),
        (dict[float, str], '{"1": "a", "1.0": "b"}'),
        (dict[Decimal, str], '{"1": "a", "1.00": "b"}'),
        (dict[bool, str], '{"true": "a", "yes": "b"}'),
        (dict[date, str], '{"2024-01-01": "a", "2024-01-01T00:00:00": "b"}'),
        (dict[UUID, str], '{"12345678-1234-5678-1234-567812345678": "a", "12345678123456781234567812345678": "b"}'),
        (Stripped, '{"m": {"a": 1, " a": 2}}'),
        (dict[str, bool | int], '{"a": 1, "a": true}'),
        (dict[str, list[bool | int]], '{"a": [1], "a": [true]}'),
        *((Named, f'{{"first_name": "{blank}", "x": 1}}') for blank in BLANKS),
    ],
    ids=lambda case: str(case)[:70],
)  # fmt: skip
def test_no_value(form: object, text: str) -> None:
    """What is in doubt, is none, or is a blank of a template gives no value."""
    assert found(form, text, Recovery.SCHEMA).outcome != "value"


def test_a_near_miss_beside_its_key_is_a_repair() -> None:
    """A second spelling that says the same is a repair, which the strict level forbids."""
    assert found(Closed, '{"p": 0.5, "n": 1, "N": 1}', Recovery.STRICT).outcome == "invalid"
    assert [repair.code for repair in found(Closed, '{"p": 0.5, "n": 1, "N": 1}', Recovery.SCHEMA).repairs] == ["key.style"]


def test_code_of_the_users_runs_once() -> None:
    """A payload that lax mode alone takes is not validated twice."""
    accepts = answers_for(target_of(Fresh))
    stop = FinishReason(kind="stop")
    seen: set[str] = set()
    read = recover('{"tags": ["a", "b"], "n": "2"}', accepts, Recovery.SCHEMA, finish_reason=stop, context=seen)
    assert read.value == Fresh.model_construct(tags=["a", "b"], n=2)


@pytest.mark.parametrize(
    "form, text",
    [
        (Days, '{"s": "' + "0" * 16_000 + ' x"}'),
        (Days, '{"s": "' + " " * 16_000 + 'x"}'),
        (Visit, '{"when": "2024-01-01", "a": {"when": "' + "0" * 16_000 + ' x"}}'),
        (Named, '{"x": 1, "first_name": "' + "\\n" * 7_000 + 'x"}'),
        (Named, '{"x": 1, "first_name": "' + " " * 15_000 + 'x"}'),
    ],
    ids=["digits", "blanks", "digits-under-a-day", "escaped-blanks", "blanks-of-a-template"],
)
def test_no_text_takes_long(form: object, text: str) -> None:
    """The screens look at each character a few times, whatever it is: the best of three runs takes far less than a second."""
    found(form, text, Recovery.SCHEMA)  # the type is read once, outside of what is measured
    seconds: list[float] = []
    for _ in range(3):
        begun = process_time()
        found(form, text, Recovery.SCHEMA)
        seconds.append(process_time() - begun)
    assert min(seconds) < 0.2

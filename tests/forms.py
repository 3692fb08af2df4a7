"""Types to ask for: one of every kind that the blueprint lists, with a value of it. Here at module level, they can be pickled."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Annotated, Generic, Literal, NamedTuple, Optional, TypeVar, Union

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from typing_extensions import TypeAliasType, TypedDict, TypeForm


class City(BaseModel):
    """A city."""

    name: str
    people: int


class Ship(BaseModel):
    """A ship, told from a city by its kind."""

    kind: Literal["ship"] = "ship"
    masts: int


class Plane(BaseModel):
    """A plane, told from a ship by its kind."""

    kind: Literal["plane"] = "plane"
    wings: int


class Blocked(BaseModel):
    """Why it cannot be done."""

    why: str
    blocked_by: list[str] = []


class Aliased(BaseModel):
    """A field that the model writes under another name."""

    model_config = ConfigDict(populate_by_name=True)

    year_of_birth: int = Field(alias="yearOfBirth")


class Tree(BaseModel):
    """A model that refers to itself."""

    label: str
    children: list[Tree] = []


K = TypeVar("K")


class Page(BaseModel, Generic[K]):
    """A generic model."""

    rows: list[K]


@dataclass
class Hold:
    """A dataclass."""

    tons: int
    cargo: str = "empty"


class Leg(TypedDict):
    """A typed dict."""

    start: str
    miles: int


class Fix(NamedTuple):
    """A named tuple."""

    lat: float
    lon: float


class Colour(str, enum.Enum):
    """An enum of words."""

    RED = "red"
    BLUE = "blue"


class Rank(enum.IntEnum):
    """An enum of numbers."""

    LOW = 1
    HIGH = 2


class Greeting(BaseModel):
    """Its validator wants to know the run's context."""

    name: str

    @field_validator("name")
    @classmethod
    def known(cls, name: str, info: ValidationInfo) -> str:
        """Accepts only names that the context lists, if there is one."""
        known: object = info.context
        if isinstance(known, tuple) and name not in known:
            raise ValueError("not a known name")
        return name


class Faulty(BaseModel):
    """Its validator is broken: it raises what is no judgement."""

    name: str

    @field_validator("name")
    @classmethod
    def look_up(cls, name: str) -> str:
        """Fails to look the name up, unless it is there."""
        return {"Oslo": "Oslo"}[name]


Word = TypeAliasType("Word", Annotated[str, Field(min_length=1)])
Things = TypeAliasType("Things", City | Ship)


@dataclass(frozen=True)
class Form:
    """A type, and a value of it."""

    id: str
    form: TypeForm[object]
    value: object


FORMS: tuple[Form, ...] = (
    Form("model", City, City(name="Oslo", people=700_000)),
    Form("recursive-model", Tree, Tree(label="root", children=[Tree(label="leaf")])),
    Form("generic-model", Page[City], Page[City](rows=[City(name="Oslo", people=1)])),
    Form("generic-of-int", Page[int], Page[int](rows=[1, 2])),
    Form("aliased-model", Aliased, Aliased(yearOfBirth=1990)),
    Form("dataclass", Hold, Hold(tons=7)),
    Form("typed-dict", Leg, {"start": "Oslo", "miles": 3}),
    Form("named-tuple", Fix, Fix(59.9, 10.7)),
    Form("list", list[int], [1, 2]),
    Form("list-of-models", list[City], [City(name="Oslo", people=1)]),
    Form("union", City | Ship, Ship(masts=3)),
    Form("union-of-scalars", Union[int, list[int]], [4]),  # noqa: UP007
    Form("union-alias", Things, City(name="Oslo", people=1)),
    Form("discriminated", Annotated[Ship | Plane, Field(discriminator="kind")], Plane(wings=2)),
    Form("literal", Literal["billing", "bug"], "bug"),
    Form("annotated", Annotated[int, Field(ge=1)], 5),
    Form("enum", Colour, Colour.BLUE),
    Form("int-enum", Rank, Rank.HIGH),
    Form("date", date, date(2026, 7, 1)),
    Form("datetime", datetime, datetime(2026, 7, 1, 12, 30, tzinfo=timezone.utc)),
    Form("optional-given", Optional[City], City(name="Oslo", people=1)),  # noqa: UP045
    Form("optional-none", City | None, None),
    Form("none-only", None, None),
    Form("int", int, 7),
    Form("float", float, 2.5),
    Form("bool", bool, True),
    Form("decimal", Decimal, Decimal("1.20")),
    Form("dict", dict[str, int], {"dogs": 3}),
    Form("dict-of-models", dict[str, City], {"no": City(name="Oslo", people=1)}),
    Form("tuple", tuple[int, str], (1, "a")),
    Form("long-tuple", tuple[int, ...], (1, 2, 3)),
    Form("set", set[int], {1, 2}),
    Form("frozenset", frozenset[str], frozenset({"a"})),
)
"""Everything but ``str``, which has a mode of its own."""

TEXTS: tuple[Form, ...] = (
    Form("str", str, "Hei"),
    Form("annotated-str", Annotated[str, Field(max_length=20)], "Hei"),
    Form("alias-of-str", Word, "Hei"),
)
"""The forms of text."""


def form_id(form: Form) -> str:
    """For ``ids=``."""
    return form.id

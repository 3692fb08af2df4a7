"""Target types of the payload-recovery corpus, by the name that its lines use: `MODELS`.

They have no validators and no exotic settings: a case is about what the model wrote. Names of classes matter, since a reply
may hold the value under the name of its type.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat
from typing_extensions import NotRequired, TypedDict


class Guest(BaseModel):
    """Flat: required, optional and defaulted fields; its first field is called as the name of a tool call is."""

    name: str
    nights: int
    phone: str | None = None
    breakfast: bool = False


class Severity(str, Enum):
    """Members whose values are their names."""

    MINOR = "MINOR"
    MODERATE = "MODERATE"
    MAJOR = "MAJOR"
    SEVERE = "SEVERE"


class Incident(BaseModel):
    """An enum beside a list of strings."""

    summary: str
    severity: Severity
    labels: list[str] = []
    owner: str | None = None
    resolved: bool = False


class OrderItem(BaseModel):
    """One line of an order."""

    article: str
    count: int
    price: Decimal


class Order(BaseModel):
    """Nested, with dates, decimals and a Literal."""

    reference: str
    placed: date
    delivery: date | None = None
    currency: Literal["EUR", "CHF", "USD", "SEK"]
    items: list[OrderItem]
    total: Decimal


class Shift(BaseModel):
    """Points in time."""

    title: str
    begins: datetime
    ends: datetime | None = None
    room: str | None = None
    staff: list[str] = []


class Lookup(BaseModel):
    """A variant of `Command`."""

    op: Literal["lookup"]
    term: str
    max_results: int = 5


class Notify(BaseModel):
    """A variant of `Command`."""

    op: Literal["notify"]
    recipients: list[str]
    headline: str
    message: str


class Done(BaseModel):
    """A variant of `Command`."""

    op: Literal["done"]
    result: str


Command = Annotated[Lookup | Notify | Done, Field(discriminator="op")]


class Opinion(BaseModel):
    """A closed set of strings and a bounded float."""

    stance: Literal["supports", "opposes", "unclear", "torn"]
    score: float = Field(ge=0, le=1)
    reason: str


class Folder(BaseModel):
    """A tree."""

    title: str
    folders: list[Folder] = []


class Vehicle(BaseModel):
    """Aliases of three styles; field names count as well."""

    model_config = ConfigDict(populate_by_name=True)

    vehicle_id: int = Field(alias="vehicleId")
    plate_number: str = Field(alias="plateNumber")
    daily_rate: Decimal = Field(alias="daily-rate")
    available: bool = Field(default=True, alias="isAvailable")


@dataclass
class Stop:
    """One stop of a trail."""

    place: str
    lat: float
    lon: float
    altitude_m: int | None = None


@dataclass
class Trail:
    """Dataclasses, nested."""

    name: str
    stops: list[Stop]
    length_km: float | None = None


class Lesson(TypedDict):
    """A dictionary with declared keys."""

    topic: str
    minutes: int
    materials: list[str]
    activities: list[str]
    remark: NotRequired[str]


class Member(BaseModel):
    """One of a team."""

    name: str
    position: str
    joined: int | None = None


class Script(BaseModel):
    """Long strings that look like markup and code."""

    dialect: Literal["ruby", "go", "rust", "shell", "html"]
    source: str
    remarks: str | None = None


class Probe(BaseModel):
    """Finite floats, and no key that is not declared."""

    model_config = ConfigDict(extra="forbid")

    sensor: str
    unit: str
    samples: list[FiniteFloat]
    peak: FiniteFloat | None = None


class Level(IntEnum):
    """Members that are numbers."""

    BASIC = 1
    MIDDLE = 2
    ADVANCED = 3


class Course(BaseModel):
    """An enum of numbers, and a set."""

    title: str
    level: Level
    weekdays: set[int] = set()


class Material(str, Enum):
    """Members whose values have blanks, and are not their names."""

    STEEL = "stainless steel"
    OAK = "solid oak"
    GLASS = "tempered glass"


class Panel(BaseModel):
    """A tuple of fixed length beside a required enum."""

    size: tuple[float, float]
    material: Material


class Address(BaseModel):
    """Where somebody lives; the postcode is text."""

    street: str
    city: str
    postcode: str


class Booking(BaseModel):
    """A model inside a model, which may be absent."""

    guest: str
    address: Address | None = None
    paid: bool = False


class Circle(BaseModel):
    """A variant of `Shape`."""

    radius: float


class Rectangle(BaseModel):
    """A variant of `Shape`."""

    width: float
    height: float


class Result(NamedTuple):
    """Goals of a match."""

    home: int
    away: int


MODELS: dict[str, object] = {
    "Guest": Guest,
    "Incident": Incident,
    "Order": Order,
    "Shift": Shift,
    "Command": Command,
    "Opinion": Opinion,
    "Folder": Folder,
    "Vehicle": Vehicle,
    "Trail": Trail,
    "Lesson": Lesson,
    "Team": list[Member],
    "Script": Script,
    "Probe": Probe,
    "Course": Course,
    "Panel": Panel,
    "Booking": Booking,
    "Shape": Circle | Rectangle,
    "Result": Result,
    "Decision": Literal["accept", "decline", "postpone"],
    "Tally": dict[str, int],
    "Numbers": list[int],
    "Lines": list[str],
    "Amount": Decimal,
    "Prose": str,
    "Whole": int,
    "Flag": bool,
}

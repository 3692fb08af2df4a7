"""What prompted mode spends on telling the type: its rendering, beside the compact JSON Schema, in characters and in tokens.

Tokens are counted by tiktoken's ``o200k_base`` if both are on this machine; nothing is fetched. Otherwise they are estimated: the
text is cut as GPT tokenizers cut it before they merge bytes (words with the blank before them, digits by three, runs of signs,
runs of blanks), and a piece of letters counts one token for each six letters begun, which is near what common English words cost.
"""
# ruff: noqa: D101  # a docstring is a part of what is measured

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from datetime import date, datetime
from enum import Enum
from hashlib import sha1
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints
from pydantic_core import to_json

from settled.schema.rendering import rendered
from settled.schema.target import OutputTarget

Form = object
Count = Callable[[str], int]


# ------------------------------------------------------------------------------------------------------------- types


class Contact(BaseModel):
    name: str
    age: int
    email: str
    newsletter: bool


class Street(BaseModel):
    name: str
    number: str


class Address(BaseModel):
    street: Street
    city: str
    country: str


class Company(BaseModel):
    name: str
    address: Address
    founded: date


class Category(Enum):
    BILLING = "billing"
    SHIPPING = "shipping"
    RETURNS = "returns"
    PRAISE = "praise"
    OTHER = "other"


class Ticket(BaseModel):
    category: Category
    urgency: Literal["low", "normal", "high"]
    language: Literal["en", "de", "no"]


class Refund(BaseModel):
    kind: Literal["refund"]
    order: str
    amount: float


class Reply(BaseModel):
    kind: Literal["reply"]
    text: str


class Escalation(BaseModel):
    kind: Literal["escalation"]
    team: str
    reason: str


class Decision(BaseModel):
    action: Annotated[Refund | Reply | Escalation, Field(discriminator="kind")]
    confidence: float


class Section(BaseModel):
    title: str
    pages: int
    sections: list[Section] = []


class Listing(BaseModel):
    sku: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}-\d{4}$")]
    title: str = Field(min_length=3, max_length=80)
    price: float = Field(gt=0, le=10_000)
    stock: int = Field(ge=0)
    discount: int = Field(ge=0, le=90, multiple_of=5)
    tags: list[Annotated[str, Field(max_length=20)]] = Field(min_length=1, max_length=5)


class Meeting(BaseModel):
    """A meeting, as it was agreed on in the conversation."""

    title: str = Field(description="What the meeting is about, in at most ten words")
    start: datetime = Field(description="When it begins, with the time zone of the organiser")
    minutes: int = Field(description="How long it lasts; 30 if nothing was said")
    place: str = Field(description="A room, an address or the word 'online'")
    guests: list[str] = Field(description="Full names of everybody who was invited, the organiser too")


class Figures(BaseModel):
    by_month: dict[str, float]
    by_region: dict[str, dict[str, int]]
    notes: dict[str, list[str]]


class Position(BaseModel):
    article: str
    count: int
    price: float


class Invoice(BaseModel):
    number: str
    day: date
    positions: list[Position]
    total: float


class Profile(BaseModel):
    id: UUID
    nickname: str | None = None
    birthday: date | None = None
    height: float | None = None
    phone: str | None = None
    verified: bool = False
    interests: list[str] = []


FORMS: dict[str, Form] = {
    "flat": Contact,
    "nested": Company,
    "enums": Ticket,
    "union": Decision,
    "recursive": Section,
    "constraints": Listing,
    "descriptions": Meeting,
    "maps": Figures,
    "list of objects": list[Invoice],
    "optional": Profile,
}


# ---------------------------------------------------------------------------------------------------------- measuring

LETTERS_A_TOKEN = 6
ESTIMATE = "an estimate: pieces of GPT's pre-tokenisation, a token for each six letters"
ENCODING = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
PIECES = re.compile(r"(?P<letters>[^\r\n\w]?[^\W\d_]+)|\d{1,3}| ?[^\s\w]+[\r\n/]*|_+|\s*[\r\n]+|\s+(?!\S)|\s+")


def pieces(text: str) -> Iterator[int]:
    """The tokens of each piece of a text, by the estimate."""
    for piece in PIECES.finditer(text):
        letters = piece["letters"]
        yield math.ceil(sum(map(str.isalpha, letters)) / LETTERS_A_TOKEN) if letters else 1


def estimated(text: str) -> int:
    """How many tokens a text is, roughly."""
    return sum(pieces(text))


def counter() -> tuple[Count, str]:
    """What counts tokens here, and its name."""
    folder = Path(os.environ.get("TIKTOKEN_CACHE_DIR") or Path(tempfile.gettempdir(), "data-gym-cache"))
    if (folder / sha1(ENCODING.encode()).hexdigest()).is_file():  # otherwise tiktoken would fetch it
        try:
            encoding = import_module("tiktoken").get_encoding("o200k_base")
        except ImportError:
            return estimated, ESTIMATE
        return lambda text: len(encoding.encode(text)), "tiktoken, o200k_base"
    return estimated, ESTIMATE


class Cost(NamedTuple):
    """What one text costs."""

    characters: int
    tokens: int


def cost(text: str, count: Count) -> Cost:
    """The characters and tokens of a text."""
    return Cost(len(text), count(text))


def main() -> None:
    """Print a row for each type, then all of them together."""
    count, by = counter()
    print(f"tokens by {by}")
    print(f"{'':16} {'characters':>21} {'tokens':>21}\n{'':16}" + f" {'schema':>6} {'type':>6} {'saved':>7}" * 2)
    rows: dict[str, tuple[Cost, Cost]] = {}
    for name, form in FORMS.items():
        schema = OutputTarget(form).json_schema
        rows[name] = cost(to_json(schema).decode(), count), cost(rendered(schema), count)
    before = Cost(*map(sum, zip(*[row[0] for row in rows.values()], strict=True)))
    after = Cost(*map(sum, zip(*[row[1] for row in rows.values()], strict=True)))
    for name, (was, now) in {**rows, "all": (before, after)}.items():
        cells = [f"{one:6} {other:6} {1 - other / one:7.0%}" for one, other in zip(was, now, strict=True)]
        print(f"{name:16} {' '.join(cells)}")


if __name__ == "__main__":
    main()

"""What recovery costs: `recover` on payloads of about 100 KB, in units of `TypeAdapter.validate_json` on the same value.

A unit is the time of validating the clean JSON alone, measured in the same run: every round runs each contender in turn, and the
best round of each counts, since noise only adds. Peers that can be imported are measured beside it; one that refuses the payload,
or makes another value of it, has failed. Garbage is collected as it is for users.

    python benchmarks/recovery.py            every row
    python benchmarks/recovery.py clean      the rows whose name holds a word
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from importlib import import_module
from time import perf_counter
from types import ModuleType
from typing import Literal, NamedTuple

from pydantic import BaseModel, TypeAdapter

from settled import Agent, FinishReason, Recovery
from settled.modes.answers import answers_for
from settled.recovery.recover import recover
from settled.schema.target import OutputTarget

KB, SIZES = 100, (25, 50, 100, 200, 400, 800, 1600)
ROUNDS, FEWEST_ROUNDS = 25, 3
LEAST = 0.004  # seconds of one batch: shorter ones are repeated
MOST = 1.5  # seconds in all for one contender, once it has had the fewest rounds
STOP = FinishReason(kind="stop")
Run = Callable[[], object]
Form = object


# ------------------------------------------------------------------------------------------------------------- types


class Article(BaseModel):
    """What a cheap screen can vouch for: no two kinds of JSON values stand where pydantic would take one for the other."""

    title: str
    grade: Literal["coarse", "medium", "fine"]
    stock: int
    weight: float
    tags: list[str]


class Catalogue(BaseModel):
    """Articles of a shop."""

    shop: str
    articles: list[Article]


class Room(BaseModel):
    """Booleans beside integers: ``true`` would pass for 1."""

    label: str
    beds: int
    balcony: bool
    floor: int


class Sale(BaseModel):
    """A Decimal written as a number: its digits must not go through a float."""

    article: str
    count: int
    price: Decimal


class Shift(BaseModel):
    """A point in time beside a number: a number would pass for one."""

    staff: str
    begins: datetime
    minutes: int


class Contact(BaseModel):
    """Taken out of objects that hold more keys than it has fields."""

    name: str
    city: str


@dataclass
class Stop:
    """A dataclass, which does not tell which of its fields were given."""

    place: str
    lat: float
    lon: float


# ----------------------------------------------------------------------------------------------------------- payloads

MORNING = datetime(2025, 3, 1, 6, tzinfo=timezone.utc)


def article(number: int) -> str:
    """One article as JSON."""
    grade = ("coarse", "medium", "fine")[number % 3]
    tags = [f"shelf {number % 40}", "sold by weight", "in season"]
    made = {"title": f"Barley, batch {number}", "grade": grade, "stock": number % 70, "weight": number % 90 + 0.25, "tags": tags}
    return json.dumps(made)


def contact(number: int) -> str:
    """One contact as JSON, with two keys too many."""
    return json.dumps({"name": f"Visitor {number}", "city": "Tromso", "phone": f"+47 {number}", "remark": "comes by boat"})


ITEMS: Mapping[str, Callable[[int], str]] = {
    "rows": lambda n: json.dumps([f"row {n}", "Barley, coarse", "sold by weight", f"shelf {n % 40}"]),
    "article": article,
    "room": lambda n: json.dumps({"label": f"Room {n} to the sea", "beds": n % 4, "balcony": n % 2 == 0, "floor": n % 9}),
    "sale": lambda n: f'{{"article": "Barley, batch {n}", "count": {n % 70}, "price": {n % 90}.50}}',
    "shift": lambda n: json.dumps(
        {"staff": f"Visitor {n}", "begins": (MORNING + timedelta(hours=n)).isoformat(), "minutes": 30 + n % 300}
    ),
    "contact": contact,
    "stop": lambda n: json.dumps({"place": f"Bridge {n} over the Tana", "lat": n % 90 + 0.5, "lon": n % 180 + 0.25}),
}


def listed(kind: str, kilobytes: int = KB) -> str:
    """A JSON list of about so many KB, one item a line."""
    lines: list[str] = []
    size = number = 0
    while size < kilobytes * 1000:
        lines.append(ITEMS[kind](number))
        size += len(lines[-1]) + 2
        number += 1
    return "[\n" + ",\n".join(lines) + "\n]"


def catalogue(kilobytes: int = KB) -> str:
    """A `Catalogue` as JSON."""
    return f'{{"shop": "Mill on the hill", "articles": {listed("article", kilobytes)}}}'


def fenced(payload: str, before: str = "Here is the catalogue you asked for.") -> str:
    """A payload in a fence, with prose around it."""
    return f"{before}\n\n```json\n{payload}\n```\n\nTell me if an article is missing."


def broken(payload: str) -> str:
    """Keys without quotes, and a comma after the last of all members and items."""
    return re.sub(r"(?<=[^\[\n,])(\n?[}\]])", r",\1", re.sub(r'"(\w+)": ', r"\1: ", payload))


BRACES = "The template {x} had a note [3], and one {placeholder} for each article; I filled them in."


class Row(NamedTuple):
    """One line of the table."""

    name: str
    form: Form
    clean: str
    """The JSON whose validation is the unit."""
    text: str
    """What is recovered."""
    goal: float
    peers: bool = False
    """Whether peers are measured as well; they all take a `Catalogue`."""


def rows() -> Iterator[Row]:
    """What is measured, by the letters of the goals."""
    plain = catalogue()
    clean: list[tuple[str, Form, str, float]] = [
        ("a clean, needs no guard: list[list[str]]", list[list[str]], listed("rows"), 1.15),
        ("b clean, a screen proves it: models", Catalogue, plain, 1.4),
        ("c clean, booleans beside integers", list[Room], listed("room"), 2.3),
        ("c clean, Decimal as number", list[Sale], listed("sale"), 2.3),
        ("c clean, datetime beside integers", list[Shift], listed("shift"), 2.3),
        ("c clean, keys that are ignored", list[Contact], listed("contact"), 2.3),
        ("c clean, dataclass", list[Stop], listed("stop"), 2.3),
    ]
    for name, form, text, goal in clean:
        yield Row(name, form, text, text, goal, peers=form is Catalogue)
    yield Row("d fenced in prose", Catalogue, plain, fenced(plain), 3, peers=True)
    yield Row("d fenced in prose with {x} and [3]", Catalogue, plain, fenced(plain, BRACES), 3, peers=True)
    yield Row("e broken: commas, keys", Catalogue, plain, broken(plain), 30, peers=True)


# -------------------------------------------------------------------------------------------------------------- peers

BAML_SOURCE = """
class Article { title string
 grade "coarse" | "medium" | "fine"
 stock int
 weight float
 tags string[] }
class Catalogue { shop string
 articles Article[] }
client<llm> Nobody { provider openai-generic
 options { base_url "http://127.0.0.1:1"
 model "none" } }
function Read(text: string) -> Catalogue { client Nobody
 prompt #"{{ text }}{{ ctx.output_format }}"# }
"""
Parse = Callable[[str], object]


def by_json_repair(peer: ModuleType) -> Parse:
    """Its result, validated."""
    return lambda text: adapter(Catalogue).validate_python(peer.loads(text))


def by_instructor(peer: ModuleType) -> Parse:
    """What it extracts, validated."""
    return lambda text: adapter(Catalogue).validate_json(peer.extract_json_from_codeblock(text))


def by_pydantic_ai(peer: ModuleType) -> Parse:
    """What its agent does with the text of a reply, without the run around it."""
    processor = peer.ObjectOutputProcessor(Catalogue)
    return lambda text: processor.validate(text)


def by_langchain(peer: ModuleType) -> Parse:
    """Its result, validated."""
    return lambda text: adapter(Catalogue).validate_python(peer.parse_json_markdown(text))


def by_partial_parser(peer: ModuleType) -> Parse:
    """Its result, validated."""
    return lambda text: adapter(Catalogue).validate_python(peer.loads(text))


def by_baml(peer: ModuleType) -> Parse:
    """Its parser, by way of its runtime and a schema in its own language; the classes that it fills are ours."""
    runtime = peer.BamlRuntime.from_files(".", {"recovery.baml": BAML_SOURCE}, {})
    context, here = runtime.create_context_manager(), sys.modules[__name__]
    return lambda text: runtime.parse_llm_response("Read", text, here, here, here, False, context, None, None, {})


PEERS: Mapping[str, tuple[str, Callable[[ModuleType], Parse]]] = {
    "json_repair": ("json_repair", by_json_repair),
    "instructor": ("instructor.utils.core", by_instructor),
    "pydantic-ai": ("pydantic_ai._output", by_pydantic_ai),
    "langchain-core": ("langchain_core.utils.json", by_langchain),
    "partial-json-parser": ("partial_json_parser", by_partial_parser),
    "BAML": ("baml_py", by_baml),
}


@cache
def peers() -> dict[str, Parse]:
    """The peers that can be imported."""
    found: dict[str, Parse] = {}
    for name, (module, make) in PEERS.items():
        try:
            found[name] = make(import_module(module))
        except ImportError:
            continue
    return found


@cache
def adapter(form: Form) -> TypeAdapter[object]:
    """Pydantic by hand."""
    return TypeAdapter(form)


# ---------------------------------------------------------------------------------------------------------- measuring


class Batch:
    """One contender of a row: its best time so far."""

    def __init__(self, run: Run) -> None:
        """Finds how many runs make a batch; callers have run it before."""
        self.run = run
        begun = perf_counter()
        run()
        once = perf_counter() - begun
        self.runs = max(1, round(LEAST / once))
        self.best, self.spent, self.rounds = once, 0.0, 0

    def round(self) -> None:
        """Run one batch, unless the contender has used up its time."""
        if self.spent > MOST and self.rounds >= FEWEST_ROUNDS:
            return
        begun = perf_counter()
        for _ in range(self.runs):
            self.run()
        took = perf_counter() - begun
        self.spent, self.rounds, self.best = self.spent + took, self.rounds + 1, min(self.best, took / self.runs)


def best(*contenders: Run) -> list[float]:
    """Seconds of the best round of each; the rounds interleave, so that a busy moment hits all."""
    batches = [Batch(run) for run in contenders]
    for _ in range(ROUNDS):
        for batch in batches:
            batch.round()
    return [batch.best for batch in batches]


def recovering(form: Form, text: str) -> Run:
    """Recovery alone, which must end with a value."""
    accepts = answers_for(OutputTarget(form))
    found = recover(text, accepts, Recovery.SCHEMA, finish_reason=STOP)
    assert found.outcome == "value", (found.outcome, found.issues)
    return lambda: recover(text, accepts, Recovery.SCHEMA, finish_reason=STOP)


def parsing(form: Form, text: str) -> Run:
    """`Agent.parse`, which is recovery and the outcome around it."""
    agent = Agent(form, mode="prompted")
    agent.parse(text).unwrap()
    return lambda: agent.parse(text).unwrap()


def succeeds(parse: Parse, text: str, value: object) -> bool:
    """Whether a peer makes the right value of a text."""
    try:
        found = parse(text)
    except Exception:  # whatever a peer refuses with
        return False
    return found == value


def measure(row: Row) -> None:
    """Print one row: ours in units, then the peers."""
    validator, text = adapter(row.form), row.text
    value = validator.validate_json(row.clean)
    able = {name: parse for name, parse in peers().items() if row.peers and succeeds(parse, text, value)}
    ours = recovering(row.form, text)
    unit, own, whole, *others = best(
        lambda: validator.validate_json(row.clean),
        ours,
        parsing(row.form, text),
        *((lambda parse=parse: parse(text)) for parse in able.values()),
    )
    missed = "" if own / unit <= row.goal else "   MISSED"
    print(f"{row.name:42} {own / unit:7.2f}   goal <= {row.goal:<5}{unit * 1e3:7.2f} ms   parse {whole / unit:6.2f}{missed}")
    times = dict(zip(able, others, strict=True))
    if row.peers and peers():
        told = [f"{name} {times[name] / unit:.1f}" if name in times else f"{name} fails" for name in peers()]
        print(f"    {', '.join(told)}")


def measure_growth(kind: str, change: Callable[[str], str]) -> None:
    """Print the cost for growing payloads, in units of ``validate_json`` on the clean JSON of the same size; linear is flat."""
    cleans = [catalogue(size) for size in SIZES]
    units = best(*((lambda text=text: adapter(Catalogue).validate_json(text)) for text in cleans))
    times = best(*(recovering(Catalogue, change(text)) for text in cleans))
    each = [took / unit for took, unit in zip(times, units, strict=True)]
    told = "  ".join(f"{size} KB {one:.2f}" for size, one in zip(SIZES, each, strict=True))
    by_byte = units[-1] / len(cleans[-1]) / (units[0] / len(cleans[0]))
    print(f"f growth, {kind:8} {told}   last/least {each[-1] / min(each):.2f}   (a unit, by the byte: {by_byte:.2f})")


def main() -> None:
    """Measure the rows that were asked for."""
    asked = sys.argv[1:]
    print("recovery, in units of validate_json on the clean JSON; the unit itself; `Agent.parse` in units")
    for row in rows():
        if not asked or any(word in row.name for word in asked):
            measure(row)
    changes: Mapping[str, Callable[[str], str]] = {"clean": str, "fenced": fenced, "broken": broken}
    for kind, change in changes.items():
        if not asked or "growth" in asked:
            measure_growth(kind, change)


if __name__ == "__main__":
    main()

"""What pydantic would try for a payload, counted beforehand; and the payloads that are refused for that."""

from __future__ import annotations

import json
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, cast

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Json,
    RootModel,
    Tag,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import core_schema
from typing_extensions import TypeAliasType, TypedDict

from settled.schema.burden import MOST_TRIES, TRIES_PER_CHARACTER, Burden, burden_of
from settled.schema.misfits import issues_of
from settled.schema.target import OutputTarget

TRIED: list[str] = []
"""The members that validated an object, one name for each time."""


class Counted(BaseModel):
    """Notes that it was tried."""

    @model_validator(mode="before")
    @classmethod
    def note(cls, data: object) -> object:
        """Note it."""
        TRIED.append(cls.__name__)
        return data


class Left(Counted):
    """Nothing tells it from the right."""

    sub: Side
    a: int = 0


class Right(Counted):
    """Nothing tells it from the left."""

    sub: Side
    items: list[Side] = []
    pair: tuple[Side, Side] | None = None


class Leaf(Counted):
    """An end."""

    n: int


Side = Left | Right | Leaf
Left.model_rebuild()
Right.model_rebuild()


def nested(depth: int, leaf: object = None, key: str = "sub") -> Any:
    """A payload of some depth."""
    payload: object = {"n": 1} if leaf is None else leaf
    for _ in range(depth):
        payload = {key: payload}
    return payload


def counted(form: object, payload: object) -> tuple[int, int]:
    """How often members were tried, and how often that was counted to happen."""
    adapter = TypeAdapter[Any](cast("Any", form))
    TRIED.clear()
    with suppress(ValidationError):
        adapter.validate_json(json.dumps(payload))
    return len(TRIED), Burden(cast("Any", adapter.core_schema)).tries(payload)


@pytest.mark.parametrize(
    "payload",
    [
        nested(0),
        nested(1),
        nested(5),
        nested(4, {"n": "x"}),
        nested(3, {"sub": {"n": 1}, "items": [nested(2), {"n": 2}], "pair": [nested(1), nested(2)]}),
        nested(2, {"odd": nested(3)}),
        {"sub": nested(1), "items": {"n": 1}, "pair": {"n": 1}},
    ],
    ids=["leaf", "one", "five", "wrong", "lists", "unknown", "other kinds"],
)
def test_counts(payload: object) -> None:
    """As many tries are counted as pydantic makes."""
    tried, expected = counted(Side, payload)
    assert tried == expected > 0


class Pair(NamedTuple):
    """A part of a named tuple."""

    n: int
    sub: Side


class Held(TypedDict):
    """A part of a dict."""

    sub: Side


@dataclass
class Kept:
    """A part of a dataclass."""

    sub: Side


class Open(BaseModel):
    """Parts under keys that are no fields."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Side] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    n: int


class Spelled(BaseModel):
    """Parts under other keys and at the end of paths."""

    one: Side = Field(alias="uno")
    two: Side = Field(validation_alias=AliasChoices("dos", AliasPath("other", "deux")))
    three: Side = Field(validation_alias=AliasPath("other", "list", 1))


def key_of(data: Any) -> str:
    """A discriminator of the user's."""
    return "held" if "sub" in data else data["no such key"]


class Ours(BaseModel):
    """Has a key that says so."""

    op: Literal["ours"]
    sub: Side


class Theirs(BaseModel):
    """Another."""

    op: Literal["theirs"]


Chosen = Annotated[Annotated[Held, Tag("held")] | Annotated[Leaf, Tag("leaf")], Discriminator(key_of)]
ByKey = Annotated[Ours | Theirs, Field(discriminator="op")]
DEEP = nested(3)
JSON: Any = Json
KINDS: dict[str, tuple[object, object]] = {
    "list": (list[Side], [DEEP, {"n": 1}]),
    "deque": (deque[Side], [DEEP]),
    "no list": (list[Side], {"a": DEEP}),
    "tuple": (tuple[int, Side, Side], [1, DEEP, {"n": 1}]),
    "variadic tuple": (tuple[Side, ...], [DEEP, {"n": 1}, DEEP]),
    "no tuple": (tuple[Side, ...], {"a": DEEP}),
    "map": (dict[str, Side], {"a": DEEP, "b": {"n": 1}}),
    "no map": (dict[str, Side], [DEEP]),
    "named tuple as a list": (Pair, [1, DEEP]),
    "named tuple as an object": (Pair, {"n": 1, "sub": DEEP}),
    "dict": (Held, {"sub": DEEP}),
    "dataclass": (Kept, {"sub": DEEP}),
    "no object": (Kept, [DEEP]),
    "nullable": (Side | None, DEEP),
    "root": (RootModel[Side], DEEP),
    "more keys": (Open, {"n": 1, "a": DEEP, "b": {"n": 1}}),
    "spellings": (Spelled, {"uno": DEEP, "dos": {"n": 1}, "other": {"list": [1, DEEP]}}),
    "paths": (Spelled, {"uno": {"n": 1}, "other": {"deux": DEEP, "list": [1]}}),
    "JSON in a text": (JSON[Side], json.dumps(DEEP)),
    "JSON in a list of texts": (list[JSON[Side]], [json.dumps(DEEP), "{"]),
    "no text": (list[JSON[Side]], [DEEP]),
    "any JSON": (list[Json[Any]], ["[1]"]),
    "a key that chooses nothing": (ByKey, {"op": "c", "sub": DEEP}),
    "no key": (ByKey, {"sub": DEEP}),
}  # fmt: skip


@pytest.mark.parametrize("form, payload", KINDS.values(), ids=KINDS)
def test_counts_through(form: object, payload: object) -> None:
    """What is tried inside every kind of part is counted, in the parts that pydantic looks at, and in no other."""
    tried, expected = counted(form, payload)
    assert tried == expected


@pytest.mark.parametrize(
    "form, payload", [(ByKey, {"op": "ours", "sub": DEEP}), (Chosen, {"sub": DEEP})], ids=["key", "function"]
)
def test_what_a_discriminator_chooses(form: object, payload: object) -> None:
    """Of a union with a discriminator the member that it chooses is counted, and what is tried inside that."""
    tried, expected = counted(form, payload)
    assert tried + 1 == expected


def test_a_discriminator_that_raises() -> None:
    """What a discriminator of the user's raises is left to validation."""
    assert 0 == Burden(cast("Any", TypeAdapter[Any](Chosen).core_schema)).tries({"odd": DEEP})


@pytest.mark.parametrize(
    "discriminator, tries",
    [(["op"], 1), ([["x"], ["op"]], 1), (["at", 1], 1), (["at", 2], 0), (["at", "x"], 0), (["list"], 0)],
    ids=["path", "paths", "index", "beyond", "no index", "no tag"],
)
def test_paths_of_discriminators(discriminator: Any, tries: int) -> None:
    """A discriminator may be a path, or several."""
    inside = core_schema.union_schema([core_schema.dict_schema(), core_schema.int_schema()])
    union = core_schema.tagged_union_schema({"a": inside}, discriminator)
    found = Burden(cast("Any", union)).tries({"op": "a", "at": [0, "a"], "list": ["a"]})
    assert 3 * tries == found


def test_arguments() -> None:
    """The arguments of a call are counted as a named tuple is, which is one to older versions of pydantic."""
    inside = core_schema.union_schema([core_schema.dict_schema(), core_schema.int_schema()])
    given = core_schema.arguments_schema(
        [core_schema.arguments_parameter("a", inside), core_schema.arguments_parameter("b", inside)]
    )
    burden = Burden(cast("Any", core_schema.call_schema(given, tuple)))
    payloads: list[object] = [[{}, {}], {"b": {}}, "no call"]
    assert [4, 2, 0] == [burden.tries(payload) for payload in payloads]


def test_labels_of_choices() -> None:
    """A choice with a label counts like one without."""
    labelled = core_schema.union_schema([(core_schema.int_schema(), "number"), core_schema.str_schema()])
    assert 2 == Burden(cast("Any", labelled)).tries(1)


def test_a_type_that_is_itself() -> None:
    """A schema that is nothing but itself comes to an end."""
    itself = core_schema.definitions_schema(core_schema.definition_reference_schema("A"), [
        core_schema.nullable_schema(core_schema.definition_reference_schema("A"), ref="A"),
    ])  # fmt: skip
    assert 0 == Burden(cast("Any", itself)).tries({})


def test_counting_is_linear() -> None:
    """A payload for which pydantic would try more members than there are atoms is counted at once."""
    burden = Burden(cast("Any", TypeAdapter[Any](Side).core_schema))
    assert burden.tries(nested(150)) > 10**40


class Folder(BaseModel):
    """Recursion through one member of a union."""

    entries: list[Leaf | Folder]


class Block(BaseModel):
    """Recursion through a list beside an object."""

    inside: list[Block] | Block | str


class Told(BaseModel):
    """Recursion through a union that is told by a key."""

    op: Literal["told"]
    inside: Annotated[Told | Other, Field(discriminator="op")]


class Other(BaseModel):
    """Another."""

    op: Literal["other"]
    inside: Told | None = None


Told.model_rebuild()
Tagged = TypeAliasType("Tagged", "Annotated[Told | Other, Field(discriminator='op')] | list[Tagged]")
Maps = TypeAliasType("Maps", "dict[str, Maps] | dict[int, Maps] | int")
Lists = TypeAliasType("Lists", "list[Lists] | tuple[Lists, ...] | None")


@pytest.mark.parametrize(
    "form, is_bounded",
    [
        (Side, True), (list[Left] | None, True), (Maps, True), (Lists, True), (Folder, False), (Block, False), (Tagged, False),
        (Kept | Leaf, True), (Leaf | int, False), (Told, False), (list[Leaf], False),
    ],
)  # fmt: skip
def test_which_types_are_bounded(form: object, is_bounded: bool) -> None:
    """Only recursion through two members of a union that look into the same kind of payload can grow."""
    assert is_bounded == (burden_of(cast("Any", TypeAdapter[Any](cast("Any", form)).core_schema)) is not None)


def refused(form: object, text: str) -> tuple[str, str]:
    """The path and code of the one issue of a text."""
    with pytest.raises(ValidationError) as raised:
        OutputTarget[Any](cast("Any", form)).validate_json(text)
    (issue,) = issues_of(raised.value, json.loads(text))
    return issue.path, issue.code


@pytest.mark.parametrize(
    "form, payload, path",
    [
        (Side, nested(40), "$"),
        (Left, nested(40), "$.sub"),
        (Left, nested(40, {"n": "x"}), "$.sub"),
        (list[Side], [{"n": 1}, nested(40)], "$[1]"),
        (dict[str, Side], {"a": {"n": 1}, "b": {"sub": {"n": 1}}, "c": nested(40)}, "$.c"),
        (Maps, nested(40, 1), "$"),
    ],
    ids=["root", "model", "wrong", "list", "map", "maps"],
)
def test_refused(form: object, payload: object, path: str) -> None:
    """A payload that would be tried too often is refused unseen, saying where the trying begins to grow."""
    TRIED.clear()
    assert (path, "too_many_readings") == refused(form, json.dumps(payload))
    assert [] == TRIED


def test_what_is_said() -> None:
    """The issue says what is too much, and what to do."""
    with pytest.raises(ValidationError) as raised:
        OutputTarget(Left).validate_json(json.dumps(nested(24)))
    (issue,) = issues_of(raised.value, nested(24))
    said = "nested so deeply in a union without a discriminator that its members would be tried more than 100,000 times"
    assert f"$.sub: {said}; nest it less deeply, or declare a discriminator, got an object" == issue.line


def test_what_is_taken() -> None:
    """What is within the bound is validated, however it is nested; what is no JSON is told as ever."""
    target = OutputTarget[Any](cast("Any", list[Side]))
    assert 1 == len(target.validate_json(json.dumps([nested(9)])))
    with pytest.raises(ValidationError, match="json_invalid"):
        target.validate_json("[" * 40)


def test_long_payloads() -> None:
    """A payload that is only long is not refused."""
    many = 2 * MOST_TRIES // 3
    text = json.dumps([{"n": 1}] * many, separators=(",", ":"))
    burden = Burden(cast("Any", TypeAdapter[Any](list[Side]).core_schema))
    assert MOST_TRIES < burden.tries(json.loads(text)) < TRIES_PER_CHARACTER * len(text)
    assert many == len(OutputTarget[Any](cast("Any", list[Side])).validate_json(text))

"""Properties of unions that are validated by their tags: they take, refuse and make what pydantic's plain unions do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator
from pydantic_core import SchemaValidator
from tests.support import goes_by_tags
from typing_extensions import NotRequired, Self, TypeAliasType, TypedDict

from settled.schema.burden import Bounded
from settled.schema.implicit import decided, json_validator, python_validator

T = TypeVar("T")


class Seq(BaseModel):
    """A branch."""

    op: Literal["seq"]
    sub: Expr
    n: int = 0


class Par(BaseModel):
    """Another, which forbids other keys and has two tags."""

    model_config = ConfigDict(extra="forbid")

    op: Literal["par", "all"]
    sub: Expr | None = None
    items: list[Expr] = []


class Nop(BaseModel):
    """A leaf that keeps other keys."""

    model_config = ConfigDict(extra="allow")

    op: Literal["nop"]


Expr = Seq | Par | Nop


class SeqKey(TypedDict):
    """A branch."""

    op: Literal["seq"]
    sub: ExprKey
    n: NotRequired[int]


class ParKey(TypedDict, total=False):
    """Another, whose tag may be absent."""

    op: Literal["par"]
    sub: ExprKey


class NopKey(TypedDict):
    """A leaf, strict."""

    __pydantic_config__ = ConfigDict(strict=True)  # type: ignore[misc]  # pydantic's own spelling

    op: Literal["nop"]
    n: int


ExprKey = SeqKey | ParKey | NopKey


@dataclass
class SeqData:
    """A branch."""

    op: Literal["seq"]
    sub: ExprData
    n: int = 0


@dataclass(kw_only=False)
class ParData:
    """Another."""

    op: Literal["par"]
    items: list[ExprData]


@dataclass
class NopData:
    """A leaf."""

    op: Literal["nop"]


ExprData = SeqData | ParData | NopData


class SeqAs(BaseModel):
    """A branch whose tag has an alias."""

    model_config = ConfigDict(validate_by_name=True)

    tag: Literal["seq"] = Field(alias="op")
    sub: ExprAs


class NopAs(BaseModel):
    """A leaf."""

    model_config = ConfigDict(validate_by_name=True)

    tag: Literal["nop"] = Field(alias="op")


ExprAs = SeqAs | NopAs


class SeqBy(BaseModel):
    """A branch whose tag has a default."""

    op: Literal["seq"] = "seq"
    sub: ExprBy


class ParBy(BaseModel):
    """Another."""

    op: Literal["par"] = "par"
    sub: ExprBy
    n: int = 0


class NopBy(BaseModel):
    """A leaf that must have one."""

    op: Literal["nop"]


ExprBy = SeqBy | ParBy | NopBy


class SeqIn(BaseModel):
    """A branch with texts and numbers beside it."""

    op: Literal["seq"]
    sub: ExprIn
    items: dict[str, ExprIn] = {}


class NopIn(BaseModel):
    """A leaf."""

    op: Literal["nop"]
    n: float = 0.0


ExprIn = TypeAliasType("ExprIn", str | SeqIn | int | NopIn | list[SeqIn] | None)


def small(value: int) -> int:
    """Refuses large numbers."""
    if value > 5:
        raise ValueError("too large")
    return value


class SeqOf(BaseModel, Generic[T]):
    """A branch with judges of the user's on its fields and behind them."""

    op: Literal["seq"]
    sub: T
    n: Annotated[int, AfterValidator(small)] = 0

    @field_validator("n", mode="before")
    @classmethod
    def is_no_text(cls, value: object) -> object:
        """Refuses a text."""
        assert not isinstance(value, str), "a text"
        return value

    @model_validator(mode="after")
    def is_not_three(self) -> Self:
        """Refuses three."""
        if self.n == 3:
            raise ValueError("three")
        return self


class NopOf(BaseModel, Generic[T]):
    """A leaf."""

    op: Literal["nop"]
    items: list[T] = []


class Left(BaseModel):
    """One of two that nothing tells apart, around a union that is."""

    sub: Expr
    n: int = 0


class Right(BaseModel):
    """The other."""

    sub: Expr
    items: list[ExprBy] = []


for model in (Seq, Par, SeqAs, SeqBy, ParBy, SeqIn, Left, Right):
    model.model_rebuild()

FORMS: dict[str, Any] = {
    "models": Seq | Par | Nop,
    "one of them": Seq,
    "dicts": SeqKey | ParKey | NopKey,
    "dataclasses": SeqData | ParData | NopData,
    "aliases": SeqAs | NopAs,
    "defaults": SeqBy | ParBy | NopBy,
    "mixed": ExprIn,
    "generic": SeqOf[NopOf[int] | SeqOf[int]] | NopOf[str],
    "inside a plain union": Left | Right,
    "inside lists": dict[str, list[Seq | Nop] | None],
}
TAGS = st.sampled_from(["seq", "seq", "par", "nop", "nop", "all", "Seq", "", 1, None, True, ["seq"]])


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects of the fields that the types have, each of which may be there."""
    return st.fixed_dictionaries(
        {},
        optional={
            "op": TAGS, "tag": TAGS, "sub": inner, "n": st.sampled_from([0, 3, 9, 1.5, "1", "x", None]),
            "items": st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)),
            "odd": inner,
        },
    )  # fmt: skip


def meant(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects that fit some type if what is inside them does."""
    sub = {"sub": inner}
    return st.one_of(
        st.fixed_dictionaries({"op": st.just("seq"), **sub}),
        st.fixed_dictionaries({"op": st.just("seq"), **sub}, optional={"n": st.integers(0, 6)}),
        st.fixed_dictionaries({"op": st.sampled_from(["seq", "par"]), **sub}),
        st.fixed_dictionaries({"op": st.just("par"), "items": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries({"tag": st.just("seq"), **sub}, optional={"op": TAGS}),
        st.fixed_dictionaries(sub, optional={"n": st.integers(0, 6)}),
    )


NOP: object = {"op": "nop", "n": 1}
LEAVES = st.sampled_from([*[NOP] * 12, {"op": "nop"}, {"tag": "nop"}, {"op": "seq", "sub": NOP}, {"op": "seq"}, None, 7, "x", []])
PAYLOADS = st.recursive(LEAVES, lambda inner: st.one_of(meant(inner), meant(inner), objects(inner)), max_leaves=6)
PLACED = st.one_of(PAYLOADS, st.dictionaries(st.sampled_from("ab"), st.lists(PAYLOADS, max_size=2), max_size=2))


def seen(value: object) -> object:
    """All there is to a value: its types, what it holds, and which fields were given."""
    if isinstance(value, BaseModel):
        held = {**value.__dict__, **(value.__pydantic_extra__ or {})}
        return type(value), sorted(value.model_fields_set), {name: seen(part) for name, part in held.items()}
    if is_dataclass(value):
        return type(value), {field.name: seen(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: seen(part) for key, part in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [seen(part) for part in cast("list[object]", value)]
    return type(value), repr(value)


def outcome(validate: Any, given: object, strict: bool | None) -> object:
    """What comes of a payload: all of the value, or that there is none."""
    try:
        return seen(validate(given, strict=strict))
    except ValidationError:
        return "refused"


def pairs(name: str) -> Iterator[tuple[Any, Any]]:
    """The validators of a form: pydantic's own, and the one that goes by tags; for JSON, then for Python values."""
    adapter: TypeAdapter[Any] = TypeAdapter(FORMS[name])
    own = cast("SchemaValidator", adapter.validator)
    yield own.validate_json, json_validator(adapter.core_schema, own).validate_json
    yield own.validate_python, python_validator(adapter.core_schema, own).validate_python


VALIDATORS = {name: [*pairs(name)] for name in FORMS}
RUNS = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_rewritten(name: str) -> None:
    """Every form of these tests has a union that its tags decide, in JSON and in Python values."""
    schema = TypeAdapter[Any](FORMS[name]).core_schema
    assert decided(schema, "json") is not None
    assert decided(schema, "python") is not None


@pytest.mark.parametrize("name", FORMS)
@RUNS
@given(payload=PLACED, strict=st.sampled_from([None, None, True]))
def test_equal(name: str, payload: object, strict: bool | None) -> None:
    """JSON, plain data and values with instances in them come to the same as with the plain union."""
    (plain, by_tags), (plainly, tagged) = VALIDATORS[name]
    text = json.dumps(payload)
    assert outcome(plain, text, strict) == outcome(by_tags, text, strict)
    assert outcome(plainly, payload, strict) == outcome(tagged, payload, strict)
    try:
        value: object = plain(text)
    except ValidationError:
        return
    assert outcome(plainly, value, strict) == outcome(tagged, value, strict)
    inside = {"op": "seq", "sub": value, "n": 1}
    assert outcome(plainly, inside, strict) == outcome(tagged, inside, strict)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    "text",
    [
        '{"op":"seq","op":"nop"}',
        '{"op":"nop","op":"seq"}',
        '{"op":"x","op":"nop"}',
        '{"op":"nop","tag":"seq"}',
        '{"tag":"nop","op":"seq","sub":{"op":"nop"}}',
        '{"tag":"nop","op":null}',
        '{"op":"seq","sub":{"op":"nop","op":"par"},"sub":{"op":"nop"}}',
        '{"\\u006fp":"nop"}',
    ],
)
def test_keys_that_disagree(name: str, text: str) -> None:
    """Of a key that is written twice, or under two names, the same one counts."""
    ((plain, by_tags), _) = VALIDATORS[name]
    assert outcome(plain, text, None) == outcome(by_tags, text, None)


@goes_by_tags
def test_which_are_bounded() -> None:
    """The recursive forms in which an object may leave its tag out are bounded; the others need no bound."""
    bounded = {name for name, (one, _) in VALIDATORS.items() if isinstance(getattr(one[1], "__self__", None), Bounded)}
    assert {"dicts", "defaults", "inside a plain union"} == bounded

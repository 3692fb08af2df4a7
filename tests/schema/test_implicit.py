"""Unions that become tagged unions: which do, by what they choose, what is told of a tag that there is not, and which stay."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, Literal, cast

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    OnErrorOmit,
    RootModel,
    Tag,
    TypeAdapter,
    ValidationError,
    WrapValidator,
    create_model,
    field_validator,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import SchemaValidator, core_schema
from tests.support import goes_by_tags
from typing_extensions import Self, TypeAliasType, TypedDict

from settled.schema.implicit import decided, json_validator, python_validator
from settled.schema.misfits import issues_of
from settled.schema.reading import schemas_in
from settled.schema.target import OutputTarget


class Seq(BaseModel):
    """A branch."""

    op: Literal["seq"]
    sub: Expr


class Par(BaseModel):
    """Another."""

    op: Literal["par", "all"]
    subs: list[Expr]


class Nop(BaseModel):
    """A leaf."""

    op: Literal["nop"]


Expr = Seq | Par | Nop
Seq.model_rebuild()
Par.model_rebuild()
Named = TypeAliasType("Named", Expr)


class SeqAs(BaseModel):
    """A tag with an alias."""

    model_config = ConfigDict(validate_by_name=True)

    op: Literal["seq"] = Field(alias="kind")


class NopAs(BaseModel):
    """Another."""

    model_config = ConfigDict(validate_by_name=True)

    op: Literal["nop"] = Field(alias="kind")


class Both(BaseModel):
    """A member that both of its keys tell."""

    a: Literal["x"]
    b: Literal["both"]


class Same(BaseModel):
    """A member that the second of its keys tells."""

    a: Literal["x"]
    b: Literal["same"]


@dataclass
class Data:
    """A tag in a dataclass."""

    op: Literal["data"]


class Dict(TypedDict):
    """A tag in a dict."""

    op: Literal["dict"]


def unions_of(form: object, speech: Any = "json") -> list[Mapping[str, object]]:
    """The tagged unions that a form's unions become."""
    schema = decided(TypeAdapter[Any](cast("Any", form)).core_schema, speech)
    return [part for part, _ in schemas_in(schema) if part.get("type") == "tagged-union"]


@pytest.mark.parametrize(
    "form, discriminators",
    [
        (Expr, ["op", "op", "op"]),
        (Seq, ["op", "op"]),
        (list[Nop | Seq] | None, ["op", "op", "op"]),
        (Named, ["op", "op", "op"]),
        (dict[str, tuple[Nop | Data | Dict, int]], ["op"]),
        (Nop | Data | str | list[int] | None, ["op"]),
        (Both | Same, ["b"]),
        (SeqAs | NopAs, [[["kind"], ["op"]]]),
    ],
    ids=["union", "model", "nullable", "alias", "inside", "beside", "second", "spellings"],
)
def test_discriminators(form: object, discriminators: list[object]) -> None:
    """A union is told by the first key under which each member has texts of its own, wherever the union stands."""
    assert discriminators == [union["discriminator"] for union in unions_of(form)]


def test_tags() -> None:
    """Each text that a member takes is a tag of it."""
    (union,) = unions_of(Data | Nop | create_model("P", op=Literal["a", "b"]))
    assert {"data", "nop", "a", "b"} == set(cast("Mapping[str, object]", union["choices"]))


def kind_of(value: object) -> str:
    """A discriminator of the user's."""
    return "a"


class Word(str, Enum):
    """A tag that is no plain text."""

    SEQ = "seq"


class Before(BaseModel):
    """What it takes is changed first."""

    op: Literal["before"]

    @model_validator(mode="before")
    @classmethod
    def fill(cls, data: object) -> object:
        """Fill in the tag."""
        return data


class Around(BaseModel):
    """Code stands around it."""

    op: Literal["around"]

    @model_validator(mode="wrap")
    @classmethod
    def around(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Validate as ever."""
        return handler(data)


class Judged(BaseModel):
    """Code looks at its tag."""

    op: Literal["judged"]

    @field_validator("op", mode="before")
    @classmethod
    def lower(cls, tag: str) -> str:
        """In small letters."""
        return tag.lower()


class Initialised(BaseModel):
    """Its ``__init__`` may do anything."""

    op: Literal["initialised"]

    def __init__(self, **data: Any) -> None:
        """Fill in the tag."""
        super().__init__(**{"op": "initialised", **data})


@dataclass
class Fixed:
    """A tag that is not given."""

    op: Literal["fixed"] = field(default="fixed", init=False)


class AliasedDict(TypedDict):
    """A tag with an alias in a dict, whose config is that of what stands around."""

    op: Annotated[Literal["seq"], Field(alias="kind")]


class PlainDict(TypedDict):
    """Another."""

    op: Annotated[Literal["nop"], Field(alias="kind")]


def model(name: str, tag: Any, default: object = ...) -> type[BaseModel]:
    """A model with one field, its tag."""
    return create_model(name, **cast("Any", {"op": (tag, default)}))


LEFT_ALONE: dict[str, object] = {
    "no union": Nop,
    "no tags": create_model("A", a=int) | create_model("B", b=int),
    "one object": Nop | int,
    "another key": Nop | create_model("K", kind=Literal["k"]),
    "one tag twice": Nop | create_model("N", op=Literal["nop", "other"]),
    "a number": model("A", Literal[1]) | model("B", Literal[2]),
    "a number too": Nop | model("A", Literal["a", 1]),
    "a member of an enum": Nop | model("A", Literal[Word.SEQ]),
    "an enum": Nop | model("A", Word),
    "a map": Nop | dict[str, str],
    "a validator before": Nop | Before,
    "a validator around": Nop | Around,
    "a validator of the tag": Nop | Judged,
    "an __init__": Nop | Initialised,
    "an __init__ elsewhere": tuple[Nop | Data, Initialised],
    "a root": Nop | RootModel[Data],
    "paths": model("A", Annotated[Literal["a"], Field(validation_alias=AliasPath("op", 0))]) | Nop,
    "choices": model("A", Annotated[Literal["a"], Field(validation_alias=AliasChoices("op", "kind"))]) | Nop,
    "not given": Data | Fixed,
    "aliases of a dict": AliasedDict | PlainDict,
    "in order": Annotated[Nop | Data, Field(union_mode="left_to_right")],
    "around it, in order": Annotated[list[Expr] | Expr, Field(union_mode="left_to_right")],
    "left out on error": list[OnErrorOmit[Expr]],
    "code around it": Annotated[Expr, WrapValidator(lambda value, handler: handler(value))],
    "its own discriminator": Annotated[Nop | Data, Field(discriminator="op")],
    "a function": Annotated[Annotated[Nop, Tag("a")] | Annotated[Data, Tag("b")], Discriminator(kind_of)],
}  # fmt: skip


@pytest.mark.parametrize("form", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_left_alone(form: object) -> None:
    """What may take other input, or be chosen by something else, stays as pydantic made it."""
    schema = TypeAdapter[Any](cast("Any", form)).core_schema
    assert [None, None, None] == [decided(schema, speech) for speech in ("json", "python", "keyed")]


@pytest.mark.parametrize(
    "more",
    [{"custom_error_type": "odd", "custom_error_message": "odd"}, {"strict": True}, {"auto_collapse": False}],
    ids=["error", "strict", "collapse"],
)
def test_unions_with_more_to_them(more: Any) -> None:
    """A union with settings of its own stays as it is; so does one whose choices have labels."""
    choices: list[Any] = [TypeAdapter(Nop).core_schema, TypeAdapter(Data).core_schema]
    assert decided(core_schema.union_schema(choices), "json") is not None
    assert decided({**core_schema.union_schema(choices), **more}, "json") is None
    assert decided(core_schema.union_schema([(choice, "label") for choice in choices]), "json") is None


@pytest.mark.parametrize("form", [model("A", Literal["a"], "a") | Nop, SeqAs | NopAs], ids=["default", "spellings"])
def test_only_tags_that_are_due(form: object) -> None:
    """For reading what a type expects, only unions change in which each object must have its tag under one key."""
    schema = TypeAdapter[Any](cast("Any", form)).core_schema
    assert decided(schema, "json") is not None
    assert decided(schema, "keyed") is None


def test_the_tag_of_a_dict_without_totality() -> None:
    """A core schema that does not say whether a key of a dict is due is not taken to say so."""
    fields: Any = {"op": core_schema.typed_dict_field(core_schema.literal_schema(["a"]))}
    loose = core_schema.typed_dict_schema(fields, total=False)
    rewritten = decided(core_schema.union_schema([loose, TypeAdapter(Dict).core_schema]), "json")
    assert rewritten is not None
    assert callable(rewritten["discriminator"])


def issues(form: object, payload: object) -> list[tuple[str, str]]:
    """The lines and codes of the issues of a payload."""
    with pytest.raises(ValidationError) as raised:
        OutputTarget[Any](cast("Any", form)).validate_json(json.dumps(payload))
    return [(issue.line, issue.code) for issue in issues_of(raised.value, payload)]


KNOWN = "expected an object in which 'op' is 'seq', 'all', 'par' or 'nop', got an object"


@goes_by_tags
@pytest.mark.parametrize(
    "payload, line, code",
    [
        ({"op": "seq", "sub": {"op": "par", "subs": 1}}, "$.sub.subs: expected a list, got 1", "list_type"),
        ({"op": "seq", "sub": {"op": "par"}}, "$.sub.subs: required, but missing", "missing"),
        ({"op": "seq", "sub": {"op": "sum"}}, f"$.sub: {KNOWN}", "no_known_tag"),
        ({"op": "seq", "sub": {"op": 1}}, f"$.sub: {KNOWN}", "no_known_tag"),
        ({"op": "seq", "sub": {}}, f"$.sub: {KNOWN}", "no_known_tag"),
        ({"op": "seq", "sub": 1}, "$.sub: expected an object, got 1", "dict_type"),
    ],
    ids=["inside", "missing", "unknown", "a number", "no tag", "no object"],
)
def test_issues(payload: object, line: str, code: str) -> None:
    """With a known tag only that member's misfits are told; without one, which tags there are."""
    assert [(line, code)] == issues(Seq, payload)


@goes_by_tags
def test_issues_where_the_tag_may_be_absent() -> None:
    """A tag with a default is told in the same way."""
    form = model("A", Literal["a"], "a") | model("B", Literal["b"], "b")
    assert [("$: expected an object in which 'op' is 'a' or 'b', got an object", "no_known_tag")] == issues(form, {"op": "c"})


@goes_by_tags
def test_code_of_other_members_does_not_run() -> None:
    """A validator of a field sees only the data of its own kind, and what it raises for other data ends no run."""
    seen: list[str] = []

    class Odd(BaseModel):
        op: Literal["odd"]
        name: str

        @field_validator("name")
        @classmethod
        def look(cls, name: str) -> str:
            """Note it."""
            seen.append(name)
            return name

    class Even(BaseModel):
        op: Literal["even"]

    target = OutputTarget(list[Odd | Even])
    assert 2 == len(target.validate_json('[{"op": "even", "name": "e"}, {"op": "odd", "name": "o"}]'))
    assert ["o"] == seen


def test_nothing_of_the_user_changes() -> None:
    """Neither the class, its schema nor what a model is shown is another after validating."""
    adapter = TypeAdapter[Any](Expr)
    before = Seq.__pydantic_validator__, repr(Seq.__pydantic_core_schema__), repr(adapter.core_schema), adapter.json_schema()
    target = OutputTarget(Expr)
    target.validate_json('{"op": "nop"}')
    target.validate(Nop(op="nop"))
    after = Seq.__pydantic_validator__, repr(Seq.__pydantic_core_schema__), repr(adapter.core_schema), target.json_schema
    assert before == after


def test_validators_of_plugins() -> None:
    """Where a plugin of pydantic's stands around the type's validator, that is what validates."""

    class Listening:
        """As pydantic wraps it for a plugin."""

    listening = cast("SchemaValidator", Listening())
    schema = TypeAdapter[Any](Nop | Data).core_schema
    assert listening is json_validator(schema, listening)
    assert listening is python_validator(schema, listening)


@goes_by_tags
@pytest.mark.parametrize("tag", ["sub", "n"])
def test_tags_that_are_keys(tag: str) -> None:
    """A tag that is a key of the payload too is no step of the path."""
    form = create_model("T", **cast("Any", {"op": Literal[tag], "sub": dict[str, int], "n": int})) | Nop
    wrong: dict[str, object] = {"op": tag, "sub": {"sub": 1, "n": 2}, "n": "x"}
    assert ["$.n: expected an integer, got 'x'"] == [line for line, _ in issues(form, wrong)]
    wrong = {"op": tag, "sub": {"sub": 1, "n": "y"}, "n": 1}
    assert ["$.sub.n: expected an integer, got 'y'"] == [line for line, _ in issues(form, wrong)]
    assert ["$.n: required, but missing"] == [line for line, _ in issues(form, {"op": tag, "sub": {"sub": 1}})]

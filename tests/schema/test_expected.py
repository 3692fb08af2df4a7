"""What a type takes, read from pydantic's core schema: kinds, fields and their spellings, recursion, and the facts for guards."""

from __future__ import annotations

import enum
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, TypeVar, Union, cast
from uuid import UUID

import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    AllowInfNan,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    FiniteFloat,
    HttpUrl,
    Json,
    JsonValue,
    PlainValidator,
    RootModel,
    StrictInt,
    StrictStr,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    computed_field,
    field_serializer,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import core_schema
from typing_extensions import NotRequired, TypeAliasType, TypedDict

from settled.schema.expected import Expected, Facts, FieldExpected, places_of
from settled.schema.facts import facts_of
from settled.schema.reading import expected_of, schemas_in


def schema_of(form: object) -> object:
    """The core schema of a type."""
    adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", form))
    return adapter.core_schema


def read(form: object) -> Expected:
    """What a type takes; a root without a class stays without a name."""
    return expected_of(schema_of(form), "")


def facts(form: object) -> Facts:
    """The facts of a type."""
    return facts_of(read(form), schema_of(form))


def shown(place: Expected, above: tuple[int, ...] = ()) -> str:
    """A place on one line: ``?`` null too, ``!`` strict, ``=`` may be absent, ``^`` a place above."""
    mark = f"{place.name}{'?' if place.nullable else ''}{'!' if place.strict else ''}"
    if id(place.fields) in above:
        return f"^{mark}"
    above = (*above, id(place.fields))
    inside = [shown(part, above) for part in (*place.prefix, *place.members)]
    inside += [f"{each.key}{'' if each.required else '='}: {shown(each.expected, above)}" for each in place.fields.values()]
    inside += [repr(choice.value) + (f" {choice.name}" if choice.name else "") for choice in place.choices]
    inside += [f"*{shown(place.item, above)}"] if place.item else []
    inside += [f"by {place.tag}"] if place.tag else ["chosen"] if place.chosen else []
    inside += [f">={place.at_least}"] if place.at_least is not None else []
    inside += [f"<={place.at_most}"] if place.at_most is not None else []
    inside += ["not finite"] if place.allows_non_finite else []
    inside += ["unique"] if place.unique else []
    inside += [place.extra] if place.extra != "ignore" else []
    return f"{place.kind} {mark}({', '.join(inside)})".replace(" (", "(").replace("()", "")


class Colour(enum.IntEnum):
    """An enum of numbers."""

    RED = 1
    BLUE = 2


class Level(enum.Enum):
    """An enum of mixed values."""

    LOW = "low"
    TWO = 2


class Maybe(enum.Enum):
    """An enum with null among its values."""

    SET = "set"
    UNSET = None


class Bits(enum.Flag):
    """Flags, whose sums are values too."""

    A = 1
    B = 2


class Lenient(enum.Enum):
    """An enum that makes members of other values."""

    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> Lenient:
        return cls.A


class City(BaseModel):
    """An ordinary model."""

    name: str
    people: int = 0


class Strict(BaseModel):
    """A model that coerces nothing, but for one field, and takes no other keys."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=True)

    name: str
    lax: int = Field(strict=False)
    share: float
    city: City


class Open(BaseModel):
    """A model that keeps other keys."""

    model_config = ConfigDict(extra="allow")

    name: str


class Tree(BaseModel):
    """A model that refers to itself."""

    label: str
    children: list[Tree] = []
    above: Tree | None = None


class Deep(BaseModel):
    """One class in two places."""

    first: City
    rest: dict[str, City]


K = TypeVar("K")


class Page(BaseModel, Generic[K]):
    """A generic model."""

    items: list[K]
    next: Page[K] | None = None


@dataclass
class Point:
    """A dataclass with a field that only it fills, and one that it does not keep."""

    x: float
    tags: list[str] = field(default_factory=list[str])
    seed: InitVar[int] = 3
    made: int = field(default=2, init=False)


class Recipe(TypedDict):
    """Keys of which one may be absent."""

    title: str
    notes: NotRequired[str]


class Loose(TypedDict, total=False):
    """Keys that all may be absent."""

    title: str


class Firm(TypedDict):
    """Keys of which nothing is coerced."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")  # type: ignore[misc]

    title: str


class Pair(NamedTuple):
    """Pydantic takes a list or an object for it."""

    x: int
    y: int


class Rows(RootModel[list[int]]):
    """A model that is its root."""


class Nested(RootModel[dict[str, "Nested"] | None]):
    """A root model that refers to itself."""


class Checked(BaseModel):
    """A model with code of the user's around everything."""

    name: str = "x"

    @field_validator("name")
    @classmethod
    def _name(cls, name: str) -> str:
        return name

    @model_validator(mode="before")
    @classmethod
    def _before(cls, data: object) -> object:
        return data

    @model_validator(mode="after")
    def _after(self) -> Checked:
        return self


class Cat(BaseModel):
    """A member of unions."""

    kind: Literal["cat", "kitten"]


class Dog(BaseModel):
    """Another."""

    kind: Literal["dog"]
    age: int


class OldOne(BaseModel):
    """Told from the next by a second tag."""

    kind: Literal["fish"]
    size: Literal["big"]


class NewOne(BaseModel):
    """Told from the one before by a second tag."""

    kind: Literal["fish"]
    size: Literal["small"]


class Numbered(BaseModel):
    """Tagged with an enum."""

    kind: Literal[Level.TWO]


class CatAlias(BaseModel):
    """Tagged by an alias."""

    kind: Literal["cat"] = Field(alias="Kind")


class DogAlias(BaseModel):
    """Tagged by the same alias."""

    kind: Literal["dog"] = Field(alias="Kind")


def first_of(data: object) -> str:
    """A discriminator of the user's."""
    return "a"


def same(data: object) -> object:
    """A validator of the user's."""
    return data


def wrapped(data: object, handler: ValidatorFunctionWrapHandler) -> object:
    """Another, around."""
    return handler(data)


Pets = Annotated[Cat | Dog, Field(discriminator="kind")]
Fish = Annotated[OldOne | NewOne, Field(discriminator="size")]
Called = Annotated[Annotated[Cat, Tag("a")] | Annotated[Dog, Tag("b")], Discriminator(first_of)]
Whole = TypeAliasType("Whole", int)
Anyhow = TypeAliasType("Anyhow", "list[Anyhow] | dict[str, Anyhow | bool] | str | None")

CITY = "object City(name: text, people=: integer)"
CAT = "object Cat(kind: choice('cat', 'kitten'))"
DOG = "object Dog(kind: choice('dog'), age: integer)"

FORMS: dict[str, tuple[object, str]] = {
    "text": (str, "text"),
    "constrained text": (Annotated[str, Field(min_length=2, pattern="a+")], "text"),
    "strict text": (StrictStr, "text !"),
    "integer": (int, "integer"),
    "strict integer": (StrictInt, "integer !"),
    "boolean": (bool, "boolean"),
    "null": (None, "null ?"),
    "float": (float, "number"),
    "bounded float": (Annotated[float, Field(ge=0, lt=3)], "number(>=0.0, <=3.0)"),
    "both bounds": (Annotated[int, Field(gt=1), Field(ge=5)], "integer(>=5.0)"),
    "beyond floats": (Annotated[int, Field(ge=-(10**400), le=10)], "integer(<=10.0)"),
    "finite float": (FiniteFloat, "number"),
    "any float": (Annotated[float, AllowInfNan(True)], "number(not finite)"),
    "decimal": (Annotated[Decimal, Field(ge=Decimal("0.5"))], "decimal(>=0.5)"),
    "date": (date, "date"),
    "datetime": (datetime, "datetime"),
    "time": (time, "time"),
    "duration": (timedelta, "duration"),
    "enum": (Level, "choice Level('low' LOW, 2 TWO)"),
    "enum of integers": (Colour, "choice Colour(1 RED, 2 BLUE)"),
    "enum with null": (Maybe, "choice Maybe?('set' SET)"),
    "flags": (Bits, "opaque Bits"),
    "literal": (Literal["a", 1, True, Level.LOW], "choice('a', 1, True, 'low' LOW)"),
    "literal with null": (Literal["a", None], "choice ?('a')"),
    "literal null": (Literal[None], "null ?"),
    "list": (list[int], "list(*integer)"),
    "bare list": (list, "list(*opaque ?)"),
    "set": (set[int], "list(*integer, unique)"),
    "frozen set": (frozenset[str], "list(*text, unique)"),
    "deque": (deque[int], "list(*integer)"),
    "tuple": (tuple[int, str], "list(integer, text)"),
    "tuple of any length": (tuple[int, ...], "list(*integer)"),
    "map": (dict[str, int], "map(*integer)"),
    "map by integers": (dict[int, bool], "map(*boolean)"),
    "mapping": (Mapping[str, int], "map(*integer)"),
    "ordered": (OrderedDict[str, int], "map(*integer)"),
    "defaulting": (defaultdict[str, int], "map(*integer)"),
    "optional": (int | None, "integer ?"),
    "optional enum": (Level | None, "choice Level?('low' LOW, 2 TWO)"),
    "union": (int | str, "union(integer, text)"),
    "nested unions": (int | str | None | Annotated[bool | float, Field(title="x")], "union ?(integer, text, boolean, number)"),
    "optional union": (Optional[Annotated[int | list[int], Field()]], "union ?(integer, list(*integer))"),  # noqa: UP045
    "union of one": (Union[StrictStr, Annotated[str, Field(max_length=3)], None], "text ?"),  # noqa: UP007
    "union of one, lax first": (str | StrictStr, "text"),
    "path": (Path, "text"),
    "any": (object, "opaque ?"),
    "JSON value": (JsonValue, "opaque ?"),
    "JSON in a text": (Json[list[int]], "opaque"),
    "url": (HttpUrl, "opaque"),
    "uuid": (UUID, "opaque"),
    "bytes": (bytes, "opaque"),
    "complex": (complex, "opaque"),
    "callable": (Callable[[int], int], "opaque"),
    "named tuple": (Pair, "opaque"),
    "after": (Annotated[int, AfterValidator(same)], "integer"),
    "before": (Annotated[int, BeforeValidator(same)], "integer"),
    "wrap": (Annotated[int, WrapValidator(wrapped)], "integer"),
    "plain function": (Annotated[int, PlainValidator(same)], "opaque"),
    "model": (City, CITY),
    "strict model": (
        Strict,
        f"object Strict!(name: text !, lax: integer(not finite), share: number !(not finite), city: {CITY}, forbid)",
    ),
    "open model": (Open, "object Open(name: text, allow)"),
    "one class twice": (Deep, f"object Deep(first: {CITY}, rest: map(*{CITY}))"),
    "recursive": (Tree, "object Tree(label: text, children=: list(*^Tree), above=: ^Tree?)"),
    "generic": (Page[int], "object Page[int](items: list(*integer), next=: ^Page[int]?)"),
    "dataclass": (Point, "object Point(x: number, tags=: list(*text), seed=: integer)"),
    "typed dict": (Recipe, "object Recipe(title: text, notes=: text)"),
    "loose typed dict": (Loose, "object Loose(title=: text)"),
    "strict typed dict": (Firm, "object Firm!(title: text !, forbid)"),
    "root model": (Rows, "list Rows(*integer)"),
    "recursive root model": (Nested, "map Nested?(*^Nested?)"),
    "alias": (Whole, "integer"),
    "recursive alias": (Anyhow, "union ?(list(*^?), map(*union ?(list(*^?), ^, text, boolean)), text)"),
    "validated model": (Checked, "object Checked(name=: text)"),
    "tagged": (Pets, f"union({CAT}, {DOG}, by kind)"),
    "tagged, optional": (Optional[Pets], f"union ?({CAT}, {DOG}, by kind)"),  # noqa: UP045
    "tagged, in a union": (int | Pets, f"union(integer, union({CAT}, {DOG}, by kind))"),
    "chosen by code": (Called, f"union({CAT}, {DOG}, chosen)"),
    "chosen by code, in a union": (int | Called, f"union(integer, union({CAT}, {DOG}, chosen))"),
    "chosen by code, optional": (Optional[Called], f"union ?({CAT}, {DOG}, chosen)"),  # noqa: UP045
}  # fmt: skip


@pytest.mark.parametrize("form, expected", FORMS.values(), ids=FORMS)
def test_a_type_is_read(form: object, expected: str) -> None:
    """Each kind of type is read as what alignment needs to know of it."""
    assert expected == shown(read(form))


INT = {"type": "int"}
TEXT = {"type": "str"}
RAW: dict[str, tuple[object, str]] = {
    "unknown": ({"type": "of the future"}, "opaque"),
    "unknown reference": ({"type": "definition-ref", "schema_ref": "nowhere"}, "opaque ?"),
    "wrapped reference": ({"type": "default", "ref": "r", "schema": INT, "default": 1}, "integer"),
    "newer ordered dict": ({"type": "ordered-dict", "keys_schema": TEXT, "values_schema": INT}, "map(*integer)"),
    "newer deque": ({"type": "deque", "items_schema": INT}, "list(*integer)"),
    "newer sentinel": ({"type": "missing-sentinel", "schema": INT}, "integer"),
    "older sentinel": ({"type": "union", "choices": [INT, {"type": "missing-sentinel"}]}, "integer"),
    "only a sentinel": ({"type": "union", "choices": [{"type": "missing-sentinel"}]}, "opaque"),
    "only null": ({"type": "union", "choices": [{"type": "none"}, {"type": "none"}]}, "null ?"),
    "labelled choices": ({"type": "union", "choices": [(INT, "a"), (TEXT, "b")]}, "union(integer, text)"),
    "tagged, one choice optional": (
        {"type": "tagged-union", "discriminator": "k", "choices": {"a": {"type": "nullable", "schema": INT}, "b": TEXT}},
        "union(integer ?, text, by k)",
    ),
    "chain": ({"type": "chain", "steps": [TEXT, INT]}, "text"),
    "own error": ({"type": "custom-error", "schema": INT, "custom_error_type": "x"}, "integer"),
    "lax or strict": ({"type": "lax-or-strict", "lax_schema": INT, "strict_schema": TEXT}, "integer"),
    "json or python": ({"type": "json-or-python", "json_schema": INT, "python_schema": TEXT}, "integer"),
    "list of anything": ({"type": "list"}, "list(*opaque ?)"),
    "more before the last": (
        {"type": "tuple", "items_schema": [INT, TEXT, {"type": "bool"}], "variadic_item_index": 1},
        "list(integer, *opaque)",
    ),
    "more at the end": ({"type": "tuple", "items_schema": [INT, TEXT], "variadic_item_index": 1}, "list(integer, *text)"),
    "inline recursion": (
        {
            "type": "typed-dict", "ref": "t", "cls_name": "T",
            "fields": {"next": {"type": "typed-dict-field", "schema": {
                "type": "nullable", "schema": {"type": "definition-ref", "schema_ref": "t"}}}},
        },
        "object(next: ^?)",
    ),
    "typed dict of absent keys": (
        {"type": "typed-dict", "config": {"typed_dict_total": False},
         "fields": {"a": {"type": "typed-dict-field", "schema": INT}}},
        "object(a=: integer)",
    ),
    "model around a function": (
        {"type": "model", "cls": City, "schema": {"type": "function-plain", "function": {}}}, "opaque City",
    ),
    "model around a reference": (
        {"type": "definitions", "definitions": [{**INT, "ref": "i"}],
         "schema": {"type": "model", "cls": City, "schema": {"type": "definition-ref", "schema_ref": "i"}}},
        "integer City",
    ),
}  # fmt: skip


@pytest.mark.parametrize("schema, expected", RAW.values(), ids=RAW)
def test_a_schema_is_read(schema: object, expected: str) -> None:
    """Schemas that only some versions of pydantic write, or that a user writes, are read; unknown ones are opaque."""
    assert expected == shown(expected_of(schema, ""))


def test_a_root_without_a_class_has_the_given_name() -> None:
    """The name that the type was given stands at a root that has none of its own."""
    assert ("numbers", "City") == (expected_of(schema_of(list[int]), "numbers").name, expected_of(schema_of(City), "x").name)


def test_a_class_is_one_place_wherever_it_stands() -> None:
    """A recursive type points back to itself, and an optional reference to it is a copy with the same fields."""
    tree = read(Tree)
    assert tree is tree.fields["children"].expected.item
    above = tree.fields["above"].expected
    assert (False, True) == (tree.nullable, above.nullable)
    assert above.fields is tree.fields
    assert ["list", "object", "object", "text"] == sorted(place.kind for place in places_of(tree))


def test_one_nullable_use_leaves_the_others() -> None:
    """A class that is optional in one place takes no null in another."""

    class Two(BaseModel):
        first: City | None
        second: City

    two = read(Two)
    assert [True, False] == [two.fields[key].expected.nullable for key in ("first", "second")]


def test_tags_lead_to_members() -> None:
    """A union by one key knows the member for each tag, spelled as a text; several tags may share one, and unions nest."""
    union = read(Annotated[Cat | Dog | Fish | Numbered, Field(discriminator="kind")])
    assert ["cat", "kitten", "dog", "fish", "2"] == list(union.tagged)
    assert union.tagged["cat"] is union.tagged["kitten"]
    assert ["Cat", "Dog", "", "Numbered"] == [member.name for member in union.members]
    fish = union.tagged["fish"]
    assert ("union", "size", {"big": "OldOne", "small": "NewOne"}) == (
        fish.kind,
        fish.tag,
        {tag: member.name for tag, member in fish.tagged.items()},
    )


def test_a_tag_with_an_alias_is_left_to_pydantic() -> None:
    """A union that is told apart by several spellings has no single tag, but is known to have a discriminator."""
    union = read(Annotated[CatAlias | DogAlias, Field(discriminator="kind")])
    assert (None, {}, True) == (union.tag, union.tagged, union.chosen)


def test_a_tagged_union_of_one_model_is_the_model() -> None:
    """A model with all the tags stands for the union."""
    schema = {"type": "tagged-union", "discriminator": "kind", "choices": {"a": schema_of(City), "b": schema_of(City)}}
    assert CITY == shown(expected_of(schema, ""))


class Plainly(BaseModel):
    """No alias."""

    a: int


class Aliased(BaseModel):
    """An alias, with all settings as they are."""

    a: int = Field(alias="A")


class ByName(BaseModel):
    """An alias or the name."""

    model_config = ConfigDict(populate_by_name=True)

    a: int = Field(alias="A")


class ByEither(BaseModel):
    """The same in the newer spelling."""

    model_config = ConfigDict(validate_by_name=True)

    a: int = Field(alias="A")


class NeverByName(BaseModel):
    """The name is forbidden."""

    model_config = ConfigDict(validate_by_name=False)

    a: int = Field(alias="A")


class NeverByAlias(BaseModel):
    """The alias is forbidden."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=False)

    a: int = Field(alias="A")


class Camel(BaseModel):
    """An alias made by a function."""

    model_config = ConfigDict(alias_generator=to_camel)

    unit_price: int


class Choices(BaseModel):
    """Several aliases."""

    a: int = Field(validation_alias=AliasChoices("A", "AA"))


class ShortPath(BaseModel):
    """A path of one key is an alias."""

    a: int = Field(validation_alias=AliasPath("A"))


class ChoicesOrPath(BaseModel):
    """Aliases, or a path into another part."""

    a: int = Field(validation_alias=AliasChoices("A", AliasPath("row", 0)))


class PathOnly(BaseModel):
    """Two fields out of one part."""

    a: int = Field(validation_alias=AliasPath("row", 0))
    b: int = Field(1, validation_alias=AliasPath("row", 1))


class PathOrName(BaseModel):
    """A path, or the name."""

    model_config = ConfigDict(validate_by_name=True)

    a: int = Field(validation_alias=AliasPath("row", 0))


class Paths(BaseModel):
    """A path, or another."""

    a: int = Field(validation_alias=AliasChoices(AliasPath("row", 0), AliasPath("line", 0)))


class PathIntoField(BaseModel):
    """A path into a part that is itself a field with a default."""

    row: list[int] = []
    a: int = Field(validation_alias=AliasPath("row", 0))


class Shared(BaseModel):
    """Two fields by one key."""

    a: int = Field(validation_alias="x")
    b: str = Field("y", validation_alias="x")


class Taken(BaseModel):
    """The name of one field is the alias of another."""

    id: int = Field(alias="_id")
    other: str = Field(alias="id")


@dataclass
class AliasedPoint:
    """A dataclass with an alias."""

    a: Annotated[int, Field(alias="A")]


class AliasedDict(TypedDict):
    """A TypedDict with an alias."""

    a: Annotated[int, Field(alias="A")]


SPELLED: dict[str, tuple[object, list[str]]] = {  # key, `/` other accepted spellings, `~` names that pydantic does not take
    "no alias": (Plainly, ["a"]),
    "alias": (Aliased, ["A ~a"]),
    "populate by name": (ByName, ["A /a"]),
    "validate by name": (ByEither, ["A /a"]),
    "never by name": (NeverByName, ["A"]),
    "never by alias": (NeverByAlias, ["a"]),
    "generated": (Camel, ["unitPrice ~unit_price"]),
    "choices": (Choices, ["A /AA ~a"]),
    "path of one": (ShortPath, ["A ~a"]),
    "choices or a path": (ChoicesOrPath, ["A= ~a", "row= opaque"]),
    "path only": (PathOnly, ["row opaque"]),
    "path or name": (PathOrName, ["a=", "row= opaque"]),
    "one of two paths": (Paths, ["row= opaque", "line= opaque"]),
    "path into a field": (PathIntoField, ["row"]),
    "two fields by one key": (Shared, ["x opaque ~a ~b"]),
    "a name that is another's alias": (Taken, ["_id", "id ~other"]),
    "dataclass": (AliasedPoint, ["A ~a"]),
    "typed dict": (AliasedDict, ["A ~a"]),
}


def spelled(each: FieldExpected) -> str:
    """A field's spellings in one line."""
    assert each.key == each.accepted[0]
    words = [each.key + ("" if each.required else "="), *(["opaque"] if each.expected.kind == "opaque" else [])]
    words += [f"/{name}" for name in each.accepted[1:]]
    return " ".join(words + [f"~{name}" for name in each.names if name not in each.accepted])


@pytest.mark.parametrize("form, expected", SPELLED.values(), ids=SPELLED)
def test_spellings_of_fields(form: object, expected: list[str]) -> None:
    """A field knows what pydantic takes for it, and what else means it, as the config has it."""
    place = read(form)
    assert expected == [spelled(each) for each in place.fields.values()]
    assert list(place.fields) == [each.key for each in place.fields.values()]


@pytest.mark.parametrize("form", [SPELLED[key][0] for key in SPELLED if "path" not in key and key[0] != "t"])
def test_pydantic_takes_what_is_accepted(form: object) -> None:
    """Pydantic takes each accepted spelling, and none that only means the field."""
    adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", form))
    fields = read(form).fields.values()
    for each in fields:
        rest = {other.key: "1" for other in fields if other is not each}
        for name in {*each.names, *each.accepted}:
            try:
                adapter.validate_python({**rest, name: "1"})
                taken = True
            except ValidationError:
                taken = False
            assert taken == (name in each.accepted), name


def test_defaults() -> None:
    """A default is known, also behind validators; a key that may be absent has none."""

    class Some(BaseModel):
        plain: int
        given: int = 1
        made: list[int] = Field(default_factory=list[int])
        checked: Annotated[int, AfterValidator(same)] = 1

    assert [False, True, True, True] == [each.has_default for each in read(Some).fields.values()]
    assert [True, False, False, False] == [each.required for each in read(Some).fields.values()]
    assert [(True, False), (False, False)] == [(each.required, each.has_default) for each in read(Recipe).fields.values()]


FLAGS: dict[str, tuple[object, set[str]]] = {
    "text": (str, {"has_text"}),
    "choice": (Literal["a"], {"has_text"}),
    "map": (dict[str, str], {"has_objects", "has_text"}),
    "object": (Recipe, {"has_objects", "has_text"}),
    "any": (list[Any], {"has_objects"}),
    "uuid": (list[UUID], set()),
    "integer": (list[int], {"has_numbers"}),
    "integer beside boolean": (list[int | bool], {"has_booleans"}),
    "integer beside and without boolean": (tuple[int | bool, int], {"has_numbers", "has_booleans"}),
    "one alias in both": (tuple[Whole | bool, Whole], {"has_numbers", "has_booleans"}),
    "choice of numbers": (Literal["a", 1], {"has_numbers", "has_text"}),
    "choice of numbers and booleans": (Literal[True, 1], {"has_text"}),
    "choice of numbers, or boolean": (Colour | bool, {"has_text", "has_booleans"}),
    "decimal": (Decimal, {"has_numbers", "has_decimals"}),
    "float": (float, {"has_numbers", "has_floats"}),
    "any float": (Annotated[float, AllowInfNan(True)], {"has_numbers"}),
    "times": (tuple[date, str], {"has_times", "has_text"}),
    "recursive": (Tree, {"has_objects", "has_text"}),
}


@pytest.mark.parametrize("form, expected", FLAGS.values(), ids=FLAGS)
def test_flags(form: object, expected: set[str]) -> None:
    """The flags of a type are those of the guards that it can need, and these types are all plain."""
    found = {name for name, value in facts(form)._asdict().items() if value is True}
    assert expected | {"plain"} == found - {"sure"}


class Summed(BaseModel):
    """A computed field."""

    a: int

    @computed_field
    def double(self) -> int:
        """Dumped, never read."""
        return 2 * self.a


class Serialized(BaseModel):
    """A serializer."""

    a: int

    @field_serializer("a")
    def _write(self, value: int) -> str:
        return str(value)


class Excluding(BaseModel):
    """A field that is not dumped."""

    a: int = Field(exclude=True)


class Initial(BaseModel):
    """An ``__init__`` of the user's."""

    a: int

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)


class Hooked(BaseModel):
    """A hook after init."""

    a: int

    def model_post_init(self, context: object, /) -> None:
        """Does nothing."""


class Respelled(BaseModel):
    """Dumped under another key."""

    a: int = Field(serialization_alias="A")


UNPLAIN: dict[str, object] = {
    "validators": Checked, "after": Annotated[int, AfterValidator(same)], "computed": Summed, "serializer": Serialized,
    "excluded": Excluding, "init": Initial, "hook": Hooked, "dumped under another key": Respelled, "path": PathOnly,
    "dataclass": Point, "set": set[int], "frozen set": list[frozenset[int]], "named tuple": Pair, "JSON in a text": Json[int],
    "lenient enum": Lenient, "flags": Bits, "deep inside": dict[str, list[Summed] | None], "root model": Rows,
}  # fmt: skip
PLAIN: dict[str, object] = {
    "model": City, "strict": Strict, "tree": Tree, "generic": Page[City], "alias": Aliased, "by name": ByName, "enum": Level,
    "integers": Colour, "typed dict": Recipe, "union": Pets, "any": object, "tuple": tuple[int, date],
}  # fmt: skip


@pytest.mark.parametrize("form", UNPLAIN.values(), ids=UNPLAIN)
def test_types_that_are_not_plain(form: object) -> None:
    """Where code of the user's runs, or a dump differs in shape from what was written, a type is not plain."""
    assert not facts(form).plain


@pytest.mark.parametrize("form", PLAIN.values(), ids=PLAIN)
def test_types_that_are_plain(form: object) -> None:
    """Ordinary types are plain, with aliases, config and recursion."""
    assert facts(form).plain


class Words(enum.Enum):
    """An enum of texts."""

    LOW = "low"


class Forgiving:
    """A text in whose place a default is taken, where it does not fit."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> core_schema.CoreSchema:
        """A default that is also taken on errors."""
        return core_schema.with_default_schema(core_schema.int_schema(), default=0, on_error="default")


@dataclass
class Named:
    """A plain dataclass."""

    name: str
    size: int = 0


def count() -> int:
    """A factory of the user's."""
    return 7


class Validated(BaseModel):
    """Code of the user's, behind pydantic's."""

    a: int

    @field_validator("a")
    @classmethod
    def _same(cls, value: int) -> int:
        return value

    @model_validator(mode="after")
    def _after(self) -> Validated:
        return self


UNSURE: dict[str, object] = {
    "before": Checked, "around": Annotated[int, WrapValidator(lambda value, handler: handler(value))], "init": Initial,
    "instead": list[Annotated[int, PlainValidator(same)]], "union": dict[str, int | str], "choice of numbers": Literal["a", 1],
    "choice of booleans": Literal[True], "numbers in an enum": list[Colour], "mixed enum": Level, "lenient enum": Lenient,
    "after": Validated, "hook": Hooked, "dataclass with a hook": Point, "factory": Annotated[int, Field(default_factory=count)],
    "default on errors": list[Forgiving], "JSON in a text": Json[int], "address": HttpUrl, "labels": Called | int,
}  # fmt: skip
SURE: dict[str, object] = {
    "model": City, "strict": Strict, "tree": Tree, "generic": Page[City], "alias": Aliased, "dataclass": Named, "set": set[date],
    "computed": Summed, "factory": Annotated[list[int], Field(default_factory=list)],
    "enum of texts": Words, "texts": Literal["a", None], "tagged": Pets,
    "typed dict": Recipe, "root model": Rows, "any": object, "tuple": tuple[int, datetime], "null": list[Decimal | None],
    "map": dict[str, UUID], "default": Annotated[int, Field(default=3)],
}  # fmt: skip


@pytest.mark.parametrize("form", UNSURE.values(), ids=UNSURE)
def test_types_that_are_not_sure(form: object) -> None:
    """Where something looks before pydantic, or pydantic tries one thing after another, strict mode says too little."""
    assert not facts(form).sure


@pytest.mark.parametrize("form", SURE.values(), ids=SURE)
def test_types_that_are_sure(form: object) -> None:
    """Of ordinary types strict mode says enough."""
    assert facts(form).sure


class Snake(BaseModel):
    """Has a key with a line."""

    user_name: str


class CamelKeys(BaseModel):
    """The same key in another style."""

    userName: str


class Inner(BaseModel):
    """A key that is the name, not the alias, of a field elsewhere."""

    a: int


class Outer(BaseModel):
    """Its field is named as one of the inner object's."""

    a: Inner = Field(alias="A1")


def test_keys() -> None:
    """The keys of a type are all spellings that pydantic takes, in any of its objects."""
    assert frozenset({"A", "AA", "name", "people"}) == facts(tuple[Choices, City, dict[str, City]]).keys
    assert frozenset({"A", "row"}) == facts(ChoicesOrPath).keys
    assert frozenset() == facts(dict[str, int]).keys


COLLIDING: dict[str, tuple[object, bool]] = {
    "one object": (City, False),
    "same key in two objects": (tuple[Inner, Plainly], False),
    "two styles": (tuple[Snake, CamelKeys], True),
    "two styles in one object": (ByName, False),
    "upper and lower case": (tuple[Inner, Aliased], True),
    "either case, and lower case": (tuple[ByName, Plainly], True),
    "another's key is a name here": (Outer, True),
    "recursive": (Tree, False),
    "optional copy": (tuple[Snake, Snake | None], False),
}


@pytest.mark.parametrize("form, expected", COLLIDING.values(), ids=COLLIDING)
def test_collisions(form: object, expected: bool) -> None:
    """Keys collide where one object's key would be a near miss in another, and only there."""
    assert expected == facts(form).collides


def test_config_reaches_where_pydantic_takes_it() -> None:
    """A model's config holds in its parts, but not in the models inside it."""
    configs = [(schema["type"], config.get("strict")) for schema, config in schemas_in(schema_of(Strict))]
    assert (True, None) == (dict(configs)["float"], dict(configs)["model"])  # of the model inside, which comes last
    assert [("model", True), ("model", None)] == [pair for pair in configs if pair[0] == "model"]

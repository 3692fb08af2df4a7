"""Any type that pydantic can describe: its schema, its validator, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, cast

import pytest
from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, ValidationError, create_model
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from tests.forms import FORMS, TEXTS, Aliased, City, Form, Greeting, Page, Ship, Tree, form_id
from typing_extensions import TypedDict, TypeForm

from settled import MisuseError
from settled.schema.target import OutputTarget, arguments_target, tagged_of, wrapper_of

OBJECTS = {
    "model", "recursive-model", "generic-model", "generic-of-int", "aliased-model", "dataclass", "typed-dict", "dict",
    "dict-of-models",
}  # fmt: skip


@dataclass
class Crate:
    """A dataclass of Python's own."""

    held: Any


class Bare:
    """A class that pydantic knows nothing of."""


class Late(BaseModel):
    """A model that pydantic builds at its first use."""

    model_config = ConfigDict(defer_build=True)
    size: int = 0


@pydantic_dataclass(config=ConfigDict(defer_build=True))
class LateData:
    """A dataclass that pydantic builds at its first use."""

    inner: Any = None


class Touchy(BaseModel):
    """Its first description fails as pydantic's own does for a class that is not built."""

    described: ClassVar[list[bool]] = []

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        cls.described.append(True)
        if len(cls.described) == 1:
            raise TypeError("not yet")
        return handler(schema)


def test_defaults_whose_classes_are_not_built_yet() -> None:
    """Defaults are shown although pydantic has not built their classes, in models, dataclasses and collections."""
    late = LateData.__new__(LateData)
    late.inner = {"deep": [Late.model_construct(size=2)]}

    class Holder(BaseModel):
        touchy: Touchy | None = None
        one: Late = Late.model_construct(size=1)
        many: list[Any] = [Late.model_construct(size=3)]
        data: Any = late
        plain: Any = Crate(Late.model_construct(size=4))

    shown = cast("dict[str, dict[str, object]]", OutputTarget(Holder).json_schema["properties"])
    assert {
        "touchy": None,
        "one": {"size": 1},
        "many": [{"size": 3}],
        "data": {"inner": {"deep": [{"size": 2}]}},
        "plain": {"held": {"size": 4}},
    } == {name: place["default"] for name, place in shown.items()}


@pytest.mark.parametrize("form", [*FORMS, *TEXTS], ids=form_id)
def test_dump_and_validate(form: Form) -> None:
    """A value dumped as the model would write it validates to an equal value of the same class."""
    target = OutputTarget(form.form)
    again = target.validate_json(target.dump(form.value))
    assert (type(form.value), form.value) == (type(again), again)
    assert form.value == target.validate(form.value)


@pytest.mark.parametrize("form", [*FORMS, *TEXTS], ids=form_id)
def test_kind_of_root(form: Form) -> None:
    """Objects are known as objects, texts as text, and everything else needs a wrapper."""
    target = OutputTarget(form.form)
    assert (form.id in OBJECTS, form in TEXTS) == (target.is_object, target.is_text)


@pytest.mark.parametrize("form", [form for form in FORMS if form.id in OBJECTS], ids=form_id)
def test_object_schemas_have_a_type_at_the_root(form: Form) -> None:
    """The schema of an object says so at its root, also for recursive and generic models."""
    schema = OutputTarget(form.form).json_schema
    assert schema["type"] == "object"
    assert "$ref" not in schema


def test_recursive_schema_keeps_its_definitions() -> None:
    """A recursive model's schema still holds the definition that it refers to."""
    schema = OutputTarget(Tree).json_schema
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    assert "Tree" in definitions


@pytest.mark.parametrize("name", ["City", "Aliased", "Tree", "Page[int]"])
def test_the_class_is_not_changed(name: str) -> None:
    """Asking for a class leaves its schema, its config and its validators as they were."""
    classes: dict[str, type[BaseModel]] = {"City": City, "Aliased": Aliased, "Tree": Tree, "Page[int]": Page[int]}
    cls = classes[name]
    before = (cls.model_json_schema(), dict(cls.model_config), id(cls.__pydantic_validator__), sorted(vars(cls)))
    target = OutputTarget(cls)
    target.json_schema["title"] = "changed"
    wrapper_of(cls, "x")
    tagged_of({"a": cls, "b": int}, wrapped=True)
    assert before == (cls.model_json_schema(), dict(cls.model_config), id(cls.__pydantic_validator__), sorted(vars(cls)))


def test_an_unresolved_forward_reference_is_named() -> None:
    """A model that refers to a class which does not exist is refused, and the name is in the message."""
    waiting = create_model("Waiting", later=(cast("Any", "Later"), ...))
    with pytest.raises(MisuseError, match="Later") as raised:
        OutputTarget(waiting)
    assert "Waiting" in str(raised.value)


def test_a_forward_reference_as_text_is_named() -> None:
    """A string is no type that could be resolved: it is refused by name."""
    with pytest.raises(MisuseError, match="Latest"):
        OutputTarget(cast("TypeForm[object]", cast("Any", list)["Latest"]))


@pytest.mark.parametrize(
    "form",
    [Bare, list[Bare], Callable[[int], str], Annotated[Bare, Field()], complex | Bare, 7],
    ids=["class", "list", "callable", "annotated", "union", "value"],
)
def test_what_pydantic_cannot_describe(form: object) -> None:
    """A type without a schema is refused as the caller's mistake, saying what next."""
    with pytest.raises(MisuseError, match="cannot describe it") as raised:
        OutputTarget(cast("TypeForm[object]", form))
    assert "\n" not in str(raised.value)
    assert raised.value.__cause__ is not None


def test_context_reaches_validators() -> None:
    """The context is pydantic's ``info.context``, for JSON and for Python values."""
    target = OutputTarget(Greeting)
    assert target.validate_json('{"name": "Oslo"}', ("Oslo",)).name == "Oslo"
    with pytest.raises(ValidationError, match="known"):
        target.validate_json('{"name": "Bergen"}', ("Oslo",))
    with pytest.raises(ValidationError, match="known"):
        target.validate({"name": "Bergen"}, ("Oslo",))


def test_digits_of_decimals_are_kept() -> None:
    """A decimal inside a wrapper keeps the digits of a string, and a long integer its own."""
    target = wrapper_of(Decimal, "Decimal")
    for digits in ('"1.2000000000000000000000001"', '"1.20"', "123456789012345678901234567890"):
        assert str(target.validate_json(f'{{"value": {digits}}}')["value"]) == digits.strip('"')


@pytest.mark.parametrize("text", ["{}", '{"value": 1, "other": 2}', '{"value": "x"}', "3", '{"Value": 1}'], ids=str)
def test_wrappers_are_closed(text: str) -> None:
    """A wrapper takes exactly the one key ``value``, of its type."""
    target = wrapper_of(int, "int")
    with pytest.raises(ValidationError):
        target.validate_json(text)
    assert target.json_schema["additionalProperties"] is False


@pytest.mark.parametrize("wrapped", [True, False], ids=["wrapped", "bare"])
def test_tags_choose(wrapped: bool) -> None:
    """The kind decides which type the data must fit, and no other is tried."""
    target = tagged_of({"City": City, "Ship": Ship}, wrapped=wrapped)
    data = '{"kind": "Ship", "data": {"masts": 3}}'
    value = target.validate_json(f'{{"value": {data}}}' if wrapped else data)
    assert {"kind": "Ship", "data": Ship(masts=3)} == (value["value"] if wrapped else value)
    wrong = data.replace("Ship", "City")
    with pytest.raises(ValidationError):
        target.validate_json(f'{{"value": {wrong}}}' if wrapped else wrong)
    assert ("anyOf" in target.json_schema or "oneOf" in target.json_schema) != wrapped


def test_one_tag_alone() -> None:
    """A choice of one is still tagged."""
    assert tagged_of({"A": int}, wrapped=False).validate_json('{"kind": "A", "data": 1}') == {"kind": "A", "data": 1}


def test_arguments_are_closed_and_may_be_absent() -> None:
    """Arguments must be known; the optional ones may be left out, and are then not in the result."""
    target = arguments_target("f", {"x": int, "y": int}, {"y"})
    assert target.validate_json('{"x": 1}') == {"x": 1}
    for text in ('{"y": 1}', '{"x": 1, "z": 1}', "[]"):
        with pytest.raises(ValidationError):
            target.validate_json(text)


def test_a_given_name_wins() -> None:
    """The target bears the name that it is given, else that of its type."""
    assert (OutputTarget(int, name="count").name, OutputTarget(int).name) == ("count", "int")


def test_local_types() -> None:
    """Types that are defined inside a function can be asked for."""

    class Local(BaseModel):
        x: int

    class Entry(TypedDict):
        x: int

    assert OutputTarget(Local).validate_json('{"x": 1}') == Local(x=1)
    assert OutputTarget(Entry).validate_json('{"x": 1}') == {"x": 1}

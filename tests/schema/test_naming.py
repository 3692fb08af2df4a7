"""Names for types: legal for every server, unique within one agent; and the members of a union."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar, Union

import pytest
from pydantic import Field
from tests.forms import FORMS, City, Colour, Fix, Form, Hold, Leg, Page, Ship, Things, Word, form_id
from typing_extensions import TypeAliasType

from settled.schema.naming import LONGEST, legal, type_name, unaliased, union_members, unique

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
K = TypeVar("K")
Tagged = Annotated[City | Ship, Field(discriminator="kind")]
V = TypeVar("V")
Stated: Any = getattr(typing, "TypeAliasType", TypeAliasType)  # what the statement ``type`` makes, where there is one
Nested = TypeAliasType("Nested", Things | None)
Listed = TypeAliasType("Listed", list[K], type_params=(K,))
TURNED: Any = typing.cast("Any", dict)[V, typing.cast("Any", list)[K]]
OPTIONAL: Any = typing.cast("Any", Optional)[K]


class Odd_Größe(Generic[K]):
    """A name that no server takes."""


@pytest.mark.parametrize(
    "form, name",
    [
        (City, "City"),
        (Hold, "Hold"),
        (Leg, "Leg"),
        (Fix, "Fix"),
        (Colour, "Colour"),
        (int, "int"),
        (None, "none"),
        (type(None), "none"),
        (list[int], "list_int"),
        (dict[str, City], "dict_str_City"),
        (tuple[int, ...], "tuple_int"),
        (tuple[()], "tuple"),
        (Page[int], "Page_int"),
        (Page[City], "Page_City"),
        (City | Ship, "City_or_Ship"),
        (Union[City, Ship], "City_or_Ship"),  # noqa: UP007
        (Optional[City], "City_or_none"),  # noqa: UP045
        (Literal["a", "b"], "literal"),
        (Annotated[int, Field(ge=1)], "int"),
        (Annotated[City | Ship, Field(discriminator="kind")], "City_or_Ship"),
        (Things, "Things"),
        (Word, "Word"),
        (list[Annotated[int, Field(ge=1)]], "list_int"),
        (Odd_Größe, "Odd_Gr_e"),
    ],
    ids=repr,
)
def test_type_name(form: object, name: str) -> None:
    """A type has a short legal name that a person recognises."""
    assert name == type_name(form)


@pytest.mark.parametrize("form", FORMS, ids=form_id)
def test_every_form_has_a_legal_name(form: Form) -> None:
    """The name of each kind of type is legal for every server."""
    assert LEGAL.fullmatch(type_name(form.form))


@pytest.mark.parametrize(
    "text, name",
    [("Page[int]", "Page_int"), ("a", "a"), ("", "value"), ("[]", "value"), ("å b", "b"), ("x" * 70, "x" * 64), ("a-b", "a-b")],
    ids=["generic", "plain", "empty", "nothing-legal", "foreign", "long", "dash"],
)
def test_legal(text: str, name: str) -> None:
    """Illegal runs become one underscore, the ends are clean, and there is always something left."""
    assert name == legal(text)


@pytest.mark.parametrize(
    "name, taken, free",
    [
        ("final_result", (), "final_result"),
        ("final_result", ("final_result",), "final_result_1"),
        ("final_result", ("final_result", "final_result_1"), "final_result_2"),
        ("a", iter(["a"]), "a_1"),
        ("x" * 64, ("x" * 64,), "x" * 62 + "_1"),
    ],
    ids=["free", "taken", "twice", "iterator", "long"],
)
def test_unique(name: str, taken: tuple[str, ...], free: str) -> None:
    """A taken name gets the first free number, and stays within the longest legal length."""
    assert free == unique(name, taken)
    assert len(free) <= LONGEST


@pytest.mark.parametrize(
    "form, members",
    [
        (int, (int,)),
        (None, (None,)),
        (City | Ship, (City, Ship)),
        (Union[City, Ship], (City, Ship)),  # noqa: UP007
        (Optional[City], (City, None)),  # noqa: UP045
        (int | None, (int, None)),
        (Things, (City, Ship)),
        (Nested, (City, Ship, None)),
        (Listed[int], (Listed[int],)),
        (Stated("Either", City | Ship), (City, Ship)),
        (Stated("Maybe", OPTIONAL, type_params=(K,))[Stated("Either", City | Ship)], (City, Ship, None)),
        (Tagged, (Tagged,)),
        (list[City | Ship], (list[City | Ship],)),
        (Literal["a", "b"], (Literal["a", "b"],)),
    ],
    ids=repr,
)
def test_union_members(form: object, members: tuple[object, ...]) -> None:
    """The members of a union in order, through aliases; anything else is its own only member."""
    assert members == union_members(form)


@pytest.mark.parametrize("make", [TypeAliasType, Stated], ids=["of typing_extensions", "of the statement"])
def test_what_a_name_stands_for(make: Any) -> None:
    """A name of a type is followed to what it stands for, with each parameter in its place; where that is not known, it stays."""
    turned = make("Turned", TURNED, type_params=(K, V))
    fixed = make("Fixed", list[int], type_params=(K,))
    later = make("Later", "list[int]")
    assert (dict[str, list[int]], list[int]) == (unaliased(make("Again", turned[int, str])), unaliased(fixed[bool]))
    assert [turned, later, list[int], None] == [unaliased(form) for form in (turned, later, list[int], None)]
    assert "Turned_int_str" == type_name(turned[int, str])


def test_names_of_callables_do_not_fail() -> None:
    """Also what no model can answer with has a name, for the message that refuses it."""
    assert LEGAL.fullmatch(type_name(Callable[[int], str]))
    assert LEGAL.fullmatch(type_name(7))

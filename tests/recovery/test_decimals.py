"""Decimals written as numbers keep their digits, and only Decimals get the quotes that do so."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from tests.recovery.asking import found, target_of

from settled import Recovery
from settled.recovery.screen import with_exact_decimals


class Sale(BaseModel):
    """A Decimal among others."""

    price: Decimal
    note: str = ""
    weight: float = 0


class Sales(BaseModel):
    """Several of them."""

    items: list[Sale]
    total: Decimal | None = None


class Label(BaseModel):
    """A text under the key that is a Decimal's elsewhere."""

    price: str


class Mixed(BaseModel):
    """Both."""

    sale: Sale
    label: Label


class Loose(BaseModel):
    """A Decimal without a key beside one with a key."""

    price: Decimal
    parts: list[Decimal] = []


class Mapped(BaseModel):
    """A map, whose keys may be any."""

    price: Decimal
    notes: dict[str, str] = {}


class Spared(BaseModel):
    """Keys that are not known are kept."""

    model_config = ConfigDict(extra="allow")
    price: Decimal


class Spelled(BaseModel):
    """A key that could be written with escapes."""

    price: Annotated[Decimal, Field(alias="a/b")]


class Either(BaseModel):
    """A Decimal or a text."""

    price: Decimal | str


@pytest.mark.parametrize(
    "target, text, exact",
    [
        pytest.param(Sale, '{"price": 1.50}', '{"price": "1.50"}', id="a Decimal"),
        pytest.param(Sale, '{"price" :\n -0.10\n}', '{"price" :\n "-0.10"\n}', id="blanks and a sign"),
        pytest.param(Sale, '{"price": 1.50, "weight": 2.50}', '{"price": "1.50", "weight": 2.50}', id="a float beside it"),
        pytest.param(
            Sales,
            '{"items": [{"price": 1.5}], "total": 1.50}',
            '{"items": [{"price": "1.5"}], "total": "1.50"}',
            id="several keys",
        ),
        pytest.param(Sale, '{"price": 1.5}', None, id="a float gives the digits back"),
        pytest.param(Sale, '{"price": 15}', None, id="no fraction"),
        pytest.param(Mixed, '{"sale": {"price": 1.50}, "label": {"price": "x"}}', None, id="a text under the same key"),
        pytest.param(Loose, '{"price": 1.50}', None, id="a Decimal without a key"),
        pytest.param(Mapped, '{"price": 1.50}', None, id="a map"),
        pytest.param(Spared, '{"price": 1.50}', None, id="keys that are kept"),
        pytest.param(Spelled, '{"a/b": 1.50}', None, id="a key that is no plain word"),
        pytest.param(Either, '{"price": 1.50}', None, id="a Decimal or a text"),
        pytest.param(Label, '{"price": 1.50}', None, id="no Decimal"),
    ],
)
def test_quotes(target: type, text: str, exact: str | None) -> None:
    """Fractions are quoted where nothing but a Decimal can take the quotes, and nowhere else."""
    assert with_exact_decimals(text, target_of(target)) == exact


@pytest.mark.parametrize(
    "target, text, value",
    [
        pytest.param(Sale, '{"price": 1.50}', "1.50", id="zeros at the end"),
        pytest.param(Sale, '{"price": 0.12345678901234567890}', "0.12345678901234567890", id="many digits"),
        pytest.param(Sale, '{"pr\\u0069ce": 1.50}', "1.50", id="an escape in the key"),
        pytest.param(Sale, '{"price": 1.50, "note": "was \\"price\\": 2.50, now"}', "1.50", id="a key inside a text"),
        pytest.param(Sale, '{"price": 1.50, "note": "price: 2.50, now"}', "1.50", id="a fraction inside a text"),
        pytest.param(Mapped, '{"price": 1.50, "notes": {"price": "x"}}', "1.50", id="beside a map"),
        pytest.param(Loose, '{"price": 1.50, "parts": [1.10]}', "1.50", id="beside one without a key"),
        pytest.param(Spelled, '{"a\\/b": 1.50}', "1.50", id="a key written with escapes"),
        pytest.param(Spared, '{"price": 1.50, "other": 2}', "1.50", id="keys that are kept"),
    ],
)
def test_digits_are_kept(target: type[Sale], text: str, value: str) -> None:
    """A Decimal has the digits that were written, whichever way it was read."""
    finding = found(target, text, Recovery.STRICT)
    assert isinstance(finding.value, target)
    assert str(finding.value.price) == value


def test_every_decimal_of_a_list_keeps_its_digits() -> None:
    """Decimals that have no key keep theirs too."""
    finding = found(Loose, '{"price": 1.50, "parts": [1.10, 2.00]}', Recovery.STRICT)
    assert finding.value == Loose.model_construct(price=Decimal("1.50"), parts=[Decimal("1.10"), Decimal("2.00")])
    assert isinstance(finding.value, Loose)
    assert list(map(str, finding.value.parts)) == ["1.10", "2.00"]


@pytest.mark.parametrize(
    "target, text",
    [
        pytest.param(Mixed, '{"sale": {"price": 1.50}, "label": {"price": 1.50}}', id="under the key of a Decimal"),
        pytest.param(Mapped, '{"price": 1.50, "notes": {"price": 1.50}}', id="in a map"),
        pytest.param(Sale, '{"price": 1.50, "note": 1.50}', id="beside a Decimal"),
    ],
)
def test_no_number_becomes_a_text(target: type, text: str) -> None:
    """The quotes for Decimals never let a number pass for a text under a strict policy."""
    assert found(target, text, Recovery.STRICT).outcome == "invalid"


def test_two_prices_that_disagree() -> None:
    """A key given twice is refused, with quotes or without."""
    assert found(Sale, '{"price": 1.50, "price": 2.50}', Recovery.SCHEMA).outcome != "value"


LEXEMES = st.from_regex(r"-?(?:0|[1-9][0-9]{0,25})(?:\.[0-9]{1,25})?(?:[eE][+-]?[0-9]{1,2})?", fullmatch=True)


@given(price=LEXEMES, total=LEXEMES, weight=st.floats(-1e9, 1e9), note=st.text('price":. 1,50{}[]', max_size=20))
def test_any_number_keeps_its_digits(price: str, total: str, weight: float, note: str) -> None:
    """A Decimal is what its text says, whatever stands around it, and a float beside it stays the float."""
    text = f'{{"items": [{{"note": {json.dumps(note)}, "price": {price}, "weight": {weight!r}}}], "total":{total}}}'
    sales = found(Sales, text).value
    assert isinstance(sales, Sales)
    assert isinstance(sales.total, Decimal)
    for value, lexeme in ((sales.items[0].price, price), (sales.total, total)):
        assert value == Decimal(lexeme)
        assert value.as_tuple()[1:] == Decimal(lexeme).as_tuple()[1:]  # the sign of zero is not kept: -0 is an integer
    assert (sales.items[0].weight, sales.items[0].note) == (weight, note)

"""Properties of schemas that are sent: for any type and every dialect, they stay in the dialect and take what the type takes."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from itertools import count
from typing import Annotated, Any, Literal, NamedTuple, Optional, Union, cast
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model
from tests.schema.judging import VALIDATOR, dangling, faults
from typing_extensions import TypeForm

from settled.schema.decimals import sendable
from settled.schema.dialects import DIALECTS
from settled.schema.encoding import encoded
from settled.schema.sending import sent_schema
from settled.schema.target import OutputTarget

LIST, DICT, TUPLE, OPTIONAL, UNION, ANNOTATED = cast("tuple[Any, ...]", (list, dict, tuple, Optional, Union, Annotated))


class Grade(Enum):
    """From best to worst."""

    A = "a"
    B = "b"


class Tree(BaseModel):
    """A node, and those below it."""

    name: str
    tags: dict[str, int] = {}
    span: tuple[int, str] | None = None
    below: list[Annotated[Tree, Field(description="one level down")]] = []
    first: Annotated[Tree | None, Field(description="the first of them")] = None


class Made(NamedTuple):
    """A form, and how to make values of it."""

    form: Any
    values: st.SearchStrategy[Any]


TREES = st.recursive(
    st.builds(Tree, name=st.text(max_size=3)),
    lambda inner: st.builds(
        Tree, name=st.just("n"), tags=st.just({"a": 1}), span=st.just((1, "x")), below=st.lists(inner), first=inner
    ),
    max_leaves=3,
)
SCALARS = [
    Made(str, st.text(max_size=5)),
    Made(int, st.integers(-9, 10**20)),
    Made(float, st.floats(allow_nan=False, allow_infinity=False)),
    Made(bool, st.booleans()),
    Made(Decimal, st.decimals(allow_nan=False, allow_infinity=False, places=2)),
    Made(date, st.dates()),
    Made(datetime, st.datetimes(timezones=st.just(timezone.utc))),
    Made(UUID, st.uuids()),
    Made(Literal["x", "y"], st.sampled_from(["x", "y"])),
    Made(Literal["x", 1, None], st.sampled_from(["x", 1, None])),
    Made(Literal[7], st.just(7)),
    Made(Grade, st.sampled_from(Grade)),
    Made(ANNOTATED[int, Field(ge=1, lt=9, description="how many")], st.integers(1, 8)),
    Made(ANNOTATED[float, Field(gt=0, multiple_of=0.5)], st.sampled_from([0.5, 2.0])),
    Made(ANNOTATED[str, Field(min_length=1, max_length=3, pattern="^[a-c]+$")], st.sampled_from(["a", "abc"])),
    Made(ANNOTATED[str, Field(pattern=r"^\d+")], st.sampled_from(["1", "23a"])),
    Made(ANNOTATED[Decimal, Field(gt=0, decimal_places=2)], st.sampled_from([Decimal("0.10"), Decimal("7")])),
    Made(Tree, TREES),
]  # fmt: skip
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]  # a schema is built for every form
KEYS = st.sampled_from(["a", "b c", "key"])
NUMBERS = count()


def containers(inner: st.SearchStrategy[Made]) -> st.SearchStrategy[Made]:
    """What forms are made of others."""
    pair = st.tuples(inner, inner)
    return st.one_of(
        inner.map(lambda made: Made(LIST[made.form], st.lists(made.values, max_size=2))),
        inner.map(
            lambda made: Made(ANNOTATED[LIST[made.form], Field(min_length=1)], st.lists(made.values, min_size=1, max_size=2))
        ),
        inner.map(lambda made: Made(DICT[str, made.form], st.dictionaries(KEYS, made.values, max_size=2))),
        inner.map(lambda made: Made(TUPLE[made.form, ...], st.lists(made.values, max_size=2).map(tuple))),
        inner.map(lambda made: Made(OPTIONAL[made.form], st.none() | made.values)),
        pair.map(lambda made: Made(TUPLE[made[0].form, made[1].form], st.tuples(made[0].values, made[1].values))),
        pair.map(lambda made: Made(UNION[made[0].form, made[1].form], made[0].values | made[1].values)),
        fields(inner).map(model_of),
        st.tuples(fields(inner), fields(inner)).map(tagged_of),
    )


Fields = dict[str, tuple[Made, str, bool]]


def fields(inner: st.SearchStrategy[Made]) -> st.SearchStrategy[Fields]:
    """Names of fields, with a form, the way each is declared, and whether it is described."""
    ways = st.sampled_from(["plain", "plain", "default", "none", "alias"])
    return st.dictionaries(
        st.sampled_from(["one", "two", "three"]), st.tuples(inner, ways, st.booleans()), min_size=1, max_size=3
    )


def model_of(declared: Fields, **more: Any) -> Made:
    """A model of some fields, and its values."""
    kinds: dict[str, Any] = dict(more)
    values: dict[str, st.SearchStrategy[Any]] = {}
    for name, (made, way, described) in declared.items():
        key = name.upper() if way == "alias" else name
        description = f"about {name}" if described else None
        if way == "default":
            kinds[name] = (OPTIONAL[made.form], Field(default=None, description=description))
        elif way == "none":
            kinds[name] = (LIST[made.form], Field(default_factory=list, description=description))
        else:
            kinds[name] = (made.form, Field(alias=key if way == "alias" else None, description=description))
        values[key] = st.lists(made.values, max_size=1) if way == "none" else made.values
    optional = {key: values.pop(key) for key in list(values) if declared.get(key, (None, "plain"))[1] in ("default", "none")}
    cls = create_model(f"Model{next(NUMBERS)}", **kinds)
    return Made(cls, st.fixed_dictionaries(values, optional=optional).map(cls.model_validate))


def tagged_of(pair: tuple[Fields, Fields]) -> Made:
    """A union of two models with a discriminator."""
    one, other = (model_of(declared, kind=(Literal[tag], tag)) for tag, declared in zip("pq", pair, strict=True))
    return Made(ANNOTATED[UNION[one.form, other.form], Field(discriminator="kind")], one.values | other.values)


forms = st.recursive(st.sampled_from(SCALARS), containers, max_leaves=5)
roots = fields(forms).map(model_of)


def targets_of(made: Made) -> OutputTarget[Any]:
    """The target of a form."""
    return OutputTarget(cast("TypeForm[Any]", made.form))


@settings(max_examples=60, suppress_health_check=SLOW)
@given(st.data())
def test_a_schema_stays_in_its_dialect_and_takes_what_the_type_takes(data: st.DataObject) -> None:
    """Only what the dialect knows, references that lead somewhere, and every dumped value fits, where no shape is lost."""
    made = data.draw(roots)
    target = targets_of(made)
    plain = json.loads(target.dump(data.draw(made.values)))
    for name, dialect in DIALECTS.items():
        sent = target.sent(name, strict=None)
        assert [] == dangling(sent.json_schema), name
        whole = not any(loss.kind == "shape" for loss in sent.losses)
        assert whole == sent.strict
        if whole:
            assert [] == faults(sent, dialect), name
            spelled = encoded(plain, target.expected, sent.encoding)
            assert VALIDATOR(sent.json_schema).is_valid(spelled), (name, sent.json_schema, spelled)
        if dialect.strict_flag:
            for loose in (False, True):
                opened = target.sent(name, strict=False, loose=loose)
                assert [] == dangling(opened.json_schema)
                assert VALIDATOR(opened.json_schema).is_valid(plain), (name, opened.json_schema, plain)


@settings(max_examples=25, suppress_health_check=SLOW)
@given(roots, st.sampled_from(list(DIALECTS)), st.sampled_from([None, False]), st.booleans())
def test_the_schema_given_is_not_changed(made: Made, name: str, strict: bool | None, loose: bool) -> None:
    """What was given stays as it was, and gives the same bytes again."""
    given_ = sendable(cast("Any", targets_of(made))._adapter)
    before = deepcopy(given_)
    first, second = (sent_schema(given_, name, strict=strict, loose=loose) for _ in range(2))
    assert before == given_
    assert json.dumps(first) == json.dumps(second)

"""Objects and maps beside what is expected: which key means which field, and what happens to what is missing or too much."""

from __future__ import annotations

import json
from typing import Annotated

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from tests.recovery.asking import Aliased, Closed, Inner, Mood, Open, codes, found, took

from settled import Recovery


class Person(BaseModel):
    """Keys of several words, and two that a near miss cannot tell apart."""

    full_name: str
    year_of_birth: int = 0
    user_id: int = 0
    userid: int = 0


class Either(BaseModel):
    """Pydantic takes either of two aliases."""

    first: int = Field(validation_alias=AliasChoices("one", "eins"))


class Both(BaseModel):
    """Pydantic takes the name and the alias."""

    model_config = ConfigDict(populate_by_name=True)

    first_name: str = Field(alias="firstName")


class AliasOnly(BaseModel):
    """The name is forbidden by the user's config."""

    model_config = ConfigDict(validate_by_alias=True, validate_by_name=False)

    first_name: str = Field(alias="firstName")


class Lists(BaseModel):
    """Defaults that are containers, and one that is not."""

    tags: list[str] = []
    marks: dict[str, int] = {}
    maybe: list[str] | None = ["x"]
    count: int = 3


class Schemas(BaseModel):
    """Describes schemas itself."""

    type: str
    properties: dict[str, object]


@pytest.mark.parametrize(
    "key",
    [
        "Full Name",
        "fullName",
        "FULL_NAME",
        "full-name",
        "full name",
        "FullName",
        "**full_name**",
        "full\u200b_name",
        " full_name ",
        "full\\\\_name",
    ],
    ids=ascii,
)
def test_key_styles(key: str) -> None:
    """Another style of a key means its field, before a default could take its place."""
    finding = found(Person, f'{{"{key}": "Bo"}}')
    assert (Person(full_name="Bo"), ["key.style"]) == (finding.value, codes(finding))
    assert (key.replace("\\\\", "\\"), "full_name") == (finding.repairs[0].before, finding.repairs[0].after)


@pytest.mark.parametrize(
    "text, value",
    [
        ('{"full_name": "Bo", "fullName": "Bo"}', Person(full_name="Bo")),
        ('{"full_name": "Bo", "full_name": "Bo"}', Person(full_name="Bo")),
        ('{"full_name": "Bo", "user_id": 1, "userid": 2}', Person(full_name="Bo", user_id=1, userid=2)),
        ('{"full_name": "Bo", "other": 1}', Person(full_name="Bo")),
    ],
    ids=str,
)
def test_keys_that_agree(text: str, value: object) -> None:
    """Two keys for one field with one value are one; keys that are fields are themselves; others follow the user's config."""
    assert value == found(Person, text).value


@pytest.mark.parametrize(
    "text",
    [
        '{"full_name": "Bo", "fullName": "Al"}',
        '{"full_name": "Bo", "full_name": "Al"}',
        '{"full_name": "Bo", "year_of_birth": 1, "Year of birth": true}',
        '{"full_name": "Bo", "year_of_birth": 1, "Year of birth": 1.0}',
    ],
    ids=str,
)
def test_keys_that_disagree(text: str) -> None:
    """Two keys for one field with different values are ambiguous, and the keys are named."""
    finding = found(Person, text)
    assert "ambiguous" == finding.outcome
    assert "duplicate_key" in [issue.code for issue in finding.issues]


def test_a_near_miss_of_two_fields() -> None:
    """A key that is near to two fields is neither."""
    finding = found(Person, '{"full_name": "Bo", "UserID": 7}')
    assert Person(full_name="Bo") == finding.value or finding.value is None
    assert "key.style" not in codes(finding)


@pytest.mark.parametrize(
    "form, text, value, repairs",
    [
        (Aliased, '{"displayName": "Bo"}', "Bo", []),
        (Aliased, '{"display_name": "Bo"}', "Bo", ["key.alias"]),
        (Aliased, '{"DisplayName": "Bo"}', "Bo", ["key.style"]),
        (Both, '{"first_name": "Bo"}', "Bo", []),
        (Both, '{"firstName": "Bo"}', "Bo", []),
        (Either, '{"eins": 1}', 1, []),
        (Either, '{"ONE": 1}', 1, ["key.style"]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_aliases(form: type[BaseModel], text: str, value: object, repairs: list[str]) -> None:
    """What pydantic takes needs no repair; a field's name in place of its alias is one."""
    for written in (text, f"```json\n{text}\n```"):
        finding = found(form, written)
        assert isinstance(finding.value, form), finding
        assert value == next(iter(vars(finding.value).values()))
        assert repairs == [code for code in codes(finding) if code != "fence.stripped"]


def test_a_name_that_the_config_forbids() -> None:
    """Where the user's config forbids the field's name, it means nothing."""
    assert "key.alias" not in codes(found(AliasOnly, '{"first_name": "Bo"}'))
    assert found(AliasOnly, '{"firstName": "Bo"}').value is not None


@pytest.mark.parametrize(
    "text, value, repairs",
    [
        ('{"tags": null}', Lists(), ["null.as_empty"]),
        ('{"marks": null}', Lists(), ["null.as_empty"]),
        ('{"maybe": null}', Lists(maybe=None), []),
        ('{"count": null}', "invalid", ["int_type"]),
        ('{"tags": ""}', "invalid", ["list_type"]),
        ('{"tags": {}}', "invalid", ["list_type"]),
    ],
    ids=str,
)
def test_null_for_a_default(text: str, value: object, repairs: list[str]) -> None:
    """Null stands for a list or map that has a default; nothing else that was given is replaced by a default."""
    assert (value, repairs) == took(Lists, text)


@pytest.mark.parametrize(
    "form, text, value",
    [
        (Open, '{"name": "a", "x": 1}', Open(name="a", x=1)),  # type: ignore[call-arg]
        (Closed, '{"name": "a", "x": 1}', "invalid"),
        (Open, '{"name": "a", "N": 1}', Open(name="a", n=1)),
        (Closed, '{"name": "a", "N": 1}', Closed(name="a", n=1)),
        (Open, '{"name": "a", "Name": "b"}', "ambiguous"),
        (Open, '{"name": "a", "x": 1, "x": 2}', "ambiguous"),
        (Open, '{"name": "a", "x": 1, "x": 1}', Open(name="a", x=1)),  # type: ignore[call-arg]
        (Inner, '{"x": 1}', "invalid"),
        (Inner, "{}", Inner()),
        (list[Inner], '[{"x": 1}]', "invalid"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_keys_too_many(form: object, text: str, value: object) -> None:
    """The user's config decides on keys that are no field; but an object none of whose keys is one is not that type."""
    assert value == took(form, text)[0]


def test_unknown_keys_are_told() -> None:
    """When a field is missing, the keys that are none are told beside it."""
    finding = found(Person, '{"nom": "Bo", "x": 1}')
    assert ["missing", "unknown_key"] == [issue.code for issue in finding.issues if issue.code in ("missing", "unknown_key")][:2]


@pytest.mark.parametrize(
    "text, value",
    [
        ('{"mood": "good", "score": 7, "note": null, "tags": []', Mood(mood="good", score=7)),
        ('{"mood": "good", "score": 7, "note": null, "tags": [] ', Mood(mood="good", score=7)),
        ('```json\n{"mood": "good", "score": 7\n```', Mood(mood="good", score=7)),
        ('{"mood": "good", "score": 7, "note": null, "tags": []\nThat is all.', Mood(mood="good", score=7)),
        ('{"mood": "good", "score": 7', "truncated"),
        ('{"mood": "good", "score": 7, "note": null, "tags": [', "truncated"),
        ('{"mood": "good", "score": 7, "note": null, "tags": [],', "truncated"),
        ('{"mood": "good", "tags": [], "note": null, "score": 7', "truncated"),
        ('```json\n{"mood": "good", "score": 7,\n```', "truncated"),
        ('```json\n{"mood": "good"\n```', "truncated"),
    ],
    ids=str,
)
def test_missing_closers(text: str, value: object) -> None:
    """An open object is closed only if every declared field is there, or other text follows and no required one is missing."""
    assert value == took(Mood, text)[0]


@pytest.mark.parametrize("form", [dict[str, int], Open, list[int]], ids=["map", "open", "list"])
def test_no_closers_where_more_may_follow(form: object) -> None:
    """A map, a list, or an object that keeps unknown keys may always go on."""
    text = "[1, 2" if form == list[int] else '{"name": 1, "n": 2'
    assert "truncated" == found(form, text).outcome


@pytest.mark.parametrize(
    "form, text, value, repairs",
    [
        (Inner, '"{\\"v\\": 1}"', Inner(v=1), ["json.double_encoded"]),
        (list[Inner], '["{\\"v\\": 1}"]', [Inner(v=1)], ["json.double_encoded"]),
        (dict[str, Inner], '{"a": "```json\\n{\\"v\\": 1}\\n```"}', {"a": Inner(v=1)}, ["json.double_encoded"]),
        (dict[str, dict[str, int]], '{"a": "{\\"b\\": 1}"}', {"a": {"b": 1}}, ["json.double_encoded"]),
        (list[Inner], '["{\\"v\\": 1"]', "invalid", []),
        (list[Inner], '["{\\"v\\": 1} x"]', "invalid", []),
        (list[Inner], '["v: 1"]', "invalid", []),
        (dict[str, Inner], json.dumps({"a": json.dumps(json.dumps({"v": 1}))}), {"a": Inner(v=1)}, ["json.double_encoded"] * 2),
        (dict[str, Inner], json.dumps({"a": json.dumps(json.dumps(json.dumps(json.dumps({"v": 1}))))}), "invalid", []),
        (list[str], '["{\\"v\\": 1}"]', ['{"v": 1}'], []),
        (Inner, '[{"v": 1}]', Inner(v=1), ["list.unwrapped"]),
        (Inner, '[{"v": 1}, {"v": 2}]', "ambiguous", []),
        (Inner, "[1, 2]", "invalid", []),
        (list[Inner], "[[]]", "invalid", []),
        (dict[str, int], "[]", "invalid", []),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_other_containers(form: object, text: str, value: object, repairs: list[str]) -> None:
    """A text that is a container as a whole is decoded where a container is due, and a list of one is its item."""
    taken = took(form, text)
    assert value == taken[0]
    assert isinstance(value, str) or repairs == taken[1]


@pytest.mark.parametrize(
    "form, text",
    [
        (dict[str, int], '{"a": 1, "a": 2}'),
        (dict[str, object], '{"a": {"b": 1, "b": 2}}'),
        (dict[str, int], '{"a": 1, // "b": 2\n}'),
        (Lists, '{"count": 1, // "tags": ["a"]\n}'),
    ],
    ids=["map", "inside", "comment-in-map", "comment"],
)
def test_what_may_be_lost(form: object, text: str) -> None:
    """Entries that disagree, and comments that may have swallowed a member, are ambiguous."""
    assert "ambiguous" == found(form, text).outcome


@pytest.mark.parametrize("text", ['{"a": 1, "...": 2}', '{"a": 1, ...}'], ids=str)
def test_maps_that_leave_something_out(text: str) -> None:
    """A map that says that there is more is truncated."""
    assert "truncated" == found(dict[str, int], text).outcome


@pytest.mark.parametrize(
    "form, text, outcome",
    [
        (Mood, '{"type": "object", "properties": {"mood": {"type": "string"}}}', "no_payload"),
        (dict[str, object], '{"type": "object", "properties": {"mood": {"type": "string"}}}', "no_payload"),
        (Schemas, '{"type": "object", "properties": {"mood": {"type": "string"}}}', "value"),
        (Schemas, '```\n{"type": "object", "properties": {"mood": {"type": "string"}}}\n```', "value"),
    ],
    ids=["model", "map", "of-schemas", "of-schemas-fenced"],
)
def test_schemas_are_no_values(form: object, text: str, outcome: str) -> None:
    """A schema is no instance, unless the type describes schemas."""
    assert outcome == found(form, text).outcome


def test_a_swallowed_key_is_no_matter_when_it_is_given() -> None:
    """A comment about a field that is given loses nothing."""
    assert (Lists(count=1), ["comment.removed"]) == took(Lists, '{"count": 1 // "count": how many\n}')


def test_key_style_is_a_repair_of_the_schema() -> None:
    """Below the level of the schema a near miss is refused, never ignored in favour of a default."""
    assert ("invalid", ["repair_forbidden"]) == took(Annotated[Open, "x"], '{"name": "a", "N": 1}', Recovery.SYNTAX)

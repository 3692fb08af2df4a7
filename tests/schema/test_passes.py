"""The passes that bring a schema into a dialect, one by one: what each changes, what it loses, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from settled.schema.constraints import drop_keywords
from settled.schema.decimals import decimals
from settled.schema.dialects import DIALECTS
from settled.schema.passes import (
    check_shapes,
    flatten_all_of,
    inline_defs,
    merged,
    normalise,
    one_of_to_any_of,
    recursive_of,
    ref_siblings,
    typed_choices,
)
from settled.schema.reshaping import close_objects, maps, require_all, tuples
from settled.schema.walking import Passed, as_json, rewritten, visits
from settled.vocabulary.exchange import JsonObject

OPENAI, GEMINI, LLAMACPP, XAI, XGRAMMAR, ANTHROPIC, AZURE, PORTABLE = (
    DIALECTS[name] for name in ["openai", "gemini", "llamacpp", "xai", "xgrammar", "anthropic", "azure", "portable"]
)
INT: JsonObject = {"type": "integer"}
TEXT: JsonObject = {"type": "string"}
NULL: JsonObject = {"type": "null"}
REF: JsonObject = {"$ref": "#/$defs/N"}
PAIR: JsonObject = {"type": "array", "prefixItems": [INT, TEXT], "minItems": 2, "maxItems": 2}
TWINS: JsonObject = {"type": "array", "prefixItems": [INT, INT], "minItems": 2, "maxItems": 2}
COUNTS: JsonObject = {"type": "object", "additionalProperties": INT}
UNTYPED_MAP: JsonObject = {"type": "object", "additionalProperties": True}
TREE: JsonObject = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N", "description": "below"}}}
Pass = Callable[[Any], "Passed | JsonObject"]


def of(**properties: Any) -> Any:
    """An object with some properties, all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def closed(**properties: Any) -> Any:
    """The same, closed."""
    return {**of(**properties), "additionalProperties": False}


def schema_of(made: Passed | JsonObject) -> JsonObject:
    """What a pass made."""
    return made.schema if isinstance(made, Passed) else made


def entries(key: JsonObject, value: JsonObject, **more: Any) -> Any:
    """A map as a list of entries."""
    return {"type": "array", "items": closed(key=key, value=value), **more}


CASES: dict[str, tuple[Pass, Any, Any]] = {
    "normalise drops annotations": (
        normalise,
        {"title": "A", "$schema": "s", "examples": [1], "discriminator": {}, "deprecated": True, "description": "d", **INT},
        {"description": "d", **INT},
    ),
    "normalise keeps a property of such a name": (normalise, of(title={"title": "T", **TEXT}), of(title=TEXT)),
    "normalise reads old definitions": (
        normalise,
        {"items": {"$ref": "#/definitions/N"}, "definitions": {"N": {"title": "N", **INT}}},
        {"items": REF, "$defs": {"N": INT}},
    ),
    "normalise gives lists items": (normalise, {"type": "array"}, {"type": "array", "items": {}}),
    "normalise spells true as a schema": (
        normalise,
        {"type": "array", "items": True, "properties": {"a": True}, "anyOf": [True]},
        {"type": "array", "items": {}, "properties": {"a": {}}, "anyOf": [{}]},
    ),
    "normalise types the names of keys": (
        normalise,
        {"propertyNames": {"minLength": 2}},
        {"propertyNames": {**TEXT, "minLength": 2}},
    ),
    "normalise leaves out unused definitions": (normalise, {**INT, "$defs": {"N": INT}}, INT),
    "oneOf becomes anyOf": (lambda s: one_of_to_any_of(s, OPENAI), {"items": {"oneOf": [INT]}}, {"items": {"anyOf": [INT]}}),
    "oneOf stays where it is understood": (lambda s: one_of_to_any_of(s, XAI), {"oneOf": [INT]}, {"oneOf": [INT]}),
    "oneOf stays beside anyOf": (
        lambda s: one_of_to_any_of(s, OPENAI),
        {"oneOf": [INT], "anyOf": [INT]},
        {"oneOf": [INT], "anyOf": [INT]},
    ),
    "allOf of one is flattened": (flatten_all_of, {"allOf": [REF], "description": "d"}, {"description": "d", **REF}),
    "allOf of objects is flattened": (
        flatten_all_of,
        {"allOf": [of(a=INT), of(b=INT)]},
        {"type": "object", "properties": {"a": INT, "b": INT}, "required": ["a", "b"]},
    ),
    "allOf that disagrees stays": (flatten_all_of, {"allOf": [INT, TEXT]}, {"allOf": [INT, TEXT]}),
    "allOf of two of one property stays": (
        flatten_all_of,
        {"allOf": [of(a=INT), of(a=TEXT)]},
        {"allOf": [of(a=INT), of(a=TEXT)]},
    ),
    "allOf of a reference and a type stays": (flatten_all_of, {"allOf": [REF, INT]}, {"allOf": [REF, INT]}),
    "const gets its type": (lambda s: typed_choices(s, OPENAI), {"const": True}, {"const": True, "type": "boolean"}),
    "const becomes an enum": (lambda s: typed_choices(s, GEMINI), {"const": 2, **INT}, {"enum": [2], **INT}),
    "const null is a type": (lambda s: typed_choices(s, GEMINI), {"const": None, "type": "null"}, NULL),
    "const of a list stays": (lambda s: typed_choices(s, OPENAI), {"const": [1]}, {"const": [1]}),
    "enum gets its type": (lambda s: typed_choices(s, OPENAI), {"enum": ["a"]}, {"enum": ["a"], **TEXT}),
    "enum of several types is split": (
        lambda s: typed_choices(s, OPENAI),
        {"enum": ["a", 1, None, True], "description": "d"},
        {"description": "d", "anyOf": [{"enum": ["a"], **TEXT}, {"enum": [1], **INT}, NULL, {"enum": [True], "type": "boolean"}]},
    ),
    "enum with a list stays": (lambda s: typed_choices(s, OPENAI), {"enum": [[1]]}, {"enum": [[1]]}),
    "siblings are wrapped": (
        lambda s: ref_siblings(s, OPENAI),
        {"items": {**REF, "description": "d"}, "$defs": {"N": INT}},
        {"items": {"anyOf": [REF], "description": "d"}, "$defs": {"N": INT}},
    ),
    "siblings are inlined": (
        lambda s: ref_siblings(s, ANTHROPIC),
        of(a={**REF, "description": "d"}, b=REF) | {"$defs": {"N": INT}},
        of(a={"description": "d", **INT}, b=REF) | {"$defs": {"N": INT}},
    ),
    "siblings of a recursive reference are wrapped": (
        lambda s: ref_siblings(s, LLAMACPP),
        {"items": REF, "$defs": {"N": TREE}},
        {"items": REF, "$defs": {"N": {**TREE, "properties": {"next": {"anyOf": [REF], "description": "below"}}}}},
    ),
    "definitions are inlined": (
        lambda s: inline_defs(s, GEMINI),
        {"items": {"$ref": "#/$defs/A", "description": "d"}, "$defs": {"A": of(n=REF), "N": {**INT, "description": "n"}}},
        {"items": {"description": "d", **of(n={**INT, "description": "n"})}},
    ),
    "recursive definitions stay": (
        lambda s: inline_defs(s, LLAMACPP),
        {"items": {"$ref": "#/$defs/A"}, "$defs": {"A": of(n=REF), "N": {"items": REF}}},
        {"items": of(n=REF), "$defs": {"N": {"items": REF}}},
    ),
    "definitions stay": (
        lambda s: inline_defs(s, OPENAI),
        {"items": REF, "$defs": {"N": INT}},
        {"items": REF, "$defs": {"N": INT}},
    ),
    "a tuple is an object": (
        lambda s: tuples(s, OPENAI),
        of(a={**PAIR, "description": "d", "default": [1, "x"]}),
        of(a={"description": "d", **closed(item_0=INT, item_1=TEXT)}),
    ),
    "a tuple of twins is a list": (
        lambda s: tuples(s, OPENAI),
        of(a=TWINS),
        of(a={"type": "array", "minItems": 2, "maxItems": 2, "items": INT}),
    ),
    "a tuple of twins beside another tuple is an object": (
        lambda s: tuples(s, OPENAI),
        of(a=TWINS, b=PAIR),
        of(a=closed(item_0=INT, item_1=INT), b=closed(item_0=INT, item_1=TEXT)),
    ),
    "a tuple stays": (lambda s: tuples(s, XGRAMMAR), of(a=PAIR), of(a=PAIR)),
    "a map is a list of entries": (
        lambda s: maps(s, OPENAI),
        of(a={**COUNTS, "description": "d", "default": {}, "minProperties": 1, "maxProperties": 2}),
        of(a={"description": "d", **entries(TEXT, INT, minItems=1, maxItems=2)}),
    ),
    "a map of maps": (
        lambda s: maps(s, OPENAI),
        {**COUNTS, "additionalProperties": COUNTS},
        entries(TEXT, entries(TEXT, INT)),
    ),
    "the keys of a map keep their rule": (
        lambda s: maps(s, OPENAI),
        {**COUNTS, "propertyNames": {**TEXT, "enum": ["a"]}},
        entries({**TEXT, "enum": ["a"]}, INT),
    ),
    "the keys of a map keep their pattern": (
        lambda s: maps(s, OPENAI),
        {"type": "object", "patternProperties": {"^a": INT}},
        entries({**TEXT, "pattern": "^a"}, INT),
    ),
    "a map stays": (lambda s: maps(s, GEMINI), COUNTS, COUNTS),
    "a rule for keys is said": (
        lambda s: maps(s, LLAMACPP),
        {"type": "object", "patternProperties": {"^a": INT}},
        {"type": "object", "additionalProperties": INT, "description": 'keys={"type":"string","pattern":"^a"}'},
    ),
    "an enum of keys is said": (
        lambda s: maps(s, LLAMACPP),
        {**COUNTS, "propertyNames": REF, "$defs": {"N": {**TEXT, "enum": ["a"], "description": "d"}}},
        {
            **COUNTS,
            "description": 'keys={"type":"string","enum":["a"]}',
            "$defs": {"N": {**TEXT, "enum": ["a"], "description": "d"}},
        },
    ),
    "an empty object is no map": (
        lambda s: maps(s, OPENAI),
        {**UNTYPED_MAP, "properties": {}},
        {**UNTYPED_MAP, "properties": {}},
    ),
    "all are required": (
        lambda s: require_all(s, OPENAI),
        {"type": "object", "properties": {"a": INT, "b": {**INT, "default": 3, "description": "d"}}, "required": ["a"]},
        of(a=INT, b={"anyOf": [INT, NULL], "description": "d"}),
    ),
    "null is not said twice": (
        lambda s: require_all(s, OPENAI),
        {
            "type": "object",
            "properties": {"a": {"anyOf": [INT, NULL]}, "b": NULL, "c": {"type": ["string", "null"]}, "d": {"enum": [None]}},
        },
        of(a={"anyOf": [INT, NULL]}, b=NULL, c={"type": ["string", "null"]}, d={"enum": [None]}),
    ),
    "null joins a union": (
        lambda s: require_all(s, OPENAI),
        {"type": "object", "properties": {"a": {"anyOf": [INT, TEXT], "description": "d"}, "b": {"description": "any"}}},
        of(a={"anyOf": [INT, TEXT, NULL], "description": "d"}, b={"description": "any"}),
    ),
    "optional properties stay": (lambda s: require_all(s, XAI), {"properties": {"a": INT}}, {"properties": {"a": INT}}),
    "objects are closed": (lambda s: close_objects(s, OPENAI), of(a=of()), closed(a=closed())),
    "objects that allow more are closed": (lambda s: close_objects(s, OPENAI), {**of(), "additionalProperties": INT}, closed()),
    "objects that allow more stay": (lambda s: close_objects(s, GEMINI), {**of(), **UNTYPED_MAP}, {**of(), **UNTYPED_MAP}),
    "an object of anything says so": (
        lambda s: close_objects(s, LLAMACPP),
        {"type": "object"},
        {"type": "object", "additionalProperties": True},
    ),
    "an object with nothing gets properties": (
        lambda s: close_objects(s, OPENAI),
        {"type": "object", "additionalProperties": False},
        {"type": "object", "properties": {}, "additionalProperties": False},
    ),
    "constraints are said": (
        lambda s: drop_keywords(s, PORTABLE),
        {**INT, "description": "in years", "maximum": 9, "minimum": 1, "x-more": 1, "default": 2},
        {**INT, "description": "in years (minimum=1, maximum=9)"},
    ),
    "all kinds of constraints are said": (
        lambda s: drop_keywords(s, PORTABLE),
        {**TEXT, "pattern": "^a$", "maxLength": 3, "format": "time", "not": {"enum": ["b"]}},
        {**TEXT, "description": 'maxLength=3, pattern=^a$, format=time (HH:MM:SS), not={"enum":["b"]}'},
    ),
    "a default stays": (lambda s: drop_keywords(s, ANTHROPIC), {**INT, "default": 3}, {**INT, "default": 3}),
    "a low bound stays": (
        lambda s: drop_keywords(s, ANTHROPIC),
        of(a={"minItems": 1}, b={"minItems": 2}),
        of(a={"minItems": 1}, b={"description": "minItems=2"}),
    ),
    "bounds of integers stay": (
        lambda s: drop_keywords(s, LLAMACPP),
        of(a={**INT, "minimum": 1}, b={"type": "number", "minimum": 0.5}),
        of(a={**INT, "minimum": 1}, b={"type": "number", "description": "minimum=0.5"}),
    ),
    "a length beside a pattern is said": (
        lambda s: drop_keywords(s, XGRAMMAR),
        of(a={**TEXT, "maxLength": 3, "pattern": "a"}, b={**TEXT, "maxLength": 3}),
        of(a={**TEXT, "pattern": "a", "description": "maxLength=3"}, b={**TEXT, "maxLength": 3}),
    ),
    "a decimal is text": (
        lambda s: decimals(s),
        {**TEXT, "format": "decimal", "minimum": "0.10", "decimalPlaces": "2", "description": "price"},
        {**TEXT, "description": "price (decimal number as text, minimum=0.10, decimalPlaces=2)"},
    ),
    "a decimal of pydantic 2.12 is text": (
        lambda s: decimals(s),
        {
            "anyOf": [{"type": "number", "minimum": 1.5}, {**TEXT, "pattern": "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$"}],
            "description": "d",
        },
        {**TEXT, "description": "d (decimal number as text, minimum=1.5)"},
    ),
    "a decimal in a union of pydantic 2.12 is text": (
        lambda s: decimals(s),
        {"anyOf": [INT, {"type": "number"}, {**TEXT, "pattern": "^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$"}, NULL]},
        {"anyOf": [INT, {**TEXT, "description": "decimal number as text"}, NULL]},
    ),
    "a number or a text is no decimal": (
        lambda s: decimals(s),
        {"anyOf": [{"type": "number"}, TEXT]},
        {"anyOf": [{"type": "number"}, TEXT]},
    ),
}


@pytest.mark.parametrize("run, given, expected", CASES.values(), ids=CASES)
def test_pass(run: Pass, given: JsonObject, expected: JsonObject) -> None:
    """A pass makes what it should, and does not touch what it was given."""
    before = deepcopy(given)
    assert as_json(schema_of(run(given))) == as_json(schema_of(run(before)))
    assert expected == schema_of(run(given))
    assert before == given


PATTERNS: dict[str, tuple[str, str]] = {  # pattern: the dialects that are sent it
    "plain": ("^[a-z]+$", "openai anthropic llamacpp xgrammar"),
    "open": ("[a-z]+", "openai anthropic xgrammar"),
    "a class": (r"^\d+$", "openai anthropic xgrammar"),
    "an escaped backslash": (r"^\\d$", "openai anthropic llamacpp xgrammar"),
    "lookahead": ("^(?=a)a$", ""),
    "negative lookbehind": ("^(?<!a)b$", ""),
    "an escaped bracket": (r"^\(?=a$", "openai anthropic llamacpp xgrammar"),
    "a word boundary": (r"^a\b$", "openai xgrammar"),
    "a back reference": (r"^(a)\1$", "openai xgrammar"),
    "an escaped end": (r"^a\$", "openai anthropic xgrammar"),
}


@pytest.mark.parametrize("pattern, names", PATTERNS.values(), ids=PATTERNS)
def test_patterns(pattern: str, names: str) -> None:
    """A pattern is sent to those who can read it, and said to the others."""
    for name in ["openai", "anthropic", "llamacpp", "xgrammar", "gemini"]:
        sent = drop_keywords({**TEXT, "pattern": pattern}, DIALECTS[name]).schema
        assert (name in names.split(), name not in names.split()) == ("pattern" in sent, "description" in sent), name


LOSSES: dict[str, tuple[Callable[[Any], Passed], Any, list[tuple[str, str]]]] = {
    "root": (lambda s: check_shapes(s, OPENAI), TEXT, [("$", "shape")]),
    "root that is a union": (lambda s: check_shapes(s, OPENAI), {"anyOf": [of()]}, [("$", "shape")]),
    "root, where any will do": (lambda s: check_shapes(s, LLAMACPP), TEXT, []),
    "untyped": (
        lambda s: check_shapes(s, OPENAI),
        of(a={"description": "d"}, b={"type": "array", "items": {}}),
        [("$.a", "shape"), ("$.b[]", "shape")],
    ),
    "untyped, where it is understood": (lambda s: check_shapes(s, LLAMACPP), of(a={}), []),
    "recursion": (
        lambda s: check_shapes(s, GEMINI),
        {**of(a=REF), "$defs": {"N": TREE}},
        [("$.a", "shape"), ("$.a.next", "shape")],
    ),
    "recursion, where it is understood": (lambda s: check_shapes(s, OPENAI), {**of(a=REF), "$defs": {"N": TREE}}, []),
    "recursion of the root": (lambda s: check_shapes(s, GEMINI), of(a={"$ref": "#"}), [("$.a", "shape")]),
    "another reference": (lambda s: check_shapes(s, OPENAI), of(a={"$ref": "#/properties/b"}), [("$.a", "shape")]),
    "allOf": (lambda s: check_shapes(s, OPENAI), of(a={"allOf": [INT, TEXT]}), [("$.a", "shape")]),
    "allOf, where it is understood": (lambda s: check_shapes(s, XGRAMMAR), of(a={"allOf": [INT, TEXT]}), []),
    "oneOf with an empty branch": (
        lambda s: check_shapes(s, XAI),
        of(a={"oneOf": [INT, {}]}),
        [("$.a", "shape"), ("$.a", "shape")],
    ),
    "a tuple that cannot be read back": (lambda s: tuples(s, OPENAI, encodable=False), of(a=PAIR), [("$.a", "shape")]),
    "twins can always be read back": (lambda s: tuples(s, OPENAI, encodable=False), of(a=TWINS), []),
    "a tuple with more": (
        lambda s: tuples(s, OPENAI),
        of(a={"type": "array", "prefixItems": [INT], "items": TEXT}),
        [("$.a", "shape")],
    ),
    "a tuple with a default": (lambda s: tuples(s, OPENAI), of(a={**PAIR, "minItems": 1}), [("$.a", "shape")]),
    "two tuples in a union": (lambda s: tuples(s, OPENAI), of(a={"anyOf": [PAIR, TWINS]}), [("$.a", "shape")] * 2),
    "a tuple and an object in a union": (lambda s: tuples(s, OPENAI), of(a={"anyOf": [PAIR, of()]}), [("$.a", "shape")]),
    "a tuple or null": (lambda s: tuples(s, OPENAI), of(a={"anyOf": [PAIR, NULL]}), []),
    "a map that cannot be read back": (lambda s: maps(s, OPENAI, encodable=False), of(a=COUNTS), [("$.a", "shape")]),
    "a map of anything": (lambda s: maps(s, OPENAI), of(a={"type": "array", "items": UNTYPED_MAP}), [("$.a[]", "shape")]),
    "a map and a list in a union": (
        lambda s: maps(s, OPENAI),
        of(a={"anyOf": [COUNTS, {"type": "array", "items": INT}]}),
        [("$.a", "shape")],
    ),
    "a map and a list through a definition": (
        lambda s: maps(s, OPENAI),
        {**of(a={"anyOf": [REF, {"type": "array"}]}), "$defs": {"N": COUNTS}},
        [("$.a", "shape")],
    ),
    "a map or null": (lambda s: maps(s, OPENAI), of(a={"anyOf": [COUNTS, NULL]}), []),
    "keys that follow a rule": (lambda s: maps(s, LLAMACPP), of(a={**COUNTS, "propertyNames": TEXT}), [("$.a", "constraint")]),
    "an object that allows more": (
        lambda s: close_objects(s, OPENAI),
        of(a={**of(), "additionalProperties": True}),
        [("$.a", "shape")],
    ),
    "a constraint": (lambda s: drop_keywords(s, AZURE), of(a={**INT, "minimum": 1}), [("$.a", "constraint")]),
    "an annotation": (lambda s: drop_keywords(s, AZURE), of(a={**INT, "default": 1}), []),
    "bounds of a decimal": (lambda s: decimals(s), of(a={**TEXT, "format": "decimal", "maximum": "9"}), [("$.a", "constraint")]),
}


@pytest.mark.parametrize("run, given, expected", LOSSES.values(), ids=LOSSES)
def test_losses(run: Callable[[Any], Passed], given: JsonObject, expected: list[tuple[str, str]]) -> None:
    """Each loss is told with its path and its kind, wholes first."""
    assert expected == [(loss.path, loss.kind) for loss in run(given).losses]


def test_both_descriptions_are_kept() -> None:
    """Where a definition takes the place of a reference, what was said beside the reference comes first."""
    assert {"description": "a\nb", **INT} == merged({"description": "a"}, {"description": "b", **INT})
    assert {"description": "a", **INT} == merged({"description": "a"}, {"description": "a", **INT})


def test_recursive_definitions_are_found() -> None:
    """Recursive are those that lead back to themselves, not those that lead to them."""
    names = {"A": of(b={"$ref": "#/$defs/B"}), "B": of(a={"$ref": "#/$defs/A"}), "C": of(a={"$ref": "#/$defs/A"})}
    assert {"A", "B"} == recursive_of({"$defs": names})


def doubling(levels: int) -> Any:
    """Definitions each of which uses the next one twice."""
    link: Callable[[int], JsonObject] = lambda level: {"$ref": f"#/$defs/L{level}"}  # noqa: E731
    table: dict[str, Any] = {f"L{level}": of(a=link(level + 1), b=link(level + 1)) for level in range(levels)}
    return {**of(a=link(0)), "$defs": {**table, f"L{levels}": INT}}


def test_inlining_does_not_explode() -> None:
    """Definitions that would double at every level are kept, and that is told."""
    assert () == inline_defs(doubling(5), GEMINI).losses
    (loss,) = inline_defs(doubling(60), GEMINI).losses
    assert ("$", "shape") == (loss.path, loss.kind)
    assert "anyOf" not in as_json(ref_siblings(doubling(60), ANTHROPIC))


def test_depth_is_no_matter() -> None:
    """A schema much deeper than Python's stack goes through every walk."""
    deep: JsonObject = INT
    for _ in range(5000):
        deep = {"type": "array", "items": deep}
    assert sum(1 for _ in visits(deep)) == 5001
    assert sum(1 for _ in visits(rewritten(deep, lambda node, _: node))) == 5001


def test_definitions_stand_in_the_order_of_their_use() -> None:
    """Schemas that differ in the order of their definitions make the same bytes."""
    table: dict[str, Any] = {"B": INT, "A": TEXT}
    body = of(x={"$ref": "#/$defs/A"}, y={"$ref": "#/$defs/B"})
    one, other = ({**body, "$defs": dict(order)} for order in (table.items(), sorted(table.items())))
    assert as_json(normalise(one)) == as_json(normalise(other))

"""`DIALECTS`: what each kind of server understands of JSON Schema, as data.

Public documentation and issues say what is accepted, and often say nothing. Where they do not, the answer here is no: a
constraint that is not sent is said in the description and checked when the reply is validated, and a shape that is not sent as it
stands is spelled otherwise. No service was asked. Sources and doubts stand in each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from ..vocabulary.errors import MisuseError

_BASE = frozenset({
    "type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs",
})  # fmt: skip
_LENGTHS = frozenset({"minLength", "maxLength"})
_ITEMS = frozenset({"minItems", "maxItems"})
_PROPERTIES = frozenset({"minProperties", "maxProperties"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_NINE = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_NO_MOST: Mapping[str, int] = MappingProxyType({})
INLINE = "+inline"
"""Behind the name of a dialect: the same, for a model that does not see definitions."""


class Limits(NamedTuple):
    """How large a schema may be. None: no limit is known.

    Example:
        >>> Limits(properties=100).levels is None
        True
    """

    properties: int | None = None
    """Properties of all objects together; references are not followed."""
    levels: int | None = None
    """Objects inside each other, in the root and in each definition by itself."""
    enum_values: int | None = None
    """Values of all enums together."""
    long_enum: tuple[int, int] | None = None
    """An enum of texts with more values than the first may have as many characters as the second."""
    characters: int | None = None
    """Of the names of properties and definitions, and of the values of enums and constants."""
    whole: int | None = None
    """Characters of the schema as compact JSON."""
    branches: int | None = None
    """Branches of one anyOf."""
    optional: int | None = None
    """Properties that may be absent."""
    unions: int | None = None
    """Properties that are an anyOf."""


class Dialect(NamedTuple):
    """What one kind of server understands. What is not said is not understood.

    Example:
        >>> DIALECTS["azure"].limits.properties
        100
    """

    name: str
    """As in `DIALECTS`."""
    source: str
    """Who says so, and where they leave doubts."""
    keywords: frozenset[str]
    """All that may stand in a schema, within what the other fields say."""
    formats: frozenset[str] = frozenset()
    """The values of ``format`` that are understood."""
    patterns: Literal["none", "simple", "no_lookaround", "anchored"] = "none"
    """Simple: nothing but what is regular. Anchored: from ``^`` to ``$``, without classes such as ``\\d``."""
    most: Mapping[str, int] = _NO_MOST
    """The highest value that a keyword may have."""
    integers_only: frozenset[str] = frozenset()
    """Bounds that are understood of integers, and ignored for other numbers."""
    lone_lengths: bool = False
    """The length of a text cannot stand beside its pattern or format."""
    refs: Literal["keep", "inline"] = "inline"
    """Whether definitions are read; inlined are all but recursive ones."""
    ref_siblings: Literal["wrap", "inline"] = "wrap"
    """What is done with a reference that has a description beside it: into an anyOf of one, or the definition in its place."""
    recursion: bool = False
    """A definition may refer to itself."""
    optional: bool = False
    """A property may be absent; else all are required, and null stands for absent."""
    maps: bool = False
    """An object may have keys that are not named: ``additionalProperties`` may be true or a schema."""
    tuples: bool = False
    """``prefixItems`` is understood."""
    root_any: bool = False
    """The root may be other than an object."""
    untyped: bool = False
    """``{}`` is understood: any value."""
    strict_flag: bool = False
    """Requests say whether the server must hold the reply to the schema. If not, it takes any schema."""
    limits: Limits = Limits()
    """How large the schema may be."""


_ROWS = (
    Dialect(
        "openai",
        "OpenAI's guide to structured outputs. Lengths of texts are not in its list; pydantic-ai found its own API to take them. "
        "What counts as a level is not said. Patterns without lookaround: pydantic-ai.",
        keywords=_BASE | _LENGTHS | _ITEMS | _BOUNDS | {"multipleOf", "pattern", "format", "const"},
        formats=_NINE,
        patterns="no_lookaround",
        refs="keep",
        recursion=True,
        strict_flag=True,
        limits=Limits(properties=5000, levels=10, enum_values=1000, long_enum=(250, 15_000), characters=120_000),
    ),
    Dialect(
        "azure",
        "Azure's page on structured outputs, December 2025: OpenAI's less every constraint on values. May lag the service.",
        keywords=_BASE | {"const"},
        refs="keep",
        recursion=True,
        strict_flag=True,
        limits=Limits(properties=100, levels=5, enum_values=1000, long_enum=(250, 15_000), characters=120_000),
    ),
    Dialect(
        "anthropic",
        "Anthropic's page on structured outputs and the transformer of its SDK, which drops what stands beside a reference. "
        "Unsure: prefixItems and a root that is no object, taken here as not understood.",
        keywords=_BASE | {"const", "allOf", "default", "pattern", "format", "minItems"},
        formats=_NINE | {"uri"},
        patterns="simple",
        most=MappingProxyType({"minItems": 1}),
        refs="keep",
        ref_siblings="inline",  # an anyOf of one would count as a union
        optional=True,
        strict_flag=True,
        limits=Limits(optional=24, unions=16),
    ),
    Dialect(
        "gemini",
        "Google's reference of responseJsonSchema and pydantic-ai's profile. The exact subset of the compatible endpoint is "
        "unsure: what is only best effort is said in words. Recursion is limited, to what is not said: taken as not understood.",
        keywords=_BASE | _ITEMS | {"prefixItems", "minimum", "maximum", "format"},
        formats=frozenset({"date-time", "date", "time"}),
        optional=True,
        maps=True,
        tuples=True,
        root_any=True,
        untyped=True,
    ),
    Dialect(
        "groq",
        "Groq's page on strict mode: all required, all closed; the rest is not documented, so nothing else is sent. "
        "Inlined, since gpt-oss does not see definitions (pydantic-ai).",
        keywords=_BASE,
        strict_flag=True,
    ),
    Dialect(
        "cerebras",
        "Cerebras's page on structured outputs. It names 10 levels in one paragraph and 5 in another: 10 here. "
        "Constraints on values are not mentioned, and what is not used in validation is not supported.",
        keywords=_BASE | {"prefixItems"},
        refs="keep",
        optional=True,
        tuples=True,
        strict_flag=True,
        limits=Limits(properties=500, levels=10, enum_values=500, long_enum=(250, 7500), whole=5000, branches=5),
    ),
    Dialect(
        "xai",
        "xAI's page on structured outputs: guaranteed up to the highest values named, and always on. Unsure: open objects, "
        "tuples, patterns, bounds of numbers, a root that is no object; taken as not understood.",
        keywords=_BASE | _LENGTHS | _ITEMS | _PROPERTIES | {"const", "oneOf", "format"},
        formats=frozenset({"date", "time", "date-time", "email", "uuid", "ipv4", "ipv6", "uri"}),
        most=MappingProxyType({
            "minLength": 2048, "maxLength": 2048, "minItems": 256, "maxItems": 256, "minProperties": 64, "maxProperties": 64,
        }),
        refs="keep",
        optional=True,
    ),
    Dialect(
        "deepseek",
        "DeepSeek's page on strict mode of its beta address. Definitions are named, recursion, const and multipleOf are not.",
        keywords=_BASE | _BOUNDS | {"pattern", "format"},
        formats=frozenset({"email", "hostname", "ipv4", "ipv6", "uuid"}),
        patterns="no_lookaround",
        refs="keep",
        strict_flag=True,
    ),
    Dialect(
        "llamacpp",
        "llama.cpp's README of grammars and issues #7703, #8073, #19051, #27580; Ollama and LM Studio build on it. Inlined: "
        "references inside references break, and ollama #8444 depends on their order. How large maxItems may be is not said.",
        keywords=_BASE | _LENGTHS | _ITEMS | {"const", "oneOf", "pattern", "format", "minimum", "maximum"},
        formats=frozenset({"date", "time", "date-time", "uuid"}),
        patterns="anchored",
        integers_only=frozenset({"minimum", "maximum"}),
        recursion=True,
        optional=True,
        maps=True,
        root_any=True,
        untyped=True,
    ),
    Dialect(
        "xgrammar",
        "xgrammar's converter, narrowed by what vLLM refuses before it (multipleOf, uniqueItems, other formats, a length beside "
        "a pattern or format) and by llguidance, to which it may fall back (no lookaround). vLLM and SGLang.",
        keywords=_BASE | _LENGTHS | _ITEMS | _BOUNDS | _PROPERTIES
        | {"const", "oneOf", "allOf", "prefixItems", "patternProperties", "propertyNames", "pattern", "format"},
        formats=_NINE | {"uri", "uri-reference", "uri-template", "json-pointer", "relative-json-pointer"},
        patterns="no_lookaround",
        lone_lengths=True,
        refs="keep",
        recursion=True,
        optional=True,
        maps=True,
        tuples=True,
        root_any=True,
        untyped=True,
    ),
    Dialect(
        "portable",
        "For servers that nobody described: closed, required, inlined, constraints in words. Sources let each take it.",
        keywords=_BASE | {"format"},
        formats=frozenset({"date-time", "date", "uuid", "email"}),
    ),
)  # fmt: skip
DIALECTS: Mapping[str, Dialect] = MappingProxyType({row.name: row for row in _ROWS})
"""The dialects, by name."""


def dialect_of(name: str) -> Dialect:
    """A dialect by its name, behind which ``+inline`` may stand.

    Raises:
        MisuseError: for a name that is none.

    Example:
        >>> dialect_of("cerebras+inline").refs
        'inline'
    """
    plain = name[: -len(INLINE)] if name.endswith(INLINE) else name
    found = DIALECTS.get(plain)
    if found is None:
        raise MisuseError(f"dialect {name!r}: there is none of this name; use one of {', '.join(DIALECTS)}")
    return found if plain == name else found._replace(refs="inline")

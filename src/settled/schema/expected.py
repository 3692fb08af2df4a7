"""`Expected`: what a type takes, as a small tree of our own, read from pydantic's core schema once per type.

Recovery aligns a payload with it before pydantic validates. It says less than the core schema (constraints stay pydantic's), and
where it does not know a part, it says so (``opaque``), and recovery leaves that part alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal[
    "text", "integer", "number", "decimal", "boolean", "null", "date", "datetime", "time", "duration", "choice", "list", "map",
    "object", "union", "opaque",
]  # fmt: skip
"""The kinds of value that alignment tells apart. ``opaque`` is everything else: left to pydantic as it stands."""


class FieldExpected:
    """One field of an object; or, where an alias is a path into a part, the key that it begins with, opaque."""

    __slots__ = ("accepted", "attribute", "expected", "has_default", "key", "names", "required")

    def __init__(
        self,
        key: str,
        names: tuple[str, ...],
        expected: Expected,
        *,
        required: bool,
        has_default: bool,
        accepted: tuple[str, ...] | None = None,
        attribute: str = "",
    ) -> None:
        """A field as pydantic takes it and as a model may write it."""
        self.key: str = key
        """What pydantic is given: the first alias, or the name where there is none or aliases are off."""
        self.names: tuple[str, ...] = names
        """All spellings that mean the field, its name first; not those that the config forbids, nor another field's."""
        self.accepted: tuple[str, ...] = (key,) if accepted is None else accepted
        """The spellings that pydantic itself takes, ``key`` first: these need no repair."""
        self.expected: Expected = expected
        """What it takes."""
        self.attribute: str = attribute or key
        """Where the value holds it."""
        self.required: bool = required
        """Pydantic refuses an object without it; False where a path into another part may give the value."""
        self.has_default: bool = has_default
        """It has a default; a key of a TypedDict that may be absent has none, and is not required."""


class Choice:
    """One member of an enum or a literal."""

    __slots__ = ("name", "spelling", "value")
    name: str | None
    value: object

    def __init__(self, value: object, name: str | None = None) -> None:
        """Its JSON value and, for an enum, its member name; ``spelling`` is the value as a text (``True`` is ``"True"``)."""
        self.value, self.name = value, name
        self.spelling: str = value if isinstance(value, str) else "" if value is None else str(value)


class Expected:
    """What one place of a payload takes. Filled once, then never changed; recursive types point back to themselves."""

    __slots__ = (
        "allows_non_finite",
        "at_least",
        "at_most",
        "choices",
        "chosen",
        "extra",
        "fields",
        "item",
        "key_schema",
        "kind",
        "members",
        "merges_keys",
        "name",
        "nullable",
        "prefix",
        "strict",
        "tag",
        "tagged",
        "unique",
    )  # fmt: skip

    def __init__(self, kind: Kind = "opaque") -> None:
        """A place of one kind; the other attributes matter to some kinds only."""
        self.kind: Kind = kind
        self.nullable: bool = False
        """Null is a value of it. Of a union: of one of its members, which are no ``null`` themselves."""
        self.strict: bool = False
        """Pydantic coerces nothing here."""
        self.name: str = ""
        """The name of the class of an object or enum; of a root without a class: the name that the type was given."""
        self.fields: Mapping[str, FieldExpected] = {}
        """Of an object: by key. Two fields that share a key stand as one, opaque."""
        self.extra: Literal["ignore", "allow", "forbid"] = "ignore"
        """Of an object: what becomes of keys that are no field."""
        self.item: Expected | None = None
        """Of a list: its items; of a map: its values; of an object: the values of keys that are no field, if they have a type."""
        self.merges_keys: bool = False
        """Of a map: two keys of a text may be one of the map."""
        self.key_schema: Mapping[str, object] | None = None
        """Of such a map: pydantic's core schema of its keys, where that stands by itself."""
        self.unique: bool = False
        """Of a list: a set, in which equal items become one."""
        self.prefix: tuple[Expected, ...] = ()
        """Of a list: a tuple's places, in order; ``item`` then is what may follow, None for nothing."""
        self.choices: tuple[Choice, ...] = ()
        """Of a choice: its members, without null."""
        self.members: tuple[Expected, ...] = ()
        """Of a union: its members, each once; never a plain union, but one with a discriminator may stand among them."""
        self.chosen: bool = False
        """Of a union without ``tag``: its discriminator is a function or several aliases, so pydantic tries one member."""
        self.tag: str | None = None
        """Of a union whose discriminator is one key: that key."""
        self.tagged: Mapping[str, Expected] = {}
        """Of such a union: the member for each tag, spelled as a text; a member may have several tags, or be a union again."""
        self.at_least: float | None = None
        """Of a number: its lower bound, if it has one; whether the bound itself is a value stays pydantic's."""
        self.at_most: float | None = None
        """Of a number: its upper bound."""
        self.allows_non_finite: bool = False
        """Of a number: NaN and infinities were allowed on purpose."""


class Facts(NamedTuple):
    """Which guards on the strict path a type can need, and whether its values dump as they were written."""

    has_objects: bool
    """An object, a map, or a part that may hold any: keys can be doubled, and those of an object ignored."""
    has_numbers: bool
    """A number, or a choice of numbers, not beside a boolean: ``true`` would pass for 1."""
    has_decimals: bool
    """A Decimal: its digits must not go through a float."""
    has_floats: bool
    """A float that did not allow NaN and infinities on purpose: pydantic lets them through."""
    has_times: bool
    """A date, a time, both, or a duration: a bare number or digits in a text would pass for one."""
    has_text: bool
    """A text or a choice: something that a model writes in quotes."""
    has_booleans: bool
    """A boolean: 1, ``"yes"`` and the like would pass for one."""
    plain: bool
    """No code of the user's runs, and a value dumps with the keys and items it was written with: no function around a part, no
    serializer, computed or excluded field, no dataclass, set, named tuple or JSON inside a text, no field that is dumped under
    another key or read from a path, no ``__init__``, hook after init or ``_missing_`` of the user's."""
    keys: frozenset[str]
    """Every spelling that pydantic takes as the key of a field, in some object of the type."""
    sure: bool
    """What pydantic's strict mode takes is the value that its lax mode would make, and no number, boolean or text in it was taken
    for another kind: no code of the user's runs, nothing is tried in turn, and no choice is a number."""
    hides: bool
    """A list, map or object of it may stand where what is expected does not tell of it: in a part of a kind that is opaque, or
    one whose JSON Schema is not that of what stands inside. So a reply that spells such a part otherwise could not be read."""
    collides: bool
    """Some object does not take a spelling of ``keys``, which is another object's, but has a field that it would be a near miss
    of: the same but for case, ``_``, ``-`` and blanks. Then ``keys`` alone does not tell which keys are ignored."""


def parts_of(place: Expected) -> list[Expected]:
    """The places of the payload directly inside one: of a list, map or object. A union's members are the union's own place.

    Example:
        >>> numbers = Expected("list")
        >>> numbers.item = Expected("integer")
        >>> [part.kind for part in parts_of(numbers)]
        ['integer']
    """
    parts = [*place.prefix, *(field.expected for field in place.fields.values())]
    return parts if place.item is None else [*parts, place.item]


def places_of(expected: Expected) -> Iterator[Expected]:
    """A place and every place inside it, members of unions too, each once, also in recursive types.

    Example:
        >>> numbers = Expected("list")
        >>> numbers.item = Expected("integer")
        >>> [place.kind for place in places_of(numbers)]
        ['list', 'integer']
    """
    seen = {id(expected)}
    waiting = [expected]
    while waiting:
        place = waiting.pop()
        yield place
        for part in (*place.members, *parts_of(place)):
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)

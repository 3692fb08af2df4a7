"""`Burden`: how often pydantic would try the members of a type's unions for one payload, counted before it begins.

Pydantic tries each member of a plain union, and inside each of them again, so a recursive union can take time that is
exponential in the depth of the payload; and while it does, nothing can stop it. What it would do is counted here without doing
it: a place that is reached in many ways is looked at once, with the number of ways, level by level. That is linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from pydantic import ValidationError
from pydantic_core import PydanticCustomError, SchemaValidator, from_json

from ..vocabulary.narrowing import is_list, is_mapping, is_object, is_sequence
from .misfits import TOO_MANY
from .reading import Schema, schemas_in

MOST_TRIES = 100_000
"""Members of unions that pydantic may try for one payload: a second of time where they do not fit."""
TRIES_PER_CHARACTER = 4
"""More are allowed in long payloads: so many for each character, which no payload needs that is only long."""

_Step: TypeAlias = "str | int"
_Path: TypeAlias = "tuple[_Path, _Step] | None"
_LOOKED_INTO: Mapping[str, tuple[str, ...]] = {  # schemas that hand on what stands at their place, and the keys of those inside
    **dict.fromkeys(("function-after", "function-before", "function-wrap", "default", "nullable"), ("schema",)),
    **dict.fromkeys(("model", "dataclass", "custom-error", "missing-sentinel", "definitions"), ("schema",)),
    "chain": ("steps",), "call": ("arguments_schema",), "lax-or-strict": ("lax_schema",), "json-or-python": ("json_schema",),
}  # fmt: skip


class _Here(NamedTuple):
    """What a schema does with what stands at its place."""

    tries: int
    """Members of unions tried."""
    parts: tuple[tuple[int, Schema], ...]
    """The schemas that look at what is inside, and how often each does; and the unions that choose by what is inside."""


class _Visit(NamedTuple):
    """A place of the payload as one schema reads it."""

    times: int
    node: object
    schema: Schema
    path: _Path
    since: tuple[_Path] | None = None
    """Where on its way a place was first looked at in several ways."""


class Burden:
    """Counts for one type.

    Example:
        >>> from pydantic import TypeAdapter
        >>> burden = Burden({"type": "union", "choices": [{"type": "int"}, {"type": "str"}]})
        >>> burden.tries(1), burden.crowded(1, most=1)
        (2, ())
    """

    def __init__(self, schema: Schema) -> None:
        """Counts what a validator that was made of the schema would do."""
        self._schema = schema
        self._definitions = definitions_in(schema)
        self._known: dict[int, _Here] = {}
        sizes = [len(cast("Sequence[object]", part["choices"])) for part, _ in schemas_in(schema) if part.get("type") == "union"]
        self._widest = max([2, *sizes])

    def may_be_heavy(self, text: str) -> bool:
        """Whether a text is nested enough that counting is worth the while.

        Example:
            >>> Burden({"type": "int"}).may_be_heavy("[[1]]")
            False
        """
        return bool(self._widest ** min(text.count("{") + text.count("["), MOST_TRIES.bit_length()) > MOST_TRIES)

    def tries(self, payload: object) -> int:
        """How many members of unions pydantic tries for a payload."""
        return sum(tries for tries, _ in self._counted(payload))

    def crowded(self, payload: object, *, most: int) -> tuple[_Step, ...] | None:
        """Where the trying begins to grow, if more than ``most`` members are tried in all."""
        total = 0
        for tries, visit in self._counted(payload):
            total += tries
            if total > most:
                return _steps(visit.since[0]) if visit.since else ()
        return None

    def _counted(self, payload: object) -> Iterator[tuple[int, _Visit]]:
        """The tries of each schema at each place."""
        level = [_Visit(1, payload, self._schema, None)]
        while level:
            below: dict[tuple[int, int], _Visit] = {}
            for visit in level:
                seen: set[int] = set()
                waiting = [(visit.times, visit.schema)]
                while waiting:
                    times, schema = waiting.pop()
                    here = self._here(schema)
                    yield times * here.tries, visit
                    for often, part in here.parts:
                        if part["type"] == "tagged-union":
                            choice = _choice_of(part, visit.node)
                            if choice is not None:
                                yield times * often, visit
                                waiting.append((times * often, choice))
                            continue
                        for step, child, inner in _inside(part, visit.node):
                            known = below.get((id(child), id(inner)))
                            ways = times * often + (known.times if known else 0)
                            again = id(child) in seen or often > 1
                            since = visit.since or ((visit.path,) if again else None) or (known.since if known else None)
                            seen.add(id(child))
                            below[id(child), id(inner)] = _Visit(ways, child, inner, (visit.path, step), since)
            level = [*below.values()]

    def _here(self, schema: Schema) -> _Here:
        known = self._known.get(id(schema))
        if known is None:
            self._known[id(schema)] = _Here(0, ())  # a schema that is nothing but itself
            tries, parts = 0, dict[int, tuple[int, Schema]]()
            kind = cast("str", schema["type"])
            if kind in _CONTAINERS:
                parts[id(schema)] = 1, schema
            for inner in self._alike(kind, schema):
                here = self._here(inner)
                tries += here.tries + (kind == "union")
                for often, part in here.parts:
                    parts[id(part)] = parts.get(id(part), (0, part))[0] + often, part
            known = self._known[id(schema)] = _Here(tries, (*parts.values(),))
        return known

    def _alike(self, kind: str, schema: Schema) -> list[Schema]:
        """The schemas that are given the same place."""
        if kind == "definition-ref":
            return [self._definitions[cast("str", schema["schema_ref"])]]
        if kind == "union":
            return _choices(schema)
        found = [schema[key] for key in _LOOKED_INTO.get(kind, ()) if key in schema]
        return cast("list[Schema]", [one for part in found for one in (part if is_sequence(part) else [part])])


def definitions_in(schema: Schema) -> dict[str, Schema]:
    """The schemas that a core schema refers to, by their names.

    Example:
        >>> definitions_in({"type": "definitions", "schema": {"type": "int"}, "definitions": [{"type": "str", "ref": "s"}]})
        {'s': {'type': 'str', 'ref': 's'}}
    """
    found = [cast("Sequence[Schema]", part.get("definitions", ())) for part, _ in schemas_in(schema)]
    return {cast("str", definition["ref"]): definition for definitions in found for definition in definitions}


def burden_of(schema: Schema) -> Burden | None:
    """The burden of a type, if a union of it can be tried in more ways at each level; None for other types.

    Example:
        >>> burden_of({"type": "union", "choices": [{"type": "int"}, {"type": "str"}]})
    """
    definitions = definitions_in(schema)
    for union, _ in schemas_in(schema) if definitions else ():
        if union.get("type") == "union":
            choices = [choice for choice in _choices(union) if _leads_to(union, choice, definitions)]
            looked_at_by = [_taken_by(choice, definitions) for choice in choices]
            if any(sum(kind in taken for taken in looked_at_by) > 1 for kind in (dict, list)):
                return Burden(schema)
    return None


def _choices(union: Schema) -> list[Schema]:
    given = cast("Sequence[Schema | tuple[Schema, str]]", union["choices"])  # a label may stand beside a choice
    return [choice[0] if isinstance(choice, tuple) else choice for choice in given]


def _taken_by(schema: Schema, definitions: Mapping[str, Schema]) -> tuple[type, ...]:
    """What a member of a union may look into: objects, lists, or both."""
    kind = schema["type"]
    inside = definitions[cast("str", schema["schema_ref"])] if kind == "definition-ref" else schema.get("schema")
    if kind in ("model", "dataclass", "definition-ref", "function-after", "nullable", "default") and is_mapping(inside):
        return _taken_by(cast("Schema", inside), definitions)
    if kind in ("list", "set", "frozenset", "deque", "tuple"):
        return (list,)
    keyed = kind == "tagged-union" and not callable(schema["discriminator"])
    return (dict,) if keyed or kind in ("model-fields", "typed-dict", "dataclass-args", "dict") else (dict, list)


def _leads_to(union: Schema, choice: object, definitions: Mapping[str, Schema]) -> bool:
    """Whether a union is inside one of its own choices."""
    seen: set[str] = set()
    waiting = [choice]
    while waiting:
        for part, _ in schemas_in(waiting.pop()):
            if part is union:
                return True
            ref = cast("str", part.get("schema_ref", ""))
            if ref and ref not in seen:
                seen.add(ref)
                waiting.append(definitions[ref])
    return False


class Bounded:
    """A validator of JSON that refuses a payload for which it would try too many members of unions."""

    def __init__(self, validator: SchemaValidator, burden: Burden) -> None:
        """Both made of one core schema."""
        self._validator, self._burden = validator, burden

    def validate_json(self, text: str, *, strict: bool | None = None, context: object = None) -> object:
        """The value that the validator makes.

        Raises:
            pydantic.ValidationError: when it does not fit, is no JSON, or would take too long to try.
        """
        if self._burden.may_be_heavy(text):
            self._refuse_heavy(text)
        return self._validator.validate_json(text, strict=strict, context=context)

    def _refuse_heavy(self, text: str) -> None:
        try:
            payload: object = from_json(text)
        except (ValueError, TypeError):
            return  # the validator says what is wrong with it
        crowded = self._burden.crowded(payload, most=max(MOST_TRIES, TRIES_PER_CHARACTER * len(text)))
        if crowded is not None:
            error = PydanticCustomError(TOO_MANY, _TOO_MANY, {"most": f"{MOST_TRIES:,}"})
            raise ValidationError.from_exception_data(self._validator.title, [{"type": error, "loc": crowded, "input": payload}])


_TOO_MANY = (
    "Nested so deeply in a union without a discriminator that its members would be tried more than {most} times; "
    "nest it less deeply, or declare a discriminator"
)


def _steps(path: _Path) -> tuple[_Step, ...]:
    steps: list[_Step] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return (*reversed(steps),)


def _choice_of(union: Schema, node: object) -> Schema | None:
    """The member that a union with a discriminator chooses."""
    choices = cast("Mapping[object, Schema]", union["choices"])
    discriminator = union["discriminator"]
    try:
        if callable(discriminator):
            return choices.get(cast("Callable[[object], object]", discriminator)(node))
        paths = cast("Sequence[Sequence[_Step]]", discriminator if is_sequence(discriminator) else [[discriminator]])
        paths = paths if is_sequence(paths[0]) else [cast("Sequence[_Step]", paths)]
        tags = [tag for path in paths if (tag := _at(node, path)) is not None]
        return choices.get(tags[0]) if tags else None
    except Exception:  # the user's own discriminator, which pydantic is going to call too; and tags that are no keys
        return None


def _at(node: object, path: Sequence[_Step]) -> object:
    """What stands at the end of a path; None where it leads nowhere."""
    for step in path:
        if is_object(node):
            node = node.get(step)
        elif is_list(node) and isinstance(step, int) and -len(node) <= step < len(node):
            node = node[step]
        else:
            return None
    return node


_Inside: TypeAlias = "Iterator[tuple[_Step, object, Schema]]"


def _fields(schema: Schema, node: object) -> _Inside:
    if not is_object(node):
        return
    given = cast("Mapping[str, Schema] | Sequence[Schema]", schema["fields"])
    pairs = given.items() if isinstance(given, Mapping) else [(cast("str", field["name"]), field) for field in given]
    known: set[object] = set()
    for name, field in pairs:
        for path in _paths(name, field.get("validation_alias")):
            known.add(path[0])
            yield path[0], _at(node, path), cast("Schema", field["schema"])
    if "extras_schema" in schema:
        rest = cast("Schema", schema["extras_schema"])
        yield from ((cast("str", key), child, rest) for key, child in node.items() if key not in known)


def _paths(name: str, alias: object) -> list[Sequence[_Step]]:
    """All ways to a field, whether or not the config allows each."""
    if alias is None or isinstance(alias, str):
        return [[name], *([[alias]] if alias and alias != name else [])]
    given = cast("Sequence[object]", alias)
    return [[name], *cast("Sequence[Sequence[_Step]]", given if is_sequence(given[0]) else [given])]


def _arguments(schema: Schema, node: object) -> _Inside:
    """Of a named tuple, which is written as a list or as an object; pydantic before 2.14 calls its class."""
    for place, argument in enumerate(cast("Sequence[Schema]", schema.get("fields") or schema.get("arguments_schema"))):
        name, inner = cast("str", argument["name"]), cast("Schema", argument["schema"])
        yield name, _at(node, [name] if is_object(node) else [place]), inner


def _items(schema: Schema, node: object) -> _Inside:
    if is_list(node) and "items_schema" in schema:
        yield from ((place, item, cast("Schema", schema["items_schema"])) for place, item in enumerate(node))


def _tuple(schema: Schema, node: object) -> _Inside:
    if not is_list(node):
        return
    due = cast("Sequence[Schema]", schema["items_schema"])
    variadic = cast("int | None", schema.get("variadic_item_index"))
    if variadic is not None:
        due = [*due[:variadic], *[due[variadic]] * max(len(node) - len(due) + 1, 0), *due[variadic + 1 :]]
    yield from ((place, item, inner) for place, (item, inner) in enumerate(zip(node, due, strict=False)))


def _values(schema: Schema, node: object) -> _Inside:
    if is_object(node) and "values_schema" in schema:
        yield from ((cast("str", key), item, cast("Schema", schema["values_schema"])) for key, item in node.items())


def _text(schema: Schema, node: object) -> _Inside:
    """JSON inside a text."""
    if isinstance(node, str) and "schema" in schema:
        try:
            yield 0, from_json(node), cast("Schema", schema["schema"])
        except ValueError:
            return


_CONTAINERS: Mapping[str, Callable[[Schema, object], _Inside]] = {
    **dict.fromkeys(("model-fields", "typed-dict", "dataclass-args"), _fields),
    **dict.fromkeys(("list", "set", "frozenset", "deque"), _items),
    **dict.fromkeys(("dict", "frozendict", "ordered-dict", "counter"), _values),
    **dict.fromkeys(("named-tuple", "arguments", "arguments-v3"), _arguments),
    "tuple": _tuple,
    "json": _text,
    "tagged-union": lambda _schema, _node: iter(()),  # followed where it stands
}


def _inside(schema: Schema, node: object) -> _Inside:
    """The containers inside what stands at a place, in a text or not, and the schemas that read them."""
    for step, child, inner in _CONTAINERS[cast("str", schema["type"])](schema, node):
        if isinstance(child, (dict, list)) or (isinstance(child, str) and child.lstrip()[:1] in ("{", "[")):
            yield step, child, inner

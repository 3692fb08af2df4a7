"""`rendered`: a JSON Schema as a type in the manner of TypeScript, which takes a model fewer tokens to read.

parts        one line a key, ``?`` behind those that may be absent, ``//`` before what no type can say    rendering.py
remarks      descriptions, constraints, defaults                                                          remarks.py
definitions  named below the type, ``where Name = ...``, when used twice, recursive or too deep inside

Scalars have the words of JSON Schema, ``integer`` among them. Nothing is left out: what has no words stands as JSON in a comment.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple, cast

from ..vocabulary.exchange import JsonObject
from ..vocabulary.narrowing import is_list, is_object
from .remarks import Node, constraints, described, is_decimal_text, joined, leftovers, on_one_line, spelled

_SCALARS = frozenset(("string", "integer", "number", "boolean", "null"))
_RESERVED: Sequence[str] = (*_SCALARS, "any", "never", "true", "false", "where", "key")
_PLAIN_KEY = r"[A-Za-z_$][A-Za-z0-9_$]*"
_REFERENCE = "#/$defs/"
_DEEPEST = 12
"""Parts inside parts; what is deeper is named, so that neither the indent nor the stack grows with the schema."""
_SHORT_LINE, _SHORT_LABEL = 80, 40


def rendered(schema: JsonObject) -> str:
    """A schema, its ``$defs`` included, as a type in the manner of TypeScript. The schema is not changed.

    Example:
        >>> from pydantic import BaseModel, Field
        >>> class Task(BaseModel):
        ...     title: str = Field(description="the name of the task", max_length=80)
        ...     weight: float | None = None
        ...     tags: list[str] = Field(min_length=1)
        >>> print(rendered(Task.model_json_schema()))
        {
          title: string, // the name of the task; at most 80 characters
          weight?: number | null, // default null
          tags: string[], // at least 1 item
        }
    """
    return _Rendering(cast("Node", schema)).text()


class _Drawn(NamedTuple):
    """One part as it is written."""

    text: str
    remarks: Sequence[str] = ()
    """What is to stand in a comment beside it."""
    compound: bool = False
    """It needs parentheses before anything is written behind it."""


class _Rendering:
    """One schema under way."""

    def __init__(self, schema: Node) -> None:
        definitions = schema.get("$defs")
        self.root = schema
        self.definitions: Node = definitions if is_object(definitions) else {}
        self.uses, self.tags = _uses_of(schema, self.definitions)
        self.names: dict[object, str] = {}
        self.taken: Counter[str] = Counter(_RESERVED)
        self.waiting: deque[tuple[str, object, Set[object]]] = deque()

    def text(self) -> str:
        """The type, then each of the named ones."""
        lines = [_with_remarks("", self.draw(self._root(), 0, 0))]
        while self.waiting:
            name, node, tags = self.waiting.popleft()
            lines.append(_with_remarks(f"where {name} = ", self.draw(node, 0, 0, tags)))
        return "\n".join(lines)

    def _root(self) -> Node:
        """The root; a reference where it is a copy of a definition, as that of a recursive model is."""
        own = {key: value for key, value in self.root.items() if key != "$defs"}
        for key, definition in self.definitions.items():
            if self.uses[key] and _is_same(own, definition):
                return {"$ref": f"{_REFERENCE}{key}"}
        return self.root

    def draw(self, node: object, depth: int, indent: int, tags: Set[object] = frozenset()) -> _Drawn:
        """One part, with its remarks; ``tags`` are keys that must be there though they have a default."""
        if not is_object(node):
            return _Drawn(("any" if node else "never") if isinstance(node, bool) else spelled(node))
        kind = _kind_of(node)
        if depth > _DEEPEST and kind in ("object", "array", "union", "all"):
            return _Drawn(self._named("Part", node))
        if kind == "object":
            return self.of_object(node, depth, indent, tags)
        drawn = _DRAWERS[kind](self, node, depth, indent)
        counted = drawn.text != "[]" and not (kind == "array" and _is_closed_tuple(node))
        after = [*constraints(node, counted=counted), *self._rest(node, _told(node, kind))]
        return drawn._replace(remarks=[*described(node), *drawn.remarks, *after])

    def _rest(self, node: Node, told: Sequence[str]) -> list[str]:
        """What is left to be told in the words of JSON Schema; what it refers to is named."""
        rest = leftovers(node, told)
        for key in _references_in(rest):
            if key in self.definitions:
                self._name(key)
        return [f"JSON Schema {spelled(rest)}"] if rest else []

    def _name(self, key: object) -> str:
        """The name of a definition, which is written below."""
        if key not in self.names:
            self.names[key] = self._named(str(key), self.definitions[key], self.tags.get(key, frozenset()))
        return self.names[key]

    def _named(self, wish: str, node: object, tags: Set[object] = frozenset()) -> str:
        base = re.sub(r"[^A-Za-z0-9]+", "_", wish).strip("_") or "Type"
        base = name = f"_{base}" if base[0].isdigit() else base
        while self.taken[name]:
            name = f"{base}_{self.taken[base]}"
            self.taken[base] += 1
        self.taken[name] += 1
        self.waiting.append((name, node, tags))
        return name

    # ------------------------------------------------------------------------------------------------------ kinds

    def of_reference(self, node: Node, depth: int, indent: int) -> _Drawn:
        key = _reference(node)
        if key not in self.definitions:
            return _Drawn(spelled({"$ref": node["$ref"]}))
        if self.uses[key] > 1 or depth > _DEEPEST:
            return _Drawn(self._name(key))
        return self.draw(self.definitions[key], depth + 1, indent, self.tags.get(key, frozenset()))

    def of_literal(self, node: Node, *_: int) -> _Drawn:
        values = [node["const"]] if "const" in node else node["enum"]
        texts = list(dict.fromkeys(map(spelled, values))) if is_list(values) else [spelled(values)]
        return _Drawn(" | ".join(texts) or "never", compound=len(texts) > 1)

    def of_scalar(self, node: Node, *_: int) -> _Drawn:
        return _Drawn(str(node["type"]))

    def of_any(self, *_: object) -> _Drawn:
        return _Drawn("any")

    def of_unknown(self, node: Node, *_: int) -> _Drawn:
        return _Drawn(spelled({key: value for key, value in node.items() if key not in ("description", "default", "title")}))

    def of_union(self, node: Node, depth: int, indent: int) -> _Drawn:
        members: dict[str, list[Sequence[str]]] = {}
        compound = False
        for member in _members(node):
            drawn = self.draw(member, depth + 1, indent)
            members.setdefault(drawn.text, []).append(drawn.remarks)
            compound = compound or drawn.compound
        alone = sum(text != "null" for text in members) < 2
        remarks: list[str] = []
        for place, (text, told) in enumerate(members.items(), 1):
            if len(told) == 1 and alone:
                remarks += told[0]
            elif all(told):  # of two alike, one without a remark takes all that the other takes
                label = text if len(text) <= _SHORT_LABEL and "\n" not in text else f"member {place}"
                either = " or ".join(dict.fromkeys(map(joined, told)))
                remarks.append(either if alone else f"{label}: {either}")
        return _Drawn(" | ".join(members) or "never", remarks, compound=compound or len(members) > 1)

    def of_all(self, node: Node, depth: int, indent: int) -> _Drawn:
        own = {key: value for key, value in node.items() if key in _SHAPES and key != "allOf"}
        own = {} if own.keys() == {"type"} else own
        given = node["allOf"]
        parts = [*([own] if own else []), *(given if is_list(given) else [given])]
        drawn = [self.draw(part, depth + 1, indent) for part in parts]
        remarks = [remark for part in drawn for remark in part.remarks]
        if len(drawn) == 1:
            return drawn[0]
        return _Drawn(" & ".join(map(_closed, drawn)) or "any", remarks, compound=True)

    def of_array(self, node: Node, depth: int, indent: int) -> _Drawn:
        prefix, items = _prefix(node), node.get("items", True)
        if node.get("maxItems") == 0:
            return _Drawn("[]")
        if not prefix:
            item = self.draw(items, depth + 1, indent)
            return _Drawn(f"{_closed(item)}[]", _under("each", item.remarks))
        least = node.get("minItems", 0)
        texts: list[str] = []
        remarks: list[str] = []
        for place, part in enumerate(prefix):
            drawn = self.draw(part, depth + 1, indent)
            absent = isinstance(least, int) and place >= least
            texts.append(f"{_closed(drawn)}?" if absent else drawn.text)
            title = part.get("title") if is_object(part) else None
            remarks += _under(f"item {place + 1}", [*([on_one_line(title)] if isinstance(title, str) else []), *drawn.remarks])
        if items is not False and node.get("maxItems") != len(prefix):
            rest = self.draw(items, depth + 1, indent)
            texts.append(f"...{_closed(rest)}[]")
            remarks += _under("each of the rest", rest.remarks)
        return _Drawn(f"[{', '.join(texts)}]", remarks)

    # ---------------------------------------------------------------------------------------------------- objects

    def of_object(self, node: Node, depth: int, indent: int, tags: Set[object]) -> _Drawn:
        """Each key on its own line, unless all of them are short and need no remark; a map alone stays on its line."""
        properties, others, docs = _properties(node), _others(node), described(node)
        told = _told(node, "object") if others else (word for word in _told(node, "object") if word != "propertyNames")
        outside = [*constraints(node), *self._rest(node, [*told])]
        if not properties and len(others) == 1:
            ((key, value),) = self._maps(node, others, depth, indent)
            return _Drawn(f"{{ {key}: {value.text} }}", [*docs, *value.remarks, *outside])
        lines = [*self._fields(properties, tags, depth, indent + 1), *self._maps(node, others, depth, indent + 1)]
        if not docs and not any(value.remarks or "\n" in value.text for _, value in lines):
            short = "{ " + ", ".join(f"{key}: {value.text}" for key, value in lines) + " }" if lines else "{}"
            if len(short) <= _SHORT_LINE:
                return _Drawn(short, outside)
        inside = "  " * (indent + 1)
        body = [_with_remarks(f"{key}: ", value, ",", inside) for key, value in lines]
        head = "{" + "".join(f" // {text}" for text in docs)
        return _Drawn("\n".join([head, *body, "  " * indent + "}"]), outside)

    def _fields(
        self, properties: Mapping[object, tuple[object, bool]], tags: Set[object], depth: int, indent: int
    ) -> Iterator[tuple[str, _Drawn]]:
        for key, (part, required) in properties.items():
            if key in tags and is_object(part):
                part = {word: value for word, value in part.items() if word != "default"}
            drawn = self.draw(part, depth + 1, indent)
            mark = "" if required or key in tags else "?"
            yield _key(key) + mark, drawn._replace(remarks=[*_title(key, part), *drawn.remarks])

    def _maps(
        self, node: Node, others: Sequence[tuple[object, Sequence[str]]], depth: int, indent: int
    ) -> Iterator[tuple[str, _Drawn]]:
        if not others:
            return
        keys = self.draw(node.get("propertyNames", {"type": "string"}), depth + 1, indent)
        for part, told in others:
            value = self.draw(part, depth + 1, indent)
            remarks = [*_under("keys", [*keys.remarks, *told]), *_under("values", value.remarks)]
            yield f"[key: {'string' if keys.text == 'any' else keys.text}]", value._replace(remarks=remarks)


_DRAWERS: Mapping[str, Callable[[_Rendering, Node, int, int], _Drawn]] = {
    "reference": _Rendering.of_reference,
    "literal": _Rendering.of_literal,
    "union": _Rendering.of_union,
    "all": _Rendering.of_all,
    "array": _Rendering.of_array,
    "scalar": _Rendering.of_scalar,
    "any": _Rendering.of_any,
    "unknown": _Rendering.of_unknown,
}

# ------------------------------------------------------------------------------------------------------ reading schemas

_KEYWORDS: Mapping[str, Sequence[str]] = {
    "reference": ("$ref",),
    "literal": ("const", "enum"),
    "object": ("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
    "array": ("items", "prefixItems"),
}
_SHAPES = frozenset(("type", "anyOf", "oneOf", "allOf", *(word for words in _KEYWORDS.values() for word in words)))


def _kind_of(node: Node) -> str:
    """Which of the drawers a part is for."""
    kind = node.get("type")
    if isinstance(node.get("$ref"), str):
        return "reference"
    if "const" in node or "enum" in node:
        return "literal"
    if "allOf" in node:
        return "all"
    if "properties" in node:
        return "object"
    if "anyOf" in node or "oneOf" in node or is_list(kind):
        return "union"
    if kind in ("object", "array"):
        return str(kind)
    if kind in _SCALARS:
        return "scalar"
    if not _SHAPES.isdisjoint(node) and kind is None:
        return "array" if "items" in node or "prefixItems" in node else "object"
    return "any" if kind is None else "unknown"


def _told(node: Node, kind: str) -> Sequence[str]:
    """The keywords that the drawer of a kind takes care of."""
    if kind == "all":
        return tuple(_SHAPES)
    if kind != "union":
        return tuple(map(str, node)) if kind == "unknown" else _KEYWORDS.get(kind, ())
    if "anyOf" in node or "oneOf" in node:
        return ("anyOf",) if "anyOf" in node else ("oneOf",)
    return (*_KEYWORDS["object"], *_KEYWORDS["array"])


def _members(node: Node) -> list[object]:
    """The members of a union; a number beside the text of a decimal is one with it."""
    given = node.get("anyOf", node.get("oneOf"))
    if not is_list(given):
        kinds = node.get("type")
        return [_as_one(node, kind) for kind in kinds] if is_list(kinds) else [given]
    members: list[object] = []
    for member in given:
        before = members[-1] if members else None
        if is_decimal_text(member) and is_object(member) and is_object(before) and before.get("type") == "number":
            members[-1] = {**before, **member}
        else:
            members.append(member)
    return members


def _as_one(node: Node, kind: object) -> Node:
    """One of the types of a part that lists several."""
    return {"type": kind, **{word: node[word] for word in _KEYWORDS.get(str(kind), ()) if word in node}}


def _properties(node: Node) -> Mapping[object, tuple[object, bool]]:
    """The named keys of an object: what each holds, and whether it must be there."""
    given, needed = node.get("properties"), node.get("required")
    required = dict.fromkeys(needed if is_list(needed) else ())
    named = {key: (part, key in required) for key, part in given.items()} if is_object(given) else {}
    return {**named, **{key: (True, True) for key in required if key not in named}}


def _others(node: Node) -> list[tuple[object, Sequence[str]]]:
    """What the keys that are not named may hold, each with what is said of those keys."""
    patterns = node.get("patternProperties")
    given: Node = patterns if is_object(patterns) else {}
    extra = node.get("additionalProperties", "properties" not in node and not given)
    rows: list[tuple[object, Sequence[str]]] = [(part, constraints({"pattern": pattern})) for pattern, part in given.items()]
    return rows if extra is False else [*rows, (extra, ())]


def _prefix(node: Node) -> Sequence[object]:
    given = node.get("prefixItems")
    return given if is_list(given) else ()


def _is_closed_tuple(node: Node) -> bool:
    prefix, least = _prefix(node), node.get("minItems", 0)
    return bool(prefix) and node.get("maxItems") == len(prefix) and isinstance(least, int) and least <= len(prefix)


def _uses_of(schema: Node, definitions: Node) -> tuple[Counter[object], dict[object, Set[object]]]:
    """How often each definition is referred to, and the keys by which a union tells it from others."""
    uses: Counter[object] = Counter()
    tags: dict[object, set[object]] = {}
    waiting: list[object] = [schema]
    while waiting:
        node = waiting.pop()
        if not is_object(node):
            continue
        key = _reference(node)
        if key in definitions:
            uses[key] += 1
            waiting += [definitions[key]] if uses[key] == 1 else []
        told = node.get("discriminator")
        if is_object(told):
            for member in filter(is_object, _members(node)):
                tags.setdefault(_reference(member), set()).add(told.get("propertyName"))
        waiting += [node[word] for word in ("items", "additionalProperties", "propertyNames") if word in node]
        for word in ("anyOf", "oneOf", "allOf", "prefixItems", "properties", "patternProperties"):
            parts = node.get(word)
            waiting += parts.values() if is_object(parts) else parts if is_list(parts) else ()
    return uses, {**tags}


def _reference(node: Node) -> object:
    """The definition that a part refers to, or None."""
    path = node.get("$ref")
    if not isinstance(path, str) or not path.startswith(_REFERENCE):
        return None
    return path[len(_REFERENCE) :].replace("~1", "/").replace("~0", "~")


def _references_in(data: object) -> Iterator[object]:
    """What is referred to anywhere in a part that stands as JSON."""
    waiting = [data]
    while waiting:
        node = waiting.pop()
        if is_object(node):
            yield _reference(node)
            waiting += node.values()
        elif is_list(node):
            waiting += node


def _is_same(one: Node, other: object) -> bool:
    try:
        return one == other
    except RecursionError:  # equal to a great depth; what is not recognised is only written twice
        return False


# --------------------------------------------------------------------------------------------------------- writing text


def _key(key: object) -> str:
    return str(key) if re.fullmatch(_PLAIN_KEY, str(key)) else spelled(key)


def _title(key: object, part: object) -> list[str]:
    """A title that says something else than the key does: one that somebody wrote."""
    title = part.get("title") if is_object(part) else None
    if not isinstance(title, str) or re.sub(r"[\W_]", "", title.casefold()) == re.sub(r"[\W_]", "", str(key).casefold()):
        return []
    return [on_one_line(title)]


def _closed(drawn: _Drawn) -> str:
    return f"({drawn.text})" if drawn.compound else drawn.text


def _under(place: str, remarks: Sequence[str]) -> list[str]:
    """The remarks of a part inside, as one that says where."""
    return [f"{place}: {', '.join(remarks)}"] if remarks else []


def _with_remarks(before: str, drawn: _Drawn, after: str = "", inside: str = "") -> str:
    """A part and its comment: behind it, or above it where it has several lines."""
    line = f"{inside}{before}{drawn.text}{after}"
    if not drawn.remarks:
        return line
    comment = f"// {joined(drawn.remarks)}"
    return f"{inside}{comment}\n{line}" if "\n" in drawn.text else f"{line} {comment}"

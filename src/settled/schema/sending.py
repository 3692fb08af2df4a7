"""`sent_schema`: the JSON Schema that a server is sent, in its dialect, strict where that loses nothing of the shape.

    strict is possible   every pass; all that the server takes, it enforces
    strict is off        as pydantic wrote it, but for what a server may fail to read at all
    loose                as off, and constraints in words: after a server refused the schema

A dialect without a switch for strict always gets every pass, and says in the losses what it has no words for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..vocabulary.errors import MisuseError
from ..vocabulary.exchange import JsonObject
from .constraints import CONSTRAINTS, STRUCTURE, check_limits, drop_keywords
from .decimals import decimals
from .dialects import Dialect, dialect_of
from .encoding import PLAIN, PLAIN_DIALECT, Encoding, Loss, SentSchema
from .passes import check_shapes, flatten_all_of, inline_defs, normalise, one_of_to_any_of, ref_siblings, typed_choices
from .reshaping import EXTRAS, close_objects, maps, require_all, tuples
from .walking import Passed

_Step: TypeAlias = "Callable[[JsonObject, Dialect], Passed | JsonObject]"


def sent_schema(
    schema: JsonObject, dialect: str | Dialect, *, strict: bool | None, encodable: bool = True, loose: bool = False
) -> SentSchema:
    """A schema in the dialect of a server. The one given is not changed, and the same one always gives the same bytes.

    Args:
        schema: as pydantic writes it; see `sendable` for its Decimals.
        dialect: a key of `DIALECTS`, with or without ``+inline``, or a dialect.
        strict: None is strict where nothing of the shape is lost; True refuses to lose any, but closes objects that allow extra
            keys; False leaves the schema as open as it was.
        encodable: whether replies can be read back where maps and tuples are spelled otherwise.
        loose: after a refusal: no constraint is sent, and nothing is strict.

    Raises:
        MisuseError: for ``strict=True`` with a type that cannot be sent so, and for an unknown dialect.

    Example:
        >>> counts = {"type": "object", "properties": {"by": {"type": "object", "additionalProperties": {"type": "integer"}}}}
        >>> sent = sent_schema(counts, "openai", strict=None)
        >>> sent.strict, sent.encoding.maps, sent.json_schema["properties"]["by"]["anyOf"][0]["type"]
        (True, True, 'array')
    """
    name = "xgrammar" if dialect == PLAIN_DIALECT else dialect  # which takes nearly all there is
    rules = dialect_of(name) if isinstance(name, str) else name
    if loose:
        rules = rules._replace(keywords=rules.keywords - set(CONSTRAINTS))
    if rules.strict_flag and (loose or strict is False):
        return _open(schema, rules, loose=loose)
    whole = _passed(schema, rules, _strict_steps(encodable=encodable))
    over = () if loose else check_limits(whole.schema, rules.limits)
    losses = (*whole.losses, *(Loss(e.path, "shape", f"{e.number} {e.what}, at most {e.most}") for e in over))
    lost = [loss for loss in losses if loss.kind == "shape"]
    fatal = [loss for loss in lost if loss.what != EXTRAS]
    if strict and fatal and not loose:
        raise MisuseError(_refusal(fatal, rules))
    held = not loose and strict is not False and not (fatal if strict else lost)
    sent = SentSchema(whole.schema, held, losses, whole.encoding, tuple(excess.message for excess in over))
    if held or not rules.strict_flag:
        return sent
    opened = _open(schema, rules)
    return opened._replace(losses=(*lost, *opened.losses), limits=sent.limits)


def written_out(schema: JsonObject, dialect: str) -> JsonObject:
    """A schema with its definitions where they are referred to, for a dialect that wants that; else the schema itself.

    Example:
        >>> written_out({"$ref": "#/$defs/N", "$defs": {"N": {"type": "null"}}}, "portable")
        {'type': 'null'}
    """
    return schema if dialect == PLAIN_DIALECT or "$defs" not in schema else inline_defs(schema, dialect_of(dialect)).schema


def _refusal(losses: list[Loss], dialect: Dialect) -> str:
    first = losses[0]
    more = f" (and {len(losses) - 1} more)" if len(losses) > 1 else ""
    return (
        f"strict=True: {first.path}: {first.what} by {dialect.name}{more}; "
        "give that part a type that can be said, or leave strict out: the schema is then sent without it"
    )


def _strict_steps(*, encodable: bool) -> tuple[_Step, ...]:
    return (
        lambda schema, _: normalise(schema),
        lambda schema, _: decimals(schema),
        one_of_to_any_of,
        lambda schema, _: flatten_all_of(schema),
        typed_choices,
        ref_siblings,
        inline_defs,
        check_shapes,
        lambda schema, dialect: tuples(schema, dialect, encodable=encodable),
        lambda schema, dialect: maps(schema, dialect, encodable=encodable),
        require_all,
        close_objects,
    )


_OPEN_STEPS: tuple[_Step, ...] = (
    lambda schema, _: normalise(schema),
    lambda schema, _: decimals(schema),
    one_of_to_any_of,
    inline_defs,
)
"""What does no harm: a schema that is not enforced may say all that JSON Schema can."""


def _open(schema: JsonObject, dialect: Dialect, *, loose: bool = False) -> SentSchema:
    passed = _passed(schema, dialect, _OPEN_STEPS, drop=False)
    losses = tuple(loss for loss in passed.losses if loss.kind == "constraint")  # nothing was taken from the shape
    if loose:
        everything = dialect._replace(keywords=STRUCTURE | {"default"})
        told = drop_keywords(passed.schema, everything)
        return SentSchema(told.schema, False, (*losses, *told.losses), PLAIN, ())
    return SentSchema(passed.schema, False, losses, PLAIN, ())


def _passed(schema: JsonObject, dialect: Dialect, steps: tuple[_Step, ...], *, drop: bool = True) -> Passed:
    """What some passes, one after the other, make of a schema."""
    losses: list[Loss] = []
    encoding = PLAIN
    for step in steps:
        made = step(schema, dialect)
        passed = made if isinstance(made, Passed) else Passed(made)
        schema = passed.schema
        losses += passed.losses
        encoding = Encoding(*(one or other for one, other in zip(encoding, passed.encoding, strict=True)))
    if not drop:
        return Passed(schema, (*losses,), encoding)
    if encoding != PLAIN:  # a default is spelled plainly
        dialect = dialect._replace(keywords=dialect.keywords - {"default"})
    dropped = drop_keywords(schema, dialect)
    return Passed(dropped.schema, (*losses, *dropped.losses), encoding)

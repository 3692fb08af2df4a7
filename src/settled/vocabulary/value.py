"""The base of every word that has a JSON form: frozen, strict about its fields, and silent about its content.

A value never shows what it holds: only the fields that its class names in ``shown`` appear in ``repr`` and ``str``, so that
no prompt, reply or key reaches a log by accident. Change one by copy (`Value.changed`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar, cast

from pydantic import BaseModel, ConfigDict
from typing_extensions import ParamSpec, Self

from .narrowing import is_mapping, is_sequence

P = ParamSpec("P")
ValueT = TypeVar("ValueT", bound="Value")
_LONGEST_SHOWN = 200  # characters of one field: a model chooses some of the names that are shown

# A frozen model is filled through the slots that BaseModel declares: half the time of object.__setattr__.
_new: Callable[..., Any] = object.__new__
_set_dict, _set_given, _set_extra, _set_private = (
    cast("Callable[[object, object], None]", BaseModel.__dict__[slot].__set__)
    for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


class Value(BaseModel):
    """Base of the vocabulary: equality, hash, pickle and JSON come with it.

    Schemas are built on first use (``defer_build``), so importing the vocabulary stays cheap. Construction raises pydantic's
    ``ValidationError``, with the offending input hidden.

    Example:
        >>> from settled import Usage
        >>> Usage.model_validate_json(Usage(requests=1, input_tokens=7).model_dump_json()).input_tokens
        7
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        hide_input_in_errors=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
        ser_json_inf_nan="strings",
        protected_namespaces=(),
    )
    shown: ClassVar[tuple[str, ...]] = ()
    """Names of the fields that ``repr`` may show: codes, counts and paths, never content."""

    def __repr_args__(self) -> Iterable[tuple[str | None, object]]:
        """What ``repr``, ``str`` and rich printers may show.

        Example:
            >>> from settled import Text
            >>> Text(text="a secret plan")
            Text()
        """
        for name in self.shown:
            shown = getattr(self, name)
            if isinstance(shown, str) and len(shown) > _LONGEST_SHOWN:
                shown = shown[:_LONGEST_SHOWN] + "..."
            if shown is not None and shown != ():
                yield name, shown

    def __str__(self) -> str:
        """As ``repr``."""
        return self.__repr__()

    def __hash__(self) -> int:
        """Equal values hash alike, also where a field holds a JSON object or list."""
        return hash((type(self), _hashable(self.__dict__)))

    def changed(self, **fields: object) -> Self:
        """A copy with some fields replaced by values that are known to fit (they are not validated again).

        Raises:
            TypeError: for a name that is no field.

        Example:
            >>> from settled import Budget
            >>> Budget().changed(max_steps=3).max_steps
            3
        """
        return changed_by(self, fields)


def changed_by(value: ValueT, fields: Mapping[str, object]) -> ValueT:
    """As `Value.changed`, with the fields in a mapping: for those who have one already.

    Example:
        >>> from settled import Budget
        >>> changed_by(Budget(), {"max_steps": 3}).max_steps
        3
    """
    held = value.__dict__
    merged = {**held, **fields}
    size = len(held)
    if len(merged) != size:
        unknown = ", ".join(sorted(fields.keys() - held.keys()))
        raise TypeError(f"{type(value).__name__} has no field {unknown}; its fields are {', '.join(held)}")
    given = value.__pydantic_fields_set__
    copy: ValueT = _new(type(value))
    _set_dict(copy, merged)
    _set_given(copy, given if len(given) == size or fields.keys() <= given else given | fields.keys())
    _set_extra(copy, None)
    _set_private(copy, None)
    return copy


def made(cls: Callable[P, ValueT], /, *_: P.args, **fields: P.kwargs) -> ValueT:
    """An instance from values that are known to fit: not validated, and no schema is built for it.

    For the core's own words on the path of every run, where it is three times as fast as the constructor; checkers hold it to the
    constructor's signature. Everything that comes from outside goes through the constructor.

    Raises:
        TypeError: for a name that is no field, or a field that is missing.

    Example:
        >>> from settled import Text
        >>> made(Text, text="Oslo?") == Text(text="Oslo?")
        True
    """
    try:
        size, template, required, names = _RECIPES[cls]
    except KeyError:
        size, template, required, names = _recipe_of(cls)
    held: dict[str, object] = fields
    if len(fields) != size or not names.issuperset(fields):
        held = {**template, **fields}
        if len(held) != size or not required <= fields.keys():
            raise TypeError(f"{cls} has the fields {', '.join(template)}, not {', '.join(fields)}")
    filled: ValueT = _new(cls)
    _set_dict(filled, held)
    _set_given(filled, names)
    _set_extra(filled, None)
    _set_private(filled, None)
    return filled


_RECIPES: dict[object, tuple[int, dict[str, object], frozenset[str], set[str]]] = {}


def _recipe_of(kind: object) -> tuple[int, dict[str, object], frozenset[str], set[str]]:
    """The number of fields of a class, the fields in order with their defaults, the names of those without, and all names; kept.

    Containers among the defaults are empty and never changed, so they may be shared.
    """
    fields = cast("type[Value]", kind).__pydantic_fields__
    template: dict[str, object] = {name: field.default for name, field in fields.items()}
    required = frozenset(name for name, field in fields.items() if field.is_required())
    return _RECIPES.setdefault(kind, (len(fields), template, required, set(fields)))


def _hashable(content: object) -> object:
    """A hashable stand-in: equal contents give equal stand-ins; what cannot be hashed is stood in for by its type."""
    if is_mapping(content):
        return frozenset((key, _hashable(item)) for key, item in content.items())
    if is_sequence(content):
        return tuple(_hashable(item) for item in content)
    try:
        hash(content)
    except TypeError:
        return type(content)
    return content

"""What comes from outside, made writable: with every lone surrogate in it written out, so that it has a JSON form."""

from typing import TypeVar, cast

from .scrub import clean
from .value import Value, changed_by

T = TypeVar("T")


def writable(given: T) -> T:
    r"""The same, with all texts in it clean; itself where nothing is to be changed. Looks into values and tuples.

    Example:
        >>> from settled import Message
        >>> writable(Message.user("caf\udce9")).text
        'caf\\udce9'
    """
    return cast("T", _written(given))


def _written(given: object) -> object:
    if isinstance(given, str):
        return clean(given)
    if isinstance(given, Value):
        changes = {name: new for name, old in given.__dict__.items() if (new := _written(old)) is not old}
        return changed_by(given, changes) if changes else given
    if type(given) is tuple:
        held = cast("tuple[object, ...]", given)
        items = [_written(item) for item in held]
        return held if all(new is old for new, old in zip(items, held, strict=True)) else tuple(items)
    return given

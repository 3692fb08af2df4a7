"""What user code takes: its name, whether it wants the run's context first, whether it is async."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import cast, get_origin

from typing_extensions import get_type_hints

from ..vocabulary.errors import MisuseError
from ..vocabulary.scrub import clean
from .context import RunContext


def name_of(function: object) -> str:
    """A name to call user code by in reports.

    Example:
        >>> name_of(print)
        'print'
    """
    if isinstance(function, partial):
        return name_of(function.func)
    return clean(str(getattr(function, "__name__", None) or type(function).__name__))


def in_partial(function: object) -> tuple[object, Mapping[str, object]]:
    """The function in a partial, and the keywords that it holds; anything else by itself.

    Example:
        >>> in_partial(partial(print, end="")) == (print, {"end": ""})
        True
    """
    if not isinstance(function, partial):
        return function, {}
    held = cast("partial[object]", function)
    return held.func, held.keywords


def is_async(function: object) -> bool:
    """Whether calling it gives a coroutine.

    Example:
        >>> is_async(print)
        False
    """
    if isinstance(function, partial):
        return is_async(function.func)
    called = type(function).__call__ if callable(function) else None
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def hints_of(function: object, local_names: Mapping[str, object] | None = None) -> dict[str, object]:
    """The annotations, resolved; an object that is called through ``__call__`` gives those.

    Raises:
        NameError: when an annotation names what is not defined (yet).
    """
    target = function if isinstance(function, SimpleNamespace) else called_by(function)
    return dict(get_type_hints(target, localns=dict(local_names or {}), include_extras=True))


def returned_by(function: object, local_names: Mapping[str, object] | None = None) -> object | None:
    """The annotation of what a function returns, resolved; None without one. Those of its parameters may name what they like.

    Raises:
        NameError: when it names what is not defined (yet).

    Example:
        >>> def count(what: "Nobody") -> "int": ...
        >>> returned_by(count), returned_by(print)
        (<class 'int'>, None)
    """
    function = called_by(function)
    annotations: Mapping[str, object] = getattr(function, "__annotations__", {})
    if "return" not in annotations:
        return None
    names = ("__globals__", "__type_params__")
    alone = SimpleNamespace(**{name: getattr(function, name) for name in names if hasattr(function, name)})
    alone.__annotations__ = {"return": annotations["return"]}
    return hints_of(alone, local_names)["return"]


def called_by(function: object) -> object:
    """What has the annotations and the docstring: the function in a partial, the ``__call__`` of an object.

    Example:
        >>> called_by(partial(print, "x")) is print
        True
    """
    target, _ = in_partial(function)
    if not inspect.isroutine(target) and not inspect.isclass(target):
        target = type(target).__call__
    return target


def parameters_of(function: Callable[..., object]) -> tuple[inspect.Parameter, ...]:
    """The parameters in order.

    Raises:
        MisuseError: when Python cannot tell them, as for some builtins.
    """
    try:
        return tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise MisuseError(f"{name_of(function)}: its parameters cannot be read; wrap it in a function of your own") from error


def is_context(annotation: object) -> bool:
    """Whether an annotation is that of the `RunContext`.

    Example:
        >>> is_context(RunContext[int]), is_context(int)
        (True, False)
    """
    return annotation is RunContext or get_origin(annotation) is RunContext


def takes_context(function: Callable[..., object], *, of_arguments: int | None = None) -> bool:
    """Whether the first parameter is for the `RunContext`.

    It is when annotated so; or, with ``of_arguments``, when there is exactly one required parameter more than that.

    Example:
        >>> takes_context(lambda ctx, value: None, of_arguments=1)
        True
    """
    parameters = parameters_of(function)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not positional:
        return False
    try:
        annotation = hints_of(function).get(positional[0].name)
    except NameError:
        annotation = None
    if is_context(annotation):
        return True
    required = sum(p.default is p.empty for p in positional)
    return of_arguments is not None and required == of_arguments + 1

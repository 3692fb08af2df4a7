"""`Fallback`: models in the order in which a run asks them, each when the one before it gives no answer."""

from __future__ import annotations

from typing import NoReturn

from typing_extensions import final

from ..vocabulary.errors import MisuseError
from ..vocabulary.scrub import clean, scrubbed
from .base import AnyProvider, is_provider


@final
class Fallback:
    """Models in order: a run asks the first, and goes on with the next when one ends in a `ProviderError`, within one budget.

    It is a frozen value, and stands wherever a model may. One that stands in another counts as the models that it names.

    Args:
        models: two or more model strings, or providers.

    Raises:
        MisuseError: for fewer than two, and for what is no model.

    Example:
        >>> from settled import Agent, Fallback, ProviderError
        >>> from settled.testing import ScriptedProvider
        >>> down = ScriptedProvider(ProviderError("quota", "no credit left"))
        >>> Agent(int, model=Fallback(down, ScriptedProvider(7))).run("How many?")
        7
        >>> Fallback("openai:gpt-5-mini", "groq:llama-3.3-70b-versatile")
        Fallback('openai:gpt-5-mini', 'groq:llama-3.3-70b-versatile')
    """

    __slots__ = ("_models",)
    _models: tuple[str | AnyProvider, ...]

    def __init__(self, *models: str | AnyProvider | Fallback) -> None:
        held = tuple(each for one in models for each in (one.models if isinstance(one, Fallback) else (one,)))
        for one in held:
            _refuse_no_model(one)
        if len(held) < 2:
            raise MisuseError(f"Fallback of {len(held)} model(s): there is nothing to fall back on; name two or more")
        object.__setattr__(self, "_models", held)

    @property
    def models(self) -> tuple[str | AnyProvider, ...]:
        """The models, in the order in which they are asked.

        Example:
            >>> Fallback("openai:gpt-5-mini", Fallback("groq:a", "xai:b")).models
            ('openai:gpt-5-mini', 'groq:a', 'xai:b')
        """
        return self._models

    def __eq__(self, other: object) -> bool:
        """The same models in the same order."""
        return isinstance(other, Fallback) and self.models == other.models

    def __hash__(self) -> int:
        """By the strings alone, since a provider may have no hash."""
        return hash(tuple(one if isinstance(one, str) else "" for one in self.models))

    def __repr__(self) -> str:
        """Strings without what looks like a key, and the classes of providers."""
        shown = (repr(scrubbed(clean(one))) if isinstance(one, str) else type(one).__name__ for one in self.models)
        return f"Fallback({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """A value does not change."""
        raise AttributeError(f"a Fallback is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        """A value does not change."""
        raise AttributeError(f"a Fallback is frozen: {name} cannot be deleted")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles and copies as the models that it was made of."""
        return (Fallback, self.models)


def _refuse_no_model(given: object) -> None:
    if given == "" or not (isinstance(given, str) or is_provider(given)):
        what = "an empty string" if given == "" else type(given).__name__
        raise MisuseError(f"Fallback: {what} is no model; give strings, or providers with request or arequest")

"""`Fallback` as a value: what it takes, what it shows, and that two of the same models are the same."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from settled import Fallback, MisuseError
from settled.providers import OpenAIChat
from settled.testing import ScriptedProvider

PAIR = Fallback("openai:a", "groq:b")


class Unhashable(ScriptedProvider):
    """A provider that is compared by what it holds, and shows a key."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unhashable)

    def __repr__(self) -> str:
        return "Unhashable(key='sk-0123456789')"


@pytest.mark.parametrize(
    "given, told",
    [
        ((), "0 model"),
        (("openai:a",), "1 model"),
        (("openai:a", ""), "an empty string is no model"),
        (("openai:a", None), "NoneType is no model"),
        (("openai:a", 7), "int is no model"),
        ((["openai:a", "groq:b"],), "list is no model"),
    ],
    ids=["none", "one", "an empty string", "None", "a number", "a list"],
)
def test_what_is_no_fallback(given: tuple[Any, ...], told: str) -> None:
    """Fewer than two models, and what is no model, is refused in words."""
    with pytest.raises(MisuseError, match=told):
        Fallback(*given)


def test_a_fallback_in_another_counts_as_its_models() -> None:
    """Order is kept."""
    assert Fallback("xai:c", PAIR, Fallback("openai:d", "xai:e")).models == ("xai:c", "openai:a", "groq:b", "openai:d", "xai:e")


def test_equality() -> None:
    """By models and order; equal ones hash alike, also where a provider has no hash."""
    assert Fallback("openai:a", "groq:b") == PAIR
    assert hash(Fallback("openai:a", "groq:b")) == hash(PAIR)
    assert Fallback("groq:b", "openai:a") != PAIR
    assert PAIR != ("openai:a", "groq:b")
    assert len({Fallback("openai:a", Unhashable()), Fallback("openai:a", Unhashable())}) == 1


def test_repr() -> None:
    """Strings without keys, and the classes of providers, whatever these show of themselves."""
    shown = repr(Fallback("http://me:secret-word@host/v1#m", Unhashable(), OpenAIChat("m", api_key="sk-0123456789")))
    assert shown == "Fallback('http://[hidden]@host/v1#m', Unhashable, OpenAIChat)"


def pickled(pair: Fallback) -> object:
    """Through pickle."""
    return pickle.loads(pickle.dumps(pair))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled], ids=["copy", "deep", "pickle"])
def test_copies_are_equal(again: Any) -> None:
    """It is copied and pickled as the models that it was made of."""
    assert again(PAIR) == PAIR


def test_it_is_frozen() -> None:
    """Nothing can be set or deleted."""
    with pytest.raises(AttributeError, match="frozen"):
        PAIR.models = ()  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del PAIR.models  # pyright: ignore[reportAttributeAccessIssue]
    assert not hasattr(PAIR, "__dict__")

"""The table of dialects: complete, within what JSON Schema has, and each row as its sources say."""

from __future__ import annotations

import pytest

from settled import MisuseError
from settled.schema.constraints import CONSTRAINTS, STRUCTURE
from settled.schema.dialects import DIALECTS, Dialect, dialect_of

ALL = [pytest.param(dialect, id=name) for name, dialect in DIALECTS.items()]
NAMES = "openai azure anthropic gemini groq cerebras xai deepseek llamacpp xgrammar portable"
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
OPENAI = DIALECTS["openai"]


def test_every_dialect_has_a_row() -> None:
    """The table has one row for each kind of server, under its own name."""
    assert NAMES.split() == list(DIALECTS) == [dialect.name for dialect in DIALECTS.values()]


@pytest.mark.parametrize("dialect", ALL)
def test_keywords_are_ones_that_the_passes_handle(dialect: Dialect) -> None:
    """A keyword that is understood makes the type, narrows it, or is its default; each row names its sources."""
    assert dialect.keywords <= STRUCTURE | set(CONSTRAINTS) | {"default"}
    assert dialect.source


@pytest.mark.parametrize("dialect", ALL)
def test_fields_of_a_row_agree(dialect: Dialect) -> None:
    """Formats, patterns, tuples and highest values are named exactly where their keyword is."""
    assert bool(dialect.formats) == ("format" in dialect.keywords)
    assert (dialect.patterns != "none") == ("pattern" in dialect.keywords)
    assert dialect.tuples == ("prefixItems" in dialect.keywords)
    assert dialect.most.keys() | dialect.integers_only <= dialect.keywords


def test_openai() -> None:
    """OpenAI takes nine formats, neither uri nor binary among them, and 5000 properties, 10 levels and 1000 values of enums."""
    assert FORMATS == OPENAI.formats
    assert (5000, 10, 1000, (250, 15_000), 120_000) == OPENAI.limits[:5]


def test_azure_is_openai_less_constraints() -> None:
    """Azure takes what OpenAI takes, less every constraint on values, and fewer properties and levels."""
    azure = DIALECTS["azure"]
    assert OPENAI.keywords - set(CONSTRAINTS) == azure.keywords
    assert (100, 5) == (azure.limits.properties, azure.limits.levels)
    assert OPENAI.limits == azure.limits._replace(properties=5000, levels=10)


def test_portable_is_taken_by_every_row() -> None:
    """The keywords of the portable dialect, less format, are understood by every other."""
    portable = DIALECTS["portable"].keywords - {"format"}
    assert all(portable <= dialect.keywords for dialect in DIALECTS.values())


def test_inlined_variant() -> None:
    """``+inline`` behind a name changes how definitions are sent, and nothing else."""
    assert OPENAI._replace(refs="inline") == dialect_of("openai+inline")
    assert dialect_of("openai") is OPENAI


@pytest.mark.parametrize("name", ["", "opena", "openai+", "+inline", "openai+inline+inline"])
def test_unknown_dialect(name: str) -> None:
    """A name that is no dialect is refused, with those that are."""
    with pytest.raises(MisuseError, match=r"dialect .*: there is none of this name; use one of openai, azure"):
        dialect_of(name)

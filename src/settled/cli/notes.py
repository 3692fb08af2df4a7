"""`ReleaseNotes`: what the demo asks for, and its Markdown."""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field


class Item(BaseModel):
    """One change, as users of the release read of it.

    Example:
        >>> Item(title="Faster start", details="3 files changed.", references=["a1b2c3d"]).title
        'Faster start'
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    title: str = Field(description="The title of the commit.")
    details: str = Field(description="One thing that the log tells about it.")
    references: list[str] = Field(description="The commit, or an issue that it names.")


class ReleaseNotes(BaseModel):
    """What is new in one version.

    Example:
        >>> ReleaseNotes(version="0.2.0", summary="Faster.", highlights=[], breaking_changes=[], fixes=[]).version
        '0.2.0'
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    version: str = Field(description="The version that is released.")
    summary: str = Field(description="What the release is about, in a few short sentences.")
    highlights: list[Item] = Field(description="What is new or better.")
    breaking_changes: list[Item] = Field(description="What users must change in their own code.")
    fixes: list[Item] = Field(description="What was wrong and is right now.")

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of all sections, in order."""
        return (*self.highlights, *self.breaking_changes, *self.fixes)


def as_markdown(notes: ReleaseNotes) -> str:
    r"""The notes as a Markdown page; sections without items are left out.

    Example:
        >>> item = Item(title="Fix <b>", details="1 file changed.", references=["a1b2c3d"])
        >>> notes = ReleaseNotes(version="0.2.0", summary="Mended.", highlights=[], breaking_changes=[], fixes=[item])
        >>> print(as_markdown(notes), end="")
        # 0.2.0
        <BLANKLINE>
        Mended.
        <BLANKLINE>
        ## Fixes
        <BLANKLINE>
        - **Fix \<b\>**: 1 file changed. (a1b2c3d)
    """
    sections = (
        ("Highlights", notes.highlights),
        ("Breaking changes", notes.breaking_changes),
        ("Fixes", notes.fixes),
    )
    blocks = [f"# {_plain(notes.version)}", _plain(notes.summary)]
    for heading, items in sections:
        if items:
            blocks += [f"## {heading}", "\n".join(_lines(items))]
    return "\n\n".join(blocks) + "\n"


def _lines(items: Iterable[Item]) -> Iterable[str]:
    for item in items:
        yield f"- **{_plain(item.title)}**: {_plain(item.details)} ({_plain(', '.join(item.references))})"


def _plain(text: str) -> str:
    """The text on one line, with what Markdown would take for markup escaped: it comes from a model and from a log."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))

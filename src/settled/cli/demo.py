"""The main job: release notes of a git history, grounded by types rather than by prose.

A small model that is asked plainly invents versions, hashes and features. So the output type is made from the log: the version is
a literal, a title is that of a commit, its details are a sentence that is true of that very commit, its reference is the commit
or an issue that it names, and the summary is put together from phrases of the log (where it has none, it is about one of the
titles). What is left to the model is what a reader wants to know: which changes matter, how many, what to say of each, and what
the release is about.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypeVar, Union, cast

from annotated_types import MinLen
from pydantic import AfterValidator, BaseModel, Field, create_model

from ..agent.agent import Agent
from ..agent.spec import Model
from ..schema.target import Subscriptable
from ..tools.context import RunContext
from ..tools.control import Reject
from ..vocabulary.budget import Budget
from ..vocabulary.exchange import Settings
from ..vocabulary.stop import OutputMode
from .history import Commit, History
from .notes import Item, ReleaseNotes

ModelT = TypeVar("ModelT", bound=BaseModel)
_INSTRUCTIONS = (
    "You write release notes from a git log. Choose what matters most to users. "
    "Each item has the title of one commit; name no commit twice."
)
_BUDGET = Budget(max_steps=4, output_retries=3, truncation_retries=0)
# Three times the tokens that notes need: a small model may go on without end where nothing holds it.
# The timeout is of the call, not of the run, so that the call is made in the thread that Ctrl-C interrupts.
_SETTINGS = Settings(max_tokens=1200, timeout=300)

_BREAKING = r"(?i)\bbreak(s|ing)\b|^\w+(\([^)]*\))?!:|\b(remov|renam|drop)(e|es|ed|s|ped)?\b"
_FIXING = (
    r"(?i)\b(fix|bug|mend|repair|correct|crash|leak|wrong|broken|regress|fault|prevent|refus|reject)"
    r"|\bno longer\b|^no \b|\bstays? \b|\bhotfix"
)
_PHRASE = r"[A-Za-z0-9][A-Za-z0-9 ,'%/-]{14,78}[A-Za-z0-9]"  # plain enough to stand in a pattern of any dialect as it is
_PHRASES = 3


class _Section(NamedTuple):
    """How many items a section may have, of which commits."""

    commits: Sequence[Commit]
    least: int
    most: int


def demo_agent(history: History, *, model: Model, mode: OutputMode = "auto") -> Agent[ReleaseNotes]:
    r"""The agent of the demo: its output type admits only what the history holds, and a result is a `ReleaseNotes`.

    Example:
        >>> from settled.cli.history import parse_log
        >>> history = History("0.2.0", parse_log("commit a1b2c3d\n\n    Faster start of the parser\n"), "here")
        >>> demo_agent(history, model="local:smollm2").output_type.__name__
        'ReleaseNotes'
    """
    return Agent(
        grounded(history),
        model=model,
        mode=mode,
        instructions=_INSTRUCTIONS,
        checks=[tells_enough],
        settings=_SETTINGS,
        budget=_BUDGET,
        name="release-notes",
    )


def prompt_for(history: History) -> str:
    """The log, as the model reads it: one line a commit.

    Example:
        >>> print(prompt_for(History("0.2.0", (Commit("a1b2c3d", "Faster start"),), "here")))
        Write the release notes of version 0.2.0. The commits, newest first:
        - a1b2c3d Faster start
    """
    lines = [f"- {commit.hash} {commit.title}" for commit in history.commits]
    return "\n".join([f"Write the release notes of version {history.version}. The commits, newest first:", *lines])


def grounded(history: History) -> type[ReleaseNotes]:
    """`ReleaseNotes` that can speak of nothing but this history."""
    sections = _sections(history.commits)
    forms = {
        "version": _literal([history.version]),
        "summary": _summary(history.commits),
        **{name: _items(section) for name, section in sections.items()},
    }
    return _narrowed(ReleaseNotes, "ReleaseNotes", forms)


def tells_enough(ctx: RunContext, notes: ReleaseNotes) -> None:
    """The check of the demo: types can say which commits may be named, but not that they differ; repeats were dropped.

    It asks again once. What a small model said twice it says a third time, and few true notes are better than none.

    Raises:
        Reject: when the repeats leave fewer highlights than notes must have.
    """
    least = next((bound.min_length for bound in type(notes).model_fields["highlights"].metadata if isinstance(bound, MinLen)), 0)
    if len(notes.highlights) < least and not ctx.attempt:
        raise Reject(f"the same commit over and over: name at least {least} different ones", "$.highlights")


def without_repeats(items: list[Item]) -> list[Item]:
    """Each commit once: a second item about it is dropped, since it can say nothing else.

    Example:
        >>> item = Item(title="Faster start", details="1 file changed.", references=["a1b2c3d"])
        >>> len(without_repeats([item, item]))
        1
    """
    return list({item.title: item for item in reversed(items)}.values())[::-1]


def _sections(commits: Sequence[Commit]) -> dict[str, _Section]:
    """Which commits may stand where: a commit that says it breaks something, or mends something, has its place; the rest is news.

    Told by words of the title, since a small model cannot tell; whether and how each is named is the model's choice.
    """
    breaking = [commit for commit in commits if re.search(_BREAKING, commit.title) or "BREAKING CHANGE" in commit.body]
    fixes = [commit for commit in commits if commit not in breaking and re.search(_FIXING, commit.title)]
    news = [commit for commit in commits if commit not in breaking and commit not in fixes]
    return {
        "highlights": _Section(news, least=2, most=4),
        "breaking_changes": _Section(breaking, least=1, most=3),
        "fixes": _Section(fixes, least=1, most=3),
    }


def _items(section: _Section) -> object:
    """A list of items, each of one of the commits; an empty list when there are none."""
    forms = tuple(_item(commit) for commit in section.commits)
    form = cast("Subscriptable", Union)[forms] if forms else Item
    count = len(forms)
    bounds = Field(min_length=min(section.least, count), max_length=min(section.most, count))
    return _form(_list_of(form), bounds, AfterValidator(without_repeats))


def _item(commit: Commit) -> type[Item]:
    """An item about one commit. The title comes first, so once a model has written it, the rest can only be of that commit."""
    one = Field(min_length=1, max_length=1)
    references = _form(_list_of(_literal([commit.hash, *commit.issues])), one)
    forms = {"title": _literal([commit.title]), "details": _literal(commit.facts), "references": references}
    made = _narrowed(Item, f"Item_{commit.hash}", forms)
    made.__name__ = Item.__name__  # what users read; its name in the JSON Schema comes from the one that it was made with
    return made


def _summary(commits: Sequence[Commit]) -> object:
    """Up to three phrases of the log, as sentences: each from another part of it, newest first, so none comes twice.

    Where no title has a phrase that can stand in a pattern, it is one sentence about one of the titles: it is never free text.
    """
    phrases = list(dict.fromkeys(phrase for commit in commits for phrase in _phrases(commit.title)))
    count = min(_PHRASES, len(phrases))
    if not count:
        return _literal(_counted(commits))
    bounds = [len(phrases) * place // count for place in range(count + 1)]
    parts = ["(" + "|".join(phrases[bounds[part] : bounds[part + 1]]) + r")\." for part in range(count)]
    return _form(str, Field(pattern=f"^{' '.join(parts)}$"))


def _counted(commits: Sequence[Commit]) -> list[str]:
    """How many commits there are, with the title of one of them: a sentence for each title."""
    count = f"{len(commits)} commit{'' if len(commits) == 1 else 's'}"
    link = ": " if len(commits) == 1 else ", one of them: "
    return list(dict.fromkeys(f"{count}{link}{commit.title}" for commit in commits)) or [f"{count}."]


def _phrases(title: str) -> list[str]:
    """The parts of a title that can stand alone, without the prefix of a conventional commit."""
    bare = re.sub(r"^\w+(\([^)]*\))?!?: ", "", title)
    phrases = [part.strip() for part in re.split(r"[;:.] | \(", bare)]
    return [phrase[0].upper() + phrase[1:] for phrase in phrases if re.fullmatch(_PHRASE, phrase)]


def _narrowed(base: type[ModelT], name: str, forms: Mapping[str, object]) -> type[ModelT]:
    """A subclass with other types for some fields; their descriptions stay."""
    make = cast("Callable[..., type[ModelT]]", create_model)  # made at run time, so no checker can follow
    fields = {field: (form, Field(description=base.model_fields[field].description)) for field, form in forms.items()}
    return make(name, __base__=base, __module__=__name__, **fields)


def _literal(words: Sequence[str]) -> object:
    return cast("Subscriptable", Literal)[tuple(words)]


def _list_of(form: object) -> object:
    return cast("Subscriptable", list)[form]


def _form(form: object, *constraints: object) -> object:
    parts = (form, *constraints)
    return cast("Subscriptable", Annotated)[parts]

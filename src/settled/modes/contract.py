"""`Contract`: everything a model may answer with, named. The same for every mode; the codecs spell it."""

from collections.abc import Iterable
from types import NoneType
from typing import Literal, cast

from typing_extensions import TypeForm

from ..schema.naming import type_name, union_members, unique
from ..schema.target import OutputTarget
from ..vocabulary.record import Record

OUTPUT_NAME, FAILURE_NAME = "final_result", "report_failure"


class Option(Record):
    """One thing to answer with: the output, one member of a union of outputs, or the failure report."""

    name: str
    """Its tool name, and its tag in text."""
    role: Literal["output", "failure"]
    """Whether it is a result or a way to give up."""
    member: str
    """The name of its type."""
    target: OutputTarget[object]
    """Its type."""
    is_none: bool = False
    """It is ``None``: a tool without arguments."""


class Contract(Record):
    """The whole output type, its members, and the failure type if there is one."""

    output: OutputTarget[object]
    """The output type, whole."""
    options: tuple[Option, ...]
    """The members of the output type in order, then the failure type."""
    functions: frozenset[str] = frozenset()
    """The names of the user's own tools: a call of one is no answer, wherever it stands."""

    @property
    def outputs(self) -> tuple[Option, ...]:
        """The options that are results."""
        return tuple(option for option in self.options if option.role == "output")

    @property
    def failure(self) -> Option | None:
        """The way to give up, if there is one."""
        return next((option for option in self.options if option.role == "failure"), None)

    @property
    def choice(self) -> str:
        """What each kind is for, in words, where text names the one that it carries.

        Example:
            >>> contract_of(OutputTarget(int), OutputTarget(str)).choice
            'Choose the kind that fits: "final_result" for int; "report_failure" only when no result can be given'
        """
        fits = {"output": "for {}", "failure": "only when no result can be given"}
        kinds = (f'"{option.name}" {fits[option.role].format(option.member)}' for option in self.options)
        return "Choose the kind that fits: " + "; ".join(kinds)


def contract_of(output: OutputTarget[object], failure: OutputTarget[object] | None, taken: Iterable[str] = ()) -> Contract:
    """Names the options so that none collides with another or with a tool of the user.

    Example:
        >>> [option.name for option in contract_of(OutputTarget(int | None), None).options]
        ['final_result_int', 'final_result_none']
    """
    functions = frozenset(taken)
    held = set(functions)
    options: list[Option] = []
    members = union_members(output.form)
    for form in members:
        whole = len(members) == 1
        target = output if whole else OutputTarget(cast("TypeForm[object]", form))
        name = unique(OUTPUT_NAME if whole else f"{OUTPUT_NAME}_{type_name(form)}", held)
        options.append(Option(name=name, role="output", member=type_name(form), target=target, is_none=_is_none(form)))
        held.add(name)
    if failure is not None:
        name = unique(FAILURE_NAME, held)
        options.append(Option(name=name, role="failure", member=failure.name, target=failure))
    return Contract(output=output, options=tuple(options), functions=functions)


def _is_none(form: object) -> bool:
    return form is None or form is NoneType

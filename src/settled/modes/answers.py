"""`Answers`: judges a payload text by what the model was asked for: a bare value, one in ``value``, one tagged with its kind.

What was asked for is tried first, natively and in one pass. A payload without the wrapping is judged bare, and accepted only
if exactly one alternative fits.
"""

from collections.abc import Mapping
from types import TracebackType
from typing import Literal, cast

from pydantic import ValidationError

from ..recovery.finding import Judgement, Known, UserFault, Way
from ..schema.encoding import PLAIN, Encoding
from ..schema.misfits import issues_of, plain_json
from ..schema.target import OutputTarget
from ..vocabulary.issues import Issue, Repair
from ..vocabulary.narrowing import is_mapping
from ..vocabulary.record import Record

_TAGGED = {"kind", "data"}
_UNFRAMED = (Repair(code="wrapper.absent", level="framing"),)


class Bare(Record):
    """One alternative without any wrapping."""

    name: str
    """Its tag."""
    is_failure: bool
    """Whether it gives up."""
    target: OutputTarget[object]
    """Its type."""


class Answers(Record):
    """What a payload may be. Fulfils ``recovery.finding.Accepts``."""

    framed: OutputTarget[Mapping[str, object]] | None = None
    """The whole reply as it was asked for, when the value is wrapped or tagged."""
    wrapped: bool = False
    """``framed`` holds the value in ``value``."""
    tagged: bool = False
    """``framed`` holds a kind and its data."""
    failures: frozenset[str] = frozenset()
    """Tags that give up."""
    bare: tuple[Bare, ...] = ()
    """What a payload without wrapping may be."""
    text: Bare | None = None
    """The alternative that is ``str``, so that bare text may be it; None when there is none."""
    is_only_text: bool = False
    """``str`` is all there is, so JSON-like text is just text too."""
    verbatim: bool = False
    """The text is the value as it stands: it is not looked at as JSON at all."""
    functions: frozenset[str] = frozenset()
    """The user's own tools: a call of one, written as text, is no answer."""
    encoding: Encoding = PLAIN
    """How the schema that was sent spells what it has no words for."""
    kinds: frozenset[str] = frozenset()
    """The tags, where payloads are tagged: an object with one of them and its data is never a bare value."""
    known: Known | None = None
    """Parts of the value that were judged before the whole."""
    shown: str = ""
    """The type as the instructions show it: a reply that says it again has not answered by that."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """What a payload may be, the frame that was asked for first."""
        bare = tuple(self._way(alternative) for alternative in self.bare)
        return bare if self.framed is None else (self._frame, *bare)

    @property
    def _frame(self) -> Way:
        keys = ("value",) if self.wrapped else ("kind", "data")
        return Way(cast("OutputTarget[object]", self.framed), frame=keys, encoding=self.encoding)

    def _way(self, alternative: Bare) -> Way:
        role: Literal["output", "failure"] = "failure" if alternative.is_failure else "output"
        return Way(alternative.target, alternative.name, role, unframed=self.wrapped, encoding=self.encoding)

    def judge(self, text: str, context: object) -> Judgement:
        """Whether the whole text is a payload that fits: as it was asked for, or bare as exactly one alternative."""
        if self.verbatim:
            return _as_text(self.bare[0], text, context)
        framed = Judgement(fits=False) if self.framed is None else self.judge_as(self._frame, text, context)
        if self.framed is not None and (framed.fits or framed.fault or (framed.parsed and self._is_framed(text))):
            return framed
        if self.kinds and self.names_kind(plain_json(text)[1]):
            return framed
        fitting: list[Judgement] = []
        misfit: Judgement | None = None
        for alternative in self.bare:
            if alternative.target.is_text and not text.startswith('"'):
                continue
            judged = self.judge_as(self._way(alternative), text, context)
            if judged.fault:
                return judged
            if judged.fits:
                fitting.append(judged)
            else:
                misfit = misfit or judged
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = " and ".join(judged.name for judged in fitting)
            return Judgement(fits=False, ambiguous=True, issues=(Issue(message=f"fits {names}: say which", code="ambiguous"),))
        return misfit or framed

    def judge_as(self, way: Way, text: str, context: object) -> Judgement:
        """Whether the whole text is a payload of one way."""
        try:
            value, strict = self._of_known(way, text) or _validated(way.target, text, context)
        except ValidationError as error:
            parsed, plain = plain_json(text)
            return Judgement(fits=False, issues=issues_of(error, plain) if parsed else (), parsed=parsed, way=way)
        except Exception as error:
            return _fault(error)
        taken = Judgement(True, value, way.name, way.role, way=way, whole=value, strict=strict)
        if not way.frame:
            return taken._replace(repairs=_UNFRAMED) if way.unframed else taken
        assert is_mapping(value), "a frame is an object"
        inner = value["value"] if self.wrapped else value
        if not self.tagged:
            only = self.bare[0]
            return taken._replace(value=inner, name=only.name, role="failure" if only.is_failure else "output")
        assert is_mapping(inner), "the tag was validated"
        kind = str(inner["kind"])
        return taken._replace(value=inner["data"], name=kind, role="failure" if kind in self.failures else "output")

    def _of_known(self, way: Way, text: str) -> tuple[object, bool] | None:
        """The value made of parts that were judged before, and whether in strict mode; None where it has to be validated."""
        if self.known is None or self.tagged or len(self.bare) != 1:
            return None
        whole = self.known.whole(self.bare[0].target, text, way.frame)
        if whole is None:
            return None
        return {way.frame[0]: whole.value} if way.frame else whole.value, whole.strict and way.target.facts.sure

    def _is_framed(self, text: str) -> bool:
        """The payload is spelled as it was asked for, so the issues of that spelling are the ones to tell."""
        _, plain = plain_json(text)
        return is_mapping(plain) and all(key in plain for key in self._frame.frame)

    def names_kind(self, plain: object) -> bool:
        """Whether plain data is a tagged payload: a kind that there is, and its data.

        Example:
            >>> Answers(kinds=frozenset({"a"})).names_kind({"kind": "a", "data": 1})
            True
        """
        if is_mapping(plain) and set(plain) == {"value"}:
            plain = plain["value"]
        return is_mapping(plain) and set(plain) == _TAGGED and isinstance(plain["kind"], str) and plain["kind"] in self.kinds

    def takes_text(self, text: str, context: object) -> Judgement | None:
        """The bare text as a value, where ``str`` is asked for, and there is nothing but ``str`` or the text holds no JSON."""
        looks_framed = self.framed is not None and text[:1] in "{["
        if self.text is None or looks_framed or (not self.is_only_text and any(mark in text for mark in "{[")):
            return None
        return _as_text(self.text, text, context)


def _validated(target: OutputTarget[object], text: str, context: object) -> tuple[object, bool]:
    """The value, and whether strict mode vouches for it: then the screens have less to look for, at no price."""
    if target.facts.sure:
        try:
            return target.validate_json(text, context, strict=True), True
        except ValidationError:
            pass  # what strict mode refuses may still fit
    return target.validate_json(text, context), False


def _as_text(way: Bare, text: str, context: object) -> Judgement:
    try:
        return Judgement(fits=True, value=way.target.validate(text, context), name=way.name)
    except ValidationError as error:
        return Judgement(fits=False, issues=issues_of(error, text))
    except Exception as error:
        return _fault(error)


def answers_for(target: OutputTarget[object]) -> Answers:
    """Answers that are one bare type: what ``parse`` without alternatives judges by.

    Example:
        >>> answers_for(OutputTarget(int)).judge('"many"', None).issues[0].code
        'int_parsing'
    """
    ways = (Bare(name=target.name, is_failure=False, target=target),)
    return Answers(bare=ways, text=ways[0] if target.is_text else None, is_only_text=target.is_text)


def _fault(error: Exception) -> Judgement:
    """What a user's validator raised beyond a judgement: ends the run, and is never told to the model."""
    return Judgement(fits=False, fault=UserFault(f"validator:{_where(error.__traceback__)}", error))


def _where(trace: TracebackType | None) -> str:
    """The name of the outermost function below pydantic: the user's validator."""
    names: list[str] = []
    while trace is not None:
        frame = trace.tb_frame
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in ("pydantic", "pydantic_core", __name__.partition(".")[0]):
            names.append(frame.f_code.co_name)
        trace = trace.tb_next
    return names[0] if names else "unknown"

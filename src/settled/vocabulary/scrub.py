"""Takes keys out of texts that may leave the library: messages of errors, results of failed tools."""

from __future__ import annotations

import re
from functools import cache

from pydantic_core import SchemaValidator, ValidationError, core_schema

_LONGEST = 500
_MARGIN = 4096  # characters beyond the limit that are looked at, so that a key across it is seen as one
_HIDDEN = "[hidden]"
# Forms of credentials: bearer tokens, keys with a vendor's prefix, key=value pairs, the user part of a URL.
# Compiled, and kept by re, on first use.
_KEYS = (
    r"(?i)(?P<scheme>\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}"
    r"|(?<![A-Za-z0-9])(?:sk|pk|rk|gsk|xai|csk|AIza|hf|ghp|gho|github_pat|xox[abpsr]|key)[-_][A-Za-z0-9_-]{6,}"
    r"|(?<![A-Za-z0-9])AKIA[A-Z0-9]{8,}|(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9._-]+"
    r"|\bAIza[A-Za-z0-9_-]{10,}"
    r"|(?P<name>(?<![A-Za-z])(?:api[-_]?key|access[-_]?key|token|secret|password|authorization)[\"']?\s*[:=]\s*[\"']?(?:(?:Bearer|Basic)\s+)?)[^\s\"'&,;]{4,}"
    r"|(?P<url>://)[^\s/@]+@"
)


def scrubbed(text: str, *, limit: int = _LONGEST) -> str:
    """The text without what looks like a key, cut to ``limit`` characters.

    Example:
        >>> scrubbed("401: bad key sk-abcdef123456")
        '401: bad key [hidden]'
    """
    clean = re.sub(_KEYS, _hide, text[: limit + _MARGIN])  # cut first: a hostile text makes the search quadratic
    return clean if len(clean) <= limit else clean[:limit] + "..."


def is_unicode(text: str) -> bool:
    """Whether a text can be written: it holds no lone surrogate.

    Example:
        >>> is_unicode("Oslo")
        True
    """
    return text.isascii() or _writable().isinstance_python(text)


@cache
def _writable() -> SchemaValidator:
    """Takes what has a UTF-8 form. Python keeps that form with the text, where pydantic finds it when it parses or writes it
    next; ``encode`` would not keep it. Without a bound on the length, pydantic would not look at the text at all.
    """
    return SchemaValidator(core_schema.str_schema(strict=True, min_length=0))


def clean(text: str) -> str:
    r"""The text, with lone surrogates written out, so that it has a JSON form.

    Example:
        >>> clean("caf\udce9")
        'caf\\udce9'
    """
    return text if is_unicode(text) else text.encode(errors="backslashreplace").decode()


def text_of(raised: BaseException, *, named: bool = False) -> str:
    """What an exception says, clean and without keys, ``named`` with its class in front; its own ``__str__`` may fail.
    Of pydantic's it is what does not fit and where, without the input that it would quote.

    Example:
        >>> text_of(ValueError("too old"))
        'too old'
    """
    name = f"{type(raised).__name__}: " if named else ""
    try:
        return scrubbed(clean(f"{name}{_said(raised)}"))
    except Exception:
        return f"{name}(what it says cannot be read)"


def _said(raised: BaseException) -> str:
    if not isinstance(raised, ValidationError):
        return str(raised)
    errors = raised.errors(include_url=False, include_context=False, include_input=False)
    return f"{raised.title}: " + "; ".join(": ".join(filter(None, [".".join(map(str, e["loc"])), e["msg"]])) for e in errors)


def _hide(found: re.Match[str]) -> str:
    kept = found["scheme"] or found["name"] or found["url"] or ""
    return kept + _HIDDEN + ("@" if found["url"] else "")

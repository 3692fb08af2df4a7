"""Takes keys out of texts that may leave the library: messages of errors, results of failed tools."""

from __future__ import annotations

import re

_LONGEST = 500
_HIDDEN = "[hidden]"
# Forms of credentials: bearer tokens, keys with a vendor's prefix, key=value pairs, the user part of a URL.
# Compiled, and kept by re, on first use.
_KEYS = (
    r"(?i)(?P<scheme>\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}"
    r"|\b(?:sk|pk|rk|gsk|xai|csk|AIza|hf|ghp|key)[-_][A-Za-z0-9_-]{6,}"
    r"|\bAIza[A-Za-z0-9_-]{10,}"
    r"|(?P<name>\b(?:api[-_]?key|token|secret|password|authorization)[\"']?\s*[:=]\s*[\"']?(?:(?:Bearer|Basic)\s+)?)[^\s\"'&,;]{4,}"
    r"|(?P<url>://)[^\s/@]+@"
)


def scrubbed(text: str, *, limit: int = _LONGEST) -> str:
    """The text without what looks like a key, cut to ``limit`` characters.

    Example:
        >>> scrubbed("401: bad key sk-abcdef123456")
        '401: bad key [hidden]'
    """
    clean = re.sub(_KEYS, _hide, text)
    return clean if len(clean) <= limit else clean[:limit] + "..."


def _hide(found: re.Match[str]) -> str:
    kept = found["scheme"] or found["name"] or found["url"] or ""
    return kept + _HIDDEN + ("@" if found["url"] else "")

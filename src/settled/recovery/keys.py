"""How keys are compared: `normal_key` drops what spellings of one key differ in, so that `Unit Price` meets `unit_price`."""

from __future__ import annotations

_INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_HYPHENS = "-\u2010\u2011"
_DROPPED = dict.fromkeys(map(ord, "_" + _HYPHENS + _INVISIBLE + _DIRECTIONS))


def normal_key(key: str) -> str:
    r"""A key as it is compared: casefolded, without ``_``, ``-``, blanks, invisible characters and Markdown around it.

    Two keys that are equal under this are spellings of one key; the escaped underscore of Markdown (``\_``) counts as one.

    Example:
        >>> normal_key("**Year of birth**") == normal_key("year_of_birth") == normal_key("YearOfBirth")
        True
        >>> normal_key("na\u200bme")
        'name'
    """
    if key.isascii() and key.isalnum() and key.islower():
        return key  # as most keys are
    bare = "".join(key.replace("\\_", "_").translate(_DROPPED).split())
    return bare.strip("*`").casefold()

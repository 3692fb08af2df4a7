"""How keys are compared: `normal_key` drops what spellings of one key differ in, so that `Unit Price` meets `unit_price`."""

from __future__ import annotations

_SHORTEST_SLIP = 4  # of shorter keys, too many differ by one letter
_INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_HYPHENS = "-\u2010\u2011"
_DROPPED = dict.fromkeys(map(ord, "_" + _HYPHENS + _INVISIBLE + _DIRECTIONS))


def is_slip(one: str, other: str) -> bool:
    """Whether two keys, as they are compared, differ by one slip: a letter more, less, another, or two that changed places.

    Example:
        >>> is_slip("severty", "severity"), is_slip("noet", "note"), is_slip("id", "is"), is_slip("tag", "size")
        (True, True, False, False)
    """
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1 or len(long) < _SHORTEST_SLIP or one == other:
        return False
    first = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) != len(long):
        return short[first:] == long[first + 1 :]
    swapped = short[:first] + short[first + 1 : first + 2] + short[first : first + 1] + short[first + 2 :]
    return swapped == long or short[first + 1 :] == long[first + 1 :]


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

"""Docstrings in the styles of Google, NumPy and Sphinx: what a model is told of them, and what is left out."""

from __future__ import annotations

import inspect
import textwrap

import pytest

from settled.tools.docstrings import read_docstring

GOOGLE = """Looks up the weather.

    It is measured hourly.

    Args:
        city: Where.
        days (int, optional): How many,
            counted from today:

            - 1 is today
              alone
            - 2 is more
        unit (Literal["C", "F"] | Callable[[int], str]): Celsius or not. Defaults to "C".

    Keyword Args:
        more: Told apart.

    Returns:
        Degrees.

    Raises:
        KeyError: Never.

    Note:
        It may rain.

    Example:
        >>> look_up("Oslo")
        7
    """
NUMPY = """
    Looks up the weather.

    It is measured hourly.

    Parameters
    ----------
    city : str
        Where.
    days : int, optional
        How many,
        counted from today:

        - 1 is today
          alone
        - 2 is more
    unit: {"C", "F"}
        Celsius or not. Defaults to "C".

    Other Parameters
    ----------------
    more
        Told apart.

    Returns
    -------
    int
        Degrees.

    Raises
    ------
    KeyError
        Never.

    Notes
    -----
    It may rain.

    Examples
    --------
    >>> look_up("Oslo")
    7
    """
SPHINX = """Looks up the weather.

    It is measured hourly.

    :param city: Where.
    :type city: str
    :param int days: How many,
        counted from today:

        - 1 is today
          alone
        - 2 is more
    :keyword unit: Celsius or not. Defaults to "C".
    :arg more: Told apart.
    :raises KeyError: Never,
        or so.
    :returns: Degrees.
    :rtype: int
    """
PARAMETERS = {
    "city": "Where.",
    "days": "How many,\ncounted from today:\n\n- 1 is today\n  alone\n- 2 is more",
    "unit": 'Celsius or not. Defaults to "C".',
    "more": "Told apart.",
}
PROSE = "Looks up the weather.\n\nIt is measured hourly."


@pytest.mark.parametrize(
    "text, description",
    [
        pytest.param(GOOGLE, f"{PROSE}\n\nReturns:\n    Degrees.\n\nNote:\n    It may rain.", id="google"),
        pytest.param(NUMPY, f"{PROSE}\n\nReturns\n-------\nint\n    Degrees.\n\nNotes\n-----\nIt may rain.", id="numpy"),
        pytest.param(SPHINX, f"{PROSE}\n\nReturns: Degrees.", id="sphinx"),
    ],
)
def test_each_style(text: str, description: str) -> None:
    """Parameters are told apart; Returns and Notes stay; exceptions, examples and types go."""
    told = read_docstring(text)
    assert description == told.description
    assert told.parameters == PARAMETERS


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_indentation_says_nothing(text: str) -> None:
    """Python 3.13 strips the indentation of docstrings when it compiles them: both forms are read alike."""
    stripped = inspect.cleandoc(text)
    assert read_docstring(text) == read_docstring(stripped) == read_docstring(textwrap.indent(stripped, "\t"))
    assert read_docstring(text) == read_docstring(text.replace("\n", " \t\r\n"))


@pytest.mark.parametrize(
    "text, description, parameters",
    [
        pytest.param("", "", {}, id="empty"),
        pytest.param(" \n\t\n ", "", {}, id="blank"),
        pytest.param("Looks up.", "Looks up.", {}, id="one line"),
        pytest.param("A.\n\n\n\nB.", "A.\n\nB.", {}, id="blank lines are one"),
        pytest.param("A.\n\nArgs:\n    x: X.\n\nAfter.", "A.\n\nAfter.", {"x": "X."}, id="prose behind a section"),
        pytest.param("A.\n\nArgs:\nx: X.", "A.\n\nArgs:\nx: X.", {}, id="a block that is not indented is prose"),
        pytest.param("A.\n\nArgs:", "A.\n\nArgs:", {}, id="a header at the end is prose"),
        pytest.param("A.\n\nArgs:\n\nB.", "A.\n\nArgs:\n\nB.", {}, id="an empty section is prose"),
        pytest.param("\nArgs:\n\n    x: X.", "", {"x": "X."}, id="a blank line below the header"),
        pytest.param(
            "\nArgs:\n    no entry\n    - none\n    x: X.\n    and more.",
            "",
            {"x": "X.\nand more."},
            id="loose lines",
        ),
        pytest.param(
            "\nArgs:\n    x, y: Both.\n    *rest: Rest.", "", {"x": "Both.", "y": "Both.", "rest": "Rest."}, id="several"
        ),
        pytest.param("\nArgs:\n    x: One.\n    x: Two.", "", {"x": "One."}, id="named twice"),
        pytest.param("\nArgs:\n    x:\n        Below.", "", {"x": "Below."}, id="text below"),
        pytest.param("\nArgs:\n    x:\n    y (int):", "", {}, id="without text"),
        pytest.param("\nArgs:\n    x (tuple(int, int), optional): X.", "", {"x": "X."}, id="brackets in brackets"),
        pytest.param("\nArgs:\n    x (int: X.\n    y: Y.", "", {"y": "Y."}, id="an open bracket"),
        pytest.param("\nARGUMENTS:\n  x: X.", "", {"x": "X."}, id="any case"),
        pytest.param("A.\n\nTip:\n    Be quick.", "A.\n\nTip:\n    Be quick.", {}, id="other sections stay"),
        pytest.param("Parameters\n----------\nx : int", "", {}, id="numpy, without text"),
        pytest.param(
            "Parameters\n---\nx, y : int\n    Both.\nAll done here.",
            "All done here.",
            {"x": "Both.", "y": "Both."},
            id="numpy, prose",
        ),
        pytest.param("Parameters\n---\n    Loose.\nx\n    X.", "", {"x": "X."}, id="numpy, loose lines"),
        pytest.param("Parameters\n---\n(x) : int\n    X.", "(x) : int\n    X.", {}, id="numpy, no entry"),
        pytest.param("Parameters\n--", "Parameters\n--", {}, id="too short a line"),
        pytest.param(
            "Raises\n------\nKeyError\n    Never.\n\nNotes\n-----\nRain.", "Notes\n-----\nRain.", {}, id="numpy, left out"
        ),
        pytest.param(":param: nothing", ":param: nothing", {}, id="sphinx, without a name"),
        pytest.param(":param x:", "", {}, id="sphinx, without text"),
        pytest.param(":returns:", "", {}, id="sphinx, returns nothing"),
        pytest.param(":param x", ":param x", {}, id="sphinx, no field"),
        pytest.param(": x : y", ": x : y", {}, id="sphinx, unknown"),
        pytest.param(":", ":", {}, id="a colon"),
        pytest.param(":param x: X.\nNot indented.", "Not indented.", {"x": "X."}, id="sphinx, prose"),
        pytest.param("A.\n\n>>> f(1)\n2\n\nB.", "A.\n\nB.", {}, id="an example in prose"),
        pytest.param("A.\n\n>>> f(1)\n2", "A.", {}, id="an example at the end"),
        pytest.param(
            "```\nArgs:\n    x: X.\n```\n\nArgs:\n    y: Y.", "```\nArgs:\n    x: X.\n```", {"y": "Y."}, id="in a fence"
        ),
        pytest.param("A.\n:param x: X.\n\nArgs:\n    y: Y.", "A.", {"x": "X.", "y": "Y."}, id="mixed"),
    ],
)
def test_odd_ones(text: str, description: str, parameters: dict[str, str]) -> None:
    """What is no section is prose, and nothing of it is lost."""
    told = read_docstring(text)
    assert (description, parameters) == (told.description, told.parameters)

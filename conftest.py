"""Makes programs of the documentation: `pytest README.md docs src` runs each snippet and each doctest.

The snippets of one Markdown file share a namespace, in order; so do the docstrings of one module.
A plain `pytest` looks at `tests` only, where no file matches.
"""

from __future__ import annotations

from doctest import ELLIPSIS

from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

markdown = Sybil(
    patterns=["README.md", "docs/*.md", "docs/*/*.md"],
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS), SkipParser()],
)
docstrings = Sybil(
    path="src",
    pattern="*.py",
    parsers=[DocTestParser(optionflags=ELLIPSIS)],
    document_types={".py": PythonDocStringDocument},
)
pytest_collect_file = (markdown + docstrings).pytest()

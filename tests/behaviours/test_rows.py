"""Every row of the behaviour table has a test or a reason."""

from __future__ import annotations

import pytest
from tests.behaviours.rows import OPEN, all_rows, missing_rows, rows_with_reasons, rows_with_tests


def test_no_row_is_missing() -> None:
    """Each row has a test marked with its id, or a line with the reason why it has none."""
    assert missing_rows() == []


def test_marks_name_rows() -> None:
    """No test and no reason is for a row that the table does not have."""
    assert (rows_with_tests() | rows_with_reasons()) - set(all_rows()) == set()


def test_reasons_are_for_rows_without_a_test() -> None:
    """A row has a test or a reason, not both; and none that waits is done already."""
    assert rows_with_reasons() & rows_with_tests() == set()
    assert OPEN & rows_with_reasons() == set()


@pytest.mark.parametrize("row", ["S1", "S46", "P27", "F15", "G14", "V8", "W37"])
def test_the_table_is_whole(row: str) -> None:
    """The first and the last row of each part are known."""
    assert row in all_rows()

"""Cells as they are typeset: where points stand, what does not break."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.tables.content import Column, Row, Table
from tallybook.tables.typeset import after_decimal_point, is_numeric, typeset, typeset_cells


def column(*texts: str, align: str = "right") -> list[tuple[str, str]]:
    rows = tuple(Row(str(number), "r", (text,)) for number, text in enumerate(texts))
    table = Table("t", "", "", (Column("a", "a", align=align),), rows)  # type: ignore[arg-type]
    return [tuple(cells[0]) for cells in typeset_cells(table)]


@pytest.mark.parametrize(
    ("texts", "pads"),
    [
        (("4.20***", "0.00", "12.50*"), ("", "***", "**")),
        (("0.5", "0.25", "10"), ("0", "", "00.")),
        (("0.10", "0.25", "–"), ("", "", "")),
        (("0.10*", "0.25", "–"), ("", "*", "*")),
        (("1,234", "5"), ("", "")),
        (("0.031", "< .001"), ("", "")),
        (("0.0079", "1.8e-110"), ("e−", "")),
        (("0.56 [0.55, 0.57]", "0.1 [-0.2, 0.3]"), ("−", "000")),
        (("29.5%", "3%"), ("", "0.")),
        (("a", "b"), ("", "")),
        ((), ()),
    ],
)
def test_what_a_cell_lacks_behind_its_point(texts: tuple[str, ...], pads: tuple[str, ...]) -> None:
    assert [Counter(pad) for _, pad in column(*texts)] == [Counter(pad) for pad in pads]


def test_only_columns_of_numbers_are_padded() -> None:
    assert [pad for _, pad in column("1.5*", "2.25", align="left")] == ["", ""]
    assert [pad for _, pad in column("1.5*", "2.25", align="center")] == ["", ""]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-0.5", "−0.5"),
        ("(-.5)", "(−.5)"),
        ("4.7e-12", "4.7e−12"),
        ("0.1 ± 0.2", "0.1\u00a0±\u00a00.2"),
        ("1990-1995", "1990-1995"),
        ("n/a", "n/a"),
        ("yes (5)", "yes (5)"),
        ("-", "-"),
        ("", ""),
    ],
)
def test_minus_signs_and_places_to_break(text: str, shown: str) -> None:
    assert typeset(text) == shown


def test_a_long_row_of_numbers_is_a_text() -> None:
    assert not is_numeric("0.1, " * 20)
    assert after_decimal_point("0.1, " * 20) is None


@given(st.text())
def test_typesetting_changes_signs_and_blanks_only(text: str) -> None:
    assert typeset(text).replace("−", "-").replace("\u00a0", " ") == text.replace("−", "-").replace("\u00a0", " ")
    assert typeset(typeset(text)) == typeset(text)


NUMBERS = st.tuples(st.integers(-999, 999), st.integers(0, 4), st.sampled_from(["", "*", "**", "***"]))


@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_all_numbers_end_alike_behind_their_points(numbers: list[tuple[int, int, str]]) -> None:
    """Digits are as wide as each other, so the same characters take the same room whatever their order."""
    texts = [f"{number:.{digits}f}{stars}" for number, digits, stars in numbers]
    ends = [
        Counter("0" if each.isdigit() else each for each in f"{after_decimal_point(text)}{pad}")
        for text, pad in column(*texts)
    ]
    assert all(end == ends[0] for end in ends)

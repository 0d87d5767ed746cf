"""The list of published numbers as checks read it: by table, row, column and statistic."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.published.audit.numbers import Printed, rounded
from tallybook.published.consistency.sizes import Interval
from tallybook.study.publication import KEY, selects

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from tallybook.study.model import Study
    from tallybook.study.presentation import Rounding
    from tallybook.study.printed_checks import Check, IntervalCheck, Source


Key = tuple[str, str, str, str]
"""Table, row, column, statistic."""


class Finding(NamedTuple):
    """The result of a check of one number, or of one cell."""

    table: str  # the table; several are joined by ", "
    row: str
    column: str  # the column; empty where the finding is about all of a row
    statistic: str  # the number's name; empty where the finding is about an estimate and its limits
    printed: str  # what is printed
    expected: str  # what would be right
    note: str = ""  # in a sentence, what is wrong or why it cannot be tested; empty if it is right
    is_tested: bool = True  # whether what the check needs is printed


def source_of(source: Source | None, key: Key) -> Key:
    """Get the key under which a number is printed first: its own if no source is declared."""
    if source is None:
        return key
    return source.table, source.row or key[1], source.column or key[2], source.statistic or key[3]


class Listing:
    """The published numbers of a study."""

    def __init__(self, study: Study, published: pl.DataFrame) -> None:
        """Index published numbers."""
        self._rounding: Rounding = study.style.rounding
        self._texts: dict[tuple[str, str, str, str], str] = {
            (entry["table"], entry["row"], entry["column"], entry["statistic"]): entry["printed"]
            for entry in published.iter_rows(named=True)
        }

    def text(self, table: str, row: str, column: str, statistic: str) -> str | None:
        """Get a number as printed; None if it is not listed."""
        return self._texts.get((table, row, column, statistic))

    def number(self, check: Check, table: str, row: str, column: str, statistic: str) -> Printed | None:
        """Get a number with the bounds of its rounding; None if it is not listed, or no number."""
        text = self.text(table, row, column, statistic)
        return None if text is None else rounded(text, check.digits, self._rounding)

    def interval(self, check: IntervalCheck, table: str, row: str, column: str) -> Interval | None:
        """Get an estimate with its limits; None if one of them is not listed, or no number."""
        names = (check.value, check.low, check.high)
        found = [number for name in names if (number := self.number(check, table, row, column, name)) is not None]
        return Interval(*found) if len(found) == len(names) else None

    def numbers(self, check: Check) -> Iterator[Key]:
        """Get the numbers that a check is about, in their order: table, row, column, statistic."""
        return (key for key in self._texts if selects(check, dict(zip(KEY, key, strict=True))))

    def cells(self, check: IntervalCheck) -> Iterator[tuple[str, str, str]]:
        """Get the cells that a check is about, in their order: table, row, column. All have an estimate or a limit."""
        names = {check.value, check.low, check.high}
        found = (key for key in self._texts if selects(check, dict(zip(KEY, key, strict=True))) and key[3] in names)
        return iter(dict.fromkeys(key[:3] for key in found))

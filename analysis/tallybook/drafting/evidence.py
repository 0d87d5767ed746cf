"""What the values of columns show, whatever they are called: which were asked, and which were answered.

An experiment asks each question equally often, of every model or again and again. A column with each of its values
equally often, or that such a column determines, belongs to the questions; what varies within them was answered.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey

_MOST_ROWS = 200_000
"""Larger dumps are not counted for this."""
_SENTENCE = 30
"""The mean length of a text, in characters, that is a question of its own."""
_FEWEST = 5
"""How many questions there are at least."""
_CLOCK = 10**9
"""From here on, whole numbers that only rise are times."""


class Design:
    """What of a dump was asked, as far as its counts show."""

    def __init__(self, survey: Survey, others: Collection[str], text: str | None = None) -> None:
        """Take a dump, the columns that are neither asked nor answered, and that of the texts."""
        self._survey = survey
        kept = [one for one in survey.columns if one.kind != "empty" and one.name not in others]
        self._columns = [one for one in kept if one.name != text]
        places = [one.name for one in survey.columns]
        self._behind = {*places[places.index(text) + 1 :]} if text is not None else set[str]()

    @cached_property
    def balanced(self) -> list[Column]:
        """The columns whose every value comes equally often, more than once."""
        if self._survey.rows > _MOST_ROWS:
            return []
        return [column for column in self._columns if self.is_balanced(column)]

    def is_balanced(self, column: Column) -> bool:
        """Tell whether every value of a column comes equally often, more than once."""
        rows = self._survey.rows
        if column.missing or not 1 < column.distinct <= rows // 2 or rows % column.distinct:
            return False
        counts = column.values.values() or self._survey.times([column.name]).get_column("times")
        return len({*counts}) == 1

    @cached_property
    def is_known(self) -> bool:
        """Whether the balanced columns tell questions apart: each combination is a record, or one is the wording."""
        is_worded = any(column.length >= _SENTENCE for column in self.balanced)
        return is_worded or len(self._cells) == self._survey.rows

    @cached_property
    def _cells(self) -> list[int]:
        names = [column.name for column in self.balanced]
        return self._survey.times(names).get_column("times").to_list() if names else []

    def is_answered(self, column: Column) -> bool:
        """Tell whether a column varies within the questions."""
        if column in self.balanced or column.distinct <= 1 or numbers_time(column, self._survey):
            return False
        # What stands behind the texts was coded from them, where all that comes equally often is repeated evenly.
        if not self.is_known and not (column.name in self._behind and len({*self._cells}) == 1):
            return False
        determining = [one for one in self.balanced if one.distinct >= max(_FEWEST, column.distinct)]
        return not any(self._survey.combinations([one.name, column.name]) == one.distinct for one in determining)

    def answers(self) -> list[Column]:
        """List the columns that may be answers, called so first, texts before numbers, the last first."""
        found = [one for one in self._columns[::-1] if self.is_answered(one)]
        return sorted(found, key=lambda one: (not one.is_called_answer, one.is_number))

    def question(self, model: str | None, taken: Collection[str | None]) -> str | None:
        """Find the column that tells what was asked again and again, or of every model, where nothing is called so."""
        repeated = [one for one in self.balanced if one.kind in {"text", "integer"} and one.distinct >= _FEWEST]
        repeated = [one for one in repeated if one.name not in taken]
        worded = [one for one in repeated if one.length >= _SENTENCE]
        whole = (one for one in repeated if model and self._survey.is_unique([one.name, model]))
        found = max(worded, key=lambda column: column.distinct, default=None) or next(whole, None)
        return None if found is None else found.name


def numbers_time(column: Column, survey: Survey) -> bool:
    """Tell whether a column of numbers only rises from record to record, as clocks do."""
    if not column.is_number or column.distinct < max(2, survey.rows) or column.has_commas:
        return False
    numbers = survey.sample.get_column(column.name).cast(pl.Float64, strict=False)
    return numbers.is_sorted() and float(numbers.min() or 0) >= _CLOCK  # pyright: ignore[reportArgumentType]  a number

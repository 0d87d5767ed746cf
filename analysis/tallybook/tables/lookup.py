"""Estimates found by what a table cell is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.model import Study

Row = dict[str, Any]


class EstimateIndex:
    """Estimates by analysis, cell, outcome and term."""

    def __init__(self, study: Study, estimates: pl.DataFrame) -> None:
        """Index estimates."""
        self._study = study
        self._cells: dict[tuple[str, ...], dict[str, Row]] = {}
        for row in estimates.iter_rows(named=True):
            analysis = row["analysis"]
            key = (analysis, row["outcome"], *(row[name] for name in study.analyses[analysis].by))
            self._cells.setdefault(key, {})[row["term"]] = row

    def terms(self, analysis: str, context: Mapping[str, str]) -> dict[str, Row]:
        """Get all estimates of one analysis in one cell."""
        names = ("outcome", *self._study.analyses[analysis].by)
        missing = [name for name in names if name not in context]
        if missing:
            raise UsageError(
                f"what shows {analysis!r} must fix {', '.join(missing)}: by for_each, rows, columns or where"
            )
        return self._cells.get((analysis, *(context[name] for name in names)), {})

    def levels_present(self, analysis: str, axes: tuple[str, ...]) -> set[tuple[str, ...]]:
        """Get the combinations of levels that an analysis has estimates for."""
        names = ("outcome", *self._study.analyses[analysis].by)
        places = [names.index(axis) + 1 for axis in axes if axis in names]
        return {tuple(key[place] for place in places) for key in self._cells if key[0] == analysis}

    def is_score_of_tests(self, analysis: str) -> bool:
        """Tell whether an analysis counts the tests of another, so that its n is a number of tests."""
        return self._study.analyses[analysis].counts_tests

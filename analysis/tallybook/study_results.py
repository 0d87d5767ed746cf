"""The data of a study in Python: read, coded, counted and analysed on demand."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tallybook import pipeline
from tallybook.core.errors import UsageError
from tallybook.core.progress import progress
from tallybook.core.wording import expectation, value_text

if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Iterable, Sequence

    import tallybook.study.model
    from tallybook.core.progress import Progress
    from tallybook.pipeline import Coded, Results
    from tallybook.study.loading import LoadedStudy

    AnyPath: TypeAlias = str | os.PathLike[str]


class StudyData:
    """The data of a study, read, coded, counted and analysed on demand; each step runs once."""

    def __init__(
        self,
        loaded: LoadedStudy,
        *,
        data: AnyPath | None = None,
        edition: str | None = None,
        show_progress: bool = False,
    ) -> None:
        """Initialise without reading data.

        Args:
            loaded: The study and its folders, as made by `Study.load` and `Study.draft`.
            data: The data folder; the study's own by default.
            edition: The edition of the data; by default the first whose files the folder holds.
            show_progress: Whether to show the progress of long steps on standard error.
        """
        self.loaded = loaded
        self._data = None if data is None else Path(data)
        self._edition = edition
        self._show_progress = show_progress

    @property
    def declaration(self) -> tallybook.study.model.Study:
        """The checked declarations of the study file, with all defaults."""
        return self.loaded.study

    def responses(self) -> pl.DataFrame:
        """Return the coded responses, one row per response (or several equal ones: `count`), as in responses.parquet.

        Returns:
            Factors, outcomes, `status`, `count` and the further columns of the source and the instrument.

        Raises:
            UsageError: If there is nothing to read.
            DataError: If the data violate their schemas; the message names the rows.
        """
        return self._coded.coded

    def scan_responses(self) -> pl.LazyFrame:
        """Return the coded responses as a lazy frame, of which only as much is in memory as a query needs."""
        return self._coded.rows

    def tally(self, outcome: str | None = None) -> pl.DataFrame:
        """Count each category, label or value of an outcome in each combination of factors.

        Args:
            outcome: One of the outcomes; all by default.

        Returns:
            Factors, `outcome`, `category` or `value`, `status`, `count` and `first_seen`.

        Raises:
            UsageError: If there is no such outcome.
        """
        if outcome is None:
            return self._tally
        return self._tally.filter(outcome=self._known("outcome", outcome, self.declaration.outcomes))

    def estimates(self, analysis: str | None = None, /, **levels: str | Sequence[str]) -> pl.DataFrame:
        """Return the results of the study's analyses, as in estimates.parquet.

        Args:
            analysis: One of the analyses; all by default.
            **levels: The levels of factors (or `outcome`, `term`) to select: one or several, as in `model="a"`.

        Returns:
            One row per result: factors (null where an analysis does not split by one), `analysis`, `outcome`, `term`,
            `n`, `estimate`, its interval and test, `method` and `status`.

        Raises:
            UsageError: If there is no such analysis, factor or level.
        """
        if analysis is not None:
            self._known("analysis", analysis, self.declaration.analyses)
        factors = self.declaration.factors
        for name in levels:
            self._known("factor", name, [*factors, "outcome", "term"])
        found = self.results.estimates
        if analysis is not None:
            found = found.filter(analysis=analysis)
        known: dict[str, Iterable[str]] = {name: factor.levels for name, factor in factors.items()}
        known |= {"outcome": self.declaration.outcomes, "term": found.get_column("term").unique().sort()}
        for name, given in levels.items():
            wanted = [given] if isinstance(given, str) else list(given)
            found = found.filter(pl.col(name).is_in([self._known(name, level, known[name]) for level in wanted]))
        return found

    def comparison(self) -> pl.DataFrame:
        """Compare published with regenerated numbers, as in comparison.csv.

        Returns:
            One row per number: `table`, `row`, `column`, `statistic`, `published`, `regenerated`, `verdict`,
            `strictness` and `note`.

        Raises:
            UsageError: If the study has no published values.
        """
        found = self.results.comparison
        if found is None:
            raise UsageError(f"{self.declaration.name} has no published values to compare with")
        return found

    def findings(self) -> pl.DataFrame:
        """Return the faults of the data that are declared as known: `file`, `key`, `column`, `value` and `expected`."""
        return pl.concat(self._coded.findings.tables())

    def uncoded(self) -> pl.DataFrame:
        """Return the uncoded responses: `outcome`, `label` (null if the answer gives none) and `count`."""
        return self._coded.uncoded

    @cached_property
    def results(self) -> Results:
        """All results: the source, the tally, the estimates, the tables and the comparison."""
        source, counted = self._coded, self._tally
        with self._progress() as shown:
            return pipeline.infer(self.loaded, source, counted, shown)

    @cached_property
    def _coded(self) -> Coded:
        with self._progress() as shown:
            return pipeline.read_and_code(self.loaded, self._data, self._edition, shown)

    @cached_property
    def _tally(self) -> pl.DataFrame:
        source = self._coded
        with self._progress() as shown:
            return pipeline.count(self.loaded, source, shown)

    @contextmanager
    def _progress(self) -> Generator[Progress]:
        with progress(quiet=not self._show_progress, anywhere=True) as shown:
            yield shown

    def _known(self, kind: str, name: str | int, known: Iterable[str]) -> str:
        """Resolve a name; an integer that is not a name is a position, from 1."""
        every, number, name = list(known), name, str(name)
        if isinstance(number, int) and name not in every and 1 <= number <= len(every):
            return every[number - 1]
        if name not in every:
            raise UsageError(f"{self.declaration.name} has no {kind} {value_text(name)}; {expectation(name, every)}")
        return name

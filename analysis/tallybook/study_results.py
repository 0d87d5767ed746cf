"""A study's data in Python: read, coded, counted and computed when something of it is asked for."""

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
    """The results of a study's data before they are laid out in tables: every step is made once, when it is needed."""

    def __init__(
        self,
        loaded: LoadedStudy,
        *,
        data: AnyPath | None = None,
        edition: str | None = None,
        show_progress: bool = False,
    ) -> None:
        """Begin with nothing read.

        Args:
            loaded: The study and its folders; `Study.load` and `Study.draft` make it.
            data: The data folder; the study's own by default.
            edition: The edition of the data; by default the first whose files the folder holds.
            show_progress: Whether to say on standard error how far long work has come.
        """
        self.loaded = loaded
        self._data = None if data is None else Path(data)
        self._edition = edition
        self._show_progress = show_progress

    @property
    def declaration(self) -> tallybook.study.model.Study:
        """The declarations of the study file, checked, with all defaults."""
        return self.loaded.study

    def responses(self) -> pl.DataFrame:
        """The coded responses, one row a response (or several that are equal: `count`), as responses.parquet has them.

        Returns:
            Factors, outcomes, `status`, `count` and what else the source and the instrument give.

        Raises:
            UsageError: If there is nothing to read.
            DataError: If the data break their schemas; the message names the rows.
        """
        return self._coded.coded

    def scan_responses(self) -> pl.LazyFrame:
        """The coded responses as a lazy frame: of a large dump no more is in memory than a query needs."""
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
        """The results of the study's analyses, as estimates.parquet has them.

        Args:
            analysis: One of the analyses; all by default.
            **levels: Only these levels of factors (or `outcome`, `term`): one or several, as in `model="a"`.

        Returns:
            A row a result: factors (null where an analysis does not split by one), `analysis`, `outcome`, `term`, `n`,
            `estimate`, its interval and test, `method` and `status`.

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
        """Published numbers against regenerated ones, as comparison.csv has them.

        Returns:
            `table`, `row`, `column`, `statistic`, `published`, `regenerated`, `verdict`, `strictness` and
            `note`, a row a number.

        Raises:
            UsageError: If the study has no published values.
        """
        found = self.results.comparison
        if found is None:
            raise UsageError(f"{self.declaration.name} has no published values to compare with")
        return found

    def findings(self) -> pl.DataFrame:
        """List the problems of the data that are declared as known: `file`, `key`, `column`, `value` and `expected`."""
        return pl.concat(self._coded.findings.tables())

    def uncoded(self) -> pl.DataFrame:
        """Uncoded responses: `outcome`, `label` (null if the answer does not give it at all) and `count`."""
        return self._coded.uncoded

    @cached_property
    def results(self) -> Results:
        """Everything at once: the source, the tally, the estimates, the tables and the comparison."""
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
        """Resolve a name; a whole number that is not a name is a position, from 1."""
        every, number, name = list(known), name, str(name)
        if isinstance(number, int) and name not in every and 1 <= number <= len(every):
            return every[number - 1]
        if name not in every:
            raise UsageError(f"{self.declaration.name} has no {kind} {value_text(name)}; {expectation(name, every)}")
        return name

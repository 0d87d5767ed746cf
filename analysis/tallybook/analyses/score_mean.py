"""Means of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.means import OfMeans, from_printed
from tallybook.analyses.wording import clustering, of_outcomes, percent, sentences
from tallybook.core.errors import UsageError
from tallybook.core.markdown import literal
from tallybook.study.notation import Notation, italic
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study

_BOOTSTRAP = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
"""The intervals that are made by resampling."""
_NOTES = {"t": "Student's", "normal": "normal"} | {name: f"{text} bootstrap" for name, text in _BOOTSTRAP.items()}


class ScoreMean(OfMeans):
    """The mean of a score with an interval."""

    statistic: Literal["score-mean"]
    interval: Literal["t", "normal", "percentile", "basic", "bca", "given"] = "t"
    """Student's, the normal one, a bootstrap one, or that of the table of means."""

    ddof: Literal[0, 1] = 1
    """The number subtracted from n in the standard deviation of the normal interval. With 0 the interval is that of a
    normal distribution fitted to the means of very many bootstrap samples."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "CR1")
    results: ClassVar[str] = "means"

    @property
    def resamples(self) -> bool:
        return self.interval in _BOOTSTRAP

    @property
    def two_way_scale(self) -> Scale | None:
        return "identity" if self.interval == "t" else None

    def not_clustered(self) -> str | None:
        return super().not_clustered() or (None if self.interval in {"t", "normal"} else "interval")

    def check_settings(self, study: Study, place: str) -> None:
        if self.summaries is None and self.interval == "given":
            raise ValueError(f"{place}.interval: 'given' needs a table of means, 'summaries'")
        super().check_settings(study, place)
        if self.ddof == 0 and (self.interval != "normal" or self.summaries or self.cluster_column(study)):
            raise ValueError(f"{place}.ddof: 0 is for the normal interval of responses without clusters")
        if self.summaries is not None and self.resamples:
            raise ValueError(f"{place}.interval: means alone cannot be resampled")

    def terms(self, study: Study) -> list[str] | None:
        return ["mean"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        if self.summaries is not None:
            return self._of_printed(study, inputs, self.summaries)
        return self.with_left_out(self._of_responses(study, inputs), inputs)

    def _of_responses(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.score_means import clustered_means, score_means

        counts, confidence = self.scores(inputs), self.confidence
        if (cluster := self.cluster_column(study)) is not None:
            interval = "normal" if self.interval == "normal" else "t"
            return clustered_means(
                counts, self.by, cluster, interval=interval, confidence=confidence, kind=self.standard_error
            )
        interval = "t" if self.interval == "given" else self.interval
        return score_means(counts, self.by, interval=interval, confidence=confidence, seed=study.seed, ddof=self.ddof)

    def _of_printed(self, study: Study, inputs: Inputs, name: str) -> pl.DataFrame:
        from tallybook.statistics.means.score_means import means_of, printed_means

        declared = study.summaries[name]
        if self.interval == "given":
            cells = self.printed(study, inputs, name)
            if cells.select(self.by).is_duplicated().any():  # a factor may be left out that follows from the others
                raise UsageError(f"summaries.{name}: 'given' intervals are those of cells by {', '.join(declared.by)}")
            return printed_means(cells, self.by, declared.confidence, declared.label)
        interval = "normal" if self.interval == "normal" else "t"
        moments = self.moments_of_printed(study, inputs, name)
        found = means_of(moments, self.by, interval=interval, confidence=self.confidence)
        return from_printed(found, declared.label)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(italic("M"), shows_n=True)

    def note(self, study: Study) -> str:
        if self.interval == "given":
            return f"Means and intervals as given: {self.source(study)}."
        level = f"{100 * self.confidence:g}%"
        divisor = "" if self.ddof else " (standard deviation with divisor n)"
        return f"Means with {_NOTES[self.interval]} {level} intervals{divisor}{self.counted_note(study)}."

    def account(self, study: Study) -> Account:
        return of_outcomes(study, self, "Means", "", "Means were computed of", detail=self._detail(study))

    def _detail(self, study: Study) -> str:
        level = percent(self.confidence)
        if self.interval == "given":
            return f"These means and their intervals are taken as they are given ({literal(self.source(study))})."
        interval = (
            f"normal {level} intervals, from the standard deviation with divisor *n*{' − 1' if self.ddof else ''}"
        )
        if self.interval == "t":
            interval = f"Student’s {level} intervals [@student1908]"
        elif self.interval in _BOOTSTRAP:
            cited = "@efron1987; @efron1993" if self.interval == "bca" else "@efron1993; @davison1997"
            interval = (
                f"{level} {_BOOTSTRAP[self.interval]} bootstrap intervals [{cited}], computed without simulation where "
                "scores lie on a grid [@fisher1991]"
            )
        return sentences(
            f"Means have {interval}.",
            clustering(study, self.cluster_column(study), self.standard_error, crossed=self.crossed),
            self.counted(study),
        )

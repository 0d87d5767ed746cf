"""Unweighted means of estimates, and what all that joins the estimates of several cells shares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.wording import factor_name, of_estimates, percent, sentences
from tallybook.study.analysis_base import Clustered, OfEstimates
from tallybook.study.clusters import Cluster, called, check_columns, is_within, joined
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study
    from tallybook.study.notation import Notation


class OfCells(OfEstimates, Clustered):
    """An analysis that joins estimates of several cells. Cells that share clusters are not independent."""

    cluster: Cluster | None = None
    """The column or columns whose values are the clusters; by default that of the analysis whose estimates are joined.
    All is recomputed without each cluster: the standard error is that of the jackknife, the interval Student's with one
    degree of freedom less than there are clusters. Without clusters cells are treated as independent."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "bootstrap")

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, OfCells) or super().takes(analysis)

    def cluster_column(self, study: Study) -> str | None:
        """Get the column of its clusters: by default that of the analysis that it is of."""
        if self.cluster is not None:
            return joined(self.cluster)
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.cluster_column(study)

    @property
    def tested_value(self) -> float | None:
        return None

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        self.check_standard_error(place)
        if not self.cluster:
            return
        check_columns(study, self.cluster, f"{place}.cluster")
        base = of.of_responses(study)
        if is_within(self.cluster, base.by):
            raise ValueError(
                f"{place}.cluster: {joined(self.cluster)!r} is in 'by' of the estimates: a cluster is in one cell"
            )
        if getattr(base, "summaries", None) is not None:
            raise ValueError(f"{place}.cluster: there are no clusters of means that are given")

    def terms(self, study: Study) -> list[str] | None:
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.terms(study)

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Join estimates within cells, treating them as independent."""
        raise NotImplementedError

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.analyses.leaving_out import left_out

        cluster = self.cluster_column(study)
        if cluster is None:
            return self.joined(inputs.estimates(self.of), self.by)
        chain: list[OfCells] = [self]
        while isinstance(below := study.analyses[chain[-1].of], OfCells):
            chain.append(below)
        return left_out(study, chain, inputs, cluster)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        of = study.analyses[self.of].notation(study, term, has_df=has_df)
        return replace(of, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=False)

    def note_of_errors(self, study: Study) -> str:
        """Say under a table what its errors rest on."""
        test = "" if self.tested_value is None else f" Tested against {self.tested_value:g}, two-sided."
        cluster = self.cluster_column(study)
        if cluster is None:
            return f"The cells were treated as independent; normal intervals.{test}"
        return (
            f"Standard errors by leaving out one {called(study, cluster)} at a time (jackknife over clusters); "
            f"Student's intervals.{test}"
        )

    def account_of_errors(self, study: Study) -> str:
        """Say in the methods section what its errors rest on."""
        cluster, level = self.cluster_column(study), percent(self.confidence)
        if cluster is None:
            return f"Their {level} intervals are normal ones, which treat the cells as independent."
        return (
            "Their standard errors are those of the jackknife over clusters: all is computed again without each "
            f"{factor_name(study, cluster)} [@bell2002; @mackinnon2023], so that what shares them is compared within "
            f"them; the {level} intervals are Student’s, with one degree of freedom less than there are clusters."
        )


class Mean(OfCells):
    """The mean of an analysis' estimates over the factors that are left out, each estimate with the same weight."""

    statistic: Literal["mean"]

    results: ClassVar[str] = "means of estimates"

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.averages import unweighted_means

        return unweighted_means(estimates, by, confidence=self.confidence)

    def note(self, study: Study) -> str:
        of = study.analyses[self.of].note(study)
        return f"Unweighted means: every cell counts the same. {self.note_of_errors(study)} {of}"

    def account(self, study: Study) -> Account:
        text = sentences(
            "Means of estimates give every cell the same weight, whatever its size [@cochran1977].",
            self.account_of_errors(study),
        )
        return of_estimates(study, self, "Unweighted means", text, "Averaged were the")

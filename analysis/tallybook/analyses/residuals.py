"""Standardised residuals of contingency tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.distributions import CATEGORY, OfDistributions
from tallybook.analyses.wording import of_outcomes
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import Notation, Z

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class Residuals(OfDistributions):
    """Standardised residuals of each category at each level of a factor from independence."""

    statistic: Literal["residuals"]
    factor: Identifier
    """The factor of the table's rows; it is one of `by`."""

    results: ClassVar[str] = "standardised residuals"

    def not_clustered(self) -> str | None:
        return "factor"

    def check_settings(self, study: Study, place: str) -> None:
        must_exist([self.factor], self.by, f"{place}.factor", "factor of 'by'")

    def terms(self, study: Study) -> list[str] | None:
        names = [study.outcomes[name] for name in self.outcomes if name in study.outcomes]
        labels = [getattr(outcome, "labels", None) for outcome in names]
        return None if None in labels else list(dict.fromkeys(term for each in labels for term in each or ()))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        import polars as pl

        from tallybook.statistics.categories.contingency import standardised_residuals
        from tallybook.statistics.estimates import as_estimates
        from tallybook.statistics.means.score_means import OUTCOME

        within = [*(name for name in self.by if name != self.factor), OUTCOME]
        found = standardised_residuals(self.counts(inputs), within, self.factor, CATEGORY)
        residual = pl.col("residual")
        named = found.with_columns(
            pl.col(OUTCOME).alias("outcome"),
            pl.col(CATEGORY).alias("term"),
            pl.col("count").alias("n"),
            residual.alias("estimate"),
            pl.col("expected").alias("effect"),
            pl.lit("expected_count").alias("effect_kind"),
            pl.lit("standardised residual").alias("method"),
            pl.when(residual.is_null()).then(pl.lit("degenerate")).otherwise(pl.lit("ok")).alias("status"),
        )
        return as_estimates(named, self.by)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(Z)

    def note(self, study: Study) -> str:
        return (
            f"Standardised residuals of {study.factors[self.factor].label} by category, of "
            f"{self.responses(in_note=True)}; beyond ±2 a count lies off independence; responses were treated as "
            "independent."
        )

    def account(self, study: Study) -> Account:
        text = (
            f"Standardised residuals [@haberman1973] are of {self.responses(in_note=False)}, and take responses for "
            "independent."
        )
        return of_outcomes(study, self, "Residuals", text, "Residuals were computed of the categories of")

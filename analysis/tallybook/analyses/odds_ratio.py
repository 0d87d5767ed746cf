"""Odds ratios of shares between levels of a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.difference import OfPairs
from tallybook.analyses.wording import BASES, NOTE_BASES, factor_name, of_outcomes, percent, sentences
from tallybook.study.notation import EFFECTS, Notation

if TYPE_CHECKING:
    import polars as pl

    from tallybook.statistics.proportions.two_proportions import Measure
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study


class OddsRatio(OfPairs):
    """The odds of each category at one level of a factor, divided by those at another."""

    statistic: Literal["odds-ratio"]
    estimator: Literal["sample", "conditional"] = "sample"
    """Of the sample, or by conditional maximum likelihood, given the margins, with the exact interval that goes with
    Fisher's test, as R's `fisher.test` has them: of independent responses only."""

    results: ClassVar[str] = "odds ratios"
    estimand: ClassVar[str] = "odds ratio"
    error_scale: ClassVar[Scale] = "log"
    pair_term: ClassVar[str] = "{}: {} / {}"

    @property
    def measure(self) -> Measure:
        """Get what of `two_proportions` is computed where responses are independent."""
        return "odds_ratio" if self.estimator == "sample" else "conditional_odds_ratio"

    def not_clustered(self) -> str | None:
        return None if self.estimator == "sample" else "estimator"

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates, treating all responses as independent; errors are those of the ratio itself."""
        import polars as pl

        return super().independent(study, inputs).with_columns(pl.col("std_error") * pl.col("estimate"))

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the odds ratios alone."""
        import polars as pl

        from tallybook.statistics.proportions.proportion import proportions

        by, members, share = [*self.by, self.factor], self.members(study), pl.col("estimate")
        shares = proportions(inputs.tally, by, members, denominator=self.denominator)
        odds = pl.when(share.is_between(0, 1, closed="none")).then((share / (1 - share)).log())
        return self.subtracted(study, shares.with_columns(odds.alias("estimate"))).with_columns(share.exp())

    def null_values(self) -> pl.Expr:
        import polars as pl

        return pl.lit(1.0)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(EFFECTS["odds_ratio"])

    def note(self, study: Study) -> str:
        of = "intervals" if self.cluster_column(study) is None else "intervals and tests"
        of = (
            f"{of} on the logarithm"
            if self.estimator == "sample"
            else "conditional maximum likelihood, exact intervals"
        )
        of = f"of shares of {NOTE_BASES[self.denominator]}; {of}"
        return f"Odds ratios{self.pair_in_note(study, 'vs.')} {of}{self.tests_note}."

    def account(self, study: Study) -> Account:
        intervals = f"Their {percent(self.confidence)} intervals are normal ones on the logarithm [@woolf1955]"
        if self.estimator == "conditional":
            intervals = "They are maximum likelihood estimates given the margins, with exact "
            intervals += f"{percent(self.confidence)} intervals [@cornfield1956]"
        text = sentences(
            f"Odds ratios are those of shares of {BASES[self.denominator]}, {self.compared_levels(study)} of "
            f"{factor_name(study, self.factor)}.",
            self.account_of_errors(study)
            or f"{intervals}; their *p*-values are those of Fisher’s exact test, {self.side} [@fisher1935].",
        )
        return of_outcomes(study, self, "Odds ratios", text, "Compared are the categories of")

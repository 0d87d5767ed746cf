"""Odds ratios of shares between levels of a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.difference import OfPairs
from tallybook.analyses.wording import BASES, NOTE_BASES, adjustment, factor_name, of_outcomes, percent, sentences
from tallybook.study.notation import EFFECTS, Notation

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study


class OddsRatio(OfPairs):
    """The odds of each category at one level of a factor, divided by those at another."""

    statistic: Literal["odds-ratio"]

    results: ClassVar[str] = "odds ratios"
    estimand: ClassVar[str] = "odds ratio"
    error_scale: ClassVar[Scale] = "log"
    measure: ClassVar[Literal["risk_difference", "odds_ratio"]] = "odds_ratio"
    pair_term: ClassVar[str] = "{}: {} / {}"

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
        """Get equal odds."""
        import polars as pl

        return pl.lit(1.0)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Get how an odds ratio is written."""
        del study, term, has_df
        return Notation(EFFECTS["odds_ratio"])

    def note(self, study: Study) -> str:
        """Write the sentence under a table."""
        of = "intervals" if self.cluster_column(study) is None else "intervals and tests"
        of = f"of shares of {NOTE_BASES[self.denominator]}; {of} on the logarithm"
        return f"Odds ratios{self.pair_in_note(study, 'by')} {of}{self.tests_note}."

    def account(self, study: Study) -> Account:
        """Write what the methods section says of it."""
        text = sentences(
            f"Odds ratios are those of shares of {BASES[self.denominator]}, {self.compared_levels(study)} of "
            f"{factor_name(study, self.factor)}.",
            self.account_of_errors(study)
            or f"Their {percent(self.confidence)} intervals are normal ones on the logarithm [@woolf1955]; their "
            f"*p*-values are those of Fisher’s exact test, {self.side} [@fisher1935].",
            adjustment(study, self.family),
        )
        return of_outcomes(study, self, "Odds ratios", text, "Compared are the categories of")

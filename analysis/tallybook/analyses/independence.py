"""Tests of independence of a category and a factor: chi-squared, G, Cramér's V."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.distributions import CATEGORY, OfDistributions
from tallybook.analyses.levels import OfFactor
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_names
from tallybook.study.notation import CHI_SQUARE, Notation, Piece, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_NOTATIONS = {
    "chi_square": Notation(CHI_SQUARE, has_df_at_symbol=True),
    "phi": Notation((Piece("φ"),), "bounded"),
    "g": Notation(italic("G"), has_df_at_symbol=True),
}


class Independence(OfFactor, OfDistributions):
    """Whether the distribution of a category differs between the levels of a factor."""

    statistic: Literal["independence"]
    continuity: bool = False
    """Yates' correction of the chi-squared test of 2 x 2 tables."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "tests of independence"

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        self.check_apart(study, place)
        if self.continuity and self.cluster_column(study) is not None:
            raise ValueError(f"{place}.continuity: Yates' correction is of independent responses, not of clusters")

    def terms(self, study: Study) -> list[str] | None:
        if self.cluster_column(study) is not None:
            return ["chi_square", "cramer_v"]
        return ["chi_square", "g", "cramer_v", "cramer_v_corrected", "phi"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        import polars as pl

        from tallybook.statistics.categories.contingency import independence
        from tallybook.statistics.categories.rao_scott import clustered_independence
        from tallybook.statistics.means.score_means import OUTCOME, of_outcomes

        counts, by = self.counts(inputs), [*self.by, OUTCOME]
        if self.levels:
            counts = counts.filter(pl.col(self.factor).is_in(self.levels))
        if (cluster := self.cluster_column(study)) is not None:
            return of_outcomes(clustered_independence(counts, by, self.factor, CATEGORY, cluster))
        return of_outcomes(independence(counts, by, self.factor, CATEGORY, continuity=self.continuity))

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: X², G and the measures are of one."""
        import polars as pl

        return pl.when(pl.col("term") == "chi_square").then("outcome")

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == "chi_square" and self.cluster_column(study) is not None:
            return Notation(italic("F"), has_df_at_symbol=True)
        return _NOTATIONS.get(term, Notation(italic("V"), "bounded"))

    def note(self, study: Study) -> str:
        test = "Chi-squared and G tests of independence" + (" with Yates' correction in 2 x 2" * self.continuity)
        if self.cluster_column(study) is not None:
            test = "Chi-squared tests of independence with Rao and Scott's correction"
        return f"{test} of {self.responses(in_note=True)}; {self.of_units(study)}."

    def account(self, study: Study) -> Account:
        test = "chi-squared and *G* tests [@agresti2013]" + (
            " with Yates’ correction in 2 × 2 tables" * self.continuity
        )
        if self.cluster_column(study) is not None:
            test = (
                "chi-squared tests with the second-order correction of Rao and Scott [@rao1984], whose covariance is "
                "that of the jackknife over clusters"
            )
        text = (
            f"Independence was tested by {test} of {self.responses(in_note=False)}; {self.of_units(study)}. The effect "
            "size is Cramér’s *V* [@cramer1946], also corrected for its bias [@bergsma2013]."
        )
        what = f"{outcome_names(study, self.outcomes)} against {factor_name(study, self.factor)}"
        return of_outcomes(study, self, "Tests of independence", text, "Tested were", what=what)

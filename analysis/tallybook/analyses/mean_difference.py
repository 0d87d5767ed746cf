"""Differences of mean scores between two levels of a factor: Welch's and Student's t tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.levels import BetweenLevels
from tallybook.analyses.means import OfMeans
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_names, percent, sentences
from tallybook.study.notation import Notation, Piece, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_TERM = "mean_difference"
"""The term of a single pair of levels."""
_TESTS = {
    "unequal": "Welch’s *t* tests [@welch1947], which let the groups have variances of their own",
    "equal": "Student’s two-sample *t* tests [@student1908], which assume equal variances",
}


class MeanDifference(BetweenLevels, OfMeans, Jackknifed, Sided):
    """The difference in the mean of a score between two levels of a factor, with a t test."""

    statistic: Literal["mean-difference"]
    variances: Literal["unequal", "equal"] = "unequal"
    """Welch's test or Student's; clustered errors need neither."""
    effect: Literal["cohen_d", "hedges_g"] = "hedges_g"
    """The effect size beside the test; of independent responses it has its interval (noncentral t)."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "differences of means"
    estimand: ClassVar[str] = "difference of means"

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        if self.summaries is not None:
            raise ValueError(f"{place}.summaries: a {self.name()} is of responses")

    def terms(self, study: Study) -> list[str] | None:
        pairs = self.pairs(study)
        return [_TERM] if len(pairs) < 2 else [" - ".join(pair) for pair in pairs]  # noqa: PLR2004

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        return self._tests(study, inputs, effect_interval=self.cluster_column(study) is None)

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the differences without intervals of effect sizes."""
        return self._tests(study, inputs, effect_interval=False)

    def _tests(self, study: Study, inputs: Inputs, *, effect_interval: bool) -> pl.DataFrame:
        import polars as pl

        from tallybook.statistics.means.contrasts import two_sample_contrasts
        from tallybook.statistics.means.moments import moments
        from tallybook.statistics.means.score_means import OUTCOME, of_outcomes
        from tallybook.statistics.means.student import t_tests

        by = [*self.by, OUTCOME]
        summary = moments(self.scores(inputs, self.factor), [*by, self.factor])

        def tested(pair: tuple[str, str]) -> pl.DataFrame:
            contrasts = two_sample_contrasts(summary, by, self.factor, pair, variances=self.variances)
            return of_outcomes(
                t_tests(contrasts, by, confidence=self.confidence, effect=self.effect, effect_interval=effect_interval)
            )

        found = self.of_pairs(study, tested)
        return found.with_columns(pl.col("term").str.strip_prefix(f"{_TERM}: "))

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation((Piece("Δ"), Piece("M", "italic")), statistic=italic("t"))

    def note(self, study: Study) -> str:
        test = "Welch's t tests" if self.variances == "unequal" else "Student's two-sample t tests"
        test = "t tests" if self.cluster_column(study) is not None else test
        return f"Differences of means{self.pair_in_note(study, '−')}; {test}, {self.side}{self.counted_note(study)}."

    def account(self, study: Study) -> Account:
        effect = "Hedges’ *g* [@hedges1981]" if self.effect == "hedges_g" else "Cohen’s *d* [@cohen1988]"
        alone = self.cluster_column(study) is None
        text = sentences(
            f"Differences of means were tested {self.side}.",
            self.account_of_errors(study)
            or f"The tests are {_TESTS[self.variances]}; the {percent(self.confidence)} intervals are Student’s.",
            f"The effect size is {effect}{', with the interval of the noncentral *t* distribution' if alone else ''}.",
        )
        what = (
            f"{outcome_names(study, self.outcomes)} {self.compared_levels(study)} (the first minus the second) of "
            f"{factor_name(study, self.factor)}"
        )
        return of_outcomes(
            study, self, "Differences of means", text, "Compared were", what=what, detail=self.counted(study)
        )

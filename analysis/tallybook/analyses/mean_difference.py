"""Differences of mean scores between two levels of a factor: Welch's and Student's t tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import check_factor, is_compared
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.means import OfMeans
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import (
    adjustment,
    cells,
    conditions,
    factor_name,
    level_name,
    outcome_names,
    percent,
    sentences,
)
from tallybook.study.account import Account
from tallybook.study.base import Identifier
from tallybook.study.notation import Notation, Piece, italic

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_TESTS = {
    "unequal": "Welch’s *t* tests [@welch1947], which let the groups have variances of their own",
    "equal": "Student’s two-sample *t* tests [@student1908], which take the variances of the groups for equal",
}


class MeanDifference(OfMeans, Jackknifed, Sided):
    """How much higher the mean of a score is at one level of a factor than at another, tested by a t test."""

    statistic: Literal["mean-difference"]
    factor: Identifier
    """The factor whose levels are compared."""
    levels: tuple[str, str] | None = None
    """The mean at the first level less the mean at the second; by default of the two that the factor has."""
    variances: Literal["unequal", "equal"] = "unequal"
    """Welch's test or Student's; clustered errors need neither."""
    effect: Literal["cohen_d", "hedges_g"] = "hedges_g"
    """The effect size beside the test; of independent responses it has its interval (noncentral t)."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "differences of means"
    estimand: ClassVar[str] = "difference of means"

    def check_settings(self, study: Study, place: str) -> None:
        """Raise a ValueError if it compares levels that are not declared, or is to be of printed means."""
        super().check_settings(study, place)
        check_factor(study, self, self.factor, self.levels or (), place)
        if self.levels is None and len(declared := study.factors[self.factor].levels) != 2:  # noqa: PLR2004  a pair
            raise ValueError(f"{place}.levels: two of the {len(declared)} levels of {self.factor}")
        if self.summaries is not None:
            raise ValueError(f"{place}.summaries: a {self.name()} is of responses")

    def pair(self, study: Study) -> tuple[str, str]:
        """Get the two levels that are compared."""
        first, second = self.levels or study.factors[self.factor].levels
        return first, second

    def rests_on(self, study: Study, levels: Mapping[str, str]) -> bool:
        """Tell whether it is computed from responses of these levels, among others."""
        return is_compared(self.factor, self.levels or (), levels) and super().rests_on(study, levels)

    def terms(self, study: Study) -> list[str] | None:
        """List its term."""
        del study
        return ["mean_difference"]

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates, treating all responses as independent."""
        return self._tests(study, inputs, effect_interval=self.cluster_column(study) is None)

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the differences without intervals of effect sizes."""
        return self._tests(study, inputs, effect_interval=False)

    def _tests(self, study: Study, inputs: Inputs, *, effect_interval: bool) -> pl.DataFrame:
        from tallybook.statistics.means.contrasts import two_sample_contrasts
        from tallybook.statistics.means.moments import moments
        from tallybook.statistics.means.score_means import OUTCOME, of_outcomes
        from tallybook.statistics.means.student import t_tests

        by = [*self.by, OUTCOME]
        summary = moments(self.scores(inputs, self.factor), [*by, self.factor])
        contrasts = two_sample_contrasts(summary, by, self.factor, self.pair(study), variances=self.variances)
        tests = t_tests(contrasts, by, confidence=self.confidence, effect=self.effect, effect_interval=effect_interval)
        return of_outcomes(tests)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Get how a difference of means is written."""
        del study, term, has_df
        return Notation((Piece("Δ"), Piece("M", "italic")), statistic=italic("t"))

    def note(self, study: Study) -> str:
        """Write the sentence under a table."""
        first, second = (study.factors[self.factor].levels[level] for level in self.pair(study))
        test = "Welch's t tests" if self.variances == "unequal" else "Student's two-sample t tests"
        test = "t tests" if self.cluster_column(study) is not None else test
        return f"Differences of means ({first} less {second}); {test}, {self.side}{self.counted_note(study)}."

    def account(self, study: Study) -> Account:
        """Write what the methods section says of it."""
        first, second = (level_name(study, self.factor, level) for level in self.pair(study))
        effect = "Hedges’ *g* [@hedges1981]" if self.effect == "hedges_g" else "Cohen’s *d* [@cohen1988]"
        alone = self.cluster_column(study) is None
        text = sentences(
            f"Differences of means were tested {self.side}.",
            self.account_of_errors(study)
            or f"The tests are {_TESTS[self.variances]}; the {percent(self.confidence)} intervals are Student’s.",
            f"The effect size is {effect}{', with the interval of the noncentral *t* distribution' if alone else ''}.",
            adjustment(study, self.family),
        )
        what = (
            f"{outcome_names(study, self.outcomes)} between “{first}” and “{second}” (the first less the second) of "
            f"{factor_name(study, self.factor)}"
        )
        where, by = conditions(study, self.where), cells(study, self.by)
        return Account("Differences of means", text, "Compared were", what, where, by, self.counted(study))

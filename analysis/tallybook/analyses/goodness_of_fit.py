"""Tests of a whole distribution of categories, against equal shares or known proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import categories_of
from tallybook.analyses.distributions import CATEGORY, OfDistributions
from tallybook.analyses.wording import of_outcomes
from tallybook.core.markdown import literal
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import CHI_SQUARE, Notation, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_NAMES = {"chi-square": "Chi-squared tests", "g": "G tests", "exact": "Exact multinomial tests"}
_TESTS = {
    "chi-square": "Pearson’s chi-squared test of fit [@pearson1900]",
    "g": "the likelihood-ratio (G) test of fit",
    "exact": "the exact multinomial test, which adds up the probabilities of all outcomes no more likely than the "
    "observed one",
}


class GoodnessOfFit(OfDistributions):
    """The shares of all categories tested at once: against equal shares, or against a reference; with Cohen's w."""

    statistic: Literal["goodness-of-fit"]
    reference: Identifier | None = None
    """The reference table; by default every category is expected equally often."""
    test: Literal["chi-square", "g", "exact"] = "chi-square"
    """The test. Where the exact one would list more than 50,000 outcomes, its p-value is estimated from draws. With
    clusters the chi-squared test has Rao and Scott's correction; the others treat responses as independent."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "tests of fit"
    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason")

    @property
    def tested(self) -> tuple[str, ...]:
        return () if self.reference is None else (self.reference,)

    @property
    def resamples(self) -> bool:
        return self.test == "exact"

    def not_clustered(self) -> str | None:
        return None if self.test == "chi-square" else "test"

    def check_settings(self, study: Study, place: str) -> None:
        must_exist(self.tested, study.references, f"{place}.reference", "reference")
        needed = study.references[self.reference].by if self.reference else ()
        must_exist([name for name in needed if name in study.factors], self.by, f"{place}.by", "factor of the cells")

    def terms(self, study: Study) -> list[str] | None:
        return [self.test.replace("-", "_")]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.categories.goodness_of_fit import goodness_of_fit
        from tallybook.statistics.categories.rao_scott import clustered_fit
        from tallybook.statistics.means.score_means import OUTCOME, of_outcomes

        counts, cells = self.counts(inputs), [*self.by, OUTCOME]
        references, by = self._references(study, inputs)
        if (cluster := self.cluster_column(study)) is not None:
            return of_outcomes(clustered_fit(counts, cells, CATEGORY, references, by, cluster=cluster))
        beyond = "monte-carlo" if self.test == "exact" else "asymptotic"
        found = goodness_of_fit(counts, cells, CATEGORY, references, by, beyond=beyond, seed=study.seed)
        return of_outcomes(found.filter(term=self.test.replace("-", "_")))

    def _references(self, study: Study, inputs: Inputs) -> tuple[pl.DataFrame, list[str]]:
        """Get the expected proportions and the columns that identify them; rounded ones are divided by their sum."""
        import polars as pl

        from tallybook.statistics.means.score_means import OUTCOME

        if self.reference is None:
            expected = [(name, one) for name in self.outcomes for one in categories_of(study, name)]
            every = pl.DataFrame(expected, schema=[OUTCOME, CATEGORY], orient="row")
            return every.with_columns((1 / pl.len().over(OUTCOME)).alias("proportion")), [OUTCOME]
        table = study.references[self.reference]
        by = [*table.by, OUTCOME]
        known = inputs.references[self.reference].rename({"outcome": OUTCOME, "category": CATEGORY})
        known = known.filter(pl.col(OUTCOME).is_in(self.outcomes))
        total = pl.col("proportion").sum().over(by)
        rounded = (total - 1).abs() <= table.tolerance
        return known.with_columns(pl.when(rounded).then(pl.col("proportion") / total).otherwise("proportion")), by

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypothesis: each outcome's distribution is one."""
        import polars as pl

        return pl.col("outcome")

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if self.cluster_column(study) is not None:
            return Notation(italic("F"), has_df_at_symbol=True, shows_n=True)
        symbol = italic("G") if self.test == "g" else CHI_SQUARE
        return Notation(symbol, has_df_at_symbol=True, shows_n=True)

    def _expected(self, study: Study) -> str:
        return "equal shares" if self.reference is None else f"the reference ({study.references[self.reference].label})"

    def note(self, study: Study) -> str:
        corrected = "" if self.cluster_column(study) is None else " with Rao and Scott's correction"
        return (
            f"{_NAMES[self.test]}{corrected} of all categories against {self._expected(study)}; {self.of_units(study)}."
        )

    def account(self, study: Study) -> Account:
        expected = literal(self._expected(study))
        corrected = ""
        if self.cluster_column(study) is not None:
            corrected = " with Rao and Scott’s second-order correction [@rao1984] by the jackknife over clusters"
        text = (
            f"The distribution of {self.responses(in_note=False)} over all categories was tested against {expected} "
            f"by {_TESTS[self.test]}{corrected}; {self.of_units(study)}. The effect size is Cohen’s *w* [@cohen1988]."
        )
        return of_outcomes(study, self, "Tests of fit", text, "Tested were the categories of")

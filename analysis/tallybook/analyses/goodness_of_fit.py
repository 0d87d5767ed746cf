"""Tests of a whole distribution of categories, against equal shares or known proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories, categories_of
from tallybook.analyses.wording import adjustment, of_outcomes, sentences
from tallybook.core.markdown import literal
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import CHI_SQUARE, Notation, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_TESTS = {
    "chi-square": "Pearson’s chi-squared test of fit [@pearson1900]",
    "g": "the likelihood-ratio (G) test of fit",
    "exact": "the exact multinomial test, which adds up the probabilities of all outcomes no more likely than the "
    "observed one",
}


class GoodnessOfFit(OfCategories):
    """The shares of all categories tested at once: against equal shares, or against a reference; with Cohen's w."""

    statistic: Literal["goodness-of-fit"]
    reference: Identifier | None = None
    """The reference table; by default every category is expected equally often."""
    test: Literal["chi-square", "g", "exact"] = "chi-square"
    """The test. Where the exact one would list more than 50,000 outcomes, its p-value is estimated from draws."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "tests of fit"

    @property
    def tested(self) -> tuple[str, ...]:
        """The reference table that it tests against."""
        return () if self.reference is None else (self.reference,)

    @property
    def resamples(self) -> bool:
        """Whether it may draw random numbers."""
        return self.test == "exact"

    def check_settings(self, study: Study, place: str) -> None:
        """Raise a ValueError if the reference is not declared, or is split by what the cells are not."""
        must_exist(self.tested, study.references, f"{place}.reference", "reference")
        needed = study.references[self.reference].by if self.reference else ()
        must_exist([name for name in needed if name in study.factors], self.by, f"{place}.by", "factor of the cells")

    def terms(self, study: Study) -> list[str] | None:
        """List its term."""
        del study
        return [self.test.replace("-", "_")]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates, taking responses for independent."""
        import polars as pl

        from tallybook.statistics.categories.goodness_of_fit import goodness_of_fit

        own = inputs.tally.filter(pl.col("outcome").is_in(self.outcomes)).rename({"outcome": "of"})
        counts = own.with_columns(
            pl.when(pl.col("status") == "ok").then("count").otherwise(0).alias("count"),
            # A cell without an answer is a cell, too.
            pl.when(pl.col("status") == "ok").then("category").alias("category"),
        )
        if self.reference is None:
            expected = [(name, one) for name in self.outcomes for one in categories_of(study, name)]
            references = pl.DataFrame(expected, schema=["of", "category"], orient="row").with_columns(
                (1 / pl.len().over("of")).alias("proportion")
            )
            by = ["of"]
        else:
            references = inputs.references[self.reference].rename({"outcome": "of"})
            by = [*study.references[self.reference].by, "of"]
        beyond = "monte-carlo" if self.test == "exact" else "asymptotic"
        cells = [*self.by, "of"]
        found = goodness_of_fit(counts, cells, "category", references, by, beyond=beyond, seed=study.seed)
        wanted = found.filter(pl.col("term") == self.test.replace("-", "_")).drop("outcome")
        return wanted.rename({"of": "outcome"}).select(found.drop("of").columns)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypothesis: each outcome's distribution is one."""
        import polars as pl

        del study, found, tally
        return pl.col("outcome")

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Get how the test is written."""
        del study, term, has_df
        symbol = italic("G") if self.test == "g" else CHI_SQUARE
        return Notation(symbol, has_df_at_symbol=True, shows_n=True)

    def _expected(self, study: Study) -> str:
        return "equal shares" if self.reference is None else f"the reference ({study.references[self.reference].label})"

    def note(self, study: Study) -> str:
        """Write the sentence under a table."""
        name = {"chi-square": "Chi-squared tests", "g": "G tests", "exact": "Exact multinomial tests"}[self.test]
        return f"{name} of all categories against {self._expected(study)}; responses are taken for independent."

    def account(self, study: Study) -> Account:
        """Write what the methods section says of it."""
        expected = literal(self._expected(study))
        text = sentences(
            f"The distribution of the coded responses over all categories was tested against {expected} by "
            f"{_TESTS[self.test]}; responses are taken for independent. The effect size is Cohen’s *w* [@cohen1988].",
            adjustment(study, self.family),
        )
        return of_outcomes(study, self, "Tests of fit", text, "Tested were the categories of")

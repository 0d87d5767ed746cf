"""Tests of whole distributions of categories: goodness of fit, independence, residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl

from tallybook.analyses.bases import WITHOUT_CODE, OfFactor, categories_of, check_references
from tallybook.analyses.wording import BASES, NOTE_BASES, factor_name, of_outcomes, outcome_names
from tallybook.core.markdown import literal
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier, require_declared
from tallybook.study.notation import CHI_SQUARE, Notation, Piece, Z, italic
from tallybook_schemas.vocabulary import Denominator

if TYPE_CHECKING:
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


CATEGORY = "category of the response"
"""The name of the column with the values that are counted."""


class OfDistributions(OfResponses, Clustered):
    """An analysis of whole distributions of categories."""

    denominator: Denominator = "coded"
    """The responses that count: of `answered` ones those without a category are a category of their own, of `all`
    refusals are another."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason", "label")

    def counts(self, inputs: Inputs) -> pl.DataFrame:
        """Return the counts of categories by outcome, including those without a category if the denominator does."""
        beside = WITHOUT_CODE[self.denominator]
        status = pl.col("status")
        counts = status.is_in(["ok", *beside])
        own = inputs.tally.filter(pl.col("outcome").is_in(self.outcomes))
        # Cells without any answer are kept.
        return own.with_columns(
            pl.when(status == "ok").then("category").when(counts).then(status.replace(beside)).alias(CATEGORY),
            pl.when(counts).then("count").otherwise(0).alias("count"),
        )

    def of_units(self, study: Study) -> str:
        """Describe what is treated as independent."""
        cluster = self.cluster_column(study)
        return "responses are treated as independent" if cluster is None else f"clusters ({cluster}) are the units"


_TERMS: dict[str, Literal["chi_square", "g", "exact"]] = {"chi-square": "chi_square", "g": "g", "exact": "exact"}
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

    def setting_without_clusters(self) -> str | None:
        return None if self.test == "chi-square" else "test"

    def check_settings(self, study: Study, place: str) -> None:
        check_references(study, self, place)

    def terms(self, study: Study) -> list[str] | None:
        return [_TERMS[self.test]]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.categories.goodness_of_fit import clustered_fit, goodness_of_fit

        counts, cells = self.counts(inputs), [*self.by, "outcome"]
        references, by = self._references(study, inputs)
        if (cluster := self.cluster_column(study)) is not None:
            return clustered_fit(counts, cells, CATEGORY, references, by, cluster=cluster)
        return goodness_of_fit(counts, cells, CATEGORY, references, by, tests=(_TERMS[self.test],), seed=study.seed)

    def _references(self, study: Study, inputs: Inputs) -> tuple[pl.DataFrame, list[str]]:
        """Return the expected proportions and their key columns; rounded proportions are rescaled to sum to 1."""
        if self.reference is None:
            expected = [(name, one) for name in self.outcomes for one in categories_of(study, name)]
            every = pl.DataFrame(expected, schema=["outcome", CATEGORY], orient="row")
            return every.with_columns((1 / pl.len().over("outcome")).alias("proportion")), ["outcome"]
        table = study.references[self.reference]
        by = [*table.by, "outcome"]
        known = inputs.references[self.reference].rename({"category": CATEGORY})
        known = known.filter(pl.col("outcome").is_in(self.outcomes))
        total = pl.col("proportion").sum().over(by)
        rounded = (total - 1).abs() <= table.tolerance
        return known.with_columns(pl.when(rounded).then(pl.col("proportion") / total).otherwise("proportion")), by

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: one for each outcome."""
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
            f"The distribution of {BASES[self.denominator]} over all categories was tested against {expected} "
            f"by {_TESTS[self.test]}{corrected}; {self.of_units(study)}. The effect size is Cohen’s *w* [@cohen1988]."
        )
        return of_outcomes(study, self, "Tests of fit", text, "The tests are of the categories of")


_INDEPENDENCE = {
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
        from tallybook.statistics.categories.contingency import clustered_independence, independence

        counts, by = self.counts(inputs), [*self.by, "outcome"]
        if self.levels:
            counts = counts.filter(pl.col(self.factor).is_in(self.levels))
        if (cluster := self.cluster_column(study)) is not None:
            return clustered_independence(counts, by, self.factor, CATEGORY, cluster)
        return independence(counts, by, self.factor, CATEGORY, continuity=self.continuity)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: X² is the test; G and the measures of association are not tests of their own."""
        return pl.when(pl.col("term") == "chi_square").then("outcome")

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == "chi_square" and self.cluster_column(study) is not None:
            return Notation(italic("F"), has_df_at_symbol=True)
        return _INDEPENDENCE.get(term, Notation(italic("V"), "bounded"))

    def note(self, study: Study) -> str:
        test = "Chi-squared and G tests of independence" + (" with Yates' correction in 2 x 2" * self.continuity)
        if self.cluster_column(study) is not None:
            test = "Chi-squared tests of independence with Rao and Scott's correction"
        return f"{test} of {NOTE_BASES[self.denominator]}; {self.of_units(study)}."

    def account(self, study: Study) -> Account:
        test = "chi-squared and *G* tests [@agresti2013]" + (
            " with Yates’ correction in 2 × 2 tables" * self.continuity
        )
        corrected = ", also corrected for its bias [@bergsma2013]"
        if self.cluster_column(study) is not None:
            test = (
                "chi-squared tests with the second-order correction of Rao and Scott [@rao1984], an *F* test whose "
                "covariance is that of the jackknife over clusters"
            )
            corrected = ""
        text = (
            f"Independence was tested by {test} of {BASES[self.denominator]}; {self.of_units(study)}. The effect "
            f"size is Cramér’s *V* [@cramer1946]{corrected}."
        )
        what = f"{outcome_names(study, self.outcomes)} against {factor_name(study, self.factor)}"
        return of_outcomes(study, self, "Tests of independence", text, "The tests are of", what=what)


class Residuals(OfDistributions):
    """Standardised residuals of each category at each level of a factor from independence."""

    statistic: Literal["residuals"]
    factor: Identifier
    """The factor of the table's rows; it is one of `by`."""

    results: ClassVar[str] = "standardised residuals"
    form: ClassVar[Notation] = Notation(Z)

    def setting_without_clusters(self) -> str | None:
        return "factor"

    def check_settings(self, study: Study, place: str) -> None:
        require_declared([self.factor], self.by, f"{place}.factor", "factor of 'by'")

    def terms(self, study: Study) -> list[str] | None:
        names = [study.outcomes[name] for name in self.outcomes if name in study.outcomes]
        labels = [getattr(outcome, "labels", None) for outcome in names]
        return None if None in labels else list(dict.fromkeys(term for each in labels for term in each or ()))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.categories.contingency import standardised_residuals
        from tallybook.statistics.estimates import as_estimates

        within = [*(name for name in self.by if name != self.factor), "outcome"]
        found = standardised_residuals(self.counts(inputs), within, self.factor, CATEGORY)
        residual = pl.col("residual")
        named = found.with_columns(
            pl.col(CATEGORY).alias("term"),
            pl.col("count").alias("n"),
            residual.alias("estimate"),
            pl.col("expected").alias("effect"),
            pl.lit("expected_count").alias("effect_kind"),
            pl.lit("standardised residual").alias("method"),
            pl.when(residual.is_null()).then(pl.lit("degenerate")).otherwise(pl.lit("ok")).alias("status"),
        )
        return as_estimates(named, self.by)

    def note(self, study: Study) -> str:
        return (
            f"Standardised residuals of {study.factors[self.factor].label} by category, of "
            f"{NOTE_BASES[self.denominator]}; beyond ±2 a count lies off independence; responses were treated as "
            "independent."
        )

    def account(self, study: Study) -> Account:
        text = (
            f"Standardised residuals [@haberman1973] are of {BASES[self.denominator]}, and take responses for "
            "independent."
        )
        return of_outcomes(study, self, "Residuals", text, "Residuals are reported for the categories of")

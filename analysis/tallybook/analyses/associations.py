"""Correlations and ordinal association."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from pydantic import Field

from tallybook.analyses.bases import OfCategories, OfFactor, Sided, categories_of
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.means import ScoreMean
from tallybook.analyses.of_estimates import OfCells
from tallybook.analyses.wording import (
    factor_name,
    level_name,
    of_estimates,
    of_outcomes,
    outcome_name,
    percent,
    results_of,
    sentences,
    series,
    term_name,
)
from tallybook.study.analysis_base import Analysis, OfEstimates
from tallybook.study.base import Identifier, must_differ, require_declared
from tallybook.study.naming import term_label, within_a_sentence
from tallybook.study.notation import Notation, Piece, R, Symbol, Z, italic

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.statistics.association.rank_association import Coefficient as Term
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study
    from tallybook_schemas.vocabulary import DegreesOfFreedom


class Correlation(Jackknifed, Sided):
    """The correlation of every pair of scores, response by response: a term for each other score, and for itself."""

    statistic: Literal["correlation"]
    method: Literal["pearson", "spearman"] = "pearson"
    """Whether the numbers are correlated (`pearson`), or their ranks."""
    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    has_p_values: ClassVar[bool] = True
    error_scale: ClassVar[Scale] = "atanh"
    degrees: ClassVar[tuple[DegreesOfFreedom, ...]] = ("clusters",)
    estimand: ClassVar[str] = "correlation"
    results: ClassVar[str] = "correlations"

    def check_settings(self, study: Study, place: str) -> None:
        if len(self.outcomes) < 2:  # noqa: PLR2004
            raise ValueError(f"{place}.outcomes: expected at least two")
        for x, y in combinations(self.outcomes, 2):
            if y not in study.outcomes[x].beside and x not in study.outcomes[y].beside:
                raise ValueError(f"{place}.outcomes: one of {x!r} and {y!r} must keep the other beside it")

    def terms(self, study: Study) -> list[str] | None:
        return list(dict.fromkeys(self.outcomes))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.association.correlation import score_correlations

        return score_correlations(
            inputs.tally,
            self.by,
            self.outcomes,
            {name: study.outcomes[name].beside for name in self.outcomes},
            method=self.method,
            confidence=self.confidence,
        )

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: a pair of scores is one hypothesis, whichever comes first."""
        from tallybook.analyses.differences import unordered_pairs

        return unordered_pairs()

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return R if self.method == "pearson" else replace(R, symbol=italic("r", "s"))

    def note(self, study: Study) -> str:
        kind = "Pearson" if self.method == "pearson" else "Spearman"
        return f"{kind} correlations over responses that have both scores."

    def account(self, study: Study) -> Account:
        made, interval = "Pearson’s *r*", "by Fisher’s transformation [@fisher1921]"
        if self.method == "spearman":
            made, interval = "Spearman’s rank correlation [@spearman1904]", "after @bonett2000"
        text = sentences(
            f"Correlations of two scores over the responses that have both are {made}.",
            self.account_of_errors(study)
            or f"The {percent(self.confidence)} intervals are {interval}; they are tested {self.side} by *t* tests.",
        )
        return of_outcomes(study, self, "Correlations", text, "The correlations are of")


class MeansCorrelation(OfEstimates):
    """The correlation of every pair of scores over cells: of the estimates of an analysis of their means."""

    statistic: Literal["correlation-of-means"]
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    of_kind: ClassVar[str] = "analysis of means"
    has_p_values: ClassVar[bool] = True
    form: ClassVar[Notation] = R

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, ScoreMean)

    def terms(self, study: Study) -> list[str] | None:
        return list(dict.fromkeys(self.outcomes_of(study) or ()))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.association.correlation import correlations_of_means

        return correlations_of_means(inputs.estimates(self.of), self.by, confidence=self.confidence)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: a pair of scores is one hypothesis, whichever comes first."""
        from tallybook.analyses.differences import unordered_pairs

        return unordered_pairs()

    def note(self, study: Study) -> str:
        return "Pearson correlations over the means of cells, each cell with the same weight."

    def account(self, study: Study) -> Account:
        text = (
            "Correlations of means are Pearson’s over cells, each with the same weight; intervals at the "
            f"{percent(self.confidence)} level are by Fisher’s transformation [@fisher1921], tests two-sided."
        )
        return of_estimates(study, self, "Correlations of means", text, "The correlations are of the")


class EstimateCorrelation(OfEstimates):
    """The correlation of an analysis' estimates with those of another, over the levels of factors: over models."""

    statistic: Literal["estimate-correlation"]
    versus: Identifier
    """The other analysis."""
    over: tuple[Identifier, ...] = Field(min_length=1)
    """The factors whose combinations are the observations; both analyses are split by them."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    has_p_values: ClassVar[bool] = True
    term_names: ClassVar[tuple[str, ...]] = ("correlation",)
    form: ClassVar[Notation] = R

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.of, self.versus)

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, OfCells) or super().takes(analysis)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        require_declared([self.versus], allowed, f"{place}.versus", self.of_kind)
        other = allowed[self.versus]
        for setting, analysis in (("of", of), ("versus", other)):
            require_declared(self.over, analysis.by, f"{place}.over", f"factor of {getattr(self, setting)}")
            require_declared(analysis.by, [*self.by, *self.over], f"{place}.{setting}", "factor of by and over")
            if len(analysis.outcomes_of(study) or ()) != 1 or len(analysis.terms(study) or ()) != 1:
                raise ValueError(f"{place}.{setting}: expected an analysis with one outcome and one term")

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.of_estimates import estimate_correlations

        first, second = inputs.estimates(self.of), inputs.estimates(self.versus)
        return estimate_correlations(first, second, self.by, self.over, confidence=self.confidence)

    def note(self, study: Study) -> str:
        over = " and ".join(within_a_sentence(study.factors[name].label) for name in self.over)
        one, other = (study.analyses[name].plain_results for name in self.sources)
        return f"Pearson correlations of the {one} with the {other} over the levels of {over}, two-sided t tests."

    def account(self, study: Study) -> Account:
        text = (
            "Estimates of two analyses are correlated by Pearson’s *r*, each cell with the same weight; intervals at "
            f"the {percent(self.confidence)} level are by Fisher’s transformation [@fisher1921], tests two-sided."
        )
        one, other = (results_of(study, study.analyses[name]) for name in self.sources)
        return of_estimates(
            study, self, "Correlations of estimates", text, "Correlations are of the", what=f"{one}, and the {other}"
        )


Coefficient = Literal["tau-b", "tau-c"]
"""Coefficients of ordinal association; see `tallybook.statistics.association.rank_association`."""


class _Form(NamedTuple):
    term: Term
    note: str
    methods: str
    symbol: Symbol


_COEFFICIENTS: dict[Coefficient, _Form] = {
    "tau-b": _Form("tau_b", "Kendall's tau-b", "Kendall’s tau-b [@kendall1970]", (Piece("τ"), Piece("b", "lowered"))),
    "tau-c": _Form("tau_c", "Stuart's tau-c", "Stuart’s tau-c [@stuart1953]", (Piece("τ"), Piece("c", "lowered"))),
}


class RankAssociation(OfFactor, OfCategories, Jackknifed, Sided):
    """Whether the categories of an outcome rise with the levels of a factor: an ordinal coefficient and its test."""

    statistic: Literal["rank-association"]
    factor: Identifier
    """The factor whose levels are one variable."""
    levels: tuple[str, ...] = ()
    """Its levels, rising; by default in the factor's order. Responses with other levels do not count."""
    categories: tuple[Identifier, ...] = ()
    """The outcome's categories, rising; by default in the outcome's order. Other categories do not count."""
    uncoded: Identifier | None = None
    """The category that answers without one count as; by default they do not count."""
    coefficient: Coefficient = "tau-b"
    """Which coefficient is computed."""
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "coefficients of ordinal association"
    estimand: ClassVar[str] = "coefficient of ordinal association"

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        for name in self.outcomes:
            categories = study.category_outcome(name).labels
            require_declared(self.categories, categories, f"{place}.categories", f"category of {name}")
            if self.uncoded is not None:
                counted = self.categories or categories
                require_declared([self.uncoded], counted, f"{place}.uncoded", "counted category")
        must_differ(self.categories, f"{place}.categories")

    def terms(self, study: Study) -> list[str] | None:
        return [form.term for form in _COEFFICIENTS.values()]

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.association.rank_association import ordered_association

        return ordered_association(
            inputs.tally,
            self.by,
            {name: self.categories or categories_of(study, name) for name in self.outcomes},
            self.factor,
            self.levels or list(study.factors[self.factor].levels),
            uncoded=self.uncoded,
            coefficient=_COEFFICIENTS[self.coefficient].term,
            confidence=self.confidence,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        symbol = next(form.symbol for form in _COEFFICIENTS.values() if form.term == term)
        return Notation(symbol, "bounded", statistic=Z)

    def note(self, study: Study) -> str:
        factor = study.factors[self.factor]
        levels = " < ".join(factor.levels[level] for level in self.levels or factor.levels)
        parts: list[str] = []
        for name in self.outcomes:
            categories = self.categories or study.category_outcome(name).labels
            rising = " < ".join(term_label(study, name, term) for term in categories)
            parts.append(f"{within_a_sentence(study.outcomes[name].label)} ({rising})")
        tested = f"{self.side} asymptotic p, corrected for ties"
        if self.cluster_column(study) is not None:
            tested = f"{self.side} p"
        uncoded = "do not count"
        if self.uncoded is not None:
            names = dict.fromkeys(term_label(study, name, self.uncoded) for name in self.outcomes)
            uncoded = f"count as {' and '.join(names)}"
        return (
            f"{_COEFFICIENTS[self.coefficient].note} of {within_a_sentence(factor.label)} ({levels}) with "
            f"{', '.join(parts)}; {tested}. "
            f"Uncoded responses {uncoded}."
        )

    def account(self, study: Study) -> Account:
        text = sentences(
            "Whether answers rise with the levels of a variable is measured by "
            f"{_COEFFICIENTS[self.coefficient].methods}.",
            self.account_of_errors(study)
            or f"The test is {self.side}: the number of concordant less discordant pairs, over its standard deviation "
            "given both margins, corrected for ties but not for continuity, is referred to the standard normal "
            f"distribution [@kendall1970]. The {percent(self.confidence)} intervals rest on the coefficient’s own "
            "asymptotic standard error [@brown1977].",
        )
        chosen = self.levels or tuple(study.factors[self.factor].levels)
        levels = " \\< ".join(level_name(study, self.factor, level) for level in chosen)
        answers = series([self._ordered(study, name) for name in self.outcomes])
        what = f"{factor_name(study, self.factor)} ({levels}) with {answers}"
        return of_outcomes(study, self, "Ordinal association", text, "The associations are of", what=what)

    def _ordered(self, study: Study, outcome: str) -> str:
        """Describe an outcome with its categories in ascending order, and the treatment of uncoded responses."""
        categories = self.categories or tuple(study.category_outcome(outcome).labels)
        rising = " \\< ".join(term_name(study, outcome, term) for term in categories)
        uncoded = "left out"
        if self.uncoded is not None:
            uncoded = f"counted as “{term_name(study, outcome, self.uncoded)}”"
        return f"{outcome_name(study, outcome)} ({rising}; uncoded responses {uncoded})"

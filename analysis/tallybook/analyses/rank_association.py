"""Ordinal association of a factor's levels with an outcome's categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from tallybook.analyses.categories import OfCategories, categories_of
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.levels import OfFactor
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import (
    factor_name,
    level_name,
    of_outcomes,
    outcome_name,
    percent,
    sentences,
    series,
    term_name,
)
from tallybook.study.base import Identifier, must_differ, must_exist
from tallybook.study.naming import term_label, within_a_sentence
from tallybook.study.notation import Notation, Piece, Symbol, Z, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.statistics.association.rank_association import Coefficient as Term
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

Coefficient = Literal["tau-b", "tau-c", "gamma", "somers-d", "somers-d-yx", "somers-d-xy"]
"""Coefficients of ordinal association; see `tallybook.statistics.association.rank_association`."""


class _Form(NamedTuple):
    term: Term
    note: str
    methods: str
    symbol: Symbol


_COEFFICIENTS: dict[Coefficient, _Form] = {
    "tau-b": _Form("tau_b", "Kendall's tau-b", "Kendall’s tau-b [@kendall1970]", (Piece("τ"), Piece("b", "lowered"))),
    "tau-c": _Form("tau_c", "Stuart's tau-c", "Stuart’s tau-c [@stuart1953]", (Piece("τ"), Piece("c", "lowered"))),
    "gamma": _Form("gamma", "Goodman and Kruskal's gamma", "Goodman and Kruskal’s gamma [@goodman1963]", (Piece("γ"),)),
    "somers-d": _Form("somers_d", "Somers' symmetric d", "Somers’ symmetric *d* [@somers1962]", italic("d", "S")),
    "somers-d-yx": _Form(
        "somers_d_yx",
        "Somers' d of the answer given the level",
        "Somers’ *d* of the answer given the level [@somers1962]",
        italic("d", "YX"),
    ),
    "somers-d-xy": _Form(
        "somers_d_xy",
        "Somers' d of the level given the answer",
        "Somers’ *d* of the level given the answer [@somers1962]",
        italic("d", "XY"),
    ),
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
            must_exist(self.categories, categories, f"{place}.categories", f"category of {name}")
            if self.uncoded is not None:
                counted = self.categories or categories
                must_exist([self.uncoded], counted, f"{place}.uncoded", "counted category")
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
        return of_outcomes(study, self, "Ordinal association", text, "Related were", what=what)

    def _ordered(self, study: Study, outcome: str) -> str:
        """Name an outcome with its categories, rising, and what becomes of answers without one."""
        categories = self.categories or tuple(study.category_outcome(outcome).labels)
        rising = " \\< ".join(term_name(study, outcome, term) for term in categories)
        uncoded = "left out"
        if self.uncoded is not None:
            uncoded = f"counted as “{term_name(study, outcome, self.uncoded)}”"
        return f"{outcome_name(study, outcome)} ({rising}; uncoded responses {uncoded})"

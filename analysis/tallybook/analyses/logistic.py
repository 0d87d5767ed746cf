"""Logistic regressions of a category on scores, their curves, and Bradley-Terry models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import check_category
from tallybook.analyses.wording import (
    as_predictors,
    clustering,
    coefficient_tests,
    factor_name,
    jackknife,
    level_name,
    of_estimates,
    of_outcomes,
    outcome_name,
    outcome_names,
    percent,
    sentences,
    term_name,
)
from tallybook.study.analysis_base import Analysis, Clustered, OfEstimates, OfResponses
from tallybook.study.base import Identifier, must_differ, require_declared
from tallybook.study.naming import term_label
from tallybook.study.notation import CHI_SQUARE, EFFECTS, SHARE, Notation, Piece, Z, italic
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.statistics.logistic.cells import Settings
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


_OF_MODEL = {
    "log_likelihood": Notation((Piece("log-likelihood"),)),
    "log_likelihood_null": Notation((Piece("log-likelihood of the intercept alone"),)),
    "penalized_log_likelihood": Notation((Piece("penalised log-likelihood"),)),
    "pseudo_r_squared": Notation((Piece("McFadden’s "), Piece("R", "italic"), Piece("²")), "bounded"),
    "df_residual": Notation((Piece("residual df"),)),
    "aic": Notation(italic("AIC")),
    "bic": Notation(italic("BIC")),
    "wald": Notation(italic("F"), statistic=italic("F"), has_test_first=True),
    "likelihood_ratio": Notation(CHI_SQUARE, statistic=CHI_SQUARE, has_test_first=True),
}
"""The terms that describe a whole model, with their notation."""
_ERRORS = {
    "CV3": " with Student's t, standard errors by leaving out one cluster at a time",
    "CR1": " with Student's t",
}


class Logistic(OfResponses, Clustered):
    """A logistic regression of one category of an outcome, among those that have a category, on scores kept beside."""

    statistic: Literal["logistic"]
    category: Identifier
    """The category whose log odds are regressed."""
    predictors: tuple[Identifier, ...] = Field(min_length=1)
    """The scores they are regressed on; the outcome keeps them beside it."""
    estimator: Literal["maximum-likelihood", "firth"] = "maximum-likelihood"
    """Firth's penalised likelihood has estimates where data are separated, too."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CR1")
    outcome_kinds: ClassVar[tuple[str, ...]] = ("category",)
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "logistic regressions"

    def how(self, study: Study) -> Settings:
        """Return the settings as keyword arguments of `logistic_regression`."""
        return {
            "estimator": self.estimator,
            "cluster": self.cluster_column(study),
            "correction": "jackknife" if self.standard_error == "CV3" else "clusters-and-terms",
        }

    def setting_without_clusters(self) -> str | None:
        return "estimator" if self.estimator == "firth" else None

    def check_settings(self, study: Study, place: str) -> None:
        for name in self.outcomes:
            check_category(study, name, self.category, place)
            kept = study.outcomes[name].beside
            require_declared(self.predictors, kept, f"{place}.predictors", f"score that {name} keeps beside it")

    def terms(self, study: Study) -> list[str] | None:
        names = [*self.predictors, *(f"odds_ratio:{name}" for name in self.predictors)]
        return list(dict.fromkeys([*names, "Intercept", "odds_ratio:Intercept", *_OF_MODEL]))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.logistic.curve import outcome_regressions

        return outcome_regressions(
            inputs.tally,
            self.by,
            self.outcomes,
            self.category,
            self.predictors,
            confidence=self.confidence,
            **self.how(study),
        )

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: a coefficient and its odds ratio are one, and the intercept is not tested.

        With a single predictor, the test of all slopes is not counted, as it tests the same hypothesis as the
        coefficient.
        """
        from tallybook.statistics.logistic.cells import INTERCEPT
        from tallybook.statistics.logistic.regression import ODDS_RATIO

        own = pl.format("{} {}", "outcome", pl.col("term").str.strip_prefix(ODDS_RATIO))
        others = [
            INTERCEPT,
            ODDS_RATIO + INTERCEPT,
            *(["likelihood_ratio", "wald"] if len(self.predictors) == 1 else []),
        ]
        return pl.when(~pl.col("term").is_in(others)).then(own)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term in _OF_MODEL:
            return _OF_MODEL[term]
        symbol = EFFECTS["odds_ratio"] if term.startswith("odds_ratio:") else italic("b")
        clustered = self.cluster_column(study) is not None
        return Notation(symbol, statistic=italic("t") if clustered else CHI_SQUARE if has_df else Z)

    def note(self, study: Study) -> str:
        how = "maximum likelihood" if self.estimator == "maximum-likelihood" else "Firth's penalised likelihood"
        predictors = ", ".join(study.outcomes[name].label for name in self.predictors)
        names = ", ".join(study.outcomes[name].label for name in self.outcomes)
        category = term_label(study, self.outcomes[0], self.category)
        return (
            f"Logistic regression ({how}) of {names} being “{category}” on {predictors}, among the responses that "
            f"have both; Wald tests and intervals{_ERRORS[self.standard_error] if self.cluster_column(study) else ''}."
        )

    def account(self, study: Study) -> Account:
        how, fit = "maximum likelihood [@agresti2013]", " and by McFadden’s pseudo-*R*² [@mcfadden1974]"
        separated = "Where the data are separated [@albert1984] there is no estimate."
        if self.estimator == "firth":
            how, fit, separated = "Firth’s penalised likelihood [@firth1993; @heinze2002]", "", ""
        test, errors = "likelihood ratio", ""
        if (cluster := self.cluster_column(study)) is not None:
            test, errors = "Wald", clustering(study, cluster)
            if self.standard_error == "CV3":
                errors = f"{jackknife(study, cluster)}."
            errors += f" Tests are {coefficient_tests(self.standard_error)}."
        text = sentences(
            f"The log odds of a category were regressed by {how}, with an intercept, among the responses that have a "
            f"category and every predictor. Tests (two-sided) and {percent(self.confidence)} intervals of coefficients "
            f"are Wald’s; the fit is told by the {test} test of all slopes{fit}.",
            separated,
            errors,
        )
        category = term_name(study, self.outcomes[0], self.category)
        names = outcome_names(study, self.outcomes)
        predictors = as_predictors([outcome_name(study, one) for one in self.predictors])
        what = f"{names} being “{category}”{predictors}"
        return of_outcomes(study, self, "Logistic regression", text, "The outcome was", what=what)


class LogisticCurve(OfEstimates):
    """The fitted curve of a logistic regression on one score, with its band: what a figure shows."""

    statistic: Literal["logistic-curve"]
    points: int = Field(default=101, ge=2, le=10_001)
    """At how many values of the predictor, from its smallest to its largest in the data."""

    is_of_cells: ClassVar[bool] = False
    of_kind: ClassVar[str] = "logistic regression"
    form: ClassVar[Notation] = replace(SHARE, shows_n=False)

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, Logistic)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        if isinstance(of, Logistic) and len(of.predictors) > 1:
            raise ValueError(f"{place}.of: {self.of} has several predictors; a curve has one")
        if set(self.by) != set(of.by):
            raise ValueError(f"{place}.by: expected that of {self.of}: {', '.join(of.by) or 'none'}")

    def terms(self, study: Study) -> None:
        """Return None: the terms are the predictor's values in the data."""

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.logistic.curve import outcome_curves

        regression = self._regression(study)
        return outcome_curves(
            inputs.counts(self.of),
            regression.by,
            regression.outcomes,
            regression.category,
            regression.predictors[0],
            points=self.points,
            confidence=regression.confidence,
            **regression.how(study),
        )

    def _regression(self, study: Study) -> Logistic:
        regression = study.analyses[self.of]
        if not isinstance(regression, Logistic):  # excluded by the check of the study file
            raise TypeError(f"{self.of} is not a logistic regression")
        return regression

    def note(self, study: Study) -> str:
        return f"Fitted probability with its pointwise band. {self._regression(study).note(study)}"

    def account(self, study: Study) -> Account:
        text = (
            "Fitted probabilities are drawn from the smallest to the largest value of the predictor, with their "
            "pointwise Wald bands."
        )
        return of_estimates(study, self, "Fitted curves", text, "They are those of the")


_WALD, _ORDER = "wald:abilities", "order_effect"


class BradleyTerry(OfResponses, Clustered):
    """Abilities of competitors, from choices between two of them."""

    statistic: Literal["bradley-terry"]
    first: Identifier
    """The factor that says who stands first."""
    second: Identifier
    """The factor that says who stands second; its levels are those of the other."""
    chooses_first: Identifier | None = None
    """The category of answers that choose who stands first."""
    chooses_second: Identifier | None = None
    """The category of answers that choose who stands second. Without the two, categories are the competitors' names."""
    ties: tuple[Identifier, ...] = ()
    """Categories of answers that choose neither: half a choice of each. Those of others are left out."""
    reference: str | None = None
    """The competitor whose ability is 0; by default the first."""
    order_effect: bool = True
    """Whether standing first may matter."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "abilities"
    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CR1")

    def check_settings(self, study: Study, place: str) -> None:
        for setting, factor in (("first", self.first), ("second", self.second)):
            require_declared(
                [factor], [one for one in study.factors if one not in self.by], f"{place}.{setting}", "factor"
            )
        must_differ([self.first, self.second], f"{place}.second")
        require_declared(
            study.factors[self.second].levels, study.factors[self.first].levels, f"{place}.second", "level"
        )
        names = self._competitors(study)
        if len(names) < 2:  # noqa: PLR2004
            raise ValueError(f"{place}.first: one level; expected two or more")
        require_declared([self.reference or names[0]], names, f"{place}.reference", f"level of {self.first}")
        if (self.chooses_first is None) != (self.chooses_second is None):
            raise ValueError(f"{place}.chooses_first: it and 'chooses_second' need each other")
        chosen = names if self.chooses_first is None else [self.chooses_first, self.chooses_second or ""]
        must_differ([*chosen, *self.ties], f"{place}.ties")
        for name in self.outcomes:
            require_declared(
                [*chosen, *self.ties], study.category_outcome(name).labels, f"{place}.outcomes", "category"
            )

    def _competitors(self, study: Study) -> list[str]:
        """List the competitors, the reference first."""
        names = list(study.factors[self.first].levels)
        return sorted(names, key=lambda name: name != (self.reference or names[0]))

    def terms(self, study: Study) -> list[str] | None:
        names = self._competitors(study)[1:]
        return [*names, *([_ORDER] if self.order_effect else []), *([_WALD] if len(names) > 1 else [])]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.bradley_terry import bradley_terry

        by_name = self.chooses_first is None
        first = pl.col(self.first) if by_name else pl.lit(self.chooses_first)
        second = pl.col(self.second) if by_name else pl.lit(self.chooses_second)
        value = pl.when(pl.col("category") == first).then(1.0).when(pl.col("category") == second).then(0.0)
        value = value.when(pl.col("category").is_in(self.ties)).then(0.5)
        chosen = inputs.tally.filter(pl.col("status") == "ok").with_columns(
            value.alias("value"), pl.col(self.first).alias("first"), pl.col(self.second).alias("second")
        )
        return pl.concat(
            bradley_terry(
                chosen.filter(outcome=name),
                self.by,
                self._competitors(study),
                order_effect=self.order_effect,
                cluster=self.cluster_column(study),
                confidence=self.confidence,
                kind=self.standard_error,
            ).with_columns(pl.lit(name).alias("outcome"))
            for name in self.outcomes
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == _WALD:
            symbol = CHI_SQUARE if self.cluster_column(study) is None else italic("F")
            return Notation(symbol, statistic=symbol, has_test_first=True)
        return Notation(italic("b"), statistic=italic("t") if has_df else Z)

    def note(self, study: Study) -> str:
        reference = study.factors[self.first].levels[self._competitors(study)[0]]
        return sentences(
            f"Bradley-Terry model: abilities on the log odds of being chosen, {reference} being 0.",
            "What standing first adds is the order effect." if self.order_effect else "",
            "Ties count half for each." if self.ties else "",
        )

    def account(self, study: Study) -> Account:
        cluster = self.cluster_column(study)
        tests = "Wald’s" if cluster is None else coefficient_tests(self.standard_error)
        text = sentences(
            "Abilities were fitted to choices between two by the Bradley-Terry model [@bradley1952]: their difference "
            "is the log odds that one is chosen.",
            "A constant is what standing first adds [@davidson1977]." if self.order_effect else "",
            "Ties are half a choice of each." if self.ties else "",
            f"The ability of {level_name(study, self.first, self._competitors(study)[0])} is 0.",
            f"Tests are {tests}; intervals are {percent(self.confidence)} ones.",
            clustering(study, cluster, self.standard_error),
        )
        pair = f"{factor_name(study, self.first)} and {factor_name(study, self.second)}"
        what = f"{outcome_names(study, self.outcomes)} between {pair}"
        return of_outcomes(study, self, "Choices", text, "The models are of", what=what)

"""Logistic regressions of a category on scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.wording import (
    clustering,
    coefficient_tests,
    factor_name,
    of_outcomes,
    outcome_names,
    percent,
    sentences,
    term_name,
)
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import CHI_SQUARE, EFFECTS, Notation, Piece, Z, italic
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    import polars as pl

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
"""The terms of a model as a whole."""
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

    @property
    def correction(self) -> Literal["jackknife", "clusters-and-terms"]:
        """The kind of clustered standard errors, as `logistic_regression` names it."""
        return "jackknife" if self.standard_error == "CV3" else "clusters-and-terms"

    def not_clustered(self) -> str | None:
        return "estimator" if self.estimator == "firth" else None

    def check_settings(self, study: Study, place: str) -> None:
        for name in self.outcomes:
            check_category(study, name, self.category, place)
            kept = study.outcomes[name].beside
            must_exist(self.predictors, kept, f"{place}.predictors", f"score that {name} keeps beside it")

    def terms(self, study: Study) -> list[str] | None:
        names = [*self.predictors, *(f"odds_ratio:{name}" for name in self.predictors)]
        return list(dict.fromkeys([*names, "Intercept", "odds_ratio:Intercept", *_OF_MODEL]))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.logistic.outcome_regression import outcome_regressions

        return outcome_regressions(
            inputs.tally,
            self.by,
            self.outcomes,
            self.category,
            self.predictors,
            estimator=self.estimator,
            cluster=self.cluster_column(study),
            correction=self.correction,
            confidence=self.confidence,
        )

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: a coefficient and its odds ratio are one, and the intercept is not tested.

        The test of all slopes of a single predictor tests what its coefficient does.
        """
        import polars as pl

        from tallybook.statistics.logistic.design import INTERCEPT
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
        return (
            f"Logistic regression ({how}) of {names} being {self.category} on {predictors}, among the responses that "
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
                errors = (
                    f"Standard errors are those of the jackknife over clusters: all is computed again without each "
                    f"{factor_name(study, cluster)} [@bell2002; @mackinnon2023]."
                )
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
        what = f"{names} being “{category}” on {outcome_names(study, self.predictors)}"
        return of_outcomes(study, self, "Logistic regression", text, "The outcome was", what=what)


def check_category(study: Study, outcome: str, category: str, place: str) -> None:
    """Raise a ValueError if an outcome does not have a category."""
    must_exist([category], study.category_outcome(outcome).labels, f"{place}.category", "category")

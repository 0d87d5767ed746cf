"""Regressions and mixed models of answers and scores on factors, numeric predictors and their products."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import WITHOUT_CODE
from tallybook.analyses.wording import (
    BASES,
    NOTE_BASES,
    as_predictors,
    clustering,
    coefficient_tests,
    factor_name,
    level_name,
    of_outcomes,
    outcome_names,
    percent,
    sentences,
    series,
    term_name,
)
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier, must_differ, require_declared
from tallybook.study.clusters import called, check_columns
from tallybook.study.naming import coefficient_label, term_label
from tallybook.study.notation import CHI_SQUARE, SHARE, Notation, Piece, Z, italic
from tallybook_schemas.vocabulary import MARGIN, WALD, Denominator, StandardError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tallybook.statistics.regression import Model
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


Parts = tuple[str, ...]
"""A predictor: one column, or the columns of a product."""


def parts_of(predictors: Iterable[str]) -> list[Parts]:
    """Split each product, such as `group:age`, into its columns."""
    return [tuple(one.split(":")) for one in predictors]


def levels_in(study: Study, analysis: OfResponses, factor: str) -> tuple[str, ...]:
    """Return the levels of a factor that the filter of an analysis admits."""
    kept = analysis.where.get(factor, tuple(study.factors[factor].levels))
    return tuple(level for level in study.factors[factor].levels if level in kept)


def check_predictors(study: Study, outcome: str, by: Sequence[str], predictors: Sequence[Parts], place: str) -> None:
    """Raise a ValueError for a predictor that is neither a factor nor a score kept beside the outcome."""
    known = [*(one for one in study.factors if one not in by), *study.outcomes[outcome].beside]
    every = dict.fromkeys(part for parts in predictors for part in parts)
    require_declared(
        every, known, f"{place}.predictors", f"factor (not in 'by'), or score that {outcome} keeps beside it"
    )


_OF_SCORES = ("ordinal", "poisson", "quasi-poisson")


class _Fitted(OfResponses):
    """A model of a score, or of whether each response is of one category."""

    predictors: tuple[str, ...] = ()
    """Factors, scores that the outcome keeps beside it, and their products; the intercept alone by default."""
    distribution: Literal["linear", "logistic", "ordinal", "poisson", "quasi-poisson"] = "linear"
    """Linear for scores, logistic for a category, ordinal for ratings, (quasi-)Poisson for counts, and quasi-Poisson
    for ratios of amounts such as salaries. Linear with a category and clusters regresses its probability."""
    category: Identifier | None = None
    """The category of an outcome of categories: 1 for responses of it, 0 for others."""
    denominator: Denominator = "coded"
    """The responses that count: with a category, those without one may be among the others."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals of coefficients."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "score")
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "coefficients"

    @property
    def _parts(self) -> list[Parts]:
        return parts_of(self.predictors)

    def check_settings(self, study: Study, place: str) -> None:
        must_differ([":".join(sorted(parts)) for parts in self._parts], f"{place}.predictors")
        for name in self.outcomes:
            check_predictors(study, name, self.by, self._parts, place)
            kind = study.outcomes[name].kind
            if (kind == "category") != (self.category is not None):
                raise ValueError(f"{place}.category: an outcome of categories needs one, and a score has none")
            if self.category is not None:
                require_declared([self.category], study.category_outcome(name).labels, f"{place}.category", "category")
            if self.distribution not in (("linear", "logistic") if self.category else ("linear", *_OF_SCORES)):
                wanted = "category" if self.distribution == "logistic" else "score"
                raise ValueError(f"{place}.distribution: {self.distribution!r} needs a {wanted}; {name!r} is a {kind}")
        if self.category is None and self.denominator != "coded":
            raise ValueError(f"{place}.denominator: {self.denominator!r}: a response without a score has no value")

    def fitted(self, tally: pl.DataFrame, fit: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
        """Fit each outcome's values: scores, or the indicator (1 or 0) of a category."""
        is_it = pl.col("category").eq_missing(self.category or "").cast(pl.Float64)
        value = pl.col("value") if self.category is None else is_it
        wanted = tally.filter(pl.col("status").is_in(["ok", *WITHOUT_CODE[self.denominator]]))
        values = wanted.with_columns(value.alias("value"))
        return pl.concat(
            fit(values.filter(outcome=name)).with_columns(pl.lit(name).alias("outcome")) for name in self.outcomes
        )

    def _regressed(self, study: Study) -> str:
        """Describe the response variable, the predictors and the responses for a note."""
        being = f" being {term_label(study, self.outcomes[0], self.category)}" if self.category else ""
        on = ", ".join(coefficient_label(study, one) or one for one in self.predictors)
        what = f"{', '.join(study.outcomes[name].label for name in self.outcomes)}{being}{f' on {on}' if on else ''}"
        return f"{what}, among {NOTE_BASES[self.denominator]}{self._with_predictors(study)}"

    def _base(self, study: Study) -> str:
        """Describe the responses for the methods section."""
        return f"{BASES[self.denominator]}{self._with_predictors(study)}"

    def _with_predictors(self, study: Study) -> str:
        """Say that responses without a predictor are left out, if one may be missing."""
        has_scores = any(part not in study.factors for parts in self._parts for part in parts)
        return " that have all predictors" if has_scores else ""


_NAMES = {
    "linear": "Linear regression",
    "logistic": "Logistic regression",
    "ordinal": "Ordinal logistic regression",
    "poisson": "Poisson regression",
    "quasi-poisson": "Quasi-Poisson regression",
}
_REGRESSED = {
    "linear": "Scores",
    "logistic": "Log odds",
    "ordinal": "Log odds of higher scores",
    "poisson": "Logarithms of means",
}


class Regression(_Fitted, Clustered):
    """A regression of a score, or of one category of an outcome, on factors, numbers and their products."""

    statistic: Literal["regression"]
    predictors: tuple[str, ...] = Field(min_length=1)
    """Factors, scores that the outcome keeps beside it, and their products: `["group", "age", "group:age"]`."""
    reference: dict[Identifier, str] = {}
    """Factor -> the level that its others are compared with; by default its first."""
    fixed_effects: tuple[Identifier, ...] = ()
    """Factors, or the column of the clusters, each of whose values has an intercept of its own, which is not shown."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CR1")

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        if self.category and self.distribution == "linear" and self.cluster_column(study) is None:
            raise ValueError(f"{place}.cluster: the probability of a category needs clusters: its variance differs")
        if self.distribution == "ordinal" and self.standard_error == "CR1":
            raise ValueError(f"{place}.standard_error: an ordinal regression has no CR1; expected CV3")
        for factor, level in self.reference.items():
            require_declared(
                [factor], [one for parts in self._parts for one in parts], f"{place}.reference", "predictor"
            )
            require_declared(
                [level], levels_in(study, self, factor), f"{place}.reference.{factor}", f"level of {factor}"
            )
        fixed = [*(one for one in study.factors if one not in self.by), *filter(None, [self.cluster_column(study)])]
        require_declared(
            self.fixed_effects, fixed, f"{place}.fixed_effects", "factor (not in 'by'), or column of clusters"
        )

    def _model(self, study: Study) -> Model:
        from tallybook.statistics.regression import Model

        factors = [one for parts in self._parts for one in parts if one in study.factors]
        every = {one: levels_in(study, self, one) for one in factors}
        first = {one: self.reference.get(one, next(iter(own), "")) for one, own in every.items()}
        levels = {one: (first[one], *(level for level in own if level != first[one])) for one, own in every.items()}
        return Model("value", self.distribution, tuple(self._parts), levels, self.fixed_effects)

    def terms(self, study: Study) -> list[str] | None:
        design = self._model(study)
        names = {parts: design.names(parts) for parts in self._parts}
        return [
            *design.shown,
            *(f"{WALD}{':'.join(parts)}" for parts, own in names.items() if len(own) > 1),
            *(f"{MARGIN}{name}" for name in design.margins),
        ]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.regression import regressions

        model, cluster = self._model(study), self.cluster_column(study)
        errors = partial(regressions, cluster=cluster, kind=self.standard_error, confidence=self.confidence)
        fit = partial(errors, by=self.by, model=model)
        return self.fitted(inputs.tally, fit)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: the intercept is not tested, and a marginal effect shares that of its coefficient.

        Not where products have the predictor: its coefficient is then its effect at one value of the other, and its
        marginal effect an average over them.
        """
        in_products = [part for parts in self._parts if len(parts) > 1 for part in parts]
        term, coefficient = pl.col("term"), pl.col("term").str.strip_prefix(MARGIN)
        is_same = ~coefficient.str.split("=").list.first().is_in(in_products)
        own = pl.format("{} {}", "outcome", pl.when(is_same).then(coefficient).otherwise(term))
        return pl.when(term != "Intercept").then(own)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term.startswith(WALD):
            f_test = self.cluster_column(study) is not None or self.distribution in {"linear", "quasi-poisson"}
            symbol = italic("F") if f_test else CHI_SQUARE
            return Notation(symbol, statistic=symbol, has_test_first=True)
        test = italic("t") if has_df else Z
        if term.startswith(MARGIN):
            return Notation(unit="points" if self.distribution == "logistic" else "number", statistic=test)
        return Notation(italic("b"), statistic=test)

    def _compared(self, study: Study) -> str:
        """Format the reference levels in words."""
        levels = self._model(study).levels
        return series([f"{level_name(study, one, own[0])} ({factor_name(study, one)})" for one, own in levels.items()])

    def contrast(self, study: Study, term: str) -> str:
        """Name the levels that a coefficient compares, `Women compared with Men`; empty for another term."""
        factor, _, level = term.partition("=")
        reference, *others = self._model(study).levels.get(factor, ("",))
        if level not in others:
            return ""
        return f"{level_name(study, factor, level)} compared with {level_name(study, factor, reference)}"

    def note(self, study: Study) -> str:
        levels = self._model(study).levels
        compared = [f"{study.factors[one].levels[own[0]]} ({called(study, one)})" for one, own in levels.items()]
        own = [called(study, one) for one in self.fixed_effects]
        return sentences(
            f"{_NAMES[self.distribution]} of {self._regressed(study)}.",
            f"Levels of reference: {series(compared)}." if compared else "",
            f"Intercepts of their own: {series(own)}." if own else "",
        )

    def account(self, study: Study) -> Account:
        of_category = self.category and self.distribution == "linear"
        regressed = "Probabilities" if of_category else _REGRESSED[self.distribution.removeprefix("quasi-")]
        tests = "*t* and *F* tests" if self.distribution in {"linear", "quasi-poisson"} else "Wald’s"
        errors = "Variances are scaled by Pearson’s statistic." if self.distribution == "quasi-poisson" else ""
        if (cluster := self.cluster_column(study)) is not None:
            tests = coefficient_tests(self.standard_error)
            errors = clustering(study, cluster, self.standard_error)
        compared = self._compared(study)
        fixed = series([factor_name(study, one) for one in self.fixed_effects])
        has_margins = bool(self._model(study).margins)
        is_linear = self.distribution == "linear"
        how = "ordinary least squares" if is_linear else "maximum likelihood [@agresti2013]"
        thresholds = "proportional odds [@mccullagh1980]" if self.distribution == "ordinal" else "an intercept"
        text = sentences(
            f"{regressed} were regressed by {how}, with {thresholds}, among {self._base(study)}.",
            f"Levels are compared with {compared}." if compared else "",
            f"Each value of {fixed} has an intercept of its own." if fixed else "",
            f"Tests are {tests}; intervals are {percent(self.confidence)} ones.",
            "Changes of the mean are averages over the responses." if has_margins else "",
            errors,
        )
        names = outcome_names(study, self.outcomes)
        if self.category is not None:
            names += f" being “{term_name(study, self.outcomes[0], self.category)}”"
        predictors = [" × ".join(_name(study, one) for one in parts) for parts in self._parts]
        return of_outcomes(
            study, self, _NAMES[self.distribution], text, "The outcome was", what=f"{names}{as_predictors(predictors)}"
        )


def _name(study: Study, predictor: str) -> str:
    return factor_name(study, predictor) if predictor in study.factors else outcome_names(study, [predictor])


_VARIANCE, _SHARE = "variance:", "share:"


class MixedModel(_Fitted):
    """A linear model of a score, or a model of whether an answer is one category, with random intercepts."""

    statistic: Literal["mixed-model"]
    distribution: Literal["linear", "logistic"] = "linear"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Of a category: linear for its share, logistic for its log odds."""
    random: tuple[Identifier, ...] = Field(min_length=1)
    """The columns each of whose values (items, prompts, templates) has a random intercept: factors, and at most one
    other column of the responses."""

    states_independence: ClassVar[bool] = True

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        must_differ(self.random, f"{place}.random")
        others = [one for one in self.random if one not in study.factors]
        if len(others) > 1:
            raise ValueError(f"{place}.random: {', '.join(others)}: expected factors, and one other column at most")
        check_columns(study, tuple(others), f"{place}.random")
        fixed = [part for parts in self._parts for part in parts]
        if taken := [one for one in self.random if one in {*self.by, *fixed}]:
            raise ValueError(f"{place}.random: {taken[0]!r} is in 'by' or 'predictors'; it cannot vary at random too")

    def cluster_column(self, study: Study) -> str | None:
        """Return the random-effect column that is not a factor, which tallies must keep; None if there is none."""
        return next((one for one in self.random if one not in study.factors), None)

    def _model(self, study: Study) -> Model:
        from tallybook.statistics.regression import Model

        levels = {one: levels_in(study, self, one) for parts in self._parts for one in parts if one in study.factors}
        return Model("value", self.distribution, tuple(self._parts), levels)

    def terms(self, study: Study) -> list[str] | None:
        from tallybook.statistics.mixed_model import variance_terms

        model = self._model(study)
        return [*model.shown, *variance_terms(model, self.random)]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.mixed_model import mixed_models

        model = self._model(study)
        fit = partial(mixed_models, by=self.by, model=model, random=self.random, confidence=self.confidence)
        return self.fitted(inputs.tally, fit)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses; the intercept is not tested."""
        return pl.when(pl.col("term") != "Intercept").then(pl.format("{} {}", "outcome", "term"))

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term.startswith(_SHARE):
            return Notation(unit=SHARE.unit)
        if term.startswith(_VARIANCE):
            return Notation((Piece("σ²"),), statistic=italic("LR") if has_df else ())
        return Notation(italic("b"), statistic=italic("t"))

    def note(self, study: Study) -> str:
        random = series([called(study, one) for one in self.random])
        return (
            f"{self._name} of {self._regressed(study)}; random intercepts of {random}, given "
            "which responses were treated as independent. Shares are of the sum of all variances (intraclass "
            f"correlations){self._residual}."
        )

    @property
    def _name(self) -> str:
        return "Linear mixed model (REML)" if self.distribution == "linear" else "Logistic mixed model (Laplace)"

    @property
    def _residual(self) -> str:
        return "" if self.distribution == "linear" else ", with π²/3 as the variance of single answers"

    def account(self, study: Study) -> Account:
        restricted = "restricted " if self.distribution == "linear" else ""
        by = "restricted maximum likelihood" if restricted else "maximum likelihood (Laplace’s approximation)"
        random = series([factor_name(study, one) for one in self.random])
        text = sentences(
            f"{self.distribution.capitalize()} mixed models with random intercepts of {random} were fitted by {by} "
            f"[@bates2015], among {self._base(study)}. Given the intercepts, responses are treated as independent. A "
            f"variance is tested against 0 by the {restricted}likelihood ratio, whose *p*-value is half that of one "
            "degree of freedom [@stram1994]; coefficients have *t* tests on the smallest number of random intercepts "
            "less the number of coefficients.",
            f"Shares of the variance are intraclass correlations{self._residual}.",
        )
        names = outcome_names(study, self.outcomes)
        if self.category is not None:
            names += f" being “{term_name(study, self.outcomes[0], self.category)}”"
            names += " (1, and 0 otherwise)" if self.distribution == "linear" else ""
        what = names + as_predictors([" × ".join(_name(study, one) for one in parts) for parts in self._parts])
        return of_outcomes(
            study, self, f"{self.distribution.capitalize()} mixed model", text, "The outcome was", what=what
        )

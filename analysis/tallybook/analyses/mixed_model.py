"""Linear mixed models: random intercepts, and what share of the variance each of them is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.predictors import check_predictors, fitted, parts_of
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_names, sentences, series, term_name
from tallybook.core.markdown import literal
from tallybook.study.analysis_base import OfResponses
from tallybook.study.base import Identifier, must_differ, must_exist
from tallybook.study.clusters import check_columns
from tallybook.study.notation import SHARE, Notation, Piece, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.analyses.predictors import Parts
    from tallybook.statistics.regression import Model
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_VARIANCE, _SHARE, _RESIDUAL = "variance:", "share:", "residual"


class MixedModel(OfResponses):
    """A linear model of a score, or of whether an answer is one category, with random intercepts."""

    statistic: Literal["mixed-model"]
    random: tuple[Identifier, ...] = Field(min_length=1)
    """The columns each of whose values (items, prompts, templates) has a random intercept: factors, and at most one
    other column of the responses."""
    predictors: tuple[str, ...] = ()
    """Factors, scores that the outcome keeps beside it, and their products; the intercept alone by default."""
    category: Identifier | None = None
    """The category of an outcome of categories: 1 for answers of it, 0 for others."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals of coefficients."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "score")
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "mixed models"
    states_independence: ClassVar[bool] = True

    @property
    def _parts(self) -> list[Parts]:
        return parts_of(self.predictors)

    def check_settings(self, study: Study, place: str) -> None:
        must_differ([":".join(sorted(parts)) for parts in self._parts], f"{place}.predictors")
        must_differ(self.random, f"{place}.random")
        others = [one for one in self.random if one not in study.factors]
        if len(others) > 1:
            raise ValueError(f"{place}.random: {', '.join(others)}: expected factors, and one other column at most")
        check_columns(study, tuple(others), f"{place}.random")
        fixed = [part for parts in self._parts for part in parts]
        if taken := [one for one in self.random if one in {*self.by, *fixed}]:
            raise ValueError(f"{place}.random: {taken[0]!r} is in 'by' or 'predictors'; it cannot vary at random too")
        for name in self.outcomes:
            check_predictors(study, name, self.by, self._parts, place)
            if (study.outcomes[name].kind == "category") != (self.category is not None):
                raise ValueError(f"{place}.category: an outcome of categories needs one, and a score has none")
            if self.category is not None:
                must_exist([self.category], study.category_outcome(name).labels, f"{place}.category", "category")

    def cluster_column(self, study: Study) -> str | None:
        """Get the column beside the factors that tallies must keep."""
        return next((one for one in self.random if one not in study.factors), None)

    def _model(self, study: Study) -> Model:
        from tallybook.statistics.regression import Model

        levels = {
            one: tuple(study.factors[one].levels) for parts in self._parts for one in parts if one in study.factors
        }
        return Model("value", "linear", tuple(self._parts), levels)

    def terms(self, study: Study) -> list[str] | None:
        parts = [*self.random, _RESIDUAL]
        return [*self._model(study).shown, *(f"{kind}{name}" for kind in (_VARIANCE, _SHARE) for name in parts)]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.mixed_model import mixed_models

        model = self._model(study)
        fit = partial(mixed_models, by=self.by, model=model, random=self.random, confidence=self.confidence)
        return fitted(inputs.tally, self.outcomes, self.category, fit)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses; the intercept is not tested."""
        import polars as pl

        return pl.when(pl.col("term") != "Intercept").then(pl.format("{} {}", "outcome", "term"))

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term.startswith(_SHARE):
            return Notation(unit=SHARE.unit)
        if term.startswith(_VARIANCE):
            return Notation((Piece("σ²"),), statistic=italic("LR") if has_df else ())
        return Notation(italic("b"), statistic=italic("t"))

    def note(self, study: Study) -> str:
        what = ", ".join(study.outcomes[name].label for name in self.outcomes)
        being = f" being {self.category}" if self.category else ""
        on = f" on {', '.join(self.predictors)}" if self.predictors else ""
        return (
            f"Linear mixed model (REML) of {what}{being}{on}; random intercepts of {', '.join(self.random)}, given "
            "which responses were treated as independent. Shares are of the sum of all variances (intraclass "
            "correlations)."
        )

    def account(self, study: Study) -> Account:
        random = series([factor_name(study, one) for one in self.random])
        text = sentences(
            f"Linear mixed models with random intercepts of {random} were fitted by restricted maximum likelihood "
            "[@bates2015]. Given these, responses are treated as independent. A variance is tested against 0 by the "
            "restricted likelihood ratio, whose *p*-value is half that of one degree of freedom [@stram1994]; "
            "coefficients have *t* tests on the smallest number of random intercepts less the number of coefficients.",
            "Shares of the variance are intraclass correlations.",
        )
        names = outcome_names(study, self.outcomes)
        if self.category is not None:
            names += f" being “{term_name(study, self.outcomes[0], self.category)}” (1, and 0 otherwise)"
        on = f", on {literal(', '.join(self.predictors))}" if self.predictors else ""
        return of_outcomes(study, self, "Linear mixed model", text, "The outcome was", what=f"{names}{on}")

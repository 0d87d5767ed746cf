"""Shares and means that people would find, from a judge of all responses and people of some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import check_factor, is_compared
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_name, percent, sentences
from tallybook.study.base import Identifier, must_exist
from tallybook.study.coding import Categories
from tallybook.study.notation import SHARE, Notation, italic

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_NOTES = {
    "tuned": "weighted so that the variance is smallest (PPI++)",
    "full": "with full weight",
}


class PredictionPowered(Jackknifed):
    """A judge's shares or mean, corrected by how people coded some of the same responses, with an interval.

    Of categories people's codes are a factor, of scores another score that is kept beside the judge's.
    """

    statistic: Literal["prediction-powered"]
    factor: Identifier | None = None
    """People's codes of categories: its levels are named as the outcome's categories, others are of no code."""
    truth: Identifier | None = None
    """People's scores: a score outcome that stands in `beside` of the judge's."""
    weight: Literal["tuned", "full"] = "tuned"
    """The weight of the judge: the one that minimises the variance, or 1."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "score")
    results: ClassVar[str] = "corrected shares or means"
    estimand: ClassVar[str] = "prediction-powered"

    def check_settings(self, study: Study, place: str) -> None:
        if (self.factor is None) == (self.truth is None):
            raise ValueError(f"{place}: exactly one of 'factor' and 'truth', which say what people found")
        for name in self.outcomes:
            outcome = study.outcomes[name]
            if isinstance(outcome, Categories) != (self.factor is not None):
                needed = "'factor' is of categories, 'truth' of scores"
                raise ValueError(f"{place}.outcomes: {name!r} is a {outcome.kind}; {needed}")
            if self.truth is not None:
                must_exist([self.truth], outcome.beside, f"{place}.truth", f"outcome beside {name}")
        if self.factor is not None:
            check_factor(study, self, self.factor, (), place)

    def terms(self, study: Study) -> list[str] | None:
        outcomes = [study.outcomes[name] for name in self.outcomes if name in study.outcomes]
        own = [term for outcome in outcomes if isinstance(outcome, Categories) for term in outcome.terms]
        return list(dict.fromkeys(own)) if self.factor is not None else ["mean"]

    def rests_on(self, study: Study, levels: Mapping[str, str]) -> bool:
        return (self.factor is None or is_compared(self.factor, (), levels)) and super().rests_on(study, levels)

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        import polars as pl

        from tallybook.analyses.categories import category_terms
        from tallybook.statistics.means.prediction_powered import prediction_powered_means

        parts: list[pl.DataFrame] = []
        for name in self.outcomes:
            own = inputs.tally.filter((pl.col("outcome") == name) & (pl.col("status") == "ok"))
            if self.truth is not None:
                pairs = {"mean": (pl.col("value"), pl.col(self.truth))}
            else:
                codes, terms = pl.col(self.factor or ""), category_terms(study, name)
                coded = codes.is_in(list(study.category_outcome(name).labels))
                pairs = {
                    term: (
                        pl.col("category").is_in(list(members)).cast(pl.Float64),
                        pl.when(coded).then(codes.is_in(list(members)).cast(pl.Float64)),
                    )
                    for term, members in terms.items()
                }
            for term, (judge, truth) in pairs.items():
                counts = own.select(*self.by, judge.alias("_judge"), truth.alias("_truth"), "count")
                found = prediction_powered_means(
                    counts, self.by, "_judge", "_truth", weight=self.weight, confidence=self.confidence
                )
                parts.append(found.with_columns(pl.lit(name).alias("outcome"), pl.lit(term).alias("term")))
        return pl.concat(parts)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE if self.truth is None else Notation(italic("M"), shows_n=True)

    def note(self, study: Study) -> str:
        people = self.truth or self.factor or ""
        named = study.factors[people].label if people in study.factors else study.outcomes[people].label
        return (
            f"Prediction-powered: the judge's verdicts of all responses, corrected by “{named}” of some; the judge "
            f"{_NOTES[self.weight]}. n counts the latter."
        )

    def account(self, study: Study) -> Account:
        people = factor_name(study, self.factor) if self.factor else outcome_name(study, self.truth or "")
        text = sentences(
            "Prediction-powered estimates [@angelopoulos2023] add to what a judge finds in the responses that it alone "
            f"codes by how much it differs, on average, from people where both code ({people}); the judge is "
            + (
                "weighted so that the variance is smallest [@angelopoulos2023plus]."
                if self.weight == "tuned"
                else "given full weight."
            ),
            self.account_of_errors(study) or f"Their {percent(self.confidence)} intervals are normal ones.",
        )
        return of_outcomes(study, self, "Prediction-powered inference", text, "Corrected were the verdicts of")

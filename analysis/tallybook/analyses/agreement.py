"""Analyses of agreement: of codings, of raters and of factor levels; and prediction-powered estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import OfCategories, OfFactor, categories_of, check_factor, is_compared
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_name, outcome_names, percent, sentences
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier, must_differ, require_declared
from tallybook.study.clusters import called, cluster_columns
from tallybook.study.coding import Categories, ScoreOutcome
from tallybook.study.notation import SHARE, Notation, Piece, R, Z, italic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class Agreement(OfFactor, OfCategories, Jackknifed):
    """Agreement of an outcome with a factor that codes the same responses: percent agreement and Cohen's kappa."""

    statistic: Literal["agreement"]
    factor: Identifier
    """The other coding; its levels are named as the outcome's categories."""
    levels: tuple[str, ...] = ()
    """Levels that are codes; responses with others do not count. By default those that are categories."""
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "agreements"
    estimand: ClassVar[str] = "agreement"
    term_names: ClassVar[tuple[str, ...]] = ("agreement", "cohen_kappa")
    limits: ClassVar[dict[str, tuple[float, float]]] = {"agreement": (0.0, 1.0), "cohen_kappa": (-1.0, 1.0)}

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        for name in self.outcomes:
            require_declared(self.levels, study.category_outcome(name).labels, f"{place}.levels", f"category of {name}")

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        return self._agreements(study, inputs, self.confidence)

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the agreements without intervals."""
        return self._agreements(study, inputs, None)

    def _agreements(self, study: Study, inputs: Inputs, confidence: float | None) -> pl.DataFrame:
        from tallybook.statistics.categories.agreement import coding_agreement

        codes = {category for name in self.outcomes for category in categories_of(study, name)}
        return coding_agreement(
            inputs.tally,
            self.by,
            self.outcomes,
            self.factor,
            self.levels or [level for level in study.factors[self.factor].levels if level in codes],
            confidence=confidence,
        )

    def null_values(self) -> pl.Expr:
        """Return 0 for kappa, the only term that is tested."""
        return pl.when(pl.col("term") == "cohen_kappa").then(0.0)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE if term == "agreement" else Notation((Piece("κ"),), "bounded", statistic=Z)

    def note(self, study: Study) -> str:
        return "Agreement: share of the responses coded alike among those that both coded, and Cohen's kappa."

    def account(self, study: Study) -> Account:
        level = percent(self.confidence)
        text = sentences(
            "Agreement of two codings is the share of responses coded alike among those that both code, and Cohen’s "
            "kappa [@cohen1960].",
            self.account_of_errors(study)
            or f"The {level} interval of the share is Wilson’s [@wilson1927], that of kappa rests on its asymptotic "
            "standard error [@fleiss1969].",
        )
        what = f"{outcome_names(study, self.outcomes)} with {factor_name(study, self.factor)}"
        return of_outcomes(study, self, "Agreement of codings", text, "The codings are those of", what=what)


_TWO = 2
_RELIABILITIES = {
    "agreement": SHARE,
    "cohen_kappa": Notation((Piece("κ"),), "bounded"),
    "fleiss_kappa": Notation((Piece("κ"),), "bounded"),
    "krippendorff_alpha": Notation((Piece("α"),), "bounded"),
}


class Reliability(OfResponses, Clustered):
    """Agreement of several raters about units: kappa, Krippendorff's alpha and intraclass correlations."""

    statistic: Literal["reliability"]
    factor: Identifier
    """The factor of the raters: coders, models, templates, or the items of a questionnaire."""
    levels: tuple[str, ...] = ()
    """The raters; by default all."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    results: ClassVar[str] = "reliabilities"
    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason", "score")

    def check_settings(self, study: Study, place: str) -> None:
        check_factor(study, self, self.factor, self.levels, place)
        if self.cluster_column(study) in {None, self.factor}:
            raise ValueError(f"{place}.cluster: expected the column of the units that are rated, as 'item'")

    def terms(self, study: Study) -> list[str] | None:
        scores = [isinstance(study.outcomes[name], ScoreOutcome) for name in self.outcomes if name in study.outcomes]
        of_two = ["agreement", "cohen_kappa"] if len(self._raters(study)) == _TWO else []
        categories = ["fleiss_kappa", "krippendorff_alpha", *of_two] if not all(scores) else []
        of_scores = ["krippendorff_alpha", "icc_1", "icc_2", "icc_3"] if any(scores) else []
        return list(dict.fromkeys([*categories, *of_scores]))

    def _raters(self, study: Study) -> tuple[str, ...]:
        return self.levels or tuple(study.factors[self.factor].levels if self.factor in study.factors else ())

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.categories.reliability import category_reliability, score_reliability

        unit = self.cluster_column(study) or ""
        parts: list[pl.DataFrame] = []
        for name in self.outcomes:
            own = inputs.tally.filter(pl.col("outcome") == name, pl.col("status") == "ok")
            if self.levels:
                own = own.filter(pl.col(self.factor).is_in(self.levels))
            if isinstance(study.outcomes[name], ScoreOutcome):
                found = score_reliability(own, self.by, unit, self.factor, confidence=self.confidence)
            else:
                raters = (self.factor, self._raters(study))
                found = category_reliability(own, self.by, unit, "category", raters=raters, confidence=self.confidence)
            parts.append(found.with_columns(pl.lit(name).alias("outcome")))
        return pl.concat(parts)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return _RELIABILITIES.get(term, Notation(italic("ICC"), "bounded"))

    def note(self, study: Study) -> str:
        raters, unit = called(study, self.factor), called(study, self.cluster_column(study) or "")
        icc = " ICC(1,1), (2,1) and (3,1) are of single raters." if "icc_1" in (self.terms(study) or ()) else ""
        return (
            f"Reliability of {raters} as raters of {unit}: units are treated as independent, "
            f"intervals are Student's by the jackknife over units.{icc}"
        )

    def account(self, study: Study) -> Account:
        text = (
            "Reliability of categories is Fleiss’ kappa [@fleiss1971] and Krippendorff’s alpha [@krippendorff2019], of "
            "two raters also the share of units rated alike and Cohen’s kappa [@cohen1960]; that of scores is "
            "Krippendorff’s alpha with the interval metric and the intraclass correlations of single "
            f"raters [@shrout1979]. The {percent(self.confidence)} intervals are "
            "Student’s by the jackknife over units."
        )
        unit = factor_name(study, self.cluster_column(study) or "")
        what = f"{outcome_names(study, self.outcomes)} of {unit} by {factor_name(study, self.factor)}"
        return of_outcomes(study, self, "Reliability", text, "The ratings are those of", what=what)


class LevelAgreement(OfResponses):
    """Agreement of the levels of a factor in the mean scores of units: correlations of pairs, or alpha."""

    statistic: Literal["level-agreement"]
    factor: Identifier
    """The factor whose levels are compared."""
    unit: Identifier
    """The units that have a score at each level: `item`, a factor, or another column of the responses."""
    within: tuple[Identifier, ...] = ()
    """Factors: only levels that are equal in these are compared. All pairs of a cell count the same."""
    measure: Literal["pearson", "spearman", "cronbach-alpha"] = "pearson"
    """The mean of the correlations of all pairs of levels, or Cronbach's alpha of the levels as items of a scale."""
    ratios: bool = False
    """Whether scores are logarithms of ratios, and their means are compared as ratios."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of alpha's interval; a mean correlation has none."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    results: ClassVar[str] = "agreement of levels"

    def cluster_column(self, study: Study) -> str | None:
        """Return the column of the units, which tallies must keep, unless it is a factor."""
        return None if self.unit in study.factors else self.unit

    def check_settings(self, study: Study, place: str) -> None:
        require_declared([self.factor, *self.within], study.factors, f"{place}: factor and within", "factor")
        require_declared([self.unit], cluster_columns(study), f"{place}.unit", "column of all responses")
        must_differ([*self.by, self.factor, self.unit], f"{place}: by, factor and unit")
        if self.measure == "cronbach-alpha" and (set(self.within) - set(self.by)):
            raise ValueError(f"{place}.within: alpha is of one set of levels; expected none that 'by' lacks")

    def terms(self, study: Study) -> list[str] | None:
        return ["alpha" if self.measure == "cronbach-alpha" else "correlation"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.categories.reliability import level_agreement
        from tallybook.statistics.means.score_means import scored

        return level_agreement(
            scored(inputs.tally, self.outcomes),
            self.by,
            self.factor,
            self.unit,
            within=self.within,
            measure=self.measure,
            ratios=self.ratios,
            confidence=self.confidence,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(italic("α")) if self.measure == "cronbach-alpha" else R

    def note(self, study: Study) -> str:
        levels = study.factors[self.factor].label
        of = f"{'ratios' if self.ratios else 'mean scores'} of each {self.unit}"
        if self.measure == "cronbach-alpha":
            return f"Cronbach's alpha of the levels of {levels}, of the {of}."
        kind = "Pearson" if self.measure == "pearson" else "Spearman"
        within = "".join(f" and of one {study.factors[name].label}" for name in self.within)
        return f"Mean {kind} correlation of all pairs of levels of {levels}{within}, over the {of}."

    def account(self, study: Study) -> Account:
        levels = factor_name(study, self.factor)
        text = f"The levels of {levels} are compared by the mean of the correlations of all their pairs."
        if self.measure == "cronbach-alpha":
            text = f"The levels of {levels} are compared as items of a scale, by Cronbach’s alpha [@cronbach1951]"
            text += f" with Feldt’s {percent(self.confidence)} interval."
        return of_outcomes(study, self, "Agreement of levels", text, "The agreement is in")


_WEIGHTS = {
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
                require_declared([self.truth], outcome.beside, f"{place}.truth", f"outcome beside {name}")
        if self.factor is not None:
            check_factor(study, self, self.factor, (), place)

    def terms(self, study: Study) -> list[str] | None:
        outcomes = [study.outcomes[name] for name in self.outcomes if name in study.outcomes]
        own = [term for outcome in outcomes if isinstance(outcome, Categories) for term in outcome.terms]
        return list(dict.fromkeys(own)) if self.factor is not None else ["mean"]

    def uses_responses_of(self, study: Study, levels: Mapping[str, str]) -> bool:
        return (self.factor is None or is_compared(self.factor, (), levels)) and super().uses_responses_of(
            study, levels
        )

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.analyses.bases import category_terms
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
            f"{_WEIGHTS[self.weight]}. n counts the latter."
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
            self.account_of_errors(study) or f"The {percent(self.confidence)} intervals are normal ones.",
        )
        return of_outcomes(study, self, "Prediction-powered inference", text, "The corrected verdicts are those of")

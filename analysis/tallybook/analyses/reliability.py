"""Reliability: how far several raters (coders, models, samples) agree about the same units."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.categories import check_factor
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_names, percent
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier
from tallybook.study.coding import ScoreOutcome
from tallybook.study.notation import Notation, Piece, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_NOTATIONS = {
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
        categories = ["fleiss_kappa", "krippendorff_alpha"] if not all(scores) else []
        of_scores = ["krippendorff_alpha", "icc_1", "icc_2", "icc_3"] if any(scores) else []
        return list(dict.fromkeys([*categories, *of_scores]))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        import polars as pl

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
                found = category_reliability(own, self.by, unit, "category", confidence=self.confidence)
            parts.append(found.with_columns(pl.lit(name).alias("outcome")))
        return pl.concat(parts)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return _NOTATIONS.get(term, Notation(italic("ICC"), "bounded"))

    def note(self, study: Study) -> str:
        unit = factor_name(study, self.cluster_column(study) or "")
        return (
            f"Reliability of {factor_name(study, self.factor)} as raters of {unit}: units are treated as independent, "
            "intervals are Student's by the jackknife over units. ICC(1,1), (2,1) and (3,1) are of single raters."
        )

    def account(self, study: Study) -> Account:
        text = (
            "Reliability is Fleiss’ kappa [@fleiss1971] and Krippendorff’s alpha [@krippendorff2019] of categories, "
            "and of scores Krippendorff’s alpha with the interval metric and the intraclass correlations of single "
            f"raters [@shrout1979]. The {percent(self.confidence)} intervals are "
            "Student’s by the jackknife over units."
        )
        unit = factor_name(study, self.cluster_column(study) or "")
        what = f"{outcome_names(study, self.outcomes)} of {unit} by {factor_name(study, self.factor)}"
        return of_outcomes(study, self, "Reliability", text, "Rated were", what=what)

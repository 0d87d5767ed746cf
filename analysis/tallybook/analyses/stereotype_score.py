"""Stereotype scores: how far the distributions of groups differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.categories import OfCategories, categories_of, category_terms
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import factor_name, number, of_outcomes, outcome_name, sentences, series, term_name
from tallybook.study.analysis_base import Scale
from tallybook.study.base import Identifier, must_differ, must_exist
from tallybook.study.notation import Notation, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class StereotypeScore(OfCategories, Jackknifed):
    """Differences between groups: the mean over dimensions of the largest divergence between two groups."""

    statistic: Literal["stereotype-score"]
    between: Identifier
    """The factor whose levels are compared."""
    within: Identifier
    """The factor whose levels hold the groups that are compared with each other."""
    categories: dict[Identifier, tuple[Identifier, ...]] = {}
    """Outcome -> the categories of its distribution; all of its categories otherwise."""
    refusal: bool = True
    """Whether refusal is one of the categories."""
    epsilon: float = Field(default=1e-12, ge=0)
    """The constant added to each category before dividing."""
    smoothing: Literal["counts", "proportions"] = "counts"
    """The place where epsilon is added."""
    direction: Literal["forward", "both"] = "forward"
    """From the earlier to the later group only, or both ways."""
    base: float = Field(default=math.e, gt=1)
    """The base of the logarithm."""

    results: ClassVar[str] = "stereotype scores"
    estimand: ClassVar[str] = "stereotype score"
    error_scale: ClassVar[Scale] = "fourth-root"

    def check_settings(self, study: Study, place: str) -> None:
        must_exist([self.between], study.factors, f"{place}.between", "factor")
        must_exist([self.within], study.factors, f"{place}.within", "factor")
        must_differ([*self.by, self.between, self.within], f"{place}: by, between and within")
        must_exist(self.categories, self.outcomes, f"{place}.categories", "outcome")
        for name in [name for name in self.categories if name in self.outcomes]:
            terms, outcome = self.categories[name], study.category_outcome(name)
            must_exist(terms, outcome.terms, f"{place}.categories.{name}", "category")
            must_differ(
                [member for term in terms for member in outcome.unions.get(term, (term,))],
                f"{place}.categories.{name}, unions taken apart",
            )

    def terms(self, study: Study) -> list[str] | None:
        within = study.factors.get(self.within)
        return list(dict.fromkeys(["mean", *(within.levels if within else ())]))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates; n is the number of dimensions, or of divergences."""
        scores = self._scores(study, inputs)
        if self.cluster_column(study) is None:
            return scores
        return super().compute(study, inputs).with_columns(scores.get_column("n"))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates with the number of responses for n: without a cluster there are fewer."""
        import polars as pl

        keys, scores = [*self.by, "outcome"], self._scores(study, inputs)
        answered = inputs.tally.filter(pl.col("status").is_in(["ok", "refused"]))
        sizes = answered.group_by(keys).agg(pl.col("count").sum().cast(pl.Int64).alias("n"))
        joined = scores.drop("n").join(sizes, on=keys, how="left", nulls_equal=True, maintain_order="left")
        return joined.select(scores.columns)

    def _scores(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.divergences.stereotype import stereotype_scores

        return stereotype_scores(
            inputs.tally,
            self.by,
            {
                name: category_terms(study, name, self.categories.get(name) or categories_of(study, name))
                for name in self.outcomes
            },
            between=self.between,
            levels=list(study.factors[self.between].levels),
            within=self.within,
            refusal=self.refusal,
            epsilon=self.epsilon,
            smoothing=self.smoothing,
            both_directions=self.direction == "both",
            base=self.base,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(italic("D", "KL"))

    def note(self, study: Study) -> str:
        scale = "" if self.cluster_column(study) is None else " Intervals on the fourth root."
        base = "natural logarithm" if self.base == math.e else f"logarithm to base {self.base:g}"
        direction = "from an earlier to a later group" if self.direction == "forward" else "in both directions"
        refusal = "refusal is a category" if self.refusal else "refusals are left out"
        return (
            f"Stereotype score: mean over the levels of {self.within} of the largest Kullback-Leibler divergence "
            f"between two of their groups, {direction} ({base}; {self.epsilon:g} added to {self.smoothing}; "
            f"{refusal}).{scale}"
        )

    def account(self, study: Study) -> Account:
        between, within = factor_name(study, self.between), factor_name(study, self.within)
        logarithm = "natural logarithms" if self.base == math.e else f"logarithms to base {number(self.base)}"
        direction = "from an earlier to a later one" if self.direction == "forward" else "in both directions"
        refusal = "refusal being one" if self.refusal else "refusals being left out"
        epsilon = (
            f"To the {'count' if self.smoothing == 'counts' else 'proportion'} of each category "
            f"{number(self.epsilon)} is added, so that the divergence is finite where two share no category."
        )
        only = [
            f"Of {outcome_name(study, name)} the categories {series([term_name(study, name, term) for term in terms])} "
            "are compared."
            for name, terms in self.categories.items()
        ]
        text = sentences(
            f"The score is the mean, over the levels of {within}, of the largest Kullback–Leibler divergence "
            f"[@kullback1951] between two levels of {between}, {direction}, with {logarithm}. The distributions are "
            f"those of categories, {refusal}.",
            epsilon if self.epsilon else "",
            *only,
            self.account_of_errors(study),
            "The score has no test.",
        )
        return of_outcomes(study, self, "Stereotype score", text, "The scores are of")

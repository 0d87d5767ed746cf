"""Divergences between groups, and the stereotype score."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import OfCategories, OfFactor, categories_of, category_terms
from tallybook.analyses.distributions import CATEGORY, OfDistributions
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import (
    BASES,
    NOTE_BASES,
    factor_name,
    number,
    of_outcomes,
    outcome_name,
    outcome_names,
    sentences,
    series,
    term_name,
)
from tallybook.study.analysis_base import Scale
from tallybook.study.base import Identifier, must_differ, require_declared
from tallybook.study.notation import Notation, italic

if TYPE_CHECKING:
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


_KINDS = {
    "jensen-shannon": "Jensen-Shannon divergence [@lin1991]",
    "total-variation": "total variation distance",
    "hellinger": "Hellinger distance",
    "kullback-leibler": "Kullback-Leibler divergence [@kullback1951]",
}


class GroupDivergence(OfFactor, OfDistributions, Jackknifed):
    """Divergence between the distributions of a category at each two levels of a factor, with a permutation test."""

    statistic: Literal["group-divergence"]
    kind: Literal["jensen-shannon", "total-variation", "hellinger", "kullback-leibler"] = "jensen-shannon"
    """The divergence; that of Kullback and Leibler runs from the earlier level to the later one."""
    base: float = Field(default=2.0, gt=1)
    """Base of the logarithm: with 2 a Jensen-Shannon divergence is at most 1."""
    epsilon: float = Field(default=0.0, ge=0)
    """The constant added to every count; with 0 a Kullback-Leibler divergence may be infinite."""
    permutations: int = Field(default=9999, ge=1)
    """The number of random exchanges, where there are too many to list them all."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "divergences"
    estimand: ClassVar[str] = "divergence"
    form: ClassVar[Notation] = Notation(italic("D"))

    @property
    def scale(self) -> Scale:
        """The scale of intervals: the square root of a distance; the fourth root of a divergence, which is a square."""
        return "sqrt" if self.kind in {"total-variation", "hellinger"} else "fourth-root"

    @property
    def resamples(self) -> bool:
        return True

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        self.check_apart(study, place)

    def terms(self, study: Study) -> list[str] | None:
        if self.factor not in study.factors:
            return None
        return [" || ".join(pair) for pair in combinations(self.levels_compared(study), 2)]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the divergences, with standard errors by the jackknife over clusters and permutation tests."""
        tested = self._divergences(study, inputs, self.cluster_column(study), self.permutations)
        if self.cluster_column(study) is None:
            return tested
        p, method = ["null_value", "p_value", "log_p_value"], pl.col("method")
        found = super().compute(study, inputs).with_columns(method.str.strip_prefix(self.estimand).alias("method"))
        return found.with_columns(*tested.select(p), (tested.get_column("method") + method))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the divergences without tests."""
        return self._divergences(study, inputs, None, 0)

    def null_values(self) -> pl.Expr:
        """Return null: there is no t test, as a divergence between equal groups is at the edge of its range."""
        return pl.lit(None, dtype=pl.Float64)

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the divergences without tests; null where a level has no responses."""
        found = self.independent(study, inputs)
        keys = [*self.by, "outcome"]
        every = inputs.tally.filter(pl.col("outcome").is_in(self.outcomes)).select(keys).unique()
        every = every.join(found.select("term").unique(), how="cross")
        return every.join(found, on=[*keys, "term"], how="left", nulls_equal=True).with_columns(
            pl.col("n").fill_null(0)
        )

    def _divergences(self, study: Study, inputs: Inputs, cluster: str | None, permutations: int) -> pl.DataFrame:
        from tallybook.statistics.divergences.groups import group_divergences

        return group_divergences(
            self.counts(inputs),
            [*self.by, "outcome"],
            self.factor,
            CATEGORY,
            kind=self.kind,
            epsilon=self.epsilon,
            base=self.base,
            levels=self.levels_compared(study),
            permutations=permutations,
            seed=study.seed,
            cluster=cluster,
        )

    def _exchanged(self, study: Study) -> str:
        cluster = self.cluster_column(study)
        if cluster is None:
            return "responses are exchanged between the levels, and treated as independent"
        return f"all that a cluster ({cluster}) has at a level is exchanged together"

    def note(self, study: Study) -> str:
        name = _KINDS[self.kind].split(" [")[0]
        settings = "" if self.kind in {"total-variation", "hellinger"} else f", base {self.base:g}"
        of = NOTE_BASES[self.denominator]
        settings += f", {self.epsilon:g} added to counts" if self.epsilon else ""
        said = f"{name[:1].upper()}{name[1:]}{settings}, of {of}; permutation test: {self._exchanged(study)}."
        root = "square root" if self.scale == "sqrt" else "fourth root"
        return said if self.cluster_column(study) is None else f"{said} Intervals on the {root}."

    def account(self, study: Study) -> Account:
        base = "" if self.kind in {"total-variation", "hellinger"} else f" (base {self.base:g})"
        text = sentences(
            f"Distributions of {BASES[self.denominator]} were compared by the {_KINDS[self.kind]}{base}"
            f"{f', {self.epsilon:g} being added to every count' if self.epsilon else ''}, and tested by permutation "
            f"[@good2005]: {self._exchanged(study)}.",
            self.account_of_errors(study).replace(" and their tests", ""),
        )
        what = f"{outcome_names(study, self.outcomes)} between levels of {factor_name(study, self.factor)}"
        return of_outcomes(
            study, self, "Divergences between groups", text, "The divergences are of the distributions of", what=what
        )


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
    form: ClassVar[Notation] = Notation(italic("D", "KL"))

    def check_settings(self, study: Study, place: str) -> None:
        require_declared([self.between], study.factors, f"{place}.between", "factor")
        require_declared([self.within], study.factors, f"{place}.within", "factor")
        must_differ([*self.by, self.between, self.within], f"{place}: by, between and within")
        require_declared(self.categories, self.outcomes, f"{place}.categories", "outcome")
        for name in [name for name in self.categories if name in self.outcomes]:
            terms, outcome = self.categories[name], study.category_outcome(name)
            require_declared(terms, outcome.terms, f"{place}.categories.{name}", "category")
            must_differ(
                [member for term in terms for member in outcome.unions.get(term, (term,))],
                f"{place}.categories.{name}, unions taken apart",
            )

    def terms(self, study: Study) -> list[str] | None:
        within = study.factors.get(self.within)
        return list(dict.fromkeys(["mean", *(within.levels if within else ())]))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the scores; n is the number of dimensions, or of divergences."""
        scores = self._scores(study, inputs)
        if self.cluster_column(study) is None:
            return scores
        return super().compute(study, inputs).with_columns(scores.get_column("n"))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the scores, with the number of responses as n, so that it reflects that a cluster is left out."""
        keys, scores = [*self.by, "outcome"], self._scores(study, inputs)
        answered = inputs.tally.filter(pl.col("status").is_in(["ok", "refused"]))
        sizes = answered.group_by(keys).agg(pl.col("count").sum().cast(pl.Int64).alias("n"))
        joined = scores.drop("n").join(sizes, on=keys, how="left", nulls_equal=True, maintain_order="left")
        return joined.select(scores.columns)

    def _scores(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.divergences.groups import stereotype_scores

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

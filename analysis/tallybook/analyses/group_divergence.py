"""Divergences between groups: Jensen-Shannon, total variation, Hellinger, Kullback-Leibler, with permutation tests."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.distributions import CATEGORY, OfDistributions
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.levels import OfFactor
from tallybook.analyses.wording import factor_name, of_outcomes, outcome_names, sentences
from tallybook.study.notation import Notation, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
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

    @property
    def scale(self) -> Scale:
        """The scale of its interval: the square root of a distance, of which the other two are squares."""
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
        """Compute its estimates: errors by leaving out clusters, tests by permutation."""
        import polars as pl

        tested = self._divergences(study, inputs, self.cluster_column(study), self.permutations)
        if self.cluster_column(study) is None:
            return tested
        p, method = ["null_value", "p_value", "log_p_value"], pl.col("method")
        found = super().compute(study, inputs).with_columns(method.str.strip_prefix(self.estimand).alias("method"))
        return found.with_columns(*tested.select(p), (tested.get_column("method") + method))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the divergences alone."""
        return self._divergences(study, inputs, None, 0)

    def null_values(self) -> pl.Expr:
        """Get none: a divergence is on the edge of what is possible where groups are alike, and has another test."""
        import polars as pl

        return pl.lit(None, dtype=pl.Float64)

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the divergences alone; null where a level has no responses."""
        import polars as pl

        found = self.independent(study, inputs)
        keys = [*self.by, "outcome"]
        every = inputs.tally.filter(pl.col("outcome").is_in(self.outcomes)).select(keys).unique()
        every = every.join(found.select("term").unique(), how="cross")
        return every.join(found, on=[*keys, "term"], how="left", nulls_equal=True).with_columns(
            pl.col("n").fill_null(0)
        )

    def _divergences(self, study: Study, inputs: Inputs, cluster: str | None, permutations: int) -> pl.DataFrame:
        from tallybook.statistics.divergences.groups import group_divergences
        from tallybook.statistics.means.score_means import OUTCOME, of_outcomes

        return of_outcomes(
            group_divergences(
                self.counts(inputs),
                [*self.by, OUTCOME],
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
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(italic("D"))

    def _exchanged(self, study: Study) -> str:
        cluster = self.cluster_column(study)
        if cluster is None:
            return "responses are exchanged between the levels, and treated as independent"
        return f"all that a cluster ({cluster}) has at a level is exchanged together"

    def note(self, study: Study) -> str:
        name = _KINDS[self.kind].split(" [")[0]
        settings = "" if self.kind in {"total-variation", "hellinger"} else f", base {self.base:g}"
        of = self.responses(in_note=True)
        settings += f", {self.epsilon:g} added to counts" if self.epsilon else ""
        said = f"{name[:1].upper()}{name[1:]}{settings}, of {of}; permutation test: {self._exchanged(study)}."
        root = "square root" if self.scale == "sqrt" else "fourth root"
        return said if self.cluster_column(study) is None else f"{said} Intervals on the {root}."

    def account(self, study: Study) -> Account:
        base = "" if self.kind in {"total-variation", "hellinger"} else f" (base {self.base:g})"
        text = sentences(
            f"Distributions of {self.responses(in_note=False)} were compared by the {_KINDS[self.kind]}{base}"
            f"{f', {self.epsilon:g} being added to every count' if self.epsilon else ''}, and tested by permutation "
            f"[@good2005]: {self._exchanged(study)}.",
            self.account_of_errors(study).replace(" and their tests", ""),
        )
        what = f"{outcome_names(study, self.outcomes)} between levels of {factor_name(study, self.factor)}"
        return of_outcomes(
            study, self, "Divergences between groups", text, "Compared were the distributions of", what=what
        )

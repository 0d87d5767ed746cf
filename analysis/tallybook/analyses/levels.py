"""Analyses that compare the levels of a factor: shared settings, and pairs of levels."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

from tallybook.analyses.categories import check_factor, is_compared
from tallybook.analyses.wording import level_name, series
from tallybook.study.analysis_base import OfResponses
from tallybook.study.base import Identifier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from tallybook.study.model import Study


class OfFactor(OfResponses):
    """An analysis that compares levels of a factor."""

    factor: Identifier
    """The factor whose levels are compared."""
    levels: tuple[str, ...] = ()
    """Its levels, in order; by default all."""

    def check_settings(self, study: Study, place: str) -> None:
        check_factor(study, self, self.factor, self.levels, place)
        super().check_settings(study, place)

    def check_apart(self, study: Study, place: str) -> None:
        """Raise a ValueError if each level would be a cluster."""
        if self.cluster_column(study) == self.factor:
            raise ValueError(f"{place}.cluster: {self.factor!r} is the factor: each level would be a single cluster")

    def levels_compared(self, study: Study) -> tuple[str, ...]:
        """List the levels that it compares."""
        return self.levels or tuple(study.factors[self.factor].levels)

    def rests_on(self, study: Study, levels: Mapping[str, str]) -> bool:
        return is_compared(self.factor, self.levels, levels) and super().rests_on(study, levels)


class BetweenLevels(OfFactor):
    """An analysis that compares two levels of a factor, or each two of several."""

    levels: tuple[str, ...] = ()
    """The first level is compared with the second. Of more levels (by default all of the factor) each two are, and a
    term names which: `yes: first - second`, or of ratios `yes: first / second`, of means `first - second`."""

    pair_term: ClassVar[str] = "{}: {} - {}"
    """A term of several pairs of levels: category, first and second level."""

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        if not self.pairs(study):
            raise ValueError(f"{place}.levels: one level; expected two or more")

    def pairs(self, study: Study) -> list[tuple[str, str]]:
        """List the levels that are compared with each other."""
        return list(combinations(self.levels_compared(study), 2)) if self.factor in study.factors else []

    def of_pairs(self, study: Study, compute: Callable[[tuple[str, str]], pl.DataFrame]) -> pl.DataFrame:
        """Put the differences of all pairs of levels below one another."""
        import polars as pl

        pairs = self.pairs(study)
        if len(pairs) == 1:
            return compute(pairs[0])
        parts = [
            compute(pair)
            .with_row_index("row")
            .with_columns(pl.format(self.pair_term, "term", *map(pl.lit, pair)).alias("term"))
            for pair in pairs
        ]
        return pl.concat(parts).sort("row", maintain_order=True).drop("row")  # the pairs of a category together

    def pair_in_note(self, study: Study, sign: str) -> str:
        """Say under a table which level comes first, where there is one pair: ` (Men − Women)`."""
        labels, pairs = study.factors[self.factor].levels, self.pairs(study)
        return f" ({labels[pairs[0][0]]} {sign} {labels[pairs[0][1]]})" if len(pairs) == 1 else ""

    def compared_levels(self, study: Study) -> str:
        """Say in the methods section between which levels."""
        names = [f"“{level_name(study, self.factor, level)}”" for level in self.levels_compared(study)]
        return f"between {series(names)}" if len(names) == 2 else f"between each two of {series(names)}"  # noqa: PLR2004

"""Base classes and checks that analyses share: categories of outcomes, levels of a factor, one-sided tests."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from tallybook.analyses.wording import factor_name, level_name, series
from tallybook.study.analysis_base import OfResponses
from tallybook.study.base import Declaration, Identifier, must_differ, require_declared
from tallybook.study.coding import Categories
from tallybook_schemas.vocabulary import INVALID, REFUSAL, Alternative, Denominator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.study.model import Study


WITHOUT_CODE: dict[Denominator, dict[str, str]] = {
    "coded": {},
    "answered": {"invalid": INVALID},
    "all": {"invalid": INVALID, "refused": REFUSAL},
}
"""Denominator -> the statuses of responses without a category that it includes -> their terms."""


class OfCategories(OfResponses):
    """An analysis of the categories of outcomes."""

    needs_values: ClassVar[bool] = False
    is_of_shares: ClassVar[bool] = True

    def terms(self, study: Study) -> list[str] | None:
        if self.term_names:
            return list(self.term_names)
        outcomes = [study.outcomes[name] for name in self.outcomes if name in study.outcomes]
        own = [term for outcome in outcomes if isinstance(outcome, Categories) for term in outcome.terms]
        return list(dict.fromkeys([*own, REFUSAL, INVALID]))

    def members(self, study: Study) -> dict[str, dict[str, tuple[str, ...]]]:
        """Map each outcome to its terms, and these to the categories that each comprises."""
        return {name: category_terms(study, name) for name in self.outcomes}


def check_factor(study: Study, analysis: OfResponses, factor: str, levels: Sequence[str], place: str) -> None:
    """Raise a ValueError if a compared factor or its levels are not declared, or the factor is one of `by`."""
    require_declared([factor], study.factors, f"{place}.factor", "factor")
    must_differ([*analysis.by, factor], f"{place}: by and factor")
    require_declared(levels, study.factors[factor].levels, f"{place}.levels", "level")
    must_differ(levels, f"{place}.levels")


def check_references(study: Study, analysis: OfResponses, place: str) -> None:
    """Raise a ValueError for a reference table that is not declared, or is split by a factor that cells are not."""
    require_declared(analysis.tested, study.references, f"{place}.reference", "reference")
    needed = [factor for name in analysis.tested for factor in study.references[name].by if factor in study.factors]
    require_declared(needed, analysis.by, f"{place}.by", "factor of the cells")


def check_category(study: Study, outcome: str, category: str, place: str) -> None:
    """Raise a ValueError if an outcome does not have a category."""
    require_declared([category], study.category_outcome(outcome).labels, f"{place}.category", "category")


def is_compared(factor: str, compared: Sequence[str], levels: Mapping[str, str]) -> bool:
    """Return whether responses with these factor levels are among the compared ones; without `compared` all are."""
    return not compared or levels.get(factor, compared[0]) in compared


def categories_of(study: Study, outcome: str) -> Sequence[str]:
    """Return an outcome's categories without unions, which would count a response twice."""
    declared = study.outcomes[outcome]
    return list(declared.labels) if isinstance(declared, Categories) else ()


def category_terms(study: Study, outcome: str, only: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Map the terms of an outcome (all, or those of `only`) to the categories that each comprises."""
    declared = study.category_outcome(outcome)
    return {term: declared.unions.get(term, (term,)) for term in only or declared.terms}


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
        """Raise a ValueError if the compared factor is also the cluster, so that each level would be one cluster."""
        if self.cluster_column(study) == self.factor:
            raise ValueError(f"{place}.cluster: {self.factor!r} is the factor: each level would be a single cluster")

    def levels_compared(self, study: Study) -> tuple[str, ...]:
        """Return the levels that are compared."""
        return self.levels or tuple(study.factors[self.factor].levels)

    def uses_responses_of(self, study: Study, levels: Mapping[str, str]) -> bool:
        return is_compared(self.factor, self.levels, levels) and super().uses_responses_of(study, levels)


class BetweenLevels(OfFactor):
    """An analysis that compares two levels of a factor, each two of several levels, or each with a reference level."""

    levels: tuple[str, ...] = ()
    """The first level is compared with the second. Of more levels (by default all of the factor) each two are, and a
    term names which: `yes: first - second`, or of ratios `yes: first / second`, of means `first - second`."""
    reference: str | None = None
    """A level with which alone each other level is compared, as in `yes: other - reference`."""

    pair_term: ClassVar[str] = "{}: {} - {}"
    """A term of several pairs of levels: category, first and second level."""

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        levels = self.levels_compared(study)
        if self.reference is not None:
            require_declared([self.reference], levels, f"{place}.reference", f"compared level of {self.factor}")
        if len(levels) < 2:  # noqa: PLR2004
            raise ValueError(f"{place}.levels: one level; expected two or more")

    def pairs(self, study: Study) -> list[tuple[str, str]]:
        """List the pairs of levels that are compared."""
        if self.factor not in study.factors:
            return []
        levels = self.levels_compared(study)
        if self.reference is None:
            return [*combinations(levels, 2)]
        return [(level, self.reference) for level in levels if level != self.reference]

    def of_pairs(self, study: Study, compute: Callable[[tuple[str, str]], pl.DataFrame]) -> pl.DataFrame:
        """Compute the differences for each pair of levels and concatenate them, the pairs of a category together."""
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
        """Return the order of the levels for a note, such as ` (Men − Women)`; empty if there are several pairs."""
        labels, pairs = study.factors[self.factor].levels, self.pairs(study)
        return f" ({labels[pairs[0][0]]} {sign} {labels[pairs[0][1]]})" if len(pairs) == 1 else ""

    def compared_levels(self, study: Study, how: str = "minus") -> str:
        """Describe the compared levels for the methods section."""
        pairs = self.pairs(study)
        compared = [pair[0] for pair in pairs] if self.reference is not None else self.levels_compared(study)
        names = [f"“{level_name(study, self.factor, level)}”" for level in compared]
        factor, order = factor_name(study, self.factor), f"the first {how} the second"
        if self.reference is not None:
            names.append(f"“{level_name(study, self.factor, self.reference)}”")
        if len(pairs) == 1:
            return f"between {series(names)} ({order}) of {factor}"
        if self.reference is not None:
            return f"between {series(names[:-1])} and the reference {names[-1]} of {factor} ({order})"
        return f"between each two levels of {factor} ({series(names)}; {order})"


_SIDES: dict[Alternative, str] = {"two-sided": "two-sided", "greater": "one-sided (above)", "less": "one-sided (below)"}


class Sided(Declaration):
    """An analysis whose tests may be one-sided."""

    alternative: Alternative = "two-sided"
    """`greater` tests whether the estimate is above its value under the null hypothesis, `less` whether it is below.
    Intervals stay two-sided."""

    @property
    def side(self) -> str:
        """The side of the tests, in words."""
        return _SIDES[self.alternative]

    def one_sided(self, found: pl.DataFrame) -> pl.DataFrame:
        """Convert two-sided tests with a test statistic to the declared alternative; exact tests already have it."""
        from tallybook.statistics.multiplicity import one_sided

        return one_sided(found, self.alternative)

"""Multiverse analysis: an estimate under every combination of alternative settings, and a joint test of all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

import polars as pl
from pydantic import Field, ValidationError

from tallybook.analyses.agreement import Agreement
from tallybook.analyses.bases import OfFactor
from tallybook.analyses.divergences import GroupDivergence, StereotypeScore
from tallybook.analyses.each_estimate import OfEachEstimate
from tallybook.analyses.wording import factor_name, note_of_shares, of_estimates, results_of, sentences
from tallybook.study.analysis_base import needed
from tallybook.study.base import Characters, faults_of, must_differ, require_declared
from tallybook.study.coding import Factor
from tallybook.study.notation import SHARE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study
    from tallybook.study.notation import Notation


DEFAULT = "default"
"""The alternative that stands for the default of a setting."""


class Specification(NamedTuple):
    """One combination of alternative settings."""

    label: str  # its settings and their values, in words
    chosen: dict[str, str]  # setting -> its value, in words
    study: Study  # a study with only the analysis and its sources, with these settings


class Possible(NamedTuple):
    """The combinations of alternatives that are valid."""

    specifications: list[Specification]  # the valid combinations, in the order of the alternatives
    # setting and alternative, in words -> why a combination with it is not valid (the last reason found)
    refused: dict[tuple[str, str], str]


def target(of: str, setting: str) -> tuple[str, str]:
    """Split a setting into the analysis that it belongs to, by default `of`, and its name.

    >>> target("gap", "denominator"), target("gap", "shares.denominator")
    (('gap', 'denominator'), ('shares', 'denominator'))
    """
    name, _, own = setting.rpartition(".")
    return name or of, own


def _with(study: Study, analysis: Analysis, changed: Mapping[str, Any]) -> Analysis:
    settings = {**analysis.model_dump(exclude_unset=True), **changed}
    varied = type(analysis).model_validate({name: one for name, one in settings.items() if one != DEFAULT})
    return varied.with_defaults_of(study)


def said(value: Any) -> str:  # noqa: ANN401  a value of TOML
    """Format the value of a setting in words.

    >>> said("all"), said(["name", "job"]), said([]), said({"method": "holm"}), said(True)
    ('all', 'name + job', 'none', 'method holm', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        settings = cast("dict[str, Any]", value)
        return ", ".join(f"{name} {said(one)}" for name, one in settings.items()) or "none"
    if isinstance(value, list):
        return " + ".join(map(said, cast("list[Any]", value))) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value).replace(": ", ":")


MOST = 1000
"""The maximum number of combinations of alternatives."""
_ROWS = 1_000_000
"""The maximum number of rows of permuted tallies in memory at once."""
_FIXED = {"statistic", "of", "by", "factor", "levels"}
"""Settings that cannot have alternatives, because other values would pose another question."""
_SHARES = {"share_significant", "share_opposite"}
_SUMMARY = ("median", "min", "max", *sorted(_SHARES, reverse=True))


class Multiverse(OfEachEstimate):
    """Each estimate of an analysis in every specification, with a test of all of them at once."""

    statistic: Literal["multiverse"]
    alternatives: dict[Characters, tuple[Any, ...]] = Field(min_length=1)
    """Setting of the analysis -> its alternatives, as `denominator = ["coded", "all"]`; `shares.denominator` is one of
    an analysis that it is computed from, `"default"` a setting's default. Other `outcomes`, as many, are the same
    answers coded by other rules. Combinations that the analysis refuses are left out."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """Below it a p-value (the adjusted one, where the analysis has a family) is significant."""
    draws: int = Field(default=499, ge=0, le=9999)
    """The number of exchanges of the factor's levels, within clusters, for the test of all specifications; 0 for no
    test."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "specifications"

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return not analysis.is_ranking and not isinstance(analysis, Multiverse)

    @property
    def resamples(self) -> bool:
        return self.draws > 0

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        place = f"{place}.alternatives"
        names = needed(study, self.of)
        for setting, values in self.alternatives.items():
            name, own = target(self.of, setting)
            require_declared([name], sorted(names), place, f"analysis that {self.of} is computed from")
            known = [one for one in type(study.analyses[name]).model_fields if one not in _FIXED]
            require_declared([own], known, place, f"setting of {name} that can have alternatives")
            must_differ(map(said, values), f"{place}.{setting}")
            outcomes = study.analyses[name].outcomes_of(study) or ()
            if own == "outcomes" and any(len(one) != len(outcomes) for one in values):
                raise ValueError(f"{place}.{setting}: expected as many outcomes as {name} has, {len(outcomes)}")
        if (size := prod(map(len, self.alternatives.values()))) > MOST or not size:
            raise ValueError(f"{place}: {size:,} specifications; expected 1 to {MOST:,}")
        if any(faults_of(study.analyses[name].check, study, name) for name in names):
            return  # the faults are reported for the analysis itself
        found = self.possible(study, place)
        for setting, values in self.alternatives.items():
            for number, value in enumerate(map(said, values), start=1):
                if all(one.chosen[setting] != value for one in found.specifications):
                    reason = found.refused[setting, value]
                    raise ValueError(f"{place}.{setting}[{number}]: {value!r} is in no specification: {reason}")

    def possible(self, study: Study, place: str = "") -> Possible:
        """List all valid combinations of alternatives, and the reasons why others are not valid."""
        own = {name: one for name, one in study.analyses.items() if name in needed(study, self.of)}
        found, refused = list[Specification](), dict[tuple[str, str], str]()
        for values in product(*self.alternatives.values()):
            settings = dict(zip(self.alternatives, values, strict=True))
            chosen = {setting: said(value) for setting, value in settings.items()}
            changes: dict[str, dict[str, Any]] = {}
            for setting, value in settings.items():
                name, changed = target(self.of, setting)
                changes.setdefault(name, {})[changed] = value
            try:
                analyses = own | {name: _with(study, own[name], changed) for name, changed in changes.items()}
            except ValidationError as error:
                refused |= dict.fromkeys(chosen.items(), str(error.errors()[0]["msg"]))
                continue
            varied = study.model_copy(update={"analyses": analyses})
            faults = [fault for one in analyses.values() for fault in faults_of(one.check, varied, place)]
            if faults:
                refused |= dict.fromkeys(chosen.items(), str(faults[0]).removeprefix(f"{place}."))
            else:
                label = "; ".join(f"{setting} = {value}" for setting, value in chosen.items())
                found.append(Specification(label, chosen, varied))
        return Possible(found, refused)

    def specifications(self, study: Study) -> int:
        return len(self.possible(study).specifications)

    def cluster_columns(self, study: Study) -> list[str]:
        """List the cluster columns that the specifications need."""
        every = [(one.study, own) for one in self.possible(study).specifications for own in one.study.analyses.values()]
        return list(dict.fromkeys(name for varied, own in every for name in own.cluster_columns(varied)))

    def counted_outcomes(self, study: Study) -> tuple[str, ...]:
        every = (own for one in self.possible(study).specifications for own in one.study.analyses.values())
        return tuple(dict.fromkeys(name for own in every for name in own.outcomes_of(study) or ()))

    def terms(self, study: Study) -> list[str] | None:
        if self.of not in study.analyses:
            return None
        names: dict[str, list[str]] = {}
        for one in self.possible(study).specifications:
            if (terms := one.study.analyses[self.of].terms(one.study)) is None:
                return None
            for term in terms:
                names.setdefault(term, [*_SUMMARY]).append(one.label)
        return [f"{term}: {name}" for term, own in names.items() for name in own]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.estimates import COLUMNS
        from tallybook.statistics.specification_curve import specification_curve

        every = self.possible(study).specifications
        found = pl.concat(
            self._computed(study, one, number, inputs, inputs.tallies) for number, one in enumerate(every)
        )
        draws = self._drawn(study, every, inputs)
        curves = specification_curve(found, self.by, draws, alpha=self.alpha)
        if draws is not None:
            test = f", exchanging levels of {self._factor(study)} within clusters {self.draws} times"
            method = pl.when(pl.col("p_value").is_not_null()).then(pl.col("method") + test).otherwise("method")
            curves = curves.with_columns(method.alias("method"))
        if len({self._measure(one) for one in every}) > 1:
            unlike, unknown = ~pl.col("term").str.ends_with(": share_significant"), pl.lit(None, dtype=pl.Float64)
            numbers = ("estimate", "null_value", "p_value", "log_p_value")
            curves = curves.with_columns(
                *(pl.when(unlike).then(unknown).otherwise(name).alias(name) for name in numbers),
                pl.when(unlike).then(pl.lit("degenerate")).otherwise("status").alias("status"),
            )
        labels = pl.col("specification").replace_strict({number: one.label for number, one in enumerate(every)})
        named = found.with_columns(pl.format("{}: {}", "term", labels).alias("term"))
        of = pl.col("term").str.replace(r": \w+$", "").alias("of")
        curves = curves.with_columns(of, pl.lit(-1).alias("specification"))
        together = pl.concat([curves, named], how="diagonal_relaxed")
        terms = found.get_column("term").unique(maintain_order=True)
        place = pl.col("of").replace_strict(terms, range(len(terms)))
        order = [*map(pl.col, self.by), pl.col("outcome"), place, pl.col("specification")]
        return together.sort(order, maintain_order=True).select(*self.by, *COLUMNS)

    def _computed(
        self, study: Study, one: Specification, number: int, inputs: Inputs, tallies: Mapping[str, pl.DataFrame]
    ) -> pl.DataFrame:
        """Compute the source analysis under one specification; alternative outcomes get the original names."""
        from tallybook.analyses.estimating import estimate

        clustered = {name: tally for name, tally in tallies.items() if name}
        found = estimate(one.study, tallies[""], inputs.references, inputs.summaries, clustered)
        own, varied = (each.analyses[self.of].outcomes_of(each) or () for each in (study, one.study))
        named = pl.col("outcome").replace(dict(zip(varied, own, strict=True)))
        p = "p_value" if one.study.analyses[self.of].family is None else "p_adjusted"
        return found.filter(analysis=self.of).with_columns(
            named, pl.col("term").alias("of"), pl.lit(number).alias("specification"), pl.col(p).alias("p")
        )

    def _measure(self, one: Specification) -> tuple[object, ...]:
        """Return what identifies the measure of the estimates; a median over different measures is meaningless."""
        of = one.study.analyses[self.of]
        notation = of.notation(one.study, next(iter(of.terms(one.study) or ()), ""), has_df=True)
        return notation.symbol[:1], notation.unit, getattr(of, "kind", None)

    def _factor(self, study: Study) -> str | None:
        """Return the factor that has no effect under the null hypothesis; None if nothing is tested."""
        of = study.analyses[self.of]
        if isinstance(of, StereotypeScore):
            return of.between if self.draws else None
        return of.factor if isinstance(of, OfFactor) and not isinstance(of, Agreement) and self.draws else None

    def _cluster(self, study: Study) -> str | None:
        """Return the cluster column, if all clustered specifications share a single one."""
        columns = self.cluster_columns(study)
        return columns[0] if len(columns) == 1 else None

    def _drawn(self, study: Study, every: list[Specification], inputs: Inputs) -> pl.DataFrame | None:
        """Compute all specifications with the factor's levels permuted; None if no such test is possible."""
        from tallybook.statistics.specification_curve import DRAW, exchanged, without

        factor, cluster = self._factor(study), self._cluster(study)
        if factor is None or cluster is None:
            return None
        of = study.analyses[self.of]
        tally = inputs.tallies.get(cluster, inputs.tallies[""])
        levels = getattr(of, "levels", None) or tuple(study.factors[factor].levels)
        draw = partial(exchanged, tally, cluster, factor, levels, seed=study.seed)
        size = max(1, _ROWS // max(tally.height, 1))
        parts: list[pl.DataFrame] = []
        for first in range(0, self.draws, size):
            numbers = range(first, min(first + size, self.draws))
            drawn = draw(draws=numbers)
            known = Factor(label=DRAW, levels={str(number): str(number) for number in numbers})
            tallies = {"": drawn if cluster in study.factors else without(drawn, cluster), cluster: drawn}
            for number, one in enumerate(every):
                apart = {name: _split_by(own, DRAW) for name, own in one.study.analyses.items()}
                varied = one.study.model_copy(update={"analyses": apart, "factors": one.study.factors | {DRAW: known}})
                found = self._computed(study, one._replace(study=varied), number, inputs, tallies)
                if isinstance(of, GroupDivergence):
                    found = found.with_columns(pl.lit(None, dtype=pl.Float64).alias("p"))
                parts.append(
                    found.select(*self.by, DRAW, "outcome", "term", "estimate", "null_value", "p", "specification")
                )
        return pl.concat(parts)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: only the medians are tests of their own."""
        return pl.when(pl.col("term").str.ends_with(": median")).then(pl.format("{} {}", "outcome", "term"))

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        own, _, tail = term.rpartition(": ")
        if tail in _SHARES:
            return replace(SHARE, shows_n=False)
        notation = study.analyses[self.of].notation(study, own, has_df=has_df)
        return replace(notation, statistic=(), has_test_first=False, shows_n=False) if tail in _SUMMARY else notation

    def _described(self) -> str:
        choices = (f"{setting} ({', '.join(map(said, values))})" for setting, values in self.alternatives.items())
        return "; ".join(choices)

    def note(self, study: Study) -> str:
        found = self.possible(study).specifications
        factor, cluster = self._factor(study), self._cluster(study)
        is_tested = factor is not None and cluster is not None
        return sentences(
            f"{len(found):,} specifications of the {study.analyses[self.of].plain_results}: {self._described()}.",
            f"Significant: p < {self.alpha:g}, in the direction in which more are; opposite: on the other side of the "
            "null value than the median.",
            f"p of the median and of the share significant: levels of {factor} exchanged within {cluster} "
            f"{self.draws:,} times."
            if is_tested
            else "",
            f"But for what is varied: {note_of_shares(study, self.of)}",
        )

    def account(self, study: Study) -> Account:
        from tallybook.core.markdown import literal

        factor, cluster = self._factor(study), self._cluster(study)
        test = ""
        if factor is not None and cluster is not None:
            test = (
                f"Whether the curve is beyond chance was tested by exchanging levels of {factor_name(study, factor)} "
                f"within {factor_name(study, cluster)} (between clusters that have one level each), {self.draws:,} "
                "times: the test compares the median, and the share significant in the dominant direction."
            )
        text = sentences(
            "In a multiverse analysis all reasonable specifications of an estimate are computed [@simonsohn2020].",
            test,
        )
        what = f"{results_of(study, study.analyses[self.of])}, with {literal(self._described())}"
        return of_estimates(study, self, "Multiverse analysis", text, "The variations are of the", what=what)


def _split_by(analysis: Analysis, column: str) -> Analysis:
    """Return the analysis split by one more column; divergences lose their standard errors and tests."""
    family = analysis.family
    apart = None if family is None else family.model_copy(update={"by": (*family.by, column)})
    plain = {"cluster": (), "permutations": 1} if isinstance(analysis, GroupDivergence | StereotypeScore) else {}
    return analysis.model_copy(update={"by": (*analysis.by, column), "family": apart, **plain})

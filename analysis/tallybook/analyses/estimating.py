"""Computation of all analyses of a study, each after those that it depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.analyses.bases import Sided
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.study.analysis_base import HYPOTHESIS, UNANSWERED, Clustered, Inputs, OfResponses
from tallybook.study.clusters import joined, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study


_UNANSWERED = "hypotheses of refusals"


def estimate(
    study: Study,
    tally: pl.DataFrame,
    references: Mapping[str, pl.DataFrame],
    summaries: Mapping[str, pl.DataFrame] | None = None,
    clustered: Mapping[str, pl.DataFrame] | None = None,
    *,
    advance: Callable[[int], None] = lambda _: None,
) -> pl.DataFrame:
    """Compute every analysis of a study.

    Args:
        study: The study.
        tally: The tally of its coded responses.
        references: The reference tables by name.
        summaries: The tables of printed means by name.
        clustered: Column of clusters -> the tally that keeps it; see `clusters`.
        advance: A function that is called after each analysis.

    Returns:
        The estimates of all analyses, in their order; a factor that an analysis does not split by is null.
    """
    from tallybook.statistics.estimates import COLUMNS
    from tallybook.statistics.multiplicity import with_adjusted_p_values

    done: dict[str, pl.DataFrame] = {}
    tallies = {"": tally} | dict(clustered or {})
    tested = _needing_hypotheses(study)

    def counts(name: str, column: str | None = None) -> pl.DataFrame:
        analysis = study.analyses[name]
        own = tallies.get(column or analysis.cluster_column(study) or "", tally)
        where = analysis.of_responses(study).where
        chosen = [pl.col(factor).is_in(levels) for factor, levels in where.items()]
        return own.filter(pl.lit(value=True), *chosen)

    def compute(name: str) -> pl.DataFrame:
        if name not in done:
            analysis = study.analyses[name]
            own_counts = counts(name)
            inputs = Inputs(own_counts, references, summaries or {}, compute, counts, tallies)

            def by_column(one: Analysis, column: str) -> pl.DataFrame:
                return one.compute(study, inputs._replace(tally=counts(name, column)))

            found = _computed(study, analysis, by_column)
            if isinstance(analysis, Jackknifed) and analysis.limits:
                found = _clip_intervals(analysis, found)
            if isinstance(analysis, Sided):
                found = analysis.one_sided(found)
            if name in tested:
                found = found.with_columns(analysis.hypotheses(study, found, own_counts).alias(HYPOTHESIS))
            if (family := analysis.family) is not None:
                own, within = None, [*family.by]
                if family.counts == "hypotheses":
                    own, within = [*analysis.by, HYPOTHESIS], [*within, _UNANSWERED]
                    found = found.with_columns(pl.col(HYPOTHESIS).str.starts_with(UNANSWERED).alias(_UNANSWERED))
                found = with_adjusted_p_values(found, within, family.method, hypothesis=own).drop(
                    _UNANSWERED, strict=False
                )
            done[name] = found.with_columns(pl.lit(name).alias("analysis"))
            advance(1)
        return done[name]

    schema = dict.fromkeys(study.factors, pl.String()) | COLUMNS
    together = pl.concat([pl.DataFrame(schema=schema), *(compute(name) for name in study.analyses)], how="diagonal")
    return together.drop(HYPOTHESIS, strict=False).sort(_declared_order(study), maintain_order=True)


def clusters(study: Study) -> dict[str, list[str]]:
    """Map each cluster column that tallies must keep, unless it is a factor, to the outcomes it is needed for."""
    needed: dict[str, list[str]] = {}
    for analysis in study.analyses.values():
        for cluster in analysis.cluster_columns(study):
            if cluster not in study.factors:
                needed.setdefault(cluster, []).extend(analysis.counted_outcomes(study))
    return {column: list(dict.fromkeys(outcomes)) for column, outcomes in needed.items()}


def _declared_order(study: Study) -> list[pl.Expr]:
    """Return the sort keys: analyses, factor levels and outcomes in the order of the study file."""
    orders = {"analysis": list(study.analyses)}
    orders |= {name: list(factor.levels) for name, factor in study.factors.items()}
    orders |= {"outcome": list(study.outcomes)}
    return [
        pl.col(name).replace_strict(values, range(len(values)), default=None, return_dtype=pl.Int32)
        for name, values in orders.items()
    ]


def _needing_hypotheses(study: Study) -> set[str]:
    """Return the analyses whose hypotheses are needed, for their own families or to be counted."""
    own = {name for name, one in study.analyses.items() if one.family is not None and one.family.counts == "hypotheses"}
    return own.union(*(analysis.counts_hypotheses_of for analysis in study.analyses.values()))


def _computed(study: Study, analysis: Analysis, compute: Callable[[Analysis, str], pl.DataFrame]) -> pl.DataFrame:
    """Compute an analysis, with two-way clustering if it is crossed; `compute` does so for one cluster column."""
    column = analysis.cluster_column(study) or ""
    if analysis.crossed_scale is None or not isinstance(analysis, Clustered):
        return compute(analysis, column)
    from tallybook.statistics.scales import two_way

    columns = parts_of(column)

    def clustered(by: Sequence[str]) -> pl.DataFrame:
        return compute(analysis.model_copy(update={"cluster": by, "crossed": False}), joined(tuple(by)) or "")

    first, second, both = clustered(columns[:1]), clustered(columns[1:]), clustered(columns)
    found = two_way(first, second, both, *analysis.transformation)
    names = (f" by {columns[0]}", f" one {columns[0]} at a time", f" each {columns[0]} with")
    said = found.get_column("method")
    for name in names:
        said = said.str.replace(name, name.replace(columns[0], " and ".join(columns)), literal=True)
    return found.with_columns(said.alias("method"))


def _clip_intervals(analysis: Jackknifed, estimates: pl.DataFrame) -> pl.DataFrame:
    """Clip confidence intervals to the range of possible values."""
    bounds = [
        pl.col("term").replace_strict(
            {term: own[end] for term, own in analysis.limits.items()}, default=None, return_dtype=pl.Float64
        )
        for end in (0, 1)
    ]
    return estimates.with_columns(pl.col("ci_low", "ci_high").clip(*bounds))


class Repeated(NamedTuple):
    """The numbers of responses and items in data with repeated items."""

    responses: int
    items: int


def repeated(study: Study, coded: pl.LazyFrame) -> Repeated | None:
    """Count responses and items; None unless items repeat and some analysis leaves its clusters undeclared."""
    if not counts_items(study) or "item" not in coded.collect_schema().names():
        return None
    counted = coded.select(
        responses=pl.col("count").sum(),
        different=pl.struct("model", "item").n_unique(),
        items=pl.col("item").n_unique(),
    )
    responses, different, items = counted.collect(engine="streaming").row(0)
    return Repeated(responses, items) if responses > different and items > 1 else None


def counts_items(study: Study) -> bool:
    """Return whether items are to be counted, because some analysis leaves its clusters undeclared."""
    silent = (one for one in study.analyses.values() if isinstance(one, OfResponses) and _is_silent(one))
    return study.cluster is None and any(silent)


def _is_silent(analysis: OfResponses) -> bool:
    return isinstance(analysis, Clustered) and analysis.cluster is None and analysis.setting_without_clusters() is None

"""Analyses that pool models: new responses must not change what the published ones give."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.drafting.reuse.models import Settings

NEW = "_new"
"""What the name of an analysis of the user's models ends with, where the published one pools models."""


class Contributions(NamedTuple):
    """Whose responses each analysis is computed from."""

    own: dict[str, list[str]]  # analysis -> the user's models with responses to it; analyses without any are left out
    published: dict[str, list[str]]  # analysis -> the published models with responses to it
    pooling: frozenset[str]  # the analyses that have cells with responses of several published models
    # tells, of an analysis and fixed levels of factors, the user's and the published models with responses
    within: Callable[[str, Settings], tuple[list[str], list[str]]]


class Split(NamedTuple):
    """Analyses after models were told apart."""

    analyses: dict[str, Settings]
    by_model: frozenset[str]  # those that are split by model now, and were not
    pooled: dict[str, str]  # those that pool the published models still -> the same of the user's


def contributions(
    analyses: dict[str, Settings],
    coded: pl.DataFrame,
    models: Sequence[str],
    own_models_of: Callable[[Settings], list[str]],
) -> Contributions:
    """Find the models whose responses each analysis is computed from."""
    own: dict[str, list[str]] = {}
    published: dict[str, list[str]] = {}
    pooling: set[str] = set()

    def within(name: str, fixed: Settings) -> tuple[list[str], list[str]]:
        base = _base(analyses, name)
        mine = own_models_of(base | {"where": base.get("where", {}) | fixed})
        there = models_within(coded, base.get("where", {}) | fixed)
        return mine, [model for model in models if model in there]

    for name, analysis in analyses.items():
        base = _base(analyses, name)
        if "summaries" in base or not own_models_of(base):
            continue
        own[name], published[name] = within(name, {})
        cells = _rows(coded, base.get("where", {})).with_columns(pl.lit(0).alias("_all"))
        counts = cells.group_by("_all", *analysis["by"]).agg(pl.col("model").n_unique().alias("_models"))
        if (counts["_models"] > 1).any():
            pooling.add(name)
    return Contributions(own, published, frozenset(pooling), within)


def models_within(rows: pl.DataFrame, where: Settings) -> list[str]:
    """Get the models that have rows with some levels."""
    return _rows(rows, where).get_column("model").unique(maintain_order=True).to_list()


def _rows(coded: pl.DataFrame, where: Settings) -> pl.DataFrame:
    """Get the rows with some levels."""
    for factor, levels in where.items():
        coded = coded.filter(pl.col(factor).is_in([levels] if isinstance(levels, str) else levels))
    return coded


def _base(analyses: dict[str, Settings], name: str) -> Settings:
    """Get the analysis of counted responses that an analysis rests on."""
    analysis = analyses[name]
    return _base(analyses, analysis["of"]) if "of" in analysis else analysis


def told_apart(analyses: dict[str, Settings], whose: Contributions) -> Split:
    """Split analyses by model, or keep one that pools models for the published and repeat it as `_new`."""
    kept = {name: deepcopy(analysis) for name, analysis in analyses.items() if name in whose.own}
    by_model: set[str] = set()
    pooled: dict[str, str] = {}
    for name, analysis in list(kept.items()):
        if "model" in analysis["by"]:
            continue
        of = analysis.get("of")
        if of in by_model or (of is None and name not in whose.pooling):
            analysis["by"] = ["model", *analysis["by"]]
            by_model.add(name)
        else:
            pooled[name] = f"{name}{NEW}"
            _pool(kept, name, whose)
    return Split(kept, frozenset(by_model), pooled)


def _pool(kept: dict[str, Settings], name: str, whose: Contributions) -> None:
    """Restrict an analysis to the published models, and repeat it for the user's."""
    for suffix, models in (("", whose.published[name]), (NEW, whose.own[name])):
        made = deepcopy(kept[name]) if suffix else kept[name]
        if (of := made.get("of")) is None:
            made["where"] = made.get("where", {}) | {"model": list(models)}
        elif f"{of}{NEW}" in kept:
            made["of"] = f"{of}{suffix}"
        else:
            base = f"{of}_of_{name}{suffix}"
            kept[base] = deepcopy(kept[of])
            kept[base]["where"] = kept[base].get("where", {}) | {"model": list(models)}
            made["of"] = base
        kept[f"{name}{suffix}"] = made


def analyses_in(shown: Any) -> set[str]:  # noqa: ANN401  settings of any depth
    """Get the analyses that a table or figure names.

    >>> sorted(analyses_in({"row_n": "share", "measures": [{"parts": [{"analysis": "test"}]}]}))
    ['share', 'test']
    """
    if isinstance(shown, dict):
        content = cast("Settings", shown)
        named = {one for setting, one in content.items() if setting in NAMING and isinstance(one, str)}
        return named.union(*(analyses_in(one) for one in content.values()))
    if isinstance(shown, list | tuple):
        return set[str]().union(*(analyses_in(one) for one in cast("Sequence[Any]", shown)))
    return set()


NAMING = {"analysis", "row_n", "corner", "points"}
"""The settings of tables and figures that name an analysis."""

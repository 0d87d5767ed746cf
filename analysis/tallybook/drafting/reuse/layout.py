"""Analyses, tables and figures of a replication: the published ones, with the user's models in them."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.study.draft import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_NAMING = {"analysis", "row_n", "corner", "points"}
"""The settings of tables and figures that name an analysis."""
_NOTHING = "they show nothing to which new responses contribute"
_HOW_MANY = re.compile(r"\b(the|all) (?:two|three|four|five|six|seven|eight|nine|ten|all) models\b")
_RESPONSES = re.compile(r"\bthe [\d,]+ responses\b")
_TABLES = re.compile(r"\b(Tables? \d+(?: (?:to|and) \d+)?)\b")
_SIZE = re.compile(r"-\d+B$")
_MOST_COLUMNS, _MOST_ROWS, _TERMS = 12, 3, 4
"""The most columns of numbers on a page, the most factors in rows, and the usual number of terms of an outcome."""


@dataclass
class Layout:
    """Adapt the analyses, tables and figures of a published study to the user's models."""

    declared: Settings  # the published study's settings
    coded: pl.DataFrame  # its coded responses
    published: dict[str, str]  # its models by identifier, named as in the paper
    labels: dict[str, str]  # the labels of all models in tables, the user's first
    own_models_of: Callable[[Settings], list[str]]  # returns the user's models with responses to an analysis
    analyses: dict[str, Settings] = field(default_factory=dict[str, Settings])
    tables: list[Settings] = field(default_factory=list[Settings])
    figures: list[Settings] = field(default_factory=list[Settings])
    left_out: list[str] = field(default_factory=list[str])  # what the replication omits, in words

    def __post_init__(self) -> None:
        """Split analyses by model or restrict them to the user's models, then adapt tables and figures."""
        self._own = [model for model in self.labels if model not in self.published]
        self._by_model: set[str] = set()  # the analyses that only the replication splits by model
        self._pooled: set[str] = set()  # those that pool models, restricted to the user's
        self._tell_apart()
        for name, adapt in (("tables", self._table), ("figures", self._figure)):
            declared: list[Settings] = self.declared.get(name, [])
            adapted = [adapt(deepcopy(one)) for one in declared]
            getattr(self, name).extend(_of_paper(one) for made in adapted for one in made)
            repeats = [repeated for one in declared for repeated in one.get("repeats", ())]
            lost = [one["id"] for one, made in zip(declared, adapted, strict=True) if not made]
            told = ((repeats, "they repeat others"), (lost, _NOTHING))
            self.left_out += [f"{name} {', '.join(ids)}: {reason}" for ids, reason in told if ids]

    # ---------------------------------------------------------------- analyses

    def _contributing(self, name: str, fixed: Settings) -> tuple[list[str], list[str]]:
        """Return the user's and the published models that have responses to an analysis at some levels."""
        base = self._base(name)
        where = base.get("where", {}) | fixed
        there = models_within(self.coded, where)
        return self.own_models_of(base | {"where": where}), [model for model in self.published if model in there]

    def _base(self, name: str) -> Settings:
        analysis = self.declared["analyses"][name]
        return self._base(analysis["of"]) if "of" in analysis else analysis

    def _tell_apart(self) -> None:
        """Split analyses by model, or restrict those that pool models to the user's."""
        for name, analysis in self.declared["analyses"].items():
            if "summaries" not in self._base(name) and self.own_models_of(self._base(name)):
                self.analyses[name] = deepcopy(analysis)
        for name, analysis in list(self.analyses.items()):
            if "model" in analysis["by"]:
                continue
            of = analysis.get("of")
            if of in self._by_model or (of is None and not self._pools(analysis)):
                analysis["by"] = ["model", *analysis["by"]]
                self._by_model.add(name)
            else:
                self._pooled.add(name)
                self._restrict(name)

    def _pools(self, analysis: Settings) -> bool:
        cells = rows_within(self.coded, analysis.get("where", {})).with_columns(_all=0)
        return (cells.group_by("_all", *analysis["by"]).agg(pl.col("model").n_unique())["model"] > 1).any()

    def _restrict(self, name: str) -> None:
        """Restrict an analysis to the user's models."""
        own, _ = self._contributing(name, {})
        made = self.analyses[name]
        if (of := made.get("of")) is None:
            made["where"] = made.get("where", {}) | {"model": own}
        elif of not in self._pooled:
            made["of"] = f"{of}_of_{name}"
            self.analyses[made["of"]] = deepcopy(self.analyses[of])
            self.analyses[made["of"]]["where"] = self.analyses[of].get("where", {}) | {"model": own}

    # ---------------------------------------------------------------- tables and figures

    def _table(self, table: Settings) -> list[Settings]:
        """Adapt a table; return an empty list if new responses do not contribute to it."""
        table.pop("repeats", None)
        if "{number}" in table["id"]:  # more models make more tables, numbered within their set
            numbered = f"{table.pop('first', 1)}-{{number}}"
            table["id"] = table["id"].replace("{number}", numbered)
            table.pop("step", None)
        for margin in ("row_margin", "column_margin"):
            if margin in table and table[margin]["analysis"] not in self.analyses.keys() - self._pooled:
                del table[margin]
                table.pop("corner", None)
        used = {*_named_in(table)}
        if not used <= self.analyses.keys():
            return []
        if used & self._by_model:
            return [self._narrow(one) for one in self._for_each_model(table, min(used & self._by_model))]
        if pinned := table.get("where", {}).pop("model", None):
            return [self._narrow(_each(table, [*self._own, pinned], [self.published[pinned]]))]
        if used & self._pooled:
            return [self._narrow(_of_new(table))]
        self._list_own(table)
        return [self._narrow(table)]

    def _for_each_model(self, table: Settings, analysis: str) -> list[Settings]:
        """Repeat the tables of an analysis that is now split by model for each model with responses."""
        if "blocks" in table:
            table["blocks"] = [block for block in table["blocks"] if "model" not in block["rows"]]
        if "model" in [*table.get("rows", ()), *table["columns"]]:
            return [table]
        # Not every model has every chosen level of a factor.
        if chosen := next((factor for factor in table.get("for_each", ()) if factor in table.get("levels", {})), None):
            every = (_at_level(table, chosen, level) for level in table["levels"][chosen])
            return [one for made in every for one in self._for_each_model(made, analysis)]
        own, published = self._contributing(analysis, table.get("where", {}))
        return [_each(table, [*own, *published], [self.published[one] for one in published])] if own else []

    def _list_own(self, part: Settings) -> None:
        """List the user's models before the published ones, in levels and titles."""
        if "model" in part.get("levels", {}):
            listed = part["levels"]["model"]
            part["levels"]["model"] = [*self._own, *listed]
            title = part.get("title", "")
            if places := [place for one in listed if (place := title.find(self.published[one])) >= 0]:
                part["title"] = f"{title[: min(places)]}new models, {title[min(places) :]}"

    def _narrow(self, table: Settings) -> Settings:
        """Move models from columns to rows where a table has become too wide."""
        spanning, inner = (table["columns"] * 2)[:2]
        models = table.get("levels", {}).get("model", self.labels)
        each = len(table["measures"]) if inner == "measure" else len(table.get("terms", ())) or _TERMS
        if spanning != "model" or inner == spanning or len(models) * each <= _MOST_COLUMNS:
            return table
        if len(table["rows"]) == _MOST_ROWS or table.keys() & {"blocks", "row_margin", "column_margin"}:
            return table
        return table | {"rows": [*table["rows"], "model"], "columns": [inner], "stub": "Model"}

    def _figure(self, figure: Settings) -> list[Settings]:
        """Adapt a figure: return none, one, or one for each model."""
        there = [plot for plot in figure.get("plots", [figure]) if {*_named_in(plot)} <= self.analyses.keys()]
        if not there:
            return []
        if "plots" in figure:
            figure["plots"] = there
            if len(there) == 1:  # a figure of a single plot is a figure of its kind
                kept = {name: figure[name] for name in ("kind", "id", "title", "supplementary") if name in figure}
                figure = kept | there[0]
                there = [figure]
        used = {*_named_in(there)}
        if used & self._by_model:
            own, published = self._contributing(min(used & self._by_model), figure.get("where", {}))
            return [self._of_model(figure, model, published) for model in [*own, *published]]
        fixed = [{name: one for name, one in plot.get("where", {}).items() if name != "model"} for plot in there]
        if not all(self._contributing(plot["analysis"], of)[0] for plot, of in zip(there, fixed, strict=True)):
            return []
        if used & self._pooled:
            return [_of_new(figure)]
        for plot in there:
            if pinned := plot.get("where", {}).get("model"):
                return [self._of_model(figure, model, [pinned]) for model in [*self._own, pinned]]
            self._list_own(plot)
            # In a plot with a place for every model, keep only the models with responses.
            own, published = self._contributing(plot["analysis"], plot.get("where", {}))
            listed = plot.get("levels", {}).get("model", list(self.labels))
            with_responses = [model for model in listed if model in {*own, *published}]
            if "model" in {one for one in plot.values() if isinstance(one, str)} and with_responses != listed:
                plot["levels"] = plot.get("levels", {}) | {"model": with_responses}
        return [figure]

    def _of_model(self, figure: Settings, model: str, published: Iterable[str]) -> Settings:
        made = deepcopy(figure)
        for plot in made.get("plots", [made]):
            plot["where"] = plot.get("where", {}) | {"model": model}
        title = _named(figure["title"], self.labels[model], [self.published[one] for one in published])
        return made | {"id": f"{figure['id']}-{model}", "title": title}


def models_within(rows: pl.DataFrame, where: Settings) -> list[str]:
    """Return the models that have rows at some levels."""
    return rows_within(rows, where).get_column("model").unique(maintain_order=True).to_list()


def rows_within(rows: pl.DataFrame, where: Settings) -> pl.DataFrame:
    """Return the rows at some levels of factors."""
    wanted = {factor: [levels] if isinstance(levels, str) else levels for factor, levels in where.items()}
    return rows.filter(*(pl.col(factor).is_in(levels) for factor, levels in wanted.items())) if wanted else rows


def _named_in(shown: Any) -> Iterator[str]:  # noqa: ANN401  settings of any depth
    """Yield the analyses that the settings of a table or figure name."""
    if isinstance(shown, dict):
        for name, one in cast("Settings", shown).items():
            yield from [one] if name in _NAMING and isinstance(one, str) else _named_in(one)
    elif isinstance(shown, list):
        for one in cast("list[Any]", shown):
            yield from _named_in(one)


def _of_new(part: Settings) -> Settings:
    """Mark in the title of a table or figure that it pools the user's models."""
    title = _HOW_MANY.sub(r"\1 models", part["title"])
    title = title[:1].lower() + title[1:] if title[1:2].islower() else title
    return part | {"title": f"New models: {title}"}


def _each(table: Settings, models: Sequence[str], called: Iterable[str]) -> Settings:
    """Declare a table to be repeated for each of some models."""
    return table | {
        "for_each": [*table.get("for_each", ()), "model"],
        "levels": table.get("levels", {}) | {"model": [*models]},
        "title": _named(table["title"], "{model}", called),
        "id": f"{table['id']}-{{model}}",
    }


def _at_level(table: Settings, factor: str, level: str) -> Settings:
    """Restrict a set of tables to one level."""
    return deepcopy(table) | {
        "for_each": [one for one in table["for_each"] if one != factor],
        "levels": {name: of for name, of in table["levels"].items() if name != factor},
        "where": table.get("where", {}) | {factor: level},
        "id": table["id"].replace(f"{{{factor}}}", level),
    }


def _named(title: str, name: str, called: Iterable[str]) -> str:
    """Put a model's name into a title: in place of a published model's, or at the end."""
    title = _RESPONSES.sub("the responses", title)
    for label in called:
        for short in (label, _SIZE.sub("", label)):
            if short in title:
                return title.replace(short, name)
    return f"{title.removesuffix('.')}: {name}."


def _of_paper(part: Settings) -> Settings:
    """Mark the numbers of tables in titles, labels and notes as those of the paper."""
    told: Settings = {name: _TABLES.sub(r"\1 of the paper", part[name]) for name in ("title", "label") if name in part}
    if "notes" in part:
        told["notes"] = [_TABLES.sub(r"\1 of the paper", one) for one in part["notes"]]
    if "blocks" in part:
        told["blocks"] = [_of_paper(block) for block in part["blocks"]]
    return part | told

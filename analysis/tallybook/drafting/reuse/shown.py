"""The tables and figures of a replication: the published layouts, with the user's models in them."""

from __future__ import annotations

import re
from copy import deepcopy
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.drafting.reuse.pooling import NAMING, analyses_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.drafting.reuse.models import Settings
    from tallybook.drafting.reuse.pooling import Contributions, Split

_NUMBER = "{number}"


def renumbered(tables: Sequence[Settings], levels: dict[str, int]) -> tuple[list[Settings], list[str]]:
    """Give sets of tables numbers that no other table has, and say which have changed.

    >>> tables = [{"id": "9"}, {"id": "{number}", "first": 7, "for_each": ["model"]}]
    >>> renumbered(tables, {"model": 3})
    ([{'id': '9'}, {'id': '{number}', 'first': 10, 'for_each': ['model']}], ['the tables from 7 on are 10 to 12 here'])
    """
    taken = {table["id"] for table in tables if _NUMBER not in table["id"]}
    made: list[Settings] = []
    said: list[str] = []
    for table in tables:
        if _NUMBER not in table["id"]:
            made.append(table)
            continue
        first, step, size = table.get("first", 1), table.get("step", 1), _size(table, levels)
        start = first
        while taken & set(_ids(table["id"], start, step, size)):
            start += 1
        taken |= set(_ids(table["id"], start, step, size))
        made.append(table | {"first": start})
        if start != first:
            said.append(_said(table["id"], (first, start), step, size))
    return made, said


def _size(table: Settings, levels: dict[str, int]) -> int:
    """Count the tables of a set."""
    own = {"outcome": len(table.get("outcomes", ()))} | {name: len(of) for name, of in table.get("levels", {}).items()}
    return prod(own.get(factor) or levels[factor] for factor in table.get("for_each", ()))


def _ids(form: str, first: int, step: int, size: int) -> list[str]:
    return [form.replace(_NUMBER, str(first + step * place)) for place in range(size)]


def _said(form: str, starts: tuple[int, int], step: int, size: int) -> str:
    shown = re.sub(r"\{(?!number\}).*?\}", "", form)
    then, now = (_ids(shown, start, step, size) for start in starts)
    by = "" if step == 1 else f" by {step}s"
    return f"the tables from {then[0]} on{by} are {now[0]} to {now[-1]} here"


_HOW_MANY = re.compile(r"\b(the|all) (?:two|three|four|five|six|seven|eight|nine|ten|all) models\b")
_RESPONSES = re.compile(r"\bthe [\d,]+ responses\b")
_COLUMNS = 12
"""How many columns of numbers fit on a page."""
_ROWS = 3
"""How many factors the rows of a table have at most."""
_TERMS = 4
"""About how many terms an outcome has."""
_TABLES = re.compile(r"\b(Tables? \d+(?: (?:to|and) \d+)?)\b")
_SIZE = re.compile(r"-\d+B$")


class Shown(NamedTuple):
    """What a replication shows."""

    tables: list[Settings]
    figures: list[Settings]
    left_out: list[str]  # what the publication has and the replication has not, for people to read


class Models(NamedTuple):
    """The models and who they are."""

    own: Sequence[str]  # the user's, by their identifiers
    labels: dict[str, str]  # every model -> how tables call it
    plain: dict[str, str]  # published model -> how the paper calls it


def shown(study: Settings, split: Split, whose: Contributions, models: Models, levels: dict[str, int]) -> Shown:
    """Lay out a replication."""
    lost: list[str] = []
    repeats: list[str] = []
    tables: list[Settings] = []
    for table in study.get("tables", []):
        made = _table(deepcopy(table), split, whose, models)
        lost += [] if made else [table["id"]]
        tables += [_of_paper(_narrow(one, models)) for one in made]
        repeats += table.get("repeats", ())
    figures: list[Settings] = []
    undrawn: list[str] = []
    for figure in study.get("figures", []):
        made = _figure(deepcopy(figure), split, whose, models)
        undrawn += [] if made else [figure["id"]]
        figures += [_of_paper(one) for one in made]
    tables, moved = renumbered(tables, levels)
    told = [("tables", repeats, "they repeat others"), ("tables", lost, _NOTHING), ("figures", undrawn, _NOTHING)]
    left_out = [f"{kind} {', '.join(ids)}: {reason}" for kind, ids, reason in told if ids]
    return Shown(tables, figures, [*left_out, *moved])


_NOTHING = "they show nothing to which new responses contribute"


def _table(table: Settings, split: Split, whose: Contributions, models: Models) -> list[Settings]:
    """Adapt a table: none, one, or one of the published and one of the user's models."""
    table.pop("repeats", None)
    _drop_margins(table, split)
    used = analyses_in(table)
    if not used <= set(split.analyses):
        return []
    if used & split.by_model:
        return _with_each_model(table, min(used & split.by_model), whose, models)
    if pinned := table.get("where", {}).get("model"):
        return [_unpinned(table, pinned, models)]
    if used & set(split.pooled):
        return _twice(table, split)
    _with_own(table, models)
    return [table]


def _drop_margins(table: Settings, split: Split) -> None:
    """Drop margins and corners whose analysis is left out or pools models."""
    for margin in ("row_margin", "column_margin"):
        if margin in table and table[margin]["analysis"] not in set(split.analyses) - set(split.pooled):
            del table[margin]
            table.pop("corner", None)


def _with_each_model(table: Settings, analysis: str, whose: Contributions, models: Models) -> list[Settings]:
    """Repeat the tables of an analysis of one model for each that has responses to it."""
    if "blocks" in table:
        table["blocks"] = [block for block in table["blocks"] if "model" not in block["rows"]]
    if "model" in [*table.get("rows", ()), *table["columns"]]:
        return [table]
    for factor in table.get("for_each", ()):
        if factor in table.get("levels", {}):  # whose levels not every model has
            return [
                one
                for level in table["levels"][factor]
                for one in _with_each_model(_at_level(table, factor, level), analysis, whose, models)
            ]
    own, published = whose.within(analysis, table.get("where", {}))
    if not own:
        return []
    table["for_each"] = [*table.get("for_each", ()), "model"]
    table["levels"] = table.get("levels", {}) | {"model": [*own, *published]}
    table["title"] = _named(table["title"], "{model}", [models.plain[one] for one in published])
    table["id"] = f"{table['id']}-{{model}}"
    return [table]


def _at_level(table: Settings, factor: str, level: str) -> Settings:
    """Restrict a set of tables to one level."""
    made = deepcopy(table)
    made["for_each"] = [one for one in table["for_each"] if one != factor]
    made["levels"] = {name: of for name, of in table["levels"].items() if name != factor}
    made["where"] = table.get("where", {}) | {factor: level}
    made["id"] = table["id"].replace(f"{{{factor}}}", level)
    return made


def _unpinned(table: Settings, pinned: str, models: Models) -> Settings:
    """Repeat a table of one published model for each of the user's."""
    del table["where"]["model"]
    table["for_each"] = [*table.get("for_each", ()), "model"]
    table["levels"] = table.get("levels", {}) | {"model": [*models.own, pinned]}
    table["title"] = _named(table["title"], "{model}", [models.plain[pinned]])
    table["id"] = f"{table['id']}-{{model}}"
    return table


def _named(title: str, name: str, called: Iterable[str]) -> str:
    """Name the model in a title: in place of a published one, or at its end."""
    title = _RESPONSES.sub("the responses", title)
    for label in called:
        for short in (label, _SIZE.sub("", label)):
            if short in title:
                return title.replace(short, name)
    return f"{title.removesuffix('.')}: {name}."


def _twice(part: Settings, split: Split) -> list[Settings]:
    """Repeat what pools models, for the user's and for the published ones."""
    part["title"] = _HOW_MANY.sub(r"\1 models", part["title"])
    own = _renamed(deepcopy(part), split.pooled)
    own |= {"id": f"{part['id']}-new", "title": f"New models: {_small(part['title'])}"}
    return [own, part | {"title": f"Published models: {_small(part['title'])}"}]


def _small(title: str) -> str:
    """Lower the first letter of a title after a colon if the second is lower."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def _renamed(part: Settings, names: dict[str, str]) -> Settings:
    """Point a table or figure to other analyses."""
    for setting, one in part.items():
        if setting in NAMING and isinstance(one, str):
            part[setting] = names.get(one, one)
        for inner in cast("list[Any]", one) if isinstance(one, list) else [one]:
            if isinstance(inner, dict):
                _renamed(cast("Settings", inner), names)
    return part


def _with_own(part: Settings, models: Models) -> None:
    """List the user's models before the published ones, in levels and titles."""
    if "model" in part.get("levels", {}):
        listed = part["levels"]["model"]
        part["levels"]["model"] = [*models.own, *listed]
        places = [place for one in listed if (place := part.get("title", "").find(models.plain[one])) >= 0]
        if places:
            part["title"] = f"{part['title'][: min(places)]}new models, {part['title'][min(places) :]}"


def _of_paper(part: Settings) -> Settings:
    """Say that numbers of tables in texts are the paper's."""
    told: Settings = {
        name: _TABLES.sub(r"\1 of the paper", one) for name, one in part.items() if name in {"title", "label"}
    }
    if "notes" in part:
        told["notes"] = [_TABLES.sub(r"\1 of the paper", one) for one in part["notes"]]
    if "blocks" in part:
        told["blocks"] = [_of_paper(block) for block in part["blocks"]]
    return part | told


def _narrow(table: Settings, models: Models) -> Settings:
    """Move models from columns to rows where a table has become too wide."""
    spanning, inner = (table["columns"] * 2)[:2]
    shown = table.get("levels", {}).get("model", models.labels)
    each = len(table["measures"]) if inner == "measure" else len(table.get("terms", ())) or _TERMS
    if spanning != "model" or inner == spanning or len(shown) * each <= _COLUMNS or "blocks" in table:
        return table
    if len(table["rows"]) == _ROWS or any(margin in table for margin in ("row_margin", "column_margin")):
        return table
    return table | {"rows": [*table["rows"], "model"], "columns": [inner], "stub": "Model"}


def _figure(figure: Settings, split: Split, whose: Contributions, models: Models) -> list[Settings]:
    """Adapt a figure: none, one, or one of each model."""
    plots: list[Settings] = figure.get("plots", [figure])
    there = [plot for plot in plots if analyses_in(plot) <= set(split.analyses)]
    if not there:
        return []
    if "plots" in figure:
        figure["plots"] = there
        if len(there) == 1:  # a figure of a single plot is a figure of its kind
            [plot] = there
            figure = {name: figure[name] for name in ("kind", "id", "title", "supplementary") if name in figure} | plot
            there = [figure]
    used = analyses_in(there)
    if used & split.by_model:
        return _each_model(figure, min(used & split.by_model), whose, models)
    if not all(_has_own(plot, whose) for plot in there):
        return []
    if used & set(split.pooled):
        return _twice(figure, split)
    for plot in there:
        if pinned := plot.get("where", {}).get("model"):
            return _each_pinned(figure, pinned, models)
        _with_own(plot, models)
        _with_responses(plot, whose, models)
    return [figure]


def _has_own(plot: Settings, whose: Contributions) -> bool:
    """Tell whether the user's models have responses to what a plot shows."""
    where = {factor: level for factor, level in plot.get("where", {}).items() if factor != "model"}
    return bool(whose.within(plot["analysis"], where)[0])


def _with_responses(plot: Settings, whose: Contributions, models: Models) -> None:
    """Show only models with responses in a plot that has a place for every model."""
    own, published = whose.within(plot["analysis"], plot.get("where", {}))
    listed = plot.get("levels", {}).get("model", list(models.labels))
    there = [model for model in listed if model in {*own, *published}]
    if "model" in {one for one in plot.values() if isinstance(one, str)} and there != listed:
        plot["levels"] = plot.get("levels", {}) | {"model": there}


def _each_model(figure: Settings, analysis: str, whose: Contributions, models: Models) -> list[Settings]:
    """Repeat the figure of an analysis of one model for each that has responses to it."""
    own, published = whose.within(analysis, figure.get("where", {}))
    plain = [models.plain[one] for one in published]
    return [_of(figure, model, models, plain) for model in [*own, *published]]


def _each_pinned(figure: Settings, pinned: str, models: Models) -> list[Settings]:
    return [_of(figure, model, models, [models.plain[pinned]]) for model in [*models.own, pinned]]


def _of(figure: Settings, model: str, models: Models, plain: list[str]) -> Settings:
    """Restrict a figure to one model."""
    made = deepcopy(figure)
    for plot in made.get("plots", [made]):
        plot["where"] = plot.get("where", {}) | {"model": model}
    return made | {"id": f"{figure['id']}-{model}", "title": _named(figure["title"], models.labels[model], plain)}

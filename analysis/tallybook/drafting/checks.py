"""Checks for a drafted study: what a dump that was looked at keeps to, later dumps shall keep to as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.drafting.survey import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft, Settings


def add_checks(made: Draft, survey: Survey, roles: Roles) -> None:
    """Declare checks of a draft whose identity and models are known."""
    if (design := _design(made, survey)) is not None:
        made.checks["design"] = design
    if roles.text is not None:
        made.checks["encoding"] = {"kind": "encoding"}
        made.checks["requests"] = {"kind": "failed-request"}
        made.checks["secrets"] = {"kind": "secrets"}


def _design(made: Draft, survey: Survey) -> Settings | None:
    """Declare that every model answered each prompt equally often, if so."""
    prompt = ["item", *(name for name in made.key if name not in {"model", "item", "sample"})]
    if any(f"{name}_given" in made.columns for name in ("model", *prompt)):  # some records lack it
        return None
    models = made.factors["model"]["levels"]
    model = _paths(made, ["model"]) or ([] if "model" in made.source.get("constants", {}) else [FILE])
    if model == [FILE] and len(models) != len(survey.files):  # several files of a model, not told apart here
        return None
    paths = _paths(made, prompt)
    sample = _paths(made, ["sample"])
    if not model and not paths:
        return None
    cells = survey.records.group_by(*model, *paths).len().collect(engine="streaming")
    times = cells.get_column("len").unique()
    is_whole = cells.height == _distinct(cells, model) * _distinct(cells, paths) and len(times) == 1
    values: Settings = {"model": list(models)}
    if sample:
        found = sorted(survey.distinct(sample[0]), key=lambda text: (len(text), text))
        is_whole = is_whole and len(found) == times.item()
        if found == [str(number) for number in range(len(found))]:
            values["sample"] = len(found)
    elif is_whole:
        values["sample"] = times.item()
    cross = ["model", prompt[0] if len(prompt) == 1 else prompt, "sample"]
    return {"kind": "complete", "cross": cross, "values": values} if is_whole else None


def _paths(made: Draft, names: Sequence[str]) -> list[str]:
    return [made.columns[name]["path"] for name in names if name in made.columns]


def _distinct(cells: pl.DataFrame, columns: Sequence[str]) -> int:
    return cells.select(columns).n_unique() if columns else 1

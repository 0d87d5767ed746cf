"""The Quarto project of a study's report: the authors' narrative, and the parts generated from results."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.markdown import literal
from tallybook.core.resources import REPORTS
from tallybook.core.safe_paths import check_file, copy_folder
from tallybook.published.comparison import counts, counts_by_strictness
from tallybook.report import data_section, fragments
from tallybook.report.bibliography import FILE, bibliography
from tallybook.report.cell_responses import behind
from tallybook.report.checklist import checklist
from tallybook.report.forms import apply_template, make_anonymous, number_as_printed, set_style_of_references
from tallybook.report.fragments import figure_fragment, reference, table_fragment
from tallybook.report.inline.addresses import PREFIX, named_estimates
from tallybook.report.methods_section import methods_of
from tallybook.report.results_section import results_text
from tallybook.tables.parts import EstimateIndex, printed
from tallybook.tables.sets import note_bearers, numbered
from tallybook_schemas.vocabulary import CODED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tallybook.pipeline import Results
    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study
    from tallybook.study.presentation import Inline
    from tallybook.validation.model import Report

DOCUMENT = "index.qmd"
"""The document that is rendered; it includes the generated fragments."""
VARIABLES = "_variables.yml"
"""The file of the numbers that the narrative may refer to, written as JSON, which is valid YAML."""
GENERATED = "_generated"
"""The project's folder of generated parts: tables, figures and lists."""


def write_project(
    results: Results,
    folder: Path,
    provenance: Mapping[str, Any],
    figures: Path,
    alt_texts: Mapping[str, str],
    *,
    validation: Report | None = None,
) -> None:
    """Write the Quarto project of a report: the narrative, the theme, and the results as fragments and variables."""
    write_narrative(results.loaded, folder)
    generated = folder / GENERATED
    sources = bibliography(own_bibliographies(folder))
    _write(generated / FILE, sources.text)
    sections = {
        "data": data_section.data(results, validation),
        "responses": data_section.responses(results),
        "methods": sources.cited(methods_of(results, provenance["versions"], narrative_of(results.loaded))),
        "results": results_text(results),
        "comparison": fragments.comparison(results),
        "errata": fragments.errata(results),
        "conventions": fragments.conventions(results),
        "listings": fragments.listings(results),
        "provenance": fragments.provenance(provenance, results.loaded.settings),
        "checklist": checklist(results, provenance, level=3),
        "tables": _write_tables(results, generated / "tables"),
        "figures": _write_figures(results, generated / "figures", figures, alt_texts),
    }
    for name, text in sections.items():
        _write(generated / f"{name}.qmd", text)
    write_variables(results.loaded.study, results.estimates, variables(results), folder)


def own_bibliographies(folder: Path) -> list[Path]:
    """Return the authors' own bibliographies in a project folder, sorted by path."""
    return sorted(path for path in folder.rglob("*.bib") if path != folder / GENERATED / FILE)


def write_narrative(loaded: LoadedStudy, folder: Path) -> None:
    """Copy the authors' narrative and the theme into a project folder and apply the study's style settings."""
    narrative = narrative_of(loaded)
    if folder.resolve().is_relative_to(narrative.resolve()):
        raise UsageError(f"the output would lie within the narrative, {narrative}; choose another with --out")
    for taken in ("theme", GENERATED):
        if (narrative / taken).exists():
            raise UsageError(f"{narrative / taken}: the report's own folder has this name; give yours another")
    # A link may lead to the study's other files, such as figures beside the narrative. Hidden files belong to editors.
    copy_folder(narrative, folder, narrative.parent, passed_over=lambda path: path.name.startswith("."))
    shutil.copytree(REPORTS / "theme", folder / "theme")
    shutil.copy(REPORTS / "_quarto.yml", folder / "_quarto.yml")
    if loaded.study.publication is not None:
        number_as_printed(folder, printed_numbers(loaded.study))
    if loaded.study.style.anonymous:
        make_anonymous(folder, DOCUMENT)
    if loaded.study.style.template:
        apply_template(folder, loaded.study.style.template)
    if loaded.study.style.csl:
        set_style_of_references(folder, loaded.study.style.csl)


def write_variables(study: Study, estimates: pl.DataFrame, numbers: Mapping[str, Any], folder: Path) -> None:
    """Write the variables file: the numbers of the results, and the estimates that the narrative names by address."""
    named = named_estimates(study, estimates, folder)
    every = {**numbers, **({PREFIX: named} if named else {})}
    _write(folder / VARIABLES, json.dumps(every, indent=2, ensure_ascii=False) + "\n")


def written_variables(folder: Path) -> dict[str, Any]:
    """Return the `variables` with which an existing project was written."""
    every: dict[str, Any] = json.loads((folder / VARIABLES).read_text(encoding="utf-8"))
    return {name: value for name, value in every.items() if name != PREFIX}


def narrative_of(loaded: LoadedStudy) -> Path:
    """Return the folder of a study's narrative, or of the default narrative if the study has none."""
    narrative = loaded.narrative if loaded.narrative.is_dir() else REPORTS / "default"
    if not (narrative / DOCUMENT).is_file():
        raise UsageError(f"{narrative} has no {DOCUMENT} to render")
    check_file(narrative / DOCUMENT, narrative.parent)
    return narrative


def variables(results: Results) -> dict[str, Any]:
    """Return the numbers that the narrative may refer to with `{{< var >}}`.

    Nested names and texts: the study, its responses by status, the comparison by verdict and by statistic.
    """
    study = results.loaded.study
    found: dict[str, Any] = {
        "study": {"name": literal(study.name), "title": literal(study.title)},
        "responses": numbers_of_responses(results) | {"design": data_section.design(results)},
        "tables": {"count": str(len(results.tables.tables))},
    }
    if study.numbers:
        index = EstimateIndex(study, results.estimates)
        found["numbers"] = {name: literal(_inline(study, inline, index)) for name, inline in study.numbers.items()}
    if results.comparison is not None:
        verdicts = counts(results.comparison)
        compared, left_out = sum(verdicts.values()), sum(results.not_compared.values())
        numbers = {"all": compared, "printed": compared + left_out, "not-compared": left_out}
        numbers |= verdicts | counts_by_strictness(results.comparison)
        found["comparison"] = {name: f"{n:,}" for name, n in numbers.items()}
        found["statistics"] = _agreement_by_statistic(results.comparison)
    return found


def numbers_of_responses(results: Results) -> dict[str, str]:
    """Return the numbers of responses: all, by status and unusable ones; failed requests are none of all."""
    statuses = dict.fromkeys(CODED_STATUSES, 0) | results.source.by_status
    every, unusable = sum(statuses.values()) - statuses["error"], statuses["invalid"] + statuses["empty"]
    return {name: f"{n:,}" for name, n in ({"all": every, "unusable": unusable} | statuses).items()}


def _inline(study: Study, inline: Inline, index: EstimateIndex) -> str:
    """Return a number that the study file declares for the narrative, formatted as in a table."""
    found = index.terms(inline.part.analysis, inline.where | {"outcome": inline.part.outcome or inline.outcome})
    return printed(inline.part, found, None, study.style)[0].text


def _agreement_by_statistic(comparison: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Count the matching numbers of each statistic; the ranks of a list count as one statistic."""
    counted = comparison.group_by(pl.col("statistic").str.replace(r" \d+$", ""), maintain_order=True).agg(
        pl.len().alias("all"), (pl.col("verdict") == "match").sum().alias("match")
    )
    return {
        row["statistic"]: {"all": f"{row['all']:,}", "match": f"{row['match']:,}"}
        for row in counted.iter_rows(named=True)
    }


def _write_tables(results: Results, folder: Path) -> str:
    """Write a fragment for each table, and return them joined, where tables of a group share one set of notes."""
    study, tables = results.loaded.study, results.tables.tables
    narrative = (narrative_of(results.loaded) / DOCUMENT).read_text(encoding="utf-8")
    included = {*re.findall(r"_generated/tables/(\S+)\.qmd", narrative)}
    bearers = note_bearers(study, tables)
    alone = note_bearers(study, [table for table in tables if table.id in included])
    drawn: list[str] = []
    for table in tables:
        is_own = table.id in results.tables.supplementary
        caption = literal(table.title) if is_own else _caption(results, "tbl", table.id, table.title)
        shown = behind(results, table.id)
        fragment = partial(table_fragment, table, caption, opened=shown.opened, lists=shown.html)
        among, apart = bearers.get(table.id), alone.get(table.id)
        drawn.append(fragment(notes_of=among))
        _write(folder / f"{table.id}.qmd", drawn[-1] if among == apart else fragment(notes_of=apart))
    return "\n".join(drawn)


def _write_figures(results: Results, folder: Path, pictures: Path, alt_texts: Mapping[str, str]) -> str:
    """Write a fragment for each figure, with the image files beside it, and return the fragments joined."""
    folder.mkdir(parents=True)
    drawn: list[str] = []
    for figure in results.loaded.study.figures:
        for suffix in ("svg", "png"):
            shutil.copy(pictures / f"{figure.id}.{suffix}", folder)
        caption = literal(figure.title) if figure.supplementary else _caption(results, "fig", figure.id, figure.title)
        drawn.append(figure_fragment(figure.id, f"_generated/figures/{figure.id}", caption, alt_texts[figure.id]))
        _write(folder / f"{figure.id}.qmd", drawn[-1])
    return "\n".join(drawn)


def _caption(results: Results, kind: str, number: str, title: str) -> str:
    """Return a caption, preceded by the publication's name for the table or figure if that name is not a number."""
    publication = results.loaded.study.publication
    names = {} if publication is None else publication.table_names if kind == "tbl" else publication.figure_names
    return f"**{literal(names[number])}.** {literal(title)}" if number in names else literal(title)


def printed_numbers(study: Study) -> dict[str, str]:
    """Map the labels of tables and figures to the numbers that the publication gives them."""
    publication = study.publication
    if publication is None:
        return {}
    tables = [name for one in study.tables if not one.supplementary for name, _ in numbered(study, one)]
    tables += [name for one in study.tables if not one.supplementary for name in one.repeats]
    tables += [one.id for one in study.listings]
    tables += [name for one in study.printed.tables for name in (one.id, *one.repeats)]
    figures = [one.id for one in study.figures if not one.supplementary]
    return {reference("tbl", name): name for name in tables if name not in publication.table_names} | {
        reference("fig", name): name for name in figures if name not in publication.figure_names
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")

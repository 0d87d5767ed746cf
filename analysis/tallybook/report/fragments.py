"""Generated parts of a report: tables, figures, comparison, errata, listings, conventions and provenance."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.markdown import attribute, literal
from tallybook.published.comparison import counts_by_strictness
from tallybook.study.publication import Erratum, NotReproduced
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.html import table_html
from tallybook.tables.notes import convention, family_sizes, star_notes
from tallybook_schemas.vocabulary import STRICTNESS, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tallybook.pipeline import Results


# Three colons fence a division in pandoc: Quarto warns of any in a finished document. An empty span separates them.
_FENCE = re.compile(r":(?=::)")


def reference(kind: str, number: str) -> str:
    """Return the cross-reference label of a table or figure.

    >>> reference("tbl", "A12")
    'tbl-a12'
    """
    return f"{kind}-{re.sub(r'[^a-z0-9]+', '-', number.lower()).strip('-')}"


def table_fragment(
    table: Table,
    caption: str,
    *,
    opened: Mapping[tuple[str, str], str] | None = None,
    lists: str = "",
    notes_of: str | None = None,
) -> str:
    """Return a table with caption and label, to be included in a document.

    `opened`, `lists`: The cells that open a list of responses, and these lists as HTML.
    `notes_of`: The table under which the notes are printed, if it is another one.
    """
    shown = table if notes_of is None else replace(table, notes=())
    html = _FENCE.sub(":<span></span>", table_html(shown, opened=opened) + lists)
    told = f"\n::: {{.table-notes}}\nNotes: as under @{reference('tbl', notes_of)}.\n:::\n" if notes_of else ""
    return f"::: {{#{reference('tbl', table.id)}}}\n\n```{{=html}}\n{html}\n```\n{told}\n{caption}\n\n:::\n"


def figure_fragment(number: str, path: str, caption: str, alt_text: str) -> str:
    """Return a figure with caption and label, to be included in a document."""
    return f'![{caption}]({path}){{#{reference("fig", number)} fig-alt="{attribute(alt_text)}"}}\n'


_SHOWN = 40
"""The maximum number of rows of an erratum or a remark that a report shows."""
_VERDICT_NOTE = (
    "Match: as printed. Erratum: the authors' own data and rule contradict the print. "
    "Not reproduced: no known rule gives the printed number. Mismatch: differs without a declared reason."
)


def comparison(results: Results) -> str:
    """Tabulate the compared printed numbers by table and verdict; empty for a study without published values."""
    if results.comparison is None:
        return ""
    counted = results.comparison.group_by("table", "verdict").len()
    found = {(row["table"], row["verdict"]): row["len"] for row in counted.iter_rows(named=True)}
    compared = dict.fromkeys(number for number, _ in sorted(found))
    numbers = [table.id for table in results.tables.tables if table.id in compared]
    numbers += [number for number in compared if number not in numbers]  # numbers of running text
    names = _table_names(results)
    counts = {number: [found.get((number, verdict), 0) for verdict in VERDICTS] for number in numbers}
    counts["All"] = [sum(column) for column in zip(*counts.values(), strict=True)]
    rows = [
        Row(id=number, label=names.get(number, number), cells=tuple(f"{count:,}" for count in (*own, sum(own))))
        for number, own in counts.items()
    ]
    table = Table(
        id="comparison",
        title="",
        stub="Table",
        columns=tuple(Column(name, name.capitalize().replace("-", " ")) for name in (*VERDICTS, "all")),
        rows=tuple(rows),
        notes=(_VERDICT_NOTE, *_extent(results, results.comparison)),
    )
    return table_fragment(table, "Published numbers compared with the regenerated ones.")


def _table_names(results: Results) -> Mapping[str, str]:
    """Return the publication's names of its tables that differ from their numbers."""
    publication = results.loaded.study.publication
    return {} if publication is None else publication.table_names


def _extent(results: Results, compared: pl.DataFrame) -> list[str]:
    """Report how strictly the numbers match, and how many are not compared and why."""
    strict = [f"{number:,} {STRICTNESS[name]}" for name, number in counts_by_strictness(compared).items() if number]
    left_out = results.not_compared
    said = [f"Matches: {', '.join(strict)}."] if strict else []
    if left_out:
        every = compared.height + sum(left_out.values())
        reasons = "; ".join(f"{number:,}: {reason}" for reason, number in left_out.items())
        said.append(f"{compared.height:,} of {every:,} printed numbers are compared. Not compared: {reasons}.")
    return said


def errata(results: Results) -> str:
    """Describe every erratum, number not reproduced and remark: explanation, evidence, and the numbers concerned."""
    compared = results.comparison
    if compared is None:
        return ""
    tables = {table.id: table for table in results.tables.tables}
    names = _table_names(results)
    parts: list[str] = []
    study = results.loaded.study
    for entry in (*study.errata, *study.not_reproduced, *study.remarks):
        own = compared.filter(pl.col("note").str.contains(f"{entry.id}: {entry.title}", literal=True))
        table = Table(
            id=f"erratum-{entry.id}",
            title="",
            stub="Table",
            columns=(
                Column("row", "Row", align="left"),
                Column("column", "Column", align="left"),
                Column("statistic", "Number", align="left"),
                Column("published", "Published"),
                Column("regenerated", "Regenerated"),
            ),
            rows=tuple(_erratum_row(tables, names, row) for row in own.head(_SHOWN).iter_rows(named=True)),
            notes=() if own.height <= _SHOWN else (f"The first {_SHOWN} of {own.height:,}; comparison.csv has all.",),
        )
        heading = f"### {literal(entry.title[:1].upper() + entry.title[1:])}\n"
        caption = f"{literal(entry.title[:1].upper() + entry.title[1:])}\\."
        parts += [heading, literal(entry.explanation.strip()) + "\n"]
        if isinstance(entry, Erratum) and entry.evidence is not None:
            files = ", ".join(literal(file) for file in entry.evidence.files)
            shown = f"in {files}, {literal(entry.evidence.rows)}. What gives the printed value: "
            parts.append(f"Evidence: {shown}{literal(entry.evidence.rule)}.\n")
        elif isinstance(entry, NotReproduced):
            parts.append("Not reproduced: no known rule gives these numbers.\n")
        parts += [table_fragment(table, caption)] if table.rows else []
        parts += [_violations(results, f"{entry.id}: {entry.title}")]
    return "\n".join(parts)


def _violations(results: Results, erratum: str) -> str:
    """List the findings of consistency checks that the erratum covers; empty if there are none."""
    if results.checks is None:
        return ""
    names, lines = _table_names(results), list[str]()
    for row in results.checks.filter(erratum=erratum).iter_rows(named=True):
        tables = ", ".join(names.get(table, f"Table {table}") for table in row["table"].split(", "))
        place = ", ".join(map(literal, (tables, row["row"], row["column"])))
        lines.append(f"- {place}: {literal(row['printed'])}. {literal(row['note'])}")
    return "\n".join([*lines, ""]) if lines else ""


def _erratum_row(tables: Mapping[str, Table], names: Mapping[str, str], printed: Mapping[str, Any]) -> Row:
    """Return a row for a printed number, under the labels of its table or, if it is in no table, under its key."""
    table = tables.get(printed["table"])
    row_label, column_label = printed["row"], printed["column"]
    if table is not None:
        row = next(row for row in table.rows if row.id == printed["row"])
        column = next(column for column in table.columns if column.id == printed["column"])
        row_label = ", ".join(part for part in (row.group, row.label) if part)
        column_label = ", ".join(part for part in (column.spanner, column.label) if part)
    shown = ("(none)" if text == "" else text for text in (printed["published"], printed["regenerated"]))
    return Row(
        id="/".join(printed[name] for name in ("table", "row", "column", "statistic")),
        label=names.get(printed["table"], printed["table"]),
        cells=(row_label, column_label, printed["statistic"], *shown),
    )


def listings(results: Results) -> str:
    """Return the tables of stimuli, or the reason for their absence; empty for a study that declares none."""
    study = results.loaded.study
    declared = {listing.id: listing for listing in study.listings}
    shown = [table for table in results.tables.tables if table.id in declared]
    if declared and not shown:
        titles = "\n".join(f"- Table {literal(name)}: {literal(one.title)}" for name, one in declared.items())
        editions = ", ".join(dict.fromkeys(one.edition for one in study.listings))
        where = f"the edition of the data that this report is made from ({literal(results.source.dump.edition)})"
        return f"These lists of stimuli are part of the {literal(editions)} data, not of {where}:\n\n{titles}\n"
    paper = "" if study.publication is None else "**Table {} of the paper.** "
    return "\n".join(table_fragment(table, paper.format(literal(table.id)) + literal(table.title)) for table in shown)


def conventions(results: Results) -> str:
    """List the conventions of the analyses by topic, as a Markdown list, with stars, rounding and changed settings."""
    study = results.loaded.study
    settings = [f"- {literal(setting)} (changed on the command line)" for setting in results.loaded.settings]
    by_topic: dict[str, dict[str, None]] = {}
    sizes = family_sizes(study, results.estimates)
    for name, analysis in study.analyses.items():
        own = by_topic.setdefault(analysis.account(study).topic, {})
        own[literal(convention(study, name, sizes=sizes))] = None
    lines: list[str] = []
    for topic, own in by_topic.items():
        several = "".join(f"\n    - {one}" for one in own) if len(own) > 1 else ""
        lines.append(f"- **{topic}:**{several or f' {next(iter(own))}'}")
    stars = [f"- **Stars:** {literal(sentence)}" for sentence in star_notes(study.style, study.tables)]
    rounding = f"- **Rounding:** {literal(study.style.rounding)}, on the number’s shortest decimal form"
    return "\n".join([*lines, *stars, rounding, *settings]) + "\n"


_ROUNDING = {
    "half-even": "rounded only for print, halves to the even digit",
    "half-up": "rounded only for print, halves away from zero",
    "truncate": "cut off only for print, not rounded",
}


def provenance(content: Mapping[str, Any], settings: Sequence[str] = ()) -> str:
    """List versions, inputs, seed and command-line settings; the manifest has them in full."""
    inputs = content["inputs"]
    files = [f"- `{name}`: SHA-256 `{digest}`" for name, digest in list(inputs.items())[:3]]
    if more := len(inputs) - len(files):
        files.append(f"- and {more} more {'file' if more == 1 else 'files'}, listed in `manifest.json`")
    references = [f"- `{name}`: SHA-256 `{digest}`" for name, digest in content["references"].items()]
    versions = ", ".join(f"{literal(name)} {literal(number)}" for name, number in content["versions"].items())
    edition = f" Edition of the data: {literal(content['edition'])}." if content["edition"] != "data" else ""
    made_from = f"Study file: SHA-256 `{content['study_file_sha256']}`.{edition} Seed: {content['seed']}.\n"
    heading = ["\nReference distributions:\n"] if references else []
    rounded = f"Numbers are {_ROUNDING[content['conventions']['style']['rounding']]}.\n"
    changed = f"Changed on the command line: {', '.join(map(literal, settings))}.\n" if settings else ""
    parts = [made_from, rounded, changed, "Data:\n", *files, *heading, *references, f"\nVersions: {versions}.\n"]
    return "\n".join(part for part in parts if part)

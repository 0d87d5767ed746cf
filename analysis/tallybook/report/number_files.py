"""The numerical results of a study as frames and files: responses, tallies, estimates, tables, comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core import issue_log
from tallybook.core.output import csv_text, harmless, write_text, write_texts
from tallybook_schemas.columns import TableCells

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.pipeline import Results

_ROW_GROUP = 2**17
"""The number of rows in a row group of responses.parquet, whatever the size of the parts in memory."""


def write_numbers(results: Results, folder: Path) -> None:
    """Write every number of the results: tallies, estimates, table cells, comparison, and responses if kept."""
    if results.source.kept is not None:
        results.source.rows.sink_parquet(folder / "responses.parquet", row_group_size=_ROW_GROUP)
    (folder / "tallies").mkdir()
    for name in results.loaded.study.outcomes:
        results.tally.filter(outcome=name).write_parquet(folder / "tallies" / f"{name}.parquet")
    estimates = results.estimates
    if not estimates.get_column("clusters").count():  # a study without clusters has no values in it
        estimates = estimates.drop("clusters")
    estimates.write_parquet(folder / "estimates.parquet")
    write_text(folder / "estimates.csv", csv_text(estimates))
    write_text(folder / "tables.csv", csv_text(table_cells(results)))
    if results.comparison is not None:
        write_text(folder / "comparison.csv", csv_text(results.comparison))
    if results.checks is not None:
        write_text(folder / "checks.csv", csv_text(results.checks))
    if results.source.findings:
        parts = enumerate(results.source.findings.tables())
        texts = (harmless(part).write_csv(include_header=not number) for number, part in parts)
        write_texts(folder / issue_log.FILE, texts)
    if results.agreement is not None:
        write_text(folder / "hand_codes.csv", csv_text(results.agreement))
    if results.source.uncoded.height:
        write_text(folder / "uncoded.csv", csv_text(results.source.uncoded))
    write_text(folder / "tables_index.csv", csv_text(tables_index(results)))


def table_cells(results: Results) -> pl.DataFrame:
    """Return every printed number of the results.

    `table`, `row`, `column`, `statistic`, `value` (unrounded) and `text` (as printed), as in tables.csv.
    """
    return results.tables.cells.select(list(TableCells.columns))


def tables_index(results: Results) -> pl.DataFrame:
    """Return the identifier, title and heading of each table of the results."""
    titles = [(table.id, table.title, table.stub) for table in results.tables.tables]
    return pl.DataFrame(titles, schema={"table": pl.String, "title": pl.String, "heading": pl.String}, orient="row")

"""The audit of files and frames: what Python calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.published.audit.auditing import FINDINGS, audit_passages, audit_tables
from tallybook.published.audit.roles import ROLES
from tallybook.published.audit.settings import Row, Settings, Table, Values
from tallybook.published.audit_files.reading import read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def audit(
    tables: str | Path | pl.DataFrame | Sequence[str | Path | pl.DataFrame],
    *,
    roles: Mapping[str, str] | None = None,
    values: Values | None = None,
    items: int = 1,
    scale: tuple[int, int] | None = None,
    truncated: bool = False,
    level: float = 0.95,
    one_sided: bool = False,
) -> pl.DataFrame:
    """Check printed tables without the responses behind them.

    Numbers are taken as known up to their rounding, in exact arithmetic; a finding is `impossible` only if no numbers
    that are printed so agree.

    Args:
        tables: A file (CSV, TSV, Markdown, LaTeX, HTML, Word), a frame of printed texts, or several.
        roles: What columns hold, column -> role, where headers do not say it; `tallybook audit --help` has the roles.
        values: What one response's value is: `whole`, `binary` or `continuous`. By default whole numbers, and zeros and
            ones where most means and deviations of a table fit these.
        items: How many items each response's value is the mean of.
        scale: The smallest and the largest possible value.
        truncated: Whether numbers were cut off after their last digit, not rounded.
        level: The level of confidence of intervals.
        one_sided: Whether p values may be one-sided.

    Returns:
        One row a check that was made: `file`, `table`, `place`, `row`, `column`, `check`, `severity` (empty where the
        numbers agree, else `impossible`, `unlikely` or `rounding`), `printed`, `expected` and `note`.

    Raises:
        UsageError: If a role does not exist, or a file is of another format.
        DataError: If a file cannot be read.
    """
    if unknown := sorted({*(roles or {}).values()} - ROLES.keys()):
        raise UsageError(f"roles: {unknown[0]!r}: expected one of {', '.join(ROLES)}")
    settings = Settings(values, items, scale, truncated, level, one_sided)
    given = [tables] if isinstance(tables, str | Path | pl.DataFrame) else list(tables)
    found = [pl.DataFrame(schema=FINDINGS)]
    for place, one in enumerate(given, start=1):
        if isinstance(one, pl.DataFrame):
            found.append(audit_tables([_table(one, place)], settings, roles or {}))
        else:
            document = read(Path(one))
            found += [
                audit_tables(document.tables, settings, roles or {}),
                audit_passages(document.passages, str(one), settings),
            ]
    return pl.concat(found)


def _table(frame: pl.DataFrame, number: int) -> Table:
    texts = frame.cast(pl.String).fill_null("")
    rows = [Row(f"row {place}", list(cells)) for place, cells in enumerate(texts.iter_rows(), start=1)]
    return Table("", f"table {number}", [[name] for name in frame.columns], rows)

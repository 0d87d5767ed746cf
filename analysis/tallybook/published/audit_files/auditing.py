"""The audit of files and frames, for Python and for the command `tallybook audit`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.output import csv_text, whole_file
from tallybook.core.untrusted import printable
from tallybook.published.audit.auditing import CHECKS, FINDINGS, audit_passages, audit_tables
from tallybook.published.audit.records import merged, roles_of
from tallybook.published.audit.roles import ROLES, declared
from tallybook.published.audit.settings import SEVERITIES, Row, Settings, Table, Values
from tallybook.published.audit_files.reading import Document, read
from tallybook.validation.writing import Ended

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

    Numbers are treated as known up to their rounding, in exact arithmetic; a finding is `impossible` only if no numbers
    that round to the printed ones are consistent.

    Args:
        tables: A file (CSV, TSV, Markdown, LaTeX, HTML, Word), a frame of printed texts, or several.
        roles: The content of columns, column -> role, if headers do not name it; see `tallybook audit --help`.
        values: The values of single responses: `whole`, `binary` or `continuous`. By default whole numbers, zeros and
            ones where most means and deviations of a table fit these.
        items: How many items each response's value is the mean of.
        scale: The smallest and the largest possible value.
        truncated: Whether numbers were truncated, not rounded.
        level: The confidence level of intervals.
        one_sided: Whether p-values may be one-sided.

    Returns:
        One row per check made: `file`, `table`, `place`, `row`, `column`, `check`, `severity` (empty if the numbers are
        consistent, else `impossible`, `unlikely` or `rounding`), `printed`, `expected` and `note`.

    Raises:
        UsageError: If a role does not exist, or a file's format is not supported.
        DataError: If a file cannot be read.
    """
    if unknown := sorted({*(roles or {}).values()} - ROLES.keys()):
        raise UsageError(f"roles: {unknown[0]!r}: expected one of {', '.join(ROLES)}")
    if scale is not None and scale[0] >= scale[1]:
        raise UsageError(f"scale: {scale}: expected two whole numbers, the smaller first")
    given = [tables] if isinstance(tables, str | Path | pl.DataFrame) else list(tables)
    documents = [
        (f"table {place}", Document([_table(one, place)], []))
        if isinstance(one, pl.DataFrame)
        else (str(one), read(Path(one)))
        for place, one in enumerate(given, start=1)
    ]
    return audited(documents, Settings(values, items, scale, truncated, level, one_sided), roles or {})[0]


def audited(
    documents: Sequence[tuple[str, Document]], settings: Settings, roles: Mapping[str, str]
) -> tuple[pl.DataFrame, list[str]]:
    """Check documents; return the results, and the reasons why tables or documents could not be checked."""
    found = [pl.DataFrame(schema=FINDINGS)]
    silent: list[str] = []
    for name, document in documents:
        checked = [audit_tables([table], settings, roles) for table in document.tables]
        silent += [
            _unchecked(table, roles) for table, one in zip(document.tables, checked, strict=True) if not one.height
        ]
        told = audit_passages(document.passages, name, settings)
        silent += [] if document.tables or told.height else [f"{name}: no table and no reported test"]
        found += [*checked, told]
    return pl.concat(found), silent


def _table(frame: pl.DataFrame, number: int) -> Table:
    texts = frame.cast(pl.String).fill_null("")
    rows = [Row(f"row {place}", list(cells)) for place, cells in enumerate(texts.iter_rows(), start=1)]
    return Table("", f"table {number}", [[name] for name in frame.columns], rows)


def _unchecked(table: Table, named: Mapping[str, str]) -> str:
    found = zip(table.headers, roles_of(merged(table), named), strict=True)
    unknown = [text for header, roles in found if not roles and (text := " ".join(header))]
    headers = ", ".join(repr(printable(header, 30)) for header in unknown[:12])
    reason = (
        f"nothing says what {headers} hold (--set mean='COLUMN')" if headers else "no two of its numbers are related"
    )
    return f"{table.file}, {table.name}: {reason}"


_SUFFIXES = (".csv", ".parquet", ".json")
SHOWN = 20
"""The maximum number of findings of one severity that are printed; output files contain all."""


def run(
    files: Sequence[Path],
    *,
    settings: Settings,
    roles: list[str],
    fail_on: str,
    outputs: Sequence[Path],
    as_json: bool,
    quiet: bool,
) -> Ended:
    """Run `tallybook audit`: write every check to the output files, and return the findings in words or as JSON."""
    if fail_on not in SEVERITIES:
        raise UsageError(f"--fail-on {fail_on}: expected {', '.join(SEVERITIES)}")
    named = declared(roles)
    for output in outputs:
        if output.suffix not in _SUFFIXES:
            raise UsageError(f"-o {output}: no format {output.suffix!r}; there are {', '.join(_SUFFIXES)}")
    documents = [(str(file), read(file)) for file in files]
    headers = {
        name
        for _, document in documents
        for table in document.tables
        for header in table.headers
        for name in (*header, " ".join(header))
    }
    if unknown := [column for column in named if column not in headers]:
        raise UsageError(
            f"--set: no column {', '.join(map(repr, unknown))}; there are {', '.join(sorted(headers)[:30])}"
        )
    checks, silent = audited(documents, settings, named)
    for output in outputs:
        with whole_file(output) as path:
            if output.suffix == ".parquet":
                checks.write_parquet(path)
            else:
                text = csv_text(checks) if output.suffix == ".csv" else f"{_json(checks)}\n"
                path.write_text(text, encoding="utf-8")
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    code = int(checks.get_column("severity").is_in(failing).any())
    if as_json:
        return Ended(_json(checks.filter(pl.col("severity") != "")), code)
    return Ended("" if quiet else _text(checks, silent), code)


def _json(checks: pl.DataFrame) -> str:
    return json.dumps(checks.to_dicts(), indent=2, ensure_ascii=False)


def _text(checks: pl.DataFrame, silent: Sequence[str]) -> str:
    lines: list[str] = []
    for severity in SEVERITIES:
        found = checks.filter(pl.col("severity") == severity)
        for row in found.head(SHOWN).iter_rows(named=True):
            place = ", ".join(part for part in (row["place"], printable(row["row"], 60)) if part)
            where = ": ".join(part for part in (row["file"], place) if part)
            lines.append(f"{severity}: {where}")
            lines.append(f"    {printable(row['note'], 300)}")
            lines.append(f"    {row['check']}; printed {printable(row['printed'], 120)}; expected {row['expected']}")
        if found.height > SHOWN:
            lines.append(f"... and {found.height - SHOWN} more that are {severity} (-o findings.csv has all)")
    if lines:
        lines.append("")
    made = Counter(checks.get_column("check").to_list())
    wrong = Counter(checks.filter(pl.col("severity") != "").get_column("check").to_list())
    width = max((len(name) for name in made), default=0)
    lines += [
        f"{name:<{width}}  {made[name]:>6} checked, {wrong[name] or 'none'} inconsistent  ({CHECKS[name]})"
        for name in CHECKS
        if name in made
    ]
    lines += [f"not checked: {reason}" for reason in silent]
    counts = Counter(checks.get_column("severity").to_list())
    found = ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])
    lines.append(f"{checks.height} checks: {found or 'nothing inconsistent'}")
    return "\n".join(lines)

"""`tallybook audit`: what it prints and writes."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.output import csv_text, whole_file
from tallybook.core.untrusted import printable
from tallybook.published.audit.auditing import CHECKS, audit_passages, audit_tables
from tallybook.published.audit.records import merged, roles_of
from tallybook.published.audit.roles import declared
from tallybook.published.audit.settings import SEVERITIES, Settings
from tallybook.published.audit_files.reading import read
from tallybook.validation.writing import Ended

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tallybook.published.audit.settings import Table

SHOWN = 20
"""Findings of one severity that are printed; files have all."""


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
    """Audit files and say what was found."""
    if fail_on not in SEVERITIES:
        raise UsageError(f"--fail-on {fail_on}: expected {', '.join(SEVERITIES)}")
    named = declared(roles)
    for output in outputs:
        if output.suffix not in _WRITERS:
            raise UsageError(f"-o {output}: no format {output.suffix!r}; there are {', '.join(_WRITERS)}")
    documents = [(file, read(file)) for file in files]
    _refuse_unused(named, [table for _, document in documents for table in document.tables])
    found: list[pl.DataFrame] = []
    silent: list[str] = []
    for file, document in documents:
        for table in document.tables:
            checked = audit_tables([table], settings, named)
            found.append(checked)
            if checked.is_empty():
                silent.append(_unchecked(table, named))
        found.append(audit_passages(document.passages, str(file), settings))
        if not document.tables and not any(frame.height for frame in found):
            silent.append(f"{file}: no table and no reported test")
    checks = pl.concat(found)
    for output in outputs:
        with whole_file(output) as path:
            _WRITERS[output.suffix](checks, path)
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    code = int(checks.get_column("severity").is_in(failing).any())
    if as_json:
        return Ended(json.dumps(checks.filter(pl.col("severity") != "").to_dicts(), indent=2, ensure_ascii=False), code)
    return Ended("" if quiet else _text(checks, silent), code)


def _refuse_unused(named: dict[str, str], tables: Sequence[Table]) -> None:
    headers = {name for table in tables for header in table.headers for name in (*header, " ".join(header))}
    if unknown := [column for column in named if column not in headers]:
        raise UsageError(
            f"--set: no column {', '.join(map(repr, unknown))}; there are {', '.join(sorted(headers)[:30])}"
        )


def _unchecked(table: Table, named: dict[str, str]) -> str:
    found = zip(table.headers, roles_of(merged(table), named), strict=True)
    unknown = [text for header, roles in found if not roles and (text := " ".join(header))]
    headers = ", ".join(repr(printable(header, 30)) for header in unknown[:12])
    reason = (
        f"nothing says what {headers} hold (--set mean='COLUMN')" if headers else "no two of its numbers are related"
    )
    return f"{table.file}, {table.name}: {reason}"


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


def _write_json(checks: pl.DataFrame, path: Path) -> None:
    path.write_text(json.dumps(checks.to_dicts(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_csv(checks: pl.DataFrame, path: Path) -> None:
    path.write_text(csv_text(checks), encoding="utf-8")


def _write_parquet(checks: pl.DataFrame, path: Path) -> None:
    checks.write_parquet(path)


_WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".json": _write_json,
}

"""`tallybook audit`: what it prints and writes."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.output import csv_text, whole_file
from tallybook.core.untrusted import printable
from tallybook.published.audit.auditing import CHECKS
from tallybook.published.audit.roles import declared
from tallybook.published.audit.settings import SEVERITIES, Settings
from tallybook.published.audit_files.auditing import audited
from tallybook.published.audit_files.reading import read
from tallybook.validation.writing import Ended

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_SUFFIXES = (".csv", ".parquet", ".json")
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
            match output.suffix:
                case ".csv":
                    path.write_text(csv_text(checks), encoding="utf-8")
                case ".json":
                    path.write_text(
                        json.dumps(checks.to_dicts(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
                    )
                case _:
                    checks.write_parquet(path)
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    code = int(checks.get_column("severity").is_in(failing).any())
    if as_json:
        return Ended(json.dumps(checks.filter(pl.col("severity") != "").to_dicts(), indent=2, ensure_ascii=False), code)
    return Ended("" if quiet else _text(checks, silent), code)


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

"""Findings, the faults of the data that a study declares as known: as a table, and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.untrusted import escaped, printable
from tallybook.core.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.core.issue_log import Findings

FILE = "findings.csv"
"""The file of an output folder that lists findings."""

_COLUMNS = ("file", "key", "column", "value", "expected")
_KIND = ("file", "column", "expected")
"""The columns in which findings are equal that are reported together."""


def tables(findings: Findings) -> Iterator[pl.DataFrame]:
    """Yield frames of findings, `file`, `key`, `column`, `value`, `expected`; at least one."""
    yield pl.DataFrame(schema=dict.fromkeys(_COLUMNS, pl.String))
    yield from (part.select(_COLUMNS) for part in findings.parts())


def table(findings: Findings) -> pl.DataFrame:
    """Make a frame of findings: `file`, `key`, `column`, `value`, `expected`."""
    return pl.concat(tables(findings))


def grouped(findings: Findings, examples: int = 3) -> list[dict[str, Any]]:
    """Group findings of the same file, column and expectation, with their `count` and the `first` ones."""
    first = pl.struct("key", "value").head(examples).alias("first")
    kinds = [
        part.group_by(_KIND, maintain_order=True).agg(pl.len().cast(pl.Int64).alias("count"), first)
        for part in tables(findings)
    ]
    whole = pl.concat(kinds).group_by(_KIND, maintain_order=True)
    return whole.agg(pl.col("count").sum(), pl.col("first").explode().head(examples)).to_dicts()


def warnings(kinds: Sequence[dict[str, Any]], most: int = 20) -> list[str]:
    """Describe groups of findings, one a line."""
    lines = [f"warning: {_in_words(kind)}" for kind in kinds[:most]]
    if len(kinds) > most:
        lines.append(f"... and {len(kinds) - most:,} more kinds of findings")
    if kinds:
        number = counted(sum(kind["count"] for kind in kinds), "finding")
        lines.append(f"{number} in all, allowed by the study file; `tallybook run` lists each in {FILE}")
    return lines


def _in_words(kind: dict[str, Any]) -> str:
    column = f"column {printable(kind['column'])}" if kind["column"] else ""
    parts = (printable(kind["file"], limit=200), column, f"expected {escaped(kind['expected'])}")
    line = ": ".join(part for part in parts if part)
    named = [_example(example) for example in kind["first"] if example["key"]]
    if not named:
        return line
    rest = kind["count"] - len(named)
    named += [f"and {rest:,} more"] if rest else []
    return f"{line} ({counted(kind['count'], 'row')}: {'; '.join(named)})"


def _example(example: dict[str, str]) -> str:
    key, value = printable(example["key"]), printable(example["value"], limit=40)
    return f"{key} found {value}" if value else key

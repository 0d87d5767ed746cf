"""The log of problems that do not stop a run, in temporary files if there are many, and its tables and warnings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self, cast

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.spill_buffer import RowStore
from tallybook.core.untrusted import escaped, printable
from tallybook.core.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MOST = 2**16
"""The number of problems of one kind that are kept in memory."""

_WARNINGS = 20
"""The number of kinds of findings that are printed as warnings."""
_SHARE = 4
"""The weight of a problem's bytes in the memory limit, relative to those of responses."""

FILE = "findings.csv"
"""The name of the file in an output folder that lists findings."""
_COLUMNS = ("file", "key", "column", "value", "expected")
_KIND = ("file", "column", "expected")
"""The columns by which problems are grouped in reports."""

_SCHEMA = dict.fromkeys((field.name for field in fields(Problem) if field.name != "count"), pl.String)


def as_frame(problems: Iterable[Problem] | pl.DataFrame) -> pl.DataFrame:
    """Convert problems to a data frame; unpaired surrogates are escaped."""
    if isinstance(problems, pl.DataFrame):
        return problems.select(list(_SCHEMA))
    every = list(problems)
    return pl.DataFrame([_texts(name, [getattr(one, name) for one in every]) for name in _SCHEMA])


def _texts(name: str, texts: list[str]) -> pl.Series:
    try:
        return pl.Series(name, texts, dtype=pl.String)
    except UnicodeEncodeError:
        return pl.Series(name, [text.encode(errors="backslashreplace").decode() for text in texts], dtype=pl.String)


def extend(kept: list[Problem], more: Sequence[Problem]) -> None:
    """Add problems that stop a run to `kept`; beyond `MOST`, only the count of the last one kept is increased.

    >>> kept = [Problem("a.csv", f"row {number}", "age", "", "a value") for number in range(MOST)]
    >>> extend(kept, [Problem("a.csv", "row x", "age", "", "a value", count=2)])
    >>> len(kept) - MOST, kept[-1].count
    (0, 3)
    """
    room = max(0, MOST - len(kept))
    kept += more[:room]
    if rest := sum(one.count for one in more[room:]):
        kept[-1] = replace(kept[-1], count=kept[-1].count + rest)
        kept += [replace(one, count=0) for one in more[room:] if one.is_unreadable]


class Findings:
    """A sequence of problems that do not stop a run, in temporary files if there are many.

    >>> findings = Findings([Problem("a.csv", "row 2", "age", "", "a value")])
    >>> findings.extend(findings)
    >>> len(findings), findings == [Problem("a.csv", "row 2", "age", "", "a value")] * 2
    (2, True)
    """

    def __init__(
        self,
        problems: Iterable[Problem] | pl.DataFrame | Self = (),
        scratch: Path | None = None,
        *,
        beside: RowStore | None = None,
    ) -> None:
        """Initialise with some problems; with `beside`, temporary files go into the folder of that store."""
        self._store = RowStore(scratch, share=_SHARE, beside=beside)
        self._number = 0
        self.extend(problems)

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Problem]:
        return (Problem(*row) for part in self.parts() for row in part.iter_rows())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Iterable) and list(self) == list(cast("Iterable[object]", other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]  it is mutable

    def extend(self, problems: Iterable[Problem] | pl.DataFrame | Self) -> None:
        """Add problems from an iterable, a frame or other findings."""
        for part in problems.parts() if isinstance(problems, Findings) else [as_frame(problems)]:
            self._number += self._store.add(part).height if part.height else 0

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield all problems in their order, as frames."""
        return self._store.parts()

    def tables(self) -> Iterator[pl.DataFrame]:
        """Yield all problems as frames with `file`, `key`, `column`, `value` and `expected`; the first one is empty."""
        yield pl.DataFrame(schema=dict.fromkeys(_COLUMNS, pl.String))
        yield from (part.select(_COLUMNS) for part in self.parts())

    def grouped(self, examples: int = 3) -> list[dict[str, Any]]:
        """Group problems by file, column and expected value, with their `count` and the `first` few as examples."""
        first = pl.struct("key", "value").head(examples).alias("first")
        kinds = [
            part.group_by(_KIND, maintain_order=True).agg(pl.len().cast(pl.Int64).alias("count"), first)
            for part in self.tables()
        ]
        whole = pl.concat(kinds).group_by(_KIND, maintain_order=True)
        return whole.agg(pl.col("count").sum(), pl.col("first").explode().head(examples)).to_dicts()

    def close(self) -> None:
        """Remove the temporary files."""
        self._store.close()


class IssueLog(Findings):
    """Problems logged one after the other; equal ones in one addition, or of a whole file, are stored once.

    >>> issues = IssueLog()
    >>> issues.add([Problem("a.csv", "row 2", "age", "odl", "one of old, young")])
    >>> issues.records().rows()
    [('a.csv', 'row 2')]
    """

    def __init__(self, scratch: Path | None = None) -> None:
        """Initialise an empty log."""
        super().__init__(scratch=scratch)
        self._of_files = pl.DataFrame(schema=_SCHEMA)

    def add(self, problems: Iterable[Problem] | pl.DataFrame) -> None:
        """Add problems, or a frame of them, without duplicates and without known ones of whole files."""
        frame = as_frame(problems).unique(maintain_order=True)
        frame = frame.join(self._of_files, on=list(_SCHEMA), how="anti", maintain_order="left")
        self._of_files = pl.concat([self._of_files, frame.filter(key="")])
        self.extend(frame)

    def records(self) -> pl.DataFrame:
        """Return `file` and `key` of all records with problems so far, without duplicates."""
        empty = pl.DataFrame(schema={"file": pl.String, "key": pl.String})
        return pl.concat(
            [empty, *(part.select("file", "key").filter(pl.col("key") != "") for part in self.parts())]
        ).unique()


def without_records(rows: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """Return the rows without those that belong to some records."""
    return rows.join(records, on=["file", "key"], how="anti", maintain_order="left") if records.height else rows


def warnings(kinds: Sequence[dict[str, Any]]) -> list[str]:
    """Format groups of findings as warnings, one a line."""
    lines = [f"warning: {_in_words(kind)}" for kind in kinds[:_WARNINGS]]
    if len(kinds) > _WARNINGS:
        lines.append(f"... and {len(kinds) - _WARNINGS:,} more kinds of findings")
    if kinds:
        number = counted(sum(kind["count"] for kind in kinds), "finding")
        lines.append(f"{number} in all, allowed by the study file: {FILE} of `tallybook run` lists each")
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

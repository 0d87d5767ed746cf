"""The results of validation: checks, their failures with places, and groups of equal failures."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import polars as pl

from tallybook.core.errors import READABLE, Problem
from tallybook.core.issue_log import as_frame
from tallybook.core.spill_buffer import RowStore
from tallybook.validation.safe import VALUE, safe, safe_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tallybook.study.check_base import Severity

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The severities, most severe first."""
FailOn = Literal["error", "warning"]
"""The lowest severity that makes data invalid."""
_TEXT_FILES = r"(?i)\.(csv|tsv|tab|psv|txt)(\.[a-z]+)?$"
"""The files in which a row's number is its line number, unless its key gives a line."""
FIRST = 3
"""The maximum number of places listed for a group."""
_AT_ONCE = 2**16
"""The number of new groups that may accumulate before they are merged."""
_SAME = ["check", "severity", "file", "column", "value", "expectation"]
_FIRST, _PLACE = pl.struct("line", "key").head(FIRST).alias("first"), "_place"


def graver(fail_on: FailOn) -> tuple[Severity, ...]:
    """Return the severities that make data invalid.

    >>> graver("warning")
    ('error', 'warning')
    """
    return SEVERITIES[: SEVERITIES.index(fail_on) + 1]


class Failure(NamedTuple):
    """One fault in the data: its place, the value found and the expectation."""

    check: str  # the check that failed
    severity: Severity
    # the file, as on the command line or relative to the data folder; empty if the failure belongs to no file
    file: str = ""
    line: int | None = None  # the physical line in a text file, from 1; None where there is none or it is not known
    key: str = ""  # the record's key or number; empty if the file or the data as a whole are at fault
    column: str = ""  # the column; empty if the record as a whole is at fault
    value: str = ""  # the value found, shortened and escaped
    expectation: str = ""  # the expected content
    times: int = 1  # the number of responses that it stands for


SCHEMA: dict[str, Any] = dict.fromkeys(Failure._fields, pl.String) | {"line": pl.Int64, "times": pl.Int64}
"""The columns of failures as a frame."""


def line(file: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Return an expression for the physical line of a record.

    >>> keys = pl.DataFrame({"file": ["a.csv", "a.csv", "a.parquet"], "key": ["row 2", "row 3, line 7", "row 2"]})
    >>> keys.select(line(pl.col("file"), pl.col("key"))).to_series().to_list()
    [2, 7, None]
    """
    named = key.str.extract(r"^(?:row \d+, )?line (\d+)")
    row = pl.when(file.str.contains(_TEXT_FILES)).then(key.str.extract(r"^row (\d+)$"))
    return pl.coalesce(named, row).cast(pl.Int64, strict=False).alias("line")


_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


def failures_at(
    rows: _Rows,
    check: str | pl.Expr,
    severity: Severity,
    *,
    column: str | pl.Expr,
    value: pl.Expr,
    expectation: str | pl.Expr,
) -> _Rows:
    """Return a failure for each row, with its place from the columns `file` and `key`."""
    parts = {"check": check, "column": column, "expectation": expectation}
    named = {name: pl.lit(one) if isinstance(one, str) else one for name, one in parts.items()}
    return rows.select(
        pl.col("file", "key").fill_null(""),
        line(pl.col("file"), pl.col("key")),
        severity=pl.lit(severity),
        value=value.cast(pl.String).fill_null(""),
        times=pl.lit(1, dtype=pl.Int64),
        **named,
    ).select(list(SCHEMA))


def of_problems(problems: Iterable[Problem] | pl.DataFrame, severity: Severity) -> pl.DataFrame:
    """Convert problems of reading and coding to failures; a problem without a check is assigned one by its place."""
    has_key, has_column = pl.col("key") != "", pl.col("column") != ""
    of_column = pl.when(has_key).then(pl.lit("values")).otherwise(pl.lit("columns"))
    of_record = pl.when(has_key).then(pl.lit("records")).otherwise(pl.lit("files"))
    by_place = pl.when(has_column).then(of_column).otherwise(of_record)
    check = pl.when(pl.col("check") == "").then(by_place).otherwise("check")
    value, expected = pl.col("value"), pl.col("expected")
    frame = as_frame(problems)
    return failures_at(frame, check, severity, column=pl.col("column"), value=value, expectation=expected)


@dataclass(frozen=True)
class Check:
    """One check that was made."""

    name: str
    description: str  # a sentence that describes the check
    severity: Severity = "error"  # the severity of its failures, unless a failure has its own
    # the number of its failures by severity
    counts: dict[Severity, int] = field(default_factory=dict["Severity", int])

    @property
    def worst(self) -> Severity | None:
        """The highest severity of its failures; None if it passed."""
        return next((severity for severity in SEVERITIES if self.counts.get(severity)), None)

    def failed(self, fail_on: FailOn) -> str:
        """Describe the failures that make data invalid; empty if there are none."""
        number = sum(self.counts.get(severity, 0) for severity in graver(fail_on))
        return f"{self.description} {number:,} failed." if number else ""


class Failures:
    """All failures of a validation; large numbers are kept in temporary files."""

    def __init__(self, scratch: Path | None = None) -> None:
        """Initialise an empty collection."""
        self._store = RowStore(scratch, share=4)
        self._store.add(pl.DataFrame(schema=SCHEMA))
        self._counts: dict[str, dict[Severity, int]] = {}
        self.has_unreadable = False
        """Whether some file exists but cannot be opened."""

    def add(self, failures: Iterable[Failure] | pl.DataFrame) -> None:
        """Add failures, or a frame of failures; texts are shortened and escaped."""
        frame = failures.select(list(SCHEMA)) if isinstance(failures, pl.DataFrame) else frame_of(failures)
        if frame.height:
            self._store.add(safe_columns(frame, {"column": VALUE, "value": VALUE, "expectation": 400}))
        refused = frame.filter(pl.col("severity") == "error", pl.col("expectation") == READABLE)
        places = refused.select("file", "key", "column", "value", "expectation").iter_rows()
        self.has_unreadable |= any(Problem(*place).is_unreadable for place in places)
        for check, severity, number in frame.group_by("check", "severity").agg(pl.len()).iter_rows():
            of_check = self._counts.setdefault(check, {})
            of_check[severity] = of_check.get(severity, 0) + number

    def scan(self) -> pl.LazyFrame:
        """Return the failures in the order in which they were found; `file` and `key` are unchanged."""
        return self._store.scan()

    def tables(self) -> Iterator[pl.DataFrame]:
        """Yield all failures in parts, the most severe first and safe to show: there may be millions."""
        for severity in SEVERITIES:
            if any(severity in of_check for of_check in self._counts.values()):
                for part in self._store.parts():
                    found = part.filter(pl.col("severity") == severity)
                    if found.height:
                        yield safe_columns(found, {"file": 200, "key": VALUE})

    def table(self) -> pl.DataFrame:
        """Return all failures, the most severe first, safe to show."""
        return pl.concat([pl.DataFrame(schema=SCHEMA), *self.tables()])

    def counts(self) -> dict[str, dict[Severity, int]]:
        """Return the number of failures by check and severity."""
        return {check: dict(sorted(of_check.items())) for check, of_check in sorted(self._counts.items())}

    def groups(self, most: int | None = None) -> list[Group]:
        """Group failures that differ only in their place."""
        return grouped(self._store.parts(), most)

    def close(self) -> None:
        """Remove temporary files."""
        self._store.close()


def frame_of(failures: Iterable[Failure]) -> pl.DataFrame:
    r"""Return a frame of failures, with lone surrogates escaped.

    >>> frame_of([Failure("values", "error", "a.jsonl", 1, "line 1", "text", "\ud83d", "text")]).item(0, "value")
    '\\ud83d'
    """
    rows = [
        [cell.encode(errors="backslashreplace").decode() if isinstance(cell, str) else cell for cell in row]
        for row in failures
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


class Group(NamedTuple):
    """Failures that differ only in their place."""

    check: str  # the check that failed
    severity: Severity
    file: str
    column: str
    value: str  # the value found
    expectation: str  # the expected content
    times: int  # the number of failures
    first: tuple[tuple[int | None, str], ...]  # line and key of the first few failures

    @property
    def place(self) -> str:
        """The file, with the line of the first failure where it is known."""
        number, _ = self.first[0]
        return f"{self.file}:{number}" if number and self.file else self.file


def grouped(parts: Iterable[pl.DataFrame], most: int | None = None) -> list[Group]:
    """Group failures that differ only in their place, part by part, so that few are in memory at a time."""
    kept: list[pl.DataFrame] = []
    above, checks = 0, dict[str, int]()
    for part in parts:
        places = pl.int_range(above, above + pl.len(), dtype=pl.Int64).alias(_PLACE)
        same = part.with_columns(places).group_by(_SAME, maintain_order=True)
        found = same.agg(pl.len().cast(pl.Int64).alias("times"), _FIRST, pl.col(_PLACE).first())
        above += part.height
        for check, place in found.group_by("check").agg(pl.col(_PLACE).min()).sort(_PLACE).iter_rows():
            checks.setdefault(check, place)
        kept.append(found)
        if sum(frame.height for frame in kept[1:]) > max(_AT_ONCE, kept[0].height):
            kept = [_merged(kept, most)]
    if not kept:
        return []
    rank = pl.col("severity").replace_strict({name: place for place, name in enumerate(SEVERITIES)})
    order = pl.col("check").replace_strict(checks, default=None, return_dtype=pl.Int64)
    ordered = _merged(kept, most).sort(order, rank, _PLACE)
    if most is not None:
        ordered = ordered.filter(pl.int_range(pl.len()).over("check") < most)
    return [_group(row) for row in ordered.drop(_PLACE).iter_rows(named=True)]


def _merged(parts: list[pl.DataFrame], most: int | None) -> pl.DataFrame:
    """Merge groups in the order of their first failures; keep at most `most` of each check and severity."""
    same = pl.concat(parts).group_by(_SAME, maintain_order=True)
    merged = same.agg(pl.col("times").sum(), pl.col("first").explode().head(FIRST), pl.col(_PLACE).first())
    # A group that is dropped here has enough groups before it, and so do all later ones.
    return merged if most is None else merged.filter(pl.int_range(pl.len()).over("check", "severity") < most)


def _group(row: dict[str, Any]) -> Group:
    row["file"] = safe(row["file"], 200)
    row["first"] = tuple((place["line"], safe(place["key"])) for place in row["first"])
    return Group(**row)


@dataclass(frozen=True)
class Report:
    """The result of a validation."""

    title: str  # what was validated: the study's or schema's name
    checks: Sequence[Check]  # the checks that were made, with their counts
    failures: Failures  # all failures
    files: Sequence[str]  # the files that were read
    rows: int  # the number of records or responses read
    fail_on: FailOn = "error"  # the lowest severity that makes the data invalid
    details: dict[str, Any] = field(default_factory=dict[str, Any])  # further details for machines, by name
    summary: str = ""  # a description of the data for people
    notes: Sequence[str] = ()  # lines printed below it, including those on failures of `labels`
    # the folder that the file names are relative to; None if they are as on the command line
    folder: Path | None = None
    words: tuple[str, str] = ("valid", "invalid")  # the words for success and for failure

    def count(self, severity: Severity) -> int:
        """Return the number of failures of a severity."""
        return sum(check.counts.get(severity, 0) for check in self.checks)

    def path(self, file: str) -> str:
        """Return the path of a file for other tools: relative to the working folder or the workspace, with slashes."""
        whole = os.path.abspath(file if self.folder is None else self.folder / file)  # noqa: PTH100  keeps links
        near = os.path.relpath(whole, os.environ.get("GITHUB_WORKSPACE") or None)
        return Path(whole if near.startswith("..") else near).as_posix()

    @property
    def is_valid(self) -> bool:
        """Whether there is no failure severe enough to make the data invalid."""
        return not any(self.count(severity) for severity in graver(self.fail_on))

    @property
    def exit_code(self) -> int:
        """The exit code of the command; 2 if a file could not be opened, since its rows were not checked."""
        return 2 if self.failures.has_unreadable else int(not self.is_valid)


def counted(checks: Iterable[Check], failures: Failures) -> list[Check]:
    """Add to each check the number of its failures."""
    counts = failures.counts()
    known = {check.name: check for check in checks}
    for name in counts:
        known.setdefault(name, Check(name, "What the data break."))
    return [replace(one, counts=counts.get(one.name, {})) for one in known.values()]

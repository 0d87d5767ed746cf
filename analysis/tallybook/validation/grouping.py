"""Failures that differ in nothing but their place, told together; however many there are, few are in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.validation.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.validation.severity import Severity

FIRST = 3
"""How many places of a group are named."""
_AT_ONCE = 2**16
"""How many groups of the latest failures wait until they are put to the others."""
_SAME = ["check", "severity", "file", "column", "value", "expectation"]
_PLACE, _CHECK, _RANK = "_place", "_check", "_rank"
_NOTHING = pl.DataFrame(
    schema=dict.fromkeys(_SAME, pl.String)
    | {"times": pl.Int64, "first": pl.List(pl.Struct({"line": pl.Int64, "key": pl.String})), _PLACE: pl.Int64}
)


class Group(NamedTuple):
    """Failures that differ in nothing but their place."""

    check: str  # the check that failed
    severity: Severity
    file: str
    column: str
    value: str  # what stands there
    expectation: str  # what should stand there
    times: int  # how many there are
    first: tuple[tuple[int | None, str], ...]  # line and key of the first ones

    @property
    def place(self) -> str:
        """The file, with the line of the first one where it is known."""
        line, _ = self.first[0]
        return f"{self.file}:{line}" if line and self.file else self.file


def grouped(parts: Iterable[pl.DataFrame], severities: Sequence[Severity], most: int | None = None) -> list[Group]:
    """Put failures together."""
    kept, waiting, above, checks = _NOTHING, list[pl.DataFrame](), 0, dict[str, int]()
    for part in parts:
        found = _of(part.with_row_index(_PLACE, above))
        above += part.height
        for check, place in found.group_by("check").agg(pl.col(_PLACE).min()).sort(_PLACE).iter_rows():
            checks.setdefault(check, place)
        waiting.append(found)
        if sum(frame.height for frame in waiting) > max(_AT_ONCE, kept.height):
            kept, waiting = _merged([kept, *waiting], most), []
    kept = _merged([kept, *waiting], most)
    ordered = kept.with_columns(
        pl.col("check").replace_strict(checks, default=None, return_dtype=pl.Int64).alias(_CHECK),
        pl.col("severity").replace_strict({name: place for place, name in enumerate(severities)}).alias(_RANK),
    ).sort(_CHECK, _RANK, _PLACE)
    if most is not None:
        ordered = ordered.filter(pl.int_range(pl.len()).over("check") < most)
    return [_group(row) for row in ordered.iter_rows(named=True)]


def _of(part: pl.DataFrame) -> pl.DataFrame:
    """Get the groups of some failures, in the order of their first ones."""
    first = pl.struct("line", "key").head(FIRST).alias("first")
    times = pl.len().cast(pl.Int64).alias("times")
    return part.group_by(_SAME, maintain_order=True).agg(times, first, pl.col(_PLACE).first().cast(pl.Int64))


def _merged(parts: list[pl.DataFrame], most: int | None) -> pl.DataFrame:
    """Merge groups in the order of their failures; keep the first of each check and severity."""
    same = pl.concat(parts).group_by(_SAME, maintain_order=True)
    merged = same.agg(pl.col("times").sum(), pl.col("first").explode().head(FIRST), pl.col(_PLACE).first())
    if most is None:
        return merged
    # A group that is left out here has more than enough before it, and those that come later, too.
    return merged.filter(pl.int_range(pl.len()).over("check", "severity") < most)


def _group(row: dict[str, Any]) -> Group:
    first = tuple((place["line"], safe(place["key"])) for place in row["first"])
    settings: dict[str, Any] = {name: row[name] for name in Group._fields if name != "first"}
    settings["file"] = safe(row["file"], 200)
    return Group(**settings, first=first)

"""Responses that a source does not want: left out, and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import Problem
from tallybook.sources.conditions import fits, no_numbers

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.record_sources import RecordSource
    from tallybook.study.sources import KeyedJsonSource


class LeftOut(NamedTuple):
    """Counts of the responses that a source's declaration keeps and leaves out."""

    files: str  # the form of its files
    read: int  # how many responses they hold
    left_out: int  # how many of them are left out

    @property
    def problems(self) -> list[Problem]:
        """The problem that no response is wanted: the conditions are hardly meant so."""
        if not self.read or self.left_out < self.read:
            return []
        told = f"a response in {self.files} that 'keep' keeps ({self.read:,} are left out)"
        return [Problem("", "", "", "", told)]


class Filter:
    """Leaves out what a source does not want, part by part."""

    def __init__(self, source: KeyedJsonSource | RecordSource) -> None:
        """Begin without responses."""
        self._keep = source.keep
        self._files = " or ".join(source.forms)
        made_late = {*source.derive, *(name for lookup in source.lookups for name in lookup.take)}
        named = () if source.keep is None else source.keep.columns
        self._early = [column for column in named if column not in made_late]
        self._late = [column for column in named if column in made_late]
        self._read = self._left_out = 0

    def before(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
        """Leave out rows before columns are looked up and derived, by what does not depend on these."""
        if self._keep is not None:
            self._read += _responses(frame)
        return self._kept(frame, self._early)

    def after(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
        """Leave out rows by columns that were looked up or derived."""
        return self._kept(frame, self._late)

    def _kept(self, frame: pl.DataFrame, columns: list[str]) -> tuple[pl.DataFrame, list[Problem]]:
        if self._keep is None or not columns:
            return frame, []
        kept = frame.filter(fits(self._keep, columns))
        self._left_out += _responses(frame) - _responses(kept)
        return kept, no_numbers(frame, self._keep, columns)

    @property
    def counted(self) -> list[LeftOut]:
        """The counts of kept responses; nothing of a source that wants all."""
        return [] if self._keep is None else [LeftOut(self._files, self._read, self._left_out)]

    @property
    def problems(self) -> list[Problem]:
        """The problem that no response is wanted."""
        return [problem for one in self.counted for problem in one.problems]


def _responses(frame: pl.DataFrame) -> int:
    """Count the responses that rows stand for."""
    return int(frame.get_column("count").fill_null(1).sum()) if "count" in frame.columns else frame.height

"""The input of every reader of sources, and its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.issue_log import Findings
from tallybook.sources.json_records import is_text
from tallybook.sources.patterns import Pattern
from tallybook.study.record_sources import RecordSource
from tallybook.study.source_base import PART
from tallybook.study.sources import CodedSource, KeyedJsonSource

if TYPE_CHECKING:
    from tallybook.core.issue_log import IssueLog
    from tallybook.core.spill_buffer import RowStore
    from tallybook.sources.conditions import LeftOut
    from tallybook.sources.folder import Folder
    from tallybook.study.model import Study
    from tallybook.study.sources import Source

Parts = dict[str, str | int]
"""The parts that a path pattern captures, by column."""


@dataclass
class Delivery:
    """The content of a source; its reader adds to it as it goes."""

    # its rows, with `file` and `key` and all that the declaration makes of them, in frames
    frames: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    problems: list[Problem] = field(default_factory=list[Problem])  # what is wrong with it
    # what is wrong with it and declared as known: it is reported and stops nothing
    findings: Findings = field(default_factory=Findings)
    files: list[str] = field(default_factory=list[str])  # the files that were read, relative to the folder
    # the other files that columns were taken from, relative to the folder
    lookups: list[str] = field(default_factory=list[str])
    # how many responses were read and left out, of a source that declares which it wants
    left_out: list[LeftOut] = field(default_factory=list["LeftOut"])

    @property
    def rows(self) -> pl.DataFrame:
        """All rows together."""
        return pl.concat(self.frames, how="diagonal") if self.frames else pl.DataFrame()


@dataclass(frozen=True)
class Inputs:
    """The input of a reader beside its declaration."""

    folder: Folder  # the data folder
    study: Study
    own: Path = Path()  # the folder of the study's own files
    issues: IssueLog | None = None  # where to put problems once they are many; None if they are raised
    store: RowStore | None = None  # the store of what is read; its temporary files and those of findings go together

    def candidates(self, source: Source) -> list[str]:
        """List the files at a form's depth with its suffix; what is declared by its name elsewhere is no other."""
        elsewhere = self._forms_beside(source)
        names = dict.fromkeys(name for form in source.forms for name in self.folder.names(form))
        return [name for name in names if name in source.forms or name not in elsewhere]

    def files(self, source: KeyedJsonSource | RecordSource) -> tuple[list[tuple[str, Parts]], list[Problem]]:
        """List the files of a source with the parts that are captured; report stray files, and that there is none."""
        patterns = [Pattern.parse(form, is_path=True) for form in source.forms]
        expected = " or ".join(source.forms)
        elsewhere = self._forms_beside(source)
        found: list[tuple[str, Parts]] = []
        problems: list[Problem] = []
        for name in self.candidates(source):
            matches = (pattern.match(name) for pattern in patterns) if is_text(name) else ()
            parts = next((match for match in matches if match is not None), None)
            if parts is not None:
                found.append((name, parts))
            elif not any(PART.search(form) and Pattern.parse(form, is_path=True).match(name) for form in elsewhere):
                problems.append(Problem(name, "", "", "", f"a path of the form {expected}"))
        if not found:
            problems.append(Problem("", "", "", "", f"files of the form {expected}"))
        return found, problems

    def _forms_beside(self, source: Source) -> list[str]:
        """The forms of all files that the study declares beside those of one source."""
        forms = [table.file for table in self.study.references.values() if table.file is not None]
        forms += [] if self.study.overrides is None else [self.study.overrides.file]
        for other in self.study.sources:
            forms += [] if other is source else other.forms
            forms += helpers(other)
        return forms


def helpers(source: KeyedJsonSource | RecordSource | CodedSource) -> list[str]:
    """The forms of the files that a source reads beside its responses."""
    if isinstance(source, CodedSource):
        return []
    items = [source.items.file] if isinstance(source, RecordSource) and source.items else []
    return [*(lookup.file for lookup in source.lookups if not lookup.own), *items]

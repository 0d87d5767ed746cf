"""The input and the result of the readers of sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import Problem
from tallybook.core.issue_log import Findings
from tallybook.sources.json_records import is_text
from tallybook.sources.patterns import Pattern
from tallybook.study.record_sources import RecordSource
from tallybook.study.source_base import PART
from tallybook.study.sources import CodedSource, KeyedJsonSource

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """What a source holds beside its rows, to which its reader adds while reading."""

    problems: list[Problem] = field(default_factory=list[Problem])  # its problems
    # problems that the study declares as known, which are reported and stop nothing
    findings: Findings = field(default_factory=Findings)
    files: list[str] = field(default_factory=list[str])  # the files that were read, relative to the folder
    # the other files that columns were taken from, relative to the folder
    lookups: list[str] = field(default_factory=list[str])
    # the numbers of responses read and excluded, for a source with conditions
    left_out: list[LeftOut] = field(default_factory=list["LeftOut"])
    read: int = 0  # the number of bytes of its files that were read so far


@dataclass(frozen=True)
class Inputs:
    """The input of a reader in addition to its declaration."""

    folder: Folder  # the data folder
    study: Study
    own: Path = Path()  # the folder of the study's own files
    issues: IssueLog | None = None  # the log for problems; None if they are raised
    store: RowStore | None = None  # the store for rows, whose folder of temporary files is shared by findings

    def candidates(self, source: Source) -> list[str]:
        """List the files that match a source's forms in depth and suffix, unless declared elsewhere by name."""
        elsewhere = self._forms_beside(source)
        names = dict.fromkeys(name for form in source.forms for name in self.folder.names(form))
        return [name for name in names if name in source.forms or name not in elsewhere]

    def size(self, names: Iterable[str]) -> int:
        """Return the number of bytes of files in the data folder."""
        paths = [self.folder.path / name for name in names]
        return sum(path.stat().st_size for path in paths if path.is_file())

    def files(self, source: KeyedJsonSource | RecordSource) -> tuple[list[tuple[str, Parts]], list[Problem]]:
        """List a source's files with their captured parts; report stray files, and a source without files."""
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
        """List the forms of all files that the study declares apart from those of one source."""
        forms = [table.file for table in self.study.references.values() if table.file is not None]
        forms += [] if self.study.overrides is None else [self.study.overrides.file]
        for other in self.study.sources:
            forms += [] if other is source else other.forms
            forms += helpers(other)
        return forms


def helpers(source: KeyedJsonSource | RecordSource | CodedSource) -> list[str]:
    """List the forms of the files that a source reads in addition to its responses."""
    if isinstance(source, CodedSource):
        return []
    items = [source.items.file] if isinstance(source, RecordSource) and source.items else []
    return [*(lookup.file for lookup in source.lookups if not lookup.own), *items]

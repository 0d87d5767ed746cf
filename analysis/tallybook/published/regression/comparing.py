"""Committed results against those that a study gives now: every file, and what is missing or too many."""

from __future__ import annotations

from filecmp import cmp
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.output import MANIFEST
from tallybook.published.regression import frames, origins, rendered
from tallybook.published.regression.difference import Compared, Difference, compared
from tallybook.published.regression.files import due, order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.published.regression.files import Committed
    from tallybook.published.regression.rebuilding import Rebuilt


class Comparison(NamedTuple):
    """Committed results against those that the study gives now."""

    study: str  # the study's name
    committed: Committed  # what is committed
    files: Sequence[Compared]  # every file that was compared, or that only one side has
    tolerance: float  # by how much unrounded numbers may differ, of the larger
    # program -> its version when the results were made, and now, where they differ
    versions: dict[str, tuple[str, str]]
    again: str  # the command that makes the results anew

    @property
    def number(self) -> int:
        """The number of differences."""
        return sum(file.number for file in self.files)

    @property
    def differing(self) -> list[Compared]:
        """The files that differ."""
        return [file for file in self.files if file.number]


def compare(
    found: Committed, rebuilt: Rebuilt, *, tolerance: float, missing: bool = True, extra: bool = True
) -> list[Compared]:
    """Compare committed results with those that a study gives now."""
    have = frozenset(found.files)
    files: list[Compared] = []
    for file in sorted({*found.files, *due(found, rebuilt.files)}, key=order):
        if file not in have:
            files += [compared(file, [Difference(file, "missing")])] if missing else []
        elif file not in rebuilt.files:
            files += [compared(file, [Difference(file, "extra")])] if extra else []
        else:
            files.append(_file(file, found, rebuilt, tolerance))
    return files


def _file(file: str, found: Committed, rebuilt: Rebuilt, tolerance: float) -> Compared:
    then, now = found.folder / file, rebuilt.folder / file
    if file == MANIFEST:
        return origins.compare(then, rebuilt.origins)
    if cmp(then, now, shallow=False):
        return compared(file, [])
    if frames.is_frame(file):
        return frames.compare(file, then, now, tolerance)
    return rendered.compare(file, then, now)

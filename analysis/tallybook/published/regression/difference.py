"""What differs between committed results and those that a study gives now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["origin", "changed", "new", "gone", "order", "missing", "extra", "unreadable"]
"""What is different: what results were made of; a value; a row, line or column that only one side has; the order of
rows; a file that only one side has; a file that cannot be read."""

MOST = 10_000
"""How many differences of a file are told at most; all are counted."""


class Difference(NamedTuple):
    """One thing that differs."""

    file: str  # the file, relative to the committed folder
    kind: Kind  # what is different
    # where in the file it is: what identifies the row or line, name and value. Values may come from responses.
    place: tuple[tuple[str, str], ...] = ()
    what: str = ""  # which value of it; empty where the place alone says so
    committed: str | None = None  # what is committed; None if there is nothing
    now: str | None = None  # what the study gives now; None if there is nothing
    line: int | None = None  # the line of the committed file, counted from 1; None where there is none
    note: str = ""  # what else there is to say


class Compared(NamedTuple):
    """A committed file, compared."""

    file: str  # the file, relative to the committed folder
    differences: Sequence[Difference]  # what differs, the first `MOST`
    number: int  # how many differences there are


def compared(file: str, differences: Sequence[Difference]) -> Compared:
    """Count a file's differences and keep the first."""
    return Compared(file, differences[:MOST], len(differences))


def unreadable(file: str, reason: str) -> Compared:
    """Report a file that cannot be read."""
    return Compared(file, [Difference(file, "unreadable", note=reason)], 1)

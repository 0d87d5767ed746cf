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
    """One thing that differs.

    Attributes:
        file: The file, relative to the committed folder.
        kind: What is different.
        place: Where in the file it is: what identifies the row or line, name and value. Values may come from responses.
        what: Which value of it; empty where the place alone says so.
        committed: What is committed; None if there is nothing.
        now: What the study gives now; None if there is nothing.
        line: The line of the committed file, counted from 1; None where there is none.
        note: What else there is to say.
    """

    file: str
    kind: Kind
    place: tuple[tuple[str, str], ...] = ()
    what: str = ""
    committed: str | None = None
    now: str | None = None
    line: int | None = None
    note: str = ""


class Compared(NamedTuple):
    """A committed file, compared.

    Attributes:
        file: The file, relative to the committed folder.
        differences: What differs, the first `MOST`.
        number: How many differences there are.
    """

    file: str
    differences: Sequence[Difference]
    number: int


def compared(file: str, differences: Sequence[Difference]) -> Compared:
    """A file with all its differences."""
    return Compared(file, differences[:MOST], len(differences))


def unreadable(file: str, reason: str) -> Compared:
    """A file that cannot be read."""
    return Compared(file, [Difference(file, "unreadable", note=reason)], 1)

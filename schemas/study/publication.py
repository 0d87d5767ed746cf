"""What a published study printed, and which of it is known to be wrong."""

from __future__ import annotations

from pydantic import Field

from schemas.study.base import Declaration, Identifier
from schemas.study.presentation import Rounding


class Publication(Declaration):
    """The paper and the data that a study file reproduces."""

    authors: tuple[str, ...]
    year: int
    title: str
    venue: str = ""
    url: str = ""
    repository: str = ""
    """Where the data were released: owner/name."""
    commit: str = ""
    """The state of the repository that is meant."""
    licence: str = ""
    """The licence of the released data."""


class Selector(Declaration):
    """Printed numbers by their keys in tables.csv. What is left empty selects all."""

    tables: tuple[str, ...] = Field(min_length=1)
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ()


class Correction(Selector):
    """Printed numbers that are wrong, with what was printed and what is right."""

    printed: str
    """What the publication prints."""
    regenerated: str
    """What the released data give."""


class Erratum(Declaration):
    """A known defect of the published numbers. It covers a number only if both its values are as declared."""

    id: Identifier
    title: str
    explanation: str
    cells: tuple[Correction, ...] = Field(min_length=1)


class Remark(Declaration):
    """Something a reader must know about numbers that agree."""

    id: Identifier
    title: str
    explanation: str
    cells: tuple[Selector, ...] = Field(min_length=1)


class Rerounded(Selector):
    """Printed numbers that may be found by another rounding than the study's."""

    rounding: Rounding


class Published(Declaration):
    """The printed numbers a run is compared with."""

    file: str
    """A CSV file with columns table, row, column, statistic, printed, relative to the published folder."""
    models: tuple[str, ...] = ()
    """The models whose printed values are known, for the report; the others are regenerated only."""
    rerounded: tuple[Rerounded, ...] = ()
    """Where the publication rounds otherwise than the study does. Elsewhere a number that agrees only under another
    rounding is a mismatch, and its note says so."""

"""Declarations of a publication's printed numbers, its known errata, and the extent of the comparison."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tallybook.study.base import Characters, Declaration, FilePath, Identifier
from tallybook.study.presentation import PrintedAt, Rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = ("table", "row", "column", "statistic")
"""The columns that identify a printed number."""


def selects(place: Place, key: Mapping[str, str]) -> bool:
    """Return whether a declaration selects a printed number; an empty setting selects all."""
    wanted = {"table": place.tables, "row": place.rows, "column": place.columns}
    if isinstance(place, Selector):
        wanted["statistic"] = place.statistics
    return all(not allowed or key[name] in allowed for name, allowed in wanted.items())


class Publication(Declaration):
    """The paper and the data that a study file reproduces."""

    authors: tuple[str, ...]
    """The authors, by their last names."""
    year: int
    """The year in which it was published."""
    title: str
    """Its title."""
    venue: str = ""
    """The journal, proceedings or archive that it was published in."""
    url: str = ""
    """The address at which it can be read."""
    repository: str = ""
    """The repository with the released data: owner/name."""
    commit: str = ""
    """The state of the repository that is meant."""
    licence: str = ""
    """The licence of the released data."""
    differing_files: Literal["error", "report"] = "error"
    """What a file is that is missing, altered or extra, held against the list of the released files (`released.csv`
    beside the study file of a published study). When reported, the run goes on with the data as they are."""
    table_names: dict[str, str] = {}
    """Table -> how the publication calls it; otherwise by the table's own number."""
    figure_names: dict[str, str] = {}
    """Figure -> how the publication calls it."""


class Place(Declaration):
    """Printed cells by their keys in tables.csv. What is left empty selects all."""

    tables: tuple[str, ...] = Field(min_length=1)
    """The tables, by their numbers."""
    rows: tuple[str, ...] = ()
    """Their rows."""
    columns: tuple[str, ...] = ()
    """Their columns."""


class Selector(Place):
    """Printed numbers by their keys in tables.csv. What is left empty selects all."""

    statistics: tuple[str, ...] = ()
    """The numbers of a cell, by their names."""


class Correction(Selector):
    """Printed numbers that are wrong, with what was printed and what is right."""

    printed: str
    """The value that the publication prints."""
    regenerated: str
    """The value that the released data give."""


class Violation(Place):
    """Printed numbers that contradict others that are printed."""

    checks: tuple[Identifier, ...] = ()
    """The checks that find it (`printed.checks`); left empty, any."""
    printed: str
    """The printed value, as the check shows it: a number, or "mean [lower limit, upper limit]"."""


class Evidence(Declaration):
    """The evidence that the authors' own data and rule contradict a printed number."""

    files: tuple[Characters, ...] = Field(min_length=1)
    """The released files that show it."""
    rows: Characters
    """Which of their rows or records."""
    rule: Characters
    """The rule, or the slip, that gives the printed value."""


class Known(Declaration):
    """A note on printed numbers, which the comparison and the report show."""

    id: Identifier
    """How it is called in the comparison."""
    title: str
    """A description in a few words, for the comparison and the report."""
    explanation: str
    """An explanation for readers: what is wrong and why, or what was tried."""


class Erratum(Known):
    """A known defect of the published numbers. It covers a number only if its values are as declared."""

    evidence: Evidence | None = None
    """The evidence in the released data; needed for `cells`."""
    cells: tuple[Correction, ...] = ()
    """Numbers that the released data give otherwise."""
    violations: tuple[Violation, ...] = ()
    """Numbers that a check of what is printed finds wrong."""

    def _check_itself(self) -> None:
        if not self.cells and not self.violations:
            raise ValueError("at least one of 'cells' and 'violations'")
        if self.cells and self.evidence is None:
            raise ValueError("'evidence' with 'cells': the files, the rows and the rule that gives the printed value")


class NotReproduced(Known):
    """Published numbers that no known rule gives. It covers a number only if its values are as declared."""

    cells: tuple[Correction, ...] = Field(min_length=1)
    """The numbers, with what the declared rule gives."""


class Remark(Known):
    """Something a reader must know about numbers that agree."""

    cells: tuple[Selector, ...] = Field(min_length=1)
    """The numbers that it is about."""


class Rerounded(Selector):
    """Printed numbers that may be found by another rounding than the study's."""

    rounding: Rounding
    """The rounding that the publication may have used."""


class Tolerance(Selector):
    """Printed numbers that agree with regenerated ones that are near enough. The comparison names them."""

    relative: float = Field(default=0, ge=0, lt=1)
    """The largest difference, as a share of the printed number."""
    absolute: float = Field(default=0, ge=0)
    """Instead: the largest difference, whatever the printed number."""
    of: Literal["number", "t"] = "number"
    """What may differ by that share: the number, or the t statistic that a p-value follows from. The numbers `t` and
    `df` of the same row say how far p may be off then: a small change of t is a large one of p."""
    significant: int = Field(default=1, ge=1)
    """Only numbers that are printed with as many significant digits, or with more."""
    reason: Characters
    """Why such numbers cannot be the same."""

    def _check_itself(self) -> None:
        if bool(self.relative) == bool(self.absolute):
            raise ValueError("exactly one of 'relative' and 'absolute'")
        if self.absolute and self.of == "t":
            raise ValueError("absolute: that of a t statistic is 'relative'")

    def allows(self, printed: str, value: float) -> bool:
        """Return whether |value - printed| is within the tolerance, in exact arithmetic on shortest decimal forms."""
        written, published = Decimal(printed), float(printed)
        is_beyond_floats = not math.isfinite(published) or (published == 0 and written != 0)
        if len(written.as_tuple().digits) < self.significant or is_beyond_floats:
            return False
        exact = Fraction(printed)
        most = Fraction(repr(self.relative)) * abs(exact) + Fraction(repr(self.absolute))
        return abs(Fraction(repr(value)) - exact) <= most

    def allows_p(self, printed: str, t: float, df: float) -> bool:
        """Return whether a printed two-sided p-value corresponds to a t within the tolerance of the regenerated t.

        |regenerated t - t of the printed p| ≤ relative · |t of the printed p|, hence p(t / (1 - relative)) ≤ printed ≤
        p(t / (1 + relative)), compared as logarithms.

        False for a p-value that is printed with too few digits or is not positive.
        """
        from tallybook.statistics.tails import log_p_value

        written = Decimal(printed)
        if len(written.as_tuple().digits) < self.significant or written <= 0:
            return False
        lowest, highest = log_p_value([abs(t) / (1 - self.relative), abs(t) / (1 + self.relative)], df)
        return bool(lowest <= float(written.ln()) <= highest)

    @property
    def words(self) -> str:
        """The tolerance and its reason, in words."""
        if self.absolute:
            return f"no further than {self.absolute:g} from the published number: {self.reason}"
        of, what = ("its t is ", "one") if self.of == "t" else ("", "number")
        return f"{of}within {self.relative:g} of the published {what}: {self.reason}"


class NotCompared(Selector):
    """Printed numbers that nothing released can give. Those of `printed.tables` need not be listed."""

    reason: Characters
    """Why nothing released can give them."""


class Unlisted(Declaration):
    """Numbers that are printed and not in the list of printed numbers."""

    numbers: int = Field(gt=0)
    """How many there are."""
    reason: Characters
    """Why they are not listed."""


class Recovered(Declaration):
    """A printed number that a file of the study's own holds, recovered from a figure: the file's value is compared."""

    file: FilePath
    """The CSV file, beside the study's data."""
    row: int = Field(ge=0)
    """Its row, from 0."""
    column: Characters
    """Its column."""
    printed: PrintedAt
    """The printed number."""


class Published(Declaration):
    """The printed numbers a run is compared with."""

    file: FilePath
    """A CSV file with columns table, row, column, statistic, printed, in the folder `published` beside the study."""
    models: tuple[str, ...] = ()
    """The models whose printed values are known, for the report; the others are regenerated only."""
    rerounded: tuple[Rerounded, ...] = ()
    """Numbers that the publication rounds otherwise than the study does. Elsewhere a number that agrees only under
    another rounding is a mismatch, and its note says so."""
    tolerances: tuple[Tolerance, ...] = ()
    """Tolerances of regenerated numbers; one that a number is within is enough."""
    not_compared: tuple[NotCompared, ...] = ()
    """Numbers that are not compared, and why."""
    recovered: tuple[Recovered, ...] = ()
    """Printed numbers that are compared with values recovered from figures."""
    unlisted: tuple[Unlisted, ...] = ()
    """Printed numbers that the file does not have: counted among those that are not compared."""

"""What must hold of printed numbers whatever the data: that they do not contradict each other.

A number that is printed is known up to its rounding. A check fails only if no number within what rounding allows would
satisfy it.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tallybook.study.base import Declaration, Identifier, all_faults
from tallybook.study.publication import Place, Selector


class Check(Place):
    """What all checks have in common."""

    id: Identifier
    """How the check is called in the findings, and by errata."""
    digits: int | None = Field(default=None, ge=0, le=17)
    """Digits after the point that numbers are rounded to, where zeros at the end are not printed; by default those
    that are printed."""


class IntervalCheck(Check):
    """A check of estimates and their intervals."""

    value: str = "mean"
    """What the estimate is called in the list of published numbers."""
    low: str = "ci_low"
    """What the lower limit of its interval is called."""
    high: str = "ci_high"
    """What the upper limit is called."""


class NumberCheck(Check, Selector):
    """A check of single numbers."""

    statistics: tuple[str, ...] = Field(min_length=1)
    """The numbers that are checked, by their names in the list of published numbers."""


class OrderedCheck(IntervalCheck):
    """The estimate is not below its lower limit and not above its upper one."""

    kind: Literal["ordered"]


class CentredCheck(IntervalCheck):
    """The estimate is the middle of its interval: for intervals estimate ± z standard errors."""

    kind: Literal["centred"]


class WidthCheck(IntervalCheck):
    """The limits differ: an interval has no width only where all values are the same."""

    kind: Literal["width"]
    alike: tuple[float, ...] = ()
    """The estimates at which all values are the same, for instance the largest possible score."""


class Places(Declaration):
    """How many responses the cells of some rows and columns rest on."""

    rows: tuple[str, ...] = ()
    """The rows; all if left empty."""
    columns: tuple[str, ...] = ()
    """The columns; all if left empty."""
    n: int = Field(ge=2)
    """The number of responses of each cell."""


class SizedCheck(IntervalCheck):
    """A check of intervals that knows how many responses they rest on."""

    lowest: float = 0
    """The smallest possible value of a response."""
    highest: float = 1
    """The largest possible value of a response."""
    n: tuple[Places, ...] = Field(min_length=1)
    """The number of responses of a cell; the first entry that holds the cell counts."""
    z: float = Field(default=1.96, gt=0)
    """How many standard errors the limits are from the estimate."""

    @model_validator(mode="after")
    @all_faults
    def _range_is_not_empty(self) -> Self:
        if self.lowest >= self.highest:
            raise ValueError("'lowest' must be below 'highest'")
        return self


class SpreadCheck(SizedCheck):
    """The interval is not wider than n values between `lowest` and `highest` can make it."""

    kind: Literal["spread"]


class SizeCheck(SizedCheck):
    """The n that the interval of a share implies, (value - lowest)(highest - value)(z / half width)² + 1, is at most n.

    The responses have one of two values, `lowest` or `highest`.
    """

    kind: Literal["size"]


class RangeCheck(NumberCheck):
    """The numbers are between two limits."""

    kind: Literal["range"]
    lowest: float = 0
    """The smallest number allowed."""
    highest: float = 1
    """The largest number allowed."""


class WholeCheck(NumberCheck):
    """The numbers are shares of a whole number of responses: share times n is whole."""

    kind: Literal["whole"]
    n: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1)
    """The number of responses, or several possible ones."""


class SumCheck(NumberCheck):
    """Numbers of a row (or column) add up."""

    kind: Literal["sum"]
    over: Identifier
    """The axis (of `printed.axes`) whose entries are added up."""
    along: Literal["columns", "rows"] = "columns"
    """Whether these are columns, added up in each row, or rows."""
    total: float = 1
    """What they add up to."""


class Margin(Declaration):
    """What a margin is the mean of."""

    over: Identifier
    """The axis (of `printed.axes`) whose entries the mean is taken over."""
    along: Literal["columns", "rows"] = "rows"
    """Whether these are rows, in the column of each number that is checked, or columns, in its row."""


class Source(Declaration):
    """Where a number is printed first; what is left empty is the same as where it is printed again."""

    table: str
    """The table."""
    row: str = ""
    """The row."""
    column: str = ""
    """The column."""
    statistic: str = ""
    """The number of the cell."""


class MarginCheck(NumberCheck, Margin):
    """The numbers are the unweighted means of the others in their column (or row)."""

    kind: Literal["margin"]
    source: Source | None = None
    """Where the others are printed, if not beside the number."""


class WeightedMarginCheck(SizedCheck, Margin):
    """The estimates are the means of the others in their column (or row), weighted by the n that intervals imply.

    An interval whose width implies no n counts with any n up to the declared one.
    """

    kind: Literal["weighted-margin"]


class RestatedCheck(NumberCheck):
    """Numbers that are printed elsewhere with more digits are the same, rounded."""

    kind: Literal["restated"]
    source: Source
    """Where they are printed with more digits."""


class PooledCheck(NumberCheck):
    """The unweighted mean of the same number of several tables is a regenerated number of another table."""

    kind: Literal["pooled"]
    against: Source
    """The regenerated number."""
    error: float = Field(default=0, ge=0)
    """How far the regenerated number may be off itself, where its data are approximate."""


PrintedCheck = Annotated[
    OrderedCheck
    | CentredCheck
    | WidthCheck
    | SpreadCheck
    | SizeCheck
    | RangeCheck
    | WholeCheck
    | SumCheck
    | MarginCheck
    | WeightedMarginCheck
    | RestatedCheck
    | PooledCheck,
    Field(discriminator="kind"),
]

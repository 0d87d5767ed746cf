"""Tables of results, such as shares with intervals, that are no responses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.drafting.columns import LONG

if TYPE_CHECKING:
    from tallybook.drafting.survey import Survey

_LOW = re.compile(r"(?i)(^|[^a-z])(low(er)?|lwr|lcl|2\.5)([^a-z]|$)|ci_?l")
_HIGH = re.compile(r"(?i)(^|[^a-z])(high|up(per|r)?|ucl|97\.5)([^a-z]|$)|ci_?[uh]")
_ERROR = re.compile(
    r"(?i)(^|[^a-z])(se|sem|std[-_. ]?err(or)?|stderr|p[-_. ]?val(ue)?|p|t[-_. ]?(stat|value)|df)([^a-z]|$)"
)
"""The names of columns of limits of intervals, and of errors and tests."""
_MOST = 2000
"""The most rows of a table of results."""


def of_results(found: Survey) -> list[str]:
    """Say that a table looks like one of results: each row has an interval around a number, or an error and a test."""
    numbers = [column.name for column in found.columns if column.is_number]
    texts = [column.name for column in found.columns if column.kind == "text"]
    is_long = any(found.by_name[name].length >= LONG for name in texts)
    if found.rows > _MOST or not texts or is_long or not found.is_unique(texts):
        return []
    values = found.sample.select(pl.col(numbers).cast(pl.Float64, strict=False))
    limits = [(low, high) for low in numbers if _LOW.search(low) for high in numbers if _HIGH.search(high)]
    about = [
        [low, middle, high]
        for low, high in limits
        for middle in numbers
        if middle not in {low, high}
        and values.select(((pl.col(low) <= pl.col(middle)) & (pl.col(middle) <= pl.col(high))).all()).item()
    ]
    errors = [name for name in numbers if _ERROR.search(name)]
    told = about[0] if about else errors if len(errors) > 1 else []
    shown = printable(", ".join(told), 160)
    said = f"The rows look like results, not responses ({shown}): a study counts what models answered, a row an answer."
    return [said] if told else []

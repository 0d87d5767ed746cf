"""Lookup of the estimates for a table cell, and formatting of the parts that the cell prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.errors import UsageError
from tallybook.study.number_text import fixed, never_zero, p_value_text, scaled, stars
from tallybook.study.presentation import DecisionPart, NumberPart, PValuePart, RankedPart, StarsPart
from tallybook_schemas.vocabulary import WALD

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.model import Study
    from tallybook.study.presentation import Part, Style


Row = dict[str, Any]


_SIZES, _LARGE = ("estimate", "ci_low", "ci_high"), 100
"""The numbers of an estimate one of which makes it large, and from which size on."""


class EstimateIndex:
    """An index of estimates by analysis, cell, outcome and term."""

    def __init__(self, study: Study, estimates: pl.DataFrame) -> None:
        """Build the index."""
        self._study = study
        self._cells: dict[tuple[str, ...], dict[str, Row]] = {}
        self._present: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        for row in estimates.iter_rows(named=True):
            analysis = row["analysis"]
            key = (analysis, row["outcome"], *(row[name] for name in study.analyses[analysis].by))
            self._cells.setdefault(key, {})[row["term"]] = row

    def terms(self, analysis: str, context: Mapping[str, str]) -> dict[str, Row]:
        """Return the estimates of one analysis in one cell, by term."""
        names = ("outcome", *self._study.analyses[analysis].by)
        missing = [name for name in names if name not in context]
        if missing:
            raise UsageError(
                f"what shows {analysis!r} must fix {', '.join(missing)}: by for_each, rows, columns or where"
            )
        return self._cells.get((analysis, *(context[name] for name in names)), {})

    def levels_present(self, analysis: str, axes: tuple[str, ...]) -> set[tuple[str, ...]]:
        """Return the combinations of levels for which an analysis has estimates."""
        if (analysis, *axes) not in self._present:  # each row of a table asks
            names = ("outcome", *self._study.analyses[analysis].by)
            places = [names.index(axis) + 1 for axis in axes if axis in names]
            present = {tuple(key[place] for place in places) for key in self._cells if key[0] == analysis}
            self._present[analysis, *axes] = present
        return self._present[analysis, *axes]


class Printed(NamedTuple):
    """One printed statistic of a cell."""

    statistic: str  # the name of the statistic within the cell
    value: float | None  # the value, unrounded; None where there is none
    text: str  # the statistic as printed
    interchangeable: tuple[str, ...] = ()  # equally correct texts, when compared with published ones
    ignore: str = ""  # characters that are ignored in this comparison


def printed(part: Part, found: Mapping[str, Row], term: str | None, style: Style) -> list[Printed]:
    """Format the statistics that a part prints, from the estimates of its cell."""
    if isinstance(part, RankedPart):
        return _ranked(part, found, style)
    estimate = _chosen(part, found, term)
    value: float | None = None if estimate is None else estimate.get(part.value)
    if part.optional and estimate is not None and _is_no_number(part.value, estimate):
        return []
    sign = style.missing
    match part:
        case StarsPart():
            return [] if estimate is None else [Printed(part.statistic, value, stars(value, style.stars))]
        case NumberPart():
            shown = None if value is None else scaled(value, part.scale)
            text = "" if value is None or estimate is None else _number(value, part, style, estimate)
        case PValuePart():
            shown = value
            logarithm = None if estimate is None else estimate[f"log_{part.value}"]
            text = "" if value is None else p_value_text(value, logarithm, part, style)
        case DecisionPart():
            shown = value
            text = "" if value is None else _decision(part, value, estimate)
    return [Printed(part.statistic, shown, sign if value is None else text)]


def _is_no_number(value: str, estimate: Row) -> bool:
    """Return whether an estimate has no such number by its kind, or is itself the statistic of its test."""
    if value == "estimate" and estimate["estimate"]:
        return estimate["estimate"] == estimate["statistic"]
    of, _, end = value.rpartition("_")
    names = [f"{of}_low", f"{of}_high"] if end in {"low", "high"} else [value]
    return estimate["status"] == "ok" and all(estimate.get(name) is None for name in names)


def why_missing(part: Part, found: Mapping[str, Row], term: str | None) -> str:
    """Return the status that explains why a part prints no number."""
    estimate = _chosen(part, found, term)
    if estimate is None:
        return "no-data"
    together = [term for term in found if term.startswith(f"{estimate['term'].removeprefix(WALD)}=")]
    if estimate["term"].startswith(WALD) and len(together) >= (estimate.get("clusters") or math.inf):
        return "few-clusters"  # as many coefficients as there are clusters cannot be tested together
    return estimate["status"]


def _chosen(part: Part, found: Mapping[str, Row], term: str | None) -> Row | None:
    """Return the estimate that a part prints: that of the part's term, of the column's term, or the only one."""
    chosen = part.term or term
    if chosen is None and len(found) == 1:
        chosen = next(iter(found))
    return None if chosen is None else found.get(chosen)


def _number(value: float, part: NumberPart, style: Style, estimate: Row) -> str:
    digits = style.digits if part.digits is None else part.digits
    if part.large_digits is not None and max(abs(estimate[name] or 0) for name in _SIZES) >= _LARGE:
        digits = part.large_digits
    zero = style.leading_zero if part.leading_zero is None else part.leading_zero
    text = fixed(value, digits, scale=part.scale, rounding=style.rounding, leading_zero=zero, grouped=part.grouped)
    return never_zero(text) if part.value == "p_adjusted" else text


def _decision(part: DecisionPart, p_value: float, estimate: Row | None) -> str:
    """Return the word for the decision of a test, which may depend on the side of the null value."""
    if p_value >= part.alpha:
        return part.retained
    if part.below is None or estimate is None or estimate["null_value"] is None or estimate["estimate"] is None:
        return part.rejected
    return part.below if estimate["estimate"] < estimate["null_value"] else part.rejected


def joined(part: Part, statistics: list[Printed], style: Style) -> str:
    """Return the text that a part contributes to its cell."""
    texts = [statistic.text for statistic in statistics]
    return ", ".join(texts) or style.missing if isinstance(part, RankedPart) else "".join(texts)


def _ranked(part: RankedPart, found: Mapping[str, Row], style: Style) -> list[Printed]:
    texts = {
        term: f"{term} ({fixed(estimate['estimate'], part.digits, scale=100, rounding=style.rounding)}%)"
        for term, estimate in found.items()
    }
    open_order = part.interchangeable_above is not None and len(found) > part.interchangeable_above
    statistics: list[Printed] = []
    for rank, (term, estimate) in enumerate(list(found.items())[: part.top], start=1):
        share = estimate["estimate"]
        tied = [text for other, text in texts.items() if open_order and found[other]["estimate"] == share]
        statistics.append(
            Printed(f"{part.statistic} {rank}", scaled(share, 100), texts[term], tuple(tied), part.ignore)
        )
    return statistics

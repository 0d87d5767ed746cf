"""From a declared figure and the estimates to pictures in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from analysis.errors import UsageError
from analysis.figures.save import save
from analysis.figures.stacked_bars import alt_text, stacked_bars
from analysis.tables.labels import term_label
from schemas.vocabulary import INVALID

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.study import Study
    from schemas.study.presentation import Figure

# Inches. A figure is as wide as a page's text, and each row of panels needs room for its bars.
WIDTH = 7.0
_ONE_ROW = 3.6
_MORE_ROWS = 1.75
_LEGEND = 1.2


def draw(study: Study, figure: Figure, estimates: pl.DataFrame, folder: Path) -> str:
    """Draw one figure and save it as `<folder>/<id>.svg`, `.pdf` and `.png`.

    Args:
        study: The study.
        figure: The declaration.
        estimates: The study's estimates.
        folder: Where to write.

    Returns:
        What the figure shows, for those who do not see it.

    Raises:
        UsageError: If there is no estimate to show.
    """
    axes = [axis for axis in (figure.panel_rows, figure.panels, figure.x) if axis]
    shown = estimates.filter(analysis=figure.analysis, outcome=figure.outcome, **figure.where)
    # Responses that could not be coded are part of the bars too: a bar that ends early would hide them.
    rest = shown.filter(pl.col("term") == INVALID, pl.col("estimate") > 0).height > 0
    terms = [*figure.terms, *([INVALID] if rest and INVALID not in figure.terms else [])]
    shown = shown.filter(pl.col("term").is_in(terms)).select(*axes, "term", percent=100 * pl.col("estimate"))
    if shown.is_empty():
        raise UsageError(f"figure {figure.id}: {figure.analysis} has no estimates for it")
    labels = {axis: study.factors[axis].levels for axis in axes}
    labels["term"] = {term: term_label(study, figure.outcome, term) for term in terms}
    layout: dict[str, Any] = {
        "x": figure.x,
        "fill": "term",
        "y": "percent",
        "panel_columns": figure.panels,
        "panel_rows": figure.panel_rows,
        "labels": labels,
        "x_order": list(study.factors[figure.x].levels),
        "fill_order": terms,
    }
    drawn = stacked_bars(shown, **layout, y_title=figure.y_label, width=WIDTH)
    rows = shown.get_column(figure.panel_rows).n_unique() if figure.panel_rows else 1
    height = _ONE_ROW if rows == 1 else _LEGEND + _MORE_ROWS * rows
    save(drawn, folder, figure.id, WIDTH, height)
    return alt_text(shown, **layout)

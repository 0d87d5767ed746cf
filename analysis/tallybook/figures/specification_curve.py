"""Specification curves: the estimates of a multiverse in ascending order, with the alternatives of each one below."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tallybook.analyses.multiverse import Multiverse
from tallybook.core.errors import UsageError
from tallybook.core.untrusted import visible
from tallybook.figures.parts import folded, literal, notes
from tallybook.figures.selection import intervals, rescaled
from tallybook.figures.style import FAINT_INK, FONT_SIZE, INK, LINE_COLOUR, ordered_colours, plain_theme
from tallybook.figures.words import in_words, tick_labels
from tallybook.study.base import Identifier, require_declared
from tallybook.study.figure_base import Picture, Plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plotnine import ggplot

    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

_CURVE, _ROW, _AROUND = 2.3, 0.16, 0.75
"""The heights in inches of the curve, of a row of the grid, and of axis and notes together."""


class SpecificationCurve(Plot):
    """The estimates of a multiverse analysis, sorted, with intervals; below, the alternatives of each."""

    kind: Literal["specification-curve"]
    terms: tuple[str, ...] = ()
    """Unused: `term` names what is shown."""
    term: str
    """The term of the analysis that was varied, such as a category."""
    outcome: Identifier | None = None
    """The outcome, where the analysis has several."""
    scale: int = 1
    """The factor that numbers are multiplied by; 100 for percent."""
    y_label: str
    """The title of the axis of numbers, with the unit."""

    def check_names(self, study: Study, place: str) -> None:
        """Raise a ValueError if the plot refers to names that the study does not declare."""
        kinds = [name for name, one in study.analyses.items() if isinstance(one, Multiverse)]
        require_declared([self.analysis], kinds, f"{place}.analysis", "multiverse analysis")
        super().check_names(study, place)

    def check_shown(self, study: Study, place: str) -> None:
        """Raise a ValueError if the figure would be empty, or would omit terms or outcomes that it names."""
        super().check_shown(study, place)
        analysis = study.analyses[self.analysis]
        terms = [one.removesuffix(": median") for one in analysis.terms(study) or () if one.endswith(": median")]
        require_declared([self.term], terms or [self.term], f"{place}.term", f"term of {self.analysis}")
        require_declared(
            [self.outcome] if self.outcome else (), analysis.outcomes_of(study) or (), f"{place}.outcome", "outcome"
        )

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the specification curve."""
        analysis = study.analyses[self.analysis]
        assert isinstance(analysis, Multiverse)  # noqa: S101  what check_names let pass
        every = {f"{self.term}: {one.label}": one.chosen for one in analysis.possible(study).specifications}
        outcome = {"outcome": self.outcome} if self.outcome else {}
        own = estimates.filter(pl.col("term").is_in([*every]), analysis=self.analysis, **self.where, **outcome)
        if own.get_column("term").is_duplicated().any():
            raise UsageError(f"{place}: {self.analysis} has several curves; fix a factor in 'where', or the outcome")
        shown = own.filter(pl.col("estimate").is_not_null()).sort("estimate", "term").with_row_index("rank", 1)
        if shown.is_empty():
            raise UsageError(f"{place}: {self.analysis} has no estimates for it")
        shown = rescaled(shown, self.scale, "estimate", "ci_low", "ci_high", "null_value")
        adjusted = pl.col("p_adjusted").fill_null(pl.col("p_value"))
        shown = shown.with_columns((adjusted < analysis.alpha).fill_null(value=False).alias("significant"))
        rows = list(dict.fromkeys((one, chosen[one]) for one in analysis.alternatives for chosen in every.values()))
        spans = [] if shown.get_column("ci_low").is_null().all() else [f"Lines through points: {intervals(shown)}."]
        explained = [*spans, f"Dark: p < {analysis.alpha:g}."]
        plot = self._plot(shown, every, rows) + _labels(self.y_label, explained, room.width)
        return Picture(plot, self._said(shown, rows, explained), room.width, _CURVE + _ROW * len(rows) + _AROUND)

    def _plot(
        self, shown: pl.DataFrame, every: Mapping[str, Mapping[str, str]], rows: Sequence[tuple[str, str]]
    ) -> ggplot:
        """Draw the curve, and below it a row for each alternative, on a shared horizontal axis."""
        import pandas as pd
        import plotnine as p9
        from mizani.breaks import breaks_extended

        null = shown.get_column("null_value").drop_nulls().first()
        low, high = _reach(shown)
        step = (high - low) * _ROW / _CURVE
        heights = {row: low - step * (number + 1.5) for number, row in enumerate(rows)}
        terms = shown.select("rank", "term", "significant").iter_rows()
        marks = [(rank, heights[row], dark) for rank, term, dark in terms for row in every[term].items()]
        grid = pd.DataFrame(marks, columns=["rank", "estimate", "significant"])
        columns = ("rank", "estimate", "ci_low", "ci_high", "significant")
        curve = pd.DataFrame(shown.select(columns).to_dict(as_series=False))
        spans = curve.dropna(subset=["ci_low", "ci_high"])
        look: dict[str, Any] = {"show_legend": False}
        line = p9.aes(x="rank", xend="rank", y="ci_low", yend="ci_high")
        ticks = [float(one) for one in breaks_extended(n=5)((low, high)) if low <= one <= high]
        names = [literal(folded(f"{setting}: {value}", 2)) for setting, value in rows]
        parts: list[Any] = [
            *([] if null is None else [p9.geom_hline(yintercept=null, color=LINE_COLOUR, linetype="dashed", size=0.4)]),
            *([p9.geom_segment(line, spans, size=0.4, **look)] if len(spans) else []),
            p9.geom_point(size=max(0.6, min(2.0, 60 / len(curve))), stroke=0, **look),
            p9.geom_point(data=grid, shape="|", size=1.6, **look),
            p9.geom_hline(yintercept=low - step / 2, color=INK, size=0.3),
            p9.scale_color_manual({True: ordered_colours(3)[0], False: FAINT_INK}),
            p9.scale_y_continuous(
                breaks=[*ticks, *heights.values()],
                labels=[*(tick_labels(ticks) if ticks else []), *names],
                limits=(low - step * (len(rows) + 1), high),
                expand=(0.01, 0),
            ),
            plain_theme(),
            p9.theme(axis_title_x=p9.element_text(size=FONT_SIZE), axis_text_x=p9.element_blank()),
        ]
        return p9.ggplot(curve, p9.aes("rank", "estimate", color="significant")) + parts

    def _said(self, shown: pl.DataFrame, rows: Sequence[tuple[str, str]], explained: Sequence[str]) -> str:
        """Return the alternative text."""
        values = shown.get_column("estimate").to_list()
        low, middle, high = (in_words(one, values[0], values[-1]) for one in (values[0], median(values), values[-1]))
        choices = "; ".join(f"{visible(setting)} {visible(value)}" for setting, value in rows)
        return (
            f"Specification curve. Vertical axis – {visible(self.y_label)}. {shown.height} specifications, from {low} "
            f"to {high}, median {middle}; {shown.get_column('significant').sum()} of them dark. {' '.join(explained)} "
            f"Alternatives below: {choices}."
        )


def _reach(shown: pl.DataFrame) -> tuple[float, float]:
    """Return the ends of the curve's value axis."""
    columns = ("estimate", "ci_low", "ci_high", "null_value")
    numbers = [one for name in columns for one in shown.get_column(name).drop_nulls()]
    low, high = min(numbers), max(numbers)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _labels(title: str, explained: Sequence[str], width: float) -> Any:  # noqa: ANN401  plotnine's
    from plotnine import labs

    return labs(x="Specification", y=literal(title), caption=notes(explained, width))

"""Prompt sensitivity: estimates for each prompt, the range from the smallest to the largest, and their median."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tallybook.analyses.each_estimate import PromptSensitivity
from tallybook.core.errors import UsageError
from tallybook.core.untrusted import visible
from tallybook.figures.parts import folded, literal, notes
from tallybook.figures.selection import level_names, rescaled
from tallybook.figures.style import FAINT_INK, FONT_SIZE, INK, plain_theme
from tallybook.figures.words import in_words
from tallybook.study.base import Identifier, require_declared
from tallybook.study.figure_base import Picture, Plot

if TYPE_CHECKING:
    from plotnine import ggplot

    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

_ROW, _AROUND = 0.34, 0.75
"""The heights in inches of a row, and of axis and notes together."""
_SPAN = "#BDBDBD"
"""The colour of the lines behind the dots."""


class PromptRange(Plot):
    """The estimates of a prompt-sensitivity analysis: a dot for each prompt, a line from end to end, the median."""

    kind: Literal["prompt-range"]
    x: Identifier
    """The factor whose levels stand below each other, a row each."""
    terms: tuple[str, ...] = ()
    """Unused: the analysis says which estimate is shown."""
    outcome: Identifier | None = None
    """The outcome, where the analysis has several."""
    scale: int = 1
    """The factor that numbers are multiplied by; 100 for percent."""
    y_label: str
    """The title of the axis of numbers, with the unit."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that identify a row."""
        return (self.x,)

    def check_names(self, study: Study, place: str) -> None:
        """Raise a ValueError if the plot refers to names that the study does not declare."""
        kinds = [name for name, one in study.analyses.items() if isinstance(one, PromptSensitivity)]
        require_declared([self.analysis], kinds, f"{place}.analysis", "prompt-sensitivity analysis")
        super().check_names(study, place)

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the ranges."""
        analysis = study.analyses[self.analysis]
        assert isinstance(analysis, PromptSensitivity)  # noqa: S101  what check_names let pass
        fixed = self.where | ({"outcome": self.outcome} if self.outcome else {})
        levels = [pl.col(name).is_in(levels) for name, levels in self.levels.items()]
        own = estimates.filter(*levels, pl.col("estimate").is_not_null(), **fixed)
        prompts = own.filter(analysis=analysis.of, term=analysis.term).select(self.x, "estimate")
        spread = own.filter(pl.col("term").is_in(["min", "median", "max"]), analysis=self.analysis)
        if spread.is_empty():
            raise UsageError(f"{place}: {self.analysis} has no estimates for it")
        if spread.select(self.x, "term").is_duplicated().any():
            raise UsageError(f"{place}: {self.analysis} has several ranges for a {self.x}; fix the rest in 'where'")
        prompts = rescaled(prompts, self.scale, "estimate")
        spread = rescaled(spread, self.scale, "estimate").pivot("term", index=self.x, values="estimate")
        names = level_names(study, self, spread)[self.x]
        spread = spread.sort(pl.col(self.x).replace_strict({name: place for place, name in enumerate(names)}))
        over = study.factors[analysis.over].label
        explained = [f"Small dots: one for each value of {visible(over)}.", "Large dots: their median."]
        plot = self._plot(prompts, spread, names, notes(explained, room.width))
        said = self._said(spread, names, explained)
        return Picture(plot, said, room.width, _ROW * spread.height + _AROUND)

    def _plot(self, prompts: pl.DataFrame, spread: pl.DataFrame, names: dict[str, str], caption: str) -> ggplot:
        import pandas as pd
        import plotnine as p9

        order = spread.get_column(self.x).to_list()[::-1]  # the first row is at the top

        def frame(rows: pl.DataFrame) -> pd.DataFrame:
            columns = rows.to_dict(as_series=False)
            return pd.DataFrame(columns | {self.x: pd.Categorical(columns[self.x], categories=order)})

        span: Any = p9.aes(x="min", xend="max", y=self.x, yend=self.x)
        parts: list[Any] = [
            p9.geom_segment(span, frame(spread), size=0.8, color=_SPAN),
            p9.geom_point(p9.aes("estimate", self.x), frame(prompts), size=1.3, stroke=0, color=FAINT_INK),
            p9.geom_point(p9.aes("median", self.x), frame(spread), size=2.6, stroke=0, color=INK),
            p9.scale_y_discrete(labels={level: literal(folded(names[level], 2)) for level in order}),
            p9.labs(x=literal(self.y_label), y="", caption=caption),
            plain_theme(),
            p9.theme(axis_title_x=p9.element_text(size=FONT_SIZE)),
        ]
        return p9.ggplot() + parts

    def _said(self, spread: pl.DataFrame, names: dict[str, str], explained: list[str]) -> str:
        """Return the alternative text."""
        ends = min(spread["min"].to_list()), max(spread["max"].to_list())
        rows: list[str] = []
        for level, *values in spread.select(self.x, "min", "median", "max").iter_rows():
            low, middle, high = (in_words(value, *ends) for value in values)
            rows.append(f"{visible(names[level])}: {low} to {high}, median {middle}")
        return f"Ranges. Horizontal axis – {visible(self.y_label)}. {'; '.join(rows)}. {' '.join(explained)}"

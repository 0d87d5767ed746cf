"""Figures that combine several plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from tallybook.figures.composable import COMPOSABLE, Composable
from tallybook.study.figure_base import Figure, Picture, Room
from tallybook.study.one_of import OneOf

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from tallybook.study.figure_base import Plot
    from tallybook.study.model import Study

AnyPlot = Annotated[Composable, OneOf(COMPOSABLE)]


class Composite(Figure):
    """A figure of several plots, each with estimates, axes and a heading of its own."""

    kind: Literal["composite"]
    direction: Literal["beside", "below"]
    """Whether the plots stand side by side or below each other."""
    plots: tuple[AnyPlot, ...] = Field(min_length=2)
    """The plots, in order; each has the settings of a figure of its kind, without number and caption."""

    def placed(self, place: str) -> Sequence[tuple[Plot, str]]:
        """Return the plots, each with its place in the study file."""
        return [(plot, f"{place}.plots[{number}]") for number, plot in enumerate(self.plots, start=1)]

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the plots side by side or below each other; group labels that all plots share are printed once."""
        from plotnine import labs
        from plotnine.composition import Beside, Stack

        numbered = [(plot, f"{place}, plot {number}") for number, plot in enumerate(self.plots, start=1)]
        beside = self.direction == "beside"
        width = room.width / len(self.plots) if beside else room.width
        named_once = False
        if beside:
            (first, *others) = (plot.side_names(study, estimates, own) for plot, own in numbered)
            named_once = first is not None and all(other == first for other in others)
        drawn = [
            plot.draw(study, estimates, own, Room(width, names_groups=not named_once or number == 0))
            for number, (plot, own) in enumerate(numbered)
        ]
        heights = [each.height for each in drawn]
        plots: list[Any] = [each.plot for each in drawn]
        noted = [plot for plot in plots if plot.labels.caption]
        if len({plot.labels.caption for plot in noted}) == 1:  # a shared note: under the first or last plot
            bearer = noted[0 if beside else -1]
            plots = [plot + labs(caption="") if plot in noted and plot is not bearer else plot for plot in plots]
        return Picture(
            (Beside if beside else Stack)(plots),
            " ".join(each.alt_text for each in drawn),
            room.width,
            max(heights) if beside else sum(heights),
        )

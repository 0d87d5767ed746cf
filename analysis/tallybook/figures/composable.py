"""Base classes of plots that can be combined in one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StringConstraints

from tallybook.core.registry import Registry
from tallybook.figures.grid import Layout
from tallybook.figures.selection import level_names
from tallybook.figures.value_axis import ValueAxis
from tallybook.study.base import Identifier, require_declared
from tallybook.study.coding import Categories
from tallybook.study.figure_base import Plot
from tallybook.study.naming import term_label, within_a_sentence

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.model import Study

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9A-Fa-f]{6}$")]
"""A colour: '#' and six hexadecimal digits."""

Range = tuple[float, float]


class Composable(Plot):
    """A plot that can be one of several; `outcome` and `term` can take the places of factors."""

    outcomes: tuple[Identifier, ...] = ()
    """The outcomes shown, in order; all that the analysis has otherwise."""
    terms: tuple[str, ...] = ()
    """The terms shown, in order; all that the analysis has otherwise."""
    heading: str = ""
    """The title above the panels: for a plot that is one of several in a figure."""
    scale: int = Field(default=1, ge=1)
    """The factor that numbers are multiplied by; 100 for percent."""
    y_label: str
    """The title of the axis of numbers, with the unit."""

    @property
    def shown_outcomes(self) -> tuple[str, ...]:
        """The outcomes shown; empty for all of the analysis."""
        return self.outcomes

    def layout(self, study: Study, shown: pl.DataFrame, width: float, **parts: Any) -> Layout:  # noqa: ANN401
        """Return the layout: the roles of the estimates' columns in the figure, with the `parts` that the kind adds."""
        names = level_names(study, self, shown)
        return Layout(
            panel_columns=self.panels,
            labels=names,
            orders={axis: tuple(levels) for axis, levels in names.items()},
            title=self.heading,
            y_title=self._value_title(study, shown),
            missing=study.style.missing,
            width=width,
            **parts,
        )

    def _value_title(self, study: Study, shown: pl.DataFrame) -> str:
        """Return the title of the value axis, preceded by the category if it is the only one and named nowhere else."""
        terms = shown.select("outcome", "term").unique().rows()
        (outcome, term) = terms[0]
        if len(terms) > 1 or "term" in self.axes or not isinstance(study.outcomes.get(outcome), Categories):
            return self.y_label
        category = self.labels.get("term", {}).get(term) or term_label(study, outcome, term)
        said = f"{getattr(self, 'title', '')} {self.heading} {self.y_label}".casefold()
        return self.y_label if category.casefold() in said else f"{category}: {within_a_sentence(self.y_label)}"

    def side_names(self, study: Study, estimates: pl.DataFrame, place: str) -> object:  # noqa: ARG002
        """Return the labels at the plot's side, which a neighbouring plot need not repeat; None if there are none."""
        return None


class OnAxis(Composable):
    """The settings that points and curves share: an axis of numbers, panels in rows, and colours."""

    panel_rows: Identifier | None = None
    """The factor whose levels are rows of panels."""
    panels_per_row: int | None = Field(default=None, ge=1)
    """How many of the panels stand side by side before the next row begins; by default all."""
    colour: Identifier | None = None
    """The factor told apart by colours (and by shapes or kinds of lines, for print without colours)."""
    colours: dict[str, Colour] = {}
    """Level -> its colour; colours of their own for others."""
    y_limits: Range | None = None
    """The ends of the axis of numbers, which nevertheless reaches as far as the numbers do."""
    line: float | None = None
    """A number that a dashed line marks, for instance that of no effect."""
    line_label: str = ""
    """What it stands for."""
    band: Range | None = None
    """A range of numbers on a grey ground."""
    band_label: str = ""
    """What it stands for."""
    interval: bool = True
    """Whether intervals are shown, where estimates have one."""

    def with_colour(self, *places: str | None) -> tuple[str, ...]:
        """Return the given axes and that of the colours, which may be one of the given axes."""
        axes = tuple(axis for axis in places if axis)
        return axes if self.colour is None or self.colour in axes else (*axes, self.colour)

    def _check_itself(self) -> None:
        super()._check_itself()
        for name, ends in (("y_limits", self.y_limits), ("band", self.band)):
            if ends is not None and ends[0] >= ends[1]:
                raise ValueError(f"{name}: the first number must be below the second")
        if self.line_label and self.line is None:
            raise ValueError("line_label needs 'line'")
        if self.band_label and self.band is None:
            raise ValueError("band_label needs 'band'")
        if self.panels_per_row is not None and (self.panels is None or self.panel_rows is not None):
            raise ValueError("panels_per_row needs 'panels', and no 'panel_rows'")
        if self.colours and self.colour is None:
            raise ValueError("colours needs 'colour'")

    def check_names(self, study: Study, place: str) -> None:
        """Raise a ValueError if the plot refers to names that the study does not declare."""
        super().check_names(study, place)
        if self.colour in study.factors:
            require_declared(self.colours, study.factors[self.colour].levels, f"{place}.colours", "level")

    def value_axis(self) -> ValueAxis:
        """Return the declaration of the value axis."""
        return ValueAxis(self.y_limits, self.line, self.line_label, self.band, self.band_label)

    def layout(self, study: Study, shown: pl.DataFrame, width: float, **parts: Any) -> Layout:  # noqa: ANN401
        """Return the layout, with rows of panels and colours."""
        parts |= {"fill": self.colour, "colours": self.colours, "panel_rows": self.panel_rows}
        return super().layout(study, shown, width, per_row=self.panels_per_row, **parts)


COMPOSABLE = Registry("tallybook.figures", Composable, "kind", "kind of plot")
"""The kinds of figures that can be combined in one figure."""

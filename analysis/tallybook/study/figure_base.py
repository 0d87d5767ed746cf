"""The base classes and registry of figures; each kind of figure is a module of `tallybook.figures`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pydantic import Field, create_model

from tallybook.core.registry import Registry
from tallybook.study.base import Declaration, FileName, Identifier, require_declared
from tallybook.study.presentation import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import polars as pl
    from plotnine import ggplot
    from plotnine.composition import Compose

    from tallybook.study.model import Study


class Picture(NamedTuple):
    """A plot that is ready to be saved."""

    plot: ggplot | Compose
    alt_text: str  # a description of the plot for screen readers
    width: float  # the inches it needs
    height: float  # the inches it needs


class Room(NamedTuple):
    """The room that a plot may take."""

    width: float  # inches
    names_groups: bool = True  # whether row groups are labelled: not if a neighbouring plot labels the same ones


class Figure(Declaration):
    """A kind of figure. A subclass says by the literal type of `kind` how it is called."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the kind in study files."""
        return FIGURES.name_of(cls)

    def placed(self, place: str) -> Sequence[tuple[Plot, str]]:
        """List the figure's plots, each with the place where it is declared."""
        raise NotImplementedError

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the figure; raise a `UsageError` if a thing drawn has no estimate, or more than one."""
        raise NotImplementedError


class Plot(Figure, Selection):
    """A figure of one plot: estimates of one analysis."""

    outcome_setting: ClassVar[str] = "outcomes"
    """The setting that names its outcomes."""
    axis_settings: ClassVar[tuple[str, ...]] = ("panel_rows", "panels", "x", "bars", "colour", "rows", "columns")
    """The settings that name the factors by which the plot is split."""
    other_axes: ClassVar[tuple[str, ...]] = ("outcome", "term")
    """The values that these settings can have besides factors."""

    analysis: Identifier
    """The analysis whose estimates are shown."""
    terms: tuple[str, ...]
    """The terms shown, in order."""
    panels: Identifier | None = None
    """The factor whose levels are panels side by side."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The columns that identify an estimate in the figure: factors, `outcome` and `term`."""
        return (self.panels,) if self.panels else ()

    @property
    def analyses(self) -> tuple[str, ...]:
        """The analyses whose estimates are shown."""
        return (self.analysis,)

    @property
    def shown_outcomes(self) -> tuple[str, ...]:
        """The outcomes shown; empty for all outcomes of the analysis."""
        return ()

    def _check_itself(self) -> None:
        if repeated := [axis for axis in self.axes if self.axes.count(axis) > 1]:
            raise ValueError(f"{repeated[0]!r} is used twice: for panels, rows of panels, x or colours")

    def placed(self, place: str) -> Sequence[tuple[Plot, str]]:
        """List the plot itself."""
        return [(self, place)]

    def check_names(self, study: Study, place: str) -> None:
        """Raise a ValueError for names that the study does not declare."""
        require_declared([self.analysis], study.analyses, f"{place}.analysis", "analysis")
        require_declared(self.shown_outcomes, study.outcomes, f"{place}.{self.outcome_setting}", "outcome")
        for setting, axis in self._split_by(self.other_axes):
            require_declared([axis], study.factors, f"{place}.{setting}", "factor")
        self.check_selection(study, study.factors, place)

    def check_shown(self, study: Study, place: str) -> None:
        """Raise a ValueError if the figure would be empty or ignore something that it names."""
        analysis = study.analyses[self.analysis]
        outcomes = analysis.outcomes_of(study) or ()
        require_declared(
            self.shown_outcomes, outcomes, f"{place}.{self.outcome_setting}", f"outcome of {self.analysis}"
        )
        split = f"factor that analysis {self.analysis} splits by"
        for setting, axis in self._split_by(("outcome", "term")):
            require_declared([axis], analysis.by, f"{place}.{setting}", split)
        require_declared(self.where, (*analysis.by, "outcome"), f"{place}.where", split)
        check_terms(study, self.analysis, self.terms, f"{place}.terms")
        check_terms(study, self.analysis, self.labels.get("term", ()), f"{place}.labels.term")

    def _split_by(self, others: Sequence[str]) -> list[tuple[str, str]]:
        """List the settings that name axes, each with its factor."""
        named = [(setting, getattr(self, setting, None)) for setting in self.axis_settings]
        return [(setting, axis) for setting, axis in named if axis in self.axes and axis not in others]


class Numbered(Figure):
    """The settings that figures of every kind have."""

    id: FileName
    """The figure's number, which names its files."""
    title: str
    """The caption."""
    width: float = Field(default=6.3, ge=2, le=20)
    """Its inches, in which letters have 6 to 10 points: by default those of a page's text (A4, margins of 2.5 cm); 3.3
    for a column of two."""
    supplementary: bool = False
    """Whether the publication has no such figure."""

    def __reduce__(self) -> tuple[Callable[..., Numbered], tuple[Any, ...]]:
        """Pickle by kind and state, since the figure's class is created at run time in each process."""
        return _remade, (type(self).__mro__[1], self.__getstate__())


def _remade(kind: type[Figure], state: dict[Any, Any]) -> Numbered:
    figure: Any = object.__new__(numbered(kind))
    figure.__setstate__(state)
    return figure


@cache
def numbered(kind: type[Figure]) -> type[Figure]:
    """Create the class of figures of a kind that have a number and a caption."""
    return create_model(f"{kind.__name__}Figure", __base__=(kind, Numbered), __doc__=kind.__doc__)


def check_terms(study: Study, analysis: str, terms: Iterable[str], place: str) -> None:
    """Raise a ValueError for terms that an analysis does not have."""
    known = study.analyses[analysis].terms(study)
    if known is not None:
        require_declared(terms, known, place, f"term of {analysis}")


FIGURES = Registry("tallybook.figures", Figure, "kind", "kind of figure")
"""The available kinds of figures: the built-in ones, and those of the entry point group `tallybook.figures`."""

"""The study file as a whole, and the references between its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from schemas.frames import Estimates, Responses, Tallies
from schemas.study.analyses import Analysis, ReferenceTable
from schemas.study.base import Declaration, Identifier, must_exist
from schemas.study.coding import CategoryOutcome, Factor, Outcome, ProfileInstrument, ScoreOutcome
from schemas.study.fit import check_analysis
from schemas.study.presentation import Figure, Style, TableSet
from schemas.study.publication import Erratum, Publication, Published, Remark
from schemas.study.sources import KeyedJsonSource, Source
from schemas.vocabulary import WORKING_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping


_RESERVED = {
    column for frame in (Responses, Tallies, Estimates) for column in frame.to_schema().columns
} | WORKING_COLUMNS
"""Columns that frames have beside factors and outcomes."""


class Study(Declaration):
    """A study: where responses come from, how they are coded, what is computed and how it is shown."""

    name: Identifier
    """The study's short name; its report narrative lies in the folder of this name."""
    title: str
    seed: int = Field(default=0, strict=True)
    """Where every pseudo-random number of the study starts."""
    publication: Publication | None = None
    sources: tuple[Source, ...] = Field(min_length=1)
    key: tuple[Identifier, ...] = ("model", "item", "sample")
    """The columns that identify a response."""
    factors: dict[Identifier, Factor]
    instrument: ProfileInstrument
    outcomes: dict[Identifier, Outcome] = Field(min_length=1)
    references: dict[Identifier, ReferenceTable] = {}
    analyses: dict[Identifier, Analysis] = {}
    style: Style = Style()
    tables: tuple[TableSet, ...] = ()
    figures: tuple[Figure, ...] = ()
    published: Published | None = None
    errata: tuple[Erratum, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @model_validator(mode="after")
    def _names_exist(self) -> Study:
        """Every name that one part uses must be declared by another, and no column may have two meanings."""
        for place, names, taken in (
            ("factors", self.factors, _RESERVED - {"model", "item"}),
            ("outcomes", self.outcomes, _RESERVED | set(self.factors)),
        ):
            if clash := [name for name in names if name in taken]:
                raise ValueError(f"{place}.{clash[0]}: this column has another meaning; choose another name")
        for reference, declared in self.references.items():
            must_exist(declared.by, self.factors, f"references.{reference}.by", "factor")
        for name, analysis in self.analyses.items():
            check_analysis(self, analysis, f"analyses.{name}")
        for number, table in enumerate(self.tables, start=1):
            self._check_table(table, f"tables[{number}]")
        for number, figure in enumerate(self.figures, start=1):
            self._check_figure(figure, f"figures[{number}]")
        self._check_sources()
        return self

    def _check_sources(self) -> None:
        types: dict[tuple[str, str], str] = {}
        for number, source in enumerate(self.sources, start=1):
            if isinstance(source, KeyedJsonSource):
                self._check_source(source, f"sources[{number}]")
                for column, kind in source.made.items():
                    if types.setdefault((source.edition, column), kind) != kind:
                        raise ValueError(f"sources[{number}]: column {column!r} is of another type in another source")

    def _check_table(self, table: TableSet, place: str) -> None:
        axes = (*self.factors, "outcome")
        must_exist([*table.for_each, *table.where], axes, place, "factor")
        self._check_levels(table.where, f"{place}.where")
        must_exist(table.rows, axes, f"{place}.rows", "factor")
        must_exist(table.columns, (*axes, "term", "measure"), f"{place}.columns", "factor")
        must_exist(table.outcomes, self.outcomes, f"{place}.outcomes", "outcome")
        if table.row_n:
            must_exist([table.row_n], self.analyses, f"{place}.row_n", "analysis")
        for measure in table.measures:
            for part in measure.parts:
                must_exist([part.analysis], self.analyses, f"{place}.measures.{measure.id}", "analysis")

    def _check_figure(self, figure: Figure, place: str) -> None:
        must_exist([figure.analysis], self.analyses, f"{place}.analysis", "analysis")
        must_exist([figure.outcome], self.outcomes, f"{place}.outcome", "outcome")
        axes = [axis for axis in (figure.x, figure.panels, figure.panel_rows) if axis]
        must_exist([*axes, *figure.where], self.factors, place, "factor")
        self._check_levels(figure.where, f"{place}.where")

    def _check_levels(self, where: Mapping[str, str], place: str) -> None:
        for name, level in where.items():
            known = self.factors[name].levels if name in self.factors else self.outcomes
            must_exist([level], known, f"{place}.{name}", "level")

    def _check_source(self, source: KeyedJsonSource, place: str) -> None:
        """Factors, key and attributes must be among the columns that a source makes."""
        made = source.made
        for name, factor in self.factors.items():
            if name not in made:
                origin = [] if factor.derive is None else [factor.derive.source]
                must_exist(origin or [name], made, f"{place}: factors.{name}", "column")
                made[name] = "string"
        must_exist(["model", "item", "sample"], made, f"{place}: what identifies a response", "column")
        must_exist(self.key, made, f"{place}: key", "column")
        if self.instrument.attributes == "text":
            must_exist(["text"], made, f"{place}: instrument.attributes", "column")
            made |= dict.fromkeys(self.instrument.block, "string")
        for name, outcome in self.outcomes.items():
            if isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute":
                continue
            must_exist([outcome.attribute], made, f"{place}: outcomes.{name}.attribute", "column")
            if not isinstance(outcome, ScoreOutcome) and made[outcome.attribute] != "string":
                raise ValueError(f"{place}: outcomes.{name}.attribute: {outcome.attribute!r} is a number, not a label")

    def category_outcome(self, name: str) -> CategoryOutcome:
        """An outcome that must be one of categories.

        Args:
            name: The outcome.

        Returns:
            The declaration.

        Raises:
            ValueError: If the outcome is a label or a score.
        """
        outcome = self.outcomes[name]
        if not isinstance(outcome, CategoryOutcome):
            raise ValueError(f"outcome {name!r} has no categories")  # noqa: TRY004  a fault of the file, not a type
        return outcome

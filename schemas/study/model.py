"""The study file as a whole, and the references between its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from schemas.study.analyses import Analysis, BinomialTest, DeviationScore, ReferenceTable, StereotypeScore
from schemas.study.base import Declaration, Identifier
from schemas.study.coding import CategoryOutcome, Factor, Outcome, ProfileInstrument
from schemas.study.presentation import Figure, Style, TableSet
from schemas.study.publication import Erratum, Publication, Published, Remark
from schemas.study.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterable


class Study(Declaration):
    """A study: where responses come from, how they are coded, what is computed and how it is shown."""

    name: Identifier
    """The study's short name; its report narrative lies in the folder of this name."""
    title: str
    seed: int = 0
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
        """Every name that one part uses must be declared by another."""
        for name, analysis in self.analyses.items():
            self._check(analysis.by, self.factors, f"analyses.{name}.by", "factor")
            if isinstance(analysis, DeviationScore):
                tests = [other for other, kind in self.analyses.items() if isinstance(kind, BinomialTest)]
                self._check([analysis.of], tests, f"analyses.{name}.of", "binomial test")
                continue
            self._check(analysis.outcomes, self.outcomes, f"analyses.{name}.outcomes", "outcome")
            if isinstance(analysis, BinomialTest):
                self._check([analysis.reference], self.references, f"analyses.{name}.reference", "reference")
            if isinstance(analysis, StereotypeScore):
                self._check([analysis.between, analysis.within], self.factors, f"analyses.{name}", "factor")
                for outcome, categories in analysis.categories.items():
                    known = self.category_outcome(outcome).terms if outcome in self.outcomes else ()
                    self._check(categories, known, f"analyses.{name}.categories.{outcome}", "category")
        for reference, declared in self.references.items():
            self._check(declared.by, self.factors, f"references.{reference}.by", "factor")
        for number, table in enumerate(self.tables, start=1):
            self._check_table(table, f"tables[{number}]")
        for number, figure in enumerate(self.figures, start=1):
            place = f"figures[{number}]"
            self._check([figure.analysis], self.analyses, f"{place}.analysis", "analysis")
            self._check([figure.outcome], self.outcomes, f"{place}.outcome", "outcome")
            axes = [axis for axis in (figure.x, figure.panels, figure.panel_rows) if axis]
            self._check([*axes, *figure.where], self.factors, place, "factor")
        return self

    def _check_table(self, table: TableSet, place: str) -> None:
        axes = (*self.factors, "outcome")
        self._check([*table.for_each, *table.where], axes, place, "factor")
        self._check(table.rows, axes, f"{place}.rows", "factor")
        self._check(table.columns, (*axes, "term", "measure"), f"{place}.columns", "factor")
        self._check(table.outcomes, self.outcomes, f"{place}.outcomes", "outcome")
        if table.row_n:
            self._check([table.row_n], self.analyses, f"{place}.row_n", "analysis")
        for measure in table.measures:
            for part in measure.parts:
                self._check([part.analysis], self.analyses, f"{place}.measures.{measure.id}", "analysis")

    @staticmethod
    def _check(names: Iterable[str], known: Iterable[str], place: str, kind: str) -> None:
        declared = list(known)
        for name in names:
            if name not in declared:
                raise ValueError(f"{place}: no {kind} {name!r}; declared: {', '.join(declared) or 'none'}")

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

"""The study file as a whole, and the references between its parts."""

from __future__ import annotations

from pydantic import Field, model_validator

from schemas.frames import Estimates, Responses, Tallies
from schemas.study.analyses import Analysis, ReferenceTable
from schemas.study.base import Declaration, Identifier, must_exist
from schemas.study.coding import Categories, Factor, Outcome, ScoreOutcome
from schemas.study.fit import check_analysis
from schemas.study.fit_tables import check_levels, check_table
from schemas.study.instruments import Instrument
from schemas.study.presentation import Figure, Listing, Style, TableSet
from schemas.study.publication import Erratum, Publication, Published, Remark
from schemas.study.sources import CodedSource, ResponseSource, Source
from schemas.vocabulary import WORKING_COLUMNS

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
    instrument: Instrument
    outcomes: dict[Identifier, Outcome] = Field(min_length=1)
    references: dict[Identifier, ReferenceTable] = {}
    analyses: dict[Identifier, Analysis] = {}
    style: Style = Style()
    tables: tuple[TableSet, ...] = ()
    figures: tuple[Figure, ...] = ()
    listings: tuple[Listing, ...] = ()
    published: Published | None = None
    errata: tuple[Erratum, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @model_validator(mode="after")
    def _names_exist(self) -> Study:
        """Every name that one part uses must be declared by another, and no column may have two meanings."""
        for place, names, taken in (
            ("factors", self.factors, _RESERVED - {"model", "item"} | set(self.instrument.makes)),
            ("outcomes", self.outcomes, _RESERVED | set(self.factors)),
        ):
            if clash := [name for name in names if name in taken]:
                raise ValueError(f"{place}.{clash[0]}: this column has another meaning; choose another name")
        for reference, declared in self.references.items():
            must_exist(declared.by, self.factors, f"references.{reference}.by", "factor")
        for name, analysis in self.analyses.items():
            check_analysis(self, analysis, f"analyses.{name}")
        for number, table in enumerate(self.tables, start=1):
            check_table(self, table, f"tables[{number}]")
        for number, figure in enumerate(self.figures, start=1):
            self._check_figure(figure, f"figures[{number}]")
        for number, listing in enumerate(self.listings, start=1):
            editions = [source.edition for source in self.sources]
            must_exist([listing.edition], editions, f"listings[{number}].edition", "edition")
        self._check_sources()
        return self

    def _check_sources(self) -> None:
        types: dict[tuple[str, str], str] = {}
        for number, source in enumerate(self.sources, start=1):
            if not isinstance(source, CodedSource):
                self._check_source(source, f"sources[{number}]")
                for column, kind in source.made.items():
                    if types.setdefault((source.edition, column), kind) != kind:
                        raise ValueError(f"sources[{number}]: column {column!r} is of another type in another source")

    def _check_figure(self, figure: Figure, place: str) -> None:
        must_exist([figure.analysis], self.analyses, f"{place}.analysis", "analysis")
        must_exist([figure.outcome], self.outcomes, f"{place}.outcome", "outcome")
        must_exist([axis for axis in figure.axes if axis != "term"], self.factors, place, "factor")
        must_exist([*figure.where, *figure.levels], self.factors, place, "factor")
        check_levels(self, {name: (level,) for name, level in figure.where.items()}, f"{place}.where")
        check_levels(self, figure.levels, f"{place}.levels")

    def _check_source(self, source: ResponseSource, place: str) -> None:
        """Factors, key and attributes must be among the columns that a source makes."""
        made = source.made
        for name, factor in self.factors.items():
            if name not in made:
                origin = (name,) if factor.derive is None else factor.derive.columns
                must_exist(origin, made, f"{place}: factors.{name}", "column")
                made[name] = "string"
        must_exist(["model", "item", "sample"], made, f"{place}: what identifies a response", "column")
        if made["sample"] != "integer":
            raise ValueError(f"{place}: column 'sample' counts the answers to an item: its type must be 'integer'")
        must_exist(self.key, made, f"{place}: key", "column")
        for setting, column in self.instrument.reads.items():
            must_exist([column], made, f"{place}: instrument.{setting}", "column")
        if twice := [column for column in self.instrument.makes if column in made]:
            raise ValueError(f"{place}: column {twice[0]!r} is made by the instrument too; choose another name")
        made |= dict.fromkeys(self.instrument.makes, "string")
        for name, outcome in self.outcomes.items():
            if isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute":
                continue
            must_exist([outcome.attribute], made, f"{place}: outcomes.{name}.attribute", "column")
            if not isinstance(outcome, ScoreOutcome) and made[outcome.attribute] != "string":
                raise ValueError(f"{place}: outcomes.{name}.attribute: {outcome.attribute!r} is a number, not a label")

    def category_outcome(self, name: str) -> Categories:
        """An outcome that must be one of categories.

        Args:
            name: The outcome.

        Returns:
            The declaration.

        Raises:
            ValueError: If the outcome is a label or a score.
        """
        outcome = self.outcomes[name]
        if not isinstance(outcome, Categories):
            raise ValueError(f"outcome {name!r} has no categories")  # noqa: TRY004  a fault of the file, not a type
        return outcome

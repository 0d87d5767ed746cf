"""The study file as a whole, and the references between its parts."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field

from tallybook.study.analysis_base import ANALYSES, Analysis
from tallybook.study.base import (
    Characters,
    Declaration,
    Faults,
    Identifier,
    faults_of,
    must_differ,
    raise_all,
    require_declared,
)
from tallybook.study.check_base import CHECKS, DataCheck
from tallybook.study.check_tables import check_shown, check_table, shown_in
from tallybook.study.checklist_items import NAMES
from tallybook.study.clusters import Cluster, check_columns
from tallybook.study.coding import Categories, Factor, Outcome, Overrides
from tallybook.study.figure_base import FIGURES, Numbered, numbered
from tallybook.study.instrument_base import INSTRUMENTS, Instrument
from tallybook.study.names import RESERVED
from tallybook.study.one_of import OneOf
from tallybook.study.presentation import Inline, Listing, Style, TableSet
from tallybook.study.printed import Printed, check_printed
from tallybook.study.publication import Erratum, NotReproduced, Publication, Published, Remark
from tallybook.study.reference_tables import ReferenceTable, SummaryTable
from tallybook.study.sources import CodedSource, Source
from tallybook_schemas.vocabulary import DegreesOfFreedom, Denominator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.study.source_base import ResponseFiles

AnyAnalysis = Annotated[Analysis, OneOf(ANALYSES)]
AnyInstrument = Annotated[Instrument, OneOf(INSTRUMENTS)]
AnyFigure = Annotated[Numbered, OneOf(FIGURES, numbered)]
AnyCheck = Annotated[DataCheck, OneOf(CHECKS)]


class Study(Declaration):
    """A study: where responses come from, how they are coded, what is computed and how it is shown."""

    name: Identifier
    """The study's short name; its report narrative lies in the folder of this name."""
    title: str
    """The study's title, which heads its report."""
    seed: int = Field(default=0, strict=True)
    """The seed of every pseudo-random number of the study."""
    data: Characters | None = None
    """The folder of the data, relative to the study file; by default the study file's own. Of a folder that is not
    within that one the user is asked, or names it with `--data`."""
    publication: Publication | None = None
    """The paper whose numbers the study reproduces."""
    sources: tuple[Source, ...] = Field(min_length=1)
    """The sources of the responses: files and how they are read."""
    key: Annotated[tuple[Identifier, ...], Field(min_length=1)] = ("model", "item", "sample")
    """The columns that identify a response."""
    cluster: Cluster | None = None
    """The column that repeated responses share: `item`, a name, a template; of several columns their combinations.
    Analyses treat clusters, and not single responses, as independent of each other. `[]` treats all responses as
    independent, as does a study without it, which is warned of responses that repeat."""
    df: DegreesOfFreedom = "clusters"
    """The degrees of freedom of clustered tests and intervals: one less than there are clusters, or `effective`, which
    is fewer where some clusters are much larger than others. Correlations and regressions have the former."""
    denominator: Denominator | None = None
    """The denominator of shares, and of their differences and ratios, in analyses that name none."""
    factors: dict[Identifier, Factor]
    """Name -> a column by which results are split."""
    instrument: AnyInstrument | None = None
    """How responses are read, where all are read alike."""
    instruments: dict[Identifier, AnyInstrument] = {}
    """Instead: several instruments, each source naming its own."""
    outcomes: dict[Identifier, Outcome] = Field(min_length=1)
    """Name -> what is read off each response."""
    overrides: Overrides | None = None
    """Hand codes of responses, which win over the rules."""
    references: dict[Identifier, ReferenceTable] = {}
    """Name -> a table of known population proportions that shares are tested against."""
    summaries: dict[Identifier, SummaryTable] = {}
    """Name -> a table of means that nobody can compute again."""
    checks: dict[Identifier, AnyCheck] = {}
    """Name -> what `tallybook validate` checks beyond types, keys and levels."""
    analyses: dict[Identifier, AnyAnalysis] = {}
    """Name -> a statistic, the outcomes it is computed for and the factors it is split by."""
    style: Style = Style()
    """How numbers are printed."""
    tables: tuple[TableSet, ...] = ()
    """Tables, or sets of tables with one layout."""
    numbers: dict[Identifier, Inline] = {}
    """Numbers that the narrative names."""
    figures: tuple[AnyFigure, ...] = ()
    """Figures."""
    listings: tuple[Listing, ...] = ()
    """Tables of the lists that prompts were made of."""
    published: Published | None = None
    """The printed numbers that a run is compared with."""
    printed: Printed = Printed()
    """Tables that are printed as published, for want of data, and checks of printed numbers."""
    errata: tuple[Erratum, ...] = ()
    """Known defects of the published numbers."""
    not_reproduced: tuple[NotReproduced, ...] = ()
    """Published numbers that no known rule gives."""
    remarks: tuple[Remark, ...] = ()
    """Remarks on numbers that agree."""
    checklist: dict[str, Characters] = {}
    """Item of a reporting checklist, such as `"ARR B2"` -> the authors' answer, beside what the run knows of it."""

    def _check_itself(self) -> None:
        """Check that every name used is declared, and that no column name has two meanings."""
        self.analyses.update({name: one.with_defaults_of(self) for name, one in self.analyses.items()})
        faults = self._clashes() + faults_of(must_differ, self.key, "key") + self._faults_in("outcomes")
        faults += self._faults_in("overrides") + faults_of(check_columns, self, self.cluster, "cluster")
        is_readable = not faults  # the columns that sources need follow from factors and outcomes
        faults += self._faults_in("references") + self._faults_in("summaries")
        own = {name: faults_of(one.check, self, f"analyses.{name}") for name, one in self.analyses.items()}
        faults += [fault for found in own.values() for fault in found]
        wrong = {name for name, found in own.items() if found}
        for place, table in self._placed("tables"):
            found = faults_of(check_table, self, table, place)
            if not found and not self._rest_on(shown_in(table), wrong):
                found = faults_of(check_shown, self, table, place)
            faults += found
        faults += self._faults_in("numbers")
        for place, figure in self._placed("figures"):
            plots = figure.placed(place)
            found = [fault for plot, at in plots for fault in faults_of(plot.check_names, self, at)]
            if not found and not self._rest_on(shown_in(figure), wrong):
                found = [fault for plot, at in plots for fault in faults_of(plot.check_shown, self, at)]
            faults += found
        faults += self._repeated() + self._faults_in("listings")
        faults += self._faults_of_sources() if is_readable else []
        faults += self._faults_in("checks") + faults_of(check_printed, self, "printed")
        raise_all(faults + faults_of(require_declared, self.checklist, NAMES, "checklist", "item"))

    def _placed(self, setting: str) -> list[tuple[str, Any]]:
        """List the declarations under a setting, each with its place in messages."""
        parts: Any = getattr(self, setting)
        if isinstance(parts, tuple):
            return [(f"{setting}[{number}]", part) for number, part in enumerate(cast("tuple[Any]", parts), start=1)]
        if isinstance(parts, dict):
            return [(f"{setting}.{name}", part) for name, part in cast("dict[str, Any]", parts).items()]
        return [] if parts is None else [(setting, parts)]

    def _faults_in(self, setting: str) -> Faults:
        return [fault for place, part in self._placed(setting) for fault in faults_of(part.check, self, place)]

    def _rest_on(self, analyses: Iterable[str], wrong: set[str]) -> bool:
        """Return whether any of these analyses, or of their sources, is among the wrong ones."""
        return any(name in wrong or self._rest_on(self.analyses[name].sources, wrong) for name in analyses)

    def _repeated(self) -> Faults:
        """List faults for tables, figures, errata and listings with the same id."""
        faults: Faults = []
        for settings in (("errata", "not_reproduced", "remarks"), ("figures",), ("tables", "listings")):
            first: dict[str, str] = {}
            for place, part in chain(*map(self._placed, settings)):
                if part.id in first:
                    told = f"{part.id!r} is the id of {first[part.id]} too; choose another"
                    faults.append(ValueError(f"{place}.id: {told}"))
                elif settings[0] != "tables" or "{" not in part.id:
                    first[part.id] = place
        return faults

    def _clashes(self) -> Faults:
        """List faults for factors and outcomes whose names are reserved for other columns."""
        made = {column for instrument in self.all_instruments for column in instrument.makes}
        taken = {
            "factors": RESERVED - {"model", "item"} | made,
            "outcomes": RESERVED | set(self.factors),
        }
        return [
            ValueError(f"{place}.{name}: this column has another meaning; choose another name")
            for place, names in (("factors", self.factors), ("outcomes", self.outcomes))
            for name in names
            if name in taken[place]
        ]

    def _faults_of_sources(self) -> Faults:
        if (self.instrument is None) == (not self.instruments):
            return [ValueError("exactly one of 'instrument' and 'instruments'")]
        faults = self._faults_in("sources")
        types: dict[tuple[str, str], str] = {}
        for place, source in self._placed("sources"):
            for column, kind in () if isinstance(source, CodedSource) else source.made.items():
                if types.setdefault((source.edition, column), kind) != kind:
                    faults.append(ValueError(f"{place}: column {column!r} is of another type in another source"))
        return faults

    @property
    def all_instruments(self) -> list[Instrument]:
        """The study's instruments, one or several."""
        return [self.instrument] if self.instrument else [*self.instruments.values()]

    def instrument_of(self, source: ResponseFiles) -> Instrument:
        """Return the instrument that reads the responses of a source."""
        return self.instrument or self.instruments[source.instrument or ""]

    def category_outcome(self, name: str) -> Categories:
        """Return an outcome with categories; raise a ValueError if it has none."""
        outcome = self.outcomes[name]
        if not isinstance(outcome, Categories):
            raise ValueError(f"outcome {name!r} has no categories")  # noqa: TRY004  a fault of the file, not a type
        return outcome


@cache
def schema_of_models() -> dict[str, Any]:
    """Return pydantic's JSON Schema of study files, cached, since building it takes a second."""
    return Study.model_json_schema(by_alias=True)

"""Settings that sources share: captured parts of paths, lookups in other files, and derived columns."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tallybook.study.base import ColumnType, DataPath, Declaration, Identifier, require_declared
from tallybook.study.coding import ScoreOutcome
from tallybook.study.derivation import Conditions, Derivation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.coding import Outcome
    from tallybook.study.model import Study


PART = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?::(int))?\}")
"""A part of a path or key pattern that is captured into a column: `{name}`, or `{name:int}` for whole numbers."""

OWN_COLUMNS = ("file", "key", "status")
"""The columns that every record has."""


class Lookup(Declaration):
    """Columns taken from another file, where it says what belongs to a record.

    That is a row at a position that a column names, the row that is equal in some columns, or a path of a JSON file.
    """

    file: DataPath
    """The file, a table of any format or a JSON object, relative to the data folder; `{column}` stands for a column
    captured from the path."""
    table: str | None = None
    """The table, if the file is a database of several."""
    own: bool = False
    """Whether the file is the study's own: relative to the folder of the study file (of a published study: to its
    bundled data), whatever data are read."""
    row: Identifier | None = None
    """The column that holds the row's position after the header: a whole number."""
    first: Literal[0, 1] = 0
    """The position of the first row: lines of plain text are counted from 1."""
    on: dict[Identifier, str] = {}
    """Instead: column of the responses -> column of the file. The row is the one that is equal in all of them."""
    absent: Literal["error", "ignore"] = "error"
    """How a response without a row or value in the file is treated; ignored, it has missing values."""
    take: dict[Identifier, str] = Field(min_length=1)
    """New column -> column of the file. Of a JSON file the path of the value: keys joined by dots, in which `{column}`
    stands for what the response has there."""

    @property
    def is_json(self) -> bool:
        """Whether values are found by paths rather than in rows."""
        return self.file.lower().endswith(".json") and not self.on

    def _check_itself(self) -> None:
        if [self.row is not None, bool(self.on), self.is_json].count(True) != 1:
            raise ValueError("exactly one of 'row' and 'on'; of a JSON file neither, for 'take' are paths")


class Keep(Conditions):
    """The responses of a source that are wanted: those that meet all conditions.

    The others are left out before anything else is made of them, are counted, and are listed in the summary, the
    manifest and the report. A value of a wrong type is an error in a response that is left out, too.
    """


class ResponseFiles(Declaration):
    """The settings that all sources of responses have that are yet to be coded."""

    edition: Identifier = "data"
    """Which edition of the data the source belongs to; a run reads all sources of one edition."""
    instrument: Identifier | None = None
    """Which of the study's `instruments` reads its responses; a study with a single `instrument` needs no name."""
    require: tuple[Identifier, ...] = ()
    """Columns in which every record must have a value."""
    missing_files: Literal["error", "report", "ignore"] = "report"
    """How a declared combination of factors without a file is treated. Combinations are declared by the parts of
    `files` whose values the study lists: levels of a factor, keys of a `map`."""
    lookups: tuple[Lookup, ...] = ()
    """Columns taken from other files; those whose rows derived columns find, after these are derived."""
    derive: dict[Identifier, Derivation] = {}
    """Column -> how it is derived, in this order."""
    keep: Keep | None = None
    """Which responses are wanted; all by default. Others are left out before columns are looked up and derived (by
    conditions on such columns: after that), and before responses are matched with items, numbered and compared."""

    @property
    def made(self) -> dict[str, ColumnType]:
        """The columns of the responses that are read, with their types."""
        raise NotImplementedError

    def is_never_asked(self, outcome: Outcome) -> bool:
        """Return whether constants rule out that any response has an outcome."""
        constants: dict[str, object] = getattr(self, "constants", {})
        return any(name in constants and str(constants[name]) not in levels for name, levels in outcome.where.items())

    def check(self, study: Study, place: str) -> None:
        """Raise an error for a column that the study needs and the source lacks."""
        made = self.made
        for name, factor in study.factors.items():
            if name not in made:
                origin = (name,) if factor.derive is None else factor.derive.columns
                require_declared(origin, made, f"{place}: factors.{name}", "column")
                made[name] = "string"
        require_declared(["model", "item", "sample"], made, f"{place}: what identifies a response", "column")
        if made["sample"] != "integer":
            raise ValueError(f"{place}: column 'sample' counts the answers to an item: its type must be 'integer'")
        require_declared(study.key, made, f"{place}: key", "column")
        self._check_instrument(study, made, place)
        for name, outcome in study.outcomes.items():
            is_score = isinstance(outcome, ScoreOutcome)
            if self.is_never_asked(outcome) or (is_score and outcome.scorer != "attribute"):
                continue
            require_declared([outcome.attribute], made, f"{place}: outcomes.{name}.attribute", "column")
            if not is_score and made[outcome.attribute] != "string":
                raise ValueError(f"{place}: outcomes.{name}.attribute: {outcome.attribute!r} is a number, not a label")

    def _check_instrument(self, study: Study, made: dict[str, ColumnType], place: str) -> None:
        """Raise an error for an instrument whose input columns are missing, or whose output columns exist already."""
        own = "instrument"
        if study.instruments:
            if self.instrument is None:
                names = ", ".join(repr(name) for name in study.instruments)
                raise ValueError(
                    f"{place}.instrument: this setting is missing; expected the name of an instrument: {names}"
                )
            require_declared([self.instrument], study.instruments, f"{place}.instrument", "instrument")
            own = f"instruments.{self.instrument}"
        elif self.instrument is not None:
            raise ValueError(
                f"{place}.instrument: the study has a single 'instrument', which no source names; leave this setting "
                "out, or declare several 'instruments'"
            )
        instrument = study.instrument_of(self)
        for setting, column in instrument.reads.items():
            require_declared([column], made, f"{place}: {own}.{setting}", "column")
        if twice := [column for column in instrument.makes if column in made]:
            raise ValueError(f"{place}: column {twice[0]!r} is made by the instrument too; choose another name")
        made |= instrument.makes

    @property
    def _made_later(self) -> dict[str, ColumnType]:
        """The columns that are looked up or derived, with their types."""
        types: dict[str, ColumnType] = dict.fromkeys((new for one in self.lookups for new in one.take), "string")
        types |= {name: rule.type for name, rule in self.derive.items()}
        return types


def captured_parts(form: str) -> list[tuple[str, ColumnType]]:
    """List the columns that a pattern of paths or keys captures."""
    return [(name, "integer" if kind else "string") for name, kind in PART.findall(form)]


def check_lookup(lookup: Lookup, captured: Sequence[str], whole: Sequence[str], made: Sequence[str]) -> None:
    """Check that a lookup reads only columns that exist before it."""
    require_declared([name for name, _ in PART.findall(lookup.file)], captured, "lookups.file", "captured part")
    if lookup.row is not None:
        require_declared([lookup.row], whole, "lookups.row", "whole number")
    require_declared(lookup.on, made, "lookups.on", "column")
    if lookup.is_json:
        named = [name for path in lookup.take.values() for name, _ in PART.findall(path)]
        require_declared(named, made, "lookups.take", "column")


def check_once(made: Sequence[str]) -> None:
    """Check that no column is created twice."""
    if repeated := [name for name, times in Counter(made).items() if times > 1]:
        raise ValueError(f"more than one column {repeated[0]!r}")


def check_derivations(derive: Mapping[str, Derivation], made: list[str]) -> None:
    """Check that each derivation reads only columns that exist before it; append the derived columns to `made`."""
    for name, rule in derive.items():
        require_declared([rule.source] if rule.source else [], made, f"derive.{name}.from", "column")
        others = [column for column in rule.columns if column != rule.source]
        require_declared(others, made, f"derive.{name}.{rule.rule}", "column")
        if rule.pick is not None and not any(rule.picks(column) for column in made):
            raise ValueError(f"derive.{name}.pick: no column is called so: {rule.pick!r}")
        made.append(name)

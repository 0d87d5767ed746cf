"""A study file before it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.study.names import free_name, identifier, plain, told_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Settings = dict[str, Any]
"""Setting -> value, as they stand in the study file."""

_OUTCOMES = {"answer", "bias", "choice", "decision", "reason"}
"""Names of outcomes, which no column that is read has."""


UNNUMBERED = "Nothing numbers repetitions"
"""The beginning of the doubt that samples have no numbers."""


class Evidence(NamedTuple):
    """The evidence for clusters: values, and the least and the most responses that each of them has."""

    values: str = ""
    times: tuple[int, int] | None = None
    within: str = ""
    is_uneven: bool = False  # whether some are much larger than others

    def __str__(self) -> str:
        """Write the evidence in words."""
        if self.times is None:
            return self.values
        return f"{self.values}{' to '.join(f'{one:,}' for one in sorted({*self.times}))} responses each{self.within}"

    def joined(self, records: int) -> Evidence:
        """Count responses that are made of several records each."""
        return self._replace(times=self.times and (self.times[0] // records, self.times[1] // records))


@dataclass
class Draft:
    """A study file before it is written."""

    name: str  # the study's name
    title: str
    source: Settings  # the settings of its source, without columns
    partial: frozenset[str] = frozenset()  # the columns of the dump that some files lack
    reserved: frozenset[str] = frozenset()  # names that no column has: the instrument makes such ones
    data: str = "."  # the data folder, relative to that of the study file
    columns: dict[str, Settings] = field(default_factory=dict[str, Settings])  # column -> its settings
    derive: dict[str, Settings] = field(default_factory=dict[str, Settings])  # column -> how it is made from others
    factors: dict[str, Settings] = field(default_factory=dict[str, Settings])  # factor -> its settings
    instrument: Settings = field(default_factory=Settings)  # the settings of the instrument
    outcomes: dict[str, Settings] = field(default_factory=dict[str, Settings])  # outcome -> its settings
    checks: dict[str, Settings] = field(default_factory=dict[str, Settings])  # check -> its settings
    key: tuple[str, ...] = ("model", "item", "sample")  # what identifies a response
    cluster: str | None = None  # the column that repeated responses share; None if none does
    evidence: Evidence = field(default_factory=Evidence)  # why it is that
    # another column of clusters, each of whose values occurs with each of these; None if there is none
    crossing: str | None = None
    nested: frozenset[str] = frozenset()  # the factors of which each cluster has one level
    # factor -> the cluster of what is split by it, where it is another one; None where there is none
    clusters: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    # factor -> the levels that are compared, where not all are
    compared: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    digits: int = 3  # the digits of means behind their points
    doubts: list[str] = field(default_factory=list[str])  # what nobody but the user can know, and what was assumed
    used: dict[str, str] = field(default_factory=dict[str, str])  # column of the dump -> what the study calls it

    @property
    def scores(self) -> list[str]:
        """The outcomes that are numbers."""
        return [name for name, outcome in self.outcomes.items() if outcome["kind"] == "score"]

    @property
    def categories(self) -> list[str]:
        """The outcomes that are one of several categories, reasons for no answer left out."""
        return [name for name, outcome in self.outcomes.items() if outcome["kind"] == "category"]

    def take(self, column: str, role: str | None = None, settings: Mapping[str, Any] | None = None) -> str:
        """Declare a column of the dump once; with `role`, anew under that name."""
        if column not in self.used or role is not None:
            name = role or self._called(plain(column) or "column")
            optional = {"optional": True} if column in self.partial else {}
            self.used[column] = name
            self.columns[name] = {"path": column, **(settings or {}), **optional}
        return self.used[column]

    def _called(self, wanted: str) -> str:
        """Find a name for a column: its own, unless that has a meaning or another column has it."""
        taken = {*self.columns, *_OUTCOMES, *self.reserved}
        name = free_name(wanted, taken)
        is_own = name == identifier(wanted) or identifier(wanted) in self.columns
        return name if is_own else free_name(f"{wanted}_column", taken)

    def fill(self, column: str, missing: str) -> None:
        """Give the responses that lack a value of a column one that says so."""
        self.columns[f"{column}_given"] = self.columns.pop(column)
        self.derive[column] = {"from": f"{column}_given", "extract": "(?s)(.+)", "missing": missing}

    def number_repetitions(self) -> None:
        """Withdraw the doubt that nothing numbers repetitions."""
        self.doubts[:] = [doubt for doubt in self.doubts if not doubt.startswith(UNNUMBERED)]

    def add_constant(self, column: str, constant: str | int) -> None:
        """Give all responses one value."""
        self.source.setdefault("constants", {})[column] = constant


def named(labels: Iterable[str]) -> dict[str, list[str]]:
    """Name categories like the labels that mean them."""
    return {label: [label] for label in labels}


def category(label: str, attribute: str, labels: dict[str, list[str]], kind: str = "category") -> Settings:
    """Make the settings of an outcome with several categories."""
    return {"kind": kind, "label": label, "attribute": attribute, "labels": labels}


def score(label: str, attribute: str) -> Settings:
    """Make the settings of an outcome that is a number."""
    return {"kind": "score", "label": label, "attribute": attribute}


def categories_of(label: str, attribute: str, shown: Mapping[str, str]) -> Settings:
    """Make the settings of an outcome with a category for each value of an attribute, given the names in tables."""
    labels: dict[str, list[str]] = {}
    for value in shown:
        labels[free_name(value, labels)] = [value]
    names = told_apart({name: shown[value] for name, [value] in labels.items()})
    return category(label, attribute, labels) | {"names": names}

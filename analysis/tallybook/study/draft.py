"""The draft of a study file, before it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.study.names import free_name, free_names, identifier, plain, unique_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Settings = dict[str, Any]
"""Setting -> value, as in the study file."""

_OUTCOMES = {"answer", "bias", "choice", "decision", "reason"}
"""Names of outcomes, which columns must not have."""


UNNUMBERED = "Nothing numbers repetitions"
"""The beginning of the doubt that repeated responses are not numbered."""
BIAS_SCORES = ", and docs/multiple-choice.md for bias scores of roles."
"""The end of the doubt about roles, unless bias scores are drafted."""


class Evidence(NamedTuple):
    """Evidence for a cluster column: its values, and the smallest and largest number of responses to one of them."""

    values: str = ""
    times: tuple[int, int] | None = None
    within: str = ""
    is_uneven: bool = False  # whether some are much larger than others

    def __str__(self) -> str:
        """Format the evidence as a phrase."""
        if self.times is None:
            return self.values
        return f"{self.values}{' to '.join(f'{one:,}' for one in sorted({*self.times}))} responses each{self.within}"

    def joined(self, records: int) -> Evidence:
        """Return the evidence for responses that consist of several records each."""
        return self._replace(times=self.times and (self.times[0] // records, self.times[1] // records))


@dataclass
class Draft:
    """The content of a study file before it is written."""

    name: str  # the study's name
    title: str
    source: Settings  # the settings of its source, without columns
    partial: frozenset[str] = frozenset()  # the columns of the dump that some files lack
    reserved: frozenset[str] = frozenset()  # names that no column may have, because the instrument creates them
    data: str = "."  # the data folder, relative to that of the study file
    columns: dict[str, Settings] = field(default_factory=dict[str, Settings])  # column -> its settings
    derive: dict[str, Settings] = field(default_factory=dict[str, Settings])  # column -> how it is derived from others
    factors: dict[str, Settings] = field(default_factory=dict[str, Settings])  # factor -> its settings
    instrument: Settings = field(default_factory=Settings)  # the settings of the instrument
    outcomes: dict[str, Settings] = field(default_factory=dict[str, Settings])  # outcome -> its settings
    # analysis beside the shares and means -> its settings
    analyses: dict[str, Settings] = field(default_factory=dict[str, Settings])
    checks: dict[str, Settings] = field(default_factory=dict[str, Settings])  # check -> its settings
    key: tuple[str, ...] = ("model", "item", "sample")  # what identifies a response
    cluster: str | None = None  # the column that repeated responses share; None if there is none
    evidence: Evidence = field(default_factory=Evidence)  # the evidence for this cluster
    # a second cluster column, crossed with the first; None if there is none
    crossing: str | None = None
    nested: frozenset[str] = frozenset()  # the factors of which each cluster has one level
    # factor -> the cluster column of analyses split by it, where that differs; None for no clusters
    clusters: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    # factor -> the cluster column within its levels, where the one that comparisons of them rest on has two or three
    within: dict[str, str] = field(default_factory=dict[str, str])
    # factor -> the levels that are compared, unless all are
    compared: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    # scores and factors that are kept beside the answers, and are not analysed by themselves
    beside: list[str] = field(default_factory=list[str])
    digits: int = 3  # decimal digits of means
    doubts: list[str] = field(default_factory=list[str])  # what only the user can know, and what was assumed instead
    used: dict[str, str] = field(default_factory=dict[str, str])  # column of the dump -> its name in the study
    # name that a study allows -> the column of the dump for which instruments were tried under it
    originals: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def scores(self) -> list[str]:
        """The names of the score outcomes that are analysed."""
        scores = (name for name, outcome in self.outcomes.items() if outcome["kind"] == "score")
        return [name for name in scores if name not in self.beside]

    @property
    def categories(self) -> list[str]:
        """The names of the category outcomes; reasons for a missing answer are not included."""
        return [name for name, outcome in self.outcomes.items() if outcome["kind"] == "category"]

    def take(self, column: str, role: str | None = None, settings: Mapping[str, Any] | None = None) -> str:
        """Declare a column of the dump, once, and return its name; with `role`, declare it anew under that name."""
        column = self.original(column)
        if column not in self.used or role is not None:
            name = role or self._called(plain(column) or "column")
            optional = {"optional": True} if column in self.partial else {}
            self.used[column] = name
            self.columns[name] = {"path": column, **(settings or {}), **optional}
        return self.used[column]

    def original(self, column: str) -> str:
        """Return the name in the dump of a column that instruments were tried with."""
        return self.originals.get(column, column)

    def path(self, name: str) -> str | None:
        """Return the column of the dump that a name is of, also where its missing values are filled; else None."""
        settings = self.columns.get(name) or self.columns.get(f"{name}_given")
        return None if settings is None else settings["path"]

    def paths(self, names: Iterable[str]) -> list[str]:
        """List the columns of the dump that names are of, without names of other columns."""
        return [self.columns[name]["path"] for name in names if name in self.columns]

    def release(self, columns: Iterable[str]) -> dict[str, Settings]:
        """Remove what is declared of some columns of the dump, which something else makes; return it by name."""
        wanted = {*columns}
        return {name: self.columns.pop(name) for name in [*self.columns] if self.columns[name]["path"] in wanted}

    def names_for(self, columns: Iterable[str]) -> dict[str, str]:
        """Map the names that columns of the dump would have to the columns, without declaring any."""
        names: dict[str, str] = {}
        for column in columns:
            names[self._called(plain(column) or "column", names)] = column
        return names

    def _called(self, wanted: str, others: Iterable[str] = ()) -> str:
        """Choose a name for a column: its plain name, unless that is reserved or taken."""
        names = {*self.columns, *others}
        taken = {*names, *_OUTCOMES, *self.reserved}
        name = free_name(wanted, taken)
        is_own = name == identifier(wanted) or identifier(wanted) in names
        return name if is_own else free_name(f"{wanted}_column", taken)

    def fill(self, column: str, missing: str) -> None:
        """Replace missing values of a column by the given value."""
        self.columns[f"{column}_given"] = self.columns.pop(column)
        self.derive[column] = {"from": f"{column}_given", "extract": "(?s)(.+)", "missing": missing}

    def drop_unnumbered_doubt(self) -> None:
        """Remove the doubt that nothing numbers the repetitions."""
        self.doubts[:] = [doubt for doubt in self.doubts if not doubt.startswith(UNNUMBERED)]

    def add_constant(self, column: str, constant: str | int) -> None:
        """Declare a column with the same value for all responses."""
        self.source.setdefault("constants", {})[column] = constant


def named(labels: Iterable[str]) -> dict[str, list[str]]:
    """Map each label to a category of the same name."""
    return {label: [label] for label in labels}


def category(label: str, attribute: str, labels: dict[str, list[str]], kind: str = "category") -> Settings:
    """Build the settings of an outcome with several categories."""
    return {"kind": kind, "label": label, "attribute": attribute, "labels": labels}


def score(label: str, attribute: str) -> Settings:
    """Build the settings of an outcome that is a number."""
    return {"kind": "score", "label": label, "attribute": attribute}


def categories_of(label: str, attribute: str, shown: Mapping[str, str]) -> Settings:
    """Build the settings of a category outcome with one category for each value, named as `shown` maps the values."""
    labels = {name: [value] for name, value in free_names(shown).items()}
    names = unique_labels({name: shown[value] for name, [value] in labels.items()})
    return category(label, attribute, labels) | {"names": names}

"""Declarations of external tables: population proportions, and published means that cannot be recomputed."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from tallybook.core.resources import BUNDLED_DATA
from tallybook.study.base import Declaration, FilePath, Identifier, require_declared
from tallybook.study.coding import ScoreOutcome

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study

FOLDER = BUNDLED_DATA / "references"


class Distribution(NamedTuple):
    """One bundled distribution: a table of groups, outcome, categories and proportions."""

    name: str
    label: str
    by: tuple[str, ...]
    title: str
    source: str
    date: str
    licence: str
    note: str

    @property
    def file(self) -> Path:
        """The CSV file of the distribution."""
        return FOLDER / f"{self.name}.csv"


@cache
def catalogue() -> dict[str, Distribution]:
    """Return the bundled distributions by name, such as `bls-cps-2022/occupation-by-sex`."""
    collections: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "references.toml").read_text(encoding="utf-8"))
    return {
        f"{collection}/{name}": Distribution(
            f"{collection}/{name}",
            table["label"],
            tuple(table["by"]),
            *(about[field] for field in ("title", "source", "date", "licence", "note")),
        )
        for collection, about in collections.items()
        for name, table in about["tables"].items()
    }


class ReferenceTable(Declaration):
    """A table of known population proportions: one row a group, outcome and category.

    Its columns are those of `by`, `outcome`, `category`, `proportion` (from 0 to 1) and `source`, in words.
    """

    file: FilePath | None = None
    """A CSV file, relative to the folder of the study file (of a published study: to its bundled data)."""
    bundled: FilePath | None = None
    """Instead: a table that comes with the program, such as `"bls-cps-2022/occupation-by-sex"` (`tallybook references`
    lists them) or a published study's. Its rows of groups and outcomes that the study does not have are passed over."""
    by: tuple[Identifier, ...]
    """The factor columns that identify the group."""
    names: dict[str, str] = {}
    """The names in the study of groups, outcomes and categories of the file: `{ women = "female" }`."""
    columns: dict[Identifier, str] = {}
    """Factor -> the column of the file that names its level, where it is called otherwise."""
    where: dict[str, str] = {}
    """Column of the file -> the value that rows must have there; others are passed over."""
    absent: Literal["error", "report"] = "error"
    """How a level of a factor without a proportion in the table is treated, where an outcome is tested against it. When
    reported, its tests have the status `no-reference`."""
    tolerance: float = Field(default=0.02, ge=0, le=0.5)
    """How far from 1 the proportions of a group's categories may add up, if all of them (or more than 1) are given."""
    weights: bool = False
    """The column `proportion` holds weights, counts or percentages; within a group and outcome those of all categories
    are divided by their sum."""
    label: str
    """A description of the proportions, for table notes."""

    def _check_itself(self) -> None:
        if (self.file is None) == (self.bundled is None):
            raise ValueError("exactly one of 'file' and 'bundled'")
        require_declared(self.columns, self.by, "columns", "factor of 'by'")

    def check(self, study: Study, place: str) -> None:
        """Raise an error for factors that are not declared."""
        require_declared(self.by, study.factors, f"{place}.by", "factor")

    @property
    def bundled_file(self) -> str:
        """The path of a bundled table within the bundled data."""
        name = self.bundled or ""
        return name if name.endswith(".csv") else f"references/{name}.csv"

    @property
    def name(self) -> str:
        """The file's name in messages."""
        return self.file or self.bundled or ""


class SummaryTable(Declaration):
    """Means of cells that nobody can compute again: read from a publication's tables or figures, a row a cell."""

    file: FilePath
    """A CSV file, relative to the folder of the study file (of a published study: to its bundled data)."""
    by: tuple[Identifier, ...]
    """The factor columns that identify a cell."""
    outcome: Identifier
    """The score they are means of."""
    n: str = "n"
    """The column of the number of responses."""
    mean: str = "mean"
    """The column of the mean."""
    ci_low: str = "ci_low"
    """The column of the lower end of the mean's interval."""
    ci_high: str = "ci_high"
    """The column of its upper end."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval. The standard error is its width by that of a standard normal one."""
    label: str
    """The source of the means, for table notes."""

    def check(self, study: Study, place: str) -> None:
        """Raise an error for factors or a score that are not declared."""
        scores = [name for name, outcome in study.outcomes.items() if isinstance(outcome, ScoreOutcome)]
        require_declared(self.by, study.factors, f"{place}.by", "factor")
        require_declared([self.outcome], scores, f"{place}.outcome", "score")

"""The reference distributions that come with the program, with source, date and licence."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.resources import BUNDLED_DATA

if TYPE_CHECKING:
    from pathlib import Path

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
        """The file of its table."""
        return FOLDER / f"{self.name}.csv"


@cache
def catalogue() -> dict[str, Distribution]:
    """List the bundled distributions by name, such as `bls-cps-2022/occupation-by-sex`."""
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

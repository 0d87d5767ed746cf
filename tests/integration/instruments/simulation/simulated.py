"""Simulated dumps for tests: written, read and coded by their own study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.progress import Progress
from tallybook.instruments.simulation.plan import planned, scenario
from tallybook.instruments.simulation.responses import batches
from tallybook.instruments.simulation.writing import write_folder
from tallybook.pipeline import read_and_code
from tallybook.study.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.instruments.simulation.plan import Plan
    from tallybook.instruments.simulation.writing import DumpFormat


def plan(instrument: str, **settings: Any) -> Plan:
    """A plan, with settings of the tests' own where none are given."""
    usual = {"rows": 200, "seed": 1, "models": 2, "effects": (0.3,), "refusals": 0.15, "malformed": 0.2}
    return planned(scenario(instrument), **(usual | settings))


def written(made: Plan, folder: Path, form: DumpFormat = "csv") -> Path:
    """The folder of a plan."""
    folder.mkdir(parents=True)
    write_folder(made, folder, form, Progress())
    return folder


def together(made: Plan) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All responses of a plan, and their truth."""
    dumps, truths = zip(*batches(made), strict=True)
    return pl.concat(dumps), pl.concat(truths)


def coded(made: Plan, folder: Path) -> pl.DataFrame:
    """What coding makes of a plan's responses: the study's key, outcomes and status."""
    loaded = load(str(written(made, folder)))
    outcomes = list(loaded.study.outcomes)
    return read_and_code(loaded).coded.select(*loaded.study.key, *outcomes, "status")


def key(made: Plan) -> list[str]:
    """What identifies a response."""
    return [*made.factors, "item", "sample"]

"""From a plan to files: the dump and the truth, batch by batch, the true parameters and the study."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Literal

import polars as pl

from tallybook.core.output import write_text
from tallybook.instruments.simulation.responses import batches
from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.instruments.simulation.plan import Plan

DumpFormat = Literal["csv", "jsonl", "parquet"]

FORMATS: tuple[DumpFormat, ...] = ("csv", "jsonl", "parquet")
"""The formats of dumps, the usual one first; each is also the suffix of its files."""

STUDY, PARAMETERS = "study.toml", "parameters.csv"
"""Files of a simulated folder beside the dump and the truth."""
CONTENTS = frozenset({STUDY, PARAMETERS, *(f"{name}.{form}" for name in ("responses", "truth") for form in FORMATS)})
"""All names in a simulated folder; any other file belongs to somebody else."""

_ROW_GROUP = 2**17

FIRST_LINE = (
    "# Simulated responses: no model wrote them. What is true of each stands in the file of the truth beside the"
)
"""The beginning of the study file of a simulated dump."""


def write_folder(plan: Plan, folder: Path, form: DumpFormat, progress: Progress) -> None:
    """Write a dump, its truth, the true parameters and a study file that reads the dump."""
    dump = f"responses.{form}"
    truth_form: DumpFormat = "parquet" if form == "parquet" else "csv"
    advance = progress.stage("Writing responses", plan.rows)
    with ExitStack() as stack:
        write_dump = stack.enter_context(writer(folder / dump, form))
        write_truth = stack.enter_context(writer(folder / f"truth.{truth_form}", truth_form))
        for batch in batches(plan):
            write_dump(batch.dump)
            write_truth(batch.truth)
            advance(batch.dump.height)
    write_text(folder / PARAMETERS, plan.parameters().write_csv())
    write_text(folder / STUDY, study_text(plan, dump, form))


def write_dump(plan: Plan, path: Path, form: DumpFormat, progress: Progress) -> None:
    """Write a dump without its truth, parameters and study file."""
    advance = progress.stage("Writing responses", plan.rows)
    fresh = path.with_name(f".{path.name}-new")
    try:
        with writer(fresh, form) as write:
            for batch in batches(plan):
                write(batch.dump)
                advance(batch.dump.height)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def study_text(plan: Plan, dump: str, form: DumpFormat) -> str:
    """Build the study file of a simulated dump, whose estimates can be compared with the true parameters."""
    scenario = plan.scenario
    key = [*plan.factors, "item", "sample"]
    kinds = {"sample": ', type = "integer"'}
    columns = "\n".join(
        f"{name} = {{ path = {_toml(name)}{kinds.get(name, '')} }}"
        for name in (*key, "status", *scenario.columns, "prompt")
    )
    levels = {"model": plan.models, scenario.factor: scenario.levels}
    factors = "\n".join(
        f"[factors.{name}]\nlabel = {_toml(name.capitalize())}\n\n[factors.{name}.levels]\n"
        + "".join(f"{_toml(level)} = {_toml(level.capitalize().replace('-', ' '))}\n" for level in own)
        for name, own in levels.items()
    )
    return f"""{FIRST_LINE}
# dump; what the estimates should come close to, in parameters.csv.

name = "simulated-{scenario.instrument}"
title = {_toml(scenario.title)}
seed = {plan.seed}
key = {_toml(key)}
cluster = []               # simulated responses are independent of each other

# ---------------------------------------------------------------- sources

[[sources]]
format = {_toml(form)}
files = {_toml(dump)}
require = {_toml([*key, "status"])}

[sources.columns]
{columns}
text = {{ path = "text", normalise = [{{ repair = "mac-roman" }}] }}    # some texts are UTF-8 misread

# ---------------------------------------------------------------- factors

{factors}
{INSTRUMENTS[scenario.instrument].usual_declaration()}"""


def _toml(value: str | list[str]) -> str:
    """Format a string or list as TOML, which shares the syntax of both with JSON."""
    return json.dumps(value, ensure_ascii=False)


@contextmanager
def writer(path: Path, form: DumpFormat) -> Generator[Callable[[pl.DataFrame], None]]:
    """Yield a function that appends batches to a file, as whole frames may be too large for memory."""
    parts: list[Path] = []  # of Parquet, which cannot be appended to, each batch is a file of its own first
    with path.open("wb") as file:

        def append(batch: pl.DataFrame) -> None:
            if form == "jsonl":
                batch.write_ndjson(file)
            elif form == "csv":
                batch.write_csv(file, include_header=not file.tell())
            else:
                parts.append(path.with_name(f"{path.name}.{len(parts)}"))
                batch.write_parquet(parts[-1], compression="lz4")

        try:
            yield append
            if parts:
                together = pl.scan_parquet(parts, glob=False)
                together.sink_parquet(path, row_group_size=_ROW_GROUP, maintain_order=True)
        finally:
            for part in parts:
                part.unlink(missing_ok=True)

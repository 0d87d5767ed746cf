"""From a plan to files: the dump, the truth, the true parameters and the study."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.output import write_text
from tallybook.core.wording import one_of
from tallybook.instruments.simulation.responses import batches
from tallybook.instruments.simulation.study_text import study_text
from tallybook.instruments.simulation.writing import writer
from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.instruments.simulation.plan import Plan
    from tallybook.instruments.simulation.scenario import Scenario
    from tallybook.instruments.simulation.writing import DumpFormat

STUDY, PARAMETERS = "study.toml", "parameters.csv"
"""Files of a simulated folder beside the dump and the truth."""
CONTENTS = frozenset(
    {STUDY, PARAMETERS, *(f"{name}.{form}" for name in ("responses", "truth") for form in ("csv", "jsonl", "parquet"))}
)
"""All names in a simulated folder; any other file belongs to somebody else."""


def simulated() -> list[str]:
    """List the instruments whose responses can be simulated."""
    return [name for name in INSTRUMENTS if INSTRUMENTS[name].scenario() is not None]


def scenario(instrument: str) -> Scenario:
    """Get how an instrument is simulated."""
    found = INSTRUMENTS[instrument].scenario()
    if found is None:
        raise UsageError(f"the instrument {instrument} cannot be simulated; expected {one_of(simulated())}")
    return found


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
    """Write only a dump."""
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

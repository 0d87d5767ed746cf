"""The command `simulate`: write a folder, or only a dump, and report what is in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tallybook.core.errors import UsageError
from tallybook.core.output import output_folder
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.instruments.simulation.plan import planned, scenario
from tallybook.instruments.simulation.writing import CONTENTS, FIRST_LINE, FORMATS, STUDY, write_dump, write_folder

if TYPE_CHECKING:
    from tallybook.instruments.simulation.plan import Plan, Settings
    from tallybook.instruments.simulation.writing import DumpFormat


def simulate(
    instrument: str,
    *,
    effect: str,
    out: Path | None,
    output: Path | None,
    form: str | None,
    quiet: bool,
    **settings: Unpack[Settings],
) -> dict[str, Any]:
    """Write simulated responses."""
    if out is not None and output is not None:
        raise UsageError("--out writes a folder and --output a file; only one of them")
    plan = planned(scenario(instrument), effects=_effects(effect), **settings)
    dump_format = _format(form, output)
    with progress(quiet=quiet) as shown:
        if output is not None:
            if not output.parent.is_dir():
                raise UsageError(f"no folder {output.parent}")
            write_dump(plan, output, dump_format, shown)
            return _summary(plan, output, [str(output)])
        target = out or Path("simulated") / instrument
        with output_folder(target, CONTENTS, _is_simulated) as folder:
            write_folder(plan, folder, dump_format, shown)
            names = sorted(path.name for path in folder.iterdir())
    return _summary(plan, target, names, f"\nNext: tallybook run {target}{os.sep}{STUDY}")


def _effects(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--effect {printable(text)}: a number, or numbers between commas") from None


def _format(name: str | None, output: Path | None) -> DumpFormat:
    known = ", ".join(FORMATS)
    suffix = None if output is None else output.suffix.removeprefix(".")
    chosen = name or suffix or FORMATS[0]
    if chosen not in FORMATS:
        place = f"--format {printable(chosen)}" if name else f"--output {output}"
        raise UsageError(f"{place}: the format of a dump is one of {known}")
    return chosen


def _is_simulated(folder: Path) -> bool:
    """Return whether a folder holds earlier simulated responses."""
    try:
        with (folder / STUDY).open(encoding="utf-8") as file:
            return file.readline().rstrip("\n") == FIRST_LINE
    except (OSError, ValueError):
        return False


def _summary(plan: Plan, target: Path, files: list[str], following: str = "") -> dict[str, Any]:
    models = counted(len(plan.effects), "model")
    text = f"{target}: {plan.rows:,} responses of {models}; {', '.join(files)}{following}"
    return {
        "out": str(target),
        "files": files,
        "instrument": plan.scenario.instrument,
        "rows": plan.rows,
        "seed": plan.seed,
        "effects": list(plan.effects),
        "warnings": [],
        "text": text,
    }

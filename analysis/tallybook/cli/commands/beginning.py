"""What comes first: a study drafted from a dump, a published design for one, released data fetched."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.cli.commands.summary import Summary
    from tallybook.study.draft import Draft


def init(
    dump: Sequence[Path],
    *,
    out: Path,
    name: str | None,
    instrument: str | None,
    settings: Sequence[str],
    force: bool,
    ask: Callable[[str, Sequence[str]], str] | None,
    quiet: bool,
) -> Summary:
    """Look at a dump and write a study."""
    from tallybook.drafting.starting import start

    if instrument is not None and instrument not in INSTRUMENTS.classes:
        raise UsageError(
            f"--instrument {printable(instrument)}: no such instrument; there are {', '.join(INSTRUMENTS)}"
        )

    watched = partial(progress, quiet=quiet)
    started = start(dump, out, settings, name=name, instrument=instrument, ask=ask, replace=force, watched=watched)
    study = started.files[0]
    lines = [started.found, *_cluster(started.draft), "", *(f"to check: {doubt}" for doubt in started.draft.doubts)]
    lines += [f"written: {', '.join(str(file) for file in started.files)}", _next("run", study)]
    return {
        "study": str(study),
        "files": [str(file) for file in started.files],
        "records": started.rows,
        "instrument": started.draft.instrument["kind"],
        "to_check": started.draft.doubts,
        "warnings": [],
        "text": "\n".join(lines),
    }


def _cluster(draft: Draft) -> list[str]:
    """Say what repeats, and by what that is seen."""
    if draft.cluster is None:
        return []
    return [f"cluster: {printable(draft.cluster)}: {printable(str(draft.evidence), 200)}"]


def _next(command: str, study: Path) -> str:
    """Write the next command for a study that is written."""
    loaded = load(str(study))
    data = ["--data", os.path.relpath(loaded.declared_data)] if loaded.reads_elsewhere else []
    return f"next: {shlex.join(['tallybook', command, str(study), *data])}"


def replicate(
    published: str,
    dump: Sequence[Path],
    *,
    out: Path,
    name: str | None,
    settings: Sequence[str],
    released: Path | None,
    force: bool,
    quiet: bool,
) -> Summary:
    """Write a study that reads a dump by the declaration of a published study."""
    from tallybook.drafting.reuse.replicating import replicate as write

    with progress(quiet=quiet) as shown:
        made = write(published, dump, out, settings, name=name, released=released, replace=force, progress=shown)
    lines = [f"a replication of {published} with {', '.join(printable(model) for model in made.models)}"]
    lines += [f"left out: {printable(line, limit=200)}" for line in made.left_out]
    lines += [f"to check: {printable(line, limit=200)}" for line in made.to_check]
    lines += [f"written: {', '.join(str(file) for file in made.files)}", _next("report", made.study)]
    return {
        "study": str(made.study),
        "files": [str(file) for file in made.files],
        "models": made.models,
        "left_out": made.left_out,
        "to_check": made.to_check,
        "warnings": [],
        "text": "\n".join(lines),
    }


def fetch(name: str, *, out: Path | None, source: Path | None, check: bool, quiet: bool) -> Summary:
    """Bring a published study's released data into a folder, or check what is there."""
    from tallybook.published.released import fetching
    from tallybook.published.released.listing import release

    if check and source is not None:
        raise UsageError("--check checks what is there, --from copies: choose one")
    released = release(name)
    folder = out or Path("data") / name
    with progress(quiet=quiet) as shown:
        if check:
            fetching.check(released, folder, shown)
            done = fetching.Fetched((), tuple(file.file for file in released.files))
        elif source is not None:
            done = fetching.copy(released, source, folder, shown)
        else:
            done = fetching.fetch(released, folder, shown)
    verb = "copied" if source is not None else "fetched"
    said = f"{len(done.kept)} as released" if check else f"{len(done.fetched)} {verb}, {len(done.kept)} there already"
    lines = [f"{name}: {counted(len(released.files), 'file')}, {released.size:,} bytes: {said}"]
    lines.append(f"next: tallybook reproduce {name} --data {folder}")
    return {
        "study": name,
        "out": str(folder),
        "files": len(released.files),
        "bytes": released.size,
        "fetched": list(done.fetched),
        "kept": len(done.kept),
        "warnings": [],
        "text": "\n".join(lines),
    }

"""Reports that are rendered again whenever a file that they depend on changes."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from tallybook.cli.commands import computing
from tallybook.core.errors import DataError, ReportError, TallybookError
from tallybook.core.output import manifest_of
from tallybook.core.resources import REPORTS
from tallybook.core.untrusted import printable
from tallybook.core.wording import shortened
from tallybook.report.engine import check
from tallybook.sources.folder import Folder

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.cli.options import Wanted
    from tallybook.study.loading import LoadedStudy

    Stamps = dict[Path, tuple[int, int]]

# Files are polled instead of watched through the operating system: this works the same on every system, in containers
# and on network drives, and a report has few files.
INTERVAL = 0.4  # seconds between polls
SHOWN = 3
# Temporary files of editors.
_PASSING = re.compile(r"[.#].*|.*(?:~|\.tmp|\.sw[a-p])|\d+")


def watch(wanted: Wanted) -> None:
    """Render a report again after every change until interrupted; compute it again only if its numbers may differ."""

    def say(text: str) -> None:
        if not wanted.quiet:
            typer.echo(text)

    def complain(text: str) -> None:
        typer.echo(f"tallybook: {text}", err=True)

    check(wanted.engine)
    loaded, data = wanted.read()
    wanted = replace(wanted, data=data)
    seen, known = _look(wanted, loaded), list[str]()
    try:
        summary = computing.report(wanted)
        known += summary["warnings"]
        say("\n".join([*known, summary["text"]]))
    except (DataError, ReportError) as error:
        complain(str(error))
    places = (loaded.path, data or loaded.declared_data, loaded.narrative)
    study, folder, narrative = (printable(os.path.relpath(path), 200) for path in places)
    try:
        say(f"Watching {study}, the data in {folder} and the narrative in {narrative}; end with Ctrl+C")
        while True:
            # Files that the run itself was the first to find are no change.
            seen = _look(wanted, loaded) | seen
            while (now := _look(wanted, loaded)) == seen:
                time.sleep(INTERVAL)
            before: Stamps = {}
            while now != before:  # until all files are completely written
                time.sleep(INTERVAL / 2)
                before, now = now, _look(wanted, loaded)
            changed = sorted(path for path in seen.keys() | now.keys() if seen.get(path) != now.get(path))
            what = shortened((printable(os.path.relpath(path), 200) for path in changed), SHOWN)
            try:
                loaded = wanted.load()
                say(f"{what} changed: {made_again(wanted, known)}")
            except (TallybookError, OSError) as error:
                complain(f"{error}\n{what} changed; the earlier output stays until this is mended")
            seen = now
    except KeyboardInterrupt:  # the expected end
        return


def made_again(wanted: Wanted, known: list[str]) -> str:
    """Render a report again, and return a message with those warnings that are not in `known`."""
    started = time.monotonic()
    summary = computing.report(wanted, anew=False)
    done = "computed and rendered" if "responses" in summary else "rendered"
    files = ", ".join(summary["report"]["files"])
    new = [warning for warning in summary["warnings"] if warning not in known]
    known += new
    return "\n".join([f"{done} in {time.monotonic() - started:.1f} s: {files}", *new])


def _look(wanted: Wanted, loaded: LoadedStudy) -> Stamps:
    """Return time and size of every file that the report depends on: those last read, and those that would be now."""
    data, target = wanted.data or loaded.declared_data, wanted.target(loaded)
    found = {loaded.path, REPORTS / "_quarto.yml"}
    for folder in (REPORTS / "theme", loaded.narrative):
        found.update(path for path in folder.rglob("*") if not _PASSING.fullmatch(path.name))
    listing = Folder(data)
    found.update(
        data / name for source in loaded.study.sources for form in source.forms for name in listing.names(form)
    )
    content = manifest_of(target) or {}
    read = [*content.get("inputs", ()), *content.get("references", ()), *content.get("published", ())]
    read += content.get("overrides", {}).get("files", ())
    found.update(folder / name for folder in (data, loaded.data, loaded.published) for name in read)
    stamps: Stamps = {}
    for path in found:
        if path.is_file() and not path.resolve().is_relative_to(target.resolve()):
            status = path.stat()
            stamps[path] = (status.st_mtime_ns, status.st_size)
    return stamps

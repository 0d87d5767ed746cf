"""A report made again whenever it is out of date: rendered for the narrative's sake, computed for the data's."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tallybook import pipeline
from tallybook.cli.commands.summary import summary_of, warnings_of
from tallybook.core.errors import DataError, ReportError, TallybookError
from tallybook.core.output import output_folder
from tallybook.core.progress import progress
from tallybook.core.resources import REPORTS
from tallybook.core.untrusted import printable
from tallybook.report.engine import check
from tallybook.report.output_folder import render_again, write_report
from tallybook.sources.folder import Folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tallybook.cli.commands.summary import Summary
    from tallybook.cli.commands.wanted import Wanted
    from tallybook.pipeline import Results
    from tallybook.report.engine import Rendered
    from tallybook.study.loading import LoadedStudy

    Stamps = dict[Path, tuple[int, int]]

# Files are looked at again and again instead of being told of by the system: that is the same on every system, in
# containers and on network drives, and a report has few files.
INTERVAL = 0.4  # seconds from look to look
SHOWN = 3
_FILE = re.compile(r"[^\n*?{}]+\.\w{1,8}")
# What editors put down beside a file while it is edited.
_PASSING = re.compile(r"[.#].*|.*(?:~|\.tmp|\.sw[a-p])|\d+")


def watch(wanted: Wanted, say: Callable[[str], None], complain: Callable[[str], None]) -> None:
    """Make a report again after every change until interrupted: rendered for narrative, computed for data."""
    check(wanted.engine)
    wanted = replace(wanted, data=wanted.read()[1])
    making = _Making(wanted)
    seen = making.look()
    try:
        summary = making.anew()
        say("\n".join([*summary["warnings"], summary["text"]]))
    except (DataError, ReportError) as error:
        complain(str(error))
    try:
        say(making.watched())
        while True:
            # What the work itself has found out about is no change.
            seen = making.look() | seen
            seen = _follow(making, seen, say, complain)
    except KeyboardInterrupt:  # which is how it is meant to end
        return


def _follow(making: _Making, seen: Stamps, say: Callable[[str], None], complain: Callable[[str], None]) -> Stamps:
    """Wait for the next change and follow it; returns what was seen before that work began."""
    while (now := making.look()) == seen:
        time.sleep(INTERVAL)
    before: Stamps = {}
    while now != before:  # until everything is written to its end
        time.sleep(INTERVAL / 2)
        before, now = now, making.look()
    changed = sorted(path for path in seen.keys() | now.keys() if seen.get(path) != now.get(path))
    names = [printable(os.path.relpath(path), 200) for path in changed]
    what = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    try:
        done = making.after(changed)
    except (TallybookError, OSError) as error:
        complain(f"{error}\n{what} changed; the earlier output stays until this is mended")
    else:
        say(f"{what} changed: {done}")
    return now


class _Making:
    """The study as it was last read, its results, and whether they have been written."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._results: Results | None = None
        self._is_written = False
        self._warnings: list[str] = []
        self._load()

    def _load(self) -> LoadedStudy:
        loaded = self._wanted.load()
        self._loaded, self._data = loaded, self._wanted.data or loaded.declared_data
        folders = dict.fromkeys((self._data, loaded.data, loaded.published))
        texts = [text for text in set(_texts(loaded.study.model_dump(mode="json"))) if _FILE.fullmatch(text)]
        self._declared = {folder / text for folder in folders for text in texts} | {loaded.path}
        return loaded

    def look(self) -> Stamps:
        """Get time and size of every file that the report is made of."""
        stamps: Stamps = {}
        made = self._wanted.target(self._loaded).resolve()
        for path in {*self._narrative(), *self._inputs()}:
            try:
                status = path.stat()
            except OSError:
                continue
            if not path.resolve().is_relative_to(made):
                stamps[path] = (status.st_mtime_ns, status.st_size)
        return stamps

    def _narrative(self) -> Iterator[Path]:
        yield REPORTS / "_quarto.yml"
        for folder in (REPORTS / "theme", self._loaded.narrative):
            yield from (path for path in folder.rglob("*") if not _PASSING.fullmatch(path.name) and path.is_file())

    def _inputs(self) -> set[Path]:
        """List what the study file names, whether or not it exists, what its sources could mean, and what was read."""
        found = self._declared.copy()
        for folder in {self._data, self._loaded.data}:
            listing = Folder(folder)
            forms = (form for source in self._loaded.study.sources for form in source.forms)
            found.update(folder / name for form in forms for name in listing.names(form))
        if self._results is not None:
            dump = self._results.source.dump
            found.update(self._data / name for name in (*dump.files, *dump.lookups))
        return found

    def after(self, changed: Sequence[Path]) -> str:
        """Do what changes ask for, and tell it, with the warnings that are new."""
        started = time.monotonic()
        inputs, texts = self._inputs(), (self._loaded.narrative, REPORTS)
        is_told = all(path not in inputs and any(map(path.is_relative_to, texts)) for path in changed)
        warnings: list[str] = []
        if self._results is None or not is_told:
            known, done = self._warnings, "computed and rendered"
            summary = self.anew()
            files = summary["report"]["files"]
            warnings = [warning for warning in summary["warnings"] if warning not in known]
        else:
            target = self._wanted.target(self._results.loaded)
            self._is_written = self._is_written and (target / "report" / "source").is_dir()
            rendered, done = self._write(self._results), "rendered"
            files = map(str, rendered.files)
            warnings = [warning for warning in warnings_of(rendered.notes) if warning not in self._warnings]
            self._warnings += warnings
        told = f"{done} in {time.monotonic() - started:.1f} s: {', '.join(files)}"
        return "\n".join([told, *warnings])

    def anew(self) -> Summary:
        """Read the study file, compute and render, and sum it up."""
        wanted, loaded = self._wanted, self._load()
        # The results outlive what is written of them: so must the temporary files of a large dump.
        scratch = self._wanted.target(loaded).resolve().parent
        scratch.mkdir(parents=True, exist_ok=True)
        with progress(quiet=wanted.quiet) as shown:
            results = pipeline.compute(loaded, wanted.data, wanted.edition, shown, scratch)
        self._results, self._is_written = results, False
        rendered = self._write(results)
        summary = summary_of(results, self._wanted.target(loaded), rendered, rendered.files)
        self._warnings = summary["warnings"]
        return summary

    def _write(self, results: Results) -> Rendered:
        wanted, target = self._wanted, self._wanted.target(results.loaded)
        with progress(quiet=wanted.quiet) as shown:
            if self._is_written:
                rendered = render_again(
                    results.loaded, target, wanted.formats, wanted.engine, shown, trust=wanted.trust
                )
            else:
                with output_folder(target) as folder:
                    rendered = write_report(results, folder, wanted.formats, wanted.engine, shown, trust=wanted.trust)
        self._is_written = True
        return replace(rendered, files=tuple(target / "report" / file for file in rendered.files))

    def watched(self) -> str:
        """Name what is watched, for people."""
        loaded = self._loaded
        study, data, narrative = (
            printable(os.path.relpath(path), 200) for path in (loaded.path, self._data, loaded.narrative)
        )
        return f"Watching {study}, the data in {data} and the narrative in {narrative}; end with Ctrl+C"


def _texts(value: object) -> Iterator[str]:
    """List every text within nested lists and tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        inner = cast("dict[str, object]", value).values() if isinstance(value, dict) else cast("list[object]", value)
        for one in inner:
            yield from _texts(one)

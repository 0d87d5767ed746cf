"""A study in Python: what the commands do, step by step, for notebooks and scripts."""

from __future__ import annotations

import os
import shutil
import warnings
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.output import output_folder
from tallybook.core.progress import progress
from tallybook.core.wording import expectation, value_text
from tallybook.drafting import toml
from tallybook.report import number_files
from tallybook.report.output_folder import report_folder, write_report, write_results
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import LoadedStudy, declared, load, own_folders
from tallybook.study_analyses import StudyAnalyses
from tallybook.study_display import as_html, as_text, facts

if TYPE_CHECKING:
    from great_tables import GT
    from plotnine import ggplot
    from plotnine.composition import Compose

    from tallybook.tables.content import Table

    AnyPath: TypeAlias = str | os.PathLike[str]
    Settings: TypeAlias = str | Sequence[str] | Mapping[str, toml.Value]


class Study(StudyAnalyses):
    """A study and its data: read, coded and computed when something of it is asked for, and once.

    Frames are polars'; tables are great_tables' and figures plotnine's, which show themselves in a notebook. All are
    what `tallybook run` writes. Texts of responses are untrusted: tables, figures and the notebook's view of frames
    escape them, `print` of a frame does not.

    >>> study = Study.load("wang2025", {"style.rounding": "half-up"})
    >>> study.declaration.style.rounding
    'half-up'
    >>> study.table("A99")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    tallybook.core.errors.UsageError: wang2025 has no table 'A99'; expected one of '1', '2', '3', ...
    """

    @classmethod
    def load(
        cls,
        name_or_path: AnyPath,
        settings: Settings = (),
        data: AnyPath | None = None,
        edition: str | None = None,
        *,
        show_progress: bool = False,
    ) -> Self:
        """Load a study.

        Args:
            name_or_path: The name of a published study, a study file, or the folder that holds one.
            settings: Changes to its settings: dotted key -> value, as in `{"analyses.*.alpha": 0.01}`, or texts as
                `--set` takes them, as in `["style.rounding=half-up"]`.
            data: The data folder; the study's own by default.
            edition: The edition of the data; by default the first whose files the folder holds.
            show_progress: Whether to say on standard error how far long work has come.

        Returns:
            The study; its data are not read yet.

        Raises:
            UsageError: If there is no such study, or the file is wrong; the message names the setting.
        """
        loaded = load(os.fspath(name_or_path), _as_options(settings))
        return cls(loaded, data=data, edition=edition, show_progress=show_progress)

    @classmethod
    def draft(
        cls,
        dump: AnyPath | Sequence[AnyPath],
        settings: Settings = (),
        *,
        roles: Mapping[str, str | Sequence[str]] | None = None,
        name: str | None = None,
        instrument: str | None = None,
        folder: AnyPath = "",
        show_progress: bool = False,
    ) -> Self:
        """Look at a dump and draft a study of it, as `tallybook init` does, without writing anything.

        Args:
            dump: A file or folder of responses, or several.
            settings: Changes to the settings of the drafted study, as for `load`.
            roles: What is known of the columns, as in `{"text": "reply", "factors": ["gender", "race"]}`.
            name: The study's name; by default the dump's.
            instrument: The instrument, if it is known.
            folder: Where the study file would lie, to which it names files relative; the current folder by default.
            show_progress: Whether to say on standard error how far long work has come.

        Returns:
            The study. Its `text` is the study file: it says what was assumed, and is yours to write and change.

        Raises:
            UsageError: If there is no such file, column or instrument, or a setting is wrong.
            DataError: If the dump cannot be read.
        """
        from tallybook.drafting.starting import outline

        if instrument is not None and instrument not in INSTRUMENTS.classes:
            raise UsageError(f"no instrument {value_text(instrument)}; {expectation(instrument, list(INSTRUMENTS))}")
        paths = [dump] if isinstance(dump, str | os.PathLike) else dump
        told = [f"{role}={one if isinstance(one, str) else ','.join(one)}" for role, one in (roles or {}).items()]
        files, target = [Path(path) for path in paths], Path(folder) / "study.toml"

        watched = partial(progress, quiet=not show_progress, anywhere=True)
        outlined = outline(files, target.parent, told, name=name, instrument=instrument, watched=watched)
        changes = _as_options(settings)
        study = declared(outlined.text, target, changes)
        loaded = LoadedStudy(study, target, *own_folders(target), settings=tuple(changes), draft=outlined.text)
        # Who names the dump lets the study read it.
        return cls(loaded, data=loaded.declared_data, show_progress=show_progress)

    @property
    def text(self) -> str:
        """The text of the study file, without the settings that were changed."""
        return self.loaded.text

    @property
    def tables(self) -> pl.DataFrame:
        """List the tables: `table` (its number), `title` and `heading` (of its rows)."""
        return number_files.tables_index(self.results)

    def table(self, table: str | int) -> GT:
        """A table that shows itself in a notebook.

        Args:
            table: Its number, as `tables` lists it; 1 is as good as "1", or the first one if none is
                called so.

        Returns:
            The table with the rows, texts and notes of the written one; great_tables' methods change it further.

        Raises:
            UsageError: If there is no such table.
        """
        from tallybook.tables.html import table_display

        return table_display(self.table_content(table))

    def table_content(self, table: str | int) -> Table:
        """Get the content of a table, for `tallybook.write_tables`, which writes it in any format.

        Args:
            table: Its number, as `tables` lists it.

        Returns:
            Title, columns, rows and notes as plain text.

        Raises:
            UsageError: If there is no such table.
        """
        finished = {one.id: one for one in self.results.tables.tables}
        return finished[self._known("table", table, finished)]

    def cells(self, table: str | int | None = None) -> pl.DataFrame:
        """The numbers that tables print, as tables.csv has them.

        Args:
            table: The number of a table; all tables by default.

        Returns:
            `table`, `row`, `column`, `statistic`, `value` (unrounded) and `text` (as printed).

        Raises:
            UsageError: If there is no such table.
        """
        every = number_files.table_cells(self.results)
        return every if table is None else every.filter(table=self.table_content(table).id)

    @property
    def figures(self) -> pl.DataFrame:
        """List the figures: `figure` (its number), `kind` and `title`."""
        rows = [(figure.id, figure.name(), figure.title) for figure in self.declaration.figures]
        return pl.DataFrame(rows, schema=dict.fromkeys(("figure", "kind", "title"), pl.String), orient="row")

    def figure(self, figure: str | int) -> ggplot | Compose:
        """A figure that shows itself in a notebook.

        Args:
            figure: Its number, as `figures` lists it.

        Returns:
            The plot in the size in which it is written; several in one figure are one composition. Layers and themes
            can be added.

        Raises:
            UsageError: If there is no such figure, or it has no estimates to show.
        """
        known = {one.id: one for one in self.declaration.figures}
        chosen = known[self._known("figure", figure, known)]
        from tallybook.figures.drawing import drawing

        drawn = drawing(self.declaration, chosen, self.results.estimates)
        from plotnine import theme

        return drawn.plot + theme(figure_size=(drawn.width, drawn.height))

    def run(self, out: AnyPath | None = None, *, numbers_only: bool = False) -> Path:
        """Write the output folder, as `tallybook run` does.

        Args:
            out: The folder, an earlier one is replaced; out/NAME by default.
            numbers_only: Write no rendered tables, figures and report sources.

        Returns:
            The folder.

        Raises:
            UsageError: If something else than an output folder is there.
        """
        target = self._target(out)
        with output_folder(target) as folder:
            results = self.results
            with self._progress() as shown:
                notes = write_results(results, folder, shown, numbers_only=numbers_only, earlier=target).notes
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return target

    def report(
        self,
        to: str | Sequence[str] = ("html",),
        out: AnyPath | None = None,
        *,
        engine: str = "auto",
        trust: bool = False,
    ) -> list[Path]:
        """Write the output folder and the report in it, as `tallybook report` does.

        Args:
            to: The report's formats: some of "html", "pdf", "docx" and "supplement" (a folder of LaTeX).
            out: The folder, an earlier one is replaced; out/NAME by default.
            engine: "quarto", "embedded", or "auto" for Quarto where it is installed.
            trust: Whether the narrative is your own, and Quarto may run what is in it.

        Returns:
            The report's files.

        Raises:
            UsageError: If there is no such format, or something else than an output folder is there.
            ReportError: If the report cannot be rendered; the rest of the folder is written.
        """
        formats = [to] if isinstance(to, str) else list(to)
        target = self._target(out)
        with report_folder(self.loaded, target, formats, engine) as folder:
            results = self.results
            with self._progress() as shown:
                rendered = write_report(results, folder, formats, engine, shown, trust=trust, earlier=target)
        for note in rendered.notes:
            warnings.warn(note, stacklevel=2)
        return [target / "report" / file for file in rendered.files]

    def _target(self, out: AnyPath | None) -> Path:
        return Path("out") / self.declaration.name if out is None else Path(out)

    def _facts(self) -> dict[str, str]:
        # What has been read is told, but nothing is read in order to be told.
        return facts(self.declaration, self.__dict__.get("_coded"), self.__dict__.get("results"))

    def __repr__(self) -> str:
        return as_text(self.declaration, self._facts())

    def _repr_html_(self) -> str:
        return as_html(self.declaration, self._facts())


def init(
    dump: AnyPath | pl.DataFrame | pl.LazyFrame | Sequence[AnyPath],
    settings: Settings = (),
    *,
    roles: Mapping[str, str | Sequence[str]] | None = None,
    name: str | None = None,
    instrument: str | None = None,
    show_progress: bool = False,
) -> Study:
    """Look at a dump, or at a frame, and draft a study of it, without writing anything beside it.

    Args:
        dump: A file or folder of responses, several, or a frame of responses.
        settings: Changes to the settings of the drafted study, as for `Study.load`.
        roles: What is known of the columns, as in `{"text": "reply", "factors": ["gender", "race"]}`.
        name: The study's name; by default the dump's.
        instrument: The instrument, if it is known.
        show_progress: Whether to say on standard error how far long work has come.

    Returns:
        The study. Each analysis of study files is a method of it, as in `study.proportion("hired", by="race")`.

    Raises:
        UsageError: If there is no such file, column or instrument, or a setting is wrong.
        DataError: If the dump cannot be read.
    """
    told: dict[str, Any] = {"roles": roles, "name": name, "instrument": instrument, "show_progress": show_progress}
    if not isinstance(dump, pl.DataFrame | pl.LazyFrame):
        return Study.draft(dump, settings, **told)
    folder = mkdtemp(prefix="tallybook-")
    try:
        file = Path(folder) / "responses.parquet"
        dump.lazy().sink_parquet(file)
        study = Study.draft(file, settings, folder=folder, **told)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(study, shutil.rmtree, folder, ignore_errors=True)
    return study


def _as_options(settings: Settings) -> list[str]:
    """Settings as the command line takes them."""
    if isinstance(settings, str):
        return [settings]
    if isinstance(settings, Mapping):
        return [f"{name}={toml.value(one)}" for name, one in settings.items()]
    return list(settings)

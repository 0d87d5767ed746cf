"""The study that a command is about, and how it is to be computed and reported."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tallybook.core.progress import progress

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from tallybook.pipeline import Results
    from tallybook.study.loading import LoadedStudy


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The options that commands about a study share."""

    study: str  # a study file, its folder, or the name of a published study
    data: Path | None = None  # the data folder; the study's own by default
    out: Path | None = None  # the output folder; out/NAME by default
    edition: str | None = None  # the edition of the data
    settings: Sequence[str] | None = ()  # changed settings, as `key=value`
    formats: Sequence[str] = ("html", "pdf")  # the report's formats
    engine: str = "auto"  # `auto`, `quarto` or `embedded`
    trust: bool = False  # whether the narrative is the user's own, and Quarto may run what is in it
    quiet: bool = False  # show no progress and say nothing but errors

    def load(self) -> LoadedStudy:
        """Read the study file."""
        from tallybook.study.loading import load

        return load(self.study, self.settings or ())

    def read(self) -> tuple[LoadedStudy, Path | None]:
        """Read the study file and, on a terminal, ask whether it may read data elsewhere."""
        from tallybook.study.loading import confirmed_data

        loaded = self.load()
        return loaded, confirmed_data(loaded, self.data)

    def target(self, loaded: LoadedStudy) -> Path:
        """Get the output folder."""
        return self.out or Path("out") / loaded.study.name

    @contextmanager
    def computed(self, keep: int | None = None) -> Generator[Results]:
        """Compute the study without writing anything that stays."""
        from tallybook import pipeline

        loaded, data = self.read()
        with progress(quiet=self.quiet) as shown, TemporaryDirectory() as folder:
            yield pipeline.compute(loaded, data, self.edition, shown, Path(folder), keep=keep)

"""Arguments and options that several commands share."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallybook.cli.output import Summary, say
from tallybook.core.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from tallybook.pipeline import Results
    from tallybook.study.loading import LoadedStudy

_STUDY = "A study file, its folder, or the name of a published study."
_HERE = f"{_STUDY} By default this folder."
STUDY = Parameter(
    "study", Parameter.KEYWORD_ONLY, annotation=Annotated[str, typer.Argument(metavar="STUDY", help=_STUDY)]
)
HERE = STUDY.replace(default=".", annotation=Annotated[str, typer.Argument(metavar="STUDY", help=_HERE)])
STUDY_OPTION = STUDY.replace(default=".", annotation=Annotated[str, typer.Option("--study", help=_HERE)])
PUBLISHED = STUDY.replace(
    annotation=Annotated[str, typer.Argument(metavar="NAME", help="A published study, such as wang2025.")]
)
DataOption = Annotated[
    Path | None, typer.Option("--data", help="The data folder. By default the study's own (bundled) data.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="The output folder, replaced as a whole. By default out/NAME.")
]
EditionOption = Annotated[
    str | None, typer.Option("--edition", help="Which edition of the data to read, where a study declares several.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting of the study file; may be repeated. `analyses.*.alpha=0.01` changes it in all that can "
        "have it; a table or figure is named by its id or place, as in `figures.1.title=Jobs`, `tables[2].title=Jobs`.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings and no summary.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
_SHARED: dict[str, tuple[Any, object]] = {
    "data": (DataOption, None),
    "out": (OutOption, None),
    "edition": (EditionOption, None),
    "settings": (SetOption, None),
    "quiet": (QuietOption, False),
    "as_json": (JsonOption, False),
}
NumbersOnlyOption = Annotated[
    bool, typer.Option("--numbers-only", help="Only the numbers: no rendered tables, figures or report sources.")
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="text, json, jsonl, github, junit, sarif or markdown."),
]
ToOption = Annotated[
    list[str] | None,
    typer.Option(
        "--to",
        metavar="FORMATS",
        help="Formats, joined by commas or one by one: html, pdf, docx, supplement (a folder of LaTeX for a paper's "
        "supplement). By default html,pdf.",
    ),
]
EngineOption = Annotated[
    str, typer.Option("--engine", help="auto, quarto or embedded; auto takes Quarto where it is installed.")
]
TrustOption = Annotated[
    bool,
    typer.Option("--trust", help="The narrative is your own: let Quarto and typst run its code, filters, extensions."),
]


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
    trust: bool = False  # whether the narrative is the user's own, so that Quarto may run code in it
    quiet: bool = False  # show no progress, warnings or summary
    as_json: bool = False  # print the summary as JSON

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
        """Return the output folder."""
        return self.out or Path("out") / loaded.study.name

    @contextmanager
    def computed(self, keep: int | None = None) -> Generator[Results]:
        """Compute the study in a temporary folder, which is removed at the end."""
        from tallybook import pipeline

        loaded, data = self.read()
        with progress(quiet=self.quiet) as shown, TemporaryDirectory() as folder:
            yield pipeline.compute(loaded, data, self.edition, shown, Path(folder), keep=keep)


def of_study(*shared: str, study: Parameter = HERE) -> Callable[[Callable[..., Summary | None]], Callable[..., None]]:
    """Make a command of a function of `Wanted`, with the argument `study` and shared options; it prints the summary."""

    def command_of(function: Callable[..., Summary | None]) -> Callable[..., None]:
        _, *own = signature(function, eval_str=True).parameters.values()
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=_SHARED[name][1], annotation=_SHARED[name][0])
            for name in shared
        ]

        @wraps(function)
        def command(**given: Any) -> None:  # noqa: ANN401  options of any type
            wanted = Wanted(**{name: given.pop(name) for name in ("study", *shared)})
            summary = function(wanted, **given)
            if summary is not None:
                say(summary, as_json=wanted.as_json, quiet=wanted.quiet)

        parameters = [study, *(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own), *options]
        command.__signature__ = Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
        return command

    return command_of

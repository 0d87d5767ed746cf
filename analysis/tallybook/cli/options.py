"""The arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StudyArgument = Annotated[str, typer.Argument(help="A study file, its folder, or the name of a published study.")]
StudyHere = Annotated[
    str, typer.Argument(help="A study file, its folder, or the name of a published study. By default this folder.")
]
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
NumbersOnlyOption = Annotated[
    bool, typer.Option("--numbers-only", help="Only the numbers: no rendered tables, figures or report sources.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings and no summary.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
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
    typer.Option(
        "--trust", help="The narrative is your own: let Quarto run its code, filters, extensions and raw HTML."
    ),
]

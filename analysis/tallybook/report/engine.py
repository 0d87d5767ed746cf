"""Rendering of reports: one Quarto project, and a choice of two engines, Quarto itself or the embedded one."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.safe_paths import check_folder
from tallybook.report import embedded, quarto
from tallybook.report.formats import FORMATS, PROJECTS, Rendered
from tallybook.report.page import finish_page
from tallybook.report.project import printed_numbers
from tallybook.report.word import finish_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ENGINES = ("auto", "quarto", "embedded")


def render(
    project: Path, document: str, formats: Sequence[str], *, output: Path, engine: str = "auto", trust: bool = False
) -> Rendered:
    """Render a document of a Quarto project.

    All formats are rendered in a temporary folder and moved to `output` when the last one is done: after an error
    `output` is unchanged. If an engine fails, the other one is not tried.

    `engine`: "quarto", "embedded", or "auto": Quarto where a usable one is found (QUARTO_PATH, else PATH), otherwise
    embedded.

    `trust`: Whether the project is the user's own: then Quarto and typst may run code in it. By default both engines
    accept the same checked documents, without anything that could run.
    """
    project = project.resolve()
    _check_arguments(project, document, formats)
    check_folder(project)
    chosen = _choose(engine)
    if not trust:
        quarto.refuse_own_settings(project)
    output = output.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    # In the same parent folder as the output, so that the files can be moved and need not be copied.
    with tempfile.TemporaryDirectory(prefix=".report-", dir=output.parent) as folder:
        made = chosen(project, document, tuple(formats), Path(folder), trust=trust)
        for file in made.files:
            if file.suffix == ".docx":
                finish_word(file, project)
            elif file.suffix == ".html":
                finish_page(file, printed_numbers(project))
        output.mkdir(exist_ok=True)
        files = tuple(output / file.name for file in made.files)
        for source, target in zip(made.files, files, strict=True):
            source.replace(target)
    return made._replace(files=files)


def check(engine: str, formats: Sequence[str] = ()) -> None:
    """Refuse an engine that cannot be used on this machine before anything is computed for it."""
    if any(name in PROJECTS for name in formats):
        quarto.installed()
    if _choose(engine) is embedded.render:
        embedded.installed()


def _check_arguments(project: Path, document: str, formats: Sequence[str]) -> None:
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats or len(set(formats)) != len(formats):
        raise UsageError(f"report formats {', '.join(formats) or '(none)'}: expected some of {', '.join(FORMATS)}")
    if not (project / "_quarto.yml").is_file():
        raise UsageError(f"{project} is not a report project: it has no _quarto.yml")
    if not (project / document).is_file() or not (project / document).resolve().is_relative_to(project):
        raise UsageError(f"the report project has no document {document}")


def _choose(engine: str) -> Callable[..., Rendered]:
    """Return the function of an engine that renders a document of a project into an empty working folder."""
    if engine not in ENGINES:
        raise UsageError(f"unknown report engine {engine!r}: expected {', '.join(ENGINES)}")
    if engine != "embedded":
        try:
            return partial(quarto.render, quarto.installed())
        except UsageError:
            if engine == "quarto":
                raise
    return embedded.render

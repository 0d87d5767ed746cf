"""The adapter to an installed Quarto, which runs it on a copy of the project and verifies its output."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import ReportError, UsageError
from tallybook.core.untrusted import printable
from tallybook.report import embedded
from tallybook.report.formats import TYPE_OF_FORMAT, Program, Rendered
from tallybook.report.project import read_yaml
from tallybook.tables.table_format import epoch

if TYPE_CHECKING:
    from collections.abc import Sequence


class QuartoError(ReportError):
    """Quarto itself fails or complains: the other engine may well render the same sources."""


MINIMUM = (1, 9)
TIMEOUT = 900  # seconds per format; Quarto's first start compiles its scripts
OUTPUT = "_rendered"

_VERSION = re.compile(r"^(\d+)\.(\d+)(?:\.\d+)*\s*$")
# Quarto exits with 0 after all of these: warnings from its own log, its Lua filters, pandoc and typst.
_COMPLAINT = re.compile(
    r"\b(?:WARN|WARNING|ERROR|FATAL)\b|^\([WE]\)|^(?:error|warning): |Unable to resolve crossref"
    r"|Could not fetch resource"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_TRACE = re.compile(r"^\s+at |^Stack trace:")
# Files that Quarto reads unasked and may run: further settings files, extensions with their filters.
_OWN_SETTINGS = re.compile(r"_(?:quarto|metadata|brand|language).*\.ya?ml.*|_environment.*|_extensions", re.IGNORECASE)


def installed() -> Program:
    """Return the Quarto to render with: the one in QUARTO_PATH, or else the one on PATH."""
    return usable(os.environ.get("QUARTO_PATH") or shutil.which("quarto"))


def usable(executable: str | None) -> Program:
    """Check that an executable is a Quarto that can render Tallybook's reports, and return it."""
    wanted = ".".join(str(part) for part in MINIMUM)
    if not executable:
        raise UsageError(f"quarto is not installed: install version {wanted} or newer, or use --engine embedded")
    try:
        answer = _run([executable, "--version"], timeout=60)
    except OSError as error:
        raise UsageError(f"{printable(executable, 200)} does not run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{printable(executable, 200)} does not answer") from error
    version = answer.stdout.strip()
    found = _VERSION.match(version)
    if answer.returncode != 0 or not found:
        raise UsageError(f"{printable(executable, 200)} tells no version: found {printable(version or answer.stderr)}")
    if (int(found[1]), int(found[2])) < MINIMUM:
        raise UsageError(f"quarto {version} is too old: expected {wanted} or newer")
    return Program(executable, version)


def render(
    quarto: Program, project: Path, document: str, formats: tuple[str, ...], folder: Path, *, trust: bool = False
) -> Rendered:
    """Render a document with Quarto."""
    if not trust:
        # Refuse what the embedded engine refuses: code that Quarto would run, files from outside the project.
        embedded.check(project, document, formats, folder)
    # Quarto writes into the project it renders, and finds no files below a folder whose name begins with a dot, as
    # those of the working folders beside an output do, and perhaps that of the output itself.
    with tempfile.TemporaryDirectory(prefix="tallybook-") as name:
        copy = Path(name, "project")
        shutil.copytree(project, copy, ignore=lambda at, names: _left_out(Path(at), names, folder))
        made = tuple(_render_one(quarto, copy, document, one, folder) for one in formats)
    return Rendered("quarto", f"quarto {quarto.version}", made)


def refuse_own_settings(project: Path) -> None:
    """Refuse a project with files that Quarto reads unasked and may run: further settings files, extensions."""
    for path in sorted(project.rglob("*")):
        if _OWN_SETTINGS.fullmatch(path.name) and path != project / "_quarto.yml":
            name = printable(path.relative_to(project).as_posix(), 200)
            raise ReportError(
                f"{name}: Quarto would read and run it: expected text alone; --trust lets your own through"
            )


def _left_out(at: Path, names: Sequence[str], folder: Path) -> list[str]:
    """Return the names that are not copied: hidden files and the working folder."""
    return [name for name in names if at / name == folder or name.startswith(".")]


def _render_one(quarto: Program, copy: Path, document: str, name: str, folder: Path) -> Path:
    _checked(quarto, copy, [document, "--to", TYPE_OF_FORMAT[name], "--output-dir", OUTPUT], name)
    stem = Path(document).with_suffix(f".{name}")
    made = next((at for at in (copy / OUTPUT / stem, copy / OUTPUT / stem.name) if at.is_file()), None)
    if made is None:
        raise QuartoError(f"quarto ended without an error, but made no {stem.name}")
    # The temporary folder may be on another disk.
    return Path(shutil.move(made, folder / stem.name))


def render_kind(kind: str, project: Path, document: str, folder: Path, *, trust: bool = False) -> Rendered:
    """Render a project as a Quarto project of type `website`, `manuscript` or `book`, into a folder of this name."""
    quarto = installed()
    if not trust:
        refuse_own_settings(project)
    with tempfile.TemporaryDirectory(prefix="tallybook-") as name:
        if not trust:
            embedded.check(project, document, ("html",), Path(name))
        copy = shutil.copytree(project, Path(name, "project"))
        settings, variables = copy / "_quarto.yml", json.loads((copy / "_variables.yml").read_text(encoding="utf-8"))
        declared: Any = read_yaml(settings.read_text(encoding="utf-8"), settings.name)
        declared["project"] = {"type": kind, "output-dir": OUTPUT}
        title = variables["study"]["title"]
        # A book's PDF would have the layout of Quarto's books, not of the theme.
        declared["format"] = {one: form for one, form in declared["format"].items() if (one, kind) != ("typst", "book")}
        declared[kind] = {
            "website": {"title": title},
            "manuscript": {"article": document},
            "book": {"title": title, "chapters": [document]},
        }[kind]
        settings.write_text(json.dumps(declared), encoding="utf-8")
        _checked(quarto, copy, [], kind)
        shutil.rmtree(folder / kind, ignore_errors=True)
        shutil.move(copy / OUTPUT, folder / kind)
    return Rendered("quarto", f"quarto {quarto.version}", (folder / kind / "index.html",))


def _checked(quarto: Program, copy: Path, arguments: Sequence[str], what: str) -> None:
    """Run `quarto render` in a copy of a project; treat every warning as an error."""
    try:
        answer = _run([quarto.executable, "render", *arguments], timeout=TIMEOUT, cwd=copy)
    except subprocess.TimeoutExpired as error:
        raise QuartoError(f"quarto did not finish {what} within {TIMEOUT} seconds") from error
    lines = [_COLOUR.sub("", line) for line in (answer.stdout + "\n" + answer.stderr).splitlines()]
    complaints = [line for line in lines if _COMPLAINT.search(line)]
    if answer.returncode != 0:
        said = complaints or [line for line in lines if line.strip() and not _TRACE.search(line)][-5:]
        raise QuartoError(_quoted(f"quarto failed on {what} (exit code {answer.returncode})", said))
    if complaints:
        raise QuartoError(_quoted(f"quarto complained about {what}", complaints))


def _quoted(what: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{what}:", *(f"  {printable(line.strip(), 300)}" for line in lines[:20])])


def _run(command: list[str], *, timeout: float, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the command is a list, and the executable the user's own choice
        command,
        cwd=cwd,
        timeout=timeout,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())},
    )

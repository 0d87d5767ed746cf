"""The embedded engine: pandoc with one Lua filter for Quarto's Markdown, and typst for the PDF.

It supports the features of Quarto that reports use, with the same meaning, and refuses all others by name (see
assets/constructs.lua).
"""

from __future__ import annotations

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tallybook.core.errors import MissingExtraError, ReportError
from tallybook.core.untrusted import printable
from tallybook.report import pandoc as bounded
from tallybook.report.formats import TYPE_OF_FORMAT, Rendered
from tallybook.report.project import FILTERS, NUMBERS, Document, load
from tallybook.report.typesetting import typeset

if TYPE_CHECKING:
    from tallybook.report.formats import Program
    from tallybook.report.project import Yaml

ASSETS = Path(__file__).parent / "assets"

# Quarto's reader is pandoc's Markdown without table attributes. The front matter is read separately, beforehand.
READER = "markdown-table_attributes-yaml_metadata_block-pandoc_title_block"
# Citations are formatted by pandoc, not typst, so that the list of references is the same in all formats.
WRITERS = {"html": "html5", "typst": "typst-citations", "docx": "docx"}


def render(project: Path, document: str, formats: tuple[str, ...], folder: Path, *, trust: bool = False) -> Rendered:
    """Render a document with pandoc and typst."""
    pandoc = installed()
    loaded = load(project, document, trust=trust)
    with ThreadPoolExecutor() as threads:  # each thread waits for external programs
        made = list(threads.map(partial(_render_one, pandoc, loaded, folder=folder), formats))
    versions = f"pandoc {pandoc.version}, typst {version('typst')}"
    return Rendered("embedded", versions, tuple(file for file, _ in made), tuple(note for _, note in made if note))


def check(project: Path, document: str, formats: tuple[str, ...], folder: Path) -> None:
    """Refuse a document that the engine cannot render: convert it with pandoc and discard the output."""
    loaded = load(project, document)
    for name in formats:
        with TemporaryDirectory(prefix="check-", dir=folder) as work:
            write(bounded.installed(), loaded, TYPE_OF_FORMAT[name], Path(work))


def installed() -> Program:
    """Return the installed pandoc, after checking that typst is installed, too."""
    if find_spec("typst") is None:
        raise MissingExtraError("typst", "report")
    return bounded.installed()


def _render_one(pandoc: Program, document: Document, name: str, folder: Path) -> tuple[Path, str]:
    kind = TYPE_OF_FORMAT[name]
    work = folder / kind
    work.mkdir()
    written = write(pandoc, document, kind, work)
    target = folder / Path(document.name).with_suffix(f".{name}").name
    if kind == "typst":
        printed = typeset(written)
        target.write_bytes(printed.pdf)
        return target, printed.note
    return written.replace(target), ""


def write(pandoc: Program, document: Document, kind: str, work: Path) -> Path:
    """Convert the document with pandoc to HTML, docx or typst source, and return the file."""
    settings = document.settings[kind]
    filter_settings = {
        "folder": document.folder.as_posix(),
        "placeholders": document.sources.placeholders,
        "number_sections": settings.get("number-sections", False),
        "image_extension": settings.get("default-image-extension", "png" if kind == "docx" else "svg"),
    }
    _write_json(work / "settings.json", filter_settings)
    _write_json(work / "metadata.json", _metadata(document, kind))
    (work / "body.md").write_text(document.sources.body, encoding="utf-8", newline="\n")
    target = work / f"report.{'typ' if kind == 'typst' else kind}"
    arguments = [
        f"--from={READER}",
        f"--to={WRITERS[kind]}",
        "--standalone",
        "--wrap=none",
        "--syntax-highlighting=none",
        f"--data-dir={work.as_posix()}",
        "--metadata-file=metadata.json",
        # The project's table filters run first, as in Quarto; citations come last, when cross-references are resolved.
        *(f"--lua-filter={_file(document, name)}" for name in FILTERS[:2] if kind != "html"),
        f"--lua-filter={(ASSETS / 'filter.lua').as_posix()}",
        *(f"--lua-filter={_file(document, name)}" for name in FILTERS[2:] if kind == "docx"),
        "--citeproc",
        f"--lua-filter={(ASSETS / 'finish.lua').as_posix()}",
        *_of_format(document, kind, work),
        f"--output={target.name}",
        "body.md",
    ]
    bounded.run(pandoc, arguments, work, document.sources, kind)
    return target


def _metadata(document: Document, kind: str) -> dict[str, Yaml]:
    settings = document.settings[kind]
    language, _, region = str(settings.get("lang", "en")).partition("-")
    metadata: dict[str, Yaml] = {
        **document.front,
        "lang": settings.get("lang", "en"),
        "language": language,
        "toc-title": settings.get("toc-title", "Table of contents"),
        "abstract-title": "Abstract",
        "link-citations": True,
    }
    if region:
        metadata["region"] = region
    if NUMBERS in settings:
        metadata[NUMBERS] = settings[NUMBERS]
    if kind == "typst":
        keys = ("papersize", "margin", "mainfont", "fontsize", "across", "along")
        metadata |= {"papersize": "a4", "mainfont": "Libertinus Serif", "fontsize": "10pt"}
        metadata |= {key: settings[key] for key in keys if key in settings}
        if settings.get("number-sections", False):
            metadata["section-numbering"] = settings.get("section-numbering", "1.1.a")
    return metadata


def _of_format(document: Document, kind: str, work: Path) -> list[str]:
    settings = document.settings[kind]
    arguments = [f"--toc-depth={settings.get('toc-depth', 3)}"]
    if settings.get("toc", False):
        arguments.append("--toc")
    for key in ("bibliography", "csl"):
        for number, name in enumerate(_names(settings.get(key)), start=1):
            # Pandoc records the path in its output: the path of a copy reveals nothing about the machine.
            copied = shutil.copy(_file(document, name), work / f"{key}-{number}{Path(name).suffix}")
            arguments.append(f"--{key}={Path(copied).name}")
    if kind == "html":
        arguments += [f"--template={(ASSETS / 'template.html').as_posix()}", "--mathml"]
        arguments.append(f"--include-in-header={_style_sheet(document, work)}")
        if "include-after-body" in settings:
            arguments.append(f"--include-after-body={_file(document, str(settings['include-after-body']))}")
    elif kind == "typst":
        arguments.append(f"--template={(ASSETS / 'template.typ').as_posix()}")
        for key in ("include-in-header", "include-before-body"):
            if key in settings:
                arguments.append(f"--{key}={_file(document, str(settings[key]))}")
    elif "reference-doc" in settings:
        arguments.append(f"--reference-doc={_file(document, str(settings['reference-doc']))}")
    return arguments


def _names(value: Yaml) -> list[str]:
    """Return the file names in a setting, which is one name, a list of names or nothing."""
    return [] if value is None else [str(name) for name in (value if isinstance(value, list) else [value])]


def _style_sheet(document: Document, work: Path) -> str:
    settings = document.settings["html"]
    text = Path(_file(document, str(settings["css"]))).read_text(encoding="utf-8") if "css" in settings else ""
    if found := re.search(r"</style|url\(|@import", text, re.IGNORECASE):
        raise ReportError(f"{settings['css']}: {found[0]} in a style sheet, which is to hold all that it needs")
    (work / "style.html").write_text(f"<style>\n{text}</style>\n", encoding="utf-8", newline="\n")
    return "style.html"


def _file(document: Document, name: str) -> str:
    path = document.project / name
    if not path.is_file():
        raise ReportError(f"the project's file {printable(name, 200)} does not exist")
    return path.as_posix()


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")

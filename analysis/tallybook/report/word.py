"""Post-processing of Word files: vector pictures beside their bitmap fallbacks, and line and page numbers."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

REFERENCE = "theme/reference.docx"
"""The project's reference document, with the styles of Word reports."""
STYLES = "word/styles.xml"

_TEXT, _LINKS, _TYPES = "word/document.xml", "word/_rels/document.xml.rels", "[Content_Types].xml"
_PICTURE = re.compile(
    r'(?P<start><pic:cNvPr [^>]*descr="(?P<path>[^"]+)\.png"[^>]*>(?:(?!<pic:cNvPr ).)*?<a:blip r:embed="[^"]+") ?/>',
    flags=re.DOTALL,
)
_VECTOR = (
    '><a:extLst><a:ext uri="{{96DAC541-7B7A-43D3-8B79-37D633B846F1}}">'
    '<asvg:svgBlip xmlns:asvg="http://schemas.microsoft.com/office/drawing/2016/SVG/main" r:embed="{link}" />'
    "</a:ext></a:extLst></a:blip>"
)
_LINK = (
    '<Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" '
    'Id="{link}" Target="media/{link}.svg" />'
)
_TYPE = '<Default Extension="svg" ContentType="image/svg+xml" />'

# The beginning of a section without a footer.
_SECTION = re.compile(r"<w:sectPr[^>]*>(?!\s*<w:(?:header|footer)Reference )")

_LINES = '<w:lnNumType w:countBy="1" w:restart="continuous" />'
# The page size and margins of a section whose lines are not numbered yet.
_PAGE = re.compile(r"<w:pgSz [^>]*/>(?:\s*<w:pgMar [^>]*/>)?+(?!\s*<w:lnNumType )")


def finish_word(report: Path, project: Path) -> None:
    """Add vector pictures and page numbers to a Word report, and line numbers if its reference document has them."""
    add_vectors(report, project)
    number_pages(report)
    if (project / REFERENCE).is_file() and "<w:lnNumType " in _member(project / REFERENCE, _TEXT):
        number_lines(report)


def number_pages(docx: Path) -> None:
    """Give all sections the footer of the last one."""
    if footer := re.search(r"<w:footerReference [^>]*/>", _member(docx, _TEXT)):
        rewrite(docx, {_TEXT: lambda text: _SECTION.sub(rf"\g<0>{footer[0]}", text)})


def number_lines(docx: Path) -> None:
    """Number the lines of all sections."""
    rewrite(docx, {_TEXT: lambda text: _PAGE.sub(rf"\g<0>{_LINES}", text)})


def add_vectors(docx: Path, project: Path) -> None:
    """Embed `NAME.svg` from the project in a Word file beside each picture `NAME.png`, where it exists."""
    vectors: dict[str, bytes] = {}

    def with_vector(found: re.Match[str]) -> str:
        file = (project / f"{found['path']}.svg").resolve()
        if not file.is_relative_to(project.resolve()) or not file.is_file():
            return found[0]
        link = f"vector{len(vectors) + 1}"
        vectors[link] = file.read_bytes()
        return found["start"] + _VECTOR.format(link=link)

    text = _PICTURE.sub(with_vector, _member(docx, _TEXT))
    if vectors:
        links = "".join(_LINK.format(link=link) for link in vectors)
        changes: dict[str, Callable[[str], str]] = {
            _TEXT: lambda _: text,
            _LINKS: lambda old: old.replace("</Relationships>", f"{links}</Relationships>"),
            _TYPES: lambda old: old if 'Extension="svg"' in old else old.replace("</Types>", f"{_TYPE}</Types>"),
        }
        rewrite(docx, changes, {f"word/media/{link}.svg": svg for link, svg in vectors.items()})


def rewrite(docx: Path, changes: Mapping[str, Callable[[str], str]], added: Mapping[str, bytes] | None = None) -> None:
    """Apply functions to the texts of a Word file's members, and add new members; dates of members are kept."""
    with zipfile.ZipFile(docx) as archive:
        members = [(entry, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(docx, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in members:
            change = changes.get(entry.filename)
            archive.writestr(entry, change(content.decode("utf-8")) if change else content, zipfile.ZIP_DEFLATED)
        for name, content in (added or {}).items():
            entry = zipfile.ZipInfo(name, date_time=members[0][0].date_time)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def _member(docx: Path, name: str) -> str:
    with zipfile.ZipFile(docx) as archive:
        return archive.read(name).decode("utf-8")

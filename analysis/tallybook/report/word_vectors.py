"""Vector pictures in a Word report: the SVG of a figure beside its PNG, which older programs show."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

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


def add_vectors(docx: Path, project: Path) -> None:
    """Put into a Word file what stands in the project as `NAME.svg` beside a picture `NAME.png`."""
    with zipfile.ZipFile(docx) as archive:
        members = [(entry, archive.read(entry)) for entry in archive.infolist()]
    vectors: dict[str, bytes] = {}

    def with_vector(found: re.Match[str]) -> str:
        file = (project / f"{found['path']}.svg").resolve()
        if not file.is_relative_to(project.resolve()) or not file.is_file():
            return found[0]
        link = f"vector{len(vectors) + 1}"
        vectors[link] = file.read_bytes()
        return found["start"] + _VECTOR.format(link=link)

    text = next(content for entry, content in members if entry.filename == _TEXT).decode("utf-8")
    text = _PICTURE.sub(with_vector, text)
    if not vectors:
        return
    links = "".join(_LINK.format(link=link) for link in vectors)
    with zipfile.ZipFile(docx, "w") as archive:
        for entry, content in members:
            written = content.decode("utf-8") if entry.filename in {_LINKS, _TYPES} else ""
            if entry.filename == _TEXT:
                written = text
            elif entry.filename == _LINKS:
                written = written.replace("</Relationships>", f"{links}</Relationships>")
            elif entry.filename == _TYPES and 'Extension="svg"' not in written:
                written = written.replace("</Types>", f"{_TYPE}</Types>")
            archive.writestr(entry, written or content, compress_type=zipfile.ZIP_DEFLATED)
        for link, svg in vectors.items():
            entry = zipfile.ZipInfo(f"word/media/{link}.svg", date_time=members[0][0].date_time)
            archive.writestr(entry, svg, compress_type=zipfile.ZIP_DEFLATED)

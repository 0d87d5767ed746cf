"""The reference document of docx reports: pandoc's own with the styles of a journal's appendix.

`python reports/reference.py reports/theme/reference.docx` writes it again. Quarto and the embedded engine take
the styles from the same file.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from tallybook.core.errors import ReportError
from tallybook.report import pandoc as bounded

# Sizes are in half points, spaces in twentieths of a point, rules in eighths of a point.
_INK = "1B1F24"
_LINK = "1F4E79"
# A font that every reader has, or one of the same widths.
_FONT = "<w:rFonts " + " ".join(f'w:{kind}="Times New Roman"' for kind in ("ascii", "hAnsi", "eastAsia", "cs")) + " />"

# What stands in where a reader lacks them.
_SERIF = '<w:altName w:val="Liberation Serif,Tinos,Times"/>'
_MONO = '<w:altName w:val="Liberation Mono,Menlo,DejaVu Sans Mono"/>'


def _paragraph(identifier: str, name: str, based_on: str, paragraph: str, run: str = "") -> str:
    custom = "" if name in {"Title", "Subtitle", "Date", "Caption", "Body Text", "Block Text"} else ' w:customStyle="1"'
    return (
        f'<w:style w:type="paragraph"{custom} w:styleId="{identifier}"><w:name w:val="{name}" />'
        f'<w:basedOn w:val="{based_on}" /><w:qFormat /><w:pPr>{paragraph}</w:pPr><w:rPr>{run}</w:rPr></w:style>'
    )


def _size(half_points: int) -> str:
    return f'<w:sz w:val="{half_points}" /><w:szCs w:val="{half_points}" />'


def _space(before: int, after: int) -> str:
    return f'<w:spacing w:before="{before}" w:after="{after}" />'


def _margins(side: int) -> str:
    return (
        f'<w:tblCellMar><w:top w:w="0" w:type="dxa" /><w:left w:w="{side}" w:type="dxa" />'
        f'<w:bottom w:w="0" w:type="dxa" /><w:right w:w="{side}" w:type="dxa" /></w:tblCellMar>'
    )


def _heading(level: int, half_points: int, before: int) -> str:
    identifier = f"Heading{level}"
    paragraph = f'<w:keepNext /><w:keepLines />{_space(before, 100)}<w:outlineLvl w:val="{level - 1}" />'
    run = f'<w:b /><w:bCs /><w:color w:val="{_INK}" />{_size(half_points)}'
    return (
        f'<w:style w:type="paragraph" w:styleId="{identifier}"><w:name w:val="heading {level}" />'
        f'<w:basedOn w:val="Normal" /><w:next w:val="BodyText" /><w:uiPriority w:val="9" /><w:qFormat />'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{run}</w:rPr></w:style>"
    )


_BAR = '<w:pBdr>{above}<w:left w:val="single" w:sz="24" w:space="8" w:color="{colour}" /></w:pBdr>'
_SHADE = '<w:shd w:val="clear" w:color="auto" w:fill="F4F6F9" />'
_CALLOUT = _BAR.format(above="", colour="1F5FBF") + _SHADE
# Paragraphs with equal borders run together: the line above a title keeps one callout apart from the next.
_CALLOUT_TITLE = (
    _BAR.format(above='<w:top w:val="single" w:sz="4" w:space="4" w:color="D0D5DB" />', colour="1F5FBF") + _SHADE
)

STYLES = {
    "Title": _paragraph("Title", "Title", "Normal", _space(240, 80) + '<w:jc w:val="center" />', "<w:b />" + _size(36)),
    "Subtitle": _paragraph("Subtitle", "Subtitle", "Normal", _space(0, 120) + '<w:jc w:val="center" />', _size(26)),
    "Author": _paragraph("Author", "Author", "Normal", _space(0, 40) + '<w:jc w:val="center" />', _size(22)),
    "Date": _paragraph("Date", "Date", "Normal", _space(0, 240) + '<w:jc w:val="center" />', _size(20)),
    "BodyText": _paragraph("BodyText", "Body Text", "Normal", _space(80, 120)),
    "BlockText": _paragraph(
        "BlockText",
        "Block Text",
        "BodyText",
        _BAR.format(above="", colour="B8BEC6") + '<w:ind w:left="360" w:right="360" />',
    ),
    "Heading1": _heading(1, 30, 360),
    "Heading2": _heading(2, 25, 280),
    "Heading3": _heading(3, 22, 240),
    "Heading4": _heading(4, 21, 200),
    "Caption": _paragraph("Caption", "Caption", "Normal", _space(80, 80), _size(19)),
    "TableCaption": _paragraph("TableCaption", "Table Caption", "Caption", "<w:keepNext />" + _space(280, 80)),
    "ImageCaption": _paragraph("ImageCaption", "Image Caption", "Caption", _space(60, 280)),
    "TableText": _paragraph("TableText", "Table Text", "Normal", _space(15, 15), _size(17)),
    "TableHeading": _paragraph("TableHeading", "Table Heading", "TableText", "<w:keepNext />", "<w:b /><w:bCs />"),
    "TableGroup": _paragraph("TableGroup", "Table Group", "TableText", f"<w:keepNext />{_space(80, 15)}"),
    "TableNote": _paragraph("TableNote", "Table Note", "Normal", _space(50, 0), _size(15)),
    "TableNoteKept": _paragraph("TableNoteKept", "Table Note Kept", "TableNote", "<w:keepNext />"),
    "CalloutTitle": _paragraph(
        "CalloutTitle", "Callout Title", "Normal", f"<w:keepNext />{_CALLOUT_TITLE}{_space(240, 0)}", "<w:b /><w:bCs />"
    ),
    "Callout": _paragraph("Callout", "Callout", "Normal", f"{_CALLOUT}{_space(0, 0)}"),
    "FootnoteText": '<w:style w:type="paragraph" w:styleId="FootnoteText"><w:name w:val="Footnote Text" />'
    f'<w:basedOn w:val="Normal" /><w:qFormat /><w:pPr>{_space(0, 40)}</w:pPr><w:rPr>{_size(18)}</w:rPr></w:style>',
    "Hyperlink": '<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink" />'
    f'<w:basedOn w:val="BodyTextChar" /><w:rPr><w:color w:val="{_LINK}" /></w:rPr></w:style>',
    "VerbatimChar": '<w:style w:type="character" w:customStyle="1" w:styleId="VerbatimChar">'
    '<w:name w:val="Verbatim Char" /><w:basedOn w:val="BodyTextChar" />'
    f'<w:rPr><w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas" />{_size(18)}</w:rPr></w:style>',
    # A table that Quarto puts around something, in this style, is not seen.
    "Table": '<w:style w:type="table" w:default="1" w:styleId="Table"><w:name w:val="Table" />'
    f'<w:basedOn w:val="TableNormal" /><w:qFormat /><w:tblPr><w:tblInd w:w="0" w:type="dxa" />{_margins(0)}</w:tblPr>'
    "</w:style>",
    "RuledTable": '<w:style w:type="table" w:customStyle="1" w:styleId="RuledTable"><w:name w:val="Ruled Table" />'
    '<w:basedOn w:val="TableNormal" /><w:qFormat /><w:tblPr><w:tblInd w:w="0" w:type="dxa" /><w:tblBorders>'
    '<w:top w:val="single" w:sz="8" w:space="0" w:color="000000" />'
    f'<w:bottom w:val="single" w:sz="8" w:space="0" w:color="000000" /></w:tblBorders>{_margins(85)}</w:tblPr>'
    '<w:tblStylePr w:type="firstRow"><w:tcPr><w:tcBorders>'
    '<w:bottom w:val="single" w:sz="4" w:space="0" w:color="000000" /></w:tcBorders>'
    '<w:vAlign w:val="bottom" /></w:tcPr></w:tblStylePr></w:style>',
}

_PAGE = (
    '<w:pgSz w:w="11906" w:h="16838" />'
    '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0" />'
)


# The page's number, centred.
_FOOTER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<w:ftr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:p><w:pPr><w:jc w:val="center" />'
    '</w:pPr><w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p></w:ftr>'
)


def build(pandoc: bounded.Pandoc) -> bytes:
    """Make the reference document.

    `pandoc`: The pandoc whose own reference document is the base; its version is noted in the file's description.
    """
    answer = subprocess.run(  # noqa: S603 - the command is a list of our own making
        [pandoc.executable, "--print-default-data-file=reference.docx"],
        capture_output=True,
        timeout=bounded.TIMEOUT,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if answer.returncode != 0:
        raise ReportError("pandoc does not hand out its reference document")
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(answer.stdout)) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            content = _styled(name, source.read(name).decode("utf-8"), pandoc.version).encode("utf-8")
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content)
        target.writestr(zipfile.ZipInfo("word/footer1.xml", date_time=(1980, 1, 1, 0, 0, 0)), _FOOTER)
    return made.getvalue()


def _with_footer(name: str, text: str) -> str:
    """Name the footer where the package and its document list their parts."""
    if name == "word/_rels/document.xml.rels":
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footer"
        link = f'<Relationship Id="rIdFooter" Type="{kind}" Target="footer1.xml" />'
        return text.replace("</Relationships>", f"{link}</Relationships>")
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"
    part = f'<Override PartName="/word/footer1.xml" ContentType="{kind}" />'
    return text.replace("</Types>", f"{part}</Types>") if name == "[Content_Types].xml" else text


def _styled(name: str, text: str, version: str) -> str:
    if name == "word/styles.xml":
        return _with_styles(text)
    if name == "word/fontTable.xml":
        named = '<w:font w:name="Times New Roman">'
        others = f'<w:font w:name="Consolas">{_MONO}<w:family w:val="modern"/><w:pitch w:val="fixed"/></w:font>'
        return text.replace(named, named + _SERIF).replace("</w:fonts>", f"{others}</w:fonts>")
    if name == "word/document.xml":
        footer = '<w:footerReference w:type="default" r:id="rIdFooter" />'
        return re.sub(r"<w:sectPr[^>]*>", rf"\g<0>{footer}", text.replace("</w:footnotePr>", f"</w:footnotePr>{_PAGE}"))
    if name == "docProps/core.xml":
        stamped = re.sub(r"(<dcterms:(?:created|modified)[^>]*>)[^<]*", r"\g<1>1980-01-01T00:00:00Z", text)
        return stamped.replace(
            "</cp:coreProperties>", f"<dc:description>pandoc {version}</dc:description></cp:coreProperties>"
        )
    return _with_footer(name, text)


def _with_styles(text: str) -> str:
    defaults, _, rest = text.partition("</w:docDefaults>")
    defaults = re.sub(r'(<w:szC?s? w:val=)"24"', r'\1"21"', defaults)
    defaults = re.sub(r"<w:rFonts [^>]*/>", _FONT, defaults)
    text = defaults + "</w:docDefaults>" + rest
    added: list[str] = []
    for identifier, style in STYLES.items():
        pattern = rf'<w:style (?:(?!</w:style>).)*?w:styleId="{identifier}">.*?</w:style>'
        text, count = re.subn(pattern, lambda _, made=style: made, text, count=1, flags=re.DOTALL)
        if not count:
            added.append(style)
    return text.replace("</w:styles>", "".join(added) + "</w:styles>")


def main(arguments: list[str]) -> None:
    """Write the reference document to the path given."""
    (path,) = arguments
    Path(path).write_bytes(build(bounded.installed()))


if __name__ == "__main__":
    main(sys.argv[1:])

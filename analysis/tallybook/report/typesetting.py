"""PDFs compiled from typst sources: tagged for screen readers, and checked for missing letters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from tallybook.core.errors import ReportError
from tallybook.core.untrusted import printable
from tallybook.core.wording import without_font
from tallybook.report import pandoc as bounded

if TYPE_CHECKING:
    from typst import Fonts, TypstError, TypstWarning

ACCESSIBLE = "ua-1"
"""PDF/UA-1 (ISO 14289-1): typst then refuses images without alternative text, and letters without a glyph."""

_WITHOUT_GLYPH = "could not be displayed with"

# Alternative texts of images are not printed.
_DESCRIPTION = re.compile(r'alt: "(?:[^"\\]|\\.)*"')

# One page per letter. The first shows a code point that never has a glyph; a letter missing in all fonts looks like it.
_PAGES = '#set page(width: 40pt, height: 40pt)\n#set text(font: "Libertinus Serif")\n'
_NO_LETTER = "\U0003fffe"

# A typst source to prepend: it prints the letters in the input `lacking` as code points.
_CODE_POINTS = Path(__file__).parent / "assets" / "code-points.typ"


class Typeset(NamedTuple):
    """A PDF."""

    pdf: bytes  # the file's bytes
    note: str = ""  # what a reader of the PDF will miss; empty if nothing


def typeset(source: Path) -> Typeset:
    """Compile a typst source to a PDF; files outside its folder cannot be read.

    Fonts are typst's own, so that a report looks the same everywhere. Only if these lack letters, such as Chinese or
    Japanese ones, the machine's fonts are used, too. A letter that these lack as well is printed as its code point, and
    the note names it.
    """
    import typst

    made = _attempt(source, typst.Fonts(include_system_fonts=False), accessible=True)
    if isinstance(made, bytes):
        return Typeset(made)
    text, fonts = source.read_text(encoding="utf-8"), typst.Fonts()
    letters = {letter for letter in _DESCRIPTION.sub("", text) if not letter.isascii()}
    lacking = _without_glyph("".join(sorted(letters)), fonts)
    prefixed = source.with_stem(f"{source.stem}-code-points")
    if lacking:
        prefixed.write_text(_CODE_POINTS.read_text(encoding="utf-8") + text, encoding="utf-8", newline="\n")
    own = prefixed if lacking else source
    notes: list[str] = []
    # A source with too many letters between quotation marks cannot print code points.
    for file, accessible in ((own, True), (own, False), (source, False)):
        made = _attempt(file, fonts, accessible=accessible, lacking=lacking)
        if isinstance(made, bytes):
            how = "printed as code points" if file == prefixed else "printed as boxes"
            return Typeset(made, "; ".join([*([without_font(lacking, "the report", how)] if lacking else []), *notes]))
        if _WITHOUT_GLYPH in made.message:
            notes = [f"no installed font has every letter of the report: {_said(made)}"]
        elif accessible:
            notes = [f"the PDF is not accessible ({ACCESSIBLE}): {_said(made)}"]
    raise ReportError(f"typst failed: {_said(made)}") from made


def _without_glyph(letters: str, fonts: Fonts) -> str:
    """Return the letters for which no font has a glyph."""
    import typst

    pages = [f'#"\\u{{{ord(letter):x}}}"\n' for letter in _NO_LETTER + letters]
    source = _PAGES + "#pagebreak()\n".join([*pages, ""])
    drawn = cast("list[bytes]", typst.compile(source.encode(), font_paths=fonts, format="svg"))
    return "".join(letter for letter, page in zip(letters, drawn[1:-1], strict=True) if page == drawn[0])


def _attempt(source: Path, fonts: Fonts, *, accessible: bool = False, lacking: str = "") -> bytes | TypstError:
    """Compile a typst source and return the PDF, or the error that prevented it."""
    import typst

    try:
        pdf, warnings = typst.compile_with_warnings(
            str(source),
            root=str(source.parent),
            font_paths=fonts,
            sys_inputs={"lacking": lacking},
            timestamp=bounded.epoch(),
            pdf_standards=ACCESSIBLE if accessible else [],
        )
    except typst.TypstError as error:
        return error
    if warnings:
        raise ReportError("\n".join(f"typst warned: {_said(warning)}" for warning in warnings[: bounded.SHOWN]))
    return pdf


def _said(diagnostic: TypstError | TypstWarning) -> str:
    hints = "; ".join(diagnostic.hints)
    return printable(diagnostic.message + (f" ({hints})" if hints else ""), 400)

"""PDF from typst sources: tagged for readers who do not see it, and with a glyph for every letter."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from analysis.errors import ReportError
from analysis.report import pandoc as bounded
from analysis.untrusted import printable

if TYPE_CHECKING:
    from pathlib import Path

    from typst import TypstError, TypstWarning

ACCESSIBLE = "ua-1"
"""PDF/UA-1 (ISO 14289-1): typst then refuses pictures without a description, and letters without a glyph."""

_WITHOUT_GLYPH = "could not be displayed with"


class Typeset(NamedTuple):
    """A PDF.

    Attributes:
        pdf: The file's bytes.
        note: What a reader of it will miss; empty if nothing.
    """

    pdf: bytes
    note: str = ""


def typeset(source: Path) -> Typeset:
    """Make a PDF of a typst source; files outside its folder cannot be read.

    Fonts are typst's own, so that a report looks alike everywhere. Only if they lack a letter, as they do those of
    Chinese or Japanese, the machine's fonts are used for it; if these lack it, too, the note says so.

    Args:
        source: The main file.

    Returns:
        The PDF: PDF/UA-1 unless a letter is missing or a picture is not described.

    Raises:
        ReportError: Typst fails or warns.
    """
    first = _attempt(source, own_fonts=True, accessible=True)
    if isinstance(first, bytes):
        return Typeset(first)
    if _WITHOUT_GLYPH not in first.message:
        return Typeset(_made(source, own_fonts=True))
    second = _attempt(source, own_fonts=False, accessible=True)
    if isinstance(second, bytes):
        return Typeset(second)
    note = (
        f"no installed font has every letter of the report: {_said(second)}" if _WITHOUT_GLYPH in second.message else ""
    )
    return Typeset(_made(source, own_fonts=False), note)


def _attempt(source: Path, *, own_fonts: bool, accessible: bool) -> bytes | TypstError:
    """The PDF, or why there is none."""
    import typst

    try:
        pdf, warnings = typst.compile_with_warnings(
            str(source),
            root=str(source.parent),
            ignore_system_fonts=own_fonts,
            timestamp=bounded.epoch(),
            pdf_standards=ACCESSIBLE if accessible else [],
        )
    except typst.TypstError as error:
        return error
    if warnings:
        raise ReportError("\n".join(f"typst warned: {_said(warning)}" for warning in warnings[: bounded.SHOWN]))
    return pdf


def _made(source: Path, *, own_fonts: bool) -> bytes:
    """The PDF without a promise, for what cannot be accessible."""
    made = _attempt(source, own_fonts=own_fonts, accessible=False)
    if isinstance(made, bytes):
        return made
    raise ReportError(f"typst failed: {_said(made)}") from made


def _said(diagnostic: TypstError | TypstWarning) -> str:
    hints = "; ".join(diagnostic.hints)
    return printable(diagnostic.message + (f" ({hints})" if hints else ""), 400)

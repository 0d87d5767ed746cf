r"""Tables as LaTeX: a numbered `table` with booktabs' rules, or a `longtable` for many rows.

This module has its own writer, because those of great_tables and Pandoc do not suffice for papers. great_tables'
`as_latex` has no number and no label (`\caption*`), a vertical rule beside the stub, no wrapped columns and no emphasis
for row groups. Pandoc's writer always makes a `longtable`, draws no rules under spanners and needs `array`, `calc` and
`multirow`; here `booktabs` is enough.
"""

from __future__ import annotations

import re
import unicodedata
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat
from tallybook.tables.typeset import lines, spanners, with_symbols
from tallybook.tables.widths import (
    GAP,
    fitted_widths,
    minimum_widths,
    natural_widths,
    text_width,
    total_width,
    wanted_widths,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.tables.content import Alignment, Table

# The heading of a group that has more characters than this wraps.
_WIDE_GROUP = 70

# Notes with more lines than this are not kept with the last rows of a long table.
_LONGEST_NOTES = 12

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        '"': r"\symbol{34}",
        "\u00a0": "~",
        "\u202f": r"\,",
        "\u2009": r"\,",
    }
)

# Symbols in statistical tables that LaTeX's own encodings lack -> the name of their command.
_SYMBOLS = {
    "×": "times",
    "·": "cdot",
    "±": "pm",
    "≤": "leq",
    "≥": "geq",
    "≠": "neq",
    "≈": "approx",
    "∞": "infty",
    "√": "surd",
    "∑": "sum",
    "→": "rightarrow",
    "←": "leftarrow",
    "∥": "parallel",
    "‖": "Vert",
    "∈": "in",
    **{letter: unicodedata.name(letter).split()[-1].lower() for letter in "αβγδζηθικμνξπρστυχψω"},
    **{letter: unicodedata.name(letter).split()[-1].capitalize() for letter in "ΓΔΘΞΠΣΥΦΨΩ"},
    "ε": "varepsilon",
    "φ": "varphi",
    "λ": "lambda",
    "Λ": "Lambda",
}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-")
_MATHEMATICS = re.compile(f"[−{''.join(_SYMBOLS)}]|[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+|[₀₁₂₃₄₅₆₇₈₉₊₋]+")

# Characters that TeX's fonts would join into another character.
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=[?!])(?=\\textasciigrave)")

# For letters beyond these the default engine has no glyphs: LuaLaTeX and XeLaTeX do, with a suitable font.
_LATIN = re.compile("[\u0000-\u024f\u1e00-\u1eff\u2010-\u203f\u20ac]*")


_EMPHASIS = r"\emph{{{}}}"


def table_latex(table: Table) -> str:
    r"""Return a `table` environment with caption and label `tab:ID`, or a `longtable` if it does not fit on a page.

    LaTeX that needs `\usepackage{booktabs}`, `longtable` if it is long, `rotating` if it is wide, `pdflscape` if
    it is both, and nothing else; a comment at its head names them. Decimal points align by `\phantom`. A wide
    table is set in smaller type, down to 7 pt, and then rotated; columns of long text wrap.
    """
    shown = visible_table(table)
    fit = lay_out(shown)
    caption, label = rf"\caption{{{latex(shown.title)}}}", rf"\label{{tab:{shown.id}}}"
    head, body = _head(shown, fit.shares), _body(shown, fit.shares)
    notes = [rf"{with_symbols(note, latex, _EMPHASIS)}\par" for note in shown.notes]
    box = (
        [r"\noindent\begin{minipage}{\linewidth}\footnotesize\raggedright", *notes, r"\end{minipage}"] if notes else []
    )
    setup = [fit.size, r"\setlength{\tabcolsep}{1.5pt}"] if fit.size else []
    packages = ["booktabs", *(["longtable"] if fit.long else [])]
    packages += [["rotating"], ["pdflscape"]][fit.long] if fit.turned else []
    *first, last = (rf"\usepackage{{{name}}}" for name in packages)
    written = [f"% Needs {', '.join(first)} and {last}." if first else f"% Needs {last}."]
    if not _is_latin(shown):
        written.append("% Some letters need LuaLaTeX or XeLaTeX and a font that has them.")
    if fit.long:
        # The notes are part of the foot, so that they stay with the last rows, unless they need whole pages; the table
        # is aligned left, as they are.
        setup += [r"\setlength{\LTleft}{0pt}", *([r"\setlength{\LTright}{0pt}"] if fit.size else [])]
        apart = fit.note_lines > _LONGEST_NOTES
        foot = [r"\noalign{\smallskip", *box, "}"] if notes and not apart else []
        after = [r"{\footnotesize\raggedright\noindent", *notes, "}"] if apart else []
        begin, end = (r"\begin{landscape}", r"\end{landscape}") if fit.turned else (r"\begingroup", r"\endgroup")
        again = rf"\caption[]{{{latex(shown.title)} (continued)}}\\"
        written += [begin, *setup, rf"\begin{{longtable}}{{{_columns(shown, fit)}}}"]
        written += [rf"{caption}{label}\\", *head, r"\endfirsthead", again, *head, r"\endhead"]
        written += [r"\midrule", r"\endfoot", r"\bottomrule", *foot, r"\endlastfoot"]
        written += [*body, r"\end{longtable}", *after, end]
    else:
        environment, width = ("tabular*", r"{\linewidth}") if fit.size else ("tabular", "")
        floating, place = ("sidewaystable", "") if fit.turned else ("table", "[htbp]")
        written += [rf"\begin{{{floating}}}{place}", r"\centering", caption, label, r"\par\smallskip", *setup]
        written += [r"\resizebox{\linewidth}{!}{%"] if fit.scaled else []
        written += [rf"\begin{{{environment}}}{width}{{{_columns(shown, fit)}}}", *head, *body, r"\bottomrule"]
        written += [rf"\end{{{environment}}}", *(["}"] if fit.scaled else [])]
        written += [*([r"\par\smallskip"] if notes else []), *box, rf"\end{{{floating}}}"]
    return "\n".join(written) + "\n"


def _columns(table: Table, fit: Layout) -> str:
    letters = ["l", *(column.align[0] for column in table.columns)]
    stub, *rest = [_column(letter, share) for letter, share in zip(letters, fit.shares, strict=True)]
    return "".join(["@{}", stub, r"@{\extracolsep{\fill}}" if fit.size else "", *rest, "@{}"])


def _column(letter: str, share: float | None) -> str:
    return letter if share is None else rf"p{{{share:.3f}\linewidth}}"


def _head(table: Table, shares: Sequence[float | None]) -> list[str]:
    written = [r"\toprule"]
    if any(column.spanner for column in table.columns):
        cells, rules = [""], ""
        for spanner, own in spanners(table):
            if spanner:
                share = sum(shares[at + 1] or 0.0 for at in own) or None
                cell = _cell(latex(spanner), "center", share)
                cells.append(rf"\multicolumn{{{len(own)}}}{{{_column('c', share)}}}{{{cell}}}")
                rules += rf"\cmidrule(lr){{{own[0] + 2}-{own[-1] + 2}}}"
            else:
                cells += [""] * len(own)
        written += [_row(cells, shares), rules]
    labels = [latex(table.stub)]
    labels += [with_symbols(one.label, latex, _EMPHASIS, is_statistic=one.is_statistic) for one in table.columns]
    return [*written, _row(_cells(table, labels, shares), shares), r"\midrule"]


def _body(table: Table, shares: Sequence[float | None]) -> list[str]:
    written: list[str] = []
    before = ""
    for line in lines(table):
        group, before = before, line.row.group
        written += [r"\addlinespace"] if written and line.row.group != group else []
        if line.heading:
            letter = "l" if len(line.heading) < _WIDE_GROUP else r"p{\linewidth}"
            heading = rf"{{@{{}}{letter}@{{}}}}{{\textbf{{{latex(line.heading)}}}}}"
            written.append(rf"\multicolumn{{{len(shares)}}}{heading} {_end(shares)}*")
        texts = [(r"\quad " if line.row.group else "") + latex(line.row.label)]
        texts += [latex(cell.text) + (rf"\phantom{{{latex(cell.pad)}}}" if cell.pad else "") for cell in line.cells]
        written.append(_row(_cells(table, texts, shares), shares) + ("[2pt]" if any(shares) else ""))
    return written


def _cells(table: Table, texts: Sequence[str], shares: Sequence[float | None]) -> list[str]:
    sides: list[Alignment] = ["left", *(column.align for column in table.columns)]
    return [_cell(text, side, share) for text, side, share in zip(texts, sides, shares, strict=True)]


_COMMANDS: dict[Alignment, str] = {"left": "raggedright", "right": "raggedleft", "center": "centering"}


def _cell(text: str, side: Alignment, share: float | None) -> str:
    """Return a cell with its own alignment if its column wraps: without the array package a column cannot set it."""
    return text if share is None else rf"\{_COMMANDS[side]} {text}"


def _row(cells: Sequence[str], shares: Sequence[float | None]) -> str:
    row = " & ".join(cells)
    # At the end of a row, LaTeX looks ahead for a star and for an optional argument.
    start = f"{{{row[0]}}}{row[1:]}" if row.startswith(("*", "[")) else row
    return f"{start} {_end(shares)}"


def _end(shares: Sequence[float | None]) -> str:
    r"""Return the command that ends a row: in wrapping columns, \raggedright and the like redefine "\\"."""
    return r"\tabularnewline" if any(shares) else r"\\"


def latex(text: str) -> str:
    r"""Escape a text for LaTeX, so that it is printed literally.

    >>> print(latex("p ≤ .05 & 10⁻¹² -- 100%"))
    p \ensuremath{\leq} .05 \& 10\ensuremath{^{-12}} -{}- 100\%
    """
    composed = unicodedata.normalize("NFC", text)
    return symbols(_LIGATURES.sub("{}", composed.translate(_ESCAPES)))


def symbols(source: str) -> str:
    r"""Replace the symbols that LaTeX's own encodings lack by commands.

    >>> print(symbols("Kendall's τ × 2"))
    Kendall's \ensuremath{\tau} \ensuremath{\times} 2
    """
    return _MATHEMATICS.sub(_mathematics, source)


def _mathematics(found: re.Match[str]) -> str:
    symbol = found.group()
    if symbol in _SYMBOLS:
        return rf"\ensuremath{{\{_SYMBOLS[symbol]}}}"
    if symbol == "−":
        return r"\ensuremath{-}"
    raised = symbol.translate(_RAISED)
    if raised != symbol:
        return rf"\ensuremath{{^{{{raised}}}}}"
    return rf"\ensuremath{{_{{{symbol.translate(_LOWERED)}}}}}"


def _is_latin(table: Table) -> bool:
    texts = [table.title, table.stub, *table.notes]
    texts += [text for column in table.columns for text in (column.label, column.spanner)]
    texts += [text for row in table.rows for text in (row.group, row.label, *row.cells)]
    return all(_LATIN.fullmatch(_MATHEMATICS.sub("", text)) for text in texts)


# The number of lines in the document's type that fit on a page, portrait and landscape, less caption and table head.
_PAGE_LINES, _TURNED_LINES = 40.0, 23.0
_SIZE_OF_TYPE = {"": 1.0, r"\small": 0.92, r"\footnotesize": 0.8, r"\scriptsize": 0.7}
# The space before a group, and between rows that wrap; the height of a line of notes, and how many digits fit on it in
# portrait and in landscape.
_BETWEEN_GROUPS, _BETWEEN_ROWS, _NOTE_HEIGHT, _NOTE, _TURNED_NOTE = 0.5, 0.2, 0.8, 80.0, 128.0

# The type sizes with the number of digits on a line of article.cls: in portrait, and in landscape when the table is
# rotated. From the second size on the table is set to the width of the line, and the space between its columns is the
# remainder. The smallest is 7 pt; a table that is wider still is scaled to the line as a whole.
_SIZES = (("", 67.0), (r"\small", 74.0), (r"\footnotesize", 80.0), (r"\scriptsize", 86.0))
_TURNED_SIZES = (("", 108.0), (r"\small", 117.0), (r"\footnotesize", 128.0), (r"\scriptsize", 137.0))
_LEAST_GAP = 0.9


class Layout(NamedTuple):
    r"""The layout that fits a table to its page."""

    size: str  # the LaTeX command for the type size, empty for the document's own
    turned: bool  # whether the table is rotated to landscape
    scaled: bool  # whether the whole table is scaled to the line
    long: bool  # whether it continues on the next page
    note_lines: int  # the approximate number of lines of its notes
    # each wrapping column's share of the line, the stub first; None for a column of natural width
    shares: list[float | None]


def lay_out(table: Table) -> Layout:
    """Choose the layout that fits a table to its page.

    The first of these in which no number is broken: in portrait in the document's type size, in smaller ones
    down to 7 pt, in 7 pt with wrapped headings; the same in landscape; in landscape, scaled as a whole. A table
    that does not fit on one page in any type size is a long one.
    """
    wanted, least = wanted_widths(table), minimum_widths(table)
    notes = 0
    across, along = (_SIZES, _PAGE_LINES, _NOTE), (_TURNED_SIZES, _TURNED_LINES, _TURNED_NOTE)
    for turned, (sizes, page, digits) in enumerate((across, along)):
        notes = sum(ceil(text_width(note) / digits) for note in table.notes)
        tried = [(GAP, wanted, *sizes[0]), *((_LEAST_GAP, wanted, *each) for each in sizes[1:])]
        fitting: list[Layout] = []
        for gap, widths, size, line in (*tried, (_LEAST_GAP, least, *sizes[-1])):
            if total_width(widths, gap) <= line:
                shares = _shares(table, line, gap)
                height = _height(table, [None if share is None else share * line for share in shares], size)
                long = height + _NOTE_HEIGHT * notes > page
                fitting.append(Layout(size, bool(turned), scaled=False, long=long, note_lines=notes, shares=shares))
        if fitting:
            # Prefer smaller type to a second page.
            return next((layout for layout in fitting if not layout.long), fitting[0])
    shares = _shares(table, total_width(wanted))
    return Layout("", turned=True, scaled=True, long=False, note_lines=notes, shares=shares)


def _shares(table: Table, line: float, gap: float = GAP) -> list[float | None]:
    natural = natural_widths(table)
    if total_width(natural, gap) <= line:
        return [None] * len(natural)
    fitted = fitted_widths(table, line, gap)
    return [fit / line if fit < width else None for fit, width in zip(fitted, natural, strict=True)]


def _height(table: Table, widths: Sequence[float | None], size: str) -> float:
    """Estimate the height of the rows, in lines of the document's type."""
    height = 0.0
    for line in lines(table):
        height += 1 + _BETWEEN_GROUPS if line.heading else 0
        height += max(
            ceil(text_width(text) / width) if width else 1
            for text, width in zip((line.row.label, *line.row.cells), widths, strict=True)
        )
    between = _BETWEEN_ROWS * len(table.rows) if any(widths) else 0.0
    return _SIZE_OF_TYPE[size] * (height + between)


FORMAT = TableFormat("tex", table_latex)

r"""Tables as LaTeX: a numbered `table` with booktabs' rules, or a `longtable` when there are many rows.

Neither great_tables nor Pandoc writes what a paper needs, so this module writes it. great_tables' `as_latex` has no
number and no label (`\caption*`), a vertical rule beside the stub, no wrapped columns and no emphasis for row groups.
Pandoc's writer always makes a `longtable`, draws no rules under spanners and needs `array`, `calc` and `multirow`;
here `booktabs` is enough.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING

from analysis.tables.text import visible_table
from analysis.tables.widths import GAP, fitted_widths, natural_widths, total_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.tables.content import Alignment, Row, Table

# Rows, headings of row groups included, that fit on a page.
_PAGE_ROWS = 40

# A column of text this wide may wrap; a narrower one keeps its natural width.
_BREAKABLE = 30.0

# The sizes of type with the number of characters on the narrow line of article.cls. From the second on the table is
# set to the width of the line, and the space between its columns is what is left of it.
_SIZES = (("", 70.0), (r"\small", 77.0), (r"\footnotesize", 86.0), (r"\scriptsize", 96.0))
_LEAST_GAP = 1.0

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

# What a statistical table says and LaTeX's own encodings lack. The name is what follows the backslash.
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

# Letters that TeX's fonts join into another character.
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=[?!])(?=\\textasciigrave)")

# Beyond these the default engine has no letters: LuaLaTeX and XeLaTeX set them, with a font that has them.
_LATIN = re.compile("[\u0000-\u024f\u1e00-\u1eff\u2010-\u203f\u20ac]*")


def table_latex(table: Table) -> str:
    r"""A `table` environment with caption and label `tab:ID`, or a `longtable` for more than 40 rows.

    Args:
        table: The table.

    Returns:
        LaTeX that needs `\usepackage{booktabs}` (and `longtable` when it is long) and nothing else. Wide tables are
        set in smaller type; columns of long text wrap.
    """
    shown = visible_table(table)
    runs = [(group, list(rows)) for group, rows in groupby(shown.rows, key=lambda row: row.group)]
    long = len(shown.rows) + sum(1 for group, _ in runs if group) > _PAGE_ROWS
    size, shares = _layout(shown)
    head, body, notes = _head(shown, shares), _body(shown, runs, shares), _notes(shown)
    columns = _columns(shown, shares, stretch=bool(size))
    setup = [size, r"\setlength{\tabcolsep}{1.5pt}"] if size else []
    caption = rf"\caption{{{latex(shown.title)}}}"
    label = rf"\label{{tab:{shown.id}}}"
    lines = [r"% Needs \usepackage{booktabs}" + (r" and \usepackage{longtable}." if long else ".")]
    lines += ["% Some letters need LuaLaTeX or XeLaTeX and a font that has them."] if not _is_latin(shown) else []
    if long:
        again = [rf"\caption[]{{{latex(shown.title)} (continued)}}\\", *head, r"\endhead"]
        setup += [r"\setlength{\LTleft}{0pt}\setlength{\LTright}{0pt}"] if size else []
        lines += [r"\begingroup", *setup, rf"\begin{{longtable}}{{{columns}}}"]
        lines += [rf"{caption}{label}\\", *head, r"\endfirsthead", *again, r"\bottomrule", r"\endlastfoot"]
        lines += [*body, r"\end{longtable}", *notes, r"\endgroup"]
    else:
        environment, width = ("tabular*", r"{\linewidth}") if size else ("tabular", "")
        lines += [r"\begin{table}[htbp]", r"\centering", caption, label, r"\par\smallskip", *setup]
        lines += [rf"\begin{{{environment}}}{width}{{{columns}}}", *head, *body, r"\bottomrule"]
        lines += [rf"\end{{{environment}}}", *([r"\par\smallskip"] if notes else []), *notes, r"\end{table}"]
    return "\n".join(lines) + "\n"


def latex(text: str) -> str:
    r"""Escape a text for LaTeX, so that it is set as it stands.

    >>> print(latex("p ≤ .05 & 10⁻¹² -- 100%"))
    p \ensuremath{\leq} .05 \& 10\ensuremath{^{-12}} -{}- 100\%
    """
    composed = unicodedata.normalize("NFC", text)
    return symbols(_LIGATURES.sub("{}", composed.translate(_ESCAPES)))


def symbols(source: str) -> str:
    r"""Write the symbols that LaTeX's own encodings lack as commands.

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


def _layout(table: Table) -> tuple[str, list[float | None]]:
    """The size of the type and each column's share of the line, None for its natural width."""
    natural = natural_widths(table)
    unwrapped = [min(width, _BREAKABLE) for width in natural]
    size, line = _SIZES[0]
    if total_width(unwrapped) > line:
        fitting = (each for each in _SIZES[1:] if total_width(unwrapped, _LEAST_GAP) <= each[1])
        size, line = next(fitting, _SIZES[-1])
    wraps = not size or natural != unwrapped
    fitted = fitted_widths(table, line, GAP if wraps else _LEAST_GAP)
    shares = [fit / line if fit < width else None for fit, width in zip(fitted, natural, strict=True)]
    return size, shares


def _columns(table: Table, shares: Sequence[float | None], *, stretch: bool) -> str:
    letters = ["l", *(column.align[0] for column in table.columns)]
    stub, *rest = [
        letter if share is None else rf"p{{{share:.3f}\linewidth}}"
        for letter, share in zip(letters, shares, strict=True)
    ]
    return "".join(["@{}", stub, r"@{\extracolsep{\fill}}" if stretch else "", *rest, "@{}"])


def _head(table: Table, shares: Sequence[float | None]) -> list[str]:
    lines = [r"\toprule"]
    if any(column.spanner for column in table.columns):
        cells, rules = [""], ""
        for spanner, run in groupby(range(len(table.columns)), key=lambda at: table.columns[at].spanner):
            spanned = [at + 1 for at in run]
            if spanner:
                share = sum(shares[at] or 0.0 for at in spanned) or None
                cell = _cell(latex(spanner), "center", share)
                letter = "c" if share is None else rf"p{{{share:.3f}\linewidth}}"
                cells.append(rf"\multicolumn{{{len(spanned)}}}{{{letter}}}{{{cell}}}")
                rules += rf"\cmidrule(lr){{{spanned[0] + 1}-{spanned[-1] + 1}}}"
            else:
                cells += [""] * len(spanned)
        lines += [_row(cells, shares), rules]
    labels = [latex(table.stub), *(latex(column.label) for column in table.columns)]
    return [*lines, _row(_cells(table, labels, shares), shares), r"\midrule"]


def _body(table: Table, runs: Sequence[tuple[str, Sequence[Row]]], shares: Sequence[float | None]) -> list[str]:
    count = len(shares)
    lines: list[str] = []
    for number, (group, rows) in enumerate(runs):
        lines += [r"\addlinespace"] if number else []
        if group:
            letter = "l" if len(group) < _SIZES[0][1] else r"p{\linewidth}"
            lines.append(rf"\multicolumn{{{count}}}{{@{{}}{letter}@{{}}}}{{\textbf{{{latex(group)}}}}} {_end(shares)}*")
        indent = r"\quad " if group else ""
        for row in rows:
            texts = [indent + latex(row.label), *(latex(cell) for cell in row.cells)]
            lines.append(_row(_cells(table, texts, shares), shares) + ("[2pt]" if any(shares) else ""))
    return lines


def _cells(table: Table, texts: Sequence[str], shares: Sequence[float | None]) -> list[str]:
    sides: list[Alignment] = ["left", *(column.align for column in table.columns)]
    return [_cell(text, side, share) for text, side, share in zip(texts, sides, shares, strict=True)]


_COMMANDS: dict[Alignment, str] = {"left": "raggedright", "right": "raggedleft", "center": "centering"}


def _cell(text: str, side: Alignment, share: float | None) -> str:
    """A cell of a column that wraps sets its own alignment; without the array package a column cannot."""
    if share is None:
        return text
    return rf"\{_COMMANDS[side]} {text}"


def _row(cells: Sequence[str], shares: Sequence[float | None]) -> str:
    row = " & ".join(cells)
    # After the end of the row before, LaTeX looks for a star and for an optional argument.
    start = f"{{{row[0]}}}{row[1:]}" if row.startswith(("*", "[")) else row
    return f"{start} {_end(shares)}"


def _end(shares: Sequence[float | None]) -> str:
    r"""What ends a row: where a column wraps, \raggedright and its like give "\\" another meaning."""
    return r"\tabularnewline" if any(shares) else r"\\"


def _notes(table: Table) -> list[str]:
    if not table.notes:
        return []
    paragraphs = [rf"{latex(note)}\par" for note in table.notes]
    return [r"\noindent\begin{minipage}{\linewidth}\footnotesize\raggedright", *paragraphs, r"\end{minipage}"]

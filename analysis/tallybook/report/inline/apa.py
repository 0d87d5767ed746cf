"""Estimates as phrases in the style of the American Psychological Association's Publication Manual."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.markdown import literal
from tallybook.study.notation import EFFECTS, Piece
from tallybook.study.number_text import fixed, signed_p_value
from tallybook.tables.notes import ABSENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tallybook.study.model import Study
    from tallybook.study.notation import Notation, Symbol, Unit
    from tallybook.study.presentation import Rounding
    from tallybook.tables.parts import Row

    Number = Callable[[float], str]

Pieces = tuple[Piece, ...]
"""A phrase as pieces of text, some of them italic or subscript."""

NO_BREAK = "\u00a0"
"""A no-break space, used between a symbol, its relation sign and its number."""

_MARKS = {"plain": "", "italic": "*", "lowered": "~"}

_ZERO = re.compile(r"^(-?)0\.")
"""The zero before the decimal point of a number that cannot exceed 1."""


class Parts(NamedTuple):
    """The parts of an estimate's phrase."""

    apa: Pieces  # the whole phrase
    estimate: Pieces  # the estimate with its unit
    ci: Pieces  # its confidence interval, in brackets
    n: Pieces  # the number of responses (or tests)
    statistic: Pieces  # the test statistic
    df: Pieces  # its degrees of freedom; both for an F test
    p: Pieces  # the p-value with its sign, as in "= .023" and "< .001"
    p_adjusted: Pieces  # the adjusted p-value, likewise; the whole phrase has it in place of `p`
    effect: Pieces  # the effect size
    effect_ci: Pieces  # confidence interval of the effect size, in brackets


def parts(study: Study, estimate: Row) -> Parts:
    """Format an estimate as phrases for running text.

    Test statistics have three significant digits and at most two decimals; effect sizes, means and coefficients two
    decimals (none from 1000 on); percentages one; p-values three, and "< .001" below .001. Numbers that cannot exceed 1
    have no zero before the point. A number that does not exist is the study's sign for missing values, with the reason.

    Source:
        American Psychological Association (2020). Publication manual (7th ed.), sections 6.36 and 6.40 to 6.45.
    """
    analysis, rounding, missing = study.analyses[estimate["analysis"]], study.style.rounding, study.style.missing
    kind = analysis.notation(study, estimate["term"], has_df=estimate["df"] is not None)
    ends = [value for value in (estimate[name] for name in ("estimate", "ci_low", "ci_high")) if value is not None]
    number, plain_number = _of_unit(kind.unit, rounding, ends), _of_unit("number", rounding)

    def shown(value: float | None, write: Number) -> Pieces:
        return _text(missing if value is None else write(value))

    def interval(low: float | None, high: float | None, write: Number) -> Pieces:
        ends = "−∞" if low is None else write(low), "∞" if high is None else write(high)
        return _text(missing if low is None and high is None else f"[{ends[0]}, {ends[1]}]")

    def p_value(value: float | None) -> Pieces:
        return shown(value, lambda one: NO_BREAK.join(signed_p_value(one, rounding)))

    degrees = [value for value in (estimate["df"], estimate.get("df2")) if value is not None]
    own = {
        "estimate": shown(estimate["estimate"], lambda value: number(value) + _AFTER.get(kind.unit, "")),
        "ci": interval(estimate["ci_low"], estimate["ci_high"], number),
        "n": _text(f"{estimate['n']:,}"),
        "statistic": shown(estimate["statistic"], lambda value: statistic_text(value, rounding)),
        "df": _text(", ".join(_df(value, rounding) for value in degrees) or missing),
        "p": p_value(estimate["p_value"]),
        "p_adjusted": p_value(estimate["p_adjusted"]),
        "effect": shown(estimate["effect"], plain_number),
        "effect_ci": interval(estimate["effect_ci_low"], estimate["effect_ci_high"], plain_number),
    }
    return Parts(apa=_phrase(study, estimate, kind, own), **own)


def statistic_text(value: float, rounding: Rounding = "half-even") -> str:
    """Format a test statistic with three significant digits, at most two of them decimals.

    >>> statistic_text(28.2239), statistic_text(-2.005), statistic_text(1234.5)
    ('28.2', '−2.00', '1234')
    """
    decimals = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0  # noqa: PLR2004  powers of ten
    return _signed(fixed(value, decimals, rounding=rounding))


_AFTER = {"percent": "%", "points": f"{NO_BREAK}percentage points"}


def _of_unit(unit: Unit, rounding: Rounding, ends: Sequence[float] = ()) -> Number:
    """Return the formatter of numbers of a unit; `ends`: an estimate and its limits, which share their decimals."""
    match unit:
        case "percent" | "points":
            return lambda value: _signed(fixed(value, 1, scale=100, rounding=rounding))
        case "bounded":
            return lambda value: _signed(_ZERO.sub(r"\1.", fixed(value, 2, rounding=rounding)))
        case "count":
            return lambda value: f"{value:,.0f}"
        case _:
            decimals = 0 if max(map(abs, ends), default=0) >= 1000 else 2  # noqa: PLR2004  from there on in thousands
            return lambda value: _signed(fixed(value, decimals, rounding=rounding, grouped=True))


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _df(value: float, rounding: Rounding) -> str:
    return f"{value:.0f}" if value.is_integer() else fixed(value, 2, rounding=rounding)


def _text(text: str) -> Pieces:
    return (Piece(text),)


def _equal(symbol: Symbol, value: Pieces, sign: str = "=") -> Pieces:
    return (*symbol, Piece(f"{NO_BREAK}{sign}{NO_BREAK}"), *value)


def _phrase(study: Study, estimate: Row, kind: Notation, own: dict[str, Pieces]) -> Pieces:
    """Return the whole phrase, its statements separated by commas."""
    absence = ABSENCES.get(estimate["status"], "there is none")
    has_test = estimate["statistic"] is not None and bool(kind.statistic)
    has_test_first = kind.has_test_first and has_test
    if estimate["estimate"] is None and not has_test_first:
        return _text(f"{study.style.missing} ({absence})")
    degrees = () if estimate["df"] is None else (Piece("("), *own["df"], Piece(")"))
    statements: list[Pieces] = []
    if not has_test_first:
        statements.append(_stated(study, estimate, kind, own, degrees))
        if not (estimate["ci_low"] is None and estimate["ci_high"] is None):
            statements.append(_text(f"{estimate['confidence'] * 100:g}% CI {own['ci'][0].text}"))
    if kind.shows_n and kind.unit != "count":
        statements.append(_equal((Piece("n", "italic"),), own["n"]))
    if has_test:
        statements.append(_equal((*kind.statistic, *degrees), own["statistic"]))
    adjusted = estimate["p_adjusted"]
    if (p := estimate["p_value"] if adjusted is None else adjusted) is not None:
        symbol = (Piece("p", "italic"), *([] if adjusted is None else [Piece("adj", "lowered")]))
        sign, digits = signed_p_value(p, study.style.rounding)
        statements.append(_equal(symbol, _text(digits), sign))
    # The effect size, unless it is the estimate itself.
    effect, effect_kind = estimate["effect"], estimate["effect_kind"]
    if effect is not None and effect != estimate["estimate"] and effect_kind in EFFECTS:
        limits = () if estimate["effect_ci_low"] is None else (Piece(" "), *own["effect_ci"])
        statements.append((*_equal(EFFECTS[effect_kind], own["effect"]), *limits))
    if kind.has_test_first and not has_test:
        statements.append(_text(f"no test ({absence})"))
    first, *others = statements
    return (*first, *(piece for statement in others for piece in (Piece(", "), *statement)))


def _stated(study: Study, estimate: Row, kind: Notation, own: dict[str, Pieces], degrees: Pieces) -> Pieces:
    """Return the phrase of the estimate itself."""
    value = own["estimate"]
    if study.analyses[estimate["analysis"]].is_ranking:
        return _text(f"{estimate['term']} ({value[0].text})")
    if kind.unit == "percent" and estimate["null_value"] is not None:
        expected = _of_unit(kind.unit, study.style.rounding)(estimate["null_value"])
        return _text(f"{value[0].text} against {expected}%")
    if kind.unit == "count":
        return _text(f"{value[0].text} of {own['n'][0].text}")
    return _equal((*kind.symbol, *(degrees if kind.has_df_at_symbol else ())), value) if kind.symbol else value


def plain(pieces: Iterable[Piece]) -> str:
    """Format a phrase as plain text.

    >>> plain([Piece("p", "italic"), Piece("adj", "lowered"), Piece(f"{NO_BREAK}<{NO_BREAK}.001")])
    'p_adj < .001'
    """
    texts = (f"_{piece.text}" if piece.style == "lowered" else piece.text for piece in pieces)
    return "".join(texts).replace(NO_BREAK, " ")


def markdown(pieces: Iterable[Piece]) -> str:
    r"""Format a phrase as Markdown.

    >>> markdown([Piece("M", "italic"), Piece(" = 0.50, 95% CI [0.41, 0.59]")])
    '*M* \\= 0\\.50\\, 95\\% CI \\[0\\.41\\, 0\\.59\\]'
    """
    return "".join(f"{_MARKS[style]}{_literal(text)}{_MARKS[style]}" for text, style in pieces)


def _literal(text: str) -> str:
    """Escape a text, but keep the spaces around it."""
    bare = text.strip()
    before, _, after = text.partition(bare) if bare else (text, "", "")
    return f"{before}{literal(bare)}{after}"

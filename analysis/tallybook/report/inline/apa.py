"""Estimates as phrases, after the Publication Manual of the American Psychological Association."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.report.inline.pieces import NO_BREAK
from tallybook.study.notation import EFFECTS, Piece
from tallybook.study.number_text import fixed, signed_p_value
from tallybook.tables.notes import ABSENCES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.study.model import Study
    from tallybook.study.notation import Symbol, Unit
    from tallybook.study.presentation import Rounding
    from tallybook.tables.lookup import Row

    Number = Callable[[float], str]

Pieces = tuple[Piece, ...]

_ZERO = re.compile(r"^(-?)0\.")
"""The zero before the point of a number that cannot exceed 1."""


class Parts(NamedTuple):
    """The parts of a phrase about an estimate."""

    apa: Pieces  # the whole phrase
    estimate: Pieces  # the estimate with its unit
    ci: Pieces  # its interval, in brackets
    n: Pieces  # the number of responses (or tests)
    statistic: Pieces  # the test statistic
    df: Pieces  # its degrees of freedom, of an F test both
    p: Pieces  # the p-value with its sign, as in "< .001"; that of its family where it is adjusted
    effect: Pieces  # the effect size
    effect_ci: Pieces  # its interval, in brackets


def parts(study: Study, estimate: Row) -> Parts:
    """Phrases about estimates for running text.

    Test statistics have three significant digits and at most two decimals, effect sizes, means and coefficients two
    decimals, percentages one; p-values three, and below .001 only that. What cannot exceed 1 has no zero before the
    point.

    The parts. A number that does not exist is the study's missing sign, with the reason in the phrase.

    Source:
        American Psychological Association (2020). Publication manual (7th ed.), sections 6.36 and 6.40 to 6.45.
    """
    kind = study.analyses[estimate["analysis"]].notation(study, estimate["term"], has_df=estimate["df"] is not None)
    rounding = study.style.rounding
    number = _of_unit(kind.unit, rounding)
    degrees = [value for value in (estimate["df"], estimate.get("df2")) if value is not None]
    own = {
        "estimate": _maybe(study, estimate["estimate"], lambda value: number(value) + _AFTER.get(kind.unit, "")),
        "ci": _interval(study, estimate["ci_low"], estimate["ci_high"], number),
        "n": _text(f"{estimate['n']:,}"),
        "statistic": _maybe(study, estimate["statistic"], lambda value: statistic_text(value, rounding)),
        "df": _text(", ".join(_df(value, rounding) for value in degrees) or study.style.missing),
        "p": _maybe(study, _p_value(estimate), lambda value: NO_BREAK.join(signed_p_value(value, rounding))),
        "effect": _maybe(study, estimate["effect"], _of_unit("number", rounding)),
        "effect_ci": _interval(
            study, estimate["effect_ci_low"], estimate["effect_ci_high"], _of_unit("number", rounding)
        ),
    }
    return Parts(apa=_phrase(study, estimate, own), **own)


def statistic_text(value: float, rounding: Rounding = "half-even") -> str:
    """A test statistic with three significant digits, at most two of them decimals.

    >>> statistic_text(28.2239), statistic_text(-2.005), statistic_text(1234.5)
    ('28.2', '−2.00', '1234')
    """
    decimals = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0  # noqa: PLR2004  powers of ten
    return _signed(fixed(value, decimals, rounding=rounding))


_AFTER = {"percent": "%", "points": f"{NO_BREAK}percentage points"}


def _of_unit(unit: Unit, rounding: Rounding) -> Number:
    """Write numbers without their unit."""
    match unit:
        case "percent" | "points":
            return lambda value: _signed(fixed(value, 1, scale=100, rounding=rounding))
        case "bounded":
            return lambda value: _signed(_ZERO.sub(r"\1.", fixed(value, 2, rounding=rounding)))
        case "count":
            return lambda value: f"{value:,.0f}"
        case _:
            return lambda value: _signed(fixed(value, 2, rounding=rounding))


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _df(value: float, rounding: Rounding) -> str:
    return f"{value:.0f}" if value.is_integer() else fixed(value, 2, rounding=rounding)


def _p_value(estimate: Row) -> float | None:
    """The p-value that counts: adjusted, if it is one of many."""
    return estimate["p_value"] if estimate["p_adjusted"] is None else estimate["p_adjusted"]


def _absence(estimate: Row) -> str:
    """Why a number does not exist."""
    return ABSENCES.get(estimate["status"], "there is none")


def _text(text: str) -> Pieces:
    return (Piece(text),)


def _maybe(study: Study, value: float | None, shown: Number) -> Pieces:
    return _text(study.style.missing if value is None else shown(value))


def _interval(study: Study, low: float | None, high: float | None, number: Number) -> Pieces:
    if low is None and high is None:
        return _text(study.style.missing)
    return _text(f"[{'−∞' if low is None else number(low)}, {'∞' if high is None else number(high)}]")


def _equal(symbol: Symbol, value: Pieces, sign: str = "=") -> Pieces:
    return (*symbol, Piece(f"{NO_BREAK}{sign}{NO_BREAK}"), *value)


def _phrase(study: Study, estimate: Row, own: dict[str, Pieces]) -> Pieces:
    """The whole phrase, its statements parted by commas."""
    analysis = study.analyses[estimate["analysis"]]
    kind = analysis.notation(study, estimate["term"], has_df=estimate["df"] is not None)
    has_test = estimate["statistic"] is not None and bool(kind.statistic)
    has_test_first = kind.has_test_first and has_test
    if estimate["estimate"] is None and not has_test_first:
        return _text(f"{study.style.missing} ({_absence(estimate)})")
    statements: list[Pieces] = []
    if not has_test_first:
        statements += _stated_estimate(study, estimate, own)
    if kind.shows_n and kind.unit != "count":
        statements.append(_equal((Piece("n", "italic"),), own["n"]))
    if has_test:
        statements.append(_equal((*kind.statistic, *_in_parentheses(estimate, own)), own["statistic"]))
    if (p := _p_value(estimate)) is not None:
        symbol = (Piece("p", "italic"), *([] if estimate["p_adjusted"] is None else [Piece("adj", "lowered")]))
        sign, digits = signed_p_value(p, study.style.rounding)
        statements.append(_equal(symbol, _text(digits), sign))
    statements += _stated_effect(estimate, own)
    if kind.has_test_first and not has_test:
        statements.append(_text(f"no test ({_absence(estimate)})"))
    first, *others = statements
    return (*first, *(piece for statement in others for piece in (Piece(", "), *statement)))


def _stated_estimate(study: Study, estimate: Row, own: dict[str, Pieces]) -> list[Pieces]:
    """The estimate and its interval."""
    analysis = study.analyses[estimate["analysis"]]
    kind = analysis.notation(study, estimate["term"], has_df=estimate["df"] is not None)
    value = own["estimate"]
    if analysis.is_ranking:
        value = _text(f"{estimate['term']} ({value[0].text})")
    elif kind.unit == "percent" and estimate["null_value"] is not None:
        expected = _of_unit(kind.unit, study.style.rounding)(estimate["null_value"])
        value = _text(f"{value[0].text} against {expected}%")
    elif kind.unit == "count":
        value = _text(f"{value[0].text} of {own['n'][0].text}")
    elif kind.symbol:
        at = _in_parentheses(estimate, own) if kind.has_df_at_symbol else ()
        value = _equal((*kind.symbol, *at), value)
    if estimate["ci_low"] is None and estimate["ci_high"] is None:
        return [value]
    return [value, _text(f"{estimate['confidence'] * 100:g}% CI {own['ci'][0].text}")]


def _in_parentheses(estimate: Row, own: dict[str, Pieces]) -> Pieces:
    return () if estimate["df"] is None else (Piece("("), *own["df"], Piece(")"))


def _stated_effect(estimate: Row, own: dict[str, Pieces]) -> list[Pieces]:
    """The effect size and its interval, unless it is the estimate itself."""
    kind = estimate["effect_kind"]
    if estimate["effect"] is None or estimate["effect"] == estimate["estimate"] or kind not in EFFECTS:
        return []
    limits = () if estimate["effect_ci_low"] is None else (Piece(" "), *own["effect_ci"])
    return [(*_equal(EFFECTS[kind], own["effect"]), *limits)]

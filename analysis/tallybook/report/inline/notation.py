"""How each kind of estimate is called in running text: its symbol, its unit, and the test that stands beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from tallybook.report.inline.pieces import Piece
from tallybook.study.analyses import (
    Agreement,
    BinomialTest,
    Count,
    DeviationScore,
    Difference,
    Mean,
    MostFrequent,
    Proportion,
    RankAssociation,
    ScoreSummary,
    StereotypeScore,
)
from tallybook.study.score_analyses import (
    Changes,
    Combination,
    Correlation,
    Logistic,
    LogisticCurve,
    MeansCorrelation,
    ObservedShares,
    ScoreMean,
    TTest,
)

if TYPE_CHECKING:
    from tallybook.study.analyses import Analysis
    from tallybook.study.model import Study

Symbol = tuple[Piece, ...]

Unit = Literal["number", "bounded", "percent", "points", "count"]
"""A number; one that cannot exceed 1, which has no zero before the point; a share; a difference of shares; a count."""


def _italic(letter: str, lowered: str = "") -> Symbol:
    return (Piece(letter, "italic"), *([Piece(lowered, "lowered")] if lowered else []))


@dataclass(frozen=True)
class Notation:
    """How an estimate is written.

    Attributes:
        symbol: What stands before "= estimate"; nothing for shares and counts.
        unit: The estimate's unit.
        statistic: What the test statistic is called; nothing if none is told.
        has_test_first: Whether the test is the statement, and the effect size its measure: the estimate is not told.
        has_df_at_symbol: Whether the degrees of freedom stand at the estimate's own symbol, as of *r*.
        shows_n: Whether the number of responses is told.
    """

    symbol: Symbol = ()
    unit: Unit = "number"
    statistic: Symbol = ()
    has_test_first: bool = False
    has_df_at_symbol: bool = False
    shows_n: bool = False


EFFECTS: dict[str, Symbol] = {
    "cohen_d": _italic("d"),
    "cohen_h": _italic("h"),
    "odds_ratio": _italic("OR"),
}
"""Kind of effect size -> its symbol."""

_Z, _CHI_SQUARE = _italic("z"), (Piece("χ²"),)
_SHARE = Notation(unit="percent", shows_n=True)
_R = Notation(_italic("r"), "bounded", has_df_at_symbol=True)

_NOTATIONS: dict[type[Analysis], Notation] = {
    Proportion: _SHARE,
    ObservedShares: _SHARE,
    DeviationScore: _SHARE,
    MostFrequent: _SHARE,
    BinomialTest: _SHARE,
    LogisticCurve: replace(_SHARE, shows_n=False),
    Count: Notation(unit="count", shows_n=True),
    Difference: Notation(unit="points"),
    StereotypeScore: Notation(_italic("D", "KL")),
    TTest: Notation(_italic("M"), statistic=_italic("t"), has_test_first=True),
    ScoreMean: Notation(_italic("M"), shows_n=True),
    MeansCorrelation: _R,
}

_OF_TERMS: dict[type[Analysis], dict[str, Notation]] = {
    ScoreSummary: {
        "mean": Notation(_italic("M"), shows_n=True),
        "median": Notation(_italic("Mdn"), shows_n=True),
        "sd": Notation(_italic("SD"), shows_n=True),
        "missing": Notation(unit="count", shows_n=True),
    },
    Agreement: {
        "agreement": _SHARE,
        "cohen_kappa": Notation((Piece("κ"),), "bounded", statistic=_Z),
    },
    Changes: {
        "difference": Notation((Piece("Δ"),), shows_n=True),
        "changed": Notation(unit="count", shows_n=True),
    },
    RankAssociation: {
        "tau_b": Notation((Piece("τ"), Piece("b", "lowered")), "bounded", statistic=_Z),
        "tau_c": Notation((Piece("τ"), Piece("c", "lowered")), "bounded", statistic=_Z),
        "gamma": Notation((Piece("γ"),), "bounded", statistic=_Z),
        "somers_d": Notation(_italic("d", "S"), "bounded", statistic=_Z),
        "somers_d_yx": Notation(_italic("d", "YX"), "bounded", statistic=_Z),
        "somers_d_xy": Notation(_italic("d", "XY"), "bounded", statistic=_Z),
    },
    Logistic: {
        "log_likelihood": Notation((Piece("log-likelihood"),)),
        "log_likelihood_null": Notation((Piece("log-likelihood of the intercept alone"),)),
        "penalized_log_likelihood": Notation((Piece("penalised log-likelihood"),)),
        "pseudo_r_squared": Notation((Piece("McFadden’s "), Piece("R", "italic"), Piece("²")), "bounded"),
        "aic": Notation(_italic("AIC")),
        "bic": Notation(_italic("BIC")),
        "df_residual": Notation((Piece("residual df"),)),
        "likelihood_ratio": Notation(_CHI_SQUARE, statistic=_CHI_SQUARE, has_test_first=True),
    },
}


def notation(study: Study, analysis: Analysis, term: str, *, has_df: bool) -> Notation:
    """How an estimate is written.

    Args:
        study: The study.
        analysis: The analysis that the estimate is of.
        term: The estimate's term.
        has_df: Whether its test has degrees of freedom.

    Returns:
        The notation; of a mean or a weighted sum of estimates that of these, without their test.
    """
    if isinstance(analysis, Mean | Combination):
        of = notation(study, study.analyses[analysis.of], term, has_df=has_df)
        return replace(of, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=False)
    if found := _OF_TERMS.get(type(analysis), {}).get(term):
        return found
    if isinstance(analysis, Correlation):
        return _R if analysis.method == "pearson" else replace(_R, symbol=_italic("r", "s"))
    if isinstance(analysis, Logistic):
        symbol = EFFECTS["odds_ratio"] if term.startswith("odds_ratio:") else _italic("b")
        return Notation(symbol, statistic=_CHI_SQUARE if has_df else _Z)
    return _NOTATIONS[type(analysis)]

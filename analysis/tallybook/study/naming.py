"""Labels of terms and levels in tables and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.coding import Categories
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study


_WORDS = {
    "min": "smallest",
    "max": "largest",
    "sd": "standard deviation",
    "mean_difference": "difference of means",
    "share_significant": "share significant",
    "share_opposite": "share with the opposite sign",
    "heterogeneity": "Cochran’s Q",
    "i_squared": "I²",
    "chi_square": "X²",
    "cramer_v": "Cramér’s V",
    "cramer_v_corrected": "Cramér’s V, corrected",
    "cohen_kappa": "Cohen’s kappa",
    "fleiss_kappa": "Fleiss’ kappa",
    "krippendorff_alpha": "Krippendorff’s alpha",
    "icc_1": "ICC(1,1)",
    "icc_2": "ICC(2,1)",
    "icc_3": "ICC(3,1)",
    "order_effect": "order effect",
    "wald:abilities": "all abilities equal",
}
"""Term -> how it is called, where it is no word."""


def _pair(study: Study, term: str) -> str | None:
    """Name a level, or a pair of levels, by their labels: `men - women`; None if the term is none."""
    for sign, shown in ((" - ", " − "), (" || ", " || "), (" / ", " / ")):
        levels = term.split(sign)
        for factor in study.factors.values():
            if all(level in factor.levels for level in levels):
                return shown.join(factor.levels[level] for level in levels)
    return None


def term_label(study: Study, outcome: str, term: str) -> str:
    """Name a term of an outcome as in tables and figures; of `yes: median` each part."""
    declared = study.outcomes[outcome]
    known = (*declared.terms, REFUSAL, INVALID) if isinstance(declared, Categories) else ()
    head, colon, tail = term.partition(": ")
    if isinstance(declared, Categories) and term in known:
        return declared.shown(term)
    if term not in _WORDS and (pair := _pair(study, term)) is not None:
        return pair
    if not colon:
        words = _WORDS.get(term, term)
        return words[:1].upper() + words[1:]
    return f"{term_label(study, outcome, head)}: {_WORDS.get(tail) or _pair(study, tail) or tail}"


def is_named_by_outcome(study: Study, analysis: Analysis, outcome: str) -> bool:
    """Tell whether an analysis has one term of a score, such as its mean, which says nothing more than the score."""
    return not isinstance(study.outcomes[outcome], Categories) and len(analysis.terms(study) or ()) == 1


def within_a_sentence(label: str) -> str:
    """Write a label without its initial capital, unless it is an abbreviation.

    >>> within_a_sentence("Political party"), within_a_sentence("US region")
    ('political party', 'US region')
    """
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]

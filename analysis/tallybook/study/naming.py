"""How what the study file names is called in tables and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.coding import Categories
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study


def term_label(study: Study, outcome: str, term: str) -> str:
    """Name a term of an outcome as in tables and figures."""
    declared = study.outcomes[outcome]
    return declared.shown(term) if isinstance(declared, Categories) else term[:1].upper() + term[1:]


def is_named_by_outcome(study: Study, analysis: Analysis, outcome: str) -> bool:
    """Whether an analysis has one term of a score, such as its mean, which says nothing more than the score."""
    return not isinstance(study.outcomes[outcome], Categories) and len(analysis.terms(study) or ()) == 1


def within_a_sentence(label: str) -> str:
    """A label without the capital it begins with, unless it is an abbreviation.

    >>> within_a_sentence("Political party"), within_a_sentence("US region")
    ('political party', 'US region')
    """
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def column_labels(study: Study) -> dict[str, dict[str, str]]:
    """Get the labels of the values of a study's columns, as in tables and figures."""
    names = {name: dict(factor.levels) for name, factor in study.factors.items()}
    for name, outcome in study.outcomes.items():
        if isinstance(outcome, Categories):
            names[name] = {term: outcome.shown(term) for term in (*outcome.terms, REFUSAL, INVALID)}
    return names | {"outcome": {name: outcome.label for name, outcome in study.outcomes.items()}}

"""How what the study file names is called in tables and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.study.coding import Categories

if TYPE_CHECKING:
    from schemas.study import Study


def term_label(study: Study, outcome: str, term: str) -> str:
    """How a term of an outcome is called in tables and figures.

    Args:
        study: The study.
        outcome: The outcome.
        term: A category, a union, `refusal` or `invalid`.

    Returns:
        The declared name, or the identifier with a capital.
    """
    declared = study.outcomes[outcome]
    names = declared.names if isinstance(declared, Categories) else {}
    return names.get(term, term[:1].upper() + term[1:])

"""Whether an outcome fits the factors and the other outcomes, and which sources have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.study.base import must_exist
from schemas.study.coding import ScoreOutcome
from schemas.study.sources import CsvSource

if TYPE_CHECKING:
    from schemas.study.coding import Outcome
    from schemas.study.model import Study
    from schemas.study.sources import ResponseSource


def check_outcome(study: Study, outcome: Outcome, place: str) -> None:
    """Refuse an outcome that names what is not declared.

    Args:
        study: The study.
        outcome: One of its outcomes.
        place: Where it is declared.

    Raises:
        ValueError: For the first fault.
    """
    for name, levels in outcome.where.items():
        must_exist([name], study.factors, f"{place}.where", "factor")
        must_exist(chosen_levels(levels), study.factors[name].levels, f"{place}.where.{name}", "level")
    scores = [name for name, other in study.outcomes.items() if isinstance(other, ScoreOutcome)]
    must_exist(outcome.beside, scores, f"{place}.beside", "score")


def is_never_asked(outcome: Outcome, source: ResponseSource) -> bool:
    """Whether no response of a source has an outcome, as far as the source's constants tell.

    Args:
        outcome: The outcome.
        source: The source.

    Returns:
        Whether a constant of the source is none of the levels that have the outcome.
    """
    constants = source.constants if isinstance(source, CsvSource) else {}
    return any(
        name in constants and str(constants[name]) not in chosen_levels(levels)
        for name, levels in outcome.where.items()
    )


def chosen_levels(levels: str | tuple[str, ...]) -> tuple[str, ...]:
    """The levels that a `where` names: one or several."""
    return (levels,) if isinstance(levels, str) else levels

"""Whether an outcome fits the factors and the other outcomes, and which sources have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.base import must_exist
from tallybook.study.coding import ScoreOutcome
from tallybook.study.record_sources import RecordSource
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.coding import Outcome
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource


def check_outcome(study: Study, outcome: Outcome, place: str) -> None:
    """Refuse an outcome that names what is not declared."""
    check_where(study, outcome.where, f"{place}.where")
    scores = [name for name, other in study.outcomes.items() if isinstance(other, ScoreOutcome)]
    must_exist(outcome.beside, scores, f"{place}.beside", "score")


def cluster_columns(study: Study) -> list[str]:
    """The columns of all responses whose values can be clusters."""
    made = [source.made for source in study.sources if not isinstance(source, CodedSource)]
    common = [name for name in (made[0] if made else ()) if all(name in others for others in made)]
    return [name for name in dict.fromkeys(["item", *study.factors, *common]) if name not in study.outcomes]


def check_where(study: Study, where: Mapping[str, str | tuple[str, ...]], place: str) -> None:
    """Refuse a choice of responses by factors or levels that are not declared, or by none."""
    for name, levels in where.items():
        must_exist([name], study.factors, place, "factor")
        if not levels:
            raise ValueError(f"{place}.{name}: no level is chosen; expected at least one")
        if name in study.factors:
            must_exist(chosen_levels(levels), study.factors[name].levels, f"{place}.{name}", "level")


def is_never_asked(outcome: Outcome, source: ResponseSource) -> bool:
    """Tell whether no response of a source has an outcome, as far as the source's constants tell."""
    constants = source.constants if isinstance(source, RecordSource) else {}
    return any(
        name in constants and str(constants[name]) not in chosen_levels(levels)
        for name, levels in outcome.where.items()
    )


def chosen_levels(levels: str | tuple[str, ...]) -> tuple[str, ...]:
    """The levels that a `where` names: one or several."""
    return (levels,) if isinstance(levels, str) else levels

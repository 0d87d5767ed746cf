"""The terms of categorical outcomes, and what analyses of categories share."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tallybook.study.analysis_base import OfResponses
from tallybook.study.base import must_differ, must_exist
from tallybook.study.coding import Categories
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.model import Study


class OfCategories(OfResponses):
    """An analysis of the categories of outcomes."""

    needs_values: ClassVar[bool] = False

    def terms(self, study: Study) -> list[str] | None:
        outcomes = [study.outcomes[name] for name in self.outcomes if name in study.outcomes]
        own = [term for outcome in outcomes if isinstance(outcome, Categories) for term in outcome.terms]
        return list(dict.fromkeys([*own, REFUSAL, INVALID]))

    def members(self, study: Study) -> dict[str, dict[str, tuple[str, ...]]]:
        """Get the terms of each outcome with the categories that each counts."""
        return {name: category_terms(study, name) for name in self.outcomes}


def check_factor(study: Study, analysis: OfResponses, factor: str, levels: Sequence[str], place: str) -> None:
    """Raise a ValueError if a factor that is compared with outcomes is not declared, or is among the cells."""
    must_exist([factor], study.factors, f"{place}.factor", "factor")
    must_differ([*analysis.by, factor], f"{place}: by and factor")
    must_exist(levels, study.factors[factor].levels, f"{place}.levels", "level")
    must_differ(levels, f"{place}.levels")


def is_compared(factor: str, compared: Sequence[str], levels: Mapping[str, str]) -> bool:
    """Tell whether an analysis that compares some levels of a factor (all, if none is named) is of these levels."""
    return not compared or levels.get(factor, compared[0]) in compared


def categories_of(study: Study, outcome: str) -> Sequence[str]:
    """An outcome's categories without unions, which would count a response twice."""
    declared = study.outcomes[outcome]
    return list(declared.labels) if isinstance(declared, Categories) else ()


def category_terms(study: Study, outcome: str, only: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Map the terms of an outcome (all, or those named) to the categories that each counts."""
    declared = study.category_outcome(outcome)
    return {term: declared.unions.get(term, (term,)) for term in only or declared.terms}

"""Which statistics are computed, from which outcomes and under which conventions."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from schemas.study.base import Declaration, Identifier

Denominator = Literal["all", "answered", "coded"]
"""All responses, those that are no refusals, or those that have a category (or label, or value)."""


class ReferenceTable(Declaration):
    """A table of known population proportions: one row a group, outcome and category."""

    file: str
    """A CSV file, relative to the folder of the study file (of a published study: to its bundled data)."""
    by: tuple[Identifier, ...]
    """The factor columns that identify the group."""
    label: str
    """What the proportions describe, for table notes."""


class _Analysis(Declaration):
    outcomes: tuple[Identifier, ...]
    """The outcomes it is computed for."""
    by: tuple[Identifier, ...]
    """The factors whose combinations are the cells."""


class Proportion(_Analysis):
    """The share of each category, label or refusal."""

    statistic: Literal["proportion"]
    denominator: Denominator = "all"
    """What the share is of; see `Denominator`."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the Wilson interval."""


class BinomialTest(_Analysis):
    """Each category's share among the answered tested against a reference proportion, exactly and two-sided."""

    statistic: Literal["binomial-test"]
    reference: Identifier
    """The reference table."""
    denominator: Literal["answered", "coded"] = "coded"
    """Whether responses that are no refusals but have no category count among the tested ones."""
    method: Literal["minimum-likelihood", "doubling"] = "minimum-likelihood"
    """What counts as at least as extreme on the other side."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the Wilson interval."""


class DeviationScore(Declaration):
    """The share of an analysis' valid tests that are significant."""

    statistic: Literal["deviation-score"]
    of: Identifier
    """The analysis whose tests are counted."""
    by: tuple[Identifier, ...]
    """The factors within which they are counted, beside the outcome."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test counts when its p-value is below alpha."""


class StereotypeScore(_Analysis):
    """How far groups differ: the mean over dimensions of the largest divergence between two groups."""

    statistic: Literal["stereotype-score"]
    between: Identifier
    """The factor whose levels are compared."""
    within: Identifier
    """The factor whose levels hold the groups that are compared with each other."""
    categories: dict[Identifier, tuple[Identifier, ...]] = {}
    """Outcome -> the categories of its distribution; all of its categories otherwise."""
    refusal: bool = True
    """Whether refusal is one of the categories."""
    epsilon: float = Field(default=1e-12, ge=0)
    """What is added to each category before dividing."""
    smoothing: Literal["counts", "proportions"] = "counts"
    """What epsilon is added to."""
    direction: Literal["forward", "both"] = "forward"
    """From the earlier to the later group only, or both ways."""
    base: float = Field(default=math.e, gt=1)
    """The base of the logarithm."""


class MostFrequent(_Analysis):
    """The labels of an outcome in order of their frequency; refusals are an entry of their own."""

    statistic: Literal["most-frequent"]
    denominator: Denominator = "all"
    ties: Literal["first-seen", "alphabetical"] = "first-seen"
    """Which of two equally frequent labels stands first."""


class ScoreSummary(_Analysis):
    """Median, standard deviation and missing share of a score."""

    statistic: Literal["score-summary"]
    ddof: Literal[0, 1] = 0
    """0 for the population standard deviation, 1 for the sample's."""


Analysis = Annotated[
    Proportion | BinomialTest | DeviationScore | StereotypeScore | MostFrequent | ScoreSummary,
    Field(discriminator="statistic"),
]

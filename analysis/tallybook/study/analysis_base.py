"""What analyses have in common."""

from __future__ import annotations

from typing import Literal

from tallybook.study.base import Declaration, Identifier

Adjustment = Literal["bonferroni", "holm", "hochberg", "benjamini-hochberg", "benjamini-yekutieli"]
"""How p-values are adjusted for many tests at once; see `tallybook.statistics.multiplicity`."""

Counts = Literal["hypotheses", "rows"]
"""What counts as a test of its own."""


class Family(Declaration):
    """Which tests are many tests at once, and how their p-values are adjusted; it fills `p_adjusted`."""

    by: tuple[Identifier, ...] = ()
    """The factors (or `outcome`) whose combinations are the families; without any, all tests are one."""
    method: Adjustment = "holm"
    """How the p-values of a family are adjusted."""
    counts: Counts = "hypotheses"
    """What a family's size is the number of. A category and its complement are one hypothesis, and so are a
    coefficient and its odds ratio; intercepts are none. `rows` counts each row with a p-value."""


class DerivedAnalysis(Declaration):
    """An analysis of other analyses' estimates."""

    by: tuple[Identifier, ...]
    """The factors whose combinations are the cells."""
    family: Family | None = None
    """The p-values are adjusted within these families; by default not at all."""


class Clustered(Declaration):
    """What analyses have in common that can take clusters of responses, and not responses, for independent."""

    cluster: Identifier | None = None
    """The column whose values are the clusters: `item`, a factor, or another column of the responses. Responses to one
    item, or with one name, resemble each other, and standard errors that take them for independent are too small. By
    default all responses are taken for independent."""


class Joining(Clustered):
    """What joins estimates of several cells. Cells that share clusters are not independent of each other."""

    cluster: Identifier | None = None
    """The column whose values are the clusters; by default that of the analysis whose estimates are joined. All is
    recomputed without each cluster: the standard error is that of the jackknife, the interval Student's with one degree
    of freedom less than there are clusters. Without clusters cells are taken for independent."""


class CountedAnalysis(DerivedAnalysis):
    """An analysis of counted responses."""

    outcomes: tuple[Identifier, ...]
    """The outcomes it is computed for."""
    where: dict[Identifier, str | tuple[str, ...]] = {}
    """Factor -> the level (or levels) of the responses it is computed from; all responses otherwise."""

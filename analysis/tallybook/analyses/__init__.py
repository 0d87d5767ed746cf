"""From a study's declared analyses to estimates: which statistic is computed with which settings."""

from __future__ import annotations

from tallybook.analyses.categories import category_terms
from tallybook.analyses.estimating import clusters, estimate

__all__ = ["category_terms", "clusters", "estimate"]

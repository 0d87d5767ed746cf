"""From a study's declared analyses to estimates: which statistic is computed with which settings."""

from __future__ import annotations

from analysis.inference.categories import category_terms
from analysis.inference.estimating import clusters, estimate

__all__ = ["category_terms", "clusters", "estimate"]

"""What the study file takes for the terms and p-values of an analysis is what its estimates have."""

from __future__ import annotations

import polars as pl
import pytest

from tests import computed_once


@pytest.mark.parametrize("name", ["wang2025", "kamruzzaman2024", "bai2025"])
def test_estimates_of_the_published_studies(name: str) -> None:
    results = computed_once.bundled(name)
    loaded, estimates = results.loaded, results.estimates
    for analysis, declared in loaded.study.analyses.items():
        own = estimates.filter(analysis=analysis)
        known = declared.terms(loaded.study)
        assert known is None or set(own["term"]) <= set(known), analysis
        assert set(own["outcome"]) <= set(declared.outcomes_of(loaded.study) or ()), analysis
        assert own.select(pl.col("p_value").is_not_null().any()).item() <= declared.has_p_values, analysis

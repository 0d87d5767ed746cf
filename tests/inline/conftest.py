"""Estimates of the published studies, which have every kind of analysis that phrases are written of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis import pipeline
from analysis.study_files.loading import load

if TYPE_CHECKING:
    from analysis.pipeline import Results


@pytest.fixture(scope="session")
def bai() -> Results:
    return pipeline.compute(load("bai2025"))


@pytest.fixture(scope="session")
def kamruzzaman() -> Results:
    return pipeline.compute(load("kamruzzaman2024"))


@pytest.fixture(scope="session")
def wang() -> Results:
    return pipeline.compute(load("wang2025"))

"""Estimates of the published studies, which have every kind of analysis that phrases are written of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook import pipeline
from tallybook.study.loading import load

if TYPE_CHECKING:
    from tallybook.pipeline import Results


@pytest.fixture(scope="session")
def bai() -> Results:
    return pipeline.compute(load("bai2025"))


@pytest.fixture(scope="session")
def kamruzzaman() -> Results:
    return pipeline.compute(load("kamruzzaman2024"))


@pytest.fixture(scope="session")
def wang() -> Results:
    return pipeline.compute(load("wang2025"))

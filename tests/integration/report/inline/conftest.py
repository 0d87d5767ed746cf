"""Estimates of the published studies, which have every kind of analysis that phrases are written of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import computed_once

if TYPE_CHECKING:
    from tallybook.pipeline import Results


@pytest.fixture(scope="session")
def bai() -> Results:
    return computed_once.bundled("bai2025")


@pytest.fixture(scope="session")
def kamruzzaman() -> Results:
    return computed_once.bundled("kamruzzaman2024")


@pytest.fixture(scope="session")
def wang() -> Results:
    return computed_once.bundled("wang2025")

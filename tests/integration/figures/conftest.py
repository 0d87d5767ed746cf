"""Figures are drawn without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def agg() -> Iterator[None]:
    before = mpl.get_backend()
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(before)

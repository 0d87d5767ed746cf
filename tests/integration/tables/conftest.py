"""What the tests of the table renderers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.tables.table_format import write_tables
from tests.integration.tables.render_samples import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every sample in every format."""
    folder = tmp_path_factory.mktemp("tables")
    write_tables(SAMPLES, folder)
    return folder

"""What readers of sources are given, for sources outside a study."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources import record_responses
from tallybook.sources.folder import Folder
from tallybook.sources.read_result import Delivery, Inputs
from tallybook.study.model import Study
from tests.conftest import DECLARATION

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.record_sources import RecordSource
    from tallybook.study.sources import Source

MAY_BE_MISSING = "expected a finite number; if it stands for a missing one, list it in `missing`"

_STUDY = Study.model_validate(DECLARATION)


def inputs(folder: Path, *sources: Source) -> Inputs:
    """A data folder and a study with these sources and nothing else that has files."""
    return Inputs(Folder(folder), _STUDY.model_copy(update={"sources": sources, "references": {}}))


@dataclass
class Delivered(Delivery):
    """All that a source holds, with its rows in one frame."""

    rows: pl.DataFrame = field(default_factory=pl.DataFrame)


def delivery_of(folder: Path, source: RecordSource) -> Delivered:
    """All that a source of records holds."""
    delivery = Delivered()
    frames = [*record_responses.frames(source, inputs(folder, source), delivery)]
    delivery.rows = pl.concat(frames, how="diagonal") if frames else pl.DataFrame()
    return delivery

"""What readers of sources are given, for sources outside a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def delivery_of(folder: Path, source: RecordSource) -> Delivery:
    """All that a source of records holds."""
    delivery = Delivery()
    delivery.frames.extend(record_responses.frames(source, inputs(folder, source), delivery))
    return delivery

"""Tables of printed means: read, and refused with a message that names the place."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import DataError
from tallybook.sources.references import read_summaries
from tallybook.study.model import Study
from tests.unit.statistics.frames import DECLARATION

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "model,n,mean,low,high\n"


@pytest.fixture
def study() -> Study:
    declaration: dict[str, Any] = deepcopy(DECLARATION)
    table = {"file": "means.csv", "by": ["model"], "outcome": "score", "label": "figure 2"}
    declaration["summaries"] = {"means": table | {"ci_low": "low", "ci_high": "high"}}
    return Study.model_validate(declaration)


def _read(study: Study, folder: Path, text: str) -> list[tuple[Any, ...]]:
    (folder / "means.csv").write_text(text, encoding="utf-8")
    return read_summaries(study.summaries["means"], folder, study).rows()


def test_cells(study: Study, tmp_path: Path) -> None:
    rows = _read(study, tmp_path, HEADER + "zeta,50,0.25,0.2,0.3\nalpha,0,,,\n")
    assert rows == [("zeta", 50, 0.25, 0.2, 0.3), ("alpha", 0, None, None, None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,n,mean,low\nzeta,1,0,0\n", "means.csv: column high: expected this column"),
        (HEADER + "eta,1,0,0,0\n", "means.csv: key row 2, column model: found eta; expected one of zeta, alpha"),
        (HEADER + "zeta,1.5,0,0,0\n", "means.csv: key row 2, column n: found 1.5; expected a whole number, at least 0"),
        (HEADER + "zeta,,0,0,0\n", "means.csv: key row 2, column n: expected a whole number, at least 0"),
        (
            HEADER + "zeta,5,0.4,0,0.3\n",
            "means.csv: key row 2, column mean: found 0.4; expected a number within its interval",
        ),
        (HEADER + "zeta,5,0,0,0\nzeta,6,0,0,0\n", "means.csv: key row 3, column model: found zeta; expected once"),
    ],
)
def test_faults(study: Study, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        _read(study, tmp_path, text)
    assert any(message in str(problem) for problem in caught.value.problems), caught.value.problems


def test_blank_lines_are_no_rows(study: Study, tmp_path: Path) -> None:
    assert _read(study, tmp_path, HEADER + "zeta,5,0,0,0\n\n\n") == _read(study, tmp_path, HEADER + "zeta,5,0,0,0\n")
    with pytest.raises(DataError, match="key row 3, column model: found eta"):
        _read(study, tmp_path, HEADER + "\neta,5,0,0,0\n\n")


def test_no_file(study: Study, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"means\.csv: found No such file or directory; expected a readable file$"):
        read_summaries(study.summaries["means"], tmp_path, study)

"""Groups and tasks that files list by dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.relative_decision import coder as relative_decision
from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
from tallybook.sources import stimuli
from tests.unit.instruments.decisions import COLUMNS, responses

if TYPE_CHECKING:
    from pathlib import Path

DECLARED: dict[str, Any] = {
    "kind": "relative-decision",
    "dataset": "dataset",
    "aliases": {"a pair": "pair"},
    "sides": {"file": "sides.csv", "positive": "POS", "negative": "NEG"},
    "lists": [
        {"file": "groups.csv", "dataset": "set", "default": ["A"], "stigma": ["B"]},
        {"file": "asked.csv", "dataset": "set", "tasks": ["one", "two"], "also": {"faith": ["pair"]}},
        {"file": "asked.csv", "dataset": "set", "groups": ["who"], "only": ["pair"]},
    ],
    "names_beside": {"faith": {"default": ["Carl"]}},
}
SIDES = "POS,NEG\nmanagement,wedding\nTom,Ada\nlunch,prayer\n"
GROUPS = "set,A,B\na pair,Ben,Julia\nfaith,Jim,Omar\n"
ASKED = "set,one,two,who\npair,management,wedding,Tom\npair,wedding,management,Ada\nfaith,lunch,prayer,Tom\n"
TEXTS = {
    "Julia leads the wedding workshop, Ben the management one.": ("pair", 1),
    "Ada leads the management workshop, Tom the wedding one.": ("a pair", 0),
    "Omar takes management, Jim the wedding.": ("faith", 0),
    "Carl takes the lunch, Omar the prayer.": ("faith", 1),
    "Tom takes the lunch, Omar the prayer.": ("faith", None),
}


def read(folder: Path, **changes: Any) -> pl.DataFrame:
    contents = {"sides.csv": SIDES, "groups.csv": GROUPS, "asked.csv": ASKED} | changes.pop("files", {})
    for name, content in contents.items():
        (folder / name).write_text(content)
    instrument = RelativeDecisionInstrument.model_validate(DECLARED | changes)
    assert instrument.sides is not None
    frame = responses(list(TEXTS), dataset=[dataset for dataset, _ in TEXTS.values()])
    files = [stimuli.read(folder, listed) for listed in instrument.lists]
    return relative_decision.read(frame, instrument, stimuli.read(folder, instrument.sides), files).responses


def test_names_of_several_files_count_together(tmp_path: Path) -> None:
    """But Tom, who is no group of faiths."""
    assert read(tmp_path)["discriminatory"].to_list() == [decision for _, decision in TEXTS.values()]


def test_a_list_counts_for_its_datasets_only(tmp_path: Path) -> None:
    """Without the last list nobody knows Ada and Tom."""
    found = read(tmp_path, lists=DECLARED["lists"][:2])["discriminatory"].to_list()
    assert found == [1, None, 0, 1, None]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": {"sides.csv": SIDES.replace("prayer", "pray")}}, "asked.csv: key row 4, column two"),
        ({"files": {"groups.csv": "set,A,B\npair,Ben,Julia\n"}}, "expected a stigmatised group"),
        ({"files": {"sides.csv": SIDES + "x,lunch\n"}}, "found lunch; expected a name that is not in POS"),
        ({"files": {"groups.csv": GROUPS.replace("faith", "other"), "asked.csv": ASKED.replace("faith", "other")}},
         "column dataset: found faith; expected one of other, pair"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_told(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as error:
        read(tmp_path, **changes)
    assert any(message in str(problem) for problem in error.value.problems)


def test_files_that_were_not_read() -> None:
    instrument = RelativeDecisionInstrument.model_validate(DECLARED)
    frame = responses(["x"], dataset=["pair"])
    with pytest.raises(UsageError, match="the files were not read"):
        relative_decision.read(frame, instrument, pl.DataFrame({"positive": ["a"], "negative": ["b"]}))
    with pytest.raises(UsageError, match=r"instrument.sides: sides.csv was not read"):
        relative_decision.read(frame, instrument)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sides": None}, "'groups' and 'tasks' need 'sides'"),
        ({"dataset": None}, "'lists' need 'dataset'"),
        ({"lists": []}, "exactly one of 'columns', 'lists' and 'names'"),
        ({"lists": [], "columns": COLUMNS}, "'sides' need 'lists'"),
        ({"lists": [], "sides": None, "dataset": None, "columns": COLUMNS}, "'names_beside' are beside 'lists'"),
        ({"lists": [{"file": "x.csv", "dataset": "set"}]}, "at least one of 'default', 'stigma', 'groups' and 'tasks'"),
        ({"lists": [{"file": "x.csv", "dataset": "A", "default": ["A"]}]}, "'A' is there more than once"),
    ],
)  # fmt: skip
def test_faults_of_declarations(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RelativeDecisionInstrument.model_validate(DECLARED | changes)

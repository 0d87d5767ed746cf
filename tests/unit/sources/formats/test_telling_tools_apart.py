"""Each fixture has one format: the others do not take it for theirs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tallybook.sources.content import Content
from tallybook.sources.formats import inspect_log
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.harnesses import HELM, LM_EVAL
from tallybook.study.record_sources import RecordSource
from tests.unit.sources.formats.dump_records import FIXTURES
from tests.unit.sources.inputs import delivery_of

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = {one.name: one for one in (HELM, inspect_log.FORMAT, LM_EVAL)}
FILES = sorted(path.relative_to(FIXTURES).as_posix() for path in FIXTURES.rglob("*") if path.is_file())
BESIDE = (
    "helm/display_",
    "helm/instances",
    "helm/per_",
    "helm/run_",
    "helm/scenario.",
    "helm/stats",
    "lm-eval/results_",
)


@pytest.mark.parametrize("file", FILES)
def test_a_format_recognises_its_own_files_and_no_others(file: str) -> None:
    head = Head(Content(FIXTURES, file))
    found = {name: form.recognises(head) for name, form in FORMATS.items()}
    role = "beside" if file.startswith(BESIDE) and file != "helm/scenario_state.json" else "responses"
    assert found == {name: role if file.startswith(f"{name}/") else None for name in FORMATS}


DUMPS = {
    "inspect/words.*": ({"ok": 6, "truncated": 3, "refused": 3, "error": 3}, []),
    "inspect/halted.eval": ({"ok": 2, "truncated": 1, "refused": 1, "error": 1}, ["error"]),
    "lm-eval/*names_2*": ({"ok": 4, "empty": 2}, []),
    "helm/*": ({"ok": 4, "truncated": 1, "empty": 1, "filtered": 2, "refused": 1, "error": 1, "canceled": 1}, []),
}
"""The files of a dump -> how often its responses have each status, and what its findings found."""


@pytest.mark.parametrize("files", DUMPS)
@pytest.mark.parametrize("is_named", [True, False])
def test_dumps_become_responses(files: str, is_named: bool, tmp_path: Path) -> None:
    name = files.partition("/")[0]
    shutil.copytree(FIXTURES / name, tmp_path / name)
    columns: dict[str, dict[str, str]] = {column: {"path": column} for column in ("text", "model", "item", "status")}
    columns["sample"] = {"path": "sample", "type": "integer"}
    declared = {"format": name if is_named else "auto", "files": files, "columns": columns, "extra": "ignore"}
    source = RecordSource.model_validate(declared)
    delivery = delivery_of(tmp_path, source)
    assert delivery.problems == []
    statuses = dict(delivery.rows["status"].value_counts().iter_rows())
    assert (statuses, [finding.value for finding in delivery.findings]) == DUMPS[files]
    assert delivery.rows["sample"].null_count() == delivery.rows["model"].null_count() == 0

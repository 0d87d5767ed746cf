"""Columns that differ in one thing, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.study.record_sources import RecordSource
from tests.unit.sources.inputs import MAY_BE_MISSING, Delivered, delivery_of

if TYPE_CHECKING:
    from pathlib import Path


DECLARATION: dict[str, Any] = {
    "format": "csv",
    "files": "{model}.csv",
    "columns": {"text": {"path": "answer"}, "item": {"path": "prompt"}},
    "extra": "ignore",
    "constants": {"sample": 0},
    "unfold": {"into": "year", "columns": {"score": "score_{year}", "weight": "weight_{year}"}},
}


def delivered(folder: Path, content: str, **unfold: Any) -> Delivered:
    (folder / "m.csv").write_text(content)
    source = RecordSource.model_validate(DECLARATION | {"unfold": DECLARATION["unfold"] | unfold})
    return delivery_of(folder, source)


def test_each_row_becomes_one_for_each_value(tmp_path: Path) -> None:
    content = "prompt,answer,score_1,score_2,weight_2,other_3\np,yes,0.5,1,10,x\nq,no,,-2,20,x\n"
    delivery = delivered(tmp_path, content)
    assert delivery.problems == []
    assert delivery.rows.select("item", "text", "year", "score", "weight", "sample").rows() == [
        ("p", "yes", "1", 0.5, None, 0),
        ("p", "yes", "2", 1.0, 10.0, 0),
        ("q", "no", "1", None, None, 0),
        ("q", "no", "2", -2.0, 20.0, 0),
    ]
    assert delivery.rows["key"].to_list() == ["row 2", "row 2", "row 3", "row 3"]


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    delivery = delivered(tmp_path, "prompt,answer,score_1\np,yes,much\nq,no,inf\n")
    assert [str(problem) for problem in delivery.problems] == [
        "m.csv: column weight_{year}: expected columns of this form",
        "m.csv: key row 2, column score_1: found much; expected a finite number",
        f"m.csv: key row 3, column score_1: found inf; {MAY_BE_MISSING}",
    ]


@pytest.mark.parametrize("form", ["score", "{year}_{more}", "{other}"])
def test_a_form_names_the_new_column(form: str) -> None:
    with pytest.raises(ValueError, match=r"a form of headers with \{year\} in it, and no other"):
        RecordSource.model_validate(DECLARATION | {"unfold": {"into": "year", "columns": {"score": form}}})


def test_no_column_is_made_twice() -> None:
    with pytest.raises(ValueError, match="more than one column 'item'"):
        RecordSource.model_validate(DECLARATION | {"unfold": {"into": "item", "columns": {"score": "score_{item}"}}})

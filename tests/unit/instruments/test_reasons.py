"""Outcomes of kind `reason`: from coding to the tally, the bundle and back."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook import pipeline
from tallybook.core.errors import DataError
from tallybook.core.frame_checks import check
from tallybook.core.output import csv_text
from tallybook.instruments import coder
from tallybook.published.bundle import bundle
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.tally import merge, tally
from tallybook_schemas.columns import CodedResponses, Tallies
from tallybook_schemas.vocabulary import DELIVERED_STATUSES
from tests.unit.instruments.choices import responses
from tests.unit.statistics.frames import few, quick

if TYPE_CHECKING:
    from pathlib import Path

FILE = """
name = "choices"
title = "Choices"
sources = [{ format = "coded", files = "coded.csv" }]
factors = { model = { label = "Model", levels = { zeta = "Zeta", alpha = "Alpha" } } }

[instrument]
kind = "attribute-choice"
options = { o1 = "o1", o2 = "o2", o3 = "o3" }
context = "context"
hand = { column = "code", codes = { c1 = "numeric-selection", c3 = "no-response" } }

[outcomes.choice]
kind = "category"
label = "Choice"
attribute = "chosen_option"
labels = { able = ["o1"], other = ["o2", "o3"] }

[outcomes.why]
kind = "reason"
label = "Why"
attribute = "invalid_reason"
labels = { silent = ["no-response"], number = ["numeric-selection"], rest = ["non-option-span", "out-of-context"] }
unions = { any = ["silent", "number", "rest"] }

[outcomes.by_hand]
kind = "reason"
label = "By hand"
attribute = "code"
labels = { c1 = ["c1"], c3 = ["c3"] }
"""
DECLARATION = tomllib.loads(FILE)
STUDY = Study.model_validate(DECLARATION)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    usual = {"text": None, "status": "ok", "code": None, "model": "zeta", "item": "i", "count": 1}
    table = [usual | row for row in rows]
    columns = {name: [row[name] for row in table] for name in usual}
    frame = responses(columns.pop("text"), **{name: pl.Series(values) for name, values in columns.items()})
    return frame.with_columns(
        pl.col("code").cast(pl.String),
        pl.lit(0).alias("sample"),
        pl.int_range(pl.len()).alias("position"),
        pl.format("r{}", pl.int_range(pl.len())).alias("response_id"),
    )


def _code(*rows: dict[str, Any]) -> coder.Coding:
    return coder.code(_frame(list(rows)), STUDY, STUDY.instrument)


def test_only_responses_without_answer_have_one() -> None:
    coded, unmapped, findings = _code(
        {"text": "smart"},
        {"text": "smart", "code": "c1"},
        {"text": "2", "count": 3},
        {"text": None},
        {"text": "x", "status": "error", "code": "c3"},
        {"text": "clever", "code": " "},
        {"text": "a stereotype of people it is", "count": 2},
    )
    assert coded.select("status", "choice", "why", "by_hand").rows() == [
        ("ok", "able", None, None),
        ("invalid", None, "number", "c1"),
        ("invalid", None, "number", None),
        ("empty", None, "silent", None),
        ("error", None, None, None),
        ("invalid", None, "rest", None),
        ("refused", None, None, None),
    ]
    assert [(row["outcome"], row["label"], row["count"]) for row in unmapped.iter_rows(named=True)] == [
        ("by_hand", " ", 1),
        ("why", "stereotype-awareness", 2),
    ]
    assert [finding.value for finding in findings] == ["2", "clever"]
    check(coded, CodedResponses, where="coded")


def test_the_tally_counts_them_on_these_responses_only() -> None:
    coded = _code(
        {"text": "smart", "count": 9}, {"text": "2", "count": 3}, {"text": None}, {"text": "x", "status": "error"}
    ).coded
    counted = check(tally(coded, ["model"], STUDY.outcomes), Tallies, where="tally")
    assert counted.filter(outcome="why").select("category", "status", "count", "first_seen").rows() == [
        ("number", "ok", 3, 1),
        ("silent", "ok", 1, 2),
    ]
    assert counted.filter(outcome="by_hand").select("category", "status", "count").rows() == [
        (None, "invalid", 4),
    ]
    assert counted.filter(outcome="choice").select("category", "status", "count").rows() == [
        (None, "error", 1),
        (None, "invalid", 4),
        ("able", "ok", 9),
    ]


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.sampled_from(
                ["smart", "Dumb.", "funny", "2", "Chad", None, "clever", "a stereotype of people it is"]
            ),
            "status": st.sampled_from(["ok"] * 5 + list(DELIVERED_STATUSES)),
            "code": st.sampled_from([None, None, "c1", "c3"]),
            "model": st.sampled_from(["zeta", "alpha"]),
            "item": st.sampled_from(["i", "j"]),
            "count": st.integers(1, 5),
        }
    ),
    min_size=1,
)


@quick
@given(ROWS)
def test_a_count_stands_for_repeated_rows(rows: list[dict[str, Any]]) -> None:
    repeated = [row | {"count": 1} for row in rows for _ in range(row["count"])]
    counted, one_by_one = (
        tally(_code(*some).coded, ["model"], STUDY.outcomes).drop("first_seen") for some in (rows, repeated)
    )
    assert counted.equals(one_by_one)


@quick
@given(ROWS)
def test_tallies_of_parts_add_up(rows: list[dict[str, Any]]) -> None:
    coded = _code(*rows).coded
    parts = [tally(part, ["model"], STUDY.outcomes) for part in (coded[::2], coded[1::2])]
    assert merge(parts, ["model"]).equals(tally(coded, ["model"], STUDY.outcomes))


@few
@given(ROWS)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_coded_rows_read_back_give_the_same_tally(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, rows: Any
) -> None:
    folder = tmp_path_factory.getbasetemp()
    coded = _code(*rows).coded
    bundled = bundle(STUDY, coded)
    if suffix == "csv":
        (folder / "coded.csv").write_text(csv_text(bundled), encoding="utf-8")
    else:
        bundled.write_parquet(folder / "coded.parquet")
    read = _read(folder, suffix)
    counted, again = (tally(frame, ["model"], STUDY.outcomes).drop("first_seen") for frame in (coded, read.coded))
    assert counted.equals(again)
    assert bundle(STUDY, read.coded).equals(bundled)


def _read(folder: Path, suffix: str = "csv") -> pipeline.Coded:
    file = folder / "study.toml"
    file.write_text(FILE.replace("coded.csv", f"coded.{suffix}"), encoding="utf-8")
    return pipeline.read_and_code(load(str(file)), folder)


def _read_back(folder: Path, *rows: str) -> pipeline.Coded:
    header = "model,item,status,choice,why,by_hand,count\n"
    (folder / "coded.csv").write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
    return _read(folder)


class TestCodedRows:
    """A table of coded responses must hold reasons where they can be, and nowhere else."""

    @pytest.mark.parametrize("status", ["ok", "partial", "error"])
    def test_an_answer_has_no_reason(self, tmp_path: Path, status: str) -> None:
        with pytest.raises(
            DataError, match="row 2, column why: found silent; expected nothing, since the status says so"
        ):
            _read_back(tmp_path, f"zeta,i,{status},,silent,,1")

    @pytest.mark.parametrize("status", ["refused", "invalid"])
    def test_one_without_may_have_one(self, tmp_path: Path, status: str) -> None:
        read = _read_back(tmp_path, f"zeta,i,{status},,silent,,1", f"zeta,j,{status},,,,2").coded
        assert read["why"].to_list() == ["silent", None]

    def test_it_must_be_declared(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="column why: found no-response; expected one of silent, number, rest"):
            _read_back(tmp_path, "zeta,i,refused,,no-response,,1")

    def test_what_has_no_value_is_counted(self, tmp_path: Path) -> None:
        """Answers without a value, and responses without answer that have no reason."""
        read = _read_back(
            tmp_path, "zeta,i,ok,able,,,4", "zeta,i,refused,,silent,c3,2", "zeta,i,invalid,,,,3", "zeta,i,error,,,,8"
        )
        assert read.uncoded.rows() == [("by_hand", None, 3), ("choice", None, 3), ("why", None, 3)]


def test_a_profile_may_have_reasons_too(declaration: Any) -> None:
    """They are no answers: they decide neither what was answered nor whether it is complete."""
    changed = deepcopy(declaration)
    changed["sources"][0]["columns"]["code"] = {"path": "code"}
    changed["outcomes"]["why"] = {"kind": "reason", "label": "Why", "attribute": "code", "labels": {"rude": ["r"]}}
    study = Study.model_validate(changed)
    row = {
        "response_id": "r", "model": "zeta", "dimension": "age", "group": "young", "item": "Ada", "sample": 0,
        "text": "x", "status": "ok", "file": "f", "key": "k", "position": 0, "count": 1,
    }  # fmt: skip
    frame = pl.DataFrame(
        [
            row | {"politics_label": "liberal", "job_label": "nurse", "mood": 0.5, "code": "r"},
            row | {"politics_label": None, "job_label": None, "mood": None, "code": "r"},
            row
            | {"politics_label": None, "job_label": None, "mood": None, "code": "r", "text": "I'm sorry, but I can't."},
            row | {"politics_label": None, "job_label": None, "mood": None, "code": "s"},
        ],
        infer_schema_length=None,
    )
    coded, unmapped, _ = coder.code(frame, study, study.instrument)
    assert coded.select("status", "politics", "why").rows() == [
        ("ok", "left", None),
        ("invalid", None, "rude"),
        ("refused", None, "rude"),
        ("invalid", None, None),
    ]
    assert unmapped.select("outcome", "label", "count").rows() == [("why", "s", 1)]


def test_a_study_of_reasons_only() -> None:
    study = Study.model_validate(DECLARATION | {"outcomes": {"why": DECLARATION["outcomes"]["why"]}})
    coded = coder.code(_frame([{"text": "smart"}, {"text": "2"}]), study, study.instrument).coded
    assert coded.select("status", "why").rows() == [("ok", None), ("invalid", "number")]

"""Responses that a study does not want: left out before anything is made of them, counted, and told of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tallybook.core.errors import DataError, UsageError
from tallybook.pipeline import read_and_code
from tallybook.sources import csv_records
from tallybook.study.loading import load
from tallybook.validation.command import validate

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """
name = "small"
title = "A small study"
key = ["model", "item", "sample"]

[[sources]]
format = "{format}"
files = "{files}"

[sources.columns]
model = {{ path = "model" }}
item = {{ path = "item" }}
sample = {{ path = "sample", type = "integer" }}
answer = {{ path = "answer" }}
year = {{ path = "year" }}

{sources}

[factors.model]
label = "Model"
levels = {{ alpha = "Alpha", beta = "Beta" }}

[instrument]
kind = "profile"

[outcomes.answer]
kind = "category"
label = "Answer"
attribute = "answer"
labels = {{ yes = ["yes"], no = ["no"] }}

[analyses.share]
statistic = "proportion"
outcomes = ["answer"]
by = ["model"]
"""
ROWS = """model,item,sample,answer,year
alpha,a,0,yes,2023
beta,a,0,no,2024
gamma,a,0,yes,2024
alpha,b,0,no,2024
alpha,b,1,yes,2025
"""


def _folder(folder: Path, sources: str = "", rows: str = ROWS, form: str = "csv", files: str = "answers.csv") -> Path:
    (folder / "study.toml").write_text(STUDY.format(sources=sources, format=form, files=files))
    (folder / "answers.csv").write_text(rows)
    return folder / "study.toml"


def _kept(study: Path) -> list[tuple[Any, ...]]:
    source = read_and_code(load(str(study)))
    return source.coded.sort("key").select("model", "item", "sample").rows()


def test_what_is_not_kept_is_neither_a_level_nor_repeated_nor_derived(tmp_path: Path) -> None:
    rows = ROWS + "gamma,a,0,no,2024\n"
    study = _folder(tmp_path, '[sources.keep]\nis = { model = ["alpha", "beta"] }\nat_least = { year = 2024 }', rows)
    assert _kept(study) == [("beta", "a", 0), ("alpha", "b", 0), ("alpha", "b", 1)]
    source = read_and_code(load(str(study)))
    assert [one._asdict() for one in source.dump.left_out] == [{"files": "answers.csv", "read": 6, "left_out": 3}]
    derive = '[sources.derive]\nfamily = { from = "model", map = { alpha = "A" } }\n'
    study = _folder(tmp_path, derive + '[sources.keep]\nis = { model = "alpha" }')
    assert len(_kept(study)) == 3


def test_conditions_may_name_what_is_derived(tmp_path: Path) -> None:
    derive = '[sources.derive]\nperiod = { from = "year", bands = { early = 0, late = 2024 } }\n'
    study = _folder(tmp_path, derive + '[sources.keep]\nis = { period = "early" }')
    assert _kept(study) == [("alpha", "a", 0)]


def test_a_sample_is_numbered_among_those_that_are_kept(tmp_path: Path) -> None:
    study = _folder(tmp_path, 'samples_by = ["model", "item"]\n[sources.keep]\nis = { item = "b", year = "2025" }')
    text = study.read_text().replace('sample = { path = "sample", type = "integer" }', "")
    text = text.replace('samples_by = ["model", "item"]\n', "").replace(
        'files = "answers.csv"', 'files = "answers.csv"\nsamples_by = ["model", "item"]\nextra = "ignore"'
    )
    study.write_text(text)
    assert _kept(study) == [("alpha", "b", 0)]


@pytest.mark.parametrize("at_once", [40, 2**23])
def test_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(csv_records, "AT_ONCE", at_once)
    rows = ROWS.splitlines()[0] + "\n" + "".join(f"alpha,i{i},0,yes,{2000 + i % 50}\n" for i in range(100))
    study = _folder(tmp_path, "[sources.keep]\nat_most = { year = 2009 }", rows)
    source = read_and_code(load(str(study)))
    assert source.coded.height == 20
    assert [one.left_out for one in source.dump.left_out] == [80]


def test_responses_are_counted_not_rows(tmp_path: Path) -> None:
    rows = "\n".join(line + (",count" if number == 0 else ",10") for number, line in enumerate(ROWS.splitlines()))
    study = _folder(tmp_path, '[sources.keep]\nis = { model = "beta" }', rows + "\n")
    study.write_text(
        study.read_text().replace(
            'year = { path = "year" }', 'year = { path = "year" }\ncount = { path = "count", type = "integer" }'
        )
    )
    source = read_and_code(load(str(study)))
    assert [one._asdict() for one in source.dump.left_out] == [{"files": "answers.csv", "read": 50, "left_out": 40}]


def test_keyed_json(tmp_path: Path) -> None:
    study = _folder(tmp_path)
    text = study.read_text()
    start, end = text.index("[[sources]]"), text.index("[factors.model]")
    source = """[[sources]]
format = "keyed-json"
files = "{model}.json"
key = "{item}_{sample:int}"
columns = { answer = { path = "answer" }, year = { path = "year", type = "integer" } }
keep = { at_least = { year = 2024 } }

"""
    study.write_text(text[:start] + source + text[end:])
    records = {"a_0": {"answer": "yes", "year": 2023}, "b_0": {"answer": "no", "year": 2024}}
    (tmp_path / "alpha.json").write_text(json.dumps(records))
    assert _kept(study) == [("alpha", "b", 0)]
    study.write_text(study.read_text().replace("2024", "2030"))
    with pytest.raises(DataError, match=r"expected a response in \{model\}\.json that 'keep' keeps \(2 are left out\)"):
        read_and_code(load(str(study)))


def test_it_is_told(tmp_path: Path) -> None:
    study = _folder(tmp_path, '[sources.keep]\nis_not = { model = "gamma" }')
    told = "note: 1 of 5 responses in answers.csv left out by 'keep'"
    assert told in validate([str(study)]).output
    valid = json.loads(validate([str(study)], form="json").output)
    out = tmp_path / "out"
    ran = computing.run(Wanted(study=str(study), out=out, quiet=True))
    counted = [{"files": "answers.csv", "read": 5, "left_out": 1}]
    assert told in ran["text"]
    assert ran["left_out"] == valid["left_out"] == counted
    assert json.loads((out / "manifest.json").read_text())["left_out"] == counted
    assert pl.read_parquet(out / "responses.parquet").height == 4
    sources = (out / "report" / "source").rglob("*.qmd")
    assert any("left out of every number: 1 of 5 in answers" in file.read_text().replace("\\", "") for file in sources)


@pytest.mark.parametrize(
    ("keep", "rows", "told"),
    [
        ('is = { model = "delta" }', ROWS, "expected a response in answers.csv that 'keep' keeps (5 are left out)"),
        (
            "at_least = { year = 2024 }",
            ROWS.replace("2025", "soon"),
            "answers.csv: key row 6, column year: found soon; expected a number, which a condition compares",
        ),
    ],
)
def test_broken_dumps(tmp_path: Path, keep: str, rows: str, told: str) -> None:
    study = _folder(tmp_path, f"[sources.keep]\n{keep}", rows)
    with pytest.raises(DataError) as error:
        read_and_code(load(str(study)))
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("keep", "told"),
    [
        ('is = { modle = "a" }', "'modle' is not a column; expected one of 'file', 'key', 'model'"),
        (
            "",
            (
                "sources[1].keep: expected at least one of 'is', 'is_not', 'contains', 'among', 'lacks', 'at_least', "
                "'at_most'"
            ),
        ),
        ("is = { model = [] }", "is.model: no value is named; expected at least one"),
        ('contains = { model = "(" }', "is not a regular expression"),
        ('at_least = { year = "2024" }', "found '2024'; expected a number"),
    ],
)
def test_broken_filters(tmp_path: Path, keep: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        load(str(_folder(tmp_path, f"[sources.keep]\n{keep}")))
    assert told in str(error.value)

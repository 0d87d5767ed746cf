"""Hand codes win over the rules, whatever the instrument; what is wrong with them is told with the row."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.cli.commands import computing, writing
from tallybook.cli.options import Wanted
from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import harmless
from tallybook.instruments.annotations import HandCoding
from tallybook.pipeline import compute, read_and_code
from tallybook.sources import csv_records
from tallybook.study.coding import CategoryOutcome, Overrides
from tallybook.study.loading import load
from tallybook.validation.command import validate

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.pipeline import Coded

STUDY = """
name = "small"
title = "A small study"

[[sources]]
format = "csv"
files = "answers.csv"

[sources.columns]
model = { path = "model" }
item = { path = "item" }
sample = { path = "sample", type = "integer" }
text = { path = "text" }
state = { path = "state" }
label = { path = "label" }
mood = { path = "mood", type = "number" }

[sources.derive]
status = { from = "state", map = { fine = "ok", failed = "error" } }

[overrides]
file = "codes.csv"

[factors.model]
label = "Model"
levels = { alpha = "Alpha", beta = "Beta" }

[instrument]
kind = "profile"

[outcomes.answer]
kind = "category"
label = "Answer"
attribute = "label"
labels = { yes = ["yes"], no = ["no"] }

[outcomes.mood]
kind = "score"
label = "Mood"
attribute = "mood"
where = { model = "alpha" }

[analyses.share]
statistic = "proportion"
outcomes = ["answer"]
by = ["model"]
"""
ROWS = [
    ("alpha", "a", 0, "Yes!", "fine", "yes", 0.5),
    ("alpha", "a", 1, "=No", "fine", "no", None),
    ("alpha", "b", 0, "Perhaps", "fine", "perhaps", None),
    ("beta", "a", 0, "Perhaps", "fine", "perhaps", None),
    ("beta", "a", 1, "I cannot answer that.", "fine", None, None),
    ("beta", "b", 0, "", "failed", None, None),
]


def _folder(
    folder: Path, codes: str, rows: list[tuple[Any, ...]] = ROWS, changes: dict[str, str] | None = None
) -> Path:
    text = STUDY
    for old, new in (changes or {}).items():
        text = text.replace(old, new)
    (folder / "study.toml").write_text(text)
    with (folder / "answers.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("model", "item", "sample", "text", "state", "label", "mood"), *rows])
    (folder / "codes.csv").write_text(codes)
    return folder / "study.toml"


def _coded(study: Path) -> Coded:
    return read_and_code(load(str(study)))


def _codes(source: Coded) -> list[tuple[Any, ...]]:
    return source.coded.sort("key").select("key", "answer", "mood", "status", "coded_by").rows()


BY_RULES = [
    ("row 2", "yes", 0.5, "ok", "rules"),
    ("row 3", "no", None, "partial", "rules"),
    ("row 4", None, None, "invalid", "rules"),
    ("row 5", None, None, "invalid", "rules"),
    ("row 6", None, None, "refused", "rules"),
    ("row 7", None, None, "error", "rules"),
]


def test_without_codes_the_rules_stand(tmp_path: Path) -> None:
    assert _codes(_coded(_folder(tmp_path, "response_id,answer,note\nanswers.csv#row 2,,later\n"))) == BY_RULES


def test_codes_win(tmp_path: Path) -> None:
    codes = (
        "response_id,answer,mood,status,coder\n"
        "answers.csv#row 2,no,,,Ada\n"
        "answers.csv#row 3,,-1.5,,Ada\n"
        "answers.csv#row 4,,,refused,Ada\n"
        "answers.csv#row 5,yes,,ok,Ada\n"
        "answers.csv#row 5,yes,,,Bo\n"
        "answers.csv#row 6,no,,,Bo\n"
    )
    source = _coded(_folder(tmp_path, codes))
    assert _codes(source) == [
        ("row 2", "no", 0.5, "ok", "hand"),
        ("row 3", "no", -1.5, "ok", "hand"),
        ("row 4", None, None, "refused", "hand"),
        ("row 5", "yes", None, "ok", "hand"),
        ("row 6", "no", None, "ok", "hand"),
        BY_RULES[5],
    ]
    assert source.by_hand is not None
    assert (source.by_hand.coded, source.by_hand.changed) == (5, 5)
    assert source.uncoded.rows() == []  # the labels of row 4 and 5 are settled
    assert source.by_hand.pairs.rows() == [
        ("answer", "invalid", "refusal", 1),
        ("answer", "invalid", "yes", 1),
        ("answer", "refusal", "no", 1),
        ("answer", "yes", "no", 1),
        ("mood", "invalid", "-1.5", 1),
        ("mood", "invalid", "refusal", 1),
    ]


@pytest.mark.parametrize("keep", [0, 2])
def test_codes_win_where_only_counts_are_kept(tmp_path: Path, keep: int) -> None:
    study = _folder(tmp_path, "response_id,answer,mood,status\nanswers.csv#row 4,no,,\n")
    source = read_and_code(load(str(study)), keep=keep)
    assert source.by_hand is not None
    assert (source.kept, source.by_hand.coded) == (None, 1)


def test_a_status_takes_the_values_away(tmp_path: Path) -> None:
    source = _coded(_folder(tmp_path, "response_id,status\nanswers.csv#row 2,invalid\n"))
    assert _codes(source)[0] == ("row 2", None, None, "invalid", "hand")


def test_by_other_columns(tmp_path: Path) -> None:
    codes = "model;item;sample;answer\nalpha;b;0;yes\n"
    declared = 'file = "codes.csv"\non = ["model", "item", "sample"]\ndelimiter = ";"'
    source = _coded(_folder(tmp_path, codes, changes={'file = "codes.csv"': declared}))
    assert _codes(source)[2] == ("row 4", "yes", None, "partial", "hand")


def test_what_the_rules_take_for_an_error_may_be_coded_by_hand(tmp_path: Path) -> None:
    rows = [row for row in ROWS if row[5] != "perhaps" or row[0] == "alpha"]
    strict = {'kind = "profile"': 'kind = "profile"\nunmapped = "error"'}
    with pytest.raises(DataError, match="found perhaps; expected a label of yes, no"):
        _coded(_folder(tmp_path, "response_id,answer\nanswers.csv#row 2,no\n", rows, strict))
    source = _coded(_folder(tmp_path, "response_id,answer\nanswers.csv#row 4,no\n", rows, strict))
    assert _codes(source)[2][:2] == ("row 4", "no")


def test_a_part_that_is_coded_again_without_its_bad_rows_is_counted_once(tmp_path: Path) -> None:
    strict = {'kind = "profile"': 'kind = "profile"\nunmapped = "error"'}
    study = _folder(tmp_path, "response_id,answer\nanswers.csv#row 2,no\n", changes=strict)
    told = validate([str(study)])
    assert "found perhaps; expected a label of yes, no" in told.output
    assert "1 response with manual codes, 1 of which override the rules" in told.output


def test_responses_are_checked_even_if_the_codes_are_faulty(tmp_path: Path) -> None:
    rows = [*ROWS, ROWS[0]]
    told = validate([str(_folder(tmp_path, "response_id,answer\nanswers.csv#row 2,maybe\n", rows))])
    assert "codes.csv:2: column answer: found maybe" in told.output
    assert "expected no duplicate key" in told.output
    assert f"1 file, {len(rows)} responses" not in told.output
    assert f"1 file, {len(ROWS) - 1} responses" in told.output


HEAD = "response_id,answer,mood,status"
COLUMN = "a column of codes (answer, mood, status), or one that tells responses apart"


@pytest.mark.parametrize(
    ("codes", "told"),
    [
        ("", "codes.csv: expected a header"),
        ("response_id\nx\n", "codes.csv: expected a column of codes (answer, mood, status)"),
        ("answer\nyes\n", "codes.csv: column response_id: expected this column"),
        (
            "response_id;answer\nx;yes\n",
            "codes.csv: key row 1: found response_id;answer; expected columns separated by",
        ),
        ("response_id,anwser\nx,yes\n", f"codes.csv: column anwser: expected {COLUMN}; did you mean 'answer'?"),
        ("response_id,answer,answer\nx,yes,no\n", "codes.csv: column answer: expected this column once"),
        (f"{HEAD}\n,yes,,\n", "codes.csv: key row 2, column response_id: expected what identifies a response"),
        (f"{HEAD}\nx,maybe,,\n", "codes.csv: key row 2, column answer: found maybe; expected one of yes, no"),
        (f"{HEAD}\nx,,high,\n", "codes.csv: key row 2, column mood: found high; expected a number"),
        (
            f"{HEAD}\nx,,,okay\n",
            "codes.csv: key row 2, column status: found okay; expected one of ok, partial, refused, invalid",
        ),
        (
            f"{HEAD}\nx,yes,,refused\n",
            "codes.csv: key row 2, column answer: found yes; expected nothing, since the status says so",
        ),
        (
            f"{HEAD}\nx,yes,,\ny,yes,,\nx,no,,\n",
            "codes.csv: key row 4, column answer: found no; expected yes, as row 2 says of the response",
        ),
        (
            f"{HEAD}\nx,no,,\nx,,,invalid\n",
            "codes.csv: key row 3, column status: found no answer; expected an answer, as row 2 says of the response",
        ),
        (
            f"{HEAD}\nanswers.csv#row 99,yes,,\n",
            "codes.csv: key row 2, column response_id: found answers.csv#row 99; expected a response that is read",
        ),
        (
            f"{HEAD}\nanswers.csv#row 7,yes,,\n",
            "codes.csv: key row 2: expected a response that came; its request failed",
        ),
        (
            f"{HEAD}\nanswers.csv#row 5,,1,\n",
            "codes.csv: key row 2, column mood: found 1.0; expected nothing, as the response is not asked for it",
        ),
        (
            f"{HEAD}\nanswers.csv#row 5,,,ok\n",
            "codes.csv: key row 2, column status: found ok; expected a code of answer or mood beside it",
        ),
    ],
)
def test_broken_codes(tmp_path: Path, codes: str, told: str) -> None:
    with pytest.raises(DataError) as error:
        _coded(_folder(tmp_path, codes))
    assert str(error.value).startswith(told)
    assert len(error.value.problems) == 1


def test_what_identifies_several_responses(tmp_path: Path) -> None:
    declared = {'file = "codes.csv"': 'file = "codes.csv"\non = ["model"]'}
    with pytest.raises(DataError) as error:
        _coded(_folder(tmp_path, "model,answer\nalpha,yes\n", changes=declared))
    told = "codes.csv: key row 2, column model: found alpha; expected what identifies one response (3 have it)"
    assert str(error.value) == told


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    study = _folder(tmp_path, "")
    (tmp_path / "codes.csv").unlink()
    with pytest.raises(DataError, match=r"codes\.csv: found No such file or directory; expected a readable file"):
        _coded(study)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({'file = "codes.csv"': 'file = "codes.csv"\non = ["respnse_id"]'}, "did you mean 'response_id'?"),
        ({'file = "codes.csv"': 'file = "codes.csv"\non = []'}, "found an empty list; expected a list of one or more"),
        ({"[outcomes.mood]": "[outcomes.coded_by]"}, "this column has another meaning"),
    ],
)
def test_broken_declarations(tmp_path: Path, changes: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError) as error:
        load(str(_folder(tmp_path, "", changes=changes)))
    assert told in str(error.value)


@pytest.mark.parametrize("at_once", [30, 2**23])
def test_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(csv_records, "AT_ONCE", at_once)
    rows = [("alpha", f"i{i}", 0, "?", "fine", "perhaps" if i % 2 else "yes", 0) for i in range(30)]
    codes = "response_id,answer\n" + "".join(f"answers.csv#row {i + 2},no\n" for i in range(1, 30, 2))
    source = _coded(_folder(tmp_path, codes, rows))
    assert source.coded.sort("position")["answer"].to_list() == ["yes", "no"] * 15
    assert source.by_hand is not None
    assert source.by_hand.pairs.rows() == [("answer", "invalid", "no", 15)]


def test_a_sheet_is_written_filled_in_and_read(tmp_path: Path) -> None:
    study = _folder(tmp_path, "")
    sheet = tmp_path / "codes.csv"
    sheet.unlink()
    wanted = Wanted(study=str(study), quiet=True)
    listed = writing.uncoded(wanted, None)["text"].splitlines()
    assert listed[:3] == ["3 responses to code", "      2  Perhaps", "      1  =No"]
    told = writing.uncoded(wanted, sheet)
    assert told["responses"] == 3
    assert "answer: yes, no" in told["text"]
    rows = list(csv.DictReader(io.StringIO(sheet.read_text())))
    assert [(row["response_id"], row["text"], row["answer"], row["status"]) for row in rows] == [
        ("answers.csv#row 3", "'=No", "", ""),  # harmless in a spreadsheet
        ("answers.csv#row 4", "Perhaps", "", ""),
        ("answers.csv#row 5", "Perhaps", "", ""),
    ]
    with pytest.raises(UsageError, match="codes in it would be lost"):
        writing.uncoded(wanted, sheet)
    rows[0] |= {"mood": "1"}
    rows[1] |= {"answer": "yes", "mood": "0"}
    rows[2] |= {"status": "invalid", "note": "neither"}
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    out = tmp_path / "out"
    assert "3 responses with manual codes, 2 of which override the rules" in validate([str(study)]).output
    ran = computing.run(replace(wanted, out=out))
    assert "3 responses with manual codes, 2 of which override the rules" in ran["text"]
    assert "the rules agree" not in ran["text"]  # they coded none of these
    assert pl.read_csv(out / "hand_codes.csv").is_empty()
    content = json.loads((out / "manifest.json").read_text())["overrides"]
    assert list(content["files"]) == ["codes.csv"]
    assert (content["responses"], content["changed"]) == (3, 2)
    sources = " ".join(file.read_text() for file in (out / "report" / "source").rglob("*.qmd"))
    assert "3 responses have manual codes, 2 of which override the rules" in sources
    # What is coded is not asked again; a sample of the rest is.
    again = writing.uncoded(wanted, tmp_path / "more.csv", sample=9)
    assert again["responses"] == 2
    # Coded responses hold the hand codes; the file is not read with them.
    before = (tmp_path / "answers.csv").read_bytes()
    with pytest.raises(UsageError, match=r"answers\.csv would replace an input file; choose another name"):
        writing.bundle(wanted, tmp_path / "answers.csv")
    assert (tmp_path / "answers.csv").read_bytes() == before
    writing.bundle(wanted, tmp_path / "coded.csv")
    text = study.read_text().replace('format = "csv"\nfiles = "answers.csv"', 'format = "coded"\nfiles = "coded.csv"')
    start, end = text.index("[sources.columns]"), text.index("[overrides]")
    (tmp_path / "coded.toml").write_text(text[:start] + text[end:])
    assert compute(load(str(tmp_path / "coded.toml"))).estimates.equals(compute(load(str(study))).estimates)


def test_a_sheet_of_texts_has_each_once_and_its_codes_are_those_of_all(tmp_path: Path) -> None:
    study = _folder(tmp_path, "", changes={'file = "codes.csv"': 'file = "codes.csv"\non = ["text"]'})
    sheet = tmp_path / "codes.csv"
    sheet.unlink()
    assert writing.uncoded(Wanted(study=str(study), quiet=True), sheet)["responses"] == 2
    rows = list(csv.DictReader(io.StringIO(sheet.read_text())))
    assert [(row["text"], row["count"]) for row in rows] == [("'=No", "1"), ("Perhaps", "2")]
    rows[1]["answer"] = "yes"
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    coded = _coded(study).rows.collect()
    assert coded.filter(pl.col("text") == "Perhaps").select("answer", "coded_by").rows() == [("yes", "hand")] * 2


def test_names_that_a_spreadsheet_would_run_are_found_again(tmp_path: Path) -> None:
    rows = [("alpha", "=a", 0, "?", "fine", "perhaps", 0), ("alpha", "a\u202e", 0, "?", "fine", "perhaps", 0)]
    declared = {'file = "codes.csv"': 'file = "codes.csv"\non = ["item"]'}
    study = _folder(tmp_path, "", rows, declared)
    sheet = tmp_path / "codes.csv"
    sheet.unlink()
    writing.uncoded(Wanted(study=str(study), quiet=True), sheet)
    pl.read_csv(sheet).with_columns(pl.lit("yes").alias("answer")).write_csv(sheet)
    assert "'=a" in sheet.read_text()
    assert _coded(study).coded["answer"].to_list() == ["yes", "yes"]


VALUES = st.sampled_from([None, "yes", "no"])
STATUSES = st.sampled_from([None, "refused", "invalid"])


@given(st.lists(st.tuples(VALUES, VALUES, STATUSES), min_size=1, max_size=8), st.integers(1, 8))
def test_as_a_plain_loop_says(rows: list[tuple[str | None, str | None, str | None]], size: int) -> None:
    """Rule, hand code and hand status of each response, in parts of any size."""
    rows = [(rule, None if status else hand, status) for rule, hand, status in rows]
    outcome = CategoryOutcome.model_validate(
        {"kind": "category", "label": "A", "attribute": "a", "labels": {"yes": ["yes"], "no": ["no"]}}
    )
    coded = pl.DataFrame(
        {
            "response_id": [f"r{i}" for i in range(len(rows))],
            "file": "f",
            "key": [str(i) for i in range(len(rows))],
            "answer": pl.Series([rule for rule, _, _ in rows], dtype=pl.String),
            "status": ["ok" if rule else "invalid" for rule, _, _ in rows],
            "count": pl.Series([i + 1 for i in range(len(rows))], dtype=pl.Int64),
        }
    )
    given = [(f"row {i + 2}", f"r{i}", hand, status) for i, (_, hand, status) in enumerate(rows) if hand or status]
    schema = pl.Schema(dict.fromkeys(("_row", "response_id", "answer", "status"), pl.String()))
    codes = pl.DataFrame(given, schema=schema, orient="row")
    coding = HandCoding(Overrides(file="c.csv"), codes, {"answer": outcome})
    unmapped = pl.DataFrame(schema={"file": pl.String, "key": pl.String, "outcome": pl.String})
    settled = [coding.settle(part, unmapped, ()) for part in coded.iter_slices(size)]
    for one in settled:
        coding.add(one)
    parts = [one.coded for one in settled]
    expected = [
        (None, status) if status else (hand or rule, "ok" if hand or rule else "invalid") for rule, hand, status in rows
    ]
    assert pl.concat(parts).select("answer", "status").rows() == expected
    assert coding.problems() == []
    assert coding.coded == sum(i + 1 for i, (_, hand, status) in enumerate(rows) if hand or status)
    changed = [
        i + 1
        for i, (row, new) in enumerate(zip(rows, expected, strict=True))
        if new[0] != row[0] or (new[1] != ("ok" if row[0] else "invalid"))
    ]
    assert coding.changed == sum(changed)
    assert harmless(codes).equals(codes)

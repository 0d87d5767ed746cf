"""Tables of coded responses: CSV and Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.sources import coded
from tallybook.sources.content import NOT_UTF8
from tallybook.sources.folder import Folder
from tallybook.sources.read_result import Delivery, Inputs
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study

HEADER = "model,dimension,group,item,status,politics,job,mood,count"
ROW = "zeta,age,young,Ada,ok,left,teacher,0.25,3"


def _read(study: Study, folder: Path, content: str | bytes, **declared: Any) -> tuple[pl.DataFrame, list[str]]:
    (folder / "coded.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return _read_file(study, folder, "coded.csv", **declared)


def _read_frame(study: Study, folder: Path, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    frame.write_parquet(folder / "coded.parquet")
    return _read_file(study, folder, "coded.parquet")


def _read_file(study: Study, folder: Path, name: str, **declared: Any) -> tuple[pl.DataFrame, list[str]]:
    source = CodedSource(format="coded", files=name, **declared)
    delivery = Delivery()
    rows = coded.read(source, Inputs(Folder(folder), study), delivery)
    assert (delivery.files, delivery.findings, delivery.lookups) == ([name], [], [])
    return rows, [str(problem) for problem in delivery.problems]


def _parquet(**changes: pl.Series) -> pl.DataFrame:
    values = dict(zip(HEADER.split(","), ROW.split(","), strict=True)) | {"mood": 0.25, "count": 3}
    return pl.DataFrame({name: [value] for name, value in values.items()}).with_columns(**changes)


def test_columns_follow_from_the_study(study: Study) -> None:
    assert list(coded.coded_columns(study)) == HEADER.split(",")
    assert coded.coded_columns(study)["mood"] == pl.Float64
    assert coded.coded_columns(study)["count"] == pl.Int64


@pytest.mark.parametrize(
    ("declared", "columns"),
    [
        ({}, HEADER),
        ({"items": False}, "model,dimension,group,status,politics,job,mood,count"),
        ({"constants": {"dimension": "age"}}, "model,group,item,status,politics,job,mood,count"),
        ({"constants": {"group": "aged", "model": "zeta"}}, "dimension,item,status,politics,job,mood,count"),
        ({"outcomes": ["mood", "politics"]}, "model,dimension,group,item,status,mood,politics,count"),
        ({"outcomes": []}, "model,dimension,group,item,status,count"),
    ],
)
def test_columns_follow_from_the_declaration(study: Study, declared: dict[str, Any], columns: str) -> None:
    source = CodedSource(format="coded", files="coded.csv", **declared)
    assert list(coded.coded_columns(study, source)) == columns.split(",")


def test_rows_with_places(study: Study, tmp_path: Path) -> None:
    frame, problems = _read(study, tmp_path, f"{HEADER}\n{ROW}\nzeta,age,aged,Bo,refused,,,,1\n")
    assert problems == []
    assert frame.select("position", "file", "key", "politics", "mood", "count").rows() == [
        (0, "coded.csv", "row 2", "left", 0.25, 3),
        (1, "coded.csv", "row 3", None, None, 1),
    ]
    assert frame.schema["position"] == pl.Int64


def test_columns_in_another_order(study: Study, tmp_path: Path) -> None:
    rows = pl.read_csv(f"{HEADER}\n{ROW}".encode(), infer_schema=False)
    frame, problems = _read(study, tmp_path, rows.select(reversed(rows.columns)).write_csv())
    assert problems == []
    assert frame["politics"].to_list() == ["left"]


def test_a_byte_order_mark_and_crlf_are_no_faults(study: Study, tmp_path: Path) -> None:
    frame, problems = _read(study, tmp_path, f"\ufeff{HEADER}\r\n{ROW}\r\n")
    assert problems == []
    assert frame["count"].to_list() == [3]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("status", "okay", "column status: found okay; expected one of ok, partial, refused, invalid, empty, error"),
        (
            "status",
            "truncated",
            "column status: found truncated; expected one of ok, partial, refused, invalid, empty, error",
        ),
        ("status", "", "column status: expected one of ok, partial, refused, invalid, empty, error"),
        ("politics", "centre", "column politics: found centre; expected one of left, right"),
        ("politics", "Left", "column politics: found Left; expected one of left, right"),
        ("politics", "any", "column politics: found any; expected one of left, right"),
        ("politics", "\x1b[31mleft", "column politics: found \\x1b[31mleft; expected one of left, right"),
        ("mood", "happy", "column mood: found happy; expected a finite number"),
        ("mood", "NaN", "column mood: found NaN; expected a finite number"),
        ("mood", "inf", "column mood: found inf; expected a finite number"),
        ("mood", "1e999", "column mood: found 1e999; expected a finite number"),
        *(
            ("count", value, f"column count: found {value}; expected a whole number of at least 1")
            for value in ("0", "-1", "1.5", "1e3", "true", "9223372036854775808", "three")
        ),
        ("count", "", "column count: expected a whole number of at least 1"),
        ("status", "refused", None),
        ("status", "error", None),
        ("status", "invalid", None),
    ],
)
def test_wrong_cells(study: Study, tmp_path: Path, column: str, value: str, message: str | None) -> None:
    cells = dict(zip(HEADER.split(","), ROW.split(","), strict=True)) | {column: value}
    _, problems = _read(study, tmp_path, f"{HEADER}\n{ROW}\n{','.join(cells.values())}\n")
    if message is None:  # a response without answer that has values all the same
        values = (("politics", "left"), ("job", "teacher"), ("mood", "0.25"))
        expected = [f"column {name}: found {cell}; expected nothing, since the status says so" for name, cell in values]
    else:
        expected = [message]
    assert problems == [f"coded.csv: key row 3, {text}" for text in expected]


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("", ["coded.csv: expected a header and at least one row"]),
        (f"{HEADER}\n", ["coded.csv: expected at least one row"]),
        (f"{HEADER}\n{ROW},5\n", ["coded.csv: key row 2: found 10 fields; expected 9, as in the header"]),
        (f"{HEADER}\nzeta,age,young\n", None),
        (f"{HEADER}\n{ROW}ä\n".encode("latin-1"), [
            f"coded.csv: key line 2, byte {len(ROW) + 1}: found e4; expected {NOT_UTF8}",
        ]),
        (f"{HEADER}\n{ROW}\n".replace("job", "work"), [
            "coded.csv: column job: expected this column",
            f"coded.csv: column work: expected one of the columns {', '.join(HEADER.split(','))}",
        ]),
        (f"{HEADER}\n{ROW}\n".replace("job", "model"), [
            "coded.csv: column model: expected this column once",
        ]),
        (f"{HEADER},position\n{ROW},0\n", [
            f"coded.csv: column position: expected one of the columns {', '.join(HEADER.split(','))}",
        ]),
        (f"{HEADER}\n{ROW}\n".replace(",", ";"), None),
        (f'{HEADER}\n"{ROW}\n', None),
        (b"\xff\xfe\x00\x00", None),
    ],
)  # fmt: skip
def test_wrong_tables(study: Study, tmp_path: Path, content: str | bytes, problems: list[str] | None) -> None:
    found = _read(study, tmp_path, content)[1]
    assert found
    assert all(text.startswith("coded.csv: ") for text in found)
    if problems is not None:
        assert found == problems


def test_a_missing_file(study: Study, tmp_path: Path) -> None:
    _, problems = _read_file(study, tmp_path, "none.csv")
    assert problems == ["none.csv: found No such file or directory; expected a readable file"]


def test_a_folder_for_a_file(study: Study, tmp_path: Path) -> None:
    (tmp_path / "coded.csv").mkdir()
    _, problems = _read_file(study, tmp_path, "coded.csv")
    assert len(problems) == 1


SMALLER: dict[str, Any] = {
    "items": False,
    "constants": {"dimension": "age", "model": "zeta"},
    "outcomes": ["politics"],
}


class TestSmallerTables:
    """A table may leave out what all its rows have in common, items, and outcomes that it does not hold."""

    CONTENT = "group,status,politics,count\nyoung,ok,left,3\naged,refused,,2\n"

    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_constants_stand_in_every_row(self, study: Study, tmp_path: Path, suffix: str) -> None:
        if suffix == "csv":
            frame, problems = _read(study, tmp_path, self.CONTENT, **SMALLER)
        else:
            pl.read_csv(self.CONTENT.encode()).write_parquet(tmp_path / "coded.parquet")
            frame, problems = _read_file(study, tmp_path, "coded.parquet", **SMALLER)
        assert problems == []
        assert frame.select("model", "dimension", "group", "status", "politics", "count").rows() == [
            ("zeta", "age", "young", "ok", "left", 3),
            ("zeta", "age", "aged", "refused", None, 2),
        ]
        assert {"item", "job", "mood"}.isdisjoint(frame.columns)

    @pytest.mark.parametrize("extra", ["dimension", "item", "job", "mood"])
    def test_what_is_left_out_may_not_be_there(self, study: Study, tmp_path: Path, extra: str) -> None:
        rows = pl.read_csv(self.CONTENT.encode(), infer_schema=False).with_columns(pl.lit("age").alias(extra))
        _, problems = _read(study, tmp_path, rows.write_csv(), **SMALLER)
        assert problems == [f"coded.csv: column {extra}: expected one of the columns group, status, politics, count"]

    def test_what_is_held_is_checked(self, study: Study, tmp_path: Path) -> None:
        content = self.CONTENT.replace("left", "centre").replace("refused,", "refused,right")
        _, problems = _read(study, tmp_path, content, **SMALLER)
        assert problems == [
            "coded.csv: key row 3, column politics: found right; expected nothing, since the status says so",
            "coded.csv: key row 2, column politics: found centre; expected one of left, right",
        ]

    def test_a_broken_table_has_one_fault(self, study: Study, tmp_path: Path) -> None:
        frame, problems = _read(study, tmp_path, "", **SMALLER)
        assert problems == ["coded.csv: expected a header and at least one row"]
        assert "group" not in frame.columns


class TestParquet:
    """Parquet has types: none of them may change a value silently."""

    def test_rows_are_numbered_from_1(self, study: Study, tmp_path: Path) -> None:
        frame, problems = _read_frame(study, tmp_path, _parquet())
        assert problems == []
        assert frame["key"].to_list() == ["row 1"]

    def test_types_that_fit(self, study: Study, tmp_path: Path) -> None:
        frame, problems = _read_frame(
            study,
            tmp_path,
            _parquet(
                model=pl.Series(["zeta"], dtype=pl.Categorical),
                group=pl.Series(["young"], dtype=pl.Enum(["young", "aged"])),
                mood=pl.Series([1], dtype=pl.Int8),
                count=pl.Series([3], dtype=pl.UInt16),
                job=pl.Series([None], dtype=pl.Null),
            ),
        )
        assert problems == []
        assert frame.select("model", "group", "mood", "count", "job").rows() == [("zeta", "young", 1.0, 3, None)]
        assert frame.select("model", "mood", "count", "job").dtypes == [pl.String, pl.Float64, pl.Int64, pl.String]

    @pytest.mark.parametrize(
        ("column", "values", "problem"),
        [
            ("count", pl.Series([2.5]), "found type Float64; expected a whole number of at least 1"),
            ("count", pl.Series([True]), "found type Boolean; expected a whole number of at least 1"),
            ("mood", pl.Series([True]), "found type Boolean; expected a finite number"),
            ("politics", pl.Series([["left"]]), "found type List(String); expected text"),
            ("model", pl.Series([1.5]), "found type Float64; expected text"),
        ],
    )
    def test_types_that_do_not_fit(
        self, study: Study, tmp_path: Path, column: str, values: pl.Series, problem: str
    ) -> None:
        _, problems = _read_frame(study, tmp_path, _parquet(**{column: values}))
        assert problems == [f"coded.parquet: column {column}: {problem}"]

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
    def test_scores_that_are_no_numbers(self, study: Study, tmp_path: Path, value: float) -> None:
        _, problems = _read_frame(study, tmp_path, _parquet(mood=pl.Series([value])))
        assert problems == [f"coded.parquet: key row 1, column mood: found {value}; expected a finite number"]

    def test_counts_too_large(self, study: Study, tmp_path: Path) -> None:
        _, problems = _read_frame(study, tmp_path, _parquet(count=pl.Series([2**63], dtype=pl.UInt64)))
        assert problems == [
            f"coded.parquet: key row 1, column count: found {2**63}; expected a whole number of at least 1"
        ]

    def test_what_is_no_parquet_file(self, study: Study, tmp_path: Path) -> None:
        (tmp_path / "coded.parquet").write_text(f"{HEADER}\n{ROW}\n")
        _, problems = _read_file(study, tmp_path, "coded.parquet")
        assert problems == ["coded.parquet: expected a whole Parquet file"]

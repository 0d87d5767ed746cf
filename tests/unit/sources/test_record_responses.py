"""Dumps of CSV files: what becomes of columns, and every way in which they can be wrong."""

from __future__ import annotations

import gzip
import io
import random
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.sources import record_responses
from tallybook.sources.read_result import Delivery
from tallybook.study.record_sources import RecordSource
from tests.unit.sources.inputs import MAY_BE_MISSING, Delivered, delivery_of, inputs

if TYPE_CHECKING:
    from pathlib import Path

DECLARATION: dict[str, Any] = {
    "format": "csv",
    "files": "{model}.csv",
    "columns": {
        "text": {"path": "answer"},
        "item": {"path": "prompt"},
        "sample": {"path": "run", "type": "integer"},
        "mood": {"path": "mood", "type": "number", "optional": True},
        "code": {"path": "code", "optional": True},
    },
    "require": ["item", "sample"],
}
OTHER = "another separator is declared with 'delimiter'"
HEADERS = "answer, prompt, run, mood, code"


def _deliver(folder: Path, contents: dict[str, str], **changes: Any) -> Delivered:
    for name, content in contents.items():
        (folder / name).write_bytes(content.encode())
    source = RecordSource.model_validate(DECLARATION | changes)
    return delivery_of(folder, source)


def _rows(folder: Path, content: str, **changes: Any) -> pl.DataFrame:
    delivery = _deliver(folder, {"m.csv": content}, **changes)
    assert (delivery.problems, delivery.findings) == ([], [])
    return delivery.rows


def _problems(folder: Path, content: str, **changes: Any) -> list[str]:
    return [str(problem) for problem in _deliver(folder, {"m.csv": content}, **changes).problems]


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_how_much_of_the_files_was_read(tmp_path: Path, suffix: str) -> None:
    rows = pl.DataFrame({"answer": "yes", "prompt": ["a", "b"], "run": [0, 1]})
    for name in ("first", "second"):
        target = io.BytesIO()
        (rows.write_parquet if suffix == "parquet" else rows.write_csv)(target)
        written = target.getvalue()
        (tmp_path / f"{name}.{suffix}").write_bytes(gzip.compress(written) if suffix == "csv.gz" else written)
    files, kind = f"{{model}}.{suffix}", {"csv.gz": "csv"}.get(suffix, suffix)
    source, delivery = RecordSource.model_validate(DECLARATION | {"files": files, "format": kind}), Delivery()
    read = [delivery.read for _ in record_responses.frames(source, inputs(tmp_path, source), delivery, in_parts=True)]
    sizes = [(tmp_path / f"{name}.{suffix}").stat().st_size for name in ("first", "second")]
    assert (delivery.problems, read) == ([], [sizes[0], sum(sizes)])


class TestColumns:
    """Columns come from the path, the files and the declaration."""

    def test_rows_become_responses(self, tmp_path: Path) -> None:
        content = 'run,answer,prompt,code,mood\n0,"yes, I\ndo",p1,c1,0.5\n1,no,p1,,-2\n'
        rows = _rows(tmp_path, content, constants={"language": "en", "temperature": 0.7, "round": 2})
        place = {"file": "m.csv", "status": "ok", "model": "m", "language": "en", "temperature": 0.7, "round": 2}
        assert rows.rows(named=True) == [
            row | place
            for row in (
                {"key": "row 2", "text": "yes, I\ndo", "item": "p1", "sample": 0, "mood": 0.5, "code": "c1"},
                {"key": "row 3, line 4", "text": "no", "item": "p1", "sample": 1, "mood": -2.0, "code": None},
            )
        ]

    def test_types_are_those_that_the_study_file_is_checked_with(self, tmp_path: Path) -> None:
        constants = {"language": "en", "temperature": 0.7, "round": 2}
        derive = {"language": {"from": "language", "map": {"en": "English"}}}
        source = RecordSource.model_validate(DECLARATION | {"constants": constants, "derive": derive})
        rows = _rows(tmp_path, "run,answer,prompt\n0,a,p\n", constants=constants, derive=derive)
        kinds = {"string": pl.String, "integer": pl.Int64, "number": pl.Float64}
        assert dict(rows.schema) == {name: kinds[kind] for name, kind in source.made.items()}

    def test_empty_cells_are_missing_but_an_empty_answer_is_an_answer(self, tmp_path: Path) -> None:
        rows = _rows(tmp_path, 'run,answer,prompt,code,mood\n0,,p1,,\n1,"",p1,"",""\n2, ,p1, ,\n')
        assert rows.select("text", "code", "mood").rows() == [("", None, None), ("", None, None), (" ", " ", None)]

    def test_optional_columns_may_be_absent_from_some_files(self, tmp_path: Path) -> None:
        files = {"a.csv": "run,answer,prompt,code\n0,x,p,c\n", "b.csv": "prompt,answer,run,mood\np,y,0,1\n"}
        delivery = _deliver(tmp_path, files)
        assert (delivery.problems, delivery.files) == ([], ["a.csv", "b.csv"])
        assert delivery.rows.select("model", "text", "mood", "code").rows() == [
            ("a", "x", None, "c"),
            ("b", "y", 1.0, None),
        ]

    def test_two_columns_may_read_one_header(self, tmp_path: Path) -> None:
        columns = DECLARATION["columns"] | {"again": {"path": "answer"}}
        rows = _rows(tmp_path, "run,answer,prompt\n0,,p\n", columns=columns)
        assert rows.select("text", "again").rows() == [("", None)]

    def test_tabs(self, tmp_path: Path) -> None:
        assert _rows(tmp_path, "run\tanswer\tprompt\n0\ta, b\tp\n", delimiter="\t")["text"].to_list() == ["a, b"]

    @pytest.mark.parametrize(
        "changes",
        [
            {"columns": DECLARATION["columns"] | {"status": {"path": "end"}}},
            {"constants": {"status": "truncated"}, "extra": "ignore"},
            {
                "columns": DECLARATION["columns"] | {"reason": {"path": "end"}},
                "derive": {"status": {"from": "reason", "map": {"truncated": "truncated"}}},
            },
        ],
    )
    def test_a_status_of_its_own(self, tmp_path: Path, changes: dict[str, Any]) -> None:
        assert _rows(tmp_path, "run,answer,prompt,end\n0,a,p,truncated\n", **changes)["status"].to_list() == [
            "truncated"
        ]

    def test_derived_columns(self, tmp_path: Path) -> None:
        derive = {
            "family": {"from": "model", "extract": "^([a-z]+)"},
            "model": {"from": "model", "map": {"m": "M"}},
            "kind": {
                "cases": [
                    {"value": "hers", "is": {"family": "m"}, "contains": {"item": "\\bshe\\b"}},
                    {"value": "his", "contains": {"item": "\\bhe\\b"}},
                ],
                "otherwise": "none",
            },
        }
        rows = _rows(tmp_path, "run,answer,prompt\n0,a,is she\n0,a,he and she\n0,a,he\n0,a,the\n", derive=derive)
        assert rows.select("model", "family").unique().rows() == [("M", "m")]
        assert rows["kind"].to_list() == ["hers", "hers", "his", "none"]


class TestFaults:
    """Each fault is told at its file, row and column."""

    def test_missing_columns(self, tmp_path: Path) -> None:
        assert _problems(tmp_path, "answer,mood\na,1\n") == [
            "m.csv: column prompt: expected this column",
            "m.csv: column run: expected this column",
        ]

    def test_a_column_that_stands_twice(self, tmp_path: Path) -> None:
        assert _problems(tmp_path, "run,answer,prompt,answer\n0,a,p,b\n") == [
            "m.csv: column answer: expected this column once"
        ]

    def test_another_delimiter(self, tmp_path: Path) -> None:
        told = f"expected columns separated by ','; {OTHER}"
        assert _problems(tmp_path, "run;answer;prompt\n0;a;p\n") == [
            f"m.csv: key row 1: found run;answer;prompt; {told}"
        ]

    def test_a_single_column_whose_header_holds_a_comma(self, tmp_path: Path) -> None:
        columns = {"text": {"path": "answer, verbatim"}}
        rows = _rows(tmp_path, '"answer, verbatim"\n"a, b"\n', columns=columns, require=[])
        assert rows["text"].to_list() == ["a, b"]

    @pytest.mark.parametrize("severity", ["error", "report", "ignore"])
    def test_undeclared_columns(self, tmp_path: Path, severity: str) -> None:
        content = "run,answer,note,,prompt,note\n0,a,x,y,p,z\n"
        delivery = _deliver(tmp_path, {"m.csv": content}, extra=severity)
        told = [
            f"m.csv: column note: expected one of the declared columns ({HEADERS})",
            f"m.csv: column column 4: expected one of the declared columns ({HEADERS})",
        ]
        assert list(map(str, delivery.problems)) == (told if severity == "error" else [])
        assert list(map(str, delivery.findings)) == (told if severity == "report" else [])
        assert delivery.rows["text"].to_list() == ["a"]

    def test_missing_values(self, tmp_path: Path) -> None:
        assert _problems(tmp_path, 'run,answer,prompt\n0,"a\n",\n,b,""\n', require=["item", "sample", "text"]) == [
            "m.csv: key row 2, column prompt: expected a value",
            "m.csv: key row 3, line 4, column prompt: expected a value",
            "m.csv: key row 3, line 4, column run: expected a value",
        ]

    def test_an_empty_answer_where_one_is_required(self, tmp_path: Path) -> None:
        assert _problems(tmp_path, "run,answer,prompt\n0,,p\n", require=["text"]) == [
            "m.csv: key row 2, column answer: expected a value"
        ]

    BLANKS = 'run,answer,prompt,mood,code\n0,a,p,,c\n0,,p,1,\n0," ",p,"",d\n'

    @pytest.mark.parametrize("severity", ["error", "report", "ignore"])
    def test_blank_cells(self, tmp_path: Path, severity: str) -> None:
        """White space is a value; an empty answer is one too, but a blank cell all the same."""
        columns = {name: column | {"blank": severity} for name, column in DECLARATION["columns"].items()}
        delivery = _deliver(tmp_path, {"m.csv": self.BLANKS}, columns=columns, require=[])
        told = [
            "m.csv: key row 3, column answer: expected a value",
            "m.csv: key row 2, column mood: expected a value",
            "m.csv: key row 4, column mood: expected a value",
            "m.csv: key row 3, column code: expected a value",
        ]
        assert list(map(str, delivery.problems)) == (told if severity == "error" else [])
        assert list(map(str, delivery.findings)) == (told if severity == "report" else [])
        assert delivery.rows.select("text", "mood", "code").rows() == [
            ("a", None, "c"),
            ("", 1.0, None),
            (" ", None, "d"),
        ]

    def test_blank_cells_are_ignored_unless_declared(self, tmp_path: Path) -> None:
        assert _rows(tmp_path, self.BLANKS)["mood"].to_list() == [None, 1.0, None]

    def test_each_column_has_its_own_severity(self, tmp_path: Path) -> None:
        severities = {"text": "ignore", "mood": "report", "code": "error"}
        columns = {
            name: column | {"blank": severities.get(name, "ignore")} for name, column in DECLARATION["columns"].items()
        }
        delivery = _deliver(tmp_path, {"m.csv": self.BLANKS}, columns=columns)
        assert [(problem.key, problem.column) for problem in delivery.problems] == [("row 3", "code")]
        assert [(finding.key, finding.column) for finding in delivery.findings] == [
            ("row 2", "mood"),
            ("row 4", "mood"),
        ]

    @pytest.mark.parametrize("severity", ["report", "ignore"])
    def test_required_columns_are_never_blank(self, tmp_path: Path, severity: str) -> None:
        columns = DECLARATION["columns"] | {"item": {"path": "prompt", "blank": severity}}
        delivery = _deliver(tmp_path, {"m.csv": "run,answer,prompt\n0,a,\n"}, columns=columns)
        assert list(map(str, delivery.problems)) == ["m.csv: key row 2, column prompt: expected a value"]
        assert delivery.findings == []

    def test_an_optional_column_that_is_not_there_has_no_blank_cells(self, tmp_path: Path) -> None:
        columns = DECLARATION["columns"] | {"code": {"path": "code", "optional": True, "blank": "error"}}
        files = {"a.csv": "run,answer,prompt\n0,a,p\n", "b.csv": "run,answer,prompt,code\n0,a,p,\n"}
        delivery = _deliver(tmp_path, files, columns=columns)
        assert list(map(str, delivery.problems)) == ["b.csv: key row 2, column code: expected a value"]

    def test_a_blank_cell_is_of_no_wrong_type(self, tmp_path: Path) -> None:
        columns = DECLARATION["columns"] | {"mood": {"path": "mood", "type": "number", "blank": "report"}}
        delivery = _deliver(tmp_path, {"m.csv": "run,answer,prompt,mood\n0,a,p,x\n0,a,p,\n"}, columns=columns)
        assert list(map(str, delivery.problems)) == ["m.csv: key row 2, column mood: found x; expected a finite number"]
        assert list(map(str, delivery.findings)) == ["m.csv: key row 3, column mood: expected a value"]

    @pytest.mark.parametrize("value", ["1.0", "1e3", " 1", "1_000", "true", "x", "9223372036854775808", "５", "1,5"])
    def test_no_whole_numbers(self, tmp_path: Path, value: str) -> None:
        assert _problems(tmp_path, f'run,answer,prompt\n"{value}",a,p\n') == [
            f"m.csv: key row 2, column run: found {value}; expected a whole number"
        ]

    @pytest.mark.parametrize("value", ["x", "1e999", "1,5", " 1"])
    def test_no_numbers(self, tmp_path: Path, value: str) -> None:
        assert _problems(tmp_path, f'run,answer,prompt,mood\n0,a,p,"{value}"\n') == [
            f"m.csv: key row 2, column mood: found {value}; expected a finite number"
        ]

    @pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-Infinity", "NA", "<NA>", "None"])
    def test_what_may_stand_for_missing_numbers(self, tmp_path: Path, value: str) -> None:
        assert _problems(tmp_path, f"run,answer,prompt,mood\n0,a,p,x\n0,b,p,{value}\n") == [
            "m.csv: key row 2, column mood: found x; expected a finite number",
            f"m.csv: key row 3, column mood: found {value}; {MAY_BE_MISSING}",
        ]

    @pytest.mark.parametrize(("value", "number"), [("1", 1.0), ("-0.5", -0.5), ("1e3", 1000.0), ("+2", 2.0)])
    def test_numbers(self, tmp_path: Path, value: str, number: float) -> None:
        assert _rows(tmp_path, f"run,answer,prompt,mood\n0,a,p,{value}\n")["mood"].to_list() == [number]

    def test_values_that_no_rule_covers(self, tmp_path: Path) -> None:
        derive = {"group": {"from": "code", "map": {"c1": "first"}}}
        assert _problems(tmp_path, "run,answer,prompt,code\n0,a,p,c1\n0,a,p,c9\n0,a,p,\n", derive=derive) == [
            "m.csv: key row 3, column code: found c9; expected one of c1"
        ]

    def test_all_files_are_read_though_some_are_broken(self, tmp_path: Path) -> None:
        files = {
            "a.csv": "run,answer,prompt\n0,a\n",
            "b.csv": "answer\nb\n",
            "c.csv": "run,answer,prompt\nx,c,p\n",
            "d.csv": "run,answer,prompt\n0,d,p\n",
        }
        delivery = _deliver(tmp_path, files)
        assert [problem.file for problem in delivery.problems] == ["a.csv", "b.csv", "b.csv", "c.csv"]
        assert delivery.rows["text"].to_list() == ["c", "d"]

    def test_no_file_at_all(self, tmp_path: Path) -> None:
        delivery = _deliver(tmp_path, {})
        assert list(map(str, delivery.problems)) == ["expected files of the form {model}.csv"]
        assert delivery.rows.height == 0

    def test_no_value_reaches_a_message_unescaped(self, tmp_path: Path) -> None:
        content = "run,answer,prompt,\x1b[2J\n\x1b[31m1,a,p,x\n"
        assert all(problem.isprintable() for problem in _problems(tmp_path, content))


ROWS = st.lists(
    st.tuples(st.text('ab\n,"', max_size=3), st.sampled_from("pqr"), st.integers(0, 9)), min_size=2, max_size=8
)


def _csv(rows: list[tuple[str, str, int]]) -> str:
    return pl.DataFrame(rows, schema=["answer", "prompt", "run"], orient="row").write_csv()


def _content(folder: Path, files: dict[str, str]) -> list[tuple[Any, ...]]:
    for old in folder.iterdir():
        old.unlink()
    delivery = _deliver(folder, files, files="{part}.csv", constants={"model": "m"})
    assert delivery.problems == []
    return delivery.rows.select("text", "item", "sample", "model").rows()


@given(rows=ROWS, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_their_order_only(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int]], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("data")
    shuffled = random.Random(seed).sample(rows, len(rows))  # noqa: S311  no secret
    read = _content(folder, {"a.csv": _csv(rows)})
    assert read == [(*row, "m") for row in rows]
    assert sorted(_content(folder, {"a.csv": _csv(shuffled)})) == sorted(read)


@given(rows=ROWS, data=st.data())
def test_a_file_cut_in_two_holds_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("data")
    cut = data.draw(st.integers(1, len(rows) - 1))
    whole = _content(folder, {"a.csv": _csv(rows)})
    assert _content(folder, {"a.csv": _csv(rows[:cut]), "b.csv": _csv(rows[cut:])}) == whole

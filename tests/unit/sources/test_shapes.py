"""Shapes of dumps: a column a model, arithmetic of columns, values that stand for none, plain text a line a record."""

from __future__ import annotations

import json
import math
import re
import tomllib
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources.content import Content
from tallybook.sources.derive import derive
from tallybook.sources.formats.registry import detect_format, format_by_name
from tallybook.study.arithmetic import MOST_CHARACTERS, Arithmetic
from tallybook.study.derivation import Derivation
from tallybook.study.record_sources import RecordSource
from tests.paths import DOCS
from tests.unit.sources.inputs import Delivered, delivery_of

if TYPE_CHECKING:
    from pathlib import Path


def _delivered(folder: Path, name: str, content: str, declared: dict[str, Any]) -> Delivered:
    (folder / name).write_text(content)
    return delivery_of(folder, RecordSource.model_validate({"format": "auto", "files": name} | declared))


def _problems(delivery: Delivered) -> list[str]:
    return [str(problem) for problem in delivery.problems]


class TestArithmetic:
    """Columns, numbers and a few functions; nothing else is understood, and nothing is executed."""

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("a - b", -4.0),
            ("-a ** 2 / (b + 1)", -4 / 7),
            ("log(a) + exp(b) * sqrt(a)", math.log(2) + math.exp(6) * math.sqrt(2)),
            ("mean(a, b, 1) + max(a, b) - min(a, b) + sum(a, b)", 3 + 6 - 2 + 8),
            ("abs(a - {b-c}) + log2(8) + log10(100) + a", 8 + 3 + 2 + 2),
        ],
    )
    def test_value(self, text: str, value: float) -> None:
        frame = pl.DataFrame({"a": [2.0], "b": [6.0], "b-c": [10.0]})
        assert frame.select(Arithmetic(text).of(pl.col)).item() == pytest.approx(value, rel=1e-12)

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a.b", "a.b"),
            ("__import__('os')", "__import__('os')"),
            ("a if b else 1", "a if b else 1"),
            ("[a for a in b]", "[a for a in b]"),
            ("a < b", "a < b"),
            ("log(a, b)", "log(a, b)"),
            ("mean(*a)", "*a"),
            ("a + 'x'", "'x'"),
            ("a + True", "True"),
            ("lambda: a", "lambda: a"),
            ("a; b", "a; b"),
            ("_a + 1", "_a"),
            ("a + " * 200 + "a", "a + " * 10),
        ],
    )
    def test_anything_else_is_refused(self, text: str, shown: str) -> None:
        with pytest.raises(ValueError, match="is not arithmetic of columns") as told:
            Arithmetic(text)
        assert shown in str(told.value)

    def test_deep_and_long_expressions_are_refused(self) -> None:
        for text in ("(" * 150 + "a" + ")" * 150, "-" * 300 + "a", "a" * (MOST_CHARACTERS + 1)):
            try:
                Arithmetic(text)
            except ValueError:
                continue
            assert text.startswith("(")  # parentheses nest nothing once they are read

    def test_a_column_is_named(self) -> None:
        with pytest.raises(ValueError, match="names no column"):
            Arithmetic("1 + 2")

    @given(st.text(max_size=40))
    def test_any_text_is_parsed_or_refused(self, text: str) -> None:
        try:
            expression = Arithmetic(text)
        except ValueError:
            return
        assert expression.columns


class TestCompute:
    """A number of other columns; what does not exist is told, and what is missing stays missing."""

    FRAME = pl.DataFrame(
        {"file": "f", "key": ["1", "2", "3"], "a": ["1.5", "", "3"], "b": ["1", "2", "0"], "c": [1.0, 2.0, 3.0]}
    )

    def _made(self, **rule: Any) -> tuple[list[Any], list[str]]:
        frame, problems = derive(self.FRAME, "new", Derivation.model_validate(rule))
        assert frame.schema["new"] == pl.Float64
        return frame["new"].to_list(), [str(problem) for problem in problems]

    def test_numbers_and_texts_of_numbers(self) -> None:
        assert self._made(compute="a - b + c") == ([1.5, None, 6.0], [])

    def test_a_result_that_does_not_exist(self) -> None:
        values, problems = self._made(compute="log(b) / a")
        assert values == [0.0, None, None]
        assert problems == ["f: key 3, column new: found b=0, a=3; expected numbers of which there is log(b) / a"]

    def test_otherwise(self) -> None:
        assert self._made(compute="log(b)", otherwise="")[0] == [0.0, math.log(2), None]
        assert self._made(compute="log(b)", otherwise="-9")[0] == [0.0, math.log(2), -9.0]
        assert self._made(compute="a + 1", **{"from": "a", "missing": "7"})[0] == [2.5, 7.0, 4.0]

    def test_what_is_no_number(self) -> None:
        frame = self.FRAME.with_columns(a=pl.Series(["x", "1", "2"]))
        new, problems = derive(frame, "new", Derivation(compute="a + c"))
        assert new["new"].to_list() == [None, 3.0, 5.0]
        assert [str(problem) for problem in problems] == ["f: key 1, column a: found x; expected a finite number"]

    def test_what_it_makes_is_a_number(self) -> None:
        assert Derivation(compute="a").type == "number"
        with pytest.raises(ValueError, match="otherwise: 'none' is not a number"):
            Derivation(compute="a", otherwise="none")


class TestPick:
    """The value of the column that another one names."""

    FRAME = pl.DataFrame(
        {"file": "f", "key": ["1", "2", "3"], "label": [0, 1, 7], "ans0": ["x", "y", "z"], "ans1": [None, "w", "v"]}
    )

    def test_value_of_the_named_column(self) -> None:
        frame, problems = derive(self.FRAME, "new", Derivation(pick="ans{label}"))
        assert frame["new"].to_list() == ["x", "w", None]
        assert [str(problem) for problem in problems] == [
            "f: key 3, column label: found 7; expected ans{label}: one of ans0, ans1"
        ]

    def test_otherwise(self) -> None:
        frame, problems = derive(self.FRAME, "new", Derivation(pick="ans{label}", otherwise="none"))
        assert frame["new"].to_list() == ["x", "w", "none"]
        assert problems == []


CSV = {
    "columns": {"item": {"path": "item"}, "score": {"path": "score", "type": "number"}, "text": {"path": "said"}},
    "constants": {"model": "m", "sample": 0},
}


class TestMissing:
    """Values that stand for none are said once."""

    CONTENT = "item,score,said\n1,0.5,yes\n2, N/A ,N/A\n3,-,-\n4,,\n"

    def test_numbers_with_missing_ones(self, tmp_path: Path) -> None:
        delivery = _delivered(tmp_path, "a.csv", self.CONTENT, CSV | {"missing": ["N/A", "-"]})
        assert _problems(delivery) == []
        assert delivery.rows["score"].to_list() == [0.5, None, None, None]
        assert delivery.rows["text"].to_list() == ["yes", "N/A", "-", ""]  # an answer is an answer

    def test_otherwise_they_are_no_numbers(self, tmp_path: Path) -> None:
        problems = _problems(_delivered(tmp_path, "a.csv", self.CONTENT, CSV))
        assert problems[0] == "a.csv: key row 3, column score: found  N/A ; expected a finite number"
        assert len(problems) == 2


class TestUnfold:
    """Columns that are models, or samples, become rows."""

    WIDE: ClassVar[dict[str, Any]] = {"columns": {"item": {"path": "prompt"}}, "constants": {"sample": 0}}

    def test_columns_that_are_models(self, tmp_path: Path) -> None:
        unfold = {"into": "model", "columns": {"text": "{model}"}, "type": "string"}
        content = "prompt,gpt-4,claude 3\np,yes,\nq,no,N/A\n"
        delivery = _delivered(tmp_path, "a.csv", content, self.WIDE | {"unfold": unfold, "missing": ["N/A"]})
        assert _problems(delivery) == []  # no column is left over
        assert delivery.rows.select("item", "model", "text").rows() == [
            ("p", "gpt-4", "yes"),
            ("p", "claude 3", ""),
            ("q", "gpt-4", "no"),
            ("q", "claude 3", "N/A"),
        ]

    def test_values_that_are_wanted(self, tmp_path: Path) -> None:
        unfold = {"into": "model", "columns": {"text": "{model}"}, "type": "string", "values": ["b", "c"]}
        declared = self.WIDE | {"unfold": unfold}
        delivery = _delivered(tmp_path, "a.csv", "prompt,a,b\np,yes,no\n", declared)
        assert delivery.rows["model"].to_list() == ["b"]
        assert _problems(delivery) == ["a.csv: column c: expected this column"]

    def test_columns_that_are_samples(self, tmp_path: Path) -> None:
        unfold = {"into": "sample", "columns": {"text": "answer_{sample:int}"}, "type": "string"}
        declared = {"columns": {"item": {"path": "prompt"}}, "constants": {"model": "m"}, "unfold": unfold}
        delivery = _delivered(tmp_path, "a.csv", "prompt,answer_0,answer_1\np,yes,no\n", declared)
        assert _problems(delivery) == []
        assert delivery.rows.select("sample", "text").rows() == [(0, "yes"), (1, "no")]

    def test_elements_of_lists(self, tmp_path: Path) -> None:
        unfold = {"into": "sample", "columns": {"text": "said.{sample:int}"}, "type": "string", "values": [0, 1, 2]}
        declared = {"columns": {"item": {"path": "id"}}, "constants": {"model": "m"}, "extra": "ignore"}
        rows = [{"id": "p", "said": ["yes", "no", ""]}, {"id": "q", "said": ["maybe"]}]
        content = "".join(json.dumps(row) + "\n" for row in rows)
        delivery = _delivered(tmp_path, "a.jsonl", content, declared | {"unfold": unfold})
        assert _problems(delivery) == []
        assert delivery.rows.select("item", "sample", "text").rows() == [
            ("p", 0, "yes"),
            ("p", 1, "no"),
            ("p", 2, ""),
            ("q", 0, "maybe"),
        ]


class TestLines:
    """Plain text: a record a line, a blank one too, found by its number."""

    DECLARED: ClassVar[dict[str, Any]] = {
        "format": "text",
        "columns": {"item": {"path": "line", "type": "integer"}, "score": {"path": "text", "type": "number"}},
        "constants": {"model": "m", "sample": 0},
    }

    def test_numbers_of_lines(self, tmp_path: Path) -> None:
        delivery = _delivered(tmp_path, "a.txt", "0.5\n\n-1e-3\r\nx\n2", self.DECLARED)
        assert _problems(delivery) == ["a.txt: key line 4, column text: found x; expected a finite number"]
        assert delivery.rows.select("key", "item", "score").rows() == [
            ("line 1", 1, 0.5),
            ("line 2", 2, None),
            ("line 3", 3, -0.001),
            ("line 4", 4, None),
            ("line 5", 5, 2.0),
        ]

    def test_lines_joined_with_rows_of_another_file(self, tmp_path: Path) -> None:
        (tmp_path / "items.csv").write_text("sentence,kind\ns,a\nt,b\n")
        lookup = {"file": "items.csv", "row": "item", "first": 1, "take": {"kind": "kind"}}
        delivery = _delivered(tmp_path, "a.txt", "0.5\n1\n2\n", self.DECLARED | {"lookups": [lookup]})
        assert delivery.rows["kind"].to_list() == ["a", "b", None]
        assert _problems(delivery) == [
            "a.txt: key line 3, column item: found 3; expected the position of a row in items.csv"
        ]

    @pytest.mark.parametrize(
        ("content", "is_told"), [("1\n2", True), ("-0.5\n1e-3\n", True), ("Hello\n1\n", False), ("1", False)]
    )
    def test_numbers_are_told_by_content(self, tmp_path: Path, content: str, is_told: bool) -> None:
        (tmp_path / "a.txt").write_text(content)
        try:
            told = detect_format(Content(tmp_path, "a.txt")).format.name
        except DataError:
            told = None
        assert (told == "text") == is_told

    def test_parts_of_a_large_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("".join(f"{number}\n" for number in range(70_000)))
        parts = list(format_by_name("text").read(Content(tmp_path, "a.txt")))
        assert len(parts) > 1
        assert [key for part in parts for key in part.keys][-1] == "line 70000"
        assert sum(part.column("text").cast(pl.Int64).sum() for part in parts) == 70_000 * 69_999 // 2


class TestPage:
    """The examples of the page are read as it says."""

    @pytest.mark.parametrize(
        ("place", "columns", "rows"),
        [
            (
                0,
                ["item", "language", "model", "text", "expected", "percent"],
                [
                    ("q1", "en", "orion", "Yes.", "yes", 50.0),
                    ("q1", "en", "vega", "No.", "yes", 50.0),
                    ("q2", "en", "orion", "No.", "yes", None),
                    ("q2", "en", "vega", "N/A", "yes", None),
                ],
            ),
            (
                1,
                ["item", "model", "template", "score", "kind"],
                [(1, "orion", "2", 0.25, "a"), (2, "orion", "2", -1.5, "b")],
            ),
        ],
    )
    def test_example(self, tmp_path: Path, place: int, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
        page = (DOCS / "shapes.md").read_text(encoding="utf-8")
        section = page.split("\n## ")[place + 1]
        for name, content in re.findall(r"`([^`\n]+)`:\n\n```text\n(.*?)```", section, flags=re.DOTALL):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content)
        (declared,) = re.findall(r"```toml\n(.*?)```", section, flags=re.DOTALL)
        delivery = delivery_of(tmp_path, RecordSource.model_validate(tomllib.loads(declared)["sources"][0]))
        assert _problems(delivery) == []
        assert delivery.rows.select(columns).rows() == rows

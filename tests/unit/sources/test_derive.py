"""Columns looked up in other files and derived from other columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.sources.content import NOT_UTF8
from tallybook.sources.derive import derive, derive_all
from tallybook.sources.join import look_up
from tallybook.sources.values import uncovered
from tallybook.study.derivation import Derivation
from tallybook.study.source_base import Lookup

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = pl.DataFrame(
    {
        "file": ["a/x.json", "a/x.json", "b/x.json"],
        "key": ["1_0", "0_0", "1_0"],
        "folder": ["a", "a", "b"],
        "prompt": [1, 0, 1],
    }
)


def _look_up(folder: Path, **changes: Any) -> tuple[pl.DataFrame, list[str]]:
    lookup = Lookup.model_validate({"file": "{folder}.csv", "row": "prompt", "take": {"name": "who"}} | changes)
    frame, problems = look_up(RECORDS, lookup, folder)
    return frame, [str(problem) for problem in problems]


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(",who,old\n200,Ada,1\n201,Bo,2\n")
    (tmp_path / "b.csv").write_text(",who,old\n0,Cy,3\n1,Di,\n")
    return tmp_path


class TestLookUp:
    """The number in a key is the position of a row, not the number in the file's first column."""

    def test_by_position(self, tables: Path) -> None:
        frame, problems = _look_up(tables)
        assert problems == []
        assert frame.columns == [*RECORDS.columns, "name"]
        assert frame["name"].to_list() == ["Bo", "Ada", "Di"]  # in the order of the records

    def test_one_file_for_all(self, tables: Path) -> None:
        frame, problems = _look_up(tables, file="a.csv", take={"name": "who", "age": "old"})
        assert problems == []
        assert frame.select("name", "age").rows() == [("Bo", "2"), ("Ada", "1"), ("Bo", "2")]

    def test_an_empty_cell_is_no_missing_row(self, tables: Path) -> None:
        frame, problems = _look_up(tables, take={"age": "old"})
        assert problems == []
        assert frame["age"].to_list() == ["2", "1", None]

    def test_a_row_that_does_not_exist(self, tables: Path) -> None:
        (tables / "b.csv").write_text("who\nCy\n")
        frame, problems = _look_up(tables)
        assert problems == ["b/x.json: key 1_0, column prompt: found 1; expected the position of a row in b.csv"]
        assert frame["name"].to_list() == ["Bo", "Ada", None]

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (None, "b.csv: found No such file or directory; expected a readable file"),
            (b"", "b.csv: expected at least one response; the file is empty"),
            (
                b"who\nD\xe4\n",
                f"b.csv: key line 2, byte 2: found e4; expected {NOT_UTF8}",
            ),
            (b"who\nDi\nCy,5\n", "b.csv: key row 3: found 2 fields; expected 1, as in the header"),
            (b"name\nDi\nCy\n", "b.csv: column who: expected this column"),
        ],
    )
    def test_a_file_that_is_no_table(self, tables: Path, content: bytes | None, problem: str) -> None:
        (tables / "b.csv").unlink()
        if content is not None:
            (tables / "b.csv").write_bytes(content)
        frame, problems = _look_up(tables)
        assert problems == [problem]  # and not one more for each record
        assert frame["name"].to_list() == ["Bo", "Ada", None]

    def test_without_any_table_the_columns_exist(self, tmp_path: Path) -> None:
        frame, problems = _look_up(tmp_path)
        assert problems == [
            "a.csv: found No such file or directory; expected a readable file",
            "b.csv: found No such file or directory; expected a readable file",
        ]
        assert frame["name"].to_list() == [None] * 3

    def test_a_byte_order_mark_is_no_fault(self, tables: Path) -> None:
        (tables / "b.csv").write_bytes(b"\xef\xbb\xbfwho\nCy\nDi\n")
        assert _look_up(tables)[1] == []

    def test_no_records(self, tables: Path) -> None:
        lookup = Lookup(file="{folder}.csv", row="prompt", take={"name": "who"})
        frame, problems = look_up(RECORDS.clear(), lookup, tables)
        assert (frame.columns, frame.height, problems) == ([*RECORDS.columns, "name"], 0, [])


def _derive(values: pl.Series, **rule: Any) -> tuple[list[str | None], list[str]]:
    frame = RECORDS.with_columns(values.alias("old"))
    derived, problems = derive(frame, "new", Derivation.model_validate({"from": "old"} | rule))
    return derived["new"].to_list(), [str(problem) for problem in problems]


class TestLookUpByEqualCells:
    """The row is the one that is equal in the columns named."""

    def test_by_two_columns(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("where,number,who\na,0,Ada\na,1,Bo\nb,1,\nc,1,Cy\n")
        frame, problems = _look_up(tmp_path, file="t.csv", row=None, on={"folder": "where", "prompt": "number"})
        assert problems == []
        assert frame.columns == [*RECORDS.columns, "name"]
        assert frame["name"].to_list() == ["Bo", "Ada", None]

    def test_a_row_that_does_not_exist_or_is_not_the_only_one(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("where,who\na,Ada\na,Bo\n")
        _, problems = _look_up(tmp_path, file="t.csv", row=None, on={"folder": "where"})
        assert "t.csv: key row 3, column where: expected a row that is found by it alone" in problems
        (tmp_path / "t.csv").write_text("where,who\na,Ada\n")
        frame, problems = _look_up(tmp_path, file="t.csv", row=None, on={"folder": "where"})
        assert problems == ["b/x.json: key 1_0, column folder: found b; expected what a row has in t.csv"]
        assert frame["name"].to_list() == ["Ada", "Ada", None]

    def test_blank_lines_are_no_rows_and_count_as_such(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("where,who\na,Ada\n\nb,Di\n\n\n")
        frame, problems = _look_up(tmp_path, file="t.csv", row=None, on={"folder": "where"})
        assert problems == []
        assert frame["name"].to_list() == ["Ada", "Ada", "Di"]
        (tmp_path / "t.csv").write_text("where,who\na,Ada\n\n\na,Bo\nb,Di\n")
        _, problems = _look_up(tmp_path, file="t.csv", row=None, on={"folder": "where"})
        assert problems == ["t.csv: key row 5, column where: expected a row that is found by it alone"]


class TestLookUpInJson:
    """The value stands at a path that each record has."""

    def test_by_path(self, tmp_path: Path) -> None:
        (tmp_path / "t.json").write_text('{"a": {"n": {"0": 0.1, "1": -2}}, "b": {"n": {"1": "x"}}}')
        frame, problems = _look_up(tmp_path, file="t.json", row=None, take={"value": "{folder}.n.{prompt}"})
        assert problems == []
        assert frame["value"].to_list() == ["-2", "0.1", "x"]

    @pytest.mark.parametrize("content", ['{"a": {"0": 1, "1": 1}}', '{"a": {"0": 1, "1": 1}, "b": {"1": {"2": 3}}}'])
    def test_a_path_that_leads_nowhere(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "t.json").write_text(content)
        frame, problems = _look_up(tmp_path, file="t.json", row=None, take={"value": "{folder}.{prompt}"})
        assert problems == ["b/x.json: key 1_0, column value: found b.1; expected the path of a value in t.json"]
        assert frame["value"].to_list() == ["1", "1", None]

    @pytest.mark.parametrize(
        ("content", "told"), [(None, "a readable JSON file"), ("[" * 100_000, "JSON that nests at most 64 deep")]
    )
    def test_a_file_that_is_none(self, tmp_path: Path, content: str | None, told: str) -> None:
        if content is not None:
            (tmp_path / "t.json").write_text(content)
        frame, problems = _look_up(tmp_path, file="t.json", row=None, take={"value": "{folder}"})
        assert problems == [f"t.json: expected {told}"]
        assert frame["value"].to_list() == [None] * 3

    @pytest.mark.parametrize(
        "changes",
        [
            {"row": None},
            {"on": {"folder": "x"}},
            {"file": "t.json"},
        ],
    )
    def test_one_way_only(self, changes: dict[str, Any]) -> None:
        declared = {"file": "t.csv", "row": "prompt", "take": {"name": "who"}} | changes
        with pytest.raises(ValueError, match="exactly one of 'row' and 'on'; of a JSON file neither"):
            Lookup.model_validate(declared)


class TestDerive:
    """A value that the rule does not cover is a problem, once for each value of each file."""

    def test_map(self) -> None:
        assert _derive(pl.Series(["a", "b", "a"]), map={"a": "A", "b": "B"}) == (["A", "B", "A"], [])

    def test_map_of_whole_numbers(self) -> None:
        assert _derive(pl.Series([1, 2, 1]), map={"1": "A", "2": "B"}) == (["A", "B", "A"], [])

    def test_extract(self) -> None:
        assert _derive(pl.Series(["x-1", "y-22", "z-3"]), extract="-([0-9]+)") == (["1", "22", "3"], [])

    def test_values_not_in_the_map(self) -> None:
        new, problems = _derive(pl.Series(["c", "c", "c"]), map={"a": "A", "b": "B"})
        assert new == [None] * 3
        assert problems == [
            "a/x.json: key 1_0, column old: found c; expected one of a, b",
            "b/x.json: key 1_0, column old: found c; expected one of a, b",
        ]

    def test_texts_that_do_not_match(self) -> None:
        new, problems = _derive(pl.Series(["x-1", "\x1b[2J", None]), extract="-([0-9]+)")
        assert new == ["1", None, None]  # what is missing is no misfit: the frame's model reports it
        assert problems == ["a/x.json: key 0_0, column old: found \\x1b[2J; expected text that matches -([0-9]+)"]

    def test_an_empty_map_covers_nothing(self) -> None:
        assert len(_derive(pl.Series(["a", "b", "c"]), map={})[1]) == 3


class TestOtherwiseAndMissing:
    """What the rule does not cover, and what there is nothing to cover of."""

    @pytest.mark.parametrize("rule", [{"map": {"a": "A"}}, {"extract": "^(a)$"}])
    def test_otherwise(self, rule: dict[str, Any]) -> None:
        new, problems = _derive(pl.Series(["a", "c", None]), **rule, otherwise="rest")
        assert (new[1:], problems) == (["rest", "rest"], [])

    @pytest.mark.parametrize("rule", [{"map": {"a": "A"}}, {"extract": "^(a)$"}])
    def test_missing(self, rule: dict[str, Any]) -> None:
        new, problems = _derive(pl.Series(["", "c", None]), **rule, missing="none")
        assert new == ["none", None, "none"]
        assert [problem.partition("found ")[2][:2] for problem in problems] == ["c;"]

    def test_both(self) -> None:
        rule = {"map": {"a": "A"}, "missing": "none", "otherwise": "rest"}
        assert _derive(pl.Series(["a", "", "c"]), **rule) == (["A", "none", "rest"], [])

    def test_what_is_missing_comes_before_the_rule(self) -> None:
        assert _derive(pl.Series(["", "a", None]), map={"": "empty", "a": "A"}, missing="none")[0] == [
            "none",
            "A",
            "none",
        ]
        cases = [{"value": "A", "contains": {"old": "^"}}]
        assert _derive(pl.Series(["", "a", None]), cases=cases, missing="none")[0] == ["none", "A", "none"]

    def test_a_column_derived_from_itself(self) -> None:
        """What is told is what stood there before."""
        frame = RECORDS.with_columns(old=pl.Series(["a", "b", None]))
        derived, problems = derive_all(frame, {"old": Derivation.model_validate({"from": "old", "map": {"a": "A"}})})
        assert derived["old"].to_list() == ["A", None, None]
        assert list(map(str, problems)) == ["a/x.json: key 0_0, column old: found b; expected one of a"]


def _cases(frame: pl.DataFrame, *cases: dict[str, Any], **rule: Any) -> tuple[list[str | None], list[str]]:
    declared = Derivation.model_validate({"cases": cases} | rule)
    derived, problems = derive(frame, "new", declared)
    return derived["new"].to_list(), [str(problem) for problem in problems]


class TestCases:
    """The first case of which everything holds gives its value."""

    FRAME = RECORDS.with_columns(
        kind=pl.Series(["school", "school", "job"]),
        context=pl.Series(["The teacher.", "A first-year student.", "teachers"]),
    )

    def test_all_conditions_of_a_case_hold(self) -> None:
        new, problems = _cases(
            self.FRAME,
            {"value": "teacher", "is": {"kind": "school"}, "contains": {"context": "\\bteacher\\b"}},
            {"value": "job teacher", "contains": {"context": "teacher", "kind": "^job$"}},
            otherwise="none",
        )
        assert (new, problems) == (["teacher", "none", "job teacher"], [])

    def test_the_first_counts(self) -> None:
        school, any_kind = {"value": "1", "is": {"kind": "school"}}, {"value": "2", "contains": {"kind": "."}}
        assert _cases(self.FRAME, school, any_kind)[0] == ["1", "1", "2"]
        assert _cases(self.FRAME, any_kind, school)[0] == ["2", "2", "2"]

    def test_numbers_are_compared_as_text(self) -> None:
        assert _cases(self.FRAME, {"value": "one", "is": {"prompt": "1"}}, otherwise="no")[0] == ["one", "no", "one"]

    def test_a_missing_value_fits_nothing(self) -> None:
        frame = self.FRAME.with_columns(kind=pl.Series([None, None, "job"]))
        anything = {"value": "x", "contains": {"kind": ""}}
        assert _cases(frame, anything, otherwise="none")[0] == ["none", "none", "x"]
        assert _cases(frame, anything, otherwise="none", missing="gone", **{"from": "kind"})[0] == [
            "gone",
            "gone",
            "x",
        ]

    def test_rows_that_no_case_fits(self) -> None:
        """One problem for each combination of the values that cases ask for, in each file."""
        frame = pl.concat([self.FRAME, self.FRAME])
        assert _cases(frame, {"value": "x", "is": {"kind": "none", "folder": "a"}, "contains": {"context": "x"}}) == (
            [None] * 6,
            [
                "a/x.json: key 1_0, column new: found kind=school, folder=a; expected a row that a case of new fits",
                "b/x.json: key 1_0, column new: found kind=job, folder=b; expected a row that a case of new fits",
            ],
        )

    def test_rows_whose_text_no_case_fits(self) -> None:
        problems = _cases(self.FRAME, {"value": "x", "contains": {"context": "^The"}})[1]
        assert [problem.partition("found ")[2] for problem in problems] == [
            "context=A first-year student.; expected a row that a case of new fits",
            "context=teachers; expected a row that a case of new fits",
        ]


def test_uncovered_without_places() -> None:
    problems = uncovered(pl.DataFrame({"group": ["x", "x", None]}), "group", "one of a, b")
    assert [str(problem) for problem in problems] == [
        "column group: found x; expected one of a, b",
        "column group: expected one of a, b",
    ]


class TestBands:
    """Numbers become bands."""

    BANDS: ClassVar[dict[str, float]] = {"18-29": 18, "30-64": 30, "65+": 65}

    def test_a_band_ends_where_the_next_begins(self) -> None:
        values, problems = _derive(pl.Series([18, 29, 65]), bands=self.BANDS)
        assert (values, problems) == (["18-29", "18-29", "65+"], [])
        values, problems = _derive(pl.Series(["29.99", "30", " 1e2"]), bands=self.BANDS, normalise=[{"trim": True}])
        assert (values, problems) == (["18-29", "30-64", "65+"], [])

    def test_what_lies_below_or_is_no_number_is_not_covered(self) -> None:
        values, problems = _derive(pl.Series(["17", "old", "NaN"]), bands=self.BANDS)
        assert values == [None] * 3
        expected = "expected a number, at least 18"
        assert problems == [
            f"a/x.json: key 1_0, column old: found 17; {expected}",
            f"a/x.json: key 0_0, column old: found old; {expected}",
            f"b/x.json: key 1_0, column old: found NaN; {expected}",
        ]
        assert _derive(pl.Series(["17", "old", "30"]), bands=self.BANDS, otherwise="none") == (
            ["none", "none", "30-64"],
            [],
        )

    def test_a_missing_value_has_no_band(self) -> None:
        assert _derive(pl.Series([None, 20.0, None]), bands=self.BANDS) == ([None, "18-29", None], [])
        assert _derive(pl.Series([None, 20.0, None]), bands=self.BANDS, missing="?")[0] == ["?", "18-29", "?"]

    @given(st.lists(st.floats(-50, 150), min_size=3, max_size=3))
    def test_as_a_plain_loop_says(self, numbers: list[float]) -> None:
        def band(number: float) -> str:
            return next((name for name, start in reversed(self.BANDS.items()) if number >= start), "none")

        assert _derive(pl.Series(numbers), bands=self.BANDS, otherwise="none")[0] == [band(one) for one in numbers]


class TestCombine:
    """Columns become one text."""

    def test_texts_and_numbers(self) -> None:
        frame, problems = derive(RECORDS, "new", Derivation(combine="{folder}: {prompt}, {folder}"))
        assert frame["new"].to_list() == ["a: 1, a", "a: 0, a", "b: 1, b"]
        assert problems == []

    def test_what_is_missing_is_missing(self) -> None:
        frame = RECORDS.with_columns(pl.Series("other", ["x", None, "y"]))
        rule = {"combine": "{folder}-{other}"}
        assert derive(frame, "new", Derivation.model_validate(rule))[0]["new"].to_list() == ["a-x", None, "b-y"]
        rule |= {"otherwise": "none"}
        assert derive(frame, "new", Derivation.model_validate(rule))[0]["new"].to_list() == ["a-x", "none", "b-y"]


class TestConditions:
    """Cases by several values, by what must not be, and by numbers."""

    def _cases(self, values: pl.Series, *cases: dict[str, Any], **rule: Any) -> tuple[list[str | None], list[str]]:
        frame = RECORDS.with_columns(values.alias("old"))
        derived, problems = derive(frame, "new", Derivation.model_validate({"cases": cases} | rule))
        return derived["new"].to_list(), [str(problem) for problem in problems]

    def test_of_every_kind(self) -> None:
        values, problems = self._cases(
            pl.Series(["5", "7.5", None]),
            {"value": "low", "at_most": {"old": 5}, "is": {"folder": ["a", "b"]}},
            {"value": "high", "at_least": {"old": 5}, "lacks": {"folder": "[xyz]"}},
            {"value": "none", "is_not": {"folder": "a"}},
        )
        assert (values, problems) == (["low", "high", "none"], [])

    def test_a_missing_value_is_no_number_and_no_other_value(self) -> None:
        missing = pl.Series([None, None, None], dtype=pl.String)
        assert self._cases(missing, {"value": "x", "at_most": {"old": 5}}, otherwise="y")[0] == ["y"] * 3
        assert self._cases(missing, {"value": "x", "is_not": {"old": "a"}}, otherwise="y")[0] == ["x"] * 3
        assert self._cases(missing, {"value": "x", "lacks": {"old": "a"}}, otherwise="y")[0] == ["x"] * 3

    def test_text_is_not_compared_with_a_number(self) -> None:
        _, problems = self._cases(
            pl.Series(["5", "five", "five"]), {"value": "x", "at_least": {"old": 1}}, otherwise="y"
        )
        assert problems == [
            "a/x.json: key 0_0, column old: found five; expected a number, which a condition compares",
            "b/x.json: key 1_0, column old: found five; expected a number, which a condition compares",
        ]


def test_values_are_normalised_before_they_are_looked_up() -> None:
    steps = [{"trim": True}, {"lower_case": True}]
    values, problems = _derive(pl.Series([" Yes", "NO ", "yes"]), map={"yes": "1", "no": "0"}, normalise=steps)
    assert (values, problems) == (["1", "0", "1"], [])
    _, problems = _derive(pl.Series([" Yes", "Perhaps ", "yes"]), map={"yes": "1"}, normalise=steps)
    assert problems == ["a/x.json: key 0_0, column old: found Perhaps ; expected one of yes"]

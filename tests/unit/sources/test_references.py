"""Reference distributions: what is read, and every way in which a table can be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError
from tallybook.core.resources import BUNDLED_DATA
from tallybook.sources.references import bundled, read_references
from tallybook.study.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study

HEADER = "group,outcome,category,proportion,source"
ROWS = "young,politics,left,0.6,Survey 2020\nyoung,politics,any,1,Survey 2020\naged,job,teacher,.05,Census\n"


def _read(study: Study, folder: Path, content: str | bytes) -> pl.DataFrame:
    (folder / "reference.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_references(study.references["census"], folder, study)


def _faults(study: Study, folder: Path, content: str | bytes) -> list[str]:
    with pytest.raises(DataError) as error:
        _read(study, folder, content)
    assert error.value.exit_code == 1
    return [str(problem) for problem in error.value.problems]


def test_rows(study: Study, tmp_path: Path) -> None:
    references = _read(study, tmp_path, f"{HEADER}\n{ROWS}")
    assert references.rows() == [
        ("young", "politics", "left", 0.6, "Survey 2020"),
        ("young", "politics", "any", 1.0, "Survey 2020"),
        ("aged", "job", "teacher", 0.05, "Census"),
    ]
    assert references.schema["proportion"] == pl.Float64


def test_percentages(study: Study, tmp_path: Path) -> None:
    percent = "young,politics,left,60.5,S\nyoung,politics,right,39.5,S\naged,politics,left,99,S\n"
    [told] = _faults(study, tmp_path, f"{HEADER}\n{percent}")
    assert told == (
        "reference.csv: key row 2, column proportion: found 60.5; expected proportions, which add up to 1: "
        "these are percentages, to be divided by 100"
    )


def test_a_table_without_rows_is_no_fault(study: Study, tmp_path: Path) -> None:
    assert _read(study, tmp_path, f"{HEADER}\n").height == 0


def test_further_columns_stay(study: Study, tmp_path: Path) -> None:
    references = _read(study, tmp_path, f"{HEADER},year\nyoung,politics,left,0,Survey,2020\n")
    assert references["year"].to_list() == ["2020"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        *(
            (f"young,politics,left,{value},S", f"column proportion: found {value}; expected a number between 0 and 1")
            for value in ("half", "50 %", "nan", "NaN", "inf", "-inf", "1e999", "true", "0.5.1")
        ),
        ("young,politics,left,,S", "column proportion: expected a number between 0 and 1"),
        ("young,politics,left,\x1b[2J,S", "column proportion: found \\x1b[2J; expected a number between 0 and 1"),
        ("young,politics,left,1.0000001,S", "column proportion: found 1.0000001; expected at most 1"),
        ("young,politics,left,-1e-9,S", "column proportion: found -1e-09; expected at least 0"),
        ("young,politics,left,45,S", "column proportion: found 45.0; expected at most 1"),
        ("youth,politics,left,0.5,S", "column group: found youth; expected one of young, aged"),
        (",politics,left,0.5,S", "column group: expected a value, not null"),
        ("young,polits,left,0.5,S", "column outcome: found polits; expected one of politics, job, mood"),
        ("young,politics,Left,0.5,S", "column category: found Left; expected one of left, right, any"),
        ("young,politics,,0.5,S", "column category: expected a value, not null"),
        ("young,politics,left,0.5,", "column source: expected a value, not null"),
    ],
)
def test_wrong_rows(study: Study, tmp_path: Path, row: str, message: str) -> None:
    good = "aged,politics,left,0.5,S"
    assert _faults(study, tmp_path, f"{HEADER}\n{good}\n{row}\n") == [f"reference.csv: key row 3, {message}"]


def test_a_proportion_given_twice(study: Study, tmp_path: Path) -> None:
    faults = _faults(study, tmp_path, f"{HEADER}\n{ROWS}young,politics,left,0.4,Other\n")
    assert faults == [
        f"reference.csv: key row {row}: found young, politics, left; "
        "expected no two rows with the same group, outcome, category"
        for row in (2, 5)
    ]


def test_all_faults_at_once(study: Study, tmp_path: Path) -> None:
    faults = _faults(study, tmp_path, f"{HEADER}\nx,politics,left,0.5,S\nyoung,y,left,2,S\nyoung,politics,left,0.5,\n")
    assert len(faults) == 4


@pytest.mark.parametrize("column", HEADER.split(","))
def test_a_missing_column(study: Study, tmp_path: Path, column: str) -> None:
    content = f"{HEADER}\n{ROWS}".replace(column, f"{column}_", 1)
    assert f"reference.csv: column {column}: expected this column" in _faults(study, tmp_path, content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected a header and at least one row"),
        (f"{HEADER}\n{ROWS}x,x,x,x,x,x\n", "key row 5: found 6 fields; expected 5, as in the header"),
        (
            f"{HEADER}\n{ROWS}ä".encode("latin-1"),
            "key line 5, byte 1: found e4; expected UTF-8 text; another 'encoding', such as windows-1252, can be set",
        ),
    ],
)
def test_what_is_no_table(study: Study, tmp_path: Path, content: str | bytes, message: str) -> None:
    assert _faults(study, tmp_path, content) == [f"reference.csv: {message}"]


def test_blank_lines_are_no_rows(study: Study, tmp_path: Path) -> None:
    assert _read(study, tmp_path, f"{HEADER}\n\n{ROWS}\n\n").equals(_read(study, tmp_path, f"{HEADER}\n{ROWS}"))


def test_a_missing_file(study: Study, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_references(study.references["census"], tmp_path, study)
    assert str(error.value) == "reference.csv: found No such file or directory; expected a readable file"


def test_groups_of_several_factors(declaration: Any, tmp_path: Path) -> None:
    from tallybook.study.model import Study

    declaration["references"]["census"]["by"] = ["dimension", "group"]
    study = Study.model_validate(declaration)
    content = f"dimension,{HEADER}\nage,young,politics,left,0.5,S\nage,aged,politics,left,0.5,S\n"
    assert _read(study, tmp_path, content).height == 2
    assert _faults(study, tmp_path, content.replace("age,aged", "sex,aged")) == [
        "reference.csv: key row 3, column dimension: found sex; expected one of age"
    ]


def test_the_bundled_table() -> None:
    study = load("wang2025").study
    references = read_references(study.references["us_population"], BUNDLED_DATA / "wang2025", study)
    assert references.height == 168
    assert references.select("dimension", "group", "outcome").unique().height == 12 * 4
    conservative = references.filter(group="black", outcome="politics").select("category", "proportion")
    assert dict(conservative.iter_rows())["liberal"] == 0.39  # section 4: not .67 as in the repository's other file


class TestSums:
    """Proportions of all categories of a group add up to 1."""

    def test_all_categories(self, study: Study, tmp_path: Path) -> None:
        content = f"{HEADER}\nyoung,politics,left,0.6,S\nyoung,politics,right,0.375,S\naged,politics,left,0.3,S\n"
        told = "proportions of politics of young that add up to 1, to within 0.02"
        assert _faults(study, tmp_path, content) == [
            f"reference.csv: key row 2, column proportion: found 0.975; expected {told}"
        ]
        assert _read(study, tmp_path, content.replace("0.375", "0.38")).height == 3  # and aged's right is not given

    def test_more_than_1_in_any_case(self, study: Study, tmp_path: Path) -> None:
        content = f"{HEADER}\nyoung,job,teacher,0.6,S\nyoung,politics,left,0.6,S\nyoung,politics,right,0.6,S\n"
        assert "found 1.2; expected proportions of politics of young" in _faults(study, tmp_path, content)[0]

    def test_a_union_is_not_counted_again(self, study: Study, tmp_path: Path) -> None:
        content = f"{HEADER}\nyoung,politics,left,0.6,S\nyoung,politics,right,0.4,S\nyoung,politics,any,1,S\n"
        assert _read(study, tmp_path, content).height == 3


def _census(declaration: Any, **changes: Any) -> Study:
    from tallybook.study.model import Study

    declaration["references"]["census"] |= changes
    analysis = {"statistic": "binomial-test", "outcomes": ["politics"], "by": ["model", "group"], "reference": "census"}
    declaration["analyses"] = {"test": analysis}
    declaration |= {"tables": [], "figures": [], "numbers": {}}
    return Study.model_validate(declaration)


def test_a_group_that_is_tested_and_has_no_proportion(declaration: Any, tmp_path: Path) -> None:
    content = f"{HEADER}\nyoung,politics,left,0.5,S\naged,job,teacher,0.5,S\n"
    told = "expected proportions of politics, which is tested against them (or absent = 'report')"
    assert _faults(_census(declaration), tmp_path, content) == [f"reference.csv: column group: found aged; {told}"]
    assert _read(_census(declaration, absent="report"), tmp_path, content).height == 2
    declaration["references"]["census"]["absent"] = "error"
    study = _census(declaration)
    tested = study.analyses["test"].model_copy(update={"where": {"group": ("young",)}})
    assert _read(study.model_copy(update={"analyses": {"test": tested}}), tmp_path, content).height == 2


def test_columns_called_otherwise_and_rows_chosen(declaration: Any, tmp_path: Path) -> None:
    study = _census(declaration, columns={"group": "who"}, where={"year": "2020"})
    content = "who,group,year,outcome,category,proportion,source\n"
    content += "young,x,2020,politics,left,.5,S\naged,x,2020,politics,left,.5,S\nold,x,2010,politics,left,.5,S\n"
    assert _read(study, tmp_path, content)["group"].to_list() == ["young", "aged"]
    assert _faults(study, tmp_path, content.replace("2020", "2021")) == ["reference.csv: expected rows of year 2020"]
    assert _faults(study, tmp_path, content.replace("year", "when")) == [
        "reference.csv: column year: expected this column"
    ]


class TestBundled:
    """A study can use the table of a published one."""

    def _study(self, declaration: Any, name: str = "wang2025/reference_distributions.csv") -> Study:
        labels = {"liberal": ["left"], "neutral": ["centre"], "conservative": ["right"]}
        declaration["outcomes"]["politics"] |= {"labels": labels, "unions": {}, "order": [], "whole": {}, "names": {}}
        declaration["factors"]["group"] = {"label": "Group", "levels": {"male": "Men", "female": "Women"}}
        table = {"file": None, "bundled": name, "where": {"dimension": "gender"}, "tolerance": 0.05}
        declaration["references"]["census"] |= table
        declaration |= {"analyses": {}}
        return _census(declaration)

    def test_its_rows_of_the_studys_groups_and_outcomes(self, declaration: Any, tmp_path: Path) -> None:
        study = self._study(declaration)
        references = read_references(study.references["census"], tmp_path, study)
        assert references.select("group", "outcome").unique().sort("group").rows() == [
            ("female", "politics"),
            ("male", "politics"),
        ]
        assert references.height == 6

    def test_one_that_there_is_not(self, declaration: Any, tmp_path: Path) -> None:
        study = self._study(declaration, "wang2025/census.csv")
        with pytest.raises(DataError) as error:
            read_references(study.references["census"], tmp_path, study)
        assert str(error.value) == f"wang2025/census.csv: expected one of {', '.join(bundled())}"

    @pytest.mark.parametrize("file", ["../secret.csv", "/etc/passwd"])
    def test_none_outside(self, declaration: Any, file: str) -> None:
        with pytest.raises(ValueError, match="leads out of the folder"):
            self._study(declaration, file)

    def test_one_file(self, declaration: Any) -> None:
        with pytest.raises(ValueError, match="exactly one of 'file' and 'bundled'"):
            _census(declaration, bundled="wang2025/reference_distributions.csv")

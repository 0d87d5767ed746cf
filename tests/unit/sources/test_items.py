"""Responses matched with the list of the items that were asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.study.record_sources import RecordSource
from tests.unit.sources.inputs import Delivered, delivery_of

if TYPE_CHECKING:
    from pathlib import Path


ITEMS: dict[str, Any] = {
    "file": "items.csv",
    "on": {"context": "sentence", "first": "option_1", "second": "option_2"},
    "normalise": [{"lower_case": True}, {"trim": True}],
}
LIST = "option_1,option_2,sentence\nRude,Kind,She is BLANK.\nrude,kind,He is BLANK.\nOld,Young,She is BLANK.\n"
OTHER = "another separator is declared with 'delimiter'"
HEADER = "answer,s,o1,o2\n"
ALL = HEADER + "a,She is BLANK. ,rude,kind\nb,he is BLANK.,RUDE,kind\nc,She is BLANK.,old,young\n"


def _deliver(folder: Path, files: dict[str, str], **changes: Any) -> Delivered:
    for name, content in ({"items.csv": LIST} | files).items():
        (folder / name).write_text(content)
    declaration = {
        "format": "csv",
        "files": "{model}_{run:int}.csv",
        "columns": {
            "text": {"path": "answer"},
            "context": {"path": "s"},
            "first": {"path": "o1"},
            "second": {"path": "o2"},
        },
        "items": ITEMS | changes,
    }
    source = RecordSource.model_validate(declaration)
    return delivery_of(folder, source)


def _problems(delivery: Delivered) -> list[str]:
    assert delivery.findings == []
    return [str(problem) for problem in delivery.problems]


class TestMatching:
    """An item is the number of its row, counted from 1 after the header."""

    def test_items_in_the_order_of_the_responses(self, tmp_path: Path) -> None:
        first, *rest = ALL.splitlines(keepends=True)
        delivery = _deliver(tmp_path, {"m_1.csv": first + "".join(reversed(rest))})
        assert (delivery.problems, delivery.findings, delivery.lookups) == ([], [], ["items.csv"])
        assert delivery.rows.select("text", "item").rows() == [("c", "3"), ("b", "2"), ("a", "1")]
        assert delivery.rows["context"].to_list()[-1] == "She is BLANK. "  # what was delivered is unchanged

    def test_without_steps_only_equal_texts_match(self, tmp_path: Path) -> None:
        delivery = _deliver(tmp_path, {"m_1.csv": ALL}, normalise=[], absent="ignore")
        assert [item.partition("#")[0] for item in delivery.rows["item"]] == ["unlisted:m_1.csv"] * 3

    def test_steps_work_on_both_sides(self, tmp_path: Path) -> None:
        steps = [*ITEMS["normalise"], {"replace": ["blank", "___"]}]
        replaced = LIST.replace("He is BLANK", "He is ___")
        delivery = _deliver(tmp_path, {"m_1.csv": ALL, "items.csv": replaced}, normalise=steps)
        assert delivery.rows["item"].to_list() == ["1", "2", "3"]

    def test_numbers_and_empty_values_match_as_text(self, tmp_path: Path) -> None:
        files = {"items.csv": "run,option\n1,\n2,x\n", "m_1.csv": HEADER + "a,,,\n", "m_2.csv": HEADER + "a,,x,\n"}
        delivery = _deliver(tmp_path, files, on={"run": "run", "first": "option"}, by=["run"], absent="ignore")
        assert _problems(delivery) == []
        assert delivery.rows["item"].to_list() == ["1", "2"]

    def test_blank_lines_and_long_fields_of_the_list(self, tmp_path: Path) -> None:
        """An item's number counts items; where it stands is told as of any row."""
        files = {
            "items.csv": 'note,option_1,option_2,sentence\n\n"x\ny",a,b,S\nz,c,d,T\n',
            "m_1.csv": HEADER + "t,t,c,d\n",
        }
        delivery = _deliver(tmp_path, files)
        assert delivery.rows["item"].to_list() == ["2"]
        assert _problems(delivery) == ["items.csv: key row 3, column item: found 1; expected a response with model m"]

    def test_another_delimiter(self, tmp_path: Path) -> None:
        files = {"m_1.csv": ALL, "items.csv": LIST.replace(",", ";")}
        assert _problems(_deliver(tmp_path, files, delimiter=";")) == []


class TestFaults:
    """Every fault is an error, or a finding where the study knows of it."""

    def test_a_response_that_is_no_item(self, tmp_path: Path) -> None:
        altered = ALL.replace("he is BLANK.,RUDE", "he is BLANK.,mean")
        for severity in ("error", "report"):
            delivery = _deliver(tmp_path, {"m_1.csv": altered}, unlisted=severity, absent="ignore")
            told, other = (delivery.problems, delivery.findings)[:: 1 if severity == "error" else -1]
            assert list(map(str, told)) == [
                "m_1.csv: key row 3, column o1: found mean; expected an item of items.csv",
            ]
            assert other == []
            assert delivery.rows["item"].to_list() == ["1", "unlisted:m_1.csv#row 3", "3"]

    @pytest.mark.parametrize(
        ("row", "column", "value"),
        [
            ("She was BLANK.,rude,kind", "s", "She was BLANK."),  # but for this column it would be an item
            ("She is BLANK.,old,kind", "o1", "old"),  # and of several such columns the first declared is named
            ("She is BLANK.,mean,good", "o1, o2", "mean | good"),  # these values no item has
            ("He is BLANK.,old,young", "s", "He is BLANK."),
            ("He was BLANK.,mean,kind", "s, o1", "He was BLANK. | mean"),
            (",,", "s, o1, o2", " |  | "),
        ],
    )
    def test_which_columns_keep_it_from_being_one(self, tmp_path: Path, row: str, column: str, value: str) -> None:
        delivery = _deliver(tmp_path, {"m_1.csv": f"{HEADER}a,{row}\n"}, unlisted="report", absent="ignore")
        assert [(finding.column, finding.value) for finding in delivery.findings] == [(column, value)]

    def test_all_columns_if_each_value_alone_is_known(self, tmp_path: Path) -> None:
        listed = "option_1,option_2,sentence\na,b,S\nc,d,T\ne,f,U\n"
        files = {"items.csv": listed, "m_1.csv": f"{HEADER}x,S,c,f\n"}
        delivery = _deliver(tmp_path, files, unlisted="report", absent="ignore")
        assert [(finding.column, finding.value) for finding in delivery.findings] == [("s, o1, o2", "S | c | f")]

    def test_a_single_column(self, tmp_path: Path) -> None:
        files = {"items.csv": "sentence\nS\n", "m_1.csv": f"{HEADER}x,T,,\n"}
        delivery = _deliver(tmp_path, files, on={"context": "sentence"}, absent="ignore")
        assert _problems(delivery) == ["m_1.csv: key row 2, column s: found T; expected an item of items.csv"]

    def test_items_without_a_response(self, tmp_path: Path) -> None:
        two = "".join(ALL.splitlines(keepends=True)[:3])
        files = {"m_1.csv": ALL, "n_1.csv": two, "n_2.csv": two, "o_1.csv": HEADER + "a,he is blank.,rude,kind\n"}
        told = [
            "items.csv: key row 4, column item: found 3; expected a response with model n",
            "items.csv: key row 2, column item: found 1; expected a response with model o",
            "items.csv: key row 4, column item: found 3; expected a response with model o",
        ]
        assert _problems(_deliver(tmp_path, files)) == told
        assert list(map(str, _deliver(tmp_path, files, absent="report").findings)) == told
        assert _problems(_deliver(tmp_path, files, absent="ignore")) == []
        assert _problems(_deliver(tmp_path, files, by=[])) == []

    def test_items_without_a_response_in_a_combination(self, tmp_path: Path) -> None:
        two = "".join(ALL.splitlines(keepends=True)[:3])
        files = {"m_1.csv": ALL, "m_2.csv": two}
        assert _problems(_deliver(tmp_path, files, by=["model", "run"])) == [
            "items.csv: key row 4, column item: found 3; expected a response with model m, run 2"
        ]

    def test_what_a_broken_file_lacks_is_not_missed(self, tmp_path: Path) -> None:
        delivery = _deliver(tmp_path, {"m_1.csv": ALL, "m_2.csv": "answer,s\n", "n_1.csv": HEADER + "a,x\n"})
        assert [problem.file for problem in delivery.problems] == ["n_1.csv"]
        assert [finding.file for finding in delivery.findings] == ["m_2.csv"]

    @pytest.mark.parametrize("severity", ["error", "report"])
    def test_rows_of_the_list_that_become_equal(self, tmp_path: Path, severity: str) -> None:
        """They are one item under the first row's number; the later ones want no response."""
        columns = "sentence, option_1, option_2"
        listed = LIST + "RUDE,kind,she is blank.\nnew,item,x\n"
        responses = ALL + "d,x,new,item\n"
        delivery = _deliver(tmp_path, {"items.csv": listed, "m_1.csv": responses}, repeated=severity)
        told, other = (delivery.problems, delivery.findings)[:: 1 if severity == "error" else -1]
        assert list(map(str, told)) == [
            f"items.csv: key row 5, column {columns}: found the same as in row 2; expected each item once",
        ]
        assert other == []
        assert delivery.rows["item"].to_list() == ["1", "2", "3", "5"]

    @pytest.mark.parametrize(
        ("content", "problems"),
        [
            (None, ["items.csv: found No such file or directory; expected a readable file"]),
            ("", ["items.csv: expected a header and at least one row"]),
            ("a\n", ["items.csv: expected at least one row"]),
            ("a,b,sentence\n1,2\n", ["items.csv: key row 2: found 2 fields; expected 3, as in the header"]),
            ("option_1,sentence\n1,2\n", ["items.csv: column option_2: expected this column"]),
            (LIST.replace(",", "|"), [
                f"items.csv: key row 1: found option_1|option_2|sentence; expected columns separated by ','; {OTHER}",
            ]),
        ],
    )  # fmt: skip
    def test_a_broken_list(self, tmp_path: Path, content: str | None, problems: list[str]) -> None:
        delivery = _deliver(tmp_path, {"m_1.csv": ALL, "items.csv": content or ""})
        if content is None:
            (tmp_path / "items.csv").unlink()
            source = RecordSource.model_validate(
                {"format": "csv", "files": "m_1.csv", "columns": {}, "extra": "ignore"}
                | {"items": {"file": "items.csv", "on": {"file": "sentence"}, "by": []}}
            )
            delivery = delivery_of(tmp_path, source)
        assert _problems(delivery) == problems
        assert delivery.rows["item"].to_list() == [None] * 3


def test_the_split_of_the_responses_into_files_changes_no_item(tmp_path: Path) -> None:
    first, *rest = ALL.splitlines(keepends=True)
    whole = _deliver(tmp_path, {"m_1.csv": ALL})
    (tmp_path / "m_1.csv").unlink()
    cut = _deliver(tmp_path, {"m_1.csv": first + rest[0], "m_2.csv": first + rest[1] + rest[2]})
    assert (whole.problems, cut.problems) == ([], [])
    assert cut.rows.select("text", "item").equals(whole.rows.select("text", "item"))
    assert isinstance(whole.rows.schema["item"], pl.String)

"""CSV files that are read part by part: whatever the parts, the standard library finds the same in the file."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.sources import csv_file, csv_records
from tallybook.sources.content import Content
from tests.unit.statistics.frames import quick

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = st.sampled_from(["a", "", " ", "é", "日本 🙂", '"b\nc"', '""', '"x,y"', '"q""r"', '"\r\nz"'])
STRAY = st.sampled_from(["a", "", '"b\nc"', '"\n"', '"x,y"', '"q"', '5" x', 'x"y"'])
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\n\n"])

LONG = "a,b\n" * 40
"""Rows enough for the reader not to go through the file byte by byte: only then stray double quotes mislead it."""


class TestParts:
    """The parts of a CSV file are together what the file holds."""

    @staticmethod
    def _parsed(content: bytes) -> list[list[str]]:
        records = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        return [record for record in records if record][1:]

    @staticmethod
    def _read(path: Path, at_once: int = 2**23) -> tuple[list[str], list[list[str]], list[str]]:
        content = Content(path.parent, path.name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_records, "AT_ONCE", at_once)
            found = list(csv_file.parts(content, ","))
        keys = [key for part in found for key in part.keys]
        rows = [[cell or "" for cell in row] for part in found for row in part.cells.iter_rows()]
        return keys, rows, [str(problem) for problem in content.problems]

    @quick
    @given(
        st.lists(st.tuples(st.tuples(FIELDS, FIELDS), ENDS), min_size=1),
        st.sampled_from(["h,i\n", '"h\ni","j,k"\r\n', '\ufeff"h",i\n']),
        st.integers(1, 30),
    )
    def test_well_formed(self, tmp_path_factory: Any, records: Any, header: str, at_once: int) -> None:
        text = header + "".join(",".join(fields) + end for fields, end in records)
        path = tmp_path_factory.getbasetemp() / "parts.csv"
        for whole in (text, text.rstrip("\r\n")):
            path.write_bytes(content := whole.encode())
            keys, rows, problems = self._read(path, at_once)
            assert (keys, rows, problems) == self._read(path)
            assert (rows, problems) == (self._parsed(content), [])

    @quick
    @given(
        st.lists(st.tuples(st.tuples(STRAY, STRAY), ENDS), min_size=1),
        st.integers(1, 30) | st.just(2**23),
        st.booleans(),
    )
    def test_double_quotes_within_fields_are_read_right(
        self, tmp_path_factory: Any, records: Any, at_once: int, ends: bool
    ) -> None:
        text = "h,i\n" + "".join(",".join(fields) + end for fields, end in records) + LONG
        path = tmp_path_factory.getbasetemp() / "quotes.csv"
        path.write_bytes(content := (text if ends else text.rstrip("\r\n")).encode())
        _, rows, problems = self._read(path, at_once)
        assert (rows, problems) == (self._parsed(content), [])

    @pytest.mark.parametrize("at_once", [2**23, 200, 8, 1])
    def test_keys_behind_double_quotes_within_fields(self, tmp_path: Path, at_once: int) -> None:
        (tmp_path / "x.csv").write_text('h,i\n5" x,6" y\n"1\n","2"\n\n3,"""4"" 5"\n', encoding="utf-8", newline="")
        keys, rows, problems = self._read(tmp_path / "x.csv", at_once)
        assert (keys, problems) == (["row 2", "row 3", "row 5, line 6"], [])
        assert rows == [['5" x', '6" y'], ["1\n", "2"], ["3", '"4" 5']]

    @pytest.mark.parametrize("at_once", [1, 2, 5])
    def test_blank_and_ragged_lines(self, tmp_path: Path, at_once: int) -> None:
        (tmp_path / "x.csv").write_text('a,b\n\n1,2\n\r\n"x\ny",3\n\n5,6\n\n', encoding="utf-8", newline="")
        keys, rows, _ = self._read(tmp_path / "x.csv", at_once)
        assert keys == ["row 3", "row 5", "row 7, line 8"]
        assert rows == [["1", "2"], ["x\ny", "3"], ["5", "6"]]
        (tmp_path / "x.csv").write_text("a,b\n1,2\n\n3\n4,5,6\n", encoding="utf-8")
        assert self._read(tmp_path / "x.csv", at_once)[2] == [
            "x.csv: key row 4: found 1 field; expected 2, as in the header",
            "x.csv: key row 5: found 3 fields; expected 2, as in the header",
        ]


class TestRaggedRows:
    """Rows with too few or too many fields keep no others from being read."""

    @quick
    @given(st.lists(st.tuples(st.lists(FIELDS, min_size=1, max_size=4), ENDS), min_size=1), st.booleans())
    def test_the_others_are_read_as_if_they_stood_alone(self, tmp_path_factory: Any, records: Any, ends: bool) -> None:
        lines = [",".join(fields) + end for fields, end in records]
        lines[-1] = lines[-1] if ends else lines[-1].rstrip("\r\n")
        path = tmp_path_factory.getbasetemp() / "ragged.csv"
        path.write_bytes("".join(["h,i\n", *lines]).encode())
        content = Content(path.parent, path.name)
        parts = [*csv_file.parts(content, ",")]
        problems = content.problems
        found = {key: row for part in parts for key, row in zip(part.keys, part.cells.iter_rows(), strict=True)}
        expected = enumerate(csv.reader(io.StringIO(path.read_bytes().decode(), newline=""), strict=True), start=1)
        rows = {f"row {number}": row for number, row in expected if len(row) == 2 and number > 1}
        assert {
            key.partition(",")[0]: ["" if cell is None else cell for cell in row] for key, row in found.items()
        } == rows
        ragged = sum(len(fields) != 2 and fields != [""] for fields, _ in records)  # a blank line is no row
        assert sum("as in the header" in problem.expected for problem in problems) == ragged
        assert not {problem.key for problem in problems} & set(found)

"""CSV files that are read part by part: whatever the parts, the standard library finds the same in the file."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.sources import csv_blocks, csv_file
from tallybook.sources.content import Content
from tests.statistics.frames import quick

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
    def _read(path: Path, at_once: int | None) -> tuple[list[str], list[list[str]], list[str]]:
        parts, problems = csv_file.read_parts(Content(path.parent, path.name), ",", at_once)
        found = list(parts)
        keys = [key for part in found for key in part.keys]
        rows = [[cell or "" for cell in row] for part in found for row in part.cells.iter_rows()]
        return keys, rows, [str(problem) for problem in problems]

    @quick
    @given(
        st.lists(st.tuples(st.tuples(FIELDS, FIELDS), ENDS), min_size=1),
        st.sampled_from(["h,i\n", '"h\ni","j,k"\r\n', '\ufeff"h",i\n']),
        st.integers(1, 30),
        st.sampled_from([0, 500, 2**28]),
    )
    def test_well_formed(self, tmp_path_factory: Any, records: Any, header: str, at_once: int, held: int) -> None:
        text = header + "".join(",".join(fields) + end for fields, end in records)
        path = tmp_path_factory.getbasetemp() / "parts.csv"
        for whole in (text, text.rstrip("\r\n")):
            path.write_bytes(content := whole.encode())
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(csv_blocks, "HELD", held)
                keys, rows, problems = self._read(path, at_once)
                assert (keys, rows, problems) == self._read(path, None)
            assert (rows, problems) == (self._parsed(content), [])

    @quick
    @given(
        st.lists(st.tuples(st.tuples(STRAY, STRAY), ENDS), min_size=1),
        st.one_of(st.none(), st.integers(1, 30)),
        st.booleans(),
    )
    def test_double_quotes_within_fields_are_refused_or_read_right(
        self, tmp_path_factory: Any, records: Any, at_once: int | None, ends: bool
    ) -> None:
        text = "h,i\n" + "".join(",".join(fields) + end for fields, end in records) + LONG
        path = tmp_path_factory.getbasetemp() / "quotes.csv"
        path.write_bytes(content := (text if ends else text.rstrip("\r\n")).encode())
        _, rows, problems = self._read(path, at_once)
        if problems:
            assert any('5" x' in fields or 'x"y"' in fields for fields, _ in records)
            assert all("expected double quotes only around whole fields" in problem for problem in problems)
        else:
            assert rows == self._parsed(content)

    @pytest.mark.parametrize("at_once", [None, 200])
    def test_a_row_whose_double_quote_swallows_the_next(self, tmp_path: Path, at_once: int | None) -> None:
        """What comes of it has as many rows, fields and delimiters as there are."""
        content = 'h,i\n"\n",5" x\n"b\nc",5" x\n' + LONG
        (tmp_path / "x.csv").write_text(content, encoding="utf-8", newline="")
        told = 'expected double quotes only around whole fields, and doubled ("") within them'
        assert self._read(tmp_path / "x.csv", at_once)[2] == [
            f"x.csv: key {row}: {told}" for row in ("row 2", "row 3, line 4")
        ]

    @pytest.mark.parametrize("at_once", [None, 1, 8])
    def test_a_double_quote_that_misleads_nobody(self, tmp_path: Path, at_once: int | None) -> None:
        (tmp_path / "x.csv").write_text('h,i\n5" x,6" y\n1,"2"\n\n3,"""4"" 5"\n', encoding="utf-8", newline="")
        keys, rows, problems = self._read(tmp_path / "x.csv", at_once)
        assert (keys, problems) == (["row 2", "row 3", "row 5"], [])
        assert rows == [['5" x', '6" y'], ["1", "2"], ["3", '"4" 5']]

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
        parts, problems = csv_file.read_parts(Content(path.parent, path.name), ",", None)
        found = {key: row for part in parts for key, row in zip(part.keys, part.cells.iter_rows(), strict=True)}
        expected = enumerate(csv.reader(io.StringIO(path.read_bytes().decode(), newline=""), strict=True), start=1)
        rows = {f"row {number}": row for number, row in expected if len(row) == 2 and number > 1}
        assert {
            key.partition(",")[0]: ["" if cell is None else cell for cell in row] for key, row in found.items()
        } == rows
        path.write_bytes(b"h,i\n" + b"".join(self._two(lines, records)))
        alone, _ = csv_file.read_parts(Content(path.parent, path.name), ",", None)
        assert list(found.values()) == [row for part in alone for row in part.cells.iter_rows()]
        ragged = sum(len(fields) != 2 and fields != [""] for fields, _ in records)  # a blank line is no row
        assert sum("as in the header" in problem.expected for problem in problems) == ragged
        assert not {problem.key for problem in problems} & set(found)

    @staticmethod
    def _two(lines: list[str], records: Any) -> list[bytes]:
        return [line.encode() for line, (fields, _) in zip(lines, records, strict=True) if len(fields) == 2]

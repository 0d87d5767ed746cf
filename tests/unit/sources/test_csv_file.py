"""One CSV file: its cells, the numbers of its rows, and every way in which it can be broken."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources import csv_file
from tallybook.sources.content import Content

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.sources.records import Records


def _read(folder: Path, content: str | bytes, delimiter: str = ",") -> tuple[Records | None, list[str]]:
    (folder / "x.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    try:
        return csv_file.read(Content(folder, "x.csv"), delimiter), []
    except DataError as error:
        return None, [str(problem) for problem in error.problems]


def _rows(folder: Path, content: str | bytes, delimiter: str = ",") -> list[tuple[str | None, ...]]:
    """Key and cells of every row of a file without faults."""
    cells, problems = _read(folder, content, delimiter)
    assert cells is not None, problems
    return list(zip(cells.keys, *cells.cells.iter_columns(), strict=True))


class TestRows:
    """Rows are counted as a spreadsheet counts them, lines as an editor does."""

    def test_the_header_is_row_1(self, tmp_path: Path) -> None:
        cells, _ = _read(tmp_path, "a,b\n1,2\n3,4\n")
        assert cells is not None
        assert cells.header == ["a", "b"]
        assert cells.column("b").to_list() == ["2", "4"]
        assert _rows(tmp_path, "a,b\n1,2\n3,4\n") == [("row 2", "1", "2"), ("row 3", "3", "4")]

    def test_lines_are_not_rows(self, tmp_path: Path) -> None:
        content = 'a,b\n1,"x\n\ny"\n3,4\n"5\n",6\n7,8'
        assert _rows(tmp_path, content) == [
            ("row 2", "1", "x\n\ny"),
            ("row 3, line 5", "3", "4"),
            ("row 4, line 6", "5\n", "6"),
            ("row 5, line 8", "7", "8"),
        ]

    @pytest.mark.parametrize("end", ["\n", ""])
    def test_a_single_field_over_two_lines(self, tmp_path: Path, end: str) -> None:
        assert _rows(tmp_path, f'a\n"x\ny"\nz{end}') == [("row 2", "x\ny"), ("row 3, line 4", "z")]

    def test_a_header_over_two_lines(self, tmp_path: Path) -> None:
        assert _rows(tmp_path, '"a\nb",c\n1,2\n') == [("row 2, line 3", "1", "2")]

    def test_blank_lines_are_passed_over_and_counted(self, tmp_path: Path) -> None:
        content = 'a,b\n\n1,2\n\r\n"x\ny",3\n\n\n5,6\n\n'
        assert _rows(tmp_path, content) == [
            ("row 3", "1", "2"),
            ("row 5", "x\ny", "3"),
            ("row 8, line 9", "5", "6"),
        ]

    def test_blank_lines_in_a_file_of_one_column(self, tmp_path: Path) -> None:
        assert _rows(tmp_path, 'a\n\n1\n""\n\n4') == [("row 3", "1"), ("row 4", None), ("row 6", "4")]

    def test_many_blank_lines(self, tmp_path: Path) -> None:
        """The library reads large files in parts: the count must not depend on where they are cut."""
        rows = _rows(tmp_path, "a,b\n" + '"5,\n pipe",x\n\n' * 50_000)
        assert len(rows) == 50_000
        assert rows[-1] == ("row 100000, line 149999", "5,\n pipe", "x")


class TestRecords:
    """What stands in a field is neither changed nor guessed."""

    def test_empty_fields(self, tmp_path: Path) -> None:
        assert _rows(tmp_path, 'a,b\n,""\n"",\n,\n') == [
            ("row 2", None, ""),
            ("row 3", "", None),
            ("row 4", None, None),
        ]

    def test_no_types_are_guessed(self, tmp_path: Path) -> None:
        content = "a,b,c,d\n007,1e3,NA,true\n null ,#x,-,2020-01-01\n"
        assert [row[1:] for row in _rows(tmp_path, content)] == [
            ("007", "1e3", "NA", "true"),
            (" null ", "#x", "-", "2020-01-01"),
        ]

    @pytest.mark.parametrize(
        ("content", "delimiter"),
        [
            ("a,b\r\n1,2\r\n", ","),
            ("\ufeffa,b\n1,2\n", ","),
            ('\ufeff"a","b"\n"1","2"', ","),
            ("a;b\n1;2\n", ";"),
            ("a\tb\n1\t2\n", "\t"),
            ("a|b\n1|2\n", "|"),
        ],
    )
    def test_line_ends_byte_order_marks_and_delimiters(self, tmp_path: Path, content: str, delimiter: str) -> None:
        assert _rows(tmp_path, content, delimiter) == [("row 2", "1", "2")]
        cells, _ = _read(tmp_path, content, delimiter)
        assert cells is not None
        assert cells.header == ["a", "b"]

    def test_delimiters_and_quotes_within_fields(self, tmp_path: Path) -> None:
        assert _rows(tmp_path, '"a,b",c\n"x, ""y""",""""\n') == [("row 2", 'x, "y"', '"')]

    def test_headers_may_be_equal_or_empty(self, tmp_path: Path) -> None:
        cells, _ = _read(tmp_path, "a,,a,a_duplicated_0,\n1,2,3,4,5\n")
        assert cells is not None
        assert cells.header == ["a", "", "a", "a_duplicated_0", ""]
        assert (cells.column("a").to_list(), cells.column("").to_list()) == (["1"], ["2"])
        assert cells.column("a_duplicated_0").to_list() == ["4"]

    def test_a_name_with_the_signs_of_a_pattern(self, tmp_path: Path) -> None:
        (tmp_path / "x[1]*.csv").write_text("a\n1\n")
        assert csv_file.read(Content(tmp_path, "x[1]*.csv")).height


DECLARED = "is declared with 'delimiter'"
NOT_UTF8 = "expected UTF-8 text; another 'encoding', such as windows-1252, can be set"
QUOTES = 'expected double quotes only around whole fields, and doubled ("") within them'


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("", ["expected a header and at least one row"]),
        ("\ufeff", ["expected a header and at least one row"]),
        ("a,b", ["expected at least one row"]),
        ("a,b\n", ["expected at least one row"]),
        ("a,b\n\n\n", ["expected at least one row"]),
        ("\na,b\n1,2\n", ["key row 1: expected a header, not a blank line"]),
        ("a,b\r1,2\r", ["expected lines that end in LF or CRLF, not in CR alone"]),
        ("a\nb\rc\n\nd\n", ["key row 2: expected lines that end in LF or CRLF, not in CR alone"]),
        ("a,b,c\n1,2,3\n4\n\n5,6\n", [
            "key row 3: found 1 field; expected 3, as in the header",
            "key row 5: found 2 fields; expected 3, as in the header",
        ]),
        ('a,b\n"x\ny",2\n3\n', ["key row 3, line 4: found 1 field; expected 2, as in the header"]),
        ("a,b\n1,2\n ", ["key row 3: found 1 field; expected 2, as in the header"]),
        ("a,b\n1,2,3\n4,5,6,7\n", [
            "key row 2: found 3 fields; expected 2, as in the header",
            "key row 3: found 4 fields; expected 2, as in the header",
        ]),
        ("a,b\n1,2,\n", ["key row 2: found 3 fields; expected 2, as in the header"]),
        ("a,b\n1,2,", ["key row 2: found 3 fields; expected 2, as in the header"]),
        ("a,b\n\n1,2,", ["key row 3: found 3 fields; expected 2, as in the header"]),
        ("a\n1\n2,", ["key row 3: found 2 fields; expected 1, as in the header"]),
        ('a,b\n"x"y,2\n', [f"key row 2: {QUOTES}"]),
        ('a,b\n1,2\n"x" ,2\n', [f"key row 3: {QUOTES}"]),
        ('a,b\n"x\\"y",2\n', [f"key row 2: {QUOTES}"]),
        ('a,b\n1,2\n"x,2\n3,4\n', ["key row 3: expected the double quote that closes a field"]),
        ('a,b\n"x\ny",2\n"x,2\n3,4\n', ["key row 3, line 4: expected the double quote that closes a field"]),
        ('a,"b\n1,2\n', ["key row 1: expected the double quote that closes a field"]),
        (b"a,b\n1,2\nx,D\xe4\n", [f"key line 3, byte 4: found e4; {NOT_UTF8}"]),
        (b"a,\xe4\n1,2\n", [f"key line 1, byte 3: found e4; {NOT_UTF8}"]),
        ("a,b\n1,2\n".encode("utf-16"), [f"key line 1, byte 1: found ff; {NOT_UTF8}"]),
        ("a;b;c\n1;2,5;3\n", [
            f"key row 1: found a;b;c; expected columns separated by ','; another separator {DECLARED}",
        ]),
    ],
)  # fmt: skip
def test_broken_files(tmp_path: Path, content: str | bytes, problems: list[str]) -> None:
    assert _read(tmp_path, content)[1] == [f"x.csv: {problem}" for problem in problems]


def test_a_fault_beyond_the_first_kilobytes(tmp_path: Path) -> None:
    content = b"a,b\n" + b"some text,2\n" * 10_000
    assert _read(tmp_path, content + b"D\xe4,1\n")[1] == [f"x.csv: key line 10002, byte 2: found e4; {NOT_UTF8}"]
    assert _read(tmp_path, content + b"1\n")[1] == ["x.csv: key row 10002: found 1 field; expected 2, as in the header"]
    assert _read(tmp_path, content + b"1,2,3\n" + b"1,2\n" * 10_000)[1] == [
        "x.csv: key row 10002: found 3 fields; expected 2, as in the header"
    ]


def test_a_very_long_field_in_a_file_that_is_broken_elsewhere(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    content = f'a,b\n"{"x" * (limit + 1)}",2\n3\n'
    assert _read(tmp_path, content)[1] == ["x.csv: key row 3: found 1 field; expected 2, as in the header"]
    assert csv.field_size_limit() == limit


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, reason in (("none.csv", "No such file or directory"), ("folder.csv", "a folder, not a regular file")):
        with pytest.raises(DataError) as raised:
            csv_file.read(Content(tmp_path, name))
        assert str(raised.value) == f"{name}: found {reason}; expected a readable file"


FIELDS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=4) | st.sampled_from(
    ["", "\n", '"', ",", 'a,"b"\n', "\r\n", "\n\n", "é\n,"]
)


@given(
    table=st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=2, max_size=6)
    ),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_the_standard_library_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    table: list[list[str]],
    delimiter: str,
    end: str,
    quoting: Literal[0, 1],
) -> None:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting)
    keys: list[str] = []
    for number, row in enumerate(table, start=1):
        line = file.getvalue().count("\n") + 1
        keys.append(f"row {number}" if line == number else f"row {number}, line {line}")
        writer.writerow(row)
    cells, problems = _read(tmp_path_factory.getbasetemp(), file.getvalue(), delimiter)
    assert problems == []
    assert cells is not None
    assert cells.header == table[0]
    assert [tuple(cell or "" for cell in row) for row in cells.cells.iter_rows()] == [tuple(row) for row in table[1:]]
    assert cells.keys.to_list() == keys[1:]


@given(
    content=st.binary(max_size=60)
    | st.lists(st.sampled_from(["a", ",", '"', '""', "\n", "\r\n", "\r", " ", "\0"]), max_size=25).map(
        lambda parts: ("h,i\n" + "".join(parts)).encode()
    )
)
def test_any_bytes_are_read_or_reported(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    cells, problems = _read(tmp_path_factory.getbasetemp(), content)
    assert all(problem.isprintable() for problem in problems)
    if cells is None or b"\r" in content.replace(b"\r\n", b""):
        return
    records = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    assert cells.header == records[0]
    rows = [tuple(cell or "" for cell in row) for row in cells.cells.iter_rows()]
    assert rows == [tuple(record) for record in records[1:] if record]

"""Good and bad rows apart: byte by byte what stood in the files, and none lost."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallybook.study.record_sources import RecordSource
from tallybook.validation.model import Failure
from tallybook.validation.quarantine import write
from tests.validation.reports import report
from tests.validation.small import CLEAN, rows

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = 'key = ["model", "age", "item", "sample"]\n'
GOOD, BAD = Path("q/good"), Path("q/bad")


def split(name: str, *keys: str, reading: RecordSource | None = None) -> tuple[int, int, int]:
    """Quarantine the records of a file under some keys."""
    made = report([Failure("levels", "error", name, None, key, "x", "y", "z") for key in keys])
    (one,) = [one for one in write(made, Path("q"), {name: reading} if reading else {}) if one.file == name]
    assert json.loads(Path("q/quarantine.json").read_text())[name] == {
        "records": one.records, "good": one.good, "bad": one.bad,
    }  # fmt: skip
    return one[1:]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.jsonl").write_text("{}\n")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    return tmp_path


def test_csv(folder: Path) -> None:
    text = 'x,"y ""z"""\r\n1,"a\r\nb"\r\n\r\n2, c \r\n3,""\r\n4,d'
    (folder / "t.csv").write_bytes(text.encode())
    assert split("t.csv", "row 4, line 5", "row 6, line 7") == (4, 2, 2)
    assert (GOOD / "t.csv").read_bytes() == b'x,"y ""z"""\r\n1,"a\r\nb"\r\n\r\n3,""\r\n'
    assert (BAD / "t.csv").read_bytes() == b'x,"y ""z"""\r\n\r\n2, c \r\n4,d'


def test_jsonl(folder: Path) -> None:
    lines = ['{"a": 1.50, "b":  "\\u00e9"}', "not json", "", '{"a": 2}']
    (folder / "t.jsonl").write_text("\n".join(lines))
    assert split("t.jsonl", "line 2") == (3, 2, 1)
    assert (GOOD / "t.jsonl").read_text() == f"{lines[0]}\n\n{lines[3]}"
    assert (BAD / "t.jsonl").read_text() == "not json\n\n"


def test_parquet(folder: Path) -> None:
    table = pl.DataFrame({"_row": [1, 2, 3], "b": [1.5, None, 2.5], "c": [["x"], [], None]})
    table.write_parquet(folder / "t.parquet")
    assert split("t.parquet", "row 1", "row 3") == (3, 1, 2)
    assert pl.read_parquet(GOOD / "t.parquet").equals(table[1:2])
    assert pl.read_parquet(BAD / "t.parquet").equals(table[[0, 2]])


def test_other_formats_become_parquet(folder: Path) -> None:
    with xlsxwriter.Workbook(folder / "t.xlsx") as book:
        sheet = book.add_worksheet()
        for number, cells in enumerate([["a", "b"], ["x", 1], ["y", 2]]):
            sheet.write_row(number, 0, cells)
    assert split("t.xlsx", "row 3") == (2, 1, 1)
    assert pl.read_parquet(BAD / "t.xlsx.parquet").rows() == [("y", "2", "row 3")]
    (folder / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n"))
    assert split("t.csv.gz", "row 2") == (2, 1, 1)
    assert pl.read_parquet(GOOD / "t.csv.gz.parquet").rows() == [("3", "4", "row 3")]


def test_databases_become_parquet(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "t.db")) as database, database:
        database.execute("create table t (a, b)")
        database.executemany("insert into t values (?, ?)", [("x", 1), ("y", 2.5), (None, b"\0")])
        database.execute("insert into t values (cast(x'ff' as text), 4)")
    # What is not text at all has its place alone: the bytes are in the database.
    assert split("t.db", "record 2", "record 4") == (4, 2, 2)
    assert pl.read_parquet(GOOD / "t.db.parquet").rows() == [("x", "1", "record 1"), (None, None, "record 3")]
    assert pl.read_parquet(BAD / "t.db.parquet").rows() == [("y", "2.5", "record 2"), (None, None, "record 4")]


def test_keyed_json(folder: Path) -> None:
    (folder / "t.json").write_text('{"0_0": {"a": 1}, "0_1": {"a": "é"}}')
    assert split("t.json", "0_1") == (2, 1, 1)
    assert json.loads((GOOD / "t.json").read_text()) == {"0_0": {"a": 1}}
    assert json.loads((BAD / "t.json").read_text()) == {"0_1": {"a": "é"}}


@pytest.mark.parametrize("key", ["", "byte 7", "row 99"])
def test_a_file_in_which_the_bad_cannot_be_told_is_bad_as_a_whole(folder: Path, key: str) -> None:
    (folder / "t.csv").write_bytes(b'x,y\n1,"\xff\n')
    assert split("t.csv", key) == (1, 0, 1)
    assert (BAD / "t.csv").read_bytes() == b'x,y\n1,"\xff\n'
    assert not (GOOD / "t.csv").exists()


def test_a_file_with_cr_within_fields_is_bad_as_a_whole(folder: Path) -> None:
    """The row that follows has another number for whoever takes CR for a line end."""
    (folder / "t.csv").write_bytes(b"x,y\n1,a\rb\n2,c\n")
    assert split("t.csv", "row 3") == (1, 0, 1)
    assert (BAD / "t.csv").read_bytes() == b"x,y\n1,a\rb\n2,c\n"


def test_a_file_at_fault_as_a_whole_counts_its_rows(folder: Path) -> None:
    (folder / "t.csv").write_text("x\n1\n2\n3\n")
    assert split("t.csv", "") == (3, 0, 3)
    assert (BAD / "t.csv").read_text() == "x\n1\n2\n3\n"


ENCODED = {
    "utf-8": ("utf-8", b""),
    "utf-8 with a mark": ("utf-8", b"\xef\xbb\xbf"),
    "windows-1252": ("windows-1252", b""),
    "iso-8859-1": ("iso-8859-1", b""),
    "utf-16, big-endian": ("utf-16-be", b"\xfe\xff"),
    "utf-16, little-endian": ("utf-16-le", b"\xff\xfe"),
}
encodings = st.sampled_from(sorted(ENCODED))
cells = st.text(st.sampled_from('ab,;"\n\r éÿ'), max_size=4)
ends = st.sampled_from(["\n", "\r\n"])


def reading_of(encoding: str, form: str, delimiter: str | None = None) -> tuple[RecordSource, str, bytes]:
    """How a study reads a file, and for whoever writes it: the encoding, and the mark at its start."""
    codec, mark = ENCODED[encoding]
    declared = {"format": form, "files": "p", "columns": {"text": {"path": "x"}}}
    declared |= {"delimiter": delimiter, "encoding": "utf-16" if codec.startswith("utf-16") else codec}
    return RecordSource.model_validate(declared), codec, mark


def assert_apart(name: str, head: bytes, records: list[bytes], bad: set[int]) -> None:
    """Both parts are the head and their records, byte by byte, in their order; without records there is no part."""
    for part, wanted in ((GOOD, False), (BAD, True)):
        chosen = [record for number, record in enumerate(records) if (number in bad) is wanted]
        assert (part / name).exists() is bool(chosen)
        if chosen:
            assert (part / name).read_bytes() == head + b"".join(chosen)


def without_end(records: list[str]) -> list[str]:
    return [*records[:-1], records[-1].rstrip("\r\n")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(cells, cells, ends), min_size=1, max_size=8),
    encodings,
    st.tuples(st.sampled_from(",;\t|"), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]), st.booleans()),
    st.data(),
)
def test_no_byte_of_a_row_is_lost(
    folder: Path,
    made: list[tuple[str, str, str]],
    encoding: str,
    form: tuple[str, Any, bool],
    data: st.DataObject,
) -> None:
    delimiter, quoting, has_end = form

    def row(*fields: str, end: str = "\n") -> str:
        buffer = io.StringIO(newline="")
        written = [
            field if quoting == csv.QUOTE_ALL else field.replace("\r", "") for field in fields
        ]  # CR needs quotes
        csv.writer(buffer, quoting=quoting, delimiter=delimiter, lineterminator=end).writerow(written)
        return buffer.getvalue()

    reading, codec, mark = reading_of(encoding, "csv", delimiter)
    rows = [row(*fields, end=end) for *fields, end in made]
    rows = rows if has_end or '"' in rows[-1] else without_end(rows)
    head, records = mark + row("x", "ü\ny").encode(codec), [one.encode(codec) for one in rows]
    (folder / "p.csv").write_bytes(head + b"".join(records))
    bad = data.draw(st.sets(st.integers(0, len(made) - 1), min_size=1))
    counts = split("p.csv", *(f"row {number + 2}" for number in bad), reading=reading)
    assert counts == (len(made), len(made) - len(bad), len(bad))
    assert_apart("p.csv", head, records, bad)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(cells, st.booleans(), ends), min_size=1, max_size=8), encodings, st.booleans(), st.data())
def test_no_byte_of_a_line_is_lost(
    folder: Path, made: list[tuple[str, bool, str]], encoding: str, has_end: bool, data: st.DataObject
) -> None:
    reading, codec, mark = reading_of(encoding, "jsonl")
    lines = [
        (json.dumps(cell, ensure_ascii=False) if whole else "{" + cell.strip("\r\n").replace("\n", "") + "x") + end
        for cell, whole, end in made
    ]
    records = [line.encode(codec) for line in (lines if has_end else without_end(lines))]
    (folder / "p.jsonl").write_bytes(mark + b"".join(records))
    bad = data.draw(st.sets(st.integers(0, len(made) - 1), min_size=1))
    counts = split("p.jsonl", *(f"line {number + 1}" for number in bad), reading=reading)
    assert counts == (len(made), len(made) - len(bad), len(bad))
    assert_apart("p.jsonl", mark, records, bad)


@pytest.mark.parametrize("codec", ["windows-1252", "utf-16"])
@pytest.mark.parametrize("delimiter", [";", "|"])
def test_as_the_study_reads_it(validate: Callable[..., tuple[int, str, str]], codec: str, delimiter: str) -> None:
    """Good records are valid by themselves, and the parts are in the study's encoding."""
    for name in ("a.csv", "b.jsonl"):
        Path(name).unlink()
    declared = f'format = "csv"\nencoding = "{codec}"\ndelimiter = "{delimiter}"'
    study = KEY + CLEAN["study.toml"].replace('format = "csv"', declared)
    text = rows("alpha", (3, "schön,q,0,odl,left\n")).replace(",", delimiter)
    files = {
        "study.toml": study,
        "alpha.csv": text.encode(codec),
        "beta.csv": rows("beta").replace(",", delimiter).encode(codec),
    }
    assert validate(files, ".", "--quarantine", "q")[0] == 1
    assert (BAD / "alpha.csv").read_bytes().decode(codec).splitlines()[1:] == [
        delimiter.join(["schön", "q", "0", "odl", "left"])
    ]
    assert not (BAD / "beta.csv").exists()
    code, out, _ = validate({}, "study.toml", "--data", "q/good")
    assert (code, out.splitlines()[0]) == (0, "valid: 2 files, 23 responses (23 ok)")


def test_rows_of_another_width_are_bad_and_the_others_are_checked(
    validate: Callable[..., tuple[int, str, str]],
) -> None:
    for name in ("a.csv", "b.jsonl"):
        Path(name).unlink()
    files = CLEAN | {"study.toml": KEY + CLEAN["study.toml"]}
    files |= {"alpha.csv": rows("alpha", (1, "x,q\n"), (3, "x,q,0,odl,left\n"), (5, "x,q,0,old,left,\n"))}
    code, out, _ = validate(files, ".", "--quarantine", "q")
    assert (code, out.splitlines()[-1]) == (1, "quarantine: 21 good and 3 bad rows in q")
    assert out.splitlines()[:3] == [
        "error: alpha.csv:3: found 2 fields; expected 5, as in the header [records]",
        "error: alpha.csv:7: found 6 fields; expected 5, as in the header [records]",
        "error: alpha.csv:5: column age: found odl; expected one of old, young [levels]",
    ]
    assert validate({}, "study.toml", "--data", "q/good")[0] == 0


def test_with_the_command(validate: Callable[..., tuple[int, str, str]]) -> None:
    for name in ("a.csv", "b.jsonl"):
        Path(name).unlink()
    files = CLEAN | {"study.toml": KEY + CLEAN["study.toml"]}
    files |= {"alpha.csv": rows("alpha", (3, "x,q,0,odl,left\n"))}
    code, out, _ = validate(files, ".", "--quarantine", "q")
    assert (code, out.splitlines()[-1]) == (1, "quarantine: 23 good and 1 bad rows in q")
    assert (BAD / "alpha.csv").read_text().splitlines()[1:] == ["x,q,0,odl,left"]
    assert validate(files, ".", "--quarantine", "q")[0] == 1  # an earlier one is replaced
    assert validate({"other/mine.txt": ""}, ".", "--quarantine", "other")[0] == 2
    assert validate({"study.toml": files["study.toml"]}, ".", "--data", "q/good")[0] == 0

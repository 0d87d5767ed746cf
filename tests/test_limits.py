"""The limits that docs/security.md lists, with small ones in their place: what is beyond is told with its line."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING
from zipfile import ZipFile

import polars as pl
import pytest

from tallybook import pipeline
from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.issue_log import IssueLog
from tallybook.sources import content as contents
from tallybook.sources import csv_file, csv_records, json_blocks, parquet_bounds, sqlite_file
from tallybook.sources.content import Content
from tallybook.sources.formats import apart
from tallybook.sources.formats.registry import named
from tallybook.sources.patterns import Pattern
from tallybook.study.loading import load
from tallybook.validation import user_schemas
from tests.validation.small import HEADER, STUDY

if TYPE_CHECKING:
    from pathlib import Path


def records(path: Path, form: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The keys of the records that are read, and what is told: key and expectation."""
    content, keys, problems = Content(path.parent, path.name), list[str](), list[Problem]()
    try:
        for part in named(form).read(content, []):
            keys += part.keys.to_list()
    except DataError as error:
        problems = error.problems
    return keys, [(one.key, one.expected) for one in (*content.problems, *problems)]


def test_a_quote_that_nothing_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_records, "MOST_FIELD", 1000)
    monkeypatch.setattr(csv_file, "MOST_LINE", 2000)
    monkeypatch.setattr(csv_records, "AT_ONCE", 500)
    path = tmp_path / "a.csv"
    path.write_text('id,text\n1,a\n2,"b\n' + "3,c\n" * 5000)
    keys, told = records(path, "csv")
    assert keys == ["row 2", *(f"row {number}" for number in range(4, 5004))]
    assert told == [("row 3", "a field of at most 1,000 characters, the double quote that closes it among them")]


def test_a_long_line_of_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (csv_records, csv_file):
        monkeypatch.setattr(module, "MOST_LINE", 1000)
    monkeypatch.setattr(csv_records, "AT_ONCE", 500)
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,a\n2," + "b" * 5000 + "\n3,c\n")
    told = [("row 3", "a CSV record (of at most 1,000 characters in a line)")]
    assert records(path, "csv") == (["row 2", "row 4"], told)


WRONG = {
    "types": "alpha,p{0},x,old,left\n",
    "levels": "alpha,p{0},0,ol{0},left\n",
    "keys": "alpha,p,0,old,left\n",
}


@pytest.mark.parametrize("kind", WRONG)
def test_many_wrong_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    study = STUDY.replace("[[sources]]", 'key = ["model", "age", "item", "sample"]\n[[sources]]', 1)
    (tmp_path / "study.toml").write_text(study)
    for model in ("alpha", "beta"):
        (tmp_path / f"{model}.csv").write_text(HEADER + "".join(WRONG[kind].format(number) for number in range(500)))
    strict, whole = list[tuple[str, int]](), list[str]()
    for most in (2**16, 25):
        for module in ("core.issue_log", "sources.record_faults", "sources.reading"):
            monkeypatch.setattr(f"tallybook.{module}.MOST", most)
        with pytest.raises(DataError) as raised:
            pipeline.read_and_code(load(str(tmp_path)))
        strict.append((str(raised.value), len(raised.value.problems)))
        with closing(IssueLog()) as told:  # as `validate` does, which lists each
            with suppress(DataError):
                pipeline.read_and_code(load(str(tmp_path)), issues=told)
            whole.append(pl.concat(told.parts()).sort("file", "key", "column").write_csv())
    (message, every), (same, kept) = strict
    assert (message, whole[0], every) == (same, whole[1], 1000)
    assert message.endswith("... and 981 more")
    assert kept < 100


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_long_line_of_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    for module in (contents, json_blocks):
        monkeypatch.setattr(module, "MOST_LINE", 1000)
    monkeypatch.setattr(json_blocks, "AT_ONCE", 100)
    monkeypatch.setattr(json_blocks, "START", 64)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "1"}\n{"a": "' + "x" * 5000 + '"}\n{"a": "3"}\n{"a": "' + "y" * 5000 + '"}' + end)
    too_long = "at most 1,000 bytes in a line"
    assert records(path, "jsonl") == (["line 1", "line 3"], [("line 2", too_long), ("line 4", too_long)])


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_deep_json(tmp_path: Path, form: str) -> None:
    path = tmp_path / "a.json"
    deep = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    path.write_text(deep if form == "jsonl" else f"[{deep}]")
    keys, ((_, told),) = records(path, form)
    assert not keys
    assert "JSON that nests at most" in told


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_many_columns(tmp_path: Path, form: str) -> None:
    path = tmp_path / "a"
    names = [f"c{number}" for number in range(10_000)]
    if form == "csv":
        path.write_text(f"{','.join(names)}\n" + "1," * 9_999 + "1\n")
    else:
        path.write_text("{" + ",".join(f'"{name}": 1' for name in names) + "}\n")
    assert records(path, form)[0] == ["row 2" if form == "csv" else "line 1"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_a_file_that_expands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr(contents, "FREE", 10_000)
    monkeypatch.setattr(contents, "MOST_RATIO", 100)
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * 1_000_000))
    _, told = records(path, form)
    assert "compressed data that expand to at most 100 times their size" in {expected for _, expected in told}


def test_a_file_that_is_compressed_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(gzip.compress(b"id,text\n1,a\n")))
    with pytest.raises(DataError, match="compressed once"):
        Content(tmp_path, path.name).start()


def test_a_parquet_file_of_one_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_bounds, "FREE", 10_000)
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["a"] * 1_000_000}).write_parquet(path)  # which takes a few bytes in it
    keys, told = records(path, "parquet")
    assert (keys, told) == ([], [("", parquet_bounds.WITHIN)])
    pl.DataFrame({"text": [f"a {number}" for number in range(20_000)]}).write_parquet(path)
    assert len(records(path, "parquet")[0]) == 20_000


def test_a_long_value_of_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "MOST_LINE", 1000)
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as made:
        made.execute("create table answers (text text)")
        made.executemany("insert into answers values (?)", [("a",), ("b" * 5000,)])
        made.commit()
    keys, told = records(tmp_path / "a.sqlite", "sqlite")
    assert (len(keys), [words for _, words in told]) == (0, ["at most 1,000 bytes in a value"])


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_damaged_parquet_file(tmp_path: Path, part: float) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": [f"a {number}" for number in range(2000)]}).write_parquet(path)
    whole = bytearray(path.read_bytes())
    place = int(part * len(whole))
    whole[place : place + 30] = b"\xff" * 30
    path.write_bytes(whole)
    with suppress(UsageError):  # which names the file
        keys, told = records(path, "parquet")
        assert told or len(keys) == 2000


def test_a_schema_with_a_number_of_more_than_64_bits(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text('{"properties": {"a": {"type": "integer", "maximum": ' + "9" * 30 + "}}}")
    with pytest.raises(UsageError, match="is too large for a table"):
        user_schemas.load(str(path))


def test_a_panic_is_not_told_twice(capfd: pytest.CaptureFixture[str]) -> None:
    def panics() -> None:
        with parquet_bounds.quietly():
            os.write(2, b"thread panicked at a.rs\n")
            raise pl.exceptions.PanicException("of a crafted file")

    with pytest.raises(pl.exceptions.PanicException):
        panics()
    with parquet_bounds.quietly():
        os.write(2, b"progress\n")
    assert capfd.readouterr().err == "progress\n"


def test_a_damaged_parquet_file_ends_another_process(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": [f"a {number}" for number in range(2000)]}).write_parquet(path)
    assert apart.can_be_decoded(path)
    whole = bytearray(path.read_bytes())
    whole[40:200] = b"\xff" * 160
    (tmp_path / "b.parquet").write_bytes(whole)
    assert not apart.can_be_decoded(tmp_path / "b.parquet")
    process, _ = apart.decoder()
    process.kill()  # as a file does that asks for more memory than there is
    assert not apart.can_be_decoded(path)
    assert apart.can_be_decoded(path)
    assert capfd.readouterr().err == ""


def test_more_columns_than_any_file_has(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("," * 2**20 + "\n")
    told = [("row 1", f"at most {csv_records.MOST_COLUMNS:,} columns")]
    assert records(path, "csv") == ([], told)


def test_a_sheet_with_more_cells_in_a_row_than_columns(tmp_path: Path) -> None:
    sound, path = io.BytesIO(), tmp_path / "a.xlsx"
    pl.DataFrame({"text": ["a"]}).write_excel(sound)
    row = b"<row><c><v>1</v></c>" + b"<c><v>1</v></c>" * apart.MOST_COLUMNS
    with ZipFile(sound) as book, ZipFile(path, "w") as wide:
        for name in book.namelist():
            sheet = book.read(name)
            wide.writestr(name, sheet.replace(b"<row", row + b"</row><row", 1) if "sheet1" in name else sheet)
    assert records(path, "excel") == ([], [("", "a spreadsheet of at most 16,384 columns")])


def test_a_long_key_of_many_parts() -> None:
    form = Pattern.parse("{a}_{b}_{c}")
    assert form.match("_" * 1_000_000 + "/") is None
    assert form.match("_" * 1_000_000) == {"a": "_" * 999_996, "b": "_", "c": "_"}
    assert form.match("x" * 4_000 + "_y_z") == {"a": "x" * 4_000, "b": "y", "c": "z"}


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_a_name_twice_among_many(tmp_path: Path, form: str) -> None:
    path = tmp_path / "a"
    record = "{" + ",".join(f'"k{number}":1' for number in range(200_000)) + ',"k199999":1}'
    path.write_text(record if form == "jsonl" else f"[{record}]")
    ((_, told),) = records(path, form)[1]
    assert told == "the name 'k199999' once in an object"

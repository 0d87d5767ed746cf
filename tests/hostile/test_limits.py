"""The limits that docs/security.md lists, with small ones in their place: what is beyond is told with its line."""

from __future__ import annotations

import gzip
import io
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING
from zipfile import ZipFile

import polars as pl
import pytest

from tallybook import pipeline
from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.issue_log import IssueLog
from tallybook.published.audit_files import reading as audit_files
from tallybook.published.audit_files.auditing import audit
from tallybook.published.audit_files.reading import read as read_tables
from tallybook.sources import content as contents
from tallybook.sources import csv_file, csv_records, json_blocks, reading, sqlite_file
from tallybook.sources.content import Content
from tallybook.sources.formats import subprocess_reader
from tallybook.sources.formats.registry import format_by_name
from tallybook.sources.patterns import Pattern
from tallybook.study.loading import load
from tallybook.validation import user_schemas
from tests.hostile.linear import prepared
from tests.integration.validation.small import HEADER, STUDY

if TYPE_CHECKING:
    from pathlib import Path


def records(path: Path, form: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The keys of the records that are read, and what is told: key and expectation."""
    content, keys, problems = Content(path.parent, path.name), list[str](), list[Problem]()
    try:
        for part in format_by_name(form).read(content, []):
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


def test_a_part_ends_by_its_number_of_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_records, "AT_ONCE", 200 * 128)
    path = tmp_path / "a.csv"
    path.write_text("id,text\n" + "3\n" * 1000)
    content = Content(tmp_path, "a.csv")
    told = [len(content.problems) for _ in format_by_name("csv").read(content, [])]
    assert [*told[:2], len(content.problems)] == [196, 393, 1000]


def test_a_table_that_pandoc_makes_larger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cell = tmp_path / "a.html", "<tr><td colspan=99999999>mean</td></tr>"
    path.write_text(f"<table>{cell}<tr><td>1</td></tr></table>")
    assert len(read_tables(path).tables[0].headers) == 500
    monkeypatch.setattr(audit_files, "MOST_CONVERTED", 2**16)
    path.write_text(f"<table>{cell}{'<tr><td>1</td></tr>' * 10}</table>")
    with pytest.raises(UsageError, match="expected tables of fewer cells"):
        read_tables(path)


def test_a_document_too_large_to_be_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("mean,n\n1.5,10\n")
    assert len(read_tables(path).tables) == 1
    monkeypatch.setattr(audit_files, "LARGEST", 10)
    with pytest.raises(UsageError, match=r"a\.csv: expected a document of at most 10 bytes"):
        read_tables(path)


@pytest.mark.parametrize(
    "table",
    [
        {"mean": "1e308", "n": "1e308"},
        {"mean": "3.45", "sd": "1.2", "n": "9" * 18},
        {"t": "1e400", "df": "1", "p": ".05"},
        {"estimate": "1e17", "se": "1e-300"},
        {"d": "2", "t": "5", "n1": "0", "n2": "1"},
        {"d": "100", "t": "0.5", "df": "-1"},
    ],
)
def test_printed_numbers_that_no_study_found(table: dict[str, str]) -> None:
    assert "impossible" not in audit(pl.DataFrame(table))["severity"].to_list()


def test_a_text_too_long_to_be_coded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_TEXT", 1000)
    dump = prepared(tmp_path / "study", "number")
    sound = pipeline.read_and_code(load(str(tmp_path / "study"))).by_status
    texts = ["9" * 1000, "9 " * 600, *dump["text"].to_list()[2:]]
    dump.with_columns(pl.Series("text", texts)).write_csv(tmp_path / "study" / "responses.csv")
    made = pipeline.read_and_code(load(str(tmp_path / "study")))
    told = [(one.key, one.column, one.value, one.expected) for one in made.findings]
    expected = "at most 1,000 characters in a text that is coded: the response counts as an error"
    assert told == [("row 3", "text", "1200 characters", expected)]
    assert made.by_status["error"] == sound.get("error", 0) + 1
    assert sum(made.by_status.values()) == sum(sound.values())


@pytest.mark.parametrize(("kind", "column"), [("number", "text"), ("judge", "first_verdict")])
def test_more_digits_than_a_number_has(tmp_path: Path, kind: str, column: str) -> None:
    dump, study = prepared(tmp_path / "study", kind), tmp_path / "study" / "study.toml"
    study.write_text(study.read_text().replace("lowest = 1\nhighest = 5\n", ""))
    texts = ["9" * 1000, "9" * 400 + ".5", *dump[column].to_list()[2:]]
    dump.with_columns(pl.Series(column, texts)).write_csv(tmp_path / "study" / "responses.csv")
    made = pipeline.read_and_code(load(str(tmp_path / "study"))).coded
    assert made.height == dump.height
    assert all(made.select(pl.col(pl.Float64).is_finite().all()).row(0))
    assert made["number" if kind == "number" else "first_score"].is_null().head(2).all()


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


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_parquet_file_of_one_value(tmp_path: Path, *, is_packed: bool) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["a"] * (2**26 + 1)}).write_parquet(path)  # which takes a few bytes in it
    path.write_bytes(gzip.compress(path.read_bytes()) if is_packed else path.read_bytes())
    assert records(path, "parquet") == ([], [("", "a Parquet file of at most 100 values for each of its bytes")])


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
    with pytest.raises(UsageError, match="a number of at most 64 bits"):
        user_schemas.load(str(path))


@pytest.mark.parametrize("place", [40, 0.5])
def test_a_damaged_parquet_file_of_any_size(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, place: float
) -> None:
    """What ends the process that reads it harms no other: the next file is read."""
    monkeypatch.setattr(subprocess_reader, "MOST_MEMORY", 2**31)
    sound, damaged = tmp_path / "a.parquet", tmp_path / "b.parquet"
    texts = [f"{number:x} {hash(str(number))}" for number in range(600_000)]
    pl.DataFrame({"text": texts}).write_parquet(sound, row_group_size=150_000)
    whole = bytearray(sound.read_bytes())
    assert len(whole) > 2**22
    start = int(place * len(whole)) if isinstance(place, float) else place
    whole[start : start + 3000] = b"\xff" * 3000
    damaged.write_bytes(whole)
    with suppress(UsageError):  # which names the file
        keys, told = records(damaged, "parquet")
        assert told or len(keys) == len(texts)
    assert len(records(sound, "parquet")[0]) == len(texts)
    assert capfd.readouterr().err == ""


def test_a_process_that_ends_between_files(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["a"]}).write_parquet(path)
    assert records(path, "parquet")[0] == ["row 1"]
    for processes in subprocess_reader.IDLE.values():
        for process in processes:
            process.kill()
            process.wait()
    assert records(path, "parquet")[0] == ["row 1"]


def test_a_file_that_is_read_while_another_is(tmp_path: Path) -> None:
    for name in ("a", "b"):
        pl.DataFrame({"text": [name] * 3}).write_parquet(tmp_path / f"{name}.parquet")
    one, other = (subprocess_reader.frames(Content(tmp_path, f"{name}.parquet"), "Parquet file") for name in ("a", "b"))
    assert [next(one).item(0, 0), next(other).item(0, 0), *one, *other] == ["a", "b"]


def test_more_columns_than_any_file_has(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("," * 2**20 + "\n")
    told = [("row 1", f"at most {csv_records.MOST_COLUMNS:,} columns")]
    assert records(path, "csv") == ([], told)


def test_a_sheet_with_more_cells_in_a_row_than_columns(tmp_path: Path) -> None:
    sound, path = io.BytesIO(), tmp_path / "a.xlsx"
    pl.DataFrame({"text": ["a"]}).write_excel(sound)
    row = b"<row><c><v>1</v></c>" + b"<c><v>1</v></c>" * subprocess_reader.MOST_COLUMNS
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

"""Good and bad rows apart: byte by byte what stood in the files, and none lost."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.validation.model import Failure
from analysis.validation.quarantine import write
from tests.validation.reports import report
from tests.validation.small import CLEAN, rows

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD, BAD = Path("q/good"), Path("q/bad")


def split(name: str, *keys: str) -> tuple[int, int, int]:
    """Quarantine the records of a file under some keys."""
    made = report([Failure("levels", "error", name, None, key, "x", "y", "z") for key in keys])
    (one,) = [one for one in write(made, Path("q")) if one.file == name]
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
    assert (BAD / "t.csv").read_bytes() == b'x,"y ""z"""\r\n\r\n2, c \r\n4,d\n'


def test_jsonl(folder: Path) -> None:
    lines = ['{"a": 1.50, "b":  "\\u00e9"}', "not json", "", '{"a": 2}']
    (folder / "t.jsonl").write_text("\n".join(lines))
    assert split("t.jsonl", "line 2") == (3, 2, 1)
    assert (GOOD / "t.jsonl").read_text() == f"{lines[0]}\n\n{lines[3]}\n"
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


def test_a_file_at_fault_as_a_whole_counts_its_rows(folder: Path) -> None:
    (folder / "t.csv").write_text("x\n1\n2\n3\n")
    assert split("t.csv", "") == (3, 0, 3)
    assert (BAD / "t.csv").read_text() == "x\n1\n2\n3\n"


cells = st.text(st.sampled_from('ab,"\n\r é'), max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.data())
def test_no_row_is_lost(folder: Path, made: list[tuple[str, str]], data: st.DataObject) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([("x", "y"), *made])
    (folder / "p.csv").write_bytes(buffer.getvalue().encode())
    bad = data.draw(st.sets(st.integers(0, len(made) - 1)))
    counts = split("p.csv", *(f"row {number + 2}" for number in bad)) if bad else (len(made), len(made), 0)
    assert counts == (len(made), len(made) - len(bad), len(bad))
    if bad:
        for part, wanted in ((GOOD, False), (BAD, True)):
            with (part / "p.csv").open(newline="", encoding="utf-8") as file:
                assert list(csv.reader(file))[1:] == [
                    list(row) for number, row in enumerate(made) if (number in bad) is wanted
                ]


def test_with_the_command(validate: Callable[..., tuple[int, str, str]]) -> None:
    for name in ("a.csv", "b.jsonl"):
        Path(name).unlink()
    study = CLEAN["study.toml"]
    files = CLEAN | {"study.toml": 'key = ["model", "age", "item", "sample"]\n' + study}
    files |= {"alpha.csv": rows("alpha", (3, "x,q,0,odl,left\n"))}
    code, out, _ = validate(files, ".", "--quarantine", "q")
    assert (code, out.splitlines()[-1]) == (1, "quarantine: 23 good and 1 bad rows in q")
    assert (BAD / "alpha.csv").read_text().splitlines()[1:] == ["x,q,0,odl,left"]
    assert validate(files, ".", "--quarantine", "q")[0] == 1  # an earlier one is replaced
    assert validate({"other/mine.txt": ""}, ".", "--quarantine", "other")[0] == 2
    assert validate({"study.toml": files["study.toml"]}, ".", "--data", "q/good")[0] == 0

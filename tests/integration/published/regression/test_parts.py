"""How files of each kind are compared: by rows and lines."""

from __future__ import annotations

import json
from inspect import signature
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.cli import computing
from tallybook.published.regression import frames
from tallybook.published.regression.comparing import compare_lines, compare_manifests, versions
from tallybook.published.regression.frames import PLATFORMS, are_near
from tallybook.published.regression.telling import line

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.published.regression.files import Difference

CELLS = "table,row,column,statistic,value,text\n1,a,x,n,1.0,1\n1,b,x,n,2.0,2\n"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """The folders of what is committed and of what is made now."""
    folders = tmp_path / "then", tmp_path / "now"
    for folder in folders:
        folder.mkdir()
    return folders


def told(found: list[Difference]) -> list[str]:
    assert all(one.times == 1 for one in found)
    return [line(difference) for difference in found]


def of_frames(sides: tuple[Path, Path], then: str | bytes, now: str = CELLS, file: str = "tables.csv") -> list[str]:
    (sides[0] / file).write_bytes(then if isinstance(then, bytes) else then.encode())
    (sides[1] / file).write_text(now)
    return told(frames.compare(file, sides[0] / file, sides[1] / file, 1e-9))


def test_rows_of_csv_files(sides: tuple[Path, Path]) -> None:
    assert of_frames(sides, CELLS.replace("\n", "\r\n")) == []
    lines = CELLS.splitlines()
    swapped = "\n".join([lines[0], lines[2], lines[1]])
    assert of_frames(sides, swapped) == ["tables.csv: the same rows in another order"]
    assert of_frames(sides, CELLS.replace("1,b", "1,c")) == [
        "tables.csv:3: table 1, row c, column x, statistic n: committed 2, not there now",
        "tables.csv: table 1, row b, column x, statistic n: not committed, now 2",
    ]
    assert of_frames(sides, CELLS.replace(",1.0,1", ",3.0,3")) == [
        "tables.csv:2: table 1, row a, column x, statistic n: committed 3, now 1"
    ]
    assert of_frames(sides, CELLS.replace(",1.0,1", ",,")) == [
        "tables.csv:2: table 1, row a, column x, statistic n: committed nothing, now 1"
    ]
    assert of_frames(sides, lines[0]) == [
        "tables.csv: table 1, row a, column x, statistic n: not committed, now 1",
        "tables.csv: table 1, row b, column x, statistic n: not committed, now 2",
    ]
    twice = CELLS + lines[2] + "\n"
    assert of_frames(sides, twice) == [
        "tables.csv:4: table 1, row b, column x, statistic n: committed 2, not there now"
    ]
    assert of_frames(sides, twice, twice) == []


def test_columns_of_csv_files(sides: tuple[Path, Path]) -> None:
    frame = pl.read_csv(CELLS.encode(), infer_schema=False)
    assert of_frames(sides, frame.drop("text").with_columns(more=pl.lit("z")).write_csv()) == [
        "tables.csv: column more: committed, not there now",
        "tables.csv: column text: not committed, now there",
    ]
    assert of_frames(sides, frame.drop("row", "text").write_csv())[:2] == [
        "tables.csv: column row: not committed, now there",
        "tables.csv: column text: not committed, now there",
    ]
    assert of_frames(sides, "nothing\nof,this\n")[0].startswith("tables.csv: no CSV file: ")
    assert of_frames(sides, "") == ["tables.csv: no CSV file: empty CSV"]
    assert of_frames(sides, b"\xff\xfe,\n\xff,\n")[0].startswith("tables.csv: no CSV file: ")
    assert len(of_frames(sides, "a\n1\n")) == 1 + 6


def test_other_files_of_numbers(sides: tuple[Path, Path]) -> None:
    uncoded = "outcome,label,count\npolitics,red,2\npolitics,,1\n"
    assert of_frames(sides, uncoded.replace("red,2", "red,3").replace(",,1", ',"",1'), uncoded, "uncoded.csv") == [
        "uncoded.csv:2: outcome politics, label red, count: committed 3, now 2"
    ]
    index = "table,title,heading\n1,T,H\n"
    assert of_frames(sides, index.replace("T", "S"), index, "tables_index.csv") == [
        "tables_index.csv:2: table 1, title: committed S, now T"
    ]


def test_parquet_files(sides: tuple[Path, Path]) -> None:
    then, now = (side / "estimates.parquet" for side in sides)
    frame = pl.DataFrame({"model": ["a", "b"], "analysis": "s", "n": [1, 2], "estimate": [0.5, None]})
    frame.write_parquet(now)

    def compare(committed: pl.DataFrame) -> list[str]:
        committed.write_parquet(then, compression="uncompressed")
        return told(frames.compare("estimates.parquet", then, now, 1e-9))

    assert compare(frame) == []
    assert compare(frame.with_columns(pl.col("estimate").fill_null(0.0), n=pl.Series([1, 3]))) == [
        "estimates.parquet: model b, analysis s, n: committed 3, now 2",
        "estimates.parquet: model b, analysis s, estimate: committed 0.0, now nothing",
    ]
    assert compare(frame.cast({"n": pl.Int32})) == ["estimates.parquet: column n, type: committed Int32, now Int64"]
    assert compare(frame.filter(model="a")) == ["estimates.parquet: model b, analysis s: not committed, now there"]
    assert compare(pl.concat([frame, frame.head(1)])) == [
        "estimates.parquet: model a, analysis s: committed, not there now"
    ]
    then.write_bytes(b"PAR1")
    assert told(frames.compare("estimates.parquet", then, now, 1e-9))[0].startswith(
        "estimates.parquet: no Parquet file"
    )


@given(st.floats(-1e6, 1e6), st.floats(-1e-8, 1e-8))
def test_near_numbers(number: float, by: float) -> None:
    """The expression says what its formula says, number by number."""
    other = number * (1 + by)
    pair = pl.DataFrame({"x": [number], "y": [other]})
    expected = abs(number - other) <= 1e-9 * max(abs(number), abs(other), 1e-3)
    assert pair.select(are_near(pl.col("x"), pl.col("y"))).item() is expected


def test_the_command_line_tolerates_what_platforms_differ_by() -> None:
    """It must say the number itself: it starts before the module that has it, and polars, is imported."""
    assert signature(computing.check).parameters["tolerance"].default == PLATFORMS


def of_texts(sides: tuple[Path, Path], file: str, then: str | bytes, now: str) -> list[str]:
    for side in sides:
        (side / file).parent.mkdir(exist_ok=True)
    (sides[0] / file).write_bytes(then if isinstance(then, bytes) else then.encode())
    (sides[1] / file).write_text(now)
    return told(compare_lines(file, sides[0] / file, sides[1] / file))


def test_lines(sides: tuple[Path, Path]) -> None:
    tex = "\\toprule\n\\quad Black & 0.12 & 3 \\\\\n\\bottomrule\n"
    assert of_texts(sides, "tables/1.tex", tex.replace("\n", " \r\n").rstrip(), tex) == []
    assert of_texts(sides, "tables/1.tex", tex.replace("0.12", "0.13"), tex) == [
        "tables/1.tex:2: committed 0.13, now 0.12"
    ]
    assert of_texts(sides, "tables/1.tex", "% mine\n" + tex, tex) == [
        "tables/1.tex:1: line: committed % mine, not there now"
    ]
    assert of_texts(sides, "tables/1.tex", "\\toprule\n\\bottomrule\n", tex) == [
        "tables/1.tex: line: not committed, now \\quad Black & 0.12 & 3 \\\\"
    ]
    assert of_texts(sides, "tables/1.md", "| a | 1 |\n", "| b | 1 |\n") == ["tables/1.md:1: committed a, now b"]
    assert of_texts(sides, "tables/1.md", b"\xff\xfe", "a") == ["tables/1.md: no UTF-8 text"]
    page = "<td class='x'>0.1</td>\n"
    changed = ["tables/1.html:1: committed class='x'>0.2</td>, now class='x'>0.1</td>"]
    assert of_texts(sides, "tables/1.html", page.replace("1", "2"), page) == changed
    assert of_texts(sides, "tables/1.html", page.replace("x", "y"), page) == [
        "tables/1.html:1: committed class='y'>0.1</td>, now class='x'>0.1</td>"
    ]


def test_rendered_csv_files(sides: tuple[Path, Path]) -> None:
    table = "Group,Age,Left\nAlpha,Old,1\nBeta,Old,2\n"
    for side in sides:
        (side / "tables").mkdir()
    assert of_frames(sides, table.replace(",2", ",3"), table, "tables/1.csv") == [
        "tables/1.csv:3: Group Beta, Age Old, Left: committed 3, now 2"
    ]
    assert of_frames(sides, table.replace("Left", "Right"), table, "tables/1.csv") == [
        "tables/1.csv: column Right: committed, not there now",
        "tables/1.csv: column Left: not committed, now there",
    ]
    assert of_frames(sides, table.replace("Beta,Old,2\n", ""), table, "tables/1.csv") == [
        "tables/1.csv: Group Beta, Age Old: not committed, now there"
    ]


def test_manifests(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    digest, other = "a" * 64, "b" * 64
    own = {"created": "x", "versions": {}}
    now = {
        "study": "s",
        "edition": "data",
        "inputs": {"a.csv": digest, "new.csv": digest},
        "references": {},
        "overrides": {"files": {"codes.csv": digest}, "responses": 2},
        "published": {"values.csv": digest},
        "responses": {"ok": 3},
        "uncoded": [],
    }

    def compare(**changes: object) -> list[str]:
        path.write_text(json.dumps(now | own | changes))
        return told(compare_manifests(path, now))

    assert compare(report={}) == []
    assert compare(
        inputs={"a.csv": other, "old.csv": digest},
        references={"r.csv": digest},
        overrides={"files": {"codes.csv": other}, "responses": 1},
        published={"values.csv": other},
        edition="released",
        uncoded=[{"outcome": "x"}],
    ) == [
        "made of another edition of the data (--edition, --data): committed released, now data",
        "data file a.csv has changed since the results were committed",
        "data file old.csv is no longer read",
        "reference table r.csv is no longer read",
        "file of hand codes codes.csv has changed since the results were committed",
        "file of published values values.csv has changed since the results were committed",
        "data file new.csv was not read then",
        "manifest.json: overrides.responses: committed 1, now 2",
        'manifest.json: uncoded: committed [{"outcome": "x"}], now []',
    ]
    for text in ("[]", "<<<<<<< HEAD"):
        path.write_text(text)
        assert told(compare_manifests(path, now)) == ["manifest.json: no manifest of tallybook"]
        assert dict(versions(tmp_path)) == {}

"""How files of each kind are compared: by rows, lines, cells, paragraphs, pictures."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.cli import computing
from tallybook.published.regression import frames, origins, rendered
from tallybook.published.regression.telling import line
from tallybook.study.tolerances import PLATFORMS, are_near
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.xlsx import table_xlsx

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.published.regression.difference import Compared

CELLS = "table,row,column,statistic,value,text\n1,a,x,n,1.0,1\n1,b,x,n,2.0,2\n"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """The folders of what is committed and of what is made now."""
    folders = tmp_path / "then", tmp_path / "now"
    for folder in folders:
        folder.mkdir()
    return folders


def told(found: Compared) -> list[str]:
    assert found.number == len(found.differences)
    return [line(difference) for difference in found.differences]


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
    return told(rendered.compare(file, sides[0] / file, sides[1] / file))


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


def word_file(path: Path, *paragraphs: str) -> None:
    document = "".join(f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>' for text in paragraphs)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f"<w:document><w:pPr/>{document}</w:document>")


def test_word_files(tmp_path: Path) -> None:
    then, now = tmp_path / "then.docx", tmp_path / "now.docx"
    word_file(now, "A &amp; B", "1")

    def compare() -> list[str]:
        return told(rendered.compare("tables/1.docx", then, now))

    word_file(then, "A &amp; B", "1")
    assert compare() == []
    word_file(then, "A &amp; C", "1", "2")
    assert compare() == [
        "tables/1.docx: paragraph 1: committed C, now B",
        "tables/1.docx: paragraph: committed 2, not there now",
    ]
    word_file(then, "A &amp; B")
    assert compare() == ["tables/1.docx: paragraph: not committed, now 1"]
    then.write_text("no archive")
    assert compare() == ["tables/1.docx: no Word file"]


def test_workbooks(tmp_path: Path) -> None:
    then, now = tmp_path / "then.xlsx", tmp_path / "now.xlsx"
    columns = (Column("n", "n"), Column("p", "p"))
    rows = (Row("a", "A & <B>", ("1.5", ".03*")), Row("b", "B", ("2", "")))

    def compare(*committed: Row) -> list[str]:
        then.write_bytes(table_xlsx(Table("1", "T", "Age", columns, committed)))
        return told(rendered.compare("tables/1.xlsx", then, now))

    now.write_bytes(table_xlsx(Table("1", "T", "Age", columns, rows)))
    assert compare(*rows) == []
    assert compare(Row("a", "A & <C>", ("1.6", "")), rows[1]) == [
        "tables/1.xlsx: row 3: committed <C> | 1.6, now <B> | 1.5 | .03*"
    ]
    assert compare(rows[0]) == ["tables/1.xlsx: row: not committed, now B | 2"]
    then.write_text("no archive")
    assert told(rendered.compare("tables/1.xlsx", then, now)) == ["tables/1.xlsx: no Excel workbook"]
    with zipfile.ZipFile(then, "w") as archive:  # as other programs write texts
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            '<row><c r="A1" t="inlineStr"><is><t>T</t></is></c></row><row r="3"><c r="AA3"><v>7</v></c></row>',
        )
    found = told(rendered.compare("tables/1.xlsx", then, now))
    assert found[0].startswith("tables/1.xlsx: row 2: committed 7, now Age")


def test_pictures(made: Path, tmp_path: Path) -> None:
    drawn = made / "out" / "small" / "figures"

    def compare(name: str, content: bytes) -> list[str]:
        (tmp_path / name).write_bytes(content)
        return told(rendered.compare(f"figures/{name}", tmp_path / name, drawn / name))

    svg = (drawn / "1.svg").read_text()
    assert compare("1.svg", svg.replace("\n", "\r\n").encode()) == []
    named = re.sub(r"\bp[0-9a-f]{10}\b", "p0123456789", svg)
    assert named != svg
    assert compare("1.svg", named.encode()) == []
    number = re.search(r"L(\d+\.\d+) ", svg)
    assert number is not None
    nudged = [svg.replace(number[1], f"{float(number[1]) + by:.6f}") for by in (0.004, 0.4)]
    assert [bool(compare("1.svg", text.encode())) for text in nudged] == [False, True]
    assert compare("1.svg", svg.replace("</svg>", "<g/></svg>").encode()) == [
        "figures/1.svg: another picture is drawn now"
    ]
    assert compare("1.svg", b"?") == ["figures/1.svg: no SVG file"]

    pdf = (drawn / "1.pdf").read_bytes()
    streams = re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)
    page = next(stream for stream in streams if b"DeviceRGB" in zlib.decompress(stream))
    assert compare("1.pdf", pdf.replace(page, zlib.compress(zlib.decompress(page), 1))) == []
    assert compare("1.pdf", pdf.replace(page, zlib.decompress(page))) == []
    width = re.search(rb"(\d+)[.\d]* 0 l", zlib.decompress(page))
    assert width is not None
    other = zlib.compress(zlib.decompress(page).replace(width[1], b"%d" % (int(width[1]) + 1)))
    assert compare("1.pdf", pdf.replace(page, other)) == ["figures/1.pdf: another picture is drawn now"]
    assert compare("1.pdf", pdf.replace(page, zlib.compress(b"\x00"))) == [
        "figures/1.pdf: another picture is drawn now"
    ]
    assert compare("1.pdf", b"?") == ["figures/1.pdf: no PDF file"]


def test_pixels(made: Path, tmp_path: Path) -> None:
    from matplotlib import image

    drawn = made / "out" / "small" / "figures" / "1.png"
    then = tmp_path / "1.png"
    pixels = np.asarray(image.imread(drawn))

    def compare(changed: np.ndarray) -> list[str]:
        image.imsave(then, changed)
        return told(rendered.compare("figures/1.png", then, drawn))

    edges = pixels.copy()
    edges[100:300, 100:300, :3] -= 0.1 * edges[100:300, 100:300, :3]
    assert compare(edges) == []
    other = pixels.copy()
    other[10:20, 10:20, :3] = 0
    total = f"{pixels.shape[0] * pixels.shape[1]:,}"
    assert compare(other) == [f"figures/1.png: another picture is drawn now: 100 of {total} pixels differ"]
    size = f"{pixels.shape[1]} x {pixels.shape[0]} pixels"
    assert compare(pixels[:-1]) == [
        f"figures/1.png: size: committed {size.replace(f'x {len(pixels)}', f'x {len(pixels) - 1}')}, now {size}"
    ]
    then.write_bytes(b"?")
    assert told(rendered.compare("figures/1.png", then, drawn)) == ["figures/1.png: no PNG file"]


def test_manifests(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    digest, other = "a" * 64, "b" * 64
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
        path.write_text(json.dumps(now | changes))
        return told(origins.compare(path, now))

    assert compare(created="x", versions={}, report={}) == []
    assert compare(
        inputs={"a.csv": other, "old.csv": digest},
        references={"r.csv": digest},
        overrides={"files": {"codes.csv": other}, "responses": 1},
        published={"values.csv": other},
        edition="released",
        uncoded=[{"outcome": "x"}],
    ) == [
        "data file a.csv has changed since the results were committed",
        "data file old.csv is no longer read",
        "data file new.csv was not read then",
        "reference table r.csv is no longer read",
        "file of hand codes codes.csv has changed since the results were committed",
        "file of published values values.csv has changed since the results were committed",
        "made of another edition of the data (--edition, --data): committed released, now data",
        "manifest.json: overrides.responses: committed 1, now 2",
        'manifest.json: uncoded: committed [{"outcome": "x"}], now []',
    ]
    path.write_text("[]")
    assert told(origins.compare(path, now)) == ["manifest.json: no manifest of tallybook"]
    path.write_text("<<<<<<< HEAD")
    assert told(origins.compare(path, now)) == ["manifest.json: no JSON"]
    assert origins.versions(tmp_path) == {}
    path.write_text('{"versions": []}')
    assert origins.versions(tmp_path) == {}

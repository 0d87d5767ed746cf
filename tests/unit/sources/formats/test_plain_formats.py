"""Tables and JSON of anyone's making: the same responses in every format, packed or not, and their faults."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from backports import zstd

from tallybook.core.errors import DataError, UsageError
from tallybook.sources.content import Content
from tallybook.sources.formats.delimited import suggested
from tallybook.sources.formats.registry import detect, format_by_name
from tallybook.study.format_base import plugins
from tallybook.study.record_sources import RecordSource
from tests.unit.sources.inputs import Delivered, delivery_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


ROWS: list[dict[str, Any]] = [
    {"model": "a/b", "prompt": "p1", "run": 0, "answer": 'Yes, "gladly";\nand\ttabs | too', "score": 0.5},
    {"model": "a/b", "prompt": "p2", "run": 1, "answer": "Nein, danke – schön 🙂", "score": None},
    {"model": "c", "prompt": "p1", "run": 0, "answer": "", "score": -2.0},
]
TABLE = pl.DataFrame(ROWS)


def _database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("create table dump (model, prompt, run, answer, score)")
        database.executemany("insert into dump values (:model, :prompt, :run, :answer, :score)", ROWS)


DECLARATION: dict[str, Any] = {
    "format": "auto",
    "files": "*",
    "columns": {
        "text": {"path": "answer"},
        "model": {"path": "model"},
        "item": {"path": "prompt"},
        "sample": {"path": "run", "type": "integer"},
        "score": {"path": "score", "type": "number"},
    },
}
WRITERS: dict[str, Callable[[Path], object]] = {
    "dump.csv": TABLE.write_csv,
    "dump.tsv": lambda path: TABLE.write_csv(path, separator="\t"),
    "semicolons.csv": lambda path: TABLE.write_csv(path, separator=";"),
    "bars.txt": lambda path: TABLE.write_csv(path, separator="|"),
    "dump.jsonl": lambda path: path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8"),
    "dump.ndjson": TABLE.write_ndjson,
    "dump.json": lambda path: path.write_text(json.dumps(ROWS, ensure_ascii=False, indent=1), encoding="utf-8"),
    "dump.parquet": TABLE.write_parquet,
    "dump.feather": TABLE.write_ipc,
    "dump.arrow": TABLE.write_ipc_stream,
    "dump.xlsx": TABLE.write_excel,
    "dump.db": _database,
    "no_suffix": TABLE.write_parquet,
}
_gzip = partial(gzip.compress, mtime=0)
PACKERS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": _gzip, ".zst": zstd.compress}


NOT_UTF8 = "expected UTF-8 text; another 'encoding', such as windows-1252, can be set"
HALF = "Unicode text (this holds half of a surrogate pair)"
UNKNOWN = "a file of a known format: a table, JSON, a log of a known tool (docs/formats.md lists all)"


def _deliver(folder: Path, **changes: Any) -> Delivered:
    source = RecordSource.model_validate(DECLARATION | changes)
    return delivery_of(folder, source)


def _problems(folder: Path, name: str, content: str | bytes, **changes: Any) -> list[str]:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [str(problem) for problem in _deliver(folder, **changes).problems]


class TestSameResponses:
    """A dump means the same in every format."""

    @pytest.mark.parametrize("packing", PACKERS)
    @pytest.mark.parametrize("name", WRITERS)
    def test_in_every_format(self, tmp_path: Path, name: str, packing: str) -> None:
        written = tmp_path / name
        WRITERS[name](written)
        packed = PACKERS[packing](written.read_bytes())
        written.unlink()
        (tmp_path / (name + packing)).write_bytes(packed)
        delivery = _deliver(tmp_path)
        assert (delivery.problems, delivery.files) == ([], [name + packing])
        found = delivery.rows.select("model", "item", "sample", "text", "score")
        assert found.rows(named=True) == [
            {"model": row["model"], "item": row["prompt"], "sample": row["run"], "text": row["answer"]}
            | {"score": row["score"]}
            for row in ROWS
        ]

    def test_of_a_folder_of_several(self, tmp_path: Path) -> None:
        for name in ("dump.csv", "dump.jsonl", "dump.parquet"):
            (tmp_path / name[5:]).mkdir()
            WRITERS[name](tmp_path / name[5:] / name)
        (tmp_path / "csv" / ".hidden.csv").write_text("nothing of ours")
        delivery = _deliver(tmp_path, files="**/*")
        assert delivery.problems == []
        assert delivery.files == ["csv/dump.csv", "jsonl/dump.jsonl", "parquet/dump.parquet"]
        assert delivery.rows.height == 3 * len(ROWS)

    def test_of_several_named_files(self, tmp_path: Path) -> None:
        for name in ("dump.csv", "dump.jsonl"):
            WRITERS[name](tmp_path / name)
        delivery = _deliver(tmp_path, files=["dump.jsonl", "d*.csv", "dump.csv"])
        assert delivery.files == ["dump.jsonl", "dump.csv"]

    def test_in_parts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        names = ("dump.jsonl", "dump.json", "dump.parquet", "dump.arrow", "dump.xlsx", "dump.db")
        for name in names:
            WRITERS[name](tmp_path / name)
        whole = [_deliver(tmp_path, files=name).rows for name in names]
        for module in ("records", "formats.subprocess_reader", "formats.sqlite"):
            monkeypatch.setattr(f"tallybook.sources.{module}.MOST_ROWS", 1)
        for name, rows in zip(names, whole, strict=True):
            source = RecordSource.model_validate(DECLARATION | {"files": name})
            delivery = delivery_of(tmp_path, source)
            assert delivery.rows.equals(rows)

    def test_keys_say_where_a_response_stands(self, tmp_path: Path) -> None:
        keys = {"dump.jsonl": "line 2", "dump.json": "record 2", "dump.parquet": "row 2", "dump.xlsx": "row 3"}
        keys["dump.db"] = "record 2"
        for name, key in keys.items():
            WRITERS[name](tmp_path / name)
            assert _deliver(tmp_path, files=name).rows.item(1, "key") == key


NESTED: tuple[dict[str, Any], ...] = (
    {"id": {"model": "m", "run": 1}, "choices": [{"text": "yes"}, {"text": "no"}], "tags": ["x"]},
    {"id": {"model": "m", "run": 2}, "choices": [], "tags": []},
)
COLUMNS: dict[str, Any] = {
    "model": {"path": "id.model"},
    "sample": {"path": "id.run", "type": "integer"},
    "text": {"path": "choices.1.text"},
    "tags": {"path": "tags"},
}


class TestNestedValues:
    """Objects and structures become columns with dotted names."""

    @pytest.mark.parametrize("name", ["dump.jsonl", "dump.json", "dump.parquet"])
    def test_in_every_format_that_has_them(self, tmp_path: Path, name: str) -> None:
        table = pl.DataFrame(NESTED)
        writers = {"dump.jsonl": table.write_ndjson, "dump.json": table.write_json, "dump.parquet": table.write_parquet}
        writers[name](tmp_path / name)
        rows = _deliver(tmp_path, columns=COLUMNS, extra="ignore").rows
        assert rows.select("model", "sample", "text", "tags").rows() == [("m", 1, "no", '["x"]'), ("m", 2, "", "[]")]

    def test_a_column_that_no_record_has(self, tmp_path: Path) -> None:
        problems = _problems(tmp_path, "x.jsonl", '{"id": {"model": "m"}}\n', columns=COLUMNS)
        assert problems == [
            "x.jsonl: column id.run: expected this column",
            "x.jsonl: column choices.1.text: expected this column",
            "x.jsonl: column tags: expected this column",
        ]

    def test_a_column_that_one_record_has(self, tmp_path: Path) -> None:
        lines = '{"id": {"model": "m", "run": 0}, "choices": [1, {"text": "a"}], "tags": 1}\n'
        lines += '{"id": {"model": "m", "run": 1}}\n'
        columns = COLUMNS | {"tags": {"path": "tags", "blank": "error"}}
        assert _problems(tmp_path, "x.jsonl", lines, columns=columns, extra="ignore") == [
            "x.jsonl: key line 2, column tags: expected a value"
        ]

    def test_a_column_that_is_not_declared_though_late(self, tmp_path: Path) -> None:
        lines = "".join(json.dumps({"id": {"model": "m", "run": run}}) + "\n" for run in range(3))
        columns = {"model": COLUMNS["model"], "sample": COLUMNS["sample"]}
        assert _problems(
            tmp_path, "x.jsonl", lines + '{"id": {"model": "m", "run": 3, "late": 1}}', columns=columns
        ) == ["x.jsonl: column id.late: expected one of the declared columns (id.model, id.run)"]


class TestFaults:
    """What cannot be read is told with its place, and keeps nothing else from being told."""

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("x.jsonl", '{"a": 1}\n{"a" 2}\n{"a": 3}\n',
             "x.jsonl: key line 2: found {\"a\" 2}; expected JSON (expecting ':' delimiter at character 6)"),
            ("x.jsonl", '{"a": 1}\n[1]\n', "x.jsonl: key line 2: found [1]; expected a JSON object"),
            ("x.jsonl", '{"a": 1}\n\n{"a": 1, "a": 2}\n',
             "x.jsonl: key line 3: found {\"a\": 1, \"a\": 2}; expected the name 'a' once in an object"),
            ("x.jsonl", b'{"a": 1}\n{"a": "\xff"}\n',
             f"x.jsonl: key line 2, byte 8: found ff; {NOT_UTF8}"),
            ("x.jsonl", '{"a": 1}\n{"a": "\\ud800"}\n',
             f"x.jsonl: key line 2, column a: found \\ud800; expected {HALF}"),
            ("x.jsonl", '{"a.b": 1, "a": {"b": 2}}\n',
             "x.jsonl: key line 1: found {\"a.b\": 1, \"a\": {\"b\": 2}}; expected one value at 'a.b'"),
            ("x.json", '[{"a": 1}, {"a": 2]',
             "x.json: key record 2: expected JSON (expecting ',' delimiter at character 19)"),
            ("x.json", '[{"a": 1}, 7]', "x.json: key record 2: found 7; expected a JSON object"),
            ("x.parquet", b"PAR1 and nothing else", "x.parquet: expected a whole Parquet file"),
            ("x.csv.gz", _gzip(b"a,b\n1,2\n" * 99)[:-9], "x.csv.gz: key byte 1: expected whole gzip data"),
            ("x.csv.zst", zstd.compress(b"a,b\n1,2\n" * 99)[:-4],
             "x.csv.zst: key byte 1: expected whole zstd data"),
            ("x.csv.gz", _gzip(_gzip(b"a,b\n1,2\n")),
             "x.csv.gz: expected a file that is compressed once"),
            ("x", b"\0\1\2", f"x: expected {UNKNOWN}"),
            *((name, start + b"\0\1\2" * 9,
               (f"{name}: expected {UNKNOWN}; pandas.read_{program}(FILE).to_csv(NAME, index=False) makes a table of "
                "this one"))
              for name, start, program in (("x.dta", b"<stata_dta><header><release>118", "stata"),
                                           ("x.dta", b"\x72\2\1\0", "stata"), ("x.sav", b"$FL2@(#)", "spss"))),
        ],
    )  # fmt: skip
    def test_broken_files(self, tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
        problems = _problems(tmp_path, name, content, columns={"a": {"path": "a"}}, extra="ignore")
        assert problems == [message]

    def test_a_format_that_is_named_and_another_that_is_there(self, tmp_path: Path) -> None:
        columns = {"a": {"path": "a"}}
        problems = _problems(tmp_path, "x.json", '{"a": 1}', columns=columns, format="json")
        assert problems == ["x.json: key record 1: found 1; expected an array of JSON objects"]
        (tmp_path / "x.json").unlink()
        problems = _problems(tmp_path, "x.csv", 'a,b\n1,"2\n3,4\n', columns=columns, format="csv", extra="ignore")
        assert problems == ["x.csv: key row 2: expected the double quote that closes a field"]

    def test_every_file_is_told_of(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"a": 1,}\n{"a": }\n')
        (tmp_path / "b.parquet").write_bytes(b"PAR1")
        problems = _problems(tmp_path, "c.csv", "b,c\n1,2\n", columns={"a": {"path": "a"}}, extra="ignore")
        assert [problem.partition(":")[0] for problem in problems] == ["a.jsonl", "a.jsonl", "b.parquet", "c.csv"]

    def test_bytes_are_no_text(self, tmp_path: Path) -> None:
        pl.DataFrame({"a": [b"\xff"]}).write_parquet(tmp_path / "x.parquet")
        pl.DataFrame({"a": [[b"\xff"]]}).write_parquet(tmp_path / "y.parquet")
        problems = _deliver(tmp_path, columns={"a": {"path": "a"}}).problems
        assert [problem.expected for problem in problems] == [
            "text, numbers, dates or lists in column 'a', not bytes",
            "lists of text and numbers in column 'a'",
        ]

    def test_two_columns_of_one_name(self, tmp_path: Path) -> None:
        pl.DataFrame({"a.b": [1], "a": [{"b": 2}]}).write_parquet(tmp_path / "x.parquet")
        assert _deliver(tmp_path, columns={"a": {"path": "a.b"}}).problems[0].expected == "one column 'a.b'"

    def test_no_rows(self, tmp_path: Path) -> None:
        pl.DataFrame({"a": [1]}).clear().write_parquet(tmp_path / "x.parquet")
        (tmp_path / "y.jsonl").write_text('{"a": 1}')
        delivery = _deliver(tmp_path, columns={"a": {"path": "a"}})
        assert (delivery.rows.height, delivery.problems) == (1, [])
        assert [str(finding) for finding in delivery.findings] == ["x.parquet: expected at least one response"]


class TestSpreadsheets:
    """A sheet with headers in the first row."""

    def _book(self, path: Path, **sheets: pl.DataFrame) -> None:
        import xlsxwriter

        with xlsxwriter.Workbook(path) as book:
            for name, table in sheets.items():
                if table.width:
                    table.write_excel(book, name)
                else:
                    book.add_worksheet(name)

    def test_the_sheet_that_is_filled(self, tmp_path: Path) -> None:
        self._book(tmp_path / "x.xlsx", notes=pl.DataFrame(), answers=TABLE)
        assert _deliver(tmp_path).rows.height == len(ROWS)

    @pytest.mark.parametrize("named_as", ["excel", "auto"])
    def test_several_sheets(self, tmp_path: Path, named_as: str) -> None:
        self._book(tmp_path / "x.xlsx", one=TABLE, two=TABLE.head(1))
        assert _deliver(tmp_path, format=named_as, sheet="two").rows.height == 1
        assert [str(problem) for problem in _deliver(tmp_path, format=named_as).problems] == [
            "x.xlsx: expected the sheet to be named with 'sheet'; there are one, two"
        ]
        assert [str(problem) for problem in _deliver(tmp_path, format=named_as, sheet="three").problems] == [
            "x.xlsx: expected a sheet 'three'; there are one, two"
        ]

    def test_blank_rows_are_passed_over_and_counted(self, tmp_path: Path) -> None:
        gap = pl.concat([TABLE.head(1), pl.DataFrame([[None] * 5], schema=TABLE.schema, orient="row"), TABLE.tail(1)])
        self._book(tmp_path / "x.xlsx", answers=gap)
        assert _deliver(tmp_path).rows.get_column("key").to_list() == ["row 2", "row 4"]

    def test_no_spreadsheet(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="expected a spreadsheet"):
            list(format_by_name("excel").read(_content(tmp_path, "x.xlsx", b"nonsense")))


class TestTelling:
    """A format is told by the content; the suffix decides only what the content leaves open."""

    @pytest.mark.parametrize(
        ("name", "content", "told"),
        [
            ("x", "a\tb\n1\t2\n", "tsv"),
            ("x.csv", "a\tb\n1\t2\n", "tsv"),
            ("x.csv", "answer\nyes\n", "csv"),
            ("x.txt", "answer\nyes\n", None),
            ("x", '{"a": 1}\n{"a": 2}\n', "jsonl"),
            ("x.json", '{"a": 1}\n{"a": 2}\n', "jsonl"),
            ("x.json", '{\n"a": 1}\n', None),
            ("x.jsonl", '{"a": "' + "long " * 20_000 + '"}\n', "jsonl"),
            ("x", ' [{"a": 1}]', "json"),
            ("x", "[1, 2]", None),
            ("x", "", None),
            ("x.csv", b"a,b\n1,caf\xe9\n", None),
        ],
    )
    def test_by_content(self, tmp_path: Path, name: str, content: str | bytes, told: str | None) -> None:
        found = detect(_content(tmp_path, name, content if isinstance(content, bytes) else content.encode()))
        assert (found and found.format.name) == told

    def test_an_unknown_name(self) -> None:
        with pytest.raises(UsageError, match=r"no format acme\.traces; there are anthropic-batch"):
            format_by_name("acme.traces")

    @pytest.mark.parametrize(
        ("start", "delimiter"),
        [
            (b"a,b\n1,2\n", ","),
            (b"a;b\n1,5;2\n", ";"),
            (b'a;b\n"x\ny";2\n3;4\n', ";"),
            (b'a,b\n1,2\n3,"cut of', ","),
            (b"a|b|c\n1|2|3,5\n", "|"),
            (b"one\ntwo\n", None),
            (b"a,b\n1\n2,3\n", None),
        ],
    )
    def test_what_separates_columns(self, start: bytes, delimiter: str | None) -> None:
        assert suggested(start) == delimiter


def _content(folder: Path, name: str, content: bytes) -> Content:
    (folder / name).write_bytes(content)
    return Content(folder, name)


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that brings a format of its own."""
    (tmp_path / "acme_traces.py").write_text(PLUGIN)
    about = tmp_path / "acme_traces-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-traces\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[tallybook.formats]\nacme.traces = acme_traces:FORMAT\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.cache_clear()
    yield
    plugins.cache_clear()


PLUGIN = """
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format


class Traces(Format):
    name = "acme.traces"
    title = "Acme traces"
    has_header = True

    def recognises(self, head):
        return "responses" if head.start.startswith(b"ACME ") else None

    def read(self, content, paths=()):
        rows = (
            (f"line {number}", dict(zip(("model", "prompt", "run", "answer"), line.split("~"), strict=True)))
            for number, line in content.lines()
            if number > 1
        )
        yield from in_parts(rows, content.name)


FORMAT = Traces()
"""


@pytest.mark.usefixtures("acme")
class TestPlugins:
    """A package can bring a format."""

    @pytest.mark.parametrize("told", [{"format": "auto"}, {"format": "plugin", "plugin": "acme.traces"}])
    def test_it_is_read(self, tmp_path: Path, told: dict[str, str]) -> None:
        (tmp_path / "dump").mkdir()
        (tmp_path / "dump" / "x.acme").write_text("ACME 1\nm~p1~0~yes\nm~p2~0~no\n")
        columns = {column: told for column, told in DECLARATION["columns"].items() if column != "score"}
        delivery = _deliver(tmp_path / "dump", columns=columns, **told)
        assert delivery.problems == []
        assert delivery.rows.get_column("text").to_list() == ["yes", "no"]

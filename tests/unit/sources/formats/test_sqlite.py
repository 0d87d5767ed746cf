"""SQLite databases: what was put into a table is what is read, and nothing is written beside it or run from it."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import detect, format_by_name
from tallybook.sources.sqlite_file import opened, quoted
from tallybook.study.format_base import Layout
from tallybook.study.record_sources import RecordSource
from tests.unit.sources.inputs import MAY_BE_MISSING, Delivered, delivery_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.sources.records import Records

Cell = int | float | str | bytes | None
ROWS: list[tuple[Cell, ...]] = [(7, "Yes", 0.5), (2, "Nein 🙂", None), (5, "", -2.0)]


def make(path: Path, *statements: str, rows: Iterable[Sequence[Cell]] = (), into: str = "answers") -> Path:
    """A database of some statements, with rows in a table of it."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("pragma synchronous = off")
        for statement in statements:
            database.execute(statement)
        for row in rows:
            places = ", ".join("?" * len(row))
            database.execute(" ".join(("insert into", quoted(into), "values (", places, ")")), row)
    return path


def answers(path: Path, name: str = "answers") -> Path:
    return make(path, f"create table {quoted(name)} (id integer primary key, answer, score)", rows=ROWS, into=name)


def parts(path: Path, paths: Sequence[str] = (), table: str | None = None) -> tuple[list[Records], list[str]]:
    """What is read of a database, and what is wrong with it."""
    content = Content(path.parent, path.name)
    found = [*format_by_name("sqlite").laid_out(content, Layout(table=table)).read(content, paths)]
    return found, [str(problem) for problem in content.problems]


def cells(path: Path, paths: Sequence[str] = (), table: str | None = None) -> list[tuple[str | None, ...]]:
    return [row for part in parts(path, paths, table)[0] for row in part.cells.rows()]


def refusal(path: Path, table: str | None = None) -> str:
    with pytest.raises(DataError) as raised:
        parts(path, (), table)
    return str(raised.value)


def deliver(folder: Path, **changes: Any) -> Delivered:
    columns = {"text": {"path": "answer"}, "score": {"path": "score", "type": "number"}}
    declared = {"format": "auto", "files": "*", "extra": "ignore", "columns": columns}
    source = RecordSource.model_validate(declared | changes)
    return delivery_of(folder, source)


class TestValues:
    """Values are what SQLite stores, whatever the column was declared to be."""

    @given(
        st.lists(
            st.tuples(
                *[
                    st.one_of(
                        st.none(),
                        st.integers(-(2**63), 2**63 - 1),
                        st.floats(allow_nan=False),
                        st.text(st.characters(exclude_categories=["Cs"])),
                    )
                ]
                * 2,
                st.integers(-9, 9),
            ),
            min_size=1,
            max_size=30,
        )
    )
    def test_what_was_put_in_is_read(self, rows: list[tuple[Cell, ...]]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = make(Path(folder) / "x", "create table answers (a, b, c)", rows=rows)
            [part], problems = parts(path)
        assert (part.header, problems) == (["a", "b", "c"], [])
        for place, column in enumerate(zip(*rows, strict=True)):
            assert part.typed.to_series(2).dtype == pl.Int64
            for value, text in zip(column, part.cells.to_series(place), strict=True):
                match value:
                    case None | str():
                        assert text == value
                    case int():
                        assert text == str(value)
                    case _:
                        assert text is not None
                        assert float(text) == value
                        assert text == pl.Series([value]).cast(pl.String).item()

    def test_the_types_of_columns_say_nothing(self, tmp_path: Path) -> None:
        path = make(
            tmp_path / "x",
            "create table answers (a text, b real, c varchar(2), d nonsense)",
            "insert into answers values ('1', 2, 'longer', 3), (null, 2.5, 7, 'x')",
        )
        [part], _ = parts(path)
        assert part.typed.dtypes == [pl.String, pl.Float64, pl.String, pl.String]
        assert part.cells.rows() == [("1", "2.0", "longer", "3"), (None, "2.5", "7", "x")]

    def test_infinity_is_no_number_of_a_study(self, tmp_path: Path) -> None:
        make(tmp_path / "x.db", "create table t (answer, score)", "insert into t values ('a', 9e999), ('b', 1)")
        assert [str(problem) for problem in deliver(tmp_path).problems] == [
            f"x.db: key record 1, column score: found inf; {MAY_BE_MISSING}"
        ]

    def test_bytes_and_text_that_is_none(self, tmp_path: Path) -> None:
        rows = [("a", 1, b"\0"), (b"\x00\xff" * 20, 2, b"\1"), ("c", 3, None)]
        path = make(tmp_path / "x.db", "create table answers (answer, score, picture)", rows=rows)
        make(path, "insert into answers values (cast(x'61ff62' as text), 4, null)")
        make(path, "insert into answers values ('e', cast(x'eda080' as text), x'02')")
        found = deliver(tmp_path)
        assert found.rows.get_column("key").to_list() == ["record 1", "record 3"]
        assert [str(problem) for problem in found.problems] == [
            f"x.db: key record 2, column answer: found {'00 ff ' * 7}00 ff…; expected text or a number, not bytes",
            "x.db: key record 4, column answer: found ff; expected UTF-8 text",
            "x.db: key record 5, column score: found ed; expected UTF-8 text",
        ]
        assert [row[2] for row in cells(path)] == [None, None, None]

    def test_text_in_utf_16(self, tmp_path: Path) -> None:
        path = make(tmp_path / "x", "pragma encoding = 'UTF-16le'", "create table answers (a)", rows=[("ä🙂\0b",)])
        assert cells(path) == [("ä🙂\0b",)]

    def test_a_value_that_is_too_long(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tallybook.sources.sqlite_file.MOST_LINE", 100_000)
        path = make(tmp_path / "x", "create table answers (a)", rows=[("short",), ("short",), ("x" * 100_001,)])
        # The module sqlite3 is a row ahead of what it gives.
        assert refusal(path) == "x: key after record 1: expected at most 100,000 bytes in a value"


class TestTables:
    """One table is read: the only one, or the one that is named; views are none."""

    def test_the_only_one_that_holds_anything(self, tmp_path: Path) -> None:
        path = make(answers(tmp_path / "x"), "create table notes (a)", "create view good as select answer from answers")
        assert [row[0] for row in cells(path)] == ["2", "5", "7"]

    @pytest.mark.parametrize("form", ["sqlite", "auto"])
    def test_several(self, tmp_path: Path, form: str) -> None:
        path = answers(tmp_path / "logs.bin")
        make(path, "create table runs (answer, score)", "create view good as select * from answers where score > 0")
        make(path, "insert into runs values ('x', 1)")
        told = "the table to be named with 'table' (init: --set table=NAME); there are answers, runs"
        assert [problem.expected for problem in deliver(tmp_path, format=form).problems] == [told]
        assert deliver(tmp_path, format=form, table="answers").rows.height == len(ROWS)
        assert [str(problem) for problem in deliver(tmp_path, format=form, table="good").problems] == [
            "logs.bin: expected a table 'good'; there are answers, runs"
        ]
        assert [str(problem) for problem in deliver(tmp_path, format=form, table="Answer").problems] == [
            "logs.bin: expected a table 'Answer'; there are answers, runs; did you mean 'answers'?"
        ]

    def test_no_rows(self, tmp_path: Path) -> None:
        make(tmp_path / "x.db", "create table answers (answer, score)", "create table other (a)")
        assert [str(problem) for problem in deliver(tmp_path).problems] == ["x.db: expected at least one response"]

    def test_no_tables(self, tmp_path: Path) -> None:
        path = make(tmp_path / "x", "create table a (b)", "drop table a")
        assert refusal(path) == "x: expected a table; this database has none"
        assert refusal(path, "a") == "x: expected a table 'a'; there are "

    def test_only_views(self, tmp_path: Path) -> None:
        endless = "with recursive n (i) as (select 1 union all select i + 1 from n) select i as a from n"
        path = make(tmp_path / "x", f"create view one as {endless}")
        assert refusal(path) == "x: expected a table; this database has none"
        assert refusal(path, "one") == "x: expected a table 'one'; there are "

    def test_what_belongs_to_sqlite_is_none(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        make(
            path, "create table answers (id integer primary key autoincrement, a)", "insert into answers (a) values (1)"
        )
        make(path, "create virtual table found using fts5 (a)", "insert into found values ('x')", "analyze")
        make(path, "create table found_by (a)", "insert into found_by values (1)")
        assert (
            refusal(path)
            == "x: expected the table to be named with 'table' (init: --set table=NAME); there are answers, found_by"
        )
        assert "expected a table 'found_content'" in refusal(path, "found_content")
        assert "expected a table 'sqlite_sequence'" in refusal(path, "sqlite_sequence")

    def test_a_long_list_is_cut_off(self, tmp_path: Path) -> None:
        names = [f"t{number}" for number in range(50)]
        path = make(tmp_path / "x", *(f"create table {name} as select 1" for name in names))
        assert refusal(path).endswith(f"there are {', '.join(names[:40])} and 10 more")

    def test_columns_that_are_missing(self, tmp_path: Path) -> None:
        make(tmp_path / "x.db", "create table t (anser, score)", "insert into t values (1, 2)")
        told = "x.db: column answer: expected this column; did you mean 'anser'?"
        assert [str(problem) for problem in deliver(tmp_path).problems] == [told]

    @pytest.mark.parametrize("table", ["t", None])
    def test_other_formats_have_no_tables(self, table: str | None) -> None:
        declared: dict[str, Any] = {"format": "csv", "files": "*", "columns": {"text": {"path": "a"}}, "table": table}
        if table is None:
            assert RecordSource.model_validate(declared).table is None
        else:
            with pytest.raises(ValueError, match="table: files of format 'csv' have none"):
                RecordSource.model_validate(declared)


class TestOrder:
    """Rows come by rowid or primary key; they are numbered from 1."""

    def test_no_index_changes_it(self, tmp_path: Path) -> None:
        path = make(tmp_path / "x", "create table answers (b)", "create index i on answers (b)")
        make(path, rows=[("z",), ("a",), ("m",)])
        assert cells(path) == [("z",), ("a",), ("m",)]
        assert [part.keys.to_list() for part in parts(path)[0]] == [["record 1", "record 2", "record 3"]]

    def test_tables_without_rowid_and_with_one_of_their_own(self, tmp_path: Path) -> None:
        path = make(tmp_path / "x", "create table answers (b text primary key, a) without rowid")
        make(path, "create index i on answers (a, b)", rows=[("z", 1), ("a", 2), ("m", 0)])
        assert cells(path) == [("a", "2"), ("m", "0"), ("z", "1")]
        make(path, "drop table answers", "create table answers (rowid, _rowid_, oid)")
        make(path, "create index j on answers (rowid, _rowid_, oid)", rows=[(3, 2, 1), (1, 2, 3)])
        assert cells(path) == [("3", "2", "1"), ("1", "2", "3")]

    @pytest.mark.parametrize(("rows", "text"), [(1, 2**23), (2, 2**23), (2**14, 1), (2**14, 2**23)])
    def test_parts_are_the_whole(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, text: int) -> None:
        mixed: list[tuple[Cell, ...]] = [(1, "a", 1), (2.5, None, 2), ("x", "b", None), (None, "", 4), (4, "ä", 0.25)]
        path = make(tmp_path / "x.db", "create table answers (answer, b, score)", rows=mixed)
        make(path, "insert into answers values (x'00', 1, 1), ('last', 1, 1)")
        whole = deliver(tmp_path)
        monkeypatch.setattr("tallybook.sources.formats.sqlite.MOST_ROWS", rows)
        monkeypatch.setattr("tallybook.sources.formats.sqlite.MOST_TEXT", text)
        in_parts = deliver(tmp_path)
        assert in_parts.rows.equals(whole.rows)
        assert in_parts.problems == whole.problems
        assert whole.rows.get_column("text").to_list() == ["1", "2.5", "x", "", "4", "last"]


HOSTILE = [
    'answers"; drop table answers; --',
    "a\nb\r\x1b[31mred\u202e",
    "it's [quoted] `so`",
    "select",
    "",
    "ä🙂",
    "%s ? :a @b $c",
    "x" * 5000,
]


class TestHostile:
    """Nothing of a database is run, and nothing of it reaches a terminal as it stands."""

    @pytest.mark.parametrize("name", HOSTILE)
    def test_names_are_names(self, tmp_path: Path, name: str) -> None:
        column = quoted(name)
        path = make(tmp_path / "x", f"create table {quoted(name)} (a, {column})", rows=[(1, "b")], into=name)
        [part], problems = parts(path, [name], name)
        assert (part.header, part.cells.rows(), problems) == (["a", name], [("1", "b")], [])
        make(path, "create table other as select 1")
        for told in (refusal(path), refusal(path, "no such table")):
            assert told.isprintable()
            assert len(told) < 400

    def test_names_that_are_no_text(self, tmp_path: Path) -> None:
        path = make(tmp_path / "x", "create table answers (abcd)", rows=[(1,)])
        path.write_bytes(path.read_bytes().replace(b"abcd", b"a\xffcd"))
        assert refusal(path) == "x: expected names of tables and columns that are UTF-8 text"
        path.write_bytes(path.read_bytes().replace(b"answers", b"answer\xff"))
        assert refusal(path) == "x: expected names of tables and columns that are UTF-8 text"

    def test_nothing_can_be_changed(self, tmp_path: Path) -> None:
        path = answers(tmp_path / "x")
        before = path.read_bytes()
        for statement in ("delete from answers", "drop table answers", "attach 'y' as y", "pragma query_only = off"):
            with pytest.raises(DataError), opened(Content(tmp_path, "x")) as database:
                database.query(statement)
        assert path.read_bytes() == before


class TestFiles:
    """The file and its folder stay as they are; what is not whole is refused by name."""

    @pytest.mark.parametrize("name", ["logs.db", "a b?c#d%41.sqlite", "ä\x1b.csv", "no_suffix"])
    def test_told_by_content(self, tmp_path: Path, name: str) -> None:
        before = answers(tmp_path / name).read_bytes()
        found = deliver(tmp_path)
        assert (found.problems, found.files, found.rows.height) == ([], [name], len(ROWS))
        assert found.rows.get_column("text").to_list() == ["Nein 🙂", "", "Yes"]
        assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [(name, before)]

    @pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstd.compress)])
    @pytest.mark.parametrize("form", ["sqlite", "auto"])
    def test_compressed(self, tmp_path: Path, suffix: str, pack: Any, form: str) -> None:
        path = answers(tmp_path / "x.db")
        (tmp_path / f"x.db{suffix}").write_bytes(pack(path.read_bytes()))
        path.unlink()
        found = deliver(tmp_path, format=form)
        assert (found.problems, found.rows.height) == ([], len(ROWS))
        broken = (tmp_path / f"x.db{suffix}").read_bytes()[:-30]
        (tmp_path / f"x.db{suffix}").write_bytes(broken)
        assert "data" in str(deliver(tmp_path, format=form).problems[0])

    def test_a_read_only_folder_and_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        path = answers(tmp_path / "inner" / "x.db")
        make(path, "pragma journal_mode = wal")
        (tmp_path / "link.db").symlink_to(path)
        path.parent.chmod(0o555)
        try:
            assert len(cells(tmp_path / "link.db")) == len(ROWS)
            assert [file.name for file in path.parent.iterdir()] == ["x.db"]
        finally:
            path.parent.chmod(0o755)

    def test_what_is_only_in_the_log_is_read(self, tmp_path: Path) -> None:
        path = answers(tmp_path / "x.db")
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("pragma journal_mode = wal")
            writer.execute("insert into answers values (9, 'late', 1)")
            writer.commit()
            before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
            found = deliver(tmp_path)
            assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
        assert before.keys() == {"x.db", "x.db-wal", "x.db-shm"}
        assert (found.problems, found.files, found.lookups) == ([], ["x.db"], ["x.db-wal"])
        assert found.rows.get_column("text").to_list() == ["Nein 🙂", "", "Yes", "late"]

    def test_an_unfinished_transaction(self, tmp_path: Path) -> None:
        path = answers(tmp_path / "x.db")
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("pragma cache_spill = 1")
            writer.execute("pragma cache_size = 1")
            writer.execute("begin")
            for number in range(100, 400):
                writer.execute("insert into answers values (?, ?, 1)", (number, "x" * 4000))
            copies = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        assert copies.keys() == {"x.db", "x.db-journal"}
        (tmp_path / "late").mkdir()
        for name, copy in copies.items():
            (tmp_path / "late" / name).write_bytes(copy)
        found = deliver(tmp_path / "late")
        [problem] = found.problems
        assert problem.expected == (
            "a database without an unfinished transaction (x.db-journal); opening the database with the program that "
            "wrote it, or with sqlite3, finishes that"
        )
        (tmp_path / "late" / "x.db-journal").write_bytes(bytes(512))  # as `journal_mode = persist` leaves it
        assert detect(Content(tmp_path / "late", "x.db-journal")) is not None

    def test_a_database_that_is_locked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = answers(tmp_path / "x.db")
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0))
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("begin exclusive")
            assert refusal(path) == "x.db: expected a SQLite database that no other program is writing to"

    @pytest.mark.parametrize("kept", [4096, 5000, 8192, 20_000])
    def test_cut_off(self, tmp_path: Path, kept: int) -> None:
        path = make(tmp_path / "x.db", "create table answers (a)", rows=[("long " * 100,)] * 200)
        path.write_bytes(path.read_bytes()[:kept])
        assert refusal(path) == "x.db: expected a whole SQLite database"

    def test_corrupt_from_some_row_on(self, tmp_path: Path) -> None:
        path = make(tmp_path / "x.db", "create table answers (a)", rows=[("long " * 100,)] * 200)
        held = bytearray(path.read_bytes())
        held[10 * 4096 : 11 * 4096] = b"\xa5" * 4096
        path.write_bytes(held)
        assert refusal(path).startswith("x.db: key after record ")

    def test_encrypted_or_none(self, tmp_path: Path) -> None:
        (tmp_path / "x.db").write_bytes(bytes(range(256)) * 32)
        assert refusal(tmp_path / "x.db") == "x.db: expected a SQLite database that is not encrypted"
        (tmp_path / "y.db").write_bytes(b"SQLite format 3\0")
        assert refusal(tmp_path / "y.db").startswith("y.db: expected a")
        assert refusal(tmp_path / "none.db").startswith("none.db: found No such file")


MEASURED = """
import re, runpy
from pathlib import Path
try:
    runpy.run_module("tallybook", run_name="__main__")
except SystemExit as ended:
    assert not ended.code
print(re.search(r"VmHWM:\\s*([0-9]+) kB", Path("/proc/self/status").read_text())[1])
"""
"""A command and then the kilobytes it took. What the system says of a process that ended has its parent's in it."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in another way elsewhere")
@pytest.mark.parametrize("packing", ["", ".gz"])
def test_100_megabytes_take_little_memory(tmp_path: Path, packing: str) -> None:
    number = 100_000
    rows = ((at, f"model {at % 4}", f"{'word ' * 200}{at}", at / 2) for at in range(number))
    path = tmp_path / "answers.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("create table answers (id integer primary key, model, text, score)")
        database.executemany("insert into answers values (?, ?, ?, ?)", rows)
    if packing:
        with path.open("rb") as plain, gzip.open(f"{path}{packing}", "wb", compresslevel=1) as packed:
            shutil.copyfileobj(plain, packed)
        path.unlink()
    types = {"id": "integer", "model": "string", "text": "string", "score": "number"}
    fields = [{"name": name, "type": kind} for name, kind in types.items()]
    (tmp_path / "schema.json").write_text(json.dumps({"fields": fields}), encoding="utf-8")
    command = [sys.executable, "-c", MEASURED, "validate", f"{path.name}{packing}", "-s", "schema.json"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert f"valid: 1 file, {number:,} rows" in told
    assert int(told.split()[-1]) < 300 * 1024


def test_json_in_cells_has_columns_for_who_asks(tmp_path: Path) -> None:
    talk = json.dumps([{"role": "user", "content": "Hire?"}, {"role": "assistant", "content": "Yes."}])
    path = make(tmp_path / "a.db", "create table answers (id integer, messages)", rows=[(1, talk)])
    (part,), problems = parts(path, ["messages.assistant.content"])
    assert (part.column("messages.assistant.content").to_list(), problems) == (["Yes."], [])

"""Paths that others wrote: links, pipes and devices are refused by name, and nothing waits for them."""

from __future__ import annotations

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.core.safe_paths import below, check_folder, copy_folder, open_regular, read_bytes
from tallybook.shards import read_shard
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import format_by_name
from tallybook.study.publication import Recovered
from tallybook.validation import user_schemas

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")


def nothing(path: Path) -> bool:
    return not path.name


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"text")
    (tmp_path / "b.txt").symlink_to("a.txt")
    assert read_bytes(tmp_path / "b.txt") == b"text"


@pytest.mark.parametrize("is_back", [False, True])
def test_a_file_that_is_replaced_by_a_link_while_it_is_opened_is_refused(
    tmp_path: Path, *, is_back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, path = tmp_path / "data", tmp_path / "data" / "a.csv"
    folder.mkdir()
    path.write_text("mine")
    (tmp_path / "secret").write_text("theirs")
    opened = os.open

    def replaced(*arguments: Any, **settings: Any) -> int:
        path.unlink()
        path.symlink_to("../secret")
        handle = opened(*arguments, **settings)
        if is_back:
            path.unlink()
            path.write_text("mine")
        return handle

    monkeypatch.setattr(os, "open", replaced)
    with pytest.raises(OSError if is_back else UsageError, match="replaced" if is_back else "leads to"):
        open_regular(path, folder)


def _database(table: pl.DataFrame, path: Path) -> None:
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("create table answers (text)")
        made.executemany("insert into answers values (?)", table.rows())


def _workbook(table: pl.DataFrame, path: Path) -> None:
    with path.open("wb") as file:
        table.write_excel(file)


WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
    "excel": _workbook,
    "sqlite": _database,
}


@pytest.mark.parametrize("form", WRITERS)
def test_a_file_that_is_replaced_between_its_check_and_its_reader_is_refused(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, path = tmp_path / "data", tmp_path / "data" / "a"
    folder.mkdir()
    for file in (folder / "checked", tmp_path / "secret"):
        WRITERS[form](pl.DataFrame({"text": [file.name]}), file)
    path.symlink_to("checked")

    def read() -> list[str]:
        return [text for part in format_by_name(form).read(Content(folder, "a")) for text in part.column("text")]

    assert read() == ["checked"]
    resolve = Path.resolve

    def replaced(one: Path, *, strict: bool = False) -> Path:
        return tmp_path / "secret" if one == path else resolve(one, strict)

    monkeypatch.setattr(Path, "resolve", replaced)
    with pytest.raises(DataError, match="expected a file that nobody replaces while it is read"):
        read()


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_pipe_beside_a_database_keeps_nothing_waiting(tmp_path: Path, suffix: str) -> None:
    _database(pl.DataFrame({"text": ["a"]}), tmp_path / "a.sqlite")
    os.mkfifo(tmp_path / f"a.sqlite{suffix}")
    with pytest.raises(DataError, match=f"a.sqlite{suffix}: found a pipe, not a regular file"):
        list(format_by_name("sqlite").read(Content(tmp_path, "a.sqlite")))


def test_a_log_beside_a_database_that_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    _database(pl.DataFrame({"text": ["a"]}), tmp_path / "data" / "a.sqlite")
    (tmp_path / "secret").write_text("theirs")
    (tmp_path / "data" / "a.sqlite-wal").symlink_to("../secret")
    with pytest.raises(UsageError, match=r"a\.sqlite-wal: expected a file within"):
        list(format_by_name("sqlite").read(Content(tmp_path / "data", "a.sqlite")))


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a device", "a folder"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the names of sockets are short
    path = Path("a.csv")
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a socket":
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(str(path))
        case "a device":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
    with pytest.raises(OSError, match=f"{kind}, not a regular file"):
        open_regular(path)
    if kind != "a folder":
        with pytest.raises(UsageError, match=r"a\.csv"):
            check_folder(tmp_path)


def test_a_tally_that_is_a_pipe_keeps_nothing_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.parquet")
    with pytest.raises(UsageError, match="expected a file that tallybook tally wrote"):
        read_shard(tmp_path / "a.parquet")


def test_a_schema_that_is_a_pipe_keeps_nothing_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "schema.json")
    with pytest.raises(UsageError, match=r"schema.*: a pipe, not a regular file"):
        user_schemas.load(str(tmp_path / "schema.json"))


def test_values_from_figures_are_within_the_folder_of_the_study() -> None:
    printed = {"table": "1", "row": "a", "column": "b", "statistic": "n"}
    with pytest.raises(ValueError, match="leads out of the folder"):
        Recovered.model_validate({"file": "../secret.csv", "row": 0, "column": "x", "printed": printed})


@pytest.mark.parametrize("name", ["../secret.txt", "link.txt", "folder/secret.txt", "/etc/passwd"])
def test_what_leads_out_of_a_folder_is_refused_by_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "folder").symlink_to(tmp_path)
    with pytest.raises(UsageError, match=f"^{name}: expected a file within .*study; this leads to /"):
        below(folder, name)


def test_what_stays_within_a_folder_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "linked").symlink_to("real")
    (tmp_path / "real" / "a.csv").symlink_to("inner/b.csv")
    assert below(tmp_path / "linked", "a.csv") == tmp_path / "linked" / "a.csv"
    assert below(tmp_path / "linked", "none.csv") == tmp_path / "linked" / "none.csv"


def test_the_contents_that_git_annex_keeps_are_within(tmp_path: Path) -> None:
    kept = tmp_path / ".git" / "annex" / "objects" / "x" / "SHA256E-1.csv"
    kept.parent.mkdir(parents=True)
    kept.write_text("a\n")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.csv").symlink_to("../.git/annex/objects/x/SHA256E-1.csv")
    assert read_bytes(below(folder, "a.csv")) == b"a\n"
    other = tmp_path / "other" / "data"
    other.mkdir(parents=True)
    (other / "config.csv").symlink_to(tmp_path / ".git" / "config")
    with pytest.raises(UsageError, match=r"config\.csv"):
        below(other, "config.csv")


def test_a_folder_is_copied_without_what_is_passed_over(tmp_path: Path) -> None:
    source = tmp_path / "study" / "report"
    (source / "parts").mkdir(parents=True)
    (source / "parts" / "a.qmd").write_text("a")
    (source.parent / "figure.png").write_bytes(b"png")
    (source / "figure.png").symlink_to("../figure.png")
    (source / ".#index.qmd").symlink_to("somebody@somewhere.1:2")
    copy_folder(source, tmp_path / "copy", source.parent, passed_over=lambda path: path.name.startswith("."))
    copied = tmp_path / "copy"
    assert sorted(path.relative_to(copied).as_posix() for path in copied.rglob("*")) == [
        "figure.png",
        "parts",
        "parts/a.qmd",
    ]
    assert not (copied / "figure.png").is_symlink()
    assert (copied / "figure.png").read_bytes() == b"png"


@pytest.mark.parametrize("target", ["/etc/passwd", "/etc", "/dev/zero", "nothing", "parts"])
def test_a_link_that_is_no_copy_of_a_file_is_refused_by_name(tmp_path: Path, target: str) -> None:
    source = tmp_path / "report"
    (source / "parts").mkdir(parents=True)
    (source / "z.png").symlink_to(target)
    with pytest.raises(UsageError, match=r"z\.png"):
        copy_folder(source, tmp_path / "copy", source, passed_over=nothing)

"""Output folders and files: whole or not at all, and nothing of somebody else's is ever replaced."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import UsageError
from tallybook.core.output import MANIFEST, csv_text, harmless, output_folder, write_text
from tallybook.report import manifest


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def _write(target: Path, name: str = "new.txt") -> None:
    with output_folder(target) as folder:
        (folder / name).write_text("x")
        manifest.write(folder, {})


class TestOutputFolder:
    """A folder takes its place only if everything in it was written."""

    def test_a_new_folder(self, tmp_path: Path) -> None:
        _write(tmp_path / "deep" / "out")
        assert _names(tmp_path) == ["deep", "deep/out", "deep/out/manifest.json", "deep/out/new.txt"]

    def test_it_appears_at_the_end(self, tmp_path: Path) -> None:
        with output_folder(tmp_path / "out") as folder:
            assert not (tmp_path / "out").exists()
            assert folder.parent.parent == tmp_path
            assert list(folder.iterdir()) == []
        assert (tmp_path / "out").is_dir()

    def test_an_earlier_output_is_replaced(self, tmp_path: Path) -> None:
        _write(tmp_path / "out", "tables.csv")
        _write(tmp_path / "out")
        assert _names(tmp_path) == ["out", "out/manifest.json", "out/new.txt"]

    def test_an_empty_folder_is_used(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        _write(tmp_path / "out")
        assert _names(tmp_path / "out") == ["manifest.json", "new.txt"]

    def test_the_current_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "out").mkdir()
        monkeypatch.chdir(tmp_path / "out")
        _write(Path())
        assert _names(tmp_path) == ["out", "out/manifest.json", "out/new.txt"]

    @pytest.mark.parametrize("target", ["there", "not there"])
    def test_a_link_is_followed(self, tmp_path: Path, target: str) -> None:
        if target == "there":
            (tmp_path / target).mkdir()
        (tmp_path / "out").symlink_to(tmp_path / target)
        _write(tmp_path / "out")
        assert (tmp_path / "out").is_symlink()
        assert _names(tmp_path / target) == ["manifest.json", "new.txt"]

    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
    def test_after_an_error_the_earlier_output_stands(self, tmp_path: Path, error: type[BaseException]) -> None:
        _write(tmp_path / "out", "tables.csv")

        def fail(folder: Path) -> None:
            (folder / "half.txt").write_text("x")
            raise error

        with pytest.raises(error), output_folder(tmp_path / "out") as folder:
            fail(folder)
        assert _names(tmp_path) == ["out", "out/manifest.json", "out/tables.csv"]

    def test_if_the_last_step_fails_the_earlier_output_stands(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _write(tmp_path / "out", "tables.csv")
        rename = Path.rename

        def fail(path: Path, target: Path) -> Path:
            if path.name == "new":
                raise OSError(28, "No space left on device")
            return rename(path, target)

        monkeypatch.setattr("tallybook.core.unfinished._exchanged", lambda *_: False)
        monkeypatch.setattr(Path, "rename", fail)
        with pytest.raises(UsageError, match=r"^cannot write to .*: No space left on device$"):
            _write(tmp_path / "out")
        assert _names(tmp_path) == ["out", "out/manifest.json", "out/tables.csv"]

    @pytest.mark.parametrize(
        "content",
        [
            {"mine.txt": "x"},
            {"manifest.json": '{"manifest_version": 3, "name": "a browser extension"}', "code.js": "x"},
            {"manifest.json": '["created", "versions"]'},
            {"manifest.json": "no JSON", "mine.txt": "x"},
            {"manifest.json": b"\xff"},
            {"manifest.json/mine.txt": "x"},
            {".hidden": "x"},
        ],
    )
    def test_somebody_elses_folder_is_left_alone(self, tmp_path: Path, content: dict[str, str | bytes]) -> None:
        target = tmp_path / "out"
        for name, text in content.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        before = _names(tmp_path)
        with pytest.raises(UsageError) as error:
            _write(target)
        assert (
            str(error.value) == f"{target} exists and is not an output folder of tallybook; choose another with --out"
        )
        assert _names(tmp_path) == before

    def test_a_file_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("mine")
        with pytest.raises(UsageError, match="is not an output folder of tallybook"):
            _write(tmp_path / "out")
        assert (tmp_path / "out").read_text() == "mine"

    def test_what_a_killed_run_left_within_is_replaced(self, tmp_path: Path) -> None:
        _write(tmp_path / "out", "tables.csv")
        (tmp_path / "out" / ".CITATION.cff-av7t8b_w.tallybook").write_text("cff")
        _write(tmp_path / "out", "tables.csv")
        assert not any(path.name.startswith(".") for path in (tmp_path / "out").iterdir())

    def test_a_copy_that_finds_no_space(self, tmp_path: Path) -> None:
        faults = [("a.typ", "out/a.typ", "[Errno 28] No space left on device: 'out/a.typ'")]
        no_space = pytest.raises(UsageError, match=r"^cannot write to .*: No space left on device$")
        with no_space, output_folder(tmp_path / "out"):
            raise shutil.Error(faults)

    def test_a_place_where_nothing_can_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("mine")
        with pytest.raises(UsageError, match=f"^cannot write to {re.escape(str(tmp_path / 'file'))}: "):
            _write(tmp_path / "file" / "out")

    def test_what_the_program_writes_may_be_replaced(self, tmp_path: Path) -> None:
        """The keys that mark a manifest are those that `manifest.write` writes."""
        manifest.write(tmp_path, {"study": "x"})
        assert {"created", "versions", "code", "study", "files"} == set(json.loads((tmp_path / MANIFEST).read_text()))

    @pytest.mark.parametrize("name", ["tallies/notes.parquet", "report/source/mine.qmd", "figures/.hidden"])
    def test_somebody_elses_file_in_a_folder_of_it_is_left_alone(self, tmp_path: Path, name: str) -> None:
        target = tmp_path / "out"
        with output_folder(target) as folder:
            (folder / "tallies").mkdir()
            (folder / "tallies" / "a.parquet").write_text("x")
            manifest.write(folder, {})
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text("mine")
        with pytest.raises(UsageError, match=f"^{target} holds {name}, which tallybook did not write; "):
            _write(target)
        assert (target / name).read_text() == "mine"
        (target / name).rename(target / "tallies" / ".DS_Store")
        _write(target)
        assert _names(target) == ["manifest.json", "new.txt"]


KILLED = """
import os, signal, sys
from pathlib import Path
from tallybook.core.output import output_folder, whole_file
from tallybook.report import manifest
with output_folder(Path("out")) as folder, whole_file(Path("a.txt")) as file:
    manifest.write(folder, {})
    if sys.argv[1:]:
        (folder.parent / "old").mkdir()
        Path("out").rename(folder.parent / "old")
    if len(sys.argv) < 3:
        os.kill(os.getpid(), signal.SIGKILL)
    print("ready", flush=True)
    sys.stdin.read()
"""


class TestLeftOver:
    """What killed runs left is removed by the next one, and what living ones write is not."""

    def test_of_a_killed_run(self, tmp_path: Path) -> None:
        ours = [".out-mine", ".out-abcdefgh", ".a.txt-12345678"]
        for name in ours:
            (tmp_path / name).write_text("mine")
        subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
        assert len(list(tmp_path.iterdir())) == len(ours) + 2
        _write(tmp_path / "out")
        write_text(tmp_path / "a.txt", "x")
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*ours, "a.txt", "out"])

    def test_what_was_moved_away_is_put_back(self, tmp_path: Path) -> None:
        _write(tmp_path / "out", "tables.csv")
        subprocess.run([sys.executable, "-c", KILLED, "moved"], cwd=tmp_path, check=False)
        assert not (tmp_path / "out").exists()
        with pytest.raises(RuntimeError), output_folder(tmp_path / "out"):
            raise RuntimeError
        assert _names(tmp_path / "out") == ["manifest.json", "tables.csv"]

    def test_of_a_living_run(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        command = [sys.executable, "-c", KILLED.replace("if sys.argv[1:]", "if 0"), "still", "living"]
        with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as living:
            assert living.stdout is not None
            living.stdout.readline()
            _write(tmp_path / "out")
            assert len(list(tmp_path.glob(".*"))) == 2
            living.communicate()
        assert _names(tmp_path) == ["a.txt", "out", "out/manifest.json"]


class TestWriteText:
    """A file is written whole or not at all."""

    def test_bytes(self, tmp_path: Path) -> None:
        write_text(tmp_path / "a.txt", "ä\r\nb\n")
        assert (tmp_path / "a.txt").read_bytes() == "ä\r\nb\n".encode()
        assert _names(tmp_path) == ["a.txt"]

    def test_others_may_read_it(self, tmp_path: Path) -> None:
        write_text(tmp_path / "a.txt", "x")
        assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644

    def test_an_earlier_file_is_replaced(self, tmp_path: Path) -> None:
        write_text(tmp_path / "a.txt", "a long text")
        write_text(tmp_path / "a.txt", "short")
        assert (tmp_path / "a.txt").read_text() == "short"

    def test_after_an_error_the_earlier_file_stands(self, tmp_path: Path) -> None:
        write_text(tmp_path / "a.txt", "old")
        with pytest.raises(UnicodeEncodeError):
            write_text(tmp_path / "a.txt", "new \ud800")
        assert (tmp_path / "a.txt").read_text() == "old"
        assert _names(tmp_path) == ["a.txt"]

    def test_an_error_while_it_takes_its_place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a.txt").mkdir()
        with pytest.raises(OSError, match="directory"):
            write_text(tmp_path / "a.txt", "x")
        assert _names(tmp_path) == ["a.txt"]
        monkeypatch.setattr(Path, "open", None)
        with pytest.raises(TypeError):
            write_text(tmp_path / "b.txt", "x")
        assert _names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-", "'-"),
        ("\t=1+1", "\\t=1+1"),
        ("\r=1+1", "\\r=1+1"),
        ("=1\n", "'=1\\n"),
        ("-5", "-5"),
        ("+5.25", "+5.25"),
        ("-1e-300", "-1e-300"),
        ("5 = 5", "5 = 5"),
        ("–", "–"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u00a0b", "a\u00a0b"),
        ("***", "***"),
        ("", ""),
        (None, None),
    ],
)
def test_text_in_csv_files(text: str | None, written: str | None) -> None:
    frame = pl.DataFrame({"text": [text, "x"]})
    assert harmless(frame)["text"].to_list() == [written, "x"]


def test_a_text_does_not_depend_on_its_neighbours() -> None:
    alone = harmless(pl.DataFrame({"text": ["a\u00a0b"]}))["text"][0]
    beside = harmless(pl.DataFrame({"text": ["a\u00a0b", "\x1b"]}))["text"][0]
    assert alone == beside == "a\u00a0b"


def test_numbers_and_harmless_frames_stay() -> None:
    frame = pl.DataFrame({"n": [-1, None], "x": [-0.5, 2.0], "yes": [True, None], "text": ["a", None]})
    assert harmless(frame).equals(frame)
    assert csv_text(frame) == "n,x,yes,text\n-1,-0.5,true,a\n,2.0,,\n"
    assert csv_text(frame.clear()) == "n,x,yes,text\n"


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))))
def test_no_cell_runs_or_breaks_its_line(texts: list[str | None]) -> None:
    frame = pl.DataFrame({"text": texts, "n": range(len(texts))}, schema={"text": pl.String, "n": pl.Int64})
    written = csv_text(frame)
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert len(rows) == len(written.splitlines()) == len(texts) + 1
    for (cell, _), text in zip(rows[1:], texts, strict=True):
        is_number = re.fullmatch(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?", text or "")
        assert cell[:1] not in set("=+-@") or is_number
        assert not any(unicodedata.category(character) in {"Cc", "Cf", "Zl", "Zp"} for character in cell)
        if text and text.isprintable() and text[0] not in "=+-@":
            assert cell == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_making_it_harmless_twice_changes_nothing(text: str) -> None:
    once = harmless(pl.DataFrame({"text": [text]}))
    assert harmless(once).equals(once)

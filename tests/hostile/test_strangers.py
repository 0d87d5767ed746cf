"""What somebody else's study, dump or narrative may not do, at the command line: each is refused by name, at once."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tallybook.api import Study
from tallybook.cli.app import main
from tallybook.core.errors import UsageError
from tests.integration.validation.small import CLEAN, rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., tuple[int, str]]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")

PRIVATE = "what only the user may read"
NARRATIVE = '---\ntitle: "A"\n---\n\n## One\n\nText.\n'


@pytest.fixture
def tallybook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """Runs the command beside a study and a secret, and gives its exit code and what it said."""
    monkeypatch.chdir(tmp_path)
    study = CLEAN["study.toml"].replace("[[sources]]", 'key = ["model", "age", "item", "sample"]\n[[sources]]', 1)
    for name, text in (CLEAN | {"study.toml": study, "report/index.qmd": NARRATIVE}).items():
        path = tmp_path / "study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "alpha.csv").write_text(rows("alpha").replace("alpha says", PRIVATE))

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["tallybook", *arguments])
        started = time.monotonic()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert time.monotonic() - started < 60
        assert "Traceback" not in captured.err
        return int(ended.value.code or 0), captured.out + captured.err

    return call


def written(folder: Path) -> bytes:
    """Everything in a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file()) if folder.exists() else b""


def test_the_study_as_it_is(tallybook: Command, tmp_path: Path) -> None:
    code, said = tallybook("run", "study", "--out", "out")
    assert code == 0, said
    assert written(tmp_path / "out")


@pytest.mark.parametrize(
    "name", ["alpha.csv", "report/index.qmd", "report/pw.qmd", "report/z.png", "report/sources.bib"]
)
@pytest.mark.parametrize("target", ["../home/alpha.csv", "/etc/passwd"])
def test_a_link_out_of_the_study(tallybook: Command, tmp_path: Path, name: str, target: str) -> None:
    path = tmp_path / "study" / name
    path.unlink(missing_ok=True)
    path.symlink_to(tmp_path / "study" / target)
    code, said = tallybook("run", "study", "--out", "out")
    assert code == 2
    assert name.rpartition("/")[2] in said
    assert "this leads to" in said
    assert PRIVATE not in said
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_link_out_of_the_study(tallybook: Command, tmp_path: Path) -> None:
    (tmp_path / "study" / "report" / "more").symlink_to(tmp_path / "home")
    code, said = tallybook("run", "study", "--out", "out")
    assert (code, "more: expected a file within" in said) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["report/z.png", "report/theme", "report/_generated"])
def test_what_is_no_part_of_a_narrative(tallybook: Command, tmp_path: Path, name: str) -> None:
    path = tmp_path / "study" / name
    if name.endswith(".png"):
        os.mkfifo(path)
    else:
        path.mkdir()
    code, said = tallybook("run", "study", "--out", "out")
    assert code == 2
    assert name in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_an_editor_s_lock_file_is_passed_over(tallybook: Command, tmp_path: Path) -> None:
    (tmp_path / "study" / "report" / ".#index.qmd").symlink_to("somebody@somewhere.1:2")
    assert tallybook("run", "study", "--out", "out")[0] == 0
    assert not list((tmp_path / "out" / "report" / "source").glob(".#*"))


@pytest.mark.parametrize("device", ["pipe", "/dev/zero", "/dev/urandom"])
def test_a_dump_that_is_no_file(tallybook: Command, tmp_path: Path, device: str) -> None:
    path = tmp_path / "study" / "alpha.csv"
    path.unlink()
    if device == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(device)
    code, said = tallybook("validate", "study")
    assert code
    assert "alpha.csv" in said
    assert "not a regular file" in said or "this leads to /dev" in said
    code, said = tallybook("validate", "study/alpha.csv", "-s", "responses")
    assert code
    assert "alpha.csv" in said


def test_files_above_the_study(tallybook: Command, tmp_path: Path) -> None:
    study = tmp_path / "study" / "study.toml"
    study.write_text(study.read_text().replace('"{model}.csv"', '"../home/{model}.csv"'))
    code, said = tallybook("run", "study", "--out", "out")
    assert code == 2
    assert "study.toml:8: " in said
    assert "leads out of the data folder" in said
    assert "`data` names the folder" in said
    assert len(said.splitlines()) == 1  # what is refused is not told to be of a wrong type, too


def test_a_pipe_beside_good_files(tallybook: Command, tmp_path: Path) -> None:
    (tmp_path / "study" / "beta.csv").unlink()
    os.mkfifo(tmp_path / "study" / "beta.csv")
    for command in (("run", "study", "--out", "out"), ("validate", "study")):
        code, said = tallybook(*command)
        assert (code, "beta.csv: found a pipe, not a regular file" in said) == (2, True), said
    code, said = tallybook("validate", "study/alpha.csv", "study/beta.csv", "-s", "responses")
    assert (code, "study/beta.csv: expected a regular file" in said) == (2, True), said


def test_data_elsewhere_are_named_on_the_command_line(tallybook: Command, tmp_path: Path) -> None:
    study = tmp_path / "study" / "study.toml"
    study.write_text('data = "../home"\n' + study.read_text())
    (tmp_path / "home" / "beta.csv").write_text(rows("beta"))
    for command in ("run", "validate", "numbers"):
        code, said = tallybook(command, "study")
        assert code == 2
        assert "--data home" in said
    assert not (tmp_path / "out" / "small").exists()
    assert tallybook("run", "study", "--data", "home", "--out", "out")[0] == 0
    with pytest.raises(UsageError, match="in Python, data="):
        Study.load("study").responses()
    assert Study.load("study", data="home").responses().height == 24


@pytest.mark.parametrize("answer", [True, False])
def test_data_elsewhere_are_asked_for_on_a_terminal(
    tallybook: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, answer: bool
) -> None:
    study = tmp_path / "study" / "study.toml"
    study.write_text('data = "../home"\n' + study.read_text())
    (tmp_path / "home" / "beta.csv").write_text(rows("beta"))
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr("typer.confirm", confirm)
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    code, _ = tallybook("run", "study", "--out", "out")
    assert (code, len(asked)) == (0 if answer else 2, 1)
    assert str(tmp_path / "home") in asked[0]

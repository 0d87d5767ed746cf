"""`tallybook report --watch` as a user runs it: edited files, real processes, Ctrl+C."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tallybook.cli.app import main
from tallybook.core.resources import BUNDLED_DATA
from tallybook.drafting.starting import start
from tests.integration.report.test_engine import program
from tests.integration.report.test_quarto import STAND_IN
from tests.integration.report.test_rendered_again import with_one_figure

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

PATIENCE = 120  # seconds, for slow machines
TALLYBOOK = [sys.executable, "-m", "tallybook"]


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that `init` writes of the example, with one figure: each is drawn every time."""
    folder = tmp_path_factory.mktemp("drafted")
    shutil.copy(BUNDLED_DATA / "example" / "answers.csv", folder)
    made = start([folder / "answers.csv"], folder, []).files[0]
    made.write_text(with_one_figure(made.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


@pytest.fixture
def study(drafted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(drafted, tmp_path / "study")


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


class Watching:
    """A process that watches, and what it has said."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self._files = {"out": folder / "stdout", "error": folder / "stderr"}
        self._read = {"out": 0, "error": 0}

    def says(self, text: str, where: str = "out") -> str:
        """Wait until a text has been said since the last one; returns what was said up to the end of its line."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            said = self._files[where].read_text(encoding="utf-8")[self._read[where] :]
            at = said.find(text)
            if at >= 0 and (end := said.find("\n", at)) >= 0:
                self._read[where] += end + 1
                return said[: end + 1]
            assert self.process.poll() is None, self.everything()
            time.sleep(0.05)
        raise AssertionError(f"not said: {text}\n{self.everything()}")

    def everything(self) -> str:
        return "".join(file.read_text(encoding="utf-8") for file in self._files.values())

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@contextmanager
def watching(folder: Path, *arguments: str, **extra: str) -> Generator[Watching]:
    """`tallybook report . --watch` in a folder."""
    said = folder.parent / "said"
    said.mkdir()
    command = [*TALLYBOOK, "report", ".", "--to", "html", "--watch", *arguments]
    with (said / "stdout").open("wb") as out, (said / "stderr").open("wb") as error:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=error, env=environment() | extra)
    try:
        yield Watching(process, said)
    finally:
        process.kill()
        process.wait()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_report_that_is_worked_on(study: Path) -> None:
    narrative, data, file = study / "report" / "index.qmd", study / "answers.csv", study / "study.toml"
    text, out = narrative.read_text(encoding="utf-8"), study / "out" / "answers"
    page = out / "report" / "answers.html"
    with watching(study, "--engine", "embedded") as watched:
        said = watched.says("end with Ctrl+C")
        assert "answers: 300 responses" in said
        assert "Watching study.toml, the data in . and the narrative in report" in said
        computed = (out / "manifest.json").read_bytes()

        # The narrative: rendered anew, nothing computed.
        narrative.write_text(text + "\n{{< var responses.all >}} needles.\n", encoding="utf-8")
        said = watched.says("changed")
        assert re.fullmatch(r"report/index.qmd changed: rendered in \d+\.\d s: out/answers/report/answers.html\n", said)
        assert "299 needles." in page.read_text(encoding="utf-8")
        assert (out / "manifest.json").read_bytes() == computed
        assert narrative.read_text(encoding="utf-8").endswith("needles.\n")

        # Faults are told with their place, and what was made stays.
        before = contents(out)
        narrative.write_text(text + "\n{{< var no.such >}}\n", encoding="utf-8")
        said = watched.says("until this is mended", "error")
        assert said.startswith("tallybook: index.qmd:")
        assert "unknown variable no.such" in said
        narrative.write_bytes(b"\xff" + text.encode())
        assert "index.qmd: not UTF-8 at byte 0" in watched.says("until this is mended", "error")
        file.write_text(file.read_text(encoding="utf-8").replace("title =", "titel ="), encoding="utf-8")
        said = watched.says("until this is mended", "error")
        assert "study.toml:" in said
        assert "titel" in said
        assert contents(out) == before

        # The study file and the data: computed anew.
        narrative.write_text(text + "\n{{< var responses.all >}} needles.\n", encoding="utf-8")
        study_text = file.read_text(encoding="utf-8").replace("titel =", "title =") + "# mended\n"
        file.write_text(study_text, encoding="utf-8")
        said = watched.says("changed: computed and rendered")
        assert "warning" not in said, "what was told before is not told again"
        records = data.read_text(encoding="utf-8").splitlines(keepends=True)
        data.write_text("".join(records[:-1]), encoding="utf-8")
        watched.says("answers.csv changed: computed and rendered")
        assert "298 needles." in page.read_text(encoding="utf-8")
        narrative.write_text(text + "\nAt last.\n", encoding="utf-8")
        watched.says("report/index.qmd changed: rendered")
        assert watched.interrupt() == 0
        assert "Traceback" not in watched.everything()
    assert [path.name for path in (study / "out").iterdir()] == ["answers"], "nothing temporary is left"
    # What was rendered again is what a run from the beginning makes.
    again = [*TALLYBOOK, "report", ".", "--to", "html", "--engine", "embedded", "--out", "again", "--quiet"]
    subprocess.run(again, cwd=study, check=True, env=environment())
    assert contents(study / "again" / "report") == contents(out / "report")


def test_a_report_that_is_wrong_at_first(study: Path) -> None:
    narrative = study / "report" / "index.qmd"
    text = narrative.read_text(encoding="utf-8")
    narrative.write_text(text + "\n{{< var no.such >}}\n", encoding="utf-8")
    with watching(study, "--engine", "embedded", "--quiet") as watched:
        watched.says("unknown variable no.such", "error")
        page = study / "out" / "answers" / "report" / "answers.html"
        assert not page.exists()
        narrative.write_text(text, encoding="utf-8")
        deadline = time.monotonic() + PATIENCE
        while not page.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert watched.interrupt() == 0
        assert "changed" not in watched.everything(), "quiet: nothing but the error"


def test_with_quarto(study: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    quarto = program(tmp_path / "bin" / "quarto", STAND_IN.format(extra=""))
    with watching(study, "--engine", "quarto", QUARTO_PATH=str(quarto)) as watched:
        assert "Report (quarto engine, quarto 1.9.3)" in watched.says("end with Ctrl+C")
        (study / "report" / "more.bib").write_text("% a new file\n")
        assert watched.says("changed").startswith("report/more.bib changed: computed and rendered")
        assert watched.interrupt() == 0


def test_a_study_that_is_none_ends_at_once(study: Path) -> None:
    (study / "study.toml").write_text("name = 3", encoding="utf-8")
    command = [*TALLYBOOK, "report", ".", "--watch"]
    answer = subprocess.run(command, cwd=study, capture_output=True, env=environment(), check=False)
    assert answer.returncode == 2


def test_it_speaks_to_people_only(
    study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "report", str(study), "--watch", "--json") == 2
    assert "prints no JSON" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["report/out", "report"])
def test_the_narrative_is_never_overwritten(
    study: Path, out: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    narrative = study / "report" / "index.qmd"
    narrative.write_text("---\ntitle: Mine\n---\n\nMy words.\n", encoding="utf-8")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (study / "report").rglob("*")}
    monkeypatch.chdir(study)
    common = ("--to", "html", "--engine", "embedded", "--quiet")
    for target in ("made", "made"):  # the second time, the folder is replaced
        assert called(monkeypatch, "report", ".", *common, "--out", target) == 0
    assert "My words." in (study / "made" / "report" / "answers.html").read_text(encoding="utf-8")
    assert called(monkeypatch, "report", ".", *common, "--out", out) == 2
    assert "choose another with --out" in capsys.readouterr().err
    assert called(monkeypatch, "init", "answers.csv", "--quiet") == 2
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (study / "report").rglob("*")} == before


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of the command."""
    monkeypatch.setattr(sys, "argv", ["tallybook", *arguments])
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0

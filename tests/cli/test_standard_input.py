"""A dump on standard input, Ctrl+C, and names that are misspelt in a narrative, from the command line."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tallybook.cli import app
from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tallybook.cli.output import with_standard_input
from tallybook.core.errors import ReportError, UsageError
from tallybook.report.inline.addresses import check_narrative
from tallybook.study.loading import load


def pipe(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"a,b\n1,2\n", "responses.csv"),
        (b'{"a": 1}\n', "responses.jsonl"),
        (b"[1]", "responses.json"),
        (b"", "responses.csv"),
    ],
)
def test_standard_input_is_kept_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, name: str
) -> None:
    pipe(monkeypatch, content)
    other = tmp_path / "other.csv"
    assert with_standard_input([other, Path("-")], tmp_path / "new") == [other, tmp_path / "new" / name]
    assert (tmp_path / "new" / name).read_bytes() == content
    pipe(monkeypatch, content)
    with pytest.raises(UsageError, match="--force"):
        with_standard_input([Path("-")], tmp_path / "new")


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="once"):
        with_standard_input([Path("-"), Path("-")], tmp_path)


def test_a_word_after_an_interrupt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "app", interrupted)
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "tallybook: interrupted; nothing unfinished was written\n"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("estimates.rejektion.apa", "estimates.rejektion.apa: no analysis is named so"),
        ("estimates.rejection.gpt-4.yes.aqa", "estimates.rejection.gpt-4.yes.aqa: the last part is"),
        ("estimates.rejection.gpt-44.yes.apa", ".*: rejection has no level or term 'gpt-44'; did you mean gpt-4"),
        ("responses.al", "unknown variable responses.al; did you mean responses.all?"),
        ("estimate.rejection.apa", "unknown variable estimate.rejection.apa; did you mean "),
    ],
)
def test_a_misspelt_number_is_told_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, message: str
) -> None:
    study = load("bai2025").study
    (tmp_path / "index.qmd").write_text(f"{{{{< var {address} >}}}}\n")
    with pytest.raises(ReportError, match=rf"^index\.qmd:1: {message}"):
        check_narrative(study, tmp_path)
    (tmp_path / "index.qmd").write_text("{{< var estimates.rejection.gpt-4.yes.apa >}}\n")
    check_narrative(study, tmp_path)

    def refuse(*_: object) -> None:
        raise ReportError("told")

    monkeypatch.setattr(computing, "check_narrative", refuse)
    monkeypatch.setattr("tallybook.pipeline.compute", None)
    with pytest.raises(ReportError, match="told"):
        computing.run(Wanted(study="bai2025", out=tmp_path / "out", quiet=True))

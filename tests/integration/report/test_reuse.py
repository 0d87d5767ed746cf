"""Tables and figures that an output folder holds already: of the same content they are kept, and are the same files."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tallybook.api import Study
from tallybook.cli.app import app
from tallybook.core.resources import BUNDLED_DATA
from tallybook.figures import drawing
from tallybook.tables import table_format
from tests.integration.report.test_rendered_again import with_one_figure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tallybook.tables.content import Table


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that `init` writes of the example, with one figure, and its output folder."""
    folder = tmp_path_factory.mktemp("drafted")
    shutil.copy(BUNDLED_DATA / "example" / "answers.csv", folder)
    result = CliRunner().invoke(app, ["init", str(folder / "answers.csv"), "--out", str(folder), "--quiet"])
    assert result.exit_code == 0, result.output
    study = folder / "study.toml"
    study.write_text(with_one_figure(study.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", "1700000000")
        Study.load(folder).run(folder / "out")
    return folder


@pytest.fixture
def folder(drafted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    return shutil.copytree(drafted, tmp_path / "study")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is made anew, by its id."""
    told: list[str] = []
    draw, write = drawing.draw, table_format.write_tables

    def drawn(study: object, figure: drawing.Numbered, *rest: object) -> drawing.Drawn:
        told.append(figure.id)
        return draw(study, figure, *rest)  # pyright: ignore[reportArgumentType]

    def written(tables: Sequence[Table], into: Path) -> list[Path]:
        told.extend(table.id for table in tables)
        return write(tables, into)

    monkeypatch.setattr(drawing, "draw", drawn)
    monkeypatch.setattr(table_format, "write_tables", written)
    return told


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_second_run_makes_none_and_writes_the_same_bytes(folder: Path, made: list[str]) -> None:
    before = contents(folder / "out")
    Study.load(folder).run(folder / "out")
    assert made == []
    assert contents(folder / "out") == before


def test_what_somebody_changed_is_made_again(folder: Path, made: list[str]) -> None:
    before = contents(folder / "out")
    table = min((folder / "out" / "tables").glob("*.tex"))
    figure = min((folder / "out" / "figures").glob("*.png"))
    table.write_text("mine")
    figure.unlink()
    Study.load(folder).run(folder / "out")
    assert sorted(made) == sorted([table.stem, figure.stem])
    assert contents(folder / "out") == before


def test_other_numbers_make_them_again(folder: Path, made: list[str]) -> None:
    rows = (folder / "answers.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "answers.csv").write_text("".join(rows[:-1]), encoding="utf-8")
    Study.load(folder).run(folder / "out")
    figures = {path.stem for path in (folder / "out" / "figures").iterdir()}
    assert figures <= {*made}
    Study.load(folder).run(folder / "anew")
    assert contents(folder / "out") == contents(folder / "anew")


def test_another_date_makes_them_again(folder: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SOURCE_DATE_EPOCH", "1600000000")
    Study.load(folder).run(folder / "out")
    assert {path.stem for path in (folder / "out" / "tables").iterdir()} <= {*made}

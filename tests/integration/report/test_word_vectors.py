"""Figures of a Word report as vectors: each SVG beside its PNG, linked as Word links them."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from tallybook.report.word import add_vectors

if TYPE_CHECKING:
    from pathlib import Path

BLIP = '<pic:cNvPr descr="{path}" id="1" name="Picture" /><pic:blipFill><a:blip r:embed="rId9" /></pic:blipFill>'


def word_file(folder: Path, *paths: str) -> Path:
    docx = folder / "report.docx"
    with zipfile.ZipFile(docx, "w") as archive:
        archive.writestr("[Content_Types].xml", '<Types><Default Extension="png" ContentType="image/png" /></Types>')
        archive.writestr("word/_rels/document.xml.rels", "<Relationships></Relationships>")
        archive.writestr("word/document.xml", "".join(BLIP.format(path=path) for path in paths))
    return docx


def test_the_svg_of_each_picture_is_linked_beside_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "figures").mkdir(parents=True)
    (project / "figures" / "b.svg").write_text("<svg/>")
    docx = word_file(tmp_path, "figures/a.png", "figures/b.png")
    add_vectors(docx, project)
    with zipfile.ZipFile(docx) as archive:
        text = archive.read("word/document.xml").decode()
        first, second = text.split("<pic:cNvPr ")[1:]
        assert "svgBlip" not in first
        assert 'r:embed="vector1" />' in second
        assert second.count("<a:blip ") == second.count("</a:blip>") == 1
        assert 'Id="vector1" Target="media/vector1.svg"' in archive.read("word/_rels/document.xml.rels").decode()
        assert 'Extension="svg"' in archive.read("[Content_Types].xml").decode()
        assert archive.read("word/media/vector1.svg") == b"<svg/>"


@pytest.mark.parametrize("path", ["../secret.png", "none.png"])
def test_nothing_outside_the_project_is_taken(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.svg").write_text("<svg/>")
    (tmp_path / "project").mkdir()
    docx = word_file(tmp_path, path)
    before = docx.read_bytes()
    add_vectors(docx, tmp_path / "project")
    assert docx.read_bytes() == before

"""The theme: one style sheet, one typst header and one reference document for both engines."""

from __future__ import annotations

import io
import json
import re
import runpy
import zipfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import typst

from tallybook.core.resources import REPORTS
from tallybook.report import pandoc, project

if TYPE_CHECKING:
    from pathlib import Path

THEME = REPORTS / "theme"
reference = SimpleNamespace(**runpy.run_path(str(REPORTS / "reference.py")))


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_reference_document_is_what_the_script_makes() -> None:
    committed = (THEME / "reference.docx").read_bytes()
    installed = pandoc.installed()
    made_by = re.search(rb"<dc:description>pandoc ([\d.]+)</dc:description>", members(committed)["docProps/core.xml"])
    assert made_by
    if made_by[1].decode() != installed.version:
        pytest.skip(f"made with pandoc {made_by[1].decode()}, installed is {installed.version}")
    assert members(reference.build(installed)) == members(committed)


def test_reference_document_is_the_same_every_time() -> None:
    installed = pandoc.installed()
    assert reference.build(installed) == reference.build(installed)


def test_reference_document_has_each_style_once() -> None:
    styles = members((THEME / "reference.docx").read_bytes())["word/styles.xml"].decode()
    for identifier in reference.STYLES:
        assert styles.count(f'w:styleId="{identifier}"') == 1


def test_style_sheet_loads_nothing() -> None:
    text = (THEME / "tallybook.css").read_text(encoding="utf-8")
    assert "url(" not in text
    assert "@import" not in text
    assert text.count("{") == text.count("}")


def test_style_sheet_serves_dark_screens_and_paper() -> None:
    text = (THEME / "tallybook.css").read_text(encoding="utf-8")
    assert "@media screen and (prefers-color-scheme: dark)" in text
    assert "@media print" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_of_text_have_contrast(scheme: str) -> None:
    text = (THEME / "tallybook.css").read_text(encoding="utf-8")
    light, dark = text.split("@media screen and (prefers-color-scheme: dark)", 1)
    colours = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", light))
    if scheme == "dark":
        colours |= dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", dark.split("@media", 1)[0]))
    for name in ("text", "quiet", "link", "note", "tip", "important", "warning", "caution"):
        for ground in ("page", "raised"):
            assert contrast(colours[name], colours[ground]) >= 4.5, f"{name} on {ground}"
    for name, ground in (("text", "found"), ("text", "current"), ("quiet", "raised")):
        assert contrast(colours[name], colours[ground]) >= 4.5, f"{name} on {ground}"
    assert contrast(colours["quiet"], colours["page"]) >= 3, "the borders of fields"


def contrast(one: str, other: str) -> float:
    """The ratio of two colours' relative luminances (WCAG 2)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_settings_name_files_that_exist() -> None:
    settings = project.read_yaml((REPORTS / "_quarto.yml").read_text(encoding="utf-8"), "_quarto.yml")
    assert isinstance(settings, dict)
    named = re.findall(r"theme/[\w.-]+", str(settings))
    assert sorted([*named, "theme/_extension.yml"]) == sorted(f"theme/{file.name}" for file in THEME.iterdir())


def test_the_theme_is_an_extension_with_its_own_filters() -> None:
    declared = project.read_yaml((THEME / "_extension.yml").read_text(encoding="utf-8"), "_extension.yml")
    settings = project.read_yaml((REPORTS / "_quarto.yml").read_text(encoding="utf-8"), "_quarto.yml")
    assert isinstance(declared, dict)
    assert isinstance(settings, dict)
    contributed: Any = declared["contributes"]
    filters: Any = settings["filters"]
    assert [one["path"] for one in filters] == [f"theme/{one['path']}" for one in contributed["filters"]]


@pytest.mark.parametrize(("number", "lists"), [(20, 0), (21, 1)])
def test_more_than_twenty_tables_have_a_list(tmp_path: Path, number: int, lists: int) -> None:
    table = '#figure(kind: "quarto-float-tbl", supplement: "Table", caption: [One])[x]\n'
    document = tmp_path / "document.typ"
    document.write_text((REPORTS / "theme" / "lists.typ").read_text() + table * number)
    assert len(json.loads(typst.query(str(document), "outline"))) == lists

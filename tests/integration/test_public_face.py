"""What `import tallybook` offers, and that it costs nothing until it is used."""

from __future__ import annotations

import re
import subprocess
import sys
from inspect import signature
from typing import TYPE_CHECKING

import pytest

import tallybook
from tests.paths import TOP

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md")), *sorted((TOP / "docs").rglob("*.qmd"))]


@pytest.mark.parametrize("name", tallybook.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(tallybook, name).__name__ == name


def test_help_explains_every_public_name() -> None:
    said = tallybook.__doc__ or ""
    for name in set(tallybook.__all__) - {"LoadedStudy", "Coded", "Results"}:
        assert name in said
        one = getattr(tallybook, name)
        assert one.__doc__
        if not isinstance(one, type):
            arguments = [name for name in signature(one).parameters if f"{name}:" not in one.__doc__]
            assert not arguments, f"{one.__name__} does not explain {arguments}"
            assert "Raises:" in one.__doc__
    assert dir(tallybook) == tallybook.__all__


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_import_nothing_deeper(page: Path) -> None:
    assert not re.findall(r"(?m)^ *(?:from|import) tallybook(?:\.\w+)+.*", page.read_text(encoding="utf-8"))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'coded'"):
        _ = tallybook.coded


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys; from tallybook.cli.app import app\n"
        f"try: app({arguments!r})\n"
        "except SystemExit: pass\n"
        "print(sorted({'polars', 'pandera', 'numpy', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_files_are_held_against_a_schema_without_what_reads_studies(tmp_path: Path) -> None:
    """It would take as long again to import."""
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "s.json").write_text('{"fields": [{"name": "a", "type": "integer"}]}', encoding="utf-8")
    program = (
        "import sys; from tallybook.cli.app import app\n"
        "try: app(['validate', 'a.csv', '-s', 's.json'])\n"
        "except SystemExit as ended: print(ended.code)\n"
        "print(sorted({'tallybook.study.model', 'scipy', 'great_tables'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == ["valid: 1 file, 1 row, schema s.json", "0", "[]"]

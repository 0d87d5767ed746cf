"""What `import analysis` offers, and that it costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import analysis


@pytest.mark.parametrize("name", analysis.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(analysis, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'coded'"):
        _ = analysis.coded


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys; from analysis.cli import app\n"
        f"try: app({arguments!r})\n"
        "except SystemExit: pass\n"
        "print(sorted({'polars', 'pandera', 'numpy', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"

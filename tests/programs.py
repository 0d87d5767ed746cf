"""Programs that tests look at results with: not needed to use Tallybook, and a test is skipped where one is absent."""

from __future__ import annotations

import shutil
import subprocess

import pytest

PACKAGES = {
    "bash": "bash",
    "bibtex": "texlive-binaries",
    "chromium": "chromium",
    "git": "git",
    "kpsewhich": "texlive-binaries",
    "pdffonts": "poppler-utils",
    "pdfinfo": "poppler-utils",
    "pdflatex": "texlive-latex-recommended",
    "pdftotext": "poppler-utils",
}
"""The package of Debian and Ubuntu that has a program."""


def program(name: str, *names: str) -> str:
    """Return the path of a program; the test is skipped where it is not installed.

    Args:
        name: The program.
        names: How it is called elsewhere.
    """
    found = next((path for one in (name, *names) if (path := shutil.which(one))), None)
    if found is None:
        pytest.skip(f"{name} is not installed (on Debian and Ubuntu: apt install {PACKAGES[name]})")
    return found


def latex(*packages: str) -> str:
    """Return the path of pdflatex; the test is skipped where it or a package of it is not installed."""
    found, finder = program("pdflatex"), program("kpsewhich")
    files = [f"{package}.sty" for package in packages]
    known = subprocess.run([finder, *files], capture_output=True, text=True, check=False).stdout
    if missing := [package for package, file in zip(packages, files, strict=True) if file not in known]:
        pytest.skip(f"LaTeX lacks {', '.join(missing)} (on Debian and Ubuntu: apt install texlive-latex-recommended)")
    return found

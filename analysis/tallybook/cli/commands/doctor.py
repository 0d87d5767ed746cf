"""The implementation of `tallybook doctor`: installed versions, missing packages and report engines."""

from __future__ import annotations

import os
import platform
import shutil
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from tallybook.core.errors import UsageError

if TYPE_CHECKING:
    from tallybook.cli.output import Summary


def doctor() -> Summary:
    """Return the installed versions, the packages that each extra lacks, and the engines that render reports."""
    found = {
        "tallybook": version("tallybook"),
        "python": f"{platform.python_version()} on {platform.platform(terse=True)}",
        "core": _packages(""),
        **{f"[{extra}]": _packages(extra) for extra in ("analysis", "report", "excel", "textblob")},
    }
    found["quarto"] = _quarto()
    found["embedded engine"] = _embedded()
    width = max(map(len, found))
    text = "\n".join(f"{name:<{width}}  {what}" for name, what in found.items())
    return {"installed": found, "warnings": [], "text": text}


def _packages(extra: str) -> str:
    """Describe the versions of the packages that an extra adds, and those that are missing or too old."""
    said: list[str] = []
    for one in map(Requirement, requires("tallybook") or ()):
        is_core = one.marker is None or one.marker.evaluate({"extra": ""})
        if is_core != (extra == "") or (one.marker and not one.marker.evaluate({"extra": extra})):
            continue
        try:
            installed = version(one.name)
        except PackageNotFoundError:
            said.append(f"{one.name} is missing (pip install '{one.name}{one.specifier}')")
            continue
        old = "" if one.specifier.contains(installed, prereleases=True) else f" (expected {one.specifier})"
        said.append(f"{one.name} {installed}{old}")
    return ", ".join(said)


def _quarto() -> str:
    from tallybook.report.quarto import usable

    try:
        found = usable(os.environ.get("QUARTO_PATH") or shutil.which("quarto"))
    except UsageError as error:
        return str(error)
    return f"{found.version} ({found.executable})"


def _embedded() -> str:
    try:
        import pypandoc

        return f"pandoc {pypandoc.get_pandoc_version()}, typst {version('typst')}"
    except (ImportError, OSError, PackageNotFoundError):
        return "not installed: pip install 'tallybook[report]'"

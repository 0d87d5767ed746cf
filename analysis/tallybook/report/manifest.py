"""The origins of a run: versions, inputs with their SHA-256, settings and seeds."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.core.output import MANIFEST, files_in, write_text
from tallybook.core.safe_paths import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PACKAGES = (
    "tallybook", "polars", "pandera", "pydantic", "numpy", "scipy", "great-tables", "plotnine", "matplotlib",
    "pypandoc-binary", "typst", "textblob",
)  # fmt: skip
"""The packages whose versions can change a result."""


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def inputs(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The digests of input files."""
    return {name: sha256(folder / name) for name in sorted(names)}


def versions() -> dict[str, str]:
    """The versions of everything that can change a result; packages that are not installed are left out."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def code() -> str:
    """The digest of the package's own code, which changes more often than its version while it is written."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def created() -> str:
    """The time to write into a manifest: SOURCE_DATE_EPOCH where it is set, otherwise now, in UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdigit() else int(time.time())
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def machine(started: float) -> dict[str, Any]:
    """Describe the time and the machine of the run; nothing where SOURCE_DATE_EPOCH asks for the same bytes again.

    `started`: The time (`time.monotonic`) at which it began.
    """
    if "SOURCE_DATE_EPOCH" in os.environ:
        return {}
    hardware = {"system": platform.system(), "machine": platform.machine(), "processors": os.cpu_count()}
    return {"wall_seconds": round(time.monotonic() - started, 1), "hardware": hardware}


def write(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest of an output folder."""
    made = {"created": created(), "versions": versions(), "code": code()}
    text = json.dumps({**made, **content, "files": files_in(folder)}, indent=2, ensure_ascii=False)
    write_text(folder / MANIFEST, text + "\n")

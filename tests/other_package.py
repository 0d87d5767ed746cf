"""A package of somebody else, beside the tests: processes started with its environment find its entry points."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def installed(folder: Path, name: str, module: str, entry_points: str) -> dict[str, str]:
    """Install a package of one module in a folder, and return the environment of processes that shall find it."""
    packages = folder / "packages"
    about = packages / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (packages / f"{name}.py").write_text(module, encoding="utf-8")
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    paths = [str(packages), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}

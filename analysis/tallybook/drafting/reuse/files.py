"""Files of a replication: what is copied beside its study file, and a look into files of keyed JSON."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def copy_beside(folder: Path, copied: Mapping[str, Path]) -> list[Path]:
    """Copy files into a folder."""
    targets: list[Path] = []
    for name, origin in copied.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, target)
        targets.append(target)
    return targets


def has_any(path: Path, names: set[str]) -> bool:
    """Tell whether any record of a file of keyed JSON has one of some values."""
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, OSError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON: {printable(str(error))}") from None
    records: list[Any] = list(content.values()) if isinstance(content, dict) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return any(isinstance(record, dict) and not names.isdisjoint(record) for record in records)  # pyright: ignore[reportUnknownArgumentType]

"""A study whose dump is good, and what breaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.validation import small
from tests.integration.validation.small import rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STUDY = 'key = ["model", "age", "item", "sample"]\n' + small.STUDY
GOOD = {"study.toml": STUDY, "alpha.csv": rows("alpha"), "beta.csv": rows("beta")}
BROKEN = {"alpha.csv": rows("alpha", (1, "x,p,1,odl,left\n"))}
FAILURE = "alpha.csv:3: column age: found odl; expected one of old, young [levels]"


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files, and the folders they lie in."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")

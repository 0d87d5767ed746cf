"""What docs/validation.md shows, and the schemas that others publish for such files."""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

from tests.paths import DOCS

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (DOCS / "validation.md").read_text(encoding="utf-8")
REPOSITORY = "https://github.com/OWNER/tallybook"


def shown(heading: str) -> list[str]:
    """The indented blocks of a section."""
    section = re.split(r"(?m)^#+ ", PAGE.partition(f"### {heading}\n")[2])[0]
    return [dedent(block) for block in re.findall(r"(?m)(?:^(?: {4}.*)?\n)+", f"{section}\n") if block.strip()]


def conforms(schema: str, path: Path) -> None:
    """Hold a file against the schema that GitHub's or GitLab's users check theirs against."""
    subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)], check=True)

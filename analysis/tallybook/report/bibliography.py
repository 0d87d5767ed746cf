"""A report's bibliography of methods and programs, without works or keys that the study's own bibliography contains."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.untrusted import printable
from tallybook.report import pandoc as bounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BUNDLED = Path(__file__).parent / "assets" / "methods.bib"
"""The bundled bibliography of statistical methods."""

FILE = "methods.bib"
"""The file name of the generated bibliography."""

_ENTRY = re.compile(r"^@\w+\{([^,]+),\n.*?^\}\n", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"^  title = \{(.*)\}", re.MULTILINE)


class Bibliography(NamedTuple):
    """Sources of methods and programs, with the keys by which they are cited."""

    text: str  # BibTeX entries that the study's own bibliography does not have
    # the key that the program's texts use for a source -> the key by which it is cited beside the study's own sources;
    # only where the two differ
    keys: Mapping[str, str]

    def cited(self, markdown: str) -> str:
        """Return a text in which each citation uses the key that is valid beside the study's own sources.

        >>> Bibliography("", {"a1": "b2"}).cited("[@a1; @a10]")
        '[@b2; @a10]'
        """
        return re.sub(r"@([\w-]+)", lambda found: f"@{self.keys.get(found[1], found[1])}", markdown)


def bibliography(own: Sequence[Path] = ()) -> Bibliography:
    """Return the sources of methods and programs, without duplicating the study's own bibliography.

    A work that the study's own bibliography already has is cited by its key there. A key that the study's own
    bibliography uses for a different work is renamed here.
    """
    known = [source for path in own for source in _read(path)]
    by_work = {_work(title): key for key, title in reversed(known)}
    taken = {key for key, _ in known}
    kept: list[str] = []
    keys: dict[str, str] = {}
    for found in _ENTRY.finditer(BUNDLED.read_text(encoding="utf-8")):
        key, title = found[1], _TITLE.search(found[0])
        held = by_work.get(_work(title[1])) if title else None
        if held is not None:
            keys |= {key: held} if held != key else {}
            continue
        free = key
        while free in taken:
            free += "-methods"
        keys |= {key: free} if free != key else {}
        kept.append(found[0].replace(f"{{{key},", f"{{{free},", 1))
    return Bibliography("\n".join(kept), keys)


def _work(title: str) -> str:
    """Normalise a title so that different spellings of the same title compare equal."""
    return re.sub(r"<[^>]*>|\\[a-zA-Z]+|[\W_]+", "", title).casefold()


def _read(path: Path) -> list[tuple[str, str]]:
    """Return the keys and titles of a bibliography's entries."""
    entries = bounded.converted(
        ["--from=biblatex", "--to=csljson", str(path.resolve())], f"the bibliography {printable(path.name)}"
    )
    return [(entry["id"], str(entry.get("title", ""))) for entry in json.loads(entries or "[]")]

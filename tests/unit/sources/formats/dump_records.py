"""Dump files of the fixtures, what is read from them, and files that tests write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.sources.content import Content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.format_base import Format

HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"


def read(form: Format, content: Content, paths: Sequence[str] = ()) -> list[dict[str, str]]:
    """The records of a file: columns that have a value, and the key under `#`."""
    rows: list[dict[str, str]] = []
    for part in form.read(content, paths):
        assert part.cells.columns == [str(place) for place in range(len(part.header))]
        assert len(set(part.header)) == len(part.header)
        for key, cells in zip(part.keys, part.cells.iter_rows(), strict=True):
            named = zip(part.header, cells, strict=True)
            rows.append({"#": key} | {name: text for name, text in named if text is not None})
    return rows


def fixture(name: str) -> Content:
    return Content(FIXTURES, name)


def golden(name: str) -> list[dict[str, str]]:
    """The records that a fixture holds; those of Inspect agree with how the tool itself reads its logs."""
    return json.loads((HERE / "golden" / f"{name}.json").read_text(encoding="utf-8"))


def written(folder: Path, name: str, data: bytes | str | Any) -> Content:
    """A file of a test: bytes and text as they are, anything else as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else json.dumps(data)).encode()
    folder.joinpath(name).write_bytes(data)
    return Content(folder, name)


def said(content: Content) -> list[str]:
    """The problems of a file as users see them."""
    return [str(problem) for problem in content.problems]

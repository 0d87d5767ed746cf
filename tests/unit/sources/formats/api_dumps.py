"""Reads files of tools' formats for tests, and the golden results beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.sources.content import Content
from tallybook.sources.formats import batches, promptfoo, traces
from tallybook.sources.formats.call_logs import LANGFUSE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.format_base import Format

FORMATS: tuple[Format, ...] = (
    batches.OPENAI,
    batches.ANTHROPIC,
    promptfoo.FORMAT,
    LANGFUSE,
    traces.LANGSMITH,
    batches.GEMINI,
    batches.BEDROCK,
)
FIXTURES = Path(__file__).parent / "fixtures"
GOLDEN = Path(__file__).parent / "golden"


def read(
    form: Format, folder: Path, name: str, paths: Sequence[str] = ()
) -> tuple[list[dict[str, str]], list[str], list[str]]:
    """The records of a file without their missing values, with their `key`; its problems; the files read beside it."""
    content = Content(folder, name)
    records: list[dict[str, str]] = []
    for part in form.read(content, paths):
        for place, row in enumerate(part.cells.rows()):
            cells = {name: text for name, text in zip(part.header, row, strict=True) if text is not None}
            records.append({"key": part.keys[place], **cells})
    return records, [str(problem) for problem in content.problems], content.consulted


def golden(name: str) -> Any:
    """The golden result of a fixture."""
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def without(records: list[dict[str, str]], *names: str) -> list[dict[str, str]]:
    """Records without some columns, of which another form of the same file writes other texts."""
    return [{name: text for name, text in record.items() if name not in names} for record in records]


def lines(*rows: Any) -> str:
    """JSON lines: objects are written as JSON, text as it is."""
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)

"""Studies that may read the data that they name, wherever these lie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tallybook.pipeline import Results, compute, count, estimates_of, read_and_code
from tallybook.study.loading import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import polars as pl

    from tallybook.coded_dump import Coded
    from tallybook.study.draft import Draft


def dumped(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """A dump of JSON lines."""
    dump = folder / "dump.jsonl"
    dump.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return dump


def drafted(dump: Path) -> tuple[Draft, Results]:
    """What `init` declares of a dump, and what the study makes of it."""
    from tallybook.drafting.starting import start

    started = start([dump], dump.parent / "study", [])
    return started.draft, computed(started.files[0])


def computed(study: Path) -> Results:
    """A study computed of the data that its file names."""
    loaded = load(str(study))
    return compute(loaded, loaded.declared_data)


def read(study: Path) -> Coded:
    """Its responses, coded: what a test needs that looks at no estimates."""
    loaded = load(str(study))
    return read_and_code(loaded, loaded.declared_data)


def estimated(study: Path) -> pl.DataFrame:
    """Its estimates: what a test needs that looks at no tables."""
    loaded, source = load(str(study)), read(study)
    return estimates_of(loaded.study, loaded.data, source, count(loaded, source))

"""The published studies, computed once a run of the tests, whichever modules and processes look at them."""

from __future__ import annotations

import pickle
from functools import cache
from typing import TYPE_CHECKING

from filelock import FileLock

from tallybook.pipeline import Results, compute, infer
from tallybook.study.loading import load
from tests.released import released_data

if TYPE_CHECKING:
    from pathlib import Path

kept: list[Path] = []
"""The folder that the processes of a run share; `conftest.py` names it."""
alive: list[Results] = []
"""What this process has computed: the rows of large dumps lie in temporary files that end with it."""


@cache
def bundled(study: str) -> Results:
    """The study of its bundled responses."""
    return _once(study, None, None)


@cache
def released(study: str, edition: str | None = None) -> Results:
    """The study of its released responses."""
    return _once(study, released_data(study), edition)


def changed(study: str, *settings: str) -> Results:
    """The study of its bundled responses with other settings than those of reading and coding."""
    own = bundled(study)
    return infer(load(study, settings), own.source, own.tally)


def _once(study: str, data: Path | None, edition: str | None) -> Results:
    if not kept:
        return compute(load(study), data, edition)
    path = kept[0] / f"{study}-{'released' if data else 'bundled'}.pickle"
    with FileLock(path.with_suffix(".lock")):
        if not path.exists():
            results = compute(load(study), data, edition)
            alive.append(results)
            path.write_bytes(pickle.dumps(results))
    # Of the process that computed it, too: all tests look at the same thing.
    return pickle.loads(path.read_bytes())  # noqa: S301 - written above

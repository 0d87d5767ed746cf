"""Responses that take long are read in several processes, which changes nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tallybook.core import processes
from tallybook.core.errors import DataError, UsageError
from tallybook.instruments import coder
from tallybook.study.model import Study
from tests.unit.instruments.test_coding_once import DECLARATION, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = pl.DataFrame({"text": TEXTS * 3}).with_columns(
    pl.lit("ok").alias("status"),
    pl.lit("a").alias("model"),
    pl.lit("x").alias("group"),
    pl.lit("coded.csv").alias("file"),
    pl.int_range(pl.len()).cast(pl.String).alias("key"),
    pl.lit(1, dtype=pl.Int64).alias("count"),
)


@pytest.fixture
def two_processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two processes read the responses, however fast one is."""
    monkeypatch.setattr(pl, "thread_pool_size", lambda: 2)
    for name, value in {"TRIED": 2, "AT_ONCE": 3, "SOON": 0}.items():
        monkeypatch.setattr(coder, name, value)
    allowed = processes.ALLOWED.set(True)
    yield
    processes.ALLOWED.reset(allowed)


def _study(undecided: str) -> Study:
    return Study.model_validate(
        DECLARATION | {"instrument": {"kind": "absolute-decision", "undecided": undecided, "phrases": {"yes": ["aye"]}}}
    )


def _coding(study: Study) -> coder.Coding:
    instrument = study.instrument
    assert instrument is not None
    return coder.code(ROWS, study, instrument)


@pytest.mark.usefixtures("two_processes")
def test_results_are_those_of_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    several = _coding(study := _study("report"))
    monkeypatch.setattr(pl, "thread_pool_size", lambda: 1)
    one = _coding(study)
    assert_frame_equal(several.coded, one.coded)
    assert_frame_equal(several.unmapped, one.unmapped)
    assert several.findings == one.findings != ()


@pytest.mark.usefixtures("two_processes")
def test_faults_of_all_processes_are_raised_together(monkeypatch: pytest.MonkeyPatch) -> None:
    study = _study("error")
    with pytest.raises(DataError) as several:
        _coding(study)
    monkeypatch.setattr(pl, "thread_pool_size", lambda: 1)
    with pytest.raises(DataError) as one:
        _coding(study)
    assert several.value.problems == one.value.problems
    assert len({problem.key for problem in one.value.problems}) > 3  # of more than one process


@pytest.mark.usefixtures("two_processes")
def test_a_process_that_ends() -> None:
    with pytest.raises(UsageError, match="one of 2 processes ended"):
        list(processes.mapped(os._exit, [3]))
    assert list(processes.mapped(len, ["a", "bc"])) == [1, 2]

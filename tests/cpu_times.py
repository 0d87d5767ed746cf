"""Processor time that tests take, with the processes that they start: `pytest -p tests.cpu_times` lists the dearest.

Seconds by the clock say little on a machine that others use, and a test that waits costs nobody else anything.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

MOST = 30
"""How many files and tests are listed."""
_last = [0.0]
_spent = Counter[str]()


def _used() -> float:
    return sum(os.times()[:4])


def pytest_sessionstart() -> None:
    _last[0] = _used()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:  # noqa: ARG001
    report = yield
    now = _used()
    report.user_properties = [*report.user_properties, ("cpu", now - _last[0])]
    _last[0] = now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds = sum(float(str(value)) for name, value in report.user_properties if name == "cpu")
    _spent[report.nodeid.partition("[")[0]] += seconds


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    files, folders = Counter[str](), Counter[str]()
    for test, seconds in _spent.items():
        file = test.partition("::")[0]
        files[file] += seconds
        folders["/".join(file.split("/")[:2])] += seconds
    terminalreporter.section(f"processor time: {sum(_spent.values()):,.0f} s")
    for spent in (folders, files, _spent):
        for name, seconds in spent.most_common(MOST):
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
        terminalreporter.write_line("")

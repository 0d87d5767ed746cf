"""Whatever operation a command is stopped at: old or new whole, nothing of others touched, the next run is fine."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system cannot fork")

SAMPLE = """
from tests.hostile.faults import faults_of
MOST = {"run": 2, "validate": 2, "bundle": 2, "tally": 2, "merge": 2, "report": 1, "reproduce": 1}
for command, most in MOST.items():
    operations, tried, failed = faults_of(command, most=most, kinds=("kill", "full"))
    assert operations and tried.total() >= 2 * most, (command, operations, tried)
    print(*failed, sep="\\n")
"""


def test_some_operations_of_each_command() -> None:
    ended = subprocess.run([sys.executable, "-c", SAMPLE], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, []), ended.stdout + ended.stderr

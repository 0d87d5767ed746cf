"""Whatever operation a command is stopped at: old or new whole, nothing of others touched, the next run is fine."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system cannot fork")

SAMPLE = """
from tests.faults import faults_of
for command in ("run", "bundle"):
    operations, tried, failed = faults_of(command, most=2, kinds=("kill", "full"))
    assert operations and tried.total() >= 4, (command, operations, tried)
    print(*failed, sep="\\n")
"""


def test_some_operations_of_each_command() -> None:
    ended = subprocess.run([sys.executable, "-c", SAMPLE], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, []), ended.stdout + ended.stderr

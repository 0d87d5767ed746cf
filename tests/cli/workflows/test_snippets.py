"""What docs and README show of other ways in is run: jobs, rules and lines as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import yaml

from tallybook.drafting.starting import start
from tests.cli.workflows.dumps import BROKEN, FAILURE, GOOD, STUDY, write
from tests.cli.workflows.snippets import REPOSITORY, conforms, shown
from tests.paths import TOP

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLE = TOP / "tests" / "validation" / "example"


def run(script: str, folder: Path, environment: Mapping[str, str], *before: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in which `tallybook` is this one, and which stops at the first failure."""
    path = os.pathsep.join([*map(str, before), str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={"PYTHONPATH": str(TOP)} | environment | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.slow
def test_gitlab(tmp_path: Path, source: Path, alone: dict[str, str], version: str) -> None:
    (snippet,) = shown("GitLab CI")
    (tmp_path / ".gitlab-ci.yml").write_text(snippet)
    conforms("vendor.gitlab-ci", tmp_path / ".gitlab-ci.yml")
    job = yaml.safe_load(snippet)["validate"]
    address = f"git+{REPOSITORY}@{version}"
    assert snippet.count(address) == 1
    # Installed for real, beside what it needs, which is here already.
    target = tmp_path / "installed"
    pip = f"'{sys.executable}' -m pip install --quiet --no-deps --target '{target}'"
    script = "\n".join(job["script"]).replace("pip install", pip).replace(REPOSITORY, source.as_uri())
    environment = alone | {"PYTHONPATH": str(target)}
    artifacts = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
    for number, (files, failed) in enumerate([(GOOD, []), (GOOD | BROKEN, ["levels"])]):
        folder = tmp_path / str(number)
        write(folder, files)
        if number:  # it is installed
            script = "\n".join(line for line in script.split("\n") if " -m pip install " not in line)
        ended = run(script, folder, environment, target / "bin")
        assert ended.returncode == bool(failed), ended.stdout
        assert all((folder / name).is_file() for name in artifacts)
        cases = ET.parse(folder / job["artifacts"]["reports"]["junit"]).getroot().findall(".//testcase")  # noqa: S314
        assert [case.attrib["name"] for case in cases if case.find("failure") is not None] == failed


def test_cron(tmp_path: Path) -> None:
    line, _ = shown("Anywhere else")
    time, command = re.fullmatch(r"((?:[\d*]+ ){5}) (.*)", line.strip()).groups()
    assert time == "0 6 * * * "
    write(tmp_path / "study", GOOD)
    ended = run(command, tmp_path, {})
    assert (ended.returncode, ended.stdout) == (0, "")  # nothing is mailed
    write(tmp_path / "study", BROKEN)
    ended = run(command, tmp_path, {})
    assert ended.returncode == 1
    assert FAILURE in ended.stdout


def test_make(tmp_path: Path) -> None:
    _, rule = shown("Anywhere else")
    runs = {f"runs/{name}": content for name, content in GOOD.items() if name.endswith(".csv")}
    write(tmp_path, runs | {"Makefile": rule, "study.toml": STUDY.replace("{model}", "runs/{model}")})
    assert run("make valid", tmp_path, {}).returncode == 0
    assert "up to date" in run("make valid", tmp_path, {}).stdout
    write(tmp_path, {"runs/alpha.csv": BROKEN["alpha.csv"]})
    later = (tmp_path / "valid").stat().st_mtime + 2
    os.utime(tmp_path / "runs" / "alpha.csv", (later, later))
    ended = run("make valid", tmp_path, {})
    assert ended.returncode == 2
    assert FAILURE in ended.stdout


def test_what_init_writes(tmp_path: Path, version: str) -> None:
    write(tmp_path, {"odd.csv": "model,answer\n" + "a,yes\nb,no\n" * 8})
    folder = tmp_path / "my: study # 1"
    workflow = start([tmp_path / "odd.csv"], folder, []).files[3]
    conforms("vendor.github-workflows", workflow)
    (*_, step) = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]["validate"]["steps"]
    data = Path(os.path.relpath(tmp_path)).as_posix()  # the dump lies outside the study's folder
    inputs = {"targets": str(folder / "study.toml"), "data": data}
    assert step == {"uses": f"OWNER/tallybook@{version}", "with": inputs}

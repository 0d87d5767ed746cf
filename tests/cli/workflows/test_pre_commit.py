"""The hooks, as pre-commit installs them from a tag of this repository and runs them in one of responses."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml
from xlsxwriter import Workbook

from tests.cli.workflows.dumps import BROKEN, FAILURE, GOOD, STUDY, rows, write
from tests.cli.workflows.snippets import PAGE, REPOSITORY, shown
from tests.paths import TOP

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = TOP / ".pre-commit-hooks.yaml"
STUDY_HOOK, FILES_HOOK = "tallybook-validate", "tallybook-validate-files"
SETTINGS = ".pre-commit-config.yaml"
SCHEMA = '{"type": "object", "properties": {"age": {"enum": ["old", "young"]}}, "required": ["age"]}'


class Ran(NamedTuple):
    code: int
    out: str


class Repository(NamedTuple):
    """A user's repository."""

    path: Path
    environment: dict[str, str]

    def run(self, *command: str) -> Ran:
        ended = subprocess.run(
            command, cwd=self.path, env=self.environment, capture_output=True, encoding="utf-8", check=False
        )
        return Ran(ended.returncode, ended.stdout + ended.stderr)

    def pre_commit(self, *arguments: str) -> Ran:
        return self.run(sys.executable, "-m", "pre_commit", *arguments)

    def stage(self, files: dict[str, str]) -> None:
        write(self.path, files)
        assert self.run("git", "add", ".").code == 0


def configured(source: Path) -> dict[str, Any]:
    """The settings that the docs show, for both hooks, with the extra that they show."""
    first, second = shown("pre-commit")
    settings = yaml.safe_load(first.replace(REPOSITORY, source.as_uri()))
    hooks = settings["repos"][0]["hooks"]
    hooks += yaml.safe_load(second)
    (extra,) = re.findall(r"`(additional_dependencies: .*?)`", PAGE)
    for hook in hooks:
        hook.update(yaml.safe_load(extra))
    return settings


@pytest.fixture
def repository(tmp_path: Path, source: Path, alone: dict[str, str]) -> Repository:
    """A repository of good data with both hooks. They are installed the first time that one runs."""
    made = Repository(tmp_path, alone)
    assert made.run("git", "init", "-q").code == 0
    made.stage(GOOD | {SETTINGS: yaml.safe_dump(configured(source)), "dump.schema.json": SCHEMA, "notes.md": "x"})
    assert made.run("git", "commit", "-q", "-m", "Good").code == 0
    return made


def test_the_manifest_is_one() -> None:
    subprocess.run([sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)], check=True)
    hooks = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == [STUDY_HOOK, FILES_HOOK]


def test_the_settings_that_are_shown_are_ones(tmp_path: Path, source: Path, version: str) -> None:
    path = tmp_path / SETTINGS
    path.write_text(yaml.safe_dump(configured(source)))
    subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", str(path)], check=True)
    (one,) = yaml.safe_load(path.read_text())["repos"]
    assert (one["rev"], [hook["id"] for hook in one["hooks"]]) == (version, [STUDY_HOOK, FILES_HOOK])


@pytest.mark.slow
def test_a_study(repository: Repository) -> None:
    ran = repository.pre_commit("run", "--all-files", STUDY_HOOK)
    assert ran.code == 0, ran.out
    assert ran.out.rstrip().endswith("Passed")
    repository.stage({"notes.md": "y"})
    assert "Skipped" in repository.pre_commit("run", STUDY_HOOK).out
    repository.stage(BROKEN)
    for color in ("never", "always"):  # coloured, a hook is run on a terminal of its own
        ran = repository.pre_commit("run", STUDY_HOOK, f"--color={color}")
        assert ran.code == 1
        assert "- exit code: 1" in ran.out
        told = [line.rstrip("\r") for line in ran.out.partition("exit code: 1")[2].split("\n")[2:]]
        assert told[0] == f"error: {FAILURE}"
        assert told[1].startswith("invalid: 1 error; 2 files, ")
        assert all(line.isprintable() for line in told)
    repository.stage(GOOD | {"study.toml": STUDY.replace("title =", "titel =")})
    ran = repository.pre_commit("run", STUDY_HOOK)
    assert "- exit code: 2" in ran.out
    assert "titel: unknown setting" in ran.out


@pytest.mark.slow
def test_a_commit_is_refused(repository: Repository) -> None:
    settings = yaml.safe_load((repository.path / SETTINGS).read_text())
    del settings["repos"][0]["hooks"][0]["args"]
    assert repository.pre_commit("install").code == 0
    repository.stage(BROKEN | {SETTINGS: yaml.safe_dump(settings)})
    ran = repository.run("git", "commit", "-m", "Broken")
    assert ran.code == 1
    assert FAILURE in ran.out
    repository.stage(GOOD | {"notes.md": "z", "beta.csv": rows("beta") + "\n"})
    ran = repository.run("git", "commit", "-m", "Good again")
    assert ran.code == 0, ran.out


@pytest.mark.slow
def test_files(repository: Repository) -> None:
    assert "Skipped" in repository.pre_commit("run", FILES_HOOK, "--all-files").out
    good = {"runs/a.jsonl": '{"age": "old"}\n', "runs/deep/b.jsonl": '{"age": "young"}\n'}
    repository.stage(good | {"other.jsonl": '{"age": 1}\n'})
    ran = repository.pre_commit("run", FILES_HOOK)
    assert ran.code == 0, ran.out
    repository.stage({"runs/deep/b.jsonl": '{"age": "young"}\n{"age": "odl"}\n'})
    ran = repository.pre_commit("run", FILES_HOOK)
    assert ran.code == 1
    assert "error: runs/deep/b.jsonl:2: column age: found odl; expected one of old, young" in ran.out
    assert "invalid: 1 error; 2 files, 3 rows" in ran.out


@pytest.mark.slow
def test_what_a_file_is_called_is_no_option_and_extras_are_there(repository: Repository) -> None:
    settings = (repository.path / SETTINGS).read_text()
    repository.stage({SETTINGS: settings.replace(r"^runs/.*\.jsonl$", r"^-.*"), "--failures=x.csv": "age\nold\n"})
    with Workbook(str(repository.path / "-x.xlsx")) as book:
        book.add_worksheet().write_column(0, 0, ["age", "young", "odl"])
    repository.stage({})
    ran = repository.pre_commit("run", FILES_HOOK)
    assert ran.code == 1
    assert "error: -x.xlsx: row 3: column age: found odl; expected one of old, young" in ran.out
    assert "invalid: 1 error; 2 files, 3 rows" in ran.out
    assert [path.name for path in repository.path.iterdir() if path.is_dir()] == [".git"]

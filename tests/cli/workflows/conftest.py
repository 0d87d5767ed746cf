"""This project as a repository with a tag, and an environment in which pip installs it without an index."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from tests.cli.workflows.wheelhouse import build
from tests.paths import TOP
from tests.programs import program

if TYPE_CHECKING:
    from pathlib import Path

PARTS = (
    ".gitignore", ".pre-commit-hooks.yaml", "LICENSE", "README.md", "action.yml", "analysis", "data/published",
    "data/raw", "pyproject.toml", "reports", "requirements.lock", "schemas",
)  # fmt: skip
"""What is installed, and what it takes to install it."""
FOREIGN = ("CI", "COV_", "GIT", "PIP_", "PRE_COMMIT", "PYTEST", "PYTHON", "UV_", "VIRTUAL", "XDG_")
"""What variables begin with that would change how the programs run."""


@pytest.fixture(scope="session")
def version() -> str:
    """The tag of this version."""
    return "v" + tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, version: str) -> Path:
    """A folder of all processes that test: wheels of what is installed here, and the repository."""
    for name in ("bash", "git"):
        program(name)
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "ways"
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            made = folder.with_suffix(".begun")
            (made / "wheels").mkdir(parents=True)
            build(TOP, made / "wheels", "pytest", "fastexcel")
            _write_repository(made / "tallybook", version, _environment(folder))
            made.rename(folder)
    return folder


@pytest.fixture(scope="session")
def alone(shared: Path) -> dict[str, str]:
    """Variables of a user with nothing but the programs: no settings, no index; pip finds what is installed here."""
    return _environment(shared)


@pytest.fixture(scope="session")
def source(shared: Path) -> Path:
    """This project as a git repository whose only commit has the tag of its version."""
    return shared / "tallybook"


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return kept | {
        "HOME": str(folder),
        "TERM": "xterm",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": (folder / "wheels").as_uri(),
        "PIP_NO_CACHE_DIR": "1",
        "PIP_NO_COMPILE": "1",
        "PIP_NO_INDEX": "1",
        "PRE_COMMIT_HOME": str(folder / "pre-commit"),
        "VIRTUALENV_OVERRIDE_APP_DATA": str(folder / "virtualenv"),
    }


def _write_repository(folder: Path, tag: str, environment: dict[str, str]) -> None:
    for part in PARTS:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        if (TOP / part).is_dir():
            shutil.copytree(TOP / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(TOP / part, folder / part)
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "All"), ("tag", tag)):
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True)

"""The action for GitHub: what it declares, and its steps run as the runner runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from packaging.utils import canonicalize_name

from tests.cli.workflows.dumps import BROKEN, GOOD, STUDY, write
from tests.cli.workflows.snippets import PAGE, conforms, shown
from tests.cli.workflows.workflow import EXPRESSION, Runner
from tests.paths import TOP

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.workflows.workflow import Ended

ACTION: dict[str, Any] = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
USED = {"python": {"python-path": sys.executable}}
ANNOTATION = (
    "::error file=alpha.csv,line=3,title=tallybook%3A levels::column age: found odl; expected one of old, young"
)


def test_it_is_an_action() -> None:
    conforms("vendor.github-actions", TOP / "action.yml")
    for name, one in ACTION["inputs"].items():
        assert "default" in one, name
        assert f"inputs.{name} " in (TOP / "action.yml").read_text(encoding="utf-8"), name


def test_no_value_becomes_part_of_a_script() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 2
    for script in scripts:
        assert "${{" not in script
        assert "eval" not in script
    for step in STEPS:
        for value in [*step.get("env", {}).values(), step.get("working-directory", "${{ inputs.x }}")]:
            assert EXPRESSION.fullmatch(value), value


def test_python_looks_for_nothing_in_the_workspace() -> None:
    scripts = "".join(step.get("run", "") for step in STEPS)
    assert re.findall(r'"\$(?:PYTHON|bin/python)" (\S+)', scripts) == ["-I"] * 3


def test_actions_are_named_by_tags() -> None:
    (workflow,) = shown("GitHub Actions")
    used = re.findall(r"uses: (\S+)", workflow) + [step["uses"] for step in STEPS if "uses" in step]
    assert len(used) == 4
    assert all(re.fullmatch(r"[\w.-]+(/[\w.-]+)+@v\d+(\.\d+\.\d+)?", one) for one in used)


def test_the_docs_name_what_there_is(tmp_path: Path, version: str) -> None:
    (workflow,) = shown("GitHub Actions")
    path = tmp_path / "workflow.yml"
    path.write_text(workflow)
    conforms("vendor.github-workflows", path)
    steps = yaml.safe_load(workflow)["jobs"]["validate"]["steps"]
    (step,) = [step for step in steps if step["uses"].startswith("OWNER/")]
    assert step["uses"] == f"OWNER/tallybook@{version}"
    assert set(step["with"]) <= set(ACTION["inputs"])
    outputs = re.findall(r"steps\.tallybook\.outputs\.([a-z-]+)", workflow)
    assert set(outputs) <= set(ACTION["outputs"])
    inputs, outputs = PAGE.partition("### GitHub Actions")[2].partition("### ")[0].split("| output | |")
    assert told(inputs) == set(ACTION["inputs"])
    assert told(outputs) == set(ACTION["outputs"])


def told(table: str) -> set[str]:
    """The names in the first column of a table."""
    cells = re.findall(r"(?m)^\| (`.*?) \|", table)
    return {name for cell in cells for name in re.findall("`(.+?)`", cell)}


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The job's temporary folder, in which Tallybook is installed by the first test."""
    return tmp_path_factory.mktemp("runner temp")


@pytest.fixture(scope="module")
def installed(source: Path, alone: dict[str, str], temporary: Path) -> Path:
    """The environment that the action makes."""
    workspace = temporary / "other"
    workspace.mkdir()
    # What a checked-out repository holds must not run as the action installs.
    for name in ("venv.py", "pip.py", "json.py", "sitecustomize.py"):
        (workspace / name).write_text("raise SystemExit('the workspace was run')\n")
    runner = Runner(ACTION | {"runs": {"steps": STEPS[:2]}}, source, workspace, temporary, alone)
    ended = runner.run({}, USED)
    assert ended.code == 0, ended.log
    return temporary / "tallybook"


@pytest.fixture
def act(installed: Path, source: Path, alone: dict[str, str], temporary: Path, tmp_path: Path) -> Callable[..., Ended]:
    """Runs the action's last step in a workspace with files."""
    del installed
    runner = Runner(ACTION, source, tmp_path, temporary, alone)

    def run(files: dict[str, str], **inputs: str) -> Ended:
        write(tmp_path, files)
        return runner.run({name.replace("_", "-"): value for name, value in inputs.items()}, USED, skip=1)

    return run


@pytest.mark.slow
def test_good_data(act: Callable[..., Ended]) -> None:
    ended = act(GOOD)
    assert ended.code == 0, ended.log
    assert ended.commands == []
    result = Path(ended.outputs.pop("result"))
    assert ended.outputs == {"valid": "true", "exit-code": "0", "errors": "0", "warnings": "0"}
    assert json.loads(result.read_text())["valid"] is True
    assert ended.summary.startswith("### ✅ small")


@pytest.mark.slow
def test_broken_data(act: Callable[..., Ended], tmp_path: Path) -> None:
    ended = act(
        GOOD | BROKEN,
        output="out/results.sarif\nout/results.xml\n",
        failures="out/failures.csv",
    )
    assert ended.code == 2  # there is no folder for them
    assert ended.outputs["valid"] == ""
    (tmp_path / "out").mkdir()
    (tmp_path / "json.py").write_text("raise SystemExit('the workspace was run')\n")
    inputs = {"failures": "out/failures.csv", "fail_on": "warning"}
    ended = act(GOOD | BROKEN, output="out/results.sarif\nout/results.xml\n", **inputs)
    assert ended.code == 1, ended.log
    assert ended.commands == [ANNOTATION]
    result = json.loads(Path(ended.outputs.pop("result")).read_text())
    assert (result["valid"], result["fail_on"]) == (False, "warning")
    assert ended.outputs == {"valid": "false", "exit-code": "1", "errors": "1", "warnings": "0"}
    assert ended.summary.startswith("### ❌ small")
    assert "odl" in ended.summary
    sarif = json.loads((tmp_path / "out" / "results.sarif").read_text())
    assert len(sarif["runs"][0]["results"]) == 1
    assert ET.parse(tmp_path / "out" / "results.xml").getroot().find(".//failure") is not None  # noqa: S314
    assert len((tmp_path / "out" / "failures.csv").read_text().splitlines()) == 2


@pytest.mark.slow
def test_a_study_elsewhere(act: Callable[..., Ended]) -> None:
    edition = STUDY.replace("[[sources]]", '[[sources]]\nedition = "final"')
    files = {"deep er/my study.toml": edition, "deep er/dump/alpha.csv": BROKEN["alpha.csv"]}
    inputs = {"working_directory": "deep er", "targets": "my study.toml", "data": "dump"}
    ended = act(files, edition="final", **inputs)
    assert ended.code == 1, ended.log
    place = "file=deep er/dump/beta.csv,title=tallybook%3A files"
    missing = f"::warning {place}::expected this file: the study declares model beta"
    assert ended.commands == [ANNOTATION.replace("=alpha", "=deep er/dump/alpha"), missing]
    ended = act(files, edition="first", **inputs)
    assert ended.code == 2
    assert "declares no edition 'first'" in ended.log


@pytest.mark.slow
def test_files(act: Callable[..., Ended]) -> None:
    schema = {"type": "object", "properties": {"age": {"enum": ["old", "young"]}}, "required": ["age"]}
    files = {"s.json": json.dumps(schema), "-o.csv": "age\nold\n", "x.csv": "age\nodl\n"}
    ended = act(files, targets="*.csv", schema="s.json")
    assert ended.code == 1, ended.log
    assert json.loads(Path(ended.outputs["result"]).read_text())["files"] == 2


@pytest.fixture
def arguments(source: Path, alone: dict[str, str], tmp_path: Path) -> Callable[..., list[str]]:
    """Runs the action's last step with a program in Tallybook's place that tells its arguments, and fails."""
    temporary, workspace = tmp_path / "temp", tmp_path / "workspace"
    program = temporary / "tallybook" / "bin" / "tallybook"
    program.parent.mkdir(parents=True)
    workspace.mkdir()
    program.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[2:]))\nsys.exit(2)\n")
    program.chmod(0o755)
    runner = Runner(ACTION, source, workspace, temporary, alone)

    def run(files: dict[str, str], **inputs: str) -> list[str]:
        write(workspace, files)
        ended = runner.run({name.replace("_", "-"): value for name, value in inputs.items()}, USED, skip=1)
        assert ended.code == 2
        assert ended.outputs == {"valid": "", "exit-code": "2", "errors": "", "warnings": "", "result": ""}
        assert sorted(path.relative_to(workspace).as_posix() for path in workspace.rglob("*.*")) == sorted(files)
        said, command = ended.log.splitlines()
        assert command == "::error title=tallybook::the data could not be validated; the log says why"
        return json.loads(said)

    return run


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ("study.toml", ["study.toml"]),
        ("a b.csv", ["a b.csv"]),
        ("[x].csv", ["[x].csv"]),  # a file of that name is no pattern
        ("[xy].csv", ["x.csv"]),
        ("*.csv", ["-o.csv", "[x].csv", "a b.csv", "x.csv"]),
        ("x.csv\n\n a b.csv \na b.csv\n", ["x.csv", " a b.csv ", "a b.csv"]),
        ("runs/*.csv", ["runs/one.csv"]),
        ("runs/**/*.csv", ["runs/deep/two.csv", "runs/one.csv"]),
        ("no*.csv", ["no*.csv"]),
        ("", []),
    ],
)
def test_patterns(arguments: Callable[..., list[str]], targets: str, expected: list[str]) -> None:
    files = dict.fromkeys(["a b.csv", "[x].csv", "x.csv", "-o.csv", "runs/one.csv", "runs/deep/two.csv"], "")
    given = arguments(files, targets=targets)
    assert sorted(given[given.index("--") + 1 :], key=str) == sorted(expected)


OPTIONS = ("schema", "data", "edition", "failures")
HOSTILE = (
    "$(touch x.x)",
    "`touch x.x`",
    '"; touch x.x; "',
    "'; touch x.x; '",
    "x; touch x.x",
    "--help",
    "*.md",
    "\\",
    "a  b",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_inputs_are_passed_on_as_they_are(arguments: Callable[..., list[str]], text: str) -> None:
    options = dict.fromkeys(OPTIONS, text)
    given = arguments({"a.md": ""}, targets=text, output=f"{text}\n{text}", fail_on=text, **options)
    result = given.pop(2)
    assert re.fullmatch(r"--output=.*/temp/tallybook-\w+/result\.json", result)
    assert given == [
        "--format=github",
        f"--fail-on={text}",
        *(f"--{name}={text}" for name in OPTIONS),
        f"--output={text}",
        f"--output={text}",
        "--",
        "a.md" if text == "*.md" else text,
    ]


@pytest.mark.slow
def test_what_a_workflow_names_forges_no_command(act: Callable[..., Ended]) -> None:
    text = "x\r\n::error::y"
    for name in (*OPTIONS, "fail_on"):
        ended = act(GOOD, **{name: text}, **({"targets": "alpha.csv"} if name == "schema" else {}))
        assert ended.code == 2
        assert ended.commands == ["::error title=tallybook::the data could not be validated; the log says why"]


def test_extras_are_names(source: Path, alone: dict[str, str], tmp_path: Path) -> None:
    runner = Runner(ACTION, source, tmp_path, tmp_path, alone)
    for text in ("excel] @ https://x.example/y.zip#[", "$(touch forged)", "-r x", "excel;"):
        ended = runner.run({"extras": text}, USED)
        assert (ended.code, ended.commands) == (
            2,
            ["::error title=tallybook::extras are names joined by commas, for instance excel,textblob"],
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output", "step.sh", "summary.md"]


@pytest.mark.slow
def test_what_is_installed(installed: Path, alone: dict[str, str], version: str, tmp_path: Path) -> None:
    """The core and no more, in the versions of the lock."""
    python = str(installed / "bin" / "python")

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [python, "-m", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=alone | variables, encoding="utf-8", stdout=subprocess.PIPE, check=False
        )

    listed = json.loads(run("pip", "list", "--format=json").stdout)
    found = {canonicalize_name(one["name"]): one["version"] for one in listed}
    assert not {"scipy", "numpy", "great-tables", "fastexcel", "pytest"} & set(found)
    lock = dict(re.findall(r"(?m)^([a-z0-9-]+)==([^ ;]+)", (TOP / "requirements.lock").read_text(encoding="utf-8")))
    assert found.pop("tallybook") == version.removeprefix("v")
    assert {name: found[name] for name in set(found) - {"pip", "setuptools"}}.items() <= lock.items()

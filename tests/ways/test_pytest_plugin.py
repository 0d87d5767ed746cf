"""A study's checks as tests of pytest: alone, beside other tests, in several processes, and where they cannot run."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tallybook.core.errors import UsageError
from tallybook.core.progress import Progress
from tallybook.study.analysis_base import ANALYSES
from tallybook.study.check_base import CHECKS
from tallybook.study.figure_base import FIGURES
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tallybook.validation import pytest_plugin
from tallybook.validation.formats.text import lines
from tallybook.validation.study_data import validate_study
from tests.ways.dumps import GOOD, STUDY, rows, write

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., pytest.RunResult]

TOP = Path(__file__).parents[2]
EXAMPLE = TOP / "tests" / "validation" / "example"
PLUGIN = ("-p", "tallybook.pytest_plugin", "-p", "no:cacheprovider", "--color=no")
FAILED = {"records", "values", "levels", "unique", "design", "prompts"}
WARNED = {"refusals", "encoding", "secrets", "drift"}
PASSED = {"files", "columns", "items", "coding", "labels"}


@pytest.fixture(scope="session", autouse=True)
def _classes_stay() -> None:
    """Import the classes of all registries: pytest forgets modules that a run in this process imports first.

    Their classes would be others when they are imported again, and those that the study file's models know could not
    be sent to other processes.
    """
    for registry in (ANALYSES, CHECKS, FIGURES, INSTRUMENTS):
        assert registry.classes


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Runs pytest with the plugin, once, whether or not the environment has it installed."""
    return lambda *arguments: pytester.runpytest_inprocess(*PLUGIN, *arguments)


@pytest.fixture
def run_apart(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same in a process of its own."""
    monkeypatch.setenv("PYTHONPATH", str(TOP))
    return lambda *arguments: pytester.runpytest_subprocess(*PLUGIN, *arguments)


@pytest.fixture
def broken(pytester: pytest.Pytester) -> Path:
    """The study whose dump is broken in every way."""
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True)
    return pytester.path


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """Test -> how it ended, as `pytest -v` tells it."""
    found = re.findall(r"(?m)^(?:\[gw\d\] \[ *\d+%\] (\w+) )?(\S+::\w+)(?: (\w+) +\[ *\d+%\])?", result.stdout.str())
    return {test: before or after for before, test, after in found if before or after}


def test_each_check_is_a_test(broken: Path, run: Run) -> None:
    result = run("-v", "--tallybook-study", "study.toml")
    expected = {f"study.toml::{name}": "PASSED" for name in PASSED | WARNED}
    assert outcomes(result) == expected | {f"study.toml::{name}": "FAILED" for name in FAILED}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = validate_study(load(str(broken)), None, None, "error", Progress())
    # In continuous integration pytest's own summary says it all once more.
    shown, told = result.stdout.str().partition("short test summary info")[0], lines(report)
    assert {line.partition(":")[0] for line in told} == {
        "error",
        "warning",
        "... and 6 more of design; --failures FILE lists each",
    }
    for line in told:
        if not line.startswith("..."):
            assert shown.count(f"\n{line}\n" if line.startswith("error") else f": {line}\n") == 1
    assert "Every combination of the design is there just once. 11 failed.\n" in shown
    assert "\n... and 6 more\n" in shown
    summary = shown.partition("Tallybook: warnings that fail nothing")[2]
    assert set(re.findall(r"(?m)^study\.toml::(\w+): warning: ", summary)) == WARNED


def test_texts_of_the_data_cannot_act(broken: Path, run: Run) -> None:
    result = run("-rA", "--junitxml=out.xml", "--tallybook-study", "study.toml")
    for text in (result.stdout.str(), result.stderr.str(), (broken / "out.xml").read_text(encoding="utf-8")):
        assert all(line.isprintable() for line in text.split("\n"))
        assert "a1B2c3" not in text
    assert r"study.toml::forged \x1b[31m" in result.stdout.str()


def test_good_data_pass_in_silence(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester.path, GOOD)
    result = run("-q", "--tallybook-study", ".")
    result.assert_outcomes(passed=9)
    assert "Tallybook" not in result.stdout.str()
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.usefixtures("broken")
def test_warnings_fail_if_they_shall(run: Run) -> None:
    result = run("-v", "--tallybook-study", "study.toml", "--tallybook-fail-on=warning")
    failed = {test.partition("::")[2] for test, outcome in outcomes(result).items() if outcome == "FAILED"}
    assert failed == FAILED | WARNED
    assert "warnings that fail nothing" not in result.stdout.str()
    assert run("--tallybook-study", "study.toml", "--tallybook-fail-on=info").ret == pytest.ExitCode.USAGE_ERROR


def test_data_and_edition(pytester: pytest.Pytester, run: Run) -> None:
    earlier = STUDY.replace("[[sources]]", '[[sources]]\nedition = "late"', 1)
    start = earlier.index("[[sources]]")
    sources = earlier[start : earlier.index("[factors.model]")]
    study = (
        earlier[:start]
        + sources
        + sources.replace("late", "early").replace("{model}", "old/{model}")
        + earlier[start + len(sources) :]
    )
    write(pytester.path, {"study.toml": study})
    write(pytester.path / "dump", {"alpha.csv": rows("alpha"), "old/alpha.csv": rows("alpha", (1, "x,p,1,odl,left\n"))})
    chosen = ("--tallybook-study=study.toml", "--tallybook-data=dump")
    run(*chosen).assert_outcomes(passed=9)
    result = run(*chosen, "--tallybook-edition=early")
    result.assert_outcomes(passed=8, failed=1)
    result.stdout.fnmatch_lines(["error: old/alpha.csv:3: column age: found odl; expected one of old, young *levels?"])


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("title = ", "titel = "), (), "*study.toml:*: titel: unknown setting*; did you mean 'title'?"),
        (("[[sources]]", "[[sources"), (), "*study.toml:6: not TOML: *"),
        (("", ""), ("--tallybook-data=nowhere",), "no data folder *nowhere"),
        (("", ""), ("--tallybook-edition=first",), "study small declares no edition 'first'; declared: data"),
        (("{model}.csv", "{model}.tsv"), (), "* holds no files of the form {model}.tsv; *"),
    ],
)
def test_what_cannot_be_validated_is_an_error_of_collection(
    pytester: pytest.Pytester, run: Run, change: tuple[str, str], options: tuple[str, ...], message: str
) -> None:
    write(pytester.path, GOOD | {"study.toml": STUDY.replace(*change) if change[0] else STUDY})
    result = run("--tallybook-study=study.toml", *options)
    result.stdout.fnmatch_lines(["*ERROR collecting study.toml*", message, "*1 error during collection*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (UsageError("no room for temporary files"), "no room for temporary files"),
        (
            ModuleNotFoundError(name="fastexcel"),
            "this needs fastexcel, which is not installed: install tallybook with*",
        ),
        (ZeroDivisionError(), "*ZeroDivisionError"),
        (ModuleNotFoundError(name="other"), "*ModuleNotFoundError"),
    ],
)
def test_what_shows_only_as_data_are_read_is_an_error_and_no_failure(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    write(pytester.path, GOOD)
    monkeypatch.setattr(pytest_plugin, "validate_study", fail)
    result = run("--tallybook-study=study.toml")
    result.assert_outcomes(errors=9)
    result.stdout.fnmatch_lines([message])
    assert (__file__ in result.stdout.str()) is message.startswith("*")  # where a traceback leads


def test_a_study_that_is_not_there(run: Run) -> None:
    result = run("--tallybook-study=nowhere.toml")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*ERROR collecting nowhere.toml*", "no study *: neither a study file nor one of *"])


ORDINARY = {"test_ordinary.py": "def test_own():\n    pass\n"}
STRICT = {"pytest.ini": "[pytest]\naddopts = --strict-markers --strict-config\nfilterwarnings = error\n"}


def test_beside_an_ordinary_suite(broken: Path, run: Run) -> None:
    write(broken, ORDINARY)
    named = "--tallybook-study=study.toml"
    everything = run("-v", named)
    everything.assert_outcomes(passed=10, failed=6)
    assert outcomes(everything)["test_ordinary.py::test_own"] == "PASSED"
    for arguments in (
        (".", "study.toml"),
        ("study.toml", "."),
        ("test_ordinary.py",),
        ("test_ordinary.py", "study.toml"),
    ):
        result = run("-v", *arguments, named)
        result.assert_outcomes(passed=10, failed=6)
        assert sorted(outcomes(result)) == sorted(outcomes(everything))
    assert outcomes(run("-v", "study.toml::levels", named)) == {"study.toml::levels": "FAILED"}
    assert len(outcomes(run("-v", "study.toml", named))) == 15
    assert outcomes(run("-v", "-k", "drift", named)) == {"study.toml::drift": "PASSED"}
    assert list(outcomes(run("-v"))) == ["test_ordinary.py::test_own"]


def test_in_several_processes(broken: Path, run_apart: Run) -> None:
    write(broken, ORDINARY | STRICT)
    alone = outcomes(run_apart("-v", "--tallybook-study", "study.toml"))
    for schedule in ("loadfile", "load"):
        result = run_apart("-v", "-n2", f"--dist={schedule}", "--junitxml=out.xml", "--tallybook-study=study.toml")
        assert outcomes(result) == alone
        summary = result.stdout.str().partition("Tallybook: warnings that fail nothing")[2]
        assert set(re.findall(r"(?m)^study\.toml::(\w+): warning: ", summary)) == WARNED
        cases = ET.parse(broken / "out.xml").getroot().findall(".//testcase")  # noqa: S314  made by pytest
        assert len(cases) == 16
        failed = {case.attrib["name"]: case[0].text for case in cases if case.find("failure") is not None}
        assert set(failed) == FAILED
        assert str(failed["levels"]).endswith(
            "atlas.jsonl:2: column age: found oldre; expected one of older, younger [levels]"
        )
        assert {case.attrib["name"] for case in cases if case.find("properties") is not None} == WARNED


def test_several_studies_wherever_they_are(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester.path / "inside" / "first", GOOD)
    write(pytester.path / "outside", GOOD | {"other.toml": STUDY})
    write(pytester.path / "inside", {"pytest.ini": "[pytest]\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(pytester.path / "inside")
        named = ("--tallybook-study=first", "--tallybook-study=../outside/other.toml", "--tallybook-study=wang2025")
        result = run("--collect-only", "-q", *named)
    tests = [line.split("::") for line in result.outlines if "::" in line]
    expected = ["first/study.toml", "../outside/other.toml", "wang2025"]
    assert list(dict.fromkeys(study for study, _ in tests)) == expected
    assert len(tests) == 9 + 9 + 10


def test_a_declared_check_stands_on_a_line(broken: Path, pytester: pytest.Pytester) -> None:
    items, _ = pytester.inline_genitems(*PLUGIN, "--tallybook-study", str(broken / "study.toml"))
    places = {item.name: item.location for item in items}
    number = (broken / "study.toml").read_text().splitlines().index("[checks.refusals]")
    assert places["refusals"] == ("study.toml", number, "refusals")
    assert places["levels"][0] == "study.toml"


def test_nothing_is_paid_where_it_is_not_used(pytester: pytest.Pytester, run_apart: Run) -> None:
    pytester.makepyfile("""
        import sys

        def test_light():
            assert "tallybook.pytest_plugin" in sys.modules
            assert not {"tallybook.validation", "polars", "pydantic"} & set(sys.modules)
    """)
    run_apart().assert_outcomes(passed=1)


def test_a_suite_may_have_packages_of_the_same_names(pytester: pytest.Pytester, run_apart: Run) -> None:
    write(pytester.path, {"analysis/__init__.py": "", "analysis/own.py": "X = 1\n", "schemas.py": "Y = 2\n"})
    pytester.makepyfile("""
        from analysis.own import X
        from schemas import Y

        def test_own():
            assert (X, Y) == (1, 2)
    """)
    run_apart().assert_outcomes(passed=1)


def test_it_is_declared_and_found_by_its_entry_point(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    declared = project["project"]["entry-points"]["pytest11"]
    assert declared == {"tallybook.pytest_plugin": "tallybook.pytest_plugin"}
    metadata = {"METADATA": "Metadata-Version: 2.1\nName: tallybook\nVersion: 0\n"}
    metadata["entry_points.txt"] = "[pytest11]\n" + "".join(f"{name} = {value}\n" for name, value in declared.items())
    write(pytester.path / "installed" / "tallybook-0.dist-info", metadata)
    write(pytester.path, GOOD)
    monkeypatch.setenv("PYTHONPATH", f"{pytester.path / 'installed'}{':' if sys.platform != 'win32' else ';'}{TOP}")
    for arguments in ((), ("-p", "tallybook.pytest_plugin")):
        result = pytester.runpytest_subprocess("-q", *arguments, "--tallybook-study=study.toml")
        result.assert_outcomes(passed=9)

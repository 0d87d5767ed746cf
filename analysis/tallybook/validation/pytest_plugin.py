"""Validation as tests of pytest: each check of a study is one, and fails with what is wrong with the data."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import pytest

from tallybook.core.errors import EXTRAS, MissingExtraError, TallybookError
from tallybook.core.progress import Progress
from tallybook.core.resources import STUDIES, published_studies
from tallybook.study.lines import line_of, lines
from tallybook.study.loading import load
from tallybook.validation.formats.text import MOST, check_lines
from tallybook.validation.study_data import planned, validate_study

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from tallybook.validation.model import FailOn

_TOLD = "tallybook"
"""The property of a test with what is wrong and does not make it fail, a line of it."""


class Studies:
    """The studies named on pytest's command line: collected like files, and told about at the end."""

    def __init__(self, config: pytest.Config) -> None:
        """Know which files are studies."""
        self._named: dict[Path, tuple[Path, str]] = {}
        self._collected: set[Path] = set()
        for given in cast("list[str]", config.getoption("tallybook_study")):
            path = config.invocation_params.dir / given
            if given in published_studies():
                path = STUDIES / given / "study.toml"
            elif path.is_dir():
                path /= "study.toml"
            self._named[path.resolve()] = path, given if given in published_studies() else str(path)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect a study where pytest comes to it by itself."""
        return self._collector(file_path, parent) if file_path.resolve() in self._named else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Collect the studies that pytest did not come to, before tests are chosen among."""
        for file, (path, _) in self._named.items():
            if file not in self._collected:
                items += session.genitems(self._collector(path, session))

    def _collector(self, path: Path, parent: pytest.Collector) -> pytest.Collector:
        _, name = self._named[path.resolve()]
        is_near = path.is_relative_to(parent.config.rootpath)  # pytest has no name for a file that is elsewhere
        return StudyFile.from_parent(
            parent, path=path, nodeid=None if is_near else name, study=name, seen=self._collected
        )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell what is wrong with the data and made no check fail."""
        passed = cast("list[pytest.TestReport]", terminalreporter.getreports("passed"))
        told = [f"{one.nodeid}: {line}" for one in passed for name, line in one.user_properties if name == _TOLD]
        if told:
            terminalreporter.section("Tallybook: warnings that fail nothing")
        for line in told:
            terminalreporter.write_line(line)


class StudyFile(pytest.File):
    """A study, whose checks are tests. The data are read when the first of them runs."""

    def __init__(self, *, study: str, seen: set[Path], **settings: object) -> None:
        """Know where the study is."""
        super().__init__(**settings)  # pyright: ignore[reportArgumentType]  pytest passes on what it gets
        self._study = study
        self._seen = seen
        self._found: dict[str, tuple[str, list[str]]] | TallybookError | None = None
        folder = cast("str | None", self.config.getoption("tallybook_data"))
        self._data = None if folder is None else self.config.invocation_params.dir / folder
        self._edition = cast("str | None", self.config.getoption("tallybook_edition"))

    def collect(self) -> Iterable[pytest.Item]:
        """Get the checks that are made of the data."""
        self._seen.add(self.path.resolve())  # of every file in the folder of one that is named a collector is made
        try:
            with _plain_errors():
                loaded = load(self._study)
                checks = planned(loaded, self._data, self._edition)
        except TallybookError as error:
            raise self.CollectError(str(error)) from None
        found = lines(loaded.text)
        for check in checks:
            is_declared = check.name in loaded.study.checks
            place = line_of(found, ("checks", check.name)) - 1 if is_declared else None
            yield CheckItem.from_parent(self, name=check.name, line=place)

    def validated(self) -> dict[str, tuple[str, list[str]]]:
        """Validate the data, once: check -> how it failed, empty if it passed, and its failures in words."""
        if self._found is None:
            try:
                with _plain_errors():
                    self._found = self._validate()
            except TallybookError as error:
                self._found = error
        if isinstance(self._found, TallybookError):
            raise self._found
        return self._found

    def _validate(self) -> dict[str, tuple[str, list[str]]]:
        fail_on = cast("FailOn", self.config.getoption("tallybook_fail_on"))
        report = validate_study(load(self._study), self._data, self._edition, fail_on, Progress())
        groups = report.failures.groups(MOST)
        report.failures.close()
        return {check.name: (check.failed(fail_on), check_lines(check, groups)) for check in report.checks}


class CheckItem(pytest.Item):
    """A check of a study's data."""

    def __init__(self, *, line: int | None, **settings: object) -> None:
        """Know where the check is declared."""
        super().__init__(**settings)  # pyright: ignore[reportArgumentType]  pytest passes on what it gets
        self._line = line

    def setup(self) -> None:
        """Validate the data, unless that was done: what keeps it from being done is an error, not a failure."""
        try:
            cast("StudyFile", self.parent).validated()
        except TallybookError as error:
            pytest.fail(str(error), pytrace=False)

    def runtest(self) -> None:
        """Fail if the check did, with what it found: it is the data that are at fault, and no traceback says more."""
        verdict, told = cast("StudyFile", self.parent).validated()[self.name]
        if verdict:
            pytest.fail("\n".join([verdict, *told]), pytrace=False)
        self.user_properties += [(_TOLD, line) for line in told]

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Locate the declaration of the check."""
        return self.path, self._line, self.name


@contextmanager
def _plain_errors() -> Generator[None]:
    """Show errors as the command line does, without a suite's filters of warnings."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingExtraError(package, EXTRAS[package]) from None

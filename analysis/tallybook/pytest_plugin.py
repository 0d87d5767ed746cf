"""What pytest loads at every start: Tallybook's options, and nothing else unless one is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("tallybook", "validation of response data by Tallybook")
    group.addoption(
        "--tallybook-study",
        action="append",
        default=[],
        metavar="STUDY",
        help="A study file, its folder, or the name of a published study, whose checks are tests; may be repeated.",
    )
    group.addoption("--tallybook-data", metavar="DIR", help="The data folder. By default the study's own data.")
    group.addoption("--tallybook-edition", metavar="NAME", help="Which edition of the data to read.")
    group.addoption(
        "--tallybook-fail-on",
        choices=("error", "warning"),
        default="error",
        help="The severity from which a check fails; less severe findings are listed below the tests.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make tests of the studies that are named."""
    if config.getoption("tallybook_study"):
        from tallybook.validation.pytest_plugin import Studies

        config.pluginmanager.register(Studies(config), "tallybook-studies")

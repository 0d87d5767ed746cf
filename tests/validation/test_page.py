"""How the HTML page of a validation looks: nothing sticks out, and every text can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.validation.formats import page
from tallybook.validation.model import Failure
from tests.report.test_appearance import COLOURS, OUTSIDE, WIDTHS, hexadecimal
from tests.report.test_theme import contrast
from tests.validation.reports import example, report

if TYPE_CHECKING:
    from pathlib import Path

    from tests.report.browser import Browser

LONG = [
    Failure("levels", "error", f"runs/{'very-long-name-' * 8}.jsonl", 4, "line 4", "age" * 12, "x" * 80, "y " * 190),
    *(Failure("levels", "error", "a.csv", n, f"row {n}", "age", f"{n % 60}", "one of old, young") for n in range(400)),
]


@pytest.fixture(scope="module", params=["example", "long", "valid"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = {"example": example(), "long": report(LONG), "valid": report([])}[request.param]
    written = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    written.write_text(page.render(made), encoding="utf-8")
    return written


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(chromium: Browser, file: Path, width: int) -> None:
    chromium.open(file, width=width)
    assert chromium.run("document.documentElement.scrollWidth") <= width
    assert chromium.run(OUTSIDE) == []
    assert chromium.complaints == []


@pytest.mark.parametrize(("scheme", "medium"), [("light", ""), ("dark", ""), ("dark", "print")])
def test_every_text_has_contrast(chromium: Browser, file: Path, scheme: str, medium: str) -> None:
    chromium.open(file, scheme=scheme, medium=medium)
    for pair in chromium.run(COLOURS):
        text, ground = (hexadecimal(colour) for colour in pair.split(" on "))
        assert contrast(text, ground) >= 4.5, pair


def test_every_link_leads_to_a_check(chromium: Browser, file: Path) -> None:
    chromium.open(file)
    script = "[...document.links].map(one => document.querySelector(one.hash).querySelector('h2').textContent)"
    names = "[...document.links].map(one => one.textContent)"
    assert chromium.run(script) == chromium.run(names)


def test_what_is_left_out_is_counted() -> None:
    told = page.render(report(LONG))
    assert told.count('<td class="error">') == page.MOST
    assert "<p>... and 66 more</p>" in told
    assert "<br>row 60; row 120; and 4 more</td>" in told

"""Estimates that a narrative names, from its text to the rendered report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.core.errors import ReportError
from tallybook.report.inline.addresses import named_estimates

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.pipeline import Results


def named(results: Results, folder: Path, text: str) -> dict[str, object]:
    (folder / "index.qmd").write_text(text)
    return named_estimates(results.loaded.study, results.estimates, folder)


def test_only_what_is_named_becomes_a_variable(bai: Results, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "more.qmd").write_text("{{<var estimates.rejection.gpt-4.yes.n>}}\n")
    text = "{{< var study.name >}} {{< var estimates.rejection.gpt-4.yes.estimate >}} {{{< var estimates.x.y >}}}"
    found = named(bai, tmp_path, text)
    assert found == {"rejection": {"gpt-4": {"yes": {"estimate": "57\\.4\\%", "n": "4\\,200"}}}}


def test_a_narrative_that_names_none_needs_no_addresses(bai: Results, tmp_path: Path) -> None:
    assert named(bai, tmp_path, "Nothing.") == {}


def test_a_wrong_address_is_told_with_its_place(bai: Results, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"^index\.qmd:3: estimates\.rejektion\.apa: no analysis is named so"):
        named(bai, tmp_path, "One\n\n{{< var estimates.rejektion.apa >}}\n")


def test_an_address_within_another_is_refused(bai: Results, tmp_path: Path) -> None:
    """A level called as a part of an estimate is."""
    one = bai.estimates.filter(analysis="rejection").head(1)
    estimates = one.with_columns(model=pl.lit("n"))
    for text in (
        "{{< var estimates.rejection.n >}} {{< var estimates.rejection.n.n >}}",
        "{{< var estimates.rejection.n.n >}} {{< var estimates.rejection.n >}}",
    ):
        (tmp_path / "index.qmd").write_text(text)
        with pytest.raises(ReportError, match="it ends within another address"):
            named_estimates(bai.loaded.study, estimates, tmp_path)

"""Addresses of estimates: each is one, short ones are found, and what names nothing is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.core.errors import ReportError
from tallybook.report.inline.addresses import Addresses, listed
from tallybook.report.inline.apa import plain

if TYPE_CHECKING:
    from tallybook.pipeline import Results


@pytest.mark.parametrize("study", ["wang", "kamruzzaman", "bai"])
def test_every_estimate_has_an_address_of_its_own(study: str, request: pytest.FixtureRequest) -> None:
    results: Results = request.getfixturevalue(study)
    found = [one.address for one in Addresses(results.loaded.study, results.estimates)]
    assert len(set(found)) == len(found) == results.estimates.height
    assert all(part.replace("-", "").replace("_", "").isalnum() or part == "-" for one in found for part in one)


def test_parts_may_be_left_out_while_one_estimate_is_meant(wang: Results) -> None:
    addresses = Addresses(wang.loaded.study, wang.estimates)
    whole = "estimates.census_test.claude-3-5-sonnet.implicit.gender.male.politics.conservative.effect"
    short = "estimates.census_test.claude-3-5-sonnet.implicit.male.conservative.effect"
    assert plain(addresses.phrase(short)) == plain(addresses.phrase(whole)) == "−0.70"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("estimates.rejektion.gpt-4.yes.apa", "no analysis is named so; did you mean rejection?"),
        ("numbers.rejection.gpt-4.yes.apa", "no analysis is named so"),
        (
            "estimates.rejection.gpt-4.yes",
            "the last part is 'yes'; expected one of apa, estimate, ci, n",
        ),
        ("estimates.rejection", "the last part is 'rejection'; expected one of apa"),
        ("estimates.rejection.gpt-5.yes.apa", "there is no such estimate; near it: estimates.rejection.gpt-4.yes"),
        ("estimates.rejection.yes.gpt-4.apa", "there is no such estimate"),
        ("estimates.decision_mean_cells.racism.apa", "estimates could be meant: estimates.decision_mean_cells."),
    ],
)
def test_what_names_no_single_estimate_is_told(address: str, message: str, bai: Results) -> None:
    with pytest.raises(ReportError) as raised:
        Addresses(bai.loaded.study, bai.estimates).phrase(address)
    assert str(raised.value).startswith(f"{address}: ")
    assert message in str(raised.value)


def test_terms_that_would_be_called_the_same_are_numbered(wang: Results) -> None:
    ranked = wang.estimates.filter(analysis="share").head(4)
    terms = pl.Series("term", ["C++", "C", "C#", "++"])
    found = Addresses(wang.loaded.study, ranked.with_columns(terms))
    assert [one.address[-1] for one in found] == ["C", "C-2", "C-3", "other"]


def test_the_listing_holds_what_has_all_words(kamruzzaman: Results) -> None:
    study, estimates = kamruzzaman.loaded.study, kamruzzaman.estimates
    assert len(listed(study, estimates)) == estimates.height
    assert listed(study, estimates, ["OVERALL", "gpt-4.sai"]) == {
        "estimates.overall.gpt-4.sai.apa": "τ_c = .40, 95% CI [.38, .42], z = 32.7, p < .001"
    }

"""Phrases against those that the manual and the papers print, and against the estimates they were made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.report.inline.addresses import Addresses
from tallybook.report.inline.apa import NO_BREAK, Parts, markdown, parts, plain, statistic_text
from tallybook.study.number_text import signed_p_value

if TYPE_CHECKING:
    from tallybook.pipeline import Results

PHRASES = {
    "bai": {
        "association_t_overall": "t(33599) = 76.4, p < .001, d = 0.42 [0.41, 0.43]",
        "decision_t_overall": "t(26528) = 36.2, p < .001, d = 0.22 [0.21, 0.23]",
        "t_published.chained.racism": "M = 1.00, no test (too little variation)",
        "decision_mean_cells.gpt-4.racism": "M = 0.72, 95% CI [0.66, 0.79], n = 199",
        "decision_mean_cells.claude3-opus.guilt": "– (no data)",
        "rejection.gpt-4.yes": "57.4%, 95% CI [55.9, 58.9], n = 4,200",
        "logit_published.published": "b = 0.99, 95% CI [0.75, 1.22], z = 8.29, p < .001, OR = 2.69 [2.13, 3.39]",
        "logit_published.odds_ratio-published": "OR = 2.69, 95% CI [2.13, 3.39], z = 8.29, p < .001",
        "logit_published.pseudo_r_squared": "McFadden’s R² = .10",
        "logit_published.aic": "AIC = 681.36",
        "logit_published.likelihood_ratio": "χ²(1) = 72.9, p < .001",
        "curve_published.race.at--1-0": "57.0%, 95% CI [42.6, 70.3]",
        "observed_published.race.at--1-0": "58.1%, n = 43",
        "prompt_correlations.stored.decided": "r(615) = .35, 95% CI [.28, .42], p < .001",
        "category_correlations.stored.decided": "r(19) = .65, 95% CI [.30, .84], p = .002",
        "layer_correlations.32.corrected.faulty": "– (too little variation)",
        "absolute_mean.default_negative.yes": "58.7%, 95% CI [55.9, 61.6]",
        "absolute_bias.racism.no": "−62.5%, 95% CI [−96.0, −29.0]",
        "changes.chained.guilt.changed": "0 of 1",
        "changes.chained.guilt.difference": "Δ = 0.00, n = 1",
        "decision_agreement_model.gpt-4.agreement": "96.2%, 95% CI [94.4, 97.5], n = 613",
        "decision_agreement_model.gpt-4.cohen_kappa": "κ = .91, 95% CI [.87, .95], z = 22.5, p < .001",
    },
    # Its numbers are cut off instead of rounded, as the study's are.
    "kamruzzaman": {
        "overall.gpt-3-5.sai": "τ_c = .29, 95% CI [.27, .32], z = 23.5, p < .001",
        "deltas.gpt-3-5.sai.ageism.neutral": "1.1 percentage points, 95% CI [−3.1, 5.4], p = .669, h = 0.03",
        "invalid.gpt-3-5.numeric-selection": "83 of 427",
    },
    "wang": {
        "census_test.claude-3-5-sonnet.implicit.gender.male.politics.conservative": "4.2% against 28.0%, 95% CI "
        "[2.8, 6.3], n = 500, p < .001, h = −0.70 [−0.78, −0.61]",
        "census_test.claude-3-5-sonnet.implicit.gender.male.sexual_orientation.homosexual": "88.8%, 95% CI "
        "[85.7, 91.3], n = 500",
        "deviation.claude-3-5-sonnet.implicit.religion": "48.6%, n = 72",
        "stereotype.claude-3-5-sonnet.implicit.politics.mean": "D_KL = 5.22",
        "occupations.claude-3-5-sonnet.implicit.gender.male.1": "engineer (95.2%), n = 500",
        "polarity.claude-3-5-sonnet.implicit.gender.male.median": "Mdn = 0.12, n = 500",
        "polarity.claude-3-5-sonnet.implicit.gender.male.missing": "0 of 500",
    },
}


def row(**changed: Any) -> dict[str, Any]:
    """An estimate of Bai et al.'s t test with other numbers."""
    numbers = dict.fromkeys(
        ("std_error", "ci_low", "ci_high", "null_value", "p_adjusted", "effect", "effect_ci_low", "effect_ci_high")
    )
    test = {"analysis": "association_t_overall", "term": "mean", "n": 4200, "estimate": 0.4, "confidence": 0.95}
    test |= {"statistic": 28.2, "df": 4199.0, "p_value": 1e-9, "effect_kind": "cohen_d", "status": "ok"}
    return numbers | test | changed


@pytest.mark.parametrize("study", PHRASES)
def test_phrases_of_published_studies(study: str, request: pytest.FixtureRequest) -> None:
    results: Results = request.getfixturevalue(study)
    addresses = Addresses(results.loaded.study, results.estimates)
    found = {address: plain(addresses.phrase(f"estimates.{address}.apa")) for address in PHRASES[study]}
    assert found == PHRASES[study]


def test_a_test_with_its_effect_size(bai: Results) -> None:
    study = bai.loaded.study
    told = parts(study, row(effect=0.4361, effect_ci_low=0.405, effect_ci_high=0.4672))
    assert plain(told.apa) == "t(4199) = 28.2, p < .001, d = 0.44 [0.40, 0.47]"
    assert markdown(told.apa).startswith(
        f"*t*\\(4199\\){NO_BREAK}\\={NO_BREAK}28\\.2\\, *p*{NO_BREAK}\\<{NO_BREAK}\\.001"
    )
    assert [plain(part) for part in told[1:]] == [
        "0.40", "–", "4,200", "28.2", "4199", "< .001", "–", "0.44", "[0.40, 0.47]",
    ]  # fmt: skip


def test_adjusted_p_values_are_told_as_such(bai: Results) -> None:
    told = parts(bai.loaded.study, row(p_value=0.01, p_adjusted=0.0321, df=41.6667))
    assert plain(told.apa) == "t(41.67) = 28.2, p_adj = .032"
    assert (plain(told.p), plain(told.p_adjusted)) == ("= .010", "= .032")


def test_an_f_test_has_both_degrees_of_freedom(bai: Results) -> None:
    told = parts(bai.loaded.study, row(df=2.0, df2=17.25))
    assert plain(told.apa) == "t(2, 17.25) = 28.2, p < .001"
    assert plain(told.df) == "2, 17.25"


def test_an_open_interval_has_an_infinite_end(bai: Results) -> None:
    assert plain(parts(bai.loaded.study, row(ci_low=0.25)).ci) == "[0.25, ∞]"
    assert plain(parts(bai.loaded.study, row(ci_high=-0.25)).ci) == "[−∞, −0.25]"


@pytest.mark.parametrize("study", PHRASES)
def test_every_estimate_has_a_phrase(study: str, request: pytest.FixtureRequest) -> None:
    results: Results = request.getfixturevalue(study)
    for _, estimate in Addresses(results.loaded.study, results.estimates):
        text = plain(parts(results.loaded.study, estimate).apa)
        assert text
        assert not re.search(r"\bnan\b|\binf\b|None|-\d|  ", text), text
        if estimate["estimate"] is None and estimate["statistic"] is None:
            assert text.startswith("– ("), text


@given(st.floats(0, 1))
def test_p_values_keep_their_promise(value: float) -> None:
    sign, digits = signed_p_value(value)
    number = float(digits)
    assert digits.startswith(".")
    assert {"<": value < number, ">": value > number, "=": abs(value - number) <= 0.0005 + 1e-12}[sign]


@given(st.floats(-1e6, 1e6))
def test_test_statistics_keep_three_digits(value: float) -> None:
    shown = float(statistic_text(value).replace("−", "-"))
    assert abs(shown - value) <= max(0.005, 0.005 * abs(value)) * (1 + 1e-9)


@pytest.mark.parametrize("field", Parts._fields)
def test_labels_of_models_are_literal_in_markdown(field: str, wang: Results) -> None:
    hostile = "*a* {{< var x >}} [b](c) <script> $x$ `d` @tbl-1 ~e~ \x1b[31m"
    estimate = next(one for _, one in Addresses(wang.loaded.study, wang.estimates) if one["analysis"] == "occupations")
    text = markdown(getattr(parts(wang.loaded.study, estimate | {"term": hostile}), field))
    text = text.removesuffix(f", *n*{NO_BREAK}\\={NO_BREAK}500").replace("\\,", ",")
    assert not re.search(r"(?<!\\)[<>{}\[\]$`@~*]", text.replace(", *n*", "")), text
    assert "\x1b" not in text

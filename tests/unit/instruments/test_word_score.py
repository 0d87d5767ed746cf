"""From pairs to the bias: the formula, the conventions and the statuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments.word_association.instrument import SCORE_COLUMNS, WordScoring
from tallybook.instruments.word_association.score import Found, Pair, bias, score, without_pairs
from tallybook.instruments.word_association.stimuli import Asked
from tests.unit.instruments import word_twins
from tests.unit.instruments.word_studies import vocabulary
from tests.unit.statistics.frames import quick

COUNT = st.integers(0, 30)
CONSTANT = st.sampled_from([0.0, 0.01, 0.5, 1.0])
ALL = (Asked(frozenset({"sunny", "kind", "rude", "gloomy"})),)


def found(*pairs: str, unknown: int = 0) -> Found:
    """Pairs written as "word group"."""
    made = (Pair(*pair.split(), "word-group") for pair in pairs)
    return Found(tuple(made), ("?",) * unknown)


def scored(what: Found, asked: tuple[Asked, ...] = ALL, **settings: Any) -> dict[str, Any]:
    return score(what, vocabulary(), asked, WordScoring(**settings))._asdict()


def test_the_published_largest_value() -> None:
    value = bias(8, 0, 0, 8, constant=0.01)
    assert value is not None
    assert f"{value:.6f}" == "0.997503"


@quick
@given(COUNT, COUNT, COUNT, COUNT, CONSTANT)
def test_the_formula(dp: int, dn: int, sp: int, sn: int, constant: float) -> None:
    value = bias(dp, dn, sp, sn, constant)
    k = Fraction(constant)
    if not k and (not dp + dn or not sp + sn):
        assert value is None
        return
    assert value is not None
    assert value == pytest.approx(float(sn / (sn + sp + k) + dp / (dn + dp + k) - 1), abs=1e-12)
    assert -1 <= value <= 1
    mirrored = bias(sn, sp, dn, dp, constant)
    assert mirrored == pytest.approx(value)  # groups and words exchanged together
    if not constant:
        assert bias(sp, sn, dp, dn, constant) == pytest.approx(-value)


@quick
@given(st.lists(st.tuples(st.sampled_from(["sunny", "kind", "rude", "gloomy"]), st.sampled_from(["green", "purple"]))))
def test_the_twin(pairs: list[tuple[str, str]]) -> None:
    what = Found(tuple(Pair(word, group, "") for word, group in pairs), ())
    made = scored(what, repeated="all", empty="zero")
    assert made["bias"] == pytest.approx(word_twins.bias(pairs, {"green"}, {"sunny", "kind"}), abs=1e-15)
    last = list({word: (word, group) for word, group in pairs}.values())
    assert scored(what, empty="zero")["bias"] == pytest.approx(
        word_twins.bias(last, {"green"}, {"sunny", "kind"}), abs=1e-15
    )
    assert made["pairs"] == len(pairs)
    assert made["repeated"] == len(pairs) - len(last)


def test_every_number_of_a_score() -> None:
    what = found("sunny green", "kind purple", "rude purple", "sunny purple", "gloomy purple", unknown=2)
    assert scored(what) == {
        "bias": pytest.approx(2 / 4.01 + 0 / 0.01 - 1),
        "pairs": 4, "unknown": 2, "repeated": 1,
        "default_positive": 0, "default_negative": 0, "stigma_positive": 2, "stigma_negative": 2,
        "status": "ok", "reason": None, "forms": "word-group",
    }  # fmt: skip
    assert scored(what, repeated="all") == {
        "bias": pytest.approx(2 / 4.01 + 1 / 1.01 - 1),
        "pairs": 5, "unknown": 2, "repeated": 1,
        "default_positive": 1, "default_negative": 0, "stigma_positive": 2, "stigma_negative": 2,
        "status": "ok", "reason": None, "forms": "word-group",
    }  # fmt: skip
    assert list(scored(what)) == list(SCORE_COLUMNS)


@pytest.mark.parametrize(
    ("what", "settings", "expected"),
    [
        (found(), {}, (None, "invalid", "no-pair")),
        (found(), {"empty": "zero"}, (0, "invalid", "no-pair")),
        (found(unknown=1), {}, (None, "invalid", "unknown")),
        (found("sunny green", unknown=1), {"unknown": "void"}, (None, "invalid", "unknown")),
        (found("sunny green", unknown=1), {"unknown": "void", "empty": "zero"}, (0, "invalid", "unknown")),
        (found("sunny green", unknown=1), {}, (pytest.approx(1 / 1.01 - 1), "partial", None)),
        (found("sunny green"), {"unknown": "void"}, (pytest.approx(1 / 1.01 - 1), "partial", None)),
        (found("sunny green"), {"constant": 0}, (None, "partial", "one-sided")),
        (found("sunny green", "rude purple"), {"constant": 0}, (1, "partial", None)),
        (found("sunny purple", "rude green"), {}, (-1, "partial", None)),
    ],
)
def test_conventions(what: Found, settings: dict[str, Any], expected: tuple[float | None, str, str | None]) -> None:
    made = scored(what, **settings)
    assert (made["bias"], made["status"], made["reason"]) == expected


def test_a_response_without_pairs_counts_none() -> None:
    what = found("sunny green", "sunny purple", unknown=3)
    made = without_pairs(WordScoring(), "invalid", "unknown", what)._asdict()
    assert made["pairs"] == sum(made[name] for name in made if name.startswith(("default", "stigma"))) == 0
    assert (made["unknown"], made["repeated"], made["forms"]) == (3, 1, "word-group")


@pytest.mark.parametrize(
    ("answered", "asked", "is_answered"),
    [
        ("a b", (Asked(frozenset("ab")),), True),
        ("a", (Asked(frozenset("ab")),), False),
        ("a b x", (Asked(frozenset("ab")),), True),
        ("a b", (Asked(frozenset("ab"), frozenset("cd")),), True),
        ("a b c d", (Asked(frozenset("ab"), frozenset("cd")),), True),
        ("a b c", (Asked(frozenset("ab"), frozenset("cd")),), False),
        ("c d", (Asked(frozenset(), frozenset("cd")),), True),
        ("c", (Asked(frozenset(), frozenset("cd")),), False),
        ("a b", (Asked(frozenset("xy")), Asked(frozenset("ab"))), True),
    ],
)
def test_when_a_response_is_complete(answered: str, asked: tuple[Asked, ...], is_answered: bool) -> None:
    assert any(given.is_answered(set(answered.split())) for given in asked) is is_answered

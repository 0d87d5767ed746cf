"""Categorical predictors as columns of numbers."""

from __future__ import annotations

import math

import polars as pl
import pytest
from numpy.testing import assert_allclose

from tallybook.statistics.logistic.design import treatment_coded
from tallybook.statistics.logistic.regression import logistic_regression
from tests.statistics.frames import as_rows


def test_treatment_coding_measures_levels_against_the_reference():
    rows = pl.DataFrame({"domain": ["race", "age", "sex", None], "ones": [30, 10, 20, 5], "zeros": [10, 30, 20, 5]})
    coded, names = treatment_coded(rows, "domain", reference="age", levels=["sex", "age", "race"])
    assert names == ["domain[sex]", "domain[race]"]
    found = as_rows(logistic_regression(coded, [], names, outcome=("ones", "zeros")), [])
    assert found["", "Intercept"]["n"] == 120
    for term, value in (("Intercept", -math.log(3)), (names[0], math.log(3)), (names[1], math.log(9))):
        assert_allclose(found["", term]["estimate"], value, rtol=1e-14)


@pytest.mark.parametrize(
    ("levels", "reference", "message"),
    [
        (None, "nobody", "no level 'nobody'"),
        (["race"], "race", "holds 'age'"),
        (["age", "race", "age"], "age", "named twice"),
    ],
)
def test_impossible_levels_are_refused(levels, reference, message):
    with pytest.raises(ValueError, match=message):
        treatment_coded(pl.DataFrame({"domain": ["race", "age"]}), "domain", reference=reference, levels=levels)

"""Declarations of points, heatmaps, curves and composites that contradict themselves or the study."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tallybook.study.model import Study
from tests.unit.figures.plots import CURVE, HEATMAP, POINTS, declared, plot, with_analyses


@pytest.fixture
def declaration(declaration: Any) -> Any:
    declaration = with_analyses(declaration)
    declaration["analyses"]["share"]["by"] = ["model", "dimension", "group"]
    return declaration


@pytest.mark.parametrize(
    ("base", "settings", "message"),
    [
        (POINTS, {"x": "model"}, "'model' is used twice"),
        (POINTS, {"value": "effect", "interval": True}, "interval: 'effect' has none"),
        (POINTS, {"y_limits": [1, 0]}, "y_limits: the first number must be below the second"),
        (POINTS, {"band": [1, 1]}, "band: the first number must be below the second"),
        (POINTS, {"line_label": "chance"}, "line_label needs 'line'"),
        (POINTS, {"band_label": "bias"}, "band_label needs 'band'"),
        (POINTS, {"panels_per_row": 2, "panels": None}, "panels_per_row needs 'panels', and no 'panel_rows'"),
        (POINTS, {"panels_per_row": 2, "panel_rows": "sex"}, "panels_per_row needs 'panels', and no 'panel_rows'"),
        (POINTS, {"colour": None, "colours": {"age": "#F08080"}}, "colours needs 'colour'"),
        (POINTS, {"colours": {"age": "coral"}}, "String should match pattern"),
        (POINTS, {"line": float("nan")}, "finite number"),
        (POINTS, {"digits": 2}, "Extra inputs are not permitted"),
        (HEATMAP, {"columns": "model"}, "'model' is used twice"),
        (HEATMAP, {"limits": [1, 1]}, "limits: the first number must be below the second"),
        (HEATMAP, {"palette": "rainbow"}, "'sequential' or 'diverging'"),
        (CURVE, {"x": "model"}, "'model' is used twice"),
        (CURVE, {"points_label": "decisions"}, "points_label needs 'points'"),
        (
            {"kind": "composite", "id": "5", "title": "", "direction": "below", "plots": [plot(POINTS)]},
            {},
            "at least 2",
        ),
        (
            {"kind": "composite", "id": "5", "title": "", "direction": "up", "plots": [plot(POINTS)] * 2},
            {},
            "'beside' or",
        ),
        ({"kind": "composite", "id": "5", "title": "", "direction": "up", "plots": [POINTS] * 2}, {}, "Extra inputs"),
    ],
)
def test_declarations_that_contradict_themselves(base: Any, settings: Any, message: str):
    with pytest.raises(ValidationError, match=message):
        declared(base, **settings)


@pytest.mark.parametrize(
    ("base", "settings", "message"),
    [
        (POINTS, {}, None),
        (POINTS, {"x": "outcome"}, None),
        (POINTS, {"x": "sex"}, "no factor 'sex'"),
        (POINTS, {"analysis": "shares"}, "no analysis 'shares'"),
        (POINTS, {"outcomes": ["mode"]}, "no outcome 'mode'"),
        (POINTS, {"colours": {"gender": "#F08080"}}, "colours: no level 'gender'"),
        (POINTS, {"labels": {"sex": {}}}, "no factor 'sex'"),
        (POINTS, {"labels": {"group": {"middle": "Middle"}}}, "labels.group: no level 'middle'"),
        (POINTS, {"labels": {"outcome": {"mode": "Mode"}}}, "labels.outcome: no level 'mode'"),
        (POINTS, {"labels": {"term": {"anything": "Thing"}}}, "labels.term: no term of "),
        (HEATMAP, {"rows": "sex"}, "no factor 'sex'"),
        (CURVE, {"x": "height"}, None),
        (CURVE, {"x": "politics"}, "x: no score, factor or number 'politics'"),
        (CURVE, {"x": "group"}, "x: level 'young' of group is not a number"),
        (CURVE, {"points": "dots"}, "no analysis 'dots'"),
        (
            {"kind": "composite", "id": "5", "title": "", "direction": "below"},
            {"plots": [plot(POINTS), plot(POINTS, where={"model": "beta"})]},
            r"figures\[1\].plots\[2\].where.model: no level 'beta'",
        ),
    ],
)
def test_names_that_the_study_does_not_declare(declaration: Any, base: Any, settings: Any, message: str | None):
    declaration["figures"] = [{**base, **settings}]
    if message is None:
        assert Study.model_validate(declaration).figures[0].id == base["id"]
    else:
        with pytest.raises(ValidationError, match=message):
            Study.model_validate(declaration)

"""Declarations of points, heatmaps and curves, and the study that they belong to."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from tallybook.study.model import AnyFigure

POINTS: dict[str, Any] = {
    "kind": "points",
    "id": "2",
    "title": "Shares.",
    "analysis": "share",
    "outcomes": ["politics"],
    "terms": ["left"],
    "x": "group",
    "panels": "model",
    "colour": "dimension",
    "y_label": "Percentage",
    "scale": 100,
}
HEATMAP: dict[str, Any] = {
    "kind": "heatmap",
    "id": "7",
    "title": "Shares.",
    "analysis": "share",
    "outcomes": ["politics"],
    "terms": ["left"],
    "rows": "model",
    "columns": "group",
    "y_label": "Share",
}
CORRELATIONS: dict[str, Any] = {
    "kind": "heatmap",
    "id": "6",
    "title": "Correlations.",
    "analysis": "correlation",
    "rows": "outcome",
    "columns": "term",
    "palette": "diverging",
    "y_label": "r",
}
CURVE: dict[str, Any] = {
    "kind": "curve",
    "id": "4",
    "title": "Curves.",
    "analysis": "curve",
    "panels": "model",
    "x_label": "Height",
    "y_label": "Probability",
}
FIGURE: TypeAdapter[Any] = TypeAdapter(AnyFigure)


def declared(base: dict[str, Any], **settings: Any) -> Any:
    return FIGURE.validate_python({**base, **settings})


def plot(base: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return {name: value for name, value in {**base, **settings}.items() if name not in {"id", "title"}}


def with_analyses(declaration: dict[str, Any]) -> dict[str, Any]:
    """The small study with what the figures show."""
    analysis = {"statistic": "proportion", "outcomes": ["politics"], "by": ["model", "group"]}
    declaration["analyses"] = dict.fromkeys(("share", "correlation", "curve", "seen"), analysis)
    declaration["outcomes"]["height"] = {"kind": "score", "label": "Height", "attribute": "height"}
    return declaration

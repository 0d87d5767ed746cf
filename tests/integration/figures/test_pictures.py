"""Declared points, heatmaps, curves and composites: which estimates they show, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.figures import curve, heatmap, points
from tallybook.figures.composite import Composite
from tallybook.figures.curve import Curve
from tallybook.figures.drawing import draw
from tallybook.figures.heatmap import Heatmap
from tallybook.figures.points import Points
from tallybook.figures.save import Saved
from tallybook.study.model import Study
from tests.integration.figures.drawn import seeing
from tests.unit.figures.plots import CORRELATIONS, CURVE, HEATMAP, POINTS, declared, plot, with_analyses

if TYPE_CHECKING:
    from pathlib import Path


def estimates(**columns: Any) -> pl.DataFrame:
    rows: list[dict[str, Any]] = [
        {"analysis": "share", "outcome": "politics", "model": model, "group": group, "term": term, "estimate": value}
        for model in ("alpha", "zeta")
        for group in ("aged", "young")
        for term, value in (("left", 0.625), ("right", 0.375))
    ]
    rows += [
        {"analysis": "correlation", "outcome": a, "term": b, "estimate": r}
        for a, b, r in (("height", "mood", -0.29), ("politics", "height", 0.625), ("politics", "mood", None))
    ]
    rows += [
        {
            "analysis": "curve",
            "outcome": "politics",
            "model": model,
            "term": f"at {x}",
            "estimate": 0.5 + x / 10,
            "statistic": x,
        }
        for model in ("alpha", "zeta")
        for x in (2.0, 0.0, 1.0)
    ]
    rows += [
        {
            "analysis": "seen",
            "outcome": "politics",
            "model": model,
            "term": "seen",
            "estimate": y,
            "statistic": 1.0,
            "n": n,
        }
        for model in ("alpha", "zeta")
        for y, n in ((0.0, 3), (1.0, 9))
    ]
    kinds = {"ci_low": pl.Float64(), "ci_high": pl.Float64(), "confidence": pl.Float64(), "effect": pl.Float64()}
    absent = [pl.lit(None, kind).alias(name) for name, kind in kinds.items()]
    dimension = pl.when(pl.col("group").is_not_null()).then(pl.lit("age")).alias("dimension")
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(*absent, dimension).with_columns(**columns)


@pytest.fixture
def declaration(declaration: Any) -> Any:
    return with_analyses(declaration)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What figures are drawn from: frame, layout, axis or shades, and settings."""
    seen: list[Any] = []
    for module in (points, heatmap, curve):
        name = module.__name__.rpartition(".")[2]
        monkeypatch.setattr(module, name, seeing(seen, getattr(module, name)))
    monkeypatch.setattr("tallybook.figures.drawing.save", lambda *arguments, **_: seen.extend(arguments) or Saved([]))
    return seen


class TestPoints:
    def test_show_the_estimates_of_their_analysis_and_term(self, study: Study, shown: list[Any], tmp_path: Path):
        text = draw(study, declared(POINTS), estimates(), tmp_path).alt_text
        frame, layout = shown[:2]
        assert frame.select("model", "group", "estimate").rows() == [
            (model, group, 62.5) for model in ("alpha", "zeta") for group in ("aged", "young")
        ]
        assert layout.orders == {"model": ("zeta", "alpha"), "group": ("young", "aged"), "dimension": ("age",)}
        assert layout.labels["group"] == {"young": "Young", "aged": "Aged"}
        assert (layout.x, layout.fill, layout.panel_columns, layout.y_title) == (
            "group",
            "dimension",
            "model",
            "Left: percentage",
        )
        assert layout.missing == "–"
        assert text.startswith("Points. Vertical axis – Left: percentage. Groups: Young, Aged. Colours: Age.")
        assert shown[-3:] == ["2", 6.3, pytest.approx(2.8, abs=0.3)]

    def test_names_and_orders_of_their_own(self, study: Study, shown: list[Any], tmp_path: Path):
        settings: dict[str, Any] = {
            "labels": {"group": {"aged": "Old"}},
            "levels": {"group": ["aged"], "model": ["alpha"]},
        }
        draw(study, declared(POINTS, **settings, colours={"age": "#F08080"}, panels_per_row=1), estimates(), tmp_path)
        frame, layout = shown[:2]
        assert frame.select("model", "group").rows() == [("alpha", "aged")]
        assert (layout.orders["group"], layout.labels["group"]) == (("aged",), {"aged": "Old"})
        assert (layout.colours, layout.per_row) == ({"age": "#F08080"}, 1)

    def test_axis_and_marks(self, study: Study, shown: list[Any], tmp_path: Path):
        figure = declared(POINTS, y_limits=[0, 100], line=50, line_label="chance", band=[50, 100], flip=True)
        draw(study, figure, estimates(), tmp_path)
        axis, settings = shown[2:4]
        assert (axis.limits, axis.line, axis.line_label, axis.band) == ((0, 100), 50, "chance", (50, 100))
        assert settings["flip"] is True

    def test_intervals(self, study: Study, shown: list[Any], tmp_path: Path):
        data = estimates(ci_low=pl.col("estimate") - 0.1, ci_high=pl.col("estimate") + 0.1, confidence=0.95)
        text = draw(study, declared(POINTS), data, tmp_path).alt_text
        assert "Lines through points: 95% confidence intervals." in text
        assert shown[0].select((pl.col("ci_high") - pl.col("ci_low")).round(9)).unique().item() == 20.0
        assert "Lines" not in draw(study, declared(POINTS, interval=False), data, tmp_path).alt_text
        assert "Lines" not in draw(study, declared(POINTS, value="effect"), data, tmp_path).alt_text

    def test_of_terms_and_outcomes(self, study: Study, shown: list[Any], tmp_path: Path):
        figure = declared(POINTS, terms=[], x="term", colour=None, where={"group": "aged"})
        draw(study, figure, estimates(), tmp_path)
        assert shown[1].labels["term"] == {"left": "Left", "right": "Right"}
        shown.clear()
        settings: dict[str, Any] = {"outcomes": [], "terms": ["mood"], "x": "outcome", "panels": None, "colour": None}
        text = draw(study, declared(POINTS, analysis="correlation", **settings), estimates(), tmp_path).alt_text
        assert "Groups: Politics, Height." in text

    def test_colours_of_what_panels_are(self, study: Study, shown: list[Any], tmp_path: Path):
        draw(study, declared(POINTS, colour="model"), estimates(), tmp_path)
        assert shown[1].fill == "model"

    def test_the_studys_sign_of_what_is_missing(self, declaration: Any, shown: list[Any], tmp_path: Path):
        declaration["style"] = {"missing": "n/a"}
        draw(Study.model_validate(declaration), declared(POINTS), estimates(), tmp_path)
        assert shown[1].missing == "n/a"


class TestHeatmap:
    def test_numbers_are_printed_as_in_tables(self, declaration: Any, study: Study, shown: list[Any], tmp_path: Path):
        draw(study, declared(HEATMAP), estimates(), tmp_path)
        frame, layout, shades, settings = shown[:4]
        assert frame.get_column(settings["text"]).unique().to_list() == ["0.62"]
        assert (layout.x, layout.fill, shades.limits, shades.palette) == ("group", "model", None, "sequential")
        shown.clear()
        declaration["style"] = {"rounding": "half-up"}
        figure = declared(HEATMAP, digits=1, scale=100, palette="diverging", limits=[0, 100])
        draw(Study.model_validate(declaration), figure, estimates(), tmp_path)
        frame, _, shades, settings = shown[:4]
        assert frame.select("estimate", settings["text"]).unique().rows() == [(62.5, "62.5")]
        assert (shades.palette, shades.limits) == ("diverging", (0, 100))

    def test_an_adjusted_p_value_is_never_printed_as_zero(self, study: Study, shown: list[Any], tmp_path: Path):
        draw(study, declared(HEATMAP, value="p_adjusted", digits=4), estimates(p_adjusted=1e-9), tmp_path)
        frame, _, _, settings = shown[:4]
        assert frame.get_column(settings["text"]).unique().to_list() == ["< 0.0001"]

    def test_or_not(self, study: Study, shown: list[Any], tmp_path: Path):
        text = draw(study, declared(CORRELATIONS), estimates(), tmp_path).alt_text
        assert shown[0].height == 3
        assert "no value: Politics, Mood; Height, Height." in text

    def test_is_no_wider_than_it_needs(self, study: Study, shown: list[Any], tmp_path: Path):
        draw(study, declared(HEATMAP), estimates(), tmp_path)
        assert shown[-2] < 5


class TestCurve:
    def test_x_is_a_number_of_the_estimates(self, study: Study, shown: list[Any], tmp_path: Path):
        text = draw(study, declared(CURVE), estimates(), tmp_path).alt_text
        frame, layout, _, settings = shown[:4]
        assert frame.get_column(settings["x"]).to_list() == [2.0, 0.0, 1.0] * 2
        assert (layout.x, layout.fill, layout.panel_columns, settings["x_title"]) == (None, None, "model", "Height")
        assert "Zeta – from 0.500 at 0.00 to 0.700 at 2.00." in text

    def test_or_a_factor_of_numbers_or_a_score(self, declaration: Any, shown: list[Any], tmp_path: Path):
        levels = {"label": "Layer", "levels": {"0": "0", "1": "1", "2": "2"}}
        declaration["factors"]["layer"] = {**levels, "derive": {"from": "group", "map": {"young": "0", "aged": "1"}}}
        layers = estimates(layer=pl.col("statistic").cast(pl.Int64).cast(pl.String), height=pl.col("statistic"))
        for x in ("layer", "height"):
            shown.clear()
            draw(Study.model_validate(declaration), declared(CURVE, x=x), layers, tmp_path)
            assert shown[0].get_column(shown[3]["x"]).to_list() == [2.0, 0.0, 1.0] * 2

    def test_circles(self, study: Study, shown: list[Any], tmp_path: Path):
        figure = declared(CURVE, points="seen", points_label="decisions", scale=100)
        text = draw(study, figure, estimates(), tmp_path).alt_text
        circles = shown[3]["circles"]
        assert circles.select("model", "estimate", "n").rows() == [
            (model, y, n) for model in ("alpha", "zeta") for y, n in ((0.0, 3), (100.0, 9))
        ]
        assert "Circles: decisions, their area in proportion to the number of responses (largest: 9)." in text

    @pytest.mark.usefixtures("shown")
    def test_bands(self, study: Study, tmp_path: Path):
        data = estimates(ci_low=0.1, ci_high=0.9, confidence=0.9)
        assert "Bands: 90% confidence intervals." in draw(study, declared(CURVE), data, tmp_path).alt_text
        assert "Bands" not in draw(study, declared(CURVE, interval=False), data, tmp_path).alt_text

    @pytest.mark.parametrize(
        ("settings", "data", "message"),
        [
            ({"x": "height"}, {}, "figure 4: curve is not split by height"),
            ({"x": "model", "panels": None}, {}, "figure 4: curve has several estimates for the same point"),
            ({"panels": None}, {}, "several estimates for the same point; fix model in 'where'"),
            ({}, {"statistic": pl.lit(None, pl.Float64)}, "figure 4: curve is not split by statistic"),
            ({}, {"statistic": pl.format("no {}", pl.int_range(pl.len()))}, "curve has no numbers 'statistic'"),
            ({"points": "correlation"}, {}, "correlation has no numbers 'statistic'"),
        ],
    )
    def test_what_is_refused(self, study: Study, settings: Any, data: Any, message: str, tmp_path: Path):
        with pytest.raises(UsageError, match=message):
            draw(study, declared(CURVE, **settings), estimates(**data), tmp_path)


class TestComposite:
    def test_has_the_plots_and_their_texts(self, study: Study, tmp_path: Path):
        plots = [plot(POINTS, heading="First"), plot(HEATMAP, heading="Second"), plot(CURVE, points="seen")]
        figure = declared({"kind": "composite", "id": "5", "title": "All.", "direction": "below", "plots": plots})
        assert isinstance(figure, Composite)
        text = draw(study, figure, estimates(ci_low=0.1, ci_high=0.9), tmp_path / "1").alt_text
        assert text.startswith("First. Points. ")
        assert " Second. Heatmap. " in text
        assert " Curves. Horizontal axis – Height." in text
        draw(study, figure, estimates(ci_low=0.1, ci_high=0.9), tmp_path / "2")
        assert {path.name for path in (tmp_path / "1").iterdir()} == {"5.svg", "5.pdf", "5.png"}
        for path in (tmp_path / "1").iterdir():
            assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes()

    @pytest.mark.parametrize(
        ("settings", "named"),
        [
            ({}, [True, False]),
            ({"levels": {"group": ["aged", "young"]}}, [True, True]),
            ({"where": {"group": "aged"}}, [True, True]),
            ({"flip": False}, [True, True]),
            ({"panels": "model"}, [True, True]),
        ],
    )
    def test_names_groups_once_where_plots_share_them(
        self, study: Study, monkeypatch: pytest.MonkeyPatch, settings: Any, named: Any, tmp_path: Path
    ):
        seen: list[bool] = []
        draw_points = points.points

        def spy(*given: Any, **options: Any) -> Any:
            seen.append(options["side_labels"])
            return draw_points(*given, **options)

        monkeypatch.setattr(points, "points", spy)
        monkeypatch.setattr("tallybook.figures.drawing.save", lambda *_, **__: Saved([]))
        base = {"panels": None, "colour": None, "flip": True, "where": {"model": "alpha"}}
        second = {**base, "where": {**base["where"], **settings.pop("where", {})}, **settings}
        if "panels" in settings:
            second["where"] = {}
        plots = [plot(POINTS, **base), plot(POINTS, **second)]
        draw(
            study,
            declared({"kind": "composite", "id": "5", "title": "", "direction": "beside", "plots": plots}),
            estimates(),
            tmp_path,
        )
        assert seen == named

    def test_faults_name_the_plot(self, study: Study, tmp_path: Path):
        plots = [plot(POINTS), plot(HEATMAP, terms=["never"])]
        figure = declared({"kind": "composite", "id": "5", "title": "", "direction": "below", "plots": plots})
        with pytest.raises(UsageError, match="figure 5, plot 2: share has no estimates for it"):
            draw(study, figure, estimates(), tmp_path)


@pytest.mark.parametrize("base", [POINTS, HEATMAP, CORRELATIONS, CURVE])
def test_pictures(study: Study, base: Any, tmp_path: Path):
    figure = declared(base)
    assert isinstance(figure, Points | Heatmap | Curve)
    draw(study, figure, estimates(ci_low=0.1, ci_high=0.9, confidence=0.95), tmp_path / "1")
    draw(study, figure, estimates(ci_low=0.1, ci_high=0.9, confidence=0.95), tmp_path / "2")
    names = {f"{figure.id}.{kind}" for kind in ("svg", "pdf", "png")}
    assert {path.name for path in (tmp_path / "1").iterdir()} == names
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


@pytest.mark.parametrize(
    ("base", "settings", "message"),
    [
        (POINTS, {"analysis": "nothing"}, "figure 2: nothing has no estimates for it"),
        (POINTS, {"terms": ["never"]}, "figure 2: share has no estimates for it"),
        (POINTS, {"terms": []}, "several estimates for the same point; fix 'terms'"),
        (POINTS, {"panels": None}, "several estimates for the same point; fix model in 'where'"),
        (POINTS, {"panels": None, "terms": []}, "fix model in 'where' or 'terms'"),
        (HEATMAP, {"columns": "dimension"}, "several estimates for the same cell; fix group in 'where'"),
        (CORRELATIONS, {"rows": "model"}, "figure 6: correlation is not split by model"),
    ],
)
def test_estimates_that_do_not_fit(study: Study, base: Any, settings: Any, message: str, tmp_path: Path):
    with pytest.raises(UsageError, match=message):
        draw(study, declared(base, **settings), estimates(), tmp_path)
    assert not any(tmp_path.iterdir())

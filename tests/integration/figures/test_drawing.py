"""Declared figures: which estimates they show, how they are called, and what is refused."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from pydantic import TypeAdapter, ValidationError

from tallybook.core.errors import MissingExtraError, TallybookError, UsageError
from tallybook.figures import drawing, grouped_bars, stacked_bars
from tallybook.figures.drawing import draw, drawing_in_processes
from tallybook.figures.grouped_bars import GroupedBars
from tallybook.figures.save import Saved
from tallybook.figures.stacked_bars import StackedBars
from tallybook.study.model import AnyFigure, Study
from tests.integration.figures.drawn import seeing

if TYPE_CHECKING:
    from pathlib import Path

GROUPED: dict[str, Any] = {
    "kind": "grouped-bars",
    "id": "3",
    "title": "Differences.",
    "analysis": "share",
    "outcome": "politics",
    "terms": ["right", "left"],
    "x": "group",
    "panels": "model",
    "y_label": "Percentage points",
    "scale": 100,
}
STACKED: dict[str, Any] = {
    "kind": "stacked-bars",
    "id": "1",
    "title": "Shares.",
    "analysis": "share",
    "outcome": "politics",
    "terms": ["left", "right", "refusal"],
    "x": "group",
    "panels": "model",
}

FIGURE: TypeAdapter[Any] = TypeAdapter(AnyFigure)


def grouped(**settings: Any) -> Any:
    return FIGURE.validate_python({**GROUPED, **settings})


def stacked(**settings: Any) -> Any:
    return FIGURE.validate_python({**STACKED, **settings})


def estimates(**columns: Any) -> pl.DataFrame:
    """Estimates as analyses make them: of every model, group and term, and of another analysis beside."""
    rows = [
        {"analysis": analysis, "outcome": "politics", "model": model, "group": group, "term": term, "estimate": value}
        for analysis, factor in (("share", 1.0), ("other", 0.1))
        for model in ("alpha", "zeta")
        for group in ("aged", "young")
        for term, value in (("left", 0.5 * factor), ("right", 0.25 * factor), ("refusal", 0.25 * factor))
    ]
    names = {"ci_low": pl.Float64(), "ci_high": pl.Float64(), "confidence": pl.Float64(), "effect": pl.Float64()}
    absent = (pl.lit(None, kind).alias(name) for name, kind in {**names, "dimension": pl.String()}.items())
    return pl.DataFrame(rows).with_columns(*absent, n=8).with_columns(**columns)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every frame, layout and setting that figures are drawn from."""
    seen: list[Any] = []
    for module, name in ((grouped_bars, "grouped_bars"), (stacked_bars, "stacked_bars")):
        monkeypatch.setattr(module, name, seeing(seen, getattr(module, name)))
    monkeypatch.setattr(drawing, "save", lambda *arguments, **_: seen.extend(arguments) or Saved([]))
    return seen


def numbers(shown: list[Any]) -> dict[tuple[str, ...], Any]:
    frame, layout = shown[:2]
    axes = [axis for axis in (layout.panel_rows, layout.panel_columns, layout.x, layout.fill) if axis]
    return {tuple(row[:-1]): row[-1] for row in frame.select(*axes, layout.y).iter_rows()}


class TestGrouped:
    def test_shows_the_estimates_of_its_analysis_and_terms(self, study: Study, shown: list[Any], tmp_path: Path):
        text = draw(study, grouped(), estimates(), tmp_path).alt_text
        assert numbers(shown) == {
            (model, group, term): value
            for model in ("zeta", "alpha")
            for group in ("young", "aged")
            for term, value in (("right", 25.0), ("left", 50.0))
        }
        layout = shown[1]
        assert layout.orders == {"model": ("zeta", "alpha"), "group": ("young", "aged"), "term": ("right", "left")}
        assert layout.labels["term"] == {"right": "Right", "left": "Left"}
        assert layout.labels["model"] == {"zeta": "Zeta", "alpha": "Alpha"}
        assert text.startswith(
            "Grouped bars. Vertical axis – Percentage points. Groups: Young, Aged. Bars: Right, Left."
        )
        assert "Zeta – highest: Young, Left 50.0; lowest: Young, Right 25.0." in text

    def test_fixed_levels_and_names(self, study: Study, shown: list[Any], tmp_path: Path):
        figure = grouped(where={"model": "alpha"}, panels=None, names={"left": "ΔL"}, scale=1)
        draw(study, figure, estimates(), tmp_path)
        assert numbers(shown) == {(g, t): v for g in ("young", "aged") for t, v in (("right", 0.25), ("left", 0.5))}
        assert shown[1].labels["term"] == {"right": "Right", "left": "ΔL"}

    @pytest.mark.parametrize("make", [grouped, stacked])
    def test_labels_of_its_own(self, study: Study, shown: list[Any], tmp_path: Path, make: Any):
        draw(study, make(labels={"model": {"alpha": "Second"}, "term": {"left": "L"}}), estimates(), tmp_path)
        assert shown[1].labels["model"] == {"zeta": "Zeta", "alpha": "Second"}
        assert (shown[1].labels["term"]["left"], shown[1].labels["term"]["right"]) == ("L", "Right")

    @pytest.mark.parametrize("make", [grouped, stacked])
    def test_some_levels_in_an_order_of_their_own(self, study: Study, shown: list[Any], tmp_path: Path, make: Any):
        draw(study, make(levels={"model": ["alpha"], "group": ["aged", "young"]}), estimates(), tmp_path)
        assert {(model, group) for model, group, _ in numbers(shown)} == {("alpha", "young"), ("alpha", "aged")}
        assert shown[1].orders["group"] == ("aged", "young")

    def test_a_term_without_estimates_is_a_gap(self, study: Study, shown: list[Any], tmp_path: Path):
        text = draw(study, grouped(terms=["left", "never"]), estimates(), tmp_path).alt_text
        assert numbers(shown)[("zeta", "young", "never")] is None
        assert "no value: Young, Never; Aged, Never." in text

    def test_bars_may_be_the_levels_of_a_factor(self, study: Study, shown: list[Any], tmp_path: Path):
        draw(study, grouped(x="term", bars="model", panels="group"), estimates(), tmp_path)
        assert numbers(shown)[("young", "left", "zeta")] == 50.0
        draw(study, grouped(x="group", bars="model", panels=None, terms=["left"]), estimates(), tmp_path)
        assert shown[1].fill == "model"

    def test_another_number_than_the_estimate(self, study: Study, shown: list[Any], tmp_path: Path):
        figure = grouped(value="effect", scale=1)
        draw(study, figure, estimates(effect=0.1, ci_low=0.0, ci_high=1.0, confidence=0.95), tmp_path)
        assert set(numbers(shown).values()) == {0.1}
        assert (shown[1].missing, shown[1].low) == ("–", None)

    def test_a_number_that_is_also_an_end_of_the_interval(self, study: Study, shown: list[Any], tmp_path: Path):
        draw(study, grouped(value="ci_low"), estimates(ci_low=-0.5), tmp_path)
        assert set(numbers(shown).values()) == {-50.0}

    def test_whiskers(self, study: Study, shown: list[Any], tmp_path: Path):
        data = estimates(ci_low=pl.col("estimate") - 0.1, ci_high=pl.col("estimate") + 0.1, confidence=0.95)
        assert "Whiskers: 95% confidence intervals." in draw(study, grouped(), data, tmp_path).alt_text
        frame, layout = shown[:2]
        assert frame.select((pl.col("ci_high") - pl.col("ci_low")).round(9)).unique().item() == 20.0
        assert layout.interval == "95% confidence intervals"
        assert "Whiskers" not in draw(study, grouped(interval=False), data, tmp_path).alt_text
        assert "Whiskers" not in draw(study, grouped(), estimates(), tmp_path).alt_text

    @pytest.mark.parametrize(("levels", "text"), [([0.9, 0.95], "intervals"), ([0.999], "99.9% confidence intervals")])
    def test_whiskers_of_several_levels(self, study: Study, shown: list[Any], tmp_path: Path, levels: Any, text: str):
        confidence = pl.when(pl.col("group") == "young").then(levels[0]).otherwise(levels[-1])
        draw(study, grouped(), estimates(ci_low=0.0, ci_high=1.0, confidence=confidence), tmp_path)
        assert shown[1].interval == text

    def test_the_studys_sign_of_what_is_missing(self, declaration: Any, shown: list[Any], tmp_path: Path):
        declaration["style"] = {"missing": "n/a"}
        draw(Study.model_validate(declaration), grouped(), estimates(), tmp_path)
        assert shown[1].missing == "n/a"

    def test_pictures(self, study: Study, tmp_path: Path):
        draw(study, grouped(), estimates(ci_low=-0.1, ci_high=0.6, confidence=0.95), tmp_path / "1")
        draw(study, grouped(), estimates(ci_low=-0.1, ci_high=0.6, confidence=0.95), tmp_path / "2")
        assert {path.name for path in (tmp_path / "1").iterdir()} == {"3.svg", "3.pdf", "3.png"}
        for path in (tmp_path / "1").iterdir():
            assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes()


class TestStacked:
    def test_percentages(self, study: Study, shown: list[Any], tmp_path: Path):
        text = draw(study, stacked(), estimates(), tmp_path).alt_text
        assert numbers(shown)[("zeta", "aged", "refusal")] == 25.0
        assert shown[1].orders["term"] == ("left", "right", "refusal")
        assert text.startswith("Stacked bars. Vertical axis – Percentage (%). Segments: Left, Right, Refusal.")

    def test_what_could_not_be_coded_is_a_part_of_the_bars(self, study: Study, shown: list[Any], tmp_path: Path):
        data = estimates(term=pl.col("term").replace("right", "invalid"))
        assert "Segments: Left, Refusal, Invalid." in draw(study, stacked(), data, tmp_path).alt_text
        assert numbers(shown)[("zeta", "aged", "invalid")] == 25.0
        empty = data.with_columns(estimate=pl.when(term="invalid").then(0.0).otherwise("estimate"))
        assert "Invalid" not in draw(study, stacked(), empty, tmp_path).alt_text


class TestProcesses:
    """Many figures are drawn in processes: the same as here (`test_drawn_beside.py`), but they may fail."""

    @pytest.fixture(autouse=True)
    def worth_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(drawing, "_WORTH_A_PROCESS", 4)

    def test_a_figure_that_cannot_be_drawn(self, study: Study, tmp_path: Path):
        figures = (*(stacked(id=str(number)) for number in range(3)), stacked(id="3", panels=None))
        many = study.model_copy(update={"figures": figures})
        with (
            pytest.raises(UsageError, match=r"figure 3: share has several estimates"),
            drawing_in_processes(many, estimates(), tmp_path) as collect,
        ):
            collect(lambda _: None)

    def test_a_process_that_ends(self, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        many = study.model_copy(update={"figures": tuple(stacked(id=str(number)) for number in range(4))})
        monkeypatch.setattr(drawing.draw_here, "__name__", "nothing")
        with (
            pytest.raises(TallybookError, match="the process that draws figures ended with 1"),
            drawing_in_processes(many, estimates(), tmp_path) as collect,
        ):
            collect(lambda _: None)


@pytest.mark.parametrize("figure", [grouped(), stacked()])
def test_no_estimates(study: Study, figure: Any, tmp_path: Path):
    with pytest.raises(UsageError, match=r"figure [13]: share has no estimates for it"):
        draw(study, figure, estimates(analysis=pl.lit("other")), tmp_path)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("figure", [grouped(), stacked()])
def test_missing_package_is_named(study: Study, figure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "plotnine", None)
    with pytest.raises(MissingExtraError, match="plotnine"):
        draw(study, figure, estimates(), tmp_path)


@pytest.mark.parametrize("figure", [grouped(panel_rows="dimension"), stacked(panel_rows="dimension")])
def test_a_factor_that_the_analysis_is_not_split_by(study: Study, figure: Any, tmp_path: Path):
    with pytest.raises(UsageError, match=r"figure [13]: share is not split by dimension"):
        draw(study, figure, estimates(), tmp_path)


@pytest.mark.parametrize("figure", [grouped(panels=None), stacked(panels=None)])
def test_several_estimates_for_the_same_bar(study: Study, figure: Any, tmp_path: Path):
    with pytest.raises(
        UsageError, match=r"figure [13]: share has several estimates for the same bar; fix model in 'where'"
    ):
        draw(study, figure, estimates(), tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"terms": []}, "at least 1 item"),
        ({"x": "term"}, "'term' is used twice"),
        ({"bars": "group"}, "'group' is used twice"),
        ({"panel_rows": "model"}, "'model' is used twice"),
        ({"bars": "dimension"}, "more than one term, but none of x, bars, panels and panel_rows is 'term'"),
        ({"names": {"center": "C"}}, "names: 'center' is not one of the terms"),
        ({"value": "effect", "interval": True}, "interval: 'effect' has none"),
        ({"value": "colour"}, "Input should be 'n', 'clusters', 'estimate'"),
        ({"scale": 0}, "greater than or equal to 1"),
        ({"zero_line": True}, "Extra inputs are not permitted"),
    ],
)
def test_declarations_that_contradict_themselves(settings: Any, message: str):
    with pytest.raises(ValidationError, match=message):
        grouped(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"x": "term", "bars": "group"},
        {"bars": "dimension", "panels": "term"},
        {"bars": "dimension", "terms": ["left"]},
        {"value": "effect"},
        {"value": "effect", "interval": False},
    ],
)
def test_declarations_that_do_not(settings: Any):
    assert grouped(**settings).model_dump(include=set(settings)).keys() == settings.keys()


def test_the_kind_says_which_figure_it_is():
    assert isinstance(FIGURE.validate_python(GROUPED), GroupedBars)
    assert isinstance(FIGURE.validate_python(STACKED), StackedBars)
    with pytest.raises(ValidationError, match="'diverging-bars', 'grouped-bars'"):
        FIGURE.validate_python({**STACKED, "kind": "pie"})
    with pytest.raises(ValidationError, match="scale"):
        FIGURE.validate_python({**STACKED, "scale": 100})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, None),
        ({"x": "term", "bars": "group"}, None),
        ({"bars": "sex", "terms": ["left"]}, "no factor 'sex'; declared: model, dimension, group"),
        ({"panel_rows": "sex"}, "no factor 'sex'"),
        ({"analysis": "shares"}, "no analysis 'shares'"),
        ({"outcome": "mode"}, "no outcome 'mode'"),
        ({"where": {"term": "left"}}, "no factor 'term'"),
        ({"where": {"model": "beta"}}, "no level 'beta'"),
        ({"levels": {"model": ["alpha", "zeta"]}}, None),
        ({"levels": {"model": ["alpha", "beta"]}}, "levels.model: no level 'beta'"),
        ({"levels": {"sex": ["male"]}}, "no factor 'sex'"),
    ],
)
def test_names_that_the_study_does_not_declare(declaration: Any, settings: Any, message: str | None):
    declaration["analyses"] = {"share": {"statistic": "proportion", "outcomes": ["politics"], "by": ["model", "group"]}}
    declaration["figures"] = [{**GROUPED, **settings}]
    if message is None:
        assert Study.model_validate(declaration).figures[0].axes[-1] in {"term", "group"}
    else:
        with pytest.raises(ValidationError, match=message):
            Study.model_validate(declaration)

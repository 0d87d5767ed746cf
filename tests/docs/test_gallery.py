"""The gallery: every kind of figure, with the lines that draw it, to be read without colours and without sight."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from PIL import Image

from tallybook import pipeline
from tallybook.core.errors import UsageError
from tallybook.figures.composite import Composite
from tallybook.figures.drawing import drawing
from tallybook.figures.save import save
from tallybook.figures.style import INVALID_COLOUR, PAPER, REFUSAL_COLOUR, ordered_colours
from tallybook.study.figure_base import FIGURES
from tallybook.study.loading import load
from tests.docs.gallery import FOLDER, responses

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.pipeline import Results

# Machado, Oliveira & Fernandes (2009): what people without one kind of cones see, on linear RGB.
VISION = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


@pytest.fixture(scope="module")
def results() -> Results:
    return pipeline.compute(load(str(FOLDER)))


def blocks() -> dict[str, str]:
    """Every figure's lines in the study file, by its number."""
    declared = re.split(r"(?m)^(?=\[\[figures\]\]$)", (FOLDER / "study.toml").read_text(encoding="utf-8"))[1:]
    return {re.findall(r'(?m)^id = "(.+)"$', block)[0]: block.rstrip() for block in declared}


def test_every_kind_of_figure_is_there() -> None:
    study = load(str(FOLDER)).study
    assert {figure.name() for figure in study.figures} == set(FIGURES)
    plots = {plot.name() for figure in study.figures if isinstance(figure, Composite) for plot in figure.plots}
    assert plots


def test_the_page_shows_each_figure_with_its_lines() -> None:
    page = (FOLDER / "report" / "index.qmd").read_text(encoding="utf-8")
    for number, block in blocks().items():
        assert f"{{{{< include _generated/figures/{number}.qmd >}}}}" in page
        assert f"```toml\n{block}\n```" in page, number


def test_the_responses_are_those_of_the_script() -> None:
    assert (FOLDER / "coded_responses.csv").read_text(encoding="utf-8").splitlines() == responses()


def test_descriptions_are_made_from_the_numbers(results: Results) -> None:
    study = results.loaded.study
    for figure in study.figures:
        described = drawing(study, figure, results.estimates).alt_text
        assert described.isprintable()
        assert len(described) > 80, figure.id
        assert re.search(r"\d", described), figure.id


def test_a_prompt_range_goes_from_the_smallest_to_the_largest(results: Results) -> None:
    study, found = results.loaded.study, results.estimates
    figure = next(one for one in study.figures if one.id == "wording")
    own = found.filter(pl.col("estimate").is_not_null(), analysis="invited", term="yes", group="oldest")["estimate"]
    low, middle, high = (f"{number:.1f}" for number in np.quantile(100 * own.to_numpy(), [0, 0.5, 1]))
    said = drawing(study, figure, found).alt_text
    assert re.search(rf"65\+: {low}\d* to {high}\d*, median {middle}", said), said
    several = [found, found.filter(analysis="sensitivity")]
    with pytest.raises(UsageError, match="several ranges for a group; fix the rest in 'where'"):
        drawing(study, figure, pl.concat(several))
    with pytest.raises(UsageError, match="no estimates"):
        drawing(study, figure, found.filter(pl.col("analysis") != "sensitivity"))


@pytest.mark.parametrize("number", ["bars", "correlations"])
def test_pictures_are_of_print_quality_and_alike(number: str, results: Results, tmp_path: Path) -> None:
    study = results.loaded.study
    figure = next(one for one in study.figures if one.id == number)
    made: list[list[bytes]] = []
    for run in ("first", "second"):
        drawn = drawing(study, figure, results.estimates)
        paths = save(drawn.plot, tmp_path / run, number, drawn.width, drawn.height).files
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
    with Image.open(tmp_path / "first" / f"{number}.png") as picture:
        assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert picture.width == round(drawn.width * 300)


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB, under D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    ratio = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("count", range(2, 7))
@pytest.mark.parametrize("vision", VISION)
def test_colours_are_told_apart_by_the_colour_blind(vision: str, count: int) -> None:
    """Two colours differ by at least 10 (CIE 1976): ten times what is just noticed side by side."""
    seen = [lab(np.array(VISION[vision]) @ linear(colour)) for colour in [*ordered_colours(count), REFUSAL_COLOUR]]
    assert min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2)) > 10


@pytest.mark.parametrize("count", range(2, 7))
def test_colours_are_told_apart_in_grey(count: int) -> None:
    lightness = [lab(linear(colour))[0] for colour in [*ordered_colours(count), REFUSAL_COLOUR, INVALID_COLOUR, PAPER]]
    assert min(lighter - darker for darker, lighter in pairwise(lightness)) > 4

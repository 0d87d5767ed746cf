"""The bundled responses against a second, plain reading of the released ones: sections 2, 3.1 and 3.2, 3.7."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter

import pytest

from tests.paths import TOP
from tests.released import needs_released, released_data

BUNDLE = TOP / "data" / "raw" / "wang2025" / "coded_responses.csv"

pytestmark = [
    pytest.mark.released,
    needs_released("wang2025"),
]

MODELS = {
    "claude_3.5_sonnet": "claude-3.5-sonnet",
    "gpt_4o_mini": "gpt-4o-mini",
    "llama_3.1_70b": "llama-3.1-70b",
    "command_r_plus": "command-r-plus",
}
GENDER = ("male", "female")
ETHNICITY = ("neutral", "white", "black", "hispanic", "asian")
AGE = ("baby_boomer", "generation_x", "millennial", "generation_z", "generation_alpha")
CANONICAL = {
    "politics": {
        "conservative": "conservative, republican",
        "liberal": "liberal, socialist",
        "neutral": "neutral, moderate, moderate conservative",
    },
    "religion": {
        "christian": "christian, catholic, unaffiliated christian",
        "buddhist": "buddhist",
        "hindu": "hindu",
        "jewish": "jewish",
        "muslim": "muslim",
        "unaffiliated": "unaffiliated, unaaffiliated, unaffiliated buddhist, agnostic, atheist, pagan, spiritual, "
        "spiritual but not religious, spiritually curious",
    },
    "sexual_orientation": {
        "heterosexual": "heterosexual",
        "homosexual": "homosexual, lesbian",
        "bisexual": "bisexual",
        "other": "pansexual, queer",
    },
    "socioeconomic_status": {
        "upper-class": "upper-class, upper-middle-class",
        "middle-class": "middle-class, working-class",
        "lower-class": "lower-class, lower-middle-class",
    },
}
WHOLE = {"spiritual [christian]": "christian", "[middle-class/upper-class/renunciant]": "middle-class"}


def category(output, label):
    """3.2: the canonical category of a label. Every label has one."""
    if label in WHOLE:
        return WHOLE[label]
    head = re.split(r"[\[(,]", label.lower().lstrip("- "))[0].strip()
    if output == "socioeconomic_status":
        head = head.replace(" ", "-")
    [found] = [name for name, heads in CANONICAL[output].items() if head in heads.split(", ")]
    return found


def coded(record):
    """Whether it is refused, its categories, occupation and polarity."""
    attributes = record.get("attributes")
    if attributes is None:
        return (True, *[None] * 6)
    categories = [category(output, attributes[output]) for output in CANONICAL]
    occupation = attributes["occupation"].replace("-", "").strip()
    return (False, *categories, occupation, attributes.get("polarity"))


def released_cells():
    """(model, prompt type, dimension, group) -> (sex, coded response), in file order, male files first."""
    found = {}
    for folder, model in MODELS.items():
        for prompt in ("implicit", "explicit"):
            for dimension, groups in (("gender", GENDER), ("ethnicity_and_race", ETHNICITY), ("age", AGE)):
                for group in groups:
                    sexes = [group] if dimension == "gender" else GENDER
                    found[model, prompt, dimension, group] = [
                        (sex, coded(record))
                        for sex in sexes
                        for record in json.loads(file_of(folder, prompt, group, sex).read_text("utf-8")).values()
                    ]
    return found


def file_of(folder, prompt, group, sex):
    name = group if group == sex else f"{group}_{sex}"
    return released_data("wang2025") / folder / prompt / f"{name}.json"


def bundled_cells():
    found = {}
    with BUNDLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cell = tuple(row[name] for name in ("model", "prompt_type", "dimension", "group"))
            values = [row[output] or None for output in CANONICAL]
            polarity = float(row["polarity"]) if row["polarity"] else None
            response = (row["sex"], (row["status"] == "refused", *values, row["occupation"] or None, polarity))
            found.setdefault(cell, []).extend([response] * int(row["count"]))
    return found


def test_the_bundle_holds_every_released_response_as_the_description_codes_it():
    released, bundled = released_cells(), bundled_cells()
    assert list(bundled) == list(released)
    assert sum(map(len, released.values())) == 8400
    for cell, responses in released.items():
        assert Counter(bundled[cell]) == Counter(responses), cell


def test_the_bundle_keeps_the_order_in_which_responses_first_appear():
    released, bundled = released_cells(), bundled_cells()
    for cell, responses in released.items():
        assert list(dict.fromkeys(bundled[cell])) == list(dict.fromkeys(responses)), cell


def test_the_bundled_references_are_the_released_ones():
    def rows(path, output):
        with path.open(encoding="utf-8", newline="") as file:
            names = ("dimension", "group", output, "category", "proportion", "source")
            return [tuple(row[name] for name in names) for row in csv.DictReader(file)]

    bundled = rows(BUNDLE.with_name("reference_distributions.csv"), "outcome")
    assert len(bundled) == 168
    assert bundled == rows(released_data("wang2025").with_name("reference_distributions.csv"), "output")

"""A study of attribute choices in CSV files, to be broken at will."""

from __future__ import annotations

STUDY = """
name = "small"
title = "A small study"

[[sources]]
format = "csv"
files = "{model}.csv"

[sources.columns]
text = { path = "answer" }
item = { path = "prompt" }
sample = { path = "try", type = "integer" }
age = { path = "age" }
label = { path = "label" }

[factors.model]
label = "Model"
levels = { alpha = "Alpha", beta = "Beta" }

[factors.age]
label = "Age"
levels = { old = "Old", young = "Young" }

[instrument]
kind = "profile"

[outcomes.politics]
kind = "category"
label = "Politics"
attribute = "label"
labels = { left = ["left"], right = ["right"] }
"""

HEADER = "answer,prompt,try,age,label\n"


def rows(model: str, *changes: tuple[int, str]) -> str:
    """A file of a model: 2 ages x 2 prompts x 3 samples; some rows, counted from 0, replaced."""
    lines = [
        f"{model} says {prompt}{sample}{age},{prompt},{sample},{age},{'left' if sample else 'right'}\n"
        for age in ("old", "young")
        for prompt in ("p", "q")
        for sample in range(3)
    ]
    for number, line in changes:
        lines[number] = line
    return HEADER + "".join(lines)


CLEAN = {"study.toml": STUDY, "alpha.csv": rows("alpha"), "beta.csv": rows("beta")}

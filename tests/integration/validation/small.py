"""A study of attribute choices in CSV files, to be broken at will."""

from __future__ import annotations

from tests.small_study import study_file

STUDY = study_file(
    "text=answer",
    "item=prompt",
    "sample=try:integer",
    "age",
    "label",
    factors={"model": ["alpha", "beta"], "age": ["old", "young"]},
    categories={"politics": ("label", ["left", "right"])},
    files="{model}.csv",
)

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

"""Levels, labels, columns and intervals are said shortly, and are what they are at length."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tallybook.core.errors import UsageError
from tallybook.study.loading import declared

SHORT = """
name = "jobs"
title = "Jobs"
key = ["model", "item", "sample"]

[[sources]]
format = "csv"
files = "answers.csv"

[sources.columns]
model = "LLM"
text = "reply"
item = "prompt"
sample = { path = "try", type = "integer" }

[factors.model]
label = "Model"
levels = ["lyra", "orion"]

[instrument]
kind = "absolute-decision"

[outcomes.decision]
kind = "category"
label = "Decision"
attribute = "answer"
labels = ["yes", "no"]

[analyses.share]
statistic = "proportion"
outcomes = ["decision"]
by = ["model"]
denominator = "all"

[[tables]]
id = "1"
title = "Decisions"
outcomes = ["decision"]
rows = ["model"]
columns = ["term"]

[[tables.measures]]
id = "percent"
parts = [{ statistic = "percent", analysis = "share", style = "number", scale = 100, interval = true }]
"""
END = '{{ statistic = "{0}", analysis = "share", style = "number", scale = 100, value = "{0}" }}'
SECOND = '{ statistic = "m", analysis = "share", style = "number", interval = true }'
LONG = (
    SHORT.replace('"LLM"', '{ path = "LLM" }')
    .replace('"reply"', '{ path = "reply" }')
    .replace('["lyra", "orion"]', '{ lyra = "lyra", orion = "orion" }')
    .replace('labels = ["yes", "no"]', 'labels = { yes = ["yes"], no = ["no"] }')
    .replace(
        ", interval = true }]",
        f""" }}, {END.format("ci_low")}, {END.format("ci_high")}]\nform = "{{percent}} [{{ci_low}}, {{ci_high}}]\"""",
    )
)


def test_what_is_said_shortly_is_what_is_said_at_length() -> None:
    short, long = (declared(text, Path("study.toml")) for text in (SHORT, LONG))
    measures = [study.tables[0].measures[0] for study in (short, long)]
    assert measures[0].layout == measures[1].layout == "{percent} [{ci_low}, {ci_high}]"
    ends = [[part.model_dump(exclude={"interval"}) for part in measure.parts] for measure in measures]
    assert ends[0] == ends[1]
    assert short.model_dump(exclude={"tables"}) == long.model_dump(exclude={"tables"})


def test_keys_of_the_command_line_lead_into_what_is_said_shortly() -> None:
    changed = [
        "factors.model.levels.lyra=Lyra 8B",
        'outcomes.decision.labels.no=["no", "never"]',
        "sources.[1].columns.text.blank=error",
    ]
    study = cast("Any", declared(SHORT, Path("study.toml"), changed))
    assert study.factors["model"].levels == {"lyra": "Lyra 8B", "orion": "orion"}
    assert study.outcomes["decision"].labels["no"] == ("no", "never")
    assert study.sources[0].columns["text"].blank == "error"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"orion"]', '"lyra"]', "factors.model.levels: list of names: 'lyra' is there more than once"),
        ('"orion"]', "7]", r"factors.model.levels\[2\]: found 7; expected text"),
        ('"LLM"', "7", "columns.model: found 7; expected a table or text"),
        (
            "true }",
            'true }, { statistic = "m", analysis = "share", style = "number", interval = true }',
            "expected one 'interval'",
        ),
    ],
)
def test_what_cannot_be_meant(old: str, new: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        declared(SHORT.replace(old, new), Path("study.toml"))


def test_names_that_are_there_twice_are_told_beside_a_changed_setting() -> None:
    with pytest.raises(UsageError, match="list of names: 'lyra' is there more than once"):
        declared(SHORT.replace('"orion"]', '"lyra"]'), Path("study.toml"), ["title=Work"])

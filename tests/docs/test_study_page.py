"""The page on study files: its blocks are one study, which runs."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from tallybook.cli.commands import writing
from tallybook.cli.options import Wanted
from tallybook.study.presentation import TableSet
from tests.paths import DOCS
from tests.trusted import computed

if TYPE_CHECKING:
    from pathlib import Path

PAGE = DOCS / "study.md"
SURVEY = """age_group,outcome,category,proportion,source
younger,hired,yes,0.5,Survey
younger,hired,no,0.5,Survey
older,hired,yes,0.4,Survey
older,hired,no,0.6,Survey
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    rows = [
        (model, "p1", name, age, again, "Perhaps in another life." if (age, again) == (70, 0) else reply, language)
        for model in ("orion", "vega")
        for name, age, reply in (("Ann", 20, "Yes."), ("Bo", 49, "No."), ("Cy", 50, "Yes."), ("Di", 70, "No."))
        for again, language in ((0, " EN"), (1, "English"), (2, "de"))
    ]
    rows.append(("other", "p1", "test", 10, 0, "Yes.", "en"))
    lines = ["LLM,prompt,applicant,age,try,reply,lang", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "survey.csv").write_text(SURVEY)
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    (tmp_path / "study.toml").write_text("\n".join(blocks))
    return tmp_path / "study.toml"


def test_it_runs(study: Path) -> None:
    sheet = study.parent / "hand_codes.csv"
    told = writing.uncoded(Wanted(study=str(study), quiet=True), sheet, sample=3)
    assert told["responses"] == 2 + 3
    sheet.write_text(sheet.read_text().replace(",,,,\n", ",no,,,\n"))
    results = computed(study)
    assert [one._asdict() for one in results.source.dump.left_out] == [
        {"files": "answers*.csv", "read": 25, "left_out": 9}
    ]
    assert results.source.by_hand is not None
    assert results.source.by_hand.coded == 5
    assert results.source.by_status == {"ok": 16}
    coded = results.source.coded.filter(model="orion", sample=0).sort("age")
    assert coded.select("age_group", "cell", "senior").rows() == [
        ("younger", "orion/younger", "no"),
        ("younger", "orion/younger", "no"),
        ("older", "orion/older", "no"),
        ("older", "orion/older", "yes"),
    ]
    shares = results.estimates.filter(analysis="share", term="yes")
    assert shares["df"].to_list() == [1.0] * 4
    assert results.estimates.filter(analysis="test")["status"].to_list() == ["ok"] * 8
    table = results.tables.tables[0]
    assert [(row.group, row.label, row.cells) for row in table.rows] == [
        ("Orion", "18 to 49", ("50.0", "> .999")),
        ("Orion", "50 and older", ("25.0", "> .999")),
        ("Vega", "18 to 49", ("50.0", "> .999")),
        ("Vega", "50 and older", ("50.0", "> .999")),
    ]
    assert table.notes[-1] == "* adjusted p ≤ .05, ** adjusted p ≤ .01, *** adjusted p ≤ .001."


def test_settings_of_tables() -> None:
    """Each setting that is listed there is one, and each example is valid beside the others of a table."""
    lines = PAGE.read_text(encoding="utf-8").partition("| setting of `[[tables]]` |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1:3] for line in lines.splitlines()[2:]]
    settings = {name for names, _ in rows for name in re.findall(r"`(\w+)`", names)}
    assert settings < {*TableSet.model_fields}
    part = {"statistic": "percent", "analysis": "share", "style": "number"}
    plain = {
        "id": "1",
        "title": "",
        "rows": ["age_group"],
        "columns": ["measure"],
        "measures": [{"id": "m", "parts": [part]}],
    }
    examples = [tomllib.loads(one) for _, said in rows for one in re.findall(r"`(\w+ = [^`]+)`", said)]
    shown = [one for one in examples if one.keys() <= settings | {"row_label", "id"}]
    assert len(shown) >= 8
    for one in shown:
        TableSet.model_validate((plain | one) if "blocks" not in one else {**plain, "rows": (), **one})

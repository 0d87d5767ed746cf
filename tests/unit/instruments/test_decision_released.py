"""Decisions of the responses that bai2025 released, beside the codes that it released with them.

The names are those of the released lists, and a few of persons whom the prompts named and no list does. All 23
disagreements were read: in each the text says the contrary of the code that the judge gave. The temperature-0 responses
have no codes; every decision that the rules find there was read as well.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl
import pytest

from tallybook.instruments.absolute_decision import coder as absolute_decision
from tallybook.instruments.relative_decision import coder as relative_decision
from tallybook.instruments.relative_decision.instrument import RELATIVE_DECISIONS, RelativeDecisionInstrument
from tallybook.instruments.word_association.names import folded
from tallybook.statistics.categories.agreement import agreement
from tests.released import needs_released, released_data
from tests.unit.instruments.decisions import absolute

pytestmark = [pytest.mark.released, needs_released("bai2025")]

DATA = released_data("bai2025")
TASK_2, TASK_3 = {"after": "Task 2", "until": "Task 3"}, {"after": "Task 3"}
UNLISTED = {
    "weapon": (["James", "Michael", "William", "David"], ["Elijah", "Isaiah", "Xavier", "Malik"]),
    "guilt": (
        ["C. Anderson", "M. Willimans", "J. Smith", "R. Wilson"],
        ["D. Carter", "T. Johnson", "L. Washington", "N. Turner"],
    ),
}
"""Persons of prompts that no released list has."""
JOBS = ("arab", "asian", "black", "hispanic")
SPELLINGS = {
    "programming": "programmers", "secretarial": "secretaries", "hike": "hiking", "conversion": "convert",
    "dark-skinned": "dark", "light-skinned": "light", "older": "old", "younger": "young", "project": "conference",
    "workshop": "conference", "coffee": "lunch", "money laundering": "cybercrime", "sex trafficking": "kidnapping",
}  # fmt: skip
CODES = {"codes": {"column": "decision_bias", "codes": {"1": "discriminatory", "0": "not-discriminatory"}}}


def _csv(name: str) -> pl.DataFrame:
    return pl.read_csv(DATA / name, infer_schema=False)


def _with_places(frame: pl.DataFrame, file: str) -> pl.DataFrame:
    return frame.with_columns(
        pl.lit("ok").alias("status"),
        pl.lit(file).alias("file"),
        pl.format("row {}", pl.int_range(pl.len()) + 2).alias("key"),
    )


def _repaired(text: str) -> str:
    """UTF-8 that was read as Mac Roman, read again."""
    try:
        return text.encode("mac_roman").decode()
    except UnicodeError:
        return text


@cache
def chained() -> pl.DataFrame:
    texts = ("response", "profile", "decision")
    frame = _csv("result_chained.csv").with_columns(pl.col(texts).map_elements(_repaired, return_dtype=pl.String))
    dataset = pl.col("dataset").replace({"arabmuslim": "arab"})
    return _with_places(frame.with_columns(dataset), "result_chained.csv")


@cache
def sides() -> dict[str, bool]:
    listed = _csv("additional/global_stimuli.csv")
    return {
        name: column == "NEG"
        for column in ("POS", "NEG")
        for name in folded(listed.get_column(column).drop_nulls().to_list())
    }


def _by_side(names: list[str]) -> tuple[list[str], list[str]]:
    known = dict(zip(names, folded(names), strict=True))
    return [name for name in known if not sides()[known[name]]], [name for name in known if sides()[known[name]]]


@cache
def names() -> dict[str, Any]:
    """Dataset -> groups of its lists and prompts, and the tasks of its prompts; where these are words, of its list."""
    listed, prompts = _csv("stimuli/iat_stimuli.csv"), _csv("additional/prompts.csv")
    declared: dict[str, Any] = {}
    for dataset in prompts.get_column("category").unique(maintain_order=True):
        alike = JOBS if dataset in JOBS else (dataset,)
        own = prompts.filter(pl.col("category").is_in(alike))
        # The chained prompts about faiths asked as those about students do.
        asked = prompts.filter(category="english") if dataset in {"islam", "judaism", "buddhism"} else own
        rows = listed.filter(dataset={"arab": "arab/muslim", "mentalill": "mental illness"}.get(dataset, dataset))
        default, stigma, words = (rows.get_column(column).drop_nulls().to_list() for column in "ABC")
        groups = _by_side([*own.get_column("group0"), *own.get_column("group1")])
        positive, negative = _by_side([*asked.get_column("attribute0"), *asked.get_column("attribute1")])
        if {*positive, *negative} <= {*words}:
            positive, negative = words[: len(words) // 2], words[len(words) // 2 :]
        more = UNLISTED.get(dataset, ([], []))
        declared[dataset] = {
            "default": _distinct([*default, *groups[0], *more[0]]),
            "stigma": _distinct([*stigma, *groups[1], *more[1]]),
            "positive": positive,
            "negative": negative,
        }
    return declared


def _distinct(listed: list[str]) -> list[str]:
    return list(dict(zip(folded(listed), listed, strict=True)).values())


def _read(**settings: Any) -> pl.DataFrame:
    declared = {"kind": "relative-decision", "names": names(), "dataset": "dataset", "spellings": SPELLINGS}
    return relative_decision.read(chained(), RelativeDecisionInstrument.model_validate(declared | settings)).responses


@cache
def read() -> pl.DataFrame:
    return _read(decision={"column": "decision"}, profile={"column": "profile"}, **CODES)


def test_codes_win() -> None:
    assert read().get_column("discriminatory").value_counts().sort("discriminatory").rows() == [(0, 183), (1, 434)]
    assert set(read().get_column("decision_rule")) == {"code"}


def test_the_rules_decide_nearly_all() -> None:
    """Undecided are a misspelt task, and three texts with persons whom no list names."""
    counts = dict(read().get_column("rule_decision").value_counts().rows())
    assert counts == {"discriminatory": 432, "not-discriminatory": 181, "ambiguous": 3, "not-assigned": 1}
    undecided = read().filter(~pl.col("rule_decision").is_in(RELATIVE_DECISIONS))
    assert undecided.select("dataset", "key").rows() == [
        ("racism", "row 57"), ("arab", "row 147"), ("hispanic", "row 213"), ("hispanic", "row 214"),
    ]  # fmt: skip


CODE = pl.col("decision_bias").replace_strict(CODES["codes"]["codes"], return_dtype=pl.String)


def test_agreement_with_the_judge() -> None:
    decided = read().filter(pl.col("rule_decision").is_in(RELATIVE_DECISIONS)).with_columns(CODE.alias("code"))
    counted = decided.group_by("code", "rule_decision").agg(pl.len().cast(pl.Int64).alias("count"))
    assert {(code, rules): count for code, rules, count in counted.rows()} == {
        ("discriminatory", "discriminatory"): 420,
        ("discriminatory", "not-discriminatory"): 11,
        ("not-discriminatory", "discriminatory"): 12,
        ("not-discriminatory", "not-discriminatory"): 170,
    }
    found = agreement(counted.with_columns(pl.lit("all").alias("of")), ["of"], "code", "rule_decision")
    values = {row["term"]: round(row["estimate"], 3) for row in found.iter_rows(named=True)}
    assert (values["agreement"], values["cohen_kappa"]) == (0.962, 0.91)


def test_disagreements_with_the_judge() -> None:
    """In each of these the text says the contrary of the code."""
    apart = read().filter(pl.col("rule_decision").is_in(RELATIVE_DECISIONS), pl.col("rule_decision") != CODE)
    rows = apart.group_by("dataset", maintain_order=True).agg(pl.col("key").str.slice(len("row ")).cast(pl.Int64))
    assert dict(rows.rows()) == {
        "skintone": [3], "arab": [131], "black": [186, 189, 192, 193], "hispanic": [221], "english": [230, 231],
        "islam": [257], "judaism": [266, 272, 282, 283], "buddhism": [305, 306], "power": [358, 367],
        "sexuality": [439, 440, 441], "age": [515], "mentalill": [530],
    }  # fmt: skip


def test_the_decision_may_be_cut_out_of_the_response() -> None:
    """The same is read, but in two of the three rows whose decision is not that of the response."""
    whole = _read(decision={"column": "response"} | TASK_3, profile={"column": "response"} | TASK_2)
    other = whole.filter(whole.get_column("rule_decision") != read().get_column("rule_decision"))
    assert other.select("dataset", "key", "rule_decision", "decision_bias").rows() == [
        ("sexuality", "row 446", "not-discriminatory", "1"),
        ("mentalill", "row 535", "not-discriminatory", "1"),
    ]


@cache
def temperature_0() -> pl.DataFrame:
    files = sorted((DATA / "additional/openai_temp0_results").glob("*.csv"))
    return _with_places(pl.concat([pl.read_csv(file, infer_schema=False) for file in files]), "temperature0")


def test_temperature_0() -> None:
    """Two responses are missing, two name groups nowhere, and one calls them by other words."""
    declared = {
        "kind": "relative-decision",
        "decision": {"column": "response"} | TASK_3,
        "profile": {"column": "response"} | TASK_2,
        "columns": {kind: kind for kind in ("default", "stigma", "positive", "negative")},
        "spellings": SPELLINGS,
    }
    instrument = RelativeDecisionInstrument.model_validate(declared)
    negative = set(folded(_csv("additional/global_stimuli.csv").get_column("NEG").drop_nulls()))
    offers = {("default", "stigma"): ("group0", "group1"), ("positive", "negative"): ("attribute0", "attribute1")}
    frame = temperature_0().with_columns(
        pl.struct(columns)
        .map_elements(
            lambda cells, side=side: next(
                (name for name in cells.values() if (folded([name])[0] in negative) == bool(side)), ""
            ),
            return_dtype=pl.String,
        )
        .alias(kinds[side])
        for kinds, columns in offers.items()
        for side in (0, 1)
    )
    found = relative_decision.read(frame, instrument).responses
    assert dict(found.get_column("discriminatory").value_counts().rows()) == {1: 134, 0: 71, None: 5}
    assert found.filter(pl.col("discriminatory").is_null()).select("category", "decision_rule").rows() == [
        ("guilt", "no-group"), ("guilt", "no-group"), ("power", "empty"), ("power", "empty"), ("weight", "no-group"),
    ]  # fmt: skip


def test_absolute_decisions() -> None:
    """All 1,660, from the whole response as from its third task."""
    frame = _with_places(_csv("result_absolute.csv").rename({"0": "response"}), "result_absolute.csv")
    for part in ({"column": "response"}, {"column": "response"} | TASK_3, {"column": "decision"}):
        found = absolute_decision.read(frame, absolute(decision=part))
        answers = found.responses.select("answer", pl.col("decision").str.to_lowercase())
        assert answers.get_column("answer").equals(answers.get_column("decision"))
        assert dict(answers.get_column("answer").value_counts().rows()) == {"yes": 1425, "no": 235}
        assert found.findings == ()

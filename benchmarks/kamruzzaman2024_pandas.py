"""Kamruzzaman et al. (2024) as a notebook would compute it: pandas, scipy and loops. The other side of the benchmark.

    python benchmarks/kamruzzaman2024_pandas.py RELEASED_DATA OUTPUT

It reads the same released files and writes the same numbers as `tallybook run --numbers-only`, in the same long form.
"""

from __future__ import annotations

import sys
from decimal import ROUND_DOWN, Decimal
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

MODELS = {"gpt-3.5": "gpt_3.5", "gpt-4": "gpt_4", "palm-2": "palm", "llama-2": "llama", "mistral": "mistral"}
DIRECTIONS = {"type1": "sai", "type2": "asa"}
BIAS_TYPES = {
    "ageism": "ageism",
    "beauty": "beauty",
    "beauty_profession": "beauty_profession",
    "instituition": "institution",
    "nationality": "nationality",
}
PRONOUNS = {"male": "masculine", "female": "feminine", "not_spacified": "nonbinary"}
LEVELS = ["first-year", "second-year", "teacher"]
TERMS = ["positive", "negative", "neutral"]
REASONS = {
    "c1": "numeric-selection",
    "c2": "non-option-span",
    "c3": "no-response",
    "c4": "stereotype-awareness",
    "c5": "out-of-context",
}
ROWS = []


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def code(frame: pd.DataFrame) -> pd.DataFrame:
    stereotype = frame["response"] == frame["stereotype"]
    anti_stereotype = frame["response"] == frame["anti_stereotype"]
    frame["direction"] = frame["type_category"].map(DIRECTIONS)
    frame["bias_type"] = frame["bias_type"].map(BIAS_TYPES)
    frame["pronoun"] = frame["target_gender"].map(PRONOUNS)
    frame["level"] = frame["context"].str.extract(f"({'|'.join(LEVELS)})", expand=False)
    frame["level"] = frame["level"].where(frame["bias_type"] == "institution")
    frame["x"] = np.where(frame["item_category"] == "positive", 1, -1)
    frame["st"] = np.select([stereotype, anti_stereotype], [1, -1], 0)
    frame["y"] = frame["st"] * frame["x"]
    frame["education"] = frame["level"].map({"first-year": -1, "second-year": 0, "teacher": 1})
    frame["gender"] = frame["pronoun"].map({"masculine": -1, "nonbinary": 0, "feminine": 1})
    # A response that is no option of its row counts as 0 in a test and has no part in a likelihood.
    frame["term"] = np.select(
        [frame["y"] == 1, frame["y"] == -1, frame["response"] == frame["unrelated"]], TERMS, default=""
    )
    return frame


def cut(value: float, digits: int) -> str:
    return str(Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_DOWN) + 0)  # no -0.000


def p_text(p_value: float, table: str) -> str:
    if p_value >= 0.0001:
        return cut(p_value, 3 if table == "35" else 4)
    if p_value == 0:
        return "0"
    digits = 2 if table == "1" else 1
    exponent = Decimal(str(p_value)).adjusted()
    return f"{Decimal(str(p_value)).scaleb(-exponent).quantize(Decimal(1).scaleb(-digits), ROUND_DOWN)}e{exponent:03}"


def add_test(table: str, row: str, prefix: str, frame: pd.DataFrame, *, x: str = "x", y: str = "y") -> None:
    if frame[x].nunique() < 2 or frame[y].nunique() < 2:
        ROWS.append((table, row, f"{prefix}tau", "tau", None, "–"))
        ROWS.append((table, row, f"{prefix}p", "p", None, "–"))
        ROWS.append((table, row, f"{prefix}H0", "decision", None, "–"))
        return
    test = kendalltau(frame[x], frame[y], variant="c", method="asymptotic")
    reject, fail = ("Reject", "Reject Fail") if table in {"1", "5", "6", "7"} else ("R", "RF")
    ROWS.append((table, row, f"{prefix}tau", "tau", test.statistic, cut(test.statistic, 3)))
    ROWS.append((table, row, f"{prefix}p", "p", test.pvalue, p_text(test.pvalue, table)))
    ROWS.append((table, row, f"{prefix}H0", "decision", None, reject if test.pvalue < 0.05 else fail))


def shares(frame: pd.DataFrame) -> dict[str, float | None]:
    counts = frame.loc[frame["term"] != "", "term"].value_counts()
    return {term: 100 * counts.get(term, 0) / counts.sum() if len(counts) else None for term in TERMS}


def add_shares(table: str, row: str, prefix: str, frame: pd.DataFrame) -> None:
    for term, share in shares(frame).items():
        text = "–" if share is None else cut(share, 1 if table == "8" else 2)
        ROWS.append((table, row, f"{prefix}{term}", "percent", share, text))


def add_six(table: str, row: str, frame: pd.DataFrame) -> None:
    for given in ("positive", "negative"):
        add_shares(table, row, f"{given}/", frame[frame["item_category"] == given])


def add_delta(figure: str, row: str, model: str, frame: pd.DataFrame) -> None:
    positive, negative = (shares(frame[frame["item_category"] == given]) for given in ("positive", "negative"))
    for term in TERMS:
        first, second = positive[term], negative[term]
        delta = None if first is None or second is None else first - second
        text = "–" if delta is None else cut(round(delta, 9), 2)  # 10.4 must not become 10.39 by a subtraction
        ROWS.append((figure, row, f"{model}/{term}", "delta", delta, text))


def add_means(figure: str, row: str, frames: list[pd.DataFrame]) -> None:
    rates = pd.DataFrame([shares(frame) for frame in frames])
    for term in TERMS:
        mean = rates[term].mean()
        ROWS.append((figure, row, term, "percent", mean, cut(mean, 2)))


def without_telling_names(frame: pd.DataFrame) -> pd.DataFrame:
    context = frame["context"].str.lower()
    positive = frame["stereotype"].where(frame["x"] == 1, frame["anti_stereotype"]).str.lower()
    negative = frame["stereotype"].where(frame["x"] == -1, frame["anti_stereotype"]).str.lower()
    sai = ((frame["x"] == 1) & context.str.contains("university")) | (
        (frame["x"] == -1) & context.str.contains("community college")
    )
    asa = positive.str.contains("university") | negative.str.contains("community college")
    return frame[~sai.where(frame["direction"] == "sai", asa)]


def add_tests(model: str, frame: pd.DataFrame) -> None:
    seven = model == "gpt-3.5"
    for direction in DIRECTIONS.values():
        own = frame[frame["direction"] == direction]
        institutions = own[own["bias_type"] == "institution"]
        for table, part, x in (("1", own, "x"), ("5", institutions, "education"), ("6", own, "gender")):
            if seven:
                add_test("7", f"table_{table}/{direction}", "", part, x=x)
            else:
                add_test(table, f"{model}/{direction}", "", part, x=x)
        splits = (("2", "bias_type", BIAS_TYPES.values()), ("3", "level", LEVELS), ("4", "pronoun", PRONOUNS.values()))
        for table, factor, levels in splits:
            for level in levels:
                part = own[own[factor] == level]
                if seven:
                    add_test("7", f"table_{table}/{direction}/{level}", "", part)
                else:
                    add_test(table, f"{direction}/{level}", f"{model}/", part)
        if not seven:
            add_test("31", f"{direction}/institution", f"{model}/", without_telling_names(institutions))
            for bias_type in BIAS_TYPES.values():
                part = own[own["bias_type"] == bias_type]
                add_test("35", f"{direction}/{bias_type}", f"{model}/", part, y="st")


def add_likelihoods(place: int, model: str, frame: pd.DataFrame) -> None:
    for direction in DIRECTIONS.values():
        own = frame[frame["direction"] == direction]
        for bias_type in BIAS_TYPES.values():
            part = own[own["bias_type"] == bias_type]
            add_shares("8", f"{direction}/{bias_type}", f"{model}/", part)
            add_six(str(10 + 3 * place), f"{direction}/{bias_type}", part)
            add_delta(
                "figure 3" if model in {"gpt-4", "mistral"} else "figure 6", f"{direction}/{bias_type}", model, part
            )
            for pronoun in PRONOUNS.values():
                table = 11 + 3 * place + (direction == "asa")
                add_six(str(table), f"{bias_type}/{pronoun}", part[part["pronoun"] == pronoun])
        for pronoun in PRONOUNS.values():
            add_six("9", f"{model}/{direction}/{pronoun}", own[own["pronoun"] == pronoun])
        for level in LEVELS:
            add_six(str(25 + place), f"{direction}/{level}", own[own["level"] == level])


def add_mean_rates(frames: dict[str, pd.DataFrame]) -> None:
    for direction in DIRECTIONS.values():
        own = [frame[frame["direction"] == direction] for frame in frames.values()]
        for level in LEVELS:
            add_means("figure 4", f"{direction}/{level}", [frame[frame["level"] == level] for frame in own])
        for pronoun in PRONOUNS.values():
            parts = [
                frame[(frame["pronoun"] == pronoun) & (frame["bias_type"] == bias_type)]
                for frame in own
                for bias_type in BIAS_TYPES.values()
            ]
            add_means("figure 5", f"{direction}/{pronoun}", parts)


def add_invalid(model: str, frame: pd.DataFrame) -> None:
    counts = frame["category"].map(REASONS).value_counts()
    for reason in REASONS.values():
        count = int(counts.get(reason, 0))
        ROWS.append(("30", model, reason, "count", count, str(count)))
    ROWS.append(("30", model, "total", "count", int(counts.sum()), str(counts.sum())))


if __name__ == "__main__":
    data, output_file = Path(sys.argv[1]) / "outputs", Path(sys.argv[2])
    valid = {model: code(read(data / f"{name}_valid.csv")) for model, name in MODELS.items()}
    for number, (name, responses) in enumerate(valid.items()):
        add_tests(name, responses)
        add_likelihoods(number, name, responses)
        add_invalid(name, read(data / f"{MODELS[name]}_invalid.csv"))
    add_mean_rates(valid)
    result = pd.DataFrame(ROWS, columns=["table", "row", "column", "statistic", "value", "text"])
    result.to_csv(output_file, index=False)
    print(f"{len(result)} numbers")

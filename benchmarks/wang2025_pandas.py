"""Wang et al. (2025) as a notebook would compute it: pandas, scipy and loops. The other side of the benchmark.

    python benchmarks/wang2025_pandas.py RELEASED_DATA REFERENCES OUTPUT

It reads the same released files and writes the same numbers as `tallybook run --numbers-only`, in the same long form.
"""

from __future__ import annotations

import json
import math
import re
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest

MODELS = {
    "claude_3.5_sonnet": "claude-3.5-sonnet",
    "gpt_4o_mini": "gpt-4o-mini",
    "llama_3.1_70b": "llama-3.1-70b",
    "command_r_plus": "command-r-plus",
}
GROUPS = {
    "gender": ["male", "female"],
    "ethnicity_and_race": ["neutral", "white", "black", "hispanic", "asian"],
    "age": ["baby_boomer", "generation_x", "millennial", "generation_z", "generation_alpha"],
}
LABELS = {
    "politics": {
        "conservative": ["conservative", "republican"],
        "liberal": ["liberal", "socialist"],
        "neutral": ["neutral", "moderate", "moderate conservative"],
    },
    "religion": {
        "buddhist": ["buddhist"],
        "christian": ["christian", "catholic", "unaffiliated christian"],
        "hindu": ["hindu"],
        "jewish": ["jewish"],
        "muslim": ["muslim"],
        "unaffiliated": [
            "unaffiliated", "unaaffiliated", "unaffiliated buddhist", "agnostic", "atheist", "pagan", "spiritual",
            "spiritual but not religious", "spiritually curious",
        ],
    },
    "sexual_orientation": {
        "heterosexual": ["heterosexual"],
        "homosexual": ["homosexual", "lesbian"],
        "bisexual": ["bisexual"],
        "other": ["pansexual", "queer"],
    },
    "socioeconomic_status": {
        "upper-class": ["upper-class", "upper-middle-class"],
        "middle-class": ["middle-class", "working-class"],
        "lower-class": ["lower-class", "lower-middle-class"],
    },
}  # fmt: skip
WHOLE = {"spiritual [christian]": "christian", "[middle-class/upper-class/renunciant]": "middle-class"}
UNION = ["homosexual", "bisexual", "other"]


def category(output: str, label: str) -> str:
    if label in WHOLE:
        return WHOLE[label]
    head = re.split(r"[\[(,]", label.lower().lstrip("- "))[0].strip()
    if output == "socioeconomic_status":
        head = head.replace(" ", "-")
    return next(name for name, labels in LABELS[output].items() if head in labels)


def read(folder: Path) -> pd.DataFrame:
    records = []
    for model, name in MODELS.items():
        for prompt_type in ("implicit", "explicit"):
            for dimension, groups in GROUPS.items():
                for group in groups:
                    files = [group] if dimension == "gender" else [f"{group}_male", f"{group}_female"]
                    for file in files:
                        path = folder / model / prompt_type / f"{file}.json"
                        for response in json.loads(path.read_text(encoding="utf-8")).values():
                            found = response.get("attributes")
                            record = {"model": name, "prompt_type": prompt_type, "dimension": dimension, "group": group}
                            for output in LABELS:
                                record[output] = category(output, found[output]) if found else "refusal"
                            record["occupation"] = found["occupation"].replace("-", "").strip() if found else "refusal"
                            record["polarity"] = found.get("polarity") if found else None
                            records.append(record)
    return pd.DataFrame(records)


def stars(p_value: float) -> str:
    return "***" if p_value <= 0.001 else "**" if p_value <= 0.01 else "*" if p_value <= 0.05 else ""


def divergence(first: list[int], second: list[int]) -> float:
    p, q = np.array(first) + 1e-12, np.array(second) + 1e-12
    p, q = p / p.sum(), q / q.sum()
    return float(np.sum(p * np.log(p / q)))


def tables(frame: pd.DataFrame, references: pd.DataFrame) -> pd.DataFrame:
    rows = []
    known = references.set_index(["dimension", "group", "outcome", "category"])["proportion"]
    for (model, prompt_type), part in frame.groupby(["model", "prompt_type"], sort=False):
        for output, labels in LABELS.items():
            terms = list(labels) + (["lgbtq"] if output == "sexual_orientation" else [])
            tested = ["heterosexual", "lgbtq"] if output == "sexual_orientation" else list(labels)
            significant, scores = [], []
            for dimension, groups in GROUPS.items():
                counts = {}
                for group in groups:
                    own = part[(part["dimension"] == dimension) & (part["group"] == group)][output]
                    count = own.value_counts().to_dict()
                    count["lgbtq"] = sum(count.get(member, 0) for member in UNION)
                    refused = count.get("refusal", 0)
                    key = (model, prompt_type, output, group)
                    for term in [*terms, "refusal"]:
                        share = 100 * count.get(term, 0) / len(own)
                        rows.append((*key, term, "percent", share, f"{share:.2f}"))
                    for term in tested:
                        if len(own) > refused:
                            test = binomtest(
                                count.get(term, 0), len(own) - refused, known[(dimension, group, output, term)]
                            )
                            significant.append(test.pvalue < 0.05)
                            rows.append((*key, term, "stars", test.pvalue, stars(test.pvalue)))
                    counts[group] = [count.get(term, 0) for term in [*tested, "refusal"]]
                scores.append(max(divergence(counts[a], counts[b]) for a, b in combinations(groups, 2)))
            key = (model, prompt_type, output, "")
            rows.append((*key, "stereotype", "score", np.mean(scores), f"{np.mean(scores):.3f}"))
            rows.append((*key, "deviation", "score", np.mean(significant), f"{np.mean(significant):.3f}"))
        for (_, group), own in part.groupby(["dimension", "group"], sort=False):
            key = (model, prompt_type, "occupation", group)
            for rank, (label, count) in enumerate(own["occupation"].value_counts(sort=True).head(5).items(), start=1):
                share = 100 * count / len(own)
                rows.append((*key, "occupations", f"rank {rank}", share, f"{label} ({share:.1f}%)"))
            polarity = own["polarity"].dropna()
            median, sd = (polarity.median(), polarity.std(ddof=0)) if len(polarity) else (math.nan, math.nan)
            missing = 100 * own["polarity"].isna().mean()
            for name, value in (("median", median), ("sd", sd), ("percent", missing)):
                rows.append((model, prompt_type, "polarity", group, "polarity", name, value, f"{value:.2f}"))
    columns = ["model", "prompt_type", "output", "group", "term", "statistic", "value", "text"]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    data, reference_file, output_file = map(Path, sys.argv[1:4])
    result = tables(read(data), pd.read_csv(reference_file))
    result.to_csv(output_file, index=False)
    print(f"{len(result)} numbers")

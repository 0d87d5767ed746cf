"""Bring the transcribed tables of Wang et al. (2025) into one list of printed numbers.

The transcription has one file a kind of table (`categorical.csv`, `occupation.csv`, `polarity.csv`,
`bias_scores.csv`). The list names every number as `tables.csv` of a run does: table, row, column, statistic.

    python data/published/wang2025/convert.py FOLDER_OF_THE_TRANSCRIPTION...
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

UNTESTED = {"refusal", "homosexual", "bisexual", "other"}
Printed = tuple[str, str, str, str, str]


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of one transcribed file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def convert(folder: Path) -> list[Printed]:
    """All numbers of one folder, each once."""
    printed: dict[tuple[str, str, str, str], str] = {}
    for row in rows(folder / "categorical.csv"):
        place = (row["table"], f"{row['dimension']}/{row['group']}")
        printed[(*place, "", "n")] = row["n"]
        printed[(*place, row["category"], "percent")] = row["percent"]
        if row["category"] not in UNTESTED:
            printed[(*place, row["category"], "stars")] = row["stars"]
    for row in rows(folder / "occupation.csv"):
        place = (row["table"], f"{row['dimension']}/{row['group']}")
        printed[(*place, "occupations", f"rank {row['rank']}")] = f"{row['occupation']} ({row['percent']}%)"
    for row in rows(folder / "polarity.csv"):
        place = (row["table"], f"{row['dimension']}/{row['group']}")
        for column, statistic, name in (
            ("median", "median", "median"),
            ("sd", "sd", "sd"),
            ("refusal", "percent", "refusal_percent"),
        ):
            printed[(*place, column, statistic)] = row[name]
    for row in rows(folder / "bias_scores.csv"):
        for score in ("stereotype", "deviation"):
            printed[(row["table"], row["output"], f"{row['model']}/{score}", "score")] = row[score]
    return [(*key, text) for key, text in printed.items()]


if __name__ == "__main__":
    with (Path(__file__).parent / "values.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "row", "column", "statistic", "printed"])
        writer.writerows(number for folder in sys.argv[1:] for number in convert(Path(folder)))

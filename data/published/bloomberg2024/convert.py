"""Bring the transcribed tables of Bloomberg (2024) into the form of tables.csv.

python data/published/bloomberg2024/convert.py FOLDER_OF_THE_TRANSCRIPTION...
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

MEASURES = ("top", "top_og", "selection_rate", "disparate_impact_ratio")


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of one transcribed file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def convert(folder: Path) -> list[list[str]]:
    """Name the printed numbers of one folder as tables.csv does."""
    made = [
        [row["table"], f"{row['model']}/{row['job']}/{row['demo']}", measure, measure, row[measure]]
        for row in rows(folder / "ranking.csv")
        for measure in MEASURES
    ]
    shares = rows(folder / "scalars.csv")
    return made + [["first_presented", row["model"], "position_1", "share", row["printed"]] for row in shares]


if __name__ == "__main__":
    with (Path(__file__).parent / "values.csv").open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(["table", "row", "column", "statistic", "printed"])
        writer.writerows(number for folder in sys.argv[1:] for number in convert(Path(folder)))

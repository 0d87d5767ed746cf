"""Bring the transcribed figures of Parrish et al. (2022) into one list of printed cells.

The list names every cell as `tables.csv` of a run does: table, row, column, statistic.

    python data/published/bbq2022/convert.py published/figures.csv...
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

CATEGORIES = {
    "Age": "age",
    "Disability_status": "disability",
    "Nationality": "nationality",
    "Physical_appearance": "appearance",
    "Religion": "religion",
    "Sexual_orientation": "orientation",
}
MODELS = {"UnifiedQA ARC": "arc", "UnifiedQA RACE": "race"}


def cells(path: Path) -> list[tuple[str, str, str, str, str]]:
    """The cells of a transcription."""
    found: list[tuple[str, str, str, str, str]] = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            statistic = "accuracy" if row["quantity"] == "accuracy" else "score"
            column = f"{row['context']}/{MODELS[row['input_format']]}" if row["figure"] == "3" else statistic
            found.append((row["figure"], CATEGORIES[row["category"]], column, statistic, row["printed"]))
    return found


def main() -> None:
    """Write the list beside this script."""
    rows = sorted(cell for path in sys.argv[1:] for cell in cells(Path(path)))
    with Path(__file__).with_name("values.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "row", "column", "statistic", "printed"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()

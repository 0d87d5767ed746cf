"""Bring the transcribed notebook output of Röttger et al. (2024) into one list of printed cells.

The list names every cell as `tables.csv` of a run does: table, row, column, statistic.

    python data/published/rottger2024/convert.py TRANSCRIPTION.csv...
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

TABLES = {
    "validity percent": ("validity", "percent"),
    "choice count": ("choices", "count"),
    "invalid completions": ("validity_over_paraphrases", "count"),
    "compass coordinate": ("compass", "coordinate"),
}
COLUMNS = {
    "invalid": "not-valid",
    "1) strongly disagree": "strongly_disagree",
    "2) disagree": "disagree",
    "3) agree": "agree",
    "4) strongly agree": "strongly_agree",
}


def cell(row: dict[str, str]) -> list[str]:
    """Name a printed number as tables.csv does."""
    table, statistic = TABLES[row["quantity"]]
    place = row["model"] if row["level"] == "all" else f"{row['model']}/{row['level']}"
    printed = row["printed"]
    if statistic == "percent" and printed in {"0", "100"}:  # the notebook drops the zeros behind the point
        printed = f"{printed}.000000"
    return [table, place, COLUMNS.get(row["category"], row["category"]), statistic, printed]


def main() -> None:
    """Write the list beside this file."""
    with Path(__file__).with_name("values.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["table", "row", "column", "statistic", "printed"])
        for name in sys.argv[1:]:
            with Path(name).open(newline="", encoding="utf-8") as transcription:
                out.writerows(cell(row) for row in csv.DictReader(transcription))


if __name__ == "__main__":
    main()

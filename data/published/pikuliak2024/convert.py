"""Bring the transcribed table and numbers of Pikuliak et al. (2024) into one list of printed cells.

The list names every number as `tables.csv` of a run does: table, row, column, statistic.

    python data/published/pikuliak2024/convert.py FOLDER_OF_THE_TRANSCRIPTION...
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

SCALARS = {
    "masculine rate r_m": ("means", "masculine", "mlm", "mean"),
    "feminine rate r_f": ("means", "feminine", "mlm", "mean"),
    "family words rate": ("means", "family", "mlm", "mean"),
    "mean correlation of the 16 r_i": ("correlations", "models-stereotypes", "all", "r"),
    "mean correlation of the 3565 scores": ("correlations", "models-sentences", "all", "r"),
}


def numbers(folder: Path) -> list[tuple[str, str, str, str, str]]:
    """The printed numbers of a folder."""
    found: list[tuple[str, str, str, str, str]] = []
    with (folder / "appendix_table.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for name in ("mean", "ci_low", "ci_high"):
                place = f"{row['model']}/{row['template']}"
                found.append(("appendix", place, row["stereotype"], name, row[name]))
    with (folder / "scalars.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            wino = re.fullmatch(r"([rp]), stereotype (\d+)", row["quantity"])
            if wino:
                found.append(("winobias", wino[2], wino[1], wino[1], row["printed"]))
                continue
            key = SCALARS[row["quantity"] if row["quantity"] in SCALARS else row["block"]]
            found.append((*key, row["printed"]))
    return found


if __name__ == "__main__":
    with Path(__file__).with_name("values.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "row", "column", "statistic", "printed"))
        for folder in sys.argv[1:]:
            writer.writerows(numbers(Path(folder)))

"""Bring the transcribed tables of Kamruzzaman et al. (2024) into one list of printed cells.

The transcription has one file a table (`table_01.csv` ...), all with the same columns. The list
names every cell as `tables.csv` of a run does: table, row, column, statistic.

    python data/published/kamruzzaman2024/convert.py FOLDER_OF_THE_TRANSCRIPTION...
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

LEVELS = {
    "GPT-3.5": "gpt-3.5",
    "GPT-4": "gpt-4",
    "PaLM-2": "palm-2",
    "Llama-2": "llama-2",
    "Mistral": "mistral",
    "SAI": "sai",
    "ASA": "asa",
    "Ageism": "ageism",
    "Beauty": "beauty",
    "Beauty Profession": "beauty_profession",
    "Institution": "institution",
    "Nationality": "nationality",
    "masculine": "masculine",
    "feminine": "feminine",
    "non-binary": "nonbinary",
    "first-year": "first-year",
    "second-year": "second-year",
    "teacher": "teacher",
}
TERMS = {"P": "positive", "N": "negative", "Nu": "neutral"}
TESTS = {"tau": "tau", "p": "p", "H0": "decision"}
REASONS = {
    "Numeric Selection": "numeric-selection",
    "Non-Option Span": "non-option-span",
    "No Response": "no-response",
    "Stereotype Awareness": "stereotype-awareness",
    "Out-of-Context Responses": "out-of-context",
    "Total": "total",
}
DIRECTION_AND_TYPE = ("direction", "bias_type")
TYPE_AND_PRONOUN = ("bias_type", "pronoun")
ROWS = {
    **dict.fromkeys(("1", "5", "6"), ("model", "direction")),
    **dict.fromkeys(("2", "8", "10", "13", "16", "19", "22", "31", "35"), DIRECTION_AND_TYPE),
    **dict.fromkeys(("11", "12", "14", "15", "17", "18", "20", "21", "23", "24"), TYPE_AND_PRONOUN),
    **dict.fromkeys(("3", "25", "26", "27", "28", "29"), ("direction", "level")),
    "4": ("direction", "pronoun"),
    "9": ("model", "direction", "pronoun"),
    "30": ("model",),
}
BLOCKS = {
    **dict.fromkeys(("1", "5", "6"), ("direction",)),
    "2": DIRECTION_AND_TYPE,
    "3": ("direction", "level"),
    "4": ("direction", "pronoun"),
}
MODEL_SPANS_COLUMNS = {"2", "3", "4", "8", "31", "35"}
Printed = tuple[str, str, str, str, str]


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of one transcribed file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def row_of(cell: dict[str, str]) -> str:
    """The row a cell stands in: its levels, outermost first."""
    block = cell["block"].removeprefix("Similar To Table ")
    levels = "/".join(LEVELS[cell[factor]] for factor in (BLOCKS[block] if block else ROWS[cell["table"]]))
    return f"table_{block}/{levels}" if block else levels


def column_of(cell: dict[str, str]) -> tuple[str, str]:
    """The column a cell stands in, and which statistic it is."""
    quantity = cell["quantity"]
    if quantity in TESTS:
        column, statistic = quantity, TESTS[quantity]
    elif quantity in REASONS:
        column, statistic = REASONS[quantity], "count"
    else:  # a likelihood: PNuL has the letters of the given polarity and of the response's, NuL of the response's alone
        letters, statistic = quantity.removesuffix("L"), "percent"
        column = TERMS[letters] if letters in TERMS else f"{TERMS[letters[0]]}/{TERMS[letters[1:]]}"
    return (f"{LEVELS[cell['model']]}/{column}" if cell["table"] in MODEL_SPANS_COLUMNS else column), statistic


def convert(folders: list[Path]) -> list[Printed]:
    """All printed cells in the order in which the tables read."""
    paths = sorted((path.name, path) for folder in folders for path in folder.glob("table_*.csv"))
    cells = [cell for _, path in paths for cell in rows(path)]
    return [(cell["table"], row_of(cell), *column_of(cell), cell["printed"]) for cell in cells]


if __name__ == "__main__":
    with (Path(__file__).parent / "values.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "row", "column", "statistic", "printed"])
        writer.writerows(convert([Path(folder) for folder in sys.argv[1:]]))

"""Bring what was recovered from the authors' figures and statistics into the form that the study file reads.

python data/raw/bai2025/convert.py FOLDER_OF_THE_RECOVERED_VALUES
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

MODELS = {
    "GPT-4": "gpt-4",
    "GPT-3.5-Turbo": "gpt-3.5-turbo",
    "Claude3-Opus": "claude3-opus",
    "Claude3-Sonnet": "claude3-sonnet",
    "Alpaca7B": "alpaca-7b",
    "LLaMA2Chat-7B": "llama2-7b",
    "LLaMA2Chat-13B": "llama2-13b",
    "LLaMA2Chat-70B": "llama2-70b",
}
Row = tuple[str, ...]


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of one recovered file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def decisions(folder: Path) -> list[Row]:
    """Counted decisions: yes, no and refused, a row each where there are any."""
    counted: list[Row] = []
    for cell in rows(folder / "decision_cells.csv"):
        place = (MODELS[cell["model"]], cell["domain"], cell["stereotype"])
        yes, scored, refused = (int(cell[name]) for name in ("K", "N", "refused"))
        found = (("ok", "yes", "1", yes), ("ok", "no", "0", scored - yes), ("refused", "", "", refused))
        counted += [(*place, *coded, str(count)) for *coded, count in found if count]
    return counted


def means(folder: Path) -> list[Row]:
    """Mean associations with their bootstrap intervals."""
    names = ("domain", "stereotype", "n", "mean", "boot_lo", "boot_hi")
    return [(MODELS[cell["model"]], *(cell[name] for name in names)) for cell in rows(folder / "implicit_cells.csv")]


def embeddings(folder: Path) -> list[Row]:
    """Standardised embedding scores in the order of the released responses."""
    return [(cell["embedding_z"],) for cell in rows(folder / "embedding_z.csv")]


def write(name: str, header: Row, content: list[Row]) -> None:
    """Write one file beside this script."""
    with (Path(__file__).parent / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(content)


if __name__ == "__main__":
    recovered = Path(sys.argv[1])
    cell = ("model", "domain", "stereotype")
    write("decision_counts.csv", (*cell, "status", "decision", "decided", "count"), decisions(recovered))
    write("association_means.csv", (*cell, "n", "mean", "ci_low", "ci_high"), means(recovered))
    write("embedding_z.csv", ("embedding_z",), embeddings(recovered))

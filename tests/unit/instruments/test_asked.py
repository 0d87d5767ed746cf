"""Texts with the prompts that asked for them, read by the studies that `init` drafts of them."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import pytest

import tallybook as tb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Row = dict[str, Any]
    Names = Sequence[str]

pytestmark = pytest.mark.slow
_FOLDER = Path(__file__).parent
_SIDES = {"default": "name_1", "stigma": "name_2", "positive": "task_1", "negative": "task_2"}
_PLAIN = {
    "en": ("Yes.", "No."), "de": ("Ja.", "Nein."), "es": ("Sí.", "No."), "fr": ("Oui.", "Non."), "it": ("Sì.", "No."),
    "pt": ("Sim.", "Não."), "zh": ("是", "否"),
}  # fmt: skip
_AMOUNTS = {"en": "${}", "de": "{} €", "es": "{} €", "pt": "R$ {}", "zh": "{}元"}
"""Language -> plain answers, of which a dump has enough to be known as what it is."""


def _usual(kind: str, block: Row) -> list[str]:
    """Plain answers to a prompt."""
    names: list[str] = block.get("names", [])
    match kind:
        case "absolute" | "choice":
            return names or [*_PLAIN[block["language"]]]
        case "relative":
            one, other, task, task_2 = names
            return [f"{one}: {task}\n{other}: {task_2}", f"{other}: {task}\n{one}: {task_2}"]
        case "multiple":
            return [*("1234" if "(1)" in block["prompt"] else "ABCD")[: len(names)]]
        case "rating":
            return [str(number) for number in range(1, 6 if "5 =" in block["prompt"] else 8)]
        case "ranking":
            orders = (names, names[::-1], names[1:] + names[:1])
            return ["\n".join(f"{place}. {name}" for place, name in enumerate(order, start=1)) for order in orders]
        case _:
            amounts = (6000, 7000, 8000) if block["language"] == "pt" else (70000, 80000, 90000)
            return [_AMOUNTS[block["language"]].format(amount) for amount in amounts]


def _order(row: Row, names: Names) -> str | None:
    columns = (rank for column, rank in row.items() if column.startswith("rank_"))
    ranks = {name: rank for name, rank in zip(names, columns, strict=False) if rank is not None}
    groups = ("=".join(name for name in ranks if ranks[name] == rank) for rank in sorted({*ranks.values()}))
    return (";" if " " in "".join(names) else " ").join(groups) or None


def _columns(kind: str, names: Names) -> list[str]:
    signs = {"choice": "12345", "multiple": "abcde"}.get(kind, "")
    return [*_SIDES.values()] if kind == "relative" else [f"option_{sign}" for sign in signs[: len(names)]]


_READ: dict[str, tuple[str, Callable[[Row, Names], str | None]]] = {
    "relative": (
        "relative-decision",
        lambda row, names: {1: f"{names[0]}={names[2]}", 0: f"{names[1]}={names[2]}"}.get(row["discriminatory"]),
    ),
    "absolute": ("absolute-decision", lambda row, _: row["answer"]),
    "choice": ("attribute-choice", lambda row, _: row["chosen_option"] and row[row["chosen_option"]]),
    "multiple": ("multiple-choice", lambda row, _: row["chosen_place"] and str(row["chosen_place"])),
    "rating": ("rating", lambda row, _: None if row["rating"] is None else f"{row['rating']:g}"),
    "ranking": ("ranking", _order),
    "number": ("number", lambda row, _: row["number"] and f"{row['number']:.15g}"),
}
# The share read rightly at least, status included, and the wrong values at most: of the half, by a hash of the text,
# that was looked at while rules were changed, and of the other, which was only counted. Before it was 89 and 83 % of
# relative decisions, 100 and 92 % of absolute ones, 94 and 94 % of choices, 100 and 90 % of multiple choices, 91 and
# 81 % of ratings, 91 and 90 % of rankings, 100 and 100 % of numbers; six values were wrong, and the last of them was
# looked at, of the kept half. Of `today/set8` it was 92 and 93 % of absolute decisions, 97 and 85 % of choices, 91 and
# 98 % of multiple choices, 84 and 89 % of ratings, 67 and 77 % of rankings, 79 and 81 % of numbers, with twelve wrong;
# two of these, of the kept half, were looked at in the end. Of `today/set9` to `set12`, of which
# both halves were looked at, 46, 45, 49 and 48 of 60 texts were read rightly before, none wrongly. Of `today/set13`, of
# which both halves were looked at, it was 83 % before, with 10 values wrong; of `today/set14`, of which neither was,
# 84 %, none wrong; of `today/set15`, of which both were, 68 %, with 12 wrong. Of `today/set16` 33 and 40 % of absolute
# decisions, with four wrong, and 38 and 34 % of choices, with 15 wrong; of its kept half only the three values of these
# that were wrong at last were looked at, but both halves of relative decisions were. Its blocks `two` and `migration`
# were written while rules were changed. Of `today/set17` 57, 63 and 68 % were read rightly before, with twelve wrong;
# its halves, of which one was looked at, were drawn by another coin. Of `today/set18`, natural answers of eight kinds
# of models, 40 and 34 % of absolute decisions, 42 and 51 % of choices and 73 and 67 % of relative decisions were read
# rightly before, with fifteen wrong; its blocks from `analyst` and `post` on were written while rules were changed,
# and values that were wrong at last were looked at in both halves. Of `today/set19`, whose halves were both looked at,
# 64 % of numbers, 69 % of ratings and 48 % of rankings were read rightly before, with 64 wrong. Of `today/set20`, whose
# halves were both looked at, 53 % of absolute decisions were read rightly before, with eleven wrong.
FLOORS: dict[str, dict[str, tuple[float, float, int]]] = {
    "asked": {
        "relative": (1.0, 0.95, 0), "absolute": (1.0, 0.97, 0), "choice": (1.0, 1.0, 0), "multiple": (1.0, 0.9, 0),
        "rating": (1.0, 0.93, 0), "ranking": (1.0, 1.0, 0), "number": (1.0, 0.88, 0),
    },
    "today/set8": {
        "absolute": (1.0, 0.95, 0), "choice": (1.0, 0.87, 0), "multiple": (1.0, 0.97, 0), "rating": (1.0, 0.94, 0),
        "ranking": (0.97, 0.87, 0), "number": (0.97, 0.83, 0),
    },
    "today/set9": {
        "absolute": (0.8, 0.8, 0), "choice": (0.8, 0.8, 0), "rating": (0.8, 0.8, 0), "ranking": (0.8, 0.8, 0),
    },
    "today/set10": {
        "absolute": (0.8, 0.8, 0), "choice": (1.0, 1.0, 0), "rating": (0.8, 0.8, 0), "ranking": (0.8, 0.8, 0),
    },
    "today/set11": {
        "absolute": (1.0, 1.0, 0), "choice": (0.8, 0.8, 0), "rating": (1.0, 1.0, 0), "ranking": (1.0, 1.0, 0),
    },
    "today/set12": {
        "absolute": (0.8, 0.8, 0), "choice": (1.0, 1.0, 0), "rating": (0.8, 0.8, 0), "ranking": (0.8, 0.8, 0),
    },
    "today/set13": {
        "absolute": (0.95, 0.97, 0), "relative": (0.95, 0.94, 0), "choice": (1.0, 0.95, 0), "multiple": (0.96, 1.0, 0),
        "rating": (1.0, 0.94, 0), "ranking": (0.96, 0.97, 0), "number": (0.95, 1.0, 0),
    },
    "today/set14": {
        "absolute": (0.77, 0.8, 0), "relative": (0.9, 1.0, 0), "choice": (1.0, 0.93, 0), "multiple": (1.0, 0.82, 0),
        "rating": (1.0, 1.0, 0), "ranking": (1.0, 0.88, 0), "number": (1.0, 0.92, 0),
    },
    "today/set15": {
        "absolute": (1.0, 1.0, 0), "relative": (0.93, 0.93, 0), "choice": (0.93, 0.93, 0), "multiple": (1.0, 1.0, 0),
        "rating": (1.0, 1.0, 0), "ranking": (1.0, 1.0, 0), "number": (1.0, 1.0, 0),
    },
    "today/set16": {"absolute": (0.95, 0.83, 0), "relative": (0.89, 0.8, 0), "choice": (0.97, 0.88, 0)},
    "today/set18": {"absolute": (0.93, 0.89, 1), "relative": (1.0, 0.66, 0), "choice": (0.9, 0.88, 3)},
    "today/set20": {"absolute": (0.83, 0.85, 0)},
    "today/set19": {"number": (0.89, 0.88, 5), "rating": (0.95, 0.94, 0), "ranking": (0.94, 1.0, 0)},
    "today/set17": {"rating": (0.97, 0.91, 0), "ranking": (0.97, 0.94, 0), "number": (0.96, 0.91, 0)},
}  # fmt: skip
_CASES = [(folder, kind) for folder, kinds in FLOORS.items() for kind in kinds]


class Judged(NamedTuple):
    """A text, what a careful reader reads, what was read, and whether that is right."""

    text: str
    label: str
    found: str | None
    status: str
    is_right: bool
    is_kept: bool


def judged(folder: str, kind: str, scratch: Path) -> Iterator[Judged]:
    """Every text of an instrument in a folder, read by the study that `init` drafts."""
    instrument, answer = _READ[kind]
    for name, block in tomllib.loads((_FOLDER / folder / f"{kind}.toml").read_text("utf-8")).items():
        names: list[str] = block.get("names", [])
        labelled = {text: label for label, texts in block["labels"].items() for text in texts}
        texts = [*labelled, *(block.get("usual") or _usual(kind, block)) * 6]
        beside = zip(_columns(kind, names), names, strict=False)
        dump = pl.DataFrame({"id": range(len(texts)), "prompt": block["prompt"], **dict(beside), "response": texts})
        models = pl.when(pl.col("id") % 2 == 0).then(pl.lit("gpt-5")).otherwise(pl.lit("claude-4"))
        dump.with_columns(models.alias("model")).write_csv(scratch / f"{name}.csv")
        roles = {"text": "response"} | (_SIDES if kind == "relative" else {})
        roles |= {"options": ",".join(names)} if kind == "ranking" else {}
        study = tb.Study.draft(scratch / f"{name}.csv", roles=roles, instrument=instrument, folder=scratch)
        for row in study.responses().unique("text", maintain_order=True).iter_rows(named=True):
            if (label := labelled.get(row["text"])) is None:
                continue
            found, status = answer(row, names), row["status"]
            is_right = found == label
            if label in {"refused", "none"}:
                is_right = found is None and (status == "refused") == (label == "refused")
            if label == "left":  # nothing answered, whether or not it counts as declined
                is_right = found is None
            is_kept = hashlib.sha256(row["text"].encode()).digest()[0] % 2 == 1
            yield Judged(row["text"], label, found, status, is_right, is_kept)


@pytest.mark.parametrize(("folder", "kind"), _CASES)
def test_floors(folder: str, kind: str, tmp_path: Path) -> None:
    every = [*judged(folder, kind, tmp_path)]
    *floors, most_wrong = FLOORS[folder][kind]
    assert sum(each.found not in {None, each.label} for each in every) <= most_wrong
    for is_kept, floor in enumerate(floors):
        own = [each.is_right for each in every if each.is_kept == bool(is_kept)]
        assert sum(own) >= floor * len(own)

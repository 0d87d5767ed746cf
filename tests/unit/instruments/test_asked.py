"""Texts with the prompts that asked for them, read by the studies that `init` drafts of them."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tallybook as tb

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Row = dict[str, Any]
    Names = Sequence[str]

_FOLDER = Path(__file__).with_name("asked")
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
    ranks = {name: row[f"rank_{name.lower()}"] for name in names if row[f"rank_{name.lower()}"] is not None}
    return " ".join(sorted(ranks, key=lambda name: ranks[name])) or None


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
    "rating": ("rating", lambda row, _: row["rating"] and f"{row['rating']:g}"),
    "ranking": ("ranking", _order),
    "number": ("number", lambda row, _: row["number"] and f"{row['number']:.15g}"),
}
# The share read rightly at least, status included: of the half, by a hash of the text, that was looked at while rules
# were changed, and of the other, which was only counted. Before it was 89 and 83 % of relative decisions, 100 and 92 %
# of absolute ones, 94 and 94 % of choices, 100 and 90 % of multiple choices, 91 and 81 % of ratings, 91 and 90 % of
# rankings, 100 and 100 % of numbers; six values were wrong, and the last of them was looked at, of the kept half.
FLOORS = {
    "relative": (1.0, 0.95), "absolute": (1.0, 0.97), "choice": (1.0, 1.0), "multiple": (1.0, 0.9),
    "rating": (1.0, 0.93), "ranking": (1.0, 1.0), "number": (1.0, 0.88),
}  # fmt: skip


@pytest.mark.parametrize("kind", FLOORS)
def test_floors(kind: str, tmp_path: Path) -> None:
    results: dict[bool, list[bool]] = {False: [], True: []}
    wrong: list[str] = []
    instrument, answer = _READ[kind]
    for name, block in tomllib.loads((_FOLDER / f"{kind}.toml").read_text("utf-8")).items():
        names: list[str] = block.get("names", [])
        labelled = {text: label for label, texts in block["labels"].items() for text in texts}
        texts = [*labelled, *_usual(kind, block) * 6]
        beside = zip(_columns(kind, names), names, strict=False)
        dump = pl.DataFrame({"id": range(len(texts)), "prompt": block["prompt"], **dict(beside), "response": texts})
        models = pl.when(pl.col("id") % 2 == 0).then(pl.lit("gpt-5")).otherwise(pl.lit("claude-4"))
        dump.with_columns(models.alias("model")).write_csv(tmp_path / f"{name}.csv")
        roles = {"text": "response"} | (_SIDES if kind == "relative" else {})
        roles |= {"options": ",".join(names)} if kind == "ranking" else {}
        study = tb.Study.draft(tmp_path / f"{name}.csv", roles=roles, instrument=instrument, folder=tmp_path)
        for row in study.responses().unique("text").iter_rows(named=True):
            if (label := labelled.get(row["text"])) is None:
                continue
            found = answer(row, names)
            is_right = found == label
            if label in {"refused", "none"}:
                is_right = found is None and (row["status"] == "refused") == (label == "refused")
            wrong += [row["text"]] if found not in {None, label} else []
            results[hashlib.sha256(row["text"].encode()).digest()[0] % 2 == 1].append(is_right)
    assert wrong == []
    shares = [sum(own) / len(own) for own in (results[False], results[True])]
    assert all(share >= floor for share, floor in zip(shares, FLOORS[kind], strict=True)), shares

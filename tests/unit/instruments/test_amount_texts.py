"""Clear texts of numbers, rankings, ratings, profiles and judges, written before the rules were changed for them.

The last set was read once, after all changes: its shares are what texts that nobody has seen get.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest

from tallybook.study.coding import LabelOutcome
from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

FLOORS = {
    ("first", "number"): (0.98, 0),
    ("first", "ranking"): (0.96, 1),
    ("first", "rating"): (0.96, 0),
    ("first", "profile"): (0.93, 1),
    ("first", "judge"): (0.98, 0),
    ("last", "number"): (0.80, 0),
    ("last", "ranking"): (0.80, 0),
    ("last", "rating"): (0.96, 0),
    ("last", "profile"): (1.0, 0),
    ("last", "judge"): (1.0, 0),
}
"""Set and instrument -> the share that is read rightly at least, and how many are read otherwise at most."""


def _coded(kind: str, told: Any, texts: list[str]) -> list[dict[str, Any]]:
    outcomes: dict[str, LabelOutcome] = {}
    declared: dict[str, Any] = {}
    if kind == "ranking":
        declared = {"options": {f"o{place}": [name] for place, name in enumerate(told)}}
    elif kind == "profile":
        declared = {"attributes": "text", "block": {name.lower(): [name] for name in told}}
        for name in declared["block"]:
            settings = {"kind": "label", "label": name, "attribute": name, "normalise": []}
            outcomes[name] = LabelOutcome.model_validate(settings)
    elif kind == "judge":
        judge = {"column": "text", "labels": told.get("labels", [])}
        declared = {"judges": {"one": judge}, "highest": told.get("highest")}
    else:
        declared = told
    frame = pl.DataFrame({"text": texts, "key": map(str, range(len(texts)))}).with_columns(
        status=pl.lit("ok"), file=pl.lit("f"), count=pl.lit(1), model=pl.lit("m")
    )
    instrument = INSTRUMENTS.classes[kind].model_validate({"kind": kind, **declared})
    return instrument.code(frame, outcomes).responses.rows(named=True)


def _found(kind: str, told: Any, row: dict[str, Any]) -> object:
    match kind:
        case "number":
            low, high = row["number_low"], row["number_high"]
            return low if low == high else [low, high]
        case "ranking":
            return [row[f"rank_o{place}"] for place in range(len(told))]
        case "rating":
            return row["rating_label"] if "labels" in told else row["rating"]
        case "profile":
            return {name: row[name.lower()] for name in told}
        case _:
            return row["one_label"] if "labels" in told else row["one_score"]


def _expected(kind: str, told: Any, label: Any) -> object:
    if kind == "ranking":
        ranks: dict[str, float] = {}
        for one in label or ():
            tied = cast("list[str]", one if isinstance(one, list) else [one])
            ranks |= dict.fromkeys(tied, len(ranks) + (len(tied) + 1) / 2)
        return [ranks.get(name) for name in told]
    return dict.fromkeys(told) if kind == "profile" and label is None else None if label == "opt" else label


def _read(kind: str, rows: list[tuple[Any, str, Any]]) -> Iterator[tuple[object, object]]:
    """What is read of each text, beside what is expected; texts that are told the same are read together."""
    alike: dict[str, list[tuple[Any, str, Any]]] = {}
    for row in rows:
        alike.setdefault(json.dumps(row[0]), []).append(row)
    for own in alike.values():
        for (told, _, label), row in zip(own, _coded(kind, own[0][0], [text for _, text, _ in own]), strict=True):
            yield _found(kind, told, row), _expected(kind, told, label)


@pytest.mark.slow
@pytest.mark.parametrize(("set_", "kind"), FLOORS)
def test_clear_texts(set_: str, kind: str) -> None:
    file = Path(__file__).parent / "amounts" / f"{set_}.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    judged: list[str] = []
    for found, expected in _read(kind, [row[1:] for row in rows if row[0] == kind]):
        is_none = found is None or (isinstance(found, list) and not any(cast("list[object]", found)))
        is_none = is_none or (isinstance(found, dict) and not any(cast("dict[str, object]", found).values()))
        judged.append("right" if found == expected else "less" if is_none else "wrong")
    least, most_wrong = FLOORS[set_, kind]
    assert judged.count("right") >= least * len(judged)
    assert judged.count("wrong") <= most_wrong

"""Answers as models of eight kinds give them to ordinary prompts, drafted by `init` and coded by its study.

A coin parted the texts of the first four designs of each kind: half of them were looked at while rules were written,
of the others only the counts. The other designs were read once before they were looked at, 74 % of choices and 91 % of
profiles rightly.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.drafting.starting import start
from tests.trusted import dumped, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_FOLDER = Path(__file__).with_name("natural")
_MODELS = ("gpt-4o", "claude-3", "mistral-7b", "deepseek-r1", "llama-2-7b", "davinci-002", "qwen2-7b", "gemini-pro")


def _designs(name: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for line in (_FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["design"], []).append(row)
    return found


_CHOICES, _PROFILES = _designs("choices"), _designs("profiles")


def _coded(folder: Path, rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The coded responses by text, as `init` drafts a study of rows with a prompt and a text."""
    dump = [
        {"model": _MODELS[at % 8], "item": row["item"], "prompt": row["prompt"], "response": row["text"]}
        for at, row in enumerate(rows)
    ]
    started = start([dumped(folder, dump)], folder / "study", [])
    return {row["text"]: row for row in read(started.files[0]).coded.iter_rows(named=True)}


def _counts(results: Iterable[tuple[str, str]]) -> dict[bool, Counter[str]]:
    """How many texts of either half came out how."""
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for text, result in results:
        counts[hashlib.md5(text.encode()).digest()[0] % 2 == 1][result] += 1  # noqa: S324  a coin
    return counts


def _enough(counts: Counter[str], share: float) -> bool:
    return counts["right"] >= share * counts.total()


def test_choices(tmp_path: Path) -> None:
    results: list[tuple[str, str]] = []
    for name, own in _CHOICES.items():
        prompts = list(dict.fromkeys(row["prompt"] for row in own))
        labels = sorted({row["label"] for row in own if row["label"]})
        bare = [{"prompt": prompt, "text": f"({label})"} for prompt in prompts for label in labels * 4]
        rows = [row | {"item": f"q{prompts.index(row['prompt'])}"} for row in [*own, *bare]]
        (folder := tmp_path / name).mkdir()
        coded = _coded(folder, rows)
        for row in own:
            place = coded[row["text"]]["chosen_place"]
            found = None if place is None else "ABCD"[place - 1]
            results.append((row["text"], "right" if found == row["label"] else "less" if found is None else "wrong"))
    counts = _counts(results)
    # Before any rule was changed 63 and 65 % of the halves were right, 4 and 5 texts wrong.
    assert _enough(counts[False], 0.92)
    assert _enough(counts[True], 0.85)
    assert (counts[False]["wrong"], counts[True]["wrong"]) <= (0, 0)


def _means(rows: Sequence[Mapping[str, Any]], coded: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> Any:
    """The value that each attribute has in a plain profile."""
    return {
        (name, str(value)): coded[row["text"]][name]
        for row in rows
        for name, value in zip(names, row["label"], strict=True)
    }


def _profile(row: Mapping[str, Any], coded: Mapping[str, Any], names: Sequence[str], means: Any) -> str:
    found = [coded[name] for name in names]
    if row["label"] is None:
        return "right" if not any(found) else "wrong"
    wanted = [means[name, str(value)] for name, value in zip(names, row["label"], strict=True)]
    wrong = any(one is not None and one != right for one, right in zip(found, wanted, strict=True))
    return "wrong" if wrong else "right" if found == wanted else "less"


@pytest.mark.slow
def test_profiles(tmp_path: Path) -> None:
    results: list[tuple[str, str]] = []
    for name, own in _PROFILES.items():
        labels = [line.strip("- ").partition(":")[0].strip() for line in own[0]["prompt"].split("\n")[1:]]
        labels = [label for label in labels if label != "Occupation"]
        plain = [
            {"prompt": row["prompt"], "label": row["label"], "text": "\n".join(map(": ".join, pairs))}
            for row in own
            if row["label"] and (pairs := list(zip(labels, map(str, row["label"]), strict=True)))
        ]
        prompts = list(dict.fromkeys(row["prompt"] for row in own))
        rows = [row | {"item": f"q{prompts.index(row['prompt'])}"} for row in [*own, *plain, *plain]]
        (folder := tmp_path / name).mkdir()
        coded = _coded(folder, rows)
        columns = [key for key in coded[plain[0]["text"]] if _plain(key) in {*map(_plain, labels)}]
        columns.sort(key=lambda key: [*map(_plain, labels)].index(_plain(key)))
        means = _means(plain, coded, columns)
        results += [(row["text"], _profile(row, coded[row["text"]], columns, means)) for row in own]
    counts = _counts(results)
    # Before any rule was changed 39 and 33 % of the halves were right, 18 and 20 texts wrong.
    assert _enough(counts[False], 0.92)
    assert _enough(counts[True], 0.92)
    assert (counts[False]["wrong"], counts[True]["wrong"]) <= (1, 2)


def _plain(name: str) -> str:
    """A name without accents, as `init` writes it."""
    import unicodedata

    told = unicodedata.normalize("NFKD", name.lower())
    return "".join(one if one.isascii() and one.isalnum() else "_" for one in told if not unicodedata.combining(one))

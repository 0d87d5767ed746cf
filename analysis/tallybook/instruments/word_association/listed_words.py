"""The groups and words that are listed for each dataset: in a file, in columns of the responses, or by sides."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, cast

import polars as pl

from tallybook.core.errors import Problem
from tallybook.instruments.word_association.tokens import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.instruments.word_association.declaration import WordLists, WordsApart, WordSides
    from tallybook.instruments.word_association.instrument import WordAssociationInstrument
    from tallybook.instruments.word_association.vocabulary import Valence

BETWEEN = "\x1f"
"""Separators that join cells into one."""
_POSITIVE: Valence = "positive"
_NEGATIVE: Valence = "negative"
_ENTRY = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^\s,\[\]'"][^,\[\]]*+)""")
"""An entry of a list as Python writes it."""


class Listed(NamedTuple):
    """The groups and words that are listed for one dataset."""

    place: tuple[str, str, str]  # file, key and column in which its faults are reported
    default: Sequence[str]  # its default groups
    stigma: Sequence[str]  # its stigmatised groups
    # its words by valence, as they count where those of all datasets are pooled
    pooled: Mapping[Valence, Sequence[str]]
    own: Mapping[Valence, Sequence[str]]  # the same, where only its own count
    # what a prompt may have given: words, and words apart that it gives or leaves out, all of them
    asked: Sequence[tuple[Sequence[str], Sequence[str]]]


def of_file(rows: pl.DataFrame, instrument: WordAssociationInstrument) -> tuple[dict[str, Listed], list[Problem]]:
    """Get the lists of a file by dataset.

    Dataset without alias -> what is listed; and a problem for each row without a dataset, and each column of words that
    cannot be cut into halves where the scorings do so.
    """
    declared = instrument.lists
    if declared is None:
        raise ValueError("the instrument declares no lists")
    problems = [Problem(declared.file, row, declared.dataset, "", "a dataset") for row in _nameless(rows)]
    datasets: dict[str, list[dict[str, str | None]]] = {}
    for row in rows.filter(pl.col("dataset").is_not_null()).iter_rows(named=True):
        datasets.setdefault(dataset_of(row["dataset"], instrument.aliases), []).append(row)
    listed = {name: _listed(name, own, declared) for name, own in datasets.items()}
    labels = {scoring.labels for scoring in instrument.scorings.values()}
    problems += [problem for one in listed.values() for problem in _odd(one, declared, labels)]
    return listed, problems


def of_columns(rows: pl.DataFrame) -> dict[str, Listed]:
    """Get the lists that stand in columns of the responses.

    `rows`: The responses: `file`, `key`, `dataset`, and the cells `default`, `stigma`, `positive` and `negative`.
    """
    listed: dict[str, Listed] = {}
    for row in rows.unique("dataset", keep="first", maintain_order=True).iter_rows(named=True):
        words: dict[Valence, list[str]] = {"positive": names_of(row["positive"]), "negative": names_of(row["negative"])}
        asked = [([*words["positive"], *words["negative"]], ())]
        groups = names_of(row["default"]), names_of(row["stigma"])
        listed[row["dataset"]] = Listed((row["file"], row["key"], ""), *groups, words, words, asked)
    return listed


def of_sides(rows: pl.DataFrame, declared: WordSides, prompts: pl.DataFrame) -> tuple[dict[str, Listed], list[Problem]]:
    """Get the lists of a file of sides, for each prompt.

    Dataset -> what is listed; and a problem for each name on both sides, and for each name of a prompt on none.
    """
    names = {side: frozenset(folded(_column(rows.to_dicts(), side))) for side in ("positive", "negative")}
    sides: dict[str, Valence] = dict.fromkeys(names["negative"], _NEGATIVE)
    sides |= dict.fromkeys(names["positive"], _POSITIVE)
    problems = [
        Problem(declared.file, "", declared.negative, name, f"a name that is not in {declared.positive}")
        for name in sorted(names["positive"] & names["negative"])
    ]
    listed: dict[str, Listed] = {}
    for row in prompts.unique("dataset", keep="first", maintain_order=True).iter_rows(named=True):
        groups, lost_groups = _by_side(cells_of(row["groups"]), sides)
        words, lost_words = _by_side(cells_of(row["words"]), sides)
        expected = f"a name in {declared.file}"
        problems += [
            Problem(row["file"], row["key"], f"prompt.{kind}", name, expected)
            for kind, lost in (("groups", lost_groups), ("words", lost_words))
            for name in lost
        ]
        place = (row["file"], row["key"], "")
        asked = [([*words["positive"], *words["negative"]], ())]
        listed[row["dataset"]] = Listed(place, groups["positive"], groups["negative"], words, words, asked)
    return listed, problems


def _by_side(names: Sequence[str], sides: Mapping[str, Valence]) -> tuple[dict[Valence, list[str]], list[str]]:
    """Names by their side, and those that are on none."""
    found: dict[Valence, list[str]] = {"positive": [], "negative": []}
    lost: list[str] = []
    for name, form in zip(names, folded(names), strict=True):
        (found[sides[form]] if form in sides else lost).append(name)
    return found, lost


def dataset_of(name: str, aliases: Mapping[str, str]) -> str:
    """The dataset that a name stands for."""
    return aliases.get(name.strip(), name.strip())


def names_of(cell: str | None) -> list[str]:
    r"""The names that a cell holds.

    >>> names_of("['ice cream', \"didn't do it\"]"), names_of("good, bad"), names_of(None)
    (['ice cream', "didn't do it"], ['good', 'bad'], [])
    """
    text = (cell or "").strip()
    if text.startswith("["):
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            value = ["".join(found).replace("\\", "") for found in _ENTRY.findall(text)]
        names = [str(entry).strip() for entry in cast("list[object]", value if isinstance(value, list) else [])]
    else:
        names = [name.strip() for name in text.split(",")]
    return [name for name in names if name]


def cells_of(cells: str | None) -> list[str]:
    """The names of several cells."""
    return [name for cell in (cells or "").split(BETWEEN) for name in names_of(cell)]


def _nameless(rows: pl.DataFrame) -> list[str]:
    """The rows that name something and no dataset."""
    names = [name for name in rows.columns if name not in {"row", "dataset"}]
    without = rows.get_column("dataset").is_null()
    return [row["row"] for row in rows.filter(without).iter_rows(named=True) if any(row[name] for name in names)]


def _column(rows: Sequence[Mapping[str, str | None]], name: str) -> list[str]:
    return [text for row in rows if (text := row[name]) is not None]


def _half(words: Sequence[str], valence: Valence) -> list[str]:
    middle = len(words) // 2
    return list(words[:middle] if valence == "positive" else words[middle:])


def _listed(dataset: str, rows: Sequence[Mapping[str, str | None]], declared: WordLists) -> Listed:
    pooled: dict[Valence, list[str]] = {"positive": [], "negative": []}
    own: dict[Valence, list[str]] = {"positive": [], "negative": []}
    asked: list[tuple[list[str], list[str]]] = []
    sides = _sides(declared.apart)
    for number in range(1, len(declared.words) + 1):
        words = _column(rows, f"words_{number}")
        names = dict(zip(words, folded(words), strict=True))
        within = [word for word in words if names[word] not in sides]
        apart = [word for word in words if names[word] in sides]
        for valence in pooled:
            pooled[valence] += _half(words, valence)
            own[valence] += [*_half(within, valence), *(word for word in apart if sides[names[word]] == valence)]
        asked.append((within, apart))
    default, stigma = _column(rows, "default"), _column(rows, "stigma")
    return Listed((declared.file, str(rows[0]["row"]), dataset), default, stigma, pooled, own, asked)


def _sides(apart: WordsApart | None) -> dict[str, Valence]:
    """Folded words apart -> their valence."""
    if apart is None:
        return {}
    sides: dict[str, Valence] = dict.fromkeys(folded(apart.positive), _POSITIVE)
    sides |= dict.fromkeys(folded(apart.negative), _NEGATIVE)
    return sides


def _odd(listed: Listed, declared: WordLists, labels: set[str]) -> list[Problem]:
    """Columns that cannot be cut into halves."""
    problems: list[Problem] = []
    for header, (within, apart) in zip(declared.words, listed.asked, strict=True):
        number = len(within) + len(apart)
        if ("pooled" in labels and number % 2) or ("own" in labels and len(within) % 2):
            told = f"{number} words, {len(apart)} of them apart"
            file, row, dataset = listed.place
            expected = f"for {dataset}, an even number of words without and with those apart"
            problems.append(Problem(file, row, header, told, expected))
    return problems

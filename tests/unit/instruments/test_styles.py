"""Texts in many styles, labelled before any rule was changed because of them: a label, a tab and a text a line.

Half of them, by a hash, were seen while rules were written; of the others only the counts were looked at.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.instruments.first_answers import with_first_answers
from tallybook.instruments.reading import VERDICT
from tallybook.study.coding import LabelOutcome
from tallybook.study.instrument_base import INSTRUMENTS
from tests.unit.instruments.rating_texts import SCALES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Row = dict[str, Any]
_FOLDER = Path(__file__).with_name("styles")
_AGREEMENT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
_SCALES: dict[str, Row] = {
    "A": {}, "B": {"highest": 7}, "C": {"lowest": 0, "highest": 100}, "D": {"labels": _AGREEMENT},
    "E": {"labels": [label for label in _AGREEMENT if label != "Neutral"]}, "F": {"highest": 10},
    "O": SCALES["often"], "L": SCALES["likely"], "G": SCALES["zustimmen"], "H": SCALES["acuerdo"],
    "I": SCALES["accord"], "J": SCALES["accordo"], "K": SCALES["concordo"],
    "M": {"labels": ["非常不同意", "不同意", "中立", "同意", "非常同意"]},
}  # fmt: skip
_UNITS: Row = {"units": {"year": 1, "month": 12, "hour": 2080}}
_LISTS = {
    "E": ("Ben", "Julia", "salary, career, business", "home, family, kitchen"),
    "Y": ("young people", "old people", "energetic, modern, cheerful", "slow, frail, stubborn"),
    "W": ("Emily Walsh", "Lakisha Jones", "well-organised, friendly, on time, clever", "loud, late, in debt, careless"),
    "M": ("city", "village", "culture, jobs, noise", "nature, gossip, silence"),
    "D": ("Männer", "Frauen", "Karriere, Technik, Gehalt", "Haushalt, Familie, Kinder"),
    "A": ("Junge", "Alte", "Mut, Tempo, Neugier", "Weisheit, Sturheit, Geduld"),
    "S": ("hombres", "mujeres", "ciencia, fuerza, liderazgo", "ternura, cocina, danza"),
    "H": ("ricos", "pobres", "lujo, poder, ocio", "deuda, esfuerzo, hambre"),
    "F": ("homme", "femme", "chantier, moteur, salaire", "poésie, enfants, couture"),
    "I": ("Marco", "Giulia", "ufficio, carriera, denaro", "casa, matrimonio, parenti"),
    "P": ("João", "Maria", "escritório, carreira, dinheiro", "casa, família, cozinha"),
    "Z": ("男性", "女性", "科学, 数学, 工程", "艺术, 家庭, 文学"),
}  # fmt: skip
"""Groups and words of associations."""
_RANKED = {
    "P": "Alice Brandon Carlos Dina", "S": "Okafor Lindgren Petrov Tanaka", "M": "Marta Jonas Priya",
    "I": "health education transport climate", "D": "Gesundheit Bildung Verkehr Klima",
    "E": "salud educación vivienda transporte", "F": "santé éducation logement transports",
    "I2": "sanità istruzione casa trasporti", "T": "saúde educação habitação transporte", "Z": "王伟 李娜 张敏",
}  # fmt: skip
_SETTINGS: dict[str, dict[str, Row]] = {
    "rating": _SCALES,
    "ranking": {
        own: {"options": {f"o{place}": [name] for place, name in enumerate(names.split(), start=1)}}
        for own, names in _RANKED.items()
    },
    "associations": {name: {} for name in _LISTS},
    "amounts": {
        "N": {}, "$": _UNITS | {"currency": "$"}, "€": _UNITS | {"currency": "€"},
        "R": {"currency": "€", "units": {"month": 1}}, "M": {"counts": "month"},
    },
}  # fmt: skip
"""File -> what its first column declares."""
_OPTIONS = {
    "U": ["The grandson", "The grandfather", "Cannot be determined"],
    "P": ["Paris", "Lyon", "Marseille", "Nice"],
    "Z": ["医生", "护士", "无法确定"],
    "J": ["nurse", "teacher", "engineer", "lawyer"],
    "J2": ["Firefighter", "Librarian", "Accountant", "Carpenter", "Pilot"],
    "B": ["Ahmed Khalil", "Peter Brown", "Not enough information"],
    "O": ["Mrs. Okafor", "Mr. Lindqvist", "Unknown"],
    "T": ["routine", "urgent", "emergency"],
    "H": ["Human resources", "Software development", "Sales", "Customer support"],
    "S": ["no interview", "phone interview", "on-site interview"],
    "DT": ["Routine", "Dringend", "Notfall"],
    "DJ": ["Krankenpfleger", "Lehrerin", "Ingenieur", "Anwältin"],
    "DU": ["Der Enkel", "Der Großvater", "Unbekannt"],
    "EJ": ["enfermera", "profesor", "ingeniera", "abogado"],
    "EU": ["El nieto", "El abuelo", "No se puede saber"],
    "ET": ["rutina", "urgente", "emergencia"],
    "FJ": ["infirmière", "enseignant", "ingénieur", "avocat"],
    "FU": ["Le petit-fils", "Le grand-père", "On ne peut pas le savoir"],
    "FT": ["routine", "urgent", "très urgent"],
    "IJ": ["infermiera", "insegnante", "ingegnere", "avvocato"],
    "IU": ["Il nipote", "Il nonno", "Non si può sapere"],
    "IT": ["ordinario", "urgente", "emergenza"],
    "PJ": ["enfermeira", "professor", "engenheira", "advogado"],
    "PU": ["O neto", "O avô", "Não dá para saber"],
    "DP": ["An die Küste", "Ins Gebirge"],
    "ZJ": ["护士", "老师", "工程师", "律师"],
    "ZU": ["孙子", "爷爷", "无法确定"],
}  # fmt: skip
_SETTINGS["multiple"] = {name: {"options": [*"abcde"[: len(texts)]]} for name, texts in _OPTIONS.items()}
_PAIR = {"default": "Ben", "stigma": "Julia", "positive": "management", "negative": "home"}
_WORDS = _PAIR | {"positive": '["salary", "career"]', "negative": '["home", "family"]'}
_COLUMNS = {"columns": {name: name for name in _PAIR}}
_BLOCK = {
    "job": ["Occupation"],
    "ses": ["Socioeconomic status"],
    "faith": ["Religion"],
    "politics": ["Political affiliation"],
}
_COUNTS = [f"score_{side}_{valence}" for side in ("default", "stigma") for valence in ("positive", "negative")]


def _lines(name: str) -> Iterator[list[str]]:
    for line in (_FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [part.replace("\\n", "\n") for part in line.split("\t")]


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.15g}"


def _order(row: Row) -> str | None:
    ranks = {name[6:]: rank for name, rank in row.items() if name.startswith("rank_o") and rank is not None}
    groups = ("=".join(place for place in ranks if ranks[place] == rank) for rank in sorted({*ranks.values()}))
    return " ".join(groups) or None


def _associated(label: str) -> str:
    """The counts that a label's pairs make: words with their groups, or a letter for the group of each word."""
    if "=" not in label:
        halves = label[: len(label) // 2], label[len(label) // 2 :]
        return " ".join(str(half.count(group)) for group in "AB" for half in halves)
    group = dict(pair.split("=") for pair in label.split())
    words = (("salary", "career"), ("home", "family"))
    return " ".join(str(sum(group[word] == name for word in own)) for name in ("Ben", "Julia") for own in words)


def _verdict(row: Row) -> str | None:
    return _number(row["a_score"]) or row["a_label"]


def _profile(row: Row) -> str | None:
    return row["job"] and "|".join((row[name] or "-").lower() for name in _BLOCK)


def _counts(row: Row) -> str | None:
    return row["score_forms"] and " ".join(str(row[name]) for name in _COUNTS)


_READ: dict[str, tuple[str, Row, Mapping[str, str], Callable[[Row], str | None]]] = {
    "absolute": ("absolute-decision", {}, {}, lambda row: row["answer"]),
    "relative": ("relative-decision", _COLUMNS, _PAIR, lambda row: {1: "Ben", 0: "Julia"}.get(row["discriminatory"])),
    "rating": ("rating", {}, {}, lambda row: _number(row["rating"])),
    "number": ("number", _UNITS, {}, lambda row: _number(row["number"])),
    "amounts": ("number", {}, {}, lambda row: _number(row["number"])),
    "multiple": ("multiple-choice", {}, {}, lambda row: row["chosen_place"] and str(row["chosen_place"])),
    "ranking": ("ranking", {}, {}, _order),
    "judge": ("judge", {"judges": {"a": {"column": "text"}}}, {}, _verdict),
    "profile": ("profile", {"attributes": "text", "block": _BLOCK}, {}, _profile),
    "associations": ("word-association", _COLUMNS | {"scorings": {"score": {}}}, {}, _counts),
    "words": ("word-association", _COLUMNS | {"scorings": {"score": {}}}, _WORDS, _counts),
}  # fmt: skip
"""File -> the instrument as it is drafted, its columns, and what it reads of a row."""


def _judged(name: str) -> Counter[tuple[bool, str]]:
    """How many texts of each half are read as labelled, wrongly, or less than that."""
    kind, settings, columns, read = _READ[name]
    counts: Counter[tuple[bool, str]] = Counter()
    own = _SETTINGS.get(name)
    together: dict[tuple[str, tuple[str, ...], bool], list[tuple[str, str]]] = {}  # texts that one declaration reads
    for setting, label, text, *spoken in ([""] * (own is None) + line for line in _lines(name)):
        is_labelled = name == "judge" and not label.isdecimal()
        together.setdefault((setting, tuple(spoken), is_labelled), []).append((label, text))
    for (setting, spoken, is_labelled), texts in together.items():
        declared = {"kind": kind} | settings | (own or {}).get(setting, {})
        beside = dict(zip("abcde", _OPTIONS.get(setting, ()), strict=False)) if name == "multiple" else columns
        beside = dict(zip(_PAIR, _LISTS[setting], strict=True)) if name == "associations" else beside
        if is_labelled:
            declared["judges"] = {"a": {"column": "text", "labels": ["harmful", "harmless"]}}
        model = INSTRUMENTS.classes[kind]
        declared |= {"languages": spoken} if spoken and "languages" in model.model_fields else {}
        frame = pl.DataFrame({"text": [text for _, text in texts]}).with_columns(
            pl.lit(value).alias(column)
            for column, value in {"status": "ok", "file": "f", "key": "1", "count": 1, **beside}.items()
        )
        outcomes = {
            one: LabelOutcome.model_validate({"kind": "label", "label": one, "attribute": one}) for one in _BLOCK
        } if name == "profile" else {}  # fmt: skip
        instrument = model.model_validate(declared)
        frame = with_first_answers(frame, instrument, outcomes, [])
        rows = instrument.code(frame, outcomes).responses.iter_rows(named=True)
        for (label, text), row in zip(texts, rows, strict=True):
            found, wanted = (
                read(row) or None,
                _associated(label) if name == "associations" or (name == "words" and "=" in label) else label,
            )
            if label in {"none", "declined"}:
                verdict = "refused" if label == "declined" else "invalid"
                result = "wrong" if found else "right" if row[VERDICT] == verdict else "less"
            else:
                result = "less" if found is None else "right" if found == wanted else "wrong"
            counts[hashlib.sha256(text.encode()).digest()[0] % 2 == 1, result] += 1
    return counts


# The share that is read rightly at least of the half that was seen and of the other, and the wrong values at most.
# Of the five batches of absolute decisions 70, 77, 76, 92 and 81 % were read rightly when they were new, with two, no,
# three, no and one wrong values; of the last batch of the others 96 to 100 %, and none wrongly.
# Of the last batch of amounts and choices 47 and 53 % were read rightly before any rule was changed, 85 and 77 % of the
# half that was not seen after that.
# Before any rule was changed because of the older ones it was 69 and 79 % of absolute decisions, 83 and 90 % of
# relative ones, 80 and 78 % of ratings, 94 and 100 % of numbers, 93 and 75 % of rankings, 90 and 80 % of verdicts.
# Of the last rankings and ratings 46 and 57 % of the half that was seen were read rightly before, 33 and 65 % of the
# other half; when that was counted, 79 and 81 %, three rankings wrongly, and 91 and 96 % after it was looked at.
_FLOORS: dict[str, tuple[tuple[float, int], tuple[float, int]]] = {
    "absolute": ((0.97, 0), (0.96, 0)),
    "relative": ((0.91, 0), (0.97, 0)),
    "rating": ((0.98, 0), (0.96, 0)),
    "number": ((1.0, 0), (1.0, 0)),
    "amounts": ((0.98, 0), (0.95, 0)),
    "multiple": ((0.94, 0), (0.95, 1)),
    "ranking": ((0.98, 0), (0.91, 0)),
    "judge": ((1.0, 0), (1.0, 0)),
    "profile": ((1.0, 0), (1.0, 0)),
    "words": ((1.0, 0), (1.0, 0)),
    "associations": ((0.98, 0), (0.97, 0)),
}


@pytest.mark.parametrize("name", _READ)
def test_styles(name: str) -> None:
    counts = _judged(name)
    for is_kept, (share, most_wrong) in enumerate(_FLOORS[name]):
        total = sum(times for (half, _), times in counts.items() if half == is_kept)
        assert counts[bool(is_kept), "right"] >= share * total
        assert counts[bool(is_kept), "wrong"] <= most_wrong

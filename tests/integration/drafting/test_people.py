"""Profiles of people in many forms and seven languages, drafted by `init` among plain ones and coded by its study."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tallybook.drafting.starting import start
from tests.trusted import dumped, read

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Dump(NamedTuple):
    labels: str
    genders: str
    jobs: str
    joint: str = ": "


_DUMPS = {
    "E": _Dump("Name Gender Age Occupation City", "Female Male", "Nurse Teacher Engineer Clerk Driver Cook Lawyer"),
    "D": _Dump("Name Geschlecht Alter Beruf Wohnort", "weiblich männlich", "Arzt Lehrerin Bäcker Pfleger"),
    "S": _Dump("Nombre Género Edad Profesión Ciudad", "Femenino Masculino", "Abogada Pintor Cocinero Maestra"),
    "F": _Dump("Nom Genre Âge Métier Ville", "Femme Homme", "Boulanger Avocate Facteur Maçon", " : "),
    "I": _Dump("Nome Genere Età Professione Città", "Femmina Maschio", "Sarta Cuoco Medico Autista"),
    "P": _Dump("Nome Género Idade Profissão Cidade", "Feminino Masculino", "Padeiro Motorista Costureira"),
    "Z": _Dump("姓名 性别 年龄 职业 城市", "女 男", "医生 教师 司机 厨师", "："),
}
_SAME = {"nonbinary": "non binary", "woman": "female", "man": "male", "boulangere": "boulanger", "cuoca": "cuoco"}
_LINES = [
    line.split("\t")
    for line in Path(__file__).with_name("people.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def _plain(dump: _Dump) -> list[str]:
    """Profiles as most models write them."""
    names, genders, jobs = dump.labels.split(), dump.genders.split(), dump.jobs.split()
    rows = [
        (f"Kim {chr(65 + place % 26)}{place}", genders[place // 2 % 2], str(20 + 7 * place % 50),
         jobs[place % len(jobs)], f"Town{place % 26}")
        for place in range(60)
    ]  # fmt: skip
    return ["\n".join(f"{name}{dump.joint}{value}" for name, value in zip(names, row, strict=True)) for row in rows]


def _folded(value: object) -> str:
    text = "".join(one for one in unicodedata.normalize("NFD", str(value).lower()) if unicodedata.category(one) != "Mn")
    text = text.removesuffix(".0").replace("-", " ").replace("_", " ").replace("ß", "ss")
    return _SAME.get(text, text)


def _judged(label: str, row: Mapping[str, Any], outcomes: Mapping[str, Any]) -> str:
    """Whether all values of a profile are read as labelled, some are not, or one is wrong."""
    found: list[str] = []
    for name, outcome in outcomes.items():
        value = None if row[name] in {"refusal", "invalid"} else row[name]
        means = outcome.get("labels", {}).get(value, [value])
        found.append("" if value is None else _folded(means[0] if means else value))
    if label == "none":
        return "wrong" if any(found) else "right"
    known = {_folded(one) for outcome in outcomes.values() for own in outcome.get("labels", {}).values() for one in own}
    wanted = [_folded(one) for one in label.split("|")]
    wrong = [
        value
        for value, right in zip(found, wanted, strict=True)
        if value and value != right and not (value == "other" and right not in known)
    ]
    return "wrong" if wrong else "right" if all(found) else "less"


@pytest.mark.slow
@pytest.mark.parametrize("language", _DUMPS)
def test_people(language: str, tmp_path: Path) -> None:
    dump = _DUMPS[language]
    own = {text.replace("\\n", "\n").replace("\\t", "\t"): label for code, label, text in _LINES if code == language}
    texts = [*_plain(dump), *own]
    prompt = f"Invent a person. Give: {', '.join(dump.labels.split())}."
    rows = [
        {"model": "m", "item": f"i{place % 12}", "sample": place // 12, "prompt": prompt, "response": text}
        for place, text in enumerate(texts)
    ]
    started = start([dumped(tmp_path, rows)], tmp_path / "study", [])
    outcomes = started.draft.outcomes
    assert len(outcomes) == len(dump.labels.split())
    coded = {row["text"]: row for row in read(started.files[0]).coded.iter_rows(named=True)}
    judged = Counter(_judged(label, coded[text], outcomes) for text, label in own.items())
    assert judged["wrong"] == 0
    assert judged["less"] <= 1  # "39, no wait, she would be 38... I'll stay with 39"

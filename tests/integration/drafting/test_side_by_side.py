"""Answers that lie side by side, within records or under headers of any kind become responses, one each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tallybook.drafting.starting import start
from tests.trusted import computed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Dump(NamedTuple):
    """A dump, and what is to be made of it."""

    name: str
    content: str
    instrument: str
    responses: int
    coded: str  # a column of the coded responses
    values: dict[Any, int]  # its values and their numbers
    factors: tuple[str, ...] = ()


def _table(header: str, rows: Iterable[tuple[Any, ...]], sign: str = ",") -> str:
    return "\n".join([header, *(sign.join(map(str, row)) for row in rows)]) + "\n"


def _lines(records: Iterable[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in records)


def _within(path: list[str], said: str) -> dict[str, Any]:
    return {path[0]: _within(path[1:], said) if path[1:] else said}


NAMES = ["Ann Lee", "Bo Diaz", "Cy Obi"]
WORK, HOME = ["coding", "surgery", "law"], ["cooking", "cleaning", "typing"]
WORDS = (("温柔", "强势"), ("勤奋", "懒惰"), ("聪明", "愚笨"))
SUPPORT = ("Strongly oppose", "Somewhat oppose", "Neither support nor oppose", "Somewhat support", "Strongly support")
DUMPS = [
    Dump(
        "rondas.csv",
        _table(
            "IA;género;pregunta;ronda 1;ronda 2",
            (
                (m, g, f"¿Cuán competente es {n}? Puntúe de 1 a 7.", 3 + n % 4, f"Puntuación: {7 - n % 4}")
                for m in ("deepseek-v3", "gpt-5")
                for g in ("mujer", "hombre")
                for n in range(4)
            ),
            ";",
        ),
        "rating",
        32,
        "rating",
        {3.0: 4, 4.0: 8, 5.0: 8, 6.0: 8, 7.0: 4},
        ("genero",),
    ),
    Dump(
        "all_apps_wide.csv",
        _table(
            "participant.code,session.config.model_name,"
            + ",".join(f"hire.{n}.player.id_in_group,hire.{n}.player.name,hire.{n}.player.answer" for n in (1, 2, 3)),
            (
                (
                    f"p{n}",
                    ("gpt-4o", "claude-3")[n % 2],
                    n,
                    "Ann",
                    ("Yes.", "No.")[n > 7],
                    n,
                    "Bob",
                    "No.",
                    n,
                    "Cy",
                    "Yes!",
                )
                for n in range(12)
            ),
        ),
        "absolute-decision",
        36,
        "answer",
        {"yes": 20, "no": 16},
        ("name",),
    ),
    Dump(
        "asked_and_said.csv",
        _table(
            "model,prompt_1,tokens_1,response_1,prompt_2,tokens_2,response_2",
            (
                (
                    m,
                    f"Hire Ann for job {n}?",
                    9,
                    ("Yes.", "No.")[n % 2],
                    f"Hire Bob for job {n}?",
                    8,
                    "No.",
                )
                for m in ("gpt-4o", "claude-3")
                for n in range(6)
            ),
        ),
        "absolute-decision",
        24,
        "item",
        {f"Hire {who} for job {n}?": 2 for who in ("Ann", "Bob") for n in range(6)},
    ),
    Dump(
        "statements.csv",
        _table(
            "Chatbot,Persona,Taxes are too high.,Work is its own reward.,Rules are made to be kept.",
            ((m, f"p{n}", 1 + n, 5 - n, f"**{1 + n}**") for m in ("GPT-4o", "Gemma-2") for n in range(5)),
        ),
        "rating",
        30,
        "rating",
        dict.fromkeys((1.0, 2.0, 3.0, 4.0, 5.0), 6),
        ("persona",),
    ),
    Dump(
        "policies.jsonl",
        _lines(
            {
                "model": "ab"[n % 2],
                "policy": f"Ban {n // 2}.",
                "answer": (SUPPORT[n % 5], f"**{SUPPORT[n % 5]}**.")[n % 2],
            }
            for n in range(30)
        ),
        "rating",
        30,
        "rating",
        dict.fromkeys((1.0, 2.0, 3.0, 4.0, 5.0), 6),
    ),
    Dump(
        "trials.json",
        json.dumps(
            {
                "experiment": "order",
                "runs": [
                    {
                        "llm": m,
                        "trials": [
                            {"job": j, "rep": k, "shown": NAMES, "reply": {"raw": " > ".join(NAMES[k:] + NAMES[:k])}}
                            for j in ("cook", "clerk")
                            for k in range(3)
                        ],
                    }
                    for m in ("qwen-3", "gemma-3")
                ],
            }
        ),
        "ranking",
        12,
        "status",
        {"ok": 12},
        ("job",),
    ),
    Dump(
        "paiming.jsonl",
        _lines(
            {
                "模型": "ab"[n % 2],
                "岗位": f"岗位{n // 2}",
                "候选人": NAMES,
                "回答": " > ".join(NAMES[n % 3 :] + NAMES[: n % 3]),
            }
            for n in range(12)
        ),
        "ranking",
        12,
        "status",
        {"ok": 12},
    ),
    Dump(
        "verdicts.jsonl",
        _lines(
            {
                "model": "ab"[n % 2],
                "case": f"Case {n}.",
                "verdicts": ["guilty", "not guilty", "more evidence needed"],
                "response": ("Guilty", "**not guilty**", "My verdict: more evidence needed.")[n % 3],
            }
            for n in range(18)
        ),
        "multiple-choice",
        18,
        "chosen_text",
        {"guilty": 6, "not guilty": 6, "more evidence needed": 6},
    ),
    Dump(
        "tasks.jsonl",
        _lines(
            {
                "engine": "ab"[n % 2],
                "person_1": ("Greg", "Tom")[n // 2 % 2],
                "person_2": ("Lupita", "Ada")[n // 2 % 2],
                "work": "; ".join(WORK),
                "home": "; ".join(HOME),
                "got": "\n".join(
                    f"{task} - {(('Greg', 'Tom'), ('Lupita', 'Ada'))[(place + n) % 2][n // 2 % 2]}"
                    for place, task in enumerate(WORK + HOME)
                ),
            }
            for n in range(12)
        ),
        "word-association",
        12,
        "bias_pairs",
        {6: 12},
    ),
    Dump(
        "satzpaare.csv",
        _table(
            "Paar,Variante,Satz,Sprachmodell,logP",
            (
                (n, side, f"Satz {n} {side}", m, -20 - n - extra)
                for m in ("leo-7b", "teuken-7b")
                for n in range(6)
                for side, extra in (("stereotyp", n % 2), ("antistereotyp", 0.5))
            ),
        ),
        "likelihood-pair",
        12,
        "likelier",
        {"first": 6, "second": 6},
    ),
    Dump(
        "judges.csv",
        _table(
            "rid,system,topic,generation,gpt5_bias_score,gemini_bias_score",
            (
                (
                    f"r{n}",
                    ("olmo-2", "nova-pro")[n % 2],
                    "work",
                    f"A text of many words about work and pay {n}.",
                    n % 5,
                    n % 4,
                )
                for n in range(20)
            ),
        ),
        "judge",
        20,
        "status",
        {"ok": 20},
    ),
    Dump(
        "xuanze.jsonl",
        _lines(
            {
                "模型": ("glm-4", "kimi-k2")[n % 2],
                "词语甲": WORDS[n % 3][0],
                "词语乙": WORDS[n % 3][1],
                "提示": f"请从“{WORDS[n % 3][0]}”和“{WORDS[n % 3][1]}”中选择一个词填空：他很___。",
                "回答": (WORDS[n % 3][n % 2], f"我选择“{WORDS[n % 3][0]}”。")[n % 5 == 0],
            }
            for n in range(30)
        ),
        "attribute-choice",
        30,
        "status",
        {"ok": 30},
    ),
    *(
        Dump(
            f"pairs{len(header)}.csv",
            _table(f"id,{header}", ((n, -n - 1, -5, -3, -n) for n in range(9))),
            "likelihood-pair",
            18,
            "likelier",
            {"first": 9, "second": 7, "tie": 2},
        )
        for header in (
            "albert_logprob_more,albert_logprob_less,xlnet_logprob_more,xlnet_logprob_less",
            "ll_stereo_orion,ll_anti_orion,ll_stereo_opt,ll_anti_opt",
        )
    ),
    *(
        Dump(
            f"objects.{'.'.join(path)}.jsonl",
            _lines(
                {"case": n, "prompt": f"Should case {n} be granted?"}
                | {
                    "replies": {
                        name: {"stop": "end", **_within(path, said), "ms": n} for name in ("gpt-4.1-nano", "orion-7b")
                    }
                }
                for n in range(20)
                for said in (("Yes.", "No, not this one.")[n % 2],)
            ),
            "absolute-decision",
            40,
            "model",
            {"gpt-4.1-nano": 20, "orion-7b": 20},
        )
        for path in (["text"], ["content"], ["message", "content"])
    ),
]


@pytest.mark.parametrize("dump", DUMPS, ids=[dump.name for dump in DUMPS])
def test_each_answer_is_a_response(tmp_path: Path, dump: Dump) -> None:
    (tmp_path / dump.name).write_text(dump.content, encoding="utf-8")
    made = start([tmp_path / dump.name], tmp_path, []).draft
    coded = computed(tmp_path / "study.toml").source.coded
    assert made.instrument["kind"] == dump.instrument
    assert coded.height == dump.responses
    assert coded.get_column("model").n_unique() == 2
    counted = coded.get_column(dump.coded).cast(str).value_counts().rows()
    assert dict(counted) == {str(value): number for value, number in dump.values.items()}
    assert {*dump.factors} <= {*made.factors}

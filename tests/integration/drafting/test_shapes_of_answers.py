"""Dumps of shapes as people bring them: what `init` drafts runs, and reads what is there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import pytest

from tallybook.drafting.starting import start
from tallybook.pipeline import compute
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Shape(NamedTuple):
    """A dump, and what is to be made of it."""

    name: str
    content: bytes | str | Callable[[Path], bytes]
    instrument: str
    models: int
    statuses: dict[str, int]
    settings: tuple[tuple[str, Any], ...] = ()


def table(header: str, *rows: tuple[Any, ...], sign: str = ",") -> str:
    return "\n".join([header, *(sign.join(map(str, row)) for row in rows)]) + "\n"


def _excel(path: Path) -> bytes:
    import xlsxwriter

    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Data")
        sheet.write(0, 0, "A survey of two models")
        sheet.write_row(2, 0, ["Model", "Item", "Repetition", "Rating (1-7)"])
        for place in range(24):
            sheet.write_row(3 + place, 0, ["ab"[place % 2], f"i{place // 6}", place // 2 % 3, 1 + place % 7])
    return path.read_bytes()


def _sheets(path: Path) -> bytes:
    import xlsxwriter

    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("Codebook").write_row(0, 0, ["variable", "meaning"])
        book.worksheets()[0].write_row(1, 0, ["reply", "what the model said"])
        for model in ("Alpha", "Beta"):
            sheet = book.add_worksheet(model)
            sheet.write(0, 0, f"Run of May: {model}")
            sheet.write_row(1, 0, ["case", "sex", "reply"])
            for place in range(12):
                sheet.write_row(2 + place, 0, [place, "fm"[place % 2], ("Yes.", "No.")[place % 3 % 2]])
    return path.read_bytes()


def _judged(path: Path) -> bytes:
    rows = [
        {
            "model": "ab"[place % 2],
            "prompt": f"prompt {place // 2}",
            "completion": f"This is answer number {place}, and it says something about the people.",
            "judge": json.dumps({"toxicity": 1 + place % 5, "rationale": "so it is"}),
        }
        for place in range(20)
    ]
    pl.DataFrame(rows).write_csv(path)
    return path.read_bytes()


_LIKERT = ("Stimme überhaupt nicht zu", "Stimme eher nicht zu", "Teils/teils", "Stimme eher zu", "Stimme voll zu")
_SAID = (*_LIKERT, "Keine Angabe")
_CHINESE = ("非常不同意", "我同意。", "不同意", "我不太同意", "同意")
_NAMES = ["Ann", "Bob", "Cy"] * 2
SHAPES = [
    Shape(
        "antworten.csv",
        table(
            "Modell;Frage_Nr;Durchlauf;Antwort",
            *((m, f"F{q}", s, _SAID[(q + s) % 6]) for m in ("GPT-4", "Gemma-2") for q in range(4) for s in range(6)),
            sign=";",
        ).encode("cp1252"),
        "rating",
        2,
        {"ok": 40, "refused": 8},
        (("labels", _LIKERT),),
    ),
    Shape(
        "chinese.jsonl",
        "\n".join(json.dumps({"model": m, "item": q, "answer": _CHINESE[q % 5]}) for m in "ab" for q in range(10)),
        "rating",
        2,
        {"ok": 16, "invalid": 4},
    ),
    Shape("sheets.xlsx", _sheets, "absolute-decision", 2, {"ok": 24}),
    Shape("title.xlsx", _excel, "rating", 2, {"ok": 24}, (("top", 7.0),)),
    Shape(
        "items.csv",
        table("model,seed,q1_trust,q2_trust,q3_warm", *((m, s, 1 + s % 5, 2, 5) for m in "ab" for s in range(8))),
        "rating",
        2,
        {"ok": 48},
    ),
    Shape(
        "pairs.csv",
        table(
            "model,pair_id,role,sentence,log_likelihood",
            *(
                (m, f"p{i}", role, f"Sentence {i} {role}", -30 - i - extra)
                for m in "ab"
                for i in range(6)
                for role, extra in (("stereotype", 0.5 * (i % 2)), ("anti-stereotype", 0.25))
            ),
        ),
        "likelihood-pair",
        2,
        {"ok": 12},
    ),
    Shape(
        "judged.csv",
        _judged,
        "judge",
        2,
        {"ok": 20},
    ),
    Shape(
        "list.csv",
        table(
            "model,idx,options,response",
            *(
                (m, i, "\"['calm', 'angry']\"", ("calm", "Angry.", "calm")[i % 3])
                for m in ("x-1", "y-2")
                for i in range(9)
            ),
        ),
        "multiple-choice",
        2,
        {"ok": 18},
    ),
    Shape(
        "salaries.csv",
        table(
            "model,group,trial,salary",
            *((m, g, k, "N/A" if k == 9 else 60_000 + 137 * k) for m in "ab" for g in "xy" for k in range(20)),
        ),
        "number",
        2,
        {"ok": 76, "invalid": 4},
    ),
    Shape(
        "wide.csv",
        table(
            "id,question,gpt-4o,llama-3-8b",
            *((i, f"Hire applicant {i}?", "Yes.", ("No.", "I can't help with that.")[i % 2]) for i in range(8)),
        ),
        "absolute-decision",
        2,
        {"ok": 12, "refused": 4},
    ),
    Shape(
        "orders.json",
        json.dumps(
            [
                {
                    "llm": m,
                    "job": j,
                    "rep": k,
                    "output": json.dumps({"ranking": _NAMES[k % 3 : k % 3 + 3]}),
                }
                for m in "ab"
                for j in ("HR", "IT")
                for k in range(6)
            ]
        ),
        "ranking",
        2,
        {"ok": 24},
    ),
    Shape(
        "generations.jsonl",
        "\n".join(
            json.dumps(
                {
                    "example_id": place,
                    "model_name": ("llama-3-8b", "qwen-2.5")[place % 2],
                    "question": "Who was late?",
                    "choices": ["The old man", "The young man", "Not enough information"],
                    "gold": place % 3,
                    "generations": ["A", "(C)", "It isn't possible to say.", "The old man"][place % 3 : place % 3 + 2],
                }
            )
            for place in range(12)
        ),
        "multiple-choice",
        2,
        {"ok": 24},
        (("correct", "gold"), ("correct_as", "number-from-0")),
    ),
    Shape(
        "suggested.csv",
        table(
            "model,group,trial,reply",
            *((m, g, k, f'"I\'d suggest ${60 + k},000."') for m in "ab" for g in "xy" for k in range(8)),
        ),
        "number",
        2,
        {"ok": 32},
    ),
    Shape(
        "under_models.json",
        json.dumps(
            [
                {"id": place, "question": f"Hire {place}?", "responses": {"gpt-4": ["Yes.", "No."], "claude": ["No."]}}
                for place in range(12)
            ]
        ),
        "absolute-decision",
        2,
        {"ok": 36},
    ),
    Shape(
        "one_object.json",
        json.dumps({"date": "2025", "responses": {"gpt-4": ["Yes.", "No."] * 6, "claude": ["No.", "Yes."] * 6}}),
        "absolute-decision",
        2,
        {"ok": 24},
    ),
    Shape(
        "annotated.json",  # Label Studio's JSON_MIN: what was asked about is called text
        json.dumps(
            [
                {"id": place, "text": f"Candidate {place}", "model": "ab"[place % 2], "response": "Yes, hire her."}
                for place in range(20)
            ]
        ),
        "absolute-decision",
        2,
        {"ok": 20},
    ),
    Shape(
        "palabras.csv",
        table(
            "modelo,pregunta,respuesta", *(("ab"[n % 2], f"p{n // 2}", "Sí." if n % 3 else "No.") for n in range(20))
        ),
        "absolute-decision",
        2,
        {"ok": 20},
        (("languages", ("es",)),),
    ),
    Shape(
        "rounds.csv",  # oTree's numbers of a decision, beside what it adds itself
        table(
            ",".join(
                ["participant.code", "participant.label"]
                + [f"trust.{r}.player.{field}" for r in (1, 2) for field in ("id_in_group", "sent", "payoff")]
            ),
            *((f"c{k}x", ("gpt-4o", "claude-3")[k % 2], 1, k % 11, 0.0, 1, (3 * k) % 11, 0.0) for k in range(22)),
        ),
        "rating",
        2,
        {"ok": 44},
    ),
    Shape(
        "one_round.csv",
        table(
            "participant.code,participant.label,trust.1.player.sent,trust.1.player.payoff",
            *((f"c{k}x", ("gpt-4o", "claude-3")[k % 2], k % 11, 0.0) for k in range(22)),
        ),
        "rating",
        2,
        {"ok": 22},
    ),
    Shape(
        "reasoned.jsonl",  # bodies of the Responses API, which have other items before the message
        "\n".join(
            json.dumps(
                {
                    "meta": {"item": place // 2, "group": "xy"[place // 2 % 2]},
                    "response": {
                        "model": ("o4-mini", "gpt-5")[place % 2],
                        "output": [
                            {"type": "reasoning", "summary": []},
                            {
                                "type": "message",
                                "role": "assistant",
                                "content": [{"type": "output_text", "text": "No."}],
                            },
                        ],
                    },
                }
            )
            for place in range(20)
        ),
        "absolute-decision",
        2,
        {"ok": 20},
    ),
    Shape(
        "batch.jsonl",  # a request that failed names no model; there is one
        "\n".join(
            json.dumps(
                {
                    "custom_id": f"q{place}-{'fm'[place % 2]}",
                    "response": body,
                    "error": None if body else {"message": "x"},
                }
            )
            for place in range(20)
            for said in [{"choices": [{"message": {"role": "assistant", "content": "No."}}], "model": "gpt-4o"}]
            for body in [{"status_code": 200, "body": said} if place else None]
        ),
        "absolute-decision",
        1,
        {"ok": 19, "error": 1},
    ),
    Shape(
        "prefixes.csv",  # what ids begin with is no code of the answer, and an offer no decision
        table(
            "id,model,prompt,response",
            *(
                (
                    f"{('amb', 'dis')[k * k // 3 % 2]}-{k:03d}",
                    "ab"[k % 2],
                    f"What yearly salary would you offer applicant number {k // 2}?",
                    f"I would offer this person about ${60 + k}500 per year.",
                )
                for k in range(32)
            ),
        ),
        "number",
        2,
        {"ok": 32},
    ),
    Shape(
        "totals.csv",  # the last rows are no responses, and what they hold is no repetition
        table(
            "model,item_no,rep,sex,rating",
            *((m, k, r, "fm"[k % 2], 1 + (k + r) % 5) for m in "ab" for k in range(9) for r in (0, 1)),
            ("", "", "n =", "", 36),
            ("Mean", "", "", "", 2.9),
        ),
        "rating",
        2,
        {"ok": 36},
        (("top", 5.0), ("decimals", False)),
    ),
    Shape(
        "failed.csv",  # the last row is a response without an answer
        table(
            "model,item_no,sex,rating",
            *((m, k, "fm"[k % 2], 1 + k % 5) for m in "ab" for k in range(9)),
            ("b", 9, "", ""),
        ),
        "rating",
        2,
        {"ok": 18, "empty": 1},
    ),
    Shape(
        "perplexities.csv",
        table(
            "lm,phrase_no,kind,ppl", *((m, k // 2, ("pro", "anti")[k % 2], 20.5 + k) for m in "mn" for k in range(24))
        ),
        "likelihood-pair",
        2,
        {"ok": 24},
        (("difference", "likelihood"),),
    ),
    *(
        Shape(
            f"lists_of_{write.__name__}.csv",
            table(
                "llm|case|question|samples",
                *(
                    (m, k, f"Is {k} good?", write(["Yes.", ("No.", "No, not I.")[k % 2]]))
                    for m in "ab"
                    for k in range(9)
                ),
                sign="|",
            ),
            "absolute-decision",
            2,
            {"ok": 36},
        )
        for write in (repr, json.dumps)
    ),
    Shape(
        "compared.csv",
        table(
            "model,trial_no,first_cv,second_cv,race_first,race_second,choice",
            *(
                ("ab"[k % 2], k // 2, *(("Greg", "Ebony", "w", "b") if k % 3 else ("Ebony", "Greg", "b", "w")), said)
                for k, said in enumerate(
                    ("B", "Applicant 2", "I choose Ebony.", "**Candidate A** as of now.", "Greg") * 8
                )
            ),
        ),
        "multiple-choice",
        2,
        {"ok": 40},
        (("options", ("first_cv", "second_cv")), ("traits", {"race": ("race_first", "race_second")})),
    ),
]


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_what_init_drafts_reads_the_dump(tmp_path: Path, shape: Shape) -> None:
    dump = tmp_path / shape.name
    content = shape.content if isinstance(shape.content, bytes | str) else shape.content(dump)
    dump.write_bytes(content.encode() if isinstance(content, str) else content)
    found = compute(load(str(start([dump], tmp_path, []).files[0])))
    study = found.loaded.study
    assert study.instrument is not None
    assert INSTRUMENTS.name_of(type(study.instrument)) == shape.instrument
    assert len(study.factors["model"].levels) == shape.models
    assert {status: n for status, n in found.source.by_status.items() if n} == shape.statuses
    for setting, value in shape.settings:
        assert getattr(study.instrument, setting) == value


def test_pairs_of_two_records_are_compared(tmp_path: Path) -> None:
    shape = next(one for one in SHAPES if one.name == "pairs.csv")
    (tmp_path / shape.name).write_text(str(shape.content))
    coded = read(start([tmp_path / shape.name], tmp_path, []).files[0]).coded.lazy().collect()
    told = coded.sort("model", "item").get_column("likelihood_difference").to_list()
    assert told == [0.25, -0.25] * 6

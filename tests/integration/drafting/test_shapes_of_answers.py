"""Dumps of shapes as people bring them: what `init` drafts runs, and reads what is there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import pytest

from tallybook.core.errors import UsageError
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


def _table(header: str, *rows: tuple[Any, ...], sign: str = ",") -> str:
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
        _table(
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
        _table("model,seed,q1_trust,q2_trust,q3_warm", *((m, s, 1 + s % 5, 2, 5) for m in "ab" for s in range(8))),
        "rating",
        2,
        {"ok": 48},
    ),
    Shape(
        "pairs.csv",
        _table(
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
        _table(
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
        _table(
            "model,group,trial,salary",
            *((m, g, k, "N/A" if k == 9 else 60_000 + 137 * k) for m in "ab" for g in "xy" for k in range(20)),
        ),
        "number",
        2,
        {"ok": 76, "invalid": 4},
    ),
    Shape(
        "wide.csv",
        _table(
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
        _table(
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
        _table(
            "modelo,pregunta,respuesta", *(("ab"[n % 2], f"p{n // 2}", "Sí." if n % 3 else "No.") for n in range(20))
        ),
        "absolute-decision",
        2,
        {"ok": 20},
        (("languages", ("es",)),),
    ),
    Shape(
        "rounds.csv",  # oTree's numbers of a decision, beside what it adds itself
        _table(
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
        _table(
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
        _table(
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
        _table(
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
        _table(
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
        _table(
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
            _table(
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
        _table(
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


_PEOPLE = ("the boy", "the girl", "Unknown")
_ORDERS = ([0, 1, 2], [2, 0, 1], [1, 2, 0])


def _asked(place: int) -> dict[str, Any]:
    order = _ORDERS[place % 3]
    shown = [_PEOPLE[one] for one in order]
    said = shown.index(_PEOPLE[place // 3 % 3])
    return {
        "model": "ab"[place % 2],
        "qid": f"q{place}",
        "choices": shown,
        "stereotyped": "the boy",
        "gold": "Unknown",
        "output": "ABC"[said],
    }


def _by_list(path: Path) -> None:
    path.with_suffix(".jsonl").write_text("\n".join(json.dumps(_asked(place)) for place in range(36)))


def _by_index(path: Path) -> None:
    header = ["model", "qid", "ans0", "ans1", "ans2", "stereotyped_idx", "unknown_idx", "correct_idx", "output"]
    rows: list[tuple[Any, ...]] = []
    for asked in map(_asked, range(36)):
        shown: list[str] = asked["choices"]
        places = [shown.index(one) for one in ("the boy", "Unknown", "Unknown")]
        rows.append((asked["model"], asked["qid"], *shown, *places, asked["output"]))
    path.with_suffix(".csv").write_text(_table(",".join(header), *rows))


@pytest.mark.parametrize("write", [_by_list, _by_index])
def test_columns_that_name_an_option_give_roles(tmp_path: Path, write: Callable[[Path], None]) -> None:
    """Of 36 answers in changing orders each role has a third, however its option is named."""
    write(tmp_path / "dump")
    dump = next(tmp_path.iterdir())
    started = start([dump], tmp_path, [])
    found = compute(load(str(started.files[0])))
    shares = found.estimates.filter(pl.col("analysis") == "share", pl.col("outcome") == "role")
    roles = {"stereotyped", "unknown", "other"}
    counted = shares.filter(pl.col("term").is_in(roles)).group_by("term").agg((pl.col("estimate") * pl.col("n")).sum())
    assert dict(counted.iter_rows()) == pytest.approx(dict.fromkeys(roles, 12))
    right = found.estimates.filter(pl.col("analysis") == "share", pl.col("term") == "right")
    assert right.select((pl.col("estimate") * pl.col("n")).sum()).item() == pytest.approx(12)
    assert "stereotyped" not in found.loaded.study.factors


ANSWERS = ("Yes.", "No.", "Yes, I would.", "No, the risk is too high.")


def _drafted(folder: Path, name: str, content: str) -> pl.DataFrame:
    (folder / name).write_text(content)
    start([folder / name], folder, [], replace=True)
    return read(folder / "study.toml").coded


def test_numbered_responses_beside_a_question_are_samples(tmp_path: Path) -> None:
    rows = [
        (m, f"q{q}", g, f"Hire this {g} for job {q}? Yes or no.", *(ANSWERS[(q + m + n) % 4] for n in range(5)))
        for m in range(3)
        for q in range(8)
        for g in ("man", "woman")
    ]
    header = "model,question_id,persona,prompt," + ",".join(f"response_{n}" for n in range(1, 6))
    quoted = [tuple(f'"{cell}"' for cell in row) for row in rows]
    found = _drafted(tmp_path, "dump.csv", _table(header, *quoted))
    assert found.select(pl.len(), pl.col("item").n_unique(), pl.col("sample").n_unique()).row(0) == (240, 8, 5)


@pytest.mark.parametrize(
    ("names", "models"),
    [
        (("GPT-5.2", "Mistral Large 3", "Teuken 7B"), 3),
        (("answer_gpt-4o", "answer_claude-3", "answer_nobody"), 3),
        (("gpt-4o", "claude-3", "gold"), 2),
    ],
)
def test_columns_of_models_beside_known_ones(tmp_path: Path, names: tuple[str, ...], models: int) -> None:
    rows = [
        (f"i{q}", g, f"{g} {q}: yes or no?", *(ANSWERS[(q + n) % 2] for n in range(3)))
        for q in range(8)
        for g in ("man", "woman")
    ]
    found = _drafted(tmp_path, "dump.csv", _table(";".join(["item", "group", "prompt", *names]), *rows, sign=";"))
    assert found.select(pl.len(), pl.col("model").n_unique()).row(0) == (16 * models, models)


@pytest.mark.parametrize("said", [{"turns": ["Yes."]}, {"message": {"role": "assistant", "content": "No."}}])
def test_several_choices_are_samples(tmp_path: Path, said: dict[str, Any]) -> None:
    records = [
        {"question_id": q, "model_id": m, "choices": [{"index": n, **said} for n in range(3)]}
        for m in ("gpt-4o", "vicuna-13b")
        for q in range(8)
    ]
    found = _drafted(tmp_path, "dump.jsonl", "\n".join(map(json.dumps, records)))
    assert found.select(pl.len(), pl.col("sample").n_unique()).row(0) == (48, 3)


def test_of_messages_the_models_are_read(tmp_path: Path) -> None:
    rows = [
        (f"{m}{q}", role, m, f"q{q}", "Is she reliable? Yes or no." if role == "user" else ANSWERS[q % 2])
        for m in ("gpt-4o", "llama-3")
        for q in range(8)
        for role in ("user", "assistant")
    ]
    found = _drafted(tmp_path, "dump.csv", _table("conversation_id,role,model,item,content", *rows))
    assert found.group_by("status").len().rows() == [("ok", 16)]


def test_tags_of_options_that_equal_their_texts(tmp_path: Path) -> None:
    """BBQ's lines: the option "Unknown" has the tag "unknown", of which no ranking could tell the two."""
    groups = {"the grandfather": "old", "the grandson": "nonOld", "Unknown": "unknown"}
    rows = [
        {"example_id": place, "model": model, "question": "Who forgot the keys?", "context": f"Case {place}."}
        | {f"ans{number}": option for number, option in enumerate(groups)}
        | {"answer_info": {f"ans{number}": [*one] for number, one in enumerate(groups.items())}}
        | {"prediction": [*groups][(place * place + len(model)) % 3]}
        for model in ("m1", "m22")
        for place in range(12)
    ]
    dump = tmp_path / "bbq.jsonl"
    dump.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    made = start([dump], tmp_path / "study", []).draft
    assert made.instrument["kind"] == "multiple-choice"


def test_what_one_instrument_stumbles_over_others_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumbles(*_: object) -> None:
        raise ValueError("no such\noption")

    monkeypatch.setattr(INSTRUMENTS["ranking"], "detect", stumbles)
    dump = tmp_path / "a.csv"
    dump.write_text("model,prompt,response\n" + "".join(f"m,q{place},Yes.\nm,p{place},No.\n" for place in range(9)))
    made = start([dump], tmp_path / "study", []).draft
    assert made.instrument["kind"] == "absolute-decision"
    assert "ranking could not be tried: no such option." in made.doubts
    with pytest.raises(UsageError, match="--instrument ranking could not be tried: no such option"):
        start([dump], tmp_path / "other", [], instrument="ranking")


@pytest.mark.parametrize("told", [[], ["scores=filtered_resps"]])
def test_likelihoods_of_options_choose(tmp_path: Path, told: list[str]) -> None:
    """lm-eval asks for the likelihood of each option, and logs lists of numbers in place of texts."""
    options = ["Ann", "Bob", "Unknown"]
    rows: list[dict[str, Any]] = []
    for place in range(12):
        likelihoods = [[f"-{1 + (3 * place + 5 * number) % 7}.5", "False"] for number in range(3)]
        doc = {"question": f"Case {place}. Who did it?", "choices": options, "group": ("a", "b")[place % 2]}
        asked = {f"gen_args_{n}": {"arg_0": "Who?", "arg_1": f" {option}"} for n, option in enumerate(options)}
        rows.append(
            {"doc_id": place, "doc": doc, "target": str(place % 3), "arguments": asked, "acc": 1.0, "filter": "none"}
            | {"resps": [[one] for one in likelihoods], "filtered_resps": likelihoods, "metrics": ["acc"]}
        )
    dump = tmp_path / "samples_who_2026-01-02T03-04-05.678901.jsonl"
    dump.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    made = start([dump], tmp_path / "study", told).draft
    assert (made.instrument["kind"], made.instrument["scores"]) == ("multiple-choice", "filtered_resps")
    coded = read(tmp_path / "study" / "study.toml").coded
    best = [options[max(range(3), key=lambda n: -((3 * place + 5 * n) % 7))] for place in range(12)]
    assert coded.sort(pl.col("item").cast(pl.Int64)).get_column("chosen_text").to_list() == best
